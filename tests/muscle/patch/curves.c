// SPDX-License-Identifier: Apache-2.0
//
// Curves that bound a muscle, and curves that do not.
#include "test.h"

#include "../toy.h"
#include "muscle/patch/patch.h"

static void bad_curves_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_plane, 20, 20, false);
    toy_curves c;
    toy_draw_lines(&skin, toy_plane, &c, 3, 0.25, 0.75, 0.2, 0.8);
    sni_muscle_job job = toy_job(&skin, &c);
    toy_draw(&skin, &c, 1, 2, (sn_vec3[2]){{-0.6, 0, 0.4}, {0.6, 0, -0.9}});
    toy_bind_fails("biceps: its two curves cross at (");
    // A short tongue across the first curve, at z = -0.5, however far from its points.
    toy_draw(
        &skin, &c, 1, 5,
        (sn_vec3[5]){{-0.6, 0, 0}, {0.111, 0, 0}, {0.113, 0, -0.5001}, {0.115, 0, 0}, {0.6, 0, 0}});
    toy_bind_fails("biceps: its two curves cross at (0.113, 0, -0.5)");
    toy_draw(&skin, &c, 1, 2, (sn_vec3[2]){{-0.6, 0, -0.5}, {0.6, 0, -0.5}});
    toy_bind_fails("biceps: its two curves coincide");
    toy_draw(&skin, &c, 1, 1, (sn_vec3[1]){{0, 0, 0}});
    toy_bind_fails("biceps: curve 2 has 1 point, but it needs 2");
    toy_draw(&skin, &c, 1, 3, (sn_vec3[3]){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
    toy_bind_fails("biceps: all 3 points of curve 2 are one");
    toy_draw(&skin, &c, 1, 2, (sn_vec3[2]){{0.6, 0, 0.5}, {-0.6, 0, 0.5}});
    toy_bind_fails("biceps: its curves run in opposite directions");
    toy_draw(&skin, &c, 1, 2, (sn_vec3[2]){{-0.6, 0, 0.5}, {0.6, 0, 0.5}});
    c.places[1][1].barycentric[0] = 1.5;
    toy_bind_fails("biceps: curve 2 leaves the surface: point 2 has barycentric coordinates 1.5");
    c.places[1][1].triangle = 800;
    toy_bind_fails("curve 2 leaves the surface: point 2 is on triangle 800, but there are 800");
    c.drawn.curve_count = 1;
    toy_bind_fails("biceps: 1 curve, but it takes two");
    free_toy(&skin);
    snt_context_end(context);
}

// Tapering muscles meet in their ends; close is not across; and the far side of a body is no place
// to meet.
static void curves_that_only_come_close_are_taken(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy plane = make_toy(context, toy_plane, 20, 20, false);
    toy tube = make_toy(context, toy_tube, 48, 20, true);
    toy_curves c;
    toy_draw_lines(&plane, toy_plane, &c, 3, 0.25, 0.75, 0.2, 0.8);
    sni_muscle_job job = toy_job(&plane, &c);
    void *bound;
    toy_draw(&plane, &c, 1, 3, (sn_vec3[3]){{-0.6, 0, -0.5}, {0, 0, 0}, {0.6, 0, -0.5}});
    snt_ok(sni_muscle_patch.bind(&job, &bound, error));
    sni_muscle_patch.unbind(context, bound);
    toy_draw(&plane, &c, 1, 3, (sn_vec3[3]){{-0.6, 0, 0}, {0, 0, -0.4999}, {0.6, 0, 0}});
    snt_ok(sni_muscle_patch.bind(&job, &bound, error));
    sni_muscle_patch.unbind(context, bound);
    toy_draw_lines(&tube, toy_tube, &c, 3, 0.05, 0.55, 0.2, 0.8);
    job = toy_job(&tube, &c);
    toy_draw(&tube, &c, 1, 2, (sn_vec3[2]){toy_tube(0.45, 0.2), toy_tube(0.65, 0.8)});
    snt_ok(sni_muscle_patch.bind(&job, &bound, error));
    sni_muscle_patch.unbind(context, bound);
    free_toy(&plane);
    free_toy(&tube);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_curves_are_refused),
        cmocka_unit_test(curves_that_only_come_close_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
