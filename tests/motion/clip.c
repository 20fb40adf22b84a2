// SPDX-License-Identifier: Apache-2.0
#include "build.h"

static const double times_2[] = {0, 1};

static sn_clip *clip_with(sn_context *context, double rate, uint32_t frame_count) {
    sn_clip *clip = NULL;
    snt_ok(sn_clip_create(context, "wave", rate, frame_count, &clip, error));
    return clip;
}

static void accepts_a_good_clip(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_clip *clip = clip_with(context, 30, 31);
    snt_track(clip, SN_TRACK_PARAMETER, "a.rx", SN_INTERPOLATION_SMOOTH, 2, times_2,
              (double[]){0, 1});
    snt_track(clip, SN_TRACK_TRANSLATION, "a", SN_INTERPOLATION_LINEAR, 2, times_2,
              (double[]){0, 1, 2, 3, 4, 5});
    snt_track(clip, SN_TRACK_ROTATION, "a", SN_INTERPOLATION_STEPPED, 2, times_2,
              (double[]){0, 0, 0, 1, 0, 0, 0.5, 0.5}); // not unit: normalised when sampled
    snt_track(clip, SN_TRACK_SCALE, "a", SN_INTERPOLATION_CUBIC, 1, times_2,
              (double[]){0, 0, 0, 1, 1, 1, 0, 0, 0});
    snt_ok(sn_clip_validate(clip, error));
    sn_clip_destroy(clip);
    snt_context_end(context);
}

static void refuses_bad_clips(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_clip *clip = clip_with(context, 0, 31);
    snt_fails(SN_INVALID, "\"wave\" has a rate of 0", sn_clip_validate(clip, error));
    clip->rate = INFINITY;
    snt_fails(SN_INVALID, "rate of inf", sn_clip_validate(clip, error));
    clip->rate = 30;
    clip->frame_count = 0;
    snt_fails(SN_INVALID, "\"wave\" has no frames", sn_clip_validate(clip, error));
    sn_clip_destroy(clip);
    snt_context_end(context);
}

static void refuses_bad_tracks(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_clip *clip = clip_with(context, 30, 31);
    sn_track *track = snt_track(clip, SN_TRACK_ROTATION, "hip", SN_INTERPOLATION_LINEAR, 2, times_2,
                                (double[]){0, 0, 0, 1, 0, 0, 0, 1});
    snt_ok(sn_clip_validate(clip, error));
    track->times[1] = 0;
    snt_fails(SN_INVALID, "track 0 (\"hip\"): key 1 at 0 s does not come after key 0 at 0 s",
              sn_clip_validate(clip, error));
    track->times[1] = NAN;
    snt_fails(SN_INVALID, "track 0 (\"hip\"): the time of key 1 is nan",
              sn_clip_validate(clip, error));
    track->times[1] = 1;
    track->values[6] = INFINITY;
    snt_fails(SN_INVALID, "track 0 (\"hip\"): number 2 of key 1 is inf",
              sn_clip_validate(clip, error));
    track->values[6] = track->values[7] = 0;
    snt_fails(SN_INVALID, "track 0 (\"hip\"): the quaternion of key 1 has length 0",
              sn_clip_validate(clip, error));
    track->values[6] = track->values[7] = 1e300;
    snt_fails(SN_INVALID, "the quaternion of key 1 has length inf", sn_clip_validate(clip, error));
    track->values[6] = 0, track->values[7] = 1;
    track->key_count = 0;
    snt_fails(SN_INVALID, "track 0 (\"hip\") has no keys", sn_clip_validate(clip, error));
    track->key_count = 2;
    track->kind = (sn_track_kind)7;
    snt_fails(SN_INVALID, "unknown kind 7", sn_clip_validate(clip, error));
    track->kind = SN_TRACK_ROTATION;
    track->interpolation = (sn_interpolation)9;
    snt_fails(SN_INVALID, "unknown interpolation 9", sn_clip_validate(clip, error));
    track->interpolation = SN_INTERPOLATION_LINEAR;
    track->target[0] = 0;
    snt_fails(SN_INVALID, "track 0 has no target", sn_clip_validate(clip, error));
    sn_clip_destroy(clip);
    snt_context_end(context);
}

static void refuses_two_tracks_for_one_thing(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_clip *clip = clip_with(context, 30, 31);
    const double zero[3] = {0};
    snt_constant(clip, SN_TRACK_SCALE, "b", (double[]){1, 1, 1});
    snt_constant(clip, SN_TRACK_TRANSLATION, "b", zero);
    snt_constant(clip, SN_TRACK_TRANSLATION, "a", zero);
    snt_ok(sn_clip_validate(clip, error));
    snt_constant(clip, SN_TRACK_TRANSLATION, "b", zero);
    snt_fails(SN_INVALID, "tracks 1 and 3 both give the translation of \"b\"",
              sn_clip_validate(clip, error));
    sn_clip_destroy(clip);
    snt_context_end(context);
}

static void knows_whether_it_fits(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const snt_bone bones[] = {{"hip", -1, {0}}, {"leg.L", 0, {0}}};
    sn_skeleton skeleton = snt_skeleton(context, bones, 2), empty = {0};
    sn_clip *clip = clip_with(context, 30, 1);
    const double zero[4] = {0, 0, 0, 1};
    assert_true(sn_clip_fits(clip, &empty));
    snt_constant(clip, SN_TRACK_ROTATION, "leg.L", zero);
    snt_constant(clip, SN_TRACK_PARAMETER, "leg.L.rx_deg", zero);
    snt_constant(clip, SN_TRACK_PARAMETER, "smile", zero); // a control: no segment
    assert_true(sn_clip_fits(clip, &skeleton));
    assert_false(sn_clip_fits(clip, &empty));
    snt_constant(clip, SN_TRACK_PARAMETER, "leg.R.rx", zero);
    assert_false(sn_clip_fits(clip, &skeleton));
    sn_clip_destroy(clip);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

static sn_status make_clip(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_clip *clip = NULL;
    sn_track *track;
    sn_status status = sn_clip_create(context, "wave", 30, 1, &clip, error);
    for (int i = 0; i < 5 && status == SN_OK; ++i) {
        status = sn_clip_add_track(clip, SN_TRACK_SCALE, (const char[]){(char)('a' + i), 0},
                                   SN_INTERPOLATION_CUBIC, 1, &track, error);
        if (status == SN_OK) {
            track->times[0] = 0;
            memset(track->values, 0, 9 * sizeof *track->values);
        }
    }
    status = status == SN_OK ? sn_clip_validate(clip, error) : status;
    sn_clip_destroy(clip);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(make_clip, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_a_good_clip),   cmocka_unit_test(refuses_bad_clips),
        cmocka_unit_test(refuses_bad_tracks),    cmocka_unit_test(refuses_two_tracks_for_one_thing),
        cmocka_unit_test(knows_whether_it_fits), cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
