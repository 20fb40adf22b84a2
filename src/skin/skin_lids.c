// SPDX-License-Identifier: Apache-2.0
//
// The deformer `lids` (docs/lids.md): lids that slide over eyeballs and close. It takes the skin as
// the deformers before it left it, finds the opening before each eye in the mesh itself, and moves
// what is around it.
#include "skin/skin.h"

#include "base/context.h"
#include "geometry/weld.h"
#include "skin/lids/lids.h"
#include "skin/rest_place.h"

#include <string.h>

enum {
    PARAMETER_FOLLOW,
    PARAMETER_FOLLOW_LOWER,
    PARAMETER_REACH,
    PARAMETER_REACH_LOWER,
    PARAMETER_SLIDE,
    PARAMETER_GAP,
    PARAMETER_COUNT,
};

static const sn_parameter parameters[PARAMETER_COUNT] = {
    [PARAMETER_FOLLOW] = {.name = "follow",
                          .help =
                              "How far the upper lid goes with an eye that looks up or down, as "
                              "a part of the eye's turn",
                          .unit = "",
                          .low = 0,
                          .standard = 0.75,
                          .high = 1},
    [PARAMETER_FOLLOW_LOWER] = {.name = "follow_lower",
                                .help = "The same of the lower lid",
                                .unit = "",
                                .low = 0,
                                .standard = 0.4,
                                .high = 1},
    [PARAMETER_REACH] = {.name = "reach",
                         .help = "How far from the edge of the upper lid its skin turns along, in "
                                 "radii of the eyeball",
                         .unit = "",
                         .low = 0.1,
                         .standard = 0.38,
                         .high = 2},
    [PARAMETER_REACH_LOWER] = {.name = "reach_lower",
                               .help = "The same of the lower lid",
                               .unit = "",
                               .low = 0.1,
                               .standard = 0.85,
                               .high = 2},
    [PARAMETER_SLIDE] = {.name = "slide",
                         .help = "How far the lower lid slides towards the nose as the lids close, "
                                 "in radii of the eyeball",
                         .unit = "",
                         .low = 0,
                         .standard = 0.19,
                         .high = 0.3},
    [PARAMETER_GAP] = {.name = "gap",
                       .help = "How far skin stays from the eyeball, and closed lids from each "
                               "other",
                       .unit = "m",
                       .low = 0,
                       .standard = 1e-4,
                       .high = 0.01,
                       .usual = 5e-4},
};

enum { INPUT_EYES, INPUT_STAND };

typedef struct lids_binding {
    uint32_t count;
    sni_lids *eyes;
} lids_binding;

static void lids_unbind(sn_context *context, void *bound) {
    lids_binding *l = bound;
    if (l == NULL) {
        return;
    }
    for (uint32_t i = 0; l->eyes != NULL && i < l->count; ++i) {
        sni_lids_deinit(&l->eyes[i]);
    }
    sni_free(context, l->eyes);
    sni_free(context, l);
}

// ---------------------------------------------------------------------------------------------
// Binding

// The mesh, divided into pieces that hang together.
typedef struct pieces {
    float *positions;         // in the world at rest
    float *normals;           //
    sn_triangles *triangles;  //
    uint32_t *pieces;         // a vertex of the same piece
    uint8_t *is_face;         // of vertices: whether they are of the largest piece
    uint32_t face_count;      // triangles of that piece
    uint32_t *face_triangles; //
    uint32_t *face_vertices;  // x 3
    sn_accel *face;
} pieces;

static void pieces_deinit(sn_context *context, pieces *p) {
    sni_free(context, p->positions);
    sni_free(context, p->normals);
    sn_triangles_destroy(p->triangles);
    sni_free(context, p->pieces);
    sni_free(context, p->is_face);
    sni_free(context, p->face_triangles);
    sni_free(context, p->face_vertices);
    sn_accel_destroy(p->face);
}

static uint32_t root_of(uint32_t *parents, uint32_t v) {
    while (parents[v] != v) {
        parents[v] = parents[parents[v]];
        v = parents[v];
    }
    return v;
}

