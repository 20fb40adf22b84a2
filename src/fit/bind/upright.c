// SPDX-License-Identifier: Apache-2.0
//
// A skeleton for an upright human without one (docs/bind.md). The body stands on y, in an A- or
// T-pose, and faces the side to which its feet point. What can be seen is found in its volume: the
// crotch, where both legs become one; the neck, where it is narrowest; the armpits, where the
// sections of the arms, at equal ways from the tips of the hands, become those of the trunk.
// Between these joints lie in the middle of limbs, by the proportions of people (Drillis and
// Contini, Body Segment Parameters, 1966, as fractions of the height: ankle 0.039, knee 0.285, hip
// 0.530; hand 0.108, forearm 0.146, upper arm 0.186).
#include "fit/bind/figure.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How many times larger than the arm's sections that of the trunk is.
static const double larger = 2.2;

// What lies this far from the middle belongs to arms.
static const double arm_off = 0.17;

// Parts of an arm from the tip of its hand to the shoulder: 0.245 and 0.577 by the proportions, and
// more here, since ways bend with the fingers.
static const double wrist_part = 0.27, elbow_part = 0.62;

enum { LEFT, RIGHT };

typedef struct side_joints {
    sn_vec3 hip, knee, ankle, ball, shoulder, elbow, wrist, clavicle;
} side_joints;

typedef struct figure {
    sni_figure body;
    double height, middle; // metres; x of the plane between both sides
    double crotch, neck;   // y
    double facing;         // 1: +z, -1: -z
    sn_vec3 pelvis, spine, chest, neck_joint, head;
    side_joints sides[2];
} figure;

// Where a side lies along x.
static double sign_of(const figure *f, int side) {
    return side == LEFT ? f->facing : -f->facing;
}

// ---------------------------------------------------------------------------------------------
// Slabs: nodes between two heights

typedef struct slab {
    double count, x, y, z;
    double low_x, high_x, low_z, high_z;
} slab;

// The nodes from `low` to `high` in y whose distance from the middle to one side is within a range.
static slab take_slab(const figure *f, double low, double high, double side, double from,
                      double to) {
    slab s = {.low_x = INFINITY, .high_x = -INFINITY, .low_z = INFINITY, .high_z = -INFINITY};
    for (uint32_t i = 0; i < f->body.volume.inner_count; ++i) {
        sn_vec3 p = f->body.volume.points[i];
        double off = side * (p.x - f->middle);
        if (p.y >= low && p.y < high && off >= from && off <= to) {
            s.count += 1;
            s.x += p.x;
            s.y += p.y;
            s.z += p.z;
            s.low_x = fmin(s.low_x, p.x);
            s.high_x = fmax(s.high_x, p.x);
            s.low_z = fmin(s.low_z, p.z);
            s.high_z = fmax(s.high_z, p.z);
        }
    }
    s.x /= fmax(s.count, 1);
    s.y /= fmax(s.count, 1);
    s.z /= fmax(s.count, 1);
    return s;
}

static slab slab_at(const figure *f, double y, double side, double from, double to) {
    double half = 1.01 * f->body.volume.spacing;
    return take_slab(f, y - half, y + half, side, from, to);
}

// ---------------------------------------------------------------------------------------------
// Legs

// The lowest height from which on there is body in the middle, up to the chest.
static sn_status find_crotch(figure *f, sn_error *error) {
    double step = f->body.volume.spacing, narrow = 1.1 * step;
    double y = f->body.low.y + 0.7 * f->height;
    while (y > f->body.low.y && slab_at(f, y, 1, -narrow, narrow).count > 0) {
        y -= step;
    }
    f->crotch = y;
    double part = (y - f->body.low.y) / f->height;
    if (!(part > 0.25 && part < 0.62)) {
        return sni_fail(error, SN_INVALID,
                        "no two legs were found: the body should stand upright on y, face +z, and "
                        "have its feet apart");
    }
    return SN_OK;
}

// The side to which the feet reach farther from the ankles.
static void find_facing(figure *f) {
    slab shins = slab_at(f, f->body.low.y + 0.08 * f->height, 1, -0.3 * f->height, 0.3 * f->height);
    slab feet = take_slab(f, f->body.low.y - f->height, f->body.low.y + 0.04 * f->height, 1,
                          -0.3 * f->height, 0.3 * f->height);
    f->facing = feet.high_z - shins.z < shins.z - feet.low_z ? -1 : 1;
}

