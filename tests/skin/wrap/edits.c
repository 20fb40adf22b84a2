// SPDX-License-Identifier: Apache-2.0
//
// Wraps that are edited: element sets by hand, drivers made finer, vertices bound anew.
#include "shapes.h"

#include "sinew/fit.h"
#include "skin/wrap/wrap.h"

#include <stdlib.h>

enum { POINTS = 400, SIDE = 10 };

typedef struct fixture {
    sn_context *context;
    sn_mesh *driver, *points;
    sn_wrap_desc desc;
    sn_wrap *wrap;
} fixture;

static fixture make(void) {
    fixture f = {.context = snt_context(2), .desc = sn_wrap_desc_default()};
    f.driver = snt_sheet(f.context, SIDE, 0);
    f.points = snt_cloud(f.context, POINTS, -0.05, 0.05, 4);
    return f;
}

static void bind(fixture *f) {
    sn_wrap_destroy(f->wrap);
    f->wrap = NULL;
    snt_ok(sn_wrap_bind(f->points, f->driver, &f->desc, NULL, &f->wrap, error));
}

static void end(fixture *f) {
    sn_wrap_destroy(f->wrap);
    sn_mesh_destroy(f->driver);
    sn_mesh_destroy(f->points);
    snt_context_end(f->context);
}

// The weight of a point on the triangles of faces [first, last]; two triangles to a face.
static double weight_on(const sn_wrap *wrap, uint32_t point, uint32_t first, uint32_t last) {
    uint32_t element;
    float weight;
    double sum = 0;
    for (uint32_t k = 0; sni_sparse_blend_entry(&wrap->weights, point, k, &element, &weight); ++k) {
        sum += element / 2 >= first && element / 2 <= last ? weight : 0;
    }
    return sum;
}

static bool same_row(const sn_wrap *a, const sn_wrap *b, uint32_t point) {
    uint32_t p, q;
    float v, w;
    for (uint32_t k = 0;; ++k) {
        bool more = sni_sparse_blend_entry(&a->weights, point, k, &p, &v);
        if (more != sni_sparse_blend_entry(&b->weights, point, k, &q, &w)) {
            return false;
        }
        if (!more) {
            return true;
        }
        if (p != q || v != w) {
            return false;
        }
    }
}

// Points of a set follow its faces only, none of them, or them too; all others are as without.
static void sets_say_what_points_follow(void **state) {
    (void)state;
    fixture f = make();
    bind(&f);
    sn_wrap *plain = f.wrap;
    f.wrap = NULL;
    const sn_wrap_set sets[] = {{"0-99", "0-9", SN_WRAP_SET_ONLY},
                                {"100-199", "0-49", SN_WRAP_SET_REMOVE},
                                {"200-299", "0,99", SN_WRAP_SET_ADD}};
    f.desc.sets = sets;
    f.desc.set_count = 3;
    bind(&f);
    for (uint32_t i = 0; i < POINTS; ++i) {
        double all = weight_on(f.wrap, i, 0, SIDE * SIDE - 1);
        snt_near(all, 1, 1e-5);
        if (i < 100) {
            snt_near(weight_on(f.wrap, i, 0, 9), all, 1e-9);
        } else if (i < 200) {
            snt_near(weight_on(f.wrap, i, 0, 49), 0, 0);
        } else if (i >= 300) {
            assert_true(same_row(plain, f.wrap, i));
        }
    }
    sn_wrap_summary summary;
    sn_wrap_summarize(f.wrap, &summary);
    assert_int_equal(summary.edited_points, 300);
    assert_true(summary.largest_loss <= f.desc.cut);
    sn_wrap_destroy(plain);
    end(&f);
}

