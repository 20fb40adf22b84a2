// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // st_mtim
#include "character/assets.h"

#include "base/file.h"
#include "base/text.h"
#include "character/mirror_mesh.h"
#include "character/schema/schema.h"
#include "sinew/vector.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// A file as it was on the disk; zero: it was not there.
typedef struct file_stamp {
    int64_t seconds, nanoseconds, size;
} file_stamp;

// A file that has been read, or that could not be.
struct sni_asset {
    char *path;
    sn_import_desc how; // units and axes that the document gives it
    sn_import *import;  // NULL: it could not be read
    file_stamp stamp;   // before it was
};

// A mesh that came from memory.
struct sni_given_mesh {
    char *name;
    sn_mesh *mesh;
};

// A copy of a mesh that has the weights of another one.
struct sni_weighted_mesh {
    const sn_mesh *mesh, *lender;
    sn_mesh *made;
};

// The mirror image of a mesh that was read.
struct sni_mirrored_mesh {
    const sn_mesh *mesh;
    sn_mesh *made;
};

static sni_asset *find_asset(const sni_assets *assets, const char *path,
                             const sn_import_desc *how) {
    for (uint32_t i = 0; i < assets->file_count; ++i) {
        const sn_import_desc *other = &assets->files[i].how;
        if (strcmp(assets->files[i].path, path) == 0 && other->unit == how->unit &&
            other->z_up == how->z_up) {
            return &assets->files[i];
        }
    }
    return NULL;
}

static file_stamp stamp_of(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return (file_stamp){0};
    }
    return (file_stamp){info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size};
}

static bool same_stamp(file_stamp a, file_stamp b) {
    return a.seconds == b.seconds && a.nanoseconds == b.nanoseconds && a.size == b.size;
}

// The entry of a file, new where it has none; takes the path over. NULL without memory.
static sni_asset *make_asset(sni_assets *assets, char *path, const sn_import_desc *how) {
    sni_asset *asset = find_asset(assets, path, how);
    if (asset != NULL || !sni_grow_by_one(assets->context, &assets->files, assets->file_count,
                                          sizeof *assets->files)) {
        sni_free(assets->context, path);
        return asset;
    }
    asset = &assets->files[assets->file_count++];
    *asset = (sni_asset){.path = path, .how = *how};
    return asset;
}

static sn_status read_asset(sni_asset *asset, const sn_value *file, sn_context *context,
                            sn_error *error) {
    sn_error inner = {0};
    asset->stamp = stamp_of(asset->path);
    sn_status status =
        sn_import_file_with(context, asset->path, &asset->how, &asset->import, &inner);
    if (status != SN_OK) {
        char text[sizeof inner.message];
        sn_error_format(&inner, text, sizeof text);
        sni_fail_value(error, file, status, "%s", text);
        asset->import = NULL;
    }
    return status;
}

// `unit` and `up` stand beside `file`.
static sn_import_desc how_to_read(const sn_value *file) {
    sn_import_desc how = sn_import_desc_default();
    how.unit = sn_value_number(sn_value_get(file->parent, "unit"), 0);
    how.z_up = strcmp(sn_value_string(sn_value_get(file->parent, "up"), "y"), "z") == 0;
    return how;
}

static sn_status import_file(sni_assets *assets, const char *base, const sn_value *file,
                             const sn_import **import, sn_error *error) {
    char *path = sni_path_beside(assets->context, base, file->as.string);
    if (path == NULL) {
        return sni_fail_memory(error);
    }
    sn_import_desc how = how_to_read(file);
    sni_asset *asset = make_asset(assets, path, &how);
    if (asset == NULL) {
        return sni_fail_memory(error);
    }
    sn_status status =
        asset->import == NULL ? read_asset(asset, file, assets->context, error) : SN_OK;
    *import = asset->import;
    return status;
}

static const sn_mesh *find_given(const sni_assets *assets, const char *name) {
    // The newest of a name counts.
    for (uint32_t i = assets->given_count; i-- > 0;) {
        if (strcmp(assets->given[i].name, name) == 0) {
            return assets->given[i].mesh;
        }
    }
    return NULL;
}

static sn_status fail_mesh_choice(const sn_import *import, const sn_value *value, sn_error *error) {
    const sn_value *file = sn_value_get(value, "file");
    const sn_value *name = sn_value_get(value, "mesh");
    if (import->mesh_count == 0) {
        return sni_fail_value(error, file, SN_INVALID, "the file \"%s\" has no mesh",
                              file->as.string);
    }
    if (name == NULL) {
        return sni_fail_value(error, file, SN_INVALID,
                              "the file \"%s\" has %u meshes; name one with \"mesh\", such as "
                              "\"%s\"",
                              file->as.string, import->mesh_count, import->meshes[0]->name);
    }
    char hint[SNI_HINT_BYTES];
    sni_closest closest = sni_closest_to(name->as.string);
    for (uint32_t i = 0; i < import->mesh_count; ++i) {
        sni_closest_try(&closest, import->meshes[i]->name);
    }
    return sni_fail_value(error, name, SN_INVALID, "the file \"%s\" has no mesh \"%s\"%s",
                          file->as.string, name->as.string, sni_closest_hint(&closest, hint));
}

