// SPDX-License-Identifier: Apache-2.0
#include "solver/flesh_internal.h"

#include "base/context.h"
#include "geometry/finite.h"
#include "sinew/vector.h"
#include "solver/flesh_coarse.h"

#include <math.h>
#include <string.h>

sni_flesh_stiffness sni_flesh_stiffness_default(void) {
    return (sni_flesh_stiffness){.membrane = 0.2,
                                 .fat = 2,
                                 .bending = 1,
                                 .volume = 2,
                                 .rod = 200,
                                 .contact = 800,
                                 .shortest = 0.6,
                                 .longest = 1.3};
}

sni_columns_desc sni_columns_desc_default(void) {
    return (sni_columns_desc){.stiffness = sni_flesh_stiffness_default()};
}

// ---------------------------------------------------------------------------------------------
// Making

static sn_status check_stiffness(const sni_flesh_stiffness *k, sn_error *error) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"membrane", k->membrane}, {"fascia", k->fascia},     {"fat", k->fat},
        {"bending", k->bending},   {"volume", k->volume},     {"rod", k->rod},
        {"contact", k->contact},   {"shortest", k->shortest}, {"longest", k->longest - k->shortest},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (!(numbers[i].value >= 0) || !isfinite(numbers[i].value)) {
            return sni_fail(error, SN_INVALID, "flesh: %s is %g", numbers[i].name,
                            numbers[i].value);
        }
    }
    return SN_OK;
}

static sn_status check_factors(const float *factors, uint32_t count, const char *name,
                               sn_error *error) {
    for (uint32_t i = 0; factors != NULL && i < count; ++i) {
        if (!(factors[i] >= 0 && isfinite(factors[i]))) {
            return sni_fail(error, SN_INVALID, "flesh: %s of column %u is %g", name, i,
                            (double)factors[i]);
        }
    }
    return SN_OK;
}

static sn_status check_points(const float *points, uint32_t count, const char *name,
                              sn_error *error) {
    size_t bad = sni_find_not_finite(points, 3 * (size_t)count);
    if (bad < 3 * (size_t)count) {
        return sni_fail(error, SN_INVALID, "flesh: %s of column %zu has %g", name, bad / 3,
                        (double)points[bad]);
    }
    return SN_OK;
}

static sn_status check_arrays(const sni_columns_desc *desc, sn_error *error) {
    sn_status status = SN_OK;
    if (desc->triangle_count > UINT32_MAX / 32 || desc->column_count > UINT32_MAX / 32) {
        return sni_fail(error, SN_LIMIT, "flesh: %u columns and %u triangles are too many",
                        desc->column_count, desc->triangle_count);
    }
    for (size_t i = 0; i < 3 * (size_t)desc->triangle_count; ++i) {
        if (desc->triangles[i] >= desc->column_count) {
            return sni_fail(error, SN_INVALID,
                            "flesh: triangle %zu has column %u, but there are %u", i / 3,
                            desc->triangles[i], desc->column_count);
        }
    }
    SN_TRY(check_points(desc->skin, desc->column_count, "the skin", error));
    SN_TRY(check_points(desc->fascia, desc->column_count, "the fascia", error));
    SN_TRY(check_factors(desc->elasticity, desc->column_count, "the elasticity", error));
    SN_TRY(check_factors(desc->slide, desc->column_count, "the slide", error));
    SN_TRY(check_factors(desc->hold, desc->column_count, "the hold", error));
cleanup:
    return status;
}

