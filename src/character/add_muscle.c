// SPDX-License-Identifier: Apache-2.0
//
// Adding a muscle to a document, with the control that contracts it, the driver of that, and the
// falloff that follows it. Parameters are named by the tables of their kinds alone.
#include "character/character.h"

#include "base/text.h"
#include "character/blueprint/blueprint.h"
#include "character/edit.h"
#include "character/expand/expand.h"
#include "character/inner.h"
#include "character/schema/schema.h"
#include "character/surface_mesh.h"
#include "geometry/edge.h"
#include "motion/skeleton.h"
#include "muscle/patch/curves.h"

#include <string.h>

// The two distances of a falloff, in the order of its table.
enum { DISTANCE_FULL, DISTANCE_NONE, DISTANCE_COUNT };

typedef struct addition {
    sni_edit edit;
    sni_expanded expanded; // the expanded document before the edit
    const char *name;      // of the muscle
    const sn_value *keys;
    sni_kind kind; // whose parameters the keys may give
    sn_value *skin;
    const char *control;                      // that contracts it
    double values[SNI_PATCH_PARAMETER_COUNT]; // of the muscle's own parameters
    double width;                             // of the muscle: the mean distance of its curves
    double depth;                             // of the muscle, about
    double distances[DISTANCE_COUNT];         // of its falloff
} addition;

static const sn_parameter *distance_parameter(const addition *a, uint32_t which) {
    return &a->kind.tables[SNI_DRAWN_FALLOFF].items[which];
}

static const sn_value *given_distance(const addition *a, uint32_t which) {
    return sn_value_get(a->keys, distance_parameter(a, which)->name);
}

static bool is_closed(const addition *a) {
    return a->values[SNI_PATCH_CURVES] == SNI_PATCH_CLOSED;
}

// ---------------------------------------------------------------------------------------------
// What is asked for

// How much of its contraction shortens it. All of it where the keys themselves say how it
// contracts.
static double slide_of(const addition *a) {
    const sn_parameters *table = &a->kind.tables[SNI_DRAWN_SLIDE];
    bool told = sn_value_get(a->keys, "vary") != NULL || sn_value_get(a->keys, "tension") != NULL;
    double slide;
    sni_parameter_values(table, a->keys, &slide);
    return told && sn_value_get(a->keys, table->items[0].name) == NULL ? 1 : slide;
}

static sn_status check_keys(const addition *a, sn_error *error) {
    const sn_value *full = given_distance(a, DISTANCE_FULL);
    const sn_value *none = given_distance(a, DISTANCE_NONE);
    if (full != NULL && none != NULL && full->as.number > none->as.number) {
        return sni_fail_value(error, full, SN_INVALID, "%g is greater than \"%s\", %g",
                              full->as.number, none->key, none->as.number);
    }
    const sn_value *told = sn_value_get(a->keys, "vary");
    told = told != NULL ? told : sn_value_get(a->keys, "tension");
    if (told != NULL && slide_of(a) < 1) {
        return sni_fail_value(error, told, SN_INVALID, "\"%s\" already sets how it contracts",
                              a->kind.tables[SNI_DRAWN_SLIDE].items[0].name);
    }
    return SN_OK;
}

// What can be told without the document. Errors are places of the keys.
static sn_status take_keys(addition *a, sn_error *error) {
    sn_status status = sni_schema_check(&sni_drawn_muscle_schema, a->keys, error);
    if (status != SN_OK) {
        return status;
    }
    a->kind = sni_drawn_muscle_schema.kinds->at(0);
    a->control = sn_value_string(sn_value_get(a->keys, "contraction"), a->name);
    sni_parameter_values(&a->kind.tables[SNI_DRAWN_MUSCLE], a->keys, a->values);
    return check_keys(a, error);
}

