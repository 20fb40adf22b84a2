// SPDX-License-Identifier: Apache-2.0
//
// Live steps: muscles swing on after held values have changed, come to rest, and then everything is
// as the whole run has it.
#include "frames.h"

#include "desk/service.h"

#include <math.h>

static const char *strongarm(void) {
    static char path[1024];
    snprintf(path, sizeof path, "%s", snt_source("examples/strongarm/strongarm.sinew.json"));
    return path;
}

static uint64_t evaluations(const snt_page *p) {
    return player_get_usage(*desk_player_of(p->desk)).evaluations;
}

// The largest swing of a muscle in a frame.
static double swing_in(const wire_packet *packet, const sn_model *model, const char *muscle) {
    uint32_t count = 0, surface = sn_model_find_surface(model, muscle);
    size_t bytes = 0;
    const uint8_t *block = find_block(packet, surface, PACKET_AXES, &count, &bytes);
    double most = 0;
    assert_non_null(block);
    assert_int_equal(bytes, count * 4 * sizeof(float));
    for (uint32_t i = 0; i < count; ++i) {
        float numbers[4];
        memcpy(numbers, block + i * sizeof numbers, sizeof numbers);
        assert_true(isfinite(numbers[0]) && isfinite(numbers[3]));
        most = fmax(most, (double)numbers[3]);
    }
    return most;
}

// Whether others follow a frame. The seconds since the last change are those of whole steps.
static bool is_live(const wire_packet *packet) {
    uint32_t count = 0;
    size_t bytes = 0;
    double seconds;
    const uint8_t *block = find_block(packet, SN_NONE, PACKET_LIVE, &count, &bytes);
    if (!block) {
        return false;
    }
    assert_int_equal(count, 1);
    assert_int_equal(bytes, sizeof seconds);
    memcpy(&seconds, block, sizeof seconds);
    snt_near(60 * seconds, round(60 * seconds), 1e-6);
    assert_true(seconds >= 0 && seconds <= 10 + 4.5 / 60);
    return true;
}

// Live frames and the one that ends them, which is returned. `most` is the largest swing of the
// biceps in any, `number` the count of frames with more than a tenth of a millimetre.
static wire_packet *watch(snt_page *p, uint32_t serial, const sn_model *model, double *most,
                          uint32_t *number) {
    *most = 0;
    *number = 0;
    for (bool lives = false;;) {
        wire_packet *packet = wait_frame(p, 0, SN_NONE, SN_NONE);
        assert_int_equal(read_head(packet).model, serial);
        double swing = swing_in(packet, model, "biceps");
        *most = fmax(*most, swing);
        *number += swing > 1e-4;
        if (lives && !is_live(packet)) {
            return packet;
        }
        lives = lives || is_live(packet);
        free(packet);
    }
}

// A pose that is dragged in steps: it swings, comes to rest, and nothing is computed any more.
static void held_poses_swing_and_come_to_rest(void **state) {
    (void)state;
    snt_page p;
    double most;
    uint32_t number;
    begin(&p, "swing");
    uint32_t serial = open_example(&p, 0, strongarm());
    twin t = make_twin(&p, strongarm());
    page_ok(&p, "{'do': 'clip', 'slot': 0, 'name': null}");
    sn_json *event = page_event(&p, "model");
    serial = model_serial(event);
    sn_json_destroy(event);
    free(wait_frame(&p, 0, serial, 0));
    for (int i = 1; i <= 10; ++i) {
        page_ok(&p, "{'do': 'hold', 'slot': 0, 'merge': 'm', 'values': {'forearm.rx_deg': %d}}",
                8 * i);
        usleep(16000);
    }
    wire_packet *last = watch(&p, serial, t.model, &most, &number);
    assert_true(most > 5e-4); // half a millimetre
    assert_true(number > 5);
    sn_motion_destroy(t.motion);
    t.motion = NULL;
    snt_ok(sn_frame_set(t.frame, "forearm.rx_deg", 80, error));
    assert_frame(last, &t, 0);
    free(last);
    uint64_t before = evaluations(&p);
    usleep(500000);
    assert_int_equal(evaluations(&p), before);
    assert_null(try_binary(&p));
    end_twin(&t);
    page_end(&p);
}

// The largest swing of a surface's fibre, as frames have it.
static double swing_of(const sn_frame *frame, uint32_t surface) {
    sn_muscle_axis axis;
    double most = 0;
    assert_true(sn_frame_muscle_axis(frame, surface, 0, &axis));
    for (uint32_t i = 0; i < axis.particle_count; ++i) {
        const double *p = axis.particles + 3 * (size_t)i, *q = axis.still + 3 * (size_t)i;
        most = fmax(most, sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                               (p[2] - q[2]) * (p[2] - q[2])));
    }
    return most;
}

