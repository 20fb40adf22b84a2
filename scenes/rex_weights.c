// SPDX-License-Identifier: Apache-2.0
//
// Which segments move a place of the rex's skin. The jaw takes what lies below the line of the
// mouth, seen from its joint; skull and neck share the rest along the neck.
#include "scenes/rex_shape.h"

#include <stdlib.h>
#include <string.h>

enum { SHARED = 5 }; // neck, skull and mandible; the eyes move no skin
enum { SMOOTHING = 10 };

// Share of the jaw at a place of the maquette. Around the joint it grows from the middle of the
// open mouth down to the lower jaw; in front of the corner the seam narrows to the gap between the
// lips. Below and behind, the throat passes it on to skull and neck.
static double jaw_share(const scn_rex *rex, sn_vec3 p) {
    const double mm = 1 / SCN_MM;
    double z = (p.z - rex->frames[SCN_REX_JAW].origin.z) * mm;
    double y = (p.y - rex->frames[SCN_REX_JAW].origin.y) * mm;
    // The line halfway between the lips, and half the height over which the share changes.
    double middle = -0.158 * z - 3; // tangent of 9 degrees
    double front = scn_smooth_step(0, 44, z);
    double half = 26 + front * (0.10 * z + 1.5 - 26);
    double below = scn_smooth_step(middle + half, middle - half, y);
    double before = scn_smooth_step(-34, 26, z + 0.35 * (y + 40));
    return below * before;
}

// Shares of the chain neck_1 .. head by the place's station along the neck.
static void chain_shares(sn_vec3 p, double shares[SHARED]) {
    const double mm = 1 / SCN_MM;
    double s = scn_rex_along_neck(p) * mm;
    double head = scn_smooth_step(58, -2, s), third = scn_smooth_step(130, 58, s),
           second = scn_smooth_step(205, 130, s);
    shares[SCN_REX_SKULL] = head;
    shares[SCN_REX_NECK_3] = (1 - head) * third;
    shares[SCN_REX_NECK_2] = (1 - head) * (1 - third) * second;
    shares[SCN_REX_NECK_1] = (1 - head) * (1 - third) * (1 - second);
}

static void find_shares(const scn_rex *rex, sn_vec3 p, double shares[SHARED]) {
    double jaw = jaw_share(rex, p);
    chain_shares(p, shares);
    for (int k = 0; k < SCN_REX_MANDIBLE; ++k) {
        shares[k] *= 1 - jaw;
    }
    shares[SCN_REX_MANDIBLE] = jaw;
}

// Every vertex goes half way to the mean of its face's neighbours; lips are far apart along the
// skin and stay so.
static void smooth_shares(const sn_mesh *mesh, double *shares, double *sums, uint32_t *counts) {
    memset(sums, 0, mesh->vertex_count * SHARED * sizeof *sums);
    memset(counts, 0, mesh->vertex_count * sizeof *counts);
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t begin = mesh->face_offsets[f], end = mesh->face_offsets[f + 1];
        for (uint32_t c = begin; c < end; ++c) {
            uint32_t at = mesh->corners[c], to = mesh->corners[c + 1 < end ? c + 1 : begin];
            for (int k = 0; k < SHARED; ++k) {
                sums[at * SHARED + k] += shares[to * SHARED + k];
            }
            counts[at] += 1;
        }
    }
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        for (int k = 0; k < SHARED; ++k) {
            double *share = &shares[i * SHARED + k];
            *share = 0.5 * (*share + sums[i * SHARED + k] / (counts[i] > 0 ? counts[i] : 1));
        }
    }
}

static sn_status write_weights(const scn_rex *rex, sn_mesh *mesh, const double *shares,
                               sn_error *error) {
    const double least = 0.002; // smaller shares are dropped
    sn_status status = sn_mesh_set_weights(mesh, SHARED, mesh->vertex_count * SHARED, false, error);
    for (uint32_t b = 0; b < SHARED && status == SN_OK; ++b) {
        status = sn_mesh_name_bone(mesh, b, rex->segments[b].name, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_weights *w = mesh->weights;
    uint32_t used = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        double sum = 0;
        w->offsets[i] = used;
        for (uint32_t k = 0; k < SHARED; ++k) {
            sum += shares[i * SHARED + k] > least ? shares[i * SHARED + k] : 0;
        }
        for (uint32_t k = 0; k < SHARED; ++k) {
            if (shares[i * SHARED + k] > least) {
                w->bones[used] = k;
                w->values[used++] = (float)(shares[i * SHARED + k] / sum);
            }
        }
    }
    w->offsets[mesh->vertex_count] = used;
    return SN_OK;
}

sn_status scn_rex_weights(const scn_rex *rex, sn_mesh *mesh, sn_error *error) {
    size_t count = (size_t)mesh->vertex_count * SHARED;
    double *shares = calloc(count + 1, sizeof *shares), *sums = calloc(count + 1, sizeof *sums);
    uint32_t *counts = calloc(mesh->vertex_count + 1, sizeof *counts);
    sn_status status = SN_OUT_OF_MEMORY;
    if (shares != NULL && sums != NULL && counts != NULL) {
        for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
            sn_vec3 p = sn_vec3_load(mesh->positions + 3 * (size_t)i);
            find_shares(rex, sn_vec3_scale(p, 1 / SCN_REX_ENLARGE), &shares[i * SHARED]);
        }
        for (int round = 0; round < SMOOTHING; ++round) {
            smooth_shares(mesh, shares, sums, counts);
        }
        status = write_weights(rex, mesh, shares, error);
    } else {
        scn_fail_memory(error);
    }
    free(shares);
    free(sums);
    free(counts);
    return status;
}
