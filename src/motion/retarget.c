// SPDX-License-Identifier: Apache-2.0
//
// A clip recorded on one skeleton, played on another.
//
// The source is posed frame by frame; each paired segment of the target gets the turn that its
// source has made away from its stance, in the world (retarget_align.c has the equation); local
// rotations follow from the world's. The root also gets the source's place, scaled by the heights
// of the hips.
#include "motion/retarget.h"

#include "motion/rig_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t desc_check = 0x736e7274;

// Rest transforms that differ by less, relative to their size, are the same: what a float keeps.
static const double same_rest = 1e-6;

sn_retarget_desc sn_retarget_desc_default(void) {
    return (sn_retarget_desc){.check = desc_check};
}

// What is made for a target segment; track numbers in the result, SN_NONE: none.
typedef struct output {
    uint32_t rotation, translation, scale;
} output;

// The moving parts: one frame of source and target.
typedef struct baker {
    sni_retarget r;
    sni_rig *rig; // the source's
    sni_player *player;
    sni_pose pose;        // of the source
    sn_transform *locals; // of the target
    sn_mat4 *worlds;
    sn_quat *rotations; // in the world, of the target
    sn_quat *turns;     // of the source segments, away from their stance
    sn_quat *source_rotations;
    output *outputs;
    sn_clip *result;
} baker;

// ---------------------------------------------------------------------------------------------
// Setting up

static bool is_same_rest(const sn_segment *a, const sn_segment *b) {
    sn_transform x = sni_segment_rest_local(a), y = sni_segment_rest_local(b);
    double size = 1 + sn_vec3_length(x.translation);
    double turned = 1 - fabs(sn_quat_dot(x.rotation, y.rotation));
    return sn_vec3_distance(x.translation, y.translation) <= same_rest * size &&
           turned <= same_rest * same_rest + DBL_EPSILON * 8 &&
           sn_vec3_distance(x.scale, y.scale) <= same_rest;
}

// Whether all segments have the same names, parents and rest frames.
static sn_status compare_skeletons(sn_context *context, const sn_skeleton *a, const sn_skeleton *b,
                                   bool *same, sn_error *error) {
    sni_name_index names;
    sn_status status = sni_skeleton_index(context, b, &names, error);
    *same = a->segment_count == b->segment_count;
    for (uint32_t i = 0; i < a->segment_count && status == SN_OK && *same; ++i) {
        uint32_t k = sni_name_index_find(&names, a->segments[i].name);
        uint32_t parent = a->segments[i].parent;
        uint32_t parent_k =
            parent != SN_NONE ? sni_name_index_find(&names, a->segments[parent].name) : SN_NONE;
        *same = k != SN_NONE && b->segments[k].parent == parent_k &&
                is_same_rest(&a->segments[i], &b->segments[k]);
    }
    sni_name_index_deinit(context, &names);
    return status;
}

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

static sn_status open_source(baker *b, sn_error *error) {
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
cleanup:
    return status;
}

