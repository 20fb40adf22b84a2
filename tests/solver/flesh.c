// SPDX-License-Identifier: Apache-2.0
#include "flesh_patch.h"

#include "solver/flesh_internal.h"
#include "solver/flesh_law.h"

// One column at each corner of a right triangle of 10 mm, 10 mm thick; stiffnesses all 0.
static snt_flesh triangle(sn_context *context, sni_columns_desc *desc) {
    snt_flesh f = snt_flesh_new(context, 3, 1);
    static const double at[3][2] = {{0, 0}, {0.01, 0}, {0, 0.01}};
    for (uint32_t i = 0; i < 3; ++i) {
        snt_flesh_put(f.rest_skin, 3, i, sn_vec3_make(at[i][0], at[i][1], 0));
        snt_flesh_put(f.rest_fascia, 3, i, sn_vec3_make(at[i][0], at[i][1], -0.01));
        f.triangles[i] = i;
    }
    *desc = snt_flesh_describe(&f);
    desc->stiffness = (sni_flesh_stiffness){.shortest = 0.6, .longest = 1.3};
    return f;
}

static void expect_mm(const float *points, uint32_t column, double x, double y, double z) {
    sn_vec3 at = sn_vec3_scale(snt_flesh_at(points, column), 1e3);
    snt_near(at.x, x, 6e-4);
    snt_near(at.y, y, 6e-4);
    snt_near(at.z, z, 6e-4);
}

static const sni_columns_effort one_step = {.rounds = 1};

// Stretches the triangle by 1.5 along x and makes one step of half the way, without anchors.
static void step_stretched(snt_flesh *f, const sni_columns_desc *desc) {
    snt_flesh_make(f, desc);
    snt_flesh_settle(f, 0, 0);
    for (uint32_t i = 0; i < 3; ++i) {
        f->skin[4 * (size_t)i] *= 1.5f;
        f->fascia[4 * (size_t)i] *= 1.5f;
    }
    snt_flesh_solve(f, one_step);
}

static void law_has_its_values(void **state) {
    (void)state;
    static const double at[] = {0.3, 0.5, 0.8, 1.1, 1.25, 1.5, 2};
    static const double r[] = {-0.275, -0.075, -0.03, 0.015, 0.0375, 0.2875, 0.7875};
    for (size_t i = 0; i < sizeof at / sizeof *at; ++i) {
        snt_near(sni_skin_law(at[i]), r[i], 1e-12);
    }
    snt_near(sni_skin_slope(1.05, 0.95), 0.15, 1e-12);
    snt_near(sni_skin_slope(1.25, 0.95), 1, 1e-12);
    snt_near(sni_skin_slope(1.05, 0.5), 1, 1e-12);
    snt_near(sni_fascia_law(1.2), 0.2, 1e-12);
    snt_near(sni_fascia_law(0.8), -0.02, 1e-12);
}

static void membrane_makes_its_step(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_columns_desc desc;
    snt_flesh f = triangle(context, &desc);
    desc.stiffness.membrane = 0.2;
    step_stretched(&f, &desc);
    expect_mm(f.skin, 0, 0.719, 0, 0);
    expect_mm(f.skin, 1, 13.562, 0, 0);
    expect_mm(f.skin, 2, 0, 10, 0);
    expect_mm(f.fascia, 1, 15, 0, -10);
    snt_flesh_free(&f);
    snt_context_end(context);
}

static void prism_makes_its_step(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_columns_desc desc;
    snt_flesh f = triangle(context, &desc);
    desc.stiffness.fat = 2;
    step_stretched(&f, &desc);
    expect_mm(f.skin, 0, 2.045, 0, 0);
    expect_mm(f.skin, 1, 11.538, 0, 0);
    expect_mm(f.fascia, 0, 2.045, 0, -10);
    expect_mm(f.fascia, 1, 11.538, 0, -10);
    snt_flesh_free(&f);
    snt_context_end(context);
}

static void volume_makes_its_step(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_columns_desc desc;
    snt_flesh f = triangle(context, &desc);
    desc.stiffness.volume = 2;
    step_stretched(&f, &desc);
    expect_mm(f.skin, 0, 0.369, 0.553, -0.369);
    expect_mm(f.skin, 1, 14.376, 0, -0.624);
    expect_mm(f.skin, 2, 0, 9.064, -0.624);
    snt_flesh_free(&f);
    snt_context_end(context);
}

