// SPDX-License-Identifier: Apache-2.0
//
// Joints that move together, as data for a document.
//
// Shoulder: beyond 30 degrees of raising the arm, collarbone and shoulder blade take one degree of
// every three (Inman, Saunders and Abbott 1944): at 180 degrees, 60. The angle between the arm and
// straight down is read off a distance, since it is the same in any plane: d = 2 r sin(a / 2). A
// segment between shoulder blade and arm turns back by as much, so that the arm points where it is
// told to. Swing and tilt keep the blade on the ribs (glide.c).
//
// Forearm: the radius turns about the line from its head to the head of the ulna by as much as the
// hand is turned, and carries the hand.
//
// Knee: the kneecap runs round the femur, held by its ligament to the shin.
#include "fit/body/draft.h"

#include <stdio.h>
#include <string.h>

static const double rhythm_begin = 30 * SN_PI / 180, rhythm_most = 60; // most in degrees
#define RHYTHM_KEYS 9u

// What the collarbone takes of the turn, the rest is the shoulder blade's own; and what the kneecap
// takes of the knee's.
static const double collar_share = 0.3, kneecap_share = 0.85;

// The part of the ulna's length, at the wrist, that is its head.
static const double ulna_head = 0.04;

static const char *side_suffix(sni_bone_side side) {
    return side == SNI_BONE_LEFT ? ".L" : side == SNI_BONE_RIGHT ? ".R" : "";
}

static uint32_t find_on_side(const sni_draft *d, sni_slot slot, sni_bone_side side) {
    return sni_draft_find(d, slot, side, 0, 0);
}

// A frame with these axes of y and, as far as it is across y, z.
static sn_quat frame_of(sn_vec3 y, sn_vec3 z) {
    sn_vec3 x = sn_vec3_normalize_or(sn_vec3_cross(y, z), sn_vec3_make(1, 0, 0));
    z = sn_vec3_cross(x, y);
    sn_mat4 m = {{x.x, x.y, x.z, 0, y.x, y.y, y.z, 0, z.x, z.y, z.z, 0, 0, 0, 0, 1}};
    return sn_mat4_rotation(&m);
}

// ---------------------------------------------------------------------------------------------
// Helping segments

// Collarbone, shoulder blade and socket turn about the normal of the shoulder blade, which stands
// in the plane of upwards and of the way to the arm.
static sn_quat blade_frame(const sni_draft *d, uint32_t scapula, sn_vec3 head) {
    sn_vec3 way = sn_vec3_sub(head, d->shapes[d->segments[scapula].bone].centroid);
    const sn_vec3 up = {0, 1, 0}, forward = {0, 0, 1};
    sn_vec3 normal = sn_vec3_normalize_or(sn_vec3_cross(way, up), forward);
    return frame_of(up, normal.z < 0 ? sn_vec3_scale(normal, -1) : normal);
}

static sn_status add_socket(sni_draft *d, sni_bone_side side, sn_error *error) {
    uint32_t collar = find_on_side(d, SNI_SLOT_CLAVICLE, side);
    uint32_t blade = find_on_side(d, SNI_SLOT_SCAPULA, side);
    uint32_t arm = find_on_side(d, SNI_SLOT_UPPER_ARM, side);
    if (collar == SN_NONE || blade == SN_NONE || arm == SN_NONE ||
        find_on_side(d, SNI_SLOT_FOREARM, side) == SN_NONE || d->segments[arm].parent != blade ||
        d->segments[blade].parent != collar) {
        return SN_OK;
    }
    uint32_t socket;
    sn_status status = sni_draft_add(d, SNI_SLOT_SOCKET, side, 0, 0, &socket, error);
    if (status == SN_OK) {
        sn_vec3 head = d->segments[arm].joint;
        sn_quat frame = blade_frame(d, blade, head);
        d->segments[socket].joint = head;
        d->segments[socket].parent = blade;
        d->segments[arm].parent = socket;
        d->segments[collar].rotation = d->segments[blade].rotation = frame;
        d->segments[socket].rotation = frame;
        d->segments[collar].order = d->segments[blade].order = SN_ROTATION_ZYX;
        d->segments[socket].order = SN_ROTATION_XYZ; // the other way round: what is undone
    }
    return status;
}

static sn_status add_wrist(sni_draft *d, sni_bone_side side, sn_error *error) {
    uint32_t forearm = find_on_side(d, SNI_SLOT_FOREARM, side);
    uint32_t radius = find_on_side(d, SNI_SLOT_RADIUS, side);
    uint32_t hand = find_on_side(d, SNI_SLOT_HAND, side);
    if (forearm == SN_NONE || radius == SN_NONE || hand == SN_NONE ||
        d->segments[hand].parent != radius) {
        return SN_OK;
    }
    uint32_t wrist;
    sn_status status = sni_draft_add(d, SNI_SLOT_WRIST, side, 0, 0, &wrist, error);
    if (status == SN_OK) {
        sn_vec3 head = d->segments[radius].joint, end = d->segments[hand].joint;
        sn_vec3 ulna = sni_shape_end(&d->shapes[d->segments[forearm].bone], head, end, ulna_head);
        sn_vec3 axis = sn_vec3_normalize_or(sn_vec3_sub(head, ulna), sn_vec3_make(0, 1, 0));
        sn_quat frame = frame_of(axis, sn_vec3_make(0, 0, 1));
        d->segments[wrist].joint = end;
        d->segments[wrist].parent = radius;
        d->segments[hand].parent = wrist;
        uint32_t turned[] = {radius, wrist, hand};
        for (int i = 0; i < 3; ++i) {
            d->segments[turned[i]].rotation = frame;
            d->segments[turned[i]].order = SN_ROTATION_YXZ;
        }
    }
    return status;
}

