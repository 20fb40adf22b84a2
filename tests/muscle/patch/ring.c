// SPDX-License-Identifier: Apache-2.0
//
// Sphincters.
#include "test.h"

#include "../toy.h"
#include "muscle/patch/patch.h"

static void draw_ring(const toy *skin, toy_curves *c, int which, double radius, double turn,
                      double direction) {
    sn_vec3 points[12];
    for (int k = 0; k < 12; ++k) {
        double angle = turn + direction * 2 * SN_PI * k / 12;
        points[k] = sn_vec3_make(radius * cos(angle), 0, radius * sin(angle));
    }
    toy_draw(skin, c, which, 12, points);
}

// A thin ring of 12 points around.
static void take_ring_parameters(toy_curves *c) {
    sni_parameters_defaults(&sni_muscle_patch.parameters, c->parameters);
    c->parameters[SNI_PATCH_SKIN_THICKNESS] = 0.002;
    c->parameters[SNI_PATCH_MUSCLE_THICKNESS] = 0.004;
    c->parameters[SNI_PATCH_CURVES] = SNI_PATCH_CLOSED;
    c->parameters[SNI_PATCH_PATCHES_V] = 9;
}

static void sphincters_close(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_plane, 40, 40, false);
    toy_curves c;
    take_ring_parameters(&c);
    draw_ring(&skin, &c, 0, 0.3, 0, 1);
    draw_ring(&skin, &c, 1, 0.6, 2 * SN_PI * 5 / 12, 1); // begins elsewhere
    sni_muscle_job job = toy_job(&skin, &c);
    void *bound;
    snt_ok(sni_muscle_patch.bind(&job, &bound, error));
    sni_muscle_surface surface;
    sni_muscle_patch.surface(bound, &surface);
    assert_true(surface.nurbs.closed[1] && !surface.nurbs.closed[0]);
    snt_ok(sni_nurbs_validate(&surface.nurbs, error));
    for (int k = 0; k < 6 * 48; ++k) { // lines along v are circles, those along u rays
        double u = k / 48 / 5.0, v = k % 48 / 48.0;
        sn_vec3 q = sni_nurbs_point(&surface.nurbs, u, v);
        double angle = 2 * SN_PI * (v + 1.0 / 12), radius = 0.3 + 0.3 * u;
        snt_near(hypot(q.x - radius * cos(angle), q.z - radius * sin(angle)), 0,
                 k % 4 == 0 ? 1e-5 : 1e-3); // between the points of the grid a spline
    }
    sni_arena arena;
    sni_arena_init(&arena, context);
    double relaxed[3 * 72], contracted[3 * 72];
    sni_muscle_pose_job pose = {.context = context,
                                .arena = &arena,
                                .contraction = 0.5,
                                .relaxed = relaxed,
                                .contracted = contracted};
    snt_ok(sni_muscle_patch.pose(bound, &pose, error));
    for (int k = 0; k < 72; ++k) {
        snt_near(contracted[3 * k], relaxed[3 * k] / 2, 1e-5);
        snt_near(contracted[3 * k + 2], relaxed[3 * k + 2] / 2, 1e-5);
    }
    sn_mesh *mesh;
    snt_ok(sni_muscle_patch.emit_surface(bound, context, 2, &mesh, error));
    assert_int_equal(mesh->face_count, 3 * 2 * 12 * 2);
    assert_int_equal(mesh->vertex_count, 7 * 24);
    sn_mesh_destroy(mesh);
    sni_muscle_patch.unbind(context, bound);
    sn_vec3 center = {0.1, 0, 0};
    c.drawn.center = &center;
    snt_ok(sni_muscle_patch.bind(&job, &bound, error));
    pose.contraction = 1;
    snt_ok(sni_muscle_patch.pose(bound, &pose, error));
    for (int k = 0; k < 72; ++k) { // one hundredth of the way is left
        double *q = contracted + 3 * k, *r = relaxed + 3 * k;
        double left = hypot(q[0] - 0.1, q[2]), way = hypot(r[0] - 0.1, r[2]);
        assert_true(left > 0.0099 * way && left < 0.0105 * way);
    }
    sni_muscle_patch.unbind(context, bound);
    draw_ring(&skin, &c, 1, 0.6, 0, -1);
    snt_fails(SN_INVALID, "run in opposite directions", sni_muscle_patch.bind(&job, &bound, error));
    c.curves[1].count = 2;
    snt_fails(SN_INVALID, "curve 2 has 2 points, but a closed one needs 3",
              sni_muscle_patch.bind(&job, &bound, error));
    sni_arena_deinit(&arena);
    free_toy(&skin);
    snt_context_end(context);
}

