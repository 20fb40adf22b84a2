// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "geometry/subdivide.h"
#include "sinew/geometry.h"

enum { COLUMNS = 9, ROWS = 8 };

// A regular lattice: neighbours (1, 0), (0, 1), (-1, 1) and back.
static void make_lattice(uint32_t vertices[(COLUMNS - 1) * (ROWS - 1) * 6]) {
    for (uint32_t j = 0; j + 1 < ROWS; ++j) {
        for (uint32_t i = 0; i + 1 < COLUMNS; ++i) {
            uint32_t v = j * COLUMNS + i;
            const uint32_t quad[6] = {v, v + 1, v + COLUMNS, v + 1, v + COLUMNS + 1, v + COLUMNS};
            memcpy(vertices, quad, sizeof quad);
            vertices += 6;
        }
    }
}

// Corners of the sheet, so that its border is straight between them.
static const uint8_t lattice_corners[COLUMNS * ROWS] = {
    [0] = 1, [COLUMNS - 1] = 1, [COLUMNS * (ROWS - 1)] = 1, [COLUMNS * ROWS - 1] = 1};

static sni_subdivide_desc lattice_desc(const uint32_t *vertices) {
    return (sni_subdivide_desc){.scheme = SNI_SUBDIVIDE_BUTTERFLY,
                                .vertex_count = COLUMNS * ROWS,
                                .vertices = vertices,
                                .triangle_count = (COLUMNS - 1) * (ROWS - 1) * 2};
}

static sni_subdivision *subdivide(sn_context *context, const sni_subdivide_desc *desc) {
    sni_subdivision *result = NULL;
    snt_ok(sni_subdivide(context, desc, &result, error));
    for (uint32_t row = 0; row < result->new_count; ++row) {
        double sum = 0;
        for (uint32_t i = result->offsets[row]; i < result->offsets[row + 1]; ++i) {
            sum += result->weights[i];
        }
        snt_near(sum, 1, 1e-12);
    }
    return result;
}

static uint32_t row_of(const sni_subdivision *s, uint32_t a, uint32_t b) {
    for (uint32_t row = 0; row < s->new_count; ++row) {
        if (s->edges[2 * row] == (a < b ? a : b) && s->edges[2 * row + 1] == (a < b ? b : a)) {
            return row;
        }
    }
    fail_msg("edge %u-%u was not split", a, b);
    return 0;
}

static double weight_of(const sni_subdivision *s, uint32_t row, uint32_t vertex) {
    double sum = 0;
    for (uint32_t i = s->offsets[row]; i < s->offsets[row + 1]; ++i) {
        sum += s->sources[i] == vertex ? s->weights[i] : 0;
    }
    return sum;
}

// As sni_subdivision_apply, in double.
static void apply(const sni_subdivision *s, const double *old, uint32_t width, double *new) {
    memset(new, 0, (size_t)s->new_count * width * sizeof *new);
    for (uint32_t row = 0; row < s->new_count; ++row) {
        for (uint32_t i = s->offsets[row]; i < s->offsets[row + 1]; ++i) {
            for (uint32_t k = 0; k < width; ++k) {
                new[row * width + k] += s->weights[i] * old[s->sources[i] * width + k];
            }
        }
    }
}

// Values of a function at the lattice's vertices, and the largest difference from it at the new
// ones. `depth` is the distance from the border from which on edges count.
typedef double plane_fn(double x, double y);

static double lattice_error(const sni_subdivision *s, plane_fn *f, double depth) {
    double old[COLUMNS * ROWS], new[3 * COLUMNS * ROWS], worst = 0;
    for (uint32_t v = 0; v < COLUMNS * ROWS; ++v) {
        old[v] = f(v % COLUMNS, (double)(v / COLUMNS));
    }
    apply(s, old, 1, new);
    for (uint32_t row = 0; row < s->new_count; ++row) {
        uint32_t a = s->edges[2 * row], b = s->edges[2 * row + 1];
        double x = (a % COLUMNS + b % COLUMNS) / 2.0, y = (a / COLUMNS + b / COLUMNS) / 2.0;
        if (fmin(fmin(x, COLUMNS - 1 - x), fmin(y, ROWS - 1 - y)) >= depth) {
            worst = fmax(worst, fabs(new[row] - f(x, y)));
        }
    }
    return worst;
}

