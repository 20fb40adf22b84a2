// SPDX-License-Identifier: Apache-2.0
#include "page.h"

#include "player.h"

// ---------------------------------------------------------------------------------------------
// Binary messages as a page reads them

typedef struct frame_head {
    uint32_t kind, slot, model, serial, frame, blocks;
    double time;
} frame_head;

static uint32_t word(const desk_packet *packet, size_t at) {
    uint32_t value;
    assert_true(at + 4 <= packet->size);
    memcpy(&value, packet->bytes + at, 4);
    return value;
}

static frame_head read_head(const desk_packet *packet) {
    frame_head head = {word(packet, 4),
                       word(packet, 8),
                       word(packet, 12),
                       word(packet, 16),
                       word(packet, 20),
                       word(packet, 32),
                       0};
    assert_memory_equal(packet->bytes, "SNWG", 4);
    memcpy(&head.time, packet->bytes + 24, 8);
    return head;
}

// The bytes of a block, NULL where the packet has none of this kind. All blocks are walked.
static const uint8_t *find_block(const desk_packet *packet, uint32_t surface, uint32_t what,
                                 uint32_t *count, size_t *bytes) {
    const uint8_t *found = NULL;
    size_t at = 40;
    for (uint32_t i = 0; i < word(packet, 32); ++i) {
        size_t size = word(packet, at + 12);
        assert_int_equal(at % 8, 0);
        if (word(packet, at) == surface && word(packet, at + 4) == what) {
            found = packet->bytes + at + 16;
            *count = word(packet, at + 8);
            *bytes = size;
        }
        at += 16 + (size + 7) / 8 * 8;
        assert_true(at <= packet->size);
    }
    assert_int_equal(at, packet->size);
    return found;
}

// What a page takes next when it is binary; texts are kept. NULL: nothing waits.
static desk_packet *try_binary(snt_page *p) {
    page_take(p);
    if (p->packet_count == 0) {
        return NULL;
    }
    desk_packet *packet = p->packets[0];
    memmove(p->packets, p->packets + 1, --p->packet_count * sizeof *p->packets);
    return packet;
}

static desk_packet *wait_binary(snt_page *p) {
    time_t start = time(NULL);
    for (;;) {
        desk_packet *packet = try_binary(p);
        if (packet) {
            return packet;
        }
        assert_true(time(NULL) - start < 500);
        usleep(300);
    }
}

static void acknowledge(snt_page *p, uint32_t serial) {
    char text[64];
    snprintf(text, sizeof text, "{\"do\": \"ack\", \"serial\": %u}", serial);
    assert_true(desk_receive(p->desk, p->page, text, strlen(text)));
}

// The next frame of a slot that satisfies number and model (SN_NONE: any); all are acknowledged.
static desk_packet *wait_frame(snt_page *p, uint32_t slot, uint32_t model, uint32_t number) {
    for (;;) {
        desk_packet *packet = wait_binary(p);
        frame_head head = read_head(packet);
        assert_int_equal(head.kind, 2);
        acknowledge(p, head.serial);
        if (head.slot == slot && (model == SN_NONE || head.model == model) &&
            (number == SN_NONE || head.frame == number)) {
            return packet;
        }
        free(packet);
    }
}

// ---------------------------------------------------------------------------------------------
// A character of its own beside the desk's

typedef struct twin {
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
} twin;

static twin make_twin(snt_page *p, const char *path) {
    twin t = {0};
    snt_ok(sn_character_load(p->context, path, &t.character, error));
    snt_ok(sn_model_create(t.character, NULL, &t.model, error));
    if (sn_model_clip_count(t.model) > 0) {
        snt_ok(sn_motion_open(t.model, sn_model_clip_name(t.model, 0), &t.motion, error));
    }
    snt_ok(sn_frame_create(t.model, &t.frame, error));
    return t;
}

static void end_twin(twin *t) {
    sn_frame_destroy(t->frame);
    sn_motion_destroy(t->motion);
    sn_model_destroy(t->model);
    sn_character_destroy(t->character);
}

