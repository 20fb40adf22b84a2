// SPDX-License-Identifier: Apache-2.0
//
// Which points follow a muscle, and where they hang on it.
#include "skin/falloff.h"

#include "base/context.h"

#include <math.h>

// Points of a block, of which each search takes some microseconds, and points between two reports
// of progress.
enum { ATTACH_GRAIN = 64, ATTACH_ROUND = 256 * ATTACH_GRAIN };

double sni_falloff_value(const sni_falloff_settings *settings, double distance) {
    if (distance >= settings->d_none) {
        return 0;
    }
    if (distance <= settings->d_full) {
        return 1;
    }
    double y = (distance - settings->d_none) / (settings->d_full - settings->d_none);
    switch (settings->kind) {
    case SNI_FALLOFF_QUADRATIC: return y * y;
    case SNI_FALLOFF_CUBIC: return y * y * (3 - 2 * y);
    case SNI_FALLOFF_COSINE: return (1 - cos(SN_PI * y)) / 2;
    case SNI_FALLOFF_LINEAR: break;
    }
    return y;
}

// The surface lies within the box of its control points.
static void surface_bounds(const sni_nurbs *nurbs, sn_vec3 *low, sn_vec3 *high) {
    size_t count = (size_t)nurbs->counts[0] * nurbs->counts[1];
    *low = sn_vec3_make(INFINITY, INFINITY, INFINITY);
    *high = sn_vec3_scale(*low, -1);
    for (size_t i = 0; i < count; ++i) {
        const double *p = nurbs->points + 3 * i;
        *low = sn_vec3_min(*low, (sn_vec3){p[0], p[1], p[2]});
        *high = sn_vec3_max(*high, (sn_vec3){p[0], p[1], p[2]});
    }
}

static bool is_candidate(const sni_bind_job *job, sn_vec3 low, sn_vec3 high, uint32_t vertex) {
    const float *p = job->mesh->positions + 3 * (size_t)vertex;
    return p[0] >= low.x && p[0] <= high.x && p[1] >= low.y && p[1] <= high.y && p[2] >= low.z &&
           p[2] <= high.z && (job->point_weights == NULL || job->point_weights[vertex] > 0);
}

// All points within d_none of the muscle's box.
static sn_status gather(const sni_bind_job *job, const sni_muscle_surface *muscle, double radius,
                        sni_attachments *attachments, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 low, high, margin = {radius, radius, radius};
    surface_bounds(&muscle->nurbs, &low, &high);
    low = sn_vec3_sub(low, margin);
    high = sn_vec3_add(high, margin);
    uint32_t count = 0;
    for (uint32_t i = 0; i < job->mesh->vertex_count; ++i) {
        count += is_candidate(job, low, high, i);
    }
    SNI_NEW(job->context, attachments->items, count);
    for (uint32_t i = 0; i < job->mesh->vertex_count; ++i) {
        if (is_candidate(job, low, high, i)) {
            attachments->items[attachments->count++] = (sni_attachment){.vertex = i};
        }
    }
cleanup:
    return status;
}

typedef struct search {
    const sni_bind_job *job;
    const sni_falloff_settings *settings;
    const sni_nurbs_finder *finder;
    sni_attachment *items;
    bool *ambiguous;
} search;

static void search_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const search *s = user;
    for (uint32_t i = begin; i < end; ++i) {
        sni_attachment *a = &s->items[i];
        sn_vec3 p = sn_vec3_load(s->job->mesh->positions + 3 * (size_t)a->vertex);
        sni_nurbs_closest closest;
        sni_nurbs_find_closest(s->finder, p, s->settings->d_none, &closest);
        a->factor = 0;
        s->ambiguous[i] = false;
        if (closest.found) {
            a->u = closest.u;
            a->v = closest.v;
            a->distance = closest.distance;
            a->factor = sni_falloff_value(s->settings, closest.distance);
            a->factor *= s->job->point_weights != NULL ? s->job->point_weights[a->vertex] : 1;
            s->ambiguous[i] = closest.ambiguous;
        }
    }
}

static sn_status search_all(const sni_bind_job *job, search *s, sni_attachments *attachments,
                            sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sni_parallel_rounds(job->context, attachments->count, ATTACH_GRAIN, ATTACH_ROUND,
                               search_block, s, job->progress, "attaching", error));
    uint32_t kept = 0;
    for (uint32_t i = 0; i < attachments->count; ++i) {
        if (s->items[i].factor > 0) {
            attachments->ambiguous += s->ambiguous[i];
            attachments->items[kept++] = s->items[i];
        }
    }
    attachments->count = kept;
cleanup:
    return status;
}

sn_status sni_falloff_attach(const sni_bind_job *job, const sni_muscle_surface *muscle,
                             const sni_falloff_settings *settings, sni_skin_ways *ways,
                             sni_attachments *attachments, sn_error *error) {
    SN_ASSERT(settings->d_full <= settings->d_none);
    sn_status status = SN_OK;
    sni_nurbs_finder *finder = NULL;
    bool *ambiguous = NULL;
    *attachments = (sni_attachments){0};
    SN_TRY(gather(job, muscle, settings->d_none, attachments, error));
    SN_TRY(sni_nurbs_finder_create(job->context, &muscle->nurbs, &finder, error));
    SNI_NEW(job->context, ambiguous, attachments->count);
    search s = {.job = job,
                .settings = settings,
                .finder = finder,
                .items = attachments->items,
                .ambiguous = ambiguous};
    SN_TRY(search_all(job, &s, attachments, error));
    if (settings->reach > 0) {
        sni_falloff_separate(ways, muscle, settings->reach, attachments);
    }
cleanup:
    sni_nurbs_finder_destroy(finder);
    sni_free(job->context, ambiguous);
    if (status != SN_OK) {
        sni_free(job->context, attachments->items);
        *attachments = (sni_attachments){0};
    }
    return status;
}
