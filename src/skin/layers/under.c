// SPDX-License-Identifier: Apache-2.0
#include "skin/layers/under.h"

#include "base/context.h"
#include "geometry/triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Rays begin this far outside, in mean edges: a bone that pokes through the skin is met, too.
static const double start_edges = 0.5;
// They end at so many radii of the ball that fits there: what is farther is on the other side.
static const double end_radii = 2.2;
// A column that is so many times deeper than the mean of its neighbours has looked through a hole.
static const double hole = 2;
// Rounds in which columns take over from their neighbours.
enum { REPAIR_ROUNDS = 200 };
enum { RAY_GRAIN = 64 };

// What a ray has met.
typedef struct met {
    uint32_t component, triangle; // component SN_NONE: nothing
    float distance;               // from the skin, not below 0
} met;

// A ray: the first thing that it meets, how far it goes until it meets something that is not tied
// (or the first thing, where that is nothing), and the tied muscles that it goes through before it
// meets something that a segment carries, those with the lowest numbers.
enum { DEEP = 8 };
typedef struct ray {
    met first;
    float distance;
    met tied[DEEP];
} ray;

typedef struct casting {
    const sni_layers_under *under;
    const sni_layers_mesh *mesh;
    const sni_layers_fascia *fascia;
    bool carried; // only what segments carry counts
    double cone;
    ray *rays; // column_count x SNI_LAYERS_RAYS
} casting;

// ---------------------------------------------------------------------------------------------
// Components

static const float *vertices_of(const sni_layers_component *c) {
    return c->vertices != NULL ? c->vertices : c->shape->vertices;
}

static const sn_accel *accel_of(const sni_layers_component *c) {
    return c->accel != NULL ? c->accel : c->shape->accel;
}

// On a body with other proportions than the one that the component's shape is of, it stands
// elsewhere at rest.
static sn_status place_component(sn_context *context, const sni_component *from,
                                 const sn_mat4 *rest_worlds, sni_layers_component *c,
                                 sn_error *error) {
    const sni_component_shape *shape = c->shape;
    sn_status status = SN_OK;
    bool moved = c->segment != SN_NONE ? from->to_segment != NULL
                                       : from->rest_points != NULL && !c->has_strips;
    if (!moved) {
        return SN_OK;
    }
    SNI_NEW(context, c->vertices, 3 * (size_t)shape->vertex_count);
    for (size_t i = 0; i < shape->vertex_count; ++i) {
        sn_vec3 p =
            sn_vec3_load((c->segment != SN_NONE ? shape->vertices : from->rest_points) + 3 * i);
        if (c->segment != SN_NONE) {
            p = sn_mat4_point(&rest_worlds[c->segment], sn_mat4_point(&c->to_segment, p));
        }
        sn_vec3_store(p, c->vertices + 3 * i);
    }
    SN_TRY(sn_accel_create(context, c->vertices, shape->vertex_count, shape->triangles->vertices,
                           shape->triangles->count, &c->accel, error));
    if (c->segment != SN_NONE) {
        sn_mat4_invert(&rest_worlds[c->segment], &c->to_segment);
    }
cleanup:
    return status;
}