static void anchors_make_their_step(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_columns_desc desc;
    snt_flesh f = triangle(context, &desc);
    snt_flesh_make(&f, &desc);
    f.fascia[0] += 0.003f;
    f.fascia[2] += 0.003f;
    snt_flesh_solve(&f, one_step);
    expect_mm(f.fascia, 0, 1.5, 0, -8.5);
    snt_flesh_free(&f);
    snt_context_end(context);
}

// A rod that is too short or too long goes half of what is left with each step, and then all the
// way.
static void expect_rod(double part, double first, double second, double end) {
    sn_context *context = snt_context(1);
    sni_columns_desc desc;
    snt_flesh f = triangle(context, &desc);
    desc.stiffness.rod = 200;
    snt_flesh_make(&f, &desc);
    snt_flesh_settle(&f, 0, 0);
    f.skin[2] = (float)(-0.01 + 0.01 * part);
    double expected[2] = {first, second};
    for (int i = 0; i < 2; ++i) {
        snt_flesh_solve(&f, one_step);
        snt_near(((double)f.skin[2] - (double)f.fascia[2]) / 0.01, expected[i], 1e-5);
    }
    sni_columns_state clamped = snt_flesh_state(&f);
    sni_columns_clamp(f.columns, &clamped);
    snt_near(((double)f.skin[2] - (double)f.fascia[2]) / 0.01, end, 1e-5);
    snt_flesh_free(&f);
    snt_context_end(context);
}

static void rods_make_their_steps(void **state) {
    (void)state;
    expect_rod(0.4, 0.5, 0.55, 0.6);
    expect_rod(1.6, 1.45, 1.375, 1.3);
}

// The right half of a strip of 41 x 5 columns is moved by 20 mm.
static void expect_strip(double slide, double skin, double fascia) {
    sn_context *context = snt_context(1);
    snt_flesh f = snt_flesh_sheet(context, 41, 5, 0.005, 0.01);
    sni_columns_desc desc = snt_flesh_describe(&f);
    desc.stiffness.bending = 0;
    snt_flesh_make(&f, &desc);
    snt_flesh_settle(&f, slide, 600);
    for (uint32_t i = 0; i < f.column_count; ++i) {
        float by = i % 41 > 20 ? 0.02f : 0;
        f.anchors[4 * (size_t)i] += by;
        f.skin[4 * (size_t)i] += by;
        f.fascia[4 * (size_t)i] += by;
    }
    snt_flesh_solve(&f, (sni_columns_effort){.rounds = 4000, .smallest = 0.003});
    sni_columns_measure m;
    sni_columns_measure_run(f.columns, f.skin, f.fascia, &m);
    snt_near(m.stretch, skin, 5e-4);
    snt_near(m.fascia_stretch, fascia, 2e-3);
    assert_int_equal(m.flipped, 0);
    snt_flesh_free(&f);
    snt_context_end(context);
}

static void strip_shares_a_jump(void **state) {
    (void)state;
    expect_strip(10, 1.0974, 1.2202);
    expect_strip(1000, 1.2886, 3.892);
}

// ---------------------------------------------------------------------------------------------
// Random flesh

static void shake(snt_random *random, float *points, uint32_t count, double by) {
    for (uint32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            points[4 * (size_t)i + k] += (float)snt_random_range(random, -by, by);
        }
    }
}

static double *as_doubles(const float *points, uint32_t count, uint32_t stride) {
    double *made = calloc(stride * (size_t)count, sizeof *made);
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < stride; ++k) {
            made[stride * i + k] = (double)points[4 * i + k];
        }
    }
    return made;
}

// Rotations are kept lane by lane in groups of eight.
static double *as_rotations(const snt_flesh *f) {
    double *made = calloc(4 * (size_t)f->triangle_count, sizeof *made);
    for (uint32_t t = 0; t < f->triangle_count; ++t) {
        for (uint32_t k = 0; k < 4; ++k) {
            made[4 * (size_t)t + k] = (double)f->rotations[(size_t)(t / 8) * 32 + 8 * k + t % 8];
        }
    }
    return made;
}

