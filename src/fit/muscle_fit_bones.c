// SPDX-License-Identifier: Apache-2.0
//
// The bones around a muscle: which is the nearest, and how their segments hang on each other.
#include "fit/muscle_fit.h"

#include <math.h>

sn_status sni_fit_bones_init(sni_fit_bones *bones, sn_context *context, sni_arena *arena,
                             const sn_muscle_fit_desc *desc, sn_vec3 middle, sn_error *error) {
    sn_status status = SN_OK;
    *bones = (sni_fit_bones){.context = context,
                             .bones = desc->bones,
                             .middle = middle,
                             .segment_count = desc->segment_count,
                             .parents = desc->segment_parents,
                             .joints = desc->segment_joints};
    SNI_FIT_TAKE(arena, bones->lows, desc->bone_count);
    SNI_FIT_TAKE(arena, bones->highs, desc->bone_count);
    SNI_FIT_TAKE(arena, bones->accels, desc->bone_count);
    for (uint32_t i = 0; i < desc->bone_count; ++i) {
        sn_mesh_bounds(desc->bones[i].mesh, &bones->lows[i], &bones->highs[i]);
        bones->lows[i] = sn_vec3_sub(bones->lows[i], middle);
        bones->highs[i] = sn_vec3_sub(bones->highs[i], middle);
        bones->accels[i] = NULL;
    }
    bones->count = desc->bone_count;
cleanup:
    return status;
}

void sni_fit_bones_deinit(sni_fit_bones *bones) {
    for (uint32_t i = 0; i < bones->count; ++i) {
        sn_accel_destroy(bones->accels[i]);
    }
}

static double box_distance(const sni_fit_bones *bones, uint32_t bone, sn_vec3 p) {
    sn_vec3 low = sn_vec3_sub(bones->lows[bone], p), high = sn_vec3_sub(p, bones->highs[bone]);
    sn_vec3 zero = {0, 0, 0};
    return sn_vec3_length(sn_vec3_max(sn_vec3_max(low, high), zero));
}

static sn_status build_bone(sni_fit_bones *bones, uint32_t bone, sn_error *error) {
    const sn_mesh *mesh = bones->bones[bone].mesh;
    sn_triangles *triangles = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    SN_TRY(sn_accel_create(bones->context, mesh->positions, mesh->vertex_count, triangles->vertices,
                           triangles->count, &bones->accels[bone], error));
cleanup:
    sn_triangles_destroy(triangles);
    return status;
}

sn_status sni_fit_bones_nearest(sni_fit_bones *bones, sn_vec3 point, uint32_t segment,
                                uint32_t *bone, double *distance, sn_vec3 *closest,
                                sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 place = sn_vec3_add(point, bones->middle);
    double best = INFINITY;
    sn_vec3 at = point;
    *bone = SN_NONE;
    // Boxes that touch the point first: the bone with the least distance to its box is tried first.
    uint32_t first = SN_NONE;
    for (uint32_t i = 0; i < bones->count; ++i) {
        if ((segment == SN_NONE || bones->bones[i].segment == segment) &&
            (first == SN_NONE ||
             box_distance(bones, i, point) < box_distance(bones, first, point))) {
            first = i;
        }
    }
    for (uint32_t turn = 0; turn <= bones->count && first != SN_NONE; ++turn) {
        uint32_t i = turn == 0 ? first : turn - 1;
        if ((turn > 0 && i == first) ||
            (segment != SN_NONE && bones->bones[i].segment != segment) ||
            box_distance(bones, i, point) > best) {
            continue;
        }
        if (bones->accels[i] == NULL) {
            SN_TRY(build_bone(bones, i, error));
        }
        sn_closest found;
        sn_accel_find_closest(bones->accels[i], place, INFINITY, &found);
        if (found.triangle != SN_NONE &&
            (found.distance < best || (found.distance == best && i < *bone))) {
            best = found.distance;
            at = sn_vec3_sub(found.point, bones->middle);
            *bone = i;
        }
    }
    if (distance != NULL) {
        *distance = best;
    }
    if (closest != NULL) {
        *closest = at;
    }
cleanup:
    return status;
}

bool sni_fit_is_above(const sni_fit_bones *bones, uint32_t a, uint32_t b) {
    while (b != SN_NONE && b != a) {
        b = bones->parents[b];
    }
    return b == a;
}

uint32_t sni_fit_depth(const sni_fit_bones *bones, uint32_t segment) {
    uint32_t depth = 0;
    for (uint32_t s = bones->parents[segment]; s != SN_NONE; s = bones->parents[s]) {
        ++depth;
    }
    return depth;
}
