// SPDX-License-Identifier: Apache-2.0
//
// Muscles for a body from its skeleton and skin alone.
//
//     hinge    a limb's joint between two bones: flexor and extensor on the first of them, from
//              near its origin to just beyond the joint
//     girdle   the joint by which the first free bone hangs on the trunk: a muscle over it
//
// A muscle is a strip of skin in an angular sector around the bone. Its two curves are found by
// rays from the bone outwards, at right angles to it, up to the first skin that belongs to the
// limb.
#include "fit/propose.h"

#include "base/context.h"
#include "motion/skeleton.h"

#include <string.h>

static const uint32_t desc_check = 0x70726f70;

// Where strips begin and end: parts of the bone's length; `beyond` of the next bone's.
static const double strip_begin = 0.14, strip_end = 0.94, strip_beyond = 0.05;
static const double girdle_begin = -0.22, girdle_end = 0.42;

// Half the angle of a strip.
static const double strip_angle = 46 * SN_PI / 180, girdle_angle = 50 * SN_PI / 180;

// Thickness of the skin and half that of the muscle, as parts of the limb's radius.
static const double skin_part = 0.06, muscle_part = 0.20;

// How far the skin beside a muscle follows, in radii.
static const double reach_part = 0.8;

// How much muscles swell and which part of their length they lose at full contraction. Flexors
// shorten most while they work, extensors tense at their full length; and skin over an insertion
// beyond a joint is to stay there.
typedef struct strip_action {
    double bulge, strength;
} strip_action;

static const strip_action flexor_action = {1.4, 0.015}, extensor_action = {0.7, 0},
                          girdle_action = {0.8, 0.015};

// A bone is free when this part of the rays around its middle meets its own skin.
static const double free_part = 0.5;

enum { STRIP_POINTS = 12, LEAST_POINTS = 7, AROUND = 16, MOST_TURNS = 3 };

sn_propose_desc sn_propose_desc_default(void) {
    return (sn_propose_desc){.check = desc_check, .smallest = 0.04, .thickness = 1};
}

// ---------------------------------------------------------------------------------------------
// Skin that belongs to a bone

// Marks the segments of a bone: what hangs on its first one, up to its next bone.
static void mark_bone(const sni_proposal *job, uint32_t bone, uint8_t *marks) {
    const sni_bone *b = &job->bones.bones[bone];
    const sni_limbs *limbs = &job->bones.limbs;
    for (uint32_t s = b->last; s != SN_NONE; s = limbs->parents[s]) {
        marks[s] = 1;
        if (s == b->first) {
            break;
        }
    }
}

static void mark_trunk(const sni_proposal *job, uint32_t trunk, uint8_t *marks) {
    for (uint32_t s = trunk; s != SN_NONE; s = job->bones.limbs.parents[s]) {
        marks[s] = 1;
    }
}

// Whether half the weight of the skin at a hit is on marked segments.
static bool belongs(const sni_skin_probe *probe, const sn_hit *hit, void *user) {
    const sni_proposal *job = user;
    const sn_weights *weights = probe->mesh->weights;
    const uint32_t *v = probe->triangles->vertices + 3 * (size_t)hit->triangle;
    double marked = 0, all = 0;
    for (int i = 0; i < 3; ++i) {
        for (uint32_t k = weights->offsets[v[i]]; k < weights->offsets[v[i] + 1]; ++k) {
            double weight = hit->barycentric[i] * weights->values[k];
            all += weight;
            marked += job->marks[job->bone_segments[weights->bones[k]]] ? weight : 0;
        }
    }
    return marked > 0.5 * all;
}

// ---------------------------------------------------------------------------------------------
// Strips

// A line along a bone and over its end onto the next one, with a direction at right angles to it.
typedef struct strip_axis {
    const sni_bone *bone, *next; // next: NULL for none
    sn_vec3 along, next_along;   // unit
    sn_vec3 side;                // unit, at right angles to `along`: the middle of the strip
    sn_vec3 outer;               // likewise, away from the plane of symmetry
} strip_axis;

// A point of the axis: `place` in lengths of the bone, beyond 1 in those of the next. Near the end
// of the bone the directions turn into those of the next one.
static sn_vec3 axis_point(const strip_axis *axis, double place, sn_vec3 *along, sn_vec3 *side) {
    const sni_bone *b = axis->bone;
    *along = axis->along;
    *side = axis->side;
    if (axis->next == NULL || place < 0.8) {
        return sn_vec3_add_scaled(b->from, place * b->length, axis->along);
    }
    double turn = fmin((place - 0.8) / 0.4, 1);
    *along = sn_vec3_normalize_or(sn_vec3_lerp(axis->along, axis->next_along, turn), axis->along);
    sn_vec3 level = sn_vec3_add_scaled(axis->side, -sn_vec3_dot(axis->side, *along), *along);
    *side = sn_vec3_normalize_or(level, axis->side);
    return place <= 1
               ? sn_vec3_add_scaled(b->from, place * b->length, axis->along)
               : sn_vec3_add_scaled(b->to, (place - 1) * axis->next->length, axis->next_along);
}

