// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "solver/rigid.h"

#include <math.h>

static const double step = 1.0 / 240;

// A box of some kilograms with three different moments.
static sni_rigid_body box(double mass, double x, double y, double z) {
    return (sni_rigid_body){.mass = mass,
                            .inertia = {mass * (y * y + z * z) / 12, 0, 0, 0,
                                        mass * (x * x + z * z) / 12, 0, 0, 0,
                                        mass * (x * x + y * y) / 12}};
}

typedef struct setting {
    sn_context *context;
    sni_arena arena;
    sni_rigid *rigid;
    sni_rigid_job job;
} setting;

static setting set_up(const sni_rigid_desc *desc) {
    setting s = {.context = snt_context(1)};
    sni_arena_init(&s.arena, s.context);
    snt_ok(sni_rigid_create(s.context, desc, &s.rigid, error));
    return s;
}

static void tear_down(setting *s) {
    sni_rigid_destroy(s->rigid);
    sni_arena_deinit(&s->arena);
    snt_context_end(s->context);
}

static sni_rigid_outcome one_step(setting *s, double time, sni_rigid_state *states) {
    s->job.arena = &s->arena;
    return sni_rigid_step(s->rigid, &s->job, time, states, NULL);
}

// --- Free motion

// About the axis between the largest and the smallest moment a body tumbles: it turns over again
// and again.
static void a_free_body_keeps_its_energy_for_ten_seconds(void **state) {
    (void)state;
    sni_rigid_body body = box(0.2, 0.1, 0.06, 0.03);
    setting s = set_up(&(sni_rigid_desc){.body_count = 1, .bodies = &body});
    sni_rigid_state now = sni_rigid_at_rest(s.rigid, 0);
    double spin = 20; // rad/s
    now.momentum = sn_vec3_make(body.inertia[0] * 0.2, body.inertia[4] * spin, 1e-6);
    now.velocity = sn_vec3_make(0.3, -0.1, 0.2);
    sn_vec3 momentum = now.momentum;
    double energy = sni_rigid_energy(s.rigid, 0, &now), worst = 0, tumbled = 1;
    for (int i = 0; i < 2400; ++i) {
        assert_int_equal(one_step(&s, step, &now), SNI_RIGID_DONE);
        worst = fmax(worst, fabs(sni_rigid_energy(s.rigid, 0, &now) / energy - 1));
        sn_vec3 axis = sn_quat_rotate(now.turn, sn_vec3_make(0, 1, 0));
        tumbled = fmin(tumbled, axis.y);
    }
    assert_true(tumbled < -0.9);
    assert_true(worst < 0.005);
    snt_near(sn_vec3_distance(now.momentum, momentum), 0, 1e-15);
    snt_near(sn_vec3_distance(now.center, sn_vec3_make(3, -1, 2)), 0, 1e-9);
    tear_down(&s);
}

static void a_falling_body_keeps_its_energy(void **state) {
    (void)state;
    sni_rigid_body body = box(0.2, 0.1, 0.06, 0.03);
    setting s = set_up(&(sni_rigid_desc){.body_count = 1, .bodies = &body});
    sni_rigid_state now = sni_rigid_at_rest(s.rigid, 0);
    now.velocity = sn_vec3_make(1, 20, 0);
    now.momentum = sn_vec3_make(1e-4, 2e-4, 3e-4);
    s.job.gravity = sn_vec3_make(0, -9.81, 0);
    double energy = sni_rigid_energy(s.rigid, 0, &now);
    for (int i = 0; i < 2400; ++i) {
        one_step(&s, step, &now);
        double all = sni_rigid_energy(s.rigid, 0, &now) + 0.2 * 9.81 * now.center.y;
        assert_true(fabs(all / energy - 1) < 1e-3);
    }
    snt_near(now.center.y, 20 * 10 - 9.81 * 100 / 2, 1e-9);
    tear_down(&s);
}

// The axis of a symmetric top goes around the momentum at L / I of its side: Landau and Lifshitz,
// Mechanics, section 33.
static void a_symmetric_top_precesses_as_it_should(void **state) {
    (void)state;
    sni_rigid_body body = box(0.2, 0.05, 0.05, 0.1);
    setting s = set_up(&(sni_rigid_desc){.body_count = 1, .bodies = &body});
    sni_rigid_state now = sni_rigid_at_rest(s.rigid, 0);
    now.momentum = sn_vec3_make(0, 3 * body.inertia[0], 4 * body.inertia[0]);
    sn_vec3 up = sn_vec3_make(0, 0.6, 0.8);
    double rate = 5, time = 2;
    for (int i = 0; i < 480; ++i) {
        one_step(&s, step, &now);
    }
    sn_vec3 axis = sn_quat_rotate(now.turn, sn_vec3_make(0, 0, 1));
    sn_quat around = sn_quat_from_axis_angle(up, rate * time);
    sn_vec3 expected = sn_quat_rotate(around, sn_vec3_make(0, 0, 1));
    snt_near(sn_vec3_distance(axis, expected), 0, 2e-3);
    tear_down(&s);
}

