// SPDX-License-Identifier: Apache-2.0
//
// What muscles between bones are made from: places on bones, given in parameters of the bones'
// boxes so that they fit bodies of other proportions, in the world, or in segments' frames;
// sections or changed slices; pivots.
#include "eval/muscles.h"

#include "base/context.h"
#include "character/schema.h"

#include <math.h>
#include <string.h>

static sn_vec3 vector_or_zero(const sn_value *value) {
    return value != NULL
               ? sn_vec3_make(sn_value_at(value, 0)->as.number, sn_value_at(value, 1)->as.number,
                              sn_value_at(value, 2)->as.number)
               : sn_vec3_make(0, 0, 0);
}

static sn_vec3 radians(const sn_value *degrees) {
    return sn_vec3_scale(vector_or_zero(degrees), SN_PI / 180);
}

// --- Attachments

// The unit normal of the surface at a place, between those of the triangle's corners.
static sn_vec3 normal_at(const sni_skin_search *search, const sn_closest *place) {
    const uint32_t *vertices = search->triangles->vertices + 3 * (size_t)place->triangle;
    sn_vec3 normal = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        sn_vec3 corner = sn_vec3_load(search->normals + 3 * (size_t)vertices[i]);
        normal = sn_vec3_add_scaled(normal, place->barycentric[i], corner);
    }
    return sn_vec3_normalize_or(normal, sn_vec3_make(0, 0, 0));
}

// Finds which way the polygons of a bone face: 0 for one without volume.
static sn_status find_side(const sni_muscles_desc *desc, const sn_mesh *mesh,
                           sni_skin_search *search, sn_error *error) {
    sn_mass mass = {0};
    sn_status status = SN_OK;
    if (search->side == 0) {
        status = sn_mass_compute(desc->context, mesh->positions, search->triangles->vertices,
                                 search->triangles->count, &mass, error);
        search->side = mass.volume < 0 ? -1 : mass.volume > 0 ? 1 : 0;
    }
    return status;
}

// A normal goes with the inverse transpose of a matrix.
static sn_vec3 place_normal(const sn_mat4 *place, sn_vec3 normal) {
    sn_mat4 inverse;
    if (!sn_mat4_invert(place, &inverse)) {
        return sn_vec3_make(0, 0, 0);
    }
    const double *m = inverse.m;
    return sn_vec3_make(m[0] * normal.x + m[1] * normal.y + m[2] * normal.z,
                        m[4] * normal.x + m[5] * normal.y + m[6] * normal.z,
                        m[8] * normal.x + m[9] * normal.y + m[10] * normal.z);
}

// A place that is this part of the bone's size away from its surface is taken for a mistake: in a
// box that is made for it, or in the world, where muscles may begin beside a bone.
static const double far_off_box = 0.1;
static const double far_off_world = 1;

static void report_gap(const sni_muscles_desc *desc, const char *name, const char *bone,
                       const sni_attachment_gap *gap, double far_off) {
    if (gap->distance > far_off * gap->size) {
        sni_log(desc->context, SN_LOG_WARNING, "muscle",
                "%s: it is attached %.3g m away from the surface of the bone \"%s\"", name,
                gap->distance, bone);
    }
}

// From the world at rest to the coordinates of a bone's mesh.
static sn_vec3 to_mesh(const sni_muscles_desc *desc, const sni_surface_plan *bone, sn_vec3 point) {
    sn_mat4 inverse;
    if (!bone->in_segment_frame || !sn_mat4_invert(&desc->rest_worlds[bone->segment], &inverse)) {
        return point;
    }
    return sn_mat4_point(&inverse, point);
}

// Prepares a bone for questions about it.
static sn_status search_bone(const sni_muscles_desc *desc, sni_skin_search *searches,
                             uint32_t index, sn_error *error) {
    const sn_mesh *mesh = desc->skins[index].mesh;
    sn_status status = sni_skin_search_make(desc->context, mesh, &searches[index], error);
    return status == SN_OK ? find_side(desc, mesh, &searches[index], error) : status;
}

