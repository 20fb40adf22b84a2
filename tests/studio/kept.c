// SPDX-License-Identifier: Apache-2.0
//
// Frames that are kept: shown again without being evaluated, with the same bits, within a limit of
// memory, and made anew when anything that they are made from has changed.
#include "frames.h"

#include "desk/service.h"

static const char *arm(void) {
    static char path[1024];
    snprintf(path, sizeof path, "%s", snt_source("examples/arm/arm.sinew.json"));
    return path;
}

enum { LAST = 60 }; // frame of the arm's clip

static uint64_t evaluations(const snt_page *p) {
    return player_get_usage(*desk_player_of(p->desk)).evaluations;
}

// Plays to the end, all frames evaluated or kept, and looks at those that come; `check` may be
// NULL.
static void play_once(snt_page *p, uint32_t serial, twin *check) {
    page_ok(p, "{'do': 'seek', 'frame': 0}");
    page_ok(p, "{'do': 'playback', 'loop': false, 'speed': 100, 'every': true}");
    page_ok(p, "{'do': 'play'}");
    for (uint32_t number = 0; number != LAST;) {
        wire_packet *packet = wait_frame(p, 0, serial, SN_NONE);
        number = read_head(packet).frame;
        if (check) {
            assert_frame(packet, check, number);
        }
        player_usage usage = player_get_usage(*desk_player_of(p->desk));
        assert_true(usage.kept_bytes <= usage.kept_limit);
        free(packet);
    }
    page_ok(p, "{'do': 'stop'}"); // the playhead may not have noticed that it is at the end
}

static void a_second_round_evaluates_nothing(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "round");
    uint32_t serial = open_example(&p, 0, arm());
    twin t = make_twin(&p, arm());
    play_once(&p, serial, NULL);
    uint64_t first = evaluations(&p);
    assert_int_equal(first, LAST + 1);
    play_once(&p, serial, &t);
    // Scrubbing evaluates nothing either.
    static const uint32_t numbers[] = {7, 3, 20, 0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        page_ok(&p, "{'do': 'seek', 'frame': %u}", numbers[i]);
        wire_packet *packet = wait_frame(&p, 0, serial, numbers[i]);
        assert_frame(packet, &t, numbers[i]);
        free(packet);
    }
    assert_int_equal(evaluations(&p), first);
    end_twin(&t);
    page_end(&p);
}

// Held values are a part of what a frame is made from, and so is the document.
static void what_a_frame_is_made_from_makes_it_anew(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "origin");
    page_open_arm(&p);
    sn_json_destroy(page_event(&p, "model"));
    uint32_t serial = open_example(&p, 0, in_folder(&p, "arm.sinew.json"));
    twin t = make_twin(&p, arm());
    play_once(&p, serial, NULL);
    page_ok(&p, "{'do': 'hold', 'slot': 0, 'values': {'forearm.rx_deg': 20}}");
    page_ok(&p, "{'do': 'seek', 'frame': 5}");
    wire_packet *packet = wait_frame(&p, 0, serial, 5);
    snt_ok(sn_frame_set(t.frame, "forearm.rx_deg", 20, error));
    assert_frame(packet, &t, 5);
    free(packet);
    page_ok(&p, "{'do': 'release', 'slot': 0, 'names': null}");
    page_ok(&p, "{'do': 'seek', 'frame': 6}");
    packet = wait_frame(&p, 0, serial, 6);
    sn_frame_clear(t.frame);
    assert_frame(packet, &t, 6);
    free(packet);
    end_twin(&t);
    page_ok(&p, "{'do': 'edit', 'slot': 0, "
                "'ops': [{'path': '/muscles/biceps/bulge', 'value': 0.3}]}");
    sn_json *event = page_event(&p, "model");
    packet = wait_frame(&p, 0, model_serial(event), 6);
    sn_json_destroy(page_saved(&p, 0, "edited.sinew.json"));
    t = make_twin(&p, in_folder(&p, "edited.sinew.json"));
    assert_frame(packet, &t, 6);
    free(packet);
    sn_json_destroy(event);
    end_twin(&t);
    page_end(&p);
}

