// SPDX-License-Identifier: Apache-2.0
//
// Weights of points: ranges, painted values, groups and attributes of a mesh, laid over each other
// in the order of the document.
#include "eval/points.h"

#include "base/text.h"
#include "character/schema/schema.h"

#include <string.h>

static sn_status mark_range(const sni_points_plan *points, const sn_mesh *mesh, uint8_t *marks,
                            sn_error *error) {
    if (points->last >= mesh->vertex_count) {
        return sni_fail_value(error, points->value, SN_INVALID,
                              "the mesh \"%s\" has %u vertices, there is no vertex %.10g",
                              mesh->name, mesh->vertex_count, points->last);
    }
    memset(marks + (size_t)points->first, 1, (size_t)(points->last - points->first) + 1);
    return SN_OK;
}

static sn_status mark_points(const sni_points_plan *points, const sn_mesh *mesh, uint8_t *marks,
                             sn_error *error) {
    return points->text != NULL
               ? sni_at_value(sn_ranges_mark(points->text, mesh->vertex_count, marks, error),
                              points->value, error)
               : mark_range(points, mesh, marks, error);
}

static uint32_t count_marks(const sn_mesh *mesh, const uint8_t *marks) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        count += marks[v];
    }
    return count;
}

sn_status sni_point_values_read(const sni_point_values_plan *plan, const sn_mesh *mesh,
                                uint8_t *marks, float *values, sn_error *error) {
    sn_status status = mark_points(&plan->points, mesh, marks, error);
    uint32_t count = status == SN_OK ? count_marks(mesh, marks) : 0, next = 0;
    if (status == SN_OK && plan->list != NULL && plan->count != count) {
        return sni_fail_value(error, plan->list, SN_INVALID,
                              "there are %u values for %u points, by rising number", plan->count,
                              count);
    }
    for (uint32_t v = 0; v < mesh->vertex_count && status == SN_OK; ++v) {
        if (marks[v] != 0) {
            values[v] =
                (float)(plan->list != NULL ? plan->weight * plan->values[next++] : plan->weight);
        }
    }
    return status;
}

sn_status sni_points_list(const sni_points_plan *plan, const sn_mesh *mesh, sni_arena *arena,
                          uint32_t **points, uint32_t *count, sn_error *error) {
    uint8_t *marks = sni_arena_alloc(arena, mesh->vertex_count, 1);
    *points = sni_arena_alloc(arena, mesh->vertex_count, sizeof **points);
    *count = 0;
    if (marks == NULL || *points == NULL) {
        return sni_fail_memory(error);
    }
    memset(marks, 0, mesh->vertex_count);
    sn_status status = mark_points(plan, mesh, marks, error);
    for (uint32_t v = 0; v < mesh->vertex_count && status == SN_OK; ++v) {
        if (marks[v] != 0) {
            (*points)[(*count)++] = v;
        }
    }
    return status;
}

// The points of an entry, with one weight or each with its own.
static sn_status weigh_points(sn_context *context, const sni_point_values_plan *plan,
                              const sn_mesh *mesh, float *weights, sn_error *error) {
    uint8_t *marks = sni_alloc_zero(context, mesh->vertex_count, 1);
    sn_status status = marks != NULL ? sni_point_values_read(plan, mesh, marks, weights, error)
                                     : sni_fail_memory(error);
    sni_free(context, marks);
    return status;
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

static sn_status weigh(sn_context *context, const sni_weights_entry *entry, const sn_mesh *mesh,
                       float *weights, sn_error *error) {
    float weight = (float)entry->points.weight;
    if (entry->points.points.value != NULL) {
        return weigh_points(context, &entry->points, mesh, weights, error);
    }
    if (entry->group != NULL) {
        return weigh_group(entry->group, mesh, weight, weights, error);
    }
    if (entry->attribute != NULL) {
        return weigh_attribute(entry->attribute, mesh, weight, weights, error);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        weights[v] = weight;
    }
    return SN_OK;
}

sn_status sni_point_weights_make(sn_context *context, const sni_deformer_plan *plan,
                                 const sn_mesh *mesh, float **weights, sn_error *error) {
    sn_status status = SN_OK;
    float *made = NULL;
    *weights = NULL;
    if (!plan->weighted) {
        return SN_OK;
    }
    SNI_NEW_ZERO(context, made, mesh->vertex_count);
    for (uint32_t i = 0; i < plan->weights_count; ++i) {
        SN_TRY(weigh(context, &plan->weights[i], mesh, made, error));
    }
    *weights = made;
    return SN_OK;
cleanup:
    sni_free(context, made);
    return status;
}
