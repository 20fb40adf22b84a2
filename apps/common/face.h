// SPDX-License-Identifier: Apache-2.0
//
// Feature points of a face as JSON (docs/face-layout.md).
#ifndef SINEW_APPS_FACE_H
#define SINEW_APPS_FACE_H

#include "common/common.h"

// Reads {"features": {NAME: place, ...}} and, or, {"ibug68": [68 places]}; a place is [x, y, z] or
// the number of a vertex of `mesh`. `features` points into the object; free() it, also after a
// failure. `path` is the file, for errors.
sn_status app_read_face(const char *path, const sn_value *object, const sn_mesh *mesh,
                        sn_face_layout_desc *desc, sn_face_feature **features, sn_error *error);

#endif
