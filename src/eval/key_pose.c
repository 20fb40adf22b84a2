// SPDX-License-Identifier: Apache-2.0
//
// Key poses from sculpts (docs/morph.md): offsets of a skin as it should be in a pose, carried back
// to the rest pose and written into the document.
#include "eval/points.h"
#include "eval/unpose.h"

#include "base/text.h"
#include "character/schema/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t desc_check = 0x736e6b70;

// A sculpt must be met to this part of the skin's size, or its deformers are not what unpose.h
// takes them for.
static const double met = 1e-5;

sn_key_pose_desc sn_key_pose_desc_default(void) {
    return (sn_key_pose_desc){.check = desc_check, .least = 1e-6};
}

typedef struct key_pose {
    sn_frame *frame;
    const sn_model *model;
    const sn_key_pose_desc *desc;
    uint32_t surface;
    const sn_mesh *mesh;
    uint32_t deformer;  // the morph, or SN_NONE: a new one goes before all others
    uint32_t set;       // of it, or SN_NONE: a new one
    sni_pose_plan plan; // of the set; for a new one what it follows
    double at, at_rest;
    double *offsets; // #V x 3: of the new key
} key_pose;

static sn_status find_skin(key_pose *k, sn_error *error) {
    sni_closest closest = sni_closest_to(k->desc->skin);
    for (uint32_t i = 0; i < k->model->surface_count; ++i) {
        const sn_surface *surface = &k->model->surfaces[i];
        if (surface->layer != SN_LAYER_SKIN) {
            continue;
        }
        sni_closest_try(&closest, surface->name);
        if (strcmp(surface->name, k->desc->skin) == 0) {
            k->surface = i;
            k->mesh = surface->mesh;
            return SN_OK;
        }
    }
    char hint[SNI_HINT_BYTES];
    return sni_fail(error, SN_INVALID, "there is no skin \"%s\"%s", k->desc->skin,
                    sni_closest_hint(&closest, hint));
}

static bool follows_same(const sni_pose_plan *a, const sni_pose_plan *b) {
    return a->muscle == SN_NONE && b->muscle == SN_NONE &&
           a->parameter.segment == b->parameter.segment &&
           a->parameter.control == b->parameter.control &&
           (a->parameter.segment == SN_NONE ||
            a->parameter.joint_parameter == b->parameter.joint_parameter);
}

// The set that follows the parameter, else the first morph.
static void find_set(key_pose *k) {
    const sni_surface_plan *surface = &k->model->blueprint->surfaces[k->surface];
    k->deformer = k->set = SN_NONE;
    for (uint32_t i = 0; i < surface->deformer_count; ++i) {
        const sni_deformer_plan *deformer = &surface->deformers[i];
        if (deformer->ops != &sni_deformer_morph) {
            continue;
        }
        k->deformer = k->deformer == SN_NONE ? i : k->deformer;
        const sni_poses_plan *poses = sni_deformer_input(deformer, &sni_input_poses);
        for (uint32_t s = 0; poses != NULL && s < poses->count; ++s) {
            if (follows_same(&poses->sets[s], &k->plan)) {
                k->deformer = i;
                k->set = s;
                k->plan = poses->sets[s];
                return;
            }
        }
    }
}

// To so many digits: whole numbers of degrees come back as such from radians, and the document
// stays readable. Dividing by a power of ten gives the double nearest to the decimal.
static double rounded(double value, int digits) {
    if (value == 0 || fabs(value) < 1e-15) {
        return 0;
    }
    double scale = pow(10, digits - 1 - floor(log10(fabs(value))));
    return round(value * scale) / scale;
}

