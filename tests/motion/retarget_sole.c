// SPDX-License-Identifier: Apache-2.0
//
// Soles that stay out of the ground.
#include "build.h"

#include "motion/retarget_feet.h"

enum { CORNERS = 8 };

// A box about the ankle, which is `height` over the ground.
typedef struct shoe {
    sni_sole_point points[CORNERS];
    sni_sole sole;
    double height;
} shoe;

static void make_shoe(shoe *s, double heel, double tip, double width, double height) {
    *s = (shoe){.height = height, .sole = {.stiff = true, .count = CORNERS}};
    for (int i = 0; i < CORNERS; ++i) {
        s->points[i].arm = sn_vec3_make(i & 1 ? width / 2 : -width / 2, i & 2 ? 0.02 : -height,
                                        i & 4 ? tip : -heel);
    }
    s->sole.points = s->points;
}

static double depth(const shoe *s, double ankle, sn_quat turn) {
    double deepest = -INFINITY;
    for (int i = 0; i < CORNERS; ++i) {
        deepest = fmax(deepest, -(ankle + sn_quat_rotate(turn, s->points[i].arm).y));
    }
    return deepest;
}

static double tilt_of(sn_quat turn) {
    double y = sn_quat_rotate(turn, sn_vec3_make(0, 1, 0)).y;
    return acos(fmin(fmax(y, -1), 1));
}

static sn_quat about(double x, double y, double z, double degrees) {
    return sn_quat_from_axis_angle(sn_vec3_make(x, y, z), degrees * SN_PI / 180);
}

// What a foot gets deeper by its last ten degrees of tilt, over its length.
static double last_part(const shoe *s, double tip, double ankle, sn_vec3 axis, double degrees,
                        sn_quat flat) {
    double step = fmin(degrees, 10), less = (degrees - step) * SN_PI / 180;
    sn_quat before = sn_quat_multiply(sn_quat_from_axis_angle(axis, less), flat);
    sn_quat now = sn_quat_multiply(sn_quat_from_axis_angle(axis, degrees * SN_PI / 180), flat);
    return (depth(s, ankle, now) - depth(s, ankle, before)) / (step * SN_PI / 180 * tip);
}

// Feet of all shapes, tilted up to 55 degrees and turned about upright, with their ankles about
// where they stand: none gets notably deeper. One that tilt takes into the ground is no deeper than
// if it were flat, and if it was made flatter it touches the ground.
static void a_stiff_foot_is_tilted_as_far_as_it_is_out_of_the_ground(void **state) {
    (void)state;
    snt_random random = {27};
    uint32_t changed = 0;
    for (int i = 0; i < 2000; ++i) {
        shoe s;
        double tip = snt_random_range(&random, 0.15, 0.6);
        make_shoe(&s, snt_random_range(&random, 0.02, 0.1), tip,
                  snt_random_range(&random, 0.05, 0.14), snt_random_range(&random, 0.03, 0.1));
        double angle = snt_random_range(&random, 0, 2 * SN_PI);
        double degrees = snt_random_range(&random, 0, 55);
        sn_vec3 axis = sn_vec3_make(cos(angle), 0, sin(angle));
        sn_quat flat = about(0, 1, 0, snt_random_range(&random, -180, 180));
        sn_quat tilt = sn_quat_from_axis_angle(axis, degrees * SN_PI / 180);
        sn_quat turn = sn_quat_multiply(tilt, flat);
        double ankle = s.height + snt_random_range(&random, -0.05, 0.3);
        sn_quat made = sni_sole_untilt(&s.sole, ankle, turn);
        double allowed = fmax(0, s.height - ankle);
        assert_true(depth(&s, ankle, made) < depth(&s, ankle, turn) + 1e-3 * tip);
        if (depth(&s, ankle, turn) <= allowed) {
            snt_rotation_near(made, turn, 0);
        } else if (last_part(&s, tip, ankle, axis, degrees, flat) > 0.15) {
            changed++;
            snt_near(depth(&s, ankle, made), allowed, 1e-6);
            assert_true(tilt_of(made) < tilt_of(turn));
            // It is turned about upright as it was: the rest is one tilt about one axis.
            snt_near(sn_quat_multiply(made, sn_quat_conjugate(turn)).y, 0, 1e-9);
        }
    }
    assert_true(changed > 300);
}

// A foot that lies on its heel or instep does not stand: it is left, and the leg raises it.
static void feet_that_lie_are_left(void **state) {
    (void)state;
    shoe s;
    make_shoe(&s, 0.05, 0.2, 0.1, 0.08);
    for (double angle = 90; angle < 180; angle += 10) {
        for (int sign = -1; sign <= 1; sign += 2) {
            sn_quat turn = about(1, 0, 0, sign * angle);
            snt_rotation_near(sni_sole_untilt(&s.sole, 0.03, turn), turn, 1e-9);
        }
    }
}

static double turn_between(sn_quat a, sn_quat b) {
    return 2 * acos(fmin(1, fabs(sn_quat_dot(a, b))));
}

