// SPDX-License-Identifier: Apache-2.0
//
// Bones, tissues and muscles with an inside, and where they are in a frame. Those that a segment
// carries stay where they are and points are brought into their frame; those that deform are moved.
#ifndef SINEW_EVAL_SOLIDS_H
#define SINEW_EVAL_SOLIDS_H

#include "eval/model.h"
#include "geometry/interior.h"

typedef struct sni_solid {
    bool carried;                 // by a segment
    bool usable;                  // in this pose: it has an inside and its frame a way back
    sni_interior interior;        // not made: the surface is open
    sn_mat4 to_world, from_world; // of the interior, where it is carried
} sni_solid;

// Prepares a surface of a model, zeroed at first.
sn_status sni_solid_init(sni_solid *solid, const sn_model *model, uint32_t surface,
                         sn_error *error);
void sni_solid_deinit(sni_solid *solid);

// Brings it to where it is; `frame` NULL: at rest. Fails only with SN_OUT_OF_MEMORY.
sn_status sni_solid_place(sni_solid *solid, const sn_model *model, uint32_t surface,
                          const sn_frame *frame, sn_error *error);

#endif