static sn_status find_skin(addition *a, sn_error *error) {
    const sn_value *skins = sn_value_get(a->edit.root, "skins");
    const char *name = sn_value_string(sn_value_get(a->keys, "skin"), NULL);
    char hint[SNI_HINT_BYTES];
    uint32_t count = sn_value_count(skins);
    if (count == 0) {
        return sni_fail(error, SN_INVALID, "the document has no skin to draw a muscle on");
    }
    if (name == NULL && count > 1) {
        return sni_fail(error, SN_INVALID,
                        "the document has %u skins; name one of them, such as \"%s\"", count,
                        sn_value_at(skins, 0)->key);
    }
    name = name != NULL ? name : sn_value_at(skins, 0)->key;
    a->skin = (sn_value *)sn_value_get(skins, name);
    if (a->skin != NULL) {
        return SN_OK;
    }
    sni_closest closest = sni_closest_to(name);
    for (uint32_t i = 0; i < sn_value_count(skins); ++i) {
        sni_closest_try(&closest, sn_value_at(skins, i)->key);
    }
    return sni_fail(error, SN_INVALID, "there is no skin \"%s\"%s", name,
                    sni_closest_hint(&closest, hint));
}

// ---------------------------------------------------------------------------------------------
// Distances

static const sn_value *curve_of(const addition *a, uint32_t index) {
    return sn_value_at(sn_value_get(a->keys, "curves"), index);
}

static sn_vec3 point_of(const sn_value *curve, uint32_t index) {
    return sni_decode_vector(sn_value_at(curve, index), (sn_vec3){0});
}

// The points of a curve; a closed one ends with its first point again.
static sn_status take_points(const addition *a, sn_context *context, const sn_value *curve,
                             uint32_t *count, sn_vec3 **points, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t given = sn_value_count(curve);
    *count = given + is_closed(a);
    SNI_NEW(context, *points, *count);
    for (uint32_t i = 0; i < *count; ++i) {
        (*points)[i] = point_of(curve, i % given);
    }
cleanup:
    return status;
}

static sn_status measure_width(addition *a, sn_context *context, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 *points[2] = {0};
    uint32_t counts[2];
    for (uint32_t k = 0; k < 2; ++k) {
        SN_TRY(take_points(a, context, curve_of(a, k), &counts[k], &points[k], error));
    }
    a->width = sni_patch_width(counts[0], points[0], counts[1], points[1]);
cleanup:
    sni_free(context, points[0]);
    sni_free(context, points[1]);
    return status;
}

// The next number of three digits, so that documents stay readable and muscles that are alike get
// distances that are equal.
static double round_up(double x) {
    if (!(x > 1e-15 && x < 1e15)) {
        return x;
    }
    double digits = 2 - floor(log10(x)), power = pow(10, fabs(digits));
    double slack = 1e-4; // 0.002 + 0.004 is 0.006, and (float)0.1 is 0.1
    return digits >= 0 ? ceil(x * power - slack) / power : ceil(x / power - slack) * power;
}

// The standard of a drawing for a parameter that is not given: a value, or a part of its width; 0
// where that of the kind holds. Curves that coincide have no width and are refused later.
static double standard_of(const addition *a, uint32_t parameter) {
    const char *key = a->kind.tables[SNI_DRAWN_MUSCLE].items[parameter].name;
    const double *standard = sni_drawn_standard_of(parameter);
    double value =
        standard != NULL ? *standard : round_up(sni_patch_part_of_width(parameter) * a->width);
    return sn_value_get(a->keys, key) == NULL ? value : 0;
}

static void take_standards(addition *a) {
    for (uint32_t i = 0; i < SNI_PATCH_PARAMETER_COUNT; ++i) {
        double standard = standard_of(a, i);
        if (standard > 0 || isnan(a->values[i])) {
            a->values[i] = standard;
        }
    }
}

static double distance_from_inner(const addition *a, const sni_muscle_inner *inner, sn_vec3 point) {
    sn_closest closest = {.distance = INFINITY};
    if (inner->accel != NULL) {
        sn_accel_find_closest(inner->accel, point, INFINITY, &closest);
    }
    for (uint32_t n = 0; n < inner->line_count; ++n) {
        double weight;
        double distance = sqrt(sni_edge_closest(inner->lines[2 * (size_t)n],
                                                inner->lines[2 * (size_t)n + 1], point, &weight));
        closest.distance = fmin(closest.distance, distance * (1 - a->values[SNI_PATCH_BONE_SHARE]));
    }
    return closest.distance;
}

