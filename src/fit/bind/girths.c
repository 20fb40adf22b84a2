// SPDX-License-Identifier: Apache-2.0
#include "fit/bind/girths.h"

#include <stdlib.h>

// The part of a limb's surface that is no farther away than its girth.
static const double share = 0.56;

typedef struct sample {
    uint32_t segment;
    uint32_t vertex; // so that the order is total
    double distance, area;
} sample;

static int compare_samples(const void *a, const void *b) {
    const sample *x = a, *y = b;
    if (x->segment != y->segment) {
        return x->segment < y->segment ? -1 : 1;
    }
    if (x->distance != y->distance) {
        return x->distance < y->distance ? -1 : 1;
    }
    return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

static uint32_t take_samples(const sni_volume *v, const sni_limbs *limbs, const sni_routes *routes,
                             sample *samples) {
    uint32_t count = 0;
    for (uint32_t node = v->inner_count; node < v->node_count; ++node) {
        uint32_t line = routes->lines[node];
        if (line != SN_NONE && v->areas[node] > 0) {
            samples[count++] =
                (sample){limbs->lines[line].segment, node, routes->distances[node], v->areas[node]};
        }
    }
    return count;
}

static double quantile(const sample *samples, uint32_t count) {
    double total = 0, sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        total += samples[i].area;
    }
    for (uint32_t i = 0; i < count; ++i) {
        sum += samples[i].area;
        if (sum >= share * total) {
            return samples[i].distance;
        }
    }
    return 0;
}

sn_status sni_girths_find(const sni_volume *volume, const sni_limbs *limbs,
                          const sni_routes *routes, double *girths, sn_error *error) {
    sn_status status = SN_OK;
    sample *samples = NULL;
    SNI_NEW(volume->context, samples, volume->node_count - volume->inner_count);
    uint32_t count = take_samples(volume, limbs, routes, samples);
    qsort(samples, count, sizeof *samples, compare_samples);
    for (uint32_t s = 0; s < limbs->segment_count; ++s) {
        girths[s] = 0;
    }
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && samples[end].segment == samples[i].segment;) {
            ++end;
        }
        girths[samples[i].segment] = quantile(samples + i, end - i);
    }
cleanup:
    sni_free(volume->context, samples);
    return status;
}
