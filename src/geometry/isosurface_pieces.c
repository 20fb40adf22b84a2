// SPDX-License-Identifier: Apache-2.0
//
// The connected pieces of a surface, their volumes, and the largest alone.
#include "geometry/isosurface_internal.h"

#include "base/groups.h"

#include <stdlib.h>
#include <string.h>

// Joins the corners of triangles, then numbers the pieces by their lowest vertex.
static uint32_t find_pieces(const sni_isosurface *s, uint32_t *pieces) {
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        pieces[v] = v;
    }
    for (size_t c = 0; c < 3 * (size_t)s->triangle_count; ++c) {
        sni_group_join(pieces, s->vertices[c], s->vertices[c % 3 == 2 ? c - 2 : c + 1]);
    }
    uint32_t count = 0;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        // A parent below v holds its piece's number already.
        pieces[v] = pieces[v] == v ? count++ : pieces[pieces[v]];
    }
    return count;
}

// A sixth of the sum of determinants over each piece's triangles, seen from a point of the surface.
static void add_volumes(const sni_isosurface *s, const uint32_t *pieces, double *volumes) {
    sn_vec3 origin = s->points[0];
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *v = s->vertices + 3 * (size_t)t;
        sn_vec3 a = sn_vec3_sub(s->points[v[0]], origin), b = sn_vec3_sub(s->points[v[1]], origin);
        sn_vec3 c = sn_vec3_sub(s->points[v[2]], origin);
        volumes[pieces[v[0]]] += sn_vec3_dot(a, sn_vec3_cross(b, c)) / 6;
    }
}

// Drops all vertices and triangles of other pieces; `pieces` becomes the map of vertices.
static void keep_piece(sni_isosurface *s, uint32_t *pieces, uint32_t kept) {
    uint32_t vertex_count = 0, triangle_count = 0;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        bool stays = pieces[v] == kept;
        pieces[v] = stays ? vertex_count : SN_NONE;
        if (stays) {
            s->points[vertex_count++] = s->points[v];
        }
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *v = s->vertices + 3 * (size_t)t;
        if (pieces[v[0]] != SN_NONE) {
            const uint32_t corners[3] = {pieces[v[0]], pieces[v[1]], pieces[v[2]]};
            memcpy(s->vertices + 3 * (size_t)triangle_count++, corners, sizeof corners);
        }
    }
    s->vertex_count = vertex_count;
    s->triangle_count = triangle_count;
}

static int compare_falling(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left < right) - (left > right);
}

sn_status sni_isosurface_sort_pieces(sni_isosurface *surface, bool keep_largest, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = surface->context;
    uint32_t *pieces = NULL, largest = 0;
    SNI_NEW(context, pieces, surface->vertex_count);
    surface->piece_count = find_pieces(surface, pieces);
    SNI_NEW_ZERO(context, surface->piece_volumes, surface->piece_count);
    add_volumes(surface, pieces, surface->piece_volumes);
    for (uint32_t i = 1; i < surface->piece_count; ++i) {
        largest = surface->piece_volumes[i] > surface->piece_volumes[largest] ? i : largest;
    }
    if (keep_largest && surface->piece_count > 1) {
        keep_piece(surface, pieces, largest);
    }
    qsort(surface->piece_volumes, surface->piece_count, sizeof *surface->piece_volumes,
          compare_falling);
cleanup:
    sni_free(context, pieces);
    return status;
}
