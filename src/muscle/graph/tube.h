// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_MUSCLE_GRAPH_TUBE_H
#define SINEW_MUSCLE_GRAPH_TUBE_H

#include "muscle/graph/make.h"

// A circle of the surface, and where it is.
typedef struct sni_graph_station {
    sni_graph_frame frame;
    double radii[2]; // along z of the frame, and along y, away from the bone
} sni_graph_station;

// The circle at a point: there is one for each (circles.c).
const sni_graph_circle *sni_graph_circle_at(const sni_graph_input *input, uint32_t point);

// All circles between a point and its parent, in the arena. False when memory runs out.
bool sni_graph_find_stations(const sni_graph_making *making, uint32_t point, uint32_t sides,
                             uint32_t *count, sni_graph_station **stations);

// A closed surface around the graph, made of the circles of the input: tubes from circle to circle,
// joined where branches meet, subdivided.
sn_status sni_graph_tube_mesh(const sni_graph_making *making, sn_mesh **mesh, sn_error *error);

#endif