// The bone's outward normal, in the world, where it comes closest to a point of its mesh's space.
static sn_vec3 closest_normal(const sni_muscles_desc *desc, const sni_surface_plan *bone,
                              const sni_skin_search *search, sn_vec3 point, sn_closest *closest) {
    sn_accel_find_closest(search->accel, point, INFINITY, closest);
    if (closest->triangle == SN_NONE) {
        return sn_vec3_make(0, 0, 0);
    }
    sn_vec3 normal = sn_vec3_scale(normal_at(search, closest), search->side);
    return bone->in_segment_frame ? place_normal(&desc->rest_worlds[bone->segment], normal)
                                  : normal;
}

// The place itself is kept where it is given, also beside the bone's surface.
static sn_status attach_to_bone(const sni_muscles_desc *desc, const char *name,
                                sni_skin_search *searches, const sn_value *value,
                                sni_muscle_attachment *made, sni_attachment_gap *gap,
                                sn_error *error) {
    const sn_value *at = sn_value_get(value, "at"), *given = sn_value_get(value, "point");
    sn_status status = SN_OK;
    uint32_t index;
    sn_vec3 low, high, point;
    sn_closest closest;
    SN_TRY(sni_find_bone(desc->blueprint, value, &index, error));
    SN_TRY(search_bone(desc, searches, index, error));
    const sni_surface_plan *bone = &desc->blueprint->surfaces[index];
    const sni_skin_search *search = &searches[index];
    if (search->side == 0 && at != NULL) {
        SN_TRY(sni_fail_value(error, sn_value_get(value, "bone"), SN_INVALID,
                              "the bone \"%s\" has no volume, so that it has no outer side",
                              bone->name));
    }
    if (at != NULL) {
        sn_mesh_bounds(desc->skins[index].mesh, &low, &high);
        point = sn_vec3_add(low, sn_vec3_multiply(vector_or_zero(at), sn_vec3_sub(high, low)));
    } else {
        point = to_mesh(desc, bone, vector_or_zero(given));
    }
    sn_vec3 normal = closest_normal(desc, bone, search, point, &closest);
    if (closest.triangle == SN_NONE) {
        SN_TRY(
            sni_fail_value(error, value, SN_INVALID, "the bone \"%s\" has no surface", bone->name));
    }
    *gap = (sni_attachment_gap){.bone = index, .distance = closest.distance, .size = search->size};
    report_gap(desc, name, bone->name, gap, at != NULL ? far_off_box : far_off_world);
    const sn_mat4 *place = &desc->rest_worlds[bone->segment];
    bool moved = at != NULL && bone->in_segment_frame;
    *made = (sni_muscle_attachment){.segment = bone->segment,
                                    .point = at == NULL ? vector_or_zero(given)
                                             : moved    ? sn_mat4_point(place, point)
                                                        : point,
                                    .normal = normal};
cleanup:
    return status;
}

// A point in a segment's frame, in metres or in parts of its size.
static sn_status place_in_segment(const sni_muscles_desc *desc, const sn_value *value,
                                  uint32_t *segment, sn_vec3 *at, sn_error *error) {
    sn_status status = sni_find_name(desc->blueprint, SNI_SECTION_SKELETON,
                                     sn_value_get(value, "segment"), segment, error);
    *at = vector_or_zero(sn_value_get(value, "at"));
    if (status == SN_OK && strcmp(sn_value_string(sn_value_get(value, "frame"), ""), "size") == 0) {
        *at = sn_vec3_scale(*at, desc->blueprint->segment_sizes[*segment]);
    }
    return status;
}

// A place that needs no bone; its normal is that of the closest bone of the segment, or none.
static sn_status attach_to_segment(const sni_muscles_desc *desc, sni_skin_search *searches,
                                   const sn_value *value, sni_muscle_attachment *made,
                                   sn_error *error) {
    const sni_blueprint *blueprint = desc->blueprint;
    double best = INFINITY;
    sn_vec3 at;
    sn_status status = SN_OK;
    *made = (sni_muscle_attachment){0};
    SN_TRY(place_in_segment(desc, value, &made->segment, &at, error));
    made->point = sn_mat4_point(&desc->rest_worlds[made->segment], at);
    for (uint32_t i = 0; i < blueprint->names[SNI_SECTION_BONES].count; ++i) {
        const sni_surface_plan *bone = &blueprint->surfaces[i];
        sn_closest closest;
        if (bone->segment != made->segment || desc->skins[i].mesh == NULL) {
            continue;
        }
        SN_TRY(search_bone(desc, searches, i, error));
        sn_vec3 point = to_mesh(desc, bone, made->point);
        sn_vec3 normal = closest_normal(desc, bone, &searches[i], point, &closest);
        if (closest.triangle != SN_NONE && closest.distance < best) {
            best = closest.distance;
            made->normal = normal;
        }
    }
cleanup:
    return status;
}

