// SPDX-License-Identifier: Apache-2.0
#include "io_test.h"

#include <math.h>

static const char ascii[] = "ply\n"
                            "format ascii 1.0\n"
                            "comment property float confusion\n"
                            "obj_info anything\n"
                            "element vertex 5\n"
                            "property uchar red\n"
                            "property float z\n"
                            "property double y\n"
                            "property list uchar int neighbours\n"
                            "property float32 x\n"
                            "property uint8 blue\n"
                            "property uchar green\n"
                            "property float nx\nproperty float ny\nproperty float nz\n"
                            "property float s\nproperty float t\n"
                            "property short quality\n"
                            "element edge 1\n"
                            "property int vertex1\nproperty int vertex2\n"
                            "element face 2\n"
                            "property uchar flag\n"
                            "property list uchar int vertex_indices\n"
                            "end_header\n"
                            "255 3 2 0 1 51 102   0 0 1 0 0.5 -7\n"
                            "0 6 5 2 0 1 4 0 0   0 0 1 0.25 0.5 8\n"
                            "0 9 8 0 7 0 0   0 1 0 1 1 0\n"
                            "0 12 11 0 10 0 0   0 1 0 1 0 0\n"
                            "0 0 0 0 0.1 0 0   1 0 0 0 0 0\n"
                            "0 1\n"
                            "1 4 0 1 2 3\n"
                            "0 3 4 3 2\n";

static void check_small(const sn_mesh *mesh) {
    const float positions[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0.1f, 0, 0};
    const float normals[] = {0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0};
    const float uvs[] = {0, 0.5f, 0.25f, 0.5f, 1, 1, 1, 0, 0, 0};
    const float first_color[] = {1, 0.4f, 0.2f};
    const uint32_t offsets[] = {0, 4, 7}, corners[] = {0, 1, 2, 3, 4, 3, 2};
    assert_int_equal(mesh->vertex_count, 5);
    assert_int_equal(mesh->face_count, 2);
    assert_int_equal(mesh->corner_count, 7);
    assert_memory_equal(mesh->positions, positions, sizeof positions);
    assert_memory_equal(mesh->face_offsets, offsets, sizeof offsets);
    assert_memory_equal(mesh->corners, corners, sizeof corners);
    assert_int_equal(mesh->attribute_count, 3);
    const sn_attribute *normal = sn_mesh_find_attribute(mesh, "normal");
    const sn_attribute *uv = sn_mesh_find_attribute(mesh, "uv");
    const sn_attribute *color = sn_mesh_find_attribute(mesh, "color");
    assert_memory_equal(normal->values, normals, sizeof normals);
    assert_memory_equal(uv->values, uvs, sizeof uvs);
    assert_int_equal(color->width, 3);
    assert_memory_equal(color->values, first_color, sizeof first_color);
}

static void reads_ascii(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(context, snt_text("scan.ply", ascii));
    assert_string_equal(import->meshes[0]->name, "scan");
    check_small(import->meshes[0]);
    sn_import_destroy(import);
    snt_context_end(context);
}

// Writes the same mesh in binary by hand, faces before vertices.
typedef struct ply_bytes {
    unsigned char bytes[2048];
    size_t size;
    bool big_endian;
} ply_bytes;

static void put_text(ply_bytes *out, const char *text) {
    memcpy(out->bytes + out->size, text, strlen(text));
    out->size += strlen(text);
}

static void put_number(ply_bytes *out, uint64_t bits, int size) {
    for (int i = 0; i < size; ++i) {
        int shift = 8 * (out->big_endian ? size - 1 - i : i);
        out->bytes[out->size++] = (unsigned char)(bits >> shift);
    }
}

static void put_float(ply_bytes *out, float number) {
    uint32_t bits;
    memcpy(&bits, &number, 4);
    put_number(out, bits, 4);
}

static void put_double(ply_bytes *out, double number) {
    uint64_t bits;
    memcpy(&bits, &number, 8);
    put_number(out, bits, 8);
}

