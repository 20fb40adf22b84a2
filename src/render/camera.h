// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_RENDER_CAMERA_H
#define SINEW_RENDER_CAMERA_H

#include "base/error.h"
#include "sinew/render.h"

// A camera made ready for a picture: orthonormal axes and its scale in pixels.
typedef struct sni_view {
    sn_vec3 eye;
    sn_vec3 right, up, forward;
    double width, height; // pixels
    double focal;         // pixels: distance of the picture plane from the eye
    double flat; // metres: rays are parallel, and things as large as at this depth; 0: from the eye
} sni_view;

// Fails with SN_INVALID for a camera that looks nowhere (see sn_picture_draw).
sn_status sni_view_init(const sn_camera *camera, uint32_t width, uint32_t height, sni_view *view,
                        sn_error *error);

// Through the point (x, y) of the picture, in pixels from its upper left corner.
typedef struct sni_view_ray {
    sn_vec3 origin, direction; // direction: a unit vector
} sni_view_ray;
sni_view_ray sni_view_ray_at(const sni_view *view, double x, double y);

// The point in the camera's axes: right, up, and depth in front of the eye; the depth of all points
// is the same where rays are parallel.
sn_vec3 sni_view_local(const sni_view *view, sn_vec3 point);

#endif
