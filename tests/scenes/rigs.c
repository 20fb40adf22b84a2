// SPDX-License-Identifier: Apache-2.0
//
// Every body with every clip of the shared data (docs/rigs.md) is held to the limits, in a few
// frames of each.
#include "test.h"

#include "bench/rigs/rigs.h"

#include <math.h>

static const uint32_t frames = 6;

// Edges of a mesh that is drawn by hand, a robot or a toy.
static const double coarse_mesh = 2000;

// Edges beyond the limits of the four bodies of MakeHuman, whose limbs have several segments: with
// twist spread, and more than that (5767) in one joint each.
static const uint32_t most_of_human = 5400;

static uint32_t check_row(const snb_rig_row *row) {
    // By weights alone the skin stretches and folds at bent joints, also in the clips of the
    // models' makers (0.02 to 7.7 times, 2 % of the edges), which `relax` evens out. How much there
    // is of it is held, too. One edge of a coarse mesh is already 0.1 %.
    double edges = fmax(row->body->edge_count, 1);
    double most = edges < coarse_mesh ? 0.02 : 0.004;
    double beyond = row->beyond / edges, others = (row->beyond - row->models) / edges;
    const struct {
        bool holds;
        const char *what;
    } limits[] = {
        {!row->failed, row->reason},
        {snb_row_upright(row), "does not stand upright"},
        {snb_row_grounded(row), "is off the ground"},
        {!row->own || snb_row_as_made(row), "plays its own clip in another way"},
        {snb_row_jointed(row), "has bones of other lengths"},
        {row->backwards < 20, "bends a knee back"},
        {row->limb < 45, "does not point its limbs as the clip"},
        {beyond < most, "has many edges beyond the limits"},
        {others < 0.75 * most, "has many edges beyond the limits that it does not fold itself"},
        {snb_row_whole(row), "has an edge beyond 0.3 to 3 of its length"},
        {row->relaxed.longer < 0.1 * row->body->height, "has a torn triangle"},
        {row->slide < row->own_slide + 0.06 * row->body->height, "slides"},
    };
    uint32_t failures = 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        if (!limits[i].holds) {
            print_message("%s with %s: %s\n", row->body->name, row->clip->name, limits[i].what);
            failures++;
        }
    }
    return failures;
}

static void every_body_plays_every_clip(void **state) {
    (void)state;
    static const char *const folders[] = {"rigs", "human", "gltf", "mocap"};
    char data[4096];
    snprintf(data, sizeof data, "%s", snt_data("rigs/Xbot.glb"));
    data[strlen(data) - strlen("rigs/Xbot.glb")] = 0;
    sn_context *context = snt_context(1);
    snb_rigs rigs;
    uint32_t failures = 0, of_human = 0;
    snt_ok(snb_rigs_open(context, data, folders, snt_thorough() ? 4 : 1, &rigs, error));
    snt_ok(snb_rigs_measure(&rigs, frames, NULL, error));
    assert_true(rigs.body_count >= (snt_thorough() ? 11 : 2));
    assert_true(rigs.clip_count >= (snt_thorough() ? 40 : 2));
    for (uint32_t i = 0; i < rigs.row_count; ++i) {
        const snb_rig_row *row = &rigs.rows[i];
        failures += check_row(row);
        of_human += strncmp(row->body->name, "human/", 6) == 0 ? row->beyond : 0;
    }
    print_message("%u bodies, %u clips, %u failures, %u edges of human bodies beyond limits\n",
                  rigs.body_count, rigs.clip_count, failures, of_human);
    assert_int_equal(failures, 0);
    assert_true(of_human < most_of_human);
    snb_rigs_close(&rigs);
    snt_context_end(context);
}

static void animals_are_left_out(void **state) {
    (void)state;
    static const char *const folders[] = {"gltf"};
    char data[4096];
    snprintf(data, sizeof data, "%s", snt_data("gltf/Fox.glb"));
    data[strlen(data) - strlen("gltf/Fox.glb")] = 0;
    sn_context *context = snt_context(1);
    snb_rigs rigs;
    snt_ok(snb_rigs_open(context, data, folders, 1, &rigs, error));
    for (uint32_t i = 0; i < rigs.body_count; ++i) {
        assert_null(strstr(rigs.bodies[i].name, "Fox"));
    }
    for (uint32_t i = 0; i < rigs.clip_count; ++i) {
        assert_null(strstr(rigs.clips[i].name, "Fox"));
    }
    assert_int_equal(rigs.body_count, 2);
    assert_int_equal(rigs.left_out_count, 2);
    snb_rigs_close(&rigs);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(animals_are_left_out),
        cmocka_unit_test(every_body_plays_every_clip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
