// SPDX-License-Identifier: Apache-2.0
#include "fit/propose_anatomy.h"

#include <math.h>

// A body stands on two legs where these point away from the chest, by more than this cosine.
static const double upright_cosine = 0.6;

// Feet tell the front when they lie this far before the ankle, as a part of the leg's length.
static const double least_foot = 0.02;

typedef struct finder {
    const sni_body *body;
    const sni_limbs *limbs;
    const sni_propose_skins *skins;
    sni_anatomy *anatomy;
} finder;

static bool find_joint(const finder *f, sni_body_part part, sni_body_side side, sn_vec3 *joint) {
    uint32_t segment = sni_body_first(f->body, part, side);
    if (segment == SN_NONE) {
        return false;
    }
    const double *m = f->limbs->frames[segment].m;
    *joint = sn_vec3_make(m[12], m[13], m[14]);
    return true;
}

// Both joints of a part that has two sides: between them, and from the right one to the left.
static bool find_pair(const finder *f, sni_body_part part, sn_vec3 *middle, sn_vec3 *across) {
    sn_vec3 left, right;
    if (!find_joint(f, part, SNI_SIDE_LEFT, &left) ||
        !find_joint(f, part, SNI_SIDE_RIGHT, &right)) {
        return false;
    }
    *middle = sn_vec3_lerp(left, right, 0.5);
    *across = sn_vec3_sub(left, right);
    return sn_vec3_length(*across) > 0;
}

// The mean way of both legs from their hips to their ankles.
static sn_vec3 find_legs(const finder *f) {
    sn_vec3 sum = {0, 0, 0};
    for (int side = SNI_SIDE_LEFT; side <= SNI_SIDE_RIGHT; ++side) {
        sn_vec3 hip, ankle;
        if (find_joint(f, SNI_BODY_THIGH, (sni_body_side)side, &hip) &&
            (find_joint(f, SNI_BODY_FOOT, (sni_body_side)side, &ankle) ||
             find_joint(f, SNI_BODY_SHIN, (sni_body_side)side, &ankle))) {
            sum = sn_vec3_add_scaled(sum, 0.5, sn_vec3_sub(ankle, hip));
        }
    }
    return sum;
}

// Adds the skin of the feet of one side: the sum of its points' ways from the ankle, and its
// weight.
static void add_foot_skin(const finder *f, sni_body_side side, sn_vec3 ankle, sn_vec3 *sum,
                          double *all) {
    for (uint32_t s = 0; s < f->skins->count; ++s) {
        const sni_propose_skin *skin = &f->skins->items[s];
        const sn_mesh *mesh = skin->probe.mesh;
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            for (uint32_t k = mesh->weights->offsets[v]; k < mesh->weights->offsets[v + 1]; ++k) {
                uint32_t segment = skin->bone_segments[mesh->weights->bones[k]];
                sni_body_role region = f->anatomy->regions[segment];
                if ((region.part == SNI_BODY_FOOT || region.part == SNI_BODY_TOES) &&
                    region.side == side) {
                    double weight = mesh->weights->values[k];
                    sn_vec3 p = sn_vec3_load(mesh->positions + 3 * (size_t)v);
                    *sum = sn_vec3_add_scaled(*sum, weight, sn_vec3_sub(p, ankle));
                    *all += weight;
                }
            }
        }
    }
}

// The mean way from the ankles to the skin of the feet; else to the toes.
static sn_vec3 find_feet(const finder *f) {
    sn_vec3 feet = {0, 0, 0};
    for (int side = SNI_SIDE_LEFT; side <= SNI_SIDE_RIGHT; ++side) {
        sn_vec3 ankle, toes, sum = {0, 0, 0};
        double all = 0;
        if (!find_joint(f, SNI_BODY_FOOT, (sni_body_side)side, &ankle)) {
            continue;
        }
        add_foot_skin(f, (sni_body_side)side, ankle, &sum, &all);
        if (all > 0) {
            feet = sn_vec3_add_scaled(feet, 0.5 / all, sum);
        } else if (find_joint(f, SNI_BODY_TOES, (sni_body_side)side, &toes)) {
            feet = sn_vec3_add_scaled(feet, 0.5, sn_vec3_sub(toes, ankle));
        }
    }
    return feet;
}

