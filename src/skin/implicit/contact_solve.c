// SPDX-License-Identifier: Apache-2.0
//
// Moves the skin until opposites have what they need and edges have about the length that they have
// at rest.
//
// What is solved for is how far vertices are moved, u = x - x_bones. With R_i what bones turn the
// skin by at vertex i, and e an edge at rest, the edge would be
//
//     t e',   e' = (R_i + R_j)/2 e,   t = between 0.7 and 1.3, as near as can be to how long it is
//
// along e'. What bones have it differ from that by, b_ij, pulls at its ends where it is much of its
// length. Together with the mean of its neighbours' moves, and a hold that draws it back,
//
//     (1 + h_i) u_i = mean over neighbours of (u_j + b_ij),    then opposites
//
// in some passes (Jacobi). This unfolds skin that bones have turned over at the bottom of creases,
// shortens what they stretch, and evens out what contact moves. Of pulls of stretched edges into
// the body a part is left out: bones stretch the skin over a joint, and it would cut through what
// is below it. Where edges are shortened as well, in and beside creases, all pulls count as they
// are: what is left out there would be a push outwards, which makes the skin buckle and cross
// itself.
//
// All of this acts where bones fold or stretch edges, or parts touch, and fades out over some rings
// around that: a vertex at a place of strength s has the strength phi = max(s - rings / all rings),
// which scales its pulls and divides its hold, so that nothing begins with a jump.
#include "skin/implicit/contact_internal.h"

#include "base/context.h"
#include "base/hermite.h"

#include <math.h>
#include <string.h>

// Vertices of a block; results do not depend on it.
enum { GRAIN = 256 };

// Edges over their length at rest, from which on they count, and from which on in full.
static const double short_none = 0.6, short_full = 0.4, long_none = 1.5, long_full = 2;

// Opposites that miss this part of the skin's distance from its bone count in full.
static const double missing_full = 0.1;

// Lengths along where bones turn them to that edges keep, and how much of the length an edge is off
// when it begins to pull, and pulls in full.
static const double kept_short = 0.7, kept_long = 1.3, off_none = 0.3, off_full = 0.8;

// Below this, surely no edge pulls, however squares are rounded.
static const double least_off = 0.3 * (1 - 1e-12); // off_none

// Part of the pulls into the body that is left out where all of them are those of stretched edges;
// nothing is where these are less than the second number of all.
static const double inward_left_out = 0.25, least_stretched = 0.7;

// How far a pass goes; the hold at full strength, for six rings, and what half of the strength
// adds.
static const double stride = 0.8, hold_full = 0.05, hold_fading = 0.3;

// Opposites are found anew with this margin, in radii.
static const double margin = 0.1;

// Edges that contact leaves beyond these lengths are brought back without it at last.
static const sni_edge_limits hard_limits = {.shortest = 0.38, .longest = 2.8};
enum { HARD_SWEEPS = 12 };

typedef struct solver {
    sni_contact_run *r;
    uint8_t *marks;  // of vertices: 1 in the list
    float *strength; // of vertices in the list
    uint32_t *moved;
    uint32_t moved_count;
    sni_contact_turn *turns;      // of vertices in the list and their neighbours
    sn_vec3 *pulls;               // of vertices in the list
    sni_contact_opposites found;  // with places opposite
    sni_contact_opposites planes; // without
    uint32_t *starts;             // of vertices, one more: rows of `sorted`
    const sni_contact_opposite **sorted;
    uint32_t *touched; // vertices in the list with opposites
    uint32_t touched_count;
    double hold;
    uint32_t *numbers; // of listed vertices: where they are in the list
    sni_contact_even even;
} solver;

// ---------------------------------------------------------------------------------------------
// Strength

typedef struct strain_run {
    const sni_contact_run *r;
    float *strains;
} strain_run;

// How much bones have shortened or stretched the edges of a place, 0 to 1.
static double strain_of(const sni_contact_run *r, uint32_t place) {
    const sni_skin_edges *edges = r->c->desc.edges;
    double most = 0;
    for (uint32_t n = edges->starts[place]; n < edges->starts[place + 1]; ++n) {
        const sni_skin_edge *edge = &edges->items[n];
        const float *p = r->points + 3 * (size_t)edge->own,
                    *q = r->points + 3 * (size_t)edge->other;
        double x = (double)q[0] - p[0], y = (double)q[1] - p[1], z = (double)q[2] - p[2];
        double square = x * x + y * y + z * z, rest = edge->rest;
        if (square < short_none * short_none * rest * rest) {
            double ratio = sqrt(square) / rest;
            most = fmax(most, sni_smooth_step_between(short_none, short_full, ratio));
        } else if (square > long_none * long_none * rest * rest) {
            double ratio = sqrt(square) / rest;
            most = fmax(most, sni_smooth_step_between(long_none, long_full, ratio));
        }
    }
    return most;
}

