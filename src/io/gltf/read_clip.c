// SPDX-License-Identifier: Apache-2.0
//
// Animations of a glTF file as clips.
//
// Morph targets become parameters, and a parameter is known by its name alone, while glTF animates
// the weights of each node by themselves. One rule makes both agree: a target name that several
// meshes bear stays one parameter when all of them have the same rest weight and the same keys in
// every animation (a face, its teeth and its lashes that smile together); otherwise each of them is
// renamed "MESH.TARGET". Meshes and tracks are renamed alike.
#include "io/gltf/gltf.h"

#include "base/context.h"
#include "motion/skeleton.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// glTF keys have times, not frames: this is how densely a clip is played and baked.
static const double default_rate = 30;

// A rotation this far from unit length is normalised; nearer ones keep their bits.
static const double unit_tolerance = 1e-6;

// A track that moves a morph target.
typedef struct morph_track {
    uint32_t morph;
    uint32_t clip;
    uint32_t track;
} morph_track;

typedef struct reader {
    sni_gltf *gltf;
    sn_context *context;
    sn_import *import;
    uint32_t morph_count;
    uint32_t track_count;
    morph_track *tracks; // in the order of clips
    uint32_t *taken;     // nodes x 4: 1 + the last animation that has a channel for this path
} reader;

typedef struct channel {
    const sn_value *value;
    const sn_value *sampler;
    uint32_t animation;
    uint32_t node;
    int path; // index into path_names
    sn_interpolation interpolation;
    uint32_t key_count;
    double *times;
    float *values;
    uint32_t values_per_key; // 3, 4, or targets
} channel;

static const char *const path_names[] = {"translation", "rotation", "scale", "weights", NULL};
static const int path_weights = 3;

static sn_status at_channel(const reader *r, const channel *c, sn_status status, sn_error *error) {
    return sni_gltf_at(r->gltf, c->value, status, error);
}

// ---------------------------------------------------------------------------------------------
// Channels

// Reads what a channel moves. `c->path` is -1 when it is nothing that sinew plays.
static sn_status read_channel_target(reader *r, channel *c, sn_error *error) {
    const sn_value *target;
    const char *path = "";
    sn_status status = SN_OK;
    c->path = -1;
    SN_TRY(sni_gltf_get_object(r->gltf, c->value, "target", &target, error));
    if (target == NULL) {
        status = sni_fail(error, SN_INVALID, "\"target\" is missing");
        at_channel(r, c, status, error);
        goto cleanup;
    }
    SN_TRY(sni_gltf_get_string(r->gltf, target, "path", true, &path, error));
    SN_TRY(sni_gltf_get_index(r->gltf, target, "node", SNI_GLTF_NODES, false, &c->node, error));
    for (int i = 0; path_names[i] != NULL; ++i) {
        if (strcmp(path, path_names[i]) == 0 && c->node != SN_NONE) {
            c->path = i;
        }
    }
    if (c->path < 0) {
        sni_log(r->context, SN_LOG_WARNING, "io", "animation %u: a channel for \"%s\" is left out",
                c->animation, path);
        goto cleanup;
    }
    uint32_t *taken = &r->taken[4 * (size_t)c->node + (uint32_t)c->path];
    if (*taken == c->animation + 1) {
        status =
            sni_fail(error, SN_INVALID, "a second channel for the %s of node %u", path, c->node);
        at_channel(r, c, status, error);
        goto cleanup;
    }
    *taken = c->animation + 1;
cleanup:
    return status;
}

// A node that is no segment has no transform that matters; one without a mesh no weights.
static bool channel_matters(const reader *r, const channel *c) {
    if (c->path < 0) {
        return false;
    }
    if (c->path == path_weights) {
        uint32_t instance = r->gltf->node_instance[c->node];
        return instance != SN_NONE && r->import->meshes[instance]->target_count > 0;
    }
    return r->gltf->nodes[c->node].segment != SN_NONE;
}

static sn_status read_interpolation(const reader *r, channel *c, sn_error *error) {
    const char *name = "LINEAR";
    sn_status status =
        sni_gltf_get_string(r->gltf, c->sampler, "interpolation", false, &name, error);
    if (status != SN_OK) {
        return status;
    }
    if (strcmp(name, "LINEAR") == 0) {
        c->interpolation = SN_INTERPOLATION_LINEAR;
    } else if (strcmp(name, "STEP") == 0) {
        c->interpolation = SN_INTERPOLATION_STEPPED;
    } else if (strcmp(name, "CUBICSPLINE") == 0) {
        c->interpolation = SN_INTERPOLATION_CUBIC;
    } else {
        sni_fail(error, SN_INVALID, "unknown interpolation \"%s\"", name);
        return sni_gltf_at(r->gltf, c->sampler, SN_INVALID, error);
    }
    return SN_OK;
}

