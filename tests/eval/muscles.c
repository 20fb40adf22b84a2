// SPDX-License-Identifier: Apache-2.0
//
// Muscles in documents: drawn on a skin, contracted by a control, seen by the falloff deformer.
#include "test.h"

#include "sinew/eval.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = 21, VERTICES = SIDE * SIDE };

// A flat skin of 1 m x 1 m in the xy plane that faces +z, on one segment, with a muscle under its
// middle that runs along y.
static const char document[] =
    "{\"sinew\": 1, \"name\": \"sheet\", \"skeleton\": {\"root\": {}},\n"
    "\"meshes\": {\"sheet\": {}},\n"
    "\"skins\": {\"sheet\": {\"mesh\": \"sheet\", \"deformers\": [\n"
    "  {\"kind\": \"blend\"},\n"
    "  {\"kind\": \"falloff\", \"muscles\": [\"m\"], \"d_full\": 0.06, \"d_none\": 0.2}]}},\n"
    "\"muscles\": {\"m\": {\"kind\": \"patch\", \"skin\": \"sheet\", \"contraction\": \"c\",\n"
    "  \"tension\": \"t\", \"skin_thickness\": 0.01, \"muscle_thickness\": 0.04, \"bulge\": 2,\n"
    "  \"curves\": [[[0.4, 0.2, 0], [0.4, 0.8, 0]], [[0.6, 0.2, 0], [0.6, 0.8, 0]]]}},\n"
    "\"controls\": {\"c\": {}, \"t\": {}}}\n";

static sn_mesh *make_sheet(sn_context *context) {
    sn_mesh *mesh = NULL;
    uint32_t faces = (SIDE - 1) * (SIDE - 1);
    snt_ok(sn_mesh_create(context, "sheet", VERTICES, faces, 4 * faces, &mesh, error));
    snt_ok(sn_mesh_set_weights(mesh, 1, VERTICES, false, error));
    snt_ok(sn_mesh_name_bone(mesh, 0, "root", error));
    for (uint32_t v = 0; v < VERTICES; ++v) {
        mesh->positions[3 * v] = (float)(v % SIDE) / (SIDE - 1);
        mesh->positions[3 * v + 1] = (float)(v / SIDE) / (SIDE - 1);
        mesh->positions[3 * v + 2] = 0;
        mesh->weights->offsets[v] = v;
        mesh->weights->bones[v] = 0;
        mesh->weights->values[v] = 1;
    }
    for (uint32_t f = 0; f < faces; ++f) {
        uint32_t v = f / (SIDE - 1) * SIDE + f % (SIDE - 1);
        uint32_t corners[4] = {v, v + 1, v + SIDE + 1, v + SIDE};
        memcpy(mesh->corners + 4 * (size_t)f, corners, sizeof corners);
        mesh->face_offsets[f + 1] = 4 * (f + 1);
    }
    return mesh;
}

typedef struct fixture {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
} fixture;

static void set_up(fixture *f, uint32_t threads) {
    f->context = snt_context(threads);
    snt_ok(sn_character_parse(f->context, "sheet.sinew.json", document, strlen(document),
                              &f->character, error));
    snt_ok(sn_character_give_mesh(f->character, "sheet", make_sheet(f->context), error));
    snt_ok(sn_model_create(f->character, NULL, &f->model, error));
    snt_ok(sn_frame_create(f->model, &f->frame, error));
}

static void tear_down(fixture *f) {
    sn_frame_destroy(f->frame);
    sn_model_destroy(f->model);
    sn_character_destroy(f->character);
    snt_context_end(f->context);
}

static const float *evaluate(fixture *f) {
    snt_ok(sn_frame_evaluate(f->frame, NULL, 0, error));
    return sn_frame_points(f->frame, 0);
}

// The height of the vertex at column x and row y.
static float height(const float *points, uint32_t x, uint32_t y) {
    return points[3 * (y * SIDE + x) + 2];
}

