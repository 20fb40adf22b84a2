// SPDX-License-Identifier: Apache-2.0
//
// The event `model`: what a page needs to know of a model, besides its geometry.
#include "stage/stage.h"

#include "wire/failure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The document as it is written and with everything said out, and the limbs of the skeleton.
typedef struct sources {
    const sn_json *written;
    sn_json *expanded;
    sn_limb *limbs; // one for each segment
} sources;

// ---------------------------------------------------------------------------------------------
// Surfaces

static const char *section_of(sn_layer layer) {
    static const char *const sections[] = {
        [SN_LAYER_SKIN] = "skins",
        [SN_LAYER_BONE] = "bones",
        [SN_LAYER_MUSCLE] = "muscles",
        [SN_LAYER_TISSUE] = "tissues",
    };
    return sections[layer];
}

static const char *name_layer(sn_layer layer) {
    static const char *const names[] = {
        [SN_LAYER_SKIN] = "skin",
        [SN_LAYER_BONE] = "bone",
        [SN_LAYER_MUSCLE] = "muscle",
        [SN_LAYER_TISSUE] = "tissue",
    };
    return names[layer];
}

static const char *name_look(sn_look look) {
    static const char *const names[] = {
        [SN_LOOK_SKIN] = "skin",     [SN_LOOK_MUSCLE] = "muscle", [SN_LOOK_BONE] = "bone",
        [SN_LOOK_TISSUE] = "tissue", [SN_LOOK_CLOTH] = "cloth",   [SN_LOOK_PLAIN] = "plain",
        [SN_LOOK_EYE] = "eye",       [SN_LOOK_HORN] = "horn",
    };
    return names[look];
}

// The entry of the written document that a name comes from. One that stands for several has another
// name, but its line.
static const sn_value *find_entry(const sources *from, const char *section, const char *name) {
    const sn_value *entries = sn_value_get(sn_json_root(from->written), section);
    const sn_value *entry = sn_value_get(entries, name);
    if (entry || !from->expanded) {
        return entry;
    }
    const sn_value *meant = sn_value_get(sn_value_get(sn_json_root(from->expanded), section), name);
    for (uint32_t i = 0; meant && i < sn_value_count(entries); ++i) {
        if (sn_value_at(entries, i)->line == meant->line) {
            return sn_value_at(entries, i);
        }
    }
    return NULL;
}

static void add_path(sn_json *json, sn_value *object, const sources *from, const char *section,
                     const char *name) {
    char path[1024];
    const sn_value *entry = find_entry(from, section, name);
    if (entry) {
        sn_value_path(entry, path, sizeof path);
        sn_json_add_string(json, object, "path", path);
    } else {
        sn_json_add_null(json, object, "path");
    }
}

static void add_surface(sn_json *json, sn_value *list, const stage *stage, uint32_t index,
                        const sources *from) {
    const sn_surface *surface = sn_model_surface(stage->made->model, index);
    const stage_shape *shape = stage->made->shapes[index];
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, shape->hash);
    sn_value *object = sn_json_add_object(json, list, NULL);
    sn_json_add_number(json, object, "index", index);
    sn_json_add_string(json, object, "name", surface->name);
    add_path(json, object, from, section_of(surface->layer), surface->name);
    sn_json_add_string(json, object, "layer", name_layer(surface->layer));
    sn_json_add_string(json, object, "look", name_look(surface->look));
    sn_json_add_bool(json, object, "shown", surface->shown);
    sn_json_add_bool(json, object, "feature", surface->feature);
    sn_json_add_bool(json, object, "field", sn_model_has_field(stage->made->model, index));
    sn_json_add_number(json, object, "targets", surface->mesh->target_count);
    if (surface->segment == SN_NONE) {
        sn_json_add_null(json, object, "segment");
    } else {
        sn_json_add_number(json, object, "segment", surface->segment);
    }
    sn_json_add_number(json, object, "vertices", shape->vertex_count);
    sn_json_add_number(json, object, "triangles", shape->triangle_count);
    sn_json_add_bool(json, object, "closed", shape->closed);
    sn_json_add_string(json, object, "shape", hash);
}

// ---------------------------------------------------------------------------------------------
// Segments

