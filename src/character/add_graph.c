// SPDX-License-Identifier: Apache-2.0
//
// Adding a muscle of kind `graph` to a document, with the control that contracts it. Where its
// points are not given they are fitted to its mesh.
#include "character/character.h"

#include "base/context.h"
#include "character/blueprint/blueprint.h"
#include "character/edit.h"
#include "character/expand/expand.h"
#include "character/surface_mesh.h"
#include "character/write_graph.h"
#include "motion/skeleton.h"

#include <string.h>

// Keys that are not the muscle's: what its paths are fitted by, and the group of its control.
static const char *const own_keys[] = {"origins", "insertions", "sphincter", "group", "kind"};

// The body that a muscle is fitted in.
typedef struct fit_body {
    sni_blueprint *blueprint;
    sn_mat4 *worlds; // of segments at rest
    uint32_t *parents;
    sn_vec3 *joints;
    uint32_t bone_count;
    sn_fit_bone *bones;
    sn_mesh **meshes; // bone_count: in the world; NULL: the character's own
    uint32_t place_count, origin_count;
    sn_fit_place *places;
} fit_body;

// --- The body at rest

static sn_status open_bone(sn_character *character, const fit_body *b, uint32_t index,
                           sn_error *error) {
    const sni_surface_plan *plan = &b->blueprint->surfaces[index];
    const sn_mesh *mesh = NULL;
    sn_mesh *made = NULL, *moved = NULL;
    sn_status status = SN_OK;
    SN_TRY(sni_surface_mesh(character, plan, sni_surface_unit(plan, b->blueprint->segment_sizes),
                            &mesh, &made, error));
    if (plan->in_segment_frame) {
        SN_TRY(sn_mesh_copy(mesh, &moved, error));
        for (size_t i = 0; i < moved->vertex_count; ++i) {
            sn_vec3 p = sn_vec3_load(moved->positions + 3 * i);
            sn_vec3_store(sn_mat4_point(&b->worlds[plan->segment], p), moved->positions + 3 * i);
        }
    }
    b->meshes[index] = moved != NULL ? moved : made;
    b->bones[index] = (sn_fit_bone){plan->name, moved != NULL ? moved : mesh, plan->segment};
    made = moved != NULL ? made : NULL;
cleanup:
    sn_mesh_destroy(made);
    return status;
}

static sn_status open_body(sn_character *character, const sn_json *json, fit_body *b,
                           sn_error *error) {
    sn_context *context = sni_character_context(character);
    sn_status status = SN_OK;
    SN_TRY(sni_blueprint_create(context, json, &b->blueprint, error));
    const sn_skeleton *skeleton = sni_rig_skeleton(b->blueprint->rig);
    SN_TRY(sni_skeleton_rest_worlds(context, skeleton, &b->worlds, error));
    SNI_NEW(context, b->parents, skeleton->segment_count);
    SNI_NEW(context, b->joints, skeleton->segment_count);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        const double *m = b->worlds[i].m;
        b->parents[i] = skeleton->segments[i].parent;
        b->joints[i] = sn_vec3_make(m[12], m[13], m[14]);
    }
    b->bone_count = b->blueprint->names[SNI_SECTION_BONES].count;
    SNI_NEW_ZERO(context, b->bones, b->bone_count);
    SNI_NEW_ZERO(context, b->meshes, b->bone_count);
    if (b->bone_count == 0) {
        SN_TRY(sni_fail(error, SN_INVALID, "the document has no bones to fit paths between"));
    }
    for (uint32_t i = 0; i < b->bone_count; ++i) {
        SN_TRY(open_bone(character, b, i, error));
    }
cleanup:
    return status;
}

static void close_body(sn_context *context, fit_body *b) {
    for (uint32_t i = 0; b->meshes != NULL && i < b->bone_count; ++i) {
        sn_mesh_destroy(b->meshes[i]);
    }
    sni_blueprint_destroy(b->blueprint);
    sni_free(context, b->worlds);
    sni_free(context, b->parents);
    sni_free(context, b->joints);
    sni_free(context, b->bones);
    sni_free(context, b->meshes);
    sni_free(context, b->places);
}

// --- What is asked for