static sn_status take_components(sni_layers_under *u, const sni_layers_under_desc *desc,
                                 sn_error *error) {
    sni_component_shape **shapes = NULL;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(u->context, u->components, desc->component_count);
    SNI_NEW(u->context, shapes, desc->component_count);
    status = sni_component_shapes_hold(u->context, desc->component_count, desc->components, NULL,
                                       shapes, error);
    u->component_count = desc->component_count;
    for (uint32_t i = 0; i < desc->component_count; ++i) {
        u->components[i].shape = shapes[i]; // released with it, also after a failure
    }
    for (uint32_t i = 0; i < desc->component_count && status == SN_OK; ++i) {
        const sni_component *from = &desc->components[i];
        sni_layers_component *c = &u->components[i];
        c->segment = from->segment;
        c->tied = desc->tied[i];
        c->has_strips = from->strip_count > 0;
        if (c->segment != SN_NONE && from->to_segment != NULL) {
            c->to_segment = *from->to_segment;
        } else if (c->segment != SN_NONE) {
            sn_mat4_invert(&desc->rest_worlds[c->segment], &c->to_segment);
        }
        status = place_component(u->context, from, desc->rest_worlds, c, error);
    }
cleanup:
    sni_free(u->context, shapes);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Rays

// Whether a ray up to `farthest` comes near a component's box.
static bool may_meet(const sni_layers_component *c, sn_vec3 from, sn_vec3 along, double farthest) {
    if (c->vertices != NULL) {
        return true; // the box is that of its shape
    }
    const double origin[3] = {from.x, from.y, from.z}, way[3] = {along.x, along.y, along.z};
    const double low[3] = {c->shape->low.x, c->shape->low.y, c->shape->low.z};
    const double high[3] = {c->shape->high.x, c->shape->high.y, c->shape->high.z};
    double begin = 0, end = farthest;
    for (int k = 0; k < 3; ++k) {
        double inverse = 1 / way[k], a = (low[k] - origin[k]) * inverse;
        double b = (high[k] - origin[k]) * inverse;
        if (way[k] == 0 && (origin[k] < low[k] || origin[k] > high[k])) {
            return false;
        }
        begin = way[k] != 0 ? fmax(begin, fmin(a, b)) : begin;
        end = way[k] != 0 ? fmin(end, fmax(a, b)) : end;
    }
    return begin <= end * (1 + 1e-9) + 1e-12;
}

// The nearest hit of one component up to `limit`; false: there is none.
static bool meet(const casting *c, uint32_t i, sn_vec3 from, sn_vec3 along, double limit,
                 sn_hit *hit) {
    const sni_layers_component *component = &c->under->components[i];
    hit->triangle = SN_NONE;
    if (may_meet(component, from, along, limit)) {
        sn_accel_cast(accel_of(component), from, along, 0, limit, hit);
    }
    return hit->triangle != SN_NONE;
}

// The nearest thing that a ray meets, the first component of equals, and how far it goes until it
// meets something that a segment carries.
static met find_first(const casting *c, sn_vec3 from, sn_vec3 along, double farthest, double before,
                      double *stopped) {
    met nearest = {.component = SN_NONE};
    double limit = farthest;
    *stopped = farthest;
    for (uint32_t i = 0; i < c->under->component_count; ++i) {
        bool carried = c->under->components[i].segment != SN_NONE;
        sn_hit hit;
        if ((c->carried && !carried) ||
            !meet(c, i, from, along, carried ? *stopped : limit, &hit)) {
            continue;
        }
        if (carried) {
            *stopped = fmin(*stopped, hit.distance);
        }
        if (nearest.component == SN_NONE || hit.distance < limit) {
            nearest = (met){i, hit.triangle, (float)fmax(hit.distance - before, 0)};
            limit = hit.distance;
        }
    }
    return nearest;
}

static ray cast_ray(const casting *c, sn_vec3 from, sn_vec3 along, double farthest, double before) {
    double stopped;
    uint32_t count = 0;
    ray r = {.first = find_first(c, from, along, farthest, before, &stopped)};
    double untied = stopped < farthest ? stopped : INFINITY;
    for (uint32_t i = 0; i < c->under->component_count && count < DEEP && !c->carried; ++i) {
        sn_hit hit;
        const sni_layers_component *component = &c->under->components[i];
        if (component->segment != SN_NONE || !meet(c, i, from, along, stopped, &hit)) {
            continue;
        }
        if (component->tied) {
            r.tied[count++] = (met){i, hit.triangle, (float)fmax(hit.distance - before, 0)};
        } else {
            untied = fmin(untied, hit.distance);
        }
    }
    r.distance = isfinite(untied) ? (float)fmax(untied - before, 0) : r.first.distance;
    for (; count < DEEP; ++count) {
        r.tied[count].component = SN_NONE;
    }
    return r;
}

// Ray k of a bundle around a direction: the middle one, then a spiral that fills the cone evenly.
static sn_vec3 ray_direction(sn_vec3 middle, uint32_t k, double cone) {
    static const double golden_angle = 2.39996322972865332;
    double angle = cone * sqrt((double)k / (SNI_LAYERS_RAYS - 1));
    sn_vec3 side = sn_vec3_perpendicular(middle), across = sn_vec3_cross(middle, side);
    double turn = golden_angle * k;
    sn_vec3 off = sn_vec3_add_scaled(sn_vec3_scale(side, cos(turn)), sin(turn), across);
    return sn_vec3_add_scaled(sn_vec3_scale(middle, cos(angle)), sin(angle), off);
}

static void cast_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const casting *c = user;
    for (uint32_t i = begin; i < end; ++i) {
        sn_vec3 x = sn_vec3_load(c->mesh->points + 3 * (size_t)i);
        sn_vec3 inwards = sn_vec3_scale(sn_vec3_load(c->fascia->outwards + 3 * (size_t)i), -1);
        double before = start_edges * sni_layers_edge(c->mesh, i);
        double farthest = before + end_radii * (double)c->fascia->radii[i];
        for (uint32_t k = 0; k < SNI_LAYERS_RAYS; ++k) {
            sn_vec3 along = ray_direction(inwards, k, c->cone);
            sn_vec3 from = sn_vec3_add_scaled(x, -before, along);
            c->rays[(size_t)i * SNI_LAYERS_RAYS + k] = cast_ray(c, from, along, farthest, before);
        }
    }
}

