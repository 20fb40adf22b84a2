// SPDX-License-Identifier: Apache-2.0
//
// The rigged person: what the scene writes is what is shipped, and it is a body that others can
// use: closed, about 20,000 vertices, four weights each, joints inside. Its walk does not slide.
#include "test.h"

#include "scenes/person.h"

#include "sinew/character.h"
#include "sinew/eval.h"
#include "sinew/geometry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct shipped {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
    uint32_t body;
} shipped;

static shipped open_person(const char *motion) {
    shipped s = {.context = snt_context(2)};
    const char *path = snt_source("examples/person/person.sinew.json");
    snt_ok(sn_character_load(s.context, path, &s.character, error));
    snt_ok(sn_model_create(s.character, NULL, &s.model, error));
    snt_ok(sn_frame_create(s.model, &s.frame, error));
    if (motion != NULL) {
        snt_ok(sn_motion_open(s.model, motion, &s.motion, error));
    }
    s.body = sn_model_find_surface(s.model, "body");
    assert_int_not_equal(s.body, SN_NONE);
    return s;
}

static void close_person(shipped *s) {
    sn_motion_destroy(s->motion);
    sn_frame_destroy(s->frame);
    sn_model_destroy(s->model);
    sn_character_destroy(s->character);
    snt_context_end(s->context);
}

static void the_shipped_files_are_what_the_scene_writes(void **state) {
    (void)state;
    static const char *const files[] = {
        "person/person.glb", "person/person.sinew.json", "motions/walk.bvh", "motions/squat.bvh",
        "motions/wave.bvh",  "motions/run.bvh",          "motions/jump.bvh"};
    sn_context *context = snt_context(2);
    char top[1024], folder[1100], path[1100], source[64];
    snprintf(top, sizeof top, "%s", snt_scratch("person"));
    snprintf(folder, sizeof folder, "%s/motions", top);
    mkdir(top, 0777);
    mkdir(folder, 0777);
    snprintf(folder, sizeof folder, "%s/person", top);
    mkdir(folder, 0777);
    snt_ok(scn_person_build(context, folder, error));
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        snprintf(path, sizeof path, "%s/%s", top, files[i]);
        snprintf(source, sizeof source, "examples/%s", files[i]);
        if (!snt_same_bytes(path, snt_source(source))) {
            fail_msg("%s is not what the scene writes; `cmake --build build --target examples` "
                     "writes it anew",
                     source);
        }
        remove(path);
    }
    snt_context_end(context);
}

static void the_body_is_closed_and_of_the_usual_size(void **state) {
    (void)state;
    shipped s = open_person(NULL);
    const sn_mesh *body = sn_model_surface(s.model, s.body)->mesh;
    assert_in_range(body->vertex_count, 18000, 22000);
    sn_triangles *triangles = NULL;
    sn_mass mass;
    snt_ok(sn_triangles_create(body, body->positions, &triangles, error));
    snt_ok(sn_mass_compute(s.context, body->positions, triangles->vertices, triangles->count, &mass,
                           error));
    // A slender man of 1.75 m, in litres.
    assert_true(mass.volume > 0.050 && mass.volume < 0.085);
    sn_triangles_destroy(triangles);
    sn_vec3 low, high;
    sn_mesh_bounds(body, &low, &high);
    snt_near(low.y, 0, 0.01);
    snt_near(high.y, 1.75, 0.02);
    assert_int_equal(sn_model_skeleton(s.model)->segment_count, SCN_PERSON_JOINTS);
    close_person(&s);
}

static void every_vertex_has_up_to_four_weights_and_every_joint_moves_some(void **state) {
    (void)state;
    shipped s = open_person(NULL);
    const sn_mesh *body = sn_model_surface(s.model, s.body)->mesh;
    const sn_weights *w = body->weights;
    uint32_t moved[SCN_PERSON_JOINTS] = {0};
    assert_int_equal(w->bone_count, SCN_PERSON_JOINTS);
    for (uint32_t v = 0; v < body->vertex_count; ++v) {
        double sum = 0;
        assert_in_range(w->offsets[v + 1] - w->offsets[v], 1, 4);
        for (uint32_t k = w->offsets[v]; k < w->offsets[v + 1]; ++k) {
            sum += w->values[k];
            moved[w->bones[k]] += w->values[k] > 0.5;
        }
        snt_near(sum, 1, 1e-6);
    }
    for (uint32_t j = 0; j < SCN_PERSON_JOINTS; ++j) {
        assert_true(moved[j] > 15);
    }
    close_person(&s);
}

