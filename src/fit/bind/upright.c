// SPDX-License-Identifier: Apache-2.0
//
// A skeleton for an upright human without one (docs/bind.md). The body stands on y, in an A- or
// T-pose, and faces the side to which its feet point. What can be seen is found in its volume: the
// crotch, where both legs become one; the neck, where it is narrowest; the armpits, where the
// sections of the arms, at equal ways from the tips of the hands, become those of the trunk.
// Between these joints lie in the middle of limbs, by the proportions of people (Drillis and
// Contini, Body Segment Parameters, 1966, as fractions of the height: ankle 0.039, knee 0.285, hip
// 0.530; hand 0.108, forearm 0.146, upper arm 0.186).
#include "base/context.h"
#include "fit/bind/routes.h"
#include "motion/skeleton.h"
#include "sinew/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double weld = 1e-6;
static const uint32_t resolution = 128;

// Sections of an arm, this many nodes apart.
enum { SECTIONS = 256 };
static const double section_nodes = 2;

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
    sn_context *context;
    sni_joined skin;
    sni_volume volume;
    sn_vec3 low, high;
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
    for (uint32_t i = 0; i < f->volume.inner_count; ++i) {
        sn_vec3 p = f->volume.points[i];
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
    double half = 1.01 * f->volume.spacing;
    return take_slab(f, y - half, y + half, side, from, to);
}

// ---------------------------------------------------------------------------------------------
// Legs

// The lowest height from which on there is body in the middle, up to the chest.
static sn_status find_crotch(figure *f, sn_error *error) {
    double step = f->volume.spacing, narrow = 1.1 * step;
    double y = f->low.y + 0.7 * f->height;
    while (y > f->low.y && slab_at(f, y, 1, -narrow, narrow).count > 0) {
        y -= step;
    }
    f->crotch = y;
    double part = (y - f->low.y) / f->height;
    if (!(part > 0.25 && part < 0.62)) {
        return sni_fail(error, SN_INVALID,
                        "no two legs were found: the body should stand upright on y, face +z, and "
                        "have its feet apart");
    }
    return SN_OK;
}

// The side to which the feet reach farther from the ankles.
static void find_facing(figure *f) {
    slab shins = slab_at(f, f->low.y + 0.08 * f->height, 1, -0.3 * f->height, 0.3 * f->height);
    slab feet = take_slab(f, f->low.y - f->height, f->low.y + 0.04 * f->height, 1, -0.3 * f->height,
                          0.3 * f->height);
    f->facing = feet.high_z - shins.z < shins.z - feet.low_z ? -1 : 1;
}

