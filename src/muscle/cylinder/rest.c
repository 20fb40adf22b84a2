// SPDX-License-Identifier: Apache-2.0
//
// What a cylinder muscle is made from: attachments in order, pivots, and the standard fusiform
// shape (section 4.2 of the paper), with what the user changed (section 4.3, Table 1).
#include "muscle/cylinder/cylinder.h"

#include <math.h>

// The standard belly: as wide as the ends are on the mean and this part of the length more, and
// flatter than wide; ends are flatter still. Chosen by eye on the muscles of the arm.
static const double belly_of_length = 0.12;
static const double thickness_of_width = 0.6;
static const double end_thickness = 0.5; // of the end's width, and at most of the belly's thickness

// Attachments closer together than this part of the muscle's length have no direction between them.
static const double coincident = 1e-6;

// --- Pivots

static sn_status check_pivot(const sni_muscle_job *job, uint32_t index, uint32_t slice_count,
                             sn_error *error) {
    const sni_muscle_pivot *pivot = &sni_job_body(job)->pivots[index];
    if (pivot->slice == 0 || pivot->slice + 1 >= slice_count) {
        return sni_fail(error, SN_INVALID,
                        "%s: pivot %u is on slice %u, but must be on one between the ends, 1 to %u",
                        job->name, index + 1, pivot->slice, slice_count - 2);
    }
    if (pivot->segment >= job->segment_count) {
        return sni_fail(error, SN_INVALID, "%s: pivot %u has segment %u, but there are %u",
                        job->name, index + 1, pivot->segment, job->segment_count);
    }
    if (pivot->halved && pivot->other >= job->segment_count) {
        return sni_fail(error, SN_INVALID,
                        "%s: pivot %u is halved with segment %u, but there are %u", job->name,
                        index + 1, pivot->other, job->segment_count);
    }
    if (!sn_vec3_is_finite(pivot->at) || !sn_vec3_is_finite(pivot->joint)) {
        return sni_fail(error, SN_INVALID, "%s: pivot %u is at (%g, %g, %g)", job->name, index + 1,
                        pivot->at.x, pivot->at.y, pivot->at.z);
    }
    for (uint32_t k = 0; k < index; ++k) {
        if (sni_job_body(job)->pivots[k].slice == pivot->slice) {
            return sni_fail(error, SN_INVALID, "%s: pivots %u and %u are on the same slice %u",
                            job->name, k + 1, index + 1, pivot->slice);
        }
    }
    return SN_OK;
}

static sn_status set_pivot(const sni_muscle_job *job, uint32_t index, sni_cylinder_node *node,
                           sn_error *error) {
    const sni_muscle_pivot *pivot = &sni_job_body(job)->pivots[index];
    *node = (sni_cylinder_node){.slice = pivot->slice,
                                .is_pivot = true,
                                .bent = pivot->use == SNI_PIVOT_BENT,
                                .ranged = pivot->use == SNI_PIVOT_RANGE,
                                .off = pivot->off,
                                .pivot = index,
                                .turned = pivot->turn != NULL,
                                .segment = pivot->segment,
                                .at = pivot->at,
                                .halved = pivot->halved,
                                .other = pivot->other};
    if (node->halved) {
        sn_quat own = sn_mat4_rotation(&job->rest_worlds[pivot->segment]);
        sn_quat other = sn_mat4_rotation(&job->rest_worlds[pivot->other]);
        node->rest_turn = sn_quat_multiply(sn_quat_conjugate(other), own);
    }
    if (node->turned) {
        node->x = sn_quat_rotate(*pivot->turn, sn_vec3_make(1, 0, 0));
        node->z = sn_quat_rotate(*pivot->turn, sn_vec3_make(0, 0, 1));
    }
    if (!node->bent) {
        return SN_OK;
    }
    sn_vec3 joint;
    sn_status status = sni_carry_point(job, pivot->segment, pivot->joint, &joint, error);
    if (status != SN_OK) {
        return status;
    }
    node->outward = sn_vec3_sub(pivot->at, joint);
    node->reach =
        sn_vec3_length(sn_mat4_direction(&job->rest_worlds[pivot->segment], node->outward)) / 2;
    return node->reach > 0
               ? SN_OK
               : sni_fail(error, SN_INVALID,
                          "%s: pivot %u lies in the joint, so that no side of it is the outer one",
                          job->name, index + 1);
}