static const char *const parameter_names[SN_JOINT_PARAMETER_COUNT] = {"rx", "ry", "rz", "tx", "ty",
                                                                      "tz", "sx", "sy", "sz"};

static const char *name_order(sn_rotation_order order) {
    static const char *const names[] = {
        [SN_ROTATION_XYZ] = "xyz", [SN_ROTATION_XZY] = "xzy", [SN_ROTATION_YXZ] = "yxz",
        [SN_ROTATION_YZX] = "yzx", [SN_ROTATION_ZXY] = "zxy", [SN_ROTATION_ZYX] = "zyx",
    };
    return names[order];
}

// A side without a limit is null.
static void add_bound(sn_json *json, sn_value *list, double bound) {
    if (isfinite(bound)) {
        sn_json_add_number(json, list, NULL, bound);
    } else {
        sn_json_add_null(json, list, NULL);
    }
}

static void add_limits(sn_json *json, sn_value *object, const sn_segment *segment) {
    sn_value *limits = sn_json_add_object(json, object, "limits");
    for (uint32_t i = 0; i < SN_JOINT_PARAMETER_COUNT; ++i) {
        sn_limit limit = segment->limits[i];
        if (!isfinite(limit.low) && !isfinite(limit.high)) {
            sn_json_add_null(json, limits, parameter_names[i]);
            continue;
        }
        sn_value *pair = sn_json_add_array(json, limits, parameter_names[i]);
        add_bound(json, pair, limit.low);
        add_bound(json, pair, limit.high);
    }
}

// Where the segment stands in its parent: the joint's parameters come on top of it.
static void add_frame(sn_json *json, sn_value *object, const sn_transform *rest) {
    sn_value *frame = sn_json_add_object(json, object, "frame");
    double translation[3] = {rest->translation.x, rest->translation.y, rest->translation.z};
    double rotation[4] = {rest->rotation.x, rest->rotation.y, rest->rotation.z, rest->rotation.w};
    double scale[3] = {rest->scale.x, rest->scale.y, rest->scale.z};
    sn_json_add_numbers(json, frame, "translation", translation, 3);
    sn_json_add_numbers(json, frame, "rotation", rotation, 4);
    sn_json_add_numbers(json, frame, "scale", scale, 3);
}

// The joints that can bring the segment to a target; null where there are none.
static void add_limb(sn_json *json, sn_value *object, const sn_limb *limb) {
    if (limb->upper == SN_NONE) {
        sn_json_add_null(json, object, "limb");
        return;
    }
    sn_value *added = sn_json_add_object(json, object, "limb");
    sn_json_add_number(json, added, "upper", limb->upper);
    sn_json_add_number(json, added, "lower", limb->lower);
    sn_json_add_bool(json, added, "named", limb->is_named);
}

static void add_segment(sn_json *json, sn_value *list, const sn_segment *segment,
                        const sn_limb *limb, const sources *from) {
    sn_value *object = sn_json_add_object(json, list, NULL);
    sn_json_add_string(json, object, "name", segment->name);
    add_path(json, object, from, "skeleton", segment->name);
    if (segment->parent == SN_NONE) {
        sn_json_add_null(json, object, "parent");
    } else {
        sn_json_add_number(json, object, "parent", segment->parent);
    }
    sn_json_add_string(json, object, "order", name_order(segment->order));
    add_limits(json, object, segment);
    sn_json_add_numbers(json, object, "rest", segment->rest_parameters, SN_JOINT_PARAMETER_COUNT);
    add_frame(json, object, &segment->rest);
    add_limb(json, object, limb);
}

// ---------------------------------------------------------------------------------------------
// Controls

static bool is_driven(const sources *from, const char *name) {
    const sn_value *drivers =
        from->expanded ? sn_value_get(sn_json_root(from->expanded), "drivers") : NULL;
    for (uint32_t i = 0; i < sn_value_count(drivers); ++i) {
        const sn_value *driver = sn_value_at(drivers, i);
        if (strcmp(sn_value_string(sn_value_get(driver, "control"), ""), name) == 0) {
            return true;
        }
    }
    return false;
}

