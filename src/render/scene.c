// SPDX-License-Identifier: Apache-2.0
//
// The one file of this room that knows Embree.
//
// Trees are built on one thread and with one instruction set for each of sn_cpu, so that neither
// the number of threads nor the machine should change which of two coincident triangles a ray
// meets. Memory besides Embree's own (about 100 bytes per triangle): 24 bytes per vertex, and 28
// per triangle where the drawable brings none.
#include "render/scene.h"

#include <embree3/rtcore.h>

#include <float.h>
#include <string.h>

static const char *device_config(const sn_context *context) {
    return sn_context_cpu(context) == SN_CPU_AVX2 ? "threads=1,set_affinity=0,isa=avx2"
                                                  : "threads=1,set_affinity=0,isa=sse2";
}

// Beyond this Embree leaves triangles out without a word.
static const float largest_coordinate = 1e17f;

// Rays leave surfaces by this fraction of the scene's radius, and by a few roundings of its largest
// coordinate.
static const double relative_clearance = 2e-5;
static const double clearance_roundings = 8;

static sn_status check_positions(const sni_surface *surface, uint32_t index, sn_error *error) {
    uint32_t vertex_count = surface->drawable->mesh->vertex_count;
    const float *positions = surface->positions;
    for (uint32_t v = 0; v < vertex_count; ++v) {
        for (unsigned axis = 0; axis < 3; ++axis) {
            float x = positions[3 * (size_t)v + axis];
            if (!(x >= -largest_coordinate && x <= largest_coordinate)) {
                return sni_fail(error, SN_INVALID, "drawable %u: vertex %u has the coordinate %g",
                                index, v, (double)x);
            }
        }
    }
    return SN_OK;
}

static sn_status check_triangles(const sni_surface *surface, uint32_t index, sn_error *error) {
    const sn_mesh *mesh = surface->drawable->mesh;
    const sn_triangles *triangles = surface->triangles;
    for (uint32_t t = 0; t < triangles->count; ++t) {
        for (unsigned i = 0; i < 3; ++i) {
            uint32_t vertex = triangles->vertices[3 * (size_t)t + i];
            if (vertex >= mesh->vertex_count) {
                return sni_fail(error, SN_INVALID,
                                "drawable %u: triangle %u uses vertex %u, but there are %u", index,
                                t, vertex, mesh->vertex_count);
            }
            uint32_t corner = triangles->corners[3 * (size_t)t + i];
            if (corner >= mesh->corner_count || triangles->faces[t] >= mesh->face_count) {
                return sni_fail(error, SN_INVALID,
                                "drawable %u: triangle %u is not of the mesh's faces", index, t);
            }
        }
    }
    return SN_OK;
}

static sn_status check_drawable(const sn_drawable *drawable, uint32_t index, sn_error *error) {
    if (drawable->mesh == NULL) {
        return sni_fail(error, SN_INVALID, "drawable %u has no mesh", index);
    }
    if ((unsigned)drawable->look > SN_LOOK_HORN) {
        return sni_fail(error, SN_INVALID, "drawable %u has the unknown look %d", index,
                        (int)drawable->look);
    }
    if (!(drawable->opacity >= 0 && drawable->opacity <= 1)) {
        return sni_fail(error, SN_INVALID, "drawable %u has the opacity %g, expected 0 to 1", index,
                        drawable->opacity);
    }
    for (unsigned i = 0; drawable->base_color != NULL && i < 3; ++i) {
        float c = drawable->base_color[i];
        if (!(c >= 0 && c <= 1)) {
            return sni_fail(error, SN_INVALID,
                            "drawable %u has the base color component %g, expected 0 to 1", index,
                            (double)c);
        }
    }
    const sn_attribute *colors = drawable->colors;
    if (colors != NULL && (colors->corner != NULL || colors->width < 3 ||
                           colors->count != drawable->mesh->vertex_count)) {
        return sni_fail(error, SN_INVALID,
                        "drawable %u has %u colors of %u numbers for %u vertices", index,
                        colors->count, colors->width, drawable->mesh->vertex_count);
    }
    if (drawable->appearance != NULL &&
        sni_appearance_mesh(drawable->appearance) != drawable->mesh) {
        return sni_fail(error, SN_INVALID, "drawable %u has the appearance of another mesh", index);
    }
    return sn_mesh_validate(drawable->mesh, error);
}

