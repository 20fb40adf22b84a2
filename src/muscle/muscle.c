// SPDX-License-Identifier: Apache-2.0
//
// What all muscles share: finding their kinds, what their jobs must be like, places on the skin.
#include "muscle/muscle.h"

#include <math.h>
#include <string.h>

// How far a barycentric coordinate may miss its range by rounding.
static const double barycentric_slack = 1e-6;

uint32_t sni_muscle_kind_count(void) {
    uint32_t count = 0;
    while (sni_muscle_kinds[count] != NULL) {
        ++count;
    }
    return count;
}

const sni_muscle_ops *sni_muscle_ops_of(uint32_t kind) {
    return kind < sni_muscle_kind_count() ? sni_muscle_kinds[kind] : NULL;
}

const sni_muscle_ops *sni_muscle_find(const char *name) {
    for (uint32_t i = 0; sni_muscle_kinds[i] != NULL; ++i) {
        if (strcmp(sni_muscle_kinds[i]->name, name) == 0) {
            return sni_muscle_kinds[i];
        }
    }
    return NULL;
}

static const char *name_of(const sni_muscle_job *job) {
    return job->name != NULL ? job->name : "muscle";
}

static sn_status validate_parameters(const sni_muscle_ops *ops, const sni_muscle_job *job,
                                     sn_error *error) {
    return sni_parameters_validate(&ops->parameters, name_of(job), job->parameters, error);
}

static sn_status validate_place(const sni_muscle_job *job, uint32_t curve, uint32_t index,
                                sn_error *error) {
    const sni_skin_place *place = &job->curves[curve].places[index];
    if (place->triangle >= job->triangles->count) {
        return sni_fail(error, SN_INVALID,
                        "%s: curve %u leaves the surface: point %u is on triangle %u, but there "
                        "are %u",
                        name_of(job), curve + 1, index + 1, place->triangle, job->triangles->count);
    }
    double sum = 0;
    bool inside = true;
    for (int i = 0; i < 3; ++i) {
        double b = place->barycentric[i];
        inside = inside && b >= -barycentric_slack && b <= 1 + barycentric_slack;
        sum += b;
    }
    if (!inside || fabs(sum - 1) > barycentric_slack) {
        return sni_fail(error, SN_INVALID,
                        "%s: curve %u leaves the surface: point %u has barycentric coordinates "
                        "%g %g %g",
                        name_of(job), curve + 1, index + 1, place->barycentric[0],
                        place->barycentric[1], place->barycentric[2]);
    }
    return SN_OK;
}

static sn_status validate_curves(const sni_muscle_job *job, sn_error *error) {
    for (uint32_t curve = 0; curve < job->curve_count; ++curve) {
        for (uint32_t i = 0; i < job->curves[curve].count; ++i) {
            sn_status status = validate_place(job, curve, i, error);
            if (status != SN_OK) {
                return status;
            }
        }
    }
    return SN_OK;
}

static sn_status validate_values(const sni_muscle_job *job, const sni_muscle_values *values,
                                 const char *what, sn_error *error) {
    for (uint32_t i = 0; i < values->count; ++i) {
        const sni_muscle_value *value = &values->values[i];
        if (!(value->u >= 0 && value->u <= 1 && value->v >= 0 && value->v <= 1)) {
            return sni_fail(error, SN_INVALID,
                            "%s: %s value %u is at (%g, %g), but places are from 0 to 1",
                            name_of(job), what, i + 1, value->u, value->v);
        }
        if (!(value->factor >= 0 && value->factor <= 100)) {
            return sni_fail(error, SN_INVALID, "%s: %s value %u is %g, but must be from 0 to 100",
                            name_of(job), what, i + 1, value->factor);
        }
    }
    return SN_OK;
}

static sn_status validate_carriers(const sni_muscle_job *job, sn_error *error) {
    if (job->segment_count > 0 && job->rest_worlds == NULL) {
        return sni_fail(error, SN_INVALID, "%s: no rest matrices", name_of(job));
    }
    if (job->segment != SN_NONE) {
        return job->segment < job->segment_count
                   ? SN_OK
                   : sni_fail(error, SN_INVALID, "%s: segment %u, but there are %u", name_of(job),
                              job->segment, job->segment_count);
    }
    const sn_weights *weights = job->bone_segments != NULL ? job->mesh->weights : NULL;
    for (uint32_t bone = 0; weights != NULL && bone < weights->bone_count; ++bone) {
        if (job->bone_segments[bone] >= job->segment_count) {
            return sni_fail(error, SN_INVALID, "%s: bone %u has segment %u, but there are %u",
                            name_of(job), bone, job->bone_segments[bone], job->segment_count);
        }
    }
    return SN_OK;
}

static sn_status validate_attachment(const sni_muscle_job *job, const char *what, uint32_t index,
                                     const sni_muscle_attachment *attachment, sn_error *error) {
    if (attachment->segment >= job->segment_count) {
        return sni_fail(error, SN_INVALID, "%s: %s %u has segment %u, but there are %u",
                        name_of(job), what, index + 1, attachment->segment, job->segment_count);
    }
    const sn_vec3 *p = &attachment->point, *n = &attachment->normal;
    if (!sn_vec3_is_finite(*p) || !sn_vec3_is_finite(*n)) {
        return sni_fail(error, SN_INVALID,
                        "%s: %s %u is at (%g, %g, %g), where the bone's normal is (%g, %g, %g)",
                        name_of(job), what, index + 1, p->x, p->y, p->z, n->x, n->y, n->z);
    }
    return SN_OK;
}

