// SPDX-License-Identifier: Apache-2.0
//
// Rotation, uniform scale and translation together: how a head stands and how large it is.
#ifndef SINEW_FIT_HEAD_SIMILARITY_H
#define SINEW_FIT_HEAD_SIMILARITY_H

#include "sinew/vector.h"

typedef struct sni_similarity {
    sn_quat rotation;
    double scale;
    sn_vec3 translation;
} sni_similarity;

static inline sni_similarity sni_similarity_identity(void) {
    return (sni_similarity){sn_quat_identity(), 1, {0, 0, 0}};
}

static inline sn_vec3 sni_similarity_point(const sni_similarity *s, sn_vec3 p) {
    return sn_vec3_add_scaled(s->translation, s->scale, sn_quat_rotate(s->rotation, p));
}

sni_similarity sni_similarity_invert(const sni_similarity *s);

// First b, then a.
sni_similarity sni_similarity_multiply(const sni_similarity *a, const sni_similarity *b);

// The similarity that takes `from` to `to` with the least sum of squared distances, each times its
// weight (NULL: 1), after Horn, Closed-form solution of absolute orientation using unit
// quaternions, 1987. False where the points do not say how to turn: fewer than three, or all on a
// line; then it translates only.
bool sni_similarity_fit(const sn_vec3 *from, const sn_vec3 *to, const double *weights,
                        uint32_t count, sni_similarity *fitted);

#endif
