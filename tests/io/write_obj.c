// SPDX-License-Identifier: Apache-2.0
#include "io_test.h"

#include <float.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

// N-gons, a concave face, three faces on an edge, loose and doubled vertices, all index forms,
// runs.
static const char everything[] = "o thing\n"
                                 "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.25 0\nv 0 0 1\n"
                                 "v 0 0 -1\nv 7 8 9\nv 1 1 0\n"
                                 "vt 0 0\nvt 1 0\nvt 0.125 1\nvt 5 5\n"
                                 "vn 0 0 1\nvn 0 1 0\n"
                                 "g front side\nusemtl red\ns 1\n"
                                 "f 1 2 3 4\nf 1/1 2/2 3/3 4/1 5/2\n"
                                 "s off\ng\n"
                                 "f 1//1 2//1 6//2\nf 1/1/1 2/2/1 7/3/2\nf 1 2 9\n"
                                 "l 1/1 2/2\nl 2 3\nf 1//1 2\np 8\nf 9/4\n"
                                 "usemtl last\n";

static sn_import *write_and_read(sn_context *context, const sn_mesh *mesh, const char *name) {
    const char *path = snt_scratch(name);
    sn_import *import = NULL;
    snt_ok(sn_export_mesh(mesh, path, error));
    snt_ok(sn_import_file(context, path, &import, error));
    return import;
}

static void what_was_read_is_written_and_read_again(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *first = snt_load(context, snt_text("thing.obj", everything));
    sn_import *second = write_and_read(context, first->meshes[0], "thing.obj");
    snt_meshes_equal(first->meshes[0], second->meshes[0]);
    size_t size;
    char *text = snt_read(snt_scratch("thing.obj"), &size);
    // The file is canonical already but for the order of o, which names what follows.
    const char *body = strstr(everything, "v 0 0 0");
    assert_memory_equal(text, body, strlen("v 0 0 0\nv 1 0 0\n"));
    assert_non_null(strstr(text, "o thing\ng front side\nusemtl red\ns 1\nf 1 2 3 4\n"));
    assert_non_null(strstr(text, "f 1/1 2/2 3/3 4/1 5/2\ns off\ng\nf 1//1 2//1 6//2\n"));
    assert_non_null(strstr(text, "l 1/1 2/2\nl 2 3\nf 1//1 2\np 8\nf 9/4\nusemtl last\n"));
    free(text);
    sn_import_destroy(first);
    sn_import_destroy(second);
    snt_context_end(context);
}

