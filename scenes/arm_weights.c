// SPDX-License-Identifier: Apache-2.0
//
// Which segments move a vertex of the arm's skin, and by how much.
//
// Along the arm the station of a vertex decides; around knuckles its place beside the joint; on a
// finger only that finger's joints. Pronation is spread over the forearm: three segments that have
// turned by 0, 1/2 and 1 of the angle share it in proportion, so that no cross section sees a jump
// of more than half of it. A few rounds of averaging with the neighbours even out the seams.
#include "scenes/arm_shape.h"

#include <stdlib.h>
#include <string.h>

enum { SMOOTH_ROUNDS = 5, INFLUENCES_MAX = 6 };

// Influences below this are dropped.
static const double least_weight = 0.004;

typedef double row[SCN_ARM_SEGMENTS];

// Stations in metres from the shoulder joint.
static const double elbow_station = 0.310, wrist_station = 0.575;

// How much of a joint's far side a vertex belongs to; `from` is the share to be divided.
static double divide(double *from, double share) {
    double moved = *from * share;
    *from -= moved;
    return moved;
}

static void weigh_arm(const scn_arm *arm, const scn_vertex *v, double *w) {
    const scn_frame *fore = &arm->frames[SCN_ARM_FORE];
    w[SCN_ARM_SHOULDER] = 1;
    double shoulder = scn_smooth_step(-0.045, 0.060, v->along);
    w[SCN_ARM_UPPER_ARM] = divide(&w[SCN_ARM_SHOULDER], shoulder);
    // The point of the elbow belongs to the ulna, so behind the seam lies higher up the arm and is
    // narrow; in front the fold takes in flesh from both sides.
    double front = sn_vec3_dot(sn_vec3_sub(v->position, fore->origin), fore->z);
    front = scn_smooth_step(-0.030, 0.030, front);
    double seam = elbow_station - 0.018 + 0.020 * front, reach = 0.030 + 0.022 * front;
    double elbow = scn_smooth_step(seam - reach, seam + reach, v->along);
    w[SCN_ARM_FOREARM] = divide(&w[SCN_ARM_UPPER_ARM], elbow);
    double length = wrist_station - elbow_station;
    double twist = (v->along - elbow_station) / length;
    twist = 2 * fmin(fmax((twist - 0.12) / 0.80, 0), 1);
    w[SCN_ARM_FOREARM_MID] = divide(&w[SCN_ARM_FOREARM], fmin(twist, 1));
    w[SCN_ARM_FOREARM_END] = divide(&w[SCN_ARM_FOREARM_MID], fmax(twist - 1, 0));
    double wrist = scn_smooth_step(wrist_station - 0.018, wrist_station + 0.016, v->along);
    w[SCN_ARM_HAND_SEGMENT] = divide(&w[SCN_ARM_FOREARM_END], wrist);
}

// Metres beyond the finger's joint k, measured along the mean direction of the bones it joins.
static double beyond_joint(const scn_arm *arm, uint32_t f, uint32_t k, sn_vec3 p) {
    const scn_segment *own = &arm->segments[SCN_ARM_THUMB + 3 * f + k];
    const scn_segment *parent = &arm->segments[own->parent];
    sn_vec3 along = sn_vec3_add(own->rest.y, parent->rest.y);
    along = sn_vec3_normalize_or(along, own->rest.y);
    return sn_vec3_dot(sn_vec3_sub(p, own->rest.origin), along);
}

// Hands a share of the finger's first segment on to the second and third.
static void divide_finger(const scn_arm *arm, uint32_t f, sn_vec3 p, double *w) {
    double *first = &w[SCN_ARM_THUMB + 3 * f];
    double reach = 0.75 * arm->fingers[f].thickness;
    for (uint32_t k = 1; k < 3; ++k) {
        double share = scn_smooth_step(-reach, reach, beyond_joint(arm, f, k, p));
        first[k] = divide(&first[k - 1], share);
    }
}

static void weigh_finger(const scn_arm *arm, uint32_t f, const scn_vertex *v, double *w) {
    double share = 1;
    if (f > 0) {
        share = scn_smooth_step(-0.012, 0.016, beyond_joint(arm, f, 0, v->position));
    }
    w[SCN_ARM_HAND_SEGMENT] = 1;
    w[SCN_ARM_THUMB + 3 * f] = divide(&w[SCN_ARM_HAND_SEGMENT], share);
    divide_finger(arm, f, v->position, w);
}

// The part of the palm around knuckle f: over the joint, and across as far as the next finger.
static double knuckle_share(const scn_arm *arm, uint32_t f, sn_vec3 p) {
    const scn_frame *hand = &arm->frames[SCN_ARM_HAND];
    double across = fabs(sn_vec3_dot(sn_vec3_sub(p, arm->fingers[f].joints[0]), hand->z));
    double beside = 1 - scn_smooth_step(0.006, 0.016, across);
    return beside * scn_smooth_step(-0.012, 0.018, beyond_joint(arm, f, 0, p));
}

