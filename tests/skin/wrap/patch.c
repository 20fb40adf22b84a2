// SPDX-License-Identifier: Apache-2.0
//
// Parametric surfaces as drivers.
#include "shapes.h"

#include "skin/wrap/wrap.h"

enum { POINTS = 500, ROWS = 7, COLUMNS = 6 };

typedef struct fixture {
    sn_context *context;
    sn_mesh *driver, *points;
    sn_wrap_patch patch;
    sn_wrap_desc desc;
    sn_wrap *wrap;
    float posed[3 * ROWS * COLUMNS], out[3 * POINTS];
} fixture;

// Control points of a curved patch over [0, 1]^2, as loose vertices.
static void set_up(fixture *f) {
    *f = (fixture){.context = snt_context(2), .desc = sn_wrap_desc_default()};
    f->patch = (sn_wrap_patch){{3, 2}, {ROWS, COLUMNS}, {false, false}, 2};
    f->desc.patch = &f->patch;
    snt_ok(sn_mesh_create(f->context, "grid", ROWS * COLUMNS, 0, 0, &f->driver, error));
    for (uint32_t i = 0; i < ROWS * COLUMNS; ++i) {
        double x = (double)(i / COLUMNS) / (ROWS - 1), y = (double)(i % COLUMNS) / (COLUMNS - 1);
        sn_vec3_store(sn_vec3_make(x, y, 0.1 * sin(4 * x) * cos(3 * y)),
                      f->driver->positions + 3 * (size_t)i);
    }
    memcpy(f->posed, f->driver->positions, sizeof f->posed);
    f->points = snt_cloud(f->context, POINTS, -0.05, 0.1, 3);
}

static void bind(fixture *f) {
    sn_wrap_destroy(f->wrap);
    f->wrap = NULL;
    snt_ok(sn_wrap_bind(f->points, f->driver, &f->desc, NULL, &f->wrap, error));
}

static void deform(fixture *f) {
    snt_ok(sn_wrap_deform(f->wrap, f->posed, NULL, f->points->positions, f->out, error));
}

static void end(fixture *f) {
    sn_wrap_destroy(f->wrap);
    sn_mesh_destroy(f->driver);
    sn_mesh_destroy(f->points);
    snt_context_end(f->context);
}

static void nothing_moves_at_bind(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    for (int extended = 0; extended < 2; ++extended) {
        f.desc.extended = extended;
        bind(&f);
        deform(&f);
        assert_memory_equal(f.out, f.points->positions, sizeof f.out);
    }
    end(&f);
}

static void rotations_and_translations_carry_over(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    sn_mat4 rigid = snt_rigid();
    snt_move(&rigid, f.driver->positions, ROWS * COLUMNS, f.posed);
    for (int extended = 0; extended < 2; ++extended) {
        f.desc.extended = extended;
        bind(&f);
        deform(&f);
        assert_true(snt_largest_error(&rigid, f.points->positions, f.out, POINTS) < 2e-6);
    }
    end(&f);
}

// Extended, space scales along the normal as well.
static void uniform_scales_carry_over_when_extended(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    const sn_mat4 scale = {{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 1, -1, 3, 1}};
    snt_move(&scale, f.driver->positions, ROWS * COLUMNS, f.posed);
    f.desc.extended = true;
    bind(&f);
    deform(&f);
    assert_true(snt_largest_error(&scale, f.points->positions, f.out, POINTS) < 1e-5);
    end(&f);
}

// A point on a flat patch follows any affine map: frames are the surface's own derivatives.
static void points_on_a_flat_patch_follow_affine_maps(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    for (uint32_t i = 0; i < ROWS * COLUMNS; ++i) {
        f.driver->positions[3 * i + 2] = 0;
    }
    for (uint32_t i = 0; i < POINTS; ++i) {
        f.points->positions[3 * i + 2] = 0;
    }
    const sn_mat4 affine = {{1.2, 0.5, -0.3, 0, 0.3, 0.8, 0.7, 0, 0, 0, 1, 0, 1, 2, 3, 1}};
    snt_move(&affine, f.driver->positions, ROWS * COLUMNS, f.posed);
    bind(&f);
    deform(&f);
    assert_true(snt_largest_error(&affine, f.points->positions, f.out, POINTS) < 1e-5);
    end(&f);
}

