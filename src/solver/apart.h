// SPDX-License-Identifier: Apache-2.0
//
// Keeps the particles of a sheet apart, so that its folds do not pass through each other.
#ifndef SINEW_SOLVER_APART_H
#define SINEW_SOLVER_APART_H

#include "base/arena.h"
#include "sinew/vector.h"

// What is kept apart. The arrays are borrowed.
typedef struct sni_apart {
    uint32_t particle_count;
    const double *inverse_masses;
    const double *rest; // #P x 3: pairs that are nearer than `distance` there are left alone
    double distance;    // greater than 0
    double friction;
} sni_apart;

// The particles in the cells of a grid.
typedef struct sni_apart_grid {
    int32_t *cells;    // #P x 3
    uint32_t *starts;  // bucket_count + 1
    uint32_t *members; // #P: by bucket, rising within each
    uint32_t bucket_count;
} sni_apart_grid;

// Memory from an arena; false when it runs out.
bool sni_apart_grid_init(uint32_t particle_count, sni_arena *arena, sni_apart_grid *grid);

// Pushes apart the particles that are too near; they were at `before` when the step began. Pairs
// are taken by rising numbers, on one thread. What was too near before the step already gives no
// speed.
void sni_apart_solve(const sni_apart *apart, const sni_apart_grid *grid, double *positions,
                     double *before);

#endif
