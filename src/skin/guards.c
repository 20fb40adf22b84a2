// SPDX-License-Identifier: Apache-2.0
#include "skin/guards.h"

#include "base/context.h"
#include "base/memory.h"
#include "geometry/triangle.h"
#include "kind/component_shape.h"
#include "sinew/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Components of a point at most, the nearest ones: on the dog of 251 muscles skin lies on one or
// two, and a dozen come near it in a walk.
enum { MOST_GUARDS = 8 };
// Steps of a walk at most; a pose moves points by some edges.
enum { MOST_STEPS = 48 };
// Cosine of the angle between the way out of a component and the way that led out at rest.
static const double least_outward = 0.2;
// A point that lies deeper, in reaches, is left: what came there is out of place itself.
static const double furthest_push = 0.25;
// What was pushed out of one component, or went along with its neighbours, may have come into
// another.
enum { PASSES = 2 };
// Rounds, even, in which moves spread over the skin, and what of them goes on.
enum { SHARE_ROUNDS = 4 };
static const double shared = 0.9;
// A push that stretches a triangle further than this takes itself back by halves.
enum { EASE_ROUNDS = 8 };
static const double most_stretch = 2.7;
// Points of a block: some hundred microseconds.
enum { PUSH_GRAIN = 1024, FIND_GRAIN = 256 };

// A component as guards see it.
typedef struct guarded {
    uint32_t segment; // SN_NONE: it deforms
    sn_mat4 to_segment;
    sni_component_shape *shape;
} guarded;

typedef struct guard {
    uint32_t component, triangle;
    uint32_t corners[3]; // of the triangle
    float weights[3];    // of its closest point at rest
    float direction[3];  // from there to the skin's point, unit, in the triangle's frame
} guard;

struct sni_guards {
    sn_context *context;
    uint32_t point_count, component_count, guard_count;
    double reach;
    guarded *components;
    uint32_t *starts; // point_count + 1
    guard *guards;
    uint32_t *next_starts; // point_count + 1
    uint32_t *next;        // points at the other ends of each point's edges, once per triangle
    float *rest;           // point_count x 3
    uint32_t triangle_count;
    uint32_t *triangles; // triangle_count x 3, of the skin
};

void sni_guards_destroy(sni_guards *guards) {
    if (guards == NULL) {
        return;
    }
    sn_context *context = guards->context;
    for (uint32_t i = 0; guards->components != NULL && i < guards->component_count; ++i) {
        sni_component_shapes_release(context, 1, &guards->components[i].shape);
    }
    sni_free(context, guards->components);
    sni_free(context, guards->starts);
    sni_free(context, guards->guards);
    sni_free(context, guards->next_starts);
    sni_free(context, guards->next);
    sni_free(context, guards->rest);
    sni_free(context, guards->triangles);
    sni_free(context, guards);
}

size_t sni_guards_bytes(const sni_guards *guards) {
    size_t bytes = sizeof *guards + guards->guard_count * sizeof *guards->guards +
                   ((size_t)guards->point_count + 1) * sizeof *guards->starts +
                   guards->component_count * sizeof *guards->components;
    for (uint32_t i = 0; i < guards->component_count; ++i) {
        const sni_component_shape *shape = guards->components[i].shape;
        bytes += 16 * (size_t)shape->vertex_count + 24 * (size_t)shape->triangles->count;
    }
    return bytes;
}

// --- Making

static sn_status add_components(sni_guards *guards, const sni_guards_desc *desc, sn_error *error) {
    sni_component_shape **shapes = NULL;
    sn_status status = SN_OK;
    SNI_NEW(guards->context, shapes, desc->component_count);
    SNI_NEW_ZERO(guards->context, guards->components, desc->component_count);
    status = sni_component_shapes_hold(guards->context, desc->component_count, desc->components,
                                       NULL, shapes, error);
    for (uint32_t i = 0; i < desc->component_count; ++i) {
        const sni_component *component = &desc->components[i];
        guarded *c = &guards->components[i];
        *c = (guarded){.segment = component->segment, .shape = shapes[i]};
        if (c->segment != SN_NONE && component->to_segment != NULL) {
            c->to_segment = *component->to_segment;
        } else if (c->segment != SN_NONE) {
            sn_mat4_invert(&desc->rest_worlds[c->segment], &c->to_segment);
        }
    }
cleanup:
    sni_free(guards->context, shapes);
    return status;
}

static void load_corners(const guarded *c, const float *vertices, uint32_t triangle,
                         sn_vec3 corners[3]) {
    sni_triangle_corners(vertices, c->shape->triangles->vertices + 3 * (size_t)triangle, corners);
}

