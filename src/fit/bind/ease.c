// SPDX-License-Identifier: Apache-2.0
//
// Joint after joint, those at the tips first. What follows a joint is the sum f of the weights of
// all bones that hang on it. Where f grows, its bone takes from the bones above it, nearest first;
// where it shrinks, it gives to the next one. So weights stay between 0 and 1 with the same sum, if
// f lies between the sum of what follows the joints below and 1 less what follows other branches.
#include "fit/bind/ease.h"

#include "base/rows.h"
#include "fit/bind/bridges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Vertices that follow a joint less than this, or all but this, go with one side of it.
static const double certain = 1e-3;

// From this part of a limb on, vertices follow no less than before.
static const double held_from = 0.5;

// A volume is at least this part of what the surface could hold, A^(3/2), as that of a human is:
// open surfaces may enclose none.
static const double least_volume = 0.02;

typedef struct ease {
    sni_parts *parts;
    uint32_t vertex_count;
    uint32_t *order;    // segments, tips first
    uint32_t *offsets;  // vertex_count + 1: triangles of each vertex
    uint32_t *members;  // 3 x triangle_count
    uint32_t *corners;  // 3 x triangle_count: vertices
    uint32_t *partners; // vertex_count: the nearest vertex of another part, SN_NONE
    uint32_t *local;    // vertex_count: number about the joint, SN_NONE: none
    uint8_t *seen;      // triangle_count
    uint8_t *is_below;  // segment_count: whether a segment hangs on the joint, or is it
    uint64_t *keys;     // of the edges about the joint
    uint32_t *vertices; // about the joint
    uint32_t *triangles, *edges;
    sn_vec3 *arms;
    double *areas, *least, *most, *follow;
    uint8_t *is_free;
    sni_joint_skin skin;
} ease;

static sn_vec3 point_of(const ease *e, uint32_t vertex) {
    return e->parts->volume->points[e->parts->volume->inner_count + vertex];
}

static sni_influence *row_of(const ease *e, uint32_t vertex) {
    return e->parts->rows + (size_t)vertex * e->parts->width;
}

// ---------------------------------------------------------------------------------------------
// Weights of one vertex

static double follow_of(const ease *e, uint32_t vertex) {
    const sni_influence *row = row_of(e, vertex);
    double sum = 0;
    for (uint32_t i = 0; i < e->parts->width && row[i].limb != SN_NONE; ++i) {
        sum += e->is_below[row[i].limb] ? row[i].weight : 0;
    }
    return sum;
}

static double weight_of(const ease *e, uint32_t vertex, uint32_t limb) {
    const sni_influence *row = row_of(e, vertex);
    for (uint32_t i = 0; i < e->parts->width && row[i].limb != SN_NONE; ++i) {
        if (row[i].limb == limb) {
            return row[i].weight;
        }
    }
    return 0;
}

static double weight_above(const ease *e, uint32_t vertex, uint32_t limb) {
    double sum = 0;
    for (uint32_t a = e->parts->limbs->parents[limb]; a != SN_NONE;
         a = e->parts->limbs->parents[a]) {
        sum += weight_of(e, vertex, a);
    }
    return sum;
}

// The next limb above that moves anything, SN_NONE: none.
static uint32_t used_above(const sni_parts *p, uint32_t limb) {
    uint32_t above = p->limbs->parents[limb];
    while (above != SN_NONE && !p->inside->used[above]) {
        above = p->limbs->parents[above];
    }
    return above;
}

// Adds to the weight of a limb; returns what could be added, which is nothing where a row has no
// place for another limb.
static double add_weight(const ease *e, uint32_t vertex, uint32_t limb, double change) {
    sni_influence *row = row_of(e, vertex);
    uint32_t i = 0;
    while (i < e->parts->width && row[i].limb != limb && row[i].limb != SN_NONE) {
        ++i;
    }
    if (i == e->parts->width) {
        return 0;
    }
    double old = row[i].limb == limb ? row[i].weight : 0;
    row[i] = (sni_influence){limb, fmax(old + change, 0)};
    return row[i].weight - old;
}

