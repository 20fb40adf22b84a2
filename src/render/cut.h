// SPDX-License-Identifier: Apache-2.0
//
// A character cut open along a plane, on which the field of its skins is seen (docs/implicit.md):
// what lies before the plane is not drawn, and the field is drawn on it in flat colours, with
// iso-lines.
#ifndef SINEW_RENDER_CUT_H
#define SINEW_RENDER_CUT_H

#include "base/memory.h"
#include "render/camera.h"

// Values on the plane, as the camera sees them.
typedef struct sni_cut {
    sn_vec3 point, normal;  // unit, towards the eye
    uint32_t columns, rows; // of nodes, SNI_CUT_STEP pixels apart
    float *values;          // rows x columns; 0 where the plane is not seen
    double line;            // half the width of the surface's line, pixels
} sni_cut;

enum { SNI_CUT_STEP = 2 };

// Samples the fields of all surfaces that have one. The plane is in the world, or in the frame of
// its segment. Free with sni_cut_free, also where this fails.
sn_status sni_cut_make(sn_context *context, const sn_frame *frame, const sn_field_slice *slice,
                       const sni_view *view, sni_cut *cut, sn_error *error);
void sni_cut_free(sn_context *context, sni_cut *cut);

// How far along a ray the plane is; infinite for a ray that never comes behind it.
double sni_cut_distance(const sni_cut *cut, const sni_view_ray *ray);

// The colour of the plane at a place of the picture; returns how much it covers, 0 to 1.
double sni_cut_color(const sni_cut *cut, double x, double y, sn_vec3 *color);

// Draws a picture of which one is cut open; NULL: none is.
sn_status sni_picture_draw_cut(sn_context *context, const sn_picture_desc *desc, const sni_cut *cut,
                               const sn_drawable *drawables, uint32_t drawable_count,
                               const sn_progress *progress, sn_image **image, sn_error *error);

#endif
