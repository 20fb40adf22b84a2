// SPDX-License-Identifier: Apache-2.0
#include "frames.h"

// Forwards, backwards, to the same frame again; the first `count` of them.
static const uint32_t numbers[] = {7, 3, 0, 12, 11, 12, 5, 1, 20};
enum { SEEKS = sizeof numbers / sizeof numbers[0] };

static void check_seeks(const char *path, size_t count) {
    snt_page p;
    begin(&p, "seek");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source(path));
    uint32_t serial = open_example(&p, 0, file);
    twin t = make_twin(&p, file);
    for (size_t i = 0; i < count; ++i) {
        page_ok(&p, "{'do': 'seek', 'frame': %u}", numbers[i]);
        wire_packet *packet = NULL;
        if (i > 0 && numbers[i] == numbers[i - 1]) {
            continue;
        }
        packet = wait_frame(&p, 0, serial, numbers[i]);
        assert_frame(packet, &t, numbers[i]);
        free(packet);
    }
    end_twin(&t);
    page_end(&p);
}

static void a_seek_is_that_frame_of_the_arm(void **state) {
    (void)state;
    check_seeks("examples/arm/arm.sinew.json", SEEKS);
}

static void a_seek_is_that_frame_of_rex(void **state) {
    (void)state;
    check_seeks("examples/rex/rex.sinew.json", SEEKS);
}

// Under sanitizers, where a simulation takes long, once forwards and once backwards, and
// not as far.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { CLOTH_SEEKS = 2, CLOTH_END = 8 };
#else
enum { CLOTH_SEEKS = SEEKS, CLOTH_END = 24 };
#endif

// Simulated: the state of a frame is that of the whole run up to it.
static void a_seek_is_that_frame_of_the_cloth(void **state) {
    (void)state;
    check_seeks("examples/cloth/cloth.sinew.json", CLOTH_SEEKS);
}

static bool matches_progress(const sn_value *message, const void *wanted) {
    const sn_value *frame = sn_value_get(message, "frame");
    return matches_event(message, "computing") &&
           (frame->type == SN_JSON_NULL) == *(const bool *)wanted;
}

// Pages see that a far frame of a simulation is being computed; one that is wanted after it need
// not wait, and in the end the far one has the bits of a direct evaluation.
static void a_far_seek_is_told_and_gives_way(void **state) {
    (void)state;
    const bool ended = true, running = false;
    snt_page p;
    begin(&p, "far");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/cloth/cloth.sinew.json"));
    uint32_t serial = open_example(&p, 0, file);
    free(wait_frame(&p, 0, serial, 0));
    page_ok(&p, "{'do': 'seek', 'frame': 90}");
    sn_json *event = page_wait(&p, matches_progress, &running, "progress");
    assert_true(sn_value_number(sn_json_find(event, "/of"), 0) == 90);
    assert_true(sn_value_number(sn_json_find(event, "/frame"), 90) < 90);
    assert_true(sn_value_number(sn_json_find(event, "/slot"), 9) == 0);
    sn_json_destroy(event);
    page_ok(&p, "{'do': 'seek', 'frame': 2}");
    uint32_t number = SN_NONE;
    while (number != 2) {
        wire_packet *packet = wait_frame(&p, 0, serial, SN_NONE);
        number = read_head(packet).frame;
        assert_int_not_equal(number, 90);
        free(packet);
    }
    sn_json_destroy(page_wait(&p, matches_progress, &ended, "the end of it"));
    twin t = make_twin(&p, file);
    page_ok(&p, "{'do': 'seek', 'frame': %u}", CLOTH_END);
    wire_packet *packet = wait_frame(&p, 0, serial, CLOTH_END);
    assert_frame(packet, &t, CLOTH_END);
    free(packet);
    end_twin(&t);
    page_end(&p);
}

