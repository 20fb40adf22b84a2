// SPDX-License-Identifier: Apache-2.0
//
// A surface around points with circles (section 4.1 of the thesis): every circle is a ring of
// vertices across the path, rings of neighbours are joined by triangles, ends are closed by a pole,
// and the whole is subdivided (modified butterfly), which leaves the rings' vertices where they
// are.
//
// Where several branches meet, the ring of that point is split along a row of new vertices, a
// crotch, into two loops, each for half of the branches; and so on until every branch has a loop of
// its own:
//
//      .─────.              .──┬──.
//     (   k   )    ──►     (   c   )     c: the crotch, which lies deeper towards the branches
//      `─────´              `──┴──´
//
// Each edge of ring and crotch has two triangles whatever the shape is, so that the surface is
// closed.
#include "muscle/graph/tube.h"

#include "base/memory.h"
#include "geometry/subdivide.h"

#include <math.h>
#include <string.h>

// How far the pole of an end and the middle of a crotch stand away from their ring, in radii.
static const double pole_height = 0.8;
static const double crotch_depth = 0.7;

// The ring between an end and its pole: its radius, and its height over that of the pole. A pole
// alone makes a cone, beside which subdivision overshoots.
static const double cap_radius = 0.72;
static const double cap_height = 0.66;

typedef struct builder {
    const sni_graph_making *making;
    sn_context *context;
    uint32_t sides;
    uint32_t vertex_count, vertex_capacity;
    float *positions; // vertex_count x 3
    uint32_t triangle_count, triangle_capacity;
    uint32_t *triangles; // triangle_count x 3
    bool out_of_memory;
} builder;

// How far around it a loop may be ahead of the one that it is joined to: without a bound a fan at
// one vertex, which leads around to where it began, could have the shortest sides.
static const double most_ahead = 0.2;

// A closed row of vertices around a path, counter-clockwise as seen from the parent.
typedef struct loop {
    uint32_t count;
    uint32_t *vertices;
} loop;

// --- Parts

static uint32_t add_vertex(builder *b, sn_vec3 at) {
    if (!sni_grow(b->context, &b->positions, &b->vertex_capacity, b->vertex_count + 1,
                  3 * sizeof *b->positions)) {
        b->out_of_memory = true;
        return 0;
    }
    sn_vec3_store(at, b->positions + 3 * (size_t)b->vertex_count);
    return b->vertex_count++;
}

static void add_triangle(builder *b, uint32_t p, uint32_t q, uint32_t r) {
    if (!sni_grow(b->context, &b->triangles, &b->triangle_capacity, b->triangle_count + 1,
                  3 * sizeof *b->triangles)) {
        b->out_of_memory = true;
        return;
    }
    uint32_t *triangle = b->triangles + 3 * (size_t)b->triangle_count++;
    triangle[0] = p;
    triangle[1] = q;
    triangle[2] = r;
}

static sn_vec3 vertex_at(const builder *b, uint32_t vertex) {
    return sn_vec3_load(b->positions + 3 * (size_t)vertex);
}

static loop new_loop(builder *b, uint32_t count) {
    loop made = {count, sni_arena_alloc(b->making->arena, count, sizeof *made.vertices)};
    b->out_of_memory = b->out_of_memory || made.vertices == NULL;
    made.count = b->out_of_memory ? 0 : count;
    return made;
}

// A ring of vertices from the angle `start` on: y stands away from the bone.
static loop add_ring(builder *b, const sni_graph_frame *frame, const double radii[2],
                     double start) {
    loop ring = new_loop(b, b->sides);
    for (uint32_t k = 0; k < ring.count; ++k) {
        double angle = start + 2 * SN_PI * k / b->sides;
        sn_vec3 at = sn_vec3_add_scaled(frame->origin, radii[1] * cos(angle), frame->y);
        ring.vertices[k] = add_vertex(b, sn_vec3_add_scaled(at, radii[0] * sin(angle), frame->z));
    }
    return ring;
}

// --- Joining two loops

static double side_length(const builder *b, uint32_t p, uint32_t q) {
    return sn_vec3_distance(vertex_at(b, p), vertex_at(b, q));
}

