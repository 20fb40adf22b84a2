// SPDX-License-Identifier: Apache-2.0
#include "skin/layers/predict.h"

#include "base/context.h"
#include "geometry/triangle.h"
#include "motion/skeleton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Weights below this part of the largest do not count.
static const double least_weight = 1e-3;
// Columns that follow one segment more than this have no use for a centre.
static const double nearly_one = 0.995;
// How alike weights have to be for a triangle to count for a centre.
static const double sigma = 0.1;
// Triangles with mixed weights that centres are found from, at most.
enum { MOST_SAMPLES = 3500 };
enum { CENTRE_GRAIN = 64 };

// ---------------------------------------------------------------------------------------------
// Weights

static sn_status average_weights(const sni_layers_mesh *m, uint32_t width, uint32_t rounds,
                                 float *weights, sn_error *error) {
    sn_status status = SN_OK;
    float *next = NULL;
    size_t count = (size_t)m->column_count * width;
    SNI_NEW(m->context, next, count);
    for (uint32_t i = 0; i < rounds; ++i) {
        sni_surface_graph_average(&m->graph, width, 0.5, weights, next);
        memcpy(weights, next, count * sizeof *next);
    }
cleanup:
    sni_free(m->context, next);
    return status;
}

typedef struct influence {
    float weight;
    uint32_t segment;
} influence;

// The largest weights of a row, falling; the lowest segment of equals first. Returns how many.
static uint32_t take_largest(const float *row, uint32_t width, influence *taken) {
    uint32_t count = 0;
    for (uint32_t s = 0; s < width; ++s) {
        if (!(row[s] > 0) ||
            (count == SNI_LAYERS_INFLUENCES && row[s] <= taken[count - 1].weight)) {
            continue;
        }
        uint32_t i = count < SNI_LAYERS_INFLUENCES ? count++ : count - 1;
        for (; i > 0 && taken[i - 1].weight < row[s]; --i) {
            taken[i] = taken[i - 1];
        }
        taken[i] = (influence){row[s], s};
    }
    while (count > 1 && (double)taken[count - 1].weight < least_weight * (double)taken[0].weight) {
        --count;
    }
    return count;
}

