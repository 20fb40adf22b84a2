// SPDX-License-Identifier: Apache-2.0
//
// A driver mesh at rest as the registration of a wrap sees it: its triangles are the control
// elements. Made for one bind and thrown away after it.
//
// Vertices at the same place count as one for the way along the surface, so that a driver whose
// faces share places but not vertices (a soup, split normals, doubled faces) is still one surface.
#ifndef SINEW_SKIN_WRAP_SURFACE_H
#define SINEW_SKIN_WRAP_SURFACE_H

#include "geometry/tree.h"
#include "sinew/geometry.h"

// Numbers for the corners of a triangle: three transposes of four columns take eight of them.
enum { SNI_WRAP_CORNERS = 12 };

typedef struct sni_wrap_surface {
    sn_context *context;
    uint32_t vertex_count;  // of the driver
    const float *positions; // of the driver at rest, borrowed
    sn_triangles *triangles;
    uint32_t count; // triangles
    sni_tree tree;
    float *lane_triangles; // tree.node_count x SNI_TREE_WIDTH: triangles below each child
    double mean_edge;      // of the triangles' sides that have a length; 1 when none has
    sn_vec3 *centres;      // count: centroids
    double *radii;         // count: from the centroid to the farthest corner
    float *corners;        // count x SNI_WRAP_CORNERS: the corners side by side, then zeros
    // The way along the surface: places, the vertices of triangles with doubles taken together.
    uint32_t place_count;
    uint32_t *places;            // count x 3: the places of each triangle's corners
    uint32_t *place_vertices;    // place_count: the lowest vertex there
    uint32_t *neighbour_offsets; // place_count + 1
    uint32_t *neighbours;        // places joined by a side of a triangle
    float *neighbour_lengths;    // the lengths of those sides
    uint32_t *components;        // place_count: the lowest place that can be reached
} sni_wrap_surface;

// Fails with SN_INVALID when the driver has no triangle, else only when memory runs out.
sn_status sni_wrap_surface_init(sn_context *context, const sn_mesh *driver,
                                sni_wrap_surface *surface, sn_error *error);
void sni_wrap_surface_deinit(sni_wrap_surface *surface);

// The first two triangles of a face are a pair. Others are alone.
static inline uint32_t sni_wrap_first_of_pair(const sni_wrap_surface *surface, uint32_t element) {
    const uint32_t *faces = surface->triangles->faces;
    bool is_second = element > 0 && faces[element - 1] == faces[element] &&
                     (element == 1 || faces[element - 2] != faces[element]);
    return is_second ? element - 1 : element;
}

static inline uint32_t sni_wrap_last_of_pair(const sni_wrap_surface *surface, uint32_t element) {
    uint32_t first = sni_wrap_first_of_pair(surface, element), next = first + 1;
    return next < surface->count && sni_wrap_first_of_pair(surface, next) == first ? next : first;
}

static inline sn_vec3 sni_wrap_place(const sni_wrap_surface *surface, uint32_t place) {
    return sn_vec3_load(surface->positions + 3 * (size_t)surface->place_vertices[place]);
}

#endif
