// SPDX-License-Identifier: Apache-2.0
//
// Materials as pages get them: triangles by material, copies of vertices at seams, images once each
// and not beyond a size.
#include "test.h"

#include "stage/coat.h"

#include "sinew/mesh.h"

#include <stdlib.h>

typedef struct cloth {
    sn_context *context;
    sn_mesh *mesh;
    sn_surface surface;
    sn_triangles *triangles;
    stage_coat *coat;
} cloth;

// Two squares with an edge in common: vertices 1 and 2. The first has the first material, the
// second none yet.
static cloth make_cloth(void) {
    static const float points[] = {-1, 0, 0, 0, 0, 0, 0, 1, 0, -1, 1, 0, 1, 0, 0, 1, 1, 0};
    static const uint32_t corners[] = {0, 1, 2, 3, 1, 4, 5, 2};
    cloth c = {.context = snt_context(1)};
    snt_ok(sn_mesh_create(c.context, "cloth", 6, 2, 8, &c.mesh, error));
    memcpy(c.mesh->positions, points, sizeof points);
    memcpy(c.mesh->corners, corners, sizeof corners);
    c.mesh->face_offsets[1] = 4;
    c.mesh->face_offsets[2] = 8;
    c.surface = (sn_surface){.mesh = c.mesh, .layer = SN_LAYER_SKIN, .shown = true};
    snt_ok(sn_triangles_create(c.mesh, c.mesh->positions, &c.triangles, error));
    return c;
}

static void end_cloth(cloth *c) {
    stage_coat_destroy(c->coat);
    sn_triangles_destroy(c->triangles);
    sn_mesh_destroy(c->mesh);
    snt_context_end(c->context);
}

static sn_material *add_material(cloth *c, const char *name, uint32_t first_face) {
    sn_material *material = NULL;
    snt_ok(sn_mesh_add_material(c->mesh, name, &material, error));
    material->has_color = true;
    snt_ok(sn_mesh_add_run(c->mesh, SN_RUN_MATERIAL, first_face, name, error));
    return material;
}

// The mesh frees what it holds with its context's allocator, so the test takes its image back.
static void lend_image(sn_material *material, uint8_t *bytes, size_t size) {
    static char type[] = "image/png";
    material->image_type = size > 0 ? type : NULL;
    material->image_bytes = size > 0 ? bytes : NULL;
    material->image_size = size;
}

static void make(cloth *c) {
    snt_ok(stage_coat_create(&c->surface, c->triangles, &c->coat, error));
}

static uint64_t add_to_hash(uint64_t hash, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static void surfaces_without_colours_have_no_coat(void **state) {
    (void)state;
    cloth c = make_cloth();
    make(&c);
    assert_null(c.coat);
    sn_material *material = add_material(&c, "grey", 0);
    material->has_color = false;
    make(&c);
    assert_null(c.coat);
    // Muscles show what they are, whatever their file says.
    material->has_color = true;
    c.surface.layer = SN_LAYER_MUSCLE;
    make(&c);
    assert_null(c.coat);
    c.surface.layer = SN_LAYER_SKIN;
    c.surface.shown = false;
    make(&c);
    assert_null(c.coat);
    end_cloth(&c);
}

// The second square is the first material's, the first one has none that has a colour.
static void triangles_stand_by_material(void **state) {
    (void)state;
    cloth c = make_cloth();
    add_material(&c, "plain", 0)->has_color = false;
    add_material(&c, "red", 1);
    make(&c);
    assert_non_null(c.coat);
    assert_null(c.coat->uvs);
    assert_int_equal(c.coat->copy_count, 0);
    // Of the coloured square first.
    for (int i = 0; i < 6; ++i) {
        uint32_t vertex = c.coat->triangles[i];
        assert_true(vertex == 1 || vertex == 2 || vertex == 4 || vertex == 5);
    }
    c.coat->text[c.coat->text_size - 1] = 0;
    const char *red = strstr(c.coat->text, "\"red\"");
    assert_non_null(red);
    assert_null(strstr(c.coat->text, "\"plain\""));
    end_cloth(&c);
}

static void vertices_at_seams_are_drawn_twice_and_images_sent_once(void **state) {
    (void)state;
    cloth c = make_cloth();
    uint8_t bytes[] = {1, 2, 3}, same[] = {1, 2, 3};
    sn_attribute *uv = NULL;
    snt_ok(sn_mesh_add_attribute(c.mesh, "uv", 2, 6, false, &uv, error));
    for (int i = 0; i < 12; ++i) {
        uv->values[i] = 0.25F;
    }
    add_material(&c, "left", 0);
    add_material(&c, "right", 1);
    lend_image(&c.mesh->materials[0], bytes, sizeof bytes);
    lend_image(&c.mesh->materials[1], same, sizeof same);
    c.mesh->materials[1].image_placement.offset[0] = 0.5F;
    make(&c);
    assert_int_equal(c.coat->image_count, 1);
    assert_memory_equal(c.coat->images[0].bytes, bytes, sizeof bytes);
    assert_int_equal(c.coat->copy_count, 2);
    for (uint32_t i = 0; i < 2; ++i) {
        uint32_t vertex = c.coat->copies[i];
        assert_true(vertex == 1 || vertex == 2);
        snt_near(c.coat->uvs[2 * (size_t)vertex], 0.25, 0);
        snt_near(c.coat->uvs[2 * (size_t)(6 + i)], 0.75, 0);
    }
    for (int i = 0; i < 12; ++i) {
        uint32_t vertex = c.coat->triangles[i];
        snt_near(c.coat->uvs[2 * (size_t)vertex], i < 6 ? 0.25 : 0.75, 0);
    }
    // What is drawn depends on all of this.
    uint64_t before = stage_coat_hash(&c.surface, 1, add_to_hash);
    c.mesh->materials[1].image_placement.offset[0] = 0.25F;
    assert_true(stage_coat_hash(&c.surface, 1, add_to_hash) != before);
    c.mesh->materials[1].image_placement.offset[0] = 0.5F;
    same[2] = 4;
    assert_true(stage_coat_hash(&c.surface, 1, add_to_hash) != before);
    lend_image(&c.mesh->materials[0], NULL, 0);
    lend_image(&c.mesh->materials[1], NULL, 0);
    end_cloth(&c);
}

static void images_that_are_too_large_are_left_out_and_named(void **state) {
    (void)state;
    cloth c = make_cloth();
    sn_attribute *uv = NULL;
    snt_ok(sn_mesh_add_attribute(c.mesh, "uv", 2, 6, false, &uv, error));
    memset(uv->values, 0, 12 * sizeof(float));
    uint8_t *large = calloc(1, COAT_IMAGE_BYTES + 1);
    assert_non_null(large);
    lend_image(add_material(&c, "large", 0), large, COAT_IMAGE_BYTES + 1);
    make(&c);
    assert_int_equal(c.coat->image_count, 0);
    c.coat->text[c.coat->text_size - 1] = 0;
    assert_non_null(strstr(c.coat->text, "left_out"));
    lend_image(&c.mesh->materials[0], NULL, 0);
    free(large);
    end_cloth(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_without_colours_have_no_coat),
        cmocka_unit_test(triangles_stand_by_material),
        cmocka_unit_test(vertices_at_seams_are_drawn_twice_and_images_sent_once),
        cmocka_unit_test(images_that_are_too_large_are_left_out_and_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
