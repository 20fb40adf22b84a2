// SPDX-License-Identifier: Apache-2.0
//
// What a muscle lies on, below the skin that it is drawn on: another surface, or the limbs.
#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/rest.h"

#include <string.h>

static const sni_schema_field fields[] = {FIELD(
    "depth_from", text, .name_of = "bones tissues skins", .title = "Lies on",
    .help = "A bone, tissue or skin that it lies on, or \"skeleton\" for the limbs; its depth "
            "is a number when not given.")};

static sn_status fail_unknown(const sni_blueprint *blueprint, const sn_value *name,
                              sn_error *error) {
    char hint[SNI_HINT_BYTES];
    sni_closest closest = sni_closest_to(name->as.string);
    for (uint32_t i = 0; i < blueprint->surface_count; ++i) {
        sni_closest_try(&closest, blueprint->surfaces[i].name);
    }
    sni_closest_try(&closest, SNI_DEPTH_FROM_SKELETON);
    return sni_fail_value(error, name, SN_INVALID, "there is no bone, tissue or skin \"%s\"%s",
                          name->as.string, sni_closest_hint(&closest, hint));
}

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    sni_blueprint *blueprint = decoding->blueprint;
    const sn_value *name = sn_value_get(decoding->object, "depth_from");
    sni_inner_plan *plan;
    if (name == NULL) {
        return SN_OK;
    }
    SNI_PLAN_NEW(blueprint, plan, 1);
    *plan = (sni_inner_plan){.name = name, .surface = sni_find_surface(blueprint, name->as.string)};
    *made = plan;
    sn_status status =
        sni_find_skin(blueprint, sn_value_get(decoding->object, "skin"), &plan->skin, error);
    if (status != SN_OK) {
        return status;
    }
    if (plan->surface == plan->skin) {
        return sni_fail_value(error, name, SN_INVALID,
                              "\"%s\" is the skin that the muscle is drawn on", name->as.string);
    }
    return plan->surface != SN_NONE || strcmp(name->as.string, SNI_DEPTH_FROM_SKELETON) == 0
               ? SN_OK
               : fail_unknown(blueprint, name, error);
}

static void needs(const void *made, sni_need_fn need, void *user) {
    const sni_inner_plan *plan = made;
    if (plan->surface != SN_NONE) {
        need(&(sni_need){.surface = plan->surface}, user);
    }
}

// The skin itself, on which the limbs depend, is in the digest of what is drawn on it.
static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    const sni_inner_plan *plan = made;
    (void)error;
    sni_digest_add_index(digest, plan->surface != SN_NONE);
    if (plan->surface != SN_NONE) {
        sni_digest_add_surface(digest, collecting->rest, plan->surface);
    }
    return SN_OK;
}

// Made for the first muscle that needs it, and kept for the others.
static sn_status make(const sni_rest *rest, const sni_inner_plan *plan, sni_inner *inner,
                      sn_error *error) {
    if (plan->surface == SN_NONE) {
        return sni_inner_from_skeleton(rest->context, sni_rig_skeleton(rest->rig),
                                       rest->surfaces[plan->skin].mesh,
                                       rest->details[plan->skin].bone_segments, inner, error);
    }
    const sn_surface *surface = &rest->surfaces[plan->surface];
    const sn_mat4 *place = surface->in_segment_frame ? &rest->worlds[surface->segment] : NULL;
    return sni_inner_from_mesh(rest->context, surface->name, surface->mesh, place, inner, error);
}

static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    const sni_inner_plan *plan = made;
    sni_inner *inner = plan->surface == SN_NONE ? &collecting->searches[plan->skin].limbs
                                                : &collecting->searches[plan->surface].inner;
    (void)kept;
    sn_status status =
        inner->view.name == NULL ? make(collecting->rest, plan, inner, error) : SN_OK;
    *block = &inner->view;
    return sni_at_value(status, plan->name, error);
}

const sni_input sni_input_inner = {.name = "something to lie on",
                                   .fields = fields,
                                   .field_count = COUNT(fields),
                                   .decode = decode,
                                   .needs = needs,
                                   .digest = digest,
                                   .collect = collect};
