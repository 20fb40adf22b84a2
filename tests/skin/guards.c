// SPDX-License-Identifier: Apache-2.0
//
// Skin that is kept out of what lies near it.
#include "test.h"

#include "base/arena.h"
#include "skin/guards.h"

#include <math.h>
#include <string.h>

enum { RINGS = 24, SIDES = 32, VERTICES = RINGS * SIDES + 2 };

// A closed ball of triangles, poles last.
static sn_mesh *ball(sn_context *context, sn_vec3 centre, double radius) {
    sn_mesh *mesh = NULL;
    uint32_t faces = 2 * SIDES * RINGS, at = 0;
    snt_ok(sn_mesh_create(context, "ball", VERTICES, faces, 3 * faces, &mesh, error));
    for (uint32_t v = 0; v < VERTICES; ++v) {
        double up = v < RINGS * SIDES ? SN_PI * (v / SIDES + 1) / (RINGS + 1) : 0;
        up = v == VERTICES - 1 ? SN_PI : up;
        double round = 2 * SN_PI * (v % SIDES) / SIDES;
        sn_vec3 way = {sin(up) * cos(round), cos(up), sin(up) * sin(round)};
        sn_vec3_store(sn_vec3_add_scaled(centre, radius, way), mesh->positions + 3 * (size_t)v);
    }
    for (uint32_t s = 0; s < SIDES; ++s) {
        uint32_t next = (s + 1) % SIDES, last = (RINGS - 1) * SIDES;
        const uint32_t caps[6] = {VERTICES - 2, next, s, VERTICES - 1, last + s, last + next};
        memcpy(mesh->corners + at, caps, sizeof caps);
        at += 6;
        for (uint32_t r = 0; r + 1 < RINGS; ++r) {
            uint32_t a = r * SIDES + s, b = r * SIDES + next;
            const uint32_t quad[6] = {a, b, b + SIDES, a, b + SIDES, a + SIDES};
            memcpy(mesh->corners + at, quad, sizeof quad);
            at += 6;
        }
    }
    assert_int_equal(at, 3 * faces);
    for (uint32_t f = 0; f < faces; ++f) {
        mesh->face_offsets[f] = 3 * f;
    }
    return mesh;
}

// Two balls that touch at the origin: one is carried by segment 0, the other deforms. Four points
// of a skin, the last one far away from both.
typedef struct setting {
    sn_context *context;
    sn_mesh *left, *right;
    sni_component components[2];
    sn_mat4 rest, world;
    sni_guards *guards;
    sni_arena arena;
    const float *surfaces[2];
} setting;

static const float rest_points[12] = {-1, 1.05F, 0, 1, 1.05F, 0, 0, 0.8F, 0, 0, 9, 0};
static const uint32_t faces[6] = {0, 1, 2, 0, 1, 3};

static sni_guards_desc describe(const setting *s) {
    return (sni_guards_desc){.point_count = 4,
                             .points = rest_points,
                             .triangle_count = 2,
                             .vertices = faces,
                             .component_count = 2,
                             .components = s->components,
                             .rest_worlds = &s->rest,
                             .reach = 1};
}

static setting open_setting(uint32_t threads) {
    setting s = {.context = snt_context(threads), .rest = sn_mat4_identity()};
    s.left = ball(s.context, sn_vec3_make(-1, 0, 0), 1);
    s.right = ball(s.context, sn_vec3_make(1, 0, 0), 1);
    s.components[0] = (sni_component){.name = "left", .mesh = s.left, .segment = 0};
    s.components[1] = (sni_component){.name = "right", .mesh = s.right, .segment = SN_NONE};
    s.world = sn_mat4_identity();
    s.surfaces[1] = s.right->positions;
    sni_guards_desc desc = describe(&s);
    snt_ok(sni_guards_create(s.context, &desc, &s.guards, error));
    sni_arena_init(&s.arena, s.context);
    return s;
}

static void close_setting(setting *s) {
    sni_arena_deinit(&s->arena);
    sni_guards_destroy(s->guards);
    sn_mesh_destroy(s->left);
    sn_mesh_destroy(s->right);
    snt_context_end(s->context);
}

static void push(setting *s, float points[12]) {
    assert_true(sni_guards_push(s->guards, &s->arena, &s->world, s->surfaces, points));
}

static double distance_from(const float *point, double x, double y, double z) {
    return sn_vec3_distance(sn_vec3_load(point), sn_vec3_make(x, y, z));
}

static void leaves_what_is_outside(void **state) {
    (void)state;
    setting s = open_setting(1);
    float points[12];
    memcpy(points, rest_points, sizeof points);
    push(&s, points);
    assert_memory_equal(points, rest_points, sizeof points);
    // Along the surface, above it, and far below it, where guards say nothing.
    float moved[12] = {-1.3F, 1.02F, 0.1F, 1, 1.3F, 0, 0, 0.5F, 0, 0, -9, 0};
    memcpy(points, moved, sizeof points);
    push(&s, points);
    assert_memory_equal(points, moved, sizeof points);
    close_setting(&s);
}

// A point that came into a ball stands on its surface, on the side from which it came.
static void pushes_out(void **state) {
    (void)state;
    setting s = open_setting(1);
    float points[12] = {-1, 0.9F, 0, 1, 0.85F, 0, 0, 0.8F, 0, 0, 9, 0};
    push(&s, points);
    for (int i = 0; i < 2; ++i) {
        double radius = distance_from(points + 3 * i, i == 0 ? -1 : 1, 0, 0);
        assert_true(radius > 0.99 && radius <= 1.0001); // the ball has facets
        assert_true(points[3 * i + 1] > 0.98F);
    }
    // The others go along by most of the mean; the far one has an edge to both, too.
    assert_true(points[7] > 0.85F && points[7] < 0.95F);
    close_setting(&s);
}

// Both follow their component: the carried one by its segment, the other by its vertices.
static void follows_components(void **state) {
    (void)state;
    setting s = open_setting(1);
    float lifted[3 * VERTICES];
    for (uint32_t i = 0; i < 3 * VERTICES; ++i) {
        lifted[i] = s.right->positions[i] + (i % 3 == 1 ? 0.2F : 0);
    }
    s.surfaces[1] = lifted;
    s.world.m[13] = 0.1;
    float points[12];
    memcpy(points, rest_points, sizeof points);
    push(&s, points);
    snt_near(points[1], 1.1, 0.01);
    snt_near(points[4], 1.2, 0.01);
    close_setting(&s);
}

// What came too deep is left: a quarter of the reach.
static void leaves_what_is_too_deep(void **state) {
    (void)state;
    setting s = open_setting(1);
    float deep[12] = {-1, 0.6F, 0, 1, 1.05F, 0, 0, 0.8F, 0, 0, 9, 0}, points[12];
    memcpy(points, deep, sizeof points);
    push(&s, points);
    assert_memory_equal(points, deep, sizeof points);
    close_setting(&s);
}

static sn_status run_out(sn_context *context, void *user, sn_error *error) {
    setting *s = user;
    sni_guards *guards = NULL;
    sni_guards_desc desc = describe(s);
    sn_status status = sni_guards_create(context, &desc, &guards, error);
    sni_guards_destroy(guards);
    return status;
}

static void survives_running_out_of_memory(void **state) {
    (void)state;
    setting s = open_setting(1);
    snt_fail_allocations(run_out, &s);
    close_setting(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_what_is_outside),
        cmocka_unit_test(pushes_out),
        cmocka_unit_test(follows_components),
        cmocka_unit_test(leaves_what_is_too_deep),
        cmocka_unit_test(survives_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
