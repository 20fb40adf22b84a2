// SPDX-License-Identifier: Apache-2.0
//
// The places of a document. Which keys hold points the schema tells, by what a mirror image has
// there (expand/mirror.h); in which frame they stand follows from the object around them: one with
// a `segment` is in its frame unless it says otherwise, all else is in the world at rest.
#include "character/transfer/transfer_internal.h"

#include "character/expand/mirror.h"
#include "motion/skeleton.h"

#include <string.h>

// Sections whose places do not move by themselves.
static const char *const left_alone[] = {"skeleton", "skins", "clips", "meshes", "proportions"};

// The member of the root that a value is in, and the entry of that section.
static void find_entry(const sn_value *value, const sn_value **section, const sn_value **entry) {
    *section = *entry = NULL;
    while (value->parent != NULL) {
        *entry = *section;
        *section = value;
        value = value->parent;
    }
}

static uint32_t muscle_part(const sni_document_transfer *t, const char *name) {
    for (uint32_t i = 0; i < t->part_count; ++i) {
        if (t->parts[i].role == SN_HEAD_MUSCLE && strcmp(t->parts[i].name, name) == 0) {
            return i;
        }
    }
    return SNI_PART_DOCUMENT;
}

static bool is_vector(const sn_value *value) {
    return value != NULL && value->type == SN_JSON_ARRAY && sn_value_count(value) == 3 &&
           sn_value_at(value, 0)->type == SN_JSON_NUMBER;
}

static sn_vec3 vector_of(const sn_value *value) {
    return sn_vec3_make(sn_value_at(value, 0)->as.number, sn_value_at(value, 1)->as.number,
                        sn_value_at(value, 2)->as.number);
}

// The frame that a value stands in. False where its numbers are in sizes of a segment, or of a
// bone's box: they follow what they are measured by.
static bool find_frame(const sni_document_transfer *t, const sn_value *value, const char *key,
                       uint32_t *segment) {
    *segment = SN_NONE;
    if (strcmp(key, "point") == 0 || strcmp(key, "within") == 0) {
        return true;
    }
    for (const sn_value *object = value->parent; object != NULL; object = object->parent) {
        const char *name = sn_value_string(sn_value_get(object, "segment"), NULL);
        const char *frame = sn_value_string(sn_value_get(object, "frame"), "segment");
        if (name != NULL) {
            *segment = strcmp(frame, "world") == 0
                           ? SN_NONE
                           : sni_skeleton_find(&t->blueprint->skeleton, name);
            return strcmp(frame, "size") != 0;
        }
    }
    return true;
}

static sn_vec3 to_world(const sni_document_transfer *t, uint32_t segment, sn_vec3 p) {
    return segment != SN_NONE ? sn_mat4_point(&t->rest[segment], p) : p;
}

static sn_status add_place(sni_document_transfer *t, sni_document_place place, sn_vec3 world,
                           sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sni_transfer_add_point(t, place.part, world, &place.number, error));
    if (!sni_grow_by_one(t->context, &t->places, t->place_count, sizeof *t->places)) {
        SN_TRY(sni_fail_memory(error));
    }
    t->places[t->place_count++] = place;
cleanup:
    return status;
}

// The half axes of a section, and the wide side of a tube, go from a point of the same object.
static sn_status add_axis(sni_document_transfer *t, sn_value *value, const sn_value *base,
                          uint32_t part, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t segment, number;
    if (!is_vector(value) || !is_vector(base) || !find_frame(t, value, value->key, &segment)) {
        return SN_OK;
    }
    sn_vec3 from = vector_of(base);
    SN_TRY(sni_transfer_add_point(t, part, to_world(t, segment, from), &number, error));
    SN_TRY(add_place(t,
                     (sni_document_place){
                         .kind = SNI_PLACE_AXIS, .value = value, .segment = segment, .part = part},
                     to_world(t, segment, sn_vec3_add(from, vector_of(value))), error));
cleanup:
    return status;
}

static sn_status add_point(sni_document_transfer *t, sn_value *value, const char *key,
                           uint32_t part, sn_error *error) {
    uint32_t segment;
    if (!is_vector(value) || !find_frame(t, value, key, &segment)) {
        return SN_OK;
    }
    sni_document_place place = {
        .kind = SNI_PLACE_POINT, .value = value, .segment = segment, .part = part};
    return add_place(t, place, to_world(t, segment, vector_of(value)), error);
}

// Curves and the centre of a muscle that is drawn on the skin are in the world, whatever carries
// it.
static sn_status add_drawn(sni_document_transfer *t, sn_value *value, uint32_t part,
                           sn_error *error) {
    sn_status status = SN_OK;
    if (is_vector(value)) {
        sni_document_place place = {
            .kind = SNI_PLACE_ON_SKIN, .value = value, .segment = SN_NONE, .part = part};
        return add_place(t, place, vector_of(value), error);
    }
    for (uint32_t i = 0; i < sn_value_count(value) && status == SN_OK; ++i) {
        status = add_drawn(t, (sn_value *)sn_value_at(value, i), part, error);
    }
    return status;
}

