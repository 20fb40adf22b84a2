// SPDX-License-Identifier: Apache-2.0
//
// Baking: frame after frame through the evaluation into a file.
#include "eval/bake.h"

#include "base/file.h"
#include "eval/report.h"

#include <string.h>

static const uint32_t desc_check = 0x736e626b;

sn_bake_desc sn_bake_desc_default(void) {
    return (sn_bake_desc){.check = desc_check, .tolerance = 1e-5};
}

typedef struct bake {
    sn_frame *frame;
    const sn_model *model;
    const sn_bake_desc *desc;
    const sn_progress *progress;
    sn_context *context;
    uint32_t frame_count;
    uint32_t surface_count; // that are written
    uint32_t *surfaces;
    const sn_mesh **meshes; // of those surfaces
    sn_report *report;      // or NULL
    sni_output report_file; // written before the moving surfaces appear, named after them
} bake;

static bool is_written(const sn_surface *surface, const sn_bake_desc *desc) {
    bool outside = surface->layer == SN_LAYER_SKIN || surface->feature;
    bool inside = surface->layer == SN_LAYER_BONE || surface->layer == SN_LAYER_TISSUE;
    bool muscle = surface->layer == SN_LAYER_MUSCLE;
    return surface->shown && (outside || (inside && desc->bones) || (muscle && desc->muscles));
}

static sn_status choose_surfaces(bake *b, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(b->context, b->surfaces, b->model->surface_count);
    SNI_NEW(b->context, b->meshes, b->model->surface_count);
    for (uint32_t i = 0; i < b->model->surface_count; ++i) {
        const sn_surface *surface = &b->model->surfaces[i];
        if (is_written(surface, b->desc)) {
            b->meshes[b->surface_count] = surface->mesh;
            b->surfaces[b->surface_count++] = i;
        }
    }
    if (b->surface_count == 0) {
        status =
            sni_fail(error, SN_INVALID, "\"%s\" has nothing to write: no skin is shown%s",
                     b->model->blueprint->name,
                     b->desc->bones || b->desc->muscles ? ", nor what else was asked for" : "");
    }
cleanup:
    return status;
}

static double rate_of(const bake *b) {
    return b->desc->motion != NULL ? sn_motion_rate(b->desc->motion) : 30;
}

// Frames of all motions that are written.
static uint64_t all_frames(const bake *b) {
    uint64_t count = b->frame_count;
    for (uint32_t i = 0; i < b->desc->further_count; ++i) {
        count += sn_motion_frame_count(b->desc->further[i]);
    }
    return count;
}

// Evaluates frame `index` of the bake, tells the progress and fills in the report.
static sn_status evaluate(bake *b, uint32_t index, sn_error *error) {
    uint32_t number = b->desc->first + index;
    sn_status status = SN_OK;
    SN_TRY(sni_progress(b->progress, "evaluating", (double)index / (double)all_frames(b), error));
    SN_TRY(sn_frame_evaluate(b->frame, b->desc->motion, number, error));
    if (b->report != NULL) {
        SN_TRY(sn_report_add(b->report, b->frame, number, error));
    }
cleanup:
    return status;
}

// All frames are evaluated: writes the report, under a temporary name, so that it is known to fit
// on the disk before anything appears.
static sn_status finish_evaluation(bake *b, sn_error *error) {
    sn_status status = sni_progress(b->progress, "writing", 1, error);
    if (status == SN_OK && b->report != NULL) {
        status = sni_report_write(b->report, b->desc->report_path, &b->report_file, error);
    }
    return status;
}

static sn_status bake_points(bake *b, const char *path, sn_error *error) {
    sn_export_desc desc = sn_export_desc_default();
    desc.mesh_count = b->surface_count;
    desc.meshes = b->meshes;
    desc.rate = rate_of(b);
    desc.first_frame = b->desc->first;
    desc.frame_count = b->frame_count;
    desc.tolerance = b->desc->tolerance;
    sn_exporter *exporter = NULL;
    const float **points = NULL;
    sn_status status = SN_OK;
    SNI_NEW(b->context, points, b->surface_count);
    SN_TRY(sn_exporter_begin(b->context, path, &desc, &exporter, error));
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        SN_TRY(evaluate(b, f, error));
        for (uint32_t i = 0; i < b->surface_count; ++i) {
            points[i] = sn_frame_points(b->frame, b->surfaces[i]);
        }
        SN_TRY(sn_exporter_add(exporter, points, error));
    }
    SN_TRY(finish_evaluation(b, error));
    sn_exporter *ended = exporter;
    exporter = NULL;
    SN_TRY(sn_exporter_end(ended, error));
