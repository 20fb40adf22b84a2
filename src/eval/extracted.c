// SPDX-License-Identifier: Apache-2.0
//
// The meshes of a document that are extracted when a model is made of it (extraction.c).
#include "eval/model.h"

#include "character/schema.h"

#include <string.h>

#if !defined(SNI_WITH_MAKE)
sn_status sni_model_extract_mesh(sn_model *model, uint32_t index, const sn_progress *progress,
                                 sn_error *error) {
    (void)progress;
    return sni_fail_value(error, model->blueprint->extractions[index].value, SN_UNSUPPORTED,
                          "this build of sinew cannot extract a mesh: build it with "
                          "SINEW_MAKE=ON, or write the mesh to a file with `sinew extract`");
}
#endif

// The model without proportions made the meshes: takes them over.
static void take_over(sn_model *model, sn_model *plain) {
    memcpy(model->extracted, plain->extracted,
           model->blueprint->extraction_count * sizeof *model->extracted);
    memcpy(model->under_extracted, plain->under_extracted,
           model->blueprint->muscle_count * sizeof *model->under_extracted);
    memset(plain->extracted, 0, model->blueprint->extraction_count * sizeof *plain->extracted);
}

sn_status sni_model_extract_all(sn_model *model, const sn_progress *progress, sn_error *error) {
    const sni_blueprint *blueprint = model->blueprint;
    sn_model *plain = NULL;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(model->context, model->extracted, blueprint->extraction_count);
    SNI_NEW_ZERO(model->context, model->under_extracted, blueprint->muscle_count);
    SN_TRY(sni_model_plain(model, progress, &plain, error));
    if (plain != model) {
        take_over(model, plain);
    }
    for (uint32_t i = 0; i < blueprint->extraction_count && plain == model; ++i) {
        SN_TRY(sni_model_extract_mesh(model, i, progress, error));
    }
    for (uint32_t i = 0; i < blueprint->surface_count; ++i) {
        uint32_t extraction = blueprint->surfaces[i].extraction;
        if (extraction != SN_NONE) {
            model->surfaces[i].mesh = model->extracted[extraction];
        }
    }
cleanup:
    return status;
}
