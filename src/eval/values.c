// SPDX-License-Identifier: Apache-2.0
//
// Quantities at the vertices of surfaces.
#include "eval/values.h"

#include "character/schema/schema.h"
#include "eval/frame.h"
#include "eval/measures.h"
#include "eval/points.h"
#include "geometry/edge.h"
#include "geometry/triangle.h"
#include "motion/skeleton.h"

#include <math.h>
#include <string.h>

static const uint32_t desc_check = 0x736e7664;

// Vertices and triangles of a block: some hundred microseconds.
enum { VERTEX_GRAIN = 1024, TRIANGLE_GRAIN = 4096 };

// What is kept of a skin.
typedef struct kept_skin {
    sn_topology *topology;
    sn_triangles *triangles;
    float *stretches; // of the triangles
} kept_skin;

struct sni_values {
    const sn_model *model;
    kept_skin *skins; // one for each surface, made as needed
    sni_depths *depths;
};

sn_status sni_values_create(const sn_model *model, sni_values **values, sn_error *error) {
    sn_status status = SN_OK;
    sni_values *made = NULL;
    SNI_NEW_ZERO(model->context, made, 1);
    made->model = model;
    *values = made;
    SNI_NEW_ZERO(model->context, made->skins, model->surface_count);
cleanup:
    return status;
}

void sni_values_destroy(sni_values *values) {
    if (values == NULL) {
        return;
    }
    sn_context *context = values->model->context;
    for (uint32_t i = 0; values->skins != NULL && i < values->model->surface_count; ++i) {
        sn_topology_destroy(values->skins[i].topology);
        sn_triangles_destroy(values->skins[i].triangles);
        sni_free(context, values->skins[i].stretches);
    }
    sni_depths_destroy(values->depths);
    sni_free(context, values->skins);
    sni_free(context, values);
}

// --- Names and ranges

static const char *const names[SN_QUANTITY_COUNT] = {
    [SN_QUANTITY_NONE] = "none",
    [SN_QUANTITY_STRETCH] = "stretch",
    [SN_QUANTITY_LARGEST_STRETCH] = "largest-stretch",
    [SN_QUANTITY_COMPONENT] = "component",
    [SN_QUANTITY_SHORTENING] = "shortening",
    [SN_QUANTITY_ACTIVATION] = "activation",
    [SN_QUANTITY_VOLUME] = "volume",
    [SN_QUANTITY_WEIGHTS] = "weights",
    [SN_QUANTITY_DEPTH] = "depth",
    [SN_QUANTITY_CONTACT] = "contact",
};

const char *sn_quantity_name(sn_quantity quantity) {
    return names[quantity];
}

sn_quantity sn_quantity_find(const char *name) {
    for (int i = 1; i < SN_QUANTITY_COUNT; ++i) {
        if (strcmp(names[i], name) == 0) {
            return (sn_quantity)i;
        }
    }
    return SN_QUANTITY_NONE;
}

bool sn_quantity_of_muscles(sn_quantity quantity) {
    return quantity == SN_QUANTITY_SHORTENING || quantity == SN_QUANTITY_ACTIVATION ||
           quantity == SN_QUANTITY_VOLUME;
}

// A length that shows how far a skin lies above what is below it: a hundredth of the body, as 1, 2
// or 5 times a power of ten.
static double usual_depth(const sn_model *model) {
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        sn_vec3 a, b;
        if (model->surfaces[i].layer == SN_LAYER_SKIN && model->surfaces[i].shown &&
            model->surfaces[i].mesh->vertex_count > 0) {
            sn_mesh_bounds(model->surfaces[i].mesh, &a, &b);
            low = sn_vec3_min(low, a);
            high = sn_vec3_max(high, b);
        }
    }
    double size = sn_vec3_distance(low, high) / 100;
    if (!isfinite(size) || !(size > 0)) {
        return 0.01;
    }
    double power = pow(10, floor(log10(size))), digit = size / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

