// SPDX-License-Identifier: Apache-2.0
#include "solver/membrane_internal.h"

#include "base/context.h"
#include "geometry/finite.h"
#include "sinew/vector.h"

#include <math.h>
#include <string.h>

// An accelerated step is taken back when the energy is above the least so far by more than this
// part of it: sums of floats are not more exact.
static const double energy_noise = 1e-5;

sni_membrane_desc sni_membrane_desc_default(void) {
    return (sni_membrane_desc){.anchor = SNI_MEMBRANE_ANCHOR,
                               .push = SNI_MEMBRANE_PUSH,
                               .transition = SNI_MEMBRANE_TRANSITION,
                               .rest = SNI_MEMBRANE_REST};
}

static sn_status check_numbers(const sni_membrane_desc *desc, sn_error *error) {
    const struct {
        const char *name;
        double value;
        bool good;
    } numbers[] = {
        {"anchor", desc->anchor, desc->anchor >= 0},
        {"unit", desc->unit, desc->unit >= 0},
        {"push", desc->push, desc->push >= 0 && desc->push <= 1},
        {"transition", desc->transition, desc->transition > 0},
        {"rest", desc->rest, desc->rest > 0},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (!numbers[i].good || !isfinite(numbers[i].value)) {
            return sni_fail(error, SN_INVALID, "membrane: %s is %g", numbers[i].name,
                            numbers[i].value);
        }
    }
    return SN_OK;
}

static sn_status check_arrays(const sni_membrane_desc *desc, sn_error *error) {
    if (desc->triangle_count > UINT32_MAX / 6) {
        return sni_fail(error, SN_LIMIT, "membrane: %u triangles are too many",
                        desc->triangle_count);
    }
    for (size_t i = 0; i < 3 * (size_t)desc->triangle_count; ++i) {
        if (desc->vertices[i] >= desc->vertex_count) {
            return sni_fail(error, SN_INVALID,
                            "membrane: triangle %zu has vertex %u, but there are %u", i / 3,
                            desc->vertices[i], desc->vertex_count);
        }
    }
    size_t count = 3 * (size_t)desc->vertex_count;
    size_t bad = sni_find_not_finite(desc->positions, count);
    if (bad < count) {
        return sni_fail(error, SN_INVALID, "membrane: vertex %zu has %g", bad / 3,
                        (double)desc->positions[bad]);
    }
    for (uint32_t v = 0; desc->elasticity != NULL && v < desc->vertex_count; ++v) {
        if (!(desc->elasticity[v] >= 0 && isfinite(desc->elasticity[v]))) {
            return sni_fail(error, SN_INVALID, "membrane: the elasticity of vertex %u is %g", v,
                            (double)desc->elasticity[v]);
        }
    }
    return SN_OK;
}

sn_status sni_membrane_create(sn_context *context, const sni_membrane_desc *desc,
                              sni_membrane **membrane, sn_error *error) {
    SN_ASSERT(desc->vertex_count == 0 || desc->positions != NULL);
    SN_ASSERT(desc->triangle_count == 0 || desc->vertices != NULL);
    sn_status status = SN_OK;
    sni_membrane *m = NULL;
    sni_membrane_springs springs = {0};
    *membrane = NULL;
    SN_TRY(check_numbers(desc, error));
    SN_TRY(check_arrays(desc, error));
    SNI_NEW_ZERO(context, m, 1);
    m->context = context;
    m->vertex_count = desc->vertex_count;
    m->push = desc->push;
    m->transition = desc->transition;
    SN_TRY(sni_membrane_springs_make(context, desc, &springs, error));
    SN_TRY(sni_membrane_lay_out(m, desc, &springs, error));
    *membrane = m;
    m = NULL;
cleanup:
    sni_membrane_springs_free(context, &springs);
    sni_membrane_destroy(m);
    return status;
}