static void are_surfaces_of_the_model(void **state) {
    (void)state;
    fixture f;
    set_up(&f, 1);
    assert_int_equal(sn_model_surface_count(f.model), 2);
    const sn_surface *muscle = sn_model_surface(f.model, 1);
    assert_string_equal(muscle->name, "m");
    assert_int_equal(muscle->layer, SN_LAYER_MUSCLE);
    // The muscle lies below the skin: its top at the skin's thickness, its rim deeper by its own.
    const float *points = sn_frame_points(f.frame, 1);
    double top = -1;
    for (uint32_t v = 0; v < muscle->mesh->vertex_count; ++v) {
        assert_true(points[3 * (size_t)v + 2] > -0.0501f && points[3 * (size_t)v + 2] < -0.0099f);
        top = points[3 * (size_t)v + 2] > top ? points[3 * (size_t)v + 2] : top;
    }
    assert_true(top > -0.03);
    tear_down(&f);
}

static void a_relaxed_muscle_adds_nothing(void **state) {
    (void)state;
    fixture f;
    set_up(&f, 1);
    sn_mesh *rest = make_sheet(f.context);
    assert_memory_equal(evaluate(&f), rest->positions, 3 * sizeof(float) * VERTICES);
    // Nor in a pose: all points move by the segment alone.
    snt_ok(sn_frame_set(f.frame, "root.tz", 0.5, error));
    const float *points = evaluate(&f);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        assert_true(points[3 * v] == rest->positions[3 * v] && points[3 * v + 2] == 0.5f);
    }
    sn_mesh_destroy(rest);
    tear_down(&f);
}

// A skin that follows relaxed muscles and one that follows none have the same bits in any pose.
static void a_relaxed_muscle_adds_nothing_in_any_pose(void **state) {
    (void)state;
    static const char *const parameters[] = {"root.rx", "root.ry", "root.rz", "root.tx"};
    fixture with, without;
    set_up(&with, 2);
    set_up(&without, 2);
    sn_json *json = sn_character_document(without.character);
    sn_json_remove(sn_json_find(json, "/skins/sheet/deformers/1"));
    sn_frame_destroy(without.frame);
    sn_model_destroy(without.model);
    snt_ok(sn_model_create(without.character, NULL, &without.model, error));
    snt_ok(sn_frame_create(without.model, &without.frame, error));
    snt_random random = {5};
    for (int round = 0; round < 20; ++round) {
        for (int k = 0; k < 4; ++k) {
            double value = snt_random_range(&random, -3, 3);
            snt_ok(sn_frame_set(with.frame, parameters[k], value, error));
            snt_ok(sn_frame_set(without.frame, parameters[k], value, error));
        }
        assert_memory_equal(evaluate(&with), evaluate(&without), 3 * sizeof(float) * VERTICES);
    }
    tear_down(&with);
    tear_down(&without);
}

static void a_contracted_muscle_bulges_and_pulls(void **state) {
    (void)state;
    fixture f;
    set_up(&f, 1);
    snt_ok(sn_frame_set(f.frame, "c", 0.3, error));
    const float *points = evaluate(&f);
    // It shortens towards its origin at y = 0.2, so that the skin over the belly rises and the skin
    // over the insertion is drawn towards the origin; what is far away stays.
    assert_true(height(points, SIDE / 2, 9) > 0.005f);
    assert_true(points[3 * (16 * SIDE + SIDE / 2) + 1] < 16.0f / (SIDE - 1) - 0.02f);
    assert_true(height(points, 0, 10) == 0 && height(points, SIDE - 1, 10) == 0);
    // Mirrored about the middle column.
    for (uint32_t x = 0; x < SIDE / 2; ++x) {
        snt_near(height(points, x, 10), height(points, SIDE - 1 - x, 10), 1e-5);
    }
    // More tension alone bulges without drawing the skin along.
    snt_ok(sn_frame_set(f.frame, "c", 0, error));
    snt_ok(sn_frame_set(f.frame, "t", 1, error));
    points = evaluate(&f);
    assert_true(height(points, SIDE / 2, SIDE / 2) > 0.02f);
    snt_near(points[3 * (16 * SIDE + SIDE / 2) + 1], 16.0 / (SIDE - 1), 1e-6);
    tear_down(&f);
}