// The greatest distance of a point of the curves from what the muscle lies on.
static double distance_to_inner(const addition *a, const sni_muscle_inner *inner) {
    double greatest = 0;
    for (uint32_t k = 0; k < 2; ++k) {
        const sn_value *curve = curve_of(a, k);
        for (uint32_t i = 0; i < sn_value_count(curve); ++i) {
            greatest = fmax(greatest, distance_from_inner(a, inner, point_of(curve, i)));
        }
    }
    return isfinite(greatest) ? greatest : 0;
}

static sn_status open_inner(addition *a, sn_character *character, const sni_blueprint *blueprint,
                            const sn_mat4 *rest, sni_inner *inner, sn_error *error) {
    sn_context *context = sni_character_context(character);
    const char *depth_from = sn_value_get(a->keys, "depth_from")->as.string;
    uint32_t index = sni_find_surface(blueprint, depth_from);
    const sn_mesh *mesh = NULL;
    sn_mesh *made = NULL;
    const char *name = sn_value_get(a->skin, "mesh")->as.string;
    sn_status status = SN_OK;
    if (index != SN_NONE) {
        const sni_surface_plan *surface = &blueprint->surfaces[index];
        SN_TRY(sni_surface_mesh(character, surface,
                                sni_surface_unit(surface, blueprint->segment_sizes), &mesh, &made,
                                error));
        const sn_mat4 *place = surface->in_segment_frame ? &rest[surface->segment] : NULL;
        SN_TRY(sni_inner_from_mesh(context, surface->name, mesh, place, inner, error));
    } else if (strcmp(depth_from, SNI_DEPTH_FROM_SKELETON) == 0) {
        SN_TRY(sn_character_mesh(character, name, &mesh, error));
        SN_TRY(sni_inner_from_skeleton(context, sni_rig_skeleton(blueprint->rig), mesh, NULL, inner,
                                       error));
    }
cleanup:
    sn_mesh_destroy(made);
    return status;
}

// The depth of the muscle, at most the distance of the skin from what it lies on. Skin that is
// further away from a thin, deep muscle need not follow it fully. A name that is wrong is left to
// the check.
static sn_status measure_depth(addition *a, sn_character *character, sn_error *error) {
    sn_context *context = sni_character_context(character);
    sni_blueprint *blueprint = NULL;
    sn_mat4 *rest = NULL;
    sni_inner inner = {0};
    sn_status status = SN_OK;
    double skin = a->values[SNI_PATCH_SKIN_THICKNESS];
    a->depth = skin + a->values[SNI_PATCH_MUSCLE_THICKNESS];
    if (sn_value_get(a->keys, "depth_from") == NULL || given_distance(a, DISTANCE_FULL) != NULL) {
        return SN_OK;
    }
    SN_TRY(sni_blueprint_create(context, a->expanded.json, &blueprint, error));
    SN_TRY(sni_skeleton_rest_worlds(context, sni_rig_skeleton(blueprint->rig), &rest, error));
    SN_TRY(open_inner(a, character, blueprint, rest, &inner, error));
    if (inner.view.name != NULL) {
        a->depth = fmin(a->depth, fmax(skin, distance_to_inner(a, &inner.view)));
    }
cleanup:
    sni_inner_deinit(&inner);
    sni_free(context, rest);
    sni_blueprint_destroy(blueprint);
    return status;
}

// Skin as far away as the muscle is deep follows it fully; from there the effect ends over half of
// its width.
static void choose_distances(addition *a) {
    const sn_value *given = given_distance(a, DISTANCE_FULL);
    double full = sn_value_number(given, round_up(a->depth));
    double none = sn_value_number(given_distance(a, DISTANCE_NONE), round_up(full + a->width / 2));
    a->distances[DISTANCE_FULL] = given != NULL ? full : fmin(full, none);
    a->distances[DISTANCE_NONE] = none;
}

// ---------------------------------------------------------------------------------------------
// The edit

