// SPDX-License-Identifier: Apache-2.0
//
// Several deformers that move the same points side by side. Singh and Kokkevis combine wraps on one
// object "as described by Singh and Fiume" ("Wires: a geometric deformation technique", 1998):
//
//     p' = p + sum_i |D_i|^m D_i / sum_i |D_i|^m
//
// D_i is what deformer i moves the point by, m says how much larger motions outdo smaller ones.
// Here every deformer also has a weight w_i at the point, from 0 to 1. Where weights sum to less
// than 1, so much less is moved:
//
//     p' = p + min(1, sum_i w_i) sum_i w_i |D_i|^m D_i / sum_i w_i |D_i|^m
#include "skin/combine.h"

#include <math.h>

// Points of a block: some ten microseconds.
enum { COMBINE_GRAIN = 4096 };

static sn_vec3 combine_moves(const sni_combine_job *job, uint32_t vertex, sn_vec3 rest) {
    sn_vec3 sum = {0, 0, 0};
    double weights = 0, total = 0;
    for (uint32_t i = 0; i < job->count; ++i) {
        const sni_combined *c = &job->items[i];
        double weight = c->weight * (c->point_weights != NULL ? c->point_weights[vertex] : 1);
        sn_vec3 move = sn_vec3_sub(sn_vec3_load(c->points + 3 * (size_t)vertex), rest);
        if (weight > 0) {
            move = sn_vec3_scale(move, c->is_weighted ? 1 : weight); // w_i D_i
            double length = job->mode == SN_WRAP_LARGER ? sn_vec3_length(move) / weight : 1;
            sum = sn_vec3_add_scaled(sum, length, move);
            total += weight * length;
            weights += weight;
        }
    }
    return total > 0 ? sn_vec3_scale(sum, fmin(1, weights) / total) : sum;
}

static void combine_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const sni_combine_job *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        sn_vec3 rest = sn_vec3_load(job->points_in + 3 * (size_t)i);
        sn_vec3_store(sn_vec3_add(rest, combine_moves(job, i, rest)),
                      job->points_out + 3 * (size_t)i);
    }
}

void sni_combine_points(sn_context *context, const sni_combine_job *job) {
    SN_ASSERT(job->count > 0 && job->items != NULL);
    sn_parallel_for(context, job->vertex_count, COMBINE_GRAIN, combine_block, (void *)job);
}
