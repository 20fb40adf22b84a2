// SPDX-License-Identifier: Apache-2.0
#include "io_test.h"

static const char walk[] = "walk of three rows\n"
                           "version=1\n"
                           "nRows=3\n"
                           "nColumns=3\n"
                           "inDegrees=yes\n"
                           "\n"
                           "Units are S.I. units.\n"
                           "endheader\n"
                           "time\thip angle\tpelvis_tx\n"
                           "  0.50  10.5  -0.25\n"
                           "0.60\t11\t1e-1\n"
                           "0.90 12 2 \t\n";

static const char states[] =
    "states\nnRows=1\nnColumns=7\ninDegrees=no\nendheader\n"
    "time\t/jointset/knee_r/knee_angle_r/value\t/jointset/knee_r/knee_angle_r/speed\t"
    "/forceset/soleus_r/activation\t/forceset/soleus_r/fiber_length\thip\thip_u\n"
    "0\t1\t2\t3\t4\t5\t6\n";

static const sn_track *only_track(const sn_clip *clip, const char *name) {
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        if (strcmp(clip->tracks[i].target, name) == 0) {
            return &clip->tracks[i];
        }
    }
    fail_msg("no track %s", name);
    return NULL;
}

static void columns_become_tracks_with_keys_at_their_times(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(context, snt_text("walk.mot", walk));
    assert_int_equal(import->clip_count, 1);
    assert_int_equal(import->mesh_count, 0);
    const sn_clip *clip = import->clips[0];
    assert_string_equal(clip->name, "walk");
    assert_int_equal(clip->track_count, 2);
    assert_int_equal(clip->frame_count, 3);
    assert_int_equal(clip->angles, SN_ANGLES_DEGREES);
    assert_true(clip->is_table);
    snt_near(clip->rate, 5, 1e-12); // 0.4 s in two steps
    const sn_track *hip = only_track(clip, "hip angle"), *pelvis = only_track(clip, "pelvis_tx");
    const double times[] = {0, 0.1, 0.4}, hips[] = {10.5, 11, 12}, shifts[] = {-0.25, 0.1, 2};
    assert_int_equal(hip->kind, SN_TRACK_PARAMETER);
    for (uint32_t i = 0; i < 3; ++i) {
        snt_near(hip->times[i], times[i], 1e-15);
        assert_true(hip->values[i] == hips[i]);
        assert_true(pelvis->values[i] == shifts[i]);
    }
    sn_import_destroy(import);
    snt_context_end(context);
}

static void states_are_named_as_coordinates_and_muscles(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(context, snt_text("run.sto", states));
    const sn_clip *clip = import->clips[0];
    assert_int_equal(clip->track_count, 3);
    assert_int_equal(clip->angles, SN_ANGLES_RADIANS);
    assert_true(only_track(clip, "knee_angle_r")->values[0] == 1);
    assert_true(only_track(clip, "soleus_r.activation")->values[0] == 3);
    assert_true(only_track(clip, "hip")->values[0] == 5);
    sn_import_destroy(import);
    snt_context_end(context);
}

static double rate_of(const char *rows) {
    char text[512];
    snprintf(text, sizeof text, "x\nendheader\ntime a\n%s", rows);
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(context, snt_text("a.sto", text));
    double rate = import->clips[0]->rate;
    sn_import_destroy(import);
    snt_context_end(context);
    return rate;
}

static void rates_are_whole_where_rounded_times_allow_it(void **state) {
    (void)state;
    assert_true(rate_of("0 1\n0.00833333 1\n0.01666667 1\n") == 120);
    snt_near(rate_of("0 1\n0.07 1\n"), 1 / 0.07, 1e-9);
    assert_true(rate_of("0 1\n") == 30);
    assert_true(rate_of("-1 1\n0 1\n1 1") == 1);
    snt_near(rate_of("0 1\n10 1"), 0.1, 1e-12);
}

static void headers_of_simm_are_read(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(
        context, snt_text("old.mot", "name old\ndatacolumns 2\ndatarows 2\nrange 0 1\nendheader\n"
                                     "time hip\n0 1\n1 2\n"));
    assert_int_equal(import->clips[0]->angles, SN_ANGLES_DEGREES);
    assert_int_equal(import->clips[0]->frame_count, 2);
    sn_import_destroy(import);
    snt_context_end(context);
}

