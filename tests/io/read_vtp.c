// SPDX-License-Identifier: Apache-2.0
#include "io_test.h"

#include "base/file.h"

#include <dirent.h>

// One pyramid in every way in which the format can hold it, made by a program of its own; they are
// also the seeds of the fuzz target.
static const char *const pyramids[] = {
    "ascii.vtp",         "binary.vtp", "binary-wide-double.vtp", "binary-big.vtp",
    "binary-zlib.vtp",   "raw.vtp",    "raw-big-zlib.vtp",       "appended.vtp",
    "appended-zlib.vtp", "lines.vtp",
};

enum { PYRAMID_COUNT = sizeof pyramids / sizeof *pyramids };

static const char *seed(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "tests/fuzz/corpus/vtp/%s", name);
    return snt_source(path);
}

static void check_pyramid(const sn_mesh *mesh) {
    const float positions[] = {0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0.5f, 0.75f, 0.5f};
    const uint32_t corners[] = {0, 1, 2, 3, 1, 0, 4, 2, 1, 4, 3, 2, 4, 0, 3, 4};
    const uint32_t offsets[] = {0, 4, 7, 10, 13, 16};
    assert_int_equal(mesh->vertex_count, 5);
    assert_int_equal(mesh->face_count, 5);
    assert_int_equal(mesh->corner_count, 16);
    assert_memory_equal(mesh->positions, positions, sizeof positions);
    assert_memory_equal(mesh->corners, corners, sizeof corners);
    assert_memory_equal(mesh->face_offsets, offsets, sizeof offsets);
    assert_int_equal(mesh->attribute_count, 0);
}

static void every_encoding_gives_the_same_mesh(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int i = 0; i < PYRAMID_COUNT; ++i) {
        sn_import *import = NULL;
        snt_ok(sn_import_file(context, seed(pyramids[i]), &import, error));
        assert_int_equal(import->mesh_count, 1);
        check_pyramid(import->meshes[0]);
        sn_import_destroy(import);
    }
    snt_context_end(context);
}

static void strips_become_triangles_and_pieces_one_mesh(void **state) {
    (void)state;
    // The strip 0 2 1 3 4: every triangle of it turns as the first, seen from +z counter-clockwise.
    const uint32_t corners[] = {0, 2, 1, 1, 2, 3, 1, 3, 4, 5, 6, 7};
    sn_context *context = snt_context(1);
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, seed("pieces.vtp"), &import, error));
    const sn_mesh *mesh = import->meshes[0];
    assert_int_equal(import->mesh_count, 1);
    assert_string_equal(mesh->name, "pieces");
    assert_int_equal(mesh->vertex_count, 8);
    assert_int_equal(mesh->face_count, 4);
    assert_memory_equal(mesh->corners, corners, sizeof corners);
    assert_true(mesh->positions[3 * 5] == 5);
    sn_import_destroy(import);
    snt_context_end(context);
}

// The file with one text in place of another.
static void refuse_changed(const char *old, const char *new, sn_status status,
                           const char *message) {
    sn_context *context = snt_context(1);
    char *bytes = NULL;
    size_t size = 0;
    snt_ok(sni_file_read(context, seed("ascii.vtp"), &bytes, &size, error));
    const char *found = strstr(bytes, old);
    assert_non_null(found);
    static char changed[4096];
    int length = snprintf(changed, sizeof changed, "%.*s%s%s", (int)(found - bytes), bytes, new,
                          found + strlen(old));
    assert_true(length < (int)sizeof changed);
    snt_refuses("cut.vtp", changed, status, message);
    sni_free(context, bytes);
    snt_context_end(context);
}

