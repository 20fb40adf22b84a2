// SPDX-License-Identifier: Apache-2.0
//
// Muscles in the fields of a body's parts (V. Roussellet et al., "Dynamic implicit muscles for
// character skinning", 2018, section 7): which parts a muscle belongs to; the skin's samples, drawn
// in below muscles so that the field there is that of the muscles and follows them both ways; and
// the muscles of a frame, on the way from the frame before.
#ifndef SINEW_SKIN_IMPLICIT_MUSCLES_H
#define SINEW_SKIN_IMPLICIT_MUSCLES_H

#include "base/arena.h"
#include "field/tree.h"
#include "kind/muscle_surface.h"
#include "skin/implicit/parts.h"

// A body of a muscle, such as a fibre: what fields know as a muscle.
typedef struct sni_implicit_fibre {
    sni_muscle_solid solid;
    uint32_t muscle; // that it is of
    uint32_t body;   // of the solid
} sni_implicit_fibre;

// A place in a fibre at rest, and the part of the skin around it: the nearest one's.
typedef struct sni_muscle_probe {
    sn_vec3 point;
    uint32_t fibre, part;
} sni_muscle_probe;

typedef struct sni_implicit_muscles {
    uint32_t count;  // muscles
    size_t *offsets; // count + 1: where the numbers of each begin among those of all
    uint32_t fibre_count;
    sni_implicit_fibre *fibres; // of all muscles in order; their solids are for the making alone
    // Fibres of parts, in rows, rising; of parts with a field alone.
    uint32_t *starts; // parts + 1
    uint32_t *lists;
    double *radii;      // of parts: of the support of their muscles; filled in with the body
    uint8_t *shared;    // of fibres: 1 where it belongs to several parts
    uint32_t *carriers; // of fibres: the part that carries it between frames; SN_NONE: it is in
                        // none that has a field
    // Used while the body is made alone.
    sni_field_muscle *rest; // of fibres
    uint32_t probe_count;
    sni_muscle_probe *probes;
} sni_implicit_muscles;

typedef struct sni_implicit_muscles_desc {
    uint32_t count;
    const sni_muscle_surface *muscles; // solids, all of them
    const sni_skin_parts *parts;
    const float *positions; // vertices x 3, in the world at rest
} sni_implicit_muscles_desc;

// A muscle belongs to the part of the segment that it begins on, and to all in which some of it
// lies at rest. Fails for want of memory, and with SN_INVALID for a muscle that is no solid. Free
// with sni_implicit_muscles_free, also where this fails.
sn_status sni_implicit_muscles_create(sn_context *context, const sni_implicit_muscles_desc *desc,
                                      sni_implicit_muscles *muscles, sn_error *error);
void sni_implicit_muscles_free(sn_context *context, sni_implicit_muscles *muscles);

// Draws samples of a part in where its muscles are near: by S(u) of half the thickness of the
// muscle below, at most a quarter of the way to the bone, u = 1 at the muscle, 0 at a quarter of
// its thickness above. Returns how many were moved.
uint32_t sni_implicit_muscles_shrink(const sni_implicit_muscles *muscles, const sni_skin_part *bone,
                                     uint32_t part, uint32_t sample_count,
                                     sni_hrbf_sample *samples);

// How thick a muscle is below a point: the largest depth on the way in along its gradient.
double sni_muscle_depth_below(const sni_field_muscle *muscle, double thickness, sn_vec3 at);

// How wide supports must be for the muscles of a part whose own support has this radius: twice as
// far as a muscle may stand out of the part; and that of its muscles.
typedef struct sni_muscle_radii {
    double part, muscles;
} sni_muscle_radii;

sni_muscle_radii sni_implicit_muscles_radii(const sni_implicit_muscles *muscles, uint32_t part,
                                            const sni_hrbf *hrbf, double radius);

// ---------------------------------------------------------------------------------------------
// Frames

// A muscle on the way from the frame before to this one: carried by its part, its distance goes
// from the one to the other.
typedef struct sni_implicit_muscle_now {
    sni_muscle_solid solid;
    uint32_t body;
    const double *from, *to;       // control points; NULL: at rest
    sni_part_pose to_from, to_now; // where a point of the step is, as the part stood then and
                                   // stands at the end
    double share;                  // of the way
} sni_implicit_muscle_now;

typedef struct sni_implicit_muscles_frame {
    sni_implicit_muscle_now *now;
    sni_field_muscle *fields;
    sni_field_muscles all;
} sni_implicit_muscles_frame;

// Takes memory for a frame; false where there is none.
bool sni_implicit_muscles_begin(const sni_implicit_muscles *muscles, uint32_t part_count,
                                sni_arena *arena, sni_implicit_muscles_frame *frame);

// Where muscles stand at a part of the way between two poses of the parts: `from` and `to` hold the
// motions of parts from rest, `now` those of this step; at the end of the way, share 1, muscles
// are exactly as they were posed. `before` holds the numbers of all muscles in the frame before,
// NULL: at rest.
typedef struct sni_implicit_muscles_step {
    const sni_muscle_points *posed;
    const double *before;
    const sni_part_pose *from, *to, *now;
    double share;
} sni_implicit_muscles_step;

void sni_implicit_muscles_pose(const sni_implicit_muscles *muscles, uint32_t part_count,
                               const sni_implicit_muscles_step *step,
                               sni_implicit_muscles_frame *frame);

// Numbers that the next frame needs of this one.
size_t sni_implicit_muscles_number_count(const sni_implicit_muscles *muscles);
void sni_implicit_muscles_keep(const sni_implicit_muscles *muscles, const sni_muscle_points *posed,
                               double *numbers);

#endif
