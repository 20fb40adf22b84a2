// SPDX-License-Identifier: Apache-2.0
#include "bench/body.h"

#include <string.h>

enum { RINGS = 6, SEGMENTS = 16 };
_Static_assert(SNB_CAPSULE_VERTICES == RINGS * SEGMENTS + 2, "rings and two poles");

static void add(snb_body *body, const sni_solid *solid) {
    SN_ASSERT(body->count < SNB_BODY_MOST);
    body->solids[body->count++] = *solid;
}

static sn_quat along(sn_vec3 from, sn_vec3 to) {
    sn_vec3 way = sn_vec3_normalize_or(sn_vec3_sub(to, from), sn_vec3_make(0, 1, 0));
    return sn_quat_between(sn_vec3_make(0, 1, 0), way);
}

static void add_ellipsoid(snb_body *body, const char *name, double value, sn_vec3 centre,
                          sn_vec3 radii, sn_quat turn) {
    sn_transform transform = {centre, turn, radii};
    sni_solid solid = {
        .name = name, .value = value, .ellipsoid = sn_mat4_from_transform(&transform)};
    add(body, &solid);
}

// A row of `count` ellipsoids that overlap, with radii from `thick` to `thin`.
static void add_chain(snb_body *body, const char *name, sn_vec3 from, sn_vec3 to, double thick,
                      double thin, int count) {
    double half = 0.75 * sn_vec3_distance(from, to) / count;
    for (int i = 0; i < count; ++i) {
        double t = (i + 0.5) / count, radius = thick + t * (thin - thick);
        add_ellipsoid(body, name, SNI_DENSITY_VALUE, sn_vec3_lerp(from, to, t),
                      sn_vec3_make(radius, fmax(half, radius), radius), along(from, to));
    }
}

// A tube of 4 rings with a ring and a pole at each end.
static void add_capsule(snb_body *body, const char *name, sn_vec3 from, sn_vec3 to, double radius) {
    static const double heights[RINGS] = {-0.7, 0, 0.33, 0.66, 1, 0.7};
    SN_ASSERT(body->capsule_count < SNB_CAPSULES_MOST);
    float *p = body->positions[body->capsule_count++];
    sn_quat turn = along(from, to);
    sn_vec3 axis = sn_vec3_sub(to, from);
    sn_vec3 up = sn_vec3_scale(sn_vec3_normalize_or(axis, sn_vec3_make(0, 1, 0)), radius);
    for (int ring = 0; ring < RINGS; ++ring) {
        bool is_end = ring == 0 || ring == RINGS - 1;
        sn_vec3 centre = sn_vec3_add_scaled(from, is_end ? ring > 0 : heights[ring], axis);
        centre = sn_vec3_add_scaled(centre, ring == 0 ? -0.7 : is_end ? 0.7 : 0, up);
        for (int s = 0; s < SEGMENTS; ++s, p += 3) {
            double angle = 2 * SN_PI * s / SEGMENTS, r = radius * (is_end ? 0.7 : 1);
            sn_vec3 out = sn_quat_rotate(turn, sn_vec3_make(r * sin(angle), 0, r * cos(angle)));
            sn_vec3_store(sn_vec3_add(centre, out), p);
        }
    }
    sn_vec3_store(sn_vec3_sub(from, up), p);
    sn_vec3_store(sn_vec3_add(to, up), p + 3);
    sni_solid solid = {.name = name,
                       .value = SNI_DENSITY_VALUE,
                       .positions = p - 3 * (ptrdiff_t)(RINGS * SEGMENTS),
                       .vertex_count = SNB_CAPSULE_VERTICES,
                       .vertices = body->vertices,
                       .triangle_count = 2 * RINGS * SEGMENTS};
    add(body, &solid);
}

