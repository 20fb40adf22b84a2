// SPDX-License-Identifier: Apache-2.0
//
// The coarse correction of flesh. Rounds even out differences between neighbours fast, but take
// hundreds to move a whole cheek sideways, or its skin over its fascia: both are held softly, and a
// round moves a pull on by one column. So columns form clusters, and every round also moves these,
// by what the forces on all of their columns together ask for:
//
//     correction = P (P' H P)^-1 P' f
//
// P gives each column shares of up to four clusters near it (a partition of unity), for x and for y
// alike; f are the forces on columns, and H is the stiffness of flesh in which rotations are held:
//
//     H = (fat + volume / 3, bending, fascia) + slope of the skin + (slide + n n' hold) area
//
// each a Laplacian of triangles or prisms. The matrix has 3 x 3 blocks, two rows of them for a
// cluster, is made when a solve begins, and is solved exactly (blocks.h). The correction is added
// to the step of a round, and acceleration acts on both: a preconditioner of two levels (Smith,
// Bjorstad and Gropp, "Domain decomposition", 1996).
#ifndef SINEW_SOLVER_FLESH_COARSE_H
#define SINEW_SOLVER_FLESH_COARSE_H

#include "solver/flesh_internal.h"

// Once: clusters of about desc->cluster columns.
sn_status sni_flesh_coarse_create(const sni_columns *columns, const sni_columns_desc *desc,
                                  sni_flesh_coarse **coarse, sn_error *error);
void sni_flesh_coarse_destroy(sni_flesh_coarse *coarse);       // NULL is allowed
size_t sni_flesh_coarse_bytes(const sni_flesh_coarse *coarse); // NULL is allowed

// Memory for a solve; NULL when it runs out.
typedef struct sni_flesh_correction sni_flesh_correction;
sni_flesh_correction *sni_flesh_correction_create(const sni_flesh_coarse *coarse, sni_arena *arena);

// Makes the matrix, for what holds the columns and the membrane's stiffness at each (padded x 4,
// the fourth number).
void sni_flesh_correction_begin(sni_flesh_correction *correction, const sni_columns_hold *hold,
                                const float *slopes);

// Adds what columns go by, for the forces on them, to the steps of a round (all padded x 4).
void sni_flesh_correct(sni_flesh_correction *correction, const float *skin_forces,
                       const float *fascia_forces, float *skin_step, float *fascia_step);

#endif
