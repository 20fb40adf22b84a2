// SPDX-License-Identifier: Apache-2.0
//
// Points moved by the muscles below them (docs/falloff.md), after Watkins, Automatic Creation of
// Real-Time Muscle Systems (2004), chapter 4:
//
//     s' = s + e sum_m psi_m ( contracted_m(u, v) - relaxed_m(u, v) )
//
// (u, v) is the place of the relaxed muscle closest to s at rest, psi the falloff with the distance
// from there, both found once. A place of a surface is a sum of control points, so a point's
// displacement is one row of a sparse matrix times the displacements of all control points:
//
//     s' = s + sum_k w_k d_k ,    w_k = psi N_k(u, v) ,    d_k = e (contracted_k - relaxed_k)
//
// Only points that follow a muscle have a row.
#include "skin/falloff.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

enum {
    PARAMETER_ENVELOPE,
    PARAMETER_FULL,
    PARAMETER_NONE,
    PARAMETER_SHAPE,
    PARAMETER_REACH,
    PARAMETER_COUNT,
};

static const char *const shapes[] = {"linear", "quadratic", "cubic", "cosine", NULL};

static const sni_parameter parameters[PARAMETER_COUNT] = {
    [PARAMETER_ENVELOPE] = {.name = "envelope",
                            .help = "How much of the whole effect is taken",
                            .unit = "",
                            .low = 0,
                            .standard = 1,
                            .high = 1},
    [PARAMETER_FULL] = {.name = "d_full",
                        .help = "Distance from a muscle up to which points follow it fully",
                        .unit = "m",
                        .low = 0,
                        .standard = 0.01,
                        .high = 1000},
    [PARAMETER_NONE] = {.name = "d_none",
                        .help = "Distance from a muscle from which on points do not follow it",
                        .unit = "m",
                        .low = 0,
                        .standard = 0.03,
                        .high = 1000},
    [PARAMETER_SHAPE] = {.name = "falloff",
                         .help = "How the effect falls from d_full to d_none",
                         .low = 0,
                         .standard = SNI_FALLOFF_CUBIC,
                         .high = 3,
                         .choices = shapes},
    [PARAMETER_REACH] = {.name = "reach",
                         .help = "How much longer the way along the skin may be than the distance "
                                 "from the muscle, so that touching lips stay apart; 0: any",
                         .unit = "",
                         .low = 0,
                         .standard = 2,
                         .high = 1000},
};

// Vertices per block of the parallel loop: some ten microseconds of work.
#define FALLOFF_GRAIN 4096

typedef struct falloff {
    double envelope;
    uint32_t muscle_count;
    uint32_t *firsts; // muscle_count + 1: first control point of each muscle among all
    uint32_t row_count;
    uint32_t *vertices; // row_count, rising
    uint32_t *offsets;  // row_count + 1
    float *weights;
    uint16_t *elements16; // NULL when there are more than 65536 control points
    uint32_t *elements32; // NULL otherwise
} falloff;

static void falloff_unbind(sn_context *context, void *bound) {
    falloff *f = bound;
    if (f != NULL) {
        sni_free(context, f->firsts);
        sni_free(context, f->vertices);
        sni_free(context, f->offsets);
        sni_free(context, f->weights);
        sni_free(context, f->elements16);
        sni_free(context, f->elements32);
        sni_free(context, f);
    }
}

// ---------------------------------------------------------------------------------------------
// Binding

static sn_status validate(const sni_bind_job *job, sn_error *error) {
    sn_status status = sni_bind_job_validate(&sni_deformer_falloff, job, error);
    if (status != SN_OK) {
        return status;
    }
    double full = job->parameters[PARAMETER_FULL], none = job->parameters[PARAMETER_NONE];
    if (full > none) {
        return sni_fail(error, SN_INVALID,
                        "falloff: d_full is %g, but must not be greater than d_none, %g", full,
                        none);
    }
    return SN_OK;
}

static sn_status number_controls(const sni_bind_job *job, falloff *f, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(job->context, f->firsts, (size_t)f->muscle_count + 1);
    uint64_t count = 0;
    for (uint32_t m = 0; m < f->muscle_count; ++m) {
        f->firsts[m] = (uint32_t)count;
        const sni_nurbs *nurbs = &job->muscles[m].nurbs;
        count += (uint64_t)nurbs->counts[0] * nurbs->counts[1];
        if (count > UINT32_MAX) {
            return sni_fail(error, SN_LIMIT, "falloff: its muscles have more than %u points",
                            UINT32_MAX);
        }
    }
    f->firsts[f->muscle_count] = (uint32_t)count;
cleanup:
    return status;
}