static void what_is_wrong_is_named_with_its_place(void **state) {
    (void)state;
    const struct {
        const char *old, *new;
        sn_status status;
        const char *message;
    } cases[] = {
        {"VTKFile type=\"PolyData\"", "VTKFile type=\"ImageData\"", SN_UNSUPPORTED,
         "cut.vtp:2: VTKFile: a VTK file of the type \"ImageData\"; PolyData is read"},
        {"NumberOfPoints=\"5\"", "NumberOfPoints=\"6\"", SN_INVALID,
         "12: VTKFile/PolyData/Piece/Points/DataArray \"Points\": 15 numbers for the points, "
         "expected 18"},
        {"NumberOfPoints=\"5\"", "NumberOfPoints=\"five\"", SN_SYNTAX,
         "4: VTKFile/PolyData/Piece: expected a count as NumberOfPoints, found \"five\""},
        {"NumberOfPolys=\"5\"", "NumberOfPolys=\"4\"", SN_INVALID,
         "\"offsets\": 5 numbers for NumberOfPolys, expected 4"},
        {"0 1 2 3 1 0 4", "0 1 2 5 1 0 4", SN_INVALID,
         "\"connectivity\": corner 3 is point 5, but there are 5 points"},
        {"0 1 2 3 1 0 4", "0 1 2 -3 1 0 4", SN_INVALID, "corner 3 is point -3"},
        {"0 1 2 3 1 0 4", "0 1 2 2.5 1 0 4", SN_SYNTAX,
         "cut.vtp:18: expected an integer of Polys \"connectivity\", found \"2.5\""},
        {"4 7 10 13 16", "4 7 7 13 16", SN_INVALID, "cell 2 ends at corner 7, behind 7 of 16"},
        {"4 7 10 13 16", "4 7 10 13 17", SN_INVALID, "cell 4 ends at corner 17"},
        {"4 7 10 13 16", "4 7 10 13 15", SN_INVALID, "16 corners, but the cells end at 15"},
        {"0.5 0.75 0.5", "0.5 wide 0.5", SN_SYNTAX,
         "13: expected a number of Points \"Points\", found \"wide\""},
        {"0.5 0.75 0.5", "0.5 nan 0.5", SN_SYNTAX,
         "expected a number of Points \"Points\", found \"nan\""},
        {"0.5 0.75 0.5", "0.5 1e39 0.5", SN_INVALID, "point 4 has the y coordinate"},
        {"Int32\" Name=\"connectivity", "Float32\" Name=\"connectivity", SN_INVALID,
         "indices that are no integers"},
        {"Float32\" Name=\"Points", "Float16\" Name=\"Points", SN_UNSUPPORTED,
         "numbers of type \"Float16\" are not read"},
        {"NumberOfComponents=\"3\" format=\"ascii\">\n0.0 0.0 0.0 1",
         "NumberOfComponents=\"2\" "
         "format=\"ascii\">\n0.0 0.0 0.0 1",
         SN_INVALID, "points of 2 numbers, expected 3"},
        {"Name=\"offsets\"", "Name=\"ends\"", SN_SYNTAX, "Polys: there is no array \"offsets\""},
        {"<Polys>", "<Faces>", SN_SYNTAX, "mismatched tag"},
        {"\"LittleEndian\"", "\"Middle\"", SN_SYNTAX,
         "expected the byte_order LittleEndian or BigEndian, found \"Middle\""},
        {"header_type=\"UInt32\"", "compressor=\"vtkLZ4DataCompressor\"", SN_UNSUPPORTED,
         "arrays packed by \"vtkLZ4DataCompressor\" are not read"},
        {"format=\"ascii\">\n0.0 0.0 0.0 1", "format=\"appended\" offset=\"0\">\n0.0 0.0 0.0 1",
         SN_SYNTAX, "the array is in the appended data, but the file has none"},
        {"format=\"ascii\">\n0.0 0.0 0.0 1", "format=\"binary\">\n0.0 0.0 0.0 1", SN_SYNTAX,
         "the data holds the byte 0x2e, which is not base64"},
        {"format=\"ascii\">\n0.0 0.0 0.0 1", "format=\"morse\">\n0.0 0.0 0.0 1", SN_SYNTAX,
         "expected the format ascii, binary or appended, found \"morse\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        refuse_changed(cases[i].old, cases[i].new, cases[i].status, cases[i].message);
    }
}

// A byte of a file changed; what is behind "Points" in the appended data.
static void wrong_bytes_of_packed_data_are_told(void **state) {
    (void)state;
    const struct {
        const char *file;
        long from_end; // where the byte stands, counted from the last one of the appended data
        const char *message;
    } cases[] = {
        {"raw-big-zlib.vtp", 4, "does not unpack"},
        {"raw-big-zlib.vtp", 20, "does not unpack"},
    };
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *bytes = NULL;
        size_t size = 0;
        snt_ok(sni_file_read(context, seed(cases[i].file), &bytes, &size, error));
        long end = (long)size - (long)strlen("\n</AppendedData>\n</VTKFile>\n");
        bytes[end - cases[i].from_end] ^= 0x55;
        snt_refuses_file((snt_file){"cut.vtp", bytes, size}, SN_SYNTAX, cases[i].message);
        sni_free(context, bytes);
    }
    snt_context_end(context);
}

