// SPDX-License-Identifier: Apache-2.0
//
// What muscles between bones are made from: places on bones, given in parameters of the bones'
// boxes so that they fit bodies of other proportions, in the world, or in segments' frames;
// sections or changed slices; pivots.
#include "eval/rest.h"

#include "base/context.h"
#include "character/schema/schema.h"

#include <math.h>

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
static sn_status find_side(const sni_rest *rest, const sn_mesh *mesh, sni_skin_search *search,
                           sn_error *error) {
    sn_mass mass = {0};
    sn_status status = SN_OK;
    if (search->side == 0) {
        status = sn_mass_compute(rest->context, mesh->positions, search->triangles->vertices,
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

static void report_gap(const sni_rest *rest, const char *name, const char *bone,
                       const sni_attachment_gap *gap, double far_off) {
    if (gap->distance > far_off * gap->size) {
        sni_log(rest->context, SN_LOG_WARNING, "muscle",
                "%s: it is attached %.3g m away from the surface of the bone \"%s\"", name,
                gap->distance, bone);
    }
}

// From the world at rest to the coordinates of a bone's mesh.
static sn_vec3 to_mesh(const sni_rest *rest, const sni_surface_plan *bone, sn_vec3 point) {
    sn_mat4 inverse;
    if (!bone->in_segment_frame || !sn_mat4_invert(&rest->worlds[bone->segment], &inverse)) {
        return point;
    }
    return sn_mat4_point(&inverse, point);
}

// Prepares a bone for questions about it.
static sn_status search_bone(sni_rest *rest, sni_skin_search *searches, uint32_t index,
                             sn_error *error) {
    const sn_mesh *mesh = rest->surfaces[index].mesh;
    sn_status status = sni_skin_search_make(rest, index, &searches[index], error);
    return status == SN_OK ? find_side(rest, mesh, &searches[index], error) : status;
}

// The bone's outward normal, in the world, where it comes closest to a point of its mesh's space.
static sn_vec3 closest_normal(const sni_rest *rest, const sni_surface_plan *bone,
                              const sni_skin_search *search, sn_vec3 point, sn_closest *closest) {
    sn_accel_find_closest(search->accel, point, INFINITY, closest);
    if (closest->triangle == SN_NONE) {
        return sn_vec3_make(0, 0, 0);
    }
    sn_vec3 normal = sn_vec3_scale(normal_at(search, closest), search->side);
    return bone->in_segment_frame ? place_normal(&rest->worlds[bone->segment], normal) : normal;
}

sn_vec3 sni_attachment_point(const sni_rest *rest, const sni_attachment_plan *plan) {
    if (plan->frame == SNI_ATTACHED_IN_WORLD) {
        return plan->at;
    }
    if (plan->frame == SNI_ATTACHED_IN_SEGMENT) {
        double unit = plan->in_sizes ? rest->segment_sizes[plan->segment] : 1;
        return sn_mat4_point(&rest->worlds[plan->segment], sn_vec3_scale(plan->at, unit));
    }
    const sni_surface_plan *bone = &rest->blueprint->surfaces[plan->bone];
    sn_vec3 low, high;
    sn_mesh_bounds(rest->surfaces[plan->bone].mesh, &low, &high);
    sn_vec3 point = sn_vec3_add(low, sn_vec3_multiply(plan->at, sn_vec3_sub(high, low)));
    return bone->in_segment_frame ? sn_mat4_point(&rest->worlds[bone->segment], point) : point;
}

// The place itself is kept where it is given, also beside the bone's surface.
static sn_status attach_to_bone(sni_rest *rest, const char *name, sni_skin_search *searches,
                                const sni_attachment_plan *plan, sni_muscle_attachment *made,
                                sni_attachment_gap *gap, sn_error *error) {
    const sni_surface_plan *bone = &rest->blueprint->surfaces[plan->bone];
    const sni_skin_search *search = &searches[plan->bone];
    bool in_box = plan->frame == SNI_ATTACHED_IN_BOX;
    sn_status status = SN_OK;
    sn_vec3 low, high, point;
    sn_closest closest;
    SN_TRY(search_bone(rest, searches, plan->bone, error));
    if (search->side == 0 && in_box) {
        SN_TRY(sni_fail_value(error, plan->bone_value, SN_INVALID,
                              "the bone \"%s\" has no volume, so that it has no outer side",
                              bone->name));
    }
    if (in_box) {
        sn_mesh_bounds(rest->surfaces[plan->bone].mesh, &low, &high);
        point = sn_vec3_add(low, sn_vec3_multiply(plan->at, sn_vec3_sub(high, low)));
    } else {
        point = to_mesh(rest, bone, plan->at);
    }
    sn_vec3 normal = closest_normal(rest, bone, search, point, &closest);
    if (closest.triangle == SN_NONE) {
        SN_TRY(sni_fail_value(error, plan->value, SN_INVALID, "the bone \"%s\" has no surface",
                              bone->name));
    }
    *gap = (sni_attachment_gap){.distance = closest.distance, .size = search->size};
    report_gap(rest, name, bone->name, gap, in_box ? far_off_box : far_off_world);
    *made = (sni_muscle_attachment){
        .segment = bone->segment, .point = sni_attachment_point(rest, plan), .normal = normal};
cleanup:
    return status;
}

// A place that needs no bone; its normal is that of the closest bone of the segment, or none.
static sn_status attach_to_segment(sni_rest *rest, sni_skin_search *searches,
                                   const sni_attachment_plan *plan, sni_muscle_attachment *made,
                                   sn_error *error) {
    const sni_blueprint *blueprint = rest->blueprint;
    double best = INFINITY;
    sn_status status = SN_OK;
    *made = (sni_muscle_attachment){.segment = plan->segment,
                                    .point = sni_attachment_point(rest, plan)};
    for (uint32_t i = 0; i < blueprint->names[SNI_SECTION_BONES].count; ++i) {
        const sni_surface_plan *bone = &blueprint->surfaces[i];
        sn_closest closest;
        if (bone->segment != made->segment || rest->surfaces[i].mesh == NULL) {
            continue;
        }
        SN_TRY(search_bone(rest, searches, i, error));
        sn_vec3 point = to_mesh(rest, bone, made->point);
        sn_vec3 normal = closest_normal(rest, bone, &searches[i], point, &closest);
        if (closest.triangle != SN_NONE && closest.distance < best) {
            best = closest.distance;
            made->normal = normal;
        }
    }
cleanup:
    return status;
}

sn_status sni_attachment_make(const sni_collecting *collecting, const sni_attachment_plan *plan,
                              sni_muscle_attachment *made, sni_attachment_gap *gap,
                              sn_error *error) {
    *gap = (sni_attachment_gap){0};
    return plan->bone != SN_NONE
               ? attach_to_bone(collecting->rest, collecting->name, collecting->searches, plan,
                                made, gap, error)
               : attach_to_segment(collecting->rest, collecting->searches, plan, made, error);
}

static sn_status make_attachments(const sni_collecting *collecting, uint32_t count,
                                  const sni_attachment_plan *plans,
                                  const sni_muscle_attachment **made, sni_attachment_gap *gaps,
                                  sn_error *error) {
    sni_muscle_attachment *attachments =
        sni_arena_alloc(collecting->arena, count, sizeof *attachments);
    sn_status status = attachments != NULL ? SN_OK : sni_fail_memory(error);
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        status = sni_attachment_make(collecting, &plans[i], &attachments[i], &gaps[i], error);
    }
    *made = attachments;
    return status;
}

// --- Pivots

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
static bool find_joint(const sni_rest *rest, const sni_muscle_body *body, sn_vec3 point,
                       sn_vec3 *joint) {
    const sn_skeleton *skeleton = sni_rig_skeleton(rest->blueprint->rig);
    uint32_t a = body->origins[0].segment, b = body->insertions[0].segment;
    double closest = INFINITY;
    while (a != b) {
        // Up from the deeper one; the common ancestor itself is no joint of the way.
        uint32_t *deeper = depth_of(skeleton, a) > depth_of(skeleton, b) ? &a : &b;
        sn_vec3 candidate = origin_of(&rest->worlds[*deeper]);
        double distance = sn_vec3_distance(candidate, point);
        if (distance < closest) {
            closest = distance;
            *joint = candidate;
        }
        *deeper = skeleton->segments[*deeper].parent;
    }
    return closest < INFINITY;
}

static double unit_of(const sni_rest *rest, bool in_sizes, uint32_t segment) {
    return in_sizes ? rest->segment_sizes[segment] : 1;
}

static sn_status make_pivot(const sni_rest *rest, const sni_muscle_body *body,
                            const sni_pivot_plan *plan, sni_muscle_pivot *pivot, sn_error *error) {
    sni_muscle_pivot_place at_rest =
        sni_pivot_find(plan, unit_of(rest, plan->in_sizes, plan->segment), &rest->pose);
    *pivot = (sni_muscle_pivot){.slice = plan->slice,
                                .segment = plan->segment,
                                .use = plan->use,
                                .at = at_rest.at,
                                .off = at_rest.off,
                                .halved = plan->half_of != SN_NONE,
                                .other = plan->half_of != SN_NONE ? plan->half_of : 0,
                                .turn = plan->turned ? &plan->turn : NULL};
    if (pivot->use != SNI_PIVOT_BENT) {
        return SN_OK;
    }
    sn_vec3 place = sn_mat4_point(&rest->worlds[pivot->segment], pivot->at);
    return find_joint(rest, body, place, &pivot->joint)
               ? SN_OK
               : sni_fail_value(error, plan->value, SN_INVALID,
                                "the pivot is used where the muscle is bent, but no joint lies "
                                "between its origins and insertions");
}

static sn_status make_pivots(const sni_rest *rest, const sni_muscle_body_plan *plan,
                             sni_arena *arena, sni_muscle_body *body, sn_error *error) {
    sni_muscle_pivot *pivots = sni_arena_alloc(arena, plan->pivot_count, sizeof *pivots);
    sn_status status = pivots != NULL ? SN_OK : sni_fail_memory(error);
    for (uint32_t i = 0; i < plan->pivot_count && status == SN_OK; ++i) {
        status = make_pivot(rest, body, &plan->pivots[i], &pivots[i], error);
    }
    body->pivot_count = plan->pivot_count;
    body->pivots = pivots;
    return status;
}

// --- Bodies to go around

static sn_status make_wraps(const sni_rest *rest, const sni_muscle_body_plan *plan,
                            sni_arena *arena, sni_muscle_body *body, sn_error *error) {
    sni_muscle_wrap *wraps = sni_arena_alloc(arena, plan->wrap_count, sizeof *wraps);
    if (wraps == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < plan->wrap_count; ++i) {
        const sni_wrap_plan *wrap = &plan->wraps[i];
        double unit = unit_of(rest, wrap->in_sizes, wrap->wrap.segment);
        wraps[i] = wrap->wrap;
        wraps[i].center = sn_vec3_scale(wrap->wrap.center, unit);
        wraps[i].radii = sn_vec3_scale(wrap->wrap.radii, unit);
        wraps[i].length = unit * wrap->wrap.length;
        wraps[i].ring = unit * wrap->wrap.ring;
    }
    body->wrap_count = plan->wrap_count;
    body->wraps = wraps;
    return SN_OK;
}

sn_status sni_muscle_body_make(const sni_collecting *collecting, const sni_muscle_body_plan *plan,
                               sni_muscle_body *body, sni_attachment_gap *gaps, sn_error *error) {
    sni_rest *rest = collecting->rest;
    sni_arena *arena = collecting->arena;
    uint32_t count = plan->attachment_count;
    *body = (sni_muscle_body){.origin_count = count,
                              .insertion_count = count,
                              .section_count = plan->section_count,
                              .sections = plan->sections,
                              .shape_count = plan->shape_count,
                              .shapes = plan->shapes};
    sn_status status = SN_OK;
    SN_TRY(make_attachments(collecting, count, plan->origins, &body->origins, gaps, error));
    SN_TRY(make_attachments(collecting, count, plan->insertions, &body->insertions, gaps + count,
                            error));
    SN_TRY(make_pivots(rest, plan, arena, body, error));
    SN_TRY(make_wraps(rest, plan, arena, body, error));
cleanup:
    return status;
}

// --- Of a muscle

static const void *find_bodies(const sni_input_use *uses, const void *const *blocks) {
    static const sni_input *const inputs[] = {&sni_input_ends, &sni_input_body, &sni_input_fibres,
                                              &sni_input_strips};
    const void *found = NULL;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs && found == NULL; ++i) {
        found = sni_input_find(uses, blocks, inputs[i]);
    }
    return found;
}

const sni_bodies_plan *sni_muscle_bodies(const sni_muscle_plan *plan) {
    return find_bodies(plan->ops->inputs, (const void *const *)plan->inputs);
}

const sni_attachment_gap *sni_muscle_gaps(const sni_bound_muscle *muscle) {
    return find_bodies(muscle->ops->inputs, (const void *const *)muscle->kept);
}
