// SPDX-License-Identifier: Apache-2.0
//
// The monkey: one text file, all of it.
#include "test.h"

#include "sinew/eval.h"

#include <math.h>
#include <string.h>

typedef struct monkey {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
} monkey;

static monkey load(uint32_t threads) {
    monkey m = {.context = snt_context(threads)};
    snt_ok(sn_character_load(m.context, snt_source("examples/monkey/monkey.sinew.json"),
                             &m.character, error));
    snt_ok(sn_model_create(m.character, NULL, &m.model, error));
    snt_ok(sn_frame_create(m.model, &m.frame, error));
    return m;
}

static void unload(monkey *m) {
    sn_frame_destroy(m->frame);
    sn_model_destroy(m->model);
    sn_character_destroy(m->character);
    snt_context_end(m->context);
}

// One for all tests that only look at it, and hold no parameters when they are done.
static monkey shared;

static int load_shared(void **state) {
    (void)state;
    shared = load(2);
    return 0;
}

static int unload_shared(void **state) {
    (void)state;
    unload(&shared);
    return 0;
}

static bool starts_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static uint32_t count_segments(const sn_model *model, const char *start) {
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    uint32_t count = 0;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        count += starts_with(skeleton->segments[i].name, start);
    }
    return count;
}

// Counts of Wilhelms and Van Gelder 1997, section 6.
static void has_the_parts_of_the_paper(void **state) {
    (void)state;
    monkey m = shared;
    static const struct {
        const char *name;
        uint32_t count;
    } segments[] = {{"", 85},         {"skull", 1},   {"jaw", 1},    {"cervical", 7},
                    {"thoracic", 13}, {"lumbar", 7},  {"pelvis", 1}, {"sacral", 3},
                    {"caudal", 13},   {"finger", 10}, {"toe", 10}};
    for (size_t i = 0; i < sizeof segments / sizeof *segments; ++i) {
        assert_int_equal(count_segments(m.model, segments[i].name), segments[i].count);
    }
    uint32_t layers[4] = {0}, features = 0, negative = 0, slices = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(m.model); ++i) {
        const sn_surface *surface = sn_model_surface(m.model, i);
        layers[surface->layer]++;
        features += surface->feature;
        negative += surface->density < 0;
        // 8 slices of 8 points and the two middles of the caps; ellipsoids have poles instead.
        slices += surface->layer == SN_LAYER_MUSCLE && surface->mesh->vertex_count == 66;
    }
    assert_int_equal(layers[SN_LAYER_BONE], 156);
    assert_int_equal(layers[SN_LAYER_TISSUE], 54);
    assert_int_equal(layers[SN_LAYER_MUSCLE], 52);
    assert_int_equal(layers[SN_LAYER_SKIN], 1);
    assert_int_equal(slices, 52);
    assert_int_equal(features, 24); // eyes, pupils, nails
    assert_int_equal(negative, 7);  // eye sockets, nostrils, hollows of the ears, mouth
}

static void attaches_muscles_to_bones(void **state) {
    (void)state;
    monkey m = shared;
    sn_body_check *check = NULL;
    snt_ok(sn_body_check_create(m.model, 0.5, NULL, &check, error));
    assert_int_equal(check->attachment_count, 4 * 40 + 2 * 12);
    for (uint32_t i = 0; i < check->attachment_count; ++i) {
        assert_true(check->attachments[i].distance < 0.001);
    }
    assert_int_equal(check->skin_count, 1);
    sn_body_check_destroy(check);
}