// Everything at once: planes, inertia, rods beyond their limits, pinned columns.
static void kernel_does_what_the_reference_does(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        snt_random random = {seed};
        snt_flesh f = snt_flesh_sheet(context, 11, 7, 0.005, 0.008);
        sni_columns_desc desc = snt_flesh_describe(&f);
        uint8_t pinned[77] = {[3] = 1, [40] = 1};
        desc.pinned = pinned;
        desc.stiffness.fascia = 0.1;
        snt_flesh_make(&f, &desc);
        size_t numbers = 4 * (size_t)sni_columns_padded_count(f.columns);
        float *planes = calloc(numbers, sizeof(float)), *inertia = calloc(numbers, sizeof(float));
        for (uint32_t i = 0; i < f.column_count; ++i) {
            sn_vec3 n = {snt_random_range(&random, -1, 1), snt_random_range(&random, -1, 1), 1};
            n = sn_vec3_normalize_or(n, n);
            snt_flesh_put(planes, 4, i, n);
            planes[4 * (size_t)i + 3] = (float)snt_random_range(&random, -0.05, 0.05);
            snt_flesh_put(inertia, 4, i, n);
            inertia[4 * (size_t)i + 3] = (float)snt_random_range(&random, 0, 5);
        }
        double by = snt_random_range(&random, 0, 0.004);
        shake(&random, f.skin, f.column_count, by);
        shake(&random, f.fascia, f.column_count, by);
        shake(&random, f.anchors, f.column_count, by);
        sni_columns_hold hold = snt_flesh_hold(&f);
        hold.skin_planes = hold.fascia_planes = planes;
        hold.planes_hold = seed % 2 == 0;
        hold.skin_inertia = hold.fascia_inertia = inertia;
        double *skin = as_doubles(f.skin, f.column_count, 3);
        double *fascia = as_doubles(f.fascia, f.column_count, 3);
        double *rotations = as_rotations(&f), *steps = calloc(14 * (size_t)f.column_count + 999, 8);
        double *forces = calloc(6 * (size_t)f.column_count, sizeof *forces);
        sni_flesh_reference reference = {.columns = f.columns,
                                         .hold = &hold,
                                         .skin = skin,
                                         .fascia = fascia,
                                         .rotations = rotations,
                                         .turns = 4,
                                         .skin_step = steps,
                                         .fascia_step = steps + 3 * f.column_count,
                                         .forces = forces,
                                         .scratch = steps + 6 * f.column_count};
        sni_flesh_reference_run(&reference);
        sni_columns_state now = snt_flesh_state(&f);
        assert_true(sni_columns_solve(f.columns, &f.arena, &hold, &one_step, &now));
        for (uint32_t i = 0; i < 3 * f.column_count; ++i) {
            size_t at = 4 * (size_t)(i / 3) + i % 3;
            double x = skin[i] + 0.5 * steps[i];
            double y = fascia[i] + 0.5 * steps[3 * f.column_count + i];
            snt_near((double)f.skin[at], x, 2e-6);
            snt_near((double)f.fascia[at], y, 2e-6);
            assert_true(!pinned[i / 3] || (x == skin[i] && y == fascia[i]));
        }
        free(planes);
        free(inertia);
        free(skin);
        free(fascia);
        free(rotations);
        free(steps);
        free(forces);
        snt_flesh_free(&f);
    }
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Properties

// A piece of a ball, so that rods are not parallel.
static snt_flesh ball_piece(sn_context *context, uint32_t size, sni_columns_desc *desc) {
    const double radius = 0.08, thick = 0.008, side = 0.12;
    snt_flesh f = snt_flesh_sheet(context, size, size, 1, 1);
    for (uint32_t i = 0; i < f.column_count; ++i) {
        double u = side * ((double)(i % size) / (size - 1) - 0.5) / radius;
        double v = side * ((double)(i / size) / (size - 1) - 0.5) / radius;
        sn_vec3 out = {sin(u) * cos(v), sin(v), cos(u) * cos(v)};
        snt_flesh_put(f.rest_skin, 3, i, sn_vec3_scale(out, radius));
        snt_flesh_put(f.rest_fascia, 3, i, sn_vec3_scale(out, radius - thick));
    }
    *desc = snt_flesh_describe(&f);
    return f;
}

static double farthest(const float *a, const float *b, uint32_t count) {
    double most = 0;
    for (uint32_t i = 0; i < count; ++i) {
        most = fmax(most, sn_vec3_distance(snt_flesh_at(a, i), snt_flesh_at(b, i)));
    }
    return most;
}

