// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "geometry/quadric.h"
#include "shapes.h"

#include <stdlib.h>

// A surface of triangles for the tests: arrays that live as long as the test.
typedef struct surface {
    uint32_t vertex_count, triangle_count;
    float *positions;
    uint32_t *vertices;
} surface;

static surface surface_new(uint32_t vertex_count, uint32_t triangle_count) {
    return (surface){vertex_count, triangle_count,
                     test_malloc((size_t)vertex_count * 3 * sizeof(float)),
                     test_malloc((size_t)triangle_count * 3 * sizeof(uint32_t))};
}

static void surface_free(surface *s) {
    test_free(s->positions);
    test_free(s->vertices);
}

// A grid of columns x rows vertices in the unit square of the plane z = 0.
static surface grid(uint32_t columns, uint32_t rows) {
    surface s = surface_new(columns * rows, 2 * (columns - 1) * (rows - 1));
    uint32_t *corner = s.vertices;
    for (uint32_t i = 0; i < columns * rows; ++i) {
        s.positions[3 * i] = (float)(i % columns) / (float)(columns - 1);
        s.positions[3 * i + 1] = (float)(i / columns) / (float)(rows - 1);
        s.positions[3 * i + 2] = 0;
        if (i % columns + 1 < columns && i / columns + 1 < rows) {
            const uint32_t quad[6] = {i, i + 1, i + columns + 1, i, i + columns + 1, i + columns};
            memcpy(corner, quad, sizeof quad);
            corner += 6;
        }
    }
    return s;
}

// A grid that is closed in both directions: a torus of radii 2 and 1, with noise.
static surface torus(uint32_t around, uint32_t across, double noise) {
    surface s = surface_new(around * across, 2 * around * across);
    snt_random random = {7};
    for (uint32_t i = 0; i < around * across; ++i) {
        double u = 2 * SN_PI * (i % around) / around, v = 2 * SN_PI * (i / around) / across;
        double r = 1 + snt_random_range(&random, -noise, noise);
        sn_vec3_store(
            sn_vec3_make((2 + r * cos(v)) * cos(u), (2 + r * cos(v)) * sin(u), r * sin(v)),
            s.positions + 3 * i);
        uint32_t right = i / around * around + (i + 1) % around;
        uint32_t up = (i + around) % (around * across);
        uint32_t diagonal = up / around * around + right % around;
        const uint32_t quad[6] = {i, right, diagonal, i, diagonal, up};
        memcpy(s.vertices + 6 * i, quad, sizeof quad);
    }
    return s;
}

static surface sphere(sn_context *context, uint32_t rings, uint32_t segments) {
    sn_mesh *mesh = snt_sphere(context, rings, segments);
    sn_triangles *triangles;
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    surface s = surface_new(mesh->vertex_count, triangles->count);
    memcpy(s.positions, mesh->positions, (size_t)mesh->vertex_count * 12);
    memcpy(s.vertices, triangles->vertices, (size_t)triangles->count * 12);
    sn_triangles_destroy(triangles);
    sn_mesh_destroy(mesh);
    return s;
}

static sn_decimate_desc desc_of(const surface *s) {
    sn_decimate_desc desc = sn_decimate_desc_default();
    desc.positions = s->positions;
    desc.vertex_count = s->vertex_count;
    desc.vertices = s->vertices;
    desc.triangle_count = s->triangle_count;
    return desc;
}

static sn_decimated *decimate(sn_context *context, const sn_decimate_desc *desc) {
    sn_decimated *result = NULL;
    snt_ok(sn_decimate(context, desc, NULL, &result, error));
    return result;
}

static sn_topology_summary summarize(const sn_decimated *result, int *euler) {
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(result->context, "result", result->vertex_count, result->triangle_count,
                          3 * result->triangle_count, &mesh, error));
    memcpy(mesh->positions, result->positions, (size_t)result->vertex_count * 12);
    memcpy(mesh->corners, result->vertices, (size_t)result->triangle_count * 12);
    for (uint32_t t = 0; t <= result->triangle_count; ++t) {
        mesh->face_offsets[t] = 3 * t;
    }
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    snt_ok(sn_topology_create(mesh, &topology, error));
    sn_topology_summarize(mesh, topology, &summary);
    *euler = (int)result->vertex_count - (int)topology->edge_count + (int)result->triangle_count;
    sn_topology_destroy(topology);
    sn_mesh_destroy(mesh);
    return summary;
}

