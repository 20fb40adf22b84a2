// SPDX-License-Identifier: Apache-2.0
//
// A frame: making it, values that are held, results.
#include "eval/frame.h"

#include <string.h>

const char *sn_stage_name(sn_stage stage) {
    static const char *const names[] = {"pose", "bones", "muscles", "skin", "bodies"};
    return names[stage];
}

// A place for each deformer's own.
static sn_status make_kept(sn_frame *frame, sn_error *error) {
    const sn_model *model = frame->model;
    uint32_t surface_count = model->blueprint->surface_count, count = 0;
    sn_status status = SN_OK;
    SNI_NEW(frame->context, frame->first_kept, surface_count);
    for (uint32_t i = 0; i < surface_count; ++i) {
        frame->first_kept[i] = count;
        count += model->bound[i].deformer_count;
    }
    SNI_NEW_ZERO(frame->context, frame->kept, count);
cleanup:
    return status;
}

static void free_kept(sn_frame *frame) {
    const sn_model *model = frame->model;
    for (uint32_t i = 0; frame->kept != NULL && i < model->blueprint->surface_count; ++i) {
        for (uint32_t k = 0; k < model->bound[i].deformer_count; ++k) {
            void *kept = frame->kept[frame->first_kept[i] + k];
            if (kept != NULL) {
                model->bound[i].deformers[k].ops->kept_free(frame->context, kept);
            }
        }
    }
    sni_free(frame->context, frame->kept);
    sni_free(frame->context, frame->first_kept);
}

static sn_status make_spans(sn_frame *frame, sn_error *error) {
    const sn_model *model = frame->model;
    sn_context *context = frame->context;
    uint32_t segment_count = sn_model_skeleton(model)->segment_count;
    sn_status status = SN_OK;
    SNI_NEW(context, frame->pose.locals, segment_count);
    SNI_NEW(context, frame->pose.worlds, segment_count);
    SNI_NEW(context, frame->pose.parameters, (size_t)segment_count * SN_JOINT_PARAMETER_COUNT);
    SNI_NEW(context, frame->pose.controls, sn_model_control_count(model));
    SNI_NEW_ZERO(context, frame->selected, model->surface_count);
    SNI_NEW(context, frame->needed, model->surface_count);
    SNI_NEW(context, frame->muscle_needed, model->blueprint->muscle_count);
    SNI_NEW_ZERO(context, frame->vertex_faces, model->surface_count);
    SNI_NEW_ZERO(context, frame->points, model->surface_count);
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        SNI_NEW(context, frame->points[i], 3 * (size_t)model->surfaces[i].mesh->vertex_count);
    }
cleanup:
    return status;
}

// What it shows before its first evaluation.
static void stand_at_rest(sn_frame *frame) {
    const sn_model *model = frame->model;
    const sni_pose *rest = &model->rest->pose;
    size_t segments = sn_model_skeleton(model)->segment_count;
    memcpy(frame->pose.locals, rest->locals, segments * sizeof *rest->locals);
    memcpy(frame->pose.worlds, rest->worlds, segments * sizeof *rest->worlds);
    memcpy(frame->pose.parameters, rest->parameters,
           segments * SN_JOINT_PARAMETER_COUNT * sizeof *rest->parameters);
    memcpy(frame->pose.controls, rest->controls,
           sn_model_control_count(model) * sizeof *rest->controls);
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        const sn_mesh *mesh = model->surfaces[i].mesh;
        memcpy(frame->points[i], mesh->positions,
               3 * (size_t)mesh->vertex_count * sizeof *mesh->positions);
    }
}

