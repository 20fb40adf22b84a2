// SPDX-License-Identifier: Apache-2.0
#include "muscle/fibre/contact.h"

#include <float.h>
#include <string.h>

// Sweeps over all contacts of a step, at most. They end where no particle is deeper than `settled`,
// as a part of its radius.
enum { MOST_SWEEPS = 36 };
static const double settled = 2e-3;

// Radii below this, as a part of the width, count as that where a miss is measured: a tendon's
// thickness falls to nothing at its end.
static const double least_radius = 0.05;

// The part of what a particle comes out again by that the skin gives way.
static const double giving = 0.5;

// Tendons that are off by more than this are made whole between sweeps.
static const double tendon_off = 2e-3;

// ---------------------------------------------------------------------------------------------
// Bones

// The most that a matrix makes a direction longer, or a little more: |A^T g|^2 is at most the
// largest eigenvalue of A A^T, and that no more than the largest sum of sizes in one of its rows.
static double most_stretch(const sn_mat4 *matrix) {
    static const double rounding = 1e-9;
    const double *m = matrix->m;
    const sn_vec3 rows[3] = {{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}};
    double most = 0;
    for (int i = 0; i < 3; ++i) {
        double sum = 0;
        for (int k = 0; k < 3; ++k) {
            sum += fabs(sn_vec3_dot(rows[i], rows[k]));
        }
        most = fmax(most, sum);
    }
    return sqrt(most) * (1 + rounding);
}

bool sni_fibre_bone_place(const sn_mat4 *before, const sn_mat4 *now, sni_fibre_bone_pose *pose) {
    sn_mat4 inverse;
    if (!sn_mat4_invert(now, &inverse)) {
        return false;
    }
    *pose = (sni_fibre_bone_pose){*before, *now, inverse, most_stretch(&inverse)};
    return true;
}

// The distance as the bone sees it, with the way out, of any length.
static double capsule_at(const sni_fibre_bone *bone, sn_vec3 at, sn_vec3 *way) {
    sn_vec3 along = sn_vec3_sub(bone->ends[1], bone->ends[0]),
            from = sn_vec3_sub(at, bone->ends[0]);
    double squared = sn_vec3_dot(along, along), u = sn_vec3_dot(from, along);
    u = !(u > 0) ? 0 : u < squared ? u / squared : 1;
    *way = sn_vec3_sub(from, sn_vec3_scale(along, u));
    double distance = sn_vec3_length(*way);
    if (!(distance > 0)) {
        *way = sn_vec3_perpendicular(sn_vec3_normalize_or(along, sn_vec3_make(0, 1, 0)));
    }
    return distance - bone->radius;
}

// Whether a point is surely as far from a capsule as that, told without a root or a quotient: with
// u = from . along, the square of its distance from the axis is |from|^2 - u^2 / |along|^2 beside
// it, and from an end where u is beyond.
static bool is_beyond_capsule(const sni_fibre_bone *bone, sn_vec3 at, double distance) {
    static const double rounding = 1e-9;
    double reach = (distance + bone->radius) * (1 + rounding);
    sn_vec3 along = sn_vec3_sub(bone->ends[1], bone->ends[0]),
            from = sn_vec3_sub(at, bone->ends[0]);
    double squared = sn_vec3_dot(along, along), u = sn_vec3_dot(from, along);
    double away = sn_vec3_dot(from, from) * (1 - rounding) - reach * reach;
    if (!(reach > 0) || !(u > 0)) {
        return reach > 0 && away > 0;
    }
    if (u < squared) {
        return away * squared > u * u;
    }
    sn_vec3 beyond = sn_vec3_sub(at, bone->ends[1]);
    return sn_vec3_dot(beyond, beyond) > reach * reach;
}

static double bone_at(const sni_fibre_bone *bone, sn_vec3 at, sn_vec3 *way) {
    return bone->grid != NULL ? sni_distance_grid_at(bone->grid, at, way) - bone->grid->error
                              : capsule_at(bone, at, way);
}

