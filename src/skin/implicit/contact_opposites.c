// SPDX-License-Identifier: Apache-2.0
//
// What lies opposite to a vertex along the normal of a pair of parts.
//
// Each part shows the skin that looks to the other one. Seen along the normal, its triangles lie in
// a plane, in the cells of a grid, so that those that cover a vertex of the other part are found at
// once. Of several it is the one that the vertex is farthest behind.
//
// How much of contact there is fades out where the skin looks to the side (there, heights change by
// much in little space), and between parts that are no neighbours also with depth: what has gone
// right through is left as it is, rather than flattened to the bone.
#include "skin/implicit/contact_internal.h"

#include "base/context.h"
#include "base/hermite.h"

#include <math.h>
#include <string.h>

// Vertices of a block; results do not depend on it.
enum { GRAIN = 256, COVER_GRAIN = 1024 };

// Cosines of the angle between skin and normal from which on the skin looks to the other side, none
// and in full; deep contact of parts that are no neighbours needs as much more.
static const double facing_none = 0, facing_full = 0.15, facing_deep = 0.5;

// Depths at which contact of parts that are no neighbours begins to fade and is gone, in radii of
// the thinner part.
static const double depth_fade = 1, depth_gone = 3;

// The same for parts of one hand. Any fist has fingers in each other and in the palm by more than
// their radius, and none that go through.
static const double hand_facing_deep = 0.3, hand_depth_fade = 2;

// Distances from the joint of a fold, in radii of the joint: up to the first the plane through the
// joint parts both sides, beyond the second it does not count.
static const double plane_full = 1, plane_none = 2;

// ---------------------------------------------------------------------------------------------
// Which way the skin looks

sni_contact_turn sni_contact_turn_of(const sni_contact_run *r, uint32_t vertex) {
    const sni_skin_contact_desc *d = &r->c->desc;
    uint32_t first = d->offsets[vertex], last = d->offsets[vertex + 1];
    sn_quat sum = {0, 0, 0, 0};
    double scale = 0, total = 0;
    for (uint32_t k = first; k < last; ++k) {
        sn_quat turn = r->pose->turns[d->segments[k]];
        double weight = d->weights[k];
        double side = sn_quat_dot(r->pose->turns[d->segments[first]], turn);
        sum = sn_quat_add(sum, sn_quat_scale(turn, side < 0 ? -weight : weight));
        scale += weight * r->pose->scales[d->segments[k]];
        total += weight;
    }
    double length = sqrt(sn_quat_dot(sum, sum));
    if (!(length > 0)) {
        return (sni_contact_turn){sn_quat_identity(), 1};
    }
    return (sni_contact_turn){sn_quat_scale(sum, 1 / length), scale / total};
}

typedef struct carrying {
    sni_contact_run *r;
    const uint32_t *vertices;
} carrying;

static void carry_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const carrying *run = user;
    sni_contact_run *r = run->r;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t v = run->vertices[k];
        sn_vec3 rest = r->c->outward[v];
        r->outward[v] = r->at_rest ? rest : sn_quat_rotate(sni_contact_turn_of(r, v).turn, rest);
    }
}

// Turns the normals of a part's skin, and of that around it.
static void carry_part(sni_contact_run *r, uint32_t part) {
    if (r->carried[part]) {
        return;
    }
    r->carried[part] = 1;
    const sni_contact_rows *rows[2] = {&r->c->vertices, &r->c->rims};
    for (int k = 0; k < 2; ++k) {
        uint32_t begin = rows[k]->starts[part], end = rows[k]->starts[part + 1];
        carrying run = {r, rows[k]->items + begin};
        sn_parallel_for(r->c->context, end - begin, GRAIN, carry_block, &run);
    }
}

// ---------------------------------------------------------------------------------------------
// One side of a pair, seen along its normal

typedef struct side {
    uint32_t part;
    double sign;                             // of the normal that points to it
    uint32_t count;                          // vertices that look to the other side
    uint32_t *vertices;                      // room for all of the part
    double low[2], high[2], lowest, highest; // of these, across the normal and along it
} side;

