// SPDX-License-Identifier: Apache-2.0
//
// The skin of the body of body.c hung on its solids (capsules count as muscles of six slices),
// posed with them, and relaxed for 30 rounds, beside Table 2 of Wilhelms and Van Gelder 1997. And
// what the rounds leave: edges of the body with bent limbs against those in equilibrium.
#include "bench/relax.h"

#include "geometry/sphere.h"
#include "skin/anchors.h"
#include "solver/membrane.h"

#include <math.h>
#include <string.h>

// Table 2, in milliseconds.
static const char paper[] = "Wilhelms and Van Gelder 1997";
static const double paper_anchor = 645e3, paper_repose = 3e3, paper_relax = 25e3;
// Anchoring is to take its part of the 2 s for all that is done once; 30 rounds 20 ms.
static const double anchor_target = 645e3 / 1500, repose_target = 1000, relax_target = 25e3 / 20;

enum { SLICE_POINTS = (SNB_CAPSULE_VERTICES - 2) / 6 };

typedef struct scene {
    sn_context *context;
    const sni_isosurface *surface;
    uint32_t component_count, vertex_count;
    sn_mesh **meshes;
    sni_component *components;
    float *points, *posed, *relaxed;
    sn_mat4 *rest, *worlds;
    const float **component_points;
    uint32_t rounds;
    bool accelerate;
    double tolerance;
    sni_relaxation_result result;
    sni_anchors *anchors;
    sni_membrane *membrane;
    sni_arena arena;
    sn_status status;
    sn_error *error;
} scene;

// The solids as meshes, each rigid one carried by a segment of its own.
static sn_status make_component(scene *s, const sni_solid *solid, uint32_t index, sn_error *error) {
    sn_mesh **mesh = &s->meshes[index];
    sn_status status = SN_OK;
    s->rest[index] = s->worlds[index] = sn_mat4_identity();
    if (solid->positions == NULL) {
        SN_TRY(sni_ellipsoid_mesh(s->context, "ellipsoid", &solid->ellipsoid, SNI_SPHERE_DETAIL,
                                  mesh, error));
        s->components[index] = (sni_component){.name = "bone", .mesh = *mesh, .segment = index};
    } else {
        SN_TRY(sn_mesh_create(s->context, "capsule", solid->vertex_count, solid->triangle_count,
                              3 * solid->triangle_count, mesh, error));
        memcpy((*mesh)->positions, solid->positions,
               3 * (size_t)solid->vertex_count * sizeof *solid->positions);
        memcpy((*mesh)->corners, solid->vertices,
               3 * (size_t)solid->triangle_count * sizeof *solid->vertices);
        for (uint32_t f = 0; f <= solid->triangle_count; ++f) {
            (*mesh)->face_offsets[f] = 3 * f;
        }
        s->components[index] = (sni_component){.name = "muscle",
                                               .mesh = *mesh,
                                               .segment = SN_NONE,
                                               .slice_count = 6,
                                               .ring_count = SLICE_POINTS};
    }
    s->component_points[index] = (*mesh)->positions;
cleanup:
    return status;
}

// Every solid turned a little about its own place: the skin has something to even out everywhere.
static void pose_components(scene *s) {
    for (uint32_t i = 0; i < s->component_count; ++i) {
        sn_vec3 low, high;
        sn_mesh_bounds(s->meshes[i], &low, &high);
        sn_vec3 centre = sn_vec3_lerp(low, high, 0.5);
        sn_quat turn = sn_quat_from_axis_angle(sn_vec3_make(0.6, 0, 0.8), i % 2 == 0 ? 0.1 : -0.1);
        sn_transform place = {sn_vec3_sub(centre, sn_quat_rotate(turn, centre)), turn, {1, 1, 1}};
        s->worlds[i] = sn_mat4_from_transform(&place);
    }
}

static sn_status make_scene(scene *s, const snb_body *body, sn_error *error) {
    size_t count = 3 * (size_t)s->surface->vertex_count;
    sn_status status = SN_OK;
    s->vertex_count = s->surface->vertex_count;
    SNI_NEW_ZERO(s->context, s->meshes, body->count);
    SNI_NEW(s->context, s->components, body->count);
    SNI_NEW(s->context, s->component_points, body->count);
    SNI_NEW(s->context, s->rest, body->count);
    SNI_NEW(s->context, s->worlds, body->count);
    SNI_NEW(s->context, s->points, count);
    SNI_NEW(s->context, s->posed, count);
    SNI_NEW(s->context, s->relaxed, count);
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        sn_vec3_store(s->surface->points[i], s->points + 3 * (size_t)i);
    }
    for (uint32_t i = 0; i < body->count; ++i) {
        // What pushes the skin away does not carry it.
        if (body->solids[i].value > 0) {
            SN_TRY(make_component(s, &body->solids[i], s->component_count, error));
            s->component_count++;
        }
    }
    pose_components(s);
    sni_membrane_desc desc = sni_membrane_desc_default();
    desc.vertex_count = s->vertex_count;
    desc.positions = s->points;
    desc.triangle_count = s->surface->triangle_count;
    desc.vertices = s->surface->vertices;
    SN_TRY(sni_membrane_create(s->context, &desc, &s->membrane, error));