sn_color_range sn_quantity_range(const sn_model *model, sn_quantity quantity) {
    bool is_length = quantity == SN_QUANTITY_DEPTH || quantity == SN_QUANTITY_CONTACT;
    double depth = is_length ? usual_depth(model) : 0;
    switch (quantity) {
    case SN_QUANTITY_STRETCH: // a third each way; few skins go further where they should
        return (sn_color_range){SN_COLOR_MAP_COOL_WARM, 0.67, 1.33, false,
                                "stretch (length / rest length)"};
    case SN_QUANTITY_LARGEST_STRETCH:
        return (sn_color_range){SN_COLOR_MAP_VIRIDIS, 1, 3, false, "largest stretch of triangles"};
    case SN_QUANTITY_SHORTENING:
        return (sn_color_range){SN_COLOR_MAP_FLESH, 0, 1, false,
                                "shortening (1: at 75 % of rest length)"};
    case SN_QUANTITY_ACTIVATION:
        return (sn_color_range){SN_COLOR_MAP_FLESH, 0, 1, false, "activation"};
    case SN_QUANTITY_VOLUME:
        return (sn_color_range){SN_COLOR_MAP_COOL_WARM, -0.1, 0.1, false,
                                "volume change (volume / rest volume - 1)"};
    case SN_QUANTITY_WEIGHTS: return (sn_color_range){SN_COLOR_MAP_VIRIDIS, 0, 1, false, "weight"};
    case SN_QUANTITY_DEPTH:
        return (sn_color_range){SN_COLOR_MAP_COOL_WARM, -depth, depth, false,
                                "above what lies below (m)"};
    case SN_QUANTITY_CONTACT:
        return (sn_color_range){SN_COLOR_MAP_FLESH, 0, depth, false, "moved by contact (m)"};
    default:
        return (sn_color_range){
            .high = fmax(model->surface_count, 2) - 1, .categories = true, .title = "component"};
    }
}

// --- What there is

sn_values_desc sn_values_desc_default(void) {
    return (sn_values_desc){.check = desc_check, .deformer = SN_NONE};
}

static bool has_volume(const sn_model *model, uint32_t surface) {
    const sni_bound_muscle *muscle = model->muscles[surface - model->blueprint->surface_count];
    sni_muscle_measure measure;
    muscle->ops->measure(muscle->bound, NULL, &measure);
    return measure.rest_volume > 0;
}

static bool has_bodies(const sn_model *model) {
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        if (sni_depths_takes(&model->surfaces[i])) {
            return true;
        }
    }
    return false;
}

// Why a skin has no such weights.
static sn_status check_weights(const sn_model *model, uint32_t surface, const sn_values_desc *desc,
                               sn_error *error) {
    const sn_surface *s = &model->surfaces[surface];
    if (desc->segment != NULL) {
        if (sni_skeleton_find(sn_model_skeleton(model), desc->segment) == SN_NONE) {
            return sni_fail(error, SN_INVALID, "there is no segment \"%s\"", desc->segment);
        }
        return s->bone_segments != NULL
                   ? SN_OK
                   : sni_fail(error, SN_INVALID,
                              "the skin \"%s\" has no `blend`, and so no weights on segments",
                              s->name);
    }
    const sni_surface_plan *plan = &model->blueprint->surfaces[surface];
    if (desc->deformer >= plan->deformer_count) {
        return sni_fail(error, SN_INVALID,
                        "the skin \"%s\" has %u deformers; weights are those of one of them, from "
                        "0, or on a segment",
                        s->name, plan->deformer_count);
    }
    return plan->deformers[desc->deformer].ops != &sni_deformer_blend
               ? SN_OK
               : sni_fail(error, SN_INVALID,
                          "deformer %u of the skin \"%s\" is a `blend`: name a segment",
                          desc->deformer, s->name);
}

// The last deformer of a skin that has contact; SN_NONE: there is none.
static uint32_t contact_of(const sn_model *model, uint32_t surface) {
    const sni_bound_surface *bound = &model->bound[surface];
    for (uint32_t i = bound->deformer_count; i-- > 0;) {
        if (bound->deformers[i].ops->contact != NULL) {
            return i;
        }
    }
    return SN_NONE;
}

static void find_contact(const sn_frame *frame, uint32_t surface, float *values) {
    const sn_model *model = frame->model;
    uint32_t number = contact_of(model, surface),
             count = model->surfaces[surface].mesh->vertex_count;
    const void *kept = frame->kept[frame->first_kept[surface] + number];
    const float *moved =
        kept != NULL ? model->bound[surface].deformers[number].ops->contact(kept) : NULL;
    if (moved != NULL) {
        memcpy(values, moved, count * sizeof *values);
    } else {
        memset(values, 0, count * sizeof *values);
    }
}

static sn_status fail_missing(const sn_surface *surface, sn_quantity quantity, const char *reason,
                              sn_error *error) {
    return sni_fail(error, SN_INVALID, "\"%s\" has no values of %s: %s", surface->name,
                    names[quantity], reason);
}

static sn_status check_muscle(const sn_model *model, uint32_t surface, sn_quantity quantity,
                              sn_error *error) {
    const sn_surface *s = &model->surfaces[surface];
    if (s->layer != SN_LAYER_MUSCLE) {
        return fail_missing(s, quantity, "it is no muscle", error);
    }
    if (quantity == SN_QUANTITY_ACTIVATION && !sni_model_tells_activation(model, surface)) {
        return fail_missing(s, quantity, "no control tells it", error);
    }
    if (quantity == SN_QUANTITY_VOLUME && !has_volume(model, surface)) {
        return fail_missing(s, quantity, "it is open", error);
    }
    return SN_OK;
}