// A view that a page had before is there again when it comes back to it.
static void each_view_has_its_frames(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "views");
    uint32_t serial = open_example(&p, 0, arm());
    page_ok(&p, "{'do': 'view', 'slot': 0, 'surfaces': [0, 1]}");
    play_once(&p, serial, NULL);
    page_ok(&p, "{'do': 'seek', 'frame': 2}");
    free(wait_frame(&p, 0, serial, 2));
    page_ok(&p, "{'do': 'view', 'slot': 0, 'surfaces': [1], 'number': 8}");
    wire_packet *packet = NULL;
    do {
        free(packet);
        packet = wait_frame(&p, 0, serial, 2);
    } while (word(packet, 36) != 8);
    uint32_t count;
    size_t bytes;
    assert_null(find_block(packet, 0, PACKET_POINTS, &count, &bytes));
    assert_non_null(find_block(packet, 1, PACKET_POINTS, &count, &bytes));
    free(packet);
    play_once(&p, serial, NULL); // so that nothing is left to be evaluated ahead
    uint64_t before = evaluations(&p);
    page_ok(&p, "{'do': 'view', 'slot': 0, 'surfaces': [0, 1], 'number': 9}");
    for (uint32_t i = 1; i <= 2; ++i) {
        page_ok(&p, "{'do': 'seek', 'frame': %u}", i);
        packet = wait_frame(&p, 0, serial, i);
        assert_int_equal(word(packet, 36), 9);
        assert_non_null(find_block(packet, 0, PACKET_POINTS, &count, &bytes));
        free(packet);
    }
    assert_int_equal(evaluations(&p), before);
    page_end(&p);
}

// Frames that do not fit are evaluated, those that do fit are not: a clip that is longer than the
// memory is kept in part, round after round.
static void memory_stays_within_the_limit(void **state) {
    (void)state;
    snt_page p;
    page_begin_desk_keeping(&p, "limit", snt_source("examples"), (size_t)2 << 20);
    page_join(&p);
    uint32_t serial = open_example(&p, 0, arm());
    twin t = make_twin(&p, arm());
    play_once(&p, serial, NULL);
    for (int i = 0; i < 2; ++i) {
        uint64_t before = evaluations(&p);
        play_once(&p, serial, &t);
        assert_true(evaluations(&p) > before);
        assert_true(evaluations(&p) - before < LAST + 1);
    }
    player_usage usage = player_get_usage(*desk_player_of(p.desk));
    assert_true(usage.kept_limit == (size_t)2 << 20);
    assert_true(usage.kept_bytes > usage.kept_limit / 2);
    end_twin(&t);
    page_end(&p);
}

static void without_memory_nothing_is_kept(void **state) {
    (void)state;
    snt_page p;
    page_begin_desk_keeping(&p, "none", snt_source("examples"), 0);
    page_join(&p);
    uint32_t serial = open_example(&p, 0, arm());
    play_once(&p, serial, NULL);
    uint64_t before = evaluations(&p);
    page_ok(&p, "{'do': 'seek', 'frame': 3}");
    free(wait_frame(&p, 0, serial, 3));
    assert_true(evaluations(&p) > before);
    assert_int_equal(player_get_usage(*desk_player_of(p.desk)).kept_bytes, 0);
    page_end(&p);
}

static bool matches_whole(const sn_value *message, const void *last) {
    const sn_value *spans = sn_value_get(message, "spans");
    return matches_event(message, "kept") && sn_value_count(spans) == 2 &&
           sn_value_number(sn_value_at(spans, 0), -1) == 0 &&
           sn_value_number(sn_value_at(spans, 1), -1) == *(const double *)last;
}

// Where nobody wants anything, the clip is evaluated ahead, and pages are told what is there.
static void quiet_time_is_used(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "quiet");
    uint32_t serial = open_example(&p, 0, arm());
    twin t = make_twin(&p, arm());
    page_ok(&p, "{'do': 'seek', 'frame': 9}");
    free(wait_frame(&p, 0, serial, 9));
    double last = LAST;
    sn_json_destroy(page_wait(&p, matches_whole, &last, "all frames"));
    uint64_t before = evaluations(&p);
    play_once(&p, serial, &t);
    assert_int_equal(evaluations(&p), before);
    end_twin(&t);
    page_end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_round_evaluates_nothing),
        cmocka_unit_test(what_a_frame_is_made_from_makes_it_anew),
        cmocka_unit_test(each_view_has_its_frames),
        cmocka_unit_test(memory_stays_within_the_limit),
        cmocka_unit_test(without_memory_nothing_is_kept),
        cmocka_unit_test(quiet_time_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