// A gradient goes to the world as a plane's normal does, by the transposed inverse; its length
// there tells how much the bone is scaled along it.
static sni_distance_value bone_in_world(const sni_fibre_bone_pose *pose, double distance,
                                        sn_vec3 way) {
    sn_vec3 gradient = sn_vec3_normalize_or(way, sn_vec3_make(0, 1, 0));
    const double *m = pose->inverse.m;
    sn_vec3 world = {m[0] * gradient.x + m[1] * gradient.y + m[2] * gradient.z,
                     m[4] * gradient.x + m[5] * gradient.y + m[6] * gradient.z,
                     m[8] * gradient.x + m[9] * gradient.y + m[10] * gradient.z};
    double length = sn_vec3_length(world);
    return (sni_distance_value){distance / length, sn_vec3_scale(world, 1 / length)};
}

sni_distance_value sni_fibre_bone_at(const sni_fibre_bone *bone, const sni_fibre_bone_pose *pose,
                                     sn_vec3 at) {
    sn_vec3 way;
    double distance = bone_at(bone, sn_mat4_point(&pose->inverse, at), &way);
    return bone_in_world(pose, distance, way);
}

// How a point of the bone's surface moves in the step.
static sn_vec3 bone_motion(const sni_fibre_bone_pose *pose, sn_vec3 at) {
    sn_vec3 local = sn_mat4_point(&pose->inverse, at);
    return sn_vec3_sub(at, sn_mat4_point(&pose->before, local));
}

// ---------------------------------------------------------------------------------------------
// Radii

static const sn_vec3 *normals_of(const sni_fibre_body *body) {
    sni_fibre_winding *winding = body->winding;
    if (winding != NULL && winding->pending) {
        sni_fibre_axis_normals(winding->points, body->starts, body->chain.particle_count,
                               winding->wide[0], winding->wide[1], (sn_vec3 *)body->normals);
        winding->pending = false;
    }
    return body->normals;
}

// The half axis of a particle's section towards what it touches, in units of its mean radius.
double sni_fibre_half_axis_towards(const sni_fibre_body *body, uint32_t i, sn_vec3 normal) {
    static const double aslant = 1e-6; // squared sine: touched from the front, it is as if round
    double u = sni_fibre_half_axis(body->section.eccentricity), v = 1 / u;
    if (u == 1) {
        return 1;
    }
    sn_vec3 tangent = sn_vec3_normalize_or(
        sn_vec3_sub(body->positions[i + 1], body->positions[i - 1]), sn_vec3_make(0, 0, 0));
    double along = sn_vec3_dot(tangent, normal), across = 1 - along * along;
    if (!(across > aslant)) {
        return 1;
    }
    double c = sn_vec3_dot(normals_of(body)[i], normal);
    double c2 = fmin(1, c * c / across);
    return 1 / sqrt(u * u * c2 + v * v * (1 - c2));
}

// No half axis is longer. `half` is the shorter one, in units of the mean radius.
static double largest_radius(const sni_fibre_body *body, uint32_t i, double half) {
    return body->radii[i] / half;
}

static sni_fibre_axis axis_of(const sni_fibre_body *body) {
    return (sni_fibre_axis){.point_count = body->chain.particle_count,
                            .points = body->positions,
                            .normals = normals_of(body),
                            .starts = body->starts,
                            .length = 1};
}

static double length_of(const sni_fibre_body *body) {
    double length = 0;
    for (uint32_t i = 1; i < body->chain.particle_count; ++i) {
        length += sn_vec3_distance(body->positions[i - 1], body->positions[i]);
    }
    return fmax(length, DBL_MIN);
}

// The field of a muscle at a point, as a distance to first order. `length` is that of its axis.
static sni_distance_value muscle_at(const sni_fibre_body *body, double length, sn_vec3 at) {
    sni_fibre_axis axis = axis_of(body);
    axis.length = length;
    sni_distance_value field = sni_fibre_field(&axis, &body->section, at);
    double slope = sn_vec3_length(field.gradient);
    if (!(slope > 0) || !isfinite(slope)) {
        return (sni_distance_value){field.distance, sn_vec3_make(0, 1, 0)};
    }
    // It is at least 1 long beside a straight axis; inside a bend it can be less, where a step as
    // long as the field says is the safe one.
    return (sni_distance_value){field.distance / fmax(slope, 1),
                                sn_vec3_scale(field.gradient, 1 / slope)};
}

