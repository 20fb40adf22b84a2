// SPDX-License-Identifier: Apache-2.0
//
// What muscles lie on, where the document says `depth_from`: a mesh of it, or its skeleton.
#ifndef SINEW_CHARACTER_INNER_H
#define SINEW_CHARACTER_INNER_H

#include "muscle/muscle.h"
#include "sinew/motion.h"

typedef struct sni_inner {
    sn_context *context;
    char name[128];
    float *positions;
    sn_triangles *triangles;
    sn_accel *accel;
    sn_vec3 *lines;
    sni_muscle_inner view; // of all this, for the muscle's job; its name is NULL in an empty one
} sni_inner;

// A mesh, at rest moved by `place` (NULL: where it is).
sn_status sni_inner_from_mesh(sn_context *context, const char *name, const sn_mesh *mesh,
                              const sn_mat4 *place, sni_inner *inner, sn_error *error);

// The limbs that `skin` hangs on, in its space. `bone_segments` are those of its weights; NULL:
// those of the bones' names.
sn_status sni_inner_from_skeleton(sn_context *context, const sn_skeleton *skeleton,
                                  const sn_mesh *skin, const uint32_t *bone_segments,
                                  sni_inner *inner, sn_error *error);
void sni_inner_deinit(sni_inner *inner);

#endif
