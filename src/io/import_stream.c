// SPDX-License-Identifier: Apache-2.0
#include "io/import_stream.h"

#include "motion/skeleton.h"

#include <string.h>

static bool grow(sni_stream *s, size_t more) {
    if (more <= s->capacity - s->size) {
        return true;
    }
    size_t capacity = 2 * s->capacity > s->size + more ? 2 * s->capacity : s->size + more;
    char *larger = sni_alloc(s->context, capacity, 1);
    if (larger != NULL && s->size > 0) {
        memcpy(larger, s->bytes, s->size);
    }
    if (larger != NULL) {
        sni_free(s->context, s->bytes);
        s->bytes = larger;
        s->capacity = capacity;
    }
    return larger != NULL;
}

void sni_stream_bytes(sni_stream *s, void *data, size_t size) {
    if (size == 0) {
        return;
    }
    bool fits = !s->failed && (s->writes ? grow(s, size) : size <= s->size - s->at);
    if (!fits) {
        s->failed = true;
        if (!s->writes) {
            memset(data, 0, size);
        }
    } else if (s->writes) {
        memcpy(s->bytes + s->size, data, size);
        s->size += size;
    } else {
        memcpy(data, s->bytes + s->at, size);
        s->at += size;
    }
}

#define FLOW(s, field) sni_stream_bytes((s), &(field), sizeof(field))

static void flow_bool(sni_stream *s, bool *value) {
    uint8_t byte = *value;
    FLOW(s, byte);
    *value = byte != 0;
}

// An array of `count` items; reading makes it, with room for `room` of them.
static void flow_array_room(sni_stream *s, void *array_pointer, size_t count, size_t room,
                            size_t item) {
    void *array;
    size_t bytes = 0;
    memcpy(&array, array_pointer, sizeof array);
    bool fits = sni_size_multiply(count, item, &bytes) && (s->writes || bytes <= s->size - s->at);
    if (!s->writes) {
        array = fits && !s->failed ? sni_alloc(s->context, room, item) : NULL;
        memcpy(array_pointer, &array, sizeof array);
    }
    s->failed = s->failed || !fits || array == NULL;
    if (!s->failed) {
        sni_stream_bytes(s, array, bytes);
    }
}

static void flow_array(sni_stream *s, void *array_pointer, size_t count, size_t item) {
    flow_array_room(s, array_pointer, count, count, item);
}

// An array that may be NULL.
static void flow_optional(sni_stream *s, void *array_pointer, size_t count, size_t item) {
    void *array;
    memcpy(&array, array_pointer, sizeof array);
    bool there = array != NULL;
    flow_bool(s, &there);
    if (there) {
        flow_array(s, array_pointer, count, item);
    }
}

void sni_stream_text(sni_stream *s, char **text) {
    uint32_t size = *text != NULL ? (uint32_t)strlen(*text) + 1 : 0; // with its end; 0: NULL
    FLOW(s, size);
    if (size > 0) {
        flow_array(s, text, size, 1);
    }
    if (!s->writes && *text != NULL) {
        (*text)[size - 1] = 0;
    }
}

// A list whose items flow one by one. Reading makes them zero, with room for a power of two, as
// sni_grow_by_one expects. Each takes at least four bytes, so that no count asks for much memory.
static bool begin_list(sni_stream *s, void *array_pointer, uint32_t *count, size_t item) {
    FLOW(s, *count);
    if (s->writes) {
        return *count > 0;
    }
    size_t room = 1;
    while (room < *count) {
        room *= 2;
    }
    bool fits = !s->failed && *count <= (s->size - s->at) / 4;
    void *array = fits && *count > 0 ? sni_alloc_zero(s->context, room, item) : NULL;
    s->failed = s->failed || !fits || (*count > 0 && array == NULL);
    *count = array != NULL ? *count : 0;
    memcpy(array_pointer, &array, sizeof array);
    return array != NULL;
}

