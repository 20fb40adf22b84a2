// SPDX-License-Identifier: Apache-2.0
//
// The deformer `relax` (docs/relax.md): takes the skin as the deformers before it left it. Edges
// that are far shorter or longer than at rest share that with the edges around them, which bones
// with weights alone do not see to: armpits, groins, elbows, fingers. It is a function of the
// points that it is given, and all that is away from such edges keeps its bits.
#include "skin/edges.h"
#include "skin/rest_place.h"
#include "skin/skin.h"

#include "sinew/geometry.h"

#include <string.h>

enum {
    PARAMETER_SHORTEST,
    PARAMETER_LONGEST,
    PARAMETER_SWEEPS,
    PARAMETER_ENVELOPE,
    PARAMETER_COUNT,
};

static const sn_parameter parameters[PARAMETER_COUNT] = {
    [PARAMETER_SHORTEST] = {.name = "shortest",
                            .help = "Length over that at rest below which an edge is made longer",
                            .unit = "",
                            .low = 0,
                            .standard = 0.35,
                            .high = 1},
    [PARAMETER_LONGEST] = {.name = "longest",
                           .help = "Length over that at rest above which an edge is made shorter",
                           .unit = "",
                           .low = 1,
                           .standard = 2.7,
                           .high = 100,
                           .usual = 5},
    [PARAMETER_SWEEPS] = {.name = "sweeps",
                          .help = "Number of sweeps over edges beyond the limits, at most",
                          .unit = "",
                          .low = 1,
                          .standard = 200,
                          .high = 5000,
                          .whole = true,
                          .usual = 500},
    [PARAMETER_ENVELOPE] = SNI_ENVELOPE_PARAMETER,
};

enum { INPUT_STAND };

typedef struct relax {
    sni_skin_edges edges;
    sni_edge_limits limits;
    uint32_t sweeps;
    double envelope;
} relax;

static void relax_unbind(sn_context *context, void *bound) {
    relax *r = bound;
    if (r != NULL) {
        sni_skin_edges_free(context, &r->edges);
        sni_free(context, r);
    }
}

static sn_status make_edges(const sni_bind_job *job, relax *r, sn_error *error) {
    const sni_stand_input *stand = job->inputs[INPUT_STAND];
    sn_status status = SN_OK;
    sn_triangles *triangles = NULL;
    float *positions = NULL;
    SNI_NEW(job->context, positions, 3 * (size_t)job->mesh->vertex_count);
    sni_place_at_rest(job->mesh, stand != NULL ? stand->bone_segments : NULL, job->rest_worlds,
                      positions);
    SN_TRY(sn_triangles_create(job->mesh, positions, &triangles, error));
    SN_TRY(sni_skin_edges_create(job->context, job->mesh->vertex_count, positions, triangles->count,
                                 triangles->vertices, &r->edges, error));
cleanup:
    sni_free(job->context, positions);
    sn_triangles_destroy(triangles);
    return status;
}

static sn_status relax_bind(const sni_bind_job *job, void **bound, sn_error *error) {
    sn_status status = SN_OK;
    relax *r = NULL;
    *bound = NULL;
    SN_TRY(sni_bind_job_validate(&sni_deformer_relax, job, error));
    SNI_NEW_ZERO(job->context, r, 1);
    r->limits =
        (sni_edge_limits){job->parameters[PARAMETER_SHORTEST], job->parameters[PARAMETER_LONGEST]};
    r->sweeps = (uint32_t)job->parameters[PARAMETER_SWEEPS];
    r->envelope = job->parameters[PARAMETER_ENVELOPE];
    SN_TRY(make_edges(job, r, error));
    *bound = r;
    return SN_OK;
cleanup:
    relax_unbind(job->context, r);
    return status;
}

static sn_status relax_deform(const void *bound, const sni_deform_job *job, sn_error *error) {
    const relax *r = bound;
    double envelope = sni_parameter_now(job->parameters, PARAMETER_ENVELOPE, r->envelope);
    size_t count = 3 * (size_t)job->vertex_count;
    memcpy(job->points_out, job->points_in, count * sizeof *job->points_out);
    if (envelope == 0) {
        return SN_OK;
    }
    if (!sni_edges_relax(job->context, job->arena, &r->edges, r->limits, r->sweeps,
                         job->points_out)) {
        return sni_fail_memory(error);
    }
    for (size_t i = 0; i < count && envelope < 1; ++i) {
        float by = job->points_out[i] - job->points_in[i];
        job->points_out[i] = job->points_in[i] + (float)envelope * by;
    }
    return SN_OK;
}

static size_t relax_bytes(const void *bound) {
    const relax *r = bound;
    return sizeof *r + sni_skin_edges_bytes(&r->edges);
}

const sni_deformer_ops sni_deformer_relax = {
    .name = "relax",
    .help = "Evens out edges that are far shorter or longer than at rest over the skin around them",
    .parameters = SNI_PARAMETERS(parameters),
    .inputs = {[INPUT_STAND] = {&sni_input_stand, false}},
    .bind = relax_bind,
    .unbind = relax_unbind,
    .deform = relax_deform,
    .bytes = relax_bytes,
};
