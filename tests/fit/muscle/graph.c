// SPDX-License-Identifier: Apache-2.0
//
// Paths for muscles of kind `graph`: the middle lines of meshes.
#include "test.h"

#include "scene.h"
#include "sinew/geometry.h"

#include <math.h>

static sn_graph_fit_desc describe(scene *s) {
    sn_graph_fit_desc desc = sn_graph_fit_desc_default();
    s->desc.mesh = s->mesh;
    s->desc.bones = s->bones;
    s->desc.segment_parents = s->parents;
    s->desc.places = s->places;
    desc.muscle = s->desc;
    return desc;
}

// A quarter of a circle about z of the radius sizes[0], as thick as sizes[1].
static sn_vec3 arc(double along, double around, const double *sizes) {
    double angle = SN_PI / 2 * along, radius = sizes[0] + sizes[1] * cos(around);
    return sn_vec3_make(radius * cos(angle), radius * sin(angle), sizes[1] * sin(around));
}

// --- Paths

static void path_of_a_spindle_is_its_axis(void **state) {
    (void)state;
    scene s;
    sn_graph_fit *fit = NULL;
    begin_spindle(&s);
    sn_graph_fit_desc desc = describe(&s);
    snt_ok(sn_fit_graph(s.context, &desc, &fit, error));
    assert_int_equal(fit->path_count, 1);
    assert_false(fit->sphincter);
    assert_true(fit->point_count >= 4 && fit->outside_count == 0);
    for (uint32_t i = 0; i < fit->point_count; ++i) {
        const sn_fit_graph_point *p = &fit->points[i];
        snt_near(hypot(p->point.x, p->point.z), 0, 1e-4);
        assert_int_equal(p->parent, i == 0 ? SN_NONE : i - 1);
    }
    // From the lower bone to the upper one, which carry its ends; between them it is in space.
    const sn_fit_graph_point *first = &fit->points[0], *last = &fit->points[fit->point_count - 1];
    assert_true(first->point.y < -0.08 && last->point.y > 0.08);
    assert_int_equal(first->segment, 0);
    assert_int_equal(last->segment, 1);
    assert_int_equal(fit->points[1].segment, SN_NONE);
    sn_graph_fit_destroy(fit);
    end(&s);
}

static void path_of_an_arc_is_its_middle_line(void **state) {
    (void)state;
    static const double sizes[2] = {0.1, 0.012};
    scene s;
    sn_graph_fit *fit = NULL;
    begin(&s, 2);
    s.mesh = snt_tube(s.context, 40, 16, arc, sizes);
    add_bone(&s, 0, sn_vec3_make(0.1, -0.015, 0));
    add_bone(&s, 1, sn_vec3_make(-0.015, 0.1, 0));
    sn_graph_fit_desc desc = describe(&s);
    desc.muscle.strips = 1;
    desc.points = 7;
    snt_ok(sn_fit_graph(s.context, &desc, &fit, error));
    assert_true(fit->point_count >= 7);
    for (uint32_t i = 0; i < fit->point_count; ++i) {
        sn_vec3 p = fit->points[i].point;
        bool is_end = i == 0 || i + 1 == fit->point_count; // its flat ends have no middle line
        snt_near(hypot(p.x, p.y), 0.1, is_end ? 0.01 : 0.003);
        snt_near(p.z, 0, 0.001);
    }
    sn_graph_fit_destroy(fit);
    end(&s);
}

// The end that is named first is what it contracts towards.
static void origins_are_where_paths_begin(void **state) {
    (void)state;
    for (int turned = 0; turned < 2; ++turned) {
        scene s;
        sn_graph_fit *fit = NULL;
        begin_spindle(&s);
        s.bones[1].segment = 0;
        add_place(&s, 0, sn_vec3_make(0, turned != 0 ? 0.1 : -0.1, 0));
        add_place(&s, 0, sn_vec3_make(0, turned != 0 ? -0.1 : 0.1, 0));
        sn_graph_fit_desc desc = describe(&s);
        desc.origin_count = 1;
        snt_ok(sn_fit_graph(s.context, &desc, &fit, error));
        double first = fit->points[0].point.y;
        assert_true(turned != 0 ? first > 0.08 : first < -0.08);
        sn_graph_fit_destroy(fit);
        end(&s);
    }
}

// A sheet along y, bent around y by sizes[0] to both sides, with the radius sizes[1] and the
// thickness sizes[2].
static sn_vec3 bent_sheet(double along, double around, const double *sizes) {
    double wide = sqrt(sin(SN_PI * (0.01 + 0.98 * along))); // narrow at its ends
    double angle = sizes[0] * wide * cos(around), radius = sizes[1] + sizes[2] / 2 * sin(around);
    return sn_vec3_make(radius * sin(angle), 0.2 * along - 0.1, radius * cos(angle) - sizes[1]);
}