static sn_status surface_init(sn_context *context, const sn_drawable *drawable, uint32_t index,
                              sni_surface *surface, sn_error *error) {
    sn_status status = SN_OK;
    const sn_mesh *mesh = drawable->mesh;
    size_t number_count = 3 * (size_t)mesh->vertex_count;
    surface->drawable = drawable;
    SNI_NEW(context, surface->positions, number_count);
    const float *positions = drawable->positions != NULL ? drawable->positions : mesh->positions;
    if (number_count > 0) {
        memcpy(surface->positions, positions, number_count * sizeof *positions);
    }
    SN_TRY(check_positions(surface, index, error));
    surface->triangles = drawable->triangles;
    if (surface->triangles == NULL) {
        SN_TRY(sn_triangles_create(mesh, surface->positions, &surface->own_triangles, error));
        surface->triangles = surface->own_triangles;
    }
    SN_TRY(check_triangles(surface, index, error));
    SNI_NEW(context, surface->normals, number_count);
    SN_TRY(sn_mesh_normals(mesh, surface->positions, surface->normals, error));
cleanup:
    return status;
}

// What has gone wrong on the device since it was last asked.
static sn_status embree_status(RTCDevice device, sn_error *error) {
    enum RTCError code = rtcGetDeviceError(device);
    if (code == RTC_ERROR_NONE) {
        return SN_OK;
    }
    return code == RTC_ERROR_OUT_OF_MEMORY
               ? sni_fail_memory(error)
               : sni_fail(error, SN_UNSUPPORTED, "Embree failed with error %d", (int)code);
}

static sni_coat coat_of_hit(const struct RTCFilterFunctionNArguments *arguments) {
    const sni_surface *surface = arguments->geometryUserPtr;
    SN_ASSERT(arguments->N == 1); // rays are cast one by one, so the hit is a plain one
    const struct RTCHit *hit = (const struct RTCHit *)arguments->hit;
    double barycentric[3] = {1 - hit->u - hit->v, hit->u, hit->v};
    sni_spot spot = {.triangles = surface->triangles,
                     .triangle = hit->primID,
                     .barycentric = barycentric,
                     .positions = surface->positions};
    return sni_appearance_at(surface->drawable->appearance, &spot);
}

// Rays go through holes of masks everywhere; in the tree of solid surfaces also through what
// blends, and in that of see-through ones through what does not, unless the whole surface is
// see-through.
static void keep_there(const struct RTCFilterFunctionNArguments *arguments) {
    if (coat_of_hit(arguments).cut) {
        arguments->valid[0] = 0;
    }
}

static void keep_solid(const struct RTCFilterFunctionNArguments *arguments) {
    sni_coat coat = coat_of_hit(arguments);
    if (coat.cut || coat.alpha < 1) {
        arguments->valid[0] = 0;
    }
}

static void keep_sheer(const struct RTCFilterFunctionNArguments *arguments) {
    sni_coat coat = coat_of_hit(arguments);
    if (coat.cut || coat.alpha == 1) {
        arguments->valid[0] = 0;
    }
}

static sn_status attach(sni_scene *scene, RTCScene tree, uint32_t index, RTCFilterFunctionN filter,
                        sn_error *error) {
    sni_surface *surface = &scene->surfaces[index];
    RTCGeometry geometry = rtcNewGeometry(scene->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (geometry == NULL) {
        return embree_status(scene->device, error);
    }
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                               surface->positions, 0, 3 * sizeof(float),
                               surface->drawable->mesh->vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                               surface->triangles->vertices, 0, 3 * sizeof(uint32_t),
                               surface->triangles->count);
    if (filter != NULL) {
        rtcSetGeometryUserData(geometry, surface);
        rtcSetGeometryIntersectFilterFunction(geometry, filter);
        rtcSetGeometryOccludedFilterFunction(geometry, filter);
    }
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(tree, geometry, index);
    rtcReleaseGeometry(geometry);
    return embree_status(scene->device, error);
}

