// SPDX-License-Identifier: Apache-2.0
//
// Cloth in documents: a pennant on a moving stick, over a ball that rolls in, drives a fine one.
#include "toy.h"

#include "grid.h"
#include "sinew/live.h"

#include <stdlib.h>

static const char document[] =
    "{'sinew': 1, 'name': 'flag', 'skeleton': {'stick': {'translation': [0, 1, 0]},\n"
    "'ball': {}},\n"
    "'meshes': {'sheet': {}, 'fine': {}, 'ball': {}, 'shell': {}},\n"
    "'skins': {\n"
    "'fine': {'mesh': 'fine', 'deformers': [{'kind': 'wrap', 'driver_mesh': 'sheet'}]},\n"
    "'sheet': {'mesh': 'sheet', 'show': false, 'look': 'cloth', 'deformers': [{'kind': 'blend'},\n"
    "{'kind': 'cloth', 'colliders': ['shell', 'core'], 'pins': [0, 8]}]},\n"
    "'shell': {'mesh': 'shell', 'segment': 'ball', 'frame': 'segment'}},\n"
    "'bones': {'core': {'mesh': 'ball', 'segment': 'ball', 'frame': 'segment'}},\n"
    "'clips': {\n"
    "'at 24': {'rate': 24, 'frames': 49, 'tracks': {TRACKS}},\n"
    "'at 30': {'rate': 30, 'frames': 61, 'tracks': {TRACKS}},\n"
    "'at 60': {'rate': 60, 'frames': 121, 'tracks': {TRACKS}},\n"
    "'still 24': {'rate': 24, 'frames': 25, 'tracks': {}},\n"
    "'still 30': {'rate': 30, 'frames': 31, 'tracks': {}},\n"
    "'still 60': {'rate': 60, 'frames': 61, 'tracks': {}}}}\n";
static const char tracks[] =
    "'stick.tx': {'keys': [[0, 0], [1, 0.2], [2, 0]]}, 'ball.tx': {'keys': [[0, -2], [1.5, 0.2]]}";

// A sheet of side x side quads in the plane y = 1, bound to the stick.
static sn_mesh *sheet(sn_context *context, const char *name, uint32_t side) {
    uint32_t count = (side + 1) * (side + 1);
    sn_mesh *mesh = snt_grid(context, name, side, side, 0.6, 0.6, false);
    snt_shift(mesh, -0.3, 1, 0);
    snt_ok(sn_mesh_set_weights(mesh, 1, count, false, error));
    snt_ok(sn_mesh_name_bone(mesh, 0, "stick", error));
    for (uint32_t i = 0; i < count; ++i) {
        mesh->weights->offsets[i] = i;
        mesh->weights->bones[i] = 0;
        mesh->weights->values[i] = 1;
    }
    mesh->weights->offsets[count] = count;
    return mesh;
}

// A closed block from -size to size about `height`.
static sn_mesh *block(sn_context *context, const char *name, double size, double height) {
    static const uint32_t quads[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                       2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, name, 8, 6, 24, &mesh, error));
    for (uint32_t i = 0; i < 8; ++i) {
        sn_vec3_store(sn_vec3_make(i & 1 ? size : -size, height + (i & 2 ? size : -size),
                                   i & 4 ? size : -size),
                      mesh->positions + 3 * (size_t)i);
    }
    memcpy(mesh->corners, quads, sizeof quads);
    for (uint32_t f = 0; f < 6; ++f) {
        mesh->face_offsets[f] = 4 * f;
    }
    return mesh;
}

static sn_character *flag(sn_context *context) {
    char text[4096] = "";
    const char *rest = document;
    for (const char *found; (found = strstr(rest, "TRACKS")) != NULL; rest = found + 6) {
        strncat(text, rest, (size_t)(found - rest));
        strcat(text, tracks);
    }
    strcat(text, rest);
    sn_character *character = NULL;
    snt_ok(parse_quoted(context, "flag.sinew.json", text, &character, error));
    snt_ok(sn_character_give_mesh(character, "sheet", sheet(context, "sheet", 8), error));
    snt_ok(sn_character_give_mesh(character, "fine", sheet(context, "fine", 30), error));
    snt_ok(sn_character_give_mesh(character, "ball", block(context, "ball", 0.2, 0.5), error));
    snt_ok(sn_character_give_mesh(character, "shell", block(context, "shell", 0.25, 0.5), error));
    return character;
}

static toy open_flag(uint32_t threads, const char *clip) {
    toy t = {.context = snt_context(threads)};
    t.character = flag(t.context);
    snt_ok(sn_model_create(t.character, NULL, &t.model, error));
    snt_ok(sn_motion_open(t.model, clip, &t.motion, error));
    snt_ok(sn_frame_create(t.model, &t.frame, error));
    return t;
}

