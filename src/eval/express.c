// SPDX-License-Identifier: Apache-2.0
//
// Expressions: a skin as a mesh, and its controls as morph targets.
#include "eval/bake.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const uint32_t desc_check = 0x736e6578;

sn_express_desc sn_express_desc_default(void) {
    return (sn_express_desc){.check = desc_check};
}

static bool is_about_normals(const sn_attribute *attribute) {
    return strcmp(attribute->name, "normal") == 0 || strcmp(attribute->name, "tangent") == 0;
}

sn_status sni_mesh_add_normals(sn_mesh *mesh, sn_error *error) {
    sn_attribute *normals = NULL;
    sn_status status =
        sn_mesh_add_attribute(mesh, "normal", 3, mesh->vertex_count, false, &normals, error);
    return status == SN_OK ? sn_mesh_normals(mesh, mesh->positions, normals->values, error)
                           : status;
}

sn_status sni_mesh_with_points(sn_context *context, const sn_mesh *mesh, const float *points,
                               sn_mesh **copy, sn_error *error) {
    size_t bytes = 3 * (size_t)mesh->vertex_count * sizeof *points;
    bool moved = memcmp(points, mesh->positions, bytes) != 0;
    sn_mesh bare = *mesh;
    sn_attribute *kept = NULL;
    sn_status status = SN_OK;
    SNI_NEW(context, kept, mesh->attribute_count);
    bare.target_count = bare.attribute_count = 0;
    bare.targets = NULL;
    bare.attributes = kept;
    for (uint32_t i = 0; i < mesh->attribute_count; ++i) {
        if (!moved || !is_about_normals(&mesh->attributes[i])) {
            kept[bare.attribute_count++] = mesh->attributes[i];
        }
    }
    SN_TRY(sn_mesh_copy(&bare, copy, error));
    memcpy((*copy)->positions, points, bytes);
    if (moved && sn_mesh_find_attribute(mesh, "normal") != NULL) {
        SN_TRY(sni_mesh_add_normals(*copy, error));
    }
cleanup:
    if (status != SN_OK) {
        sn_mesh_destroy(*copy);
        *copy = NULL;
    }
    sni_free(context, kept);
    return status;
}

