// SPDX-License-Identifier: Apache-2.0
//
// How columns lie in memory, and the passes of one round over them. Within solver/flesh*.c.
//
// Triangles stand in groups of eight; numbers of a group stand lane by lane, one row of eight for
// each of the constants below. The last group is filled up with triangles at column 0 whose
// constants are all 0.
//
//     forces   each triangle writes what it does to its six corners
//     gather   each column sums up what its triangles wrote, in rising order, adds what acts on
//              columns alone, and divides by its stiffness: the step that it would make by itself
//     move     an accelerated step, with the coarse correction
//
// No two threads write to one place, and no sum depends on how many there are.
#ifndef SINEW_SOLVER_FLESH_INTERNAL_H
#define SINEW_SOLVER_FLESH_INTERNAL_H

#include "base/memory.h"
#include "base/simd.h"
#include "solver/flesh.h"

// Rows of a group's constants. B is the inverse of a triangle's edges at rest in its own plane
// (upper triangular), G the inverse of its prism's, by rows.
enum {
    SNI_FLESH_SKIN_B,                            // 3: b00 b01 b11
    SNI_FLESH_SKIN_K = SNI_FLESH_SKIN_B + 3,     // k_m A
    SNI_FLESH_FASCIA_B = SNI_FLESH_SKIN_K + 1,   // 3
    SNI_FLESH_FASCIA_K = SNI_FLESH_FASCIA_B + 3, // k_f A
    SNI_FLESH_PRISM_G = SNI_FLESH_FASCIA_K + 1,  // 9
    SNI_FLESH_PRISM_K = SNI_FLESH_PRISM_G + 9,   // k_p V
    SNI_FLESH_VOLUME_K = SNI_FLESH_PRISM_K + 1,  // k_v V
    SNI_FLESH_VOLUME = SNI_FLESH_VOLUME_K + 1,   // V
    SNI_FLESH_BEND = SNI_FLESH_VOLUME + 1,       // 6: half of what rods 1 and 2 differ from rod 0
    SNI_FLESH_BEND_K = SNI_FLESH_BEND + 6,       // 3: k_b k_p V M, M symmetric: m11 m12 m22
    SNI_FLESH_ROWS = SNI_FLESH_BEND_K + 3,
};

// What columns have of their own.
enum {
    SNI_COLUMN_SKIN_D,   // stiffness of prisms at x
    SNI_COLUMN_FASCIA_D, // of prisms and the fascia at y
    SNI_COLUMN_AREA,     //
    SNI_COLUMN_LENGTH,   // of its rod at rest; 0: it has none
    SNI_COLUMN_NUMBERS,
};

// Groups and columns of a block: some ten microseconds. Columns are a multiple of eight.
enum { SNI_FLESH_GROUP_GRAIN = 32, SNI_FLESH_COLUMN_GRAIN = 256 };

typedef struct sni_flesh_coarse sni_flesh_coarse;

struct sni_columns {
    sn_context *context;
    uint32_t column_count, padded_count; // to a multiple of eight
    uint32_t triangle_count, group_count;
    uint32_t prism_count;
    uint32_t *corners; // group_count x 3 x 8: four times the column
    float *constants;  // group_count x SNI_FLESH_ROWS x 8
    float *numbers;    // padded_count x SNI_COLUMN_NUMBERS
    float *freedom;    // padded_count: 1, or 0 for pinned columns
    uint32_t *starts;  // padded_count + 1
    uint32_t *slots;   // where forces on a column are written: four times the place
    sni_flesh_stiffness stiffness;
    double largest;           // eigenvalue of a round
    double largest_corrected; // of one with the coarse correction
    sni_flesh_coarse *coarse; // NULL: there is none
};

// One round.
typedef struct sni_flesh_round {
    const sni_columns *columns;
    const sni_columns_hold *hold;
    const float *skin, *fascia; // padded_count x 4: now
    float *rotations;           // group_count x 4 x 8
    uint32_t turns;             // of rotations before forces are computed
    float *corner_forces;       // [skin, fascia][corner][triangle][4]; the fourth number of a skin
                                // corner is the membrane's stiffness there
    float *skin_step, *fascia_step; // padded_count x 4: written by gather; the fourth number of a
                                    // skin's step is the membrane's stiffness there
    float *skin_forces, *fascia_forces; // padded_count x 4; NULL: not asked for
    float *skin_next, *fascia_next;     // as the round before had them, and overwritten by move
    float length, omega;                // next = next + omega (now + length step - next)
    float *largest;                     // squared step, one for each block of columns
} sni_flesh_round;

void sni_flesh_forces_run(const sni_flesh_round *round);
void sni_flesh_gather_run(const sni_flesh_round *round);
void sni_flesh_move_run(const sni_flesh_round *round);

// The same in double, one triangle and column after the other: skin_step, fascia_step and forces
// are written. The reference that kernels are compared with.
typedef struct sni_flesh_reference {
    const sni_columns *columns;
    const sni_columns_hold *hold;
    const double *skin, *fascia; // column_count x 3
    double *rotations;           // triangle_count x 4
    uint32_t turns;
    double *skin_step, *fascia_step; // column_count x 3
    double *forces;                  // column_count x 6: on x and y, before division
    double *scratch;                 // column_count x 8
} sni_flesh_reference;
void sni_flesh_reference_run(const sni_flesh_reference *reference);

// Rest quantities of triangles and columns.
sn_status sni_flesh_elements_make(sni_columns *columns, const sni_columns_desc *desc,
                                  sn_error *error);

// The largest eigenvalues, without and with the coarse correction.
sn_status sni_flesh_find_eigenvalues(sni_columns *columns, const sni_columns_desc *desc,
                                     sn_error *error);

// A number of a triangle, and the columns at its corners.
static inline float sni_flesh_constant(const sni_columns *c, uint32_t triangle, uint32_t row) {
    return c->constants[((size_t)(triangle / SNI_WIDTH) * SNI_FLESH_ROWS + row) * SNI_WIDTH +
                        triangle % SNI_WIDTH];
}

static inline uint32_t sni_flesh_corner(const sni_columns *c, uint32_t triangle, uint32_t corner) {
    return c->corners[((size_t)(triangle / SNI_WIDTH) * 3 + corner) * SNI_WIDTH +
                      triangle % SNI_WIDTH] /
           4;
}

#endif
