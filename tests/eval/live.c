// SPDX-License-Identifier: Apache-2.0
//
// Live frames: poses from outside in all their forms, steps of time, selections, saved states, and
// what is refused. What shipped characters do is in tests/scenes/live.c.
#include "toy.h"

#include "sinew/live.h"

#include <pthread.h>
#include <stdlib.h>

enum { SEGMENTS = 3, CONTROLS = 4 }; // of the toy: root upper lower, smile bulge curl cling

static uint64_t step(sn_frame *frame, const sn_pose_desc *pose, double dt) {
    snt_ok(sn_frame_set_pose(frame, pose, error));
    snt_ok(sn_frame_step(frame, dt, error));
    return hash_frame(frame);
}

static sn_pose_desc pose_of(const double *parameters, const double *controls) {
    sn_pose_desc pose = sn_pose_desc_default();
    pose.segment_count = parameters != NULL ? SEGMENTS : 0;
    pose.joint_parameters = parameters;
    pose.control_count = controls != NULL ? CONTROLS : 0;
    pose.controls = controls;
    return pose;
}

static void rest_parameters(const sn_model *model, double *parameters) {
    for (uint32_t i = 0; i < SEGMENTS; ++i) {
        memcpy(parameters + 9 * (size_t)i, sn_model_skeleton(model)->segments[i].rest_parameters,
               9 * sizeof *parameters);
    }
}

static double largest_difference(const sn_frame *a, const sn_frame *b) {
    const sn_model *model = sn_frame_model(a);
    double largest = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const float *p = sn_frame_points(a, i), *q = sn_frame_points(b, i);
        for (size_t k = 0; k < 3 * (size_t)sn_model_surface(model, i)->mesh->vertex_count; ++k) {
            largest = fmax(largest, fabs((double)p[k] - q[k]));
        }
    }
    return largest;
}

// ---------------------------------------------------------------------------------------------
// Poses

static void rests_without_a_pose(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_ALL);
    uint64_t rest = hash_frame(t.frame);
    snt_ok(sn_frame_step(t.frame, 0.1, error));
    assert_true(hash_frame(t.frame) == rest);
    sn_pose_desc pose = sn_pose_desc_default();
    assert_true(step(t.frame, &pose, 0) == rest);
    toy_end(&t);
}

// What a pose says goes through limits, synergies and drivers as what a clip says does.
static void acts_as_a_clip_would(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_ALL);
    sn_frame *held;
    double parameters[9 * SEGMENTS], controls[CONTROLS] = {1.5, 0.123, 0.5, NAN};
    snt_ok(sn_frame_create(t.model, &held, error));
    snt_ok(sn_frame_set(held, "root.ry", 0.7, error));
    snt_ok(sn_frame_set(held, "lower.tx", 0.25, error));
    snt_ok(sn_frame_set(held, "smile", 1.5, error));
    snt_ok(sn_frame_set(held, "curl", 0.5, error));
    snt_ok(sn_frame_evaluate(held, NULL, 0, error));
    rest_parameters(t.model, parameters);
    parameters[SN_JOINT_RY] = 0.7;
    parameters[2 * 9 + SN_JOINT_TX] = 0.25;
    sn_pose_desc pose = pose_of(parameters, controls);
    assert_true(step(t.frame, &pose, 0) == hash_frame(held)); // the driver computed "bulge"
    parameters[9 + SN_JOINT_RX] = 3;                          // beyond 100 degrees
    step(t.frame, &pose, 0);
    snt_near(sn_frame_joint_parameters(t.frame)[9 + SN_JOINT_RX], 100 * SN_PI / 180, 1e-15);
    controls[0] = 99; // beyond its range
    step(t.frame, &pose, 0);
    assert_true(sn_frame_controls(t.frame)[0] == 2);
    sn_frame_destroy(held);
    toy_end(&t);
}

