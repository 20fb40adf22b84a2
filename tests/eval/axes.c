// SPDX-License-Identifier: Apache-2.0
//
// Axes of muscles made of fibres as frames tell them, and live steps from frames of motions.
#include "../character/documents.h"

#include "sinew/live.h"

#include <math.h>

static const char text[] =
    "{'sinew': 1, 'name': 'axes', 'skeleton': {'arm': {},\n"
    "'hand': {'parent': 'arm', 'translation': [0, 0.3, 0]}},\n"
    "'bones': {'ball': {'ellipsoid': {'radii': [0.02, 0.02, 0.02]}, 'segment': 'arm'}},\n"
    "'muscles': {\n"
    "'plain': {'kind': 'fibre', 'particles': 9,\n"
    "'origins': [{'segment': 'arm', 'at': [0.03, 0.02, 0]}],\n"
    "'insertions': [{'segment': 'hand', 'at': [0.03, 0.05, 0]}]},\n"
    "'still': {'kind': 'fibre', 'motion': 'static', 'fibres': 3, 'particles': 5,\n"
    "'origins': [{'segment': 'arm', 'at': [-0.03, 0, 0]}, {'segment': 'arm', 'at': [-0.05, 0, "
    "0]}],\n"
    "'insertions': [{'segment': 'hand', 'at': [-0.03, 0, 0]},\n"
    "{'segment': 'hand', 'at': [-0.05, 0, 0]}]}},\n"
    "'clips': {'go': {'rate': 24, 'tracks': {'hand.rz_deg': {'keys': [[0, 0], [1, 60]]}}}}}";

enum { BALL, PLAIN, STILL }; // surfaces

typedef struct fixture {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
} fixture;

static void set_up(fixture *f) {
    f->context = snt_context(1);
    snt_ok(parse_quoted(f->context, "axes.sinew.json", text, &f->character, error));
    snt_ok(sn_model_create(f->character, NULL, &f->model, error));
    snt_ok(sn_motion_open(f->model, "go", &f->motion, error));
    snt_ok(sn_frame_create(f->model, &f->frame, error));
}

static void tear_down(fixture *f) {
    sn_frame_destroy(f->frame);
    sn_motion_destroy(f->motion);
    sn_model_destroy(f->model);
    sn_character_destroy(f->character);
    snt_context_end(f->context);
}

static double swing_of(const sn_frame *frame, uint32_t surface) {
    sn_muscle_state state = {0};
    assert_true(sn_frame_muscle_state(frame, surface, &state));
    return state.swing;
}

static void frames_tell_axes(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    sn_muscle_axis axis;
    sn_muscle_state told;
    assert_true(sn_model_swings(f.model));
    assert_false(sn_frame_muscle_axis(f.frame, BALL, 0, &axis));
    assert_false(sn_frame_muscle_axis(f.frame, STILL + 1, 0, &axis));
    assert_false(sn_frame_muscle_axis(f.frame, PLAIN, 1, &axis));
    assert_true(sn_frame_muscle_axis(f.frame, PLAIN, 0, &axis));
    assert_int_equal(axis.particle_count, 9);
    assert_true(axis.swings);
    snt_near(axis.particles[0], 0.03, 1e-12); // the origin, and the insertion
    snt_near(axis.particles[1], 0.02, 1e-12);
    snt_near(axis.particles[3 * 8 + 1], 0.35, 1e-12);
    snt_near(swing_of(f.frame, PLAIN), 0, 1e-12);
    assert_true(sn_frame_muscle_axis(f.frame, STILL, 2, &axis));
    assert_false(axis.swings);
    assert_true(sn_frame_muscle_state(f.frame, STILL, &told));
    assert_int_equal(told.fibre_count, 3);
    assert_true(told.has_activation);
    snt_ok(sn_frame_evaluate(f.frame, f.motion, 12, error));
    double most = swing_of(f.frame, PLAIN), found = 0;
    assert_true(most > 1e-5);
    snt_near(swing_of(f.frame, STILL), 0, 0);
    assert_true(sn_frame_muscle_axis(f.frame, PLAIN, 0, &axis));
    for (uint32_t i = 0; i < axis.particle_count; ++i) {
        found = fmax(found,
                     sn_vec3_distance(sn_vec3_make(axis.particles[3 * i], axis.particles[3 * i + 1],
                                                   axis.particles[3 * i + 2]),
                                      sn_vec3_make(axis.still[3 * i], axis.still[3 * i + 1],
                                                   axis.still[3 * i + 2])));
    }
    snt_near(found, most, 0);
    tear_down(&f);
}

// Steps at the pose of a frame go on from the swing that the run has there, and end in the pose's
// own shape; held values count as they do for frames.
static void steps_take_the_pose_of_a_frame(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    snt_ok(sn_frame_evaluate(f.frame, f.motion, 12, error));
    double before = swing_of(f.frame, PLAIN);
    double turned = sn_frame_joint_parameters(f.frame)[SN_JOINT_PARAMETER_COUNT + 2];
    uint8_t saved[1 << 16];
    size_t size = sn_frame_state_bytes(f.frame);
    assert_true(size <= sizeof saved);
    sn_frame_save(f.frame, saved);
    snt_ok(sn_frame_restore(f.frame, NULL, saved, size, error));
    snt_ok(sn_frame_set_motion_pose(f.frame, f.motion, 12, error));
    snt_ok(sn_frame_step(f.frame, 0, error));
    snt_near(swing_of(f.frame, PLAIN), before, 1e-9);
    snt_near(sn_frame_joint_parameters(f.frame)[SN_JOINT_PARAMETER_COUNT + 2], turned, 0);
    for (int i = 0; i < 600; ++i) {
        snt_ok(sn_frame_step(f.frame, 1.0 / 60, error));
    }
    assert_true(swing_of(f.frame, PLAIN) < 1e-6);
    // In a tenth of a second: what turns by more than 1,000 degrees a second does not swing.
    snt_ok(sn_frame_set(f.frame, "hand.rz_deg", 10, error));
    snt_ok(sn_frame_step(f.frame, 0.1, error));
    snt_near(sn_frame_joint_parameters(f.frame)[SN_JOINT_PARAMETER_COUNT + 2], 10 * SN_PI / 180,
             1e-12);
    assert_true(swing_of(f.frame, PLAIN) > 1e-5);
    // Steps that begin again do so at rest, and the rest pose is one, too.
    sn_frame_reset(f.frame);
    snt_ok(sn_frame_step(f.frame, 1.0 / 60, error));
    snt_near(swing_of(f.frame, PLAIN), 0, 1e-12);
    sn_frame_clear(f.frame);
    snt_ok(sn_frame_set_motion_pose(f.frame, NULL, 0, error));
    snt_ok(sn_frame_step(f.frame, 0, error));
    snt_near(sn_frame_joint_parameters(f.frame)[SN_JOINT_PARAMETER_COUNT + 2], 0, 0);
    snt_fails(SN_INVALID, "there is no frame 1000",
              sn_frame_set_motion_pose(f.frame, f.motion, 1000, error));
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_tell_axes),
        cmocka_unit_test(steps_take_the_pose_of_a_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
