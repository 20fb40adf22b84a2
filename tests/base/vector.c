// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "sinew/vector.h"

static sn_quat random_quat(snt_random *random) {
    sn_quat q;
    do {
        q = (sn_quat){snt_random_range(random, -1, 1), snt_random_range(random, -1, 1),
                      snt_random_range(random, -1, 1), snt_random_range(random, -1, 1)};
    } while (sn_quat_dot(q, q) > 1 || sn_quat_dot(q, q) < 0.01);
    return sn_quat_normalize(q);
}

static sn_vec3 random_vec3(snt_random *random, double size) {
    return sn_vec3_make(snt_random_range(random, -size, size),
                        snt_random_range(random, -size, size),
                        snt_random_range(random, -size, size));
}

static void vec3_near(sn_vec3 a, sn_vec3 b, double tolerance) {
    snt_near(a.x, b.x, tolerance);
    snt_near(a.y, b.y, tolerance);
    snt_near(a.z, b.z, tolerance);
}

static void rotation_near(sn_quat a, sn_quat b, double tolerance) {
    snt_near(fabs(sn_quat_dot(a, b)), 1, 1e-12);
    double sign = sn_quat_dot(a, b) < 0 ? -1 : 1;
    snt_near(a.x, sign * b.x, tolerance);
    snt_near(a.y, sign * b.y, tolerance);
    snt_near(a.z, sign * b.z, tolerance);
}

// xyz is Rx * Ry * Rz: the matrix by hand.
static void euler_angles_follow_their_definition(void **state) {
    (void)state;
    sn_quat q = sn_quat_from_euler(sn_vec3_make(0.3, -0.5, 0.7), SN_ROTATION_XYZ);
    sn_vec3 x = sn_quat_rotate(q, sn_vec3_make(1, 0, 0));
    snt_near(x.x, cos(-0.5) * cos(0.7), 1e-15);
    snt_near(x.y, cos(0.3) * sin(0.7) + sin(0.3) * sin(-0.5) * cos(0.7), 1e-15);
    snt_near(x.z, sin(0.3) * sin(0.7) - cos(0.3) * sin(-0.5) * cos(0.7), 1e-15);
    // zyx turns about z first: x goes to y, and stays there when x turns last about itself.
    q = sn_quat_from_euler(sn_vec3_make(1, 0, SN_PI / 2), SN_ROTATION_ZYX);
    vec3_near(sn_quat_rotate(q, sn_vec3_make(1, 0, 0)), sn_vec3_make(0, 1, 0), 1e-15);
}

static void euler_angles_come_back(void **state) {
    (void)state;
    static const int middle[] = {1, 2, 0, 2, 0, 1};
    snt_random random = {1};
    for (int order = 0; order < 6; ++order) {
        for (int i = 0; i < 5000; ++i) {
            double a[3];
            for (int k = 0; k < 3; ++k) {
                double most = k == middle[order] ? SN_PI / 2 - 1e-4 : SN_PI;
                a[k] = snt_random_range(&random, -most, most);
            }
            sn_quat q =
                sn_quat_from_euler(sn_vec3_make(a[0], a[1], a[2]), (sn_rotation_order)order);
            vec3_near(sn_quat_to_euler(q, (sn_rotation_order)order), sn_vec3_make(a[0], a[1], a[2]),
                      1e-10);
        }
    }
}

