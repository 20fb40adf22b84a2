// SPDX-License-Identifier: Apache-2.0
#include "eval/solids.h"

#include "geometry/closed.h"

sn_status sni_solid_init(sni_solid *solid, const sn_model *model, uint32_t surface,
                         sn_error *error) {
    const sn_surface *s = &model->surfaces[surface];
    bool closed = false;
    sn_status status = SN_OK;
    solid->carried = s->layer != SN_LAYER_MUSCLE && s->segment != SN_NONE;
    SN_TRY(sni_mesh_is_closed(s->mesh, &closed, error));
    if (closed) {
        SN_TRY(sni_interior_init(&solid->interior, s->mesh, s->mesh->positions, error));
    }
cleanup:
    return status;
}

void sni_solid_deinit(sni_solid *solid) {
    sni_interior_deinit(&solid->interior);
}

static sn_mat4 place_of(const sn_model *model, const sn_surface *surface, const sn_mat4 *worlds) {
    sn_mat4 inverse;
    if (surface->in_segment_frame) {
        return worlds[surface->segment];
    }
    sn_mat4_invert(&model->rest_worlds[surface->segment], &inverse);
    return sn_mat4_multiply(&worlds[surface->segment], &inverse);
}

// Moves one that deforms. Where a pose has left the range of float there is no inside.
static sn_status move(sni_solid *solid, const float *points, sn_error *error) {
    sn_error reason = {0};
    sn_status status = sni_interior_move(&solid->interior, points, &reason);
    solid->usable = status == SN_OK;
    return status == SN_OUT_OF_MEMORY ? sni_fail_memory(error) : SN_OK;
}

sn_status sni_solid_place(sni_solid *solid, const sn_model *model, uint32_t surface,
                          const sn_frame *frame, sn_error *error) {
    const sn_surface *s = &model->surfaces[surface];
    if (solid->interior.triangles == NULL) {
        return SN_OK;
    }
    if (!solid->carried) {
        return move(solid, frame != NULL ? sn_frame_points(frame, surface) : s->mesh->positions,
                    error);
    }
    const sn_mat4 *worlds = frame != NULL ? sn_frame_worlds(frame) : model->rest_worlds;
    solid->to_world = place_of(model, s, worlds);
    solid->usable = sn_mat4_invert(&solid->to_world, &solid->from_world);
    return SN_OK;
}