// Weights that no deformer uses carry nothing, so the muscle stays with its skin.
static void weights_that_nothing_uses_do_not_count(void **state) {
    (void)state;
    fixture f;
    set_up(&f, 1);
    sn_json_remove(sn_json_find(sn_character_document(f.character), "/skins/sheet/deformers/0"));
    sn_frame_destroy(f.frame);
    sn_model_destroy(f.model);
    snt_ok(sn_model_create(f.character, NULL, &f.model, error));
    snt_ok(sn_frame_create(f.model, &f.frame, error));
    snt_ok(sn_frame_set(f.frame, "c", 0.3, error));
    snt_ok(sn_frame_set(f.frame, "root.tz", 0.5, error));
    assert_true(height(evaluate(&f), SIDE / 2, 9) > 0.005f);
    assert_true(height(evaluate(&f), SIDE / 2, 9) < 0.2f);
    tear_down(&f);
}

static void gives_the_same_bits_for_any_threads(void **state) {
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 8, 32};
    float first[3 * VERTICES];
    for (int i = 0; i < 5; ++i) {
        fixture f;
        set_up(&f, threads[i]);
        snt_ok(sn_frame_set(f.frame, "c", 0.4, error));
        snt_ok(sn_frame_set(f.frame, "root.rx", 0.7, error));
        const float *points = evaluate(&f);
        if (i == 0) {
            memcpy(first, points, sizeof first);
        }
        assert_memory_equal(points, first, sizeof first);
        tear_down(&f);
    }
}

static void points_away_from_the_skin_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    sn_model *model = NULL;
    char text[sizeof document];
    memcpy(text, document, sizeof text);
    memcpy(strstr(text, "[0.4, 0.8, 0]"), "[0.4, 0.8, 9]", 13);
    snt_ok(sn_character_parse(context, "sheet.sinew.json", text, strlen(text), &character, error));
    snt_ok(sn_character_give_mesh(character, "sheet", make_sheet(context), error));
    snt_fails(SN_INVALID,
              "sheet.sinew.json:8: /muscles/m/curves/0/1: the point is 9 m away from the skin",
              sn_model_create(character, NULL, &model, error));
    sn_character_destroy(character);
    snt_context_end(context);
}

// The same skin with what its muscle lies on: a plate 0.1 m below it, in the frame of its segment;
// or the limbs, 0.2 m below it.
static const char layered[] =
    "{\"sinew\": 1, \"name\": \"sheet\", \"skeleton\": {\n"
    "  \"root\": {\"translation\": [0, 0.5, -0.2]},\n"
    "  \"tip\": {\"parent\": \"root\", \"translation\": [1, 0, 0]}},\n"
    "\"meshes\": {\"sheet\": {}, \"plate\": {}},\n"
    "\"bones\": {\"plate\": {\"mesh\": \"plate\", \"segment\": \"root\", \"frame\": "
    "\"segment\"}},\n"
    "\"skins\": {\"sheet\": {\"mesh\": \"sheet\"}},\n"
    "\"muscles\": {\"m\": {\"kind\": \"patch\", \"skin\": \"sheet\", \"depth_from\": \"%s\",\n"
    "  \"skin_thickness\": 0.01, \"muscle_thickness\": 1, \"bone_share\": 0.25,\n"
    "  \"curves\": [[[0.4, 0.2, 0], [0.4, 0.8, 0]], [[0.6, 0.2, 0], [0.6, 0.8, 0]]]}}}\n";

static sn_character *make_layered(sn_context *context, const char *depth_from, double plate_x) {
    char text[sizeof layered + 64];
    sn_character *character = NULL;
    snprintf(text, sizeof text, layered, depth_from);
    snt_ok(sn_character_parse(context, "s.sinew.json", text, strlen(text), &character, error));
    sn_mesh *plate = make_sheet(context);
    for (uint32_t v = 0; v < VERTICES; ++v) { // at z = -0.1 of the world
        plate->positions[3 * v] += (float)plate_x;
        plate->positions[3 * v + 1] -= 0.5f;
        plate->positions[3 * v + 2] += 0.1f;
    }
    snt_ok(sn_character_give_mesh(character, "sheet", make_sheet(context), error));
    snt_ok(sn_character_give_mesh(character, "plate", plate, error));
    return character;
}