static void takes_a_complete_pose_as_it_is(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_ALL);
    double parameters[9 * SEGMENTS], controls[CONTROLS] = {0, 0.25, 1, 1};
    rest_parameters(t.model, parameters);
    parameters[9 + SN_JOINT_RX] = 3;
    sn_pose_desc pose = pose_of(parameters, controls);
    pose.complete = true;
    step(t.frame, &pose, 0);
    assert_memory_equal(sn_frame_joint_parameters(t.frame), parameters, sizeof parameters);
    assert_memory_equal(sn_frame_controls(t.frame), controls, sizeof controls);
    // Only what it does not say is computed: the driver of "bulge" reads lower.rx.
    parameters[2 * 9 + SN_JOINT_RX] = SN_PI / 2;
    controls[1] = NAN;
    step(t.frame, &pose, 0);
    snt_near(sn_frame_controls(t.frame)[1], 1, 1e-12);
    // Values that are held take the place of what it says.
    snt_ok(sn_frame_set(t.frame, "bulge", 0.5, error));
    snt_ok(sn_frame_set(t.frame, "upper.rx_deg", 10, error));
    step(t.frame, &pose, 0);
    assert_true(sn_frame_controls(t.frame)[1] == 0.5);
    snt_near(sn_frame_joint_parameters(t.frame)[9], SN_PI / 18, 1e-15);
    toy_end(&t);
}

// Every form of transforms, in an array with other things between.
static void reads_all_formats(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_ALL);
    sn_frame *clip;
    snt_ok(sn_frame_create(t.model, &clip, error));
    snt_ok(sn_frame_evaluate(clip, t.motion, 130, error));
    for (int world = 0; world < 2; ++world) {
        for (int format = 0; format <= SN_POSE_FLOAT_MATRIX; ++format) {
            static uint8_t bytes[SEGMENTS * 200 + 1];
            for (size_t i = 0; i < SEGMENTS; ++i) {
                sn_mat4 matrix = world ? sn_frame_worlds(clip)[i]
                                       : sn_mat4_from_transform(&sn_frame_locals(clip)[i]);
                sn_transform transform = sn_frame_locals(clip)[i];
                float floats[16];
                if (world) {
                    sn_mat4_decompose(&matrix, &transform);
                }
                for (int k = 0; k < 16; ++k) {
                    floats[k] = (float)matrix.m[k];
                }
                const void *from[] = {&transform, &matrix, floats};
                const size_t sizes[] = {sizeof transform, sizeof matrix, sizeof floats};
                memcpy(bytes + 1 + 200 * i, from[format], sizes[format]); // not even aligned
            }
            sn_pose_desc pose = pose_of(NULL, sn_frame_controls(clip));
            pose.segment_count = SEGMENTS;
            pose.transforms = bytes + 1;
            pose.format = (sn_pose_format)format;
            pose.stride = 200;
            pose.world = world;
            pose.complete = true;
            step(t.frame, &pose, 0);
            snt_near(largest_difference(t.frame, clip), 0,
                     format == SN_POSE_FLOAT_MATRIX ? 3e-6 : 1e-6);
        }
    }
    sn_frame_destroy(clip);
    toy_end(&t);
}

// Worlds of bodies with uneven scales shear; what sinew made of them is found again.
static void finds_uneven_scales_again(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_ALL);
    sn_frame *other;
    snt_ok(sn_frame_create(t.model, &other, error));
    snt_ok(sn_frame_set(other, "root.sx", 1.5, error));
    snt_ok(sn_frame_set(other, "upper.sy", 0.5, error));
    snt_ok(sn_frame_set(other, "upper.rz_deg", 40, error));
    snt_ok(sn_frame_set(other, "lower.ry_deg", -70, error));
    snt_ok(sn_frame_evaluate(other, NULL, 0, error));
    sn_pose_desc pose = sn_pose_desc_default();
    pose.segment_count = SEGMENTS;
    pose.transforms = sn_frame_worlds(other);
    pose.format = SN_POSE_MATRIX;
    pose.world = true;
    step(t.frame, &pose, 0);
    snt_near(largest_difference(t.frame, other), 0, 1e-6);
    sn_frame_destroy(other);
    toy_end(&t);
}

