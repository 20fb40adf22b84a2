// SPDX-License-Identifier: Apache-2.0
//
// Muscles between bones in documents: attachments in the boxes of bones, pivots, what is refused,
// and what is reported.
#include "../character/documents.h"

#include "sinew/eval.h"

#include <math.h>

// An upper and a lower bone, boxes of 4 cm x 30 cm x 4 cm; the lower one's mesh is in its segment's
// frame.
#define SKELETON                                                                                   \
    "{'sinew': 1, 'name': 'leg', 'skeleton': {'root': {'translation': [0, 1, 0]},\n"               \
    "'upper': {'parent': 'root'}, 'lower': {'parent': 'upper', 'translation': [0, -0.3, 0]}},\n"   \
    "'meshes': {'up': {}, 'low': {}, 'skin': {}},\n"                                               \
    "'bones': {'femur': {'mesh': 'up', 'segment': 'upper'},\n"                                     \
    "'tibia': {'mesh': 'low', 'segment': 'lower', 'frame': 'segment'}},\n"
#define ORIGINS                                                                                    \
    "'origins': [{'bone': 'femur', 'at': [0, 0.9, 1]}, {'bone': 'femur', 'at': [1, 0.9, 1]}],\n"
#define INSERTIONS                                                                                 \
    "'insertions': [{'bone': 'tibia', 'at': [0.25, 0.7, 1]},\n"                                    \
    "{'bone': 'tibia', 'at': [0.75, 0.7, 1]}]"
#define PIVOT "'pivots': [{'slice': 5, 'segment': 'upper', 'at': [0, -0.3, 0.05], 'use': 'bent'}]"
#define MUSCLES "'muscles': {'rectus': {'kind': 'cylinder',\n"

static const char document[] = SKELETON MUSCLES ORIGINS INSERTIONS
    ", " PIVOT ", 'volume': 'exact'},\n"
    "'soleus': {'kind': 'ellipsoid', 'origin': {'bone': 'femur', 'at': [0.5, 0.5, 0]},\n"
    "'insertion': {'bone': 'tibia', 'at': [0.5, 0.5, 0]}}},\n"
    "'clips': {'bend': {'rate': 10, 'tracks': {'lower.rx_deg': {'keys': [[0, 0], [2, 130]]},\n"
    "'root.ty': {'keys': [[0, 0], [2, 1]]}}}}}\n";

