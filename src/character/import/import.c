// SPDX-License-Identifier: Apache-2.0
//
// A document from a model file: what `sinew new` writes.
#include "base/file.h"
#include "base/memory.h"
#include "character/add_skeleton.h"
#include "character/character.h"

#include <math.h>
#include <string.h>

typedef struct builder {
    sn_json *json;
    sn_value *root;
    const sn_import *import;
    const char *file; // the model, relative to the document
} builder;

// What the call said about the file, so that it is read so again.
static bool add_file(builder *b, sn_value *object) {
    return sn_json_add_string(b->json, object, "file", b->file) != NULL &&
           (b->import->unit == 0 ||
            sn_json_add_number(b->json, object, "unit", b->import->unit) != NULL) &&
           (!b->import->z_up || sn_json_add_string(b->json, object, "up", "z") != NULL);
}

static bool add_meshes(builder *b) {
    if (b->import->mesh_count == 0) {
        return true;
    }
    sn_value *map = sn_json_add_object(b->json, b->root, "meshes");
    bool done = map != NULL;
    for (uint32_t i = 0; i < b->import->mesh_count && done; ++i) {
        const char *name = b->import->meshes[i]->name;
        sn_value *object = sn_json_add_object(b->json, map, name);
        done = add_file(b, object) && (b->import->mesh_count == 1 ||
                                       sn_json_add_string(b->json, object, "mesh", name) != NULL);
    }
    return done;
}

static bool add_kind(builder *b, sn_value *list, const char *kind) {
    sn_value *object = sn_json_add_object(b->json, list, NULL);
    return sn_json_add_string(b->json, object, "kind", kind) != NULL;
}

// Morph targets move the mesh before its skeleton does, as in glTF.
static bool add_skin(builder *b, sn_value *map, uint32_t index) {
    const sn_mesh *mesh = b->import->meshes[index];
    uint32_t node = b->import->mesh_nodes[index];
    sn_value *object = sn_json_add_object(b->json, map, mesh->name);
    bool done = sn_json_add_string(b->json, object, "mesh", mesh->name) != NULL;
    if (done && node != SN_NONE && mesh->weights == NULL) {
        done = sn_json_add_string(b->json, object, "segment",
                                  b->import->skeleton.segments[node].name) != NULL &&
               sn_json_add_string(b->json, object, "frame", "segment") != NULL;
    }
    if (!done || (mesh->target_count == 0 && mesh->weights == NULL)) {
        return done;
    }
    sn_value *list = sn_json_add_array(b->json, object, "deformers");
    return list != NULL && (mesh->target_count == 0 || add_kind(b, list, "morph")) &&
           (mesh->weights == NULL || add_kind(b, list, "blend"));
}

static bool add_skins(builder *b) {
    if (b->import->mesh_count == 0) {
        return true;
    }
    sn_value *map = sn_json_add_object(b->json, b->root, "skins");
    bool done = map != NULL;
    for (uint32_t i = 0; i < b->import->mesh_count && done; ++i) {
        done = add_skin(b, map, i);
    }
    return done;
}

static void widen(double value, double *low, double *high) {
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

// A cubic may swing beyond its keys. It stays within the Bezier polygon of its pieces, whose inner
// points lie a third of the tangents away from the keys.
static void widen_by_key(const sn_track *track, uint32_t k, double *low, double *high) {
    if (track->interpolation != SN_INTERPOLATION_CUBIC) {
        widen(track->values[k], low, high);
        return;
    }
    const double *key = track->values + 3 * (size_t)k; // in-tangent, value, out-tangent
    widen(key[1], low, high);
    if (k > 0) {
        widen(key[1] - key[0] * (track->times[k] - track->times[k - 1]) / 3, low, high);
    }
    if (k + 1 < track->key_count) {
        widen(key[1] + key[2] * (track->times[k + 1] - track->times[k]) / 3, low, high);
    }
}

// A control is 0 to 1, or as far as the file's own animations go.
static void find_range(const sn_import *import, const char *control, double *low, double *high) {
    for (uint32_t c = 0; c < import->clip_count; ++c) {
        const sn_clip *clip = import->clips[c];
        for (uint32_t t = 0; t < clip->track_count; ++t) {
            const sn_track *track = &clip->tracks[t];
            if (track->kind != SN_TRACK_PARAMETER || strcmp(track->target, control) != 0) {
                continue;
            }
            for (uint32_t k = 0; k < track->key_count; ++k) {
                widen_by_key(track, k, low, high);
            }
        }
    }
}

static bool add_control(builder *b, sn_value *map, const sn_target *target) {
    double value = target->weight, low = fmin(0, value), high = fmax(1, value);
    find_range(b->import, target->name, &low, &high);
    sn_value *object = sn_json_add_object(b->json, map, target->name);
    return object != NULL &&
           (low == 0 || sn_json_add_number(b->json, object, "low", low) != NULL) &&
           (high == 1 || sn_json_add_number(b->json, object, "high", high) != NULL) &&
           (value == 0 || sn_json_add_number(b->json, object, "value", value) != NULL);
}

static bool add_controls(builder *b) {
    sn_value *map = NULL;
    bool done = true;
    for (uint32_t i = 0; i < b->import->mesh_count; ++i) {
        const sn_mesh *mesh = b->import->meshes[i];
        for (uint32_t k = 0; k < mesh->target_count && done; ++k) {
            map = map != NULL ? map : sn_json_add_object(b->json, b->root, "controls");
            done = map != NULL && (sn_value_get(map, mesh->targets[k].name) != NULL ||
                                   add_control(b, map, &mesh->targets[k]));
        }
    }
    return done;
}

static bool add_clips(builder *b) {
    if (b->import->clip_count == 0) {
        return true;
    }
    sn_value *map = sn_json_add_object(b->json, b->root, "clips");
    bool done = map != NULL;
    for (uint32_t i = 0; i < b->import->clip_count && done; ++i) {
        sn_value *object = sn_json_add_object(b->json, map, b->import->clips[i]->name);
        done = add_file(b, object) &&
               (b->import->clip_count == 1 ||
                sn_json_add_string(b->json, object, "clip", b->import->clips[i]->name) != NULL);
    }
    return done;
}

static char *name_of(sn_context *context, const char *path) {
    const char *name = sni_path_name(path);
    size_t length = strlen(name) - strlen(sni_path_extension(path));
    return length > 0 ? sni_string_copy_n(context, name, length)
                      : sni_string_copy(context, "character");
}

sn_status sn_character_from_import(const sn_import *import, const char *model_path,
                                   const char *document_path, sn_character **character,
                                   sn_error *error) {
    sn_context *context = import->context;
    sn_status status = SN_OK;
    *character = NULL;
    char *name = name_of(context, model_path);
    char *file = sni_path_relative(context, document_path, model_path);
    if (name == NULL || file == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SN_TRY(sn_character_create(context, name, character, error));
    SN_TRY(sni_character_set_base(*character, document_path, error));
    sn_json *json = sn_character_document(*character);
    builder b = {.json = json, .root = sn_json_root(json), .import = import, .file = file};
    if (!sni_add_skeleton(json, b.root, &import->skeleton) || !add_meshes(&b) || !add_skins(&b) ||
        !add_controls(&b) || !add_clips(&b)) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SN_TRY(sn_character_check(*character, error));
cleanup:
    sni_free(context, name);
    sni_free(context, file);
    if (status != SN_OK) {
        sn_character_destroy(*character);
        *character = NULL;
    }
    return status;
}
