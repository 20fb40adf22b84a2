// SPDX-License-Identifier: Apache-2.0
#include "skin/implicit/parts.h"

#include "motion/body.h"

static uint32_t parent_of(const sn_skeleton *skeleton, uint32_t segment) {
    return skeleton->segments[segment].parent;
}

static bool is_same_role(sni_body_role a, sni_body_role b) {
    return a.part == b.part && a.side == b.side;
}

static bool is_finger(sni_body_part part) {
    return part >= SNI_BODY_THUMB && part <= SNI_BODY_LITTLE;
}

// The spine is two parts: the lower half goes with the hips, the upper one with the clavicles.
// Single vertebrae are slices, whose surfaces say little.
static bool begins_chest(const sni_body *body, uint32_t segment) {
    uint32_t count = body->count[SNI_BODY_SPINE][SNI_SIDE_NONE];
    const uint32_t *spine = body->members + body->first[SNI_BODY_SPINE][SNI_SIDE_NONE];
    return count > 0 && spine[count / 2] == segment;
}

// Whether a segment of this role begins a part of its own. Bones of fingers each do, if they have
// skin enough; all others of one role are one part, and what has no role belongs to what it hangs
// on.
static bool begins_part(const sn_skeleton *skeleton, const sni_body *body, bool is_body,
                        uint32_t segment) {
    uint32_t parent = parent_of(skeleton, segment);
    if (parent == SN_NONE || !is_body) {
        return true;
    }
    sni_body_role role = body->roles[segment];
    if (role.part == SNI_BODY_NONE) {
        return false;
    }
    if (role.part == SNI_BODY_SPINE) {
        return begins_chest(body, segment);
    }
    return is_finger(role.part) || (role.part != SNI_BODY_CLAVICLE && role.part != SNI_BODY_HIPS &&
                                    !is_same_role(role, body->roles[parent]));
}

// Owners of segments: the segment that begins the part.
static void find_owners(const sn_skeleton *skeleton, const sni_body *body, bool is_body,
                        uint32_t *owners) {
    for (uint32_t k = 0; k < skeleton->segment_count; ++k) {
        uint32_t i = skeleton->parents_first[k];
        owners[i] = begins_part(skeleton, body, is_body, i) ? i : owners[parent_of(skeleton, i)];
    }
}

static void count_vertices(const sni_skin_parts_desc *desc, const uint32_t *owners,
                           uint32_t *counts) {
    for (uint32_t i = 0; i < desc->vertex_count; ++i) {
        if (desc->vertex_segments[i] != SN_NONE) {
            ++counts[owners[desc->vertex_segments[i]]];
        }
    }
}

// The next segment above that owns a part.
static uint32_t owner_above(const sn_skeleton *skeleton, const uint32_t *owners, uint32_t segment) {
    uint32_t parent = parent_of(skeleton, segment);
    return parent == SN_NONE ? SN_NONE : owners[parent];
}

// From the leaves inwards, owners with too little skin give it to the owner above them.
static void join_small(const sni_skin_parts_desc *desc, uint32_t *owners, uint32_t *counts) {
    uint32_t count = desc->skeleton->segment_count;
    for (uint32_t k = count; k-- > 0;) {
        uint32_t i = desc->skeleton->parents_first[k];
        uint32_t above = owner_above(desc->skeleton, owners, i);
        if (owners[i] != i || counts[i] >= desc->least_vertices || above == SN_NONE) {
            continue;
        }
        counts[above] += counts[i];
        counts[i] = 0;
        for (uint32_t member = 0; member < count; ++member) {
            if (owners[member] == i) {
                owners[member] = above;
            }
        }
    }
}

static sn_vec3 origin_of(const sn_mat4 *world) {
    return sn_mat4_point(world, sn_vec3_make(0, 0, 0));
}