static void set_follow(const ease *e, uint32_t vertex, uint32_t limb, double change) {
    if (change < 0) {
        uint32_t above = used_above(e->parts, limb);
        double given = add_weight(e, vertex, above, -change);
        add_weight(e, vertex, limb, -given);
        return;
    }
    double taken = add_weight(e, vertex, limb, change);
    for (uint32_t a = used_above(e->parts, limb); a != SN_NONE && taken > 0;
         a = used_above(e->parts, a)) {
        double own = weight_of(e, vertex, a), part = fmin(own, taken);
        if (own > 0) {
            add_weight(e, vertex, a, -part);
            taken -= part;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// The skin about a joint

static uint32_t take_vertex(ease *e, uint32_t vertex) {
    if (e->local[vertex] == SN_NONE) {
        e->local[vertex] = e->skin.vertex_count;
        e->vertices[e->skin.vertex_count++] = vertex;
    }
    return e->local[vertex];
}

// The vertices that the joint parts, and those beside them. Returns how many may change.
static uint32_t take_vertices(ease *e) {
    for (uint32_t v = 0; v < e->vertex_count; ++v) {
        double follow = follow_of(e, v);
        if (follow > certain && follow < 1 - certain) {
            take_vertex(e, v);
        }
    }
    uint32_t parted = e->skin.vertex_count;
    for (uint32_t i = 0; i < parted; ++i) {
        uint32_t v = e->vertices[i];
        for (uint32_t k = e->offsets[v]; k < e->offsets[v + 1]; ++k) {
            for (uint32_t c = 0; c < 3; ++c) {
                take_vertex(e, e->corners[3 * (size_t)e->members[k] + c]);
            }
        }
    }
    return parted < 3 ? 0 : e->skin.vertex_count;
}

static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// The triangles about vertices that may change, and their edges.
static void take_triangles(ease *e, uint32_t free_count) {
    size_t key_count = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < free_count; ++i) {
        uint32_t v = e->vertices[i];
        for (uint32_t k = e->offsets[v]; k < e->offsets[v + 1]; ++k) {
            uint32_t t = e->members[k], *to = e->triangles + 3 * (size_t)count;
            if (e->seen[t]) {
                continue;
            }
            e->seen[t] = 1;
            for (uint32_t c = 0; c < 3; ++c) {
                to[c] = take_vertex(e, e->corners[3 * (size_t)t + c]);
            }
            for (uint32_t c = 0; c < 3; ++c) {
                uint64_t a = to[c], b = to[(c + 1) % 3];
                e->keys[key_count++] = a < b ? a << 32 | b : b << 32 | a;
            }
            ++count;
        }
    }
    qsort(e->keys, key_count, sizeof *e->keys, compare_keys);
    for (size_t i = 0; i < key_count; ++i) {
        uint32_t a = (uint32_t)(e->keys[i] >> 32), b = (uint32_t)e->keys[i];
        sn_vec3 p = point_of(e, e->vertices[a]), q = point_of(e, e->vertices[b]);
        bool again = i > 0 && e->keys[i] == e->keys[i - 1];
        if (!again && (a < free_count || b < free_count) && sn_vec3_distance(p, q) > 0) {
            uint32_t *to = e->edges + 2 * (size_t)e->skin.edge_count++;
            to[0] = a;
            to[1] = b;
        }
    }
    e->skin.triangle_count = count;
}

static void take_bridges(ease *e, uint32_t free_count) {
    for (uint32_t i = 0; i < free_count; ++i) {
        uint32_t v = e->vertices[i], partner = e->partners[v];
        // Where each is the other's partner, once.
        bool again = partner != SN_NONE && e->partners[partner] == v && partner < v &&
                     e->local[partner] < free_count;
        if (partner != SN_NONE && !again) {
            uint32_t *to = e->edges + 2 * ((size_t)e->skin.edge_count + e->skin.bridge_count++);
            to[0] = i;
            to[1] = take_vertex(e, partner);
        }
    }
}

// How far a point is from one end of a limb, 0 to 1: on the nearest of its lines from its joint, or
// back from the end of its lines that is `joint`.
static double part_along(const sni_parts *p, uint32_t limb, const sn_vec3 *joint, sn_vec3 point) {
    double nearest = INFINITY, along = 0;
    for (uint32_t i = p->first_lines[limb]; i < p->first_lines[limb + 1]; ++i) {
        sni_limb_place place = sni_limb_line_place(p->limbs, i, point);
        bool counts = joint == NULL || sn_vec3_distance(p->limbs->lines[i].to, *joint) == 0;
        if (counts && place.distance < nearest) {
            nearest = place.distance;
            along = joint == NULL ? place.along : 1 - place.along;
        }
    }
    return along;
}

// Least and most that a vertex may follow. Without more than what other limbs leave, the skin would
// be stretched least if nothing followed: the far half of a limb follows it no less than before,
// and the far half of the limb above no more. From the joint to the middle this begins linearly.
static void set_bounds(ease *e, uint32_t limb, sn_vec3 joint, uint32_t i) {
    const sni_parts *p = e->parts;
    const uint32_t v = e->vertices[i], above = used_above(p, limb);
    double own = weight_of(e, v, limb), free = weight_above(e, v, limb), follow = e->follow[i];
    double below = fmin(part_along(p, limb, NULL, point_of(e, v)) / held_from, 1);
    double behind = fmin(part_along(p, above, &joint, point_of(e, v)) / held_from, 1);
    e->least[i] = fmin(fmax(follow - own, below * follow), follow);
    e->most[i] = fmax(fmin(follow + free, 1 - behind * (1 - follow)), follow);
}

static void measure_skin(ease *e, uint32_t limb, uint32_t free_count) {
    const double *m = e->parts->limbs->frames[limb].m;
    sn_vec3 joint = sn_vec3_make(m[12], m[13], m[14]);
    for (uint32_t i = 0; i < e->skin.vertex_count; ++i) {
        uint32_t v = e->vertices[i];
        e->arms[i] = sn_vec3_sub(point_of(e, v), joint);
        e->areas[i] = 0;
        e->follow[i] = follow_of(e, v);
        e->is_free[i] = i < free_count;
        set_bounds(e, limb, joint, i);
    }
    for (uint32_t t = 0; t < e->skin.triangle_count; ++t) {
        const uint32_t *c = e->triangles + 3 * (size_t)t;
        sn_vec3 a = sn_vec3_sub(e->arms[c[1]], e->arms[c[0]]);
        sn_vec3 b = sn_vec3_sub(e->arms[c[2]], e->arms[c[0]]);
        double third = sn_vec3_length(sn_vec3_cross(a, b)) / 6;
        for (int k = 0; k < 3; ++k) {
            e->areas[c[k]] += third;
        }
    }
}

// Forgets the skin about a joint.
static void clear(ease *e) {
    for (uint32_t i = 0; i < e->skin.vertex_count; ++i) {
        uint32_t v = e->vertices[i];
        e->local[v] = SN_NONE;
        for (uint32_t k = e->offsets[v]; k < e->offsets[v + 1]; ++k) {
            e->seen[e->members[k]] = 0;
        }
    }
    e->skin.vertex_count = e->skin.triangle_count = 0;
    e->skin.edge_count = e->skin.bridge_count = 0;
}

static void mark_below(ease *e, uint32_t limb) {
    const sni_limbs *limbs = e->parts->limbs;
    for (uint32_t s = 0; s < limbs->segment_count; ++s) {
        e->is_below[s] = sni_limb_hangs_on(limbs, s, limb);
    }
}

static sn_status ease_limb(ease *e, uint32_t limb, sn_error *error) {
    sn_status status = SN_OK;
    mark_below(e, limb);
    uint32_t free_count = take_vertices(e);
    if (free_count > 0) {
        take_triangles(e, free_count);
        take_bridges(e, free_count);
        measure_skin(e, limb, free_count);
    }
    double area = 0;
    for (uint32_t i = 0; i < e->skin.vertex_count && free_count > 0; ++i) {
        area += e->areas[i];
    }
    if (e->skin.edge_count > 0 && area > 0) {
        SN_TRY(sni_ease_joint(&e->skin, error));
        for (uint32_t i = 0; i < free_count; ++i) {
            double change = e->follow[i] - follow_of(e, e->vertices[i]);
            if (change != 0) {
                set_follow(e, e->vertices[i], limb, change);
            }
        }
    }
cleanup:
    clear(e);
    return status;
}

// ---------------------------------------------------------------------------------------------
// All joints

static uint32_t depth_of(const sni_limbs *limbs, uint32_t limb) {
    uint32_t depth = 0;
    for (uint32_t a = limbs->parents[limb]; a != SN_NONE; a = limbs->parents[a]) {
        ++depth;
    }
    return depth;
}

// Segments by falling depth, then by number.
static void sort_limbs(const ease *e) {
    const sni_limbs *limbs = e->parts->limbs;
    uint32_t count = 0;
    for (uint32_t depth = limbs->segment_count; depth-- > 0;) {
        for (uint32_t s = 0; s < limbs->segment_count; ++s) {
            if (depth_of(limbs, s) == depth) {
                e->order[count++] = s;
            }
        }
    }
}

static void list_triangles(const ease *e, uint32_t triangle_count) {
    const sni_volume *v = e->parts->volume;
    for (size_t i = 0; i < 3 * (size_t)triangle_count; ++i) {
        e->corners[i] = v->vertex_nodes[v->vertices[i]] - v->inner_count;
    }
    sni_rows_from_keys(e->corners, triangle_count, 3, e->vertex_count, e->offsets, e->members);
}

// Lengths of all edges, each of them of two triangles mostly, and the volume.
static void measure_body(ease *e, uint32_t triangle_count) {
    double length = 0, area = 0, volume = 0;
    for (uint32_t t = 0; t < triangle_count; ++t) {
        const uint32_t *c = e->corners + 3 * (size_t)t;
        sn_vec3 p = point_of(e, c[0]), q = point_of(e, c[1]), r = point_of(e, c[2]);
        length += 0.5 * (sn_vec3_distance(p, q) + sn_vec3_distance(q, r) + sn_vec3_distance(r, p));
        area += 0.5 * sn_vec3_length(sn_vec3_cross(sn_vec3_sub(q, p), sn_vec3_sub(r, p)));
        volume += sn_vec3_dot(p, sn_vec3_cross(q, r)) / 6;
    }
    e->skin.body_edges = length;
    e->skin.body_volume = fmax(fabs(volume), least_volume * pow(area, 1.5));
}

static sn_status ease_init(ease *e, uint32_t triangle_count, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = e->parts->volume->context;
    size_t vertices = e->vertex_count, corners = 3 * (size_t)triangle_count;
    size_t segments = e->parts->limbs->segment_count;
    SNI_NEW(context, e->order, segments);
    SNI_NEW(context, e->offsets, vertices + 1);
    SNI_NEW(context, e->members, corners);
    SNI_NEW(context, e->corners, corners);
    SNI_NEW(context, e->partners, vertices);
    SNI_NEW(context, e->local, vertices);
    SNI_NEW_ZERO(context, e->seen, triangle_count);
    SNI_NEW(context, e->is_below, segments);
    SNI_NEW(context, e->keys, corners);
    SNI_NEW(context, e->vertices, vertices);
    SNI_NEW(context, e->triangles, corners);
    SNI_NEW(context, e->edges, 2 * (corners + vertices)); // and bridges
    SNI_NEW(context, e->arms, vertices);
    SNI_NEW(context, e->areas, vertices);
    SNI_NEW(context, e->least, vertices);
    SNI_NEW(context, e->most, vertices);
    SNI_NEW(context, e->follow, vertices);
    SNI_NEW(context, e->is_free, vertices);
    memset(e->local, 0xff, vertices * sizeof *e->local);
    sort_limbs(e);
    list_triangles(e, triangle_count);
    SN_TRY(sni_bridges_find(e->parts->volume, e->partners, error));
    e->skin = (sni_joint_skin){.context = context,
                               .arms = e->arms,
                               .areas = e->areas,
                               .edges = e->edges,
                               .triangles = e->triangles,
                               .is_free = e->is_free,
                               .least = e->least,
                               .most = e->most,
                               .follow = e->follow};
    measure_body(e, triangle_count);
cleanup:
    return status;
}

static void ease_deinit(ease *e) {
    void *arrays[] = {e->order, e->offsets,  e->members, e->corners,  e->local,     e->partners,
                      e->seen,  e->is_below, e->keys,    e->vertices, e->triangles, e->edges,
                      e->arms,  e->areas,    e->least,   e->most,     e->follow,    e->is_free};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sni_free(e->parts->volume->context, arrays[i]);
    }
}

sn_status sni_ease_weights(sni_parts *parts, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    const sni_volume *v = parts->volume;
    const uint32_t count = parts->limbs->segment_count;
    ease e = {.parts = parts, .vertex_count = v->node_count - v->inner_count};
    SN_TRY(ease_init(&e, v->skin->triangle_count, error));
    for (uint32_t i = 0; i < count && e.skin.body_edges > 0; ++i) {
        SN_TRY(sni_progress(progress, "easing", (double)i / count, error));
        if (parts->inside->used[e.order[i]] && used_above(parts, e.order[i]) != SN_NONE) {
            SN_TRY(ease_limb(&e, e.order[i], error));
        }
    }
    SN_TRY(sni_progress(progress, "easing", 1, error));
cleanup:
    ease_deinit(&e);
    return status;
}
