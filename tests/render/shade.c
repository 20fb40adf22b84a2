// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

#include "render/sample.h"
#include "render/shade.h"

typedef struct stage {
    sn_picture_desc desc;
    sni_view view;
    sni_scene scene;
    sni_studio studio;
} stage;

static void set_up(sn_context *context, const sn_drawable *drawables, uint32_t count, stage *at) {
    at->desc = snt_quick(100, 100, 5);
    at->desc.camera.eye.y = 1;
    snt_ok(sni_view_init(&at->desc.camera, 100, 100, &at->view, error));
    snt_ok(sni_scene_init(context, drawables, count, &at->scene, error));
    sni_studio_init(&at->desc, &at->scene, &at->view, &at->studio);
}

static const sn_vec3 up = {0, 1, 0};

static void samples_are_stratified(void **state) {
    (void)state;
    // 64 points lie one in each cell of every grid of 64 cells: 64x1, 32x2, ... 1x64.
    for (uint32_t seed = 1; seed < 20; ++seed) {
        for (unsigned shift = 0; shift <= 6; ++shift) {
            uint32_t columns = 1u << shift, rows = 64u >> shift;
            uint64_t seen = 0;
            for (uint32_t i = 0; i < 64; ++i) {
                double u, v;
                sni_sample_square(i, sni_hash(seed, 5), &u, &v);
                assert_true(u > 0 && u < 1 && v > 0 && v < 1);
                uint32_t cell = (uint32_t)(u * columns) * rows + (uint32_t)(v * rows);
                seen |= (uint64_t)1 << cell;
            }
            assert_true(seen == UINT64_MAX);
        }
    }
}

static void directions_follow_the_cosine(void **state) {
    (void)state;
    sn_vec3 normals[] = {{0, 1, 0}, {0, -1, 0}, {1, 0, 0}, {0.6, 0, -0.8}};
    for (unsigned n = 0; n < 4; ++n) {
        sn_vec3 sum = {0, 0, 0};
        double squares = 0;
        const uint32_t count = 4096;
        for (uint32_t i = 0; i < count; ++i) {
            double u, v;
            sni_sample_square(i, 99, &u, &v);
            sn_vec3 direction = sni_sample_cosine(normals[n], u, v);
            snt_near(sn_vec3_length(direction), 1, 1e-6);
            double cosine = sn_vec3_dot(direction, normals[n]);
            assert_true(cosine >= 0);
            squares += cosine * cosine / count;
            sum = sn_vec3_add_scaled(sum, 1.0 / count, direction);
        }
        // For a density cos / pi: the mean is 2/3 of the normal, that of cos^2 is 1/2.
        assert_true(sn_vec3_distance(sum, sn_vec3_scale(normals[n], 2.0 / 3)) < 2e-3);
        snt_near(squares, 0.5, 2e-3);
    }
}

static void open_sky_is_whole(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *plate = snt_plate(context, 10, 0);
    sn_drawable drawable = {.mesh = plate, .opacity = 1};
    stage at;
    set_up(context, &drawable, 1, &at);
    for (uint32_t seed = 0; seed < 50; ++seed) {
        sni_sampler sampler = {.seed = sni_hash(seed, 1), .rays = 16};
        sn_vec3 point = sn_vec3_make(seed * 0.1 - 2, at.scene.clearance, 0.3);
        sn_vec3 sky = sni_shade_sky(&at.studio, point, up, &sampler);
        assert_true(sky.x == 1 && sky.y == 1 && sky.z == 1);
        assert_true(sni_shade_key(&at.studio, point, 0, &sampler) == 1);
    }
    sni_scene_deinit(&at.scene);
    sn_mesh_destroy(plate);
    snt_context_end(context);
}

static void a_wall_hides_half_the_sky(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    // A wall across x, since the sky is even in that direction when the camera looks along z.
    float h = 1000;
    float positions[12] = {0, -h, -h, 0, -h, h, 0, h, h, 0, h, -h};
    uint32_t size = 4, corners[4] = {0, 1, 2, 3};
    sn_mesh *wall = snt_mesh(context, positions, 4, &size, 1, corners);
    sn_drawable drawable = {.mesh = wall, .opacity = 1};
    stage at;
    set_up(context, &drawable, 1, &at);
    sni_sampler sampler = {.seed = 1234567, .rays = 4096};
    sn_vec3 sky = sni_shade_sky(&at.studio, sn_vec3_make(0.01, 0, 0), up, &sampler);
    snt_near(sky.x, 0.5, 0.005);
    snt_near(sky.y, 0.5, 0.005);
    snt_near(sky.z, 0.5, 0.005);
    sni_scene_deinit(&at.scene);
    sn_mesh_destroy(wall);
    snt_context_end(context);
}

static void a_lid_hides_everything(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *lid = snt_plate(context, 1e4, 1);
    sn_drawable drawable = {.mesh = lid, .opacity = 1};
    stage at;
    set_up(context, &drawable, 1, &at);
    sni_sampler sampler = {.seed = 77, .rays = 64};
    sn_vec3 sky = sni_shade_sky(&at.studio, sn_vec3_make(0, 0, 0), up, &sampler);
    assert_true(sky.x < 0.02 && sky.y < 0.02 && sky.z < 0.02);
    assert_true(sni_shade_key(&at.studio, sn_vec3_make(0, 0, 0), 0, &sampler) == 0);
    // What lies nearer than asked for does not count.
    assert_true(sni_shade_key(&at.studio, sn_vec3_make(0, 0, 0), 10, &sampler) == 1);
    sni_scene_deinit(&at.scene);
    sn_mesh_destroy(lid);
    snt_context_end(context);
}

static void see_through_surfaces_shade_the_ground_in_part(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *plate = snt_plate(context, 1, 0.2);
    double light[3], opacity[3] = {0.25, 0.75, 1};
    for (unsigned i = 0; i < 3; ++i) {
        sn_drawable drawable = {.mesh = plate, .opacity = opacity[i]};
        stage at;
        set_up(context, &drawable, 1, &at);
        sni_sampler sampler = {.seed = 5, .rays = 256};
        light[i] = sni_shade_ground(&at.studio, sn_vec3_make(0, 0, 0), &sampler);
        assert_true(sni_shade_ground(&at.studio, sn_vec3_make(100, 0, 0), &sampler) == 1);
        sni_scene_deinit(&at.scene);
    }
    assert_true(1 > light[0] && light[0] > light[1] && light[1] > light[2] && light[2] > 0);
    sn_mesh_destroy(plate);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_stratified),
        cmocka_unit_test(directions_follow_the_cosine),
        cmocka_unit_test(open_sky_is_whole),
        cmocka_unit_test(a_wall_hides_half_the_sky),
        cmocka_unit_test(a_lid_hides_everything),
        cmocka_unit_test(see_through_surfaces_shade_the_ground_in_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
