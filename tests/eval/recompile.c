// SPDX-License-Identifier: Apache-2.0
//
// Models that are compiled again after edits: the same bits as new ones, and no more made than the
// edit asks for.
#include "../character/documents.h"

#include "character/blueprint/blueprint.h"
#include "eval/model.h"
#include "sinew/eval.h"

// --- One blueprint for one model (the linker sends calls of the first to the second)

sn_status __real_sni_blueprint_create(sn_context *context, const sn_json *document,
                                      sni_blueprint **blueprint, sn_error *error);
sn_status __wrap_sni_blueprint_create(sn_context *context, const sn_json *document,
                                      sni_blueprint **blueprint, sn_error *error);

static uint32_t blueprint_count;

sn_status __wrap_sni_blueprint_create(sn_context *context, const sn_json *document,
                                      sni_blueprint **blueprint, sn_error *error) {
    ++blueprint_count;
    return __real_sni_blueprint_create(context, document, blueprint, error);
}

// --- Characters

typedef struct subject {
    sn_context *context;
    sn_character *character;
    sn_model *model;
} subject;

static subject open_subject(const char *name, uint32_t threads) {
    char path[256];
    subject s = {.context = snt_context(threads)};
    snprintf(path, sizeof path, "examples/%s/%s.sinew.json", name, name);
    snt_ok(sn_character_load(s.context, snt_source(path), &s.character, error));
    snt_ok(sn_model_create(s.character, NULL, &s.model, error));
    return s;
}

static void end_subject(subject *s) {
    sn_model_destroy(s->model);
    sn_character_destroy(s->character);
    snt_context_end(s->context);
}

static sn_value *find(const subject *s, const char *path) {
    sn_value *value = sn_json_find(sn_character_document(s->character), path);
    if (value == NULL) {
        fail_msg("the document has no %s", path);
    }
    return value;
}

// Takes the edits over. Returns how many things had to be made.
static uint32_t recompile(subject *s) {
    sn_model *model = NULL;
    snt_ok(sn_model_recompile(s->character, s->model, NULL, &model, error));
    uint32_t made = 0;
    for (uint32_t i = 0; i < model->store.capacity; ++i) {
        const sni_made *thing = model->store.slots[i];
        // What the model before has too is held twice.
        made += thing != NULL && atomic_load(&thing->holders) == 1;
    }
    sn_model_destroy(s->model);
    s->model = model;
    return made;
}

static void assert_same_pose(const sn_model *a, const sn_model *b, const char *clip,
                             uint32_t number) {
    const sn_model *models[2] = {a, b};
    sn_frame *frames[2];
    for (int i = 0; i < 2; ++i) {
        sn_motion *motion = NULL;
        snt_ok(sn_frame_create(models[i], &frames[i], error));
        if (clip != NULL) {
            snt_ok(sn_motion_open(models[i], clip, &motion, error));
        }
        snt_ok(sn_frame_evaluate(frames[i], motion, number, error));
        sn_motion_destroy(motion);
    }
    for (uint32_t s = 0; s < a->surface_count; ++s) {
        assert_memory_equal(sn_frame_points(frames[0], s), sn_frame_points(frames[1], s),
                            12 * (size_t)a->surfaces[s].mesh->vertex_count);
    }
    sn_frame_destroy(frames[0]);
    sn_frame_destroy(frames[1]);
}

static void assert_same_model(const sn_model *a, const sn_model *b) {
    assert_int_equal(a->surface_count, b->surface_count);
    assert_int_equal(a->state_bytes, b->state_bytes);
    assert_int_equal(sn_model_bytes(a), sn_model_bytes(b));
    for (uint32_t i = 0; i < a->surface_count; ++i) {
        const sn_mesh *x = a->surfaces[i].mesh, *y = b->surfaces[i].mesh;
        assert_string_equal(a->surfaces[i].name, b->surfaces[i].name);
        assert_string_equal(x->name, y->name);
        assert_int_equal(a->surfaces[i].linear_skinning, b->surfaces[i].linear_skinning);
        assert_int_equal(x->vertex_count, y->vertex_count);
        assert_int_equal(x->corner_count, y->corner_count);
        assert_memory_equal(x->positions, y->positions, 12 * (size_t)x->vertex_count);
        assert_memory_equal(x->corners, y->corners, 4 * (size_t)x->corner_count);
    }
    assert_same_pose(a, b, NULL, 0);
    if (sn_model_clip_count(a) > 0) {
        assert_same_pose(a, b, sn_model_clip_name(a, 0), 7);
    }
}