// Skin, hair, clothes: each face has a material with a colour, and all are used.
static void every_face_has_a_colour(void **state) {
    (void)state;
    shipped s = open_person(NULL);
    const sn_mesh *body = sn_model_surface(s.model, s.body)->mesh;
    uint32_t *materials = calloc(body->face_count, sizeof *materials), used[16] = {0};
    assert_non_null(materials);
    snt_ok(sn_mesh_face_materials(body, materials, error));
    assert_int_equal(body->material_count, SCN_PERSON_REGIONS);
    for (uint32_t f = 0; f < body->face_count; ++f) {
        assert_true(materials[f] < body->material_count);
        used[materials[f]]++;
    }
    for (uint32_t m = 0; m < body->material_count; ++m) {
        assert_true(body->materials[m].has_color && used[m] > 20);
    }
    assert_non_null(sn_mesh_find_attribute(body, "color"));
    free(materials);
    close_person(&s);
}

static sn_vec3 place_of(const shipped *s, const char *segment) {
    uint32_t index = sn_model_find_segment(s->model, segment);
    assert_int_not_equal(index, SN_NONE);
    return sn_mat4_point(&sn_frame_worlds(s->frame)[index], sn_vec3_make(0, 0, 0));
}

static double lowest(const shipped *s) {
    const float *points = sn_frame_points(s->frame, s->body);
    double low = INFINITY;
    for (uint32_t v = 0; v < sn_model_surface(s->model, s->body)->mesh->vertex_count; ++v) {
        low = fmin(low, points[3 * (size_t)v + 1]);
    }
    return low;
}

// A foot whose ankle and toes are both low stands: between two such frames it stays where it is. Of
// six steps each foot stands three times, and the person gets ahead.
static void feet_that_stand_do_not_slide(void **state) {
    (void)state;
    shipped s = open_person("walk");
    static const char *const feet[2][2] = {{"foot.L", "toes.L"}, {"foot.R", "toes.R"}};
    sn_vec3 rest[2], before[2] = {{0, 0, 0}, {0, 0, 0}}, start = {0, 0, 0};
    uint32_t standing[2] = {0, 0}, count = sn_motion_frame_count(s.motion);
    bool stood[2] = {false, false};
    rest[0] = place_of(&s, "foot.L");
    rest[1] = place_of(&s, "toes.L");
    for (uint32_t f = 0; f < count; ++f) {
        snt_ok(sn_frame_evaluate(s.frame, s.motion, f, error));
        start = f == 0 ? place_of(&s, "hips") : start;
        snt_near(lowest(&s), 0.003, 0.006);
        for (int side = 0; side < 2; ++side) {
            sn_vec3 ankle = place_of(&s, feet[side][0]), toes = place_of(&s, feet[side][1]);
            bool stands = fabs(ankle.y - rest[0].y) < 0.001 && fabs(toes.y - rest[1].y) < 0.001;
            if (stands && stood[side]) {
                snt_near(sn_vec3_distance(ankle, before[side]), 0, 0.002);
                standing[side]++;
            }
            stood[side] = stands;
            before[side] = ankle;
        }
    }
    assert_true(standing[0] > 15 && standing[1] > 15);
    // 3.3 s at a comfortable 1.1 m/s.
    snt_near(place_of(&s, "hips").z - start.z, 3.6, 0.2);
    close_person(&s);
}

// In the run and in the jump nothing goes below the ground, the body flies, and legs are never torn
// straight: a knee always bends a little.
static void run_and_jump_leave_the_ground_and_do_not_sink(void **state) {
    (void)state;
    static const char *const clips[] = {"run", "jump"};
    for (int c = 0; c < 2; ++c) {
        shipped s = open_person(clips[c]);
        double highest = 0, deepest = INFINITY, straightest = 0;
        double leg = sn_vec3_distance(place_of(&s, "thigh.L"), place_of(&s, "shin.L")) +
                     sn_vec3_distance(place_of(&s, "shin.L"), place_of(&s, "foot.L"));
        for (uint32_t f = 0; f < sn_motion_frame_count(s.motion); ++f) {
            snt_ok(sn_frame_evaluate(s.frame, s.motion, f, error));
            highest = fmax(highest, lowest(&s));
            deepest = fmin(deepest, lowest(&s));
            double now = sn_vec3_distance(place_of(&s, "thigh.L"), place_of(&s, "foot.L"));
            straightest = fmax(straightest, now / leg);
        }
        print_message("%s: lowest %.4f m, highest %.4f m, leg stretched to %.4f\n", clips[c],
                      deepest, highest, straightest);
        assert_true(deepest > -0.01);
        assert_true(highest > (c == 0 ? 0.015 : 0.15));
        assert_true(straightest < 0.999);
        close_person(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shipped_files_are_what_the_scene_writes),
        cmocka_unit_test(the_body_is_closed_and_of_the_usual_size),
        cmocka_unit_test(every_vertex_has_up_to_four_weights_and_every_joint_moves_some),
        cmocka_unit_test(every_face_has_a_colour),
        cmocka_unit_test(feet_that_stand_do_not_slide),
        cmocka_unit_test(run_and_jump_leave_the_ground_and_do_not_sink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