typedef struct view {
    sni_contact_run *r;
    const sni_contact_pair *pair;
    double margin;
    sn_vec3 across[2];
    sn_vec3 *flat;  // of vertices of both sides and their rims: twice across, once along
    float *cosines; // of the same, between the way out of the skin and that to the other side
    float *aside;   // the least of them and of those of triangles at sharp edges
    side sides[2];
} view;

static double facing_of(double cosine) {
    return sni_smooth_step_between(facing_none, facing_full, cosine);
}

// Where the skin has a sharp edge, it ends to the eye though it still faces it: what slides off
// would lose all of its contact at once. Folds are held by their plane there.
static double aside_of(const view *w, uint32_t vertex, double sign) {
    const sni_contact_run *r = w->r;
    const sni_skin_contact *c = r->c;
    uint32_t begin = c->sharp_starts[vertex], end = c->sharp_starts[vertex + 1];
    double least = w->cosines[vertex];
    if (begin == end || r->at_rest || w->pair->is_fold || !w->pair->neighbors) {
        return least;
    }
    sn_quat back = sn_quat_conjugate(sni_contact_turn_of(r, vertex).turn);
    sn_vec3 normal = sn_quat_rotate(back, w->pair->normal);
    for (uint32_t k = begin; k < end; ++k) {
        least = fmin(least, -sign * sn_vec3_dot(c->sharp[k], normal));
    }
    return least;
}

typedef struct looking {
    view *w;
    const uint32_t *vertices;
    double sign;
    bool is_rim; // vertices of the pair itself are looked at with their own sign
} looking;

static void look_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const looking *run = user;
    view *w = run->w;
    const sni_contact_pair *pair = w->pair;
    const uint32_t *parts = w->r->c->desc.parts->vertex_parts;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t v = run->vertices[k];
        if (run->is_rim && (parts[v] == pair->parts[0] || parts[v] == pair->parts[1])) {
            continue;
        }
        sn_vec3 p = w->r->positions[v];
        w->cosines[v] = (float)(-run->sign * sn_vec3_dot(w->r->outward[v], pair->normal));
        w->aside[v] = (float)aside_of(w, v, run->sign);
        w->flat[v] = sn_vec3_make(sn_vec3_dot(p, w->across[0]), sn_vec3_dot(p, w->across[1]),
                                  sn_vec3_dot(p, pair->normal));
    }
}

static void look_at(view *w, const sni_contact_rows *rows, const side *s, bool is_rim) {
    uint32_t begin = rows->starts[s->part], end = rows->starts[s->part + 1];
    looking run = {w, rows->items + begin, s->sign, is_rim};
    sn_parallel_for(w->r->c->context, end - begin, GRAIN, look_block, &run);
}

static void find_side(view *w, side *s) {
    const sni_skin_contact *c = w->r->c;
    carry_part(w->r, s->part);
    look_at(w, &c->vertices, s, false);
    look_at(w, &c->rims, s, true);
    s->count = 0;
    s->low[0] = s->low[1] = s->lowest = INFINITY;
    s->high[0] = s->high[1] = s->highest = -INFINITY;
    for (uint32_t k = c->vertices.starts[s->part]; k < c->vertices.starts[s->part + 1]; ++k) {
        uint32_t v = c->vertices.items[k];
        if (!(w->cosines[v] > facing_none)) {
            continue;
        }
        sn_vec3 at = w->flat[v];
        s->vertices[s->count++] = v;
        s->low[0] = at.x < s->low[0] ? at.x : s->low[0];
        s->low[1] = at.y < s->low[1] ? at.y : s->low[1];
        s->high[0] = at.x > s->high[0] ? at.x : s->high[0];
        s->high[1] = at.y > s->high[1] ? at.y : s->high[1];
        s->lowest = at.z < s->lowest ? at.z : s->lowest;
        s->highest = at.z > s->highest ? at.z : s->highest;
    }
}

// ---------------------------------------------------------------------------------------------
// Triangles of a side in cells

typedef struct cells {
    double low[2], high[2], size;
    uint32_t counts[2];
    uint32_t *starts;    // of cells, one more
    uint32_t *triangles; // first corners, in the list of the contact
    double *tops;        // of cells: no triangle there is nearer to the side that looks at it
    double sign;         // of the normal that points to that side
    double least_top;    // what is not as near to it touches none of its vertices
} cells;

