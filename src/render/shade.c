// SPDX-License-Identifier: Apache-2.0
//
// Looks, lights and shadows.
//
// Light comes from a large warm key lamp (soft shadows), a weak lamp from behind that draws the
// rims, and a sky around everything whose brightness is linear in the direction,
//     L(d) = a + b . d   per channel,
// so that the light on an open surface with normal n is known: a + 2/3 b . n (the cosine-weighted
// mean). Occlusion rays only measure what is missing from it; where nothing is in the way there is
// no noise at all. Light that bounces inside cavities follows Jimenez, Wu, Pesce and Jarabo,
// "Practical Real-Time Strategies for Accurate Indirect Occlusion" (2016), eq. 9: cavities of a
// coloured surface are lit with its colour instead of turning grey.
//
// Rays that leave a smooth-shaded polygon start on the smooth surface that the normals suggest
// (Hanika, "Hacking the Shadow Terminator", Ray Tracing Gems II, 2021), which keeps the facets out
// of the shadow's edge. Highlights are GGX (Walter et al. 2007) with Schlick's Fresnel (1994).
#include "render/shade.h"

#include "base/hermite.h"
#include "render/color.h"
#include "render/sample.h"

#include <math.h>

typedef struct look {
    double color[3];    // linear
    double reflectance; // of a highlight seen straight on
    double roughness;
    double falloff[3]; // exponent of the key light's cosine: below 1 the channel reaches farther
                       // around, as light does that spreads under the surface
    double scatter;    // part of the scene's radius that the key light passes through
} look;

static const look looks[] = {
    [SN_LOOK_SKIN] = {{0.590, 0.355, 0.265}, 0.030, 0.40, {0.72, 0.98, 1.12}, 0.012},
    [SN_LOOK_MUSCLE] = {{0.430, 0.078, 0.062}, 0.050, 0.27, {0.85, 1.00, 1.00}, 0.003},
    [SN_LOOK_BONE] = {{0.745, 0.655, 0.500}, 0.020, 0.60, {0.95, 1.00, 1.05}, 0.002},
    [SN_LOOK_TISSUE] = {{0.800, 0.575, 0.235}, 0.035, 0.38, {0.80, 0.92, 1.10}, 0.006},
    [SN_LOOK_CLOTH] = {{0.150, 0.225, 0.340}, 0.010, 0.85, {1, 1, 1}, 0},
    [SN_LOOK_PLAIN] = {{0.600, 0.600, 0.600}, 0.025, 0.50, {1, 1, 1}, 0},
    [SN_LOOK_EYE] = {{0.035, 0.018, 0.010}, 0.060, 0.10, {1, 1, 1}, 0},
    [SN_LOOK_HORN] = {{0.130, 0.095, 0.075}, 0.045, 0.30, {1, 1, 1}, 0},
};
static const look valued_look = {{0, 0, 0}, 0.008, 0.70, {0.9, 0.9, 0.9}, 0};

// Lamps: angles about the vertical from the camera's side (positive to its left) and above the
// horizon, and light that a white surface facing the lamp gives back.
static const double key_azimuth = 0.95, key_elevation = 0.85; // radians
static const double key_radius = 0.20; // tangent of the lamp's angular radius
static const double key_color[3] = {1.10, 1.02, 0.92};
static const double rim_azimuth = -2.40, rim_elevation = 0.50;
static const double rim_color[3] = {0.34, 0.37, 0.42};
// The sky: its mean, how much brighter it is above than below, and towards the camera's side.
static const double sky_mean[3] = {0.300, 0.298, 0.308};
static const double sky_rise[3] = {0.14, 0.16, 0.19};
static const double sky_front[3] = {0.07, 0.065, 0.06};
// Lamps that only shiny surfaces mirror: a broad one overhead.
static const double overhead_light = 1.1;

// Deep cavities, where few rays reach the sky and each counts for much: from this part of lost
// light on, so many times the rays are taken.
static const double dark_cavity = 0.75;
static const uint32_t cavity_rays = 4;
// The least part of the sky's light: some always finds its way in.
static const double least_sky = 0.02;

// Of a key light of 1, the sky adds as much on the ground; shadows keep this much light.
static const double ground_key_part = 0.45;
static const double ground_strength = 0.80;
// Distance from the scene's middle, in radii, over which the ground turns into the background.
static const double ground_fade_begin = 1.6, ground_fade_end = 4.0;
// Below this height above the ground, in radii, light from the ground grows dim.
static const double ground_near = 0.25;
static const double ground_near_light = 0.35;