static void strain_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const strain_run *run = user;
    for (uint32_t i = begin; i < end; ++i) {
        run->strains[i] = (float)strain_of(run->r, i);
    }
}

// Returns whether the vertex has become stronger.
static bool add_strength(solver *s, uint32_t vertex, double strength) {
    if (!(strength > 0)) {
        return false;
    }
    if (!s->marks[vertex]) {
        s->marks[vertex] = 1;
        s->strength[vertex] = -1;
        s->moved[s->moved_count++] = vertex;
    }
    bool is_more = (float)strength > s->strength[vertex];
    s->strength[vertex] = is_more ? (float)strength : s->strength[vertex];
    return is_more;
}

static void add_touching(solver *s, const sni_contact_opposites *list) {
    for (uint32_t i = 0; i < list->count; ++i) {
        const sni_contact_opposite *o = &list->items[i];
        double full = missing_full * s->r->c->radii[o->vertex];
        add_strength(s, o->vertex, sni_smooth_step_between(0, full, o->missing));
    }
}

// Carries every strength on, one ring in each round, from vertices that have become stronger. What
// it comes to does not depend on the order: it is the largest of strength less distance. The list
// is in the order of vertices then, so that neighbours are near each other.
static bool spread_strength(solver *s) {
    const sni_contact_run *r = s->r;
    const sni_tracker_mesh *m = r->c->desc.mesh;
    uint32_t count = s->moved_count;
    uint32_t *now = sni_arena_alloc(r->arena, m->vertex_count, sizeof *now);
    uint32_t *next = sni_arena_alloc(r->arena, m->vertex_count, sizeof *next);
    uint8_t *waits = sni_arena_alloc(r->arena, m->vertex_count, sizeof *waits);
    if (now == NULL || next == NULL || waits == NULL) {
        return false;
    }
    double loss = 1.0 / r->c->rings;
    memcpy(now, s->moved, count * sizeof *now);
    memset(waits, 0, m->vertex_count * sizeof *waits);
    for (uint32_t k = 0; k < count; ++k) {
        waits[now[k]] = 1;
    }
    while (count > 0) {
        uint32_t next_count = 0;
        for (uint32_t k = 0; k < count; ++k) {
            uint32_t i = now[k];
            waits[i] = 0;
            double strength = s->strength[i] - loss;
            for (uint32_t n = m->starts[i]; n < m->starts[i + 1] && strength > 0; ++n) {
                uint32_t j = m->neighbors[n];
                if (add_strength(s, j, strength) && !waits[j]) {
                    waits[j] = 1;
                    next[next_count++] = j;
                }
            }
        }
        uint32_t *swap = now;
        now = next;
        next = swap;
        count = next_count;
    }
    s->moved_count = 0;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        s->moved[s->moved_count] = v;
        s->moved_count += s->marks[v];
    }
    return true;
}

// Lists all places of some strength.
static bool list_moved(solver *s) {
    const sni_contact_run *r = s->r;
    const sni_tracker_mesh *m = r->c->desc.mesh;
    float *strains = sni_arena_alloc(r->arena, m->vertex_count, sizeof *strains);
    if (strains == NULL) {
        return false;
    }
    strain_run run = {r, strains};
    sn_parallel_for(r->c->context, m->vertex_count, 4 * GRAIN, strain_block, &run);
    memset(s->marks, 0, m->vertex_count * sizeof *s->marks);
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        add_strength(s, v, strains[v]);
    }
    add_touching(s, &s->found);
    add_touching(s, &s->planes);
    return spread_strength(s);
}

// ---------------------------------------------------------------------------------------------
// Pulls

static void turn_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const solver *s = user;
    for (uint32_t k = begin; k < end; ++k) {
        s->turns[s->moved[k]] = sni_contact_turn_of(s->r, s->moved[k]);
    }
}