sn_status sni_columns_create(sn_context *context, const sni_columns_desc *desc,
                             sni_columns **columns, sn_error *error) {
    SN_ASSERT(desc->column_count == 0 || (desc->skin != NULL && desc->fascia != NULL));
    SN_ASSERT(desc->triangle_count == 0 || desc->triangles != NULL);
    sn_status status = SN_OK;
    sni_columns *c = NULL;
    *columns = NULL;
    SN_TRY(check_stiffness(&desc->stiffness, error));
    SN_TRY(check_arrays(desc, error));
    SNI_NEW_ZERO(context, c, 1);
    c->context = context;
    c->column_count = desc->column_count;
    c->padded_count = (desc->column_count + SNI_WIDTH - 1) / SNI_WIDTH * SNI_WIDTH;
    c->triangle_count = desc->triangle_count;
    c->group_count = (desc->triangle_count + SNI_WIDTH - 1) / SNI_WIDTH;
    c->stiffness = desc->stiffness;
    SN_TRY(sni_flesh_elements_make(c, desc, error));
    if (desc->cluster > 0) {
        SN_TRY(sni_flesh_coarse_create(c, desc, &c->coarse, error));
    }
    SN_TRY(sni_flesh_find_eigenvalues(c, desc, error));
    *columns = c;
    c = NULL;
cleanup:
    sni_columns_destroy(c);
    return status;
}

void sni_columns_destroy(sni_columns *c) {
    if (c != NULL) {
        sni_flesh_coarse_destroy(c->coarse);
        sni_free(c->context, c->corners);
        sni_free(c->context, c->constants);
        sni_free(c->context, c->numbers);
        sni_free(c->context, c->freedom);
        sni_free(c->context, c->starts);
        sni_free(c->context, c->slots);
        sni_free(c->context, c);
    }
}

size_t sni_columns_bytes(const sni_columns *c) {
    size_t places = (size_t)c->group_count * SNI_WIDTH;
    return sizeof *c + places * (3 * sizeof *c->corners + SNI_FLESH_ROWS * sizeof *c->constants) +
           c->padded_count * ((SNI_COLUMN_NUMBERS + 1) * sizeof(float) + sizeof *c->starts) +
           sizeof *c->starts + 3 * (size_t)c->triangle_count * sizeof *c->slots +
           sni_flesh_coarse_bytes(c->coarse);
}

uint32_t sni_columns_padded_count(const sni_columns *c) {
    return c->padded_count;
}

uint32_t sni_columns_prism_count(const sni_columns *c) {
    return c->prism_count;
}

double sni_columns_largest_eigenvalue(const sni_columns *c, bool coarse) {
    return coarse ? c->largest_corrected : c->largest;
}

size_t sni_columns_rotation_count(const sni_columns *c) {
    return (size_t)c->group_count * SNI_WIDTH;
}

// ---------------------------------------------------------------------------------------------
// Rotations: in groups, x of eight triangles, then y, z and w of them

static sn_quat rotation_of(const sni_columns_state *state, uint32_t t) {
    const float *q = state->rotations + (size_t)(t / SNI_WIDTH) * 4 * SNI_WIDTH + t % SNI_WIDTH;
    return (sn_quat){q[0], q[SNI_WIDTH], q[2 * SNI_WIDTH], q[3 * SNI_WIDTH]};
}

static void put_rotation(sni_columns_state *state, uint32_t t, sn_quat rotation) {
    float *q = state->rotations + (size_t)(t / SNI_WIDTH) * 4 * SNI_WIDTH + t % SNI_WIDTH;
    q[0] = (float)rotation.x;
    q[SNI_WIDTH] = (float)rotation.y;
    q[2 * SNI_WIDTH] = (float)rotation.z;
    q[3 * SNI_WIDTH] = (float)rotation.w;
}

static sn_quat load_rotation(const float *q) {
    return (sn_quat){q[0], q[1], q[2], q[3]};
}

// a + s b, with b or its opposite, which is the same rotation, whichever is next to a.
static sn_quat add_rotation(sn_quat a, double s, sn_quat b) {
    return sn_quat_add(a, sn_quat_scale(b, sn_quat_dot(a, b) < 0 ? -s : s));
}

typedef struct begin_run {
    const sni_columns *columns;
    const float *column_rotations;
    sni_columns_state *state;
} begin_run;

static void begin_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const begin_run *run = user;
    const sni_columns *c = run->columns;
    for (uint32_t t = begin * SNI_WIDTH; t < end * SNI_WIDTH; ++t) {
        sn_quat sum = sn_quat_identity();
        if (run->column_rotations != NULL && t < c->triangle_count) {
            sum = load_rotation(run->column_rotations + 4 * (size_t)sni_flesh_corner(c, t, 0));
            for (uint32_t k = 1; k < 3; ++k) {
                uint32_t column = sni_flesh_corner(c, t, k);
                sum =
                    add_rotation(sum, 1, load_rotation(run->column_rotations + 4 * (size_t)column));
            }
            sum = sn_quat_normalize(sum);
        }
        put_rotation(run->state, t, sum);
    }
}