// The ball of the thumb: near its metacarpal bone, less towards the wrist.
static double thenar_share(const scn_arm *arm, sn_vec3 p) {
    const scn_segment *bone = &arm->segments[SCN_ARM_THUMB];
    sn_vec3 off = sn_vec3_sub(p, bone->rest.origin);
    double along = sn_vec3_dot(off, bone->rest.y);
    double t = fmin(fmax(along, 0), bone->length);
    double distance = sn_vec3_length(sn_vec3_add_scaled(off, -t, bone->rest.y));
    double near = 1 - scn_smooth_step(0.014, 0.032, distance);
    return near * scn_smooth_step(-0.004, 0.024, along);
}

static void weigh_palm(const scn_arm *arm, const scn_vertex *v, double *w) {
    double shares[SCN_ARM_FINGERS], sum = 0;
    shares[0] = thenar_share(arm, v->position);
    for (uint32_t f = 1; f < SCN_ARM_FINGERS; ++f) {
        shares[f] = knuckle_share(arm, f, v->position);
    }
    for (uint32_t f = 0; f < SCN_ARM_FINGERS; ++f) {
        sum += shares[f];
    }
    double hand = w[SCN_ARM_HAND_SEGMENT], scale = sum > 1 ? 1 / sum : 1;
    for (uint32_t f = 0; f < SCN_ARM_FINGERS; ++f) {
        double share = shares[f] * scale * hand;
        w[SCN_ARM_THUMB + 3 * f] = share;
        w[SCN_ARM_HAND_SEGMENT] -= share;
        divide_finger(arm, f, v->position, w);
    }
    w[SCN_ARM_HAND_SEGMENT] = fmax(w[SCN_ARM_HAND_SEGMENT], 0);
}

static void weigh_all(const scn_arm *arm, const scn_builder *skin, row *rows) {
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        const scn_vertex *v = &skin->vertices[i];
        if (v->tag > 0) {
            weigh_finger(arm, v->tag - 1, v, rows[i]);
            continue;
        }
        weigh_arm(arm, v, rows[i]);
        if (v->along > wrist_station) {
            weigh_palm(arm, v, rows[i]);
        }
    }
}

static bool smooth_rows(const scn_builder *skin, row *rows) {
    uint32_t *offsets = NULL, *neighbours = NULL;
    row *old = malloc((skin->vertex_count + 1) * sizeof *old);
    if (old == NULL || !scn_builder_neighbours(skin, &offsets, &neighbours)) {
        free(old);
        return false;
    }
    for (int round = 0; round < SMOOTH_ROUNDS; ++round) {
        memcpy(old, rows, skin->vertex_count * sizeof *old);
        for (uint32_t i = 0; i < skin->vertex_count; ++i) {
            double scale = 0.5 / fmax(offsets[i + 1] - offsets[i], 1);
            for (uint32_t b = 0; b < SCN_ARM_SEGMENTS; ++b) {
                double sum = 0;
                for (uint32_t n = offsets[i]; n < offsets[i + 1]; ++n) {
                    sum += old[neighbours[n]][b];
                }
                rows[i][b] = 0.5 * old[i][b] + scale * sum;
            }
        }
    }
    free(old);
    free(offsets);
    free(neighbours);
    return true;
}

// Keeps the largest influences and makes their sum one. Returns how many there are.
static uint32_t prune_row(double *w) {
    uint32_t kept = 0;
    double sum = 0;
    for (uint32_t b = 0; b < SCN_ARM_SEGMENTS; ++b) {
        uint32_t larger = 0;
        for (uint32_t c = 0; c < SCN_ARM_SEGMENTS; ++c) {
            larger += w[c] > w[b] || (w[c] == w[b] && c < b);
        }
        // Ranks count what has been dropped already as smaller, which it is.
        w[b] = larger < INFLUENCES_MAX && w[b] >= least_weight ? w[b] : 0;
        kept += w[b] > 0;
        sum += w[b];
    }
    for (uint32_t b = 0; b < SCN_ARM_SEGMENTS; ++b) {
        w[b] /= sum;
    }
    return kept;
}

static sn_status store_rows(const scn_arm *arm, row *rows, sn_mesh *mesh, sn_error *error) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        total += prune_row(rows[i]);
    }
    sn_status status = sn_mesh_set_weights(mesh, SCN_ARM_SEGMENTS, total, false, error);
    for (uint32_t b = 0; status == SN_OK && b < SCN_ARM_SEGMENTS; ++b) {
        status = sn_mesh_name_bone(mesh, b, arm->segments[b].name, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_weights *weights = mesh->weights;
    uint32_t at = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        weights->offsets[i] = at;
        for (uint32_t b = 0; b < SCN_ARM_SEGMENTS; ++b) {
            if (rows[i][b] > 0) {
                weights->bones[at] = b;
                weights->values[at++] = (float)rows[i][b];
            }
        }
    }
    weights->offsets[mesh->vertex_count] = at;
    return SN_OK;
}

sn_status scn_arm_weights(const scn_arm *arm, const scn_builder *skin, sn_mesh *mesh,
                          sn_error *error) {
    row *rows = calloc(skin->vertex_count + 1, sizeof *rows);
    sn_status status;
    if (rows == NULL) {
        return scn_fail_memory(error);
    }
    weigh_all(arm, skin, rows);
    if (smooth_rows(skin, rows)) {
        status = store_rows(arm, rows, mesh, error);
    } else {
        status = scn_fail_memory(error);
    }
    free(rows);
    return status;
}
