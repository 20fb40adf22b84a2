// SPDX-License-Identifier: Apache-2.0
//
// The skin of a body from what lies under it (Wilhelms and Van Gelder, "Anatomically Based
// Modeling", 1997, section 5): density on a grid, smoothed, and its isosurface.
#include "sinew/fit.h"

#include "base/context.h"
#include "geometry/density.h"
#include "geometry/isosurface.h"
#include "geometry/mend.h"
#include "sinew/geometry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t desc_check = 0x45585452; // "EXTR"

// Holes are never looked for beyond so many nodes.
static const double most_width = 64;
enum { CLOSING_TURNS = 8 };

// What closes them is a little denser than the skin.
static const double closed_level = 1.2;

sn_extract_desc sn_extract_desc_default(void) {
    return (sn_extract_desc){.check = desc_check,
                             .name = "skin",
                             .dimension = SNI_DENSITY_DIMENSION,
                             .filter = SNI_DENSITY_SIGMA,
                             .threshold = SNI_DENSITY_THRESHOLD,
                             .relax = sni_isosurface_desc_default().relax};
}

// A part as a solid of the grid, and what it points to.
typedef struct placed {
    sn_triangles *triangles;
    float *positions;
    sni_mended mended; // where the part is not closed as it is
} placed;

static void free_placed(sn_context *context, placed *p) {
    sn_triangles_destroy(p->triangles);
    sni_free(context, p->positions);
    sni_mended_deinit(context, &p->mended);
}

// A mesh that is nearly closed is filled as if it were; for others the check says what is wrong.
static sn_status mend_part(sn_context *context, placed *made, sni_solid *solid, sn_error *error) {
    sn_error reason = {0}, beyond = {0};
    sn_status status = sni_solid_check(context, solid, &reason);
    if (status == SN_INVALID) {
        sni_solid mended = *solid;
        status = sni_mend_solid(context, solid, &made->mended, &beyond);
        mended.vertices = made->mended.vertices;
        mended.triangle_count = made->mended.triangle_count;
        status = status == SN_OK ? sni_solid_check(context, &mended, &beyond) : status;
        if (status == SN_OK) {
            *solid = mended;
        }
    }
    if (status != SN_OK && error != NULL && error->status == SN_OK) {
        *error = status == SN_INVALID ? reason : beyond;
    }
    return status;
}

// `made` is freed by the caller, also after a failure.
static sn_status place_part(sn_context *context, const sn_extract_part *part, placed *made,
                            sni_solid *solid, sn_error *error) {
    sn_mat4 identity = sn_mat4_identity();
    const sn_mat4 *place = part->place != NULL ? part->place : &identity;
    sn_status status = SN_OK;
    *solid = (sni_solid){.name = part->name, .value = part->density * SNI_DENSITY_VALUE};
    if (part->ellipsoid != NULL) {
        solid->ellipsoid = sn_mat4_multiply(place, part->ellipsoid);
        return SN_OK;
    }
    const sn_mesh *mesh = part->mesh;
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &made->triangles, error));
    SNI_NEW(context, made->positions, 3 * (size_t)mesh->vertex_count);
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(mesh->positions + 3 * i);
        sn_vec3_store(part->place != NULL ? sn_mat4_point(place, p) : p, made->positions + 3 * i);
    }
    solid->positions = made->positions;
    solid->vertex_count = mesh->vertex_count;
    solid->vertices = made->triangles->vertices;
    solid->triangle_count = made->triangles->count;
    SN_TRY(mend_part(context, made, solid, error));
cleanup:
    return status;
}

sn_status sn_extract_check(sn_context *context, const sn_extract_part *part, sn_error *error) {
    placed made = {0};
    sni_solid solid;
    sn_status status = place_part(context, part, &made, &solid, error);
    if (status == SN_OK) {
        status = sni_solid_check(context, &solid, error);
    }
    free_placed(context, &made);
    return status;
}

