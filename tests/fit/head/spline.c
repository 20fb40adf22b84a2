// SPDX-License-Identifier: Apache-2.0
//
// Motions of space through points, and similarities: exact cases.
#include "test.h"

#include "fit/head/similarity.h"
#include "fit/head/spline.h"

#include <math.h>

enum { COUNT = 12 };

static sn_context *context;

// Points that lie in no plane and on no line.
static sn_vec3 point(int i) {
    return sn_vec3_make(sin(1.7 * i), cos(2.3 * i + 0.4), sin(0.9 * i * i));
}

static sn_vec3 affine(sn_vec3 p) {
    return sn_vec3_make(1.2 * p.x + 0.1 * p.y + 3, 0.8 * p.y - 0.2 * p.z, p.z + 0.3 * p.x - 1);
}

// A spline through points of an affine map is that map, everywhere.
static void test_affine(void **state) {
    (void)state;
    sn_vec3 centers[COUNT], offsets[COUNT];
    sni_spline *spline = NULL;
    for (int i = 0; i < COUNT; ++i) {
        centers[i] = point(i);
        offsets[i] = sn_vec3_sub(affine(centers[i]), centers[i]);
    }
    snt_ok(sni_spline_create(context, SNI_SPLINE_BENDING, 0.1, COUNT, centers, offsets, NULL,
                             &spline, error));
    for (int i = 0; i < 40; ++i) {
        sn_vec3 p = sn_vec3_scale(point(i + 100), 2);
        snt_near(sn_vec3_distance(sn_vec3_add(p, sni_spline_at(spline, p)), affine(p)), 0, 1e-9);
    }
    sni_spline_destroy(spline);
}

// Both kernels take every center to its place; the local one leaves what is far away.
static void test_through_points(void **state) {
    (void)state;
    sn_vec3 centers[COUNT], offsets[COUNT], far = {50, 0, 0};
    for (int i = 0; i < COUNT; ++i) {
        centers[i] = point(i);
        offsets[i] = sn_vec3_scale(point(3 * i + 7), 0.1);
    }
    for (int kernel = 0; kernel < 2; ++kernel) {
        sni_spline *spline = NULL;
        snt_ok(sni_spline_create(context, kernel == 0 ? SNI_SPLINE_BENDING : SNI_SPLINE_LOCAL,
                                 kernel == 0 ? 0 : 0.7, COUNT, centers, offsets, NULL, &spline,
                                 error));
        for (int i = 0; i < COUNT; ++i) {
            snt_near(sn_vec3_distance(sni_spline_at(spline, centers[i]), offsets[i]), 0, 1e-9);
        }
        if (kernel == 1) {
            snt_near(sn_vec3_length(sni_spline_at(spline, far)), 0, 0);
        }
        sni_spline_destroy(spline);
    }
}

static void test_similarity(void **state) {
    (void)state;
    sn_vec3 from[COUNT], to[COUNT];
    sni_similarity given = {.rotation = sn_quat_from_axis_angle(sn_vec3_make(0.6, 0, -0.8), 2.5),
                            .scale = 0.37,
                            .translation = {1, -2, 3}};
    sni_similarity found;
    for (int i = 0; i < COUNT; ++i) {
        from[i] = point(i);
        to[i] = sni_similarity_point(&given, from[i]);
    }
    assert_true(sni_similarity_fit(from, to, NULL, COUNT, &found));
    snt_near(found.scale, 0.37, 1e-12);
    sni_similarity back = sni_similarity_invert(&found);
    for (int i = 0; i < COUNT; ++i) {
        sn_vec3 there = sni_similarity_point(&found, from[i]);
        snt_near(sn_vec3_distance(there, to[i]), 0, 1e-12);
        snt_near(sn_vec3_distance(sni_similarity_point(&back, there), from[i]), 0, 1e-12);
    }
}

static int begin(void **state) {
    (void)state;
    context = snt_context(1);
    return 0;
}

static int end(void **state) {
    (void)state;
    snt_context_end(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_affine),
        cmocka_unit_test(test_through_points),
        cmocka_unit_test(test_similarity),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
