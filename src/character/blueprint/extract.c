// SPDX-License-Identifier: Apache-2.0
//
// Meshes of a document that are extracted from its body.
#include "character/blueprint/blueprint.h"

#include "character/schema/schema.h"

#include <math.h>
#include <string.h>

uint32_t sni_find_extraction(const sni_blueprint *blueprint, const char *mesh) {
    for (uint32_t i = 0; i < blueprint->extraction_count; ++i) {
        if (strcmp(blueprint->extractions[i].name, mesh) == 0) {
            return i;
        }
    }
    return SN_NONE;
}

static double number_or_nan(const sn_value *object, const char *key) {
    return sn_value_number(sn_value_get(object, key), NAN);
}

static sn_status list_extractions(sni_blueprint *blueprint, const sn_value *meshes,
                                  sn_error *error) {
    static const char *const others[] = {"file", "mesh", "weights"};
    SNI_PLAN_NEW(blueprint, blueprint->extractions, sn_value_count(meshes));
    for (uint32_t i = 0; i < sn_value_count(meshes); ++i) {
        const sn_value *mesh = sn_value_at(meshes, i);
        const sn_value *extract = sn_value_get(mesh, "extract");
        if (extract == NULL) {
            continue;
        }
        for (uint32_t k = 0; k < 3; ++k) {
            const sn_value *other = sn_value_get(mesh, others[k]);
            if (other != NULL) {
                return sni_fail_value(error, other, SN_INVALID,
                                      "a mesh that is extracted has no \"%s\"", others[k]);
            }
        }
        blueprint->extractions[blueprint->extraction_count++] =
            (sni_extract_plan){.name = mesh->key,
                               .value = extract,
                               .dimension = number_or_nan(extract, "dimension"),
                               .filter = number_or_nan(extract, "filter"),
                               .threshold = number_or_nan(extract, "threshold"),
                               .relax = number_or_nan(extract, "relax"),
                               .detail = number_or_nan(extract, "detail"),
                               .holes = number_or_nan(extract, "holes"),
                               .part_names = sn_value_get(extract, "parts")};
    }
    return SN_OK;
}

// What cannot be taken from an extracted mesh: weights, which it has none of.
static sn_status check_lenders(const sni_blueprint *blueprint, const sn_value *meshes,
                               sn_error *error) {
    for (uint32_t i = 0; i < sn_value_count(meshes); ++i) {
        const sn_value *weights = sn_value_get(sn_value_at(meshes, i), "weights");
        if (weights != NULL && sni_find_extraction(blueprint, weights->as.string) != SN_NONE) {
            return sni_fail_value(error, weights, SN_INVALID,
                                  "the mesh \"%s\" is extracted: it has no weights",
                                  weights->as.string);
        }
    }
    return SN_OK;
}

// Skins alone can have the mesh, which stands in the world at rest.
static sn_status mark_surface(const sni_blueprint *blueprint, sni_surface_plan *surface,
                              sn_error *error) {
    surface->extraction =
        surface->mesh != NULL ? sni_find_extraction(blueprint, surface->mesh) : SN_NONE;
    if (surface->extraction == SN_NONE) {
        return SN_OK;
    }
    if (surface->kind != SNI_SURFACE_SKIN) {
        return sni_fail_value(error, sn_value_get(surface->value, "mesh"), SN_INVALID,
                              "the mesh \"%s\" is extracted from bones, tissues and muscles and "
                              "cannot be one of them",
                              surface->mesh);
    }
    if (surface->in_segment_frame) {
        return sni_fail_value(error, sn_value_get(surface->value, "frame"), SN_INVALID,
                              "the mesh \"%s\" is extracted: it stands in the world at rest",
                              surface->mesh);
    }
    return SN_OK;
}

typedef struct marking {
    const sni_blueprint *blueprint;
    sni_muscle_plan *muscle;
} marking;