static bool cast_outwards(const sni_proposal *job, sn_vec3 from, sn_vec3 direction, sn_hit *hit) {
    sni_skin_ray ray = {.origin = from,
                        .direction = direction,
                        .nearest = 0,
                        .farthest = INFINITY,
                        .accept = belongs,
                        .user = (void *)job};
    return sni_skin_probe_cast(&job->probe, &ray, hit);
}

static sn_vec3 turned(sn_vec3 along, sn_vec3 side, double angle) {
    sn_vec3 across = sn_vec3_cross(along, side);
    return sn_vec3_add_scaled(sn_vec3_scale(side, cos(angle)), sin(angle), across);
}

// A muscle is widest in its middle: the part of its angle that it has at s, from 0 at its origin to
// 1 at its insertion.
static double spindle(double s) {
    return 0.45 + 0.55 * sin(SN_PI * s);
}

// Casts both curves; places count where both rays meet the limb's skin. Gives their number;
// `radius` is the mean distance of the skin from the axis.
static uint32_t cast_pairs(const sni_proposal *job, const strip_axis *axis, const double range[2],
                           double angle, sn_vec3 *points[2], double *radius) {
    uint32_t count = 0;
    *radius = 0;
    for (uint32_t i = 0; i < STRIP_POINTS; ++i) {
        double s = (double)i / (STRIP_POINTS - 1), half = angle * spindle(s);
        sn_vec3 along, side;
        sn_vec3 from = axis_point(axis, range[0] + (range[1] - range[0]) * s, &along, &side);
        sn_hit hits[2];
        if (cast_outwards(job, from, turned(along, side, -half), &hits[0]) &&
            cast_outwards(job, from, turned(along, side, half), &hits[1])) {
            points[0][count] = hits[0].point;
            points[1][count++] = hits[1].point;
            *radius += (hits[0].distance + hits[1].distance) / 2;
        }
    }
    *radius = count > 0 ? *radius / count : 0;
    return count;
}

// The part of the rays around the middle of a bone that meets its own skin.
static double closure(sni_proposal *job, uint32_t bone) {
    const sni_bone *b = &job->bones.bones[bone];
    sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(b->to, b->from), sn_vec3_make(0, 1, 0));
    sn_vec3 side = sn_vec3_perpendicular(along), middle = sn_vec3_lerp(b->from, b->to, 0.5);
    uint32_t hits = 0;
    memset(job->marks, 0, job->bones.limbs.segment_count);
    mark_bone(job, bone, job->marks);
    for (uint32_t i = 0; i < AROUND; ++i) {
        sn_hit hit;
        hits += cast_outwards(job, middle, turned(along, side, 2 * SN_PI * i / AROUND), &hit);
    }
    return (double)hits / AROUND;
}

// ---------------------------------------------------------------------------------------------
// Muscles

static const char *side_of(const sni_bone *bone) {
    return bone->role.side == SNI_SIDE_LEFT ? "_L" : bone->role.side == SNI_SIDE_RIGHT ? "_R" : "";
}

// The name of anatomy where the bone has one, else that of the segment.
static const char *name_of(const sni_proposal *job, uint32_t bone, sni_muscle_role role) {
    static const char *const plain[] = {"flexor", "extensor", "front", "back", "girdle"};
    static const struct {
        sni_body_part part;
        const char *names[SNI_MUSCLE_ROLE_COUNT];
    } known[] = {
        {SNI_BODY_UPPER_ARM, {"biceps", "triceps", "biceps", "triceps", "deltoid"}},
        {SNI_BODY_FOREARM,
         {"wrist_flexors", "wrist_extensors", "wrist_flexors", "wrist_extensors", NULL}},
        {SNI_BODY_THIGH, {"hamstrings", "quadriceps", "quadriceps", "hamstrings", "gluteus"}},
        {SNI_BODY_SHIN, {"tibialis", "calf", "tibialis", "calf", NULL}},
    };
    const sni_bone *b = &job->bones.bones[bone];
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (known[i].part == b->role.part && known[i].names[role] != NULL) {
            return sni_layout_text(job->layout, "%s%s", known[i].names[role], side_of(b));
        }
    }
    return sni_layout_text(job->layout, "%s %s", job->skeleton->segments[b->first].name,
                           plain[role]);
}

// A copy that lives as long as the layout.
static const char *segment_name(const sni_proposal *job, uint32_t segment) {
    return sni_layout_text(job->layout, "%s", job->skeleton->segments[segment].name);
}

