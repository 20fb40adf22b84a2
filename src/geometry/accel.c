// SPDX-License-Identifier: Apache-2.0
//
// Closest points and rays through an Embree tree.
//
// Embree only proposes triangles; what is computed on them is ours (triangle.c), in double. Of the
// proposed triangles the closest is taken, and of equal ones the lowest. As long as no candidate is
// left out the result therefore depends neither on the shape of the tree (number of threads,
// refitted or rebuilt) nor on the instructions that Embree picks for the processor. Embree computes
// in float, so three margins see to that:
//
//     boxes     grow by `box_margin`, more than the rounding of a ray in float
//     points    search a radius larger by the rounding of the point and of squared distances
//     rays      keep what lies slightly behind the best hit
//
// Triangles enter as user geometry: Embree's own triangles would decide hits in float, and refuse
// coordinates above 1e18 without a word. Coordinates are stored times a power of two (exact) such
// that the largest lies in [0.5, 1): the margins are then plain numbers and nothing overflows.
//
// A device per tree keeps two trees apart; making and releasing one takes under 0.1 ms.
#include "sinew/geometry.h"

#include "base/context.h"
#include "base/memory.h"
#include "geometry/finite.h"
#include "geometry/triangle.h"

#include <embree3/rtcore.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

// Lengths in stored units (the largest coordinate is 1). A float ray that starts at most 4 away is
// off by less than 1e-6 within the box, and the box test loses about as much.
static const double box_margin = 4e-6;

// Relative error of a distance in float, as Embree compares it.
static const double distance_margin = 1e-6;

// Relative error of a point rounded to float: sqrt(3) * 2^-24, and some.
static const double rounding_margin = 2e-7;

// Smaller radii have squares that vanish in float.
static const double smallest_radius = 1e-15;

// Points and ray origins further away than this are answered triangle by triangle: in float they
// could not tell the triangles apart.
static const double far_away = 1 << 20;

// Smaller trees are built by the calling thread alone, in a few milliseconds.
static const uint32_t parallel_triangles = 30000;

struct sn_accel {
    sn_context *context;
    uint32_t vertex_count;
    uint32_t triangle_count;
    double unit;        // length of one stored unit, a power of two
    float *positions;   // vertex_count x 3, divided by `unit`
    uint32_t *vertices; // triangle_count x 3
    RTCDevice device;
    RTCScene scene;
    RTCGeometry geometry;
    atomic_ptrdiff_t embree_bytes; // what Embree holds, counted in the context
    bool has_tree;                 // false without triangles, or when a build failed
};

// Embree tells before it takes memory, and before or after it gives some back.
static bool count_embree_bytes(void *user, ssize_t bytes, bool post) {
    sn_accel *accel = user;
    bool within = sni_count_bytes(accel->context, bytes, post);
    if (within || post) {
        atomic_fetch_add(&accel->embree_bytes, bytes);
    }
    return within;
}

static sn_status check_device(RTCDevice device, sn_error *error) {
    enum RTCError code = rtcGetDeviceError(device);
    if (code == RTC_ERROR_NONE) {
        return SN_OK;
    }
    if (code == RTC_ERROR_OUT_OF_MEMORY) {
        return sni_fail_memory(error);
    }
    return sni_fail(error, SN_UNSUPPORTED, "the search tree library failed with code %d",
                    (int)code);
}

static void bound_triangle(const struct RTCBoundsFunctionArguments *args) {
    const sn_accel *accel = args->geometryUserPtr;
    const uint32_t *vertices = accel->vertices + 3 * (size_t)args->primID;
    const float *p = accel->positions + 3 * (size_t)vertices[0];
    const float *q = accel->positions + 3 * (size_t)vertices[1];
    const float *r = accel->positions + 3 * (size_t)vertices[2];
    float low[3], high[3];
    for (int i = 0; i < 3; ++i) {
        low[i] = fminf(p[i], fminf(q[i], r[i])) - (float)box_margin;
        high[i] = fmaxf(p[i], fmaxf(q[i], r[i])) + (float)box_margin;
    }
    struct RTCBounds *bounds = args->bounds_o;
    bounds->lower_x = low[0];
    bounds->lower_y = low[1];
    bounds->lower_z = low[2];
    bounds->upper_x = high[0];
    bounds->upper_y = high[1];
    bounds->upper_z = high[2];
}

// ---------------------------------------------------------------------------------------------
// Closest points

