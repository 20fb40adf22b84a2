// SPDX-License-Identifier: Apache-2.0
//
// The search is compared with two others: one triangle after the other with the library's own
// formulas, which must agree in every bit, and with formulas of this file (in long double), which
// must agree within rounding.
#include "test.h"

#include "geometry/accel.h"
#include "geometry/triangle.h"
#include "shapes.h"

#include <stdlib.h>

// ---------------------------------------------------------------------------------------------
// A second method

typedef struct point {
    long double x, y, z;
} point;

static point to_point(const float *p) {
    return (point){p[0], p[1], p[2]};
}

static point minus(point a, point b) {
    return (point){a.x - b.x, a.y - b.y, a.z - b.z};
}

static long double dot(point a, point b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static point cross(point a, point b) {
    return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static long double to_segment(point a, point b, point p) {
    point ab = minus(b, a), ap = minus(p, a);
    long double t = dot(ab, ab) > 0 ? dot(ap, ab) / dot(ab, ab) : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    point d = {ap.x - t * ab.x, ap.y - t * ab.y, ap.z - t * ab.z};
    return sqrtl(dot(d, d));
}

// The distance as the least of three segments and, inside the prism over the triangle, the plane.
static double distance_to(const float *positions, const uint32_t *v, sn_vec3 q) {
    point a = to_point(positions + 3 * v[0]), b = to_point(positions + 3 * v[1]);
    point c = to_point(positions + 3 * v[2]), p = {q.x, q.y, q.z};
    long double best = fminl(to_segment(a, b, p), fminl(to_segment(b, c, p), to_segment(c, a, p)));
    point n = cross(minus(b, a), minus(c, a));
    if (dot(n, n) > 0 && dot(cross(n, minus(b, a)), minus(p, a)) >= 0 &&
        dot(cross(n, minus(c, b)), minus(p, b)) >= 0 &&
        dot(cross(n, minus(a, c)), minus(p, c)) >= 0) {
        best = fminl(best, fabsl(dot(n, minus(p, a))) / sqrtl(dot(n, n)));
    }
    return (double)best;
}

// Moeller and Trumbore 1997. `inside` is the smallest barycentric coordinate: how far from the
// border the ray passes.
static bool ray_meets(const float *positions, const uint32_t *v, sn_vec3 o, sn_vec3 d,
                      double *distance, double *inside) {
    point a = to_point(positions + 3 * v[0]);
    point e = minus(to_point(positions + 3 * v[1]), a),
          f = minus(to_point(positions + 3 * v[2]), a);
    point direction = {d.x, d.y, d.z}, s = minus((point){o.x, o.y, o.z}, a);
    point h = cross(direction, f), q = cross(s, e);
    long double det = dot(e, h);
    if (det == 0) {
        *inside = 0;
        return false;
    }
    long double u = dot(s, h) / det, w = dot(direction, q) / det;
    *distance = (double)(dot(f, q) / det * sqrtl(dot(direction, direction)));
    *inside = (double)fminl(u, fminl(w, 1 - u - w));
    return *inside >= 0;
}

// ---------------------------------------------------------------------------------------------
// Surfaces to search

typedef struct surface {
    sn_context *context;
    sn_mesh *mesh;
    sn_triangles *triangles;
    sn_accel *accel;
} surface;

static surface surface_of(sn_context *context, sn_mesh *mesh) {
    surface made = {.context = context, .mesh = mesh};
    snt_ok(sn_triangles_create(mesh, mesh->positions, &made.triangles, error));
    snt_ok(sn_accel_create(context, mesh->positions, mesh->vertex_count, made.triangles->vertices,
                           made.triangles->count, &made.accel, error));
    return made;
}

static void surface_end(surface *made) {
    sn_accel_destroy(made->accel);
    sn_triangles_destroy(made->triangles);
    sn_mesh_destroy(made->mesh);
}

static surface bumpy_sphere(sn_context *context, uint32_t rings, uint32_t segments, uint64_t seed) {
    sn_mesh *mesh = snt_sphere(context, rings, segments);
    snt_random random = {seed};
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        float scale = (float)snt_random_range(&random, 0.9, 1.1);
        for (int k = 0; k < 3; ++k) {
            mesh->positions[3 * v + k] *= scale;
        }
    }
    return surface_of(context, mesh);
}

static sn_vec3 random_point(snt_random *random, double size) {
    return sn_vec3_make(snt_random_range(random, -size, size),
                        snt_random_range(random, -size, size),
                        snt_random_range(random, -size, size));
}

// The closest triangle with the library's formula, one after the other.
static uint32_t scan_closest(const surface *s, sn_vec3 p, double *distance) {
    uint32_t best = SN_NONE;
    double best2 = INFINITY;
    for (uint32_t t = 0; t < s->triangles->count; ++t) {
        double weights[3];
        uint32_t sorted[3];
        sni_triangle_sort(s->mesh->positions, s->triangles->vertices + 3 * t, sorted, NULL);
        sni_triangle triangle = sni_triangle_load(s->mesh->positions, sorted);
        double distance2 = sni_triangle_closest(&triangle, p, weights);
        if (distance2 < best2) {
            best2 = distance2;
            best = t;
        }
    }
    *distance = sqrt(best2);
    return best;
}

static void check_closest(const surface *s, sn_vec3 p) {
    sn_closest closest;
    sn_accel_find_closest(s->accel, p, INFINITY, &closest);
    double distance;
    assert_int_equal(closest.triangle, scan_closest(s, p, &distance));
    assert_true(closest.distance == distance);
    double least = INFINITY;
    for (uint32_t t = 0; t < s->triangles->count; ++t) {
        least = fmin(least, distance_to(s->mesh->positions, s->triangles->vertices + 3 * t, p));
    }
    snt_near(closest.distance, least, 1e-12);
    const double *b = closest.barycentric;
    snt_near(b[0] + b[1] + b[2], 1, 1e-14);
    assert_true(b[0] >= -1e-12 && b[1] >= -1e-12 && b[2] >= -1e-12);
    sn_vec3 sum = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        uint32_t v = s->triangles->vertices[3 * closest.triangle + i];
        sum = sn_vec3_add_scaled(sum, b[i], sn_vec3_load(s->mesh->positions + 3 * v));
    }
    snt_near(sn_vec3_distance(sum, closest.point), 0, 1e-12);
    snt_near(sn_vec3_distance(p, closest.point), closest.distance, 1e-10);
}

