// SPDX-License-Identifier: Apache-2.0
#include "fit/head/register.h"

#include "base/context.h"
#include "base/rows.h"
#include "geometry/triangle.h"

#include <string.h>

// Rounds of conjugate gradients in a round of the registration, which goes on from where it was.
enum { SOLVER_ROUNDS = 24 };

// They end when the residual is this part of what it was at first.
static const double solver_tolerance = 1e-3;

// Parts of the surface are thin below this, metres.
static const double thin = 0.016;

// Vertices of a block of a parallel loop.
enum { GRAIN = 512 };

// ---------------------------------------------------------------------------------------------
// Maps of three by three

static sni_map3 map_zero(void) {
    return (sni_map3){{0}};
}

static void map_add_product(sni_map3 *map, double weight, sn_vec3 column, sn_vec3 row) {
    const double c[3] = {weight * column.x, weight * column.y, weight * column.z};
    for (int i = 0; i < 3; ++i) {
        map->m[3 * i] += c[i] * row.x;
        map->m[3 * i + 1] += c[i] * row.y;
        map->m[3 * i + 2] += c[i] * row.z;
    }
}

sn_vec3 sni_map3_apply(const sni_map3 *a, sn_vec3 v) {
    const double *m = a->m;
    return sn_vec3_make(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                        m[6] * v.x + m[7] * v.y + m[8] * v.z);
}

static sni_map3 map_multiply(const sni_map3 *a, const sni_map3 *b) {
    sni_map3 product = map_zero();
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < 3; ++j) {
                product.m[3 * i + j] += a->m[3 * i + k] * b->m[3 * k + j];
            }
        }
    }
    return product;
}

// The inverse of a positive definite map; the identity where there is none.
static sni_map3 map_invert(const sni_map3 *a) {
    const double *m = a->m;
    double c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8];
    double c2 = m[3] * m[7] - m[4] * m[6];
    double determinant = m[0] * c0 + m[1] * c1 + m[2] * c2;
    if (!(fabs(determinant) > 0)) {
        return (sni_map3){{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    }
    double s = 1 / determinant;
    return (sni_map3){{c0 * s, (m[2] * m[7] - m[1] * m[8]) * s, (m[1] * m[5] - m[2] * m[4]) * s,
                       c1 * s, (m[0] * m[8] - m[2] * m[6]) * s, (m[2] * m[3] - m[0] * m[5]) * s,
                       c2 * s, (m[1] * m[6] - m[0] * m[7]) * s, (m[0] * m[4] - m[1] * m[3]) * s}};
}

// ---------------------------------------------------------------------------------------------
// Making

// Rows of neighbours, each once, rising.
static sn_status find_neighbors(sni_registration *r, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *at_offsets = NULL, *at = NULL, *marks = NULL, count = 0;
    SNI_NEW(r->context, at_offsets, (size_t)r->vertex_count + 1);
    SNI_NEW(r->context, at, 3 * (size_t)r->triangle_count);
    SNI_NEW(r->context, marks, r->vertex_count);
    SNI_NEW(r->context, r->offsets, (size_t)r->vertex_count + 1);
    SNI_NEW(r->context, r->neighbors, 6 * (size_t)r->triangle_count);
    sni_rows_from_keys(r->vertices, r->triangle_count, 3, r->vertex_count, at_offsets, at);
    memset(marks, 0xff, r->vertex_count * sizeof *marks);
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        r->offsets[v] = count;
        marks[v] = v;
        for (uint32_t i = at_offsets[v]; i < at_offsets[v + 1]; ++i) {
            for (int k = 0; k < 3; ++k) {
                uint32_t other = r->vertices[3 * (size_t)at[i] + k];
                if (marks[other] != v) {
                    marks[other] = v;
                    r->neighbors[count++] = other;
                }
            }
        }
    }
    r->offsets[r->vertex_count] = count;
cleanup:
    sni_free(r->context, at_offsets);
    sni_free(r->context, at);
    sni_free(r->context, marks);
    return status;
}