static uint32_t count_hits(const ray *rays) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < SNI_LAYERS_RAYS; ++k) {
        count += rays[k].first.component != SN_NONE;
    }
    return count;
}

// How deep a column is: the mean of its rays, those that met nothing left out.
static double mean_distance(const ray *rays) {
    double sum = 0;
    for (uint32_t k = 0; k < SNI_LAYERS_RAYS; ++k) {
        sum += rays[k].first.component != SN_NONE ? (double)rays[k].distance : 0;
    }
    uint32_t count = count_hits(rays);
    return count > 0 ? sum / count : INFINITY;
}

static void forget(ray *r) {
    r->first.component = SN_NONE;
    for (uint32_t k = 0; k < DEEP; ++k) {
        r->tied[k].component = SN_NONE;
    }
}

// ---------------------------------------------------------------------------------------------
// Repair

// Columns that look through a hole lose their rays.
static void close_holes(const sni_layers_mesh *m, ray *rays, float *distances) {
    const sni_surface_graph *g = &m->graph;
    for (uint32_t i = 0; i < m->column_count; ++i) {
        double sum = 0;
        uint32_t count = 0;
        for (uint32_t k = g->starts[i]; k < g->starts[i + 1]; ++k) {
            double other = (double)distances[g->neighbours[k]];
            sum += isfinite(other) ? other : 0;
            count += isfinite(other);
        }
        if (count >= 2 && isfinite(distances[i]) && (double)distances[i] > hole * sum / count &&
            (double)distances[i] > sni_layers_edge(m, i)) {
            for (uint32_t k = 0; k < SNI_LAYERS_RAYS; ++k) {
                forget(&rays[(size_t)i * SNI_LAYERS_RAYS + k]);
            }
        }
    }
    for (uint32_t i = 0; i < m->column_count; ++i) {
        distances[i] = (float)mean_distance(rays + (size_t)i * SNI_LAYERS_RAYS);
    }
}

// A column without rays takes one of each neighbour's, around and around, at their mean depth.
static bool take_over(const sni_layers_mesh *m, const ray *now, uint32_t i, ray *own) {
    const sni_surface_graph *g = &m->graph;
    uint32_t count = 0;
    for (uint32_t pass = 0; pass < SNI_LAYERS_RAYS && count < SNI_LAYERS_RAYS; ++pass) {
        for (uint32_t k = g->starts[i]; k < g->starts[i + 1] && count < SNI_LAYERS_RAYS; ++k) {
            const ray *other = now + (size_t)g->neighbours[k] * SNI_LAYERS_RAYS + pass;
            if (other->first.component != SN_NONE) {
                own[count++] = *other;
            }
        }
    }
    return count > 0;
}

static bool repair_round(const sni_layers_mesh *m, sni_layers_under *u, const ray *now, ray *next) {
    bool changed = false;
    for (uint32_t i = 0; i < m->column_count; ++i) {
        ray *own = next + (size_t)i * SNI_LAYERS_RAYS;
        if (count_hits(now + (size_t)i * SNI_LAYERS_RAYS) == 0 && take_over(m, now, i, own)) {
            u->repaired++;
            changed = true;
        }
    }
    return changed;
}

