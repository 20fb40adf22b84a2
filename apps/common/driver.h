// SPDX-License-Identifier: Apache-2.0
//
// A driver mesh made of skins of a model, and its place in the document (docs/driver.md).
#ifndef SINEW_APPS_DRIVER_H
#define SINEW_APPS_DRIVER_H

#include "common/common.h"

// The skins that a driver is made from.
typedef struct app_driver {
    const char *source;       // the document, for errors
    uint32_t skin_count;      // 0: all
    const char *const *skins; // their names
} app_driver;

// Collects the meshes of the skins; `meshes` has room for all surfaces of the model. Fails where
// one is not there, or none at all.
sn_status app_driver_skins(const app_driver *driver, const sn_model *model, const sn_mesh **meshes,
                           uint32_t *count, sn_error *error);

// Writes the mesh: a .glb with the skeleton, or a mesh alone.
sn_status app_driver_write(const sn_model *model, const sn_mesh *mesh, const char *path,
                           sn_error *error);

// Puts the driver at `file` into the document, where it moves the skins by a `wrap` in place of
// their `blend`; `wrapped` is how many. Fails where there is a skin or mesh "driver", and where no
// skin has a `blend`.
sn_status app_driver_add(const app_driver *driver, sn_json *json, const char *file,
                         uint32_t *wrapped, sn_error *error);

#endif