static sn_status place_key(key_pose *k, sn_error *error) {
    sn_frame *rest = NULL;
    sn_status status = sn_frame_create(k->model, &rest, error);
    if (status != SN_OK) {
        return status;
    }
    k->at = rounded(sni_frame_pose_input(k->frame, &k->plan), 9);
    k->at_rest = rounded(sni_frame_pose_input(rest, &k->plan), 9);
    sn_frame_destroy(rest);
    if (k->at == k->at_rest) {
        return sni_fail(error, SN_INVALID,
                        "\"%s\" stands at %.9g as in the rest pose, whose shape is the mesh's own",
                        k->desc->follows, k->at);
    }
    return SN_OK;
}

static sn_status check_points(const key_pose *k, sn_error *error) {
    if (k->desc->vertex_count != k->mesh->vertex_count) {
        return sni_fail(error, SN_INVALID, "the shape has %u vertices, but the skin \"%s\" has %u",
                        k->desc->vertex_count, k->desc->skin, k->mesh->vertex_count);
    }
    for (size_t i = 0; i < 3 * (size_t)k->mesh->vertex_count; ++i) {
        if (!isfinite(k->desc->points[i])) {
            return sni_fail(error, SN_INVALID, "vertex %zu of the shape is at %g", i / 3,
                            k->desc->points[i]);
        }
    }
    if (k->deformer == SN_NONE && k->mesh->target_count > 0) {
        return sni_fail(error, SN_INVALID,
                        "the mesh \"%s\" has morph targets, which a new deformer \"morph\" would "
                        "use; give the skin \"%s\" one first",
                        k->mesh->name, k->desc->skin);
    }
    const sni_bound_surface *bound = &k->model->bound[k->surface];
    for (uint32_t i = k->deformer != SN_NONE ? k->deformer : 0; i < bound->deformer_count; ++i) {
        if (bound->deformers[i].state_bytes > 0) {
            return sni_fail(error, SN_INVALID, "the deformer \"%s\" of the skin \"%s\" has memory",
                            bound->deformers[i].ops->name, k->desc->skin);
        }
    }
    return SN_OK;
}

static sn_status locate(key_pose *k, sn_error *error) {
    const sn_key_pose_desc *desc = k->desc;
    sn_status status = SN_OK;
    if (desc->check != desc_check || desc->skin == NULL || desc->follows == NULL ||
        desc->points == NULL) {
        return sni_fail(error, SN_INVALID, "a key pose needs a skin, a parameter and points");
    }
    SN_TRY(find_skin(k, error));
    k->plan = (sni_pose_plan){.muscle = SN_NONE};
    SN_TRY(sni_rig_find(k->model->rig, desc->follows, &k->plan.parameter, error));
    find_set(k);
    SN_TRY(check_points(k, error));
    SN_TRY(place_key(k, error));
cleanup:
    return status;
}

// How much of an offset of its keys a point gets from the morph.
static double share_of(const key_pose *k, uint32_t vertex) {
    if (k->deformer == SN_NONE) {
        return 1;
    }
    const sni_deformer_plan *plan =
        &k->model->blueprint->surfaces[k->surface].deformers[k->deformer];
    const float *weights = k->model->bound[k->surface].deformers[k->deformer].binding->weights;
    const uint32_t *driven = plan->driven;
    double envelope = driven != NULL && driven[SNI_MORPH_PARAMETER_ENVELOPE] != SN_NONE
                          ? sn_frame_controls(k->frame)[driven[SNI_MORPH_PARAMETER_ENVELOPE]]
                          : plan->parameters[SNI_MORPH_PARAMETER_ENVELOPE];
    return envelope * (weights != NULL ? (double)weights[vertex] : 1);
}

