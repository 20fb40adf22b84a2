// SPDX-License-Identifier: Apache-2.0
//
// A muscle as others see it: what muscles offer and deformers take.
#ifndef SINEW_KIND_MUSCLE_SURFACE_H
#define SINEW_KIND_MUSCLE_SURFACE_H

#include "base/digest.h"
#include "geometry/nurbs.h"
#include "kind/component.h"
#include "sinew/vector.h"

// A place of the skin above a muscle or on its curves, from where distances along the skin are
// measured.
typedef struct sni_muscle_trace {
    uint32_t vertices[3]; // around it
    sn_vec3 point;
} sni_muscle_trace;

// Eight places at once, and what a body says about them: distances, and gradients.
enum { SNI_SOLID_LANES = 8 };

typedef struct sni_solid_places {
    float x[SNI_SOLID_LANES], y[SNI_SOLID_LANES], z[SNI_SOLID_LANES];
    float box[6]; // around them: low x, y, z, high x, y, z
} sni_solid_places;

typedef struct sni_solid_distances {
    float distances[SNI_SOLID_LANES];
    float x[SNI_SOLID_LANES], y[SNI_SOLID_LANES], z[SNI_SOLID_LANES];
    float bound; // as of `seen_at_least`, for a box around these places alone
} sni_solid_distances;

// How somebody sees bodies: what is in one place of the world is in another for him, and lengths
// are shorter by a factor.
typedef struct sni_solid_view {
    sn_mat4 back; // from the world
    double scale; // of the world, above 0
} sni_solid_view;

// A muscle as a solid, for those who need to know what lies inside of it: one or several bodies,
// such as its fibres, each of them like a distance in metres, negative inside, with its gradient,
// which points outwards. `points` are the control points of a pose (the contracted ones), NULL: it
// is at rest.
typedef struct sni_muscle_solid {
    uint32_t count; // of its bodies; 0: it is no solid
    double (*distance)(const void *bound, const double *points, uint32_t body, sn_vec3 at,
                       sn_vec3 *gradient);
    // The box of a body's surface. The distance at a point is at least that to this box.
    void (*box)(const void *bound, const double *points, uint32_t body, sn_vec3 *low,
                sn_vec3 *high);
    // Bodies of a pose are asked often, in floats: `see` notes in `seen_bytes` of memory, aligned
    // as doubles, how a body looks to somebody. `seen_at_least` is then a number that no distance
    // within a box (low x, y, z, high x, y, z) is below, and no distance beside it by more than the
    // place is away from it.
    size_t seen_bytes;
    void (*see)(const void *bound, const double *points, uint32_t body, const sni_solid_view *view,
                void *seen);
    float (*seen_at_least)(sn_context *context, const void *seen, const float box[6]);
    void (*seen_distances)(sn_context *context, const void *seen, const sni_solid_places *places,
                           sni_solid_distances *distances);
    const void *bound;
    double thickness; // metres: largest distance of a surface from its middle line, at rest
    uint32_t origin;  // segment that it begins on, SN_NONE: that is not known
} sni_muscle_solid;

// Its surface at rest and relaxed, and its traces on the skin.
typedef struct sni_muscle_surface {
    const char *name;
    sni_digest digest;    // of what it was made from
    sni_nurbs nurbs;      // without points: it has none
    uint32_t trace_count; // 0: nothing is known of where it lies along the skin
    const sni_muscle_trace *traces;
    double trace_spacing; // largest distance of a place between traces from the nearest one
    // Muscles between bones have rings of vertices, of which their patch is made: the first
    // slice_count x ring_count vertices of their mesh, slice by slice. 0: there are none.
    uint32_t slice_count, ring_count;
    // Surfaces on strips: rows of rings of four control points; see sni_component.
    uint32_t strip_count;
    const sni_component_strip *strips;
    const float *strip_points; // point_count x 3: control points at rest
    bool carried;              // all of it goes with one segment, `segment`
    uint32_t segment;
    uint32_t point_count; // control points that `pose` writes
    sni_muscle_solid solid;
} sni_muscle_surface;

// Its control points in a pose, in the order of its nurbs.
typedef struct sni_muscle_points {
    const double *relaxed;    // counts[0] x counts[1] x 3
    const double *contracted; // the same
    sni_muscle_solid solid;   // as at rest, to be asked with the contracted points
} sni_muscle_points;

#endif