// What bones have an edge differ by from an edge at rest, turned and scaled as they do with the
// skin; and whether they stretch it.
static sn_vec3 edge_pull(const solver *s, uint32_t i, uint32_t j, bool *is_long) {
    const sni_contact_run *r = s->r;
    const sni_contact_turn *a = &s->turns[i], *b = &s->turns[j];
    sn_vec3 e = sn_vec3_sub(r->c->desc.mesh->rest[i], r->c->desc.mesh->rest[j]);
    sn_vec3 wanted =
        sn_vec3_scale(sn_vec3_add(sn_quat_rotate(a->turn, e), sn_quat_rotate(b->turn, e)),
                      0.25 * (a->scale + b->scale));
    sn_vec3 has = sn_vec3_sub(r->before[i], r->before[j]);
    double squared = sn_vec3_dot(wanted, wanted);
    *is_long = false;
    if (!(squared > 0)) {
        return sn_vec3_make(0, 0, 0);
    }
    double along = sn_vec3_dot(has, wanted) / squared;
    *is_long = along > 1;
    double kept = along > kept_short ? along : kept_short;
    wanted = sn_vec3_scale(wanted, kept < kept_long ? kept : kept_long);
    sn_vec3 off = sn_vec3_sub(wanted, has);
    if (sn_vec3_dot(off, off) < least_off * least_off * squared) {
        return sn_vec3_make(0, 0, 0);
    }
    double share = sn_vec3_length(off) / sqrt(squared);
    return sn_vec3_scale(off, sni_smooth_step_between(off_none, off_full, share));
}

static sn_vec3 pull_at(const solver *s, uint32_t i) {
    const sni_tracker_mesh *m = s->r->c->desc.mesh;
    sn_vec3 sum = {0, 0, 0}, stretched = {0, 0, 0};
    double all = 0, of_stretched = 0;
    for (uint32_t n = m->starts[i]; n < m->starts[i + 1]; ++n) {
        bool is_long;
        sn_vec3 pull = edge_pull(s, i, m->neighbors[n], &is_long);
        double length = sn_vec3_length(pull);
        sum = sn_vec3_add(sum, pull);
        all += length;
        if (is_long) {
            stretched = sn_vec3_add(stretched, pull);
            of_stretched += length;
        }
    }
    sn_vec3 out = sn_quat_rotate(s->turns[i].turn, s->r->c->outward[i]);
    double inward = fmax(0, -sn_vec3_dot(stretched, out));
    if (inward > 0) {
        double share = sni_smooth_step_between(least_stretched, 1, of_stretched / all);
        sum = sn_vec3_add_scaled(sum, inward_left_out * share * inward, out);
    }
    return sum;
}

static void pull_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const solver *s = user;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = s->moved[k];
        s->pulls[i] = sn_vec3_scale(pull_at(s, i), s->strength[i]);
    }
}

// Finds the pulls at all places of the list.
static void find_pulls(solver *s) {
    const sni_contact_run *r = s->r;
    const sni_tracker_mesh *m = r->c->desc.mesh;
    uint32_t count = s->moved_count, around = count;
    for (uint32_t k = 0; k < count; ++k) {
        for (uint32_t n = m->starts[s->moved[k]]; n < m->starts[s->moved[k] + 1]; ++n) {
            if (!s->marks[m->neighbors[n]]) {
                s->marks[m->neighbors[n]] = 2;
                s->moved[around++] = m->neighbors[n];
            }
        }
    }
    sn_parallel_for(r->c->context, around, GRAIN, turn_block, s);
    for (uint32_t k = count; k < around; ++k) {
        s->marks[s->moved[k]] = 0;
    }
    sn_parallel_for(r->c->context, count, GRAIN, pull_block, s);
}

static void take_next(const sni_contact_run *r, const uint32_t *places, uint32_t count) {
    for (uint32_t k = 0; k < count; ++k) {
        r->positions[places[k]] = r->next[places[k]];
    }
}

static sni_f64_row row_of(sn_vec3 v) {
    return (sni_f64_row){{v.x, v.y, v.z, 0}};
}

typedef struct packing {
    const solver *s;
    sni_f64_row *before, *pulls, *moves;
    double *scales;
    uint32_t *neighbors;
} packing;

