// SPDX-License-Identifier: Apache-2.0
//
// The meshes of a folder, read in parallel, and what their surfaces are like.
#include "character/import/anatomy.h"

#include <stdarg.h>
#include <stdio.h>

// Files that are read between two looks at the progress: some 50 ms.
enum { READ_ROUND = 16 };

typedef struct reading {
    sni_anatomy_build *build;
    sn_status *statuses; // part_count
    sn_error *errors;    // part_count
} reading;

sn_status sni_anatomy_note(sni_anatomy_build *build, uint32_t part, sn_error *error,
                           const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *copy = sni_string_copy(build->context, text);
    if (copy == NULL) {
        return sni_fail_memory(error);
    }
    sni_free(build->context, build->report->results[part].note);
    build->report->results[part].note = copy;
    return SN_OK;
}

static bool is_read(const sn_anatomy_part *part) {
    return part->kind != SN_PART_BONE_UNION;
}

// Vertices that faces use: others are no part of the surface.
static uint32_t count_used(const sn_topology *topology, uint32_t vertex_count) {
    uint32_t used = 0;
    for (uint32_t v = 0; v < vertex_count; ++v) {
        used += topology->vertex_face_offsets[v + 1] > topology->vertex_face_offsets[v];
    }
    return used;
}

static sn_status describe_surface(const sn_mesh *mesh, sn_anatomy_result *result, sn_error *error) {
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    sn_status status = sn_topology_create(mesh, &topology, error);
    if (status == SN_OK) {
        sn_topology_summarize(mesh, topology, &summary);
        result->pieces = summary.components - summary.loose_vertices;
        result->holed_edges = summary.border_edges;
        result->odd_edges = summary.non_manifold_edges + summary.flipped_edges;
        // Euler: V - E + F = 2 (pieces - handles) where every edge has two faces.
        int64_t euler = (int64_t)count_used(topology, mesh->vertex_count) - topology->edge_count +
                        (mesh->face_count - summary.degenerate_faces);
        int64_t handles = (int64_t)result->pieces - euler / 2;
        result->handles = summary.closed && handles > 0 ? (uint32_t)handles : 0;
    }
    sn_topology_destroy(topology);
    return status;
}

static sn_status read_part(sni_anatomy_build *build, uint32_t index, sn_error *error) {
    sn_status status = SN_OK;
    const sn_anatomy_part *part = &build->anatomy->parts[index];
    SN_TRY(sn_import_file(build->context, part->path, &build->imports[index], error));
    const sn_import *import = build->imports[index];
    if (import->mesh_count != 1) {
        status = sni_fail(error, SN_INVALID, "%u meshes, but a part of a folder is one",
                          import->mesh_count);
        sni_error_source(error, part->path);
        return status;
    }
    build->meshes[index] = import->meshes[0];
    SN_TRY(describe_surface(import->meshes[0], &build->report->results[index], error));
cleanup:
    return status;
}

static void read_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    reading *r = user;
    for (uint32_t i = begin; i < end; ++i) {
        if (is_read(&r->build->anatomy->parts[i])) {
            r->statuses[i] = read_part(r->build, i, &r->errors[i]);
        }
    }
}

// A part without surface is left out from the beginning.
static sn_status leave_out_empty(sni_anatomy_build *build, uint32_t index, sn_error *error) {
    if (!is_read(&build->anatomy->parts[index])) {
        return sni_anatomy_note(build, index, error, "a union of other parts");
    }
    const sn_mesh *mesh = build->meshes[index];
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        if (mesh->face_offsets[f + 1] - mesh->face_offsets[f] >= 3) {
            return SN_OK;
        }
    }
    build->meshes[index] = NULL;
    return sni_anatomy_note(build, index, error, "a mesh without faces");
}

sn_status sni_anatomy_read_parts(sni_anatomy_build *build, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = build->anatomy->part_count;
    reading r = {.build = build};
    SNI_NEW_ZERO(build->context, build->imports, count);
    SNI_NEW_ZERO(build->context, build->meshes, count);
    SNI_NEW_ZERO(build->context, r.statuses, count);
    SNI_NEW_ZERO(build->context, r.errors, count);
    SN_TRY(sni_parallel_rounds(build->context, count, 1, READ_ROUND, read_block, &r,
                               build->progress, "reading meshes", error));
    for (uint32_t i = 0; i < count; ++i) {
        if (r.statuses[i] != SN_OK) {
            status = r.statuses[i];
            if (error != NULL) {
                *error = r.errors[i];
            }
            goto cleanup;
        }
        SN_TRY(leave_out_empty(build, i, error));
    }
cleanup:
    sni_free(build->context, r.statuses);
    sni_free(build->context, r.errors);
    return status;
}