static void make_capsule_triangles(uint32_t *to) {
    const uint32_t low = RINGS * SEGMENTS, high = low + 1, top = (RINGS - 1) * SEGMENTS;
    for (uint32_t s = 0; s < SEGMENTS; ++s) {
        uint32_t t = (s + 1) % SEGMENTS;
        for (uint32_t ring = 0; ring + 1 < RINGS; ++ring) {
            uint32_t a = ring * SEGMENTS + s, b = ring * SEGMENTS + t;
            const uint32_t quad[6] = {a, b, b + SEGMENTS, a, b + SEGMENTS, a + SEGMENTS};
            memcpy(to, quad, sizeof quad);
            to += 6;
        }
        const uint32_t caps[6] = {low, t, s, high, top + s, top + t};
        memcpy(to, caps, sizeof caps);
        to += 6;
    }
}

// An arm or a leg, with five fingers or toes of three joints each that are spread along `aside`.
// Hands and feet are large, as the paper enlarges them to keep their detail (section 5.3).
static void add_limb(snb_body *body, sn_vec3 root, sn_vec3 middle, sn_vec3 end, sn_vec3 tip,
                     sn_vec3 aside, double thick) {
    add_chain(body, "upper", root, middle, thick, 0.7 * thick, 6);
    add_chain(body, "lower", middle, end, 0.7 * thick, 0.45 * thick, 6);
    add_capsule(body, "upper bone", root, middle, 0.3 * thick);
    add_capsule(body, "lower bone", middle, end, 0.25 * thick);
    sn_vec3 palm = sn_vec3_lerp(end, tip, 0.45);
    add_chain(body, "palm", end, palm, 0.6 * thick, 0.8 * thick, 2);
    for (int i = 0; i < 5; ++i) {
        sn_vec3 base = sn_vec3_add_scaled(palm, 0.02 * (i - 2), aside);
        sn_vec3 far = sn_vec3_add_scaled(tip, 0.045 * (i - 2), aside);
        add_chain(body, "finger", base, far, 0.25 * thick, 0.2 * thick, 3);
    }
}

void snb_body_init(snb_body *body) {
    memset(body, 0, sizeof *body);
    make_capsule_triangles(body->vertices);
    sn_quat straight = sn_quat_identity();
    add_chain(body, "trunk", sn_vec3_make(0, 0.0, 0), sn_vec3_make(0, 0.36, 0.02), 0.06, 0.085, 12);
    add_chain(body, "neck", sn_vec3_make(0, 0.36, 0.02), sn_vec3_make(0, 0.44, 0.03), 0.05, 0.045,
              2);
    add_capsule(body, "spine", sn_vec3_make(0, 0, -0.03), sn_vec3_make(0, 0.4, -0.02), 0.02);
    add_ellipsoid(body, "skull", SNI_DENSITY_VALUE, sn_vec3_make(0, 0.5, 0.03),
                  sn_vec3_make(0.085, 0.09, 0.1), straight);
    add_ellipsoid(body, "muzzle", SNI_DENSITY_VALUE, sn_vec3_make(0, 0.47, 0.13),
                  sn_vec3_make(0.045, 0.04, 0.055), straight);
    for (int side = -1; side <= 1; side += 2) {
        add_ellipsoid(body, "ear", SNI_DENSITY_VALUE, sn_vec3_make(0.1 * side, 0.51, 0.02),
                      sn_vec3_make(0.015, 0.045, 0.03), straight);
        add_ellipsoid(body, "eye", -100, sn_vec3_make(0.035 * side, 0.53, 0.125),
                      sn_vec3_make(0.025, 0.025, 0.03), straight);
        add_limb(body, sn_vec3_make(0.09 * side, 0.33, 0), sn_vec3_make(0.2 * side, 0.24, 0),
                 sn_vec3_make(0.3 * side, 0.12, 0.02), sn_vec3_make(0.4 * side, 0, 0.04),
                 sn_vec3_make(0, 0, 1), 0.05);
        add_limb(body, sn_vec3_make(0.06 * side, 0, 0), sn_vec3_make(0.14 * side, -0.15, 0.05),
                 sn_vec3_make(0.14 * side, -0.3, -0.02), sn_vec3_make(0.16 * side, -0.34, 0.14),
                 sn_vec3_make(1, 0, 0), 0.055);
    }
    add_chain(body, "tail", sn_vec3_make(0, 0.0, -0.05), sn_vec3_make(0.05, -0.25, -0.4), 0.02,
              0.012, 13);
}
