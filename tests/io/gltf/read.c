// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------
// Reading what a test wrote

static sn_import *read_text(sn_context *context, const snt_gltf *g, const char *rest) {
    char *text = snt_gltf_text(g, rest);
    sn_import *import = NULL;
    snt_ok(sn_import_memory(context, "test.gltf", text, strlen(text), &import, error));
    free(text);
    return import;
}

static void assert_floats(const float *found, const float *expected, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (found[i] != expected[i]) {
            fail_msg("number %zu is %.9g, expected %.9g", i, (double)found[i], (double)expected[i]);
        }
    }
}

static void assert_uints(const uint32_t *found, const uint32_t *expected, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (found[i] != expected[i]) {
            fail_msg("number %zu is %u, expected %u", i, found[i], expected[i]);
        }
    }
}

#define expect_floats(found, ...)                                                                  \
    assert_floats((found), (const float[]){__VA_ARGS__},                                           \
                  sizeof((const float[]){__VA_ARGS__}) / sizeof(float))
#define expect_uints(found, ...)                                                                   \
    assert_uints((found), (const uint32_t[]){__VA_ARGS__},                                         \
                 sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

// Four points in the plane, accessor 0.
static void add_square(snt_gltf *g) {
    snt_gltf_floats(g, "VEC3", 4, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0);
}

#define ONE_NODE "'nodes':[{'mesh':0}],'scenes':[{'nodes':[0]}],'scene':0"

// ---------------------------------------------------------------------------------------------
// Meshes

static void reads_a_triangle(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_gltf g = {0};
    add_square(&g);
    snt_gltf_u8(&g, "SCALAR", 3, 0, 1, 2);
    sn_import *import =
        read_text(context, &g,
                  "'meshes':[{'name':'tri','primitives':[{'attributes':{'POSITION':0},"
                  "'indices':1}]}]," ONE_NODE);
    assert_int_equal(import->mesh_count, 1);
    const sn_mesh *mesh = import->meshes[0];
    assert_string_equal(mesh->name, "tri");
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->face_count, 1);
    expect_uints(mesh->corners, 0, 1, 2);
    expect_floats(mesh->positions, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0);
    assert_int_equal(import->mesh_nodes[0], 0);
    assert_int_equal(import->skeleton.segment_count, 1);
    assert_string_equal(import->skeleton.segments[0].name, "node0");
    assert_int_equal(mesh->run_count, 0);
    sn_import_destroy(import);
    snt_context_end(context);
}

static void reads_every_mode(void **state) {
    (void)state;
    static const struct {
        int mode;
        uint32_t faces, width;
        uint32_t corners[12];
    } cases[] = {
        {0, 4, 1, {0, 1, 2, 3}},
        {1, 2, 2, {0, 1, 2, 3}},
        {2, 4, 2, {0, 1, 1, 2, 2, 3, 3, 0}},
        {3, 3, 2, {0, 1, 1, 2, 2, 3}},
        {5, 2, 3, {0, 1, 2, 1, 3, 2}},
        {6, 2, 3, {1, 2, 0, 2, 3, 0}},
    };
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        snt_gltf g = {0};
        char rest[256];
        add_square(&g);
        snprintf(rest, sizeof rest,
                 "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':%d}]}]," ONE_NODE,
                 cases[i].mode);
        sn_import *import = read_text(context, &g, rest);
        const sn_mesh *mesh = import->meshes[0];
        assert_int_equal(mesh->face_count, cases[i].faces);
        assert_int_equal(mesh->corner_count, cases[i].faces * cases[i].width);
        assert_uints(mesh->corners, cases[i].corners, mesh->corner_count);
        sn_import_destroy(import);
    }
    snt_context_end(context);
}

