// SPDX-License-Identifier: Apache-2.0
//
// Skins that are made on a body with enlarged segments, and put back onto the body as it is
// (Wilhelms and Van Gelder, "Anatomically Based Modeling", 1997, section 5.3): details of hands and
// faces are as large there as the grid needs them.
#include "eval/rest.h"

#include "base/rows.h"
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

// Triangles with faults. Those and no others touch vertices that are moved, so that after the first
// look only the triangles around moved vertices are looked at again.
typedef struct unfolding {
    const sn_mesh *skin;
    float *points;    // #V x 3
    uint32_t *faulty; // faces that are turned over or needles
    uint32_t faulty_count, turned_count;
    uint32_t *corner_starts, *corners; // of each vertex, rising
    uint32_t *marked;                  // the vertices of faulty faces
    uint32_t marked_count;
    uint8_t *marked_in, *seen_in; // the last round in which a vertex was marked, a face looked at
    sn_vec3 *means;               // of the neighbours of each marked vertex
} unfolding;

static bool start_unfolding(shrinking *s, const sn_mesh *skin, unfolding *u) {
    *u = (unfolding){
        .skin = skin,
        .points = s->shrunk,
        .faulty = sni_arena_alloc(&s->arena, skin->face_count, sizeof *u->faulty),
        .corner_starts =
            sni_arena_alloc(&s->arena, (size_t)skin->vertex_count + 1, sizeof *u->corner_starts),
        .corners = sni_arena_alloc(&s->arena, skin->corner_count, sizeof *u->corners),
        .marked = sni_arena_alloc(&s->arena, skin->vertex_count, sizeof *u->marked),
        .marked_in = sni_arena_alloc(&s->arena, skin->vertex_count, sizeof *u->marked_in),
        .seen_in = sni_arena_alloc(&s->arena, skin->face_count, sizeof *u->seen_in),
        .means = sni_arena_alloc(&s->arena, skin->vertex_count, sizeof *u->means)};
    if (u->faulty == NULL || u->corner_starts == NULL || u->corners == NULL || u->marked == NULL ||
        u->marked_in == NULL || u->seen_in == NULL || u->means == NULL) {
        return false;
    }
    sni_rows_from_keys(skin->corners, skin->corner_count, 1, skin->vertex_count, u->corner_starts,
                       u->corners);
    memset(u->marked_in, 0, skin->vertex_count * sizeof *u->marked_in);
    memset(u->seen_in, 0, skin->face_count * sizeof *u->seen_in);
    return true;
}

// Proportions move and scale but do not turn: a triangle that looks back has been turned over.
static void look_at(unfolding *u, uint32_t face) {
    const uint32_t *corners = u->skin->corners + 3 * (size_t)face;
    sn_vec3 before = face_normal(u->skin->positions, corners);
    bool turned = sn_vec3_dot(face_normal(u->points, corners), before) < 0;
    if (turned || is_needle(u->points, corners)) {
        u->faulty[u->faulty_count++] = face;
        u->turned_count += turned;
    }
}

static void mark_vertices(unfolding *u, uint8_t round) {
    u->marked_count = 0;
    for (size_t i = 0; i < 3 * (size_t)u->faulty_count; ++i) {
        uint32_t v = u->skin->corners[3 * (size_t)u->faulty[i / 3] + i % 3];
        if (u->marked_in[v] != round) {
            u->marked_in[v] = round;
            u->marked[u->marked_count++] = v;
        }
    }
}

// Moves the marked vertices to the mean of their neighbours.
static void average(unfolding *u) {
    for (uint32_t i = 0; i < u->marked_count; ++i) {
        uint32_t first = u->corner_starts[u->marked[i]];
        uint32_t end = u->corner_starts[u->marked[i] + 1];
        sn_vec3 sum = {0, 0, 0};
        for (uint32_t k = first; k < end; ++k) {
            uint32_t c = u->corners[k], next = u->skin->corners[c % 3 == 2 ? c - 2 : c + 1];
            sum = sn_vec3_add(sum, sn_vec3_load(u->points + 3 * (size_t)next));
        }
        u->means[i] = sn_vec3_scale(sum, 1.0 / (end - first));
    }
    for (uint32_t i = 0; i < u->marked_count; ++i) {
        sn_vec3_store(u->means[i], u->points + 3 * (size_t)u->marked[i]);
    }
}

// Looks at the faces around the marked vertices.
static void look_again(unfolding *u, uint8_t round) {
    u->faulty_count = u->turned_count = 0;
    for (uint32_t i = 0; i < u->marked_count; ++i) {
        uint32_t v = u->marked[i];
        for (uint32_t k = u->corner_starts[v]; k < u->corner_starts[v + 1]; ++k) {
            uint32_t face = u->corners[k] / 3;
            if (u->seen_in[face] != round) {
                u->seen_in[face] = round;
                look_at(u, face);
            }
        }
    }
}

// Turns triangles back and blunts needles, as far as rounds of averaging do it.
static sn_status unfold(shrinking *s, const sn_mesh *skin, uint32_t *turned, sn_error *error) {
    enum { ROUNDS = 50 };
    unfolding u;
    if (!start_unfolding(s, skin, &u)) {
        return sni_fail_memory(error);
    }
    for (uint32_t f = 0; f < skin->face_count; ++f) {
        look_at(&u, f);
    }
    for (uint8_t round = 1; round <= ROUNDS && u.faulty_count > 0; ++round) {
        mark_vertices(&u, round);
        average(&u);
        look_again(&u, round);
    }
    *turned = u.turned_count;
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