static sn_status check_values(const sn_model *model, uint32_t surface, const sn_values_desc *desc,
                              sn_error *error) {
    const sn_surface *s = &model->surfaces[surface];
    const sni_bound_deformer *membrane;
    sn_quantity quantity = desc->quantity;
    if (sn_quantity_of_muscles(quantity)) {
        return check_muscle(model, surface, quantity, error);
    }
    if (quantity == SN_QUANTITY_COMPONENT && s->layer != SN_LAYER_SKIN && !s->feature) {
        return SN_OK;
    }
    if (s->layer != SN_LAYER_SKIN) {
        return fail_missing(s, quantity, "it is no skin", error);
    }
    if (quantity == SN_QUANTITY_WEIGHTS) {
        return check_weights(model, surface, desc, error);
    }
    if (quantity == SN_QUANTITY_COMPONENT && sni_model_anchors(model, surface, &membrane) == NULL) {
        return fail_missing(s, quantity, "it has no `membrane`", error);
    }
    if (quantity == SN_QUANTITY_CONTACT && contact_of(model, surface) == SN_NONE) {
        return fail_missing(s, quantity, "it has no `implicit`", error);
    }
    if (quantity == SN_QUANTITY_DEPTH && !has_bodies(model)) {
        return fail_missing(s, quantity, "there is no bone, tissue or muscle", error);
    }
    return SN_OK;
}

static bool is_quantity(sn_quantity quantity) {
    return (int)quantity > SN_QUANTITY_NONE && quantity < SN_QUANTITY_COUNT;
}

bool sn_values_exist(const sn_model *model, uint32_t surface, const sn_values_desc *desc) {
    return is_quantity(desc->quantity) && surface < model->surface_count &&
           check_values(model, surface, desc, NULL) == SN_OK;
}

// --- Stretch

typedef struct stretch_run {
    const sn_mesh *mesh;
    kept_skin *kept;
    const float *points;
    float *values;
} stretch_run;

static void stretch_edges(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const stretch_run *run = user;
    const sn_topology *topology = run->kept->topology;
    for (uint32_t v = begin; v < end; ++v) {
        double sum = 0;
        uint32_t count = 0, last = topology->vertex_edge_offsets[v + 1];
        for (uint32_t i = topology->vertex_edge_offsets[v]; i < last; ++i) {
            const uint32_t *edge = topology->edges + 2 * (size_t)topology->vertex_edges[i];
            double rest = sni_edge_length(run->mesh->positions, edge);
            if (rest > 0) {
                sum += sni_edge_length(run->points, edge) / rest;
                count++;
            }
        }
        run->values[v] = count > 0 ? (float)(sum / count) : 1;
    }
}

static void stretch_triangles(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const stretch_run *run = user;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t *v = run->kept->triangles->vertices + 3 * (size_t)i;
        sn_vec3 rest[3], now[3];
        for (int k = 0; k < 3; ++k) {
            rest[k] = sn_vec3_load(run->mesh->positions + 3 * (size_t)v[k]);
            now[k] = sn_vec3_load(run->points + 3 * (size_t)v[k]);
        }
        run->kept->stretches[i] = (float)sni_triangle_stretch(rest, now);
    }
}

static sn_status find_stretch(sn_context *context, stretch_run *run, sn_error *error) {
    sn_status status = SN_OK;
    if (run->kept->topology == NULL) {
        SN_TRY(sn_topology_create(run->mesh, &run->kept->topology, error));
    }
    sn_parallel_for(context, run->mesh->vertex_count, VERTEX_GRAIN, stretch_edges, run);
cleanup:
    return status;
}

static sn_status find_largest_stretch(sn_context *context, stretch_run *run, sn_error *error) {
    kept_skin *kept = run->kept;
    sn_status status = SN_OK;
    if (kept->triangles == NULL) {
        SN_TRY(sn_triangles_create(run->mesh, run->mesh->positions, &kept->triangles, error));
    }
    if (kept->stretches == NULL) {
        SNI_NEW(context, kept->stretches, kept->triangles->count);
    }
    sn_parallel_for(context, kept->triangles->count, TRIANGLE_GRAIN, stretch_triangles, run);
    memset(run->values, 0, run->mesh->vertex_count * sizeof *run->values);
    for (size_t i = 0; i < 3 * (size_t)kept->triangles->count; ++i) {
        float *value = &run->values[kept->triangles->vertices[i]];
        *value = fmaxf(*value, kept->stretches[i / 3]);
    }
cleanup:
    return status;
}

// --- Muscles, components, weights

static void fill(float *values, uint32_t count, double value) {
    for (uint32_t i = 0; i < count; ++i) {
        values[i] = (float)value;
    }
}

