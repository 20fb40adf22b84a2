// SPDX-License-Identifier: Apache-2.0
//
// USD as text (.usda): one Mesh prim per mesh under "/Root", with time samples of points and
// extent. Faces of fewer than three corners have no place in a Mesh prim and are left out.
//
// The samples of a prim stand together, but frames arrive for all meshes at once: the samples of
// the first mesh go straight into the file, those of further ones as numbers into a second file
// that is read back, and removed, at the end.
//
// Text is large, so nothing is said twice: points that never move are one value without samples,
// points that rest for a while have samples at the beginning and end of it (values between samples
// are interpolated), and with a tolerance numbers have no more decimals than that needs.
#define _POSIX_C_SOURCE 200809L
#include "io/export.h"
#include "io/names.h"
#include "io/usda.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The time samples of one attribute, of which equal ones that follow each other are left out. The
// value that came last is held until it is known whether it changes.
typedef struct samples {
    const char *name;     // "point3f[] points"
    size_t count;         // triples of a value
    float *held;          // 3 x count
    bool begun;           // the dictionary is
    uint32_t frames;      // that came
    uint32_t first, last; // frames of the held value
} samples;

typedef struct usda_writer {
    sn_context *context;
    int decimals; // of coordinates; -1: all that floats have
    uint32_t mesh_count;
    const sn_mesh *const *meshes;
    double rate;
    uint32_t first_frame;
    uint32_t frame_count, frames_added;
    char **prims;         // mesh_count: names of the prims
    float *extents;       // mesh_count x frame_count x 6
    float *points;        // of the largest mesh but the first, to read back
    samples track;        // of the points of the prim that is being written
    samples extent;       // of its extents
    sni_text_output *out; // the file itself
    FILE *further;        // points of all meshes but the first, frame by frame
} usda_writer;

static void put_tuple(sni_text_output *out, const float *numbers, uint32_t count) {
    sni_put(out, "(");
    for (uint32_t i = 0; i < count; ++i) {
        sni_put(out, i > 0 ? ", " : "");
        sni_put_float(out, numbers[i]);
    }
    sni_put(out, ")");
}

// Fewer numbers than this have enough room in 64 bits for all decimals.
static const double largest_rounded = 1e9;

// A number with so many decimals at most, zeros at the end left out.
void sni_usda_put_rounded(sni_text_output *out, double number, int decimals) {
    uint64_t one = 1;
    char digits[24];
    for (int i = 0; i < decimals; ++i) {
        one *= 10;
    }
    uint64_t whole = (uint64_t)llround(fabs(number) * (double)one), part = whole % one;
    sni_put(out, number < 0 && whole > 0 ? "-" : "");
    sni_put_uint(out, (uint32_t)(whole / one));
    if (part > 0) {
        int length = snprintf(digits, sizeof digits, ".%0*llu", decimals, (unsigned long long)part);
        while (digits[length - 1] == '0') {
            --length;
        }
        sni_put_bytes(out, digits, (size_t)length);
    }
}

static void put_coordinate(const usda_writer *usda, float number) {
    if (usda->decimals >= 0 && fabsf(number) < largest_rounded) {
        sni_usda_put_rounded(usda->out, number, usda->decimals);
    } else {
        sni_put_float(usda->out, number);
    }
}

static void put_points(const usda_writer *usda, const float *numbers, size_t count) {
    sni_text_output *out = usda->out;
    sni_put(out, "[");
    for (size_t i = 0; i < count && out->status == SN_OK; ++i) {
        sni_put(out, i > 0 ? ",(" : "(");
        for (size_t k = 0; k < 3; ++k) {
            sni_put(out, k > 0 ? "," : "");
            put_coordinate(usda, numbers[3 * i + k]);
        }
        sni_put(out, ")");
    }
    sni_put(out, "]");
}

// ---------------------------------------------------------------------------------------------
// Time samples

static void samples_begin(samples *s, const char *name, size_t count) {
    *s = (samples){.name = name, .count = count, .held = s->held};
}

static void put_sample(usda_writer *usda, const samples *s, uint32_t frame) {
    sni_put(usda->out, "            ");
    sni_put_uint(usda->out, usda->first_frame + frame);
    sni_put(usda->out, ": ");
    put_points(usda, s->held, s->count);
    sni_put(usda->out, ",\n");
}

// Writes the held value where it begins, and where it ends if that is another frame.
static void put_held(usda_writer *usda, samples *s) {
    if (!s->begun) {
        sni_put(usda->out, "        ");
        sni_put(usda->out, s->name);
        sni_put(usda->out, ".timeSamples = {\n");
        s->begun = true;
    }
    put_sample(usda, s, s->first);
    if (s->last > s->first) {
        put_sample(usda, s, s->last);
    }
}