static sn_status make_attachments(const sni_muscles_desc *desc, const char *name,
                                  const sn_value *muscle, uint32_t count, const char *end,
                                  sni_skin_search *searches, sni_arena *arena,
                                  const sni_muscle_attachment **made, sni_attachment_gap *gaps,
                                  sn_error *error) {
    sni_muscle_attachment *attachments = sni_arena_alloc(arena, count, sizeof *attachments);
    sn_status status = attachments != NULL ? SN_OK : sni_fail_memory(error);
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        const sn_value *value = sni_attachment_at(muscle, end, i);
        gaps[i] = (sni_attachment_gap){.bone = SN_NONE};
        status = sn_value_get(value, "bone") != NULL
                     ? attach_to_bone(desc, name, searches, value, &attachments[i], &gaps[i], error)
                     : attach_to_segment(desc, searches, value, &attachments[i], error);
    }
    *made = attachments;
    return status;
}

// --- Slices and pivots

static sn_status make_shapes(const sn_value *list, sni_arena *arena, sni_muscle_body *body,
                             sn_error *error) {
    body->shape_count = sn_value_count(list);
    sni_muscle_slice_shape *shapes = sni_arena_alloc(arena, body->shape_count, sizeof *shapes);
    if (shapes == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < body->shape_count; ++i) {
        const sn_value *value = sn_value_at(list, i), *scale = sn_value_get(value, "scale");
        shapes[i] =
            (sni_muscle_slice_shape){.slice = (uint32_t)sn_value_get(value, "slice")->as.number,
                                     .scale = {sn_value_number(sn_value_at(scale, 0), 1),
                                               sn_value_number(sn_value_at(scale, 1), 1)},
                                     .move = vector_or_zero(sn_value_get(value, "move")),
                                     .turn = radians(sn_value_get(value, "turn_deg"))};
    }
    body->shapes = shapes;
    return SN_OK;
}

static sn_status make_sections(const sn_value *list, sni_arena *arena, sni_muscle_body *body,
                               sn_error *error) {
    body->section_count = sn_value_count(list);
    sni_muscle_section *sections = sni_arena_alloc(arena, body->section_count, sizeof *sections);
    if (sections == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < body->section_count; ++i) {
        const sn_value *value = sn_value_at(list, i);
        sections[i] = (sni_muscle_section){.center = vector_or_zero(sn_value_get(value, "center")),
                                           .wide = vector_or_zero(sn_value_get(value, "wide")),
                                           .thick = vector_or_zero(sn_value_get(value, "thick"))};
    }
    body->sections = sections;
    return SN_OK;
}

static uint32_t depth_of(const sn_skeleton *skeleton, uint32_t segment) {
    uint32_t depth = 0;
    for (; segment != SN_NONE; segment = skeleton->segments[segment].parent) {
        ++depth;
    }
    return depth;
}

static sn_vec3 origin_of(const sn_mat4 *world) {
    return sn_vec3_make(world->m[12], world->m[13], world->m[14]);
}

// The joint on the way through the skeleton from a muscle's first origin to its first insertion
// that is closest to a point at rest: where the segments of that way hang on each other. False
// where both are on one segment.
static bool find_joint(const sni_muscles_desc *desc, const sni_muscle_body *body, sn_vec3 point,
                       sn_vec3 *joint) {
    const sn_skeleton *skeleton = sni_rig_skeleton(desc->blueprint->rig);
    uint32_t a = body->origins[0].segment, b = body->insertions[0].segment;
    double closest = INFINITY;
    while (a != b) {
        // Up from the deeper one; the common ancestor itself is no joint of the way.
        uint32_t *deeper = depth_of(skeleton, a) > depth_of(skeleton, b) ? &a : &b;
        sn_vec3 candidate = origin_of(&desc->rest_worlds[*deeper]);
        double distance = sn_vec3_distance(candidate, point);
        if (distance < closest) {
            closest = distance;
            *joint = candidate;
        }
        *deeper = skeleton->segments[*deeper].parent;
    }
    return closest < INFINITY;
}

