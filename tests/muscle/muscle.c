// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "toy.h"

static void kinds_are_found_by_name_and_number(void **state) {
    (void)state;
    assert_ptr_equal(sni_muscle_find("patch"), &sni_muscle_patch);
    assert_null(sni_muscle_find("Patch"));
    assert_ptr_equal(sni_muscle_ops_of(0), &sni_muscle_patch);
    assert_null(sni_muscle_ops_of(sni_muscle_kind_count()));
}

static void places_are_found_on_the_skin(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_plane, 10, 10, false);
    sni_skin_place place;
    assert_true(sni_skin_place_find(skin.accel, sn_vec3_make(0.33, 0.5, -0.71), 1, &place));
    sn_vec3 p = sni_skin_place_point(skin.mesh, skin.triangles, &place);
    snt_near(sn_vec3_distance(p, sn_vec3_make(0.33, 0, -0.71)), 0, 1e-6);
    assert_false(sni_skin_place_find(skin.accel, sn_vec3_make(0.3, 0.5, 0), 0.4, &place));
    free_toy(&skin);
    snt_context_end(context);
}

// A ball whose two halves have different polygons: vertex numbers are of no use.
static sn_vec3 lopsided(double s, double t) {
    return toy_ball(s + 0.01 * sin(2 * SN_PI * s), t);
}

static void places_are_mirrored_by_geometry(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, lopsided, 96, 48, true);
    sni_skin_place places[8], images[8], back[8];
    for (int k = 0; k < 8; ++k) {
        sn_vec3 p = toy_ball(0.02 + 0.02 * k, 0.3 + 0.05 * k);
        assert_true(sni_skin_place_find(skin.accel, p, INFINITY, &places[k]));
    }
    sn_vec3 origin = {0, 0, 0}, normal = {1, 0, 0};
    double gap = -1;
    snt_ok(sni_skin_places_mirror(skin.mesh, skin.triangles, skin.accel, origin, normal, 0.01, 8,
                                  places, images, &gap, error));
    assert_true(gap >= 0 && gap < 0.003);
    for (int k = 0; k < 8; ++k) {
        sn_vec3 p = sni_skin_place_point(skin.mesh, skin.triangles, &places[k]);
        sn_vec3 q = sni_skin_place_point(skin.mesh, skin.triangles, &images[k]);
        snt_near(q.x, -p.x, 0.003);
        snt_near(q.y, p.y, 0.003);
        snt_near(q.z, p.z, 0.003);
    }
    snt_ok(sni_skin_places_mirror(skin.mesh, skin.triangles, skin.accel, origin, normal, 0.01, 8,
                                  images, back, NULL, error));
    for (int k = 0; k < 8; ++k) {
        sn_vec3 p = sni_skin_place_point(skin.mesh, skin.triangles, &places[k]);
        sn_vec3 q = sni_skin_place_point(skin.mesh, skin.triangles, &back[k]);
        snt_near(sn_vec3_distance(p, q), 0, 0.005);
    }
    snt_fails(SN_INVALID, "is further than 0.01 from the skin",
              sni_skin_places_mirror(skin.mesh, skin.triangles, skin.accel, sn_vec3_make(3, 0, 0),
                                     normal, 0.01, 8, places, images, NULL, error));
    free_toy(&skin);
    snt_context_end(context);
}

// Mirrored curves give the mirrored muscle.
static void mirrored_muscles_are_mirror_images(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_ball, 96, 48, true);
    toy_curves left, right;
    toy_draw_lines(&skin, toy_ball, &left, 4, 0.05, 0.2, 0.35, 0.6);
    right = left;
    for (int which = 0; which < 2; ++which) {
        right.curves[which].places = right.places[which];
        snt_ok(sni_skin_places_mirror(skin.mesh, skin.triangles, skin.accel, sn_vec3_make(0, 0, 0),
                                      sn_vec3_make(1, 0, 0), 0.01, 4, left.places[which],
                                      right.places[which], NULL, error));
    }
    void *bound[2];
    sni_muscle_job jobs[2] = {toy_job(&skin, &left), toy_job(&skin, &right)};
    sni_muscle_surface surfaces[2];
    for (int k = 0; k < 2; ++k) {
        snt_ok(sni_muscle_patch.bind(&jobs[k], &bound[k], error));
        sni_muscle_patch.surface(bound[k], &surfaces[k]);
    }
    for (int k = 0; k < 48; ++k) {
        const double *a = surfaces[0].nurbs.points + 3 * k, *b = surfaces[1].nurbs.points + 3 * k;
        snt_near(a[0], -b[0], 1e-3);
        snt_near(a[1], b[1], 1e-3);
        snt_near(a[2], b[2], 1e-3);
    }
    sni_muscle_patch.unbind(context, bound[0]);
    sni_muscle_patch.unbind(context, bound[1]);
    free_toy(&skin);
    snt_context_end(context);
}

static void bad_jobs_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_plane, 10, 10, false);
    toy_curves c;
    toy_draw_lines(&skin, toy_plane, &c, 3, 0.2, 0.7, 0.2, 0.8);
    sni_muscle_job job = toy_job(&skin, &c);
    snt_ok(sni_muscle_job_validate(&sni_muscle_patch, &job, error));
    sn_vec3 center = {NAN, 0, 0};
    c.drawn.center = &center;
    snt_fails(SN_INVALID, "biceps: its center is (nan, 0, 0)",
              sni_muscle_job_validate(&sni_muscle_patch, &job, error));
    c.drawn.center = NULL;
    sni_muscle_value value = {0.5, 1.5, 1};
    c.vary.bulge = (sni_muscle_values){1, &value};
    snt_fails(SN_INVALID, "biceps: bulge value 1 is at (0.5, 1.5), but places are from 0 to 1",
              sni_muscle_job_validate(&sni_muscle_patch, &job, error));
    c.vary.bulge.count = 0;
    job.segment_count = 1;
    snt_fails(SN_INVALID, "biceps: no rest matrices",
              sni_muscle_job_validate(&sni_muscle_patch, &job, error));
    job.segment_count = 0;
    c.drawn.accel = NULL;
    job.name = NULL;
    snt_fails(SN_INVALID, "muscle: the skin lacks triangles, their tree or normals",
              sni_muscle_job_validate(&sni_muscle_patch, &job, error));
    job.inputs[SNI_PATCH_DRAWN] = NULL;
    snt_fails(SN_INVALID, "muscle: needs a skin to be drawn on",
              sni_muscle_job_validate(&sni_muscle_patch, &job, error));
    job.parameters = NULL;
    snt_fails(SN_INVALID, "muscle: no parameters",
              sni_muscle_job_validate(&sni_muscle_patch, &job, error));
    free_toy(&skin);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_found_by_name_and_number),
        cmocka_unit_test(places_are_found_on_the_skin),
        cmocka_unit_test(places_are_mirrored_by_geometry),
        cmocka_unit_test(mirrored_muscles_are_mirror_images),
        cmocka_unit_test(bad_jobs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