cleanup:
    sn_exporter_cancel(exporter);
    sni_free(b->context, points);
    return status;
}

// Evaluates for the report alone.
static sn_status bake_report(bake *b, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        SN_TRY(evaluate(b, f, error));
    }
    SN_TRY(finish_evaluation(b, error));
cleanup:
    return status;
}

static sn_status rename_bones(const sn_model *model, const sn_surface *surface, sn_mesh *mesh,
                              sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < mesh->weights->bone_count && status == SN_OK; ++i) {
        status = sn_mesh_name_bone(
            mesh, i, sn_model_skeleton(model)->segments[surface->bone_segments[i]].name, error);
    }
    return status;
}

// A mesh in world coordinates that one segment carries is a skinned mesh with one bone.
static sn_status weigh_to_segment(const sn_model *model, uint32_t segment, sn_mesh *mesh,
                                  sn_error *error) {
    sn_status status = sn_mesh_set_weights(mesh, 1, mesh->vertex_count, true, error);
    if (status != SN_OK) {
        return status;
    }
    sn_mat4_invert(&model->rest_worlds[segment], &mesh->weights->inverse_bind[0]);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        mesh->weights->offsets[v] = v;
        mesh->weights->bones[v] = 0;
        mesh->weights->values[v] = 1;
    }
    return sn_mesh_name_bone(mesh, 0, sn_model_skeleton(model)->segments[segment].name, error);
}

sn_status sni_skinned_mesh_make(const sn_model *model, const sn_surface *surface,
                                sni_skinned_mesh *skinned, sn_error *error) {
    bool carried_in_world = surface->segment != SN_NONE && !surface->in_segment_frame;
    bool has_weights = surface->mesh->weights != NULL;
    *skinned = (sni_skinned_mesh){.segment = carried_in_world ? SN_NONE : surface->segment};
    if (!carried_in_world && !has_weights) {
        return SN_OK;
    }
    sn_status status = sn_mesh_copy(surface->mesh, &skinned->copy, error);
    if (status != SN_OK) {
        return status;
    }
    if (carried_in_world) {
        return weigh_to_segment(model, surface->segment, skinned->copy, error);
    }
    if (surface->bone_segments != NULL) {
        return rename_bones(model, surface, skinned->copy, error);
    }
    sn_mesh_clear_weights(skinned->copy);
    return SN_OK;
}

static void copy_target_weights(const bake *b, uint32_t index, float *weights) {
    const sn_surface *surface = &b->model->surfaces[b->surfaces[index]];
    const double *controls = sn_frame_controls(b->frame);
    for (uint32_t t = 0; t < surface->mesh->target_count; ++t) {
        // A target without control keeps the weight of its file; without deformer it does nothing.
        const uint32_t *used = surface->target_controls;
        weights[t] = used == NULL         ? 0
                     : used[t] != SN_NONE ? (float)controls[used[t]]
                                          : surface->mesh->targets[t].weight;
    }
}

// A motion of a skinned file: `sn_export_clip` points into it.
typedef struct skinned_clip {
    sn_transform *locals; // frame_count x segment_count
    float **weights;      // per surface: frame_count x target_count
} skinned_clip;

typedef struct skinned_bake {
    sni_skinned_mesh *meshes;
    const sn_mesh **mesh_list;
    uint32_t *segments;
    skinned_clip *clips; // the motion and further ones
    sn_export_clip *further;
    uint64_t frames_done;
} skinned_bake;

static uint32_t frames_of_clip(const bake *b, uint32_t clip) {
    return clip == 0 ? b->frame_count : sn_motion_frame_count(b->desc->further[clip - 1]);
}

static sn_status prepare_meshes(bake *b, skinned_bake *s, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW_ZERO(b->context, s->meshes, b->surface_count);
    SNI_NEW(b->context, s->mesh_list, b->surface_count);
    SNI_NEW(b->context, s->segments, b->surface_count);
    SNI_NEW_ZERO(b->context, s->clips, b->desc->further_count + (size_t)1);
    SNI_NEW(b->context, s->further, b->desc->further_count);
    for (uint32_t i = 0; i < b->surface_count; ++i) {
        const sn_surface *surface = &b->model->surfaces[b->surfaces[i]];
        SN_TRY(sni_skinned_mesh_make(b->model, surface, &s->meshes[i], error));
        s->mesh_list[i] = s->meshes[i].copy != NULL ? s->meshes[i].copy : surface->mesh;
        s->segments[i] = s->meshes[i].segment;
    }
cleanup:
    return status;
}

