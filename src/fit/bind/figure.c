// SPDX-License-Identifier: Apache-2.0
#include "fit/bind/figure.h"

#include "base/context.h"
#include "motion/skeleton.h"

#include <math.h>

static const uint32_t desc_check = 0x736e6673;

static const double weld = 1e-6;
static const uint32_t resolution = 128;

// Sections are this many nodes apart.
static const double section_nodes = 2;

// Fewer nodes than this are no body.
static const uint32_t least_nodes = 500;

sn_status sni_figure_init(sn_context *context, uint32_t mesh_count, sn_mesh *const *meshes,
                          const sn_progress *progress, sni_figure *figure, sn_error *error) {
    sn_status status = SN_OK;
    *figure = (sni_figure){
        .context = context,
        .low = {INFINITY, INFINITY, INFINITY},
        .high = {-INFINITY, -INFINITY, -INFINITY},
    };
    SN_TRY(sni_joined_init(context, (const sn_mesh *const *)meshes, mesh_count, weld, &figure->skin,
                           error));
    SN_TRY(sni_volume_init(context, &figure->skin, resolution, progress, &figure->volume, error));
    if (figure->volume.inner_count < least_nodes) {
        SN_TRY(sni_fail(error, SN_INVALID, "the mesh has no inside to fit a skeleton into"));
    }
    for (uint32_t i = 0; i < figure->volume.inner_count; ++i) {
        figure->low = sn_vec3_min(figure->low, figure->volume.points[i]);
        figure->high = sn_vec3_max(figure->high, figure->volume.points[i]);
    }
    SN_TRY(sni_volume_link(&figure->volume, progress, error));
cleanup:
    return status;
}

void sni_figure_deinit(sni_figure *figure) {
    sni_volume_deinit(&figure->volume);
    sni_joined_deinit(figure->context, &figure->skin);
}

// ---------------------------------------------------------------------------------------------
// Sections

sn_status sni_figure_ways(const sni_figure *figure, sn_vec3 point, sni_routes *routes,
                          sn_error *error) {
    sni_limb_line line = {.from = point, .to = point};
    sni_limbs limbs = {
        .context = figure->context, .segment_count = 1, .line_count = 1, .lines = &line};
    uint8_t used = 1;
    return sni_routes_init(&figure->volume, &limbs, &used, NULL, routes, error);
}

sn_status sni_sections_measure(const sni_figure *figure, sn_vec3 tip, const uint8_t *skip,
                               sni_sections *sections, sn_error *error) {
    sn_status status = SN_OK;
    sni_routes routes = {0};
    *sections = (sni_sections){.tip = tip, .spacing = section_nodes * figure->volume.spacing};
    SN_TRY(sni_figure_ways(figure, tip, &routes, error));
    for (uint32_t i = 0; i < figure->volume.inner_count; ++i) {
        double section = routes.distances[i] / sections->spacing;
        if (section < SNI_SECTIONS && !(skip != NULL && skip[i])) {
            sn_vec3 *sum = &sections->sums[(uint32_t)section];
            sections->counts[(uint32_t)section] += 1;
            *sum = sn_vec3_add(*sum, figure->volume.points[i]);
        }
    }
cleanup:
    sni_routes_deinit(&routes);
    return status;
}

// A section without nodes, of a tail as thin as the grid, has the middle of the next one that has
// some.
static sn_vec3 mean_of(const sni_sections *s, uint32_t section) {
    while (section + 1 < SNI_SECTIONS && s->counts[section] == 0) {
        ++section;
    }
    return s->counts[section] > 0 ? sn_vec3_scale(s->sums[section], 1 / s->counts[section])
                                  : s->tip;
}

sn_vec3 sni_sections_centre(const sni_sections *sections, double way) {
    double at = fmin(fmax(way / sections->spacing - 0.5, 0), SNI_SECTIONS - 2);
    uint32_t section = (uint32_t)at;
    return sn_vec3_lerp(mean_of(sections, section), mean_of(sections, section + 1), at - section);
}

// ---------------------------------------------------------------------------------------------
// Skeletons

sn_status sni_fitted_create(sn_context *context, uint32_t count, const sni_fitted_joint *joints,
                            sn_fitted_skeleton **fitted, sn_error *error) {
    sn_status status = SN_OK;
    sn_fitted_skeleton *made = NULL;
    *fitted = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    SN_TRY(sni_skeleton_init(context, count, &made->skeleton, error));
    for (uint32_t i = 0; i < count; ++i) {
        sn_segment *segment = &made->skeleton.segments[i];
        uint32_t parent = joints[i].parent;
        SN_ASSERT(parent == SN_NONE || parent < i);
        segment->name = sni_string_copy(context, joints[i].name);
        SN_TRY(segment->name != NULL ? SN_OK : sni_fail_memory(error));
        segment->parent = parent;
        segment->rest.translation = parent != SN_NONE
                                        ? sn_vec3_sub(joints[i].place, joints[parent].place)
                                        : joints[i].place;
    }
    SN_TRY(sni_skeleton_sort(context, &made->skeleton, error));
    *fitted = made;
    made = NULL;
cleanup:
    sn_fitted_skeleton_destroy(made);
    return status;
}

void sn_fitted_skeleton_destroy(sn_fitted_skeleton *fitted) {
    if (fitted != NULL) {
        sn_context *context = fitted->context;
        sni_skeleton_deinit(context, &fitted->skeleton);
        sni_free(context, fitted);
    }
}

sn_fit_skeleton_desc sn_fit_skeleton_desc_default(void) {
    return (sn_fit_skeleton_desc){.check = desc_check, .plan = SN_PLAN_HUMAN};
}

sn_status sn_fit_skeleton(sn_context *context, const sn_fit_skeleton_desc *desc,
                          uint32_t mesh_count, sn_mesh *const *meshes, const sn_progress *progress,
                          sn_fitted_skeleton **fitted, sn_error *error) {
    *fitted = NULL;
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_fit_skeleton_desc_default");
    }
    if (desc->front < SN_FRONT_GUESSED || desc->front > SN_FRONT_MINUS_X) {
        return sni_fail(error, SN_INVALID, "the front is %d, but must be one of sn_front",
                        (int)desc->front);
    }
    switch (desc->plan) {
    case SN_PLAN_HUMAN:
        return sni_fit_human(context, desc, mesh_count, meshes, progress, fitted, error);
    case SN_PLAN_QUADRUPED:
        return sni_fit_quadruped(context, desc, mesh_count, meshes, progress, fitted, error);
    }
    return sni_fail(error, SN_INVALID, "the plan is %d, but must be one of sn_plan",
                    (int)desc->plan);
}