void sni_membrane_destroy(sni_membrane *m) {
    if (m != NULL) {
        sni_free(m->context, m->order);
        sni_free(m->context, m->starts);
        sni_free(m->context, m->neighbours);
        sni_free(m->context, m->stiffness);
        sni_free(m->context, m->inverse_rest);
        sni_free(m->context, m->anchor);
        sni_free(m->context, m->inverse_total);
        sni_free(m->context, m->runs);
        sni_membrane_schedule_free(m->context, &m->schedule);
        sni_free(m->context, m);
    }
}

size_t sni_membrane_bytes(const sni_membrane *m) {
    size_t places = SNI_WIDTH * (size_t)m->slice_count;
    size_t springs = SNI_WIDTH * (size_t)m->starts[m->slice_count];
    return sizeof *m + places * (sizeof *m->order + sizeof *m->anchor + sizeof *m->inverse_total) +
           ((size_t)m->slice_count + 1) * sizeof *m->starts +
           springs * (sizeof *m->neighbours + sizeof *m->stiffness + sizeof *m->inverse_rest) +
           ((size_t)m->run_count + 1) * sizeof *m->runs + sni_membrane_schedule_bytes(m);
}

// Copies between the user's order and places.
typedef struct copy_run {
    const sni_membrane *membrane;
    const float *anchors, *spheres, *start; // the user's
    float *anchors_out, *spheres_out, *points_out;
    const float *points; // places x 4
    float *user_points;
} copy_run;

// Vertices of a block: some ten microseconds.
enum { COPY_GRAIN = 2048 };
// Of a sum, whose bits depend on it.
enum { ENERGY_GRAIN = 8192 };

static void gather_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const copy_run *run = user;
    const sni_membrane *m = run->membrane;
    static const float nothing[4] = {0, 0, 0, 0};
    for (size_t place = begin; place < end; ++place) {
        uint32_t v = m->order[place];
        const float *anchor = v != SN_NONE ? run->anchors + 3 * (size_t)v : nothing;
        const float *start =
            v != SN_NONE && run->start != NULL ? run->start + 3 * (size_t)v : anchor;
        memcpy(run->anchors_out + 4 * place, anchor, 3 * sizeof *anchor);
        run->anchors_out[4 * place + 3] = m->anchor[place];
        memcpy(run->points_out + 4 * place, start, 3 * sizeof *start);
        run->points_out[4 * place + 3] = 0;
        if (run->spheres != NULL) {
            memcpy(run->spheres_out + 4 * place,
                   v != SN_NONE ? run->spheres + 4 * (size_t)v : nothing, sizeof nothing);
        }
    }
}

static void scatter_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const copy_run *run = user;
    for (size_t place = begin; place < end; ++place) {
        uint32_t v = run->membrane->order[place];
        if (v != SN_NONE) {
            memcpy(run->user_points + 3 * (size_t)v, run->points + 4 * place,
                   3 * sizeof *run->points);
        }
    }
}

// What one call needs of the arena.
typedef struct scratch {
    const sni_membrane *membrane;
    const sni_relaxation *relaxation;
    float *points[4]; // three without acceleration
    float *anchors, *spheres;
    double *sums; // three for each run of each round of a group
} scratch;

static bool make_scratch(const sni_membrane *m, sni_arena *arena, const sni_relaxation *relaxation,
                         scratch *s) {
    size_t count = 4 * SNI_WIDTH * (size_t)m->slice_count;
    size_t sum_count = 3 * (size_t)SNI_MEMBRANE_DEPTH * m->run_count;
    *s = (scratch){.membrane = m, .relaxation = relaxation};
    bool made = true;
    for (int i = 0; i < (relaxation->accelerate ? 4 : 3) && made; ++i) {
        s->points[i] = sni_arena_alloc(arena, count, sizeof(float));
        made = s->points[i] != NULL;
    }
    s->anchors = made ? sni_arena_alloc(arena, count, sizeof(float)) : NULL;
    s->sums = made ? sni_arena_alloc(arena, sum_count, sizeof(double)) : NULL;
    if (made && relaxation->spheres != NULL) {
        s->spheres = sni_arena_alloc(arena, count, sizeof(float));
        made = s->spheres != NULL;
    }
    return made && s->anchors != NULL && s->sums != NULL;
}

