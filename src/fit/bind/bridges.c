// SPDX-License-Identifier: Apache-2.0
//
// Every node hears of the nearest vertices of two parts, a step farther in each round. Rounds read
// what was known after the one before, so that the order of nodes does not matter.
#include "fit/bind/bridges.h"

#include <string.h>

// Steps along links: some 8 cm in an adult at the usual resolution.
enum { ROUNDS = 8 };

// Nodes per block.
static const uint32_t grain = 1024;

// The nearest vertices of two different parts, nearest first; SN_NONE: not known.
typedef struct known {
    uint32_t vertices[2];
} known;

typedef struct bridges {
    const sni_volume *volume;
    known *before, *after; // node_count
} bridges;

static bool is_nearer(const sni_volume *v, uint32_t node, uint32_t vertex, uint32_t other) {
    if (other == SN_NONE) {
        return true;
    }
    sn_vec3 at = v->points[node];
    double a = sn_vec3_distance(at, v->points[v->inner_count + vertex]);
    double b = sn_vec3_distance(at, v->points[v->inner_count + other]);
    return a != b ? a < b : vertex < other;
}

static bool is_same_part(const sni_volume *v, uint32_t vertex, uint32_t other) {
    return other != SN_NONE && v->parts[vertex] == v->parts[other];
}

static void hear(const sni_volume *v, uint32_t node, uint32_t vertex, known *k) {
    uint32_t *near = k->vertices;
    bool nearest = is_nearer(v, node, vertex, near[0]);
    if (nearest) {
        near[1] = is_same_part(v, vertex, near[0]) ? near[1] : near[0];
        near[0] = vertex;
    } else if (!is_same_part(v, vertex, near[0]) && is_nearer(v, node, vertex, near[1])) {
        near[1] = vertex;
    }
}

static void spread(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const bridges *b = user;
    const sni_volume *v = b->volume;
    for (uint32_t node = begin; node < end; ++node) {
        known k = b->before[node];
        for (uint32_t i = v->offsets[node]; i < v->offsets[node + 1]; ++i) {
            const known *other = &b->before[v->others[i]];
            for (int n = 0; n < 2 && other->vertices[n] != SN_NONE; ++n) {
                hear(v, node, other->vertices[n], &k);
            }
        }
        b->after[node] = k;
    }
}

sn_status sni_bridges_find(const sni_volume *volume, uint32_t *partners, sn_error *error) {
    sn_status status = SN_OK;
    const sni_volume *v = volume;
    uint32_t vertex_count = v->node_count - v->inner_count;
    bridges b = {.volume = v};
    memset(partners, 0xff, vertex_count * sizeof *partners);
    if (v->part_count < 2) {
        return SN_OK;
    }
    SNI_NEW(v->context, b.before, v->node_count);
    SNI_NEW(v->context, b.after, v->node_count);
    memset(b.before, 0xff, v->node_count * sizeof *b.before);
    for (uint32_t i = 0; i < vertex_count; ++i) {
        b.before[v->inner_count + i].vertices[0] = i;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        sn_parallel_for(v->context, v->node_count, grain, spread, &b);
        known *swap = b.before;
        b.before = b.after;
        b.after = swap;
    }
    for (uint32_t i = 0; i < vertex_count; ++i) {
        const uint32_t *near = b.before[v->inner_count + i].vertices;
        partners[i] = is_same_part(v, i, near[0]) ? near[1] : near[0];
    }
cleanup:
    sni_free(v->context, b.before);
    sni_free(v->context, b.after);
    return status;
}
