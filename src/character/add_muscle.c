// SPDX-License-Identifier: Apache-2.0
//
// Adding a muscle to a document.
#include "character/character.h"

#include "base/text.h"
#include "character/blueprint.h"
#include "character/edit.h"
#include "character/expand.h"
#include "character/inner.h"
#include "character/surface_mesh.h"
#include "geometry/edge.h"
#include "motion/skeleton.h"
#include "muscle/patch.h"

#include <string.h>

static const uint32_t desc_check = 0x736e6d75;

typedef struct addition {
    sni_edit edit;
    sni_meaning meaning; // of the document before the edit
    sn_value *skin;
    const sn_muscle_desc *desc;
    double depth; // of the muscle, about
} addition;

sn_muscle_desc sn_muscle_desc_default(void) {
    double standard[SNI_PATCH_PARAMETER_COUNT];
    sni_parameters_defaults(&sni_muscle_patch.parameters, standard);
    return (sn_muscle_desc){.check = desc_check,
                            .skin_thickness = standard[SNI_PATCH_SKIN_THICKNESS],
                            .muscle_thickness = standard[SNI_PATCH_MUSCLE_THICKNESS],
                            .bone_share = standard[SNI_PATCH_BONE_SHARE],
                            .bulge = standard[SNI_PATCH_BULGE],
                            .slide = 1,
                            .degree = (uint32_t)standard[SNI_PATCH_DEGREE],
                            .patches_u = (uint32_t)standard[SNI_PATCH_PATCHES_U],
                            .patches_v = (uint32_t)standard[SNI_PATCH_PATCHES_V]};
}

// ---------------------------------------------------------------------------------------------
// What is asked for

static sn_status check_curve(const sn_muscle_desc *desc, uint32_t curve, sn_error *error) {
    uint32_t count = desc->curve_counts[curve], least = desc->closed ? 3 : 2;
    if (desc->curves[curve] == NULL || count < least) {
        return sni_fail(error, SN_INVALID, "%s: curve %u has %u point%s, but needs %u%s",
                        desc->name, curve + 1, count, count == 1 ? "" : "s", least,
                        desc->closed ? " to be closed" : "");
    }
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 p = desc->curves[curve][i];
        if (!sn_vec3_is_finite(p)) {
            return sni_fail(error, SN_INVALID, "%s: point %u of curve %u is (%g, %g, %g)",
                            desc->name, i + 1, curve + 1, p.x, p.y, p.z);
        }
    }
    return SN_OK;
}

static sn_status check_numbers(const sn_muscle_desc *desc, sn_error *error) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"skin_thickness", desc->skin_thickness},
                   {"muscle_thickness", desc->muscle_thickness},
                   {"bone_share", desc->bone_share},
                   {"bulge", desc->bulge},
                   {"d_full", desc->d_full},
                   {"d_none", desc->d_none}};
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (!(numbers[i].value >= 0 && isfinite(numbers[i].value))) {
            return sni_fail(error, SN_INVALID, "%s: %s is %g, but must not be negative", desc->name,
                            numbers[i].name, numbers[i].value);
        }
    }
    if (!(desc->slide >= 0 && desc->slide <= 1)) {
        return sni_fail(error, SN_INVALID, "%s: slide is %g, but must be from 0 to 1", desc->name,
                        desc->slide);
    }
    if ((uint32_t)desc->way > SN_RING_WAY_STRAIGHT) {
        return sni_fail(error, SN_INVALID, "%s: there is no way %d to a centre", desc->name,
                        (int)desc->way);
    }
    if (desc->d_none > 0 && desc->d_full > desc->d_none) {
        return sni_fail(error, SN_INVALID, "%s: d_full is %g, but d_none %g", desc->name,
                        desc->d_full, desc->d_none);
    }
    for (uint32_t i = 0; i < 2 * desc->driver_pairs; ++i) {
        if (desc->driver_curve == NULL || !isfinite(desc->driver_curve[i])) {
            return sni_fail(error, SN_INVALID, "%s: pair %u of the driver's curve is not finite",
                            desc->name, i / 2 + 1);
        }
    }
    return SN_OK;
}

static sn_status check_desc(const sn_muscle_desc *desc, sn_error *error) {
    sn_status status = SN_OK;
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_muscle_desc_default");
    }
    if (desc->name == NULL || desc->name[0] == 0) {
        return sni_fail(error, SN_INVALID, "the muscle has no name");
    }
    SN_TRY(check_curve(desc, 0, error));
    SN_TRY(check_curve(desc, 1, error));
    if (desc->center != NULL && !sn_vec3_is_finite(*desc->center)) {
        SN_TRY(sni_fail(error, SN_INVALID, "%s: its center is (%g, %g, %g)", desc->name,
                        desc->center->x, desc->center->y, desc->center->z));
    }
    SN_TRY(check_numbers(desc, error));
