// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "../geometry/shapes.h"
#include "sinew/fit.h"

#include <math.h>

static sn_mat4 ball(double x, double y, double z, double radius) {
    sn_transform place = {{x, y, z}, {0, 0, 0, 1}, {radius, radius, radius}};
    return sn_mat4_from_transform(&place);
}

static sn_extract_desc describe(const sn_extract_part *parts, uint32_t count) {
    sn_extract_desc desc = sn_extract_desc_default();
    desc.parts = parts;
    desc.part_count = count;
    desc.dimension = 80;
    return desc;
}

static void assert_closed(const sn_mesh *mesh) {
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    snt_ok(sn_topology_create(mesh, &topology, error));
    sn_topology_summarize(mesh, topology, &summary);
    assert_true(summary.closed);
    assert_int_equal(summary.components, 1);
    sn_topology_destroy(topology);
}

// The level 35 of 200 lies 0.9346 sigma outside of a flat solid; a little less of a round one.
static void a_ball_gets_a_skin_at_its_distance(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mat4 place = ball(1, 2, 3, 0.5);
    const sn_extract_part part = {.name = "ball", .ellipsoid = &place, .density = 1};
    sn_extract_desc desc = describe(&part, 1);
    sn_extract_report report;
    sn_mesh *skin = NULL;
    snt_ok(sn_extract_skin(context, &desc, NULL, &skin, &report, error));
    snt_ok(sn_mesh_validate(skin, error));
    assert_closed(skin);
    assert_int_equal(report.piece_count, 1);
    assert_int_equal(report.thin_count, 0);
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(skin->positions + 3 * (size_t)i);
        double out = (sn_vec3_distance(p, sn_vec3_make(1, 2, 3)) - 0.5) / report.spacing;
        assert_true(out > 2 && out < 3.2);
    }
    sn_mesh_destroy(skin);
    snt_context_end(context);
}

// A mesh in a frame, one that pushes, a piece apart, and one that is too thin.
static void parts_are_placed_and_pieces_told(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mesh *cube = snt_cube(context), *skin = NULL;
    sn_mat4 place = ball(-0.5, -0.5, -0.5, 1), hole = ball(0.5, 0, 0, 0.2);
    sn_mat4 apart = ball(1.6, 0, 0, 0.2), needle = ball(0, 1.5, 0, 0.01);
    const sn_extract_part parts[] = {{.name = "cube", .mesh = cube, .place = &place, .density = 1},
                                     {.name = "hole", .ellipsoid = &hole, .density = -1},
                                     {.name = "apart", .ellipsoid = &apart, .density = 1},
                                     {.name = "needle", .ellipsoid = &needle, .density = 1}};
    sn_extract_desc desc = describe(parts, 4);
    desc.filter = 1.5;
    sn_extract_report report;
    snt_ok(sn_extract_skin(context, &desc, NULL, &skin, &report, error));
    assert_closed(skin);
    assert_int_equal(report.piece_count, 2);
    assert_int_equal(report.thin_count, 1);
    assert_int_equal(report.thin_part, 3);
    assert_true(report.kept_volume > 0.9 * report.volume && report.kept_volume < report.volume);
    sn_vec3 low, high;
    sn_mesh_bounds(skin, &low, &high);
    assert_true(low.x < -0.5 && low.x > -0.6 && high.x < 0.6);
    double nearest = 1;
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(skin->positions + 3 * (size_t)i);
        nearest = fmin(nearest, sn_vec3_distance(p, sn_vec3_make(0.5, 0, 0)));
    }
    assert_true(nearest > 0.15);
    sn_mesh_destroy(skin);
    sn_mesh_destroy(cube);
    snt_context_end(context);
}