// How the part of a segment hangs on the one above.
static sni_part_joint joint_of(const sni_body *body, bool is_body, uint32_t segment) {
    if (!is_body) {
        return SNI_PART_BALL;
    }
    sni_body_part part = body->roles[segment].part;
    if (is_finger(part)) {
        return SNI_PART_FINGER;
    }
    switch (part) {
    case SNI_BODY_FOREARM:
    case SNI_BODY_HAND:
    case SNI_BODY_SHIN:
    case SNI_BODY_FOOT:
    case SNI_BODY_TOES: return SNI_PART_HINGE;
    default: return SNI_PART_BALL;
    }
}

// A thigh leaves the pelvis sideways, and its joint lies where the pelvis ends. A clavicle's lies
// deep in the chest, where a cap would make a dent.
static bool caps_parent(const sni_body *body, bool is_body, uint32_t segment,
                        uint32_t parent_part) {
    if (!is_body) {
        return parent_part == 0;
    }
    sni_body_part part = body->roles[segment].part;
    return part == SNI_BODY_THIGH || is_finger(part) ||
           (parent_part == 0 && part == SNI_BODY_SPINE);
}

// Root, hips, spine, neck and head.
static bool is_trunk(sni_body_part part) {
    return part <= SNI_BODY_HEAD;
}

static void fill_parts(const sni_skin_parts_desc *desc, const sni_body *body, bool is_body,
                       const uint32_t *owners, const uint32_t *counts, sni_skin_parts *parts) {
    const sn_skeleton *skeleton = desc->skeleton;
    for (uint32_t k = 0; k < skeleton->segment_count; ++k) {
        uint32_t i = skeleton->parents_first[k];
        parts->segment_parts[i] = SN_NONE;
        if (owners[i] != i || counts[i] == 0) {
            continue;
        }
        uint32_t above = owner_above(skeleton, owners, i);
        while (above != SN_NONE && parts->segment_parts[above] == SN_NONE) {
            above = owner_above(skeleton, owners, above); // it has no skin at all
        }
        sni_skin_part *part = &parts->parts[parts->count];
        *part =
            (sni_skin_part){.segment = i,
                            .parent = above == SN_NONE ? SN_NONE : parts->segment_parts[above],
                            .joint = above == SN_NONE ? SNI_PART_ROOT : joint_of(body, is_body, i),
                            .from = origin_of(&desc->rest_worlds[i]),
                            .is_trunk = is_body && is_trunk(body->roles[i].part),
                            .vertex_count = counts[i]};
        part->caps_parent = part->parent != SN_NONE && caps_parent(body, is_body, i, part->parent);
        parts->segment_parts[i] = parts->count++;
    }
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (parts->segment_parts[i] == SN_NONE) {
            parts->segment_parts[i] = parts->segment_parts[owners[i]];
        }
    }
    for (uint32_t i = 0; i < desc->vertex_count; ++i) {
        uint32_t segment = desc->vertex_segments[i];
        parts->vertex_parts[i] = segment == SN_NONE ? SN_NONE : parts->segment_parts[segment];
    }
}

// The far end of a bone: the only part that hangs on it, else, at a leaf or a fork, the end of its
// skin along the way from its joint to the middle of its skin.
static void find_ends(const sni_skin_parts_desc *desc, sni_skin_parts *parts) {
    for (uint32_t i = 0; i < parts->count; ++i) {
        sni_skin_part *part = &parts->parts[i];
        uint32_t children = 0, child = 0;
        for (uint32_t k = i + 1; k < parts->count; ++k) {
            if (parts->parts[k].parent == i) {
                ++children;
                child = k;
            }
        }
        part->has_child = children == 1;
        if (children == 1) {
            part->to = parts->parts[child].from;
            continue;
        }
        sn_vec3 sum = {0, 0, 0};
        for (uint32_t v = 0; v < desc->vertex_count; ++v) {
            if (parts->vertex_parts[v] == i) {
                sum = sn_vec3_add(sum, sn_vec3_load(desc->positions + 3 * (size_t)v));
            }
        }
        sn_vec3 middle = sn_vec3_scale(sum, 1.0 / part->vertex_count);
        sn_vec3 way = sn_vec3_normalize_or(sn_vec3_sub(middle, part->from), sn_vec3_make(0, 1, 0));
        double far = 0;
        for (uint32_t v = 0; v < desc->vertex_count; ++v) {
            if (parts->vertex_parts[v] == i) {
                sn_vec3 p = sn_vec3_load(desc->positions + 3 * (size_t)v);
                far = fmax(far, sn_vec3_dot(sn_vec3_sub(p, part->from), way));
            }
        }
        part->to = sn_vec3_add_scaled(part->from, far, way);
    }
}