// ---------------------------------------------------------------------------------------------
// Gaps

double sni_fibre_bone_gap(const sni_fibre_body *body, uint32_t i, uint32_t bone) {
    sni_distance_value value =
        sni_fibre_bone_at(&body->bones[bone], &body->bone_poses[bone], body->positions[i]);
    return value.distance - body->radii[i] * sni_fibre_half_axis_towards(body, i, value.gradient);
}

double sni_fibre_muscle_gap(const sni_fibre_body *body, uint32_t i, const sni_fibre_body *other) {
    sni_distance_value value = muscle_at(other, length_of(other), body->positions[i]);
    return value.distance - body->radii[i] * sni_fibre_half_axis_towards(body, i, value.gradient);
}

double sni_fibre_skin_gap(const sni_fibre_body *body, uint32_t i) {
    return -body->skin->at(body->skin->user, body->positions[i], INFINITY, NULL).distance;
}

// ---------------------------------------------------------------------------------------------
// Corrections

// How deep a miss is for the particle that has it.
static double relative(const sni_fibre_body *body, uint32_t i, double depth) {
    return depth / fmax(body->radii[i], least_radius * body->section.width);
}

static void set_touch(sni_fibre_body *body, uint32_t i, bool stuck, sn_vec3 normal,
                      sn_vec3 motion) {
    sni_fibre_touch *touch = &body->touches[i];
    touch->touches = true;
    touch->stuck = stuck;
    touch->normal = normal;
    touch->motion = motion;
}

static void set_pushed(sni_fibre_body *body, uint32_t i, const sni_fibre_body *by) {
    sni_fibre_touch *touch = &body->touches[i];
    touch->crowded = touch->crowded || (touch->by != NULL && touch->by != by);
    touch->by = by;
}

static void note(sni_fibre_body *body, uint32_t i, sn_vec3 normal, sn_vec3 motion, double depth) {
    double miss = relative(body, i, depth);
    set_touch(body, i, miss > settled, normal, motion);
    body->worst = fmax(body->worst, miss);
}

static void rub(sni_fibre_body *body, uint32_t i, sn_vec3 normal, sn_vec3 motion, double depth) {
    body->positions[i] = sni_friction(body->positions[i], body->old[i], motion, normal, depth,
                                      body->friction.still, body->friction.sliding);
}

// Whether a particle is still as far from a mesh as it needs to be, since it was farther away than
// it has gone. Between nodes a distance changes by 1 along each axis at most, and by sqrt(3) in
// all; where it jumps, within holes of a mesh, what was outside stays outside for the rest of the
// frame.
static bool is_still_far(const sni_fibre_far *far, sn_vec3 local, double enough) {
    static const double steepest = 1.75;
    return far->distance - steepest * sn_vec3_distance(local, far->at) >= enough;
}

// Nothing happens to a particle that is `enough` away. Most are, and are told so before anything
// goes back to the world. Returns whether it may be
// nearer: what happens to it then depends on its neighbours, too.
static bool push_from_bone(sni_fibre_body *body, uint32_t i, uint32_t bone, double enough) {
    static const double rounding = 1e-9; // of a half axis
    const sni_fibre_bone_pose *pose = &body->bone_poses[bone];
    bool has_far = body->fars != NULL && body->bones[bone].grid != NULL;
    sni_fibre_far *far =
        has_far ? &body->fars[(size_t)bone * body->chain.particle_count + i] : NULL;
    sn_vec3 way, local = sn_mat4_point(&pose->inverse, body->positions[i]);
    if (far != NULL && is_still_far(far, local, enough * pose->stretch)) {
        return false;
    }
    // As deep as it was at rest it may be: then it need not be as far away.
    size_t at = (size_t)bone * body->chain.particle_count + i;
    double allowed = body->kept_overlap * body->bone_overlaps[at];
    enough = enough * (1 + rounding) + allowed;
    double before_scale = fmax(enough, 0) * pose->stretch;
    if (body->bones[bone].grid == NULL &&
        is_beyond_capsule(&body->bones[bone], local, before_scale)) {
        return false;
    }
    double distance = bone_at(&body->bones[bone], local, &way);
    if (far != NULL) {
        *far = (sni_fibre_far){local, distance};
    }
    if (distance >= before_scale) {
        return false;
    }
    sni_distance_value value = bone_in_world(pose, distance, way);
    if (value.distance >= enough) {
        return false;
    }
    double radius = body->radii[i] * sni_fibre_half_axis_towards(body, i, value.gradient);
    double depth = radius + allowed - value.distance;
    if (!(depth > 0)) {
        return true;
    }
    sn_vec3 motion = bone_motion(pose, body->positions[i]);
    body->positions[i] = sn_vec3_add_scaled(body->positions[i], depth, value.gradient);
    rub(body, i, value.gradient, motion, depth);
    note(body, i, value.gradient, motion, depth);
    return true;
}

