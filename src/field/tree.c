// SPDX-License-Identifier: Apache-2.0
#include "field/tree.h"

#include "base/hermite.h"

static bool is_in_box(sn_vec3 low, sn_vec3 high, sn_vec3 p) {
    return p.x > low.x && p.y > low.y && p.z > low.z && p.x < high.x && p.y < high.y &&
           p.z < high.z;
}

sni_field_value sni_field_part_at_rest(const sni_field_part *part, sn_vec3 at) {
    if (!is_in_box(part->low, part->high, at)) {
        return (sni_field_value){0};
    }
    sni_distance_value distance = part->grid.nodes != NULL ? sni_field_grid_at(&part->grid, at)
                                                           : sni_hrbf_at(&part->hrbf, at);
    return sni_support_field(distance, part->radius);
}

sni_field_value sni_field_part_at(const sni_field_part *part, const sni_part_pose *pose,
                                  sn_vec3 at) {
    sn_vec3 rest = sn_quat_rotate(sn_quat_conjugate(pose->turn), sn_vec3_sub(at, pose->shift));
    sni_field_value value = sni_field_part_at_rest(part, rest);
    value.gradient = sn_quat_rotate(pose->turn, value.gradient);
    return value;
}

void sni_field_muscles_reach(const sni_field_muscles *muscles, uint32_t part_count) {
    for (uint32_t i = 0; i < part_count; ++i) {
        // A box of nothing, until there is a muscle.
        sni_field_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        sn_vec3 border = {muscles->radii[i], muscles->radii[i], muscles->radii[i]};
        for (uint32_t k = muscles->starts[i]; k < muscles->starts[i + 1]; ++k) {
            const sni_field_muscle *muscle = &muscles->muscles[muscles->lists[k]];
            box.low = sn_vec3_min(box.low, sn_vec3_sub(muscle->low, border));
            box.high = sn_vec3_max(box.high, sn_vec3_add(muscle->high, border));
        }
        muscles->reaches[i] = box;
    }
}

sni_field_value sni_field_unite_muscles(sni_field_value all, sni_field_value one) {
    if (!(one.value > 0)) {
        return all;
    }
    sni_composed g = sni_blend(SNI_OPENING_MUSCLES, 1, all.value, one.value);
    return all.value > 0 ? sni_compose(g, all, one) : one;
}

sni_field_value sni_field_with_muscles(sni_field_value limb, sni_field_value muscles) {
    if (limb.value >= SNI_DETAIL_CLOSE || !(muscles.value > 0)) {
        return limb;
    }
    return sni_compose(
        sni_detail_blend(SNI_DETAIL_CLOSE, SNI_DETAIL_WIDTH, limb.value, muscles.value), limb,
        muscles);
}

// The muscles of a part: all of them united, and the largest value of one that others have too.
typedef struct muscle_value {
    sni_field_value all;
    double shared;
} muscle_value;

// Those whose distance is more than the radius of their support
// beyond their box are not asked: their distance is at least that to their box.
static muscle_value muscles_at(const sni_field_muscles *muscles, uint32_t part, sn_vec3 at) {
    muscle_value found = {0};
    double radius = muscles->radii[part];
    sn_vec3 border = {radius, radius, radius};
    for (uint32_t k = muscles->starts[part]; k < muscles->starts[part + 1]; ++k) {
        const sni_field_muscle *muscle = &muscles->muscles[muscles->lists[k]];
        if (!is_in_box(sn_vec3_sub(muscle->low, border), sn_vec3_add(muscle->high, border), at)) {
            continue;
        }
        sni_field_value one = sni_support_field(muscle->distance(muscle->user, at), radius);
        if (!(one.value > 0)) {
            continue;
        }
        found.all = sni_field_unite_muscles(found.all, one);
        if (muscles->shared[muscles->lists[k]]) {
            found.shared = fmax(found.shared, one.value);
        }
    }
    return found;
}

// The field of a part with its muscles; `shared` becomes the largest value of a muscle that other
// parts have too.
static sni_field_value limb_at(const sni_field_tree *tree, const sni_tree_pose *pose, uint32_t part,
                               sn_vec3 at, double *shared) {
    sni_field_value limb = sni_field_part_at(&tree->parts[part], &pose->parts[part], at);
    *shared = 0;
    // Deep inside muscles say nothing.
    if (pose->muscles == NULL || limb.value >= SNI_DETAIL_CLOSE ||
        !is_in_box(pose->muscles->reaches[part].low, pose->muscles->reaches[part].high, at)) {
        return limb;
    }
    muscle_value muscles = muscles_at(pose->muscles, part, at);
    if (!(muscles.all.value > 0)) {
        return limb;
    }
    *shared = muscles.shared;
    return sni_field_with_muscles(limb, muscles.all);
}

sni_field_value sni_field_limb_at(const sni_field_tree *tree, const sni_tree_pose *pose,
                                  uint32_t part, sn_vec3 at) {
    double shared;
    return limb_at(tree, pose, part, at, &shared);
}

