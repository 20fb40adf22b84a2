// SPDX-License-Identifier: Apache-2.0
//
// After section 4.6 of the thesis on facial animation that docs/transfer.md names; simplified
// skulls keep their landmarks (decimation with locked vertices), and wraps are those of
// docs/wrap.md.
#include "fit/head/chain.h"

#include "fit/head/pegs.h"
#include "fit/head/spline.h"
#include "sinew/skin.h"

#include <string.h>

// Vertices of the skulls between the pegs and everything else.
static const uint32_t level_sizes[] = {150, 700, 2600};
enum { LEVELS = sizeof level_sizes / sizeof *level_sizes };

typedef struct chain {
    sn_context *context;
    const sni_chain_desc *desc;
    sn_mesh *rest[LEVELS + 1]; // the pegs first
    float *moved[LEVELS + 1];
} chain;

static sn_status make_mesh(sn_context *context, const char *name, uint32_t vertex_count,
                           uint32_t triangle_count, const uint32_t *triangles, sn_mesh **mesh,
                           sn_error *error) {
    sn_status status = sn_mesh_create(context, name, vertex_count, triangle_count,
                                      3 * triangle_count, mesh, error);
    if (status == SN_OK) {
        for (uint32_t t = 0; t <= triangle_count; ++t) {
            (*mesh)->face_offsets[t] = 3 * t;
        }
        memcpy((*mesh)->corners, triangles, 3 * (size_t)triangle_count * sizeof *triangles);
    }
    return status;
}

static sn_status make_pegs(chain *c, sn_error *error) {
    sn_status status = SN_OK;
    const sni_chain_desc *d = c->desc;
    sni_pegs *pegs = NULL;
    SN_TRY(sni_pegs_create(c->context, d->landmark_count, d->landmarks, &pegs, error));
    SN_TRY(make_mesh(c->context, "pegs", d->landmark_count, pegs->triangle_count, pegs->vertices,
                     &c->rest[0], error));
    SNI_NEW(c->context, c->moved[0], 3 * (size_t)d->landmark_count);
    for (uint32_t i = 0; i < d->landmark_count; ++i) {
        sn_vec3_store(d->landmarks[i], c->rest[0]->positions + 3 * (size_t)i);
        sn_vec3_store(d->targets[i], c->moved[0] + 3 * (size_t)i);
    }
cleanup:
    sni_pegs_destroy(pegs);
    return status;
}

// The bones, with the vertex nearest to each landmark put onto it and locked.
static void lock_landmarks(const sni_chain_desc *d, float *positions, uint8_t *locked) {
    for (uint32_t v = 0; v < d->vertex_count; ++v) {
        sn_vec3_store(d->vertices[v], positions + 3 * (size_t)v);
        locked[v] = 0;
    }
    for (uint32_t i = 0; i < d->landmark_count; ++i) {
        uint32_t nearest = SN_NONE;
        double least = INFINITY;
        for (uint32_t v = 0; v < d->vertex_count; ++v) {
            double distance = sn_vec3_distance(d->vertices[v], d->landmarks[i]);
            if (!locked[v] && distance < least) {
                least = distance;
                nearest = v;
            }
        }
        if (nearest != SN_NONE) {
            locked[nearest] = 1;
            sn_vec3_store(d->landmarks[i], positions + 3 * (size_t)nearest);
        }
    }
}

static sn_status make_levels(chain *c, sn_error *error) {
    sn_status status = SN_OK;
    const sni_chain_desc *d = c->desc;
    float *positions = NULL;
    uint8_t *locked = NULL;
    sn_decimated *simple = NULL;
    SNI_NEW(c->context, positions, 3 * (size_t)d->vertex_count);
    SNI_NEW(c->context, locked, d->vertex_count);
    lock_landmarks(d, positions, locked);
    for (int level = 1; level <= LEVELS; ++level) {
        sn_decimate_desc desc = sn_decimate_desc_default();
        desc.positions = positions;
        desc.vertex_count = d->vertex_count;
        desc.vertices = d->triangles;
        desc.triangle_count = d->triangle_count;
        desc.locked = locked;
        desc.target_vertices = level_sizes[level - 1];
        SN_TRY(sn_decimate(c->context, &desc, NULL, &simple, error));
        SN_TRY(make_mesh(c->context, "skull", simple->vertex_count, simple->triangle_count,
                         simple->vertices, &c->rest[level], error));
        memcpy(c->rest[level]->positions, simple->positions,
               3 * (size_t)simple->vertex_count * sizeof(float));
        SNI_NEW(c->context, c->moved[level], 3 * (size_t)simple->vertex_count);
        sn_decimated_destroy(simple);
        simple = NULL;
    }
cleanup:
    sni_free(c->context, positions);
    sni_free(c->context, locked);
    sn_decimated_destroy(simple);
    return status;
}

