// SPDX-License-Identifier: Apache-2.0
//
// The field of a body with muscles: two balls for parts, spindles and balls for muscles.
#include "test.h"

#include "field/tree.h"

enum { MUSCLES_MOST = 50 };

// A muscle: a ball, stretched along x.
typedef struct spindle {
    sn_vec3 center;
    double radius, stretch;
} spindle;

static sni_distance_value spindle_at(const void *user, sn_vec3 at) {
    const spindle *s = user;
    sn_vec3 d = sn_vec3_sub(at, s->center);
    d.x /= s->stretch;
    double length = sn_vec3_length(d);
    sn_vec3 out = sn_vec3_normalize_or(d, sn_vec3_make(0, 1, 0));
    out.x /= s->stretch;
    return (sni_distance_value){length - s->radius, out};
}

static sni_field_muscle muscle_of(const spindle *s) {
    sn_vec3 size = {s->radius * s->stretch, s->radius, s->radius};
    return (sni_field_muscle){spindle_at, s, sn_vec3_sub(s->center, size),
                              sn_vec3_add(s->center, size)};
}

typedef struct body {
    sn_context *context;
    sni_field_part parts[2];
    sni_field_joint joint;
    uint8_t contacts[4];
    uint32_t starts[3], lists[2 * MUSCLES_MOST];
    sni_part_pose pose[2];
    spindle spindles[MUSCLES_MOST];
    sni_field_muscle muscles[MUSCLES_MOST];
    sni_field_box reaches[2];
    double radii[2];
    uint8_t shared[MUSCLES_MOST];
    sni_field_muscles all;
    sni_field_tree tree;
    sni_tree_pose posed;
} body;

static const uint32_t group_starts[2] = {0, 2}, group_parts[2] = {0, 1};

// Two parts like balls of radius 1 around (-0.8, 0, 0) and (0.8, 0, 0), in contact in the fold.
static void body_make(body *b) {
    *b = (body){.context = snt_context(1)};
    for (int part = 0; part < 2; ++part) {
        double x = part == 0 ? -0.8 : 0.8;
        sni_hrbf_sample samples[6];
        for (int k = 0; k < 6; ++k) {
            double out[3] = {0, 0, 0};
            out[k / 2] = k % 2 == 0 ? 1 : -1;
            samples[k].normal = sn_vec3_make(out[0], out[1], out[2]);
            samples[k].point = sn_vec3_add(sn_vec3_make(x, 0, 0), samples[k].normal);
        }
        snt_ok(sni_hrbf_fit(b->context, samples, 6, SNI_HRBF_AFFINE, &b->parts[part].hrbf, error));
        b->parts[part].radius = 1;
        b->radii[part] = 0.5;
        b->parts[part].low = sn_vec3_make(x - 2.5, -2.5, -2.5);
        b->parts[part].high = sn_vec3_make(x + 2.5, 2.5, 2.5);
        b->pose[part] = (sni_part_pose){sn_quat_identity(), {0, 0, 0}};
    }
    b->joint = (sni_field_joint){{0, 1}, &sni_controller_elbow, SNI_OPENING_STANDARD};
    b->tree =
        (sni_field_tree){2, b->parts, 1, &b->joint, b->contacts, 1, group_starts, group_parts};
}

static void body_free(body *b) {
    sni_hrbf_free(b->context, &b->parts[0].hrbf);
    sni_hrbf_free(b->context, &b->parts[1].hrbf);
    snt_context_end(b->context);
}

// The first `first` muscles belong to the first part, those from `second` on to the second.
static void set_muscles(body *b, uint32_t count, uint32_t first, uint32_t second) {
    uint32_t listed = 0;
    for (uint32_t i = 0; i < count; ++i) {
        b->muscles[i] = muscle_of(&b->spindles[i]);
        b->shared[i] = i < first && i >= second;
    }
    for (uint32_t i = 0; i < first; ++i) {
        b->lists[listed++] = i;
    }
    b->starts[1] = listed;
    for (uint32_t i = second; i < count; ++i) {
        b->lists[listed++] = i;
    }
    b->starts[2] = listed;
    b->all = (sni_field_muscles){b->starts, b->lists, b->radii, b->muscles, b->shared, b->reaches};
    sni_field_muscles_reach(&b->all, 2);
    b->posed = (sni_tree_pose){b->pose, &b->all};
}

static double value_at(const body *b, sn_vec3 at) {
    return sni_field_tree_posed_at(&b->tree, &b->posed, 0, at).field.value;
}

static sn_vec3 random_point(snt_random *random, double most) {
    return sn_vec3_make(snt_random_range(random, -2, 2), snt_random_range(random, -most, most),
                        snt_random_range(random, -most, most));
}