// The part of a muscle's axis that a particle of another one pushes against.
typedef struct pushed {
    uint32_t segment;
    double q; // 0 to 1 along it
} pushed;

static pushed pushed_part(const sni_fibre_body *other, sn_vec3 at) {
    sni_fibre_axis axis = axis_of(other);
    sni_fibre_foot foot = sni_fibre_axis_project(&axis, at);
    double size = other->starts[foot.segment + 1] - other->starts[foot.segment];
    double q = size > 0 ? (foot.s - other->starts[foot.segment]) / size : 0;
    return (pushed){foot.segment, fmin(1, fmax(0, q))};
}

// How a particle would move in the step without contact.
static sn_vec3 free_motion(const sni_fibre_body *body, uint32_t i) {
    return sn_vec3_sub(body->predicted[i], body->old[i]);
}

// With the foot at q between the particles b and b + 1 of the other muscle:
//
//     den = W_i + (1-q)^2 W_b + q^2 W_{b+1}
//     dx_i = W_i e n / den,   dx_b = -(1-q) W_b e n / den,   dx_{b+1} = -q W_{b+1} e n / den
//
// where e is the depth, along n away from the other muscle, whose axis is `length` long. Returns
// whether both have moved.
static bool push_apart(sni_fibre_body *body, uint32_t i, sni_fibre_body *other, double length,
                       double overlap) {
    double half = sni_fibre_half_axis(body->section.eccentricity);
    sni_distance_value value = muscle_at(other, length, body->positions[i]);
    if (value.distance >= largest_radius(body, i, half)) {
        return false;
    }
    double allowed = fmin(body->kept_overlap, other->kept_overlap) * overlap;
    double radius = body->radii[i] * sni_fibre_half_axis_towards(body, i, value.gradient);
    double depth = radius + allowed - value.distance;
    if (!(depth > 0)) {
        return false;
    }
    pushed part = pushed_part(other, body->positions[i]);
    uint32_t b = part.segment;
    const double *w = other->chain.inverse_masses;
    double own = body->chain.inverse_masses[i], first = (1 - part.q) * w[b],
           second = part.q * w[b + 1];
    double sum = own + (1 - part.q) * first + part.q * second;
    if (!(sum > 0)) {
        return false;
    }
    double scale = depth / sum;
    sn_vec3 motion = sn_vec3_lerp(sn_vec3_sub(other->positions[b], other->old[b]),
                                  sn_vec3_sub(other->positions[b + 1], other->old[b + 1]), part.q);
    sn_vec3 n = value.gradient;
    body->positions[i] = sn_vec3_add_scaled(body->positions[i], own * scale, n);
    other->positions[b] = sn_vec3_add_scaled(other->positions[b], -first * scale, n);
    other->positions[b + 1] = sn_vec3_add_scaled(other->positions[b + 1], -second * scale, n);
    // Whoever is pushed back touches, too: else the push would become a velocity, and muscles side
    // by side would throw each other about.
    sn_vec3 back = free_motion(body, i);
    sn_vec3 there = sn_vec3_lerp(free_motion(other, b), free_motion(other, b + 1), part.q);
    for (uint32_t k = b; k <= b + 1; ++k) {
        if (w[k] > 0) {
            set_touch(other, k, relative(other, k, depth) > settled, sn_vec3_scale(n, -1), back);
            set_pushed(other, k, body);
        }
    }
    rub(body, i, n, motion, own * scale);
    note(body, i, n, there, depth);
    set_pushed(body, i, other);
    return true;
}

