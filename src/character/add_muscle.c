// SPDX-License-Identifier: Apache-2.0
//
// Adding a muscle to a document. What is added is written down, so that it can be taken out again
// when something later fails; values that stood in the tree before are never replaced.
#include "character/character.h"

#include "base/text.h"
#include "character/schema.h"
#include "geometry/edge.h"
#include "muscle/patch.h"

#include <string.h>

static const uint32_t desc_check = 0x736e6d75;

// Most values that one muscle adds to containers that stay.
enum { MOST_ADDED = 12 };

typedef struct edit {
    sn_json *json;
    sn_value *root;
    sn_value *skin;
    const sn_muscle_desc *desc;
    uint32_t added_count;
    sn_value *added[MOST_ADDED];
} edit;

static sn_value *note(edit *e, sn_value *value) {
    if (value != NULL) {
        SN_ASSERT(e->added_count < MOST_ADDED);
        e->added[e->added_count++] = value;
    }
    return value;
}

static void undo(edit *e) {
    while (e->added_count > 0) {
        sn_json_remove(e->added[--e->added_count]);
    }
}

static sn_value *map_of(edit *e, const char *key) {
    sn_value *found = (sn_value *)sn_value_get(e->root, key);
    return found != NULL ? found : note(e, sn_json_add_object(e->json, e->root, key));
}

static sn_value *list_of(edit *e, sn_value *object, const char *key) {
    sn_value *found = (sn_value *)sn_value_get(object, key);
    return found != NULL ? found : note(e, sn_json_add_array(e->json, object, key));
}

