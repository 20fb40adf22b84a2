// SPDX-License-Identifier: Apache-2.0
//
// Rows blend/linear and blend/dual_quaternion: a sheet of n vertices with four influences each
// along a chain of bones that bends and twists, beside the time that the memory needs to move the
// bytes that must be moved, and beside Blender's Armature modifier on the same sheet.
#include "bench/bench.h"

#include "skin/skin.h"

#include <math.h>
#include <string.h>

enum { INFLUENCES = 4, BONES = 100 };

static const uint32_t sizes[] = {20000, 100000, 500000, 1000000};
enum { SIZE_COUNT = sizeof sizes / sizeof sizes[0] };

// Read and written for each vertex: point in, point out, weights, bone indices of 16 bits.
static const double bytes_per_vertex = 12 + 12 + INFLUENCES * (4 + 2);

typedef struct sheet {
    sn_context *context;
    sn_mesh *mesh;
    sn_segment segments[BONES];
    sn_skeleton skeleton;
    sn_mat4 rest[BONES], worlds[BONES];
    uint32_t bone_segments[BONES];
    float *out;
    sni_arena arena;
    const sni_deformer_ops *ops;
    void *bound;
} sheet;

// A chain along x from 0 to 1; every joint turns a little about all axes.
static void pose_chain(sheet *s) {
    const sn_transform turn = {{1.0 / BONES, 0, 0},
                               sn_quat_from_euler(sn_vec3_make(0.03, 0.02, 0.01), SN_ROTATION_XYZ),
                               {1, 1, 1}};
    sn_mat4 step = sn_mat4_from_transform(&turn), world = sn_mat4_identity();
    for (uint32_t i = 0; i < BONES; ++i) {
        s->bone_segments[i] = i;
        s->segments[i] = (sn_segment){.name = "bone", .parent = i > 0 ? i - 1 : SN_NONE};
        s->rest[i] = sn_mat4_identity();
        s->rest[i].m[12] = (double)i / BONES;
        s->worlds[i] = world;
        world = sn_mat4_multiply(&world, &step);
    }
    s->skeleton = (sn_skeleton){.segment_count = BONES, .segments = s->segments};
}

// Vertex i of a sheet `side` wide, and its four bones around its place in the chain. The script
// for Blender does the same.
static void fill_vertex(sn_mesh *mesh, uint32_t i, uint32_t side) {
    double x = (double)(i / side) / side, y = (double)(i % side) / side;
    sn_vec3_store(sn_vec3_make(x, y * 0.2, 0.01 * sin(40 * y)), mesh->positions + 3 * (size_t)i);
    double along = x * (BONES - INFLUENCES);
    uint32_t first = (uint32_t)along;
    double part = along - first;
    const double weights[INFLUENCES] = {(1 - part) / 3, 1.0 / 3, 1.0 / 3, part / 3};
    mesh->weights->offsets[i] = i * INFLUENCES;
    for (uint32_t k = 0; k < INFLUENCES; ++k) {
        mesh->weights->bones[i * INFLUENCES + k] = first + k < BONES ? first + k : BONES - 1;
        mesh->weights->values[i * INFLUENCES + k] = (float)fmax(weights[k], 1e-3);
    }
}

static sn_status make_sheet(sn_context *context, uint32_t size, sheet *s, sn_error *error) {
    sn_status status = SN_OK;
    *s = (sheet){.context = context, .ops = &sni_deformer_blend};
    sni_arena_init(&s->arena, context);
    SN_TRY(sn_mesh_create(context, "sheet", size, 0, 0, &s->mesh, error));
    SN_TRY(sn_mesh_set_weights(s->mesh, BONES, size * INFLUENCES, false, error));
    SNI_NEW_ZERO(context, s->out, 3 * (size_t)size);
    uint32_t side = (uint32_t)ceil(sqrt(size));
    for (uint32_t i = 0; i < size; ++i) {
        fill_vertex(s->mesh, i, side);
    }
    pose_chain(s);
cleanup:
    return status;
}

static sn_status bind_sheet(sheet *s, const char *method, sn_error *error) {
    double parameters[1] = {strcmp(method, "dual_quaternion") == 0};
    const sni_weights_input weights = {s->bone_segments};
    sni_bind_job job = {.context = s->context,
                        .mesh = s->mesh,
                        .parameters = parameters,
                        .skeleton = &s->skeleton,
                        .rest_worlds = s->rest,
                        .inputs = {&weights}};
    return s->ops->bind(&job, &s->bound, error);
}

static void deform_sheet(void *user) {
    sheet *s = user;
    sni_deform_job job = {.context = s->context,
                          .arena = &s->arena,
                          .vertex_count = s->mesh->vertex_count,
                          .points_in = s->mesh->positions,
                          .points_out = s->out,
                          .segment_count = BONES,
                          .worlds = s->worlds};
    s->ops->deform(s->bound, &job, NULL);
}

static void free_sheet(sheet *s) {
    sni_arena_deinit(&s->arena);
    sn_mesh_destroy(s->mesh);
    sni_free(s->context, s->out);
}

static sn_status run_method(snb_report *report, sheet *s, const char *method,
                            const snb_reference *blender, sn_error *error) {
    sn_status status = bind_sheet(s, method, error);
    if (status != SN_OK) {
        return status;
    }
    uint32_t size = s->mesh->vertex_count;
    double ms = snb_time(deform_sheet, s);
    s->ops->unbind(s->context, s->bound);
    char name[SNB_TEXT], armature[2 * SNB_TEXT];
    snprintf(name, sizeof name, "blend/%s", method);
    snprintf(armature, sizeof armature, "%s Armature", blender->name);
    double bandwidth = snb_bandwidth(report);
    double bound_ms = bandwidth > 0 ? size * bytes_per_vertex / bandwidth * 1e3 : 0;
    double blender_ms = snb_reference_ms(blender, method, size);
    if (!snb_add(report, name, size, ms, "memory bandwidth", bound_ms, 0.5) ||
        !snb_add(report, name, size, ms, blender_ms > 0 ? armature : NULL, blender_ms, 10)) {
        return sni_fail_memory(error);
    }
    return SN_OK;
}

sn_status snb_blend(snb_report *report, sn_error *error) {
    static const char *const methods[] = {"linear", "dual_quaternion"};
    sn_status status = SN_OK;
    snb_reference blender;
    snb_ask_blender(report, "blender_armature.py", "20000 100000 500000 1000000", &blender);
    for (int method = 0; method < 2; ++method) {
        for (int i = 0; i < SIZE_COUNT && status == SN_OK; ++i) {
            sheet s;
            status = make_sheet(report->context, sizes[i], &s, error);
            if (status == SN_OK) {
                status = run_method(report, &s, methods[method], &blender, error);
            }
            free_sheet(&s);
        }
    }
    return status;
}