// Where the frame of the whole run takes the place of live steps, nobody sees it: those have come
// to rest, and friction keeps a fibre off the pose alone by up to a millimetre.
static void swings_end_where_the_pose_has_them(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "settle");
    twin t = make_twin(&p, strongarm());
    uint32_t biceps = sn_model_find_surface(t.model, "biceps");
    snt_ok(sn_frame_select(t.frame, &biceps, 1, error));
    snt_ok(sn_frame_step(t.frame, 0, error));
    double before = 0, now = 0, most = 0;
    for (int i = 1; i <= 240; ++i) { // three fifths of a second of motion, then rest
        snt_ok(sn_frame_set(t.frame, "forearm.rx_deg", fmin(7.0 / 3 * i, 84), error));
        snt_ok(sn_frame_step(t.frame, 1.0 / 60, error));
        before = now;
        now = swing_of(t.frame, biceps);
        most = fmax(most, now);
    }
    print_message("swing: most %.2g, in the end %.2g and %.2g m\n", most, before, now);
    assert_true(most > 1e-3);
    assert_true(fabs(now - before) < 1e-4);
    snt_ok(sn_frame_evaluate(t.frame, NULL, 0, error));
    assert_true(fabs(swing_of(t.frame, biceps) - now) < 1e-3);
    end_twin(&t);
    page_end(&p);
}

// At a frame of a clip the muscles go on from the swing that the run has there; in the end the
// frame has the bits of the whole run with the held values, and so has every other one.
static void frames_of_clips_keep_their_bits(void **state) {
    (void)state;
    snt_page p;
    double most;
    uint32_t number;
    begin(&p, "clip");
    uint32_t serial = open_example(&p, 0, strongarm());
    twin t = make_twin(&p, strongarm());
    page_ok(&p, "{'do': 'seek', 'frame': 20}");
    wire_packet *packet = wait_frame(&p, 0, serial, 20);
    assert_frame(packet, &t, 20);
    free(packet);
    usleep(3000000); // frames ahead are evaluated meanwhile: this one is taken up again
    page_ok(&p, "{'do': 'hold', 'slot': 0, 'values': {'upper_arm.rx_deg': 30}}");
    packet = watch(&p, serial, t.model, &most, &number);
    assert_true(most > 1e-3);
    assert_true(number > 5);
    snt_ok(sn_frame_set(t.frame, "upper_arm.rx_deg", 30, error));
    assert_frame(packet, &t, 20);
    free(packet);
    // A seek while it swings does not wait.
    page_ok(&p, "{'do': 'hold', 'slot': 0, 'values': {'upper_arm.rx_deg': 10}}");
    page_ok(&p, "{'do': 'seek', 'frame': 21}");
    packet = wait_frame(&p, 0, serial, 21);
    snt_ok(sn_frame_set(t.frame, "upper_arm.rx_deg", 10, error));
    assert_frame(packet, &t, 21);
    free(packet);
    end_twin(&t);
    page_end(&p);
}

// Values that change while steps go on and frames are on their way are all taken.
static void no_change_is_lost(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "many");
    uint32_t serial = open_example(&p, 0, strongarm());
    free(wait_frame(&p, 0, serial, 0));
    for (int i = 0; i < 120; ++i) {
        page_ok(&p, "{'do': 'hold', 'slot': 0, 'merge': 'm', 'values': {'forearm.rx_deg': %d}}",
                i % 60);
        wire_packet *packet = i % 3 == 0 ? try_binary(&p) : NULL;
        if (packet) {
            acknowledge(&p, read_head(packet).serial);
            free(packet);
        }
    }
    page_end(&p);
}

// A model without such muscles shows a change at once, once.
static void others_do_not_live(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "others");
    uint32_t serial = open_example(&p, 0, snt_source("examples/arm/arm.sinew.json"));
    free(wait_frame(&p, 0, serial, 0));
    uint64_t before = evaluations(&p);
    page_ok(&p, "{'do': 'hold', 'slot': 0, 'values': {'forearm.rx_deg': 20}}");
    free(wait_frame(&p, 0, serial, 0));
    usleep(200000);
    assert_int_equal(evaluations(&p), before + 1);
    page_end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_poses_swing_and_come_to_rest),
        cmocka_unit_test(swings_end_where_the_pose_has_them),
        cmocka_unit_test(frames_of_clips_keep_their_bits),
        cmocka_unit_test(no_change_is_lost),
        cmocka_unit_test(others_do_not_live),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
