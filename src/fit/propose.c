// SPDX-License-Identifier: Apache-2.0
//
// Muscles for a body from its skeleton and skin alone.
//
//     hinge    a limb's joint between two bones: flexor and extensor on the first of them, from
//              near its origin to just beyond the joint
//     girdle   the joint by which the first free bone hangs on the trunk: a muscle over it
//     trunk    from the mid-line of the body to the first bone of an arm, on chest and back
#include "fit/propose_strip.h"

#include "base/context.h"
#include "motion/skeleton.h"

#include <string.h>

static const uint32_t desc_check = 0x70726f70;

// Where strips begin and end: parts of the bone's length; `beyond` of the next bone's.
static const double strip_begin = 0.14, strip_end = 0.94, strip_beyond = 0.05;
static const double girdle_begin = -0.22, girdle_end = 0.42;

// Half the angle of a strip.
static const double strip_angle = 46 * SN_PI / 180, girdle_angle = 50 * SN_PI / 180;

// Muscles of the trunk go from the mid-line over the shoulder onto the arm: parts of the line from
// the mid-line to the shoulder, beyond 1 of the arm's bone. Their middle is turned from before or
// behind to the loins, by these tangents. Skin further away than this many lengths of the line is
// that of a narrow, deep trunk, on whose sides legs stand: there they would lie between these.
static const double trunk_begin = 0.15, trunk_end = 1.12, trunk_angle = 36 * SN_PI / 180;
static const double chest_slope = 0.3, back_slope = 0.4, deepest_trunk = 1.5;

// A bone is free when this part of the rays around its middle meets its own skin.
static const double free_part = 0.5;

sn_propose_desc sn_propose_desc_default(void) {
    return (sn_propose_desc){.check = desc_check, .smallest = 0.04, .thickness = 1};
}

// Away from the plane of symmetry, or from the trunk.
static sn_vec3 outer_of(const sni_proposal *job, const sni_bone *b, sn_vec3 otherwise) {
    if (job->bones.has_plane) {
        sn_vec3 middle = sn_vec3_lerp(b->from, b->to, 0.5), normal = job->bones.normal;
        double away = sn_vec3_dot(sn_vec3_sub(middle, job->bones.origin), normal);
        return sn_vec3_scale(normal, away < 0 ? -1 : 1);
    }
    if (b->trunk != SN_NONE) {
        const double *m = job->bones.limbs.frames[b->trunk].m;
        sn_vec3 way = sn_vec3_sub(b->from, sn_vec3_make(m[12], m[13], m[14]));
        return sn_vec3_normalize_or(way, otherwise);
    }
    return otherwise;
}

static sn_vec3 level_with(sn_vec3 v, sn_vec3 along) {
    sn_vec3 level = sn_vec3_add_scaled(v, -sn_vec3_dot(v, along), along);
    return sn_vec3_normalize_or(level, sn_vec3_perpendicular(along));
}

static sni_strip_axis make_axis(const sni_proposal *job, uint32_t bone, sn_vec3 side) {
    const sni_bone *b = &job->bones.bones[bone];
    sni_strip_axis axis = {.bone = b,
                           .next = b->next != SN_NONE ? &job->bones.bones[b->next] : NULL,
                           .farthest = INFINITY};
    axis.along = sn_vec3_normalize_or(sn_vec3_sub(b->to, b->from), sn_vec3_make(0, 1, 0));
    axis.next_along = axis.along;
    if (axis.next != NULL) {
        axis.next_along =
            sn_vec3_normalize_or(sn_vec3_sub(axis.next->to, axis.next->from), axis.along);
    }
    axis.side = level_with(side, axis.along);
    axis.outer = level_with(outer_of(job, b, side), axis.along);
    return axis;
}