static void geometry_is_the_mesh(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "geometry");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    uint32_t serial = open_example(&p, 0, file);
    twin t = make_twin(&p, file);
    uint32_t last = sn_model_surface_count(t.model) - 1;
    free(wait_frame(&p, 0, serial, SN_NONE));
    page_fails(&p, "made anew", "{'do': 'geometry', 'slot': 0, 'model': %u, 'surfaces': [0]}",
               serial + 9);
    page_fails(&p, "there is no surface",
               "{'do': 'geometry', 'slot': 0, 'model': %u, 'surfaces': [9999]}", serial);
    char text[256];
    snprintf(text, sizeof text,
             "{\"do\": \"geometry\", \"slot\": 0, \"model\": %u, \"surfaces\": [%u, 0, %u]}",
             serial, last, last);
    assert_true(desk_receive(p.desk, p.page, text, strlen(text)));
    wire_packet *packet = wait_binary(&p);
    assert_int_equal(read_head(packet).kind, 1);
    assert_int_equal(read_head(packet).model, serial);
    assert_int_equal(read_head(packet).blocks, 8);
    const sn_mesh *mesh = sn_model_surface(t.model, last)->mesh;
    sn_triangles *triangles = NULL;
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    assert_block(packet, last, PACKET_TRIANGLES, triangles->vertices,
                 12 * (size_t)triangles->count);
    assert_block(packet, last, PACKET_FACES, triangles->faces, 4 * (size_t)triangles->count);
    assert_block(packet, last, PACKET_REST, mesh->positions, 12 * (size_t)mesh->vertex_count);
    sn_triangles_destroy(triangles);
    free(packet);
    end_twin(&t);
    page_end(&p);
}

// ---------------------------------------------------------------------------------------------
// Pages that are slow

static void a_page_that_does_not_acknowledge_gets_two_frames(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "slow");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    uint32_t serial = open_example(&p, 0, file);
    snt_page slow = {.context = p.context, .desk = p.desk, .page = desk_join(p.desk)};
    page_ok(&slow, "{'do': 'hello'}");
    page_ok(&slow, "{'do': 'view', 'slot': 0, 'surfaces': [0]}");
    wire_packet *one = wait_binary(&slow);
    page_ok(&p, "{'do': 'seek', 'frame': 1}");
    wire_packet *two = wait_binary(&slow);
    // The other page goes on, frame by frame.
    for (uint32_t i = 2; i < 10; ++i) {
        page_ok(&p, "{'do': 'seek', 'frame': %u}", i);
        free(wait_frame(&p, 0, serial, i));
        assert_null(try_binary(&slow));
        assert_null(desk_take(p.desk, slow.page));
    }
    // With one acknowledged, the newest comes.
    acknowledge(&slow, read_head(one).serial);
    wire_packet *newest = wait_binary(&slow);
    assert_int_equal(read_head(newest).frame, 9);
    assert_null(try_binary(&slow));
    free(one);
    free(two);
    free(newest);
    page_leave(&slow);
    page_end(&p);
}

static void only_the_newest_frame_waits(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "newest");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    uint32_t serial = open_example(&p, 0, file);
    free(wait_frame(&p, 0, serial, SN_NONE));
    snt_page watcher = {.context = p.context, .desk = p.desk, .page = desk_join(p.desk)};
    page_ok(&watcher, "{'do': 'hello'}");
    page_ok(&watcher, "{'do': 'view', 'slot': 0, 'surfaces': []}");
    for (uint32_t i = 1; i <= 15; ++i) {
        page_ok(&watcher, "{'do': 'seek', 'frame': %u}", i);
        free(wait_frame(&watcher, 0, serial, i)); // it was evaluated
    }
    // Of all these one waits for the page that did not look.
    wire_packet *packet = wait_binary(&p);
    assert_int_equal(read_head(packet).frame, 15);
    assert_null(try_binary(&p));
    free(packet);
    page_leave(&watcher);
    page_end(&p);
}

// A page that takes packets only when it was told that something waits, as a socket does, and
// acknowledges each some time after it came.
typedef struct late_page {
    snt_page *page;
    unsigned seen;  // wakes
    uint32_t shown; // the last frame that came
    uint32_t serials[2], count;
} late_page;

static void acknowledge_oldest(late_page *late) {
    acknowledge(late->page, late->serials[0]);
    late->serials[0] = late->serials[1];
    late->count -= 1;
}

static void read_late(late_page *late) {
    unsigned wakes = atomic_load(&late->page->wakes);
    wire_packet *packet = wakes != late->seen ? try_binary(late->page) : NULL;
    if (packet) {
        late->shown = read_head(packet).frame;
        late->serials[late->count++] = read_head(packet).serial;
        free(packet);
        return;
    }
    late->seen = wakes;
    if (late->count > 0) {
        acknowledge_oldest(late);
    }
}

static void wait_until_shown(late_page *late, uint32_t frame) {
    time_t start = time(NULL);
    while (late->shown != frame) {
        if (time(NULL) - start > 20) {
            fail_msg("frame %u waits, but the page was not told", frame);
        }
        read_late(late);
        usleep(100);
    }
}

