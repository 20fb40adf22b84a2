// SPDX-License-Identifier: Apache-2.0
//
// Pivots of muscles between bones: what a document says about them, and where they are in a pose.
// Some depend on parameters of the rig, of which muscles know nothing: they get places.
#ifndef SINEW_EVAL_PIVOTS_H
#define SINEW_EVAL_PIVOTS_H

#include "base/arena.h"
#include "character/blueprint.h"
#include "motion/curve.h"

// A pivot as the pose finds it.
typedef struct sni_posed_pivot {
    sn_vec3 at; // in its segment's frame, metres
    bool ranged;
    sni_parameter_ref parameter; // of the range
    double low, high;            // in the unit of the parameter's name
    struct {
        sni_parameter_ref parameter;
        sni_curve curve; // without keys: the coordinate does not move
    } moves[3];          // of x, y and z
    double unit;         // metres per unit of a curve
} sni_posed_pivot;

// The pivots of a muscle, of all its parts one after another.
typedef struct sni_posed_pivots {
    uint32_t count;
    sni_posed_pivot *items;
    bool any; // of them changes; nothing is to be found where none does
} sni_posed_pivots;

// Appends a pivot of the document. On failure what is there can be freed.
sn_status sni_posed_pivots_add(sn_context *context, const sni_blueprint *blueprint,
                               const sn_value *value, sni_posed_pivots *pivots, sn_error *error);
void sni_posed_pivots_deinit(sn_context *context, sni_posed_pivots *pivots);

// Where a pivot is in a pose, and whether it is used.
sni_muscle_pivot_place sni_posed_pivot_find(const sni_posed_pivot *pivot, const sni_pose *pose);

// The same for all, in the arena; NULL where none changes. False when there is no memory left.
bool sni_posed_pivots_find(const sni_posed_pivots *pivots, const sni_pose *pose, sni_arena *arena,
                           const sni_muscle_pivot_place **places);

#endif
