// SPDX-License-Identifier: Apache-2.0
//
// Influence of element k on point P, equation 1 with lengths in units (as printed, it would depend
// on whether the user models in metres or millimetres):
//
//     f(d_k) = 1 / (1 + (d_k / unit)^local),   u_k = f(d_k) / sum_j f(d_j)
//
// over the elements j that count, faded where they are far along the driver (reach.h). Of these a
// point keeps the largest, so that at most the share `cut` of the sum is lost:
//
// 1. Points are sorted by their nearest element n and by the class of their distance to it, d <= D.
//    What follows is worked out once for all points of one n and D.
// 2. Elements within R of n are collected, and a tree of boxes bounds the sum of the influences of
//    all others from above, the tail (candidates.c).
// 3. For each point, distances to the collected elements, eight at a time; the smallest influences
//    are dropped, and those little above lowered, so that lost + tail <= cut (sum + tail) (cut.c).
//    Where the tail is too much of that, more elements are collected.
#include "skin/wrap/bind.h"

#include "base/context.h"
#include "base/rows.h"
#include "geometry/triangle.h"
#include "skin/wrap/nearest.h"

#include <stdatomic.h>
#include <string.h>

// Points of a block, and points between two reports of progress: some hundredths of a second.
enum { BIND_GRAIN = 1024, BIND_ROUND = 32 * BIND_GRAIN };

// What a point keeps at the standard settings, or little less: what is taken too much is not used,
// what is taken too little is copied.
static const uint32_t usual_elements = 26;

// Scratch of one thread.
typedef struct bind_worker {
    bool is_ready;
    sni_wrap_candidates candidates;
    sni_wrap_cut cut;
    // Sums over the driver's vertices (extended).
    uint32_t vertex_count;
    uint32_t *vertices;
    float *vertex_sums; // 0 between points
} bind_worker;

typedef struct bind_run {
    const sni_wrap_surface *surface;
    const sni_wrap_settings *settings;
    sni_wrap_shape *shapes; // of the triangles
    sni_wrap_search search; // the three above
    const float *points;
    uint32_t *nearest; // of the points
    float *distances;  // of the points from their nearest
    uint32_t *order;   // points by nearest and class
    uint32_t driver_vertices;
    bind_worker *workers;
    sni_wrap_rows *rows;
    sni_wrap_report *reports; // of the blocks
    atomic_bool out_of_memory;
} bind_run;

// ---------------------------------------------------------------------------------------------
// Nearest elements

// What points are sorted by, after their nearest element.
static uint32_t class_of(const bind_run *run, uint32_t point) {
    const sni_wrap_edits *edits = run->search.edits;
    uint32_t edit = edits != NULL ? edits->points[point] : 0;
    return edit > 0 ? SNI_WRAP_CLASSES + edit
                    : sni_wrap_class_of(run->surface, run->distances[point]);
}

// The element of the point before is where the search for the next begins, which shortens it.
static void find_nearest(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    bind_run *run = user;
    const sni_wrap_edits *edits = run->search.edits;
    uint32_t slot = 0;
    for (uint32_t i = begin; i < end; ++i) {
        const float *point = run->points + 3 * (size_t)i;
        double distance = sni_wrap_nearest(run->surface, point, &slot);
        run->nearest[i] = run->surface->tree.slots[slot].triangle;
        const uint8_t *edit = edits != NULL && edits->points[i] > 0
                                  ? sni_wrap_edits_of(edits, edits->points[i])
                                  : NULL;
        if (edit != NULL && edit[run->nearest[i]] == SNI_EDIT_REMOVED) {
            distance = sni_wrap_nearest_left(run->surface, point, edit, &run->nearest[i]);
        }
        run->distances[i] = (float)distance;
    }
}

// Counting sort of `from` into `to` by keys below `key_count`, stable. `offsets`: key_count + 1.
static void sort_by(const uint32_t *keys, uint32_t key_count, const uint32_t *from, uint32_t *to,
                    uint32_t count, uint32_t *offsets) {
    memset(offsets, 0, ((size_t)key_count + 1) * sizeof *offsets);
    for (uint32_t i = 0; i < count; ++i) {
        sni_rows_count(offsets, keys[i], 1);
    }
    sni_rows_begin(offsets, key_count);
    for (uint32_t i = 0; i < count; ++i) {
        to[sni_rows_take(offsets, keys[from[i]])] = from[i];
    }
}