static double linear(double x, double y) {
    return 3 - 2 * x + 5 * y;
}

static double cubic(double x, double y) {
    return 1 + x * y - x * x * x + 2 * x * x * y - 3 * x * y * y + y * y * y;
}

static double quartic(double x, double y) {
    return x * x * x * x + y * y * x * x;
}

static void reproduces_polynomials(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    uint32_t vertices[(COLUMNS - 1) * (ROWS - 1) * 6];
    make_lattice(vertices);
    sni_subdivide_desc desc = lattice_desc(vertices);
    desc.sharp = lattice_corners;
    sni_subdivision *s = subdivide(context, &desc);
    snt_near(lattice_error(s, linear, 0), 0, 1e-12);
    snt_near(lattice_error(s, cubic, 2), 0, 1e-10);
    assert_true(lattice_error(s, quartic, 2) > 0.01);
    sni_subdivision_destroy(s);
    desc.tension = 0.02;
    s = subdivide(context, &desc);
    snt_near(lattice_error(s, linear, 0), 0, 1e-12);
    uint32_t p = 3 * COLUMNS + 3, row = row_of(s, p, p + 1);
    snt_near(weight_of(s, row, p), 0.48, 1e-12);
    snt_near(weight_of(s, row, p + COLUMNS), 0.165, 1e-12);
    snt_near(weight_of(s, row, p + COLUMNS + 1), -0.0825, 1e-12);
    snt_near(weight_of(s, row, p + 2), 0.02, 1e-12);
    snt_near(weight_of(s, row, p - 1), 0.02, 1e-12);
    assert_int_equal(s->offsets[row + 1] - s->offsets[row], 10);
    sni_subdivision_destroy(s);
    snt_context_end(context);
}

static void follows_borders(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    uint32_t vertices[(COLUMNS - 1) * (ROWS - 1) * 6];
    make_lattice(vertices);
    sni_subdivide_desc desc = lattice_desc(vertices);
    uint8_t sharp[COLUMNS * ROWS] = {0};
    sharp[0] = 1;
    desc.sharp = sharp;
    sni_subdivision *s = subdivide(context, &desc);
    // (A.3) with the values -1, 0, 1, 8 at -1, 0, 1, 2.
    uint32_t row = row_of(s, 3, 4);
    const double cubes[4] = {-1, 0, 1, 8};
    double value = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        value += weight_of(s, row, 2 + i) * cubes[i];
    }
    snt_near(value, 0.125, 1e-12);
    assert_int_equal(s->offsets[row + 1] - s->offsets[row], 4);
    // At a sharp corner the missing vertex is the next one reflected.
    row = row_of(s, 0, 1);
    snt_near(weight_of(s, row, 0), 9.0 / 16 - 2.0 / 16 + 0, 1e-12);
    snt_near(weight_of(s, row, 1), 9.0 / 16 + 1.0 / 16, 1e-12);
    snt_near(weight_of(s, row, 2), -1.0 / 16, 1e-12);
    // Without the tag the border runs on around the corner.
    row = row_of(s, COLUMNS * ROWS - 1, COLUMNS * ROWS - 2);
    snt_near(weight_of(s, row, COLUMNS * (ROWS - 1) - 1), -1.0 / 16, 1e-12);
    // One end on the border: the ring of the other end, which has six neighbours.
    row = row_of(s, 3, 3 + COLUMNS);
    const double ring[6] = {7.0 / 24, 1.0 / 12, -1.0 / 12, -1.0 / 24, -1.0 / 12, 1.0 / 12};
    const int steps[6] = {-COLUMNS, -COLUMNS + 1, 1, COLUMNS, COLUMNS - 1, -1};
    snt_near(weight_of(s, row, 3 + COLUMNS), 0.75, 1e-12);
    for (int i = 0; i < 6; ++i) {
        snt_near(weight_of(s, row, (uint32_t)(3 + COLUMNS + steps[i])), ring[i], 1e-12);
    }
    // Both ends on the border, across the corner: b is (0, 0) and (1, 1), four wings, two of them
    // completed to parallelograms.
    row = row_of(s, 1, COLUMNS);
    snt_near(weight_of(s, row, 0), 1.0 / 8 - 2.0 / 16, 1e-12);
    snt_near(weight_of(s, row, 2), -1.0 / 16, 1e-12);
    snt_near(weight_of(s, row, 2 * COLUMNS), -1.0 / 16, 1e-12);
    snt_near(weight_of(s, row, COLUMNS + 1), 1.0 / 8, 1e-12);
    snt_near(weight_of(s, row, 1), 0.5, 1e-12);
    sni_subdivision_destroy(s);
    snt_context_end(context);
}

