// SPDX-License-Identifier: Apache-2.0
//
// Making a cylinder and posing it, from its parts.
#include "muscle/cylinder/cylinder.h"

#include "base/context.h"

#include <string.h>

void sni_cylinder_destroy(sn_context *context, sni_cylinder *c) {
    if (c != NULL) {
        sni_free(context, c->name);
        sni_free(context, c->nodes);
        sni_free(context, c->wraps);
        sni_free(context, c->slices);
        sni_free(context, c->circle);
        sni_free(context, c->points);
        sni_free(context, c->knots);
        sni_free(context, c);
    }
}

sn_status sni_cylinder_create(const sni_muscle_job *job, sni_cylinder **cylinder, sn_error *error) {
    sn_status status = SN_OK;
    sni_cylinder *c = NULL;
    sni_muscle_job named = *job;
    sni_arena arena;
    *cylinder = NULL;
    sni_arena_init(&arena, job->context);
    SN_TRY(sni_muscle_job_validate(&sni_muscle_cylinder, job, error));
    named.name = job->name != NULL ? job->name : "muscle";
    SNI_NEW_ZERO(job->context, c, 1);
    c->name = sni_string_copy(job->context, named.name);
    SN_TRY(c->name != NULL ? SN_OK : sni_fail_memory(error));
    SN_TRY(sni_cylinder_design(&named, &arena, c, error));
    SN_TRY(sni_rings_knots_create(&c->rings, job->context, &c->knots, error));
    *cylinder = c;
    c = NULL;
cleanup:
    sni_cylinder_destroy(job->context, c);
    sni_arena_deinit(&arena);
    return status;
}

sn_status sni_cylinder_place(const sni_cylinder *c, const sni_muscle_pose_job *job,
                             const sni_muscle_pivot_place *pivots, sni_cylinder_path *path,
                             sn_error *error) {
    sn_status status = sni_carried_check_pose(c->name, c->segment_count, job, error);
    if (status != SN_OK) {
        return status;
    }
    double *points = NULL;
    bool room = sni_cylinder_path_init(c, job->arena, path);
    if (room && c->exact) {
        points = sni_arena_alloc(job->arena, 3 * (size_t)sni_rings_point_count(&c->rings),
                                 sizeof *points);
        room = points != NULL;
    }
    if (!room) {
        return sni_fail_memory(error);
    }
    sni_cylinder_find_path(c, job->worlds, pivots, path);
    path->kept = sni_cylinder_find_scale(c, path, points, &path->scale);
    return SN_OK;
}

sn_status sni_cylinder_length(const sni_cylinder *c, const sni_muscle_pose_job *job,
                              const sni_muscle_pivot_place *pivots, double *length,
                              sn_error *error) {
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    sni_cylinder_path path;
    sn_status status = sni_carried_check_pose(c->name, c->segment_count, job, error);
    if (status == SN_OK && !sni_cylinder_path_init(c, job->arena, &path)) {
        status = sni_fail_memory(error);
    }
    if (status == SN_OK) {
        sni_cylinder_find_path(c, job->worlds, pivots, &path);
        *length = path.length;
    }
    sni_arena_release(job->arena, mark);
    return status;
}

void sni_cylinder_write(const sni_cylinder *c, const sni_cylinder_path *path, double swell,
                        double *points) {
    SN_ASSERT(points != NULL);
    sni_cylinder_shape(c, path, swell * path->scale, points);
    for (uint32_t i = 0; i < sni_rings_point_count(&c->rings); ++i) {
        double *p = points + 3 * (size_t)i;
        sn_vec3 world = sni_rigid_frame_point(&path->home, sn_vec3_make(p[0], p[1], p[2]));
        memcpy(p, (double[3]){world.x, world.y, world.z}, 3 * sizeof *p);
    }
}
