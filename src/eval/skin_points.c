// SPDX-License-Identifier: Apache-2.0
//
// The outermost points of skins, which a skeleton does not tell: where soles and tips are.
//
// Directions are those from the middle of a cube to the points of a grid of 5 x 5 on its faces, 49
// lines of two directions each, 22 degrees apart. A corner is found exactly, and a ball of radius r
// is cut by 0.02 r at most.
#include "eval/model.h"

#include <math.h>
#include <stdlib.h>

enum { LINES = SN_SKIN_POINTS / 2, FIRST_HALF = 125 / 2 };

// What is farthest out on a line, its two ends.
typedef struct extent {
    double low, high;
    sn_vec3 low_at, high_at;
} extent;

typedef struct skin_points {
    const sn_model *model;
    sn_vec3 lines[LINES];
    extent *extents; // segment_count x LINES
} skin_points;

static void make_lines(skin_points *s) {
    uint32_t count = 0;
    for (int i = 0; i < FIRST_HALF; ++i) { // the other half is opposite
        int x = i / 25 - 2, y = i / 5 % 5 - 2, z = i % 5 - 2;
        if (abs(x) == 2 || abs(y) == 2 || abs(z) == 2) {
            sn_vec3 line = sn_vec3_make(x, y, z);
            s->lines[count++] = sn_vec3_normalize_or(line, line);
        }
    }
    SN_ASSERT(count == LINES);
}

static void add_point(skin_points *s, uint32_t segment, sn_vec3 at) {
    extent *extents = s->extents + (size_t)segment * LINES;
    for (int i = 0; i < LINES; ++i) {
        extent *e = &extents[i];
        double out = sn_vec3_dot(s->lines[i], at);
        if (out < e->low) {
            e->low = out;
            e->low_at = at;
        }
        if (out > e->high) {
            e->high = out;
            e->high_at = at;
        }
    }
}

static void add_carried(skin_points *s, const sn_surface *surface) {
    const sn_mat4 *rest = &s->model->rest_worlds[surface->segment];
    for (uint32_t v = 0; v < surface->mesh->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(surface->mesh->positions + 3 * (size_t)v);
        add_point(s, surface->segment, surface->in_segment_frame ? sn_mat4_point(rest, p) : p);
    }
}

// The influence that a vertex follows most, of those with a segment; SN_NONE: it follows none.
static uint32_t strongest(const sn_surface *surface, uint32_t vertex) {
    const sn_weights *weights = surface->mesh->weights;
    uint32_t best = SN_NONE;
    for (uint32_t i = weights->offsets[vertex]; i < weights->offsets[vertex + 1]; ++i) {
        bool stronger = best == SN_NONE || weights->values[i] > weights->values[best];
        bool follows = surface->bone_segments[weights->bones[i]] != SN_NONE;
        best = follows && weights->values[i] > 0 && stronger ? i : best;
    }
    return best;
}

static void add_weighted(skin_points *s, const sn_surface *surface) {
    const sn_weights *weights = surface->mesh->weights;
    for (uint32_t v = 0; v < surface->mesh->vertex_count; ++v) {
        uint32_t i = strongest(surface, v);
        if (i == SN_NONE) {
            continue;
        }
        uint32_t bone = weights->bones[i], segment = surface->bone_segments[bone];
        sn_vec3 p = sn_vec3_load(surface->mesh->positions + 3 * (size_t)v);
        if (weights->inverse_bind != NULL) {
            p = sn_mat4_point(&weights->inverse_bind[bone], p);
            p = sn_mat4_point(&s->model->rest_worlds[segment], p);
        }
        add_point(s, segment, p);
    }
}

static void add_skins(skin_points *s) {
    for (uint32_t i = 0; i < sn_model_surface_count(s->model); ++i) {
        const sn_surface *surface = sn_model_surface(s->model, i);
        if (surface->layer != SN_LAYER_SKIN || !surface->shown) {
            continue;
        }
        if (surface->segment != SN_NONE) {
            add_carried(s, surface);
        } else if (surface->bone_segments != NULL && surface->mesh->weights != NULL) {
            add_weighted(s, surface);
        }
    }
}

static uint32_t list_points(const skin_points *s, uint32_t segment_count, sn_skin_point *points) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < segment_count; ++i) {
        const extent *extents = s->extents + (size_t)i * LINES;
        for (int k = 0; k < LINES && extents[k].high >= extents[k].low; ++k) {
            points[count++] = (sn_skin_point){i, extents[k].low_at};
            points[count++] = (sn_skin_point){i, extents[k].high_at};
        }
    }
    return count;
}

sn_status sn_model_skin_points(const sn_model *model, sn_skin_point *points, uint32_t *count,
                               sn_error *error) {
    sn_status status = SN_OK;
    uint32_t segment_count = sn_model_skeleton(model)->segment_count;
    skin_points s = {.model = model};
    *count = 0;
    SNI_NEW(model->context, s.extents, (size_t)segment_count * LINES);
    for (size_t i = 0; i < (size_t)segment_count * LINES; ++i) {
        s.extents[i] = (extent){.low = INFINITY, .high = -INFINITY};
    }
    make_lines(&s);
    add_skins(&s);
    *count = list_points(&s, segment_count, points);
cleanup:
    sni_free(model->context, s.extents);
    return status;
}
