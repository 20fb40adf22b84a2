// SPDX-License-Identifier: Apache-2.0
//
// Eigenvectors of symmetric matrices of any size.
#ifndef SINEW_BASE_EIGEN_H
#define SINEW_BASE_EIGEN_H

#include "base/memory.h"

// Eigenvalues of a symmetric matrix (size x size; its values are lost) by falling value, and its
// eigenvectors as the rows of `vectors` (size x size), of unit length. Equal matrices
// give equal bits.
sn_status sni_eigen(sn_context *context, double *matrix, uint32_t size, double *values,
                    double *vectors, sn_error *error);

#endif
