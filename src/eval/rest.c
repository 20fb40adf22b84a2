// SPDX-License-Identifier: Apache-2.0
#include "eval/rest.h"

#include "character/character.h"
#include "character/schema/schema.h"
#include "motion/skeleton.h"

#include <float.h>
#include <math.h>
#include <string.h>

// --- The skeleton

static sn_status make_rig(sni_rest *rest, const double *proportions, sn_error *error) {
    const sni_blueprint *blueprint = rest->blueprint;
    uint32_t count = blueprint->skeleton.segment_count;
    sn_status status = SN_OK;
    rest->proportions = sni_copy(rest->context, proportions, count, sizeof *proportions);
    SN_TRY(rest->proportions != NULL ? SN_OK : sni_fail_memory(error));
    SNI_NEW(rest->context, rest->segment_sizes, count);
    if (memcmp(proportions, blueprint->proportions, count * sizeof *proportions) == 0) {
        memcpy(rest->segment_sizes, blueprint->segment_sizes, count * sizeof *rest->segment_sizes);
        rest->rig = blueprint->rig;
    } else {
        SN_TRY(
            sni_blueprint_body(blueprint, proportions, &rest->own_rig, rest->segment_sizes, error));
        rest->rig = rest->own_rig;
    }
cleanup:
    return status;
}

bool sni_is_float_matrix(const sn_mat4 *matrix) {
    bool fits = true;
    for (int i = 0; i < 16; ++i) {
        fits = fits && fabs(matrix->m[i]) <= FLT_MAX;
    }
    return fits;
}

static sn_status make_worlds(sni_rest *rest, sn_error *error) {
    const sn_skeleton *skeleton = sni_rig_skeleton(rest->rig);
    sn_status status = sni_skeleton_rest_worlds(rest->context, skeleton, &rest->worlds, error);
    for (uint32_t i = 0; i < skeleton->segment_count && status == SN_OK; ++i) {
        if (!sni_is_float_matrix(&rest->worlds[i])) {
            status = sni_fail_value(error, rest->blueprint->segment_values[i], SN_INVALID,
                                    "the rest pose is too large for this segment to have a place");
        }
    }
    return status;
}

// The pose without a motion.
static sn_status make_pose(sni_rest *rest, sn_error *error) {
    size_t segments = sni_rig_skeleton(rest->rig)->segment_count;
    sn_status status = SN_OK;
    SNI_NEW(rest->context, rest->pose.locals, segments);
    SNI_NEW(rest->context, rest->pose.worlds, segments);
    SNI_NEW(rest->context, rest->pose.parameters, segments * SN_JOINT_PARAMETER_COUNT);
    SNI_NEW(rest->context, rest->pose.controls, sni_rig_control_count(rest->rig));
    SN_TRY(sni_rig_pose(rest->rig, NULL, 0, NULL, 0, &rest->pose, error));
cleanup:
    return status;
}

// Where segments are at rest, how large they are, and what hangs on what. Their names, limits and
// controls change nothing that is made at rest.
static void add_skeleton(sni_digest *digest, const sni_rest *rest) {
    const sn_skeleton *skeleton = sni_rig_skeleton(rest->rig);
    uint32_t count = skeleton->segment_count;
    sni_digest_add(digest, rest->segment_sizes, count * sizeof *rest->segment_sizes);
    for (uint32_t i = 0; i < count; ++i) {
        sni_digest_add_index(digest, skeleton->segments[i].parent);
        sni_digest_add_matrix(digest, &rest->worlds[i]);
    }
}

// --- Muscles

static sn_surface muscle_surface(const sni_muscle_plan *plan) {
    return (sn_surface){.name = plan->name,
                        .layer = SN_LAYER_MUSCLE,
                        .look = SN_LOOK_MUSCLE,
                        .segment = SN_NONE,
                        .density = 1,
                        .shown = plan->show};
}

static sn_status plan_muscles(sni_rest *rest, bool on_extracted, sn_error *error) {
    const sni_blueprint *blueprint = rest->blueprint;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < blueprint->muscle_count; ++i) {
        const sni_muscle_plan *plan = &blueprint->muscles[i];
        if (plan->on_extracted == on_extracted && status == SN_OK) {
            status = sni_rest_muscle_digest(rest, plan, &rest->muscle_digests[i], error);
        }
    }
    return status;
}

// --- Extraction

bool sni_rest_has_proportions(const sni_rest *rest) {
    for (uint32_t i = 0; i < rest->blueprint->skeleton.segment_count; ++i) {
        if (rest->proportions[i] != 0 && rest->proportions[i] != 1) {
            return true;
        }
    }
    return false;
}

