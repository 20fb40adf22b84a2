// SPDX-License-Identifier: Apache-2.0
//
// The mirror image of a muscle: curves reflected onto the skin, and the segment, controls and
// drivers of the other side.
#include "character/character.h"

#include "character/blueprint/blueprint.h"
#include "character/edit.h"
#include "character/expand/expand.h"
#include "character/schema/schema.h"
#include "motion/body_names.h"
#include "motion/parameter.h"
#include "motion/skeleton.h"

#include <string.h>

// Axes count as mirror images up to this cosine, about 25 degrees.
static const double axis_cosine = 0.9;

typedef struct mirror {
    sn_context *context;
    sn_character *character;
    sni_edit edit;
    sni_expanded expanded;  // the expanded document before the edit
    sn_vec3 normal, origin; // of the plane
    const sn_value *from;   // the muscle
    sni_blueprint *blueprint;
    const sn_skeleton *skeleton;
    sn_mat4 *rest;    // of the segments
    double tolerance; // metres
    sn_value *made;
    char *name;
} mirror;

// A section of the document as it was, with all that it stands for.
static const sn_value *section_of(const mirror *m, const char *key) {
    return sn_value_get(sn_json_root(m->expanded.json), key);
}

static sn_vec3 reflect_direction(const mirror *m, sn_vec3 v) {
    return sn_vec3_add_scaled(v, -2 * sn_vec3_dot(v, m->normal), m->normal);
}

static sn_vec3 reflect_point(const mirror *m, sn_vec3 p) {
    return sn_vec3_add(m->origin, reflect_direction(m, sn_vec3_sub(p, m->origin)));
}

static sn_vec3 point_of(const sn_value *value) {
    return sn_vec3_make(sn_value_at(value, 0)->as.number, sn_value_at(value, 1)->as.number,
                        sn_value_at(value, 2)->as.number);
}

static sn_vec3 place_of(const sn_mat4 *matrix) {
    return sn_vec3_make(matrix->m[12], matrix->m[13], matrix->m[14]);
}

// ---------------------------------------------------------------------------------------------
// Curves

typedef struct skin_surface {
    const sn_mesh *mesh;
    sn_triangles *triangles;
    sn_accel *accel;
} skin_surface;

static sn_status open_skin(mirror *m, skin_surface *skin, sn_error *error) {
    const sn_value *skins = section_of(m, "skins");
    const sn_value *plan = sn_value_get(skins, sn_value_get(m->from, "skin")->as.string);
    sn_status status = SN_OK;
    sn_vec3 low, high;
    SN_TRY(
        sn_character_mesh(m->character, sn_value_get(plan, "mesh")->as.string, &skin->mesh, error));
    SN_TRY(sn_triangles_create(skin->mesh, skin->mesh->positions, &skin->triangles, error));
    SN_TRY(sn_accel_create(m->context, skin->mesh->positions, skin->mesh->vertex_count,
                           skin->triangles->vertices, skin->triangles->count, &skin->accel, error));
    sn_mesh_bounds(skin->mesh, &low, &high);
    m->tolerance = SNI_SKIN_SNAP * sn_vec3_distance(low, high);
cleanup:
    return status;
}

// Whether the skin is there where the reflected points are.
static sn_status check_curve(const mirror *m, const skin_surface *skin, const sn_value *points,
                             sn_error *error) {
    uint32_t count = sn_value_count(points);
    sn_status status = SN_OK;
    sni_skin_place *places = NULL;
    SNI_NEW(m->context, places, 2 * (size_t)count);
    for (uint32_t i = 0; i < count; ++i) {
        if (!sni_skin_place_find(skin->accel, point_of(sn_value_at(points, i)), m->tolerance,
                                 &places[i])) {
            SN_TRY(sni_fail_value(error, sn_value_at(points, i), SN_INVALID,
                                  "the point is more than %.4g mm away from the skin",
                                  1e3 * m->tolerance));
        }
    }
    SN_TRY(sni_skin_places_mirror(skin->mesh, skin->triangles, skin->accel, m->origin, m->normal,
                                  m->tolerance, count, places, places + count, NULL, error));
cleanup:
    sni_free(m->context, places);
    return sni_at_value(status, points, error);
}