// Triangles between two loops, the second from vertex `shift` on: of the two that could come next,
// the one with the shorter new side. Gives the length of all new sides; with `add` it adds them.
static double stitch(builder *b, const loop *low, const loop *high, uint32_t shift, bool add) {
    uint32_t i = 0, j = 0;
    double sum = 0;
    while (!b->out_of_memory && (i < low->count || j < high->count)) {
        uint32_t p = low->vertices[i % low->count], q = high->vertices[(j + shift) % high->count];
        uint32_t next_p = low->vertices[(i + 1) % low->count];
        uint32_t next_q = high->vertices[(j + 1 + shift) % high->count];
        double by_low = side_length(b, next_p, q), by_high = side_length(b, p, next_q);
        double ahead = (i + 1.0) / low->count - (j + 1.0) / high->count;
        bool go_low = ahead < -most_ahead || (ahead <= most_ahead && by_low <= by_high);
        go_low = j == high->count || (i < low->count && go_low);
        if (add) {
            add_triangle(b, p, go_low ? next_p : next_q, q);
        }
        sum += go_low ? by_low : by_high;
        i += go_low;
        j += !go_low;
    }
    return sum;
}

// From where they fit best.
static void join(builder *b, const loop *low, const loop *high) {
    uint32_t best = 0;
    double least = INFINITY;
    for (uint32_t k = 0; k < high->count; ++k) {
        double sum = stitch(b, low, high, k, false);
        best = sum < least ? k : best;
        least = fmin(least, sum);
    }
    stitch(b, low, high, best, true);
}

// Closes a ring with a smaller ring and a pole, `above` on the parent's side.
static void add_cap(builder *b, const loop *ring, const sni_graph_frame *frame,
                    const double radii[2], bool above) {
    double height = pole_height * fmin(radii[0], radii[1]) * (above ? 1 : -1);
    const double smaller[2] = {cap_radius * radii[0], cap_radius * radii[1]};
    sni_graph_frame moved = *frame;
    moved.origin = sn_vec3_add_scaled(frame->origin, cap_height * height, frame->x);
    loop next = add_ring(b, &moved, smaller, 0);
    join(b, above ? ring : &next, above ? &next : ring);
    uint32_t pole = add_vertex(b, sn_vec3_add_scaled(frame->origin, height, frame->x));
    for (uint32_t k = 0; k < next.count; ++k) {
        uint32_t p = next.vertices[k], q = next.vertices[(k + 1) % next.count];
        add_triangle(b, above ? p : q, above ? q : p, pole);
    }
}

// --- Branches

typedef struct branch {
    loop ring;      // the nearest one of the branch
    sn_vec3 middle; // of that
    double order;   // along the direction in which branches are parted
} branch;

static sn_vec3 middle_of(const builder *b, const loop *ring) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < ring->count; ++k) {
        sum = sn_vec3_add_scaled(sum, 1.0 / ring->count, vertex_at(b, ring->vertices[k]));
    }
    return sum;
}

// The direction across the path in which branches lie farthest apart, and their order along it.
static sn_vec3 sort_branches(const sni_graph_frame *frame, branch *branches, uint32_t count) {
    sn_vec3 best = frame->y;
    double most = -1;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = i + 1; k < count; ++k) {
            sn_vec3 way = sni_across(sn_vec3_sub(branches[k].middle, branches[i].middle), frame->x);
            if (sn_vec3_dot(way, way) > most) {
                most = sn_vec3_dot(way, way);
                best = way;
            }
        }
    }
    best = sn_vec3_normalize_or(best, frame->y);
    for (uint32_t i = 0; i < count; ++i) {
        branches[i].order = sn_vec3_dot(branches[i].middle, best);
    }
    for (uint32_t i = 1; i < count; ++i) {
        branch moved = branches[i];
        uint32_t at = i;
        for (; at > 0 && branches[at - 1].order > moved.order; --at) {
            branches[at] = branches[at - 1];
        }
        branches[at] = moved;
    }
    return best;
}

// The two vertices of a loop where a plane across `direction` parts `share` of its extent: the
// nearest to it where the loop rises, and where it falls.
static void find_cut(const builder *b, const loop *l, sn_vec3 direction, double share,
                     uint32_t cut[2]) {
    double low = INFINITY, high = -INFINITY;
    uint32_t lowest = 0;
    for (uint32_t k = 0; k < l->count; ++k) {
        double at = sn_vec3_dot(vertex_at(b, l->vertices[k]), direction);
        lowest = at < low ? k : lowest;
        low = fmin(low, at);
        high = fmax(high, at);
    }
    double plane = low + share * (high - low), misses[2] = {INFINITY, INFINITY};
    for (uint32_t k = 1; k < l->count; ++k) {
        uint32_t v = (lowest + k) % l->count;
        double at = sn_vec3_dot(vertex_at(b, l->vertices[v]), direction);
        double next = sn_vec3_dot(vertex_at(b, l->vertices[(v + 1) % l->count]), direction);
        uint32_t falls = next < at;
        if (fabs(at - plane) < misses[falls]) {
            misses[falls] = fabs(at - plane);
            cut[falls] = v;
        }
    }
    if (!(misses[0] < INFINITY && misses[1] < INFINITY) || cut[0] == cut[1]) {
        cut[0] = (lowest + l->count / 3) % l->count;
        cut[1] = (lowest + (2 * l->count + 2) / 3) % l->count;
    }
}

