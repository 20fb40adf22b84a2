// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "base/memory.h"
#include "geometry/nurbs.h"

#include <math.h>
#include <string.h>

// A quarter of a cylinder about z, radius 2, height 3.
static const double quarter_points[] = {2, 0, 0, 2, 0, 3, 2, 2, 0, 2, 2, 3, 0, 2, 0, 0, 2, 3};
static const double quarter_weights[] = {1, 1, 0.70710678118654752440, 0.70710678118654752440,
                                         1, 1};
static const double quarter_u[] = {0, 0, 0, 1, 1, 1}, quarter_v[] = {0, 0, 1, 1};

static const sni_nurbs quarter = {.degrees = {2, 1},
                                  .counts = {3, 2},
                                  .knots = {quarter_u, quarter_v},
                                  .points = quarter_points,
                                  .weights = quarter_weights};

// Random control points over a lattice, with uniform knots.
enum { MOST = 9, KNOTS = 32 };
typedef struct patch {
    double points[MOST * MOST * 3], weights[MOST * MOST], knots[2][KNOTS];
    sni_nurbs nurbs;
} patch;

static void make_patch(patch *p, snt_random *random, uint32_t degree, bool closed, bool rational) {
    p->nurbs = (sni_nurbs){.degrees = {degree, degree},
                           .counts = {degree + 2, MOST - 1},
                           .closed = {false, closed},
                           .knots = {p->knots[0], p->knots[1]},
                           .points = p->points,
                           .weights = rational ? p->weights : NULL};
    for (uint32_t k = 0; k < p->nurbs.counts[0] * p->nurbs.counts[1]; ++k) {
        double i = k / p->nurbs.counts[1], j = k % p->nurbs.counts[1];
        double angle = 2 * SN_PI * j / p->nurbs.counts[1];
        double at[3] = {closed ? (2 + i) * cos(angle) : i, closed ? (2 + i) * sin(angle) : j, 0};
        for (int c = 0; c < 3; ++c) {
            p->points[3 * k + c] = at[c] + snt_random_range(random, -0.3, 0.3);
        }
        p->weights[k] = snt_random_range(random, 0.5, 2);
    }
    for (int d = 0; d < 2; ++d) {
        sni_nurbs_uniform_knots(degree, p->nurbs.counts[d], p->nurbs.closed[d], p->knots[d]);
    }
    snt_ok(sni_nurbs_validate(&p->nurbs, error));
}

static void near_point(sn_vec3 p, double x, double y, double z, double tolerance) {
    snt_near(p.x, x, tolerance);
    snt_near(p.y, y, tolerance);
    snt_near(p.z, z, tolerance);
}

static void quarter_cylinder_has_known_points(void **state) {
    (void)state;
    snt_ok(sni_nurbs_validate(&quarter, error));
    near_point(sni_nurbs_point(&quarter, 0.25, 0), 1.8595766021, 0.7361894191, 0, 1e-9);
    near_point(sni_nurbs_point(&quarter, 0.5, 0.5), sqrt(2), sqrt(2), 1.5, 1e-12);
    near_point(sni_nurbs_point(&quarter, 1, 1), 0, 2, 3, 1e-12);
}

static void knots_of_closed_directions_run_on(void **state) {
    (void)state;
    double knots[10];
    assert_int_equal(sni_nurbs_knot_count(2, 4, true), 9);
    sni_nurbs_uniform_knots(2, 4, true, knots);
    for (int i = 0; i < 9; ++i) {
        snt_near(knots[i], (i - 2) / 4.0, 0);
    }
    sni_nurbs_uniform_knots(2, 4, false, knots);
    static const double clamped[7] = {0, 0, 0, 0.5, 1, 1, 1};
    assert_memory_equal(knots, clamped, sizeof clamped);
}