static void damping_slows_as_an_exponential(void **state) {
    (void)state;
    sni_rigid_body body = box(1, 1, 1, 1);
    sni_rigid_load load = {.damping = 2};
    setting s = set_up(&(sni_rigid_desc){.body_count = 1, .bodies = &body});
    sni_rigid_state now = sni_rigid_at_rest(s.rigid, 0);
    s.job.loads = &load;
    now.velocity = sn_vec3_make(1, 0, 0);
    now.momentum = sn_vec3_make(0, 1, 0);
    for (int i = 0; i < 240; ++i) {
        one_step(&s, step, &now);
    }
    snt_near(now.velocity.x, exp(-2), 1e-12);
    snt_near(now.momentum.y, exp(-2), 1e-12);
    tear_down(&s);
}

// --- Tension

static const sni_rigid_muscle plain = {.strength = 100,
                                       .optimum = 1,
                                       .passive = 0.5,
                                       .tone = 0,
                                       .speed = 10,
                                       .viscosity = 0.1,
                                       .shortening = 0.3};

static void tension_has_the_published_values(void **state) {
    (void)state;
    double slope;
    snt_near(sni_rigid_tension(&plain, 1, 1, 1, 0, &slope), 100, 1e-12);
    snt_near(sni_rigid_tension(&plain, 0.5, 1, 1, 0, &slope), 50, 1e-12);
    snt_near(sni_rigid_tension(&plain, 1, 0.7, 1, 0, &slope), 100 * exp(-0.2), 1e-12);
    snt_near(sni_rigid_tension(&plain, 0, 1.6, 1, 0, &slope), 50, 1e-12);
    snt_near(sni_rigid_tension(&plain, 0, 0.9, 1, 0, &slope), 0, 0);
    // Shortening at half of the fastest speed it pulls a sixth as hard, less what is viscous.
    double half = 1 - 0.5 * 10 * step;
    snt_near(sni_rigid_tension(&plain, 1, half, 1, step, &slope), 100 * (0.5 / 3 - 0.05), 1e-9);
    // Faster than the fastest it does not push.
    snt_near(sni_rigid_tension(&plain, 1, 1 - 2 * 10 * step, 1, step, &slope), 0, 0);
    snt_near(slope, 0, 0);
    // A tendon takes no part in it.
    sni_rigid_muscle tendon = plain;
    tendon.tendon = 0.5;
    snt_near(sni_rigid_tension(&tendon, 1, 0.85, 1, 0, &slope), 100 * exp(-0.2), 1e-12);
    sni_rigid_muscle spring = plain;
    spring.law = SNI_TENSION_SPRING;
    snt_near(sni_rigid_tension(&spring, 1, 1, 1, 0, &slope), 100, 1e-12);
    snt_near(sni_rigid_tension(&spring, 1, 0.85, 1, 0, &slope), 50, 1e-12);
    snt_near(sni_rigid_tension(&spring, 0.5, 1.2, 1, 0, &slope), 50, 1e-12);
    snt_near(sni_rigid_tension(&spring, 0, 1.2, 1, 0, &slope), 0, 0);
}

static void slopes_of_tension_are_its_differences(void **state) {
    (void)state;
    snt_random random = {3};
    for (int i = 0; i < 2000; ++i) {
        sni_rigid_muscle m = plain;
        m.law = i % 2 == 0 ? SNI_TENSION_HILL : SNI_TENSION_SPRING;
        m.tendon = snt_random_range(&random, 0, 0.6);
        m.optimum = snt_random_range(&random, 0.9, 1.3);
        double a = snt_random_range(&random, 0, 1), length = snt_random_range(&random, 0.6, 1.8);
        double time = i % 3 == 0 ? 0 : step, h = 1e-7, slope, other;
        double before = length + snt_random_range(&random, -0.02, 0.02);
        double low = sni_rigid_tension(&m, a, length - h, before, time, &other);
        double high = sni_rigid_tension(&m, a, length + h, before, time, &other);
        sni_rigid_tension(&m, a, length, before, time, &slope);
        double difference = (high - low) / (2 * h);
        assert_true(fabs(slope - difference) < 1e-4 * (fabs(slope) + 100) ||
                    fabs(sni_rigid_tension(&m, a, length, before, time, &other)) < 1e-3 ||
                    m.law == SNI_TENSION_SPRING);
    }
}

// --- Muscles that pull

// A straight line from a fixed point to a point of body 0.
typedef struct straight {
    sn_vec3 from, to; // at rest
    sni_rigid_pull pull;
} straight;

static bool straight_line(void *user, const sni_rigid_place *bodies, sni_rigid_posed_line *lines) {
    straight *line = user;
    sn_vec3 at = sni_rigid_place_point(&bodies[0], line->to), way = sn_vec3_sub(line->from, at);
    double length = sn_vec3_length(way);
    line->pull =
        (sni_rigid_pull){.at = at, .force = sn_vec3_scale(way, 1 / length), .bend = 1 / length};
    lines[0] = (sni_rigid_posed_line){length, 1, &line->pull};
    return true;
}

