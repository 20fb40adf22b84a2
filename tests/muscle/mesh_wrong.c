// SPDX-License-Identifier: Apache-2.0
//
// Muscles of kind `mesh` from what makes no sense, and without memory.
#include "test.h"

#include "strips.h"

static const sni_muscle_ops *const ops = &sni_muscle_mesh;

typedef struct log_lines {
    uint32_t count;
    char last[512];
} log_lines;

static void take_line(sn_log_level level, const char *topic, const char *message, void *user) {
    log_lines *lines = user;
    assert_int_equal(level, SN_LOG_WARNING);
    assert_string_equal(topic, "muscle");
    lines->count++;
    snprintf(lines->last, sizeof lines->last, "%s", message);
}

static sn_context *listening_context(log_lines *lines) {
    sn_context *context = NULL;
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = 1;
    desc.log = take_line;
    desc.log_user = lines;
    snt_ok(sn_context_create(&desc, &context, error));
    return context;
}

static void refuses_jobs_without_sense(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    strips s;
    strips_init(&s, context, STRIPS_SHEET, 1);
    s.input.strip_count = 0;
    snt_fails(SN_INVALID, "biceps: the job lacks a surface or strips", strips_try_bind(&s, error));
    s.input.strip_count = 3;
    s.bodies[1].sections[4].wide = sn_vec3_make(0, 0, 0);
    snt_fails(SN_INVALID, "biceps, strip 2: section 4 has its center", strips_try_bind(&s, error));
    strips_make_body(&s, 1, 3);
    s.bodies[2].insertions[1].point = s.bodies[2].insertions[0].point;
    snt_fails(SN_INVALID, "biceps, strip 3: its two insertions are at the same place",
              strips_try_bind(&s, error));
    strips_make_body(&s, 2, 3);
    s.strip[0].body.section_count = 5;
    snt_fails(SN_INVALID, "biceps, strip 1: it has 11 slices, but 5 sections",
              strips_try_bind(&s, error));
    strips_make_body(&s, 0, 3);
    sn_triangles_destroy(s.triangles);
    s.triangles = NULL;
    s.mesh->face_count = 0;
    s.mesh->corner_count = 0;
    snt_fails(SN_INVALID, "biceps: the mesh \"given\" has no triangles",
              strips_try_bind(&s, error));
    strips_free(&s);
    snt_context_end(context);
}

// Strips beside the surface are used, and told of.
static void tells_of_strips_that_miss_the_surface(void **state) {
    (void)state;
    log_lines lines = {0};
    sn_context *context = listening_context(&lines);
    strips s;
    strips_init(&s, context, STRIPS_SPINDLE, 1);
    strips_bind(&s);
    assert_int_equal(lines.count, 0);
    strips_free(&s);
    strips_init(&s, context, STRIPS_SPINDLE, 1);
    for (size_t v = 0; v < s.mesh->vertex_count; ++v) {
        s.mesh->positions[3 * v] += 0.5F;
    }
    strips_bind(&s);
    assert_int_equal(lines.count, 1);
    assert_non_null(strstr(lines.last, "biceps: its strips lie beside its surface, by 0."));
    strips_pose(&s, s.rest);
    assert_memory_equal(s.surface, s.mesh->positions,
                        3 * (size_t)s.mesh->vertex_count * sizeof(float));
    strips_free(&s);
    snt_context_end(context);
}

// A muscle that comes together at a point cannot keep its volume: the limit is taken, and told of.
static void tells_of_volume_that_is_not_kept(void **state) {
    (void)state;
    log_lines lines = {0};
    sn_context *context = listening_context(&lines);
    strips s;
    sn_mat4 worlds[2];
    bool news = false;
    strips_init(&s, context, STRIPS_SPINDLE, 1);
    strips_bind(&s);
    worlds[0] = worlds[1] = s.rest[0];
    worlds[1].m[13] = s.rest[1].m[13] + 0.35; // the ends come together
    snt_ok(strips_try_pose(&s, worlds, &news, error));
    assert_true(news);
    assert_int_equal(lines.count, 0);
    strips_pose(&s, worlds);
    assert_int_equal(lines.count, 1);
    assert_non_null(strstr(lines.last, "biceps: no scale of its sections keeps its volume: "));
    for (size_t i = 0; i < 3 * (size_t)s.mesh->vertex_count; ++i) {
        assert_true(isfinite(s.surface[i]));
    }
    for (int i = 0; i < 12; ++i) {
        worlds[1].m[i] = 0; // a bone shrunk to a point
    }
    snt_ok(strips_try_pose(&s, worlds, &news, error));
    worlds[1].m[0] = NAN;
    snt_fails(SN_INVALID, "biceps: its points are not finite in this pose",
              strips_try_pose(&s, worlds, &news, error));
    snt_fails(SN_INVALID, "0 segments, but it was bound to 2",
              strips_try_pose(&s, NULL, &news, error));
    strips_free(&s);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    const strips *given = user;
    strips s = *given;
    sn_mesh *mesh = NULL;
    sn_mat4 worlds[2];
    sn_status status = SN_OK;
    s.context = s.job.context = context;
    s.job.inputs[0] = &s.input;
    s.mesh = NULL;
    s.triangles = NULL;
    s.points = NULL;
    s.surface = NULL;
    SN_TRY(sn_mesh_create(context, "given", given->mesh->vertex_count, given->mesh->face_count,
                          given->mesh->corner_count, &s.mesh, error));
    memcpy(s.mesh->positions, given->mesh->positions, 3 * STRIPS_VERTICES * sizeof(float));
    memcpy(s.mesh->corners, given->mesh->corners, s.mesh->corner_count * sizeof(uint32_t));
    memcpy(s.mesh->face_offsets, given->mesh->face_offsets,
           (s.mesh->face_count + 1) * sizeof(uint32_t));
    SN_TRY(strips_try_bind(&s, error));
    SN_TRY(ops->emit_surface(s.bound, context, 1, &mesh, error));
    strips_bend(&s, sn_vec3_make(-1, 0, 0), worlds);
    SN_TRY(strips_try_pose(&s, worlds, NULL, error));
cleanup:
    sn_mesh_destroy(mesh);
    strips_free(&s);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    strips s;
    strips_init(&s, context, STRIPS_SPINDLE, 1);
    snt_fail_allocations(attempt, &s);
    strips_free(&s);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_jobs_without_sense),
        cmocka_unit_test(tells_of_strips_that_miss_the_surface),
        cmocka_unit_test(tells_of_volume_that_is_not_kept),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
