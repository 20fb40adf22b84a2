// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_CHARACTER_ADD_SKELETON_H
#define SINEW_CHARACTER_ADD_SKELETON_H

#include "sinew/json.h"
#include "sinew/motion.h"

// Adds the map of segments to a document: names, parents and rest frames, without what is standard.
// Nothing for a skeleton without segments. False when memory runs out.
bool sni_add_skeleton(sn_json *json, sn_value *root, const sn_skeleton *skeleton);

#endif