static void bad_parts_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *cube = snt_cube(context), *skin = NULL;
    sn_mat4 thin = ball(0, 0, 0, 0.01), wide = ball(0, 1, 0, 0.01), flat = ball(0, 0, 0, 0);
    const sn_extract_part needles[] = {{.name = "a", .ellipsoid = &thin, .density = 1},
                                       {.name = "b", .ellipsoid = &wide, .density = 1}};
    sn_extract_desc desc = describe(needles, 2);
    snt_fails(SN_INVALID, "the skin is empty",
              sn_extract_skin(context, &desc, NULL, &skin, NULL, error));
    sn_extract_part part = {.name = "flat", .ellipsoid = &flat, .density = 1};
    assert_int_equal(sn_extract_check(context, &part, NULL), SN_INVALID);
    part = (sn_extract_part){.name = "cube", .mesh = cube, .density = 1};
    snt_ok(sn_extract_check(context, &part, error));
    cube->face_count--;
    cube->corner_count -= 4;
    snt_fails(SN_INVALID, "open", sn_extract_check(context, &part, error));
    desc = describe(&part, 1);
    snt_fails(SN_INVALID, "cube", sn_extract_skin(context, &desc, NULL, &skin, NULL, error));
    cube->face_count++;
    cube->corner_count += 4;
    part.density = -1;
    snt_fails(SN_INVALID, "", sn_extract_skin(context, &desc, NULL, &skin, NULL, error));
    part.density = 1;
    desc.threshold = 200;
    snt_fails(SN_INVALID, "threshold is 200",
              sn_extract_skin(context, &desc, NULL, &skin, NULL, error));
    desc.threshold = NAN;
    snt_fails(SN_INVALID, "threshold is nan",
              sn_extract_skin(context, &desc, NULL, &skin, NULL, error));
    desc = (sn_extract_desc){0};
    snt_fails(SN_INVALID, "sn_extract_desc_default",
              sn_extract_skin(context, &desc, NULL, &skin, NULL, error));
    assert_null(skin);
    sn_mesh_destroy(cube);
    snt_context_end(context);
}

static bool stop(const char *step, double fraction, void *user) {
    (void)step;
    (void)fraction;
    (void)user;
    return false;
}

static void extraction_can_be_cancelled(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mat4 place = ball(0, 0, 0, 1);
    const sn_extract_part part = {.name = "ball", .ellipsoid = &place, .density = 1};
    sn_extract_desc desc = describe(&part, 1);
    const sn_progress progress = {.report = stop};
    sn_mesh *skin = NULL;
    snt_fails(SN_CANCELLED, "", sn_extract_skin(context, &desc, &progress, &skin, NULL, error));
    assert_null(skin);
    snt_context_end(context);
}

// A ring of balls, whose hole is closed.
static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    enum { RING = 8 };
    (void)user;
    sn_mat4 places[RING];
    sn_extract_part parts[RING];
    for (int i = 0; i < RING; ++i) {
        double angle = 2 * SN_PI * i / RING;
        places[i] = ball(0.7 * cos(angle), 0.7 * sin(angle), 0, 0.35);
        parts[i] = (sn_extract_part){.name = "ball", .ellipsoid = &places[i], .density = 1};
    }
    sn_extract_desc desc = describe(parts, RING);
    desc.dimension = 40;
    desc.filter = 1.6;
    desc.detail = 1;
    desc.holes = 1.5;
    sn_mesh *skin = NULL;
    sn_extract_report report;
    sn_status status = sn_extract_skin(context, &desc, NULL, &skin, &report, error);
    assert_true(status != SN_OK || report.hole_count == 1);
    sn_mesh_destroy(skin);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

// Balls in a heap have narrow creases between them; no triangle is a needle there.
static void creases_have_no_needles(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    snt_random random = {7};
    sn_mat4 places[40];
    sn_extract_part parts[40];
    for (int i = 0; i < 40; ++i) {
        double x = snt_random_range(&random, -1, 1), y = snt_random_range(&random, -1, 1);
        places[i] = ball(x, y, snt_random_range(&random, -1, 1), 0.35);
        parts[i] = (sn_extract_part){.name = "ball", .ellipsoid = &places[i], .density = 1};
    }
    sn_extract_desc desc = describe(parts, 40);
    desc.dimension = 120;
    desc.filter = 1.6;
    sn_mesh *skin = NULL;
    snt_ok(sn_extract_skin(context, &desc, NULL, &skin, NULL, error));
    assert_closed(skin);
    for (uint32_t f = 0; f < skin->face_count; ++f) {
        const uint32_t *corners = skin->corners + 3 * (size_t)f;
        sn_vec3 p[3];
        double longest = 0;
        for (int k = 0; k < 3; ++k) {
            p[k] = sn_vec3_load(skin->positions + 3 * (size_t)corners[k]);
        }
        for (int k = 0; k < 3; ++k) {
            longest = fmax(longest, sn_vec3_distance(p[k], p[(k + 1) % 3]));
        }
        sn_vec3 normal = sn_vec3_cross(sn_vec3_sub(p[1], p[0]), sn_vec3_sub(p[2], p[0]));
        assert_true(sn_vec3_length(normal) > 0.1 * longest * longest);
    }
    sn_mesh_destroy(skin);
    snt_context_end(context);
}