static void mark_need(const sni_need *need, void *user) {
    const marking *m = user;
    if (need->surface < m->blueprint->surface_count &&
        m->blueprint->surfaces[need->surface].extraction != SN_NONE) {
        m->muscle->on_extracted = true;
    }
}

static void mark_muscle(const sni_blueprint *blueprint, sni_muscle_plan *muscle) {
    marking m = {blueprint, muscle};
    sni_inputs_needs(muscle->ops->inputs, muscle->inputs, mark_need, &m);
}

static sn_status decode_part(const sni_blueprint *blueprint, const sn_value *name, uint32_t *part,
                             sn_error *error) {
    sn_status status = sni_find_part(blueprint, name, part, error);
    if (status != SN_OK) {
        return status;
    }
    bool is_muscle = *part >= blueprint->surface_count;
    if (!is_muscle && blueprint->surfaces[*part].feature) {
        return sni_fail_value(error, name, SN_INVALID,
                              "no skin is extracted from \"%s\": it is a feature", name->as.string);
    }
    if (is_muscle && blueprint->muscles[*part - blueprint->surface_count].on_extracted) {
        return sni_fail_value(error, name, SN_INVALID,
                              "the muscle \"%s\" needs an extracted skin itself", name->as.string);
    }
    return SN_OK;
}

static sn_status decode_parts(sni_blueprint *blueprint, sni_extract_plan *plan, sn_error *error) {
    const sn_value *names = plan->part_names;
    if (names == NULL) {
        return SN_OK;
    }
    plan->part_count = sn_value_count(names);
    SNI_PLAN_NEW(blueprint, plan->parts, plan->part_count);
    for (uint32_t i = 0; i < plan->part_count; ++i) {
        const sn_value *name = sn_value_at(names, i);
        sn_status status = decode_part(blueprint, name, &plan->parts[i], error);
        for (uint32_t k = 0; k < i && status == SN_OK; ++k) {
            if (plan->parts[k] == plan->parts[i]) {
                status = sni_fail_value(error, name, SN_INVALID, "\"%s\" is named twice",
                                        name->as.string);
            }
        }
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

static sn_status decode_enlarge(sni_blueprint *blueprint, sni_extract_plan *plan, sn_error *error) {
    const sn_value *map = sn_value_get(plan->value, "enlarge");
    plan->enlarge_count = sn_value_count(map);
    SNI_PLAN_NEW(blueprint, plan->enlarge, plan->enlarge_count);
    for (uint32_t i = 0; i < plan->enlarge_count; ++i) {
        const sn_value *factor = sn_value_at(map, i);
        uint32_t segment;
        sn_status status =
            sni_find_name_at(blueprint, SNI_SECTION_SKELETON, factor->key, factor, &segment, error);
        if (status != SN_OK) {
            return status;
        }
        plan->enlarge[i] = (sn_segment_factor){factor->key, factor->as.number};
    }
    return SN_OK;
}

sn_status sni_decode_extractions(sni_blueprint *blueprint, const sn_value *root, sn_error *error) {
    const sn_value *meshes = sn_value_get(root, "meshes");
    sn_status status = SN_OK;
    SN_TRY(list_extractions(blueprint, meshes, error));
    SN_TRY(check_lenders(blueprint, meshes, error));
    for (uint32_t i = 0; i < blueprint->surface_count; ++i) {
        SN_TRY(mark_surface(blueprint, &blueprint->surfaces[i], error));
    }
    for (uint32_t i = 0; i < blueprint->muscle_count; ++i) {
        mark_muscle(blueprint, &blueprint->muscles[i]);
    }
    for (uint32_t i = 0; i < blueprint->extraction_count; ++i) {
        SN_TRY(decode_parts(blueprint, &blueprint->extractions[i], error));
        SN_TRY(decode_enlarge(blueprint, &blueprint->extractions[i], error));
    }
cleanup:
    return status;
}
