// SPDX-License-Identifier: Apache-2.0
//
// A document from an OpenSim model: what `sinew new MODEL.osim` writes.
#include "character/import/osim.h"

#include "base/file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const uint32_t desc_check = 0x4f53494d; // "OSIM"

sn_osim_desc sn_osim_desc_default(void) {
    return (sn_osim_desc){.check = desc_check, .skin = true};
}

void sn_osim_report_deinit(sn_osim_report *report) {
    for (uint32_t i = 0; i < report->note_count; ++i) {
        sni_free(report->context, report->notes[i]);
    }
    if (report->notes != NULL) {
        sni_free(report->context, report->notes);
    }
    *report = (sn_osim_report){0};
}

const char *sni_osim_unique(const sn_value *map, const char *base, char name[SNI_OSIM_NAME_BYTES]) {
    snprintf(name, SNI_OSIM_NAME_BYTES, "%.200s", base[0] != 0 ? base : "unnamed");
    for (uint32_t number = 2; sn_value_get(map, name) != NULL; ++number) {
        snprintf(name, SNI_OSIM_NAME_BYTES, "%.200s %u", base[0] != 0 ? base : "unnamed", number);
    }
    return name;
}

static bool is_body(const sni_osim *model, const char *name) {
    for (uint32_t i = 0; i < model->body_count; ++i) {
        if (strcmp(model->bodies[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

const char *sni_osim_unique_segment(const sni_osim_builder *b, const char *base,
                                    char name[SNI_OSIM_NAME_BYTES]) {
    snprintf(name, SNI_OSIM_NAME_BYTES, "%.200s", base[0] != 0 ? base : "unnamed");
    for (uint32_t number = 2; sn_value_get(b->skeleton, name) != NULL || is_body(b->model, name);
         ++number) {
        snprintf(name, SNI_OSIM_NAME_BYTES, "%.200s %u", base[0] != 0 ? base : "unnamed", number);
    }
    return name;
}

sn_status sni_osim_note(sni_osim_builder *b, sn_error *error, const char *format, ...) {
    char text[512];
    va_list arguments;
    sn_osim_report *report = b->report;
    if (report == NULL) {
        return SN_OK;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *copy = sni_string_copy(b->context, text);
    if (copy == NULL ||
        !sni_grow_by_one(b->context, &report->notes, report->note_count, sizeof *report->notes)) {
        sni_free(b->context, copy);
        return sni_fail_memory(error);
    }
    report->notes[report->note_count++] = copy;
    return SN_OK;
}

bool sni_osim_add_vector(sni_osim_builder *b, sn_value *object, const char *key, sn_vec3 v) {
    double values[3] = {v.x + 0.0, v.y + 0.0, v.z + 0.0}; // without negative zeros
    return sn_json_add_numbers(b->json, object, key, values, 3) != NULL;
}

sn_value *sni_osim_add_segment(sni_osim_builder *b, const char *name, const char *parent,
                               const sn_transform *rest) {
    sn_value *object = sn_json_add_object(b->json, b->skeleton, name);
    sn_quat q = rest->rotation;
    bool done = object != NULL;
    if (done && parent != NULL) {
        done = sn_json_add_string(b->json, object, "parent", parent) != NULL;
    }
    if (done && sn_vec3_length(rest->translation) > 0) {
        done = sni_osim_add_vector(b, object, "translation", rest->translation);
    }
    if (done && (q.x != 0 || q.y != 0 || q.z != 0)) {
        double values[4] = {q.x + 0.0, q.y + 0.0, q.z + 0.0, q.w + 0.0};
        done = sn_json_add_numbers(b->json, object, "rotation", values, 4) != NULL;
    }
    return done ? object : NULL;
}

// Sections in the order of docs/document.md; those that stay empty are taken out again.
static bool add_sections(sni_osim_builder *b) {
    const char *credits = b->model->credits;
    bool done = credits[0] == 0 || sn_json_add_string(b->json, b->root, "about", credits) != NULL;
    b->skeleton = sn_json_add_object(b->json, b->root, "skeleton");
    b->meshes = sn_json_add_object(b->json, b->root, "meshes");
    b->bones = sn_json_add_object(b->json, b->root, "bones");
    b->tissues = sn_json_add_object(b->json, b->root, "tissues");
    b->skins = sn_json_add_object(b->json, b->root, "skins");
    b->muscles = sn_json_add_object(b->json, b->root, "muscles");
    b->controls = sn_json_add_object(b->json, b->root, "controls");
    b->synergies = sn_json_add_array(b->json, b->root, "synergies");
    b->drivers = sn_json_add_array(b->json, b->root, "drivers");
    return done && b->skeleton != NULL && b->meshes != NULL && b->bones != NULL &&
           b->tissues != NULL && b->skins != NULL && b->muscles != NULL && b->controls != NULL &&
           b->synergies != NULL && b->drivers != NULL;
}

static void remove_empty(sni_osim_builder *b) {
    sn_value *sections[] = {b->meshes,  b->bones,    b->tissues,   b->skins,
                            b->muscles, b->controls, b->synergies, b->drivers};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; ++i) {
        if (sn_value_count(sections[i]) == 0) {
            sn_json_remove(sections[i]);
        }
    }
}

static sn_status note_others(sni_osim_builder *b, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < b->model->other_count && status == SN_OK; ++i) {
        const sni_osim_other *other = &b->model->others[i];
        status = sni_osim_note(b, error, "%s:%u: %s \"%s\" is left out", b->model_path, other->line,
                               other->kind, other->name);
    }
    return status;
}

static sn_status build(sni_osim_builder *b, sn_error *error) {
    sn_status status = SN_OK;
    if (!add_sections(b) || !sni_osim_add_rig(b)) {
        return sni_fail_memory(error);
    }
    SN_TRY(sni_osim_add_bones(b, error));
    SN_TRY(sni_osim_add_muscles(b, error));
    SN_TRY(note_others(b, error));
    uint32_t solids = sn_value_count(b->bones) + sn_value_count(b->muscles);
    if (b->report != NULL) {
        b->report->body_count = b->model->body_count - 1;
        b->report->coordinate_count = b->model->coordinate_count;
        b->report->bone_count = sn_value_count(b->bones);
        b->report->muscle_count = sn_value_count(b->muscles);
        b->report->clip_count = b->desc->motion_count;
    }
    if (b->desc->skin && solids > 0 && !sni_osim_add_skin(b)) {
        return sni_fail_memory(error);
    }
    remove_empty(b);
    SN_TRY(sni_osim_add_clips(b, error));
cleanup:
    return status;
}

static char *name_of(sn_context *context, const sni_osim *model, const char *path) {
    const char *name = sni_path_name(path);
    size_t length = strlen(name) - strlen(sni_path_extension(path));
    return model->name[0] != 0 ? sni_string_copy(context, model->name)
           : length > 0        ? sni_string_copy_n(context, name, length)
                               : sni_string_copy(context, "character");
}

sn_status sni_character_from_osim(const sni_osim *model, const char *model_path,
                                  const sn_osim_desc *desc, const char *document_path,
                                  sn_character **character, sn_osim_report *report,
                                  sn_error *error) {
    sn_context *context = model->context;
    sni_osim_builder b = {
        .context = context,
        .model = model,
        .model_path = model_path,
        .document_path = document_path,
        .desc = desc,
        .box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}},
        .report = report};
    sn_status status = SN_OK;
    *character = NULL;
    char *name = name_of(context, model, model_path);
    if (name == NULL) {
        return sni_fail_memory(error);
    }
    SN_TRY(sn_character_create(context, name, character, error));
    SN_TRY(sni_character_set_base(*character, document_path, error));
    b.json = sn_character_document(*character);
    b.root = sn_json_root(b.json);
    SN_TRY(build(&b, error));
    SN_TRY(sn_character_check(*character, error));
cleanup:
    sni_free(context, b.rest);
    sni_free(context, b.boxes);
    sni_free(context, name);
    if (status != SN_OK) {
        sn_character_destroy(*character);
        *character = NULL;
    }
    return status;
}

sn_status sn_character_from_osim(sn_context *context, const char *model_path,
                                 const sn_osim_desc *desc, const char *document_path,
                                 sn_character **character, sn_osim_report *report,
                                 sn_error *error) {
    sni_osim *model = NULL;
    sn_status status = SN_OK;
    *character = NULL;
    if (report != NULL) {
        *report = (sn_osim_report){.context = context};
    }
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the description was not made by sn_osim_desc_default");
    }
    SN_TRY(sni_osim_read(context, model_path, &model, error));
    SN_TRY(
        sni_character_from_osim(model, model_path, desc, document_path, character, report, error));
cleanup:
    sni_osim_destroy(model);
    return status;
}
