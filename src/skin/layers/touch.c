// SPDX-License-Identifier: Apache-2.0
#include "skin/layers/touch.h"

#include "base/context.h"
#include "base/groups.h"
#include "geometry/triangle.h"

#include <math.h>
#include <string.h>

// How deep a column is found in other skin: so many thicknesses of its flesh.
static const double reach_depths = 3.5;
// Kept from the plane where nothing was near at rest, as a part of an edge, and no more than that,
// metres.
static const double margin_share = 0.05, most_margin = 5e-5;
// How far a column is moved onto its plane after the rounds, in each of several, in edges.
static const double settled_edges = 0.3;
// Rounds end when no column is pushed farther, metres.
static const double settled = 2e-5;
// How far in front of its own plane a column may be pushed by those of its neighbours, metres.
static const double own_slack = 7e-5;
// Of half of what was between them at rest.
static const double rest_share = 0.8;
// Closed skin is no more than this apart at rest, and is drawn back from gaps of the first width in
// full, from the second not at all. Metres.
static const double closed_gap = 5e-4, held_gap = 4e-4, freed_gap = 1e-3;
// A place of the other skin that is aside of the column rather than before it does not count: the
// least part of the way that is along its normal. Nearer than this part of an edge all of them do.
static const double least_along = 0.5, near_edges = 0.1;
// Columns that are so far in front of each other, in edges, do not touch.
static const double far_edges = 2;
// How far from the plane fascia stays, as a part of its depth.
static const double fascia_share = 0.3;
// How far along the skin a part goes from the line where it is closed, in reaches, and how many
// rings are between the two where they are one.
static const double part_reaches = 3;
enum { CORNER_RINGS = 3 };
enum { WALK_STEPS = 8, AVERAGE_ROUNDS = 4, SETTLE_ROUNDS = 12, COLUMN_GRAIN = 64 };

// Where a column meets other skin: the normal of the plane between, and a point of it.
struct sni_layers_contact {
    sn_vec3 normal; // 0: there is none
    sn_vec3 middle;
    double room; // how far the column is in front of it, before planes are evened out
};

typedef struct touch_run {
    sni_layers_touching *touching;
    const sni_layers_touch *touch;
    const float *points; // of columns, `stride` numbers each
    uint32_t stride;
    const float *fascia;              // x 4
    float *moved_skin, *moved_fascia; // x 4
    bool draws;                       // closed skin back
} touch_run;

// ---------------------------------------------------------------------------------------------
// One contact

static sn_vec3 at(const touch_run *run, uint32_t column) {
    return sn_vec3_load(run->points + (size_t)run->stride * column);
}

static sn_vec3 normal_at(const touch_run *run, uint32_t column) {
    const sni_layers_mesh *m = run->touch->mesh;
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t k = m->around_starts[column]; k < m->around_starts[column + 1]; ++k) {
        const uint32_t *v = m->column_triangles + 3 * (size_t)m->around[k];
        sum = sn_vec3_add(sum, sni_triangle_vector(at(run, v[0]), at(run, v[1]), at(run, v[2])));
    }
    return sn_vec3_normalize_or(sum, sn_vec3_make(0, 1, 0));
}

// A place of the skin: a triangle of columns, and the weights of its corners.
typedef struct place {
    uint32_t triangle;
    double weights[3];
    sn_vec3 at, normal; // now
} place;

// The sum of three rows of three numbers.
static sn_vec3 blend_rows(const float *rows, const uint32_t *numbers, const double *weights) {
    sn_vec3 sum = {0, 0, 0};
    for (int c = 0; c < 3; ++c) {
        sum = sn_vec3_add_scaled(sum, weights[c], sn_vec3_load(rows + 3 * (size_t)numbers[c]));
    }
    return sum;
}

static uint32_t corner_next_to(const uint32_t *v, const double *weights) {
    int most = weights[1] > weights[0] ? 1 : 0;
    return v[weights[2] > weights[most] ? 2 : most];
}

// The column that looks for what it touches.
typedef struct looker {
    uint32_t column;
    sn_vec3 at, normal;
} looker;

// Whether a triangle looks at a column and is not beside it.
static bool looks_at(const touch_run *run, const uint32_t *v, const sni_triangle *triangle,
                     const looker *from) {
    const sni_facing *f = &run->touch->facing;
    sn_vec3 across = sni_triangle_vector(triangle->a, triangle->b, triangle->c);
    return sn_vec3_dot(across, from->normal) < SNI_FACING_COSINE * sn_vec3_length(across) &&
           !sni_facing_is_beside(f, from->column, v[0]) &&
           !sni_facing_is_beside(f, from->column, v[1]) &&
           !sni_facing_is_beside(f, from->column, v[2]);
}