// The offsets that the set has at this place already.
static sn_status start_from_set(key_pose *k, sn_error *error) {
    memset(k->offsets, 0, 3 * (size_t)k->mesh->vertex_count * sizeof *k->offsets);
    if (k->set == SN_NONE) {
        return SN_OK;
    }
    const sni_deformer_plan *plan =
        &k->model->blueprint->surfaces[k->surface].deformers[k->deformer];
    sni_arena arena;
    sni_pose_set *sets = NULL;
    sni_arena_init(&arena, k->model->context);
    const sni_poses_plan *poses = sni_deformer_input(plan, &sni_input_poses);
    sn_status status = sni_poses_make(k->model->character, poses, k->mesh, &arena, &sets, error);
    for (uint32_t i = 0; status == SN_OK && i < sets[k->set].point_count; ++i) {
        const sni_pose_set *set = &sets[k->set];
        sni_pose_set_sample(set, k->at, i, k->offsets + 3 * (size_t)set->points[i]);
    }
    sni_arena_deinit(&arena);
    return status;
}

static double offset_length(const double *offset) {
    return sn_vec3_length(sn_vec3_make(offset[0], offset[1], offset[2]));
}

static sn_status add_moves(key_pose *k, const double *moves, sn_key_pose_report *report,
                           sn_error *error) {
    for (uint32_t v = 0; v < k->mesh->vertex_count; ++v) {
        const double *move = moves + 3 * (size_t)v;
        double *offset = k->offsets + 3 * (size_t)v;
        if (offset_length(move) > 0) {
            double share = share_of(k, v);
            if (share == 0) {
                return sni_fail(error, SN_INVALID,
                                "vertex %u takes nothing of the deformer \"morph\": its weight or "
                                "the envelope is 0",
                                v);
            }
            report->changed++;
            for (int i = 0; i < 3; ++i) {
                offset[i] = rounded(offset[i] + move[i] / share, 7);
            }
        }
        report->moved += offset_length(offset) > 0;
        report->largest = fmax(report->largest, offset_length(offset));
    }
    return SN_OK;
}