static void depth_comes_from_what_lies_below(void **state) {
    (void)state;
    static const struct {
        const char *from;
        double low; // of the muscle
    } cases[] = {{"plate", -0.1}, {"skeleton", -0.15}};
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    sn_model *model = NULL;
    for (int i = 0; i < 2; ++i) {
        character = make_layered(context, cases[i].from, 0);
        snt_ok(sn_model_create(character, NULL, &model, error));
        const sn_mesh *muscle = sn_model_surface(model, 2)->mesh;
        double low = 0, high = -1;
        for (uint32_t v = 0; v < muscle->vertex_count; ++v) {
            double z = muscle->positions[3 * (size_t)v + 2];
            low = z < low ? z : low;
            high = z > high ? z : high;
        }
        snt_near(low, cases[i].low, 1e-6);
        assert_true(high > cases[i].low / 2 && high < -0.01 + 1e-6);
        sn_model_destroy(model);
        sn_character_destroy(character);
    }
    character = make_layered(context, "plate", 3);
    snt_fails(SN_INVALID, "s.sinew.json:7: /muscles/m: m: nothing of \"plate\" lies below it",
              sn_model_create(character, NULL, &model, error));
    sn_character_destroy(character);
    snt_context_end(context);
}

// The sheet with a muscle left of its middle and its mirror image, in one falloff or in two.
static void set_up_pair(fixture *f, bool apart) {
    static const char pair[] =
        "{\"sinew\": 1, \"name\": \"sheet\", \"skeleton\": {\"root\": {}},\n"
        "\"meshes\": {\"sheet\": {}},\n"
        "\"skins\": {\"sheet\": {\"mesh\": \"sheet\", \"deformers\": [{\"kind\": \"blend\"}]}}}\n";
    static const char keys[] = "{\"muscle_thickness\": 0.03, \"curves\": "
                               "[[[0.2, 0.2, 0], [0.3, 0.8, 0]], [[0.4, 0.2, 0], [0.45, 0.7, 0]]]}";
    sn_json *drawn;
    f->context = snt_context(1);
    snt_ok(sn_character_parse(f->context, "s.json", pair, strlen(pair), &f->character, error));
    snt_ok(sn_character_give_mesh(f->character, "sheet", make_sheet(f->context), error));
    snt_ok(sn_json_parse(f->context, keys, strlen(keys), &drawn, error));
    snt_ok(sn_character_add_muscle(f->character, "m.L", sn_json_root(drawn), error));
    sn_json_destroy(drawn);
    snt_ok(sn_character_mirror_muscle(f->character, "m.L", NULL, 0, 0.5, error));
    sn_json *json = sn_character_document(f->character);
    sn_value *names = sn_json_find(json, "/skins/sheet/deformers/1/muscles");
    assert_int_equal(sn_value_count(names), 2);
    if (apart) {
        sn_value *list = sn_json_find(json, "/skins/sheet/deformers");
        sn_value *copy = sn_json_add_copy(json, list, NULL, sn_value_at(list, 1));
        sn_json_remove((sn_value *)sn_value_at(names, 1));
        sn_json_remove((sn_value *)sn_value_at(sn_value_get(copy, "muscles"), 0));
    }
    snt_ok(sn_model_create(f->character, NULL, &f->model, error));
    snt_ok(sn_frame_create(f->model, &f->frame, error));
    snt_ok(sn_frame_set(f->frame, "m.L", 0.4, error));
    snt_ok(sn_frame_set(f->frame, "m.R", 0.4, error));
}

static void mirrored_muscles_give_mirrored_skins(void **state) {
    (void)state;
    fixture one, two;
    set_up_pair(&one, false);
    set_up_pair(&two, true);
    const float *p = evaluate(&one), *q = evaluate(&two);
    float highest = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        uint32_t image = v / SIDE * SIDE + SIDE - 1 - v % SIDE;
        snt_near(p[3 * v] + p[3 * image], 1, 1e-5);
        snt_near(p[3 * v + 1], p[3 * image + 1], 1e-5);
        snt_near(p[3 * v + 2], p[3 * image + 2], 1e-5);
        highest = p[3 * v + 2] > highest ? p[3 * v + 2] : highest;
        // Falloffs add: one or two are the same.
        snt_near(p[3 * v], q[3 * v], 1e-6);
        snt_near(p[3 * v + 2], q[3 * v + 2], 1e-6);
    }
    assert_true(highest > 0.005f);
    tear_down(&one);
    tear_down(&two);
}