static bool is_drawn(const sn_value *entry) {
    return strcmp(sn_value_string(sn_value_get(entry, "kind"), ""), "patch") == 0;
}

static sn_status add_list(sni_document_transfer *t, sn_value *list, const char *key, uint32_t part,
                          sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_value_count(list) && status == SN_OK; ++i) {
        status = add_point(t, (sn_value *)sn_value_at(list, i), key, part, error);
    }
    return status;
}

static sn_status visit(const sni_schema_field *field, sn_value *value, bool *deeper, void *user,
                       sn_error *error) {
    sni_document_transfer *t = user;
    const sn_value *section, *entry;
    find_entry(value, &section, &entry);
    for (size_t i = 0; i < sizeof left_alone / sizeof *left_alone; ++i) {
        if (section == NULL || strcmp(section->key, left_alone[i]) == 0) {
            *deeper = section == NULL;
            return SN_OK;
        }
    }
    uint32_t part = strcmp(section->key, "muscles") == 0 && entry != NULL
                        ? muscle_part(t, entry->key)
                        : SNI_PART_DOCUMENT;
    const char *name = field->name;
    bool placed = strcmp(name, "at") == 0 && sn_value_get(value->parent, "segment") != NULL;
    if (entry != NULL && is_drawn(entry) &&
        (strcmp(name, "curves") == 0 || strcmp(name, "center") == 0)) {
        *deeper = false;
        return add_drawn(t, value, part, error);
    }
    if (strcmp(name, "wide") == 0 || strcmp(name, "thick") == 0) {
        return add_axis(t, value, sn_value_get(value->parent, "center"), part, error);
    }
    if (strcmp(name, "side") == 0) {
        const sn_value *points = sn_value_get(value->parent, "points");
        return add_axis(t, value, sn_value_at(points, 0), part, error);
    }
    if (strcmp(name, "move") == 0) {
        return SN_OK; // in lengths of the muscle, or small against it
    }
    if (strcmp(name, "forward") == 0 || strcmp(name, "up") == 0) {
        return SN_OK; // directions: turn_joints
    }
    if (field->mirror == sni_mirror_points) {
        return add_list(t, value, name, part, error);
    }
    return placed || field->mirror == sni_mirror_point ? add_point(t, value, name, part, error)
                                                       : SN_OK;
}

// Origins of segments move with the document, or with the eye that the segment carries.
static sn_status add_segments(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    t->first_segment_point = t->parts[SNI_PART_DOCUMENT].point_count;
    for (uint32_t s = 0; s < t->blueprint->skeleton.segment_count; ++s) {
        const double *m = t->rest[s].m;
        uint32_t number;
        SN_TRY(sni_transfer_add_point(t, SNI_PART_DOCUMENT, sn_vec3_make(m[12], m[13], m[14]),
                                      &number, error));
    }
    for (uint32_t p = 0; p < t->part_count; ++p) {
        if (t->parts[p].role == SN_HEAD_EYE) {
            // Number 0 of an eye: the origin of the segment that carries it.
            const sn_value *tissues = sn_value_get(t->root, "tissues");
            const sn_value *entry = sn_value_get(tissues, t->parts[p].name);
            const char *segment = sn_value_string(sn_value_get(entry, "segment"), "");
            uint32_t s = sni_skeleton_find(&t->blueprint->skeleton, segment), number;
            const double *m = t->rest[s != SN_NONE ? s : 0].m;
            SN_TRY(sni_transfer_add_point(t, p, sn_vec3_make(m[12], m[13], m[14]), &number, error));
        }
    }
cleanup:
    return status;
}

sn_status sni_transfer_collect(sni_document_transfer *t, sn_error *error) {
    sn_status status = add_segments(t, error);
    return status == SN_OK ? sni_schema_visit(&sni_document_schema, t->root, visit, t, error)
                           : status;
}

// ---------------------------------------------------------------------------------------------
// Afterwards

sn_vec3 sni_transfer_moved(const sni_document_transfer *t, uint32_t part, uint32_t number) {
    return t->moved->parts[part].points[number];
}

// Hundredths of a millimetre say enough about a place, and keep documents readable.
static void write_vector(sn_value *value, sn_vec3 v) {
    const double numbers[3] = {v.x, v.y, v.z};
    for (uint32_t k = 0; k < 3; ++k) {
        ((sn_value *)sn_value_at(value, k))->as.number = round(numbers[k] * 1e6) / 1e6 + 0.0;
    }
}