// Also close to gimbal lock, where single angles lose their digits, the rotation must not.
static void rotations_survive_gimbal_lock(void **state) {
    (void)state;
    static const int middle[] = {1, 2, 0, 2, 0, 1};
    const double gaps[] = {0, 1e-15, 1e-12, 1e-10, 1e-9, 2e-9, 1e-8, 1e-7, 1e-6, 1e-3};
    snt_random random = {2};
    for (int order = 0; order < 6; ++order) {
        for (int i = 0; i < 200; ++i) {
            double gap = gaps[i % 10], a[3];
            for (int k = 0; k < 3; ++k) {
                a[k] = snt_random_range(&random, -SN_PI, SN_PI);
            }
            a[middle[order]] = (i & 16 ? 1 : -1) * (SN_PI / 2 - gap);
            sn_rotation_order o = (sn_rotation_order)order;
            sn_quat q = sn_quat_from_euler(sn_vec3_make(a[0], a[1], a[2]), o);
            sn_vec3 b = sn_quat_to_euler(q, o);
            rotation_near(sn_quat_from_euler(b, o), q, gap > 0 && gap < 1e-8 ? 2e-9 : 1e-14);
        }
    }
    sn_quat locked = sn_quat_from_euler(sn_vec3_make(0.2, SN_PI / 2, 0.4), SN_ROTATION_XYZ);
    assert_true(sn_quat_to_euler(locked, SN_ROTATION_XYZ).z == 0);
}

static void slerp_turns_at_constant_speed(void **state) {
    (void)state;
    snt_random random = {3};
    for (int i = 0; i < 500; ++i) {
        sn_quat a = random_quat(&random);
        sn_vec3 axis = sn_vec3_normalize_or(random_vec3(&random, 1), sn_vec3_make(1, 0, 0));
        double angle = snt_random_range(&random, -3.1, 3.1), t = snt_random_range(&random, 0, 1);
        sn_quat b = sn_quat_multiply(sn_quat_from_axis_angle(axis, angle), a);
        b = i & 1 ? sn_quat_scale(b, -1) : b;
        sn_quat expected = sn_quat_multiply(sn_quat_from_axis_angle(axis, t * angle), a);
        rotation_near(sn_quat_slerp(a, b, t), expected, 1e-12);
    }
    sn_quat a = random_quat(&random);
    rotation_near(sn_quat_slerp(a, a, 0.3), a, 1e-15);
}

static void between_takes_one_vector_to_the_other(void **state) {
    (void)state;
    snt_random random = {4};
    for (int i = 0; i < 1000; ++i) {
        sn_vec3 a = sn_vec3_normalize_or(random_vec3(&random, 1), sn_vec3_make(1, 0, 0));
        sn_vec3 b = sn_vec3_normalize_or(random_vec3(&random, 1), sn_vec3_make(1, 0, 0));
        sn_quat q = sn_quat_between(a, b);
        vec3_near(sn_quat_rotate(q, a), b, 1e-12);
        // The smallest turn: its axis is at right angles to both.
        snt_near(sn_vec3_dot(sn_vec3_make(q.x, q.y, q.z), a), 0, 1e-14);
        vec3_near(sn_quat_rotate(sn_quat_between(a, sn_vec3_scale(a, -1)), a), sn_vec3_scale(a, -1),
                  1e-14);
    }
}

static sn_mat4 random_matrix(snt_random *random, bool mirrored) {
    sn_transform t = {random_vec3(random, 5),
                      random_quat(random),
                      {snt_random_range(random, 0.1, 3), snt_random_range(random, 0.1, 3),
                       snt_random_range(random, 0.1, 3) * (mirrored ? -1 : 1)}};
    return sn_mat4_from_transform(&t);
}

static void matrices_invert(void **state) {
    (void)state;
    snt_random random = {5};
    for (int i = 0; i < 1000; ++i) {
        sn_mat4 a = random_matrix(&random, i & 1), b = random_matrix(&random, false), inverse;
        a = sn_mat4_multiply(&a, &b); // with shear
        assert_true(sn_mat4_invert(&a, &inverse));
        sn_mat4 product = sn_mat4_multiply(&a, &inverse), identity = sn_mat4_identity();
        for (int k = 0; k < 16; ++k) {
            snt_near(product.m[k], identity.m[k], 1e-10);
        }
    }
    sn_mat4 flat = sn_mat4_identity(), inverse;
    flat.m[5] = 0;
    assert_false(sn_mat4_invert(&flat, &inverse));
    assert_true(inverse.m[5] == 1);
    flat.m[5] = NAN;
    assert_false(sn_mat4_invert(&flat, &inverse));
}