typedef struct cell_box {
    uint32_t low[2], high[2];
} cell_box;

static uint32_t cell_of(const cells *grid, int axis, double x) {
    double at = (x - grid->low[axis]) / grid->size;
    return at <= 0 ? 0 : at >= grid->counts[axis] ? grid->counts[axis] - 1 : (uint32_t)at;
}

// The cells that a triangle of a part's side may cover. Those that belong more to the other side
// than to this one do not count, nor do those that look away.
static bool covers(const view *w, const side *of, const cells *grid, const uint32_t *v,
                   cell_box *box, double *top) {
    const uint32_t *parts = w->r->c->desc.parts->vertex_parts;
    uint32_t other = w->pair->parts[w->pair->parts[0] == of->part], strange = 0;
    bool faces = false;
    for (int k = 0; k < 3; ++k) {
        strange += parts[v[k]] == other;
        faces = faces || w->cosines[v[k]] > facing_none;
    }
    if (strange > 1 || !faces) {
        return false;
    }
    sn_vec3 low = w->flat[v[0]], high = low;
    *top = grid->sign * low.z;
    for (int k = 1; k < 3; ++k) {
        sn_vec3 at = w->flat[v[k]];
        low.x = at.x < low.x ? at.x : low.x;
        low.y = at.y < low.y ? at.y : low.y;
        high.x = at.x > high.x ? at.x : high.x;
        high.y = at.y > high.y ? at.y : high.y;
        *top = grid->sign * at.z > *top ? grid->sign * at.z : *top;
    }
    if (high.x < grid->low[0] || high.y < grid->low[1] || low.x > grid->high[0] ||
        low.y > grid->high[1] || *top < grid->least_top) {
        return false;
    }
    *box = (cell_box){{cell_of(grid, 0, low.x), cell_of(grid, 1, low.y)},
                      {cell_of(grid, 0, high.x), cell_of(grid, 1, high.y)}};
    return true;
}

// A triangle and the cells that it may cover.
typedef struct covering {
    uint32_t triangle; // first corner, in the list of the contact
    cell_box box;
    double top; // how near to the other side one of its corners is
} covering;

typedef struct covering_run {
    const view *w;
    const side *of;
    const cells *grid;
    covering *list;   // each block writes from where it begins on
    uint32_t *counts; // of blocks
} covering_run;

static void cover_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const covering_run *run = user;
    const sni_contact_rows *rows = &run->w->r->c->triangles;
    covering *next = run->list + begin;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t t = rows->starts[run->of->part] + 3 * k;
        if (covers(run->w, run->of, run->grid, rows->items + t, &next->box, &next->top)) {
            next++->triangle = t;
        }
    }
    run->counts[begin / COVER_GRAIN] = (uint32_t)(next - (run->list + begin));
}

// Lists the triangles of a side that cover cells; false when memory runs out.
static bool list_coverings(const view *w, const side *of, const cells *grid, covering *list,
                           uint32_t *count) {
    const uint32_t *starts = w->r->c->triangles.starts;
    uint32_t all = (starts[of->part + 1] - starts[of->part]) / 3;
    covering_run run = {w, of, grid, list,
                        sni_arena_alloc(w->r->arena, all / COVER_GRAIN + 1, sizeof *run.counts)};
    if (run.counts == NULL) {
        return false;
    }
    sn_parallel_for(w->r->c->context, all, COVER_GRAIN, cover_block, &run);
    *count = 0;
    for (uint32_t begin = 0; begin < all; begin += COVER_GRAIN) {
        uint32_t found = run.counts[begin / COVER_GRAIN];
        memmove(list + *count, list + begin, found * sizeof *list);
        *count += found;
    }
    return true;
}