// How finely the surface is sampled decides how well, not where to: the unit belongs to its spans.
static void samples_do_not_change_the_motion(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    float finest[3 * POINTS];
    double before = INFINITY;
    for (uint32_t i = 0; i < ROWS * COLUMNS; ++i) {
        f.posed[3 * i + 2] += 0.2f * sinf(3 * f.posed[3 * i]);
    }
    for (int k = 0; k < 3; ++k) {
        f.patch.samples = (uint32_t[]){12, 2, 4}[k];
        bind(&f);
        deform(&f);
        if (k == 0) {
            memcpy(finest, f.out, sizeof finest);
            continue;
        }
        double largest = 0;
        for (uint32_t i = 0; i < 3 * POINTS; ++i) {
            largest = fmax(largest, fabs(f.out[i] - finest[i]));
        }
        assert_true(largest < 0.01 && largest < before); // of a motion of 0.2
        before = largest;
    }
    end(&f);
}

static void closed_patches_have_no_seam(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    f.patch = (sn_wrap_patch){{3, 3}, {ROWS, COLUMNS}, {true, false}, 3};
    for (uint32_t i = 0; i < ROWS * COLUMNS; ++i) {
        double angle = 2 * SN_PI * (i / COLUMNS) / ROWS;
        sn_vec3_store(sn_vec3_make(cos(angle), (double)(i % COLUMNS), sin(angle)),
                      f.driver->positions + 3 * (size_t)i);
    }
    bind(&f);
    sn_mat4 rigid = snt_rigid();
    snt_move(&rigid, f.driver->positions, ROWS * COLUMNS, f.posed);
    deform(&f);
    assert_true(snt_largest_error(&rigid, f.points->positions, f.out, POINTS) < 3e-6);
    // A tube: no border along its axis.
    assert_int_equal(f.wrap->patch.samples->vertex_count, ROWS * 3 * ((COLUMNS - 3) * 3 + 1));
    end(&f);
}

static void wrong_patches_are_refused(void **state) {
    (void)state;
    static const struct {
        sn_wrap_patch patch;
        const char *message;
    } cases[] = {
        {{{3, 3}, {7, 7}, {false, false}, 2}, "7 x 7 control points, but \"grid\" has 42"},
        {{{0, 3}, {7, 6}, {false, false}, 2}, "degree 0"},
        {{{3, 8}, {7, 6}, {false, false}, 2}, "degree 8"},
        {{{7, 3}, {7, 6}, {false, false}, 2}, "7 control points are too few for degree 7"},
        {{{3, 3}, {7, 6}, {false, false}, 0}, "0 samples to a span"},
    };
    fixture f;
    set_up(&f);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        f.patch = cases[i].patch;
        snt_fails(SN_INVALID, cases[i].message,
                  sn_wrap_bind(f.points, f.driver, &f.desc, NULL, &f.wrap, error));
        assert_null(f.wrap);
    }
    f.patch = (sn_wrap_patch){{3, 3}, {7, 6}, {false, false}, 2};
    sn_wrap_set set = {"0", "0", SN_WRAP_SET_ADD};
    f.desc.sets = &set;
    f.desc.set_count = 1;
    snt_fails(SN_INVALID, "is a patch",
              sn_wrap_bind(f.points, f.driver, &f.desc, NULL, &f.wrap, error));
    f.desc.set_count = 0;
    bind(&f);
    snt_fails(SN_UNSUPPORTED, "cannot be kept",
              sn_wrap_save(f.wrap, snt_scratch("patch.wrap"), error));
    snt_fails(SN_INVALID, "is a patch", sn_wrap_refine(f.wrap, f.driver, NULL, error));
    snt_ok(sn_wrap_rebind(f.wrap, (uint32_t[]){3}, 1, error));
    end(&f);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_status status = SN_OK;
    sn_mesh *driver = NULL, *points = NULL;
    sn_wrap *wrap = NULL;
    sn_wrap_patch patch = {{1, 1}, {2, 2}, {false, false}, 1};
    sn_wrap_desc desc = sn_wrap_desc_default();
    desc.patch = &patch;
    SN_TRY(sn_mesh_create(context, "driver", 4, 0, 0, &driver, error));
    SN_TRY(sn_mesh_create(context, "points", 4, 0, 0, &points, error));
    memcpy(driver->positions, (float[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, 48);
    memcpy(points->positions, driver->positions, 48);
    SN_TRY(sn_wrap_bind(points, driver, &desc, NULL, &wrap, error));
cleanup:
    sn_wrap_destroy(wrap);
    sn_mesh_destroy(driver);
    sn_mesh_destroy(points);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_moves_at_bind),
        cmocka_unit_test(rotations_and_translations_carry_over),
        cmocka_unit_test(uniform_scales_carry_over_when_extended),
        cmocka_unit_test(points_on_a_flat_patch_follow_affine_maps),
        cmocka_unit_test(samples_do_not_change_the_motion),
        cmocka_unit_test(closed_patches_have_no_seam),
        cmocka_unit_test(wrong_patches_are_refused),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("skin/wrap_patch", tests, NULL, NULL);
}
