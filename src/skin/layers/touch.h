// SPDX-License-Identifier: Apache-2.0
//
// Skin that touches itself: lips, lids, folds of a body (facing.h tells which points may). A column
// that comes near a place q of the skin that it looks at has a plane half-way, which it has to stay
// in front of; the skin at q has its own, and neither goes through the other.
//
//          \ n_q   upper lip            m = (n_q - n_i) / |n_q - n_i|, evened out over neighbours
//     ------q--------                   o = m . (x_i + q) / 2 + margin
//     - - - - - - - -  plane            m . x >= o, and the same for y, which stays a part of the
//     ------x--------                   flesh's thickness behind it
//          / n_i   lower lip
//
// The margin is what was between them at rest, less a fifth, but no more than a hundredth of a
// millimetre or so: rest stays where it is. Skin that overlaps itself at rest may go on to do so as
// far.
//
// Where skin is closed at rest, less than half a millimetre apart, it has two *parts* that meet
// there, as lips are, and all that is near that line belongs to one of them. Places of the two may
// always touch, wherever they have gone; columns look for the other part from the place that it had
// at rest.
//
// Wet lips part late. Where skin was closed at rest, less than half a millimetre apart, it is drawn
// back by the whole of a gap that flesh alone would open by up to 0.4 mm, and by none of one of 1
// mm.
#ifndef SINEW_SKIN_LAYERS_TOUCH_H
#define SINEW_SKIN_LAYERS_TOUCH_H

#include "skin/layers/facing.h"
#include "skin/layers/fascia.h"

typedef struct sni_layers_touch {
    const sni_layers_mesh *mesh; // borrowed, and so is the fascia
    const sni_layers_fascia *fascia;
    sni_facing facing;
    float *reaches;      // column_count: how deep in other skin a column is found
    float *margins;      // column_count: from the plane
    float *fascia_keeps; // column_count: how far from the plane fascia stays at most; below 0: it
                         // was on the other side of it at rest
    float *closed;       // column_count: from the plane at rest where skin is closed there, below 0
                         // elsewhere
    uint32_t *mates;     // column_count: a column of other skin that was near at rest, or SN_NONE
    uint32_t *parts;     // column_count: SN_NONE for those that are not near closed skin
    uint32_t *others;    // column_count, of parts: the part that each meets
    uint32_t met;        // columns that look at others within their reach at rest
} sni_layers_touch;

// Free with sni_layers_touch_deinit, also where it fails.
sn_status sni_layers_touch_init(const sni_layers_mesh *mesh, const sni_layers_fascia *fascia,
                                sni_layers_touch *touch, sn_error *error);
void sni_layers_touch_deinit(sni_layers_touch *touch);
size_t sni_layers_touch_bytes(const sni_layers_touch *touch);

// Contacts of a frame.
typedef struct sni_layers_contact sni_layers_contact;
typedef struct sni_layers_touching {
    const sni_layers_touch *touch;
    sni_arena *arena;
    float *skin_planes, *fascia_planes; // padded x 4
    bool begun;                         // what follows is there
    uint32_t *nearest;                  // column_count: a column of the skin that each is next to
    uint32_t count, *columns;           // those that are next to one
    sni_layers_contact *now, *next;     // column_count
} sni_layers_touching;

// Zeros at first. False when memory runs out.
bool sni_layers_touching_make(const sni_layers_touch *touch, sni_arena *arena, uint32_t padded,
                              sni_layers_touching *touching);

// Makes planes for where columns are: a sni_columns_hold's `renew`, for planes that hold; `user` is
// a sni_layers_touching. The first call searches, those after it go on from what it has found.
bool sni_layers_touching_renew(void *user, const float *skin, const float *fascia);

// Puts columns that are behind their planes onto them, after the rounds.
void sni_layers_touching_settle(sni_layers_touching *touching, float *skin, float *fascia);

#endif
