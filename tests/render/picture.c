// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

#include "render/color.h"

#include <stdlib.h>

static const sn_vec3 origin = {0, 0, 0};

static double brightness(const uint8_t *pixel) {
    return pixel[0] + pixel[1] + pixel[2];
}

static uint32_t difference_count(const sn_image *a, const sn_image *b, int least) {
    uint32_t count = 0;
    for (uint32_t y = 0; y < a->height; ++y) {
        for (uint32_t x = 0; x < a->width; ++x) {
            count += snt_pixel_difference(a, b, x, y) >= least;
        }
    }
    return count;
}

// ---------------------------------------------------------------------------------------------
// What is refused

static void refuses_wrong_descriptions(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_image *image = NULL;
    sn_picture_desc zero = {0};
    snt_fails(SN_INVALID, "sn_picture_desc_default",
              sn_picture_draw(context, &zero, NULL, 0, NULL, &image, error));
    sn_picture_desc good = snt_quick(8, 8, 3);
    struct {
        sn_picture_desc desc;
        const char *text;
    } cases[11];
    for (unsigned i = 0; i < 11; ++i) {
        cases[i].desc = good;
    }
    cases[0].desc.width = 0, cases[0].text = "0 x 8";
    cases[1].desc.height = 100000, cases[1].text = "8 x 100000";
    cases[2].desc.samples = 0, cases[2].text = "0 samples";
    cases[3].desc.samples = 1000, cases[3].text = "1000 samples";
    cases[4].desc.occlusion_rays = 1u << 20, cases[4].text = "occlusion rays";
    cases[5].desc.camera.eye.y = NAN, cases[5].text = "not finite";
    cases[6].desc.camera.eye = origin, cases[6].text = "same point";
    cases[7].desc.ground_height = INFINITY, cases[7].text = "ground";
    cases[8].desc.background[1] = -1, cases[8].text = "background's component 1 is -1";
    cases[9].desc.map_low = 2, cases[9].text = "2 to 1";
    cases[10].desc.color_map = (sn_color_map)7, cases[10].text = "color map 7";
    for (unsigned i = 0; i < 11; ++i) {
        snt_fails(SN_INVALID, cases[i].text,
                  sn_picture_draw(context, &cases[i].desc, NULL, 0, NULL, &image, error));
        assert_null(image);
    }
    snt_context_end(context);
}

