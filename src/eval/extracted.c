// SPDX-License-Identifier: Apache-2.0
//
// The meshes of a document that are extracted when a model is made of it: what they are made from,
// and where they go. Extracting itself is a part of making (extraction.c).
#include "eval/rest.h"

#include "character/schema/schema.h"
#include "motion/skeleton.h"

#if !defined(SNI_WITH_MAKE)
sn_status sni_rest_extract_mesh(sni_rest *plain, const sni_extract_plan *plan,
                                const sn_progress *progress, sn_mesh **mesh, sn_error *error) {
    (void)plain;
    (void)progress;
    (void)mesh;
    return sni_fail_value(error, plan->value, SN_UNSUPPORTED,
                          "this build of sinew cannot extract a mesh: build it with "
                          "SINEW_MAKE=ON, or write the mesh to a file with `sinew extract`");
}
#endif

// A muscle that is drawn on a skin or lies on one has no mesh before the skin is there.
bool sni_rest_is_part(const sni_rest *rest, uint32_t index) {
    const sn_surface *surface = &rest->surfaces[index];
    uint32_t muscle = index - rest->blueprint->surface_count;
    return surface->layer == SN_LAYER_MUSCLE ? !rest->blueprint->muscles[muscle].on_extracted
                                             : surface->layer != SN_LAYER_SKIN && !surface->feature;
}

// The body with enlarged segments, planned.
sn_status sni_rest_plan_enlarged(const sni_rest *body, uint32_t count,
                                 const sn_segment_factor *enlarge, sni_rest **enlarged,
                                 sn_error *error) {
    const sn_skeleton *skeleton = sni_rig_skeleton(body->rig);
    double *factors = sni_alloc_zero(body->context, skeleton->segment_count, sizeof *factors);
    if (factors == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < count; ++i) {
        factors[sni_skeleton_find(skeleton, enlarge[i].segment)] = enlarge[i].factor;
    }
    sni_rest_desc desc = {.character = body->character,
                          .blueprint = body->blueprint,
                          .proportions = factors,
                          .bare = true,
                          .store = body->store};
    sn_status status = sni_rest_create(&desc, enlarged, error);
    sni_free(body->context, factors);
    return status;
}

// Adds the parts that a skin is extracted from, as they are on a body.
static void add_parts(sni_digest *digest, const sni_rest *rest, const sni_extract_plan *plan) {
    uint32_t count = plan->parts != NULL ? plan->part_count : rest->surface_count;
    sni_digest_add_digest(digest, &rest->digest);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t part = plan->parts != NULL ? plan->parts[i] : i;
        if (sni_rest_is_part(rest, part)) {
            sni_digest_add_surface(digest, rest, part);
            sni_digest_add_index(digest, (uint32_t)rest->surfaces[part].layer);
            sni_digest_add_number(digest, rest->surfaces[part].density);
        }
    }
}

sn_status sni_rest_plan_extraction(sni_rest *rest, uint32_t extraction, sni_digest *digest,
                                   sn_error *error) {
    const sni_extract_plan *plan = &rest->blueprint->extractions[extraction];
    double numbers[6] = {plan->dimension, plan->filter, plan->threshold,
                         plan->relax,     plan->detail, plan->holes};
    sni_rest *enlarged = NULL;
    sn_status status = SN_OK;
    *digest = sni_digest_new();
    sni_digest_add_text(digest, "extraction");
    // The mesh has its name, and bindings point to the mesh: one of another name is another thing.
    sni_digest_add_text(digest, plan->name);
    sni_digest_add(digest, numbers, sizeof numbers);
    sni_digest_add_index(digest, plan->parts != NULL);
    add_parts(digest, rest, plan);
    if (plan->enlarge_count > 0) {
        SN_TRY(sni_rest_plan_enlarged(rest, plan->enlarge_count, plan->enlarge, &enlarged, error));
        add_parts(digest, enlarged, plan);
    }
cleanup:
    sni_rest_destroy(enlarged);
    return status;
}

static sn_status find_or_extract(sni_rest *rest, uint32_t index, const sn_progress *progress,
                                 sn_error *error) {
    const sni_digest *digest = &rest->extractions[index];
    sni_made *found = NULL;
    sni_made_mesh *made = NULL;
    sn_status status = SN_OK;
    SN_TRY(sni_store_find(rest->store, digest, &found, error));
    if (found == NULL) {
        SN_TRY(sni_made_mesh_new(rest->context, digest, &made, error));
        SN_TRY(sni_rest_extract_mesh(rest->plain, &rest->blueprint->extractions[index], progress,
                                     &made->mesh, error));
        SN_TRY(sni_store_add(rest->store, &made->made, error));
        found = &made->made;
    }
    rest->extracted[index] = ((sni_made_mesh *)found)->mesh;
cleanup:
    if (made != NULL) {
        sni_made_release(rest->context, &made->made);
    }
    return status;
}

sn_status sni_rest_extract(sni_rest *rest, const sn_progress *progress, sn_error *error) {
    const sni_blueprint *blueprint = rest->blueprint;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < blueprint->extraction_count; ++i) {
        SN_TRY(find_or_extract(rest, i, progress, error));
    }
    for (uint32_t i = 0; i < blueprint->surface_count; ++i) {
        uint32_t extraction = blueprint->surfaces[i].extraction;
        if (extraction != SN_NONE) {
            rest->surfaces[i].mesh = rest->extracted[extraction];
        }
    }
cleanup:
    return status;
}
