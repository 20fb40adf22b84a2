// SPDX-License-Identifier: Apache-2.0
#include "io_test.h"

#include <math.h>

static const char small[] =
    "HIERARCHY\n"
    "ROOT Hips\n"
    "{\n"
    "  OFFSET 1 2 3\n"
    "  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
    "  JOINT Left Leg\n"
    "  {\n"
    "    OFFSET 0 -4 0\n"
    "    CHANNELS 3 Xrotation Zrotation Yrotation\n"
    "    End Site\n"
    "    {\n"
    "      OFFSET 0 -3 0\n"
    "    }\n"
    "  }\n"
    "  JOINT Chest {\n"
    "    OFFSET 0 5 0\n"
    "    CHANNELS 1 Yrotation\n"
    "    JOINT Tag { OFFSET 0 1 0 }\n"
    "  }\n"
    "}\n"
    "MOTION\n"
    "Frames: 3\n"
    "Frame Time: 0.25\n"
    "10 20 30 0 0 0 0 0 0 0\n"
    "11 21 31 90 0 0 30 40 50 170\n"
    "12 22 32 90 90 0 -10 20 0 190\n";

static const sn_track *find_track(const sn_clip *clip, sn_track_kind kind, const char *target) {
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        if (clip->tracks[i].kind == kind && strcmp(clip->tracks[i].target, target) == 0) {
            return &clip->tracks[i];
        }
    }
    return NULL;
}

static sn_quat key_rotation(const sn_track *track, uint32_t key) {
    const double *v = track->values + 4 * (size_t)key;
    return (sn_quat){v[0], v[1], v[2], v[3]};
}

// Rotation about one axis written as a matrix by hand, independent of quaternions.
static sn_vec3 turn(int axis, double degrees, sn_vec3 v) {
    double c = cos(degrees * SN_PI / 180), s = sin(degrees * SN_PI / 180);
    switch (axis) {
    case 0: return sn_vec3_make(v.x, c * v.y - s * v.z, s * v.y + c * v.z);
    case 1: return sn_vec3_make(c * v.x + s * v.z, v.y, -s * v.x + c * v.z);
    default: return sn_vec3_make(c * v.x - s * v.y, s * v.x + c * v.y, v.z);
    }
}

static void near_vectors(sn_vec3 a, sn_vec3 b) {
    snt_near(sn_vec3_distance(a, b), 0, 1e-12);
}

static void reads_the_hierarchy(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(context, snt_text("walk.bvh", small));
    const sn_skeleton *skeleton = &import->skeleton;
    static const char *const names[] = {"Hips", "Left Leg", "Chest", "Tag"};
    static const uint32_t parents[] = {SN_NONE, 0, 0, 2};
    static const sn_rotation_order orders[] = {SN_ROTATION_ZYX, SN_ROTATION_XZY, SN_ROTATION_YXZ,
                                               SN_ROTATION_XYZ};
    static const sn_vec3 offsets[] = {{1, 2, 3}, {0, -4, 0}, {0, 5, 0}, {0, 1, 0}};
    assert_int_equal(skeleton->segment_count, 4);
    for (uint32_t i = 0; i < 4; ++i) {
        assert_string_equal(skeleton->segments[i].name, names[i]);
        assert_int_equal(skeleton->segments[i].parent, parents[i]);
        assert_int_equal(skeleton->segments[i].order, orders[i]);
        near_vectors(skeleton->segments[i].rest.translation, offsets[i]);
        assert_true(skeleton->segments[i].rest.rotation.w == 1);
    }
    assert_int_equal(import->mesh_count, 0);
    assert_int_equal(import->clip_count, 1);
    const sn_clip *clip = import->clips[0];
    assert_string_equal(clip->name, "walk");
    assert_int_equal(clip->skeleton.segment_count, 4);
    assert_string_equal(clip->skeleton.segments[1].name, "Left Leg");
    assert_true(clip->rate == 4);
    assert_int_equal(clip->frame_count, 3);
    assert_int_equal(clip->track_count, 4); // one translation, three rotations
    sn_import_destroy(import);
    snt_context_end(context);
}