static sni_pivot_use use_of(const sn_value *value) {
    const char *name = sn_value_string(value, sni_pivot_uses[0]);
    uint32_t use = 0;
    while (strcmp(sni_pivot_uses[use], name) != 0) {
        ++use;
    }
    return (sni_pivot_use)use;
}

// The pose without a motion, in which parameters say where pivots are at rest.
static sn_status rest_pose(const sni_muscles_desc *desc, sni_arena *arena, sni_pose *pose,
                           sn_error *error) {
    const sni_rig *rig = desc->blueprint->rig;
    uint32_t segments = sni_rig_skeleton(rig)->segment_count;
    pose->locals = sni_arena_alloc(arena, segments, sizeof *pose->locals);
    pose->worlds = sni_arena_alloc(arena, segments, sizeof *pose->worlds);
    pose->parameters = sni_arena_alloc(arena, (size_t)segments * SN_JOINT_PARAMETER_COUNT,
                                       sizeof *pose->parameters);
    pose->controls = sni_arena_alloc(arena, sni_rig_control_count(rig), sizeof *pose->controls);
    if (pose->locals == NULL || pose->worlds == NULL || pose->parameters == NULL ||
        pose->controls == NULL) {
        return sni_fail_memory(error);
    }
    return sni_rig_pose(rig, NULL, 0, NULL, 0, pose, error);
}

static sn_status make_pivot(const sni_muscles_desc *desc, const sni_muscle_body *body,
                            const sn_value *value, const sni_muscle_pivot_place *at_rest,
                            sn_quat *turn, sni_muscle_pivot *pivot, sn_error *error) {
    const sn_value *degrees = sn_value_get(value, "turn_deg"), *half = sn_value_get(value, "half");
    *turn = sn_quat_from_euler(radians(degrees), SN_ROTATION_XYZ);
    *pivot = (sni_muscle_pivot){.slice = (uint32_t)sn_value_get(value, "slice")->as.number,
                                .use = use_of(sn_value_get(value, "use")),
                                .at = at_rest->at,
                                .off = at_rest->off,
                                .halved = half != NULL,
                                .turn = degrees != NULL ? turn : NULL};
    sn_status status = sni_find_name(desc->blueprint, SNI_SECTION_SKELETON,
                                     sn_value_get(value, "segment"), &pivot->segment, error);
    if (status == SN_OK && half != NULL) {
        status = sni_find_name(desc->blueprint, SNI_SECTION_SKELETON, half, &pivot->other, error);
    }
    if (status != SN_OK || pivot->use != SNI_PIVOT_BENT) {
        return status;
    }
    sn_vec3 place = sn_mat4_point(&desc->rest_worlds[pivot->segment], pivot->at);
    return find_joint(desc, body, place, &pivot->joint)
               ? SN_OK
               : sni_fail_value(error, value, SN_INVALID,
                                "the pivot is used where the muscle is bent, but no joint lies "
                                "between its origins and insertions");
}

static sn_status make_pivots(const sni_muscles_desc *desc, const sn_value *list, sni_arena *arena,
                             sni_muscle_body *body, sni_posed_pivots *posed, sn_error *error) {
    uint32_t count = sn_value_count(list);
    sni_muscle_pivot *pivots = sni_arena_alloc(arena, count, sizeof *pivots);
    sn_quat *turns = sni_arena_alloc(arena, count, sizeof *turns);
    sni_pose rest;
    sn_status status = pivots != NULL && turns != NULL ? SN_OK : sni_fail_memory(error);
    if (status == SN_OK && count > 0) {
        status = rest_pose(desc, arena, &rest, error);
    }
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        const sn_value *value = sn_value_at(list, i);
        status = sni_posed_pivots_add(desc->context, desc->blueprint, value, posed, error);
        if (status == SN_OK) {
            sni_muscle_pivot_place at_rest =
                sni_posed_pivot_find(&posed->items[posed->count - 1], &rest);
            status = make_pivot(desc, body, value, &at_rest, &turns[i], &pivots[i], error);
        }
    }
    body->pivot_count = count;
    body->pivots = pivots;
    return status;
}

