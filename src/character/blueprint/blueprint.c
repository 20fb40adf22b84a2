// SPDX-License-Identifier: Apache-2.0
#include "character/blueprint/blueprint.h"

#include "character/schema/schema.h"
#include "motion/pairing.h"

#include <stdio.h>
#include <string.h>

// The key of a section, and what one of its members and several of them are called.
static const struct {
    const char *key, *member, *members;
} sections[SNI_SECTION_COUNT] = {
    [SNI_SECTION_SKELETON] = {"skeleton", "segment", "segments"},
    [SNI_SECTION_MESHES] = {"meshes", "mesh", "meshes"},
    [SNI_SECTION_BONES] = {"bones", "bone", "bones"},
    [SNI_SECTION_TISSUES] = {"tissues", "tissue", "tissues"},
    [SNI_SECTION_SKINS] = {"skins", "skin", "skins"},
    [SNI_SECTION_MUSCLES] = {"muscles", "muscle", "muscles"},
    [SNI_SECTION_CONTROLS] = {"controls", "control", "controls"},
    [SNI_SECTION_LANDMARKS] = {"landmarks", "landmark", "landmarks"},
    [SNI_SECTION_BODIES] = {"bodies", "body", "bodies"},
};

sn_status sni_index_section(sn_context *context, const sn_value *root, sni_section section,
                            sni_name_index *index, sn_error *error) {
    const sn_value *map = sn_value_get(root, sections[section].key);
    uint32_t count = sn_value_count(map);
    const char **keys = NULL;
    sn_status status = SN_OK;
    SNI_NEW(context, keys, count);
    for (uint32_t i = 0; i < count; ++i) {
        keys[i] = sn_value_at(map, i)->key; // NULL in a list, which is left out
    }
    SN_TRY(sni_name_index_init(context, index, keys, sizeof *keys, count, error));
cleanup:
    sni_free(context, keys);
    return status;
}

static sn_status index_names(sni_blueprint *blueprint, const sn_value *root, sn_error *error) {
    sn_status status = SN_OK;
    for (int section = 0; section < SNI_SECTION_COUNT && status == SN_OK; ++section) {
        status =
            sni_index_section(blueprint->context, root, section, &blueprint->names[section], error);
    }
    return status;
}

const char *sni_section_member(sni_section section) {
    return sections[section].member;
}

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

uint32_t sni_sections_named(const char *words) {
    uint32_t found = 0;
    while (words != NULL && *words != 0) {
        size_t length = strcspn(words, " ");
        for (uint32_t i = 0; i < SNI_SECTION_COUNT; ++i) {
            found |= is_word(words, length, sections[i].members) ? 1u << i : 0;
        }
        found |= is_word(words, length, "parameters") ? SNI_NAMES_PARAMETERS : 0;
        words += length + (words[length] == ' ');
    }
    return found;
}

sn_status sni_find_name_at(const sni_blueprint *blueprint, sni_section section, const char *name,
                           const sn_value *at, uint32_t *number, sn_error *error) {
    const sni_name_index *names = &blueprint->names[section];
    *number = sni_name_index_find(names, name);
    if (*number != SN_NONE) {
        return SN_OK;
    }
    char hint[SNI_HINT_BYTES];
    sni_closest closest = sni_closest_to(name);
    for (uint32_t i = 0; i < names->count; ++i) {
        sni_closest_try(&closest, names->entries[i].name);
    }
    return sni_fail_value(error, at, SN_INVALID, "there is no %s \"%s\"%s",
                          sections[section].member, name, sni_closest_hint(&closest, hint));
}

sn_status sni_find_name(const sni_blueprint *blueprint, sni_section section, const sn_value *name,
                        uint32_t *number, sn_error *error) {
    return sni_find_name_at(blueprint, section, name->as.string, name, number, error);
}

// "bone, tissue or skin"
static void list_members(const sni_section *among, uint32_t count, char *text, size_t size) {
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < size; ++i) {
        const char *before = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", before, sections[among[i]].member);
    }
}