// The part of a loop from one vertex to another, and back along the crotch.
static loop half_loop(builder *b, const loop *l, uint32_t from, uint32_t to, const loop *crotch,
                      bool reversed) {
    uint32_t arc = (to + l->count - from) % l->count + 1;
    loop made = new_loop(b, arc + crotch->count);
    for (uint32_t k = 0; k < made.count; ++k) {
        uint32_t at = k - arc;
        made.vertices[k] = k < arc    ? l->vertices[(from + k) % l->count]
                           : reversed ? crotch->vertices[crotch->count - 1 - at]
                                      : crotch->vertices[at];
    }
    return made;
}

// New vertices from one cut of a loop to the other, deeper in the middle.
static loop add_crotch(builder *b, const sni_graph_frame *frame, const loop *l, uint32_t from,
                       uint32_t to) {
    sn_vec3 a = vertex_at(b, l->vertices[from]), c = vertex_at(b, l->vertices[to]);
    uint32_t inner = l->count > 4 ? l->count / 2 - 1 : 1;
    double depth = crotch_depth * sn_vec3_distance(a, c) / 2;
    loop crotch = new_loop(b, inner);
    for (uint32_t k = 0; k < crotch.count; ++k) {
        double t = (k + 1.0) / (inner + 1);
        sn_vec3 at = sn_vec3_lerp(a, c, t);
        crotch.vertices[k] =
            add_vertex(b, sn_vec3_add_scaled(at, -depth * sin(SN_PI * t), frame->x));
    }
    return crotch;
}

// Joins branches to the loop that they meet in.
static void join_branches(builder *b, const sni_graph_frame *frame, const loop *l, branch *branches,
                          uint32_t count) {
    if (count == 1 || b->out_of_memory) {
        join(b, &branches[0].ring, l);
        return;
    }
    sn_vec3 direction = sort_branches(frame, branches, count);
    uint32_t half = count / 2, cut[2];
    find_cut(b, l, direction, (double)half / count, cut);
    // Where the loop rises it leaves the lower half: that one reaches from the fall to the rise.
    loop crotch = add_crotch(b, frame, l, cut[0], cut[1]);
    loop lower = half_loop(b, l, cut[1], cut[0], &crotch, false);
    loop upper = half_loop(b, l, cut[0], cut[1], &crotch, true);
    join_branches(b, frame, &lower, branches, half);
    join_branches(b, frame, &upper, branches + half, count - half);
}

// --- The graph

// Rings on the way from a point to its parent, joined one to the next: the last of them.
static loop add_edge(builder *b, uint32_t point, loop ring) {
    uint32_t count = 0;
    sni_graph_station *stations = NULL;
    bool found = sni_graph_find_stations(b->making, point, b->sides, &count, &stations);
    b->out_of_memory = b->out_of_memory || !found;
    for (uint32_t i = 0; i < count && !b->out_of_memory; ++i) {
        loop next = add_ring(b, &stations[i].frame, stations[i].radii, 0);
        join(b, &ring, &next);
        ring = next;
    }
    return ring;
}

// A point's ring, with what comes from its children. `lasts` are the last rings of points' edges.
static sn_status add_point(builder *b, uint32_t point, loop *lasts, branch *branches) {
    const sni_graph_making *m = b->making;
    const sni_graph_tree *tree = &m->graph->tree;
    const sni_graph_frame *frame = &m->frames[point];
    const double *radii = sni_graph_circle_at(m->input, point)->radii;
    uint32_t first = tree->child_starts[point], count = sni_graph_child_count(tree, point);
    for (uint32_t k = 0; k < count; ++k) {
        branches[k].ring = lasts[tree->children[first + k]];
        branches[k].middle = middle_of(b, &branches[k].ring);
    }
    // A vertex stands where the first crotch begins.
    sn_vec3 apart = count > 1 ? sort_branches(frame, branches, count) : frame->z;
    double start = atan2(sn_vec3_dot(apart, frame->y), -sn_vec3_dot(apart, frame->z));
    loop ring = add_ring(b, frame, radii, start);
    if (count == 0) {
        add_cap(b, &ring, frame, radii, false);
    } else {
        join_branches(b, frame, &ring, branches, count);
    }
    if (tree->parents[point] == SN_NONE) {
        add_cap(b, &ring, frame, radii, true);
    } else {
        lasts[point] = add_edge(b, point, ring);
    }
    return b->out_of_memory ? SN_OUT_OF_MEMORY : SN_OK;
}

