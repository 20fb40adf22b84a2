// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "geometry/trilinear_internal.h"

#include <math.h>
#include <string.h>

static const sni_cell cell = {{{0, 0, 0},
                               {2, 0, 0},
                               {0, 2, 0},
                               {2.4, 2.2, 0},
                               {0, 0, 3},
                               {2, 0.3, 3},
                               {0.2, 2, 3.1},
                               {2.2, 2.5, 3.4}}};
static const double low[3] = {-1, -1, -0.25}, high[3] = {2, 2, 1.25};

static void assert_point(sn_vec3 p, double x, double y, double z, double tolerance) {
    snt_near(p.x, x, tolerance);
    snt_near(p.y, y, tolerance);
    snt_near(p.z, z, tolerance);
}

static void the_map_has_its_known_values(void **state) {
    (void)state;
    assert_point(sni_cell_point(&cell, (const double[]){.3, .6, .25}), 0.684, 1.2585, 0.7785,
                 1e-12);
    assert_point(sni_cell_point(&cell, (const double[]){.9, .1, .8}), 1.8232, 0.434, 2.4296, 1e-12);
    assert_point(sni_cell_point(&cell, (const double[]){1.2, -.1, .5}), 2.366, -0.044, 1.477,
                 1e-12);
    sn_vec3 columns[3];
    sni_cell_jacobian(&cell, (const double[]){.5, .5, .5}, columns);
    snt_near(sn_vec3_dot(columns[0], sn_vec3_cross(columns[1], columns[2])), 13.587875, 1e-12);
    for (int k = 0; k < 8; ++k) {
        const double q[3] = {k & 1, k >> 1 & 1, k >> 2};
        sn_vec3 p = cell.corners[k];
        assert_point(sni_cell_point(&cell, q), p.x, p.y, p.z, 0);
    }
}

static void derivatives_are_differences(void **state) {
    (void)state;
    const double q[3] = {0.3, 1.4, -0.2}, step = 1e-6;
    sn_vec3 columns[3];
    sni_cell_jacobian(&cell, q, columns);
    for (int axis = 0; axis < 3; ++axis) {
        double more[3] = {q[0], q[1], q[2]}, less[3] = {q[0], q[1], q[2]};
        more[axis] += step;
        less[axis] -= step;
        sn_vec3 slope = sn_vec3_scale(
            sn_vec3_sub(sni_cell_point(&cell, more), sni_cell_point(&cell, less)), 0.5 / step);
        assert_point(columns[axis], slope.x, slope.y, slope.z, 1e-8);
    }
}

static void the_inverse_gives_the_parameters_back(void **state) {
    (void)state;
    static const double known[3][3] = {{.3, .6, .25}, {.9, .1, .8}, {1.2, -.1, .5}};
    for (int i = 0; i < 3; ++i) {
        sni_inverse found = sni_cell_invert(&cell, sni_cell_point(&cell, known[i]), low, high);
        assert_int_equal(found.kind, SNI_INVERSE_NEWTON);
        for (int k = 0; k < 3; ++k) {
            snt_near(found.q[k], known[i][k], 1e-9);
        }
        assert_true(sn_vec3_length(found.residual) < 1e-9);
    }
    // All over a cell, and around it.
    snt_random random = {1};
    for (int i = 0; i < 20000; ++i) {
        double q[3];
        for (int k = 0; k < 3; ++k) {
            q[k] = snt_random_range(&random, k < 2 ? -0.5 : -0.2, k < 2 ? 1.5 : 1.2);
        }
        sn_vec3 point = sni_cell_point(&cell, q);
        sni_inverse found = sni_cell_invert(&cell, point, low, high);
        assert_true(found.kind != SNI_INVERSE_CLOSEST);
        sn_vec3 back = sni_cell_point(&cell, found.q);
        assert_point(back, point.x, point.y, point.z, 1e-9);
    }
}

// Warped cells: whatever is found fits, and nearly always something is.
static void random_cells_are_inverted(void **state) {
    (void)state;
    snt_random random = {2};
    int closest = 0, count = 5000;
    for (int i = 0; i < count; ++i) {
        sni_cell warped;
        for (int k = 0; k < 8; ++k) {
            warped.corners[k] = sn_vec3_make((k & 1) + snt_random_range(&random, -.3, .3),
                                             (k >> 1 & 1) + snt_random_range(&random, -.3, .3),
                                             (k >> 2) + snt_random_range(&random, -.3, .3));
        }
        double q[3];
        for (int k = 0; k < 3; ++k) {
            q[k] = snt_random_range(&random, 0, 1);
        }
        sn_vec3 point = sni_cell_point(&warped, q);
        sni_inverse found = sni_cell_invert(&warped, point, low, high);
        closest += found.kind == SNI_INVERSE_CLOSEST;
        sn_vec3 back = sn_vec3_add(sni_cell_point(&warped, found.q), found.residual);
        assert_point(back, point.x, point.y, point.z, 1e-12);
        assert_true(found.kind == SNI_INVERSE_CLOSEST || sn_vec3_length(found.residual) < 1e-9);
    }
    assert_true(closest <= count / 500);
}

