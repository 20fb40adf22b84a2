// SPDX-License-Identifier: Apache-2.0
#include "fit/head/lay.h"

#include "geometry/triangle.h"

#include <stdlib.h>
#include <string.h>

// Vertices of the coarse skin: edges of some 7 mm on a head with shoulders.
enum { COARSE_VERTICES = 2500, EAR_SAMPLES = 6000, LEAST_EAR = 12 };

// Ears are thinner than this and this far to the side of the middle, metres.
static const double ear_thickness = 0.016, ear_side = 0.05;

// Those of another head are looked for this far around, metres of the known one.
static const double ear_reach = 0.06;

// How strongly places of the profile, ears and given places hold, against 1 for a vertex.
static const double profile_strength = 6, ear_strength = 0.3, given_strength = 200;

// From a skin that moves nearly as one to one that follows details of its edges' size. The pins of
// profile and ears lead it there and fade.
static const sni_register_stage stages[] = {
    {.rounds = 10, .smoothing = 60, .stiffness = 20, .reach = 0.04, .least_dot = 0.3, .pins = 1},
    {.rounds = 10, .smoothing = 30, .stiffness = 10, .reach = 0.03, .least_dot = 0.4, .pins = 1},
    {.rounds = 10, .smoothing = 12, .stiffness = 5, .reach = 0.02, .least_dot = 0.5, .pins = 0.3},
    {.rounds = 10, .smoothing = 5, .stiffness = 2, .reach = 0.015, .least_dot = 0.5, .thin = 1},
    {.rounds = 8, .smoothing = 2, .stiffness = 1, .reach = 0.01, .least_dot = 0.5, .thin = 1},
};
enum { STAGES = sizeof stages / sizeof *stages };

// Closest places also hold sideways, by this part: the skin slides, but does not drift.
static const double sideways = 0.1;

// ---------------------------------------------------------------------------------------------
// Ears

// The means of thin places to the left and to the right, of a head that `pose` takes an upright
// one to, near where those of the upright one are; false where one side has none.
static sn_status find_ears(const sni_head_surface *surface, const sni_similarity *pose,
                           const sn_vec3 *near, sn_vec3 ears[2], bool *found, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 *points = NULL, *normals = NULL, sums[2] = {{0, 0, 0}, {0, 0, 0}};
    uint32_t counts[2] = {0, 0};
    sni_similarity back = sni_similarity_invert(pose);
    SNI_NEW(surface->context, points, EAR_SAMPLES);
    SNI_NEW(surface->context, normals, EAR_SAMPLES);
    SN_TRY(sni_head_surface_sample(surface, EAR_SAMPLES, points, normals, error));
    for (uint32_t i = 0; i < EAR_SAMPLES; ++i) {
        sn_vec3 upright = sni_similarity_point(&back, points[i]);
        if (fabs(upright.x) < ear_side ||
            (near != NULL && sn_vec3_distance(upright, near[upright.x < 0]) > ear_reach)) {
            continue;
        }
        sn_hit hit;
        sn_accel_cast(surface->accel, points[i], sn_vec3_scale(normals[i], -1), 1e-4 * pose->scale,
                      ear_thickness * pose->scale, &hit);
        if (hit.triangle != SN_NONE) {
            sn_vec3 behind = sni_head_surface_normal(surface, hit.triangle, hit.barycentric);
            if (sn_vec3_dot(behind, normals[i]) < -0.3) {
                int side = upright.x < 0;
                sums[side] = sn_vec3_add(sums[side], points[i]);
                ++counts[side];
            }
        }
    }
    *found = counts[0] >= LEAST_EAR && counts[1] >= LEAST_EAR;
    for (int side = 0; side < 2 && *found; ++side) {
        ears[side] = sn_vec3_scale(sums[side], 1.0 / counts[side]);
    }
cleanup:
    sni_free(surface->context, points);
    sni_free(surface->context, normals);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The known head

// The tip of the nose: what stands farthest forward near the middle, between the top of the head
// and its neck.
static void find_nose(sni_known_head *known) {
    const sni_head_surface *s = known->surface;
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        if (s->is_outer[v]) {
            sn_vec3 p = sn_vec3_load(s->positions + 3 * (size_t)v);
            low = sn_vec3_min(low, p);
            high = sn_vec3_max(high, p);
        }
    }
    double middle = (low.x + high.x) / 2;
    known->nose = sn_vec3_make(middle, 0, -INFINITY);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(s->positions + 3 * (size_t)v);
        // The tip is 13 to 17 cm below the top of the head.
        bool near = fabs(p.x - middle) < 0.02 && p.y > high.y - 0.22 && p.y < high.y - 0.07;
        if (s->is_outer[v] && near && p.z > known->nose.z) {
            known->nose = p;
            known->has_nose = true;
        }
    }
}

