// SPDX-License-Identifier: Apache-2.0
//
// The animation of a skinned .glb. What does not move gets no channel, and what holds still away
// from its rest one key.
#include "io/gltf/write_motion.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

// Rotations of a length this near to one keep their bits.
static const double unit_tolerance = 1e-6;

sn_quat sni_gltf_unit_rotation(sn_quat q) {
    return fabs(sqrt(sn_quat_dot(q, q)) - 1) > unit_tolerance ? sn_quat_normalize(q) : q;
}

typedef struct animation {
    sn_value *value; // NULL until the first channel
    sn_value *samplers, *channels;
    uint32_t times;      // accessor of all times, SN_NONE until needed
    uint32_t first_time; // accessor of the first time alone, for what holds still off its rest
} animation;

static sn_status put_times(const sni_gltf_motion *m, uint32_t count, uint32_t *accessor,
                           sn_error *error) {
    sn_status status = SN_OK;
    float *times = NULL;
    SNI_NEW(m->context, times, count);
    for (uint32_t i = 0; i < count; ++i) {
        times[i] = (float)(m->clip->first_time + i / m->clip->rate);
        if (i > 0 && times[i] <= times[i - 1]) {
            status = sni_fail(error, SN_LIMIT, "frame %u of %g per second has no time of its own",
                              i, m->clip->rate);
            goto cleanup;
        }
    }
    sni_gltf_array array = {
        .values = times, .count = count, .width = 1, .component = SNI_GLTF_FLOAT, .bounds = true};
    SN_TRY(sni_gltf_put_accessor(m->writer, &array, accessor, error));
cleanup:
    sni_free(m->context, times);
    return status;
}

// Adds a channel for `frame_count` rows of `row` numbers, unless they all equal `rest`. `width` is
// that of the accessor: weights are written one by one.
static sn_status put_channel(const sni_gltf_motion *m, animation *a, uint32_t node,
                             const char *path, const float *values, uint32_t row, uint32_t width,
                             const float *rest, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t frames = m->clip->frame_count;
    bool is_constant = true;
    for (uint32_t f = 1; f < frames && is_constant; ++f) {
        is_constant = memcmp(values + (size_t)f * row, values, row * sizeof *values) == 0;
    }
    if (is_constant && memcmp(values, rest, row * sizeof *values) == 0) {
        return SN_OK;
    }
    uint32_t *times = is_constant ? &a->first_time : &a->times;
    uint32_t keys = is_constant ? 1 : frames;
    if (*times == SN_NONE) {
        SN_TRY(put_times(m, keys, times, error));
    }
    uint32_t output, index;
    sni_gltf_writer *w = m->writer;
    sni_gltf_array array = {.values = values,
                            .count = keys * (row / width),
                            .width = width,
                            .component = SNI_GLTF_FLOAT};
    SN_TRY(sni_gltf_put_accessor(w, &array, &output, error));
    if (a->value == NULL) {
        a->value = sni_gltf_put_item(w, SNI_GLTF_ANIMATIONS, &index);
        if (m->clip->name != NULL && m->clip->name[0] != 0) {
            sni_gltf_put_string(w, a->value, "name", m->clip->name);
        }
        a->samplers = sni_gltf_put_array(w, a->value, "samplers");
        a->channels = sni_gltf_put_array(w, a->value, "channels");
    }
    sn_value *channel = sni_gltf_put_object(w, a->channels, NULL);
    sni_gltf_put_number(w, channel, "sampler", sn_value_count(a->samplers));
    sn_value *target = sni_gltf_put_object(w, channel, "target");
    sni_gltf_put_number(w, target, "node", node);
    sni_gltf_put_string(w, target, "path", path);
    sn_value *sampler = sni_gltf_put_object(w, a->samplers, NULL);
    sni_gltf_put_number(w, sampler, "input", *times);
    sni_gltf_put_number(w, sampler, "output", output);
    sni_gltf_put_string(w, sampler, "interpolation", "LINEAR");
cleanup:
    return status;
}

static void store_rotation(sn_quat q, float *values) {
    q = sni_gltf_unit_rotation(q);
    values[0] = (float)q.x;
    values[1] = (float)q.y;
    values[2] = (float)q.z;
    values[3] = (float)q.w;
}

static sn_status put_segment_channels(const sni_gltf_motion *m, animation *a, uint32_t segment,
                                      float *values, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t frames = m->clip->frame_count, stride = m->desc->skeleton->segment_count;
    const sn_transform *first = m->clip->locals + segment;
    float rest[4];
    for (uint32_t f = 0; f < frames; ++f) {
        sn_vec3_store(first[(size_t)f * stride].translation, values + 3 * (size_t)f);
    }
    sn_vec3_store(m->rests[segment].translation, rest);
    SN_TRY(put_channel(m, a, segment, "translation", values, 3, 3, rest, error));
    for (uint32_t f = 0; f < frames; ++f) {
        store_rotation(first[(size_t)f * stride].rotation, values + 4 * (size_t)f);
    }
    store_rotation(m->rests[segment].rotation, rest);
    SN_TRY(put_channel(m, a, segment, "rotation", values, 4, 4, rest, error));
    for (uint32_t f = 0; f < frames; ++f) {
        sn_vec3_store(first[(size_t)f * stride].scale, values + 3 * (size_t)f);
    }
    sn_vec3_store(m->rests[segment].scale, rest);
    SN_TRY(put_channel(m, a, segment, "scale", values, 3, 3, rest, error));
cleanup:
    return status;
}

static sn_status put_morph_channel(const sni_gltf_motion *m, animation *a, uint32_t mesh,
                                   sn_error *error) {
    sn_status status = SN_OK;
    const sn_mesh *source = m->desc->meshes[mesh];
    float *rest = NULL;
    if (m->clip->weights == NULL || m->clip->weights[mesh] == NULL || source->target_count == 0) {
        return SN_OK;
    }
    if ((uint64_t)m->clip->frame_count * source->target_count >= SN_NONE) {
        return sni_fail(error, SN_LIMIT, "mesh \"%s\": %u frames of %u morph targets", source->name,
                        m->clip->frame_count, source->target_count);
    }
    SNI_NEW(m->context, rest, source->target_count);
    for (uint32_t i = 0; i < source->target_count; ++i) {
        rest[i] = source->targets[i].weight;
    }
    SN_TRY(put_channel(m, a, m->mesh_nodes[mesh], "weights", m->clip->weights[mesh],
                       source->target_count, 1, rest, error));
cleanup:
    sni_free(m->context, rest);
    return status;
}

sn_status sni_gltf_put_motion(const sni_gltf_motion *m, sn_error *error) {
    sn_status status = SN_OK;
    float *values = NULL;
    animation a = {.times = SN_NONE, .first_time = SN_NONE};
    if (m->clip->frame_count == 0) {
        return SN_OK;
    }
    if (m->clip->frame_count == 1) { // both are the same then
        SN_TRY(put_times(m, 1, &a.first_time, error));
        a.times = a.first_time;
    }
    SNI_NEW(m->context, values, 4 * (size_t)m->clip->frame_count);
    for (uint32_t i = 0; i < m->desc->skeleton->segment_count; ++i) {
        SN_TRY(put_segment_channels(m, &a, i, values, error));
    }
    for (uint32_t i = 0; i < m->desc->mesh_count; ++i) {
        SN_TRY(put_morph_channel(m, &a, i, error));
    }
    if (a.value == NULL) {
        sni_log(m->context, SN_LOG_INFO, "io", "nothing moves: the .glb has no animation");
    }
cleanup:
    sni_free(m->context, values);
    return status;
}