sn_status sni_find_name_among(const sni_blueprint *blueprint, const sni_section *among,
                              uint32_t count, const sn_value *name, uint32_t *number,
                              sn_error *error) {
    char hint[SNI_HINT_BYTES], members[128];
    sni_closest closest = sni_closest_to(name->as.string);
    const char *what = NULL;
    uint32_t first = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const sni_name_index *names = &blueprint->names[among[k]];
        uint32_t found = sni_name_index_find(names, name->as.string);
        if (found != SN_NONE && what != NULL) {
            return sni_fail_value(error, name, SN_INVALID,
                                  "both a %s and a %s are called \"%s\"; rename one of them", what,
                                  sections[among[k]].member, name->as.string);
        }
        if (found != SN_NONE) {
            what = sections[among[k]].member;
            *number = first + found;
        }
        for (uint32_t i = 0; i < names->count && what == NULL; ++i) {
            sni_closest_try(&closest, names->entries[i].name);
        }
        first += names->count;
    }
    list_members(among, count, members, sizeof members);
    return what != NULL
               ? SN_OK
               : sni_fail_value(error, name, SN_INVALID, "there is no %s \"%s\"%s", members,
                                name->as.string, sni_closest_hint(&closest, hint));
}

// The segment that `name` names, SN_NONE where there is no name.
static sn_status find_segment(const sni_blueprint *blueprint, const sn_value *name,
                              uint32_t *segment, sn_error *error) {
    *segment = SN_NONE;
    return name != NULL ? sni_find_name(blueprint, SNI_SECTION_SKELETON, name, segment, error)
                        : SN_OK;
}

static sn_status check_name(const sni_blueprint *blueprint, sni_section section,
                            const sn_value *name, sn_error *error) {
    uint32_t number;
    return sni_find_name(blueprint, section, name, &number, error);
}

static sn_status decode_landmark(const sni_blueprint *blueprint, const sn_value *value,
                                 sni_landmark_plan *landmark, sn_error *error) {
    const sn_value *segment = sn_value_get(value, "segment");
    const sn_value *position = sn_value_get(value, "position");
    const sn_value *mesh = sn_value_get(value, "mesh");
    const sn_value *vertex = sn_value_get(value, "vertex");
    *landmark = (sni_landmark_plan){.name = value->key, .value = value, .segment = SN_NONE};
    bool on_segment = segment != NULL && position != NULL && mesh == NULL && vertex == NULL;
    bool on_mesh = mesh != NULL && vertex != NULL && segment == NULL && position == NULL;
    if (on_segment) {
        landmark->position =
            sn_vec3_make(sn_value_at(position, 0)->as.number, sn_value_at(position, 1)->as.number,
                         sn_value_at(position, 2)->as.number);
        return find_segment(blueprint, segment, &landmark->segment, error);
    }
    if (on_mesh) {
        landmark->mesh = mesh->as.string;
        landmark->vertex = (uint32_t)vertex->as.number;
        landmark->vertex_value = vertex;
        return check_name(blueprint, SNI_SECTION_MESHES, mesh, error);
    }
    return sni_fail_value(error, value, SN_INVALID,
                          "a landmark has either \"segment\" and \"position\" or \"mesh\" and "
                          "\"vertex\"");
}

static sn_status decode_landmarks(sni_blueprint *blueprint, const sn_value *root, sn_error *error) {
    const sn_value *map = sn_value_get(root, "landmarks");
    blueprint->landmark_count = sn_value_count(map);
    SNI_PLAN_NEW(blueprint, blueprint->landmarks, blueprint->landmark_count);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < blueprint->landmark_count && status == SN_OK; ++i) {
        status = decode_landmark(blueprint, sn_value_at(map, i), &blueprint->landmarks[i], error);
    }
    return status;
}

sn_status sni_decode_parameters(sni_blueprint *blueprint, const sn_parameters *table,
                                const sn_value *object, double **values, sn_error *error) {
    SNI_PLAN_NEW(blueprint, *values, table->count);
    sni_parameter_values(table, object, *values);
    return SN_OK;
}

static sn_status fail_not_live(const sn_parameters *table, const sn_value *member,
                               sn_error *error) {
    char live[256] = "";
    for (uint32_t i = 0; i < table->count; ++i) {
        size_t used = strlen(live);
        if (table->items[i].live) {
            snprintf(live + used, sizeof live - used, "%s\"%s\"", used > 0 ? ", " : "",
                     table->items[i].name);
        }
    }
    return sni_fail_value(error, member, SN_INVALID,
                          "no control can drive \"%s\"; what can be driven: %s", member->key, live);
}

