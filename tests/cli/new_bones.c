// SPDX-License-Identifier: Apache-2.0
//
// A folder of bones alone: the document has the proposed skeleton, frames and orders included, and
// joints that move together.
#include "program.h"

#include "geometry/sphere.h"
#include "sinew/io.h"
#include "sinew/json.h"

#include <sys/stat.h>

// An arm that hangs down, as ellipsoids one below the other.
static const struct {
    const char *name;
    sn_vec3 center, radii;
} bones[] = {
    {"left clavicle", {0.1, 1.4, 0}, {0.07, 0.008, 0.008}},
    {"left scapula", {0.15, 1.34, -0.03}, {0.04, 0.05, 0.01}},
    {"left humerus", {0.2, 1.2, 0}, {0.015, 0.15, 0.015}},
    {"left ulna", {0.195, 0.92, 0}, {0.01, 0.125, 0.01}},
    {"left radius", {0.22, 0.91, 0.02}, {0.01, 0.12, 0.01}},
    {"left capitate", {0.215, 0.78, 0.02}, {0.02, 0.009, 0.01}},
};

static void write_folder(sn_context *context, const char *folder) {
    char path[1024];
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/index.csv", folder);
    FILE *index = fopen(path, "w");
    assert_non_null(index);
    fprintf(index, "file,name,side,kind\n");
    for (size_t i = 0; i < sizeof bones / sizeof *bones; ++i) {
        sn_vec3 c = bones[i].center, r = bones[i].radii;
        sn_mat4 place = {{r.x, 0, 0, 0, 0, r.y, 0, 0, 0, 0, r.z, 0, c.x, c.y, c.z, 1}};
        sn_mesh *mesh;
        snt_ok(sni_ellipsoid_mesh(context, bones[i].name, &place, 8, &mesh, error));
        snprintf(path, sizeof path, "%s/%zu.obj", folder, i);
        snt_ok(sn_export_mesh(mesh, path, error));
        sn_mesh_destroy(mesh);
        fprintf(index, "%zu.obj,%s,left,bone\n", i, bones[i].name);
    }
    fclose(index);
}

static void test_bones_alone(void **state) {
    (void)state;
    static result r;
    sn_context *context = snt_context(1);
    char folder[1024], document[1024];
    snprintf(folder, sizeof folder, "%s", snt_scratch("bones"));
    snprintf(document, sizeof document, "%s", snt_scratch("bones.sinew.json"));
    write_folder(context, folder);
    runf(&r, "new %s -o %s --quiet", folder, document);
    expect(&r, 0);
    runf(&r, "check %s", document);
    expect(&r, 0);
    sn_json *json;
    char *bytes;
    size_t size;
    snt_ok(sni_file_read(context, document, &bytes, &size, error));
    snt_ok(sn_json_parse(context, bytes, size, &json, error));
    sni_free(context, bytes);
    const sn_value *root = sn_json_root(json);
    const sn_value *skeleton = sn_value_get(root, "skeleton");
    static const char *const parents[][2] = {
        {"scapula.L", "clavicle.L"},  {"socket.L", "scapula.L"}, {"upper arm.L", "socket.L"},
        {"forearm.L", "upper arm.L"}, {"radius.L", "forearm.L"}, {"wrist turn.L", "radius.L"},
        {"hand.L", "wrist turn.L"},
    };
    for (size_t i = 0; i < sizeof parents / sizeof *parents; ++i) {
        const sn_value *segment = sn_value_get(skeleton, parents[i][0]);
        assert_non_null(segment);
        assert_string_equal(sn_value_string(sn_value_get(segment, "parent"), ""), parents[i][1]);
    }
    // Turns of the hand about the forearm come first, so that 90 degrees of them are no lock.
    const sn_value *hand = sn_value_get(skeleton, "hand.L");
    assert_string_equal(sn_value_string(sn_value_get(hand, "order"), "xyz"), "yxz");
    assert_int_equal(sn_value_count(sn_value_get(root, "drivers")), 2);
    assert_int_equal(sn_value_count(sn_value_get(root, "synergies")), 2);
    sn_json_destroy(json);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bones_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
