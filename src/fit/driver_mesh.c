// SPDX-License-Identifier: Apache-2.0
//
// Driver meshes from skins (Singh and Kokkevis, Skinning Characters using Surface-Oriented
// Free-Form Deformations, 2000, section 5): "Polygonize ... decimate and weld polygon objects as
// required to generate a few low resolution deformer objects", with "a greater resolution of
// control points in the region of character joints".
#include "sinew/fit.h"

#include "base/context.h"
#include "fit/driver_weights.h"
#include "fit/joined.h"
#include "motion/limbs.h"
#include "sinew/geometry.h"

#include <string.h>

static const uint32_t desc_check = 0x736e646d;

// How much the sizes of triangles count beside the shape: limbs get rings of vertices along them,
// not only edges from end to end.
static const double regularity = 0.03;

// No slivers: their frames would be of no use to a wrap.
static const double min_quality = 0.2;

// More influences than this are a mistake.
static const uint32_t max_influences = 64;

// Vertices per block.
static const uint32_t grain = 1024;

sn_driver_mesh_desc sn_driver_mesh_desc_default(void) {
    return (sn_driver_mesh_desc){
        .check = desc_check,
        .name = "driver",
        .face_count = 1000,
        .weld = 1e-5,
        .joint_detail = 3,
        .joint_reach = 1.0 / 3,
        .binding = SN_DRIVER_SMOOTH,
        .influences = 3,
        .smoothing = 2,
    };
}

static sn_status check_numbers(const sn_driver_mesh_desc *desc, sn_error *error) {
    if (!(desc->weld >= 0 && desc->weld < 1)) {
        return sni_fail(error, SN_INVALID, "weld is %g, but must be 0 or more and less than 1",
                        desc->weld);
    }
    if (!(desc->joint_detail >= 1 && desc->joint_detail <= 1e3)) {
        return sni_fail(error, SN_INVALID, "the detail at joints is %g, but must be 1 to 1000",
                        desc->joint_detail);
    }
    if (!(desc->joint_reach >= 0 && isfinite(desc->joint_reach))) {
        return sni_fail(error, SN_INVALID, "the reach of joints is %g, but must be 0 or more",
                        desc->joint_reach);
    }
    if (desc->influences == 0 || desc->influences > max_influences) {
        return sni_fail(error, SN_INVALID, "%u influences were asked for, but there are 1 to %u",
                        desc->influences, max_influences);
    }
    if (desc->binding != SN_DRIVER_RIGID && desc->binding != SN_DRIVER_SMOOTH &&
        desc->binding != SN_DRIVER_SKIN) {
        return sni_fail(error, SN_INVALID, "there is no binding %d", (int)desc->binding);
    }
    return SN_OK;
}

static sn_status check_desc(const sn_driver_mesh_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_driver_mesh_desc_default");
    }
    if (desc->skeleton == NULL || desc->skeleton->segment_count == 0) {
        return sni_fail(error, SN_INVALID, "there is no skeleton to bind the driver to");
    }
    for (uint32_t m = 0; m < desc->mesh_count; ++m) {
        sn_status status = sn_mesh_validate(desc->meshes[m], error);
        if (status != SN_OK) {
            return status;
        }
    }
    return check_numbers(desc, error);
}

// ---------------------------------------------------------------------------------------------
// Detail at joints

typedef struct detail_job {
    const sn_driver_mesh_desc *desc;
    const sni_limbs *limbs;
    const sni_joined *skin;
    float *detail; // vertex_count
} detail_job;

// The detail of a point: 1 in the middle of a limb, the square of `joint_detail` (density grows as
// its root, see sn_decimate_desc) at its joints, a smooth step between. Distances are measured
// along the limb, in its lengths, so that a thick hip counts as a thin finger does.
static double detail_at(const detail_job *job, sn_vec3 point) {
    sni_limb_place place = sni_limbs_closest(job->limbs, point);
    const sni_limb_line *line = &job->limbs->lines[place.line];
    double way = INFINITY;
    if (line->joint_from) {
        way = place.along;
    }
    if (line->joint_to) {
        way = fmin(way, 1 - place.along);
    }
    double reach = job->desc->joint_reach, most = job->desc->joint_detail;
    double x = reach > 0 ? fmin(way / reach, 1) : 1;
    double step = x * x * (3 - 2 * x);
    double density = most + (1 - most) * step;
    return density * density;
}

static void find_detail(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const detail_job *job = user;
    for (uint32_t v = begin; v < end; ++v) {
        sn_vec3 point = sn_vec3_load(job->skin->positions + 3 * (size_t)v);
        job->detail[v] = (float)detail_at(job, point);
    }
}