static void assert_block(const desk_packet *packet, uint32_t surface, uint32_t what,
                         const void *bytes, size_t size) {
    uint32_t count = 0;
    size_t found_size = 0;
    const uint8_t *found = find_block(packet, surface, what, &count, &found_size);
    assert_non_null(found);
    assert_int_equal(found_size, size);
    assert_memory_equal(found, bytes, size);
}

// Times differ from run to run.
static void assert_stages(const desk_packet *packet) {
    uint32_t count = 0;
    size_t size = 0;
    const uint8_t *found = find_block(packet, SN_NONE, PACKET_STAGES, &count, &size);
    assert_non_null(found);
    assert_int_equal(count, SN_STAGE_COUNT);
    double sum = 0, time;
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(&time, found + i * sizeof time, sizeof time);
        assert_true(time >= 0);
        sum += time;
    }
    assert_true(sum > 0);
}

// Bit by bit what the library computes.
static void assert_frame(const desk_packet *packet, twin *t, uint32_t number) {
    snt_ok(sn_frame_evaluate(t->frame, t->motion, number, error));
    uint32_t segments = sn_model_skeleton(t->model)->segment_count;
    for (uint32_t i = 0; i < sn_model_surface_count(t->model); ++i) {
        const sn_mesh *mesh = sn_model_surface(t->model, i)->mesh;
        assert_block(packet, i, PACKET_POINTS, sn_frame_points(t->frame, i),
                     12 * (size_t)mesh->vertex_count);
    }
    assert_block(packet, SN_NONE, PACKET_JOINTS, sn_frame_joint_parameters(t->frame),
                 72 * (size_t)segments);
    assert_block(packet, SN_NONE, PACKET_CONTROLS, sn_frame_controls(t->frame),
                 8 * (size_t)sn_model_control_count(t->model));
    assert_stages(packet);
    frame_head head = read_head(packet);
    assert_true(head.time == sn_frame_time(t->frame));
}

// ---------------------------------------------------------------------------------------------

static uint32_t model_serial(const sn_json *event) {
    return (uint32_t)sn_value_number(sn_json_find(event, "/model"), 0);
}

// Opens an example in a slot and looks at everything; gives the number of its model.
static uint32_t open_example(snt_page *p, uint32_t slot, const char *path) {
    page_ok(p, "{'do': 'open', 'slot': %u, 'path': '%s'}", slot, path);
    sn_json *event = page_event(p, "model");
    uint32_t serial = model_serial(event);
    uint32_t count = sn_value_count(sn_json_find(event, "/surfaces"));
    char surfaces[4096] = "";
    for (uint32_t i = 0; i < count; ++i) {
        size_t size = strlen(surfaces);
        snprintf(surfaces + size, sizeof surfaces - size, "%s%u", i > 0 ? "," : "", i);
    }
    page_ok(p, "{'do': 'view', 'slot': %u, 'surfaces': [%s]}", slot, surfaces);
    sn_json_destroy(event);
    return serial;
}

static void begin(snt_page *p, const char *name) {
    page_begin_with(p, name, snt_source("examples"));
}

static void check_seeks(const char *path) {
    static const uint32_t numbers[] = {7, 3, 0, 12, 11, 12, 5, 1, 20};
    snt_page p;
    begin(&p, "seek");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source(path));
    uint32_t serial = open_example(&p, 0, file);
    twin t = make_twin(&p, file);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        page_ok(&p, "{'do': 'seek', 'frame': %u}", numbers[i]);
        desk_packet *packet = NULL;
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
    check_seeks("examples/arm/arm.sinew.json");
}

static void a_seek_is_that_frame_of_rex(void **state) {
    (void)state;
    check_seeks("examples/rex/rex.sinew.json");
}