// Beyond the limits the closest point within them: of a cube, what clamping gives.
static void far_points_take_the_closest_parameters(void **state) {
    (void)state;
    sni_cell cube;
    for (int k = 0; k < 8; ++k) {
        cube.corners[k] = sn_vec3_make(k & 1, k >> 1 & 1, k >> 2);
    }
    sni_inverse found = sni_cell_invert(&cube, sn_vec3_make(0.4, 3.5, 2), low, high);
    assert_int_equal(found.kind, SNI_INVERSE_CLOSEST);
    snt_near(found.q[0], 0.4, 1e-9);
    snt_near(found.q[1], 2, 1e-9);
    snt_near(found.q[2], 1.25, 1e-9);
    assert_point(found.residual, 0, 1.5, 0.75, 1e-9);
}

static void cells_without_volume_have_defined_answers(void **state) {
    (void)state;
    sni_cell flat, line,
        point = {{{1, 2, 3},
                  {1, 2, 3},
                  {1, 2, 3},
                  {1, 2, 3},
                  {1, 2, 3},
                  {1, 2, 3},
                  {1, 2, 3},
                  {1, 2, 3}}};
    for (int k = 0; k < 8; ++k) {
        flat.corners[k] = sn_vec3_make(k & 1, 0, k >> 2);
        line.corners[k] = sn_vec3_make(0, 0, k >> 2);
    }
    const sni_cell *cells[] = {&flat, &line, &point};
    for (int i = 0; i < 3; ++i) {
        sn_vec3 target = sn_vec3_make(0.25, 0.1, 0.75);
        sni_inverse found = sni_cell_invert(cells[i], target, low, high);
        sn_vec3 back = sn_vec3_add(sni_cell_point(cells[i], found.q), found.residual);
        assert_point(back, target.x, target.y, target.z, 1e-12);
        sn_vec3 axes[3];
        sni_cell_frame(cells[i], found.q, axes);
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                snt_near(sn_vec3_dot(axes[a], axes[b]), a == b, 1e-12);
            }
        }
    }
    sni_inverse found = sni_cell_invert(&flat, sn_vec3_make(0.25, 0.1, 0.75), low, high);
    snt_near(found.q[0], 0.25, 1e-5);
    snt_near(found.q[2], 0.75, 1e-5);
}

// Seen in a mirror, with s and t exchanged.
static sni_cell image_of(const sni_cell *of) {
    sni_cell image;
    for (int k = 0; k < 8; ++k) {
        sn_vec3 p = of->corners[(k & 1) << 1 | (k >> 1 & 1) | (k & 4)];
        image.corners[k] = sn_vec3_make(-p.x, p.y, p.z);
    }
    return image;
}

static sni_cell random_cell(uint64_t *seed) {
    sni_cell made;
    for (int k = 0; k < 8; ++k) {
        double numbers[3];
        for (int axis = 0; axis < 3; ++axis) {
            *seed = *seed * 6364136223846793005u + 1442695040888963407u;
            numbers[axis] = (k >> axis & 1) + 1.4 * ((double)(*seed >> 40) / (1 << 24) - 0.5);
        }
        made.corners[k] = sn_vec3_make(numbers[0], numbers[1], numbers[2]);
    }
    return made;
}

// F_now F_rest^T v, the vector as it turns with a cell from one shape to another.
static sn_vec3 turn(const sni_cell *rest, const sni_cell *now, const double q[3], sn_vec3 v) {
    sn_vec3 from[3], to[3], turned = {0, 0, 0};
    sni_cell_frame(rest, q, from);
    sni_cell_frame(now, q, to);
    for (int k = 0; k < 3; ++k) {
        turned = sn_vec3_add_scaled(turned, sn_vec3_dot(from[k], v), to[k]);
    }
    return turned;
}