sn_status sni_decode_driven(sni_blueprint *blueprint, const sn_parameters *table,
                            const sn_value *object, double *values, uint32_t **controls,
                            sn_error *error) {
    const sn_value *map = sn_value_get(object, "driven");
    sn_status status = SN_OK;
    *controls = NULL;
    if (sn_value_count(map) == 0) {
        return SN_OK;
    }
    SNI_PLAN_NEW(blueprint, *controls, table->count);
    memset(*controls, 0xff, table->count * sizeof **controls);
    for (uint32_t i = 0; i < sn_value_count(map); ++i) {
        const sn_value *member = sn_value_at(map, i);
        uint32_t index = sni_parameters_find(table, member->key);
        if (index == SN_NONE || !table->items[index].live) {
            return fail_not_live(table, member, error);
        }
        const sn_parameter *parameter = &table->items[index];
        SN_TRY(sni_find_name(blueprint, SNI_SECTION_CONTROLS, member, &(*controls)[index], error));
        sni_control_desc control = sni_rig_control(blueprint->rig, (*controls)[index]);
        values[index] = fmin(fmax(control.high, parameter->low), parameter->high);
    }
cleanup:
    return status;
}

sn_status sni_decode_inputs(const sni_decoding *decoding, const sni_input_use *uses, void **plans,
                            sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < SNI_INPUTS_MOST && uses[i].input != NULL && status == SN_OK; ++i) {
        status = uses[i].input->decode(decoding, &plans[i], error);
    }
    return status;
}

void sni_inputs_needs(const sni_input_use *uses, void *const *plans, sni_need_fn need, void *user) {
    for (uint32_t i = 0; i < SNI_INPUTS_MOST && uses[i].input != NULL; ++i) {
        if (plans[i] != NULL && uses[i].input->needs != NULL) {
            uses[i].input->needs(plans[i], need, user);
        }
    }
}

void sni_inputs_release(sn_context *context, const sni_input_use *uses, void *const *plans) {
    for (uint32_t i = 0; i < SNI_INPUTS_MOST && uses[i].input != NULL; ++i) {
        if (plans[i] != NULL && uses[i].input->release != NULL) {
            uses[i].input->release(context, plans[i]);
        }
    }
}

static sn_status decode_deformer(sni_blueprint *blueprint, uint32_t surface, const sn_value *value,
                                 sni_deformer_plan *plan, sn_error *error) {
    const sni_surface_plan *moved = &blueprint->surfaces[surface];
    const sni_deformer_ops *ops =
        sni_deformer_find(sn_value_string(sn_value_get(value, "kind"), ""));
    sn_status status = SN_OK;
    *plan = (sni_deformer_plan){.ops = ops, .value = value};
    if (ops->moves_in_world && moved->segment != SN_NONE) {
        return sni_fail_value(
            error, value, SN_INVALID,
            "\"%s\" moves in the world, so that no segment can carry \"%s\"; take "
            "its \"segment\" away, or move it by \"blend\"",
            ops->name, moved->name);
    }
    SN_TRY(sni_decode_parameters(blueprint, &ops->parameters, value, &plan->parameters, error));
    SN_TRY(sni_decode_driven(blueprint, &ops->parameters, value, plan->parameters, &plan->driven,
                             error));
    SN_TRY(sni_decode_weights(blueprint, plan, error));
    SN_TRY(sni_decode_inputs(
        &(sni_decoding){
            .blueprint = blueprint, .object = value, .kind = ops->name, .surface = surface},
        ops->inputs, plan->inputs, error));
cleanup:
    return status;
}

// Deformers that are combined stand in one row, and are so in one way.
static sn_status decode_combination(sni_deformer_plan *plan, const sni_deformer_plan *before,
                                    sn_error *error) {
    const sn_value *value = sn_value_get(plan->value, "combine");
    if (value == NULL) {
        return SN_OK;
    }
    plan->combined = true;
    plan->combination = strcmp(value->as.string, "larger") == 0 ? SN_WRAP_LARGER : SN_WRAP_MEAN;
    if (before == NULL || before->ops != plan->ops) {
        return sni_fail_value(error, value, SN_INVALID,
                              "no \"%s\" stands before this one to be combined with",
                              plan->ops->name);
    }
    if (before->combined && before->combination != plan->combination) {
        return sni_fail_value(error, value, SN_INVALID,
                              "the \"%s\" before is combined in another way", plan->ops->name);
    }
    return SN_OK;
}