// How the muscle contracts where it slides by less than fully: its control also tenses it, and one
// factor holds everywhere: "tension": CONTROL, "vary": {"contraction": [[0.5, 0.5, SLIDE]]}.
static bool add_slide(const addition *a, sn_value *muscle) {
    const double factor[3] = {0.5, 0.5, slide_of(a)};
    sn_json *json = a->edit.json;
    if (is_closed(a) || factor[2] == 1) {
        return true;
    }
    return sn_json_add_string(json, muscle, "tension", a->control) != NULL &&
           sn_json_add_rows(json, sn_json_add_object(json, muscle, "vary"), "contraction", factor,
                            1, 3) != NULL;
}

// On the way down to a bone the skin's own normals meet, so that a muscle that lies on something
// takes those of the curves unless it is told otherwise.
static bool add_normals(const addition *a, sn_value *muscle) {
    const sn_parameter *normals = &a->kind.tables[SNI_DRAWN_MUSCLE].items[SNI_PATCH_NORMALS];
    return sn_value_get(muscle, normals->name) != NULL ||
           sn_value_get(muscle, "depth_from") == NULL ||
           sn_json_add_string(a->edit.json, muscle, normals->name,
                              normals->choices[SNI_PATCH_CURVE_NORMALS]) != NULL;
}

static bool copy_key(const addition *a, sn_value *muscle, const char *key) {
    const sn_value *given = sn_value_get(a->keys, key);
    return given == NULL || sn_json_add_copy(a->edit.json, muscle, key, given) != NULL;
}

// The keys of its inputs from number `first` up to `end`, in the order of the schema.
static bool copy_inputs(const addition *a, sn_value *muscle, uint32_t first, uint32_t end) {
    const sni_schema_field *field;
    bool done = true, needed;
    for (uint32_t i = first;
         i < end && done && (field = sni_kind_input_field(&a->kind, i, &needed)) != NULL; ++i) {
        done = copy_key(a, muscle, field->name);
    }
    return done;
}

// What is drawn, what all muscles have, the other inputs, then the parameters in the order of their
// table.
static bool add_muscle(addition *a) {
    const sni_schema *schema = &sni_muscle_schema;
    const sn_parameters *table = &a->kind.tables[SNI_DRAWN_MUSCLE];
    sn_json *json = a->edit.json;
    sn_value *muscle = sni_edit_object(&a->edit, sni_edit_map(&a->edit, "muscles"), a->name);
    bool done = sn_json_add_string(json, muscle, "kind", a->kind.name) != NULL &&
                sn_json_add_string(json, muscle, "skin", a->skin->key) != NULL &&
                copy_inputs(a, muscle, 0, sni_input_drawn.field_count);
    for (uint32_t i = 0; i < schema->field_count && done; ++i) {
        const char *key = schema->fields[i].name;
        done =
            strcmp(key, "contraction") == 0
                ? sn_json_add_string(json, muscle, key, a->control) != NULL && add_slide(a, muscle)
                : copy_key(a, muscle, key);
    }
    done = done && copy_inputs(a, muscle, sni_input_drawn.field_count, UINT32_MAX);
    for (uint32_t i = 0; i < table->count && done; ++i) {
        const char *key = table->items[i].name;
        done = standard_of(a, i) > 0 ? sn_json_add_number(json, muscle, key, a->values[i]) != NULL
                                     : copy_key(a, muscle, key);
    }
    return done && add_normals(a, muscle);
}

// Whether the document has that name, also where it is the number of a repeated entry or the other
// side of one.
static bool is_there(const addition *a, const char *section, const char *name) {
    return sn_value_get(sn_value_get(sn_json_root(a->expanded.json), section), name) != NULL;
}

static bool add_control(addition *a) {
    sn_value *controls = sni_edit_map(&a->edit, "controls");
    if (is_there(a, "controls", a->control)) {
        return true;
    }
    return copy_key(a, sni_edit_object(&a->edit, controls, a->control), "group");
}

static bool add_driver(addition *a) {
    const sn_value *given = sn_value_get(a->keys, "driver");
    if (given == NULL) {
        return true;
    }
    sn_value *driver =
        sni_edit_object(&a->edit, sni_edit_list(&a->edit, a->edit.root, "drivers"), NULL);
    bool done = sn_json_add_string(a->edit.json, driver, "control", a->control) != NULL;
    for (uint32_t i = 0; i < sn_value_count(given) && done; ++i) {
        const sn_value *value = sn_value_at(given, i);
        done = sn_json_add_copy(a->edit.json, driver, value->key, value) != NULL;
    }
    return done;
}

