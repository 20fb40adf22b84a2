// SPDX-License-Identifier: Apache-2.0
//
// Muscles for tests of contact, without a document: chains with the published masses, tendons and
// rest lengths. Include test.h first.
#ifndef SNT_FIBRE_CROWD_H
#define SNT_FIBRE_CROWD_H

#include "muscle/fibre/contact.h"

#include <math.h>

enum { SNT_PARTICLES = 12, SNT_BONES = 4 };

typedef struct snt_fibre {
    double masses[SNT_PARTICLES], parts[SNT_PARTICLES], rests[SNT_PARTICLES];
    double compliances[SNT_PARTICLES], tendons[SNT_PARTICLES],
        scratch[SNI_CHAIN_SCRATCH * SNT_PARTICLES];
    double radii[SNT_PARTICLES], starts[SNT_PARTICLES];
    double overlaps[SNT_BONES * SNT_PARTICLES], outside[SNT_PARTICLES];
    sn_vec3 positions[SNT_PARTICLES], velocities[SNT_PARTICLES], normals[SNT_PARTICLES];
    sn_vec3 before[SNT_PARTICLES], old[SNT_PARTICLES], predicted[SNT_PARTICLES];
    sni_fibre_touch touches[SNT_PARTICLES];
    sni_fibre_profile profile;
    sni_fibre_bone bones[SNT_BONES];
    sni_fibre_bone_pose poses[SNT_BONES];
    double volume, length; // at rest
    sni_fibre_body body;
} snt_fibre;

// Widths, radii and normals of the axis as it is.
static inline void snt_fibre_shape(snt_fibre *f) {
    double length = sni_fibre_axis_measure(f->positions, SNT_PARTICLES, f->starts);
    sni_fibre_section *section = &f->body.section;
    section->width = sni_fibre_width(f->volume, length, f->length);
    sn_vec3 along = sn_vec3_normalize_or(
        sn_vec3_sub(f->positions[SNT_PARTICLES - 1], f->positions[0]), sn_vec3_make(1, 0, 0));
    sn_vec3 normal = sn_vec3_perpendicular(along);
    sni_fibre_axis_normals(f->positions, f->starts, SNT_PARTICLES, normal, normal, f->normals);
    for (uint32_t i = 0; i < SNT_PARTICLES; ++i) {
        f->radii[i] = section->width *
                      sni_fibre_profile_at(&f->profile, section->activation, f->starts[i], NULL);
    }
}

// A muscle at rest, straight between two places, of mean radius `width`.
static inline void snt_fibre_make(snt_fibre *f, sn_vec3 from, sn_vec3 to, double width,
                                  double stiffness) {
    *f = (snt_fibre){.profile = sni_fibre_profile_make((sni_beta){3, 3}, (sni_beta){4, 7})};
    f->length = sn_vec3_distance(from, to);
    f->volume = SN_PI * width * width * f->length;
    for (uint32_t i = 0; i < SNT_PARTICLES; ++i) {
        f->parts[i] = (double)i / (SNT_PARTICLES - 1);
        f->positions[i] = sn_vec3_lerp(from, to, f->parts[i]);
    }
    f->body.section.profile = &f->profile;
    snt_fibre_shape(f);
    double sum = 0, mean = 1060 * f->volume / (SNT_PARTICLES - 2), step = f->length / 11;
    for (uint32_t i = 1; i + 1 < SNT_PARTICLES; ++i) {
        sum += f->radii[i];
    }
    for (uint32_t i = 0; i < SNT_PARTICLES; ++i) {
        bool end = i == 0 || i + 1 == SNT_PARTICLES;
        f->masses[i] =
            end ? 0 : 1 / fmax(0.05 * mean, mean * (SNT_PARTICLES - 2) * f->radii[i] / sum);
        bool tendon = i == 0 || i == SNT_PARTICLES - 2;
        f->rests[i] = tendon ? step : 0.02 * step;
        f->compliances[i] = tendon ? 0 : sni_chain_compliance(stiffness, mean);
    }
    f->body = (sni_fibre_body){.chain = {.particle_count = SNT_PARTICLES,
                                         .inverse_masses = f->masses,
                                         .parts = f->parts,
                                         .rest_lengths = f->rests,
                                         .compliances = f->compliances,
                                         .step = 1.0 / 600,
                                         .damping = SNI_CHAIN_DAMPING,
                                         .inertia = 0.25},
                               .positions = f->positions,
                               .section = f->body.section,
                               .radii = f->radii,
                               .normals = f->normals,
                               .starts = f->starts,
                               .bones = f->bones,
                               .bone_poses = f->poses,
                               .bone_overlaps = f->overlaps,
                               .skin_overlaps = f->outside,
                               .kept_overlap = 1,
                               .friction = SNI_FIBRE_FRICTION,
                               .old = f->old,
                               .predicted = f->predicted,
                               .scratch = f->scratch,
                               .compliances = f->tendons,
                               .touches = f->touches};
}

