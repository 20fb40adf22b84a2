// SPDX-License-Identifier: Apache-2.0
#include "motion/skeleton.h"

#include <math.h>
#include <string.h>

static void set_unlimited(sn_segment *segment) {
    for (int i = 0; i < SN_JOINT_PARAMETER_COUNT; ++i) {
        segment->limits[i] = (sn_limit){-INFINITY, INFINITY};
        segment->rest_parameters[i] = i >= SN_JOINT_SX ? 1 : 0;
    }
}

sn_status sni_skeleton_init(sn_context *context, uint32_t count, sn_skeleton *skeleton,
                            sn_error *error) {
    sn_status status = SN_OK;
    *skeleton = (sn_skeleton){.segment_count = count};
    SNI_NEW_ZERO(context, skeleton->segments, count);
    SNI_NEW(context, skeleton->parents_first, count);
    for (uint32_t i = 0; i < count; ++i) {
        skeleton->segments[i].parent = SN_NONE;
        skeleton->segments[i].rest = sn_transform_identity();
        skeleton->parents_first[i] = i;
        set_unlimited(&skeleton->segments[i]);
    }
    return SN_OK;
cleanup:
    sni_skeleton_deinit(context, skeleton);
    return status;
}

void sni_skeleton_deinit(sn_context *context, sn_skeleton *skeleton) {
    for (uint32_t i = 0; skeleton->segments != NULL && i < skeleton->segment_count; ++i) {
        sni_free(context, skeleton->segments[i].name);
        sni_free(context, skeleton->segments[i].role);
    }
    sni_free(context, skeleton->segments);
    sni_free(context, skeleton->parents_first);
    *skeleton = (sn_skeleton){0};
}

sn_status sni_skeleton_copy(sn_context *context, const sn_skeleton *source, sn_skeleton *copy,
                            sn_error *error) {
    sn_status status = sni_skeleton_init(context, source->segment_count, copy, error);
    if (status != SN_OK) {
        return status;
    }
    for (uint32_t i = 0; i < source->segment_count; ++i) {
        const char *name = source->segments[i].name, *role = source->segments[i].role;
        copy->segments[i] = source->segments[i];
        copy->segments[i].name = name != NULL ? sni_string_copy(context, name) : NULL;
        copy->segments[i].role = role != NULL ? sni_string_copy(context, role) : NULL;
        copy->parents_first[i] = source->parents_first[i];
        if ((name != NULL && copy->segments[i].name == NULL) ||
            (role != NULL && copy->segments[i].role == NULL)) {
            sni_skeleton_deinit(context, copy);
            return sni_fail_memory(error);
        }
    }
    return SN_OK;
}

// Walks up from each segment until it meets one that is placed already, then places the way back
// down. A walk that is longer than the tree is a cycle.
sn_status sni_skeleton_sort(sn_context *context, sn_skeleton *skeleton, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = skeleton->segment_count;
    uint32_t *way = NULL;
    uint8_t *placed = NULL;
    uint32_t placed_count = 0;
    SNI_NEW(context, way, count);
    SNI_NEW_ZERO(context, placed, count);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t length = 0;
        for (uint32_t k = i; k != SN_NONE && !placed[k]; k = skeleton->segments[k].parent) {
            if (length == count) {
                const char *name = skeleton->segments[i].name;
                status =
                    sni_fail(error, SN_INVALID, "the parents of segment %u (\"%s\") form a cycle",
                             i, name != NULL ? name : "");
                goto cleanup;
            }
            way[length++] = k;
            uint32_t parent = skeleton->segments[k].parent;
            if (parent != SN_NONE && parent >= count) {
                status = sni_fail(error, SN_INVALID, "segment %u has parent %u of %u segments", k,
                                  parent, count);
                goto cleanup;
            }
        }
        while (length > 0) {
            placed[way[--length]] = 1;
            skeleton->parents_first[placed_count++] = way[length];
        }
    }
    SN_VALIDATE(sni_skeleton_is_valid(context, skeleton));
