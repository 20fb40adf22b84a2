// SPDX-License-Identifier: Apache-2.0
#include "scenes/documents.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double scn_round(double value) {
    double rounded = floor(value * 1e6 + 0.5) / 1e6;
    return rounded == 0 ? 0 : rounded; // no -0
}

static sn_transform rounded(sn_transform t) {
    t.translation = sn_vec3_make(scn_round(t.translation.x), scn_round(t.translation.y),
                                 scn_round(t.translation.z));
    t.rotation = (sn_quat){scn_round(t.rotation.x), scn_round(t.rotation.y),
                           scn_round(t.rotation.z), scn_round(t.rotation.w)};
    return t;
}

// The member of the root that is called `key`, made when it is not there yet.
static sn_value *section(sn_json *json, const char *key, bool list) {
    sn_value *root = sn_json_root(json);
    const sn_value *found = sn_value_get(root, key);
    return found != NULL ? (sn_value *)found
           : list        ? sn_json_add_array(json, root, key)
                         : sn_json_add_object(json, root, key);
}

static void add_limits(sn_json *json, sn_value *object, const scn_segment *segment) {
    static const char *const names[3] = {"rx", "ry", "rz"};
    sn_value *limits = sn_json_add_object(json, object, "limits_deg");
    for (int axis = 0; axis < 3; ++axis) {
        sn_json_add_numbers(json, limits, names[axis], segment->limits_deg[axis], 2);
    }
}