// Whenever packets are taken and acknowledged, the frame at which the playhead stands is shown in
// the end.
static void the_last_of_many_seeks_is_shown(void **state) {
    (void)state;
    snt_page p;
    page_begin_desk_keeping(&p, "last", snt_source("examples"), 0);
    page_join(&p);
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    uint32_t serial = open_example(&p, 0, file);
    free(wait_frame(&p, 0, serial, SN_NONE));
    late_page late = {.page = &p};
    for (uint32_t round = 0; round < 400; ++round) {
        uint32_t frame = 0;
        for (uint32_t i = 0; i < 6; ++i) {
            char text[64];
            frame = (7 * round + i) % 30 + 1;
            snprintf(text, sizeof text, "{\"do\": \"seek\", \"frame\": %u}", frame);
            assert_true(desk_receive(p.desk, p.page, text, strlen(text)));
            usleep(round % 100 * 20);
            read_late(&late);
        }
        wait_until_shown(&late, frame);
    }
    page_end(&p);
}

// ---------------------------------------------------------------------------------------------
// Playing

static void playing_goes_to_the_end_or_round(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "play");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    uint32_t serial = open_example(&p, 0, file);
    sn_json *time_event = page_event(&p, "time");
    sn_json_destroy(time_event);
    page_forget(&p);
    page_ok(&p, "{'do': 'playback', 'loop': false, 'speed': 20, 'every': true}");
    page_fails(&p, "`speed` must be a number", "{'do': 'playback', 'speed': 0}");
    page_ok(&p, "{'do': 'play'}");
    uint32_t before = 0;
    bool playing = true;
    uint32_t last = SN_NONE, at = 0;
    while (playing || at != last) {
        wire_packet *packet = try_binary(&p);
        if (packet) {
            at = read_head(packet).frame;
            assert_true(at >= before);
            before = at;
            acknowledge(&p, read_head(packet).serial);
            free(packet);
        } else {
            usleep(300);
        }
        for (uint32_t i = 0; i < p.count; ++i) {
            const sn_value *event = sn_json_root(p.messages[i]);
            if (matches_event(event, "time")) {
                playing = sn_value_bool(sn_value_get(event, "playing"), false);
                last = (uint32_t)sn_value_number(sn_value_get(event, "last"), 0);
            }
        }
    }
    assert_true(last > 10);
    page_ok(&p, "{'do': 'playback', 'loop': true, 'every': false}");
    page_ok(&p, "{'do': 'play'}"); // from the beginning, as it stands at the end
    bool round = false;
    for (before = 0; !round;) {
        wire_packet *packet = wait_frame(&p, 0, serial, SN_NONE);
        uint32_t number = read_head(packet).frame;
        assert_true(number <= last);
        round = number < before;
        before = number;
        free(packet);
    }
    page_ok(&p, "{'do': 'stop'}");
    page_end(&p);
}

// "range" of the last event `time`; -1: null.
static double told_range(snt_page *p, uint32_t end) {
    double value = -2;
    for (uint32_t i = 0; i < p->count; ++i) {
        const sn_value *event = sn_json_root(p->messages[i]);
        if (matches_event(event, "time")) {
            value = sn_value_number(sn_value_at(sn_value_get(event, "range"), end), -1);
        }
    }
    return value;
}

static void a_range_plays_alone(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "range");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    uint32_t serial = open_example(&p, 0, file);
    static const char *const wrong[] = {"[7, 4]", "[4, 4]", "[-1, 4]", "[1.5, 4]", "[4]", "4"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        page_fails(&p, "`range` must be two frames", "{'do': 'playback', 'range': %s}", wrong[i]);
    }
    page_forget(&p);
    page_ok(&p, "{'do': 'playback', 'range': [4, 7], 'loop': true, 'speed': 20, 'every': true}");
    assert_true(told_range(&p, 0) == 4 && told_range(&p, 1) == 7);
    page_ok(&p, "{'do': 'play'}");
    bool seen[4] = {false};
    for (uint32_t count = 0; count < 12;) {
        wire_packet *packet = wait_frame(&p, 0, serial, SN_NONE);
        uint32_t number = read_head(packet).frame;
        if (count > 0 || number == 4) { // the first one may be from before
            assert_true(number >= 4 && number <= 7);
            seen[number - 4] = true;
            ++count;
        }
        free(packet);
    }
    assert_true(seen[0] && seen[3]);
    page_ok(&p, "{'do': 'stop'}");
    // A range beyond the end is cut; another clip plays whole.
    page_ok(&p, "{'do': 'playback', 'range': [3, 100000]}");
    assert_true(told_range(&p, 0) == 3 && told_range(&p, 1) < 1000);
    page_ok(&p, "{'do': 'clip', 'slot': 0, 'name': null}");
    page_ok(&p, "{'do': 'clip', 'slot': 0, 'name': 'curl'}");
    page_forget(&p);
    page_ok(&p, "{'do': 'seek', 'frame': 1}");
    assert_true(told_range(&p, 0) == -1);
    page_end(&p);
}

