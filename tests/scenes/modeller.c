// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "scenes/modeller.h"
#include "sinew/geometry.h"

#include <math.h>
#include <stdlib.h>

static const scn_frame space = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static scn_field *make_field(const scn_part *parts, uint32_t count) {
    scn_field *field = scn_field_create(parts, count, &space, 5, 1);
    assert_non_null(field);
    return field;
}

static sn_mesh *mesh_of(sn_context *context, const scn_field *field, double cell) {
    scn_builder builder;
    scn_builder_init(&builder);
    assert_true(scn_field_mesh(field, cell, &builder));
    sn_mesh *mesh = NULL;
    snt_ok(scn_builder_finish(&builder, context, "shape", &mesh, error));
    scn_builder_deinit(&builder);
    return mesh;
}

static sn_topology_summary summarize(const sn_mesh *mesh) {
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    snt_ok(sn_topology_create(mesh, &topology, error));
    sn_topology_summarize(mesh, topology, &summary);
    sn_topology_destroy(topology);
    return summary;
}

static double volume_of(const sn_mesh *mesh) {
    sn_triangles *triangles = NULL;
    sn_mass mass;
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    snt_ok(sn_mass_compute(mesh->context, mesh->positions, triangles->vertices, triangles->count,
                           &mass, error));
    sn_triangles_destroy(triangles);
    return mass.volume;
}

static void turns_match_the_math_library(void **state) {
    (void)state;
    for (int degrees = -720; degrees <= 720; degrees += 5) {
        scn_turn turn = scn_turn_from_deg(degrees);
        snt_near(turn.cosine, cos(degrees * SN_PI / 180), 1e-14);
        snt_near(turn.sine, sin(degrees * SN_PI / 180), 1e-14);
    }
    assert_true(scn_turn_from_deg(90).cosine == 0);
    assert_true(scn_turn_from_deg(180).cosine == -1);
}

static void a_ball_has_exact_distances(void **state) {
    (void)state;
    const scn_part ball = {.blend_mm = 5, .count = 1, .stations = {{10, 20, 30, 40, 40}}};
    scn_field *field = make_field(&ball, 1);
    snt_near(scn_field_value(field, sn_vec3_make(0.010, 0.020, 0.075), 1), 0.005, 1e-12);
    snt_near(scn_field_value(field, sn_vec3_make(0.010, 0.055, 0.030), 1), -0.005, 1e-12);
    sn_vec3 g = scn_field_gradient(field, sn_vec3_make(0.055, 0.020, 0.030), 1);
    snt_near(g.x, 1, 1e-4);
    snt_near(sn_vec3_length(g), 1, 1e-4);
    sn_vec3 hit =
        scn_field_cast(field, sn_vec3_make(0.01, 0.02, 0.03), sn_vec3_make(0, 0, 1), 1, 1);
    snt_near(hit.z, 0.070, 2e-5);
    scn_field_destroy(field);
}

static void a_chain_is_a_capsule(void **state) {
    (void)state;
    const scn_part capsule = {
        .blend_mm = 5, .count = 2, .stations = {{0, 0, 0, 10, 10}, {0, 50, 0, 10, 10}}};
    scn_field *field = make_field(&capsule, 1);
    snt_near(scn_field_value(field, sn_vec3_make(0.015, 0.025, 0), 1), 0.005, 1e-12);
    snt_near(scn_field_value(field, sn_vec3_make(0, 0.065, 0), 1), 0.005, 1e-12);
    snt_near(scn_field_value(field, sn_vec3_make(0, -0.012, 0), 1), 0.002, 1e-12);
    scn_field_destroy(field);
}