// A box around the y axis, as 12 triangles.
static sn_mesh *make_box(sn_context *context, const char *name, double low, double high,
                         double depth) {
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, name, 8, 6, 24, &mesh, error));
    for (uint32_t v = 0; v < 8; ++v) {
        sn_vec3_store(
            sn_vec3_make(v & 1 ? 0.02 : -0.02, v & 2 ? high : low, v & 4 ? depth : -depth),
            mesh->positions + 3 * (size_t)v);
    }
    for (uint32_t f = 0; f < 6; ++f) {
        for (uint32_t c = 0; c < 4; ++c) {
            mesh->corners[4 * f + c] = quads[f][3 - c];
        }
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

static void parse(fixture *f, const char *text, double depth) {
    snt_ok(parse_quoted(f->context, "leg.sinew.json", text, &f->character, error));
    snt_ok(sn_character_give_mesh(f->character, "up", make_box(f->context, "up", 0.7, 1, depth),
                                  error));
    snt_ok(sn_character_give_mesh(f->character, "low", make_box(f->context, "low", -0.3, 0, 0.02),
                                  error));
    snt_ok(sn_character_give_mesh(f->character, "skin", make_box(f->context, "skin", 0, 1, 0.1),
                                  error));
}

static void set_up(fixture *f, uint32_t threads) {
    f->context = snt_context(threads);
    parse(f, document, 0.02);
    snt_ok(sn_model_create(f->character, NULL, &f->model, error));
    snt_ok(sn_frame_create(f->model, &f->frame, error));
}

static void tear_down(fixture *f) {
    sn_frame_destroy(f->frame);
    sn_model_destroy(f->model);
    sn_character_destroy(f->character);
    snt_context_end(f->context);
}

static sn_vec3 at(const float *points, uint32_t vertex) {
    return sn_vec3_load(points + 3 * (size_t)vertex);
}

// Attachments lie where the bones' boxes say, at rest and after the bones have moved.
static void attachments_lie_on_bones(void **state) {
    (void)state;
    fixture f;
    set_up(&f, 1);
    assert_int_equal(sn_model_surface_count(f.model), 4);
    const sn_surface *muscle = sn_model_surface(f.model, 2);
    assert_string_equal(muscle->name, "rectus");
    assert_int_equal(muscle->layer, SN_LAYER_MUSCLE);
    assert_int_equal(muscle->mesh->vertex_count, 66);
    snt_ok(sn_frame_evaluate(f.frame, NULL, 0, error));
    const float *points = sn_frame_points(f.frame, 2);
    // The rest pose is the rest mesh, bit for bit.
    assert_memory_equal(points, muscle->mesh->positions, 3 * 66 * sizeof *points);
    snt_near(sn_vec3_distance(at(points, 2), sn_vec3_make(-0.02, 0.97, 0.02)), 0, 1e-6);
    snt_near(sn_vec3_distance(at(points, 6), sn_vec3_make(0.02, 0.97, 0.02)), 0, 1e-6);
    snt_near(sn_vec3_distance(at(points, 58), sn_vec3_make(-0.01, 0.61, 0.02)), 0, 1e-6);
    assert_true(at(points, 24).z > 0.03); // it stands out in front
    // The knee bent by 90 degrees to the back: the shin points to -z.
    snt_ok(sn_frame_set(f.frame, "lower.rx_deg", 90, error));
    snt_ok(sn_frame_evaluate(f.frame, NULL, 0, error));
    points = sn_frame_points(f.frame, 2);
    snt_near(sn_vec3_distance(at(points, 2), sn_vec3_make(-0.02, 0.97, 0.02)), 0, 1e-6);
    snt_near(sn_vec3_distance(at(points, 58), sn_vec3_make(-0.01, 0.68, -0.09)), 0, 1e-6);
    // Over the pivot, which lies in front of the knee.
    sn_vec3 middle = sn_vec3_lerp(at(points, 40), at(points, 44), 0.5);
    snt_near(sn_vec3_distance(middle, sn_vec3_make(0, 0.7, 0.05)), 0, 1e-6);
    tear_down(&f);
}

// A skin that follows an ellipsoid muscle, 30 cm long, behind the knee.
#define FOLLOWING(more)                                                                            \
    "'skins': {'a': {'mesh': 'skin', 'segment': 'root', 'deformers': [{'kind': 'falloff',\n"       \
    "'muscles': ['soleus'], 'd_full': 0.02, 'd_none': 0.03}]}},\n"                                 \
    "'muscles': {'soleus': {'kind': 'ellipsoid', 'origin': {'bone': 'femur',\n"                    \
    "'at': [0.5, 0.5, 0]}, 'insertion': {'bone': 'tibia', 'at': [0.5, 0.5, 0]}" more "}}}"

// One vertex right behind the middle of the muscle, and two that are out of reach.
static sn_mesh *make_flap(sn_context *context) {
    static const float places[] = {0, 0.7f, -0.06f, 0, 0.7f, -0.2f, 0.01f, 0.7f, -0.2f};
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "skin", 3, 1, 3, &mesh, error));
    memcpy(mesh->positions, places, sizeof places);
    for (uint32_t i = 0; i < 3; ++i) {
        mesh->corners[i] = i;
    }
    mesh->face_offsets[1] = 3;
    return mesh;
}

