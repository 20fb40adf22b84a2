// SPDX-License-Identifier: Apache-2.0
//
// The bones around a muscle: which is the nearest, and how their segments hang on each other.
#include "fit/muscle/fit.h"

#include "base/context.h"

#include <math.h>

static sn_status build_tree(sn_context *context, const sn_mesh *mesh, sn_accel **tree,
                            sn_error *error) {
    sn_triangles *triangles = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    SN_TRY(sn_accel_create(context, mesh->positions, mesh->vertex_count, triangles->vertices,
                           triangles->count, tree, error));
cleanup:
    sn_triangles_destroy(triangles);
    return status;
}

typedef struct growing {
    sni_bone_trees *trees;
    const sn_fit_bone *bones;
    sn_status *statuses;
} growing;

static void grow_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const growing *g = user;
    for (uint32_t i = begin; i < end; ++i) {
        sn_mesh_bounds(g->bones[i].mesh, &g->trees->lows[i], &g->trees->highs[i]);
        g->statuses[i] = build_tree(g->trees->context, g->bones[i].mesh, &g->trees->trees[i], NULL);
    }
}

sn_status sni_bone_trees_init(sni_bone_trees *trees, sn_context *context, uint32_t count,
                              const sn_fit_bone *bones, sn_error *error) {
    SN_ASSERT(count == 0 || bones != NULL);
    sn_status status = SN_OK;
    growing g = {.trees = trees, .bones = bones};
    *trees = (sni_bone_trees){.context = context};
    SNI_NEW_ZERO(context, g.statuses, count);
    SNI_NEW(context, trees->lows, count);
    SNI_NEW(context, trees->highs, count);
    SNI_NEW_ZERO(context, trees->trees, count);
    trees->count = count;
    sn_parallel_for(context, count, 1, grow_block, &g);
    for (uint32_t i = 0; i < count; ++i) {
        // A bone that cannot be searched is no matter until one asks for it.
        if (g.statuses[i] == SN_OUT_OF_MEMORY) {
            SN_TRY(sni_fail_memory(error));
        }
    }
cleanup:
    sni_free(context, g.statuses);
    return status;
}

void sni_bone_trees_deinit(sni_bone_trees *trees) {
    for (uint32_t i = 0; i < trees->count; ++i) {
        sn_accel_destroy(trees->trees[i]);
    }
    sni_free(trees->context, trees->lows);
    sni_free(trees->context, trees->highs);
    sni_free(trees->context, trees->trees);
    *trees = (sni_bone_trees){0};
}

sn_status sni_fit_bones_init(sni_fit_bones *bones, sn_context *context, sni_arena *arena,
                             const sn_muscle_fit_desc *desc, const sni_bone_trees *trees,
                             sn_vec3 middle, sn_error *error) {
    sn_status status = SN_OK;
    *bones = (sni_fit_bones){.context = context,
                             .bones = desc->bones,
                             .middle = middle,
                             .trees = trees,
                             .segment_count = desc->segment_count,
                             .parents = desc->segment_parents,
                             .joints = desc->segment_joints};
    SNI_FIT_TAKE(arena, bones->lows, desc->bone_count);
    SNI_FIT_TAKE(arena, bones->highs, desc->bone_count);
    SNI_FIT_TAKE(arena, bones->gaps, desc->bone_count);
    SNI_FIT_TAKE(arena, bones->accels, desc->bone_count);
    for (uint32_t i = 0; i < desc->bone_count; ++i) {
        if (trees != NULL) {
            bones->lows[i] = trees->lows[i];
            bones->highs[i] = trees->highs[i];
        } else {
            sn_mesh_bounds(desc->bones[i].mesh, &bones->lows[i], &bones->highs[i]);
        }
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

// How far a number lies outside of a range.
static double outside(double low, double high, double x) {
    double below = low - x, above = x - high;
    double more = below > above ? below : above;
    return more > 0 ? more : 0;
}

static double box_distance(const sni_fit_bones *bones, uint32_t bone, sn_vec3 p) {
    sn_vec3 low = bones->lows[bone], high = bones->highs[bone];
    return sn_vec3_length(sn_vec3_make(outside(low.x, high.x, p.x), outside(low.y, high.y, p.y),
                                       outside(low.z, high.z, p.z)));
}

// The tree of a bone: the given one, or one that is made now.
static sn_status find_tree(sni_fit_bones *bones, uint32_t bone, const sn_accel **tree,
                           sn_error *error) {
    sn_status status = SN_OK;
    *tree = bones->trees != NULL ? bones->trees->trees[bone] : NULL;
    if (*tree == NULL) {
        if (bones->accels[bone] == NULL) {
            SN_TRY(
                build_tree(bones->context, bones->bones[bone].mesh, &bones->accels[bone], error));
        }
        *tree = bones->accels[bone];
    }
cleanup:
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
        bones->gaps[i] = box_distance(bones, i, point);
        if ((segment == SN_NONE || bones->bones[i].segment == segment) &&
            (first == SN_NONE || bones->gaps[i] < bones->gaps[first])) {
            first = i;
        }
    }
    for (uint32_t turn = 0; turn <= bones->count && first != SN_NONE; ++turn) {
        uint32_t i = turn == 0 ? first : turn - 1;
        if ((turn > 0 && i == first) ||
            (segment != SN_NONE && bones->bones[i].segment != segment) || bones->gaps[i] > best) {
            continue;
        }
        const sn_accel *tree;
        SN_TRY(find_tree(bones, i, &tree, error));
        sn_closest found;
        sn_accel_find_closest(tree, place, best, &found);
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