static void both_slots_show_the_same_time(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "both");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    uint32_t first = open_example(&p, 0, file), second = open_example(&p, 1, file);
    assert_int_not_equal(first, second);
    twin t = make_twin(&p, file);
    page_ok(&p, "{'do': 'hold', 'slot': 1, 'values': {'forearm.rx_deg': 20}}");
    page_ok(&p, "{'do': 'seek', 'frame': 9}");
    wire_packet *packets[2] = {NULL, NULL};
    while (!packets[0] || !packets[1]) {
        wire_packet *packet = wait_binary(&p);
        frame_head head = read_head(packet);
        acknowledge(&p, head.serial);
        free(head.frame == 9 ? packets[head.slot] : NULL);
        if (head.frame == 9) {
            packets[head.slot] = packet;
        } else {
            free(packet);
        }
    }
    assert_frame(packets[0], &t, 9);
    snt_ok(sn_frame_set(t.frame, "forearm.rx_deg", 20, error));
    assert_frame(packets[1], &t, 9);
    free(packets[0]);
    free(packets[1]);
    end_twin(&t);
    page_end(&p);
}

// What was held for a document that goes just then is not held for the one that comes.
static void another_document_holds_nothing(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "holds-nothing");
    page_open_arm(&p);
    sn_json_destroy(page_event(&p, "model"));
    for (int i = 0; i < 5; ++i) {
        char open[1200];
        const char *texts[] = {"{\"id\": 1000, \"do\": \"hold\", \"slot\": 0, \"values\": "
                               "{\"forearm.rx_deg\": 30}}",
                               open};
        snprintf(open, sizeof open,
                 "{\"id\": 1001, \"do\": \"open\", \"slot\": 0, \"path\": \"%s\"}",
                 in_folder(&p, "arm.sinew.json"));
        for (int k = 0; k < 2; ++k) {
            assert_true(desk_receive(p.desk, p.page, texts[k], strlen(texts[k])));
        }
        double id = 1000;
        sn_json_destroy(page_wait(&p, matches_id, &id, "the hold"));
        // The answer, and not only a model, which may be the one that `hello` told of before.
        id = 1001;
        sn_json_destroy(page_wait(&p, matches_id, &id, "the document"));
        sn_json_destroy(page_event(&p, "model"));
        page_forget(&p);
        page_ok(&p, "{'do': 'hello'}");
        sn_json *held = page_event(&p, "held");
        assert_int_equal(sn_value_count(sn_json_find(held, "/values")), 0);
        sn_json_destroy(held);
    }
    page_end(&p);
}

static sn_json *ask(snt_page *p, const char *text) {
    double id = 1000;
    assert_true(desk_receive(p->desk, p->page, text, strlen(text)));
    return page_wait(p, matches_id, &id, text);
}

// The hand is dragged: the answer says at which angles the arm gets there, and holds nothing.
static void a_limb_is_told_how_to_reach(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "reach");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    uint32_t serial = open_example(&p, 0, file);
    twin t = make_twin(&p, file);
    free(wait_frame(&p, 0, serial, SN_NONE));
    page_fails(&p, "no segment",
               "{'do': 'reach', 'slot': 0, 'segment': 'wing', 'target': [0, 0, 0]}");
    page_fails(&p, "three numbers",
               "{'do': 'reach', 'slot': 0, 'segment': 'hand', 'target': [0, 0]}");
    page_fails(&p, "no two joints",
               "{'do': 'reach', 'slot': 0, 'segment': 'shoulder', 'target': [0, 0, 0]}");
    page_forget(&p);
    sn_json *answer =
        ask(&p, "{\"id\": 1000, \"do\": \"reach\", \"slot\": 0, \"segment\": \"hand\", "
                "\"target\": [0.42, 1.3, 0.25], \"pole\": [0.5, 1, -1]}");
    snt_near(sn_value_number(sn_json_find(answer, "/ok/miss"), 1), 0, 1e-6);
    const sn_value *values = sn_json_find(answer, "/ok/values");
    assert_int_equal(sn_value_count(values), 4); // three of the shoulder, one of the elbow
    for (uint32_t i = 0; i < 4; ++i) {
        const sn_value *value = sn_value_at(values, i);
        snt_ok(sn_frame_set(t.frame, value->key, sn_value_number(value, 0), error));
    }
    snt_ok(sn_frame_evaluate(t.frame, t.motion, 0, error));
    uint32_t hand = sn_model_find_segment(sn_frame_model(t.frame), "hand");
    const double *m = sn_frame_worlds(t.frame)[hand].m;
    snt_near(m[12], 0.42, 1e-6);
    snt_near(m[13], 1.3, 1e-6);
    snt_near(m[14], 0.25, 1e-6);
    sn_json_destroy(answer);
    end_twin(&t);
    page_end(&p);
}

