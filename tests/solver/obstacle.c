// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "solver/xpbd.h"

#include <math.h>

// A unit square in the plane y = 0, from -size to size, facing up.
static const uint32_t floor_triangles[6] = {0, 1, 2, 0, 2, 3};
static void make_floor(double size, double y, float points[12]) {
    const float s = (float)size, h = (float)y;
    const float all[12] = {-s, h, -s, -s, h, s, s, h, s, s, h, -s};
    memcpy(points, all, sizeof all);
}

static const sni_obstacle_shape open_floor = {4, 2, floor_triangles, 1,
                                              &(sni_obstacle_part){2, false}};

// A cube from -1 to 1, faces outward.
static const uint32_t cube_triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                            2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
static const sni_obstacle_shape cube = {8, 12, cube_triangles, 1, &(sni_obstacle_part){12, true}};
static void make_cube(const sn_mat4 *matrix, float points[24]) {
    for (int i = 0; i < 8; ++i) {
        sn_vec3 p = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
        sn_vec3_store(sn_mat4_point(matrix, p), points + 3 * (size_t)i);
    }
}

static sni_contact touch(const sni_obstacle *obstacle, sn_vec3 from, sn_vec3 to) {
    sni_contact contact;
    sni_obstacle_touch(obstacle, from, to, 0.1, &contact);
    return contact;
}

static void check_plane(const sni_contact *contact, sn_vec3 point, sn_vec3 normal) {
    assert_true(contact->touches);
    snt_near(sn_vec3_distance(contact->point, point), 0, 1e-6);
    snt_near(sn_vec3_distance(contact->normal, normal), 0, 1e-6);
}

static void a_floor_is_touched_from_both_sides(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    float points[12];
    sni_obstacle o = {0};
    make_floor(2, 0, points);
    snt_ok(sni_obstacle_begin(context, &open_floor, points, points, &o, error));
    sni_contact c = touch(&o, sn_vec3_make(0.3, 0.5, 0.2), sn_vec3_make(0.3, 0.2, 0.2));
    assert_false(c.touches);
    c = touch(&o, sn_vec3_make(0.3, 0.2, 0.2), sn_vec3_make(0.3, 0.05, 0.2));
    check_plane(&c, sn_vec3_make(0.3, 0, 0.2), sn_vec3_make(0, 1, 0));
    c = touch(&o, sn_vec3_make(0.3, -0.2, 0.2), sn_vec3_make(0.3, -0.05, 0.2));
    check_plane(&c, sn_vec3_make(0.3, 0, 0.2), sn_vec3_make(0, -1, 0));
    // Through it, far, in one step: stopped on the side it came from.
    c = touch(&o, sn_vec3_make(0.3, 5, 0.2), sn_vec3_make(0.3, -50, 0.2));
    check_plane(&c, sn_vec3_make(0.3, 0, 0.2), sn_vec3_make(0, 1, 0));
    c = touch(&o, sn_vec3_make(0.3, -5, 0.2), sn_vec3_make(0.3, 50, 0.2));
    check_plane(&c, sn_vec3_make(0.3, 0, 0.2), sn_vec3_make(0, -1, 0));
    // Past its border, and not moving at all.
    c = touch(&o, sn_vec3_make(3, 5, 0.2), sn_vec3_make(3, -5, 0.2));
    assert_false(c.touches);
    c = touch(&o, sn_vec3_make(2.05, 0, 0), sn_vec3_make(2.05, 0, 0));
    check_plane(&c, sn_vec3_make(2, 0, 0), sn_vec3_make(1, 0, 0));
    sni_obstacle_deinit(&o);
    snt_context_end(context);
}

