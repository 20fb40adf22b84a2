// SPDX-License-Identifier: Apache-2.0
#include "io_test.h"

#include <math.h>

// A cube side as a quad, a concave pentagon, three triangles on the edge 1-2, a loose vertex, two
// vertices at one place, groups, materials and every index form.
static const char everything[] = "# everything\n"
                                 "o thing\n"
                                 "v 0 0 0\n"
                                 "v 1 0 0\n"
                                 "v 1 1 0\n"
                                 "v 0 1 0\n"
                                 "v 0.5 0.25 0\n" // the dent of the pentagon
                                 "v 0 0 1\n"
                                 "v 0 0 -1\n"
                                 "v 7 8 9\n" // loose
                                 "v 1 1 0\n" // again
                                 "vt 0 0\n"
                                 "vt 1 0\n"
                                 "vt 0.125 1\n"
                                 "vn 0 0 1\n"
                                 "vn 0 1 0\n"
                                 "g front side\n"
                                 "usemtl red stuff\n"
                                 "s 1\n"
                                 "f 1 2 3 4\n"
                                 "f 1/1 2/2 3/3 4/1 5/2\n"
                                 "s off\n"
                                 "g\n"
                                 "f 1//1 2//1 6//2\n"
                                 "f 1/1/1 2/2/1 7/3/2\n"
                                 "f -9 -8 -1\n"
                                 "l 1/1 2/2 3/1\n"
                                 "p 8\n"
                                 "usemtl last\n";

static void reads_everything(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(context, snt_text("folder/file.obj", everything));
    assert_int_equal(import->mesh_count, 1);
    assert_int_equal(import->mesh_nodes[0], SN_NONE);
    assert_int_equal(import->clip_count, 0);
    assert_int_equal(import->skeleton.segment_count, 0);
    const sn_mesh *mesh = import->meshes[0];
    assert_string_equal(mesh->name, "thing");
    assert_int_equal(mesh->vertex_count, 9);
    const float dent[] = {0.5f, 0.25f, 0};
    assert_memory_equal(mesh->positions + 12, dent, sizeof dent);
    const uint32_t offsets[] = {0, 4, 9, 12, 15, 18, 20, 22, 23};
    assert_int_equal(mesh->face_count, 8);
    assert_memory_equal(mesh->face_offsets, offsets, sizeof offsets);
    const uint32_t corners[] = {0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 5,
                                0, 1, 6, 0, 1, 8, 0, 1, 1, 2, 7};
    assert_int_equal(mesh->corner_count, 23);
    assert_memory_equal(mesh->corners, corners, sizeof corners);
    snt_ok(sn_mesh_validate(mesh, error));
    sn_import_destroy(import);
    snt_context_end(context);
}

static void keeps_indices_of_attributes(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(context, snt_text("file.obj", everything));
    const sn_mesh *mesh = import->meshes[0];
    const uint32_t n = SN_NONE;
    const uint32_t uv_corners[] = {n, n, n, n, 0, 1, 2, 0, 1, n, n, n,
                                   0, 1, 2, n, n, n, 0, 1, 1, 0, n};
    const uint32_t normal_corners[] = {n, n, n, n, n, n, n, n, n, 0, 0, 1,
                                       0, 0, 1, n, n, n, n, n, n, n, n};
    const float uv_values[] = {0, 0, 1, 0, 0.125f, 1};
    const float normal_values[] = {0, 0, 1, 0, 1, 0};
    const sn_attribute *uv = sn_mesh_find_attribute(mesh, "uv");
    const sn_attribute *normal = sn_mesh_find_attribute(mesh, "normal");
    assert_int_equal(mesh->attribute_count, 2);
    assert_int_equal(uv->width, 2);
    assert_int_equal(uv->count, 3);
    assert_memory_equal(uv->values, uv_values, sizeof uv_values);
    assert_memory_equal(uv->corner, uv_corners, sizeof uv_corners);
    assert_int_equal(normal->width, 3);
    assert_int_equal(normal->count, 2);
    assert_memory_equal(normal->values, normal_values, sizeof normal_values);
    assert_memory_equal(normal->corner, normal_corners, sizeof normal_corners);
    sn_import_destroy(import);
    snt_context_end(context);
}