// The place closest to a column on those triangles around another one that look at it, and the
// corner next to it; that other column itself where there are none.
static uint32_t find_closest(const touch_run *run, uint32_t column, const looker *from,
                             place *found) {
    const sni_layers_mesh *m = run->touch->mesh;
    double least = INFINITY;
    uint32_t corner = column;
    for (uint32_t k = m->around_starts[column]; k < m->around_starts[column + 1]; ++k) {
        const uint32_t *v = m->column_triangles + 3 * (size_t)m->around[k];
        sni_triangle triangle = {at(run, v[0]), at(run, v[1]), at(run, v[2])};
        if (!looks_at(run, v, &triangle, from)) {
            continue;
        }
        double weights[3], far = sni_triangle_closest(&triangle, from->at, weights);
        if (far < least) {
            least = far;
            corner = corner_next_to(v, weights);
            found->triangle = m->around[k];
            memcpy(found->weights, weights, sizeof weights);
            found->at = sni_triangle_point(&triangle, weights);
        }
    }
    return corner;
}

// Walks over triangles to the place closest to a column, from another column; returns the column
// next to it.
static uint32_t walk_to_closest(const touch_run *run, uint32_t column, const looker *from,
                                place *found) {
    found->triangle = SN_NONE;
    for (int step = 0; step < WALK_STEPS; ++step) {
        uint32_t corner = find_closest(run, column, from, found);
        if (corner == column) {
            break;
        }
        column = corner;
    }
    if (found->triangle == SN_NONE) {
        return column;
    }
    const uint32_t *v = run->touch->mesh->column_triangles + 3 * (size_t)found->triangle;
    sn_vec3 sum = {0, 0, 0};
    for (int c = 0; c < 3; ++c) {
        if (found->weights[c] > 0) {
            sum = sn_vec3_add_scaled(sum, found->weights[c], normal_at(run, v[c]));
        }
    }
    found->normal = sn_vec3_normalize_or(sum, sn_vec3_make(0, 1, 0));
    return column;
}

// Whether a column may touch a place that is so far away.
static bool may_touch(const sni_layers_touch *t, uint32_t i, const place *q, double far) {
    const sni_facing *f = &t->facing;
    const uint32_t *v = t->mesh->column_triangles + 3 * (size_t)q->triangle;
    uint32_t next = corner_next_to(v, q->weights), part = t->parts[i], other = t->parts[next];
    if (part != SN_NONE && other != SN_NONE && t->others[part] == other) {
        return true;
    }
    sni_facing_place a = {i, sn_vec3_load(f->rest + 3 * (size_t)i),
                          sn_vec3_load(f->normals + 3 * (size_t)i)};
    sni_facing_place b = {next, blend_rows(f->rest, v, q->weights),
                          sn_vec3_normalize_or(blend_rows(f->normals, v, q->weights), a.normal)};
    return sni_facing_may_touch(f, &a, &b, far);
}

// Whether a column is in front of another one by more than some edges, along both of their normals.
static bool is_far(const touch_run *run, uint32_t i, sn_vec3 normal, uint32_t j) {
    double edge = far_edges * (double)run->touch->facing.edges[i];
    sn_vec3 way = sn_vec3_sub(at(run, i), at(run, j));
    return sn_vec3_dot(way, normal) < -edge && sn_vec3_dot(way, normal_at(run, j)) > edge;
}

static sni_layers_contact find_contact(const touch_run *run, uint32_t i) {
    const sni_layers_touch *t = run->touch;
    sni_layers_contact made = {{0, 0, 0}, {0, 0, 0}, 0};
    uint32_t *j = &run->touching->nearest[i];
    looker from = {i, at(run, i), normal_at(run, i)};
    place q;
    if (is_far(run, i, from.normal, *j)) {
        return made;
    }
    *j = walk_to_closest(run, *j, &from, &q);
    if (q.triangle == SN_NONE) {
        return made;
    }
    sn_vec3 way = sn_vec3_sub(from.at, q.at);
    double far = sn_vec3_length(way), along = fabs(sn_vec3_dot(way, q.normal));
    bool before = along >= least_along * far || far < near_edges * (double)t->facing.edges[i];
    if (before && far < (double)t->reaches[i] &&
        sn_vec3_dot(q.normal, from.normal) < SNI_FACING_COSINE && may_touch(t, i, &q, far)) {
        made.normal = sn_vec3_normalize_or(sn_vec3_sub(q.normal, from.normal), q.normal);
        made.middle = sn_vec3_lerp(from.at, q.at, 0.5);
        made.room = sn_vec3_dot(made.normal, way) / 2;
    }
    return made;
}

