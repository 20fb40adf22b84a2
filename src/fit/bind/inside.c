// SPDX-License-Identifier: Apache-2.0
#include "fit/bind/inside.h"

#include "fit/bind/routes.h"
#include "motion/body.h"

#include <math.h>
#include <string.h>

// Joints mirror each other that do so up to this part of the skeleton's size.
static const double mirror_tolerance = 0.01;

typedef struct tally {
    uint32_t points, inside; // along all lines of a limb
    double length;
    bool joint_inside;
} tally;

static sn_vec3 joint_of(const sni_limbs *limbs, uint32_t segment) {
    const double *m = limbs->frames[segment].m;
    return sn_vec3_make(m[12], m[13], m[14]);
}

static bool is_inside(const sni_volume *volume, sn_vec3 point) {
    uint32_t near[SNI_VOLUME_NEAR];
    return sni_volume_near(volume, point, 0, near) > 0;
}

static void count_line(const sni_volume *volume, const sni_limb_line *line, tally *counted) {
    uint32_t count = sni_line_point_count(line, 0.5 * volume->spacing);
    for (uint32_t i = 0; i < count; ++i) {
        counted->points += 1;
        counted->inside += is_inside(volume, sni_line_point(line, count, i));
    }
    counted->length += sn_vec3_distance(line->from, line->to);
}

// ---------------------------------------------------------------------------------------------
// Which limbs are used

// Those above the hips, where names tell which they are.
static void mark_above_hips(const sn_skeleton *skeleton, const sni_body *body, uint8_t *above) {
    uint32_t hips = sni_body_first(body, SNI_BODY_HIPS, SNI_SIDE_NONE);
    while (hips != SN_NONE && (hips = skeleton->segments[hips].parent) != SN_NONE) {
        above[hips] = 1;
    }
}

static void choose(const sni_limbs *limbs, const tally *tallies, const uint8_t *above,
                   double least_length, sni_inside *inside) {
    double points = 0, inner = 0;
    for (uint32_t s = 0; s < limbs->segment_count; ++s) {
        const tally *t = &tallies[s];
        if (t->points == 0 || above[s] || (t->length < least_length && limbs->line_count > 1)) {
            continue;
        }
        inside->limb_count++;
        points += t->points;
        inner += t->inside;
        inside->used[s] = t->joint_inside || 2 * t->inside > t->points;
        if (!inside->used[s]) {
            inside->first_outside = inside->outside_count++ == 0 ? s : inside->first_outside;
        }
    }
    inside->share = points > 0 ? inner / points : 0;
}

// ---------------------------------------------------------------------------------------------
// Sides

typedef struct mirror {
    int axis;
    double at, tolerance;
} mirror;

static double along(sn_vec3 point, int axis) {
    return axis == 0 ? point.x : axis == 1 ? point.y : point.z;
}

// The other limb whose joint is the mirror image of a limb's. Limbs of two sides hang on a third:
// the ends of a worm are no sides of it. Near the plane joints must mirror
// each other the better, the nearer they are to it, so that none is taken for its own image.
static uint32_t find_image(const sni_limbs *limbs, const mirror *m, uint32_t segment) {
    sn_vec3 joint = joint_of(limbs, segment);
    double shift = 2 * (m->at - along(joint, m->axis));
    sn_vec3 image =
        sn_vec3_add_scaled(joint, shift, sn_vec3_make(m->axis == 0, m->axis == 1, m->axis == 2));
    uint32_t best = SN_NONE;
    double nearest = fmin(m->tolerance, 0.25 * fabs(shift));
    for (uint32_t s = 0; s < limbs->segment_count && fabs(shift) > 0.1 * m->tolerance; ++s) {
        double distance = sn_vec3_distance(joint_of(limbs, s), image);
        if (limbs->is_limb[s] && distance < nearest &&
            !sni_limbs_are_kin(limbs, s, segment, limbs->segment_count)) {
            nearest = distance;
            best = s;
        }
    }
    return best;
}