// What holds for every result: maps that agree with each other, triangles that come from their
// origins, no number out of range.
static void check_maps(const sn_decimate_desc *desc, const sn_decimated *result) {
    for (uint32_t i = 0; i < result->vertex_count; ++i) {
        assert_int_equal(result->vertex_map[result->vertex_origins[i]], i);
        assert_true(i == 0 || result->vertex_origins[i] > result->vertex_origins[i - 1]);
    }
    for (uint32_t v = 0; v < desc->vertex_count; ++v) {
        assert_true(result->vertex_map[v] == SN_NONE ||
                    result->vertex_map[v] < result->vertex_count);
    }
    for (uint32_t t = 0; t < result->triangle_count; ++t) {
        const uint32_t *old = desc->vertices + 3 * (size_t)result->triangle_origins[t];
        for (int i = 0; i < 3; ++i) {
            assert_int_equal(result->vertices[3 * t + i], result->vertex_map[old[i]]);
        }
    }
}

static void knows_quadrics(void **state) {
    (void)state;
    sni_quadric q = {0};
    sni_quadric_add_plane(&q, sn_vec3_make(1, 0, 0), 0, 1);
    sni_quadric_add_plane(&q, sn_vec3_make(0, 1, 0), 0, 1);
    sni_quadric_add_plane(&q, sn_vec3_make(0, 0, 1), 0, 1);
    snt_near(sni_quadric_error(&q, sn_vec3_make(1, 2, 2)), 9, 1e-12);
    sn_vec3 best;
    assert_true(sni_quadric_minimum(&q, &best));
    snt_near(sn_vec3_length(best), 0, 1e-12);
    q = (sni_quadric){0};
    sni_quadric_add_plane(&q, sn_vec3_make(0, 0, 1), 0, 1);
    sni_quadric_add_plane(&q, sn_vec3_make(0, 0, 1), -1, 1);
    assert_false(sni_quadric_minimum(&q, &best));
    snt_near(sni_quadric_error(&q, sn_vec3_make(3, -4, 0.5)), 0.5, 1e-12);
    snt_near(sni_quadric_error(&q, sn_vec3_make(0, 0, 0)), 1, 1e-12);
    q = (sni_quadric){0};
    sni_quadric_add_point(&q, sn_vec3_make(1, 2, 3), 2);
    sni_quadric_add_point(&q, sn_vec3_make(3, 2, 3), 2);
    assert_true(sni_quadric_minimum(&q, &best));
    snt_near(sn_vec3_distance(best, sn_vec3_make(2, 2, 3)), 0, 1e-12);
    snt_near(sni_quadric_error(&q, best), 4, 1e-12);
}

static void reduces_a_flat_grid_to_two_triangles(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    surface s = grid(10, 10);
    uint8_t locked[100] = {0};
    locked[0] = locked[9] = locked[90] = locked[99] = 1;
    sn_decimate_desc desc = desc_of(&s);
    desc.locked = locked;
    sn_decimated *result = decimate(context, &desc);
    assert_int_equal(result->vertex_count, 4);
    assert_int_equal(result->triangle_count, 2);
    assert_true(result->total_error < 1e-12);
    check_maps(&desc, result);
    const float corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    assert_memory_equal(result->positions, corners, sizeof corners);
    sn_mass mass;
    snt_ok(sn_mass_compute(context, result->positions, result->vertices, 2, &mass, error));
    snt_near(mass.area, 1, 1e-12);
    sn_decimated_destroy(result);
    surface_free(&s);
    snt_context_end(context);
}