void scn_add_skeleton(sn_json *json, const scn_segment *segments, uint32_t count) {
    static const char *const orders[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
    sn_value *skeleton = section(json, "skeleton", false);
    for (uint32_t i = 0; i < count; ++i) {
        const scn_segment *s = &segments[i];
        sn_transform rest = rounded(scn_segment_local(segments, i));
        sn_value *object = sn_json_add_object(json, skeleton, s->name);
        if (s->parent != SN_NONE) {
            sn_json_add_string(json, object, "parent", segments[s->parent].name);
        }
        double t[3] = {rest.translation.x, rest.translation.y, rest.translation.z};
        double q[4] = {rest.rotation.x, rest.rotation.y, rest.rotation.z, rest.rotation.w};
        sn_json_add_numbers(json, object, "translation", t, 3);
        sn_json_add_numbers(json, object, "rotation", q, 4);
        sn_json_add_string(json, object, "order", orders[s->order]);
        add_limits(json, object, s);
    }
}

void scn_add_mesh_of(sn_json *json, const char *name, const char *file, const char *mesh_name) {
    sn_value *mesh = sn_json_add_object(json, section(json, "meshes", false), name);
    sn_json_add_string(json, mesh, "file", file);
    sn_json_add_string(json, mesh, "mesh", mesh_name);
}

void scn_add_mesh(sn_json *json, const char *name, const char *file) {
    scn_add_mesh_of(json, name, file, name);
}

void scn_add_polygon_mesh(sn_json *json, const char *name, const char *file, const char *weights) {
    sn_value *mesh = sn_json_add_object(json, section(json, "meshes", false), name);
    sn_json_add_string(json, mesh, "file", file);
    if (weights != NULL) {
        sn_json_add_string(json, mesh, "weights", weights);
    }
}

void scn_add_carried_skin(sn_json *json, const char *name, const char *segment) {
    sn_value *skin = sn_json_add_object(json, section(json, "skins", false), name);
    sn_json_add_string(json, skin, "mesh", name);
    sn_json_add_string(json, skin, "segment", segment);
    sn_json_add_string(json, skin, "frame", "world");
}

void scn_add_bone(sn_json *json, const char *name, const char *segment) {
    sn_value *bone = sn_json_add_object(json, section(json, "bones", false), name);
    sn_json_add_string(json, bone, "mesh", name);
    sn_json_add_string(json, bone, "segment", segment);
    sn_json_add_string(json, bone, "frame", "world");
}

void scn_add_blended_skin(sn_json *json, const char *name, const char *method) {
    sn_value *skin = sn_json_add_object(json, section(json, "skins", false), name);
    sn_json_add_string(json, skin, "mesh", name);
    sn_value *deformers = sn_json_add_array(json, skin, "deformers");
    sn_value *blend = sn_json_add_object(json, deformers, NULL);
    sn_json_add_string(json, blend, "kind", "blend");
    sn_json_add_string(json, blend, "method", method);
}

void scn_add_wrapped_skin(sn_json *json, const char *name, const char *driver, double reach) {
    sn_value *skins = section(json, "skins", false);
    sn_value *skin = sn_json_add_object(json, skins, name);
    sn_json_add_string(json, skin, "mesh", name);
    sn_value *wrap = sn_json_add_object(json, sn_json_add_array(json, skin, "deformers"), NULL);
    sn_json_add_string(json, wrap, "kind", "wrap");
    sn_json_add_string(json, wrap, "driver_mesh", driver);
    sn_json_add_number(json, wrap, "reach", reach);
    sn_json_add_bool(json, (sn_value *)sn_value_get(skins, driver), "show", false);
}

// A control with its range, and the synergy that spreads it over what is returned.
static sn_value *add_spread(sn_json *json, const char *control, double low, double high,
                            const char *group, const char *about) {
    sn_value *object = sn_json_add_object(json, section(json, "controls", false), control);
    sn_json_add_number(json, object, "low", low);
    sn_json_add_number(json, object, "high", high);
    if (group != NULL) {
        sn_json_add_string(json, object, "group", group);
    }
    if (about != NULL) {
        sn_json_add_string(json, object, "about", about);
    }
    sn_value *synergy = sn_json_add_object(json, section(json, "synergies", true), NULL);
    sn_json_add_string(json, synergy, "control", control);
    return sn_json_add_object(json, synergy, "spread");
}

void scn_add_synergy(sn_json *json, const char *control, double low, double high, const char *about,
                     const scn_spread *spread, uint32_t count) {
    sn_value *shares = add_spread(json, control, low, high, NULL, about);
    for (uint32_t i = 0; i < count; ++i) {
        double radians = scn_round(spread[i].degrees * (SN_PI / 180));
        sn_json_add_number(json, shares, spread[i].parameter, radians);
    }
}

void scn_add_shares(sn_json *json, const char *control, double low, double high, const char *group,
                    const char *about, const scn_share *shares, uint32_t count) {
    sn_value *made = add_spread(json, control, low, high, group, about);
    for (uint32_t i = 0; i < count; ++i) {
        sn_json_add_number(json, made, shares[i].parameter, shares[i].value);
    }
}

void scn_add_motion(sn_json *json, const char *name, const char *about) {
    char file[256];
    snprintf(file, sizeof file, "../motions/%s.bvh", name);
    sn_value *clip = sn_json_add_object(json, section(json, "clips", false), name);
    sn_json_add_string(json, clip, "about", about);
    sn_json_add_string(json, clip, "file", file);
}

void scn_add_clip(sn_json *json, const scn_clip *clip, const char *about) {
    sn_value *object = sn_json_add_object(json, section(json, "clips", false), clip->name);
    sn_json_add_number(json, object, "rate", clip->rate);
    sn_json_add_number(json, object, "frames", clip->frame_count);
    sn_json_add_string(json, object, "about", about);
    sn_value *tracks = sn_json_add_object(json, object, "tracks");
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        const scn_track *track = &clip->tracks[i];
        sn_value *made = sn_json_add_object(json, tracks, track->target);
        sn_json_add_string(json, made, "interpolation", "smooth");
        sn_value *keys = sn_json_add_array(json, made, "keys");
        for (uint32_t k = 0; k < track->key_count; ++k) {
            double unit = strchr(track->target, '.') == NULL ? 1 : SN_PI / 180;
            double pair[2] = {track->keys[k].time, scn_round(track->keys[k].value_deg * unit)};
            sn_json_add_numbers(json, keys, NULL, pair, 2);
        }
    }
}

static void fill_segment(const scn_segment *segments, uint32_t index, sn_segment *made) {
    *made = (sn_segment){
        .name = (char *)segments[index].name,
        .parent = segments[index].parent,
        .rest = rounded(scn_segment_local(segments, index)),
        .order = segments[index].order,
    };
    made->rest.rotation = sn_quat_normalize(made->rest.rotation);
    for (int p = 0; p < SN_JOINT_PARAMETER_COUNT; ++p) {
        made->rest_parameters[p] = p >= SN_JOINT_SX;
        made->limits[p] = (sn_limit){-INFINITY, INFINITY};
    }
}