static void assert_as_new(const subject *s) {
    sn_model *fresh = NULL;
    snt_ok(sn_model_create(s->character, NULL, &fresh, error));
    assert_same_model(s->model, fresh);
    sn_model_destroy(fresh);
}

// --- Tests

static void one_model_has_one_blueprint(void **state) {
    (void)state;
    static const char *const names[] = {"arm", "cloth"};
    for (int i = 0; i < 2; ++i) {
        subject s = open_subject(names[i], 1);
        sn_model *model = NULL;
        blueprint_count = 0;
        snt_ok(sn_model_create(s.character, NULL, &model, error));
        assert_int_equal(blueprint_count, 1);
        sn_model_destroy(model);
        end_subject(&s);
    }
}

static void nothing_is_made_where_nothing_has_changed(void **state) {
    (void)state;
    static const char *const names[] = {"arm", "cloth", "rex", "thighs", "monkey"};
    for (int i = 0; i < 5; ++i) {
        subject s = open_subject(names[i], 2);
        assert_int_equal(recompile(&s), 0);
        // What it shares stays when the model before is gone.
        assert_same_pose(s.model, s.model, NULL, 0);
        end_subject(&s);
    }
}

// A clip, what a document says about itself, a control and a name change nothing that is made.
static void edits_of_words_and_motions_make_nothing(void **state) {
    (void)state;
    subject s = open_subject("monkey", 2);
    sn_json *json = sn_character_document(s.character);
    sn_json_add_string(json, sn_json_root(json), "about", "A monkey that was edited");
    assert_int_equal(recompile(&s), 0);
    sn_value *clip = (sn_value *)sn_value_at(find(&s, "/clips"), 0);
    sn_value *keys = (sn_value *)sn_value_get(sn_value_at(sn_value_get(clip, "tracks"), 0), "keys");
    ((sn_value *)sn_value_at(sn_value_at(keys, 0), 1))->as.number += 0.01;
    assert_int_equal(recompile(&s), 0);
    sn_value *muscle = (sn_value *)sn_value_at(find(&s, "/muscles"), 0);
    assert_non_null(sn_json_rename(json, muscle, "another.L"));
    // It and its mirror image are made anew, since their messages have their names; what hangs on
    // them is not.
    sn_model *renamed = NULL;
    snt_ok(sn_model_recompile(s.character, s.model, NULL, &renamed, error));
    for (uint32_t i = 0; i < renamed->surface_count; ++i) {
        for (uint32_t k = 0; k < renamed->bound[i].deformer_count; ++k) {
            assert_ptr_equal(renamed->bound[i].deformers[k].binding,
                             s.model->bound[i].deformers[k].binding);
        }
    }
    sn_model_destroy(s.model);
    s.model = renamed;
    assert_as_new(&s);
    end_subject(&s);
}

// A mesh that is extracted has its new name at once, and another one of the same settings its own.
static void renamed_extractions_have_their_new_names(void **state) {
    (void)state;
    static const char text[] =
        "{'sinew': 1, 'name': 'ball', 'skeleton': {'root': {}},\n"
        "'bones': {'ball': {'ellipsoid': {'center': [0, 0, 0], 'radii': [0.1, 0.1, 0.1]},\n"
        "'segment': 'root'}},\n"
        "'meshes': {'hide': {'extract': {'dimension': 40}},\n"
        "'coat': {'extract': {'dimension': 40}}},\n"
        "'skins': {'first': {'mesh': 'hide', 'deformers': [{'kind': 'membrane'}]},\n"
        "'second': {'mesh': 'coat', 'deformers': [{'kind': 'membrane'}]}}}";
    subject s = {.context = snt_context(1)};
    snt_ok(parse_quoted(s.context, "ball.sinew.json", text, &s.character, error));
    snt_ok(sn_model_create(s.character, NULL, &s.model, error));
    sn_json *json = sn_character_document(s.character);
    assert_non_null(sn_json_rename(json, find(&s, "/meshes/hide"), "fur"));
    sn_json_add_string(json, find(&s, "/skins/first"), "mesh", "fur");
    recompile(&s);
    assert_string_equal(s.model->surfaces[1].mesh->name, "fur");
    assert_string_equal(s.model->surfaces[2].mesh->name, "coat");
    assert_as_new(&s);
    end_subject(&s);
}

