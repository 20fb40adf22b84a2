// SPDX-License-Identifier: Apache-2.0
#include "motion/limbs.h"

#include "base/rows.h"
#include "base/text.h"
#include "geometry/edge.h"
#include "motion/body.h"
#include "motion/skeleton.h"

#include <string.h>

// Length of a chain's last limb, in lengths of the one before.
static const double last_length = 0.5;

// ---------------------------------------------------------------------------------------------
// Which segments are limbs

static sn_status mark_limb(sni_limbs *limbs, const sn_skeleton *skeleton,
                           const sni_name_index *index, const char *name, const char *what,
                           sn_error *error) {
    uint32_t segment = sni_name_index_find(index, name);
    if (segment == SN_NONE) {
        sni_closest closest = sni_closest_to(name);
        char hint[SNI_HINT_BYTES];
        for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
            if (skeleton->segments[i].name != NULL) {
                sni_closest_try(&closest, skeleton->segments[i].name);
            }
        }
        return sni_fail(error, SN_INVALID, "%s \"%s\" is not in the skeleton%s", what, name,
                        sni_closest_hint(&closest, hint));
    }
    limbs->is_limb[segment] = 1;
    return SN_OK;
}

static sn_status mark_named(sni_limbs *limbs, const sni_limbs_desc *desc,
                            const sni_name_index *index, bool *any, sn_error *error) {
    *any = desc->segments != NULL;
    for (uint32_t i = 0; desc->segments != NULL && i < desc->segment_count; ++i) {
        sn_status status =
            mark_limb(limbs, desc->skeleton, index, desc->segments[i], "segment", error);
        if (status != SN_OK) {
            return status;
        }
    }
    for (uint32_t m = 0; desc->segments == NULL && m < desc->mesh_count; ++m) {
        const sn_weights *weights = desc->meshes[m]->weights;
        for (uint32_t b = 0; weights != NULL && b < weights->bone_count; ++b) {
            *any = true;
            sn_status status = mark_limb(limbs, desc->skeleton, index, weights->bone_names[b],
                                         "the skin's bone", error);
            if (status != SN_OK) {
                return status;
            }
        }
    }
    return SN_OK;
}

// All segments but those that hang on nothing and have nothing hanging on them, such as the nodes
// that carry meshes in a glTF file.
static void mark_connected(sni_limbs *limbs, const sn_skeleton *skeleton) {
    bool any = false;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t parent = skeleton->segments[i].parent;
        if (parent != SN_NONE) {
            limbs->is_limb[i] = limbs->is_limb[parent] = 1;
            any = true;
        }
    }
    if (!any) {
        memset(limbs->is_limb, 1, skeleton->segment_count);
    }
}

static sn_status mark_limbs(sni_limbs *limbs, const sni_limbs_desc *desc,
                            const sni_name_index *index, sn_error *error) {
    bool any = false;
    sn_status status = mark_named(limbs, desc, index, &any, error);
    if (status == SN_OK && !any) {
        mark_connected(limbs, desc->skeleton);
    }
    return status;
}

static void find_parents(sni_limbs *limbs, const sn_skeleton *skeleton) {
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t segment = skeleton->parents_first[i];
        uint32_t parent = skeleton->segments[segment].parent;
        bool skipped = parent != SN_NONE && !limbs->is_limb[parent];
        limbs->parents[segment] = skipped ? limbs->parents[parent] : parent;
    }
}

// ---------------------------------------------------------------------------------------------
// Where they are

static bool is_near_identity(const sn_mat4 *a) {
    sn_mat4 identity = sn_mat4_identity();
    double worst = 0;
    for (int i = 0; i < 16; ++i) {
        worst = fmax(worst, fabs(a->m[i] - identity.m[i]));
    }
    return worst < 1e-6; // inverse bind matrices are floats in files
}

