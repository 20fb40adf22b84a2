// SPDX-License-Identifier: Apache-2.0
//
// Wraps in documents: several on one skin, each from the same points, and drivers with frame
// points.
#include "grid.h"
#include "test.h"

#include "sinew/character.h"
#include "sinew/eval.h"
#include "sinew/fit.h"
#include "sinew/io.h"
#include "sinew/skin.h"

#include <math.h>
#include <stdlib.h>

// What a wrap of the test's skin says.
typedef struct wrap {
    double envelope, reach;
    const char *combine; // NULL: it stands alone, or first
    const char *weights; // JSON, NULL: none
} wrap;

// The skin "apart" of the shipped thighs in the last frame, moved by these wraps. free() them.
static float *pose_skin(sn_context *context, const wrap *wraps, int count, const char *fails) {
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_motion *motion = NULL;
    sn_frame *frame = NULL;
    float *points = NULL;
    snt_ok(sn_character_load(context, snt_source("examples/thighs/thighs.sinew.json"), &character,
                             error));
    sn_json *json = sn_character_document(character);
    sn_value *list = sn_json_find(json, "/skins/apart/deformers");
    sn_json_remove(sn_json_find(json, "/skins/apart/deformers/0"));
    for (int i = 0; i < count; ++i) {
        sn_value *made = sn_json_add_object(json, list, NULL);
        sn_json_add_string(json, made, "kind", "wrap");
        sn_json_add_string(json, made, "driver_mesh", "apart_driver");
        sn_json_add_number(json, made, "envelope", wraps[i].envelope);
        sn_json_add_number(json, made, "reach", wraps[i].reach);
        if (wraps[i].combine != NULL) {
            sn_json_add_string(json, made, "combine", wraps[i].combine);
        }
        if (wraps[i].weights != NULL) {
            sn_value *entry =
                sn_json_add_object(json, sn_json_add_array(json, made, "weights"), NULL);
            sn_json_add_string(json, entry, "points", wraps[i].weights);
        }
    }
    if (fails != NULL) {
        snt_fails(SN_INVALID, fails, sn_model_create(character, NULL, &model, error));
    } else {
        snt_ok(sn_model_create(character, NULL, &model, error));
        snt_ok(sn_motion_open(model, "spread", &motion, error));
        snt_ok(sn_frame_create(model, &frame, error));
        snt_ok(sn_frame_evaluate(frame, motion, 30, error));
        uint32_t skin = sn_model_find_surface(model, "apart");
        size_t bytes = 12 * (size_t)sn_model_surface(model, skin)->mesh->vertex_count;
        points = malloc(bytes);
        memcpy(points, sn_frame_points(frame, skin), bytes);
    }
    sn_frame_destroy(frame);
    sn_motion_destroy(motion);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return points;
}

enum { VERTICES = 8304 };

static double largest_difference(const float *a, const float *b) {
    double largest = 0;
    for (uint32_t i = 0; i < VERTICES; ++i) {
        largest = fmax(largest, sn_vec3_distance(sn_vec3_load(a + 3 * (size_t)i),
                                                 sn_vec3_load(b + 3 * (size_t)i)));
    }
    return largest;
}

// A wrap and itself are the wrap, whatever the weights; stacked, they move twice as far.
static void equal_wraps_are_one(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    float *one = pose_skin(context, (wrap[]){{1, 3, NULL, NULL}}, 1, NULL);
    float *rest = pose_skin(context, (wrap[]){{0, 3, NULL, NULL}}, 1, NULL);
    const wrap pairs[][2] = {{{1, 3, NULL, NULL}, {1, 3, "mean", NULL}},
                             {{1, 3, NULL, NULL}, {1, 3, "larger", NULL}},
                             {{0.25, 3, NULL, NULL}, {0.75, 3, "mean", NULL}},
                             {{0.25, 3, NULL, NULL}, {0.75, 3, "larger", NULL}},
                             {{1, 3, NULL, "0-999"}, {1, 3, "mean", NULL}}};
    for (int i = 0; i < 5; ++i) {
        float *both = pose_skin(context, pairs[i], 2, NULL);
        assert_true(largest_difference(one, both) < 1e-6);
        free(both);
    }
    float *stacked = pose_skin(context, (wrap[]){{1, 3, NULL, NULL}, {1, 3, NULL, NULL}}, 2, NULL);
    assert_true(largest_difference(one, rest) > 0.1);
    assert_true(largest_difference(one, stacked) > 0.1);
    free(stacked);
    free(one);
    free(rest);
    snt_context_end(context);
}

