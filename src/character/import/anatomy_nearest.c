// SPDX-License-Identifier: Apache-2.0
//
// One tree over the triangles of many bones, and votes of a mesh's vertices for the nearest.
#include "character/import/anatomy.h"

#include <string.h>

// Vertices of a mesh that vote, spread evenly over their numbers.
static const uint32_t voter_count = 256;

sn_status sni_nearest_bones_init(sni_nearest_bones *nearest, const sni_anatomy_build *build,
                                 const bool *marked, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = build->context;
    uint32_t part_count = build->anatomy->part_count, vertex_count = 0, triangle_count = 0;
    sn_triangles **triangles = NULL;
    float *positions = NULL;
    uint32_t *vertices = NULL;
    *nearest = (sni_nearest_bones){.context = context};
    SNI_NEW_ZERO(context, triangles, part_count);
    SNI_NEW(context, nearest->parts, part_count);
    SNI_NEW(context, nearest->starts, (size_t)part_count + 1);
    for (uint32_t i = 0; i < part_count; ++i) {
        if (marked[i]) {
            SN_TRY(sn_triangles_create(build->meshes[i], build->meshes[i]->positions, &triangles[i],
                                       error));
            nearest->parts[nearest->count] = i;
            nearest->starts[nearest->count++] = triangle_count;
            triangle_count += triangles[i]->count;
            vertex_count += build->meshes[i]->vertex_count;
        }
    }
    nearest->starts[nearest->count] = triangle_count;
    SNI_NEW(context, positions, 3 * (size_t)vertex_count);
    SNI_NEW(context, vertices, 3 * (size_t)triangle_count);
    for (uint32_t i = 0, first = 0; i < nearest->count; ++i) {
        const sn_mesh *mesh = build->meshes[nearest->parts[i]];
        const sn_triangles *own = triangles[nearest->parts[i]];
        uint32_t *out = vertices + 3 * (size_t)nearest->starts[i];
        memcpy(positions + 3 * (size_t)first, mesh->positions,
               3 * (size_t)mesh->vertex_count * sizeof *positions);
        for (size_t k = 0; k < 3 * (size_t)own->count; ++k) {
            out[k] = own->vertices[k] + first;
        }
        first += mesh->vertex_count;
    }
    SN_TRY(sn_accel_create(context, positions, vertex_count, vertices, triangle_count,
                           &nearest->accel, error));
cleanup:
    for (uint32_t i = 0; triangles != NULL && i < part_count; ++i) {
        sn_triangles_destroy(triangles[i]);
    }
    sni_free(context, triangles);
    sni_free(context, positions);
    sni_free(context, vertices);
    return status;
}

void sni_nearest_bones_deinit(sni_nearest_bones *nearest) {
    sn_accel_destroy(nearest->accel);
    sni_free(nearest->context, nearest->parts);
    sni_free(nearest->context, nearest->starts);
    *nearest = (sni_nearest_bones){0};
}

// The bone, by its number here, that a triangle belongs to: the last one that starts before it.
static uint32_t owner_of(const sni_nearest_bones *nearest, uint32_t triangle) {
    uint32_t low = 0, high = nearest->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (nearest->starts[middle] <= triangle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint32_t find_most(const uint32_t *votes, uint32_t count) {
    uint32_t most = 0;
    for (uint32_t i = 1; i < count; ++i) {
        most = votes[i] > votes[most] ? i : most;
    }
    return most;
}

sn_status sni_nearest_bones_vote(const sni_nearest_bones *nearest, const sni_anatomy_build *build,
                                 const sn_mesh *mesh, sni_nearest_vote *vote, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = build->context;
    const sn_anatomy_result *results = build->report->results;
    uint32_t segment_count = build->skeleton.segment_count, voters = 0;
    uint32_t *part_votes = NULL, *segment_votes = NULL;
    double *sums = NULL; // of distances, by segment
    SNI_NEW_ZERO(context, part_votes, nearest->count);
    SNI_NEW_ZERO(context, segment_votes, segment_count);
    SNI_NEW_ZERO(context, sums, segment_count);
    uint32_t step = mesh->vertex_count / voter_count + 1;
    for (uint32_t v = 0; v < mesh->vertex_count; v += step) {
        sn_closest closest;
        sn_accel_find_closest(nearest->accel, sn_vec3_load(mesh->positions + 3 * (size_t)v),
                              INFINITY, &closest);
        uint32_t owner = owner_of(nearest, closest.triangle);
        uint32_t segment = results[nearest->parts[owner]].segment;
        part_votes[owner]++;
        segment_votes[segment]++;
        sums[segment] += closest.distance;
        voters++;
    }
    uint32_t segment = find_most(segment_votes, segment_count);
    for (uint32_t i = 0; i < nearest->count; ++i) {
        part_votes[i] = results[nearest->parts[i]].segment == segment ? part_votes[i] : 0;
    }
    *vote = (sni_nearest_vote){
        .segment = segment,
        .part = nearest->parts[find_most(part_votes, nearest->count)],
        .share = (double)segment_votes[segment] / voters,
        .distance = sums[segment] / segment_votes[segment],
    };
cleanup:
    sni_free(context, part_votes);
    sni_free(context, segment_votes);
    sni_free(context, sums);
    return status;
}