static sn_status prepare_clip(bake *b, uint32_t frame_count, skinned_clip *clip, sn_error *error) {
    uint32_t segment_count = sn_model_skeleton(b->model)->segment_count;
    sn_status status = SN_OK;
    size_t local_count;
    if (!sni_size_multiply(frame_count, segment_count, &local_count)) {
        return sni_fail_memory(error);
    }
    SNI_NEW(b->context, clip->locals, local_count);
    SNI_NEW_ZERO(b->context, clip->weights, b->surface_count);
    for (uint32_t i = 0; i < b->surface_count; ++i) {
        if (b->meshes[i]->target_count > 0) {
            SNI_NEW(b->context, clip->weights[i], (size_t)frame_count * b->meshes[i]->target_count);
        }
    }
cleanup:
    return status;
}

static void free_skinned_bake(bake *b, skinned_bake *s) {
    for (uint32_t i = 0; s->meshes != NULL && i < b->surface_count; ++i) {
        sn_mesh_destroy(s->meshes[i].copy);
    }
    for (uint32_t c = 0; s->clips != NULL && c <= b->desc->further_count; ++c) {
        for (uint32_t i = 0; s->clips[c].weights != NULL && i < b->surface_count; ++i) {
            sni_free(b->context, s->clips[c].weights[i]);
        }
        sni_free(b->context, s->clips[c].weights);
        sni_free(b->context, s->clips[c].locals);
    }
    sni_free(b->context, s->meshes);
    sni_free(b->context, s->mesh_list);
    sni_free(b->context, s->segments);
    sni_free(b->context, s->clips);
    sni_free(b->context, s->further);
}

// Evaluates a frame of one of the motions.
static sn_status evaluate_of_clip(bake *b, skinned_bake *s, uint32_t clip, uint32_t f,
                                  sn_error *error) {
    if (clip == 0) {
        return evaluate(b, f, error);
    }
    sn_status status = sni_progress(b->progress, "evaluating",
                                    (double)s->frames_done / (double)all_frames(b), error);
    return status == SN_OK ? sn_frame_evaluate(b->frame, b->desc->further[clip - 1], f, error)
                           : status;
}

static sn_status bake_clip(bake *b, skinned_bake *s, uint32_t clip, sn_error *error) {
    size_t segment_count = sn_model_skeleton(b->model)->segment_count;
    skinned_clip *made = &s->clips[clip];
    sn_status status = SN_OK;
    SN_TRY(prepare_clip(b, frames_of_clip(b, clip), made, error));
    for (uint32_t f = 0; f < frames_of_clip(b, clip); ++f, ++s->frames_done) {
        SN_TRY(evaluate_of_clip(b, s, clip, f, error));
        memcpy(made->locals + f * segment_count, sn_frame_locals(b->frame),
               segment_count * sizeof *made->locals);
        for (uint32_t i = 0; i < b->surface_count; ++i) {
            copy_target_weights(b, i, made->weights[i] + (size_t)f * b->meshes[i]->target_count);
        }
    }
cleanup:
    return status;
}

static sn_status bake_skinned(bake *b, const char *path, sn_error *error) {
    skinned_bake s = {0};
    sn_status status = SN_OK;
    SN_TRY(prepare_meshes(b, &s, error));
    for (uint32_t c = 0; c <= b->desc->further_count; ++c) {
        SN_TRY(bake_clip(b, &s, c, error));
    }
    for (uint32_t i = 0; i < b->desc->further_count; ++i) {
        const sn_motion *motion = b->desc->further[i];
        s.further[i] = (sn_export_clip){.name = sn_motion_name(motion),
                                        .rate = sn_motion_rate(motion),
                                        .frame_count = sn_motion_frame_count(motion),
                                        .locals = s.clips[i + 1].locals,
                                        .weights = (const float *const *)s.clips[i + 1].weights};
    }
    SN_TRY(finish_evaluation(b, error));
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    desc.mesh_count = b->surface_count;
    desc.meshes = s.mesh_list;
    desc.mesh_segments = s.segments;
    desc.skeleton = sn_model_skeleton(b->model);
    desc.clip_name = b->desc->motion != NULL ? sn_motion_name(b->desc->motion) : "rest";
    desc.rate = rate_of(b);
    desc.frame_count = b->desc->motion != NULL ? b->frame_count : 0;
    desc.locals = s.clips[0].locals;
    desc.weights = (const float *const *)s.clips[0].weights;
    desc.further_count = b->desc->further_count;
    desc.further = s.further;
    SN_TRY(sn_export_skinned(b->context, path, &desc, error));
cleanup:
    free_skinned_bake(b, &s);
    return status;
}