cleanup:
    return status;
}

static void free_scene(scene *s) {
    for (uint32_t i = 0; i < s->component_count; ++i) {
        sn_mesh_destroy(s->meshes[i]);
    }
    sni_free(s->context, s->meshes);
    sni_free(s->context, s->components);
    sni_free(s->context, s->component_points);
    sni_free(s->context, s->rest);
    sni_free(s->context, s->worlds);
    sni_free(s->context, s->points);
    sni_free(s->context, s->posed);
    sni_free(s->context, s->relaxed);
    sni_anchors_destroy(s->anchors);
    sni_membrane_destroy(s->membrane);
    sni_arena_deinit(&s->arena);
}

static void anchor(void *user) {
    scene *s = user;
    sni_anchors_desc desc = {.point_count = s->vertex_count,
                             .points = s->points,
                             .normals = s->surface->normals,
                             .triangle_count = s->surface->triangle_count,
                             .vertices = s->surface->vertices,
                             .blend = SNI_ANCHORS_BLEND,
                             .component_count = s->component_count,
                             .components = s->components,
                             .segment_count = s->component_count,
                             .rest_worlds = s->rest};
    sni_anchors_destroy(s->anchors);
    s->status = sni_anchors_create(s->context, &desc, &s->anchors, s->error);
}

static void repose(void *user) {
    scene *s = user;
    sni_anchors_pose pose = {
        .worlds = s->worlds, .component_points = s->component_points, .anchors = s->posed};
    if (!sni_anchors_pose_run(s->anchors, &s->arena, &pose)) {
        s->status = sni_fail_memory(s->error);
    }
}

static void relax(void *user) {
    scene *s = user;
    repose(s);
    sni_relaxation relaxation = {.anchors = s->posed,
                                 .rounds = s->rounds,
                                 .tolerance = s->tolerance,
                                 .accelerate = s->accelerate};
    if (!sni_membrane_relax(s->membrane, &s->arena, &relaxation, s->relaxed, &s->result)) {
        s->status = sni_fail_memory(s->error);
    }
}

static sn_status add(snb_report *report, scene *s, const char *name, void (*work)(void *),
                     double paper_ms, double target, double *ms, sn_error *error) {
    *ms = snb_time(work, s);
    if (s->status != SN_OK) {
        return s->status;
    }
    // The paper has figures for one size only.
    bool added =
        snb_add(report, name, s->vertex_count, *ms, target > 0 ? paper : NULL, paper_ms, target);
    return added ? SN_OK : sni_fail_memory(error);
}

// What the rounds achieve: residuals of 30 plain and 12 fast ones, and how far 30 are from the end.
static void note_rounds(snb_report *report, scene *s, double thirty, double twelve) {
    size_t bytes = sni_membrane_bytes(s->membrane);
    sni_anchors_report r = sni_anchors_report_of(s->anchors);
    snb_note(report,
             "anatomy/relax_30: residual %.3g after 30 rounds, %.3g after 12 accelerated; membrane "
             "%.1f MB",
             thirty, twelve, (double)bytes * 1e-6);
    snb_note(
        report,
        "anatomy/anchor: %u points on bones, %u between slices, of these %u from other starts, "
        "%u by fall-back",
        r.rigid, r.section, r.restarted, r.closest);
}

// Time that the memory would take for what a round reads and writes once.
static void note_bandwidth(snb_report *report, const scene *s, double ms) {
    double bytes = 30 * ((double)sni_membrane_bytes(s->membrane) + 48.0 * s->vertex_count);
    double bandwidth = snb_bandwidth(report);
    if (bandwidth > 0) {
        snb_note(report,
                 "anatomy/relax_30: %.0f MB in 30 rounds would take %.1f ms at the memory's "
                 "bandwidth; %.1f ms",
                 bytes * 1e-6, bytes / bandwidth * 1e3, ms);
    }
}

// The joint that moves a solid with its centre there: elbows and knees, the neck, the tail's root.
static sn_transform bend_at(sn_vec3 centre) {
    double side = centre.x < 0 ? -1 : 1, degrees = 0;
    sn_vec3 pivot = {0, 0, 0}, axis = {1, 0, 0};
    if (centre.z < -0.08) {
        pivot = sn_vec3_make(0, -0.02, -0.08);
        degrees = 60;
    } else if (fabs(centre.x) > 0.2 && centre.y > -0.1) {
        pivot = sn_vec3_make(0.2 * side, 0.24, 0);
        axis = sn_vec3_make(0, 0, side);
        degrees = 80;
    } else if (centre.y < -0.15) {
        pivot = sn_vec3_make(0.14 * side, -0.15, 0.05);
        degrees = 70;
    } else if (centre.y > 0.42) {
        pivot = sn_vec3_make(0, 0.42, 0.03);
        axis = sn_vec3_make(0, 1, 0);
        degrees = 50;
    }
    sn_quat turn = sn_quat_from_axis_angle(axis, degrees * SN_PI / 180);
    return (sn_transform){sn_vec3_sub(pivot, sn_quat_rotate(turn, pivot)), turn, {1, 1, 1}};
}