// A crease splits the lattice: each half is subdivided as if the other were not there.
static void treats_creases_as_borders(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    uint32_t vertices[(COLUMNS - 1) * (ROWS - 1) * 6], creases[2 * (COLUMNS - 1)];
    make_lattice(vertices);
    for (uint32_t i = 0; i + 1 < COLUMNS; ++i) {
        creases[2 * i] = 4 * COLUMNS + i + 1;
        creases[2 * i + 1] = 4 * COLUMNS + i;
    }
    sni_subdivide_desc desc = lattice_desc(vertices);
    desc.sharp = lattice_corners;
    desc.creases = creases;
    desc.crease_count = COLUMNS - 1;
    sni_subdivision *s = subdivide(context, &desc);
    for (uint32_t row = 0; row < s->new_count; ++row) {
        uint32_t low = s->edges[2 * row], high = s->edges[2 * row + 1];
        bool above = high >= 5 * COLUMNS, below = low < 4 * COLUMNS;
        for (uint32_t i = s->offsets[row]; i < s->offsets[row + 1]; ++i) {
            uint32_t line = s->sources[i] / COLUMNS;
            bool crease = !above && !below;
            // Ends of the crease have three features and are corners.
            assert_true(crease ? line == 4 : above ? line >= 4 : line <= 4);
        }
    }
    snt_near(lattice_error(s, linear, 0), 0, 1e-12);
    sni_subdivision_destroy(s);
    desc.creases = (uint32_t[]){0, 2};
    desc.crease_count = 1;
    snt_fails(SN_INVALID, "crease 0 joins vertices 0 and 2",
              sni_subdivide(context, &desc, &s, error));
    snt_context_end(context);
}

static const uint32_t octahedron[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                        2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};

static void subdivides_an_octahedron(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const double positions[18] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
    sni_subdivide_desc desc = {SNI_SUBDIVIDE_BUTTERFLY, 6, octahedron, 8, NULL, NULL, 0, NULL, 0};
    sni_subdivision *s = subdivide(context, &desc);
    assert_int_equal(s->new_count, 12);
    assert_int_equal(s->triangle_count, 32);
    double points[3 * 12];
    apply(s, positions, 3, points);
    uint32_t row = row_of(s, 0, 2);
    snt_near(points[3 * row], 0.625, 1e-12);
    snt_near(points[3 * row + 1], 0.625, 1e-12);
    snt_near(points[3 * row + 2], 0, 1e-12);
    desc.vertex_count = 18;
    desc.vertices = s->vertices;
    desc.triangle_count = 32;
    sni_subdivision *again = subdivide(context, &desc);
    assert_int_equal(18 + again->new_count, 66);
    assert_int_equal(again->new_count, 48); // edges of the first level
    assert_int_equal(again->triangle_count, 128);
    desc.vertex_count = 66;
    desc.vertices = again->vertices;
    desc.triangle_count = 128;
    sni_subdivision *third = subdivide(context, &desc);
    assert_int_equal(third->new_count, 192);
    sni_subdivision_destroy(third);
    sni_subdivision_destroy(again);
    sni_subdivision_destroy(s);
    snt_context_end(context);
}