static sn_status open_target(baker *b, const sn_skeleton *skeleton, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = b->r.context;
    SNI_NEW_ZERO(context, b->r.links, skeleton->segment_count);
    SNI_NEW(context, b->r.only_child, skeleton->segment_count);
    SNI_NEW(context, b->locals, skeleton->segment_count);
    SNI_NEW(context, b->worlds, skeleton->segment_count);
    SNI_NEW(context, b->rotations, skeleton->segment_count);
    SNI_NEW(context, b->outputs, skeleton->segment_count);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        b->outputs[i] = (output){SN_NONE, SN_NONE, SN_NONE};
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
static sn_status take_stance(baker *b, sn_error *error) {
    sni_retarget *r = &b->r;
    if (r->same_skeleton) {
        return SN_OK;
    }
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

static sn_status add_track(baker *b, sn_track_kind kind, uint32_t segment, uint32_t *number,
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

static sn_status add_tracks(baker *b, sn_error *error) {
    sn_status status = SN_OK;
    const sni_retarget *r = &b->r;
    SN_TRY(sn_clip_create(r->context, r->clip->name, r->clip->rate, r->clip->frame_count,
                          &b->result, error));
    SN_TRY(sni_skeleton_copy(r->context, r->target.skeleton, &b->result->skeleton, error));
    for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
        const sni_link *link = &r->links[i];
        if (!link->linked) {
            continue;
        }
        SN_TRY(add_track(b, SN_TRACK_ROTATION, i, &b->outputs[i].rotation, error));
        track_kinds kinds = {false, false};
        if (link->one_to_one) {
            kinds = kinds_of(b->player, link->a);
        }
        if (i == r->root_target || kinds.translation) {
            SN_TRY(add_track(b, SN_TRACK_TRANSLATION, i, &b->outputs[i].translation, error));
        }
        if (kinds.scale) {
            SN_TRY(add_track(b, SN_TRACK_SCALE, i, &b->outputs[i].scale, error));
        }
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// One frame

static void turn_source(baker *b) {
    const sni_retarget *r = &b->r;
    const sn_skeleton *skeleton = r->source.skeleton;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t segment = skeleton->parents_first[i];
        uint32_t parent = skeleton->segments[segment].parent;
        sn_quat above = parent != SN_NONE ? b->source_rotations[parent] : r->turn;
        b->source_rotations[segment] =
            sn_quat_multiply(above, sn_quat_normalize(b->pose.locals[segment].rotation));
        b->turns[segment] = sn_quat_multiply(b->source_rotations[segment],
                                             sn_quat_conjugate(r->source.rotations[segment]));
    }
}

static sn_quat turn_of(const baker *b, uint32_t source) {
    return source != SN_NONE ? b->turns[source] : sn_quat_identity();
}

static sn_quat linked_turn(const baker *b, const sni_link *link) {
    sn_quat a = turn_of(b, link->a);
    return link->blend == 0 ? a : sn_quat_slerp(a, turn_of(b, link->b), link->blend);
}

// Where the root stands in its parent, so that the body is where the source's is in the world.
static sn_vec3 root_translation(const baker *b, uint32_t parent, sn_quat root_turn) {
    const sni_retarget *r = &b->r;
    const double *m = b->pose.worlds[r->anchors[0]].m, *n = b->pose.worlds[r->anchors[1]].m;
    sn_vec3 place =
        sn_vec3_lerp(sn_vec3_make(m[12], m[13], m[14]), sn_vec3_make(n[12], n[13], n[14]), 0.5);
    place = sn_vec3_add_scaled(r->shift, r->scale, sn_quat_rotate(r->turn, place));
    place = sn_vec3_sub(place, sn_quat_rotate(root_turn, r->anchor_offset));
    sn_mat4 inverse;
    if (parent == SN_NONE || !sn_mat4_invert(&b->worlds[parent], &inverse)) {
        return place;
    }
    return sn_mat4_point(&inverse, place);
}

// What the source segment has moved in its parent, taken over through the world.
static sn_vec3 carried_translation(const baker *b, uint32_t source, sn_vec3 rest,
                                   sn_quat target_parent) {
    const sni_retarget *r = &b->r;
    uint32_t parent = r->source.skeleton->segments[source].parent;
    sn_vec3 from = sni_segment_rest_local(&r->source.skeleton->segments[source]).translation;
    sn_vec3 moved = sn_vec3_sub(b->pose.locals[source].translation, from);
    moved = sn_quat_rotate(parent != SN_NONE ? b->source_rotations[parent] : r->turn, moved);
    moved = sn_quat_rotate(sn_quat_conjugate(target_parent), moved);
    return sn_vec3_add_scaled(rest, r->scale, moved);
}

static sn_vec3 carried_scale(const baker *b, uint32_t source, sn_vec3 rest) {
    sn_vec3 from = sni_segment_rest_local(&b->r.source.skeleton->segments[source]).scale;
    sn_vec3 now = b->pose.locals[source].scale;
    return sn_vec3_make(from.x != 0 ? rest.x * now.x / from.x : rest.x,
                        from.y != 0 ? rest.y * now.y / from.y : rest.y,
                        from.z != 0 ? rest.z * now.z / from.z : rest.z);
}

static void pose_target(baker *b) {
    const sni_retarget *r = &b->r;
    const sn_skeleton *skeleton = r->target.skeleton;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t segment = skeleton->parents_first[i];
        uint32_t parent = skeleton->segments[segment].parent;
        const sni_link *link = &r->links[segment];
        sn_transform local = sni_segment_rest_local(&skeleton->segments[segment]);
        sn_quat above = parent != SN_NONE ? b->rotations[parent] : sn_quat_identity();
        sn_quat turn = sn_quat_multiply(linked_turn(b, link), link->align);
        if (link->linked) {
            sn_quat world = sn_quat_multiply(turn, r->target.rotations[segment]);
            local.rotation = sn_quat_normalize(sn_quat_multiply(sn_quat_conjugate(above), world));
        }
        if (segment == r->root_target) {
            local.translation = root_translation(b, parent, turn);
        } else if (b->outputs[segment].translation != SN_NONE) {
            local.translation = carried_translation(b, link->a, local.translation, above);
        }
        if (b->outputs[segment].scale != SN_NONE) {
            local.scale = carried_scale(b, link->a, local.scale);
        }
        b->rotations[segment] = sn_quat_multiply(above, sn_quat_normalize(local.rotation));
        b->locals[segment] = local;
        sn_mat4 matrix = sn_mat4_from_transform(&local);
        b->worlds[segment] =
            parent != SN_NONE ? sn_mat4_multiply(&b->worlds[parent], &matrix) : matrix;
    }
}

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

static sn_status bake(baker *b, sn_error *error) {
    const sni_retarget *r = &b->r;
    for (uint32_t f = 0; f < r->clip->frame_count; ++f) {
        sn_status status =
            sni_rig_pose(b->rig, b->player, f / r->clip->rate, NULL, 0, &b->pose, error);
        if (status != SN_OK) {
            return status;
        }
        turn_source(b);
        pose_target(b);
        for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
            store_quat(b->result, b->outputs[i].rotation, f, b->locals[i].rotation);
            store_vec3(b->result, b->outputs[i].translation, f, b->locals[i].translation);
            store_vec3(b->result, b->outputs[i].scale, f, b->locals[i].scale);
        }
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------

static void mark_used(const baker *b, uint8_t *used, uint32_t source) {
    if (source == SN_NONE) {
        return;
    }
    // Segments of one part act together: all of a chain are in its last turn.
    const sni_body *body = &b->r.source.body;
    sni_body_role role = body->roles[source];
    used[source] = 1;
    for (uint32_t i = 0; role.part != SNI_BODY_NONE && i < body->count[role.part][role.side]; ++i) {
        used[body->members[body->first[role.part][role.side] + i]] = 1;
    }
}

static sn_status fill_report(const baker *b, sn_retarget_report *report, sn_error *error) {
    sn_status status = SN_OK;
    const sni_retarget *r = &b->r;
    uint8_t *used = NULL;
    sn_retarget_report made = {.scale = r->scale};
    SNI_NEW_ZERO(r->context, used, r->source.skeleton->segment_count);
    for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
        if (r->links[i].linked) {
            made.matched++;
            mark_used(b, used, r->links[i].a);
            mark_used(b, used, r->links[i].b);
        }
    }
    for (uint32_t i = 0; i < r->source.skeleton->segment_count; ++i) {
        made.unmatched_source += !used[i];
    }
    *report = made;
cleanup:
    sni_free(r->context, used);
    return status;
}

static void close_baker(baker *b) {
    sn_context *context = b->r.context;
    sni_player_destroy(b->player);
    sni_rig_destroy(b->rig);
    sni_stance_deinit(context, &b->r.source);
    sni_stance_deinit(context, &b->r.target);
    void *arrays[] = {b->pose.locals, b->pose.worlds,      b->pose.parameters, b->pose.controls,
                      b->turns,       b->source_rotations, b->r.links,         b->r.only_child,
                      b->locals,      b->worlds,           b->rotations,       b->outputs};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sni_free(context, arrays[i]);
    }
    sn_clip_destroy(b->result);
}

sn_status sn_clip_retarget(const sn_clip *clip, const sn_skeleton *skeleton,
                           const sn_retarget_desc *desc, sn_clip **result,
                           sn_retarget_report *report, sn_error *error) {
    sn_status status = SN_OK;
    baker b = {.r = {.context = clip->context, .clip = clip, .desc = desc}};
    *result = NULL;
    SN_TRY(check_input(clip, skeleton, desc, error));
    SN_TRY(open_source(&b, error));
    SN_TRY(open_target(&b, skeleton, error));
    SN_TRY(sni_stance_init(clip->context, &clip->skeleton, &b.r.source, error));
    SN_TRY(sni_stance_init(clip->context, skeleton, &b.r.target, error));
    SN_TRY(compare_skeletons(clip->context, &clip->skeleton, skeleton, &b.r.same_skeleton, error));
    SN_TRY(sni_retarget_pair(&b.r, error));
    sni_retarget_turn(&b.r);
    sni_stance_rotate(&b.r.source, b.r.turn);
    sni_retarget_scale(&b.r);
    SN_TRY(take_stance(&b, error));
    sni_retarget_align(&b.r);
    SN_TRY(add_tracks(&b, error));
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