static void keeps_runs_in_order(void **state) {
    (void)state;
    static const sn_run expected[] = {
        {SN_RUN_OBJECT, 0, "thing"},       {SN_RUN_GROUP, 0, "front side"},
        {SN_RUN_MATERIAL, 0, "red stuff"}, {SN_RUN_SMOOTHING, 0, "1"},
        {SN_RUN_SMOOTHING, 2, "off"},      {SN_RUN_GROUP, 2, ""},
        {SN_RUN_MATERIAL, 8, "last"},
    };
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(context, snt_text("file.obj", everything));
    const sn_mesh *mesh = import->meshes[0];
    assert_int_equal(mesh->run_count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < mesh->run_count; ++i) {
        assert_int_equal(mesh->runs[i].kind, expected[i].kind);
        assert_int_equal(mesh->runs[i].first_face, expected[i].first_face);
        assert_string_equal(mesh->runs[i].name, expected[i].name);
    }
    sn_import_destroy(import);
    snt_context_end(context);
}

static void line_ends_blanks_and_comments_do_not_matter(void **state) {
    (void)state;
    static const char plain[] = "g a b\nv 1 2 3\nv 4 5 6\nv 7 8 9\nf 1 2 3\n";
    static const char *const others[] = {
        "g a b\r\nv 1 2 3\r\nv 4 5 6\r\nv 7 8 9\r\nf 1 2 3\r\n",
        "g a b\rv 1 2 3\rv 4 5 6\rv 7 8 9\rf 1 2 3",
        "\xef\xbb\xbfg a b\nv 1 2 3\nv 4 5 6\nv 7 8 9\nf 1 2 3\n",
        "# comment \\\n\n\n\t g  a b  \n v\t1  2\t3 # x\nv 4 5 6\nv 7.0 .8e1 +9.\nf 1 2 3#\n",
        "g a \\\n b\nv 1 \\\n2 3\nv 4 5\\\r\n6\nv 7 8 9\nf 1 \\\n 2\\\n3\n",
        "g a b\nunknown 1 2 3\nv 1 2 3\nv 4 5 6\nlod 3\nv 7 8 9\nf 1/ 2// 3\n",
        "g a b\nf 1 2 3\nv 1 2 3\nv 4 5 6\nv 7 8 9\n", // faces may come first
        "g a b\nv 1 2 3 1\nv 4 5 6 1\nv 7 8 9 0.5\nf 1 2 3\n",
    };
    sn_context *context = snt_context(1);
    sn_import *expected = snt_load(context, snt_text("file.obj", plain));
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        sn_import *import = snt_load(context, snt_text("file.obj", others[i]));
        snt_meshes_equal(import->meshes[0], expected->meshes[0]);
        sn_import_destroy(import);
    }
    sn_import_destroy(expected);
    snt_context_end(context);
}

static void reads_colors(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(
        context,
        snt_text("c.obj", "v 0 0 0\nv 1 0 0 0.25 0.5 0.75\nv 2 0 0\nv 3 0 0 1 0 0\nv 4 0 0\n"));
    const sn_mesh *mesh = import->meshes[0];
    const sn_attribute *color = sn_mesh_find_attribute(mesh, "color");
    const float expected[] = {1, 1, 1, 0.25f, 0.5f, 0.75f, 1, 1, 1, 1, 0, 0, 1, 1, 1};
    assert_non_null(color);
    assert_int_equal(color->width, 3);
    assert_null(color->corner);
    assert_memory_equal(color->values, expected, sizeof expected);
    assert_int_equal(mesh->face_count, 0);
    assert_string_equal(mesh->name, "c");
    sn_import_destroy(import);
    snt_context_end(context);
}

static void names_the_mesh_after_its_one_object(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"a/b/some.file.obj", "v 0 0 0\n", "some.file"},
        {"x.obj", "o body\nv 0 0 0\n", "body"},
        {"x.obj", "o one\nv 0 0 0\no two\n", "x"},
        {"x.obj", "o\nv 0 0 0\n", "x"},
    };
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_import *import = snt_load(context, snt_text(cases[i][0], cases[i][1]));
        assert_string_equal(import->meshes[0]->name, cases[i][2]);
        sn_import_destroy(import);
    }
    snt_context_end(context);
}