// Nodes by rising slice; pivots that are never used are left out.
static sn_status make_nodes(const sni_muscle_job *job, sni_cylinder *c, sn_error *error) {
    const sni_muscle_body *body = sni_job_body(job);
    sn_status status = SN_OK;
    SNI_NEW_ZERO(job->context, c->nodes, (size_t)body->pivot_count + 2);
    for (uint32_t i = 0; i < body->pivot_count; ++i) {
        SN_TRY(check_pivot(job, i, c->rings.slice_count, error));
    }
    uint32_t count = 1;
    for (uint32_t slice = 1; slice + 1 < c->rings.slice_count; ++slice) {
        for (uint32_t i = 0; i < body->pivot_count; ++i) {
            if (body->pivots[i].slice == slice && body->pivots[i].use != SNI_PIVOT_NEVER) {
                SN_TRY(set_pivot(job, i, &c->nodes[count++], error));
            }
        }
    }
    c->nodes[count].slice = c->rings.slice_count - 1;
    c->node_count = count + 1;
cleanup:
    return status;
}

// --- Attachments

static void swap_places(sni_carried_place *places) {
    sni_carried_place first = places[0];
    places[0] = places[1];
    places[1] = first;
}

// Puts the two attachments of each end into the order that makes -y point away from the bones, and
// the insertions' x agree with the origins'. Mirrored bones then give the mirrored muscle.
static void order_places(const sni_muscle_job *job, sni_cylinder *c) {
    const sni_muscle_attachment *o = sni_job_body(job)->origins, *i = sni_job_body(job)->insertions;
    sn_vec3 way =
        sn_vec3_sub(sn_vec3_add(i[0].point, i[1].point), sn_vec3_add(o[0].point, o[1].point));
    sn_vec3 z = sn_vec3_normalize_or(way, sn_vec3_make(0, 0, 0));
    sn_vec3 outward =
        sn_vec3_add(sn_vec3_add(o[0].normal, o[1].normal), sn_vec3_add(i[0].normal, i[1].normal));
    sn_vec3 ox = sn_vec3_sub(o[1].point, o[0].point), ix = sn_vec3_sub(i[1].point, i[0].point);
    if (sn_vec3_dot(sn_vec3_cross(z, ox), outward) > 0) { // y = z x x points outwards
        swap_places(c->places[0]);
        ox = sn_vec3_scale(ox, -1);
    }
    if (sn_vec3_dot(sni_across(ix, z), sni_across(ox, z)) < 0) {
        swap_places(c->places[1]);
    }
}

// Whether it is known where outwards is: from the bones, or from given sections.
static bool has_outside(const sni_muscle_body *body) {
    double normals = 0;
    for (int k = 0; k < 2; ++k) {
        normals += sn_vec3_length(body->origins[k].normal);
        normals += sn_vec3_length(body->insertions[k].normal);
    }
    return normals > 0 || body->section_count > 0;
}

static sn_status check_apart(const sni_muscle_job *job, const sni_muscle_attachment *two,
                             const char *what, double length, sn_error *error) {
    double apart = sn_vec3_distance(two[0].point, two[1].point);
    return apart > coincident * length
               ? SN_OK
               : sni_fail(error, SN_INVALID,
                          "%s: its two %s are at the same place, so that it has no width there; "
                          "move them apart, or make it an \"ellipsoid\"",
                          job->name, what);
}

static sn_status make_places(const sni_muscle_job *job, sni_cylinder *c, sn_error *error) {
    const sni_muscle_body *body = sni_job_body(job);
    sn_status status = SN_OK;
    for (uint32_t k = 0; k < 2; ++k) {
        SN_TRY(sni_carry_attachment(job, &body->origins[k], &c->places[0][k], error));
        SN_TRY(sni_carry_attachment(job, &body->insertions[k], &c->places[1][k], error));
    }
    c->home = body->origins[0].segment;
    if (job->parameters[SNI_CYLINDER_ORDER] == 0) {
        order_places(job, c);
    }
cleanup:
    return status;
}