// A weight on a muscle hangs where its tension is the weight.
static void a_weight_hangs_where_tension_carries_it(void **state) {
    (void)state;
    sni_rigid_body body = box(5, 0.1, 0.1, 0.1);
    sni_rigid_line of = {.share = 1, .rest_length = 0.2};
    straight line = {.from = {0, 0.25, 0}, .to = {0, 0.05, 0}};
    double slope;
    setting s = set_up(&(sni_rigid_desc){.body_count = 1,
                                         .bodies = &body,
                                         .muscle_count = 1,
                                         .muscles = &plain,
                                         .line_count = 1,
                                         .lines = &of});
    sni_rigid_state now;
    double force = 0, activation = 0.2;
    s.job = (sni_rigid_job){.arena = &s.arena,
                            .gravity = {0, -9.81, 0},
                            .activations = &activation,
                            .lines = straight_line,
                            .user = &line};
    sni_rigid_results results = {.muscles = &force};
    assert_int_equal(sni_rigid_settle(s.rigid, &s.job, &now, &results), SNI_RIGID_DONE);
    snt_near(force, 5 * 9.81, 1e-6);
    double length = (0.25 - 0.05 - now.center.y) / 0.2;
    snt_near(sni_rigid_tension(&plain, activation, length, 1, 0, &slope), 5 * 9.81, 1e-5);
    // Moving, it comes to the same place.
    sni_rigid_state moving = sni_rigid_at_rest(s.rigid, 0);
    for (int i = 0; i < 2400; ++i) {
        one_step(&s, step, &moving);
    }
    snt_near(moving.center.y, now.center.y, 1e-6);
    snt_near(sn_vec3_length(moving.velocity), 0, 1e-6);
    tear_down(&s);
}

// Without anything that holds it, a body has nowhere to rest.
static void a_free_body_finds_no_rest(void **state) {
    (void)state;
    sni_rigid_body body = box(1, 0.1, 0.1, 0.1);
    setting s = set_up(&(sni_rigid_desc){.body_count = 1, .bodies = &body});
    sni_rigid_state now;
    s.job = (sni_rigid_job){.arena = &s.arena, .gravity = {0, -9.81, 0}};
    assert_int_equal(sni_rigid_settle(s.rigid, &s.job, &now, NULL), SNI_RIGID_NO_REST);
    assert_true(isfinite(now.center.y));
    // Without weight it stays where it is.
    s.job.gravity = sn_vec3_make(0, 0, 0);
    assert_int_equal(sni_rigid_settle(s.rigid, &s.job, &now, NULL), SNI_RIGID_DONE);
    snt_near(sn_vec3_length(now.center), 0, 0);
    tear_down(&s);
}

static void wrong_descriptions_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_rigid *rigid = NULL;
    sni_rigid_body body = box(1, 1, 1, 1);
    sni_rigid_desc desc = {.body_count = 1, .bodies = &body};
    body.mass = 0;
    snt_fails(SN_INVALID, "body 0", sni_rigid_create(context, &desc, &rigid, error));
    body = box(1, 1, 1, 0);
    body.inertia[0] = 0;
    snt_fails(SN_INVALID, "no inertia", sni_rigid_create(context, &desc, &rigid, error));
    body = box(1, 1, 1, 1);
    sni_rigid_joint joint = {.body = 1, .on = SN_NONE, .forward = {0, 0, 1}, .up = {0, 1, 0}};
    desc.joint_count = 1;
    desc.joints = &joint;
    snt_fails(SN_INVALID, "joint 0", sni_rigid_create(context, &desc, &rigid, error));
    joint.body = 0;
    joint.up = sn_vec3_make(0, 1, 1);
    snt_fails(SN_INVALID, "square", sni_rigid_create(context, &desc, &rigid, error));
    desc.joint_count = 0;
    sni_rigid_muscle muscle = plain;
    muscle.strength = NAN;
    desc.muscle_count = 1;
    desc.muscles = &muscle;
    snt_fails(SN_INVALID, "muscle 0", sni_rigid_create(context, &desc, &rigid, error));
    muscle.strength = 1;
    sni_rigid_line line = {.muscle = 1, .share = 1, .rest_length = 1};
    desc.line_count = 1;
    desc.lines = &line;
    snt_fails(SN_INVALID, "line 0", sni_rigid_create(context, &desc, &rigid, error));
    sni_rigid_destroy(NULL);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_body_keeps_its_energy_for_ten_seconds),
        cmocka_unit_test(a_falling_body_keeps_its_energy),
        cmocka_unit_test(a_symmetric_top_precesses_as_it_should),
        cmocka_unit_test(damping_slows_as_an_exponential),
        cmocka_unit_test(tension_has_the_published_values),
        cmocka_unit_test(slopes_of_tension_are_its_differences),
        cmocka_unit_test(a_weight_hangs_where_tension_carries_it),
        cmocka_unit_test(a_free_body_finds_no_rest),
        cmocka_unit_test(wrong_descriptions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