sn_status sn_express_mesh(const sn_frame *frame, uint32_t surface, sn_mesh **mesh,
                          sn_error *error) {
    const sn_model *model = sn_frame_model(frame);
    *mesh = NULL;
    sn_status status = sni_mesh_with_points(model->context, model->surfaces[surface].mesh,
                                            sn_frame_points(frame, surface), mesh, error);
    if (status == SN_OK) {
        sn_mesh_clear_weights(*mesh);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Targets

typedef struct express {
    const sn_model *model;
    uint32_t surface, vertex_count;
    sn_frame *rest, *frame;
    sn_mesh *mesh;    // the result
    double *together; // #V x 3: the sum of all targets
    sn_express_report report;
} express;

static const float *rest_points(const express *e) {
    return sn_frame_points(e->rest, e->surface);
}

static const float *points_now(const express *e) {
    return sn_frame_points(e->frame, e->surface);
}

// The bones are called as the segments that move them; weights that nothing uses go.
static sn_status name_bones(express *e, sn_error *error) {
    const sn_surface *surface = &e->model->surfaces[e->surface];
    if (e->mesh->weights == NULL || surface->bone_segments == NULL) {
        sn_mesh_clear_weights(e->mesh);
        return SN_OK;
    }
    const sn_skeleton *skeleton = sn_model_skeleton(e->model);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < e->mesh->weights->bone_count && status == SN_OK; ++i) {
        status = sn_mesh_name_bone(e->mesh, i, skeleton->segments[surface->bone_segments[i]].name,
                                   error);
    }
    return status;
}

static sn_status evaluate_at(express *e, uint32_t control, double value, sn_error *error) {
    sn_frame_clear(e->frame);
    sn_status status =
        sn_frame_set(e->frame, sn_model_control_name(e->model, control), value, error);
    return status == SN_OK ? sn_frame_evaluate(e->frame, NULL, 0, error) : status;
}

static bool moves_joints(const express *e) {
    return memcmp(sn_frame_worlds(e->frame), sn_frame_worlds(e->rest),
                  sn_model_skeleton(e->model)->segment_count * sizeof(sn_mat4)) != 0;
}

static bool differs(const float *a, const float *b) {
    return a[0] != b[0] || a[1] != b[1] || a[2] != b[2];
}

// Adds the target of the points as they are now. `made` has the number of points that move.
static sn_status add_target(express *e, const sn_expression *made, sn_error *error) {
    const float *rest = rest_points(e), *now = points_now(e);
    sn_target *target = NULL;
    sn_status status =
        sn_mesh_add_target(e->mesh, sn_model_control_name(e->model, made->control), made->moved,
                           made->moved < e->vertex_count, &target, error);
    if (status != SN_OK) {
        return status;
    }
    uint32_t entry = 0;
    target->weight = 0;
    for (uint32_t v = 0; v < e->vertex_count; ++v) {
        size_t at = 3 * (size_t)v;
        if (!differs(now + at, rest + at)) {
            continue;
        }
        if (target->vertices != NULL) {
            target->vertices[entry] = v;
        }
        for (size_t k = 0; k < 3; ++k) {
            float offset = now[at + k] - rest[at + k];
            target->offsets[3 * (size_t)entry + k] = offset;
            e->together[at + k] += offset;
        }
        entry++;
    }
    return SN_OK;
}

static void measure(const express *e, sn_expression *made) {
    const float *rest = rest_points(e), *now = points_now(e);
    for (uint32_t v = 0; v < e->vertex_count; ++v) {
        size_t at = 3 * (size_t)v;
        made->moved += differs(now + at, rest + at);
        made->largest =
            fmax(made->largest, sn_vec3_distance(sn_vec3_load(now + at), sn_vec3_load(rest + at)));
    }
}

// The largest distance of the points now from the rest points plus offsets.
static double largest_gap(const express *e, const double *offsets) {
    const float *rest = rest_points(e), *now = points_now(e);
    double largest = 0;
    for (uint32_t v = 0; v < e->vertex_count; ++v) {
        size_t at = 3 * (size_t)v;
        sn_vec3 guess = sn_vec3_add(sn_vec3_load(rest + at),
                                    sn_vec3_make(offsets[at], offsets[at + 1], offsets[at + 2]));
        largest = fmax(largest, sn_vec3_distance(guess, sn_vec3_load(now + at)));
    }
    return largest;
}

// What linear mixing is off by half way.
static sn_status measure_half(express *e, double rest_value, double *half, sn_expression *made,
                              sn_error *error) {
    const float *rest = rest_points(e), *now = points_now(e);
    for (size_t i = 0; i < 3 * (size_t)e->vertex_count; ++i) {
        half[i] = 0.5 * ((double)now[i] - (double)rest[i]);
    }
    sn_status status = evaluate_at(e, made->control, (rest_value + made->value) / 2, error);
    made->half_error = largest_gap(e, half);
    return status;
}

static sn_status express_control(express *e, uint32_t control, bool asked, double *half,
                                 sn_error *error) {
    double rest_value = sn_frame_controls(e->rest)[control];
    sni_control_desc range = sni_rig_control(e->model->rig, control);
    sn_expression made = {.control = control,
                          .value = range.high != rest_value ? range.high : range.low};
    sn_status status = SN_OK;
    SN_TRY(evaluate_at(e, control, made.value, error));
    if (!asked && moves_joints(e)) {
        e->report.joints++;
        return SN_OK;
    }
    measure(e, &made);
    if (made.moved == 0) {
        e->report.still++;
        return SN_OK;
    }
    SN_TRY(add_target(e, &made, error));
    SN_TRY(measure_half(e, rest_value, half, &made, error));
    if (e->report.expressions != NULL) {
        e->report.expressions[e->report.count] = made;
    }
    e->report.count++;
cleanup:
    return status;
}

static sn_status measure_together(express *e, const uint32_t *controls, uint32_t count,
                                  sn_error *error) {
    sn_status status = SN_OK;
    sn_frame_clear(e->frame);
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        uint32_t control = controls[i];
        double rest_value = sn_frame_controls(e->rest)[control];
        sni_control_desc range = sni_rig_control(e->model->rig, control);
        status = sn_frame_set(e->frame, range.name,
                              range.high != rest_value ? range.high : range.low, error);
    }
    if (status == SN_OK) {
        status = sn_frame_evaluate(e->frame, NULL, 0, error);
    }
    e->report.together_error = status == SN_OK ? largest_gap(e, e->together) : 0;
    return status;
}

