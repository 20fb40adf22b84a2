// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "shapes.h"

#include <stdlib.h>

static sn_vec3 vertex(const sn_mesh *mesh, uint32_t v) {
    return sn_vec3_load(mesh->positions + 3 * (size_t)v);
}

// Twice the area vector of a triangle.
static sn_vec3 area_vector(const sn_mesh *mesh, const uint32_t *vertices) {
    sn_vec3 a = vertex(mesh, vertices[0]);
    return sn_vec3_cross(sn_vec3_sub(vertex(mesh, vertices[1]), a),
                         sn_vec3_sub(vertex(mesh, vertices[2]), a));
}

// What holds for every face: n - 2 triangles in order, corners of that face and their vertices.
static void check_structure(const sn_mesh *mesh, const sn_triangles *triangles) {
    uint32_t t = 0;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t begin = mesh->face_offsets[f], end = mesh->face_offsets[f + 1];
        for (uint32_t i = begin + 2; i < end; ++i, ++t) {
            assert_true(t < triangles->count);
            assert_int_equal(triangles->faces[t], f);
            for (int k = 0; k < 3; ++k) {
                uint32_t corner = triangles->corners[3 * t + k];
                assert_true(corner >= begin && corner < end);
                assert_int_equal(triangles->vertices[3 * t + k], mesh->corners[corner]);
            }
        }
    }
    assert_int_equal(t, triangles->count);
}

// Twice the area by the shoelace formula over the outline.
static double outline_area(uint32_t count, const double *xy) {
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const double *p = xy + 2 * i, *q = xy + 2 * ((i + 1) % count);
        sum += (float)p[0] * (double)(float)q[1] - (float)p[1] * (double)(float)q[0];
    }
    return sum;
}

// Puts the plane z = 0 anywhere in space.
static void tilt(sn_mesh *mesh, snt_random *random) {
    sn_vec3 axis = {snt_random_range(random, -1, 1), snt_random_range(random, -1, 1),
                    snt_random_range(random, -1, 1)};
    sn_quat turn = sn_quat_from_axis_angle(sn_vec3_normalize_or(axis, sn_vec3_make(1, 0, 0)),
                                           snt_random_range(random, 0, 6));
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sn_vec3_store(sn_quat_rotate(turn, vertex(mesh, v)), mesh->positions + 3 * v);
    }
}

// Cuts a simple polygon, counter-clockwise: all triangles turn like the outline and have area, and
// their areas add up to the outline's, so that none overlap.
static void check_polygon(sn_context *context, uint32_t count, const double *xy,
                          snt_random *random) {
    for (int round = 0; round < 2; ++round) {
        sn_mesh *mesh = snt_polygon(context, count, xy);
        double expected = outline_area(count, xy);
        assert_true(expected > 0);
        sn_vec3 normal = {0, 0, 1};
        if (round == 1) {
            tilt(mesh, random);
            sn_vec3 sum = {0, 0, 0};
            for (uint32_t i = 0; i < count; ++i) {
                sum =
                    sn_vec3_add(sum, sn_vec3_cross(vertex(mesh, i), vertex(mesh, (i + 1) % count)));
            }
            normal = sn_vec3_normalize_or(sum, normal);
        }
        sn_triangles *triangles;
        snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
        check_structure(mesh, triangles);
        double total = 0;
        for (uint32_t t = 0; t < triangles->count; ++t) {
            sn_vec3 vector = area_vector(mesh, triangles->vertices + 3 * t);
            // Rounded to float, a tilted straight edge is not quite straight.
            double least = round == 0 ? 0 : -1e-6 * expected;
            assert_true(sn_vec3_dot(vector, normal) > least);
            total += sn_vec3_length(vector);
        }
        snt_near(total, expected, 1e-5 * expected);
        sn_triangles_destroy(triangles);
        sn_mesh_destroy(mesh);
    }
}

#define CHECK(...)                                                                                 \
    do {                                                                                           \
        const double xy[] = {__VA_ARGS__};                                                         \
        check_polygon(context, sizeof xy / sizeof *xy / 2, xy, &random);                           \
    } while (0)