static void held_values_hold_until_released(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "held");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    page_fails(&p, "no document is open", "{'do': 'hold', 'slot': 0, 'values': {'x': 1}}");
    uint32_t serial = open_example(&p, 0, file);
    twin t = make_twin(&p, file);
    free(wait_frame(&p, 0, serial, SN_NONE));
    page_fails(&p, "nobody", "{'do': 'hold', 'slot': 0, 'values': {'nobody.rx': 1}}");
    // All of an order or nothing.
    page_fails(&p, "nobody",
               "{'do': 'hold', 'slot': 0, 'values': {'forearm.rx_deg': 30, 'nobody.rx': 1}}");
    page_forget(&p);
    page_ok(&p, "{'do': 'hold', 'slot': 0, 'values': {'forearm.rx_deg': 30}}");
    sn_json *held = page_event(&p, "held");
    assert_int_equal(sn_value_count(sn_json_find(held, "/values")), 1);
    assert_true(sn_value_number(sn_json_find(held, "/values/forearm.rx_deg"), 0) == 30);
    sn_json_destroy(held);
    snt_ok(sn_frame_set(t.frame, "forearm.rx_deg", 30, error));
    page_ok(&p, "{'do': 'seek', 'frame': 4}");
    wire_packet *packet = wait_frame(&p, 0, serial, 4);
    assert_frame(packet, &t, 4);
    free(packet);
    // One joint is held once, by whatever name.
    page_forget(&p);
    page_ok(&p, "{'do': 'hold', 'slot': 0, 'values': {'forearm.rx': 0.25}}");
    held = page_event(&p, "held");
    assert_int_equal(sn_value_count(sn_json_find(held, "/values")), 1);
    assert_true(sn_value_number(sn_json_find(held, "/values/forearm.rx"), 0) == 0.25);
    sn_json_destroy(held);
    page_ok(&p, "{'do': 'release', 'slot': 0, 'names': ['forearm.rx_deg']}");
    page_ok(&p, "{'do': 'seek', 'frame': 5}");
    packet = wait_frame(&p, 0, serial, 5);
    sn_frame_clear(t.frame);
    assert_frame(packet, &t, 5);
    free(packet);
    end_twin(&t);
    page_end(&p);
}

static void values_are_those_of_the_library(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "values");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    uint32_t serial = open_example(&p, 0, file);
    twin t = make_twin(&p, file);
    uint32_t skin = SN_NONE;
    for (uint32_t i = 0; i < sn_model_surface_count(t.model); ++i) {
        const sn_surface *surface = sn_model_surface(t.model, i);
        skin = surface->layer == SN_LAYER_SKIN && surface->shown ? i : skin;
    }
    assert_int_not_equal(skin, SN_NONE);
    page_fails(&p, "no quantity",
               "{'do': 'view', 'slot': 0, 'surfaces': [], "
               "'quantity': {'name': 'beauty'}}");
    page_ok(&p, "{'do': 'seek', 'frame': 8}");
    free(wait_frame(&p, 0, serial, 8));
    page_ok(&p,
            "{'do': 'view', 'slot': 0, 'surfaces': [%u], 'quantity': {'name': 'stretch'}, "
            "'number': 7}",
            skin);
    wire_packet *packet = wait_frame(&p, 0, serial, 8);
    assert_int_equal(word(packet, 36), 7);
    uint32_t count = sn_model_surface(t.model, skin)->mesh->vertex_count;
    float *values = calloc(count, sizeof *values);
    sn_values_desc desc = sn_values_desc_default();
    desc.quantity = SN_QUANTITY_STRETCH;
    snt_ok(sn_frame_evaluate(t.frame, t.motion, 8, error));
    snt_ok(sn_frame_values(t.frame, skin, &desc, values, error));
    assert_block(packet, skin, PACKET_VALUES, values, count * sizeof *values);
    free(values);
    free(packet);
    end_twin(&t);
    page_end(&p);
}