// ---------------------------------------------------------------------------------------------
// Closest points

static void finds_the_parts_of_a_triangle(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const double xy[6] = {0, 0, 4, 0, 0, 4};
    surface s = surface_of(context, snt_polygon(context, 3, xy));
    static const struct {
        sn_vec3 point;
        double distance;
        double barycentric[3];
    } cases[] = {
        {{1, 1, 2}, 2, {0.5, 0.25, 0.25}}, // face
        {{1, 1, 0}, 0, {0.5, 0.25, 0.25}}, // on it
        {{-3, -4, 0}, 5, {1, 0, 0}},       // corners
        {{7, -4, 0}, 5, {0, 1, 0}},        {{-3, 8, 0}, 5, {0, 0, 1}},
        {{1, -3, 4}, 5, {0.75, 0.25, 0}}, // edges
        {{-3, 2, 4}, 5, {0.5, 0, 0.5}},    {{5, 5, 0}, 3 * 1.4142135623730951, {0, 0.5, 0.5}},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_closest closest;
        sn_accel_find_closest(s.accel, cases[i].point, INFINITY, &closest);
        assert_int_equal(closest.triangle, 0);
        snt_near(closest.distance, cases[i].distance, 1e-14);
        for (int k = 0; k < 3; ++k) {
            snt_near(closest.barycentric[k], cases[i].barycentric[k], 1e-15);
        }
    }
    surface_end(&s);
    snt_context_end(context);
}

static void keeps_to_the_radius(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    surface s = surface_of(context, snt_cube(context));
    sn_closest closest;
    sn_vec3 p = {0.5, 0.5, 4};
    sn_accel_find_closest(s.accel, p, 3, &closest);
    assert_true(closest.triangle != SN_NONE && closest.distance == 3);
    sn_accel_find_closest(s.accel, p, nextafter(3, 0), &closest);
    assert_true(closest.triangle == SN_NONE);
    sn_accel_find_closest(s.accel, sn_vec3_make(1, 1, 1), 0, &closest);
    assert_true(closest.triangle != SN_NONE && closest.distance == 0);
    const double none[] = {-1, NAN, -INFINITY};
    for (int i = 0; i < 3; ++i) {
        sn_accel_find_closest(s.accel, sn_vec3_make(1, 1, 1), none[i], &closest);
        assert_true(closest.triangle == SN_NONE);
    }
    sn_accel_find_closest(s.accel, sn_vec3_make(NAN, 0, 0), INFINITY, &closest);
    assert_true(closest.triangle == SN_NONE);
    sn_accel_find_closest(s.accel, sn_vec3_make(INFINITY, 0, 0), INFINITY, &closest);
    assert_true(closest.triangle == SN_NONE);
    surface_end(&s);
    snt_context_end(context);
}