// How far the skin may pull a particle along `inwards`: back to the straight way between the fixed
// particles around it, and an eighth of that way beyond. So no field, however wrong it is far from
// the skin, draws a muscle out to many times its length.
static double longest_pull(const sni_fibre_body *body, uint32_t i, sn_vec3 inwards) {
    static const double beyond = 0.125;
    const double *w = body->chain.inverse_masses;
    uint32_t a = i, b = i;
    while (a > 0 && w[a] > 0) {
        --a;
    }
    while (b + 1 < body->chain.particle_count && w[b] > 0) {
        ++b;
    }
    sn_vec3 from = body->positions[a], to = body->positions[b];
    sn_vec3 place = sn_vec3_lerp(from, to, (double)(i - a) / (b - a));
    sn_vec3 back = sn_vec3_sub(place, body->positions[i]);
    return fmax(0, sn_vec3_dot(back, inwards) + beyond * sn_vec3_distance(from, to));
}

// Returns whether it was not inside.
static bool pull_inside(sni_fibre_body *body, uint32_t i, bool again) {
    const sni_fibre_skin *skin = body->skin;
    sni_fibre_seen *seen = body->seen != NULL ? &body->seen[i] : NULL;
    double gives = body->skin_gives != NULL ? body->skin_gives[i] : 0;
    double allowed = body->kept_overlap * body->skin_overlaps[i] - gives;
    sni_distance_value value = skin->at(skin->user, body->positions[i], allowed, seen);
    double slope = sn_vec3_length(value.gradient), depth = value.distance + allowed;
    if (!(depth > 0) || !(slope > 0)) {
        return false;
    }
    sn_vec3 outwards = sn_vec3_scale(value.gradient, 1 / slope);
    sn_vec3 motion = skin->motion != NULL && seen != NULL
                         ? skin->motion(skin->user, seen, body->positions[i])
                         : sn_vec3_make(0, 0, 0);
    depth /= fmax(slope, 1); // where it is flat, a step as long as it says is the safe one
    depth = fmin(depth, longest_pull(body, i, sn_vec3_scale(outwards, -1)));
    if (!(depth > 0)) {
        return false;
    }
    if (body->skin_gives != NULL && again) { // it was inside in this step
        body->skin_gives[i] += giving * depth;
        depth *= 1 - giving;
    }
    body->positions[i] = sn_vec3_add_scaled(body->positions[i], -depth, outwards);
    // The skin follows the muscle, and does not rub on it.
    set_touch(body, i, false, sn_vec3_scale(outwards, -1), motion);
    body->skin_worst = fmax(body->skin_worst, relative(body, i, depth));
    return true;
}

// ---------------------------------------------------------------------------------------------
// Sweeps

static bool is_free(const sni_fibre_body *body, uint32_t i) {
    return body->chain.inverse_masses[i] > 0;
}

// Whether a particle is to be looked at: not where it was found, in the sweep before, to be inside
// of the skin and away from all bones, and is there still.
static bool is_restless(const sni_fibre_body *body, uint32_t i) {
    const sni_fibre_clear *clear = body->clears != NULL ? &body->clears[i] : NULL;
    return is_free(body, i) && !(clear != NULL && clear->holds &&
                                 memcmp(&clear->at, &body->positions[i], sizeof clear->at) == 0);
}

static void sweep_skin(sni_fibre_body *body, bool again) {
    for (uint32_t i = 1; i + 1 < body->chain.particle_count; ++i) {
        if (is_restless(body, i)) {
            bool pulled = body->skin != NULL && pull_inside(body, i, again);
            if (body->clears != NULL) {
                body->clears[i] = (sni_fibre_clear){false, pulled, body->positions[i]};
            }
        }
    }
}

