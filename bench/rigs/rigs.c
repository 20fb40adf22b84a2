// SPDX-License-Identifier: Apache-2.0
//
// Folders searched for bodies and clips, and all pairs of them.
#define _DEFAULT_SOURCE
#include "bench/rigs/rigs.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Folders within folders, so that a link in a circle ends.
static const int most_depth = 8;

static void *grow(void *items, uint32_t count, size_t size, sn_status *status, sn_error *error) {
    void *more = realloc(items, ((size_t)count + 1) * size);
    *status = more == NULL ? sni_fail_memory(error) : SN_OK;
    return more != NULL ? more : items;
}

static sn_status leave_out(snb_rigs *rigs, const char *name, const char *reason, sn_error *error) {
    sn_status status;
    rigs->left_out =
        grow(rigs->left_out, rigs->left_out_count, sizeof *rigs->left_out, &status, error);
    if (status == SN_OK) {
        snprintf(rigs->left_out[rigs->left_out_count++], SNB_RIG_REASON, "`%.80s`: %.160s", name,
                 reason);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Files

static sn_status add_clip(snb_rigs *rigs, const sn_clip *clip, const char *file, bool several,
                          bool *added, sn_error *error) {
    sn_status status;
    char name[SNB_RIG_NAME];
    snb_rig_clip made;
    snprintf(name, sizeof name, several ? "%.60s#%.30s" : "%.60s", file, clip->name);
    *added = false;
    rigs->clips = grow(rigs->clips, rigs->clip_count, sizeof *rigs->clips, &status, error);
    if (status != SN_OK || clip->skeleton.segment_count == 0) {
        return status;
    }
    status = snb_rig_clip_open(rigs->context, clip, file, name, &made, error);
    if (status != SN_OK) {
        return status;
    }
    *added = snb_rig_clip_is_persons(&made);
    if (*added) {
        rigs->clips[rigs->clip_count++] = made;
    } else {
        snb_rig_clip_close(&made);
    }
    return SN_OK;
}

static sn_status add_clips(snb_rigs *rigs, const sn_import *import, const char *name,
                           bool *has_clip, sn_error *error) {
    sn_status status = SN_OK;
    *has_clip = false;
    for (uint32_t i = 0; i < import->clip_count && status == SN_OK; ++i) {
        bool added;
        status = add_clip(rigs, import->clips[i], name, import->clip_count > 1, &added, error);
        *has_clip |= status == SN_OK && added;
    }
    return status;
}

static sn_status add_body(snb_rigs *rigs, const sn_import *import, const char *path,
                          const char *name, bool *is_body, sn_error *error) {
    sn_status status;
    rigs->bodies = grow(rigs->bodies, rigs->body_count, sizeof *rigs->bodies, &status, error);
    if (status == SN_OK) {
        status = snb_rig_body_open(rigs->context, import, path, name,
                                   &rigs->bodies[rigs->body_count], is_body, error);
        rigs->body_count += status == SN_OK && *is_body;
    }
    return status;
}

static bool is_read(const char *path) {
    static const char *const extensions[] = {".glb", ".gltf", ".vrm", ".bvh", ".fbx", ".dae"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof extensions / sizeof *extensions; ++i) {
        if (strcmp(dot, extensions[i]) == 0) {
            return true;
        }
    }
    return false;
}

// A file that cannot be read is left out with its reason.
static sn_status add_file(snb_rigs *rigs, const char *path, const char *name, sn_error *error) {
    sn_status status = SN_OK;
    sn_import *import = NULL;
    sn_error reason = {0};
    bool is_body = false, has_clip = false;
    status = sn_import_file(rigs->context, path, &import, &reason);
    if (status != SN_OK) {
        return status == SN_OUT_OF_MEMORY ? sni_fail_memory(error)
                                          : leave_out(rigs, name, reason.message, error);
    }
    rigs->imports = grow(rigs->imports, rigs->import_count, sizeof *rigs->imports, &status, error);
    if (status != SN_OK) {
        sn_import_destroy(import);
        return status;
    }
    rigs->imports[rigs->import_count++] = import;
    SN_TRY(add_body(rigs, import, path, name, &is_body, error));
    SN_TRY(add_clips(rigs, import, name, &has_clip, error));
    if (!is_body && !has_clip) {
        SN_TRY(
            leave_out(rigs, name, "neither a skin nor a clip on the skeleton of a person", error));
    }
cleanup:
    return status;
}

static sn_status search(snb_rigs *rigs, const char *data, const char *folder, int depth,
                        sn_error *error) {
    char path[4096], name[2048];
    struct dirent **entries = NULL;
    sn_status status = SN_OK;
    snprintf(path, sizeof path, "%s/%s", data, folder);
    int count = depth < most_depth ? scandir(path, &entries, NULL, alphasort) : 0;
    for (int i = 0; i < count; ++i) {
        struct stat info;
        snprintf(name, sizeof name, "%s%s%s", folder, folder[0] != 0 ? "/" : "",
                 entries[i]->d_name);
        snprintf(path, sizeof path, "%s/%s", data, name);
        bool hidden = entries[i]->d_name[0] == '.';
        free(entries[i]);
        if (status != SN_OK || hidden || stat(path, &info) != 0) {
            continue;
        }
        if (S_ISDIR(info.st_mode)) {
            status = search(rigs, data, name, depth + 1, error);
        } else if (is_read(name)) {
            status = add_file(rigs, path, name, error);
        }
    }
    free(entries);
    return status;
}

sn_status snb_rigs_open(sn_context *context, const char *data, const char *const *folders,
                        uint32_t folder_count, snb_rigs *rigs, sn_error *error) {
    sn_status status = SN_OK;
    *rigs = (snb_rigs){.context = context};
    for (uint32_t i = 0; i < folder_count && status == SN_OK; ++i) {
        status = search(rigs, data, folders[i], 0, error);
    }
    if (status != SN_OK) {
        snb_rigs_close(rigs);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------

// The body's own clips, or all others.
static sn_status measure_clips(snb_rigs *rigs, uint32_t b, bool own, uint32_t frames,
                               sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t c = 0; c < rigs->clip_count && status == SN_OK; ++c) {
        if ((strcmp(rigs->bodies[b].name, rigs->clips[c].file) == 0) == own) {
            status = snb_rig_measure(&rigs->bodies[b], &rigs->clips[c], frames,
                                     &rigs->rows[(size_t)b * rigs->clip_count + c], error);
        }
    }
    return status;
}

sn_status snb_rigs_measure(snb_rigs *rigs, uint32_t frames, FILE *progress, sn_error *error) {
    sn_status status = SN_OK;
    rigs->row_count = rigs->body_count * rigs->clip_count;
    rigs->rows = calloc(rigs->row_count > 0 ? rigs->row_count : 1, sizeof *rigs->rows);
    if (rigs->rows == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t b = 0; b < rigs->body_count && status == SN_OK; ++b) {
        if (progress != NULL) {
            fprintf(progress, "%s\n", rigs->bodies[b].name);
        }
        SN_TRY(measure_clips(rigs, b, true, frames, error));
        SN_TRY(measure_clips(rigs, b, false, frames, error));
    }
cleanup:
    return status;
}

void snb_rigs_close(snb_rigs *rigs) {
    for (uint32_t i = 0; i < rigs->body_count; ++i) {
        snb_rig_body_close(&rigs->bodies[i]);
    }
    for (uint32_t i = 0; i < rigs->clip_count; ++i) {
        snb_rig_clip_close(&rigs->clips[i]);
    }
    for (uint32_t i = 0; i < rigs->import_count; ++i) {
        sn_import_destroy(rigs->imports[i]);
    }
    free(rigs->bodies);
    free(rigs->clips);
    free(rigs->imports);
    free(rigs->rows);
    free(rigs->left_out);
    *rigs = (snb_rigs){0};
}
