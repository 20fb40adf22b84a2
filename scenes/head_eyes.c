// SPDX-License-Identifier: Apache-2.0
//
// Eyeballs: a ball with the bulge of the cornea in front, painted with iris and pupil.
#include "scenes/head_shape.h"

enum { SIDES = 40, RINGS = 22 };

// Rings about the axis of sight, degrees from it: pupil to 10, iris to 28.5, limbus to 31.
static const double ring_deg[RINGS] = {5,  9.2, 10.2, 12, 14.5, 17, 20, 23, 26,  28.2, 29.6,
                                       31, 33,  37,   43, 52,   64, 80, 98, 118, 140,  160};
enum { PUPIL_RINGS = 2, IRIS_RINGS = 10, LIMBUS_RINGS = 11 };

scn_head_eye scn_head_eyeball(void) {
    return (scn_head_eye){{31.6, 35.0, 81.6}, 12.1};
}

// The cornea is the part of another, smaller ball that stands out of the eyeball; with sines in
// place of angles: height 1 mm in the middle, none at 33 degrees (sine 0.545) from the axis.
double scn_head_eye_height(sn_vec3 direction) {
    const double height = 1.0, edge = 0.545;
    scn_head_eye eye = scn_head_eyeball();
    double along = direction.z / sn_vec3_length(direction), t = (1 - along * along) / (edge * edge);
    return eye.radius + (along > 0 && t < 1 ? height * (1 - t) * (1 - t) : 0);
}

// A number from 0 to 1 that looks random.
static double noise(uint32_t a, uint32_t b) {
    uint32_t h = a * 2654435761u ^ (b + 0x9e37u) * 2246822519u;
    h = (h ^ h >> 15) * 2654435761u;
    return (double)(h >> 8) / (1 << 24);
}

static void mix(const float from[3], const float to[3], double t, float result[3]) {
    for (int k = 0; k < 3; ++k) {
        result[k] = (float)(from[k] + t * (to[k] - from[k]));
    }
}

// Linear colours. The iris is amber around the pupil and grey-green outside, with darker rays.
static void eye_color(uint32_t ring, uint32_t side, float color[3]) {
    static const float pupil[3] = {0.004f, 0.004f, 0.005f}, amber[3] = {0.200f, 0.115f, 0.045f};
    static const float green[3] = {0.105f, 0.115f, 0.078f}, limbus[3] = {0.040f, 0.042f, 0.038f};
    static const float white[3] = {0.680f, 0.640f, 0.600f}, red[3] = {0.560f, 0.330f, 0.280f};
    if (ring < PUPIL_RINGS) {
        mix(pupil, pupil, 0, color);
    } else if (ring < IRIS_RINGS) {
        double t = (double)(ring - PUPIL_RINGS) / (IRIS_RINGS - 1 - PUPIL_RINGS);
        double dark = ring == PUPIL_RINGS ? 0.5 : 0.65 + 0.5 * noise(ring / 3, side);
        mix(amber, green, scn_smooth_step(0.1, 0.6, t), color);
        mix(color, limbus, scn_smooth_step(0.7, 1.05, t), color);
        mix(pupil, color, dark, color);
    } else if (ring < LIMBUS_RINGS) {
        mix(limbus, white, 0.25, color);
    } else {
        double deg = ring_deg[ring];
        mix(limbus, white, scn_smooth_step(29, 33.5, deg), color);
        mix(color, red, 0.7 * scn_smooth_step(40, 100, deg), color);
    }
}

static sn_vec3 eye_point(scn_head_eye eye, double degrees, uint32_t side) {
    scn_turn down = scn_turn_from_deg(degrees), turn = scn_turn_from_deg(-360.0 * side / SIDES);
    sn_vec3 direction = {down.sine * turn.sine, down.sine * turn.cosine, down.cosine};
    double r = scn_head_eye_height(direction);
    return sn_vec3_scale(sn_vec3_add_scaled(eye.center, r, direction), SCN_MM);
}

static void add_rings(scn_builder *b, scn_head_eye eye) {
    uint32_t last[SIDES], next[SIDES];
    uint32_t pole = scn_builder_vertex(b, eye_point(eye, 0, 0), 0, 0);
    for (uint32_t ring = 0; ring < RINGS; ++ring) {
        for (uint32_t i = 0; i < SIDES; ++i) {
            next[i] = scn_builder_vertex(b, eye_point(eye, ring_deg[ring], i), ring, i);
        }
        for (uint32_t i = 0; i < SIDES; ++i) {
            uint32_t j = (i + 1) % SIDES;
            if (ring == 0) {
                scn_builder_polygon(b, (const uint32_t[]){pole, next[i], next[j]}, 3);
            } else {
                scn_builder_quad(b, last[i], next[i], next[j], last[j]);
            }
        }
        for (uint32_t i = 0; i < SIDES; ++i) {
            last[i] = next[i];
        }
    }
    for (uint32_t i = 0; i < SIDES; ++i) {
        next[i] = last[SIDES - 1 - i];
    }
    scn_builder_polygon(b, next, SIDES);
}

sn_status scn_head_eye_mesh(sn_context *context, bool left, sn_mesh **mesh, sn_error *error) {
    scn_builder b;
    sn_attribute *colors = NULL;
    sn_status status = SN_OK;
    *mesh = NULL;
    scn_builder_init(&b);
    add_rings(&b, scn_head_eyeball());
    SN_TRY(scn_builder_finish(&b, context, left ? "eyeball.L" : "eyeball.R", mesh, error));
    if (!left) {
        scn_mesh_mirror(*mesh);
    }
    SN_TRY(scn_paint(*mesh, "eye", 1, 1, 1, 0.08f, error));
    (*mesh)->materials[0].has_color = true;
    SN_TRY(sn_mesh_add_attribute(*mesh, "color", 3, b.vertex_count, false, &colors, error));
    for (uint32_t i = 0; i < b.vertex_count; ++i) {
        eye_color(b.vertices[i].tag, (uint32_t)b.vertices[i].along, colors->values + 3 * (size_t)i);
    }
cleanup:
    scn_builder_deinit(&b);
    return status;
}
