// SPDX-License-Identifier: Apache-2.0
#include "skin/wrap/patch.h"

#include "base/error.h"
#include "geometry/nurbs.h"
#include "skin/wrap/matrix.h"

enum { PATCH_GRAIN = 256, SAMPLES_MOST = 64 };

// |S_u x S_v| below this share of |S_u| |S_v|: the surface has no plane there.
static const double patch_flat = 1e-6;

// ---------------------------------------------------------------------------------------------
// Frames

static void evaluate(const sni_wrap_patch *p, uint32_t element, const float *points,
                     sn_vec3 jet[3]) {
    const uint32_t *indices = p->indices + (size_t)element * p->width;
    const double *values = p->values + 3 * (size_t)element * p->width;
    jet[0] = jet[1] = jet[2] = sn_vec3_make(0, 0, 0);
    for (uint32_t i = 0; i < p->width; ++i) {
        sn_vec3 point = sn_vec3_load(points + 3 * (size_t)indices[i]);
        for (int k = 0; k < 3; ++k) {
            jet[k] = sn_vec3_add_scaled(jet[k], values[3 * (size_t)i + k], point);
        }
    }
}

// The axes of equation 2 and the area they span. Without a plane, the normal is `otherwise`.
static double axes_of(const sn_vec3 jet[3], sn_vec3 otherwise, double axes[9]) {
    sn_vec3 cross = sn_vec3_cross(jet[1], jet[2]);
    double area = sn_vec3_length(cross);
    bool is_flat = !(area > patch_flat * sn_vec3_length(jet[1]) * sn_vec3_length(jet[2]));
    sni_matrix_columns(axes, jet[1], jet[2], is_flat ? otherwise : sn_vec3_scale(cross, 1 / area));
    return is_flat ? 0 : area;
}

typedef struct patch_run {
    const sni_wrap_patch *patch;
    const float *points;
    double factor;
    float *matrices;
} patch_run;

static void run_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const patch_run *run = user;
    for (uint32_t i = begin; i < end; ++i) {
        const sni_patch_frame *frame = &run->patch->frames[i];
        sn_vec3 jet[3], normal = sni_matrix_column(frame->axes, 2);
        double axes[9], d[9] = {0};
        evaluate(run->patch, i, run->points, jet);
        double area = axes_of(jet, normal, axes);
        // An element without a plane at rest only travels.
        if (frame->area > 0) {
            double scale = run->patch->scales ? sqrt(area / frame->area) : 1;
            for (int k = 0; k < 9; ++k) {
                axes[k] = (k < 6 ? axes[k] : scale * axes[k]) - frame->axes[k];
            }
            sni_matrix_multiply(axes, frame->inverse, d);
        }
        sni_matrix_store_map(d, frame->origin, jet[0], run->factor,
                             run->matrices + (size_t)i * SNI_BLEND_MATRIX);
    }
}

void sni_wrap_patch_run(sn_context *context, const sni_wrap_patch *patch, const float *points,
                        double factor, float *matrices) {
    patch_run run = {patch, points, factor, matrices};
    sn_parallel_for(context, patch->count, PATCH_GRAIN, run_block, &run);
}

// ---------------------------------------------------------------------------------------------
// Making

typedef struct making {
    sn_context *context;
    sni_nurbs nurbs;
    double *knots[2], *points;
    uint32_t steps[2]; // samples along each direction, less one where it is open
    uint32_t samples;  // along a span
} making;

static sn_status check_desc(const sn_wrap_patch *desc, const sn_mesh *driver, sn_error *error) {
    for (int i = 0; i < 2; ++i) {
        if (desc->degrees[i] < 1 || desc->degrees[i] > SNI_NURBS_DEGREE) {
            return sni_fail(error, SN_INVALID,
                            "wrap: a patch of degree %u, but 1 to %d is possible", desc->degrees[i],
                            SNI_NURBS_DEGREE);
        }
    }
    if ((uint64_t)desc->counts[0] * desc->counts[1] != driver->vertex_count) {
        return sni_fail(error, SN_INVALID,
                        "wrap: a patch of %u x %u control points, but \"%s\" has %u vertices",
                        desc->counts[0], desc->counts[1], driver->name, driver->vertex_count);
    }
    if (desc->samples < 1 || desc->samples > SAMPLES_MOST) {
        return sni_fail(error, SN_INVALID, "wrap: %u samples to a span, but 1 to %d are possible",
                        desc->samples, SAMPLES_MOST);
    }
    return SN_OK;
}