static void cuts_concave_shapes(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {1};
    CHECK(0, 0, 1, 0, 0, 1);
    CHECK(0, 0, 4, 0, 1, 1, 0, 4);                         // arrow head
    CHECK(0, 4, 0, 0, 4, 0, 1, 1);                         // turned
    CHECK(1, 1, 0, 4, 0, 0, 4, 0);                         // concave corner first
    CHECK(0, 0, 3, 0, 3, 1, 1, 1, 1, 3, 0, 3);             // L
    CHECK(0, 0, 3, 0, 3, 3, 2, 3, 2, 1, 1, 1, 1, 3, 0, 3); // U
    CHECK(0, 0, 2, 0, 4, 0, 4, 4, 2, 4, 0, 4, 0, 2);       // straight corners
    CHECK(0, 0, 1, 0, 2, 0, 3, 0, 3, 1);                   // all but one on a line
    CHECK(0, 0, 4, 0, 4, 4, 2, 0.5, 0, 4);                 // deep V
    CHECK(0, 0, 9, 0, 9, 9, 0, 9, 0, 2, 7, 2, 7, 7, 2, 7, 2, 4, 5, 4, 5, 5, 3, 5, 3, 6, 6, 6, 6, 3,
          1, 3, 1, 8, 8, 8, 8, 1, 0, 1); // spiral
    snt_context_end(context);
}

static void cuts_stars(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {2};
    for (uint32_t round = 0; round < 300; ++round) {
        uint32_t count = 3 + snt_random_u32(&random) % 150;
        double xy[2 * 153];
        for (uint32_t i = 0; i < count; ++i) {
            double angle = 2 * SN_PI * i / count, radius = snt_random_range(&random, 0.1, 2);
            xy[2 * i] = radius * cos(angle);
            xy[2 * i + 1] = radius * sin(angle);
        }
        check_polygon(context, count, xy, &random);
    }
    snt_context_end(context);
}

// Teeth of random depth along a bar, with points on their straight sides.
static void cuts_combs(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {3};
    for (uint32_t teeth = 1; teeth < 60; teeth += 3) {
        double xy[2 * 512] = {0, -1, 2.0 * teeth, -1};
        uint32_t count = 2;
        for (uint32_t i = teeth; i > 0; --i) {
            double height = snt_random_u32(&random) % 8 + 1;
            const double tooth[] = {2.0 * i, 0,           2.0 * i,    height,      2.0 * i - 1,
                                    height,  2.0 * i - 1, height / 2, 2.0 * i - 1, 0};
            memcpy(xy + 2 * count, tooth, sizeof tooth);
            count += 5;
        }
        xy[2 * count] = 0;
        xy[2 * count + 1] = 0;
        check_polygon(context, count + 1, xy, &random);
    }
    snt_context_end(context);
}

// A long corridor that goes up and down at random, as its two walls.
static void cuts_corridors(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {4};
    for (int round = 0; round < 50; ++round) {
        double right[400], left[400], xy[800];
        uint32_t steps = 5 + snt_random_u32(&random) % 150;
        double y = 0;
        for (uint32_t i = 0; i < steps; ++i) {
            y += snt_random_range(&random, -3, 3);
            right[2 * i] = left[2 * i] = i;
            right[2 * i + 1] = y;
            left[2 * i + 1] = y + snt_random_range(&random, 0.01, 0.5);
        }
        for (uint32_t i = 0; i < steps; ++i) {
            memcpy(xy + 2 * i, right + 2 * i, 2 * sizeof *xy);
            memcpy(xy + 2 * (steps + i), left + 2 * (steps - 1 - i), 2 * sizeof *xy);
        }
        check_polygon(context, 2 * steps, xy, &random);
    }
    snt_context_end(context);
}

static sn_triangles *cut_one(sn_mesh *mesh) {
    sn_triangles *triangles;
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    check_structure(mesh, triangles);
    return triangles;
}

static double total_area(const sn_mesh *mesh, const sn_triangles *triangles) {
    double total = 0;
    for (uint32_t t = 0; t < triangles->count; ++t) {
        total += sn_vec3_length(area_vector(mesh, triangles->vertices + 3 * t)) / 2;
    }
    return total;
}