static void rest_and_rigid_motion_stay(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sni_columns_desc desc;
    snt_flesh f = ball_piece(context, 20, &desc);
    desc.stiffness.fascia = 0.025;
    desc.cluster = 32;
    snt_flesh_make(&f, &desc);
    for (int turned = 0; turned < 2; ++turned) {
        sn_vec3 axis = sn_vec3_normalize_or(sn_vec3_make(1, 2, 3), sn_vec3_make(1, 0, 0));
        sn_quat turn = sn_quat_from_axis_angle(axis, turned ? 75 * SN_PI / 180 : 0);
        float *arrays[] = {f.skin, f.fascia, f.anchors, f.normals};
        float *rotations = calloc(4 * (size_t)f.column_count, sizeof(float));
        for (uint32_t i = 0; i < f.column_count; ++i) {
            for (int k = 0; k < 4; ++k) {
                sn_vec3 to = sn_quat_rotate(turn, snt_flesh_at(arrays[k], i));
                snt_flesh_put(arrays[k], 4, i, to);
            }
            const float q[4] = {(float)turn.x, (float)turn.y, (float)turn.z, (float)turn.w};
            memcpy(rotations + 4 * (size_t)i, q, sizeof q);
        }
        float *before = malloc(4 * (size_t)f.column_count * sizeof(float));
        memcpy(before, f.skin, 4 * (size_t)f.column_count * sizeof(float));
        sni_columns_state now = snt_flesh_state(&f);
        sni_columns_begin(f.columns, rotations, &now);
        snt_flesh_solve(&f, (sni_columns_effort){.rounds = 20, .smallest = 0.05, .coarse = true});
        assert_true(farthest(before, f.skin, f.column_count) < 4e-7);
        free(before);
        free(rotations);
    }
    snt_flesh_free(&f);
    snt_context_end(context);
}

// Anchors in the middle of a piece of a ball are drawn to one side.
static void pull_middle(snt_flesh *f, uint32_t size) {
    snt_flesh_settle(f, 10, 600);
    for (uint32_t i = 0; i < f->column_count; ++i) {
        double u = (double)(i % size) / (size - 1) - 0.5, v = (double)(i / size) / (size - 1) - 0.5;
        double share = fmax(0, 1 - 16 * u * u) * fmax(0, 1 - 64 * v * v);
        f->anchors[4 * (size_t)i] -= (float)(0.008 * share);
        f->anchors[4 * (size_t)i + 3] += (float)(4000 * share);
    }
}

// What plain rounds reach in thousands, corrected ones reach in tens.
static void correction_reaches_the_same_rest(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    enum { SIZE = 40 };
    sni_columns_desc desc;
    snt_flesh f = ball_piece(context, SIZE, &desc);
    desc.stiffness.membrane = 0.05;
    desc.stiffness.fascia = 0.025;
    desc.cluster = 48;
    snt_flesh_make(&f, &desc);
    size_t bytes = 4 * (size_t)f.column_count * sizeof(float);
    float *end = malloc(bytes), *start = malloc(bytes);
    memcpy(start, f.skin, bytes);
    pull_middle(&f, SIZE);
    snt_flesh_solve(&f, (sni_columns_effort){.rounds = 3000, .smallest = 0.003});
    memcpy(end, f.skin, bytes);
    double whole = farthest(start, end, f.column_count);
    assert_true(whole > 0.003);
    pull_middle(&f, SIZE);
    snt_flesh_solve(&f, (sni_columns_effort){.rounds = 16, .smallest = 0.1, .coarse = true});
    double corrected = farthest(end, f.skin, f.column_count);
    pull_middle(&f, SIZE);
    snt_flesh_solve(&f, (sni_columns_effort){.rounds = 16, .smallest = 0.01});
    double plain = farthest(end, f.skin, f.column_count);
    print_message("of %.2f mm, 16 rounds leave %.3f mm, corrected ones %.3f mm\n", 1e3 * whole,
                  1e3 * plain, 1e3 * corrected);
    assert_true(corrected < 0.07 * whole && corrected < 0.2 * plain);
    pull_middle(&f, SIZE);
    snt_flesh_solve(&f, (sni_columns_effort){.rounds = 120, .smallest = 0.05, .coarse = true});
    assert_true(farthest(end, f.skin, f.column_count) < 2e-5);
    free(start);
    free(end);
    snt_flesh_free(&f);
    snt_context_end(context);
}

