// SPDX-License-Identifier: Apache-2.0
#include "build.h"

// A body's left arm along x, with a segment for twist in the forearm, and three links of a tail.
static const snt_bone bones[] = {
    {"chest", -1, {0, 1.4, 0}},          {"clavicle.L", 0, {0.05, 0, 0}},
    {"upper arm.L", 1, {0.12, 0, 0}},    {"forearm.L", 2, {0.3, 0, 0}},
    {"forearm twist.L", 3, {0.1, 0, 0}}, {"hand.L", 4, {0.15, 0, 0}},
    {"tail 1", 0, {0, -0.4, -0.1}},      {"tail 2", 6, {0, 0, -0.2}},
    {"tail 3", 7, {0, 0, -0.2}}};
enum { CHEST, CLAVICLE, UPPER, LOWER, TWIST, HAND, TAIL1, TAIL2, TAIL3, BONE_COUNT };

static const double degree = SN_PI / 180;
static const double length = 0.55; // of the arm

typedef struct fixture {
    sn_context *context;
    sn_skeleton skeleton;
    sn_transform locals[BONE_COUNT];
    sn_mat4 worlds[BONE_COUNT];
    double parameters[BONE_COUNT * SN_JOINT_PARAMETER_COUNT];
    sn_reach_desc desc;
    sn_reach reach;
} fixture;

static double *angles_of(fixture *f, uint32_t segment) {
    return f->parameters + segment * SN_JOINT_PARAMETER_COUNT;
}

static void pose(fixture *f) {
    for (uint32_t i = 0; i < BONE_COUNT; ++i) {
        f->locals[i] = sni_segment_local(&f->skeleton.segments[i], angles_of(f, i));
    }
    sni_skeleton_world(&f->skeleton, f->locals, f->worlds);
}

static void limit(fixture *f, uint32_t segment, int angle, double low, double high) {
    f->skeleton.segments[segment].limits[angle] = (sn_limit){low * degree, high * degree};
    f->skeleton.segments[segment].limited = true;
}

static void setup(fixture *f) {
    *f = (fixture){.context = snt_context(1)};
    f->skeleton = snt_skeleton(f->context, bones, BONE_COUNT);
    for (uint32_t i = 0; i < BONE_COUNT; ++i) {
        memcpy(angles_of(f, i), f->skeleton.segments[i].rest_parameters,
               sizeof f->skeleton.segments[i].rest_parameters);
    }
    pose(f);
    f->desc = sn_reach_desc_default();
    f->desc.limb = (sn_limb){UPPER, LOWER, HAND, false};
}

// The elbow is a hinge about y, the forearm's twist turns about x, and the shoulder has limits.
static void limit_as_a_body(fixture *f) {
    limit(f, LOWER, 0, 0, 0);
    limit(f, LOWER, 1, -145, 0);
    limit(f, LOWER, 2, 0, 0);
    limit(f, TWIST, 0, -80, 80);
    limit(f, TWIST, 1, 0, 0);
    limit(f, TWIST, 2, 0, 0);
    limit(f, UPPER, 0, -80, 80);
    limit(f, UPPER, 1, -120, 40);
    limit(f, UPPER, 2, -80, 90);
}

static void teardown(fixture *f) {
    sni_skeleton_deinit(f->context, &f->skeleton);
    snt_context_end(f->context);
}

static sn_vec3 place(const fixture *f, uint32_t segment) {
    const double *m = f->worlds[segment].m;
    return sn_vec3_make(m[12], m[13], m[14]);
}

static sn_status solve(fixture *f, sn_error *error) {
    return sn_reach_solve(&f->skeleton, f->worlds, f->parameters, &f->desc, &f->reach, error);
}

// Solves and poses the limb. Limits must hold, and the hand must be where the solver says.
static void reach(fixture *f, sn_vec3 target) {
    f->desc.target = target;
    snt_ok(solve(f, error));
    memcpy(angles_of(f, f->desc.limb.upper), f->reach.upper, sizeof f->reach.upper);
    memcpy(angles_of(f, f->desc.limb.lower), f->reach.lower, sizeof f->reach.lower);
    pose(f);
    for (int i = 0; i < 3; ++i) {
        sn_limit upper = f->skeleton.segments[f->desc.limb.upper].limits[i];
        sn_limit lower = f->skeleton.segments[f->desc.limb.lower].limits[i];
        assert_true(f->reach.upper[i] >= upper.low && f->reach.upper[i] <= upper.high);
        assert_true(f->reach.lower[i] >= lower.low && f->reach.lower[i] <= lower.high);
    }
    snt_near(sn_vec3_distance(place(f, f->desc.limb.end), target), f->reach.miss, 1e-12);
}

static sn_vec3 random_direction(snt_random *random) {
    return sn_quat_rotate(snt_random_quat(random), sn_vec3_make(1, 0, 0));
}

