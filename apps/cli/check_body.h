// SPDX-License-Identifier: Apache-2.0
//
// What `check` says about the body at rest: attachments, overlaps, skin within components.
#ifndef SINEW_CLI_CHECK_BODY_H
#define SINEW_CLI_CHECK_BODY_H

#include "cli.h"

// Two parts overlap where more than this share of one lies in the other, and a muscle is attached
// beside a bone where it is further off than this part of the bone's size.
#define CLI_OVERLAP_SHARE 0.1
#define CLI_ATTACHMENT_SHARE 0.1

// What was measured of a muscle, NULL for other surfaces.
const sn_muscle_check *cli_muscle_check(const sn_body_check *check, uint32_t surface);

// Lines about one surface: attachments beside their bones, and skin within components.
void cli_print_body_surface(const sn_model *model, const sn_body_check *check, uint32_t surface);

// Lines about the whole body, and the same and more as JSON; false when memory runs out.
void cli_print_body(const sn_model *model, const sn_body_check *check);
bool cli_add_body(sn_json *json, sn_value *root, const sn_model *model, const sn_body_check *check);

#endif