// A sheet that no ellipse is like has several paths side by side, each a graph of its own, inside
// of it.
static void sheets_have_several_paths(void **state) {
    (void)state;
    static const double sizes[3] = {1.2, 0.08, 0.006};
    scene s;
    sn_graph_fit *fit = NULL;
    begin(&s, 2);
    s.mesh = snt_tube(s.context, 24, 64, bent_sheet, sizes);
    add_bone(&s, 0, sn_vec3_make(0, -0.115, 0));
    add_bone(&s, 1, sn_vec3_make(0, 0.115, 0));
    add_place(&s, 0, sn_vec3_make(0, -0.1, 0));
    add_place(&s, 1, sn_vec3_make(0, 0.1, 0));
    sn_graph_fit_desc desc = describe(&s);
    snt_ok(sn_fit_graph(s.context, &desc, &fit, error));
    uint32_t roots = 0;
    for (uint32_t i = 0; i < fit->point_count; ++i) {
        sn_vec3 p = fit->points[i].point;
        roots += fit->points[i].parent == SN_NONE;
        snt_near(hypot(p.x, p.z + 0.08), 0.08, 0.0031);
        assert_true(fabs(p.y) <= 0.1);
    }
    assert_true(fit->path_count >= 2);
    assert_int_equal(roots, fit->path_count);
    sn_graph_fit_destroy(fit);
    end(&s);
}

// --- Rings

// A torus about z with the tube's radius sizes[1] around a circle of the radius sizes[0].
static sn_mesh *torus(sn_context *context, const double *sizes) {
    enum { AROUND = 48, SIDES = 16 };
    sn_mesh *mesh = NULL;
    uint32_t count = 2 * AROUND * SIDES;
    snt_ok(sn_mesh_create(context, "ring", AROUND * SIDES, count, 3 * count, &mesh, error));
    for (uint32_t i = 0; i < AROUND * SIDES; ++i) {
        double big = 2 * SN_PI * (i / SIDES) / AROUND, small = 2 * SN_PI * (i % SIDES) / SIDES;
        double radius = sizes[0] + sizes[1] * cos(small);
        sn_vec3 p = {radius * cos(big), radius * sin(big), sizes[1] * sin(small)};
        sn_vec3_store(p, mesh->positions + 3 * (size_t)i);
        uint32_t a = i, b = i / SIDES * SIDES + (i + 1) % SIDES;
        uint32_t c = (a + SIDES) % (AROUND * SIDES), d = (b + SIDES) % (AROUND * SIDES);
        const uint32_t quad[6] = {a, c, d, a, d, b};
        memcpy(mesh->corners + 6 * (size_t)i, quad, sizeof quad);
    }
    for (uint32_t f = 0; f <= count; ++f) {
        mesh->face_offsets[f] = 3 * f;
    }
    return mesh;
}

static void rings_have_a_circle_of_points(void **state) {
    (void)state;
    static const double sizes[2] = {0.05, 0.01};
    for (int found = 0; found < 2; ++found) {
        scene s;
        sn_graph_fit *fit = NULL;
        begin(&s, 1);
        s.mesh = torus(s.context, sizes);
        add_bone(&s, 0, sn_vec3_make(0.07, 0, 0));
        sn_graph_fit_desc desc = describe(&s);
        desc.sphincter = found == 0;
        desc.finds_rings = found != 0;
        snt_ok(sn_fit_graph(s.context, &desc, &fit, error));
        assert_true(fit->sphincter && fit->path_count == 1);
        snt_near(sn_vec3_length(fit->center.point), 0, 1e-6);
        for (uint32_t i = 0; i < fit->point_count; ++i) {
            // The centroid of a half plane's cut is the middle of the tube.
            snt_near(sn_vec3_length(fit->points[i].point), 0.05, 2e-4);
            snt_near(fit->points[i].point.z, 0, 1e-6);
            assert_int_equal(fit->points[i].parent, (i + fit->point_count - 1) % fit->point_count);
        }
        sn_graph_fit_destroy(fit);
        end(&s);
    }
}

// --- What cannot be fitted

static void refuses_what_is_no_muscle(void **state) {
    (void)state;
    scene s;
    sn_graph_fit *fit = NULL;
    begin_spindle(&s);
    sn_graph_fit_desc desc = describe(&s);
    desc.muscle.name = "biceps";
    desc.sphincter = true;
    snt_fails(SN_INVALID, "muscle 'biceps': it is no ring around its middle",
              sn_fit_graph(s.context, &desc, &fit, error));
    desc.sphincter = false;
    desc.points = 2;
    snt_fails(SN_INVALID, "2 points are out of range", sn_fit_graph(s.context, &desc, &fit, error));
    desc.points = 0;
    desc.check = 0;
    snt_fails(SN_INVALID, "not made by its default", sn_fit_graph(s.context, &desc, &fit, error));
    desc = describe(&s);
    s.mesh->face_count -= 1;
    s.mesh->corner_count -= 3;
    snt_fails(SN_INVALID, "its mesh is not closed", sn_fit_graph(s.context, &desc, &fit, error));
    assert_null(fit);
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_of_a_spindle_is_its_axis),
        cmocka_unit_test(path_of_an_arc_is_its_middle_line),
        cmocka_unit_test(origins_are_where_paths_begin),
        cmocka_unit_test(sheets_have_several_paths),
        cmocka_unit_test(rings_have_a_circle_of_points),
        cmocka_unit_test(refuses_what_is_no_muscle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
