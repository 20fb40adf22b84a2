// SPDX-License-Identifier: Apache-2.0
//
// How far skins reach beyond joints, which a skeleton does not tell: how long a sole is.
#include "eval/model.h"

#include "motion/skeleton.h"

#include <math.h>

// A point counts for a segment, and for those above it, that it mostly follows.
static const double least_weight = 0.5;

static void reach_to(const sn_model *model, uint32_t segment, sn_vec3 point, double *reaches) {
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    for (; segment != SN_NONE; segment = skeleton->segments[segment].parent) {
        const double *m = model->rest_worlds[segment].m;
        reaches[segment] = fmax(reaches[segment], hypot(point.x - m[12], point.z - m[14]));
    }
}

static void add_carried(const sn_model *model, const sn_surface *surface, double *reaches) {
    for (uint32_t v = 0; v < surface->mesh->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(surface->mesh->positions + 3 * (size_t)v);
        p = surface->in_segment_frame ? sn_mat4_point(&model->rest_worlds[surface->segment], p) : p;
        reach_to(model, surface->segment, p, reaches);
    }
}

static void add_weighted(const sn_model *model, const sn_surface *surface, double *reaches) {
    const sn_weights *weights = surface->mesh->weights;
    for (uint32_t v = 0; v < surface->mesh->vertex_count; ++v) {
        for (uint32_t i = weights->offsets[v]; i < weights->offsets[v + 1]; ++i) {
            uint32_t bone = weights->bones[i], segment = surface->bone_segments[bone];
            if (weights->values[i] < least_weight || segment == SN_NONE) {
                continue;
            }
            sn_vec3 p = sn_vec3_load(surface->mesh->positions + 3 * (size_t)v);
            if (weights->inverse_bind != NULL) {
                p = sn_mat4_point(&weights->inverse_bind[bone], p);
                p = sn_mat4_point(&model->rest_worlds[segment], p);
            }
            reach_to(model, segment, p, reaches);
        }
    }
}

void sn_model_skin_reaches(const sn_model *model, double *reaches) {
    for (uint32_t i = 0; i < sn_model_skeleton(model)->segment_count; ++i) {
        reaches[i] = 0;
    }
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        if (surface->layer != SN_LAYER_SKIN || !surface->shown) {
            continue;
        }
        if (surface->segment != SN_NONE) {
            add_carried(model, surface, reaches);
        } else if (surface->bone_segments != NULL && surface->mesh->weights != NULL) {
            add_weighted(model, surface, reaches);
        }
    }
}
