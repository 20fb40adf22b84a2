// SPDX-License-Identifier: Apache-2.0
//
// The opening between the lids of a skin, as the middle of the eyeball sees it: the directions in
// front in which a ray meets no skin close by. How the mesh is made does not matter: lids may end
// there, or go on behind the eyeball.
//
//            upper edge  t = U(a)
//        ___-----------___
//      -                   -       one column of directions for each latitude a
//       ---___       ___---
//             ------- lower edge  t = L(a)
#ifndef SINEW_SKIN_LIDS_OPENING_H
#define SINEW_SKIN_LIDS_OPENING_H

#include "base/memory.h"
#include "skin/lids/eyeball.h"

// A point on the edge of a lid, in a triangle of the skin.
typedef struct sni_lid_edge_point {
    uint32_t triangle;
    double weights[3];
} sni_lid_edge_point;

enum { SNI_LID_COLUMNS_MOST = 512 };

// Columns by rising latitude; the first and the last are next to the corners.
typedef struct sni_lid_opening {
    uint32_t count;
    double a[SNI_LID_COLUMNS_MOST];
    double high[SNI_LID_COLUMNS_MOST], low[SNI_LID_COLUMNS_MOST]; // U and L
    sni_lid_edge_point upper[SNI_LID_COLUMNS_MOST], lower[SNI_LID_COLUMNS_MOST];
} sni_lid_opening;

typedef enum sni_lid_finding {
    SNI_LIDS_FOUND,
    SNI_LIDS_CLOSED, // there is skin everywhere before the eye
    SNI_LIDS_ABSENT, // there is nothing around the eye that would close
} sni_lid_finding;

// `accel` is the skin in the world at rest; `radius` that of the eyeball. Turns the frame so that
// its outward axis goes from the inner to the outer corner of the lids and its front is the middle
// of the opening.
sni_lid_finding sni_lid_opening_find(const sn_accel *accel, double radius, sni_eye_frame *frame,
                                     sni_lid_opening *opening);

#endif