sn_status sni_draft_helpers(sni_draft *d, sn_error *error) {
    sn_status status = SN_OK;
    for (int side = SNI_BONE_LEFT; side <= SNI_BONE_RIGHT; ++side) {
        SN_TRY(add_socket(d, (sni_bone_side)side, error));
        SN_TRY(add_wrist(d, (sni_bone_side)side, error));
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Couplings

typedef struct maker {
    const sni_draft *draft;
    const uint32_t *numbers; // of the draft's segments in the plan
    sn_body_plan *plan;
} maker;

static sn_status copy_text(sn_context *context, const char *text, char **copy, sn_error *error) {
    *copy = sni_string_copy(context, text);
    return *copy != NULL ? SN_OK : sni_fail_memory(error);
}

static const char *name_of(const maker *m, uint32_t segment) {
    return m->plan->segments[m->numbers[segment]].name;
}

static sn_status parameter_of(const maker *m, uint32_t segment, const char *parameter, char **text,
                              sn_error *error) {
    char made[96];
    snprintf(made, sizeof made, "%s.%s", name_of(m, segment), parameter);
    return copy_text(m->plan->context, made, text, error);
}

static sn_status add_coupling(maker *m, const char *name, sni_bone_side side, double low,
                              double high, sn_plan_coupling **coupling, sn_error *error) {
    sn_body_plan *plan = m->plan;
    char made[64];
    if (!sni_grow_by_one(plan->context, &plan->couplings, plan->coupling_count,
                         sizeof *plan->couplings)) {
        return sni_fail_memory(error);
    }
    *coupling = &plan->couplings[plan->coupling_count++];
    **coupling = (sn_plan_coupling){.low = low, .high = high, .segments = {SN_NONE, SN_NONE}};
    snprintf(made, sizeof made, "%s%s", name, side_suffix(side));
    return copy_text(plan->context, made, &(*coupling)->name, error);
}

static sn_status add_spread(const maker *m, sn_plan_coupling *coupling, uint32_t segment,
                            const char *parameter, double amount, sn_error *error) {
    if (!sni_grow_by_one(m->plan->context, &coupling->spreads, coupling->spread_count,
                         sizeof *coupling->spreads)) {
        return sni_fail_memory(error);
    }
    sn_plan_spread *spread = &coupling->spreads[coupling->spread_count++];
    *spread = (sn_plan_spread){.amount = amount};
    return parameter_of(m, segment, parameter, &spread->parameter, error);
}

// Keys by rising distance; at rest and below 30 degrees nothing moves.
static sn_status add_rhythm_curve(const maker *m, sn_plan_coupling *coupling, double length,
                                  double rest, sn_error *error) {
    sn_status status = SN_OK;
    double begin = fmax(rhythm_begin, rest);
    SNI_NEW(m->plan->context, coupling->curve, RHYTHM_KEYS);
    coupling->key_count = RHYTHM_KEYS;
    for (uint32_t i = 0; i < RHYTHM_KEYS; ++i) {
        double part = (double)i / (RHYTHM_KEYS - 1);
        coupling->curve[i][0] = 2 * length * sin(0.5 * (begin + part * (SN_PI - begin)));
        coupling->curve[i][1] = rhythm_most * part * (SN_PI - begin) / (SN_PI - rhythm_begin);
    }
cleanup:
    return status;
}

// Swing and tilt of the shoulder blade over the rhythm; the socket turns back by as much.
static sn_status couple_glide(maker *m, sni_bone_side side, const char *rhythm, sn_error *error) {
    static const char *const names[2] = {"shoulder swing", "shoulder tilt"};
    static const char *const parameters[2] = {"ry_deg", "rx_deg"};
    sn_status status = SN_OK;
    const sni_draft *d = m->draft;
    uint32_t collar = find_on_side(d, SNI_SLOT_CLAVICLE, side);
    uint32_t blade = find_on_side(d, SNI_SLOT_SCAPULA, side);
    double rises[RHYTHM_KEYS], turns[RHYTHM_KEYS][2];
    const double degree = SN_PI / 180, up = side == SNI_BONE_LEFT ? degree : -degree;
    for (uint32_t i = 0; i < RHYTHM_KEYS; ++i) {
        rises[i] = up * rhythm_most * i / (RHYTHM_KEYS - 1);
    }
    bool on_ribs = sni_draft_glide(d, collar, blade, collar_share, RHYTHM_KEYS, rises, turns);
    for (int k = 0; k < 2 && on_ribs; ++k) {
        sn_plan_coupling *c;
        SN_TRY(add_coupling(m, names[k], side, -90, 90, &c, error));
        SN_TRY(copy_text(m->plan->context, rhythm, &c->parameter, error));
        SNI_NEW(m->plan->context, c->curve, RHYTHM_KEYS);
        c->key_count = RHYTHM_KEYS;
        for (uint32_t i = 0; i < RHYTHM_KEYS; ++i) {
            c->curve[i][0] = rises[i] / up;
            c->curve[i][1] = turns[i][k] / degree;
        }
        SN_TRY(add_spread(m, c, blade, parameters[k], 1, error));
        SN_TRY(add_spread(m, c, find_on_side(d, SNI_SLOT_SOCKET, side), parameters[k], -1, error));
    }
cleanup:
    return status;
}

static sn_status couple_shoulder(maker *m, sni_bone_side side, sn_error *error) {
    sn_status status = SN_OK;
    const sni_draft *d = m->draft;
    uint32_t socket = find_on_side(d, SNI_SLOT_SOCKET, side);
    if (socket == SN_NONE) {
        return SN_OK;
    }
    uint32_t arm = find_on_side(d, SNI_SLOT_UPPER_ARM, side);
    sn_vec3 head = d->segments[arm].joint;
    sn_vec3 elbow = d->segments[find_on_side(d, SNI_SLOT_FOREARM, side)].joint;
    double length = sn_vec3_distance(head, elbow);
    double rest = acos(fmax(-1, fmin(1, (head.y - elbow.y) / length)));
    if (!(length > 0) || rest > 0.9 * SN_PI) {
        return SN_OK;
    }
    sn_plan_coupling *c;
    SN_TRY(add_coupling(m, "shoulder rhythm", side, 0, rhythm_most, &c, error));
    c->segments[0] = m->numbers[socket];
    c->segments[1] = m->numbers[arm];
    c->points[0] = sn_vec3_sub(head, sn_vec3_make(0, length, 0));
    c->points[1] = elbow;
    SN_TRY(add_rhythm_curve(m, c, length, rest, error));
    double up = side == SNI_BONE_LEFT ? 1 : -1;
    SN_TRY(add_spread(m, c, find_on_side(d, SNI_SLOT_CLAVICLE, side), "rz_deg", up * collar_share,
                      error));
    SN_TRY(add_spread(m, c, find_on_side(d, SNI_SLOT_SCAPULA, side), "rz_deg",
                      up * (1 - collar_share), error));
    SN_TRY(add_spread(m, c, socket, "rz_deg", -up, error));
    SN_TRY(couple_glide(m, side, c->name, error));
cleanup:
    return status;
}

static sn_status couple_forearm(maker *m, sni_bone_side side, sn_error *error) {
    sn_status status = SN_OK;
    const sni_draft *d = m->draft;
    uint32_t wrist = find_on_side(d, SNI_SLOT_WRIST, side);
    if (wrist == SN_NONE) {
        return SN_OK;
    }
    sn_plan_coupling *c;
    SN_TRY(add_coupling(m, "pronation", side, -180, 180, &c, error));
    SN_TRY(parameter_of(m, find_on_side(d, SNI_SLOT_HAND, side), "ry_deg", &c->parameter, error));
    SN_TRY(add_spread(m, c, find_on_side(d, SNI_SLOT_RADIUS, side), "ry_deg", 1, error));
    SN_TRY(add_spread(m, c, wrist, "ry_deg", -1, error));
cleanup:
    return status;
}

static sn_status couple_knee(maker *m, sni_bone_side side, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t patella = find_on_side(m->draft, SNI_SLOT_PATELLA, side);
    uint32_t shin = find_on_side(m->draft, SNI_SLOT_SHIN, side);
    if (patella == SN_NONE || shin == SN_NONE) {
        return SN_OK;
    }
    sn_plan_coupling *c;
    SN_TRY(add_coupling(m, "kneecap", side, -180, 180, &c, error));
    SN_TRY(parameter_of(m, shin, "rx_deg", &c->parameter, error));
    SN_TRY(add_spread(m, c, patella, "rx_deg", kneecap_share, error));
cleanup:
    return status;
}

sn_status sni_couple(const sni_draft *draft, const uint32_t *numbers, sn_body_plan *plan,
                     sn_error *error) {
    SN_ASSERT(draft->segment_count == 0 || numbers != NULL);
    sn_status status = SN_OK;
    maker m = {draft, numbers, plan};
    for (int side = SNI_BONE_LEFT; side <= SNI_BONE_RIGHT; ++side) {
        SN_TRY(couple_shoulder(&m, (sni_bone_side)side, error));
        SN_TRY(couple_forearm(&m, (sni_bone_side)side, error));
        SN_TRY(couple_knee(&m, (sni_bone_side)side, error));
    }
cleanup:
    return status;
}