static void equals_brute_force(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {21};
    surface sphere = bumpy_sphere(context, 20, 30, 5);
    for (int i = 0; i < 400; ++i) {
        check_closest(&sphere, random_point(&random, i < 200 ? 1.3 : 20));
    }
    surface_end(&sphere);
    for (int round = 0; round < 30; ++round) {
        surface soup = surface_of(context, snt_soup(context, &random, 40, 60));
        for (int i = 0; i < 50 && soup.triangles->count > 0; ++i) {
            check_closest(&soup, random_point(&random, 1.5));
            uint32_t v =
                soup.triangles->vertices[snt_random_u32(&random) % (3 * soup.triangles->count)];
            check_closest(&soup, sn_vec3_load(soup.mesh->positions + 3 * v));
        }
        surface_end(&soup);
    }
    snt_context_end(context);
}

// From whatever place the search begins.
static void gives_distances_alone(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {22};
    surface sphere = bumpy_sphere(context, 20, 30, 5);
    uint32_t near = SN_NONE;
    for (int i = 0; i < 400; ++i) {
        sn_vec3 p = i % 4 > 0 ? random_point(&random, 1.3)
                              : sn_vec3_load(sphere.mesh->positions + 3 * (size_t)i);
        sn_closest closest;
        sn_accel_find_closest(sphere.accel, p, INFINITY, &closest);
        assert_true(sni_accel_distance(sphere.accel, p, &near) == closest.distance);
        assert_true(near != SN_NONE);
        uint32_t again = near;
        assert_true(sni_accel_distance(sphere.accel, p, &again) == closest.distance);
    }
    surface_end(&sphere);
    sn_accel *empty;
    snt_ok(sn_accel_create(context, NULL, 0, NULL, 0, &empty, error));
    near = SN_NONE;
    assert_true(sni_accel_distance(empty, sn_vec3_make(0, 0, 0), &near) == INFINITY);
    sn_accel_destroy(empty);
    snt_context_end(context);
}

// A flat board of n x n unit squares in z = 0, its faces in random order.
static sn_mesh *shuffled_board(sn_context *context, uint32_t n, snt_random *random) {
    sn_mesh *mesh;
    snt_ok(sn_mesh_create(context, "board", (n + 1) * (n + 1), n * n, 4 * n * n, &mesh, error));
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sn_vec3_store(sn_vec3_make(v % (n + 1), v / (n + 1), 0), mesh->positions + 3 * v);
    }
    for (uint32_t f = 0; f < n * n; ++f) {
        uint32_t v = f / n * (n + 1) + f % n;
        const uint32_t square[4] = {v, v + 1, v + n + 2, v + n + 1};
        uint32_t other = snt_random_u32(random) % (f + 1), turn = snt_random_u32(random) % 4;
        memcpy(mesh->corners + 4 * f, mesh->corners + 4 * other, sizeof square);
        for (int i = 0; i < 4; ++i) {
            mesh->corners[4 * other + i] = square[(i + turn) % 4];
        }
        mesh->face_offsets[f + 1] = 4 * f + 4;
    }
    return mesh;
}

// The lowest triangle that has (x, y), in whole halves, on its inside or border: exact.
static uint32_t lowest_over(const surface *s, double x, double y) {
    for (uint32_t t = 0; t < s->triangles->count; ++t) {
        bool is_inside = true;
        for (int k = 0; k < 3; ++k) {
            const float *a = s->mesh->positions + 3 * s->triangles->vertices[3 * t + k];
            const float *b = s->mesh->positions + 3 * s->triangles->vertices[3 * t + (k + 1) % 3];
            is_inside = is_inside && (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) >= 0;
        }
        if (is_inside) {
            return t;
        }
    }
    return SN_NONE;
}