static void composes_rotations_in_channel_order(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(context, snt_text("walk.bvh", small));
    const sn_clip *clip = import->clips[0];
    const sn_track *hips = find_track(clip, SN_TRACK_ROTATION, "Hips");
    const sn_track *leg = find_track(clip, SN_TRACK_ROTATION, "Left Leg");
    sn_vec3 v = {0.3, -0.7, 1.1};
    // Z 90, Y 90, X 0: the point is turned about x first, then y, then z.
    near_vectors(sn_quat_rotate(key_rotation(hips, 2), v), turn(2, 90, turn(1, 90, v)));
    // x becomes -z by Ry, which Rz leaves; y becomes -x by Rz.
    near_vectors(sn_quat_rotate(key_rotation(hips, 2), sn_vec3_make(1, 0, 0)),
                 sn_vec3_make(0, 0, -1));
    near_vectors(sn_quat_rotate(key_rotation(hips, 2), sn_vec3_make(0, 1, 0)),
                 sn_vec3_make(-1, 0, 0));
    // X 30, Z 40, Y 50.
    near_vectors(sn_quat_rotate(key_rotation(leg, 1), v), turn(0, 30, turn(2, 40, turn(1, 50, v))));
    near_vectors(sn_quat_rotate(key_rotation(leg, 0), v), v);
    sn_import_destroy(import);
    snt_context_end(context);
}

static void neighbours_keep_to_one_hemisphere(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(context, snt_text("walk.bvh", small));
    const sn_track *chest = find_track(import->clips[0], SN_TRACK_ROTATION, "Chest");
    for (uint32_t f = 1; f < 3; ++f) { // 0, 170, 190 degrees
        assert_true(sn_quat_dot(key_rotation(chest, f - 1), key_rotation(chest, f)) >= 0);
    }
    sn_vec3 v = {1, 0, 0};
    near_vectors(sn_quat_rotate(key_rotation(chest, 2), v), turn(1, 190, v));
    sn_import_destroy(import);
    snt_context_end(context);
}

static void the_root_moves_by_its_channels(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(context, snt_text("walk.bvh", small));
    const sn_track *track = find_track(import->clips[0], SN_TRACK_TRANSLATION, "Hips");
    const double expected[] = {10, 20, 30, 11, 21, 31, 12, 22, 32};
    const double times[] = {0, 0.25, 0.5};
    assert_int_equal(track->key_count, 3);
    assert_memory_equal(track->values, expected, sizeof expected);
    assert_memory_equal(track->times, times, sizeof times);
    assert_null(find_track(import->clips[0], SN_TRACK_TRANSLATION, "Chest"));
    assert_null(find_track(import->clips[0], SN_TRACK_ROTATION, "Tag"));
    sn_import_destroy(import);
    snt_context_end(context);
}

// Position channels of a joint hold its whole translation, or the movement away from its offset.
static void tells_both_kinds_of_positions(void **state) {
    (void)state;
    static const char hierarchy[] = "HIERARCHY ROOT a\n{ OFFSET 0 0 0 CHANNELS 0\n JOINT b\n"
                                    "{ OFFSET 1 2 3 CHANNELS 2 Zposition Xposition } }\n"
                                    "MOTION Frames: 2 Frame Time: 1\n";
    char text[512];
    sn_context *context = snt_context(1);
    const double expected[] = {1.5, 2, 3.5, 9, 2, 8};
    static const char *const frames[] = {"3.5 1.5\n8 9\n", "0.5 0.5\n5 8\n"};
    for (int i = 0; i < 2; ++i) {
        snprintf(text, sizeof text, "%s%s", hierarchy, frames[i]);
        sn_import *import = snt_load(context, snt_text("x.bvh", text));
        const sn_track *track = find_track(import->clips[0], SN_TRACK_TRANSLATION, "b");
        assert_memory_equal(track->values, expected, sizeof expected);
        sn_import_destroy(import);
    }
    snt_context_end(context);
}