static sn_status make_nurbs(making *m, const sn_wrap_patch *desc, const sn_mesh *driver,
                            sn_error *error) {
    sn_status status = SN_OK;
    m->samples = desc->samples;
    SNI_NEW(m->context, m->points, 3 * (size_t)driver->vertex_count);
    for (size_t i = 0; i < 3 * (size_t)driver->vertex_count; ++i) {
        m->points[i] = driver->positions[i];
    }
    m->nurbs.points = m->points;
    for (int i = 0; i < 2; ++i) {
        uint32_t degree = desc->degrees[i], count = desc->counts[i];
        m->nurbs.degrees[i] = degree;
        m->nurbs.counts[i] = count;
        m->nurbs.closed[i] = desc->closed[i];
        if (count <= (desc->closed[i] ? 2 : degree) || (desc->closed[i] && count < degree)) {
            status = sni_fail(error, SN_INVALID,
                              "wrap: %u control points are too few for degree %u", count, degree);
            goto cleanup;
        }
        SNI_NEW(m->context, m->knots[i], sni_nurbs_knot_count(degree, count, desc->closed[i]));
        sni_nurbs_uniform_knots(degree, count, desc->closed[i], m->knots[i]);
        m->nurbs.knots[i] = m->knots[i];
        m->steps[i] = (desc->closed[i] ? count : count - degree) * desc->samples;
    }
    SN_TRY(sni_nurbs_validate(&m->nurbs, error));
cleanup:
    return status;
}

// A parameter of a sample, or between samples.
static double parameter(const making *m, int direction, double sample) {
    double low, high;
    sni_nurbs_domain(&m->nurbs, direction, &low, &high);
    return low + (high - low) * sample / m->steps[direction];
}

// The number of sample (i, j); closed directions come back to their beginning.
static uint32_t sample_of(const making *m, uint32_t i, uint32_t j) {
    uint32_t columns = m->steps[1] + !m->nurbs.closed[1];
    return (m->nurbs.closed[0] ? i % m->steps[0] : i) * columns +
           (m->nurbs.closed[1] ? j % m->steps[1] : j);
}

static sn_status make_samples(const making *m, const char *name, sn_mesh **mesh, sn_error *error) {
    uint32_t rows = m->steps[0] + !m->nurbs.closed[0], columns = m->steps[1] + !m->nurbs.closed[1];
    uint32_t cells = m->steps[0] * m->steps[1];
    sn_status status =
        sn_mesh_create(m->context, name, rows * columns, 2 * cells, 6 * cells, mesh, error);
    for (uint32_t i = 0; status == SN_OK && i < rows * columns; ++i) {
        sn_vec3 point =
            sni_nurbs_point(&m->nurbs, parameter(m, 0, i / columns), parameter(m, 1, i % columns));
        sn_vec3_store(point, (*mesh)->positions + 3 * (size_t)i);
    }
    for (uint32_t c = 0; status == SN_OK && c < cells; ++c) {
        uint32_t i = c / m->steps[1], j = c % m->steps[1];
        uint32_t a = sample_of(m, i, j), b = sample_of(m, i + 1, j);
        uint32_t d = sample_of(m, i + 1, j + 1), e = sample_of(m, i, j + 1);
        memcpy((*mesh)->corners + 6 * (size_t)c, (uint32_t[]){a, b, d, a, d, e},
               6 * sizeof(uint32_t));
        (*mesh)->face_offsets[2 * c] = 6 * c;
        (*mesh)->face_offsets[2 * c + 1] = 6 * c + 3;
    }
    return status;
}