static sn_status find_offsets(key_pose *k, sn_key_pose_report *report, sn_error *error) {
    sn_context *context = k->model->context;
    size_t count = 3 * (size_t)k->mesh->vertex_count;
    uint32_t first = k->deformer != SN_NONE ? k->deformer + 1 : 0;
    float *start = NULL;
    double *moves = NULL;
    sn_status status = SN_OK;
    sn_vec3 low, high;
    SNI_NEW(context, start, count);
    SNI_NEW(context, moves, count);
    memcpy(start, k->mesh->positions, count * sizeof *start);
    if (first > 0) {
        SN_TRY(sni_frame_deform(k->frame, k->surface, 0, first, k->mesh->positions, start, error));
    }
    SN_TRY(sni_unpose(k->frame, k->surface, first, start, k->desc->points, k->desc->least, moves,
                      &report->error, error));
    sn_mesh_bounds(k->mesh, &low, &high);
    if (report->error > met * sn_vec3_distance(low, high)) {
        status =
            sni_fail(error, SN_INVALID, "the shape cannot be met: %g m are left", report->error);
        goto cleanup;
    }
    SN_TRY(start_from_set(k, error));
    SN_TRY(add_moves(k, moves, report, error));
cleanup:
    sni_free(context, moves);
    sni_free(context, start);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The document

static bool write_key(const key_pose *k, sn_json *json, sn_value *keys) {
    sn_value *key = sn_json_add_object(json, keys, NULL);
    bool done = sn_json_add_number(json, key, "at", k->at) != NULL;
    sn_value *points = sn_json_add_object(json, key, "points");
    done = done && points != NULL;
    for (uint32_t v = 0; v < k->mesh->vertex_count && done; ++v) {
        const double *offset = k->offsets + 3 * (size_t)v;
        if (offset_length(offset) > 0) {
            char name[16];
            snprintf(name, sizeof name, "%u", v);
            done = sn_json_add_numbers(json, points, name, offset, 3) != NULL;
        }
    }
    return done;
}

// The keys of `old` with the new one among them, in place of one that stands there.
static bool write_keys(const key_pose *k, sn_json *json, sn_value *set, const sn_value *old) {
    sn_value *keys = sn_json_add_array(json, set, "keys");
    bool done = keys != NULL, written = false;
    for (uint32_t i = 0; i < sn_value_count(old) && done; ++i) {
        const sn_value *key = sn_value_at(old, i);
        double at = sn_value_number(sn_value_get(key, "at"), 0);
        if (at >= k->at && !written) {
            done = write_key(k, json, keys);
            written = true;
        }
        done = done && (at == k->at || sn_json_add_copy(json, keys, NULL, key) != NULL);
    }
    return done && (written || write_key(k, json, keys));
}

static bool write_rest_key(const key_pose *k, sn_json *json, sn_value *keys) {
    sn_value *rest = sn_json_add_object(json, keys, NULL);
    return sn_json_add_number(json, rest, "at", k->at_rest) != NULL &&
           sn_json_add_object(json, rest, "points") != NULL;
}

static bool write_new_set(const key_pose *k, sn_json *json, sn_value *morph) {
    sn_value *poses = (sn_value *)sn_value_get(morph, "poses");
    poses = poses != NULL ? poses : sn_json_add_array(json, morph, "poses");
    sn_value *set = sn_json_add_object(json, poses, NULL);
    const char *interpolation = k->desc->interpolation;
    bool done = sn_json_add_string(json, set, "follows", k->desc->follows) != NULL &&
                (interpolation == NULL ||
                 sn_json_add_string(json, set, "interpolation", interpolation) != NULL);
    sn_value *keys = sn_json_add_array(json, set, "keys");
    done = done && keys != NULL && (k->at < k->at_rest || write_rest_key(k, json, keys)) &&
           write_key(k, json, keys) && (k->at > k->at_rest || write_rest_key(k, json, keys));
    return done;
}

// A new morph before all other deformers of the skin.
static sn_value *write_new_morph(sn_json *json, sn_value *skin) {
    const sn_value *old = sn_value_get(skin, "deformers");
    sn_value *list = sn_json_add_array(json, skin, "deformers");
    sn_value *morph = sn_json_add_object(json, list, NULL);
    bool done = sn_json_add_string(json, morph, "kind", "morph") != NULL;
    for (uint32_t i = 0; i < sn_value_count(old) && done; ++i) {
        done = sn_json_add_copy(json, list, NULL, sn_value_at(old, i)) != NULL;
    }
    return done ? morph : NULL;
}

static sn_status write_document(const key_pose *k, sn_json *json, sn_error *error) {
    const sn_value *skins = sn_value_get(sn_json_root(json), "skins");
    sn_value *skin = (sn_value *)sn_value_get(skins, k->desc->skin);
    bool done;
    if (k->deformer == SN_NONE) {
        sn_value *morph = write_new_morph(json, skin);
        done = morph != NULL && write_new_set(k, json, morph);
    } else {
        const sn_value *list = sn_value_get(skin, "deformers");
        sn_value *morph = (sn_value *)sn_value_at(list, k->deformer);
        sn_value *set =
            (sn_value *)(k->set != SN_NONE ? sn_value_at(sn_value_get(morph, "poses"), k->set)
                                           : NULL);
        done = set != NULL ? write_keys(k, json, set, sn_value_get(set, "keys"))
                           : write_new_set(k, json, morph);
    }
    return done ? SN_OK : sni_fail_memory(error);
}

sn_status sn_key_pose_add(sn_character *character, sn_frame *frame, const sn_key_pose_desc *desc,
                          sn_key_pose_report *report, sn_error *error) {
    key_pose k = {.frame = frame, .model = sn_frame_model(frame), .desc = desc};
    sn_key_pose_report made = {0};
    sn_status status = SN_OK;
    SN_TRY(locate(&k, error));
    SNI_NEW(k.model->context, k.offsets, 3 * (size_t)k.mesh->vertex_count);
    SN_TRY(find_offsets(&k, &made, error));
    SN_TRY(write_document(&k, sn_character_document(character), error));
    made.at = k.at;
    if (report != NULL) {
        *report = made;
    }
cleanup:
    sni_free(k.model->context, k.offsets);
    return status;
}
