// SPDX-License-Identifier: Apache-2.0
//
// The formats that are written, and what all of them share: checks of what comes in, and one file
// per mesh for formats that hold only one.
#include "io/export.h"

#include "io/names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t desc_check = 0x736e6578;

static const sni_points_ops *const points_formats[] = {
    &sni_write_gltf_points, &sni_write_usda, &sni_write_pc2, &sni_write_mdd, &sni_write_obj_points,
};
static const uint32_t points_format_count = sizeof points_formats / sizeof *points_formats;

struct sn_exporter {
    sn_context *context;
    const sni_points_ops *ops;
    uint32_t mesh_count;
    const sn_mesh **meshes;
    uint32_t frame_count, frames_added;
    uint32_t writer_count; // one for all meshes, or one for each
    void **writers;        // NULL where not begun or over already
    sn_file_set files;     // where there are more than one
};

sn_export_desc sn_export_desc_default(void) {
    return (sn_export_desc){.check = desc_check, .rate = 24, .first_frame = 1};
}

sn_status sn_export_mesh(const sn_mesh *mesh, const char *path, sn_error *error) {
    sn_status status = sn_mesh_validate(mesh, error);
    if (status != SN_OK) {
        return status;
    }
    if (sni_path_has_extension(path, ".obj")) {
        return sni_write_obj_mesh(mesh, mesh->positions, path, error);
    }
    if (sni_path_has_extension(path, ".glb")) {
        return sni_write_gltf_mesh(mesh, path, error);
    }
    sni_fail(error, SN_UNSUPPORTED, "meshes \"%s\" are not written; sinew writes .obj and .glb",
             sni_path_extension(path));
    sni_error_source(error, path);
    return SN_UNSUPPORTED;
}

static sn_status find_ops(const char *path, const sni_points_ops **ops, sn_error *error) {
    char list[128] = "";
    for (size_t i = 0, used = 0; i < points_format_count; ++i) {
        if (sni_path_has_extension(path, points_formats[i]->extension)) {
            *ops = points_formats[i];
            return SN_OK;
        }
        used +=
            (size_t)snprintf(list + used, sizeof list - used, " %s", points_formats[i]->extension);
    }
    return sni_fail(error, SN_UNSUPPORTED, "moving points \"%s\" are not written; sinew writes%s",
                    sni_path_extension(path), list);
}

