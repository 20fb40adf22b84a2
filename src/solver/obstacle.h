// SPDX-License-Identifier: Apache-2.0
//
// Triangles that particles touch and cannot move: a surface that goes from one pose to another in
// the steps of a frame, and where a sample on its way meets it.
#ifndef SINEW_SOLVER_OBSTACLE_H
#define SINEW_SOLVER_OBSTACLE_H

#include "sinew/geometry.h"

// One of several meshes that make an obstacle.
typedef struct sni_obstacle_part {
    uint32_t triangle_end; // behind its last triangle
    bool closed;           // it has an inside
} sni_obstacle_part;

// The topology, the same in all frames. Vertices and triangles of all parts are numbered through.
typedef struct sni_obstacle_shape {
    uint32_t vertex_count;
    uint32_t triangle_count;
    const uint32_t *vertices; // triangle_count x 3
    uint32_t part_count;
    const sni_obstacle_part *parts;
} sni_obstacle_shape;

// Zeroed at first. Memory and search tree stay from frame to frame.
typedef struct sni_obstacle {
    sn_context *context;
    sni_obstacle_shape shape; // the same in all frames
    const float *from, *to;   // vertex_count x 3, borrowed: at the beginning and end of the frame
    bool moves;
    int8_t *fronts; // triangle_count: 1 where the front is the outside of a closed part, -1 where
                    // the back is, 0 where both sides are alike
    float *before;  // vertex_count x 3: at the beginning of the step
    float *now;     // at its end
    double motion; // largest distance between the two, of vertices that floats can still tell apart
    sn_accel *accel;
} sni_obstacle;

// Begins a frame; after the first one nothing is allocated. The points are borrowed until the next.
// Fails with SN_INVALID when a number is not finite, else only when memory runs out.
sn_status sni_obstacle_begin(sn_context *context, const sni_obstacle_shape *shape,
                             const float *from, const float *to, sni_obstacle *obstacle,
                             sn_error *error);
void sni_obstacle_deinit(sni_obstacle *obstacle);

// Goes on to where the surface is when this share of the frame has passed, 0 to 1.
void sni_obstacle_move(sni_obstacle *obstacle, double share);

// A plane that a sample must stay in front of.
typedef struct sni_contact {
    bool touches;
    bool inside;    // the sample was inside a closed surface; it is put out without a push
    sn_vec3 point;  // of the surface
    sn_vec3 normal; // unit, to the side of the sample
    sn_vec3 motion; // of the surface there, in this step
} sni_contact;

// Whether a sample that went from `from` to `to` in this step came closer than `thickness` to the
// surface or crossed it, however fast.
void sni_obstacle_touch(const sni_obstacle *obstacle, sn_vec3 from, sn_vec3 to, double thickness,
                        sni_contact *contact);

#endif