static void add_control(sn_json *json, sn_value *list, const sn_model *model, uint32_t index,
                        const sources *from) {
    const char *name = sn_model_control_name(model, index);
    const sn_value *controls =
        from->expanded ? sn_value_get(sn_json_root(from->expanded), "controls") : NULL;
    const sn_value *control = sn_value_get(controls, name);
    double low = sn_value_number(sn_value_get(control, "low"), 0);
    double high = sn_value_number(sn_value_get(control, "high"), 1);
    double nearest = fmin(fmax(0, low), high);
    sn_value *object = sn_json_add_object(json, list, NULL);
    sn_json_add_string(json, object, "name", name);
    add_path(json, object, from, "controls", name);
    sn_json_add_string(json, object, "group", sn_model_control_group(model, index));
    sn_json_add_number(json, object, "low", low);
    sn_json_add_number(json, object, "high", high);
    sn_json_add_number(json, object, "rest",
                       sn_value_number(sn_value_get(control, "value"), nearest));
    sn_json_add_string(json, object, "unit", sn_value_string(sn_value_get(control, "unit"), ""));
    sn_json_add_bool(json, object, "driven", is_driven(from, name));
}

// ---------------------------------------------------------------------------------------------

static void add_clips(sn_json *json, sn_value *root, const stage *stage) {
    const sn_model *model = stage->made->model;
    sn_value *clips = sn_json_add_array(json, root, "clips");
    for (uint32_t i = 0; i < sn_model_clip_count(model); ++i) {
        sn_json_add_string(json, clips, NULL, sn_model_clip_name(model, i));
    }
    if (!stage->motion) {
        sn_json_add_null(json, root, "clip");
        return;
    }
    sn_value *clip = sn_json_add_object(json, root, "clip");
    sn_json_add_string(json, clip, "name", sn_motion_name(stage->motion));
    sn_json_add_number(json, clip, "rate", sn_motion_rate(stage->motion));
    sn_json_add_number(json, clip, "frames", sn_motion_frame_count(stage->motion));
}

static void add_everything(sn_json *json, const stage *stage, uint32_t slot, double milliseconds,
                           const sources *from) {
    const sn_model *model = stage->made->model;
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    sn_value *root = sn_json_root(json);
    sn_json_add_string(json, root, "event", "model");
    sn_json_add_number(json, root, "slot", slot);
    sn_json_add_number(json, root, "model", stage->serial);
    sn_json_add_number(json, root, "revision", (double)stage->revision);
    sn_value *surfaces = sn_json_add_array(json, root, "surfaces");
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        add_surface(json, surfaces, stage, i, from);
    }
    sn_value *segments = sn_json_add_array(json, root, "segments");
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        add_segment(json, segments, &skeleton->segments[i], &from->limbs[i], from);
    }
    sn_value *controls = sn_json_add_array(json, root, "controls");
    for (uint32_t i = 0; i < sn_model_control_count(model); ++i) {
        add_control(json, controls, model, i, from);
    }
    add_clips(json, root, stage);
    sn_json_add_number(json, root, "ms", milliseconds);
}

static sn_status find_limbs(const sn_model *model, sn_limb **limbs, sn_error *error) {
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    *limbs = calloc((size_t)skeleton->segment_count + 1, sizeof **limbs);
    return *limbs ? sn_skeleton_limbs(sn_model_context(model), skeleton, *limbs, error)
                  : app_fail_memory(error);
}

sn_status stage_write_info(const stage *stage, uint32_t slot, double milliseconds, char **text,
                           size_t *size, sn_error *error) {
    sn_character *character = stage->made->body->character;
    sn_context *context = sn_model_context(stage->made->model);
    sources from = {.written = sn_character_document(character)};
    sn_json *json = NULL;
    char *written = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_character_expand(character, &from.expanded, error));
    SN_TRY(find_limbs(stage->made->model, &from.limbs, error));
    SN_TRY(sn_json_create(context, &json, error));
    add_everything(json, stage, slot, milliseconds, &from);
    SN_TRY(sn_json_write(json, &written, size, error));
    *text = malloc(*size + 1);
    if (*text == NULL) {
        status = app_fail_memory(error);
        goto cleanup;
    }
    memcpy(*text, written, *size);
    (*text)[*size] = '\0';
cleanup:
    sn_json_free_text(context, written);
    sn_json_destroy(json);
    sn_json_destroy(from.expanded);
    free(from.limbs);
    return status;
}