sn_status sn_frame_create_unevaluated(const sn_model *model, sn_frame **frame, sn_error *error) {
    sn_status status = SN_OK;
    sn_frame *made = NULL;
    *frame = NULL;
    SNI_NEW_ZERO(model->context, made, 1);
    made->model = model;
    made->context = model->context;
    sni_arena_init(&made->arena, model->context);
    SN_TRY(make_spans(made, error));
    SN_TRY(make_kept(made, error));
    SN_TRY(sni_frame_muscles_init(model, &made->muscles, error));
    SN_TRY(sni_frame_bodies_init(model, &made->bodies, error));
    SN_TRY(sni_frame_state_init(made, error));
    SN_TRY(sni_live_pose_init(made, error));
    SN_TRY(sni_values_create(model, &made->values, error));
    sni_frame_mark_needed(made);
    stand_at_rest(made);
    *frame = made;
    return SN_OK;
cleanup:
    sn_frame_destroy(made);
    return status;
}

sn_status sn_frame_create(const sn_model *model, sn_frame **frame, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sn_frame_create_unevaluated(model, frame, error));
    SN_TRY(sn_frame_evaluate(*frame, NULL, 0, error));
    return SN_OK;
cleanup:
    sn_frame_destroy(*frame);
    *frame = NULL;
    return status;
}

static void free_surfaces(sn_frame *frame) {
    uint32_t count = frame->model->surface_count;
    for (uint32_t i = 0; frame->points != NULL && i < count; ++i) {
        sni_free(frame->context, frame->points[i]);
    }
    for (uint32_t i = 0; frame->vertex_faces != NULL && i < count; ++i) {
        sni_vertex_faces_deinit(frame->context, &frame->vertex_faces[i]);
    }
    sni_free(frame->context, frame->points);
    sni_free(frame->context, frame->vertex_faces);
}

void sn_frame_destroy(sn_frame *frame) {
    if (frame == NULL) {
        return;
    }
    sn_context *context = frame->context;
    free_surfaces(frame);
    free_kept(frame);
    sni_values_destroy(frame->values);
    sni_frame_muscles_deinit(&frame->muscles);
    sni_frame_bodies_deinit(&frame->bodies);
    sni_frame_state_deinit(frame);
    sni_live_pose_deinit(frame);
    sni_free(context, frame->overrides);
    sni_free(context, frame->selected);
    sni_free(context, frame->needed);
    sni_free(context, frame->muscle_needed);
    sni_free(context, frame->pose.locals);
    sni_free(context, frame->pose.worlds);
    sni_free(context, frame->pose.parameters);
    sni_free(context, frame->pose.controls);
    sni_arena_deinit(&frame->arena);
    sni_free(context, frame);
}

// ---------------------------------------------------------------------------------------------
// Values that are held

static bool same_parameter(const sni_parameter_ref *a, const sni_parameter_ref *b) {
    return a->segment == b->segment && a->control == b->control &&
           (a->segment == SN_NONE || a->joint_parameter == b->joint_parameter);
}

static sn_status hold(sn_frame *frame, const sni_override *made, sn_error *error) {
    sn_status status = sni_rig_check_override(frame->model->rig, made, error);
    if (status != SN_OK) {
        return status;
    }
    uint32_t place = 0;
    while (place < frame->override_count &&
           !same_parameter(&frame->overrides[place].ref, &made->ref)) {
        ++place;
    }
    if (!sni_grow(frame->context, &frame->overrides, &frame->override_capacity, place + 1,
                  sizeof *frame->overrides)) {
        return sni_fail_memory(error);
    }
    frame->overrides[place] = *made;
    frame->override_count += place == frame->override_count;
    sni_frame_forget_motion(frame);
    return SN_OK;
}

sn_status sn_frame_set(sn_frame *frame, const char *parameter, double value, sn_error *error) {
    sni_override made = {.value = value};
    sn_status status = sni_rig_find(frame->model->rig, parameter, &made.ref, error);
    return status == SN_OK ? hold(frame, &made, error) : status;
}

sn_status sn_frame_hold(sn_frame *frame, const sn_pose_parameter *parameter, double value,
                        sn_error *error) {
    sni_override made = {.value = value};
    sn_status status = sni_model_parameter_ref(frame->model, parameter, &made.ref, error);
    return status == SN_OK ? hold(frame, &made, error) : status;
}