// Skin moves by what the muscle below it swells: its sections grow by sqrt(length at rest /
// length).
static void skin_follows_a_muscle_that_swells(void **state) {
    (void)state;
    fixture f = {.context = snt_context(1)};
    parse(&f, SKELETON FOLLOWING(""), 0.02);
    snt_ok(sn_character_give_mesh(f.character, "skin", make_flap(f.context), error));
    snt_ok(sn_model_create(f.character, NULL, &f.model, error));
    snt_ok(sn_frame_create(f.model, &f.frame, error));
    const sn_mesh *mesh = sn_model_surface(f.model, 2)->mesh;
    assert_int_equal(mesh->vertex_count, 3);
    snt_ok(sn_frame_evaluate(f.frame, NULL, 0, error));
    assert_memory_equal(sn_frame_points(f.frame, 2), mesh->positions, 9 * sizeof(float));
    snt_ok(sn_frame_set(f.frame, "lower.rx_deg", 90, error));
    snt_ok(sn_frame_evaluate(f.frame, NULL, 0, error));
    // From (0, 0.85, -0.02) to (0, 0.72, -0.15); the thickness is 0.06, the fourth of eight
    // sections stands at 4/9 of the way from pole to pole.
    double length = 0.13 * sqrt(2), radius = 0.03 * sin(4 * SN_PI / 9);
    double moved = sn_vec3_distance(at(sn_frame_points(f.frame, 2), 0), at(mesh->positions, 0));
    snt_near(moved, (sqrt(0.3 / length) - 1) * radius, 1e-6);
    assert_memory_equal(sn_frame_points(f.frame, 2) + 3, mesh->positions + 3, 6 * sizeof(float));
    tear_down(&f);
}

// A bone that is inside out has its outer side outside all the same.
static void bones_may_be_inside_out(void **state) {
    (void)state;
    fixture f, turned;
    set_up(&f, 1);
    turned.context = snt_context(1);
    parse(&turned, document, -0.02); // mirrored, so that all faces look inwards
    snt_ok(sn_model_create(turned.character, NULL, &turned.model, error));
    snt_ok(sn_frame_create(turned.model, &turned.frame, error));
    assert_memory_equal(sn_model_surface(f.model, 2)->mesh->positions,
                        sn_model_surface(turned.model, 2)->mesh->positions, 3 * 66 * sizeof(float));
    tear_down(&turned);
    tear_down(&f);
}

static double number(const sn_json *json, uint32_t frame, const char *muscle, const char *key) {
    char path[128];
    snprintf(path, sizeof path, "/frames/%u/muscles/%s/%s", frame, muscle, key);
    const sn_value *value = sn_json_find(json, path);
    assert_non_null(value);
    return value->as.number;
}

// The summary against the frames it is of.
static void check_volume_changes(const sn_json *json) {
    static const char *const names[] = {"rectus", "soleus"};
    double rest[2], changes[2] = {0}, total = 0;
    char path[128];
    for (uint32_t frame = 0; frame <= 20; ++frame) {
        double sum = 0;
        for (int i = 0; i < 2; ++i) {
            double volume = number(json, frame, names[i], "volume");
            rest[i] = number(json, frame, names[i], "rest_volume");
            changes[i] = fmax(changes[i], fabs(volume / rest[i] - 1));
            sum += volume;
        }
        total = fmax(total, fabs(sum / (rest[0] + rest[1]) - 1));
    }
    for (int i = 0; i < 2; ++i) {
        snprintf(path, sizeof path, "/summary/muscles/%s/volume_change", names[i]);
        snt_near(sn_value_number(sn_json_find(json, path), -1), changes[i], 1e-15);
        snprintf(path, sizeof path, "/summary/muscles/%s/frame", names[i]);
        uint32_t frame = (uint32_t)sn_value_number(sn_json_find(json, path), -1);
        snt_near(fabs(number(json, frame, names[i], "volume") / rest[i] - 1), changes[i], 1e-15);
    }
    const sn_value *all = sn_json_find(json, "/summary/all_muscles");
    snt_near(sn_value_number(sn_value_get(all, "largest_volume_change"), -1),
             fmax(changes[0], changes[1]), 1e-15);
    snt_near(sn_value_number(sn_value_get(all, "volume_change"), -1), total, 1e-15);
    snt_near(sn_value_number(sn_value_get(all, "rest_volume"), -1), rest[0] + rest[1], 1e-15);
    assert_string_equal(sn_value_string(sn_value_get(all, "muscle"), ""),
                        names[changes[1] > changes[0]]);
}

