// SPDX-License-Identifier: Apache-2.0
//
// What holds bodies: joints whose points slide below a path, and ligaments.
#include "solver/rigid_internal.h"

#include <math.h>

// --- Joints

// A joint as it stands: its axes, and where its point is along them.
typedef struct posed_joint {
    const sni_rigid_joint *joint;
    sn_vec3 at;       // the point
    sn_vec3 axes[3];  // forward, up, aside
    double x, y, z;   // along these, from the beginning of the path
    double force_sum; // N, squared, of all that holds it
} posed_joint;

static posed_joint pose_joint(const sni_rigid_trial *trial, const sni_rigid_joint *joint) {
    sni_rigid_place on = sni_trial_place(trial, joint->on);
    sni_rigid_place body = sni_trial_place(trial, joint->body);
    posed_joint p = {.joint = joint, .at = sni_rigid_place_point(&body, joint->point)};
    p.axes[0] = sn_quat_rotate(on.turn, joint->forward);
    p.axes[1] = sn_quat_rotate(on.turn, joint->up);
    p.axes[2] = sn_vec3_cross(p.axes[0], p.axes[1]);
    sn_vec3 from = sn_vec3_sub(p.at, sni_rigid_place_point(&on, joint->point));
    p.x = sn_vec3_dot(from, p.axes[0]);
    p.y = sn_vec3_dot(from, p.axes[1]);
    p.z = sn_vec3_dot(from, p.axes[2]);
    return p;
}

// Pulls the point back along a direction: a spring of a stiffness, stretched by `by`.
static void pull_back(sni_rigid_trial *trial, posed_joint *p, sn_vec3 direction, double by,
                      double stiffness) {
    sn_vec3 force = sn_vec3_scale(direction, -stiffness * by);
    sni_trial_push(trial, p->joint->body, p->at, force);
    sni_trial_push(trial, p->joint->on, p->at, sn_vec3_scale(force, -1));
    sni_row_begin(&trial->row);
    sni_row_add(trial, p->joint->body, p->at, direction);
    sni_row_add(trial, p->joint->on, p->at, sn_vec3_scale(direction, -1));
    sni_row_stiffen(trial, stiffness);
    p->force_sum += stiffness * by * stiffness * by;
}

// How high the path is, how it rises, and how that changes.
static double path_height(const sni_rigid_joint *joint, double x, double *rise, double *curve) {
    double straight = joint->travel > 0 ? fmin(x, joint->travel) : 0;
    double bend = joint->travel > 0 ? (joint->end_slope - joint->slope) / joint->travel : 0;
    *rise = -(joint->slope + bend * straight);
    *curve = x < joint->travel ? -bend : 0;
    return -(joint->slope * straight + bend * straight * straight / 2) + *rise * (x - straight);
}

// The distance above the path is measured across it.
static void hold_on_path(sni_rigid_trial *trial, posed_joint *p) {
    double rise, curve, height = path_height(p->joint, p->x, &rise, &curve);
    double across = 1 / sqrt(1 + rise * rise), above = (p->y - height) * across;
    sn_vec3 normal = sn_vec3_scale(p->axes[1], across);
    normal = sn_vec3_add_scaled(normal, -rise * across, p->axes[0]);
    double by = above > 0 ? above : fmin(above + p->joint->slack, 0);
    double stiffness = above > 0 ? p->joint->stiffness : p->joint->capsule_stiffness;
    if (by == 0) {
        return;
    }
    pull_back(trial, p, normal, by, stiffness);
    // The path bends away from, or towards, a point that slides along it.
    sni_row_begin(&trial->row);
    sni_row_add(trial, p->joint->body, p->at, p->axes[0]);
    sni_row_add(trial, p->joint->on, p->at, sn_vec3_scale(p->axes[0], -1));
    sni_row_stiffen(trial, -stiffness * by * curve * across);
}

static void hold_between(sni_rigid_trial *trial, posed_joint *p, int axis, double value, double low,
                         double high) {
    if (value < low) {
        pull_back(trial, p, p->axes[axis], value - low, p->joint->stiffness);
    } else if (value > high) {
        pull_back(trial, p, p->axes[axis], value - high, p->joint->stiffness);
    }
}

void sni_trial_add_joints(sni_rigid_trial *trial) {
    const sni_rigid *rigid = trial->rigid;
    for (uint32_t i = 0; i < rigid->joint_count; ++i) {
        const sni_rigid_joint *joint = &rigid->joints[i];
        posed_joint p = pose_joint(trial, joint);
        hold_on_path(trial, &p);
        hold_between(trial, &p, 0, p.x, -joint->back, joint->travel);
        hold_between(trial, &p, 2, p.z, -joint->play, joint->play);
        if (trial->results != NULL && trial->results->joints != NULL) {
            trial->results->joints[i] =
                (sni_rigid_joint_result){.travel = p.x, .aside = p.z, .force = sqrt(p.force_sum)};
        }
    }
}

// --- Ligaments

void sni_trial_add_ligaments(sni_rigid_trial *trial) {
    const sni_rigid *rigid = trial->rigid;
    for (uint32_t i = 0; i < rigid->ligament_count; ++i) {
        const sni_rigid_ligament *l = &rigid->ligaments[i];
        sn_vec3 at[2];
        for (int k = 0; k < 2; ++k) {
            sni_rigid_place place = sni_trial_place(trial, l->things[k]);
            at[k] = sni_rigid_place_point(&place, l->points[k]);
        }
        sn_vec3 way = sn_vec3_sub(at[1], at[0]);
        double length = sn_vec3_length(way), tension = l->stiffness * (length - l->length);
        bool taut = tension > 0 && length > 0;
        sn_vec3 direction = sn_vec3_normalize_or(way, sn_vec3_make(0, 0, 0));
        sni_row_begin(&trial->row);
        for (int k = 0; k < 2 && taut; ++k) {
            double sign = k == 0 ? 1 : -1;
            sni_trial_push(trial, l->things[k], at[k], sn_vec3_scale(direction, sign * tension));
            sni_trial_stiffen_across(trial, l->things[k], at[k], direction, tension / length);
            sni_row_add(trial, l->things[k], at[k], sn_vec3_scale(direction, -sign));
        }
        sni_row_stiffen(trial, l->stiffness);
        if (trial->results != NULL && trial->results->ligaments != NULL) {
            trial->results->ligaments[i] = taut ? tension : 0;
        }
    }
}