static bool is_falloff(const sn_value *deformer) {
    return strcmp(sn_value_string(sn_value_get(deformer, "kind"), ""), sni_deformer_falloff.name) ==
           0;
}

// A falloff like the one that would be added: these distances, and nothing else said.
static bool is_alike(const addition *a, const sn_value *deformer) {
    bool alike =
        sn_value_count(deformer) == 2 + DISTANCE_COUNT && sn_value_get(deformer, "muscles") != NULL;
    for (uint32_t i = 0; i < DISTANCE_COUNT && alike; ++i) {
        const sn_value *distance = sn_value_get(deformer, distance_parameter(a, i)->name);
        alike = sn_value_number(distance, -1) == a->distances[i];
    }
    return alike;
}

// Falloffs in a row blend as one, so those at the end of the stack may take a muscle in any order.
static sn_value *find_alike(const addition *a, const sn_value *list) {
    for (uint32_t i = sn_value_count(list); i-- > 0;) {
        sn_value *deformer = (sn_value *)sn_value_at(list, i);
        if (!is_falloff(deformer)) {
            return NULL;
        }
        if (is_alike(a, deformer)) {
            return deformer;
        }
    }
    return NULL;
}

static bool add_falloff(addition *a) {
    sn_json *json = a->edit.json;
    sn_value *list = sni_edit_list(&a->edit, a->skin, "deformers");
    sn_value *alike = find_alike(a, list);
    if (alike != NULL) {
        sn_value *muscles = (sn_value *)sn_value_get(alike, "muscles");
        return sni_edit_note(&a->edit, sn_json_add_string(json, muscles, NULL, a->name));
    }
    sn_value *deformer = sni_edit_object(&a->edit, list, NULL);
    bool done = sn_json_add_string(json, deformer, "kind", sni_deformer_falloff.name) != NULL;
    sn_value *muscles = done ? sn_json_add_array(json, deformer, "muscles") : NULL;
    done = sn_json_add_string(json, muscles, NULL, a->name) != NULL;
    for (uint32_t i = 0; i < DISTANCE_COUNT && done; ++i) {
        done = sn_json_add_number(json, deformer, distance_parameter(a, i)->name,
                                  a->distances[i]) != NULL;
    }
    return done;
}

// Errors from here on are places of the document.
static sn_status add_to_document(addition *a, sn_character *character, sn_error *error) {
    sn_status status = SN_OK;
    if (a->name == NULL || a->name[0] == 0) {
        SN_TRY(sni_fail(error, SN_INVALID, "the muscle has no name"));
    }
    // A document that is in order before is one whose parts can be trusted.
    SN_TRY(sn_character_check(character, error));
    SN_TRY(find_skin(a, error));
    SN_TRY(sni_expanded_open(a->edit.json, &a->expanded, error));
    if (is_there(a, "muscles", a->name)) {
        SN_TRY(sni_fail(error, SN_INVALID, "there is a muscle \"%s\" already", a->name));
    }
    SN_TRY(measure_width(a, sni_character_context(character), error));
    take_standards(a);
    SN_TRY(measure_depth(a, character, error));
    choose_distances(a);
    if (!add_muscle(a) || !add_control(a) || !add_driver(a) || !add_falloff(a)) {
        SN_TRY(sni_fail_memory(error));
    }
    SN_TRY(sn_character_check(character, error));
cleanup:
    if (status != SN_OK) {
        sni_edit_undo(&a->edit);
        if (sn_character_path(character) != NULL) {
            sni_error_source(error, sn_character_path(character));
        }
    }
    sni_expanded_close(&a->expanded);
    return status;
}

sn_status sn_character_add_muscle(sn_character *character, const char *name, const sn_value *keys,
                                  sn_error *error) {
    sn_json *json = sn_character_document(character);
    addition a = {.edit = {.json = json, .root = sn_json_root(json)}, .name = name, .keys = keys};
    sn_status status = take_keys(&a, error);
    return status == SN_OK ? add_to_document(&a, character, error) : status;
}
