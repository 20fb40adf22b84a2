// SPDX-License-Identifier: Apache-2.0
//
// What anchors are made of. Within skin/anchors*.c.
#ifndef SINEW_SKIN_ANCHORS_INTERNAL_H
#define SINEW_SKIN_ANCHORS_INTERNAL_H

#include "base/memory.h"
#include "geometry/trilinear.h"
#include "kind/slices.h"
#include "skin/anchors.h"

// What moves the points of a component.
typedef enum sni_anchor_kind {
    SNI_ANCHOR_RIGID,
    SNI_ANCHOR_AFFINE,
    SNI_ANCHOR_SECTION,
    SNI_ANCHOR_SURFACE
} sni_anchor_kind;

typedef struct sni_bound_component {
    sni_anchor_kind kind;
    uint32_t segment;
    uint32_t vertex_count; // of its points in a pose
    sn_mat4 to_segment;    // rigid: from the world at rest to the segment's coordinates
    // Affine: vertices at rest about their mean, times the inverse of the sum of their squares.
    sn_vec3 mean;
    float *factors; // vertex_count x 3
} sni_bound_component;

// A point on a component that deforms, other than affinely. R = F_now F_rest^T turns with it.
typedef struct sni_deep_anchor {
    uint32_t corners[8]; // vertices: of a cell, or three of a triangle, then SN_NONE
    double q[3];         // parameters, or barycentric coordinates
    sn_vec3 residual;    // of the virtual anchor, at rest
    sn_vec3 axes[3];     // F_rest
    double scale;        // of lengths from the body that the skin was made for to that followed
    sni_inverse_kind found;
} sni_deep_anchor;

// A component that a point hangs on, and by how much. At most so many of a point.
typedef struct sni_tie {
    uint32_t component;
    uint32_t deep; // its deep anchor there, or SN_NONE
    float weight;  // of all ties of a point: 1
} sni_tie;

enum { SNI_MOST_TIES = 4 };

struct sni_anchors {
    sn_context *context;
    uint32_t point_count, component_count, segment_count;
    sni_bound_component *components;
    uint32_t *owners;     // point_count: component
    uint32_t *tie_starts; // point_count + 1
    sni_tie *ties;        // the first of each point is that to its owner
    float *points;        // point_count x 3: given
    float *rest;          // point_count x 3: virtual anchors
    float *spheres; // point_count x 5: centre less virtual anchor, radius, and the distance of
                    // the centre from the component's surface; or NULL
    float *maps;    // point_count x 9, or NULL: see sni_anchors_maps
    uint32_t deep_count;
    sni_deep_anchor *deep_anchors;
};

// The corners of a cell among `vertices` (x 3).
static inline sni_cell sni_load_cell(const float *vertices, const uint32_t corners[8]) {
    sni_cell cell;
    for (int k = 0; k < 8; ++k) {
        cell.corners[k] = sn_vec3_load(vertices + 3 * (size_t)corners[k]);
    }
    return cell;
}

// F_now F_rest^T v
static inline sn_vec3 sni_turn(const sn_vec3 now[3], const sn_vec3 rest[3], sn_vec3 v) {
    sn_vec3 turned = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        turned = sn_vec3_add_scaled(turned, sn_vec3_dot(rest[k], v), now[k]);
    }
    return turned;
}

// Makes the mean and the factors of a component of these vertices. The factors are freed by the
// caller.
sn_status sni_prepare_affine(sn_context *context, const float *vertices, sni_bound_component *bound,
                             sn_error *error);

// The affine map that takes a component's vertices at rest to where they are, in least squares:
// A = sum (p - mean p) f^T with the factors f of the rest.
sn_mat4 sni_fit_affine(const sni_bound_component *bound, const float *points);

// Makes the ties (anchors_spread.c), with no deep anchors yet. `sizes` of components are radii of
// spheres that have their areas.
sn_status sni_anchors_spread(sni_anchors *anchors, const sni_anchors_desc *desc,
                             const double *sizes, sn_error *error);

// A point on its way to the cell of a component's slices that it lies in (anchors_section.c).
typedef struct sni_section_walk {
    const sni_component *component;
    const float *vertices; // of the component
    sn_vec3 at;
    uint32_t next;         // slice before the cell to look in; SN_NONE: the walk is at its end
    uint32_t slice;        // before the cell where it has come to
    int way;               // along the slices from there; 0: it has not begun, or none
    sni_inverse best;      // of the point there
    sni_deep_anchor *deep; // made at the end
} sni_section_walk;

enum { SNI_SECTION_WALKS = 64 };

typedef struct sni_section_walks {
    uint32_t count;
    sni_section_walk list[SNI_SECTION_WALKS];
} sni_section_walks;

// Adds a walk that begins at `next`, the slice nearest to the point. Walks run when there are
// enough of them, and when they are asked to; then there are none.
void sni_section_walks_add(sni_section_walks *walks, sni_section_walk walk);
void sni_section_walks_run(sni_section_walks *walks);

// The strips of a component as a field (anchors_strips.c).
sn_status sni_anchors_make_field(sn_context *context, const sni_component *component,
                                 sni_slice_field **field, sn_error *error);

// Splits the ties to components that have fields (component_count, NULL: it has none) into one for
// each strip, in order. No tie has a deep anchor yet. `cells` of ties to strips are where the point
// is in them; freed by the caller, also after a failure.
sn_status sni_anchors_split(sni_anchors *anchors, sni_slice_field *const *fields,
                            sni_slice_tie **cells, sn_error *error);

// The deep anchor of a point that has a tie to a cell of a component's strips.
void sni_anchors_find_strip(const sni_anchors *anchors, const sni_component *component,
                            const sni_slice_tie *tie, uint32_t point, sni_deep_anchor *deep);

// How the surroundings of each point are stretched on the body that is followed (anchors_follow.c):
// fills `maps` and the scales of deep anchors. `shapes` are those of the components.
sn_status sni_anchors_follow(sni_anchors *anchors, const sni_anchors_desc *desc,
                             sni_component_shape *const *shapes, sn_error *error);

#endif
