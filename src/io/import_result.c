// SPDX-License-Identifier: Apache-2.0
//
// What a reader fills: meshes, skeleton and clips of a file.
#include "io/import.h"
#include "motion/skeleton.h"

sn_status sni_import_add_mesh(sn_import *import, sn_mesh *mesh, uint32_t node, sn_error *error) {
    SN_ASSERT(mesh != NULL);
    sn_context *context = import->context;
    // Both arrays grow before either is counted, so that a failure leaves them of one length.
    if (!sni_grow_by_one(context, &import->meshes, import->mesh_count, sizeof *import->meshes) ||
        !sni_grow_by_one(context, &import->mesh_nodes, import->mesh_count,
                         sizeof *import->mesh_nodes)) {
        sn_mesh_destroy(mesh);
        return sni_fail_memory(error);
    }
    import->meshes[import->mesh_count] = mesh;
    import->mesh_nodes[import->mesh_count++] = node;
    return SN_OK;
}

sn_status sni_import_add_clip(sn_import *import, sn_clip *clip, sn_error *error) {
    SN_ASSERT(clip != NULL);
    if (!sni_grow_by_one(import->context, &import->clips, import->clip_count,
                         sizeof *import->clips)) {
        sn_clip_destroy(clip);
        return sni_fail_memory(error);
    }
    import->clips[import->clip_count++] = clip;
    return SN_OK;
}

void sn_import_destroy(sn_import *import) {
    if (import == NULL) {
        return;
    }
    sn_context *context = import->context;
    for (uint32_t i = 0; i < import->mesh_count; ++i) {
        sn_mesh_destroy(import->meshes[i]);
    }
    for (uint32_t i = 0; i < import->clip_count; ++i) {
        sn_clip_destroy(import->clips[i]);
    }
    sni_free(context, import->meshes);
    sni_free(context, import->mesh_nodes);
    sni_free(context, import->clips);
    sni_skeleton_deinit(context, &import->skeleton);
    sni_free(context, import);
}