static void reads_material_libraries(void **state) {
    (void)state;
    snt_write(snt_scratch("some colors.mtl"), "# two\nnewmtl red\nKd 1 0.5 0.25\nd 0.5\nPr 0.75\n"
                                              "map_Kd red.png\nnewmtl grey one\n\tKd 0.5\n"
                                              "Pm 1\nKa 1 1 1\nTr 0.25\n");
    const char *path = snt_scratch("material.obj");
    snt_write(path,
              "mtllib some colors.mtl\nmtllib absent.mtl other.mtl\nv 0 0 0\nusemtl red\np 1\n");
    sn_context *context = snt_context(1);
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, path, &import, error));
    const sn_mesh *mesh = import->meshes[0];
    const float red[] = {1, 0.5f, 0.25f, 0.5f}, grey[] = {0.5f, 0.5f, 0.5f, 0.75f};
    assert_int_equal(mesh->material_count, 2);
    assert_string_equal(mesh->materials[0].name, "red");
    assert_memory_equal(mesh->materials[0].base_color, red, sizeof red);
    assert_true(mesh->materials[0].roughness == 0.75f);
    assert_string_equal(mesh->materials[1].name, "grey one");
    assert_memory_equal(mesh->materials[1].base_color, grey, sizeof grey);
    assert_true(mesh->materials[1].metallic == 1);
    sn_import_destroy(import);
    // A library outside of the folder is not read, as if it were not there.
    char outside[4096];
    snprintf(outside, sizeof outside, "mtllib %s\nv 0 0 0\nusemtl red\np 1\n",
             snt_source("docs/example.obj"));
    snt_write(path, outside);
    snt_ok(sn_import_file(context, path, &import, error));
    assert_int_equal(import->meshes[0]->material_count, 0);
    sn_import_destroy(import);
    snt_write(snt_scratch("wrong.mtl"), "newmtl a\nKd 1 x 1\n");
    snt_write(path, "mtllib wrong.mtl\nv 0 0 0\n");
    snt_fails(SN_SYNTAX, "wrong.mtl:2: expected green, found \"x\"",
              sn_import_file(context, path, &import, error));
    snt_context_end(context);
}

static void refuses_wrong_files(void **state) {
    (void)state;
    static const snt_refusal cases[] = {
        {"", SN_SYNTAX, "x.obj: an OBJ file without vertices"},
        {"hello world\n", SN_SYNTAX, "without vertices"},
        {"v 0 0 0\nf 1 1 2\n", SN_INVALID, "x.obj:2: a face uses vertex 2, but there are 1"},
        {"v 0 0 0\nv 0 0 0\nf 1 2\nf 1 2 0\n", SN_INVALID, "x.obj:4: vertex 0: OBJ counts from 1"},
        {"v 0 0 0\nf 1 -2 1\n", SN_INVALID, "a face uses vertex -2, but 1 stand before it"},
        {"v 0 0 0\nf 1/1 1 1\n", SN_INVALID, "a face uses texture coordinate 1, but there are 0"},
        {"v 0 0 0\nvt 0\nf 1/1/5 1 1\n", SN_INVALID, "a face uses normal 5, but there are 0"},
        {"v 0 0 0\nf 4294967295 1 1\n", SN_INVALID, "vertex 4294967295"},
        {"v 0 0 0\nf 4294967296 1 1\n", SN_SYNTAX, "found \"4294967296\""},
        {"v 0 0 0\nf 1/x 1 1\n", SN_SYNTAX, "found \"1/x\""},
        {"v 0 0 0\nf 1/1/1/1 1 1\n", SN_SYNTAX, "v/vt/vn, found \"1/1/1/1\""},
        {"v 0 0 0\nf 1.5 1 1\n", SN_SYNTAX, "found \"1.5\""},
        {"v 0 0 0\nf\n", SN_SYNTAX, "x.obj:2: a face has no corners"},
        {"v 0 0 0\nl 1\n", SN_SYNTAX, "a line has 1 of at least 2 vertices"},
        {"v 0 0\n", SN_SYNTAX, "a vertex has 2 numbers"},
        {"v 0 0 0 0 0\n", SN_SYNTAX, "a vertex has 5 numbers"},
        {"v 0 0 0 1 1 1 1\n", SN_SYNTAX, "more than 6 numbers"},
        {"v 0 nan 0\n", SN_SYNTAX, "x.obj:1: expected a number, found \"nan\""},
        {"v 0 inf 0\n", SN_SYNTAX, "expected a number, found \"inf\""},
        {"v 0 1e39 0\n", SN_INVALID, "a number is too large: \"1e39\""},
        {"v 0 1e999 0\n", SN_INVALID, "a number is too large: \"1e999\""},
        {"v 0 1,5 0\n", SN_SYNTAX, "found \"1,5\""},
        {"vt\nv 0 0 0\n", SN_SYNTAX, "a texture coordinate has no numbers"},
        {"vn 1 0\nv 0 0 0\n", SN_SYNTAX, "a normal has 2 numbers, not 3"},
        {"v 0 0 0\ncstype bspline\n", SN_UNSUPPORTED, "x.obj:2: free-form curves and surfaces"},
        {"v 0 0 0\ncurv 0 1 1\n", SN_UNSUPPORTED, "(\"curv\") are not read, polygons only"},
        {"v 0 0 0\ncall other.obj\n", SN_UNSUPPORTED, "the statement \"call\" is not supported"},
    };
    snt_refuses_all("x.obj", cases);
}