static bool is_limb(const sn_limb *limb, uint32_t upper, uint32_t lower, uint32_t end, bool named) {
    return limb->upper == upper && limb->lower == lower && limb->end == end &&
           limb->is_named == named;
}

static void finds_limbs(void **state) {
    (void)state;
    fixture f;
    sn_limb limbs[BONE_COUNT];
    setup(&f);
    snt_ok(sn_skeleton_limbs(f.context, &f.skeleton, limbs, error));
    assert_true(is_limb(&limbs[HAND], UPPER, LOWER, HAND, true));
    assert_true(is_limb(&limbs[TAIL3], TAIL1, TAIL2, TAIL3, false));
    assert_true(is_limb(&limbs[CLAVICLE], SN_NONE, CHEST, CLAVICLE, false));
    // By joints, where names do not tell: one that twists what is below it is no joint of a limb.
    sni_free(f.context, f.skeleton.segments[HAND].name);
    f.skeleton.segments[HAND].name = sni_string_copy(f.context, "claw");
    limit_as_a_body(&f);
    snt_ok(sn_skeleton_limbs(f.context, &f.skeleton, limbs, error));
    assert_true(is_limb(&limbs[HAND], UPPER, LOWER, HAND, false));
    // The hand of an arm alone has no side.
    sni_free(f.context, f.skeleton.segments[HAND].name);
    f.skeleton.segments[HAND].name = sni_string_copy(f.context, "hand");
    snt_ok(sn_skeleton_limbs(f.context, &f.skeleton, limbs, error));
    assert_true(is_limb(&limbs[HAND], UPPER, LOWER, HAND, true));
    teardown(&f);
}

static void reaches_exactly(void **state) {
    (void)state;
    fixture f;
    snt_random random = {7};
    setup(&f);
    for (int i = 0; i < 500; ++i) {
        double far = snt_random_range(&random, 0.06, length - 1e-4);
        sn_vec3 way = random_direction(&random);
        reach(&f, sn_vec3_add_scaled(place(&f, UPPER), far, way));
        snt_near(f.reach.miss, 0, 1e-9);
    }
    // Too far: the arm points there, straight.
    sn_vec3 target = sn_vec3_add(place(&f, UPPER), sn_vec3_make(1, 2, 2));
    reach(&f, target);
    snt_near(f.reach.miss, 3 - length, 1e-9);
    // Too near: folded as far as it goes.
    reach(&f, sn_vec3_add(place(&f, UPPER), sn_vec3_make(0.01, 0, 0)));
    snt_near(f.reach.miss, 0.05 - 0.01, 1e-9);
    teardown(&f);
}

// Below a parent that is turned, larger and a mirror image.
static void reaches_below_any_parent(void **state) {
    (void)state;
    fixture f;
    snt_random random = {8};
    setup(&f);
    f.skeleton.segments[CLAVICLE].rest.rotation = snt_random_quat(&random);
    f.skeleton.segments[CLAVICLE].rest.scale = sn_vec3_make(-2, 2, 2);
    limit(&f, LOWER, 0, 0, 0);
    limit(&f, LOWER, 1, -145, 0);
    limit(&f, LOWER, 2, 0, 0);
    pose(&f);
    for (int i = 0; i < 200; ++i) {
        double far = snt_random_range(&random, 0.4, 2 * length - 1e-4);
        reach(&f, sn_vec3_add_scaled(place(&f, UPPER), far, random_direction(&random)));
        snt_near(f.reach.miss, 0, 1e-9);
    }
    teardown(&f);
}

// Whatever the arm can reach within its limits it reaches, from its rest pose.
static void reaches_within_limits(void **state) {
    (void)state;
    fixture f;
    snt_random random = {9};
    setup(&f);
    limit_as_a_body(&f);
    for (int i = 0; i < 500; ++i) {
        double rest[sizeof f.parameters / sizeof *f.parameters];
        memcpy(rest, f.parameters, sizeof rest);
        for (int k = 0; k < 3; ++k) {
            sn_limit upper = f.skeleton.segments[UPPER].limits[k];
            sn_limit lower = f.skeleton.segments[LOWER].limits[k];
            angles_of(&f, UPPER)[k] = snt_random_range(&random, upper.low, upper.high);
            angles_of(&f, LOWER)[k] = snt_random_range(&random, lower.low, lower.high);
        }
        pose(&f);
        sn_vec3 target = place(&f, HAND);
        memcpy(f.parameters, rest, sizeof rest);
        pose(&f);
        reach(&f, target);
        snt_near(f.reach.miss, 0, 1e-9);
        memcpy(f.parameters, rest, sizeof rest);
        pose(&f);
    }
    teardown(&f);
}

