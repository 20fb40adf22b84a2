// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_RENDER_SAMPLE_H
#define SINEW_RENDER_SAMPLE_H

#include "sinew/vector.h"

// A well-mixed number of two, for seeds.
uint32_t sni_hash(uint32_t a, uint32_t b);

// Point `index` of an evenly spread sequence in the unit square. Each seed gives a sequence of its
// own, unrelated to the others.
void sni_sample_square(uint32_t index, uint32_t seed, double *u, double *v);

// A direction about the unit vector `normal` with a density in proportion to the cosine.
sn_vec3 sni_sample_cosine(sn_vec3 normal, double u, double v);

// A point of the unit disc, evenly.
void sni_sample_disc(double u, double v, double *x, double *y);

#endif
