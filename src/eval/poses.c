// SPDX-License-Identifier: Apache-2.0
//
// Key poses: from the keys of a document, each with the points that it moves, to one row of offsets
// for every point that any key moves.
#include "eval/points.h"

#include "character/character.h"
#include "character/schema/schema.h"

#include <string.h>

// Where the rows of a set are collected.
typedef struct collection {
    sn_character *character;
    const sn_mesh *mesh; // the deformer's
    uint32_t *rows;      // #V: the point's number in the set, or SN_NONE
    uint32_t key_count;
    double *offsets; // NULL while rows are only counted
} collection;

static void put(collection *c, uint32_t key, uint32_t vertex, const double offset[3]) {
    if (c->offsets == NULL) {
        c->rows[vertex] = 0;
        return;
    }
    double *row = c->offsets + 3 * (size_t)c->rows[vertex] * c->key_count;
    memcpy(row + 3 * (size_t)key, offset, 3 * sizeof *offset);
}

static sn_status put_points(collection *c, uint32_t number, const sni_pose_key *key,
                            sn_error *error) {
    for (uint32_t i = 0; i < key->point_count; ++i) {
        const sni_moved_point *point = &key->points[i];
        if (point->vertex >= c->mesh->vertex_count) {
            return sni_fail_value(error, point->value, SN_INVALID,
                                  "the mesh \"%s\" has %u vertices, there is no vertex %u",
                                  c->mesh->name, c->mesh->vertex_count, point->vertex);
        }
        put(c, number, point->vertex, point->offset);
    }
    return SN_OK;
}

// A key given as a whole mesh: what differs from the mesh at rest.
static sn_status put_mesh(collection *c, uint32_t key, const sn_value *name, sn_error *error) {
    const sn_mesh *shape;
    sn_status status = sni_character_mesh(c->character, name, name->as.string, &shape, error);
    if (status != SN_OK) {
        return status;
    }
    if (shape->vertex_count != c->mesh->vertex_count) {
        return sni_fail_value(error, name, SN_INVALID,
                              "the mesh \"%s\" has %u vertices, but \"%s\" has %u", name->as.string,
                              shape->vertex_count, c->mesh->name, c->mesh->vertex_count);
    }
    for (uint32_t v = 0; v < shape->vertex_count; ++v) {
        double offset[3];
        for (int k = 0; k < 3; ++k) {
            size_t at = 3 * (size_t)v + (size_t)k;
            offset[k] = (double)shape->positions[at] - (double)c->mesh->positions[at];
        }
        if (offset[0] != 0 || offset[1] != 0 || offset[2] != 0) {
            put(c, key, v, offset);
        }
    }
    return SN_OK;
}

static sn_status put_keys(collection *c, const sni_pose_plan *plan, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < c->key_count && status == SN_OK; ++i) {
        const sni_pose_key *key = &plan->keys[i];
        status =
            key->mesh != NULL ? put_mesh(c, i, key->mesh, error) : put_points(c, i, key, error);
    }
    return status;
}

static sn_status make_set(collection *c, const sni_pose_plan *plan, sni_arena *arena,
                          sni_pose_set *set, sn_error *error) {
    uint32_t vertex_count = c->mesh->vertex_count, count = 0;
    sn_status status = SN_OK;
    c->key_count = plan->key_count;
    c->offsets = NULL;
    memset(c->rows, 0xff, vertex_count * sizeof *c->rows);
    SN_TRY(put_keys(c, plan, error));
    for (uint32_t v = 0; v < vertex_count; ++v) {
        c->rows[v] = c->rows[v] != SN_NONE ? count++ : SN_NONE;
    }
    uint32_t *points = sni_arena_alloc(arena, count, sizeof *points);
    size_t row_bytes = 3 * (size_t)plan->key_count * sizeof *c->offsets;
    c->offsets = sni_arena_alloc(arena, count, row_bytes);
    if (points == NULL || c->offsets == NULL) {
        return sni_fail_memory(error);
    }
    memset(c->offsets, 0, count * row_bytes);
    for (uint32_t v = 0; v < vertex_count; ++v) {
        if (c->rows[v] != SN_NONE) {
            points[c->rows[v]] = v;
        }
    }
    SN_TRY(put_keys(c, plan, error));
    *set = (sni_pose_set){.interpolation = plan->interpolation,
                          .key_count = plan->key_count,
                          .inputs = plan->inputs,
                          .point_count = count,
                          .points = points,
                          .offsets = c->offsets};
cleanup:
    return status;
}

sn_status sni_poses_make(sn_character *character, const sni_poses_plan *plan, const sn_mesh *mesh,
                         sni_arena *arena, sni_pose_set **sets, sn_error *error) {
    collection c = {.character = character, .mesh = mesh};
    *sets = sni_arena_alloc(arena, plan->count, sizeof **sets);
    c.rows = sni_arena_alloc(arena, plan->count > 0 ? mesh->vertex_count : 0, sizeof *c.rows);
    if (*sets == NULL || c.rows == NULL) {
        return sni_fail_memory(error);
    }
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < plan->count && status == SN_OK; ++i) {
        status = make_set(&c, &plan->sets[i], arena, &(*sets)[i], error);
    }
    return status;
}