static bool is_touching(const sni_layers_contact *c) {
    return sn_vec3_dot(c->normal, c->normal) > 0;
}

// How far a column is in front of its plane, without a margin.
static double in_front(const touch_run *run, uint32_t i) {
    const sni_layers_contact *c = &run->touching->now[i];
    return sn_vec3_dot(c->normal, sn_vec3_sub(at(run, i), c->middle));
}

// The same, as it counts when columns are put onto their planes: evened out, planes would go on to
// push columns that are well in front of their own.
static double settled_room(const touch_run *run, uint32_t i) {
    return fmax(in_front(run, i), run->touching->now[i].room - own_slack);
}

// ---------------------------------------------------------------------------------------------
// All contacts

static void contact_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const touch_run *run = user;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = run->touching->columns[k];
        run->touching->now[i] = find_contact(run, i);
    }
}

// The mean with the planes of those neighbours that touch, too: of normals, and of how far in front
// of them the column is.
static void average_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const touch_run *run = user;
    const sni_layers_contact *now = run->touching->now;
    const sni_surface_graph *g = &run->touch->mesh->graph;
    for (uint32_t n = begin; n < end; ++n) {
        uint32_t i = run->touching->columns[n];
        sni_layers_contact *next = &run->touching->next[i];
        *next = now[i];
        if (!is_touching(&now[i])) {
            continue;
        }
        sn_vec3 own = now[i].normal, sum = own, x = at(run, i);
        double room = in_front(run, i), count = 1;
        for (uint32_t k = g->starts[i]; k < g->starts[i + 1]; ++k) {
            const sni_layers_contact *other = &now[g->neighbours[k]];
            if (sn_vec3_dot(own, other->normal) > 0) {
                sum = sn_vec3_add(sum, other->normal);
                room += sn_vec3_dot(other->normal, sn_vec3_sub(x, other->middle));
                count += 1;
            }
        }
        next->normal = sn_vec3_normalize_or(sum, own);
        next->middle = sn_vec3_add_scaled(x, -room / count, next->normal);
    }
}

static void find_contacts(touch_run *run) {
    sni_layers_touching *t = run->touching;
    sn_context *context = t->touch->mesh->context;
    sn_parallel_for(context, t->count, COLUMN_GRAIN, contact_block, run);
    for (int round = 0; round < AVERAGE_ROUNDS; ++round) {
        sn_parallel_for(context, t->count, COLUMN_GRAIN, average_block, run);
        sni_layers_contact *other = t->now;
        t->now = t->next;
        t->next = other;
    }
}

// Which columns are next to skin that they look at; false when memory runs out.
static bool begin(touch_run *run, sni_arena *arena) {
    sni_layers_touching *t = run->touching;
    const sni_layers_touch *touch = run->touch;
    uint32_t count = touch->mesh->column_count;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    float *normals = sni_arena_alloc(arena, 3 * (size_t)count, sizeof *normals);
    bool made = normals != NULL;
    if (made) {
        sni_layers_normals(touch->mesh, run->points, run->stride, normals);
        made = sni_facing_find(&touch->facing, arena, run->points, run->stride, normals,
                               touch->reaches, t->nearest);
    }
    sni_arena_release(arena, mark);
    t->count = 0;
    for (uint32_t i = 0; made && i < count; ++i) {
        // What was near other skin at rest looks for that: where it has gone deep into it, another
        // side may be nearer.
        t->nearest[i] = touch->mates[i] != SN_NONE ? touch->mates[i] : t->nearest[i];
        if (t->nearest[i] != SN_NONE) {
            t->columns[t->count++] = i;
        }
    }
    t->begun = made;
    return made;
}