static RTCScene new_tree(RTCDevice device) {
    RTCScene tree = rtcNewScene(device);
    if (tree != NULL) {
        rtcSetSceneFlags(tree, RTC_SCENE_FLAG_ROBUST);
    }
    return tree;
}

static bool is_drawn(const sni_surface *surface) {
    return surface->drawable->opacity > 0 && surface->triangles->count > 0;
}

static sn_status attach_sheer(sni_scene *scene, uint32_t index, RTCFilterFunctionN filter,
                              sn_error *error) {
    if (scene->sheer == NULL) {
        scene->sheer = new_tree(scene->device);
        if (scene->sheer == NULL) {
            return embree_status(scene->device, error);
        }
    }
    return attach(scene, scene->sheer, index, filter, error);
}

// A surface whose material blends is in both trees: in each, rays see a part of it.
static sn_status attach_surface(sni_scene *scene, uint32_t index, sn_error *error) {
    const sn_drawable *drawable = scene->surfaces[index].drawable;
    const sn_appearance *coats = sni_drawable_is_coated(drawable) ? drawable->appearance : NULL;
    bool has_holes = coats != NULL && sni_appearance_has_holes(coats);
    if (drawable->opacity < 1) {
        return attach_sheer(scene, index, has_holes ? keep_there : NULL, error);
    }
    sn_status status = attach(scene, scene->solid, index, has_holes ? keep_solid : NULL, error);
    return status == SN_OK && coats != NULL && sni_appearance_blends(coats)
               ? attach_sheer(scene, index, keep_sheer, error)
               : status;
}

static sn_status build_trees(sni_scene *scene, sn_error *error) {
    sn_status status = SN_OK;
    scene->device = rtcNewDevice(device_config(scene->context));
    if (scene->device == NULL) {
        return sni_fail(error, SN_UNSUPPORTED, "Embree failed to start with error %d",
                        (int)rtcGetDeviceError(NULL));
    }
    scene->solid = new_tree(scene->device);
    if (scene->solid == NULL) {
        return embree_status(scene->device, error);
    }
    for (uint32_t i = 0; i < scene->surface_count; ++i) {
        const sni_surface *surface = &scene->surfaces[i];
        if (!is_drawn(surface)) {
            continue;
        }
        SN_TRY(attach_surface(scene, i, error));
    }
    rtcCommitScene(scene->solid);
    if (scene->sheer != NULL) {
        rtcCommitScene(scene->sheer);
    }
    SN_TRY(embree_status(scene->device, error));
cleanup:
    return status;
}

// The box of what can be hit: vertices without triangles do not count.
static void measure(sni_scene *scene) {
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    scene->empty = true;
    for (uint32_t i = 0; i < scene->surface_count; ++i) {
        const sni_surface *surface = &scene->surfaces[i];
        if (!is_drawn(surface)) {
            continue;
        }
        scene->empty = false;
        size_t corner_count = 3 * (size_t)surface->triangles->count;
        for (size_t c = 0; c < corner_count; ++c) {
            uint32_t vertex = surface->triangles->vertices[c];
            sn_vec3 point = sn_vec3_load(&surface->positions[3 * (size_t)vertex]);
            low = sn_vec3_min(low, point);
            high = sn_vec3_max(high, point);
        }
    }
    scene->radius = 1;
    if (scene->empty) {
        return;
    }
    scene->center = sn_vec3_lerp(low, high, 0.5);
    double radius = sn_vec3_distance(low, high) / 2;
    scene->radius = radius > 0 ? radius : 1;
    sn_vec3 largest = sn_vec3_max(high, sn_vec3_scale(low, -1));
    double coordinate = fmax(largest.x, fmax(largest.y, largest.z));
    scene->clearance =
        relative_clearance * scene->radius + clearance_roundings * FLT_EPSILON * fabs(coordinate);
}