sn_status sni_known_head_create(const sn_mesh *mesh, double scale, sni_known_head **known,
                                sn_error *error) {
    sn_status status = SN_OK;
    sni_known_head *k = NULL;
    sni_similarity upright = sni_similarity_identity();
    sn_decimate_desc desc = sn_decimate_desc_default();
    *known = NULL;
    SNI_NEW_ZERO(mesh->context, k, 1);
    k->context = mesh->context;
    SN_TRY(sni_head_surface_create(mesh, scale, &k->surface, error));
    desc.positions = k->surface->positions;
    desc.vertex_count = k->surface->vertex_count;
    desc.vertices = k->surface->vertices;
    desc.triangle_count = k->surface->triangle_count;
    desc.target_vertices = COARSE_VERTICES;
    desc.regularity = 0.05;
    SN_TRY(sn_decimate(k->context, &desc, NULL, &k->coarse, error));
    SN_TRY(sn_accel_create(k->context, k->coarse->positions, k->coarse->vertex_count,
                           k->coarse->vertices, k->coarse->triangle_count, &k->coarse_accel,
                           error));
    find_nose(k);
    SN_TRY(find_ears(k->surface, &upright, NULL, k->ears, &k->has_ears, error));
    *known = k;
    k = NULL;
cleanup:
    sni_known_head_destroy(k);
    return status;
}

void sni_known_head_destroy(sni_known_head *k) {
    if (k != NULL) {
        sni_head_surface_destroy(k->surface);
        sn_decimated_destroy(k->coarse);
        sn_accel_destroy(k->coarse_accel);
        sni_free(k->context, k);
    }
}

// ---------------------------------------------------------------------------------------------
// Laying

typedef struct layer {
    const sni_lay_desc *desc;
    sni_laid_head *laid;
} layer;

static sn_status pin_place(const layer *l, sn_vec3 known, sn_vec3 other, double strength,
                           bool fades, sn_error *error) {
    const sni_known_head *k = l->desc->known;
    sn_closest closest;
    sn_accel_find_closest(k->coarse_accel, known, INFINITY, &closest);
    sni_pin pin = {.target = other, .strength = strength, .fades = fades};
    memcpy(pin.vertices, k->coarse->vertices + 3 * (size_t)closest.triangle, sizeof pin.vertices);
    memcpy(pin.weights, closest.barycentric, sizeof pin.weights);
    return sni_registration_pin(l->laid->registration, &pin, error);
}

static sn_status pin_profile(const layer *l, sn_error *error) {
    const sni_known_head *k = l->desc->known;
    sni_laid_head *laid = l->laid;
    sni_similarity upright = sni_similarity_identity();
    sni_profile known, other;
    sn_status status = SN_OK;
    laid->profile_difference = 1;
    if (!k->has_nose || !sni_profile_trace(k->surface, &upright, k->nose, &known) ||
        !sni_profile_trace(l->desc->other, &l->desc->pose, k->nose, &other)) {
        return SN_OK;
    }
    laid->profile_count = sni_profile_match(&known, &other, laid->profile);
    double sum = 0;
    for (uint32_t i = 0; i < laid->profile_count && status == SN_OK; ++i) {
        const sni_profile_pair *pair = &laid->profile[i];
        // Where the outlines differ by 0.3 radians they are not the same place.
        double trust = 1 - pair->difference / 0.3;
        sum += fmin(pair->difference, 1);
        if (trust > 0) {
            status = pin_place(l, pair->known, pair->other, trust * profile_strength, true, error);
        }
    }
    laid->profile_difference = laid->profile_count > 0 ? sum / laid->profile_count : 1;
    return status;
}

