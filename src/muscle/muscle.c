// SPDX-License-Identifier: Apache-2.0
//
// What all muscles share: finding their kinds, what their jobs must be like, places on the skin.
#include "muscle/muscle.h"

#include <math.h>
#include <string.h>

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

sn_status sni_muscle_job_validate(const sni_muscle_ops *ops, const sni_muscle_job *job,
                                  sn_error *error) {
    sni_checking checking = {
        .kind = name_of(job), .segment_count = job->segment_count, .rest_worlds = job->rest_worlds};
    sn_status status = SN_OK;
    if (job->context == NULL || (job->parameters == NULL && ops->parameters.count > 0)) {
        return sni_fail(error, SN_INVALID, "%s: no %s", name_of(job),
                        job->context == NULL ? "context" : "parameters");
    }
    if (job->segment_count > 0 && job->rest_worlds == NULL) {
        return sni_fail(error, SN_INVALID, "%s: no rest matrices", name_of(job));
    }
    SN_TRY(sni_parameters_validate(&ops->parameters, name_of(job), job->parameters, error));
    SN_TRY(sni_inputs_validate(ops->inputs, &checking, job->inputs, error));
cleanup:
    return status;
}

sn_status sni_mesh_copy_named(const sn_mesh *mesh, const char *name, sn_mesh **copy,
                              sn_error *error) {
    char *own = sni_string_copy(mesh->context, name);
    sn_status status = own != NULL ? sn_mesh_copy(mesh, copy, error) : sni_fail_memory(error);
    if (status == SN_OK) {
        char *given = (*copy)->name;
        (*copy)->name = own;
        own = given;
    }
    sni_free(mesh->context, own);
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
