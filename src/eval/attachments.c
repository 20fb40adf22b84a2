// SPDX-License-Identifier: Apache-2.0
//
// What muscles between bones are made from: places on bones, given in parameters of the bones'
// boxes so that they fit bodies of other proportions; changed slices; pivots.
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

// 1 for a bone whose polygons face outwards, -1 for one that is inside out.
static sn_status find_side(const sni_muscles_desc *desc, const sn_mesh *mesh,
                           const sni_skin_search *search, const sn_value *attachment, double *side,
                           sn_error *error) {
    sn_mass mass = {0};
    sn_status status = sn_mass_compute(desc->context, mesh->positions, search->triangles->vertices,
                                       search->triangles->count, &mass, error);
    if (status == SN_OK && mass.volume == 0) {
        status = sni_fail_value(error, sn_value_get(attachment, "bone"), SN_INVALID,
                                "the bone \"%s\" has no volume, so that it has no outer side",
                                sn_value_get(attachment, "bone")->as.string);
    }
    *side = mass.volume < 0 ? -1 : 1;
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

// A place that is this part of the bone's size away from its surface is taken for a mistake.
static const double far_off = 0.1;

static void report_gap(const sni_muscles_desc *desc, const sni_muscle_plan *plan, const char *bone,
                       double gap, double size) {
    if (gap > far_off * size) {
        sni_log(desc->context, SN_LOG_WARNING, "muscle",
                "%s: it is attached %.3g m away from the surface of the bone \"%s\"", plan->name,
                gap, bone);
    }
}

// The place itself is kept where it is given, also beside the bone's surface.
static sn_status make_attachment(const sni_muscles_desc *desc, const sni_muscle_plan *plan,
                                 sni_skin_search *searches, const sn_value *value,
                                 sni_muscle_attachment *made, sni_attachment_gap *gap,
                                 sn_error *error) {
    sn_status status = SN_OK;
    uint32_t index;
    double side;
    sn_vec3 low, high, at = vector_or_zero(sn_value_get(value, "at"));
    SN_TRY(sni_find_bone(desc->blueprint, value, &index, error));
    const sni_surface_plan *bone = &desc->blueprint->surfaces[index];
    const sn_mesh *mesh = desc->skins[index].mesh;
    sni_skin_search *search = &searches[index];
    SN_TRY(sni_skin_search_make(desc->context, mesh, search, error));
    SN_TRY(find_side(desc, mesh, search, value, &side, error));
    sn_mesh_bounds(mesh, &low, &high);
    sn_vec3 point = sn_vec3_add(low, sn_vec3_multiply(at, sn_vec3_sub(high, low)));
    sn_closest closest;
    sn_accel_find_closest(search->accel, point, INFINITY, &closest);
    if (closest.triangle == SN_NONE) {
        SN_TRY(
            sni_fail_value(error, value, SN_INVALID, "the bone \"%s\" has no surface", bone->name));
    }
    *gap = (sni_attachment_gap){.bone = index, .distance = closest.distance, .size = search->size};
    report_gap(desc, plan, bone->name, gap->distance, gap->size);
    sn_vec3 normal = sn_vec3_scale(normal_at(search, &closest), side);
    const sn_mat4 *place = &desc->rest_worlds[bone->segment];
    *made = (sni_muscle_attachment){
        .segment = bone->segment,
        .point = bone->in_segment_frame ? sn_mat4_point(place, point) : point,
        .normal = bone->in_segment_frame ? place_normal(place, normal) : normal};
cleanup:
    return status;
}

static sn_status make_attachments(const sni_muscles_desc *desc, const sni_muscle_plan *plan,
                                  sni_skin_search *searches, const char *end, sni_arena *arena,
                                  const sni_muscle_attachment **made, sni_attachment_gap *gaps,
                                  sn_error *error) {
    uint32_t count = plan->ops->attachments;
    sni_muscle_attachment *attachments = sni_arena_alloc(arena, count, sizeof *attachments);
    sn_status status = attachments != NULL ? SN_OK : sni_fail_memory(error);
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        status = make_attachment(desc, plan, searches, sni_attachment_at(plan->value, end, i),
                                 &attachments[i], &gaps[i], error);
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

static sn_status make_pivot(const sni_muscles_desc *desc, const sni_muscle_body *body,
                            const sn_value *value, sn_quat *turn, sni_muscle_pivot *pivot,
                            sn_error *error) {
    const sn_value *degrees = sn_value_get(value, "turn_deg");
    *turn = sn_quat_from_euler(radians(degrees), SN_ROTATION_XYZ);
    *pivot = (sni_muscle_pivot){.slice = (uint32_t)sn_value_get(value, "slice")->as.number,
                                .use = use_of(sn_value_get(value, "use")),
                                .at = vector_or_zero(sn_value_get(value, "at")),
                                .turn = degrees != NULL ? turn : NULL};
    sn_status status = sni_find_name(desc->blueprint, SNI_SECTION_SKELETON,
                                     sn_value_get(value, "segment"), &pivot->segment, error);
    if (status == SN_OK && strcmp(sn_value_string(sn_value_get(value, "frame"), ""), "size") == 0) {
        pivot->at = sn_vec3_scale(pivot->at, desc->blueprint->segment_sizes[pivot->segment]);
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
                             sni_muscle_body *body, sn_error *error) {
    body->pivot_count = sn_value_count(list);
    sni_muscle_pivot *pivots = sni_arena_alloc(arena, body->pivot_count, sizeof *pivots);
    sn_quat *turns = sni_arena_alloc(arena, body->pivot_count, sizeof *turns);
    sn_status status = pivots != NULL && turns != NULL ? SN_OK : sni_fail_memory(error);
    for (uint32_t i = 0; i < body->pivot_count && status == SN_OK; ++i) {
        status = make_pivot(desc, body, sn_value_at(list, i), &turns[i], &pivots[i], error);
    }
    body->pivots = pivots;
    return status;
}

sn_status sni_muscle_body_make(const sni_muscles_desc *desc, const sni_muscle_plan *plan,
                               sni_skin_search *searches, sni_arena *arena, sni_muscle_body *body,
                               sni_attachment_gap *gaps, sn_error *error) {
    uint32_t count = plan->ops->attachments;
    *body = (sni_muscle_body){.origin_count = count, .insertion_count = count};
    sn_status status = SN_OK;
    SN_TRY(make_attachments(desc, plan, searches, "origin", arena, &body->origins, gaps, error));
    SN_TRY(make_attachments(desc, plan, searches, "insertion", arena, &body->insertions,
                            gaps + count, error));
    SN_TRY(make_shapes(sn_value_get(plan->value, "shape"), arena, body, error));
    SN_TRY(make_pivots(desc, sn_value_get(plan->value, "pivots"), arena, body, error));
cleanup:
    return status;
}