cleanup:
    return status;
}

static sn_status find_skin(addition *a, sn_error *error) {
    const sn_value *skins = sn_value_get(a->edit.root, "skins");
    const char *name = a->desc->skin;
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

// The greatest distance of a point of the one curve from the other.
static double distance_to_curve(const sn_muscle_desc *desc, uint32_t from, uint32_t to) {
    const sn_vec3 *points = desc->curves[to];
    uint32_t count = desc->curve_counts[to], lines = desc->closed ? count : count - 1;
    double greatest = 0;
    for (uint32_t i = 0; i < desc->curve_counts[from]; ++i) {
        double least = INFINITY, weight;
        for (uint32_t k = 0; k < lines; ++k) {
            least = fmin(least, sni_edge_closest(points[k], points[(k + 1) % count],
                                                 desc->curves[from][i], &weight));
        }
        greatest = fmax(greatest, least);
    }
    return sqrt(greatest);
}

static double width_of(const sn_muscle_desc *desc) {
    return fmax(distance_to_curve(desc, 0, 1), distance_to_curve(desc, 1, 0));
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

// The greatest distance of a point of the curves from what the muscle lies on.
static double distance_to_inner(const sn_muscle_desc *desc, const sni_muscle_inner *inner) {
    double greatest = 0;
    for (uint32_t k = 0; k < 2; ++k) {
        for (uint32_t i = 0; i < desc->curve_counts[k]; ++i) {
            sn_vec3 p = desc->curves[k][i];
            sn_closest closest = {.distance = INFINITY};
            if (inner->accel != NULL) {
                sn_accel_find_closest(inner->accel, p, INFINITY, &closest);
            }
            for (uint32_t n = 0; n < inner->line_count; ++n) {
                double weight;
                double distance = sqrt(sni_edge_closest(
                    inner->lines[2 * (size_t)n], inner->lines[2 * (size_t)n + 1], p, &weight));
                closest.distance = fmin(closest.distance, distance * (1 - desc->bone_share));
            }
            greatest = fmax(greatest, closest.distance);
        }
    }
    return isfinite(greatest) ? greatest : 0;
}

static sn_status open_inner(addition *a, sn_character *character, const sni_blueprint *blueprint,
                            const sn_mat4 *rest, sni_inner *inner, sn_error *error) {
    sn_context *context = sni_character_context(character);
    uint32_t index = sni_find_surface(blueprint, a->desc->depth_from);
    const sn_mesh *mesh = NULL;
    sn_mesh *made = NULL;
    const char *name = sn_value_get(a->skin, "mesh")->as.string;
    sn_status status = SN_OK;
    if (index != SN_NONE) {
        const sni_surface_plan *surface = &blueprint->surfaces[index];
        SN_TRY(sni_surface_mesh(character, surface, &mesh, &made, error));
        const sn_mat4 *place = surface->in_segment_frame ? &rest[surface->segment] : NULL;
        SN_TRY(sni_inner_from_mesh(context, surface->name, mesh, place, inner, error));
    } else if (strcmp(a->desc->depth_from, SNI_DEPTH_FROM_SKELETON) == 0) {
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
    a->depth = a->desc->skin_thickness + a->desc->muscle_thickness;
    if (a->desc->depth_from == NULL || a->desc->d_full > 0) {
        return SN_OK;
    }
    SN_TRY(sni_blueprint_create(context, a->meaning.json, &blueprint, error));
    SN_TRY(sni_skeleton_rest_worlds(context, sni_rig_skeleton(blueprint->rig), &rest, error));
    SN_TRY(open_inner(a, character, blueprint, rest, &inner, error));
    if (inner.view.name != NULL) {
        a->depth =
            fmin(a->depth, fmax(a->desc->skin_thickness, distance_to_inner(a->desc, &inner.view)));
    }
cleanup:
    sni_inner_deinit(&inner);
    sni_free(context, rest);
    sni_blueprint_destroy(blueprint);
    return status;
}

static void choose_distances(const sn_muscle_desc *desc, double depth, double *full, double *none) {
    *full = desc->d_full > 0 ? desc->d_full : round_up(depth);
    *none = desc->d_none > 0 ? desc->d_none : round_up(*full + width_of(desc) / 2);
    *full = desc->d_full > 0 ? *full : fmin(*full, *none);
}

// ---------------------------------------------------------------------------------------------
// The edit

static bool add_curves(addition *a, sn_value *muscle) {
    sn_value *curves = sn_json_add_array(a->edit.json, muscle, "curves");
    for (uint32_t k = 0; k < 2; ++k) {
        sn_value *curve = sn_json_add_array(a->edit.json, curves, NULL);
        for (uint32_t i = 0; i < a->desc->curve_counts[k]; ++i) {
            const sn_vec3 *p = &a->desc->curves[k][i];
            if (sn_json_add_numbers(a->edit.json, curve, NULL, (double[3]){p->x, p->y, p->z}, 3) ==
                NULL) {
                return false;
            }
        }
    }
    return true;
}

// Writes a parameter unless it has its standard value.
static bool add_parameter(addition *a, sn_value *muscle, uint32_t index, double value) {
    const sn_parameter *parameter = &sni_muscle_patch.parameters.items[index];
    if (value == parameter->standard) {
        return true;
    }
    return parameter->choices != NULL
               ? sn_json_add_string(a->edit.json, muscle, parameter->name,
                                    parameter->choices[(int)value]) != NULL
               : sn_json_add_number(a->edit.json, muscle, parameter->name, value) != NULL;
}

static bool add_numbers(addition *a, sn_value *muscle) {
    const sn_muscle_desc *d = a->desc;
    sn_json *json = a->edit.json;
    return sn_json_add_number(json, muscle, "skin_thickness", d->skin_thickness) != NULL &&
           sn_json_add_number(json, muscle, "muscle_thickness", d->muscle_thickness) != NULL &&
           sn_json_add_number(json, muscle, "bulge", d->bulge) != NULL &&
           (d->depth_from == NULL ||
            sn_json_add_string(json, muscle, "depth_from", d->depth_from) != NULL) &&
           add_parameter(a, muscle, SNI_PATCH_BONE_SHARE, d->bone_share) &&
           add_parameter(a, muscle, SNI_PATCH_DEGREE, d->degree) &&
           add_parameter(a, muscle, SNI_PATCH_PATCHES_U, d->patches_u) &&
           add_parameter(a, muscle, SNI_PATCH_PATCHES_V, d->patches_v) &&
           add_parameter(a, muscle, SNI_PATCH_CURVES,
                         d->closed ? SNI_PATCH_CLOSED : SNI_PATCH_OPEN) &&
           add_parameter(a, muscle, SNI_PATCH_NORMALS,
                         d->curve_normals ? SNI_PATCH_CURVE_NORMALS : SNI_PATCH_SKIN_NORMALS) &&
           add_parameter(a, muscle, SNI_PATCH_WAY, d->way);
}

static const char *control_of(const sn_muscle_desc *desc) {
    return desc->control != NULL ? desc->control : desc->name;
}

// "tension": CONTROL, "vary": {"contraction": [[0.5, 0.5, SLIDE]]}: the same everywhere.
static bool add_slide(addition *a, sn_value *muscle) {
    const sn_muscle_desc *d = a->desc;
    sn_json *json = a->edit.json;
    if (d->closed || d->slide == 1) {
        return true;
    }
    sn_value *vary = sn_json_add_string(json, muscle, "tension", control_of(d)) != NULL
                         ? sn_json_add_object(json, muscle, "vary")
                         : NULL;
    sn_value *places = vary != NULL ? sn_json_add_array(json, vary, "contraction") : NULL;
    return places != NULL &&
           sn_json_add_numbers(json, places, NULL, (double[3]){0.5, 0.5, d->slide}, 3) != NULL;
}

static bool add_muscle(addition *a) {
    const sn_muscle_desc *d = a->desc;
    const sn_vec3 *c = d->center;
    sn_json *json = a->edit.json;
    sn_value *muscle = sni_edit_object(&a->edit, sni_edit_map(&a->edit, "muscles"), d->name);
    return sn_json_add_string(json, muscle, "kind", sni_muscle_patch.name) != NULL &&
           sn_json_add_string(json, muscle, "skin", a->skin->key) != NULL &&
           add_curves(a, muscle) &&
           (c == NULL || sn_json_add_numbers(json, muscle, "center", (double[3]){c->x, c->y, c->z},
                                             3) != NULL) &&
           (d->segment == NULL ||
            sn_json_add_string(json, muscle, "segment", d->segment) != NULL) &&
           sn_json_add_string(json, muscle, "contraction", control_of(d)) != NULL &&
           add_slide(a, muscle) && add_numbers(a, muscle);
}

// Whether the document has that name, also where it is the number of a repeated entry or the other
// side of one.
static bool is_there(const addition *a, const char *section, const char *name) {
    return sn_value_get(sn_value_get(sn_json_root(a->meaning.json), section), name) != NULL;
}

static bool add_control(addition *a) {
    sn_value *controls = sni_edit_map(&a->edit, "controls");
    if (is_there(a, "controls", control_of(a->desc))) {
        return true;
    }
    sn_value *control = sni_edit_object(&a->edit, controls, control_of(a->desc));
    return control != NULL &&
           (a->desc->group == NULL ||
            sn_json_add_string(a->edit.json, control, "group", a->desc->group) != NULL);
}

static bool add_driver(addition *a) {
    const sn_muscle_desc *d = a->desc;
    if (d->driver == NULL) {
        return true;
    }
    sn_value *driver =
        sni_edit_object(&a->edit, sni_edit_list(&a->edit, a->edit.root, "drivers"), NULL);
    bool done = sn_json_add_string(a->edit.json, driver, "control", control_of(d)) != NULL &&
                sn_json_add_string(a->edit.json, driver, "parameter", d->driver) != NULL;
    sn_value *curve =
        done && d->driver_pairs > 0 ? sn_json_add_array(a->edit.json, driver, "curve") : NULL;
    for (uint32_t i = 0; i < d->driver_pairs && done; ++i) {
        done = sn_json_add_numbers(a->edit.json, curve, NULL, d->driver_curve + 2 * (size_t)i, 2) !=
               NULL;
    }
    return done;
}

static bool is_falloff(const sn_value *deformer) {
    return strcmp(sn_value_string(sn_value_get(deformer, "kind"), ""), "falloff") == 0;
}

// A falloff like the one that would be added: these distances, and nothing else said.
static bool is_alike(const sn_value *deformer, double full, double none) {
    static const char *const keys[] = {"kind", "muscles", "d_full", "d_none"};
    if (sn_value_count(deformer) != 4) {
        return false;
    }
    for (uint32_t i = 0; i < 4; ++i) {
        if (sn_value_get(deformer, keys[i]) == NULL) {
            return false;
        }
    }
    return sn_value_number(sn_value_get(deformer, "d_full"), -1) == full &&
           sn_value_number(sn_value_get(deformer, "d_none"), -1) == none;
}

// Falloffs only add, so those at the end of the stack may take a muscle in any order.
static sn_value *find_alike(const sn_value *list, double full, double none) {
    for (uint32_t i = sn_value_count(list); i-- > 0;) {
        sn_value *deformer = (sn_value *)sn_value_at(list, i);
        if (!is_falloff(deformer)) {
            return NULL;
        }
        if (is_alike(deformer, full, none)) {
            return deformer;
        }
    }
    return NULL;
}

static bool add_falloff(addition *a) {
    double full, none;
    choose_distances(a->desc, a->depth, &full, &none);
    sn_json *json = a->edit.json;
    sn_value *list = sni_edit_list(&a->edit, a->skin, "deformers");
    sn_value *alike = find_alike(list, full, none);
    if (alike != NULL) {
        sn_value *muscles = (sn_value *)sn_value_get(alike, "muscles");
        return sni_edit_note(&a->edit, sn_json_add_string(json, muscles, NULL, a->desc->name));
    }
    sn_value *deformer = sni_edit_object(&a->edit, list, NULL);
    bool done = sn_json_add_string(json, deformer, "kind", "falloff") != NULL;
    sn_value *muscles = done ? sn_json_add_array(json, deformer, "muscles") : NULL;
    return sn_json_add_string(json, muscles, NULL, a->desc->name) != NULL &&
           sn_json_add_number(json, deformer, "d_full", full) != NULL &&
           sn_json_add_number(json, deformer, "d_none", none) != NULL;
}

sn_status sn_character_add_muscle(sn_character *character, const sn_muscle_desc *desc,
                                  sn_error *error) {
    sn_json *json = sn_character_document(character);
    addition a = {.edit = {.json = json, .root = sn_json_root(json)}, .desc = desc};
    sn_status status = SN_OK;
    // A document that is in order before is one whose parts can be trusted.
    SN_TRY(sn_character_check(character, error));
    SN_TRY(check_desc(desc, error));
    SN_TRY(find_skin(&a, error));
    SN_TRY(sni_meaning_open(json, &a.meaning, error));
    if (is_there(&a, "muscles", desc->name)) {
        SN_TRY(sni_fail(error, SN_INVALID, "there is a muscle \"%s\" already", desc->name));
    }
    SN_TRY(measure_depth(&a, character, error));
    if (!add_muscle(&a) || !add_control(&a) || !add_driver(&a) || !add_falloff(&a)) {
        SN_TRY(sni_fail_memory(error));
    }
    SN_TRY(sn_character_check(character, error));
cleanup:
    if (status != SN_OK) {
        sni_edit_undo(&a.edit);
        if (sn_character_path(character) != NULL) {
            sni_error_source(error, sn_character_path(character));
        }
    }
    sni_meaning_close(&a.meaning);
    return status;
}