static void a_closed_surface_lets_nothing_stay_inside(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int mirrored = 0; mirrored < 2; ++mirrored) {
        sn_transform t = {{0, 0, 0}, {0, 0, 0, 1}, {mirrored ? -1 : 1, 1, 1}};
        sn_mat4 matrix = sn_mat4_from_transform(&t);
        float points[24];
        sni_obstacle o = {0};
        make_cube(&matrix, points);
        snt_ok(sni_obstacle_begin(context, &cube, points, points, &o, error));
        sn_vec3 inside = {0.3, 0.95, 0.2};
        sni_contact c = touch(&o, inside, inside);
        check_plane(&c, sn_vec3_make(0.3, 1, 0.2), sn_vec3_make(0, 1, 0));
        assert_true(c.inside);
        // On its way out through a face it is put outside, on its way in too.
        c = touch(&o, sn_vec3_make(0, 0.5, 0), sn_vec3_make(0, 1.05, 0));
        check_plane(&c, sn_vec3_make(0, 1, 0), sn_vec3_make(0, 1, 0));
        c = touch(&o, sn_vec3_make(0, 1.5, 0), sn_vec3_make(0, -1.5, 0));
        check_plane(&c, sn_vec3_make(0, 1, 0), sn_vec3_make(0, 1, 0));
        assert_false(c.inside);
        // Beside an edge, in the plane of a face: outside.
        c = touch(&o, sn_vec3_make(1.05, 1, 0.5), sn_vec3_make(1.05, 1, 0.5));
        check_plane(&c, sn_vec3_make(1, 1, 0.5), sn_vec3_make(1, 0, 0));
        c = touch(&o, sn_vec3_make(1.03, 1.04, 1), sn_vec3_make(1.03, 1.04, 1));
        check_plane(&c, sn_vec3_make(1, 1, 1), sn_vec3_make(0.6, 0.8, 0));
        sni_obstacle_deinit(&o);
    }
    snt_context_end(context);
}

// A floor that rises past a sample in one step takes it along.
static void a_moving_surface_sweeps_samples_along(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    float from[12], to[12];
    sni_obstacle o = {0};
    make_floor(2, 0, from);
    make_floor(2, 3, to);
    snt_ok(sni_obstacle_begin(context, &open_floor, from, to, &o, error));
    sn_vec3 still = {0.3, 0.5, 0.2};
    sni_obstacle_move(&o, 0.1); // to 0.3
    assert_false(touch(&o, still, still).touches);
    sni_obstacle_move(&o, 0.5); // to 1.5, past it
    sni_contact c = touch(&o, still, still);
    check_plane(&c, sn_vec3_make(0.3, 1.5, 0.2), sn_vec3_make(0, 1, 0));
    snt_near(sn_vec3_distance(c.motion, sn_vec3_make(0, 1.2, 0)), 0, 1e-6);
    sni_obstacle_move(&o, 1);
    snt_near(o.now[1], 3, 0);
    sni_obstacle_deinit(&o);
    snt_context_end(context);
}

// One particle with a sample.
typedef struct ball {
    sn_context *context;
    sni_arena arena;
    sni_xpbd *solver;
    sni_xpbd_scratch scratch;
    double position[3], velocity[3];
} ball;

static ball make_ball(sn_context *context, double friction, sn_vec3 gravity) {
    static const sni_contact_sample sample = {.count = 1, .particles = {0}, .weights = {1}};
    ball b = {.context = context};
    sni_xpbd_desc desc = {.particle_count = 1,
                          .inverse_masses = &(double){4},
                          .sample_count = 1,
                          .samples = &sample,
                          .step = 1.0 / 600,
                          .gravity = gravity,
                          .thickness = 0.01,
                          .friction = friction};
    sni_arena_init(&b.arena, context);
    snt_ok(sni_xpbd_create(context, &desc, &b.solver, error));
    assert_true(sni_xpbd_scratch_init(b.solver, &b.arena, &b.scratch));
    return b;
}

static void end_ball(ball *b) {
    sni_xpbd_destroy(b->solver);
    sni_arena_deinit(&b->arena);
}

