// SPDX-License-Identifier: Apache-2.0
//
// Moment arms of OpenSim models: against virtual work in a second computation (osim_reference.h),
// against the lengths of whole evaluations, and against what is known of knees, ankles and elbows.
#include "osim_reference.h"

#include "sinew/sinew.h"

typedef struct arms_body {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    sn_moment_arms *arms;
    uint32_t pair_count, coordinate_count;
    const sn_moment_pair *pairs;
    const sn_coordinate *coordinates;
    sn_moment_arm *values;
    ref_model *reference;
} arms_body;

static arms_body open_body(const char *file) {
    arms_body b = {.context = snt_context(2)};
    sn_osim_desc desc = sn_osim_desc_default();
    char path[512];
    snprintf(path, sizeof path, "%s", snt_data(file));
    desc.skin = false;
    snt_ok(sn_character_from_osim(b.context, path, &desc, "new.sinew.json", &b.character, NULL,
                                  error));
    snt_ok(sn_model_create(b.character, NULL, &b.model, error));
    snt_ok(sn_frame_create(b.model, &b.frame, error));
    snt_ok(sn_moment_arms_create(b.model, NULL, 0, &b.arms, error));
    b.pairs = sn_moment_arms_pairs(b.arms, &b.pair_count);
    b.coordinates = sn_moment_arms_coordinates(b.arms, &b.coordinate_count);
    b.values = calloc(b.pair_count, sizeof *b.values);
    b.reference = ref_read(path);
    return b;
}

static void close_body(arms_body *b) {
    free(b->values);
    ref_free(b->reference);
    sn_moment_arms_destroy(b->arms);
    sn_frame_destroy(b->frame);
    sn_model_destroy(b->model);
    sn_character_destroy(b->character);
    snt_context_end(b->context);
}

static const char *muscle_name(const arms_body *b, uint32_t pair) {
    return sn_model_surface(b->model, b->pairs[pair].muscle)->name;
}

static const ref_muscle *find_muscle(const ref_model *m, const char *name) {
    for (int i = 0; i < m->muscle_count; ++i) {
        if (strcmp(m->muscles[i].name, name) == 0) {
            return &m->muscles[i];
        }
    }
    fail_msg("there is no muscle %s", name);
    return NULL;
}

// A random pose within the usual ranges, in the reference as well.
static void take_pose(arms_body *b, snt_random *random) {
    for (uint32_t i = 0; i < b->coordinate_count; ++i) {
        const sn_pose_parameter *p = &b->coordinates[i].parameter;
        bool angle = p->unit == SN_UNIT_DEGREES;
        double low = fmax(p->usual_low, angle ? -170 : -1);
        double high = fmin(p->usual_high, angle ? 170 : 1);
        double value = snt_random_range(random, low, high);
        snt_ok(sn_frame_hold(b->frame, p, value, error));
        b->reference->values[ref_coordinate(b->reference, b->coordinates[i].name)] =
            angle ? value * SN_PI / 180 : value;
    }
    snt_ok(sn_frame_evaluate(b->frame, NULL, 0, error));
    ref_pose(b->reference);
}

// Virtual work: dL/dq is the sum over the pieces of a path of its direction times the difference of
// its ends' velocities. Velocities alone come from differences.
static double virtual_arm(ref_model *m, const ref_muscle *muscle, int coordinate) {
    static double now[REF_POINTS][3], before[REF_POINTS][3], after[REF_POINTS][3];
    const double step = 1e-6;
    double value = m->values[coordinate], rate = 0;
    int count = ref_path(m, muscle, now);
    m->values[coordinate] = value - step;
    ref_pose(m);
    int first = ref_path(m, muscle, before);
    m->values[coordinate] = value + step;
    ref_pose(m);
    int last = ref_path(m, muscle, after);
    m->values[coordinate] = value;
    ref_pose(m);
    if (first != count || last != count) {
        return NAN; // a point is switched here
    }
    for (int i = 1; i < count; ++i) {
        double way[3], length = 0;
        for (int k = 0; k < 3; ++k) {
            way[k] = now[i][k] - now[i - 1][k];
            length += way[k] * way[k];
        }
        for (int k = 0; k < 3; ++k) {
            double speed = (after[i][k] - before[i][k] - after[i - 1][k] + before[i - 1][k]);
            rate += way[k] / sqrt(length) * speed / (2 * step);
        }
    }
    return -rate;
}

