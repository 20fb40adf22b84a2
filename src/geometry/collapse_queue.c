// SPDX-License-Identifier: Apache-2.0
#include "geometry/collapse_queue.h"

// Room beyond two entries for each edge, so that a small mesh does not tidy up at every step.
static const size_t spare_room = 64;

// The first entry stands here in memory, so that groups of four children begin at multiples of 64
// bytes.
enum { FIRST = 3, CHILDREN = 4 };
_Static_assert(sizeof(sni_collapse) * CHILDREN == SNI_ALIGNMENT, "four entries fill a line");

static bool before(const sni_collapse *a, const sni_collapse *b) {
    if (a->error != b->error) {
        return a->error < b->error;
    }
    return a->low != b->low ? a->low < b->low : a->high < b->high;
}

static uint32_t stamp_of(const sni_collapse_queue *queue, uint32_t a, uint32_t b) {
    // Stamps only grow, so that equal sums mean that neither has grown.
    return queue->stamps[a] + queue->stamps[b];
}

static bool counts(const sni_collapse_queue *queue, const sni_collapse *entry) {
    return entry->stamp == stamp_of(queue, entry->low, entry->high);
}

static void sift_up(sni_collapse *entries, size_t place) {
    sni_collapse entry = entries[place];
    while (place > 0 && before(&entry, &entries[(place - 1) / CHILDREN])) {
        entries[place] = entries[(place - 1) / CHILDREN];
        place = (place - 1) / CHILDREN;
    }
    entries[place] = entry;
}

static void sift_down(sni_collapse *entries, size_t count, size_t place) {
    sni_collapse entry = entries[place];
    for (size_t first; (first = CHILDREN * place + 1) < count;) {
        size_t end = first + CHILDREN < count ? first + CHILDREN : count, child = first;
        for (size_t i = first + 1; i < end; ++i) {
            child = before(&entries[i], &entries[child]) ? i : child;
        }
        if (!before(&entries[child], &entry)) {
            break;
        }
        entries[place] = entries[child];
        place = child;
    }
    entries[place] = entry;
}

static void drop_stale(sni_collapse_queue *queue) {
    size_t kept = 0;
    for (size_t i = 0; i < queue->count; ++i) {
        if (counts(queue, &queue->entries[i])) {
            queue->entries[kept++] = queue->entries[i];
        }
    }
    queue->count = kept;
    sni_collapse_queue_order(queue);
}

sn_status sni_collapse_queue_init(sn_context *context, sni_collapse_queue *queue,
                                  uint32_t vertex_count, size_t edge_count, sn_error *error) {
    sn_status status = SN_OK;
    *queue = (sni_collapse_queue){.capacity = 2 * edge_count + spare_room};
    SNI_NEW(context, queue->memory, queue->capacity + FIRST);
    queue->entries = queue->memory + FIRST;
    SNI_NEW_ZERO(context, queue->stamps, vertex_count);
    return SN_OK;
cleanup:
    sni_collapse_queue_deinit(context, queue);
    return status;
}

void sni_collapse_queue_deinit(sn_context *context, sni_collapse_queue *queue) {
    sni_free(context, queue->memory);
    sni_free(context, queue->stamps);
    *queue = (sni_collapse_queue){0};
}

void sni_collapse_queue_append(sni_collapse_queue *queue, uint32_t a, uint32_t b, float error) {
    SN_ASSERT(queue->count < queue->capacity);
    queue->entries[queue->count++] = (sni_collapse){
        .error = error,
        .low = a < b ? a : b,
        .high = a < b ? b : a,
        .stamp = stamp_of(queue, a, b),
    };
}

void sni_collapse_queue_order(sni_collapse_queue *queue) {
    SN_ASSERT(queue->count <= queue->capacity);
    for (size_t i = queue->count / CHILDREN + 1; i > 0; --i) {
        if (i <= queue->count) {
            sift_down(queue->entries, queue->count, i - 1);
        }
    }
}

void sni_collapse_queue_push(sni_collapse_queue *queue, uint32_t a, uint32_t b, float error) {
    if (queue->count == queue->capacity) {
        drop_stale(queue);
    }
    sni_collapse_queue_append(queue, a, b, error);
    sift_up(queue->entries, queue->count - 1);
}

bool sni_collapse_queue_pop(sni_collapse_queue *queue, sni_collapse *collapse) {
    while (queue->count > 0) {
        *collapse = queue->entries[0];
        queue->entries[0] = queue->entries[--queue->count];
        if (queue->count > 0) {
            sift_down(queue->entries, queue->count, 0);
        }
        if (counts(queue, collapse)) {
            return true;
        }
    }
    return false;
}

void sni_collapse_queue_forget(sni_collapse_queue *queue, uint32_t vertex) {
    queue->stamps[vertex] += 1;
}
