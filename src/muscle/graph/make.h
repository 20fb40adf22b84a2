// SPDX-License-Identifier: Apache-2.0
//
// The making of a muscle of kind `graph`: what its steps share.
#ifndef SINEW_MUSCLE_GRAPH_MAKE_H
#define SINEW_MUSCLE_GRAPH_MAKE_H

#include "geometry/interior.h"
#include "muscle/graph/graph.h"

typedef struct sni_graph_making {
    const sni_muscle_job *job;
    const sni_graph_input *input;
    sni_arena *arena;
    sni_graph *graph;
    const sn_mesh *mesh;     // given, or made
    sni_interior interior;   // of the mesh
    double size;             // diagonal of its box
    sn_vec3 *points;         // count: control points at rest, in the world
    sni_graph_frame *frames; // count: in the world
    double *lengths;         // count: from points to their parents
    double *ways;            // count x count: along the graph
    bool *inside;            // count: whether a point is inside of the mesh
    sni_graph_ring *rings;   // count
    bool scaled;             // sections are scaled as they are, without expansion points
} sni_graph_making;

// Casts `count` rays around every control point of the belly.
sn_status sni_graph_find_rings(sni_graph_making *making, uint32_t count, sn_error *error);

// The frame at rest that is `along` the way from a point to its parent, 0 to 1, on the curve
// through the points (circles.c).
sni_graph_frame sni_graph_frame_between(const sni_graph_making *making, uint32_t point,
                                        double along);

// Places of the graph from which ways are averaged (ways.c).
typedef struct sni_graph_sample {
    sn_vec3 point;
    uint32_t edge; // on the way from that point to its parent
    double u;      // how far on it
    double beyond; // on a path's straight continuation: how far
    double length; // of the path that it stands for
} sni_graph_sample;

typedef struct sni_graph_samples {
    const sni_graph_making *making;
    double width; // sigma
    uint32_t count;
    sni_graph_sample *samples; // in the arena
    double *ways;              // count x points: along the graph; INFINITY to another graph
} sni_graph_samples;

sn_status sni_graph_samples_init(sni_graph_samples *samples, const sni_graph_making *making,
                                 sn_error *error);

// Ways from a place to all control points, each along its graph, the distances of the graphs from
// it, and where they are nearest. `scratch` has a number for each sample.
void sni_graph_ways_at(const sni_graph_samples *samples, sn_vec3 place, double *nearests,
                       sn_vec3 *feet, double *ways, double *scratch);

// Ties all vertices to control points (weights.c).
sn_status sni_graph_find_ties(sni_graph_making *making, sn_error *error);

#endif
