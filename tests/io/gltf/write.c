// SPDX-License-Identifier: Apache-2.0
//
// What is written is read back; with SNT_GLTF_OUT the files stay there, for the validator.
#include "test.h"

#include "base/file.h"
#include "motion/skeleton.h"
#include "sinew/io.h"
#include "sinew/json.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static sn_import *read_back(sn_context *context, const char *path) {
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, path, &import, error));
    return import;
}

static void assert_positions(const sn_mesh *a, const sn_mesh *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_memory_equal(a->positions, b->positions, 12 * (size_t)a->vertex_count);
}

// A square, a concave pentagon, a line and a point; vertex 9 belongs to none.
static sn_mesh *make_mixed(sn_context *context) {
    static const float positions[] = {0, 0,    0, 1, 0, 0, 1, 1, 0, 0,    1,    0.5f, 2, 0, 0,
                                      4, 0.1f, 0, 4, 2, 0, 3, 1, 0, 2.1f, 2.2f, 0,    9, 9, 9};
    static const uint32_t offsets[] = {0, 4, 6, 11, 12};
    static const uint32_t corners[] = {0, 1, 2, 3, 0, 4, 4, 5, 6, 7, 8, 3};
    sn_mesh *mesh;
    snt_ok(sn_mesh_create(context, "mixed", 10, 4, 12, &mesh, error));
    memcpy(mesh->positions, positions, sizeof positions);
    memcpy(mesh->face_offsets, offsets, sizeof offsets);
    memcpy(mesh->corners, corners, sizeof corners);
    return mesh;
}

static double area_of(const sn_mesh *mesh) {
    double area = 0;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        const uint32_t *c = mesh->corners + mesh->face_offsets[f];
        if (mesh->face_offsets[f + 1] - mesh->face_offsets[f] == 3) {
            sn_vec3 a = sn_vec3_load(mesh->positions + 3 * c[0]);
            sn_vec3 b = sn_vec3_load(mesh->positions + 3 * c[1]);
            sn_vec3 d = sn_vec3_load(mesh->positions + 3 * c[2]);
            area += sn_vec3_cross(sn_vec3_sub(b, a), sn_vec3_sub(d, a)).z / 2; // signed
        }
    }
    return area;
}