// The guard of a point on a component; false where it is too far away or the point is inside.
static bool make_guard(const sni_guards *guards, uint32_t component, sn_vec3 point, double r,
                       guard *made, double *distance) {
    const guarded *c = &guards->components[component];
    if (point.x < c->shape->low.x - r || point.y < c->shape->low.y - r ||
        point.z < c->shape->low.z - r || point.x > c->shape->high.x + r ||
        point.y > c->shape->high.y + r || point.z > c->shape->high.z + r) {
        return false;
    }
    sn_closest closest;
    sn_accel_find_closest(c->shape->accel, point, r, &closest);
    sn_vec3 corners[3], axes[3];
    if (closest.triangle == SN_NONE || closest.distance == 0) {
        return false;
    }
    load_corners(c, c->shape->vertices, closest.triangle, corners);
    sn_vec3 way = sn_vec3_scale(sn_vec3_sub(point, closest.point), 1 / closest.distance);
    if (!sni_triangle_frame(corners, axes) || sn_vec3_dot(way, axes[2]) <= 0) {
        return false;
    }
    *made = (guard){.component = component, .triangle = closest.triangle};
    memcpy(made->corners, c->shape->triangles->vertices + 3 * (size_t)closest.triangle,
           sizeof made->corners);
    for (int k = 0; k < 3; ++k) {
        made->weights[k] = (float)closest.barycentric[k];
        made->direction[k] = (float)sn_vec3_dot(axes[k], way);
    }
    *distance = closest.distance;
    return true;
}

typedef struct finding {
    const sni_guards *guards;
    const float *points;
    guard *found; // MOST_GUARDS of each point
    uint32_t *counts;
} finding;

static void find_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const finding *f = user;
    for (size_t i = begin; i < end; ++i) {
        sn_vec3 point = sn_vec3_load(f->points + 3 * i);
        guard *list = f->found + MOST_GUARDS * i;
        double distances[MOST_GUARDS + 1], distance;
        uint32_t count = 0;
        for (uint32_t c = 0; c < f->guards->component_count; ++c) {
            guard made;
            // Of what is further away than all that has room nothing is kept.
            double reach = count < MOST_GUARDS ? f->guards->reach : distances[MOST_GUARDS - 1];
            if (!make_guard(f->guards, c, point, reach, &made, &distance)) {
                continue;
            }
            uint32_t at = count;
            while (at > 0 && distances[at - 1] > distance) {
                --at;
            }
            for (uint32_t k = count < MOST_GUARDS ? count : MOST_GUARDS - 1; k > at; --k) {
                list[k] = list[k - 1];
                distances[k] = distances[k - 1];
            }
            if (at < MOST_GUARDS) {
                list[at] = made;
                distances[at] = distance;
                count += count < MOST_GUARDS;
            }
        }
        f->counts[i] = count;
    }
}

static sn_status find_guards(sni_guards *guards, const float *points, sn_error *error) {
    sn_context *context = guards->context;
    sn_status status = SN_OK;
    finding f = {.guards = guards, .points = points};
    SNI_NEW(context, f.found, MOST_GUARDS * (size_t)guards->point_count);
    SNI_NEW(context, f.counts, guards->point_count);
    SNI_NEW(context, guards->starts, (size_t)guards->point_count + 1);
    sn_parallel_for(context, guards->point_count, FIND_GRAIN, find_block, &f);
    guards->starts[0] = 0;
    for (uint32_t i = 0; i < guards->point_count; ++i) {
        guards->starts[i + 1] = guards->starts[i] + f.counts[i];
    }
    guards->guard_count = guards->starts[guards->point_count];
    SNI_NEW(context, guards->guards, guards->guard_count);
    for (uint32_t i = 0; i < guards->point_count; ++i) {
        memcpy(guards->guards + guards->starts[i], f.found + MOST_GUARDS * (size_t)i,
               f.counts[i] * sizeof *f.found);
    }
cleanup:
    sni_free(context, f.found);
    sni_free(context, f.counts);
    return status;
}