void sni_columns_begin(const sni_columns *c, const float *column_rotations,
                       sni_columns_state *state) {
    begin_run run = {c, column_rotations, state};
    sn_parallel_for(c->context, c->group_count, SNI_FLESH_GROUP_GRAIN, begin_block, &run);
}

typedef struct turn_run {
    const sni_columns *columns;
    const sni_columns_state *state;
    float *column_rotations;
} turn_run;

static void turn_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const turn_run *run = user;
    const sni_columns *c = run->columns;
    uint32_t places = c->group_count * SNI_WIDTH;
    for (uint32_t i = begin; i < end; ++i) {
        float *to = run->column_rotations + 4 * (size_t)i;
        sn_quat sum = {0, 0, 0, 0};
        for (uint32_t k = c->starts[i]; k < c->starts[i + 1]; ++k) {
            uint32_t t = c->slots[k] / 4 % places;
            double volume = (double)sni_flesh_constant(c, t, SNI_FLESH_VOLUME);
            sum = add_rotation(sum, volume, rotation_of(run->state, t));
        }
        if (sn_quat_dot(sum, sum) > 0) {
            sum = sn_quat_normalize(sum);
            to[0] = (float)sum.x;
            to[1] = (float)sum.y;
            to[2] = (float)sum.z;
            to[3] = (float)sum.w;
        }
    }
}

void sni_columns_turn(const sni_columns *c, const sni_columns_state *state,
                      float *column_rotations) {
    turn_run run = {c, state, column_rotations};
    sn_parallel_for(c->context, c->column_count, SNI_FLESH_COLUMN_GRAIN, turn_block, &run);
}

// ---------------------------------------------------------------------------------------------
// Solving

// Rotations turn so many times in the first round, and once in each of the others.
enum { FIRST_TURNS = 4 };

static bool make_round(const sni_columns *c, sni_arena *arena, const sni_columns_effort *effort,
                       sni_flesh_round *r) {
    size_t numbers = 4 * (size_t)c->padded_count;
    r->corner_forces =
        sni_arena_alloc(arena, 24 * (size_t)c->group_count * SNI_WIDTH, sizeof(float));
    r->skin_step = sni_arena_alloc(arena, numbers, sizeof(float));
    r->fascia_step = sni_arena_alloc(arena, numbers, sizeof(float));
    r->skin_next = sni_arena_alloc(arena, numbers, sizeof(float));
    r->fascia_next = sni_arena_alloc(arena, numbers, sizeof(float));
    r->largest =
        sni_arena_alloc(arena, c->padded_count / SNI_FLESH_COLUMN_GRAIN + 1, sizeof(float));
    bool corrected = effort->coarse && c->coarse != NULL;
    r->skin_forces = corrected ? sni_arena_alloc(arena, numbers, sizeof(float)) : NULL;
    r->fascia_forces = corrected ? sni_arena_alloc(arena, numbers, sizeof(float)) : NULL;
    return r->corner_forces != NULL && r->skin_step != NULL && r->fascia_step != NULL &&
           r->skin_next != NULL && r->fascia_next != NULL && r->largest != NULL &&
           (!corrected || (r->skin_forces != NULL && r->fascia_forces != NULL));
}

static float largest_step(const sni_columns *c, const sni_flesh_round *r) {
    float most = 0;
    for (uint32_t i = 0; i * SNI_FLESH_COLUMN_GRAIN < c->padded_count; ++i) {
        most = r->largest[i] > most ? r->largest[i] : most;
    }
    return sqrtf(most);
}

// The next factor of Chebyshev's iteration for eigenvalues of a round that are at most rho from 1.
static double next_omega(double omega, double rho, uint32_t round) {
    return round == 0 ? 1 : round == 1 ? 2 / (2 - rho * rho) : 4 / (4 - rho * rho * omega);
}