static sn_status choose_mesh(const sn_import *import, const sn_value *value, const sn_mesh **mesh,
                             sn_error *error) {
    const char *name = sn_value_string(sn_value_get(value, "mesh"), NULL);
    for (uint32_t i = 0; i < import->mesh_count; ++i) {
        bool chosen =
            name != NULL ? strcmp(import->meshes[i]->name, name) == 0 : import->mesh_count == 1;
        if (chosen) {
            *mesh = import->meshes[i];
            return SN_OK;
        }
    }
    return fail_mesh_choice(import, value, error);
}

static const sn_value *mesh_value(const sn_value *root, const char *name) {
    return sn_value_get(sn_value_get(root, "meshes"), name);
}

static sn_status make_mirrored(sni_assets *assets, const sn_mesh *mesh, const sn_mesh **made,
                               sn_error *error) {
    for (uint32_t i = 0; i < assets->mirrored_count; ++i) {
        if (assets->mirrored[i].mesh == mesh) {
            *made = assets->mirrored[i].made;
            return SN_OK;
        }
    }
    sn_mesh *image = NULL;
    sn_status status = sni_mirror_mesh(mesh, &image, error);
    if (status != SN_OK) {
        return status;
    }
    if (!sni_grow_by_one(assets->context, &assets->mirrored, assets->mirrored_count,
                         sizeof *assets->mirrored)) {
        sn_mesh_destroy(image);
        return sni_fail_memory(error);
    }
    assets->mirrored[assets->mirrored_count++] = (sni_mirrored_mesh){mesh, image};
    *made = image;
    return SN_OK;
}

static sn_status check_has_file(const sn_value *value, sn_error *error) {
    if (sn_value_get(value, "extract") != NULL) {
        return sni_fail_value(
            error, value, SN_INVALID,
            "the mesh is extracted when a model is made and does not exist before; write "
            "it to a file with `sinew extract` and use that file");
    }
    if (sn_value_get(value, "file") == NULL) {
        return sni_fail_value(error, value, SN_INVALID,
                              "the mesh has no \"file\", and none was given from memory");
    }
    return SN_OK;
}

// The mesh as it was given or read, whatever "weights" says.
static sn_status find_mesh(sni_assets *assets, const sni_mesh_request *request, const char *name,
                           const sn_mesh **mesh, sn_error *error) {
    const sn_import *import;
    sn_status status = SN_OK;
    *mesh = find_given(assets, name);
    if (*mesh != NULL) {
        return SN_OK;
    }
    const sn_value *value = mesh_value(request->root, name);
    if (value == NULL) {
        return sni_fail(error, SN_INVALID, "there is no mesh \"%s\"", name);
    }
    SN_TRY(check_has_file(value, error));
    SN_TRY(import_file(assets, request->base, sn_value_get(value, "file"), &import, error));
    SN_TRY(choose_mesh(import, value, mesh, error));
    if (sn_value_bool(sn_value_get(value, "mirrored"), false)) {
        SN_TRY(make_mirrored(assets, *mesh, mesh, error));
    }
cleanup:
    return status;
}

// Vertices must stand where those of the lender do, up to this part of the mesh's size: the same
// count in another order is a mistake that would show in the pose only.
static const double same_place = 0.01;

static sn_status check_places(const sn_mesh *mesh, const sn_mesh *lender, sn_error *error) {
    sn_vec3 low, high;
    SN_ASSERT(mesh != NULL && lender != NULL);
    sn_mesh_bounds(mesh, &low, &high);
    double allowed = same_place * sn_vec3_distance(low, high);
    for (uint32_t i = 0; i < mesh->vertex_count && mesh->vertex_count == lender->vertex_count;
         ++i) {
        double distance = sn_vec3_distance(sn_vec3_load(mesh->positions + 3 * (size_t)i),
                                           sn_vec3_load(lender->positions + 3 * (size_t)i));
        if (distance > allowed) {
            return sni_fail(error, SN_INVALID,
                            "vertex %u is %.4g mm away from that of \"%s\", whose weights it "
                            "should take",
                            i, 1e3 * distance, lender->name);
        }
    }
    return SN_OK;
}

static sn_status make_weighted(sni_assets *assets, const sn_mesh *mesh, const sn_mesh *lender,
                               const sn_mesh **made, sn_error *error) {
    for (uint32_t i = 0; i < assets->weighted_count; ++i) {
        if (assets->weighted[i].mesh == mesh && assets->weighted[i].lender == lender) {
            *made = assets->weighted[i].made;
            return SN_OK;
        }
    }
    sn_mesh *copy = NULL;
    sn_status status = SN_OK;
    SN_TRY(check_places(mesh, lender, error));
    SN_TRY(sn_mesh_copy(mesh, &copy, error));
    SN_TRY(sn_mesh_copy_weights(copy, lender, error));
    if (!sni_grow_by_one(assets->context, &assets->weighted, assets->weighted_count,
                         sizeof *assets->weighted)) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    assets->weighted[assets->weighted_count++] = (sni_weighted_mesh){mesh, lender, copy};
    *made = copy;
    return SN_OK;
cleanup:
    sn_mesh_destroy(copy);
    return status;
}

