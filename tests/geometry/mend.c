// SPDX-License-Identifier: Apache-2.0
//
// Meshes with small flaws become solids of the volume that they seem to have.
#include "test.h"

#include "geometry/mend.h"
#include "sinew/geometry.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 24, COLUMNS = 32 };

// A ball of radius 1 by rows and columns: every quad two triangles, poles as rows of one place.
typedef struct ball {
    float positions[3 * (ROWS + 1) * (COLUMNS + 1)];
    uint32_t vertices[6 * ROWS * COLUMNS];
    uint32_t triangle_count;
} ball;

// `seam`: the last column has vertices of its own at the places of the first.
static void make_ball(ball *b, bool seam) {
    b->triangle_count = 0;
    for (uint32_t i = 0; i <= ROWS; ++i) {
        for (uint32_t k = 0; k <= COLUMNS; ++k) {
            double u = SN_PI * i / ROWS, v = k == COLUMNS ? 0 : 2 * SN_PI * k / COLUMNS;
            double around = i == 0 || i == ROWS ? 0 : sin(u);
            float *p = b->positions + 3 * (size_t)(i * (COLUMNS + 1) + k);
            sn_vec3_store(sn_vec3_make(around * cos(v), cos(u), -around * sin(v)), p);
        }
    }
    for (uint32_t i = 0; i < ROWS; ++i) {
        for (uint32_t k = 0; k < COLUMNS; ++k) {
            uint32_t next = seam ? k + 1 : (k + 1) % COLUMNS;
            uint32_t a = i * (COLUMNS + 1) + k, c = i * (COLUMNS + 1) + next;
            uint32_t d = a + COLUMNS + 1, e = c + COLUMNS + 1;
            const uint32_t two[6] = {a, d, e, a, e, c};
            memcpy(b->vertices + 3 * (size_t)b->triangle_count, two, sizeof two);
            b->triangle_count += 2;
        }
    }
}

static sni_solid solid_of(const ball *b) {
    return (sni_solid){.value = 1,
                       .positions = b->positions,
                       .vertex_count = (ROWS + 1) * (COLUMNS + 1),
                       .vertices = b->vertices,
                       .triangle_count = b->triangle_count};
}

static double volume_of(sn_context *context, const sni_solid *solid) {
    sn_mass mass;
    snt_ok(sn_mass_compute(context, solid->positions, solid->vertices, solid->triangle_count, &mass,
                           error));
    return mass.volume;
}

// Mends, and checks that the result is a solid of about a volume.
static double mend(sn_context *context, const ball *b, double volume, double tolerance) {
    sni_solid solid = solid_of(b);
    sni_mended mended;
    snt_fails(SN_INVALID, "", sni_solid_check(context, &solid, error));
    snt_ok(sni_mend_solid(context, &solid, &mended, error));
    solid.vertices = mended.vertices;
    solid.triangle_count = mended.triangle_count;
    snt_ok(sni_solid_check(context, &solid, error));
    snt_near(volume_of(context, &solid), volume, tolerance);
    double cover = mended.cover;
    sni_mended_deinit(context, &mended);
    return cover;
}

static void drop(ball *b, uint32_t triangle) {
    --b->triangle_count;
    memmove(b->vertices + 3 * (size_t)triangle, b->vertices + 3 * (size_t)(triangle + 1),
            3 * (size_t)(b->triangle_count - triangle) * sizeof *b->vertices);
}

static double whole_volume(sn_context *context) {
    static ball b;
    make_ball(&b, true);
    sni_solid solid = solid_of(&b);
    return volume_of(context, &solid);
}

static void welds_seams(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static ball b;
    make_ball(&b, true);
    snt_near(mend(context, &b, whole_volume(context), 1e-6), 0, 0);
    snt_context_end(context);
}

static void closes_holes(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static ball b;
    double whole = whole_volume(context);
    make_ball(&b, true);
    // A window of 3 x 3 quads at the equator, and a single triangle elsewhere.
    for (uint32_t i = 3; i-- > 0;) {
        for (uint32_t k = 6; k-- > 0;) {
            drop(&b, 2 * (11 + i) * COLUMNS + 10 + k);
        }
    }
    drop(&b, 2 * 5 * COLUMNS + 40);
    double cover = mend(context, &b, whole, 0.03 * whole);
    assert_true(cover > 0.005 && cover < 0.05);
    // A slit over half of the ball, one quad wide.
    make_ball(&b, true);
    for (uint32_t i = ROWS - 4; i-- > 4;) {
        drop(&b, 2 * i * COLUMNS + 21);
        drop(&b, 2 * i * COLUMNS + 20);
    }
    cover = mend(context, &b, whole, 0.01 * whole);
    assert_true(cover < 0.04);
    snt_context_end(context);
}

static void turns_faces(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static ball b;
    make_ball(&b, true);
    for (uint32_t t = 0; t < b.triangle_count; t += 3) {
        uint32_t *v = b.vertices + 3 * (size_t)t, swap = v[0];
        v[0] = v[1];
        v[1] = swap;
    }
    snt_near(mend(context, &b, whole_volume(context), 1e-6), 0, 0);
    // All of them inside out.
    make_ball(&b, false);
    for (uint32_t t = 0; t < b.triangle_count; ++t) {
        uint32_t *v = b.vertices + 3 * (size_t)t, swap = v[0];
        v[0] = v[1];
        v[1] = swap;
    }
    snt_near(mend(context, &b, whole_volume(context), 1e-6), 0, 0);
    snt_context_end(context);
}

static void refuses_sheets_and_bowls(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static ball b;
    sni_mended mended;
    make_ball(&b, true);
    b.triangle_count /= 2; // the upper half
    sni_solid solid = solid_of(&b);
    snt_fails(SN_INVALID,
              "the mesh is open along 32 edges: what closes it would be 50 % of its area",
              sni_mend_solid(context, &solid, &mended, error));
    sni_mended_deinit(context, &mended);
    solid.triangle_count = 1;
    solid.vertices = b.vertices + 6 * 5 * COLUMNS;
    snt_fails(SN_INVALID, "what closes it would be 100 %",
              sni_mend_solid(context, &solid, &mended, error));
    sni_mended_deinit(context, &mended);
    b.vertices[7] = 99999;
    solid = solid_of(&b);
    snt_fails(SN_INVALID, "triangle 2 names vertex 99999",
              sni_mend_solid(context, &solid, &mended, error));
    sni_mended_deinit(context, &mended);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(welds_seams),
        cmocka_unit_test(closes_holes),
        cmocka_unit_test(turns_faces),
        cmocka_unit_test(refuses_sheets_and_bowls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
