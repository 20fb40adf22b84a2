// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_IO_GLTF_WRITE_MOTION_H
#define SINEW_IO_GLTF_WRITE_MOTION_H

#include "io/gltf/writer.h"

#include "sinew/io.h"

// What the animation of a skinned file is made from.
typedef struct sni_gltf_motion {
    sn_context *context;
    const sn_export_skinned_desc *desc;
    const sn_export_clip *clip;
    sni_gltf_writer *writer;
    const sn_transform *rests;  // segment_count, of nodes 0 .. segment_count - 1
    const uint32_t *mesh_nodes; // mesh_count: node that carries the mesh
} sni_gltf_motion;

// Writes one animation, the clip's, with the motion of segments and morph targets; none where
// nothing moves.
sn_status sni_gltf_put_motion(const sni_gltf_motion *motion, sn_error *error);

// The rotation as glTF wants it, of length 1.
sn_quat sni_gltf_unit_rotation(sn_quat q);

#endif
