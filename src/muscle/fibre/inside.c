// SPDX-License-Identifier: Apache-2.0
#include "muscle/fibre/inside.h"

#include <math.h>

// Fields of parts are no steeper inside, with room to spare: at their samples they are as steep as
// a distance.
static const double steepest = 2;

sni_part_pose sni_fibre_part_motion(const sn_transform *rest, const sn_transform *now) {
    sn_quat turn = sn_quat_multiply(now->rotation, sn_quat_conjugate(rest->rotation));
    return (sni_part_pose){turn,
                           sn_vec3_sub(now->translation, sn_quat_rotate(turn, rest->translation))};
}

static sn_vec3 to_rest(const sni_part_pose *pose, sn_vec3 at) {
    return sn_quat_rotate(sn_quat_conjugate(pose->turn), sn_vec3_sub(at, pose->shift));
}

static sn_vec3 from_rest(const sni_part_pose *pose, sn_vec3 at) {
    return sn_vec3_add(sn_quat_rotate(pose->turn, at), pose->shift);
}

// The field of a part at a place of the world at rest. Beyond its box it goes on with slope 1.
static sni_distance_value part_at(const sni_field_part *part, sn_vec3 at) {
    sn_vec3 boxed = sn_vec3_min(sn_vec3_max(at, part->low), part->high);
    sni_distance_value value = part->grid.nodes != NULL ? sni_field_grid_at(&part->grid, boxed)
                                                        : sni_hrbf_at(&part->hrbf, boxed);
    sn_vec3 beyond = sn_vec3_sub(at, boxed);
    double distance = sn_vec3_length(beyond);
    if (distance > 0) {
        value.distance = fmax(value.distance, 0) + distance;
        value.gradient = sn_vec3_scale(beyond, 1 / distance);
    }
    return value;
}

// part_at without the gradient.
static double distance_at(const sni_field_part *part, sn_vec3 at) {
    if (part->grid.nodes == NULL) {
        return part_at(part, at).distance;
    }
    sn_vec3 boxed = sn_vec3_min(sn_vec3_max(at, part->low), part->high);
    double distance = sni_field_grid_distance(&part->grid, boxed);
    double beyond = sn_vec3_distance(at, boxed);
    return beyond > 0 ? fmax(distance, 0) + beyond : distance;
}

// A particle is inside where one part has it inside, so that the least distance counts. Where the
// part that it was in has it deep enough, others need not be asked.
static sni_distance_value inside_at(const void *user, sn_vec3 at, double needed,
                                    sni_fibre_seen *seen) {
    const sni_fibre_inside *inside = user;
    sni_distance_value best = {INFINITY, {0, 1, 0}};
    uint32_t part = 0;
    if (seen != NULL && seen->known) {
        sn_vec3 local = to_rest(&inside->parts[seen->part].now, at);
        double depth = seen->depth - steepest * sn_vec3_distance(local, seen->at);
        if (depth > needed) {
            return (sni_distance_value){-depth, {0, 1, 0}};
        }
        depth = -distance_at(inside->parts[seen->part].field, local);
        if (depth > needed) {
            *seen = (sni_fibre_seen){true, seen->part, local, depth};
            return (sni_distance_value){-depth, {0, 1, 0}};
        }
    }
    for (uint32_t i = 0; i < inside->part_count; ++i) {
        const sni_fibre_part *p = &inside->parts[i];
        sni_distance_value value = part_at(p->field, to_rest(&p->now, at));
        if (value.distance < best.distance) {
            best = value;
            part = i;
        }
    }
    if (seen != NULL) {
        *seen = (sni_fibre_seen){true, part, to_rest(&inside->parts[part].now, at), -best.distance};
    }
    best.gradient = sn_quat_rotate(inside->parts[part].now.turn, best.gradient);
    return best;
}

static sn_vec3 motion_at(const void *user, const sni_fibre_seen *seen, sn_vec3 at) {
    const sni_fibre_inside *inside = user;
    const sni_fibre_part *part = &inside->parts[seen->part];
    return sn_vec3_sub(at, from_rest(&part->before, to_rest(&part->now, at)));
}

sni_fibre_skin sni_fibre_inside_skin(const sni_fibre_inside *inside) {
    return (sni_fibre_skin){.at = inside_at, .motion = motion_at, .user = inside};
}
