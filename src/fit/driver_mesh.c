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

// No slivers: their frames would be of no use to a wrap. Where that keeps a driver from its number
// of faces, worse triangles are allowed after all.
static const double min_qualities[] = {0.2, 0.08, 0.01};

// The number of faces is met within this part of it, or one.
static const double count_slack = 0.01;

// Influences where their number is left open: as many as painted weights use, and else these.
static const uint32_t skin_influences = 8, smooth_influences = 3;

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
        .binding = SN_DRIVER_SKIN,
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
    if (desc->influences > max_influences) {
        return sni_fail(error, SN_INVALID, "%u influences were asked for, but there are at most %u",
                        desc->influences, max_influences);
    }
    if (desc->binding != SN_DRIVER_RIGID && desc->binding != SN_DRIVER_SMOOTH &&
        desc->binding != SN_DRIVER_SKIN) {
        return sni_fail(error, SN_INVALID, "there is no binding %d", (int)desc->binding);
    }
    return SN_OK;
}

static bool has_skeleton(const sn_driver_mesh_desc *desc) {
    return desc->skeleton != NULL && desc->skeleton->segment_count > 0;
}

static sn_status check_desc(const sn_driver_mesh_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_driver_mesh_desc_default");
    }
    if (!has_skeleton(desc) && desc->segments != NULL) {
        return sni_fail(error, SN_INVALID, "limbs are named, but there is no skeleton");
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
    if (job->limbs->line_count == 0) {
        return 1;
    }
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

static bool is_met(uint32_t count, uint32_t asked) {
    return fabs((double)count - asked) <= fmax(1, count_slack * asked);
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
    decimate.target_triangles = desc->face_count;
    for (size_t i = 0; i < sizeof min_qualities / sizeof *min_qualities; ++i) {
        sn_decimated_destroy(*decimated);
        *decimated = NULL;
        decimate.min_quality = min_qualities[i];
        SN_TRY(sn_decimate(context, &decimate, progress, decimated, error));
        if ((*decimated)->triangle_count <= desc->face_count ||
            is_met((*decimated)->triangle_count, desc->face_count)) {
            break;
        }
    }
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

// Why there are more or fewer faces than were asked for. A closed part has at least four.
static sn_driver_count judge_count(const sn_driver_mesh_report *report, uint32_t asked) {
    if (is_met(report->face_count, asked)) {
        return SN_DRIVER_COUNT_MET;
    }
    return report->face_count < asked         ? SN_DRIVER_COUNT_SKIN
           : 4.0 * report->part_count > asked ? SN_DRIVER_COUNT_PARTS
                                              : SN_DRIVER_COUNT_SHAPE;
}

static sn_status describe(const sn_mesh *mesh, uint32_t asked, sn_driver_mesh_report *report,
                          sn_error *error) {
    sn_topology *topology = NULL;
    sn_status status = sn_topology_create(mesh, &topology, error);
    if (status != SN_OK) {
        return status;
    }
    sn_topology_summary summary;
    sn_topology_summarize(mesh, topology, &summary);
    report->face_count = mesh->face_count;
    report->border_edges = summary.border_edges;
    report->part_count = topology->component_count;
    report->count = judge_count(report, asked);
    sn_topology_destroy(topology);
    return SN_OK;
}

// With the weights of the skin only where it has any.
static sn_driver_binding binding_of(const sn_driver_mesh_desc *desc) {
    bool any = desc->binding != SN_DRIVER_SKIN;
    for (uint32_t m = 0; m < desc->mesh_count; ++m) {
        const sn_weights *weights = desc->meshes[m]->weights;
        any = any || (weights != NULL && weights->offsets[desc->meshes[m]->vertex_count] > 0);
    }
    return any ? desc->binding : SN_DRIVER_SMOOTH;
}

static uint32_t influences_of(const sn_driver_mesh_desc *desc, sn_driver_binding binding) {
    uint32_t most = binding == SN_DRIVER_SKIN ? skin_influences : smooth_influences;
    return binding == SN_DRIVER_RIGID ? 1 : desc->influences > 0 ? desc->influences : most;
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
    report->binding = binding_of(desc);
    sni_driver_weights_desc binding = {
        .influences = influences_of(desc, report->binding),
        .smoothing = desc->smoothing,
        .skin = report->binding == SN_DRIVER_SKIN ? &source : NULL,
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
    if (has_skeleton(desc)) {
        SN_TRY(sni_limbs_init(context, &limbs_desc, &limbs, error));
    }
    SN_TRY(sni_joined_init(context, desc->meshes, desc->mesh_count, desc->weld, &s, error));
    made.welded_vertices = s.welded_count;
    made.skin_face_count = s.triangle_count;
    SN_TRY(simplify(context, desc, &limbs, &s, progress, &decimated, error));
    SN_TRY(make_mesh(context, desc->name, decimated, &mesh, error));
    if (has_skeleton(desc)) {
        SN_TRY(bind_driver(desc, &limbs, &s, decimated, mesh, &made, error));
    }
    SN_TRY(describe(mesh, desc->face_count, &made, error));
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
