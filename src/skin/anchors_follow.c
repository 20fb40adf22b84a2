// SPDX-License-Identifier: Apache-2.0
//
// Anchors on a body with other proportions: how the skin around each of them is stretched there. A
// component that deforms is taken as a whole, by the affine map that fits best: the cells at the
// ends of muscles have next to no volume and would say anything.
#include "kind/component_shape.h"
#include "skin/anchors_internal.h"

#include <math.h>

// Points of a block: some hundred microseconds.
enum { FOLLOW_GRAIN = 4096 };

typedef struct follow_run {
    sni_anchors *anchors;
    const sn_mat4 *maps; // component_count
} follow_run;

static bool is_other_body(const sni_anchors_desc *desc) {
    for (uint32_t i = 0; i < desc->component_count; ++i) {
        if (desc->components[i].to_segment != NULL || desc->components[i].rest_points != NULL) {
            return true;
        }
    }
    return false;
}

// The map of a component that deforms.
static sn_status fit_component(sni_anchors *anchors, uint32_t index, const float *from,
                               const float *to, sn_mat4 *map, sn_error *error) {
    sni_bound_component whole = {.vertex_count = anchors->components[index].vertex_count};
    sn_status status = SN_OK;
    SN_TRY(sni_prepare_affine(anchors->context, from, &whole, error));
    *map = sni_fit_affine(&whole, to);
cleanup:
    sni_free(anchors->context, whole.factors);
    return status;
}

static sn_status find_maps(sni_anchors *anchors, const sni_anchors_desc *desc,
                           sni_component_shape *const *shapes, sn_mat4 *maps, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < anchors->component_count; ++i) {
        const sni_bound_component *bound = &anchors->components[i];
        const float *points = desc->components[i].rest_points;
        maps[i] = sn_mat4_identity();
        if (bound->kind == SNI_ANCHOR_RIGID) {
            maps[i] = sn_mat4_multiply(&desc->rest_worlds[bound->segment], &bound->to_segment);
        } else if (points != NULL) {
            const float *strips = desc->components[i].strip_points;
            SN_TRY(fit_component(anchors, i, strips != NULL ? strips : shapes[i]->vertices, points,
                                 &maps[i], error));
        }
    }
cleanup:
    return status;
}

static void follow_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const follow_run *run = user;
    sni_anchors *anchors = run->anchors;
    for (size_t i = begin; i < end; ++i) {
        double sum[9] = {0};
        for (uint32_t k = anchors->tie_starts[i]; k < anchors->tie_starts[i + 1]; ++k) {
            const sni_tie *tie = &anchors->ties[k];
            const sn_mat4 *map = &run->maps[tie->component];
            for (size_t n = 0; n < 9; ++n) {
                sum[n] += (double)tie->weight * map->m[4 * (n % 3) + n / 3];
            }
            if (tie->deep != SN_NONE) {
                double volume = fabs(sn_mat4_determinant(map));
                anchors->deep_anchors[tie->deep].scale = volume > 0 ? cbrt(volume) : 1;
            }
        }
        for (size_t n = 0; n < 9; ++n) {
            anchors->maps[9 * i + n] = (float)sum[n];
        }
    }
}

sn_status sni_anchors_follow(sni_anchors *anchors, const sni_anchors_desc *desc,
                             sni_component_shape *const *shapes, sn_error *error) {
    SN_ASSERT(anchors->component_count == desc->component_count);
    sn_status status = SN_OK;
    sn_mat4 *maps = NULL;
    for (uint32_t i = 0; i < anchors->deep_count; ++i) {
        anchors->deep_anchors[i].scale = 1;
    }
    if (!is_other_body(desc)) {
        return SN_OK;
    }
    SNI_NEW(anchors->context, maps, anchors->component_count);
    SNI_NEW(anchors->context, anchors->maps, 9 * (size_t)anchors->point_count);
    SN_TRY(find_maps(anchors, desc, shapes, maps, error));
    follow_run run = {anchors, maps};
    sn_parallel_for(anchors->context, anchors->point_count, FOLLOW_GRAIN, follow_block, &run);
cleanup:
    sni_free(anchors->context, maps);
    return status;
}