// Counts the triangles of the cells, or, with `next`, lists them.
static void sort_triangles(const covering *list, uint32_t count, cells *grid, uint32_t *next) {
    for (const covering *c = list; c < list + count; ++c) {
        for (uint32_t j = c->box.low[1]; j <= c->box.high[1]; ++j) {
            for (uint32_t i = c->box.low[0]; i <= c->box.high[0]; ++i) {
                uint32_t cell = j * grid->counts[0] + i;
                if (next == NULL) {
                    ++grid->starts[cell + 1];
                    grid->tops[cell] = c->top > grid->tops[cell] ? c->top : grid->tops[cell];
                } else {
                    grid->triangles[next[cell]++] = c->triangle;
                }
            }
        }
    }
}

static bool is_within(const cells *grid, sn_vec3 at) {
    return at.x >= grid->low[0] && at.y >= grid->low[1] && at.x <= grid->high[0] &&
           at.y <= grid->high[1];
}

static uint32_t count_within(const view *w, const side *of, const cells *grid) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < of->count; ++k) {
        count += is_within(grid, w->flat[of->vertices[k]]);
    }
    return count;
}

// Lays out about as many cells as a side has vertices there.
static void lay_out(const view *w, const side *of, cells *grid) {
    enum { MOST = 256 }; // cells along a side
    double width = grid->high[0] - grid->low[0], height = grid->high[1] - grid->low[1];
    double longest = fmax(fmax(width, height), 1e-12 * w->pair->radius);
    double each = width * height / fmax(1, count_within(w, of, grid));
    grid->size = fmax(sqrt(each), longest / MOST);
    grid->counts[0] = (uint32_t)(width / grid->size) + 1;
    grid->counts[1] = (uint32_t)(height / grid->size) + 1;
}