// The distance of the elbow from the half plane through shoulder, target and pole.
static double beside_pole(const fixture *f) {
    sn_vec3 s = place(f, UPPER);
    sn_vec3 along = sn_vec3_sub(f->desc.target, s);
    along = sn_vec3_normalize_or(along, along);
    sn_vec3 pole = sn_vec3_sub(f->desc.pole, s), elbow = sn_vec3_sub(place(f, LOWER), s);
    pole = sn_vec3_add_scaled(pole, -sn_vec3_dot(pole, along), along);
    pole = sn_vec3_normalize_or(pole, pole);
    elbow = sn_vec3_add_scaled(elbow, -sn_vec3_dot(elbow, along), along);
    return sn_vec3_distance(elbow, sn_vec3_scale(pole, sn_vec3_length(elbow)));
}

static void points_the_elbow_at_the_pole(void **state) {
    (void)state;
    fixture f;
    snt_random random = {10};
    setup(&f);
    limit(&f, LOWER, 0, 0, 0);
    limit(&f, LOWER, 1, -145, 0);
    limit(&f, LOWER, 2, 0, 0);
    f.desc.has_pole = true;
    for (int i = 0; i < 300; ++i) {
        double far = snt_random_range(&random, 0.2, length - 1e-3);
        f.desc.pole = sn_vec3_add(place(&f, UPPER), random_direction(&random));
        reach(&f, sn_vec3_add_scaled(place(&f, UPPER), far, random_direction(&random)));
        snt_near(f.reach.miss, 0, 1e-9);
        snt_near(beside_pole(&f), 0, 1e-9);
    }
    teardown(&f);
}

// A target that goes away beyond the reach and comes back: no step of it turns a joint by more than
// its size explains, and the elbow stays on its side.
static void stays_continuous(bool hinge) {
    fixture f;
    setup(&f);
    if (hinge) {
        limit_as_a_body(&f);
    }
    f.desc.has_pole = true;
    f.desc.pole = sn_vec3_add(place(&f, UPPER), sn_vec3_make(0.2, -0.1, -1));
    sn_vec3 shoulder = place(&f, UPPER), way = sn_vec3_make(0.8, -0.2, 0.4), elbow = {0};
    way = sn_vec3_normalize_or(way, way);
    const int steps = 4000;
    for (int i = 0; i <= steps; ++i) {
        double t = (double)i / steps;
        double far = length * (0.9 + 0.2 * (1 - fabs(2 * t - 1)));
        reach(&f, sn_vec3_add_scaled(shoulder, far, way));
        if (i > 0) {
            // Bones of a and b at a distance d: the elbow is sqrt(a^2 - x^2) beside the line with x
            // = (d^2 + a^2 - b^2) / 2d, which grows by about sqrt(2 ab / (a + b) * step).
            double step = 0.4 * length / steps;
            assert_true(sn_vec3_distance(place(&f, LOWER), elbow) < 2 * sqrt(length * step));
        }
        elbow = place(&f, LOWER);
        snt_near(beside_pole(&f), 0, 1e-6);
    }
    teardown(&f);
}

static void does_not_flip_a_straight_hinge(void **state) {
    (void)state;
    stays_continuous(true);
}

static void does_not_flip_a_straight_ball(void **state) {
    (void)state;
    stays_continuous(false);
}

// Limits of the shoulder may not allow the pole: the elbow then moves with the target all the same.
static void is_continuous_along_limits(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    limit_as_a_body(&f);
    f.desc.has_pole = true;
    f.desc.pole = sn_vec3_add(place(&f, UPPER), sn_vec3_make(0, 1, 0));
    sn_vec3 shoulder = place(&f, UPPER), elbow = {0};
    for (int i = 0; i <= 2000; ++i) {
        double angle = SN_PI * i / 2000;
        sn_vec3 offset = {0.3, 0.3 * cos(angle) - 0.1, 0.2 * sin(angle)};
        reach(&f, sn_vec3_add(shoulder, offset));
        assert_true(i == 0 || sn_vec3_distance(place(&f, LOWER), elbow) < 0.01);
        elbow = place(&f, LOWER);
    }
    teardown(&f);
}

static void refuses_what_is_no_limb(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    f.desc.limb = (sn_limb){LOWER, UPPER, HAND, false};
    snt_fails(SN_INVALID, "are not a limb", solve(&f, error));
    f.desc.limb = (sn_limb){UPPER, LOWER, HAND, false};
    f.desc.target.x = NAN;
    snt_fails(SN_INVALID, "hand.L", solve(&f, error));
    f.desc.check = 0;
    snt_fails(SN_INVALID, "sn_reach_desc_default", solve(&f, error));
    teardown(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_limbs),
        cmocka_unit_test(reaches_exactly),
        cmocka_unit_test(reaches_below_any_parent),
        cmocka_unit_test(reaches_within_limits),
        cmocka_unit_test(points_the_elbow_at_the_pole),
        cmocka_unit_test(does_not_flip_a_straight_hinge),
        cmocka_unit_test(does_not_flip_a_straight_ball),
        cmocka_unit_test(is_continuous_along_limits),
        cmocka_unit_test(refuses_what_is_no_limb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