// The points around each point.
static sn_status join_points(sni_guards *guards, const sni_guards_desc *desc, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *starts = NULL;
    SNI_NEW_ZERO(guards->context, guards->next_starts, (size_t)desc->point_count + 2);
    SNI_NEW(guards->context, guards->next, 6 * (size_t)desc->triangle_count);
    SNI_NEW(guards->context, guards->rest, 3 * (size_t)desc->point_count);
    SNI_NEW(guards->context, guards->triangles, 3 * (size_t)desc->triangle_count);
    memcpy(guards->rest, desc->points, 3 * sizeof(float) * (size_t)desc->point_count);
    memcpy(guards->triangles, desc->vertices, 3 * sizeof(uint32_t) * (size_t)desc->triangle_count);
    guards->triangle_count = desc->triangle_count;
    starts = guards->next_starts;
    for (size_t i = 0; i < 3 * (size_t)desc->triangle_count; ++i) {
        starts[desc->vertices[i] + 2] += 2;
    }
    for (uint32_t i = 0; i < desc->point_count; ++i) {
        starts[i + 2] += starts[i + 1];
    }
    // starts[v + 1] moves from where the points of v begin to where they end.
    for (size_t i = 0; i < 3 * (size_t)desc->triangle_count; ++i) {
        const uint32_t *corners = desc->vertices + i - i % 3;
        uint32_t *at = &starts[desc->vertices[i] + 1];
        guards->next[(*at)++] = corners[(i + 1) % 3];
        guards->next[(*at)++] = corners[(i + 2) % 3];
    }
cleanup:
    return status;
}

sn_status sni_guards_create(sn_context *context, const sni_guards_desc *desc, sni_guards **guards,
                            sn_error *error) {
    SN_ASSERT(desc->point_count == 0 || desc->points != NULL);
    SN_ASSERT(desc->component_count == 0 || desc->components != NULL);
    sn_status status = SN_OK;
    sni_guards *made = NULL;
    *guards = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->point_count = desc->point_count;
    made->component_count = desc->component_count;
    made->reach = desc->reach;
    SN_TRY(add_components(made, desc, error));
    SN_TRY(find_guards(made, desc->points, error));
    SN_TRY(join_points(made, desc, error));
    *guards = made;
    made = NULL;
cleanup:
    sni_guards_destroy(made);
    return status;
}

// --- Pushing

// Where a walk over a surface has come to.
typedef struct nearest {
    double squared; // distance
    sn_vec3 point;
    uint32_t triangle;
    bool behind; // the point lies behind all triangles of this distance
} nearest;

static void try_triangle(const guarded *c, const float *vertices, uint32_t triangle, sn_vec3 x,
                         nearest *best) {
    sn_vec3 p[3];
    uint32_t sorted[3];
    double weights[3];
    sni_triangle_sort(vertices, c->shape->triangles->vertices + 3 * (size_t)triangle, sorted, NULL);
    sni_triangle sides = sni_triangle_load(vertices, sorted);
    double squared = sni_triangle_closest(&sides, x, weights);
    if (squared > best->squared) {
        return;
    }
    load_corners(c, vertices, triangle, p);
    sn_vec3 normal = sni_triangle_vector(p[0], p[1], p[2]);
    sn_vec3 at = sni_triangle_point(&sides, weights);
    bool behind = sn_vec3_dot(sn_vec3_sub(x, at), normal) < 0;
    if (squared < best->squared) {
        *best = (nearest){squared, at, triangle, behind};
    } else {
        best->behind = best->behind && behind;
    }
}

// From the guard's triangle on to whichever triangle around its corners is nearer, while there is
// one.
static nearest walk(const guarded *c, const float *vertices, uint32_t triangle, sn_vec3 x) {
    nearest best = {.squared = INFINITY, .triangle = triangle};
    for (int step = 0; step < MOST_STEPS; ++step) {
        uint32_t from = best.triangle;
        nearest next = {.squared = INFINITY, .triangle = from};
        for (size_t k = 0; k < 3; ++k) {
            uint32_t vertex = c->shape->triangles->vertices[3 * (size_t)from + k];
            for (uint32_t t = c->shape->fan_starts[vertex]; t < c->shape->fan_starts[vertex + 1];
                 ++t) {
                try_triangle(c, vertices, c->shape->fans[t], x, &next);
            }
        }
        bool closer = next.squared < best.squared;
        best = next;
        if (!closer) {
            break;
        }
    }
    return best;
}

// The plane's side without its frame: the sum of direction times way along ab / |ab|, n x ab /
// |n x ab| and n / |n|, times |ab| |n|. Most points are above, and so far that rounding is no
// matter.
static bool is_surely_above(const guard *g, const sn_vec3 p[3], sn_vec3 way) {
    static const double rounding = 1e-9;
    sn_vec3 ab = sn_vec3_sub(p[1], p[0]), n = sn_vec3_cross(ab, sn_vec3_sub(p[2], p[0]));
    double length = sqrt(sn_vec3_dot(ab, ab)), area = sqrt(sn_vec3_dot(n, n));
    double side = (double)g->direction[0] * sn_vec3_dot(way, ab) * area +
                  (double)g->direction[1] * sn_vec3_dot(way, sn_vec3_cross(n, ab)) +
                  (double)g->direction[2] * sn_vec3_dot(way, n) * length;
    double most = (fabs(way.x) + fabs(way.y) + fabs(way.z)) * length * area;
    return side > rounding * most;
}