static snt_file make_binary(ply_bytes *out, bool big_endian, const char *end) {
    static const double rows[5][8] = {{1, 2, 3, 0, 0, 1, 0, 0.5},
                                      {4, 5, 6, 0, 0, 1, 0.25, 0.5},
                                      {7, 8, 9, 0, 1, 0, 1, 1},
                                      {10, 11, 12, 0, 1, 0, 1, 0},
                                      {0.1f, 0, 0, 1, 0, 0, 0, 0}};
    out->size = 0;
    out->big_endian = big_endian;
    put_text(out, "ply\nformat ");
    put_text(out, big_endian ? "binary_big_endian" : "binary_little_endian");
    put_text(out, " 1.0\nelement face 2\nproperty list ushort uint vertex_index\n"
                  "property list int8 double junk\nelement vertex 5\n"
                  "property double x\nproperty float y\nproperty int z\nproperty float nx\n"
                  "property char ny\nproperty uint nz\nproperty float texture_u\n"
                  "property float texture_v\nproperty float red\nproperty ushort green\n"
                  "property uchar blue\nend_header");
    put_text(out, end);
    static const uint32_t faces[2][5] = {{4, 0, 1, 2, 3}, {3, 4, 3, 2}};
    for (int f = 0; f < 2; ++f) {
        put_number(out, faces[f][0], 2);
        for (uint32_t i = 1; i <= faces[f][0]; ++i) {
            put_number(out, faces[f][i], 4);
        }
        put_number(out, 1, 1);
        put_double(out, NAN); // nobody asks
    }
    for (int v = 0; v < 5; ++v) {
        put_double(out, rows[v][0]);
        put_float(out, (float)rows[v][1]);
        put_number(out, (uint32_t)rows[v][2], 4);
        put_float(out, (float)rows[v][3]);
        put_number(out, (uint8_t)rows[v][4], 1);
        put_number(out, (uint32_t)rows[v][5], 4);
        put_float(out, (float)rows[v][6]);
        put_float(out, (float)rows[v][7]);
        put_float(out, v == 0 ? 1 : 0);
        put_number(out, v == 0 ? 26214 : 0, 2); // 0.4 of 65535
        put_number(out, v == 0 ? 51 : 0, 1);
    }
    return (snt_file){"scan.ply", out->bytes, out->size};
}

static void reads_binary_of_both_orders(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int i = 0; i < 4; ++i) {
        ply_bytes bytes;
        sn_import *import =
            snt_load(context, make_binary(&bytes, i % 2 == 1, i < 2 ? "\n" : "\r\n"));
        check_small(import->meshes[0]);
        sn_import_destroy(import);
    }
    snt_context_end(context);
}

static void negative_numbers_keep_their_sign(void **state) {
    (void)state;
    ply_bytes out = {.size = 0, .big_endian = true};
    put_text(&out, "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty int8 x\n"
                   "property int16 y\nproperty int32 z\nend_header\n");
    put_number(&out, (uint8_t)-2, 1);
    put_number(&out, (uint16_t)-300, 2);
    put_number(&out, (uint32_t)-70000, 4);
    sn_context *context = snt_context(1);
    sn_import *import = snt_load(context, (snt_file){"a.ply", out.bytes, out.size});
    const float expected[] = {-2, -300, -70000};
    assert_memory_equal(import->meshes[0]->positions, expected, sizeof expected);
    assert_int_equal(import->meshes[0]->face_count, 0);
    sn_import_destroy(import);
    snt_context_end(context);
}

#define HEADER "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define ONE HEADER "element vertex 1\n" XYZ
#define FACE "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n"

