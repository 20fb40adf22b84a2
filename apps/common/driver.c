// SPDX-License-Identifier: Apache-2.0
#include "common/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool wants(const app_driver *driver, const char *name) {
    bool wanted = driver->skin_count == 0;
    for (uint32_t i = 0; i < driver->skin_count; ++i) {
        wanted = wanted || strcmp(driver->skins[i], name) == 0;
    }
    return wanted;
}

// Skins in the coordinates of the rest pose, or else those in a segment's, which move as a whole.
static bool is_usable(const sn_surface *surface, bool in_segment_frame) {
    return surface->layer == SN_LAYER_SKIN && surface->in_segment_frame == in_segment_frame;
}

static bool has_skin(const sn_model *model, bool in_segment_frame, const char *name) {
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        if (is_usable(surface, in_segment_frame) &&
            (name == NULL || strcmp(surface->name, name) == 0)) {
            return true;
        }
    }
    return false;
}

// A copy of a skin that hangs on a segment: where it stands in the world, all weight on the
// segment.
static sn_status place_skin(const sn_model *model, const sn_frame *frame, uint32_t index,
                            sn_mesh **placed, sn_error *error) {
    const sn_surface *surface = sn_model_surface(model, index);
    const char *segment = sn_model_skeleton(model)->segments[surface->segment].name;
    uint32_t count = surface->mesh->vertex_count;
    sn_status status = SN_OK;
    SN_TRY(sn_mesh_copy(surface->mesh, placed, error));
    memcpy((*placed)->positions, sn_frame_points(frame, index), 3 * (size_t)count * sizeof(float));
    SN_TRY(sn_mesh_set_weights(*placed, 1, count, false, error));
    SN_TRY(sn_mesh_name_bone(*placed, 0, segment, error));
    for (uint32_t v = 0; v < count; ++v) {
        (*placed)->weights->offsets[v + 1] = v + 1;
        (*placed)->weights->bones[v] = 0;
        (*placed)->weights->values[v] = 1;
    }
cleanup:
    return status;
}

static sn_status place_skins(app_driver *driver, const sn_model *model, const sn_mesh **meshes,
                             uint32_t *count, sn_error *error) {
    sn_frame *frame = NULL;
    sn_status status = SN_OK;
    driver->placed = calloc(sn_model_surface_count(model) + 1, sizeof(sn_mesh *));
    SN_TRY(driver->placed != NULL ? SN_OK : app_fail_memory(error));
    SN_TRY(sn_frame_create(model, &frame, error));
    SN_TRY(sn_frame_evaluate(frame, NULL, 0, error));
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        if (is_usable(surface, true) && wants(driver, surface->name)) {
            sn_mesh **placed = &driver->placed[driver->placed_count];
            SN_TRY(place_skin(model, frame, i, placed, error));
            driver->placed_count++;
            meshes[(*count)++] = *placed;
        }
    }
cleanup:
    sn_frame_destroy(frame);
    return status;
}

void app_driver_free(app_driver *driver) {
    for (uint32_t i = 0; i < driver->placed_count; ++i) {
        sn_mesh_destroy(driver->placed[i]);
    }
    free(driver->placed);
    driver->placed = NULL;
    driver->placed_count = 0;
}

sn_status app_driver_skins(app_driver *driver, const sn_model *model, const sn_mesh **meshes,
                           uint32_t *count, sn_error *error) {
    bool whole = !has_skin(model, false, NULL);
    const char *missing = has_skin(model, whole, NULL) ? NULL : "of any name";
    for (uint32_t i = 0; i < driver->skin_count; ++i) {
        missing = has_skin(model, whole, driver->skins[i]) ? missing : driver->skins[i];
    }
    if (missing != NULL) {
        return app_fail(error, SN_INVALID, driver->source, "there is no skin %s", missing);
    }
    *count = 0;
    if (whole) {
        return place_skins(driver, model, meshes, count, error);
    }
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        if (is_usable(surface, false) && wants(driver, surface->name)) {
            meshes[(*count)++] = surface->mesh;
        }
    }
    return SN_OK;
}