static void keeps_flat_parts_and_borders_exact(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    surface s = grid(31, 17);
    // Half of it is flat, the other half a ramp; the crease between them lies on vertices.
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        s.positions[3 * v + 2] = fmaxf(0, s.positions[3 * v] - 0.5f);
    }
    sn_decimate_desc desc = desc_of(&s);
    desc.max_error = 1e-10;
    sn_decimated *result = decimate(context, &desc);
    assert_true(result->vertex_count <= 12);
    for (uint32_t v = 0; v < result->vertex_count; ++v) {
        const float *p = result->positions + 3 * v;
        snt_near(p[2], fmax(0, p[0] - 0.5), 2e-6);
    }
    sn_mass mass;
    snt_ok(sn_mass_compute(context, result->positions, result->vertices, result->triangle_count,
                           &mass, error));
    snt_near(mass.area, 0.5 + sqrt(0.5), 1e-5);
    check_maps(&desc, result);
    sn_decimated_destroy(result);
    surface_free(&s);
    snt_context_end(context);
}

static void keeps_the_topology(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    surface shapes[2] = {torus(60, 30, 0.05), sphere(context, 20, 31)};
    const int eulers[2] = {0, 2};
    const uint32_t targets[5] = {2000, 500, 100, 30, 0};
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 5; ++i) {
            sn_decimate_desc desc = desc_of(&shapes[k]);
            desc.target_triangles = targets[i];
            sn_decimated *result = decimate(context, &desc);
            int euler;
            sn_topology_summary summary = summarize(result, &euler);
            assert_true(summary.closed);
            assert_int_equal(euler, eulers[k]);
            assert_int_equal(summary.components, 1);
            assert_int_equal(summary.loose_vertices, 0);
            assert_true(
                i > 2 ||
                (result->triangle_count <= targets[i] && result->triangle_count + 2 > targets[i]) ||
                shapes[k].triangle_count <= targets[i]);
            check_maps(&desc, result);
            sn_decimated_destroy(result);
        }
        surface_free(&shapes[k]);
    }
    snt_context_end(context);
}

static void stays_near_the_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    surface s = sphere(context, 60, 90);
    sn_decimate_desc desc = desc_of(&s);
    desc.target_vertices = 200;
    sn_decimated *result = decimate(context, &desc);
    assert_int_equal(result->vertex_count, 200);
    sn_mass mass;
    snt_ok(sn_mass_compute(context, result->positions, result->vertices, result->triangle_count,
                           &mass, error));
    snt_near(mass.volume, 4 * SN_PI / 3, 0.03 * 4 * SN_PI / 3);
    for (uint32_t v = 0; v < result->vertex_count; ++v) {
        snt_near(sn_vec3_length(sn_vec3_load(result->positions + 3 * v)), 1, 0.03);
    }
    sn_decimated_destroy(result);
    surface_free(&s);
    snt_context_end(context);
}

static void keeps_locked_vertices(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    surface s = torus(50, 24, 0.08);
    for (uint32_t i = 0; i < 3 * s.vertex_count; ++i) {
        s.positions[i] += 1000.1f; // far away, where rounding would show
    }
    uint8_t *locked = test_calloc(s.vertex_count, 1);
    snt_random random = {11};
    for (int i = 0; i < 40; ++i) {
        locked[snt_random_u32(&random) % s.vertex_count] = 1;
    }
    sn_decimate_desc desc = desc_of(&s);
    desc.locked = locked;
    desc.regularity = 0.01;
    desc.target_triangles = 150;
    sn_decimated *result = decimate(context, &desc);
    assert_true(result->triangle_count < 200);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        if (locked[v]) {
            uint32_t number = result->vertex_map[v];
            assert_int_equal(result->vertex_origins[number], v);
            assert_memory_equal(result->positions + 3 * number, s.positions + 3 * v, 12);
        }
    }
    sn_decimated_destroy(result);
    test_free(locked);
    surface_free(&s);
    snt_context_end(context);
}

// Vertices with x > 0 and x < 0 of a sphere.
static void count_sides(const sn_decimated *result, uint32_t sides[2]) {
    sides[0] = sides[1] = 0;
    for (uint32_t v = 0; v < result->vertex_count; ++v) {
        sides[result->positions[3 * v] > 0] += 1;
    }
}