typedef struct closest_search {
    const sn_accel *accel;
    sn_vec3 point;    // in stored units
    double radius;    // in stored units
    double distance2; // of the best so far
    double weights[3];
    uint32_t triangle;
} closest_search;

// Keeps a triangle that is closer than the best, or as close and lower.
static bool try_closest(closest_search *search, uint32_t index) {
    const sn_accel *accel = search->accel;
    sni_triangle triangle =
        sni_triangle_load(accel->positions, accel->vertices + 3 * (size_t)index);
    double weights[3];
    double distance2 = sni_triangle_closest(&triangle, search->point, weights);
    bool is_better = distance2 < search->distance2 ||
                     (distance2 == search->distance2 && index < search->triangle);
    if (!is_better || !(sqrt(distance2) <= search->radius)) {
        return false;
    }
    search->distance2 = distance2;
    search->triangle = index;
    for (int i = 0; i < 3; ++i) {
        search->weights[i] = weights[i];
    }
    return true;
}

// The float radius that Embree must search to find all that lies within `radius`.
static float search_radius(sn_vec3 point, double radius) {
    double largest = fmax(fabs(point.x), fmax(fabs(point.y), fabs(point.z)));
    double grown = radius * (1 + distance_margin) + largest * rounding_margin;
    return grown < FLT_MAX ? (float)fmax(grown, smallest_radius) : INFINITY;
}

static bool visit_closest(struct RTCPointQueryFunctionArguments *args) {
    closest_search *search = args->userPtr;
    if (!try_closest(search, args->primID)) {
        return false;
    }
    float radius = search_radius(search->point, sqrt(search->distance2));
    bool is_smaller = radius < args->query->radius;
    if (is_smaller) {
        args->query->radius = radius;
    }
    return is_smaller;
}

static void search_tree_closest(closest_search *search) {
    struct RTCPointQuery query = {.x = (float)search->point.x,
                                  .y = (float)search->point.y,
                                  .z = (float)search->point.z,
                                  .radius = search_radius(search->point, search->radius)};
    struct RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(search->accel->scene, &query, &context, visit_closest, search);
}

static bool is_near(const sn_accel *accel, sn_vec3 point) {
    return accel->has_tree && fabs(point.x) < far_away && fabs(point.y) < far_away &&
           fabs(point.z) < far_away;
}

void sn_accel_find_closest(const sn_accel *accel, sn_vec3 point, double radius,
                           sn_closest *closest) {
    *closest = (sn_closest){.triangle = SN_NONE};
    if (!sn_vec3_is_finite(point)) {
        return;
    }
    closest_search search = {.accel = accel,
                             .point = sn_vec3_scale(point, 1 / accel->unit),
                             .radius = radius / accel->unit,
                             .distance2 = INFINITY,
                             .triangle = SN_NONE};
    if (is_near(accel, search.point)) {
        search_tree_closest(&search);
    } else {
        for (uint32_t i = 0; i < accel->triangle_count; ++i) {
            try_closest(&search, i);
        }
    }
    if (search.triangle == SN_NONE) {
        return;
    }
    sni_triangle triangle =
        sni_triangle_load(accel->positions, accel->vertices + 3 * (size_t)search.triangle);
    closest->triangle = search.triangle;
    closest->distance = sqrt(search.distance2) * accel->unit;
    closest->point = sn_vec3_scale(sni_triangle_point(&triangle, search.weights), accel->unit);
    sni_triangle_barycentric(&triangle, search.weights, closest->barycentric);
}

// ---------------------------------------------------------------------------------------------
// Rays

// Embree hands its context through to the callback, and with it the search.
typedef struct ray_search {
    struct RTCIntersectContext context; // first, so that both have the same address
    const sn_accel *accel;
    sni_ray ray;     // in stored units
    double start;    // distance at which Embree's ray begins
    double near;     // in stored units
    double distance; // of the best so far; at first the largest allowed
    double weights[3];
    uint32_t triangle;
} ray_search;

static bool try_hit(ray_search *search, uint32_t index) {
    const sn_accel *accel = search->accel;
    sni_triangle triangle =
        sni_triangle_load(accel->positions, accel->vertices + 3 * (size_t)index);
    double distance, weights[3];
    if (!sni_ray_triangle(&search->ray, &triangle, &distance, weights) ||
        !(distance >= search->near) ||
        !(distance < search->distance ||
          (distance == search->distance && index < search->triangle))) {
        return false;
    }
    search->distance = distance;
    search->triangle = index;
    for (int i = 0; i < 3; ++i) {
        search->weights[i] = weights[i];
    }
    return true;
}