static void what_is_wrong_is_named_with_its_line(void **state) {
    (void)state;
    const snt_refusal cases[] = {
        {"", SN_SYNTAX, "a.mot:1: the header does not end"},
        {"a\nnRows=3\n", SN_SYNTAX, "3: the header does not end: there is no line \"endheader\""},
        {"a\nnRows=three\nendheader\n", SN_SYNTAX, "2: expected nRows, found \"three\""},
        {"a\nnRows=3 4\nendheader\n", SN_SYNTAX, "2: expected nRows, found \"3 4\""},
        {"a\ninDegrees=maybe\nendheader\n", SN_SYNTAX, "2: expected inDegrees yes or no"},
        {"a\nDataType=Vec3\nendheader\n", SN_UNSUPPORTED, "2: columns of the type \"Vec3\""},
        {"a\nendheader\n", SN_SYNTAX, "expected the names of columns, the first \"time\""},
        {"a\nendheader\nhip time\n", SN_SYNTAX, "3: expected the names of columns"},
        {"a\nnColumns=3\nendheader\ntime hip\n0 1\n", SN_INVALID,
         "4: the line of names has 2 columns, but the header says 3"},
        // Two tabs are one gap.
        {"a\nnColumns=4\nendheader\ntime\thip\t\tknee\n0 1 2 3\n", SN_INVALID,
         "4: the line of names has 3 columns, but the header says 4"},
        {"a\nendheader\ntime hip\n", SN_INVALID, "the file has no rows"},
        {"a\nendheader\ntime hip knee\n0 1 2\n1 2\n", SN_SYNTAX,
         "5: row 1 ends after 2 of 3 numbers"},
        {"a\nendheader\ntime hip\n0 1 2\n", SN_SYNTAX, "4: row 0 has more than 2 numbers"},
        {"a\nendheader\ntime hip\n0 nan\n", SN_SYNTAX,
         "4: expected a number for \"hip\" in row 0, found \"nan\""},
        {"a\nendheader\ntime hip\n0 1\n0 2\n", SN_INVALID,
         "5: the time 0 of row 1 does not come after 0"},
        {"a\nnRows=3\nendheader\ntime hip\n0 1\n1 2\n", SN_INVALID,
         "the file has 2 rows, but its header says 3"},
        {"a\nendheader\ntime hip hip\n0 1 2\n", SN_INVALID, "both give the value of \"hip\""},
        {"a\nendheader\ntime hip\n-1e308 1\n1e308 2\n", SN_INVALID, "rate of 0"},
    };
    snt_refuses_all("a.mot", cases);
}

// Whole up to its last number; cut before that it is refused, in one line.
static void cut_anywhere_it_is_refused_or_whole(void **state) {
    (void)state;
    const snt_file files[] = {snt_text("walk.mot", walk), snt_text("states.sto", states)};
    sn_context *context = snt_context(1);
    for (int f = 0; f < 2; ++f) {
        snt_survives_truncation(files[f]);
        size_t last = files[f].size - (f == 0 ? 4 : 1); // before it stands the last number
        for (size_t cut = 0; cut < last; ++cut) {
            sn_import *import = NULL;
            sn_error found = {0};
            sn_status status =
                sn_import_memory(context, files[f].name, files[f].bytes, cut, &import, &found);
            assert_int_not_equal(status, SN_OK);
            assert_null(strchr(found.message, '\n'));
        }
    }
    snt_context_end(context);
}

static sn_status read_walk(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_import *import = NULL;
    sn_status status =
        sn_import_memory(context, "states.sto", states, strlen(states), &import, error);
    sn_import_destroy(import);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    snt_fail_allocations(read_walk, NULL);
}

static void motions_of_opensim_models_are_read(void **state) {
    (void)state;
    const struct {
        const char *path;
        uint32_t tracks, frames;
        double rate;
        const char *track;
        double first;
    } files[] = {
        {"osim/gait2392_normal.mot", 17, 51, 50, "knee_angle_r", -3.94},
        {"osim/gait2392_walk_ik.mot", 23, 211, 60, "pelvis_tx", 0.58952689},
        {"osim/arm26_ik.mot", 2, 121, 120, "r_elbow_flex", -0.05440752},
    };
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        sn_import *import = NULL;
        snt_ok(sn_import_file(context, snt_data(files[i].path), &import, error));
        const sn_clip *clip = import->clips[0];
        assert_int_equal(clip->track_count, files[i].tracks);
        assert_int_equal(clip->frame_count, files[i].frames);
        snt_near(clip->rate, files[i].rate, 0);
        const sn_track *track = only_track(clip, files[i].track);
        assert_true(track->times[0] == 0);
        assert_true(track->values[0] == files[i].first);
        sn_import_destroy(import);
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_become_tracks_with_keys_at_their_times),
        cmocka_unit_test(states_are_named_as_coordinates_and_muscles),
        cmocka_unit_test(rates_are_whole_where_rounded_times_allow_it),
        cmocka_unit_test(headers_of_simm_are_read),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
        cmocka_unit_test(cut_anywhere_it_is_refused_or_whole),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(motions_of_opensim_models_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