static sn_status check_desc(const sn_export_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "sn_export_desc was not made by its default call");
    }
    if (desc->mesh_count == 0) {
        return sni_fail(error, SN_INVALID, "there is no mesh to write");
    }
    if (!(desc->rate > 0) || !isfinite(desc->rate)) {
        return sni_fail(error, SN_INVALID, "the rate is %g frames per second, but must be above 0",
                        desc->rate);
    }
    if (!(desc->tolerance >= 0 && isfinite(desc->tolerance))) {
        return sni_fail(error, SN_INVALID, "a tolerance of %g m is not possible", desc->tolerance);
    }
    if (desc->frame_count == 0 || desc->frame_count > UINT32_MAX - desc->first_frame) {
        return sni_fail(error, SN_INVALID, "%u frames from frame %u on are not possible",
                        desc->frame_count, desc->first_frame);
    }
    for (uint32_t m = 0; m < desc->mesh_count; ++m) {
        sn_status status = sn_mesh_validate(desc->meshes[m], error);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

static bool has_many_files(const sn_exporter *exporter) {
    return exporter->writer_count > 1 || exporter->ops->many_files;
}

static void free_exporter(sn_exporter *exporter) {
    for (uint32_t i = 0; exporter->writers != NULL && i < exporter->writer_count; ++i) {
        if (exporter->writers[i] != NULL) {
            exporter->ops->cancel(exporter->writers[i]);
        }
    }
    sn_file_set_cancel(&exporter->files);
    sni_free(exporter->context, exporter->writers);
    sni_free(exporter->context, exporter->meshes);
    sni_free(exporter->context, exporter);
}

// The mesh's name as a part of a file name.
static char *file_part(sn_context *context, const char *name) {
    char *part = sni_string_copy(context, name);
    for (char *c = part; c != NULL && *c != 0; ++c) {
        if ((unsigned char)*c < 0x20 || *c == '/' || *c == '\\') {
            *c = '_';
        }
    }
    return part;
}

// "folder/name.MESH.ext" for "folder/name.ext".
static char *path_of_mesh(sn_context *context, const char *path, const char *part) {
    size_t stem = (size_t)(sni_path_extension(path) - path);
    size_t size = strlen(path) + strlen(part) + 2;
    char *full = sni_alloc(context, size, 1);
    if (full != NULL) {
        snprintf(full, size, "%.*s.%s%s", (int)stem, path, part, path + stem);
    }
    return full;
}

static sn_status begin_writer(sn_exporter *exporter, const char *path, const sn_export_desc *desc,
                              uint32_t mesh, const char *part, sn_error *error) {
    sn_export_desc one = *desc;
    one.mesh_count = 1;
    one.meshes = &exporter->meshes[mesh];
    char *full = path_of_mesh(exporter->context, path, part);
    if (full == NULL) {
        return sni_fail_memory(error);
    }
    sn_status status = exporter->ops->begin(exporter->context, &exporter->files, full, &one,
                                            &exporter->writers[mesh], error);
    sni_free(exporter->context, full);
    return status;
}

// A file for each mesh, their names made fit for files and different from each other.
static sn_status begin_each(sn_exporter *exporter, const char *path, const sn_export_desc *desc,
                            sn_error *error) {
    sn_status status = SN_OK;
    sni_names names;
    sni_names_init(&names, exporter->context);
    for (uint32_t m = 0; m < desc->mesh_count; ++m) {
        const char *unique;
        char *part = file_part(exporter->context, desc->meshes[m]->name);
        status = part != NULL ? sni_names_add_unique(&names, part, m, &unique, error)
                              : sni_fail_memory(error);
        sni_free(exporter->context, part);
        SN_TRY(status);
        SN_TRY(begin_writer(exporter, path, desc, m, unique, error));
    }
cleanup:
    sni_names_deinit(&names);
    return status;
}

static sn_status begin_writers(sn_exporter *exporter, const char *path, const sn_export_desc *desc,
                               sn_error *error) {
    if (has_many_files(exporter)) {
        sn_status status = sn_file_set_begin(&exporter->files, path, error);
        if (status != SN_OK) {
            return status;
        }
    }
    if (exporter->writer_count > 1) {
        return begin_each(exporter, path, desc, error);
    }
    sn_export_desc all = *desc;
    all.meshes = exporter->meshes;
    return exporter->ops->begin(exporter->context,
                                has_many_files(exporter) ? &exporter->files : NULL, path, &all,
                                &exporter->writers[0], error);
}

sn_status sn_exporter_begin(sn_context *context, const char *path, const sn_export_desc *desc,
                            sn_exporter **exporter, sn_error *error) {
    sn_status status = SN_OK;
    sn_exporter *made = NULL;
    const sni_points_ops *ops = NULL;
    *exporter = NULL;
    SN_TRY(check_desc(desc, error));
    SN_TRY(find_ops(path, &ops, error));
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->ops = ops;
    made->mesh_count = desc->mesh_count;
    made->frame_count = desc->frame_count;
    made->writer_count = ops->many_meshes ? 1 : desc->mesh_count;
    SNI_NEW(context, made->meshes, desc->mesh_count);
    memcpy(made->meshes, desc->meshes, desc->mesh_count * sizeof *made->meshes);
    SNI_NEW_ZERO(context, made->writers, made->writer_count);
    SN_TRY(begin_writers(made, path, desc, error));
    *exporter = made;
    return SN_OK;
cleanup:
    if (made != NULL) {
        free_exporter(made);
    }
    sni_error_source(error, path);
    return status;
}

static sn_status check_points(const sn_exporter *exporter, const float *const *positions,
                              sn_error *error) {
    if (exporter->frames_added == exporter->frame_count) {
        return sni_fail(error, SN_INVALID, "more frames were added than the %u that were announced",
                        exporter->frame_count);
    }
    for (uint32_t m = 0; m < exporter->mesh_count; ++m) {
        size_t count = (size_t)exporter->meshes[m]->vertex_count * 3;
        for (size_t i = 0; i < count; ++i) {
            if (!isfinite(positions[m][i])) {
                return sni_fail(error, SN_INVALID,
                                "vertex %zu of mesh \"%s\" is not finite in frame %u of the output",
                                i / 3, exporter->meshes[m]->name, exporter->frames_added);
            }
        }
    }
    return SN_OK;
}

sn_status sn_exporter_add(sn_exporter *exporter, const float *const *positions, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(check_points(exporter, positions, error));
    for (uint32_t i = 0; i < exporter->writer_count; ++i) {
        SN_TRY(exporter->ops->add(exporter->writers[i], positions + i, error));
    }
    exporter->frames_added++;
cleanup:
    return status;
}

sn_status sn_exporter_end(sn_exporter *exporter, sn_error *error) {
    sn_status status = SN_OK;
    if (exporter->frames_added != exporter->frame_count) {
        status =
            sni_fail(error, SN_INVALID, "only %u of the %u frames that were announced were added",
                     exporter->frames_added, exporter->frame_count);
    }
    for (uint32_t i = 0; i < exporter->writer_count && status == SN_OK; ++i) {
        status = exporter->ops->end(exporter->writers[i], error);
        exporter->writers[i] = NULL;
    }
    if (status == SN_OK && has_many_files(exporter)) {
        status = sn_file_set_commit(&exporter->files, true, error);
    }
    free_exporter(exporter);
    return status;
}

void sn_exporter_cancel(sn_exporter *exporter) {
    if (exporter != NULL) {
        free_exporter(exporter);
    }
}