// All muscles without wrap objects in random poses; those with a pair that is missing have no arm.
static void compare_random_poses(const char *file, int rounds) {
    arms_body b = open_body(file);
    snt_random random = {11};
    double largest = 0, largest_error = 0;
    int compared = 0;
    for (int round = 0; round < rounds; ++round) {
        take_pose(&b, &random);
        snt_ok(sn_moment_arms_measure(b.arms, b.frame, b.values, error));
        for (uint32_t i = 0; i < b.pair_count; ++i) {
            const ref_muscle *muscle = find_muscle(b.reference, muscle_name(&b, i));
            int coordinate = ref_coordinate(b.reference, b.coordinates[b.pairs[i].coordinate].name);
            double expected =
                muscle->wraps == 0 ? virtual_arm(b.reference, muscle, coordinate) : NAN;
            if (!isnan(expected)) {
                largest = fmax(largest, fabs(b.values[i].arm - expected));
                largest_error = fmax(largest_error, b.values[i].error);
                ++compared;
            }
        }
    }
    print_message("%s: %d moment arms of %u pairs within %.2g m of virtual work, errors said to "
                  "be %.2g m at most\n",
                  file, compared, b.pair_count, largest, largest_error);
    assert_true(largest < 1e-7);
    close_body(&b);
}

static void arms_are_those_of_virtual_work(void **state) {
    (void)state;
    compare_random_poses("osim/gait2392.osim", 20);
}

static double length_of(arms_body *b, uint32_t surface) {
    sn_muscle_state muscle;
    assert_true(sn_frame_muscle_state(b->frame, surface, &muscle));
    return muscle.length;
}

// Wrapped or not: against differences of the lengths that whole evaluations give.
static void arms_are_differences_of_lengths(void **state) {
    (void)state;
    arms_body b = open_body("osim/arm26.osim");
    snt_random random = {5};
    double largest = 0;
    for (int round = 0; round < 40; ++round) {
        take_pose(&b, &random);
        snt_ok(sn_moment_arms_measure(b.arms, b.frame, b.values, error));
        for (uint32_t i = 0; i < b.pair_count; ++i) {
            const sn_pose_parameter *p = &b.coordinates[b.pairs[i].coordinate].parameter;
            const double step = 0.002; // degrees
            double value = sn_frame_controls(b.frame)[p->control];
            double at = fmin(fmax(value, p->low + step), p->high - step), lengths[2];
            for (int k = 0; k < 2; ++k) {
                snt_ok(sn_frame_hold(b.frame, p, at + (k == 0 ? -step : step), error));
                snt_ok(sn_frame_evaluate(b.frame, NULL, 0, error));
                lengths[k] = length_of(&b, b.pairs[i].muscle);
            }
            snt_ok(sn_frame_hold(b.frame, p, value, error));
            snt_ok(sn_frame_evaluate(b.frame, NULL, 0, error));
            double expected = (lengths[0] - lengths[1]) / (2 * step * SN_PI / 180);
            if (b.values[i].error < 1e-7) {
                largest = fmax(largest, fabs(b.values[i].arm - expected));
            }
        }
    }
    print_message("arm26: moment arms within %.2g m of differences of lengths\n", largest);
    assert_true(largest < 2e-5);
    close_body(&b);
}

static double arm_at(arms_body *b, const char *muscle, const char *coordinate, double degrees) {
    sn_frame_clear(b->frame);
    snt_ok(sn_frame_set(b->frame, coordinate, degrees, error));
    snt_ok(sn_frame_evaluate(b->frame, NULL, 0, error));
    snt_ok(sn_moment_arms_measure(b->arms, b->frame, b->values, error));
    for (uint32_t i = 0; i < b->pair_count; ++i) {
        if (strcmp(muscle_name(b, i), muscle) == 0 &&
            strcmp(b->coordinates[b->pairs[i].coordinate].name, coordinate) == 0) {
            return b->values[i].arm;
        }
    }
    return 0; // it does not span it
}

static void expect_arm(arms_body *b, const char *muscle, const char *coordinate, double degrees,
                       double low, double high) {
    double arm = arm_at(b, muscle, coordinate, degrees);
    if (!(arm > low && arm < high)) {
        fail_msg("%s about %s at %g: %g m is not within %g to %g", muscle, coordinate, degrees, arm,
                 low, high);
    }
}

