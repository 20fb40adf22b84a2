// SPDX-License-Identifier: Apache-2.0
#include "muscle/cover.h"

#include <string.h>

// Vertices of a block: about a millisecond.
enum { FIND_GRAIN = 512 };

// --- Making

typedef struct find_run {
    const sni_slice_field *field;
    const float *positions;
    sni_slice_tie (*ties)[SNI_MOST_SLICE_TIES]; // vertex_count
    uint32_t *counts;                           // vertex_count
    double *distances;                          // vertex_count
} find_run;

static void find_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const find_run *run = user;
    for (size_t i = begin; i < end; ++i) {
        run->counts[i] = sni_slice_field_find(run->field, sn_vec3_load(run->positions + 3 * i),
                                              run->ties[i], &run->distances[i]);
    }
}

static void set_factors(const sni_slice_tie *tie, float *factors) {
    const double of_slice[4] = {1, tie->wide, tie->thick, tie->off};
    for (int k = 0; k < 4; ++k) {
        factors[k] = (float)(tie->weight * (1 - tie->along) * of_slice[k]);
        factors[4 + k] = (float)(tie->weight * tie->along * of_slice[k]);
    }
}

static sn_status keep_ties(sni_cover *cover, const find_run *run, sn_error *error) {
    sn_status status = SN_OK;
    size_t count = 0;
    SNI_NEW(cover->context, cover->tie_starts, (size_t)cover->vertex_count + 1);
    for (uint32_t i = 0; i < cover->vertex_count; ++i) {
        cover->tie_starts[i] = (uint32_t)count;
        cover->mean_distance += run->distances[i] / cover->vertex_count;
        count += run->counts[i];
    }
    cover->tie_starts[cover->vertex_count] = (uint32_t)count;
    SNI_NEW(cover->context, cover->slices, count);
    SNI_NEW(cover->context, cover->factors, 8 * count);
    for (uint32_t i = 0; i < cover->vertex_count; ++i) {
        for (uint32_t k = 0; k < run->counts[i]; ++k) {
            size_t at = (size_t)cover->tie_starts[i] + k;
            cover->slices[at] = run->ties[i][k].slice;
            set_factors(&run->ties[i][k], cover->factors + 8 * at);
        }
    }
cleanup:
    return status;
}

static sn_status make_ties(sni_cover *cover, const sni_slice_field *field, sn_error *error) {
    find_run run = {.field = field, .positions = cover->given};
    sn_status status = SN_OK;
    SNI_NEW(cover->context, run.ties, cover->vertex_count);
    SNI_NEW(cover->context, run.counts, cover->vertex_count);
    SNI_NEW(cover->context, run.distances, cover->vertex_count);
    sn_parallel_for(cover->context, cover->vertex_count, FIND_GRAIN, find_block, &run);
    SN_TRY(keep_ties(cover, &run, error));
cleanup:
    sni_free(cover->context, run.ties);
    sni_free(cover->context, run.counts);
    sni_free(cover->context, run.distances);
    return status;
}

sn_status sni_cover_create(sn_context *context, const sn_mesh *mesh, const sn_triangles *triangles,
                           const sni_slice_field *field, uint32_t slice_count, const float *table,
                           sni_cover **cover, sn_error *error) {
    SN_ASSERT(triangles->count == 0 || mesh->vertex_count > 0);
    SN_ASSERT(slice_count >= 2 && table != NULL);
    sn_status status = SN_OK;
    sni_cover *made = NULL;
    *cover = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->vertex_count = mesh->vertex_count;
    made->triangle_count = triangles->count;
    made->slice_count = slice_count;
    SNI_NEW(context, made->given, 3 * (size_t)mesh->vertex_count);
    SNI_NEW(context, made->base, 3 * (size_t)mesh->vertex_count);
    SNI_NEW(context, made->triangles, 3 * (size_t)triangles->count);
    memcpy(made->given, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *made->given);
    memcpy(made->triangles, triangles->vertices,
           3 * (size_t)triangles->count * sizeof *made->triangles);
    SN_TRY(make_ties(made, field, error));
    sni_cover_find(made, table, made->base);
    made->volume = sni_cover_volume(made, made->base);
    *cover = made;
    made = NULL;
cleanup:
    sni_cover_destroy(made);
    return status;
}