static void report(const sni_bind_job *job, const sni_muscle_surface *muscle,
                   const sni_attachments *attachments) {
    const char *name = muscle->name != NULL ? muscle->name : "";
    if (attachments->count == 0) {
        sni_log(job->context, SN_LOG_WARNING, "skin", "falloff: no point of \"%s\" follows \"%s\"",
                job->mesh->name, name);
    }
    if (attachments->ambiguous > 0) {
        sni_log(job->context, SN_LOG_INFO, "skin",
                "falloff: %u points of \"%s\" are as near to two places of \"%s\"",
                attachments->ambiguous, job->mesh->name, name);
    }
    if (attachments->separated > 0) {
        sni_log(job->context, SN_LOG_INFO, "skin",
                "falloff: %u points of \"%s\" are near \"%s\" but far along the skin",
                attachments->separated, job->mesh->name, name);
    }
}

static sn_status attach(const sni_bind_job *job, sni_attachments *lists, sn_error *error) {
    sni_falloff_settings settings = {
        .d_full = job->parameters[PARAMETER_FULL],
        .d_none = job->parameters[PARAMETER_NONE],
        .kind = (sni_falloff_kind)job->parameters[PARAMETER_SHAPE],
        .reach = job->parameters[PARAMETER_REACH],
    };
    for (uint32_t m = 0; m < job->muscle_count; ++m) {
        sn_status status = sni_falloff_attach(job, &job->muscles[m], &settings, &lists[m], error);
        if (status != SN_OK) {
            return status;
        }
        report(job, &job->muscles[m], &lists[m]);
    }
    return SN_OK;
}

static uint32_t row_width(const sni_nurbs *nurbs) {
    return (nurbs->degrees[0] + 1) * (nurbs->degrees[1] + 1);
}

// Lays out the rows: which points have one, and how long it is.
static sn_status lay_out(const sni_bind_job *job, const sni_attachments *lists, falloff *f,
                         uint32_t *rows, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t vertex_count = job->mesh->vertex_count;
    memset(rows, 0, vertex_count * sizeof *rows);
    for (uint32_t m = 0; m < f->muscle_count; ++m) {
        for (uint32_t i = 0; i < lists[m].count; ++i) {
            rows[lists[m].items[i].vertex] += row_width(&job->muscles[m].nurbs);
        }
    }
    for (uint32_t v = 0; v < vertex_count; ++v) {
        f->row_count += rows[v] > 0;
    }
    SNI_NEW(job->context, f->vertices, f->row_count);
    SNI_NEW(job->context, f->offsets, (size_t)f->row_count + 1);
    uint64_t entries = 0;
    uint32_t row = 0;
    for (uint32_t v = 0; v < vertex_count; ++v) {
        uint32_t length = rows[v];
        rows[v] = row;
        if (length > 0) {
            f->vertices[row] = v;
            f->offsets[row++] = (uint32_t)entries;
            entries += length;
        }
    }
    if (entries > UINT32_MAX) {
        return sni_fail(error, SN_LIMIT, "falloff: more than %u weights", UINT32_MAX);
    }
    f->offsets[row] = (uint32_t)entries;
    SNI_NEW(job->context, f->weights, entries);
    if (f->firsts[f->muscle_count] <= UINT16_MAX + 1u) {
        SNI_NEW(job->context, f->elements16, entries);
    } else {
        SNI_NEW(job->context, f->elements32, entries);
    }
cleanup:
    return status;
}

// Writes the weights of one attachment at `entry`.
static void write_entries(const falloff *f, const sni_nurbs *nurbs, uint32_t first,
                          const sni_attachment *a, uint32_t entry) {
    enum { MOST = (SNI_NURBS_DEGREE + 1) * (SNI_NURBS_DEGREE + 1) };
    uint32_t indices[MOST];
    double values[MOST];
    uint32_t count = sni_nurbs_weights(nurbs, a->u, a->v, indices, values);
    for (uint32_t k = 0; k < count; ++k) {
        f->weights[entry + k] = (float)(a->factor * values[k]);
        if (f->elements16 != NULL) {
            f->elements16[entry + k] = (uint16_t)(first + indices[k]);
        } else {
            f->elements32[entry + k] = first + indices[k];
        }
    }
}

// Fills the rows, muscle by muscle; `offsets` serves as the place of the next entry.
static void fill_rows(const sni_bind_job *job, const sni_attachments *lists, const uint32_t *rows,
                      falloff *f) {
    for (uint32_t m = 0; m < f->muscle_count; ++m) {
        const sni_nurbs *nurbs = &job->muscles[m].nurbs;
        for (uint32_t i = 0; i < lists[m].count; ++i) {
            const sni_attachment *a = &lists[m].items[i];
            uint32_t row = rows[a->vertex];
            write_entries(f, nurbs, f->firsts[m], a, f->offsets[row]);
            f->offsets[row] += row_width(nurbs);
        }
    }
    for (uint32_t row = f->row_count; row > 0; --row) {
        f->offsets[row] = f->offsets[row - 1];
    }
    f->offsets[0] = 0;
}

