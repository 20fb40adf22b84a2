// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "stage/stage.h"

#include "wire/failure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// True for the last one who lets go.
static bool release(atomic_uint *uses) {
    return atomic_fetch_sub(uses, 1) == 1;
}

// ---------------------------------------------------------------------------------------------
// Bodies

// Takes the character over where making it succeeded.
static sn_status make_body(sn_status status, sn_character *character, stage_body **result,
                           sn_error *error) {
    stage_body *body = status == SN_OK ? calloc(1, sizeof *body) : NULL;
    if (!body) {
        sn_character_destroy(status == SN_OK ? character : NULL);
        return status == SN_OK ? app_fail_memory(error) : status;
    }
    body->character = character;
    atomic_init(&body->uses, 1);
    *result = body;
    return SN_OK;
}

sn_status stage_body_create(const stage_body *shelf, const char *base, const char *text,
                            size_t size, stage_body **result, sn_error *error) {
    sn_character *character = NULL;
    sn_status status =
        sn_character_parse_beside(shelf->character, base, text, size, &character, error);
    return make_body(status, character, result, error);
}

sn_status stage_shelf_create(sn_context *context, stage_body **result, sn_error *error) {
    sn_character *character = NULL;
    sn_status status = sn_character_create(context, "shelf", &character, error);
    return make_body(status, character, result, error);
}

stage_body *stage_body_hold(stage_body *body) {
    atomic_fetch_add(&body->uses, 1);
    return body;
}

void stage_body_release(stage_body *body) {
    if (body && release(&body->uses)) {
        sn_character_destroy(body->character);
        free(body);
    }
}

// ---------------------------------------------------------------------------------------------
// Shapes

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    for (; size > 0; --size, ++at) {
        hash = (hash ^ *at) * UINT64_C(1099511628211);
    }
    return hash;
}

// The own colours of a skin or a feature (eyes), where each vertex has one, as pictures show them.
static const sn_attribute *colors_of(const sn_surface *surface) {
    const sn_attribute *colors = sn_mesh_find_attribute(surface->mesh, "color");
    bool shown = (surface->layer == SN_LAYER_SKIN || surface->feature) && colors != NULL &&
                 colors->corner == NULL && colors->width >= 3;
    return shown ? colors : NULL;
}

// What the shape depends on.
static uint64_t hash_surface(const sn_model *model, const sn_surface *surface) {
    const sn_mesh *mesh = surface->mesh;
    uint64_t hash = hash_bytes(mesh->vertex_count + 1, mesh->positions,
                               3 * sizeof(float) * (size_t)mesh->vertex_count);
    hash = hash_bytes(hash, mesh->face_offsets, sizeof(uint32_t) * ((size_t)mesh->face_count + 1));
    hash = hash_bytes(hash, mesh->corners, sizeof(uint32_t) * (size_t)mesh->corner_count);
    if (surface->in_segment_frame && surface->segment != SN_NONE) {
        const sn_mat4 *world = &sn_model_rest_worlds(model)[surface->segment];
        hash = hash_bytes(hash, world, sizeof *world);
    }
    const sn_attribute *colors = colors_of(surface);
    if (colors) {
        hash =
            hash_bytes(hash, colors->values, sizeof(float) * (size_t)colors->count * colors->width);
    }
    return stage_coat_hash(surface, hash, hash_bytes);
}

static void release_shape(stage_shape *shape) {
    if (shape && release(&shape->uses)) {
        free(shape->triangles);
        free(shape->faces);
        free(shape->edges);
        free(shape->rest);
        free(shape->colors);
        stage_coat_destroy(shape->coat);
        free(shape);
    }
}

void stage_free_shapes(stage_shape **shapes, uint32_t count) {
    for (uint32_t i = 0; shapes && i < count; ++i) {
        release_shape(shapes[i]);
    }
    free(shapes);
}