static void writes_polygons_lines_and_points(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = make_mixed(context);
    snt_ok(sn_export_mesh(mesh, snt_gltf_output("mixed.glb"), error));
    sn_import *import = read_back(context, snt_gltf_output("mixed.glb"));
    const sn_mesh *back = import->meshes[0];
    assert_string_equal(back->name, "mixed");
    assert_positions(mesh, back);
    uint32_t widths[4] = {0};
    for (uint32_t f = 0; f < back->face_count; ++f) {
        widths[back->face_offsets[f + 1] - back->face_offsets[f]]++;
    }
    assert_int_equal(widths[1], 1);
    assert_int_equal(widths[2], 1);
    assert_int_equal(widths[3], 2 + 3);
    // 1 for the square, 2.95 for the pentagon by the shoelace formula.
    snt_near(area_of(back), 1 + 2.95, 1e-6);
    sn_import_destroy(import);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// The smallest PNG: one grey pixel.
static const uint8_t png[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00,
    0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00, 0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78,
    0xda, 0x63, 0x68, 0x00, 0x00, 0x00, 0x82, 0x00, 0x81, 0xda, 0x45, 0x08, 0x3b, 0x00,
    0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

static void add_image(sn_context *context, sn_material *material) {
    material->image_bytes = sni_copy(context, png, sizeof png, 1);
    material->image_size = sizeof png;
    material->image_type = sni_string_copy(context, "image/png");
}

// Two triangles of a square, each with its own material.
static sn_mesh *make_textured(sn_context *context) {
    static const float positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    static const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0.6f, 0.8f, 0, 0, 2};
    static const float uvs[] = {0, 0, 1, 0, 1, 1, 0, 1};
    static const uint32_t corners[] = {0, 1, 2, 0, 2, 3};
    sn_mesh *mesh;
    sn_attribute *attribute;
    sn_material *material;
    snt_ok(sn_mesh_create(context, "card", 4, 2, 6, &mesh, error));
    memcpy(mesh->positions, positions, sizeof positions);
    memcpy(mesh->corners, corners, sizeof corners);
    mesh->face_offsets[1] = 3;
    snt_ok(sn_mesh_add_attribute(mesh, "normal", 3, 4, false, &attribute, error));
    memcpy(attribute->values, normals, sizeof normals);
    snt_ok(sn_mesh_add_attribute(mesh, "uv", 2, 4, true, &attribute, error));
    memcpy(attribute->values, uvs, sizeof uvs);
    memcpy(attribute->corner, corners, sizeof corners);
    snt_ok(sn_mesh_add_material(mesh, "paper", &material, error));
    material->base_color[0] = 0.25f;
    material->double_sided = true;
    add_image(context, material);
    snt_ok(sn_mesh_add_run(mesh, SN_RUN_MATERIAL, 0, "default", error));
    snt_ok(sn_mesh_add_run(mesh, SN_RUN_GROUP, 0, "all", error));
    snt_ok(sn_mesh_add_run(mesh, SN_RUN_MATERIAL, 1, "paper", error));
    return mesh;
}

static void writes_attributes_and_materials(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = make_textured(context);
    snt_ok(sn_export_mesh(mesh, snt_gltf_output("card.glb"), error));
    sn_import *import = read_back(context, snt_gltf_output("card.glb"));
    const sn_mesh *back = import->meshes[0];
    assert_positions(mesh, back);
    const sn_attribute *normal = sn_mesh_find_attribute(back, "normal");
    assert_memory_equal(normal->values, mesh->attributes[0].values, 9 * sizeof(float));
    assert_true(normal->values[11] == 1); // was 2 long
    const sn_attribute *uv = sn_mesh_find_attribute(back, "uv");
    assert_null(uv->corner);
    assert_memory_equal(uv->values, mesh->attributes[1].values, 8 * sizeof(float));
    assert_int_equal(back->material_count, 1);
    const sn_material *paper = &back->materials[0];
    assert_string_equal(paper->name, "paper");
    assert_true(paper->double_sided && paper->base_color[0] == 0.25f);
    assert_true(paper->metallic == 0 && paper->roughness == 0.8f);
    assert_int_equal(paper->image_size, sizeof png);
    assert_memory_equal(paper->image_bytes, png, sizeof png);
    assert_int_equal(back->run_count, 2);
    // One primitive per material: those with one first.
    assert_string_equal(back->runs[0].name, "paper");
    assert_string_equal(back->runs[1].name, "default");
    assert_int_equal(back->corners[1], 2);
    sn_import_destroy(import);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static uint32_t count_items(const char *path, const char *word) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char text[16384];
    size_t size = fread(text, 1, sizeof text, file);
    uint32_t count = 0;
    fclose(file);
    for (size_t i = 0; i + strlen(word) <= size; ++i) {
        count += memcmp(text + i, word, strlen(word)) == 0;
    }
    return count;
}

// Materials of other colours that share an image share it in the file too, and the texture unless
// the image is continued differently.
static void shares_images(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char *path = snt_gltf_output("shared.glb");
    for (int wraps = 0; wraps < 2; ++wraps) {
        sn_mesh *mesh = make_textured(context);
        sn_material *material;
        snt_ok(sn_mesh_add_material(mesh, wraps ? "tiles" : "card", &material, error));
        add_image(context, material);
        material->image_placement.wrap[0] = wraps ? SN_IMAGE_MIRROR : SN_IMAGE_REPEAT;
        sni_free(context, mesh->runs[0].name); // "default"
        mesh->runs[0].name = sni_string_copy(context, material->name);
        snt_ok(sn_export_mesh(mesh, path, error));
        assert_int_equal(count_items(path, "\"mimeType\""), 1);
        assert_int_equal(count_items(path, "\"source\""), wraps ? 2 : 1);
        assert_int_equal(count_items(path, "\"baseColorTexture\""), 2);
        sn_import *import = read_back(context, path);
        assert_int_equal(import->meshes[0]->material_count, 2);
        for (uint32_t i = 0; i < 2; ++i) {
            assert_int_equal(import->meshes[0]->materials[i].image_size, sizeof png);
        }
        assert_int_equal(import->meshes[0]->materials[1].image_placement.wrap[0],
                         wraps ? SN_IMAGE_MIRROR : SN_IMAGE_REPEAT);
        sn_import_destroy(import);
        sn_mesh_destroy(mesh);
    }
    snt_context_end(context);
}

static void count_warnings(sn_log_level level, const char *topic, const char *message, void *user) {
    (void)topic;
    if (level == SN_LOG_WARNING && strstr(message, "differs between the corners") != NULL) {
        ++*(int *)user;
    }
}

static void leaves_out_what_differs_by_corner(void **state) {
    (void)state;
    int warnings = 0;
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = 1;
    desc.log = count_warnings;
    desc.log_user = &warnings;
    sn_context *context;
    snt_ok(sn_context_create(&desc, &context, error));
    sn_mesh *mesh = make_textured(context);
    mesh->attributes[1].corner[3] = 1; // vertex 0 has two texture coordinates now
    snt_ok(sn_export_mesh(mesh, snt_gltf_output("seam.glb"), error));
    assert_int_equal(warnings, 1);
    sn_import *import = read_back(context, snt_gltf_output("seam.glb"));
    const sn_mesh *back = import->meshes[0];
    assert_positions(mesh, back);
    assert_null(sn_mesh_find_attribute(back, "uv"));
    assert_null(back->materials[0].image_bytes); // a texture needs coordinates
    sn_import_destroy(import);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Moving points

enum { FRAMES = 5 };

// Frame f moves all vertices, but frame 2 only vertex 1 and frame 4 none.
static void fill_frame(const sn_mesh *mesh, uint32_t f, float *positions) {
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        for (uint32_t k = 0; k < 3; ++k) {
            bool moves = f == 2 ? v == 1 : f != 4;
            float shift = moves ? 0.25f * (float)(f + 1) * (float)(k + v + 1) : 0;
            positions[3 * v + k] = mesh->positions[3 * v + k] + shift;
        }
    }
}

static sn_status write_points(sn_context *context, const char *path, const sn_mesh *const *meshes,
                              uint32_t mesh_count, uint32_t frame_count, sn_error *error) {
    sn_status status = SN_OK;
    sn_exporter *exporter = NULL;
    float *buffers[2] = {NULL, NULL};
    sn_export_desc desc = sn_export_desc_default();
    desc.mesh_count = mesh_count;
    desc.meshes = meshes;
    desc.rate = 25;
    desc.first_frame = 10;
    desc.frame_count = frame_count;
    for (uint32_t m = 0; m < mesh_count; ++m) {
        buffers[m] = malloc(12 * (size_t)meshes[m]->vertex_count);
    }
    SN_TRY(sn_exporter_begin(context, path, &desc, &exporter, error));
    for (uint32_t f = 0; f < frame_count; ++f) {
        for (uint32_t m = 0; m < mesh_count; ++m) {
            fill_frame(meshes[m], f, buffers[m]);
        }
        SN_TRY(sn_exporter_add(exporter, (const float *const *)buffers, error));
    }
    status = sn_exporter_end(exporter, error);
    exporter = NULL;
cleanup:
    sn_exporter_cancel(exporter);
    free(buffers[0]);
    free(buffers[1]);
    return status;
}

// Positions at a time: rest plus targets by the weights that the tracks give.
static void play(const sn_import *import, const sn_mesh *mesh, double time, double *positions) {
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i) {
        positions[i] = mesh->positions[i];
    }
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        const sn_target *target = &mesh->targets[t];
        const sn_clip *clip = import->clips[0];
        double weight = NAN;
        for (uint32_t k = 0; k < clip->track_count; ++k) {
            if (strcmp(clip->tracks[k].target, target->name) == 0) {
                sn_track_sample(&clip->tracks[k], time, &weight);
            }
        }
        for (uint32_t i = 0; i < target->count; ++i) {
            uint32_t v = target->vertices != NULL ? target->vertices[i] : i;
            for (uint32_t k = 0; k < 3; ++k) {
                positions[3 * v + k] += weight * target->offsets[3 * i + k];
            }
        }
    }
}