static bool is_hinge(sni_part_joint joint) {
    return joint == SNI_PART_HINGE || joint == SNI_PART_FINGER;
}

// Limbs: an upper arm, its forearm, hand and fingers are one group.
static void find_groups(sni_skin_parts *parts) {
    for (uint32_t i = 0; i < parts->count; ++i) {
        parts->parts[i].group = SN_NONE;
        if (!is_hinge(parts->parts[i].joint)) {
            continue;
        }
        sni_skin_part *parent = &parts->parts[parts->parts[i].parent];
        if (parent->group == SN_NONE) {
            parent->group = parts->group_count++;
        }
        parts->parts[i].group = parent->group;
    }
}

sn_status sni_skin_parts_find(sn_context *context, const sni_skin_parts_desc *desc,
                              sni_skin_parts *parts, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t segment_count = desc->skeleton->segment_count;
    uint32_t *owners = NULL, *counts = NULL;
    sni_body body = {0};
    *parts = (sni_skin_parts){.vertex_count = desc->vertex_count, .segment_count = segment_count};
    SN_TRY(sni_body_init(context, desc->skeleton, &body, error));
    bool is_body = sni_body_first(&body, SNI_BODY_HIPS, SNI_SIDE_NONE) != SN_NONE;
    SNI_NEW(context, owners, segment_count);
    SNI_NEW_ZERO(context, counts, segment_count);
    SNI_NEW(context, parts->parts, segment_count);
    SNI_NEW(context, parts->segment_parts, segment_count);
    SNI_NEW(context, parts->vertex_parts, desc->vertex_count);
    find_owners(desc->skeleton, &body, is_body, owners);
    count_vertices(desc, owners, counts);
    join_small(desc, owners, counts);
    fill_parts(desc, &body, is_body, owners, counts, parts);
    if (parts->count == 0) {
        SN_TRY(sni_fail(error, SN_INVALID, "no vertex of the skin follows a segment"));
    }
    find_ends(desc, parts);
    find_groups(parts);
cleanup:
    sni_body_deinit(context, &body);
    sni_free(context, owners);
    sni_free(context, counts);
    if (status != SN_OK) {
        sni_skin_parts_free(context, parts);
    }
    return status;
}

void sni_skin_parts_free(sn_context *context, sni_skin_parts *parts) {
    sni_free(context, parts->parts);
    sni_free(context, parts->segment_parts);
    sni_free(context, parts->vertex_parts);
    *parts = (sni_skin_parts){0};
}

double sni_skin_part_distance(const sni_skin_part *part, sn_vec3 point) {
    sn_vec3 along = sn_vec3_sub(part->to, part->from);
    double squared = sn_vec3_dot(along, along);
    double u = squared > 0 ? sn_vec3_dot(sn_vec3_sub(point, part->from), along) / squared : 0;
    u = u < 0 ? 0 : u > 1 ? 1 : u;
    return sn_vec3_distance(point, sn_vec3_add_scaled(part->from, u, along));
}

uint32_t sni_skin_main_segment(const sn_weights *weights, const uint32_t *bone_segments,
                               uint32_t vertex) {
    uint32_t best = SN_NONE, from = weights->offsets[vertex], to = weights->offsets[vertex + 1];
    double most = 0;
    for (uint32_t k = from; k < to; ++k) {
        uint32_t segment = bone_segments[weights->bones[k]];
        double sum = 0;
        for (uint32_t other = from; other < to; ++other) {
            bool same = bone_segments[weights->bones[other]] == segment;
            sum += same ? weights->values[other] : 0;
        }
        if (sum > most || (sum == most && sum > 0 && segment < best)) {
            most = sum;
            best = segment;
        }
    }
    return best;
}
