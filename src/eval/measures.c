// SPDX-License-Identifier: Apache-2.0
//
// Depths are distances in the world between a point and the closest one in the frame of a component
// (solids.h): where a segment is scaled unevenly they are at most too large.
#include "eval/measures.h"

#include "base/arena.h"
#include "eval/solids.h"
#include "geometry/triangle.h"

#include <math.h>

// Points and triangles of a block: some hundred microseconds.
enum { POINT_GRAIN = 512, TRIANGLE_GRAIN = 4096 };

// A component of some skin.
typedef struct measured_component {
    bool needed;
    sni_solid solid;
} measured_component;

typedef struct measured_skin {
    uint32_t surface;
    sn_triangles *triangles;
    const sni_anchors *anchors;         // NULL: it has no membrane
    const sni_bound_deformer *membrane; // whose components the anchors are of
    float *rest_depths;                 // #V
} measured_skin;

struct sni_measures {
    const sn_model *model;
    sn_context *context;
    measured_component *components; // one for each surface of the model
    uint32_t skin_count;
    measured_skin *skins;
    sni_depth *deepest, *deepened; // one for each block of the largest skin
    sni_stretched *stretched;
};

const sni_depth sni_depth_none = {.surface = SN_NONE, .vertex = SN_NONE, .component = SN_NONE};
const sni_stretched sni_stretched_none = {.surface = SN_NONE, .face = SN_NONE};

void sni_depth_merge(sni_depth *into, const sni_depth *from, bool beyond_rest) {
    double a = into->depth - (beyond_rest ? into->rest_depth : 0);
    double b = from->depth - (beyond_rest ? from->rest_depth : 0);
    if (from->surface != SN_NONE && (into->surface == SN_NONE || b > a)) {
        *into = *from;
    }
}

void sni_stretched_merge(sni_stretched *into, const sni_stretched *from) {
    if (from->surface != SN_NONE && (into->surface == SN_NONE || from->stretch > into->stretch)) {
        *into = *from;
    }
}

const sni_anchors *sni_model_anchors(const sn_model *model, uint32_t surface,
                                     const sni_bound_deformer **membrane) {
    const sni_bound_surface *bound = &model->bound[surface];
    for (uint32_t i = bound->deformer_count; i-- > 0;) {
        if (bound->deformers[i].ops == &sni_deformer_membrane) {
            *membrane = &bound->deformers[i];
            return sni_membrane_anchors(bound->deformers[i].binding->bound);
        }
    }
    return NULL;
}

// --- Depths

typedef struct depth_run {
    sni_measures *measures;
    const measured_skin *skin;
    const float *points; // #V x 3
    float *depths;       // #V, written; or NULL: the deepest of each block is noted
} depth_run;

static double find_depth(const sni_solid *solid, sn_vec3 point) {
    sn_vec3 closest;
    if (!solid->usable) {
        return 0;
    }
    sn_vec3 local = solid->carried ? sn_mat4_point(&solid->from_world, point) : point;
    double depth = sni_interior_depth(&solid->interior, local, &closest);
    return depth > 0 && solid->carried
               ? sn_vec3_distance(point, sn_mat4_point(&solid->to_world, closest))
               : depth;
}

static void find_depths(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const depth_run *run = user;
    const measured_skin *skin = run->skin;
    sni_depth deepest = sni_depth_none, deepened = sni_depth_none;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t component =
            sni_bound_component(skin->membrane, sni_anchors_component(skin->anchors, i));
        double depth = find_depth(&run->measures->components[component].solid,
                                  sn_vec3_load(run->points + 3 * (size_t)i));
        if (run->depths != NULL) {
            run->depths[i] = (float)depth;
            continue;
        }
        sni_depth here = {.depth = depth,
                          .rest_depth = (double)skin->rest_depths[i],
                          .surface = skin->surface,
                          .vertex = i,
                          .component = component};
        sni_depth_merge(&deepest, &here, false);
        sni_depth_merge(&deepened, &here, true);
    }
    if (run->depths == NULL) {
        run->measures->deepest[begin / POINT_GRAIN] = deepest;
        run->measures->deepened[begin / POINT_GRAIN] = deepened;
    }
}