static sn_status check_desc(const sn_extract_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID,
                        "the description was not made by sn_extract_desc_default");
    }
    if (!(desc->threshold > 0 && desc->threshold < SNI_DENSITY_VALUE)) {
        return sni_fail(error, SN_INVALID,
                        "the threshold is %g, but must be above 0 and below %g, the density within "
                        "the body",
                        desc->threshold, SNI_DENSITY_VALUE);
    }
    if (!(desc->filter >= 0 && desc->filter <= 100)) {
        return sni_fail(error, SN_INVALID, "the filter is %g, but must be from 0 to 100 nodes",
                        desc->filter);
    }
    if (!(desc->detail >= 0 && desc->detail <= 100)) {
        return sni_fail(error, SN_INVALID, "the detail is %g, but must be from 0 to 100 nodes",
                        desc->detail);
    }
    if (!(desc->holes >= 0 && isfinite(desc->holes))) {
        return sni_fail(error, SN_INVALID, "the width of holes is %g, but may not be negative",
                        desc->holes);
    }
    return SN_OK;
}

// What is made on the way from parts to a surface.
typedef struct steps {
    sn_context *context;
    const sn_extract_desc *desc;
    const sn_progress *progress;
    placed *placed;    // part_count
    sni_solid *solids; // part_count
    sni_grid grid;
    sni_bricks *density, *filtered;
    uint32_t hole_count; // that were closed
    sni_isosurface *surface;
} steps;

static void free_steps(steps *s) {
    for (uint32_t i = 0; s->placed != NULL && i < s->desc->part_count; ++i) {
        free_placed(s->context, &s->placed[i]);
    }
    sni_free(s->context, s->placed);
    sni_free(s->context, s->solids);
    sni_bricks_destroy(s->density);
    sni_bricks_destroy(s->filtered);
    sni_isosurface_destroy(s->surface);
}

static double volume_of(const sni_solid *solid) {
    if (solid->positions == NULL) {
        return 4.0 / 3 * SN_PI * fabs(sn_mat4_determinant(&solid->ellipsoid));
    }
    double sum = 0;
    for (size_t t = 0; t < solid->triangle_count; ++t) {
        const uint32_t *corners = solid->vertices + 3 * t;
        sn_vec3 a = sn_vec3_load(solid->positions + 3 * (size_t)corners[0]);
        sn_vec3 b = sn_vec3_load(solid->positions + 3 * (size_t)corners[1]);
        sn_vec3 c = sn_vec3_load(solid->positions + 3 * (size_t)corners[2]);
        sum += sn_vec3_dot(a, sn_vec3_cross(b, c));
    }
    return fabs(sum) / 6;
}

// The area of the skin is at least that of a ball with the volume of the largest part.
static double least_area(const steps *s) {
    double volume = 0;
    for (uint32_t i = 0; i < s->desc->part_count; ++i) {
        volume = s->solids[i].value > 0 ? fmax(volume, volume_of(&s->solids[i])) : volume;
    }
    return cbrt(36 * SN_PI * volume * volume);
}

static void describe_grid(const steps *s, char *text, size_t size) {
    const uint32_t *nodes = s->grid.dimensions;
    snprintf(text, size, "a grid of %u x %u x %u nodes", nodes[0], nodes[1], nodes[2]);
}

// What is needed at least, before any of it is asked for: the tables of bricks of the density and
// of the filtered density, their bricks along the skin, of which none has more of it than a
// diagonal section, and a point and two triangles for each square of it.
static sn_status check_grid_room(const steps *s, sn_error *error) {
    const double section = SNI_BRICK * SNI_BRICK * sqrt(3);
    const double brick_bytes = SNI_BRICK_NODES * sizeof(float);
    double bricks = 1, squares = least_area(s) / (s->grid.spacing * s->grid.spacing);
    for (int axis = 0; axis < 3; ++axis) {
        bricks *= (s->grid.dimensions[axis] - 1) / SNI_BRICK + 1;
    }
    double bytes = 2 * bricks * (sizeof(float) + sizeof(float *)) +
                   2 * squares / section * brick_bytes +
                   squares * (sizeof(sn_vec3) + 6 * sizeof(uint32_t));
    char what[96];
    describe_grid(s, what, sizeof what);
    return sni_check_room(s->context, bytes, what, error);
}

static void replace_filtered(steps *s, sni_bricks *by) {
    sni_bricks_destroy(s->filtered);
    s->filtered = by;
}

// Joins the density with that of what it leaves outside, smoothed less.
static sn_status add_detail(steps *s, sn_error *error) {
    const sn_extract_desc *desc = s->desc;
    sni_bricks *thin = NULL, *fine = NULL, *joined = NULL;
    sn_status status = SN_OK;
    SN_TRY(sni_density_thin(s->density, s->filtered, desc->threshold, desc->detail, s->solids,
                            desc->part_count, &thin, error));
    SN_TRY(sni_density_filter(thin, desc->detail, s->progress, &fine, error));
    SN_TRY(sni_density_join(s->filtered, fine, &joined, error));
    replace_filtered(s, joined);
cleanup:
    sni_bricks_destroy(thin);
    sni_bricks_destroy(fine);
    return status;
}