static void samples_add(usda_writer *usda, samples *s, const float *values) {
    size_t bytes = 3 * s->count * sizeof *values;
    uint32_t frame = s->frames++;
    if (frame > 0 && memcmp(s->held, values, bytes) == 0) {
        s->last = frame;
        return;
    }
    if (frame > 0) {
        put_held(usda, s);
    }
    memcpy(s->held, values, bytes);
    s->first = s->last = frame;
}

// What never changed has a value and no samples.
static void samples_end(usda_writer *usda, samples *s) {
    if (s->begun) {
        put_held(usda, s);
        sni_put(usda->out, "        }\n");
        return;
    }
    sni_put(usda->out, "        ");
    sni_put(usda->out, s->name);
    sni_put(usda->out, " = ");
    put_points(usda, s->held, s->count);
    sni_put(usda->out, "\n");
}

static uint32_t corner_count(const sn_mesh *mesh, uint32_t face) {
    return mesh->face_offsets[face + 1] - mesh->face_offsets[face];
}

static void put_counts(sni_text_output *out, const sn_mesh *mesh) {
    sni_put(out, "        int[] faceVertexCounts = [");
    const char *separator = "";
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        if (corner_count(mesh, f) >= 3) {
            sni_put(out, separator);
            sni_put_uint(out, corner_count(mesh, f));
            separator = ", ";
        }
    }
    sni_put(out, "]\n");
}

// One number per corner of the faces that are written; `none` stands for SN_NONE.
static void put_corners(sni_text_output *out, const char *name, const sn_mesh *mesh,
                        const uint32_t *numbers, uint32_t none) {
    sni_put(out, name);
    const char *separator = " = [";
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        for (uint32_t c = mesh->face_offsets[f];
             corner_count(mesh, f) >= 3 && c < mesh->face_offsets[f + 1]; ++c) {
            sni_put(out, separator);
            sni_put_uint(out, numbers[c] != SN_NONE ? numbers[c] : none);
            separator = ", ";
        }
    }
    sni_put(out, separator[0] == ',' ? "]\n" : " = []\n");
}

// Corners without a texture coordinate get one at the origin, put behind the others.
static void put_uv(sni_text_output *out, const sn_mesh *mesh) {
    const sn_attribute *uv = sn_mesh_find_attribute(mesh, "uv");
    if (uv == NULL || uv->width < 2) {
        return;
    }
    bool lacks_some = false;
    for (uint32_t c = 0; uv->corner != NULL && c < mesh->corner_count; ++c) {
        lacks_some = lacks_some || uv->corner[c] == SN_NONE;
    }
    sni_put(out, "        texCoord2f[] primvars:st = [");
    for (size_t i = 0; i < uv->count && out->status == SN_OK; ++i) {
        sni_put(out, i > 0 ? ", " : "");
        put_tuple(out, uv->values + uv->width * i, 2);
    }
    if (lacks_some) {
        sni_put(out, uv->count > 0 ? ", (0, 0)" : "(0, 0)");
    }
    sni_put(out, "] (\n            interpolation = \"");
    sni_put(out, uv->corner != NULL ? "faceVarying" : "vertex");
    sni_put(out, "\"\n        )\n");
    if (uv->corner != NULL) {
        put_corners(out, "        int[] primvars:st:indices", mesh, uv->corner, uv->count);
    }
}

void sni_usda_put_topology(sni_text_output *out, const sn_mesh *mesh) {
    sni_put(out, "        uniform token subdivisionScheme = \"none\"\n");
    put_counts(out, mesh);
    put_corners(out, "        int[] faceVertexIndices", mesh, mesh->corners, 0);
    put_uv(out, mesh);
}

static void put_prim_begin(usda_writer *usda, uint32_t m) {
    const sn_mesh *mesh = usda->meshes[m];
    sni_text_output *out = usda->out;
    sni_put(out, "\n    def Mesh \"");
    sni_put(out, usda->prims[m]);
    sni_put(out, "\"\n    {\n");
    sni_usda_put_topology(out, mesh);
    samples_begin(&usda->track, "point3f[] points", mesh->vertex_count);
}

static void put_prim_end(usda_writer *usda, uint32_t m) {
    samples_end(usda, &usda->track);
    samples_begin(&usda->extent, "float3[] extent", 2);
    for (uint32_t f = 0; f < usda->frame_count; ++f) {
        samples_add(usda, &usda->extent, usda->extents + 6 * ((size_t)m * usda->frame_count + f));
    }
    samples_end(usda, &usda->extent);
    sni_put(usda->out, "    }\n");
}