// Adds up the runs of a round, in their order; returns the energy.
static double take_sums(const sni_membrane_round *round, sni_relaxation_result *result) {
    const sni_membrane *m = round->membrane;
    double largest = 0, residual = 0, energy = 0;
    for (uint32_t i = 0; i < m->run_count; ++i) {
        largest = round->largest[i] > largest ? round->largest[i] : largest;
        residual += round->residuals[i];
        energy += round->energies[i];
    }
    result->largest = sqrt(largest);
    result->residual = m->total > 0 ? sqrt(residual / m->total) : 0;
    result->rounds++;
    return energy;
}

// Number `index` of a group.
static sni_membrane_round make_round(const scratch *s, uint32_t index) {
    size_t run_count = s->membrane->run_count;
    double *sums = s->sums + 3 * run_count * index;
    bool accelerate = s->relaxation->accelerate;
    return (sni_membrane_round){.membrane = s->membrane,
                                .anchors = s->anchors,
                                .spheres = s->spheres,
                                .omega = 1,
                                .measures_energy = accelerate,
                                .paper_steps = s->relaxation->paper_steps && !accelerate,
                                .largest = sums,
                                .residuals = sums + run_count,
                                .energies = sums + 2 * run_count};
}

static uint32_t group_size(const scratch *s, const sni_relaxation_result *result) {
    uint32_t left = s->relaxation->rounds - result->rounds;
    return left < SNI_MEMBRANE_DEPTH ? left : SNI_MEMBRANE_DEPTH;
}

// Returns where the points are. Rounds of a group go from `start` to one of the others and then
// from one to the other, so that the group can be made again from the start: up to the round that
// was to be the last.
static const float *relax_plainly(const scratch *s, sni_relaxation_result *result) {
    sni_membrane_round rounds[SNI_MEMBRANE_DEPTH];
    float *start = s->points[0], *others[2] = {s->points[1], s->points[2]};
    for (bool still = false; result->rounds < s->relaxation->rounds && !still;) {
        uint32_t count = group_size(s, result), made = 0;
        for (uint32_t i = 0; i < count; ++i) {
            rounds[i] = make_round(s, i);
            rounds[i].now = i == 0 ? start : others[(i - 1) % 2];
            rounds[i].next = others[i % 2];
        }
        sni_membrane_rounds_run(rounds, count);
        while (made < count && !still) {
            take_sums(&rounds[made++], result);
            still = result->largest <= s->relaxation->tolerance;
        }
        if (made < count) {
            sni_membrane_rounds_run(rounds, made);
        }
        float *last = others[(made - 1) % 2];
        others[(made - 1) % 2] = start;
        start = last;
    }
    return start;
}

// The Chebyshev semi-iteration (Golub and Van Loan, Matrix Computations, 10.1.5) for eigenvalues of
// a round, D^-1 H, in [low, high].
typedef struct chebyshev {
    double radius; // of I - length D^-1 H
    double length;
    double omega; // 1, 2/(2 - r^2), 4/(4 - r^2 omega), ...
} chebyshev;

// The high end is that of triangulations: 3/2 for the regular one, where all that bounds it is 2.
// The low end is the anchors' share of D (along its normal a membrane without tension has nothing
// else), or higher: n rounds leave residuals of eigenvalues below some 13/n^2 small anyway, since a
// residual is the eigenvalue times the error.
static chebyshev chebyshev_begin(const sni_membrane *m, uint32_t rounds) {
    const double high = 1.5, n = rounds;
    double low = fmin(fmax(m->anchor_share, 13 / (n * n)), high / 2);
    return (chebyshev){
        .radius = (high - low) / (high + low), .length = 2 / (high + low), .omega = 1};
}

