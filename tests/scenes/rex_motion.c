// SPDX-License-Identifier: Apache-2.0
//
// The rex in motion: its muscles lie as deep as asked under the rough skin, and the jaw clip moves
// the skin without tearing it.
#include "test.h"

#include "muscle/patch/patch.h"
#include "sinew/character.h"
#include "sinew/eval.h"

#include <math.h>
#include <stdlib.h>

enum { MUSCLES = 12 };

static sn_context *context;
static sn_character *character;
static sn_model *model;
static sn_motion *motion;
static sn_frame *frame;
static uint32_t skin_surface;
static const sn_mesh *skin;
static sn_triangles *triangles;

static int load(void **state) {
    (void)state;
    context = snt_context(1);
    snt_ok(
        sn_character_load(context, snt_source("examples/rex/rex.sinew.json"), &character, error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_motion_open(model, "jaw", &motion, error));
    snt_ok(sn_frame_create(model, &frame, error));
    while (strcmp(sn_model_surface(model, skin_surface)->name, "skin") != 0) {
        skin_surface += 1;
    }
    skin = sn_model_surface(model, skin_surface)->mesh;
    snt_ok(sn_triangles_create(skin, skin->positions, &triangles, error));
    return 0;
}

static int unload(void **state) {
    (void)state;
    sn_triangles_destroy(triangles);
    sn_frame_destroy(frame);
    sn_motion_destroy(motion);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
    return 0;
}

static sn_vec3 point(const float *points, uint32_t vertex) {
    return sn_vec3_load(points + 3 * (size_t)vertex);
}

// ---------------------------------------------------------------------------------------------
// Muscles

// The nearest hit of all triangles one by one (Moller and Trumbore 1997); INFINITY for none.
static double first_hit(sn_vec3 origin, sn_vec3 direction) {
    double nearest = INFINITY;
    for (uint32_t t = 0; t < triangles->count; ++t) {
        const uint32_t *v = triangles->vertices + 3 * (size_t)t;
        sn_vec3 a = point(skin->positions, v[0]);
        sn_vec3 e = sn_vec3_sub(point(skin->positions, v[1]), a);
        sn_vec3 f = sn_vec3_sub(point(skin->positions, v[2]), a);
        sn_vec3 h = sn_vec3_cross(direction, f), s = sn_vec3_sub(origin, a);
        sn_vec3 q = sn_vec3_cross(s, e);
        double det = sn_vec3_dot(e, h), u = sn_vec3_dot(s, h) / det,
               w = sn_vec3_dot(direction, q) / det, d = sn_vec3_dot(f, q) / det;
        if (det != 0 && u >= -1e-9 && w >= -1e-9 && u + w <= 1 + 1e-9 && d > 0 && d < nearest) {
            nearest = d;
        }
    }
    return nearest;
}

typedef struct drawn {
    double parameters[SNI_PATCH_PARAMETER_COUNT];
    sni_skin_place places[2][8];
    sni_muscle_curve curves[2];
} drawn;

static void read_muscle(const sn_value *value, const sn_accel *accel, drawn *made) {
    sni_parameters_defaults(&sni_muscle_patch.parameters, made->parameters);
    made->parameters[SNI_PATCH_SKIN_THICKNESS] =
        sn_value_number(sn_value_get(value, "skin_thickness"), 0);
    made->parameters[SNI_PATCH_MUSCLE_THICKNESS] =
        sn_value_number(sn_value_get(value, "muscle_thickness"), 0);
    made->parameters[SNI_PATCH_NORMALS] = SNI_PATCH_CURVE_NORMALS;
    assert_string_equal(sn_value_string(sn_value_get(value, "normals"), ""), "curves");
    for (uint32_t c = 0; c < 2; ++c) {
        const sn_value *points = sn_value_at(sn_value_get(value, "curves"), c);
        for (uint32_t i = 0; i < sn_value_count(points); ++i) {
            const sn_value *p = sn_value_at(points, i);
            sn_vec3 at = {sn_value_at(p, 0)->as.number, sn_value_at(p, 1)->as.number,
                          sn_value_at(p, 2)->as.number};
            assert_true(sni_skin_place_find(accel, at, 0.02, &made->places[c][i]));
        }
        made->curves[c] = (sni_muscle_curve){sn_value_count(points), made->places[c]};
    }
}

// Makes each muscle of the document as the model does, and measures from every point of its basis
// grid along its normal to the first triangle of the skin. Left and right are mirror images, as
// the skin is one of itself and concave polygons have the same triangles in a mirror.
static void muscles_lie_as_deep_as_asked(void **state) {
    (void)state;
    const sn_value *muscles =
        sn_value_get(sn_json_root(sn_character_document(character)), "muscles");
    sn_accel *accel = NULL;
    float *normals = malloc(12 * (size_t)skin->vertex_count);
    sn_vec3 left[64] = {{0}};
    uint32_t points = 0, hidden = 0, deep = 0;
    double apart = 0; // left and right
    snt_ok(sn_mesh_normals(skin, skin->positions, normals, error));
    snt_ok(sn_accel_create(context, skin->positions, skin->vertex_count, triangles->vertices,
                           triangles->count, &accel, error));
    assert_int_equal(sn_value_count(muscles), MUSCLES);
    for (uint32_t m = 0; m < MUSCLES; ++m) {
        const sn_value *value = sn_value_at(muscles, m);
        drawn made;
        read_muscle(value, accel, &made);
        sni_drawn_input input = {.mesh = skin,
                                 .triangles = triangles,
                                 .accel = accel,
                                 .normals = normals,
                                 .curve_count = 2,
                                 .curves = made.curves,
                                 .segment = SN_NONE};
        sni_muscle_job job = {.context = context,
                              .name = value->key,
                              .parameters = made.parameters,
                              .inputs = {[SNI_PATCH_DRAWN] = &input}};
        sni_patch_grid grid;
        snt_ok(sni_patch_generate(&job, &grid, error));
        double asked =
            made.parameters[SNI_PATCH_SKIN_THICKNESS] + made.parameters[SNI_PATCH_MUSCLE_THICKNESS];
        for (size_t k = 0; k < sni_patch_count(&grid); ++k) {
            double depth = first_hit(grid.points[k], grid.normals[k]);
            if (isinf(depth)) {
                hidden += 1;
            } else {
                snt_near(depth, asked, 0.01 * asked);
            }
            sn_vec3 image = {-grid.points[k].x, grid.points[k].y, grid.points[k].z};
            if (m % 2 == 1) {
                apart = fmax(apart, sn_vec3_distance(image, left[k]));
            }
            left[k] = grid.points[k];
        }
        points += (uint32_t)sni_patch_count(&grid);
        deep += grid.too_deep;
        sni_patch_grid_deinit(context, &grid);
    }
    print_message(
        "%u grid points, %u without skin above them, %u too deep; left and right differ by "
        "at most %.2g m\n",
        points, hidden, deep, apart);
    assert_true(apart < 1e-9);
    assert_int_equal(points, MUSCLES * 48);
    assert_int_equal(hidden, 0);
    assert_int_equal(deep, 0);
    sn_accel_destroy(accel);
    free(normals);
}

// ---------------------------------------------------------------------------------------------
// The clip

static sn_vec3 face_normal(const float *points, uint32_t face) {
    sn_vec3 sum = {0, 0, 0}, first = point(points, skin->corners[skin->face_offsets[face]]);
    for (uint32_t c = skin->face_offsets[face] + 1; c + 1 < skin->face_offsets[face + 1]; ++c) {
        sn_vec3 a = sn_vec3_sub(point(points, skin->corners[c]), first);
        sn_vec3 b = sn_vec3_sub(point(points, skin->corners[c + 1]), first);
        sum = sn_vec3_add_scaled(sum, 0.5, sn_vec3_cross(a, b));
    }
    return sum; // as long as the face is large
}

// A face is turned inside out when it looks against its rest normal in the frames of all segments.
static bool is_inside_out(const float *points, uint32_t face) {
    sn_vec3 rest = face_normal(skin->positions, face), now = face_normal(points, face);
    bool out = true;
    for (uint32_t s = 0; s < 5 && out; ++s) {
        sn_mat4 back;
        assert_true(sn_mat4_invert(&sn_model_rest_worlds(model)[s], &back));
        sn_mat4 turn = sn_mat4_multiply(&sn_frame_worlds(frame)[s], &back);
        out = sn_vec3_dot(sn_mat4_direction(&turn, rest), now) <= 0;
    }
    return out;
}

// No face turns inside out or loses 95 % of its area. Of 25,000 edges none shrinks below an
// eighth or grows beyond two and a half times its length, and at most 10 at once beyond twice.
static void the_jaw_clip_keeps_the_skin_whole(void **state) {
    (void)state;
    sn_topology *topology = NULL;
    snt_ok(sn_topology_create(skin, &topology, error));
    double least = INFINITY, most = 0;
    uint32_t long_edges = 0, turned = 0, collapsed = 0;
    for (uint32_t n = 0; n < sn_motion_frame_count(motion); ++n) {
        snt_ok(sn_frame_evaluate(frame, motion, n, error));
        const float *points = sn_frame_points(frame, skin_surface);
        uint32_t long_now = 0;
        for (uint32_t i = 0; i < 3 * skin->vertex_count; ++i) {
            assert_true(isfinite(points[i]));
        }
        for (uint32_t e = 0; e < topology->edge_count; ++e) {
            uint32_t a = topology->edges[2 * e], b = topology->edges[2 * e + 1];
            double ratio = sn_vec3_distance(point(points, a), point(points, b)) /
                           sn_vec3_distance(point(skin->positions, a), point(skin->positions, b));
            least = fmin(least, ratio);
            most = fmax(most, ratio);
            long_now += ratio > 2;
        }
        long_edges = long_now > long_edges ? long_now : long_edges;
        for (uint32_t f = 0; f < skin->face_count && n % 4 == 0; ++f) {
            double area = sn_vec3_length(face_normal(skin->positions, f));
            collapsed += sn_vec3_length(face_normal(points, f)) < 0.05 * area;
            turned += is_inside_out(points, f);
        }
    }
    print_message("edges %.3f to %.3f of their length, %u beyond twice; %u faces turned, %u "
                  "collapsed\n",
                  least, most, long_edges, turned, collapsed);
    assert_true(least > 0.125 && most < 2.5);
    assert_true(long_edges <= 10);
    assert_int_equal(turned, 0);
    assert_int_equal(collapsed, 0);
    sn_topology_destroy(topology);
}

// With the head held straight, what the left side does the right one does too. Vertices and their
// images are paired by their places at rest.
static void both_sides_move_alike(void **state) {
    (void)state;
    uint32_t *mirror = malloc(skin->vertex_count * sizeof *mirror);
    sn_accel *accel = NULL;
    snt_ok(sn_accel_create(context, skin->positions, skin->vertex_count, triangles->vertices,
                           triangles->count, &accel, error));
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        sn_vec3 p = point(skin->positions, i), image = {-p.x, p.y, p.z};
        sn_closest closest;
        sn_accel_find_closest(accel, image, 0.001, &closest);
        assert_true(closest.triangle != SN_NONE);
        mirror[i] = SN_NONE;
        for (int c = 0; c < 3; ++c) {
            uint32_t v = triangles->vertices[3 * (size_t)closest.triangle + c];
            if (sn_vec3_distance(point(skin->positions, v), image) == 0) {
                mirror[i] = v;
            }
        }
        assert_true(mirror[i] != SN_NONE);
    }
    snt_ok(sn_frame_set(frame, "head.rz_deg", 0, error));
    double worst = 0;
    for (uint32_t n = 0; n < sn_motion_frame_count(motion); n += 6) {
        snt_ok(sn_frame_evaluate(frame, motion, n, error));
        const float *points = sn_frame_points(frame, skin_surface);
        for (uint32_t i = 0; i < skin->vertex_count; ++i) {
            sn_vec3 p = point(points, i), q = point(points, mirror[i]);
            worst = fmax(worst, sn_vec3_distance(sn_vec3_make(-p.x, p.y, p.z), q));
        }
    }
    sn_frame_clear(frame);
    print_message("left and right differ by at most %.2g m\n", worst);
    assert_true(worst < 1e-6);
    sn_accel_destroy(accel);
    free(mirror);
}

