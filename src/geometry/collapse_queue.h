// SPDX-License-Identifier: Apache-2.0
//
// The queue of edges that wait to be collapsed: a heap keyed (error, edge), the edge being its two
// vertices, so that the order is total and does not depend on how the heap was filled. Errors are
// rounded to float: an entry then takes 16 bytes, and the four children of one a line of the cache.
//
// Deletion is lazy: every vertex has a stamp that grows when its edges must be looked at anew, and
// an entry counts only while neither end's stamp has grown. An edge has at most one entry that
// counts; when the room is full the others are thrown out.
#ifndef SINEW_GEOMETRY_COLLAPSE_QUEUE_H
#define SINEW_GEOMETRY_COLLAPSE_QUEUE_H

#include "base/memory.h"

typedef struct sni_collapse {
    float error;
    uint32_t low, high; // the edge, low < high
    uint32_t stamp;     // sum of the stamps of its ends when it was pushed
} sni_collapse;

typedef struct sni_collapse_queue {
    sni_collapse *memory;  // capacity and a few more
    sni_collapse *entries; // capacity; children of entry i are 4 i + 1 to 4 i + 4
    size_t count;
    size_t capacity;
    uint32_t *stamps; // one per vertex
} sni_collapse_queue;

// Room for `edge_count` edges that count at once, and as many again that do not.
sn_status sni_collapse_queue_init(sn_context *context, sni_collapse_queue *queue,
                                  uint32_t vertex_count, size_t edge_count, sn_error *error);
void sni_collapse_queue_deinit(sn_context *context, sni_collapse_queue *queue);

// Adds an edge at the end without order; sni_collapse_queue_order makes the heap of many at once.
void sni_collapse_queue_append(sni_collapse_queue *queue, uint32_t a, uint32_t b, float error);
void sni_collapse_queue_order(sni_collapse_queue *queue);

void sni_collapse_queue_push(sni_collapse_queue *queue, uint32_t a, uint32_t b, float error);

// Takes the cheapest edge that counts; false when there is none.
bool sni_collapse_queue_pop(sni_collapse_queue *queue, sni_collapse *collapse);

// Forgets all entries of a vertex.
void sni_collapse_queue_forget(sni_collapse_queue *queue, uint32_t vertex);

#endif