// The rational basis R_ij at a place: (p + 1)(q + 1) point indices and values. Returns how many.
static uint32_t rational_basis(const sni_nurbs *nurbs, double u, double v, uint32_t *indices,
                               double *values) {
    sni_nurbs_basis bu, bv;
    sni_nurbs_basis_at(nurbs, 0, u, 0, &bu);
    sni_nurbs_basis_at(nurbs, 1, v, 0, &bv);
    uint32_t count = 0;
    double sum = 0;
    for (uint32_t i = 0; i <= nurbs->degrees[0]; ++i) {
        for (uint32_t j = 0; j <= nurbs->degrees[1]; ++j, ++count) {
            indices[count] = sni_nurbs_index(nurbs, &bu, i, &bv, j);
            values[count] = bu.values[0][i] * bv.values[0][j];
            values[count] *= nurbs->weights != NULL ? nurbs->weights[indices[count]] : 1;
            sum += values[count];
        }
    }
    for (uint32_t i = 0; nurbs->weights != NULL && i < count; ++i) {
        values[i] /= sum;
    }
    return count;
}

// Bases sum to 1, so do the weights, whose mix of the control points is the point.
static void weights_are_a_partition_of_one(void **state) {
    (void)state;
    snt_random random = {1};
    for (uint32_t degree = 1; degree <= SNI_NURBS_DEGREE; ++degree) {
        patch p;
        make_patch(&p, &random, degree, degree % 2 == 0, degree % 3 == 0);
        for (int k = 0; k < 20; ++k) {
            double u = snt_random_range(&random, 0, 1), v = snt_random_range(&random, 0, 1);
            uint32_t indices[64];
            double values[64], sum = 0;
            sn_vec3 mix = {0, 0, 0};
            uint32_t count = rational_basis(&p.nurbs, u, v, indices, values);
            assert_int_equal(count, (degree + 1) * (degree + 1));
            for (uint32_t i = 0; i < count; ++i) {
                const double *q = p.points + 3 * indices[i];
                assert_true(values[i] >= 0);
                sum += values[i];
                mix = sn_vec3_add_scaled(mix, values[i], (sn_vec3){q[0], q[1], q[2]});
            }
            snt_near(sum, 1, 1e-12);
            sn_vec3 s = sni_nurbs_point(&p.nurbs, u, v);
            near_point(s, mix.x, mix.y, mix.z, 1e-12);
        }
    }
}

static void derivatives_match_differences(void **state) {
    (void)state;
    snt_random random = {2};
    const double h = 1e-4;
    for (uint32_t degree = 1; degree <= 5; ++degree) {
        for (int kind = 0; kind < 4; ++kind) {
            patch p;
            make_patch(&p, &random, degree, kind & 1, kind & 2);
            double u = 0.37, v = 0.41;
            sni_nurbs_jet jet, right, up;
            sni_nurbs_derivatives(&p.nurbs, u, v, &jet);
            sni_nurbs_derivatives(&p.nurbs, u + h, v, &right);
            sni_nurbs_derivatives(&p.nurbs, u, v + h, &up);
            sn_vec3 s = sni_nurbs_point(&p.nurbs, u, v);
            near_point(jet.s, s.x, s.y, s.z, 1e-12);
            // Trapezoidal rule: f(b) - f(a) = h (f'(a) + f'(b)) / 2 + O(h^3).
            const sn_vec3 *f[5][4] = {{&jet.s, &right.s, &jet.su, &right.su},
                                      {&jet.su, &right.su, &jet.suu, &right.suu},
                                      {&jet.s, &up.s, &jet.sv, &up.sv},
                                      {&jet.sv, &up.sv, &jet.svv, &up.svv},
                                      {&jet.su, &up.su, &jet.suv, &up.suv}};
            for (int k = 0; k < 5; ++k) {
                sn_vec3 slope = sn_vec3_scale(sn_vec3_add(*f[k][2], *f[k][3]), h / 2);
                sn_vec3 step = sn_vec3_sub(*f[k][1], *f[k][0]);
                near_point(step, slope.x, slope.y, slope.z, 2e-7);
            }
        }
    }
}

