// SPDX-License-Identifier: Apache-2.0
//
// Expressions of the shipped head: they move the skin the right way, and its flesh stays whole.
#include "test.h"

#include "eval/report_flesh.h"
#include "sinew/character.h"
#include "sinew/geometry.h"
#include "sinew/json.h"
#include "sinew/live.h"

#include <math.h>
#include <string.h>

static struct {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    uint32_t skin; // surface
} head;

static int begin(void **state) {
    (void)state;
    head.context = snt_context(1);
    const char *path = snt_source("examples/head/head.sinew.json");
    snt_ok(sn_character_load(head.context, path, &head.character, error));
    snt_ok(sn_model_create(head.character, NULL, &head.model, error));
    snt_ok(sn_frame_create(head.model, &head.frame, error));
    while (strcmp(sn_model_surface(head.model, head.skin)->name, "skin") != 0) {
        head.skin += 1;
    }
    snt_ok(sn_frame_select(head.frame, &head.skin, 1, error));
    return 0;
}

static int end(void **state) {
    (void)state;
    sn_frame_destroy(head.frame);
    sn_model_destroy(head.model);
    sn_character_destroy(head.character);
    snt_context_end(head.context);
    return 0;
}

// ---------------------------------------------------------------------------------------------
// Places on the skin at rest, millimetres

static const sn_vec3 corner = {27.5, -34.8, 101}, brow_in = {12, 58, 107}, brow_out = {46, 62, 92};
static const sn_vec3 upper_lip = {0, -29, 119}, lower_lip = {0, -40, 117}, wing = {16.5, -3, 111};
static const sn_vec3 chin = {0, -66, 111};

static sn_vec3 on_the_right(sn_vec3 p) {
    return sn_vec3_make(-p.x, p.y, p.z);
}

// How the point of the skin nearest to a place moves, millimetres.
static sn_vec3 moved(sn_vec3 place) {
    const sn_mesh *mesh = sn_model_surface(head.model, head.skin)->mesh;
    const float *points = sn_frame_points(head.frame, head.skin);
    sn_vec3 at = sn_vec3_scale(place, 1e-3);
    size_t nearest = 0;
    double least = INFINITY;
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        double far = sn_vec3_distance(sn_vec3_load(mesh->positions + 3 * i), at);
        if (far < least) {
            least = far;
            nearest = i;
        }
    }
    assert_true(least < 0.004);
    sn_vec3 way = sn_vec3_sub(sn_vec3_load(points + 3 * nearest),
                              sn_vec3_load(mesh->positions + 3 * nearest));
    return sn_vec3_scale(way, 1e3);
}

static void pose(const char *control, double value) {
    sn_frame_clear(head.frame);
    snt_ok(sn_frame_set(head.frame, control, value, error));
    snt_ok(sn_frame_evaluate(head.frame, NULL, 0, error));
}

// The volume of the flesh within a hundredth, and how many of its prisms are inside out.
static void check_flesh(uint32_t most_flipped) {
    sni_report_flesh flesh = {0};
    sn_json *json = NULL;
    snt_ok(sn_json_create(head.context, &json, error));
    assert_true(sni_report_flesh_add(&flesh, json, sn_json_root(json), head.frame, 0));
    assert_int_equal(flesh.frame_count, 1);
    assert_true(flesh.volume_change < 0.01);
    assert_true(flesh.flipped <= most_flipped);
    sn_json_destroy(json);
}

// ---------------------------------------------------------------------------------------------

static void smiles_pull_corners_up_and_back(void **state) {
    (void)state;
    pose("smile", 1);
    sn_vec3 left = moved(corner), right = moved(on_the_right(corner));
    assert_true(left.x > 2.5 && left.y > 5 && left.z < -2);
    assert_true(right.x < -2.5 && right.y > 5 && right.z < -2);
    assert_true(sn_vec3_length(moved(brow_in)) < 0.3 && sn_vec3_length(moved(wing)) < 1);
    check_flesh(0);
}

static void frowns_lower_brows_and_corners(void **state) {
    (void)state;
    pose("frown", 1);
    sn_vec3 in = moved(brow_in), out = moved(brow_out);
    assert_true(in.x < -0.8 && in.y < -4 && out.x < -4);
    assert_true(moved(corner).y < -3.5);
    check_flesh(0);
}

static void surprise_raises_brows_and_drops_the_jaw(void **state) {
    (void)state;
    pose("surprise", 1);
    assert_true(moved(brow_in).y > 8 && moved(brow_out).y > 7);
    assert_true(moved(chin).y < -12 && moved(lower_lip).y < -15);
    assert_true(fabs(moved(upper_lip).y) < 2);
    check_flesh(0);
}

static void disgust_raises_lip_and_nostrils(void **state) {
    (void)state;
    pose("disgust", 1);
    assert_true(moved(upper_lip).y > 2.5 && moved(wing).y > 4);
    assert_true(sn_vec3_length(moved(chin)) < 1);
    check_flesh(0);
}

static void pouts_push_lips_forward(void **state) {
    (void)state;
    pose("pout", 1);
    assert_true(moved(upper_lip).z > 1.5 && moved(lower_lip).z > 1.5);
    assert_true(moved(corner).x < -5 && moved(corner).z > 4);
    check_flesh(0);
}

static void open_mouths_stay_whole(void **state) {
    (void)state;
    pose("jaw open", 1);
    assert_true(moved(chin).y < -20 && fabs(moved(upper_lip).y) < 2);
    check_flesh(0);
}

// Both spellings of ARKit are the same, and a side alone leaves the other where it is.
static void sides_move_alone(void **state) {
    (void)state;
    pose("mouthSmile_L", 1);
    sn_vec3 first = moved(corner);
    pose("mouthSmileLeft", 1);
    sn_vec3 again = moved(corner);
    assert_memory_equal(&first, &again, sizeof first);
    assert_true(first.y > 5 && sn_vec3_length(moved(on_the_right(corner))) < 1);
    pose("AU2.R", 1);
    assert_true(moved(on_the_right(brow_out)).y > 7 && sn_vec3_length(moved(brow_out)) < 0.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smiles_pull_corners_up_and_back),
        cmocka_unit_test(frowns_lower_brows_and_corners),
        cmocka_unit_test(surprise_raises_brows_and_drops_the_jaw),
        cmocka_unit_test(disgust_raises_lip_and_nostrils),
        cmocka_unit_test(pouts_push_lips_forward),
        cmocka_unit_test(open_mouths_stay_whole),
        cmocka_unit_test(sides_move_alone),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