static void sweep_bones(sni_fibre_body *body) {
    double half = sni_fibre_half_axis(body->section.eccentricity);
    for (uint32_t i = 1; i + 1 < body->chain.particle_count; ++i) {
        if (!is_restless(body, i)) {
            continue;
        }
        double enough = largest_radius(body, i, half);
        bool near = false;
        for (uint32_t bone = 0; bone < body->bone_count; ++bone) {
            near = push_from_bone(body, i, bone, enough) || near;
        }
        if (body->clears != NULL) {
            body->clears[i].holds = !near && !body->clears[i].pulled;
        }
    }
}

// The box around a muscle.
typedef struct box {
    sn_vec3 low, high;
} box;

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

// The largest value of the profile, which changes with the activation alone.
static double most_of(sni_fibre_body *body) {
    if (!(body->most > 0) || body->most_activation != body->section.activation) {
        body->most = sni_fibre_profile_most(body->section.profile, body->section.activation);
        body->most_activation = body->section.activation;
    }
    return body->most;
}

static box box_of(sni_fibre_body *body) {
    box b = {body->positions[0], body->positions[0]};
    double most = 0;
    for (uint32_t i = 0; i < body->chain.particle_count; ++i) {
        sn_vec3 at = body->positions[i];
        b.low =
            sn_vec3_make(smaller(b.low.x, at.x), smaller(b.low.y, at.y), smaller(b.low.z, at.z));
        b.high =
            sn_vec3_make(larger(b.high.x, at.x), larger(b.high.y, at.y), larger(b.high.z, at.z));
        most = larger(most, body->radii[i]);
    }
    // Between particles a muscle may be a little wider than at them.
    double u = sni_fibre_half_axis(body->section.eccentricity);
    most = fmax(most, body->section.width * most_of(body));
    sn_vec3 rim = sn_vec3_make(most / u, most / u, most / u);
    return (box){sn_vec3_sub(b.low, rim), sn_vec3_add(b.high, rim)};
}

static bool meet(box a, box b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y &&
           b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
}

static void sweep_against(sni_fibre_body *body, sni_fibre_body *other, const double *overlaps) {
    double length = length_of(other);
    for (uint32_t i = 1; i + 1 < body->chain.particle_count; ++i) {
        if (push_apart(body, i, other, length, overlaps[i])) {
            length = length_of(other);
        }
    }
}

static void sweep_pair(const sni_fibre_crowd *crowd, const sni_fibre_pair *pair) {
    sni_fibre_body *first = &crowd->bodies[pair->first], *second = &crowd->bodies[pair->second];
    if (meet(box_of(first), box_of(second))) {
        sweep_against(first, second, pair->first_overlaps);
        sweep_against(second, first, pair->second_overlaps);
    }
}

// What touches nothing this sweep is not stuck, whatever the sweep before said.
static void forget_misses(sni_fibre_body *body) {
    body->worst = body->skin_worst = 0;
    for (uint32_t i = 0; i < body->chain.particle_count; ++i) {
        body->touches[i].stuck = false;
    }
}

// Tendons alone: flesh is given a compliance that leaves it as it is, since its part of the step is
// done.
static void mend_tendons(sni_fibre_body *body) {
    if (!(sni_chain_tendon_miss(&body->chain, body->positions) > tendon_off)) {
        return;
    }
    sni_chain tendons = body->chain;
    for (uint32_t j = 0; j + 1 < tendons.particle_count; ++j) {
        body->compliances[j] = body->chain.compliances[j] > 0 ? 1e30 : 0;
    }
    tendons.compliances = body->compliances;
    sni_chain_solve(&tendons, body->positions, body->scratch);
}

// Bones come after the skin: what has no room between both bulges the skin, and is not in a bone.
static double sweep_all(const sni_fibre_crowd *crowd, bool again) {
    double worst = 0;
    for (uint32_t b = 0; b < crowd->body_count; ++b) {
        forget_misses(&crowd->bodies[b]);
        sweep_skin(&crowd->bodies[b], again);
        sweep_bones(&crowd->bodies[b]);
    }
    for (uint32_t p = 0; p < crowd->pair_count; ++p) {
        sweep_pair(crowd, &crowd->pairs[p]);
    }
    for (uint32_t b = 0; b < crowd->body_count; ++b) {
        worst = fmax(worst, fmax(crowd->bodies[b].worst, crowd->bodies[b].skin_worst));
    }
    return worst;
}