static void breaks_ties_by_the_lowest_triangle(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {4};
    for (int round = 0; round < 5; ++round) {
        surface s = surface_of(context, shuffled_board(context, 9, &random));
        for (int x = 0; x <= 18; ++x) {
            for (int y = 0; y <= 18; ++y) {
                uint32_t expected = lowest_over(&s, x / 2.0, y / 2.0);
                sn_closest closest;
                sn_accel_find_closest(s.accel, sn_vec3_make(x / 2.0, y / 2.0, 3), INFINITY,
                                      &closest);
                assert_int_equal(closest.triangle, expected);
                sn_accel_find_closest(s.accel, sn_vec3_make(x / 2.0, y / 2.0, 0), INFINITY,
                                      &closest);
                assert_int_equal(closest.triangle, expected);
                sn_hit hit;
                sn_accel_cast(s.accel, sn_vec3_make(x / 2.0, y / 2.0, 3), sn_vec3_make(0, 0, -2), 0,
                              INFINITY, &hit);
                assert_int_equal(hit.triangle, expected);
                assert_true(hit.distance == 3);
            }
        }
        surface_end(&s);
    }
    // From the middle of a cube all faces are equally far.
    surface cube = surface_of(context, snt_cube(context));
    sn_closest closest;
    sn_accel_find_closest(cube.accel, sn_vec3_make(0.5, 0.5, 0.5), INFINITY, &closest);
    assert_int_equal(closest.triangle, 0);
    surface_end(&cube);
    snt_context_end(context);
}

// Copies of one surface that share no vertices, each turned over: the lowest is found, in spite of
// any rounding.
static void breaks_ties_between_copies(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {8};
    enum { COUNT = 40 };
    float positions[2 * COUNT * 9];
    uint32_t vertices[2 * COUNT * 3];
    for (uint32_t i = 0; i < COUNT * 9; ++i) {
        positions[i] = (float)snt_random_range(&random, -1, 1);
    }
    for (uint32_t t = 0; t < COUNT; ++t) {
        memcpy(positions + 9 * (COUNT + t), positions + 9 * t, 9 * sizeof *positions);
        const uint32_t turned[3] = {3 * (COUNT + t) + 1, 3 * (COUNT + t), 3 * (COUNT + t) + 2};
        memcpy(vertices + 3 * t, turned, sizeof turned);
        for (uint32_t k = 0; k < 3; ++k) {
            vertices[3 * (COUNT + t) + k] = 3 * t + k;
        }
    }
    sn_accel *accel;
    snt_ok(sn_accel_create(context, positions, 6 * COUNT, vertices, 2 * COUNT, &accel, error));
    for (int i = 0; i < 2000; ++i) {
        sn_vec3 p = random_point(&random, 1.5), d = random_point(&random, 1);
        sn_closest closest;
        sn_accel_find_closest(accel, p, INFINITY, &closest);
        assert_true(closest.triangle < COUNT);
        sn_hit hit;
        sn_accel_cast(accel, p, d, 0, INFINITY, &hit);
        assert_true(hit.triangle < COUNT || hit.triangle == SN_NONE);
    }
    sn_accel_destroy(accel);
    snt_context_end(context);
}