static bool add_point(mirror *m, sn_value *container, const char *key, const sn_value *point) {
    sn_vec3 p = reflect_point(m, point_of(point));
    return sn_json_add_numbers(m->edit.json, container, key, (double[3]){p.x, p.y, p.z}, 3) != NULL;
}

static sn_status mirror_curves(mirror *m, sn_error *error) {
    const sn_value *curves = sn_value_get(m->from, "curves");
    const sn_value *center = sn_value_get(m->from, "center");
    skin_surface skin = {0};
    sn_status status = SN_OK;
    SN_TRY(open_skin(m, &skin, error));
    sn_value *list = sn_json_add_array(m->edit.json, m->made, "curves");
    for (uint32_t c = 0; c < sn_value_count(curves); ++c) {
        const sn_value *points = sn_value_at(curves, c);
        SN_TRY(check_curve(m, &skin, points, error));
        sn_value *curve = sn_json_add_array(m->edit.json, list, NULL);
        for (uint32_t i = 0; i < sn_value_count(points); ++i) {
            if (!add_point(m, curve, NULL, sn_value_at(points, i))) {
                SN_TRY(sni_fail_memory(error));
            }
        }
    }
    if (center != NULL && !add_point(m, m->made, "center", center)) {
        SN_TRY(sni_fail_memory(error));
    }
cleanup:
    sn_accel_destroy(skin.accel);
    sn_triangles_destroy(skin.triangles);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Names of the other side

// The name of the other side where `section` has it, else `name` itself. Free it with sni_free.
static sn_status swap_in(mirror *m, sni_section section, const char *name, char **found,
                         sn_error *error) {
    sn_status status = sni_body_swap_side(m->context, name, found, error);
    const sni_name_index *names = &m->blueprint->names[section];
    if (status != SN_OK || (*found != NULL && sni_name_index_find(names, *found) != SN_NONE)) {
        return status;
    }
    sni_free(m->context, *found);
    *found = sni_string_copy(m->context, name);
    return *found != NULL ? SN_OK : sni_fail_memory(error);
}

// The segment whose place at rest is the mirror image of another's; itself where it is as close.
static uint32_t segment_across(const mirror *m, uint32_t segment) {
    sn_vec3 image = reflect_point(m, place_of(&m->rest[segment]));
    uint32_t best = segment;
    double least = sn_vec3_distance(place_of(&m->rest[segment]), image);
    for (uint32_t i = 0; i < m->skeleton->segment_count; ++i) {
        double distance = sn_vec3_distance(place_of(&m->rest[i]), image);
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return least <= m->tolerance ? best : SN_NONE;
}

static sn_status mirror_segment(mirror *m, uint32_t segment, uint32_t *across, sn_error *error) {
    const char *name = m->skeleton->segments[segment].name;
    char *other = NULL;
    sn_status status = swap_in(m, SNI_SECTION_SKELETON, name, &other, error);
    if (status != SN_OK) {
        return status;
    }
    *across = strcmp(other, name) != 0 ? sni_skeleton_find(m->skeleton, other)
                                       : segment_across(m, segment);
    sni_free(m->context, other);
    return *across != SN_NONE
               ? SN_OK
               : sni_fail(error, SN_INVALID, "no segment is the mirror image of \"%s\"", name);
}

static sn_status mirror_carrier(mirror *m, sn_error *error) {
    const sn_value *segment = sn_value_get(m->from, "segment");
    uint32_t across = SN_NONE;
    if (segment == NULL) {
        return SN_OK;
    }
    sn_status status =
        mirror_segment(m, sni_skeleton_find(m->skeleton, segment->as.string), &across, error);
    if (status != SN_OK) {
        return sni_at_value(status, segment, error);
    }
    const char *name = m->skeleton->segments[across].name;
    return sn_json_add_string(m->edit.json, m->made, "segment", name) != NULL
               ? SN_OK
               : sni_fail_memory(error);
}

static sn_status mirror_depth(mirror *m, sn_error *error) {
    const sn_value *name = sn_value_get(m->from, "depth_from");
    char *other = NULL;
    sn_status status = SN_OK;
    if (name == NULL) {
        return SN_OK;
    }
    SN_TRY(sni_body_swap_side(m->context, name->as.string, &other, error));
    if (other != NULL && sni_find_surface(m->blueprint, other) != SN_NONE &&
        sn_json_add_string(m->edit.json, m->made, "depth_from", other) == NULL) {
        SN_TRY(sni_fail_memory(error));
    }
cleanup:
    sni_free(m->context, other);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Controls and drivers

static sn_vec3 axis_of(const sn_mat4 *matrix, uint32_t k) {
    const double *column = matrix->m + 4 * (size_t)k;
    return sn_vec3_normalize_or(sn_vec3_make(column[0], column[1], column[2]),
                                sn_vec3_make(0, 0, 0));
}

// Whether the mirror image of a joint's motion is a motion of the other joint by the same amount
// (1) or the opposite one (-1); 0 where the axes do not match. The image of a turn about a is a
// turn by the same angle about -Ma, that of a shift along a is one along Ma.
static double sign_across(const mirror *m, uint32_t from, uint32_t to, sn_joint_parameter p) {
    if (p >= SN_JOINT_SX) {
        return 1;
    }
    uint32_t k = (uint32_t)p % 3;
    sn_vec3 image = reflect_direction(m, axis_of(&m->rest[from], k));
    double cosine = sn_vec3_dot(image, axis_of(&m->rest[to], k));
    cosine = p <= SN_JOINT_RZ ? -cosine : cosine;
    return cosine > axis_cosine ? 1 : cosine < -axis_cosine ? -1 : 0;
}

static sn_status mirror_joint(mirror *m, sn_value *driver, const sn_value *parameter,
                              const sni_parameter_name *parsed, sn_error *error) {
    const char *text = parameter->as.string;
    uint32_t from = sni_name_index_find_n(&m->blueprint->names[SNI_SECTION_SKELETON], text,
                                          parsed->segment_length);
    uint32_t to = SN_NONE;
    sn_status status = mirror_segment(m, from, &to, error);
    if (status != SN_OK) {
        return sni_at_value(status, parameter, error);
    }
    double sign = sign_across(m, from, to, parsed->parameter);
    const char *name = m->skeleton->segments[to].name, *behind = text + parsed->segment_length;
    if (sign == 0) {
        return sni_fail_value(error, parameter, SN_INVALID,
                              "the axes of \"%s\" and \"%s\" are not mirror images, so that \"%s\" "
                              "has no counterpart",
                              m->skeleton->segments[from].name, name, text);
    }
    size_t size = strlen(name) + strlen(behind) + 1;
    char *whole = sni_alloc(m->context, size, 1);
    bool done = whole != NULL;
    if (done) {
        strcat(strcpy(whole, name), behind);
        done = sn_json_add_string(m->edit.json, driver, "parameter", whole) != NULL;
    }
    sni_free(m->context, whole);
    status = done ? SN_OK : sni_fail_memory(error);
    return status == SN_OK && sign < 0 ? sni_driver_negate_inputs(m->edit.json, driver, error)
                                       : status;
}

// Replaces the name under `key` (in an array: at `index`) by that of the other side.
static sn_status swap_name(mirror *m, sni_section section, sn_value *container, const char *key,
                           const sn_value *old, sn_error *error) {
    char *other = NULL;
    sn_status status = swap_in(m, section, old->as.string, &other, error);
    if (status == SN_OK && sn_json_add_string(m->edit.json, container, key, other) == NULL) {
        status = sni_fail_memory(error);
    }
    sni_free(m->context, other);
    return status;
}

static sn_status mirror_source(mirror *m, const sn_value *old, sn_value *driver, sn_error *error) {
    const sn_value *parameter = sn_value_get(old, "parameter");
    const sn_value *distance = sn_value_get(old, "distance");
    sni_parameter_name parsed;
    sn_status status = SN_OK;
    if (parameter != NULL) {
        const sni_name_index *controls = &m->blueprint->names[SNI_SECTION_CONTROLS];
        bool joint = sni_name_index_find(controls, parameter->as.string) == SN_NONE &&
                     sni_parameter_parse(parameter->as.string, &parsed);
        return joint ? mirror_joint(m, driver, parameter, &parsed, error)
                     : swap_name(m, SNI_SECTION_CONTROLS, driver, "parameter", parameter, error);
    }
    sn_value *list = sn_json_add_array(m->edit.json, driver, "distance");
    status = list != NULL ? SN_OK : sni_fail_memory(error);
    for (uint32_t i = 0; i < sn_value_count(distance) && status == SN_OK; ++i) {
        status = swap_name(m, SNI_SECTION_LANDMARKS, list, NULL, sn_value_at(distance, i), error);
    }
    return status;
}

static sn_status mirror_driver(mirror *m, const char *control, const char *across,
                               sn_error *error) {
    const sn_value *drivers = section_of(m, "drivers");
    for (uint32_t i = 0; i < sn_value_count(drivers); ++i) {
        const sn_value *old = sn_value_at(drivers, i);
        if (strcmp(sn_value_get(old, "control")->as.string, control) != 0) {
            continue;
        }
        sn_value *list = sni_edit_list(&m->edit, m->edit.root, "drivers");
        sn_value *driver = sn_json_add_copy(m->edit.json, list, NULL, old);
        if (!sni_edit_note(&m->edit, driver) ||
            sn_json_add_string(m->edit.json, driver, "control", across) == NULL) {
            return sni_fail_memory(error);
        }
        return mirror_source(m, old, driver, error);
    }
    return SN_OK;
}

// The control that an object of the muscle names under `key`. One without a side acts on both
// muscles.
static sn_status mirror_control(mirror *m, const sn_value *from, sn_value *made, const char *key,
                                sn_error *error) {
    const sn_value *control = sn_value_get(from, key);
    const sn_value *controls = section_of(m, "controls");
    char *across = NULL;
    sn_status status = SN_OK;
    if (control == NULL) {
        return SN_OK;
    }
    SN_TRY(sni_body_swap_side(m->context, control->as.string, &across, error));
    if (across == NULL) {
        return SN_OK;
    }
    if (sn_json_add_string(m->edit.json, made, key, across) == NULL) {
        SN_TRY(sni_fail_memory(error));
    }
    // One control may contract a muscle and make it bulge: it is mirrored once.
    const sn_value *made_before = sn_value_get(sn_value_get(m->edit.root, "controls"), across);
    if (sn_value_get(controls, across) == NULL && made_before == NULL) {
        const sn_value *old = sn_value_get(controls, control->as.string);
        sn_value *map = sni_edit_map(&m->edit, "controls");
        if (!sni_edit_note(&m->edit, sn_json_add_copy(m->edit.json, map, across, old))) {
            SN_TRY(sni_fail_memory(error));
        }
        SN_TRY(mirror_driver(m, control->as.string, across, error));
    }
cleanup:
    sni_free(m->context, across);
    return status;
}

static sn_status mirror_controls(mirror *m, sn_error *error) {
    const sn_value *driven = sn_value_get(m->from, "driven");
    sn_value *made = (sn_value *)sn_value_get(m->made, "driven");
    sn_status status = SN_OK;
    SN_TRY(mirror_control(m, m->from, m->made, "contraction", error));
    SN_TRY(mirror_control(m, m->from, m->made, "tension", error));
    for (uint32_t i = 0; i < sn_value_count(driven); ++i) {
        SN_TRY(mirror_control(m, driven, made, sn_value_at(driven, i)->key, error));
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// The edit

static sn_status choose_name(mirror *m, const char *muscle, const char *name, sn_error *error) {
    const sn_value *muscles = section_of(m, "muscles");
    sn_status status = SN_OK;
    if (name != NULL && name[0] != 0) {
        m->name = sni_string_copy(m->context, name);
        SN_TRY(m->name != NULL ? SN_OK : sni_fail_memory(error));
    } else {
        SN_TRY(sni_body_swap_side(m->context, muscle, &m->name, error));
    }
    if (m->name == NULL) {
        SN_TRY(sni_fail(error, SN_INVALID,
                        "the name \"%s\" has no side to exchange: left and right, L and R",
                        muscle));
    }
    if (sn_value_get(muscles, m->name) != NULL) {
        SN_TRY(sni_fail(error, SN_INVALID, "there is a muscle \"%s\" already", m->name));
    }
cleanup:
    return status;
}

static sn_status find_muscle(mirror *m, const char *muscle, sn_error *error) {
    const sn_value *muscles = section_of(m, "muscles");
    m->from = sn_value_get(muscles, muscle);
    if (m->from != NULL) {
        const char *kind = sn_value_string(sn_value_get(m->from, "kind"), "");
        return sni_input_is_taken(sni_muscle_find(kind)->inputs, &sni_input_drawn)
                   ? SN_OK
                   : sni_fail_value(error, m->from, SN_INVALID,
                                    "a muscle of kind \"%s\" is not drawn on a skin; use "
                                    "\"mirror\": true in its entry",
                                    kind);
    }
    char hint[SNI_HINT_BYTES];
    sni_closest closest = sni_closest_to(muscle);
    for (uint32_t i = 0; i < sn_value_count(muscles); ++i) {
        sni_closest_try(&closest, sn_value_at(muscles, i)->key);
    }
    return sni_fail(error, SN_INVALID, "there is no muscle \"%s\"%s", muscle,
                    sni_closest_hint(&closest, hint));
}

static bool names_muscle(const sn_value *names, const char *muscle) {
    for (uint32_t i = 0; i < sn_value_count(names); ++i) {
        if (strcmp(sn_value_at(names, i)->as.string, muscle) == 0) {
            return true;
        }
    }
    return false;
}

// The new muscle joins all deformers that the old one moves. Skins and deformers stand at the same
// places in the document and in what it means.
static bool join_deformers(mirror *m) {
    const sn_value *skins = section_of(m, "skins"), *edited = sn_value_get(m->edit.root, "skins");
    for (uint32_t s = 0; s < sn_value_count(skins); ++s) {
        const sn_value *list = sn_value_get(sn_value_at(skins, s), "deformers");
        const sn_value *edited_list = sn_value_get(sn_value_at(edited, s), "deformers");
        for (uint32_t d = 0; d < sn_value_count(list); ++d) {
            sn_value *names = (sn_value *)sn_value_get(sn_value_at(edited_list, d), "muscles");
            if (names_muscle(sn_value_get(sn_value_at(list, d), "muscles"), m->from->key) &&
                !sni_edit_note(&m->edit, sn_json_add_string(m->edit.json, names, NULL, m->name))) {
                return false;
            }
        }
    }
    return true;
}

static sn_status copy_muscle(mirror *m, sn_error *error) {
    sn_value *map = sni_edit_map(&m->edit, "muscles");
    m->made = sn_json_add_copy(m->edit.json, map, m->name, m->from);
    return sni_edit_note(&m->edit, m->made) ? SN_OK : sni_fail_memory(error);
}

sn_status sn_character_mirror_muscle(sn_character *character, const char *muscle, const char *name,
                                     uint32_t axis, double at, sn_error *error) {
    sn_json *json = sn_character_document(character);
    mirror m = {.context = sni_character_context(character),
                .character = character,
                .edit = {.json = json, .root = sn_json_root(json)},
                .normal = {axis == 0, axis == 1, axis == 2}};
    m.origin = sn_vec3_scale(m.normal, at);
    sn_status status = SN_OK;
    if (axis > 2 || !isfinite(at)) {
        SN_TRY(sni_fail(error, SN_INVALID, "there is no plane across axis %u at %g", axis, at));
    }
    SN_TRY(sn_character_check(character, error));
    SN_TRY(sni_expanded_open(json, &m.expanded, error));
    SN_TRY(find_muscle(&m, muscle, error));
    SN_TRY(choose_name(&m, muscle, name, error));
    SN_TRY(sni_blueprint_create(m.context, m.expanded.json, &m.blueprint, error));
    m.skeleton = sni_rig_skeleton(m.blueprint->rig);
    SN_TRY(sni_skeleton_rest_worlds(m.context, m.skeleton, &m.rest, error));
    SN_TRY(copy_muscle(&m, error));
    SN_TRY(mirror_curves(&m, error));
    SN_TRY(mirror_carrier(&m, error));
    SN_TRY(mirror_depth(&m, error));
    SN_TRY(mirror_controls(&m, error));
    SN_TRY(join_deformers(&m) ? SN_OK : sni_fail_memory(error));
    SN_TRY(sn_character_check(character, error));
cleanup:
    if (status != SN_OK) {
        sni_edit_undo(&m.edit);
        if (sn_character_path(character) != NULL) {
            sni_error_source(error, sn_character_path(character));
        }
    }
    sni_blueprint_destroy(m.blueprint);
    sni_expanded_close(&m.expanded);
    sni_free(m.context, m.rest);
    sni_free(m.context, m.name);
    return status;
}

bool sn_name_has_side(const char *name) {
    return sni_body_has_side(name);
}
