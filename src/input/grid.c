// SPDX-License-Identifier: Apache-2.0
#include "input/grid_internal.h"

static void destroy_grid(sn_context *context, sni_made *made) {
    sni_shared_grid *shared = (sni_shared_grid *)made;
    sni_distance_grid_destroy(shared->grid);
    sni_free(context, shared);
}

// Found in the store, or made and put there, which holds it.
static sn_status share_grid(sni_rest *rest, uint32_t bone, sni_shared_grid **shared,
                            sn_error *error) {
    const sni_distance_grid_desc desc = sni_distance_grid_desc_default();
    sni_digest key = sni_digest_new();
    sni_made *found = NULL;
    sni_shared_grid *made = NULL;
    sn_status status = SN_OK;
    sni_digest_add_text(&key, "distance grid");
    sni_digest_add_digest(&key, &rest->details[bone].digest);
    SN_TRY(sni_store_find(rest->store, &key, &found, error));
    if (found == NULL) {
        SNI_NEW_ZERO(rest->context, made, 1);
        sni_made_init(&made->made, &key, destroy_grid);
        SN_TRY(sni_distance_grid_create(rest->surfaces[bone].mesh, &desc, &made->grid, error));
        SN_TRY(sni_store_add(rest->store, &made->made, error));
        found = &made->made;
    }
    *shared = (sni_shared_grid *)found;
cleanup:
    if (made != NULL) {
        sni_made_release(rest->context, &made->made); // the store holds it
    }
    return status;
}

sn_status sni_touched_bone_make(const sni_collecting *collecting, uint32_t bone,
                                sni_touched_bone *to, sn_error *error) {
    const sni_rest *rest = collecting->rest;
    const sn_surface *surface = &rest->surfaces[bone];
    *to = (sni_touched_bone){.segment = surface->segment, .to_segment = sn_mat4_identity()};
    if (surface->segment != SN_NONE && !surface->in_segment_frame &&
        !sn_mat4_invert(&rest->worlds[surface->segment], &to->to_segment)) {
        return sni_fail(error, SN_INVALID, "the segment of the bone \"%s\" has no size at rest",
                        surface->name);
    }
    return share_grid(collecting->rest, bone, &to->grid, error);
}