static void writes_moving_points(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *meshes[2] = {make_mixed(context), make_textured(context)};
    const char *path = snt_gltf_output("points.glb");
    snt_ok(write_points(context, path, (const sn_mesh *const *)meshes, 2, FRAMES, error));
    sn_import *import = read_back(context, path);
    assert_int_equal(import->mesh_count, 2);
    assert_int_equal(import->clip_count, 1);
    assert_int_equal(import->clips[0]->frame_count, 5); // 0.16 s at 30 per second
    for (int m = 0; m < 2; ++m) {
        const sn_mesh *back = import->meshes[m];
        assert_positions(meshes[m], back);
        assert_int_equal(back->target_count, FRAMES);
        assert_string_equal(back->targets[0].name, "frame_0010");
        assert_string_equal(back->targets[4].name, "frame_0014");
        assert_null(back->targets[0].vertices);
        assert_int_equal(back->targets[2].count, 1);
        assert_int_equal(back->targets[2].vertices[0], 1);
        assert_int_equal(back->targets[4].count, 0);
        float frame[2][64];
        double played[64];
        for (uint32_t f = 0; f < FRAMES; ++f) {
            fill_frame(meshes[m], f, frame[0]);
            play(import, back, (float)(f / 25.0), played);
            for (size_t i = 0; i < 3 * (size_t)back->vertex_count; ++i) {
                snt_near(played[i], frame[0][i], 1e-6);
            }
        }
        fill_frame(meshes[m], 0, frame[0]);
        fill_frame(meshes[m], 1, frame[1]);
        play(import, back, 0.02, played); // half way
        for (size_t i = 0; i < 3 * (size_t)back->vertex_count; ++i) {
            snt_near(played[i], 0.5 * frame[0][i] + 0.5 * frame[1][i], 1e-5);
        }
    }
    sn_import_destroy(import);
    sn_mesh_destroy(meshes[0]);
    sn_mesh_destroy(meshes[1]);
    snt_context_end(context);
}

// The JSON chunk of a .glb.
static sn_json *read_chunk(sn_context *context, const char *path) {
    char *bytes;
    size_t size;
    uint32_t length;
    sn_json *json = NULL;
    snt_ok(sni_file_read(context, path, &bytes, &size, error));
    memcpy(&length, bytes + 12, sizeof length);
    snt_ok(sn_json_parse(context, bytes + 20, length, &json, error));
    sni_free(context, bytes);
    return json;
}

