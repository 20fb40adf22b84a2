// SPDX-License-Identifier: Apache-2.0
//
// Light on surfaces: a studio that turns with the camera.
#ifndef SINEW_RENDER_SHADE_H
#define SINEW_RENDER_SHADE_H

#include "render/camera.h"
#include "render/scene.h"

typedef struct sni_studio {
    const sni_scene *scene;
    const sni_view *view;
    sn_vec3 key_direction;      // unit, towards a large lamp on the camera's left
    sn_vec3 key_side, key_over; // unit, across it
    sn_vec3 rim_direction;      // unit, towards a lamp behind the scene, on the right
    sn_vec3 sky_slope[3];       // per channel, see sky_light
    bool ground;
    double ground_height;
    double line_radius; // pixels: half the width of wireframe lines
    sn_color_map color_map;
    double map_low, map_high;
    double samples; // along a pixel's side
} sni_studio;

// Where in the picture a colour is wanted, and with how many rays.
typedef struct sni_sampler {
    double x, y;     // pixels
    uint32_t seed;   // of the pixel
    uint32_t sample; // within the pixel
    uint32_t rays;   // ambient occlusion rays per sample; 0: all is open to the sky
} sni_sampler;

typedef struct sni_shade {
    sn_vec3 color; // 0 to 1
    double alpha;  // 0 to 1: how much it hides of what is behind
} sni_shade;

void sni_studio_init(const sn_picture_desc *desc, const sni_scene *scene, const sni_view *view,
                     sni_studio *studio);

// The part of the sky's light that reaches a point with this normal, per channel: 1 under open sky.
sn_vec3 sni_shade_sky(const sni_studio *studio, sn_vec3 point, sn_vec3 normal,
                      const sni_sampler *sampler);

// The part of the key lamp that a point sees, of what lies farther away than `near`.
double sni_shade_key(const sni_studio *studio, sn_vec3 point, double near,
                     const sni_sampler *sampler);

// The light on a point of the ground in proportion to open ground: 1 without shadow.
double sni_shade_ground(const sni_studio *studio, sn_vec3 point, const sni_sampler *sampler);

// The surface where the ray along `direction` hit it.
sni_shade sni_shade_surface(const sni_studio *studio, const sni_ray_hit *hit, sn_vec3 direction,
                            const sni_sampler *sampler);

#endif