// Segments keep their frames, turned as the head is; an eye's stands in its middle as before.
static sn_status place_segments(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    const sn_skeleton *skeleton = &t->blueprint->skeleton;
    sn_transform turn = sn_transform_identity();
    turn.rotation = t->moved->rotation;
    sn_mat4 turned = sn_mat4_from_transform(&turn);
    SNI_NEW(t->context, t->new_rest, skeleton->segment_count);
    for (uint32_t s = 0; s < skeleton->segment_count; ++s) {
        sn_vec3 at = sni_transfer_moved(t, SNI_PART_DOCUMENT, t->first_segment_point + s);
        for (uint32_t p = 0; p < t->part_count; ++p) {
            const sn_value *tissues = sn_value_get(t->root, "tissues");
            const sn_value *entry =
                t->parts[p].role == SN_HEAD_EYE ? sn_value_get(tissues, t->parts[p].name) : NULL;
            const char *carrier = sn_value_string(sn_value_get(entry, "segment"), NULL);
            // A segment that carries more than an eye, such as the head, does not go with it.
            if (carrier != NULL && strcmp(carrier, skeleton->segments[s].name) == 0 &&
                sn_vec3_distance(t->parts[p].points[0],
                                 t->parts[SNI_PART_DOCUMENT].points[t->first_segment_point + s]) <
                    1e-9 &&
                skeleton->segments[s].parent != SN_NONE) {
                at = sni_transfer_moved(t, p, 0);
            }
        }
        t->new_rest[s] = sn_mat4_multiply(&turned, &t->rest[s]);
        t->new_rest[s].m[12] = at.x;
        t->new_rest[s].m[13] = at.y;
        t->new_rest[s].m[14] = at.z;
    }
cleanup:
    return status;
}

static sn_vec3 local_origin(const sn_skeleton *skeleton, const sn_mat4 *worlds, uint32_t s) {
    uint32_t parent = skeleton->segments[s].parent;
    sn_vec3 at = {worlds[s].m[12], worlds[s].m[13], worlds[s].m[14]};
    sn_mat4 back;
    if (parent == SN_NONE || !sn_mat4_invert(&worlds[parent], &back)) {
        return at;
    }
    return sn_mat4_point(&back, at);
}

// Whether the head stands otherwise than the source.
static bool turns(const sni_document_transfer *t) {
    return fabs(t->moved->rotation.w) < 1 - 1e-7;
}

// The skeleton of the blueprint is from then on that of the head: weights are bound to it.
static sn_status write_segments(sni_document_transfer *t, sn_error *error) {
    const sn_skeleton *skeleton = &t->blueprint->skeleton;
    const sn_value *map = sn_value_get(t->root, "skeleton");
    for (uint32_t s = 0; s < skeleton->segment_count; ++s) {
        sn_value *object = (sn_value *)sn_value_get(map, skeleton->segments[s].name);
        sn_vec3 before = local_origin(skeleton, t->rest, s);
        sn_vec3 after = local_origin(skeleton, t->new_rest, s);
        sn_vec3 move = sn_vec3_sub(after, before);
        sn_vec3 to = sn_vec3_add(skeleton->segments[s].rest.translation, move);
        const double zeros[3] = {0, 0, 0};
        sn_value *translation = sn_json_add_numbers(t->json, object, "translation", zeros, 3);
        if (translation == NULL) {
            return sni_fail_memory(error);
        }
        write_vector(translation, to);
        skeleton->segments[s].rest.translation = vector_of(translation);
        if (turns(t) && skeleton->segments[s].parent == SN_NONE) {
            sn_quat q = sn_quat_multiply(t->moved->rotation, skeleton->segments[s].rest.rotation);
            const double numbers[4] = {q.x, q.y, q.z, q.w};
            sn_value *degrees = (sn_value *)sn_value_get(object, "rotation_deg");
            if (degrees != NULL) {
                sn_json_remove(degrees);
            }
            if (sn_json_add_numbers(t->json, object, "rotation", numbers, 4) == NULL) {
                return sni_fail_memory(error);
            }
            skeleton->segments[s].rest.rotation = q;
        }
    }
    return SN_OK;
}

static sn_vec3 to_frame(const sni_document_transfer *t, uint32_t segment, sn_vec3 p) {
    sn_mat4 back;
    return segment != SN_NONE && sn_mat4_invert(&t->new_rest[segment], &back)
               ? sn_mat4_point(&back, p)
               : p;
}