static void makes_names_unique(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(
        context,
        snt_text("x.bvh", "hierarchy root a { offset 0 0 0 channels 0 joint a { offset 0 0 0\n"
                          "channels 1 xROTATION joint b { offset 0 0 0 } } }\n"
                          "root a { offset 0 0 0 channels 1 yrotation }\n"
                          "motion frames: 1 frame time: 0.1\n 10 20"));
    const sn_skeleton *skeleton = &import->skeleton;
    assert_int_equal(skeleton->segment_count, 4);
    for (uint32_t i = 0; i < 4; ++i) {
        for (uint32_t k = 0; k < i; ++k) {
            assert_string_not_equal(skeleton->segments[i].name, skeleton->segments[k].name);
        }
    }
    assert_string_equal(skeleton->segments[0].name, "a");
    assert_int_equal(skeleton->segments[3].parent, SN_NONE);
    assert_non_null(find_track(import->clips[0], SN_TRACK_ROTATION, skeleton->segments[3].name));
    sn_import_destroy(import);
    snt_context_end(context);
}

static void a_file_without_frames_has_no_clip(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(
        context, snt_text("x.bvh", "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation }\n"
                                   "MOTION Frames: 0 Frame Time: 0.1\n"));
    assert_int_equal(import->clip_count, 0);
    assert_int_equal(import->skeleton.segment_count, 1);
    sn_import_destroy(import);
    snt_context_end(context);
}

#define ONE "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\n"
#define TWO "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 2 Xrotation Yrotation\n}\nMOTION\n"

static void refuses_wrong_files(void **state) {
    (void)state;
    static const snt_refusal cases[] = {
        {"", SN_SYNTAX, "x.bvh:1: expected HIERARCHY, found the end of the file"},
        {"MOTION", SN_SYNTAX, "expected HIERARCHY, found \"MOTION\""},
        {"HIERARCHY\nMOTION\n", SN_SYNTAX, "x.bvh:2: expected ROOT, found \"MOTION\""},
        {"HIERARCHY\nROOT\n{", SN_SYNTAX, "a joint has no name"},
        {"HIERARCHY\nROOT a\nOFFSET", SN_SYNTAX, "expected {, found \"OFFSET\""},
        {"HIERARCHY\nROOT a\n{ OFFSET 0 0 x", SN_SYNTAX,
         "expected a number of OFFSET, found \"x\""},
        {"HIERARCHY\nROOT a\n{ OFFSET 0 nan 0", SN_SYNTAX, "found \"nan\""},
        {"HIERARCHY\nROOT a\n{ }", SN_INVALID, "joint \"a\" has no OFFSET"},
        {"HIERARCHY\nROOT a\n{ CHANNELS 7 ", SN_INVALID, "joint \"a\" has 7 channels"},
        {"HIERARCHY\nROOT a\n{ CHANNELS 1 Wrotation", SN_INVALID, "unknown channel \"Wrotation\""},
        {"HIERARCHY\nROOT a\n{ CHANNELS 2 Xrotation Xrotation", SN_INVALID, "has Xrotation twice"},
        {"HIERARCHY\nROOT a\n{ CHANNELS 0 CHANNELS 0", SN_INVALID, "has CHANNELS twice"},
        {"HIERARCHY\nROOT a\n{ JOIN b {", SN_SYNTAX, "in joint \"a\", found \"JOIN\""},
        {ONE "Frames: -1\n", SN_SYNTAX, "expected the number of frames, found \"-1\""},
        {ONE "Frames: 1\nFrame Time: 0\n1", SN_INVALID, "the frame time is 0 seconds"},
        {ONE "Frames: 1\nFrame Time: -1\n1", SN_INVALID, "the frame time is -1 seconds"},
        {ONE "Frames: 2\nFrame Time: 1\n1.5", SN_SYNTAX,
         "x.bvh:10: the file ends in frame 2 of 2, after 0 of 1 numbers"},
        {ONE "Frames: 2\nFrame Time: 1\n1\n2 3", SN_INVALID,
         "x.bvh:11: this line has more than the 1 numbers of a frame"},
        {TWO "Frames: 2\nFrame Time: 1\n1 2 3\n4 5", SN_INVALID,
         "x.bvh:10: this line has more than the 2 numbers of a frame"},
        {ONE "Frames: 1\nFrame Time: 1\nx", SN_SYNTAX, "expected a channel value, found \"x\""},
        {ONE "Frames: 1\nFrame Time: 1\n1e999", SN_INVALID, "a channel value is too large"},
        {ONE "Frames: 4000000000\nFrame Time: 1\n1 2 3", SN_INVALID,
         "4000000000 frames of 1 channels do not fit into the rest of the file"},
    };
    snt_refuses_all("x.bvh", cases);
}