static double muscle_value(const sn_frame *frame, uint32_t surface, sn_quantity quantity) {
    sn_muscle_state state;
    sn_frame_muscle_state(frame, surface, &state);
    switch (quantity) {
    case SN_QUANTITY_SHORTENING: return state.shortening;
    case SN_QUANTITY_ACTIVATION: return state.activation;
    default: return state.volume / state.rest_volume - 1;
    }
}

static void find_components(const sn_model *model, uint32_t surface, float *values) {
    const sni_bound_deformer *membrane = NULL;
    const sni_anchors *anchors = sni_model_anchors(model, surface, &membrane);
    uint32_t count = model->surfaces[surface].mesh->vertex_count;
    if (anchors == NULL) {
        fill(values, count, surface);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        values[i] = (float)sni_bound_component(membrane, sni_anchors_component(anchors, i));
    }
}

static void find_segment_weights(const sn_model *model, uint32_t surface, const char *name,
                                 float *values) {
    const sn_surface *s = &model->surfaces[surface];
    const sn_weights *weights = s->mesh->weights;
    uint32_t segment = sni_skeleton_find(sn_model_skeleton(model), name);
    for (uint32_t v = 0; v < s->mesh->vertex_count; ++v) {
        double sum = 0;
        for (uint32_t i = weights->offsets[v]; i < weights->offsets[v + 1]; ++i) {
            sum += s->bone_segments[weights->bones[i]] == segment ? (double)weights->values[i] : 0;
        }
        values[v] = (float)sum;
    }
}

static sn_status find_point_weights(const sn_model *model, uint32_t surface, uint32_t deformer,
                                    float *values, sn_error *error) {
    const sn_mesh *mesh = model->surfaces[surface].mesh;
    const sni_deformer_plan *plan = &model->blueprint->surfaces[surface].deformers[deformer];
    float *weights = NULL;
    sn_status status = sni_point_weights_make(model->context, plan, mesh, &weights, error);
    if (status == SN_OK && weights == NULL) {
        fill(values, mesh->vertex_count, 1);
    } else if (status == SN_OK) {
        memcpy(values, weights, mesh->vertex_count * sizeof *values);
    }
    sni_free(model->context, weights);
    return status;
}

static sn_status find_weights(const sn_model *model, uint32_t surface, const sn_values_desc *desc,
                              float *values, sn_error *error) {
    if (desc->segment == NULL) {
        return find_point_weights(model, surface, desc->deformer, values, error);
    }
    find_segment_weights(model, surface, desc->segment, values);
    return SN_OK;
}

static sn_status find_depths(sni_values *kept, const sn_frame *frame, uint32_t surface,
                             float *values, sn_error *error) {
    sn_status status = SN_OK;
    if (kept->depths == NULL) {
        SN_TRY(sni_depths_create(kept->model, &kept->depths, error));
    }
    if (!sni_depths_any(kept->depths)) {
        return fail_missing(&kept->model->surfaces[surface], SN_QUANTITY_DEPTH,
                            "no bone, tissue or muscle is closed", error);
    }
    SN_TRY(sni_depths_find(kept->depths, frame, surface, values, error));
cleanup:
    return status;
}

// --- All of it

static sn_status check_call(const sn_frame *frame, uint32_t surface, const sn_values_desc *desc,
                            sn_error *error) {
    const sn_model *model = sn_frame_model(frame);
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_values_desc_default");
    }
    if (!is_quantity(desc->quantity) || surface >= model->surface_count) {
        return sni_fail(error, SN_INVALID, "there is no quantity %d of surface %u",
                        (int)desc->quantity, surface);
    }
    return check_values(model, surface, desc, error);
}

sn_status sn_frame_values(const sn_frame *frame, uint32_t surface, const sn_values_desc *desc,
                          float *values, sn_error *error) {
    sn_status status = check_call(frame, surface, desc, error);
    if (status != SN_OK) {
        return status;
    }
    const sn_model *model = sn_frame_model(frame);
    sni_values *kept = sni_frame_kept_values(frame);
    stretch_run stretch = {.mesh = model->surfaces[surface].mesh,
                           .kept = &kept->skins[surface],
                           .points = sn_frame_points(frame, surface),
                           .values = values};
    switch (desc->quantity) {
    case SN_QUANTITY_STRETCH: return find_stretch(model->context, &stretch, error);
    case SN_QUANTITY_LARGEST_STRETCH: return find_largest_stretch(model->context, &stretch, error);
    case SN_QUANTITY_COMPONENT: find_components(model, surface, values); return SN_OK;
    case SN_QUANTITY_WEIGHTS: return find_weights(model, surface, desc, values, error);
    case SN_QUANTITY_DEPTH: return find_depths(kept, frame, surface, values, error);
    case SN_QUANTITY_CONTACT: find_contact(frame, surface, values); return SN_OK;
    default:
        fill(values, stretch.mesh->vertex_count, muscle_value(frame, surface, desc->quantity));
        return SN_OK;
    }
}