static void reads_strided_views(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_gltf g = {0};
    const float mixed[] = {1, 2, 3, 0, 0, 1, 9, 4, 5, 6, 0, 1, 0, 9, 7, 8, 9, 1, 0, 0, 9};
    unsigned view = snt_gltf_view(&g, mixed, sizeof mixed, 28);
    snt_gltf_accessor(&g, "{'bufferView':%u,'componentType':5126,'count':3,'type':'VEC3'}", view);
    snt_gltf_accessor(
        &g, "{'bufferView':%u,'byteOffset':12,'componentType':5126,'count':3,'type':'VEC3'}", view);
    sn_import *import =
        read_text(context, &g,
                  "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':1}}]}]," ONE_NODE);
    const sn_mesh *mesh = import->meshes[0];
    expect_floats(mesh->positions, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    const sn_attribute *normal = sn_mesh_find_attribute(mesh, "normal");
    assert_non_null(normal);
    assert_null(normal->corner);
    expect_floats(normal->values, 0, 0, 1, 0, 1, 0, 1, 0, 0);
    sn_import_destroy(import);
    snt_context_end(context);
}

static void reads_every_component_type(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_gltf g = {0};
    const int16_t positions[] = {0, 0, 0, 0, -5, 7, 300, 0, 32767, -32768, 1, 0};
    unsigned view = snt_gltf_view(&g, positions, sizeof positions, 8);
    snt_gltf_accessor(&g, "{'bufferView':%u,'componentType':5122,'count':3,'type':'VEC3'}", view);
    const uint8_t bytes[] = {0, 255, 0, 0, 51, 102, 0, 0, 204, 1, 0, 0};
    view = snt_gltf_view(&g, bytes, sizeof bytes, 4);
    snt_gltf_accessor(&g,
                      "{'bufferView':%u,'componentType':5121,'normalized':true,'count':3,"
                      "'type':'VEC2'}",
                      view);
    const int8_t chars[] = {127, -127, 0, 0, -128, 0, 0, 0, 1, -1, 0, 0};
    view = snt_gltf_view(&g, chars, sizeof chars, 4);
    snt_gltf_accessor(&g,
                      "{'bufferView':%u,'componentType':5120,'normalized':true,'count':3,"
                      "'type':'VEC2'}",
                      view);
    snt_gltf_array(&g, SNT_U16, "'VEC2','normalized':true", 3,
                   (const uint16_t[]){0, 65535, 13107, 1, 32768, 2}, 12);
    snt_gltf_array(&g, SNT_I16, "'VEC2','normalized':true", 3,
                   (const int16_t[]){32767, -32767, -32768, 0, 1, -1}, 12);
    snt_gltf_array(&g, SNT_U16, "'VEC2'", 3, (const uint16_t[]){0, 65535, 13107, 1, 32768, 2}, 12);
    sn_import *import = read_text(
        context, &g,
        "'extensionsUsed':['KHR_mesh_quantization'],'extensionsRequired':['KHR_mesh_quantization'],"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'TEXCOORD_0':1,'TEXCOORD_1':2,"
        "'TEXCOORD_2':3,'TEXCOORD_3':4,'TEXCOORD_4':5}}]}]," ONE_NODE);
    const sn_mesh *mesh = import->meshes[0];
    expect_floats(mesh->positions, 0, 0, 0, -5, 7, 300, 32767, -32768, 1);
    expect_floats(sn_mesh_find_attribute(mesh, "uv")->values, 0, 1, 51 / 255.0f, 102 / 255.0f,
                  204 / 255.0f, 1 / 255.0f);
    expect_floats(sn_mesh_find_attribute(mesh, "uv1")->values, 1, -1, -1, 0, 1 / 127.0f,
                  -1 / 127.0f);
    expect_floats(sn_mesh_find_attribute(mesh, "uv2")->values, 0, 1, 13107 / 65535.0f, 1 / 65535.0f,
                  32768 / 65535.0f, 2 / 65535.0f);
    expect_floats(sn_mesh_find_attribute(mesh, "uv3")->values, 1, -1, -1, 0, 1 / 32767.0f,
                  -1 / 32767.0f);
    expect_floats(sn_mesh_find_attribute(mesh, "uv4")->values, 0, 65535, 13107, 1, 32768, 2);
    sn_import_destroy(import);
    snt_context_end(context);
}

static void reads_sparse_accessors(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_gltf g = {0};
    add_square(&g);
    unsigned indices = snt_gltf_view(&g, (const uint16_t[]){1, 3}, 4, 0);
    unsigned values = snt_gltf_view(&g, (const float[]){9, 8, 7, 6, 5, 4}, 24, 0);
    snt_gltf_accessor(&g,
                      "{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3','sparse':"
                      "{'count':2,'indices':{'bufferView':%u,'componentType':5123},"
                      "'values':{'bufferView':%u}}}",
                      indices, values);
    snt_gltf_accessor(&g,
                      "{'componentType':5126,'count':4,'type':'VEC3','sparse':"
                      "{'count':1,'indices':{'bufferView':%u,'byteOffset':2,'componentType':5123},"
                      "'values':{'bufferView':%u,'byteOffset':12}}}",
                      indices, values);
    snt_gltf_accessor(&g, "{'componentType':5126,'count':4,'type':'VEC3'}");
    sn_import *import = read_text(context, &g,
                                  "'meshes':[{'primitives':[{'attributes':{'POSITION':1},'mode':0},"
                                  "{'attributes':{'POSITION':2},'mode':0},"
                                  "{'attributes':{'POSITION':3},'mode':0}]}]," ONE_NODE);
    const sn_mesh *mesh = import->meshes[0];
    assert_int_equal(mesh->vertex_count, 12);
    expect_floats(mesh->positions, 0, 0, 0, 9, 8, 7, 1, 1, 0, 6, 5, 4, // over a view
                  0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 5, 4,                  // over zeros
                  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    sn_import_destroy(import);
    snt_context_end(context);
}

// Primitives 0 and 1 share all arrays, 2 the positions only, 3 has its own.
static void joins_primitives(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_gltf g = {0};
    add_square(&g);
    snt_gltf_u8(&g, "SCALAR", 3, 0, 1, 2);
    snt_gltf_u8(&g, "SCALAR", 3, 0, 2, 3);
    snt_gltf_floats(&g, "VEC2", 4, 0, 0, 1, 0, 1, 1, 0, 1);
    snt_gltf_floats(&g, "VEC3", 3, 5, 0, 0, 6, 0, 0, 5, 1, 0);
    snt_gltf_floats(&g, "VEC3", 3, 1, 0, 0, 0, 1, 0, 0, 0, 1);
    snt_gltf_floats(&g, "VEC4", 4, 1, 0, 0, 0.5f, 1, 0, 0, 0.5f, 1, 0, 0, 0.5f, 1, 0, 0, 0.5f);
    sn_import *import = read_text(
        context, &g,
        "'materials':[{'name':'red'},{'name':'red'}],"
        "'meshes':[{'primitives':["
        "{'attributes':{'POSITION':0,'TEXCOORD_0':3,'COLOR_0':6},'indices':1,'material':0},"
        "{'attributes':{'POSITION':0,'TEXCOORD_0':3,'COLOR_0':6},'indices':2,'material':1},"
        "{'attributes':{'POSITION':4,'COLOR_0':5},'material':0},"
        "{'attributes':{'POSITION':4,'COLOR_0':5}}]}]," ONE_NODE);
    const sn_mesh *mesh = import->meshes[0];
    assert_int_equal(mesh->vertex_count, 7);
    assert_int_equal(mesh->face_count, 4);
    expect_uints(mesh->corners, 0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 5, 6);
    // The second group has no uv: corners say so.
    const sn_attribute *uv = sn_mesh_find_attribute(mesh, "uv");
    assert_int_equal(uv->count, 4);
    expect_uints(uv->corner, 0, 1, 2, 0, 2, 3, SN_NONE, SN_NONE, SN_NONE, SN_NONE, SN_NONE,
                 SN_NONE);
    const sn_attribute *color = sn_mesh_find_attribute(mesh, "color");
    assert_null(color->corner);
    assert_int_equal(color->width, 4);
    expect_floats(color->values, 1, 0, 0, 0.5f, 1, 0, 0, 0.5f, 1, 0, 0, 0.5f, 1, 0, 0, 0.5f, //
                  1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1);
    assert_int_equal(mesh->run_count, 4);
    const char *const names[] = {"red", "red.2", "red", "default"};
    for (uint32_t i = 0; i < 4; ++i) {
        assert_int_equal(mesh->runs[i].first_face, i);
        assert_int_equal(mesh->runs[i].kind, SN_RUN_MATERIAL);
        assert_string_equal(mesh->runs[i].name, names[i]);
    }
    assert_int_equal(mesh->material_count, 2);
    sn_import_destroy(import);
    snt_context_end(context);
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

// The smallest thing that begins like a PNG; sinew passes it on unread.
static const uint8_t png[12] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 1, 2, 3, 4};

static void reads_materials_and_files_beside(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    write_file(snt_scratch("a b.bin"), positions, sizeof positions);
    write_file(snt_scratch("skin.png"), png, sizeof png);
    const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"a%20b.bin\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"
        "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
        "\"images\":[{\"uri\":\"skin.png\"},{\"uri\":\"lost.png\"}],"
        "\"textures\":[{\"source\":0},{\"source\":1}],"
        "\"materials\":[{\"name\":\"skin\",\"doubleSided\":true,\"pbrMetallicRoughness\":{"
        "\"baseColorFactor\":[0.5,0.25,0.125,1],\"metallicFactor\":0.5,\"roughnessFactor\":0.75,"
        "\"baseColorTexture\":{\"index\":0}}},"
        "{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":1}}}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"material\":0},"
        "{\"attributes\":{\"POSITION\":0},\"material\":1}]}]}";
    write_file(snt_scratch("m.gltf"), text, strlen(text));
    sn_import *import;
    snt_ok(sn_import_file(context, snt_scratch("m.gltf"), &import, error));
    const sn_mesh *mesh = import->meshes[0]; // no node uses it
    assert_int_equal(import->mesh_nodes[0], SN_NONE);
    assert_int_equal(mesh->vertex_count, 3);
    assert_int_equal(mesh->material_count, 2);
    const sn_material *skin = &mesh->materials[0];
    assert_string_equal(skin->name, "skin");
    expect_floats(skin->base_color, 0.5f, 0.25f, 0.125f, 1);
    assert_true(skin->metallic == 0.5f && skin->roughness == 0.75f && skin->double_sided);
    assert_string_equal(skin->image_type, "image/png");
    assert_int_equal(skin->image_size, sizeof png);
    assert_memory_equal(skin->image_bytes, png, sizeof png);
    const sn_material *plain = &mesh->materials[1]; // glTF's defaults; its image is missing
    assert_string_equal(plain->name, "material1");
    expect_floats(plain->base_color, 1, 1, 1, 1);
    assert_true(plain->metallic == 1 && plain->roughness == 1 && !plain->double_sided);
    assert_null(plain->image_bytes);
    sn_import_destroy(import);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Scene

