// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "io/find_rig.h"

#include "base/file.h"
#include "sinew/io.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct path_list {
    uint32_t count, capacity;
    char **paths;
} path_list;

static void free_paths(sn_context *context, path_list *list) {
    for (uint32_t i = 0; i < list->count; ++i) {
        sni_free(context, list->paths[i]);
    }
    sni_free(context, list->paths);
}

static sn_status add_path(sn_context *context, path_list *list, const char *folder,
                          const char *name, sn_error *error) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = sni_alloc(context, size, 1);
    if (path == NULL ||
        !sni_grow(context, &list->paths, &list->capacity, list->count + 1, sizeof *list->paths)) {
        sni_free(context, path);
        return sni_fail_memory(error);
    }
    snprintf(path, size, "%s/%s", folder, name);
    list->paths[list->count++] = path;
    return SN_OK;
}

static int compare_paths(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Models that can have weights, by name: the order of a folder's entries is left to chance.
static sn_status list_models(sn_context *context, const char *folder, path_list *list,
                             sn_error *error) {
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        sni_fail(error, SN_IO, "cannot open the folder: %s", strerror(errno));
        sni_error_source(error, folder);
        return SN_IO;
    }
    sn_status status = SN_OK;
    for (struct dirent *entry = readdir(directory); entry != NULL && status == SN_OK;
         entry = readdir(directory)) {
        if (sni_path_has_extension(entry->d_name, ".glb") ||
            sni_path_has_extension(entry->d_name, ".gltf") ||
            sni_path_has_extension(entry->d_name, ".vrm")) {
            status = add_path(context, list, folder, entry->d_name, error);
        }
    }
    closedir(directory);
    if (list->count > 0) {
        qsort(list->paths, list->count, sizeof *list->paths, compare_paths);
    }
    return status;
}

static sn_status find_weights(sn_context *context, const char *path, bool *has_weights,
                              sn_error *error) {
    sn_import *import = NULL;
    sn_status status = sn_import_file(context, path, &import, error);
    *has_weights = false;
    for (uint32_t i = 0; status == SN_OK && i < import->mesh_count; ++i) {
        *has_weights = *has_weights || import->meshes[i]->weights != NULL;
    }
    sn_import_destroy(import);
    return status;
}

static sn_status take_wanted(sn_context *context, const char *folder, const char *wanted,
                             char **rig, sn_error *error) {
    path_list list = {0};
    bool has_weights = false;
    sn_status status = add_path(context, &list, folder, wanted, error);
    if (status == SN_OK) {
        bool inside = access(wanted, F_OK) != 0 && access(list.paths[0], F_OK) == 0;
        *rig = sni_string_copy(context, inside ? list.paths[0] : wanted);
        status = *rig != NULL ? find_weights(context, *rig, &has_weights, error)
                              : sni_fail_memory(error);
    }
    if (status == SN_OK && !has_weights) {
        status = sni_fail(error, SN_INVALID, "the rig has no mesh with weights");
        sni_error_source(error, *rig);
    }
    free_paths(context, &list);
    return status;
}

// "dog.glb, dog_low.glb", cut where it is too long.
static void join_names(const path_list *list, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < list->count && used < size; ++i) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 sni_path_name(list->paths[i]));
    }
}

static sn_status keep_rigged(sn_context *context, path_list *list, sn_error *error) {
    uint32_t kept = 0;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < list->count && status == SN_OK; ++i) {
        bool has_weights;
        status = find_weights(context, list->paths[i], &has_weights, error);
        if (status == SN_OK && has_weights) {
            char *path = list->paths[kept];
            list->paths[kept++] = list->paths[i];
            list->paths[i] = path;
        }
    }
    for (uint32_t i = kept; i < list->count && status == SN_OK; ++i) {
        sni_free(context, list->paths[i]);
    }
    list->count = status == SN_OK ? kept : list->count;
    return status;
}

sn_status sni_find_rig(sn_context *context, const char *folder, const char *wanted, char **rig,
                       sn_error *error) {
    SN_ASSERT(folder != NULL && rig != NULL);
    sn_status status = SN_OK;
    path_list list = {0};
    *rig = NULL;
    if (wanted != NULL) {
        return strcmp(wanted, "none") == 0 ? SN_OK
                                           : take_wanted(context, folder, wanted, rig, error);
    }
    SN_TRY(list_models(context, folder, &list, error));
    SN_TRY(keep_rigged(context, &list, error));
    if (list.count > 1) {
        char names[256];
        join_names(&list, names, sizeof names);
        status = sni_fail(error, SN_INVALID,
                          "%u models with weights, %s: name one of them as the rig (--rig)",
                          list.count, names);
        sni_error_source(error, folder);
    } else if (list.count == 1) {
        *rig = list.paths[0];
        list.count = 0;
    }
cleanup:
    free_paths(context, &list);
    return status;
}