static void is_moved_by_a_root(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_ALL);
    sn_frame *placed;
    snt_ok(sn_frame_create(t.model, &placed, error));
    double controls[CONTROLS] = {1, NAN, 0.7, NAN};
    sn_transform root = sn_transform_identity();
    sn_pose_desc pose = pose_of(NULL, controls);
    uint64_t plain = step(t.frame, &pose, 0);
    pose.root = &root;
    assert_true(step(placed, &pose, 0) == plain);
    root.translation = sn_vec3_make(3, 0, -5);
    root.rotation = sn_quat_from_axis_angle(sn_vec3_make(0, 1, 0), 1);
    step(placed, &pose, 0);
    sn_mat4 matrix = sn_mat4_from_transform(&root);
    for (uint32_t i = 0; i < sn_model_surface_count(t.model); ++i) {
        const float *from = sn_frame_points(t.frame, i), *to = sn_frame_points(placed, i);
        for (size_t v = 0; v < TOY_VERTICES; ++v) {
            sn_vec3 moved = sn_mat4_point(&matrix, sn_vec3_load(from + 3 * v));
            snt_near(sn_vec3_distance(moved, sn_vec3_load(to + 3 * v)), 0, 2e-6);
        }
    }
    assert_memory_equal(sn_frame_locals(placed), sn_frame_locals(t.frame),
                        SEGMENTS * sizeof(sn_transform)); // parameters know nothing of it
    sn_frame_destroy(placed);
    toy_end(&t);
}

#define REFUSED(text) snt_fails(SN_INVALID, text, sn_frame_set_pose(t.frame, &bad, error))

static void refuses_wrong_numbers(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_ALL);
    double parameters[9 * SEGMENTS], controls[CONTROLS] = {1, NAN, 0.7, NAN};
    sn_transform root = sn_transform_identity();
    rest_parameters(t.model, parameters);
    sn_pose_desc good = pose_of(parameters, controls), bad = {0};
    uint64_t before = step(t.frame, &good, 0);
    REFUSED("not made by sn_pose_desc_default");
    bad = good;
    bad.segment_count = 2;
    REFUSED("the pose has 2 segments, but \"toy\" has 3");
    bad = good;
    bad.control_count = 5;
    REFUSED("the pose has 5 controls, but \"toy\" has 4");
    bad = good;
    controls[0] = INFINITY;
    REFUSED("the control \"smile\" is inf");
    controls[0] = 1;
    parameters[10] = NAN;
    REFUSED("\"upper.ry\" is nan");
    parameters[10] = 0;
    bad.root = &root;
    root.scale.y = 2;
    REFUSED("the root has the scale 1 2 1: it turns and moves the body only");
    root.scale.y = 1;
    root.translation.x = INFINITY;
    REFUSED("number 0 of the transform of \"the root\" is inf");
    // None of it has left a trace.
    snt_ok(sn_frame_step(t.frame, 0, error));
    assert_true(hash_frame(t.frame) == before);
    root.translation.x = 1e300; // a number, but no place for points
    snt_ok(sn_frame_set_pose(t.frame, &bad, error));
    snt_fails(SN_INVALID, "too large for the segment", sn_frame_step(t.frame, 0, error));
    assert_true(step(t.frame, &good, 0) == before);
    toy_end(&t);
}