static sn_status place_leg(figure *f, int side, sn_error *error) {
    side_joints *j = &f->sides[side];
    double h = f->height, wide = 0.3 * h, s = sign_of(f, side);
    // Hips lie 0.06 of the height above the crotch and somewhat behind the middle of the thighs.
    double hip = f->crotch + 0.06 * h, ankle = f->body.low.y + 0.045 * h;
    slab thigh = slab_at(f, f->crotch - 0.04 * h, s, 0, wide);
    slab knee = slab_at(f, ankle + (hip - ankle) * 0.5, s, 0, wide);
    slab shin = slab_at(f, f->body.low.y + 0.08 * h, s, 0, wide);
    slab foot = take_slab(f, f->body.low.y - h, f->body.low.y + 0.04 * h, s, 0, wide);
    if (thigh.count * knee.count * shin.count * foot.count == 0) {
        return sni_fail(error, SN_INVALID, "the %s leg was not found: it ends above the ground",
                        side == LEFT ? "left" : "right");
    }
    j->hip = sn_vec3_make(thigh.x, hip, thigh.z - 0.01 * h * f->facing);
    j->knee = sn_vec3_make(knee.x, ankle + (hip - ankle) * 0.5, knee.z);
    j->ankle = sn_vec3_make(shin.x, ankle, shin.z);
    j->ball =
        sn_vec3_make(foot.x, f->body.low.y + 0.015 * h,
                     j->ankle.z + 0.65 * ((f->facing > 0 ? foot.high_z : foot.low_z) - j->ankle.z));
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Trunk

// The narrowest height between chest and head.
static void find_neck(figure *f) {
    double least = INFINITY, step = f->body.volume.spacing;
    double from = f->body.low.y + 0.78 * f->height, to = f->body.low.y + 0.92 * f->height;
    f->neck = f->body.low.y + 0.86 * f->height;
    for (double y = from; y < to; y += step) {
        slab s = slab_at(f, y, 1, -0.1 * f->height, 0.1 * f->height);
        if (s.count > 0 && s.count < least) {
            least = s.count;
            f->neck = y;
        }
    }
}

// A joint of the spine: two thirds of the way from the front to the back.
static sn_vec3 spine_at(const figure *f, double y, double back) {
    slab s = slab_at(f, y, 1, -0.06 * f->height, 0.06 * f->height);
    double part = f->facing > 0 ? back : 1 - back;
    double z = s.count > 0 ? s.high_z + part * (s.low_z - s.high_z) : f->sides[LEFT].hip.z;
    return sn_vec3_make(f->middle, y, z);
}

static void place_trunk(figure *f) {
    find_neck(f);
    double hip = f->sides[LEFT].hip.y, length = f->neck - hip;
    f->pelvis = spine_at(f, hip + 0.06 * length, 0.55);
    f->spine = spine_at(f, hip + 0.3 * length, 0.62);
    f->chest = spine_at(f, hip + 0.58 * length, 0.66);
    f->neck_joint = spine_at(f, f->neck - 0.02 * f->height, 0.6);
    f->head = spine_at(f, f->neck + 0.025 * f->height, 0.55);
}

// ---------------------------------------------------------------------------------------------
// Arms

typedef struct arm {
    sni_sections sections; // from the tip of the hand
    double length;         // from there to the shoulder
    double armpit;         // from there to where the trunk begins
} arm;

// The tip of a hand: what is farthest from the chest of all that lies far to a side.
static sn_status find_tips(const figure *f, sn_vec3 tips[2], sn_error *error) {
    sn_status status = SN_OK;
    sni_routes routes = {0};
    double most[2] = {0};
    SN_TRY(sni_figure_ways(&f->body, f->chest, &routes, error));
    for (uint32_t i = 0; i < f->body.volume.inner_count; ++i) {
        double off = f->body.volume.points[i].x - f->middle, way = routes.distances[i];
        int side = off * f->facing > 0 ? LEFT : RIGHT;
        if (fabs(off) > arm_off * f->height && way < INFINITY && way > most[side]) {
            most[side] = way;
            tips[side] = f->body.volume.points[i];
        }
    }
    for (int side = 0; side < 2; ++side) {
        if (most[side] == 0) {
            SN_TRY(sni_fail(error, SN_INVALID,
                            "no %s hand was found: the arms should reach out to the sides, in an "
                            "A- or T-pose",
                            side == LEFT ? "left" : "right"));
        }
    }
cleanup:
    sni_routes_deinit(&routes);
    return status;
}

static int compare_numbers(const void *a, const void *b) {
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

// The median section of the forearm and the lower half of the upper arm.
static double usual_section(const arm *a, double height) {
    double sorted[SNI_SECTIONS];
    uint32_t first = (uint32_t)(0.16 * height / a->sections.spacing);
    uint32_t end = (uint32_t)(0.32 * height / a->sections.spacing);
    memcpy(sorted, a->sections.counts + first, (end - first) * sizeof *sorted);
    qsort(sorted, end - first, sizeof *sorted, compare_numbers);
    return sorted[(end - first) / 2];
}

// The trunk begins where sections are far larger than those of the arm.
static sn_status find_armpit(const figure *f, arm *a, int side, sn_error *error) {
    double h = f->height, usual = usual_section(a, h);
    uint32_t section = (uint32_t)(0.26 * h / a->sections.spacing),
             last = (uint32_t)(0.6 * h / a->sections.spacing);
    while (section < last && a->sections.counts[section] <= larger * usual) {
        ++section;
    }
    a->armpit = section * a->sections.spacing;
    a->length = a->armpit + 0.02 * h;
    if (usual == 0 || section == last) {
        return sni_fail(error, SN_INVALID,
                        "the %s shoulder was not found: the arms should reach out to the sides, in "
                        "an A- or T-pose",
                        side == LEFT ? "left" : "right");
    }
    return SN_OK;
}

static sn_status place_arm(figure *f, int side, sn_vec3 tip, sn_error *error) {
    sn_status status = SN_OK;
    arm *a = NULL;
    side_joints *j = &f->sides[side];
    SNI_NEW_ZERO(f->body.context, a, 1);
    SN_TRY(sni_sections_measure(&f->body, tip, NULL, &a->sections, error));
    SN_TRY(find_armpit(f, a, side, error));
    j->wrist = sni_sections_centre(&a->sections, wrist_part * a->length);
    j->elbow = sni_sections_centre(&a->sections, elbow_part * a->length);
    sn_vec3 inner = sni_sections_centre(&a->sections, a->armpit - 1.5 * a->sections.spacing);
    sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(inner, j->elbow), sn_vec3_make(0, 1, 0));
    double left = (1 - elbow_part) * a->length;
    j->shoulder = sn_vec3_add_scaled(j->elbow, left, along);
    j->clavicle = sn_vec3_make(f->middle + sign_of(f, side) * 0.02 * f->height,
                               fmax(j->shoulder.y, f->chest.y), 0.5 * (f->chest.z + j->shoulder.z));
cleanup:
    sni_free(f->body.context, a);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The skeleton

enum { MIDDLE_COUNT = 6, SIDE_COUNT = 8 };

static const char *const middle_names[MIDDLE_COUNT] = {"hips",  "spine 1", "spine 2",
                                                       "chest", "neck",    "head"};

static const struct {
    const char *name;
    uint32_t parent; // a segment of the middle, or MIDDLE_COUNT and one of the side
} side_segments[SIDE_COUNT] = {
    {"clavicle", 3}, {"upper arm", 6}, {"forearm", 7}, {"hand", 8},
    {"thigh", 0},    {"shin", 10},     {"foot", 11},   {"toes", 12},
};

static void list_joints(const figure *f, sn_vec3 *joints) {
    const sn_vec3 middle[MIDDLE_COUNT] = {
        f->pelvis, f->spine,      sn_vec3_lerp(f->spine, f->chest, 0.5),
        f->chest,  f->neck_joint, f->head};
    memcpy(joints, middle, sizeof middle);
    for (int side = 0; side < 2; ++side) {
        const side_joints *j = &f->sides[side];
        const sn_vec3 all[SIDE_COUNT] = {j->clavicle, j->shoulder, j->elbow, j->wrist,
                                         j->hip,      j->knee,     j->ankle, j->ball};
        memcpy(joints + MIDDLE_COUNT + side * SIDE_COUNT, all, sizeof all);
    }
}

static sn_status make_skeleton(const figure *f, sn_fitted_skeleton **fitted, sn_error *error) {
    sn_vec3 places[MIDDLE_COUNT + 2 * SIDE_COUNT];
    sni_fitted_joint joints[MIDDLE_COUNT + 2 * SIDE_COUNT];
    list_joints(f, places);
    for (uint32_t i = 0; i < MIDDLE_COUNT; ++i) {
        joints[i] = (sni_fitted_joint){.parent = i > 0 ? i - 1 : SN_NONE, .place = places[i]};
        snprintf(joints[i].name, sizeof joints[i].name, "%s", middle_names[i]);
    }
    for (uint32_t i = 0; i < 2 * SIDE_COUNT; ++i) {
        sni_fitted_joint *joint = &joints[MIDDLE_COUNT + i];
        uint32_t parent = side_segments[i % SIDE_COUNT].parent;
        parent += parent >= MIDDLE_COUNT ? i / SIDE_COUNT * SIDE_COUNT : 0;
        *joint = (sni_fitted_joint){.parent = parent, .place = places[MIDDLE_COUNT + i]};
        snprintf(joint->name, sizeof joint->name, "%s.%s", side_segments[i % SIDE_COUNT].name,
                 i < SIDE_COUNT ? "L" : "R");
    }
    return sni_fitted_create(f->body.context, MIDDLE_COUNT + 2 * SIDE_COUNT, joints, fitted, error);
}

// ---------------------------------------------------------------------------------------------
// All

static sn_status measure_figure(figure *f, sn_error *error) {
    double x = 0;
    for (uint32_t i = 0; i < f->body.volume.inner_count; ++i) {
        x += f->body.volume.points[i].x;
    }
    f->height = f->body.high.y - f->body.low.y;
    f->middle = 0.5 * (f->body.low.x + f->body.high.x);
    x /= f->body.volume.inner_count;
    if (f->height < f->body.high.z - f->body.low.z || fabs(x - f->middle) > 0.04 * f->height) {
        return sni_fail(error, SN_INVALID,
                        "the body is not upright and symmetric: it should stand on y, face +z, and "
                        "hold both arms alike");
    }
    return SN_OK;
}

static sn_status choose_front(figure *f, const sn_fit_skeleton_desc *desc, sn_error *error) {
    if (desc->front == SN_FRONT_PLUS_X || desc->front == SN_FRONT_MINUS_X) {
        return sni_fail(error, SN_INVALID, "a human faces +z or -z, not x: turn the mesh");
    }
    find_facing(f);
    if (desc->front != SN_FRONT_GUESSED) {
        f->facing = desc->front == SN_FRONT_PLUS_Z ? 1 : -1;
    }
    return SN_OK;
}

sn_status sni_fit_human(sn_context *context, const sn_fit_skeleton_desc *desc, uint32_t mesh_count,
                        sn_mesh *const *meshes, const sn_progress *progress,
                        sn_fitted_skeleton **fitted, sn_error *error) {
    sn_status status = SN_OK;
    figure f = {.height = 0};
    sn_vec3 tips[2] = {{0}};
    SN_TRY(sni_figure_init(context, mesh_count, meshes, progress, &f.body, error));
    SN_TRY(measure_figure(&f, error));
    SN_TRY(find_crotch(&f, error));
    SN_TRY(choose_front(&f, desc, error));
    SN_TRY(place_leg(&f, LEFT, error));
    SN_TRY(place_leg(&f, RIGHT, error));
    place_trunk(&f);
    SN_TRY(find_tips(&f, tips, error));
    SN_TRY(place_arm(&f, LEFT, tips[LEFT], error));
    SN_TRY(place_arm(&f, RIGHT, tips[RIGHT], error));
    SN_TRY(make_skeleton(&f, fitted, error));
    (*fitted)->height = f.height;
    (*fitted)->front = f.facing < 0 ? SN_FRONT_MINUS_Z : SN_FRONT_PLUS_Z;
    (*fitted)->front_guessed = desc->front == SN_FRONT_GUESSED;
    snprintf((*fitted)->notes, sizeof(*fitted)->notes, "%s",
             (*fitted)->front_guessed ? "front guessed from where feet point" : "");
cleanup:
    sni_figure_deinit(&f.body);
    return status;
}