// Thin places of the known head are to move as the middle of their ear does.
static sn_status pin_ears(const layer *l, sn_error *error) {
    const sni_known_head *k = l->desc->known;
    sni_registration *r = l->laid->registration;
    const sni_similarity *pose = &l->desc->pose;
    sni_similarity back = sni_similarity_invert(pose);
    sn_vec3 ears[2];
    sn_status status = SN_OK;
    if (!k->has_ears) {
        return SN_OK;
    }
    SN_TRY(find_ears(l->desc->other, pose, k->ears, ears, &l->laid->has_ears, error));
    for (uint32_t v = 0; v < r->vertex_count && l->laid->has_ears; ++v) {
        double x = sni_similarity_point(&back, r->rest[v]).x;
        if (r->is_thin[v] && fabs(x) > ear_side) {
            int side = x < 0;
            sn_vec3 move = sn_vec3_sub(ears[side], sni_similarity_point(pose, k->ears[side]));
            sni_pin pin = {{v, v, v}, {1, 0, 0}, sn_vec3_add(r->rest[v], move), ear_strength, true};
            SN_TRY(sni_registration_pin(r, &pin, error));
        }
    }
cleanup:
    return status;
}

static sn_status run_stages(const layer *l, sn_error *error) {
    sni_register_stage scaled[STAGES];
    memcpy(scaled, stages, sizeof stages);
    for (int i = 0; i < STAGES; ++i) {
        scaled[i].stiffness *= l->desc->stiffness;
        scaled[i].sideways = sideways;
    }
    return sni_registration_run(l->laid->registration, l->desc->other, scaled, STAGES,
                                l->desc->progress, error);
}

static double mean_distance(const layer *l) {
    const sni_registration *r = l->laid->registration;
    double sum = 0;
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        sni_skin_place place;
        sni_head_surface_closest(l->desc->other, r->points[v], INFINITY, &place);
        sum += place.distance;
    }
    return sum / (r->vertex_count > 0 ? r->vertex_count : 1);
}

sn_status sni_lay_head(const sni_lay_desc *desc, sni_laid_head *laid, sn_error *error) {
    sn_status status = SN_OK;
    const sn_decimated *coarse = desc->known->coarse;
    sn_vec3 *points = NULL;
    layer l = {desc, laid};
    *laid = (sni_laid_head){0};
    SNI_NEW(desc->known->context, points, coarse->vertex_count);
    for (uint32_t v = 0; v < coarse->vertex_count; ++v) {
        points[v] =
            sni_similarity_point(&desc->pose, sn_vec3_load(coarse->positions + 3 * (size_t)v));
    }
    SN_TRY(sni_registration_create(desc->known->context, points, coarse->vertex_count,
                                   coarse->vertices, coarse->triangle_count, NULL,
                                   &laid->registration, error));
    SN_TRY(pin_profile(&l, error));
    SN_TRY(pin_ears(&l, error));
    for (uint32_t i = 0; i < desc->pair_count; ++i) {
        SN_TRY(pin_place(&l, desc->pairs[i].known, desc->pairs[i].other, given_strength, false,
                         error));
    }
    SN_TRY(run_stages(&l, error));
    laid->distance = mean_distance(&l);
cleanup:
    sni_free(desc->known->context, points);
    if (status != SN_OK) {
        sni_laid_head_deinit(laid);
    }
    return status;
}

void sni_laid_head_deinit(sni_laid_head *laid) {
    sni_registration_destroy(laid->registration);
    *laid = (sni_laid_head){0};
}

sn_vec3 sni_laid_head_point(const sni_known_head *known, const sni_laid_head *laid, sn_vec3 point) {
    sn_closest closest;
    sn_accel_find_closest(known->coarse_accel, point, INFINITY, &closest);
    return sni_registration_point(laid->registration,
                                  known->coarse->vertices + 3 * (size_t)closest.triangle,
                                  closest.barycentric);
}
