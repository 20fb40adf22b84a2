// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "sinew/render.h"

#include <stdlib.h>

typedef struct fixture {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
} fixture;

// A box as skin and a smaller one as bone, both carried by one segment.
static const char document[] =
    "{\"sinew\": 1, \"name\": \"box\", \"skeleton\": {\"root\": {}},"
    "\"meshes\": {\"outer\": {}, \"inner\": {}},"
    "\"bones\": {\"inner\": {\"mesh\": \"inner\", \"segment\": \"root\"}},"
    "\"skins\": {\"outer\": {\"mesh\": \"outer\", \"segment\": \"root\"}}}";

static sn_mesh *make_box(sn_context *context, const char *name, float half) {
    static const uint32_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, name, 8, 6, 24, &mesh, error));
    for (uint32_t v = 0; v < 8; ++v) {
        for (uint32_t axis = 0; axis < 3; ++axis) {
            mesh->positions[3 * v + axis] = (v >> axis & 1) != 0 ? half : -half;
        }
    }
    for (uint32_t f = 0; f <= 6; ++f) {
        mesh->face_offsets[f] = 4 * f;
    }
    memcpy(mesh->corners, faces, sizeof faces);
    return mesh;
}

static void set_up(fixture *f, const char *text) {
    f->context = snt_context(0);
    snt_ok(
        sn_character_parse(f->context, "box.sinew.json", text, strlen(text), &f->character, error));
    snt_ok(sn_character_give_mesh(f->character, "outer", make_box(f->context, "outer", 1), error));
    snt_ok(
        sn_character_give_mesh(f->character, "inner", make_box(f->context, "inner", 0.5f), error));
    snt_ok(sn_model_create(f->character, NULL, &f->model, error));
    snt_ok(sn_frame_create(f->model, &f->frame, error));
}

static void tear_down(fixture *f) {
    sn_frame_destroy(f->frame);
    sn_model_destroy(f->model);
    sn_character_destroy(f->character);
    snt_context_end(f->context);
}

static sn_portrait_desc small_desc(void) {
    sn_portrait_desc desc = sn_portrait_desc_default();
    desc.width = desc.height = 48;
    desc.samples = 1;
    desc.occlusion_rays = 4;
    return desc;
}

static sn_image *draw(fixture *f, const sn_portrait_desc *desc) {
    sn_portrait *portrait = NULL;
    sn_image *image = NULL;
    snt_ok(sn_portrait_create(f->model, desc, &portrait, error));
    snt_ok(sn_frame_evaluate(f->frame, NULL, 0, error));
    snt_ok(sn_portrait_draw(portrait, f->frame, NULL, NULL, &image, error));
    sn_portrait_destroy(portrait);
    return image;
}

// The mean difference of two images' bytes.
static double difference(const sn_image *a, const sn_image *b) {
    double sum = 0;
    size_t count = 3 * (size_t)a->width * a->height;
    for (size_t i = 0; i < count; ++i) {
        sum += abs(a->pixels[i] - b->pixels[i]);
    }
    return sum / (double)count;
}

static void shows_the_layers_that_are_asked_for(void **state) {
    (void)state;
    fixture f;
    set_up(&f, document);
    sn_portrait_desc desc = small_desc();
    sn_image *skin = draw(&f, &desc);
    desc.bones = true;
    sn_image *both = draw(&f, &desc);
    // A bone inside an opaque skin does not show; through a clear skin it does.
    snt_near(difference(skin, both), 0, 0.5);
    desc.skin_opacity = 0.3;
    sn_image *clear = draw(&f, &desc);
    desc.bones = false;
    sn_image *empty = draw(&f, &desc);
    assert_true(difference(clear, empty) > 1);
    sn_image_destroy(skin);
    sn_image_destroy(both);
    sn_image_destroy(clear);
    sn_image_destroy(empty);
    tear_down(&f);
}

// A ball of tissue that stands out of the skin, an eye beside it, and a hole that is no thing.
#define PART(name, x, more)                                                                        \
    "\"" name "\": {\"segment\": \"root\", \"ellipsoid\": {\"center\": [" x ", 1, 1], \"radii\": " \
    "[0.4, 0.4, 0.4]}" more "}"
static const char with_tissues[] =
    "{\"sinew\": 1, \"name\": \"box\", \"skeleton\": {\"root\": {}},"
    "\"meshes\": {\"outer\": {}, \"inner\": {}},"
    "\"tissues\": {" PART("fat", "-1", "") ", " PART("eye", "1", ", \"feature\": true") ", " PART(
        "orbit", "0", ", \"density\": -1") "},"
                                           "\"skins\": {\"outer\": {\"mesh\": \"outer\", "
                                           "\"segment\": \"root\"}}}";