sn_skeleton scn_skeleton(const scn_segment *segments, uint32_t count, sn_segment *made,
                         uint32_t *order) {
    for (uint32_t i = 0; i < count; ++i) {
        fill_segment(segments, i, &made[i]);
        order[i] = i;
    }
    return (sn_skeleton){count, made, order};
}

static sn_status write_model(sn_context *context, const char *path, const scn_segment *segments,
                             uint32_t segment_count, const sn_mesh *const *meshes,
                             uint32_t mesh_count, bool compact, sn_error *error) {
    sn_segment *made = calloc(segment_count + 1, sizeof *made);
    uint32_t *order = calloc(segment_count + 1, sizeof *order);
    uint32_t *carriers = calloc(mesh_count + 1, sizeof *carriers);
    sn_status status = SN_OUT_OF_MEMORY;
    if (made != NULL && order != NULL && carriers != NULL) {
        memset(carriers, 0xff, mesh_count * sizeof *carriers);
        sn_skeleton skeleton = scn_skeleton(segments, segment_count, made, order);
        sn_export_skinned_desc desc = sn_export_skinned_desc_default();
        desc.mesh_count = mesh_count;
        desc.meshes = meshes;
        desc.mesh_segments = carriers;
        desc.skeleton = &skeleton;
        desc.compact = compact;
        status = sn_export_skinned(context, path, &desc, error);
    } else {
        scn_fail_memory(error);
    }
    free(made);
    free(order);
    free(carriers);
    return status;
}

sn_status scn_write_model(sn_context *context, const char *path, const scn_segment *segments,
                          uint32_t segment_count, const sn_mesh *const *meshes, uint32_t mesh_count,
                          sn_error *error) {
    return write_model(context, path, segments, segment_count, meshes, mesh_count, false, error);
}

sn_status scn_write_compact_model(sn_context *context, const char *path,
                                  const scn_segment *segments, uint32_t segment_count,
                                  const sn_mesh *const *meshes, uint32_t mesh_count,
                                  sn_error *error) {
    return write_model(context, path, segments, segment_count, meshes, mesh_count, true, error);
}

sn_status scn_paint(sn_mesh *mesh, const char *material, float red, float green, float blue,
                    float roughness, sn_error *error) {
    sn_material *made = NULL;
    sn_status status = sn_mesh_add_material(mesh, material, &made, error);
    if (status == SN_OK) {
        made->base_color[0] = red;
        made->base_color[1] = green;
        made->base_color[2] = blue;
        made->base_color[3] = 1;
        made->metallic = 0;
        made->roughness = roughness;
        status = sn_mesh_add_run(mesh, SN_RUN_MATERIAL, 0, material, error);
    }
    return status;
}

void scn_add_control(sn_json *json, const char *control, const char *about, const char *group) {
    sn_value *object = sn_json_add_object(json, section(json, "controls", false), control);
    sn_json_add_string(json, object, "about", about);
    if (group != NULL) {
        sn_json_add_string(json, object, "group", group);
    }
}

void scn_add_driver(sn_json *json, const char *control, const char *parameter,
                    const double points[][2], uint32_t count) {
    sn_value *driver = sn_json_add_object(json, section(json, "drivers", true), NULL);
    sn_json_add_string(json, driver, "control", control);
    sn_json_add_string(json, driver, "parameter", parameter);
    sn_json_add_rows(json, driver, "curve", points[0], count, 2);
}

sn_status scn_add_muscle(sn_context *context, sn_character *character, const char *name,
                         const char *keys, const sn_vec3 *const curves[2], uint32_t point_count,
                         sn_error *error) {
    sn_json *json = NULL;
    sn_status status = sn_json_parse(context, keys, strlen(keys), &json, error);
    if (status == SN_OK) {
        sn_value *list = sn_json_add_array(json, sn_json_root(json), "curves");
        for (int i = 0; i < 2; ++i) {
            sn_json_add_rows(json, list, NULL, &curves[i]->x, point_count, 3);
        }
        status = sn_character_add_muscle(character, name, sn_json_root(json), error);
    }
    sn_json_destroy(json);
    return status;
}

sn_status scn_save(sn_character *character, const char *folder, sn_error *error) {
    const sn_value *root = sn_json_root(sn_character_document(character));
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.sinew.json", folder,
             sn_value_string(sn_value_get(root, "name"), ""));
    sn_status status = sn_character_check(character, error);
    return status == SN_OK ? sn_character_save(character, path, error) : status;
}
