// SPDX-License-Identifier: Apache-2.0
//
// How a membrane lies in memory, and one round over it. Within solver/membrane*.c.
//
// Vertices stand at places: along a space-filling curve, so that neighbours are near, and within
// windows of it by falling number of neighbours, so that the eight vertices of a slice have about
// as many. A slice's springs stand in rows of eight, one for each of its vertices:
//
//     slice s    vertices 8s .. 8s + 7
//     rows       starts[s] .. starts[s + 1] - 1, row r with springs 8r .. 8r + 7
//
// A vertex with fewer neighbours than rows has springs to itself, of stiffness 0.
#ifndef SINEW_SOLVER_MEMBRANE_PARTS_H
#define SINEW_SOLVER_MEMBRANE_PARTS_H

#include "base/memory.h"
#include "base/simd.h"
#include "solver/membrane.h"

struct sni_membrane {
    sn_context *context;
    uint32_t vertex_count;
    uint32_t slice_count;
    uint32_t *order;      // slice_count x 8: the vertex at each place, SN_NONE for none
    uint32_t *starts;     // slice_count + 1
    uint32_t *neighbours; // rows x 8: four times the place at the other end
    float *stiffness;     // rows x 8: k_e
    float *inverse_rest;  // rows x 8: 1 / r
    float *anchor;        // slice_count x 8: k_a
    float *inverse_total; // slice_count x 8: 1 / D, 0 without springs
    double total;         // sum of D
    double anchor_share;  // sum of k_a over that of D
    double push, transition;
};

// Springs at each vertex: those of vertex v are [offsets[v], offsets[v + 1]), by rising neighbour.
typedef struct sni_membrane_springs {
    uint32_t *offsets;    // vertex_count + 1
    uint32_t *neighbours; // the other ends
    double *stiffness;    // k_e
    double *lengths;      // as extracted
    double *rests;        // rest lengths
    double *areas;        // vertex_count: sum of a_i
    double mean_edge;     // 0 without edges
} sni_membrane_springs;

// Arrays of `springs` are freed by the caller, also after a failure.
sn_status sni_membrane_springs_make(sn_context *context, const sni_membrane_desc *desc,
                                    sni_membrane_springs *springs, sn_error *error);
void sni_membrane_springs_free(sn_context *context, sni_membrane_springs *springs);

// Puts the springs in order: all arrays of the membrane, which its destroyer frees.
sn_status sni_membrane_lay_out(sni_membrane *membrane, const sni_membrane_desc *desc,
                               const sni_membrane_springs *springs, sn_error *error);

// One round. Points are places x 4 (x, y, z and a number that does not count).
typedef struct sni_membrane_round {
    const sni_membrane *membrane;
    const float *before;  // of the round before; NULL: a plain step
    const float *now;     // read
    float *next;          // written
    const float *anchors; // places x 4: x, y, z, k_a
    const float *spheres; // places x 4, or NULL
    float omega, length;  // of a Chebyshev step: next = before + omega (now + length d - before)
    bool measures_energy;
    bool paper_steps;
    // One number for each block of SNI_MEMBRANE_GRAIN slices.
    double *largest;   // squared length of a relaxation vector
    double *residuals; // sum of D |d|^2
    double *energies;  // at `now`
} sni_membrane_round;

enum { SNI_MEMBRANE_GRAIN = 64 };

void sni_membrane_round_run(const sni_membrane_round *round);

#endif