static sn_image *draw_layers(fixture *f, bool skin, bool tissues) {
    sn_portrait_desc desc = small_desc();
    desc.skin = skin;
    desc.tissues = tissues;
    return draw(f, &desc);
}

// How much a picture changes when a surface is hidden.
static double weight_of(fixture *f, uint32_t surface, bool skin, bool tissues) {
    sn_image *with = draw_layers(f, skin, tissues);
    sn_surface *hidden = (sn_surface *)sn_model_surface(f->model, surface);
    bool shown = hidden->shown;
    hidden->shown = false;
    sn_image *without = draw_layers(f, skin, tissues);
    hidden->shown = shown;
    double weight = difference(with, without);
    sn_image_destroy(with);
    sn_image_destroy(without);
    return weight;
}

static void shows_features_with_the_skin(void **state) {
    (void)state;
    fixture f;
    set_up(&f, with_tissues);
    enum { FAT, EYE, ORBIT };
    assert_true(weight_of(&f, FAT, true, false) == 0);
    assert_true(weight_of(&f, FAT, true, true) > 1);
    assert_true(weight_of(&f, FAT, false, true) > 1);
    assert_true(weight_of(&f, EYE, true, false) > 1);
    assert_true(weight_of(&f, EYE, false, true) > 1);
    assert_true(weight_of(&f, ORBIT, true, true) == 0);
    tear_down(&f);
}

static void follows_a_character_that_travels(void **state) {
    (void)state;
    fixture f;
    set_up(&f, document);
    sn_portrait_desc desc = small_desc();
    sn_portrait *portrait = NULL;
    sn_image *here = NULL, *there = NULL;
    snt_ok(sn_portrait_create(f.model, &desc, &portrait, error));
    sn_portrait_include(portrait, f.frame);
    snt_ok(sn_portrait_draw(portrait, f.frame, NULL, NULL, &here, error));
    snt_ok(sn_frame_set(f.frame, "root.tx", 64, error));
    snt_ok(sn_frame_evaluate(f.frame, NULL, 0, error));
    sn_portrait_include(portrait, f.frame);
    snt_ok(sn_portrait_draw(portrait, f.frame, NULL, NULL, &there, error));
    assert_true(difference(here, there) < 1);
    sn_image_destroy(here);
    sn_image_destroy(there);
    sn_portrait_destroy(portrait);
    tear_down(&f);
}

static uint32_t find_skin(const fixture *f) {
    uint32_t i = 0;
    while (sn_model_surface(f->model, i)->layer != SN_LAYER_SKIN) {
        ++i;
    }
    return i;
}

// A box seen straight from the front: where the camera stands that frames it by itself.
static sn_portrait_desc aimed_desc(fixture *f) {
    sn_portrait_desc desc = small_desc();
    sn_vec3 low = {0}, high = {0};
    snt_ok(sn_frame_evaluate(f->frame, NULL, 0, error));
    const float *points = sn_frame_points(f->frame, find_skin(f));
    for (uint32_t v = 0; v < 8; ++v) {
        sn_vec3 p = sn_vec3_load(points + 3 * v);
        low = v == 0 ? p : sn_vec3_min(low, p);
        high = v == 0 ? p : sn_vec3_max(high, p);
    }
    desc.azimuth = desc.elevation = 0;
    desc.aimed = true;
    desc.target = sn_vec3_lerp(low, high, 0.5);
    desc.distance = (high.z - low.z) / 2 + 1.12 * (high.y - low.y) / 2 / tan(12 * SN_PI / 180);
    return desc;
}

static void looks_where_it_is_told(void **state) {
    (void)state;
    fixture f;
    set_up(&f, document);
    sn_portrait_desc desc = aimed_desc(&f);
    sn_image *aimed = draw(&f, &desc);
    desc.aimed = false;
    sn_image *framed = draw(&f, &desc);
    assert_true(difference(aimed, framed) < 0.01);
    desc.aimed = true;
    desc.target.x += 1;
    sn_image *beside = draw(&f, &desc);
    assert_true(difference(aimed, beside) > 5);
    desc.target.x -= 1;
    desc.grounded = true;
    desc.ground = -100;
    sn_image *high = draw(&f, &desc);
    assert_true(difference(aimed, high) > 1);
    desc.distance = 0;
    sn_portrait *portrait = NULL;
    snt_fails(SN_INVALID, "from its target", sn_portrait_create(f.model, &desc, &portrait, error));
    sn_image_destroy(aimed);
    sn_image_destroy(framed);
    sn_image_destroy(beside);
    sn_image_destroy(high);
    tear_down(&f);
}