static void pack_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const packing *p = user;
    const solver *s = p->s;
    const sni_contact_run *r = s->r;
    const sni_tracker_mesh *m = r->c->desc.mesh;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = s->moved[k], degree = m->starts[i + 1] - m->starts[i];
        double hold = s->hold + hold_fading * (1 / (double)s->strength[i] - 1);
        p->scales[k] = 1 / (degree * (1 + hold));
        p->before[k] = row_of(r->before[i]);
        p->pulls[k] = row_of(s->pulls[i]);
        p->moves[k] = row_of(sn_vec3_sub(r->positions[i], r->before[i]));
        for (uint32_t n = 0; n < degree; ++n) {
            uint32_t j = m->neighbors[m->starts[i] + n];
            p->neighbors[s->even.starts[k] + n] = s->marks[j] ? s->numbers[j] : s->moved_count;
        }
    }
}

// Lays out what passes read and write.
static bool pack_even(solver *s) {
    sni_arena *arena = s->r->arena;
    const sni_tracker_mesh *m = s->r->c->desc.mesh;
    uint32_t count = s->moved_count, total = 0;
    uint32_t *starts = sni_arena_alloc(arena, (size_t)count + 1, sizeof *starts);
    sni_f64_row *next = sni_arena_alloc(arena, (size_t)count + 1, sizeof *next);
    packing p = {.s = s,
                 .before = sni_arena_alloc(arena, count, sizeof *p.before),
                 .pulls = sni_arena_alloc(arena, count, sizeof *p.pulls),
                 .moves = sni_arena_alloc(arena, (size_t)count + 1, sizeof *p.moves),
                 .scales = sni_arena_alloc(arena, count, sizeof *p.scales)};
    s->numbers = sni_arena_alloc(arena, m->vertex_count, sizeof *s->numbers);
    if (starts == NULL || next == NULL || p.before == NULL || p.pulls == NULL || p.moves == NULL ||
        p.scales == NULL || s->numbers == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t i = s->moved[k];
        starts[k] = total;
        total += m->starts[i + 1] - m->starts[i];
        s->numbers[i] = k;
    }
    starts[count] = total;
    p.neighbors = sni_arena_alloc(arena, total, sizeof *p.neighbors);
    if (p.neighbors == NULL) {
        return false;
    }
    p.moves[count] = next[count] = (sni_f64_row){{0, 0, 0, 0}};
    s->even = (sni_contact_even){.count = count,
                                 .places = s->moved,
                                 .starts = starts,
                                 .neighbors = p.neighbors,
                                 .before = p.before,
                                 .pulls = p.pulls,
                                 .scales = p.scales,
                                 .stride = stride,
                                 .moves = p.moves,
                                 .next = next,
                                 .positions = s->r->positions};
    sn_parallel_for(s->r->c->context, count, GRAIN, pack_block, &p);
    return true;
}

static void even_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const solver *s = user;
    sni_contact_even_out(s->r->c->context, &s->even, begin, end);
}

static void elastic_pass(solver *s) {
    sn_parallel_for(s->r->c->context, s->moved_count, 2 * GRAIN, even_block, s);
    sni_f64_row *swap = s->even.moves;
    s->even.moves = s->even.next;
    s->even.next = swap;
}

// Notes how far vertices with opposites have moved, after contact has moved them.
static void note_touched(solver *s) {
    const sni_contact_run *r = s->r;
    for (uint32_t k = 0; k < s->touched_count; ++k) {
        uint32_t i = s->touched[k];
        s->even.moves[s->numbers[i]] = row_of(sn_vec3_sub(r->positions[i], r->before[i]));
    }
}

// ---------------------------------------------------------------------------------------------
// Opposites

// Sorts the opposites of listed vertices into rows.
static bool sort_opposites(solver *s) {
    const sni_contact_run *r = s->r;
    uint32_t count = r->c->desc.mesh->vertex_count;
    const sni_contact_opposites *lists[2] = {&s->found, &s->planes};
    s->starts = sni_arena_alloc(r->arena, (size_t)count + 2, sizeof *s->starts);
    s->sorted =
        sni_arena_alloc(r->arena, (size_t)s->found.count + s->planes.count + 1, sizeof *s->sorted);
    s->touched = sni_arena_alloc(r->arena, count, sizeof *s->touched);
    if (s->starts == NULL || s->sorted == NULL || s->touched == NULL) {
        return false;
    }
    memset(s->starts, 0, ((size_t)count + 2) * sizeof *s->starts);
    for (int k = 0; k < 2; ++k) {
        for (uint32_t i = 0; i < lists[k]->count; ++i) {
            s->starts[lists[k]->items[i].vertex + 2] += s->marks[lists[k]->items[i].vertex];
        }
    }
    for (uint32_t v = 0; v < count; ++v) {
        s->starts[v + 2] += s->starts[v + 1];
    }
    for (int k = 0; k < 2; ++k) {
        for (uint32_t i = 0; i < lists[k]->count; ++i) {
            const sni_contact_opposite *o = &lists[k]->items[i];
            if (s->marks[o->vertex]) {
                s->sorted[s->starts[o->vertex + 1]++] = o;
            }
        }
    }
    s->touched_count = 0;
    for (uint32_t k = 0; k < s->moved_count; ++k) {
        if (s->starts[s->moved[k] + 1] > s->starts[s->moved[k]]) {
            s->touched[s->touched_count++] = s->moved[k];
        }
    }
    return true;
}

