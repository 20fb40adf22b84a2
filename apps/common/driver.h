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
    bool is_cage;             // it has no weights
    sn_mesh **placed;         // copies of skins that hang on a segment as a whole
    uint32_t placed_count;
} app_driver;

// Collects the meshes of the skins; `meshes` has room for all surfaces of the model. Where no skin
// has weights, those that hang on a segment as a whole are taken where they stand at rest, with all
// weight on it. Fails where one is not there, or none at all.
sn_status app_driver_skins(app_driver *driver, const sn_model *model, const sn_mesh **meshes,
                           uint32_t *count, sn_error *error);

// Writes the mesh: a .glb with the skeleton, or a mesh alone.
sn_status app_driver_write(const sn_model *model, const sn_mesh *mesh, const char *path,
                           sn_error *error);

void app_driver_free(app_driver *driver);

// Writes why there are not as many faces as were asked for; false where there are.
bool app_driver_explain_count(const sn_driver_mesh_report *report, uint32_t asked, char *text,
                              size_t size);

// Puts the driver at `file` into the document, where it moves the skins by a `wrap` in place of
// their `blend`, a cage also those without; `wrapped` is how many. Fails where there is a skin or
// mesh "driver", and where no skin can have a `wrap`.
sn_status app_driver_add(const app_driver *driver, sn_json *json, const char *file,
                         uint32_t *wrapped, sn_error *error);

#endif
