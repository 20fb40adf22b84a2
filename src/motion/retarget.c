// SPDX-License-Identifier: Apache-2.0
//
// A clip recorded on one skeleton, played on another.
//
// The source is posed frame by frame; each paired segment of the target gets the turn that its
// source has made away from its stance, in the world (retarget_align.c has the equation); local
// rotations follow from the world's. The top of the rig gets the body's place, scaled by the
// lengths of the legs (retarget_carry.c). Where feet are held (retarget_plant.c), all frames are
// posed twice: once to see where the target's legs go, and once with the legs bent.
#include "motion/retarget_internal.h"

#include "motion/rig_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t desc_check = 0x736e7274;

sn_retarget_desc sn_retarget_desc_default(void) {
    return (sn_retarget_desc){
        .check = desc_check, .rest_frame = SN_NONE, .plant_feet = true, .spread_twist = true};
}

// ---------------------------------------------------------------------------------------------
// Setting up

static sn_status check_input(const sn_clip *clip, const sn_skeleton *skeleton,
                             const sn_retarget_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_retarget_desc_default");
    }
    if (!(desc->scale >= 0 && isfinite(desc->scale))) {
        return sni_fail(error, SN_INVALID, "the scale is %g, but must be 0 or more", desc->scale);
    }
    if (clip->skeleton.segment_count == 0) {
        return sni_fail(error, SN_INVALID,
                        "the clip \"%s\" does not say on which skeleton it was recorded",
                        clip->name);
    }
    if (desc->rest_frame != SN_NONE && desc->rest_frame >= clip->frame_count) {
        return sni_fail(error, SN_INVALID,
                        "the rest frame is %u, but the clip \"%s\" has the frames 0 to %u",
                        desc->rest_frame, clip->name, clip->frame_count - 1);
    }
    if (skeleton->segment_count == 0) {
        return sni_fail(error, SN_INVALID, "the skeleton has no segments");
    }
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (skeleton->segments[i].name == NULL) {
            return sni_fail(error, SN_INVALID, "segment %u has no name", i);
        }
    }
    return SN_OK;
}

// Whether the values of a track differ from each other by more than rounding.
static bool changes(const sn_track *track) {
    const double rounding = 1e-6; // what a float keeps
    size_t width = sn_track_width(track);
    size_t step = track->interpolation == SN_INTERPOLATION_CUBIC ? 3 * width : width;
    size_t first = step > width ? width : 0; // behind the in-tangent
    for (uint32_t k = 1; k < track->key_count; ++k) {
        for (size_t i = first; i < first + width; ++i) {
            double a = track->values[i], v = track->values[k * step + i];
            if (fabs(v - a) > rounding * (1 + fabs(a))) {
                return true;
            }
        }
    }
    return false;
}

static void find_moves(sni_baker *b) {
    const sn_skeleton *skeleton = &b->r.clip->skeleton;
    for (uint32_t i = 0; i < b->player->track_count; ++i) {
        const sni_player_track *track = &b->player->tracks[i];
        if (track->ref.control == SN_NONE && changes(track->track)) {
            b->r.moves[track->ref.segment] = 1;
        }
    }
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t segment = skeleton->parents_first[i];
        uint32_t parent = skeleton->segments[segment].parent;
        b->r.moves[segment] |= parent != SN_NONE && b->r.moves[parent];
    }
}

static sn_status open_source(sni_baker *b, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = b->r.context;
    const sn_skeleton *skeleton = &b->r.clip->skeleton;
    size_t count = skeleton->segment_count;
    uint32_t ignored;
    sni_rig_desc desc = {.skeleton = skeleton};
    SN_TRY(sni_rig_create(context, &desc, &b->rig, error));
    SN_TRY(sni_player_create(b->rig, b->r.clip, &ignored, &b->player, error));
    SNI_NEW(context, b->pose.locals, count);
    SNI_NEW(context, b->pose.worlds, count);
    SNI_NEW(context, b->pose.parameters, count * SN_JOINT_PARAMETER_COUNT);
    SNI_NEW(context, b->pose.controls, 0);
    SNI_NEW(context, b->turns, count);
    SNI_NEW(context, b->source_rotations, count);
    SNI_NEW_ZERO(context, b->r.moves, count);
    find_moves(b);
cleanup:
    return status;
}

