// SPDX-License-Identifier: Apache-2.0
//
// Rigid bodies in frames: rest, memory, order of frames, threads, frame rates, what drivers see,
// mirror images, bases that move. The jaw of docs/jaw.sinew.json is all tubes and ellipsoids.
#include "toy.h"

#include <stdlib.h>

#include "eval/frame.h"
#include "sinew/live.h"

typedef struct subject {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
} subject;

static void begin(subject *s, const char *clip) {
    snt_ok(sn_model_create(s->character, NULL, &s->model, error));
    if (clip != NULL) {
        snt_ok(sn_motion_open(s->model, clip, &s->motion, error));
    }
    snt_ok(sn_frame_create_unevaluated(s->model, &s->frame, error));
    snt_ok(sn_frame_select(s->frame, NULL, 0, error)); // bodies move whatever is looked at
    snt_ok(sn_frame_evaluate(s->frame, NULL, 0, error));
}

static subject open_jaw(uint32_t threads, const char *clip) {
    subject s = {.context = snt_context(threads)};
    snt_ok(sn_character_load(s.context, snt_source("docs/jaw.sinew.json"), &s.character, error));
    begin(&s, clip);
    return s;
}

static subject open_text(const char *quoted, const char *clip) {
    subject s = {.context = snt_context(1)};
    snt_ok(parse_quoted(s.context, "bodies.sinew.json", quoted, &s.character, error));
    begin(&s, clip);
    return s;
}

static void end(subject *s) {
    sn_frame_destroy(s->frame);
    sn_motion_destroy(s->motion);
    sn_model_destroy(s->model);
    sn_character_destroy(s->character);
    snt_context_end(s->context);
}

static const sn_mat4 *world_of(const subject *s, const char *segment) {
    return &sn_frame_worlds(s->frame)[sn_model_find_segment(s->model, segment)];
}

static double parameter(const subject *s, const char *segment, sn_joint_parameter p) {
    uint32_t number = sn_model_find_segment(s->model, segment);
    return sn_frame_joint_parameters(s->frame)[number * SN_JOINT_PARAMETER_COUNT + p];
}

static double control(const subject *s, const char *name) {
    return sn_frame_controls(s->frame)[sn_model_find_control(s->model, name)];
}

static void set(const subject *s, const char *name, double value) {
    snt_ok(sn_frame_set(s->frame, name, value, error));
}

static void evaluate(const subject *s, uint32_t number) {
    snt_ok(sn_frame_evaluate(s->frame, s->motion, number, error));
}

// Gives a number of an entry another value.
static void change(const subject *s, const char *section, const char *entry, const char *key,
                   double value) {
    sn_json *json = sn_character_document(s->character);
    sn_value *object = (sn_value *)sn_value_get(sn_value_get(sn_json_root(json), section), entry);
    assert_non_null(object);
    assert_non_null(sn_json_add_number(json, object, key, value));
}

// --- Poses

// With no muscle active the jaw stays as it was modelled, to a nanometre.
static void a_balanced_body_stays_at_rest(void **state) {
    (void)state;
    subject s = open_jaw(1, NULL);
    const sn_mat4 *rest = &sn_model_rest_worlds(s.model)[sn_model_find_segment(s.model, "jaw")];
    evaluate(&s, 0);
    for (int i = 0; i < 16; ++i) {
        snt_near(world_of(&s, "jaw")->m[i], rest->m[i], 1e-9);
    }
    // Without that balance it opens by its weight.
    sn_frame_destroy(s.frame);
    sn_model_destroy(s.model);
    change(&s, "bodies", "mandible", "balance", 0);
    snt_ok(sn_model_create(s.character, NULL, &s.model, error));
    snt_ok(sn_frame_create(s.model, &s.frame, error));
    assert_true(control(&s, "gape") > 0.005);
    end(&s);
}