static sn_status read_place(const fit_body *b, const sn_value *value, sn_fit_place *place,
                            sn_error *error) {
    const sn_value *bone = sn_value_get(value, "bone"), *point = sn_value_get(value, "point");
    place->bone = SN_NONE;
    if (point == NULL || sn_value_count(point) != 3 ||
        sn_value_at(point, 0)->type != SN_JSON_NUMBER) {
        return sni_fail_value(error, value, SN_INVALID,
                              "a place to fit to is {\"bone\": NAME, \"point\": [x, y, z]}, or "
                              "without the bone for the nearest one");
    }
    place->point = sni_decode_vector(point, (sn_vec3){0});
    return bone != NULL ? sni_find_name(b->blueprint, SNI_SECTION_BONES, bone, &place->bone, error)
                        : SN_OK;
}

static sn_status read_places(sn_context *context, const sn_value *keys, fit_body *b,
                             sn_error *error) {
    const sn_value *lists[2] = {sn_value_get(keys, "origins"), sn_value_get(keys, "insertions")};
    sn_status status = SN_OK;
    uint32_t count = sn_value_count(lists[0]) + sn_value_count(lists[1]);
    SNI_NEW(context, b->places, count);
    b->origin_count = sn_value_count(lists[0]);
    for (int k = 0; k < 2; ++k) {
        for (uint32_t i = 0; i < sn_value_count(lists[k]); ++i) {
            SN_TRY(read_place(b, sn_value_at(lists[k], i), &b->places[b->place_count], error));
            ++b->place_count;
        }
    }
cleanup:
    return status;
}

static sn_status fit_points(sn_character *character, const char *name, const sn_value *keys,
                            fit_body *b, sn_graph_fit **fit, sn_error *error) {
    sn_context *context = sni_character_context(character);
    const sn_value *mesh = sn_value_get(keys, "mesh"), *center = sn_value_get(keys, "center");
    sn_graph_fit_desc desc = sn_graph_fit_desc_default();
    sn_status status = SN_OK;
    SN_TRY(read_places(context, keys, b, error));
    if (center != NULL) {
        sn_fit_place place;
        SN_TRY(read_place(b, center, &place, error));
        desc.center = place.point;
    }
    desc.muscle.name = name;
    SN_TRY(sn_character_mesh(character, mesh->as.string, &desc.muscle.mesh, error));
    desc.muscle.bone_count = b->bone_count;
    desc.muscle.bones = b->bones;
    desc.muscle.segment_count = sni_rig_skeleton(b->blueprint->rig)->segment_count;
    desc.muscle.segment_parents = b->parents;
    desc.muscle.segment_joints = b->joints;
    desc.muscle.place_count = b->place_count;
    desc.muscle.places = b->places;
    desc.origin_count = b->origin_count;
    desc.has_center = center != NULL;
    desc.sphincter = center != NULL || sn_value_bool(sn_value_get(keys, "sphincter"), false);
    SN_TRY(sn_fit_graph(context, &desc, fit, error));
cleanup:
    return status;
}

// --- The edit

typedef struct addition {
    sni_edit edit;
    const char *name, *control;
    const sn_value *keys;
    sn_character *character;
} addition;

static bool is_own(const char *key) {
    bool own = false;
    for (size_t i = 0; i < sizeof own_keys / sizeof *own_keys; ++i) {
        own = own || strcmp(own_keys[i], key) == 0;
    }
    return own;
}

static bool write_muscle(addition *a, const fit_body *b, const sn_graph_fit *fit) {
    sn_json *json = a->edit.json;
    sn_value *muscle = sni_edit_object(&a->edit, sni_edit_map(&a->edit, "muscles"), a->name);
    bool done = muscle != NULL && sn_json_add_string(json, muscle, "kind", "graph") != NULL;
    for (uint32_t i = 0; i < sn_value_count(a->keys) && done; ++i) {
        const sn_value *value = sn_value_at(a->keys, i);
        bool fitted = fit != NULL && strcmp(value->key, "center") == 0;
        done = is_own(value->key) || fitted ||
               sn_json_add_copy(json, muscle, value->key, value) != NULL;
    }
    if (done && sn_value_get(muscle, "contraction") == NULL) {
        done = sn_json_add_string(json, muscle, "contraction", a->control) != NULL;
    }
    if (done && fit != NULL) {
        const sni_graph_names names = {b->bones, sni_rig_skeleton(b->blueprint->rig), b->worlds};
        done = sni_write_graph(json, muscle, fit, &names);
    }
    return done;
}