static void closed_surfaces_meet_themselves(void **state) {
    (void)state;
    snt_random random = {3};
    patch p;
    make_patch(&p, &random, 3, true, false);
    sni_nurbs_jet a, b;
    sni_nurbs_derivatives(&p.nurbs, 0.3, 0, &a);
    sni_nurbs_derivatives(&p.nurbs, 0.3, 1, &b);
    near_point(a.s, b.s.x, b.s.y, b.s.z, 1e-12);
    near_point(a.sv, b.sv.x, b.sv.y, b.sv.z, 1e-10);
    near_point(a.svv, b.svv.x, b.svv.y, b.svv.z, 1e-8);
    sn_vec3 wrapped = sni_nurbs_point(&p.nurbs, 0.3, 1.25),
            same = sni_nurbs_point(&p.nurbs, 0.3, 0.25);
    near_point(wrapped, same.x, same.y, same.z, 1e-12);
}

static void closest_on_the_quarter_cylinder(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_nurbs_finder *finder;
    snt_ok(sni_nurbs_finder_create(context, &quarter, &finder, error));
    static const double parameters[5] = {0.176556712802933, 0.341081377402109, 0.5,
                                         0.658918622597891, 0.823443287197067};
    static const double radii[3] = {0.5, 1.9, 5};
    sni_nurbs_closest c;
    for (int i = 0; i < 15; ++i) {
        double angle = (15 + 15 * (i / 3)) * SN_PI / 180, rho = radii[i % 3];
        sn_vec3 x = {rho * cos(angle), rho * sin(angle), 1.2};
        sni_nurbs_find_closest(finder, x, INFINITY, &c);
        assert_true(c.found);
        snt_near(c.u, parameters[i / 3], 1e-9);
        snt_near(c.v, 0.4, 1e-9);
        snt_near(c.distance, fabs(rho - 2), 1e-9);
    }
    sni_nurbs_find_closest(finder, sn_vec3_make(3, -1, 4), INFINITY, &c);
    assert_true(c.u == 0 && c.v == 1);
    near_point(c.point, 2, 0, 3, 1e-12);
    snt_near(c.distance, sqrt(3), 1e-12);
    sni_nurbs_find_closest(finder, sn_vec3_make(0, 0, 1.2), INFINITY, &c);
    snt_near(c.distance, 2, 1e-9);
    sni_nurbs_find_closest(finder, sn_vec3_make(5, 0, 1), 2.5, &c);
    assert_false(c.found);
    sni_nurbs_find_closest(finder, sn_vec3_make(NAN, 0, 1), INFINITY, &c);
    assert_false(c.found);
    sni_nurbs_finder_destroy(finder);
    snt_context_end(context);
}

static double distance_at(const sni_nurbs *nurbs, sn_vec3 x, double u, double v) {
    return sn_vec3_distance(sni_nurbs_point(nurbs, u, v), x);
}

// Goes down from a sample by trying its eight neighbours, closer and closer: no derivatives, no
// bounds, nothing in common with the search that it checks.
static double walk_down(const sni_nurbs *nurbs, sn_vec3 x, double u, double v, double step) {
    double best = distance_at(nurbs, x, u, v);
    while (step > 1e-10) {
        bool better = false;
        for (int k = 0; k < 9; ++k) {
            double tu = u + (k / 3 - 1) * step, tv = v + (k % 3 - 1) * step;
            tu = fmin(fmax(tu, 0), 1);
            tv = nurbs->closed[1] ? tv - floor(tv) : fmin(fmax(tv, 0), 1);
            double d = distance_at(nurbs, x, tu, tv);
            if (d < best) {
                best = d;
                u = tu;
                v = tv;
                better = true;
                break;
            }
        }
        step *= better ? 1 : 0.5;
    }
    return best;
}

enum { GRID = 96 };