static sn_status find_weighted(sni_assets *assets, const sni_mesh_request *request,
                               const sn_mesh **mesh, sn_error *error) {
    sn_status status = find_mesh(assets, request, request->name, mesh, error);
    const sn_value *weights = sn_value_get(mesh_value(request->root, request->name), "weights");
    const sn_mesh *lender = NULL;
    if (status != SN_OK || weights == NULL) {
        return status;
    }
    status = find_mesh(assets, request, weights->as.string, &lender, error);
    if (status == SN_OK) {
        status = sni_at_value(make_weighted(assets, *mesh, lender, mesh, error), weights, error);
    }
    return status;
}

static sn_status give(sni_assets *assets, const char *name, sn_mesh *mesh, sn_error *error) {
    char *copy = sni_string_copy(assets->context, name);
    if (copy == NULL || !sni_grow_by_one(assets->context, &assets->given, assets->given_count,
                                         sizeof *assets->given)) {
        sni_free(assets->context, copy);
        sn_mesh_destroy(mesh);
        return sni_fail_memory(error);
    }
    assets->given[assets->given_count++] = (sni_given_mesh){.name = copy, .mesh = mesh};
    return SN_OK;
}

sni_assets *sni_assets_create(sn_context *context) {
    sni_assets *assets = sni_alloc_zero(context, 1, sizeof *assets);
    if (assets != NULL) {
        assets->context = context;
        atomic_init(&assets->uses, 1);
        pthread_mutex_init(&assets->lock, NULL);
    }
    return assets;
}

sni_assets *sni_assets_hold(sni_assets *assets) {
    atomic_fetch_add(&assets->uses, 1);
    return assets;
}

void sni_assets_release(sni_assets *assets) {
    if (assets == NULL || atomic_fetch_sub(&assets->uses, 1) > 1) {
        return;
    }
    sn_context *context = assets->context;
    for (uint32_t i = 0; i < assets->file_count; ++i) {
        sni_free(context, assets->files[i].path);
        sn_import_destroy(assets->files[i].import);
    }
    for (uint32_t i = 0; i < assets->given_count; ++i) {
        sni_free(context, assets->given[i].name);
        sn_mesh_destroy(assets->given[i].mesh);
    }
    for (uint32_t i = 0; i < assets->weighted_count; ++i) {
        sn_mesh_destroy(assets->weighted[i].made);
    }
    for (uint32_t i = 0; i < assets->mirrored_count; ++i) {
        sn_mesh_destroy(assets->mirrored[i].made);
    }
    sni_free(context, assets->mirrored);
    sni_free(context, assets->files);
    sni_free(context, assets->given);
    sni_free(context, assets->weighted);
    pthread_mutex_destroy(&assets->lock);
    sni_free(context, assets);
}

sn_status sni_assets_give(sni_assets *assets, const char *name, sn_mesh *mesh, sn_error *error) {
    pthread_mutex_lock(&assets->lock);
    sn_status status = give(assets, name, mesh, error);
    pthread_mutex_unlock(&assets->lock);
    return status;
}

sn_status sni_assets_import(sni_assets *assets, const char *base, const sn_value *file,
                            const sn_import **import, sn_error *error) {
    pthread_mutex_lock(&assets->lock);
    sn_status status = import_file(assets, base, file, import, error);
    pthread_mutex_unlock(&assets->lock);
    return status;
}

// One that is gone may be on its way to be written anew.
static bool has_changed(const sni_asset *asset, file_stamp now) {
    bool gone = now.seconds == 0 && now.nanoseconds == 0 && now.size == 0;
    return !gone && !same_stamp(asset->stamp, now);
}

static uint64_t mix(uint64_t hash, int64_t number) {
    return (hash ^ (uint64_t)number) * UINT64_C(1099511628211); // as FNV-1a does with bytes
}

bool sni_assets_changed(sni_assets *assets, sn_changed_files *changed) {
    *changed = (sn_changed_files){0};
    if (pthread_mutex_trylock(&assets->lock) != 0) {
        return false; // someone is reading
    }
    for (uint32_t i = 0; i < assets->file_count; ++i) {
        const sni_asset *asset = &assets->files[i];
        file_stamp now = stamp_of(asset->path);
        if (!has_changed(asset, now)) {
            continue;
        }
        if (changed->count++ == 0) {
            snprintf(changed->first, sizeof changed->first, "%s", asset->path);
        }
        changed->state =
            mix(mix(mix(changed->state + i + 1, now.seconds), now.nanoseconds), now.size);
    }
    pthread_mutex_unlock(&assets->lock);
    return changed->count > 0;
}

sn_status sni_assets_mesh(sni_assets *assets, const sni_mesh_request *request, const sn_mesh **mesh,
                          sn_error *error) {
    pthread_mutex_lock(&assets->lock);
    sn_status status = find_weighted(assets, request, mesh, error);
    pthread_mutex_unlock(&assets->lock);
    return status;
}