static void reads_nodes(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_gltf g = {0};
    add_square(&g);
    // Node 4 is in the other scene; 5 is a joint outside of both, below 6.
    sn_import *import =
        read_text(context, &g,
                  "'nodes':[{'name':'a','children':[2,1],'translation':[1,2,3],'scale':[1,2,3]},"
                  "{'name':'a','rotation':[0,0,0.6,0.8]},"
                  "{'matrix':[0,2,0,0,-2,0,0,0,0,0,2,0,7,8,9,1]},{'name':'a.2'},"
                  "{'name':'other'},{'name':'joint'},{'name':'above','children':[5]},"
                  "{'name':'off','rotation':[0,0,0,2]}],"
                  "'skins':[{'joints':[5]}],'scenes':[{'nodes':[4]},{'nodes':[0,3,7]}],'scene':1");
    const sn_skeleton *s = &import->skeleton;
    assert_int_equal(s->segment_count, 7);
    const char *const names[] = {"a", "a.3", "node2", "a.2", "joint", "above", "off"};
    const uint32_t parents[] = {SN_NONE, 0, 0, SN_NONE, 5, SN_NONE, SN_NONE};
    for (uint32_t i = 0; i < 7; ++i) {
        assert_string_equal(s->segments[i].name, names[i]);
        assert_int_equal(s->segments[i].parent, parents[i]);
    }
    assert_true(s->segments[0].rest.translation.y == 2 && s->segments[0].rest.scale.z == 3);
    assert_true(s->segments[1].rest.rotation.z == 0.6 && s->segments[1].rest.rotation.w == 0.8);
    const sn_transform *turned = &s->segments[2].rest; // a quarter about z, twice as large
    snt_near(turned->rotation.z, sqrt(0.5), 1e-12);
    snt_near(turned->rotation.w, sqrt(0.5), 1e-12);
    snt_near(turned->scale.x, 2, 1e-12);
    assert_true(turned->translation.z == 9);
    assert_true(s->segments[6].rest.rotation.w == 1);
    for (uint32_t i = 0; i < 7; ++i) {
        uint32_t parent = s->segments[s->parents_first[i]].parent;
        bool found = parent == SN_NONE;
        for (uint32_t k = 0; k < i; ++k) {
            found = found || s->parents_first[k] == parent;
        }
        assert_true(found);
    }
    sn_import_destroy(import);
    snt_context_end(context);
}