static void subdivides_a_tetrahedron(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const double positions[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    const uint32_t vertices[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    sni_subdivide_desc desc = {SNI_SUBDIVIDE_BUTTERFLY, 4, vertices, 4, NULL, NULL, 0, NULL, 0};
    sni_subdivision *s = subdivide(context, &desc);
    double points[18];
    apply(s, positions, 3, points);
    uint32_t row = row_of(s, 0, 1);
    snt_near(points[3 * row], 4.0 / 3, 1e-12);
    snt_near(points[3 * row + 1], 0, 1e-12);
    snt_near(points[3 * row + 2], 0, 1e-12);
    sni_subdivision_destroy(s);
    snt_context_end(context);
}

// Ring weights about the tip of a cone whose rim vertices are regular enough not to matter: two
// cones base to base, both tips extraordinary, joined by no edge; rim vertices have 4 neighbours.
static void knows_ring_weights(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const double table[4][5] = {
        {0.35, 0.0309016994375, -0.0809016994375, -0.0809016994375, 0.0309016994375},
        {0.25, 0.108889904983, -0.0604293382725, -0.0484605667104, -0.0484605667104},
        {0.21875, 0.119638347648, -0.03125, -0.0571383476483, -0.03125},
        {0.194444444444, 0.122540947995, -0.00513312585845, -0.0555555555556, -0.0340744888029}};
    const uint32_t valences[4] = {5, 7, 8, 9};
    for (int k = 0; k < 4; ++k) {
        uint32_t n = valences[k], vertices[2 * 3 * 9];
        for (uint32_t i = 0; i < n; ++i) {
            const uint32_t two[6] = {i, (i + 1) % n, n, (i + 1) % n, i, n + 1};
            memcpy(vertices + 6 * i, two, sizeof two);
        }
        sni_subdivide_desc desc = {.scheme = SNI_SUBDIVIDE_BUTTERFLY,
                                   .vertex_count = n + 2,
                                   .vertices = vertices,
                                   .triangle_count = 2 * n};
        sni_subdivision *s = subdivide(context, &desc);
        uint32_t row = row_of(s, n, 0);
        // Half of the tip's rule, half of the rim vertex' rule: 3/4, then 3/8, 0, -1/8, 0 from the
        // tip on around it, the other tip being opposite.
        snt_near(weight_of(s, row, n), (0.75 + 3.0 / 8) / 2, 1e-12);
        snt_near(weight_of(s, row, n + 1), -1.0 / 16, 1e-12);
        snt_near(weight_of(s, row, 0), (0.75 + table[k][0]) / 2, 1e-9);
        for (uint32_t j = 1; j < 5; ++j) {
            snt_near(weight_of(s, row, j), table[k][j] / 2, 1e-9);
            snt_near(weight_of(s, row, n - j), table[k][j] / 2, 1e-9);
        }
        sni_subdivision_destroy(s);
    }
    snt_context_end(context);
}

// Splits a few triangles of the lattice: still one sheet, each old triangle's area covered once.
static void splits_some_triangles(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    uint32_t vertices[(COLUMNS - 1) * (ROWS - 1) * 6];
    make_lattice(vertices);
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        sni_subdivide_desc desc = lattice_desc(vertices);
        desc.scheme = SNI_SUBDIVIDE_MIDPOINT;
        uint8_t selected[(COLUMNS - 1) * (ROWS - 1) * 2];
        snt_random random = {seed};
        for (uint32_t t = 0; t < desc.triangle_count; ++t) {
            selected[t] = snt_random_u32(&random) % 4 == 0;
        }
        desc.selected = selected;
        sni_subdivision *s = subdivide(context, &desc);
        float points[3 * 4 * COLUMNS * ROWS] = {0};
        for (uint32_t v = 0; v < COLUMNS * ROWS; ++v) {
            points[3 * v] = (float)(v % COLUMNS);
            points[3 * v + 1] = (float)(v / COLUMNS);
        }
        sni_subdivision_apply(s, points, 3, points + 3 * COLUMNS * ROWS);
        double areas[(COLUMNS - 1) * (ROWS - 1) * 2] = {0};
        uint32_t parts[(COLUMNS - 1) * (ROWS - 1) * 2] = {0};
        for (uint32_t t = 0; t < s->triangle_count; ++t) {
            const uint32_t *v = s->vertices + 3 * t;
            const float *p = points + 3 * v[0], *q = points + 3 * v[1], *r = points + 3 * v[2];
            double area = ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])) / 2;
            assert_true(area > 0.1);
            areas[s->triangle_origins[t]] += area;
            parts[s->triangle_origins[t]] += 1;
        }
        for (uint32_t t = 0; t < desc.triangle_count; ++t) {
            snt_near(areas[t], 0.5, 1e-6);
            assert_true(!selected[t] || parts[t] == 4);
        }
        // No gaps: subdividing again as a butterfly finds only manifold edges, and the number of
        // border edges is that of the old border plus its splits.
        sni_subdivide_desc next = {.scheme = SNI_SUBDIVIDE_BUTTERFLY,
                                   .vertex_count = s->old_count + s->new_count,
                                   .vertices = s->vertices,
                                   .triangle_count = s->triangle_count};
        sni_subdivision *again = subdivide(context, &next);
        // Euler number of a disc.
        assert_int_equal(next.vertex_count + next.triangle_count - again->new_count, 1);
        sni_subdivision_destroy(again);
        sni_subdivision_destroy(s);
    }
    snt_context_end(context);
}

