// SPDX-License-Identifier: Apache-2.0
//
// A head that is known, laid onto another one: where each of its points is there.
#ifndef SINEW_FIT_HEAD_LAY_H
#define SINEW_FIT_HEAD_LAY_H

#include "fit/head/align.h"
#include "fit/head/profile.h"
#include "fit/head/register.h"

// A head upright on y, facing +z, in metres, with a coarse stand-in of its skin.
typedef struct sni_known_head {
    sn_context *context;
    sni_head_surface *surface;
    sn_decimated *coarse;
    sn_accel *coarse_accel;
    bool has_nose;
    sn_vec3 nose; // its tip
    bool has_ears;
    sn_vec3 ears[2]; // middles, left and right
} sni_known_head;

// `scale`: metres to a unit of the mesh.
sn_status sni_known_head_create(const sn_mesh *mesh, double scale, sni_known_head **known,
                                sn_error *error);
void sni_known_head_destroy(sni_known_head *known);

// Places that are given on both.
typedef struct sni_known_pair {
    sn_vec3 known, other; // on the skins, metres
} sni_known_pair;

typedef struct sni_lay_desc {
    const sni_known_head *known;
    const sni_head_surface *other; // in metres
    sni_similarity pose;           // about how `known` stands on it
    uint32_t pair_count;
    const sni_known_pair *pairs;
    double stiffness; // 1, or a factor on that of all stages
    const sn_progress *progress;
} sni_lay_desc;

typedef struct sni_laid_head {
    sni_registration *registration; // of the coarse skin
    uint32_t profile_count;
    sni_profile_pair profile[SNI_PROFILE_PLACES];
    double profile_difference; // mean angle between the profiles where they bend; 1 where there is
                               // no profile
    bool has_ears;
    double distance; // mean distance of the coarse skin of the known head from the other, metres
} sni_laid_head;

sn_status sni_lay_head(const sni_lay_desc *desc, sni_laid_head *laid, sn_error *error);
void sni_laid_head_deinit(sni_laid_head *laid);

// Where a point on or near the known skin is on the other one, before it is put onto its surface.
sn_vec3 sni_laid_head_point(const sni_known_head *known, const sni_laid_head *laid, sn_vec3 point);

#endif