static sn_status keep_largest(sni_layers_prediction *p, const float *weights, sn_error *error) {
    sn_status status = SN_OK;
    size_t most = (size_t)p->column_count * SNI_LAYERS_INFLUENCES;
    SNI_NEW(p->context, p->starts, (size_t)p->column_count + 1);
    SNI_NEW(p->context, p->segments, most);
    SNI_NEW(p->context, p->weights, most);
    p->starts[0] = 0;
    for (uint32_t i = 0; i < p->column_count; ++i) {
        influence taken[SNI_LAYERS_INFLUENCES];
        uint32_t at = p->starts[i];
        uint32_t count =
            take_largest(weights + (size_t)i * p->segment_count, p->segment_count, taken);
        double sum = 0;
        for (uint32_t k = 0; k < count; ++k) {
            sum += (double)taken[k].weight;
        }
        for (uint32_t k = 0; k < count; ++k) {
            p->segments[at + k] = taken[k].segment;
            p->weights[at + k] = (float)((double)taken[k].weight / sum);
        }
        p->starts[i + 1] = at + count;
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Centres of rotation

// A triangle with mixed weights.
typedef struct sample {
    sn_vec3 at;
    double area;
    uint32_t count;
    influence influences[SNI_LAYERS_INFLUENCES];
} sample;

// Mean weights of a triangle's three columns; false where they are nearly one segment's.
static bool mix_weights(const sni_layers_prediction *p, const uint32_t *columns, float *row,
                        sample *s) {
    for (int c = 0; c < 3; ++c) {
        for (uint32_t k = p->starts[columns[c]]; k < p->starts[columns[c] + 1]; ++k) {
            row[p->segments[k]] += p->weights[k] / 3;
        }
    }
    s->count = take_largest(row, p->segment_count, s->influences);
    for (int c = 0; c < 3; ++c) {
        for (uint32_t k = p->starts[columns[c]]; k < p->starts[columns[c] + 1]; ++k) {
            row[p->segments[k]] = 0;
        }
    }
    return s->count > 1 && (double)s->influences[0].weight < nearly_one;
}

static void thin_out(sample *samples, uint32_t *count) {
    uint32_t stride = *count / MOST_SAMPLES + 1, kept = 0;
    for (uint32_t i = 0; i < *count; i += stride) {
        samples[kept++] = samples[i];
    }
    *count = kept;
}

static sn_status take_samples(const sni_layers_prediction *p, const sni_layers_mesh *m,
                              sample **samples, uint32_t *count, sn_error *error) {
    sn_status status = SN_OK;
    float *row = NULL;
    *count = 0;
    SNI_NEW_ZERO(p->context, row, p->segment_count);
    SNI_NEW(p->context, *samples, m->column_triangle_count);
    for (uint32_t t = 0; t < m->column_triangle_count; ++t) {
        const uint32_t *v = m->column_triangles + 3 * (size_t)t;
        sample *s = &(*samples)[*count];
        sn_vec3 corners[3];
        sni_triangle_corners(m->points, v, corners);
        s->area = sni_triangle_area(corners[0], corners[1], corners[2]);
        s->at =
            sn_vec3_scale(sn_vec3_add(sn_vec3_add(corners[0], corners[1]), corners[2]), 1.0 / 3);
        *count += mix_weights(p, v, row, s) && s->area > 0;
    }
    thin_out(*samples, count);
cleanup:
    sni_free(p->context, row);
    return status;
}

typedef struct centre_run {
    sni_layers_prediction *prediction;
    const sni_layers_mesh *mesh;
    const sample *samples;
    uint32_t count;
} centre_run;

static double weight_of(const influence *influences, uint32_t count, uint32_t segment) {
    for (uint32_t k = 0; k < count; ++k) {
        if (influences[k].segment == segment) {
            return (double)influences[k].weight;
        }
    }
    return 0;
}

// How alike two rows of weights are (equation 3 of the paper).
static double likeness(const influence *own, uint32_t own_count, const sample *s) {
    double sum = 0, others[SNI_LAYERS_INFLUENCES];
    for (uint32_t j = 0; j < own_count; ++j) {
        others[j] = weight_of(s->influences, s->count, own[j].segment);
    }
    for (uint32_t j = 0; j < own_count; ++j) {
        for (uint32_t k = j + 1; k < own_count && others[j] > 0; ++k) {
            double a = (double)own[j].weight, b = (double)own[k].weight;
            double off = a * others[k] - b * others[j];
            sum += a * b * others[j] * others[k] * exp(-off * off / (sigma * sigma));
        }
    }
    return sum;
}

static void centre_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const centre_run *run = user;
    sni_layers_prediction *p = run->prediction;
    for (uint32_t i = begin; i < end; ++i) {
        influence own[SNI_LAYERS_INFLUENCES];
        uint32_t count = p->starts[i + 1] - p->starts[i];
        sn_vec3 sum = {0, 0, 0};
        double total = 0;
        for (uint32_t k = 0; k < count; ++k) {
            own[k] = (influence){p->weights[p->starts[i] + k], p->segments[p->starts[i] + k]};
        }
        bool is_mixed = count > 1 && (double)own[0].weight < nearly_one;
        for (uint32_t s = 0; is_mixed && s < run->count; ++s) {
            const sample *other = &run->samples[s];
            if (weight_of(other->influences, other->count, own[0].segment) > 0) {
                double share = other->area * likeness(own, count, other);
                sum = sn_vec3_add_scaled(sum, share, other->at);
                total += share;
            }
        }
        sn_vec3 at = sn_vec3_load(run->mesh->points + 3 * (size_t)i);
        sn_vec3_store(total > 1e-12 ? sn_vec3_scale(sum, 1 / total) : at,
                      p->centres + 3 * (size_t)i);
    }
}

static sn_status find_centres(sni_layers_prediction *p, const sni_layers_mesh *m, sn_error *error) {
    centre_run run = {.prediction = p, .mesh = m};
    sample *samples = NULL;
    sn_status status = SN_OK;
    SNI_NEW(p->context, p->centres, 3 * (size_t)p->column_count);
    SN_TRY(take_samples(p, m, &samples, &run.count, error));
    run.samples = samples;
    sn_parallel_for(p->context, p->column_count, CENTRE_GRAIN, centre_block, &run);
cleanup:
    sni_free(p->context, samples);
    return status;
}

// ---------------------------------------------------------------------------------------------
// All of it

static sn_status copy_skeleton(sni_layers_prediction *p, const sn_skeleton *skeleton,
                               const sn_mat4 *rest_worlds, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(p->context, p->from_rest, p->segment_count);
    SNI_NEW(p->context, p->parents, p->segment_count);
    SNI_NEW(p->context, p->order, p->segment_count);
    for (uint32_t i = 0; i < p->segment_count; ++i) {
        sn_mat4_invert(&rest_worlds[i], &p->from_rest[i]);
        p->parents[i] = skeleton->segments[i].parent;
        p->order[i] = skeleton->parents_first[i];
    }
cleanup:
    return status;
}

sn_status sni_layers_predict_init(const sni_layers_mesh *m, const sn_skeleton *skeleton,
                                  const sn_mat4 *rest_worlds, float *weights, uint32_t rounds,
                                  const sn_progress *progress, sni_layers_prediction *p,
                                  sn_error *error) {
    sn_status status = SN_OK;
    *p = (sni_layers_prediction){.context = m->context,
                                 .column_count = m->column_count,
                                 .segment_count = skeleton->segment_count};
    SN_TRY(sni_progress(progress, "spreading weights", 0, error));
    SN_TRY(average_weights(m, p->segment_count, rounds, weights, error));
    SN_TRY(keep_largest(p, weights, error));
    SN_TRY(sni_progress(progress, "finding centres of rotation", 0, error));
    SN_TRY(find_centres(p, m, error));
    SN_TRY(copy_skeleton(p, skeleton, rest_worlds, error));
    return SN_OK;
cleanup:
    sni_layers_predict_deinit(p);
    return status;
}

void sni_layers_predict_deinit(sni_layers_prediction *p) {
    if (p->context != NULL) {
        sni_free(p->context, p->starts);
        sni_free(p->context, p->segments);
        sni_free(p->context, p->weights);
        sni_free(p->context, p->centres);
        sni_free(p->context, p->from_rest);
        sni_free(p->context, p->parents);
        sni_free(p->context, p->order);
    }
    *p = (sni_layers_prediction){0};
}

size_t sni_layers_predict_bytes(const sni_layers_prediction *p) {
    if (p->context == NULL) {
        return 0;
    }
    return ((size_t)p->column_count + 1) * sizeof *p->starts +
           p->starts[p->column_count] * (sizeof *p->segments + sizeof *p->weights) +
           3 * (size_t)p->column_count * sizeof *p->centres +
           p->segment_count * (sizeof *p->from_rest + 2 * sizeof *p->parents);
}

// ---------------------------------------------------------------------------------------------
// A frame

bool sni_layers_motions_make(const sni_layers_prediction *p, const sn_mat4 *worlds,
                             const sn_mat4 *to_frame, sni_arena *arena,
                             sni_layers_motions *motions) {
    motions->matrices = sni_arena_alloc(arena, p->segment_count, sizeof *motions->matrices);
    motions->rotations = sni_arena_alloc(arena, p->segment_count, sizeof *motions->rotations);
    if (motions->matrices == NULL || motions->rotations == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < p->segment_count; ++k) {
        uint32_t i = p->order[k], parent = p->parents[i];
        sn_mat4 world = sn_mat4_multiply(to_frame, &worlds[i]);
        motions->matrices[i] = sn_mat4_multiply(&world, &p->from_rest[i]);
        sn_quat turn = sn_mat4_rotation(&motions->matrices[i]);
        bool opposite = parent != SN_NONE && sn_quat_dot(turn, motions->rotations[parent]) < 0;
        motions->rotations[i] = opposite ? sn_quat_scale(turn, -1) : turn;
    }
    return true;
}

sni_layers_motion sni_layers_column_motion(const sni_layers_prediction *p,
                                           const sni_layers_motions *motions, uint32_t column) {
    sni_layers_motion motion = {.turn = sn_quat_identity(),
                                .centre = sn_vec3_load(p->centres + 3 * (size_t)column)};
    uint32_t begin = p->starts[column], end = p->starts[column + 1];
    motion.to = motion.centre;
    if (begin == end) {
        return motion;
    }
    sn_quat first = motions->rotations[p->segments[begin]], sum = {0, 0, 0, 0};
    motion.to = sn_vec3_make(0, 0, 0);
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t segment = p->segments[k];
        double weight = (double)p->weights[k];
        sn_quat turn = motions->rotations[segment];
        sum =
            sn_quat_add(sum, sn_quat_scale(turn, sn_quat_dot(turn, first) < 0 ? -weight : weight));
        motion.to = sn_vec3_add_scaled(motion.to, weight,
                                       sn_mat4_point(&motions->matrices[segment], motion.centre));
    }
    motion.turn = sn_quat_normalize(sum);
    return motion;
}