bool sni_layers_touching_make(const sni_layers_touch *touch, sni_arena *arena, uint32_t padded,
                              sni_layers_touching *t) {
    uint32_t count = touch->mesh->column_count;
    *t = (sni_layers_touching){.touch = touch, .arena = arena};
    t->skin_planes = sni_arena_alloc(arena, 4 * (size_t)padded, sizeof(float));
    t->fascia_planes = sni_arena_alloc(arena, 4 * (size_t)padded, sizeof(float));
    t->nearest = sni_arena_alloc(arena, count, sizeof *t->nearest);
    t->columns = sni_arena_alloc(arena, count, sizeof *t->columns);
    t->now = sni_arena_alloc(arena, count, sizeof *t->now);
    t->next = sni_arena_alloc(arena, count, sizeof *t->next);
    if (t->skin_planes == NULL || t->fascia_planes == NULL || t->nearest == NULL ||
        t->columns == NULL || t->now == NULL || t->next == NULL) {
        return false;
    }
    memset(t->skin_planes, 0, 4 * (size_t)padded * sizeof(float));
    memset(t->fascia_planes, 0, 4 * (size_t)padded * sizeof(float));
    memset(t->now, 0, count * sizeof *t->now);
    memset(t->next, 0, count * sizeof *t->next);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Binding

// What is near at rest, found as it is in a frame.
static bool look_at_rest(sni_layers_touch *t, sni_arena *arena, sni_layers_touching *touching,
                         touch_run *run) {
    *run = (touch_run){.touching = touching, .touch = t, .points = t->mesh->points, .stride = 3};
    if (!sni_layers_touching_make(t, arena, t->mesh->column_count, touching) ||
        !begin(run, arena)) {
        return false;
    }
    find_contacts(run);
    return true;
}

static bool is_closed(const touch_run *run, uint32_t i) {
    return is_touching(&run->touching->now[i]) && 2 * fabs(in_front(run, i)) < closed_gap;
}

static void measure_rest(const touch_run *run, sni_layers_touch *t) {
    for (uint32_t k = 0; k < run->touching->count; ++k) {
        uint32_t i = run->touching->columns[k];
        const sni_layers_contact *c = &run->touching->now[i];
        double room = fmin(in_front(run, i), c->room), margin = (double)t->margins[i];
        if (!is_touching(c)) {
            continue;
        }
        sn_vec3 below = sn_vec3_sub(sn_vec3_load(t->fascia->points + 3 * (size_t)i), c->middle);
        t->met += 1;
        margin = room > 0 ? fmin(margin, rest_share * room) : room * (2 - rest_share);
        t->margins[i] = (float)margin;
        t->fascia_keeps[i] = (float)(rest_share * sn_vec3_dot(c->normal, below));
        t->closed[i] = is_closed(run, i) ? (float)fmax(settled_room(run, i) - margin, 0) : -1;
    }
}

// Whether two columns are within so many rings of each other.
static bool are_near(const sni_surface_graph *g, uint32_t a, uint32_t b, int rings) {
    bool found = a == b;
    for (uint32_t k = g->starts[a]; rings > 0 && !found && k < g->starts[a + 1]; ++k) {
        found = are_near(g, g->neighbours[k], b, rings - 1);
    }
    return found;
}

// Columns of closed skin, but not where its two parts become one.
static uint32_t find_seam(const touch_run *run, uint32_t *seam) {
    const sni_surface_graph *g = &run->touch->mesh->graph;
    uint32_t count = 0;
    for (uint32_t k = 0; k < run->touching->count; ++k) {
        uint32_t i = run->touching->columns[k];
        if (is_closed(run, i) && !are_near(g, i, run->touching->nearest[i], CORNER_RINGS)) {
            seam[count++] = i;
        }
    }
    return count;
}

// Pieces of the seam, each named by its lowest column, into `parts`.
static void name_parts(const sni_surface_graph *g, const uint32_t *seam, uint32_t count,
                       uint32_t *parts) {
    for (uint32_t i = 0; i < g->vertex_count; ++i) {
        parts[i] = SN_NONE;
    }
    for (uint32_t k = 0; k < count; ++k) {
        parts[seam[k]] = seam[k];
    }
    for (uint32_t k = 0; k < count; ++k) {
        for (uint32_t n = g->starts[seam[k]]; n < g->starts[seam[k] + 1]; ++n) {
            if (parts[g->neighbours[n]] != SN_NONE) {
                sni_group_join(parts, seam[k], g->neighbours[n]);
            }
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        parts[seam[k]] = sni_group_root(parts, seam[k]);
    }
}

// Parts, and which one each meets: that of the mate of the lowest of its columns that has one.
static sn_status find_parts(const touch_run *run, sni_layers_touch *t, sn_error *error) {
    const sni_surface_graph *g = &t->mesh->graph;
    sn_context *context = t->mesh->context;
    const uint32_t *mates = run->touching->nearest;
    uint32_t count = t->mesh->column_count, *seam = NULL, *labels = NULL;
    float *distances = NULL;
    sn_status status = SN_OK;
    SNI_NEW(context, seam, count);
    SNI_NEW(context, labels, count);
    SNI_NEW(context, distances, count);
    uint32_t length = find_seam(run, seam);
    name_parts(g, seam, length, t->parts);
    for (uint32_t k = 0; k < length; ++k) {
        uint32_t *other = &t->others[t->parts[seam[k]]];
        *other = *other == SN_NONE ? t->parts[mates[seam[k]]] : *other;
    }
    SN_TRY(sni_surface_graph_nearest(g, length, seam, 1, labels, distances, error));
    for (uint32_t i = 0; i < count; ++i) {
        bool near =
            labels[i] != SN_NONE && (double)distances[i] < part_reaches * (double)t->reaches[i];
        t->mates[i] = is_touching(&run->touching->now[i]) ? mates[i]
                      : near                              ? mates[seam[labels[i]]]
                                                          : SN_NONE;
        t->parts[i] = near ? t->parts[seam[labels[i]]] : t->parts[i];
    }
cleanup:
    sni_free(context, seam);
    sni_free(context, labels);
    sni_free(context, distances);
    return status;
}

sn_status sni_layers_touch_init(const sni_layers_mesh *m, const sni_layers_fascia *fascia,
                                sni_layers_touch *t, sn_error *error) {
    sn_context *context = m->context;
    uint32_t count = m->column_count;
    float *normals = NULL;
    sni_arena arena;
    sni_layers_touching touching;
    sn_status status = SN_OK;
    sni_arena_init(&arena, context);
    *t = (sni_layers_touch){.mesh = m, .fascia = fascia};
    SNI_NEW(context, normals, 3 * (size_t)count);
    sni_layers_normals(m, m->points, 3, normals);
    SN_TRY(sni_facing_init(&m->graph, m->points, normals, fascia->radii, fascia->depths, &t->facing,
                           error));
    SNI_NEW(context, t->reaches, count);
    SNI_NEW(context, t->margins, count);
    SNI_NEW(context, t->fascia_keeps, count);
    SNI_NEW(context, t->closed, count);
    SNI_NEW(context, t->mates, count);
    SNI_NEW(context, t->parts, count);
    SNI_NEW(context, t->others, count);
    for (uint32_t i = 0; i < count; ++i) {
        double edge = (double)t->facing.edges[i];
        t->reaches[i] = (float)(reach_depths * (double)fascia->depths[i]);
        t->margins[i] = (float)fmin(margin_share * edge, most_margin);
        t->fascia_keeps[i] = INFINITY;
        t->closed[i] = -1;
        t->mates[i] = t->parts[i] = t->others[i] = SN_NONE;
    }
    touch_run run;
    SN_TRY(look_at_rest(t, &arena, &touching, &run) ? SN_OK : sni_fail_memory(error));
    SN_TRY(find_parts(&run, t, error));
    // Mates are what columns look for from now on.
    SN_TRY(look_at_rest(t, &arena, &touching, &run) ? SN_OK : sni_fail_memory(error));
    measure_rest(&run, t);
cleanup:
    sni_arena_deinit(&arena);
    sni_free(context, normals);
    return status;
}

void sni_layers_touch_deinit(sni_layers_touch *t) {
    if (t->mesh != NULL) {
        sni_free(t->mesh->context, t->reaches);
        sni_free(t->mesh->context, t->margins);
        sni_free(t->mesh->context, t->fascia_keeps);
        sni_free(t->mesh->context, t->closed);
        sni_free(t->mesh->context, t->mates);
        sni_free(t->mesh->context, t->parts);
        sni_free(t->mesh->context, t->others);
        sni_facing_deinit(&t->facing);
    }
    *t = (sni_layers_touch){0};
}

size_t sni_layers_touch_bytes(const sni_layers_touch *t) {
    return t->mesh == NULL
               ? 0
               : 7 * t->mesh->column_count * sizeof(float) + sni_facing_bytes(&t->facing);
}

// ---------------------------------------------------------------------------------------------
// A frame

static void store_plane(sn_vec3 normal, double offset, float *plane) {
    sn_vec3_store(normal, plane);
    plane[3] = (float)offset;
}

// How far a column of closed skin is drawn back to its plane, from how far it is in front of it.
static double drawn_back(const sni_layers_touch *t, uint32_t i, double room) {
    double part = (2 * room - held_gap) / (freed_gap - held_gap);
    double share = fmin(fmax(1 - part, 0), 1), smooth = share * share * (3 - 2 * share);
    double away = room - (double)t->margins[i] - (double)t->closed[i];
    return t->closed[i] < 0 ? 0 : smooth * fmax(away, 0);
}

// The fascia stays behind the skin, which is on its plane.
static void hold_fascia(const touch_run *run, uint32_t i, double middle, float *plane) {
    const sni_layers_touch *t = run->touch;
    sn_vec3 normal = run->touching->now[i].normal;
    double outwards = fmax(-sn_vec3_dot(normal, normal_at(run, i)), 0);
    double depth = fmin(fascia_share * (double)t->fascia->depths[i] * outwards * outwards,
                        (double)t->fascia_keeps[i]);
    sn_vec3 y = sn_vec3_load(run->fascia + 4 * (size_t)i);
    if (depth >= 0 && sn_vec3_dot(normal, y) < middle + depth) {
        store_plane(normal, middle + depth, plane);
    }
}

static void plane_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const touch_run *run = user;
    const sni_layers_touch *t = run->touch;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = run->touching->columns[k];
        const sni_layers_contact *c = &run->touching->now[i];
        float *skin = run->touching->skin_planes + 4 * (size_t)i;
        float *fascia = run->touching->fascia_planes + 4 * (size_t)i;
        memset(skin, 0, 4 * sizeof *skin);
        memset(fascia, 0, 4 * sizeof *fascia);
        double room = in_front(run, i), margin = (double)t->margins[i];
        double middle = sn_vec3_dot(c->normal, c->middle);
        double back = is_touching(c) ? drawn_back(t, i, room) : 0;
        if (is_touching(c) && room < margin) {
            store_plane(c->normal, middle + margin, skin);
            hold_fascia(run, i, middle, fascia);
        } else if (back > 0) {
            store_plane(c->normal, middle + room - back, skin);
        }
    }
}