static sn_status add_hinge_muscle(sni_proposal *job, uint32_t bone, const sni_hinge *hinge,
                                  bool flexor, sn_error *error) {
    const sni_bone *b = &job->bones.bones[bone];
    sni_strip_axis axis = make_axis(job, bone, sn_vec3_scale(hinge->flexor, flexor ? 1 : -1));
    sni_muscle_role role = hinge->known ? (flexor ? SNI_MUSCLE_FLEXOR : SNI_MUSCLE_EXTENSOR)
                                        : (flexor ? SNI_MUSCLE_FRONT : SNI_MUSCLE_BACK);
    double range[2] = {strip_begin, flexor ? strip_end : 1 + strip_beyond};
    sn_layout_muscle muscle = {0};
    bool added = false;
    memset(job->marks, 0, job->bones.limbs.segment_count);
    sni_strip_mark_bone(job, bone, job->marks);
    sni_strip_mark_bone(job, b->next, job->marks);
    if (b->parent != SN_NONE) {
        sni_strip_mark_bone(job, b->parent, job->marks);
    }
    sn_status status =
        sni_strip_add(job, bone, role, &axis, range, strip_angle, &muscle, &added, error);
    if (status != SN_OK || !added) {
        return status;
    }
    double angle = flexor ? hinge->flexion : -hinge->extension;
    if (hinge->aligned && fabs(angle) > 0) {
        sni_strip_drive_by_angle(job, hinge, angle * hinge->sense, &muscle);
    } else if (!hinge->aligned) {
        sni_strip_drive_by_distance(job, b->first, job->bones.bones[b->next].first, 0.8, &muscle);
    }
    return sni_layout_add(job->layout, &muscle, error);
}

// Over the joint on the trunk. At a shoulder the muscle lies outside, at a hip outside and behind,
// where the knee bends to.
static sn_status add_girdle_muscle(sni_proposal *job, uint32_t bone, const sni_hinge *hinge,
                                   sn_error *error) {
    const sni_bone *b = &job->bones.bones[bone];
    sni_strip_axis axis = make_axis(job, bone, outer_of(job, b, hinge->flexor));
    if (b->role.part == SNI_BODY_THIGH) {
        axis = make_axis(job, bone, sn_vec3_add_scaled(axis.side, 2, hinge->flexor));
    }
    const double range[2] = {girdle_begin, girdle_end};
    sn_layout_muscle muscle = {0};
    bool added = false;
    memset(job->marks, 0, job->bones.limbs.segment_count);
    sni_strip_mark_bone(job, bone, job->marks);
    sni_strip_mark_trunk(job, job->bones.limbs.parents[b->first], job->marks);
    sn_status status = sni_strip_add(job, bone, SNI_MUSCLE_GIRDLE, &axis, range, girdle_angle,
                                     &muscle, &added, error);
    if (status != SN_OK || !added) {
        return status;
    }
    sni_strip_drive_by_distance(job, b->trunk, b->first, 0.75, &muscle);
    return sni_layout_add(job->layout, &muscle, error);
}

// The directions of a trunk at a limb, at right angles to `lateral`: to its root, and to the belly.
// Legs point to the belly, and elbows bend to it. False where the limb hangs near the root.
static bool find_trunk(const sni_proposal *job, const sni_bone *b, const sni_hinge *hinge,
                       sn_vec3 lateral, sn_vec3 *caudal, sn_vec3 *ventral) {
    uint32_t root = b->trunk;
    while (job->bones.limbs.parents[root] != SN_NONE) {
        root = job->bones.limbs.parents[root];
    }
    const double *m = job->bones.limbs.frames[root].m;
    sn_vec3 spine = sn_vec3_sub(sn_vec3_make(m[12], m[13], m[14]), b->from);
    spine = sn_vec3_add_scaled(spine, -sn_vec3_dot(spine, lateral), lateral);
    sn_vec3 arm = sn_vec3_normalize_or(sn_vec3_sub(b->to, b->from), lateral);
    *caudal = level_with(spine, lateral);
    *ventral = sn_vec3_cross(lateral, *caudal);
    if (sn_vec3_dot(*ventral, sn_vec3_add(arm, hinge->flexor)) < 0) {
        *ventral = sn_vec3_scale(*ventral, -1);
    }
    return sn_vec3_length(spine) > 0.5 * b->length;
}