// The least distance: dense samples, and a walk down from every one that is lower than all around
// it and not hopelessly far.
static double brute_force(const sni_nurbs *nurbs, const sn_vec3 *samples, sn_vec3 x) {
    static double d[GRID + 1][GRID + 1];
    double best = INFINITY;
    for (int i = 0; i < (GRID + 1) * (GRID + 1); ++i) {
        d[i / (GRID + 1)][i % (GRID + 1)] = sn_vec3_distance(samples[i], x);
        best = fmin(best, d[i / (GRID + 1)][i % (GRID + 1)]);
    }
    double limit = best * 1.05;
    for (int i = 0; i <= GRID; ++i) {
        for (int j = 0; j <= GRID; ++j) {
            bool lowest = d[i][j] <= limit;
            for (int k = 0; k < 9 && lowest; ++k) {
                int a = i + k / 3 - 1, b = j + k % 3 - 1;
                lowest = a < 0 || b < 0 || a > GRID || b > GRID || d[a][b] >= d[i][j];
            }
            if (lowest) {
                best =
                    fmin(best, walk_down(nurbs, x, i / (double)GRID, j / (double)GRID, 1.0 / GRID));
            }
        }
    }
    return best;
}

// An edge or both of a patch shrink to a point.
static void make_degenerate(patch *p, int how) {
    uint32_t rows = p->nurbs.counts[0], columns = p->nurbs.counts[1];
    for (uint32_t j = 1; j < columns; ++j) {
        memcpy(p->points + 3 * j, p->points, 24);
        if (how == 2) {
            memcpy(p->points + 3 * ((rows - 1) * columns + j), p->points + 3 * (rows - 1) * columns,
                   24);
        }
    }
}

// As near as brute force, to a millionth: on patches of all degrees, closed, rational, with
// degenerate edges; from points near and far.
static void closest_matches_brute_force(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {4};
    sn_vec3 *samples = sni_alloc(context, (GRID + 1) * (GRID + 1), sizeof *samples);
    for (int round = 0; round < 24; ++round) {
        patch p;
        make_patch(&p, &random, 1 + (uint32_t)round % 6, round & 1, round % 8 == 3);
        if (round % 3 > 0 && !(round & 1)) {
            make_degenerate(&p, round % 3);
        }
        sni_nurbs_finder *finder;
        snt_ok(sni_nurbs_finder_create(context, &p.nurbs, &finder, error));
        for (int i = 0; i < (GRID + 1) * (GRID + 1); ++i) {
            samples[i] = sni_nurbs_point(&p.nurbs, i / (GRID + 1) / (double)GRID,
                                         i % (GRID + 1) / (double)GRID);
        }
        for (int k = 0; k < 60; ++k) {
            double far = k % 3 == 0 ? 1 : 0.1;
            sn_vec3 x = {snt_random_range(&random, -3, 8), snt_random_range(&random, -3, 8),
                         snt_random_range(&random, -2, 2)};
            sn_vec3 on = samples[(uint32_t)snt_random_range(&random, 0, GRID * GRID)];
            x = sn_vec3_lerp(on, x, far);
            sni_nurbs_closest c;
            sni_nurbs_find_closest(finder, x, INFINITY, &c);
            double best = brute_force(&p.nurbs, samples, x);
            assert_true(c.found);
            if (!(c.distance <= best * (1 + 1e-6) + 1e-9)) {
                fail_msg("round %d, point %d: %.9g, but brute force %.9g", round, k, c.distance,
                         best);
            }
            sn_vec3 s = sni_nurbs_point(&p.nurbs, c.u, c.v);
            snt_near(sn_vec3_distance(s, x), c.distance, 1e-12);
            sni_nurbs_closest again; // a radius changes nothing but what is found
            sni_nurbs_find_closest(finder, x, c.distance * 1.001, &again);
            assert_true(again.found && again.u == c.u && again.v == c.v);
            sni_nurbs_find_closest(finder, x, c.distance * 0.999, &again);
            assert_false(again.found && c.distance > 0);
        }
        sni_nurbs_finder_destroy(finder);
    }
    sni_free(context, samples);
    snt_context_end(context);
}

