// SPDX-License-Identifier: Apache-2.0
//
// A document from a folder of scanned anatomy (docs/anatomy.md).
#include "character/import/anatomy.h"

#include "character/character.h"
#include "motion/skeleton.h"

static void free_build(sni_anatomy_build *build) {
    sn_context *context = build->context;
    for (uint32_t i = 0; build->imports != NULL && i < build->anatomy->part_count; ++i) {
        sn_import_destroy(build->imports[i]);
    }
    for (uint32_t i = 0; build->fits != NULL && i < build->muscle_count; ++i) {
        if (build->fibres != NULL) {
            sn_fibre_fit_destroy(build->fibres[i]);
        } else if (build->graphs != NULL && build->graphs[i] != NULL) {
            sn_graph_fit_destroy(build->graphs[i]);
        } else {
            sn_muscle_fit_destroy(build->fits[i]);
        }
    }
    sn_import_destroy(build->rig);
    sn_body_plan_destroy(build->plan);
    sni_skeleton_deinit(context, &build->skeleton);
    sni_free(context, build->imports);
    sni_free(context, build->meshes);
    sni_free(context, build->worlds);
    sni_free(context, build->parents);
    sni_free(context, build->joints);
    sni_free(context, build->bones);
    sni_free(context, build->bone_numbers);
    sni_free(context, build->fit_bones);
    sni_free(context, build->muscles);
    sni_free(context, build->fits);
    sni_free(context, build->fibres);
    sni_free(context, build->graphs);
    sn_anatomy_report_destroy(build->report);
}

sn_status sn_character_from_anatomy(const sn_anatomy *anatomy, const char *document_path,
                                    const sn_progress *progress, sn_character **character,
                                    sn_anatomy_report **report, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = anatomy->context;
    sni_anatomy_build build = {.context = context, .anatomy = anatomy, .progress = progress};
    *character = NULL;
    if (report != NULL) {
        *report = NULL;
    }
    SN_TRY(sni_anatomy_report_create(context, anatomy->part_count, &build.report, error));
    SN_TRY(sni_anatomy_read_parts(&build, error));
    SN_TRY(sni_anatomy_place_bones(&build, error));
    SN_TRY(sni_anatomy_report_segments(&build, error));
    SN_TRY(sni_anatomy_place_tissues(&build, error));
    SN_TRY(sni_anatomy_fit_muscles(&build, error));
    SN_TRY(sni_anatomy_report_muscles(&build, error));
    SN_TRY(sn_character_create(context, anatomy->name, character, error));
    SN_TRY(sni_character_set_base(*character, document_path, error));
    SN_TRY(sni_anatomy_write(&build, document_path, *character, error));
    SN_TRY(sn_character_check(*character, error));
    if (report != NULL) {
        *report = build.report;
        build.report = NULL;
    }
cleanup:
    free_build(&build);
    if (status != SN_OK) {
        sn_character_destroy(*character);
        *character = NULL;
    }
    return status;
}
