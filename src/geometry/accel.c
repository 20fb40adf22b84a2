// SPDX-License-Identifier: Apache-2.0
//
// Search trees: their making and the public calls; accel_search.c searches.
#include "geometry/accel.h"

#include "base/memory.h"
#include "geometry/finite.h"

#include <math.h>
#include <string.h>

static sn_status check_positions(const float *positions, uint32_t vertex_count, sn_error *error) {
    size_t count = (size_t)vertex_count * 3;
    size_t bad = sni_find_not_finite(positions, count);
    if (bad < count) {
        return sni_fail(error, SN_INVALID, "vertex %zu has the %c coordinate %g", bad / 3,
                        "xyz"[bad % 3], positions[bad]);
    }
    return SN_OK;
}

static sn_status check_vertices(const uint32_t *vertices, uint32_t triangle_count,
                                uint32_t vertex_count, sn_error *error) {
    for (size_t i = 0; i < 3 * (size_t)triangle_count; ++i) {
        if (vertices[i] >= vertex_count) {
            return sni_fail(error, SN_INVALID,
                            "triangle %zu uses vertex %u, but there are %u vertices", i / 3,
                            vertices[i], vertex_count);
        }
    }
    return SN_OK;
}

static void store_positions(sn_accel *accel, const float *positions) {
    size_t count = (size_t)accel->vertex_count * 3;
    float largest = 0;
    for (size_t i = 0; i < count; ++i) {
        float size = fabsf(positions[i]);
        largest = size > largest ? size : largest;
        accel->positions[i] = positions[i];
    }
    accel->largest = largest;
}

sn_status sn_accel_create(sn_context *context, const float *positions, uint32_t vertex_count,
                          const uint32_t *vertices, uint32_t triangle_count, sn_accel **accel,
                          sn_error *error) {
    sn_status status = SN_OK;
    sn_accel *made = NULL;
    *accel = NULL;
    SN_TRY(check_positions(positions, vertex_count, error));
    SN_TRY(check_vertices(vertices, triangle_count, vertex_count, error));
    SNI_NEW_ZERO(context, made, 1);
    made->context = made->tree.context = context;
    made->vertex_count = vertex_count;
    made->triangle_count = triangle_count;
    SNI_NEW(context, made->positions, (size_t)vertex_count * 3);
    SNI_NEW(context, made->vertices, (size_t)triangle_count * 3);
    if (triangle_count > 0) {
        memcpy(made->vertices, vertices, (size_t)triangle_count * 3 * sizeof *vertices);
    }
    store_positions(made, positions);
    SN_TRY(sni_tree_init(&made->tree, context, made->positions, made->vertices, triangle_count,
                         error));
    *accel = made;
    return SN_OK;
cleanup:
    sn_accel_destroy(made);
    return status;
}

void sn_accel_destroy(sn_accel *accel) {
    if (accel == NULL) {
        return;
    }
    sn_context *context = accel->context;
    sni_tree_deinit(&accel->tree);
    sni_free(context, accel->positions);
    sni_free(context, accel->vertices);
    sni_free(context, accel);
}

sn_status sn_accel_update(sn_accel *accel, const float *positions, bool rebuild, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(check_positions(positions, accel->vertex_count, error));
    if (rebuild) {
        sni_tree tree;
        SN_TRY(sni_tree_init(&tree, accel->context, positions, accel->vertices,
                             accel->triangle_count, error));
        sni_tree_deinit(&accel->tree);
        accel->tree = tree;
        store_positions(accel, positions);
    } else {
        store_positions(accel, positions);
        sni_tree_refit(&accel->tree, accel->positions, accel->vertices);
    }
cleanup:
    return status;
}

void sn_accel_find_closest(const sn_accel *accel, sn_vec3 point, double radius,
                           sn_closest *closest) {
    sni_accel_find_within(accel, point, radius, closest);
}

void sn_accel_cast(const sn_accel *accel, sn_vec3 origin, sn_vec3 direction, double nearest,
                   double farthest, sn_hit *hit) {
    sni_accel_cast(accel, origin, direction, nearest, farthest, hit);
}

// The corners of the box around all triangles of a surface.
static void find_corners(const sn_accel *accel, float corners[6]) {
    const sni_tree_node *root = &accel->tree.nodes[0];
    for (int k = 0; k < 3; ++k) {
        corners[k] = root->sides[SNI_LOW_X + k][0];
        corners[3 + k] = root->sides[SNI_HIGH_X + k][0];
        for (uint32_t i = 1; i < root->child_count; ++i) {
            corners[k] = fminf(corners[k], root->sides[SNI_LOW_X + k][i]);
            corners[3 + k] = fmaxf(corners[3 + k], root->sides[SNI_HIGH_X + k][i]);
        }
    }
}

sn_status sni_accel_group_create(sn_context *context, const sn_accel *const *members,
                                 uint32_t count, sni_accel_group **group, sn_error *error) {
    SN_ASSERT(count == 0 || members != NULL);
    sn_status status = SN_OK;
    sni_accel_group *made = NULL;
    float *corners = NULL;
    uint32_t *triangles = NULL, filled = 0;
    *group = NULL;
    SNI_NEW_ZERO(context, made, 1);
    *made = (sni_accel_group){.context = context, .members = members, .tree.context = context};
    SNI_NEW_ZERO(context, corners, 6 * (size_t)count);
    SNI_NEW(context, triangles, 3 * (size_t)count);
    for (uint32_t i = 0; i < count; ++i) {
        if (members[i]->triangle_count > 0) {
            uint32_t *triangle = triangles + 3 * (size_t)filled++;
            find_corners(members[i], corners + 6 * (size_t)i);
            triangle[0] = triangle[2] = 2 * i;
            triangle[1] = 2 * i + 1;
        }
    }
    SN_TRY(sni_tree_init(&made->tree, context, corners, triangles, filled, error));
    *group = made;
    made = NULL;
cleanup:
    sni_accel_group_destroy(made);
    sni_free(context, corners);
    sni_free(context, triangles);
    return status;
}

void sni_accel_group_destroy(sni_accel_group *group) {
    if (group != NULL) {
        sni_tree_deinit(&group->tree);
        sni_free(group->context, group);
    }
}