static void refuses_wrong_drawables(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_picture_desc desc = snt_quick(8, 8, 3);
    sn_mesh *mesh = snt_board(context, 1, 1, 0);
    sn_image *image = NULL;
    float broken[12], red[3] = {2, 0, 0};
    memcpy(broken, mesh->positions, sizeof broken);
    broken[7] = NAN;
    uint32_t far_vertices[3] = {0, 1, 9}, corners[3] = {0, 1, 2}, face = 0;
    sn_triangles far_triangles = {
        .count = 1, .vertices = far_vertices, .corners = corners, .faces = &face};
    sn_drawable good = {.mesh = mesh, .opacity = 1};
    struct {
        sn_drawable drawable;
        const char *text;
    } cases[8];
    sn_attribute few = {.width = 3, .count = 3};
    for (unsigned i = 0; i < 8; ++i) {
        cases[i].drawable = good;
    }
    cases[0].drawable.mesh = NULL, cases[0].text = "drawable 1 has no mesh";
    cases[1].drawable.opacity = 1.5, cases[1].text = "drawable 1 has the opacity 1.5";
    cases[2].drawable.opacity = NAN, cases[2].text = "opacity";
    cases[3].drawable.look = (sn_look)9, cases[3].text = "look 9";
    cases[4].drawable.positions = broken, cases[4].text = "drawable 1: vertex 2";
    cases[5].drawable.triangles = &far_triangles, cases[5].text = "uses vertex 9, but there are 4";
    cases[6].drawable.base_color = red, cases[6].text = "base color component 2";
    cases[7].drawable.colors = &few, cases[7].text = "3 colors of 3 numbers for 4 vertices";
    for (unsigned i = 0; i < 8; ++i) {
        sn_drawable both[2] = {good, cases[i].drawable};
        snt_fails(SN_INVALID, cases[i].text,
                  sn_picture_draw(context, &desc, both, 2, NULL, &image, error));
        assert_null(image);
    }
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Shapes

static void silhouette_of_a_sphere_is_a_disc(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    sn_picture_desc desc = snt_quick(500, 500, 4);
    desc.occlusion_rays = 0;
    sn_mesh *sphere = snt_sphere(context, origin, 0.8, 128, 64);
    float black[3] = {0, 0, 0};
    sn_drawable drawable = {.mesh = sphere, .opacity = 1, .base_color = black};
    sn_image *with = snt_draw(context, &desc, &drawable, 1);
    sn_image *without = snt_draw(context, &desc, NULL, 0);
    // The cone from the eye touches the sphere where sin(angle) = r / d.
    double focal = 250 / tan(0.25);
    double radius = focal * tan(asin(0.8 / 4));
    double area = SN_PI * radius * radius;
    snt_near(difference_count(with, without, 40) / area, 1, 0.01);
    sn_image_destroy(with);
    sn_image_destroy(without);
    sn_mesh_destroy(sphere);
    snt_context_end(context);
}

static void concave_and_mixed_polygons_cover_their_area(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    // An L of three unit squares (six corners), and beside it a triangle of half a square; a point
    // and a line that have no surface.
    float positions[] = {-2, -1, 0, 0, -1, 0,  0, 0, 0,  -1, 0, 0,  -1, 1,
                         0,  -2, 1, 0, 1,  -1, 0, 2, -1, 0,  2, -0, 0};
    uint32_t sizes[] = {6, 3, 1, 2};
    uint32_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 3, 7};
    sn_mesh *mesh = snt_mesh(context, positions, 9, sizes, 4, corners);
    sn_picture_desc desc = snt_quick(400, 400, 0);
    desc.camera.eye.z = 2 / tan(0.25); // 100 pixels per unit
    desc.occlusion_rays = 0;
    float black[3] = {0, 0, 0};
    sn_drawable drawable = {.mesh = mesh, .opacity = 1, .base_color = black};
    sn_image *with = snt_draw(context, &desc, &drawable, 1);
    sn_image *without = snt_draw(context, &desc, NULL, 0);
    snt_near(difference_count(with, without, 40), 35000, 350);
    // The notch of the L is free.
    assert_int_equal(snt_pixel_difference(with, without, 150, 150), 0);
    sn_image_destroy(with);
    sn_image_destroy(without);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void nothing_is_drawn_of_what_has_no_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_picture_desc desc = snt_quick(40, 30, 3);
    desc.ground = true;
    desc.ground_height = -1;
    float positions[] = {0, 0, 0, 0.1f, 0, 0, 0.2f, 0, 0, 0, 0.5f, 0};
    uint32_t point = 1, line = 2, flat = 3;
    uint32_t corners[] = {0, 1, 2};
    sn_mesh *meshes[] = {
        snt_mesh(context, NULL, 0, NULL, 0, NULL),
        snt_mesh(context, positions, 4, NULL, 0, NULL),
        snt_mesh(context, positions, 4, &point, 1, corners),
        snt_mesh(context, positions, 4, &line, 1, corners),
        snt_mesh(context, positions, 4, &flat, 1, corners), // three points of a line
    };
    sn_image *empty = snt_draw(context, &desc, NULL, 0);
    for (unsigned i = 0; i < 5; ++i) {
        for (unsigned sheer = 0; sheer <= 1; ++sheer) {
            sn_drawable drawable = {
                .mesh = meshes[i], .opacity = sheer ? 0.5 : 1, .wireframe = true};
            sn_image *image = snt_draw(context, &desc, &drawable, 1);
            assert_true(snt_same_pixels(image, empty));
            sn_image_destroy(image);
        }
        sn_mesh_destroy(meshes[i]);
    }
    sn_image_destroy(empty);
    snt_context_end(context);
}

static void a_camera_inside_sees_the_back_everywhere(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_picture_desc desc = snt_quick(40, 30, 0.5);
    sn_mesh *sphere = snt_sphere(context, origin, 2, 32, 16);
    sn_drawable drawable = {.mesh = sphere, .opacity = 1, .look = SN_LOOK_SKIN};
    sn_image *image = snt_draw(context, &desc, &drawable, 1);
    for (uint32_t i = 0; i < 40 * 30; ++i) {
        assert_true(image->pixels[3 * i + 2] > image->pixels[3 * i]);
    }
    sn_image_destroy(image);
    sn_mesh_destroy(sphere);
    snt_context_end(context);
}

