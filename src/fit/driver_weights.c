// SPDX-License-Identifier: Apache-2.0
//
// Binding of driver meshes, where not with the weights of their skin (driver_inherit.c). "Points
// are rigidly attached to the Euclidean closest limb by default" (Singh and Kokkevis, Skinning
// Characters using Surface-Oriented Free-Form Deformations, 2000, section 5). Smoothly: limb k at
// distance d_k weighs (d_0 / d_k)^4, d_0 being the closest; then each round of smoothing takes the
// mean of a vertex and the mean of its neighbours. A vertex only ever hangs on limbs of one chain,
// its closest limb, those above and those below it: so a thigh follows the hip but never the other
// thigh, and a finger never its neighbour.
#include "fit/driver_weights.h"

#include "sinew/geometry.h"

#include <math.h>

// The fourth power: on an arm of 4 cm radius a limb that begins 12 cm away weighs 1 %.
static const double falloff = 4;

// How many joints away limbs are taken in at first.
static const uint32_t first_steps = 2;

// Vertices per block.
static const uint32_t grain = 256;

typedef struct binder {
    const sn_mesh *mesh;
    const sni_limbs *limbs;
    const sn_topology *topology;
    uint32_t width;           // influences per vertex
    uint32_t *closest;        // #V: limb
    sni_influence *rows;      // #V x width, by falling weight
    sni_influence *next_rows; // the same after a round
    double **totals;          // per worker: segment_count, all 0 between vertices
    uint32_t **candidates;    // per worker: segment_count
} binder;

static sn_vec3 point_of(const binder *b, uint32_t vertex) {
    return sn_vec3_load(b->mesh->positions + 3 * (size_t)vertex);
}

static double falloff_weight(double closest, double distance) {
    return distance > closest ? pow(closest / distance, falloff) : 1;
}

// A limb near a vertex.
typedef struct candidate {
    uint32_t limb;
    uint32_t branch; // the limb below the vertex' own one that it belongs to; SN_NONE above it
    double distance;
} candidate;

// The next limb from line `*line` on that may move the vertex; false when there is none. Lines of a
// limb stand together; the closest of them counts.
static bool next_candidate(const binder *b, sn_vec3 point, uint32_t home, uint32_t *line,
                           candidate *found) {
    const sni_limbs *limbs = b->limbs;
    while (*line < limbs->line_count) {
        uint32_t limb = limbs->lines[*line].segment;
        bool kin = sni_limbs_are_kin(limbs, limb, home, first_steps);
        *found = (candidate){limb, SN_NONE, INFINITY};
        for (; *line < limbs->line_count && limbs->lines[*line].segment == limb; ++*line) {
            if (kin) {
                double distance = sni_limb_line_place(limbs, *line, point).distance;
                found->distance = fmin(found->distance, distance);
            }
        }
        for (uint32_t up = limb, i = 0; up != SN_NONE && up != home && i < first_steps; ++i) {
            found->branch = limbs->parents[up] == home ? up : SN_NONE;
            up = limbs->parents[up];
        }
        if (kin) {
            return true;
        }
    }
    return false;
}

// The branch below `home` that is closest to a vertex.
static candidate closest_branch(const binder *b, sn_vec3 point, uint32_t home) {
    candidate best = {SN_NONE, SN_NONE, INFINITY}, found;
    for (uint32_t line = 0; next_candidate(b, point, home, &line, &found);) {
        if (found.branch != SN_NONE && found.distance < best.distance) {
            best = found;
        }
    }
    return best;
}

// Branches beside the closest one fade out where they are one and a half times as far: a vertex at
// the left of the hips follows the left leg, one in the middle both.
static double branch_factor(const candidate *found, const candidate *best) {
    if (found->branch == SN_NONE || found->branch == best->branch) {
        return 1;
    }
    double ratio = best->distance > 0 ? found->distance / best->distance : INFINITY;
    return fmin(fmax(3 - 2 * ratio, 0), 1);
}

static void bind_vertex(const binder *b, uint32_t vertex) {
    sn_vec3 point = point_of(b, vertex);
    sni_influence *row = b->rows + (size_t)vertex * b->width;
    sni_limb_place closest = sni_limbs_closest(b->limbs, point);
    uint32_t home = b->limbs->lines[closest.line].segment;
    b->closest[vertex] = home;
    sni_influences_clear(row, b->width);
    if (b->width == 1) {
        row[0] = (sni_influence){home, 1};
        return;
    }
    candidate best = closest_branch(b, point, home), found;
    for (uint32_t line = 0; next_candidate(b, point, home, &line, &found);) {
        double weight =
            falloff_weight(closest.distance, found.distance) * branch_factor(&found, &best);
        if (weight > 0) {
            sni_insert_influence(row, b->width, found.limb, weight);
        }
    }
    sni_influences_normalize(row, b->width);
}

static void bind_vertices(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    for (uint32_t v = begin; v < end; ++v) {
        bind_vertex(user, v);
    }
}