static void find_normals(const sni_registration *r, const sn_vec3 *points, sn_vec3 *normals) {
    memset(normals, 0, r->vertex_count * sizeof *normals);
    for (uint32_t t = 0; t < r->triangle_count; ++t) {
        const uint32_t *v = r->vertices + 3 * (size_t)t;
        sn_vec3 vector = sni_triangle_vector(points[v[0]], points[v[1]], points[v[2]]);
        for (int k = 0; k < 3; ++k) {
            normals[v[k]] = sn_vec3_add(normals[v[k]], vector);
        }
    }
}

// Ears are what a ray against the normal leaves soon.
static sn_status find_thin(sni_registration *r, sn_error *error) {
    sn_status status = SN_OK;
    float *points = NULL;
    sn_accel *accel = NULL;
    SNI_NEW(r->context, points, 3 * (size_t)r->vertex_count);
    SNI_NEW_ZERO(r->context, r->is_thin, r->vertex_count);
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        sn_vec3_store(r->rest[v], points + 3 * (size_t)v);
    }
    SN_TRY(sn_accel_create(r->context, points, r->vertex_count, r->vertices, r->triangle_count,
                           &accel, error));
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        sn_vec3 normal = sn_vec3_normalize_or(r->rest_normals[v], sn_vec3_make(0, 0, 0));
        sn_hit hit;
        sn_accel_cast(accel, r->rest[v], sn_vec3_scale(normal, -1), 1e-6, thin, &hit);
        if (sn_vec3_length(normal) > 0 && hit.triangle != SN_NONE) {
            const uint32_t *c = r->vertices + 3 * (size_t)hit.triangle;
            r->is_thin[v] = c[0] != v && c[1] != v && c[2] != v;
        }
    }
cleanup:
    sni_free(r->context, points);
    sn_accel_destroy(accel);
    return status;
}

static void measure_edges(sni_registration *r) {
    double sum = 0;
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        for (uint32_t i = r->offsets[v]; i < r->offsets[v + 1]; ++i) {
            sum += sn_vec3_distance(r->rest[v], r->rest[r->neighbors[i]]);
        }
    }
    uint32_t count = r->offsets[r->vertex_count];
    r->edge = count > 0 && sum > 0 ? sum / count : 1;
}

sn_status sni_registration_create(sn_context *context, const sn_vec3 *positions,
                                  uint32_t vertex_count, const uint32_t *vertices,
                                  uint32_t triangle_count, const double *trust,
                                  sni_registration **registration, sn_error *error) {
    sn_status status = SN_OK;
    sni_registration *r = NULL;
    *registration = NULL;
    SNI_NEW_ZERO(context, r, 1);
    *r = (sni_registration){
        .context = context, .vertex_count = vertex_count, .triangle_count = triangle_count};
    SNI_NEW(context, r->rest, vertex_count);
    SNI_NEW(context, r->points, vertex_count);
    SNI_NEW(context, r->vertices, 3 * (size_t)triangle_count);
    SNI_NEW(context, r->trust, vertex_count);
    SNI_NEW(context, r->rest_normals, vertex_count);
    SNI_NEW(context, r->normals, vertex_count);
    SNI_NEW(context, r->maps, vertex_count);
    SNI_NEW(context, r->smoothed, vertex_count);
    SNI_NEW(context, r->pulls, vertex_count);
    SNI_NEW(context, r->right, vertex_count);
    SNI_NEW(context, r->residual, vertex_count);
    SNI_NEW(context, r->direction, vertex_count);
    SNI_NEW(context, r->product, vertex_count);
    SNI_NEW(context, r->scaled, vertex_count);
    SNI_NEW(context, r->inverses, vertex_count);
    memcpy(r->rest, positions, vertex_count * sizeof *positions);
    memcpy(r->points, positions, vertex_count * sizeof *positions);
    memcpy(r->vertices, vertices, 3 * (size_t)triangle_count * sizeof *vertices);
    for (uint32_t v = 0; v < vertex_count; ++v) {
        r->trust[v] = trust != NULL ? trust[v] : 1;
    }
    SN_TRY(find_neighbors(r, error));
    find_normals(r, r->rest, r->rest_normals);
    measure_edges(r);
    SN_TRY(find_thin(r, error));
    *registration = r;
    r = NULL;
cleanup:
    sni_registration_destroy(r);
    return status;
}