sn_status sni_scene_init(sn_context *context, const sn_drawable *drawables, uint32_t drawable_count,
                         sni_scene *scene, sn_error *error) {
    SN_ASSERT(drawable_count == 0 || drawables != NULL);
    sn_status status = SN_OK;
    *scene = (sni_scene){.context = context};
    SNI_NEW_ZERO(context, scene->surfaces, drawable_count);
    scene->surface_count = drawable_count;
    for (uint32_t i = 0; i < drawable_count; ++i) {
        SN_TRY(check_drawable(&drawables[i], i, error));
        SN_TRY(surface_init(context, &drawables[i], i, &scene->surfaces[i], error));
    }
    measure(scene);
    SN_TRY(build_trees(scene, error));
    return SN_OK;
cleanup:
    sni_scene_deinit(scene);
    return status;
}

void sni_scene_deinit(sni_scene *scene) {
    if (scene->sheer != NULL) {
        rtcReleaseScene(scene->sheer);
    }
    if (scene->solid != NULL) {
        rtcReleaseScene(scene->solid);
    }
    if (scene->device != NULL) {
        rtcReleaseDevice(scene->device);
    }
    for (uint32_t i = 0; scene->surfaces != NULL && i < scene->surface_count; ++i) {
        sni_surface *surface = &scene->surfaces[i];
        sn_triangles_destroy(surface->own_triangles);
        sni_free(scene->context, surface->positions);
        sni_free(scene->context, surface->normals);
    }
    if (scene->context != NULL) {
        sni_free(scene->context, scene->surfaces);
    }
    *scene = (sni_scene){0};
}

static struct RTCRay ray_of(sn_vec3 origin, sn_vec3 direction, double near, double far) {
    return (struct RTCRay){
        .org_x = (float)origin.x,
        .org_y = (float)origin.y,
        .org_z = (float)origin.z,
        .tnear = (float)near,
        .dir_x = (float)direction.x,
        .dir_y = (float)direction.y,
        .dir_z = (float)direction.z,
        .tfar = (float)far,
        .mask = UINT32_MAX,
    };
}

static void cast(RTCScene tree, sn_vec3 origin, sn_vec3 direction, double near, double far,
                 sni_ray_hit *hit) {
    struct RTCRayHit ray = {.ray = ray_of(origin, direction, near, far)};
    ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(tree, &context, &ray);
    if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) {
        *hit = (sni_ray_hit){.surface = SN_NONE, .distance = INFINITY};
        return;
    }
    double u = ray.hit.u, v = ray.hit.v;
    sn_vec3 normal = {ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z};
    *hit = (sni_ray_hit){
        .surface = ray.hit.geomID,
        .triangle = ray.hit.primID,
        .distance = ray.ray.tfar,
        .barycentric = {1 - u - v, u, v},
        .face_normal = sn_vec3_normalize_or(normal, sn_vec3_make(0, 0, 0)),
    };
}

void sni_scene_cast(const sni_scene *scene, sn_vec3 origin, sn_vec3 direction, double near,
                    double far, sni_ray_hit *hit) {
    cast(scene->solid, origin, direction, near, far, hit);
}

void sni_scene_cast_sheer(const sni_scene *scene, sn_vec3 origin, sn_vec3 direction, double near,
                          double far, sni_ray_hit *hit) {
    cast(scene->sheer, origin, direction, near, far, hit);
}

bool sni_scene_blocked(const sni_scene *scene, sn_vec3 origin, sn_vec3 direction, double near) {
    struct RTCRay ray = ray_of(origin, direction, near, INFINITY);
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(scene->solid, &context, &ray);
    return ray.tfar < 0;
}