static void refuses_wrong_transforms(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_ALL);
    sn_transform locals[SEGMENTS];
    sn_mat4 matrices[SEGMENTS];
    sn_pose_desc bad = sn_pose_desc_default();
    memcpy(locals, sn_frame_locals(t.frame), sizeof locals);
    memcpy(matrices, sn_frame_worlds(t.frame), sizeof matrices);
    bad.segment_count = SEGMENTS;
    bad.transforms = locals;
    bad.stride = 8;
    REFUSED("a stride of 8 bytes has no room for the 80 of a transform");
    bad.stride = 0;
    bad.format = (sn_pose_format)7;
    REFUSED("there is no pose format 7");
    bad.format = SN_POSE_TRANSFORM;
    locals[2].translation.y = NAN;
    REFUSED("number 1 of the transform of \"lower\" is nan");
    locals[2].translation.y = 0;
    locals[2].scale.x = 0;
    REFUSED("\"lower\" has the scale 0 1 1: none may be 0");
    locals[2].scale.x = 1;
    locals[1].rotation = (sn_quat){0, 0, 0, 0};
    REFUSED("\"upper\" has the quaternion 0 0 0 0: it is no rotation");
    bad.transforms = matrices;
    bad.format = SN_POSE_MATRIX;
    bad.world = true;
    matrices[1].m[3] = 2;
    REFUSED("the last row of the matrix of \"upper\" is 2 0 0 1, not 0 0 0 1");
    memset(matrices[1].m, 0, 12 * sizeof(double));
    REFUSED("\"upper\" has the scale 0 0 0: none may be 0");
    matrices[1] = sn_mat4_identity();
    matrices[1].m[0] = matrices[1].m[5] = matrices[1].m[10] = 1e-110;
    REFUSED("the world transform of \"upper\" cannot be inverted");
    toy_end(&t);
}

// ---------------------------------------------------------------------------------------------
// Time

static void counts_time_without_drift(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_ALL);
    static const double rates[] = {29.97, 59.94, 120, 49, 23.976, 1, 24};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; ++i) {
        sn_frame_reset(t.frame);
        for (uint32_t n = 0; n < 100; ++n) {
            snt_ok(sn_frame_step(t.frame, 1 / rates[i], error));
            assert_true(sn_frame_time(t.frame) == n / rates[i]); // to the last bit
        }
    }
    double at = sn_frame_time(t.frame);
    snt_ok(sn_frame_step(t.frame, 0, error));
    assert_true(sn_frame_time(t.frame) == at);
    snt_ok(sn_frame_step(t.frame, 1e-320, error));
    assert_true(sn_frame_time(t.frame) == at);
    snt_ok(sn_frame_step(t.frame, 0.0171, error));
    snt_near(sn_frame_time(t.frame), at + 0.0171, 1e-14);
    snt_ok(sn_frame_step(t.frame, 1e300, error)); // more than a second counts as one
    snt_near(sn_frame_time(t.frame), at + 1.0171, 1e-14);
    snt_fails(SN_INVALID, "not -0.1", sn_frame_step(t.frame, -0.1, error));
    snt_fails(SN_INVALID, "not nan", sn_frame_step(t.frame, NAN, error));
    snt_fails(SN_INVALID, "not inf", sn_frame_step(t.frame, INFINITY, error));
    snt_ok(sn_frame_step(t.frame, 0.5, error));
    snt_near(sn_frame_time(t.frame), at + 1.5171, 1e-14);
    sn_frame_reset(t.frame);
    snt_ok(sn_frame_step(t.frame, 0.5, error));
    assert_true(sn_frame_time(t.frame) == 0);
    toy_end(&t);
}

// ---------------------------------------------------------------------------------------------
// Selections