// --- Bodies to go around

// 0 for all, 1 x, -1 its opposite, 2 y and so on.
static int side_of(const sn_value *value) {
    const char *name = sn_value_string(value, sni_wrap_sides[0]);
    int index = 0;
    while (strcmp(sni_wrap_sides[index], name) != 0) {
        ++index;
    }
    int axis = (index + 1) / 2;
    return index % 2 == 0 ? -axis : axis;
}

static sn_status make_wrap(const sni_muscles_desc *desc, const sn_value *value,
                           sni_muscle_wrap *wrap, sn_error *error) {
    const sn_value *cylinder = sn_value_get(value, "cylinder");
    const sn_value *sphere = sn_value_get(value, "sphere"), *slices = sn_value_get(value, "slices");
    const sn_value *body = cylinder != NULL ? cylinder
                           : sphere != NULL ? sphere
                                            : sn_value_get(value, "ellipsoid");
    bool in_sizes = strcmp(sn_value_string(sn_value_get(value, "frame"), ""), "size") == 0;
    uint32_t segment;
    sn_status status = sni_find_name(desc->blueprint, SNI_SECTION_SKELETON,
                                     sn_value_get(value, "segment"), &segment, error);
    if (status != SN_OK) {
        return status;
    }
    double unit = in_sizes ? desc->blueprint->segment_sizes[segment] : 1;
    double radius = unit * sn_value_number(sn_value_get(body, "radius"), 0);
    *wrap = (sni_muscle_wrap){
        .first = (uint32_t)sn_value_at(slices, 0)->as.number,
        .last = (uint32_t)sn_value_at(slices, 1)->as.number,
        .segment = segment,
        .shape = cylinder != NULL ? SNI_WRAP_CYLINDER
                 : sphere != NULL ? SNI_WRAP_SPHERE
                                  : SNI_WRAP_ELLIPSOID,
        .center = sn_vec3_scale(vector_or_zero(sn_value_get(body, "center")), unit),
        .turn = sn_quat_from_euler(radians(sn_value_get(body, "rotation_deg")), SN_ROTATION_XYZ),
        .radii = radius > 0 ? sn_vec3_make(radius, radius, radius)
                            : sn_vec3_scale(vector_or_zero(sn_value_get(body, "radii")), unit),
        .length = unit * sn_value_number(sn_value_get(body, "length"), INFINITY),
        .side = side_of(sn_value_get(value, "side"))};
    return SN_OK;
}

static sn_status make_wraps(const sni_muscles_desc *desc, const sn_value *list, sni_arena *arena,
                            sni_muscle_body *body, sn_error *error) {
    uint32_t count = sn_value_count(list);
    sni_muscle_wrap *wraps = sni_arena_alloc(arena, count, sizeof *wraps);
    sn_status status = wraps != NULL ? SN_OK : sni_fail_memory(error);
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        status = make_wrap(desc, sn_value_at(list, i), &wraps[i], error);
    }
    body->wrap_count = count;
    body->wraps = wraps;
    return status;
}

sn_status sni_muscle_body_make(const sni_muscles_desc *desc, const char *name,
                               const sn_value *value, uint32_t attachments,
                               sni_skin_search *searches, sni_arena *arena, sni_muscle_body *body,
                               sni_attachment_gap *gaps, sni_posed_pivots *pivots,
                               sn_error *error) {
    *body = (sni_muscle_body){.origin_count = attachments, .insertion_count = attachments};
    sn_status status = SN_OK;
    SN_TRY(make_attachments(desc, name, value, attachments, "origin", searches, arena,
                            &body->origins, gaps, error));
    SN_TRY(make_attachments(desc, name, value, attachments, "insertion", searches, arena,
                            &body->insertions, gaps + attachments, error));
    SN_TRY(make_sections(sn_value_get(value, "sections"), arena, body, error));
    SN_TRY(make_shapes(sn_value_get(value, "shape"), arena, body, error));
    SN_TRY(make_pivots(desc, sn_value_get(value, "pivots"), arena, body, pivots, error));
    SN_TRY(make_wraps(desc, sn_value_get(value, "around"), arena, body, error));
cleanup:
    return status;
}
