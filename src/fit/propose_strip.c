// SPDX-License-Identifier: Apache-2.0
//
// A muscle is a strip of skin in an angular sector around the bone. Its two curves are found by
// rays from the bone outwards, at right angles to it, up to the first skin that belongs to the
// limb.
#include "fit/propose_strip.h"

#include <math.h>
#include <string.h>

// Thickness of the skin and half that of the muscle, as parts of the limb's radius.
static const double skin_part = 0.06, muscle_part = 0.20;

// How much muscles swell and which part of their length they lose at full contraction. Flexors
// shorten most while they work, extensors tense at their full length; and skin over an insertion
// beyond a joint is to stay there. `reach` is how far the skin beside a muscle follows, in radii.
typedef struct strip_action {
    double bulge, strength, reach;
} strip_action;

static const strip_action flexor_action = {1.4, 0.015, 0.8}, extensor_action = {0.7, 0, 0.8},
                          girdle_action = {0.8, 0.015, 0.8}, trunk_action = {0.5, 0, 0.4};

enum { STRIP_POINTS = 12, LEAST_POINTS = 7, AROUND = 16, MOST_TURNS = 3 };

// ---------------------------------------------------------------------------------------------
// Skin that belongs to a bone

// Marks the segments of a bone: what hangs on its first one, up to its next bone.
void sni_strip_mark_bone(const sni_proposal *job, uint32_t bone, uint8_t *marks) {
    SN_ASSERT(marks != NULL);
    const sni_bone *b = &job->bones.bones[bone];
    const sni_limbs *limbs = &job->bones.limbs;
    for (uint32_t s = b->last; s != SN_NONE; s = limbs->parents[s]) {
        marks[s] = 1;
        if (s == b->first) {
            break;
        }
    }
}