static void flow_attribute(sni_stream *s, sn_attribute *a, uint32_t corner_count) {
    sni_stream_text(s, &a->name);
    FLOW(s, a->width);
    FLOW(s, a->count);
    flow_array(s, &a->values, (size_t)a->count * a->width, sizeof *a->values);
    flow_optional(s, &a->corner, corner_count, sizeof *a->corner);
}

static void flow_weights(sni_stream *s, sn_mesh *mesh) {
    bool there = mesh->weights != NULL;
    flow_bool(s, &there);
    if (there && !s->writes) {
        mesh->weights = sni_alloc_zero(s->context, 1, sizeof *mesh->weights);
        s->failed = s->failed || mesh->weights == NULL;
    }
    if (!there || mesh->weights == NULL) {
        return;
    }
    sn_weights *w = mesh->weights;
    if (begin_list(s, &w->bone_names, &w->bone_count, sizeof *w->bone_names)) {
        for (uint32_t i = 0; i < w->bone_count; ++i) {
            sni_stream_text(s, &w->bone_names[i]);
        }
    }
    flow_optional(s, &w->inverse_bind, w->bone_count, sizeof *w->inverse_bind);
    flow_array(s, &w->offsets, (size_t)mesh->vertex_count + 1, sizeof *w->offsets);
    uint32_t entries = !s->failed ? w->offsets[mesh->vertex_count] : 0;
    flow_array(s, &w->bones, entries, sizeof *w->bones);
    flow_array(s, &w->values, entries, sizeof *w->values);
}

static void flow_target(sni_stream *s, sn_target *t) {
    sni_stream_text(s, &t->name);
    FLOW(s, t->count);
    flow_optional(s, &t->vertices, t->count, sizeof *t->vertices);
    flow_array(s, &t->offsets, 3 * (size_t)t->count, sizeof *t->offsets);
    FLOW(s, t->weight);
}

static void flow_material(sni_stream *s, sn_material *m) {
    sni_stream_text(s, &m->name);
    flow_bool(s, &m->has_color);
    FLOW(s, m->base_color);
    FLOW(s, m->metallic);
    FLOW(s, m->roughness);
    FLOW(s, m->image_placement);
    FLOW(s, m->alpha_mode);
    FLOW(s, m->alpha_cutoff);
    flow_bool(s, &m->double_sided); // images are not read
}

static void flow_mesh(sni_stream *s, sn_mesh *mesh) {
    sni_stream_text(s, &mesh->name);
    FLOW(s, mesh->vertex_count);
    FLOW(s, mesh->face_count);
    FLOW(s, mesh->corner_count);
    flow_array(s, &mesh->positions, 3 * (size_t)mesh->vertex_count, sizeof *mesh->positions);
    flow_array(s, &mesh->face_offsets, (size_t)mesh->face_count + 1, sizeof *mesh->face_offsets);
    flow_array(s, &mesh->corners, mesh->corner_count, sizeof *mesh->corners);
    begin_list(s, &mesh->attributes, &mesh->attribute_count, sizeof *mesh->attributes);
    for (uint32_t i = 0; i < mesh->attribute_count; ++i) {
        flow_attribute(s, &mesh->attributes[i], mesh->corner_count);
    }
    flow_weights(s, mesh);
    begin_list(s, &mesh->targets, &mesh->target_count, sizeof *mesh->targets);
    for (uint32_t i = 0; i < mesh->target_count; ++i) {
        flow_target(s, &mesh->targets[i]);
    }
    begin_list(s, &mesh->runs, &mesh->run_count, sizeof *mesh->runs);
    for (uint32_t i = 0; i < mesh->run_count; ++i) {
        FLOW(s, mesh->runs[i].kind);
        FLOW(s, mesh->runs[i].first_face);
        sni_stream_text(s, &mesh->runs[i].name);
    }
    begin_list(s, &mesh->materials, &mesh->material_count, sizeof *mesh->materials);
    for (uint32_t i = 0; i < mesh->material_count; ++i) {
        flow_material(s, &mesh->materials[i]);
    }
}

