// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "geometry/isosurface.h"
#include "geometry/lattice.h"
#include "shapes.h"

#include <math.h>
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------
// Fields in closed form

typedef struct form {
    double (*value)(sn_vec3 p, const void *user);
    const void *user;
} form;

static void read_form(const void *user, const int32_t begin[3], const int32_t size[3],
                      double *values) {
    const form *f = user;
    for (int32_t z = 0; z < size[2]; ++z) {
        for (int32_t y = 0; y < size[1]; ++y) {
            for (int32_t x = 0; x < size[0]; ++x) {
                *values++ =
                    f->value(sn_vec3_make(begin[0] + x, begin[1] + y, begin[2] + z), f->user);
            }
        }
    }
}

static sni_field field_of(const form *f, uint32_t n) {
    return (sni_field){
        .grid = {.spacing = 1, .dimensions = {n, n, n}}, .read = read_form, .user = f};
}

typedef struct ball {
    sn_vec3 centre;
    double radius;
} ball;

static double ball_value(sn_vec3 p, const void *user) {
    const ball *b = user;
    return sn_vec3_distance(p, b->centre) - b->radius;
}

static double two_balls_value(sn_vec3 p, const void *user) {
    const ball *b = user;
    return fmin(ball_value(p, b), ball_value(p, b + 1));
}

static double torus_value(sn_vec3 p, const void *user) {
    const ball *t = user; // its tube's radius is 4
    sn_vec3 d = sn_vec3_sub(p, t->centre);
    double around = sqrt(d.x * d.x + d.y * d.y) - t->radius;
    return sqrt(around * around + d.z * d.z) - 4;
}

// A ball of radius 2 within a shell: surfaces with radii 2, 5 and 8.
static double onion_value(sn_vec3 p, const void *user) {
    const ball *b = user;
    double r = sn_vec3_distance(p, b->centre);
    return fmin(r - 2, fmax(r - 8, 5 - r));
}

// Any smooth field, with many pieces and handles.
static double waves_value(sn_vec3 p, const void *user) {
    const double *k = user;
    double sum = -0.1;
    for (int i = 0; i < 6; ++i) {
        sum += sin(k[4 * i] * p.x + k[4 * i + 1] * p.y + k[4 * i + 2] * p.z + k[4 * i + 3]);
    }
    sn_vec3 d = {p.x - 16, p.y - 16, p.z - 16};
    return fmax(sum, sn_vec3_length(d) - 11); // closed by a ball
}

// ---------------------------------------------------------------------------------------------
// What is asked of every surface

static sni_isosurface_desc plain_desc(sni_lattice_kind lattice) {
    sni_isosurface_desc desc = sni_isosurface_desc_default();
    desc.inside_is_less = true;
    desc.lattice = lattice;
    desc.relax = 0;
    desc.project = desc.normals = desc.keep_largest = false;
    return desc;
}

static sni_isosurface *extract(sn_context *context, const form *f, uint32_t n,
                               const sni_isosurface_desc *desc) {
    sni_isosurface *surface = NULL;
    sni_field field = field_of(f, n);
    snt_ok(sni_isosurface_create(context, &field, desc, NULL, &surface, error));
    return surface;
}