// Marks the sides of limbs for one plane; returns how many have an image.
static uint32_t mark_sides(const sni_limbs *limbs, const mirror *m, int8_t *sides) {
    uint32_t count = 0;
    for (uint32_t s = 0; s < limbs->segment_count; ++s) {
        bool has_image = limbs->is_limb[s] && find_image(limbs, m, s) != SN_NONE;
        sides[s] = (int8_t)(!has_image ? 0 : along(joint_of(limbs, s), m->axis) > m->at ? 1 : -1);
        count += has_image;
    }
    return count;
}

// The plane across an axis through the middle of the skeleton in which most limbs have an image.
static void find_sides(const sni_limbs *limbs, sni_inside *inside) {
    int8_t *sides = inside->sides;
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t s = 0; s < limbs->segment_count; ++s) {
        if (limbs->is_limb[s]) {
            low = sn_vec3_min(low, joint_of(limbs, s));
            high = sn_vec3_max(high, joint_of(limbs, s));
        }
    }
    mirror best = {0};
    uint32_t most = 0;
    for (int axis = 0; axis < 3; ++axis) {
        mirror m = {axis, (along(low, axis) + along(high, axis)) / 2,
                    mirror_tolerance * sn_vec3_distance(low, high)};
        uint32_t count = mark_sides(limbs, &m, sides);
        if (count > most) {
            most = count;
            best = m;
        }
    }
    mark_sides(limbs, &best, sides);
    inside->axis = most > 0 ? best.axis : -1;
    inside->middle = best.at;
}

int sni_inside_side(const sni_inside *inside, sn_vec3 point) {
    if (inside->axis < 0) {
        return 0;
    }
    double off = along(point, inside->axis) - inside->middle;
    return (off > 0) - (off < 0);
}

static int8_t named_side(const sni_body *body, uint32_t segment) {
    sni_body_side side = body->roles[segment].side;
    return (int8_t)(side == SNI_SIDE_LEFT ? 1 : side == SNI_SIDE_RIGHT ? -1 : 0);
}

// Names tell sides, too, and also in a pose that is not symmetric. The side of most named lefts is
// that of the left.
static void add_named_sides(const sni_body *body, uint32_t count, const sni_inside *inside) {
    int8_t *sides = inside->sides;
    int agreement = 0;
    for (uint32_t s = 0; s < count; ++s) {
        agreement += named_side(body, s) * sides[s];
    }
    for (uint32_t s = 0; s < count; ++s) {
        int8_t named = named_side(body, s);
        sides[s] = (int8_t)(named == 0 ? sides[s] : agreement < 0 ? -named : named);
    }
}

sn_status sni_inside_init(const sni_volume *volume, const sni_limbs *limbs,
                          const sn_skeleton *skeleton, sni_inside *inside, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = volume->context;
    tally *tallies = NULL;
    uint8_t *above = NULL;
    sni_body body = {0};
    *inside = (sni_inside){.context = context, .first_outside = SN_NONE};
    SNI_NEW_ZERO(context, inside->used, limbs->segment_count);
    SNI_NEW_ZERO(context, inside->sides, limbs->segment_count);
    SNI_NEW_ZERO(context, tallies, limbs->segment_count);
    SNI_NEW_ZERO(context, above, limbs->segment_count);
    SN_TRY(sni_body_init(context, skeleton, &body, error));
    mark_above_hips(skeleton, &body, above);
    for (uint32_t i = 0; i < limbs->line_count; ++i) {
        tally *t = &tallies[limbs->lines[i].segment];
        count_line(volume, &limbs->lines[i], t);
        t->joint_inside = is_inside(volume, limbs->lines[i].from);
    }
    choose(limbs, tallies, above, 1e-3 * volume->spacing, inside);
    find_sides(limbs, inside);
    add_named_sides(&body, limbs->segment_count, inside);
cleanup:
    sni_body_deinit(context, &body);
    sni_free(context, tallies);
    sni_free(context, above);
    if (status != SN_OK) {
        sni_inside_deinit(inside);
    }
    return status;
}

void sni_inside_deinit(sni_inside *inside) {
    sni_free(inside->context, inside->used);
    sni_free(inside->context, inside->sides);
    *inside = (sni_inside){0};
}