sn_muscle_desc sn_muscle_desc_default(void) {
    double standard[SNI_PATCH_PARAMETER_COUNT];
    sni_muscle_defaults(&sni_muscle_patch, standard);
    return (sn_muscle_desc){.check = desc_check,
                            .skin_thickness = standard[SNI_PATCH_SKIN_THICKNESS],
                            .muscle_thickness = standard[SNI_PATCH_MUSCLE_THICKNESS],
                            .bulge = standard[SNI_PATCH_BULGE],
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
                   {"bulge", desc->bulge},
                   {"d_full", desc->d_full},
                   {"d_none", desc->d_none}};
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (!(numbers[i].value >= 0 && isfinite(numbers[i].value))) {
            return sni_fail(error, SN_INVALID, "%s: %s is %g, but must not be negative", desc->name,
                            numbers[i].name, numbers[i].value);
        }
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

static sn_status find_skin(edit *e, sn_error *error) {
    const sn_value *skins = sn_value_get(e->root, "skins");
    const char *name = e->desc->skin;
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
    e->skin = (sn_value *)sn_value_get(skins, name);
    if (e->skin != NULL) {
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
    double slack = 1e-9; // 0.002 + 0.004 is 0.006
    return digits >= 0 ? ceil(x * power - slack) / power : ceil(x / power - slack) * power;
}

static void choose_distances(const sn_muscle_desc *desc, double *full, double *none) {
    double depth = desc->skin_thickness + desc->muscle_thickness;
    *full = desc->d_full > 0 ? desc->d_full : round_up(depth);
    *none = desc->d_none > 0 ? desc->d_none : round_up(*full + width_of(desc) / 2);
    *full = desc->d_full > 0 ? *full : fmin(*full, *none);
}

// ---------------------------------------------------------------------------------------------
// The edit

static bool add_curves(edit *e, sn_value *muscle) {
    sn_value *curves = sn_json_add_array(e->json, muscle, "curves");
    for (uint32_t k = 0; k < 2; ++k) {
        sn_value *curve = sn_json_add_array(e->json, curves, NULL);
        for (uint32_t i = 0; i < e->desc->curve_counts[k]; ++i) {
            const sn_vec3 *p = &e->desc->curves[k][i];
            if (sn_json_add_numbers(e->json, curve, NULL, (double[3]){p->x, p->y, p->z}, 3) ==
                NULL) {
                return false;
            }
        }
    }
    return true;
}

// Writes a parameter unless it has its standard value.
static bool add_parameter(edit *e, sn_value *muscle, uint32_t index, double value) {
    const sni_parameter *parameter = &sni_muscle_patch.parameters[index];
    if (value == parameter->standard) {
        return true;
    }
    return parameter->choices != NULL
               ? sn_json_add_string(e->json, muscle, parameter->name,
                                    parameter->choices[(int)value]) != NULL
               : sn_json_add_number(e->json, muscle, parameter->name, value) != NULL;
}

static bool add_numbers(edit *e, sn_value *muscle) {
    const sn_muscle_desc *d = e->desc;
    sn_json *json = e->json;
    return sn_json_add_number(json, muscle, "skin_thickness", d->skin_thickness) != NULL &&
           sn_json_add_number(json, muscle, "muscle_thickness", d->muscle_thickness) != NULL &&
           sn_json_add_number(json, muscle, "bulge", d->bulge) != NULL &&
           add_parameter(e, muscle, SNI_PATCH_DEGREE, d->degree) &&
           add_parameter(e, muscle, SNI_PATCH_PATCHES_U, d->patches_u) &&
           add_parameter(e, muscle, SNI_PATCH_PATCHES_V, d->patches_v) &&
           add_parameter(e, muscle, SNI_PATCH_CURVES,
                         d->closed ? SNI_PATCH_CLOSED : SNI_PATCH_OPEN) &&
           add_parameter(e, muscle, SNI_PATCH_NORMALS,
                         d->curve_normals ? SNI_PATCH_CURVE_NORMALS : SNI_PATCH_SKIN_NORMALS);
}

static const char *control_of(const sn_muscle_desc *desc) {
    return desc->control != NULL ? desc->control : desc->name;
}

static bool add_muscle(edit *e) {
    const sn_muscle_desc *d = e->desc;
    const sn_vec3 *c = d->center;
    sn_json *json = e->json;
    sn_value *muscle = note(e, sn_json_add_object(json, map_of(e, "muscles"), d->name));
    return sn_json_add_string(json, muscle, "kind", sni_muscle_patch.name) != NULL &&
           sn_json_add_string(json, muscle, "skin", e->skin->key) != NULL &&
           add_curves(e, muscle) &&
           (c == NULL || sn_json_add_numbers(json, muscle, "center", (double[3]){c->x, c->y, c->z},
                                             3) != NULL) &&
           (d->segment == NULL ||
            sn_json_add_string(json, muscle, "segment", d->segment) != NULL) &&
           sn_json_add_string(json, muscle, "contraction", control_of(d)) != NULL &&
           add_numbers(e, muscle);
}

static bool add_control(edit *e) {
    sn_value *controls = map_of(e, "controls");
    if (sn_value_get(controls, control_of(e->desc)) != NULL) {
        return true;
    }
    sn_value *control = note(e, sn_json_add_object(e->json, controls, control_of(e->desc)));
    return control != NULL &&
           (e->desc->group == NULL ||
            sn_json_add_string(e->json, control, "group", e->desc->group) != NULL);
}

static bool add_driver(edit *e) {
    const sn_muscle_desc *d = e->desc;
    if (d->driver == NULL) {
        return true;
    }
    sn_value *driver = note(e, sn_json_add_object(e->json, list_of(e, e->root, "drivers"), NULL));
    bool done = sn_json_add_string(e->json, driver, "control", control_of(d)) != NULL &&
                sn_json_add_string(e->json, driver, "parameter", d->driver) != NULL;
    sn_value *curve =
        done && d->driver_pairs > 0 ? sn_json_add_array(e->json, driver, "curve") : NULL;
    for (uint32_t i = 0; i < d->driver_pairs && done; ++i) {
        done =
            sn_json_add_numbers(e->json, curve, NULL, d->driver_curve + 2 * (size_t)i, 2) != NULL;
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

static bool add_falloff(edit *e) {
    double full, none;
    choose_distances(e->desc, &full, &none);
    sn_json *json = e->json;
    sn_value *list = list_of(e, e->skin, "deformers");
    sn_value *alike = find_alike(list, full, none);
    if (alike != NULL) {
        sn_value *muscles = (sn_value *)sn_value_get(alike, "muscles");
        return note(e, sn_json_add_string(json, muscles, NULL, e->desc->name)) != NULL;
    }
    sn_value *deformer = note(e, sn_json_add_object(json, list, NULL));
    bool done = sn_json_add_string(json, deformer, "kind", "falloff") != NULL;
    sn_value *muscles = done ? sn_json_add_array(json, deformer, "muscles") : NULL;
    return sn_json_add_string(json, muscles, NULL, e->desc->name) != NULL &&
           sn_json_add_number(json, deformer, "d_full", full) != NULL &&
           sn_json_add_number(json, deformer, "d_none", none) != NULL;
}

sn_status sn_character_add_muscle(sn_character *character, const sn_muscle_desc *desc,
                                  sn_error *error) {
    sn_json *json = sn_character_document(character);
    edit e = {.json = json, .root = sn_json_root(json), .desc = desc};
    sn_status status = SN_OK;
    // A document that is in order before is one whose parts can be trusted.
    SN_TRY(sn_character_check(character, error));
    SN_TRY(check_desc(desc, error));
    SN_TRY(find_skin(&e, error));
    if (sn_value_get(sn_value_get(e.root, "muscles"), desc->name) != NULL) {
        SN_TRY(sni_fail(error, SN_INVALID, "there is a muscle \"%s\" already", desc->name));
    }
    if (!add_muscle(&e) || !add_control(&e) || !add_driver(&e) || !add_falloff(&e)) {
        SN_TRY(sni_fail_memory(error));
    }
    SN_TRY(sn_character_check(character, error));
cleanup:
    if (status != SN_OK) {
        undo(&e);
        if (sn_character_path(character) != NULL) {
            sni_error_source(error, sn_character_path(character));
        }
    }
    return status;
}