static void volumes_are_reported(void **state) {
    (void)state;
    fixture f;
    set_up(&f, 1);
    sn_report *report = NULL;
    sn_motion *motion = NULL;
    const char *path = snt_scratch("cylinder.json");
    snt_ok(sn_motion_open(f.model, "bend", &motion, error));
    snt_ok(sn_report_create(f.model, &report, error));
    for (uint32_t frame = 0; frame <= 20; ++frame) {
        snt_ok(sn_frame_evaluate(f.frame, motion, frame, error));
        snt_ok(sn_report_add(report, f.frame, frame, error));
    }
    snt_ok(sn_report_save(report, path, error));
    sn_report_destroy(report);
    sn_motion_destroy(motion);
    size_t size;
    char *text = read_bytes(path, &size);
    sn_json *json = NULL;
    snt_ok(sn_json_parse(f.context, text, size, &json, error));
    snt_near(number(json, 0, "rectus", "length"), hypot(0.27, 0.03) + hypot(0.09, 0.03), 1e-6);
    assert_true(number(json, 20, "rectus", "length") > 0.38);
    for (uint32_t frame = 0; frame <= 20; ++frame) {
        double rest = number(json, frame, "rectus", "rest_volume");
        snt_near(number(json, frame, "rectus", "volume") / rest, 1, 0.005);
        rest = number(json, frame, "soleus", "rest_volume");
        snt_near(number(json, frame, "soleus", "volume") / rest, 1, 1e-6);
        snt_near(number(json, frame, "soleus", "activation"), 0, 0);
    }
    check_volume_changes(json);
    sn_json_destroy(json);
    free(text);
    tear_down(&f);
}