static void muscles_open_close_and_move_it_aside(void **state) {
    (void)state;
    subject s = open_jaw(1, NULL);
    double rest = control(&s, "gape");
    set(&s, "open", 1);
    evaluate(&s, 0);
    double opened = control(&s, "gape");
    assert_true(opened > 0.035 && opened < 0.05);
    sn_body_state body = sn_frame_body_state(s.frame, 0);
    assert_int_equal(body.joint_count, 2);
    snt_near(body.turn, fabs(parameter(&s, "jaw", SN_JOINT_RX)), 1e-3);
    // The condyles go forward and down, as far as in life: 12 mm (Travers et al. 2000).
    assert_true(body.joints[0].travel > 0.008 && body.joints[0].travel < 0.0141);
    snt_near(body.joints[0].travel, body.joints[1].travel, 1e-6);
    sn_frame_clear(s.frame);
    set(&s, "close", 1);
    evaluate(&s, 0);
    body = sn_frame_body_state(s.frame, 0);
    assert_true(body.contacts[0].depth > 0 && body.contacts[0].depth < 2e-4);
    assert_true(body.contacts[0].force > 100);
    assert_true(control(&s, "gape") < rest + 0.002);
    sn_frame_clear(s.frame);
    set(&s, "lateral pterygoid.R", 1);
    evaluate(&s, 0);
    double left = sn_mat4_point(world_of(&s, "jaw"), sn_vec3_make(0, -0.06, 0.07)).x;
    sn_frame_clear(s.frame);
    set(&s, "lateral pterygoid.L", 1);
    evaluate(&s, 0);
    double right = sn_mat4_point(world_of(&s, "jaw"), sn_vec3_make(0, -0.06, 0.07)).x;
    assert_true(left > 0.004); // the muscle on the right pulls the chin to the left
    snt_near(left, -right, 1e-5);
    end(&s);
}

// A still pose is a function of the values held alone, whatever was posed before, also where bodies
// are simulated in clips.
static void poses_have_no_memory(void **state) {
    (void)state;
    subject s = open_jaw(1, NULL), t = open_jaw(1, NULL);
    set(&s, "open", 0.7);
    evaluate(&s, 0);
    set(&s, "open", 0.2);
    set(&s, "left", 0.5);
    evaluate(&s, 0);
    set(&t, "left", 0.5);
    set(&t, "open", 0.2);
    evaluate(&t, 0);
    assert_memory_equal(world_of(&s, "jaw"), world_of(&t, "jaw"), sizeof(sn_mat4));
    end(&s);
    end(&t);
}

static void random_poses_are_found(void **state) {
    (void)state;
    static const char *const names[] = {"open", "close", "protrude", "left", "right"};
    subject s = open_jaw(1, NULL);
    snt_random random = {17};
    for (int i = 0; i < 12; ++i) {
        for (int k = 0; k < 5; ++k) {
            set(&s, names[k], snt_random_range(&random, 0, 1) * (i % (k + 2) != 0));
        }
        evaluate(&s, 0);
        sn_body_state body = sn_frame_body_state(s.frame, 0);
        assert_true(body.turn < 0.8 && control(&s, "gape") < 0.06);
        assert_true(body.contacts[0].depth < 2e-4);
    }
    end(&s);
}

// --- Clips

enum { FRAMES = 30 };

static void keep_points(const subject *s, sn_mat4 *to) {
    evaluate(s, 0);
    for (uint32_t i = 0; i < FRAMES; ++i) {
        evaluate(s, i);
        to[i] = *world_of(s, "jaw");
    }
}

// Threads, the order of frames, a saved state and live steps make no difference.
static void a_frame_alone_is_that_of_the_run(void **state) {
    (void)state;
    static sn_mat4 run[FRAMES];
    subject s = open_jaw(1, "chew");
    keep_points(&s, run);
    const uint32_t order[] = {23, 5, 29, 0, 12, 24};
    for (uint32_t threads = 2; threads <= 3; ++threads) {
        subject t = open_jaw(threads, "chew");
        for (size_t i = 0; i < sizeof order / sizeof *order; ++i) {
            evaluate(&t, order[i]);
            assert_memory_equal(world_of(&t, "jaw"), &run[order[i]], sizeof *run);
        }
        end(&t);
    }
    evaluate(&s, 15);
    size_t bytes = sn_frame_state_bytes(s.frame);
    void *saved = sni_alloc(s.context, bytes, 1);
    sn_frame_save(s.frame, saved);
    evaluate(&s, 3);
    snt_ok(sn_frame_restore(s.frame, s.motion, saved, bytes, error));
    evaluate(&s, 25);
    assert_memory_equal(world_of(&s, "jaw"), &run[25], sizeof *run);
    sni_free(s.context, saved);
    sn_frame_reset(s.frame);
    for (uint32_t i = 0; i < FRAMES; ++i) {
        snt_ok(sn_frame_set_motion_pose(s.frame, s.motion, i, error));
        snt_ok(sn_frame_step(s.frame, i > 0 ? 1.0 / 30 : 0, error));
        assert_memory_equal(world_of(&s, "jaw"), &run[i], sizeof *run);
    }
    end(&s);
}