// Mirrors the curves of the muscle that the mirror image of a bone has. False where that bone has
// none, or the skin is not symmetric there.
static bool mirror_curves(const sni_proposal *job, uint32_t bone, sni_muscle_role role,
                          sn_vec3 *points[2], sn_layout_muscle *muscle) {
    const double slack = 0.01 * job->probe.size;
    uint32_t mirror = job->bones.bones[bone].mirror;
    uint32_t number = mirror < bone ? job->made[mirror][role] : SN_NONE;
    if (number == SN_NONE) {
        return false;
    }
    const sn_layout_muscle *other = &job->layout->muscles[number];
    for (uint32_t k = 0; k < 2; ++k) {
        for (uint32_t i = 0; i < other->curve_counts[k]; ++i) {
            sn_closest closest;
            sn_vec3 p = sni_bones_mirror(&job->bones, other->curves[k][i]);
            sn_accel_find_closest(job->probe.accel, p, slack, &closest);
            if (closest.triangle == SN_NONE) {
                return false;
            }
            points[k][i] = closest.point;
        }
        muscle->curve_counts[k] = other->curve_counts[k];
    }
    muscle->skin_thickness = other->skin_thickness;
    muscle->muscle_thickness = other->muscle_thickness;
    muscle->d_full = other->d_full;
    muscle->d_none = other->d_none;
    return true;
}

// Where the middle of the strip lies within the trunk, as that of an upper arm at a chest does, it
// is turned outwards step by step.
static bool cast_curves(const sni_proposal *job, const strip_axis *axis, const double range[2],
                        double angle, sn_vec3 *points[2], sn_layout_muscle *muscle) {
    double radius = 0;
    uint32_t count = 0;
    for (int turn = 0; turn <= MOST_TURNS && count < LEAST_POINTS; ++turn) {
        strip_axis turning = *axis;
        double t = (double)turn / (MOST_TURNS + 1);
        turning.side = sn_vec3_normalize_or(sn_vec3_lerp(axis->side, axis->outer, t), axis->side);
        count = cast_pairs(job, &turning, range, angle, points, &radius);
    }
    if (count < LEAST_POINTS) {
        return false;
    }
    muscle->curve_counts[0] = muscle->curve_counts[1] = count;
    muscle->skin_thickness = skin_part * job->thickness * radius;
    muscle->muscle_thickness = muscle_part * job->thickness * radius;
    muscle->d_full = muscle->skin_thickness + muscle->muscle_thickness;
    muscle->d_none = muscle->d_full + reach_part * radius;
    return true;
}

static sn_vec3 curve_middle(const sn_layout_muscle *muscle, bool at_end) {
    sn_vec3 ends[2];
    for (uint32_t k = 0; k < 2; ++k) {
        ends[k] = muscle->curves[k][at_end ? muscle->curve_counts[k] - 1 : 0];
    }
    return sn_vec3_lerp(ends[0], ends[1], 0.5);
}

// Drives a muscle by the distance of its ends, carried by two segments: at `shortest` times the
// distance at rest it is contracted fully.
static void drive_by_distance(const sni_proposal *job, uint32_t origin, uint32_t insertion,
                              double shortest, sn_layout_muscle *muscle) {
    uint32_t segments[2] = {origin, insertion};
    sn_vec3 points[2] = {curve_middle(muscle, false), curve_middle(muscle, true)};
    for (int i = 0; i < 2; ++i) {
        sn_mat4 to_local;
        if (!sn_mat4_invert(&job->bones.limbs.frames[segments[i]], &to_local)) {
            return;
        }
        muscle->driver_segments[i] = segment_name(job, segments[i]);
        muscle->driver_points[i] = sn_mat4_point(&to_local, points[i]);
    }
    double length = sn_vec3_distance(points[0], points[1]);
    muscle->driver = SN_LAYOUT_DISTANCE;
    muscle->driver_curve[0][0] = shortest * length;
    muscle->driver_curve[0][1] = 1;
    muscle->driver_curve[1][0] = length;
    muscle->driver_curve[1][1] = 0;
}

// Drives a muscle by a joint's angle: contracted fully `range` radians away from rest, against the
// parameter's sense where that is negative.
static void drive_by_angle(const sni_proposal *job, const sni_hinge *hinge, double range,
                           sn_layout_muscle *muscle) {
    static const char *const suffixes[] = {"rx", "ry", "rz"};
    const sn_segment *segment = &job->skeleton->segments[hinge->segment];
    double rest = segment->rest_parameters[hinge->parameter];
    double degrees = round(range * 180 / SN_PI), start = rest * 180 / SN_PI;
    bool rises = degrees > 0;
    muscle->driver = SN_LAYOUT_ANGLE;
    muscle->driver_parameter =
        sni_layout_text(job->layout, "%s.%s_deg", segment->name, suffixes[hinge->parameter]);
    muscle->driver_curve[rises][0] = start + degrees;
    muscle->driver_curve[rises][1] = 1;
    muscle->driver_curve[!rises][0] = start;
    muscle->driver_curve[!rises][1] = 0;
}