static sn_status decode_deformers(sni_blueprint *blueprint, uint32_t index, sn_error *error) {
    sni_surface_plan *surface = &blueprint->surfaces[index];
    const sn_value *list = sn_value_get(surface->value, "deformers");
    uint32_t count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, surface->deformers, count);
    memset(surface->deformers, 0, count * sizeof *surface->deformers);
    surface->deformer_count = count;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < surface->deformer_count; ++i) {
        sni_deformer_plan *plan = &surface->deformers[i];
        SN_TRY(decode_deformer(blueprint, index, sn_value_at(list, i), plan, error));
        SN_TRY(decode_combination(plan, i > 0 ? plan - 1 : NULL, error));
    }
cleanup:
    return status;
}

// The number of a look, in the order of sn_look.
static uint32_t decode_look(const char *name) {
    for (uint32_t i = 0; sni_looks[i] != NULL; ++i) {
        if (strcmp(sni_looks[i], name) == 0) {
            return i;
        }
    }
    return 0;
}

// The kinds of surfaces in the order in which they stand, with the looks that they have by
// themselves.
static const struct {
    sni_surface_kind kind;
    sni_section section;
    const char *look;
} surface_kinds[] = {{SNI_SURFACE_BONE, SNI_SECTION_BONES, "bone"},
                     {SNI_SURFACE_TISSUE, SNI_SECTION_TISSUES, "tissue"},
                     {SNI_SURFACE_SKIN, SNI_SECTION_SKINS, "skin"}};
enum { SURFACE_KIND_COUNT = sizeof surface_kinds / sizeof *surface_kinds };

static sn_status decode_surface(sni_blueprint *blueprint, const sn_value *value, int kind,
                                sni_surface_plan *surface, sn_error *error) {
    const sn_value *mesh = sn_value_get(value, "mesh");
    const sn_value *frame = sn_value_get(value, "frame");
    const sn_value *segment = sn_value_get(value, "segment");
    *surface = (sni_surface_plan){
        .kind = surface_kinds[kind].kind,
        .name = value->key,
        .value = value,
        .mesh = sn_value_string(mesh, NULL),
        .extraction = SN_NONE,
        .in_segment_frame = strcmp(sn_value_string(frame, "world"), "segment") == 0,
        .density = 1,
        .look = decode_look(sn_value_string(sn_value_get(value, "look"), surface_kinds[kind].look)),
        .show = sn_value_bool(sn_value_get(value, "show"), true),
    };
    if (frame != NULL && segment == NULL) {
        return sni_fail_value(error, frame, SN_INVALID,
                              "\"frame\" is only allowed with \"segment\"");
    }
    sn_status status = SN_OK;
    if (mesh != NULL) {
        SN_TRY(check_name(blueprint, SNI_SECTION_MESHES, mesh, error));
    }
    SN_TRY(find_segment(blueprint, segment, &surface->segment, error));
    if (surface->kind != SNI_SURFACE_SKIN) {
        SN_TRY(sni_decode_component(blueprint, surface, error));
    }
cleanup:
    return status;
}

