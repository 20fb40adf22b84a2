// SPDX-License-Identifier: Apache-2.0
//
// How a membrane lies in memory, and one round over it. Within solver/membrane*.c.
//
// Vertices stand at places: neighbours near each other, and within windows by falling number of
// neighbours, so that the eight vertices of a slice have about as many. A slice's springs stand in
// rows of eight, one for each of its vertices:
//
//     slice s    vertices 8s .. 8s + 7
//     rows       starts[s] .. starts[s + 1] - 1, row r with springs 8r .. 8r + 7
//
// A vertex with fewer neighbours than rows has springs to itself, of stiffness 0.
//
// Larger skins do not fit the cache: rounds one after the other would read all springs from memory
// each time. Vertices are cut into tiles that fit, and a tile makes several rounds of a group
// before the next one comes. Tiles run in ranks; a round of a vertex is made by the last of the
// tiles that made the round before of it and its neighbours, which is when all that it reads is
// there:
//
//     rounds  4   0 0 0 1 1 1 1 1 1 1 1 1 1 1 0 0
//             3   0 0 0 0 1 1 1 1 1 1 1 1 1 0 0 0     tile 0 loses a ring of vertices with each
//             2   0 0 0 0 0 1 1 1 1 1 1 1 0 0 0 0     round, tile 1 fills the gap
//             1   0 0 0 0 0 0 1 1 1 1 1 0 0 0 0 0
//
// So every vertex goes its way through tiles (0 0 0 1). Slices hold vertices of one way; slices in
// succession of one way are a run. Tiles that do not wait for each other are a wave and run at
// once. Each number is made once, by the same operations as one round after the other: the bits are
// equal. Rounds t and t + 1 need two arrays of points, since a vertex is overwritten by round t + 1
// when its neighbours have made round t.
#ifndef SINEW_SOLVER_MEMBRANE_INTERNAL_H
#define SINEW_SOLVER_MEMBRANE_INTERNAL_H

#include "base/memory.h"
#include "base/simd.h"
#include "solver/membrane.h"

enum {
    SNI_MEMBRANE_GRAIN = 64,  // slices of a run at most
    SNI_MEMBRANE_DEPTH = 5,   // rounds of a group at most
    SNI_MEMBRANE_TILE = 4096, // vertices: with those it takes over 0.9 MB
};

typedef struct sni_membrane_wave {
    uint32_t first, count; // of its tiles
    uint32_t most;         // slices of all rounds of the largest
    uint64_t work;         // of all
} sni_membrane_wave;

typedef struct sni_membrane_schedule {
    uint32_t tile_count, wave_count;
    sni_membrane_wave *waves;
    uint32_t *tiles;   // tile_count: by wave
    uint32_t *lists;   // tile_count x SNI_MEMBRANE_DEPTH + 1: where the runs of a round begin
    uint32_t *entries; // runs
} sni_membrane_schedule;

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
    uint32_t run_count;
    uint32_t *runs; // run_count + 1: the first slice of each
    sni_membrane_schedule schedule;
    double total;        // sum of D
    double anchor_share; // sum of k_a over that of D
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

static inline uint32_t sni_membrane_degree(const sni_membrane_springs *springs, uint32_t vertex) {
    return springs->offsets[vertex + 1] - springs->offsets[vertex];
}

// Arrays of `springs` are freed by the caller, also after a failure.
sn_status sni_membrane_springs_make(sn_context *context, const sni_membrane_desc *desc,
                                    sni_membrane_springs *springs, sn_error *error);
void sni_membrane_springs_free(sn_context *context, sni_membrane_springs *springs);

// Whether neighbours rise, and each spring stands at both of its ends with the same numbers, none
// of which is negative.
bool sni_membrane_springs_are_valid(const sni_membrane_springs *springs, uint32_t vertex_count);

// Puts the springs in order: all arrays of the membrane, which its destroyer frees.
sn_status sni_membrane_lay_out(sni_membrane *membrane, const sni_membrane_desc *desc,
                               const sni_membrane_springs *springs, sn_error *error);

// The order of vertices, and the rank of each slice's tile, which the caller frees.
sn_status sni_membrane_order_make(sni_membrane *membrane, const sni_membrane_desc *desc,
                                  const sni_membrane_springs *springs, uint32_t **ranks,
                                  sn_error *error);

// Runs and schedule of a membrane whose springs are laid out.
sn_status sni_membrane_schedule_make(sni_membrane *membrane, const uint32_t *ranks,
                                     sn_error *error);
void sni_membrane_schedule_free(sn_context *context, sni_membrane_schedule *schedule);
size_t sni_membrane_schedule_bytes(const sni_membrane *membrane);

// Whether tiles keep so many threads busy.
bool sni_membrane_schedule_pays(const sni_membrane_schedule *schedule, uint32_t threads);

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
    // One number for each run.
    double *largest;   // squared length of a relaxation vector
    double *residuals; // sum of D |d|^2
    double *energies;  // at `now`
} sni_membrane_round;

// Rounds that follow each other, SNI_MEMBRANE_DEPTH at most: each reads what the one before wrote.
// They may share two arrays of points, and `before` may be `next`.
void sni_membrane_rounds_run(const sni_membrane_round *rounds, uint32_t count);

#endif