// An added face counts by its distance like any other, however far it is along the driver.
static void added_faces_count_by_their_distance(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1};
    fixture f = {.context = context, .desc = sn_wrap_desc_default()};
    f.driver = snt_triangles(context, 6, corners, 2, (uint32_t[]){0, 1, 2, 3, 4, 5});
    f.points = snt_cloud(context, 1, 0, 0, 1);
    memcpy(f.points->positions, (float[3]){0.25f, 0.25f, 0.25f}, 12);
    f.desc.unit = 1;
    f.desc.local = 2;
    bind(&f);
    snt_near(weight_on(f.wrap, 0, 0, 0), 1, 0); // the other triangle is another component
    sn_wrap_set set = {"all", "1", SN_WRAP_SET_ADD};
    f.desc.sets = &set;
    f.desc.set_count = 1;
    bind(&f);
    double near = 1 / (1 + 0.0625), far = 1 / (1 + 0.5625);
    uint32_t element;
    float weight;
    for (uint32_t k = 0; k < 2; ++k) {
        assert_true(sni_sparse_blend_entry(&f.wrap->weights, 0, k, &element, &weight));
        snt_near(weight, (element == 0 ? near : far) / (near + far), 1e-6);
    }
    end(&f);
}

// What the nearest face would admit does not matter once that is removed.
static void points_of_a_removed_face_turn_to_what_is_left(void **state) {
    (void)state;
    fixture f = make();
    sn_wrap_set sets[] = {{"all", "0-98", SN_WRAP_SET_REMOVE}};
    f.desc.sets = sets;
    f.desc.set_count = 1;
    bind(&f);
    for (uint32_t i = 0; i < POINTS; ++i) {
        snt_near(weight_on(f.wrap, i, 99, 99), 1, 1e-6);
    }
    end(&f);
}

static void wrong_sets_are_refused(void **state) {
    (void)state;
    static const struct {
        sn_wrap_set set;
        sn_status status;
        const char *message;
    } cases[] = {
        {{"0-400", "1", SN_WRAP_SET_ADD}, SN_INVALID, "set 0: points: \"0-400\" is not a number"},
        {{"1", "100", SN_WRAP_SET_ADD},
         SN_INVALID,
         "set 0: faces: \"100\" is not a number or range "
         "below 100"},
        {{"7-9", "all", SN_WRAP_SET_REMOVE}, SN_INVALID, "leave no face for point 7"},
        {{NULL, "1", SN_WRAP_SET_ADD}, SN_INVALID, "set 0: points: there are none"},
        {{"1", "1", (sn_wrap_set_mode)7}, SN_INVALID, "set 0: there is no mode 7"},
    };
    fixture f = make();
    f.desc.set_count = 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        f.desc.sets = &cases[i].set;
        snt_fails(cases[i].status, cases[i].message,
                  sn_wrap_bind(f.points, f.driver, &f.desc, NULL, &f.wrap, error));
        assert_null(f.wrap);
    }
    static sn_wrap_set many[65];
    for (int i = 0; i < 65; ++i) {
        many[i] = (sn_wrap_set){"0", "0", SN_WRAP_SET_ADD};
    }
    f.desc.sets = many;
    f.desc.set_count = 65;
    snt_fails(SN_LIMIT, "65 sets, but at most 64",
              sn_wrap_bind(f.points, f.driver, &f.desc, NULL, &f.wrap, error));
    end(&f);
}

// Sets are kept with the binding, in its file too: what is bound anew follows them.
static void sets_stay_with_the_binding(void **state) {
    (void)state;
    fixture f = make();
    sn_wrap_set set = {"0-199", "0-9", SN_WRAP_SET_ONLY};
    f.desc.sets = &set;
    f.desc.set_count = 1;
    bind(&f);
    const char *path = snt_scratch("edited.wrap");
    snt_ok(sn_wrap_save(f.wrap, path, error));
    sn_wrap *loaded = NULL;
    memcpy(f.points->positions + 3 * 5, (float[3]){0.9f, 0.9f, 0}, 12);
    snt_fails(SN_INVALID, "other rest points",
              sn_wrap_load(f.points, f.driver, path, &loaded, error));
    snt_ok(sn_wrap_load_moved(f.points, f.driver, path, &loaded, error));
    for (uint32_t i = 0; i < POINTS; ++i) {
        assert_true(same_row(loaded, f.wrap, i));
    }
    snt_ok(sn_wrap_rebind(loaded, (uint32_t[]){5}, 1, error));
    snt_near(weight_on(loaded, 5, 0, 9), 1, 1e-6);
    assert_false(same_row(loaded, f.wrap, 5));
    sn_wrap_destroy(loaded);
    end(&f);
}