static int compare_u64(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

// Every directed side is there once and so is its opposite; returns the number of edges.
static uint32_t assert_closed(const sni_isosurface *s) {
    size_t count = 3 * (size_t)s->triangle_count;
    uint64_t *sides = test_malloc(2 * count * sizeof *sides), *opposite = sides + count;
    for (size_t c = 0; c < count; ++c) {
        uint64_t a = s->vertices[c], b = s->vertices[c % 3 == 2 ? c - 2 : c + 1];
        assert_true(a < s->vertex_count && a != b);
        sides[c] = a << 32 | b;
        opposite[c] = b << 32 | a;
    }
    qsort(sides, count, sizeof *sides, compare_u64);
    qsort(opposite, count, sizeof *opposite, compare_u64);
    assert_memory_equal(sides, opposite, count * sizeof *sides);
    for (size_t c = 1; c < count; ++c) {
        assert_true(sides[c - 1] < sides[c]);
    }
    test_free(sides);
    return (uint32_t)(count / 2);
}

// The triangles at every vertex form one ring: following them visits all.
static void assert_fans(const sni_isosurface *s) {
    size_t count = 3 * (size_t)s->triangle_count;
    uint32_t *valences = test_calloc(s->vertex_count, sizeof *valences);
    uint32_t *first = test_malloc(s->vertex_count * sizeof *first);
    uint64_t(*sides)[2] = test_malloc(count * sizeof *sides); // side, then its corner
    for (size_t c = 0; c < count; ++c) {
        uint64_t a = s->vertices[c], b = s->vertices[c % 3 == 2 ? c - 2 : c + 1];
        valences[a]++;
        first[a] = (uint32_t)c;
        sides[c][0] = a << 32 | b;
        sides[c][1] = c;
    }
    qsort(sides, count, sizeof *sides, compare_u64);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        assert_true(valences[v] >= 3);
        uint32_t corner = first[v], steps = 0;
        do {
            uint64_t previous = s->vertices[corner % 3 == 0 ? corner + 2 : corner - 1];
            uint64_t key = (uint64_t)v << 32 | previous;
            uint64_t(*side)[2] = bsearch(&key, sides, count, sizeof *sides, compare_u64);
            assert_non_null(side);
            corner = (uint32_t)(*side)[1];
            ++steps;
        } while (corner != first[v] && steps <= valences[v]);
        assert_int_equal(steps, valences[v]);
    }
    test_free(valences);
    test_free(first);
    test_free(sides);
}

static void assert_manifold(const sni_isosurface *s) {
    assert_closed(s);
    assert_fans(s);
}

static double volume_of(const sni_isosurface *s) {
    double sum = 0;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *v = s->vertices + 3 * (size_t)t;
        sum += sn_vec3_dot(s->points[v[0]], sn_vec3_cross(s->points[v[1]], s->points[v[2]])) / 6;
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------

// Cutting any tetrahedron separates the corners: the cut triangles' volume seen from an outside
// corner, and which edges are used.
static void cuts_use_the_edges_between_inside_and_outside(void **state) {
    (void)state;
    static const uint8_t ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    sni_cut cuts[16];
    sni_lattice_cuts(cuts);
    for (unsigned mask = 0; mask < 16; ++mask) {
        unsigned used = 0, expected = 0;
        for (int e = 0; e < 6; ++e) {
            expected |= ((mask >> ends[e][0] ^ mask >> ends[e][1]) & 1) << e;
        }
        int count = cuts[mask].triangle_count, corners = count > 0 ? count + 2 : 0;
        for (int k = 0; k < corners; ++k) {
            used |= 1u << cuts[mask].edges[k];
        }
        assert_int_equal(used, expected);
    }
}

// The tetrahedra of a cell fill the volume of a cell.
static void tetrahedra_fill_space(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        sni_lattice lattice;
        sni_lattice_init(&lattice, (sni_lattice_kind)kind);
        double sum = 0;
        for (uint32_t t = 0; t < lattice.tetrahedron_count; ++t) {
            sn_vec3 p[4];
            for (int i = 0; i < 4; ++i) {
                const int8_t *c = lattice.corners[lattice.tetrahedra[t][i]];
                p[i] = sn_vec3_make(c[0], c[1], c[2]);
            }
            double volume =
                sn_vec3_dot(sn_vec3_sub(p[1], p[0]),
                            sn_vec3_cross(sn_vec3_sub(p[2], p[0]), sn_vec3_sub(p[3], p[0]))) /
                6;
            assert_true(volume > 0);
            sum += volume;
        }
        snt_near(sum, pow(lattice.step, 3), 1e-12);
    }
}

