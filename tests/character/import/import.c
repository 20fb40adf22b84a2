// SPDX-License-Identifier: Apache-2.0
//
// Documents made from model files.
#include "../documents.h"

#include "sinew/eval.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static const sn_value *at(sn_character *character, const char *path) {
    return sn_json_find(sn_character_document(character), path);
}

// Everything that a glTF file can say which becomes part of a document: nodes with all three parts
// of a transform, a mesh on a node, one with weights and one with morph targets, animations.
static const char model[] =
    "{'asset': {'version': '2.0'},\n"
    "'buffers': [{'byteLength': 36, 'uri': 'data:application/octet-stream;base64,"
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA'},\n"
    "{'byteLength': 16, 'uri': 'data:application/octet-stream;base64,AAAAAAAAgD8AAAAAAAAAQA=='}],\n"
    "'bufferViews': [{'buffer': 0, 'byteLength': 36}, {'buffer': 1, 'byteLength': 8},\n"
    "{'buffer': 1, 'byteOffset': 8, 'byteLength': 8}],\n"
    "'accessors': [{'bufferView': 0, 'componentType': 5126, 'count': 3, 'type': 'VEC3',\n"
    "'min': [0, 0, 0], 'max': [1, 1, 0]},\n"
    "{'bufferView': 1, 'componentType': 5126, 'count': 2, 'type': 'SCALAR', 'min': [0], 'max': "
    "[1]},\n"
    "{'bufferView': 2, 'componentType': 5126, 'count': 2, 'type': 'SCALAR'}],\n"
    "'meshes': [{'name': 'plate', 'primitives': [{'attributes': {'POSITION': 0}}]},\n"
    "{'name': 'face', 'weights': [0.25], 'extras': {'targetNames': ['smile']},\n"
    "'primitives': [{'attributes': {'POSITION': 0}, 'targets': [{'POSITION': 0}]}]}],\n"
    "'nodes': [{'name': 'root', 'children': [1, 2]},\n"
    "{'name': 'hand', 'mesh': 0, 'translation': [1, 2, 3], 'rotation': [0, 0, 1, 0],\n"
    "'scale': [2, 1, 1]}, {'name': 'head', 'mesh': 1}],\n"
    "'animations': [{'name': 'grin', 'samplers': [{'input': 1, 'output': 2}],\n"
    "'channels': [{'sampler': 0, 'target': {'node': 2, 'path': 'weights'}}]}],\n"
    "'scenes': [{'nodes': [0]}], 'scene': 0}";

static void says_what_the_file_says(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    char *text = quoted(model);
    mkdir(snt_scratch("models"), 0777);
    mkdir(snt_scratch("characters"), 0777);
    char path[2048], document[2048];
    snprintf(path, sizeof path, "%s", snt_scratch("models/toy.gltf"));
    snprintf(document, sizeof document, "%s", snt_scratch("characters/toy.sinew.json"));
    write_text(path, text);
    free(text);
    sn_import *import;
    sn_character *character;
    snt_ok(sn_import_file(context, path, &import, error));
    snt_ok(sn_character_from_import(import, path, document, &character, error));
    sn_import_destroy(import);
    assert_string_equal(sn_character_name(character), "toy");
    assert_null(sn_character_path(character));
    assert_int_equal(sn_value_count(at(character, "/skeleton")), 3);
    assert_string_equal(sn_value_string(at(character, "/skeleton/hand/parent"), ""), "root");
    assert_true(sn_value_number(at(character, "/skeleton/hand/translation/2"), 0) == 3);
    assert_true(sn_value_number(at(character, "/skeleton/hand/rotation/2"), 0) == 1);
    assert_true(sn_value_number(at(character, "/skeleton/hand/scale/0"), 0) == 2);
    assert_int_equal(sn_value_count(at(character, "/skeleton/root")), 0);
    assert_string_equal(sn_value_string(at(character, "/meshes/plate/file"), ""),
                        "../models/toy.gltf");
    assert_string_equal(sn_value_string(at(character, "/meshes/plate/mesh"), ""), "plate");
    assert_string_equal(sn_value_string(at(character, "/skins/plate/segment"), ""), "hand");
    assert_string_equal(sn_value_string(at(character, "/skins/plate/frame"), ""), "segment");
    assert_string_equal(sn_value_string(at(character, "/skins/face/deformers/0/kind"), ""),
                        "morph");
    // The animation goes up to 2, the file's own weight is the value at rest.
    assert_true(sn_value_number(at(character, "/controls/smile/high"), 0) == 2);
    assert_true(sn_value_number(at(character, "/controls/smile/value"), 0) == 0.25);
    assert_string_equal(sn_value_string(at(character, "/clips/grin/file"), ""),
                        "../models/toy.gltf");
    // It can be evaluated before it is saved, and from wherever it is saved.
    for (int saved = 0; saved < 2; ++saved) {
        sn_model *compiled;
        sn_motion *motion;
        sn_frame *frame;
        snt_ok(sn_model_create(character, NULL, &compiled, error));
        snt_ok(sn_motion_open(compiled, "grin", &motion, error));
        snt_ok(sn_frame_create(compiled, &frame, error));
        // Vertex 1 of the plate, (1, 0, 0): scaled by 2, turned half round z, moved to (1, 2, 3).
        assert_true(sn_frame_points(frame, 0)[3] == -1 && sn_frame_points(frame, 0)[5] == 3);
        // Vertex 1 of the face: the target's offsets are its positions.
        assert_true(sn_frame_points(frame, 1)[3] == 1.25f);
        snt_ok(sn_frame_evaluate(frame, motion, sn_motion_frame_count(motion) - 1, error));
        assert_true(sn_frame_points(frame, 1)[3] == 3);
        sn_frame_destroy(frame);
        sn_motion_destroy(motion);
        sn_model_destroy(compiled);
        snt_ok(sn_character_save(character, snt_scratch("toy.sinew.json"), error));
        assert_string_equal(sn_value_string(at(character, "/meshes/plate/file"), ""),
                            "models/toy.gltf");
    }
    sn_character_destroy(character);
    snt_context_end(context);
}