// Brings the components to where they are; `frame` NULL: at rest.
static sn_status place_components(sni_measures *m, const sn_frame *frame, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < m->model->surface_count && status == SN_OK; ++i) {
        status = sni_solid_place(&m->components[i].solid, m->model, i, frame, error);
    }
    return status;
}

// --- Stretch

typedef struct stretch_run {
    sni_measures *measures;
    const measured_skin *skin;
    const float *rest, *points;
} stretch_run;

static void load_corners(const float *points, const uint32_t *vertices, sn_vec3 corners[3]) {
    for (int k = 0; k < 3; ++k) {
        corners[k] = sn_vec3_load(points + 3 * (size_t)vertices[k]);
    }
}

static void find_stretch(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const stretch_run *run = user;
    const sn_triangles *triangles = run->skin->triangles;
    sni_stretched most = sni_stretched_none;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t *v = triangles->vertices + 3 * (size_t)i;
        sn_vec3 rest[3], now[3];
        load_corners(run->rest, v, rest);
        load_corners(run->points, v, now);
        sni_stretched here = {.stretch = sni_triangle_stretch(rest, now),
                              .surface = run->skin->surface,
                              .face = triangles->faces[i],
                              .vertices = {v[0], v[1], v[2]}};
        if (here.stretch > 0) {
            sni_stretched_merge(&most, &here);
        }
    }
    run->measures->stretched[begin / TRIANGLE_GRAIN] = most;
}

// --- All of it

// Where the virtual anchors are in the rest pose, and how deep they are.
static sn_status measure_rest(sni_measures *m, measured_skin *skin, sn_error *error) {
    const sn_model *model = m->model;
    uint32_t count = model->surfaces[skin->surface].mesh->vertex_count;
    sn_status status = SN_OK;
    sni_arena arena;
    sni_arena_init(&arena, m->context);
    float *anchors = sni_arena_alloc(&arena, 3 * (size_t)count, sizeof *anchors);
    uint32_t component_count = sni_bound_component_count(skin->membrane);
    const float **points = sni_arena_alloc(&arena, component_count, sizeof *points);
    SN_TRY(anchors != NULL && points != NULL ? SN_OK : sni_fail_memory(error));
    for (uint32_t i = 0; i < component_count; ++i) {
        points[i] = sni_rest_component_points(model->rest, sni_bound_component(skin->membrane, i));
    }
    sni_anchors_pose pose = {
        .worlds = model->rest_worlds, .component_points = points, .anchors = anchors};
    SN_TRY(sni_anchors_pose_run(skin->anchors, &arena, &pose) ? SN_OK : sni_fail_memory(error));
    depth_run run = {.measures = m, .skin = skin, .points = anchors, .depths = skin->rest_depths};
    sn_parallel_for(m->context, count, POINT_GRAIN, find_depths, &run);
cleanup:
    sni_arena_deinit(&arena);
    return status;
}

static sn_status prepare_skin(sni_measures *m, uint32_t surface, sn_error *error) {
    const sn_mesh *mesh = m->model->surfaces[surface].mesh;
    measured_skin *skin = &m->skins[m->skin_count++];
    sn_status status = SN_OK;
    skin->surface = surface;
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &skin->triangles, error));
    const sni_bound_deformer *membrane = NULL;
    skin->anchors = sni_model_anchors(m->model, surface, &membrane);
    if (skin->anchors != NULL) {
        skin->membrane = membrane;
        SNI_NEW(m->context, skin->rest_depths, mesh->vertex_count);
        for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
            m->components[sni_bound_component(skin->membrane,
                                              sni_anchors_component(skin->anchors, i))]
                .needed = true;
        }
    }
cleanup:
    return status;
}

static uint32_t block_count(uint32_t count, uint32_t grain) {
    return count / grain + 1;
}

static sn_status make_blocks(sni_measures *m, sn_error *error) {
    uint32_t points = 0, triangles = 0;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < m->skin_count; ++i) {
        uint32_t vertices = m->model->surfaces[m->skins[i].surface].mesh->vertex_count;
        points = vertices > points ? vertices : points;
        triangles =
            m->skins[i].triangles->count > triangles ? m->skins[i].triangles->count : triangles;
    }
    SNI_NEW(m->context, m->deepest, block_count(points, POINT_GRAIN));
    SNI_NEW(m->context, m->deepened, block_count(points, POINT_GRAIN));
    SNI_NEW(m->context, m->stretched, block_count(triangles, TRIANGLE_GRAIN));