static sn_status falloff_bind(const sni_bind_job *job, void **bound, sn_error *error) {
    sn_status status = SN_OK;
    falloff *f = NULL;
    sni_attachments *lists = NULL;
    uint32_t *rows = NULL;
    *bound = NULL;
    SN_TRY(validate(job, error));
    SNI_NEW_ZERO(job->context, f, 1);
    f->envelope = job->parameters[PARAMETER_ENVELOPE];
    f->muscle_count = job->muscle_count;
    SN_TRY(number_controls(job, f, error));
    SNI_NEW_ZERO(job->context, lists, f->muscle_count);
    SN_TRY(attach(job, lists, error));
    SNI_NEW(job->context, rows, job->mesh->vertex_count);
    SN_TRY(lay_out(job, lists, f, rows, error));
    fill_rows(job, lists, rows, f);
    *bound = f;
    f = NULL;
cleanup:
    for (uint32_t m = 0; lists != NULL && m < job->muscle_count; ++m) {
        sni_free(job->context, lists[m].items);
    }
    sni_free(job->context, lists);
    sni_free(job->context, rows);
    falloff_unbind(job->context, f);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Frames

typedef struct falloff_run {
    const falloff *bound;
    const sni_deform_job *job;
    const float *moves; // 4 for each control point, the last 0
} falloff_run;

// Writes e (contracted - relaxed). False when nothing moves.
static bool find_moves(const falloff *f, const sni_deform_job *job, float *moves) {
    bool any = false;
    for (uint32_t m = 0; m < f->muscle_count; ++m) {
        uint32_t count = f->firsts[m + 1] - f->firsts[m];
        float *move = moves + 4 * (size_t)f->firsts[m];
        for (uint32_t k = 0; k < count; ++k, move += 4) {
            for (int i = 0; i < 3; ++i) {
                size_t at = 3 * (size_t)k + (size_t)i;
                double d = job->muscles[m].contracted[at] - job->muscles[m].relaxed[at];
                move[i] = (float)(f->envelope * d);
                any = any || move[i] != 0;
            }
            move[3] = 0;
        }
    }
    return any;
}

// The first row whose vertex is not below `vertex`.
static uint32_t lower_row(const falloff *f, uint32_t vertex) {
    uint32_t low = 0, count = f->row_count;
    while (count > 0) {
        uint32_t half = count / 2;
        if (f->vertices[low + half] < vertex) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

static void add_move(float sum[4], float weight, const float *move) {
    for (int i = 0; i < 4; ++i) {
        sum[i] += weight * move[i];
    }
}

static void run_rows(const falloff_run *run, uint32_t first, uint32_t end) {
    const falloff *f = run->bound;
    for (uint32_t row = first; row < end; ++row) {
        float sum[4] = {0, 0, 0, 0};
        if (f->elements16 != NULL) {
            for (uint32_t e = f->offsets[row]; e < f->offsets[row + 1]; ++e) {
                add_move(sum, f->weights[e], run->moves + 4 * (size_t)f->elements16[e]);
            }
        } else {
            for (uint32_t e = f->offsets[row]; e < f->offsets[row + 1]; ++e) {
                add_move(sum, f->weights[e], run->moves + 4 * (size_t)f->elements32[e]);
            }
        }
        float *out = run->job->points_out + 3 * (size_t)f->vertices[row];
        for (int i = 0; i < 3; ++i) {
            out[i] += sum[i];
        }
    }
}

static void run_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const falloff_run *run = user;
    size_t first = 3 * (size_t)begin;
    memcpy(run->job->points_out + first, run->job->points_in + first,
           3 * (size_t)(end - begin) * sizeof(float));
    if (run->moves != NULL) {
        run_rows(run, lower_row(run->bound, begin), lower_row(run->bound, end));
    }
}

static sn_status falloff_deform(const void *bound, const sni_deform_job *job, sn_error *error) {
    const falloff *f = bound;
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    float *moves =
        sni_arena_alloc(job->arena, 4 * (size_t)f->firsts[f->muscle_count], sizeof *moves);
    if (moves == NULL) {
        return sni_fail_memory(error);
    }
    falloff_run run = {.bound = f, .job = job};
    run.moves = find_moves(f, job, moves) ? moves : NULL;
    sn_parallel_for(job->context, job->vertex_count, FALLOFF_GRAIN, run_block, &run);
    sni_arena_release(job->arena, mark);
    return SN_OK;
}

static size_t falloff_bytes(const void *bound) {
    const falloff *f = bound;
    size_t entry = sizeof(float) + (f->elements16 != NULL ? sizeof(uint16_t) : sizeof(uint32_t));
    return sizeof *f + f->row_count * (size_t)8 + f->offsets[f->row_count] * entry +
           ((size_t)f->muscle_count + 1) * sizeof *f->firsts;
}

const sni_deformer_ops sni_deformer_falloff = {
    .name = "falloff",
    .help = "Follows the muscles below the points",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .uses_muscles = true,
    .uses_point_weights = true,
    .bind = falloff_bind,
    .unbind = falloff_unbind,
    .deform = falloff_deform,
    .bytes = falloff_bytes,
};
