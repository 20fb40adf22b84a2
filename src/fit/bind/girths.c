// SPDX-License-Identifier: Apache-2.0
#include "fit/bind/girths.h"

#include "base/hermite.h"

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

static void fill_segments(const sample *samples, uint32_t count, sni_girths *girths) {
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && samples[end].segment == samples[i].segment;) {
            ++end;
        }
        double girth = quantile(samples + i, end - i);
        girths->segments[samples[i].segment] = girth;
        girths->thickest = fmax(girths->thickest, girth);
    }
}

static bool is_same_place(sn_vec3 a, sn_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// The direction in which a line leaves one of its ends.
static sn_vec3 direction_from(const sni_limb_line *line, bool from_first) {
    sn_vec3 way = sn_vec3_sub(line->to, line->from);
    return sn_vec3_normalize_or(from_first ? way : sn_vec3_scale(way, -1), sn_vec3_make(0, 0, 0));
}

// Whether `other` goes on from a place where a line comes in along `out`. A thigh turns away from
// its hip, whose flesh reaches around the joint.
static bool goes_on(const sni_limb_line *other, sn_vec3 place, sn_vec3 out) {
    static const double straight = 0.5; // cosine
    bool first = is_same_place(other->from, place), last = is_same_place(other->to, place);
    return first != last && sn_vec3_dot(direction_from(other, first), out) > straight;
}

static void fill_ends(sni_girths *girths) {
    const sni_limbs *limbs = girths->limbs;
    for (uint32_t i = 0; i < limbs->line_count; ++i) {
        const sni_limb_line *line = &limbs->lines[i];
        for (int end = 0; end < 2; ++end) {
            double *least = &girths->ends[2 * (size_t)i + end];
            *least = girths->segments[line->segment];
            bool is_joint = end == 0 ? line->joint_from : line->joint_to;
            sn_vec3 place = end == 0 ? line->from : line->to;
            sn_vec3 out = sn_vec3_scale(direction_from(line, end == 0), -1);
            for (uint32_t k = 0; k < limbs->line_count && is_joint; ++k) {
                const sni_limb_line *other = &limbs->lines[k];
                double girth = girths->segments[other->segment];
                if (k != i && girth > 0 && goes_on(other, place, out)) {
                    *least = fmin(*least, girth);
                }
            }
        }
    }
}

double sni_girth_towards(const sni_girths *girths, uint32_t line, sn_vec3 point) {
    // Beyond the end by this many girths of what goes on there, only that counts.
    static const double gone = 0.7;
    const sni_limb_line *l = &girths->limbs->lines[line];
    sn_vec3 way = sn_vec3_sub(l->to, l->from);
    double length = sn_vec3_length(way), own = girths->segments[l->segment];
    if (!(length > 0)) {
        return own;
    }
    double along = sn_vec3_dot(sn_vec3_sub(point, l->from), way) / length;
    double beyond = along < 0 ? -along : along - length;
    double least = girths->ends[2 * (size_t)line + (along < 0 ? 0 : 1)];
    if (!(beyond > 0 && least > 0 && least < own)) {
        return own;
    }
    return own + sni_smooth_step(beyond / (gone * least)) * (least - own);
}

sn_status sni_girths_init(const sni_volume *volume, const sni_limbs *limbs,
                          const sni_routes *routes, sni_girths *girths, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = volume->context;
    sample *samples = NULL;
    *girths = (sni_girths){.context = context, .limbs = limbs};
    SNI_NEW(context, samples, volume->node_count - volume->inner_count);
    SNI_NEW_ZERO(context, girths->segments, limbs->segment_count);
    SNI_NEW(context, girths->ends, 2 * (size_t)limbs->line_count);
    uint32_t count = take_samples(volume, limbs, routes, samples);
    qsort(samples, count, sizeof *samples, compare_samples);
    fill_segments(samples, count, girths);
    fill_ends(girths);
cleanup:
    sni_free(context, samples);
    if (status != SN_OK) {
        sni_girths_deinit(girths);
    }
    return status;
}

void sni_girths_deinit(sni_girths *girths) {
    sni_free(girths->context, girths->segments);
    sni_free(girths->context, girths->ends);
    *girths = (sni_girths){0};
}