static void takes_flat_triangles_for_lines_and_points(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float positions[] = {0, 0, 0, 1, 0, 0, 3, 0, 0, 9, 9, 9, 0.1f, 0.2f, 0.3f};
    const uint32_t vertices[] = {1, 0, 2, 3, 3, 3, 4, 4, 0};
    sn_accel *accel;
    snt_ok(sn_accel_create(context, positions, 5, vertices, 3, &accel, error));
    sn_closest closest;
    sn_accel_find_closest(accel, sn_vec3_make(2.5, 3, 4), INFINITY, &closest);
    assert_int_equal(closest.triangle, 0);
    snt_near(closest.distance, 5, 1e-14);
    snt_near(closest.point.x, 2.5, 1e-14);
    sn_accel_find_closest(accel, sn_vec3_make(9, 9, 10), INFINITY, &closest);
    assert_int_equal(closest.triangle, 1);
    snt_near(closest.distance, 1, 1e-14);
    sn_hit hit;
    sn_accel_cast(accel, sn_vec3_make(2, 1, 0), sn_vec3_make(0, -1, 0), 0, INFINITY, &hit);
    assert_true(hit.triangle == SN_NONE);
    sn_accel_destroy(accel);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Rays

// Skips rays that graze a border, where the two methods may differ.
static void check_ray(const surface *s, sn_vec3 o, sn_vec3 d) {
    sn_hit hit;
    sn_accel_cast(s->accel, o, d, 0, INFINITY, &hit);
    uint32_t best = SN_NONE;
    double best_distance = INFINITY;
    for (uint32_t t = 0; t < s->triangles->count; ++t) {
        double distance = 0, inside;
        bool meets =
            ray_meets(s->mesh->positions, s->triangles->vertices + 3 * t, o, d, &distance, &inside);
        if (fabs(inside) < 1e-9 || fabs(distance) < 1e-9) {
            return;
        }
        if (meets && distance >= 0 && distance < best_distance) {
            best = t;
            best_distance = distance;
        }
    }
    assert_int_equal(hit.triangle, best);
    if (best != SN_NONE) {
        snt_near(hit.distance, best_distance, 1e-11 * (1 + best_distance));
        sn_vec3 unit = sn_vec3_normalize_or(d, sn_vec3_make(0, 0, 1));
        sn_vec3 expected = sn_vec3_add_scaled(o, hit.distance, unit);
        snt_near(sn_vec3_distance(hit.point, expected), 0, 1e-11 * (1 + best_distance));
        snt_near(hit.barycentric[0] + hit.barycentric[1] + hit.barycentric[2], 1, 1e-14);
    }
}

static void casts_like_brute_force(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {31};
    surface sphere = bumpy_sphere(context, 20, 30, 6);
    for (int i = 0; i < 600; ++i) {
        sn_vec3 o = random_point(&random, i % 3 == 0 ? 1 : i % 3 == 1 ? 5 : 1000);
        sn_vec3 d =
            sn_vec3_sub(random_point(&random, 1), i % 2 == 0 ? o : random_point(&random, 1));
        check_ray(&sphere, o, sn_vec3_scale(d, pow(10, snt_random_range(&random, -140, 140))));
    }
    surface_end(&sphere);
    for (int round = 0; round < 30; ++round) {
        surface soup = surface_of(context, snt_soup(context, &random, 40, 60));
        for (int i = 0; i < 50; ++i) {
            check_ray(&soup, random_point(&random, 2), random_point(&random, 1));
        }
        surface_end(&soup);
    }
    snt_context_end(context);
}

// Whatever vertex or edge a ray from within aims at, it cannot leave.
static void never_slips_between_triangles(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    surface s = bumpy_sphere(context, 40, 60, 9);
    snt_random random = {12};
    const float *positions = s.mesh->positions;
    for (uint32_t t = 0; t < s.triangles->count; ++t) {
        const uint32_t *v = s.triangles->vertices + 3 * t;
        sn_vec3 o = random_point(&random, 0.3);
        for (int k = 0; k < 3; ++k) {
            sn_vec3 a = sn_vec3_load(positions + 3 * v[k]);
            sn_vec3 b = sn_vec3_load(positions + 3 * v[(k + 1) % 3]);
            const double weights[] = {0, 0.5, snt_random_range(&random, 0, 1)};
            for (int i = 0; i < 3; ++i) {
                sn_vec3 aim = sn_vec3_lerp(a, b, weights[i]);
                sn_hit hit;
                sn_accel_cast(s.accel, o, sn_vec3_sub(aim, o), 0, INFINITY, &hit);
                assert_true(hit.triangle != SN_NONE);
                // From outside, seen through the same spot.
                sn_vec3 outside = sn_vec3_add_scaled(aim, 5, sn_vec3_sub(aim, o));
                sn_accel_cast(s.accel, outside, sn_vec3_sub(o, outside), 0, INFINITY, &hit);
                assert_true(hit.triangle != SN_NONE);
            }
        }
    }
    surface_end(&s);
    snt_context_end(context);
}

static void keeps_between_near_and_far(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    surface s = surface_of(context, snt_cube(context));
    sn_vec3 o = {0.25, 0.375, -2}, d = {0, 0, 7};
    const struct {
        double near, far, expected;
    } cases[] = {
        {0, INFINITY, 2},    {2, 2, 2},    {2.5, INFINITY, 3}, {3, 3, 3},
        {3.5, INFINITY, -1}, {0, 1.5, -1}, {2.25, 2.5, -1},    {5, 1, -1},
        {NAN, 9, -1},        {0, NAN, -1}, {-INFINITY, 9, 2},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_hit hit;
        sn_accel_cast(s.accel, o, d, cases[i].near, cases[i].far, &hit);
        assert_true((hit.triangle == SN_NONE) == (cases[i].expected < 0));
        assert_true(hit.triangle == SN_NONE || hit.distance == cases[i].expected);
    }
    sn_hit hit;
    sn_accel_cast(s.accel, o, sn_vec3_make(0, 0, 0), 0, INFINITY, &hit);
    assert_true(hit.triangle == SN_NONE);
    sn_accel_cast(s.accel, o, sn_vec3_make(0, NAN, 1), 0, INFINITY, &hit);
    assert_true(hit.triangle == SN_NONE);
    surface_end(&s);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Trees

enum { PROBES = 3000 };

typedef struct probes {
    sn_closest closest[PROBES];
    sn_hit hits[PROBES];
} probes;

typedef struct probe_job {
    const sn_accel *accel;
    probes *results;
} probe_job;

static void probe_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const probe_job *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        snt_random random = {i * 77 + 5};
        sn_vec3 p = random_point(&random, 1.5), d = random_point(&random, 1);
        sn_accel_find_closest(job->accel, p, i % 3 == 0 ? 0.1 : INFINITY,
                              &job->results->closest[i]);
        sn_accel_cast(job->accel, p, d, 0, INFINITY, &job->results->hits[i]);
    }
}