// A header may claim anything: nothing is allocated for what the file cannot hold.
static void claims_beyond_the_file_are_refused(void **state) {
    (void)state;
    static const char text[] =
        "<VTKFile type=\"PolyData\" header_type=\"UInt32\"%s><PolyData>"
        "<Piece NumberOfPoints=\"5\" NumberOfPolys=\"0\"><Points>"
        "<DataArray type=\"Float32\" format=\"binary\">%s</DataArray></Points></Piece></PolyData>"
        "</VTKFile>";
    const char *packed = " compressor=\"vtkZLibDataCompressor\"";
    const struct {
        const char *compressor, *data, *message;
    } cases[] = {
        {"", "AAAAgA==", "the array has 2147483648 bytes, but at most 0 follow"},
        {"", "", "the data ends too early"},
        {"", "BAAAAA", "the data ends too early"},
        {"", "AwAAAAAAAA==", "3 bytes are no whole number of Float32"},
        // Blocks of 2^31 bytes, of which there are 2^31.
        {packed, "AAAAgAAAAIAAAAAA", "2147483648 packed blocks are more than the data holds"},
        // One block of 2^31 bytes from one byte.
        {packed, "AQAAAAAAAIAAAAAAAQAAAHg=", "1 packed bytes cannot hold 2147483648"},
        {packed, "AQAAAAgAAAAJAAAA", "1 blocks of 8 bytes, the last of 9"},
        {packed, "AQAAAAgAAAAAAAAA/////w==", "packed block 0 has 4294967295 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char file[1024];
        snprintf(file, sizeof file, text, cases[i].compressor, cases[i].data);
        snt_refuses("cut.vtp", file, SN_SYNTAX, cases[i].message);
    }
}

// Without its last tag every file is refused; what is behind it is a line break.
static void cut_anywhere_it_is_refused_with_a_line(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int i = 0; i < PYRAMID_COUNT; ++i) {
        char *bytes = NULL;
        size_t size = 0;
        snt_ok(sni_file_read(context, seed(pyramids[i]), &bytes, &size, error));
        snt_survives_truncation((snt_file){"cut.vtp", bytes, size});
        for (size_t cut = 0; cut + 1 < size; ++cut) {
            sn_import *import = NULL;
            sn_error found = {0};
            assert_int_not_equal(sn_import_memory(context, "cut.vtp", bytes, cut, &import, &found),
                                 SN_OK);
            assert_true(found.message[0] != 0);
            assert_null(strchr(found.message, '\n'));
        }
        sni_free(context, bytes);
    }
    snt_context_end(context);
}

static sn_status read_seed(sn_context *context, void *user, sn_error *error) {
    sn_import *import = NULL;
    sn_status status = sn_import_file(context, seed(user), &import, error);
    sn_import_destroy(import);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    snt_fail_allocations(read_seed, "raw-big-zlib.vtp");
    snt_fail_allocations(read_seed, "pieces.vtp");
}

// What the file's own tag says, found without the reader.
static uint32_t tag_count(const char *bytes, const char *name) {
    const char *found = strstr(bytes, name);
    unsigned count = 0;
    assert_non_null(found);
    assert_int_equal(sscanf(found + strlen(name), "=\"%u\"", &count), 1);
    return count;
}

static void check_bone(sn_context *context, const char *path) {
    sn_import *import = NULL;
    char *bytes = NULL;
    size_t size = 0;
    snt_ok(sni_file_read(context, path, &bytes, &size, error));
    snt_ok(sn_import_file(context, path, &import, error));
    assert_int_equal(import->mesh_count, 1);
    assert_int_equal(import->meshes[0]->vertex_count, tag_count(bytes, "NumberOfPoints"));
    assert_int_equal(import->meshes[0]->face_count, tag_count(bytes, "NumberOfPolys"));
    for (uint32_t i = 0; i < 3 * import->meshes[0]->vertex_count; ++i) {
        assert_true(import->meshes[0]->positions[i] <= 1.5f); // metres, the treadmill
    }
    sni_free(context, bytes);
    sn_import_destroy(import);
}

static void the_bones_of_opensim_models_are_read(void **state) {
    (void)state;
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", snt_data("osim/Geometry"));
    sn_context *context = snt_context(1);
    DIR *files = opendir(folder);
    assert_non_null(files);
    uint32_t count = 0;
    for (struct dirent *entry = readdir(files); entry != NULL; entry = readdir(files)) {
        if (strstr(entry->d_name, ".vtp") != NULL) {
            char path[2048];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            check_bone(context, path);
            ++count;
        }
    }
    closedir(files);
    assert_int_equal(count, 56);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_encoding_gives_the_same_mesh),
        cmocka_unit_test(strips_become_triangles_and_pieces_one_mesh),
        cmocka_unit_test(what_is_wrong_is_named_with_its_place),
        cmocka_unit_test(wrong_bytes_of_packed_data_are_told),
        cmocka_unit_test(claims_beyond_the_file_are_refused),
        cmocka_unit_test(cut_anywhere_it_is_refused_with_a_line),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(the_bones_of_opensim_models_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