cleanup:
    return status;
}

sn_status sni_measures_create(const sn_model *model, sni_measures **measures, sn_error *error) {
    sn_context *context = model->context;
    sn_status status = SN_OK;
    sni_measures *made = NULL;
    *measures = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->model = model;
    made->context = context;
    SNI_NEW_ZERO(context, made->components, model->surface_count);
    SNI_NEW_ZERO(context, made->skins, model->surface_count);
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        if (model->surfaces[i].layer == SN_LAYER_SKIN && model->surfaces[i].shown) {
            SN_TRY(prepare_skin(made, i, error));
        }
    }
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        if (made->components[i].needed) {
            SN_TRY(sni_solid_init(&made->components[i].solid, model, i, error));
        }
    }
    SN_TRY(make_blocks(made, error));
    SN_TRY(place_components(made, NULL, error));
    for (uint32_t i = 0; i < made->skin_count; ++i) {
        if (made->skins[i].anchors != NULL) {
            SN_TRY(measure_rest(made, &made->skins[i], error));
        }
    }
    *measures = made;
    return SN_OK;
cleanup:
    sni_measures_destroy(made);
    return status;
}

void sni_measures_destroy(sni_measures *measures) {
    if (measures == NULL) {
        return;
    }
    sn_context *context = measures->context;
    for (uint32_t i = 0; measures->components != NULL && i < measures->model->surface_count; ++i) {
        sni_solid_deinit(&measures->components[i].solid);
    }
    for (uint32_t i = 0; i < measures->skin_count; ++i) {
        sn_triangles_destroy(measures->skins[i].triangles);
        sni_free(context, measures->skins[i].rest_depths);
    }
    sni_free(context, measures->components);
    sni_free(context, measures->skins);
    sni_free(context, measures->deepest);
    sni_free(context, measures->deepened);
    sni_free(context, measures->stretched);
    sni_free(context, measures);
}

static void measure_depths(sni_measures *m, const measured_skin *skin, const float *points,
                           sni_frame_measures *result) {
    uint32_t count = m->model->surfaces[skin->surface].mesh->vertex_count;
    depth_run run = {.measures = m, .skin = skin, .points = points};
    sn_parallel_for(m->context, count, POINT_GRAIN, find_depths, &run);
    for (uint32_t i = 0; (uint64_t)i * POINT_GRAIN < count; ++i) {
        sni_depth_merge(&result->deepest, &m->deepest[i], false);
        sni_depth_merge(&result->deepened, &m->deepened[i], true);
    }
}

static void measure_stretch(sni_measures *m, const measured_skin *skin, const float *points,
                            sni_frame_measures *result) {
    stretch_run run = {.measures = m,
                       .skin = skin,
                       .rest = m->model->surfaces[skin->surface].mesh->positions,
                       .points = points};
    sn_parallel_for(m->context, skin->triangles->count, TRIANGLE_GRAIN, find_stretch, &run);
    for (uint32_t i = 0; (uint64_t)i * TRIANGLE_GRAIN < skin->triangles->count; ++i) {
        sni_stretched_merge(&result->stretched, &m->stretched[i]);
    }
}

sn_status sni_measures_run(sni_measures *measures, const sn_frame *frame,
                           sni_frame_measures *result, sn_error *error) {
    *result = (sni_frame_measures){
        .deepest = sni_depth_none, .deepened = sni_depth_none, .stretched = sni_stretched_none};
    sn_status status = place_components(measures, frame, error);
    for (uint32_t i = 0; i < measures->skin_count && status == SN_OK; ++i) {
        const measured_skin *skin = &measures->skins[i];
        const float *points = sn_frame_points(frame, skin->surface);
        measure_stretch(measures, skin, points, result);
        if (skin->anchors != NULL) {
            measure_depths(measures, skin, points, result);
        }
    }
    return status;
}
