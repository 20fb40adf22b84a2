// SPDX-License-Identifier: Apache-2.0
//
// How a head stands and how large it is: the similarity that takes a head that is known (upright on
// y, facing +z, in metres) to one that is not.
#ifndef SINEW_FIT_HEAD_ALIGN_H
#define SINEW_FIT_HEAD_ALIGN_H

#include "fit/head/similarity.h"
#include "fit/head/surface.h"

typedef struct sni_alignment {
    sni_similarity similarity; // from the known head to the other one
    double misfit; // mean distance of the two heads, in metres of the known one; places that are
                   // far apart or face elsewhere count 20 mm
    double second; // the least misfit of a start that ended in another pose
    bool has_neck; // the other mesh goes on below a neck
} sni_alignment;

// Tries all turns by right angles, and where none fits well turns between them, each followed by
// closest points. The same for any unit of length. Fails only when memory runs out.
sn_status sni_align(const sni_head_surface *known, const sni_head_surface *other,
                    const sn_progress *progress, sni_alignment *alignment, sn_error *error);

// Points spread evenly over the outer skin, with their normals: `count` of each.
sn_status sni_head_surface_sample(const sni_head_surface *surface, uint32_t count, sn_vec3 *points,
                                  sn_vec3 *normals, sn_error *error);

#endif
