// SPDX-License-Identifier: Apache-2.0
//
// The fields of a body's limbs, made from its skin: a field through samples of each part, closed by
// caps where parts meet, blended at joints. Parts without a hinge have none.
#ifndef SINEW_SKIN_IMPLICIT_BODY_H
#define SINEW_SKIN_IMPLICIT_BODY_H

#include "field/tree.h"
#include "skin/implicit/muscles.h"
#include "skin/implicit/parts.h"

typedef struct sni_implicit_body {
    sni_field_tree tree;
    sni_field_part *parts;
    sni_field_joint *joints;
    uint8_t *contacts;
    uint32_t *group_starts, *group_parts;
    double *mean_radii;  // of parts: mean distance of their skin from their bone
    double *joint_radii; // of parts: how thick the body is around their own joint
    uint32_t
        *sample_counts; // of parts: centres of their fields that lie on the skin, the first ones
    double smallest_radius; // of the parts' supports
} sni_implicit_body;

typedef struct sni_implicit_body_desc {
    uint32_t vertex_count;
    const float *positions; // x 3, in the world at rest
    const float *normals;   // x 3
    uint32_t triangle_count;
    const uint32_t *triangles;
    const sni_skin_parts *parts;
    uint32_t sample_count;  // of a part
    double grid;            // steps of the grids, as parts of the support's radius; 0: not baked
    bool with_muscles_only; // parts without muscles have no field, those with them all have one
    sni_implicit_muscles *muscles; // their radii are filled in; NULL: there are none
} sni_implicit_body_desc;

sn_status sni_implicit_body_create(sn_context *context, const sni_implicit_body_desc *desc,
                                   sni_implicit_body *body, sn_error *error);
size_t sni_implicit_body_bytes(const sni_implicit_body *body);
void sni_implicit_body_free(sn_context *context, sni_implicit_body *body);

#endif