void sni_usda_put_stage(sni_text_output *out, double rate, uint32_t first, uint32_t last) {
    sni_put(out, "#usda 1.0\n(\n    defaultPrim = \"Root\"\n    endTimeCode = ");
    sni_put_uint(out, last);
    sni_put(out, "\n    metersPerUnit = 1\n    startTimeCode = ");
    sni_put_uint(out, first);
    sni_put(out, "\n    timeCodesPerSecond = ");
    sni_put_double(out, rate);
    sni_put(out, "\n    upAxis = \"Y\"\n)\n\ndef Xform \"Root\"\n{");
}

// ---------------------------------------------------------------------------------------------
// Names

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Prim names are letters, digits and underscores, and do not start with a digit.
char *sni_usda_identifier(sn_context *context, const char *name) {
    size_t length = strlen(name);
    char *identifier = sni_alloc(context, length + 2, 1);
    if (identifier == NULL) {
        return NULL;
    }
    size_t used = 0;
    if (length == 0 || (name[0] >= '0' && name[0] <= '9')) {
        identifier[used++] = '_';
    }
    for (size_t i = 0; i < length; ++i) {
        bool is_digit = name[i] >= '0' && name[i] <= '9';
        identifier[used++] = is_letter(name[i]) || is_digit ? name[i] : '_';
    }
    identifier[used] = 0;
    return identifier;
}

static sn_status make_prims(usda_writer *usda, sn_error *error) {
    sn_status status = SN_OK;
    sni_names names;
    char *base = NULL;
    sni_names_init(&names, usda->context);
    SNI_NEW_ZERO(usda->context, usda->prims, usda->mesh_count);
    for (uint32_t m = 0; m < usda->mesh_count; ++m) {
        const char *unique;
        base = sni_usda_identifier(usda->context, usda->meshes[m]->name);
        if (base == NULL) {
            status = sni_fail_memory(error);
            goto cleanup;
        }
        // A number behind a dot is made an identifier again until nobody has it.
        SN_TRY(sni_names_add_unique(&names, base, m, &unique, error));
        while (strchr(unique, '.') != NULL) {
            sni_free(usda->context, base);
            base = sni_usda_identifier(usda->context, unique);
            if (base == NULL) {
                status = sni_fail_memory(error);
                goto cleanup;
            }
            SN_TRY(sni_names_add_unique(&names, base, m, &unique, error));
        }
        usda->prims[m] = base;
        base = NULL;
    }
cleanup:
    sni_free(usda->context, base);
    sni_names_deinit(&names);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Writer

static void usda_cancel(void *state) {
    usda_writer *usda = state;
    if (usda->out != NULL) {
        sni_text_output_close(usda->out);
    }
    if (usda->further != NULL) {
        fclose(usda->further);
    }
    for (uint32_t m = 0; usda->prims != NULL && m < usda->mesh_count; ++m) {
        sni_free(usda->context, usda->prims[m]);
    }
    sni_free(usda->context, usda->out);
    sni_free(usda->context, usda->prims);
    sni_free(usda->context, usda->points);
    sni_free(usda->context, usda->track.held);
    sni_free(usda->context, usda->extent.held);
    sni_free(usda->context, usda->extents);
    sni_free(usda->context, usda);
}

static sn_status allocate(usda_writer *usda, sn_error *error) {
    sn_status status = SN_OK;
    size_t extent_count;
    size_t point_count = 0;
    for (uint32_t m = 1; m < usda->mesh_count; ++m) {
        size_t count = usda->meshes[m]->vertex_count;
        point_count = count > point_count ? count : point_count;
    }
    if (!sni_size_multiply((size_t)usda->mesh_count * 6, usda->frame_count, &extent_count)) {
        return sni_fail_memory(error);
    }
    SNI_NEW(usda->context, usda->extents, extent_count);
    SNI_NEW(usda->context, usda->points, 3 * point_count);
    point_count =
        point_count > usda->meshes[0]->vertex_count ? point_count : usda->meshes[0]->vertex_count;
    SNI_NEW(usda->context, usda->track.held, 3 * point_count);
    SNI_NEW(usda->context, usda->extent.held, 6);
    SNI_NEW_ZERO(usda->context, usda->out, 1);
cleanup:
    return status;
}

// The fewest decimals with which rounding moves a coordinate by no more than the tolerance.
static int decimals_for(double tolerance) {
    int decimals = 0;
    for (double step = 1; decimals < 9 && step / 2 > tolerance; step /= 10) {
        ++decimals;
    }
    return tolerance > 0 ? decimals : -1;
}

static sn_status usda_begin(sn_context *context, const sn_file_set *files, const char *path,
                            const sn_export_desc *desc, void **state, sn_error *error) {
    (void)files; // one file holds everything
    sn_status status = SN_OK;
    usda_writer *usda = NULL;
    SNI_NEW_ZERO(context, usda, 1);
    *usda = (usda_writer){.context = context,
                          .mesh_count = desc->mesh_count,
                          .meshes = desc->meshes,
                          .decimals = decimals_for(desc->tolerance),
                          .rate = desc->rate,
                          .first_frame = desc->first_frame,
                          .frame_count = desc->frame_count};
    SN_TRY(make_prims(usda, error));
    SN_TRY(allocate(usda, error));
    SN_TRY(sni_text_output_open(NULL, path, usda->out, error));
    if (desc->mesh_count > 1) {
        SN_TRY(sni_spool_open(path, &usda->further, error));
    }
    sni_usda_put_stage(usda->out, usda->rate, usda->first_frame,
                       usda->first_frame + usda->frame_count - 1);
    put_prim_begin(usda, 0);
    SN_TRY(sni_text_output_flush(usda->out));
    *state = usda;
    return SN_OK;
cleanup:
    if (usda != NULL) {
        usda_cancel(usda);
    }
    return status;
}

// The box of a frame's points; zero without points.
static void find_extent(const float *points, uint32_t count, float extent[6]) {
    memset(extent, 0, 6 * sizeof *extent);
    for (size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            float x = points[3 * i + k];
            extent[k] = i == 0 || x < extent[k] ? x : extent[k];
            extent[3 + k] = i == 0 || x > extent[3 + k] ? x : extent[3 + k];
        }
    }
}