// From the leaves up to the roots.
static void add_trees(builder *b, loop *lasts, branch *branches) {
    const sni_graph_tree *tree = &b->making->graph->tree;
    for (uint32_t k = tree->count; k-- > 0 && !b->out_of_memory;) {
        add_point(b, tree->order[k], lasts, branches);
    }
}

// A circle of points: every ring is joined to that of its parent.
static void add_circle(builder *b, loop *rings) {
    const sni_graph_making *m = b->making;
    const sni_graph_tree *tree = &m->graph->tree;
    for (uint32_t i = 0; i < tree->count; ++i) {
        rings[i] = add_ring(b, &m->frames[i], sni_graph_circle_at(m->input, i)->radii, 0);
    }
    for (uint32_t i = 0; i < tree->count && !b->out_of_memory; ++i) {
        loop last = add_edge(b, i, rings[i]);
        join(b, &last, &rings[tree->parents[i]]);
    }
}

// --- The mesh

static sn_status subdivide(builder *b, sn_error *error) {
    sn_status status = SN_OK;
    sni_subdivision *s = NULL;
    float *positions = NULL;
    uint32_t *triangles = NULL;
    sni_subdivide_desc desc = {.scheme = SNI_SUBDIVIDE_BUTTERFLY,
                               .vertex_count = b->vertex_count,
                               .vertices = b->triangles,
                               .triangle_count = b->triangle_count};
    SN_TRY(sni_subdivide(b->context, &desc, &s, error));
    uint32_t count = b->vertex_count + s->new_count;
    SNI_NEW(b->context, positions, 3 * (size_t)count);
    SNI_NEW(b->context, triangles, 3 * (size_t)s->triangle_count);
    memcpy(positions, b->positions, 3 * (size_t)b->vertex_count * sizeof *positions);
    sni_subdivision_apply(s, b->positions, 3, positions + 3 * (size_t)b->vertex_count);
    memcpy(triangles, s->vertices, 3 * (size_t)s->triangle_count * sizeof *triangles);
    sni_free(b->context, b->positions);
    sni_free(b->context, b->triangles);
    b->positions = positions;
    b->triangles = triangles;
    b->vertex_count = count;
    b->triangle_count = s->triangle_count;
    positions = NULL;
    triangles = NULL;
cleanup:
    sni_subdivision_destroy(s);
    sni_free(b->context, positions);
    sni_free(b->context, triangles);
    return status;
}

static sn_status make_mesh(const builder *b, sn_mesh **mesh, sn_error *error) {
    sn_status status = sn_mesh_create(b->context, b->making->graph->name, b->vertex_count,
                                      b->triangle_count, 3 * b->triangle_count, mesh, error);
    if (status == SN_OK) {
        memcpy((*mesh)->positions, b->positions,
               3 * (size_t)b->vertex_count * sizeof *b->positions);
        memcpy((*mesh)->corners, b->triangles,
               3 * (size_t)b->triangle_count * sizeof *b->triangles);
        for (uint32_t i = 0; i <= b->triangle_count; ++i) {
            (*mesh)->face_offsets[i] = 3 * i;
        }
    }
    return status;
}

sn_status sni_graph_tube_mesh(const sni_graph_making *m, sn_mesh **mesh, sn_error *error) {
    const double *parameters = m->job->parameters;
    uint32_t n = m->graph->tree.count;
    builder b = {
        .making = m, .context = m->job->context, .sides = (uint32_t)parameters[SNI_GRAPH_SIDES]};
    sn_status status = SN_OK;
    loop *lasts = sni_arena_alloc(m->arena, n, sizeof *lasts);
    branch *branches = sni_arena_alloc(m->arena, n, sizeof *branches);
    SN_TRY(lasts != NULL && branches != NULL ? SN_OK : sni_fail_memory(error));
    if (m->graph->tree.ring) {
        add_circle(&b, lasts);
    } else {
        add_trees(&b, lasts, branches);
    }
    SN_TRY(b.out_of_memory ? sni_fail_memory(error) : SN_OK);
    for (uint32_t i = 0; i < (uint32_t)parameters[SNI_GRAPH_SUBDIVISIONS]; ++i) {
        SN_TRY(subdivide(&b, error));
    }
    SN_TRY(make_mesh(&b, mesh, error));
cleanup:
    sni_free(b.context, b.positions);
    sni_free(b.context, b.triangles);
    return status;
}
