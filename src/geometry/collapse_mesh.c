// SPDX-License-Identifier: Apache-2.0
//
// The rules of a collapse: the link condition (Dey, Edelsbrunner, Guha and Nekhayev, Topology
// Preserving Edge Contraction, 1999) in its form for surfaces, and limits on the shape of the
// triangles that remain (Garland and Heckbert 1997, section 4.3).
#include "geometry/collapse_mesh.h"

// A triangle may not turn by more than the angle of this cosine in one collapse.
static const double min_turn_cosine = 0.2;

// A triangle may not fall below this part of the mean area.
static const double min_area = 1e-12;

static bool has_three_vertices(const uint32_t *triangle) {
    return triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0];
}

static void link_corners(sni_collapse_mesh *mesh, const uint32_t *vertices) {
    // From the last to the first, so that the lists rise.
    for (uint32_t t = mesh->triangle_count; t-- > 0;) {
        bool lives = has_three_vertices(vertices + 3 * (size_t)t);
        mesh->live_triangles += lives;
        for (uint32_t c = 3 * t + 3; c-- > 3 * t;) {
            uint32_t vertex = vertices[c];
            mesh->corners[c] = lives ? vertex : SN_NONE;
            mesh->next[c] = SN_NONE;
            if (lives) {
                mesh->next[c] = mesh->first[vertex];
                mesh->first[vertex] = c;
                mesh->live_vertices += mesh->valences[vertex]++ == 0;
            }
        }
    }
}

sn_status sni_collapse_mesh_init(sn_context *context, uint32_t vertex_count,
                                 const uint32_t *vertices, uint32_t triangle_count,
                                 sni_collapse_mesh *mesh, sn_error *error) {
    SN_ASSERT(triangle_count == 0 || vertices != NULL);
    sn_status status = SN_OK;
    *mesh = (sni_collapse_mesh){
        .context = context, .vertex_count = vertex_count, .triangle_count = triangle_count};
    SNI_NEW(context, mesh->points, vertex_count);
    SNI_NEW(context, mesh->parents, vertex_count);
    SNI_NEW_ZERO(context, mesh->flags, vertex_count);
    SNI_NEW(context, mesh->first, vertex_count);
    SNI_NEW_ZERO(context, mesh->valences, vertex_count);
    SNI_NEW(context, mesh->next, 3 * (size_t)triangle_count);
    SNI_NEW(context, mesh->corners, 3 * (size_t)triangle_count);
    SNI_NEW_ZERO(context, mesh->marks, vertex_count);
    for (uint32_t v = 0; v < vertex_count; ++v) {
        mesh->parents[v] = v;
        mesh->first[v] = SN_NONE;
    }
    link_corners(mesh, vertices);
    return SN_OK;
cleanup:
    sni_collapse_mesh_deinit(mesh);
    return status;
}

void sni_collapse_mesh_deinit(sni_collapse_mesh *mesh) {
    sn_context *context = mesh->context;
    sni_free(context, mesh->points);
    sni_free(context, mesh->parents);
    sni_free(context, mesh->flags);
    sni_free(context, mesh->first);
    sni_free(context, mesh->valences);
    sni_free(context, mesh->next);
    sni_free(context, mesh->corners);
    sni_free(context, mesh->marks);
    *mesh = (sni_collapse_mesh){0};
}

static void add_to_ring(sni_collapse_mesh *mesh, uint32_t vertex, sni_collapse_ring *ring) {
    if (mesh->marks[vertex] != mesh->mark) {
        mesh->marks[vertex] = mesh->mark;
        ring->vertices[ring->count++] = vertex;
    }
}

void sni_collapse_mesh_ring(sni_collapse_mesh *mesh, uint32_t vertex, sni_collapse_ring *ring) {
    SN_ASSERT(vertex < mesh->vertex_count);
    SN_ASSERT(mesh->valences[vertex] <= SNI_COLLAPSE_VALENCE_LIMIT);
    mesh->mark += 1;
    ring->count = 0;
    uint32_t corner;
    for (uint32_t *link = &mesh->first[vertex];
         (corner = sni_collapse_corner(mesh, link)) != SN_NONE; link = &mesh->next[corner]) {
        add_to_ring(mesh, mesh->corners[sni_corner_after(corner)], ring);
        add_to_ring(mesh, mesh->corners[sni_corner_before(corner)], ring);
    }
}