// --- Slices

static double between(double a, double b, double t) {
    return a + t * (b - a);
}

// Metres per unit of the sizes that are given.
static double unit_of(const sni_muscle_job *job, double length) {
    return job->parameters[SNI_CYLINDER_SIZES] == SNI_SIZES_LENGTH ? length : 1;
}

static void make_standard_slices(const sni_muscle_job *job, double length, sni_cylinder *c) {
    const sni_muscle_body *body = sni_job_body(job);
    double first = sn_vec3_distance(body->origins[0].point, body->origins[1].point);
    double last = sn_vec3_distance(body->insertions[0].point, body->insertions[1].point);
    double unit = unit_of(job, length);
    double width = unit * job->parameters[SNI_CYLINDER_WIDTH];
    double thickness = unit * job->parameters[SNI_CYLINDER_THICKNESS];
    width = width > 0 ? width : (first + last) / 2 + belly_of_length * length;
    thickness = thickness > 0 ? thickness : thickness_of_width * width;
    double first_thickness = end_thickness * fmin(first, thickness);
    double last_thickness = end_thickness * fmin(last, thickness);
    for (uint32_t i = 0; i < c->rings.slice_count; ++i) {
        double t = (double)i / (c->rings.slice_count - 1);
        // Fusiform: 1 in the middle, with thin tendons at the ends, where it begins flat.
        double belly = i > 0 && i + 1 < c->rings.slice_count ? pow(sin(SN_PI * t), 1.5) : 0;
        c->slices[i] = (sni_cylinder_slice){
            .width = between(first, last, t) + belly * (width - (first + last) / 2),
            .thickness = between(first_thickness, last_thickness, t) +
                         belly * (thickness - (first_thickness + last_thickness) / 2),
            .x = {1, 0, 0},
            .y = {0, 1, 0},
            .outward = {0, -1, 0}};
    }
}

static sn_status check_shape(const sni_muscle_job *job, uint32_t index, uint32_t slice_count,
                             sn_error *error) {
    const sni_muscle_slice_shape *shape = &sni_job_body(job)->shapes[index];
    const sn_vec3 *move = &shape->move, *turn = &shape->turn;
    if (shape->slice >= slice_count) {
        return sni_fail(error, SN_INVALID, "%s: shape %u is for slice %u, but the last one is %u",
                        job->name, index + 1, shape->slice, slice_count - 1);
    }
    if (!(shape->scale[0] > 0 && shape->scale[1] > 0 && isfinite(shape->scale[0]) &&
          isfinite(shape->scale[1]) && sn_vec3_is_finite(*move) && sn_vec3_is_finite(*turn))) {
        return sni_fail(error, SN_INVALID,
                        "%s: shape %u scales by (%g, %g), moves by (%g, %g, %g) and turns by "
                        "(%g, %g, %g), but scales must be above 0",
                        job->name, index + 1, shape->scale[0], shape->scale[1], move->x, move->y,
                        move->z, turn->x, turn->y, turn->z);
    }
    bool is_end = shape->slice == 0 || shape->slice + 1 == slice_count;
    if (is_end && (sn_vec3_length(*move) > 0 || turn->y != 0 || turn->z != 0)) {
        return sni_fail(error, SN_INVALID,
                        "%s: shape %u is for slice %u, which the bones hold: it cannot be moved, "
                        "and turned about x only",
                        job->name, index + 1, shape->slice);
    }
    for (uint32_t k = 0; k < index; ++k) {
        if (sni_job_body(job)->shapes[k].slice == shape->slice) {
            return sni_fail(error, SN_INVALID, "%s: shapes %u and %u are for the same slice %u",
                            job->name, k + 1, index + 1, shape->slice);
        }
    }
    return SN_OK;
}