static inline void snt_fibre_place(snt_fibre *f, uint32_t bone, const sn_mat4 *before,
                                   const sn_mat4 *now) {
    assert_true(sni_fibre_bone_place(before, now, &f->poses[bone]));
}

// Adds a bone where it stands; overlaps with the muscle as it is are kept.
static inline uint32_t snt_fibre_add_bone(snt_fibre *f, const sni_fibre_bone *bone) {
    uint32_t number = f->body.bone_count++;
    sn_mat4 identity = sn_mat4_identity();
    f->bones[number] = *bone;
    snt_fibre_place(f, number, &identity, &identity);
    for (uint32_t i = 1; i + 1 < SNT_PARTICLES; ++i) {
        f->overlaps[number * SNT_PARTICLES + i] = fmin(0, sni_fibre_bone_gap(&f->body, i, number));
    }
    return number;
}

// How deep the deepest particle is in a bone beyond what it may, as a part of its radius.
static inline double snt_fibre_depth(const snt_fibre *f) {
    double worst = 0;
    for (uint32_t bone = 0; bone < f->body.bone_count; ++bone) {
        for (uint32_t i = 1; i + 1 < SNT_PARTICLES; ++i) {
            double miss =
                f->overlaps[bone * SNT_PARTICLES + i] - sni_fibre_bone_gap(&f->body, i, bone);
            worst = fmax(worst, miss / f->radii[i]);
        }
    }
    return worst;
}

// One step of muscles together, `ends` where each one's ends are at the end of it. Their shapes
// follow.
static inline void snt_crowd_step(snt_fibre *fibres, const sni_fibre_crowd *crowd,
                                  const sni_chain_ends *ends) {
    for (uint32_t b = 0; b < crowd->body_count; ++b) {
        snt_fibre_shape(&fibres[b]);
        crowd->bodies[b].section = fibres[b].body.section;
    }
    sni_fibre_contact_begin(crowd);
    for (uint32_t b = 0; b < crowd->body_count; ++b) {
        snt_fibre *f = &fibres[b];
        sni_chain_predict(&f->body.chain, &ends[b], f->positions, f->velocities, f->before);
        sni_chain_solve(&f->body.chain, f->positions, f->scratch);
    }
    sni_fibre_contact_resolve(crowd);
    for (uint32_t b = 0; b < crowd->body_count; ++b) {
        snt_fibre *f = &fibres[b];
        sni_chain_finish(&f->body.chain, f->positions, f->before, f->velocities);
        sni_fibre_contact_calm(&crowd->bodies[b], f->body.chain.step, f->before, f->velocities);
    }
}

// Steps of one muscle with its ends where they are.
static inline void snt_fibre_steps(snt_fibre *f, sn_vec3 first, sn_vec3 last, uint32_t count) {
    sni_chain_ends ends = {first, last};
    sni_fibre_crowd crowd = {.body_count = 1, .bodies = &f->body};
    for (uint32_t k = 0; k < count; ++k) {
        snt_crowd_step(f, &crowd, &ends);
    }
}

#endif
