// SPDX-License-Identifier: Apache-2.0
//
// Limbs of a frame that reach for something, below a synergy.
#include "test.h"

#include "sinew/eval.h"

#include <string.h>

static const char document[] =
    "{\"sinew\": 1, \"name\": \"arm\", \"skeleton\": {\n"
    "\"chest\": {\"translation\": [0, 1.4, 0]},\n"
    "\"upper arm.L\": {\"parent\": \"chest\", \"translation\": [0.2, 0, 0],\n"
    "  \"limits_deg\": {\"rz\": [-90, 90]}},\n"
    "\"forearm.L\": {\"parent\": \"upper arm.L\", \"translation\": [0.3, 0, 0],\n"
    "  \"limits_deg\": {\"rx\": [0, 0], \"ry\": [-145, 0], \"rz\": [0, 0]}},\n"
    "\"hand.L\": {\"parent\": \"forearm.L\", \"translation\": [0.25, 0, 0]}},\n"
    "\"controls\": {\"lift\": {\"low\": 0, \"high\": 1}},\n"
    "\"synergies\": [{\"control\": \"lift\", \"spread\": {\"upper arm.L.rz_deg\": 40}}]}";

static void hold_angles(sn_frame *frame, uint32_t segment, const double *angles) {
    for (int i = 0; i < 3; ++i) {
        sn_pose_parameter parameter =
            sn_model_joint_parameter(sn_frame_model(frame), segment, (sn_joint_parameter)i);
        snt_ok(sn_frame_hold(frame, &parameter, angles[i], error));
    }
}

static void held_angles_reach_the_target(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    sn_limb limbs[4];
    snt_ok(sn_character_parse(context, "arm.sinew.json", document, strlen(document), &character,
                              error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_frame_create(model, &frame, error));
    snt_ok(sn_frame_set(frame, "lift", 1, error));
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    snt_ok(sn_skeleton_limbs(context, sn_model_skeleton(model), limbs, error));
    sn_reach_desc desc = sn_reach_desc_default();
    sn_reach reach;
    desc.limb = limbs[sn_model_find_segment(model, "hand.L")];
    desc.target = sn_vec3_make(0.45, 1.65, 0.2);
    snt_ok(sn_frame_reach(frame, &desc, &reach, error));
    hold_angles(frame, desc.limb.upper, reach.upper);
    hold_angles(frame, desc.limb.lower, reach.lower);
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    const double *m = sn_frame_worlds(frame)[desc.limb.end].m;
    snt_near(sn_vec3_distance(sn_vec3_make(m[12], m[13], m[14]), desc.target), 0, 1e-9);
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(held_angles_reach_the_target)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
