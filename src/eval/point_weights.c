// SPDX-License-Identifier: Apache-2.0
//
// Weights of points: ranges, groups and attributes of a mesh, laid over each other in the order of
// the document.
#include "eval/points.h"

#include "base/text.h"
#include "character/schema.h"

#include <string.h>

static sn_status weigh_range(const sn_value *range, const sn_mesh *mesh, float weight,
                             float *weights, sn_error *error) {
    double first = sn_value_at(range, 0)->as.number, last = sn_value_at(range, 1)->as.number;
    if (last >= mesh->vertex_count) {
        return sni_fail_value(error, range, SN_INVALID,
                              "the mesh \"%s\" has %u vertices, there is no vertex %.10g",
                              mesh->name, mesh->vertex_count, last);
    }
    for (uint32_t v = (uint32_t)first; v <= (uint32_t)last; ++v) {
        weights[v] = weight;
    }
    return SN_OK;
}

static bool names_faces(sn_run_kind kind) {
    return kind == SN_RUN_GROUP || kind == SN_RUN_OBJECT || kind == SN_RUN_MATERIAL;
}

// The face behind the last one for which a run holds.
static uint32_t end_of_run(const sn_mesh *mesh, uint32_t run) {
    for (uint32_t i = run + 1; i < mesh->run_count; ++i) {
        if (mesh->runs[i].kind == mesh->runs[run].kind) {
            return mesh->runs[i].first_face;
        }
    }
    return mesh->face_count;
}

// The vertices of all faces of a group, object or material.
static sn_status weigh_group(const sn_value *name, const sn_mesh *mesh, float weight,
                             float *weights, sn_error *error) {
    sni_closest closest = sni_closest_to(name->as.string);
    bool found = false;
    for (uint32_t i = 0; i < mesh->run_count; ++i) {
        const sn_run *run = &mesh->runs[i];
        if (!names_faces(run->kind)) {
            continue;
        }
        sni_closest_try(&closest, run->name);
        if (strcmp(run->name, name->as.string) == 0) {
            found = true;
            uint32_t end = mesh->face_offsets[end_of_run(mesh, i)];
            for (uint32_t c = mesh->face_offsets[run->first_face]; c < end; ++c) {
                weights[mesh->corners[c]] = weight;
            }
        }
    }
    char hint[SNI_HINT_BYTES];
    return found ? SN_OK
                 : sni_fail_value(error, name, SN_INVALID,
                                  "the mesh \"%s\" has no group, object or material \"%s\"%s",
                                  mesh->name, name->as.string, sni_closest_hint(&closest, hint));
}

// The first number of an attribute at every vertex.
static sn_status weigh_attribute(const sn_value *name, const sn_mesh *mesh, float weight,
                                 float *weights, sn_error *error) {
    const sn_attribute *attribute = sn_mesh_find_attribute(mesh, name->as.string);
    if (attribute == NULL || attribute->corner != NULL) {
        return sni_fail_value(
            error, name, SN_INVALID,
            "the mesh \"%s\" has no attribute \"%s\" with a value for each vertex", mesh->name,
            name->as.string);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        float value = attribute->values[(size_t)v * attribute->width];
        if (!(value >= 0 && value <= 1)) {
            return sni_fail_value(error, name, SN_INVALID,
                                  "vertex %u has \"%s\" %g; weights are from 0 to 1", v,
                                  name->as.string, value);
        }
        weights[v] = weight * value;
    }
    return SN_OK;
}

static sn_status weigh(const sn_value *entry, const sn_mesh *mesh, float *weights,
                       sn_error *error) {
    const sn_value *points = sn_value_get(entry, "points");
    const sn_value *group = sn_value_get(entry, "group");
    const sn_value *attribute = sn_value_get(entry, "attribute");
    float weight = (float)sn_value_number(sn_value_get(entry, "weight"), 1);
    if (points != NULL) {
        return weigh_range(points, mesh, weight, weights, error);
    }
    if (group != NULL) {
        return weigh_group(group, mesh, weight, weights, error);
    }
    if (attribute != NULL) {
        return weigh_attribute(attribute, mesh, weight, weights, error);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        weights[v] = weight;
    }
    return SN_OK;
}

sn_status sni_point_weights_make(sn_context *context, const sn_value *list, const sn_mesh *mesh,
                                 float **weights, sn_error *error) {
    sn_status status = SN_OK;
    float *made = NULL;
    *weights = NULL;
    if (list == NULL) {
        return SN_OK;
    }
    SNI_NEW_ZERO(context, made, mesh->vertex_count);
    for (uint32_t i = 0; i < sn_value_count(list); ++i) {
        SN_TRY(weigh(sn_value_at(list, i), mesh, made, error));
    }
    *weights = made;
    return SN_OK;
cleanup:
    sni_free(context, made);
    return status;
}