static void survives_truncation(void **state) {
    (void)state;
    snt_survives_truncation(snt_text("x.bvh", small));
}

static void survives_failed_allocations(void **state) {
    (void)state;
    snt_survives_failed_allocations(snt_text("x.bvh", small));
}

static void loads_motion_capture(void **state) {
    (void)state;
    static const struct {
        const char *file;
        uint32_t frames;
        double frame_time;
    } clips[] = {
        {"mocap/cmu_02_01_walk.bvh", 344, 0.0083333},
        {"mocap/cmu_02_03_run_jog.bvh", 174, 0.0083333},
        {"mocap/cmu_02_04_jump_balance.bvh", 484, 0.0083333},
        {"mocap/cmu_16_03_high_jump.bvh", 411, 0.0083333},
        {"mocap/cmu_02_05_punch_strike.bvh", 465, 0.0333332},
        {"mocap/cmu_02_06_bend_scoop_lift_arm.bvh", 560, 0.0333332},
        {"mocap/cmu_42_01_stretch_head_shoulders_arms_legs.bvh", 285, 0.0333332},
        {"mocap/cmu_13_29_jacks_twists_bend_squats.bvh", 1149, 0.0333332},
        {"mocap/cmu_17_10_boxing.bvh", 697, 0.0333332},
    };
    snt_data(clips[0].file); // skips before anything is made
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof clips / sizeof *clips; ++i) {
        sn_import *import = NULL;
        snt_ok(sn_import_file(context, snt_data(clips[i].file), &import, error));
        const sn_clip *clip = import->clips[0];
        uint32_t channels = 0; // three per track here
        for (uint32_t t = 0; t < clip->track_count; ++t) {
            channels += 3;
            assert_int_equal(clip->tracks[t].key_count, clips[i].frames);
        }
        assert_int_equal(import->skeleton.segment_count, 31);
        assert_int_equal(channels, 96);
        assert_int_equal(clip->frame_count, clips[i].frames);
        snt_near(clip->rate, 1 / clips[i].frame_time, 1e-9);
        sn_import_destroy(import);
    }
    snt_context_end(context);
}

// MakeHuman's files move joints away from their offsets: bones keep their length.
static void loads_makehuman_poses(void **state) {
    (void)state;
    static const char *const files[] = {"human/benchmark.bvh", "human/tpose.bvh"};
    static const uint32_t joints[] = {163, 173};
    snt_data(files[0]); // skips before anything is made
    sn_context *context = snt_context(1);
    for (int i = 0; i < 2; ++i) {
        sn_import *import = NULL;
        snt_ok(sn_import_file(context, snt_data(files[i]), &import, error));
        const sn_clip *clip = import->clips[0];
        assert_int_equal(import->skeleton.segment_count, joints[i]);
        assert_int_equal(clip->frame_count, 1);
        for (uint32_t s = 1; s < import->skeleton.segment_count; ++s) {
            const sn_segment *segment = &import->skeleton.segments[s];
            const sn_track *track = find_track(clip, SN_TRACK_TRANSLATION, segment->name);
            if (track != NULL) {
                sn_vec3 moved = {track->values[0], track->values[1], track->values[2]};
                snt_near(sn_vec3_distance(moved, segment->rest.translation), 0, 1e-3);
            }
        }
        sn_import_destroy(import);
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_hierarchy),
        cmocka_unit_test(composes_rotations_in_channel_order),
        cmocka_unit_test(neighbours_keep_to_one_hemisphere),
        cmocka_unit_test(the_root_moves_by_its_channels),
        cmocka_unit_test(tells_both_kinds_of_positions),
        cmocka_unit_test(makes_names_unique),
        cmocka_unit_test(a_file_without_frames_has_no_clip),
        cmocka_unit_test(refuses_wrong_files),
        cmocka_unit_test(survives_truncation),
        cmocka_unit_test(survives_failed_allocations),
        cmocka_unit_test(loads_motion_capture),
        cmocka_unit_test(loads_makehuman_poses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
