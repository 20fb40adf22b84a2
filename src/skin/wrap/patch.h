// SPDX-License-Identifier: Apache-2.0
//
// A parametric surface as the driver of a wrap (Singh and Kokkevis 2000, end of section 3): a
// B-spline patch whose control points are the vertices of a grid mesh. Control elements are samples
// of it, with the frame of its own derivatives:
//
//     origin S,   e1 = S_u,   e2 = S_v,   e3 the unit normal                        equation 2
//
// Distances are those to the triangles between samples.
#ifndef SINEW_SKIN_WRAP_PATCH_H
#define SINEW_SKIN_WRAP_PATCH_H

#include "sinew/skin.h"
#include "skin/sparse_blend.h"

typedef struct sni_patch_frame {
    sn_vec3 origin;    // S at rest
    double axes[9];    // S_u, S_v, n at rest
    double inverse[9]; // of the axes
    double area;       // |S_u x S_v|
} sni_patch_frame;

typedef struct sni_wrap_patch {
    uint32_t count;          // elements; 0: the driver is a mesh
    uint32_t width;          // control points of an element
    uint32_t *indices;       // count x width
    double *values;          // count x width x 3: what each adds to S, S_u, S_v
    sni_patch_frame *frames; // count
    bool scales;             // space scales along the normal as the root of the area
    sn_mesh *samples;        // triangles between samples at rest: element i is triangle i
    double span;             // mean length of a span between knots
} sni_wrap_patch;

// Fails with SN_INVALID for a desc out of range and a driver that is no grid of its size.
sn_status sni_wrap_patch_init(sn_context *context, const sn_wrap_patch *desc, const sn_mesh *driver,
                              bool scales, sni_wrap_patch *patch, sn_error *error);
void sni_wrap_patch_deinit(sn_context *context, sni_wrap_patch *patch);
size_t sni_wrap_patch_bytes(const sni_wrap_patch *patch);

// The maps of all elements for posed control points (#V x 3), as sni_wrap_frames_run gives them.
void sni_wrap_patch_run(sn_context *context, const sni_wrap_patch *patch, const float *points,
                        double factor, float *matrices);

#endif