// From the mid-line to an arm, on the chest or on the back.
static sn_status add_trunk_muscle(sni_proposal *job, uint32_t bone, const sni_hinge *hinge,
                                  bool chest, sn_error *error) {
    const sni_bone *b = &job->bones.bones[bone];
    double away = sn_vec3_dot(sn_vec3_sub(b->from, job->bones.origin), job->bones.normal);
    sn_vec3 lateral = sn_vec3_scale(job->bones.normal, away < 0 ? -1 : 1), caudal, ventral;
    if (!find_trunk(job, b, hinge, lateral, &caudal, &ventral)) {
        return SN_OK;
    }
    sni_bone line = {.from = sn_vec3_add_scaled(b->from, -fabs(away), lateral),
                     .to = b->from,
                     .length = fabs(away)};
    sni_strip_axis axis = make_axis(job, bone, ventral);
    axis.next = b;
    axis.next_along = axis.along;
    axis.bone = &line;
    axis.along = lateral;
    axis.side = level_with(sn_vec3_add_scaled(sn_vec3_scale(ventral, chest ? 1 : -1),
                                              chest ? chest_slope : back_slope, caudal),
                           lateral);
    axis.outer = axis.side;
    axis.farthest = deepest_trunk * line.length;
    const double range[2] = {trunk_begin, trunk_end};
    sn_layout_muscle muscle = {0};
    bool added = false;
    memset(job->marks, 0, job->bones.limbs.segment_count);
    sni_strip_mark_bone(job, bone, job->marks);
    sni_strip_mark_trunk(job, job->bones.limbs.parents[b->first], job->marks);
    sn_status status = sni_strip_add(job, bone, chest ? SNI_MUSCLE_CHEST : SNI_MUSCLE_DORSAL, &axis,
                                     range, trunk_angle, &muscle, &added, error);
    if (status != SN_OK || !added) {
        return status;
    }
    sni_strip_drive_by_distance(job, b->trunk, b->first, 0.75, &muscle);
    return sni_layout_add(job->layout, &muscle, error);
}

// ---------------------------------------------------------------------------------------------
// Bones

static bool is_small(const sni_proposal *job, double length) {
    return length < job->smallest * job->probe.size;
}

static const char short_bone[] = "too short", inner_bone[] = "within the trunk",
                  last_bone[] = "no long bone follows", fine_part[] = "head, hand or foot";

// Head, hands and feet, with all that hangs on them.
static bool is_fine_part(const sni_proposal *job, uint32_t bone) {
    for (uint32_t i = bone; i != SN_NONE; i = job->bones.bones[i].parent) {
        sni_body_part part = job->bones.bones[i].role.part;
        if (part == SNI_BODY_HEAD || part == SNI_BODY_HAND || part >= SNI_BODY_FOOT) {
            return true;
        }
    }
    return false;
}

// Why a bone gets no muscles; NULL when it does.
static const char *reason_against(const sni_proposal *job, uint32_t bone, bool free) {
    const sni_bone *b = &job->bones.bones[bone];
    return is_fine_part(job, bone)                          ? fine_part
           : is_small(job, b->length)                       ? short_bone
           : !free                                          ? inner_bone
           : b->next == SN_NONE                             ? last_bone
           : is_small(job, job->bones.bones[b->next].reach) ? last_bone
                                                            : NULL;
}

// Notes that a bone was skipped; one after the other for the same reason are one entry.
static sn_status skip(sni_proposal *job, uint32_t bone, const char *reason, sn_error *error) {
    sn_muscle_layout *layout = job->layout;
    const sni_bone *b = &job->bones.bones[bone];
    const char *name = sni_strip_segment_name(job, b->first);
    sn_layout_skip *last = layout->skip_count > 0 ? &layout->skips[layout->skip_count - 1] : NULL;
    if (b->parent == SN_NONE || b->parent != job->skipped || last == NULL ||
        last->reason != reason) {
        job->skipped_from = name;
        job->skipped = bone;
        return sni_layout_skip(layout, name, reason, error);
    }
    job->skipped = bone;
    last->name = sni_layout_text(layout, "%s to %s", job->skipped_from, name);
    return last->name != NULL ? SN_OK : sni_fail_memory(error);
}