static probes *probe(sn_context *context, const sn_accel *accel) {
    probes *results = calloc(1, sizeof *results);
    probe_job job = {accel, results};
    sn_parallel_for(context, PROBES, 64, probe_block, &job);
    return results;
}

static void bend(sn_mesh *mesh, double angle) {
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        float *p = mesh->positions + 3 * v;
        double turn = angle * p[1];
        sn_vec3_store(sn_vec3_make(p[0] * cos(turn) - p[2] * sin(turn), p[1] * (1 + turn / 3),
                                   p[0] * sin(turn) + p[2] * cos(turn)),
                      p);
    }
}

static void updates_like_a_new_tree(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    surface s = bumpy_sphere(context, 70, 90, 15);
    for (int round = 0; round < 4; ++round) {
        bend(s.mesh, 0.7);
        snt_ok(sn_accel_update(s.accel, s.mesh->positions, false, error));
        probes *refitted = probe(context, s.accel);
        snt_ok(sn_accel_update(s.accel, s.mesh->positions, true, error));
        probes *rebuilt = probe(context, s.accel);
        sn_accel *fresh;
        snt_ok(sn_accel_create(context, s.mesh->positions, s.mesh->vertex_count,
                               s.triangles->vertices, s.triangles->count, &fresh, error));
        probes *created = probe(context, fresh);
        assert_memory_equal(refitted, created, sizeof *created);
        assert_memory_equal(rebuilt, created, sizeof *created);
        sn_accel_destroy(fresh);
        free(refitted);
        free(rebuilt);
        free(created);
    }
    // What cannot be used changes nothing.
    probes *before = probe(context, s.accel);
    s.mesh->positions[7] = NAN;
    snt_fails(SN_INVALID, "vertex 2 has the y coordinate nan",
              sn_accel_update(s.accel, s.mesh->positions, false, error));
    probes *after = probe(context, s.accel);
    assert_memory_equal(before, after, sizeof *before);
    free(before);
    free(after);
    surface_end(&s);
    snt_context_end(context);
}

static void has_the_same_bits_for_any_thread_count(void **state) {
    (void)state;
    const uint32_t counts[] = {1, 2, 3, 8, 32};
    probes *first = NULL;
    for (int i = 0; i < 5; ++i) {
        sn_context *context = snt_context(counts[i]);
        surface s = bumpy_sphere(context, 150, 160, 15);
        probes *results = probe(context, s.accel);
        if (i == 0) {
            first = results;
        } else {
            assert_memory_equal(results, first, sizeof *first);
            free(results);
        }
        surface_end(&s);
        snt_context_end(context);
    }
    free(first);
}