// The triangles at an edge and how its ends are joined.
typedef struct edge_link {
    uint32_t triangles;
    uint32_t apexes[2];
    uint32_t common; // different vertices adjacent to both ends
} edge_link;

static void mark_ring(sni_collapse_mesh *mesh, uint32_t vertex) {
    mesh->mark += 2; // the mark itself says adjacent, the one above it counted
    uint32_t corner;
    for (uint32_t *link = &mesh->first[vertex];
         (corner = sni_collapse_corner(mesh, link)) != SN_NONE; link = &mesh->next[corner]) {
        mesh->marks[mesh->corners[sni_corner_after(corner)]] = mesh->mark;
        mesh->marks[mesh->corners[sni_corner_before(corner)]] = mesh->mark;
    }
}

static void count_common(sni_collapse_mesh *mesh, uint32_t vertex, edge_link *result) {
    if (mesh->marks[vertex] == mesh->mark) {
        mesh->marks[vertex] = mesh->mark + 1;
        result->common += 1;
    }
}

static edge_link find_link(sni_collapse_mesh *mesh, uint32_t kept, uint32_t gone) {
    edge_link result = {0};
    mark_ring(mesh, kept);
    uint32_t corner;
    for (uint32_t *link = &mesh->first[gone]; (corner = sni_collapse_corner(mesh, link)) != SN_NONE;
         link = &mesh->next[corner]) {
        uint32_t a = mesh->corners[sni_corner_after(corner)];
        uint32_t b = mesh->corners[sni_corner_before(corner)];
        count_common(mesh, a, &result);
        count_common(mesh, b, &result);
        if (a == kept || b == kept) {
            if (result.triangles < 2) {
                result.apexes[result.triangles] = a == kept ? b : a;
            }
            result.triangles += 1;
        }
    }
    mesh->mark += 1;
    return result;
}

static bool link_allows(const sni_collapse_mesh *mesh, uint32_t kept, uint32_t gone,
                        const edge_link *link) {
    if ((link->triangles != 1 && link->triangles != 2) || link->common != link->triangles) {
        return false;
    }
    // An edge inside between two border vertices would pinch the surface.
    uint8_t both = mesh->flags[kept] & mesh->flags[gone];
    return (both & SNI_COLLAPSE_BORDER) == 0 || link->triangles == 1;
}

typedef struct shape {
    sn_vec3 normal; // its length is twice the area
    double area;
    double quality; // 4 sqrt(3) area / (a^2 + b^2 + c^2)
} shape;

static shape shape_of(sn_vec3 p, sn_vec3 q, sn_vec3 r) {
    sn_vec3 a = sn_vec3_sub(q, p), b = sn_vec3_sub(r, q), c = sn_vec3_sub(p, r);
    shape result = {.normal = sn_vec3_cross(a, b)};
    result.area = sn_vec3_length(result.normal) / 2;
    double squares = sn_vec3_dot(a, a) + sn_vec3_dot(b, b) + sn_vec3_dot(c, c);
    result.quality = squares > 0 ? 4 * 1.7320508075688772 * result.area / squares : 0;
    return result;
}

static bool shape_allows(const sni_collapse_mesh *mesh, const shape *before, const shape *after) {
    // Where there was no area there was no direction either.
    double lengths = 4 * before->area * after->area;
    if (before->area > 0 &&
        !(sn_vec3_dot(before->normal, after->normal) > min_turn_cosine * lengths)) {
        return false;
    }
    if (after->area <= min_area * mesh->mean_area && after->area < before->area) {
        return false;
    }
    return after->quality > mesh->min_quality || after->quality >= before->quality;
}