// ---------------------------------------------------------------------------------------------
// Finer drivers

static sn_mesh *triangulated_sheet(sn_context *context, uint32_t side) {
    sn_mesh *sheet = snt_sheet(context, side, 0);
    uint32_t *corners = malloc(24 * (size_t)sheet->face_count);
    for (uint32_t f = 0; f < sheet->face_count; ++f) {
        const uint32_t *v = sheet->corners + 4 * (size_t)f;
        memcpy(corners + 6 * (size_t)f, (uint32_t[]){v[0], v[1], v[2], v[0], v[2], v[3]}, 24);
    }
    sn_mesh *made = snt_triangles(context, sheet->vertex_count, sheet->positions,
                                  2 * sheet->face_count, corners);
    free(corners);
    sn_mesh_destroy(sheet);
    return made;
}

// Points that follow what was subdivided are bound as by a whole bind to the finer driver, all
// others move as before, to the last bit.
static void a_finer_driver_binds_only_what_it_must(void **state) {
    (void)state;
    for (int extended = 0; extended < 2; ++extended) {
        fixture f = make();
        sn_mesh_destroy(f.driver);
        f.driver = triangulated_sheet(f.context, SIDE);
        f.desc.extended = extended;
        bind(&f);
        sn_wrap_summary summary;
        sn_wrap_summarize(f.wrap, &summary);
        uint8_t selected[2 * SIDE * SIDE] = {0};
        memset(selected + 90, 1, 12);
        sn_mesh *finer = NULL, *finer_posed = NULL;
        snt_ok(sn_driver_mesh_subdivide(f.driver, selected, false, &finer, error));
        // New vertices follow the old ones: the posed driver is subdivided alike.
        sn_mesh *posed = triangulated_sheet(f.context, SIDE);
        for (uint32_t i = 0; i < posed->vertex_count; ++i) {
            posed->positions[3 * i + 2] += 0.2f * sinf(3 * posed->positions[3 * i]);
        }
        snt_ok(sn_driver_mesh_subdivide(posed, selected, false, &finer_posed, error));
        float before[3 * POINTS], after[3 * POINTS], full[3 * POINTS];
        snt_ok(sn_wrap_deform(f.wrap, posed->positions, NULL, f.points->positions, before, error));
        uint32_t rebound = 0, same = 0;
        snt_ok(sn_wrap_refine(f.wrap, finer, &rebound, error));
        snt_ok(sn_wrap_deform(f.wrap, finer_posed->positions, NULL, f.points->positions, after,
                              error));
        sn_wrap *whole = NULL;
        f.desc.unit = summary.unit;
        snt_ok(sn_wrap_bind(f.points, finer, &f.desc, NULL, &whole, error));
        snt_ok(
            sn_wrap_deform(whole, finer_posed->positions, NULL, f.points->positions, full, error));
        for (uint32_t i = 0; i < POINTS; ++i) {
            bool is_kept = memcmp(before + 3 * i, after + 3 * i, 12) == 0;
            assert_true(is_kept || memcmp(full + 3 * i, after + 3 * i, 12) == 0);
            same += is_kept;
        }
        assert_in_range(rebound, 1, POINTS * 3 / 4);
        assert_true(same >= POINTS - rebound);
        snt_fails(SN_INVALID, "has 121 vertices", sn_wrap_refine(f.wrap, f.driver, NULL, error));
        sn_wrap_destroy(whole);
        sn_wrap_destroy(f.wrap);
        f.wrap = NULL;
        sn_mesh_destroy(finer);
        sn_mesh_destroy(finer_posed);
        sn_mesh_destroy(posed);
        end(&f);
    }
}