// How far along its way a vertex in `position` goes: half of what is missing, as what is opposite
// goes the other half, and not beyond its bone.
static double way_to_go(const sni_contact_run *r, const sni_contact_opposite *o, sn_vec3 position) {
    double has = sn_vec3_dot(position, o->way), share = 1;
    if (o->corners[0] != SN_NONE) {
        share = 0.5;
        for (int k = 0; k < 3; ++k) {
            has -= o->shares[k] * sn_vec3_dot(r->positions[o->corners[k]], o->way);
        }
    }
    if (!(o->need > has)) {
        return 0;
    }
    double gone = sn_vec3_dot(sn_vec3_sub(position, r->before[o->vertex]), o->way);
    return fmin(share * (o->need - has), fmax(0, r->c->radii[o->vertex] - gone));
}

// Moves a vertex apart from what is opposite: by the mean of all that it has, each weighted by its
// own way.
static void push(const solver *s, uint32_t vertex, sn_vec3 *position) {
    sn_vec3 sum = {0, 0, 0};
    double total = 0;
    for (uint32_t n = s->starts[vertex]; n < s->starts[vertex + 1]; ++n) {
        double by = way_to_go(s->r, s->sorted[n], *position);
        sum = sn_vec3_add_scaled(sum, by * by, s->sorted[n]->way);
        total += by;
    }
    if (total > 0) {
        *position = sn_vec3_add_scaled(*position, 1 / total, sum);
    }
}

static void touch_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const solver *s = user;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = s->touched[k];
        s->r->next[i] = s->r->positions[i];
        push(s, i, &s->r->next[i]);
    }
}

static void touch_pass(solver *s) {
    sn_parallel_for(s->r->c->context, s->touched_count, GRAIN, touch_block, s);
    take_next(s->r, s->touched, s->touched_count);
}

// Keeps what depth has left of the contact of each vertex, and finds opposites where the skin is
// now.
static bool find_again(solver *s) {
    sni_contact_run *r = s->r;
    uint32_t count = r->c->desc.mesh->vertex_count;
    r->kept = sni_arena_alloc(r->arena, count, sizeof *r->kept);
    if (r->kept == NULL) {
        return false;
    }
    for (uint32_t v = 0; v < count; ++v) {
        r->kept[v] = -1;
    }
    for (uint32_t i = 0; i < s->found.count; ++i) {
        const sni_contact_opposite *o = &s->found.items[i];
        float *kept = &r->kept[o->vertex];
        *kept = *kept < 0 ? o->kept : fminf(*kept, o->kept);
    }
    return sni_contact_find_opposites(r, margin, &s->found, NULL) && sort_opposites(s);
}

// ---------------------------------------------------------------------------------------------
// Sweeps over edges

typedef struct edge_sweeps {
    const solver *s;
    sni_edge_sweep around;
    bool touches;      // vertices are pushed apart, too
    uint8_t *restless; // of vertices: the next sweep can move them
    uint32_t *active;  // restless ones, in the order of the list
    uint32_t active_count;
} edge_sweeps;

static void sweep_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const edge_sweeps *e = user;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = e->active[k];
        sn_vec3 *next = &e->s->r->next[i];
        e->restless[i] = sni_edges_step(&e->around, i, next);
        if (e->touches) {
            push(e->s, i, next);
        }
    }
}