// What the control points around (u, v) add to S, S_u and S_v.
static void store_basis(const making *m, sni_wrap_patch *p, uint32_t element, double u, double v) {
    sni_nurbs_basis bu, bv;
    sni_nurbs_basis_at(&m->nurbs, 0, u, 1, &bu);
    sni_nurbs_basis_at(&m->nurbs, 1, v, 1, &bv);
    uint32_t columns = m->nurbs.degrees[1] + 1;
    for (uint32_t i = 0; i < p->width; ++i) {
        uint32_t a = i / columns, b = i % columns;
        double *values = p->values + 3 * ((size_t)element * p->width + i);
        p->indices[(size_t)element * p->width + i] = sni_nurbs_index(&m->nurbs, &bu, a, &bv, b);
        values[0] = bu.values[0][a] * bv.values[0][b];
        values[1] = bu.values[1][a] * bv.values[0][b];
        values[2] = bu.values[0][a] * bv.values[1][b];
    }
}

// The frame of a triangle stands at the middle of its parameters.
static void make_frame(const making *m, sni_wrap_patch *p, const float *points, uint32_t element) {
    sni_patch_frame *frame = &p->frames[element];
    uint32_t cell = element / 2, i = cell / m->steps[1], j = cell % m->steps[1];
    double along = element % 2 == 0 ? 2.0 / 3 : 1.0 / 3;
    sn_vec3 jet[3];
    store_basis(m, p, element, parameter(m, 0, i + along), parameter(m, 1, j + 1 - along));
    evaluate(p, element, points, jet);
    frame->origin = jet[0];
    frame->area = axes_of(jet, sn_vec3_make(0, 0, 1), frame->axes);
    if (frame->area > 0) {
        sni_matrix_invert(frame->axes, frame->inverse);
    }
}

static double mean_span(const making *m, const sn_mesh *samples) {
    double sum = 0;
    for (uint32_t i = 0; i < samples->corner_count; ++i) {
        uint32_t next = i % 3 == 2 ? i - 2 : i + 1;
        sum +=
            sn_vec3_distance(sn_vec3_load(samples->positions + 3 * (size_t)samples->corners[i]),
                             sn_vec3_load(samples->positions + 3 * (size_t)samples->corners[next]));
    }
    return sum > 0 ? sum / samples->corner_count * m->samples : 1;
}

sn_status sni_wrap_patch_init(sn_context *context, const sn_wrap_patch *desc, const sn_mesh *driver,
                              bool scales, sni_wrap_patch *patch, sn_error *error) {
    sn_status status = SN_OK;
    making m = {.context = context};
    *patch = (sni_wrap_patch){.scales = scales};
    SN_TRY(check_desc(desc, driver, error));
    SN_TRY(make_nurbs(&m, desc, driver, error));
    SN_TRY(make_samples(&m, driver->name, &patch->samples, error));
    patch->count = patch->samples->face_count;
    patch->width = (desc->degrees[0] + 1) * (desc->degrees[1] + 1);
    patch->span = mean_span(&m, patch->samples);
    SNI_NEW(context, patch->indices, (size_t)patch->count * patch->width);
    SNI_NEW(context, patch->values, 3 * (size_t)patch->count * patch->width);
    SNI_NEW(context, patch->frames, patch->count);
    for (uint32_t i = 0; i < patch->count; ++i) {
        make_frame(&m, patch, driver->positions, i);
    }
cleanup:
    sni_free(context, m.points);
    sni_free(context, m.knots[0]);
    sni_free(context, m.knots[1]);
    if (status != SN_OK) {
        sni_wrap_patch_deinit(context, patch);
    }
    return status;
}

void sni_wrap_patch_deinit(sn_context *context, sni_wrap_patch *patch) {
    sni_free(context, patch->indices);
    sni_free(context, patch->values);
    sni_free(context, patch->frames);
    sn_mesh_destroy(patch->samples);
    *patch = (sni_wrap_patch){0};
}

size_t sni_wrap_patch_bytes(const sni_wrap_patch *patch) {
    return patch->count *
           ((size_t)patch->width * (sizeof(uint32_t) + 3 * sizeof(double)) + sizeof *patch->frames);
}