static void numbers_survive(void **state) {
    (void)state;
    const float special[] = {0.1f,     -0.0f,       1.0f / 3, FLT_MAX, FLT_MIN,    1e-45f,
                             16777215, 123456.789f, 1e-7f,    -1e20f,  9.99999e8f, 0.3f};
    sn_context *context = snt_context(1);
    sn_mesh *mesh = NULL;
    uint32_t count = 2000;
    snt_ok(sn_mesh_create(context, "n", count, 0, 0, &mesh, error));
    snt_random random = {.state = 7};
    for (uint32_t i = 0; i < 3 * count; ++i) {
        uint32_t bits = snt_random_u32(&random);
        memcpy(&mesh->positions[i], &bits, 4);
        if (!isfinite(mesh->positions[i]) || i < sizeof special / sizeof *special) {
            mesh->positions[i] = special[i % (sizeof special / sizeof *special)];
        }
    }
    sn_import *import = write_and_read(context, mesh, "n.obj");
    assert_memory_equal(import->meshes[0]->positions, mesh->positions, 3 * count * sizeof(float));
    sn_import_destroy(import);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void colors_and_materials_survive(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *first = snt_load(
        context, snt_text("c.obj", "v 0 0 0 1 0.5 0.25\nv 1 0 0 0 0 1\nv 2 0 0 0.1 0.2 0.3\n"
                                   "usemtl some name\nf 1 2 3\n"));
    sn_material *material;
    snt_ok(sn_mesh_add_material(first->meshes[0], "some name", &material, error));
    material->base_color[0] = 0.1f;
    material->base_color[3] = 0.7f;
    material->metallic = 0.3f;
    sn_import *second = write_and_read(context, first->meshes[0], "c.obj");
    snt_meshes_equal(first->meshes[0], second->meshes[0]);
    sn_import_destroy(first);
    sn_import_destroy(second);
    snt_context_end(context);
}

static void values_per_vertex_become_indices(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *first = snt_load(context, snt_text("u.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 3 1 2\n"));
    sn_attribute *uv;
    snt_ok(sn_mesh_add_attribute(first->meshes[0], "uv", 2, 3, false, &uv, error));
    for (int i = 0; i < 6; ++i) {
        uv->values[i] = (float)i;
    }
    sn_import *second = write_and_read(context, first->meshes[0], "u.obj");
    const sn_attribute *read = sn_mesh_find_attribute(second->meshes[0], "uv");
    const uint32_t corners[] = {2, 0, 1};
    assert_memory_equal(read->values, uv->values, 6 * sizeof(float));
    assert_memory_equal(read->corner, corners, sizeof corners);
    sn_import_destroy(first);
    sn_import_destroy(second);
    snt_context_end(context);
}

static void names_cannot_break_the_file(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *first = snt_load(context, snt_text("b.obj", "v 0 0 0\np 1\n"));
    snt_ok(sn_mesh_add_run(first->meshes[0], SN_RUN_GROUP, 0, " a\nv 1 1 1\\", error));
    sn_import *second = write_and_read(context, first->meshes[0], "b.obj");
    assert_int_equal(second->meshes[0]->vertex_count, 1);
    assert_string_equal(second->meshes[0]->runs[0].name, "_a_v 1 1 1_");
    sn_import_destroy(first);
    sn_import_destroy(second);
    snt_context_end(context);
}

static void shared_meshes_survive(void **state) {
    (void)state;
    static const char *const files[] = {"human/base.obj", "human/human_eyes_teeth.obj",
                                        "face/generic_neutral.obj"};
    snt_data(files[0]); // skips before anything is made
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        sn_import *first = NULL;
        snt_ok(sn_import_file(context, snt_data(files[i]), &first, error));
        sn_import *second = write_and_read(context, first->meshes[0], strrchr(files[i], '/') + 1);
        snt_meshes_equal(first->meshes[0], second->meshes[0]);
        sn_import_destroy(first);
        sn_import_destroy(second);
    }
    snt_context_end(context);
}

static void refuses_what_it_cannot_write(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(context, snt_text("b.obj", "v 0 0 0\np 1\n"));
    sn_mesh *mesh = import->meshes[0];
    snt_fails(SN_UNSUPPORTED, "out.xyz: meshes \".xyz\" are not written; sinew writes .obj",
              sn_export_mesh(mesh, "out.xyz", error));
    snt_fails(SN_IO, "no/such/out.obj: cannot write",
              sn_export_mesh(mesh, "no/such/out.obj", error));
    mesh->corners[0] = 5;
    snt_fails(SN_INVALID, "uses vertex 5", sn_export_mesh(mesh, snt_scratch("out.obj"), error));
    assert_int_not_equal(access(snt_scratch("out.obj"), F_OK), 0);
    sn_import_destroy(import);
    snt_context_end(context);
}

static sn_status write_attempt(sn_context *context, void *user, sn_error *error) {
    sn_import *import = NULL;
    sn_status status =
        sn_import_memory(context, "thing.obj", everything, strlen(everything), &import, error);
    if (status == SN_OK) {
        sn_material *material;
        status = sn_mesh_add_material(import->meshes[0], "red", &material, error);
    }
    if (status == SN_OK) {
        status = sn_export_mesh(import->meshes[0], user, error);
    }
    sn_import_destroy(import);
    return status;
}

static void survives_failed_allocations(void **state) {
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s", snt_scratch("memory.obj"));
    snt_fail_allocations(write_attempt, path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_read_is_written_and_read_again),
        cmocka_unit_test(numbers_survive),
        cmocka_unit_test(colors_and_materials_survive),
        cmocka_unit_test(values_per_vertex_become_indices),
        cmocka_unit_test(names_cannot_break_the_file),
        cmocka_unit_test(shared_meshes_survive),
        cmocka_unit_test(refuses_what_it_cannot_write),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