static sn_status usda_add(void *state, const float *const *positions, sn_error *error) {
    usda_writer *usda = state;
    uint32_t frame = usda->frames_added++;
    usda->out->error = error;
    samples_add(usda, &usda->track, positions[0]);
    sn_status status = sni_text_output_flush(usda->out);
    for (uint32_t m = 0; m < usda->mesh_count && status == SN_OK; ++m) {
        uint32_t count = usda->meshes[m]->vertex_count;
        find_extent(positions[m], count,
                    usda->extents + 6 * ((size_t)m * usda->frame_count + frame));
        if (m > 0 && fwrite(positions[m], 3 * sizeof(float), count, usda->further) != count) {
            status = sni_fail_errno(error, usda->out->file.path, "write");
        }
    }
    return status;
}

// Reads the points of a further mesh back, frame by frame. A frame of all further meshes takes
// `stride` numbers, of which this mesh's start at `offset`.
static sn_status put_further_samples(usda_writer *usda, uint32_t m, size_t stride, size_t offset,
                                     sn_error *error) {
    size_t count = 3 * (size_t)usda->meshes[m]->vertex_count;
    for (size_t f = 0; f < usda->frame_count; ++f) {
        off_t place = (off_t)((stride * f + offset) * sizeof(float));
        if (fseeko(usda->further, place, SEEK_SET) != 0 ||
            fread(usda->points, sizeof(float), count, usda->further) != count) {
            return sni_fail(error, SN_IO, "cannot read back the points of mesh \"%s\"",
                            usda->meshes[m]->name);
        }
        samples_add(usda, &usda->track, usda->points);
    }
    return usda->out->status;
}

static sn_status put_further_prims(usda_writer *usda, sn_error *error) {
    size_t stride = 0, offset = 0;
    for (uint32_t m = 1; m < usda->mesh_count; ++m) {
        stride += 3 * (size_t)usda->meshes[m]->vertex_count;
    }
    sn_status status = SN_OK;
    for (uint32_t m = 1; m < usda->mesh_count && status == SN_OK; ++m) {
        put_prim_begin(usda, m);
        status = put_further_samples(usda, m, stride, offset, error);
        put_prim_end(usda, m);
        offset += 3 * (size_t)usda->meshes[m]->vertex_count;
    }
    return status;
}

static sn_status usda_end(void *state, sn_error *error) {
    usda_writer *usda = state;
    sn_status status = SN_OK;
    usda->out->error = error;
    put_prim_end(usda, 0);
    if (usda->mesh_count > 1) {
        SN_TRY(put_further_prims(usda, error));
    }
    sni_put(usda->out, "}\n");
    status = sni_text_output_commit(usda->out);
cleanup:
    usda_cancel(usda);
    return status;
}

const sni_points_ops sni_write_usda = {
    .extension = ".usda",
    .many_meshes = true,
    .begin = usda_begin,
    .add = usda_add,
    .end = usda_end,
    .cancel = usda_cancel,
};