// Simulated: the state of a frame is that of the whole run up to it.
static void a_seek_is_that_frame_of_the_cloth(void **state) {
    (void)state;
    check_seeks("examples/cloth/cloth.sinew.json");
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
    page_fails(&p, "another model", "{'do': 'geometry', 'slot': 0, 'model': %u, 'surfaces': [0]}",
               serial + 9);
    page_fails(&p, "there is no surface",
               "{'do': 'geometry', 'slot': 0, 'model': %u, 'surfaces': [9999]}", serial);
    char text[256];
    snprintf(text, sizeof text,
             "{\"do\": \"geometry\", \"slot\": 0, \"model\": %u, \"surfaces\": [%u, 0, %u]}",
             serial, last, last);
    assert_true(desk_receive(p.desk, p.page, text, strlen(text)));
    desk_packet *packet = wait_binary(&p);
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

// The sRGB curve backwards: what a byte of a colour means in linear light.
static double linear_light(double encoded) {
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

// Every number lies within the light of its byte, but for rounding.
static void assert_colors(const desk_packet *packet, uint32_t surface, const sn_attribute *colors) {
    uint32_t count = 0;
    size_t size = 0;
    const uint8_t *bytes = find_block(packet, surface, PACKET_COLORS, &count, &size);
    assert_non_null(bytes);
    assert_int_equal(count, colors->count);
    assert_int_equal(size, 4 * (size_t)colors->count);
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < 3; ++k) {
            double value = colors->values[(size_t)i * colors->width + k];
            double byte = bytes[4 * (size_t)i + k];
            assert_true(value >= linear_light((byte - 0.51) / 255));
            assert_true(value <= linear_light((byte + 0.51) / 255));
        }
        assert_int_equal(bytes[4 * (size_t)i + 3], 255);
    }
}

static void skins_bring_their_colors(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "colors");
    char file[1024], text[256];
    snprintf(file, sizeof file, "%s", snt_source("examples/rex/rex.sinew.json"));
    uint32_t serial = open_example(&p, 0, file);
    twin t = make_twin(&p, file);
    free(wait_frame(&p, 0, serial, SN_NONE));
    uint32_t colored = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(t.model); ++i) {
        const sn_surface *surface = sn_model_surface(t.model, i);
        const sn_attribute *colors = sn_mesh_find_attribute(surface->mesh, "color");
        if (surface->layer != SN_LAYER_SKIN || !colors) {
            continue;
        }
        snprintf(text, sizeof text,
                 "{\"do\": \"geometry\", \"slot\": 0, \"model\": %u, \"surfaces\": [%u]}", serial,
                 i);
        assert_true(desk_receive(p.desk, p.page, text, strlen(text)));
        desk_packet *packet = wait_binary(&p);
        assert_colors(packet, i, colors);
        free(packet);
        ++colored;
    }
    assert_true(colored > 0);
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
    desk_packet *one = wait_binary(&slow);
    page_ok(&p, "{'do': 'seek', 'frame': 1}");
    desk_packet *two = wait_binary(&slow);
    // The other page goes on, frame by frame.
    for (uint32_t i = 2; i < 10; ++i) {
        page_ok(&p, "{'do': 'seek', 'frame': %u}", i);
        free(wait_frame(&p, 0, serial, i));
        assert_null(try_binary(&slow));
        assert_false(desk_waits(p.desk, slow.page));
    }
    // With one acknowledged, the newest comes.
    acknowledge(&slow, read_head(one).serial);
    desk_packet *newest = wait_binary(&slow);
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
    desk_packet *packet = wait_binary(&p);
    assert_int_equal(read_head(packet).frame, 15);
    assert_null(try_binary(&p));
    free(packet);
    page_leave(&watcher);
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
        desk_packet *packet = try_binary(&p);
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
        desk_packet *packet = wait_frame(&p, 0, serial, SN_NONE);
        uint32_t number = read_head(packet).frame;
        assert_true(number <= last);
        round = number < before;
        before = number;
        free(packet);
    }
    page_ok(&p, "{'do': 'stop'}");
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
    desk_packet *packets[2] = {NULL, NULL};
    while (!packets[0] || !packets[1]) {
        desk_packet *packet = wait_binary(&p);
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
    desk_packet *packet = wait_frame(&p, 0, serial, 4);
    assert_frame(packet, &t, 4);
    free(packet);
    page_ok(&p, "{'do': 'release', 'slot': 0, 'names': null}");
    page_ok(&p, "{'do': 'seek', 'frame': 5}");
    packet = wait_frame(&p, 0, serial, 5);
    sn_frame_clear(t.frame);
    assert_frame(packet, &t, 5);
    free(packet);
    end_twin(&t);
    page_end(&p);
}