// Weights that no deformer uses still carry muscles, by the names of their bones.
static void bones_without_segments_are_named(void **state) {
    (void)state;
    static const char format[] =
        "{\"sinew\": 1, \"name\": \"sheet\", \"skeleton\": {\"%s\": {}},\n"
        "\"meshes\": {\"sheet\": {}}, \"skins\": {\"sheet\": {\"mesh\": \"sheet\"}},\n"
        "\"muscles\": {\"m\": {\"kind\": \"patch\", \"skin\": \"sheet\", \"curves\":\n"
        "  [[[0.4, 0.2, 0], [0.4, 0.8, 0]], [[0.6, 0.2, 0], [0.6, 0.8, 0]]]}}}\n";
    static const char *const roots[] = {"root", "trunk"};
    for (int i = 0; i < 2; ++i) {
        char text[sizeof format + 16];
        fixture f = {.context = snt_context(1)};
        snprintf(text, sizeof text, format, roots[i]);
        snt_ok(sn_character_parse(f.context, "s.json", text, strlen(text), &f.character, error));
        snt_ok(sn_character_give_mesh(f.character, "sheet", make_sheet(f.context), error));
        if (i == 0) {
            snt_ok(sn_model_create(f.character, NULL, &f.model, error));
        } else {
            snt_fails(
                SN_INVALID,
                "s.json:3: /muscles/m: the skin has weights for \"root\", which is no segment; "
                "say which \"segment\" carries the muscle",
                sn_model_create(f.character, NULL, &f.model, error));
        }
        tear_down(&f);
    }
}

// The document of docs/falloff.md: the plane rises over the contracted muscle and nowhere else.
static void the_plane_of_the_docs_rises(void **state) {
    (void)state;
    fixture f = {.context = snt_context(2)};
    snt_ok(sn_character_load(f.context, snt_source("docs/plane.sinew.json"), &f.character, error));
    snt_ok(sn_model_create(f.character, NULL, &f.model, error));
    snt_ok(sn_frame_create(f.model, &f.frame, error));
    snt_ok(sn_frame_set(f.frame, "contraction", 0.5, error));
    const float *points = evaluate(&f), *rest = sn_model_surface(f.model, 0)->mesh->positions;
    double highest = 0;
    for (uint32_t v = 0; v < sn_model_surface(f.model, 0)->mesh->vertex_count; ++v) {
        const float *p = points + 3 * (size_t)v, *r = rest + 3 * (size_t)v;
        highest = p[1] > highest ? p[1] : highest;
        assert_true(p[1] > -1e-3f);
        assert_true(fabsf(r[2]) < 0.11f || memcmp(p, r, 12) == 0);
    }
    assert_true(highest > 0.01);
    tear_down(&f);
}

// ---------------------------------------------------------------------------------------------
// Editing

// Two muscles that overlap, on a skin and on a copy of it that follows without having been drawn
// on.
static const char two_muscles[] =
    "{\"sinew\": 1, \"name\": \"sheet\", \"skeleton\": {\"root\": {}},\n"
    "\"meshes\": {\"sheet\": {}},\n"
    "\"skins\": {\"sheet\": {\"mesh\": \"sheet\", \"deformers\": [{\"kind\": \"blend\"},\n"
    "  {\"kind\": \"falloff\", \"muscles\": [\"a\", \"b\"], \"d_full\": 0.06, \"d_none\": 0.2}]},\n"
    " \"copy\": {\"mesh\": \"sheet\", \"deformers\": [{\"kind\": \"falloff\",\n"
    "  \"muscles\": [\"b\", \"a\"], \"d_full\": 0.03, \"d_none\": 0.3}]}},\n"
    "\"muscles\": {\"a\": {\"kind\": \"patch\", \"skin\": \"sheet\", \"contraction\": \"c\",\n"
    "  \"skin_thickness\": 0.01, \"muscle_thickness\": 0.04,\n"
    "  \"curves\": [[[0.4, 0.2, 0], [0.4, 0.8, 0]], [[0.6, 0.2, 0], [0.6, 0.8, 0]]]},\n"
    " \"b\": {\"kind\": \"patch\", \"skin\": \"sheet\", \"contraction\": \"t\",\n"
    "  \"skin_thickness\": 0.01, \"muscle_thickness\": 0.03,\n"
    "  \"curves\": [[[0.2, 0.3, 0], [0.7, 0.3, 0]], [[0.2, 0.5, 0], [0.7, 0.5, 0]]]}},\n"
    "\"controls\": {\"c\": {}, \"t\": {}}}\n";