static void any_threads_give_the_same_bits(void **state) {
    (void)state;
    fixture one;
    set_up(&one, 1);
    for (uint32_t threads = 2; threads <= 8; threads *= 2) {
        fixture many;
        set_up(&many, threads);
        for (int angle = 0; angle <= 120; angle += 30) {
            snt_ok(sn_frame_set(one.frame, "lower.rx_deg", angle, error));
            snt_ok(sn_frame_set(many.frame, "lower.rx_deg", angle, error));
            snt_ok(sn_frame_evaluate(one.frame, NULL, 0, error));
            snt_ok(sn_frame_evaluate(many.frame, NULL, 0, error));
            for (uint32_t s = 2; s < 4; ++s) {
                assert_memory_equal(sn_frame_points(one.frame, s), sn_frame_points(many.frame, s),
                                    3 * 66 * sizeof(float));
            }
        }
        tear_down(&many);
    }
    tear_down(&one);
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

// A muscle that was edited is made anew in the model.
static void can_be_edited(void **state) {
    (void)state;
    fixture f;
    set_up(&f, 1);
    sn_json *json = sn_character_document(f.character);
    sn_value *muscle = (sn_value *)sn_json_find(json, "/muscles/rectus");
    assert_non_null(sn_json_add_number(json, muscle, "width", 0.2));
    recompile(&f);
    snt_ok(sn_frame_evaluate(f.frame, NULL, 0, error));
    const float *points = sn_frame_points(f.frame, 2);
    assert_true(sn_vec3_distance(at(points, 26), at(points, 30)) > 0.18);
    tear_down(&f);
}

// On a body twice as large, by its proportions alone, everything is twice as large: bones,
// pivots and sizes are measured in what grows.
static void fits_other_proportions(void **state) {
    (void)state;
    static const char half[] =
        "{'sinew': 1, 'name': 'leg', 'skeleton': {'root': {}, 'upper': {'parent': 'root',\n"
        "'translation': [0, 0.1, 0]}, 'lower': {'parent': 'upper', 'translation': [0, -0.3, 0]},\n"
        "'foot': {'parent': 'lower', 'translation': [0, -0.3, 0]}}, %s\n"
        "'bones': {'femur': {'segment': 'upper', 'frame': 'size', 'ellipsoid': {'center': [0, "
        "-0.5,\n"
        "0], 'radii': [0.1, 0.5, 0.1]}}, 'tibia': {'segment': 'lower', 'frame': 'size',\n"
        "'ellipsoid': {'center': [0, -0.5, 0], 'radii': [0.1, 0.5, 0.1]}}},\n" MUSCLES ORIGINS
            INSERTIONS
        ", 'sizes': 'length', 'width': 0.2, 'pivots': [{'slice': 5, 'segment': 'upper', 'at':\n"
        "[0, -1, 0.2], 'frame': 'size', 'use': 'bent'}]}}}";
    fixture f[2];
    for (int k = 0; k < 2; ++k) {
        char text[2048];
        snprintf(text, sizeof text, half,
                 k == 0 ? "" : "'proportions': {'root': 2, 'upper': 2, 'lower': 2},");
        f[k].context = snt_context(1);
        snt_ok(parse_quoted(f[k].context, "leg.sinew.json", text, &f[k].character, error));
        snt_ok(sn_model_create(f[k].character, NULL, &f[k].model, error));
        snt_ok(sn_frame_create(f[k].model, &f[k].frame, error));
        snt_ok(sn_frame_set(f[k].frame, "lower.rx_deg", 70, error));
        snt_ok(sn_frame_evaluate(f[k].frame, NULL, 0, error));
    }
    const float *small = sn_frame_points(f[0].frame, 2), *large = sn_frame_points(f[1].frame, 2);
    for (uint32_t v = 0; v < 66; ++v) {
        snt_near(sn_vec3_distance(sn_vec3_scale(at(small, v), 2), at(large, v)), 0, 1e-6);
    }
    tear_down(&f[0]);
    tear_down(&f[1]);
}

// Two muscles, one with its attachments in boxes, the other the same in the world and in a
// segment's frame, in any pose.
static void attachments_can_be_given_as_points(void **state) {
    (void)state;
    static const char text[] = SKELETON MUSCLES ORIGINS INSERTIONS
        "}, 'other': {'kind': 'cylinder',\n"
        "'origins': [{'bone': 'femur', 'point': [-0.02, 0.97, 0.02]},\n"
        "{'segment': 'upper', 'at': [0.02, -0.03, 0.02]}],\n"
        "'insertions': [{'segment': 'lower', 'at': [-0.01, -0.09, 0.02], 'frame': 'segment'},\n"
        "{'bone': 'tibia', 'point': [0.01, 0.61, 0.02]}]}}}";
    fixture f = {.context = snt_context(1)};
    parse(&f, text, 0.02);
    snt_ok(sn_model_create(f.character, NULL, &f.model, error));
    snt_ok(sn_frame_create(f.model, &f.frame, error));
    for (int angle = 0; angle <= 120; angle += 30) {
        snt_ok(sn_frame_set(f.frame, "lower.rx_deg", angle, error));
        snt_ok(sn_frame_evaluate(f.frame, NULL, 0, error));
        const float *a = sn_frame_points(f.frame, 2), *b = sn_frame_points(f.frame, 3);
        for (uint32_t v = 0; v < 66; ++v) {
            snt_near(sn_vec3_distance(at(a, v), at(b, v)), 0, 1e-6);
        }
    }
    tear_down(&f);
}

// A place in a segment's frame needs no bone. Without bones nothing says what is outwards, and the
// muscle lies on the straight way.
static void muscles_need_no_bones(void **state) {
    (void)state;
    static const char text[] =
        "{'sinew': 1, 'name': 'leg', 'skeleton': {'upper': {'translation': [0, 1, 0]},\n"
        "'lower': {'parent': 'upper', 'translation': [0, -0.5, 0]}}, %s 'muscles': {'m': {\n"
        "'kind': 'cylinder', 'sizes': 'length',\n"
        "'origins': [{'segment': 'upper', 'at': [-0.02, 0, 0.1], 'frame': 'size'},\n"
        "{'segment': 'upper', 'at': [0.02, 0, 0.1], 'frame': 'size'}],\n"
        "'insertions': [{'segment': 'lower', 'at': [-0.02, -0.2, 0.1], 'frame': 'size'},\n"
        "{'segment': 'lower', 'at': [0.02, -0.2, 0.1], 'frame': 'size'}]}}}";
    fixture f[2];
    for (int k = 0; k < 2; ++k) {
        char whole[1024];
        snprintf(whole, sizeof whole, text, k == 0 ? "" : "'proportions': {'upper': 2},");
        f[k] = (fixture){.context = snt_context(1)};
        snt_ok(parse_quoted(f[k].context, "leg.sinew.json", whole, &f[k].character, error));
        snt_ok(sn_model_create(f[k].character, NULL, &f[k].model, error));
        snt_ok(sn_frame_create(f[k].model, &f[k].frame, error));
        snt_ok(sn_frame_evaluate(f[k].frame, NULL, 0, error));
    }
    const float *small = sn_frame_points(f[0].frame, 0), *large = sn_frame_points(f[1].frame, 0);
    sn_vec3 center = sn_vec3_lerp(at(small, 24), at(small, 28), 0.5);
    snt_near(sn_vec3_distance(center, sn_vec3_make(0, 1 - 0.6 * 3 / 7, 0.05)), 0, 1e-6);
    // Twice the size, about the root.
    for (uint32_t v = 0; v < 66; ++v) {
        sn_vec3 p = sn_vec3_sub(at(small, v), sn_vec3_make(0, 1, 0));
        sn_vec3 q = sn_vec3_sub(at(large, v), sn_vec3_make(0, 1, 0));
        snt_near(sn_vec3_distance(sn_vec3_scale(p, 2), q), 0, 1e-6);
    }
    tear_down(&f[0]);
    tear_down(&f[1]);
}

#define SECTION(y, w) "{'center': [0, " y ", 0.04], 'wide': [" w ", 0, 0], 'thick': [0, 0, 0.01]}"
#define SECTIONS                                                                                   \
    "'slices': 3, 'points': 4, 'sections': [" SECTION("0.97", "0.01") ", " SECTION(                \
        "0.8", "0.03") ", " SECTION("0.61", "0.01") "]"

// Sections are where they are given, off the line between the attachments; in the world, they stay
// there in a body of other proportions.
static void sections_are_where_they_are_given(void **state) {
    (void)state;
    for (int k = 0; k < 2; ++k) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s%s", SKELETON,
                 k == 0 ? "" : "'proportions': {'upper': 1.2},",
                 MUSCLES ORIGINS INSERTIONS ", " SECTIONS "}}}");
        fixture f = {.context = snt_context(1)};
        parse(&f, text, 0.02);
        snt_ok(sn_model_create(f.character, NULL, &f.model, error));
        const float *points = sn_model_surface(f.model, 2)->mesh->positions;
        static const double y[] = {0.97, 0.8, 0.61}, w[] = {0.01, 0.03, 0.01};
        for (uint32_t i = 0; i < 3; ++i) {
            snt_near(sn_vec3_distance(at(points, 4 * i), sn_vec3_make(0, y[i], 0.05)), 0, 1e-6);
            snt_near(sn_vec3_distance(at(points, 4 * i + 2), sn_vec3_make(0, y[i], 0.03)), 0, 1e-6);
            snt_near(fabs(at(points, 4 * i + 1).x), w[i], 1e-6);
        }
        tear_down(&f);
    }
}

