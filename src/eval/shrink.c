// SPDX-License-Identifier: Apache-2.0
//
// Skins that are made on a body with enlarged segments, and put back onto the body as it is
// (Wilhelms and Van Gelder, "Anatomically Based Modeling", 1997, section 5.3): details of hands and
// faces are as large there as the grid needs them.
#include "eval/rest.h"

#include "geometry/triangle.h"

#include <string.h>

// Rounds of relaxation with which the skin is evened out: more than enough, as this is done once.
static const double rounds = 60;

typedef struct shrinking {
    const sni_rest *body, *made_for;
    uint32_t count;
    const uint32_t *surfaces;
    sni_arena arena;
    sni_component *components;
    const float **points; // of the components on the body
    float *shrunk;        // #V x 3
} shrinking;

static sn_status make_components(shrinking *s, uint32_t vertex_count, sn_error *error) {
    s->components = sni_arena_alloc(&s->arena, s->count, sizeof *s->components);
    s->points = sni_arena_alloc(&s->arena, s->count, sizeof *s->points);
    s->shrunk = sni_arena_alloc(&s->arena, 3 * (size_t)vertex_count, sizeof *s->shrunk);
    if (s->components == NULL || s->points == NULL || s->shrunk == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < s->count; ++i) {
        s->points[i] = sni_rest_component_points(s->body, s->surfaces[i]);
        sn_status status = sni_rest_component(s->body, s->made_for, s->surfaces[i], &s->arena,
                                              &s->components[i], error);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

// As a membrane that is not stretched.
static sn_status relax(shrinking *s, const sn_mesh *skin, const sn_progress *progress,
                       sn_error *error) {
    const sni_deformer_ops *ops = &sni_deformer_membrane;
    double parameters[SNI_MEMBRANE_PARAMETER_COUNT];
    void *bound = NULL;
    sn_status status = SN_OK;
    sni_parameters_defaults(&ops->parameters, parameters);
    parameters[SNI_MEMBRANE_PARAMETER_REST] = 1;
    parameters[SNI_MEMBRANE_PARAMETER_ROUNDS] = rounds;
    parameters[SNI_MEMBRANE_PARAMETER_ACCELERATE] = 1;
    sni_components_input input = {.count = s->count, .components = s->components};
    sni_components_pose posed = {.points = s->points};
    sni_bind_job bind = {.context = s->body->context,
                         .mesh = skin,
                         .parameters = parameters,
                         .skeleton = sni_rig_skeleton(s->body->rig),
                         .rest_worlds = s->body->worlds,
                         .inputs = {&input},
                         .progress = progress};
    sni_deform_job job = {.context = s->body->context,
                          .arena = &s->arena,
                          .vertex_count = skin->vertex_count,
                          .points_in = skin->positions,
                          .points_out = s->shrunk,
                          .segment_count = bind.skeleton->segment_count,
                          .worlds = s->body->worlds,
                          .inputs = {&posed}};
    SN_TRY(ops->bind(&bind, &bound, error));
    SN_TRY(ops->deform(bound, &job, error));
cleanup:
    ops->unbind(s->body->context, bound);
    return status;
}

static sn_vec3 face_normal(const float *points, const uint32_t *corners) {
    sn_vec3 a = sn_vec3_load(points + 3 * (size_t)corners[0]);
    return sn_vec3_cross(sn_vec3_sub(sn_vec3_load(points + 3 * (size_t)corners[1]), a),
                         sn_vec3_sub(sn_vec3_load(points + 3 * (size_t)corners[2]), a));
}

// The least motion stretches needles.
static bool is_needle(const float *points, const uint32_t *corners) {
    return sni_triangle_is_needle(sn_vec3_load(points + 3 * (size_t)corners[0]),
                                  sn_vec3_load(points + 3 * (size_t)corners[1]),
                                  sn_vec3_load(points + 3 * (size_t)corners[2]));
}

typedef struct faults {
    uint32_t turned, needles;
} faults;

// Proportions move and scale but do not turn: a triangle that looks back has been turned over.
// Marks the vertices of those and of needles.
static faults find_faults(const shrinking *s, const sn_mesh *skin, bool *marked) {
    faults found = {0, 0};
    memset(marked, 0, skin->vertex_count * sizeof *marked);
    for (uint32_t f = 0; f < skin->face_count; ++f) {
        const uint32_t *corners = skin->corners + 3 * (size_t)f;
        sn_vec3 normal = face_normal(s->shrunk, corners);
        bool turned = sn_vec3_dot(normal, face_normal(skin->positions, corners)) < 0;
        bool needle = is_needle(s->shrunk, corners);
        found.turned += turned;
        found.needles += needle;
        for (int k = 0; k < 3 && (turned || needle); ++k) {
            marked[corners[k]] = true;
        }
    }
    return found;
}

// Moves the marked vertices to the mean of their neighbours.
static void average(const sn_mesh *skin, const bool *marked, sn_vec3 *sums, uint32_t *counts,
                    float *points) {
    memset(sums, 0, skin->vertex_count * sizeof *sums);
    memset(counts, 0, skin->vertex_count * sizeof *counts);
    for (uint32_t c = 0; c < skin->corner_count; ++c) {
        uint32_t v = skin->corners[c], next = skin->corners[c % 3 == 2 ? c - 2 : c + 1];
        sums[v] = sn_vec3_add(sums[v], sn_vec3_load(points + 3 * (size_t)next));
        counts[v]++;
    }
    for (uint32_t v = 0; v < skin->vertex_count; ++v) {
        if (marked[v]) {
            sn_vec3_store(sn_vec3_scale(sums[v], 1.0 / counts[v]), points + 3 * (size_t)v);
        }
    }
}

// Turns triangles back and blunts needles, as far as rounds of averaging do it.
static sn_status unfold(shrinking *s, const sn_mesh *skin, uint32_t *turned, sn_error *error) {
    enum { ROUNDS = 50 };
    bool *marked = sni_arena_alloc(&s->arena, skin->vertex_count, sizeof *marked);
    sn_vec3 *sums = sni_arena_alloc(&s->arena, skin->vertex_count, sizeof *sums);
    uint32_t *counts = sni_arena_alloc(&s->arena, skin->vertex_count, sizeof *counts);
    if (marked == NULL || sums == NULL || counts == NULL) {
        return sni_fail_memory(error);
    }
    faults found = find_faults(s, skin, marked);
    for (int i = 0; i < ROUNDS && found.turned + found.needles > 0; ++i) {
        average(skin, marked, sums, counts, s->shrunk);
        found = find_faults(s, skin, marked);
    }
    *turned = found.turned;
    return SN_OK;
}

sn_status sni_rest_shrink_skin(const sni_rest *body, const sni_rest *made_for,
                               const uint32_t *surfaces, uint32_t count, sn_mesh *skin,
                               const sn_progress *progress, uint32_t *turned, sn_error *error) {
    shrinking s = {.body = body, .made_for = made_for, .count = count, .surfaces = surfaces};
    sn_status status = SN_OK;
    sni_arena_init(&s.arena, body->context);
    SN_TRY(make_components(&s, skin->vertex_count, error));
    SN_TRY(relax(&s, skin, progress, error));
    SN_TRY(unfold(&s, skin, turned, error));
    memcpy(skin->positions, s.shrunk, 3 * (size_t)skin->vertex_count * sizeof *s.shrunk);
cleanup:
    sni_arena_deinit(&s.arena);
    return status;
}
