// SPDX-License-Identifier: Apache-2.0
//
// The inside of a body as a graph: nodes of a grid that lie inside, and the vertices of its
// surface. Two nodes are linked where one can go straight from one to the other without leaving the
// body, so that legs that nearly touch are far from each other, however coarse the grid is.
#ifndef SINEW_FIT_BIND_VOLUME_H
#define SINEW_FIT_BIND_VOLUME_H

#include "base/context.h"
#include "fit/joined.h"
#include "sinew/geometry.h"

typedef struct sni_volume {
    sn_context *context;
    const sni_joined *skin;
    uint32_t *vertices; // triangles of the skin, those of closed parts outward
    sn_topology *topology;
    sn_accel *accel;
    // The grid: node (i, j, k) stands at origin + spacing (i, j, k).
    sn_vec3 origin;
    double spacing;
    uint32_t counts[3];
    uint32_t place_count;
    uint32_t *nodes; // place_count: number of the node, SN_NONE outside
    // Nodes: those of the grid, then the vertices that belong to a triangle.
    uint32_t inner_count;
    uint32_t node_count;
    sn_vec3 *points;        // node_count
    uint8_t *windings;      // inner_count: how many shells of the body are around it
    float *areas;           // node_count: of the surface around a vertex, in squares of the spacing
    uint32_t *vertex_nodes; // vertices of the skin: SN_NONE for those that are welded to others or
                            // belong to no triangle
    uint32_t *node_vertices; // node_count - inner_count
    uint32_t part_count;     // pieces of the surface that edges hold together
    uint32_t *parts;         // node_count - inner_count
    // Links of node n: [offsets[n], offsets[n + 1]), both ways.
    uint32_t *offsets; // node_count + 1
    uint32_t *others;
    float *conductances; // 1: between two nodes of the grid
} sni_volume;

// `resolution` is the number of nodes along the longest side. Fails with SN_LIMIT where the grid
// does not fit into the memory that the context may use. Keeps `skin`.
sn_status sni_volume_init(sn_context *context, const sni_joined *skin, uint32_t resolution,
                          const sn_progress *progress, sni_volume *volume, sn_error *error);
void sni_volume_deinit(sni_volume *volume);

// Links nodes with each other (volume_links.c).
sn_status sni_volume_link(sni_volume *volume, const sn_progress *progress, sn_error *error);

// A line of nodes along an axis, from a place outside the body.
typedef struct sni_volume_row {
    sn_vec3 origin, direction;
    uint32_t first, stride, count; // places
} sni_volume_row;

uint32_t sni_volume_row_count(const sni_volume *volume, int axis);
sni_volume_row sni_volume_row_at(const sni_volume *volume, int axis, uint32_t number);

// The next place at a distance from `from` to `to` where a ray meets the surface; 0 where there is
// none, 1 where it leaves a shell of the body there, -1 where it enters one. Sets `from` behind it.
int sni_volume_cross(const sni_volume *volume, sn_vec3 origin, sn_vec3 direction, double *from,
                     double to);

// Whether the straight way from a node of the grid to a point stays inside the body. What happens
// in the last `slack` of it does not count.
bool sni_volume_sees(const sni_volume *volume, uint32_t node, sn_vec3 point, double slack);

// The corners of the cell around a point and, with a margin, those around it: fills `nodes` with
// those inside and returns their number, 8 (2 + 2 margin)^3 at most.
enum { SNI_VOLUME_NEAR = 64 };
uint32_t sni_volume_near(const sni_volume *volume, sn_vec3 point, uint32_t margin,
                         uint32_t nodes[SNI_VOLUME_NEAR]);

#endif