static void check_table_row(double (*value)(sn_vec3, const void *), const void *user, uint32_t n,
                            uint32_t vertices, uint32_t edges, uint32_t triangles, double volume) {
    sn_context *context = snt_context(0);
    const form f = {value, user};
    sni_isosurface_desc desc = plain_desc(SNI_LATTICE_CUBIC);
    sni_isosurface *s = extract(context, &f, n, &desc);
    assert_int_equal(s->vertex_count, vertices);
    assert_int_equal(s->triangle_count, triangles);
    assert_int_equal(assert_closed(s), edges);
    assert_fans(s);
    snt_near(volume_of(s) / volume, 1, 1e-9);
    sni_isosurface_destroy(s);
    snt_context_end(context);
}

// Known counts and volumes of Kuhn's split, without snapping.
static void knows_exact_cases(void **state) {
    (void)state;
    const ball sphere = {{12.3, 12.7, 12.1}, 10}, torus = {{15.1, 15.2, 8.3}, 9};
    const ball pair[2] = {{{8.2, 8.3, 8.1}, 6}, {{20.2, 20.1, 20.3}, 6}};
    check_table_row(ball_value, &sphere, 26, 5628, 16878, 11252, 4167.87583769);
    check_table_row(torus_value, &torus, 31, 6312, 18936, 12624, 2812.84002219);
    check_table_row(two_balls_value, pair, 29, 4052, 12144, 8096, 1784.34648184);
}

// The body-centred lattice: closed, the right topology, its volume below that of the ball by the
// chords of edges at most 2 long, and about 1.62 vertices per unit of area.
static void centred_lattice_fits_a_ball(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    const ball b = {{24.3, 24.7, 24.1}, 20};
    const form f = {ball_value, &b};
    sni_isosurface_desc desc = plain_desc(SNI_LATTICE_CENTRED);
    sni_isosurface *s = extract(context, &f, 50, &desc);
    assert_manifold(s);
    assert_int_equal(s->vertex_count + s->triangle_count, 3 * (s->triangle_count / 2) + 2);
    double area = 4 * SN_PI * 400, volume = 4 * SN_PI * 8000 / 3;
    snt_near(s->vertex_count / area, 0.25 * (3 + 4 * sqrt(3) / 2), 0.03);
    assert_true(volume_of(s) < volume);
    snt_near(volume_of(s) / volume, 1, 0.01);
    sni_isosurface_destroy(s);
    snt_context_end(context);
}

// Random fields with many pieces and handles, both lattices, with and without snapping.
static void every_surface_is_a_closed_manifold(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    snt_random random = {2024};
    for (int round = 0; round < 24; ++round) {
        double k[24];
        for (int i = 0; i < 24; ++i) {
            k[i] = i % 4 == 3 ? snt_random_range(&random, 0, 6.3)
                              : snt_random_range(&random, -1.2, 1.2);
        }
        const form f = {waves_value, k};
        sni_isosurface_desc desc = plain_desc((sni_lattice_kind)(round % 2));
        desc.snap = round / 2 % 3 * 0.2;
        sni_isosurface *s = extract(context, &f, 32, &desc);
        assert_manifold(s);
        sni_isosurface_destroy(s);
    }
    snt_context_end(context);
}

// -1, 0 or 1 by chance within a box: every neighbourhood of signs, a third of the nodes just at the
// level.
static double noise_value(sn_vec3 p, const void *user) {
    const uint32_t *seed = user;
    if (fmin(p.x, fmin(p.y, p.z)) < 4 || fmax(p.x, fmax(p.y, p.z)) > 19) {
        return 1;
    }
    snt_random random = {*seed + (uint64_t)(p.x + 32 * p.y + 1024 * p.z) * 7919};
    snt_random_u32(&random);
    return (double)(snt_random_u32(&random) % 3) - 1;
}

