// SPDX-License-Identifier: Apache-2.0
//
// Eyes and lids of the shipped head: lids lie on the eyeballs, close without a gap and without
// crossing at every stage of a blink, and go with the gaze.
#include "test.h"

#include "lid_measures.h"

#include "sinew/character.h"
#include "sinew/live.h"

static struct {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    uint32_t skin, eyes[2]; // surfaces
    lid_face face;
} head;

static int begin(void **state) {
    (void)state;
    head.context = snt_context(1);
    const char *path = snt_source("examples/head/head.sinew.json");
    snt_ok(sn_character_load(head.context, path, &head.character, error));
    snt_ok(sn_model_create(head.character, NULL, &head.model, error));
    snt_ok(sn_frame_create(head.model, &head.frame, error));
    head.skin = sn_model_find_surface(head.model, "skin");
    head.eyes[0] = sn_model_find_surface(head.model, "eyeball.L");
    head.eyes[1] = sn_model_find_surface(head.model, "eyeball.R");
    head.face = lid_face_of(sn_model_surface(head.model, head.skin)->mesh);
    return 0;
}

static int end(void **state) {
    (void)state;
    lid_face_free(&head.face);
    sn_frame_destroy(head.frame);
    sn_model_destroy(head.model);
    sn_character_destroy(head.character);
    snt_context_end(head.context);
    return 0;
}

static const float *skin_points(void) {
    return sn_frame_points(head.frame, head.skin);
}

typedef struct held {
    const char *name;
    double value;
} held;

static void pose(const held *values, uint32_t count) {
    sn_frame_clear(head.frame);
    for (uint32_t i = 0; i < count; ++i) {
        snt_ok(sn_frame_set(head.frame, values[i].name, values[i].value, error));
    }
    snt_ok(sn_frame_evaluate(head.frame, NULL, 0, error));
}

static lid_measure measure(int eye, bool crossings) {
    const sn_surface *ball = sn_model_surface(head.model, head.eyes[eye]);
    const double *m = sn_frame_worlds(head.frame)[ball->segment].m;
    return lid_measure_of(head.context, &head.face, skin_points(), ball->mesh,
                          sn_frame_points(head.frame, head.eyes[eye]),
                          sn_vec3_make(m[12], m[13], m[14]), 0.004, 0.0175, crossings);
}

// No vertex in the eyeball, no triangle through another one.
static lid_measure check(int eye) {
    lid_measure m = measure(eye, true);
    assert_true(m.inside <= 0);
    assert_int_equal(m.crossings, 0);
    return m;
}

static const double widest_gap = 0.0003;

// ---------------------------------------------------------------------------------------------

// The lids at rest are those of the mesh.
static void the_head_at_rest_is_as_it_was_made(void **state) {
    (void)state;
    const float *rest = sn_model_surface(head.model, head.skin)->mesh->positions;
    pose(NULL, 0);
    for (uint32_t i = 0; i < 3 * head.face.vertex_count; ++i) {
        assert_true(fabsf(skin_points()[i] - rest[i]) < 3e-6f);
    }
    assert_true(check(0).open > 0.008);
}

// What is open falls evenly from stage to stage; at the end nothing is, from corner to corner.
static void blinks_close_the_eye(void **state) {
    (void)state;
    const double stages[] = {0.15, 0.35, 0.6, 0.8, 0.95, 1};
    double before = 0.0095;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; ++i) {
        pose(&(held){"AU45.L", stages[i]}, 1);
        lid_measure m = check(0);
        assert_true(m.open < before);
        snt_near(m.open, (1 - stages[i]) * 0.0092 + 0.0001, 0.0007);
        before = m.open;
    }
    assert_true(before < widest_gap);
    assert_true(measure(1, false).open > 0.008); // the other eye is open
}

static void closed_lids_stay_closed_whatever_the_face_does(void **state) {
    (void)state;
    static const held others[][2] = {
        {{"look up", 1}, {"look left", 0}}, {{"look up", -1}, {"look left", 0.7}},
        {{"AU7.L", 1}, {"look left", -1}},  {{"AU6.L", 1}, {"AU12.L", 1}},
        {{"AU4.L", 1}, {"AU6.L", 1}},       {{"AU1.L", 1}, {"AU2.L", 1}},
        {{"AU9.L", 1}, {"look near", 1}},   {{"AU4.L", 1}, {"look near", 0}},
        {{"AU4.L", 1}, {"AU7.L", 1}},       {{"frown", 1}, {"look left", 0}},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        pose((const held[]){{"AU43.L", 1}, others[i][0], others[i][1]}, 3);
        assert_true(check(0).open < widest_gap);
    }
}

static void lids_that_are_half_closed_do_not_cross(void **state) {
    (void)state;
    static const held others[][2] = {{{"look up", -1}, {"AU6.L", 0.5}},
                                     {{"look up", 1}, {"AU4.L", 1}},
                                     {{"AU7.L", 1}, {"AU6.L", 1}}};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        pose((const held[]){{"AU45.L", 0.6}, others[i][0], others[i][1]}, 3);
        check(0);
    }
}

