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

// A muscle as a solid, for those who need to know what lies inside of it: one or several bodies,
// such as its fibres, each of them like a distance in metres, negative inside, with its gradient,
// which points outwards. `points` are the control points of a pose (the contracted ones), NULL: it
// is at rest. Where a point near by was asked about before, `place` says where along the body that
// was, which makes the answer quicker: SN_NONE at first, and written; NULL: nobody asks again.
typedef struct sni_muscle_solid {
    uint32_t count; // of its bodies; 0: it is no solid
    double (*distance)(const void *bound, const double *points, uint32_t body, sn_vec3 at,
                       uint32_t *place, sn_vec3 *gradient);
    // The box of a body's surface. The distance at a point is at least that to this box.
    void (*box)(const void *bound, const double *points, uint32_t body, sn_vec3 *low,
                sn_vec3 *high);
    // Bodies of a pose are asked often: `make_ready` notes in `ready_bytes` of memory, aligned as
    // doubles, what the answers share; `points` must stay. `ready_distance` is then the distance.
    // `at_least` is a number that the distance at a point is not below, and at places further away
    // not by more than they are away; it is close enough once it is `enough`.
    size_t ready_bytes;
    void (*make_ready)(const void *bound, const double *points, uint32_t body, void *ready);
    double (*at_least)(const void *ready, sn_vec3 at, double enough);
    double (*ready_distance)(const void *ready, sn_vec3 at, uint32_t *place, sn_vec3 *gradient);
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