// What closes one hole swells when it is smoothed and may touch something else: again, until there
// is none left.
static sn_status close_holes(steps *s, sn_error *error) {
    const sn_extract_desc *desc = s->desc;
    uint32_t width = (uint32_t)ceil(fmin(desc->holes / s->grid.spacing, most_width));
    sn_status status = SN_OK;
    for (int turn = 0; turn < CLOSING_TURNS && status == SN_OK; ++turn) {
        sni_bricks *closed = NULL;
        uint32_t holes = 0;
        status = sni_density_close(s->filtered, desc->threshold, closed_level * desc->threshold,
                                   width, desc->filter, s->progress, &closed, &holes, error);
        s->hole_count += holes;
        if (closed == NULL) {
            break;
        }
        replace_filtered(s, closed);
    }
    return status;
}

static sn_status make_density(steps *s, sn_error *error) {
    const sn_extract_desc *desc = s->desc;
    uint32_t margin = sni_density_radius(fmax(desc->filter, desc->detail)) + 3;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(s->context, s->placed, desc->part_count);
    SNI_NEW(s->context, s->solids, desc->part_count);
    for (uint32_t i = 0; i < desc->part_count; ++i) {
        status = place_part(s->context, &desc->parts[i], &s->placed[i], &s->solids[i], error);
        if (status != SN_OK && desc->parts[i].name != NULL) {
            sni_error_place(error, 0, "%s", desc->parts[i].name);
        }
        SN_TRY(status);
    }
    SN_TRY(
        sni_density_layout(s->solids, desc->part_count, desc->dimension, margin, &s->grid, error));
    SN_TRY(check_grid_room(s, error));
    SN_TRY(sni_density_voxelize(s->context, s->solids, desc->part_count, &s->grid, s->progress,
                                &s->density, error));
    SN_TRY(sni_density_filter(s->density, desc->filter, s->progress, &s->filtered, error));
    if (desc->detail > 0) {
        SN_TRY(add_detail(s, error));
    }
    if (desc->holes > 0) {
        SN_TRY(close_holes(s, error));
    }
cleanup:
    return status;
}

// Whether the smoothed density reaches the threshold anywhere, and how far it comes.
static bool reaches(const sni_field *field, double threshold, double *most) {
    uint32_t counts[3];
    for (int k = 0; k < 3; ++k) {
        counts[k] = (field->grid.dimensions[k] + 7) / 8;
    }
    *most = 0;
    for (uint32_t i = 0; i < counts[0] * counts[1] * counts[2]; ++i) {
        const uint32_t brick[3] = {i % counts[0], i / counts[0] % counts[1],
                                   i / counts[0] / counts[1]};
        double low, high;
        if (field->range == NULL || !field->range(field->user, brick, &low, &high)) {
            return true;
        }
        *most = fmax(*most, high);
    }
    return *most > threshold;
}

static sn_status make_surface(steps *s, sn_error *error) {
    sni_field field = sni_field_from_bricks(s->filtered);
    sni_isosurface_desc desc = sni_isosurface_desc_default();
    double most;
    if (!reaches(&field, s->desc->threshold, &most)) {
        return sni_fail(error, SN_INVALID,
                        "the skin is empty: the smoothed density is %.3g at most, but the "
                        "threshold is %g; the parts are too thin for this grid",
                        most, s->desc->threshold);
    }
    desc.level = s->desc->threshold;
    desc.keep_largest = true;
    desc.relax = s->desc->relax;
    // Without a filter steps are as sharp as the grid.
    desc.lattice = s->desc->filter >= 1 ? SNI_LATTICE_CENTRED : SNI_LATTICE_CUBIC;
    return sni_isosurface_create(s->context, &field, &desc, s->progress, &s->surface, error);
}

