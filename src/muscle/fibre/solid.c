// SPDX-License-Identifier: Apache-2.0
//
// Fibres as bodies that deformers can ask (kind/muscle_surface.h).
#include "muscle/fibre/solid.h"

#include "muscle/fibre/ready.h"

static double distance_at(const void *bound, const double *points, uint32_t body, sn_vec3 at,
                          uint32_t *place, sn_vec3 *gradient) {
    const sni_fibre *f = bound;
    sni_fibre_axis axis;
    sni_fibre_section section;
    double radius;
    sni_fibre_read(f, points != NULL ? points : f->points, body, &axis, &section, &radius);
    sni_distance_value value = place != NULL ? sni_fibre_field_near(&axis, &section, at, place)
                                             : sni_fibre_field(&axis, &section, at);
    *gradient = value.gradient;
    return value.distance;
}

// The axis, and around it as much as the widest section takes.
static void box_of(const void *bound, const double *points, uint32_t body, sn_vec3 *low,
                   sn_vec3 *high) {
    const sni_fibre *f = bound;
    sni_fibre_axis axis;
    sni_fibre_section section;
    double radius;
    sni_fibre_read(f, points != NULL ? points : f->points, body, &axis, &section, &radius);
    double widest = radius / sni_fibre_half_axis(section.eccentricity);
    *low = *high = axis.points[0];
    for (uint32_t i = 1; i < axis.point_count; ++i) {
        *low = sn_vec3_min(*low, axis.points[i]);
        *high = sn_vec3_max(*high, axis.points[i]);
    }
    sn_vec3 border = {widest, widest, widest};
    *low = sn_vec3_sub(*low, border);
    *high = sn_vec3_add(*high, border);
}

static void make_ready(const void *bound, const double *points, uint32_t body, void *ready) {
    const sni_fibre *f = bound;
    sni_fibre_axis axis;
    sni_fibre_section section;
    double radius;
    sni_fibre_read(f, points != NULL ? points : f->points, body, &axis, &section, &radius);
    sni_fibre_make_ready(&axis, &section, radius, ready);
}

static double at_least(const void *ready, sn_vec3 at, double enough) {
    return sni_fibre_at_least(ready, at, enough);
}

static double ready_distance(const void *ready, sn_vec3 at, uint32_t *place, sn_vec3 *gradient) {
    sni_distance_value value = sni_fibre_ready_field(ready, at, place);
    *gradient = value.gradient;
    return value.distance;
}

sni_muscle_solid sni_fibre_solid(const sni_fibre *f) {
    double thickest = 0;
    for (uint32_t i = 0; i < f->fibre_count; ++i) {
        sni_fibre_axis axis;
        sni_fibre_section section;
        double radius;
        sni_fibre_read(f, f->points, i, &axis, &section, &radius);
        thickest = fmax(thickest, section.width *
                                      sni_fibre_profile_most(section.profile, section.activation));
    }
    return (sni_muscle_solid){.count = f->fibre_count,
                              .distance = distance_at,
                              .box = box_of,
                              .ready_bytes = sizeof(sni_fibre_ready),
                              .make_ready = make_ready,
                              .at_least = at_least,
                              .ready_distance = ready_distance,
                              .bound = f,
                              .thickness = thickest,
                              .origin = f->places[0].segment};
}
