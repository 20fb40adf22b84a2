// SPDX-License-Identifier: Apache-2.0
//
// Rows wrap/bind, wrap/deform and wrap/deform_8: a sheet of n points moved by a sheet of some 1000
// quads, beside Blender's Surface Deform modifier on the same meshes. wrap/deform is at the
// standard settings, wrap/deform_8 cut to eight elements.
#include "bench/bench.h"

#include "base/memory.h"
#include "sinew/skin.h"

#include <math.h>
#include <string.h>

enum { DRIVER_SIDE = 32 }; // quads along each side

static const uint32_t sizes[] = {20000, 100000, 500000};
enum { SIZE_COUNT = sizeof sizes / sizeof sizes[0] };

typedef struct scene {
    sn_mesh *points, *driver;
    float *posed, *out;
    sn_wrap_desc desc;
    sn_wrap *wrap;
    sn_status status;
    sn_error *error;
} scene;

// The surface that both sheets lie on; the script for Blender has the same.
static void place(double x, double y, double lift, float *position) {
    sn_vec3_store(sn_vec3_make(x, y, 0.05 * sin(7 * x) * cos(5 * y) + lift), position);
}

static sn_status make_points(sn_context *context, uint32_t size, sn_mesh **mesh, sn_error *error) {
    sn_status status = sn_mesh_create(context, "sheet", size, 0, 0, mesh, error);
    uint32_t side = (uint32_t)ceil(sqrt(size));
    for (uint32_t i = 0; status == SN_OK && i < size; ++i) {
        place((double)(i / side) / side, (double)(i % side) / side, 0.002,
              (*mesh)->positions + 3 * (size_t)i);
    }
    return status;
}

static sn_status make_driver(sn_context *context, sn_mesh **mesh, sn_error *error) {
    const uint32_t side = DRIVER_SIDE, row = side + 1;
    sn_status status =
        sn_mesh_create(context, "cage", row * row, side * side, 4 * side * side, mesh, error);
    for (uint32_t i = 0; status == SN_OK && i < row * row; ++i) {
        place((double)(i / row) / side, (double)(i % row) / side, 0,
              (*mesh)->positions + 3 * (size_t)i);
    }
    for (uint32_t f = 0; status == SN_OK && f < side * side; ++f) {
        uint32_t a = f / side * row + f % side;
        const uint32_t corners[4] = {a, a + row, a + row + 1, a + 1};
        (*mesh)->face_offsets[f] = 4 * f;
        memcpy((*mesh)->corners + 4 * (size_t)f, corners, sizeof corners);
    }
    return status;
}

static void free_scene(scene *s) {
    sn_wrap_destroy(s->wrap);
    sn_mesh_destroy(s->points);
    sn_mesh_destroy(s->driver);
}

static void bind_scene(void *user) {
    scene *s = user;
    sn_wrap_destroy(s->wrap);
    s->wrap = NULL;
    s->status = sn_wrap_bind(s->points, s->driver, &s->desc, NULL, &s->wrap, s->error);
}

static void deform_scene(void *user) {
    scene *s = user;
    s->status = sn_wrap_deform(s->wrap, s->posed, NULL, s->points->positions, s->out, s->error);
}

// A row, and what was bound on the way.
static sn_status add_row(snb_report *report, const char *name, scene *s, double ms,
                         const snb_reference *blender, const char *key, double target,
                         sn_error *error) {
    char reference[2 * SNB_TEXT];
    uint32_t size = s->points->vertex_count;
    double blender_ms = snb_reference_ms(blender, key, size);
    snprintf(reference, sizeof reference, "%s Surface Deform", blender->name);
    if (!snb_add(report, name, size, ms, blender_ms > 0 ? reference : NULL, blender_ms, target)) {
        return sni_fail_memory(error);
    }
    return SN_OK;
}

static void tell_elements(const snb_report *report, const scene *s) {
    sn_wrap_summary summary;
    sn_wrap_summarize(s->wrap, &summary);
    if (report->progress != NULL) {
        fprintf(report->progress,
                "bench: wrap of %u points: %.1f elements on average, %u at most, %.1f MB\n",
                s->points->vertex_count, summary.mean_elements, summary.most_elements,
                (double)summary.bytes * 1e-6);
    }
}

static sn_status run_size(snb_report *report, uint32_t size, const snb_reference *blender,
                          sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = report->context;
    scene s = {.desc = sn_wrap_desc_default(), .error = error};
    SN_TRY(make_points(context, size, &s.points, error));
    SN_TRY(make_driver(context, &s.driver, error));
    SNI_NEW(context, s.posed, 3 * (size_t)s.driver->vertex_count);
    SNI_NEW(context, s.out, 3 * (size_t)size);
    for (uint32_t i = 0; i < s.driver->vertex_count; ++i) {
        const float *rest = s.driver->positions + 3 * (size_t)i;
        place(rest[0], rest[1], 0.2 * sin(3.0 * rest[0]), s.posed + 3 * (size_t)i);
    }
    double ms = snb_time(bind_scene, &s);
    SN_TRY(s.status);
    tell_elements(report, &s);
    SN_TRY(add_row(report, "wrap/bind", &s, ms, blender, "bind", 5, error));
    ms = snb_time(deform_scene, &s);
    SN_TRY(s.status);
    SN_TRY(add_row(report, "wrap/deform", &s, ms, blender, "deform", 5, error));
    s.desc.elements = 8;
    bind_scene(&s);
    SN_TRY(s.status);
    tell_elements(report, &s);
    ms = snb_time(deform_scene, &s);
    SN_TRY(s.status);
    SN_TRY(add_row(report, "wrap/deform_8", &s, ms, blender, "deform", 15, error));
cleanup:
    sni_free(context, s.posed);
    sni_free(context, s.out);
    free_scene(&s);
    return status;
}

sn_status snb_wrap(snb_report *report, sn_error *error) {
    sn_status status = SN_OK;
    snb_reference blender;
    snb_ask_blender(report, "blender_surface_deform.py", "20000 100000 500000", &blender);
    for (int i = 0; i < SIZE_COUNT && status == SN_OK; ++i) {
        status = run_size(report, sizes[i], &blender, error);
    }
    return status;
}