static void refuses_wrong_text(void **state) {
    (void)state;
    static const snt_refusal cases[] = {
        {"", SN_SYNTAX, "a PLY file starts with a line \"ply\""},
        {"plyx\n", SN_SYNTAX, "a PLY file starts with a line \"ply\""},
        {"ply\nformat ascii 2.0\n", SN_UNSUPPORTED, "x.ply:2: PLY version \"2.0\" is not 1.0"},
        {"ply\nformat text 1.0\n", SN_UNSUPPORTED, "unknown PLY format \"text\""},
        {"ply\nelement vertex 1\n" XYZ "end_header\n0 0 0\n", SN_SYNTAX,
         "the header has no format"},
        {HEADER "end_header\n", SN_INVALID, "no element vertex with properties x, y and z"},
        {HEADER "element vertex 1\nproperty float x\nend_header\n0\n", SN_INVALID,
         "no element vertex with properties x, y and z"},
        {HEADER "element vertex\n", SN_SYNTAX, "expected the number of elements"},
        {HEADER "element vertex -1\n", SN_SYNTAX, "found \"-1\""},
        {HEADER "property float x\n", SN_SYNTAX, "a property before the first element"},
        {HEADER "element vertex 1\nproperty flaot x\n", SN_SYNTAX,
         "x.ply:4: unknown type \"flaot\""},
        {HEADER "element vertex 1\nproperty float\n", SN_SYNTAX, "a property has no name"},
        {HEADER "element vertex 1\nproperty list float int a\n", SN_INVALID,
         "the length of a list cannot be a float"},
        {HEADER "element vertex 1\nproperty float x\nproperty int x\n", SN_INVALID,
         "properties \"x\" and \"x\" say the same"},
        {HEADER "elephant 1\n", SN_SYNTAX, "unknown header line \"elephant\""},
        {ONE "element vertex 1\n" XYZ "end_header\n0 0 0 0 0 0", SN_INVALID,
         "element \"vertex\" is declared twice"},
        {ONE "element tristrips 1\n", SN_UNSUPPORTED, "triangle strips are not read"},
        {ONE "element face 1\nproperty int a\nend_header\n0 0 0\n1\n", SN_INVALID,
         "element face has no list vertex_indices"},
        {ONE "end_header\n0 0\n", SN_SYNTAX, "1 elements \"vertex\" do not fit into the file"},
        {ONE "end_header\n0.00 0.00\n", SN_SYNTAX, "expected a number, found the end of the file"},
        {ONE "end_header\n0 nan 0\n", SN_SYNTAX, "x.ply:8: expected a number, found \"nan\""},
        {ONE "end_header\n0 1e39 0\n", SN_INVALID, "vertex 0: \"y\" is 1e+39"},
        {ONE FACE "3 0 0 1\n", SN_INVALID, "face 0: uses vertex 1, but there are 1"},
        {ONE FACE "3 0 0 -1\n", SN_INVALID, "face 0: uses vertex -1, but there are 1"},
        {ONE FACE "3 0 0 0.5\n", SN_INVALID, "face 0: uses vertex 0.5"},
        {ONE FACE "0        \n", SN_INVALID, "face 0: the face has no corners"},
        {ONE FACE "-1 0 0\n", SN_INVALID, "face 0: a list has the length -1"},
        {ONE FACE "200 0 0 0\n", SN_SYNTAX, "face 0: a list of 200 values does not fit"},
        {HEADER "element vertex 4000000000\n" XYZ "end_header\n0 0 0\n", SN_SYNTAX,
         "4000000000 elements \"vertex\" do not fit into the file"},
    };
    snt_refuses_all("x.ply", cases);
}

static void refuses_wrong_binary(void **state) {
    (void)state;
    ply_bytes out;
    snt_file file = make_binary(&out, false, "\n");
    file.size -= 1;
    snt_refuses_file(file, SN_SYNTAX, "vertex");
    file = make_binary(&out, false, "\n");
    memset(out.bytes + file.size - 7, 0xff, 4); // the last red
    snt_refuses_file(file, SN_INVALID, "vertex 4: \"red\" is");
}

static void survives_truncation(void **state) {
    (void)state;
    ply_bytes out;
    snt_survives_truncation(snt_text("scan.ply", ascii));
    snt_survives_truncation(make_binary(&out, true, "\n"));
}

static void survives_failed_allocations(void **state) {
    (void)state;
    ply_bytes out;
    snt_survives_failed_allocations(snt_text("scan.ply", ascii));
    snt_survives_failed_allocations(make_binary(&out, false, "\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_ascii),
        cmocka_unit_test(reads_binary_of_both_orders),
        cmocka_unit_test(negative_numbers_keep_their_sign),
        cmocka_unit_test(refuses_wrong_text),
        cmocka_unit_test(refuses_wrong_binary),
        cmocka_unit_test(survives_truncation),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