// Coulomb: below the angle of friction it stays, above it accelerates by g (sin - mu cos).
static void friction_holds_up_to_its_angle(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const double mus[] = {0, 0.2, 0.5, 1};
    float points[12];
    sni_obstacle o = {0};
    make_floor(100, 0, points);
    snt_ok(sni_obstacle_begin(context, &open_floor, points, points, &o, error));
    for (int i = 0; i < 4; ++i) {
        for (double slope = -0.1; slope <= 0.11; slope += 0.2) {
            double angle = atan(mus[i]) + slope;
            if (angle < 0) {
                continue;
            }
            // A level floor under turned gravity.
            ball b =
                make_ball(context, mus[i], sn_vec3_make(9.81 * sin(angle), -9.81 * cos(angle), 0));
            b.position[1] = 0.01;
            for (int step = 0; step < 600; ++step) {
                sni_xpbd_step(b.solver, &b.scratch, b.position, b.velocity, &o);
                snt_near(b.position[1], 0.01, 1e-9);
            }
            double expected = slope > 0 ? 9.81 * (sin(angle) - mus[i] * cos(angle)) : 0;
            snt_near(b.velocity[0], expected, 1e-3 * expected + 1e-9);
            snt_near(b.position[0], expected / 2, 3e-3 * expected + 1e-9);
            end_ball(&b);
        }
    }
    sni_obstacle_deinit(&o);
    snt_context_end(context);
}

// What lies on a moving floor is carried by friction.
static void friction_carries(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    float from[12], to[12];
    sni_obstacle o = {0};
    make_floor(10, 0, from);
    memcpy(to, from, sizeof to);
    for (int i = 0; i < 12; i += 3) {
        to[i] += 0.5f;
    }
    ball b = make_ball(context, 1, sn_vec3_make(0, -9.81, 0));
    b.position[1] = 0.01;
    snt_ok(sni_obstacle_begin(context, &open_floor, from, to, &o, error));
    for (int step = 1; step <= 600; ++step) {
        sni_obstacle_move(&o, step / 600.0);
        sni_xpbd_step(b.solver, &b.scratch, b.position, b.velocity, &o);
    }
    // It lags by the time in which friction brings it to 0.5 m/s.
    snt_near(b.velocity[0], 0.5, 1e-3);
    snt_near(b.position[0], 0.5 - 0.5 * 0.5 / (2 * 9.81), 2e-3);
    end_ball(&b);
    sni_obstacle_deinit(&o);
    snt_context_end(context);
}

static double outside_of_cube(const sn_mat4 *to_cube, const double *p) {
    sn_vec3 q = sn_mat4_point(to_cube, sn_vec3_make(p[0], p[1], p[2]));
    return fmax(fabs(q.x), fmax(fabs(q.y), fabs(q.z))) - 1;
}

// Particles shot at a turning, travelling cube from all sides, as fast as sound.
static void nothing_tunnels(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {21};
    ball b = make_ball(context, 0.3, sn_vec3_make(0, 0, 0));
    for (int shot = 0; shot < 300; ++shot) {
        sn_mat4 poses[2], to_cube;
        float points[2][24];
        double spin = snt_random_range(&random, -0.1, 0.1); // a frame's; its faces stay about flat
        for (int k = 0; k < 2; ++k) {
            sn_transform t = {
                sn_vec3_make(0.2 * k, 0.1 * k, 0),
                sn_quat_from_euler(sn_vec3_make(0.4 + spin * k, 0.3, spin * k), SN_ROTATION_XYZ),
                {1, 1, 1}};
            poses[k] = sn_mat4_from_transform(&t);
            make_cube(&poses[k], points[k]);
        }
        sn_vec3 start = {snt_random_range(&random, -1, 1), snt_random_range(&random, -1, 1),
                         snt_random_range(&random, -1, 1)};
        start = sn_vec3_scale(sn_vec3_normalize_or(start, sn_vec3_make(0, 1, 0)), 3);
        double speed = pow(10, snt_random_range(&random, 0, 2.5));
        const double position[3] = {start.x, start.y, start.z};
        memcpy(b.position, position, sizeof position);
        for (int k = 0; k < 3; ++k) {
            b.velocity[k] = -speed * position[k] / 3 + snt_random_range(&random, -0.2, 0.2) * speed;
        }
        sni_obstacle o = {0};
        snt_ok(sni_obstacle_begin(context, &cube, points[0], points[1], &o, error));
        for (int step = 1; step <= 25; ++step) {
            sni_obstacle_move(&o, step / 25.0);
            sni_xpbd_step(b.solver, &b.scratch, b.position, b.velocity, &o);
        }
        sn_mat4_invert(&poses[1], &to_cube);
        assert_true(outside_of_cube(&to_cube, b.position) > 0);
        sni_obstacle_deinit(&o);
    }
    end_ball(&b);
    snt_context_end(context);
}