// A slice that goes with a segment: where it is in the frame, and the values of the library there.
static void a_slice_is_that_of_the_library(void **state) {
    (void)state;
    enum { COLUMNS = 3, ROWS = 4, COUNT = COLUMNS * ROWS, HEAD = PACKET_SLICE_HEAD };
    snt_page p;
    begin(&p, "slice");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/strongarm/strongarm.sinew.json"));
    uint32_t serial = open_example(&p, 0, file);
    twin t = make_twin(&p, file);
    const char *const wrong[] = {
        "{'columns': 1, 'rows': 4, 'origin': [0,0,0], 'u': [1,0,0], 'v': [0,1,0]}",
        "{'columns': 3, 'rows': 513, 'origin': [0,0,0], 'u': [1,0,0], 'v': [0,1,0]}",
        "{'columns': 3, 'rows': 4, 'origin': [0,0], 'u': [1,0,0], 'v': [0,1,0]}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        page_fails(&p, "of a slice must be",
                   "{'do': 'view', 'slot': 0, 'surfaces': [], 'slice': %s}", wrong[i]);
    }
    page_ok(&p, "{'do': 'seek', 'frame': 9}");
    free(wait_frame(&p, 0, serial, 9));
    page_ok(&p, "{'do': 'view', 'slot': 0, 'surfaces': [], 'slice': {'columns': 3, 'rows': 4, "
                "'segment': 'forearm', 'origin': [-0.1, 0, 0], 'u': [0.2, 0, 0], "
                "'v': [0, 0.3, 0]}}");
    wire_packet *packet = wait_frame(&p, 0, serial, 9);
    snt_ok(sn_frame_evaluate(t.frame, t.motion, 9, error));
    const sn_mat4 *world = &sn_frame_worlds(t.frame)[sn_model_find_segment(t.model, "forearm")];
    sn_vec3 place[3] = {sn_mat4_point(world, (sn_vec3){-0.1, 0, 0}),
                        sn_mat4_direction(world, (sn_vec3){0.2, 0, 0}),
                        sn_mat4_direction(world, (sn_vec3){0, 0.3, 0})};
    float numbers[HEAD + COUNT] = {COLUMNS, ROWS}, points[3 * COUNT];
    for (uint32_t i = 0; i < 3; ++i) {
        sn_vec3_store(place[i], numbers + 2 + 3 * i);
    }
    for (uint32_t i = 0; i < COUNT; ++i) {
        double s = (i % COLUMNS) / (COLUMNS - 1.0), u = (i / COLUMNS) / (ROWS - 1.0);
        sn_vec3 at = sn_vec3_add_scaled(place[0], s, place[1]);
        sn_vec3_store(sn_vec3_add_scaled(at, u, place[2]), points + 3 * (size_t)i);
    }
    snt_ok(sn_frame_field(t.frame, sn_model_find_surface(t.model, "skin"), COUNT, points,
                          numbers + HEAD, error));
    assert_true(numbers[HEAD + 1] > 0.7F && numbers[HEAD] < 0.5F);
    assert_block(packet, SN_NONE, PACKET_SLICE, numbers, sizeof numbers);
    free(packet);
    end_twin(&t);
    page_end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seek_is_that_frame_of_the_arm),
        cmocka_unit_test(a_seek_is_that_frame_of_rex),
        cmocka_unit_test(a_seek_is_that_frame_of_the_cloth),
        cmocka_unit_test(a_far_seek_is_told_and_gives_way),
        cmocka_unit_test(geometry_is_the_mesh),
        cmocka_unit_test(a_page_that_does_not_acknowledge_gets_two_frames),
        cmocka_unit_test(only_the_newest_frame_waits),
        cmocka_unit_test(the_last_of_many_seeks_is_shown),
        cmocka_unit_test(playing_goes_to_the_end_or_round),
        cmocka_unit_test(a_range_plays_alone),
        cmocka_unit_test(both_slots_show_the_same_time),
        cmocka_unit_test(another_document_holds_nothing),
        cmocka_unit_test(a_limb_is_told_how_to_reach),
        cmocka_unit_test(held_values_hold_until_released),
        cmocka_unit_test(values_are_those_of_the_library),
        cmocka_unit_test(a_slice_is_that_of_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