// Puts the triangles of a side into cells.
static bool fill_cells(const view *w, const side *of, cells *grid) {
    sni_arena *arena = w->r->arena;
    const uint32_t *rows = w->r->c->triangles.starts;
    lay_out(w, of, grid);
    size_t count = (size_t)grid->counts[0] * grid->counts[1];
    covering *list =
        sni_arena_alloc(arena, (rows[of->part + 1] - rows[of->part]) / 3 + 1, sizeof *list);
    grid->starts = sni_arena_alloc(arena, count + 1, sizeof *grid->starts);
    grid->tops = sni_arena_alloc(arena, count, sizeof *grid->tops);
    uint32_t *next = sni_arena_alloc(arena, count, sizeof *next);
    if (list == NULL || grid->starts == NULL || grid->tops == NULL || next == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        grid->tops[i] = -INFINITY;
    }
    uint32_t covering_count;
    if (!list_coverings(w, of, grid, list, &covering_count)) {
        return false;
    }
    memset(grid->starts, 0, (count + 1) * sizeof *grid->starts);
    sort_triangles(list, covering_count, grid, NULL);
    for (size_t i = 0; i < count; ++i) {
        grid->starts[i + 1] += grid->starts[i];
    }
    memcpy(next, grid->starts, count * sizeof *next);
    grid->triangles =
        sni_arena_alloc(arena, (size_t)grid->starts[count] + 1, sizeof *grid->triangles);
    if (grid->triangles == NULL) {
        return false;
    }
    sort_triangles(list, covering_count, grid, next);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Opposites

// What a vertex has to have from the skin of a part.
static double needed(const sni_contact_run *r, uint32_t vertex, uint32_t part,
                     const sni_contact_pair *pair) {
    const sni_skin_contact *c = r->c;
    if (!r->at_rest && pair->neighbors) {
        for (uint32_t k = c->rest_starts[vertex]; k < c->rest_starts[vertex + 1]; ++k) {
            if (c->rest[k].part == part) {
                return pair->scale * c->rest[k].need;
            }
        }
    }
    return pair->gap;
}

// Shares of corners at a place of the plane; false beyond the triangle.
static bool shares_at(const sn_vec3 *flat, const uint32_t *v, sn_vec3 at, double shares[3]) {
    const sn_vec3 *p = &flat[v[0]], *q = &flat[v[1]], *s = &flat[v[2]];
    double area = (q->x - p->x) * (s->y - p->y) - (s->x - p->x) * (q->y - p->y);
    if (area == 0) {
        return false;
    }
    double first = (q->x - at.x) * (s->y - at.y) - (s->x - at.x) * (q->y - at.y);
    double second = (s->x - at.x) * (p->y - at.y) - (p->x - at.x) * (s->y - at.y);
    if (first * area < 0 || second * area < 0) {
        return false; // most are beyond, and are told so without a quotient
    }
    shares[0] = first / area;
    shares[1] = second / area;
    shares[2] = 1 - shares[0] - shares[1];
    return shares[0] >= 0 && shares[1] >= 0 && shares[2] >= 0;
}

// A triangle opposite to a vertex.
typedef struct candidate {
    const uint32_t *corners;
    double shares[3];
    double missing;
    double facing, cosine; // of the triangle there
} candidate;

// Whether a side ends, to a vertex of the part `own`, where it goes over into `part`: into its own
// part, and where no neighbours touch into a neighbour of it, as between thighs that meet below the
// hips.
static bool ends_at(const view *w, uint32_t part, uint32_t own) {
    const sni_skin_part *parts = w->r->c->desc.parts->parts;
    return part == own || (!w->pair->neighbors && part != SN_NONE &&
                           (parts[part].parent == own || parts[own].parent == part));
}

// Corners where a side ends do not look at the vertex: contact fades out towards the end.
static candidate measure(const view *w, const uint32_t *v, const double shares[3],
                         uint32_t vertex) {
    const uint32_t *parts = w->r->c->desc.parts->vertex_parts;
    candidate found = {.corners = v, .missing = -w->flat[vertex].z};
    double z = 0;
    for (int i = 0; i < 3; ++i) {
        double facing = ends_at(w, parts[v[i]], parts[vertex]) ? 0 : facing_of(w->aside[v[i]]);
        found.shares[i] = shares[i];
        z += shares[i] * w->flat[v[i]].z;
        found.cosine += shares[i] * w->cosines[v[i]];
        found.facing += shares[i] * facing;
    }
    found.missing += z;
    return found;
}

// Metres that rounding of heights surely stays below.
static double slack_of(const view *w) {
    return 1e-9 * w->pair->radius;
}

// Of all triangles that cover a vertex, the one that it is farthest behind. `sign` is that of the
// vertex's side.
static bool choose(const view *w, const cells *grid, uint32_t vertex, double sign, double need,
                   candidate *best) {
    const uint32_t *items = w->r->c->triangles.items;
    sn_vec3 at = w->flat[vertex];
    size_t cell = (size_t)cell_of(grid, 1, at.y) * grid->counts[0] + cell_of(grid, 0, at.x);
    double most = 0, margin = w->margin * w->pair->radius;
    bool any = false;
    if (!w->r->at_rest && grid->tops[cell] < sign * at.z - need - margin - slack_of(w)) {
        return false; // nothing is missing to any of them
    }
    for (uint32_t n = grid->starts[cell]; n < grid->starts[cell + 1]; ++n) {
        const uint32_t *v = items + grid->triangles[n];
        double shares[3];
        if (v[0] == vertex || v[1] == vertex || v[2] == vertex ||
            !shares_at(w->flat, v, at, shares)) {
            continue;
        }
        candidate found = measure(w, v, shares, vertex);
        found.missing = need + sign * found.missing;
        double score = w->r->at_rest ? found.missing : (found.missing + margin) * found.facing;
        if (score > most || (w->r->at_rest && !any)) {
            most = score;
            *best = found;
            any = true;
        }
    }
    return any;
}

// How much of contact depth leaves between parts that are no neighbours. When opposites are found
// again, after most of what was missing is gone, it is what was left the first time; the third
// power lets those that were let go be.
static double kept_of(const view *w, uint32_t vertex, const candidate *found) {
    const float *kept = w->r->kept;
    if (kept != NULL && kept[vertex] >= 0) {
        return pow(kept[vertex], 3);
    }
    if (w->pair->neighbors) {
        return 1;
    }
    bool of_a_hand = w->pair->of_a_hand;
    double depth = fmax(0, found->missing) / w->pair->radius;
    double deep = of_a_hand ? hand_facing_deep : facing_deep;
    double fade = of_a_hand ? hand_depth_fade : depth_fade;
    double needed_cosine = facing_full + (deep - facing_full) * fmin(1, depth);
    return sni_smooth_step_between(facing_none, needed_cosine, w->cosines[vertex]) *
           sni_smooth_step_between(facing_none, needed_cosine, found->cosine) *
           (1 - sni_smooth_step_between(fade, depth_gone, depth));
}

static bool find_opposite(const view *w, const cells *grid, uint32_t vertex, const side *own,
                          const side *other, sni_contact_opposite *o) {
    candidate found = {0};
    double need = needed(w->r, vertex, other->part, w->pair);
    if (!choose(w, grid, vertex, own->sign, need, &found)) {
        return false;
    }
    double kept = kept_of(w, vertex, &found);
    double share = kept * w->pair->share * found.facing * facing_of(w->cosines[vertex]);
    *o = (sni_contact_opposite){
        .vertex = vertex,
        .corners = {found.corners[0], found.corners[1], found.corners[2]},
        .shares = {(float)found.shares[0], (float)found.shares[1], (float)found.shares[2]},
        .need = need - (1 - share) * fmax(0, found.missing),
        .missing = (float)(share * found.missing),
        .kept = (float)kept,
        .way = sn_vec3_scale(w->pair->normal, own->sign)};
    if (w->r->at_rest) {
        o->need = need - found.missing; // what it has
    }
    return true;
}

typedef struct finding {
    const view *w;
    const cells *grid;
    const side *own, *other;
    sni_contact_opposite *items; // one for each vertex of the side; none: vertex is SN_NONE
} finding;

static void find_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const finding *f = user;
    const cells *grid = f->grid;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t v = f->own->vertices[k];
        if (!is_within(grid, f->w->flat[v]) ||
            !find_opposite(f->w, grid, v, f->own, f->other, &f->items[k])) {
            f->items[k].vertex = SN_NONE;
        }
    }
}