// The path of the gape, at 24 to 120 frames per second, is the same within 2 % of its range.
static void any_frame_rate_gives_the_same_path(void **state) {
    (void)state;
    const double rates[] = {120, 24, 25, 30, 60};
    double path[5][25], highest = 0;
    for (int r = 0; r < 5; ++r) {
        subject s = open_jaw(1, NULL);
        sn_motion_desc desc = sn_motion_desc_default();
        desc.rate = rates[r];
        snt_ok(sn_motion_open_with(s.model, "open", &desc, &s.motion, error));
        uint32_t next = 0;
        double before = 0, time = 0;
        for (uint32_t i = 0; i < 25; ++i) {
            double wanted = 0.08 * i, now = before;
            for (; time < wanted - 1e-9 || next == 0;) {
                evaluate(&s, next++);
                before = now;
                time = sn_frame_time(s.frame);
                now = control(&s, "gape");
            }
            // Between two frames on a line.
            double part = i > 0 ? (time - wanted) * rates[r] : 0;
            path[r][i] = now + part * (before - now);
            highest = fmax(highest, path[r][i]);
            before = now;
        }
        end(&s);
    }
    for (int r = 1; r < 5; ++r) {
        for (int i = 0; i < 25; ++i) {
            snt_near(path[r][i], path[0][i], 0.02 * highest);
        }
    }
}

// Chewing on and on stays within what it does in its first rounds.
static void chewing_stays_bounded(void **state) {
    (void)state;
    subject s = open_jaw(1, "chew");
    uint32_t rounds = snt_thorough() ? 137 : 2, count = 73; // 10,001 frames
    double highest = 0, first = 0, deepest = 0;
    for (uint32_t r = 0; r < rounds; ++r) {
        for (uint32_t i = 0; i < count; ++i) {
            snt_ok(sn_frame_set_motion_pose(s.frame, s.motion, i, error));
            snt_ok(sn_frame_step(s.frame, 1.0 / 30, error));
            sn_body_state body = sn_frame_body_state(s.frame, 0);
            highest = fmax(highest, control(&s, "gape"));
            deepest = fmax(deepest, body.contacts[0].depth);
        }
        first = r == 0 ? highest : first;
    }
    assert_true(highest < 1.05 * first);
    assert_true(first > 0.02 && first < 0.04);
    assert_true(deepest > 0 && deepest < 2e-4);
    end(&s);
}

// --- What depends on bodies

static const char box[] =
    "{'sinew': 1, 'name': 'box', 'skeleton': {'root': {}, 'arm': {'parent': 'root', "
    "'translation': [0, 1, 0]}, 'load': {'parent': 'arm', 'translation': [0, -0.5, 0]}, 'tip': "
    "{'parent': 'load', 'translation': [0, -0.1, 0]}},\n"
    "'bones': {'box': {'ellipsoid': {'radii': [0.05, 0.05, 0.05]}, 'segment': 'load'}},\n"
    "'muscles': {'biceps': {'kind': 'ellipsoid', 'origin': {'segment': 'arm', 'at': [0, 0, 0]},\n"
    "'insertion': {'segment': 'load', 'at': [0, 0.05, 0]}, 'activation': 'pull'}},\n"
    "'controls': {'pull': {}, 'seen': {'high': 10, 'low': -10}, 'mix': {'value': 1}},\n"
    "'landmarks': {'a': {'segment': 'arm', 'position': [0, 0, 0]},\n"
    "'b': {'segment': 'tip', 'position': [0, 0, 0]}},\n"
    "'drivers': [{'control': 'seen', 'distance': ['a', 'b']}],\n"
    "'bodies': {'load': {'segment': 'load', 'bones': ['box'], 'mass': 1, 'motion': 'static', "
    "'driven': {'envelope': 'mix'},\n"
    "'muscles': [{'muscle': 'biceps', 'strength': 100, 'tone': 1, 'passive': 0}]}}}";