cleanup:
    sni_free(context, way);
    sni_free(context, placed);
    return status;
}

bool sni_skeleton_is_valid(sn_context *context, const sn_skeleton *skeleton) {
    uint32_t count = skeleton->segment_count;
    bool valid = true;
    uint8_t *placed = sni_alloc_zero(context, count, sizeof *placed);
    for (uint32_t i = 0; placed != NULL && i < count && valid; ++i) {
        uint32_t segment = skeleton->parents_first[i];
        valid = segment < count && !placed[segment];
        if (valid) {
            uint32_t parent = skeleton->segments[segment].parent;
            valid = parent == SN_NONE || (parent < count && placed[parent]);
            placed[segment] = 1;
        }
    }
    sni_free(context, placed);
    return valid;
}

uint32_t sni_skeleton_find(const sn_skeleton *skeleton, const char *name) {
    SN_ASSERT(name != NULL);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        const char *other = skeleton->segments[i].name;
        if (other != NULL && strcmp(other, name) == 0) {
            return i;
        }
    }
    return SN_NONE;
}

bool sni_skeleton_carries(const sn_skeleton *skeleton, uint32_t above, uint32_t segment) {
    while (segment != SN_NONE && segment != above) {
        segment = skeleton->segments[segment].parent;
    }
    return segment != SN_NONE;
}

sn_status sni_skeleton_index(sn_context *context, const sn_skeleton *skeleton,
                             sni_name_index *index, sn_error *error) {
    const void *first = skeleton->segment_count > 0 ? &skeleton->segments[0].name : NULL;
    return sni_name_index_init(context, index, first, sizeof *skeleton->segments,
                               skeleton->segment_count, error);
}

sn_transform sni_segment_local(const sn_segment *segment,
                               const double parameters[SN_JOINT_PARAMETER_COUNT]) {
    const double *p = parameters;
    sn_quat turn = sn_quat_from_euler(sn_vec3_make(p[SN_JOINT_RX], p[SN_JOINT_RY], p[SN_JOINT_RZ]),
                                      segment->order);
    return (sn_transform){
        .translation = sn_vec3_add(segment->rest.translation,
                                   sn_vec3_make(p[SN_JOINT_TX], p[SN_JOINT_TY], p[SN_JOINT_TZ])),
        .rotation = sn_quat_multiply(segment->rest.rotation, turn),
        .scale = sn_vec3_multiply(segment->rest.scale,
                                  sn_vec3_make(p[SN_JOINT_SX], p[SN_JOINT_SY], p[SN_JOINT_SZ])),
    };
}

sn_transform sni_segment_rest_local(const sn_segment *segment) {
    return sni_segment_local(segment, segment->rest_parameters);
}

static double ratio_or_one(double a, double b) {
    return b != 0 ? a / b : 1;
}

void sni_segment_parameters(const sn_segment *segment, const sn_transform *local,
                            double parameters[SN_JOINT_PARAMETER_COUNT]) {
    sn_quat turn = sn_quat_multiply(sn_quat_conjugate(segment->rest.rotation), local->rotation);
    sn_vec3 angles = sn_quat_to_euler(turn, segment->order);
    sn_vec3 shift = sn_vec3_sub(local->translation, segment->rest.translation);
    parameters[SN_JOINT_RX] = angles.x;
    parameters[SN_JOINT_RY] = angles.y;
    parameters[SN_JOINT_RZ] = angles.z;
    parameters[SN_JOINT_TX] = shift.x;
    parameters[SN_JOINT_TY] = shift.y;
    parameters[SN_JOINT_TZ] = shift.z;
    parameters[SN_JOINT_SX] = ratio_or_one(local->scale.x, segment->rest.scale.x);
    parameters[SN_JOINT_SY] = ratio_or_one(local->scale.y, segment->rest.scale.y);
    parameters[SN_JOINT_SZ] = ratio_or_one(local->scale.z, segment->rest.scale.z);
}