static sn_status place_leg(figure *f, int side, sn_error *error) {
    side_joints *j = &f->sides[side];
    double h = f->height, wide = 0.3 * h, s = sign_of(f, side);
    // Hips lie 0.06 of the height above the crotch and somewhat behind the middle of the thighs.
    double hip = f->crotch + 0.06 * h, ankle = f->low.y + 0.045 * h;
    slab thigh = slab_at(f, f->crotch - 0.04 * h, s, 0, wide);
    slab knee = slab_at(f, ankle + (hip - ankle) * 0.5, s, 0, wide);
    slab shin = slab_at(f, f->low.y + 0.08 * h, s, 0, wide);
    slab foot = take_slab(f, f->low.y - h, f->low.y + 0.04 * h, s, 0, wide);
    if (thigh.count * knee.count * shin.count * foot.count == 0) {
        return sni_fail(error, SN_INVALID, "the %s leg was not found: it ends above the ground",
                        side == LEFT ? "left" : "right");
    }
    j->hip = sn_vec3_make(thigh.x, hip, thigh.z - 0.01 * h * f->facing);
    j->knee = sn_vec3_make(knee.x, ankle + (hip - ankle) * 0.5, knee.z);
    j->ankle = sn_vec3_make(shin.x, ankle, shin.z);
    j->ball =
        sn_vec3_make(foot.x, f->low.y + 0.015 * h,
                     j->ankle.z + 0.65 * ((f->facing > 0 ? foot.high_z : foot.low_z) - j->ankle.z));
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Trunk

// The narrowest height between chest and head.
static void find_neck(figure *f) {
    double least = INFINITY, step = f->volume.spacing;
    double from = f->low.y + 0.78 * f->height, to = f->low.y + 0.92 * f->height;
    f->neck = f->low.y + 0.86 * f->height;
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
    sn_vec3 tip;
    double spacing;
    double counts[SECTIONS];
    sn_vec3 sums[SECTIONS];
    double length; // from the tip to the shoulder
    double armpit; // from the tip to where the trunk begins
} arm;

// Ways through the body from a point in it.
static sn_status ways_from(const figure *f, sn_vec3 point, sni_routes *routes, sn_error *error) {
    sni_limb_line line = {.from = point, .to = point};
    sni_limbs limbs = {.context = f->context, .segment_count = 1, .line_count = 1, .lines = &line};
    uint8_t used = 1;
    return sni_routes_init(&f->volume, &limbs, &used, NULL, routes, error);
}

// The tip of a hand: what is farthest from the chest of all that lies far to a side.
static sn_status find_tips(const figure *f, sn_vec3 tips[2], sn_error *error) {
    sn_status status = SN_OK;
    sni_routes routes = {0};
    double most[2] = {0};
    SN_TRY(ways_from(f, f->chest, &routes, error));
    for (uint32_t i = 0; i < f->volume.inner_count; ++i) {
        double off = f->volume.points[i].x - f->middle, way = routes.distances[i];
        int side = off * f->facing > 0 ? LEFT : RIGHT;
        if (fabs(off) > arm_off * f->height && way < INFINITY && way > most[side]) {
            most[side] = way;
            tips[side] = f->volume.points[i];
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

// Sections of the body at equal ways from the tip of a hand.
static sn_status measure_arm(const figure *f, arm *a, sn_error *error) {
    sn_status status = SN_OK;
    sni_routes routes = {0};
    SN_TRY(ways_from(f, a->tip, &routes, error));
    a->spacing = section_nodes * f->volume.spacing;
    for (uint32_t i = 0; i < f->volume.inner_count; ++i) {
        double section = routes.distances[i] / a->spacing;
        if (section < SECTIONS) {
            a->counts[(uint32_t)section] += 1;
            a->sums[(uint32_t)section] =
                sn_vec3_add(a->sums[(uint32_t)section], f->volume.points[i]);
        }
    }
cleanup:
    sni_routes_deinit(&routes);
    return status;
}

static sn_vec3 mean_of(const arm *a, uint32_t section) {
    return a->counts[section] > 0 ? sn_vec3_scale(a->sums[section], 1 / a->counts[section])
                                  : a->tip;
}

// The middle of the arm at some way from its tip, between those of two sections.
static sn_vec3 section_centre(const arm *a, double way) {
    double at = fmin(fmax(way / a->spacing - 0.5, 0), SECTIONS - 2);
    uint32_t section = (uint32_t)at;
    return sn_vec3_lerp(mean_of(a, section), mean_of(a, section + 1), at - section);
}

static int compare_numbers(const void *a, const void *b) {
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

// The median section of the forearm and the lower half of the upper arm.
static double usual_section(const arm *a, double height) {
    double sorted[SECTIONS];
    uint32_t first = (uint32_t)(0.16 * height / a->spacing);
    uint32_t end = (uint32_t)(0.32 * height / a->spacing);
    memcpy(sorted, a->counts + first, (end - first) * sizeof *sorted);
    qsort(sorted, end - first, sizeof *sorted, compare_numbers);
    return sorted[(end - first) / 2];
}

// The trunk begins where sections are far larger than those of the arm.
static sn_status find_armpit(const figure *f, arm *a, int side, sn_error *error) {
    double h = f->height, usual = usual_section(a, h);
    uint32_t section = (uint32_t)(0.26 * h / a->spacing), last = (uint32_t)(0.6 * h / a->spacing);
    while (section < last && a->counts[section] <= larger * usual) {
        ++section;
    }
    a->armpit = section * a->spacing;
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
    SNI_NEW_ZERO(f->context, a, 1);
    a->tip = tip;
    SN_TRY(measure_arm(f, a, error));
    SN_TRY(find_armpit(f, a, side, error));
    j->wrist = section_centre(a, wrist_part * a->length);
    j->elbow = section_centre(a, elbow_part * a->length);
    sn_vec3 inner = section_centre(a, a->armpit - 1.5 * a->spacing);
    sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(inner, j->elbow), sn_vec3_make(0, 1, 0));
    double left = (1 - elbow_part) * a->length;
    j->shoulder = sn_vec3_add_scaled(j->elbow, left, along);
    j->clavicle = sn_vec3_make(f->middle + sign_of(f, side) * 0.02 * f->height,
                               fmax(j->shoulder.y, f->chest.y), 0.5 * (f->chest.z + j->shoulder.z));
cleanup:
    sni_free(f->context, a);
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

static sn_status set_segment(sn_skeleton *skeleton, sn_context *context, uint32_t i,
                             const char *name, uint32_t parent, const sn_vec3 *joints,
                             sn_error *error) {
    sn_segment *segment = &skeleton->segments[i];
    segment->name = sni_string_copy(context, name);
    segment->parent = parent;
    segment->rest.translation =
        parent != SN_NONE ? sn_vec3_sub(joints[i], joints[parent]) : joints[i];
    return segment->name != NULL ? SN_OK : sni_fail_memory(error);
}

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

static sn_status make_skeleton(const figure *f, sn_skeleton *skeleton, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 joints[MIDDLE_COUNT + 2 * SIDE_COUNT];
    list_joints(f, joints);
    SN_TRY(sni_skeleton_init(f->context, MIDDLE_COUNT + 2 * SIDE_COUNT, skeleton, error));
    for (uint32_t i = 0; i < MIDDLE_COUNT; ++i) {
        SN_TRY(set_segment(skeleton, f->context, i, middle_names[i], i > 0 ? i - 1 : SN_NONE,
                           joints, error));
    }
    for (uint32_t i = 0; i < 2 * SIDE_COUNT; ++i) {
        char name[32];
        uint32_t parent = side_segments[i % SIDE_COUNT].parent;
        parent += parent >= MIDDLE_COUNT ? i / SIDE_COUNT * SIDE_COUNT : 0;
        snprintf(name, sizeof name, "%s.%s", side_segments[i % SIDE_COUNT].name,
                 i < SIDE_COUNT ? "L" : "R");
        SN_TRY(set_segment(skeleton, f->context, MIDDLE_COUNT + i, name, parent, joints, error));
    }
    SN_TRY(sni_skeleton_sort(f->context, skeleton, error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// All

static sn_status measure_figure(figure *f, sn_error *error) {
    double x = 0;
    f->low = sn_vec3_make(INFINITY, INFINITY, INFINITY);
    f->high = sn_vec3_make(-INFINITY, -INFINITY, -INFINITY);
    for (uint32_t i = 0; i < f->volume.inner_count; ++i) {
        f->low = sn_vec3_min(f->low, f->volume.points[i]);
        f->high = sn_vec3_max(f->high, f->volume.points[i]);
        x += f->volume.points[i].x;
    }
    if (f->volume.inner_count < 500) {
        return sni_fail(error, SN_INVALID, "the mesh has no inside to fit a skeleton into");
    }
    f->height = f->high.y - f->low.y;
    f->middle = 0.5 * (f->low.x + f->high.x);
    x /= f->volume.inner_count;
    if (f->height < f->high.z - f->low.z || fabs(x - f->middle) > 0.04 * f->height) {
        return sni_fail(error, SN_INVALID,
                        "the body is not upright and symmetric: it should stand on y, face +z, and "
                        "hold both arms alike");
    }
    return SN_OK;
}

sn_status sn_fit_human_skeleton(sn_context *context, uint32_t mesh_count, sn_mesh *const *meshes,
                                const sn_progress *progress, sn_fitted_skeleton **fitted,
                                sn_error *error) {
    sn_status status = SN_OK;
    figure f = {.context = context};
    sn_fitted_skeleton *made = NULL;
    sn_vec3 tips[2] = {{0}};
    *fitted = NULL;
    SN_TRY(
        sni_joined_init(context, (const sn_mesh *const *)meshes, mesh_count, weld, &f.skin, error));
    SN_TRY(sni_volume_init(context, &f.skin, resolution, progress, &f.volume, error));
    SN_TRY(measure_figure(&f, error));
    SN_TRY(sni_volume_link(&f.volume, progress, error));
    SN_TRY(find_crotch(&f, error));
    find_facing(&f);
    SN_TRY(place_leg(&f, LEFT, error));
    SN_TRY(place_leg(&f, RIGHT, error));
    place_trunk(&f);
    SN_TRY(find_tips(&f, tips, error));
    SN_TRY(place_arm(&f, LEFT, tips[LEFT], error));
    SN_TRY(place_arm(&f, RIGHT, tips[RIGHT], error));
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->height = f.height;
    made->faces_back = f.facing < 0;
    SN_TRY(make_skeleton(&f, &made->skeleton, error));
    *fitted = made;
    made = NULL;
cleanup:
    sn_fitted_skeleton_destroy(made);
    sni_volume_deinit(&f.volume);
    sni_joined_deinit(context, &f.skin);
    return status;
}

void sn_fitted_skeleton_destroy(sn_fitted_skeleton *fitted) {
    if (fitted != NULL) {
        sn_context *context = fitted->context;
        sni_skeleton_deinit(context, &fitted->skeleton);
        sni_free(context, fitted);
    }
}