static sn_status read_times(const reader *r, channel *c, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t index;
    float *times = NULL;
    sni_gltf_accessor accessor;
    SN_TRY(
        sni_gltf_get_index(r->gltf, c->sampler, "input", SNI_GLTF_ACCESSORS, true, &index, error));
    SN_TRY(sni_gltf_open(r->gltf, index, 1u << 1, false, &accessor, error));
    c->key_count = accessor.count;
    SNI_NEW(r->context, times, c->key_count);
    SNI_NEW(r->context, c->times, c->key_count);
    SN_TRY(sni_gltf_read_floats(&accessor, times, error));
    for (uint32_t i = 0; i < c->key_count; ++i) {
        c->times[i] = times[i];
        if (times[i] < 0 || (i > 0 && times[i] <= times[i - 1])) {
            status = sni_fail(error, SN_INVALID, "time %u is %g: expected rising times from 0 on",
                              i, (double)times[i]);
            sni_error_place(error, 0, "accessor %u", index);
            goto cleanup;
        }
    }
cleanup:
    sni_free(r->context, times);
    return status;
}

static sn_status read_values(const reader *r, channel *c, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t index;
    sni_gltf_accessor accessor;
    uint32_t width = c->path == path_weights ? 1 : c->path == 1 ? 4 : 3;
    uint64_t elements = c->key_count;
    c->values_per_key = width;
    if (c->path == path_weights) {
        c->values_per_key = r->import->meshes[r->gltf->node_instance[c->node]]->target_count;
        elements *= c->values_per_key;
    }
    elements *= c->interpolation == SN_INTERPOLATION_CUBIC ? 3 : 1;
    SN_TRY(
        sni_gltf_get_index(r->gltf, c->sampler, "output", SNI_GLTF_ACCESSORS, true, &index, error));
    SN_TRY(sni_gltf_open(r->gltf, index, 1u << width, false, &accessor, error));
    if (accessor.count != elements) {
        status = sni_fail(error, SN_INVALID, "%u values for %u keys of %s, expected %llu",
                          accessor.count, c->key_count, path_names[c->path],
                          (unsigned long long)elements);
        sni_error_place(error, 0, "accessor %u", index);
        goto cleanup;
    }
    SNI_NEW(r->context, c->values, elements * width);
    SN_TRY(sni_gltf_read_floats(&accessor, c->values, error));
cleanup:
    return status;
}