static sn_status open_target(sni_baker *b, const sn_skeleton *skeleton, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = b->r.context;
    SNI_NEW_ZERO(context, b->r.links, skeleton->segment_count);
    SNI_NEW(context, b->r.only_child, skeleton->segment_count);
    SNI_NEW(context, b->locals, skeleton->segment_count);
    SNI_NEW(context, b->worlds, skeleton->segment_count);
    SNI_NEW(context, b->rotations, skeleton->segment_count);
    SNI_NEW(context, b->outputs, skeleton->segment_count);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        b->outputs[i] = (sni_retarget_tracks){SN_NONE, SN_NONE, SN_NONE};
    }
cleanup:
    return status;
}

// Where the head looks straight ahead is what the skeleton's own zero pose says: in the T-pose of
// CMU files the neck is stretched by turning the chin down 16 degrees, and measured from there
// every clip would look at the sky (head pitch over their frames: -12 to +17 degrees from the zero
// pose, -28 to +1 from the T-pose).
static void keep_heads_at_rest(const sni_stance *source, sn_transform *locals) {
    for (uint32_t i = 0; i < source->skeleton->segment_count; ++i) {
        sni_body_part part = source->body.roles[i].part;
        if (part == SNI_BODY_NECK || part == SNI_BODY_HEAD) {
            locals[i] = sni_segment_rest_local(&source->skeleton->segments[i]);
        }
    }
}

// Motion capture often begins with a T-pose, which is a better stance than the pose of all zeros:
// the zero pose of CMU files has spread legs.
static sn_status take_zero_or_t_pose(sni_baker *b, sn_error *error) {
    sni_retarget *r = &b->r;
    sn_status status = sni_rig_pose(b->rig, b->player, 0, NULL, 0, &b->pose, error);
    if (status != SN_OK) {
        return status;
    }
    sni_stance_set(&r->source, b->pose.locals);
    if (sni_stance_is_t_pose(&r->source)) {
        keep_heads_at_rest(&r->source, b->pose.locals);
        sni_stance_set(&r->source, b->pose.locals);
        sni_stance_rotate(&r->source, r->turn);
        sni_stance_face(&r->source, &r->target);
        return SN_OK;
    }
    for (uint32_t i = 0; i < r->source.skeleton->segment_count; ++i) {
        b->pose.locals[i] = sni_segment_rest_local(&r->source.skeleton->segments[i]);
    }
    sni_stance_set(&r->source, b->pose.locals);
    sni_stance_rotate(&r->source, r->turn);
    return SN_OK;
}

static sn_status take_frame(sni_baker *b, sn_error *error) {
    sni_retarget *r = &b->r;
    double time = r->rest_frame / r->clip->rate;
    sn_status status = sni_rig_pose(b->rig, b->player, time, NULL, 0, &b->pose, error);
    if (status == SN_OK) {
        sni_rest_relax(r, &b->survey, b->pose.locals);
        sni_stance_set(&r->source, b->pose.locals);
        sni_stance_rotate(&r->source, r->turn);
        sni_stance_face(&r->source, &r->target);
    }
    return status;
}

static void choose_rest(sni_baker *b) {
    sni_retarget *r = &b->r;
    uint32_t frame;
    r->is_no_pose = !sni_rest_is_pose(r, &b->survey, &frame);
    r->rest_frame = r->desc->rest_frame != SN_NONE ? r->desc->rest_frame
                    : r->is_no_pose                ? frame
                                                   : SN_NONE;
}

