// SPDX-License-Identifier: Apache-2.0
//
// Fibres as bodies that deformers can ask (kind/muscle_surface.h).
#include "muscle/fibre/solid.h"

#include "muscle/fibre/lanes.h"

static double distance_at(const void *bound, const double *points, uint32_t body, sn_vec3 at,
                          sn_vec3 *gradient) {
    const sni_fibre *f = bound;
    sni_fibre_axis axis;
    sni_fibre_section section;
    double radius;
    sni_fibre_read(f, points != NULL ? points : f->points, body, &axis, &section, &radius);
    sni_distance_value value = sni_fibre_field(&axis, &section, at);
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

static void see(const void *bound, const double *points, uint32_t body, const sni_solid_view *view,
                void *seen) {
    const sni_fibre *f = bound;
    sni_fibre_axis axis;
    sni_fibre_section section;
    double radius;
    sni_fibre_read(f, points != NULL ? points : f->points, body, &axis, &section, &radius);
    sni_fibre_lanes_make(&axis, &section, radius, view, seen);
}

static float seen_at_least(sn_context *context, const void *seen, const float box[6]) {
    return sni_fibre_lanes_at_least(context, seen, box);
}

static void seen_distances(sn_context *context, const void *seen, const sni_solid_places *places,
                           sni_solid_distances *distances) {
    sni_fibre_lanes_field(context, seen, places, distances);
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
                              .seen_bytes = sni_fibre_lanes_bytes(f->particle_count),
                              .see = see,
                              .seen_at_least = seen_at_least,
                              .seen_distances = seen_distances,
                              .bound = f,
                              .thickness = thickest,
                              .origin = f->places[0].segment};
}