// On a straight chain whose sections do not turn, blended with another.
static void gradients_match_differences(void **state) {
    (void)state;
    const scn_part parts[] = {
        {.blend_mm = 6, .count = 2, .stations = {{0, 0, 0, 12, 8}, {0, 60, 0, 9, 14}}},
        {.blend_mm = 6, .count = 2, .stations = {{9, 10, 0, 8, 8}, {9, 50, 0, 8, 8}}},
    };
    scn_field *field = make_field(parts, 2);
    snt_random random = {7};
    for (int i = 0; i < 200; ++i) {
        sn_vec3 p = {snt_random_range(&random, -0.02, 0.03),
                     snt_random_range(&random, 0.013, 0.047),
                     snt_random_range(&random, -0.02, 0.02)};
        p = scn_field_project(field, p, 1, 8);
        sn_vec3 g = scn_field_gradient(field, p, 1), d;
        const double e = 1e-6;
        d.x = scn_field_value(field, sn_vec3_make(p.x + e, p.y, p.z), 1) -
              scn_field_value(field, sn_vec3_make(p.x - e, p.y, p.z), 1);
        d.y = scn_field_value(field, sn_vec3_make(p.x, p.y + e, p.z), 1) -
              scn_field_value(field, sn_vec3_make(p.x, p.y - e, p.z), 1);
        d.z = scn_field_value(field, sn_vec3_make(p.x, p.y, p.z + e), 1) -
              scn_field_value(field, sn_vec3_make(p.x, p.y, p.z - e), 1);
        d = sn_vec3_scale(d, 1 / (2 * e));
        snt_near(sn_vec3_distance(g, d), 0, 0.1);
        assert_true(sn_vec3_dot(g, d) > 0.99 * sn_vec3_length(g) * sn_vec3_length(d));
    }
    scn_field_destroy(field);
}

static void cuts_take_away_and_slices_keep_a_half(void **state) {
    (void)state;
    const scn_part parts[] = {
        {.blend_mm = 1, .count = 1, .stations = {{0, 0, 0, 20, 20}}},
        {.op = SCN_CUT, .blend_mm = 1, .count = 1, .stations = {{20, 0, 0, 10, 10}}},
        {.op = SCN_SLICE,
         .blend_mm = 1,
         .count = 2,
         .stations = {{0, 5, 0, 1, 1}, {0, 9, 0, 1, 1}}},
    };
    scn_field *field = make_field(parts, 3);
    assert_true(scn_field_value(field, sn_vec3_make(0.015, 0, 0), 1) > 0);  // in the cut
    assert_true(scn_field_value(field, sn_vec3_make(0, 0.010, 0), 1) > 0);  // sliced off
    assert_true(scn_field_value(field, sn_vec3_make(0, -0.015, 0), 1) < 0); // left
    scn_field_destroy(field);
}

// Branches meet the trunk in a wide seam, but two branches side by side stay apart.
static void branches_do_not_melt_into_each_other(void **state) {
    (void)state;
    const scn_part parts[] = {
        {.group = 0, .blend_mm = 5, .count = 1, .stations = {{0, -100, 0, 10, 10}}},
        {.group = 1, .blend_mm = 5, .count = 1, .stations = {{-11.2, 0, 0, 10, 10}}},
        {.group = 2, .blend_mm = 5, .count = 1, .stations = {{11.2, 0, 0, 10, 10}}},
    };
    scn_field *field = make_field(parts, 3);
    assert_true(scn_field_value(field, sn_vec3_make(0, 0, 0), SCN_ALL_GROUPS) > 0);
    scn_field_destroy(field);
}

static void meshes_are_closed_and_lie_on_the_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const scn_part parts[] = {
        {.blend_mm = 6,
         .count = 3,
         .stations = {{0, 0, 0, 8, 6}, {5, 30, 0, 6, 9}, {20, 55, 5, 9, 7}}},
        {.blend_mm = 6, .count = 2, .stations = {{5, 30, 0, 6, 6}, {-20, 50, 3, 5, 5}}},
        {.op = SCN_CUT, .blend_mm = 3, .count = 1, .stations = {{6, 0, 6, 6, 6}}},
    };
    scn_field *field = make_field(parts, 3);
    sn_mesh *mesh = mesh_of(context, field, 0.002);
    snt_ok(sn_mesh_validate(mesh, error));
    sn_topology_summary summary = summarize(mesh);
    assert_true(summary.closed);
    assert_int_equal(summary.components, 1);
    assert_true(volume_of(mesh) > 0);
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(mesh->positions + 3 * (size_t)i);
        snt_near(scn_field_value(field, p, SCN_ALL_GROUPS), 0, 2e-5);
    }
    sn_mesh_destroy(mesh);
    scn_field_destroy(field);
    snt_context_end(context);
}

