// SPDX-License-Identifier: Apache-2.0
//
// "Finer local control may also be achieved at any point of time by subdividing triangles in a
// problematic region to generate a larger number of control elements" (Singh and Kokkevis 2000,
// section 5).
#include "geometry/subdivide.h"
#include "sinew/fit.h"

#include <string.h>

static sn_status check_triangles(const sn_mesh *mesh, sn_error *error) {
    sn_status status = sn_mesh_validate(mesh, error);
    for (uint32_t f = 0; status == SN_OK && f < mesh->face_count; ++f) {
        uint32_t corners = mesh->face_offsets[f + 1] - mesh->face_offsets[f];
        if (corners != 3) {
            return sni_fail(error, SN_INVALID,
                            "face %u has %u corners, but only triangles are subdivided", f,
                            corners);
        }
    }
    return status;
}

static sn_status make_mesh(const sn_mesh *from, const sni_subdivision *s, sn_mesh **mesh,
                           sn_error *error) {
    sn_status status = sn_mesh_create(from->context, from->name, s->old_count + s->new_count,
                                      s->triangle_count, 3 * s->triangle_count, mesh, error);
    if (status != SN_OK) {
        return status;
    }
    size_t old_numbers = 3 * (size_t)s->old_count;
    memcpy((*mesh)->positions, from->positions, old_numbers * sizeof *from->positions);
    sni_subdivision_apply(s, from->positions, 3, (*mesh)->positions + old_numbers);
    memcpy((*mesh)->corners, s->vertices, 3 * (size_t)s->triangle_count * sizeof *s->vertices);
    for (uint32_t t = 0; t <= s->triangle_count; ++t) {
        (*mesh)->face_offsets[t] = 3 * t;
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Weights

// The weight of a bone in a row, and where it stands; SN_NONE when it is not there.
static uint32_t find_bone(const sn_weights *weights, uint32_t begin, uint32_t end, uint32_t bone) {
    for (uint32_t i = begin; i < end; ++i) {
        if (weights->bones[i] == bone) {
            return i;
        }
    }
    return SN_NONE;
}

// Adds half of a vertex' row to the row that begins at `begin`; returns its new end. `out` has
// room.
static uint32_t add_half_row(const sn_weights *weights, uint32_t vertex, sn_weights *out,
                             uint32_t begin, uint32_t end) {
    for (uint32_t i = weights->offsets[vertex]; i < weights->offsets[vertex + 1]; ++i) {
        uint32_t place = find_bone(out, begin, end, weights->bones[i]);
        if (place == SN_NONE) {
            place = end++;
            out->bones[place] = weights->bones[i];
            out->values[place] = 0;
        }
        out->values[place] += weights->values[i] / 2;
    }
    return end;
}

static void write_weights(const sn_weights *from, const sni_subdivision *s, sn_weights *to) {
    uint32_t count = from->offsets[s->old_count];
    memcpy(to->offsets, from->offsets, ((size_t)s->old_count + 1) * sizeof *to->offsets);
    memcpy(to->bones, from->bones, count * sizeof *to->bones);
    memcpy(to->values, from->values, count * sizeof *to->values);
    for (uint32_t row = 0; row < s->new_count; ++row) {
        uint32_t begin = count;
        count = add_half_row(from, s->edges[2 * (size_t)row], to, begin, count);
        count = add_half_row(from, s->edges[2 * (size_t)row + 1], to, begin, count);
        to->offsets[s->old_count + row + 1] = count;
    }
}

// The most that the rows of new vertices can hold, each all bones of both ends.
static uint64_t bound_values(const sn_weights *from, const sni_subdivision *s) {
    uint64_t count = from->offsets[s->old_count];
    for (size_t i = 0; i < 2 * (size_t)s->new_count; ++i) {
        count += from->offsets[s->edges[i] + 1] - from->offsets[s->edges[i]];
    }
    return count;
}

static sn_status subdivide_weights(const sn_mesh *from, const sni_subdivision *s, sn_mesh *to,
                                   sn_error *error) {
    const sn_weights *weights = from->weights;
    if (weights == NULL) {
        return SN_OK;
    }
    uint64_t room = bound_values(weights, s);
    if (room >= SN_NONE) {
        return sni_fail(error, SN_LIMIT, "the driver would have too many weights");
    }
    sn_status status = sn_mesh_set_weights(to, weights->bone_count, (uint32_t)room,
                                           weights->inverse_bind != NULL, error);
    for (uint32_t b = 0; status == SN_OK && b < weights->bone_count; ++b) {
        status = sn_mesh_name_bone(to, b, weights->bone_names[b], error);
        if (weights->inverse_bind != NULL) {
            to->weights->inverse_bind[b] = weights->inverse_bind[b];
        }
    }
    if (status == SN_OK) {
        write_weights(weights, s, to->weights);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Targets

static void spread_target(const sn_target *from, float *dense, uint32_t vertex_count) {
    memset(dense, 0, 3 * (size_t)vertex_count * sizeof *dense);
    for (uint32_t i = 0; i < from->count; ++i) {
        uint32_t vertex = from->vertices != NULL ? from->vertices[i] : i;
        memcpy(dense + 3 * (size_t)vertex, from->offsets + 3 * (size_t)i, 3 * sizeof *dense);
    }
}

static sn_status subdivide_targets(const sn_mesh *from, const sni_subdivision *s, sn_mesh *to,
                                   sn_error *error) {
    for (uint32_t i = 0; i < from->target_count; ++i) {
        sn_target *target = NULL;
        sn_status status =
            sn_mesh_add_target(to, from->targets[i].name, to->vertex_count, false, &target, error);
        if (status != SN_OK) {
            return status;
        }
        target->weight = from->targets[i].weight;
        spread_target(&from->targets[i], target->offsets, s->old_count);
        sni_subdivision_apply(s, target->offsets, 3, target->offsets + 3 * (size_t)s->old_count);
    }
    return SN_OK;
}

sn_status sn_driver_mesh_subdivide(const sn_mesh *driver, const uint8_t *selected, bool smooth,
                                   sn_mesh **subdivided, sn_error *error) {
    sn_status status = SN_OK;
    sni_subdivision *subdivision = NULL;
    sn_mesh *mesh = NULL;
    *subdivided = NULL;
    SN_TRY(check_triangles(driver, error));
    sni_subdivide_desc desc = {
        .scheme = smooth ? SNI_SUBDIVIDE_BUTTERFLY : SNI_SUBDIVIDE_MIDPOINT,
        .vertex_count = driver->vertex_count,
        .vertices = driver->corners,
        .triangle_count = driver->face_count,
        .selected = selected,
    };
    SN_TRY(sni_subdivide(driver->context, &desc, &subdivision, error));
    SN_TRY(make_mesh(driver, subdivision, &mesh, error));
    SN_TRY(subdivide_weights(driver, subdivision, mesh, error));
    SN_TRY(subdivide_targets(driver, subdivision, mesh, error));
    *subdivided = mesh;
    mesh = NULL;
cleanup:
    sn_mesh_destroy(mesh);
    sni_subdivision_destroy(subdivision);
    return status;
}
