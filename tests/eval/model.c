// SPDX-License-Identifier: Apache-2.0
//
// Compiling characters.
#include "toy.h"

#include <sys/stat.h>

static void describes_its_surfaces(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_ALL);
    assert_string_equal(sn_model_name(t.model), "toy");
    assert_ptr_equal(sn_model_context(t.model), t.context);
    assert_int_equal(sn_model_surface_count(t.model), 5);
    static const char *const names[] = {"stick", "tip", "coat", "body", "twist"};
    static const bool linear[] = {true, true, false, true, false};
    for (uint32_t i = 0; i < 5; ++i) {
        const sn_surface *s = sn_model_surface(t.model, i);
        assert_string_equal(s->name, names[i]);
        assert_int_equal(s->layer, i < 2 ? SN_LAYER_BONE : SN_LAYER_SKIN);
        assert_int_equal(s->linear_skinning, linear[i]);
        assert_int_equal(s->segment, i < 2 ? 1 + i : SN_NONE);
        assert_int_equal(s->in_segment_frame, i == 1);
        assert_true(s->shown);
        assert_int_equal(s->bone_segments != NULL, i >= 3);
        assert_int_equal(s->target_controls != NULL, i == 2 || i == 3);
    }
    const sn_surface *body = sn_model_surface(t.model, 3);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(body->bone_segments[i], i);
    }
    assert_int_equal(body->target_controls[0], 0);
    assert_int_equal(body->target_controls[1], 1);
    assert_int_equal(sn_model_control_count(t.model), 4);
    assert_string_equal(sn_model_control_name(t.model, 2), "curl");
    assert_int_equal(sn_model_clip_count(t.model), 1);
    assert_string_equal(sn_model_clip_name(t.model, 0), "move");
    assert_int_equal(sn_model_skeleton(t.model)->segment_count, 3);
    assert_true(sn_model_rest_worlds(t.model)[2].m[13] == 2);
    assert_true(sn_model_bytes(t.model) > TOY_VERTICES);
    toy_end(&t);
}

static void knows_what_linear_skinning_can_say(void **state) {
    (void)state;
    static const struct {
        const char *skin;
        bool linear;
    } cases[] = {
        {"'x': {'mesh': 'body'}", true},
        {"'x': {'mesh': 'body', 'segment': 'root'}", true},
        {"'x': {'mesh': 'body', 'segment': 'root', 'frame': 'segment',"
         "'deformers': [{'kind': 'morph'}]}",
         true},
        {"'x': {'mesh': 'body', 'deformers': [{'kind': 'morph'}]}", true},
        {"'x': {'mesh': 'body', 'deformers': [{'kind': 'blend'}, {'kind': 'morph'}]}", false},
        {"'x': {'mesh': 'body', 'deformers': [{'kind': 'morph'}, {'kind': 'morph'}]}", false},
        {"'x': {'mesh': 'body', 'deformers': [{'kind': 'blend'}, {'kind': 'blend'}]}", false},
        {"'x': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'envelope': 0.5}]}", false},
        {"'x': {'mesh': 'body', 'segment': 'root', 'deformers': [{'kind': 'blend'}]}", false},
    };
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_character *character = toy_with(context, cases[i].skin);
        sn_model *model;
        snt_ok(sn_model_create(character, NULL, &model, error));
        const sn_surface *s = sn_model_surface(model, surface_of(model, "x"));
        if (s->linear_skinning != cases[i].linear) {
            fail_msg("%s", cases[i].skin);
        }
        sn_model_destroy(model);
        sn_character_destroy(character);
    }
    snt_context_end(context);
}