// Cranium and mandible are apart but move as one body: whatever is near counts (reach 0).
static sn_status wrap(const sn_mesh *mesh, const sn_mesh *driver, const float *driver_points,
                      float *out, const sn_progress *progress, sn_error *error) {
    sn_wrap_desc desc = sn_wrap_desc_default();
    sn_wrap *bound = NULL;
    desc.reach = 0;
    desc.extended = true;
    desc.local = 4;
    sn_status status = sn_wrap_bind(mesh, driver, &desc, progress, &bound, error);
    if (status == SN_OK) {
        status = sn_wrap_deform(bound, driver_points, NULL, mesh->positions, out, error);
    }
    sn_wrap_destroy(bound);
    return status;
}

// Moves points by the finest skull.
static sn_status move_all(chain *c, uint32_t count, sn_vec3 *points, const sn_progress *progress,
                          sn_error *error) {
    sn_status status = SN_OK;
    sn_mesh *cloud = NULL;
    float *out = NULL;
    SN_TRY(sn_mesh_create(c->context, "points", count, 0, 0, &cloud, error));
    SNI_NEW(c->context, out, 3 * (size_t)count);
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3_store(points[i], cloud->positions + 3 * (size_t)i);
    }
    SN_TRY(wrap(cloud, c->rest[LEVELS], c->moved[LEVELS], out, progress, error));
    for (uint32_t i = 0; i < count; ++i) {
        points[i] = sn_vec3_load(out + 3 * (size_t)i);
    }
cleanup:
    sni_free(c->context, out);
    sn_mesh_destroy(cloud);
    return status;
}

// What is missing at landmarks after all wraps.
static sn_status make_exact(chain *c, uint32_t count, sn_vec3 *points, const sn_progress *progress,
                            sn_error *error) {
    sn_status status = SN_OK;
    const sni_chain_desc *d = c->desc;
    sn_vec3 *at = NULL, *missing = NULL;
    sni_spline *spline = NULL;
    SNI_NEW(c->context, at, d->landmark_count);
    SNI_NEW(c->context, missing, d->landmark_count);
    memcpy(at, d->landmarks, d->landmark_count * sizeof *at);
    SN_TRY(move_all(c, d->landmark_count, at, progress, error));
    for (uint32_t i = 0; i < d->landmark_count; ++i) {
        missing[i] = sn_vec3_sub(d->targets[i], at[i]);
    }
    SN_TRY(sni_spline_create(c->context, SNI_SPLINE_BENDING, 0.005, d->landmark_count, at, missing,
                             NULL, &spline, error));
    sni_spline_move(spline, points, count);
cleanup:
    sni_free(c->context, at);
    sni_free(c->context, missing);
    sni_spline_destroy(spline);
    return status;
}

sn_status sni_chain_move(sn_context *context, const sni_chain_desc *desc, uint32_t count,
                         sn_vec3 *points, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    chain c = {.context = context, .desc = desc};
    SN_TRY(make_pegs(&c, error));
    SN_TRY(make_levels(&c, error));
    for (int level = 1; level <= LEVELS; ++level) {
        SN_TRY(wrap(c.rest[level], c.rest[level - 1], c.moved[level - 1], c.moved[level], progress,
                    error));
    }
    SN_TRY(move_all(&c, count, points, progress, error));
    SN_TRY(make_exact(&c, count, points, progress, error));
cleanup:
    for (int level = 0; level <= LEVELS; ++level) {
        sn_mesh_destroy(c.rest[level]);
        sni_free(context, c.moved[level]);
    }
    return status;
}