// Holes of the skin: vertices - edges + faces = 2 - 2 holes.
static int holes_of(const sn_mesh *mesh) {
    return 1 - ((int)mesh->vertex_count - (int)mesh->face_count / 2) / 2;
}

// A ring of twelve balls, and two arms that stick out of it beside each other. The hole of the ring
// is closed where it is not wider than is said, and the gap between the arms never is.
static void holes_up_to_a_width_are_closed(void **state) {
    (void)state;
    enum { RING = 12, ARM = 5, COUNT = RING + 2 * ARM };
    sn_context *context = snt_context(2);
    sn_mat4 places[COUNT];
    sn_extract_part parts[COUNT];
    static const double widths[] = {0, 0.2, 1};
    for (int i = 0; i < COUNT; ++i) {
        double angle = 2 * SN_PI * i / RING, out = 0.6 + 0.15 * ((i - RING) % ARM);
        places[i] = i < RING ? ball(0.5 * cos(angle), 0.5 * sin(angle), 0, 0.18)
                             : ball(out, i < RING + ARM ? 0.2 : -0.2, 0, 0.1);
        parts[i] = (sn_extract_part){.name = "ball", .ellipsoid = &places[i], .density = 1};
    }
    for (int k = 0; k < 3; ++k) {
        sn_extract_desc desc = describe(parts, COUNT);
        sn_extract_report report;
        sn_mesh *skin = NULL;
        desc.filter = 1.6;
        desc.holes = widths[k];
        snt_ok(sn_extract_skin(context, &desc, NULL, &skin, &report, error));
        assert_closed(skin);
        assert_int_equal(holes_of(skin), k < 2 ? 1 : 0);
        assert_int_equal(report.handle_count, holes_of(skin));
        assert_int_equal(report.hole_count, 1 - holes_of(skin));
        for (uint32_t v = 0; v < skin->vertex_count; ++v) {
            const float *p = skin->positions + 3 * (size_t)v;
            assert_true(p[0] < 0.95f || fabsf(p[1]) > 0.02f); // no web between the arms
        }
        sn_mesh_destroy(skin);
    }
    snt_context_end(context);
}

// A needle that sticks out of a ball is too thin for the filter; with detail it is under the skin.
static void detail_keeps_thin_parts(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mesh *cube = snt_cube(context);
    sn_transform long_place = {{0.3, -0.01, -0.01}, {0, 0, 0, 1}, {0.7, 0.02, 0.02}};
    sn_mat4 places[2] = {ball(0, 0, 0, 0.4), sn_mat4_from_transform(&long_place)};
    const sn_extract_part parts[2] = {
        {.name = "ball", .ellipsoid = &places[0], .density = 1},
        {.name = "needle", .mesh = cube, .place = &places[1], .density = 1}};
    for (int k = 0; k < 2; ++k) {
        sn_extract_desc desc = describe(parts, 2);
        sn_mesh *skin = NULL;
        double furthest = 0;
        desc.detail = k;
        snt_ok(sn_extract_skin(context, &desc, NULL, &skin, NULL, error));
        assert_closed(skin);
        for (uint32_t v = 0; v < skin->vertex_count; ++v) {
            furthest = fmax(furthest, skin->positions[3 * (size_t)v]);
        }
        assert_true(k == 0 ? furthest < 0.8 : furthest > 1);
        sn_mesh_destroy(skin);
    }
    sn_mesh_destroy(cube);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_gets_a_skin_at_its_distance),
        cmocka_unit_test(parts_are_placed_and_pieces_told),
        cmocka_unit_test(bad_parts_are_refused),
        cmocka_unit_test(extraction_can_be_cancelled),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(creases_have_no_needles),
        cmocka_unit_test(holes_up_to_a_width_are_closed),
        cmocka_unit_test(detail_keeps_thin_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
