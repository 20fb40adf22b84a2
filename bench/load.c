// SPDX-License-Identifier: Apache-2.0
//
// Row load/glb: a skinned mesh of 1.3 million vertices with normals, texture coordinates and four
// weights each, 100 MB, read from a file that the system has in its cache.
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"

#include "base/memory.h"
#include "motion/skeleton.h"
#include "sinew/io.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIDE = 1150, INFLUENCES = 4, BONES = 100 };

// What a user waits for without wondering: a second for 100 MB.
static const double budget_bytes_per_ms = 1e5;

// ---------------------------------------------------------------------------------------------
// The file

static sn_status fill_attributes(sn_mesh *mesh, sn_error *error) {
    sn_attribute *normals, *uvs;
    sn_status status =
        sn_mesh_add_attribute(mesh, "normal", 3, mesh->vertex_count, false, &normals, error);
    if (status != SN_OK) {
        return status;
    }
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        memcpy(normals->values + 3 * (size_t)i, (float[3]){0, 1, 0}, 3 * sizeof(float));
    }
    status = sn_mesh_add_attribute(mesh, "uv", 2, mesh->vertex_count, false, &uvs, error);
    if (status != SN_OK) {
        return status;
    }
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        uvs->values[2 * (size_t)i] = (float)(i / SIDE) / SIDE;
        uvs->values[2 * (size_t)i + 1] = (float)(i % SIDE) / SIDE;
    }
    return SN_OK;
}

static void fill_faces(sn_mesh *mesh) {
    uint32_t corner = 0, face = 0;
    for (uint32_t row = 0; row + 1 < SIDE; ++row) {
        for (uint32_t column = 0; column + 1 < SIDE; ++column) {
            uint32_t a = row * SIDE + column;
            const uint32_t corners[6] = {a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE};
            memcpy(mesh->corners + corner, corners, sizeof corners);
            mesh->face_offsets[face++] = corner;
            mesh->face_offsets[face++] = corner + 3;
            corner += 6;
        }
    }
}

static sn_status fill_weights(sn_mesh *mesh, sn_error *error) {
    sn_status status =
        sn_mesh_set_weights(mesh, BONES, mesh->vertex_count * INFLUENCES, false, error);
    for (uint32_t bone = 0; bone < BONES && status == SN_OK; ++bone) {
        char name[16];
        snprintf(name, sizeof name, "bone%u", bone);
        status = sn_mesh_name_bone(mesh, bone, name, error);
    }
    for (uint32_t i = 0; i < mesh->vertex_count && status == SN_OK; ++i) {
        mesh->weights->offsets[i] = i * INFLUENCES;
        for (uint32_t k = 0; k < INFLUENCES; ++k) {
            mesh->weights->bones[i * INFLUENCES + k] = i / SIDE * (BONES - INFLUENCES) / SIDE + k;
            mesh->weights->values[i * INFLUENCES + k] = 1.0f / INFLUENCES;
        }
    }
    return status;
}

static sn_status make_mesh(sn_context *context, sn_mesh **mesh, sn_error *error) {
    const uint32_t faces = 2 * (SIDE - 1) * (SIDE - 1);
    sn_status status = sn_mesh_create(context, "sheet", SIDE * SIDE, faces, 3 * faces, mesh, error);
    if (status != SN_OK) {
        return status;
    }
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        double x = (double)(i / SIDE) / SIDE, y = (double)(i % SIDE) / SIDE;
        sn_vec3_store(sn_vec3_make(x, 0.01 * sin(40 * y), y), (*mesh)->positions + 3 * (size_t)i);
    }
    fill_faces(*mesh);
    status = fill_attributes(*mesh, error);
    return status == SN_OK ? fill_weights(*mesh, error) : status;
}

static sn_status name_segments(sn_context *context, sn_skeleton *skeleton, sn_error *error) {
    sn_status status = sni_skeleton_init(context, BONES, skeleton, error);
    for (uint32_t i = 0; i < BONES && status == SN_OK; ++i) {
        char name[16];
        snprintf(name, sizeof name, "bone%u", i);
        skeleton->segments[i].name = sni_string_copy(context, name);
        status = skeleton->segments[i].name != NULL ? SN_OK : sni_fail_memory(error);
    }
    return status;
}

static sn_status write_file(sn_context *context, const char *path, sn_error *error) {
    sn_status status = SN_OK;
    sn_mesh *mesh = NULL;
    sn_skeleton skeleton = {0};
    SN_TRY(make_mesh(context, &mesh, error));
    SN_TRY(name_segments(context, &skeleton, error));
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    desc.mesh_count = 1;
    desc.meshes = (const sn_mesh *const[]){mesh};
    desc.mesh_segments = (const uint32_t[]){SN_NONE};
    desc.skeleton = &skeleton;
    desc.clip_name = "rest";
    desc.rate = 30;
    SN_TRY(sn_export_skinned(context, path, &desc, error));
cleanup:
    sni_skeleton_deinit(context, &skeleton);
    sn_mesh_destroy(mesh);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Reading it

// An allocator that knows the most that was ever in use.
typedef struct peak {
    atomic_size_t bytes, most;
} peak;

static void *count_alloc(size_t size, size_t alignment, void *user) {
    peak *p = user;
    void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    size_t now = atomic_fetch_add(&p->bytes, size) + size;
    if (now > p->most) {
        p->most = now;
    }
    return memory;
}

static void count_free(void *memory, size_t size, void *user) {
    atomic_fetch_sub(&((peak *)user)->bytes, size);
    free(memory);
}

typedef struct reading {
    sn_context *context;
    const char *path;
    sn_status status;
    sn_error error;
} reading;

static void import(void *user) {
    reading *r = user;
    sn_import *found = NULL;
    sn_status status = sn_import_file(r->context, r->path, &found, &r->error);
    r->status = r->status == SN_OK ? status : r->status;
    sn_import_destroy(found);
}

static sn_status time_file(snb_report *report, const char *path, sn_error *error) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return sni_fail(error, SN_IO, "cannot read %s", path);
    }
    peak most = {0};
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = sn_context_thread_count(report->context);
    desc.allocator = (sn_allocator){.alloc = count_alloc, .free = count_free, .user = &most};
    reading r = {.path = path};
    sn_status status = sn_context_create(&desc, &r.context, error);
    if (status != SN_OK) {
        return status;
    }
    double ms = snb_time(import, &r);
    size_t peak_bytes = most.most;
    sn_context_destroy(r.context);
    if (r.status != SN_OK) {
        return sni_fail(error, r.status, "%s", r.error.message);
    }
    double size = (double)info.st_size;
    if (!snb_add(report, "load/glb", (uint32_t)info.st_size, ms, "budget",
                 size / budget_bytes_per_ms, 1)) {
        return sni_fail_memory(error);
    }
    report->results[report->count - 1].mb_per_s = size * 1e-6 / (ms * 1e-3);
    report->results[report->count - 1].peak_memory_ratio = (double)peak_bytes / size;
    return SN_OK;
}

sn_status snb_load(snb_report *report, sn_error *error) {
    const char *folder = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/sinew-bench-%ld.glb", folder != NULL ? folder : "/tmp",
             (long)getpid());
    sn_status status = write_file(report->context, path, error);
    if (status == SN_OK) {
        status = time_file(report, path, error);
    }
    unlink(path);
    return status;
}