static void expect_turned_normals(sn_context *context, const char *path) {
    sn_json *json = read_chunk(context, path);
    const sn_value *target = sn_json_find(json, "/meshes/0/primitives/0/targets/0/NORMAL");
    assert_non_null(target);
    const sn_value *accessor = sn_value_at(sn_value_get(sn_json_root(json), "accessors"),
                                           (uint32_t)sn_value_number(target, -1));
    static const double expected[] = {1, 0, -1};
    for (uint32_t i = 0; i < 3; ++i) {
        snt_near(sn_value_number(sn_value_at(sn_value_get(accessor, "min"), i), 9), expected[i],
                 1e-6);
        snt_near(sn_value_number(sn_value_at(sn_value_get(accessor, "max"), i), 9), expected[i],
                 1e-6);
    }
    sn_json_destroy(json);
}

// A square that faces +z turns to face +x: its normals turn by (1, 0, -1).
static void turns_normals_with_the_points(void **state) {
    (void)state;
    static const float rest[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    static const float turned[] = {0, 0, 0, 0, 0, -1, 0, 1, -1, 0, 1, 0};
    sn_context *context = snt_context(1);
    sn_mesh *mesh = NULL;
    sn_attribute *normals;
    snt_ok(sn_mesh_create(context, "square", 4, 1, 4, &mesh, error));
    memcpy(mesh->positions, rest, sizeof rest);
    snt_ok(sn_mesh_add_attribute(mesh, "normal", 3, 4, false, &normals, error));
    for (uint32_t i = 0; i < 4; ++i) {
        mesh->corners[i] = i;
        memcpy(normals->values + 3 * (size_t)i, (float[]){0, 0, 1}, 3 * sizeof(float));
    }
    sn_export_desc desc = sn_export_desc_default();
    const sn_mesh *meshes[] = {mesh};
    const float *points[] = {turned};
    desc.mesh_count = 1;
    desc.meshes = meshes;
    desc.frame_count = 1;
    sn_exporter *exporter = NULL;
    const char *path = snt_scratch("turned.glb");
    snt_ok(sn_exporter_begin(context, path, &desc, &exporter, error));
    snt_ok(sn_exporter_add(exporter, points, error));
    snt_ok(sn_exporter_end(exporter, error));
    expect_turned_normals(context, path);
    // The same as a target of the mesh's own.
    sn_target *target = NULL;
    snt_ok(sn_mesh_add_target(mesh, "turn", 4, false, &target, error));
    target->weight = 0;
    for (uint32_t i = 0; i < 12; ++i) {
        target->offsets[i] = turned[i] - rest[i];
    }
    path = snt_gltf_output("turned_target.glb");
    snt_ok(sn_export_mesh(mesh, path, error));
    expect_turned_normals(context, path);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// Enough frames that the weights are written sparse.
static void writes_many_frames(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = make_textured(context);
    const sn_mesh *const meshes[] = {mesh};
    snt_ok(write_points(context, snt_gltf_output("long.glb"), meshes, 1, 600, error));
    sn_import *import = read_back(context, snt_gltf_output("long.glb"));
    const sn_clip *clip = import->clips[0];
    assert_int_equal(clip->track_count, 600);
    for (uint32_t t = 0; t < 600; t += 37) {
        for (uint32_t k = 0; k < 600; ++k) {
            assert_true(clip->tracks[t].values[k] == (t == k ? 1 : 0));
        }
    }
    sn_import_destroy(import);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void leaves_nothing_behind(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = make_textured(context);
    const sn_mesh *const meshes[] = {mesh};
    sn_export_desc desc = sn_export_desc_default();
    desc.mesh_count = 1;
    desc.meshes = meshes;
    desc.frame_count = 2;
    sn_exporter *exporter;
    const char *path = snt_scratch("cancelled.glb");
    snt_ok(sn_exporter_begin(context, path, &desc, &exporter, error));
    const float *positions[] = {mesh->positions};
    snt_ok(sn_exporter_add(exporter, positions, error));
    sn_exporter_cancel(exporter);
    assert_int_not_equal(access(path, F_OK), 0);
    snt_fails(SN_IO, "cannot write",
              sn_export_mesh(mesh, snt_scratch("no/such/folder.glb"), error));
    sn_mesh *empty;
    snt_ok(sn_mesh_create(context, "empty", 0, 0, 0, &empty, error));
    snt_fails(SN_INVALID, "mesh \"empty\" has no vertices, which glTF cannot hold",
              sn_export_mesh(empty, path, error));
    assert_int_not_equal(access(path, F_OK), 0);
    sn_mesh_destroy(empty);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void writes_clouds(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *cloud;
    snt_ok(sn_mesh_create(context, "cloud", 3, 0, 0, &cloud, error));
    memcpy(cloud->positions, (const float[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, 36);
    snt_ok(sn_export_mesh(cloud, snt_gltf_output("cloud.glb"), error));
    sn_import *import = read_back(context, snt_gltf_output("cloud.glb"));
    assert_positions(cloud, import->meshes[0]);
    assert_int_equal(import->meshes[0]->face_count, 3);
    sn_import_destroy(import);
    sn_mesh_destroy(cloud);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Skinned

// A chain of `count` segments, each one above the last and turned a little.
static void make_chain(sn_context *context, uint32_t count, bool two_roots, sn_skeleton *skeleton) {
    snt_ok(sni_skeleton_init(context, count, skeleton, error));
    for (uint32_t i = 0; i < count; ++i) {
        sn_segment *segment = &skeleton->segments[i];
        char name[32];
        snprintf(name, sizeof name, "bone%u", i);
        segment->name = sni_string_copy(context, name);
        segment->parent = i == 0 || (two_roots && i == count / 2) ? SN_NONE : i - 1;
        segment->rest.translation = sn_vec3_make(0.125 * i, 0.5, 0.25);
        segment->rest.rotation =
            sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), 0.01 * (double)(i % 7));
    }
    snt_ok(sni_skeleton_sort(context, skeleton, error));
}

// A strip of triangles on `bone_count` bones, vertex v with 1 + v % `most` influences; none for
// vertex 3 where `gap`.
static sn_mesh *make_skin(sn_context *context, uint32_t bone_count, uint32_t most, bool gap,
                          bool binds) {
    enum { VERTICES = 24 };
    sn_mesh *mesh;
    snt_ok(
        sn_mesh_create(context, "skin", VERTICES, VERTICES - 2, 3 * (VERTICES - 2), &mesh, error));
    uint32_t total = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        float p[3] = {(float)(v % 2), 0.5f * (float)(v / 2), 0.1f * (float)(v % 5)};
        memcpy(mesh->positions + 3 * v, p, sizeof p);
        total += gap && v == 3 ? 0 : 1 + v % most;
    }
    for (uint32_t f = 0; f < VERTICES - 2; ++f) {
        mesh->face_offsets[f + 1] = 3 * f + 3;
        mesh->corners[3 * f] = f;
        mesh->corners[3 * f + 1] = f + 1 + f % 2;
        mesh->corners[3 * f + 2] = f + 2 - f % 2;
    }
    snt_ok(sn_mesh_set_weights(mesh, bone_count, total, binds, error));
    for (uint32_t b = 0; b < bone_count; ++b) {
        char name[32];
        snprintf(name, sizeof name, "bone%u", b);
        snt_ok(sn_mesh_name_bone(mesh, b, name, error));
        for (int k = 0; binds && k < 16; ++k) {
            mesh->weights->inverse_bind[b].m[k] = k % 5 == 0 ? 1 : k >= 12 ? 0.25 * b : 0;
        }
    }
    uint32_t at = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        mesh->weights->offsets[v] = at;
        uint32_t count = gap && v == 3 ? 0 : 1 + v % most;
        for (uint32_t i = 0; i < count; ++i) {
            mesh->weights->bones[at] = (v * 5 + i * 11) % bone_count;
            mesh->weights->values[at++] = 1.0f / (float)count;
        }
    }
    return mesh;
}

static void add_smile(sn_mesh *mesh) {
    sn_target *target;
    snt_ok(sn_mesh_add_target(mesh, "smile", mesh->vertex_count, false, &target, error));
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; ++i) {
        target->offsets[i] = 0.01f * (float)i;
    }
    target->weight = 0.5f;
    snt_ok(sn_mesh_add_target(mesh, "blink", 2, true, &target, error));
    memcpy(target->vertices, (const uint32_t[]){4, 7}, 8);
    memcpy(target->offsets, (const float[]){1, 2, 3, 4, 5, 6}, 24);
    target->weight = 0;
}

// The motion: bone 1 turns, bone 2 shifts, bone 3 stands still off its rest, bone 4 grows.
static sn_transform *make_motion(const sn_skeleton *skeleton, uint32_t frames) {
    sn_transform *locals = malloc(sizeof *locals * frames * skeleton->segment_count);
    for (uint32_t f = 0; f < frames; ++f) {
        for (uint32_t s = 0; s < skeleton->segment_count; ++s) {
            sn_transform local = skeleton->segments[s].rest;
            if (s == 1) {
                local.rotation = sn_quat_from_axis_angle(sn_vec3_make(1, 0, 0), 0.25 * f);
            } else if (s == 2) {
                local.translation.x += f;
            } else if (s == 3) {
                local.translation.y = 7;
            } else if (s == 4) {
                local.scale = sn_vec3_make(1, 1 + f, 1);
            }
            locals[(size_t)f * skeleton->segment_count + s] = local;
        }
    }
    return locals;
}

static void compare_skins(const sn_mesh *mesh, const sn_mesh *back) {
    const sn_weights *a = mesh->weights, *b = back->weights;
    assert_int_equal(a->bone_count, b->bone_count);
    for (uint32_t i = 0; i < a->bone_count; ++i) {
        assert_string_equal(a->bone_names[i], b->bone_names[i]);
        for (int k = 0; k < 16 && a->inverse_bind != NULL; ++k) {
            assert_true((float)a->inverse_bind[i].m[k] == (float)b->inverse_bind[i].m[k]);
        }
    }
    assert_memory_equal(a->offsets, b->offsets, (mesh->vertex_count + 1) * sizeof *a->offsets);
    assert_memory_equal(a->bones, b->bones, a->offsets[mesh->vertex_count] * sizeof *a->bones);
    assert_memory_equal(a->values, b->values, a->offsets[mesh->vertex_count] * sizeof *a->values);
}

static const sn_track *find_track(const sn_clip *clip, sn_track_kind kind, const char *target) {
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        if (clip->tracks[i].kind == kind && strcmp(clip->tracks[i].target, target) == 0) {
            return &clip->tracks[i];
        }
    }
    return NULL;
}

static void compare_motion(const sn_clip *clip) {
    assert_string_equal(clip->name, "walk");
    assert_int_equal(clip->track_count, 4 + 2);
    const sn_track *turn = find_track(clip, SN_TRACK_ROTATION, "bone1");
    assert_int_equal(turn->key_count, 3);
    assert_true(turn->times[1] == (double)(float)(2 + 1 / 10.0));
    assert_true((float)turn->values[8] == (float)sin(0.25));
    const sn_track *shift = find_track(clip, SN_TRACK_TRANSLATION, "bone2");
    assert_true(shift->values[6] == 2.25);
    const sn_track *still = find_track(clip, SN_TRACK_TRANSLATION, "bone3");
    assert_int_equal(still->key_count, 1);
    assert_true(still->values[1] == 7);
    assert_true(find_track(clip, SN_TRACK_SCALE, "bone4")->values[7] == 3);
    assert_true(find_track(clip, SN_TRACK_PARAMETER, "smile")->values[2] == 0.75);
    assert_true(find_track(clip, SN_TRACK_PARAMETER, "blink")->values[1] == 1);
}

static void compare_skeletons(const sn_skeleton *a, const sn_skeleton *b) {
    for (uint32_t i = 0; i < a->segment_count; ++i) {
        assert_string_equal(a->segments[i].name, b->segments[i].name);
        assert_int_equal(a->segments[i].parent, b->segments[i].parent);
        assert_memory_equal(&a->segments[i].rest, &b->segments[i].rest, sizeof(sn_transform));
    }
}

static void writes_skinned(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_skeleton skeleton;
    make_chain(context, 12, false, &skeleton);
    sn_mesh *skin = make_skin(context, 12, 9, false, true);
    sn_mesh *rigid = make_textured(context), *second = make_mixed(context);
    add_smile(skin);
    static const float weights[] = {0.25f, 0, 0.5f, 1, 0.75f, 0};
    sn_transform *locals = make_motion(&skeleton, 3);
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    desc.mesh_count = 3;
    desc.meshes = (const sn_mesh *const[]){skin, rigid, second};
    desc.mesh_segments = (const uint32_t[]){SN_NONE, 5, 5};
    desc.skeleton = &skeleton;
    desc.clip_name = "walk";
    desc.rate = 10;
    desc.first_time = 2;
    desc.frame_count = 3;
    desc.locals = locals;
    desc.weights = (const float *const[]){weights, NULL, NULL};
    snt_ok(sn_export_skinned(context, snt_gltf_output("skinned.glb"), &desc, error));
    sn_import *import = read_back(context, snt_gltf_output("skinned.glb"));
    assert_int_equal(import->mesh_count, 3);
    compare_skeletons(&skeleton, &import->skeleton);
    assert_int_equal(import->skeleton.segment_count, 13); // the second mesh has a node of its own
    assert_positions(skin, import->meshes[0]);
    compare_skins(skin, import->meshes[0]);
    assert_int_equal(import->mesh_nodes[1], 5);
    assert_int_equal(import->skeleton.segments[import->mesh_nodes[2]].parent, 5);
    const sn_target *targets = import->meshes[0]->targets;
    assert_string_equal(targets[0].name, "smile");
    assert_true(targets[0].weight == 0.5f);
    assert_memory_equal(targets[0].offsets, skin->targets[0].offsets, 12 * skin->vertex_count);
    assert_memory_equal(targets[1].vertices, skin->targets[1].vertices, 8);
    assert_memory_equal(targets[1].offsets, skin->targets[1].offsets, 24);
    compare_motion(import->clips[0]);
    free(locals);
    sn_import_destroy(import);
    sn_mesh_destroy(skin);
    sn_mesh_destroy(rigid);
    sn_mesh_destroy(second);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

// 300 bones in two trees, binds from the rest pose, a vertex without weights, one with too much
// weight and one bone twice.
static void writes_what_gltf_makes_hard(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_skeleton skeleton;
    make_chain(context, 300, true, &skeleton);
    sn_mesh *skin = make_skin(context, 300, 3, true, false);
    uint32_t *offsets = skin->weights->offsets;
    skin->weights->values[offsets[0]] = 4;
    skin->weights->bones[offsets[2] + 1] = skin->weights->bones[offsets[2]];
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    desc.mesh_count = 1;
    desc.meshes = (const sn_mesh *const[]){skin};
    desc.skeleton = &skeleton;
    snt_ok(sn_export_skinned(context, snt_gltf_output("hard.glb"), &desc, error));
    sn_import *import = read_back(context, snt_gltf_output("hard.glb"));
    assert_int_equal(import->skeleton.segment_count, 302);
    assert_string_equal(import->skeleton.segments[300].name, "root");
    assert_int_equal(import->skeleton.segments[0].parent, 300);
    assert_int_equal(import->skeleton.segments[150].parent, 300);
    const sn_weights *w = import->meshes[0]->weights;
    assert_int_equal(w->bone_count, 301);
    assert_true(w->values[w->offsets[0]] == 1);
    assert_int_equal(w->offsets[3] - w->offsets[2], 2); // three with one twice
    snt_near(w->values[w->offsets[2]], 2.0 / 3, 1e-6);
    assert_int_equal(w->bones[w->offsets[3]], 300); // the joint that stands still
    assert_string_equal(w->bone_names[300], "still");
    // Binds undo the rest pose.
    sn_transform locals[300];
    sn_mat4 worlds[300];
    for (uint32_t i = 0; i < 300; ++i) {
        locals[i] = skeleton.segments[i].rest;
    }
    sni_skeleton_world(&skeleton, locals, worlds);
    for (uint32_t i = 0; i < 300; ++i) {
        sn_mat4 product = sn_mat4_multiply(&worlds[i], &w->inverse_bind[i]);
        for (int k = 0; k < 16; ++k) {
            snt_near(product.m[k], k % 5 == 0 ? 1 : 0, 1e-2); // far from the origin, in floats
        }
    }
    assert_int_equal(import->clip_count, 0);
    sn_import_destroy(import);
    sn_mesh_destroy(skin);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

static void refuses_what_cannot_be_written(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_skeleton skeleton;
    make_chain(context, 4, false, &skeleton);
    sn_mesh *skin = make_skin(context, 5, 2, false, false);
    const char *path = snt_scratch("refused.glb");
    sn_export_skinned_desc desc = {0};
    desc.skeleton = &skeleton;
    snt_fails(SN_INVALID, "was not made by its default call",
              sn_export_skinned(context, path, &desc, error));
    desc = sn_export_skinned_desc_default();
    snt_fails(SN_INVALID, "no skeleton to write", sn_export_skinned(context, path, &desc, error));
    desc.skeleton = &skeleton;
    desc.mesh_count = 1;
    desc.meshes = (const sn_mesh *const[]){skin};
    snt_fails(SN_INVALID, "mesh \"skin\": bone \"bone4\" is no segment of the skeleton",
              sn_export_skinned(context, path, &desc, error));
    desc.mesh_segments = (const uint32_t[]){9};
    snt_fails(SN_INVALID, "mesh \"skin\" hangs on segment 9 of 4",
              sn_export_skinned(context, path, &desc, error));
    desc.mesh_count = 0;
    desc.frame_count = 2;
    sn_transform *locals = make_motion(&skeleton, 2);
    desc.locals = locals;
    desc.rate = 0;
    snt_fails(SN_INVALID, "0 frames per second", sn_export_skinned(context, path, &desc, error));
    desc.rate = 30;
    desc.first_time = -1;
    snt_fails(SN_INVALID, "the first frame is at -1 seconds",
              sn_export_skinned(context, path, &desc, error));
    desc.first_time = 1e9;
    snt_fails(SN_LIMIT, "frame 1 of 30 per second has no time of its own",
              sn_export_skinned(context, path, &desc, error));
    desc.first_time = 0;
    locals[5].translation.x = NAN;
    snt_fails(SN_INVALID, "frame 1: the transform of segment \"bone1\" is not finite",
              sn_export_skinned(context, path, &desc, error));
    assert_int_not_equal(access(path, F_OK), 0);
    free(locals);
    sn_mesh_destroy(skin);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

// Reads a sample, writes it with its first clip frame by frame, and reads that.
static void rewrites_samples(void **state) {
    (void)state;
    static const char *const samples[] = {"gltf/CesiumMan.glb", "gltf/Fox.glb",
                                          "human/human_female.glb"};
    for (int i = 0; i < 3; ++i) {
        const char *source = snt_data(samples[i]);
        sn_context *context = snt_context(1);
        sn_import *import = read_back(context, source);
        uint32_t segments = import->skeleton.segment_count;
        const sn_clip *clip = import->clip_count > 0 ? import->clips[0] : NULL;
        sn_export_skinned_desc desc = sn_export_skinned_desc_default();
        desc.mesh_count = import->mesh_count;
        desc.meshes = (const sn_mesh *const *)import->meshes;
        desc.mesh_segments = import->mesh_nodes;
        desc.skeleton = &import->skeleton;
        desc.frame_count = clip != NULL ? clip->frame_count : 0;
        sn_transform *locals = malloc(sizeof *locals * (segments * desc.frame_count + 1));
        for (uint32_t f = 0; f < desc.frame_count; ++f) {
            for (uint32_t s = 0; s < segments; ++s) {
                locals[f * segments + s] = import->skeleton.segments[s].rest;
            }
            for (uint32_t t = 0; t < clip->track_count; ++t) {
                double v[4];
                const sn_track *track = &clip->tracks[t];
                sn_transform *local =
                    &locals[f * segments + sni_skeleton_find(&import->skeleton, track->target)];
                sn_track_sample(track, f / clip->rate, v);
                if (track->kind == SN_TRACK_ROTATION) {
                    local->rotation = (sn_quat){v[0], v[1], v[2], v[3]};
                } else if (track->kind == SN_TRACK_TRANSLATION) {
                    local->translation = sn_vec3_make(v[0], v[1], v[2]);
                } else {
                    local->scale = sn_vec3_make(v[0], v[1], v[2]);
                }
            }
        }
        desc.locals = locals;
        char name[64];
        snprintf(name, sizeof name, "sample%d.glb", i);
        snt_ok(sn_export_skinned(context, snt_gltf_output(name), &desc, error));
        sn_import *back = read_back(context, snt_gltf_output(name));
        compare_skeletons(&import->skeleton, &back->skeleton);
        assert_positions(import->meshes[0], back->meshes[0]);
        assert_memory_equal(import->meshes[0]->corners, back->meshes[0]->corners,
                            import->meshes[0]->corner_count * sizeof(uint32_t));
        assert_int_equal(import->meshes[0]->weights->offsets[import->meshes[0]->vertex_count],
                         back->meshes[0]->weights->offsets[back->meshes[0]->vertex_count]);
        for (uint32_t t = 0; clip != NULL && t < back->clips[0]->track_count; ++t) {
            const sn_track *track = &back->clips[0]->tracks[t];
            uint32_t s = sni_skeleton_find(&import->skeleton, track->target);
            for (uint32_t f = 0; f < track->key_count; f += 7) {
                const sn_transform *local = &locals[f * segments + s];
                double expected = track->kind == SN_TRACK_ROTATION      ? local->rotation.w
                                  : track->kind == SN_TRACK_TRANSLATION ? local->translation.x
                                                                        : local->scale.x;
                double found = track->kind == SN_TRACK_ROTATION ? track->values[4 * f + 3]
                                                                : track->values[3 * f];
                snt_near(found, expected, 1e-6 * (1 + fabs(expected)));
            }
        }
        free(locals);
        sn_import_destroy(import);
        sn_import_destroy(back);
        snt_context_end(context);
    }
}

// ---------------------------------------------------------------------------------------------
// Memory

static sn_status attempt_points(sn_context *context, void *user, sn_error *error) {
    const sn_mesh *const *meshes = user;
    return write_points(context, snt_scratch("memory.glb"), meshes, 2, 3, error);
}

static sn_status attempt_skinned(sn_context *context, void *user, sn_error *error) {
    return sn_export_skinned(context, snt_scratch("memory.glb"), user, error);
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *meshes[2] = {make_mixed(context), make_textured(context)};
    snt_fail_allocations(attempt_points, meshes);
    sn_skeleton skeleton;
    make_chain(context, 12, true, &skeleton);
    sn_mesh *skin = make_skin(context, 12, 9, true, false);
    add_smile(skin);
    sn_transform *locals = make_motion(&skeleton, 3);
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    desc.mesh_count = 2;
    desc.meshes = (const sn_mesh *const[]){skin, meshes[1]};
    desc.skeleton = &skeleton;
    desc.frame_count = 3;
    desc.locals = locals;
    snt_fail_allocations(attempt_skinned, &desc);
    free(locals);
    sn_mesh_destroy(skin);
    sn_mesh_destroy(meshes[0]);
    sn_mesh_destroy(meshes[1]);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_polygons_lines_and_points),
        cmocka_unit_test(writes_attributes_and_materials),
        cmocka_unit_test(shares_images),
        cmocka_unit_test(leaves_out_what_differs_by_corner),
        cmocka_unit_test(writes_moving_points),
        cmocka_unit_test(turns_normals_with_the_points),
        cmocka_unit_test(writes_many_frames),
        cmocka_unit_test(leaves_nothing_behind),
        cmocka_unit_test(writes_clouds),
        cmocka_unit_test(writes_skinned),
        cmocka_unit_test(writes_what_gltf_makes_hard),
        cmocka_unit_test(refuses_what_cannot_be_written),
        cmocka_unit_test(rewrites_samples),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