// A step of a foot: its heel rises, it swings and lands on its heel, rolled to a side.
static void nothing_jumps(void **state) {
    (void)state;
    shoe s;
    make_shoe(&s, 0.06, 0.3, 0.12, 0.08);
    sn_quat before = sn_quat_identity();
    for (int i = 0; i <= 4000; ++i) {
        double t = i / 4000.0;
        sn_quat turn = sn_quat_multiply(about(1, 0, 0, 80 * sin(2 * SN_PI * t)),
                                        about(0, 0, 1, 15 * sin(5 * SN_PI * t)));
        double ankle = s.height + 0.1 * sin(3 * SN_PI * t);
        sn_quat made = sni_sole_untilt(&s.sole, ankle, turn);
        assert_false(i > 0 && turn_between(before, made) > 0.03);
        before = made;
    }
}

// ---------------------------------------------------------------------------------------------

enum { LEFT_FOOT = 5, LEFT_TIP = 6, RIGHT_FOOT = 9, RIGHT_TOES = 10, COUNT = 11 };

static const snt_bone bones[COUNT] = {
    {"hips", -1, {0, 1, 0}},        {"spine", 0, {0, 0.2, 0}},       {"head", 1, {0, 0.4, 0}},
    {"thigh.L", 0, {0.1, -0.1, 0}}, {"shin.L", 3, {0, -0.4, 0}},     {"foot.L", 4, {0, -0.4, 0}},
    {"tip.L", 5, {0, -0.05, 0.2}},  {"thigh.R", 0, {-0.1, -0.1, 0}}, {"shin.R", 7, {0, -0.4, 0}},
    {"foot.R", 8, {0, -0.4, 0}},    {"toes.R", 9, {0, -0.08, 0.15}},
};

typedef struct body {
    sn_context *context;
    sn_skeleton skeleton;
    sn_retarget_desc desc;
    sni_retarget r;
    uint32_t followed[SNI_FOLLOWED_COUNT][2];
    sni_toe *toes;
    sni_sole soles[2];
} body;

static void make_body(body *b, const sn_skin_point *skin, uint32_t count) {
    *b = (body){.context = snt_context(1), .desc = sn_retarget_desc_default()};
    b->skeleton = snt_skeleton(b->context, bones, COUNT);
    b->desc.skin = skin;
    b->desc.skin_count = count;
    b->r = (sni_retarget){.context = b->context, .desc = &b->desc, .legs = {0.8, 0.8}};
    snt_ok(sni_stance_init(b->context, &b->skeleton, &b->r.target, error));
    sni_followed_segments(&b->r.target, b->followed);
    sni_followed_balls(&b->r.target, b->followed);
    snt_ok(sni_toes_init(&b->r, 0, &b->toes, error));
    snt_ok(sni_soles_init(&b->r, (const uint32_t(*)[2])b->followed, b->toes, b->soles, error));
}

static void end_body(body *b) {
    sni_soles_deinit(b->context, b->soles);
    sni_free(b->context, b->toes);
    sni_stance_deinit(b->context, &b->r.target);
    sni_skeleton_deinit(b->context, &b->skeleton);
    snt_context_end(b->context);
}

// Without a skin the sole is the ball, or the tip that bones tell, 1.35 times as far as the last.
static void bones_tell_where_no_skin_does(void **state) {
    (void)state;
    body b;
    make_body(&b, NULL, 0);
    assert_true(b.soles[0].stiff && !b.soles[1].stiff);
    assert_int_equal(b.followed[SNI_FOLLOWED_TOES][0], LEFT_TIP);
    assert_int_equal(b.soles[0].count, 1);
    snt_near(b.soles[0].points[0].arm.z, 1.35 * 0.2, 1e-12);
    snt_near(b.soles[0].level, 0.1, 1e-12); // as the ankle stands
    snt_near(b.soles[1].level, 0.02, 1e-12);
    assert_int_equal(b.soles[1].points[0].segment, RIGHT_TOES);
    snt_near(sni_sole_depth(&b.soles[0], b.r.target.worlds), 0, 1e-12);
    snt_near(sni_sole_depth(&b.soles[1], b.r.target.worlds), 0, 1e-12);
    end_body(&b);
}

// With a skin both feet stand on the lowest point of either, and toes are as long as their skin.
static void a_skin_tells_where_soles_are(void **state) {
    (void)state;
    const sn_skin_point skin[] = {
        {LEFT_FOOT, {0.1, 0.01, 0.3}},
        {RIGHT_FOOT, {-0.1, 0, -0.05}},
        {RIGHT_TOES, {-0.1, 0, 0.25}},
        {1, {0, -5, 0}}, // of the trunk
    };
    body b;
    make_body(&b, skin, 4);
    assert_int_equal(b.soles[0].count, 1);
    assert_int_equal(b.soles[1].count, 2);
    snt_near(b.soles[0].level, 0, 1e-12);
    snt_near(b.soles[1].level, 0, 1e-12);
    snt_near(sni_sole_depth(&b.soles[0], b.r.target.worlds), -0.01, 1e-12);
    snt_near(b.toes[RIGHT_TOES].length, 0.1, 1e-12);
    // Each point goes with its segment.
    b.r.target.worlds[RIGHT_TOES].m[13] -= 0.03;
    snt_near(sni_sole_depth(&b.soles[1], b.r.target.worlds), 0.03, 1e-12);
    end_body(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_foot_is_tilted_as_far_as_it_is_out_of_the_ground),
        cmocka_unit_test(feet_that_lie_are_left),
        cmocka_unit_test(nothing_jumps),
        cmocka_unit_test(bones_tell_where_no_skin_does),
        cmocka_unit_test(a_skin_tells_where_soles_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