static sn_status repair(const sni_layers_mesh *m, sni_layers_under *u, ray *rays, sn_error *error) {
    size_t count = (size_t)m->column_count * SNI_LAYERS_RAYS;
    sn_status status = SN_OK;
    ray *next = NULL;
    SNI_NEW(u->context, next, count);
    close_holes(m, rays, u->distances);
    for (uint32_t i = 0; i < m->column_count; ++i) {
        u->missed += count_hits(rays + (size_t)i * SNI_LAYERS_RAYS) == 0;
    }
    memcpy(next, rays, count * sizeof *next);
    for (int round = 0; round < REPAIR_ROUNDS && repair_round(m, u, rays, next); ++round) {
        memcpy(rays, next, count * sizeof *next);
    }
    for (uint32_t i = 0; i < m->column_count; ++i) {
        u->distances[i] = (float)mean_distance(rays + (size_t)i * SNI_LAYERS_RAYS);
    }
cleanup:
    sni_free(u->context, next);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Triangles

// A number for each triangle of each component that is met, SN_NONE before.
typedef struct numbering {
    uint32_t *starts; // component_count + 1: of triangles of all components
    uint32_t *numbers;
    uint32_t capacity; // of the triangles that have a number
} numbering;

static sn_status make_numbering(const sni_layers_under *u, numbering *n, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(u->context, n->starts, (size_t)u->component_count + 1);
    n->starts[0] = 0;
    for (uint32_t i = 0; i < u->component_count; ++i) {
        n->starts[i + 1] = n->starts[i] + u->components[i].shape->triangles->count;
    }
    SNI_NEW(u->context, n->numbers, n->starts[u->component_count]);
    memset(n->numbers, 0xff, (size_t)n->starts[u->component_count] * sizeof *n->numbers);
cleanup:
    return status;
}

static void make_triangle(const sni_layers_under *u, const met *hit, sni_layers_triangle *made) {
    const sni_layers_component *c = &u->components[hit->component];
    sn_vec3 corners[3], axes[3];
    made->component = hit->component;
    memcpy(made->corners, c->shape->triangles->vertices + 3 * (size_t)hit->triangle,
           sizeof made->corners);
    sni_triangle_corners(vertices_of(c), made->corners, corners);
    sni_triangle_frame(corners, axes);
    sn_vec3 middle =
        sn_vec3_scale(sn_vec3_add(sn_vec3_add(corners[0], corners[1]), corners[2]), 1.0 / 3);
    made->from_rest = sn_mat4_identity();
    for (int k = 0; k < 3; ++k) {
        double *m = made->from_rest.m;
        m[k] = axes[k].x;
        m[4 + k] = axes[k].y;
        m[8 + k] = axes[k].z;
        m[12 + k] = -sn_vec3_dot(axes[k], middle);
    }
}

static bool deforms(const sni_layers_under *u, const met *hit) {
    return hit->component != SN_NONE && u->components[hit->component].segment == SN_NONE;
}

// The number of a triangle that columns follow; SN_NONE when memory runs out.
static uint32_t number_triangle(sni_layers_under *u, const met *hit, numbering *n) {
    uint32_t *number = &n->numbers[n->starts[hit->component] + hit->triangle];
    if (*number == SN_NONE) {
        if (!sni_grow(u->context, &u->triangles, &n->capacity, u->triangle_count + 1,
                      sizeof *u->triangles)) {
            return SN_NONE;
        }
        make_triangle(u, hit, &u->triangles[u->triangle_count]);
        *number = u->triangle_count++;
    }
    return *number;
}

// A row that is being made: triangles, each once, and how many rays follow them.
typedef struct follow_row {
    uint32_t count;
    uint32_t elements[SNI_LAYERS_RAYS * DEEP];
    float values[SNI_LAYERS_RAYS * DEEP];
} follow_row;

static bool add_to_row(sni_layers_under *u, const met *hit, numbering *n, follow_row *r) {
    uint32_t number = number_triangle(u, hit, n), k = 0;
    while (k < r->count && r->elements[k] != number) {
        ++k;
    }
    if (k == r->count) {
        r->elements[r->count] = number;
        r->values[r->count++] = 0;
    }
    r->values[k] += 1;
    return number != SN_NONE;
}

// What a column follows: the tied muscles of its rays, or the first things that they meet, where
// these deform. False when memory runs out.
static bool make_row(sni_layers_under *u, const ray *rays, bool tied, numbering *n, follow_row *r) {
    bool made = true;
    r->count = 0;
    for (uint32_t k = 0; k < SNI_LAYERS_RAYS && made; ++k) {
        for (uint32_t d = 0; tied && d < DEEP && made; ++d) {
            made = !deforms(u, &rays[k].tied[d]) || add_to_row(u, &rays[k].tied[d], n, r);
        }
        if (!tied && deforms(u, &rays[k].first)) {
            made = add_to_row(u, &rays[k].first, n, r);
        }
    }
    return made;
}

static sn_status make_follow(sni_layers_under *u, const ray *rays, numbering *n, bool tied,
                             sni_layers_follow *follow, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t triangles = 0, values = 0, used = 0;
    SNI_NEW(u->context, follow->starts, (size_t)u->column_count + 1);
    follow->starts[0] = 0;
    for (uint32_t i = 0; i < u->column_count; ++i) {
        const ray *own = rays + (size_t)i * SNI_LAYERS_RAYS;
        uint32_t met_any = count_hits(own);
        follow_row r;
        SN_TRY(make_row(u, own, tied, n, &r) &&
                       sni_grow(u->context, &follow->triangles, &triangles, used + r.count,
                                sizeof *follow->triangles) &&
                       sni_grow(u->context, &follow->weights, &values, used + r.count,
                                sizeof *follow->weights)
                   ? SN_OK
                   : sni_fail_memory(error));
        for (uint32_t k = 0; k < r.count; ++k, ++used) {
            follow->triangles[used] = r.elements[k];
            follow->weights[used] = r.values[k] / (float)met_any;
        }
        follow->starts[i + 1] = used;
    }
cleanup:
    return status;
}

static sn_status follow_triangles(sni_layers_under *u, const ray *rays, sn_error *error) {
    numbering n = {NULL, NULL, 0};
    sn_status status = SN_OK;
    SN_TRY(make_numbering(u, &n, error));
    SN_TRY(make_follow(u, rays, &n, true, &u->tied, error));
    SN_TRY(make_follow(u, rays, &n, false, &u->lifted, error));
cleanup:
    sni_free(u->context, n.starts);
    sni_free(u->context, n.numbers);
    return status;
}

static void note_met(sni_layers_under *u, const ray *rays) {
    for (size_t i = 0; i < (size_t)u->column_count * SNI_LAYERS_RAYS; ++i) {
        if (rays[i].first.component != SN_NONE) {
            u->components[rays[i].first.component].is_met = true;
        }
        for (uint32_t k = 0; k < DEEP && rays[i].tied[k].component != SN_NONE; ++k) {
            u->components[rays[i].tied[k].component].is_met = true;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// All of it

sn_status sni_layers_under_init(const sni_layers_mesh *m, const sni_layers_fascia *fascia,
                                const sni_layers_under_desc *desc, const sn_progress *progress,
                                sni_layers_under *u, sn_error *error) {
    sn_status status = SN_OK;
    ray *rays = NULL;
    *u = (sni_layers_under){.context = m->context, .column_count = m->column_count};
    SN_TRY(sni_progress(progress, "casting rays to what lies below", 0, error));
    SN_TRY(take_components(u, desc, error));
    SNI_NEW(m->context, u->distances, m->column_count);
    SNI_NEW(m->context, rays, (size_t)m->column_count * SNI_LAYERS_RAYS);
    casting c = {.under = u, .mesh = m, .fascia = fascia, .cone = desc->cone, .rays = rays};
    sn_parallel_for(m->context, m->column_count, RAY_GRAIN, cast_block, &c);
    for (uint32_t i = 0; i < m->column_count; ++i) {
        u->distances[i] = (float)mean_distance(rays + (size_t)i * SNI_LAYERS_RAYS);
    }
    SN_TRY(repair(m, u, rays, error));
    note_met(u, rays);
    SN_TRY(follow_triangles(u, rays, error));
cleanup:
    sni_free(m->context, rays);
    return status;
}

static void free_follow(sn_context *context, sni_layers_follow *follow) {
    sni_free(context, follow->starts);
    sni_free(context, follow->triangles);
    sni_free(context, follow->weights);
}

void sni_layers_under_deinit(sni_layers_under *u) {
    if (u->context == NULL) {
        return;
    }
    for (uint32_t i = 0; i < u->component_count; ++i) {
        sni_component_shapes_release(u->context, 1, &u->components[i].shape);
        sni_free(u->context, u->components[i].vertices);
        sn_accel_destroy(u->components[i].accel);
    }
    sni_free(u->context, u->components);
    sni_free(u->context, u->distances);
    sni_free(u->context, u->triangles);
    free_follow(u->context, &u->tied);
    free_follow(u->context, &u->lifted);
    *u = (sni_layers_under){0};
}

size_t sni_layers_under_bytes(const sni_layers_under *u) {
    if (u->context == NULL) {
        return 0;
    }
    size_t followed = (size_t)u->tied.starts[u->column_count] + u->lifted.starts[u->column_count];
    return u->component_count * sizeof *u->components + u->triangle_count * sizeof *u->triangles +
           u->column_count * (sizeof(float) + 2 * sizeof(uint32_t)) +
           followed * (sizeof(uint32_t) + sizeof(float));
}

// ---------------------------------------------------------------------------------------------
// Weights

// Rounds in which weights spread into columns without bones below, and are evened out where there
// are; a column keeps the more of its own, the nearer its bone is in mean edges.
enum { WEIGH_ROUNDS = 200 };
static const double weigh_hold = 0.9;

static void weigh_column(const sni_layers_under *u, const ray *rays, float *row) {
    double sum = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t k = 0; k < SNI_LAYERS_RAYS; ++k) {
            if (rays[k].first.component == SN_NONE) {
                continue;
            }
            double distance = fmax((double)rays[k].distance, 1e-4),
                   share = 1 / (distance * distance);
            if (pass == 0) {
                sum += share;
            } else {
                row[u->components[rays[k].first.component].segment] += (float)(share / sum);
            }
        }
    }
}

// (L + H) w = H w0 by rounds of Jacobi, H = 0.9 (edge / distance)^2 against the mean of neighbours.
static sn_status spread_weights(const sni_layers_mesh *m, const ray *rays, uint32_t width,
                                float *weights, sn_error *error) {
    size_t count = (size_t)m->column_count * width;
    float *own = NULL, *means = NULL, *now = NULL;
    sn_status status = SN_OK;
    SNI_NEW(m->context, own, count);
    SNI_NEW(m->context, means, count);
    SNI_NEW(m->context, now, count);
    memcpy(own, weights, count * sizeof *own);
    memcpy(now, weights, count * sizeof *own);
    for (int round = 0; round < WEIGH_ROUNDS; ++round) {
        sni_surface_graph_average(&m->graph, width, 1, now, means);
        for (uint32_t i = 0; i < m->column_count; ++i) {
            double distance = mean_distance(rays + (size_t)i * SNI_LAYERS_RAYS);
            double part = sni_layers_edge(m, i) / fmax(distance, 1e-4);
            double hold = isfinite(distance) ? weigh_hold * part * part : 0;
            for (uint32_t k = 0; k < width; ++k) {
                size_t at = (size_t)i * width + k;
                now[at] = (float)(((double)means[at] + hold * (double)own[at]) / (1 + hold));
            }
        }
    }
    memcpy(weights, now, count * sizeof *now);
cleanup:
    sni_free(m->context, own);
    sni_free(m->context, means);
    sni_free(m->context, now);
    return status;
}

// The segment of the carried component nearest to a point.
static uint32_t nearest_segment(const sni_layers_under *u, sn_vec3 at) {
    double nearest = INFINITY;
    uint32_t segment = 0;
    for (uint32_t i = 0; i < u->component_count; ++i) {
        const sni_layers_component *c = &u->components[i];
        sn_closest closest = {.triangle = SN_NONE};
        if (c->segment != SN_NONE) {
            sn_accel_find_closest(accel_of(c), at, nearest, &closest);
        }
        double distance =
            closest.triangle != SN_NONE ? sn_vec3_distance(at, closest.point) : INFINITY;
        if (distance < nearest) {
            nearest = distance;
            segment = c->segment;
        }
    }
    return segment;
}

// Pieces of the skin from which no ray meets a bone, such as brows of a mesh of their own, follow
// the bone that is nearest to them.
static void weigh_pieces(const sni_layers_under *u, const sni_layers_mesh *m, uint32_t width,
                         float *weights) {
    for (uint32_t i = 0; i < m->column_count; ++i) {
        float *row = weights + (size_t)i * width;
        float sum = 0;
        for (uint32_t k = 0; k < width; ++k) {
            sum += row[k];
        }
        if (!(sum > 0)) {
            row[nearest_segment(u, sn_vec3_load(m->points + 3 * (size_t)i))] = 1;
        }
    }
}

sn_status sni_layers_under_weigh(const sni_layers_under *u, const sni_layers_mesh *m,
                                 const sni_layers_fascia *fascia, uint32_t segment_count,
                                 float *weights, bool *any, sn_error *error) {
    sn_status status = SN_OK;
    ray *rays = NULL;
    *any = false;
    for (uint32_t i = 0; i < u->component_count; ++i) {
        *any = *any || u->components[i].segment != SN_NONE;
    }
    if (!*any) {
        return SN_OK;
    }
    SNI_NEW(m->context, rays, (size_t)m->column_count * SNI_LAYERS_RAYS);
    casting c = {
        .under = u, .mesh = m, .fascia = fascia, .carried = true, .cone = 0.35, .rays = rays};
    sn_parallel_for(m->context, m->column_count, RAY_GRAIN, cast_block, &c);
    for (uint32_t i = 0; i < m->column_count; ++i) {
        const ray *own = rays + (size_t)i * SNI_LAYERS_RAYS;
        weigh_column(u, own, weights + (size_t)i * segment_count);
    }
    SN_TRY(spread_weights(m, rays, segment_count, weights, error));
    weigh_pieces(u, m, segment_count, weights);
cleanup:
    sni_free(m->context, rays);
    return status;
}

// ---------------------------------------------------------------------------------------------
// A frame

typedef struct pose_run {
    const sni_layers_under *under;
    const sni_layers_under_pose *pose;
    float *matrices;
} pose_run;

static sn_vec3 posed_vertex(const pose_run *run, uint32_t component, uint32_t vertex) {
    const sni_layers_component *c = &run->under->components[component];
    if (!c->has_strips && run->pose->points[component] != NULL) {
        return sn_vec3_load(run->pose->points[component] + 3 * (size_t)vertex);
    }
    return sn_mat4_point(run->pose->to_frame,
                         sn_vec3_load(run->pose->surfaces[component] + 3 * (size_t)vertex));
}

static void pose_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const pose_run *run = user;
    for (uint32_t i = begin; i < end; ++i) {
        const sni_layers_triangle *t = &run->under->triangles[i];
        sn_vec3 corners[3], axes[3];
        for (int k = 0; k < 3; ++k) {
            corners[k] = posed_vertex(run, t->component, t->corners[k]);
        }
        sni_triangle_frame(corners, axes);
        sn_vec3 middle =
            sn_vec3_scale(sn_vec3_add(sn_vec3_add(corners[0], corners[1]), corners[2]), 1.0 / 3);
        sn_mat4 frame = {{axes[0].x, axes[0].y, axes[0].z, 0, axes[1].x, axes[1].y, axes[1].z, 0,
                          axes[2].x, axes[2].y, axes[2].z, 0, middle.x, middle.y, middle.z, 1}};
        sn_mat4 map = sn_mat4_multiply(&frame, &t->from_rest);
        sni_blend_matrix_store(&map, run->matrices + (size_t)i * SNI_BLEND_MATRIX);
    }
}

float *sni_layers_under_matrices(const sni_layers_under *u, sni_arena *arena,
                                 const sni_layers_under_pose *pose) {
    pose_run run = {.under = u, .pose = pose};
    run.matrices =
        sni_arena_alloc(arena, u->triangle_count, SNI_BLEND_MATRIX * sizeof *run.matrices);
    if (run.matrices != NULL) {
        sn_parallel_for(u->context, u->triangle_count, 128, pose_block, &run);
    }
    return run.matrices;
}