void sni_registration_destroy(sni_registration *r) {
    if (r != NULL) {
        sn_context *context = r->context;
        void *const arrays[] = {r->rest,    r->points,    r->vertices,  r->trust,
                                r->offsets, r->neighbors, r->pins,      r->normals,
                                r->maps,    r->smoothed,  r->pulls,     r->rest_normals,
                                r->right,   r->residual,  r->direction, r->product,
                                r->scaled,  r->inverses,  r->is_thin};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
            sni_free(context, arrays[i]);
        }
        sni_free(context, r);
    }
}

sn_status sni_registration_pin(sni_registration *r, const sni_pin *pin, sn_error *error) {
    if (!sni_grow_by_one(r->context, &r->pins, r->pin_count, sizeof *r->pins)) {
        return sni_fail_memory(error);
    }
    r->pins[r->pin_count++] = *pin;
    return SN_OK;
}

sn_vec3 sni_registration_point(const sni_registration *r, const uint32_t vertices[3],
                               const double weights[3]) {
    sn_vec3 point = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        SN_ASSERT(vertices[k] < r->vertex_count);
        point = sn_vec3_add_scaled(point, weights[k], r->points[vertices[k]]);
    }
    return point;
}

// ---------------------------------------------------------------------------------------------
// Closest places

typedef struct round_job {
    sni_registration *registration;
    const sni_head_surface *target;
    const sni_register_stage *stage;
    const sni_map3 *from; // of a smoothing round
    sni_map3 *to;
} round_job;

