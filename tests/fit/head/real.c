// SPDX-License-Identifier: Apache-2.0
//
// A real skull in real heads, and a clean mesh on a real scan.
#include "test.h"

#include "sinew/fit.h"
#include "sinew/io.h"

#include <math.h>
#include <stdlib.h>

static sn_context *context;

static sn_import *read(const char *path) {
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, snt_data(path), &import, error));
    return import;
}

static sn_landmarks *read_landmarks(void) {
    sn_landmarks *landmarks = NULL;
    snt_ok(sn_landmarks_read(context, snt_data("face/craniofacial_landmarks.json"), &landmarks,
                             error));
    return landmarks;
}

// Where a landmark of the bones has gone: the last points of part 0.
static double landmark_off(const sn_transferred *moved, const sn_landmarks *landmarks,
                           const sn_mesh *head, const sn_depth_table *depths, uint32_t i) {
    const sn_landmark *l = &landmarks->items[i];
    sn_vec3 skin = sn_vec3_scale(sn_vec3_load(head->positions + 3 * (size_t)l->vertex), 0.01);
    double depth = l->depth > 0 ? l->depth : sn_depth_table_find(depths, l->name)->depths[0];
    return fabs(sn_vec3_distance(skin, moved->parts[0].points[i]) - depth);
}

static void transfer_to(const char *path, const sn_landmarks *landmarks) {
    sn_import *skull = read("anatomy/skull/cranium_solid.obj");
    sn_import *jaw = read("anatomy/skull/mandible_solid.obj"), *head = read(path);
    sn_depth_table *depths = NULL;
    sn_transferred *moved = NULL;
    sn_vec3 *points = malloc(landmarks->count * sizeof *points);
    snt_ok(sn_depth_table_default(context, &depths, error));
    for (uint32_t i = 0; i < landmarks->count; ++i) {
        points[i] = landmarks->items[i].bone;
    }
    const sn_head_part parts[] = {
        {"cranium", SN_HEAD_BONE, skull->meshes[0], landmarks->count, points},
        {"mandible", SN_HEAD_BONE, jaw->meshes[0], 0, NULL}};
    sn_transfer_desc desc = sn_transfer_desc_default();
    desc.part_count = 2;
    desc.parts = parts;
    desc.landmarks = desc.head_landmarks = landmarks;
    desc.head = head->meshes[0];
    desc.unit = 0.01;
    desc.depths = depths;
    snt_ok(sn_transfer_head(context, &desc, NULL, &moved, error));
    assert_true(moved->report.landmark_error < 0.0005);
    assert_int_equal(moved->report.outside, 0);
    assert_int_equal(moved->report.wrong, 0);
    assert_true(moved->report.covered > 5000);
    assert_int_equal(moved->report.flipped, 0);
    for (uint32_t i = 0; i < landmarks->count; ++i) {
        const sn_depth_row *row = sn_depth_table_find(depths, landmarks->items[i].name);
        if (!row->slides) {
            assert_true(landmark_off(moved, landmarks, desc.head, depths, i) < 0.0005);
        }
    }
    sn_transferred_destroy(moved);
    sn_depth_table_destroy(depths);
    sn_import_destroy(skull);
    sn_import_destroy(jaw);
    sn_import_destroy(head);
    free(points);
}

static void test_identities(void **state) {
    (void)state;
    static const char *const heads[] = {"face/identities/id_b.obj", "face/identities/id_f.obj"};
    sn_landmarks *landmarks = read_landmarks();
    for (int i = 0; i < 2; ++i) {
        transfer_to(heads[i], landmarks);
    }
    sn_landmarks_destroy(landmarks);
}

static void test_scan(void **state) {
    (void)state;
    sn_import *clean = read("face/generic_neutral.obj");
    sn_import *scan = read("scan/LeePerrySmith.glb");
    sn_landmarks *landmarks = read_landmarks();
    sn_conform_desc desc = sn_conform_desc_default();
    sn_conformed *conformed = NULL;
    desc.known = (sn_known_head){clean->meshes[0], 0.01, landmarks};
    desc.scan = scan->meshes[0];
    snt_ok(sn_conform_head(context, &desc, NULL, &conformed, error));
    const sn_conform_report *r = &conformed->report;
    assert_true(r->covered > 30 * r->free);
    assert_true(r->mean_distance < 0.0003);
    assert_true(r->mean_back < 0.0005);
    assert_int_equal(r->flipped, 0);
    sn_conformed_destroy(conformed);
    sn_landmarks_destroy(landmarks);
    sn_import_destroy(clean);
    sn_import_destroy(scan);
}

static int begin(void **state) {
    (void)state;
    context = snt_context(0);
    return 0;
}

static int end(void **state) {
    (void)state;
    snt_context_end(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_scan),
    };
    if (getenv("SINEW_THOROUGH") == NULL) {
        printf("skipped: real heads take seconds; set SINEW_THOROUGH\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, begin, end);
}