static void computes_what_is_selected(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_ALL);
    sn_frame *all;
    static float twist[3 * TOY_VERTICES], stick[3 * TOY_VERTICES];
    double controls[CONTROLS] = {1, NAN, 0.7, NAN};
    sn_pose_desc pose = pose_of(NULL, controls);
    uint32_t coat = sn_model_find_surface(t.model, "coat");
    snt_ok(sn_frame_create(t.model, &all, error));
    uint64_t expected = step(all, &pose, 0);
    memcpy(twist, points_of(t.frame, "twist"), sizeof twist);
    memcpy(stick, points_of(t.frame, "stick"), sizeof stick);
    snt_ok(sn_frame_select(t.frame, &coat, 1, error));
    step(t.frame, &pose, 0);
    assert_memory_equal(points_of(t.frame, "coat"), points_of(all, "coat"), sizeof twist);
    assert_memory_equal(points_of(t.frame, "body"), points_of(all, "body"), sizeof twist);
    assert_memory_equal(points_of(t.frame, "twist"), twist, sizeof twist);
    assert_memory_equal(points_of(t.frame, "stick"), stick, sizeof stick);
    uint32_t wrong[] = {coat, 77};
    snt_fails(SN_INVALID, "entry 1 selects surface 77: \"toy\" has 5",
              sn_frame_select(t.frame, wrong, 2, error));
    snt_ok(sn_frame_select(t.frame, NULL, 0, error)); // the pose alone
    snt_ok(sn_frame_step(t.frame, 0, error));
    sn_frame_show_only(t.frame, false);
    snt_ok(sn_frame_step(t.frame, 0, error));
    assert_true(hash_frame(t.frame) == expected);
    sn_frame_destroy(all);
    toy_end(&t);
}

// The muscle of the arm is posed for the skin that it moves, and for nothing else.
static void needs_the_muscles_of_a_skin(void **state) {
    (void)state;
    toy t = {.context = snt_context(1)};
    sn_frame *all;
    snt_ok(sn_character_load(t.context, snt_source("examples/arm/arm.sinew.json"), &t.character,
                             error));
    snt_ok(sn_model_create(t.character, NULL, &t.model, error));
    snt_ok(sn_motion_open(t.model, "curl", &t.motion, error));
    snt_ok(sn_frame_create(t.model, &t.frame, error));
    snt_ok(sn_frame_create(t.model, &all, error));
    uint32_t skin = sn_model_find_surface(t.model, "skin"), bone = 0;
    uint32_t muscle = sn_model_surface_count(t.model) - 1;
    sn_muscle_state rest, curled, found;
    assert_true(sn_frame_muscle_state(t.frame, muscle, &rest));
    snt_ok(sn_frame_evaluate(all, t.motion, 30, error));
    assert_true(sn_frame_muscle_state(all, muscle, &curled));
    assert_true(curled.length < rest.length);
    snt_ok(sn_frame_select(t.frame, &bone, 1, error));
    snt_ok(sn_frame_evaluate(t.frame, t.motion, 30, error));
    assert_true(sn_frame_muscle_state(t.frame, muscle, &found) && found.length == rest.length);
    snt_ok(sn_frame_select(t.frame, &skin, 1, error));
    snt_ok(sn_frame_evaluate(t.frame, t.motion, 30, error));
    assert_true(sn_frame_muscle_state(t.frame, muscle, &found) && found.length == curled.length);
    assert_memory_equal(sn_frame_points(t.frame, skin), sn_frame_points(all, skin),
                        12 * (size_t)sn_model_surface(t.model, skin)->mesh->vertex_count);
    sn_frame_destroy(all);
    toy_end(&t);
}

// ---------------------------------------------------------------------------------------------
// Names, ranges, results