// Pieces hang together by their triangles, and with `places` also where vertices stand in one
// place.
static void join_pieces(pieces *p, const uint32_t *places, uint32_t vertex_count) {
    for (uint32_t v = 0; v < vertex_count; ++v) {
        p->pieces[v] = places != NULL ? places[v] : v;
    }
    for (uint32_t t = 0; t < p->triangles->count; ++t) {
        const uint32_t *v = p->triangles->vertices + 3 * (size_t)t;
        for (int k = 1; k < 3; ++k) {
            uint32_t a = root_of(p->pieces, v[0]), b = root_of(p->pieces, v[k]);
            p->pieces[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (uint32_t v = 0; v < vertex_count; ++v) {
        p->pieces[v] = root_of(p->pieces, v);
    }
}

// The piece with most vertices, the first of several.
static sn_status find_largest(sn_context *context, const pieces *p, uint32_t vertex_count,
                              uint32_t *largest, uint32_t *size, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *counts = NULL;
    *largest = 0;
    SNI_NEW_ZERO(context, counts, vertex_count);
    for (uint32_t v = 0; v < vertex_count; ++v) {
        counts[p->pieces[v]] += 1;
    }
    for (uint32_t v = 0; v < vertex_count; ++v) {
        *largest = counts[v] > counts[*largest] ? v : *largest;
    }
    *size = vertex_count > 0 ? counts[*largest] : 0;
cleanup:
    sni_free(context, counts);
    return status;
}

// Vertices in one place join pieces only where a file has cut the face into many: eyeballs and the
// moisture on them may touch lids in their own vertices.
static sn_status choose_face(sn_context *context, pieces *p, uint32_t vertex_count,
                             sn_error *error) {
    const double most_cut = 0.3;
    sn_status status = SN_OK;
    uint32_t *places = NULL, largest, size;
    join_pieces(p, NULL, vertex_count);
    SN_TRY(find_largest(context, p, vertex_count, &largest, &size, error));
    if (size < most_cut * vertex_count) {
        SNI_NEW(context, places, vertex_count);
        SN_TRY(sni_weld_points(context, p->positions, vertex_count, 0, places, NULL, error));
        join_pieces(p, places, vertex_count);
        SN_TRY(find_largest(context, p, vertex_count, &largest, &size, error));
    }
    SNI_NEW(context, p->face_triangles, p->triangles->count);
    SNI_NEW(context, p->face_vertices, 3 * (size_t)p->triangles->count);
    for (uint32_t v = 0; v < vertex_count; ++v) {
        p->is_face[v] = p->pieces[v] == largest;
    }
    for (uint32_t t = 0; t < p->triangles->count; ++t) {
        const uint32_t *v = p->triangles->vertices + 3 * (size_t)t;
        if (p->is_face[v[0]]) {
            memcpy(p->face_vertices + 3 * (size_t)p->face_count, v, 3 * sizeof *v);
            p->face_triangles[p->face_count++] = t;
        }
    }
cleanup:
    sni_free(context, places);
    return status;
}

static sn_status pieces_init(const sni_bind_job *job, pieces *p, sn_error *error) {
    const sni_stand_input *stand = job->inputs[INPUT_STAND];
    sn_context *context = job->context;
    uint32_t count = job->mesh->vertex_count;
    sn_status status = SN_OK;
    SNI_NEW(context, p->positions, 3 * (size_t)count);
    SNI_NEW(context, p->normals, 3 * (size_t)count);
    SNI_NEW(context, p->pieces, count);
    SNI_NEW_ZERO(context, p->is_face, count);
    sni_place_at_rest(job->mesh, stand != NULL ? stand->bone_segments : NULL, job->rest_worlds,
                      p->positions);
    SN_TRY(sn_mesh_normals(job->mesh, p->positions, p->normals, error));
    SN_TRY(sn_triangles_create(job->mesh, p->positions, &p->triangles, error));
    SN_TRY(choose_face(context, p, count, error));
    SN_TRY(sn_accel_create(context, p->positions, count, p->face_vertices, p->face_count, &p->face,
                           error));
cleanup:
    return status;
}

static void warn(const sni_bind_job *job, const sni_lid_eye *eye, sni_lid_finding finding) {
    if (finding != SNI_LIDS_FOUND) {
        sni_log(job->context, SN_LOG_WARNING, "skin",
                finding == SNI_LIDS_CLOSED
                    ? "lids: the skin \"%s\" has no opening before the eye \"%s\": its lids stay"
                    : "lids: the skin \"%s\" has no lids around the eye \"%s\"",
                job->mesh->name, eye->name);
    }
}

static sn_status lay_all(const sni_bind_job *job, const pieces *p, lids_binding *l,
                         sn_error *error) {
    const sni_eyes_input *input = job->inputs[INPUT_EYES];
    const double *values = job->parameters;
    sn_status status = SN_OK;
    sni_lids_desc desc = {.context = job->context,
                          .mesh = job->mesh,
                          .positions = p->positions,
                          .triangles = p->triangles,
                          .skeleton = job->skeleton,
                          .rest_worlds = job->rest_worlds,
                          .is_face = p->is_face,
                          .pieces = p->pieces,
                          .normals = p->normals,
                          .face = p->face,
                          .face_triangles = p->face_triangles,
                          .shape = {.follow_upper = values[PARAMETER_FOLLOW],
                                    .follow_lower = values[PARAMETER_FOLLOW_LOWER],
                                    .reach_upper = values[PARAMETER_REACH],
                                    .reach_lower = values[PARAMETER_REACH_LOWER],
                                    .slide = values[PARAMETER_SLIDE],
                                    .gap = values[PARAMETER_GAP]}};
    SNI_NEW_ZERO(job->context, l->eyes, input->count);
    l->count = input->count;
    for (uint32_t i = 0; i < l->count; ++i) {
        sni_lid_finding finding;
        desc.eye = &input->eyes[i];
        SN_TRY(sni_lids_lay(&desc, &l->eyes[i], &finding, error));
        warn(job, desc.eye, finding);
    }
cleanup:
    return status;
}

static sn_status lids_bind(const sni_bind_job *job, void **bound, sn_error *error) {
    sn_status status = SN_OK;
    lids_binding *l = NULL;
    pieces p = {0};
    *bound = NULL;
    SN_TRY(sni_bind_job_validate(&sni_deformer_lids, job, error));
    SNI_NEW_ZERO(job->context, l, 1);
    SN_TRY(pieces_init(job, &p, error));
    SN_TRY(lay_all(job, &p, l, error));
    *bound = l;
    l = NULL;
cleanup:
    pieces_deinit(job->context, &p);
    lids_unbind(job->context, l);
    return status;
}

// ---------------------------------------------------------------------------------------------
// A frame

static sn_status lids_deform(const void *bound, const sni_deform_job *job, sn_error *error) {
    const lids_binding *l = bound;
    bool made = true;
    memcpy(job->points_out, job->points_in,
           3 * (size_t)job->vertex_count * sizeof *job->points_out);
    for (uint32_t i = 0; i < l->count && made; ++i) {
        sni_arena_mark mark = sni_arena_mark_now(job->arena);
        made = sni_lids_move(&l->eyes[i], job->arena, job->worlds,
                             job->controls[l->eyes[i].control], job->points_out);
        sni_arena_release(job->arena, mark);
    }
    return made ? SN_OK : sni_fail_memory(error);
}

static size_t lids_bytes(const void *bound) {
    const lids_binding *l = bound;
    size_t bytes = sizeof *l + l->count * sizeof *l->eyes;
    for (uint32_t i = 0; i < l->count; ++i) {
        bytes += sni_lids_bytes(&l->eyes[i]);
    }
    return bytes;
}

const sni_deformer_ops sni_deformer_lids = {
    .name = "lids",
    .help = "Lids that slide over eyeballs and close",
    .parameters = SNI_PARAMETERS(parameters),
    .inputs = {[INPUT_EYES] = {&sni_input_eyes, true}, [INPUT_STAND] = {&sni_input_stand, false}},
    .moves_in_world = true,
    .bind = lids_bind,
    .unbind = lids_unbind,
    .deform = lids_deform,
    .bytes = lids_bytes,
};