static void noise_has_a_closed_manifold_too(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    for (uint32_t seed = 1; seed <= 12; ++seed) {
        const form f = {noise_value, &seed};
        sni_isosurface_desc desc = plain_desc((sni_lattice_kind)(seed % 2));
        desc.snap = seed / 2 % 3 * 0.24;
        sni_isosurface *s = extract(context, &f, 24, &desc);
        assert_manifold(s);
        assert_true(s->vertex_count > 1000);
        sni_isosurface_destroy(s);
    }
    snt_context_end(context);
}

// Values that are just the level, on whole planes, edges and corners of the lattice.
static double box_value(sn_vec3 p, const void *user) {
    (void)user;
    return fmax(fmax(fabs(p.x - 12) - 4, fabs(p.y - 12) - 4), fabs(p.z - 12) - 4);
}

static void values_at_the_level_are_outside(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    const form f = {box_value, NULL};
    for (int kind = 0; kind < 2; ++kind) {
        sni_isosurface_desc desc = plain_desc((sni_lattice_kind)kind);
        sni_isosurface *s = extract(context, &f, 24, &desc);
        assert_manifold(s);
        // Nodes at the box' own surface are outside, so that it is cut there; where no edge of the
        // lattice leads to the box' edge that is cut off.
        assert_true(volume_of(s) > 400 && volume_of(s) < 512);
        sni_isosurface_destroy(s);
        desc.snap = 0.2;
        s = extract(context, &f, 24, &desc);
        assert_manifold(s);
        sni_isosurface_destroy(s);
    }
    snt_context_end(context);
}

static void normals_and_projection_follow_the_field(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    const ball b = {{24.3, 24.7, 24.1}, 20};
    const form f = {ball_value, &b};
    sni_isosurface_desc desc = sni_isosurface_desc_default();
    desc.inside_is_less = true;
    sni_isosurface *s = extract(context, &f, 50, &desc);
    assert_manifold(s);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        sn_vec3 out = sn_vec3_sub(s->points[v], b.centre);
        // Between nodes the interpolated field bends by at most 3/8 of a second difference 1/20.
        snt_near(sn_vec3_length(out), 20, 0.02);
        sn_vec3 n = sn_vec3_load(s->normals + 3 * (size_t)v);
        assert_true(sn_vec3_dot(n, out) > 0.999 * sn_vec3_length(out));
    }
    sni_isosurface_destroy(s);
    snt_context_end(context);
}

// The field and its negative, inside turned round: the same surface.
static double minus_ball(sn_vec3 p, const void *user) {
    return -ball_value(p, user);
}

static void inside_can_be_greater(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    const ball b = {{12.3, 12.7, 12.1}, 10};
    const form less = {ball_value, &b}, greater = {minus_ball, &b};
    sni_isosurface_desc desc = sni_isosurface_desc_default();
    sni_isosurface *high = extract(context, &greater, 26, &desc);
    desc.inside_is_less = true;
    sni_isosurface *low = extract(context, &less, 26, &desc);
    assert_int_equal(high->vertex_count, low->vertex_count);
    assert_int_equal(high->triangle_count, low->triangle_count);
    assert_memory_equal(high->points, low->points, high->vertex_count * sizeof *high->points);
    assert_memory_equal(high->normals, low->normals, high->vertex_count * 3 * sizeof(float));
    assert_memory_equal(high->vertices, low->vertices, high->triangle_count * 3 * sizeof(uint32_t));
    sni_isosurface_destroy(high);
    sni_isosurface_destroy(low);
    snt_context_end(context);
}