// The mirror image of a drawing in the skin is not one of a muscle between bones.
static void is_not_mirrored_in_a_skin(void **state) {
    (void)state;
    fixture f;
    set_up(&f, 1);
    snt_fails(SN_INVALID, "a muscle of kind \"cylinder\" is not drawn on a skin",
              sn_character_mirror_muscle(f.character, "rectus", "rectus.R", 0, 0, error));
    tear_down(&f);
}

// --- Bad input

typedef struct wrong {
    const char *text;
    double depth; // half that of the upper bone
    const char *message;
} wrong;

#define ORIGINS_WITH(first) "'origins': [" first ", {'bone': 'femur', 'at': [1, 0.9, 1]}],\n"
#define ONE_FORM                                                                                   \
    "/muscles/rectus/origins/0: an attachment is given by \"bone\" and \"at\", by \"bone\" and "   \
    "\"point\", or by \"segment\" and \"at\""

static const wrong wrongs[] = {
    {SKELETON MUSCLES ORIGINS_WITH("{'bone': 'femur', 'segment': 'upper', 'at': [0, 0, 0]}")
         INSERTIONS "}}}",
     0.02, ONE_FORM},
    {SKELETON MUSCLES ORIGINS_WITH("{'bone': 'femur'}") INSERTIONS "}}}", 0.02, ONE_FORM},
    {SKELETON MUSCLES ORIGINS_WITH("{'at': [0, 0, 0]}") INSERTIONS "}}}", 0.02, ONE_FORM},
    {SKELETON MUSCLES ORIGINS_WITH("{'segment': 'upper', 'point': [0, 0, 0]}") INSERTIONS "}}}",
     0.02, ONE_FORM},
    {SKELETON MUSCLES ORIGINS_WITH("{'bone': 'femur', 'at': [0, 2.5, 0]}") INSERTIONS "}}}", 0.02,
     "/muscles/rectus/origins/0/at/1: a position in a bone's box is from -1 to 2, but this is 2.5"},
    {SKELETON MUSCLES ORIGINS_WITH("{'bone': 'femur', 'at': [0, 0, 0], 'frame': 'size'}") INSERTIONS
     "}}}",
     0.02, "/muscles/rectus/origins/0/frame: only an attachment in a \"segment\" has a frame"},
    {SKELETON MUSCLES ORIGINS_WITH("{'segment': 'uper', 'at': [0, 0, 0]}") INSERTIONS "}}}", 0.02,
     "/muscles/rectus/origins/0/segment: there is no segment \"uper\"; did you mean \"upper\"?"},
    {SKELETON MUSCLES ORIGINS INSERTIONS ", 'sections': [" SECTION("0.9", "0.01") ", " SECTION(
         "0.8", "0.01") ", " SECTION("0.6", "0.01") "]}}}",
     0.02, "/muscles/rectus: rectus: it has 8 slices, but 3 sections"},
    {SKELETON MUSCLES ORIGINS "'insertions': [{'bone': 'tibja', 'at': [0, 0, 0]},\n"
                              "{'bone': 'tibia', 'at': [1, 0, 0]}]}}}",
     0.02,
     "/muscles/rectus/insertions/0/bone: there is no bone \"tibja\"; did you mean \"tibia\"?"},
    {SKELETON MUSCLES "'origins': [{'bone': 'tibia', 'at': [0, 0, 0]},\n"
                      "{'bone': 'tibia', 'at': [1, 0, 0]}],"
                      "'insertions': [{'bone': 'femur', 'at': [0, 0, 0]},\n"
                      "{'bone': 'femur', 'at': [1, 0, 0]}]}}}",
     0.02,
     "/muscles/rectus/insertions/0: an origin is on \"lower\", which is below \"upper\" of this "
     "insertion"},
    {SKELETON MUSCLES "'origins': [{'bone': 'tibia', 'at': [0, 0, 0]},\n"
                      "{'bone': 'femur', 'at': [1, 0, 0]}],\n" INSERTIONS "}}}",
     0.02,
     "/muscles/rectus/origins/0: the first origin is on \"lower\", which is below \"upper\" of the "
     "second"},
    {SKELETON MUSCLES ORIGINS INSERTIONS "}}}", 0,
     "/muscles/rectus/origins/0/bone: the bone \"femur\" has no volume"},
    {SKELETON MUSCLES "'origins': [{'bone': 'femur', 'at': [0, 0, 0]},\n"
                      "{'bone': 'femur', 'at': [0, 0, 0]}],\n" INSERTIONS "}}}",
     0.02, "/muscles/rectus: rectus: its two origins are at the same place"},
    {SKELETON MUSCLES ORIGINS INSERTIONS ", 'pivots': [{'slice': 7, 'segment': 'upper',\n"
                                         "'at': [0, 0, 0]}]}}}",
     0.02, "/muscles/rectus: rectus: pivot 1 is on slice 7, but must be on one between the ends"},
    {SKELETON MUSCLES ORIGINS INSERTIONS ", 'pivots': [{'slice': 6, 'segment': 'uper',\n"
                                         "'at': [0, 0, 0]}]}}}",
     0.02,
     "/muscles/rectus/pivots/0/segment: there is no segment \"uper\"; did you mean \"upper\"?"},
    {SKELETON MUSCLES ORIGINS "'insertions': [{'bone': 'femur', 'at': [0, 0, 1]},\n"
                              "{'bone': 'femur', 'at': [1, 0, 1]}]," PIVOT "}}}",
     0.02,
     "/muscles/rectus/pivots/0: the pivot is used where the muscle is bent, but no joint lies "
     "between"},
    {SKELETON MUSCLES ORIGINS INSERTIONS ", 'skin': 'a'}}}", 0.02,
     "/muscles/rectus/skin: unknown key"},
    {SKELETON "'muscles': {'rectus': {'kind': 'ellipsoid', " ORIGINS INSERTIONS "}}}", 0.02,
     "/muscles/rectus/origins: unknown key; did you mean \"origin\"?"},
    {SKELETON "'muscles': {'rectus': {'kind': 'cylinder', " INSERTIONS "}}}", 0.02,
     "/muscles/rectus: the key \"origins\" is missing"},
    {SKELETON FOLLOWING(", 'slices': 1"), 0.02, "has no surface that could be followed"},
};