// How far an angle lies outside a limit, at the turn (of -1, 0, 1) where it does so least.
static double least_excess(double *angle, sn_limit limit) {
    static const int turns[] = {0, -1, 1};
    double best = INFINITY, start = *angle;
    for (int i = 0; i < 3; ++i) {
        double value = start + 2 * SN_PI * turns[i];
        double excess = fabs(value - sni_limit_clamp(limit, value));
        if (excess < best) {
            best = excess;
            *angle = value;
        }
    }
    return best;
}

// The angles (a, b, c) in the segment's order and (a + pi, pi - b, c + pi) are the same rotation.
static void write_otherwise(const sn_segment *segment, const double angles[3], double other[3]) {
    static const int middle[] = {
        [SN_ROTATION_XYZ] = 1, [SN_ROTATION_XZY] = 2, [SN_ROTATION_YXZ] = 0,
        [SN_ROTATION_YZX] = 2, [SN_ROTATION_ZXY] = 0, [SN_ROTATION_ZYX] = 1};
    for (int i = 0; i < 3; ++i) {
        other[i] = i == middle[segment->order] ? SN_PI - angles[i] : angles[i] + SN_PI;
    }
}

// A shoulder lifted beyond 90 degrees is not cut because its angles were written the other way.
void sni_segment_choose_angles(const sn_segment *segment, double angles[3]) {
    double plain[3], other[3], plain_excess = 0, other_excess = 0;
    write_otherwise(segment, angles, other);
    for (int i = 0; i < 3; ++i) {
        plain[i] = angles[i];
        double a = least_excess(&plain[i], segment->limits[i]);
        double b = least_excess(&other[i], segment->limits[i]);
        plain_excess += a * a;
        other_excess += b * b;
    }
    // Rounding must not decide between two that fit.
    const double *chosen = other_excess < plain_excess - 1e-12 ? other : plain;
    memcpy(angles, chosen, 3 * sizeof *angles);
}

void sni_segment_near_angles(const sn_segment *segment, const double near[3], double angles[3]) {
    double plain[3], other[3], plain_way = 0, other_way = 0;
    write_otherwise(segment, angles, other);
    for (int i = 0; i < 3; ++i) {
        plain[i] = angles[i] + 2 * SN_PI * round((near[i] - angles[i]) / (2 * SN_PI));
        other[i] += 2 * SN_PI * round((near[i] - other[i]) / (2 * SN_PI));
        plain_way += fabs(plain[i] - near[i]);
        other_way += fabs(other[i] - near[i]);
    }
    memcpy(angles, other_way < plain_way ? other : plain, 3 * sizeof *angles);
}

void sni_skeleton_world(const sn_skeleton *skeleton, const sn_transform *locals, sn_mat4 *worlds) {
    SN_ASSERT(skeleton->segment_count == 0 || (locals != NULL && worlds != NULL));
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t segment = skeleton->parents_first[i];
        uint32_t parent = skeleton->segments[segment].parent;
        sn_mat4 local = sn_mat4_from_transform(&locals[segment]);
        worlds[segment] = parent != SN_NONE ? sn_mat4_multiply(&worlds[parent], &local) : local;
    }
}

sn_status sni_skeleton_rest_worlds(sn_context *context, const sn_skeleton *skeleton,
                                   sn_mat4 **worlds, sn_error *error) {
    sn_status status = SN_OK;
    sn_transform *locals = NULL;
    *worlds = NULL;
    SNI_NEW(context, locals, skeleton->segment_count);
    SNI_NEW(context, *worlds, skeleton->segment_count);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        locals[i] = sni_segment_rest_local(&skeleton->segments[i]);
    }
    sni_skeleton_world(skeleton, locals, *worlds);
cleanup:
    sni_free(context, locals);
    return status;
}