static sn_status express_all(express *e, const sn_express_desc *desc, const sn_progress *progress,
                             sn_error *error) {
    sn_context *context = e->model->context;
    bool asked = desc->controls != NULL;
    uint32_t count = asked ? desc->control_count : sn_model_control_count(e->model);
    uint32_t *made = NULL, made_count = 0;
    double *half = NULL;
    sn_status status = SN_OK;
    SNI_NEW(context, made, count);
    SNI_NEW(context, half, 3 * (size_t)e->vertex_count);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t control = asked ? desc->controls[i] : i;
        SN_TRY(sni_progress(progress, "expressing", (double)i / count, error));
        SN_TRY(express_control(e, control, asked, half, error));
        if (e->report.count > made_count) {
            made[made_count++] = control;
        }
    }
    SN_TRY(measure_together(e, made, made_count, error));
cleanup:
    sni_free(context, half);
    sni_free(context, made);
    return status;
}

static sn_status check_desc(const sn_model *model, const sn_express_desc *desc, sn_error *error) {
    if (desc->check != desc_check || desc->surface >= model->surface_count ||
        model->surfaces[desc->surface].layer != SN_LAYER_SKIN) {
        return sni_fail(error, SN_INVALID, "surface %u is not a skin", desc->surface);
    }
    for (uint32_t i = 0; desc->controls != NULL && i < desc->control_count; ++i) {
        if (desc->controls[i] >= sn_model_control_count(model)) {
            return sni_fail(error, SN_INVALID, "there is no control %u", desc->controls[i]);
        }
    }
    return SN_OK;
}

sn_status sn_express_targets(const sn_model *model, const sn_express_desc *desc,
                             const sn_progress *progress, sn_mesh **mesh, sn_express_report *report,
                             sn_error *error) {
    express e = {.model = model, .surface = desc->surface};
    sn_status status = SN_OK;
    *mesh = NULL;
    SN_TRY(check_desc(model, desc, error));
    e.report.expressions = report != NULL ? report->expressions : NULL;
    e.vertex_count = model->surfaces[e.surface].mesh->vertex_count;
    SN_TRY(sn_frame_create(model, &e.rest, error));
    SN_TRY(sn_frame_create(model, &e.frame, error));
    SNI_NEW_ZERO(model->context, e.together, 3 * (size_t)e.vertex_count);
    SN_TRY(sni_mesh_with_points(model->context, model->surfaces[e.surface].mesh, rest_points(&e),
                                &e.mesh, error));
    SN_TRY(name_bones(&e, error));
    SN_TRY(express_all(&e, desc, progress, error));
    if (report != NULL) {
        *report = e.report;
    }
    *mesh = e.mesh;
    e.mesh = NULL;
cleanup:
    sn_mesh_destroy(e.mesh);
    sni_free(model->context, e.together);
    sn_frame_destroy(e.frame);
    sn_frame_destroy(e.rest);
    return status;
}
