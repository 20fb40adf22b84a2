// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/text.h"
#include "sinew/mesh.h"

sn_status sn_mesh_face_materials(const sn_mesh *mesh, uint32_t *materials, sn_error *error) {
    sn_status status = SN_OK;
    sni_name_index names = {0};
    SN_TRY(sni_name_index_init(mesh->context, &names,
                               mesh->material_count > 0 ? &mesh->materials[0].name : NULL,
                               sizeof *mesh->materials, mesh->material_count, error));
    uint32_t material = SN_NONE;
    for (uint32_t f = 0, run = 0; f < mesh->face_count; ++f) {
        for (; run < mesh->run_count && mesh->runs[run].first_face <= f; ++run) {
            if (mesh->runs[run].kind == SN_RUN_MATERIAL) {
                material = sni_name_index_find(&names, mesh->runs[run].name);
            }
        }
        materials[f] = material;
    }
cleanup:
    sni_name_index_deinit(mesh->context, &names);
    return status;
}