// Knee extension and dorsiflexion are positive in gait2392, elbow flexion in arm26.
static void arms_are_as_large_as_is_known(void **state) {
    (void)state;
    arms_body gait = open_body("osim/gait2392.osim");
    expect_arm(&gait, "soleus_r", "ankle_angle_r", 0, -0.052, -0.04);
    expect_arm(&gait, "med_gas_l", "ankle_angle_l", 0, -0.052, -0.04);
    expect_arm(&gait, "tib_ant_r", "ankle_angle_r", 0, 0.03, 0.05);
    expect_arm(&gait, "rect_fem_r", "knee_angle_r", -20, 0.04, 0.055);
    expect_arm(&gait, "vas_lat_l", "knee_angle_l", -30, 0.035, 0.055);
    expect_arm(&gait, "semiten_r", "knee_angle_r", -50, -0.055, -0.035);
    expect_arm(&gait, "med_gas_r", "knee_angle_r", -20, -0.03, -0.015);
    expect_arm(&gait, "soleus_r", "knee_angle_r", -20, -1e-9, 1e-9);
    expect_arm(&gait, "glut_max2_r", "hip_flexion_r", 0, -0.08, -0.03);
    // A conditional point is switched at the end of the range: the side before it counts.
    expect_arm(&gait, "med_gas_r", "knee_angle_r", 10, -0.04, -0.005);
    close_body(&gait);
    arms_body arm = open_body("osim/arm26.osim");
    expect_arm(&arm, "BIClong", "r_elbow_flex", 90, 0.035, 0.055);
    expect_arm(&arm, "BICshort", "r_elbow_flex", 90, 0.035, 0.055);
    expect_arm(&arm, "BRA", "r_elbow_flex", 90, 0.015, 0.035);
    expect_arm(&arm, "TRIlong", "r_elbow_flex", 90, -0.03, -0.015);
    expect_arm(&arm, "TRIlat", "r_elbow_flex", 40, -0.03, -0.015);
    expect_arm(&arm, "BRA", "r_shoulder_elev", 20, -1e-9, 1e-9);
    close_body(&arm);
}

// Only the muscles that a coordinate may lengthen are posed and measured.
static void narrow(arms_body *b, const char *coordinate) {
    sn_moment_arms_destroy(b->arms);
    snt_ok(sn_moment_arms_create(b->model, &coordinate, 1, &b->arms, error));
    b->pairs = sn_moment_arms_pairs(b->arms, &b->pair_count);
    b->coordinates = sn_moment_arms_coordinates(b->arms, &b->coordinate_count);
    uint32_t *muscles = malloc(b->pair_count * sizeof *muscles + 1);
    for (uint32_t i = 0; i < b->pair_count; ++i) {
        muscles[i] = b->pairs[i].muscle;
    }
    snt_ok(sn_frame_select(b->frame, muscles, b->pair_count, error));
    free(muscles);
}

// Lengths in steps of a tenth of a degree: what they change by is what the moment arms say, but for
// points that are switched.
static double sweep(arms_body *b, const char *coordinate, double low, double high) {
    enum { MOST = 32 };
    uint32_t muscles[MOST], count = 0;
    double before[MOST], arms[MOST], largest = 0, largest_at = 0;
    const char *worst = "";
    const double step = 0.1, turn = SN_PI / 180;
    narrow(b, coordinate);
    for (uint32_t i = 0; i < b->pair_count && count < MOST; ++i) {
        if (strcmp(b->coordinates[b->pairs[i].coordinate].name, coordinate) == 0) {
            muscles[count++] = i;
        }
    }
    sn_frame_clear(b->frame);
    for (double at = low; at <= high; at += step) {
        snt_ok(sn_frame_set(b->frame, coordinate, at, error));
        snt_ok(sn_frame_evaluate(b->frame, NULL, 0, error));
        snt_ok(sn_moment_arms_measure(b->arms, b->frame, b->values, error));
        for (uint32_t k = 0; k < count; ++k) {
            double length = length_of(b, b->pairs[muscles[k]].muscle);
            double arm = b->values[muscles[k]].arm;
            double expected = -step * turn * (arm + arms[k]) / 2;
            double off = fabs(length - before[k] - expected);
            if (at > low && off > 1e-4) {
                print_message("  %s jumps by %.2f mm at %.1f\n", muscle_name(b, muscles[k]),
                              1000 * (length - before[k]), at);
            }
            if (at > low && off > largest) {
                largest = off;
                largest_at = at;
                worst = muscle_name(b, muscles[k]);
            }
            before[k] = length;
            arms[k] = arm;
        }
    }
    print_message("%s: %u muscles change as their moment arms say, but for %.3g mm (%s at %.1f)\n",
                  coordinate, count, 1000 * largest, worst, largest_at);
    return largest;
}

static void lengths_do_not_jump(void **state) {
    (void)state;
    arms_body arm = open_body("osim/arm26.osim");
    assert_true(sweep(&arm, "r_elbow_flex", 0, 130) < 1e-6);
    // Paths come to wrap objects from their other sides (docs/opensim.md, limits).
    assert_true(sweep(&arm, "r_shoulder_elev", -89, 179) < 6e-3);
    close_body(&arm);
    arms_body gait = open_body("osim/gait2392.osim");
    // Points of the hamstrings and calves are switched on and off.
    assert_true(sweep(&gait, "knee_angle_r", -120, 10) < 2e-3);
    assert_true(sweep(&gait, "ankle_angle_r", -40, 30) < 1e-6);
    close_body(&gait);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms_are_those_of_virtual_work),
        cmocka_unit_test(arms_are_differences_of_lengths),
        cmocka_unit_test(arms_are_as_large_as_is_known),
        cmocka_unit_test(lengths_do_not_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
