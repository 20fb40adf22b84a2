// SPDX-License-Identifier: Apache-2.0
//
// Joining the vertices that lie close to one node. Each such group would be collapsed to a point;
// where that leaves a vertex whose triangles are not one closed fan of three or more, or turns a
// triangle over, the groups at that place are given up again. Without groups the surface is a
// closed manifold, so this comes to an end, and what stays is one too.
#include "geometry/isosurface_internal.h"

#include "base/rows.h"
#include "geometry/triangle.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// A vertex and the node it is close to.
typedef struct member {
    uint64_t node;
    uint32_t vertex;
} member;

typedef struct snapper {
    sni_isosurface *surface;
    sni_vertex_corners table; // of the surface as it was
    uint32_t member_count;
    member *members;        // by node, then by vertex
    uint32_t *groups;       // vertex_count: the first vertex of its group, itself where it has none
    sn_vec3 *points;        // vertex_count: where groups stand
    uint32_t *vertices;     // 3 triangle_count: of groups; SN_NONE in triangles without surface
    uint32_t *offsets;      // vertex_count + 1
    uint32_t *corners;      // 3 triangle_count
    atomic_uchar *given_up; // vertex_count, at the first vertex of each group
    atomic_uint given_up_count;
} snapper;

static int compare_members(const void *a, const void *b) {
    const member *left = a, *right = b;
    if (left->node != right->node) {
        return left->node < right->node ? -1 : 1;
    }
    return (left->vertex > right->vertex) - (left->vertex < right->vertex);
}

static sn_status list_members(snapper *s, const uint64_t *nodes, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = 0, vertex_count = s->surface->vertex_count;
    for (uint32_t v = 0; v < vertex_count; ++v) {
        count += nodes[v] != UINT64_MAX;
    }
    SNI_NEW(s->surface->context, s->members, count);
    for (uint32_t v = 0; v < vertex_count; ++v) {
        if (nodes[v] != UINT64_MAX) {
            s->members[s->member_count++] = (member){nodes[v], v};
        }
    }
    qsort(s->members, count, sizeof *s->members, compare_members);
cleanup:
    return status;
}

// Groups stand at the mean of their vertices. A group of one stays what it is.
static void make_groups(snapper *s) {
    const sni_isosurface *surface = s->surface;
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        s->groups[v] = v;
        s->points[v] = surface->points[v];
    }
    for (uint32_t begin = 0, end; begin < s->member_count; begin = end) {
        uint32_t first = s->members[begin].vertex;
        for (end = begin;
             end < s->member_count && s->members[end].node == s->members[begin].node;) {
            ++end;
        }
        if (atomic_load_explicit(&s->given_up[first], memory_order_relaxed)) {
            continue;
        }
        sn_vec3 sum = {0, 0, 0};
        for (uint32_t i = begin; i < end; ++i) {
            s->groups[s->members[i].vertex] = first;
            sum = sn_vec3_add(sum, surface->points[s->members[i].vertex]);
        }
        s->points[first] = sn_vec3_scale(sum, 1.0 / (end - begin));
    }
}

// Maps the triangles to groups and lists the corners at each.
static void map_triangles(snapper *s) {
    const sni_isosurface *surface = s->surface;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        uint32_t *v = s->vertices + 3 * (size_t)t;
        for (int i = 0; i < 3; ++i) {
            v[i] = s->groups[surface->vertices[3 * (size_t)t + i]];
        }
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
            v[0] = v[1] = v[2] = SN_NONE;
        }
    }
    sni_rows_from_keys(s->vertices, 3 * surface->triangle_count, 1, surface->vertex_count,
                       s->offsets, s->corners);
}

// ---------------------------------------------------------------------------------------------
// Looking for damage

static void give_up(snapper *s, uint32_t first) {
    if (!atomic_exchange(&s->given_up[first], 1)) {
        atomic_fetch_add(&s->given_up_count, 1);
    }
}

// The next vertices of a corner's triangle.
static uint32_t after(const snapper *s, uint32_t corner) {
    return s->vertices[sni_next_corner(corner)];
}

static uint32_t before(const snapper *s, uint32_t corner) {
    return s->vertices[sni_next_corner(sni_next_corner(corner))];
}

