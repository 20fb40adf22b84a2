// SPDX-License-Identifier: Apache-2.0
//
// Connected muscles (section 4.3 of the thesis).
#ifndef SINEW_MUSCLE_GRAPH_NEIGHBOURS_H
#define SINEW_MUSCLE_GRAPH_NEIGHBOURS_H

#include "muscle/graph/graph.h"

// A muscle among those that are posed together, placed as if it were alone.
typedef struct sni_graph_part {
    const sni_graph *graph;
    const sni_muscle_pose_job *job;
    uint32_t number; // as inputs name it
    double part;     // of its flesh's length that contraction takes
    sni_graph_pose pose;
    sn_vec3 *moves; // written, in the arena: of its knots, as seen from its home; NULL: none moves
} sni_graph_part;

// Keeps what pulls the knots of a muscle, of its input.
sn_status sni_graph_take_springs(sni_graph *graph, const sni_muscle_job *job,
                                 const sni_neighbours_input *input, sn_error *error);

// Finds how far neighbours move knots. Fails for want of memory only.
sn_status sni_graph_find_moves(uint32_t count, sni_graph_part *parts, sni_arena *arena,
                               sn_error *error);

// What a muscle whose knots swing remembers, in bytes; 0 for others.
size_t sni_graph_state_bytes(const sni_graph *graph);
void sni_graph_state_reset(const sni_graph *graph, void *state);

#endif