static sn_status simplify(sn_context *context, const sn_driver_mesh_desc *desc,
                          const sni_limbs *limbs, const sni_joined *s, const sn_progress *progress,
                          sn_decimated **decimated, sn_error *error) {
    sn_status status = SN_OK;
    detail_job job = {desc, limbs, s, NULL};
    SNI_NEW(context, job.detail, s->vertex_count);
    sn_parallel_for(context, s->vertex_count, grain, find_detail, &job);
    sn_decimate_desc decimate = sn_decimate_desc_default();
    decimate.positions = s->positions;
    decimate.vertex_count = s->vertex_count;
    decimate.vertices = s->vertices;
    decimate.triangle_count = s->triangle_count;
    decimate.detail = job.detail;
    decimate.regularity = regularity;
    decimate.min_quality = min_quality;
    decimate.target_triangles = desc->face_count;
    SN_TRY(sn_decimate(context, &decimate, progress, decimated, error));
cleanup:
    sni_free(context, job.detail);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The mesh

static sn_status make_mesh(sn_context *context, const char *name, const sn_decimated *from,
                           sn_mesh **mesh, sn_error *error) {
    sn_status status = sn_mesh_create(context, name != NULL ? name : "driver", from->vertex_count,
                                      from->triangle_count, 3 * from->triangle_count, mesh, error);
    if (status != SN_OK) {
        return status;
    }
    memcpy((*mesh)->positions, from->positions,
           3 * (size_t)from->vertex_count * sizeof *from->positions);
    memcpy((*mesh)->corners, from->vertices,
           3 * (size_t)from->triangle_count * sizeof *from->vertices);
    for (uint32_t t = 0; t <= from->triangle_count; ++t) {
        (*mesh)->face_offsets[t] = 3 * t;
    }
    return SN_OK;
}

static sn_status describe(const sn_mesh *mesh, sn_driver_mesh_report *report, sn_error *error) {
    sn_topology *topology = NULL;
    sn_status status = sn_topology_create(mesh, &topology, error);
    if (status != SN_OK) {
        return status;
    }
    sn_topology_summary summary;
    sn_topology_summarize(mesh, topology, &summary);
    report->face_count = mesh->face_count;
    report->border_edges = summary.border_edges;
    sn_topology_destroy(topology);
    return SN_OK;
}

// Binds the driver: by distance, or with the weights of the skin.
static sn_status bind_driver(const sn_driver_mesh_desc *desc, const sni_limbs *limbs,
                             const sni_joined *s, const sn_decimated *decimated, sn_mesh *mesh,
                             sn_driver_mesh_report *report, sn_error *error) {
    sn_context *context = mesh->context;
    sn_status status = SN_OK;
    uint32_t *merged = NULL;
    SNI_NEW(context, merged, s->vertex_count);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        merged[v] = decimated->vertex_map[s->map[v]];
    }
    sni_driver_skin source = {
        .mesh_count = desc->mesh_count, .meshes = desc->meshes, .merged = merged};
    sni_driver_weights_desc binding = {
        .influences = desc->binding == SN_DRIVER_RIGID ? 1 : desc->influences,
        .smoothing = desc->smoothing,
        .skin = desc->binding == SN_DRIVER_SKIN ? &source : NULL,
    };
    SN_TRY(
        sni_driver_weights_make(mesh, limbs, desc->skeleton, &binding, &report->limb_count, error));
cleanup:
    sni_free(context, merged);
    return status;
}

sn_status sn_driver_mesh_create(sn_context *context, const sn_driver_mesh_desc *desc,
                                const sn_progress *progress, sn_mesh **driver,
                                sn_driver_mesh_report *report, sn_error *error) {
    sn_status status = SN_OK;
    sni_joined s = {0};
    sni_limbs limbs = {0};
    sn_decimated *decimated = NULL;
    sn_mesh *mesh = NULL;
    sn_driver_mesh_report made = {0};
    *driver = NULL;
    SN_TRY(check_desc(desc, error));
    sni_limbs_desc limbs_desc = {desc->skeleton, desc->meshes, desc->mesh_count, desc->segments,
                                 desc->segment_count};
    SN_TRY(sni_limbs_init(context, &limbs_desc, &limbs, error));
    SN_TRY(sni_joined_init(context, desc->meshes, desc->mesh_count, desc->weld, &s, error));
    made.welded_vertices = s.welded_count;
    SN_TRY(simplify(context, desc, &limbs, &s, progress, &decimated, error));
    SN_TRY(make_mesh(context, desc->name, decimated, &mesh, error));
    SN_TRY(bind_driver(desc, &limbs, &s, decimated, mesh, &made, error));
    SN_TRY(describe(mesh, &made, error));
    *driver = mesh;
    mesh = NULL;
    if (report != NULL) {
        *report = made;
    }
cleanup:
    sn_mesh_destroy(mesh);
    sn_decimated_destroy(decimated);
    sni_limbs_deinit(&limbs);
    sni_joined_deinit(context, &s);
    return status;
}
