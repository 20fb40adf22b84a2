// SPDX-License-Identifier: Apache-2.0
//
// Wavefront material libraries, as far as sn_material goes: colour (Kd), opacity (d or Tr) and the
// customary roughness (Pr) and metalness (Pm). Images and everything else are passed over.
#define _POSIX_C_SOURCE 200809L
#include "io/read_mtl.h"

#include "base/context.h"
#include "base/file.h"

#include <string.h>
#include <sys/stat.h>

// Pipes and devices might never end, and a name in a file should not be able to ask for them.
static bool is_plain_file(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static sn_status add_material(sn_mesh *mesh, sni_word word, sn_material **material,
                              sn_error *error) {
    char *name = sni_word_copy(mesh->context, word);
    if (name == NULL) {
        return sni_fail_memory(error);
    }
    sn_status status = sn_mesh_add_material(mesh, name, material, error);
    sni_free(mesh->context, name);
    return status;
}

static sn_status read_color(sni_text *text, sn_material *material, sn_error *error) {
    sni_text before = *text;
    sni_word word = sni_text_word(&before);
    if (sni_word_is(word, "spectral") || sni_word_is(word, "xyz")) {
        return SN_OK; // the default colour stays
    }
    sn_status status = sni_text_float(text, "red", &material->base_color[0], error);
    // Green and blue follow red where they are left out.
    for (int i = 1; i < 3 && status == SN_OK; ++i) {
        material->base_color[i] = material->base_color[0];
        if (!sni_text_line_ended(text) && *text->at != '#') {
            status =
                sni_text_float(text, i == 1 ? "green" : "blue", &material->base_color[i], error);
        }
    }
    return status;
}

static sn_status read_statement(sni_text *text, sni_word word, sn_mesh *mesh,
                                sn_material **material, sn_error *error) {
    sn_status status = SN_OK;
    if (sni_word_is(word, "newmtl")) {
        return add_material(mesh, sni_text_rest(text), material, error);
    }
    sn_material *m = *material;
    if (m == NULL) {
        return SN_OK;
    }
    if (sni_word_is(word, "Kd")) {
        status = read_color(text, m, error);
    } else if (sni_word_is(word, "d") && !sni_text_line_ended(text) && *text->at != '-') {
        status = sni_text_float(text, "the opacity", &m->base_color[3], error);
    } else if (sni_word_is(word, "Tr")) {
        status = sni_text_float(text, "the transparency", &m->base_color[3], error);
        m->base_color[3] = 1 - m->base_color[3];
    } else if (sni_word_is(word, "Pr")) {
        status = sni_text_float(text, "the roughness", &m->roughness, error);
    } else if (sni_word_is(word, "Pm")) {
        status = sni_text_float(text, "the metalness", &m->metallic, error);
    }
    return status;
}

static sn_status read_library(sn_mesh *mesh, const char *path, sn_error *error) {
    char *bytes = NULL;
    size_t size;
    sn_material *material = NULL;
    sn_status status = sni_file_read(mesh->context, path, &bytes, &size, error);
    if (status != SN_OK) {
        return status;
    }
    sni_text text = sni_text_begin(bytes, size);
    for (sni_text_skip_space(&text); text.at < text.end && status == SN_OK;
         sni_text_skip_space(&text)) {
        if (*text.at != '#') {
            status = read_statement(&text, sni_text_word(&text), mesh, &material, error);
        }
        sni_text_skip_comment(&text);
    }
    sni_error_source(error, status != SN_OK ? path : NULL);
    sni_free(mesh->context, bytes);
    return status;
}

// Reads the library where it is a file in the folder of the model; `found` says whether.
static sn_status try_library(sn_mesh *mesh, const char *obj_path, sni_word word, bool *found,
                             sn_error *error) {
    sn_context *context = mesh->context;
    char *name = sni_word_copy(context, word);
    char *path = NULL;
    sn_status status = name != NULL ? sni_path_inside(context, obj_path, name, &path, NULL)
                                    : sni_fail_memory(error);
    *found = status == SN_OK && is_plain_file(path);
    if (*found) {
        status = read_library(mesh, path, error);
    } else if (status == SN_IO) {
        status = SN_OK; // outside: as one that is missing
    } else if (status != SN_OK) {
        sni_fail_memory(error);
    }
    sni_free(context, path);
    sni_free(context, name);
    return status;
}

sn_status sni_read_mtl(sn_mesh *mesh, const char *obj_path, sni_word names, sn_error *error) {
    bool found;
    sn_status status = try_library(mesh, obj_path, names, &found, error);
    sni_text text = {.at = names.start, .end = names.start + names.length, .line = 1};
    for (; !found && status == SN_OK && !sni_text_line_ended(&text);) {
        sni_word name = sni_text_word(&text);
        bool part_found;
        status = try_library(mesh, obj_path, name, &part_found, error);
        if (status == SN_OK && !part_found) {
            sni_log(mesh->context, SN_LOG_WARNING, "io", "%s: no material library %s in its folder",
                    obj_path, sni_word_found(name).text);
        }
    }
    return status;
}