static void maps_names_of_bones_and_targets(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = toy_with(
        context, "'x': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'targets': {'smile':\n"
                 "'curl'}}, {'kind': 'blend', 'bones': {'upper': 'lower', 'lower': 'upper'}}]}");
    sn_model *model;
    snt_ok(sn_model_create(character, NULL, &model, error));
    const sn_surface *s = sn_model_surface(model, 2);
    assert_int_equal(s->target_controls[0], 2);
    assert_int_equal(s->target_controls[1], 1);
    assert_int_equal(s->bone_segments[0], 0);
    assert_int_equal(s->bone_segments[1], 2);
    assert_int_equal(s->bone_segments[2], 1);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void fails_with(const char *skin, const char *message) {
    sn_context *context = snt_context(1);
    sn_character *character = toy_with(context, skin);
    sn_model *model;
    snt_fails(SN_INVALID, message, sn_model_create(character, NULL, &model, error));
    assert_null(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void refuses_names_that_the_mesh_does_not_have(void **state) {
    (void)state;
    fails_with(
        "'x': {'mesh': 'body', 'deformers': [\n{'kind': 'blend', 'bones': {'uper': 'root'}}]}",
        "toy.sinew.json:8: /skins/x/deformers/0/bones/uper: the mesh \"body\" has no bone "
        "\"uper\"; did you mean \"upper\"?");
    fails_with(
        "'x': {'mesh': 'body', 'deformers': [\n{'kind': 'morph', 'targets': {'Smle': "
        "'smile'}}]}",
        "toy.sinew.json:8: /skins/x/deformers/0/targets/Smle: the mesh \"body\" has no morph "
        "target \"Smle\"; did you mean \"smile\"?");
}

static void names_bones_without_segment(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    snt_ok(
        parse_quoted(context, "a.sinew.json",
                     "{'sinew': 1, 'name': 'a', 'skeleton': {'root': {}},\n'meshes': {'m': {}},\n"
                     "'skins': {'m': {'mesh': 'm', 'deformers': [{'kind': 'blend'}]}}}",
                     &character, error));
    sn_mesh *mesh = toy_tube(context, "arm", 1);
    toy_weigh(mesh);
    snt_ok(sn_character_give_mesh(character, "m", mesh, error));
    sn_model *model;
    snt_fails(SN_INVALID,
              "a.sinew.json:3: /skins/m/deformers/0: the mesh \"arm\" has weights for \"upper\", "
              "which is no segment; say which one it is under \"bones\"",
              sn_model_create(character, NULL, &model, error));
    sn_character_destroy(character);
    snt_context_end(context);
}

static void refuses_a_wrong_mesh_from_memory(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    snt_ok(sn_character_create(context, "a", &character, error));
    sn_mesh *mesh = toy_tube(context, "arm", 1);
    mesh->positions[4] = NAN;
    snt_fails(SN_INVALID, "", sn_character_give_mesh(character, "m", mesh, error));
    sn_character_destroy(character);
    snt_context_end(context);
}

// --- A model is constant

static void is_not_reached_by_edits(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_ALL);
    snt_ok(sn_frame_evaluate(t.frame, t.motion, 77, error));
    uint64_t before = hash_frame(t.frame);
    // Nonsense in every section, none of it checked.
    sn_json *document = sn_character_document(t.character);
    sn_value *root = sn_json_root(document);
    for (uint32_t i = 2; i < sn_value_count(root); ++i) {
        sn_json_add_number(document, root, sn_value_at(root, i)->key, 7);
    }
    sn_motion *again;
    snt_ok(sn_motion_open(t.model, "move", &again, error));
    snt_ok(sn_frame_evaluate(t.frame, again, 77, error));
    assert_true(hash_frame(t.frame) == before);
    sn_motion_destroy(again);
    sn_model *model;
    snt_fails(SN_INVALID, "/skeleton: expected an object, found 7",
              sn_model_create(t.character, NULL, &model, error));
    toy_end(&t);
}

static void finds_its_files_when_the_document_moves(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    mkdir(snt_scratch("a"), 0777);
    mkdir(snt_scratch("b"), 0777);
    write_text(
        snt_scratch("a/walk.bvh"),
        "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n"
        "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n1 0 0\n");
    sn_character *character;
    snt_ok(parse_quoted(context, snt_scratch("a/x.sinew.json"),
                        "{'sinew': 1, 'name': 'x', 'skeleton': {'hips': {}},"
                        "'clips': {'walk': {'file': 'walk.bvh'}}}",
                        &character, error));
    sn_model *model;
    sn_motion *motion;
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_character_save(character, snt_scratch("b/x.sinew.json"), error));
    snt_ok(sn_motion_open(model, "walk", &motion, error));
    assert_int_equal(sn_motion_frame_count(motion), 2);
    sn_motion_destroy(motion);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

// --- Progress and memory

typedef struct watch {
    int calls, stop_at;
    double last;
    char step[64];
} watch;

static bool report(const char *step, double fraction, void *user) {
    watch *w = user;
    if (strcmp(w->step, step) != 0) {
        snprintf(w->step, sizeof w->step, "%s", step);
        w->last = 0;
    }
    assert_true(fraction >= w->last && fraction <= 1);
    w->last = fraction;
    return ++w->calls != w->stop_at;
}

static void can_be_cancelled_anywhere(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = toy_with(context, TOY_ALL);
    sn_status status = SN_CANCELLED;
    int stop_at = 1;
    for (; status == SN_CANCELLED; ++stop_at) {
        watch w = {.stop_at = stop_at};
        sn_progress progress = {.report = report, .user = &w};
        sn_model *model;
        sn_error error = {0};
        status = sn_model_create(character, &progress, &model, &error);
        assert_int_equal(error.status, status);
        assert_int_equal(model != NULL, status == SN_OK);
        sn_model_destroy(model);
    }
    assert_int_equal(status, SN_OK);
    assert_true(stop_at > 10);
    sn_character_destroy(character);
    snt_context_end(context);
}

static sn_mesh *small_tube(sn_context *context, sn_error *error) {
    sn_mesh *mesh = NULL;
    sn_target *target = NULL;
    sn_status status = sn_mesh_create(context, "m", 3, 1, 3, &mesh, error);
    SN_TRY(status);
    for (uint32_t i = 0; i < 9; ++i) {
        mesh->positions[i] = (float)(i * i % 5);
    }
    memcpy(mesh->corners, (uint32_t[]){0, 1, 2}, 12);
    SN_TRY(sn_mesh_set_weights(mesh, 1, 3, false, error));
    SN_TRY(sn_mesh_name_bone(mesh, 0, "s", error));
    for (uint32_t i = 0; i < 3; ++i) {
        mesh->weights->offsets[i] = i;
        mesh->weights->bones[i] = 0;
        mesh->weights->values[i] = 1;
    }
    mesh->weights->offsets[3] = 3;
    SN_TRY(sn_mesh_add_target(mesh, "c", 3, false, &target, error));
    memset(target->offsets, 0, 9 * sizeof(float));
    target->weight = 0;
    return mesh;
cleanup:
    sn_mesh_destroy(mesh);
    return NULL;
}

static sn_status run_out(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_motion *motion = NULL;
    sn_frame *frame = NULL;
    sn_status status = SN_OK;
    SN_TRY(parse_quoted(
        context, "a",
        "{'sinew': 1, 'name': 'a', 'skeleton': {'s': {}}, 'meshes': {'m': {}}, 'bones': {'b': "
        "{'mesh': 'm', 'segment': 's'}}, 'skins': {'x': {'mesh': 'm', 'deformers': [{'kind': "
        "'morph', 'targets': {'c': 'c'}}, {'kind': 'blend', 'method': 'dual_quaternion', 'bones': "
        "{'s': 's'}}]}, 'y': {'mesh': 'm', 'deformers': [{'kind': 'morph', 'driver_mesh': 'x'}]}},"
        "'controls': {'c': {}, 'd': {}}, 'synergies': [{'control': 'c', 'spread': {'s.tx': 1}}],"
        "'drivers': [{'control': 'd', 'parameter': 's.tx'}],"
        "'clips': {'go': {'tracks': {'c': {'keys': [[0, 0], [1, 1]]}}}}}",
        &character, error));
    sn_mesh *mesh = small_tube(context, error);
    SN_TRY(mesh != NULL ? SN_OK : SN_OUT_OF_MEMORY);
    SN_TRY(sn_character_give_mesh(character, "m", mesh, error));
    SN_TRY(sn_model_create(character, NULL, &model, error));
    SN_TRY(sn_motion_open(model, "go", &motion, error));
    SN_TRY(sn_frame_create(model, &frame, error));
    SN_TRY(sn_frame_set(frame, "s.ty", 1, error));
    SN_TRY(sn_frame_set(frame, "s.tz", 1, error));
    SN_TRY(sn_frame_evaluate(frame, motion, 15, error));
cleanup:
    sn_frame_destroy(frame);
    sn_motion_destroy(motion);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static void survives_running_out_of_memory(void **state) {
    (void)state;
    snt_fail_allocations(run_out, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_its_surfaces),
        cmocka_unit_test(knows_what_linear_skinning_can_say),
        cmocka_unit_test(maps_names_of_bones_and_targets),
        cmocka_unit_test(refuses_names_that_the_mesh_does_not_have),
        cmocka_unit_test(names_bones_without_segment),
        cmocka_unit_test(refuses_a_wrong_mesh_from_memory),
        cmocka_unit_test(is_not_reached_by_edits),
        cmocka_unit_test(finds_its_files_when_the_document_moves),
        cmocka_unit_test(can_be_cancelled_anywhere),
        cmocka_unit_test(survives_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