// How many pixels of the middle row are not those of an empty picture.
static uint32_t width_of(const sn_image *image, const sn_image *empty) {
    uint32_t left = image->width, right = 0;
    size_t row = (size_t)image->height / 2 * image->width;
    for (uint32_t x = 0; x < image->width; ++x) {
        if (abs(image->pixels[3 * (row + x) + 2] - empty->pixels[3 * (row + x) + 2]) > 12) {
            left = x < left ? x : left;
            right = x > right ? x : right;
        }
    }
    return right - left + 1;
}

// The front of a box is nearer than its middle: larger by perspective, and not without it, wherever
// the eye would stand.
static void draws_without_perspective(void **state) {
    (void)state;
    fixture f;
    set_up(&f, document);
    sn_portrait_desc desc = aimed_desc(&f);
    desc.grounded = true;
    desc.ground = -1000;
    desc.width = desc.height = 200;
    desc.target.x += 1000;
    sn_image *empty = draw(&f, &desc);
    desc.target.x -= 1000;
    sn_image *deep = draw(&f, &desc);
    desc.orthographic = true;
    sn_image *flat = draw(&f, &desc);
    double scale = 200 / (2 * desc.distance * tan(12 * SN_PI / 180)); // pixels per metre
    snt_near(width_of(flat, empty), 2 * scale, 2);
    snt_near(width_of(deep, empty), 2 * scale * desc.distance / (desc.distance - 1), 2);
    // From within the box its front is still seen.
    desc.distance = 0.5;
    sn_image *middle = draw(&f, &desc);
    desc.target.z -= 0.9;
    sn_image *inside = draw(&f, &desc);
    assert_true(difference(inside, middle) < 1);
    assert_true(difference(inside, empty) > 20);
    sn_image_destroy(empty);
    sn_image_destroy(deep);
    sn_image_destroy(flat);
    sn_image_destroy(inside);
    sn_image_destroy(middle);
    tear_down(&f);
}

static void drivers_and_clear_bones_are_shown(void **state) {
    (void)state;
    fixture f;
    set_up(&f, document);
    sn_surface *skin = (sn_surface *)sn_model_surface(f.model, find_skin(&f));
    sn_portrait_desc desc = small_desc();
    desc.bones = true;
    sn_image *whole = draw(&f, &desc);
    skin->shown = false;
    sn_image *bones = draw(&f, &desc);
    desc.bone_opacity = 0.2;
    sn_image *clear = draw(&f, &desc);
    desc.bone_opacity = 1;
    desc.drivers = true;
    sn_image *drivers = draw(&f, &desc);
    assert_true(difference(whole, bones) > 1);
    assert_true(difference(bones, clear) > 0.5);
    assert_true(difference(whole, drivers) < 0.01);
    skin->shown = true;
    sn_image_destroy(whole);
    sn_image_destroy(bones);
    sn_image_destroy(clear);
    sn_image_destroy(drivers);
    tear_down(&f);
}

static void colours_by_stretch(void **state) {
    (void)state;
    fixture f;
    set_up(&f, document);
    sn_portrait_desc desc = small_desc();
    desc.quantity = SN_QUANTITY_STRETCH;
    sn_image *rest = draw(&f, &desc);
    snt_ok(sn_frame_set(f.frame, "root.sx", 1.3, error));
    snt_ok(sn_frame_set(f.frame, "root.sy", 1.3, error));
    snt_ok(sn_frame_set(f.frame, "root.sz", 1.3, error));
    sn_image *stretched = draw(&f, &desc);
    // The camera frames both alike, so that the colour alone differs.
    assert_true(difference(rest, stretched) > 5);
    sn_image_destroy(rest);
    sn_image_destroy(stretched);
    tear_down(&f);
}

static void load(fixture *f, const char *path) {
    f->context = snt_context(0);
    snt_ok(sn_character_load(f->context, snt_source(path), &f->character, error));
    snt_ok(sn_model_create(f->character, NULL, &f->model, error));
    snt_ok(sn_frame_create(f->model, &f->frame, error));
}