static void *copy_array(const void *from, size_t count, size_t item, bool *failed) {
    void *copy = malloc(count * item + 1);
    if (!copy) {
        *failed = true;
    } else if (count > 0) {
        memcpy(copy, from, count * item);
    }
    return copy;
}

static sn_status add_triangles(const sn_surface *surface, stage_shape *shape, sn_error *error) {
    const sn_mesh *mesh = surface->mesh;
    sn_triangles *triangles = NULL;
    bool failed = false;
    sn_status status = SN_OK;
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    SN_TRY(stage_coat_create(surface, triangles, &shape->coat, error));
    shape->triangle_count = triangles->count;
    shape->triangles =
        copy_array(triangles->vertices, triangles->count, 3 * sizeof(uint32_t), &failed);
    shape->faces = copy_array(triangles->faces, triangles->count, sizeof(uint32_t), &failed);
cleanup:
    sn_triangles_destroy(triangles);
    return failed ? app_fail_memory(error) : status;
}

static sn_status add_edges(const sn_mesh *mesh, stage_shape *shape, sn_error *error) {
    sn_topology *topology = NULL;
    bool failed = false;
    sn_status status = SN_OK;
    SN_TRY(sn_topology_create(mesh, &topology, error));
    sn_topology_summary summary;
    sn_topology_summarize(mesh, topology, &summary);
    shape->closed = summary.closed;
    shape->edge_count = topology->edge_count;
    shape->edges = copy_array(topology->edges, topology->edge_count, 2 * sizeof(uint32_t), &failed);
    sn_topology_destroy(topology);
cleanup:
    return failed ? app_fail_memory(error) : status;
}

static sn_status add_rest(const sn_model *model, const sn_surface *surface, stage_shape *shape,
                          sn_error *error) {
    const sn_mesh *mesh = surface->mesh;
    bool failed = false;
    shape->vertex_count = mesh->vertex_count;
    shape->rest = copy_array(mesh->positions, mesh->vertex_count, 3 * sizeof(float), &failed);
    if (failed) {
        return app_fail_memory(error);
    }
    if (surface->in_segment_frame && surface->segment != SN_NONE) {
        const sn_mat4 *world = &sn_model_rest_worlds(model)[surface->segment];
        for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
            float *at = &shape->rest[3 * (size_t)i];
            sn_vec3 point = sn_mat4_point(world, sn_vec3_make(at[0], at[1], at[2]));
            at[0] = (float)point.x;
            at[1] = (float)point.y;
            at[2] = (float)point.z;
        }
    }
    return SN_OK;
}

// Linear light as a byte on the sRGB curve (IEC 61966-2-1).
static uint8_t srgb_byte(float linear) {
    double x = fmin(fmax(linear, 0), 1);
    double encoded = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
    return (uint8_t)(encoded * 255 + 0.5);
}

static sn_status add_colors(const sn_surface *surface, stage_shape *shape, sn_error *error) {
    const sn_attribute *colors = colors_of(surface);
    if (!colors) {
        return SN_OK;
    }
    shape->colors = malloc(4 * (size_t)colors->count + 1);
    if (!shape->colors) {
        return app_fail_memory(error);
    }
    for (uint32_t i = 0; i < colors->count; ++i) {
        for (uint32_t k = 0; k < 3; ++k) {
            shape->colors[4 * (size_t)i + k] =
                srgb_byte(colors->values[(size_t)i * colors->width + k]);
        }
        float alpha = colors->width > 3 ? colors->values[(size_t)i * colors->width + 3] : 1;
        shape->colors[4 * (size_t)i + 3] = (uint8_t)lrintf(fminf(fmaxf(alpha, 0), 1) * 255);
    }
    return SN_OK;
}