// ---------------------------------------------------------------------------------------------
// Edits and models

static bool matches_revision(const sn_value *message, const void *wanted) {
    return matches_event(message, "model") &&
           sn_value_number(sn_value_get(message, "revision"), 0) == *(const double *)wanted;
}

static double edit(snt_page *p, const char *path, double value) {
    sn_json *answer = page_call(
        p, "{'do': 'edit', 'slot': 0, 'ops': [{'path': '%s', 'value': %.17g}]}", path, value);
    double revision = sn_value_number(sn_json_find(answer, "/ok/revision"), 0);
    if (error_of(answer)) {
        print_error("%s\n", error_of(answer));
    }
    assert_true(revision > 0);
    sn_json_destroy(answer);
    return revision;
}

static const char *first_muscle(const sn_json *document, char *path, size_t size) {
    sn_value_path(sn_value_at(sn_json_find(document, "/muscles"), 0), path, size);
    return path;
}

// A muscle that is edited comes to the page as if the model had been made anew.
static void an_edited_muscle_has_the_bits_of_a_new_model(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "muscle");
    char file[1024], path[256], key[300];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    open_example(&p, 0, file);
    sn_character *character = NULL;
    snt_ok(sn_character_load(p.context, file, &character, error));
    first_muscle(sn_character_document(character), path, sizeof path);
    snprintf(key, sizeof key, "%s/muscle_thickness", path);
    for (int i = 0; i < 3; ++i) {
        double thickness = 0.006 + 0.001 * i;
        double revision = edit(&p, key, thickness);
        sn_json *event = page_wait(&p, matches_revision, &revision, "the model of an edit");
        uint32_t serial = model_serial(event);
        sn_json_destroy(event);
        page_ok(&p, "{'do': 'seek', 'frame': %d}", 6 + i);
        desk_packet *packet = wait_frame(&p, 0, serial, 6 + (uint32_t)i);
        twin t = {.character = character};
        sn_value *muscle = sn_json_find(sn_character_document(character), path);
        sn_json_add_number(sn_character_document(character), muscle, "muscle_thickness", thickness);
        snt_ok(sn_model_create(character, NULL, &t.model, error));
        snt_ok(sn_motion_open(t.model, sn_model_clip_name(t.model, 0), &t.motion, error));
        snt_ok(sn_frame_create(t.model, &t.frame, error));
        assert_frame(packet, &t, 6 + (uint32_t)i);
        t.character = NULL;
        end_twin(&t);
        free(packet);
    }
    sn_character_destroy(character);
    page_end(&p);
}

// While edits come faster than models are made, the last one is the one that stays.
static void the_newest_document_wins(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "last");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/rex/rex.sinew.json"));
    open_example(&p, 0, file);
    double revision = 0;
    for (int i = 1; i <= 12; ++i) {
        sn_json *answer = page_call(&p,
                                    "{'do': 'edit', 'slot': 0, 'ops': [{'path': '/controls/new', "
                                    "'value': {'high': %d}}]}",
                                    i);
        revision = sn_value_number(sn_json_find(answer, "/ok/revision"), 0);
        sn_json_destroy(answer);
    }
    sn_json *event = page_wait(&p, matches_revision, &revision, "the model of the last edit");
    const sn_value *controls = sn_json_find(event, "/controls");
    const sn_value *added = sn_value_at(controls, sn_value_count(controls) - 1);
    assert_string_equal(sn_value_string(sn_value_get(added, "name"), ""), "new");
    assert_true(sn_value_number(sn_value_get(added, "high"), 0) == 12);
    sn_json_destroy(event);
    page_end(&p);
}

