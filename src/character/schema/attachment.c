// SPDX-License-Identifier: Apache-2.0
//
// The schema of places on bones and in segments' frames.
#include "character/schema/tables.h"

// The box of a mirrored bone is mirrored; a place in a segment's frame is a point.
sn_status sni_mirror_place(sni_expansion *expansion, const sni_schema_field *field, sn_value *value,
                           sn_error *error) {
    sn_value *u = (sn_value *)sn_value_at(value, 0);
    if (sn_value_get(value->parent, "segment") != NULL) {
        return sni_mirror_point(expansion, field, value, error);
    }
    if (u != NULL && u->type == SN_JSON_NUMBER) {
        u->as.number = sni_round_made(1 - u->as.number);
    }
    return SN_OK;
}

static const char *const place_frames[] = {"segment", "size", NULL};
const sni_schema sni_place_frame_schema = {
    .type = SNI_SCHEMA_CHOICE,
    .help =
        "What the position is measured in: the segment's frame in metres, or in units of its size.",
    .choices = place_frames};
const sni_schema sni_attachment_at_schema = {
    .type = SNI_SCHEMA_ARRAY,
    .help =
        "A position in the box around the bone's mesh, 0 to 1 within it and from -1 to 2; or in "
        "the segment's frame.",
    .item = &number,
    .least = 3,
    .most = 3};
static const sni_schema_field attachment_fields[] = {ATTACHMENT_FIELDS, ABOUT};
const sni_schema sni_attachment_schema = OBJECT(
    "An attachment on a bone: in its box (bone, at) or in the world at rest (bone, point); or in "
    "a segment's frame (segment, at).",
    attachment_fields);
