// SPDX-License-Identifier: Apache-2.0
#include "common/extraction.h"

#include <string.h>

const app_extraction_number app_extraction_numbers[APP_EXTRACTION_NUMBERS] = {
    {"dimension", 8, 4096, true}, {"filter", 0, 100, false}, {"threshold", 0, 200, false},
    {"relax", 0, 100, true},      {"detail", 0, 100, false}, {"holes", 0, 1000, false},
};

// The bone, tissue or muscle of a name, SN_NONE where there is none.
static uint32_t find_part(const sn_model *model, const char *name) {
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        if (surface->layer != SN_LAYER_SKIN && !surface->feature &&
            strcmp(surface->name, name) == 0) {
            return i;
        }
    }
    return SN_NONE;
}

// Whether the part behind `count` others is one of them.
static bool is_listed(const uint32_t *parts, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (parts[i] == parts[count]) {
            return true;
        }
    }
    return false;
}

// The parts that are named, each once.
static sn_status list_parts(const app_extraction *extraction, const sn_model *model,
                            const char *source, uint32_t *parts, uint32_t *count, sn_error *error) {
    *count = 0;
    for (uint32_t i = 0; i < extraction->part_count; ++i) {
        parts[*count] = find_part(model, extraction->parts[i]);
        if (parts[*count] == SN_NONE) {
            return app_fail(error, SN_INVALID, source, "there is no bone, tissue or muscle \"%s\"",
                            extraction->parts[i]);
        }
        *count += !is_listed(parts, *count);
    }
    return SN_OK;
}

sn_status app_extraction_describe(const app_extraction *extraction, const sn_model *model,
                                  const char *source, sn_model_extract_desc *desc,
                                  uint32_t *surfaces, sn_error *error) {
    *desc = sn_model_extract_desc_default();
    const double *numbers = extraction->numbers;
    const bool *given = extraction->given;
    desc->grid.name = extraction->name;
    desc->grid.dimension = given[0] ? (uint32_t)numbers[0] : desc->grid.dimension;
    desc->grid.filter = given[1] ? numbers[1] : desc->grid.filter;
    desc->grid.threshold = given[2] ? numbers[2] : desc->grid.threshold;
    desc->grid.relax = given[3] ? (uint32_t)numbers[3] : desc->grid.relax;
    desc->grid.detail = given[4] ? numbers[4] : desc->grid.detail;
    desc->grid.holes = given[5] ? numbers[5] : desc->grid.holes;
    desc->enlarge_count = extraction->enlarge_count;
    desc->enlarge = extraction->enlarge;
    desc->surfaces = extraction->part_count > 0 ? surfaces : NULL;
    return list_parts(extraction, model, source, surfaces, &desc->surface_count, error);
}

// The parts as a list; nothing where there are none.
static bool add_parts(sn_json *json, sn_value *object, const char *key,
                      const app_extraction *extraction) {
    sn_value *names = extraction->part_count > 0 ? sn_json_add_array(json, object, key) : NULL;
    for (uint32_t i = 0; i < extraction->part_count; ++i) {
        if (sn_json_add_string(json, names, NULL, extraction->parts[i]) == NULL) {
            return false;
        }
    }
    return true;
}

static bool add_enlarged(sn_json *json, sn_value *extract, const app_extraction *extraction) {
    sn_value *map =
        extraction->enlarge_count > 0 ? sn_json_add_object(json, extract, "enlarge") : NULL;
    for (uint32_t i = 0; i < extraction->enlarge_count; ++i) {
        const sn_segment_factor *enlarge = &extraction->enlarge[i];
        if (sn_json_add_number(json, map, enlarge->segment, enlarge->factor) == NULL) {
            return false;
        }
    }
    return true;
}

// The mesh: of a file, or made anew from what was asked for.
static bool add_mesh(sn_json *json, sn_value *mesh, const char *file,
                     const app_extraction *extraction) {
    if (file != NULL) {
        return sn_json_add_string(json, mesh, "file", file) != NULL;
    }
    sn_value *extract = sn_json_add_object(json, mesh, "extract");
    bool done = extract != NULL;
    for (int i = 0; i < APP_EXTRACTION_NUMBERS; ++i) {
        const char *key = app_extraction_numbers[i].key;
        done = done && (!extraction->given[i] ||
                        sn_json_add_number(json, extract, key, extraction->numbers[i]) != NULL);
    }
    return done && add_enlarged(json, extract, extraction) &&
           add_parts(json, extract, "parts", extraction);
}

// The new entry of a section; skins that are there already are hidden.
static sn_value *add_entry(sn_json *json, const char *name, const char *key, bool hide) {
    sn_value *root = sn_json_root(json);
    sn_value *section = (sn_value *)sn_value_get(root, key);
    for (uint32_t i = 0; hide && i < sn_value_count(section); ++i) {
        if (sn_json_add_bool(json, (sn_value *)sn_value_at(section, i), "show", false) == NULL) {
            return NULL;
        }
    }
    section = section != NULL ? section : sn_json_add_object(json, root, key);
    return sn_json_add_object(json, section, name);
}

sn_status app_extraction_add_skin(const app_extraction *extraction, sn_json *json, const char *file,
                                  const char *source, sn_error *error) {
    const char *name = extraction->name;
    const sn_value *root = sn_json_root(json);
    if (sn_value_get(sn_value_get(root, "skins"), name) != NULL ||
        sn_value_get(sn_value_get(root, "meshes"), name) != NULL) {
        return app_fail(error, SN_INVALID, source, "there is a skin or mesh \"%s\" already", name);
    }
    sn_value *mesh = add_entry(json, name, "meshes", false);
    sn_value *skin = add_entry(json, name, "skins", true);
    // The order in which the keys of the skin stand is that of older documents.
    sn_value *deformers = sn_json_add_array(json, skin, "deformers");
    bool done = mesh != NULL && skin != NULL && add_mesh(json, mesh, file, extraction) &&
                sn_json_add_string(json, skin, "mesh", name) != NULL;
    sn_value *membrane = done ? sn_json_add_object(json, deformers, NULL) : NULL;
    done = done && sn_json_add_string(json, membrane, "kind", "membrane") != NULL &&
           add_parts(json, membrane, "components", extraction);
    return done ? SN_OK : app_fail_memory(error);
}