// Faces whose outline is not simple, with the area that must be covered; negative for any.
static void survives_degenerate_faces(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const struct {
        uint32_t count;
        double area;
        double xy[24];
    } cases[] = {
        {5, 1, {0, 0, 1, 0, 1, 0, 1, 1, 0, 1}},             // doubled corner
        {7, 1, {0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0}}, // tripled, across the seam
        {6, 1, {0, 0, 1, 0, 1, 1, 2, 2, 1, 1, 0, 1}},       // spike to the outside
        {6, 1, {0, 0, 1, 0, 1, 1, 0.5, 0.5, 1, 1, 0, 1}},   // spike to the inside
        {6, 0, {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0}},       // a line
        {5, 0, {0, 0, 3, 0, 1, 0, 5, 0, 2, 0}},             // a line, back and forth
        {5, 0, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},             // a point
        {4, 0, {0, 0, 1, 0, 2, 0, 3, 0}},
        {4, -1, {0, 0, 1, 1, 1, 0, 0, 1}},           // bow tie
        {5, -1, {0, 2, -1, -2, 2, 1, -2, 1, 1, -2}}, // pentagram
        {6, -1, {0, 0, 2, 0, 2, 2, 1, -1, 0, 2, 1, 1}},
        // A square with a square hole, reached along a seam.
        {10, 12, {0, 0, 4, 0, 4, 4, 0, 4, 0, 0, 1, 1, 1, 3, 3, 3, 3, 1, 1, 1}},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_mesh *mesh = snt_polygon(context, cases[i].count, cases[i].xy);
        sn_triangles *triangles = cut_one(mesh);
        if (cases[i].area >= 0) {
            snt_near(total_area(mesh, triangles), cases[i].area, 1e-12);
        }
        sn_triangles_destroy(triangles);
        sn_mesh_destroy(mesh);
    }
    snt_context_end(context);
}

static void expect_vertices(sn_context *context, uint32_t count, const double *xy,
                            const uint32_t *expected) {
    sn_mesh *mesh = snt_polygon(context, count, xy);
    sn_triangles *triangles = cut_one(mesh);
    assert_memory_equal(triangles->vertices, expected, (count - 2) * 3 * sizeof *expected);
    sn_triangles_destroy(triangles);
    sn_mesh_destroy(mesh);
}

static void follows_the_rules_for_quads_and_fans(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const uint32_t split_02[] = {0, 1, 2, 0, 2, 3}, split_13[] = {0, 1, 3, 1, 2, 3};
    expect_vertices(context, 4, (double[]){0, 0, 1, 0, 1, 1, 0, 1}, split_02); // equal: the first
    expect_vertices(context, 4, (double[]){0, 0, 2, 0, 3, 2, 1, 2}, split_13); // shorter
    expect_vertices(context, 4, (double[]){0, 0, 2, 0, 1, 2, -1, 2}, split_02);
    // Concave at corner 1, although the other diagonal is shorter.
    expect_vertices(context, 4, (double[]){0, 0, 0.1, 1, 3, 4, -3, 4}, split_13);
    const uint32_t fan[] = {0, 1, 2, 0, 2, 3, 0, 3, 4};
    expect_vertices(context, 5, (double[]){0, 0, 2, 0, 3, 1, 1, 3, -1, 1}, fan);
    snt_context_end(context);
}