static bool has_contact(const sni_fibre_crowd *crowd) {
    bool has = crowd->pair_count > 0;
    for (uint32_t b = 0; b < crowd->body_count && !has; ++b) {
        has = crowd->bodies[b].bone_count > 0 || crowd->bodies[b].skin != NULL;
    }
    return has;
}

double sni_fibre_contact_resolve(const sni_fibre_crowd *crowd) {
    bool contact = has_contact(crowd);
    double first = 0;
    for (uint32_t b = 0; b < crowd->body_count; ++b) {
        const sni_fibre_body *body = &crowd->bodies[b];
        memcpy(body->predicted, body->positions,
               body->chain.particle_count * sizeof *body->predicted);
    }
    for (int sweep = 0; contact && sweep < MOST_SWEEPS; ++sweep) {
        double worst = sweep_all(crowd, sweep > 0);
        first = sweep == 0 ? worst : first;
        if (!(worst > settled)) {
            break;
        }
        // The last word is that of contact.
        for (uint32_t b = 0; b < crowd->body_count && sweep + 1 < MOST_SWEEPS; ++b) {
            mend_tendons(&crowd->bodies[b]);
        }
    }
    for (uint32_t b = 0; b < crowd->body_count; ++b) {
        sni_fibre_body *body = &crowd->bodies[b];
        body->tendon_miss = sni_chain_tendon_miss(&body->chain, body->positions);
    }
    return first;
}

// ---------------------------------------------------------------------------------------------
// Before and after

void sni_fibre_contact_begin(const sni_fibre_crowd *crowd) {
    for (uint32_t b = 0; b < crowd->body_count; ++b) {
        sni_fibre_body *body = &crowd->bodies[b];
        body->worst = body->skin_worst = body->tendon_miss = 0;
        for (uint32_t i = 0; i < body->chain.particle_count; ++i) {
            body->old[i] = body->positions[i];
            body->touches[i] = (sni_fibre_touch){0};
            if (body->skin_gives != NULL) {
                body->skin_gives[i] = 0;
            }
            if (body->clears != NULL) {
                body->clears[i].holds = false;
            }
        }
    }
}

// What contact has moved a particle by in the step is no motion of its own: along that way it
// leaves the surface no faster than it would have without contact. Without this, particles among
// several others would gain speed from each push that the last normal does not show.
static sn_vec3 calmed(const sni_fibre_body *body, uint32_t i, sn_vec3 velocity, sn_vec3 surface,
                      double step) {
    const sn_vec3 none = {0, 0, 0};
    sn_vec3 moved = sn_vec3_sub(body->positions[i], body->predicted[i]);
    sn_vec3 way = sn_vec3_normalize_or(moved, none);
    double leaving = sn_vec3_dot(sn_vec3_sub(velocity, surface), way);
    double without = fmax(0, leaving - sn_vec3_length(moved) / step);
    return leaving > without ? sn_vec3_add_scaled(velocity, without - leaving, way) : velocity;
}

void sni_fibre_contact_calm(const sni_fibre_body *body, double step, const sn_vec3 *before,
                            sn_vec3 *velocities) {
    for (uint32_t i = 1; i + 1 < body->chain.particle_count; ++i) {
        const sni_fibre_touch *touch = &body->touches[i];
        if (!touch->touches) {
            continue;
        }
        // As velocities are: from `before`, not from where the particle was.
        sn_vec3 carried = sn_vec3_sub(before[i], body->old[i]);
        sn_vec3 surface = sn_vec3_scale(sn_vec3_sub(touch->motion, carried), 1 / step);
        double leaving = sn_vec3_dot(sn_vec3_sub(velocities[i], surface), touch->normal);
        velocities[i] = touch->stuck
                            ? surface
                            : sn_vec3_add_scaled(velocities[i], -fmax(leaving, 0), touch->normal);
        if (touch->crowded) {
            velocities[i] = calmed(body, i, velocities[i], surface, step);
        }
    }
}