// A bone's inverse bind matrix says where its segment stands in the skin's space. Segments without
// one keep their place relative to the first that has one. `worlds` are the skeleton's rest frames.
static void move_to_skin(sni_limbs *limbs, const sn_weights *weights, const sni_name_index *index,
                         const sn_mat4 *worlds) {
    bool first = true;
    for (uint32_t b = 0; b < weights->bone_count; ++b) {
        uint32_t segment = sni_name_index_find(index, weights->bone_names[b]);
        sn_mat4 frame;
        if (segment == SN_NONE || !sn_mat4_invert(&weights->inverse_bind[b], &frame)) {
            continue;
        }
        sn_mat4 to_skeleton = sn_mat4_multiply(&worlds[segment], &weights->inverse_bind[b]);
        sn_mat4 to_skin;
        limbs->moved |= !is_near_identity(&to_skeleton);
        if (first && sn_mat4_invert(&to_skeleton, &to_skin)) {
            for (uint32_t i = 0; i < limbs->segment_count; ++i) {
                limbs->frames[i] = sn_mat4_multiply(&to_skin, &worlds[i]);
            }
            first = false;
        }
        limbs->frames[segment] = frame;
    }
}

static sn_status find_frames(sni_limbs *limbs, const sni_limbs_desc *desc,
                             const sni_name_index *index, sn_error *error) {
    sn_status status = SN_OK;
    const sn_skeleton *skeleton = desc->skeleton;
    sn_mat4 *worlds = NULL;
    SN_TRY(sni_skeleton_rest_worlds(limbs->context, skeleton, &worlds, error));
    memcpy(limbs->frames, worlds, skeleton->segment_count * sizeof *worlds);
    for (uint32_t m = 0; m < desc->mesh_count; ++m) {
        const sn_weights *weights = desc->meshes[m]->weights;
        if (weights != NULL && weights->inverse_bind != NULL) {
            move_to_skin(limbs, weights, index, worlds);
            break;
        }
    }
cleanup:
    sni_free(limbs->context, worlds);
    return status;
}

static sn_vec3 joint_of(const sni_limbs *limbs, uint32_t segment) {
    const double *m = limbs->frames[segment].m;
    return sn_vec3_make(m[12], m[13], m[14]);
}

static sni_limb_line last_line(const sni_limbs *limbs, uint32_t segment) {
    sn_vec3 joint = joint_of(limbs, segment);
    sni_limb_line line = {.from = joint, .to = joint, .segment = segment};
    uint32_t parent = limbs->parents[segment];
    line.joint_from = parent != SN_NONE;
    // Limbs without length, such as those that only turn, have no direction to go on in.
    while (parent != SN_NONE && !(sn_vec3_distance(joint_of(limbs, parent), joint) > 0)) {
        parent = limbs->parents[parent];
    }
    if (parent != SN_NONE) {
        line.to =
            sn_vec3_add_scaled(joint, last_length, sn_vec3_sub(joint, joint_of(limbs, parent)));
    }
    return line;
}

// Whether a part of the body is straight, so that segments within it divide a bone to twist it
// (upperarm01, upperarm02) and do not meet in a joint.
static bool is_straight(sni_body_part part) {
    return part == SNI_BODY_UPPER_ARM || part == SNI_BODY_FOREARM || part == SNI_BODY_THIGH ||
           part == SNI_BODY_SHIN;
}

static bool is_joint(const sni_body *body, uint32_t parent, uint32_t child) {
    sni_body_role a = body->roles[parent], b = body->roles[child];
    return !(a.part == b.part && a.side == b.side && is_straight(a.part));
}