static void keeps_the_largest_piece_and_counts_the_others(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    const ball b = {{12.3, 12.7, 12.1}, 0};
    const form f = {onion_value, &b};
    sni_isosurface_desc desc = plain_desc(SNI_LATTICE_CUBIC);
    sni_isosurface *all = extract(context, &f, 26, &desc);
    assert_int_equal(all->piece_count, 3);
    double third = 4 * SN_PI / 3;
    snt_near(all->piece_volumes[0], third * 512, 0.02 * third * 512);
    snt_near(all->piece_volumes[1], third * 8, 0.15 * third * 8);
    snt_near(all->piece_volumes[2], -third * 125, 0.05 * third * 125);
    desc.keep_largest = true;
    sni_isosurface *one = extract(context, &f, 26, &desc);
    assert_manifold(one);
    assert_int_equal(one->piece_count, 3);
    snt_near(volume_of(one), all->piece_volumes[0], 1e-9);
    assert_true(one->vertex_count < all->vertex_count);
    sni_isosurface_destroy(all);
    sni_isosurface_destroy(one);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Shapes of triangles

// The share of triangles whose smallest angle is below `degrees`.
static double share_of_slivers(const sni_isosurface *s, double degrees) {
    uint32_t count = 0;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        double smallest = SN_PI;
        for (int i = 0; i < 3; ++i) {
            const uint32_t *v = s->vertices + 3 * (size_t)t;
            sn_vec3 a = sn_vec3_sub(s->points[v[(i + 1) % 3]], s->points[v[i]]);
            sn_vec3 b = sn_vec3_sub(s->points[v[(i + 2) % 3]], s->points[v[i]]);
            double angle = atan2(sn_vec3_length(sn_vec3_cross(a, b)), sn_vec3_dot(a, b));
            smallest = fmin(smallest, angle);
        }
        count += smallest < degrees * SN_PI / 180;
    }
    return (double)count / s->triangle_count;
}