// Lists the restless vertices, in their order; most of them, eight at once, are not.
static void list_active(edge_sweeps *e) {
    const solver *s = e->s;
    uint32_t count = s->r->c->desc.mesh->vertex_count, v = 0;
    e->active_count = 0;
    while (v < count) {
        uint64_t eight = 1;
        if (v + sizeof eight <= count) {
            memcpy(&eight, e->restless + v, sizeof eight);
        }
        if (eight == 0) {
            v += sizeof eight;
            continue;
        }
        uint32_t end = v + sizeof eight < count ? v + sizeof eight : count;
        for (; v < end; ++v) {
            if (e->restless[v] && s->marks[v]) {
                e->active[e->active_count++] = v;
            }
        }
    }
}

// Takes what the last sweep has moved. What it has moved and the neighbours of that are restless,
// as are ends of edges that were beyond the limits and, where anything was moved, all that has
// opposites: all others have what they depend on as it was, and would stay where they are.
static void take_active(edge_sweeps *e) {
    const solver *s = e->s;
    const sni_contact_run *r = s->r;
    const sni_skin_edges *edges = r->c->desc.edges;
    bool any = false;
    for (uint32_t k = 0; k < e->active_count; ++k) {
        uint32_t i = e->active[k];
        if (memcmp(&r->positions[i], &r->next[i], sizeof *r->next) == 0) {
            continue;
        }
        any = true;
        r->positions[i] = r->next[i];
        e->restless[i] = 1;
        for (uint32_t n = edges->starts[i]; n < edges->starts[i + 1]; ++n) {
            e->restless[edges->map[edges->items[n].other]] = 1;
        }
    }
    for (uint32_t k = 0; k < s->touched_count && any && e->touches; ++k) {
        e->restless[s->touched[k]] = 1;
    }
    list_active(e);
}

static void sweep(edge_sweeps *e, sni_edge_limits limits, uint32_t sweeps, bool touches) {
    const solver *s = e->s;
    e->around.limits = limits;
    e->touches = touches;
    memset(e->restless, 0, s->r->c->desc.mesh->vertex_count * sizeof *e->restless);
    memcpy(e->active, s->moved, s->moved_count * sizeof *e->active);
    e->active_count = s->moved_count;
    for (uint32_t k = 0; k < sweeps && e->active_count > 0; ++k) {
        sn_parallel_for(s->r->c->context, e->active_count, GRAIN, sweep_block, e);
        take_active(e);
    }
}

// Where contact and edges cannot both have their way, edges have the last word.
static bool sweep_edges(solver *s) {
    const sni_contact_run *r = s->r;
    const sni_skin_contact_desc *d = &r->c->desc;
    edge_sweeps e = {.s = s,
                     .around = {.edges = d->edges,
                                .before = r->before,
                                .positions = r->positions,
                                .next = r->next},
                     .restless =
                         sni_arena_alloc(r->arena, d->mesh->vertex_count, sizeof *e.restless),
                     .active = sni_arena_alloc(r->arena, d->mesh->vertex_count, sizeof *e.active)};
    if (e.restless == NULL || e.active == NULL) {
        return false;
    }
    sweep(&e, d->limits, d->sweeps, true);
    sweep(&e, hard_limits, HARD_SWEEPS, false);
    return true;
}

bool sni_contact_solve(sni_contact_run *r, uint8_t *marks) {
    const sni_skin_contact *c = r->c;
    uint32_t count = c->desc.mesh->vertex_count;
    solver s = {.r = r,
                .marks = marks,
                .strength = sni_arena_alloc(r->arena, count, sizeof *s.strength),
                .moved = sni_arena_alloc(r->arena, count, sizeof *s.moved),
                .turns = sni_arena_alloc(r->arena, count, sizeof *s.turns),
                .pulls = sni_arena_alloc(r->arena, count, sizeof *s.pulls),
                .hold = hold_full * 36 / ((double)c->rings * c->rings)};
    if (s.strength == NULL || s.moved == NULL || s.turns == NULL || s.pulls == NULL ||
        !sni_contact_find_opposites(r, 0, &s.found, &s.planes) || !list_moved(&s) ||
        !sort_opposites(&s)) {
        return false;
    }
    if (s.moved_count == 0) {
        return true;
    }
    find_pulls(&s);
    touch_pass(&s);
    touch_pass(&s);
    if (!pack_even(&s)) {
        return false;
    }
    for (uint32_t pass = 0; pass < c->rings + 2; ++pass) {
        elastic_pass(&s);
        touch_pass(&s);
        note_touched(&s);
    }
    return find_again(&s) && sweep_edges(&s);
}