static sn_status propose_for(sni_proposal *job, uint32_t bone, bool *free, sn_error *error) {
    const sni_bone *b = &job->bones.bones[bone];
    bool first = b->parent == SN_NONE || !*free;
    *free = *free || sni_strip_closure(job, bone) >= free_part;
    const char *against = reason_against(job, bone, *free);
    if (against != NULL) {
        return skip(job, bone, against, error);
    }
    sni_hinge hinge;
    sni_hinge_find(job, bone, &hinge);
    job->bends = hinge.flexor;
    sn_status status = SN_OK;
    if (first && b->trunk != SN_NONE) {
        SN_TRY(add_girdle_muscle(job, bone, &hinge, error));
        if (job->bones.has_plane && b->role.part == SNI_BODY_UPPER_ARM) {
            SN_TRY(add_trunk_muscle(job, bone, &hinge, true, error));
            SN_TRY(add_trunk_muscle(job, bone, &hinge, false, error));
        }
    }
    SN_TRY(add_hinge_muscle(job, bone, &hinge, true, error));
    SN_TRY(add_hinge_muscle(job, bone, &hinge, false, error));
cleanup:
    return status;
}

static sn_status propose_all(sni_proposal *job, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    bool free = false;
    for (uint32_t i = 0; i < job->bones.count; ++i) {
        if (job->bones.bones[i].parent == SN_NONE) {
            free = false;
            job->bends = sn_vec3_make(0, 0, 0);
        }
        SN_TRY(sni_progress(progress, "proposing muscles", (double)i / job->bones.count, error));
        SN_TRY(propose_for(job, i, &free, error));
    }
cleanup:
    return status;
}

static sn_status check_desc(const sn_propose_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_propose_desc_default");
    }
    if (!(desc->smallest >= 0 && isfinite(desc->smallest))) {
        return sni_fail(error, SN_INVALID, "smallest is %g, but must not be negative",
                        desc->smallest);
    }
    if (!(desc->thickness > 0 && desc->thickness <= 2)) {
        return sni_fail(error, SN_INVALID, "thickness is %g, but must be in 0 to 2",
                        desc->thickness);
    }
    if (desc->mesh->weights == NULL) {
        return sni_fail(error, SN_INVALID,
                        "the skin \"%s\" has no weights, so it is not known which part of it "
                        "belongs to which limb",
                        desc->mesh->name);
    }
    return SN_OK;
}

static sn_status match_bones(sn_context *context, sni_proposal *job, sn_error *error) {
    sn_status status = SN_OK;
    const sn_weights *weights = job->probe.mesh->weights;
    sni_name_index index = {0};
    SNI_NEW(context, job->bone_segments, weights->bone_count);
    SN_TRY(sni_skeleton_index(context, job->skeleton, &index, error));
    for (uint32_t b = 0; b < weights->bone_count; ++b) { // sni_bones_init has found them all
        job->bone_segments[b] = sni_name_index_find(&index, weights->bone_names[b]);
    }
    SNI_NEW_ZERO(context, job->marks, job->skeleton->segment_count);
    SNI_NEW(context, job->made, job->bones.count);
    memset(job->made, 0xff, job->bones.count * sizeof *job->made);
cleanup:
    sni_name_index_deinit(context, &index);
    return status;
}

sn_status sn_muscles_propose(sn_context *context, const sn_propose_desc *desc,
                             const sn_progress *progress, sn_muscle_layout **layout,
                             sn_error *error) {
    sn_status status = SN_OK;
    sni_proposal job = {
        .skeleton = desc->skeleton, .smallest = desc->smallest, .thickness = desc->thickness};
    *layout = NULL;
    SN_TRY(check_desc(desc, error));
    SN_TRY(sni_skin_probe_init(context, desc->mesh, &job.probe, error));
    sni_limbs_desc limbs = {.skeleton = desc->skeleton, .meshes = &desc->mesh, .mesh_count = 1};
    SN_TRY(sni_bones_init(context, &limbs, job.probe.size, &job.bones, error));
    SN_TRY(match_bones(context, &job, error));
    SN_TRY(sni_layout_create(context, &job.layout, error));
    SN_TRY(propose_all(&job, progress, error));
    *layout = job.layout;
cleanup:
    sni_skin_probe_deinit(&job.probe);
    sni_bones_deinit(&job.bones);
    sni_free(context, job.bone_segments);
    sni_free(context, job.marks);
    sni_free(context, job.made);
    if (status != SN_OK) {
        sn_muscle_layout_destroy(job.layout);
    }
    return status;
}