// How far Embree must follow its ray to find all that is hit up to `distance`.
static float ray_end(const ray_search *search, double distance) {
    return (float)((distance - search->start) * (1 + distance_margin) + box_margin);
}

static void visit_hit(const struct RTCIntersectFunctionNArguments *args) {
    ray_search *search = (ray_search *)args->context;
    struct RTCRayHit *rayhit = (struct RTCRayHit *)args->rayhit;
    if (args->valid[0] != 0 && try_hit(search, args->primID)) {
        rayhit->ray.tfar = fminf(rayhit->ray.tfar, ray_end(search, search->distance));
    }
}

// All triangles lie within sqrt(3) of the stored origin. Embree gets the part of the ray that can
// meet them, so that its rounding does not grow with the distance.
static void search_tree_hit(ray_search *search) {
    const double reach = 2;
    double middle = -sn_vec3_dot(search->ray.origin, search->ray.direction);
    search->start = fmax(search->near, middle - reach) - box_margin;
    double end = fmin(search->distance, middle + reach);
    if (!(search->start <= end)) {
        return;
    }
    sn_vec3 from = sn_vec3_add_scaled(search->ray.origin, search->start, search->ray.direction);
    struct RTCRayHit rayhit = {
        .ray = {.org_x = (float)from.x,
                .org_y = (float)from.y,
                .org_z = (float)from.z,
                .tnear = 0,
                .dir_x = (float)search->ray.direction.x,
                .dir_y = (float)search->ray.direction.y,
                .dir_z = (float)search->ray.direction.z,
                .tfar = ray_end(search, end),
                .mask = UINT32_MAX},
        .hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .primID = RTC_INVALID_GEOMETRY_ID}};
    rtcInitIntersectContext(&search->context);
    rtcIntersect1(search->accel->scene, &search->context, &rayhit);
}

void sn_accel_cast(const sn_accel *accel, sn_vec3 origin, sn_vec3 direction, double near,
                   double far, sn_hit *hit) {
    *hit = (sn_hit){.triangle = SN_NONE};
    ray_search search = {.accel = accel,
                         .near = near / accel->unit,
                         .distance = far / accel->unit,
                         .triangle = SN_NONE};
    if (!sni_ray_init(&search.ray, sn_vec3_scale(origin, 1 / accel->unit), direction)) {
        return;
    }
    if (is_near(accel, search.ray.origin)) {
        search_tree_hit(&search);
    } else {
        for (uint32_t i = 0; i < accel->triangle_count; ++i) {
            try_hit(&search, i);
        }
    }
    if (search.triangle == SN_NONE) {
        return;
    }
    sni_triangle triangle =
        sni_triangle_load(accel->positions, accel->vertices + 3 * (size_t)search.triangle);
    hit->triangle = search.triangle;
    hit->distance = search.distance * accel->unit;
    hit->point = sn_vec3_scale(sni_triangle_point(&triangle, search.weights), accel->unit);
    sni_triangle_barycentric(&triangle, search.weights, hit->barycentric);
}

// ---------------------------------------------------------------------------------------------
// Building

static sn_status check_positions(const float *positions, uint32_t vertex_count, sn_error *error) {
    size_t count = (size_t)vertex_count * 3;
    size_t bad = sni_find_not_finite(positions, count);
    if (bad < count) {
        return sni_fail(error, SN_INVALID, "vertex %zu has the %c coordinate %g", bad / 3,
                        "xyz"[bad % 3], positions[bad]);
    }
    return SN_OK;
}

static sn_status check_vertices(const uint32_t *vertices, uint32_t triangle_count,
                                uint32_t vertex_count, sn_error *error) {
    for (size_t i = 0; i < 3 * (size_t)triangle_count; ++i) {
        if (vertices[i] >= vertex_count) {
            return sni_fail(error, SN_INVALID,
                            "triangle %zu uses vertex %u, but there are %u vertices", i / 3,
                            vertices[i], vertex_count);
        }
    }
    return SN_OK;
}

// Copies the positions in stored units.
static void store_positions(sn_accel *accel, const float *positions) {
    size_t count = (size_t)accel->vertex_count * 3;
    float largest = 0;
    for (size_t i = 0; i < count; ++i) {
        largest = fmaxf(largest, fabsf(positions[i]));
    }
    int exponent = 0;
    frexp(largest, &exponent);
    accel->unit = ldexp(1, exponent);
    double factor = ldexp(1, -exponent);
    for (size_t i = 0; i < count; ++i) {
        accel->positions[i] = (float)(positions[i] * factor);
    }
}