// Gradients by differences, at random places. The change of a blend's width with the angle, and
// that of the gate of contact beside a muscle, are left out of gradients by design, so here joints
// are united and parts do not touch.
static void gradients_are_those_of_the_values(void **state) {
    (void)state;
    body b;
    body_make(&b);
    b.joint.controller = &sni_controller_union;
    b.spindles[0] = (spindle){{-0.9, 0.7, 0}, 0.35, 2};
    b.spindles[1] = (spindle){{-0.5, 0.6, 0.4}, 0.3, 1.5};
    b.spindles[2] = (spindle){{0, 0.6, 0}, 0.4, 3}; // over the joint: of both
    b.spindles[3] = (spindle){{0.9, -0.8, 0.2}, 0.4, 1};
    set_muscles(&b, 4, 3, 2);
    snt_random random = {3};
    uint32_t compared = 0, muscular = 0;
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        sn_vec3 at = random_point(&random, 1.5);
        sni_field_value here = sni_field_tree_posed_at(&b.tree, &b.posed, 0, at).field;
        sni_field_value plain = sni_field_tree_at(&b.tree, b.pose, 0, at).field;
        double step = 1e-5;
        const double parts[3] = {here.gradient.x, here.gradient.y, here.gradient.z};
        for (int axis = 0; axis < 3; ++axis) {
            sn_vec3 along = {axis == 0, axis == 1, axis == 2};
            double ahead = value_at(&b, sn_vec3_add_scaled(at, step, along)) - here.value;
            double back = here.value - value_at(&b, sn_vec3_add_scaled(at, -step, along));
            if (fabs(ahead - back) > 1e-3 * step) {
                continue; // a crease of the union, or the sheet of contact
            }
            worst = fmax(worst, fabs((ahead + back) / (2 * step) - parts[axis]));
            ++compared;
            muscular += here.value != plain.value;
        }
    }
    assert_true(compared > 50000 && muscular > 8000);
    assert_true(worst < 1e-3);
    body_free(&b);
}

// Where no muscle is near, the field has the same bits as without any.
static void far_from_muscles_nothing_changes(void **state) {
    (void)state;
    body b;
    body_make(&b);
    b.contacts[1] = b.contacts[2] = SNI_CONTACT_HINGE;
    b.spindles[0] = (spindle){{-0.9, 0.7, 0}, 0.3, 1.5};
    set_muscles(&b, 1, 1, 1);
    snt_random random = {4};
    uint32_t far = 0;
    for (int i = 0; i < 5000; ++i) {
        sn_vec3 at = random_point(&random, 1.5);
        if (spindle_at(&b.spindles[0], at).distance >= b.radii[0]) {
            sni_tree_value with = sni_field_tree_posed_at(&b.tree, &b.posed, 0, at);
            sni_tree_value without = sni_field_tree_at(&b.tree, b.pose, 0, at);
            assert_memory_equal(&with.field, &without.field, sizeof with.field);
            assert_true(with.part == without.part);
            ++far;
        }
    }
    assert_true(far > 2000);
    body_free(&b);
}

// Outwards through the middle of a muscle the field falls: skin inside of it finds out. (Just below
// the value from which on muscles say nothing, deep inside, it may be level.)
static void no_point_inside_of_a_muscle_is_stuck(void **state) {
    (void)state;
    body b;
    body_make(&b);
    b.spindles[0] = (spindle){{-0.8, 0.75, 0}, 0.4, 2};
    set_muscles(&b, 1, 1, 1);
    b.parts[0].radius = 1.3; // twice what the muscle stands out by, and more
    b.radii[0] = 0.4;        // as thick as the muscle
    sni_field_muscles_reach(&b.all, 2);
    double before = 1;
    uint32_t inside = 0;
    for (double y = 0; y < 2; y += 0.002) {
        sn_vec3 at = {-0.8, y, 0};
        sni_field_value here = sni_field_limb_at(&b.tree, &b.posed, 0, at);
        assert_true(here.value <= before + 1e-3);
        before = fmin(before, here.value);
        if (here.value > 0.3 && here.value < 0.72) {
            assert_true(here.gradient.y < -0.1);
            inside += spindle_at(&b.spindles[0], at).distance < 0;
        }
    }
    assert_true(inside > 100);
    body_free(&b);
}

// Counts how often muscles are asked.
typedef struct counted {
    spindle shape;
    uint32_t *calls;
} counted;

static sni_distance_value counted_at(const void *user, sn_vec3 at) {
    const counted *c = user;
    ++*c->calls;
    return spindle_at(&c->shape, at);
}

// Fifty muscles around one part: each place asks those around it alone, and their order is that of
// the list.
static void of_many_muscles_those_nearby_are_asked(void **state) {
    (void)state;
    body b;
    body_make(&b);
    b.radii[0] = 0.1;
    counted counters[MUSCLES_MOST];
    uint32_t calls = 0;
    set_muscles(&b, 0, 0, 0);
    for (uint32_t i = 0; i < MUSCLES_MOST; ++i) {
        double turn = 2 * SN_PI * i / MUSCLES_MOST;
        b.spindles[i] = (spindle){{-0.8, 0.9 * cos(turn), 0.9 * sin(turn)}, 0.1, 4};
        counters[i] = (counted){b.spindles[i], &calls};
    }
    set_muscles(&b, MUSCLES_MOST, MUSCLES_MOST, MUSCLES_MOST);
    for (uint32_t i = 0; i < MUSCLES_MOST; ++i) {
        b.muscles[i].distance = counted_at;
        b.muscles[i].user = &counters[i];
    }
    snt_random random = {9};
    uint32_t places = 0, felt = 0;
    for (int i = 0; i < 4000; ++i) {
        double turn = snt_random_range(&random, 0, 2 * SN_PI);
        double r = snt_random_range(&random, 0.7, 1.3);
        sn_vec3 at = {snt_random_range(&random, -1.2, -0.4), r * cos(turn), r * sin(turn)};
        double with = sni_field_limb_at(&b.tree, &b.posed, 0, at).value;
        felt += with > sni_field_part_at(&b.parts[0], &b.pose[0], at).value;
        ++places;
        assert_true(with <= 1);
    }
    assert_true(felt > places / 4);
    assert_true(calls < 8 * places); // of fifty
    body_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_the_values),
        cmocka_unit_test(far_from_muscles_nothing_changes),
        cmocka_unit_test(no_point_inside_of_a_muscle_is_stuck),
        cmocka_unit_test(of_many_muscles_those_nearby_are_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