bool sni_layers_touching_renew(void *user, const float *skin, const float *fascia) {
    sni_layers_touching *t = user;
    touch_run run = {
        .touching = t, .touch = t->touch, .points = skin, .stride = 4, .fascia = fascia};
    if (!t->begun && !begin(&run, t->arena)) {
        return false;
    }
    find_contacts(&run);
    sn_parallel_for(t->touch->mesh->context, t->count, COLUMN_GRAIN, plane_block, &run);
    return true;
}

// A column is put onto its plane, or drawn back to it, and the fascia below it goes along.
static void settle_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const touch_run *run = user;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = run->touching->columns[k];
        const sni_layers_contact *c = &run->touching->now[i];
        double room = settled_room(run, i), margin = (double)run->touch->margins[i];
        double most = settled_edges * (double)run->touch->facing.edges[i];
        double way = room < margin ? fmin(margin - room, most) : -drawn_back(run->touch, i, room);
        run->touching->next[i].room = is_touching(c) ? way : 0;
        if (is_touching(c) && (way > 0 || run->draws)) {
            float *points[] = {run->moved_skin + 4 * (size_t)i, run->moved_fascia + 4 * (size_t)i};
            for (int p = 0; p < 2; ++p) {
                sn_vec3_store(sn_vec3_add_scaled(sn_vec3_load(points[p]), way, c->normal),
                              points[p]);
            }
        }
    }
}

// Only what touches now may do so in the rounds that follow. Returns how far a column has been
// pushed at most.
static double keep_touching(sni_layers_touching *t) {
    uint32_t kept = 0;
    double most = 0;
    for (uint32_t k = 0; k < t->count; ++k) {
        uint32_t i = t->columns[k];
        most = fmax(most, t->next[i].room);
        if (is_touching(&t->now[i])) {
            t->columns[kept++] = i;
        } else {
            t->next[i] = t->now[i];
        }
    }
    t->count = kept;
    return most;
}

void sni_layers_touching_settle(sni_layers_touching *t, float *skin, float *fascia) {
    touch_run run = {.touching = t,
                     .touch = t->touch,
                     .points = skin,
                     .stride = 4,
                     .moved_skin = skin,
                     .moved_fascia = fascia};
    double pushed = INFINITY;
    for (int round = 0; round < SETTLE_ROUNDS && t->begun && pushed > settled; ++round) {
        run.draws = round == 0;
        find_contacts(&run);
        sn_parallel_for(t->touch->mesh->context, t->count, COLUMN_GRAIN, settle_block, &run);
        pushed = keep_touching(t);
    }
}