static void set_up_two(fixture *f) {
    f->context = snt_context(2);
    snt_ok(sn_character_parse(f->context, "two.sinew.json", two_muscles, strlen(two_muscles),
                              &f->character, error));
    snt_ok(sn_character_give_mesh(f->character, "sheet", make_sheet(f->context), error));
    snt_ok(sn_model_create(f->character, NULL, &f->model, error));
    snt_ok(sn_frame_create(f->model, &f->frame, error));
}

static void set_number(fixture *f, const char *path, double number) {
    sn_value *value = sn_json_find(sn_character_document(f->character), path);
    assert_non_null(value);
    value->as.number = number;
}

// All surfaces of a contracted frame.
static void check_same(fixture *f, sn_frame *frame) {
    sn_model *model;
    sn_frame *fresh;
    snt_ok(sn_model_create(f->character, NULL, &model, error));
    snt_ok(sn_frame_create(model, &fresh, error));
    sn_frame *frames[2] = {frame, fresh};
    for (int k = 0; k < 2; ++k) {
        snt_ok(sn_frame_set(frames[k], "c", 0.3, error));
        snt_ok(sn_frame_set(frames[k], "t", 0.5, error));
        snt_ok(sn_frame_evaluate(frames[k], NULL, 0, error));
    }
    assert_int_equal(sn_model_bytes(model), sn_model_bytes(f->model));
    for (uint32_t s = 0; s < sn_model_surface_count(model); ++s) {
        const sn_mesh *mesh = sn_model_surface(model, s)->mesh;
        assert_int_equal(sn_model_surface(f->model, s)->mesh->vertex_count, mesh->vertex_count);
        assert_memory_equal(sn_frame_points(frame, s), sn_frame_points(fresh, s),
                            12 * (size_t)mesh->vertex_count);
    }
    sn_frame_destroy(fresh);
    sn_model_destroy(model);
}

// Takes over an edit of the document into model and frame.
static void recompile(fixture *f) {
    sn_model *model = NULL;
    snt_ok(sn_model_recompile(f->character, f->model, NULL, &model, error));
    sn_frame_destroy(f->frame);
    sn_model_destroy(f->model);
    f->model = model;
    snt_ok(sn_frame_create(model, &f->frame, error));
}

// A recompiled model has the bits of a new one, whatever was edited and however often.
static void a_recompiled_muscle_equals_a_new_model(void **state) {
    (void)state;
    fixture f;
    set_up_two(&f);
    snt_random random = {3};
    for (int k = 0; k < 6; ++k) {
        set_number(&f, "/muscles/a/curves/0/1/0", snt_random_range(&random, 0.1, 0.5));
        set_number(&f, "/muscles/a/curves/1/0/1", snt_random_range(&random, 0.1, 0.4));
        recompile(&f);
        check_same(&f, f.frame);
    }
    set_number(&f, "/muscles/b/curves/0/0/0", 0.1);
    set_number(&f, "/muscles/b/muscle_thickness", 0.02);
    recompile(&f);
    check_same(&f, f.frame);
    tear_down(&f);
}

// More patches: another number of control points and vertices; another control.
static void a_recompiled_muscle_may_change_its_size(void **state) {
    (void)state;
    fixture f;
    set_up_two(&f);
    sn_json *json = sn_character_document(f.character);
    sn_value *a = sn_json_find(json, "/muscles/a");
    sn_json_add_number(json, a, "patches_v", 9);
    sn_json_add_number(json, a, "degree", 2);
    sn_json_add_string(json, a, "contraction", "t");
    recompile(&f);
    check_same(&f, f.frame);
    sn_json_add_number(json, a, "patches_v", 2);
    recompile(&f);
    check_same(&f, f.frame);
    tear_down(&f);
}