// --- Random edits

typedef struct numbers {
    uint32_t count;
    sn_value *values[40000];
} numbers;

static void collect(numbers *n, sn_value *value) {
    if (value->type == SN_JSON_NUMBER && n->count < 40000) {
        n->values[n->count++] = value;
    }
    for (uint32_t i = 0; i < sn_value_count(value); ++i) {
        collect(n, (sn_value *)sn_value_at(value, i));
    }
}

// Changes one number by up to a tenth; whole numbers by one.
static void edit_number(sn_value *value, snt_random *random) {
    double x = value->as.number;
    bool whole = x == (double)(int64_t)x && x != 0;
    value->as.number = whole ? x + 1 : x + 0.1 * snt_random_range(random, -1, 1) * (x != 0 ? x : 1);
}

// What cannot be compiled again cannot be compiled anew either, for the same reason.
static bool try_edit(subject *s) {
    sn_error error = {0}, anew = {0};
    sn_model *model = NULL;
    if (sn_model_recompile(s->character, s->model, NULL, &model, &error) == SN_OK) {
        sn_model_destroy(s->model);
        s->model = model;
        return true;
    }
    assert_null(model);
    assert_int_not_equal(sn_model_create(s->character, NULL, &model, &anew), SN_OK);
    assert_string_equal(error.message, anew.message);
    return false;
}

static void edit_at_random(const char *name, uint32_t edit_count, uint32_t compare_every,
                           uint64_t seed) {
    static numbers n;
    subject s = open_subject(name, 2);
    snt_random random = {seed};
    uint32_t taken = 0;
    n.count = 0;
    collect(&n, sn_json_root(sn_character_document(s.character)));
    for (uint32_t i = 0; i < edit_count; ++i) {
        sn_value *value = n.values[(uint32_t)snt_random_range(&random, 1, n.count)];
        double before = value->as.number;
        edit_number(value, &random);
        if (!try_edit(&s)) {
            value->as.number = before;
        } else if (++taken % compare_every == 0) {
            char path[512];
            sn_value_path(value, path, sizeof path);
            print_message("%s: %s from %g to %g\n", name, path, before, value->as.number);
            assert_as_new(&s);
        }
    }
    assert_as_new(&s);
    end_subject(&s);
}

static void random_edits_give_the_bits_of_new_models(void **state) {
    (void)state;
    edit_at_random("arm", 40, 2, 1);
    edit_at_random("cloth", 20, 2, 2);
    edit_at_random("rex", 12, 3, 3);
    edit_at_random("thighs", 20, 2, 4);
}

static void random_edits_of_bodies_give_the_bits_of_new_models(void **state) {
    (void)state;
    if (!snt_thorough()) { // new bodies take seconds
        edit_at_random("monkey", 1, 1, 5);
        return;
    }
    edit_at_random("monkey", 3, 3, 5);
    edit_at_random("human", 1, 1, 6);
}

// Models outlive each other in any order, and are evaluated while others are made of them.
static void models_outlive_each_other(void **state) {
    (void)state;
    subject s = open_subject("arm", 2);
    sn_model *second = NULL, *third = NULL;
    sn_value *number = find(&s, "/muscles");
    number = (sn_value *)sn_value_at(number, 0);
    sn_json_add_number(sn_character_document(s.character), number, "muscle_thickness", 0.011);
    snt_ok(sn_model_recompile(s.character, s.model, NULL, &second, error));
    snt_ok(sn_model_recompile(s.character, s.model, NULL, &third, error));
    sn_model_destroy(s.model);
    s.model = NULL;
    assert_same_model(second, third);
    sn_model_destroy(second);
    assert_same_model(third, third);
    sn_model_destroy(third);
    end_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_model_has_one_blueprint),
        cmocka_unit_test(nothing_is_made_where_nothing_has_changed),
        cmocka_unit_test(edits_of_words_and_motions_make_nothing),
        cmocka_unit_test(renamed_extractions_have_their_new_names),
        cmocka_unit_test(models_outlive_each_other),
        cmocka_unit_test(random_edits_give_the_bits_of_new_models),
        cmocka_unit_test(random_edits_of_bodies_give_the_bits_of_new_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