// The arm with fibre muscles, seen from the front without perspective, cut open along its own
// middle: red within the skin, blue around it, dark on the line of the surface. Behind everything
// there is nothing to be seen of the cut.
static void cuts_open_where_the_field_is_seen(void **state) {
    (void)state;
    fixture f;
    load(&f, "docs/implicit-muscles.sinew.json");
    sn_portrait_desc desc = small_desc();
    desc.width = desc.height = 128;
    desc.azimuth = desc.elevation = 0;
    desc.orthographic = true;
    sn_image *whole = draw(&f, &desc);
    uint32_t upper = sn_model_find_segment(f.model, "upper_arm");
    desc.sliced = true;
    desc.slice = (sn_field_slice){.segment = SN_NONE, .normal = {0, 0, -2}};
    desc.slice.point.z = sn_mat4_point(&sn_frame_worlds(f.frame)[upper], (sn_vec3){0, 0.1, 0}).z;
    sn_image *cut = draw(&f, &desc);
    uint32_t red = 0, blue = 0, dark = 0, count = 128 * 128;
    for (uint32_t i = 0; i < count; ++i) {
        const uint8_t *p = cut->pixels + 3 * (size_t)i;
        red += p[0] > p[2] + 60;
        blue += p[2] > p[0] + 40;
        dark += p[0] + p[1] + p[2] < 120;
    }
    assert_true(red > 200 && blue > 200 && dark > 100);
    sn_image_destroy(cut);
    // The same plane, carried by a segment.
    sn_mat4 back;
    assert_true(sn_mat4_invert(&sn_frame_worlds(f.frame)[upper], &back));
    desc.slice.point = sn_mat4_point(&back, desc.slice.point);
    desc.slice.normal = sn_mat4_direction(&back, (sn_vec3){0, 0, 1});
    desc.slice.segment = upper;
    sn_image *carried = draw(&f, &desc);
    desc.slice = (sn_field_slice){.segment = SN_NONE, .point = {0, 0, 3}, .normal = {0, 0, 1}};
    sn_image *before = draw(&f, &desc);
    desc.slice.point.z = -3;
    sn_image *behind = draw(&f, &desc);
    uint32_t field = 0, skin = 0;
    for (uint32_t i = 0; i < count; ++i) {
        field += carried->pixels[3 * i] > carried->pixels[3 * i + 2] + 60;
        if (i % 128 < 64 && i / 128 > 24) { // beside the legend
            skin += behind->pixels[3 * i] > behind->pixels[3 * i + 2] + 60;
            assert_memory_equal(whole->pixels + 3 * i, before->pixels + 3 * i, 3);
        }
    }
    assert_true(field + 20 > red && field < red + 20);
    assert_int_equal(skin, 0);
    sn_image_destroy(carried);
    sn_image_destroy(before);
    sn_image_destroy(behind);
    sn_image_destroy(whole);
    tear_down(&f);
}

static void refuses_slices_that_show_nothing(void **state) {
    (void)state;
    fixture f;
    sn_portrait *portrait = NULL;
    set_up(&f, document);
    sn_portrait_desc desc = small_desc();
    desc.sliced = true;
    snt_fails(SN_INVALID, "no shown skin has a field to slice: none has an `implicit`",
              sn_portrait_create(f.model, &desc, &portrait, error));
    tear_down(&f);
    load(&f, "docs/implicit-muscles.sinew.json");
    desc.slice.segment = 1000;
    snt_fails(SN_INVALID, "the slice goes with segment 1000 of",
              sn_portrait_create(f.model, &desc, &portrait, error));
    desc.slice = (sn_field_slice){.segment = SN_NONE};
    snt_fails(SN_INVALID, "the slice has no direction",
              sn_portrait_create(f.model, &desc, &portrait, error));
    tear_down(&f);
}

static void refuses_what_cannot_be_drawn(void **state) {
    (void)state;
    fixture f;
    set_up(&f, document);
    sn_portrait *portrait = NULL;
    sn_image *image = NULL;
    sn_portrait_desc zero = {0};
    snt_fails(SN_INVALID, "sn_portrait_desc_default",
              sn_portrait_create(f.model, &zero, &portrait, error));
    sn_portrait_desc desc = small_desc();
    desc.skin = false;
    snt_ok(sn_portrait_create(f.model, &desc, &portrait, error));
    snt_fails(SN_INVALID, "there is nothing to show",
              sn_portrait_draw(portrait, f.frame, NULL, NULL, &image, error));
    sn_portrait_destroy(portrait);
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_the_layers_that_are_asked_for),
        cmocka_unit_test(shows_features_with_the_skin),
        cmocka_unit_test(follows_a_character_that_travels),
        cmocka_unit_test(looks_where_it_is_told),
        cmocka_unit_test(draws_without_perspective),
        cmocka_unit_test(drivers_and_clear_bones_are_shown),
        cmocka_unit_test(colours_by_stretch),
        cmocka_unit_test(cuts_open_where_the_field_is_seen),
        cmocka_unit_test(refuses_slices_that_show_nothing),
        cmocka_unit_test(refuses_what_cannot_be_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