// How far a muscle's control moves the skin at most.
static double effect_of(const char *control, double value) {
    float *before = malloc(12 * (size_t)skin->vertex_count);
    double most = 0;
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    memcpy(before, sn_frame_points(frame, skin_surface), 12 * (size_t)skin->vertex_count);
    snt_ok(sn_frame_set(frame, control, value, error));
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        most = fmax(most, sn_vec3_distance(point(before, i),
                                           point(sn_frame_points(frame, skin_surface), i)));
    }
    sn_frame_clear(frame);
    free(before);
    return most;
}

static void controls_move_the_skin(void **state) {
    (void)state;
    static const char *const controls[] = {"bite", "snarl", "flare", "swallow", "neck"};
    for (size_t i = 0; i < sizeof controls / sizeof *controls; ++i) {
        double most = effect_of(controls[i], 1);
        print_message("%s moves the skin by at most %.1f mm\n", controls[i], most * 1000);
        assert_true(most > 0.008 && most < 0.12);
    }
}

// The jaw drives cheeks and temples: relaxed at rest, contracted when it shuts; the cheeks as well
// when it opens.
static void the_jaw_drives_its_muscles(void **state) {
    (void)state;
    uint32_t cheek = 0;
    while (strcmp(sn_model_control_name(model, cheek), "cheek") != 0) {
        cheek += 1;
    }
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    snt_near(sn_frame_controls(frame)[cheek], 0, 0);
    snt_ok(sn_frame_set(frame, "jaw.rx_deg", -18, error));
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    snt_near(sn_frame_controls(frame)[cheek], 0.28, 1e-9);
    snt_ok(sn_frame_set(frame, "jaw.rx_deg", 30, error));
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    snt_near(sn_frame_controls(frame)[cheek], 0.25, 1e-9);
    sn_frame_clear(frame);
}