// The formula of docs/wrap.md, from the points of each wrap alone.
static void combined_wraps_keep_the_formula(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    const wrap alone[3] = {{1, 3, NULL, NULL}, {1, 0, NULL, NULL}, {0, 0, NULL, NULL}};
    float *posed[3];
    for (int i = 0; i < 3; ++i) {
        posed[i] = pose_skin(context, &alone[i], 1, NULL);
    }
    for (int k = 0; k < 4; ++k) {
        bool is_larger = k % 2 == 1;
        const double w[2] = {k < 2 ? 0.2 : 1, k < 2 ? 0.5 : 0.4};
        const wrap pair[2] = {{w[0], 3, NULL, NULL},
                              {w[1], 0, is_larger ? "larger" : "mean", NULL}};
        float *both = pose_skin(context, pair, 2, NULL);
        for (uint32_t i = 0; i < VERTICES; ++i) {
            sn_vec3 rest = sn_vec3_load(posed[2] + 3 * (size_t)i), sum = {0, 0, 0};
            double total = 0;
            for (int d = 0; d < 2; ++d) {
                sn_vec3 move = sn_vec3_sub(sn_vec3_load(posed[d] + 3 * (size_t)i), rest);
                double share = w[d] * (is_larger ? sn_vec3_length(move) : 1);
                sum = sn_vec3_add_scaled(sum, share, move);
                total += share;
            }
            double scale = total > 0 ? fmin(1, w[0] + w[1]) / total : 0;
            snt_near(sn_vec3_distance(sn_vec3_add_scaled(rest, scale, sum),
                                      sn_vec3_load(both + 3 * (size_t)i)),
                     0, 1e-6);
        }
        free(both);
    }
    for (int i = 0; i < 3; ++i) {
        free(posed[i]);
    }
    snt_context_end(context);
}

static void wrong_rows_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    pose_skin(context, (wrap[]){{1, 3, "mean", NULL}}, 1,
              "/skins/apart/deformers/0/combine: no \"wrap\" stands before this one");
    pose_skin(context, (wrap[]){{1, 3, NULL, NULL}, {1, 3, "mean", NULL}, {1, 3, "larger", NULL}},
              3,
              "/skins/apart/deformers/2/combine: the \"wrap\" before is combined in another way");
    snt_context_end(context);
}

// By hand, with a weight at every border.
static void points_combine_by_hand(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float rest[3] = {1, 1, 1}, a[3] = {4, 1, 1}, b[3] = {1, 2, 1};
    const float *posed[2] = {a, b};
    float out[3];
    snt_ok(sn_wrap_combine(context, SN_WRAP_MEAN, 1, rest, 2, posed, NULL, out, error));
    assert_true(out[0] == 2.5f && out[1] == 1.5f && out[2] == 1);
    snt_ok(sn_wrap_combine(context, SN_WRAP_LARGER, 1, rest, 2, posed, NULL, out, error));
    assert_true(out[0] == 1 + 9 / 4.0f && out[1] == 1.25f && out[2] == 1);
    snt_ok(sn_wrap_combine(context, SN_WRAP_MEAN, 1, rest, 2, posed, (double[]){0.5, 0.25}, out,
                           error));
    assert_true(out[0] == 2.5f && out[1] == 1.25f && out[2] == 1);
    snt_fails(
        SN_INVALID, "weight 1 is 2",
        sn_wrap_combine(context, SN_WRAP_MEAN, 1, rest, 2, posed, (double[]){1, 2}, out, error));
    snt_context_end(context);
}

