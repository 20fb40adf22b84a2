// SPDX-License-Identifier: Apache-2.0
#include "skin/rest_place.h"

#include <string.h>

void sni_place_at_rest(const sn_mesh *mesh, const uint32_t *bone_segments,
                       const sn_mat4 *rest_worlds, float *positions) {
    const sn_weights *weights = bone_segments != NULL ? mesh->weights : NULL;
    if (weights == NULL) {
        memcpy(positions, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *positions);
        return;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(mesh->positions + 3 * (size_t)v), sum = {0, 0, 0};
        double total = 0;
        for (uint32_t k = weights->offsets[v]; k < weights->offsets[v + 1]; ++k) {
            uint32_t bone = weights->bones[k];
            sn_vec3 moved = p;
            if (weights->inverse_bind != NULL) {
                moved = sn_mat4_point(&weights->inverse_bind[bone], p);
                moved = sn_mat4_point(&rest_worlds[bone_segments[bone]], moved);
            }
            sum = sn_vec3_add_scaled(sum, weights->values[k], moved);
            total += weights->values[k];
        }
        sn_vec3_store(total > 0 ? sn_vec3_scale(sum, 1 / total) : p, positions + 3 * (size_t)v);
    }
}