static void survives_truncation(void **state) {
    (void)state;
    snt_survives_truncation(snt_text("file.obj", everything));
}

static void survives_failed_allocations(void **state) {
    (void)state;
    snt_survives_failed_allocations(snt_text("file.obj", everything));
}

typedef struct log_count {
    uint32_t lines;
    char last[512];
} log_count;

static void count_line(sn_log_level level, const char *topic, const char *message, void *user) {
    (void)level;
    log_count *count = user;
    assert_string_equal(topic, "io");
    snprintf(count->last, sizeof count->last, "%s", message);
    count->lines++;
}

static void tells_what_it_ignores_once(void **state) {
    (void)state;
    log_count count = {0};
    sn_context_desc desc = sn_context_desc_default();
    desc.log = count_line;
    desc.log_user = &count;
    sn_context *context = NULL;
    snt_ok(sn_context_create(&desc, &context, error));
    sn_import *import =
        snt_load(context, snt_text("x.obj", "v 0 0 0\nbevel on\nlod 1\nbevel off\nshadow_obj a\n"));
    assert_int_equal(count.lines, 1);
    assert_non_null(strstr(count.last, "x.obj: ignored 4 statements"));
    assert_non_null(strstr(count.last, "\"bevel\" in line 2"));
    sn_import_destroy(import);
    sn_context_destroy(context);
}

static void loads_the_human_bodies(void **state) {
    (void)state;
    static const char *const files[] = {"human/human.obj", "human/human_male.obj",
                                        "human/human_male_muscular.obj", "human/human_female.obj"};
    snt_data(files[0]); // skips before anything is made
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        sn_import *import = NULL;
        snt_ok(sn_import_file(context, snt_data(files[i]), &import, error));
        const sn_mesh *mesh = import->meshes[0];
        assert_int_equal(import->mesh_count, 1);
        assert_int_equal(mesh->vertex_count, 13380);
        assert_int_equal(mesh->face_count, 13378);
        assert_int_equal(mesh->corner_count, 4 * 13378);
        assert_int_equal(sn_mesh_find_attribute(mesh, "uv")->count, 14517);
        sn_vec3 low, high;
        sn_mesh_bounds(mesh, &low, &high);
        snt_near(high.y - low.y, 1.66, 0.09); // 1.59 to 1.73 m
        sn_import_destroy(import);
    }
    snt_context_end(context);
}

static void loads_other_shared_meshes(void **state) {
    (void)state;
    static const struct {
        const char *file;
        uint32_t vertices, faces, runs;
    } cases[] = {
        {"human/base.obj", 19158, 18486, 173},
        {"human/human_eyes_teeth.obj", 506, 460, 5},
        {"face/generic_neutral.obj", 26719, 26384, 17},
        {"animal/dog/dog_skin.obj", 16952, 33900, 0},
        {"anatomy/skull/cranium_solid.obj", 11990, 24000, 0},
    };
    snt_data(cases[0].file); // skips before anything is made
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_import *import = NULL;
        snt_ok(sn_import_file(context, snt_data(cases[i].file), &import, error));
        assert_int_equal(import->meshes[0]->vertex_count, cases[i].vertices);
        assert_int_equal(import->meshes[0]->face_count, cases[i].faces);
        assert_int_equal(import->meshes[0]->run_count, cases[i].runs);
        sn_import_destroy(import);
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_everything),
        cmocka_unit_test(keeps_indices_of_attributes),
        cmocka_unit_test(keeps_runs_in_order),
        cmocka_unit_test(line_ends_blanks_and_comments_do_not_matter),
        cmocka_unit_test(reads_colors),
        cmocka_unit_test(names_the_mesh_after_its_one_object),
        cmocka_unit_test(reads_material_libraries),
        cmocka_unit_test(refuses_wrong_files),
        cmocka_unit_test(survives_truncation),
        cmocka_unit_test(survives_failed_allocations),
        cmocka_unit_test(tells_what_it_ignores_once),
        cmocka_unit_test(loads_the_human_bodies),
        cmocka_unit_test(loads_other_shared_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