static void flow_skeleton(sni_stream *s, sn_skeleton *skeleton) {
    begin_list(s, &skeleton->segments, &skeleton->segment_count, sizeof *skeleton->segments);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        sn_segment *segment = &skeleton->segments[i];
        sni_stream_text(s, &segment->name);
        FLOW(s, segment->parent);
        FLOW(s, segment->rest);
        FLOW(s, segment->order);
        FLOW(s, segment->rest_parameters);
        FLOW(s, segment->limits);
        flow_bool(s, &segment->limited);
        s->failed = s->failed || segment->name == NULL || segment->order > SN_ROTATION_ZYX;
    }
    if (s->writes || s->failed || skeleton->segment_count == 0) {
        return;
    }
    // The order follows from the parents, and finding it checks them.
    skeleton->parents_first =
        sni_alloc(s->context, skeleton->segment_count, sizeof *skeleton->parents_first);
    s->failed =
        skeleton->parents_first == NULL || sni_skeleton_sort(s->context, skeleton, NULL) != SN_OK;
}

static void flow_track(sni_stream *s, sn_track *track) {
    FLOW(s, track->kind);
    FLOW(s, track->interpolation);
    FLOW(s, track->key_count);
    sni_stream_text(s, &track->target);
    s->failed = s->failed || track->kind > SN_TRACK_SCALE ||
                track->interpolation != SN_INTERPOLATION_LINEAR; // the one that readers make here
    if (!s->failed) {
        flow_array(s, &track->times, track->key_count, sizeof *track->times);
        flow_array(s, &track->values, (size_t)track->key_count * sn_track_width(track),
                   sizeof *track->values);
    }
}

static void flow_clip(sni_stream *s, sn_clip *clip) {
    sni_stream_text(s, &clip->name);
    FLOW(s, clip->rate);
    FLOW(s, clip->frame_count);
    begin_list(s, &clip->tracks, &clip->track_count, sizeof *clip->tracks);
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        flow_track(s, &clip->tracks[i]);
    }
    flow_skeleton(s, &clip->skeleton);
}

void sni_stream_import(sni_stream *s, sn_import *import) {
    flow_skeleton(s, &import->skeleton);
    begin_list(s, &import->meshes, &import->mesh_count, sizeof *import->meshes);
    for (uint32_t i = 0; i < import->mesh_count && !s->failed; ++i) {
        if (!s->writes) {
            s->failed = sn_mesh_create(s->context, "", 0, 0, 0, &import->meshes[i], NULL) != SN_OK;
        }
        if (!s->failed) {
            sn_mesh *mesh = import->meshes[i];
            if (!s->writes) { // its arrays come anew
                sni_free(s->context, mesh->name);
                sni_free(s->context, mesh->positions);
                sni_free(s->context, mesh->face_offsets);
                sni_free(s->context, mesh->corners);
                *mesh = (sn_mesh){.context = s->context};
            }
            flow_mesh(s, mesh);
        }
    }
    uint32_t room = 1;
    while (room < import->mesh_count) {
        room *= 2;
    }
    if (import->mesh_count > 0) {
        flow_array_room(s, &import->mesh_nodes, import->mesh_count, room,
                        sizeof *import->mesh_nodes);
    }
    for (uint32_t i = 0; i < import->mesh_count && !s->failed; ++i) {
        uint32_t node = import->mesh_nodes[i];
        s->failed = node != SN_NONE && node >= import->skeleton.segment_count;
    }
    begin_list(s, &import->clips, &import->clip_count, sizeof *import->clips);
    for (uint32_t i = 0; i < import->clip_count && !s->failed; ++i) {
        if (!s->writes) {
            s->failed = sn_clip_create(s->context, "", 1, 1, &import->clips[i], NULL) != SN_OK;
        }
        if (!s->failed) {
            if (!s->writes) {
                sni_free(s->context, import->clips[i]->name);
                import->clips[i]->name = NULL;
            }
            flow_clip(s, import->clips[i]);
        }
    }
}
