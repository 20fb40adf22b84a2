// SPDX-License-Identifier: Apache-2.0
#include "io_test.h"

#include "io/import.h"

static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

static void an_unknown_extension_lists_what_is_read(void **state) {
    (void)state;
    snt_refuses("a/model.xyz", "text", SN_UNSUPPORTED,
                "a/model.xyz: files \".xyz\" are not read; sinew reads .glb .gltf .vrm .obj .stl "
                ".ply .bvh");
    snt_refuses("model", "text", SN_UNSUPPORTED,
                "model: a file without extension; sinew reads .glb");
    snt_refuses("", "", SN_UNSUPPORTED, "a file without extension");
}

static void extensions_have_no_case(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(context, snt_text("Model.OBJ", triangle));
    assert_string_equal(import->meshes[0]->name, "Model");
    sn_import_destroy(import);
    snt_context_end(context);
}

static void content_decides_without_an_extension(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(
        context, snt_text("download", "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\n"
                                      "property int y\nproperty int z\nend_header\n1 2 3\n"));
    assert_int_equal(import->meshes[0]->vertex_count, 1);
    sn_import_destroy(import);
    import = snt_load(context, snt_text("motion.txt", "HIERARCHY ROOT a { OFFSET 0 0 0 }\n"
                                                      "MOTION Frames: 1 Frame Time: 1\n"));
    assert_int_equal(import->skeleton.segment_count, 1);
    sn_import_destroy(import);
    snt_context_end(context);
}

static void every_listed_extension_has_a_reader(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char *const *extensions = sn_import_extensions();
    for (int i = 0; extensions[i] != NULL; ++i) {
        char name[64];
        snprintf(name, sizeof name, "file%s", extensions[i]);
        sn_import *import = NULL;
        sn_error found = {0};
        // Nonsense reaches the reader, which says more than that nobody knows it.
        sn_status status = sn_import_memory(context, name, "nonsense", 8, &import, &found);
        assert_int_not_equal(status, SN_OK);
        assert_int_not_equal(status, SN_UNSUPPORTED);
        assert_string_equal(found.source, name);
        assert_true(found.message[0] != 0);
    }
    snt_context_end(context);
}

static void a_missing_file_is_named(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = NULL;
    snt_fails(SN_IO, "no/such/file.obj: cannot open: No such file or directory",
              sn_import_file(context, "no/such/file.obj", &import, error));
    assert_null(import);
    snt_fails(SN_IO, "cannot read: Is a directory", sn_import_file(context, "/", &import, error));
    snt_context_end(context);
}

static void a_file_reads_as_its_bytes(void **state) {
    (void)state;
    const char *path = snt_scratch("same.obj");
    snt_write(path, triangle);
    sn_context *context = snt_context(1);
    sn_import *from_file = NULL;
    snt_ok(sn_import_file(context, path, &from_file, error));
    sn_import *from_memory = snt_load(context, snt_text("same.obj", triangle));
    snt_meshes_equal(from_file->meshes[0], from_memory->meshes[0]);
    sn_import_destroy(from_file);
    sn_import_destroy(from_memory);
    snt_context_end(context);
}

static void nothing_at_all_is_an_error(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = NULL;
    snt_fails(SN_SYNTAX, "empty.obj",
              sn_import_memory(context, "empty.obj", NULL, 0, &import, error));
    sn_import_destroy(NULL);
    snt_context_end(context);
}

static void names_become_unique(void **state) {
    (void)state;
    static const char *const given[] = {"a", "b", "a", "a.2", "", "a", ""};
    char *names[7];
    char **slots[7];
    uint32_t changed;
    sn_context *context = snt_context(1);
    for (int i = 0; i < 7; ++i) {
        names[i] = sni_string_copy(context, given[i]);
        slots[i] = &names[i];
    }
    snt_ok(sni_make_names_unique(context, slots, 7, "mesh", &changed, error));
    static const char *const expected[] = {"a", "b", "a.3", "a.2", "mesh4", "a.4", "mesh6"};
    assert_int_equal(changed, 4);
    for (int i = 0; i < 7; ++i) {
        assert_string_equal(names[i], expected[i]);
        sni_free(context, names[i]);
    }
    snt_context_end(context);
}

static void names_of_files(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"a/b.c/d.obj", "d"}, {"a.b.obj", "a.b"}, {"x", "x"}, {".obj", ".obj"}, {"a.b/c", "c"}};
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *name = sni_name_of_file(context, cases[i][0]);
        assert_string_equal(name, cases[i][1]);
        sni_free(context, name);
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_extension_lists_what_is_read),
        cmocka_unit_test(extensions_have_no_case),
        cmocka_unit_test(content_decides_without_an_extension),
        cmocka_unit_test(every_listed_extension_has_a_reader),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(a_file_reads_as_its_bytes),
        cmocka_unit_test(nothing_at_all_is_an_error),
        cmocka_unit_test(names_become_unique),
        cmocka_unit_test(names_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
