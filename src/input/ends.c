// SPDX-License-Identifier: Apache-2.0
//
// Where a muscle between bones begins and ends: one attachment each.
#include "input/bodies_internal.h"

static const sni_schema_field fields[] = {
    NEEDED("origin", sni_attachment_schema, .help = "Where it begins: an attachment on a bone."),
    NEEDED("insertion", sni_attachment_schema, .help = "Where it ends: an attachment on a bone.")};

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    return sni_bodies_decode_one(decoding, 1, made, error);
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    return sni_body_validate(checking, block, 1, error);
}

const sni_input sni_input_ends = {.name = "attachments",
                                  .fields = fields,
                                  .field_count = COUNT(fields),
                                  .decode = decode,
                                  .release = sni_bodies_release,
                                  .digest = sni_bodies_digest,
                                  .collect = sni_bodies_collect_one,
                                  .validate = validate,
                                  .pose = sni_bodies_pose};