static void finds_names_and_ranges(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_ALL);
    sn_pose_parameter p;
    assert_string_equal(sn_model_surface(t.model, sn_model_find_surface(t.model, "coat"))->name,
                        "coat");
    assert_int_equal(sn_model_find_surface(t.model, "hat"), SN_NONE);
    assert_int_equal(sn_model_find_segment(t.model, "lower"), 2);
    assert_int_equal(sn_model_find_segment(t.model, "tail"), SN_NONE);
    assert_int_equal(sn_model_find_control(t.model, "curl"), 2);
    assert_int_equal(sn_model_find_control(t.model, "frown"), SN_NONE);
    snt_ok(sn_model_find_parameter(t.model, "upper.rx_deg", &p, error));
    assert_int_equal(p.unit, SN_UNIT_DEGREES);
    snt_near(p.low, -100, 1e-12);
    snt_near(p.high, 100, 1e-12);
    snt_ok(sn_frame_hold(t.frame, &p, 30, error));
    snt_fails(SN_INVALID, "\"upper.rx_deg\" cannot be 130", sn_frame_hold(t.frame, &p, 130, error));
    snt_ok(sn_frame_step(t.frame, 0, error));
    snt_near(sn_frame_joint_parameters(t.frame)[9], SN_PI / 6, 1e-15);
    p = sn_model_joint_parameter(t.model, 1, SN_JOINT_RX);
    assert_true(p.unit == SN_UNIT_RADIANS && p.control == SN_NONE && !p.driven);
    snt_near(p.high, 100 * SN_PI / 180, 1e-15);
    p = sn_model_joint_parameter(t.model, 1, SN_JOINT_TY);
    assert_true(p.unit == SN_UNIT_METRES && p.low == -INFINITY && p.standard == 0);
    p = sn_model_joint_parameter(t.model, 1, SN_JOINT_SY);
    assert_true(p.unit == SN_UNIT_NONE && p.standard == 1);
    p = sn_model_control_parameter(t.model, 0);
    assert_true(p.low == 0 && p.high == 2 && p.standard == 0 && !p.driven);
    p = sn_model_control_parameter(t.model, 1);
    assert_true(p.driven);
    snt_ok(sn_frame_hold(t.frame, &p, 0.5, error));
    snt_ok(sn_frame_step(t.frame, 0, error));
    assert_true(sn_frame_controls(t.frame)[1] == 0.5);
    snt_fails(SN_INVALID, "there is no parameter \"uper.rx\"; did you mean \"upper.rx\"?",
              sn_model_find_parameter(t.model, "uper.rx", &p, error));
    p.control = 99; // of another model, perhaps
    snt_fails(SN_INVALID, "\"toy\" has no control 99", sn_frame_hold(t.frame, &p, 0, error));
    p.control = SN_NONE;
    p.segment = 99;
    snt_fails(SN_INVALID, "\"toy\" has no segment 99", sn_frame_hold(t.frame, &p, 0, error));
    toy_end(&t);
}

static void writes_into_the_callers_memory(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_ALL);
    typedef struct vertex {
        uint8_t color[2]; // floats need not be aligned
        float place[3], normal[3];
        float uv[2];
    } vertex;
    static vertex vertices[TOY_VERTICES];
    static float normals[3 * TOY_VERTICES];
    uint32_t body = sn_model_find_surface(t.model, "body");
    snt_ok(sn_frame_evaluate(t.frame, t.motion, 60, error));
    memset(vertices, 7, sizeof vertices);
    snt_ok(sn_frame_copy_points(t.frame, body, &vertices[0].place, sizeof *vertices, error));
    snt_ok(sn_frame_copy_normals(t.frame, body, &vertices[0].normal, sizeof *vertices, error));
    snt_ok(sn_mesh_normals(sn_model_surface(t.model, body)->mesh, sn_frame_points(t.frame, body),
                           normals, error));
    for (size_t v = 0; v < TOY_VERTICES; ++v) {
        assert_memory_equal(vertices[v].place, sn_frame_points(t.frame, body) + 3 * v, 12);
        assert_memory_equal(vertices[v].normal, normals + 3 * v, 12);
        assert_memory_equal(vertices[v].uv, "\7\7\7\7\7\7\7\7", 8);
    }
    snt_fails(SN_INVALID, "there is no surface 9",
              sn_frame_copy_points(t.frame, 9, vertices, 0, error));
    snt_fails(SN_INVALID, "a stride of 4 bytes",
              sn_frame_copy_normals(t.frame, body, vertices, 4, error));
    toy_end(&t);
}

// ---------------------------------------------------------------------------------------------
// Saved states

static void refuses_states_that_do_not_fit(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_ALL), other = toy_make(1, TOY_BODY);
    size_t size = sn_frame_state_bytes(t.frame);
    uint8_t *saved = malloc(size), *damaged = malloc(size);
    sn_clip *slow;
    sn_motion *slowly;
    snt_ok(sn_clip_create(t.context, "slow", 12, 240, &slow, error));
    snt_ok(sn_motion_create(t.model, slow, &slowly, error));
    snt_ok(sn_frame_evaluate(t.frame, t.motion, 50, error));
    uint64_t before = hash_frame(t.frame);
    sn_frame_save(t.frame, saved);