// Makes room for so many more.
static bool reserve(sni_arena *arena, sni_contact_opposites *list, uint32_t more) {
    if (list->count + more <= list->room) {
        return true;
    }
    uint32_t room = list->count + more > 2 * list->room ? list->count + more : 2 * list->room;
    sni_contact_opposite *items = sni_arena_alloc(arena, room, sizeof *items);
    if (items == NULL) {
        return false;
    }
    if (list->count > 0) {
        memcpy(items, list->items, list->count * sizeof *items);
    }
    list->items = items;
    list->room = room;
    return true;
}

// The opposites of the vertices of one side.
static bool add_opposites(view *w, const side *own, const side *other,
                          sni_contact_opposites *list) {
    sni_arena *arena = w->r->arena;
    cells grid;
    for (int k = 0; k < 2; ++k) {
        grid.low[k] = fmax(own->low[k], other->low[k]);
        grid.high[k] = fmin(own->high[k], other->high[k]);
        if (!(grid.low[k] <= grid.high[k])) {
            return true;
        }
    }
    if (!reserve(arena, list, own->count)) {
        return false;
    }
    // No vertex needs more than the gap.
    double nearest = own->sign > 0 ? own->lowest : -own->highest;
    double reach = w->pair->gap + w->margin * w->pair->radius + slack_of(w);
    grid.sign = own->sign;
    grid.least_top = w->r->at_rest ? -INFINITY : nearest - reach;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    bool done = fill_cells(w, other, &grid);
    if (done) {
        finding run = {w, &grid, own, other, list->items + list->count};
        sn_parallel_for(w->r->c->context, own->count, GRAIN, find_block, &run);
        for (uint32_t k = 0; k < own->count; ++k) {
            if (run.items[k].vertex != SN_NONE) {
                list->items[list->count++] = run.items[k];
            }
        }
    }
    sni_arena_release(arena, mark);
    return done;
}

// ---------------------------------------------------------------------------------------------
// Folds

