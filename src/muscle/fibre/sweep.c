// SPDX-License-Identifier: Apache-2.0
//
// How far a fibre goes around a bone: the angle that it sweeps about the bone's long axis, as far
// as it runs beside the bone.
#include "muscle/fibre/contact.h"

// A bone's axis, with two directions across it, from one end of the bone on.
typedef struct long_axis {
    sn_vec3 from, along, across[2];
    double length;
} long_axis;

// That of a mesh goes through the middle of its box.
static long_axis grid_axis(const sni_distance_grid *grid) {
    long_axis axis = {.along = grid->axes[0], .across = {grid->axes[1], grid->axes[2]}};
    double sides[3];
    sn_vec3 middle = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        double low = k == 0 ? grid->low.x : k == 1 ? grid->low.y : grid->low.z;
        sides[k] = grid->spacing * (grid->counts[k] - 1);
        middle = sn_vec3_add_scaled(middle, low + sides[k] / 2, grid->axes[k]);
    }
    axis.length = fmax(0, sides[0] - 2 * grid->margin);
    axis.from = sn_vec3_add_scaled(middle, -axis.length / 2, axis.along);
    return axis;
}

static long_axis capsule_axis(const sni_fibre_bone *bone) {
    long_axis axis = {.from = bone->ends[0]};
    sn_vec3 way = sn_vec3_sub(bone->ends[1], bone->ends[0]);
    axis.length = sn_vec3_length(way);
    axis.along = sn_vec3_normalize_or(way, sn_vec3_make(0, 1, 0));
    axis.across[0] = sn_vec3_perpendicular(axis.along);
    axis.across[1] = sn_vec3_cross(axis.along, axis.across[0]);
    return axis;
}

// A point in the axis' own coordinates: along it, and both ways across.
static sn_vec3 beside(const long_axis *axis, sn_vec3 at) {
    sn_vec3 by = sn_vec3_sub(at, axis->from);
    return sn_vec3_make(sn_vec3_dot(by, axis->along), sn_vec3_dot(by, axis->across[0]),
                        sn_vec3_dot(by, axis->across[1]));
}

// The part of a link from a to b that lies between both ends of the bone; false where none does.
static bool clip(const long_axis *axis, sn_vec3 *a, sn_vec3 *b) {
    double first = 0, last = 1, way = b->x - a->x;
    if (way == 0) {
        return a->x >= 0 && a->x <= axis->length;
    }
    double s = -a->x / way, t = (axis->length - a->x) / way;
    first = fmax(first, fmin(s, t));
    last = fmin(last, fmax(s, t));
    if (!(first < last)) {
        return false;
    }
    sn_vec3 from = *a, to = *b;
    *a = sn_vec3_lerp(from, to, first);
    *b = sn_vec3_lerp(from, to, last);
    return true;
}

double sni_fibre_bone_sweep(const sni_fibre_body *body, uint32_t bone) {
    const sni_fibre_bone *b = &body->bones[bone];
    const sn_mat4 *inverse = &body->bone_poses[bone].inverse;
    long_axis axis = b->grid != NULL ? grid_axis(b->grid) : capsule_axis(b);
    sn_vec3 before = beside(&axis, sn_mat4_point(inverse, body->positions[0]));
    double sweep = 0;
    for (uint32_t i = 1; i < body->chain.particle_count; ++i) {
        sn_vec3 next = beside(&axis, sn_mat4_point(inverse, body->positions[i]));
        sn_vec3 from = before, to = next;
        if (clip(&axis, &from, &to)) {
            sweep += atan2(from.y * to.z - from.z * to.y, from.y * to.y + from.z * to.z);
        }
        before = next;
    }
    return sweep;
}
