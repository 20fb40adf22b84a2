// SPDX-License-Identifier: Apache-2.0
//
// The skins of a body in one space: that of the first skin, in which the rest frames of the
// skeleton are known (sni_limbs).
#ifndef SINEW_FIT_PROPOSE_SKINS_H
#define SINEW_FIT_PROPOSE_SKINS_H

#include "fit/skin_probe.h"
#include "motion/limbs.h"

typedef struct sni_propose_skin {
    const char *name;
    sn_mesh *copy;  // in the shared space; NULL where its own is the same
    sn_mat4 to_own; // from the shared space
    double scale;   // of lengths to its own space
    sni_skin_probe probe;
    float *normals;          // #V x 3
    uint32_t *bone_segments; // of each bone of the weights
} sni_propose_skin;

typedef struct sni_propose_skins {
    sn_context *context;
    uint32_t count;
    sni_propose_skin *items;
    double size;    // diagonal of the box around all of them
    uint8_t *marks; // of each segment: its skin counts for sni_propose_skin_cast
} sni_propose_skins;

typedef struct sni_propose_skins_desc {
    const sn_skeleton *skeleton;
    const sni_limbs *limbs;
    uint32_t count;
    const sn_mesh *const *meshes; // count, with weights on segments
    const char *const *names;     // count
} sni_propose_skins_desc;

sn_status sni_propose_skins_init(sn_context *context, const sni_propose_skins_desc *desc,
                                 sni_propose_skins *skins, sn_error *error);
void sni_propose_skins_deinit(sni_propose_skins *skins);

// The part of the skin's weight at a place of a triangle that is on segments with a mark.
double sni_propose_skin_share(const sni_propose_skin *skin, const uint8_t *marks, uint32_t triangle,
                              const double barycentric[3]);

// Sends a ray from inside out, up to the first skin on whose points marked segments have more than
// half of the weight.
bool sni_propose_skin_cast(const sni_propose_skins *skins, uint32_t skin, sn_vec3 from,
                           sn_vec3 direction, double farthest, sn_hit *hit);

#endif