static void snapping_and_relaxing_remove_slivers(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    const ball b = {{24.3, 24.7, 24.1}, 20};
    const form f = {ball_value, &b};
    for (int kind = 0; kind < 2; ++kind) {
        sni_isosurface_desc desc = plain_desc((sni_lattice_kind)kind);
        double shares[4];
        for (int i = 0; i < 4; ++i) {
            desc.snap = i % 2 == 1 ? 0.25 : 0;
            desc.relax = i / 2 * 3;
            desc.project = i >= 2;
            sni_isosurface *s = extract(context, &f, 50, &desc);
            assert_manifold(s);
            shares[i] = share_of_slivers(s, 10);
            sni_isosurface_destroy(s);
        }
        assert_true(shares[1] < 0.5 * shares[0]);
        assert_true(shares[2] < 0.0001 && shares[3] < 0.001);
    }
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------

static void assert_same(const sni_isosurface *a, const sni_isosurface *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_int_equal(a->piece_count, b->piece_count);
    assert_memory_equal(a->points, b->points, a->vertex_count * sizeof *a->points);
    assert_memory_equal(a->normals, b->normals, a->vertex_count * 3 * sizeof(float));
    assert_memory_equal(a->vertices, b->vertices, a->triangle_count * 3 * sizeof(uint32_t));
    assert_memory_equal(a->piece_volumes, b->piece_volumes, a->piece_count * sizeof(double));
}

static void threads_do_not_show(void **state) {
    (void)state;
    const uint32_t threads[4] = {1, 2, 3, 8};
    const ball pair[2] = {{{11.2, 10.3, 10.1}, 6}, {{20.2, 20.1, 20.3}, 7}};
    const form f = {two_balls_value, pair};
    sn_context *contexts[4];
    sni_isosurface *surfaces[4];
    for (int i = 0; i < 4; ++i) {
        sni_isosurface_desc desc = sni_isosurface_desc_default();
        desc.inside_is_less = true;
        desc.snap = 0.2;
        contexts[i] = snt_context(threads[i]);
        surfaces[i] = extract(contexts[i], &f, 32, &desc);
        assert_same(surfaces[0], surfaces[i]);
    }
    for (int i = 0; i < 4; ++i) {
        sni_isosurface_destroy(surfaces[i]);
        snt_context_end(contexts[i]);
    }
}

static double nan_value(sn_vec3 p, const void *user) {
    return p.x == 12 && p.y == 12 && p.z == 22 ? NAN : ball_value(p, user);
}

static void refuses_bad_input(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    const ball b = {{12.3, 12.7, 12.1}, 10}, large = {{12, 12, 12}, 15}, none = {{12, 12, 12}, -1};
    sni_isosurface *s = NULL;
    const struct {
        form f;
        uint32_t n;
        double level, snap;
        const char *text;
    } cases[] = {
        {{ball_value, &b}, 26, NAN, 0, "level"},
        {{ball_value, &b}, 26, 0, 0.5, "0.5"},
        {{ball_value, &b}, 26, 0, NAN, "snap"},
        {{ball_value, &large}, 24, 0, 0, "leaves the grid"},
        {{ball_value, &large}, 24, 1000, 0, "leaves the grid"},
        {{ball_value, &none}, 24, 0, 0, "no surface at the level 0"},
        {{nan_value, &b}, 26, 0, 0, "not finite"},
        {{ball_value, &b}, 0, 0, 0, "nodes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (int kind = 0; kind < 2; ++kind) {
            sni_isosurface_desc desc = plain_desc((sni_lattice_kind)kind);
            desc.level = cases[i].level;
            desc.snap = cases[i].snap;
            sni_field field = field_of(&cases[i].f, cases[i].n);
            snt_fails(SN_INVALID, cases[i].text,
                      sni_isosurface_create(context, &field, &desc, NULL, &s, error));
            assert_null(s);
        }
    }
    const form f = {ball_value, &b};
    sni_field field = field_of(&f, 26);
    sni_isosurface_desc zero = {0};
    snt_fails(SN_INVALID, "default",
              sni_isosurface_create(context, &field, &zero, NULL, &s, error));
    snt_context_end(context);
}

static bool stop_at(const char *step, double fraction, void *user) {
    (void)step;
    (void)fraction;
    int *left = user;
    return (*left)-- > 0;
}

static void can_be_cancelled(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    const ball b = {{12.3, 12.7, 12.1}, 10};
    const form f = {ball_value, &b};
    sni_field field = field_of(&f, 26);
    sni_isosurface_desc desc = sni_isosurface_desc_default();
    desc.inside_is_less = true;
    sni_isosurface *s = NULL;
    for (int steps = 0; steps < 4; ++steps) {
        int left = steps;
        sn_progress progress = {stop_at, &left};
        snt_fails(SN_CANCELLED, "cancelled",
                  sni_isosurface_create(context, &field, &desc, &progress, &s, error));
        assert_null(s);
    }
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    const ball pair[2] = {{{8.2, 8.3, 8.1}, 3}, {{16.2, 16.1, 16.3}, 2}};
    const form f = {two_balls_value, pair};
    sni_field field = field_of(&f, 24);
    sni_isosurface_desc desc = sni_isosurface_desc_default();
    sni_isosurface *s = NULL;
    (void)user;
    desc.inside_is_less = true;
    desc.snap = 0.2;
    sn_status status = sni_isosurface_create(context, &field, &desc, NULL, &s, error);
    sni_isosurface_destroy(s);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_use_the_edges_between_inside_and_outside),
        cmocka_unit_test(tetrahedra_fill_space),
        cmocka_unit_test(knows_exact_cases),
        cmocka_unit_test(centred_lattice_fits_a_ball),
        cmocka_unit_test(every_surface_is_a_closed_manifold),
        cmocka_unit_test(noise_has_a_closed_manifold_too),
        cmocka_unit_test(values_at_the_level_are_outside),
        cmocka_unit_test(normals_and_projection_follow_the_field),
        cmocka_unit_test(inside_can_be_greater),
        cmocka_unit_test(keeps_the_largest_piece_and_counts_the_others),
        cmocka_unit_test(snapping_and_relaxing_remove_slivers),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(refuses_bad_input),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