static void chebyshev_step(chebyshev *c) {
    double r2 = c->radius * c->radius;
    c->omega = c->omega == 1 ? 2 / (2 - r2) : 4 / (4 - r2 * c->omega);
}

// Where a sequence of Chebyshev steps stands.
typedef struct sequence {
    chebyshev steps;
    float *before, *now, *others[2];
    double least; // energy so far
    bool started; // `before` holds points
    bool plain;   // the next step is to be
} sequence;

// The rounds of a group, if no step is taken back. They write the others in turn.
static void plan_steps(const scratch *s, const sequence *q, uint32_t made, uint32_t count,
                       sni_membrane_round *rounds) {
    chebyshev steps = q->steps;
    for (uint32_t i = 0; i < count; ++i) {
        sni_membrane_round *r = &rounds[i];
        bool plain = made + i + 1 == s->relaxation->rounds || (i == 0 && q->plain);
        *r = make_round(s, i);
        r->now = i == 0 ? q->now : r[-1].next;
        r->before = plain ? NULL : i > 0 ? r[-1].now : q->started ? q->before : q->now;
        r->next = q->others[i % 2];
        r->omega = (float)steps.omega;
        r->length = (float)steps.length;
        chebyshev_step(&steps);
    }
}

// Looks at the rounds of a group in turn. Returns the one that found the energy risen, or how many
// there are up to the one that moved nothing.
static uint32_t judge_steps(const scratch *s, const sni_membrane_round *rounds, uint32_t count,
                            sequence *q, sni_relaxation_result *result, bool *still) {
    for (uint32_t i = 0; i < count; ++i) {
        double energy = take_sums(&rounds[i], result);
        q->plain = q->started && energy > q->least * (1 + energy_noise);
        if (q->plain) {
            return i;
        }
        q->least = energy < q->least ? energy : q->least;
        *still = result->largest <= s->relaxation->tolerance;
        if (*still) {
            return i + 1;
        }
        chebyshev_step(&q->steps);
        q->started = true;
    }
    return count;
}

// Takes the points of the first `kept` rounds of a group of `count`, which ran.
static void keep_steps(const sni_membrane_round *rounds, uint32_t kept, uint32_t count,
                       sequence *q) {
    float *before = q->before, *now = q->now;
    if (kept > 0 && kept < count) {
        sni_membrane_rounds_run(rounds, kept);
    }
    if (kept == 1) {
        q->before = now;
        q->now = q->others[0];
        q->others[0] = before;
    } else if (kept > 1) {
        q->before = q->others[kept % 2];
        q->now = q->others[(kept - 1) % 2];
        q->others[0] = before;
        q->others[1] = now;
    }
}