// A document that no model can be made of keeps the model that is there.
static void a_model_that_fails_leaves_the_old_one(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "fails");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    uint32_t serial = open_example(&p, 0, file);
    free(wait_frame(&p, 0, serial, SN_NONE));
    page_ok(&p, "{'do': 'edit', 'slot': 0, 'ops': [{'path': '/meshes/gone', 'value': "
                "{'file': 'nowhere.obj'}}, {'path': '/skins/gone', 'value': {'mesh': 'gone'}}]}");
    sn_json *event = page_event(&p, "model_error");
    assert_string_equal(sn_value_string(sn_json_find(event, "/error/place"), ""),
                        "/meshes/gone/file");
    assert_non_null(strstr(sn_value_string(sn_json_find(event, "/error/message"), ""), "nowhere"));
    sn_json_destroy(event);
    page_ok(&p, "{'do': 'seek', 'frame': 3}");
    free(wait_frame(&p, 0, serial, 3));
    // A page that comes hears of both.
    snt_page other = {.context = p.context, .desk = p.desk, .page = desk_join(p.desk)};
    page_ok(&other, "{'do': 'hello'}");
    sn_json_destroy(page_event(&other, "model"));
    sn_json_destroy(page_event(&other, "model_error"));
    page_leave(&other);
    page_ok(&p, "{'do': 'undo', 'slot': 0}");
    event = page_event(&p, "model");
    assert_true(model_serial(event) >= serial);
    sn_json_destroy(event);
    page_end(&p);
}

static void clips_are_chosen(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "clip");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    open_example(&p, 0, file);
    page_fails(&p, "must tell the clip", "{'do': 'clip', 'slot': 0}");
    page_fails(&p, "nowhere", "{'do': 'clip', 'slot': 0, 'name': 'nowhere'}");
    page_forget(&p);
    page_ok(&p, "{'do': 'clip', 'slot': 0, 'name': null}");
    sn_json *event = page_event(&p, "model");
    assert_int_equal(sn_json_find(event, "/clip")->type, SN_JSON_NULL);
    const char *name = sn_value_string(sn_json_find(event, "/clips/0"), NULL);
    assert_non_null(name);
    page_ok(&p, "{'do': 'clip', 'slot': 0, 'name': '%s'}", name);
    sn_json *again = page_event(&p, "model");
    assert_string_equal(sn_value_string(sn_json_find(again, "/clip/name"), ""), name);
    sn_json_destroy(event);
    sn_json_destroy(again);
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
    page_ok(&p, "{'do': 'view', 'slot': 0, 'surfaces': [%u], 'quantity': {'name': 'stretch'}}",
            skin);
    desk_packet *packet = wait_frame(&p, 0, serial, 8);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seek_is_that_frame_of_the_arm),
        cmocka_unit_test(a_seek_is_that_frame_of_rex),
        cmocka_unit_test(a_seek_is_that_frame_of_the_cloth),
        cmocka_unit_test(geometry_is_the_mesh),
        cmocka_unit_test(skins_bring_their_colors),
        cmocka_unit_test(a_page_that_does_not_acknowledge_gets_two_frames),
        cmocka_unit_test(only_the_newest_frame_waits),
        cmocka_unit_test(playing_goes_to_the_end_or_round),
        cmocka_unit_test(both_slots_show_the_same_time),
        cmocka_unit_test(held_values_hold_until_released),
        cmocka_unit_test(an_edited_muscle_has_the_bits_of_a_new_model),
        cmocka_unit_test(the_newest_document_wins),
        cmocka_unit_test(a_model_that_fails_leaves_the_old_one),
        cmocka_unit_test(clips_are_chosen),
        cmocka_unit_test(values_are_those_of_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
