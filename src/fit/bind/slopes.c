// SPDX-License-Identifier: Apache-2.0
//
// Where a limb turns by an angle a about a joint, skin at the distance r from it that follows with
// the weight w moves by u = a r w across the radius. Along u it is squeezed by a r dw/du, and folds
// over itself on the inner side where this is more than 1: so a weight may change by
//
//     |dw| <= dphi / a,    a = 180 degrees
//
// over an angle dphi as seen from the joint. Along the radius skin is sheared, not squeezed, and
// weights may change several times as fast. Heat makes blends about as wide as the limb is thick
// there, which is enough where the joint lies in the middle of a limb, but not behind the knee of a
// thigh that is deeper than long.
//
// A weight that changes faster is replaced by the mean of the largest function below it and the
// smallest one above it that do not: both are found by ways over edges that cost what a weight may
// change by. Where weights change slowly enough, both are the weight itself.
#include "fit/bind/slopes.h"

#include <math.h>
#include <string.h>

// 1 / a, and along the radius, per part of it.
static const double most_slope = 1 / SN_PI, most_radial = 2;

// Limbs per round.
enum { LIMBS = 16 };

// Vertices per block.
static const uint32_t grain = 512;

typedef struct bench {
    sn_vec3 *joints; // vertices: the one about which the limb turns there
    double *below, *above;
    uint8_t *queued;
    uint32_t *queue; // ring of vertices
} bench;

typedef struct slopes {
    sni_parts *parts;
    uint32_t vertex_count, first; // segment of the present round
    float *weights;               // LIMBS x vertices
    sni_influence *rows;          // vertices x width: the new ones
    bench *benches;
} slopes;

static sn_vec3 point_of(const slopes *s, uint32_t vertex) {
    return s->parts->volume->points[s->parts->volume->inner_count + vertex];
}

// The joint of a segment with another that is nearest to a point; false: it has none.
static bool nearest_joint(const sni_limbs *limbs, uint32_t segment, sn_vec3 point, sn_vec3 *joint) {
    double least = INFINITY;
    for (uint32_t i = 0; i < limbs->line_count; ++i) {
        const sni_limb_line *line = &limbs->lines[i];
        const sn_vec3 ends[2] = {line->from, line->to};
        const bool joins[2] = {line->joint_from, line->joint_to};
        for (int end = 0; end < 2 && line->segment == segment; ++end) {
            double distance = sn_vec3_distance(point, ends[end]);
            if (joins[end] && distance < least) {
                least = distance;
                *joint = ends[end];
            }
        }
    }
    return least < INFINITY;
}

// The limb that a vertex follows most beside `segment`; SN_NONE: none.
static uint32_t strongest_other(const slopes *s, uint32_t vertex, uint32_t segment) {
    const sni_influence *row = s->parts->rows + (size_t)vertex * s->parts->width;
    uint32_t other = SN_NONE;
    double most = 0;
    for (uint32_t i = 0; i < s->parts->width && row[i].limb != SN_NONE; ++i) {
        if (row[i].limb != segment && row[i].weight > most) {
            most = row[i].weight;
            other = row[i].limb;
        }
    }
    return other;
}

// The joint about which a limb turns against the one that it shares a vertex with: that of the two
// that hangs on the other. The joint that is nearest to the vertex may be another one: flesh behind
// the knee is nearer to the ankle where thighs are deep, and that between leg and belly to the
// elbow.
static bool joint_at(const slopes *s, uint32_t vertex, uint32_t segment, sn_vec3 *joint) {
    const sni_limbs *limbs = s->parts->limbs;
    uint32_t other = strongest_other(s, vertex, segment);
    uint32_t lower = other != SN_NONE && sni_limb_hangs_on(limbs, other, segment) ? other : segment;
    if (other == SN_NONE || limbs->parents[lower] == SN_NONE) {
        return nearest_joint(limbs, segment, point_of(s, vertex), joint);
    }
    const double *m = limbs->frames[lower].m;
    *joint = sn_vec3_make(m[12], m[13], m[14]);
    return true;
}

// ---------------------------------------------------------------------------------------------
// One limb

// What a weight may change by between two vertices, as seen from a joint.
static double step_about(sn_vec3 joint, sn_vec3 a, sn_vec3 b) {
    sn_vec3 from = sn_vec3_sub(a, joint), to = sn_vec3_sub(b, joint);
    double angle = atan2(sn_vec3_length(sn_vec3_cross(from, to)), sn_vec3_dot(from, to));
    double near = fmax(sn_vec3_length(from), 1e-9), far = fmax(sn_vec3_length(to), 1e-9);
    return most_slope * angle + most_radial * fabs(log(far / near));
}

static double step_between(const slopes *s, const bench *b, uint32_t from, uint32_t to) {
    sn_vec3 p = point_of(s, from), q = point_of(s, to);
    return 0.5 * (step_about(b->joints[from], p, q) + step_about(b->joints[to], p, q));
}