// The load hangs on a muscle of 0.45 m; balanced, it is weightless, and 10 N of tone a centimetre
// hold it. Pulled, it rises until the tension is gone.
static void drivers_and_what_hangs_on_bodies_follow(void **state) {
    (void)state;
    subject s = open_text(box, NULL);
    assert_true(sn_model_body_count(s.model) == 1);
    snt_near(sn_model_body(s.model, 0).mass, 1, 1e-12);
    assert_false(sn_model_body(s.model, 0).simulated);
    snt_near(control(&s, "seen"), 0.6, 1e-9);
    end(&s);
    // Unbalanced, tone 1 and strength 100 N carry 9.81 N where it is 0.0981 longer.
    char text[sizeof box + 64];
    snprintf(text, sizeof text, "%.*s 'balance': 0, %s", (int)(strstr(box, "'motion'") - box), box,
             strstr(box, "'motion'"));
    s = open_text(text, NULL);
    double down = 0.45 * 0.0981;
    snt_near(control(&s, "seen"), 0.6 + down, 1e-6);
    snt_near(parameter(&s, "load", SN_JOINT_TY), -down, 1e-6);
    snt_near(world_of(&s, "tip")->m[13], 1 - 0.6 - down, 1e-6);
    snt_near(sn_frame_body_state(s.frame, 0).muscles[0].force, 9.81, 1e-5);
    // Half of it is left to the pose.
    set(&s, "mix", 0.5);
    evaluate(&s, 0);
    snt_near(control(&s, "seen"), 0.6 + down / 2, 1e-6);
    set(&s, "mix", 0);
    set(&s, "load.ty", 0.2);
    evaluate(&s, 0);
    snt_near(control(&s, "seen"), 0.4, 1e-9);
    end(&s);
}

// A body that nothing holds stays where it is while its base moves away, as far as it has inertia.
static void a_base_that_moves_leaves_it_behind(void **state) {
    (void)state;
    for (int i = 0; i < 3; ++i) {
        char text[1024];
        double inertia = i / 2.0;
        snprintf(text, sizeof text,
                 "{'sinew': 1, 'name': 'free', 'skeleton': {'root': {}, 'load': {'parent': 'root', "
                 "'translation': [0, 1, 0]}},\n"
                 "'bones': {'box': {'ellipsoid': {'radii': [0.05, 0.04, 0.03]}, 'segment': "
                 "'load'}},\n"
                 "'bodies': {'load': {'segment': 'load', 'bones': ['box'], 'damping': 0, "
                 "'inertia': %g}},\n"
                 "'clips': {'go': {'rate': 30, 'tracks': {'root.tx': {'keys': [[0, 0], [1, 0.5]]}, "
                 "'root.ry_deg': {'keys': [[0, 0], [1, 40]]}}}}}",
                 inertia);
        subject s = open_text(text, "go");
        evaluate(&s, 30);
        // At first it moves with nothing, and then goes on as it was.
        snt_near(world_of(&s, "load")->m[12], 0.5 * (1 - inertia), 0.01);
        snt_near(world_of(&s, "load")->m[13], 1, 1e-6);
        sn_quat turned = sn_mat4_rotation(world_of(&s, "load"));
        snt_near(2 * asin(turned.y) * 180 / SN_PI, 40 * (1 - inertia), 0.1);
        end(&s);
    }
}

// Moved and turned as a whole, a body does the same.
static void a_body_goes_with_its_base(void **state) {
    (void)state;
    subject s = open_jaw(1, NULL);
    set(&s, "open", 0.6);
    set(&s, "left", 0.4);
    evaluate(&s, 0);
    double gape = control(&s, "gape"), rx = parameter(&s, "jaw", SN_JOINT_RX);
    set(&s, "head.tx", 100);
    set(&s, "head.ry_deg", 70);
    evaluate(&s, 0);
    snt_near(control(&s, "gape"), gape, 1e-7);
    snt_near(parameter(&s, "jaw", SN_JOINT_RX), rx, 1e-6);
    // On its back the jaw falls another way: its weight counts.
    set(&s, "head.rx_deg", -90);
    evaluate(&s, 0);
    assert_true(fabs(control(&s, "gape") - gape) > 1e-4);
    end(&s);
}

// Two bodies that a muscle ties to each other, and their mirror images.
static const char pair[] =
    "{'sinew': 1, 'name': 'pair', 'skeleton': {'root': {}, 'a.L': {'parent': 'root', "
    "'translation': [0.5, 1, 0], 'mirror': true},\n"
    "'b.L': {'parent': 'root', 'translation': [0.8, 1, 0.1], 'mirror': true}},\n"
    "'bones': {'a.L': {'ellipsoid': {'radii': [0.05, 0.04, 0.03], 'detail': 2}, 'segment': 'a.L', "
    "'mirror': "
    "true},\n"
    "'b.L': {'ellipsoid': {'radii': [0.04, 0.05, 0.03], 'detail': 2}, 'segment': 'b.L', 'mirror': "
    "true}},\n"
    "'muscles': {'m.L': {'kind': 'ellipsoid', 'origin': {'segment': 'a.L', 'at': [0.05, 0, 0]}, "
    "'insertion': {'segment': 'b.L', 'at': [-0.04, 0, 0]}, 'activation': 'pull', 'mirror': "
    "true}},\n"
    "'controls': {'pull': {}},\n"
    "'bodies': {'a.L': {'segment': 'a.L', 'bones': ['a.L'], 'mass': 1, 'motion': 'static', "
    "'muscles': [{'muscle': 'm.L', 'strength': 10}], 'joints': [{'at': [0, 0.04, 0], 'capsule': "
    "1e6}], 'ligaments': [{'from': {'segment': 'root', 'at': [0.5, 1.2, -0.1]}, 'to': {'bone': "
    "'a.L', 'at': [0.5, 0, 0.5]}, 'stiffness': 100, 'slack': 0.9}], 'mirror': true},\n"
    "'b.L': {'segment': 'b.L', 'bones': ['b.L'], 'mass': 1, 'motion': 'static', 'joints': "
    "[{'point': [0.8, 1.05, 0.1], 'capsule': 1e6}], 'contacts': [{'bones': ['b.L'], 'against': "
    "['a.L']}], 'mirror': true}}}";

