// SPDX-License-Identifier: Apache-2.0
//
// glTF 2.0, .glb, .gltf and .vrm (docs/formats-gltf.md). The parts are listed in gltf.h.
#include "io/gltf/gltf.h"

#include <string.h>

sn_status sni_gltf_marks_init(sn_context *context, uint32_t count, sni_gltf_marks *marks,
                              sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(context, marks->round, count);
    SNI_NEW(context, marks->value, count);
    memset(marks->round, 0xff, count * sizeof *marks->round);
cleanup:
    return status;
}

void sni_gltf_marks_deinit(sn_context *context, sni_gltf_marks *marks) {
    sni_free(context, marks->round);
    sni_free(context, marks->value);
}

uint32_t sni_gltf_marks_get(const sni_gltf_marks *marks, uint32_t round, uint32_t index) {
    return marks->round[index] == round ? marks->value[index] : SN_NONE;
}

void sni_gltf_marks_set(sni_gltf_marks *marks, uint32_t round, uint32_t index, uint32_t value) {
    marks->round[index] = round;
    marks->value[index] = value;
}

static sn_status init_marks(sni_gltf *gltf, const sn_skeleton *skeleton, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sni_gltf_marks_init(gltf->context, sni_gltf_count(gltf, SNI_GLTF_ACCESSORS),
                               &gltf->accessor_marks, error));
    SN_TRY(sni_gltf_marks_init(gltf->context, sni_gltf_count(gltf, SNI_GLTF_MATERIALS),
                               &gltf->material_marks, error));
    SN_TRY(
        sni_gltf_marks_init(gltf->context, skeleton->segment_count, &gltf->segment_marks, error));
cleanup:
    return status;
}

static sn_status read_meshes(sni_gltf *gltf, sn_import *import, sn_error *error) {
    for (uint32_t i = 0; i < gltf->instance_count; ++i) {
        const sni_gltf_instance *instance = &gltf->instances[i];
        sn_mesh *mesh;
        sn_status status = sni_gltf_read_mesh(gltf, instance, &import->skeleton, &mesh, error);
        if (status != SN_OK) {
            return status;
        }
        bool is_rigid = instance->node != SN_NONE && instance->skin == SN_NONE;
        uint32_t segment = is_rigid ? gltf->nodes[instance->node].segment : SN_NONE;
        status = sni_import_add_mesh(import, mesh, segment, error);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

sn_status sni_read_gltf(const sni_source *source, sn_import *import, sn_error *error) {
    sni_gltf gltf;
    sn_status status = SN_OK;
    SN_TRY(sni_gltf_load(source, &gltf, error));
    SN_TRY(sni_gltf_read_scene(&gltf, import, error));
    SN_TRY(sni_gltf_read_roles(&gltf, &import->skeleton, error));
    SN_TRY(sni_gltf_name_materials(&gltf, error));
    SN_TRY(init_marks(&gltf, &import->skeleton, error));
    SN_TRY(read_meshes(&gltf, import, error));
    SN_TRY(sni_gltf_read_clips(&gltf, import, error));
    SN_TRY(sni_gltf_read_expressions(&gltf, import, error));
cleanup:
    sni_gltf_unload(&gltf);
    return status;
}
