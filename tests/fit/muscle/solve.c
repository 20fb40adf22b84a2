// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "fit/muscle/fit.h"
#include "shapes.h"

#include <math.h>
#include <string.h>

enum { MOST = 400 };

static const double sizes[3] = {0.03, 0.1, 0.015};

// (shift M + scale L) x, edge by edge.
static void multiply(const sni_fit_surface *s, double shift, double scale, const double *x,
                     double *y) {
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        y[i] = shift * s->masses[i] * x[i];
    }
    for (uint32_t e = 0; e < s->edge_count + s->link_count; ++e) {
        uint32_t a = s->edges[2 * e], b = s->edges[2 * e + 1];
        y[a] += scale * s->weights[e] * (x[a] - x[b]);
        y[b] += scale * s->weights[e] * (x[b] - x[a]);
    }
}

// Right sides are made from known solutions; three at once have the bits of each alone.
static void equations_are_solved(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = snt_tube(context, 12, 12, snt_spindle, sizes);
    sni_arena arena;
    sni_fit_surface s;
    static double known[3][MOST], right[3][MOST], found[3][MOST], alone[MOST];
    double *const b[3] = {right[0], right[1], right[2]};
    double *const x[3] = {found[0], found[1], found[2]};
    const double shift = 1, scale = 4e-4, tolerance = 1e-12;
    sni_arena_init(&arena, context);
    snt_ok(sni_fit_surface_init(&s, context, &arena, mesh, error));
    assert_true(s.vertex_count <= MOST);
    for (uint32_t i = 0; i < s.vertex_count; ++i) {
        known[0][i] = s.points[i].y;
        known[1][i] = sin(40 * s.points[i].x);
        known[2][i] = 0; // nothing to do
    }
    memset(found, 0, sizeof found);
    for (int k = 0; k < 3; ++k) {
        multiply(&s, shift, scale, known[k], right[k]);
    }
    snt_ok(sni_fit_solve_vectors(&s, &arena, shift, scale, tolerance, b, x, error));
    for (int k = 0; k < 3; ++k) {
        memset(alone, 0, sizeof alone);
        snt_ok(sni_fit_solve(&s, &arena, shift, scale, tolerance, right[k], alone, error));
        assert_memory_equal(alone, found[k], s.vertex_count * sizeof *alone);
        for (uint32_t i = 0; i < s.vertex_count; ++i) {
            snt_near(found[k][i], known[k][i], 1e-9);
        }
    }
    sni_fit_surface_deinit(&s);
    sni_arena_deinit(&arena);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// Without masses the mean stays where it was.
static void a_mean_is_kept(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = snt_tube(context, 12, 12, snt_spindle, sizes);
    sni_arena arena;
    sni_fit_surface s;
    static double known[MOST], right[MOST], found[MOST];
    double means[2] = {0, 0};
    sni_arena_init(&arena, context);
    snt_ok(sni_fit_surface_init(&s, context, &arena, mesh, error));
    for (uint32_t i = 0; i < s.vertex_count; ++i) {
        known[i] = s.points[i].y;
        found[i] = 0.5;
    }
    multiply(&s, 0, 1, known, right);
    snt_ok(sni_fit_solve(&s, &arena, 0, 1, 1e-12, right, found, error));
    for (uint32_t i = 0; i < s.vertex_count; ++i) {
        means[0] += known[i] / s.vertex_count;
        means[1] += found[i] / s.vertex_count;
    }
    for (uint32_t i = 0; i < s.vertex_count; ++i) {
        snt_near(found[i] - means[1], known[i] - means[0], 1e-9);
    }
    sni_fit_surface_deinit(&s);
    sni_arena_deinit(&arena);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_are_solved),
        cmocka_unit_test(a_mean_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