static void skips_points_and_lines(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t sizes[3] = {1, 2, 3}, corners[6] = {0, 1, 2, 0, 1, 2};
    sn_mesh *mesh = snt_mesh(context, 3, positions, 3, sizes, corners);
    sn_triangles *triangles = cut_one(mesh);
    assert_int_equal(triangles->count, 1);
    assert_int_equal(triangles->faces[0], 2);
    sn_triangles_destroy(triangles);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// A face larger than those that are cut in parallel, with straight stretches and hard corners.
static void cuts_a_gear_with_thousands_of_corners(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    uint32_t count = 6000;
    double *xy = malloc(2 * count * sizeof *xy);
    for (uint32_t i = 0; i < count; ++i) {
        double angle = 2 * SN_PI * i / count, radius = i / 3 % 2 == 0 ? 1 : 0.9;
        xy[2 * i] = radius * cos(angle);
        xy[2 * i + 1] = radius * sin(angle);
    }
    snt_random random = {5};
    check_polygon(context, count, xy, &random);
    free(xy);
    snt_context_end(context);
}

static void gives_the_same_for_any_thread_count(void **state) {
    (void)state;
    const uint32_t counts[] = {1, 2, 3, 8, 32};
    sn_triangles *first = NULL;
    sn_context *first_context = snt_context(1);
    for (int i = 0; i < 5; ++i) {
        sn_context *context = i == 0 ? first_context : snt_context(counts[i]);
        sn_mesh *mesh = snt_sphere(context, 60, 80);
        sn_triangles *triangles = cut_one(mesh);
        if (i > 0) {
            assert_int_equal(triangles->count, first->count);
            assert_memory_equal(triangles->corners, first->corners, first->count * 12);
            sn_triangles_destroy(triangles);
        } else {
            first = triangles;
        }
        sn_mesh_destroy(mesh);
        if (i > 0) {
            snt_context_end(context);
        }
    }
    sn_triangles_destroy(first);
    snt_context_end(first_context);
}

static sn_status try_triangles(sn_context *context, void *user, sn_error *error) {
    sn_mesh local = *(const sn_mesh *)user;
    local.context = context;
    sn_triangles *triangles;
    sn_status status = sn_triangles_create(&local, local.positions, &triangles, error);
    sn_triangles_destroy(triangles);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    double xy[200];
    for (uint32_t i = 0; i < 100; ++i) {
        xy[2 * i] = cos(i * SN_PI / 50);
        xy[2 * i + 1] = sin(i * SN_PI / 50);
    }
    sn_mesh *mesh = snt_polygon(context, 100, xy);
    snt_fail_allocations(try_triangles, mesh);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// A triangle of an outline of up to 64 corners as a set of bits.
static uint64_t corner_set(const uint32_t *corners) {
    return (uint64_t)1 << corners[0] | (uint64_t)1 << corners[1] | (uint64_t)1 << corners[2];
}

static bool has_triangle(const sn_triangles *triangles, uint64_t set) {
    for (uint32_t t = 0; t < triangles->count; ++t) {
        if (corner_set(triangles->corners + 3 * (size_t)t) == set) {
            return true;
        }
    }
    return false;
}

// The mirror image of a concave face, run through from another corner on, has the same triangles.
static void mirrored_faces_have_the_same_triangles(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {12};
    for (uint32_t round = 0; round < 300; ++round) {
        uint32_t count = 8 + snt_random_u32(&random) % 57, start = snt_random_u32(&random) % count;
        double xy[2 * 64];
        for (uint32_t i = 0; i < count; ++i) {
            double angle = 2 * SN_PI * i / count, radius = snt_random_range(&random, 0.1, 2);
            xy[2 * i] = radius * cos(angle);
            xy[2 * i + 1] = radius * sin(angle);
        }
        sn_mesh *mesh = snt_polygon(context, count, xy), *image = snt_polygon(context, count, xy);
        tilt(mesh, &random);
        for (uint32_t i = 0; i < count; ++i) { // corner i is the image of `from`
            uint32_t from = (start + count - i) % count;
            sn_vec3 p = vertex(mesh, from);
            sn_vec3_store(sn_vec3_make(-p.x, p.y, p.z), image->positions + 3 * (size_t)i);
        }
        sn_triangles *triangles, *images;
        snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
        snt_ok(sn_triangles_create(image, image->positions, &images, error));
        assert_int_equal(triangles->count, images->count);
        for (uint32_t t = 0; t < images->count; ++t) {
            uint32_t corners[3];
            for (int k = 0; k < 3; ++k) {
                corners[k] = (start + count - images->corners[3 * (size_t)t + k]) % count;
            }
            assert_true(has_triangle(triangles, corner_set(corners)));
        }
        sn_triangles_destroy(triangles);
        sn_triangles_destroy(images);
        sn_mesh_destroy(mesh);
        sn_mesh_destroy(image);
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_concave_shapes),
        cmocka_unit_test(cuts_stars),
        cmocka_unit_test(cuts_combs),
        cmocka_unit_test(cuts_corridors),
        cmocka_unit_test(mirrored_faces_have_the_same_triangles),
        cmocka_unit_test(survives_degenerate_faces),
        cmocka_unit_test(follows_the_rules_for_quads_and_fans),
        cmocka_unit_test(skips_points_and_lines),
        cmocka_unit_test(cuts_a_gear_with_thousands_of_corners),
        cmocka_unit_test(gives_the_same_for_any_thread_count),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