static void works_at_any_size_and_distance(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float sizes[] = {1e-40f, 1e-20f, 1e20f, 1.7e38f};
    for (int i = 0; i < 4; ++i) {
        double size = sizes[i];
        sn_mesh *mesh = snt_cube(context);
        for (int k = 0; k < 24; ++k) {
            mesh->positions[k] *= sizes[i];
        }
        surface s = surface_of(context, mesh);
        sn_closest closest;
        sn_accel_find_closest(s.accel, sn_vec3_make(3 * size, size / 2, size / 4), 2.5 * size,
                              &closest);
        assert_true(closest.triangle != SN_NONE);
        snt_near(closest.distance / size, 2, 1e-12);
        sn_hit hit;
        sn_accel_cast(s.accel, sn_vec3_make(3 * size, size / 2, size / 4), sn_vec3_make(-9, 0, 0),
                      0, INFINITY, &hit);
        snt_near(hit.distance / size, 2, 1e-12);
        surface_end(&s);
    }
    surface s = surface_of(context, snt_cube(context));
    const double distances[] = {1e3, 1e5, 1e6, 3e6, 1e9, 1e15};
    for (int i = 0; i < 6; ++i) {
        double d = distances[i];
        sn_closest closest;
        sn_accel_find_closest(s.accel, sn_vec3_make(0.25, d, 0.5), INFINITY, &closest);
        snt_near(closest.distance, d - 1, 1e-15 * d);
        snt_near(closest.point.y, 1, 0);
        sn_hit hit;
        sn_accel_cast(s.accel, sn_vec3_make(0.25, d, 0.5), sn_vec3_make(0, -1, 0), 0, INFINITY,
                      &hit);
        snt_near(hit.distance, d - 1, 1e-15 * d);
    }
    surface_end(&s);
    snt_context_end(context);
}

static void refuses_bad_input(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t vertices[6] = {0, 1, 2, 0, 1, 3};
    sn_accel *accel;
    snt_fails(SN_INVALID, "triangle 1 uses vertex 3, but there are 3 vertices",
              sn_accel_create(context, positions, 3, vertices, 2, &accel, error));
    assert_null(accel);
    positions[8] = INFINITY;
    snt_fails(SN_INVALID, "vertex 2 has the z coordinate inf",
              sn_accel_create(context, positions, 3, vertices, 1, &accel, error));
    snt_ok(sn_accel_create(context, NULL, 0, NULL, 0, &accel, error));
    sn_closest closest;
    sn_accel_find_closest(accel, sn_vec3_make(0, 0, 0), INFINITY, &closest);
    assert_true(closest.triangle == SN_NONE);
    sn_hit hit;
    sn_accel_cast(accel, sn_vec3_make(0, 0, 0), sn_vec3_make(0, 0, 1), 0, INFINITY, &hit);
    assert_true(hit.triangle == SN_NONE);
    snt_ok(sn_accel_update(accel, NULL, true, error));
    sn_accel_destroy(accel);
    sn_accel_destroy(NULL);
    snt_context_end(context);
}

static sn_status try_accel(sn_context *context, void *user, sn_error *error) {
    const surface *s = user;
    sn_accel *accel;
    sn_status status = sn_accel_create(context, s->mesh->positions, s->mesh->vertex_count,
                                       s->triangles->vertices, s->triangles->count, &accel, error);
    if (status == SN_OK) {
        status = sn_accel_update(accel, s->mesh->positions, true, error);
    }
    sn_accel_destroy(accel);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    surface s = bumpy_sphere(context, 30, 40, 2);
    snt_fail_allocations(try_accel, &s);
    // The tree counts towards a limit of bytes as well.
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = 1;
    for (size_t limit = 20000; limit < 200000; limit += 20000) {
        desc.allocator.byte_limit = limit;
        sn_context *limited;
        snt_ok(sn_context_create(&desc, &limited, error));
        sn_error error = {0};
        sn_status status = try_accel(limited, &s, &error);
        assert_true(status == SN_OUT_OF_MEMORY || (status == SN_OK && limit > 40000));
        snt_context_end(limited);
    }
    surface_end(&s);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_parts_of_a_triangle),
        cmocka_unit_test(keeps_to_the_radius),
        cmocka_unit_test(equals_brute_force),
        cmocka_unit_test(gives_distances_alone),
        cmocka_unit_test(breaks_ties_by_the_lowest_triangle),
        cmocka_unit_test(breaks_ties_between_copies),
        cmocka_unit_test(takes_flat_triangles_for_lines_and_points),
        cmocka_unit_test(casts_like_brute_force),
        cmocka_unit_test(never_slips_between_triangles),
        cmocka_unit_test(keeps_between_near_and_far),
        cmocka_unit_test(updates_like_a_new_tree),
        cmocka_unit_test(has_the_same_bits_for_any_thread_count),
        cmocka_unit_test(works_at_any_size_and_distance),
        cmocka_unit_test(refuses_bad_input),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