// A ring on a ball: its points follow the ball on their way to the middle. Straight
// ways to the middle of the ring would lead below it.
static void rings_follow_the_skin(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_ball, 96, 96, true);
    for (int inner = 0; inner < 2; ++inner) {
        toy_curves c;
        take_ring_parameters(&c);
        for (int which = 0; which < 2; ++which) {
            sn_vec3 points[12];
            double angle = which == inner ? 0.25 : 0.9; // from the middle
            for (int k = 0; k < 12; ++k) {
                double turn = 2 * SN_PI * k / 12;
                points[k] =
                    sn_vec3_make(cos(angle), sin(angle) * cos(turn), sin(angle) * sin(turn));
            }
            toy_draw(&skin, &c, which, 12, points);
        }
        sni_muscle_job job = toy_job(&skin, &c);
        sni_patch_grid grid;
        snt_ok(sni_patch_generate(&job, &grid, error));
        assert_true(grid.spokes && grid.inner_last == (inner == 1));
        // The centre lies below the skin as deep as the ring does.
        snt_near(grid.center.x, 1 - 0.006, 1e-3);
        snt_near(grid.center.y, 0, 1e-3);
        memset(grid.thickness, 0, sni_patch_count(&grid) * sizeof(double));
        sn_mat4 matrices[24] = {{{0}}};
        double points[3 * 72];
        sni_arena arena;
        sni_patch_line line;
        sni_arena_init(&arena, context);
        assert_true(sni_patch_line_init(&line, &grid, &arena));
        for (int step = 0; step <= 10; ++step) {
            sni_patch_contract(&grid, matrices, step / 10.0, 0, &line, points);
            for (uint32_t k = 0; k < 72; ++k) {
                sn_vec3 q = {points[3 * k], points[3 * k + 1], points[3 * k + 2]}, spoke[7];
                assert_true(step > 0 || sn_vec3_distance(q, grid.points[k]) == 0);
                spoke[0] = grid.center;
                for (uint32_t i = 0; i < 6; ++i) {
                    spoke[i + 1] = grid.points[(inner == 1 ? 5 - i : i) * 12 + k % 12];
                }
                assert_true(polyline_distance(spoke, 7, q) < 1e-12);
                // Chords of a spoke dip below the ball, those across its middle most.
                assert_true(sn_vec3_length(q) > cos(0.25 / 2) - 0.006 - 1e-3);
            }
        }
        sni_arena_deinit(&arena);
        sni_patch_grid_deinit(context, &grid);
    }
    free_toy(&skin);
    snt_context_end(context);
}

// A belt around a tube has no way to the centre through its own points.
static void belts_contract_straight(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_tube, 48, 20, true);
    toy_curves c;
    take_ring_parameters(&c);
    for (int which = 0; which < 2; ++which) {
        sn_vec3 points[12];
        for (int k = 0; k < 12; ++k) {
            points[k] = toy_tube(k / 12.0, which == 0 ? 0.4 : 0.6);
        }
        toy_draw(&skin, &c, which, 12, points);
    }
    sni_muscle_job job = toy_job(&skin, &c);
    sni_patch_grid grid;
    snt_ok(sni_patch_generate(&job, &grid, error));
    assert_false(grid.spokes);
    memset(grid.thickness, 0, sni_patch_count(&grid) * sizeof(double));
    sn_mat4 matrices[24] = {{{0}}};
    double points[3 * 72];
    sni_patch_contract(&grid, matrices, 0.25, 0, NULL, points);
    for (uint32_t k = 0; k < 72; ++k) {
        snt_near(points[3 * k], 0.75 * grid.points[k].x + 0.25 * grid.center.x, 1e-12);
    }
    sni_patch_grid_deinit(context, &grid);
    free_toy(&skin);
    snt_context_end(context);
}

// A flat ring around a centre high above it: all of it is about as far away, and it contracts
// straight; but for a centre not so high its width decides. What the muscle says goes before that.
static void muscles_may_say_which_way_they_go(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_plane, 40, 40, false);
    toy_curves c;
    take_ring_parameters(&c);
    draw_ring(&skin, &c, 0, 0.3, 0, 1);
    draw_ring(&skin, &c, 1, 0.6, 0, 1);
    static const struct {
        double height;
        int way;
        bool spokes;
    } cases[] = {{2, SNI_PATCH_WAY_AUTO, false},     {0.1, SNI_PATCH_WAY_AUTO, true},
                 {2, SNI_PATCH_WAY_SKIN, true},      {0.1, SNI_PATCH_WAY_SKIN, true},
                 {2, SNI_PATCH_WAY_STRAIGHT, false}, {0.1, SNI_PATCH_WAY_STRAIGHT, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_vec3 center = {0, cases[i].height, 0};
        c.parameters[SNI_PATCH_WAY] = cases[i].way;
        sni_muscle_job job = toy_job(&skin, &c);
        c.drawn.center = &center;
        sni_patch_grid grid;
        snt_ok(sni_patch_generate(&job, &grid, error));
        assert_true(grid.spokes == cases[i].spokes);
        memset(grid.thickness, 0, sni_patch_count(&grid) * sizeof(double));
        sn_mat4 matrices[24] = {{{0}}};
        double points[3 * 72];
        sni_arena arena;
        sni_patch_line line;
        sni_arena_init(&arena, context);
        assert_true(sni_patch_line_init(&line, &grid, &arena));
        sni_patch_contract(&grid, matrices, 0.2, 0, &line, points);
        for (uint32_t k = 0; k < 72; ++k) {
            sn_vec3 q = {points[3 * k], points[3 * k + 1], points[3 * k + 2]};
            sn_vec3 straight = sn_vec3_lerp(grid.points[k], center, 0.2);
            bool inner = k < 12; // from the inner curve to the centre both ways are one
            assert_true((sn_vec3_distance(q, straight) < 1e-9) == (!cases[i].spokes || inner));
        }
        sni_arena_deinit(&arena);
        sni_patch_grid_deinit(context, &grid);
    }
    free_toy(&skin);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphincters_close),
        cmocka_unit_test(rings_follow_the_skin),
        cmocka_unit_test(belts_contract_straight),
        cmocka_unit_test(muscles_may_say_which_way_they_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