// A sheet whose triangles are mirror images of each other, pulled apart from its middle.
static void mirrored_flesh_moves_mirrored(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    enum { SIZE = 17 };
    sni_columns_desc desc;
    snt_flesh f = ball_piece(context, SIZE, &desc);
    for (uint32_t q = 0; q < f.triangle_count / 2; ++q) {
        uint32_t *t = f.triangles + 6 * (size_t)q;
        if (q % (SIZE - 1) >= SIZE / 2) {
            const uint32_t other[6] = {t[0], t[1], t[5], t[1], t[2], t[5]};
            memcpy(t, other, sizeof other);
        }
    }
    desc.cluster = 24;
    snt_flesh_make(&f, &desc);
    for (uint32_t i = 0; i < f.column_count; ++i) {
        f.anchors[4 * (size_t)i] *= 1.2f;
    }
    snt_flesh_solve(&f, (sni_columns_effort){.rounds = 200, .smallest = 0.05, .coarse = true});
    for (uint32_t i = 0; i < f.column_count; ++i) {
        uint32_t other = i / SIZE * SIZE + SIZE - 1 - i % SIZE;
        sn_vec3 a = snt_flesh_at(f.skin, i), b = snt_flesh_at(f.skin, other);
        b.x = -b.x;
        assert_true(sn_vec3_distance(a, b) < 1e-5);
    }
    snt_flesh_free(&f);
    snt_context_end(context);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    enum { SIZE = 50 };
    float *first = NULL;
    static const uint32_t counts[] = {1, 2, 3, 8};
    for (int k = 0; k < 4; ++k) {
        sn_context *context = snt_context(counts[k]);
        sni_columns_desc desc;
        snt_flesh f = ball_piece(context, SIZE, &desc);
        desc.stiffness.fascia = 0.025;
        desc.cluster = 48;
        snt_flesh_make(&f, &desc);
        pull_middle(&f, SIZE);
        snt_flesh_solve(&f, (sni_columns_effort){.rounds = 12, .smallest = 0.1, .coarse = true});
        size_t bytes = 4 * (size_t)f.column_count * sizeof(float);
        if (k == 0) {
            first = malloc(bytes);
            memcpy(first, f.skin, bytes);
        }
        assert_memory_equal(first, f.skin, bytes);
        snt_flesh_free(&f);
        snt_context_end(context);
    }
    free(first);
}

// Flat and doubled triangles, columns without length, prisms inside out, loose columns, nothing.
static void degenerate_flesh_stays_finite(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_flesh f = snt_flesh_new(context, 8, 6);
    static const float x[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0},
                                  {1, 1, 0}, {1, 1, 0}, {9, 9, 9}, {0.5f, 0.5f, 0}};
    static const uint32_t triangles[18] = {0, 1, 2, 0, 1, 3, 1, 4, 2, 1, 4, 2, 4, 5, 2, 0, 0, 7};
    for (uint32_t i = 0; i < 8; ++i) {
        sn_vec3 at = {x[i][0] / 100, x[i][1] / 100, x[i][2] / 100};
        snt_flesh_put(f.rest_skin, 3, i, at);
        at.z += i == 4 ? 0 : i == 5 ? 0.02 : -0.01;
        snt_flesh_put(f.rest_fascia, 3, i, at);
    }
    memcpy(f.triangles, triangles, sizeof triangles);
    sni_columns_desc desc = snt_flesh_describe(&f);
    desc.stiffness.fascia = 0.1;
    desc.cluster = 2;
    snt_flesh_make(&f, &desc);
    f.anchors[0] += 0.02f;
    snt_flesh_solve(&f, (sni_columns_effort){.rounds = 30, .smallest = 0.05, .coarse = true});
    sni_columns_state clamped = snt_flesh_state(&f);
    sni_columns_clamp(f.columns, &clamped);
    for (uint32_t i = 0; i < f.column_count; ++i) {
        assert_true(sn_vec3_is_finite(snt_flesh_at(f.skin, i)));
        assert_true(sn_vec3_is_finite(snt_flesh_at(f.fascia, i)));
    }
    expect_mm(f.skin, 6, 90, 90, 90);
    snt_flesh_free(&f);
    snt_flesh none = snt_flesh_new(context, 0, 0);
    desc = snt_flesh_describe(&none);
    desc.cluster = 8;
    snt_flesh_make(&none, &desc);
    snt_flesh_solve(&none, (sni_columns_effort){.rounds = 3, .smallest = 0.05, .coarse = true});
    snt_flesh_free(&none);
    snt_context_end(context);
}