void sni_strip_mark_trunk(const sni_proposal *job, uint32_t trunk, uint8_t *marks) {
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

// A point of the axis: `place` in lengths of the bone, beyond 1 in those of the next. Near the end
// of the bone the directions turn into those of the next one.
static sn_vec3 axis_point(const sni_strip_axis *axis, double place, sn_vec3 *along, sn_vec3 *side) {
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

static bool cast_outwards(const sni_proposal *job, sn_vec3 from, sn_vec3 direction, double farthest,
                          sn_hit *hit) {
    sni_skin_ray ray = {.origin = from,
                        .direction = direction,
                        .nearest = 0,
                        .farthest = farthest,
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
static uint32_t cast_pairs(const sni_proposal *job, const sni_strip_axis *axis,
                           const double range[2], double angle, sn_vec3 *points[2],
                           double *radius) {
    uint32_t count = 0;
    *radius = 0;
    for (uint32_t i = 0; i < STRIP_POINTS; ++i) {
        double s = (double)i / (STRIP_POINTS - 1), half = angle * spindle(s);
        sn_vec3 along, side;
        sn_vec3 from = axis_point(axis, range[0] + (range[1] - range[0]) * s, &along, &side);
        sn_hit hits[2];
        if (cast_outwards(job, from, turned(along, side, -half), axis->farthest, &hits[0]) &&
            cast_outwards(job, from, turned(along, side, half), axis->farthest, &hits[1])) {
            points[0][count] = hits[0].point;
            points[1][count++] = hits[1].point;
            *radius += (hits[0].distance + hits[1].distance) / 2;
        }
    }
    *radius = count > 0 ? *radius / count : 0;
    return count;
}

// The part of the rays around the middle of a bone that meets its own skin.
double sni_strip_closure(sni_proposal *job, uint32_t bone) {
    const sni_bone *b = &job->bones.bones[bone];
    sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(b->to, b->from), sn_vec3_make(0, 1, 0));
    sn_vec3 side = sn_vec3_perpendicular(along), middle = sn_vec3_lerp(b->from, b->to, 0.5);
    uint32_t hits = 0;
    memset(job->marks, 0, job->bones.limbs.segment_count);
    sni_strip_mark_bone(job, bone, job->marks);
    for (uint32_t i = 0; i < AROUND; ++i) {
        sn_hit hit;
        hits +=
            cast_outwards(job, middle, turned(along, side, 2 * SN_PI * i / AROUND), INFINITY, &hit);
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
    static const char *const plain[] = {"flexor", "extensor", "front", "back",
                                        "girdle", "chest",    "dorsal"};
    static const struct {
        sni_body_part part;
        const char *names[SNI_MUSCLE_ROLE_COUNT];
    } known[] = {
        {SNI_BODY_UPPER_ARM,
         {"biceps", "triceps", "biceps", "triceps", "deltoid", "pectoral", "latissimus"}},
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
const char *sni_strip_segment_name(const sni_proposal *job, uint32_t segment) {
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
    muscle->top_depth = other->top_depth;
    muscle->half_thickness = other->half_thickness;
    muscle->d_full = other->d_full;
    muscle->d_none = other->d_none;
    return true;
}

// Whether both curves lead the same way, as those of a strip that is wider than long need not.
static bool run_along(sn_vec3 *points[2], uint32_t count) {
    sn_vec3 ways[2];
    for (int k = 0; k < 2; ++k) {
        ways[k] = sn_vec3_sub(points[k][count - 1], points[k][0]);
    }
    return sn_vec3_dot(ways[0], ways[1]) > 0;
}

// Where the middle of the strip lies within the trunk, as that of an upper arm at a chest does, it
// is turned outwards step by step.
static bool cast_curves(const sni_proposal *job, const sni_strip_axis *axis, const double range[2],
                        double angle, double reach, sn_vec3 *points[2], sn_layout_muscle *muscle) {
    double radius = 0;
    uint32_t count = 0;
    for (int turn = 0; turn <= MOST_TURNS && count < LEAST_POINTS; ++turn) {
        sni_strip_axis turning = *axis;
        double t = (double)turn / (MOST_TURNS + 1);
        turning.side = sn_vec3_normalize_or(sn_vec3_lerp(axis->side, axis->outer, t), axis->side);
        count = cast_pairs(job, &turning, range, angle, points, &radius);
    }
    if (count < LEAST_POINTS || !run_along(points, count)) {
        return false;
    }
    muscle->curve_counts[0] = muscle->curve_counts[1] = count;
    muscle->top_depth = skin_part * job->thickness * radius;
    muscle->half_thickness = muscle_part * job->thickness * radius;
    muscle->d_full = muscle->top_depth + muscle->half_thickness;
    muscle->d_none = muscle->d_full + reach * radius;
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
void sni_strip_drive_by_distance(const sni_proposal *job, uint32_t origin, uint32_t insertion,
                                 double shortest, sn_layout_muscle *muscle) {
    uint32_t segments[2] = {origin, insertion};
    sn_vec3 points[2] = {curve_middle(muscle, false), curve_middle(muscle, true)};
    for (int i = 0; i < 2; ++i) {
        sn_mat4 to_local;
        if (!sn_mat4_invert(&job->bones.limbs.frames[segments[i]], &to_local)) {
            return;
        }
        muscle->driver_segments[i] = sni_strip_segment_name(job, segments[i]);
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
void sni_strip_drive_by_angle(const sni_proposal *job, const sni_hinge *hinge, double range,
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
    return role >= SNI_MUSCLE_CHEST                                ? trunk_action
           : role == SNI_MUSCLE_GIRDLE                             ? girdle_action
           : role == SNI_MUSCLE_FLEXOR || role == SNI_MUSCLE_FRONT ? flexor_action
                                                                   : extensor_action;
}

// Makes the strip of a muscle, mirrored or by rays, and adds it. Says why it could not.
sn_status sni_strip_add(sni_proposal *job, uint32_t bone, sni_muscle_role role,
                        const sni_strip_axis *axis, const double range[2], double angle,
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
             cast_curves(job, axis, range, angle, action.reach, points, muscle);
    if (!*added) {
        return sni_layout_skip(job->layout, muscle->name,
                               "rays from the bone meet too little skin of the limb", error);
    }
    job->made[bone][role] = job->layout->muscle_count;
    return SN_OK;
}