// Corners whose normal is farther from the face than the first cosine (44 degrees) are drawn with
// the face's own, nearer than the second (34 degrees) smooth: edges of boxes stay sharp.
static const double crease_sharp = 0.719, crease_smooth = 0.829;

// Faces seen from behind: tinted, so that a mesh turned inside out is noticed. Two-sided ones are
// not.
static const double behind_tint[3] = {0.34, 0.50, 0.95};
// Part of the sky's light that reaches them in any case.
static const double behind_light = 0.4;
// How much of their opacity the far sides of see-through surfaces keep.
static const double behind_sheer = 0.4;
// Slant beyond which a see-through layer does not grow more opaque (cosine).
static const double steepest_layer = 0.08;

static const double line_color[3] = {0.012, 0.014, 0.020};
static const double line_strength = 0.78;
// Lines closer to each other than this on screen fade, so that a dense mesh keeps its own colour
// (pixels).
static const double line_hidden = 1.5, line_full = 6;

// Display values above this are rolled off towards 1 instead of being cut.
static const double shoulder = 0.62;

static double clamp01(double x) {
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

static sn_vec3 vec3_of(const double values[3]) {
    return sn_vec3_make(values[0], values[1], values[2]);
}

static double channel(sn_vec3 v, unsigned i) {
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

// ---------------------------------------------------------------------------------------------
// Lights

// A unit vector at the angles, about +Y, from the horizontal direction `front`.
static sn_vec3 lamp_direction(sn_vec3 front, double azimuth, double elevation) {
    sn_vec3 left = sn_vec3_cross(front, sn_vec3_make(0, 1, 0));
    sn_vec3 flat = sn_vec3_scale(front, cos(azimuth) * cos(elevation));
    flat = sn_vec3_add_scaled(flat, sin(azimuth) * cos(elevation), left);
    return sn_vec3_add_scaled(flat, sin(elevation), sn_vec3_make(0, 1, 0));
}

// The horizontal direction from the scene to the camera; where it looks straight up or down, the
// lower side of the picture.
static sn_vec3 camera_side(const sni_view *view) {
    sn_vec3 back = sn_vec3_make(-view->forward.x, 0, -view->forward.z);
    if (sn_vec3_length(back) < 1e-3) {
        back = sn_vec3_make(-view->up.x, 0, -view->up.z);
    }
    return sn_vec3_normalize_or(back, sn_vec3_make(0, 0, 1));
}

void sni_studio_init(const sn_picture_desc *desc, const sni_scene *scene, const sni_view *view,
                     sni_studio *studio) {
    sn_vec3 front = camera_side(view);
    *studio = (sni_studio){
        .scene = scene,
        .view = view,
        .key_direction = lamp_direction(front, key_azimuth, key_elevation),
        .rim_direction = lamp_direction(front, rim_azimuth, rim_elevation),
        .ground = desc->ground,
        .ground_height = desc->ground_height,
        .line_radius = fmax(0.5, view->height / 1800),
        .color_map = desc->color_map,
        .map_low = desc->map_low,
        .map_high = desc->map_high,
        .samples = desc->samples,
    };
    studio->key_side = sn_vec3_perpendicular(studio->key_direction);
    studio->key_over = sn_vec3_cross(studio->key_direction, studio->key_side);
    for (unsigned i = 0; i < 3; ++i) {
        studio->sky_slope[i] = sn_vec3_scale(front, sky_front[i]);
        studio->sky_slope[i].y += sky_rise[i];
    }
}

static sn_vec3 sky_light(const sni_studio *studio, sn_vec3 direction) {
    return sn_vec3_make(sky_mean[0] + sn_vec3_dot(studio->sky_slope[0], direction),
                        sky_mean[1] + sn_vec3_dot(studio->sky_slope[1], direction),
                        sky_mean[2] + sn_vec3_dot(studio->sky_slope[2], direction));
}

// The sky's light on an open surface: the cosine-weighted mean over its hemisphere.
static sn_vec3 sky_irradiance(const sni_studio *studio, sn_vec3 normal) {
    return sky_light(studio, sn_vec3_scale(normal, 2.0 / 3));
}

// How much of the light along `direction` is missing at `point`: all of it behind a surface; some
// of what the ground reflects where the point is close above it.
static double missing_light(const sni_studio *studio, sn_vec3 point, sn_vec3 direction) {
    if (sni_scene_blocked(studio->scene, point, direction, 0)) {
        return 1;
    }
    double above = point.y - studio->ground_height;
    if (!studio->ground || direction.y >= 0 || above < 0) {
        return 0;
    }
    double distance = above / -direction.y;
    double near = clamp01(distance / (ground_near * studio->scene->radius));
    return (1 - ground_near_light) * (1 - near);
}

// The mean of the light that is missing over the rays [first, first + count) of a sequence.
static sn_vec3 lost_light(const sni_studio *studio, sn_vec3 point, sn_vec3 normal, uint32_t seed,
                          uint32_t first, uint32_t count) {
    sn_vec3 lost = {0, 0, 0};
    for (uint32_t i = first; i < first + count; ++i) {
        double u, v;
        sni_sample_square(i, seed, &u, &v);
        sn_vec3 direction = sni_sample_cosine(normal, u, v);
        double missing = missing_light(studio, point, direction);
        if (missing > 0) {
            lost = sn_vec3_add_scaled(lost, missing, sky_light(studio, direction));
        }
    }
    return sn_vec3_scale(lost, 1.0 / count);
}

sn_vec3 sni_shade_sky(const sni_studio *studio, sn_vec3 point, sn_vec3 normal,
                      const sni_sampler *sampler) {
    uint32_t rays = sampler->rays;
    if (rays == 0) {
        return sn_vec3_make(1, 1, 1);
    }
    sn_vec3 open = sky_irradiance(studio, normal);
    sn_vec3 lost = lost_light(studio, point, normal, sampler->seed, sampler->sample * rays, rays);
    if (lost.y > dark_cavity * open.y) {
        uint32_t more = (cavity_rays - 1) * rays;
        sn_vec3 again = lost_light(studio, point, normal, sni_hash(sampler->seed, 0x6461),
                                   sampler->sample * more, more);
        lost = sn_vec3_lerp(again, lost, 1.0 / cavity_rays);
    }
    return sn_vec3_make(clamp01(1 - lost.x / open.x), clamp01(1 - lost.y / open.y),
                        clamp01(1 - lost.z / open.z));
}

// Rays to the key lamp for each sample: fewer than to the sky, which is larger.
static uint32_t key_rays(const sni_sampler *sampler) {
    return sampler->rays > 2 ? (sampler->rays + 1) / 2 : 1;
}

static sn_vec3 key_sample(const sni_studio *studio, const sni_sampler *sampler, uint32_t index) {
    double u, v, x, y;
    sni_sample_square(index, sni_hash(sampler->seed, 0x6b65), &u, &v);
    sni_sample_disc(u, v, &x, &y);
    sn_vec3 direction = studio->key_direction;
    direction = sn_vec3_add_scaled(direction, key_radius * x, studio->key_side);
    direction = sn_vec3_add_scaled(direction, key_radius * y, studio->key_over);
    return sn_vec3_normalize_or(direction, studio->key_direction);
}

double sni_shade_key(const sni_studio *studio, sn_vec3 point, double near,
                     const sni_sampler *sampler) {
    uint32_t count = key_rays(sampler), seen = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 direction = key_sample(studio, sampler, sampler->sample * count + i);
        seen += !sni_scene_blocked(studio->scene, point, direction, near);
    }
    return (double)seen / count;
}

// ---------------------------------------------------------------------------------------------
// Ground

// What see-through surfaces let pass.
static double sheer_passage(const sni_scene *scene, sn_vec3 origin, sn_vec3 direction) {
    double passage = 1;
    double near = 0;
    while (scene->sheer != NULL && passage > 0.01) {
        sni_ray_hit hit;
        sni_scene_cast_sheer(scene, origin, direction, near, INFINITY, &hit);
        if (hit.surface == SN_NONE) {
            break;
        }
        passage *= 1 - scene->surfaces[hit.surface].drawable->opacity;
        near = nextafterf((float)hit.distance, INFINITY);
    }
    return passage;
}

static double passage(const sni_scene *scene, sn_vec3 origin, sn_vec3 direction) {
    return sni_scene_blocked(scene, origin, direction, 0) ? 0
                                                          : sheer_passage(scene, origin, direction);
}

double sni_shade_ground(const sni_studio *studio, sn_vec3 point, const sni_sampler *sampler) {
    const sni_scene *scene = studio->scene;
    double x = point.x - scene->center.x, z = point.z - scene->center.z;
    double away = sqrt(x * x + z * z) / scene->radius;
    double strength =
        ground_strength * (1 - sni_smooth_step_between(ground_fade_begin, ground_fade_end, away));
    if (scene->empty || strength <= 0) {
        return 1;
    }
    sn_vec3 start = sn_vec3_make(point.x, point.y + scene->clearance, point.z);
    double sky = 0, key = 0;
    for (uint32_t i = 0; i < sampler->rays; ++i) {
        double u, v;
        sni_sample_square(i, sampler->seed, &u, &v);
        sky += passage(scene, start, sni_sample_cosine(sn_vec3_make(0, 1, 0), u, v));
    }
    sky = sampler->rays > 0 ? sky / sampler->rays : 1;
    uint32_t key_count = key_rays(sampler);
    for (uint32_t i = 0; i < key_count; ++i) {
        key += passage(scene, start, key_sample(studio, sampler, i));
    }
    key /= key_count;
    return 1 - strength * (1 - ground_key_part * key - (1 - ground_key_part) * sky);
}

// ---------------------------------------------------------------------------------------------
// Surfaces

// A place on a surface, turned so that the viewer is on its front.
typedef struct place {
    const sni_surface *surface;
    const look *look;
    sn_vec3 point;
    sn_vec3 start; // of rays that leave it
    sn_vec3 normal;
    sn_vec3 to_viewer;
    double facing; // cosine between normal and viewer
    bool behind;   // the viewer sees the face's back
    bool two_sided;
    sn_vec3 albedo;
    double roughness;
    double alpha; // of a material that blends
} place;

static sn_vec3 corner_normal(const sni_surface *surface, uint32_t vertex, sn_vec3 face_normal) {
    sn_vec3 normal = sn_vec3_load(&surface->normals[3 * (size_t)vertex]);
    double smooth =
        sni_smooth_step_between(crease_sharp, crease_smooth, sn_vec3_dot(normal, face_normal));
    return sn_vec3_normalize_or(sn_vec3_lerp(face_normal, normal, smooth), face_normal);
}

// A smooth normal may turn away from the viewer at rims of coarse meshes: bends it back until the
// surface is just seen.
static sn_vec3 face_viewer(sn_vec3 normal, sn_vec3 to_viewer) {
    const double least = 0.02;
    double facing = sn_vec3_dot(normal, to_viewer);
    return facing >= least ? normal
                           : sn_vec3_normalize_or(
                                 sn_vec3_add_scaled(normal, least - facing, to_viewer), to_viewer);
}

static void place_normals(place *at, const sni_ray_hit *hit, double clearance) {
    const uint32_t *vertices = &at->surface->triangles->vertices[3 * (size_t)hit->triangle];
    sn_vec3 corners[3], normals[3];
    double side = at->behind ? -1 : 1;
    sn_vec3 normal = {0, 0, 0};
    for (unsigned i = 0; i < 3; ++i) {
        corners[i] = sn_vec3_load(&at->surface->positions[3 * (size_t)vertices[i]]);
        normals[i] = sn_vec3_scale(corner_normal(at->surface, vertices[i], hit->face_normal), side);
        at->point = sn_vec3_add_scaled(at->point, hit->barycentric[i], corners[i]);
        normal = sn_vec3_add_scaled(normal, hit->barycentric[i], normals[i]);
    }
    sn_vec3 face = sn_vec3_scale(hit->face_normal, side);
    at->normal = face_viewer(sn_vec3_normalize_or(normal, face), at->to_viewer);
    at->facing = sn_vec3_dot(at->normal, at->to_viewer);
    at->start = sn_vec3_add_scaled(at->point, clearance, face);
    // Hanika 2021: lifted to the mean of the projections onto the corners' tangent planes.
    for (unsigned i = 0; i < 3; ++i) {
        double depth = sn_vec3_dot(sn_vec3_sub(at->point, corners[i]), normals[i]);
        if (depth < 0) {
            at->start = sn_vec3_add_scaled(at->start, -depth * hit->barycentric[i], normals[i]);
        }
    }
}

static sn_vec3 mapped_color(const sni_studio *studio, const place *at, const sni_ray_hit *hit) {
    const uint32_t *vertices = &at->surface->triangles->vertices[3 * (size_t)hit->triangle];
    double value = 0;
    for (unsigned i = 0; i < 3; ++i) {
        value += hit->barycentric[i] * at->surface->drawable->values[vertices[i]];
    }
    return sni_color_map(studio->color_map,
                         (value - studio->map_low) / (studio->map_high - studio->map_low));
}

// The vertices' own colours; files may hold what no surface reflects.
static sn_vec3 painted_color(const sn_attribute *colors, const place *at, const sni_ray_hit *hit) {
    const uint32_t *vertices = &at->surface->triangles->vertices[3 * (size_t)hit->triangle];
    sn_vec3 color = {0, 0, 0};
    for (unsigned i = 0; i < 3; ++i) {
        const float *value = &colors->values[(size_t)vertices[i] * colors->width];
        color = sn_vec3_add_scaled(color, hit->barycentric[i], sn_vec3_load(value));
    }
    color = sn_vec3_max(color, sn_vec3_make(0, 0, 0));
    return sn_vec3_min(color, sn_vec3_make(1, 1, 1));
}

// Takes over the surface's own material and colours, where there are some.
static void put_coat(const sni_studio *studio, const sni_ray_hit *hit, place *at) {
    const sni_view *view = studio->view;
    double depth = view->flat > 0 ? view->flat : hit->distance;
    sni_spot spot = {.triangles = at->surface->triangles,
                     .triangle = hit->triangle,
                     .barycentric = hit->barycentric,
                     .positions = at->surface->positions,
                     .spacing = depth / (view->focal * studio->samples)};
    sni_coat coat = sni_appearance_at(at->surface->drawable->appearance, &spot);
    if (!coat.colored) {
        return;
    }
    at->albedo = coat.color;
    if (coat.material) { // no longer skin that light passes through
        at->look = &looks[SN_LOOK_PLAIN];
        at->roughness = coat.roughness;
        at->alpha = coat.alpha;
        at->two_sided = at->two_sided || coat.two_sided;
    }
}

static place place_of(const sni_studio *studio, const sni_ray_hit *hit, sn_vec3 direction) {
    const sni_surface *surface = &studio->scene->surfaces[hit->surface];
    const sn_drawable *drawable = surface->drawable;
    place at = {
        .surface = surface,
        .look = drawable->values != NULL ? &valued_look : &looks[drawable->look],
        .to_viewer = sn_vec3_scale(direction, -1),
        .behind = sn_vec3_dot(hit->face_normal, direction) > 0,
        .two_sided = drawable->two_sided,
        .alpha = 1,
    };
    place_normals(&at, hit, studio->scene->clearance);
    at.albedo = vec3_of(at.look->color);
    at.roughness = at.look->roughness;
    if (drawable->values != NULL) {
        at.albedo = mapped_color(studio, &at, hit);
    } else if (drawable->colors != NULL) {
        at.albedo = painted_color(drawable->colors, &at, hit);
    } else if (drawable->base_color != NULL) {
        at.albedo = sn_vec3_load(drawable->base_color);
    } else if (drawable->appearance != NULL) {
        put_coat(studio, hit, &at);
    }
    if (at.behind && drawable->opacity == 1 && !at.two_sided) {
        sn_vec3 tint = vec3_of(behind_tint);
        at.albedo = sn_vec3_lerp(sn_vec3_multiply(at.albedo, tint), sn_vec3_scale(tint, 0.45), 0.7);
    }
    return at;
}

// Jimenez et al. 2016, eq. 9: visibility with the light that the cavity itself reflects.
static double with_bounces(double visibility, double albedo) {
    double a = 2.0404 * albedo - 0.3324;
    double b = -4.7951 * albedo + 0.6417;
    double c = 2.7552 * albedo + 0.6903;
    return fmax(visibility, ((visibility * a + b) * visibility + c) * visibility);
}

static sn_vec3 diffuse_light(const sni_studio *studio, const place *at, sn_vec3 sky, double key) {
    double cosine = sn_vec3_dot(at->normal, studio->key_direction);
    // A large lamp still reaches a little past the horizon.
    double lit = clamp01((cosine + key_radius / 2) / (1 + key_radius / 2)) * key;
    double rim = clamp01(sn_vec3_dot(at->normal, studio->rim_direction));
    sn_vec3 open = sky_irradiance(studio, at->normal);
    double result[3];
    for (unsigned i = 0; i < 3; ++i) {
        double albedo = channel(at->albedo, i);
        double visibility = least_sky + (1 - least_sky) * channel(sky, i);
        result[i] = albedo * (key_color[i] * pow(lit, at->look->falloff[i]) +
                              channel(open, i) * with_bounces(visibility, albedo) +
                              rim_color[i] * rim * visibility * visibility);
    }
    return vec3_of(result);
}

static double ggx(double cosine, double alpha) {
    double a2 = alpha * alpha;
    double d = cosine * cosine * (a2 - 1) + 1;
    return a2 / (SN_PI * d * d);
}

static double schlick(double reflectance, double cosine) {
    double m = clamp01(1 - cosine);
    return reflectance + (1 - reflectance) * m * m * m * m * m;
}

// The highlight of a lamp in `direction`, for light 1 (as diffuse_light counts it).
static double highlight(const place *at, sn_vec3 direction, double roughness) {
    double cosine = sn_vec3_dot(at->normal, direction);
    if (cosine <= 0) {
        return 0;
    }
    sn_vec3 half = sn_vec3_normalize_or(sn_vec3_add(direction, at->to_viewer), at->normal);
    double alpha = roughness * roughness;
    double shape = ggx(clamp01(sn_vec3_dot(at->normal, half)), alpha);
    double fresnel = schlick(at->look->reflectance, sn_vec3_dot(half, direction));
    // Smith's shadowing in the form of Karis (2013), which includes 1 / (4 nl nv).
    double k = alpha / 2;
    double smith = 0.25 / ((cosine * (1 - k) + k) * (at->facing * (1 - k) + k));
    return SN_PI * shape * fresnel * smith * cosine;
}

// What a shiny surface mirrors: lamps and sky.
static sn_vec3 mirrored_light(const sni_studio *studio, const place *at, sn_vec3 sky, double key) {
    double open = (sky.x + sky.y + sky.z) / 3;
    double roughness = sqrt(at->roughness * at->roughness + key_radius / 4);
    double key_part = highlight(at, studio->key_direction, roughness) * key;
    double rim_part = highlight(at, studio->rim_direction, roughness) * open * open;
    sn_vec3 mirrored =
        sn_vec3_add_scaled(sn_vec3_scale(at->to_viewer, -1), 2 * at->facing, at->normal);
    double smooth = 1 - at->roughness;
    // A rough surface mirrors less at the rim, and cavities are not seen by the sky.
    double fresnel =
        at->look->reflectance + (fmax(smooth, at->look->reflectance) - at->look->reflectance) *
                                    pow(clamp01(1 - at->facing), 5);
    double lamp = overhead_light * smooth * sni_smooth_step_between(0.55, 0.85, mirrored.y);
    sn_vec3 around = sky_light(studio, mirrored);
    double result[3];
    for (unsigned i = 0; i < 3; ++i) {
        result[i] = key_color[i] * key_part + rim_color[i] * rim_part +
                    (channel(around, i) + lamp) * fresnel * open * open;
    }
    return vec3_of(result);
}

static double roll_off(double x) {
    return x <= shoulder ? x
                         : shoulder + (1 - shoulder) * (1 - exp((shoulder - x) / (1 - shoulder)));
}

// ---------------------------------------------------------------------------------------------
// Wireframe

static bool is_polygon_edge(const sn_mesh *mesh, uint32_t face, uint32_t a, uint32_t b) {
    uint32_t first = mesh->face_offsets[face], end = mesh->face_offsets[face + 1];
    uint32_t after_a = a + 1 < end ? a + 1 : first;
    uint32_t after_b = b + 1 < end ? b + 1 : first;
    return after_a == b || after_b == a;
}

// How far, in pixels, the point (x, y) of the picture plane is from the segment of two points in
// the camera's axes. A segment that reaches behind the eye counts as its whole line: the line
// through two points in homogeneous coordinates is their cross product.
static double edge_distance(double focal, sn_vec3 a, sn_vec3 b, double x, double y) {
    if (a.z <= 0 || b.z <= 0) {
        sn_vec3 line = sn_vec3_cross(a, b);
        double across = hypot(line.x, line.y);
        return across > 0 ? fabs(line.x * x + line.y * y + line.z * focal) / across : INFINITY;
    }
    double ax = focal * a.x / a.z, ay = focal * a.y / a.z;
    double dx = focal * b.x / b.z - ax, dy = focal * b.y / b.z - ay;
    double square = dx * dx + dy * dy;
    double t = square > 0 ? clamp01(((x - ax) * dx + (y - ay) * dy) / square) : 0;
    return hypot(x - ax - t * dx, y - ay - t * dy);
}

// How far the corner c is from the edge a b on screen: about the distance to the next line. Not
// known where the triangle reaches behind the eye, which is then near.
static double line_spacing(double focal, sn_vec3 a, sn_vec3 b, sn_vec3 c) {
    if (a.z <= 0 || b.z <= 0 || c.z <= 0) {
        return INFINITY;
    }
    double ax = focal * a.x / a.z, ay = focal * a.y / a.z;
    double bx = focal * b.x / b.z - ax, by = focal * b.y / b.z - ay;
    double cx = focal * c.x / c.z - ax, cy = focal * c.y / c.z - ay;
    double length = hypot(bx, by);
    return length > 0 ? fmin(length, fabs(bx * cy - by * cx) / length) : 0;
}

// How much of the sample is covered by lines, 0 to 1.
static double line_coverage(const sni_studio *studio, const sni_surface *surface, uint32_t triangle,
                            const sni_sampler *sampler) {
    const sni_view *view = studio->view;
    const uint32_t *vertices = &surface->triangles->vertices[3 * (size_t)triangle];
    const uint32_t *corners = &surface->triangles->corners[3 * (size_t)triangle];
    uint32_t face = surface->triangles->faces[triangle];
    double x = sampler->x - view->width / 2, y = view->height / 2 - sampler->y;
    sn_vec3 points[3];
    for (unsigned i = 0; i < 3; ++i) {
        points[i] =
            sni_view_local(view, sn_vec3_load(&surface->positions[3 * (size_t)vertices[i]]));
    }
    double coverage = 0;
    for (unsigned i = 0; i < 3; ++i) {
        unsigned j = (i + 1) % 3, k = (i + 2) % 3;
        if (!is_polygon_edge(surface->drawable->mesh, face, corners[i], corners[j])) {
            continue;
        }
        double distance = edge_distance(view->focal, points[i], points[j], x, y);
        double spacing = line_spacing(view->focal, points[i], points[j], points[k]);
        coverage = fmax(coverage, clamp01(studio->line_radius + 0.5 - distance) *
                                      sni_smooth_step_between(line_hidden, line_full, spacing));
    }
    return coverage * line_strength;
}

// ---------------------------------------------------------------------------------------------

// Beer's law through a thin layer: the way through it grows with the slant, so that rims are more
// opaque.
static double layer_alpha(const place *at) {
    double opacity = at->surface->drawable->opacity;
    if (opacity == 1) {
        return at->alpha;
    }
    double alpha = at->alpha * (1 - pow(1 - opacity, 1 / fmax(at->facing, steepest_layer)));
    return at->behind ? behind_sheer * alpha : alpha;
}

sni_shade sni_shade_surface(const sni_studio *studio, const sni_ray_hit *hit, sn_vec3 direction,
                            const sni_sampler *sampler) {
    place at = place_of(studio, hit, direction);
    sni_sampler here = *sampler;
    // Decorrelates the layers of one pixel.
    here.seed = sni_hash(sampler->seed, hit->surface);
    double opacity = layer_alpha(&at);
    if (opacity < 1) {
        here.rays = (sampler->rays + 3) / 4;
    }
    sn_vec3 sky = sni_shade_sky(studio, at.start, at.normal, &here);
    if (at.behind) { // inside a closed surface it would be night
        sky = sn_vec3_lerp(sky, sn_vec3_make(1, 1, 1), behind_light);
    }
    double key = 0;
    if (sn_vec3_dot(at.normal, studio->key_direction) > -key_radius) {
        key = sni_shade_key(studio, at.start, at.look->scatter * studio->scene->radius, &here);
    }
    sn_vec3 color =
        sn_vec3_add(diffuse_light(studio, &at, sky, key), mirrored_light(studio, &at, sky, key));
    sni_shade shade = {
        .color = sn_vec3_make(roll_off(color.x), roll_off(color.y), roll_off(color.z)),
        .alpha = opacity,
    };
    if (at.surface->drawable->wireframe) {
        double line = line_coverage(studio, at.surface, hit->triangle, sampler);
        // The line over the layer, both as colours that are mixed by their alpha.
        double alpha = line + (1 - line) * shade.alpha;
        shade.color = sn_vec3_lerp(shade.color, vec3_of(line_color), alpha > 0 ? line / alpha : 0);
        shade.alpha = alpha;
    }
    return shade;
}