static void swap(const float **now, float **next) {
    float *other = *next;
    *next = (float *)*now;
    *now = other;
}

bool sni_columns_solve(const sni_columns *c, sni_arena *arena, const sni_columns_hold *hold,
                       const sni_columns_effort *effort, sni_columns_state *state) {
    sni_arena_mark mark = sni_arena_mark_now(arena);
    sni_flesh_round r = {.columns = c,
                         .hold = hold,
                         .skin = state->skin,
                         .fascia = state->fascia,
                         .rotations = state->rotations};
    size_t bytes = 4 * (size_t)c->padded_count * sizeof(float);
    sni_flesh_correction *correction = NULL;
    bool made = make_round(c, arena, effort, &r);
    if (made && r.skin_forces != NULL) {
        correction = sni_flesh_correction_create(c->coarse, arena);
        made = correction != NULL;
    }
    if (!made) {
        sni_arena_release(arena, mark);
        return false;
    }
    memcpy(r.skin_next, state->skin, bytes);
    memcpy(r.fascia_next, state->fascia, bytes);
    double high = correction != NULL ? c->largest_corrected : c->largest, low = effort->smallest;
    double rho = low > 0 ? (high - low) / (high + low) : 0, omega = 1;
    r.length = low > 0 ? (float)(2 / (high + low)) : 0.5f;
    state->largest = 0;
    state->rounds = 0;
    for (uint32_t i = 0; i < effort->rounds; ++i) {
        if (hold->renew != NULL && i % SNI_COLUMNS_RENEWED == 0 &&
            !hold->renew(hold->user, r.skin, r.fascia)) {
            sni_arena_release(arena, mark);
            return false;
        }
        r.turns = i == 0 ? FIRST_TURNS : 1;
        omega = low > 0 ? next_omega(omega, rho, i) : 1;
        r.omega = (float)omega;
        sni_flesh_forces_run(&r);
        sni_flesh_gather_run(&r);
        if (correction != NULL && i % SNI_COLUMNS_RENEWED == 0) {
            sni_flesh_correction_begin(correction, hold, r.skin_step);
        }
        if (correction != NULL) {
            sni_flesh_correct(correction, r.skin_forces, r.fascia_forces, r.skin_step,
                              r.fascia_step);
        }
        sni_flesh_move_run(&r);
        swap(&r.skin, &r.skin_next);
        swap(&r.fascia, &r.fascia_next);
        state->largest = largest_step(c, &r);
        state->rounds = i + 1;
        if (state->largest <= effort->tolerance) {
            break;
        }
    }
    if (r.skin != state->skin) {
        memcpy(state->skin, r.skin, bytes);
        memcpy(state->fascia, r.fascia, bytes);
    }
    sni_arena_release(arena, mark);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Rods

typedef struct clamp_run {
    const sni_columns *columns;
    sni_columns_state *state;
} clamp_run;

static void clamp_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const clamp_run *run = user;
    const sni_columns *c = run->columns;
    for (uint32_t i = begin; i < end; ++i) {
        float *y = run->state->fascia + 4 * (size_t)i;
        sn_vec3 x = sn_vec3_load(run->state->skin + 4 * (size_t)i);
        sn_vec3 rod = sn_vec3_sub(x, sn_vec3_load(y));
        double rest = (double)c->numbers[SNI_COLUMN_NUMBERS * (size_t)i + SNI_COLUMN_LENGTH];
        double length = sn_vec3_length(rod);
        double kept = fmin(fmax(length, c->stiffness.shortest * rest), c->stiffness.longest * rest);
        if (c->freedom[i] > 0 && rest > 0 && length > 0 && kept != length) {
            sn_vec3_store(sn_vec3_add_scaled(x, -kept / length, rod), y);
        }
    }
}

void sni_columns_clamp(const sni_columns *c, sni_columns_state *state) {
    clamp_run run = {c, state};
    sn_parallel_for(c->context, c->column_count, SNI_FLESH_COLUMN_GRAIN, clamp_block, &run);
}