// Every joint but the root is limited, and everything on the left has its like on the right.
static void has_limits_and_two_sides(void **state) {
    (void)state;
    monkey m = shared;
    const sn_skeleton *skeleton = sn_model_skeleton(m.model);
    snt_ok(sn_frame_evaluate(m.frame, NULL, 0, error));
    for (uint32_t i = 1; i < skeleton->segment_count; ++i) {
        for (int k = SN_JOINT_RX; k <= SN_JOINT_RZ; ++k) {
            const sn_limit *limit = &skeleton->segments[i].limits[k];
            assert_true(isfinite(limit->low) && isfinite(limit->high));
            assert_true(limit->low <= 0 && limit->high >= 0);
        }
    }
    for (uint32_t i = 0; i < sn_model_surface_count(m.model); ++i) {
        const sn_surface *left = sn_model_surface(m.model, i);
        size_t length = strlen(left->name);
        if (length < 2 || strcmp(left->name + length - 2, ".L") != 0) {
            continue;
        }
        char name[128];
        snprintf(name, sizeof name, "%.*s.R", (int)length - 2, left->name);
        uint32_t k = 0;
        while (strcmp(sn_model_surface(m.model, k)->name, name) != 0) {
            ++k;
        }
        sn_vec3 a[2] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        sn_vec3 b[2] = {a[0], a[1]};
        for (uint32_t v = 0; v < left->mesh->vertex_count; ++v) {
            sn_vec3 p = sn_vec3_load(sn_frame_points(m.frame, i) + 3 * (size_t)v);
            sn_vec3 q = sn_vec3_load(sn_frame_points(m.frame, k) + 3 * (size_t)v);
            p.x = -p.x;
            a[0] = sn_vec3_min(a[0], p);
            a[1] = sn_vec3_max(a[1], p);
            b[0] = sn_vec3_min(b[0], q);
            b[1] = sn_vec3_max(b[1], q);
        }
        assert_true(sn_vec3_distance(a[0], b[0]) < 2e-3 && sn_vec3_distance(a[1], b[1]) < 2e-3);
    }
}

static double volume_of(const sn_mesh *mesh, const float *points) {
    double six = 0;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        const uint32_t *c = mesh->corners + 3 * (size_t)f;
        sn_vec3 p = sn_vec3_load(points + 3 * (size_t)c[0]);
        six += sn_vec3_dot(p, sn_vec3_cross(sn_vec3_load(points + 3 * (size_t)c[1]),
                                            sn_vec3_load(points + 3 * (size_t)c[2])));
    }
    return six / 6;
}

// Plays a clip: muscles keep their volumes, joints move, and the last frame is the first pose of
// the limbs again.
static void play(monkey *m, const char *name) {
    sn_motion *motion = NULL;
    snt_ok(sn_motion_open(m->model, name, &motion, error));
    uint32_t frames = sn_motion_frame_count(motion);
    uint32_t segments = sn_model_skeleton(m->model)->segment_count;
    assert_true(frames > 30);
    uint32_t moved = 0;
    for (uint32_t f = 0; f < frames; f += 4) {
        snt_ok(sn_frame_evaluate(m->frame, motion, f, error));
        for (uint32_t i = 0; i < sn_model_surface_count(m->model); ++i) {
            const sn_surface *surface = sn_model_surface(m->model, i);
            if (surface->layer == SN_LAYER_MUSCLE) {
                double rest = volume_of(surface->mesh, surface->mesh->positions);
                double now = volume_of(surface->mesh, sn_frame_points(m->frame, i));
                assert_true(fabs(now / rest - 1) < 0.005);
            }
        }
    }
    double first[85 * 9];
    assert_int_equal(segments, 85);
    snt_ok(sn_frame_evaluate(m->frame, motion, frames / 2, error));
    memcpy(first, sn_frame_joint_parameters(m->frame), sizeof first);
    snt_ok(sn_frame_evaluate(m->frame, motion, 0, error));
    const double *at_start = sn_frame_joint_parameters(m->frame);
    for (uint32_t s = 0; s < segments; ++s) {
        moved += memcmp(first + 9 * s, at_start + 9 * s, 9 * sizeof *first) != 0;
    }
    assert_true(moved > 20);
    memcpy(first, at_start, sizeof first);
    snt_ok(sn_frame_evaluate(m->frame, motion, frames - 1, error));
    const double *at_end = sn_frame_joint_parameters(m->frame);
    for (uint32_t i = 9; i < 9 * segments; ++i) { // all but the root, which has walked on
        snt_near(at_end[i], first[i], 1e-9);
    }
    sn_motion_destroy(motion);
}

static void plays_its_clips(void **state) {
    (void)state;
    monkey m = shared;
    assert_int_equal(sn_model_clip_count(m.model), 3);
    play(&m, "walk");
    play(&m, "arm raise");
    play(&m, "crouch");
}

