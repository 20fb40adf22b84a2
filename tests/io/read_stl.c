// SPDX-License-Identifier: Apache-2.0
#include "io_test.h"

#include <math.h>

static const char ascii[] = "solid my part\n"
                            "facet normal nan nan nan\n"
                            "  outer loop\n"
                            "    vertex 0 0 0\n"
                            "    vertex 1e0 0 0\n"
                            "    vertex 0 1.5 0\n"
                            "  endloop\n"
                            "endfacet\n"
                            "FACET NORMAL 0 0 1\r\n"
                            "OUTER LOOP VERTEX 0 0 0 VERTEX 0 1.5 0 VERTEX -1 0 0 ENDLOOP\r\n"
                            "ENDFACET\r\n"
                            "endsolid my part\n";

// A binary file of two triangles with the same positions; `header` fills its first 80 bytes.
static snt_file binary(const char *header, unsigned char bytes[84 + 100]) {
    static const float positions[18] = {0, 0, 0, 1, 0,    0, 0,  1.5f, 0,
                                        0, 0, 0, 0, 1.5f, 0, -1, 0,    0};
    memset(bytes, 0, 184);
    memcpy(bytes, header, strlen(header));
    bytes[80] = 2;
    for (int t = 0; t < 2; ++t) {
        unsigned char *triangle = bytes + 84 + 50 * t;
        memset(triangle, 0xff, 12); // a normal of nan
        for (int i = 0; i < 9; ++i) {
            uint32_t bits;
            memcpy(&bits, &positions[9 * t + i], 4);
            for (int k = 0; k < 4; ++k) {
                triangle[12 + 4 * i + k] = (unsigned char)(bits >> 8 * k);
            }
        }
    }
    return (snt_file){"part.stl", bytes, 184};
}

static void check_two_triangles(const sn_mesh *mesh) {
    const float positions[18] = {0, 0, 0, 1, 0, 0, 0, 1.5f, 0, 0, 0, 0, 0, 1.5f, 0, -1, 0, 0};
    const uint32_t corners[] = {0, 1, 2, 3, 4, 5}, offsets[] = {0, 3, 6};
    assert_int_equal(mesh->vertex_count, 6);
    assert_int_equal(mesh->face_count, 2);
    assert_int_equal(mesh->corner_count, 6);
    assert_memory_equal(mesh->positions, positions, sizeof positions);
    assert_memory_equal(mesh->corners, corners, sizeof corners);
    assert_memory_equal(mesh->face_offsets, offsets, sizeof offsets);
    assert_int_equal(mesh->attribute_count, 0);
}

static void reads_ascii(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(context, snt_text("part.stl", ascii));
    assert_int_equal(import->mesh_count, 1);
    assert_string_equal(import->meshes[0]->name, "my part");
    check_two_triangles(import->meshes[0]);
    sn_import_destroy(import);
    snt_context_end(context);
}

static void reads_binary(void **state) {
    (void)state;
    static const char *const headers[] = {"made by a program", "solid part",
                                          "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n"};
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i) {
        unsigned char bytes[184];
        sn_import *import = snt_load(context, binary(headers[i], bytes));
        assert_string_equal(import->meshes[0]->name, "part");
        check_two_triangles(import->meshes[0]);
        sn_import_destroy(import);
    }
    snt_context_end(context);
}

static void each_solid_is_a_mesh(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    char text[2048];
    snprintf(text, sizeof text, "solid a\nendsolid a\nsolid\nendsolid\n%ssolid a\nendsolid", ascii);
    sn_import *import = snt_load(context, snt_text("part.stl", text));
    static const char *const names[] = {"a", "part", "my part", "a.2"};
    assert_int_equal(import->mesh_count, 4);
    for (uint32_t i = 0; i < 4; ++i) {
        assert_string_equal(import->meshes[i]->name, names[i]);
        assert_int_equal(import->meshes[i]->face_count, i == 2 ? 2 : 0);
    }
    sn_import_destroy(import);
    snt_context_end(context);
}

#define FACET "solid\nfacet normal 0 0 1\nouter loop\n"

static void refuses_wrong_text(void **state) {
    (void)state;
    static const snt_refusal cases[] = {
        {"", SN_SYNTAX, "x.stl: 0 bytes are too few for an STL file"},
        {"hello", SN_SYNTAX, "5 bytes are too few for an STL file"},
        {"solid", SN_SYNTAX, "expected facet or endsolid, found the end of the file"},
        {"solid a\nfact", SN_SYNTAX, "x.stl:2: expected facet or endsolid, found \"fact\""},
        {FACET "vertex 0 0\nvertex 0 0 0", SN_SYNTAX, "x.stl:5: expected a coordinate, found"},
        {FACET "vertex 0 0 x", SN_SYNTAX, "x.stl:4: expected a coordinate, found \"x\""},
        {FACET "vertex 0 0 nan", SN_SYNTAX, "expected a coordinate, found \"nan\""},
        {FACET "vertex 0 0 1e60", SN_INVALID, "a coordinate is too large: \"1e60\""},
        {FACET "vertex 0 0 0\nvertex 0 0 0\nendloop", SN_SYNTAX,
         "x.stl:6: expected vertex, found \"endloop\""},
        {FACET "vertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0", SN_SYNTAX,
         "x.stl:7: expected endloop, found \"vertex\""},
        {FACET "vertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\nendloop\nendfacet\n", SN_SYNTAX,
         "expected facet or endsolid, found the end of the file"},
        {"solid a\nendsolid\nmore", SN_SYNTAX, "x.stl:3: expected solid, found \"more\""},
    };
    snt_refuses_all("x.stl", cases);
}

static void refuses_wrong_binary(void **state) {
    (void)state;
    unsigned char bytes[184 + 1];
    snt_file file = binary("solid part", bytes);
    file.size = 183;
    snt_refuses_file(file, SN_SYNTAX,
                     "part.stl: a binary STL file of 2 triangles has 184 bytes, not 183");
    file.size = 185;
    bytes[184] = 0;
    snt_refuses_file(file, SN_SYNTAX, "2 triangles has 184 bytes, not 185");
    file = binary("part", bytes);
    memset(bytes + 80, 0xff, 4);
    snt_refuses_file(file, SN_SYNTAX, "of 4294967295 triangles");
    file = binary("part", bytes);
    memcpy(bytes + 84 + 50 + 12 + 4, "\x00\x00\xc0\x7f", 4); // nan
    snt_refuses_file(file, SN_INVALID, "vertex 3 has the y coordinate");
    file = binary("part", bytes);
    memcpy(bytes + 84 + 12, "\x00\x00\x80\xff", 4); // -inf
    snt_refuses_file(file, SN_INVALID, "vertex 0 has the x coordinate");
}

static void survives_truncation(void **state) {
    (void)state;
    unsigned char bytes[184];
    snt_survives_truncation(snt_text("part.stl", ascii));
    snt_survives_truncation(binary("solid part", bytes));
}

static void survives_failed_allocations(void **state) {
    (void)state;
    unsigned char bytes[184];
    snt_survives_failed_allocations(snt_text("part.stl", ascii));
    snt_survives_failed_allocations(binary("part", bytes));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_ascii),
        cmocka_unit_test(reads_binary),
        cmocka_unit_test(each_solid_is_a_mesh),
        cmocka_unit_test(refuses_wrong_text),
        cmocka_unit_test(refuses_wrong_binary),
        cmocka_unit_test(survives_truncation),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
