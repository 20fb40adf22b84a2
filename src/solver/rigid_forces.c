// SPDX-License-Identifier: Apache-2.0
//
// All forces on bodies in a pose, as the gradient of a potential by their motion, and how that
// changes. A body moves by a translation u and a rotation w about its centre; a point at r from
// there then goes by
//
//     d = u + w x r + 1/2 w x (w x r) + ...
//
// A force F at the point changes the potential by -F . d, so that it adds -F and -(r x F) to the
// gradient, and by its last term
//
//     (F . r) 1 - 1/2 (F r^T + r F^T)
//
// to the derivative by rotations: what a force does that keeps its direction while its lever turns.
#include "solver/rigid_internal.h"

#include <string.h>

sni_rigid_place sni_trial_place(const sni_rigid_trial *trial, uint32_t thing) {
    static const sni_rigid_place still = {{0, 0, 0, 1}, {0, 0, 0}, {0, 0, 0}};
    return thing != SN_NONE ? trial->places[thing] : still;
}

bool sni_trial_is_body(const sni_rigid_trial *trial, uint32_t thing) {
    return thing < trial->rigid->body_count;
}

static double *entry(const sni_rigid_trial *trial, uint32_t row, uint32_t column) {
    return &trial->hessian[(size_t)row * 6 * trial->rigid->body_count + column];
}

static sn_vec3 lever_of(const sni_rigid_trial *trial, uint32_t body, sn_vec3 at) {
    return sn_vec3_sub(at, trial->places[body].to);
}

void sni_trial_push(sni_rigid_trial *trial, uint32_t thing, sn_vec3 at, sn_vec3 force) {
    if (!sni_trial_is_body(trial, thing)) {
        return;
    }
    sn_vec3 lever = lever_of(trial, thing, at), torque = sn_vec3_cross(lever, force);
    double *g = trial->gradient + 6 * (size_t)thing;
    const double f[3] = {force.x, force.y, force.z}, r[3] = {lever.x, lever.y, lever.z};
    const double t[3] = {torque.x, torque.y, torque.z};
    double along = sn_vec3_dot(force, lever);
    for (uint32_t i = 0; i < 3; ++i) {
        g[i] -= f[i];
        g[3 + i] -= t[i];
        for (uint32_t k = 0; k <= i; ++k) {
            double turned = (i == k ? along : 0) - (f[i] * r[k] + r[i] * f[k]) / 2;
            *entry(trial, 6 * thing + 3 + i, 6 * thing + 3 + k) += turned;
        }
    }
}

// --- Rows

void sni_row_begin(sni_rigid_row *row) {
    row->count = 0;
}

void sni_row_add(sni_rigid_trial *trial, uint32_t thing, sn_vec3 at, sn_vec3 direction) {
    sni_rigid_row *row = &trial->row;
    if (!sni_trial_is_body(trial, thing)) {
        return;
    }
    uint32_t i = 0;
    while (i < row->count && row->bodies[i] != thing) {
        ++i;
    }
    if (i == row->count) {
        row->bodies[row->count++] = thing;
        memset(row->parts[i], 0, sizeof row->parts[i]);
    }
    sn_vec3 turned = sn_vec3_cross(lever_of(trial, thing, at), direction);
    const double part[6] = {direction.x, direction.y, direction.z, turned.x, turned.y, turned.z};
    for (int k = 0; k < 6; ++k) {
        row->parts[i][k] += part[k];
    }
}

void sni_row_stiffen(sni_rigid_trial *trial, double stiffness) {
    const sni_rigid_row *row = &trial->row;
    for (uint32_t a = 0; a < row->count && stiffness != 0; ++a) {
        for (uint32_t b = 0; b < row->count; ++b) {
            for (uint32_t i = 0; i < 6 && row->bodies[b] <= row->bodies[a]; ++i) {
                uint32_t end = a == b ? i + 1 : 6;
                for (uint32_t k = 0; k < end; ++k) {
                    *entry(trial, 6 * row->bodies[a] + i, 6 * row->bodies[b] + k) +=
                        stiffness * row->parts[a][i] * row->parts[b][k];
                }
            }
        }
    }
}

