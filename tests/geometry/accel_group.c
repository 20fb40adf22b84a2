// SPDX-License-Identifier: Apache-2.0
//
// Surfaces that are searched as one, against one surface that has the triangles of all.
#include "test.h"

#include "geometry/accel.h"
#include "shapes.h"

#include <stdlib.h>

enum { MEMBERS = 12, EMPTY = 3 };

typedef struct group {
    sn_context *context;
    sn_mesh *meshes[MEMBERS];
    sn_triangles *triangles[MEMBERS];
    sn_accel *accels[MEMBERS], *all;
    uint32_t starts[MEMBERS + 1]; // triangles of each among all
    sni_accel_group *group;
} group;

// Spheres that overlap, two and two at the same place, and one surface without a triangle.
static sn_mesh *member_mesh(sn_context *context, uint32_t member) {
    sn_mesh *mesh = snt_sphere(context, 5 + member / 2, 8);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        mesh->positions[3 * v] += 0.7f * (float)(member / 2);
        mesh->positions[3 * v + 1] *= 1.3f;
    }
    return mesh;
}

static void join_all(group *g) {
    uint32_t vertex_count = 0, *vertices = NULL;
    float *positions = NULL;
    g->starts[0] = 0;
    for (uint32_t i = 0; i < MEMBERS; ++i) {
        uint32_t count = i == EMPTY ? 0 : g->triangles[i]->count, first = g->starts[i];
        g->starts[i + 1] = first + count;
        vertices = realloc(vertices, 3 * (size_t)g->starts[i + 1] * sizeof *vertices);
        positions = realloc(positions, 3 * sizeof *positions *
                                           (size_t)(vertex_count + g->meshes[i]->vertex_count));
        for (uint32_t k = 0; k < 3 * count; ++k) {
            vertices[3 * first + k] = g->triangles[i]->vertices[k] + vertex_count;
        }
        memcpy(positions + 3 * (size_t)vertex_count, g->meshes[i]->positions,
               3 * sizeof *positions * (size_t)g->meshes[i]->vertex_count);
        vertex_count += g->meshes[i]->vertex_count;
    }
    snt_ok(sn_accel_create(g->context, positions, vertex_count, vertices, g->starts[MEMBERS],
                           &g->all, error));
    free(vertices);
    free(positions);
}

static group make_group(void) {
    group g = {.context = snt_context(1)};
    for (uint32_t i = 0; i < MEMBERS; ++i) {
        g.meshes[i] = member_mesh(g.context, i);
        snt_ok(sn_triangles_create(g.meshes[i], g.meshes[i]->positions, &g.triangles[i], error));
        snt_ok(sn_accel_create(g.context, g.meshes[i]->positions, g.meshes[i]->vertex_count,
                               g.triangles[i]->vertices, i == EMPTY ? 0 : g.triangles[i]->count,
                               &g.accels[i], error));
    }
    join_all(&g);
    return g;
}

static void end_group(group *g) {
    sni_accel_group_destroy(g->group);
    for (uint32_t i = 0; i < MEMBERS; ++i) {
        sn_accel_destroy(g->accels[i]);
        sn_triangles_destroy(g->triangles[i]);
        sn_mesh_destroy(g->meshes[i]);
    }
    sn_accel_destroy(g->all);
    snt_context_end(g->context);
}

// Bit by bit, from whatever place the search begins. Points on vertices are as far from all
// triangles there, and those of copies are as far from both.
static void finds_what_one_surface_finds(void **state) {
    (void)state;
    group g = make_group();
    snt_random random = {5};
    sni_accel_place near = {SN_NONE, SN_NONE};
    snt_ok(sni_accel_group_create(g.context, (const sn_accel *const *)g.accels, MEMBERS, &g.group,
                                  error));
    for (uint32_t i = 0; i < 3000; ++i) {
        const sn_mesh *mesh = g.meshes[i % MEMBERS];
        sn_vec3 p = i % 3 > 0 ? sn_vec3_make(snt_random_range(&random, -2, 6),
                                             snt_random_range(&random, -2, 2),
                                             snt_random_range(&random, -2, 2))
                              : sn_vec3_load(mesh->positions + 3 * (i % mesh->vertex_count));
        sn_closest one, other;
        sn_accel_find_closest(g.all, p, INFINITY, &one);
        sni_accel_group_find_closest(g.group, p, &near, &other);
        assert_true(near.member < MEMBERS && near.member != EMPTY);
        other.triangle += g.starts[near.member];
        assert_memory_equal(&one, &other, sizeof one);
    }
    end_group(&g);
}

static void finds_nothing_where_nothing_is(void **state) {
    (void)state;
    group g = make_group();
    sni_accel_place near = {SN_NONE, SN_NONE};
    sn_closest closest;
    snt_ok(sni_accel_group_create(g.context, (const sn_accel *const *)g.accels + EMPTY, 1, &g.group,
                                  error));
    sni_accel_group_find_closest(g.group, sn_vec3_make(0, 0, 0), &near, &closest);
    assert_int_equal(closest.triangle, SN_NONE);
    sni_accel_group_destroy(g.group);
    snt_ok(sni_accel_group_create(g.context, (const sn_accel *const *)g.accels, MEMBERS, &g.group,
                                  error));
    sni_accel_group_find_closest(g.group, sn_vec3_make(0, NAN, 0), &near, &closest);
    assert_int_equal(closest.triangle, SN_NONE);
    end_group(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_one_surface_finds),
        cmocka_unit_test(finds_nothing_where_nothing_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
