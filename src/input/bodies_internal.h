// SPDX-License-Identifier: Apache-2.0
//
// What the inputs of muscles between bones share: all are one or several bodies (sni_bodies_plan),
// with places on bones and pivots.
#ifndef SINEW_INPUT_BODIES_INTERNAL_H
#define SINEW_INPUT_BODIES_INTERNAL_H

#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/rest.h"

// An attachment on a bone, its position, and what places in a segment's frame are measured in.
extern const sni_schema sni_attachment_schema, sni_attachment_at_schema, sni_place_frame_schema;

// The mirror image of a position, in a bone's box or in a segment's frame.
SNI_MIRROR(sni_mirror_place);

// The keys of an attachment.
#define ATTACHMENT_FIELDS                                                                          \
    FIELD("bone", text, .name_of = "bones", .help = "The bone that it is on."),                    \
        FIELD("at", sni_attachment_at_schema, .mirror = sni_mirror_place,                          \
              .help = "The position in the box around the bone's mesh, 0 to 1 within it and from " \
                      "-1 to 2; with a segment, in the segment's frame."),                         \
        FIELD("point", vector3, .mirror = sni_mirror_point, .unit = "m",                           \
              .help = "The position in the world at rest, instead of `at`."),                      \
        FIELD("segment", text, .name_of = "segments",                                              \
              .help = "The segment that carries the attachment, instead of a bone."),              \
        FIELD("frame", sni_place_frame_schema, .title = "Measured in", .standard = "\"segment\"")

// Adds what an attachment is made from.
void sni_digest_add_attachment(sni_digest *digest, const sni_rest *rest,
                               const sni_attachment_plan *plan);

// The name under "mesh" of a muscle: a mesh of the document that is not extracted.
sn_status sni_decode_muscle_mesh(const sni_decoding *decoding, const char **name, sn_error *error);

// A plan with room for so many bodies.
sn_status sni_bodies_plan_new(const sni_decoding *decoding, uint32_t count, sni_bodies_plan **plan,
                              sn_error *error);

// The plan of a muscle that is one body, with so many attachments at each end.
sn_status sni_bodies_decode_one(const sni_decoding *decoding, uint32_t attachments, void **plan,
                                sn_error *error);

// As members of a sni_input.
void sni_bodies_release(sn_context *context, void *plan);
sn_status sni_bodies_digest(const sni_collecting *collecting, const void *plan, sni_digest *digest,
                            sn_error *error);
const void *sni_bodies_pose(const sni_posing *posing, const void *plan, const void *kept);

// The body of a muscle that is one. `kept` are the gaps (sni_bound_gaps).
sn_status sni_bodies_collect_one(const sni_collecting *collecting, const void *plan,
                                 const void **block, void **kept, sn_error *error);

// Room for the gaps of all attachments.
sn_status sni_bodies_keep_gaps(const sni_collecting *collecting, const sni_bodies_plan *plan,
                               void **kept, sn_error *error);

// Whether a body has so many attachments at each end, in order.
sn_status sni_body_validate(const sni_checking *checking, const sni_muscle_body *body,
                            uint32_t attachments, sn_error *error);

#endif