// Bends the limbs; muscles, which have no segment, move with their vertices.
static void bend_components(scene *s) {
    for (uint32_t i = 0; i < s->component_count; ++i) {
        sn_mesh *mesh = s->meshes[i];
        sn_vec3 low, high;
        sn_mesh_bounds(mesh, &low, &high);
        sn_transform bend = bend_at(sn_vec3_lerp(low, high, 0.5));
        s->worlds[i] = sn_mat4_from_transform(&bend);
        for (uint32_t v = 0; v < mesh->vertex_count && s->components[i].segment == SN_NONE; ++v) {
            float *at = mesh->positions + 3 * (size_t)v;
            sn_vec3_store(sn_mat4_point(&s->worlds[i], sn_vec3_load(at)), at);
        }
    }
}

static double edge_length(const float *points, const uint32_t *ends) {
    return sn_vec3_distance(sn_vec3_load(points + 3 * (size_t)ends[0]),
                            sn_vec3_load(points + 3 * (size_t)ends[1]));
}

// The largest stretch of an edge, and the largest difference between those of `points` and `ends`;
// lengths in rest lengths.
static void compare_stretch(const scene *s, const float *points, const float *ends, double *largest,
                            double *difference) {
    *largest = *difference = 0;
    for (size_t i = 0; i < 3 * (size_t)s->surface->triangle_count; ++i) {
        const uint32_t *corners = s->surface->vertices + i / 3 * 3;
        const uint32_t edge[2] = {corners[i % 3], corners[(i + 1) % 3]};
        double rest = SNI_MEMBRANE_REST * edge_length(s->points, edge);
        double a = edge_length(points, edge) / rest, b = edge_length(ends, edge) / rest;
        *largest = fmax(*largest, a);
        *difference = fmax(*difference, fabs(a - b));
    }
}

// How far rounds are from equilibrium when the limbs are bent.
static sn_status note_stretch(snb_report *report, scene *s, sn_error *error) {
    static const struct {
        uint32_t rounds;
        bool accelerate;
        const char *text;
    } cases[] = {{0, false, "no round"}, {30, false, "30 rounds"}, {12, true, "12 accelerated"}};
    size_t bytes = 3 * (size_t)s->vertex_count * sizeof(float);
    float *converged = sni_alloc(s->context, bytes, 1);
    double largest, difference;
    if (converged == NULL) {
        return sni_fail_memory(error);
    }
    bend_components(s);
    s->rounds = 5000;
    s->accelerate = true;
    s->tolerance = 1e-7;
    relax(s);
    memcpy(converged, s->relaxed, bytes);
    compare_stretch(s, converged, converged, &largest, &difference);
    snb_note(report,
             "anatomy/relax_30: limbs bent by 50 to 80 degrees: largest stretch %.3f when "
             "converged (%u rounds)",
             largest, s->result.rounds);
    s->tolerance = 0;
    for (int i = 0; i < 3; ++i) {
        s->rounds = cases[i].rounds;
        s->accelerate = cases[i].accelerate;
        relax(s);
        compare_stretch(s, s->relaxed, converged, &largest, &difference);
        snb_note(report,
                 "anatomy/relax_30: %s against converged: largest difference in edge "
                 "stretch %.3f (largest stretch %.3f)",
                 cases[i].text, difference, largest);
    }
    sni_free(s->context, converged);
    return s->status;
}

sn_status snb_relax(snb_report *report, const snb_body *body, const sni_isosurface *surface,
                    bool all, double *repose_ms, double *relax_ms, sn_error *error) {
    scene s = {.context = report->context, .surface = surface, .error = error, .rounds = 30};
    sn_status status = SN_OK;
    double ms;
    sni_arena_init(&s.arena, s.context);
    SN_TRY(make_scene(&s, body, error));
    if (all) {
        SN_TRY(add(report, &s, "anatomy/anchor", anchor, paper_anchor, anchor_target, &ms, error));
    } else {
        anchor(&s);
        SN_TRY(s.status);
    }
    // The budget is for the paper's number of vertices; other sizes show how cost grows.
    SN_TRY(add(report, &s, "anatomy/repose", repose, paper_repose, all ? repose_target : 0,
               repose_ms, error));
    SN_TRY(add(report, &s, "anatomy/relax_30", relax, paper_relax, all ? relax_target : 0, relax_ms,
               error));
    if (all) {
        double thirty = s.result.residual;
        note_bandwidth(report, &s, *relax_ms);
        s.rounds = 12;
        s.accelerate = true;
        SN_TRY(
            add(report, &s, "anatomy/relax_12_fast", relax, paper_relax, relax_target, &ms, error));
        note_rounds(report, &s, thirty, s.result.residual);
        SN_TRY(note_stretch(report, &s, error));
    }
cleanup:
    free_scene(&s);
    return status;
}