// Parts whose field is not 0 at a point.
typedef struct near_parts {
    uint32_t count;
    uint32_t parts[SNI_TREE_NEAR_MOST];
    sni_field_value values[SNI_TREE_NEAR_MOST];
    double shared[SNI_TREE_NEAR_MOST]; // of muscles that several parts have
} near_parts;

static void find_near(const sni_field_tree *tree, const sni_tree_pose *pose, uint32_t group,
                      sn_vec3 at, near_parts *near) {
    near->count = 0;
    uint32_t end = tree->group_starts[group + 1];
    for (uint32_t k = tree->group_starts[group]; k < end && near->count < SNI_TREE_NEAR_MOST; ++k) {
        uint32_t i = tree->group_parts[k];
        double shared;
        sni_field_value value = limb_at(tree, pose, i, at, &shared);
        if (value.value > 0) {
            near->parts[near->count] = i;
            near->shared[near->count] = shared;
            near->values[near->count++] = value;
        }
    }
}

static uint32_t place_of(const near_parts *near, uint32_t part) {
    for (uint32_t i = 0; i < near->count; ++i) {
        if (near->parts[i] == part) {
            return i;
        }
    }
    return SN_NONE;
}

// Where the fold of a hinge begins: the caps of both sides are concentric around the joint, so the
// angle falls to 0 towards it, and the gate decides how deep the sheet reaches. A later gate leaves
// the skin at the bottom of a deep fold without a sheet to rest on.
static double hinge_gate(double angle) {
    static const double begin = 10 * SN_PI / 180, end = 40 * SN_PI / 180;
    return sni_smooth_step_between(begin, end, angle);
}

static double contact_share(uint8_t contact, sn_vec3 a, sn_vec3 b) {
    switch (contact) {
    case SNI_CONTACT_ALWAYS: return 1;
    case SNI_CONTACT_HINGE: {
        double angle = sni_gradient_angle(a, b);
        return angle < 0 ? 0 : hinge_gate(angle);
    }
    default: return 0;
    }
}

// How much of contact is left beside a muscle that both parts have: none within it.
static double muscle_gate(double a, double b) {
    static const double begin = 0.25, end = 0.5; // values of the muscle
    double shared = fmin(a, b);
    return shared > begin ? 1 - sni_smooth_step_between(begin, end, shared) : 1;
}

// Takes off the contact of part number `most` among those near with all others.
static sni_field_value with_contact(const sni_field_tree *tree, const near_parts *near,
                                    uint32_t most, sni_field_value field) {
    double taken = 0, share = 0;
    uint32_t other = SN_NONE;
    for (uint32_t k = 0; k < near->count; ++k) {
        if (k == most || near->values[k].value <= 0.5) {
            continue;
        }
        uint8_t contact =
            tree->contacts[(size_t)near->parts[most] * tree->part_count + near->parts[k]];
        double chi = contact_share(contact, near->values[most].gradient, near->values[k].gradient) *
                     muscle_gate(near->shared[most], near->shared[k]);
        double depth = chi * (near->values[k].value - 0.5);
        if (depth > taken) {
            taken = depth;
            share = chi;
            other = k;
        }
    }
    if (other != SN_NONE) {
        field.value -= taken;
        field.gradient = sn_vec3_add_scaled(field.gradient, -share, near->values[other].gradient);
    }
    return field;
}

sni_tree_value sni_field_tree_at(const sni_field_tree *tree, const sni_part_pose *pose,
                                 uint32_t group, sn_vec3 at) {
    return sni_field_tree_posed_at(tree, &(sni_tree_pose){.parts = pose}, group, at);
}

sni_tree_value sni_field_tree_posed_at(const sni_field_tree *tree, const sni_tree_pose *pose,
                                       uint32_t group, sn_vec3 at) {
    near_parts near;
    find_near(tree, pose, group, at, &near);
    if (near.count == 0) {
        return (sni_tree_value){.part = SN_NONE};
    }
    uint32_t most = 0;
    for (uint32_t k = 1; k < near.count; ++k) {
        if (near.values[k].value > near.values[most].value) {
            most = k;
        }
    }
    sni_field_value field = near.values[most];
    for (uint32_t j = 0; j < tree->joint_count && near.count > 1; ++j) {
        const sni_field_joint *joint = &tree->joints[j];
        uint32_t a = place_of(&near, joint->parts[0]), b = place_of(&near, joint->parts[1]);
        if (a == SN_NONE || b == SN_NONE) {
            continue;
        }
        double t = sni_controller_between(joint->controller, near.values[a].gradient,
                                          near.values[b].gradient);
        sni_composed g = sni_blend(joint->opening, t, near.values[a].value, near.values[b].value);
        if (g.value > field.value) {
            field = sni_compose(g, near.values[a], near.values[b]);
        }
    }
    return (sni_tree_value){with_contact(tree, &near, most, field), near.parts[most]};
}
