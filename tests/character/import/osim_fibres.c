// SPDX-License-Identifier: Apache-2.0
//
// OpenSim muscles as fibres: as long at rest as the path, with the volume of the model's numbers.
#include "test.h"

#include "sinew/character.h"
#include "sinew/eval.h"

#include <math.h>
#include <stdlib.h>

typedef struct leg {
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    sn_osim_report report;
} leg;

// Made once: the distance fields of its bones take long.
static sn_context *arm_context;
static leg arm;

static void open_leg(leg *l, sn_context *context, const char *file, bool fibres) {
    sn_osim_desc desc = sn_osim_desc_default();
    char path[512];
    *l = (leg){0};
    snprintf(path, sizeof path, "%s", snt_data(file));
    desc.skin = false;
    desc.fibres = fibres;
    snt_ok(sn_character_from_osim(context, path, &desc, "new.sinew.json", &l->character, &l->report,
                                  error));
    snt_ok(sn_model_create(l->character, NULL, &l->model, error));
    snt_ok(sn_frame_create(l->model, &l->frame, error));
    snt_ok(sn_frame_evaluate(l->frame, NULL, 0, error));
}

static void close_leg(leg *l) {
    sn_frame_destroy(l->frame);
    sn_model_destroy(l->model);
    sn_character_destroy(l->character);
    sn_osim_report_deinit(&l->report);
}

static const leg *fibres_of_arm(void) {
    if (arm_context == NULL) {
        arm_context = snt_context(1);
        open_leg(&arm, arm_context, "osim/arm26.osim", true);
    }
    return &arm;
}

static int close_arm(void **state) {
    (void)state;
    if (arm_context != NULL) {
        close_leg(&arm);
        snt_context_end(arm_context);
    }
    return 0;
}

// Whether wrap objects of a muscle were left out.
static bool lost_wraps(const leg *l, const char *muscle) {
    char begin[128];
    snprintf(begin, sizeof begin, "%s: a fibre goes straight", muscle);
    for (uint32_t i = 0; i < l->report.note_count; ++i) {
        if (strncmp(l->report.notes[i], begin, strlen(begin)) == 0) {
            return true;
        }
    }
    return false;
}

static void check_model(const char *file, const leg *fibres, uint32_t least, uint32_t wrapped) {
    sn_context *context = snt_context(1);
    leg cylinders;
    uint32_t count = 0, lost = 0;
    double worst = 0;
    open_leg(&cylinders, context, file, false);
    for (uint32_t i = 0; i < sn_model_surface_count(fibres->model); ++i) {
        const sn_surface *s = sn_model_surface(fibres->model, i);
        sn_muscle_state fibre, cylinder;
        if (s->layer != SN_LAYER_MUSCLE) {
            continue;
        }
        assert_true(sn_frame_muscle_state(fibres->frame, i, &fibre));
        assert_true(sn_frame_muscle_state(
            cylinders.frame, sn_model_find_surface(cylinders.model, s->name), &cylinder));
        ++count;
        if (lost_wraps(fibres, s->name)) {
            ++lost;
            assert_true(fibre.rest_length <= cylinder.rest_length * (1 + 1e-6));
        } else {
            worst = fmax(worst, fabs(fibre.rest_length / cylinder.rest_length - 1));
        }
    }
    print_message("%s: %u muscles, %u without their wrap objects, lengths differ by %.2g\n", file,
                  count, lost, worst);
    assert_true(count >= least && lost == wrapped);
    assert_true(worst < 1e-6);
    close_leg(&cylinders);
    snt_context_end(context);
}

static void fibres_are_as_long_as_paths(void **state) {
    (void)state;
    check_model("osim/arm26.osim", fibres_of_arm(), 6, 5);
    if (snt_thorough()) { // the distance fields of 22 bones take long
        sn_context *context = snt_context(1);
        leg fibres;
        open_leg(&fibres, context, "osim/gait2392.osim", true);
        check_model("osim/gait2392.osim", &fibres, 76, 0);
        close_leg(&fibres);
        snt_context_end(context);
    }
}

// V = F / 61 N/cm2 * l of the model's numbers, less what twelve corners cut off a circle (4.5 %).
static void fibres_have_the_volume_of_the_model(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double force, fibre;
    } muscles[] = {{"BICshort", 435.56, 0.1321}, {"BRA", 987.26, 0.0858}};
    const leg *l = fibres_of_arm();
    for (size_t i = 0; i < sizeof muscles / sizeof *muscles; ++i) {
        sn_muscle_state state_now;
        assert_true(sn_frame_muscle_state(
            l->frame, sn_model_find_surface(l->model, muscles[i].name), &state_now));
        double volume = muscles[i].force / 0.61e6 * muscles[i].fibre;
        snt_near(state_now.rest_volume / volume, 0.955, 0.02);
    }
    // What states files set is its tension.
    const sn_json *json = sn_character_document(l->character);
    assert_string_equal(sn_value_string(sn_json_find(json, "/muscles/BRA/tension"), ""),
                        "BRA.activation");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fibres_are_as_long_as_paths),
        cmocka_unit_test(fibres_have_the_volume_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, close_arm);
}