// Where a driver is much finer than its mean edge, hundreds of triangles share a point; the bound
// on what is lost holds there too unless `elements` says otherwise.
static void the_bound_holds_where_the_driver_is_fine(void **state) {
    (void)state;
    fixture f = make();
    sn_mesh_destroy(f.driver);
    f.driver = triangulated_sheet(f.context, SIDE);
    for (int level = 0; level < 3; ++level) {
        uint8_t *selected = calloc(f.driver->face_count, 1);
        for (uint32_t i = 0; i < f.driver->face_count; ++i) {
            const float *p = f.driver->positions + 3 * (size_t)f.driver->corners[3 * i];
            selected[i] = fabsf(p[0] - 0.5f) < 0.15f && fabsf(p[1] - 0.5f) < 0.15f;
        }
        sn_mesh *finer = NULL;
        snt_ok(sn_driver_mesh_subdivide(f.driver, selected, false, &finer, error));
        sn_mesh_destroy(f.driver);
        f.driver = finer;
        free(selected);
    }
    sn_wrap_summary summary;
    bind(&f);
    sn_wrap_summarize(f.wrap, &summary);
    assert_true(summary.most_elements > 100);
    assert_true(summary.largest_loss <= f.desc.cut);
    assert_int_equal(summary.limited_points, 0);
    f.desc.elements = 32;
    bind(&f);
    sn_wrap_summarize(f.wrap, &summary);
    assert_int_equal(summary.most_elements, 32);
    assert_true(summary.limited_points > 0 && summary.largest_loss > 0.2);
    end(&f);
}

static void wrong_drivers_are_refused(void **state) {
    (void)state;
    fixture f = make();
    bind(&f);
    sn_mesh *moved = snt_sheet(f.context, SIDE, 0);
    moved->positions[3 * 7] += 1;
    snt_fails(SN_INVALID, "vertex 7 of the driver \"sheet\" is not where it was",
              sn_wrap_refine(f.wrap, moved, NULL, error));
    sn_mesh_destroy(moved);
    end(&f);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_status status = SN_OK;
    sn_mesh *driver = NULL, *points = NULL, *finer = NULL;
    sn_wrap *wrap = NULL;
    sn_wrap_set set = {"1", "1", SN_WRAP_SET_REMOVE};
    sn_wrap_desc desc = sn_wrap_desc_default();
    desc.sets = &set;
    desc.set_count = 1;
    SN_TRY(sn_mesh_create(context, "driver", 4, 2, 6, &driver, error));
    SN_TRY(sn_mesh_create(context, "points", 4, 0, 0, &points, error));
    memcpy(driver->positions, (float[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, 48);
    memcpy(points->positions, driver->positions, 48);
    memcpy(driver->corners, (uint32_t[]){0, 1, 2, 2, 1, 3}, 24);
    driver->face_offsets[1] = 3;
    SN_TRY(sn_driver_mesh_subdivide(driver, NULL, false, &finer, error));
    SN_TRY(sn_wrap_bind(points, driver, &desc, NULL, &wrap, error));
    SN_TRY(sn_wrap_refine(wrap, finer, NULL, error));
    SN_TRY(sn_wrap_save(wrap, snt_scratch("tiny.wrap"), error));
    sn_wrap_destroy(wrap);
    wrap = NULL;
    SN_TRY(sn_wrap_load(points, finer, snt_scratch("tiny.wrap"), &wrap, error));
cleanup:
    sn_wrap_destroy(wrap);
    sn_mesh_destroy(driver);
    sn_mesh_destroy(points);
    sn_mesh_destroy(finer);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_say_what_points_follow),
        cmocka_unit_test(added_faces_count_by_their_distance),
        cmocka_unit_test(points_of_a_removed_face_turn_to_what_is_left),
        cmocka_unit_test(wrong_sets_are_refused),
        cmocka_unit_test(sets_stay_with_the_binding),
        cmocka_unit_test(a_finer_driver_binds_only_what_it_must),
        cmocka_unit_test(the_bound_holds_where_the_driver_is_fine),
        cmocka_unit_test(wrong_drivers_are_refused),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("skin/wrap_edits", tests, NULL, NULL);
}