#define REFUSED_STATE(text, motion, bytes, count)                                                  \
    snt_fails(SN_INVALID, text, sn_frame_restore(t.frame, motion, bytes, count, error))
    REFUSED_STATE("a saved state has 64 bytes and more, not 63", t.motion, saved, 63);
    REFUSED_STATE("bytes, not ", t.motion, saved, size - 1);
    REFUSED_STATE("after frame 50 of a motion with 24 frames per second; \"slow\" has", slowly,
                  saved, size);
    memcpy(damaged, saved, size);
    damaged[size - 1] ^= 1;
    REFUSED_STATE("is damaged", t.motion, damaged, size);
    damaged[0] = 'x';
    REFUSED_STATE("these bytes are no saved state", t.motion, damaged, size);
    memcpy(damaged, saved, size);
    damaged[8] = 9;
    snt_fails(SN_UNSUPPORTED, "version 9, not 1",
              sn_frame_restore(t.frame, t.motion, damaged, size, error));
    snt_fails(SN_INVALID, "is of another model than \"toy\"",
              sn_frame_restore(other.frame, other.motion, saved, size, error));
    assert_true(hash_frame(t.frame) == before);
    // From a motion to live steps, but not back.
    snt_ok(sn_frame_restore(t.frame, NULL, saved, size, error));
    snt_ok(sn_frame_step(t.frame, 1 / 24.0, error));
    assert_true(sn_frame_time(t.frame) == 51 / 24.0);
    sn_frame_save(t.frame, saved);
    REFUSED_STATE("reached by live steps, not by frames of \"move\"", t.motion, saved, size);
    snt_ok(sn_frame_evaluate(t.frame, NULL, 0, error)); // ends the run
    sn_frame_save(t.frame, saved);
    snt_ok(sn_frame_restore(t.frame, t.motion, saved, size, error));
    snt_ok(sn_frame_restore(t.frame, NULL, saved, size, error));
    snt_ok(sn_frame_step(t.frame, 1 / 24.0, error));
    assert_true(sn_frame_time(t.frame) == 0);
    free(saved);
    free(damaged);
    sn_motion_destroy(slowly);
    sn_clip_destroy(slow);
    toy_end(&t);
    toy_end(&other);
}

// ---------------------------------------------------------------------------------------------
// Memory and threads

static void allocates_nothing_in_a_loop(void **state) {
    (void)state;
    toy t = toy_make(2, TOY_ALL);
    double controls[CONTROLS] = {0, NAN, 0, NAN};
    uint32_t coat = sn_model_find_surface(t.model, "coat");
    sn_pose_desc pose = pose_of(NULL, controls);
    sn_pose_parameter lower;
    size_t allocations = 0;
    snt_ok(sn_model_find_parameter(t.model, "lower.ry_deg", &lower, error));
    for (uint32_t i = 0; i < 200; ++i) {
        controls[2] = 0.5 + 0.5 * sin(i);
        sn_frame_clear(t.frame);
        snt_ok(sn_frame_hold(t.frame, &lower, i, error));
        if (i % 2 == 0) {
            snt_ok(sn_frame_select(t.frame, &coat, 1, error));
        } else {
            sn_frame_show_only(t.frame, false);
        }
        step(t.frame, &pose, 1 / 60.0);
        allocations = i < 10 ? sn_context_allocations(t.context) : allocations;
    }
    assert_int_equal(sn_context_allocations(t.context), allocations);
    toy_end(&t);
}

