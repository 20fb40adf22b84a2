// SPDX-License-Identifier: Apache-2.0
//
// Points moved by the muscles below them (docs/falloff.md), after Watkins, Automatic Creation of
// Real-Time Muscle Systems (2004), chapter 4:
//
//     s' = s + e sum_m psi_m ( contracted_m(u, v) - relaxed_m(u, v) )
//
// where the sum is that of the paper, and by default a blend of its terms (falloff.h).
//
// (u, v) is the place of the relaxed muscle closest to s at rest, psi the falloff with the distance
// from there, both found once. A place of a surface is a sum of control points, so a point's
// displacement is that of (p + 1)(q + 1) control points in turn:
//
//     sum_ij psi N_i(u) N_j(v) d_ij ,    d_ij = e (contracted_ij - relaxed_ij)
//
// A point that follows a muscle has the psi N_i and the N_j, and the number of its first control
// point in a grid that repeats its beginning where it is closed. For a rational surface d_ij has
// the control point's weight, and psi is divided by the sum of weights at (u, v).
//
// Every muscle has a list of its own, so that relaxed ones cost nothing, and those that have not
// changed are taken from the store where a skin is bound anew because another muscle has.
#include "skin/falloff.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

static const char *const shapes[] = {"linear", "quadratic", "cubic", "cosine", NULL};
static const char *const overlaps[] = {"blend", "sum", NULL};

static const sn_parameter parameters[SNI_FALLOFF_PARAMETER_COUNT] = {
    [SNI_FALLOFF_PARAMETER_ENVELOPE] = SNI_ENVELOPE_PARAMETER,
    [SNI_FALLOFF_PARAMETER_FULL] = {.name = "d_full",
                                    .help =
                                        "Points up to this distance from a muscle follow it fully",
                                    .unit = "m",
                                    .low = 0,
                                    .standard = 0.01,
                                    .high = 1000,
                                    .usual = 0.1,
                                    .title = "Inner distance",
                                    .live = true},
    [SNI_FALLOFF_PARAMETER_NONE] =
        {.name = "d_none",
         .help = "Points at this distance from a muscle and beyond do not follow it",
         .unit = "m",
         .low = 0,
         .standard = 0.03,
         .high = 1000,
         .usual = 0.2,
         .title = "Outer distance",
         .live = true},
    [SNI_FALLOFF_PARAMETER_SHAPE] =
        {.name = "falloff",
         .title = "Profile",
         .help = "How the effect decreases between the inner and the outer distance",
         .low = 0,
         .standard = SNI_FALLOFF_CUBIC,
         .high = 3,
         .choices = shapes},
    [SNI_FALLOFF_PARAMETER_REACH] =
        {.name = "reach",
         .help = "How many times as long as the straight distance from the muscle the path along "
                 "the skin may be, so that lips that touch can part; 0 allows any length",
         .unit = "",
         .low = 0,
         .standard = 2,
         .high = 1000,
         .usual = 10},
    [SNI_FALLOFF_PARAMETER_OVERLAP] =
        {.name = "overlap",
         .title = "Several muscles",
         .help = "What several muscles do to one point: blend moves it as far in each direction as "
                 "the muscle that moves it furthest there, sum as far as all of them together",
         .low = 0,
         .standard = SNI_FALLOFF_BLEND,
         .high = 1,
         .choices = overlaps},
};

typedef struct falloff {
    double envelope;
    uint32_t muscle_count;
    sni_followers **muscles; // NULL while it is bound
    sni_falloff_overlap overlap;
    sni_overlaps overlaps; // empty for a sum
} falloff;

static void destroy_followers(sn_context *context, sni_made *made) {
    sni_followers *f = (sni_followers *)made;
    sni_free(context, f->control_weights);
    sni_free(context, f->distances);
    sni_free(context, f->vertices);
    sni_free(context, f->firsts);
    sni_free(context, f->weights);
    sni_free(context, f);
}

