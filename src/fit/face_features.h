// SPDX-License-Identifier: Apache-2.0
//
// Feature points of a face: what they are called, which must be given, and the frame that they
// span. The left side is that of the face itself.
#ifndef SINEW_FIT_FACE_FEATURES_H
#define SINEW_FIT_FACE_FEATURES_H

#include "fit/skin_probe.h"
#include "sinew/fit.h"

typedef enum sni_face_point {
    SNI_FACE_EYE_INNER,
    SNI_FACE_EYE_OUTER,
    SNI_FACE_BROW_INNER,
    SNI_FACE_BROW_OUTER,
    SNI_FACE_NOSE_WING,
    SNI_FACE_MOUTH_CORNER,
    SNI_FACE_NOSE_TIP,
    SNI_FACE_LIP_UPPER,
    SNI_FACE_LIP_LOWER,
    SNI_FACE_CHIN,
    SNI_FACE_CHEEKBONE,
    SNI_FACE_JAW_ANGLE,
    SNI_FACE_EAR,
    SNI_FACE_POINT_COUNT,
} sni_face_point;

enum { SNI_FACE_LEFT, SNI_FACE_RIGHT, SNI_FACE_SIDES };

typedef struct sni_face {
    sn_vec3 points[SNI_FACE_SIDES][SNI_FACE_POINT_COUNT]; // of the mid-line: the same twice
    bool given[SNI_FACE_POINT_COUNT];
    sn_vec3 left, up, forward; // unit vectors
    double unit;               // the distance between the middles of the eyes
    sn_vec3 middle;            // on the mid-line, between the eyes
} sni_face;

// Finds the features of `desc`, the sagittal plane and the frame, and mirrors what is given on one
// side alone.
sn_status sni_face_init(const sn_face_layout_desc *desc, const sni_skin_probe *probe,
                        sni_face *face, sn_error *error);

#endif