static void bad_documents_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; ++i) {
        fixture f = {.context = snt_context(1)};
        sn_error error = {0};
        char text[1024];
        sn_status status =
            parse_quoted(f.context, "leg.sinew.json", wrongs[i].text, &f.character, &error);
        if (status == SN_OK) {
            sn_character_destroy(f.character);
            parse(&f, wrongs[i].text, wrongs[i].depth);
            status = sn_model_create(f.character, NULL, &f.model, &error);
        }
        sn_error_format(&error, text, sizeof text);
        assert_int_equal(status, SN_INVALID);
        if (strstr(text, wrongs[i].message) == NULL) {
            fail_msg("document %zu: expected \"%s\", found \"%s\"", i, wrongs[i].message, text);
        }
        sn_character_destroy(f.character);
        snt_context_end(f.context);
    }
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    fixture f = {.context = context};
    sn_status status = SN_OK;
    SN_TRY(parse_quoted(context, "leg.sinew.json", document, &f.character, error));
    static const char *const names[] = {"up", "low", "skin"};
    for (int i = 0; i < 3; ++i) {
        sn_mesh *mesh = NULL;
        SN_TRY(sn_mesh_create(context, names[i], 4, 4, 12, &mesh, error));
        static const uint32_t corners[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
        for (int v = 0; v < 12; ++v) {
            mesh->corners[v] = corners[v];
        }
        for (uint32_t v = 0; v < 4; ++v) {
            sn_vec3_store(sn_vec3_make(v == 1, (v == 2) - i, v == 3), mesh->positions + 3 * v);
            mesh->face_offsets[v + 1] = 3 * (v + 1);
        }
        SN_TRY(sn_character_give_mesh(f.character, names[i], mesh, error));
    }
    SN_TRY(sn_model_create(f.character, NULL, &f.model, error));
    SN_TRY(sn_frame_create(f.model, &f.frame, error));
cleanup:
    sn_frame_destroy(f.frame);
    sn_model_destroy(f.model);
    sn_character_destroy(f.character);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attachments_lie_on_bones),
        cmocka_unit_test(skin_follows_a_muscle_that_swells),
        cmocka_unit_test(bones_may_be_inside_out),
        cmocka_unit_test(volumes_are_reported),
        cmocka_unit_test(any_threads_give_the_same_bits),
        cmocka_unit_test(can_be_edited),
        cmocka_unit_test(fits_other_proportions),
        cmocka_unit_test(attachments_can_be_given_as_points),
        cmocka_unit_test(muscles_need_no_bones),
        cmocka_unit_test(sections_are_where_they_are_given),
        cmocka_unit_test(is_not_mirrored_in_a_skin),
        cmocka_unit_test(bad_documents_are_refused),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
