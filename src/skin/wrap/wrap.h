// SPDX-License-Identifier: Apache-2.0
//
// A mesh bound to a driver: what the public calls, the deformer and the file share.
#ifndef SINEW_SKIN_WRAP_H
#define SINEW_SKIN_WRAP_H

#include "sinew/skin.h"
#include "skin/wrap/bind.h"
#include "skin/wrap/frames.h"
#include "skin/wrap/patch.h"

struct sn_wrap {
    sn_context *context;
    const sn_mesh *mesh;
    const sn_mesh *driver;
    sni_wrap_settings settings; // unit as used
    sni_wrap_patch patch;       // the driver as a parametric surface
    sni_wrap_frames frames;     // counts alone where it is one
    sni_sparse_blend weights;
    sni_wrap_edits edits;
    sni_wrap_report report;
};

// Whether settings are in the ranges of the deformer's parameters.
sn_status sni_wrap_settings_validate(const sni_wrap_settings *settings, sn_error *error);

// A unit of 0 in the settings stands for half the driver's mean edge.
sn_status sni_wrap_create(sn_context *context, const sn_mesh *mesh, const sn_mesh *driver,
                          const sni_wrap_settings *settings, const sn_wrap_set *sets,
                          uint32_t set_count, const sn_wrap_patch *patch, const float *frame_points,
                          const sn_progress *progress, sn_wrap **wrap, sn_error *error);

// The mesh whose triangles are the elements.
static inline const sn_mesh *sni_wrap_elements(const sn_wrap *wrap) {
    return wrap->patch.count > 0 ? wrap->patch.samples : wrap->driver;
}

// `matrices` is scratch: frames.count x SNI_BLEND_MATRIX floats, aligned to 64 bytes.
void sni_wrap_run(sn_context *context, const sn_wrap *wrap, const float *driver_points,
                  const float *frame_points, double factor, float *matrices, const float *points_in,
                  float *points_out);

size_t sni_wrap_bytes(const sn_wrap *wrap);

#endif
