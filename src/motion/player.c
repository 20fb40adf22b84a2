// SPDX-License-Identifier: Apache-2.0
//
// A clip resolved against a rig.
#include "motion/parameter.h"
#include "motion/rig.h"
#include "motion/rig_internal.h"

#include <stdlib.h>
#include <string.h>

static sn_status resolve_segment(const sni_rig *rig, const sn_track *track, sni_parameter_ref *ref,
                                 sn_error *error) {
    *ref = (sni_parameter_ref){.control = SN_NONE, .unit = 1};
    ref->segment = sni_name_index_find(&rig->segment_names, track->target);
    if (ref->segment != SN_NONE) {
        return SN_OK;
    }
    sni_closest closest = sni_closest_to(track->target);
    for (uint32_t i = 0; i < rig->skeleton.segment_count; ++i) {
        sni_closest_try(&closest, rig->skeleton.segments[i].name);
    }
    char hint[SNI_HINT_BYTES];
    return sni_fail(error, SN_INVALID, "there is no segment \"%s\"%s", track->target,
                    sni_closest_hint(&closest, hint));
}

static sn_status resolve_track(const sni_rig *rig, const sn_track *track, sni_parameter_ref *ref,
                               sn_error *error) {
    return track->kind == SN_TRACK_PARAMETER ? sni_rig_find(rig, track->target, ref, error)
                                             : resolve_segment(rig, track, ref, error);
}

static sn_status check_not_driven(const sni_rig *rig, const sni_parameter_ref *ref,
                                  sn_error *error) {
    if (ref->control == SN_NONE || rig->controls[ref->control].driver == SN_NONE) {
        return SN_OK;
    }
    return sni_fail(error, SN_INVALID, "the control \"%s\" is computed by driver %u",
                    rig->controls[ref->control].name, rig->controls[ref->control].driver);
}

// Joint parameters are in the unit that their names tell.
static double angle_factor(const sni_rig *rig, const sn_clip *clip, const sni_parameter_ref *ref) {
    sn_unit unit = ref->control != SN_NONE ? rig->controls[ref->control].unit : SN_UNIT_NONE;
    if (clip->angles == SN_ANGLES_RADIANS && unit == SN_UNIT_DEGREES) {
        return 180 / SN_PI;
    }
    return clip->angles == SN_ANGLES_DEGREES && unit == SN_UNIT_RADIANS ? SN_PI / 180 : 1;
}

// Resolves the tracks of one class: transforms or parameters.
static sn_status add_tracks(sni_player *player, const sn_clip *clip, bool parameters,
                            uint32_t *ignored, sn_error *error) {
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        const sn_track *track = &clip->tracks[i];
        if ((track->kind == SN_TRACK_PARAMETER) != parameters) {
            continue;
        }
        sni_player_track *added = &player->tracks[player->track_count];
        added->track = track;
        sn_status status =
            resolve_track(player->rig, track, &added->ref, ignored != NULL ? NULL : error);
        if (status == SN_INVALID && ignored != NULL) {
            ++*ignored;
            continue;
        }
        if (status == SN_OK) {
            status = check_not_driven(player->rig, &added->ref, error);
        }
        if (status != SN_OK) {
            sni_error_place(error, 0, "clip \"%s\", track %u", clip->name, i);
            return status;
        }
        added->factor = angle_factor(player->rig, clip, &added->ref);
        player->track_count++;
    }
    return SN_OK;
}

static int compare_u32(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

static int compare_refs(const void *a, const void *b) {
    const sni_parameter_ref *x = &((const sni_player_track *)a)->ref;
    const sni_parameter_ref *y = &((const sni_player_track *)b)->ref;
    int order = compare_u32(x->control, y->control);
    order = order != 0 ? order : compare_u32(x->segment, y->segment);
    return order != 0 ? order : (int)x->joint_parameter - (int)y->joint_parameter;
}

// Tracks of transforms differ by name, as the clip was validated; parameters may have two names.
static sn_status check_parameters_differ(sni_player *player, sn_error *error) {
    sni_player_track *tracks = player->tracks + player->transform_count;
    uint32_t count = player->track_count - player->transform_count;
    if (count > 1) {
        qsort(tracks, count, sizeof *tracks, compare_refs);
    }
    for (uint32_t i = 1; i < count; ++i) {
        if (compare_refs(&tracks[i - 1], &tracks[i]) == 0) {
            return sni_fail(error, SN_INVALID,
                            "the tracks \"%s\" and \"%s\" give the same parameter",
                            tracks[i - 1].track->target, tracks[i].track->target);
        }
    }
    return SN_OK;
}

static sn_status find_moved(sni_player *player, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = player->rig->context;
    uint32_t *place = NULL; // segment_count: its entry in `moved`, from 1; 0: none yet
    SNI_NEW_ZERO(context, place, player->rig->skeleton.segment_count);
    SNI_NEW_ZERO(context, player->moved, player->transform_count);
    for (uint32_t i = 0; i < player->transform_count; ++i) {
        uint32_t segment = player->tracks[i].ref.segment;
        if (place[segment] == 0) {
            player->moved[player->moved_count].segment = segment;
            place[segment] = ++player->moved_count;
        }
        sni_moved *moved = &player->moved[place[segment] - 1];
        sn_track_kind kind = player->tracks[i].track->kind;
        moved->rotation = moved->rotation || kind == SN_TRACK_ROTATION;
        moved->translation = moved->translation || kind == SN_TRACK_TRANSLATION;
        moved->scale = moved->scale || kind == SN_TRACK_SCALE;
    }
cleanup:
    sni_free(context, place);
    return status;
}

sn_status sni_player_create(const sni_rig *rig, const sn_clip *clip, uint32_t *ignored,
                            sni_player **player, sn_error *error) {
    SN_ASSERT(rig != NULL && clip != NULL);
    sn_status status = SN_OK;
    sni_player *made = NULL;
    *player = NULL;
    if (ignored != NULL) {
        *ignored = 0;
    }
    SN_TRY(sn_clip_validate(clip, error));
    SNI_NEW_ZERO(rig->context, made, 1);
    made->rig = rig;
    SNI_NEW_ZERO(rig->context, made->tracks, clip->track_count);
    SN_TRY(add_tracks(made, clip, false, ignored, error));
    made->transform_count = made->track_count;
    SN_TRY(add_tracks(made, clip, true, ignored, error));
    SN_TRY(check_parameters_differ(made, error));
    SN_TRY(find_moved(made, error));
    *player = made;
    return SN_OK;
cleanup:
    sni_player_destroy(made);
    return status;
}

void sni_player_destroy(sni_player *player) {
    if (player == NULL) {
        return;
    }
    sn_context *context = player->rig->context;
    sni_free(context, player->tracks);
    sni_free(context, player->moved);
    sni_free(context, player);
}