static void keeps_more_where_detail_is_asked(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    surface s = sphere(context, 50, 80);
    float *detail = test_malloc(s.vertex_count * sizeof *detail);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        detail[v] = s.positions[3 * v] > 0 ? 16 : 1;
    }
    sn_decimate_desc desc = desc_of(&s);
    desc.target_vertices = 400;
    desc.regularity = 0.1;
    uint32_t sides[2];
    sn_decimated *even = decimate(context, &desc);
    count_sides(even, sides);
    assert_true(sides[0] > 170 && sides[1] > 170);
    desc.detail = detail;
    sn_decimated *uneven = decimate(context, &desc);
    count_sides(uneven, sides);
    // The square root of 16.
    assert_true(sides[1] > 3 * sides[0] && sides[1] < 5 * sides[0]);
    sn_decimated_destroy(even);
    sn_decimated_destroy(uneven);
    test_free(detail);
    surface_free(&s);
    snt_context_end(context);
}

static void regularity_keeps_flat_parts_even(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    surface s = grid(41, 41);
    sn_decimate_desc desc = desc_of(&s);
    desc.regularity = 0.01;
    desc.target_triangles = 200;
    sn_decimated *result = decimate(context, &desc);
    sn_mass mass;
    for (uint32_t t = 0; t < result->triangle_count; ++t) {
        snt_ok(
            sn_mass_compute(context, result->positions, result->vertices + 3 * t, 1, &mass, error));
        assert_true(mass.area > 0.2 / 200 && mass.area < 4.0 / 200);
    }
    sn_decimated_destroy(result);
    surface_free(&s);
    snt_context_end(context);
}

// A triangle, a tetrahedron and a strip of two: nothing vanishes.
static void never_removes_a_component(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float positions[33] = {0, 0, 0, 1, 0, 0, 0, 1,  0, 5, 0, 0, 6, 0,  0, 5, 1,
                                 0, 5, 0, 1, 9, 0, 0, 10, 0, 0, 9, 1, 0, 10, 1, 0};
    const uint32_t vertices[21] = {0, 1, 2, 3, 5, 4, 3, 4, 6, 3, 6, 5, 4, 5, 6, 7, 8, 10, 7, 10, 9};
    sn_decimate_desc desc = sn_decimate_desc_default();
    desc.positions = positions;
    desc.vertex_count = 11;
    desc.vertices = vertices;
    desc.triangle_count = 7;
    desc.min_quality = 0;
    sn_decimated *result = decimate(context, &desc);
    int euler;
    assert_int_equal(summarize(result, &euler).components, 3);
    assert_int_equal(euler, 1 + 2 + 1);
    check_maps(&desc, result);
    sn_decimated_destroy(result);
    snt_context_end(context);
}

static void accepts_what_is_not_a_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    // Three sheets of a grid share the edge column x = 0; vertex n is loose, n + 1 too but locked.
    surface s = grid(9, 9);
    uint32_t n = s.vertex_count;
    surface three = surface_new(3 * n + 2, 3 * s.triangle_count + 2);
    memset(three.positions, 0, 3 * (size_t)three.vertex_count * sizeof(float));
    for (uint32_t sheet = 0; sheet < 3; ++sheet) {
        double angle = 2 * SN_PI * sheet / 3;
        for (uint32_t v = 0; v < n; ++v) {
            const float *p = s.positions + 3 * v;
            sn_vec3_store(sn_vec3_make(p[0] * cos(angle), p[1], p[0] * sin(angle)),
                          three.positions + 3 * (sheet * n + v));
        }
        for (uint32_t c = 0; c < 3 * s.triangle_count; ++c) {
            uint32_t v = s.vertices[c];
            three.vertices[sheet * 3 * s.triangle_count + c] = v % 9 == 0 ? v : sheet * n + v;
        }
    }
    uint32_t *extra = three.vertices + 9 * s.triangle_count;
    memcpy(extra, (uint32_t[]){4, 4, 5, 3 * n, 3 * n, 3 * n}, 24);
    uint8_t *locked = test_calloc(three.vertex_count, 1);
    locked[3 * n + 1] = 1;
    sn_decimate_desc desc = desc_of(&three);
    desc.locked = locked;
    sn_decimated *result = decimate(context, &desc);
    int euler;
    sn_topology_summary summary = summarize(result, &euler);
    assert_int_equal(summary.non_manifold_edges, 8);
    assert_int_equal(summary.degenerate_faces, 0);
    assert_int_equal(summary.loose_vertices, 1);
    assert_int_equal(result->vertex_map[3 * n], SN_NONE);
    assert_true(result->vertex_map[3 * n + 1] != SN_NONE);
    assert_true(result->triangle_count < 60);
    check_maps(&desc, result);
    sn_decimated_destroy(result);
    test_free(locked);
    surface_free(&three);
    surface_free(&s);
    snt_context_end(context);
}