static void a_meshed_ball_has_a_balls_volume(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const scn_part ball = {.blend_mm = 5, .count = 1, .stations = {{0, 0, 0, 20, 20}}};
    scn_field *field = make_field(&ball, 1);
    sn_mesh *mesh = mesh_of(context, field, 0.002);
    double exact = 4.0 / 3 * SN_PI * 8e-6;
    snt_near(volume_of(mesh) / exact, 1, 0.01);
    sn_mesh_destroy(mesh);
    scn_field_destroy(field);
    snt_context_end(context);
}

// Two balls that nearly touch pass the same cells in two sheets; none may be welded to the other.
static void near_sheets_stay_manifold(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int step = 0; step < 40; ++step) {
        const scn_part parts[] = {
            {.blend_mm = 0.01, .count = 1, .stations = {{0, 0, 0, 10, 10}}},
            {.blend_mm = 0.01, .count = 1, .stations = {{11.0 + 0.05 * step, 11.7, 13.1, 10, 10}}},
        };
        scn_field *field = make_field(parts, 2);
        sn_mesh *mesh = mesh_of(context, field, 0.0021);
        sn_topology_summary summary = summarize(mesh);
        assert_true(summary.closed);
        sn_mesh_destroy(mesh);
        scn_field_destroy(field);
    }
    snt_context_end(context);
}

static void caps_close_a_loop_with_quads(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scn_builder builder;
    scn_builder_init(&builder);
    uint32_t top[10], bottom[10], back[10];
    for (uint32_t i = 0; i < 10; ++i) { // a 3 x 2 box of height 1
        uint32_t column, row;
        scn_grid_border(3, 2, i, &column, &row);
        top[i] = scn_builder_vertex(&builder, sn_vec3_make(column, row, 1), 0, 0);
        bottom[i] = scn_builder_vertex(&builder, sn_vec3_make(column, row, 0), 0, 0);
    }
    scn_builder_join(&builder, bottom, top, 10);
    scn_builder_cap(&builder, top, 3, 2, 0, 0, NULL);
    for (uint32_t i = 0; i < 10; ++i) {
        back[i] = bottom[(10 - i) % 10];
    }
    scn_builder_cap(&builder, back, 2, 3, 0, 0, NULL);
    sn_mesh *mesh = NULL;
    snt_ok(scn_builder_finish(&builder, context, "box", &mesh, error));
    assert_int_equal(mesh->vertex_count, 20 + 2 + 2);
    assert_int_equal(mesh->face_count, 10 + 6 + 6);
    assert_true(summarize(mesh).closed);
    snt_near(volume_of(mesh), 6, 1e-6);
    scn_mesh_mirror(mesh);
    snt_near(volume_of(mesh), 6, 1e-6);
    sn_mesh_destroy(mesh);
    scn_builder_deinit(&builder);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_match_the_math_library),
        cmocka_unit_test(a_ball_has_exact_distances),
        cmocka_unit_test(a_chain_is_a_capsule),
        cmocka_unit_test(gradients_match_differences),
        cmocka_unit_test(cuts_take_away_and_slices_keep_a_half),
        cmocka_unit_test(branches_do_not_melt_into_each_other),
        cmocka_unit_test(meshes_are_closed_and_lie_on_the_surface),
        cmocka_unit_test(a_meshed_ball_has_a_balls_volume),
        cmocka_unit_test(near_sheets_stay_manifold),
        cmocka_unit_test(caps_close_a_loop_with_quads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