static void leaves_the_rest_alone(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    uint8_t selected[8] = {0};
    sni_subdivide_desc desc = {
        SNI_SUBDIVIDE_BUTTERFLY, 6, octahedron, 8, selected, NULL, 0, NULL, 0};
    sni_subdivision *s = subdivide(context, &desc);
    assert_int_equal(s->new_count, 0);
    assert_memory_equal(s->vertices, octahedron, sizeof octahedron);
    sni_subdivision_destroy(s);
    selected[0] = 1;
    s = subdivide(context, &desc);
    assert_int_equal(s->new_count, 3);
    assert_int_equal(s->triangle_count, 4 + 3 * 2 + 4);
    sni_subdivision_destroy(s);
    desc = (sni_subdivide_desc){0};
    s = subdivide(context, &desc);
    assert_int_equal(s->triangle_count, 0);
    sni_subdivision_destroy(s);
    snt_context_end(context);
}

static void refuses_what_is_not_a_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_subdivision *s = NULL;
    sni_subdivide_desc desc = {.scheme = SNI_SUBDIVIDE_BUTTERFLY, .vertex_count = 5};
    desc.vertices = (uint32_t[]){0, 1, 2, 1, 0, 3, 0, 1, 4};
    desc.triangle_count = 3;
    snt_fails(SN_INVALID, "edge 0-1 has 3 triangles", sni_subdivide(context, &desc, &s, error));
    desc.scheme = SNI_SUBDIVIDE_MIDPOINT;
    s = subdivide(context, &desc);
    assert_int_equal(s->triangle_count, 12);
    sni_subdivision_destroy(s);
    desc.scheme = SNI_SUBDIVIDE_BUTTERFLY;
    desc.vertices = (uint32_t[]){0, 1, 2, 0, 1, 3};
    desc.triangle_count = 2;
    snt_fails(SN_INVALID, "triangles 0 and 1 run along edge 0-1 in the same direction",
              sni_subdivide(context, &desc, &s, error));
    desc.vertices = (uint32_t[]){0, 1, 2, 2, 3, 4};
    snt_fails(SN_INVALID, "two fans of triangles meet in vertex 2",
              sni_subdivide(context, &desc, &s, error));
    desc.vertices = (uint32_t[]){0, 1, 2, 2, 3, 5};
    snt_fails(SN_INVALID, "triangle 1 uses vertex 5, but there are 5",
              sni_subdivide(context, &desc, &s, error));
    desc.vertices = (uint32_t[]){0, 1, 2, 2, 3, 2};
    snt_fails(SN_INVALID, "triangle 1 uses vertex 2 twice",
              sni_subdivide(context, &desc, &s, error));
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    sni_subdivision *s = NULL;
    sn_status status = sni_subdivide(context, user, &s, error);
    sni_subdivision_destroy(s);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    sni_subdivide_desc desc = {SNI_SUBDIVIDE_BUTTERFLY, 6, octahedron, 8, NULL, NULL, 0, NULL, 0};
    snt_fail_allocations(attempt, &desc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reproduces_polynomials),        cmocka_unit_test(follows_borders),
        cmocka_unit_test(treats_creases_as_borders),     cmocka_unit_test(subdivides_an_octahedron),
        cmocka_unit_test(subdivides_a_tetrahedron),      cmocka_unit_test(knows_ring_weights),
        cmocka_unit_test(splits_some_triangles),         cmocka_unit_test(leaves_the_rest_alone),
        cmocka_unit_test(refuses_what_is_not_a_surface), cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