void sn_frame_clear(sn_frame *frame) {
    frame->override_count = 0;
    sni_frame_forget_motion(frame);
}

// ---------------------------------------------------------------------------------------------
// Results

const sn_model *sn_frame_model(const sn_frame *frame) {
    return frame->model;
}

sni_values *sni_frame_kept_values(const sn_frame *frame) {
    return frame->values;
}

uint64_t sni_frame_evaluation(const sn_frame *frame) {
    return frame->evaluation;
}

const double *sni_frame_muscle_points(const sn_frame *frame, uint32_t muscle) {
    return frame->muscles.posed[muscle].contracted;
}

const float *sn_frame_points(const sn_frame *frame, uint32_t surface) {
    return frame->points[surface];
}

const sn_mat4 *sn_frame_worlds(const sn_frame *frame) {
    return frame->pose.worlds;
}

const sn_transform *sn_frame_locals(const sn_frame *frame) {
    return frame->pose.locals;
}

const double *sn_frame_joint_parameters(const sn_frame *frame) {
    return frame->pose.parameters;
}

const double *sn_frame_controls(const sn_frame *frame) {
    return frame->pose.controls;
}

double sn_frame_time(const sn_frame *frame) {
    return frame->time;
}

double sn_frame_stage_ms(const sn_frame *frame, sn_stage stage) {
    return frame->stage_ms[stage];
}

static sn_status check_output(const sn_frame *frame, uint32_t surface, size_t stride,
                              sn_error *error) {
    if (surface >= frame->model->surface_count) {
        return sni_fail(error, SN_INVALID, "there is no surface %u: \"%s\" has %u", surface,
                        sn_model_name(frame->model), frame->model->surface_count);
    }
    if (stride != 0 && stride < 3 * sizeof(float)) {
        return sni_fail(error, SN_INVALID,
                        "a stride of %zu bytes has no room for the %zu of a point", stride,
                        3 * sizeof(float));
    }
    return SN_OK;
}

static void copy_out(const float *points, uint32_t count, void *out, size_t stride) {
    size_t bytes = 3 * sizeof *points;
    if (stride == 0 || stride == bytes) {
        memcpy(out, points, count * bytes);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        memcpy((uint8_t *)out + i * stride, points + 3 * (size_t)i, bytes);
    }
}

sn_status sn_frame_copy_points(const sn_frame *frame, uint32_t surface, void *out, size_t stride,
                               sn_error *error) {
    sn_status status = check_output(frame, surface, stride, error);
    if (status == SN_OK) {
        copy_out(frame->points[surface], frame->model->surfaces[surface].mesh->vertex_count, out,
                 stride);
    }
    return status;
}

sn_status sn_frame_copy_normals(sn_frame *frame, uint32_t surface, void *out, size_t stride,
                                sn_error *error) {
    sn_status status = check_output(frame, surface, stride, error);
    if (status != SN_OK) {
        return status;
    }
    const sn_mesh *mesh = frame->model->surfaces[surface].mesh;
    sni_vertex_faces *table = &frame->vertex_faces[surface];
    sni_arena_mark mark = sni_arena_mark_now(&frame->arena);
    if (table->offsets == NULL) {
        SN_TRY(sni_vertex_faces_init(frame->context, mesh, table, error));
    }
    double *vectors = sni_arena_alloc(&frame->arena, 3 * (size_t)mesh->face_count, sizeof *vectors);
    float *normals =
        sni_arena_alloc(&frame->arena, 3 * (size_t)mesh->vertex_count, sizeof *normals);
    if (vectors == NULL || normals == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    sni_normals_compute(mesh, frame->points[surface], table->offsets, table->faces, vectors,
                        normals);
    copy_out(normals, mesh->vertex_count, out, stride);
cleanup:
    sni_arena_release(&frame->arena, mark);
    return status;
}