// Lengths are those of the zero pose where that is one, since it may say where the floor is.
static sn_status take_stance(sni_baker *b, sn_error *error) {
    sni_retarget *r = &b->r;
    sn_status status = SN_OK;
    if (r->same_skeleton) {
        sni_stance_rotate(&r->source, r->turn);
        sni_retarget_scale(r);
        return SN_OK;
    }
    SN_TRY(sni_survey_init(r, b->rig, b->player, &b->pose, &b->survey, error));
    choose_rest(b);
    if (r->rest_frame != SN_NONE) {
        r->turn = sni_rest_turn(r, &b->survey);
        SN_TRY(take_frame(b, error));
        sni_retarget_scale(r);
    } else {
        sni_retarget_turn(r);
        sni_stance_rotate(&r->source, r->turn);
        sni_retarget_scale(r);
        SN_TRY(take_zero_or_t_pose(b, error));
    }
cleanup:
    return status;
}

// When the feet of the source rest, which also tells where its ground is and how flat feet are.
static sn_status find_contacts(sni_baker *b, sn_error *error) {
    sni_retarget *r = &b->r;
    if (r->same_skeleton || !(r->legs[0] > 0)) {
        return SN_OK;
    }
    bool with_toes = b->followed[SNI_FOLLOWED_TOES][0] != SN_NONE &&
                     b->followed[SNI_FOLLOWED_TOES][1] != SN_NONE;
    sn_status status = sni_contacts_init(r->context, &b->survey, r->turn, r->legs[0], with_toes,
                                         &b->contacts, error);
    if (status != SN_OK || b->contacts.frames == 0) {
        return status;
    }
    for (int side = 0; side < 2; ++side) {
        r->has_soles[side] =
            sni_contacts_sole(&b->survey, &b->contacts, r->turn, side, &r->soles[side]);
    }
    sni_retarget_ground(r, b->contacts.ankle_level);
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Tracks of the result

typedef struct track_kinds {
    bool translation, scale;
} track_kinds;

static track_kinds kinds_of(const sni_player *player, uint32_t source) {
    track_kinds kinds = {false, false};
    for (uint32_t i = 0; i < player->track_count; ++i) {
        const sni_player_track *track = &player->tracks[i];
        if (track->ref.segment != source || track->ref.control != SN_NONE) {
            continue;
        }
        sn_track_kind kind = track->track->kind;
        sn_joint_parameter p = track->ref.joint_parameter;
        bool parameter = kind == SN_TRACK_PARAMETER;
        kinds.translation |=
            kind == SN_TRACK_TRANSLATION || (parameter && p >= SN_JOINT_TX && p <= SN_JOINT_TZ);
        kinds.scale |= kind == SN_TRACK_SCALE || (parameter && p >= SN_JOINT_SX);
    }
    return kinds;
}

static sn_status add_track(sni_baker *b, sn_track_kind kind, uint32_t segment, uint32_t *number,
                           sn_error *error) {
    sn_clip *clip = b->result;
    sn_track *track;
    sn_status status = sn_clip_add_track(clip, kind, b->r.target.skeleton->segments[segment].name,
                                         SN_INTERPOLATION_LINEAR, clip->frame_count, &track, error);
    if (status == SN_OK) {
        *number = clip->track_count - 1;
        for (uint32_t f = 0; f < clip->frame_count; ++f) {
            track->times[f] = f / clip->rate;
        }
    }
    return status;
}

static sn_status add_segment_tracks(sni_baker *b, uint32_t segment, sn_error *error) {
    sn_status status = SN_OK;
    const sni_link *link = &b->r.links[segment];
    sni_retarget_tracks *out = &b->outputs[segment];
    bool carried = b->r.carriers[segment] != SN_NONE;
    bool linked = link->linked;
    track_kinds kinds = {false, false};
    if (linked && link->one_to_one) {
        kinds = kinds_of(b->player, link->a);
    }
    bool toe = b->toes != NULL && b->toes[segment].length > 0;
    toe |= sni_bake_stiff_sole(b, segment) != NULL;
    if (linked || carried || toe || sni_twist_is_shared(&b->r, segment)) {
        SN_TRY(add_track(b, SN_TRACK_ROTATION, segment, &out->rotation, error));
    }
    if (carried || (kinds.translation && segment != b->r.root_target)) {
        SN_TRY(add_track(b, SN_TRACK_TRANSLATION, segment, &out->translation, error));
    }
    if (kinds.scale) {
        SN_TRY(add_track(b, SN_TRACK_SCALE, segment, &out->scale, error));
    }
cleanup:
    return status;
}

static sn_status add_tracks(sni_baker *b, sn_error *error) {
    sn_status status = SN_OK;
    const sni_retarget *r = &b->r;
    SN_TRY(sn_clip_create(r->context, r->clip->name, r->clip->rate, r->clip->frame_count,
                          &b->result, error));
    SN_TRY(sni_skeleton_copy(r->context, r->target.skeleton, &b->result->skeleton, error));
    for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
        SN_TRY(add_segment_tracks(b, i, error));
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// All frames

static void store_vec3(sn_clip *clip, uint32_t track, uint32_t frame, sn_vec3 v) {
    if (track != SN_NONE) {
        double *values = clip->tracks[track].values + 3 * (size_t)frame;
        values[0] = v.x;
        values[1] = v.y;
        values[2] = v.z;
    }
}

// Of q and -q the one nearer to the frame before, so that keys can be blended by number as well.
static void store_quat(sn_clip *clip, uint32_t track, uint32_t frame, sn_quat q) {
    if (track == SN_NONE) {
        return;
    }
    double *values = clip->tracks[track].values + 4 * (size_t)frame;
    if (frame > 0) {
        const double *v = values - 4;
        q = sn_quat_dot(q, (sn_quat){v[0], v[1], v[2], v[3]}) < 0 ? sn_quat_scale(q, -1) : q;
    }
    values[0] = q.x;
    values[1] = q.y;
    values[2] = q.z;
    values[3] = q.w;
}

static sn_status pose_frame(sni_baker *b, uint32_t frame, sn_error *error) {
    double time = frame / b->r.clip->rate;
    sn_status status = sni_rig_pose(b->rig, b->player, time, NULL, 0, &b->pose, error);
    if (status == SN_OK) {
        sni_bake_turn_source(b);
    }
    return status;
}

// Sees where the target's legs go and plans how they are held.
static sn_status plan_feet(sni_baker *b, sn_error *error) {
    sn_status status = SN_OK;
    const sni_retarget *r = &b->r;
    uint32_t count = r->clip->frame_count;
    const sn_vec3 still = {0, 0, 0};
    if (!sni_bake_can_plant(b)) {
        return SN_OK;
    }
    SN_TRY(sni_plant_init(r->context, count, &b->plant, error));
    for (uint32_t f = 0; f < count; ++f) {
        SN_TRY(pose_frame(b, f, error));
        sni_bake_pose_target(b, still);
        for (int i = 0; i < SNI_FOLLOWED_COUNT; ++i) {
            b->plant.places[f][i][0] = sni_bake_followed_place(b, (sni_followed)i, 0);
            b->plant.places[f][i][1] = sni_bake_followed_place(b, (sni_followed)i, 1);
        }
    }
    sni_bake_measure_legs(b);
    SN_TRY(sni_plant_make(r->context, &b->contacts, count, r->clip->rate, &b->plant, error));
cleanup:
    return status;
}

static sn_status bake(sni_baker *b, sn_error *error) {
    const sni_retarget *r = &b->r;
    const sn_vec3 still = {0, 0, 0};
    for (uint32_t f = 0; f < r->clip->frame_count; ++f) {
        sn_status status = pose_frame(b, f, error);
        if (status != SN_OK) {
            return status;
        }
        if (b->plant.moves || b->toes != NULL) {
            sni_bake_pose_planted(b, f);
        } else {
            sni_bake_pose_target(b, still);
        }
        for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
            store_quat(b->result, b->outputs[i].rotation, f, b->locals[i].rotation);
            store_vec3(b->result, b->outputs[i].translation, f, b->locals[i].translation);
            store_vec3(b->result, b->outputs[i].scale, f, b->locals[i].scale);
        }
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------

static sn_status fill_report(const sni_baker *b, sn_retarget_report *report, sn_error *error) {
    sn_status status = SN_OK;
    const sni_retarget *r = &b->r;
    uint8_t *used = NULL;
    sn_retarget_report made = {.scale = r->scale,
                               .rest_frame = r->rest_frame,
                               .zero_is_no_pose = r->is_no_pose,
                               .plant_count = b->plant.count,
                               .slide = b->plant.slid};
    SNI_NEW_ZERO(r->context, used, r->source.skeleton->segment_count);
    sni_retarget_mark_used(r, used);
    for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
        made.matched += r->links[i].linked;
    }
    for (uint32_t i = 0; i < r->source.skeleton->segment_count; ++i) {
        made.unmatched_source += !used[i];
    }
    *report = made;
cleanup:
    sni_free(r->context, used);
    return status;
}

static void close_baker(sni_baker *b) {
    sn_context *context = b->r.context;
    sni_player_destroy(b->player);
    sni_rig_destroy(b->rig);
    sni_stance_deinit(context, &b->r.source);
    sni_stance_deinit(context, &b->r.target);
    sni_survey_deinit(context, &b->survey);
    sni_contacts_deinit(context, &b->contacts);
    sni_plant_deinit(context, &b->plant);
    sni_soles_deinit(context, b->soles);
    void *arrays[] = {b->pose.locals,   b->pose.worlds,  b->pose.parameters,
                      b->pose.controls, b->turns,        b->source_rotations,
                      b->r.links,       b->r.only_child, b->locals,
                      b->worlds,        b->rotations,    b->outputs,
                      b->r.moves,       b->r.aligns,     b->r.carriers,
                      b->r.order,       b->r.twists,     b->toes};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sni_free(context, arrays[i]);
    }
    sn_clip_destroy(b->result);
}

// Who moves whom, and who carries whom.
static sn_status pair(sni_baker *b, const sn_skeleton *skeleton, sn_error *error) {
    sni_retarget *r = &b->r;
    sn_status status = SN_OK;
    SN_TRY(check_input(r->clip, skeleton, r->desc, error));
    SN_TRY(open_source(b, error));
    SN_TRY(open_target(b, skeleton, error));
    SN_TRY(sni_stance_init(r->context, &r->clip->skeleton, &r->source, error));
    SN_TRY(sni_stance_init(r->context, skeleton, &r->target, error));
    SN_TRY(sni_retarget_same(r, error));
    SN_TRY(sni_retarget_pair(r, error));
    SN_TRY(r->linked_count > 0 ? sni_retarget_carry(r, error) : SN_OK);
cleanup:
    return status;
}

sn_status sn_clip_pair(const sn_clip *clip, const sn_skeleton *skeleton,
                       const sn_retarget_desc *desc, sn_pairing **pairing, sn_error *error) {
    sni_baker b = {
        .r = {.context = clip->context, .clip = clip, .desc = desc, .rest_frame = SN_NONE}};
    *pairing = NULL;
    sn_status status = pair(&b, skeleton, error);
    if (status == SN_OK) {
        status = sni_retarget_pairing(&b.r, pairing, error);
    }
    close_baker(&b);
    return status;
}

sn_status sn_clip_retarget(const sn_clip *clip, const sn_skeleton *skeleton,
                           const sn_retarget_desc *desc, sn_clip **result,
                           sn_retarget_report *report, sn_error *error) {
    sn_status status = SN_OK;
    sni_baker b = {
        .r = {.context = clip->context, .clip = clip, .desc = desc, .rest_frame = SN_NONE}};
    *result = NULL;
    SN_TRY(pair(&b, skeleton, error));
    SN_TRY(sni_retarget_check_pairs(&b.r, error));
    SN_TRY(take_stance(&b, error));
    sni_followed_segments(&b.r.target, b.followed);
    sni_followed_balls(&b.r.target, b.followed);
    SN_TRY(find_contacts(&b, error));
    sni_retarget_align(&b.r);
    SN_TRY(sni_retarget_twists(&b.r, error));
    SN_TRY(sni_bake_open_feet(&b, error));
    SN_TRY(add_tracks(&b, error));
    SN_TRY(plan_feet(&b, error));
    SN_TRY(bake(&b, error));
    if (report != NULL) {
        SN_TRY(fill_report(&b, report, error));
    }
    *result = b.result;
    b.result = NULL;
cleanup:
    close_baker(&b);
    return status;
}