static sn_status change_slices(const sni_muscle_job *job, sni_cylinder *c, sn_error *error) {
    for (uint32_t i = 0; i < sni_job_body(job)->shape_count; ++i) {
        sn_status status = check_shape(job, i, c->rings.slice_count, error);
        if (status != SN_OK) {
            return status;
        }
        const sni_muscle_slice_shape *shape = &sni_job_body(job)->shapes[i];
        sni_cylinder_slice *slice = &c->slices[shape->slice];
        slice->width *= shape->scale[0];
        slice->thickness *= shape->scale[1];
        slice->move = sn_vec3_scale(shape->move, unit_of(job, c->rest_length));
        sn_quat turn = sn_quat_from_euler(shape->turn, SN_ROTATION_XYZ);
        slice->x = sn_quat_rotate(turn, slice->x);
        slice->y = sn_quat_rotate(turn, slice->y);
    }
    return SN_OK;
}

// The first point is the outermost, so that a ring is its own mirror image.
static sn_status make_circle(const sni_muscle_job *job, sni_cylinder *c, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(job->context, c->circle, 2 * (size_t)c->rings.ring_count);
    for (uint32_t j = 0; j < c->rings.ring_count; ++j) {
        double angle = 2 * SN_PI * j / c->rings.ring_count;
        c->circle[2 * (size_t)j] = sin(angle);
        c->circle[2 * (size_t)j + 1] = cos(angle);
    }
cleanup:
    return status;
}

// --- All together

static sn_status rest_path(const sni_muscle_job *job, sni_arena *arena, sni_cylinder *c,
                           sni_cylinder_path *path, sn_error *error) {
    if (!sni_cylinder_path_init(c, arena, path)) {
        return sni_fail_memory(error);
    }
    sni_cylinder_find_rest(c, job->rest_worlds, path);
    return path->length > 0 && isfinite(path->length)
               ? SN_OK
               : sni_fail(error, SN_INVALID,
                          "%s: it has no length: its origins and insertions are at the same place",
                          job->name);
}

sn_status sni_cylinder_design(const sni_muscle_job *job, sni_arena *arena, sni_cylinder *c,
                              sn_error *error) {
    const double *parameters = job->parameters;
    sni_cylinder_path path;
    double area;
    sn_status status = SN_OK;
    c->rings.slice_count = (uint32_t)parameters[SNI_CYLINDER_SLICES];
    c->rings.ring_count = (uint32_t)parameters[SNI_CYLINDER_POINTS];
    c->segment_count = job->segment_count;
    c->exact = parameters[SNI_CYLINDER_VOLUME] == 1;
    c->lift = has_outside(sni_job_body(job)) ? parameters[SNI_CYLINDER_LIFT] : 0;
    SN_TRY(make_nodes(job, c, error));
    SN_TRY(sni_cylinder_take_wraps(job, c, error));
    c->rings.node_count = c->node_count + 3 * c->wrap_count;
    SN_TRY(make_places(job, c, error));
    SN_TRY(rest_path(job, arena, c, &path, error));
    SN_TRY(check_apart(job, sni_job_body(job)->origins, "origins", path.length, error));
    SN_TRY(check_apart(job, sni_job_body(job)->insertions, "insertions", path.length, error));
    SNI_NEW(job->context, c->slices, c->rings.slice_count);
    if (sni_job_body(job)->section_count > 0) {
        SN_TRY(sni_cylinder_take_sections(job, &path, c, error));
    } else {
        make_standard_slices(job, path.length, c);
        SN_TRY(change_slices(job, c, error));
    }
    SN_TRY(make_circle(job, c, error));
    SNI_NEW(job->context, c->points, 3 * (size_t)sni_rings_point_count(&c->rings));
    sni_cylinder_shape(c, &path, 1, c->points);
    sni_rings_measure(&c->rings, c->points, &c->rest_volume, &area);
    if (!(c->rest_volume > 0)) {
        SN_TRY(sni_fail(error, SN_INVALID, "%s: it has no volume at rest (%g m3): it is folded",
                        job->name, c->rest_volume));
    }
    path.scale = 1;
    sni_cylinder_write(c, &path, 1, c->points);
cleanup:
    return status;
}