static sn_status read_sampler(const reader *r, const sn_value *samplers, channel *c,
                              sn_error *error) {
    uint64_t index = 0;
    sn_status status = SN_OK;
    SN_TRY(sni_gltf_get_integer(r->gltf, c->value, "sampler", true, &index, error));
    if (index >= sn_value_count(samplers)) {
        status = sni_fail(error, SN_INVALID, "there is no sampler %llu: the animation has %u",
                          (unsigned long long)index, sn_value_count(samplers));
        at_channel(r, c, status, error);
        goto cleanup;
    }
    c->sampler = sn_value_at(samplers, (uint32_t)index);
    SN_TRY(read_interpolation(r, c, error));
    SN_TRY(read_times(r, c, error));
    SN_TRY(read_values(r, c, error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Tracks

static sn_status normalize_rotations(const reader *r, const channel *c, sn_track *track,
                                     sn_error *error) {
    uint32_t step = track->interpolation == SN_INTERPOLATION_CUBIC ? 12 : 4;
    uint32_t first = track->interpolation == SN_INTERPOLATION_CUBIC ? 4 : 0; // not the tangents
    for (uint32_t i = 0; i < track->key_count; ++i) {
        double *q = track->values + (size_t)i * step + first;
        double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (!(length > 0)) {
            sni_fail(error, SN_INVALID, "rotation key %u of node %u is zero", i, c->node);
            return at_channel(r, c, SN_INVALID, error);
        }
        if (fabs(length - 1) > unit_tolerance) {
            for (int k = 0; k < 4; ++k) {
                q[k] /= length;
            }
        }
    }
    return SN_OK;
}

static sn_status add_transform_track(const reader *r, const channel *c, sn_clip *clip,
                                     sn_error *error) {
    static const sn_track_kind kinds[] = {SN_TRACK_TRANSLATION, SN_TRACK_ROTATION, SN_TRACK_SCALE};
    uint32_t segment = r->gltf->nodes[c->node].segment;
    sn_track *track;
    sn_status status =
        sn_clip_add_track(clip, kinds[c->path], r->import->skeleton.segments[segment].name,
                          c->interpolation, c->key_count, &track, error);
    if (status != SN_OK) {
        return status;
    }
    size_t parts = c->interpolation == SN_INTERPOLATION_CUBIC ? 3 : 1;
    memcpy(track->times, c->times, c->key_count * sizeof *track->times);
    for (size_t i = 0; i < c->key_count * parts * c->values_per_key; ++i) {
        track->values[i] = c->values[i];
    }
    return track->kind == SN_TRACK_ROTATION ? normalize_rotations(r, c, track, error) : SN_OK;
}

// Key i of target t: values[i][t], or, with tangents, values[i][part][t].
static sn_status add_weight_tracks(reader *r, const channel *c, sn_clip *clip, sn_error *error) {
    const sni_gltf_instance *instance = &r->gltf->instances[r->gltf->node_instance[c->node]];
    const sn_mesh *mesh = r->import->meshes[r->gltf->node_instance[c->node]];
    size_t parts = c->interpolation == SN_INTERPOLATION_CUBIC ? 3 : 1;
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        sn_track *track;
        sn_status status = sn_clip_add_track(clip, SN_TRACK_PARAMETER, mesh->targets[t].name,
                                             c->interpolation, c->key_count, &track, error);
        if (status != SN_OK) {
            return status;
        }
        memcpy(track->times, c->times, c->key_count * sizeof *track->times);
        for (size_t i = 0; i < c->key_count * parts; ++i) {
            track->values[i] = c->values[i * mesh->target_count + t];
        }
        if (!sni_grow_by_one(r->context, &r->tracks, r->track_count, sizeof *r->tracks)) {
            return sni_fail_memory(error);
        }
        r->tracks[r->track_count++] = (morph_track){.morph = instance->first_morph + t,
                                                    .clip = r->import->clip_count,
                                                    .track = clip->track_count - 1};
    }
    return SN_OK;
}

static sn_status read_channel(reader *r, const sn_value *value, const sn_value *samplers,
                              uint32_t animation, sn_clip *clip, double *duration,
                              sn_error *error) {
    channel c = {.value = value, .animation = animation};
    sn_status status = SN_OK;
    SN_TRY(read_channel_target(r, &c, error));
    if (!channel_matters(r, &c)) {
        goto cleanup;
    }
    SN_TRY(read_sampler(r, samplers, &c, error));
    *duration = fmax(*duration, c.times[c.key_count - 1]);
    SN_TRY(c.path == path_weights ? add_weight_tracks(r, &c, clip, error)
                                  : add_transform_track(r, &c, clip, error));
cleanup:
    sni_free(r->context, c.times);
    sni_free(r->context, c.values);
    return status;
}

static sn_status set_frames(sn_clip *clip, uint32_t animation, double duration, sn_error *error) {
    double frames = floor(duration * clip->rate + 1e-6) + 1; // 1e-6: 1/30 s in single precision
    if (frames >= SN_NONE) {
        sni_fail(error, SN_LIMIT, "it lasts %g seconds, which is too long", duration);
        sni_error_place(error, 0, "animation %u", animation);
        return SN_LIMIT;
    }
    clip->frame_count = (uint32_t)frames;
    return SN_OK;
}

static sn_status read_clip(reader *r, uint32_t animation, const char *name, sn_error *error) {
    const sn_value *value = sni_gltf_item(r->gltf, SNI_GLTF_ANIMATIONS, animation);
    const sn_value *channels, *samplers;
    sn_clip *clip = NULL;
    double duration = 0;
    sn_status status = SN_OK;
    SN_TRY(sni_gltf_get_array(r->gltf, value, "channels", &channels, error));
    SN_TRY(sni_gltf_get_array(r->gltf, value, "samplers", &samplers, error));
    SN_TRY(sn_clip_create(r->context, name, default_rate, 1, &clip, error));
    for (uint32_t i = 0; i < sn_value_count(channels); ++i) {
        SN_TRY(
            read_channel(r, sn_value_at(channels, i), samplers, animation, clip, &duration, error));
    }
    if (clip->track_count == 0) {
        sni_log(r->context, SN_LOG_WARNING, "io", "animation %u moves nothing and is left out",
                animation);
        goto cleanup;
    }
    SN_TRY(set_frames(clip, animation, duration, error));
    const sn_skeleton *skeleton = &r->import->skeleton;
    if (!sni_gltf_charge(r->gltf, skeleton->segment_count * (uint64_t)sizeof(sn_segment))) {
        status = sni_fail(error, SN_LIMIT,
                          "%u nodes and %u animations are out of proportion to "
                          "the file",
                          skeleton->segment_count, sni_gltf_count(r->gltf, SNI_GLTF_ANIMATIONS));
        goto cleanup;
    }
    SN_TRY(sni_skeleton_copy(r->context, skeleton, &clip->skeleton, error));
    sn_clip *given = clip;
    clip = NULL;
    SN_TRY(sni_import_add_clip(r->import, given, error));
cleanup:
    sn_clip_destroy(clip);
    return status;
}

static sn_status read_all(reader *r, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = sni_gltf_count(r->gltf, SNI_GLTF_ANIMATIONS);
    const char **given = NULL, **assigned = NULL;
    SNI_NEW(r->context, given, count);
    SNI_NEW(r->context, assigned, count);
    SNI_NEW_ZERO(r->context, r->taken, 4 * (size_t)sni_gltf_count(r->gltf, SNI_GLTF_NODES));
    for (uint32_t i = 0; i < count; ++i) {
        given[i] = sni_gltf_item_name(r->gltf, SNI_GLTF_ANIMATIONS, i);
    }
    SN_TRY(sni_names_assign(&r->gltf->clip_names, given, NULL, count, "clip", assigned, error));
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(read_clip(r, i, assigned[i], error));
    }
cleanup:
    sni_free(r->context, given);
    sni_free(r->context, assigned);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Names of morph targets (the rule above)

typedef struct morph {
    sn_mesh *mesh;
    sn_target *target;
    uint32_t first_track, track_end; // in `by_morph`
    uint32_t leader;                 // first morph of the same name
    bool differs;                    // for a leader: some morph of its name moves otherwise
    bool shared;                     // for a leader: another mesh bears its name
} morph;

typedef struct naming {
    reader *r;
    morph *morphs;
    morph_track *by_morph; // the tracks of each morph, in the order of clips
} naming;

static bool tracks_are_equal(const sn_track *a, const sn_track *b) {
    size_t parts = a->interpolation == SN_INTERPOLATION_CUBIC ? 3 : 1;
    return a->interpolation == b->interpolation && a->key_count == b->key_count &&
           memcmp(a->times, b->times, a->key_count * sizeof *a->times) == 0 &&
           memcmp(a->values, b->values, a->key_count * parts * sizeof *a->values) == 0;
}

static sn_track *track_of(const naming *n, uint32_t place) {
    const morph_track *t = &n->by_morph[place];
    return &n->r->import->clips[t->clip]->tracks[t->track];
}

static bool morphs_move_alike(const naming *n, const morph *a, const morph *b) {
    uint32_t count = a->track_end - a->first_track;
    bool alike = count == b->track_end - b->first_track && a->target->weight == b->target->weight;
    for (uint32_t i = 0; i < count && alike; ++i) {
        uint32_t x = a->first_track + i, y = b->first_track + i;
        alike = n->by_morph[x].clip == n->by_morph[y].clip &&
                tracks_are_equal(track_of(n, x), track_of(n, y));
    }
    return alike;
}

// Sorts the tracks by morph. Tracks of animations that were left out do not exist: such an
// animation has none.
static sn_status list_morphs(naming *n, sn_error *error) {
    sn_status status = SN_OK;
    reader *r = n->r;
    SNI_NEW_ZERO(r->context, n->morphs, r->morph_count);
    SNI_NEW(r->context, n->by_morph, r->track_count);
    for (uint32_t i = 0, k = 0; i < r->import->mesh_count; ++i) {
        sn_mesh *mesh = r->import->meshes[i];
        for (uint32_t t = 0; t < mesh->target_count; ++t) {
            n->morphs[k++] = (morph){.mesh = mesh, .target = &mesh->targets[t]};
        }
    }
    for (uint32_t i = 0; i < r->track_count; ++i) {
        n->morphs[r->tracks[i].morph].track_end++;
    }
    uint32_t total = 0;
    for (uint32_t i = 0; i < r->morph_count; ++i) {
        uint32_t count = n->morphs[i].track_end;
        n->morphs[i].first_track = n->morphs[i].track_end = total;
        total += count;
    }
    for (uint32_t i = 0; i < r->track_count; ++i) {
        n->by_morph[n->morphs[r->tracks[i].morph].track_end++] = r->tracks[i];
    }
cleanup:
    return status;
}

static sn_status find_leaders(naming *n, sn_error *error) {
    sn_status status = SN_OK;
    sni_names names;
    sni_names_init(&names, n->r->context);
    for (uint32_t i = 0; i < n->r->morph_count; ++i) {
        morph *m = &n->morphs[i];
        m->leader = sni_names_find(&names, m->target->name);
        if (m->leader == SN_NONE) {
            m->leader = i;
            SN_TRY(sni_names_add(&names, m->target->name, i, error));
        } else {
            morph *leader = &n->morphs[m->leader];
            leader->shared = true;
            leader->differs = leader->differs || !morphs_move_alike(n, m, leader);
        }
    }
cleanup:
    sni_names_deinit(&names);
    return status;
}

static sn_status set_name(sn_context *context, char **name, const char *text, sn_error *error) {
    char *copy = sni_string_copy(context, text);
    if (copy == NULL) {
        return sni_fail_memory(error);
    }
    sni_free(context, *name);
    *name = copy;
    return SN_OK;
}

static sn_status rename_morph(naming *n, morph *m, uint32_t index, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = n->r->context;
    char *base = NULL;
    const char *unique;
    size_t size = strlen(m->mesh->name) + strlen(m->target->name) + 2;
    SNI_NEW(context, base, size);
    snprintf(base, size, "%s.%s", m->mesh->name, m->target->name);
    SN_TRY(sni_names_add_unique(&n->r->gltf->morph_names, base, index, &unique, error));
    SN_TRY(set_name(context, &m->target->name, unique, error));
    for (uint32_t i = m->first_track; i < m->track_end; ++i) {
        SN_TRY(set_name(context, &track_of(n, i)->target, unique, error));
    }
cleanup:
    sni_free(context, base);
    return status;
}

// Names that stay are taken first, so that no new one collides with them.
static sn_status rename_morphs(naming *n, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < n->r->morph_count; ++i) {
        morph *m = &n->morphs[i];
        if (m->leader == i && !m->differs) {
            SN_TRY(sni_names_add(&n->r->gltf->morph_names, m->target->name, i, error));
        }
    }
    for (uint32_t i = 0; i < n->r->morph_count; ++i) {
        if (n->morphs[n->morphs[i].leader].differs) {
            SN_TRY(rename_morph(n, &n->morphs[i], i, error));
        }
    }
cleanup:
    return status;
}

// Of equal tracks of one parameter the leader's stays. The others are marked by key_count 0.
static void drop_repeated_tracks(naming *n) {
    sn_context *context = n->r->context;
    for (uint32_t i = 0; i < n->r->morph_count; ++i) {
        const morph *m = &n->morphs[i];
        for (uint32_t k = m->first_track; k < m->track_end; ++k) {
            if (m->leader != i && !n->morphs[m->leader].differs) {
                track_of(n, k)->key_count = 0;
            }
        }
    }
    for (uint32_t i = 0; i < n->r->import->clip_count; ++i) {
        sn_clip *clip = n->r->import->clips[i];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < clip->track_count; ++k) {
            sn_track track = clip->tracks[k];
            if (track.key_count > 0) {
                clip->tracks[kept++] = track;
            } else {
                sni_free(context, track.target);
                sni_free(context, track.times);
                sni_free(context, track.values);
            }
        }
        clip->track_count = kept;
    }
}