static void a_mirrored_cell_turns_and_inverts_the_mirrored_way(void **state) {
    (void)state;
    uint64_t seed = 3;
    uint32_t kinds[3] = {0, 0, 0};
    for (int i = 0; i < 2000; ++i) {
        sni_cell one = random_cell(&seed), two = random_cell(&seed);
        sni_cell image = image_of(&one), image_two = image_of(&two);
        const double q[3] = {0.3, 0.8, 0.4}, swapped[3] = {0.8, 0.3, 0.4};
        sn_vec3 v = turn(&one, &two, q, sn_vec3_make(0.5, 0.7, -0.2));
        sn_vec3 w = turn(&image, &image_two, swapped, sn_vec3_make(-0.5, 0.7, -0.2));
        assert_point(w, -v.x, v.y, v.z, 1e-9);
        sn_vec3 point = two.corners[i % 8]; // within the cell, or somewhere near it
        sni_inverse a = sni_cell_invert(&one, point, low, high);
        sni_inverse b =
            sni_cell_invert(&image, sn_vec3_make(-point.x, point.y, point.z), low, high);
        assert_int_equal(a.kind, b.kind);
        ++kinds[a.kind];
        if (a.kind != SNI_INVERSE_CLOSEST) {
            assert_point(sn_vec3_make(b.q[1], b.q[0], b.q[2]), a.q[0], a.q[1], a.q[2], 1e-6);
        }
    }
    assert_true(kinds[0] > 500 && kinds[1] > 20 && kinds[2] > 100);
}

static double residual_of(const sni_cell_search *s, const double q[3], sn_vec3 *residual) {
    *residual = sn_vec3_sub(s->point, sni_cell_point(s->cell, q));
    return sn_vec3_length(*residual);
}

// Newton's method with halved steps, one start after the other.
static double newton_plainly(const sni_cell_search *s, double q[3]) {
    static const bool none[3] = {false, false, false};
    sn_vec3 residual, c[3];
    double length = residual_of(s, q, &residual), dq[3], next[3];
    for (int i = 0; i < SNI_NEWTON_STEPS && length > s->enough; ++i) {
        double share = 1, now = INFINITY;
        residual_of(s, q, &residual);
        sni_cell_jacobian(s->cell, q, c);
        double det = sn_vec3_dot(c[0], sn_vec3_cross(c[1], c[2]));
        if (fabs(det) > s->singular) {
            dq[0] = sn_vec3_dot(residual, sn_vec3_cross(c[1], c[2])) / det;
            dq[1] = sn_vec3_dot(c[0], sn_vec3_cross(residual, c[2])) / det;
            dq[2] = sn_vec3_dot(c[0], sn_vec3_cross(c[1], residual)) / det;
        } else if (!sni_cell_least_squares(c, residual, none, dq)) {
            return length;
        }
        for (int h = 0; h <= SNI_NEWTON_HALVINGS && !(now < length); ++h, share /= 2) {
            for (int k = 0; k < 3; ++k) {
                next[k] = fmin(fmax(q[k] + share * dq[k], s->low[k]), s->high[k]);
            }
            now = residual_of(s, next, &residual);
        }
        if (!(now < length)) {
            return length;
        }
        memcpy(q, next, sizeof next);
        length = now;
    }
    return length;
}

// Cells turned inside out, flat ones and single points among them.
static void many_starts_end_where_each_does_alone(void **state) {
    (void)state;
    enum { STARTS = 11 };
    snt_random random = {3};
    for (int i = 0; i < 300; ++i) {
        sni_cell twisted = cell;
        double q[STARTS][3], plain[STARTS][3], lengths[STARTS];
        for (int k = 0; k < 8; ++k) {
            twisted.corners[k].x += snt_random_range(&random, -1.5, 1.5);
            twisted.corners[k].z *= i % 5 == 0 ? 0 : snt_random_range(&random, 0, 1);
            twisted.corners[k] = i % 50 == 7 ? sn_vec3_make(1, 2, 3) : twisted.corners[k];
        }
        sni_cell_search search = {.cell = &twisted,
                                  .point = {snt_random_range(&random, -3, 5), 1, 1},
                                  .low = low,
                                  .high = high,
                                  .enough = 1e-10,
                                  .singular = 1e-8};
        for (int k = 0; k < 3 * STARTS; ++k) {
            q[k / 3][k % 3] = snt_random_range(&random, low[k % 3], high[k % 3]);
        }
        memcpy(plain, q, sizeof q);
        sni_cell_newton_all(&search, STARTS, STARTS, q, lengths);
        for (int k = 0; k < STARTS; ++k) {
            assert_true(newton_plainly(&search, plain[k]) == lengths[k]);
        }
        assert_memory_equal(plain, q, sizeof q);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_map_has_its_known_values),
        cmocka_unit_test(derivatives_are_differences),
        cmocka_unit_test(the_inverse_gives_the_parameters_back),
        cmocka_unit_test(random_cells_are_inverted),
        cmocka_unit_test(far_points_take_the_closest_parameters),
        cmocka_unit_test(cells_without_volume_have_defined_answers),
        cmocka_unit_test(a_mirrored_cell_turns_and_inverts_the_mirrored_way),
        cmocka_unit_test(many_starts_end_where_each_does_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