// Lowers values until none is larger than a neighbour's and the step to it. Vertices whose
// neighbours may have to change wait in a queue, at first all.
static void lower(const slopes *s, const bench *b, double *values) {
    const sni_volume *v = s->parts->volume;
    uint32_t head = 0, count = 0, size = s->vertex_count;
    for (uint32_t i = 0; i < size; ++i) {
        b->queue[count++] = i;
        b->queued[i] = 1;
    }
    while (count > 0) {
        uint32_t i = b->queue[head];
        head = head + 1 < size ? head + 1 : 0;
        --count;
        b->queued[i] = 0;
        uint32_t node = v->inner_count + i;
        for (uint32_t k = v->offsets[node]; k < v->offsets[node + 1]; ++k) {
            if (v->others[k] < v->inner_count) {
                continue;
            }
            uint32_t other = v->others[k] - v->inner_count;
            if (!(values[i] < values[other])) {
                continue;
            }
            double most = values[i] + step_between(s, b, i, other);
            if (most < values[other]) {
                values[other] = most;
                if (!b->queued[other]) {
                    b->queued[other] = 1;
                    uint32_t last = head + count;
                    b->queue[last < size ? last : last - size] = other;
                    ++count;
                }
            }
        }
    }
}

static void limit_limb(const slopes *s, const bench *b, uint32_t segment, float *weights) {
    bool any = false;
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        any = any || weights[i] > 0;
    }
    for (uint32_t i = 0; i < s->vertex_count && any; ++i) {
        any = joint_at(s, i, segment, &b->joints[i]);
    }
    if (!any) {
        return;
    }
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        b->below[i] = weights[i];
        b->above[i] = -weights[i];
    }
    lower(s, b, b->below);
    lower(s, b, b->above);
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        weights[i] = (float)(0.5 * (b->below[i] - b->above[i]));
    }
}

// ---------------------------------------------------------------------------------------------
// All limbs

static void limit_limbs(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const slopes *s = user;
    for (uint32_t i = begin; i < end; ++i) {
        limit_limb(s, &s->benches[worker], s->first + i, s->weights + (size_t)i * s->vertex_count);
    }
}

static void gather(const slopes *s, uint32_t count) {
    const sni_parts *p = s->parts;
    memset(s->weights, 0, (size_t)LIMBS * s->vertex_count * sizeof *s->weights);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const sni_influence *row = p->rows + (size_t)v * p->width;
        for (uint32_t i = 0; i < p->width && row[i].limb != SN_NONE; ++i) {
            if (row[i].limb - s->first < count) {
                s->weights[(size_t)(row[i].limb - s->first) * s->vertex_count + v] =
                    (float)row[i].weight;
            }
        }
    }
}

static void sort_in(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const slopes *s = user;
    uint32_t left = s->parts->limbs->segment_count - s->first, count = left < LIMBS ? left : LIMBS;
    for (uint32_t v = begin; v < end; ++v) {
        for (uint32_t i = 0; i < count; ++i) {
            double weight = s->weights[(size_t)i * s->vertex_count + v];
            if (weight > 0) {
                sni_insert_influence(s->rows + (size_t)v * s->parts->width, s->parts->width,
                                     s->first + i, weight);
            }
        }
    }
}

static sn_status slopes_init(slopes *s, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = s->parts->volume->context;
    size_t count = s->vertex_count, width = s->parts->width;
    SNI_NEW(context, s->weights, LIMBS * count);
    SNI_NEW(context, s->rows, count * width);
    SNI_NEW_ZERO(context, s->benches, sn_context_thread_count(context));
    for (uint32_t i = 0; i < sn_context_thread_count(context); ++i) {
        SNI_NEW(context, s->benches[i].joints, count);
        SNI_NEW(context, s->benches[i].below, count);
        SNI_NEW(context, s->benches[i].above, count);
        SNI_NEW_ZERO(context, s->benches[i].queued, count);
        SNI_NEW(context, s->benches[i].queue, count);
    }
    for (size_t v = 0; v < count; ++v) {
        sni_influences_clear(s->rows + v * width, (uint32_t)width);
    }
cleanup:
    return status;
}

static void slopes_deinit(slopes *s) {
    sn_context *context = s->parts->volume->context;
    for (uint32_t i = 0; s->benches != NULL && i < sn_context_thread_count(context); ++i) {
        sni_free(context, s->benches[i].joints);
        sni_free(context, s->benches[i].below);
        sni_free(context, s->benches[i].above);
        sni_free(context, s->benches[i].queued);
        sni_free(context, s->benches[i].queue);
    }
    sni_free(context, s->weights);
    sni_free(context, s->rows);
    sni_free(context, s->benches);
}

sn_status sni_slopes_limit(sni_parts *parts, sn_error *error) {
    sn_status status = SN_OK;
    const sni_volume *v = parts->volume;
    slopes s = {.parts = parts, .vertex_count = v->node_count - v->inner_count};
    SN_TRY(slopes_init(&s, error));
    for (; s.first < parts->limbs->segment_count; s.first += LIMBS) {
        uint32_t left = parts->limbs->segment_count - s.first;
        gather(&s, left < LIMBS ? left : LIMBS);
        sn_parallel_for(v->context, left < LIMBS ? left : LIMBS, 1, limit_limbs, &s);
        sn_parallel_for(v->context, s.vertex_count, grain, sort_in, &s);
    }
    memcpy(parts->rows, s.rows, (size_t)s.vertex_count * parts->width * sizeof *s.rows);
cleanup:
    slopes_deinit(&s);
    return status;
}