static sn_status create_shape(const sn_model *model, const sn_surface *surface, uint64_t hash,
                              stage_shape **result, sn_error *error) {
    stage_shape *shape = calloc(1, sizeof *shape);
    if (!shape) {
        return app_fail_memory(error);
    }
    atomic_init(&shape->uses, 1);
    shape->hash = hash;
    sn_status status = SN_OK;
    SN_TRY(add_triangles(surface, shape, error));
    SN_TRY(add_edges(surface->mesh, shape, error));
    SN_TRY(add_rest(model, surface, shape, error));
    SN_TRY(add_colors(surface, shape, error));
    *result = shape;
    return SN_OK;
cleanup:
    release_shape(shape);
    return status;
}

// A shape of the same mesh, first looked for at the same number.
static stage_shape *find_shape(const stage_made *before, uint64_t hash, uint32_t hint) {
    for (uint32_t i = 0; before && i < before->shape_count; ++i) {
        stage_shape *shape = before->shapes[(hint + i) % before->shape_count];
        if (shape->hash == hash) {
            atomic_fetch_add(&shape->uses, 1);
            return shape;
        }
    }
    return NULL;
}

static sn_status create_shapes(const sn_model *model, const stage_made *before,
                               stage_shape ***result, sn_error *error) {
    uint32_t count = sn_model_surface_count(model);
    stage_shape **shapes = calloc((size_t)count + 1, sizeof *shapes);
    sn_status status = SN_OK;
    SN_TRY(shapes ? SN_OK : app_fail_memory(error));
    for (uint32_t i = 0; i < count; ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        uint64_t hash = hash_surface(model, surface);
        shapes[i] = find_shape(before, hash, i);
        if (!shapes[i]) {
            SN_TRY(create_shape(model, surface, hash, &shapes[i], error));
        }
    }
    *result = shapes;
    return SN_OK;
cleanup:
    stage_free_shapes(shapes, count);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Models

sn_status stage_made_create(stage_body *body, sn_model *model, const stage_made *before,
                            stage_made **result, sn_error *error) {
    stage_made *made = calloc(1, sizeof *made);
    if (!made) {
        sn_model_destroy(model);
        return app_fail_memory(error);
    }
    atomic_init(&made->uses, 1);
    made->model = model;
    made->body = stage_body_hold(body);
    sn_status status = create_shapes(model, before, &made->shapes, error);
    if (status != SN_OK) {
        stage_made_release(made);
        return status;
    }
    made->shape_count = sn_model_surface_count(model);
    *result = made;
    return SN_OK;
}

stage_made *stage_made_hold(stage_made *made) {
    atomic_fetch_add(&made->uses, 1);
    return made;
}

void stage_made_release(stage_made *made) {
    if (made && release(&made->uses)) {
        stage_free_shapes(made->shapes, made->shape_count);
        sn_model_destroy(made->model);
        stage_body_release(made->body);
        free(made);
    }
}

// ---------------------------------------------------------------------------------------------
// Stages

sn_status stage_create(stage_made *made, sn_motion *motion, const char *clip, uint32_t serial,
                       uint64_t revision, stage **result, sn_error *error) {
    stage *self = calloc(1, sizeof *self);
    if (!self) {
        sn_motion_destroy(motion);
        return app_fail_memory(error);
    }
    atomic_init(&self->uses, 1);
    self->made = stage_made_hold(made);
    self->motion = motion;
    self->serial = serial;
    self->swings = sn_model_swings(made->model);
    self->revision = revision;
    self->clip = motion && clip ? strdup(clip) : NULL;
    sn_status status = motion && clip && !self->clip
                           ? app_fail_memory(error)
                           : sn_frame_create_unevaluated(made->model, &self->frame, error);
    if (status != SN_OK) {
        stage_release(self);
        return status;
    }
    *result = self;
    return SN_OK;
}

stage *stage_hold(stage *stage) {
    atomic_fetch_add(&stage->uses, 1);
    return stage;
}

void stage_release(stage *stage) {
    if (stage && release(&stage->uses)) {
        sn_frame_destroy(stage->frame);
        sn_motion_destroy(stage->motion);
        free(stage->clip);
        stage_made_release(stage->made);
        free(stage->info);
        free(stage);
    }
}