static void write_mesh(sn_mesh *mesh, const char *name) {
    snt_ok(sn_export_mesh(mesh, snt_scratch(name), error));
    sn_mesh_destroy(mesh);
}

// A sheet in space as driver, its frame points and a skin above it, all as files.
static void write_meshes(sn_context *context) {
    sn_mesh *cage = snt_grid(context, "cage", 4, 4, 1, 1, false), *frames = NULL;
    sn_mesh *skin = snt_grid(context, "skin", 9, 9, 0.8, 0.8, false);
    snt_shift(skin, 0.1, 0.15, 0.1);
    snt_ok(sn_driver_mesh_frame_points(cage, &frames, error));
    write_mesh(cage, "cage.obj");
    write_mesh(frames, "frames.obj");
    write_mesh(skin, "skin.obj");
}

static const char framed[] =
    "{\"sinew\": 1, \"name\": \"framed\", \"skeleton\": {\"root\": {}}, \"meshes\": {"
    "\"cage\": {\"file\": \"cage.obj\"}, \"frames\": {\"file\": \"%s.obj\"}, "
    "\"skin\": {\"file\": \"skin.obj\"}}, \"skins\": {"
    "\"cage\": {\"mesh\": \"cage\", \"segment\": \"root\"}, "
    "\"frames\": {\"mesh\": \"frames\", \"segment\": \"root\"}, "
    "\"skin\": {\"mesh\": \"skin\", \"deformers\": [{\"kind\": \"wrap\", \"extended\": \"yes\", "
    "\"driver_mesh\": \"cage\"%s}]}}}";

static sn_model *make_framed(sn_context *context, const char *frames, const char *more,
                             sn_character **character, const char *fails) {
    char text[2048];
    sn_model *model = NULL;
    snprintf(text, sizeof text, framed, frames, more);
    snt_ok(sn_character_parse(context, snt_scratch("framed.sinew.json"), text, strlen(text),
                              character, error));
    if (fails != NULL) {
        snt_fails(SN_INVALID, fails, sn_model_create(*character, NULL, &model, error));
    } else {
        snt_ok(sn_model_create(*character, NULL, &model, error));
    }
    return model;
}

// The driver is stretched along one axis. With frame points the skin is too, and nothing else
// happens to it; without them the mesh cannot tell.
static void frame_points_show_affine_maps(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    write_meshes(context);
    for (int with = 0; with < 2; ++with) {
        sn_character *character = NULL;
        sn_frame *frame = NULL;
        sn_model *model = make_framed(
            context, "frames", with ? ", \"driver_frames\": \"frames\"" : "", &character, NULL);
        snt_ok(sn_frame_create(model, &frame, error));
        snt_ok(sn_frame_set(frame, "root.sx", 1.8, error));
        snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
        uint32_t skin = sn_model_find_surface(model, "skin");
        const sn_mesh *mesh = sn_model_surface(model, skin)->mesh;
        double largest = 0;
        for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
            sn_vec3 expected = sn_vec3_load(mesh->positions + 3 * (size_t)i);
            expected.x *= 1.8;
            largest =
                fmax(largest, sn_vec3_distance(expected, sn_vec3_load(sn_frame_points(frame, skin) +
                                                                      3 * (size_t)i)));
        }
        assert_true(with ? largest < 1e-6 : largest > 0.03);
        sn_frame_destroy(frame);
        sn_model_destroy(model);
        sn_character_destroy(character);
    }
    sn_character *character = NULL;
    make_framed(context, "skin", ", \"driver_frames\": \"frames\"", &character,
                "\"skin\" has 100 vertices, but must have three for each of the 25 of \"cage\"");
    sn_character_destroy(character);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_wraps_are_one),
        cmocka_unit_test(combined_wraps_keep_the_formula),
        cmocka_unit_test(wrong_rows_are_refused),
        cmocka_unit_test(points_combine_by_hand),
        cmocka_unit_test(frame_points_show_affine_maps),
    };
    return cmocka_run_group_tests_name("eval/combine", tests, NULL, NULL);
}