// Near the joint of a fold, where the skin goes on from one part to the other and may lack an
// opposite, a vertex stays on its side of the plane through the joint, or as far beyond it as at
// rest.
static bool add_planes(view *w, const side *own, sni_contact_opposites *list) {
    const sni_contact_run *r = w->r;
    const sni_skin_contact *c = r->c;
    const sni_contact_pair *pair = w->pair;
    uint32_t child = pair->parts[0];
    sn_vec3 rest_joint = c->desc.parts->parts[child].from;
    sn_vec3 way = sn_vec3_scale(pair->normal, own->sign);
    sn_vec3 rest_way = sn_vec3_scale(c->joint_normals[child], own->sign);
    if (!reserve(r->arena, list, own->count)) {
        return false;
    }
    for (uint32_t k = 0; k < own->count; ++k) {
        uint32_t v = own->vertices[k];
        sn_vec3 from = sn_vec3_sub(c->desc.mesh->rest[v], rest_joint);
        double near = sn_vec3_length(from) * pair->scale / pair->radius;
        double share = pair->share * facing_of(w->cosines[v]) *
                       (1 - sni_smooth_step_between(plane_full, plane_none, near));
        double need = fmin(pair->gap / 2, pair->scale * sn_vec3_dot(from, rest_way));
        double has = sn_vec3_dot(sn_vec3_sub(r->positions[v], pair->joint), way);
        if (share > 0 && need > has) {
            double missing = share * (need - has);
            list->items[list->count++] =
                (sni_contact_opposite){.vertex = v,
                                       .corners = {SN_NONE, SN_NONE, SN_NONE},
                                       .need = sn_vec3_dot(r->positions[v], way) + missing,
                                       .missing = (float)missing,
                                       .kept = 1,
                                       .way = way};
        }
    }
    return true;
}

static void find_axes(view *w) {
    sn_vec3 n = w->pair->normal;
    sn_vec3 beside = fabs(n.x) < 0.6 ? sn_vec3_make(1, 0, 0) : sn_vec3_make(0, 1, 0);
    w->across[0] = sn_vec3_normalize_or(sn_vec3_cross(n, beside), beside);
    w->across[1] = sn_vec3_cross(n, w->across[0]);
}

static bool view_pair(view *w, sni_contact_opposites *found, sni_contact_opposites *planes) {
    const sni_contact_pair *pair = w->pair;
    side *a = &w->sides[0], *b = &w->sides[1];
    find_axes(w);
    for (int k = 0; k < 2; ++k) {
        w->sides[k].part = pair->parts[k];
        w->sides[k].sign = k == 0 ? 1 : -1;
        find_side(w, &w->sides[k]);
    }
    double apart = pair->gap + w->margin * pair->radius;
    if (w->r->at_rest || a->lowest - apart < b->highest) {
        if (!add_opposites(w, a, b, found) || !add_opposites(w, b, a, found)) {
            return false;
        }
    }
    if (planes != NULL && pair->is_fold) {
        return add_planes(w, a, planes) && add_planes(w, b, planes);
    }
    return true;
}

bool sni_contact_find_opposites(sni_contact_run *r, double margin, sni_contact_opposites *found,
                                sni_contact_opposites *planes) {
    uint32_t count = r->c->desc.mesh->vertex_count, parts = r->c->desc.parts->count;
    view w = {.r = r, .margin = margin};
    found->count = 0;
    if (r->pair_count == 0) {
        return true;
    }
    w.flat = sni_arena_alloc(r->arena, count, sizeof *w.flat);
    w.cosines = sni_arena_alloc(r->arena, count, sizeof *w.cosines);
    w.aside = sni_arena_alloc(r->arena, count, sizeof *w.aside);
    for (int k = 0; k < 2; ++k) {
        w.sides[k].vertices =
            sni_arena_alloc(r->arena, r->c->most_vertices, sizeof *w.sides[k].vertices);
    }
    if (r->carried == NULL) {
        r->carried = sni_arena_alloc(r->arena, parts, sizeof *r->carried);
        r->outward = sni_arena_alloc(r->arena, count, sizeof *r->outward);
        if (r->carried == NULL || r->outward == NULL) {
            return false;
        }
        memset(r->carried, 0, parts * sizeof *r->carried);
    }
    if (w.flat == NULL || w.cosines == NULL || w.aside == NULL || w.sides[0].vertices == NULL ||
        w.sides[1].vertices == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < r->pair_count; ++i) {
        w.pair = &r->pairs[i];
        if (!view_pair(&w, found, planes)) {
            return false;
        }
    }
    return true;
}
