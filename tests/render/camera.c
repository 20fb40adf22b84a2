// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "render/camera.h"

static sn_vec3 corner_of(sn_vec3 low, sn_vec3 high, unsigned i) {
    return sn_vec3_make(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
}

// The largest distance of the box's corners from the picture's middle, as a part of half its width
// or height.
static double reach(const sn_camera *camera, sn_vec3 low, sn_vec3 high, double aspect) {
    sni_view view;
    snt_ok(sni_view_init(camera, (uint32_t)(1000 * aspect), 1000, &view, error));
    double largest = 0;
    for (unsigned i = 0; i < 8; ++i) {
        sn_vec3 p = sni_view_local(&view, corner_of(low, high, i));
        assert_true(p.z > 0);
        largest = fmax(largest, fabs(p.x / p.z) * view.focal / (view.width / 2));
        largest = fmax(largest, fabs(p.y / p.z) * view.focal / (view.height / 2));
    }
    return largest;
}

static void frames_every_corner_with_a_margin(void **state) {
    (void)state;
    snt_random random = {.state = 7};
    for (int i = 0; i < 500; ++i) {
        sn_vec3 low, size;
        low = sn_vec3_make(snt_random_range(&random, -5, 5), snt_random_range(&random, -5, 5),
                           snt_random_range(&random, -5, 5));
        size = sn_vec3_make(snt_random_range(&random, 0.01, 4), snt_random_range(&random, 0.01, 4),
                            snt_random_range(&random, 0.01, 4));
        sn_vec3 high = sn_vec3_add(low, size);
        double aspect = floor(1000 * snt_random_range(&random, 0.3, 3)) / 1000;
        sn_camera camera = sn_camera_frame(low, high, snt_random_range(&random, -4, 4),
                                           snt_random_range(&random, -1.5, 1.5), aspect);
        double found = reach(&camera, low, high, aspect);
        // 8 % of free room on each side leave 84 % of the half.
        assert_true(found <= 0.84 + 1e-3);
        assert_true(found >= 0.5);
    }
}

static void fills_the_picture_with_a_flat_box(void **state) {
    (void)state;
    sn_vec3 low = {-1, 0, 0}, high = {1, 1, 0};
    sn_camera camera = sn_camera_frame(low, high, 0, 0, 2);
    snt_near(reach(&camera, low, high, 2), 0.84, 1e-9);
    // From the front, and upright.
    assert_true(camera.eye.z > 0);
    snt_near(camera.eye.x, 0, 1e-12);
    snt_near(camera.eye.y, 0.5, 1e-12);
    snt_near(camera.up.y, 1, 1e-12);
}

static void azimuth_turns_about_the_vertical(void **state) {
    (void)state;
    sn_camera camera =
        sn_camera_frame(sn_vec3_make(-1, -1, -1), sn_vec3_make(1, 1, 1), SN_PI / 2, 0, 1);
    assert_true(camera.eye.x > 1);
    snt_near(camera.eye.z, 0, 1e-9);
}

static void looks_straight_down(void **state) {
    (void)state;
    sn_vec3 low = {-1, -2, -3}, high = {1, 2, 3};
    for (int side = -1; side <= 1; side += 2) {
        sn_camera camera = sn_camera_frame(low, high, 0.3, side * SN_PI / 2, 1);
        assert_true(reach(&camera, low, high, 1) <= 0.84 + 1e-9);
    }
}

static void frames_points_and_lines(void **state) {
    (void)state;
    sn_vec3 point = {3, 4, 5};
    sn_camera camera = sn_camera_frame(point, point, 0, 0, 1);
    assert_true(reach(&camera, point, point, 1) < 1e-9);
    // A line along the view: the eye must not touch it.
    sn_vec3 low = {0, 0, -1}, high = {0, 0, 1};
    camera = sn_camera_frame(low, high, 0, 0, 1);
    assert_true(camera.eye.z > 1.1);
    assert_true(reach(&camera, low, high, 1) < 1e-9);
}

static void corners_may_come_in_any_order(void **state) {
    (void)state;
    sn_vec3 a = {-1, 2, 0}, b = {1, 0, 1};
    sn_camera one = sn_camera_frame(a, b, 0.2, 0.1, 1.5),
              two = sn_camera_frame(b, a, 0.2, 0.1, 1.5);
    assert_memory_equal(&one, &two, offsetof(sn_camera, parallel));
    assert_false(one.parallel || two.parallel);
}

static void directions_go_through_their_pixels(void **state) {
    (void)state;
    sn_camera camera = {
        .eye = {1, 2, 3}, .target = {-2, 1, 0.5}, .up = {0.1, 1, 0}, .field_of_view = 0.9};
    sni_view view;
    snt_ok(sni_view_init(&camera, 640, 480, &view, error));
    for (double y = 0; y <= 480; y += 96) {
        for (double x = 0; x <= 640; x += 80) {
            sn_vec3 direction = sni_view_ray_at(&view, x, y).direction;
            snt_near(sn_vec3_length(direction), 1, 1e-12);
            sn_vec3 p = sni_view_local(&view, sn_vec3_add_scaled(view.eye, 7, direction));
            snt_near(320 + view.focal * p.x / p.z, x, 1e-9);
            snt_near(240 - view.focal * p.y / p.z, y, 1e-9);
        }
    }
    // The field of view is vertical.
    sn_vec3 top = sni_view_ray_at(&view, 320, 0).direction;
    sn_vec3 middle = sni_view_ray_at(&view, 320, 240).direction;
    snt_near(acos(sn_vec3_dot(top, middle)), 0.45, 1e-12);
}

static void refuses_cameras_that_look_nowhere(void **state) {
    (void)state;
    sni_view view;
    sn_camera good = {.eye = {0, 0, 1}, .up = {0, 1, 0}, .field_of_view = 1};
    sn_camera bad = good;
    bad.eye.z = 0;
    snt_fails(SN_INVALID, "same point", sni_view_init(&bad, 4, 4, &view, error));
    bad = good;
    bad.eye.x = NAN;
    snt_fails(SN_INVALID, "not finite", sni_view_init(&bad, 4, 4, &view, error));
    bad = good;
    bad.up = sn_vec3_make(0, 0, -2);
    snt_fails(SN_INVALID, "up", sni_view_init(&bad, 4, 4, &view, error));
    bad = good;
    bad.up = sn_vec3_make(0, 0, 0);
    snt_fails(SN_INVALID, "up", sni_view_init(&bad, 4, 4, &view, error));
    double angles[] = {0, -1, 3.2, NAN};
    for (unsigned i = 0; i < 4; ++i) {
        bad = good;
        bad.field_of_view = angles[i];
        snt_fails(SN_INVALID, "field of view", sni_view_init(&bad, 4, 4, &view, error));
    }
    bad = sn_camera_frame(sn_vec3_make(0, 0, 0), sn_vec3_make(1, 1, 1), 0, 0, 0);
    snt_fails(SN_INVALID, "not finite", sni_view_init(&bad, 4, 4, &view, error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_every_corner_with_a_margin),
        cmocka_unit_test(fills_the_picture_with_a_flat_box),
        cmocka_unit_test(azimuth_turns_about_the_vertical),
        cmocka_unit_test(looks_straight_down),
        cmocka_unit_test(frames_points_and_lines),
        cmocka_unit_test(corners_may_come_in_any_order),
        cmocka_unit_test(directions_go_through_their_pixels),
        cmocka_unit_test(refuses_cameras_that_look_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
