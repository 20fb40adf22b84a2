// SPDX-License-Identifier: Apache-2.0
//
// What moves what in the clip that plays, where it was retargeted.
#include "commands/commands.h"
#include "player/player.h"

static bool add_counts(const sn_pairing *pairing, sn_json *answer, sn_value *ok) {
    sn_value *by = sn_json_add_object(answer, ok, "by");
    bool done = by != NULL && sn_json_add_number(answer, ok, "moved", pairing->moved_count) &&
                sn_json_add_number(answer, ok, "used", pairing->used_count);
    for (int i = SN_PAIRED_BY_MAP; i < SN_PAIRED_BY_COUNT && done; ++i) {
        done = sn_json_add_number(answer, by, sn_paired_by_name((sn_paired_by)i),
                                  pairing->by_count[i]) != NULL;
    }
    return done;
}

static bool add_joints(const sn_pairing *pairing, sn_json *answer, sn_value *ok) {
    sn_value *joints = sn_json_add_array(answer, ok, "joints");
    bool done = joints != NULL;
    for (uint32_t i = 0; i < pairing->joint_count && done; ++i) {
        sn_value *joint = sn_json_add_object(answer, joints, NULL);
        done = sn_json_add_string(answer, joint, "name", pairing->joints[i].name) &&
               sn_json_add_string(answer, joint, "part", pairing->joints[i].part);
    }
    return done;
}

static bool add_warnings(const sn_pairing *pairing, sn_json *answer, sn_value *ok) {
    sn_value *warnings = sn_json_add_array(answer, ok, "warnings");
    bool done = warnings != NULL;
    for (uint32_t i = 0; i < pairing->warning_count && done; ++i) {
        done = sn_json_add_string(answer, warnings, NULL, pairing->warnings[i]) != NULL;
    }
    return done;
}

static sn_status describe(const stage *stage, sn_json *answer, sn_value *ok, sn_error *error) {
    const sn_pairing *pairing = stage->motion ? sn_motion_pairing(stage->motion) : NULL;
    bool done = (stage->motion ? sn_json_add_string(answer, ok, "clip", stage->clip)
                               : sn_json_add_null(answer, ok, "clip")) &&
                sn_json_add_bool(answer, ok, "retargeted", pairing != NULL);
    if (pairing && done) {
        done = add_counts(pairing, answer, ok) && add_joints(pairing, answer, ok) &&
               add_warnings(pairing, answer, ok);
        return done ? sn_pairing_describe(pairing, answer, ok, error) : app_fail_memory(error);
    }
    return done ? SN_OK : app_fail_memory(error);
}

// {"slot"}
sn_status command_pairing(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    desk_slot *slot = NULL;
    sn_status status = desk_argument_slot(desk, request, true, &slot, error);
    if (status != SN_OK) {
        return status;
    }
    stage *stage = player_hold_stage(*desk_player_of(desk), slot->index);
    if (!stage) {
        return desk_fail(error, SN_INVALID, "slot", "there is no model yet");
    }
    status = describe(stage, answer, ok, error);
    stage_release(stage);
    return status;
}