// Builds the tree, or adapts it. When that fails queries still work, triangle by triangle.
static sn_status build_tree(sn_accel *accel, enum RTCBuildQuality quality, sn_error *error) {
    if (accel->geometry == NULL) {
        return SN_OK;
    }
    accel->has_tree = false;
    rtcSetGeometryBuildQuality(accel->geometry, quality);
    rtcCommitGeometry(accel->geometry);
    rtcCommitScene(accel->scene);
    sn_status status = check_device(accel->device, error);
    accel->has_tree = status == SN_OK;
    return status;
}

static sn_status create_device(sn_accel *accel, sn_error *error) {
    char config[64];
    bool is_large = accel->triangle_count >= parallel_triangles;
    snprintf(config, sizeof config, "threads=%u,set_affinity=0",
             is_large ? accel->context->thread_count : 1);
    accel->device = rtcNewDevice(config);
    if (accel->device == NULL) {
        return check_device(NULL, error);
    }
    rtcSetDeviceMemoryMonitorFunction(accel->device, count_embree_bytes, accel);
    return SN_OK;
}

static sn_status create_scene(sn_accel *accel, sn_error *error) {
    accel->scene = rtcNewScene(accel->device);
    accel->geometry = rtcNewGeometry(accel->device, RTC_GEOMETRY_TYPE_USER);
    if (accel->scene == NULL || accel->geometry == NULL) {
        sn_status status = check_device(accel->device, error);
        return status != SN_OK ? status : sni_fail_memory(error);
    }
    rtcSetSceneFlags(accel->scene, RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_DYNAMIC);
    rtcSetGeometryUserPrimitiveCount(accel->geometry, accel->triangle_count);
    rtcSetGeometryUserData(accel->geometry, accel);
    rtcSetGeometryBoundsFunction(accel->geometry, bound_triangle, NULL);
    rtcSetGeometryIntersectFunction(accel->geometry, visit_hit);
    rtcAttachGeometry(accel->scene, accel->geometry);
    return check_device(accel->device, error);
}

sn_status sn_accel_create(sn_context *context, const float *positions, uint32_t vertex_count,
                          const uint32_t *vertices, uint32_t triangle_count, sn_accel **accel,
                          sn_error *error) {
    sn_status status = SN_OK;
    sn_accel *made = NULL;
    *accel = NULL;
    SN_TRY(check_positions(positions, vertex_count, error));
    SN_TRY(check_vertices(vertices, triangle_count, vertex_count, error));
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->vertex_count = vertex_count;
    made->triangle_count = triangle_count;
    SNI_NEW(context, made->positions, (size_t)vertex_count * 3);
    SNI_NEW(context, made->vertices, (size_t)triangle_count * 3);
    memcpy(made->vertices, vertices, (size_t)triangle_count * 3 * sizeof *vertices);
    store_positions(made, positions);
    if (triangle_count > 0) {
        SN_TRY(create_device(made, error));
        SN_TRY(create_scene(made, error));
        SN_TRY(build_tree(made, RTC_BUILD_QUALITY_MEDIUM, error));
    }
    *accel = made;
    return SN_OK;
cleanup:
    sn_accel_destroy(made);
    return status;
}

void sn_accel_destroy(sn_accel *accel) {
    if (accel == NULL) {
        return;
    }
    if (accel->geometry != NULL) {
        rtcReleaseGeometry(accel->geometry);
    }
    if (accel->scene != NULL) {
        rtcReleaseScene(accel->scene);
    }
    if (accel->device != NULL) {
        rtcReleaseDevice(accel->device);
    }
    sn_context *context = accel->context;
    sni_count_bytes(context, -atomic_load(&accel->embree_bytes), true);
    sni_free(context, accel->positions);
    sni_free(context, accel->vertices);
    sni_free(context, accel);
}

sn_status sn_accel_update(sn_accel *accel, const float *positions, bool rebuild, sn_error *error) {
    sn_status status = check_positions(positions, accel->vertex_count, error);
    if (status != SN_OK) {
        return status;
    }
    store_positions(accel, positions);
    return build_tree(accel, rebuild ? RTC_BUILD_QUALITY_MEDIUM : RTC_BUILD_QUALITY_REFIT, error);
}
