// SPDX-License-Identifier: Apache-2.0
//
// Bodies that a cylinder muscle goes around: what they must be like.
#include "muscle/cylinder/cylinder.h"

#include <math.h>

static sn_status check_slices(const sni_muscle_job *job, uint32_t index, const sni_cylinder *c,
                              sn_error *error) {
    const sni_muscle_wrap *wrap = &sni_job_body(job)->wraps[index];
    uint32_t last = c->rings.slice_count - 2;
    if (wrap->first == 0 || wrap->last > last || wrap->first > wrap->last) {
        return sni_fail(error, SN_INVALID,
                        "%s: it goes around body %u with slices %u to %u, but they must rise, from "
                        "1 to %u",
                        job->name, index + 1, wrap->first, wrap->last, last);
    }
    for (uint32_t k = 0; k < index; ++k) {
        const sni_muscle_wrap *other = &sni_job_body(job)->wraps[k];
        if (wrap->first <= other->last && other->first <= wrap->last) {
            return sni_fail(error, SN_INVALID,
                            "%s: it goes around bodies %u and %u with common slices, %u to %u and "
                            "%u to %u",
                            job->name, k + 1, index + 1, other->first, other->last, wrap->first,
                            wrap->last);
        }
    }
    for (uint32_t k = 1; k + 1 < c->node_count; ++k) {
        if (c->nodes[k].slice >= wrap->first && c->nodes[k].slice <= wrap->last) {
            return sni_fail(error, SN_INVALID,
                            "%s: it goes around body %u with slices %u to %u, but slice %u stands "
                            "on a pivot",
                            job->name, index + 1, wrap->first, wrap->last, c->nodes[k].slice);
        }
    }
    return SN_OK;
}

static bool is_size(double value) {
    return value > 0 && isfinite(value);
}

static sn_status check_wrap(const sni_muscle_job *job, uint32_t index, const sni_cylinder *c,
                            sn_error *error) {
    const sni_muscle_wrap *wrap = &sni_job_body(job)->wraps[index];
    bool ellipsoid = wrap->shape == SNI_WRAP_ELLIPSOID, cylinder = wrap->shape == SNI_WRAP_CYLINDER;
    if (wrap->segment >= job->segment_count) {
        return sni_fail(error, SN_INVALID, "%s: body %u has segment %u, but there are %u",
                        job->name, index + 1, wrap->segment, job->segment_count);
    }
    if (!is_size(wrap->radii.x) || (ellipsoid && !is_size(wrap->radii.y)) ||
        (ellipsoid && !is_size(wrap->radii.z)) || (cylinder && !(wrap->length > 0))) {
        return sni_fail(error, SN_INVALID,
                        "%s: body %u has radii (%g, %g, %g) and length %g, but they must be above "
                        "0",
                        job->name, index + 1, wrap->radii.x, wrap->radii.y, wrap->radii.z,
                        wrap->length);
    }
    if (!sn_vec3_is_finite(wrap->center)) {
        return sni_fail(error, SN_INVALID, "%s: body %u is at (%g, %g, %g)", job->name, index + 1,
                        wrap->center.x, wrap->center.y, wrap->center.z);
    }
    if (wrap->shape == SNI_WRAP_TORUS && !is_size(wrap->ring)) {
        return sni_fail(error, SN_INVALID,
                        "%s: body %u has a ring of radius %g, but it must be "
                        "above 0",
                        job->name, index + 1, wrap->ring);
    }
    if (wrap->shape == SNI_WRAP_TORUS && wrap->method == SNI_WRAP_SMOOTH) {
        return sni_fail(error, SN_INVALID,
                        "%s: body %u is a torus, which only OpenSim's methods go around", job->name,
                        index + 1);
    }
    if (wrap->ranged && wrap->range[0] >= wrap->range[1]) {
        return sni_fail(error, SN_INVALID,
                        "%s: body %u acts between slices %u and %u, but they must rise", job->name,
                        index + 1, wrap->range[0], wrap->range[1]);
    }
    if (wrap->side < -3 || wrap->side > 3 || (cylinder && (wrap->side == 3 || wrap->side == -3))) {
        return sni_fail(error, SN_INVALID,
                        "%s: body %u is a cylinder about z, which has no side along it", job->name,
                        index + 1);
    }
    return check_slices(job, index, c, error);
}

static sni_cylinder_wrap wrap_of(const sni_muscle_wrap *given) {
    const sn_vec3 *radii = &given->radii;
    bool round = given->shape != SNI_WRAP_ELLIPSOID;
    return (sni_cylinder_wrap){
        .first = given->first,
        .last = given->last,
        .ranged = given->ranged,
        .segment = given->segment,
        .body = {.shape = given->shape,
                 .method = given->method,
                 .center = given->center,
                 .axes = {sn_quat_rotate(given->turn, sn_vec3_make(1, 0, 0)),
                          sn_quat_rotate(given->turn, sn_vec3_make(0, 1, 0)),
                          sn_quat_rotate(given->turn, sn_vec3_make(0, 0, 1))},
                 .radii = {radii->x, round ? radii->x : radii->y, round ? radii->x : radii->z},
                 .ring = given->ring,
                 .half_length = given->length / 2,
                 .side = given->side}};
}

// The outermost nodes within the range of a body.
static void find_range(const sni_cylinder *c, const sni_muscle_wrap *given,
                       sni_cylinder_wrap *wrap) {
    wrap->nodes[1] = c->node_count - 1;
    while (wrap->nodes[0] < wrap->nodes[1] && c->nodes[wrap->nodes[0]].slice < given->range[0]) {
        ++wrap->nodes[0];
    }
    while (wrap->nodes[1] > wrap->nodes[0] && c->nodes[wrap->nodes[1]].slice > given->range[1]) {
        --wrap->nodes[1];
    }
}

// They are found in the order in which they are given if any has a range, else by slice.
sn_status sni_cylinder_take_wraps(const sni_muscle_job *job, sni_cylinder *c, sn_error *error) {
    const sni_muscle_body *body = sni_job_body(job);
    bool ranged = false;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(job->context, c->wraps, body->wrap_count);
    for (uint32_t i = 0; i < body->wrap_count; ++i) {
        SN_TRY(check_wrap(job, i, c, error));
        ranged = ranged || body->wraps[i].ranged;
    }
    for (uint32_t i = 0; i < body->wrap_count; ++i) {
        uint32_t place = c->wrap_count++;
        for (; !ranged && place > 0 && c->wraps[place - 1].first > body->wraps[i].first; --place) {
            c->wraps[place] = c->wraps[place - 1];
        }
        c->wraps[place] = wrap_of(&body->wraps[i]);
        find_range(c, &body->wraps[i], &c->wraps[place]);
    }
cleanup:
    return status;
}