static void the_cloth_falls_and_the_fine_one_follows(void **state) {
    (void)state;
    toy t = open_flag(1, "still 30");
    assert_int_equal(sn_model_surface(t.model, surface_of(t.model, "sheet"))->look, SN_LOOK_CLOTH);
    assert_int_equal(sn_model_surface(t.model, surface_of(t.model, "core"))->look, SN_LOOK_BONE);
    assert_true(sn_frame_state_bytes(t.frame) > 81 * 48);
    snt_ok(sn_frame_evaluate(t.frame, t.motion, 0, error));
    uint32_t last = 80, fine_last = 960;
    snt_near(points_of(t.frame, "sheet")[3 * last + 1], 1, 1e-6);
    snt_ok(sn_frame_evaluate(t.frame, t.motion, 30, error));
    const float *coarse = points_of(t.frame, "sheet"), *fine = points_of(t.frame, "fine");
    assert_true(coarse[3 * last + 1] < 0.8);
    assert_true(fabsf(coarse[1] - 1) < 1e-6f && fabsf(coarse[3 * 8 + 1] - 1) < 1e-6f); // pins
    for (int k = 0; k < 3; ++k) {
        snt_near(fine[3 * fine_last + k], coarse[3 * last + k], 0.02);
    }
    toy_end(&t);
}

// The pins go with the stick, and the block, a skin that stands behind the cloth in the document,
// pushes the cloth aside.
static void pins_and_colliders_are_those_of_the_frame(void **state) {
    (void)state;
    toy t = open_flag(2, "at 30");
    for (uint32_t n = 0; n < 61; n += 5) {
        snt_ok(sn_frame_evaluate(t.frame, t.motion, n, error));
        const float *cloth = points_of(t.frame, "sheet"), *box = points_of(t.frame, "shell");
        double time = n / 30.0, stick = time < 1 ? 0.2 * time : 0.2 * (2 - time);
        snt_near(cloth[0], -0.3 + stick, 1e-5);
        for (uint32_t i = 0; i < 81; ++i) {
            const float *p = cloth + 3 * (size_t)i;
            bool inside = p[0] > box[0] + 1e-3f && p[0] < box[21] - 1e-3f &&
                          p[1] > box[1] + 1e-3f && p[1] < box[22] - 1e-3f &&
                          p[2] > box[2] + 1e-3f && p[2] < box[23] - 1e-3f;
            assert_false(inside);
        }
    }
    toy_end(&t);
}

// All frames of a clip, one hash each, in an order that is given.
static void hash_all(toy *t, uint32_t step, uint64_t *hashes) {
    uint32_t count = sn_motion_frame_count(t->motion);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t n = (uint32_t)((uint64_t)i * step % count);
        snt_ok(sn_frame_evaluate(t->frame, t->motion, n, error));
        hashes[n] = hash_frame(t->frame);
    }
}

static void threads_and_order_do_not_show(void **state) {
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 8, 32};
    uint64_t expected[61], found[61];
    for (int i = 0; i < 5; ++i) {
        toy t = open_flag(threads[i], "at 30");
        hash_all(&t, 1, i == 0 ? expected : found);
        if (i > 0) {
            assert_memory_equal(expected, found, sizeof expected);
        }
        toy_end(&t);
    }
    toy t = open_flag(2, "at 30");
    hash_all(&t, 60, found); // backwards
    assert_memory_equal(expected, found, sizeof expected);
    hash_all(&t, 17, found); // here and there
    assert_memory_equal(expected, found, sizeof expected);
    // From a state that was saved, in another frame.
    void *saved = malloc(sn_frame_state_bytes(t.frame));
    snt_ok(sn_frame_evaluate(t.frame, t.motion, 40, error));
    sn_frame_save(t.frame, saved);
    sn_frame *other = NULL;
    snt_ok(sn_frame_create(t.model, &other, error));
    snt_ok(sn_frame_restore(other, t.motion, saved, sn_frame_state_bytes(other), error));
    snt_ok(sn_frame_evaluate(other, t.motion, 45, error));
    assert_true(hash_frame(other) == expected[45]);
    sn_frame_destroy(other);
    free(saved);
    toy_end(&t);
}

// A body that a host moves through the world drags its cloth, and gravity stays where it is.
static void a_root_is_felt(void **state) {
    (void)state;
    toy t = open_flag(1, "still 30");
    sn_pose_desc pose = sn_pose_desc_default();
    sn_transform root = sn_transform_identity();
    const float *points = points_of(t.frame, "sheet");
    const uint32_t pin = 0, last = 72; // the corner below it
    pose.root = &root;
    for (uint32_t n = 0; n <= 12; ++n) {
        root.translation.x = 3 * n / 60.0;
        snt_ok(sn_frame_set_pose(t.frame, &pose, error));
        snt_ok(sn_frame_step(t.frame, 1 / 60.0, error));
    }
    snt_near(points[3 * pin], 0.6 - 0.3, 1e-6);
    assert_true(points[3 * last] < points[3 * pin] - 0.1); // behind
    // Turned over, what hangs still hangs down. The first step puts it where the body is.
    root.rotation = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), SN_PI);
    sn_frame_reset(t.frame);
    for (uint32_t n = 0; n < 120; ++n) {
        snt_ok(sn_frame_set_pose(t.frame, &pose, error));
        snt_ok(sn_frame_step(t.frame, 1 / 60.0, error));
        if (n == 0) {
            snt_near(points[3 * last + 1], -1, 1e-6);
        }
    }
    snt_near(points[3 * pin + 1], -1, 1e-6);
    assert_true(points[3 * last + 1] < -1.3);
    toy_end(&t);
}

