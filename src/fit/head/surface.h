// SPDX-License-Identifier: Apache-2.0
//
// The outer skin of a head, as it is searched: what of a mesh can be seen from outside, without the
// bag of the mouth, the sockets of the eyes, teeth, eyeballs and lashes.
#ifndef SINEW_FIT_HEAD_SURFACE_H
#define SINEW_FIT_HEAD_SURFACE_H

#include "base/memory.h"
#include "fit/head/similarity.h"
#include "geometry/winding.h"
#include "sinew/geometry.h"

typedef struct sni_head_surface {
    sn_context *context;
    double size; // diagonal of the box around the outer triangles
    uint32_t vertex_count;
    float *positions;  // vertex_count x 3, of all vertices of the mesh
    uint32_t *welded;  // vertex_count: the vertex at the same place with the lowest number
    uint8_t *is_outer; // vertex_count: 1 where an outer triangle has the vertex or its welded one
    float *normals; // vertex_count x 3: of outer triangles alone, by area; 0 where there are none
    uint32_t triangle_count; // outer ones
    uint32_t *vertices;      // triangle_count x 3, welded
    uint8_t *border_edges;   // triangle_count: bit k is set where the edge from corner k on is a
                             // border
    sn_accel *accel;         // of the outer triangles
    sni_winding *winding;    // of them
    uint32_t hidden_count;   // triangles that cannot be seen from outside
    uint32_t loose_count;    // triangles of other pieces
} sni_head_surface;

// Finds the outer skin among the triangles of a mesh, whose points are `scale` times its positions.
// Fails with SN_INVALID where nothing of it can be seen from outside by its front.
sn_status sni_head_surface_create(const sn_mesh *mesh, double scale, sni_head_surface **surface,
                                  sn_error *error);

// The part of an outer skin that lies in a box of another head's coordinates, `pose` being the
// similarity from these to the skin, with all points times `scale`.
sn_status sni_head_surface_crop(const sni_head_surface *whole, double scale,
                                const sni_similarity *pose, sn_vec3 low, sn_vec3 high,
                                sni_head_surface **surface, sn_error *error);

// The box around the outer triangles.
void sni_head_surface_bounds(const sni_head_surface *surface, sn_vec3 *low, sn_vec3 *high);

void sni_head_surface_destroy(sni_head_surface *surface);

// A place on the skin.
typedef struct sni_skin_place {
    uint32_t triangle; // SN_NONE: nothing within reach
    double distance;
    sn_vec3 point;
    sn_vec3 normal;    // unit: between those of the corners
    double weights[3]; // of the corners
    bool on_border;    // the closest point lies on a border of the skin
} sni_skin_place;

// The place closest to a point, at most `radius` away.
void sni_head_surface_closest(const sni_head_surface *surface, sn_vec3 point, double radius,
                              sni_skin_place *place);

// How far a point lies below the skin; negative outside. Holes of the skin, such as those of eyes
// and neck, are bridged by the winding number.
double sni_head_surface_depth(const sni_head_surface *surface, sn_vec3 point,
                              sni_skin_place *place);

// The unit normal between the corners of an outer triangle.
sn_vec3 sni_head_surface_normal(const sni_head_surface *surface, uint32_t triangle,
                                const double weights[3]);

#endif