static void takes_a_plain_mesh(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char *path = snt_scratch("plain.obj");
    write_text(path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    sn_import *import;
    sn_character *character;
    snt_ok(sn_import_file(context, path, &import, error));
    snt_ok(
        sn_character_from_import(import, path, snt_scratch("plain.sinew.json"), &character, error));
    sn_import_destroy(import);
    char *text;
    size_t size;
    snt_ok(sn_json_write(sn_character_document(character), &text, &size, error));
    assert_string_equal(text, "{\n  \"sinew\": 1,\n  \"name\": \"plain\",\n"
                              "  \"meshes\": {\"plain\": {\"file\": \"plain.obj\"}},\n"
                              "  \"skins\": {\"plain\": {\"mesh\": \"plain\"}}\n}\n");
    sn_json_free_text(context, text);
    sn_character_destroy(character);
    snt_context_end(context);
}

// A cubic curve that swings to 1.5 between two keys of 0: the control must let it.
static void leaves_room_for_cubic_curves(void **state) {
    (void)state;
    static const double values[] = {0, 0, 6, -6, 0, 0};
    sn_context *context = snt_context(1);
    sn_mesh *mesh;
    sn_clip *clip;
    sn_target *target;
    sn_track *track;
    sn_character *character;
    snt_ok(sn_mesh_create(context, "point", 1, 0, 0, &mesh, error));
    memset(mesh->positions, 0, 3 * sizeof *mesh->positions);
    snt_ok(sn_mesh_add_target(mesh, "smile", 1, false, &target, error));
    memset(target->offsets, 0, 3 * sizeof *target->offsets);
    snt_ok(sn_clip_create(context, "grin", 30, 31, &clip, error));
    snt_ok(sn_clip_add_track(clip, SN_TRACK_PARAMETER, "smile", SN_INTERPOLATION_CUBIC, 2, &track,
                             error));
    track->times[0] = 0;
    track->times[1] = 1;
    memcpy(track->values, values, sizeof values);
    sn_import import = {.context = context,
                        .mesh_count = 1,
                        .meshes = &mesh,
                        .mesh_nodes = (uint32_t[]){SN_NONE},
                        .clip_count = 1,
                        .clips = &clip};
    snt_ok(sn_character_from_import(&import, "a.glb", "a.sinew.json", &character, error));
    double middle, high = sn_value_number(at(character, "/controls/smile/high"), 1);
    sn_track_sample(track, 0.5, &middle);
    snt_near(middle, 1.5, 1e-12);
    assert_true(high >= middle && high <= 2);
    assert_null(at(character, "/controls/smile/low")); // 0, as without curves
    sn_character_destroy(character);
    sn_clip_destroy(clip);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static sn_status make_and_compile(sn_context *context, void *path, sn_error *error) {
    sn_import *import = NULL;
    sn_character *character = NULL;
    sn_model *compiled = NULL;
    sn_status status = sn_import_file(context, path, &import, error);
    if (status == SN_OK) {
        status = sn_character_from_import(import, path, snt_scratch("a.json"), &character, error);
    }
    if (status == SN_OK) {
        status = sn_model_create(character, NULL, &compiled, error);
    }
    sn_model_destroy(compiled);
    sn_character_destroy(character);
    sn_import_destroy(import);
    return status;
}

// Seconds of the processor that a chain of joints takes, from a BVH file to a frame at rest.
static double seconds_for_chain(sn_context *context, uint32_t count) {
    char *text = malloc((size_t)count * 64);
    int used = sprintf(text, "HIERARCHY\n");
    for (uint32_t i = 0; i < count; ++i) {
        used += sprintf(text + used, "%s j%u\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n",
                        i > 0 ? "JOINT" : "ROOT", i);
    }
    for (uint32_t i = 0; i < count; ++i) {
        used += sprintf(text + used, "}\n");
    }
    sprintf(text + used, "MOTION\nFrames: 0\nFrame Time: 0.1\n");
    clock_t start = clock();
    sn_import *import = NULL;
    sn_character *character = NULL;
    sn_model *compiled = NULL;
    sn_frame *frame = NULL;
    snt_ok(sn_import_memory(context, "chain.bvh", text, strlen(text), &import, error));
    snt_ok(sn_character_from_import(import, "chain.bvh", "chain.sinew.json", &character, error));
    snt_ok(sn_model_create(character, NULL, &compiled, error));
    snt_ok(sn_frame_create(compiled, &frame, error));
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    sn_frame_destroy(frame);
    sn_model_destroy(compiled);
    sn_character_destroy(character);
    sn_import_destroy(import);
    free(text);
    return seconds;
}

// Sixteen times as many joints take about sixteen times as long; looking through all joints for
// each took 256 times.
static void deep_skeletons_take_linear_time(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    double few = INFINITY;
    for (int i = 0; i < 3; ++i) {
        few = fmin(few, seconds_for_chain(context, 4000));
    }
    double many = seconds_for_chain(context, 64000);
    if (many > 60 * few) {
        fail_msg("4,000 joints take %g s, 64,000 take %g s", few, many);
    }
    snt_context_end(context);
}

static void survives_running_out_of_memory(void **state) {
    (void)state;
    char path[2048];
    snprintf(path, sizeof path, "%s", snt_scratch("small.gltf"));
    char *text = quoted(model);
    write_text(path, text);
    free(text);
    snt_fail_allocations(make_and_compile, path);
}

// --- Real files

typedef struct expected {
    const char *path;
    uint32_t segments, meshes, vertices, clips;
} expected;

static void try_real_file(const expected *e) {
    char path[4096];
    snprintf(path, sizeof path, "%s", snt_data(e->path));
    sn_context *context = snt_context(2);
    sn_import *import;
    sn_character *character;
    snt_ok(sn_import_file(context, path, &import, error));
    snt_ok(
        sn_character_from_import(import, path, snt_scratch("real.sinew.json"), &character, error));
    sn_import_destroy(import);
    snt_ok(sn_character_save(character, snt_scratch("real.sinew.json"), error));
    sn_character_destroy(character);
    snt_ok(sn_character_load(context, snt_scratch("real.sinew.json"), &character, error));
    sn_model *compiled;
    sn_frame *frame;
    snt_ok(sn_model_create(character, NULL, &compiled, error));
    assert_int_equal(sn_model_skeleton(compiled)->segment_count, e->segments);
    assert_int_equal(sn_model_surface_count(compiled), e->meshes);
    assert_int_equal(sn_model_clip_count(compiled), e->clips);
    assert_int_equal(sn_model_surface(compiled, 0)->mesh->vertex_count, e->vertices);
    assert_true(sn_model_surface(compiled, 0)->linear_skinning);
    assert_true(sn_model_bytes(compiled) > 0);
    snt_ok(sn_frame_create(compiled, &frame, error));
    for (uint32_t i = 0; i < e->clips; ++i) {
        sn_motion *motion;
        snt_ok(sn_motion_open(compiled, sn_model_clip_name(compiled, i), &motion, error));
        snt_ok(sn_frame_evaluate(frame, motion, sn_motion_frame_count(motion) / 2, error));
        for (uint32_t v = 0; v < 3 * e->vertices; ++v) {
            assert_true(isfinite(sn_frame_points(frame, 0)[v]));
        }
        sn_motion_destroy(motion);
    }
    sn_frame_destroy(frame);
    sn_model_destroy(compiled);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void reads_the_human(void **state) {
    (void)state;
    try_real_file(&(expected){"human/human.glb", 163, 1, 13380, 0});
}

static void reads_the_fox(void **state) {
    (void)state;
    try_real_file(&(expected){"gltf/Fox.glb", 25, 1, 1728, 3});
}

static void reads_cesium_man(void **state) {
    (void)state;
    try_real_file(&(expected){"gltf/CesiumMan.glb", 21, 1, 3273, 1});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_the_file_says),
        cmocka_unit_test(takes_a_plain_mesh),
        cmocka_unit_test(leaves_room_for_cubic_curves),
        cmocka_unit_test(deep_skeletons_take_linear_time),
        cmocka_unit_test(survives_running_out_of_memory),
        cmocka_unit_test(reads_the_human),
        cmocka_unit_test(reads_the_fox),
        cmocka_unit_test(reads_cesium_man),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