static void bodies_pull_at_each_other_on_both_sides(void **state) {
    (void)state;
    subject s = open_text(pair, NULL);
    assert_int_equal(sn_model_body_count(s.model), 4);
    set(&s, "pull", 1);
    evaluate(&s, 0);
    for (int i = 0; i < 2; ++i) {
        const sn_mat4 *left = world_of(&s, i == 0 ? "a.L" : "b.L");
        const sn_mat4 *right = world_of(&s, i == 0 ? "a.R" : "b.R");
        snt_near(left->m[12], -right->m[12], 1e-6);
        snt_near(left->m[13], right->m[13], 1e-6);
        snt_near(left->m[14], right->m[14], 1e-6);
        // Each turns towards the other.
        assert_true(i == 0 ? left->m[12] > 0.505 : left->m[12] < 0.795);
    }
    end(&s);
}

// An edit that has nothing to do with bodies keeps the system of the model before.
static void a_system_is_found_again(void **state) {
    (void)state;
    subject s = open_jaw(1, NULL);
    sn_model *again = NULL;
    change(&s, "controls", "open", "high", 2);
    snt_ok(sn_model_recompile(s.character, s.model, NULL, &again, error));
    assert_ptr_equal(again->bodies.groups[0].system, s.model->bodies.groups[0].system);
    sn_model_destroy(again);
    change(&s, "bodies", "mandible", "damping", 1);
    snt_ok(sn_model_recompile(s.character, s.model, NULL, &again, error));
    assert_ptr_equal(again->bodies.groups[0].system, s.model->bodies.groups[0].system);
    sn_model_destroy(again);
    change(&s, "bodies", "mandible", "specific_tension", 1);
    snt_ok(sn_model_recompile(s.character, s.model, NULL, &again, error));
    assert_ptr_equal(again->bodies.groups[0].system, s.model->bodies.groups[0].system);
    sn_model_destroy(again);
    ((sn_value *)sn_value_get(
         sn_value_get(sn_value_get(sn_json_root(sn_character_document(s.character)), "bodies"),
                      "mandible"),
         "mass"))
        ->as.number = 0.3;
    snt_ok(sn_model_recompile(s.character, s.model, NULL, &again, error));
    assert_ptr_not_equal(again->bodies.groups[0].system, s.model->bodies.groups[0].system);
    snt_near(sn_model_body(again, 0).mass, 0.3, 1e-12);
    sn_model_destroy(again);
    end(&s);
}

static sn_status make_and_pose(sn_context *context, void *user, sn_error *error) {
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    sn_status status = SN_OK;
    (void)user;
    SN_TRY(parse_quoted(context, "box.sinew.json", box, &character, error));
    SN_TRY(sn_model_create(character, NULL, &model, error));
    SN_TRY(sn_frame_create(model, &frame, error));
cleanup:
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(make_and_pose, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_balanced_body_stays_at_rest),
        cmocka_unit_test(muscles_open_close_and_move_it_aside),
        cmocka_unit_test(poses_have_no_memory),
        cmocka_unit_test(random_poses_are_found),
        cmocka_unit_test(a_frame_alone_is_that_of_the_run),
        cmocka_unit_test(any_frame_rate_gives_the_same_path),
        cmocka_unit_test(chewing_stays_bounded),
        cmocka_unit_test(drivers_and_what_hangs_on_bodies_follow),
        cmocka_unit_test(a_base_that_moves_leaves_it_behind),
        cmocka_unit_test(a_body_goes_with_its_base),
        cmocka_unit_test(bodies_pull_at_each_other_on_both_sides),
        cmocka_unit_test(a_system_is_found_again),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