// Whether the triangles at a vertex follow each other round it, each once.
static bool is_one_fan(const snapper *s, uint32_t v) {
    const uint32_t *corners = s->corners + s->offsets[v];
    uint32_t count = s->offsets[v + 1] - s->offsets[v], steps = 0;
    uint32_t start = after(s, corners[0]), at = start;
    do {
        uint32_t next = SN_NONE;
        for (uint32_t i = 0; i < count; ++i) {
            if (after(s, corners[i]) == at) {
                if (next != SN_NONE) {
                    return false;
                }
                next = before(s, corners[i]);
            }
        }
        if (next == SN_NONE) {
            return false;
        }
        at = next;
        ++steps;
    } while (at != start && steps <= count);
    return at == start && steps == count && count >= 3;
}

// Whether a triangle at the vertex looks the other way than it did.
static bool turns_over(const snapper *s, uint32_t v) {
    for (uint32_t i = s->offsets[v]; i < s->offsets[v + 1]; ++i) {
        size_t t = 3 * (size_t)(s->corners[i] / 3);
        const uint32_t *now = s->vertices + t, *then = s->surface->vertices + t;
        sn_vec3 normals[2];
        for (int k = 0; k < 2; ++k) {
            const uint32_t *c = k == 0 ? then : now;
            const sn_vec3 *p = k == 0 ? s->surface->points : s->points;
            normals[k] = sni_triangle_vector(p[c[0]], p[c[1]], p[c[2]]);
        }
        if (sn_vec3_dot(normals[0], normals[1]) < 0) {
            return true;
        }
    }
    return false;
}

static void check_vertices(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    snapper *s = user;
    for (uint32_t v = begin; v < end; ++v) {
        if (s->groups[v] != v ||
            (s->offsets[v] < s->offsets[v + 1] && is_one_fan(s, v) && !turns_over(s, v))) {
            continue;
        }
        give_up(s, v);
        for (uint32_t i = s->table.offsets[v]; i < s->table.offsets[v + 1]; ++i) {
            uint32_t next = sni_next_corner(s->table.corners[i]);
            give_up(s, s->groups[s->surface->vertices[next]]);
        }
    }
}

// ---------------------------------------------------------------------------------------------

static void write_back(snapper *s) {
    sni_isosurface *surface = s->surface;
    uint32_t vertex_count = 0, triangle_count = 0;
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        if (s->groups[v] == v) {
            surface->points[vertex_count] = s->points[v];
            s->groups[v] = vertex_count++;
        } else {
            s->groups[v] = SN_NONE;
        }
    }
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        const uint32_t *v = s->vertices + 3 * (size_t)t;
        if (v[0] != SN_NONE) {
            const uint32_t corners[3] = {s->groups[v[0]], s->groups[v[1]], s->groups[v[2]]};
            memcpy(surface->vertices + 3 * (size_t)triangle_count++, corners, sizeof corners);
        }
    }
    surface->vertex_count = vertex_count;
    surface->triangle_count = triangle_count;
}

sn_status sni_isosurface_snap(sni_isosurface *surface, const uint64_t *nodes, sn_error *error) {
    SN_ASSERT(surface->vertex_count == 0 || nodes != NULL);
    enum { GRAIN = 1024 };
    sn_status status = SN_OK;
    sn_context *context = surface->context;
    snapper s = {.surface = surface};
    uint32_t before_round;
    SN_TRY(list_members(&s, nodes, error));
    SN_TRY(sni_vertex_corners_init(surface, &s.table, error));
    SNI_NEW(context, s.groups, surface->vertex_count);
    SNI_NEW(context, s.points, surface->vertex_count);
    SNI_NEW(context, s.vertices, 3 * (size_t)surface->triangle_count);
    SNI_NEW(context, s.offsets, (size_t)surface->vertex_count + 1);
    SNI_NEW(context, s.corners, 3 * (size_t)surface->triangle_count);
    SNI_NEW_ZERO(context, s.given_up, surface->vertex_count);
    do {
        before_round = atomic_load(&s.given_up_count);
        make_groups(&s);
        map_triangles(&s);
        sn_parallel_for(context, surface->vertex_count, GRAIN, check_vertices, &s);
    } while (atomic_load(&s.given_up_count) != before_round);
    write_back(&s);
cleanup:
    sni_vertex_corners_deinit(context, &s.table);
    sni_free(context, s.members);
    sni_free(context, s.groups);
    sni_free(context, s.points);
    sni_free(context, s.vertices);
    sni_free(context, s.offsets);
    sni_free(context, s.corners);
    sni_free(context, s.given_up);
    return status;
}