// Random triangles over few vertices: whatever they are, collapses keep the Euler number.
static void keeps_the_topology_of_soups(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        snt_random random = {seed};
        surface s = surface_new(8 + snt_random_u32(&random) % 40, 10 + (uint32_t)(seed % 50));
        for (uint32_t i = 0; i < 3 * s.vertex_count; ++i) {
            s.positions[i] = (float)snt_random_range(&random, -1, 1);
        }
        for (uint32_t i = 0; i < 3 * s.triangle_count; ++i) {
            s.vertices[i] = snt_random_u32(&random) % s.vertex_count;
        }
        sn_decimate_desc desc = desc_of(&s);
        desc.target_triangles = s.triangle_count;
        sn_decimated *before = decimate(context, &desc);
        desc.target_triangles = 0;
        sn_decimated *after = decimate(context, &desc);
        int euler_before, euler_after;
        sn_topology_summary was = summarize(before, &euler_before);
        sn_topology_summary is = summarize(after, &euler_after);
        assert_int_equal(euler_before, euler_after);
        assert_int_equal(was.components, is.components);
        // A fin on such an edge may shrink to nothing.
        assert_true(was.non_manifold_edges >= is.non_manifold_edges);
        assert_int_equal(is.degenerate_faces + is.loose_vertices, 0);
        check_maps(&desc, after);
        sn_decimated_destroy(before);
        sn_decimated_destroy(after);
        surface_free(&s);
    }
    snt_context_end(context);
}

// A cone with a tip of 30,000 triangles: time in proportion.
static void simplifies_a_great_fan(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    enum { N = 30000 };
    surface s = surface_new(N + 2, 2 * N);
    memcpy(s.positions + 3 * N, (float[]){0, 1, 0, 0, 0, 0}, 24);
    for (uint32_t i = 0; i < N; ++i) {
        double angle = 2 * SN_PI * i / N;
        sn_vec3_store(sn_vec3_make(cos(angle), 0, -sin(angle)), s.positions + 3 * i);
        const uint32_t two[6] = {i, (i + 1) % N, N, (i + 1) % N, i, N + 1};
        memcpy(s.vertices + 6 * i, two, sizeof two);
    }
    sn_decimate_desc desc = desc_of(&s);
    desc.target_triangles = 100;
    desc.min_quality = 0;
    sn_decimated *result = decimate(context, &desc);
    int euler;
    assert_true(summarize(result, &euler).closed);
    assert_int_equal(euler, 2);
    assert_true(result->triangle_count <= 100);
    sn_decimated_destroy(result);
    surface_free(&s);
    snt_context_end(context);
}

static void stops_at_an_error(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    surface s = torus(60, 30, 0);
    sn_decimate_desc desc = desc_of(&s);
    uint32_t last = 0;
    for (double limit = 1e-1; limit > 1e-4; limit /= 10) {
        desc.max_error = limit;
        sn_decimated *result = decimate(context, &desc);
        assert_true(result->error <= limit);
        assert_true(result->triangle_count > last);
        last = result->triangle_count;
        sn_decimated_destroy(result);
    }
    desc.max_error = 0;
    sn_decimated *result = decimate(context, &desc);
    assert_int_equal(result->triangle_count, s.triangle_count);
    assert_memory_equal(result->positions, s.positions, 12 * (size_t)s.vertex_count);
    assert_memory_equal(result->vertices, s.vertices, 12 * (size_t)s.triangle_count);
    sn_decimated_destroy(result);
    surface_free(&s);
    snt_context_end(context);
}