static sn_status sort_points(bind_run *run, uint32_t count, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = run->surface->context;
    uint32_t *classes = NULL, *numbers = NULL, *by_class = NULL, *offsets = NULL;
    const uint32_t triangles = run->surface->count;
    const uint32_t class_count = SNI_WRAP_CLASSES + SNI_WRAP_EDITS;
    SNI_NEW(context, classes, count);
    SNI_NEW(context, numbers, count);
    SNI_NEW(context, by_class, count);
    SNI_NEW(context, offsets, (triangles > class_count ? (size_t)triangles : class_count) + 1);
    uint32_t highest = 0;
    for (uint32_t i = 0; i < count; ++i) {
        numbers[i] = i;
        classes[i] = class_of(run, i);
        highest = classes[i] > highest ? classes[i] : highest;
    }
    if (highest > 0) {
        sort_by(classes, class_count, numbers, by_class, count, offsets);
    }
    sort_by(run->nearest, triangles, highest > 0 ? by_class : numbers, run->order, count, offsets);
cleanup:
    sni_free(context, classes);
    sni_free(context, numbers);
    sni_free(context, by_class);
    sni_free(context, offsets);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Candidates of a nearest element and a distance class

static sn_status worker_init(bind_run *run, bind_worker *w, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = run->surface->context;
    *w = (bind_worker){.is_ready = true};
    SN_TRY(sni_wrap_candidates_init(&run->search, &w->candidates, error));
    if (run->settings->extended) {
        SNI_NEW(context, w->vertices, run->driver_vertices);
        SNI_NEW_ZERO(context, w->vertex_sums, run->driver_vertices);
    }
cleanup:
    return status;
}

static void worker_deinit(sn_context *context, bind_worker *w) {
    sni_wrap_candidates_deinit(context, &w->candidates);
    sni_wrap_cut_deinit(context, &w->cut);
    sni_free(context, w->vertices);
    sni_free(context, w->vertex_sums);
}

// ---------------------------------------------------------------------------------------------
// Rows

static bool make_room(sn_context *context, sni_wrap_block *block, uint32_t more) {
    uint32_t needed = block->count + more;
    if (needed <= block->element_capacity && needed <= block->value_capacity) {
        return true;
    }
    return sni_grow(context, &block->elements, &block->element_capacity, needed,
                    sizeof *block->elements) &&
           sni_grow(context, &block->values, &block->value_capacity, needed, sizeof *block->values);
}

static bool write_triangles(const bind_run *run, const bind_worker *w, sni_wrap_block *block) {
    const uint32_t count = w->cut.kept_count;
    if (!make_room(run->surface->context, block, count)) {
        return false;
    }
    const sni_wrap_share *kept = w->cut.kept;
    uint32_t *elements = block->elements + block->count;
    float *values = block->values + block->count;
    for (uint32_t i = 0; i < count; ++i) {
        elements[i] = kept[i].element;
        values[i] = kept[i].influence;
    }
    block->count += count;
    return true;
}

// Adds an element's influence to its vertices by the barycentric coordinates of the closest point.
static void spread(const bind_run *run, bind_worker *w, sni_wrap_share kept, sn_vec3 point) {
    const sni_wrap_surface *s = run->surface;
    uint32_t sorted[3];
    double weights[3];
    sni_triangle_sort(s->positions, s->triangles->vertices + 3 * (size_t)kept.element, sorted,
                      NULL);
    sni_triangle triangle = sni_triangle_load(s->positions, sorted);
    sni_triangle_closest(&triangle, point, weights);
    for (int i = 0; i < 3; ++i) {
        float share = (float)(kept.influence * weights[i]);
        if (share > 0) {
            if (w->vertex_sums[sorted[i]] == 0) {
                w->vertices[w->vertex_count++] = sorted[i];
            }
            w->vertex_sums[sorted[i]] += share;
        }
    }
}

// Section 4.2: P_k^def is the mean of the three corners' maps, so that elements can be summed up by
// vertex: one map for each vertex serves all triangles around it.
static bool write_vertices(const bind_run *run, bind_worker *w, uint32_t point,
                           sni_wrap_block *block) {
    sn_vec3 p = sn_vec3_load(run->points + 3 * (size_t)point);
    w->vertex_count = 0;
    for (uint32_t i = 0; i < w->cut.kept_count; ++i) {
        spread(run, w, w->cut.kept[i], p);
    }
    if (!make_room(run->surface->context, block, w->vertex_count)) {
        return false;
    }
    for (uint32_t i = 0; i < w->vertex_count; ++i) {
        block->elements[block->count] = w->vertices[i];
        block->values[block->count++] = w->vertex_sums[w->vertices[i]];
        w->vertex_sums[w->vertices[i]] = 0;
    }
    return true;
}

static bool fill_block(bind_run *run, bind_worker *w, uint32_t begin, uint32_t end,
                       sni_wrap_block *block, sni_wrap_report *report) {
    if (!make_room(run->surface->context, block, (end - begin) * usual_elements)) {
        return false;
    }
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t point = run->order[i], before = block->count;
        sn_vec3 p = sn_vec3_load(run->points + 3 * (size_t)point);
        if (!sni_wrap_cut_point(&run->search, &w->candidates, run->nearest[point],
                                class_of(run, point), p, run->distances[point], &w->cut, report)) {
            return false;
        }
        if (!(run->settings->extended ? write_vertices(run, w, point, block)
                                      : write_triangles(run, w, block))) {
            return false;
        }
        run->rows->rows[point].count = block->count - before;
    }
    return true;
}