static sn_status run_out(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    sn_mesh *mesh = NULL;
    sn_status status = SN_OK;
    sn_transform transforms[2] = {sn_transform_identity(), sn_transform_identity()};
    sn_pose_desc pose = sn_pose_desc_default();
    float out[9];
    pose.segment_count = 2;
    pose.transforms = transforms;
    pose.world = true;
    SN_TRY(
        parse_quoted(context, "a",
                     "{'sinew': 1, 'name': 'a', 'skeleton': {'s': {}, 'c': {'parent': 's'}},"
                     "'meshes': {'m': {}}, 'skins': {'m': {'mesh': 'm', 'segment': 'c'},"
                     "'n': {'mesh': 'm', 'deformers': [{'kind': 'cloth', 'colliders': ['m']}]}}}",
                     &character, error));
    SN_TRY(sn_mesh_create(context, "m", 3, 1, 3, &mesh, error));
    for (uint32_t i = 0; i < 9; ++i) {
        mesh->positions[i] = i % 4 == 0;
    }
    for (uint32_t i = 0; i < 3; ++i) {
        mesh->corners[i] = i;
    }
    SN_TRY(sn_character_give_mesh(character, "m", mesh, error));
    SN_TRY(sn_model_create(character, NULL, &model, error));
    SN_TRY(sn_frame_create(model, &frame, error));
    for (uint32_t i = 0; i < 3; ++i) {
        transforms[1].translation.x = i;
        SN_TRY(sn_frame_set_pose(frame, &pose, error));
        SN_TRY(sn_frame_step(frame, 0.01, error));
        SN_TRY(sn_frame_copy_normals(frame, 0, out, 0, error));
    }
cleanup:
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static void survives_running_out_of_memory(void **state) {
    (void)state;
    snt_fail_allocations(run_out, NULL);
}

typedef struct side {
    const sn_model *model;
    double phase;
    uint64_t hash;
    sn_status status;
} side;

static void *step_on(void *user) {
    side *s = user;
    sn_frame *frame = NULL;
    double controls[CONTROLS] = {0, NAN, 0, NAN};
    sn_pose_desc pose = pose_of(NULL, controls);
    s->status = sn_frame_create(s->model, &frame, NULL);
    for (uint32_t i = 0; i < 60 && s->status == SN_OK; ++i) {
        controls[2] = 0.5 + 0.5 * sin(s->phase + i);
        s->status = sn_frame_set_pose(frame, &pose, NULL);
        if (s->status == SN_OK) {
            s->status = sn_frame_step(frame, 1 / 60.0, NULL);
        }
    }
    s->hash = s->status == SN_OK ? hash_frame(frame) : 0;
    sn_frame_destroy(frame);
    return NULL;
}

static void steps_on_two_threads_at_once(void **state) {
    (void)state;
    toy t = toy_make(2, TOY_ALL);
    side alone[2] = {{.model = t.model}, {.model = t.model, .phase = 1}}, both[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) {
        both[i] = alone[i];
        step_on(&alone[i]);
    }
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, step_on, &both[i]), 0);
    }
    for (int i = 0; i < 2; ++i) {
        pthread_join(threads[i], NULL);
        assert_int_equal(both[i].status, SN_OK);
        assert_true(both[i].hash == alone[i].hash);
    }
    toy_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rests_without_a_pose),
        cmocka_unit_test(acts_as_a_clip_would),
        cmocka_unit_test(takes_a_complete_pose_as_it_is),
        cmocka_unit_test(reads_all_formats),
        cmocka_unit_test(finds_uneven_scales_again),
        cmocka_unit_test(is_moved_by_a_root),
        cmocka_unit_test(refuses_wrong_numbers),
        cmocka_unit_test(refuses_wrong_transforms),
        cmocka_unit_test(counts_time_without_drift),
        cmocka_unit_test(computes_what_is_selected),
        cmocka_unit_test(needs_the_muscles_of_a_skin),
        cmocka_unit_test(finds_names_and_ranges),
        cmocka_unit_test(writes_into_the_callers_memory),
        cmocka_unit_test(refuses_states_that_do_not_fit),
        cmocka_unit_test(allocates_nothing_in_a_loop),
        cmocka_unit_test(survives_running_out_of_memory),
        cmocka_unit_test(steps_on_two_threads_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
