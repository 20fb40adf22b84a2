// SPDX-License-Identifier: Apache-2.0
//
// The generic layout of facial muscles, as data.
#ifndef SINEW_FIT_FACE_MUSCLES_H
#define SINEW_FIT_FACE_MUSCLES_H

#include "fit/face_features.h"

// A place: a feature, or one on the way to a second, then moved outwards (away from the mid-line)
// and up, in eye distances.
typedef struct sni_face_place {
    sni_face_point from, to;
    double way; // 0 at `from`, 1 at `to`
    double out, up;
} sni_face_place;

typedef enum sni_face_shape {
    SNI_FACE_PAIR, // one on each side: two curves from origin to insertion
    SNI_FACE_MID,  // one on the mid-line: its second curve mirrors the first
    SNI_FACE_RING, // one around each eye: two closed curves
    SNI_FACE_RING_MID,
} sni_face_shape;

// Lengths are in eye distances. An open curve has an origin and an insertion; a closed one goes
// through `outer`, `top`, `inner` and `bottom`, on the mid-line `inner` being `outer` mirrored.
typedef struct sni_face_muscle {
    const char *name;
    const char *group;
    sni_face_shape shape;
    sni_face_place curves[2][4]; // open: 0 and 1
    double strength;             // share of its length it loses at most
    double bulge;
    double thickness;      // half of it
    double reach;          // of its effect beyond its depth
    sni_face_place center; // that a ring contracts to,
    double forward;        // and how far it lies before that place: rings go there straight
} sni_face_muscle;

typedef struct sni_face_expression {
    const char *name;
    const char *about;
    struct {
        const char *muscle; // without side: both sides
        double amount;
    } parts[8];
} sni_face_expression;

extern const sni_face_muscle sni_face_muscles[];
extern const uint32_t sni_face_muscle_count;
extern const sni_face_expression sni_face_expressions[];
extern const uint32_t sni_face_expression_count;

#endif