static void bad_edits_leave_the_model(void **state) {
    (void)state;
    fixture f;
    set_up_two(&f);
    sn_json *json = sn_character_document(f.character);
    sn_model *model = NULL;
    snt_ok(sn_frame_set(f.frame, "c", 0.3, error));
    snt_ok(sn_frame_evaluate(f.frame, NULL, 0, error));
    float before[3 * VERTICES];
    memcpy(before, sn_frame_points(f.frame, 0), sizeof before);
    set_number(&f, "/muscles/a/curves/0/1/2", 7);
    snt_fails(SN_INVALID, "/muscles/a/curves/0/1: the point is 7 m away from the skin",
              sn_model_recompile(f.character, f.model, NULL, &model, error));
    set_number(&f, "/muscles/a/curves/0/1/2", 0);
    sn_json_add_string(json, sn_json_find(json, "/muscles/a"), "skin", "nowhere");
    snt_fails(SN_INVALID, "nowhere", sn_model_recompile(f.character, f.model, NULL, &model, error));
    sn_json_add_string(json, sn_json_find(json, "/muscles/a"), "skin", "sheet");
    sn_json_add_number(json, sn_json_find(json, "/muscles/a"), "degree", 99);
    snt_fails(SN_INVALID, "degree", sn_model_recompile(f.character, f.model, NULL, &model, error));
    assert_null(model);
    snt_ok(sn_frame_evaluate(f.frame, NULL, 0, error));
    assert_memory_equal(sn_frame_points(f.frame, 0), before, sizeof before);
    tear_down(&f);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_character *character = NULL;
    sn_model *model = NULL, *again = NULL;
    sn_frame *frame = NULL;
    sn_mesh *mesh = NULL, *copy = NULL;
    sn_context *outside = snt_context(1);
    mesh = make_sheet(outside);
    sn_status status =
        sn_character_parse(context, "s.json", document, strlen(document), &character, error);
    if (status == SN_OK) {
        status = sn_mesh_create(context, "sheet", VERTICES, mesh->face_count, mesh->corner_count,
                                &copy, error);
    }
    if (status == SN_OK) {
        memcpy(copy->positions, mesh->positions, 3 * sizeof(float) * VERTICES);
        memcpy(copy->corners, mesh->corners, sizeof(uint32_t) * mesh->corner_count);
        memcpy(copy->face_offsets, mesh->face_offsets,
               sizeof(uint32_t) * ((size_t)mesh->face_count + 1));
        status = sn_mesh_set_weights(copy, 1, VERTICES, false, error);
    }
    if (status == SN_OK) {
        memcpy(copy->weights->offsets, mesh->weights->offsets, sizeof(uint32_t) * (VERTICES + 1));
        memcpy(copy->weights->bones, mesh->weights->bones, sizeof(uint32_t) * VERTICES);
        memcpy(copy->weights->values, mesh->weights->values, sizeof(float) * VERTICES);
        status = sn_mesh_name_bone(copy, 0, "root", error);
    }
    if (status == SN_OK) {
        status = sn_character_give_mesh(character, "sheet", copy, error);
        copy = NULL;
    }
    if (status == SN_OK) {
        status = sn_model_create(character, NULL, &model, error);
    }
    if (status == SN_OK) {
        status = sn_frame_create(model, &frame, error);
    }
    if (status == SN_OK) {
        status = sn_model_recompile(character, model, NULL, &again, error);
    }
    if (status == SN_OK) {
        status = sn_frame_evaluate(frame, NULL, 0, error);
    }
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_model_destroy(again);
    sn_mesh_destroy(copy);
    sn_character_destroy(character);
    sn_mesh_destroy(mesh);
    snt_context_end(outside);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_surfaces_of_the_model),
        cmocka_unit_test(a_relaxed_muscle_adds_nothing),
        cmocka_unit_test(a_relaxed_muscle_adds_nothing_in_any_pose),
        cmocka_unit_test(a_contracted_muscle_bulges_and_pulls),
        cmocka_unit_test(weights_that_nothing_uses_do_not_count),
        cmocka_unit_test(gives_the_same_bits_for_any_threads),
        cmocka_unit_test(points_away_from_the_skin_are_refused),
        cmocka_unit_test(depth_comes_from_what_lies_below),
        cmocka_unit_test(mirrored_muscles_give_mirrored_skins),
        cmocka_unit_test(bones_without_segments_are_named),
        cmocka_unit_test(the_plane_of_the_docs_rises),
        cmocka_unit_test(a_recompiled_muscle_equals_a_new_model),
        cmocka_unit_test(a_recompiled_muscle_may_change_its_size),
        cmocka_unit_test(bad_edits_leave_the_model),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