static sn_status name_morphs(reader *r, sn_error *error) {
    sn_status status = SN_OK;
    naming n = {.r = r};
    SN_TRY(list_morphs(&n, error));
    SN_TRY(find_leaders(&n, error));
    SN_TRY(rename_morphs(&n, error));
    drop_repeated_tracks(&n);
cleanup:
    sni_free(r->context, n.morphs);
    sni_free(r->context, n.by_morph);
    return status;
}

sn_status sni_gltf_read_clips(sni_gltf *gltf, sn_import *import, sn_error *error) {
    reader r = {.gltf = gltf, .context = gltf->context, .import = import};
    sn_status status = SN_OK;
    uint64_t morph_count = 0;
    for (uint32_t i = 0; i < import->mesh_count; ++i) {
        gltf->instances[i].first_morph = (uint32_t)morph_count;
        gltf->instances[i].target_count = import->meshes[i]->target_count;
        morph_count += import->meshes[i]->target_count;
    }
    if (morph_count >= SN_NONE) {
        return sni_fail(error, SN_LIMIT, "%llu morph targets are too many",
                        (unsigned long long)morph_count);
    }
    r.morph_count = (uint32_t)morph_count;
    SN_TRY(read_all(&r, error));
    SN_TRY(name_morphs(&r, error));
cleanup:
    sni_free(r.context, r.taken);
    sni_free(r.context, r.tracks);
    return status;
}