static void bad_flesh_is_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_columns_desc desc;
    sni_columns *columns;
    snt_flesh f = triangle(context, &desc);
    f.triangles[1] = 3;
    snt_fails(SN_INVALID, "triangle 0 has column 3, but there are 3",
              sni_columns_create(context, &desc, &columns, error));
    f.triangles[1] = 1;
    desc.stiffness.fat = -1;
    snt_fails(SN_INVALID, "fat is -1", sni_columns_create(context, &desc, &columns, error));
    desc.stiffness.fat = 2;
    f.rest_fascia[4] = NAN;
    snt_fails(SN_INVALID, "the fascia of column 1 has nan",
              sni_columns_create(context, &desc, &columns, error));
    f.rest_fascia[4] = 0;
    const float slide[3] = {1, -1, 1};
    desc.slide = slide;
    snt_fails(SN_INVALID, "the slide of column 1 is -1",
              sni_columns_create(context, &desc, &columns, error));
    snt_flesh_free(&f);
    snt_context_end(context);
}

static uint32_t flipped(const snt_flesh *f) {
    sni_columns_measure measure;
    sni_columns_measure_run(f->columns, f->skin, f->fascia, &measure);
    return measure.flipped;
}

// Fascia that has gone through itself and through the skin is put right, however far; what is whole
// keeps its bits.
static void bad_prisms_are_mended(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        snt_random random = {seed};
        snt_flesh f = snt_flesh_sheet(context, 11, 7, 0.005, 0.008);
        sni_columns_desc desc = snt_flesh_describe(&f);
        snt_flesh_make(&f, &desc);
        sni_columns_state now = snt_flesh_state(&f);
        float *before = calloc(4 * (size_t)f.column_count, sizeof *before);
        uint32_t left;
        memcpy(before, f.skin, 4 * (size_t)f.column_count * sizeof *before);
        assert_true(sni_columns_mend(f.columns, &f.arena, &now, &left));
        assert_memory_equal(before, f.skin, 4 * (size_t)f.column_count * sizeof *before);
        shake(&random, f.fascia, f.column_count, 0.012);
        assert_true(flipped(&f) > 10);
        assert_true(sni_columns_mend(f.columns, &f.arena, &now, &left));
        assert_int_equal(left, 0);
        assert_int_equal(flipped(&f), 0);
        // A fold of the skin itself.
        f.skin[4 * (5 + 11 * 3)] += 0.008f;
        f.fascia[4 * (5 + 11 * 3)] += 0.008f;
        assert_true(flipped(&f) > 0);
        assert_true(sni_columns_mend(f.columns, &f.arena, &now, &left));
        assert_int_equal(flipped(&f), 0);
        free(before);
        snt_flesh_free(&f);
    }
    snt_context_end(context);
}

static sn_status try_memory(sn_context *context, void *user, sn_error *error) {
    sni_columns_desc desc = *(const sni_columns_desc *)user;
    sni_columns *columns;
    sn_status status = sni_columns_create(context, &desc, &columns, error);
    sni_columns_destroy(columns);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_columns_desc desc;
    snt_flesh f = ball_piece(context, 6, &desc);
    desc.cluster = 8;
    snt_fail_allocations(try_memory, &desc);
    snt_flesh_free(&f);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_has_its_values),
        cmocka_unit_test(membrane_makes_its_step),
        cmocka_unit_test(prism_makes_its_step),
        cmocka_unit_test(volume_makes_its_step),
        cmocka_unit_test(anchors_make_their_step),
        cmocka_unit_test(rods_make_their_steps),
        cmocka_unit_test(strip_shares_a_jump),
        cmocka_unit_test(kernel_does_what_the_reference_does),
        cmocka_unit_test(rest_and_rigid_motion_stay),
        cmocka_unit_test(correction_reaches_the_same_rest),
        cmocka_unit_test(mirrored_flesh_moves_mirrored),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(degenerate_flesh_stays_finite),
        cmocka_unit_test(bad_prisms_are_mended),
        cmocka_unit_test(bad_flesh_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