// The first surface that skinning alone cannot say, NULL when there is none.
static const sn_surface *find_not_skinned(const sn_model *model, const sn_bake_desc *desc) {
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        if (is_written(&model->surfaces[i], desc) && !model->surfaces[i].linear_skinning) {
            return &model->surfaces[i];
        }
    }
    return NULL;
}

// A .usda is skinned if that is asked for, since many programs read its points alone.
static bool takes_skins(const char *path, const sn_bake_desc *desc) {
    return path != NULL && sni_path_has_extension(path, ".usda") && desc->glb == SN_GLB_SKINNED;
}

bool sn_bake_is_skinned(const sn_model *model, const sn_bake_desc *desc, const char *path) {
    bool wanted = path != NULL && sni_path_has_extension(path, ".glb") ? desc->glb != SN_GLB_MORPH
                                                                       : takes_skins(path, desc);
    return wanted && find_not_skinned(model, desc) == NULL;
}

static sn_status choose_way(const bake *b, const char *path, bool *skinned, sn_error *error) {
    const sn_surface *other = find_not_skinned(b->model, b->desc);
    *skinned = sn_bake_is_skinned(b->model, b->desc, path);
    bool holds_skins =
        sni_path_has_extension(path, ".glb") || sni_path_has_extension(path, ".usda");
    if (holds_skins && b->desc->glb == SN_GLB_SKINNED && other != NULL) {
        return sni_fail(error, SN_INVALID,
                        "the %s \"%s\" has more than linear skinning; write morph targets",
                        other->layer == SN_LAYER_MUSCLE ? "muscle" : "skin", other->name);
    }
    if (!*skinned && b->desc->further_count > 0) {
        return sni_fail(error, SN_INVALID, "%u clips, but only skinned .glb files hold several",
                        b->desc->further_count + 1);
    }
    return SN_OK;
}

static sn_status check_range(const sn_bake_desc *desc, sn_error *error) {
    uint32_t count = desc->motion != NULL ? sn_motion_frame_count(desc->motion) : UINT32_MAX;
    if (desc->first > desc->last || desc->last >= count) {
        return desc->motion != NULL
                   ? sni_fail(error, SN_INVALID,
                              "frames %u to %u asked for, \"%s\" has frames 0 to %u", desc->first,
                              desc->last, sn_motion_name(desc->motion), count - 1)
                   : sni_fail(error, SN_INVALID, "frames %u to %u asked for", desc->first,
                              desc->last);
    }
    return SN_OK;
}

sn_status sn_bake(sn_frame *frame, const sn_bake_desc *desc, const char *path,
                  const sn_progress *progress, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_bake_desc_default");
    }
    const sn_model *model = sn_frame_model(frame);
    bake b = {.frame = frame,
              .model = model,
              .desc = desc,
              .progress = progress,
              .context = model->context,
              .frame_count = desc->last - desc->first + 1};
    bool skinned = false;
    sn_status status = SN_OK;
    SN_TRY(check_range(desc, error));
    if (path != NULL) {
        SN_TRY(choose_surfaces(&b, error));
        SN_TRY(choose_way(&b, path, &skinned, error));
    } else if (desc->report_path == NULL) {
        SN_TRY(sni_fail(error, SN_INVALID, "there is neither a file to write nor a report"));
    }
    if (desc->report_path != NULL) {
        SN_TRY(sn_report_create(model, &b.report, error));
    }
    SN_TRY(path == NULL ? bake_report(&b, error)
           : skinned    ? bake_skinned(&b, path, error)
                        : bake_points(&b, path, error));
    if (b.report != NULL) {
        SN_TRY(sni_output_commit(&b.report_file, error));
    }
cleanup:
    sni_output_close(&b.report_file);
    sn_report_destroy(b.report);
    sni_free(b.context, b.surfaces);
    sni_free(b.context, b.meshes);
    return status;
}