// Whether a point lies below the plane between it and the component at rest, and not so far away
// that the plane says nothing.
static bool is_below(const guard *g, const float *vertices, sn_vec3 x, double reach, sn_vec3 *out) {
    sn_vec3 corners[3], axes[3], foot = {0, 0, 0}, direction = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        corners[k] = sn_vec3_load(vertices + 3 * (size_t)g->corners[k]);
        foot = sn_vec3_add_scaled(foot, (double)g->weights[k], corners[k]);
    }
    sn_vec3 way = sn_vec3_sub(x, foot);
    if (is_surely_above(g, corners, way) || !sni_triangle_frame(corners, axes)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        direction = sn_vec3_add_scaled(direction, (double)g->direction[k], axes[k]);
    }
    *out = direction;
    return sn_vec3_dot(way, direction) < 0 && sn_vec3_dot(way, way) < 4 * reach * reach;
}

typedef struct pushing {
    const sni_guards *guards;
    const sn_mat4 *places;   // component_count: of carried ones, from rest to where they are
    const sn_mat4 *inverses; // component_count
    const float *const *surfaces;
    float *points, *moves; // point_count x 3
    bool again;            // only points that moved in the pass before
} pushing;

typedef struct sharing {
    const sni_guards *guards;
    const float *pushed, *from; // point_count x 3
    float *to;
} sharing;

// The point outside of one component.
static sn_vec3 push_out(const pushing *p, const guard *g, sn_vec3 x) {
    const guarded *c = &p->guards->components[g->component];
    bool carried = c->segment != SN_NONE;
    const float *vertices = carried ? c->shape->vertices : p->surfaces[g->component];
    sn_vec3 local = carried ? sn_mat4_point(&p->inverses[g->component], x) : x;
    sn_vec3 out;
    if (!is_below(g, vertices, local, p->guards->reach, &out)) {
        return x;
    }
    nearest found = walk(c, vertices, g->triangle, local);
    sn_vec3 way = sn_vec3_sub(found.point, local);
    // Through a thin muscle the nearest way may lead inwards, or far along it.
    double length = sn_vec3_length(way);
    bool outwards = sn_vec3_dot(way, out) >= least_outward * length &&
                    length <= furthest_push * p->guards->reach;
    return !found.behind || !outwards ? x
           : carried                  ? sn_mat4_point(&p->places[g->component], found.point)
                                      : found.point;
}

static void push_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const pushing *p = user;
    for (size_t i = begin; i < end; ++i) {
        const float *move = p->moves + 3 * i;
        if (p->again && move[0] == 0 && move[1] == 0 && move[2] == 0) {
            continue;
        }
        sn_vec3 x = sn_vec3_load(p->points + 3 * i), at = x;
        for (uint32_t g = p->guards->starts[i]; g < p->guards->starts[i + 1]; ++g) {
            at = push_out(p, &p->guards->guards[g], at);
        }
        sn_vec3_store(sn_vec3_sub(at, x), p->moves + 3 * i);
    }
}

// A point that was not pushed itself goes with those around it, by most of their mean.
static void share_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const sharing *s = user;
    for (size_t i = begin; i < end; ++i) {
        sn_vec3 move = sn_vec3_load(s->pushed + 3 * i), sum = {0, 0, 0};
        uint32_t first = s->guards->next_starts[i], last = s->guards->next_starts[i + 1];
        if (move.x == 0 && move.y == 0 && move.z == 0 && last > first) {
            for (uint32_t k = first; k < last; ++k) {
                sum = sn_vec3_add(sum, sn_vec3_load(s->from + 3 * (size_t)s->guards->next[k]));
            }
            move = sn_vec3_scale(sum, shared / (last - first));
        }
        sn_vec3_store(move, s->to + 3 * i);
    }
}

static bool is_moved(const float *moves, const uint32_t *corners) {
    float sum = 0;
    for (size_t k = 0; k < 9; ++k) {
        sum += fabsf(moves[3 * (size_t)corners[k / 3] + k % 3]);
    }
    return sum > 0;
}

typedef struct easing {
    const pushing *pushing;
    uint8_t *torn;  // triangle_count
    uint8_t *eased; // point_count: since the last look; nothing else can have changed
} easing;