static sn_status plan_plain(sni_rest *rest, sn_error *error) {
    if (rest->bare || !sni_rest_has_proportions(rest)) {
        rest->plain = rest;
        return SN_OK;
    }
    double *none =
        sni_alloc_zero(rest->context, rest->blueprint->skeleton.segment_count, sizeof *none);
    if (none == NULL) {
        return sni_fail_memory(error);
    }
    sni_rest_desc desc = {.character = rest->character,
                          .blueprint = rest->blueprint,
                          .proportions = none,
                          .store = rest->store};
    sn_status status = sni_rest_create(&desc, &rest->plain, error);
    sni_free(rest->context, none);
    return status;
}

// Skins are extracted from the plain body; what needs them can be planned then.
static sn_status plan_extracted(sni_rest *rest, sn_error *error) {
    uint32_t count = rest->blueprint->extraction_count;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < count; ++i) {
        if (rest->plain != rest) {
            rest->extractions[i] = rest->plain->extractions[i];
        } else {
            SN_TRY(sni_rest_plan_extraction(rest, i, &rest->extractions[i], error));
        }
    }
    SN_TRY(sni_rest_plan_surfaces(rest, true, error));
    SN_TRY(plan_muscles(rest, true, error));
cleanup:
    return status;
}

// --- All of it

static sn_status allocate(sni_rest *rest, sn_error *error) {
    const sni_blueprint *blueprint = rest->blueprint;
    sn_context *context = rest->context;
    sn_status status = SN_OK;
    rest->surface_count = blueprint->surface_count + blueprint->muscle_count;
    SNI_NEW_ZERO(context, rest->surfaces, rest->surface_count);
    SNI_NEW_ZERO(context, rest->details, blueprint->surface_count);
    SNI_NEW_ZERO(context, rest->muscle_digests, blueprint->muscle_count);
    SNI_NEW_ZERO(context, rest->muscles, blueprint->muscle_count);
    SNI_NEW_ZERO(context, rest->extractions, blueprint->extraction_count);
    SNI_NEW_ZERO(context, rest->extracted, blueprint->extraction_count);
    for (uint32_t i = 0; i < blueprint->muscle_count; ++i) {
        rest->surfaces[blueprint->surface_count + i] = muscle_surface(&blueprint->muscles[i]);
    }
cleanup:
    return status;
}

sn_status sni_rest_create(const sni_rest_desc *desc, sni_rest **rest, sn_error *error) {
    sn_context *context = sni_character_context(desc->character);
    sn_status status = SN_OK;
    sni_rest *made = NULL;
    *rest = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->character = desc->character;
    made->blueprint = desc->blueprint;
    made->store = desc->store;
    made->bare = desc->bare;
    SN_TRY(allocate(made, error));
    SN_TRY(make_rig(made, desc->proportions, error));
    SN_TRY(make_worlds(made, error));
    SN_TRY(make_pose(made, error));
    made->digest = sni_digest_new();
    add_skeleton(&made->digest, made);
    SN_TRY(sni_rest_plan_surfaces(made, false, error));
    SN_TRY(plan_muscles(made, false, error));
    SN_TRY(plan_plain(made, error));
    SN_TRY(made->bare ? SN_OK : plan_extracted(made, error));
    *rest = made;
    made = NULL;
cleanup:
    sni_rest_destroy(made);
    return status;
}

void sni_rest_destroy(sni_rest *rest) {
    if (rest == NULL) {
        return;
    }
    sn_context *context = rest->context;
    if (rest->plain != rest) {
        sni_rest_destroy(rest->plain);
    }
    for (uint32_t i = 0; rest->details != NULL && i < rest->blueprint->surface_count; ++i) {
        sni_free(context, rest->details[i].bone_segments);
        sni_free(context, rest->details[i].target_controls);
    }
    sni_rig_destroy(rest->own_rig);
    sni_free(context, rest->pose.locals);
    sni_free(context, rest->pose.worlds);
    sni_free(context, rest->pose.parameters);
    sni_free(context, rest->pose.controls);
    sni_free(context, rest->proportions);
    sni_free(context, rest->segment_sizes);
    sni_free(context, rest->worlds);
    sni_free(context, rest->surfaces);
    sni_free(context, rest->details);
    sni_free(context, rest->muscle_digests);
    sni_free(context, rest->muscles);
    sni_free(context, rest->extractions);
    sni_free(context, rest->extracted);
    sni_free(context, rest);
}

sn_status sni_rest_make_parts(sni_rest *rest, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    if (!rest->parts_made) {
        SN_TRY(sni_rest_make_surfaces(rest, false, progress, error));
        SN_TRY(sni_rest_make_muscles(rest, false, progress, error));
        rest->parts_made = true;
    }
cleanup:
    return status;
}

sn_status sni_rest_make(sni_rest *rest, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sni_rest_make_parts(rest, progress, error));
    if (!rest->made && !rest->bare && rest->blueprint->extraction_count > 0) {
        SN_TRY(sni_rest_extract(rest, progress, error));
        SN_TRY(sni_rest_make_surfaces(rest, true, progress, error));
        SN_TRY(sni_rest_make_muscles(rest, true, progress, error));
    }
    rest->made = true;
cleanup:
    return status;
}