// Ends of the trunk and the direction across it. False where the known parts do not show them.
static bool find_trunk(finder *f, sn_vec3 *across) {
    sni_anatomy *a = f->anatomy;
    sn_vec3 hips = {0, 0, 0}, shoulders = {0, 0, 0};
    bool has_hips = find_pair(f, SNI_BODY_THIGH, &a->pelvis, &hips);
    bool has_shoulders = find_pair(f, SNI_BODY_UPPER_ARM, &a->chest, &shoulders);
    if (!has_hips && !has_shoulders) {
        return false;
    }
    *across = sn_vec3_add(hips, shoulders);
    a->middle = has_hips ? a->pelvis : a->chest;
    if (has_hips && has_shoulders) {
        a->middle = sn_vec3_lerp(a->pelvis, a->chest, 0.5);
    }
    bool has_pelvis = has_hips || find_joint(f, SNI_BODY_HIPS, SNI_SIDE_NONE, &a->pelvis) ||
                      find_joint(f, SNI_BODY_SPINE, SNI_SIDE_NONE, &a->pelvis);
    bool has_chest = has_shoulders || find_joint(f, SNI_BODY_NECK, SNI_SIDE_NONE, &a->chest) ||
                     find_joint(f, SNI_BODY_HEAD, SNI_SIDE_NONE, &a->chest);
    if (!has_chest) { // legs alone
        a->chest = sn_vec3_add_scaled(a->pelvis, -0.5, find_legs(f));
    }
    return has_pelvis;
}

// The directions. What names call left may be the left of somebody who looks at the body.
static void find_directions(finder *f, sn_vec3 across) {
    sni_anatomy *a = f->anatomy;
    a->left = sn_vec3_normalize_or(across, sn_vec3_make(0, 0, 0));
    sn_vec3 up = sn_vec3_sub(a->chest, a->pelvis);
    up = sn_vec3_add_scaled(up, -sn_vec3_dot(up, a->left), a->left);
    a->cranial = sn_vec3_normalize_or(up, sn_vec3_make(0, 0, 0));
    a->ventral = sn_vec3_cross(a->left, a->cranial);
    a->known = sn_vec3_length(a->ventral) > 0.5;
    sn_vec3 legs = find_legs(f);
    double length = sn_vec3_length(legs);
    bool upright = sn_vec3_dot(legs, a->cranial) <= -upright_cosine * length;
    double front = sn_vec3_dot(upright ? find_feet(f) : legs, a->ventral);
    if (front < -least_foot * length) {
        a->left = sn_vec3_scale(a->left, -1);
        a->ventral = sn_vec3_scale(a->ventral, -1);
    }
}

sn_status sni_anatomy_init(sn_context *context, const sn_skeleton *skeleton, const sni_body *body,
                           const sni_limbs *limbs, const sni_propose_skins *skins,
                           sni_anatomy *anatomy, sn_error *error) {
    sn_status status = SN_OK;
    finder f = {.body = body, .limbs = limbs, .skins = skins, .anatomy = anatomy};
    sn_vec3 across;
    *anatomy = (sni_anatomy){.context = context};
    SNI_NEW_ZERO(context, anatomy->regions, skeleton->segment_count);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t segment = skeleton->parents_first[i], parent = skeleton->segments[segment].parent;
        bool inherits = body->roles[segment].part == SNI_BODY_NONE && parent != SN_NONE;
        anatomy->regions[segment] = inherits ? anatomy->regions[parent] : body->roles[segment];
    }
    if (find_trunk(&f, &across)) {
        find_directions(&f, across);
    }
cleanup:
    return status;
}

void sni_anatomy_deinit(sni_anatomy *anatomy) {
    if (anatomy->context != NULL) {
        sni_free(anatomy->context, anatomy->regions);
    }
    *anatomy = (sni_anatomy){0};
}

sn_vec3 sni_anatomy_outwards(const sni_anatomy *anatomy, sn_vec3 point) {
    double away = sn_vec3_dot(sn_vec3_sub(point, anatomy->middle), anatomy->left);
    return sn_vec3_scale(anatomy->left, away < 0 ? -1 : 1);
}