// The upper lid goes with the eye, by 0.75 of its turn in the middle; the lower one by less.
static void lids_follow_the_gaze(void **state) {
    (void)state;
    pose(NULL, 0);
    lid_measure rest = measure(0, false);
    pose(&(held){"eyeLookDownLeft", 1}, 1);
    lid_measure down = check(0);
    snt_near(down.upper_at - rest.upper_at, -0.75 * 25 * SN_PI / 180, 0.03);
    assert_true(down.open > 0.005 && down.open < rest.open);
    pose(&(held){"eyeLookUpLeft", 1}, 1);
    assert_true(check(0).upper_at > rest.upper_at + 0.25);
    pose(&(held){"look left", 1}, 1);
    check(0);
    check(1);
}

// Along the course of a blink no point jumps: none goes farther in a step than three and a half
// times the upper lid's share of its way.
static void blinks_are_continuous(void **state) {
    (void)state;
    enum { STEPS = 40 };
    size_t count = 3 * (size_t)head.face.vertex_count;
    float *before = malloc(count * sizeof *before);
    assert_true(before != NULL);
    for (int i = 0; i <= STEPS; ++i) {
        pose(&(held){"AU45.L", (double)i / STEPS}, 1);
        for (size_t v = 0; i > 0 && v < count; v += 3) {
            double step =
                sn_vec3_distance(sn_vec3_load(skin_points() + v), sn_vec3_load(before + v));
            assert_true(step < 3.5 * 0.0095 / STEPS);
        }
        memcpy(before, skin_points(), count * sizeof *before);
    }
    free(before);
}

// Both eyes blink as mirror images, their points in the mean to a hundredth of a millimetre.
static void both_eyes_blink_alike(void **state) {
    (void)state;
    pose((const held[]){{"eyeBlinkLeft", 0.7}, {"eyeBlinkRight", 0.7}}, 2);
    lid_measure left = check(0), right = check(1);
    snt_near(left.open, right.open, 5e-5);
    snt_near(left.upper_at, right.upper_at, 0.005);
    const float *rest = sn_model_surface(head.model, head.skin)->mesh->positions;
    double sums[2][3] = {{0}}, counts[2] = {0};
    for (uint32_t v = 0; v < head.face.vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(skin_points() + 3 * (size_t)v);
        sn_vec3 at = sn_vec3_load(rest + 3 * (size_t)v);
        int side = at.x < 0;
        if (fabs(at.x) > 0.015 && fabs(at.x) < 0.05 && fabs(at.y - 0.035) < 0.02 && at.z > 0.06) {
            sums[side][0] += fabs(p.x);
            sums[side][1] += p.y;
            sums[side][2] += p.z;
            counts[side] += 1;
        }
    }
    assert_true(counts[0] > 500 && counts[0] == counts[1]);
    for (int k = 0; k < 3; ++k) {
        snt_near(sums[0][k] / counts[0], sums[1][k] / counts[1], 1e-5);
    }
}

static void both_spellings_blink_alike(void **state) {
    (void)state;
    size_t bytes = 3 * (size_t)head.face.vertex_count * sizeof(float);
    float *first = malloc(bytes);
    assert_true(first != NULL);
    pose(&(held){"eyeBlink_L", 1}, 1);
    memcpy(first, skin_points(), bytes);
    pose(&(held){"eyeBlinkLeft", 1}, 1);
    assert_memory_equal(first, skin_points(), bytes);
    free(first);
}

// Winks lift the cheek as well, squints leave the eye open.
static void winks_and_squints(void **state) {
    (void)state;
    pose(&(held){"AU46.L", 1}, 1);
    assert_true(check(0).open < widest_gap);
    assert_true(measure(1, false).open > 0.008);
    pose(&(held){"eyeSquintLeft", 1}, 1);
    lid_measure squint = check(0);
    assert_true(squint.open > 0.003 && squint.open < 0.008);
    pose(&(held){"AU41.L", 1}, 1);
    lid_measure droop = check(0);
    pose(&(held){"AU42.L", 1}, 1);
    lid_measure slit = check(0);
    assert_true(droop.open > 0.005 && slit.open > 0.0015 && slit.open < 0.004);
}

// Closing and closed lids do not cross when anything else in the face moves as well: mixtures of
// any six controls, each at up to a half.
static void lids_do_not_cross_in_mixtures(void **state) {
    (void)state;
    const int mixtures = snt_thorough() ? 100 : 12;
    uint32_t count = sn_model_control_count(head.model);
    uint64_t random = 20;
    for (int i = 0; i < mixtures; ++i) {
        sn_frame_clear(head.frame);
        for (int k = 0; k < 8; ++k) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            uint32_t control = (uint32_t)((random >> 33) % count);
            double value = (double)((random >> 20) % 1024) / 1024;
            const char *name = k < 6    ? sn_model_control_name(head.model, control)
                               : k == 6 ? "AU43.L"
                                        : "AU43.R";
            value = k < 6 ? 0.5 * value : i % 2 == 0 ? 1 : value;
            snt_ok(sn_frame_set(head.frame, name, value, error));
        }
        snt_ok(sn_frame_evaluate(head.frame, NULL, 0, error));
        check(0);
        check(1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_at_rest_is_as_it_was_made),
        cmocka_unit_test(blinks_close_the_eye),
        cmocka_unit_test(closed_lids_stay_closed_whatever_the_face_does),
        cmocka_unit_test(lids_that_are_half_closed_do_not_cross),
        cmocka_unit_test(lids_do_not_cross_in_mixtures),
        cmocka_unit_test(lids_follow_the_gaze),
        cmocka_unit_test(blinks_are_continuous),
        cmocka_unit_test(both_eyes_blink_alike),
        cmocka_unit_test(both_spellings_blink_alike),
        cmocka_unit_test(winks_and_squints),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
