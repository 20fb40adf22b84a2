// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "scenes/thighs.h"

#include "sinew/character.h"
#include "sinew/eval.h"

#include <math.h>
#include <stdio.h>

static void the_shipped_character_is_what_the_scene_writes(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    char folder[1024], path[1100];
    snprintf(folder, sizeof folder, "%s", snt_scratch("thighs.glb"));
    *strrchr(folder, '/') = 0;
    snt_ok(scn_thighs_build(context, folder, error));
    snprintf(path, sizeof path, "%s/thighs.sinew.json", folder);
    assert_true(snt_same_bytes(path, snt_source("examples/thighs/thighs.sinew.json")));
    assert_true(
        snt_same_bytes(snt_scratch("thighs.glb"), snt_source("examples/thighs/thighs.glb")));
    remove(path);
    snt_context_end(context);
}

// How far the lower left thigh of a skin moves at most while the right one goes aside.
static double largest_motion(const sn_frame *frame, const char *skin, double middle) {
    const sn_model *model = sn_frame_model(frame);
    double largest = -1;
    for (uint32_t s = 0; s < sn_model_surface_count(model); ++s) {
        const sn_surface *surface = sn_model_surface(model, s);
        if (strcmp(surface->name, skin) != 0) {
            continue;
        }
        for (uint32_t i = 0; i < surface->mesh->vertex_count; ++i) {
            sn_vec3 rest = sn_vec3_load(surface->mesh->positions + 3 * (size_t)i);
            sn_vec3 posed = sn_vec3_load(sn_frame_points(frame, s) + 3 * (size_t)i);
            if (rest.x > middle && rest.y < 0.5) {
                largest = fmax(largest, sn_vec3_distance(rest, posed));
            }
        }
    }
    return largest;
}

// The shipped character with the clip in which the right thigh goes aside.
typedef struct thighs {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
} thighs;

static thighs open_thighs(void) {
    thighs t = {.context = snt_context(2)};
    const char *path = snt_source("examples/thighs/thighs.sinew.json");
    snt_ok(sn_character_load(t.context, path, &t.character, error));
    snt_ok(sn_model_create(t.character, NULL, &t.model, error));
    snt_ok(sn_motion_open(t.model, "spread", &t.motion, error));
    snt_ok(sn_frame_create(t.model, &t.frame, error));
    return t;
}

static void close_thighs(thighs *t) {
    sn_frame_destroy(t->frame);
    sn_motion_destroy(t->motion);
    sn_model_destroy(t->model);
    sn_character_destroy(t->character);
    snt_context_end(t->context);
}

// Figure 5: without separation the left thigh is dragged along by centimetres.
static void separation_keeps_the_other_thigh_where_it_is(void **state) {
    (void)state;
    thighs t = open_thighs();
    snt_ok(sn_frame_evaluate(t.frame, t.motion, 30, error));
    double apart = largest_motion(t.frame, "apart", -0.23);
    double together = largest_motion(t.frame, "together", 0.23);
    assert_true(apart >= 0 && apart < 1e-6);
    assert_true(together > 0.03);
    close_thighs(&t);
}

static double stretch(const sn_mesh *mesh, const float *posed, uint32_t a, uint32_t b) {
    sn_vec3 rest = sn_vec3_sub(sn_vec3_load(mesh->positions + 3 * (size_t)a),
                               sn_vec3_load(mesh->positions + 3 * (size_t)b));
    sn_vec3 now =
        sn_vec3_sub(sn_vec3_load(posed + 3 * (size_t)a), sn_vec3_load(posed + 3 * (size_t)b));
    return sn_vec3_distance(now, rest) / sn_vec3_length(rest);
}

// The largest change of motion between two neighbours of a surface, relative to their distance.
static double largest_stretch(const sn_frame *frame, const char *name) {
    const sn_model *model = sn_frame_model(frame);
    double largest = 0;
    for (uint32_t s = 0; s < sn_model_surface_count(model); ++s) {
        const sn_mesh *mesh = sn_model_surface(model, s)->mesh;
        bool is_asked = strcmp(sn_model_surface(model, s)->name, name) == 0;
        for (uint32_t f = 0; f < mesh->face_count && is_asked; ++f) {
            uint32_t first = mesh->face_offsets[f], end = mesh->face_offsets[f + 1];
            for (uint32_t c = first; c < end; ++c) {
                uint32_t next = mesh->corners[c + 1 < end ? c + 1 : first];
                largest =
                    fmax(largest, stretch(mesh, sn_frame_points(frame, s), mesh->corners[c], next));
            }
        }
    }
    return largest;
}

// All neighbours in all frames: the skin is torn nowhere. It stretches most where its driver does,
// whose sides belong to one thigh each, and never half as much.
static void neighbours_of_the_skin_move_alike(void **state) {
    (void)state;
    thighs t = open_thighs();
    for (int i = 0; i <= 30; ++i) {
        snt_ok(sn_frame_evaluate(t.frame, t.motion, i, error));
        double driver = largest_stretch(t.frame, "apart_driver");
        assert_true(largest_stretch(t.frame, "apart") <= 0.5 * driver + 1e-5);
    }
    close_thighs(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shipped_character_is_what_the_scene_writes),
        cmocka_unit_test(separation_keeps_the_other_thigh_where_it_is),
        cmocka_unit_test(neighbours_of_the_skin_move_alike),
    };
    return cmocka_run_group_tests_name("scenes/thighs", tests, NULL, NULL);
}