static bool is_eased(const easing *e, const uint32_t *corners) {
    return e->eased[corners[0]] || e->eased[corners[1]] || e->eased[corners[2]];
}

// Which triangles moves stretch too far, and further than they are.
static void tear_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const easing *e = user;
    const pushing *p = e->pushing;
    for (uint32_t t = begin; t < end; ++t) {
        const uint32_t *corners = p->guards->triangles + 3 * (size_t)t;
        sn_vec3 rest[3], before[3], after[3];
        e->torn[t] = 0;
        if (!is_eased(e, corners) || !is_moved(p->moves, corners)) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            size_t v = 3 * (size_t)corners[k];
            rest[k] = sn_vec3_load(p->guards->rest + v);
            before[k] = sn_vec3_load(p->points + v);
            after[k] = sn_vec3_add(before[k], sn_vec3_load(p->moves + v));
        }
        double stretch = sni_triangle_stretch(rest, after);
        e->torn[t] = stretch > most_stretch && stretch > sni_triangle_stretch(rest, before);
    }
}

// Takes moves back by half where they stretch a triangle too far; false when none does.
static bool ease(const easing *e) {
    const sni_guards *guards = e->pushing->guards;
    uint8_t *eased = e->eased;
    float *moves = e->pushing->moves;
    bool any = false;
    sn_parallel_for(guards->context, guards->triangle_count, PUSH_GRAIN, tear_block, (void *)e);
    memset(eased, 0, guards->point_count);
    for (uint32_t t = 0; t < guards->triangle_count; ++t) {
        if (e->torn[t]) {
            const uint32_t *corners = guards->triangles + 3 * (size_t)t;
            eased[corners[0]] = eased[corners[1]] = eased[corners[2]] = 1;
            any = true;
        }
    }
    for (size_t i = 0; i < guards->point_count && any; ++i) {
        for (size_t k = 0; k < 3 && eased[i]; ++k) {
            moves[3 * i + k] *= 0.5F;
        }
    }
    return any;
}

static void add_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const pushing *p = user;
    for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; ++i) {
        p->points[i] += p->moves[i];
    }
}

// Spreads moves over the skin, from `p->moves` and back into them.
static void share_moves(const pushing *p, float *pushed, float *other, uint8_t *torn) {
    uint32_t count = p->guards->point_count;
    memcpy(pushed, p->moves, 3 * sizeof *pushed * (size_t)count);
    for (int round = 0; round < SHARE_ROUNDS; ++round) {
        sharing s = {p->guards, pushed, round % 2 == 0 ? p->moves : other,
                     round % 2 == 0 ? other : p->moves};
        sn_parallel_for(p->guards->context, count, PUSH_GRAIN, share_block, &s);
    }
    easing e = {p, torn, (uint8_t *)other};
    memset(e.eased, 1, count);
    for (int round = 0; round < EASE_ROUNDS && ease(&e); ++round) {
    }
}

bool sni_guards_push(const sni_guards *guards, sni_arena *arena, const sn_mat4 *worlds,
                     const float *const *surfaces, float *points) {
    SN_ASSERT(points != NULL);
    sni_arena_mark mark = sni_arena_mark_now(arena);
    sn_mat4 *places = sni_arena_alloc(arena, guards->component_count, sizeof *places);
    sn_mat4 *inverses = sni_arena_alloc(arena, guards->component_count, sizeof *inverses);
    size_t numbers = 3 * (size_t)guards->point_count;
    float *moves = sni_arena_alloc(arena, numbers, sizeof *moves);
    float *pushed = sni_arena_alloc(arena, numbers, sizeof *pushed);
    float *other = sni_arena_alloc(arena, numbers, sizeof *other);
    uint8_t *torn = sni_arena_alloc(arena, guards->triangle_count, sizeof *torn);
    if (places == NULL || inverses == NULL || moves == NULL || pushed == NULL || other == NULL ||
        torn == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < guards->component_count; ++i) {
        const guarded *c = &guards->components[i];
        if (c->segment != SN_NONE) {
            places[i] = sn_mat4_multiply(&worlds[c->segment], &c->to_segment);
            sn_mat4_invert(&places[i], &inverses[i]);
        }
    }
    pushing p = {guards, places, inverses, surfaces, points, moves, false};
    for (int pass = 0; pass < PASSES; ++pass) {
        p.again = pass > 0;
        sn_parallel_for(guards->context, guards->point_count, PUSH_GRAIN, push_block, &p);
        share_moves(&p, pushed, other, torn);
        sn_parallel_for(guards->context, guards->point_count, PUSH_GRAIN, add_block, &p);
    }
    sni_arena_release(arena, mark);
    return true;
}