// What is added up for one vertex.
typedef struct mixture {
    double *totals;
    uint32_t *candidates;
    uint32_t count;
} mixture;

static void mix_row(const binder *b, mixture *m, uint32_t vertex, uint32_t home, double factor) {
    const sni_influence *row = b->rows + (size_t)vertex * b->width;
    for (uint32_t i = 0; i < b->width && row[i].limb != SN_NONE; ++i) {
        if (!sni_limbs_are_kin(b->limbs, row[i].limb, home, SN_NONE)) {
            continue;
        }
        if (m->totals[row[i].limb] == 0) {
            m->candidates[m->count++] = row[i].limb;
        }
        // Zero means not seen; what underflows to it counts nothing anyway.
        m->totals[row[i].limb] += factor * row[i].weight;
    }
}

static void smooth_vertex(const binder *b, uint32_t vertex, uint32_t worker) {
    const sn_topology *topology = b->topology;
    mixture m = {b->totals[worker], b->candidates[worker], 0};
    uint32_t begin = topology->vertex_edge_offsets[vertex];
    uint32_t end = topology->vertex_edge_offsets[vertex + 1];
    uint32_t home = b->closest[vertex];
    mix_row(b, &m, vertex, home, 0.5);
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t *edge = topology->edges + 2 * (size_t)topology->vertex_edges[i];
        mix_row(b, &m, edge[0] == vertex ? edge[1] : edge[0], home, 0.5 / (end - begin));
    }
    sni_influence *row = b->next_rows + (size_t)vertex * b->width;
    sni_influences_clear(row, b->width);
    for (uint32_t i = 0; i < m.count; ++i) {
        uint32_t limb = m.candidates[i];
        if (m.totals[limb] > 0) {
            sni_insert_influence(row, b->width, limb, m.totals[limb]);
        }
        m.totals[limb] = 0;
    }
    sni_influences_normalize(row, b->width);
}

static void smooth_vertices(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    for (uint32_t v = begin; v < end; ++v) {
        smooth_vertex(user, v, worker);
    }
}

static void smooth(binder *b, uint32_t rounds) {
    for (uint32_t i = 0; b->width > 1 && i < rounds; ++i) {
        sn_parallel_for(b->mesh->context, b->mesh->vertex_count, grain, smooth_vertices, b);
        sni_influence *rows = b->rows;
        b->rows = b->next_rows;
        b->next_rows = rows;
    }
}

static sn_status binder_init(binder *b, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = b->mesh->context;
    uint32_t workers = sn_context_thread_count(context);
    size_t vertex_count = b->mesh->vertex_count, size;
    if (!sni_size_multiply(vertex_count, b->width, &size)) {
        return sni_fail_memory(error);
    }
    SNI_NEW(context, b->closest, vertex_count);
    SNI_NEW(context, b->rows, size);
    SNI_NEW(context, b->next_rows, size);
    SNI_NEW_ZERO(context, b->totals, workers);
    SNI_NEW_ZERO(context, b->candidates, workers);
    for (uint32_t i = 0; i < workers; ++i) {
        SNI_NEW_ZERO(context, b->totals[i], b->limbs->segment_count);
        SNI_NEW(context, b->candidates[i], b->limbs->segment_count);
    }
cleanup:
    return status;
}

static void binder_deinit(binder *b) {
    sn_context *context = b->mesh->context;
    for (uint32_t i = 0; i < sn_context_thread_count(context); ++i) {
        sni_free(context, b->totals != NULL ? b->totals[i] : NULL);
        sni_free(context, b->candidates != NULL ? b->candidates[i] : NULL);
    }
    sni_free(context, b->closest);
    sni_free(context, b->rows);
    sni_free(context, b->next_rows);
    sni_free(context, b->totals);
    sni_free(context, b->candidates);
}

sn_status sni_driver_weights_make(sn_mesh *mesh, const sni_limbs *limbs,
                                  const sn_skeleton *skeleton, const sni_driver_weights_desc *desc,
                                  uint32_t *bone_count, sn_error *error) {
    SN_ASSERT(desc->influences > 0);
    sn_status status = SN_OK;
    sn_topology *topology = NULL;
    binder b = {.mesh = mesh, .limbs = limbs, .width = desc->influences};
    SN_TRY(binder_init(&b, error));
    SN_TRY(sn_topology_create(mesh, &topology, error));
    b.topology = topology;
    sn_parallel_for(mesh->context, mesh->vertex_count, grain, bind_vertices, &b);
    if (desc->skin != NULL) {
        SN_TRY(sni_driver_inherit(mesh->context, desc->skin, skeleton, mesh->vertex_count, b.width,
                                  b.rows, error));
    } else {
        smooth(&b, desc->smoothing);
    }
    SN_TRY(sni_influences_write(b.rows, b.width, limbs, skeleton, mesh, bone_count, error));
cleanup:
    sn_topology_destroy(topology);
    binder_deinit(&b);
    return status;
}
