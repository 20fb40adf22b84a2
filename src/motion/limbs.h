// SPDX-License-Identifier: Apache-2.0
//
// The limbs of a skeleton as lines in the space of a skin at rest: which limb is closest to a
// point, how far along it the point lies, and which limbs belong to one chain.
//
// A limb is a segment with a line from its joint to the joint of each limb that hangs on it; the
// last limb of a chain goes on straight for half the length of the one before it that has any.
// Segments that do not count as limbs are skipped, and what hangs on them hangs on their parents.
#ifndef SINEW_MOTION_LIMBS_H
#define SINEW_MOTION_LIMBS_H

#include "base/memory.h"
#include "sinew/mesh.h"
#include "sinew/motion.h"

typedef struct sni_limb_line {
    sn_vec3 from, to;
    uint32_t segment;
    bool joint_from, joint_to; // whether its ends are joints between two limbs
} sni_limb_line;

typedef struct sni_limbs {
    sn_context *context;
    uint32_t segment_count;
    sn_mat4 *frames;     // segment_count: rest frames in the skin's space
    bool moved;          // the skin's space is not the skeleton's: the driver needs bind matrices
    uint8_t *is_limb;    // segment_count
    uint32_t *parents;   // segment_count: closest limb above, SN_NONE
    uint32_t line_count; // by rising segment
    sni_limb_line *lines;
} sni_limbs;

typedef struct sni_limbs_desc {
    const sn_skeleton *skeleton;
    const sn_mesh *const *meshes; // the skin: its weights name limbs and say where they are
    uint32_t mesh_count;
    const char *const *segments; // see sn_driver_mesh_desc
    uint32_t segment_count;
} sni_limbs_desc;

sn_status sni_limbs_init(sn_context *context, const sni_limbs_desc *desc, sni_limbs *limbs,
                         sn_error *error);
void sni_limbs_deinit(sni_limbs *limbs);

typedef struct sni_limb_place {
    uint32_t line;
    double along; // 0 at the line's first end, 1 at its second
    double distance;
} sni_limb_place;

// The closest line to a point; the one with the lowest number where several are.
sni_limb_place sni_limbs_closest(const sni_limbs *limbs, sn_vec3 point);

// The closest point of one line.
sni_limb_place sni_limb_line_place(const sni_limbs *limbs, uint32_t line, sn_vec3 point);

// Whether a limb hangs on another one, over any number of joints, or is it.
bool sni_limb_hangs_on(const sni_limbs *limbs, uint32_t limb, uint32_t above);

// Whether one of two limbs hangs on the other over at most `steps` joints, or is the other.
bool sni_limbs_are_kin(const sni_limbs *limbs, uint32_t a, uint32_t b, uint32_t steps);

#endif