static uint32_t segment_of(const sn_model *model, const char *name) {
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    uint32_t i = 0;
    while (strcmp(skeleton->segments[i].name, name) != 0) {
        ++i;
    }
    return i;
}

static sn_vec3 place_of(const sn_frame *frame, const char *name) {
    uint32_t segment = segment_of(sn_frame_model(frame), name);
    return sn_mat4_point(&sn_frame_worlds(frame)[segment], sn_vec3_make(0, 0, 0));
}

// In the walk each foot stands still while it carries, at least two always do, and each of the four
// is lifted once.
static void sets_its_feet_on_the_ground(void **state) {
    (void)state;
    static const char *const feet[] = {"toe 3.L", "toe 3.R", "finger 3.L", "finger 3.R"};
    monkey m = shared;
    sn_motion *motion = NULL;
    snt_ok(sn_motion_open(m.model, "walk", &motion, error));
    uint32_t frames = sn_motion_frame_count(motion), lifted[4] = {0};
    sn_vec3 rest[4], before[4];
    snt_ok(sn_frame_evaluate(m.frame, NULL, 0, error));
    for (int i = 0; i < 4; ++i) {
        rest[i] = place_of(m.frame, feet[i]);
    }
    for (uint32_t f = 0; f < frames; ++f) {
        snt_ok(sn_frame_evaluate(m.frame, motion, f, error));
        int standing = 0;
        for (int i = 0; i < 4; ++i) {
            sn_vec3 p = place_of(m.frame, feet[i]);
            assert_true(p.y > rest[i].y - 0.006);
            bool up = p.y > rest[i].y + 0.006;
            lifted[i] += up;
            standing += !up;
            if (f > 0 && !up && before[i].y < rest[i].y + 0.006) {
                assert_true(fabs(p.z - before[i].z) < 0.006);
            }
            before[i] = p;
        }
        assert_true(standing >= 2);
    }
    for (int i = 0; i < 4; ++i) {
        assert_in_range(lifted[i], 5, frames / 2);
    }
    sn_motion_destroy(motion);
}

static void closes_its_hands(void **state) {
    (void)state;
    monkey m = shared;
    snt_ok(sn_frame_set(m.frame, "grip.R", 1, error));
    snt_ok(sn_frame_evaluate(m.frame, NULL, 0, error));
    const double *joints = sn_frame_joint_parameters(m.frame);
    for (int finger = 1; finger <= 5; ++finger) {
        char name[16];
        snprintf(name, sizeof name, "finger %d.R", finger);
        uint32_t right = segment_of(m.model, name);
        snprintf(name, sizeof name, "finger %d.L", finger);
        assert_true(joints[9 * right + SN_JOINT_RX] > (finger == 1 ? 0.3 : 0.8));
        assert_true(joints[9 * segment_of(m.model, name) + SN_JOINT_RX] == 0);
    }
    sn_frame_clear(m.frame);
}

// The same bits from one thread and from three.
static void does_not_depend_on_threads(void **state) {
    (void)state;
    monkey one = load(1), three = load(3);
    monkey *both[] = {&one, &three};
    for (int i = 0; i < 2; ++i) {
        sn_motion *motion = NULL;
        snt_ok(sn_motion_open(both[i]->model, "walk", &motion, error));
        snt_ok(sn_frame_evaluate(both[i]->frame, motion, 7, error));
        sn_motion_destroy(motion);
    }
    for (uint32_t i = 0; i < sn_model_surface_count(one.model); ++i) {
        uint32_t count = sn_model_surface(one.model, i)->mesh->vertex_count;
        assert_int_equal(sn_model_surface(three.model, i)->mesh->vertex_count, count);
        assert_memory_equal(sn_frame_points(one.frame, i), sn_frame_points(three.frame, i),
                            3 * (size_t)count * sizeof(float));
    }
    unload(&one);
    unload(&three);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_parts_of_the_paper),  cmocka_unit_test(attaches_muscles_to_bones),
        cmocka_unit_test(has_limits_and_two_sides),    cmocka_unit_test(plays_its_clips),
        cmocka_unit_test(sets_its_feet_on_the_ground), cmocka_unit_test(closes_its_hands),
        cmocka_unit_test(does_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, load_shared, unload_shared);
}