static void register_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    bind_run *run = user;
    bind_worker *w = &run->workers[worker];
    sni_wrap_block *block = &run->rows->blocks[begin / BIND_GRAIN];
    if (atomic_load(&run->out_of_memory) || (!w->is_ready && worker_init(run, w, NULL) != SN_OK) ||
        !fill_block(run, w, begin, end, block, &run->reports[begin / BIND_GRAIN])) {
        atomic_store(&run->out_of_memory, true);
        return;
    }
    size_t offset = 0;
    for (uint32_t i = begin; i < end; ++i) {
        sni_blend_row *row = &run->rows->rows[run->order[i]];
        row->elements = block->elements + offset;
        row->values = block->values + offset;
        offset += row->count;
    }
}

static void make_shapes(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    bind_run *run = user;
    const sni_wrap_surface *s = run->surface;
    for (uint32_t t = begin; t < end; ++t) {
        const uint32_t *v = s->triangles->vertices + 3 * (size_t)t;
        run->shapes[t] =
            sni_wrap_shape_make(sn_vec3_load(s->positions + 3 * (size_t)v[0]),
                                sn_vec3_load(s->positions + 3 * (size_t)v[1]),
                                sn_vec3_load(s->positions + 3 * (size_t)v[2]), run->settings->unit);
    }
}

// Runs `fn` over all points.
static sn_status run_points(bind_run *run, uint32_t count, sn_block_fn *fn, const char *step,
                            const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sni_parallel_rounds(run->surface->context, count, BIND_GRAIN, BIND_ROUND, fn, run,
                               progress, step, error));
    if (atomic_load(&run->out_of_memory)) {
        status = sni_fail_memory(error);
    }
cleanup:
    return status;
}

static sn_status run_init(bind_run *run, uint32_t count, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = run->surface->context;
    sni_wrap_rows *rows = run->rows;
    rows->block_count = count / BIND_GRAIN + (count % BIND_GRAIN != 0);
    SNI_NEW(context, run->nearest, count);
    SNI_NEW(context, run->distances, count);
    SNI_NEW(context, run->order, count);
    SNI_NEW(context, run->shapes, run->surface->count);
    SNI_NEW_ZERO(context, run->workers, sn_context_thread_count(context));
    SNI_NEW_ZERO(context, run->reports, rows->block_count);
    SNI_NEW_ZERO(context, rows->rows, count);
    SNI_NEW_ZERO(context, rows->blocks, rows->block_count);
cleanup:
    return status;
}

static void run_deinit(bind_run *run) {
    sn_context *context = run->surface->context;
    for (uint32_t i = 0; run->workers != NULL && i < sn_context_thread_count(context); ++i) {
        worker_deinit(context, &run->workers[i]);
    }
    sni_free(context, run->workers);
    sni_free(context, run->nearest);
    sni_free(context, run->distances);
    sni_free(context, run->order);
    sni_free(context, run->shapes);
    sni_free(context, run->reports);
}

static sni_wrap_report sum_reports(const sni_wrap_report *reports, uint32_t count) {
    sni_wrap_report sum = {0};
    for (uint32_t i = 0; i < count; ++i) {
        sum.elements += reports[i].elements;
        sum.widest = reports[i].widest > sum.widest ? reports[i].widest : sum.widest;
        sum.largest_loss = fmax(sum.largest_loss, reports[i].largest_loss);
        sum.limited += reports[i].limited;
    }
    return sum;
}

sn_status sni_wrap_register(const sni_wrap_surface *surface, const sni_wrap_settings *settings,
                            const sni_wrap_edits *edits, uint32_t count, const float *points,
                            const sn_progress *progress, sni_wrap_rows *rows,
                            sni_wrap_report *report, sn_error *error) {
    SN_ASSERT(count == 0 || points != NULL);
    SN_ASSERT(settings->unit > 0 && settings->local >= 0);
    sn_status status = SN_OK;
    bind_run run = {.surface = surface,
                    .settings = settings,
                    .points = points,
                    .driver_vertices = surface->vertex_count,
                    .rows = rows};
    *rows = (sni_wrap_rows){0};
    SN_TRY(run_init(&run, count, error));
    run.search = (sni_wrap_search){.surface = surface,
                                   .settings = settings,
                                   .shapes = run.shapes,
                                   .edits = edits != NULL && edits->count > 0 ? edits : NULL};
    sni_wrap_search_near(&run.search);
    sn_parallel_for(surface->context, surface->count, BIND_GRAIN, make_shapes, &run);
    SN_TRY(run_points(&run, count, find_nearest, "finding faces", progress, error));
    SN_TRY(sort_points(&run, count, error));
    SN_TRY(run_points(&run, count, register_block, "wrapping", progress, error));
    SN_TRY(sni_progress(progress, "wrapping", 1, error));
    *report = sum_reports(run.reports, rows->block_count);
cleanup:
    run_deinit(&run);
    if (status != SN_OK) {
        sni_wrap_rows_deinit(surface->context, rows);
    }
    return status;
}

void sni_wrap_rows_deinit(sn_context *context, sni_wrap_rows *rows) {
    for (uint32_t i = 0; rows->blocks != NULL && i < rows->block_count; ++i) {
        sni_free(context, rows->blocks[i].elements);
        sni_free(context, rows->blocks[i].values);
    }
    sni_free(context, rows->blocks);
    sni_free(context, rows->rows);
    *rows = (sni_wrap_rows){0};
}