static void flipped_faces_are_bluish(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *board = snt_board(context, 1, 1, 0);
    for (int look = SN_LOOK_SKIN; look <= SN_LOOK_HORN; ++look) {
        sn_picture_desc desc = snt_quick(9, 9, 3);
        sn_drawable drawable = {.mesh = board, .opacity = 1, .look = (sn_look)look};
        sn_image *front = snt_draw(context, &desc, &drawable, 1);
        desc.camera.eye.z = -3;
        sn_image *back = snt_draw(context, &desc, &drawable, 1);
        const uint8_t *a = snt_pixel(front, 4, 4), *b = snt_pixel(back, 4, 4);
        assert_true(b[2] > b[0] + 10);
        assert_true(look == SN_LOOK_CLOTH || a[0] + 2 >= a[2]);
        sn_image_destroy(front);
        sn_image_destroy(back);
    }
    sn_mesh_destroy(board);
    snt_context_end(context);
}

static void distance_from_the_origin_makes_no_speckles(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    double means[2];
    for (unsigned i = 0; i < 2; ++i) {
        double shift = i * 3000.0;
        sn_picture_desc desc = snt_quick(120, 120, 4);
        desc.camera.eye.x = desc.camera.target.x = shift;
        sn_mesh *sphere = snt_sphere(context, sn_vec3_make(shift, 0, 0), 0.8, 64, 32);
        sn_drawable drawable = {.mesh = sphere, .opacity = 1, .look = SN_LOOK_PLAIN};
        sn_image *image = snt_draw(context, &desc, &drawable, 1);
        means[i] = 0;
        for (uint32_t p = 0; p < 3 * 120 * 120; ++p) {
            means[i] += image->pixels[p] / (3.0 * 120 * 120);
        }
        sn_image_destroy(image);
        sn_mesh_destroy(sphere);
    }
    snt_near(means[0], means[1], 1);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Light

static void ground_is_dark_beneath_and_clear_far_away(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    sn_picture_desc desc = snt_quick(300, 200, 6);
    desc.camera.eye.y = 1.5;
    desc.camera.field_of_view = 1.6;
    desc.samples = 2;
    desc.ground = true;
    desc.ground_height = -0.6;
    sn_mesh *sphere = snt_sphere(context, origin, 0.5, 32, 16);
    sn_drawable drawable = {.mesh = sphere, .opacity = 1};
    sn_image *with = snt_draw(context, &desc, &drawable, 1);
    sn_image *without = snt_draw(context, &desc, NULL, 0);
    // Just under the sphere's lower rim, which is about 17 pixels below the middle.
    double darkest = 0;
    for (uint32_t y = 105; y < 125; ++y) {
        darkest = fmax(darkest, brightness(snt_pixel(without, 150, y)) -
                                    brightness(snt_pixel(with, 150, y)));
    }
    assert_true(darkest > 60);
    // Towards the border, and at the horizon, there is no trace of it.
    for (uint32_t x = 0; x < 300; ++x) {
        assert_int_equal(snt_pixel_difference(with, without, x, 199), 0);
        assert_int_equal(snt_pixel_difference(with, without, x, 50), 0);
    }
    // Nowhere does it grow brighter.
    for (uint32_t y = 140; y < 200; ++y) {
        for (uint32_t x = 0; x < 300; ++x) {
            assert_true(brightness(snt_pixel(with, x, y)) <= brightness(snt_pixel(without, x, y)));
        }
    }
    sn_image_destroy(with);
    sn_image_destroy(without);
    sn_mesh_destroy(sphere);
    snt_context_end(context);
}

static void background_has_its_color_in_the_middle(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_picture_desc desc = snt_quick(101, 101, 3);
    desc.background[0] = 0.2f;
    desc.background[1] = 0.5f;
    desc.background[2] = 0.9f;
    sn_image *image = snt_draw(context, &desc, NULL, 0);
    for (unsigned i = 0; i < 3; ++i) {
        snt_near(snt_pixel(image, 50, 50)[i], sni_srgb_byte(desc.background[i]), 1);
        assert_true(snt_pixel(image, 0, 0)[i] < snt_pixel(image, 50, 50)[i]);
    }
    sn_image_destroy(image);
    snt_context_end(context);
}

static void looks_differ(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_picture_desc desc = snt_quick(40, 40, 3);
    sn_mesh *sphere = snt_sphere(context, origin, 0.6, 32, 16);
    sn_image *images[6];
    for (int look = 0; look < 6; ++look) {
        sn_drawable drawable = {.mesh = sphere, .opacity = 1, .look = (sn_look)look};
        images[look] = snt_draw(context, &desc, &drawable, 1);
        for (int other = 0; other < look; ++other) {
            assert_true(snt_pixel_difference(images[look], images[other], 16, 22) > 8);
        }
    }
    const uint8_t *muscle = snt_pixel(images[SN_LOOK_MUSCLE], 16, 22);
    assert_true(muscle[0] > 2 * muscle[1] && muscle[0] > 2 * muscle[2]);
    const uint8_t *bone = snt_pixel(images[SN_LOOK_BONE], 16, 22);
    assert_true(bone[0] > bone[1] && bone[1] > bone[2] && bone[2] > 100);
    for (int look = 0; look < 6; ++look) {
        sn_image_destroy(images[look]);
    }
    sn_mesh_destroy(sphere);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Layers, lines, values

static void opacity_zero_is_not_drawn(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_picture_desc desc = snt_quick(60, 60, 3);
    desc.ground = true;
    desc.ground_height = -0.7;
    sn_mesh *sphere = snt_sphere(context, origin, 0.6, 32, 16);
    sn_mesh *inner = snt_sphere(context, origin, 0.3, 32, 16);
    sn_drawable drawables[2] = {{.mesh = inner, .opacity = 1},
                                {.mesh = sphere, .opacity = 0, .wireframe = true}};
    sn_image *with = snt_draw(context, &desc, drawables, 2);
    sn_image *without = snt_draw(context, &desc, drawables, 1);
    assert_true(snt_same_pixels(with, without));
    sn_image_destroy(with);
    sn_image_destroy(without);
    sn_mesh_destroy(sphere);
    sn_mesh_destroy(inner);
    snt_context_end(context);
}

// From behind, a grey board is tinted blue, but grey where it is two-sided.
static void backs_of_sheets_are_not_tinted(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_picture_desc desc = snt_quick(41, 41, 3);
    desc.camera.eye.z = -desc.camera.eye.z;
    sn_mesh *board = snt_board(context, 0.5, 0.5, 0);
    float grey[3] = {0.5f, 0.5f, 0.5f};
    int blue[2];
    for (int two_sided = 0; two_sided < 2; ++two_sided) {
        sn_drawable drawable = {
            .mesh = board, .opacity = 1, .base_color = grey, .two_sided = two_sided};
        sn_image *image = snt_draw(context, &desc, &drawable, 1);
        const uint8_t *pixel = snt_pixel(image, 20, 20);
        blue[two_sided] = pixel[2] - pixel[0];
        sn_image_destroy(image);
    }
    assert_true(blue[0] > 40);
    assert_true(blue[1] <= 2); // the light is warm
    sn_mesh_destroy(board);
    snt_context_end(context);
}

static void opacity_blends_monotonically(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_picture_desc desc = snt_quick(41, 41, 3);
    desc.occlusion_rays = 0;
    sn_mesh *front = snt_board(context, 0.5, 0.5, 0.5), *behind = snt_board(context, 0.5, 0.5, 0);
    float red[3] = {0.6f, 0, 0}, green[3] = {0, 0.6f, 0};
    int last_red = -1, last_green = 256;
    for (int step = 0; step <= 10; ++step) {
        sn_drawable drawables[2] = {
            {.mesh = behind, .opacity = 1, .base_color = green},
            {.mesh = front, .opacity = step / 10.0, .base_color = red},
        };
        sn_image *image = snt_draw(context, &desc, drawables, 2);
        const uint8_t *pixel = snt_pixel(image, 20, 20);
        assert_true(pixel[0] > last_red && pixel[1] < last_green);
        last_red = pixel[0];
        last_green = pixel[1];
        sn_image_destroy(image);
    }
    sn_mesh_destroy(front);
    sn_mesh_destroy(behind);
    snt_context_end(context);
}

static void rims_of_see_through_surfaces_are_more_opaque(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_picture_desc desc = snt_quick(201, 201, 4);
    desc.occlusion_rays = 0;
    sn_mesh *sphere = snt_sphere(context, origin, 0.8, 128, 64);
    float black[3] = {0, 0, 0};
    sn_drawable drawable = {.mesh = sphere, .opacity = 0.2, .base_color = black};
    sn_image *image = snt_draw(context, &desc, &drawable, 1);
    double focal = 100.5 / tan(0.25);
    uint32_t rim = (uint32_t)(100.5 - focal * tan(asin(0.8 / 4)) + 3);
    assert_true(brightness(snt_pixel(image, rim, 100)) + 30 <
                brightness(snt_pixel(image, 100, 100)));
    sn_image_destroy(image);
    sn_mesh_destroy(sphere);
    snt_context_end(context);
}

static double segment_distance(double x, double y, const double *s) {
    double dx = s[2] - s[0], dy = s[3] - s[1];
    double t = ((x - s[0]) * dx + (y - s[1]) * dy) / (dx * dx + dy * dy);
    t = fmax(0, fmin(1, t));
    return hypot(x - s[0] - t * dx, y - s[1] - t * dy);
}

static void wireframe_is_drawn_along_polygon_edges_only(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    // A quad and a pentagon side by side; 50 pixels per unit.
    float positions[] = {-1.5f, -1, 0,  0, -1,   0, 0, 1, 0, -1.5f, 1,
                         0,     1,  -1, 0, 1.6f, 0, 0, 1, 1, 0};
    uint32_t sizes[] = {4, 5}, corners[] = {0, 1, 2, 3, 1, 4, 5, 6, 2};
    sn_mesh *mesh = snt_mesh(context, positions, 7, sizes, 2, corners);
    sn_picture_desc desc = snt_quick(200, 200, 2 / tan(0.25));
    desc.samples = 2;
    desc.occlusion_rays = 0;
    sn_drawable drawable = {.mesh = mesh, .opacity = 1, .look = SN_LOOK_PLAIN};
    sn_image *plain = snt_draw(context, &desc, &drawable, 1);
    drawable.wireframe = true;
    sn_image *wired = snt_draw(context, &desc, &drawable, 1);
    const double edges[8][4] = {{25, 150, 100, 150}, {100, 150, 100, 50},  {100, 50, 25, 50},
                                {25, 50, 25, 150},   {100, 150, 150, 150}, {150, 150, 180, 100},
                                {180, 100, 150, 50}, {150, 50, 100, 50}};
    for (uint32_t y = 0; y < 200; ++y) {
        for (uint32_t x = 0; x < 200; ++x) {
            double distance = INFINITY;
            for (unsigned e = 0; e < 8; ++e) {
                distance = fmin(distance, segment_distance(x + 0.5, y + 0.5, edges[e]));
            }
            int difference = snt_pixel_difference(plain, wired, x, y);
            assert_true(difference == 0 || distance < 2.2);
        }
    }
    // The shared edge is dark along its whole length, and as wide as a line should be.
    for (uint32_t y = 55; y < 145; ++y) {
        int sum = 0;
        for (uint32_t x = 96; x < 104; ++x) {
            sum += snt_pixel_difference(plain, wired, x, y);
        }
        assert_true(sum > 50 && sum < 400);
    }
    sn_image_destroy(plain);
    sn_image_destroy(wired);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void wireframe_is_hidden_behind_surfaces(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_picture_desc desc = snt_quick(60, 60, 3);
    sn_mesh *sphere = snt_sphere(context, origin, 0.3, 12, 6), *board = snt_board(context, 1, 1, 1);
    sn_drawable drawables[2] = {{.mesh = board, .opacity = 1}, {.mesh = sphere, .opacity = 1}};
    sn_image *plain = snt_draw(context, &desc, drawables, 2);
    drawables[1].wireframe = true;
    sn_image *wired = snt_draw(context, &desc, drawables, 2);
    assert_true(snt_same_pixels(plain, wired));
    sn_image_destroy(plain);
    sn_image_destroy(wired);
    sn_mesh_destroy(board);
    sn_mesh_destroy(sphere);
    snt_context_end(context);
}

static void values_become_colors_of_the_map(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_picture_desc desc = snt_quick(30, 30, 3);
    desc.map_low = 10;
    desc.map_high = 20;
    desc.color_map = SN_COLOR_MAP_COOL_WARM;
    sn_mesh *board = snt_board(context, 1, 1, 0);
    float low[4] = {10, 10, 10, 10}, high[4] = {25, 25, 25, 25}, none[4] = {NAN, NAN, NAN, NAN};
    const float *values[3] = {low, high, none};
    sn_image *images[3];
    for (unsigned i = 0; i < 3; ++i) {
        sn_drawable drawable = {.mesh = board, .opacity = 1, .values = values[i]};
        images[i] = snt_draw(context, &desc, &drawable, 1);
    }
    const uint8_t *cold = snt_pixel(images[0], 15, 15), *warm = snt_pixel(images[1], 15, 15);
    const uint8_t *grey = snt_pixel(images[2], 15, 15);
    assert_true(cold[2] > cold[0] + 60 && warm[0] > warm[2] + 60);
    assert_true(abs(grey[0] - grey[2]) < 16 && abs(grey[0] - grey[1]) < 16);
    for (unsigned i = 0; i < 3; ++i) {
        sn_image_destroy(images[i]);
    }
    sn_mesh_destroy(board);
    snt_context_end(context);
}

// Colours of the vertices, blended between them; numbers that no surface reflects are cut.
static void vertices_have_colors(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_picture_desc desc = snt_quick(40, 40, 3);
    sn_mesh *board = snt_board(context, 1, 1, 0);
    sn_attribute *colors;
    snt_ok(sn_mesh_add_attribute(board, "color", 4, 4, false, &colors, error));
    for (uint32_t i = 0; i < 4; ++i) { // red on the left, blue on the right
        bool left = board->positions[3 * i] < 0;
        float value[4] = {left, -1, !left, 0.5f};
        memcpy(colors->values + 4 * i, value, sizeof value);
    }
    sn_drawable drawable = {.mesh = board, .opacity = 1, .colors = colors};
    sn_image *image = snt_draw(context, &desc, &drawable, 1);
    const uint8_t *left = snt_pixel(image, 12, 20), *right = snt_pixel(image, 28, 20);
    assert_true(left[0] > left[2] + 20 && right[2] > right[0] + 20);
    assert_true(left[0] > left[1] + 60 && right[2] > right[1] + 60);
    sn_image_destroy(image);
    sn_mesh_destroy(board);
    snt_context_end(context);
}

static void posed_positions_and_given_triangles_are_used(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_picture_desc desc = snt_quick(50, 50, 3);
    sn_mesh *here = snt_sphere(context, origin, 0.3, 16, 8);
    sn_mesh *there = snt_sphere(context, sn_vec3_make(0.4, 0, 0), 0.3, 16, 8);
    sn_triangles *triangles = NULL;
    snt_ok(sn_triangles_create(there, there->positions, &triangles, error));
    sn_drawable moved = {.mesh = here, .positions = there->positions, .opacity = 1};
    sn_drawable plain = {.mesh = there, .opacity = 1};
    sn_drawable given = {.mesh = there, .triangles = triangles, .opacity = 1};
    sn_image *a = snt_draw(context, &desc, &moved, 1), *b = snt_draw(context, &desc, &plain, 1);
    sn_image *c = snt_draw(context, &desc, &given, 1);
    assert_true(snt_same_pixels(a, b));
    assert_true(snt_same_pixels(b, c));
    sn_image_destroy(a);
    sn_image_destroy(b);
    sn_image_destroy(c);
    sn_triangles_destroy(triangles);
    sn_mesh_destroy(here);
    sn_mesh_destroy(there);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Running

static sn_status draw_scene(sn_context *context, const sn_progress *progress, sn_image **image,
                            sn_error *error) {
    sn_mesh *skin = snt_sphere(context, origin, 0.6, 24, 12);
    sn_mesh *bone = snt_sphere(context, sn_vec3_make(0.1, 0, 0), 0.3, 24, 12);
    float *values = sni_alloc(context, bone->vertex_count, sizeof *values);
    sn_status status = SN_OUT_OF_MEMORY;
    if (values != NULL) {
        for (uint32_t i = 0; i < bone->vertex_count; ++i) {
            values[i] = bone->positions[3 * i + 1];
        }
        sn_picture_desc desc = snt_quick(75, 53, 3);
        desc.samples = 2;
        desc.ground = true;
        desc.ground_height = -0.6;
        desc.label = "frame 1";
        desc.map_title = "height";
        sn_drawable drawables[2] = {
            {.mesh = skin, .opacity = 0.4, .wireframe = true},
            {.mesh = bone, .look = SN_LOOK_BONE, .opacity = 1, .values = values},
        };
        status = sn_picture_draw(context, &desc, drawables, 2, progress, image, error);
    }
    sni_free(context, values);
    sn_mesh_destroy(skin);
    sn_mesh_destroy(bone);
    return status;
}

static void pixels_do_not_depend_on_threads(void **state) {
    (void)state;
    uint32_t counts[] = {1, 2, 3, 8};
    sn_context *contexts[4];
    sn_image *images[4];
    for (unsigned i = 0; i < 4; ++i) {
        contexts[i] = snt_context(counts[i]);
        snt_ok(draw_scene(contexts[i], NULL, &images[i], error));
        assert_true(snt_same_pixels(images[0], images[i]));
    }
    for (unsigned i = 0; i < 4; ++i) {
        sn_image_destroy(images[i]);
        snt_context_end(contexts[i]);
    }
}

static bool stop_after(const char *step, double fraction, void *user) {
    (void)step;
    assert_true(fraction >= 0 && fraction <= 1);
    int *left = user;
    return (*left)-- > 0;
}

static void can_be_cancelled(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    int calls = 0;
    for (int allowed = 0; allowed < 4; ++allowed) {
        int left = allowed;
        sn_progress progress = {.report = stop_after, .user = &left};
        sn_image *image = NULL;
        snt_fails(SN_CANCELLED, "cancelled", draw_scene(context, &progress, &image, error));
        assert_null(image);
        ++calls;
    }
    assert_int_equal(calls, 4);
    snt_context_end(context);
}

static sn_status draw_attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    // Built by hand: the helpers assert that memory suffices.
    sn_mesh *mesh = NULL;
    sn_image *image = NULL;
    sn_status status = sn_mesh_create(context, "board", 4, 1, 4, &mesh, error);
    if (status == SN_OK) {
        const float positions[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
        memcpy(mesh->positions, positions, sizeof positions);
        for (uint32_t i = 0; i < 4; ++i) {
            mesh->corners[i] = i;
        }
        sn_picture_desc desc = snt_quick(12, 12, 3);
        desc.ground = true;
        desc.label = "a";
        desc.map_title = "b";
        sn_drawable drawable = {.mesh = mesh, .opacity = 1};
        status = sn_picture_draw(context, &desc, &drawable, 1, NULL, &image, error);
    }
    sn_image_destroy(image);
    sn_mesh_destroy(mesh);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(draw_attempt, NULL);
}

static void small_pictures_take_long_texts(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (uint32_t size = 1; size < 40; size += 3) {
        sn_picture_desc desc = snt_quick(size, 40 - size, 3);
        desc.label = "a label that is much longer than the picture is wide";
        desc.map_title = "a title that is much longer than the picture is wide";
        desc.map_low = -1e300;
        desc.map_high = 1e-300;
        sn_image_destroy(snt_draw(context, &desc, NULL, 0));
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_wrong_descriptions),
        cmocka_unit_test(refuses_wrong_drawables),
        cmocka_unit_test(silhouette_of_a_sphere_is_a_disc),
        cmocka_unit_test(concave_and_mixed_polygons_cover_their_area),
        cmocka_unit_test(nothing_is_drawn_of_what_has_no_surface),
        cmocka_unit_test(a_camera_inside_sees_the_back_everywhere),
        cmocka_unit_test(flipped_faces_are_bluish),
        cmocka_unit_test(distance_from_the_origin_makes_no_speckles),
        cmocka_unit_test(ground_is_dark_beneath_and_clear_far_away),
        cmocka_unit_test(background_has_its_color_in_the_middle),
        cmocka_unit_test(looks_differ),
        cmocka_unit_test(opacity_zero_is_not_drawn),
        cmocka_unit_test(backs_of_sheets_are_not_tinted),
        cmocka_unit_test(opacity_blends_monotonically),
        cmocka_unit_test(rims_of_see_through_surfaces_are_more_opaque),
        cmocka_unit_test(wireframe_is_drawn_along_polygon_edges_only),
        cmocka_unit_test(wireframe_is_hidden_behind_surfaces),
        cmocka_unit_test(values_become_colors_of_the_map),
        cmocka_unit_test(vertices_have_colors),
        cmocka_unit_test(posed_positions_and_given_triangles_are_used),
        cmocka_unit_test(pixels_do_not_depend_on_threads),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(survives_failing_allocations),
        cmocka_unit_test(small_pictures_take_long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
