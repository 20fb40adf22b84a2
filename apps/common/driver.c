// SPDX-License-Identifier: Apache-2.0
#include "common/driver.h"

#include <string.h>

static bool wants(const app_driver *driver, const char *name) {
    bool wanted = driver->skin_count == 0;
    for (uint32_t i = 0; i < driver->skin_count; ++i) {
        wanted = wanted || strcmp(driver->skins[i], name) == 0;
    }
    return wanted;
}

// Skins in the coordinates of the rest pose; one in a segment's frame moves as a whole anyway.
static bool is_usable(const sn_surface *surface) {
    return surface->layer == SN_LAYER_SKIN && !surface->in_segment_frame;
}

static bool has_skin(const sn_model *model, const char *name) {
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        if (is_usable(surface) && (name == NULL || strcmp(surface->name, name) == 0)) {
            return true;
        }
    }
    return false;
}

sn_status app_driver_skins(const app_driver *driver, const sn_model *model, const sn_mesh **meshes,
                           uint32_t *count, sn_error *error) {
    const char *missing = has_skin(model, NULL) ? NULL : "of any name";
    for (uint32_t i = 0; i < driver->skin_count; ++i) {
        missing = has_skin(model, driver->skins[i]) ? missing : driver->skins[i];
    }
    if (missing != NULL) {
        return app_fail(error, SN_INVALID, driver->source, "there is no skin %s", missing);
    }
    *count = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        if (is_usable(surface) && wants(driver, surface->name)) {
            meshes[(*count)++] = surface->mesh;
        }
    }
    return SN_OK;
}

sn_status app_driver_write(const sn_model *model, const sn_mesh *mesh, const char *path,
                           sn_error *error) {
    const char *dot = strrchr(path, '.');
    if (dot == NULL || strcmp(dot, ".glb") != 0) {
        return sn_export_mesh(mesh, path, error);
    }
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    desc.mesh_count = 1;
    desc.meshes = &mesh;
    desc.skeleton = sn_model_skeleton(model);
    return sn_export_skinned(sn_model_context(model), path, &desc, error);
}

// A wrap in place of the blend of a skin; false where it has none, or memory runs out.
static bool wrap_skin(sn_json *json, sn_value *skin) {
    const sn_value *old = sn_value_get(skin, "deformers");
    bool found = false;
    for (uint32_t i = 0; i < sn_value_count(old); ++i) {
        const sn_value *kind = sn_value_get(sn_value_at(old, i), "kind");
        found = found || strcmp(sn_value_string(kind, ""), "blend") == 0;
    }
    sn_value *list = found ? sn_json_add_array(json, skin, "deformers") : NULL;
    bool done = list != NULL, replaced = false;
    for (uint32_t i = 0; i < sn_value_count(old) && done; ++i) {
        const sn_value *deformer = sn_value_at(old, i);
        const char *kind = sn_value_string(sn_value_get(deformer, "kind"), "");
        if (replaced || strcmp(kind, "blend") != 0) {
            done = sn_json_add_copy(json, list, NULL, deformer) != NULL;
            continue;
        }
        sn_value *wrap = sn_json_add_object(json, list, NULL);
        done = sn_json_add_string(json, wrap, "kind", "wrap") != NULL &&
               sn_json_add_string(json, wrap, "driver_mesh", "driver") != NULL;
        replaced = true;
    }
    return done;
}

static bool add_driver(sn_json *json, const char *file) {
    sn_value *root = sn_json_root(json);
    sn_value *skins = (sn_value *)sn_value_get(root, "skins");
    sn_value *mesh = sn_json_add_object(json, (sn_value *)sn_value_get(root, "meshes"), "driver");
    sn_value *skin = sn_json_add_object(json, skins, "driver");
    sn_value *blend = sn_json_add_object(json, sn_json_add_array(json, skin, "deformers"), NULL);
    return sn_json_add_string(json, mesh, "file", file) != NULL &&
           sn_json_add_string(json, skin, "mesh", "driver") != NULL &&
           sn_json_add_string(json, blend, "kind", "blend") != NULL &&
           sn_json_add_bool(json, skin, "show", false) != NULL;
}

sn_status app_driver_add(const app_driver *driver, sn_json *json, const char *file,
                         uint32_t *wrapped, sn_error *error) {
    const sn_value *root = sn_json_root(json), *skins = sn_value_get(root, "skins");
    if (sn_value_get(skins, "driver") != NULL ||
        sn_value_get(sn_value_get(root, "meshes"), "driver") != NULL) {
        return app_fail(error, SN_INVALID, driver->source,
                        "there is a skin or mesh \"driver\" already");
    }
    *wrapped = 0;
    for (uint32_t i = 0; i < sn_value_count(skins); ++i) {
        sn_value *skin = (sn_value *)sn_value_at(skins, i);
        *wrapped += wants(driver, skin->key) && wrap_skin(json, skin);
    }
    if (*wrapped == 0) {
        return app_fail(error, SN_INVALID, driver->source,
                        "no skin has a `blend` that a `wrap` could replace");
    }
    return add_driver(json, file) ? SN_OK : app_fail_memory(error);
}
