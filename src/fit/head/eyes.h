// SPDX-License-Identifier: Apache-2.0
//
// Where the eyes of a head are.
#ifndef SINEW_FIT_HEAD_EYES_H
#define SINEW_FIT_HEAD_EYES_H

#include "fit/head/surface.h"

typedef struct sni_ball {
    sn_vec3 center;
    double radius;
} sni_ball;

// The ball nearest to points in the least squares of |p - c|^2 - r^2, after those that lie farthest
// from it are left out, and the mean distance `off` of the others from it. `fitted` is false where
// there are too few points, or they lie on no ball. Fails only when memory runs out.
sn_status sni_ball_fit(sn_context *context, uint32_t count, const sn_vec3 *points, sni_ball *ball,
                       double *off, bool *fitted, sn_error *error);

// Looks for an eyeball, or a socket that fits one, around where an eye is expected: among points of
// the mesh that are no part of its outer skin. Fails only when memory runs out; `found` is false
// where there is none, and `ball` is then as before.
sn_status sni_find_eye(const sni_head_surface *skin, sni_ball *ball, bool *found, sn_error *error);

// Puts a ball behind closed lids: moves it along `back` until no part of its front stands out of
// the skin. Where the skin has a hole before it, as open lids have, it stays.
void sni_hide_eye(const sni_head_surface *skin, sn_vec3 back, sni_ball *ball);

#endif