// The same with Chebyshev steps. A round measures the energy where it starts: if that has risen the
// step that led there is taken back, and the sequence starts anew with a plain step, which cannot
// raise it. With such a one the last round ends.
static const float *relax_fast(const scratch *s, sni_relaxation_result *result) {
    sni_membrane_round rounds[SNI_MEMBRANE_DEPTH];
    sequence q = {.steps = chebyshev_begin(s->membrane, s->relaxation->rounds),
                  .before = s->points[1],
                  .now = s->points[0],
                  .others = {s->points[2], s->points[3]},
                  .least = INFINITY};
    for (bool still = false; result->rounds < s->relaxation->rounds && !still;) {
        uint32_t count = group_size(s, result);
        plan_steps(s, &q, result->rounds, count, rounds);
        sni_membrane_rounds_run(rounds, count);
        uint32_t kept = judge_steps(s, rounds, count, &q, result, &still);
        if (!q.plain) {
            keep_steps(rounds, kept, count, &q);
            continue;
        }
        // Back to the points before the step, whose energy is the least.
        if (kept > 0) {
            keep_steps(rounds, kept - 1, count, &q);
        } else {
            float *risen = q.now;
            q.now = q.before;
            q.before = risen;
        }
        result->restarts++;
        q.steps.omega = 1;
        q.started = false;
    }
    return q.now;
}
bool sni_membrane_relax(const sni_membrane *m, sni_arena *arena, const sni_relaxation *relaxation,
                        float *points, sni_relaxation_result *result) {
    SN_ASSERT(relaxation->anchors != NULL || m->vertex_count == 0);
    SN_ASSERT(!(relaxation->accelerate && relaxation->paper_steps));
    sni_relaxation_result made = {0};
    sni_arena_mark mark = sni_arena_mark_now(arena);
    scratch s;
    if (!make_scratch(m, arena, relaxation, &s)) {
        return false;
    }
    copy_run run = {.membrane = m,
                    .anchors = relaxation->anchors,
                    .spheres = relaxation->spheres,
                    .start = relaxation->start,
                    .anchors_out = s.anchors,
                    .spheres_out = s.spheres,
                    .points_out = s.points[0],
                    .user_points = points};
    uint32_t places = SNI_WIDTH * m->slice_count;
    sn_parallel_for(m->context, places, COPY_GRAIN, gather_block, &run);
    run.points = relaxation->accelerate ? relax_fast(&s, &made) : relax_plainly(&s, &made);
    sn_parallel_for(m->context, places, COPY_GRAIN, scatter_block, &run);
    sni_arena_release(arena, mark);
    if (result != NULL) {
        *result = made;
    }
    return true;
}

typedef struct energy_run {
    const sni_membrane *membrane;
    const float *anchors, *points;
} energy_run;

// W of an edge: the integral of k m(e) e from 0 to e = length - rest.
static double edge_energy(const sni_membrane *m, double stiffness, double rest, double length) {
    double e = length - rest, edge = m->transition * rest;
    if (e >= 0) {
        return stiffness * e * e / 2;
    }
    if (e >= -edge) {
        return stiffness * (e * e / 2 + (1 - m->push) * e * e * e / (3 * edge));
    }
    double at_edge = edge * edge / 2 - (1 - m->push) * edge * edge / 3;
    return stiffness * (at_edge + m->push * (e * e - edge * edge) / 2);
}

static double sum_energy(uint32_t begin, uint32_t end, void *user) {
    const energy_run *run = user;
    const sni_membrane *m = run->membrane;
    double sum = 0;
    for (uint32_t place = begin; place < end; ++place) {
        uint32_t v = m->order[place], slice = place / SNI_WIDTH;
        if (v == SN_NONE) {
            continue;
        }
        sn_vec3 p = sn_vec3_load(run->points + 3 * (size_t)v);
        sn_vec3 away = sn_vec3_sub(p, sn_vec3_load(run->anchors + 3 * (size_t)v));
        sum += (double)m->anchor[place] * sn_vec3_dot(away, away) / 2;
        for (uint32_t row = m->starts[slice]; row < m->starts[slice + 1]; ++row) {
            size_t at = SNI_WIDTH * (size_t)row + place % SNI_WIDTH;
            uint32_t w = m->order[m->neighbours[at] / 4];
            double length = sn_vec3_distance(p, sn_vec3_load(run->points + 3 * (size_t)w));
            // Each edge is met from both ends.
            sum +=
                edge_energy(m, (double)m->stiffness[at], 1 / (double)m->inverse_rest[at], length) /
                2;
        }
    }
    return sum;
}

sn_status sni_membrane_energy(const sni_membrane *m, const float *anchors, const float *points,
                              double *energy, sn_error *error) {
    SN_ASSERT(m->vertex_count == 0 || (anchors != NULL && points != NULL));
    energy_run run = {.membrane = m, .anchors = anchors, .points = points};
    return sn_parallel_sum(m->context, SNI_WIDTH * m->slice_count, ENERGY_GRAIN, sum_energy, &run,
                           energy, error);
}
