// SPDX-License-Identifier: Apache-2.0
#include "solver/chain.h"

void sni_chain_predict(const sni_chain *chain, const sni_chain_ends *ends, sn_vec3 *positions,
                       sn_vec3 *velocities, sn_vec3 *before) {
    uint32_t last = chain->particle_count - 1;
    sn_vec3 first_move = sn_vec3_sub(ends->first, positions[0]);
    sn_vec3 last_move = sn_vec3_sub(ends->last, positions[last]);
    double kept = exp(-chain->damping * chain->step);
    before[0] = positions[0];
    before[last] = positions[last];
    for (uint32_t i = 1; i < last; ++i) {
        sn_vec3 move = sn_vec3_lerp(first_move, last_move, chain->parts[i]);
        before[i] = sn_vec3_add_scaled(positions[i], 1 - chain->inertia, move);
        // Damping before gravity, which it would weaken otherwise.
        sn_vec3 reference = sn_vec3_scale(move, chain->inertia / chain->step);
        sn_vec3 velocity =
            sn_vec3_add_scaled(reference, kept, sn_vec3_sub(velocities[i], reference));
        velocity = sn_vec3_add_scaled(velocity, chain->step, chain->gravity);
        velocities[i] = velocity;
        positions[i] = sn_vec3_add_scaled(before[i], chain->step, velocity);
    }
    positions[0] = ends->first;
    positions[last] = ends->last;
}

// A link: its unit direction and its length. Where both particles are in one place it has no
// direction, and is not corrected.
typedef struct link {
    sn_vec3 direction;
    double length;
} link;

static link link_at(const sn_vec3 *positions, uint32_t i) {
    sn_vec3 along = sn_vec3_sub(positions[i + 1], positions[i]);
    double length = sn_vec3_length(along);
    return (link){sn_vec3_normalize_or(along, sn_vec3_make(0, 0, 0)), length};
}

// One step of Newton's method. For links j with unit directions N_j, C_j = length - rest and the
// multipliers L_j so far, with W the inverse masses and a' = a / h^2:
//
//     (W_j + W_{j+1} + a'_j) dL_j - W_j (N_{j-1}.N_j) dL_{j-1} - W_{j+1} (N_j.N_{j+1}) dL_{j+1}
//         = -C_j - a'_j L_j
//
// Thomas' elimination forwards, then corrections:
//
//     p_{j+1} += W_{j+1} N_j dL_j,   p_j -= W_j N_j dL_j
static void newton_step(const sni_chain *chain, sn_vec3 *positions, double *above, double *change,
                        double *multipliers, sn_vec3 *directions) {
    uint32_t links = chain->particle_count - 1;
    const double *w = chain->inverse_masses;
    double squared_step = chain->step * chain->step;
    link before = {0}, here = link_at(positions, 0);
    for (uint32_t j = 0; j < links; ++j) {
        link after = j + 1 < links ? link_at(positions, j + 1) : (link){0};
        double compliance = chain->compliances[j] / squared_step;
        double diagonal = w[j] + w[j + 1] + compliance;
        double below = j > 0 ? -w[j] * sn_vec3_dot(before.direction, here.direction) : 0;
        double upper = -w[j + 1] * sn_vec3_dot(here.direction, after.direction);
        double right = chain->rest_lengths[j] - here.length - compliance * multipliers[j];
        if (j > 0) {
            diagonal -= below * above[j - 1];
            right -= below * change[j - 1];
        }
        // Links between two fixed particles, and those without a direction, are left alone.
        bool solvable = diagonal > 0 && here.length > 0;
        above[j] = solvable ? upper / diagonal : 0;
        change[j] = solvable ? right / diagonal : 0;
        directions[j] = here.direction;
        before = here;
        here = after;
    }
    for (uint32_t j = links - 1; j-- > 0;) {
        change[j] -= above[j] * change[j + 1];
    }
    // All directions are those before the corrections.
    for (uint32_t j = 0; j < links; ++j) {
        multipliers[j] += change[j];
        positions[j] = sn_vec3_add_scaled(positions[j], -w[j] * change[j], directions[j]);
        positions[j + 1] =
            sn_vec3_add_scaled(positions[j + 1], w[j + 1] * change[j], directions[j]);
    }
}

void sni_chain_solve(const sni_chain *chain, sn_vec3 *positions, double *scratch) {
    // One step is enough for ordinary motion; where ends are thrown about, links turn so far in a
    // step that tendons would be left stretched, and the next steps would make it worse.
    enum { MOST_STEPS = 16 };
    static const double tendon_miss = 1e-3;
    uint32_t count = chain->particle_count;
    double *multipliers = scratch + 2 * count;
    sn_vec3 *directions = (sn_vec3 *)(scratch + 3 * (size_t)count);
    for (uint32_t j = 0; j < count; ++j) {
        multipliers[j] = 0;
    }
    for (int step = 0; step < MOST_STEPS; ++step) {
        newton_step(chain, positions, scratch, scratch + count, multipliers, directions);
        if (!(sni_chain_tendon_miss(chain, positions) > tendon_miss)) {
            break;
        }
    }
}

void sni_chain_finish(const sni_chain *chain, const sn_vec3 *positions, const sn_vec3 *before,
                      sn_vec3 *velocities) {
    for (uint32_t i = 0; i < chain->particle_count; ++i) {
        velocities[i] = sn_vec3_scale(sn_vec3_sub(positions[i], before[i]), 1 / chain->step);
    }
}

double sni_chain_tendon_miss(const sni_chain *chain, const sn_vec3 *positions) {
    double worst = 0;
    for (uint32_t j = 0; j + 1 < chain->particle_count; ++j) {
        if (chain->compliances[j] == 0 && chain->rest_lengths[j] > 0) {
            double length = sn_vec3_distance(positions[j], positions[j + 1]);
            worst = fmax(worst, fabs(length / chain->rest_lengths[j] - 1));
        }
    }
    return worst;
}

double sni_chain_compliance(double stiffness, double mean_mass) {
    static const double reference = 1.0 / 60; // seconds
    return reference * reference * 2 / mean_mass * (1 / stiffness - 1);
}

sn_vec3 sni_friction(sn_vec3 position, sn_vec3 before, sn_vec3 surface_motion, sn_vec3 normal,
                     double depth, double still, double sliding) {
    sn_vec3 slide = sn_vec3_sub(sn_vec3_sub(position, before), surface_motion);
    slide = sn_vec3_add_scaled(slide, -sn_vec3_dot(slide, normal), normal);
    double length = sn_vec3_length(slide);
    if (!(length > 0)) {
        return position;
    }
    double taken = length <= still * depth ? length : fmin(sliding * depth, length);
    return sn_vec3_add_scaled(position, -taken / length, slide);
}