// A mirrored muscle has a mirrored control, and a mirrored mesh.
static bool mirror_entry(addition *a, const char *section, const char *name) {
    sn_value *entry = (sn_value *)sn_value_get(sn_value_get(a->edit.root, section), name);
    bool mirrored = sn_value_bool(sn_value_get(a->keys, "mirror"), false);
    if (!mirrored || entry == NULL || sn_value_get(entry, "mirror") != NULL) {
        return true;
    }
    return sni_edit_note(&a->edit, sn_json_add_bool(a->edit.json, entry, "mirror", true));
}

static bool write_control(addition *a, const sn_json *expanded) {
    const sn_value *known = sn_value_get(sn_json_root(expanded), "controls");
    const sn_value *group = sn_value_get(a->keys, "group");
    const sn_value *mesh = sn_value_get(a->keys, "mesh");
    bool done = true;
    if (sn_value_get(known, a->control) == NULL) {
        sn_value *made = sni_edit_object(&a->edit, sni_edit_map(&a->edit, "controls"), a->control);
        done = made != NULL &&
               (group == NULL || sn_json_add_copy(a->edit.json, made, "group", group) != NULL);
        done = done && mirror_entry(a, "controls", a->control);
    }
    return done && (mesh == NULL || mirror_entry(a, "meshes", mesh->as.string));
}

static sn_status check_keys(const addition *a, const sn_json *expanded, sn_error *error) {
    const sn_value *mesh = sn_value_get(a->keys, "mesh");
    if (a->name == NULL || a->name[0] == 0) {
        return sni_fail(error, SN_INVALID, "the muscle has no name");
    }
    if (sn_value_get(sn_value_get(sn_json_root(expanded), "muscles"), a->name) != NULL) {
        return sni_fail(error, SN_INVALID, "there is a muscle \"%s\" already", a->name);
    }
    if (sn_value_get(a->keys, "points") == NULL && (mesh == NULL || mesh->type != SN_JSON_STRING)) {
        return sni_fail(error, SN_INVALID,
                        "a muscle of kind \"graph\" needs \"points\", or a \"mesh\" that its "
                        "paths are fitted to");
    }
    return SN_OK;
}

static sn_status add_to_document(addition *a, sn_error *error) {
    sn_context *context = sni_character_context(a->character);
    sni_expanded expanded = {0};
    fit_body body = {0};
    sn_graph_fit *fit = NULL;
    sn_status status = SN_OK;
    // A document that is in order before is one whose parts can be trusted.
    SN_TRY(sn_character_check(a->character, error));
    SN_TRY(sni_expanded_open(a->edit.json, &expanded, error));
    SN_TRY(check_keys(a, expanded.json, error));
    if (sn_value_get(a->keys, "points") == NULL) {
        SN_TRY(open_body(a->character, expanded.json, &body, error));
        SN_TRY(fit_points(a->character, a->name, a->keys, &body, &fit, error));
    }
    if (!write_muscle(a, &body, fit) || !write_control(a, expanded.json)) {
        SN_TRY(sni_fail_memory(error));
    }
    SN_TRY(sn_character_check(a->character, error));
cleanup:
    if (status != SN_OK) {
        sni_edit_undo(&a->edit);
    }
    sn_graph_fit_destroy(fit);
    close_body(context, &body);
    sni_expanded_close(&expanded);
    return status;
}

sn_status sn_character_add_graph(sn_character *character, const char *name, const sn_value *keys,
                                 sn_error *error) {
    sn_json *json = sn_character_document(character);
    addition a = {.edit = {.json = json, .root = sn_json_root(json)},
                  .name = name,
                  .control = sn_value_string(sn_value_get(keys, "contraction"), name),
                  .keys = keys,
                  .character = character};
    sn_status status = add_to_document(&a, error);
    if (status != SN_OK && sn_character_path(character) != NULL) {
        sni_error_source(error, sn_character_path(character));
    }
    return status;
}