// With the jaw wide open the cheeks stand out from a rex without muscles, and no edge pays for it.
static void cheeks_show_when_the_jaw_is_wide_open(void **state) {
    (void)state;
    size_t bytes = 12 * (size_t)skin->vertex_count;
    float *without = malloc(bytes);
    snt_ok(sn_frame_set(frame, "jaw.rx_deg", 30, error));
    snt_ok(sn_frame_set(frame, "cheek", 0, error));
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    memcpy(without, sn_frame_points(frame, skin_surface), bytes);
    sn_frame_clear(frame);
    snt_ok(sn_frame_set(frame, "jaw.rx_deg", 30, error));
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    const float *with = sn_frame_points(frame, skin_surface);
    double most[2] = {0, 0}; // right and left
    uint32_t moving = 0;
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        double moved = sn_vec3_distance(point(with, i), point(without, i));
        uint32_t side = skin->positions[3 * (size_t)i] > 0;
        most[side] = fmax(most[side], moved);
        moving += moved > 0.01;
    }
    print_message(
        "wide open, cheeks move the skin by at most %.1f mm, %u points by 10 mm and more\n",
        most[0] * 1000, moving);
    assert_true(most[0] > 0.03 && most[1] > 0.03); // of a head 2.5 m long
    assert_true(most[0] < 0.12);
    assert_true(moving > 400);
    free(without);
    sn_frame_clear(frame);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(muscles_lie_as_deep_as_asked),
        cmocka_unit_test(the_jaw_clip_keeps_the_skin_whole),
        cmocka_unit_test(both_sides_move_alike),
        cmocka_unit_test(controls_move_the_skin),
        cmocka_unit_test(the_jaw_drives_its_muscles),
        cmocka_unit_test(cheeks_show_when_the_jaw_is_wide_open),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
