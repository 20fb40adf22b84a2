// SPDX-License-Identifier: Apache-2.0
#include "io/join.h"

#include "base/memory.h"

#include <string.h>

static uint32_t row_length(const sn_weights *weights, uint32_t vertex) {
    return weights != NULL ? weights->offsets[vertex + 1] - weights->offsets[vertex] : 0;
}

static bool is_same(const sn_mesh *mesh, uint32_t a, uint32_t b) {
    const size_t point = 3 * sizeof(float);
    const sn_weights *weights = mesh->weights;
    uint32_t length = row_length(weights, a);
    if (memcmp(mesh->positions + 3 * (size_t)a, mesh->positions + 3 * (size_t)b, point) != 0 ||
        row_length(weights, b) != length) {
        return false;
    }
    for (uint32_t i = 0; i < length; ++i) {
        uint32_t entry_a = weights->offsets[a] + i, entry_b = weights->offsets[b] + i;
        if (weights->bones[entry_a] != weights->bones[entry_b] ||
            weights->values[entry_a] != weights->values[entry_b]) {
            return false;
        }
    }
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        const float *offsets = mesh->targets[t].offsets;
        if (memcmp(offsets + 3 * (size_t)a, offsets + 3 * (size_t)b, point) != 0) {
            return false;
        }
    }
    return true;
}

static size_t hash_position(const float *position) {
    uint64_t hash = 0;
    for (int i = 0; i < 3; ++i) {
        uint32_t bits;
        memcpy(&bits, &position[i], sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15u; // 2^64 / golden ratio
        hash ^= hash >> 29;
    }
    return (size_t)hash;
}

// Finds for each vertex its number after joining. Firsts of their kind are numbered in order, so
// that a number is never above the vertex itself.
static sn_status find_joined(const sn_mesh *mesh, uint32_t *joined, uint32_t *count,
                             sn_error *error) {
    sn_status status = SN_OK;
    size_t capacity = 16;
    while (capacity < (size_t)mesh->vertex_count * 2) {
        capacity *= 2;
    }
    uint32_t *table = NULL; // vertices, SN_NONE where free
    SNI_NEW(mesh->context, table, capacity);
    memset(table, 0xff, capacity * sizeof *table);
    *count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        size_t i = hash_position(mesh->positions + 3 * (size_t)v) & (capacity - 1);
        while (table[i] != SN_NONE && !is_same(mesh, table[i], v)) {
            i = (i + 1) & (capacity - 1);
        }
        joined[v] = table[i] != SN_NONE ? joined[table[i]] : (*count)++;
        table[i] = table[i] != SN_NONE ? table[i] : v;
    }
cleanup:
    sni_free(mesh->context, table);
    return status;
}

static void move_points(float *points, const uint32_t *joined, uint32_t count) {
    for (size_t v = 0; v < count; ++v) {
        memmove(points + 3 * (size_t)joined[v], points + 3 * v, 3 * sizeof *points);
    }
}

// Rows move down in place: row `joined[v]` ends before row v begins.
static void move_weights(sn_weights *weights, const uint32_t *joined, uint32_t count) {
    uint32_t rows = 0, used = 0, begin = 0;
    for (uint32_t v = 0; v < count; ++v) {
        uint32_t end = weights->offsets[v + 1];
        if (joined[v] == rows) {
            memmove(weights->bones + used, weights->bones + begin,
                    (end - begin) * sizeof *weights->bones);
            memmove(weights->values + used, weights->values + begin,
                    (end - begin) * sizeof *weights->values);
            used += end - begin;
            weights->offsets[++rows] = used;
        }
        begin = end;
    }
}

sn_status sni_join_split_vertices(sn_mesh *mesh, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *joined = NULL;
    uint32_t count = 0;
    uint32_t old_count = mesh->vertex_count;
    SNI_NEW(mesh->context, joined, old_count);
    SN_TRY(find_joined(mesh, joined, &count, error));
    if (count == old_count) {
        goto cleanup;
    }
    for (uint32_t i = 0; i < mesh->attribute_count; ++i) {
        sn_attribute *attribute = &mesh->attributes[i];
        if (attribute->corner == NULL) {
            SNI_NEW(mesh->context, attribute->corner, mesh->corner_count);
            memcpy(attribute->corner, mesh->corners,
                   mesh->corner_count * sizeof *attribute->corner);
        }
    }
    for (uint32_t c = 0; c < mesh->corner_count; ++c) {
        mesh->corners[c] = joined[mesh->corners[c]];
    }
    move_points(mesh->positions, joined, old_count);
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        move_points(mesh->targets[t].offsets, joined, old_count);
        mesh->targets[t].count = count;
    }
    if (mesh->weights != NULL) {
        move_weights(mesh->weights, joined, old_count);
    }
    mesh->vertex_count = count;
cleanup:
    sni_free(mesh->context, joined);
    return status;
}
