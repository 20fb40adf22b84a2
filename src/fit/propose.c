// SPDX-License-Identifier: Apache-2.0
//
// Muscles for a body from its skeleton and skins alone: those of its parts, as far as these are
// known, and those of all other limbs. What cannot be made is left out with its reason.
#include "fit/propose.h"

#include "base/context.h"
#include "fit/propose_strip.h"
#include "motion/skeleton.h"

#include <math.h>
#include <string.h>

static const uint32_t desc_check = 0x70726f70;

sn_propose_desc sn_propose_desc_default(void) {
    return (sn_propose_desc){.check = desc_check, .smallest = 0.04, .thickness = 1};
}

const char *sni_propose_segment_name(const sni_proposal *job, uint32_t segment) {
    return sni_layout_text(job->layout, "%s", job->skeleton->segments[segment].name);
}

static sn_status check_desc(const sn_propose_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_propose_desc_default");
    }
    if (!(desc->smallest >= 0 && isfinite(desc->smallest))) {
        return sni_fail(error, SN_INVALID, "smallest is %g, but must not be negative",
                        desc->smallest);
    }
    if (!(desc->thickness > 0 && desc->thickness <= 2)) {
        return sni_fail(error, SN_INVALID, "thickness is %g, but must be in 0 to 2",
                        desc->thickness);
    }
    if (desc->kind != SN_PROPOSE_PATCH && desc->kind != SN_PROPOSE_FIBRE) {
        return sni_fail(error, SN_INVALID, "kind is %d, but there are patches (0) and fibres (1)",
                        (int)desc->kind);
    }
    return SN_OK;
}

// The skins that muscles can lie on.
typedef struct skin_list {
    uint32_t count;
    const sn_mesh **meshes;
    const char **names;
} skin_list;

// Why no muscle can lie on a skin; NULL where it can.
static const char *reason_against(const sn_mesh *mesh) {
    return mesh->weights == NULL   ? "it has no weights: it moves as a whole, and no part of it "
                                     "belongs to a limb"
           : mesh->face_count == 0 ? "it has no triangles"
                                   : NULL;
}

// Skins without weights or faces are left out while there are others.
static sn_status list_skins(sni_proposal *job, const sn_propose_desc *desc, skin_list *list,
                            sn_error *error) {
    bool is_one = desc->mesh_count == 0;
    uint32_t count = is_one ? 1 : desc->mesh_count;
    const sn_mesh *const *meshes = is_one ? &desc->mesh : desc->meshes;
    const char *reason = NULL;
    sn_status status = SN_OK;
    SNI_NEW(job->context, list->meshes, count);
    SNI_NEW(job->context, list->names, count);
    for (uint32_t i = 0; i < count; ++i) {
        const char *name = is_one || desc->names == NULL ? meshes[i]->name : desc->names[i];
        name = sni_layout_text(job->layout, "%s", name != NULL ? name : "");
        reason = reason_against(meshes[i]);
        if (reason != NULL) {
            SN_TRY(sni_layout_skip(job->layout, name, reason, error));
        } else if (name == NULL) {
            SN_TRY(sni_fail_memory(error));
        } else {
            list->meshes[list->count] = meshes[i];
            list->names[list->count++] = name;
        }
    }
    if (list->count == 0) {
        status = sni_fail(error, SN_INVALID, "the skin \"%s\" cannot carry muscles: %s",
                          meshes[0]->name, reason_against(meshes[0]));
    }
cleanup:
    return status;
}

static sn_status learn(sni_proposal *job, const skin_list *list, sn_error *error) {
    sn_context *context = job->context;
    sni_limbs_desc limbs = {
        .skeleton = job->skeleton, .meshes = list->meshes, .mesh_count = list->count};
    sn_status status = SN_OK;
    SN_TRY(sni_body_init(context, job->skeleton, &job->body, error));
    SN_TRY(sni_bones_init(context, &limbs, &job->body, &job->bones, error));
    sni_propose_skins_desc skins = {.skeleton = job->skeleton,
                                    .limbs = &job->bones.limbs,
                                    .count = list->count,
                                    .meshes = list->meshes,
                                    .names = list->names};
    SN_TRY(sni_propose_skins_init(context, &skins, &job->skins, error));
    SN_TRY(sni_anatomy_init(context, job->skeleton, &job->body, &job->bones.limbs, &job->skins,
                            &job->anatomy, error));
    sni_bones_pair(&job->bones, job->anatomy.middle, job->anatomy.left, job->skins.size);
    SN_TRY(sni_skeleton_rest_worlds(context, job->skeleton, &job->rest_worlds, error));
    SNI_NEW_ZERO(context, job->carried, job->skeleton->segment_count);
    SNI_NEW(context, job->made, job->bones.count);
    memset(job->made, 0xff, job->bones.count * sizeof *job->made);
cleanup:
    return status;
}

// From the space that the skins share to each muscle's own. A skin that is the only one need not be
// named.
static void give_to_skins(const sni_proposal *job, bool is_one) {
    for (uint32_t i = 0; i < job->layout->muscle_count; ++i) {
        sn_layout_muscle *muscle = &job->layout->muscles[i];
        if (muscle->fibre != NULL) {
            continue;
        }
        const sni_propose_skin *skin = sni_strip_skin(job, muscle);
        muscle->skin = is_one ? NULL : muscle->skin;
        if (skin->copy == NULL) {
            continue;
        }
        for (uint32_t k = 0; k < 2; ++k) {
            sn_vec3 *points = (sn_vec3 *)muscle->curves[k];
            for (uint32_t n = 0; n < muscle->curve_counts[k]; ++n) {
                points[n] = sn_mat4_point(&skin->to_own, points[n]);
            }
        }
        muscle->top_depth *= skin->scale;
        muscle->half_thickness *= skin->scale;
        muscle->d_full *= skin->scale;
        muscle->d_none *= skin->scale;
    }
}

sn_status sn_muscles_propose(sn_context *context, const sn_propose_desc *desc,
                             const sn_progress *progress, sn_muscle_layout **layout,
                             sn_error *error) {
    sn_status status = SN_OK;
    sni_proposal job = {.context = context,
                        .skeleton = desc->skeleton,
                        .smallest = desc->smallest,
                        .thickness = desc->thickness,
                        .kind = desc->kind};
    skin_list list = {0};
    *layout = NULL;
    SN_TRY(check_desc(desc, error));
    SN_TRY(sni_layout_create(context, &job.layout, error));
    SN_TRY(list_skins(&job, desc, &list, error));
    SN_TRY(learn(&job, &list, error));
    if (job.kind == SN_PROPOSE_FIBRE) {
        SN_TRY(sni_propose_known_fibres(&job, progress, error));
    } else {
        SN_TRY(sni_propose_known(&job, progress, error));
    }
    SN_TRY(sni_propose_limbs(&job, progress, error));
    give_to_skins(&job, desc->mesh_count == 0);
    *layout = job.layout;
cleanup:
    sni_anatomy_deinit(&job.anatomy);
    sni_propose_skins_deinit(&job.skins);
    sni_bones_deinit(&job.bones);
    sni_body_deinit(context, &job.body);
    sni_free(context, job.made);
    sni_free(context, job.carried);
    sni_free(context, job.rest_worlds);
    sni_free(context, list.meshes);
    sni_free(context, list.names);
    if (status != SN_OK) {
        sn_muscle_layout_destroy(job.layout);
    }
    return status;
}