static sn_status make_mesh(const steps *s, sn_mesh **mesh, sn_error *error) {
    const sni_isosurface *surface = s->surface;
    size_t corner_count = 3 * (size_t)surface->triangle_count;
    sn_status status = SN_OK;
    SN_TRY(sn_mesh_create(s->context, s->desc->name, surface->vertex_count, surface->triangle_count,
                          (uint32_t)corner_count, mesh, error));
    for (size_t i = 0; i < surface->vertex_count; ++i) {
        sn_vec3_store(surface->points[i], (*mesh)->positions + 3 * i);
    }
    memcpy((*mesh)->corners, surface->vertices, corner_count * sizeof *surface->vertices);
    for (uint32_t f = 0; f <= surface->triangle_count; ++f) {
        (*mesh)->face_offsets[f] = 3 * f;
    }
cleanup:
    return status;
}

// Whether the smoothed density is above the threshold at the node nearest to a point.
static bool is_point_covered(const steps *s, const sni_field *field, sn_vec3 p) {
    p = sn_vec3_scale(sn_vec3_sub(p, s->grid.origin), 1 / s->grid.spacing);
    const int32_t node[3] = {(int32_t)lround(p.x), (int32_t)lround(p.y), (int32_t)lround(p.z)};
    const int32_t size[3] = {1, 1, 1};
    double value;
    field->read(field->user, node, size, &value);
    return value > s->desc->threshold;
}

// Whether that is so in the middle of a part's triangle, or at an ellipsoid's centre. Corners are
// too sharp to tell: that of a cube has an eighth of the density.
static bool is_covered(const steps *s, const sni_field *field, const sni_solid *solid) {
    if (solid->positions == NULL) {
        return is_point_covered(s, field, sn_mat4_point(&solid->ellipsoid, sn_vec3_make(0, 0, 0)));
    }
    for (size_t t = 0; t < solid->triangle_count; ++t) {
        sn_vec3 middle = {0, 0, 0};
        for (size_t k = 0; k < 3; ++k) {
            const float *corner = solid->positions + 3 * (size_t)solid->vertices[3 * t + k];
            middle = sn_vec3_add_scaled(middle, 1.0 / 3, sn_vec3_load(corner));
        }
        if (is_point_covered(s, field, middle)) {
            return true;
        }
    }
    return false;
}

static void fill_report(const steps *s, sn_extract_report *report) {
    const sni_isosurface *surface = s->surface;
    *report = (sn_extract_report){.part_count = s->desc->part_count,
                                  .spacing = s->grid.spacing,
                                  .piece_count = surface->piece_count,
                                  .thin_part = SN_NONE,
                                  .mended_part = SN_NONE,
                                  .kept_volume = surface->piece_volumes[0]};
    memcpy(report->nodes, s->grid.dimensions, sizeof report->nodes);
    // Of a closed surface of triangles: vertices - triangles / 2 = 2 - 2 handles.
    report->hole_count = s->hole_count;
    report->handle_count = (2 + surface->triangle_count / 2 - surface->vertex_count) / 2;
    for (uint32_t i = 0; i < surface->piece_count; ++i) {
        report->volume += fmax(surface->piece_volumes[i], 0);
    }
    sni_field field = sni_field_from_bricks(s->filtered);
    for (uint32_t i = 0; i < s->desc->part_count; ++i) {
        bool thin = s->solids[i].value > 0 && !is_covered(s, &field, &s->solids[i]);
        report->thin_part = thin && report->thin_count == 0 ? i : report->thin_part;
        report->thin_count += thin;
        bool mended = s->placed[i].mended.vertices != NULL;
        report->mended_part = mended && report->mended_count == 0 ? i : report->mended_part;
        report->mended_count += mended;
    }
}

sn_status sn_extract_skin(sn_context *context, const sn_extract_desc *desc,
                          const sn_progress *progress, sn_mesh **skin, sn_extract_report *report,
                          sn_error *error) {
    steps s = {.context = context, .desc = desc, .progress = progress};
    sn_status status = SN_OK;
    *skin = NULL;
    SN_TRY(check_desc(desc, error));
    SN_TRY(make_density(&s, error));
    SN_TRY(make_surface(&s, error));
    SN_TRY(make_mesh(&s, skin, error));
    if (report != NULL) {
        fill_report(&s, report);
    }
cleanup:
    if (status == SN_OUT_OF_MEMORY && s.grid.spacing > 0) {
        char what[96];
        describe_grid(&s, what, sizeof what);
        sni_fail(error, status, "%s takes more memory than there is; fewer nodes take less", what);
    }
    free_steps(&s);
    return status;
}