static strip_action action_of(sni_muscle_role role) {
    return role == SNI_MUSCLE_GIRDLE                               ? girdle_action
           : role == SNI_MUSCLE_FLEXOR || role == SNI_MUSCLE_FRONT ? flexor_action
                                                                   : extensor_action;
}

// Makes the strip of a muscle, mirrored or by rays, and adds it. Says why it could not.
static sn_status add_strip(sni_proposal *job, uint32_t bone, sni_muscle_role role,
                           const strip_axis *axis, const double range[2], double angle,
                           sn_layout_muscle *muscle, bool *added, sn_error *error) {
    sn_vec3 *points[2];
    for (int k = 0; k < 2; ++k) {
        points[k] = sni_layout_alloc(job->layout, STRIP_POINTS, sizeof **points);
        if (points[k] == NULL) {
            return sni_fail_memory(error);
        }
        muscle->curves[k] = points[k];
    }
    muscle->name = name_of(job, bone, role);
    muscle->group = "muscle";
    strip_action action = action_of(role);
    muscle->bulge = action.bulge;
    muscle->strength = action.strength;
    *added = mirror_curves(job, bone, role, points, muscle) ||
             cast_curves(job, axis, range, angle, points, muscle);
    if (!*added) {
        return sni_layout_skip(job->layout, muscle->name,
                               "rays from the bone meet too little skin of the limb", error);
    }
    job->made[bone][role] = job->layout->muscle_count;
    return SN_OK;
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

static strip_axis make_axis(const sni_proposal *job, uint32_t bone, sn_vec3 side) {
    const sni_bone *b = &job->bones.bones[bone];
    strip_axis axis = {.bone = b, .next = b->next != SN_NONE ? &job->bones.bones[b->next] : NULL};
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
    strip_axis axis = make_axis(job, bone, sn_vec3_scale(hinge->flexor, flexor ? 1 : -1));
    sni_muscle_role role = hinge->known ? (flexor ? SNI_MUSCLE_FLEXOR : SNI_MUSCLE_EXTENSOR)
                                        : (flexor ? SNI_MUSCLE_FRONT : SNI_MUSCLE_BACK);
    double range[2] = {strip_begin, flexor ? strip_end : 1 + strip_beyond};
    sn_layout_muscle muscle = {0};
    bool added = false;
    memset(job->marks, 0, job->bones.limbs.segment_count);
    mark_bone(job, bone, job->marks);
    mark_bone(job, b->next, job->marks);
    if (b->parent != SN_NONE) {
        mark_bone(job, b->parent, job->marks);
    }
    sn_status status =
        add_strip(job, bone, role, &axis, range, strip_angle, &muscle, &added, error);
    if (status != SN_OK || !added) {
        return status;
    }
    double angle = flexor ? hinge->flexion : -hinge->extension;
    if (hinge->aligned && fabs(angle) > 0) {
        drive_by_angle(job, hinge, angle * hinge->sense, &muscle);
    } else if (!hinge->aligned) {
        drive_by_distance(job, b->first, job->bones.bones[b->next].first, 0.8, &muscle);
    }
    return sni_layout_add(job->layout, &muscle, error);
}

// Over the joint on the trunk. At a shoulder the muscle lies outside, at a hip outside and behind,
// where the knee bends to.
static sn_status add_girdle_muscle(sni_proposal *job, uint32_t bone, const sni_hinge *hinge,
                                   sn_error *error) {
    const sni_bone *b = &job->bones.bones[bone];
    strip_axis axis = make_axis(job, bone, outer_of(job, b, hinge->flexor));
    if (b->role.part == SNI_BODY_THIGH) {
        axis = make_axis(job, bone, sn_vec3_add_scaled(axis.side, 2, hinge->flexor));
    }
    const double range[2] = {girdle_begin, girdle_end};
    sn_layout_muscle muscle = {0};
    bool added = false;
    memset(job->marks, 0, job->bones.limbs.segment_count);
    mark_bone(job, bone, job->marks);
    mark_trunk(job, job->bones.limbs.parents[b->first], job->marks);
    sn_status status =
        add_strip(job, bone, SNI_MUSCLE_GIRDLE, &axis, range, girdle_angle, &muscle, &added, error);
    if (status != SN_OK || !added) {
        return status;
    }
    drive_by_distance(job, b->trunk, b->first, 0.75, &muscle);
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
    const char *name = segment_name(job, b->first);
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
    *free = *free || closure(job, bone) >= free_part;
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
                        "the skin \"%s\" has no weights: nothing tells which part of it belongs to "
                        "which limb",
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