bool app_driver_explain_count(const sn_driver_mesh_report *report, uint32_t asked, char *text,
                              size_t size) {
    switch (report->count) {
    case SN_DRIVER_COUNT_MET: return false;
    case SN_DRIVER_COUNT_SKIN:
        snprintf(text, size, "%u faces were asked for, but the skin has only %u", asked,
                 report->skin_face_count);
        return true;
    case SN_DRIVER_COUNT_PARTS:
        snprintf(text, size, "%u faces were asked for, but the skin's %u loose parts need %u",
                 asked, report->part_count, report->face_count);
        return true;
    case SN_DRIVER_COUNT_SHAPE:
    default:
        snprintf(text, size,
                 "%u faces were asked for, but with fewer than %u the surface would fold over, or "
                 "lose a hole or handle",
                 asked, report->face_count);
        return true;
    }
}

sn_status app_driver_write(const sn_model *model, const sn_mesh *mesh, const char *path,
                           sn_error *error) {
    const char *dot = strrchr(path, '.');
    if (dot == NULL || strcmp(dot, ".glb") != 0 || mesh->weights == NULL) {
        return sn_export_mesh(mesh, path, error);
    }
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    desc.mesh_count = 1;
    desc.meshes = &mesh;
    desc.skeleton = sn_model_skeleton(model);
    return sn_export_skinned(sn_model_context(model), path, &desc, error);
}

static bool add_wrap(sn_json *json, sn_value *list) {
    sn_value *wrap = sn_json_add_object(json, list, NULL);
    return sn_json_add_string(json, wrap, "kind", "wrap") != NULL &&
           sn_json_add_string(json, wrap, "driver_mesh", "driver") != NULL;
}

// A wrap in place of the blend of a skin; of a cage also after the deformers of one without blend
// that stands in the world. False where it cannot be, or memory runs out.
static bool wrap_skin(const app_driver *driver, sn_json *json, sn_value *skin) {
    const sn_value *old = sn_value_get(skin, "deformers");
    bool found = false, whole = sn_value_get(skin, "segment") != NULL;
    for (uint32_t i = 0; i < sn_value_count(old); ++i) {
        const sn_value *kind = sn_value_get(sn_value_at(old, i), "kind");
        found = found || strcmp(sn_value_string(kind, ""), "blend") == 0;
    }
    bool fits = driver->is_cage ? !found && !whole : found;
    sn_value *list = fits ? sn_json_add_array(json, skin, "deformers") : NULL;
    bool done = list != NULL, replaced = driver->is_cage;
    for (uint32_t i = 0; i < sn_value_count(old) && done; ++i) {
        const sn_value *deformer = sn_value_at(old, i);
        const char *kind = sn_value_string(sn_value_get(deformer, "kind"), "");
        if (replaced || strcmp(kind, "blend") != 0) {
            done = sn_json_add_copy(json, list, NULL, deformer) != NULL;
            continue;
        }
        done = add_wrap(json, list);
        replaced = true;
    }
    return done && driver->is_cage ? add_wrap(json, list) : done;
}

static bool add_driver(const app_driver *driver, sn_json *json, const char *file) {
    sn_value *root = sn_json_root(json);
    sn_value *skins = (sn_value *)sn_value_get(root, "skins");
    sn_value *mesh = sn_json_add_object(json, (sn_value *)sn_value_get(root, "meshes"), "driver");
    sn_value *skin = sn_json_add_object(json, skins, "driver");
    if (!sn_json_add_string(json, mesh, "file", file) ||
        !sn_json_add_string(json, skin, "mesh", "driver") ||
        !sn_json_add_bool(json, skin, "show", false)) {
        return false;
    }
    if (driver->is_cage) {
        return true;
    }
    sn_value *blend = sn_json_add_object(json, sn_json_add_array(json, skin, "deformers"), NULL);
    return sn_json_add_string(json, blend, "kind", "blend") != NULL;
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
        *wrapped += wants(driver, skin->key) && wrap_skin(driver, json, skin);
    }
    if (*wrapped == 0) {
        return app_fail(error, SN_INVALID, driver->source,
                        "no skin has a `blend` that a `wrap` could replace");
    }
    return add_driver(driver, json, file) ? SN_OK : app_fail_memory(error);
}