// A document can send a collider to 1e18 m in a step. There all triangles are equally near, and
// each search would look at every one of them: none is to be within reach.
static void what_leaves_the_world_takes_nothing_along(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    float from[12], to[12];
    sni_obstacle o = {0};
    make_floor(2, 0, from);
    make_floor(2, 0, to);
    for (int i = 0; i < 12; i += 3) {
        to[i] += 1e18f;
    }
    snt_ok(sni_obstacle_begin(context, &open_floor, from, to, &o, error));
    sn_vec3 above = {0.3, 0.05, 0.2};
    sni_contact c = touch(&o, above, above);
    check_plane(&c, sn_vec3_make(0.3, 0, 0.2), sn_vec3_make(0, 1, 0));
    sni_obstacle_move(&o, 0.5);
    assert_true(o.motion == 0);
    assert_false(touch(&o, above, above).touches);
    // As far as a fast ship, it still does.
    for (int i = 0; i < 12; i += 3) {
        to[i] = from[i] + 1e6f;
    }
    snt_ok(sni_obstacle_begin(context, &open_floor, from, to, &o, error));
    sni_obstacle_move(&o, 1);
    snt_near(o.motion, 1e6, 1);
    sni_obstacle_deinit(&o);
    snt_context_end(context);
}

static void degenerate_triangles_are_lines_and_points(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float points[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    const uint32_t triangles[6] = {0, 1, 2, 1, 1, 1};
    const sni_obstacle_part part = {2, true}; // without volume it has no inside
    const sni_obstacle_shape shape = {3, 2, triangles, 1, &part};
    sni_obstacle o = {0};
    snt_ok(sni_obstacle_begin(context, &shape, points, points, &o, error));
    sni_contact c = touch(&o, sn_vec3_make(0.5, 0.2, 0), sn_vec3_make(0.5, 0.05, 0));
    check_plane(&c, sn_vec3_make(0.5, 0, 0), sn_vec3_make(0, 1, 0));
    c = touch(&o, sn_vec3_make(0.5, 0, 0), sn_vec3_make(0.5, 0, 0));
    assert_true(c.touches && sn_vec3_is_finite(c.normal));
    sni_obstacle_deinit(&o);
    const float bad[9] = {0, 0, NAN};
    snt_fails(SN_INVALID, "vertex 0 has the z coordinate nan",
              sni_obstacle_begin(context, &shape, bad, bad, &o, error));
    snt_fails(SN_INVALID, "vertex 0 has the z coordinate nan",
              sni_obstacle_begin(context, &shape, points, bad, &o, error));
    const float worse[9] = {0, 0, 0, -INFINITY};
    snt_fails(SN_INVALID, "vertex 1 has the x coordinate -inf",
              sni_obstacle_begin(context, &shape, worse, points, &o, error));
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_floor_is_touched_from_both_sides),
        cmocka_unit_test(a_closed_surface_lets_nothing_stay_inside),
        cmocka_unit_test(a_moving_surface_sweeps_samples_along),
        cmocka_unit_test(friction_holds_up_to_its_angle),
        cmocka_unit_test(friction_carries),
        cmocka_unit_test(nothing_tunnels),
        cmocka_unit_test(what_leaves_the_world_takes_nothing_along),
        cmocka_unit_test(degenerate_triangles_are_lines_and_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