static void falloff_unbind(sn_context *context, void *bound) {
    falloff *f = bound;
    if (f != NULL) {
        for (uint32_t m = 0; f->muscles != NULL && m < f->muscle_count; ++m) {
            if (f->muscles[m] != NULL) {
                sni_made_release(context, &f->muscles[m]->made);
            }
        }
        for (uint32_t m = 0; f->overlaps.places != NULL && m < f->muscle_count; ++m) {
            sni_free(context, f->overlaps.places[m]);
        }
        sni_free(context, f->overlaps.places);
        sni_free(context, f->overlaps.vertices);
        sni_free(context, f->overlaps.offsets);
        sni_free(context, f->muscles);
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
    const sni_muscles_input *input = job->inputs[0];
    for (uint32_t m = 0; m < input->count; ++m) {
        if (input->muscles[m].nurbs.points == NULL) { // a solid may have no patch
            return sni_fail(error, SN_INVALID,
                            "falloff: muscle %u (\"%s\") has no surface that could be followed", m,
                            input->muscles[m].name != NULL ? input->muscles[m].name : "");
        }
    }
    double full = job->parameters[SNI_FALLOFF_PARAMETER_FULL],
           none = job->parameters[SNI_FALLOFF_PARAMETER_NONE];
    if (full > none) {
        return sni_fail(error, SN_INVALID, "falloff: %s is %g, but must not be greater than %s, %g",
                        parameters[SNI_FALLOFF_PARAMETER_FULL].name, full,
                        parameters[SNI_FALLOFF_PARAMETER_NONE].name, none);
    }
    return SN_OK;
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

static uint32_t row_width(const sni_followers *f) {
    return f->degrees[0] + 1 + f->degrees[1] + 1;
}

// Writes what a point takes of the control points around its place.
static void write_row(const sni_nurbs *nurbs, const sni_followers *f, const sni_attachment *a,
                      uint32_t *first, float *weights) {
    sni_nurbs_basis u, v;
    sni_nurbs_basis_at(nurbs, 0, a->u, 0, &u);
    sni_nurbs_basis_at(nurbs, 1, a->v, 0, &v);
    double factor = a->factor;
    if (nurbs->weights != NULL) {
        double sum = 0;
        for (uint32_t k = 0; k < (f->degrees[0] + 1) * (f->degrees[1] + 1); ++k) {
            uint32_t i = k / (f->degrees[1] + 1), j = k % (f->degrees[1] + 1);
            sum += u.values[0][i] * v.values[0][j] *
                   nurbs->weights[sni_nurbs_index(nurbs, &u, i, &v, j)];
        }
        factor /= sum;
    }
    *first = u.first * f->padded[1] + v.first;
    for (uint32_t i = 0; i <= f->degrees[0]; ++i) {
        weights[i] = (float)(factor * u.values[0][i]);
    }
    for (uint32_t j = 0; j <= f->degrees[1]; ++j) {
        weights[f->degrees[0] + 1 + j] = (float)v.values[0][j];
    }
}

// Whether controls drive distances of the falloff. Points are then attached up to the greatest of
// them, and psi is computed in every frame.
static bool has_driven_distances(const sni_bind_job *job) {
    return job->driven != NULL && (job->driven[SNI_FALLOFF_PARAMETER_FULL] != SN_NONE ||
                                   job->driven[SNI_FALLOFF_PARAMETER_NONE] != SN_NONE);
}

static sn_status make_followers(const sni_bind_job *job, const sni_nurbs *nurbs,
                                const sni_attachments *list, sni_followers *f, sn_error *error) {
    sn_status status = SN_OK;
    f->count = list->count;
    uint64_t points = 1;
    for (int d = 0; d < 2; ++d) {
        f->degrees[d] = nurbs->degrees[d];
        f->counts[d] = nurbs->counts[d];
        f->padded[d] = nurbs->counts[d] + (nurbs->closed[d] ? nurbs->degrees[d] : 0);
        points *= f->padded[d];
    }
    if (points > UINT32_MAX) {
        return sni_fail(error, SN_LIMIT, "falloff: a muscle of %u x %u points", f->counts[0],
                        f->counts[1]);
    }
    if (nurbs->weights != NULL) {
        size_t count = (size_t)f->counts[0] * f->counts[1];
        SNI_NEW(job->context, f->control_weights, count);
        memcpy(f->control_weights, nurbs->weights, count * sizeof *nurbs->weights);
    }
    SNI_NEW(job->context, f->vertices, f->count);
    SNI_NEW(job->context, f->firsts, f->count);
    SNI_NEW(job->context, f->weights, (size_t)f->count * row_width(f));
    if (has_driven_distances(job)) {
        SNI_NEW(job->context, f->distances, f->count);
    }
    for (uint32_t i = 0; i < f->count; ++i) {
        f->vertices[i] = list->items[i].vertex;
        write_row(nurbs, f, &list->items[i], &f->firsts[i], f->weights + (size_t)i * row_width(f));
        if (f->distances != NULL) {
            f->distances[i] = list->items[i].distance;
        }
    }
cleanup:
    return status;
}

static sni_falloff_settings settings_of(const double *values) {
    return (sni_falloff_settings){
        .d_full = values[SNI_FALLOFF_PARAMETER_FULL],
        .d_none = values[SNI_FALLOFF_PARAMETER_NONE],
        .kind = (sni_falloff_kind)values[SNI_FALLOFF_PARAMETER_SHAPE],
        .reach = values[SNI_FALLOFF_PARAMETER_REACH],
    };
}

static sn_status attach_muscle(const sni_bind_job *job, uint32_t m, sni_skin_ways *ways,
                               sni_followers *f, sn_error *error) {
    const sni_muscles_input *input = job->inputs[0];
    const sni_muscle_surface *muscle = &input->muscles[m];
    sni_falloff_settings settings = settings_of(job->parameters);
    if (has_driven_distances(job)) {
        settings.d_full = settings.d_none; // psi is 1 up to there
    }
    sni_attachments list = {0};
    sn_status status = sni_falloff_attach(job, muscle, &settings, ways, &list, error);
    if (status == SN_OK) {
        report(job, muscle, &list);
        status = make_followers(job, &muscle->nurbs, &list, f, error);
    }
    sni_free(job->context, list.items);
    return status;
}

// What the followers of a muscle are made from.
static sni_digest followers_digest(const sni_bind_job *job, const sni_muscle_surface *muscle) {
    sni_digest digest = sni_digest_new();
    sni_digest_add_text(&digest, "followers");
    sni_digest_add_digest(&digest, &job->mesh_digest);
    sni_digest_add_digest(&digest, &muscle->digest);
    sni_digest_add_index(&digest, muscle->trace_count);
    // How much of the effect is taken, and how several are put together, counts in frames only.
    sni_digest_add(&digest, job->parameters + SNI_FALLOFF_PARAMETER_FULL,
                   (SNI_FALLOFF_PARAMETER_OVERLAP - SNI_FALLOFF_PARAMETER_FULL) *
                       sizeof *job->parameters);
    sni_digest_add_index(&digest, has_driven_distances(job));
    sni_digest_add(&digest, job->point_weights,
                   job->point_weights != NULL ? job->mesh->vertex_count * sizeof *job->point_weights
                                              : 0);
    return digest;
}

// The followers of a muscle, found or made; the binding becomes a holder.
static sn_status find_followers(const sni_bind_job *job, uint32_t m, sni_skin_ways **ways,
                                sni_followers **followed, sn_error *error) {
    const sni_muscles_input *input = job->inputs[0];
    sni_digest digest = followers_digest(job, &input->muscles[m]);
    sni_made *found = NULL;
    sn_status status = SN_OK;
    SN_TRY(sni_store_find(job->store, &digest, &found, error));
    if (found != NULL) {
        sni_made_hold(found);
        *followed = (sni_followers *)found;
        return SN_OK;
    }
    if (*ways == NULL && job->parameters[SNI_FALLOFF_PARAMETER_REACH] > 0) {
        SN_TRY(sni_skin_ways_create(job->context, job->mesh, &job->mesh_digest, job->store, ways,
                                    error));
    }
    SNI_NEW_ZERO(job->context, *followed, 1);
    sni_made_init(&(*followed)->made, &digest, destroy_followers);
    SN_TRY(attach_muscle(job, m, *ways, *followed, error));
    SN_TRY(sni_store_add(job->store, &(*followed)->made, error));
cleanup:
    return status;
}

// Counts the muscles of each point, and makes room for the displacements of those with several.
static sn_status count_overlaps(const sni_bind_job *job, falloff *f, uint32_t *counts,
                                sn_error *error) {
    sn_status status = SN_OK;
    sni_overlaps *o = &f->overlaps;
    for (uint32_t m = 0; m < f->muscle_count; ++m) {
        for (uint32_t row = 0; row < f->muscles[m]->count; ++row) {
            o->count += ++counts[f->muscles[m]->vertices[row]] == 2;
        }
    }
    SNI_NEW(job->context, o->vertices, o->count);
    SNI_NEW(job->context, o->offsets, (size_t)o->count + 1);
    uint32_t k = 0;
    uint64_t offset = 0;
    for (uint32_t vertex = 0; vertex < job->mesh->vertex_count; ++vertex) {
        if (counts[vertex] > 1) {
            o->vertices[k] = vertex;
            o->offsets[k++] = (uint32_t)offset;
            offset += 1 + counts[vertex];
        }
    }
    o->offsets[k] = (uint32_t)offset;
    if (offset >= SN_NONE) {
        status = sni_fail(error, SN_LIMIT, "falloff: too many points follow several muscles");
    }
cleanup:
    return status;
}

// The points that follow several muscles, and where each puts its displacement.
static sn_status find_overlaps(const sni_bind_job *job, falloff *f, sn_error *error) {
    sn_status status = SN_OK;
    sni_overlaps *o = &f->overlaps;
    uint32_t *next = NULL; // of each point: how many muscles, then its next place
    SNI_NEW_ZERO(job->context, next, job->mesh->vertex_count);
    SN_TRY(count_overlaps(job, f, next, error));
    for (uint32_t vertex = 0; vertex < job->mesh->vertex_count; ++vertex) {
        next[vertex] = SN_NONE;
    }
    for (uint32_t k = 0; k < o->count; ++k) {
        next[o->vertices[k]] = o->offsets[k] + 1;
    }
    SNI_NEW_ZERO(job->context, o->places, f->muscle_count);
    for (uint32_t m = 0; m < f->muscle_count; ++m) {
        const sni_followers *muscle = f->muscles[m];
        uint32_t row = 0;
        while (row < muscle->count && next[muscle->vertices[row]] == SN_NONE) {
            ++row;
        }
        if (row == muscle->count) {
            continue;
        }
        SNI_NEW(job->context, o->places[m], muscle->count);
        for (row = 0; row < muscle->count; ++row) {
            uint32_t *place = &next[muscle->vertices[row]];
            o->places[m][row] = *place;
            *place += *place != SN_NONE;
        }
    }
cleanup:
    sni_free(job->context, next);
    return status;
}

static sn_status falloff_bind(const sni_bind_job *job, void **bound, sn_error *error) {
    const sni_muscles_input *input = job->inputs[0];
    sn_status status = SN_OK;
    falloff *f = NULL;
    sni_skin_ways *ways = NULL;
    *bound = NULL;
    SN_TRY(validate(job, error));
    SNI_NEW_ZERO(job->context, f, 1);
    f->envelope = job->parameters[SNI_FALLOFF_PARAMETER_ENVELOPE];
    f->muscle_count = input->count;
    SNI_NEW_ZERO(job->context, f->muscles, f->muscle_count);
    for (uint32_t m = 0; m < f->muscle_count; ++m) {
        SN_TRY(find_followers(job, m, &ways, &f->muscles[m], error));
    }
    f->overlap = (sni_falloff_overlap)job->parameters[SNI_FALLOFF_PARAMETER_OVERLAP];
    if (f->overlap == SNI_FALLOFF_BLEND) {
        SN_TRY(find_overlaps(job, f, error));
    }
    *bound = f;
    f = NULL;
cleanup:
    sni_skin_ways_destroy(ways);
    falloff_unbind(job->context, f);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Frames

// Writes e (contracted - relaxed). False when nothing moves.
static bool find_moves(const sni_followers *f, double envelope, const sni_muscle_points *state,
                       float *moves) {
    bool any = false;
    for (uint32_t i = 0; i < f->padded[0]; ++i) {
        for (uint32_t j = 0; j < f->padded[1]; ++j, moves += 4) {
            size_t point = (size_t)(i % f->counts[0]) * f->counts[1] + j % f->counts[1];
            double scale = envelope * (f->control_weights != NULL ? f->control_weights[point] : 1);
            for (size_t k = 0; k < 3; ++k) {
                double d = state->contracted[3 * point + k] - state->relaxed[3 * point + k];
                moves[k] = (float)(scale * d);
                any = any || moves[k] != 0;
            }
            moves[3] = 0;
        }
    }
    return any;
}

// The followers of a muscle with the psi of this frame. NULL when memory runs out.
static const sni_followers *follow_now(const sni_followers *f, const sni_deform_job *job) {
    const sni_falloff_settings settings = settings_of(job->parameters);
    const uint32_t width = row_width(f);
    sni_followers *now = sni_arena_alloc(job->arena, 1, sizeof *now);
    float *weights = sni_arena_alloc(job->arena, (size_t)f->count * width, sizeof *weights);
    if (now == NULL || weights == NULL) {
        return NULL;
    }
    for (uint32_t row = 0; row < f->count; ++row) {
        const float *from = f->weights + (size_t)row * width;
        float *to = weights + (size_t)row * width;
        double psi = sni_falloff_value(&settings, f->distances[row]);
        for (uint32_t i = 0; i < width; ++i) {
            to[i] = i <= f->degrees[0] ? (float)(psi * from[i]) : from[i];
        }
    }
    *now = *f;
    now->weights = weights;
    return now;
}

static sn_status falloff_deform(const void *bound, const sni_deform_job *job, sn_error *error) {
    const falloff *f = bound;
    const sni_muscles_pose *posed = job->inputs[0];
    sn_status status = SN_OK;
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    double envelope =
        sni_parameter_now(job->parameters, SNI_FALLOFF_PARAMETER_ENVELOPE, f->envelope);
    const float **all = sni_arena_alloc(job->arena, f->muscle_count, sizeof *all);
    const sni_followers **followers =
        sni_arena_alloc(job->arena, f->muscle_count, sizeof *followers);
    size_t several = f->overlaps.count > 0 ? f->overlaps.offsets[f->overlaps.count] : 0;
    sni_falloff_job run = {.deform = job,
                           .muscle_count = f->muscle_count,
                           .muscles = followers,
                           .moves = all,
                           .overlap = f->overlap,
                           .overlaps = &f->overlaps,
                           .displacements =
                               sni_arena_alloc(job->arena, 4 * several, sizeof *run.displacements)};
    SN_TRY(all != NULL && followers != NULL && run.displacements != NULL ? SN_OK
                                                                         : sni_fail_memory(error));
    for (uint32_t m = 0; m < f->muscle_count; ++m) {
        const sni_followers *muscle = f->muscles[m];
        size_t count = (size_t)muscle->padded[0] * muscle->padded[1];
        float *moves = sni_arena_alloc(job->arena, 4 * count, sizeof *moves);
        SN_TRY(moves != NULL ? SN_OK : sni_fail_memory(error));
        all[m] = find_moves(muscle, envelope, &posed->muscles[m], moves) ? moves : NULL;
        bool is_driven = all[m] != NULL && muscle->distances != NULL;
        followers[m] = is_driven ? follow_now(muscle, job) : muscle;
        SN_TRY(followers[m] != NULL ? SN_OK : sni_fail_memory(error));
    }
    sni_falloff_run(&run);
cleanup:
    sni_arena_release(job->arena, mark);
    return status;
}

static size_t falloff_bytes(const void *bound) {
    const falloff *f = bound;
    size_t bytes = sizeof *f + f->muscle_count * (sizeof *f->muscles + sizeof **f->muscles);
    for (uint32_t m = 0; m < f->muscle_count; ++m) {
        const sni_followers *muscle = f->muscles[m];
        bytes += muscle->count * (8 + row_width(muscle) * sizeof *muscle->weights +
                                  (muscle->distances != NULL ? sizeof *muscle->distances : 0));
        bytes += f->overlaps.places != NULL && f->overlaps.places[m] != NULL
                     ? muscle->count * sizeof **f->overlaps.places
                     : 0;
    }
    bytes += f->overlaps.count * (sizeof *f->overlaps.vertices + sizeof *f->overlaps.offsets);
    return bytes;
}

const sni_deformer_ops sni_deformer_falloff = {
    .name = "falloff",
    .help = "Follows the muscles below the points",
    .parameters = SNI_PARAMETERS(parameters),
    .inputs = {{&sni_input_muscles, true}},
    .uses_point_weights = true,
    .bind = falloff_bind,
    .unbind = falloff_unbind,
    .deform = falloff_deform,
    .bytes = falloff_bytes,
};
