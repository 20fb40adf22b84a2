// SPDX-License-Identifier: Apache-2.0
//
// Cameras: framing a box, and rays through pixels.
#include "render/camera.h"

#include <math.h>

// Of sn_camera_frame: a lens that is long enough to keep faces and limbs in proportion.
static const double frame_field_of_view = 0.5; // radians
// Free room on every side, as a fraction of the picture's width or height.
static const double frame_margin = 0.08;
// The eye stays at least this fraction of the box's diagonal in front of it, also where a box
// without width or height would let it come nearer.
static const double frame_clearance = 0.1;

static sn_vec3 box_corner(sn_vec3 low, sn_vec3 high, unsigned corner) {
    return sn_vec3_make(corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y,
                        corner & 4 ? high.z : low.z);
}

// The extremes of the box along one picture axis, seen along `back` with slope `k`. With depth
// e - z, a corner at x is inside both borders when x - c <= k (e - z) and c - x <= k (e - z), so
//     c + k e >= max(x + k z) = a,   -c + k e >= max(-x + k z) = b,
// and the nearest eye has e = (a + b) / 2k, c = (a - b) / 2.
static double fit_axis(sn_vec3 low, sn_vec3 high, sn_vec3 axis, sn_vec3 back, double k,
                       double *center) {
    double a = -INFINITY, b = -INFINITY;
    for (unsigned i = 0; i < 8; ++i) {
        sn_vec3 corner = box_corner(low, high, i);
        double x = sn_vec3_dot(corner, axis), z = sn_vec3_dot(corner, back);
        a = fmax(a, x + k * z);
        b = fmax(b, -x + k * z);
    }
    *center = (a - b) / 2;
    return (a + b) / (2 * k);
}

sn_camera sn_camera_frame(sn_vec3 low, sn_vec3 high, double azimuth, double elevation,
                          double aspect) {
    sn_vec3 first = low;
    low = sn_vec3_min(first, high);
    high = sn_vec3_max(first, high);
    double diagonal = sn_vec3_distance(low, high);
    if (diagonal == 0) { // a single point: a metre around it
        sn_vec3 half = sn_vec3_make(0.5, 0.5, 0.5);
        low = sn_vec3_sub(low, half);
        high = sn_vec3_add(high, half);
        diagonal = sn_vec3_distance(low, high);
    }
    sn_vec3 back =
        sn_vec3_make(sin(azimuth) * cos(elevation), sin(elevation), cos(azimuth) * cos(elevation));
    // The derivative of `back` by elevation: upright even when looking straight down.
    sn_vec3 up = sn_vec3_make(-sin(azimuth) * sin(elevation), cos(elevation),
                              -cos(azimuth) * sin(elevation));
    sn_vec3 right = sn_vec3_cross(up, back);
    double slope = tan(frame_field_of_view / 2) * (1 - 2 * frame_margin);
    double x, y;
    double distance_x = fit_axis(low, high, right, back, slope * aspect, &x);
    double distance_y = fit_axis(low, high, up, back, slope, &y);
    double near = -INFINITY;
    for (unsigned i = 0; i < 8; ++i) {
        near = fmax(near, sn_vec3_dot(box_corner(low, high, i), back));
    }
    double depth = fmax(fmax(distance_x, distance_y), near + frame_clearance * diagonal);
    double middle = sn_vec3_dot(sn_vec3_lerp(low, high, 0.5), back);
    sn_vec3 sideways = sn_vec3_add(sn_vec3_scale(right, x), sn_vec3_scale(up, y));
    // An aspect of no meaning must not give a camera that looks right: NaN is refused later.
    double check = aspect > 0 && isfinite(aspect) ? 0 : NAN;
    return (sn_camera){
        .eye = sn_vec3_add_scaled(sideways, depth + check, back),
        .target = sn_vec3_add_scaled(sideways, middle, back),
        .up = up,
        .field_of_view = frame_field_of_view,
    };
}

sn_status sni_view_init(const sn_camera *camera, uint32_t width, uint32_t height, sni_view *view,
                        sn_error *error) {
    if (!sn_vec3_is_finite(camera->eye) || !sn_vec3_is_finite(camera->target) ||
        !sn_vec3_is_finite(camera->up)) {
        return sni_fail(error, SN_INVALID, "the camera's eye, target or up is not finite");
    }
    if (!(camera->field_of_view > 0 && camera->field_of_view < SN_PI)) {
        return sni_fail(error, SN_INVALID,
                        "the camera's field of view is %g radians, expected between 0 and pi",
                        camera->field_of_view);
    }
    sn_vec3 none = {0, 0, 0};
    sn_vec3 along = sn_vec3_sub(camera->target, camera->eye);
    sn_vec3 forward = sn_vec3_normalize_or(along, none);
    if (sn_vec3_dot(forward, forward) == 0) {
        return sni_fail(error, SN_INVALID, "the camera's eye and target are the same point");
    }
    sn_vec3 up = sn_vec3_normalize_or(camera->up, none);
    sn_vec3 side = sn_vec3_cross(forward, up);
    // Below this sine the direction of `side` is rounding.
    if (sn_vec3_length(side) < 1e-9) {
        return sni_fail(error, SN_INVALID, "the camera's up is zero or runs along its view");
    }
    view->eye = camera->eye;
    view->forward = forward;
    view->right = sn_vec3_normalize_or(side, none);
    view->up = sn_vec3_cross(view->right, forward);
    view->width = width;
    view->height = height;
    view->focal = height / 2.0 / tan(camera->field_of_view / 2);
    view->flat = camera->parallel ? sn_vec3_length(along) : 0;
    return SN_OK;
}

// Parallel rays begin on a plane through the eye, the others end on one that is `focal` away.
sni_view_ray sni_view_ray_at(const sni_view *view, double x, double y) {
    bool parallel = view->flat > 0;
    double scale = parallel ? view->flat / view->focal : 1;
    sn_vec3 to = parallel ? view->eye : sn_vec3_scale(view->forward, view->focal);
    to = sn_vec3_add_scaled(to, scale * (x - view->width / 2), view->right);
    to = sn_vec3_add_scaled(to, scale * (view->height / 2 - y), view->up);
    return parallel ? (sni_view_ray){to, view->forward}
                    : (sni_view_ray){view->eye, sn_vec3_normalize_or(to, view->forward)};
}

sn_vec3 sni_view_local(const sni_view *view, sn_vec3 point) {
    sn_vec3 offset = sn_vec3_sub(point, view->eye);
    double depth = view->flat > 0 ? view->flat : sn_vec3_dot(offset, view->forward);
    return sn_vec3_make(sn_vec3_dot(offset, view->right), sn_vec3_dot(offset, view->up), depth);
}
