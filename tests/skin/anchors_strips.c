// SPDX-License-Identifier: Apache-2.0
//
// Skin on a surface with strips below it: closest to the surface, moved by the strips.
#include "test.h"

#include "skin/anchors.h"

#include <math.h>

enum { SLICES = 5, STRIPS = 2, RING = 4, STRIP_POINTS = SLICES * RING + 3, POINTS = 400 };

typedef struct body {
    sn_context *context;
    sn_mesh *mesh;                         // a box around both strips
    float rest[3 * STRIPS * STRIP_POINTS]; // rings, then three other numbers of each strip
    float posed[3 * STRIPS * STRIP_POINTS];
    sni_component_strip strips[STRIPS];
    sni_component component;
    sn_mat4 world;
    float points[3 * POINTS], normals[3 * POINTS], found[3 * POINTS];
    sni_anchors *anchors;
} body;

// Two strips along y, 2 apart, within a box of 4 x 4 x 1.
static void make_body(body *b) {
    static const uint32_t quads[6][4] = {{0, 2, 6, 4}, {1, 5, 7, 3}, {0, 4, 5, 1},
                                         {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 6, 7, 5}};
    snt_ok(sn_mesh_create(b->context, "box", 8, 6, 24, &b->mesh, error));
    for (uint32_t v = 0; v < 8; ++v) {
        sn_vec3_store(sn_vec3_make(v & 1 ? 2 : -2, v & 2 ? 4 : 0, v & 4 ? 0.5 : -0.5),
                      b->mesh->positions + 3 * (size_t)v);
    }
    for (uint32_t f = 0; f < 6; ++f) {
        memcpy(b->mesh->corners + 4 * f, quads[f], sizeof quads[f]);
        b->mesh->face_offsets[f + 1] = 4 * (f + 1);
    }
    for (uint32_t s = 0; s < STRIPS; ++s) {
        b->strips[s] = (sni_component_strip){.first = s * STRIP_POINTS, .slice_count = SLICES};
        for (uint32_t i = 0; i < STRIP_POINTS; ++i) {
            static const double ring[RING][2] = {{0, 0.5}, {1, 0}, {0, -0.5}, {-1, 0}};
            sn_vec3 p = {s == 0 ? -1 : 1, i / RING, 0};
            if (i < SLICES * RING) {
                p.x += ring[i % RING][0];
                p.z += ring[i % RING][1];
            }
            sn_vec3_store(p, b->rest + 3 * (size_t)(s * STRIP_POINTS + i));
        }
    }
    b->component = (sni_component){.name = "sheet",
                                   .mesh = b->mesh,
                                   .segment = SN_NONE,
                                   .strip_count = STRIPS,
                                   .strips = b->strips,
                                   .strip_point_count = STRIPS * STRIP_POINTS,
                                   .strip_points = b->rest};
}

static void set_up(body *b) {
    snt_random random = {11};
    *b = (body){.context = snt_context(2), .world = sn_mat4_identity()};
    make_body(b);
    for (uint32_t i = 0; i < POINTS; ++i) {
        sn_vec3 p = {snt_random_range(&random, -2.2, 2.2), snt_random_range(&random, -0.3, 4.3),
                     i % 2 ? 0.7 : -0.7};
        sn_vec3_store(p, b->points + 3 * (size_t)i);
        sn_vec3_store(sn_vec3_make(0, 0, i % 2 ? 1 : -1), b->normals + 3 * (size_t)i);
    }
    sni_anchors_desc desc = {.point_count = POINTS,
                             .points = b->points,
                             .normals = b->normals,
                             .component_count = 1,
                             .components = &b->component,
                             .segment_count = 1,
                             .rest_worlds = &b->world};
    snt_ok(sni_anchors_create(b->context, &desc, &b->anchors, error));
}

static void tear_down(body *b) {
    sni_anchors_destroy(b->anchors);
    sn_mesh_destroy(b->mesh);
    snt_context_end(b->context);
}

static void run(body *b, const float *strip_points) {
    sni_arena arena;
    sni_arena_init(&arena, b->context);
    sni_anchors_pose pose = {
        .worlds = &b->world, .component_points = &strip_points, .anchors = b->found};
    assert_true(sni_anchors_pose_run(b->anchors, &arena, &pose));
    sni_arena_deinit(&arena);
}

static sn_vec3 at(const float *points, uint32_t index) {
    return sn_vec3_load(points + 3 * (size_t)index);
}

static void hangs_in_the_strips(void **state) {
    (void)state;
    body b;
    set_up(&b);
    sni_anchors_report report = sni_anchors_report_of(b.anchors);
    assert_int_equal(report.section, POINTS);
    assert_int_equal(report.blended, 0); // it is one component, whatever its strips are
    run(&b, b.rest);
    for (uint32_t i = 0; i < POINTS; ++i) {
        snt_near(sn_vec3_distance(at(b.found, i), at(b.points, i)), 0, 1e-6);
    }
    tear_down(&b);
}

static void goes_rigidly_with_the_strips(void **state) {
    (void)state;
    body b;
    set_up(&b);
    sn_transform parts = {
        {0.3, -0.2, 1}, sn_quat_from_euler(sn_vec3_make(0.4, 1, -0.7), SN_ROTATION_XYZ), {1, 1, 1}};
    sn_mat4 place = sn_mat4_from_transform(&parts);
    for (uint32_t i = 0; i < STRIPS * STRIP_POINTS; ++i) {
        sn_vec3_store(sn_mat4_point(&place, at(b.rest, i)), b.posed + 3 * (size_t)i);
    }
    run(&b, b.posed);
    for (uint32_t i = 0; i < POINTS; ++i) {
        sn_vec3 expected = sn_mat4_point(&place, at(b.points, i));
        snt_near(sn_vec3_distance(at(b.found, i), expected), 0, 3e-6);
    }
    tear_down(&b);
}

// The second strip goes away: skin over it goes along, that over the first stays, and between them
// it is between, rising from left to right.
static void is_shared_between_strips(void **state) {
    (void)state;
    body b;
    set_up(&b);
    memcpy(b.posed, b.rest, sizeof b.rest);
    for (uint32_t i = STRIP_POINTS; i < STRIPS * STRIP_POINTS; ++i) {
        b.posed[3 * i + 2] += 1;
    }
    run(&b, b.posed);
    for (uint32_t i = 0; i < POINTS; ++i) {
        double moved = at(b.found, i).z - at(b.points, i).z, x = at(b.points, i).x;
        assert_true(moved > -1e-6 && moved < 1 + 1e-6);
        if (x < -1 || x > 1) {
            snt_near(moved, x < 0 ? 0 : 1, 0.22);
        }
        for (uint32_t k = i % 2; k < i; k += 2) { // of the same side of the box
            if (at(b.points, k).x < x && fabs(at(b.points, k).x) < 1 && fabs(x) < 1 &&
                at(b.points, k).y > 0 && at(b.points, k).y < 4 && at(b.points, i).y > 0 &&
                at(b.points, i).y < 4) {
                assert_true(moved > at(b.found, k).z - at(b.points, k).z - 1e-5);
            }
        }
    }
    tear_down(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hangs_in_the_strips),
        cmocka_unit_test(goes_rigidly_with_the_strips),
        cmocka_unit_test(is_shared_between_strips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