static sn_status decode_surfaces(sni_blueprint *blueprint, const sn_value *root, sn_error *error) {
    const sn_value *maps[SURFACE_KIND_COUNT];
    uint32_t count = 0, next = 0;
    sn_status status = SN_OK;
    for (int kind = 0; kind < SURFACE_KIND_COUNT; ++kind) {
        maps[kind] = sn_value_get(root, sections[surface_kinds[kind].section].key);
        count += sn_value_count(maps[kind]);
    }
    SNI_PLAN_NEW(blueprint, blueprint->surfaces, count);
    memset(blueprint->surfaces, 0, count * sizeof *blueprint->surfaces);
    blueprint->surface_count = count;
    for (int kind = 0; kind < SURFACE_KIND_COUNT; ++kind) {
        for (uint32_t i = 0; i < sn_value_count(maps[kind]); ++i) {
            SN_TRY(decode_surface(blueprint, sn_value_at(maps[kind], i), kind,
                                  &blueprint->surfaces[next++], error));
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(decode_deformers(blueprint, i, error));
    }
cleanup:
    return status;
}

// A clip comes from a file or from tracks; each has keys of its own.
static sn_status check_clip_keys(const sn_value *value, sn_error *error) {
    static const char *const of_files[] = {"clip",   "map",        "pairing",   "scale",
                                           "ignore", "rest_frame", "plant_feet"};
    const sn_value *file = sn_value_get(value, "file");
    const sn_value *tracks = sn_value_get(value, "tracks");
    if ((file == NULL) == (tracks == NULL)) {
        return sni_fail_value(error, value, SN_INVALID, "a clip has either \"file\" or \"tracks\"");
    }
    for (uint32_t i = 0; i < sizeof of_files / sizeof *of_files; ++i) {
        const sn_value *key = sn_value_get(value, of_files[i]);
        if (key != NULL && file == NULL) {
            return sni_fail_value(error, key, SN_INVALID, "\"%s\" is only allowed with \"file\"",
                                  key->key);
        }
    }
    const sn_value *frames = sn_value_get(value, "frames");
    if (frames != NULL && tracks == NULL) {
        return sni_fail_value(error, frames, SN_INVALID,
                              "\"frames\" is only allowed with \"tracks\"");
    }
    return SN_OK;
}

// What is wrong with the tracks together: two names of one parameter.
static sn_status check_tracks(const sni_blueprint *blueprint, const sni_clip_plan *plan,
                              sn_error *error) {
    sn_clip *clip = NULL;
    sni_player *player = NULL;
    sn_status status = SN_OK;
    SN_TRY(sni_blueprint_clip(blueprint, plan, &clip, error));
    SN_TRY(sni_at_value(sni_player_create(blueprint->rig, clip, NULL, &player, error),
                        sn_value_get(plan->value, "tracks"), error));
cleanup:
    sni_player_destroy(player);
    sn_clip_destroy(clip);
    return status;
}

// What the document itself knows of the edits: their segments, not the joints of the file.
static sn_status decode_pairing(const sni_blueprint *blueprint, const sn_value *pairing,
                                sni_clip_plan *plan, sn_error *error) {
    sn_status status = sni_pair_edits_decode(pairing, plan->edits, error);
    for (uint32_t i = 0; i < plan->edit_count && status == SN_OK; ++i) {
        const sn_value *at = plan->edits[i].at;
        uint32_t segment;
        status = sni_find_name_at(blueprint, SNI_SECTION_SKELETON, at->key, at, &segment, error);
    }
    return status;
}

static sn_status decode_clip(sni_blueprint *blueprint, const sn_value *value, sni_clip_plan *plan,
                             sn_error *error) {
    const sn_value *file = sn_value_get(value, "file"), *map = sn_value_get(value, "map");
    const sn_value *ignored = sn_value_get(value, "ignore");
    const sn_value *rest = sn_value_get(value, "rest_frame");
    const sn_value *pairing = sn_value_get(value, "pairing");
    *plan = (sni_clip_plan){.name = value->key,
                            .value = value,
                            .file = sn_value_string(file, NULL),
                            .file_name = file,
                            .clip = sn_value_get(value, "clip"),
                            .scale = sn_value_number(sn_value_get(value, "scale"), 0),
                            .rate = sn_value_number(sn_value_get(value, "rate"), 0),
                            .map_count = sn_value_count(map),
                            .edit_count = sn_value_count(pairing),
                            .ignored_count = sn_value_count(ignored),
                            .rest_frame = rest != NULL ? (uint32_t)rest->as.number : SN_NONE,
                            .plant_feet = sn_value_bool(sn_value_get(value, "plant_feet"), true)};
    SNI_PLAN_NEW(blueprint, plan->map, plan->map_count);
    SNI_PLAN_NEW(blueprint, plan->edits, plan->edit_count);
    SNI_PLAN_NEW(blueprint, plan->ignored, plan->ignored_count);
    for (uint32_t i = 0; i < plan->map_count; ++i) {
        const sn_value *pair = sn_value_at(map, i);
        plan->map[i] = (sn_name_pair){.source = pair->key, .target = pair->as.string};
    }
    for (uint32_t i = 0; i < plan->ignored_count; ++i) {
        plan->ignored[i] = sn_value_at(ignored, i);
    }
    sn_status status = check_clip_keys(value, error);
    return status == SN_OK ? decode_pairing(blueprint, pairing, plan, error) : status;
}

static sn_status decode_clips(sni_blueprint *blueprint, const sn_value *root, sn_error *error) {
    const sn_value *map = sn_value_get(root, "clips");
    blueprint->clip_count = sn_value_count(map);
    SNI_PLAN_NEW(blueprint, blueprint->clips, blueprint->clip_count);
    for (uint32_t i = 0; i < blueprint->clip_count; ++i) {
        sni_clip_plan *plan = &blueprint->clips[i];
        sn_status status = decode_clip(blueprint, sn_value_at(map, i), plan, error);
        if (status == SN_OK && plan->file == NULL) {
            status = check_tracks(blueprint, plan, error);
        }
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

static sn_status check_first_key(const sn_value *root, sn_error *error) {
    const sn_value *first = sn_value_at(root, 0);
    if (first == NULL || strcmp(first->key, "sinew") != 0) {
        return sni_fail_value(error, first != NULL ? first : root, SN_INVALID,
                              "the first key must be \"sinew\", the version of the format");
    }
    return SN_OK;
}

static sn_status check_meshes(const sni_blueprint *blueprint, const sn_value *map,
                              sn_error *error) {
    for (uint32_t i = 0; i < sn_value_count(map); ++i) {
        const sn_value *value = sn_value_at(map, i);
        const sn_value *file = sn_value_get(value, "file");
        const sn_value *mesh = sn_value_get(value, "mesh");
        if (mesh != NULL && file == NULL) {
            return sni_fail_value(error, mesh, SN_INVALID,
                                  "\"mesh\" is only allowed with \"file\"");
        }
        const sn_value *mirrored = sn_value_get(value, "mirrored");
        if (sn_value_bool(mirrored, false) && file == NULL) {
            return sni_fail_value(
                error, mirrored, SN_INVALID,
                "\"mirrored\" is only allowed with \"file\": a mesh from memory is used "
                "as it is");
        }
        const sn_value *weights = sn_value_get(value, "weights");
        sn_status status =
            weights != NULL ? check_name(blueprint, SNI_SECTION_MESHES, weights, error) : SN_OK;
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

sn_status sni_blueprint_create(sn_context *context, const sn_json *document,
                               sni_blueprint **blueprint, sn_error *error) {
    sn_status status = SN_OK;
    const sn_value *root = sn_json_root(document);
    sni_blueprint *made = NULL;
    *blueprint = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    sni_arena_init(&made->arena, context);
    made->name = sn_value_string(sn_value_get(root, "name"), "");
    SN_TRY(check_first_key(root, error));
    SN_TRY(index_names(made, root, error));
    SN_TRY(check_meshes(made, sn_value_get(root, "meshes"), error));
    SN_TRY(sni_decode_skeleton(made, sn_value_get(root, "skeleton"), error));
    SN_TRY(sni_decode_proportions(made, sn_value_get(root, "proportions"), error));
    SN_TRY(decode_landmarks(made, root, error));
    SN_TRY(sni_decode_rig(made, root, error));
    SN_TRY(decode_surfaces(made, root, error));
    SN_TRY(sni_decode_muscles(made, root, error));
    SN_TRY(sni_decode_bodies(made, root, error));
    SN_TRY(sni_decode_extractions(made, root, error));
    SN_TRY(sni_order_surfaces(made, error));
    SN_TRY(decode_clips(made, root, error));
    *blueprint = made;
    made = NULL;
cleanup:
    sni_blueprint_destroy(made);
    return status;
}

// Of inputs; what was not decoded, since something before it failed, has no kind.
static void release_plans(sni_blueprint *blueprint) {
    for (uint32_t i = 0; i < blueprint->surface_count; ++i) {
        const sni_surface_plan *surface = &blueprint->surfaces[i];
        for (uint32_t k = 0; k < surface->deformer_count; ++k) {
            const sni_deformer_plan *plan = &surface->deformers[k];
            if (plan->ops != NULL) {
                sni_inputs_release(blueprint->context, plan->ops->inputs, plan->inputs);
            }
        }
    }
    for (uint32_t i = 0; blueprint->muscles != NULL && i < blueprint->muscle_count; ++i) {
        const sni_muscle_plan *plan = &blueprint->muscles[i];
        if (plan->ops != NULL) {
            sni_inputs_release(blueprint->context, plan->ops->inputs, plan->inputs);
        }
    }
}

void sni_blueprint_destroy(sni_blueprint *blueprint) {
    if (blueprint == NULL) {
        return;
    }
    for (int section = 0; section < SNI_SECTION_COUNT; ++section) {
        sni_name_index_deinit(blueprint->context, &blueprint->names[section]);
    }
    release_plans(blueprint);
    sni_rig_destroy(blueprint->rig);
    sni_skeleton_deinit(blueprint->context, &blueprint->skeleton);
    sni_arena_deinit(&blueprint->arena);
    sni_free(blueprint->context, blueprint);
}
