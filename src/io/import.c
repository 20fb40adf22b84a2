// SPDX-License-Identifier: Apache-2.0
//
// The formats that are read, and what all of them share: finding the reader, unique names, and the
// checks that everything from outside passes before the library works with it.
#include "io/import.h"

#include "base/file.h"
#include "io/names.h"
#include "io/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t desc_check = 0x736e696d;

typedef struct format {
    const char *extension;
    const char *magic; // what a file starts with, NULL when that tells nothing
    sni_read_fn *read; // NULL in a build without it
    const char *lacks; // what such a build is without, and the option that brings it
} format;

#if defined(SNI_WITH_XML)
#define READ_VTP sni_read_vtp
#else
#define READ_VTP NULL
#endif
#if defined(SNI_WITH_ASSIMP) && defined(__EMSCRIPTEN__)
#define READ_ASSIMP sni_read_assimp
#elif defined(SNI_WITH_ASSIMP)
#define READ_ASSIMP sni_read_apart
#else
#define READ_ASSIMP NULL
#endif

static const char lacks_xml[] = "an XML parser (SINEW_XML=ON)";
static const char lacks_assimp[] = "Assimp (SINEW_ASSIMP=ON)";

// The extension decides; where it is unknown, the first bytes do.
static const format formats[] = {
    {".glb", "glTF", sni_read_gltf, NULL},
    {".gltf", NULL, sni_read_gltf, NULL},
    {".vrm", NULL, sni_read_gltf, NULL},
    {".obj", NULL, sni_read_obj, NULL},
    {".stl", NULL, sni_read_stl, NULL},
    {".ply", "ply", sni_read_ply, NULL},
    {".bvh", "HIERARCHY", sni_read_bvh, NULL},
    {".vtp", NULL, READ_VTP, lacks_xml},
    {".mot", NULL, sni_read_sto, NULL},
    {".sto", NULL, sni_read_sto, NULL},
    {".fbx", "Kaydara FBX Binary", READ_ASSIMP, lacks_assimp},
    {".dae", NULL, READ_ASSIMP, lacks_assimp},
};
static const uint32_t format_count = sizeof formats / sizeof *formats;

static const char *const extensions[] = {
    ".glb", ".gltf", ".vrm", ".obj", ".stl", ".ply", ".bvh",
#if defined(SNI_WITH_XML)
    ".vtp",
#endif
    ".mot", ".sto",
#if defined(SNI_WITH_ASSIMP)
    ".fbx", ".dae",
#endif
    NULL,
};

const char *const *sn_import_extensions(void) {
    return extensions;
}