void sni_trial_stiffen_across(sni_rigid_trial *trial, uint32_t thing, sn_vec3 at, sn_vec3 direction,
                              double stiffness) {
    sn_vec3 across = sn_vec3_normalize_or(sn_vec3_perpendicular(direction), direction);
    const sn_vec3 both[2] = {across, sn_vec3_cross(direction, across)};
    sni_rigid_row kept = trial->row;
    uint32_t body;
    double part[1][6];
    trial->row = (sni_rigid_row){.bodies = &body, .parts = part};
    for (int i = 0; i < 2; ++i) {
        sni_row_begin(&trial->row);
        sni_row_add(trial, thing, at, both[i]);
        sni_row_stiffen(trial, stiffness);
    }
    trial->row = kept;
}

// --- Muscles

static void add_line(sni_rigid_trial *trial, uint32_t number) {
    const sni_rigid_line *line = &trial->rigid->lines[number];
    const sni_rigid_posed_line *posed = &trial->lines[number];
    const sni_rigid_muscle *muscle = &trial->rigid->muscles[line->muscle];
    double slope, length = posed->length / line->rest_length;
    double before = trial->step > 0 ? trial->lengths[number] / line->rest_length : length;
    double tension = line->share * sni_rigid_tension(muscle, trial->job->activations[line->muscle],
                                                     length, before, trial->step, &slope);
    sni_row_begin(&trial->row);
    for (uint32_t i = 0; i < posed->pull_count; ++i) {
        const sni_rigid_pull *pull = &posed->pulls[i];
        sn_vec3 direction = sn_vec3_normalize_or(pull->force, sn_vec3_make(1, 0, 0));
        sni_trial_push(trial, pull->body, pull->at, sn_vec3_scale(pull->force, tension));
        sni_trial_stiffen_across(trial, pull->body, pull->at, direction, tension * pull->bend);
        sni_row_add(trial, pull->body, pull->at, sn_vec3_scale(pull->force, -1));
    }
    sni_row_stiffen(trial, line->share * slope / line->rest_length);
    if (trial->results != NULL && trial->results->muscles != NULL) {
        trial->results->muscles[line->muscle] += tension;
    }
}

static bool add_lines(sni_rigid_trial *trial) {
    const sni_rigid *rigid = trial->rigid;
    if (rigid->line_count == 0) {
        return true;
    }
    if (!trial->job->lines(trial->job->user, trial->places, trial->lines)) {
        return false;
    }
    if (trial->results != NULL && trial->results->muscles != NULL) {
        memset(trial->results->muscles, 0, rigid->muscle_count * sizeof *trial->results->muscles);
    }
    for (uint32_t i = 0; i < rigid->line_count; ++i) {
        add_line(trial, i);
    }
    return true;
}

// Weight and constant forces; in a step of time they are part of the free motion.
static void add_weights(sni_rigid_trial *trial) {
    for (uint32_t i = 0; i < trial->rigid->body_count; ++i) {
        sni_rigid_load load = sni_rigid_load_of(trial->job, i);
        double mass = trial->rigid->bodies[i].mass;
        sn_vec3 force = sn_vec3_add_scaled(load.force, mass, trial->job->gravity);
        double *g = trial->gradient + 6 * (size_t)i;
        const double all[6] = {force.x,       force.y,       force.z,
                               load.torque.x, load.torque.y, load.torque.z};
        for (int k = 0; k < 6; ++k) {
            g[k] -= all[k];
        }
    }
}

bool sni_trial_evaluate(sni_rigid_trial *trial) {
    size_t size = 6 * (size_t)trial->rigid->body_count;
    memset(trial->gradient, 0, size * sizeof *trial->gradient);
    memset(trial->hessian, 0, size * size * sizeof *trial->hessian);
    sni_trial_add_joints(trial);
    sni_trial_add_ligaments(trial);
    sni_trial_add_contacts(trial);
    if (!(trial->step > 0)) {
        add_weights(trial);
    }
    return add_lines(trial);
}