// Lines by rising segment: places are counted, then filled by the limbs that hang on each.
static sn_status make_lines(sni_limbs *limbs, const sni_body *body, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = limbs->segment_count;
    uint32_t *places = NULL;
    SNI_NEW_ZERO(limbs->context, places, (size_t)count + 1);
    for (uint32_t i = 0; i < count; ++i) {
        if (limbs->is_limb[i] && limbs->parents[i] != SN_NONE) {
            sni_rows_count(places, limbs->parents[i], 1);
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        sni_rows_count(places, i, limbs->is_limb[i] && places[i + 1] == 0);
    }
    limbs->line_count = sni_rows_begin(places, count);
    SNI_NEW_ZERO(limbs->context, limbs->lines, limbs->line_count);
    for (uint32_t i = 0; i < count; ++i) {
        if (limbs->is_limb[i]) {
            limbs->lines[places[i]] = last_line(limbs, i);
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t parent = limbs->parents[i];
        if (limbs->is_limb[i] && parent != SN_NONE) {
            limbs->lines[sni_rows_take(places, parent)] = (sni_limb_line){
                .from = joint_of(limbs, parent),
                .to = joint_of(limbs, i),
                .segment = parent,
                .joint_from = limbs->parents[parent] != SN_NONE &&
                              is_joint(body, limbs->parents[parent], parent),
                .joint_to = is_joint(body, parent, i),
            };
        }
    }
cleanup:
    sni_free(limbs->context, places);
    return status;
}

sn_status sni_limbs_init(sn_context *context, const sni_limbs_desc *desc, sni_limbs *limbs,
                         sn_error *error) {
    sn_status status = SN_OK;
    const sn_skeleton *skeleton = desc->skeleton;
    sni_name_index index = {0};
    sni_body body = {0};
    *limbs = (sni_limbs){.context = context, .segment_count = skeleton->segment_count};
    SN_TRY(sni_skeleton_index(context, skeleton, &index, error));
    SNI_NEW(context, limbs->frames, skeleton->segment_count);
    SNI_NEW_ZERO(context, limbs->is_limb, skeleton->segment_count);
    SNI_NEW(context, limbs->parents, skeleton->segment_count);
    SN_TRY(mark_limbs(limbs, desc, &index, error));
    find_parents(limbs, skeleton);
    SN_TRY(find_frames(limbs, desc, &index, error));
    SN_TRY(sni_body_init(context, skeleton, &body, error));
    SN_TRY(make_lines(limbs, &body, error));
    if (limbs->line_count == 0) {
        status = sni_fail(error, SN_INVALID, "the skeleton has no limbs");
    }
cleanup:
    sni_name_index_deinit(context, &index);
    sni_body_deinit(context, &body);
    if (status != SN_OK) {
        sni_limbs_deinit(limbs);
    }
    return status;
}

void sni_limbs_deinit(sni_limbs *limbs) {
    sni_free(limbs->context, limbs->frames);
    sni_free(limbs->context, limbs->is_limb);
    sni_free(limbs->context, limbs->parents);
    sni_free(limbs->context, limbs->lines);
    *limbs = (sni_limbs){0};
}

// ---------------------------------------------------------------------------------------------
// Questions

sni_limb_place sni_limb_line_place(const sni_limbs *limbs, uint32_t line, sn_vec3 point) {
    const sni_limb_line *l = &limbs->lines[line];
    double along;
    double distance2 = sni_edge_closest(l->from, l->to, point, &along);
    return (sni_limb_place){line, along, sqrt(distance2)};
}

sni_limb_place sni_limbs_closest(const sni_limbs *limbs, sn_vec3 point) {
    SN_ASSERT(limbs->line_count > 0);
    sni_limb_place best = {.line = 0, .distance = INFINITY};
    for (uint32_t i = 0; i < limbs->line_count; ++i) {
        sni_limb_place place = sni_limb_line_place(limbs, i, point);
        if (place.distance < best.distance) {
            best = place;
        }
    }
    return best;
}

static bool hangs_on(const sni_limbs *limbs, uint32_t limb, uint32_t root, uint32_t steps) {
    while (limb != root && limb != SN_NONE && steps > 0) {
        limb = limbs->parents[limb];
        --steps;
    }
    return limb == root;
}

bool sni_limb_hangs_on(const sni_limbs *limbs, uint32_t limb, uint32_t above) {
    return hangs_on(limbs, limb, above, limbs->segment_count);
}

bool sni_limbs_are_kin(const sni_limbs *limbs, uint32_t a, uint32_t b, uint32_t steps) {
    SN_ASSERT(a < limbs->segment_count && b < limbs->segment_count);
    return hangs_on(limbs, a, b, steps) || hangs_on(limbs, b, a, steps);
}