static const format *find_format(const sni_source *source) {
    for (uint32_t i = 0; i < format_count; ++i) {
        if (sni_path_has_extension(source->name, formats[i].extension)) {
            return &formats[i];
        }
    }
    for (uint32_t i = 0; i < format_count; ++i) {
        const char *magic = formats[i].magic;
        if (magic != NULL && strncmp(source->bytes, magic, strlen(magic)) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

static sn_status fail_unknown(const char *name, sn_error *error) {
    char list[256] = "";
    for (size_t i = 0, used = 0; extensions[i] != NULL && used < sizeof list; ++i) {
        used += (size_t)snprintf(list + used, sizeof list - used, " %s", extensions[i]);
    }
    const char *extension = sni_path_extension(name);
    if (extension[0] == 0) {
        return sni_fail(error, SN_UNSUPPORTED, "a file without extension; sinew reads%s", list);
    }
    return sni_fail(error, SN_UNSUPPORTED, "files \"%s\" are not read; sinew reads%s", extension,
                    list);
}

char *sni_name_of_file(sn_context *context, const char *path) {
    const char *name = sni_path_name(path);
    const char *dot = strrchr(name, '.');
    bool has_stem = dot != NULL && dot > name;
    return sni_string_copy_n(context, name, has_stem ? (size_t)(dot - name) : strlen(name));
}

sn_status sni_make_names_unique(sn_context *context, char **const *slots, uint32_t count,
                                const char *prefix, uint32_t *changed, sn_error *error) {
    SN_ASSERT(count == 0 || slots != NULL);
    sn_status status = SN_OK;
    const char **given = NULL;
    const char **assigned = NULL;
    sni_names names;
    sni_names_init(&names, context);
    *changed = 0;
    SNI_NEW(context, given, count);
    SNI_NEW(context, assigned, count);
    for (uint32_t i = 0; i < count; ++i) {
        given[i] = *slots[i];
    }
    SN_TRY(sni_names_assign(&names, given, NULL, count, prefix, assigned, error));
    for (uint32_t i = 0; i < count; ++i) {
        if (*slots[i] == NULL || strcmp(*slots[i], assigned[i]) != 0) {
            char *copy = sni_string_copy(context, assigned[i]);
            if (copy == NULL) {
                status = sni_fail_memory(error);
                goto cleanup;
            }
            sni_free(context, *slots[i]);
            *slots[i] = copy;
            *changed += 1;
        }
    }
cleanup:
    sni_free(context, given);
    sni_free(context, assigned);
    sni_names_deinit(&names);
    return status;
}

static sn_status make_mesh_names_unique(sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    char ***slots = NULL;
    uint32_t changed;
    SNI_NEW(import->context, slots, import->mesh_count);
    for (uint32_t i = 0; i < import->mesh_count; ++i) {
        slots[i] = &import->meshes[i]->name;
    }
    SN_TRY(
        sni_make_names_unique(import->context, slots, import->mesh_count, "mesh", &changed, error));
cleanup:
    sni_free(import->context, slots);
    return status;
}

static sn_status read_source(const sni_source *source, sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    const format *found = find_format(source);
    if (found == NULL) {
        return fail_unknown(source->name, error);
    }
    if (found->read == NULL) {
        return sni_fail(error, SN_UNSUPPORTED,
                        "%s files are not read by this build of sinew, which is without %s",
                        found->extension, found->lacks);
    }
    SN_TRY(found->read(source, import, error));
    SN_TRY(make_mesh_names_unique(import, error));
    for (uint32_t i = 0; i < import->mesh_count; ++i) {
        SN_TRY(sn_mesh_validate(import->meshes[i], error));
    }
    for (uint32_t i = 0; i < import->clip_count; ++i) {
        SN_TRY(sn_clip_validate(import->clips[i], error));
    }
cleanup:
    return status;
}

static sn_status import_source(const sni_source *source, sn_import **import, sn_error *error) {
    sn_status status = SN_OK;
    sn_import *made = NULL;
    SNI_NEW_ZERO(source->context, made, 1);
    made->context = source->context;
    SN_TRY(read_source(source, made, error));
    *import = made;
    return SN_OK;
cleanup:
    sn_import_destroy(made);
    sni_error_source(error, source->name);
    return status;
}

sn_status sn_import_file(sn_context *context, const char *path, sn_import **import,
                         sn_error *error) {
    char *bytes;
    size_t size;
    *import = NULL;
    sn_status status = sni_file_read(context, path, &bytes, &size, error);
    if (status != SN_OK) {
        return status;
    }
    sni_source source = {.context = context, .name = path, .bytes = bytes, .size = size};
    status = import_source(&source, import, error);
    sni_free(context, bytes);
    return status;
}

sn_import_desc sn_import_desc_default(void) {
    return (sn_import_desc){.check = desc_check};
}

sn_status sn_import_file_with(sn_context *context, const char *path, const sn_import_desc *desc,
                              sn_import **import, sn_error *error) {
    *import = NULL;
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_import_desc_default");
    }
    if (!(desc->unit >= 0 && isfinite(desc->unit))) {
        return sni_fail(error, SN_INVALID, "a unit of %g m is not possible", desc->unit);
    }
    sn_status status = sn_import_file(context, path, import, error);
    if (status == SN_OK && (desc->unit > 0 || desc->z_up)) {
        sni_import_convert(*import, desc->unit > 0 ? desc->unit : 1, desc->z_up);
        (*import)->unit = desc->unit;
        (*import)->z_up = desc->z_up;
    }
    return status;
}

sn_status sn_import_memory(sn_context *context, const char *name, const void *bytes, size_t size,
                           sn_import **import, sn_error *error) {
    *import = NULL;
    // The readers rely on a zero behind the bytes.
    char *copy = size < SIZE_MAX ? sni_string_copy_n(context, size > 0 ? bytes : "", size) : NULL;
    if (copy == NULL) {
        sni_fail_memory(error);
        sni_error_source(error, name);
        return SN_OUT_OF_MEMORY;
    }
    sni_source source = {.context = context, .name = name, .bytes = copy, .size = size};
    sn_status status = import_source(&source, import, error);
    sni_free(context, copy);
    return status;
}
