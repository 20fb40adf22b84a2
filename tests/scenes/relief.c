// SPDX-License-Identifier: Apache-2.0
//
// Mirrored surfaces and relief on them, on a ball of 40 mm.
#include "test.h"

#include "surfaces.h"

#include "scenes/modeller.h"
#include "scenes/relief.h"

#include <math.h>
#include <stdlib.h>

typedef struct ball {
    sn_context *context;
    scn_field *field;
    scn_builder builder;
    uint32_t *mirror;
    sn_vec3 *normals;
    scn_relief *relief;
} ball;

static void make_ball(ball *b) {
    static const scn_part part = {.name = "ball", .count = 1, .stations = {{0, 0, 0, 40, 40}}};
    const scn_frame frame = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    b->context = snt_context(1);
    b->field = scn_field_create(&part, 1, &frame, 1, 1);
    assert_non_null(b->field);
    scn_builder_init(&b->builder);
    assert_true(scn_field_mesh_mirrored(b->field, 0.005, &b->builder, &b->mirror));
    b->normals = malloc(b->builder.vertex_count * sizeof *b->normals);
    assert_non_null(b->normals);
    for (uint32_t i = 0; i < b->builder.vertex_count; ++i) {
        sn_vec3 p = b->builder.vertices[i].position;
        b->normals[i] = sn_vec3_normalize_or(p, p);
    }
    b->relief = scn_relief_begin(&b->builder, b->mirror, b->normals);
    assert_non_null(b->relief);
}

static sn_mesh *finish(ball *b) {
    sn_mesh *mesh = NULL;
    scn_relief_end(b->relief);
    snt_ok(scn_builder_finish(&b->builder, b->context, "ball", &mesh, error));
    return mesh;
}

static void free_ball(ball *b, sn_mesh *mesh) {
    sn_mesh_destroy(mesh);
    scn_relief_destroy(b->relief);
    scn_builder_deinit(&b->builder);
    scn_field_destroy(b->field);
    free(b->mirror);
    free(b->normals);
    snt_context_end(b->context);
}

static uint32_t nearest_vertex(const ball *b, sn_vec3 point) {
    uint32_t best = 0;
    for (uint32_t i = 0; i < b->builder.vertex_count; ++i) {
        if (sn_vec3_distance(b->builder.vertices[i].position, point) <
            sn_vec3_distance(b->builder.vertices[best].position, point)) {
            best = i;
        }
    }
    return best;
}

static void both_halves_have_the_same_bits(void **state) {
    (void)state;
    ball b;
    make_ball(&b);
    uint32_t on_the_plane = 0;
    for (uint32_t i = 0; i < b.builder.vertex_count; ++i) {
        sn_vec3 p = b.builder.vertices[i].position, q = b.builder.vertices[b.mirror[i]].position;
        assert_int_equal(b.mirror[b.mirror[i]], i);
        assert_true(p.x == -q.x && p.y == q.y && p.z == q.z);
        on_the_plane += p.x == 0;
        snt_near(sn_vec3_length(p), 0.04, 0.0005);
    }
    assert_true(on_the_plane > 20);
    sn_mesh *mesh = finish(&b);
    check_ball(mesh);
    assert_int_equal(mesh->corner_count, 4 * mesh->face_count);
    free_ball(&b, mesh);
}

static const scn_relief_form spike = {
    .count = 1, .rings = {{0.5, 0.002, 0}}, .pointed = true, .height = 0.01};
static const scn_relief_form plate = {.count = 1, .rings = {{0.8, 0.001, 0}}};

// A spike off the plane and its image, and a plate on the plane: the mesh stays closed, the tip has
// as many edges as the border, the plate as many sides.
static void relief_keeps_the_mesh_closed_and_symmetric(void **state) {
    (void)state;
    ball b;
    make_ball(&b);
    uint32_t before = b.builder.quad_count;
    uint32_t side = nearest_vertex(&b, sn_vec3_make(0.03, 0.02, 0.017));
    uint32_t top = nearest_vertex(&b, sn_vec3_make(0, 0.04, 0));
    assert_true(b.mirror[side] != side && b.mirror[top] == top);
    assert_true(scn_relief_around(b.relief, side, 2, &spike));
    assert_true(scn_relief_around(b.relief, top, 1, &plate));
    sn_mesh *mesh = finish(&b);
    check_ball(mesh);
    assert_true(mesh->face_count > before);
    uint32_t tips = 0, most_sides = 0;
    double sum = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        double height = sn_vec3_length(sn_vec3_load(mesh->positions + 3 * (size_t)i)) - 0.04;
        tips += height > 0.0095;
        sum += mesh->positions[3 * (size_t)i];
    }
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t sides = mesh->face_offsets[f + 1] - mesh->face_offsets[f];
        most_sides = sides > most_sides ? sides : most_sides;
    }
    assert_int_equal(tips, 2);
    assert_true(most_sides >= 6);
    snt_near(sum, 0, 1e-6);
    free_ball(&b, mesh);
}

static void relief_does_not_overlap(void **state) {
    (void)state;
    ball b;
    make_ball(&b);
    uint32_t side = nearest_vertex(&b, sn_vec3_make(0.03, 0.02, 0.017));
    assert_true(scn_relief_around(b.relief, side, 1, &plate));
    uint32_t count = b.builder.vertex_count;
    assert_false(scn_relief_around(b.relief, side, 1, &plate));
    assert_false(scn_relief_around(b.relief, b.mirror[side], 2, &spike));
    // So close to the plane that it would run into its own image.
    uint32_t near = nearest_vertex(&b, sn_vec3_make(0.005, 0, 0.04));
    assert_true(b.mirror[near] != near);
    assert_false(scn_relief_around(b.relief, near, 2, &spike));
    // Nothing there to take out.
    assert_false(scn_relief_within(b.relief, sn_vec3_make(0.03, 0, 0), 0.0001,
                                   sn_vec3_make(1, 0, 0), &spike));
    assert_int_equal(b.builder.vertex_count, count);
    sn_mesh *mesh = finish(&b);
    check_ball(mesh);
    free_ball(&b, mesh);
}

// An oval on a ball of its own: all points of the ring lie on it.
static void ovals_rest_on_their_ball(void **state) {
    (void)state;
    ball b;
    make_ball(&b);
    const sn_vec3 center = {0.03, 0, 0}, axis = {1, 0, 0};
    const scn_relief_form lid = {
        .count = 1, .rings = {{0, 0, 0.009}}, .ball = 0.012, .squeeze = {0, 0.4, 0}};
    uint32_t count = b.builder.vertex_count;
    assert_true(scn_relief_within(b.relief, center, 0.015, axis, &lid));
    double highest = 0, widest = 0;
    for (uint32_t i = count; i < b.builder.vertex_count; ++i) {
        sn_vec3 p = b.builder.vertices[i].position;
        snt_near(sn_vec3_distance(sn_vec3_make(fabs(p.x), p.y, p.z), center), 0.012, 1e-9);
        highest = fmax(highest, fabs(p.y));
        widest = fmax(widest, fabs(p.z));
    }
    snt_near(widest, 0.009, 0.0005);
    snt_near(highest, 0.6 * 0.009, 0.0005);
    sn_mesh *mesh = finish(&b);
    check_ball(mesh);
    free_ball(&b, mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_halves_have_the_same_bits),
        cmocka_unit_test(relief_keeps_the_mesh_closed_and_symmetric),
        cmocka_unit_test(relief_does_not_overlap),
        cmocka_unit_test(ovals_rest_on_their_ball),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