static void reads_weights(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_gltf g = {0};
    snt_gltf_floats(&g, "VEC3", 3, 0, 0, 0, 1, 0, 0, 0, 1, 0);
    snt_gltf_u8(&g, "VEC4", 3, 0, 1, 0, 0, 1, 9, 9, 9, 2, 1, 0, 1);
    snt_gltf_array(&g, SNT_U16, "'VEC4','normalized':true", 3,
                   (const uint16_t[]){32768, 32767, 0, 0, 65535, 0, 0, 0, 1, 2, 3, 4}, 24);
    snt_gltf_u16(&g, "VEC4", 3, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2);
    snt_gltf_floats(&g, "VEC4", 3, 0.25f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.75f);
    float binds[48] = {0};
    for (int i = 0; i < 48; ++i) {
        binds[i] = i % 16 == 15 ? 1 : i % 4 == 3 ? 0 : (float)i / 8;
    }
    snt_gltf_array(&g, SNT_F32, "'MAT4'", 3, binds, sizeof binds);
    // Two skins on one mesh: two meshes. Node 3 and 4 only carry them and are no segments.
    sn_import *import =
        read_text(context, &g,
                  "'meshes':[{'name':'m','primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1,'"
                  "WEIGHTS_0':2,"
                  "'JOINTS_1':3,'WEIGHTS_1':4}}]}],"
                  "'nodes':[{'name':'x','children':[1]},{'name':'y','children':[2]},{'name':'z'},"
                  "{'mesh':0,'skin':0,'translation':[9,9,9]},{'mesh':0,'skin':1}],"
                  "'skins':[{'joints':[2,0,1],'inverseBindMatrices':5},{'joints':[0,1,2]}]");
    assert_int_equal(import->mesh_count, 2);
    assert_int_equal(import->skeleton.segment_count, 3);
    const sn_mesh *mesh = import->meshes[0];
    assert_string_equal(mesh->name, "m");
    assert_int_equal(import->mesh_nodes[0], SN_NONE);
    const sn_weights *w = mesh->weights;
    assert_int_equal(w->bone_count, 3);
    assert_string_equal(w->bone_names[0], "z");
    assert_string_equal(w->bone_names[1], "x");
    assert_string_equal(w->bone_names[2], "y");
    expect_uints(w->offsets, 0, 3, 4, 9);
    expect_uints(w->bones, 0, 1, 2, 1, 2, 1, 0, 1, 2);
    expect_floats(w->values, 32768 / 65535.0f, 32767 / 65535.0f, 0.25f, 1, 1 / 65535.0f,
                  2 / 65535.0f, 3 / 65535.0f, 4 / 65535.0f, 0.75f);
    for (int i = 0; i < 48; ++i) {
        assert_true(w->inverse_bind[i / 16].m[i % 16] == (double)binds[i]);
    }
    assert_string_equal(import->meshes[1]->name, "m.2");
    const sn_weights *other = import->meshes[1]->weights;
    assert_string_equal(other->bone_names[0], "x");
    for (int i = 0; i < 48; ++i) { // no matrices: the identity
        assert_true(other->inverse_bind[i / 16].m[i % 16] == (i % 16 % 5 == 0 ? 1.0 : 0.0));
    }
    sn_import_destroy(import);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Morph targets and animations

static void reads_targets(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_gltf g = {0};
    add_square(&g);
    snt_gltf_floats(&g, "VEC3", 4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    unsigned indices = snt_gltf_view(&g, (const uint8_t[]){0, 2}, 2, 0);
    unsigned values = snt_gltf_view(&g, (const float[]){1, 1, 1, 2, 2, 2}, 24, 0);
    snt_gltf_accessor(&g,
                      "{'componentType':5126,'count':4,'type':'VEC3','sparse':{'count':2,"
                      "'indices':{'bufferView':%u,'componentType':5121},"
                      "'values':{'bufferView':%u}}}",
                      indices, values);
    sn_import *import = read_text(
        context, &g,
        "'meshes':[{'name':'m','weights':[0.5,0,0.25],'extras':{'targetNames':['smile','smile']},"
        "'primitives':[{'attributes':{'POSITION':0},'mode':0,'targets':[{'POSITION':1},{'POSITION':"
        "2},"
        "{'NORMAL':1}]}]}],'nodes':[{'mesh':0},{'mesh':0,'weights':[1,0,0]}]");
    assert_int_equal(import->mesh_count, 2);
    const sn_mesh *mesh = import->meshes[0];
    assert_int_equal(mesh->target_count, 3);
    // The rest weights of the two nodes differ for the first, third: each mesh has its own then.
    assert_string_equal(mesh->targets[0].name, "m.smile");
    assert_string_equal(mesh->targets[1].name, "smile.2");
    assert_string_equal(mesh->targets[2].name, "m.target2");
    assert_string_equal(import->meshes[1]->targets[0].name, "m.2.smile");
    assert_true(mesh->targets[0].weight == 0.5f && mesh->targets[2].weight == 0.25f);
    assert_true(import->meshes[1]->targets[0].weight == 1);
    assert_null(mesh->targets[0].vertices);
    expect_floats(mesh->targets[0].offsets, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    assert_int_equal(mesh->targets[1].count, 2);
    expect_uints(mesh->targets[1].vertices, 0, 2);
    expect_floats(mesh->targets[1].offsets, 1, 1, 1, 2, 2, 2);
    assert_int_equal(mesh->targets[2].count, 0);
    assert_non_null(mesh->targets[2].vertices);
    sn_import_destroy(import);
    snt_context_end(context);
}

static const sn_track *find_track(const sn_clip *clip, sn_track_kind kind, const char *target) {
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        if (clip->tracks[i].kind == kind && strcmp(clip->tracks[i].target, target) == 0) {
            return &clip->tracks[i];
        }
    }
    return NULL;
}

static void reads_animations(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_gltf g = {0};
    snt_gltf_floats(&g, "SCALAR", 2, 0, 1.5f);
    snt_gltf_floats(&g, "VEC3", 2, 1, 2, 3, 4, 5, 6);
    snt_gltf_array(&g, SNT_I16, "'VEC4','normalized':true", 2,
                   (const int16_t[]){0, 0, 0, 32767, 0, 23170, 0, 23170}, 16);
    snt_gltf_floats(&g, "VEC3", 6, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5);
    sn_import *import =
        read_text(context, &g,
                  "'nodes':[{'name':'n'},{'name':'far'}],'scenes':[{'nodes':[0]}],"
                  "'animations':[{'samplers':[{'input':0,'output':1,'interpolation':'STEP'},"
                  "{'input':0,'output':2},{'input':0,'output':3,'interpolation':'CUBICSPLINE'}],"
                  "'channels':[{'sampler':0,'target':{'node':0,'path':'translation'}},"
                  "{'sampler':1,'target':{'node':0,'path':'rotation'}},"
                  "{'sampler':2,'target':{'node':0,'path':'scale'}},"
                  "{'sampler':0,'target':{'node':1,'path':'translation'}},"
                  "{'sampler':0,'target':{'path':'translation'}}]},"
                  "{'name':'empty','samplers':[{'input':0,'output':1}],'channels':[{'sampler':0,"
                  "'target':{'node':1,'path':'scale'}}]}]");
    assert_int_equal(import->clip_count, 1);
    const sn_clip *clip = import->clips[0];
    assert_string_equal(clip->name, "clip0");
    assert_true(clip->rate == 30);
    assert_int_equal(clip->frame_count, 46);
    assert_int_equal(clip->track_count, 3);
    assert_int_equal(clip->skeleton.segment_count, 1);
    const sn_track *t = find_track(clip, SN_TRACK_TRANSLATION, "n");
    assert_int_equal(t->interpolation, SN_INTERPOLATION_STEPPED);
    assert_true(t->times[1] == 1.5 && t->values[0] == 1 && t->values[5] == 6);
    const sn_track *r = find_track(clip, SN_TRACK_ROTATION, "n");
    assert_int_equal(r->interpolation, SN_INTERPOLATION_LINEAR);
    assert_true(r->values[3] == 1);
    snt_near(r->values[5], sqrt(0.5), 1e-9); // 23170/32767 is not quite: normalised
    snt_near(r->values[7], sqrt(0.5), 1e-9);
    const sn_track *s = find_track(clip, SN_TRACK_SCALE, "n");
    assert_int_equal(s->interpolation, SN_INTERPOLATION_CUBIC);
    for (int i = 0; i < 18; ++i) {
        assert_true(s->values[i] == i / 3);
    }
    sn_import_destroy(import);
    snt_context_end(context);
}

// Meshes a and b have targets of the same names. Their keys for the first agree, those for the
// second do not.
static void names_targets_by_what_moves_them(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_gltf g = {0};
    add_square(&g);
    snt_gltf_floats(&g, "SCALAR", 2, 0, 1);
    snt_gltf_floats(&g, "SCALAR", 4, 0, 0, 1, 0.5f);
    snt_gltf_floats(&g, "SCALAR", 4, 0, 0, 1, 0.25f);
    sn_import *import = read_text(
        context, &g,
        "'meshes':[{'name':'a','extras':{'targetNames':['smile','frown']},'primitives':[{"
        "'attributes':{'POSITION':0},'mode':0,'targets':[{'POSITION':0},{'POSITION':0}]}]},"
        "{'name':'b','extras':{'targetNames':['smile','frown']},'primitives':[{"
        "'attributes':{'POSITION':0},'mode':0,'targets':[{'POSITION':0},{'POSITION':0}]}]}],"
        "'nodes':[{'mesh':0},{'mesh':1}],"
        "'animations':[{'name':'talk','samplers':[{'input':1,'output':2},{'input':1,'output':3}],"
        "'channels':[{'sampler':0,'target':{'node':0,'path':'weights'}},"
        "{'sampler':1,'target':{'node':1,'path':'weights'}}]}]");
    const sn_clip *clip = import->clips[0];
    assert_int_equal(clip->track_count, 3);
    const char *const expected[2][2] = {{"smile", "a.frown"}, {"smile", "b.frown"}};
    for (int m = 0; m < 2; ++m) {
        for (int t = 0; t < 2; ++t) {
            assert_string_equal(import->meshes[m]->targets[t].name, expected[m][t]);
            assert_non_null(find_track(clip, SN_TRACK_PARAMETER, expected[m][t]));
        }
    }
    assert_true(find_track(clip, SN_TRACK_PARAMETER, "smile")->values[1] == 1);
    assert_true(find_track(clip, SN_TRACK_PARAMETER, "a.frown")->values[1] == 0.5);
    assert_true(find_track(clip, SN_TRACK_PARAMETER, "b.frown")->values[1] == 0.25);
    sn_import_destroy(import);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Sample files, against numbers read by a second, naive reader

typedef struct plain { // a .glb of which everything is float, packed, in one buffer
    sn_json *json;
    const sn_value *root;
    const uint8_t *bin;
    char *bytes;
} plain;

static plain open_plain(sn_context *context, const char *path) {
    plain p;
    size_t size;
    uint32_t json_size;
    snt_ok(sni_file_read(context, path, &p.bytes, &size, error));
    memcpy(&json_size, p.bytes + 12, 4);
    snt_ok(sn_json_parse(context, p.bytes + 20, json_size, &p.json, error));
    p.root = sn_json_root(p.json);
    p.bin = (const uint8_t *)p.bytes + 20 + json_size + 8;
    return p;
}

static double number(const sn_value *object, const char *key) {
    return sn_value_number(sn_value_get(object, key), 0);
}

// Number `component` of element `i` of an accessor.
static double plain_value(const plain *p, uint32_t accessor, uint32_t i, uint32_t component) {
    const sn_value *a = sn_value_at(sn_value_get(p->root, "accessors"), accessor);
    const sn_value *v =
        sn_value_at(sn_value_get(p->root, "bufferViews"), (uint32_t)number(a, "bufferView"));
    const char *type = sn_value_string(sn_value_get(a, "type"), "");
    uint32_t width = type[0] == 'S' ? 1 : type[0] == 'M' ? 16 : (uint32_t)(type[3] - '0');
    int kind = (int)number(a, "componentType");
    uint32_t bytes = kind == SNT_F32 || kind == SNT_U32 ? 4 : kind == SNT_U16 ? 2 : 1;
    uint32_t stride = (uint32_t)number(v, "byteStride");
    stride = stride != 0 ? stride : width * bytes;
    const uint8_t *at = p->bin + (size_t)number(v, "byteOffset") + (size_t)number(a, "byteOffset") +
                        (size_t)i * stride + component * bytes;
    float real;
    uint16_t two;
    uint32_t four;
    memcpy(&two, at, 2);
    memcpy(&four, at, 4);
    memcpy(&real, at, 4);
    return kind == SNT_F32 ? real : kind == SNT_U32 ? four : kind == SNT_U16 ? two : *at;
}

static const sn_value *plain_at(const sn_value *value, const char *key, uint32_t index) {
    return sn_value_at(sn_value_get(value, key), index);
}

static void compare_mesh(const plain *p, const sn_mesh *mesh) {
    const sn_value *primitive = plain_at(plain_at(p->root, "meshes", 0), "primitives", 0);
    const sn_value *attributes = sn_value_get(primitive, "attributes");
    const sn_value *skin = plain_at(p->root, "skins", 0);
    uint32_t binds = (uint32_t)number(skin, "inverseBindMatrices");
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        uint32_t at = mesh->weights->offsets[v];
        for (uint32_t k = 0; k < 4; ++k) {
            double weight = plain_value(p, (uint32_t)number(attributes, "WEIGHTS_0"), v, k);
            if (k < 3) {
                assert_true(mesh->positions[3 * v + k] ==
                            plain_value(p, (uint32_t)number(attributes, "POSITION"), v, k));
            }
            if (weight != 0) {
                assert_true(mesh->weights->values[at] == weight);
                assert_true(mesh->weights->bones[at++] ==
                            plain_value(p, (uint32_t)number(attributes, "JOINTS_0"), v, k));
            }
        }
        assert_int_equal(at, mesh->weights->offsets[v + 1]);
    }
    for (uint32_t i = 0; i < mesh->corner_count; ++i) {
        bool indexed = sn_value_get(primitive, "indices") != NULL;
        assert_true(mesh->corners[i] ==
                    (indexed ? plain_value(p, (uint32_t)number(primitive, "indices"), i, 0) : i));
    }
    for (uint32_t b = 0; b < mesh->weights->bone_count; ++b) {
        uint32_t node = (uint32_t)sn_value_number(plain_at(skin, "joints", b), 0);
        const char *name = sn_value_string(sn_value_get(plain_at(p->root, "nodes", node), "name"),
                                           mesh->weights->bone_names[b]);
        assert_string_equal(mesh->weights->bone_names[b], name);
        for (uint32_t k = 0; k < 16; ++k) {
            snt_near(mesh->weights->inverse_bind[b].m[k], plain_value(p, binds, b, k), 1e-6);
        }
    }
}

static void compare_clip(const plain *p, uint32_t index, const sn_clip *clip) {
    const sn_value *animation = plain_at(p->root, "animations", index);
    assert_int_equal(clip->track_count, sn_value_count(sn_value_get(animation, "channels")));
    for (uint32_t t = 0; t < clip->track_count; ++t) {
        const sn_track *track = &clip->tracks[t];
        const sn_value *channel = plain_at(animation, "channels", t);
        const sn_value *sampler =
            plain_at(animation, "samplers", (uint32_t)number(channel, "sampler"));
        uint32_t width = sn_track_width(track);
        for (uint32_t k = 0; k < track->key_count; ++k) {
            assert_true(track->times[k] ==
                        plain_value(p, (uint32_t)number(sampler, "input"), k, 0));
            for (uint32_t c = 0; c < width; ++c) {
                double raw = plain_value(p, (uint32_t)number(sampler, "output"), k, c);
                snt_near(track->values[k * width + c], raw, 2e-6);
            }
        }
    }
}

static void reads_the_samples(void **state) {
    (void)state;
    static const struct {
        const char *path;
        uint32_t vertices, faces, bones, segments, clips, frames;
    } samples[] = {
        {"gltf/CesiumMan.glb", 3273, 4672, 19, 21, 1, 61},
        {"gltf/RiggedFigure.glb", 370, 256, 19, 21, 1, 38},
        {"gltf/RiggedSimple.glb", 160, 188, 2, 4, 1, 63},
        {"gltf/Fox.glb", 1728, 576, 24, 25, 3, 103},
        {"human/human.glb", 13380, 26756, 163, 163, 0, 0},
        {"human/human_male_muscular.glb", 13380, 26756, 163, 163, 0, 0},
        {"animal/dog/dog.glb", 16952, 33900, 61, 61, 0, 0},
    };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; ++i) {
        const char *path = snt_data(samples[i].path);
        sn_context *context = snt_context(1);
        sn_import *import;
        snt_ok(sn_import_file(context, path, &import, error));
        assert_int_equal(import->mesh_count, 1);
        const sn_mesh *mesh = import->meshes[0];
        assert_int_equal(mesh->vertex_count, samples[i].vertices);
        assert_int_equal(mesh->face_count, samples[i].faces);
        assert_int_equal(mesh->weights->bone_count, samples[i].bones);
        assert_int_equal(import->skeleton.segment_count, samples[i].segments);
        assert_int_equal(import->clip_count, samples[i].clips);
        plain p = open_plain(context, path);
        compare_mesh(&p, mesh);
        for (uint32_t c = 0; c < import->clip_count; ++c) {
            compare_clip(&p, c, import->clips[c]);
        }
        if (samples[i].clips > 0) {
            assert_int_equal(import->clips[0]->frame_count, samples[i].frames);
        }
        sn_json_destroy(p.json);
        sni_free(context, p.bytes);
        sn_import_destroy(import);
        snt_context_end(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_triangle),
        cmocka_unit_test(reads_every_mode),
        cmocka_unit_test(reads_strided_views),
        cmocka_unit_test(reads_every_component_type),
        cmocka_unit_test(reads_sparse_accessors),
        cmocka_unit_test(joins_primitives),
        cmocka_unit_test(reads_materials_and_files_beside),
        cmocka_unit_test(reads_nodes),
        cmocka_unit_test(reads_weights),
        cmocka_unit_test(reads_targets),
        cmocka_unit_test(reads_animations),
        cmocka_unit_test(names_targets_by_what_moves_them),
        cmocka_unit_test(reads_the_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
