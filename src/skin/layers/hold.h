// SPDX-License-Identifier: Apache-2.0
//
// What holds the fascia in a frame (solver/flesh.h): one anchor for each column, made of where
// bones alone would take it and of what lies below.
//
//     p   the fascia as the segments take it (predict.h)
//     T   as a triangle of a tied muscle takes it (under.h), met by a part c of the column's rays
//     L   as a triangle of what deforms and is met first takes it, for a part l of the rays
//     n   the outward direction, turned with the segments
//
//     along the surface   springs: slide, times the confidence, to p, and tie c g to each T
//     along n             hold, to p + sum l f clamp(n.(L - p))
//
// A muscle pulls where it moves: g rises from a hundredth to 1 with the way d to T from p, or from
// where one of the column's segments alone would take it, whichever is least (a muscle that goes
// with the head alone does not move where the jaw takes half of the skin along),
//
//     g = 0.01 k (1 - m) + m,    m = d^2 / (d^2 + (2 mm)^2),    k the confidence
//
// Muscles at rest would hold the skin beside those that contract, and the skin would fold between
// them; and a muscle's end goes farther than its origin, so that it is the end that has the skin.
//
// Muscles pull along the surface alone: straight pulls would draw cheeks in. What counts is the
// surface as a muscle sees it: with s the mean of the outward directions around a column, a unit
// vector in a cheek and nearly 0 at the rim of a lip, whose two sides go together, T - p loses
// s (s . (T - p)). What has gone aside by b says little about the height of the flesh that it was
// under: f = 1 / (1 + (b / 5 mm)^2).
//
// Rays that meet a muscle's edge by chance would make steps: what is found for columns is evened
// out (spread.h).
#ifndef SINEW_SKIN_LAYERS_HOLD_H
#define SINEW_SKIN_LAYERS_HOLD_H

#include "skin/layers/confidence.h"
#include "skin/layers/predict.h"
#include "skin/layers/spread.h"
#include "skin/layers/under.h"

typedef struct sni_layers_hold_desc {
    const sni_layers_mesh *mesh;
    const sni_layers_fascia *fascia;
    const sni_layers_prediction *prediction;
    const sni_layers_confidence *confidence;
    const sni_layers_under *under;
    const uint8_t *pinned;   // column_count: not 0 where muscles and components do nothing
    double slide, hold, tie; // stiffnesses
    double spread;           // how far what muscles do is averaged along the skin, metres
    double lowest, highest;  // what untied components lower and lift the fascia by, metres
} sni_layers_hold_desc;

typedef struct sni_layers_hold {
    sni_layers_hold_desc desc; // what it points to is borrowed
    float *holds;              // column_count: along n
    float *sides;              // column_count x 3: s
    sni_layers_spread spread;
} sni_layers_hold;

sn_status sni_layers_hold_init(const sni_layers_hold_desc *desc, sni_layers_hold *made,
                               sn_error *error);
void sni_layers_hold_deinit(sni_layers_hold *hold);
size_t sni_layers_hold_bytes(const sni_layers_hold *hold);

// Where a frame's columns begin and what holds them; all x 4 and padded, and written.
typedef struct sni_layers_held {
    float *skin, *fascia;     // where segments and muscles alone would take them
    float *anchors, *normals; // as in sni_columns_hold
    float *rotations;         // of columns
} sni_layers_held;

// False when memory runs out.
bool sni_layers_hold_run(const sni_layers_hold *hold, sni_arena *arena, const sn_mat4 *worlds,
                         const sni_layers_under_pose *pose, sni_layers_held *held);

#endif