static void determinants_are_volumes(void **state) {
    (void)state;
    sn_transform box = {{7, 8, 9}, sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), 1), {2, 3, 4}};
    sn_mat4 a = sn_mat4_from_transform(&box);
    snt_near(sn_mat4_determinant(&a), 24, 1e-13);
    box.scale.y = -3;
    sn_mat4 b = sn_mat4_from_transform(&box), product = sn_mat4_multiply(&a, &b);
    snt_near(sn_mat4_determinant(&b), -24, 1e-13);
    snt_near(sn_mat4_determinant(&product), -576, 1e-11);
}

static void matrices_decompose(void **state) {
    (void)state;
    snt_random random = {6};
    for (int i = 0; i < 1000; ++i) {
        sn_transform t = {random_vec3(&random, 5), random_quat(&random), random_vec3(&random, 3)};
        t.scale.x = fabs(t.scale.x) + 0.01;
        t.scale.y = fabs(t.scale.y) + 0.01;
        sn_mat4 a = sn_mat4_from_transform(&t);
        sn_transform parts;
        snt_near(sn_mat4_decompose(&a, &parts), 0, 1e-14);
        vec3_near(parts.translation, t.translation, 0);
        vec3_near(parts.scale, t.scale, 1e-13);
        rotation_near(parts.rotation, t.rotation, 1e-13);
        rotation_near(sn_mat4_rotation(&a), t.rotation, 1e-13);
    }
    sn_mat4 sheared = sn_mat4_identity();
    sheared.m[4] = 0.5; // x += y / 2
    sn_transform parts;
    assert_true(sn_mat4_decompose(&sheared, &parts) > 0.1);
    sn_mat4 zero = {{0}};
    sn_mat4_decompose(&zero, &parts);
    snt_near(sn_quat_dot(parts.rotation, parts.rotation), 1, 1e-15);
}

static void dual_quaternions_equal_matrices(void **state) {
    (void)state;
    snt_random random = {7};
    for (int i = 0; i < 1000; ++i) {
        sn_transform t = {random_vec3(&random, 5), random_quat(&random), {1, 1, 1}};
        sn_mat4 a = sn_mat4_from_transform(&t);
        sn_dual_quat d = sn_dual_quat_from_rigid(t.rotation, t.translation);
        sn_vec3 p = random_vec3(&random, 10);
        vec3_near(sn_dual_quat_point(&d, p), sn_mat4_point(&a, p), 1e-13);
        vec3_near(sn_vec3_add(sn_mat4_direction(&a, p), t.translation), sn_mat4_point(&a, p),
                  1e-13);
    }
}

static void degenerate_vectors_have_answers(void **state) {
    (void)state;
    sn_vec3 up = {0, 1, 0}, zero = {0, 0, 0}, endless = {INFINITY, 0, 0};
    vec3_near(sn_vec3_normalize_or(zero, up), up, 0);
    vec3_near(sn_vec3_normalize_or(endless, up), up, 0);
    assert_true(sn_quat_normalize((sn_quat){0, 0, 0, 0}).w == 1);
    snt_random random = {8};
    for (int i = 0; i < 1000; ++i) {
        sn_vec3 a = sn_vec3_normalize_or(random_vec3(&random, 1), up);
        snt_near(sn_vec3_dot(a, sn_vec3_perpendicular(a)), 0, 1e-15);
        snt_near(sn_vec3_length(sn_vec3_perpendicular(a)), 1, 1e-15);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(euler_angles_follow_their_definition),
        cmocka_unit_test(euler_angles_come_back),
        cmocka_unit_test(rotations_survive_gimbal_lock),
        cmocka_unit_test(slerp_turns_at_constant_speed),
        cmocka_unit_test(between_takes_one_vector_to_the_other),
        cmocka_unit_test(matrices_invert),
        cmocka_unit_test(determinants_are_volumes),
        cmocka_unit_test(matrices_decompose),
        cmocka_unit_test(dual_quaternions_equal_matrices),
        cmocka_unit_test(degenerate_vectors_have_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