static void find_pulls(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const round_job *job = user;
    sni_registration *r = job->registration;
    for (uint32_t v = begin; v < end; ++v) {
        sni_skin_place place = {.triangle = SN_NONE};
        r->pulls[v] = (sni_pull){.weight = 0};
        if (r->trust[v] > 0) {
            sni_head_surface_closest(job->target, r->points[v], job->stage->reach, &place);
        }
        if (place.triangle == SN_NONE || place.on_border) {
            continue;
        }
        sn_vec3 normal = sn_vec3_normalize_or(r->normals[v], sn_vec3_make(0, 0, 0));
        if (sn_vec3_dot(normal, place.normal) > job->stage->least_dot) {
            // The biweight of Tukey: what is far away, behind hair and beside ears, counts less.
            double far = place.distance / job->stage->reach, near = 1 - far * far;
            double trust = r->is_thin[v] ? job->stage->thin : 1;
            r->pulls[v] = (sni_pull){.point = place.point,
                                     .normal = place.normal,
                                     .weight = trust * r->trust[v] * near * near,
                                     .sideways = job->stage->sideways};
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Maps

// F = sum (x_j - x_i)(p_j - p_i)^T + k n' n^T, times the inverse of the same at rest: the normals
// stand for what the edges, which lie nearly in a plane, do not say. n' is as much longer as the
// root of the area around the vertex.
static void find_maps(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const round_job *job = user;
    sni_registration *r = job->registration;
    for (uint32_t v = begin; v < end; ++v) {
        sni_map3 moved = map_zero(), rest = map_zero();
        double size = 0;
        for (uint32_t i = r->offsets[v]; i < r->offsets[v + 1]; ++i) {
            uint32_t other = r->neighbors[i];
            sn_vec3 p = sn_vec3_sub(r->rest[other], r->rest[v]);
            sn_vec3 x = sn_vec3_sub(r->points[other], r->points[v]);
            map_add_product(&moved, 1, x, p);
            map_add_product(&rest, 1, p, p);
            size += sn_vec3_dot(p, p);
        }
        double area = sn_vec3_length(r->rest_normals[v]), now = sn_vec3_length(r->normals[v]);
        sn_vec3 zero = {0, 0, 0};
        sn_vec3 n = sn_vec3_normalize_or(r->rest_normals[v], zero);
        sn_vec3 m = sn_vec3_normalize_or(r->normals[v], zero);
        double growth = area > 0 ? sqrt(now / area) : 1;
        map_add_product(&moved, size * growth / 2, m, n);
        map_add_product(&rest, size / 2, n, n);
        // A little of the identity for vertices of needles and lines.
        for (int k = 0; k < 9; k += 4) {
            rest.m[k] += 1e-3 * size + 1e-300;
            moved.m[k] += 1e-3 * size + 1e-300;
        }
        sni_map3 inverse = map_invert(&rest);
        r->maps[v] = map_multiply(&moved, &inverse);
    }
}

static void smooth_maps(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const round_job *job = user;
    const sni_registration *r = job->registration;
    for (uint32_t v = begin; v < end; ++v) {
        sni_map3 sum = job->from[v];
        uint32_t count = r->offsets[v + 1] - r->offsets[v];
        for (uint32_t i = r->offsets[v]; i < r->offsets[v + 1]; ++i) {
            for (int k = 0; k < 9; ++k) {
                sum.m[k] += job->from[r->neighbors[i]].m[k];
            }
        }
        for (int k = 0; k < 9; ++k) {
            job->to[v].m[k] = sum.m[k] / (count + 1.0);
        }
    }
}

static void update_maps(round_job *job) {
    sni_registration *r = job->registration;
    sn_parallel_for(r->context, r->vertex_count, GRAIN, find_maps, job);
    for (uint32_t round = 0; round < job->stage->smoothing; ++round) {
        job->from = r->maps;
        job->to = r->smoothed;
        sn_parallel_for(r->context, r->vertex_count, GRAIN, smooth_maps, job);
        r->maps = job->to;
        r->smoothed = (sni_map3 *)job->from;
    }
}

// ---------------------------------------------------------------------------------------------
// The solver

static sni_map3 pull_block(const sni_pull *pull) {
    sni_map3 block = map_zero();
    map_add_product(&block, pull->weight, pull->normal, pull->normal);
    for (int k = 0; k < 9; k += 4) {
        block.m[k] += pull->weight * pull->sideways;
    }
    return block;
}

static void make_right_side(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const round_job *job = user;
    sni_registration *r = job->registration;
    double stiffness = job->stage->stiffness;
    for (uint32_t v = begin; v < end; ++v) {
        sni_map3 block = pull_block(&r->pulls[v]);
        sn_vec3 right = sni_map3_apply(&block, r->pulls[v].point);
        for (uint32_t i = r->offsets[v]; i < r->offsets[v + 1]; ++i) {
            uint32_t other = r->neighbors[i];
            sn_vec3 p = sn_vec3_sub(r->rest[v], r->rest[other]);
            sn_vec3 both =
                sn_vec3_add(sni_map3_apply(&r->maps[v], p), sni_map3_apply(&r->maps[other], p));
            right = sn_vec3_add_scaled(right, stiffness / 2, both);
        }
        r->right[v] = right;
        double edges = stiffness * (r->offsets[v + 1] - r->offsets[v]);
        for (int k = 0; k < 9; k += 4) {
            block.m[k] += edges + 1e-12;
        }
        r->inverses[v] = block;
    }
}

static double strength_of(const sni_pin *pin, const sni_register_stage *stage) {
    return pin->strength * (pin->fades ? stage->pins : 1);
}

static void add_pins(sni_registration *r, const sni_register_stage *stage) {
    for (uint32_t i = 0; i < r->pin_count; ++i) {
        const sni_pin *pin = &r->pins[i];
        double strength = strength_of(pin, stage);
        for (int k = 0; k < 3; ++k) {
            double weight = strength * pin->weights[k];
            sni_map3 *block = &r->inverses[pin->vertices[k]];
            sn_vec3 *right = &r->right[pin->vertices[k]];
            *right = sn_vec3_add_scaled(*right, weight, pin->target);
            for (int d = 0; d < 9; d += 4) {
                block->m[d] += weight * pin->weights[k];
            }
        }
    }
}

typedef struct apply_job {
    const sni_registration *registration;
    double stiffness;
    const sn_vec3 *x;
    sn_vec3 *y;
} apply_job;

static void apply_rows(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const apply_job *job = user;
    const sni_registration *r = job->registration;
    for (uint32_t v = begin; v < end; ++v) {
        const sni_pull *pull = &r->pulls[v];
        sn_vec3 x = job->x[v], y = sn_vec3_scale(x, pull->weight * pull->sideways + 1e-12);
        y = sn_vec3_add_scaled(y, pull->weight * sn_vec3_dot(pull->normal, x), pull->normal);
        sn_vec3 sum = {0, 0, 0};
        for (uint32_t i = r->offsets[v]; i < r->offsets[v + 1]; ++i) {
            sum = sn_vec3_add(sum, job->x[r->neighbors[i]]);
        }
        double count = r->offsets[v + 1] - r->offsets[v];
        sn_vec3 edges = sn_vec3_sub(sn_vec3_scale(x, count), sum);
        job->y[v] = sn_vec3_add_scaled(y, job->stiffness, edges);
    }
}

// y = A x.
static void apply(const sni_registration *r, const sni_register_stage *stage, const sn_vec3 *x,
                  sn_vec3 *y) {
    apply_job job = {r, stage->stiffness, x, y};
    sn_parallel_for(r->context, r->vertex_count, GRAIN, apply_rows, &job);
    for (uint32_t i = 0; i < r->pin_count; ++i) {
        const sni_pin *pin = &r->pins[i];
        sn_vec3 at = {0, 0, 0};
        for (int k = 0; k < 3; ++k) {
            at = sn_vec3_add_scaled(at, pin->weights[k], x[pin->vertices[k]]);
        }
        for (int k = 0; k < 3; ++k) {
            sn_vec3 *to = &y[pin->vertices[k]];
            *to = sn_vec3_add_scaled(*to, strength_of(pin, stage) * pin->weights[k], at);
        }
    }
}

static double dot_all(const sn_vec3 *a, const sn_vec3 *b, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sum += sn_vec3_dot(a[i], b[i]);
    }
    return sum;
}

static void precondition(sni_registration *r) {
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        r->scaled[v] = sni_map3_apply(&r->inverses[v], r->residual[v]);
    }
}

// Conjugate gradients, preconditioned by the inverses of the diagonal blocks, from where the points
// are.
static void solve(sni_registration *r, const sni_register_stage *stage) {
    uint32_t count = r->vertex_count;
    for (uint32_t v = 0; v < count; ++v) {
        r->inverses[v] = map_invert(&r->inverses[v]);
    }
    apply(r, stage, r->points, r->product);
    for (uint32_t v = 0; v < count; ++v) {
        r->residual[v] = sn_vec3_sub(r->right[v], r->product[v]);
    }
    precondition(r);
    memcpy(r->direction, r->scaled, count * sizeof *r->direction);
    double energy = dot_all(r->residual, r->scaled, count), first = energy;
    for (int round = 0; round < SOLVER_ROUNDS; ++round) {
        apply(r, stage, r->direction, r->product);
        double curvature = dot_all(r->direction, r->product, count);
        if (!(curvature > 0) || energy <= solver_tolerance * solver_tolerance * first) {
            break;
        }
        double step = energy / curvature;
        for (uint32_t v = 0; v < count; ++v) {
            r->points[v] = sn_vec3_add_scaled(r->points[v], step, r->direction[v]);
            r->residual[v] = sn_vec3_add_scaled(r->residual[v], -step, r->product[v]);
        }
        precondition(r);
        double next = dot_all(r->residual, r->scaled, count);
        for (uint32_t v = 0; v < count; ++v) {
            r->direction[v] = sn_vec3_add_scaled(r->scaled[v], next / energy, r->direction[v]);
        }
        energy = next;
    }
}

sn_status sni_registration_run(sni_registration *r, const sni_head_surface *target,
                               const sni_register_stage *stages, uint32_t stage_count,
                               const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t s = 0; s < stage_count; ++s) {
        round_job job = {.registration = r, .target = target, .stage = &stages[s]};
        for (uint32_t round = 0; round < stages[s].rounds; ++round) {
            double done = (s + (double)round / stages[s].rounds) / stage_count;
            SN_TRY(sni_progress(progress, "laying on", done, error));
            find_normals(r, r->points, r->normals);
            sn_parallel_for(r->context, r->vertex_count, GRAIN, find_pulls, &job);
            update_maps(&job);
            sn_parallel_for(r->context, r->vertex_count, GRAIN, make_right_side, &job);
            add_pins(r, &stages[s]);
            solve(r, &stages[s]);
        }
    }
    find_normals(r, r->points, r->normals);
cleanup:
    return status;
}