// What stays of the triangles of one end.
typedef struct remains {
    bool has_apex[2];  // one of them has this apex of the edge
    bool spans_apexes; // one of them has both
} remains;

static bool remains_allow(sni_collapse_mesh *mesh, uint32_t vertex, uint32_t other, sn_vec3 point,
                          const edge_link *edge, remains *result) {
    *result = (remains){0};
    uint32_t corner;
    for (uint32_t *link = &mesh->first[vertex];
         (corner = sni_collapse_corner(mesh, link)) != SN_NONE; link = &mesh->next[corner]) {
        uint32_t a = mesh->corners[sni_corner_after(corner)];
        uint32_t b = mesh->corners[sni_corner_before(corner)];
        if (a == other || b == other) {
            continue;
        }
        bool has_first = a == edge->apexes[0] || b == edge->apexes[0];
        bool has_second = a == edge->apexes[1] || b == edge->apexes[1];
        result->has_apex[0] |= has_first;
        result->has_apex[1] |= has_second;
        result->spans_apexes |= has_first && has_second;
        sn_vec3 p = mesh->points[a], q = mesh->points[b];
        shape before = shape_of(mesh->points[vertex], p, q);
        shape after = shape_of(point, p, q);
        if (!shape_allows(mesh, &before, &after)) {
            return false;
        }
    }
    return true;
}

bool sni_collapse_is_legal(sni_collapse_mesh *mesh, uint32_t kept, uint32_t gone, sn_vec3 point) {
    if (mesh->valences[kept] + mesh->valences[gone] > SNI_COLLAPSE_VALENCE_LIMIT) {
        return false;
    }
    edge_link link = find_link(mesh, kept, gone);
    if (!link_allows(mesh, kept, gone, &link)) {
        return false;
    }
    remains of_kept, of_gone;
    if (!remains_allow(mesh, kept, gone, point, &link, &of_kept) ||
        !remains_allow(mesh, gone, kept, point, &link, &of_gone)) {
        return false;
    }
    // The edges to an apex become one edge, which must have a triangle left, or a lone triangle,
    // also one that hangs on others by its corners, would vanish.
    for (uint32_t i = 0; i < link.triangles; ++i) {
        if (!of_kept.has_apex[i] && !of_gone.has_apex[i]) {
            return false;
        }
    }
    // A tetrahedron would fall flat.
    return link.triangles == 1 || !(of_kept.spans_apexes && of_gone.spans_apexes);
}

static void kill_triangle(sni_collapse_mesh *mesh, uint32_t triangle) {
    for (uint32_t c = 3 * triangle; c < 3 * triangle + 3; ++c) {
        mesh->valences[mesh->corners[c]] -= 1;
        mesh->corners[c] = SN_NONE;
    }
    mesh->live_triangles -= 1;
}

void sni_collapse_edge(sni_collapse_mesh *mesh, uint32_t kept, uint32_t gone, sn_vec3 point) {
    SN_ASSERT(kept != gone);
    SN_ASSERT(kept < mesh->vertex_count && gone < mesh->vertex_count);
    SN_ASSERT(mesh->parents[kept] == kept && mesh->parents[gone] == gone);
    uint32_t corner, *link = &mesh->first[gone];
    while ((corner = sni_collapse_corner(mesh, link)) != SN_NONE) {
        if (mesh->corners[sni_corner_after(corner)] == kept ||
            mesh->corners[sni_corner_before(corner)] == kept) {
            kill_triangle(mesh, corner / 3);
            continue;
        }
        mesh->corners[corner] = kept;
        mesh->valences[kept] += 1;
        link = &mesh->next[corner];
    }
    // The list of the vertex that stays goes behind the other one.
    *link = mesh->first[kept];
    mesh->first[kept] = mesh->first[gone];
    mesh->first[gone] = SN_NONE;
    mesh->valences[gone] = 0;
    mesh->parents[gone] = kept;
    mesh->flags[kept] |= mesh->flags[gone] & SNI_COLLAPSE_BORDER;
    mesh->points[kept] = point;
    mesh->live_vertices -= 1;
}