// A whole tube: from its axis two opposite places are equally near.
static void two_near_places_are_flagged(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    double points[2 * 12 * 3], knots_u[4], knots_v[12 + 2 * 3 + 1];
    for (int k = 0; k < 24; ++k) {
        double angle = 2 * SN_PI * (k % 12) / 12;
        points[3 * k] = cos(angle) * 1.2;
        points[3 * k + 1] = sin(angle);
        points[3 * k + 2] = k / 12;
    }
    sni_nurbs tube = {.degrees = {1, 3},
                      .counts = {2, 12},
                      .closed = {false, true},
                      .knots = {knots_u, knots_v},
                      .points = points};
    sni_nurbs_uniform_knots(1, 2, false, knots_u);
    sni_nurbs_uniform_knots(3, 12, true, knots_v);
    sni_nurbs_finder *finder;
    sni_nurbs_closest c;
    snt_ok(sni_nurbs_finder_create(context, &tube, &finder, error));
    sni_nurbs_find_closest(finder, sn_vec3_make(0, 0.001, 0.5), INFINITY, &c);
    assert_true(c.ambiguous);
    sni_nurbs_find_closest(finder, sn_vec3_make(0, 0.5, 0.5), INFINITY, &c);
    assert_false(c.ambiguous);
    snt_near(c.v, 2 / 12.0, 1e-9); // a cubic is centred on point 1 where its domain begins
    sni_nurbs_finder_destroy(finder);
    snt_context_end(context);
}

// An edge that is a single point: the parameter along it has no influence.
static void degenerate_edges_are_found(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const double fan[] = {0, 0, 0, 2, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 2, -1, 0};
    static const double ku[] = {0, 0, 0, 1, 1, 1}, kv[] = {0, 0, 1, 1};
    sni_nurbs nurbs = {.degrees = {2, 1}, .counts = {3, 2}, .knots = {ku, kv}, .points = fan};
    snt_ok(sni_nurbs_validate(&nurbs, error));
    sni_nurbs_finder *finder;
    sni_nurbs_closest c;
    snt_ok(sni_nurbs_finder_create(context, &nurbs, &finder, error));
    sni_nurbs_find_closest(finder, sn_vec3_make(-3, 0, 4), INFINITY, &c);
    snt_near(c.distance, 5, 1e-9);
    sni_nurbs_finder_destroy(finder);
    snt_context_end(context);
}

static void bad_surfaces_are_refused(void **state) {
    (void)state;
    sni_nurbs n = quarter;
    n.degrees[0] = 8;
    snt_fails(SN_INVALID, "degree 8 in u", sni_nurbs_validate(&n, error));
    n = quarter;
    n.counts[0] = 2;
    snt_fails(SN_INVALID, "2 points in u, but degree 2 needs 3", sni_nurbs_validate(&n, error));
    static const double falling[] = {0, 0, 1, 0.5}, flat[] = {0, 1, 1, 2};
    n = quarter;
    n.knots[1] = falling;
    snt_fails(SN_INVALID, "knot 3 in v is 0.5, after 1", sni_nurbs_validate(&n, error));
    n.knots[1] = flat;
    snt_fails(SN_INVALID, "leave no domain: 1 to 1", sni_nurbs_validate(&n, error));
    double weights[6] = {1, 1, 1, 0, 1, 1};
    n = quarter;
    n.weights = weights;
    snt_fails(SN_INVALID, "control point 3 has weight 0", sni_nurbs_validate(&n, error));
    double points[18] = {0};
    points[4] = INFINITY;
    n = quarter;
    n.points = points;
    snt_fails(SN_INVALID, "control point 1 has the coordinate inf", sni_nurbs_validate(&n, error));
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sni_nurbs_finder *finder;
    sn_status status = sni_nurbs_finder_create(context, &quarter, &finder, error);
    sni_nurbs_finder_destroy(finder);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quarter_cylinder_has_known_points),
        cmocka_unit_test(knots_of_closed_directions_run_on),
        cmocka_unit_test(weights_are_a_partition_of_one),
        cmocka_unit_test(derivatives_match_differences),
        cmocka_unit_test(closed_surfaces_meet_themselves),
        cmocka_unit_test(closest_on_the_quarter_cylinder),
        cmocka_unit_test(closest_matches_brute_force),
        cmocka_unit_test(two_near_places_are_flagged),
        cmocka_unit_test(degenerate_edges_are_found),
        cmocka_unit_test(bad_surfaces_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