static void accepts_nothing(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_decimate_desc desc = sn_decimate_desc_default();
    sn_decimated *result = decimate(context, &desc);
    assert_int_equal(result->vertex_count, 0);
    assert_int_equal(result->triangle_count, 0);
    sn_decimated_destroy(result);
    snt_context_end(context);
}

static void refuses_bad_input(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    surface s = grid(3, 3);
    sn_decimated *result = NULL;
    sn_decimate_desc desc = desc_of(&s);
    desc.check = 0;
    snt_fails(SN_INVALID, "sn_decimate_desc_default",
              sn_decimate(context, &desc, NULL, &result, error));
    desc = desc_of(&s);
    desc.vertex_count = 8;
    snt_fails(SN_INVALID, "triangle 6 uses vertex 8, but there are 8",
              sn_decimate(context, &desc, NULL, &result, error));
    desc = desc_of(&s);
    desc.regularity = -1;
    snt_fails(SN_INVALID, "regularity is -1", sn_decimate(context, &desc, NULL, &result, error));
    desc = desc_of(&s);
    desc.min_quality = 2;
    snt_fails(SN_INVALID, "quality is 2", sn_decimate(context, &desc, NULL, &result, error));
    desc = desc_of(&s);
    desc.max_error = NAN;
    snt_fails(SN_INVALID, "greatest error", sn_decimate(context, &desc, NULL, &result, error));
    desc = desc_of(&s);
    const float detail[9] = {1, 1, 1, 1, 0};
    desc.detail = detail;
    snt_fails(SN_INVALID, "vertex 4 has detail 0",
              sn_decimate(context, &desc, NULL, &result, error));
    desc = desc_of(&s);
    s.positions[16] = INFINITY;
    snt_fails(SN_INVALID, "vertex 5", sn_decimate(context, &desc, NULL, &result, error));
    surface_free(&s);
    snt_context_end(context);
}

static bool cancel(const char *step, double fraction, void *user) {
    (void)step;
    (void)fraction;
    return ++*(int *)user < 2;
}

static void can_be_cancelled(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    surface s = torus(100, 60, 0.01);
    sn_decimate_desc desc = desc_of(&s);
    int calls = 0;
    sn_progress progress = {cancel, &calls};
    sn_decimated *result = NULL;
    snt_fails(SN_CANCELLED, "", sn_decimate(context, &desc, &progress, &result, error));
    assert_null(result);
    surface_free(&s);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    sn_decimated *result = NULL;
    sn_decimate_desc desc = desc_of(user);
    desc.target_triangles = 10;
    sn_status status = sn_decimate(context, &desc, NULL, &result, error);
    sn_decimated_destroy(result);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    surface s = grid(5, 5);
    snt_fail_allocations(attempt, &s);
    surface_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_quadrics),
        cmocka_unit_test(reduces_a_flat_grid_to_two_triangles),
        cmocka_unit_test(keeps_flat_parts_and_borders_exact),
        cmocka_unit_test(keeps_the_topology),
        cmocka_unit_test(stays_near_the_surface),
        cmocka_unit_test(keeps_locked_vertices),
        cmocka_unit_test(keeps_more_where_detail_is_asked),
        cmocka_unit_test(regularity_keeps_flat_parts_even),
        cmocka_unit_test(never_removes_a_component),
        cmocka_unit_test(accepts_what_is_not_a_surface),
        cmocka_unit_test(keeps_the_topology_of_soups),
        cmocka_unit_test(simplifies_a_great_fan),
        cmocka_unit_test(stops_at_an_error),
        cmocka_unit_test(accepts_nothing),
        cmocka_unit_test(refuses_bad_input),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
