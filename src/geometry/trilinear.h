// SPDX-License-Identifier: Apache-2.0
//
// Cells with eight corners and the map from parameters (s, t, u) to points in them that is linear
// in each parameter, and its inverse (Wilhelms and Van Gelder, "Anatomically Based Modeling", 1997,
// section 5.1).
//
//     T(s, t, u) = sum_k w_k P_k,   corner k at s = bit 0, t = bit 1, u = bit 2 of k
//
// Cells that share a face agree on it: their maps join continuously.
#ifndef SINEW_GEOMETRY_TRILINEAR_H
#define SINEW_GEOMETRY_TRILINEAR_H

#include "sinew/vector.h"

typedef struct sni_cell {
    sn_vec3 corners[8];
} sni_cell;

sn_vec3 sni_cell_point(const sni_cell *cell, const double q[3]);

// The derivatives of the map after s, t and u.
void sni_cell_jacobian(const sni_cell *cell, const double q[3], sn_vec3 columns[3]);

// The frame that turns with the cell: half way between s and t, across that towards t, and the
// normal of both, right-handed. A mirrored cell, where s and t are exchanged, turns the mirrored
// way. Axes that have no direction are made up.
void sni_cell_frame(const sni_cell *cell, const double q[3], sn_vec3 axes[3]);

// How an inverse was found. The numbers are kept for ever.
typedef enum sni_inverse_kind {
    SNI_INVERSE_NEWTON = 0,  // from the affine estimate
    SNI_INVERSE_STARTS = 1,  // from 27 other starts
    SNI_INVERSE_CLOSEST = 2, // there is none within the limits: the closest point of them
} sni_inverse_kind;

typedef struct sni_inverse {
    sni_inverse_kind kind;
    double q[3];
    sn_vec3 residual; // point - T(q); SNI_INVERSE_CLOSEST: not small
} sni_inverse;

// The parameters of a point, within [low, high]. Newton's method, damped; where it fails from the
// affine estimate, the parameters nearest to the middle that it finds from 27 other starts; else
// those of the closest point. Always gives finite numbers for finite ones.
sni_inverse sni_cell_invert(const sni_cell *cell, sn_vec3 point, const double low[3],
                            const double high[3]);

// A point to be found in a cell.
typedef struct sni_cell_job {
    sni_cell cell;
    sn_vec3 point;
    double low[3], high[3];
} sni_cell_job;

// The same for many: several are looked for at once.
void sni_cell_invert_all(const sni_cell_job *jobs, uint32_t count, sni_inverse *inverses);

#endif