void sni_cover_destroy(sni_cover *cover) {
    if (cover == NULL) {
        return;
    }
    sni_free(cover->context, cover->tie_starts);
    sni_free(cover->context, cover->slices);
    sni_free(cover->context, cover->factors);
    sni_free(cover->context, cover->triangles);
    sni_free(cover->context, cover->given);
    sni_free(cover->context, cover->base);
    sni_free(cover->context, cover);
}

size_t sni_cover_bytes(const sni_cover *cover) {
    size_t ties = cover->tie_starts[cover->vertex_count];
    return sizeof *cover + (size_t)cover->vertex_count * (6 * sizeof(float) + sizeof(uint32_t)) +
           ties * (8 * sizeof(float) + sizeof(uint32_t)) +
           3 * (size_t)cover->triangle_count * sizeof(uint32_t);
}

// --- A pose

static void store_row(sn_vec3 v, float *row) {
    sn_vec3_store(v, row);
    row[3] = 0;
}

void sni_cover_set_slice(const sni_slice *slice, sn_vec3 reference, float *row) {
    store_row(sn_vec3_sub(slice->center, reference), row);
    store_row(slice->wide, row + 4);
    store_row(slice->thick, row + 8);
    store_row(sni_slice_normal(slice), row + 12);
}

// The vectors of both slices stand one after the other: eight rows of four lanes. Products are
// added in pairs, so that none waits for all before it.
static inline void add_tie(const float *rows, const float *factors, float sum[4]) {
    for (int lane = 0; lane < 4; ++lane) {
        float p[8];
        for (int k = 0; k < 8; ++k) {
            p[k] = factors[k] * rows[4 * k + lane];
        }
        sum[lane] += ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]));
    }
}

void sni_cover_find(const sni_cover *cover, const float *table, float *points) {
    SN_ASSERT(table != NULL && points != NULL);
    for (size_t v = 0; v < cover->vertex_count; ++v) {
        float sum[4] = {0, 0, 0, 0};
        for (size_t i = cover->tie_starts[v]; i < cover->tie_starts[v + 1]; ++i) {
            add_tie(table + SNI_SLICE_FLOATS * (size_t)cover->slices[i], cover->factors + 8 * i,
                    sum);
        }
        memcpy(points + 3 * v, sum, 3 * sizeof *points);
    }
}

// a . ((b - a) x (c - a)) is a . (b x c), six times the volume below a triangle; triangles are
// small against their distance, so that the product of the sides loses fewer digits.
double sni_cover_volume(const sni_cover *cover, const float *points) {
    SN_ASSERT(points != NULL);
    double sum = 0;
    for (size_t i = 0; i < cover->triangle_count; ++i) {
        const float *a = points + 3 * (size_t)cover->triangles[3 * i];
        const float *b = points + 3 * (size_t)cover->triangles[3 * i + 1];
        const float *c = points + 3 * (size_t)cover->triangles[3 * i + 2];
        float ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
        float vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
        float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
        sum += (double)(a[0] * nx + a[1] * ny + a[2] * nz);
    }
    return sum / 6;
}

void sni_cover_place(const sni_cover *cover, const float *points, sn_vec3 shift, float *surface) {
    const double moved[3] = {shift.x, shift.y, shift.z};
    for (size_t v = 0; v < cover->vertex_count; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            size_t i = 3 * v + k;
            double way = (double)points[i] - (double)cover->base[i];
            surface[i] = (float)((double)cover->given[i] + (way + moved[k]));
        }
    }
}