// Where nothing moves but the cloth, frames of the same time have the same points to the last bit;
// where its pins and colliders move, they go straight between frames, and the cloth differs by as
// much as that: here 2 cm of 60.
static void frame_rates_agree(void **state) {
    (void)state;
    static const char *const clips[2][3] = {{"still 24", "still 30", "still 60"},
                                            {"at 24", "at 30", "at 60"}};
    static const uint32_t halves[3] = {12, 15, 30};
    for (int moving = 0; moving < 2; ++moving) {
        float expected[4][243];
        for (int i = 0; i < 3; ++i) {
            toy t = open_flag(1, clips[moving][i]);
            for (uint32_t half = 1; half <= 2; ++half) {
                snt_ok(sn_frame_evaluate(t.frame, t.motion, half * halves[i], error));
                snt_near(sn_frame_time(t.frame), 0.5 * half, 0);
                const float *points = points_of(t.frame, "sheet");
                if (i == 0) {
                    memcpy(expected[half], points, sizeof expected[half]);
                } else if (!moving) {
                    assert_memory_equal(expected[half], points, sizeof expected[half]);
                }
                for (int k = 0; k < 243; ++k) {
                    snt_near(points[k], expected[half][k], 0.02);
                }
            }
            toy_end(&t);
        }
    }
}

// Pins as a text are those of the list.
static void pins_are_named_as_text(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int i = 0; i < 2; ++i) {
        toy t = {.context = snt_context(1)};
        t.character = flag(t.context);
        sn_json *json = sn_character_document(t.character);
        sn_value *cloth = sn_json_find(json, "/skins/sheet/deformers/1");
        if (i == 1) {
            sn_json_add_string(json, cloth, "pins", "8, 0-0");
        }
        snt_ok(sn_model_create(t.character, NULL, &t.model, error));
        snt_ok(sn_motion_open(t.model, "at 30", &t.motion, error));
        snt_ok(sn_frame_create(t.model, &t.frame, error));
        snt_ok(sn_frame_evaluate(t.frame, t.motion, 20, error));
        hashes[i] = hash_frame(t.frame);
        toy_end(&t);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void a_pin_that_is_not_there_is_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    sn_model *model = NULL;
    snt_ok(parse_quoted(context, "flag.sinew.json",
                        "{'sinew': 1, 'name': 'flag', 'meshes': {'sheet': {}},\n"
                        "'skins': {'sheet': {'mesh': 'sheet', 'deformers': [\n"
                        "{'kind': 'cloth', 'pins': [80, 81]}]}}}",
                        &character, error));
    snt_ok(sn_character_give_mesh(character, "sheet", sheet(context, "sheet", 8), error));
    snt_fails(SN_INVALID,
              "flag.sinew.json:3: /skins/sheet/deformers/0: cloth: pin 1 is vertex 81, but the "
              "mesh \"sheet\" has 81 vertices",
              sn_model_create(character, NULL, &model, error));
    sn_character_destroy(character);
    snt_context_end(context);
}

static sn_status play_once(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_motion *motion = NULL;
    sn_frame *frame = NULL;
    char *text = quoted("{'sinew': 1, 'name': 'flag', 'meshes': {'sheet': {'file': 'f.obj'},\n"
                        "'floor': {'file': 'f.obj'}}, 'skins': {'floor': {'mesh': 'floor'},\n"
                        "'sheet': {'mesh': 'sheet', 'deformers': [{'kind': 'cloth',\n"
                        "'colliders': ['floor'], 'pins': [1]}]}},\n"
                        "'clips': {'c': {'frames': 3, 'tracks': {}}}}");
    sn_status status = sn_character_parse(context, snt_scratch("flag.sinew.json"), text,
                                          strlen(text), &character, error);
    status = status == SN_OK ? sn_model_create(character, NULL, &model, error) : status;
    status = status == SN_OK ? sn_motion_open(model, "c", &motion, error) : status;
    status = status == SN_OK ? sn_frame_create(model, &frame, error) : status;
    status = status == SN_OK ? sn_frame_evaluate(frame, motion, 2, error) : status;
    sn_frame_destroy(frame);
    sn_motion_destroy(motion);
    sn_model_destroy(model);
    sn_character_destroy(character);
    free(text);
    return status;
}

static void running_out_of_memory_is_survived(void **state) {
    (void)state;
    write_text(snt_scratch("f.obj"), "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 3 4 2\n");
    snt_fail_allocations(play_once, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_are_named_as_text),
        cmocka_unit_test(a_pin_that_is_not_there_is_refused),
        cmocka_unit_test(the_cloth_falls_and_the_fine_one_follows),
        cmocka_unit_test(pins_and_colliders_are_those_of_the_frame),
        cmocka_unit_test(a_root_is_felt),
        cmocka_unit_test(frame_rates_agree),
        cmocka_unit_test(threads_and_order_do_not_show),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