// Axes of a section stay perpendicular: the thick one gives way.
static void straighten(sn_value *object) {
    sn_value *wide = (sn_value *)sn_value_get(object, "wide");
    sn_value *thick = (sn_value *)sn_value_get(object, "thick");
    if (is_vector(wide) && is_vector(thick)) {
        sn_vec3 a = vector_of(wide), b = vector_of(thick);
        double length = sn_vec3_length(b);
        b = sn_vec3_add_scaled(b, -sn_vec3_dot(a, b) / fmax(sn_vec3_dot(a, a), 1e-30), a);
        b = sn_vec3_scale(sn_vec3_normalize_or(b, sn_vec3_make(0, 0, 0)), length);
        const double numbers[3] = {b.x, b.y, b.z};
        for (uint32_t k = 0; k < 3; ++k) { // not rounded: they would not be perpendicular
            ((sn_value *)sn_value_at(thick, k))->as.number = numbers[k];
        }
    }
}

static void write_axis(const sni_document_transfer *t, const sni_document_place *place) {
    sn_vec3 from =
        to_frame(t, place->segment, sni_transfer_moved(t, place->part, place->number - 1));
    sn_vec3 to = to_frame(t, place->segment, sni_transfer_moved(t, place->part, place->number));
    sn_vec3 axis = sn_vec3_sub(to, from);
    const double numbers[3] = {axis.x, axis.y, axis.z};
    for (uint32_t k = 0; k < 3; ++k) {
        ((sn_value *)sn_value_at(place->value, k))->as.number = numbers[k];
    }
}

// Points of curves lie on the head's skin.
static sn_status write_on_skin(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    sn_triangles *triangles = NULL;
    sn_accel *accel = NULL;
    for (uint32_t i = 0; i < t->place_count; ++i) {
        const sni_document_place *place = &t->places[i];
        if (place->kind != SNI_PLACE_ON_SKIN) {
            continue;
        }
        if (accel == NULL) {
            SN_TRY(sn_triangles_create(t->head, t->head->positions, &triangles, error));
            SN_TRY(sn_accel_create(t->context, t->head->positions, t->head->vertex_count,
                                   triangles->vertices, triangles->count, &accel, error));
        }
        sn_closest closest;
        sn_accel_find_closest(accel, sni_transfer_moved(t, place->part, place->number), INFINITY,
                              &closest);
        write_vector(place->value, closest.point);
    }
cleanup:
    sn_triangles_destroy(triangles);
    sn_accel_destroy(accel);
    return status;
}

// Boxes along the axes of the world do not turn: contacts of a head that stands otherwise do
// without.
static void drop_boxes(const sni_document_transfer *t) {
    const sn_value *bodies = sn_value_get(t->root, "bodies");
    for (uint32_t b = 0; b < sn_value_count(bodies); ++b) {
        const sn_value *contacts = sn_value_get(sn_value_at(bodies, b), "contacts");
        for (uint32_t i = 0; i < sn_value_count(contacts); ++i) {
            sn_value *box = (sn_value *)sn_value_get(sn_value_at(contacts, i), "within");
            if (box != NULL) {
                sn_json_remove(box);
            }
        }
    }
}

// Paths of joints of bodies lead in directions of the world, with standards for an upright head.
static sn_status turn_joints(sni_document_transfer *t, sn_error *error) {
    static const struct {
        const char *key;
        double standard[3];
    } directions[] = {{"forward", {0, 0, 1}}, {"up", {0, 1, 0}}};
    const sn_value *bodies = sn_value_get(t->root, "bodies");
    for (uint32_t b = 0; b < sn_value_count(bodies) && turns(t); ++b) {
        const sn_value *joints = sn_value_get(sn_value_at(bodies, b), "joints");
        for (uint32_t i = 0; i < 2 * sn_value_count(joints); ++i) {
            sn_value *joint = (sn_value *)sn_value_at(joints, i / 2);
            const double *standard = directions[i % 2].standard;
            sn_value *value = (sn_value *)sn_value_get(joint, directions[i % 2].key);
            if (value == NULL) {
                value = sn_json_add_numbers(t->json, joint, directions[i % 2].key, standard, 3);
            }
            if (value == NULL) {
                return sni_fail_memory(error);
            }
            write_vector(value, sn_quat_rotate(t->moved->rotation, vector_of(value)));
        }
    }
    return SN_OK;
}

sn_status sni_transfer_write_places(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(place_segments(t, error));
    SN_TRY(write_segments(t, error));
    SN_TRY(turn_joints(t, error));
    for (uint32_t i = 0; i < t->place_count; ++i) {
        const sni_document_place *place = &t->places[i];
        if (place->kind == SNI_PLACE_AXIS) {
            write_axis(t, place);
        } else if (place->kind == SNI_PLACE_POINT) {
            sn_vec3 now = sni_transfer_moved(t, place->part, place->number);
            write_vector(place->value, to_frame(t, place->segment, now));
        }
    }
    for (uint32_t i = 0; i < t->place_count; ++i) {
        if (t->places[i].kind == SNI_PLACE_AXIS) {
            straighten(t->places[i].value->parent);
        }
    }
    SN_TRY(write_on_skin(t, error));
    if (turns(t)) {
        drop_boxes(t);
    }
cleanup:
    return status;
}