// What muscles between bones need of their job.
static sn_status validate_body(const sni_muscle_ops *ops, const sni_muscle_job *job,
                               sn_error *error) {
    const sni_muscle_body *body = job->body;
    sn_status status = SN_OK;
    if (job->context == NULL || job->parameters == NULL || body == NULL ||
        job->rest_worlds == NULL || body->origin_count != ops->attachments ||
        body->insertion_count != ops->attachments) {
        return sni_fail(error, SN_INVALID, "%s: the job lacks attachments or parameters",
                        name_of(job));
    }
    SN_TRY(validate_parameters(ops, job, error));
    for (uint32_t i = 0; i < ops->attachments; ++i) {
        SN_TRY(validate_attachment(job, "origin", i, &body->origins[i], error));
        SN_TRY(validate_attachment(job, "insertion", i, &body->insertions[i], error));
    }
cleanup:
    return status;
}

// What a surface on strips needs; the strips are looked at when they are made.
static sn_status validate_strips(const sni_muscle_ops *ops, const sni_muscle_job *job,
                                 sn_error *error) {
    if (job->context == NULL || job->mesh == NULL || job->triangles == NULL ||
        job->rest_worlds == NULL || job->strip_count == 0 || job->strips == NULL) {
        return sni_fail(error, SN_INVALID, "%s: the job lacks a surface or strips", name_of(job));
    }
    return validate_parameters(ops, job, error);
}

sn_status sni_muscle_job_validate(const sni_muscle_ops *ops, const sni_muscle_job *job,
                                  sn_error *error) {
    sni_checking checking = {
        .kind = name_of(job), .mesh = job->mesh, .rest_worlds = job->rest_worlds};
    sn_status status = sni_inputs_validate(ops->inputs, &checking, job->inputs, error);
    if (status != SN_OK) {
        return status;
    }
    if (!ops->drawn && !ops->has_strips && ops->attachments == 0) {
        return sni_parameters_validate(&ops->parameters, name_of(job), job->parameters, error);
    }
    if (ops->has_strips) {
        return validate_strips(ops, job, error);
    }
    if (ops->attachments > 0) {
        return validate_body(ops, job, error);
    }
    if (job->context == NULL || job->mesh == NULL || job->triangles == NULL || job->accel == NULL ||
        job->normals == NULL || job->parameters == NULL) {
        return sni_fail(error, SN_INVALID, "%s: the job lacks skin or parameters", name_of(job));
    }
    SN_TRY(validate_parameters(ops, job, error));
    SN_TRY(validate_curves(job, error));
    SN_TRY(validate_carriers(job, error));
    if (job->center != NULL && !sn_vec3_is_finite(*job->center)) {
        SN_TRY(sni_fail(error, SN_INVALID, "%s: its center is (%g, %g, %g)", name_of(job),
                        job->center->x, job->center->y, job->center->z));
    }
    SN_TRY(validate_values(job, &job->bulge, "bulge", error));
    SN_TRY(validate_values(job, &job->thickness, "thickness", error));
    SN_TRY(validate_values(job, &job->contraction, "contraction", error));
cleanup:
    return status;
}

sn_vec3 sni_skin_place_point(const sn_mesh *mesh, const sn_triangles *triangles,
                             const sni_skin_place *place) {
    const uint32_t *vertices = triangles->vertices + 3 * (size_t)place->triangle;
    sn_vec3 point = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        sn_vec3 corner = sn_vec3_load(mesh->positions + 3 * (size_t)vertices[i]);
        point = sn_vec3_add_scaled(point, place->barycentric[i], corner);
    }
    return point;
}

bool sni_skin_place_find(const sn_accel *accel, sn_vec3 point, double radius,
                         sni_skin_place *place) {
    sn_closest closest;
    sn_accel_find_closest(accel, point, radius, &closest);
    if (closest.triangle == SN_NONE) {
        return false;
    }
    place->triangle = closest.triangle;
    memcpy(place->barycentric, closest.barycentric, sizeof place->barycentric);
    return true;
}

sn_status sni_skin_places_mirror(const sn_mesh *mesh, const sn_triangles *triangles,
                                 const sn_accel *accel, sn_vec3 origin, sn_vec3 normal,
                                 double tolerance, uint32_t count, const sni_skin_place *places,
                                 sni_skin_place *mirrored, double *largest_gap, sn_error *error) {
    double largest = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 p = sni_skin_place_point(mesh, triangles, &places[i]);
        double side = sn_vec3_dot(sn_vec3_sub(p, origin), normal);
        sn_vec3 image = sn_vec3_add_scaled(p, -2 * side, normal);
        if (!sni_skin_place_find(accel, image, tolerance, &mirrored[i])) {
            return sni_fail(error, SN_INVALID,
                            "point %u, mirrored to (%g, %g, %g), is further than %g from the skin",
                            i + 1, image.x, image.y, image.z, tolerance);
        }
        sn_vec3 found = sni_skin_place_point(mesh, triangles, &mirrored[i]);
        largest = fmax(largest, sn_vec3_distance(found, image));
    }
    if (largest_gap != NULL) {
        *largest_gap = largest;
    }
    return SN_OK;
}
