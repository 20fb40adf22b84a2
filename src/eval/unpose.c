// SPDX-License-Identifier: Apache-2.0
#include "eval/unpose.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Space that is flatter than this, |det A| against a cube of the same size, has no way back: moves
// would be multiplied by hundreds.
static const double flat = 1e-3;

// Corrections after the first solution: what rounding of A and of the points has left.
enum { CORRECTIONS = 3 };

typedef struct unpose {
    sn_frame *frame;
    uint32_t surface, first, vertex_count;
    const float *start, *wanted;
    double step;  // of the moves along the axes: as large as the mesh, so that rounding is small
    float *moved; // #V x 3
    float *posed; // #V x 3
    float *posed_by[3]; // #V x 3 after a step along each axis
} unpose;

static sn_status make_scratch(unpose *u, sn_error *error) {
    sn_context *context = sn_frame_model(u->frame)->context;
    size_t count = 3 * (size_t)u->vertex_count;
    sn_status status = SN_OK;
    SNI_NEW(context, u->moved, count);
    SNI_NEW(context, u->posed, count);
    for (int axis = 0; axis < 3; ++axis) {
        SNI_NEW(context, u->posed_by[axis], count);
    }
cleanup:
    return status;
}

static void free_scratch(unpose *u) {
    sn_context *context = sn_frame_model(u->frame)->context;
    sni_free(context, u->moved);
    sni_free(context, u->posed);
    for (int axis = 0; axis < 3; ++axis) {
        sni_free(context, u->posed_by[axis]);
    }
}

static sn_status pose(unpose *u, const float *points, float *posed, sn_error *error) {
    return sni_frame_deform(u->frame, u->surface, u->first, SN_NONE, points, posed, error);
}

// Poses the points at rest, and moved along each axis.
static sn_status probe(unpose *u, sn_error *error) {
    size_t count = 3 * (size_t)u->vertex_count;
    sn_status status = pose(u, u->start, u->posed, error);
    for (size_t axis = 0; axis < 3 && status == SN_OK; ++axis) {
        memcpy(u->moved, u->start, count * sizeof *u->moved);
        for (size_t i = axis; i < count; i += 3) {
            u->moved[i] = (float)(u->start[i] + u->step);
        }
        status = pose(u, u->moved, u->posed_by[axis], error);
    }
    return status;
}

// A^-1 of a vertex; false where A is flat.
static bool invert_at(const unpose *u, uint32_t vertex, sn_mat4 *inverse) {
    sn_mat4 a = sn_mat4_identity();
    double size = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
        size_t at = 3 * (size_t)vertex;
        double step = (double)(float)(u->start[at + axis] + u->step) - u->start[at + axis];
        for (size_t k = 0; k < 3; ++k) {
            double entry = ((double)u->posed_by[axis][at + k] - u->posed[at + k]) / step;
            a.m[4 * axis + k] = entry;
            size += entry * entry;
        }
    }
    sn_vec3 x = {a.m[0], a.m[1], a.m[2]}, y = {a.m[4], a.m[5], a.m[6]};
    sn_vec3 z = {a.m[8], a.m[9], a.m[10]};
    double volume = fabs(sn_vec3_dot(x, sn_vec3_cross(y, z)));
    return volume > flat * pow(size / 3, 1.5) && sn_mat4_invert(&a, inverse);
}

static sn_vec3 missing(const float *wanted, const float *posed, uint32_t vertex) {
    return sn_vec3_sub(sn_vec3_load(wanted + 3 * (size_t)vertex),
                       sn_vec3_load(posed + 3 * (size_t)vertex));
}

static sn_status invert_all(const unpose *u, double least, sn_mat4 *inverses, double *moves,
                            sn_error *error) {
    for (uint32_t v = 0; v < u->vertex_count; ++v) {
        sn_vec3 gap = missing(u->wanted, u->posed, v);
        memset(&inverses[v], 0, sizeof inverses[v]); // a point that stays
        memset(moves + 3 * (size_t)v, 0, 3 * sizeof *moves);
        if (sn_vec3_length(gap) <= least) {
            continue;
        }
        if (!invert_at(u, v, &inverses[v])) {
            return sni_fail(error, SN_INVALID,
                            "in this pose the deformers flatten the space around vertex %u, which "
                            "cannot be carried back",
                            v);
        }
    }
    return SN_OK;
}

// Adds A^-1 of what is missing to the moves; returns the largest distance missing of points that
// move.
static double correct(const unpose *u, const sn_mat4 *inverses, const float *posed, double *moves) {
    double largest = 0;
    for (uint32_t v = 0; v < u->vertex_count; ++v) {
        if (inverses[v].m[15] == 0) {
            continue;
        }
        sn_vec3 gap = missing(u->wanted, posed, v);
        sn_vec3 move = sn_mat4_direction(&inverses[v], gap);
        largest = fmax(largest, sn_vec3_length(gap));
        moves[3 * (size_t)v] += move.x;
        moves[3 * (size_t)v + 1] += move.y;
        moves[3 * (size_t)v + 2] += move.z;
    }
    return largest;
}

sn_status sni_unpose(sn_frame *frame, uint32_t surface, uint32_t first, const float *start,
                     const float *wanted, double least, double *moves, double *error_left,
                     sn_error *error) {
    const sn_mesh *mesh = sn_frame_model(frame)->surfaces[surface].mesh;
    unpose u = {.frame = frame,
                .surface = surface,
                .first = first,
                .vertex_count = mesh->vertex_count,
                .start = start,
                .wanted = wanted};
    sn_mat4 *inverses = NULL;
    sn_status status = SN_OK;
    sn_vec3 low, high;
    sn_mesh_bounds(mesh, &low, &high);
    u.step = fmax(sn_vec3_distance(low, high), FLT_MIN);
    SN_TRY(make_scratch(&u, error));
    SNI_NEW(sn_frame_model(frame)->context, inverses, u.vertex_count);
    SN_TRY(probe(&u, error));
    SN_TRY(invert_all(&u, least, inverses, moves, error));
    *error_left = correct(&u, inverses, u.posed, moves);
    for (int i = 0; i < CORRECTIONS; ++i) {
        for (size_t k = 0; k < 3 * (size_t)u.vertex_count; ++k) {
            u.moved[k] = (float)(start[k] + moves[k]);
        }
        SN_TRY(pose(&u, u.moved, u.posed_by[0], error));
        *error_left = correct(&u, inverses, u.posed_by[0], moves);
    }
cleanup:
    sni_free(sn_frame_model(frame)->context, inverses);
    free_scratch(&u);
    return status;
}
