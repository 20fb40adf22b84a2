// SPDX-License-Identifier: Apache-2.0
//
// An OpenSim model (.osim) as plain numbers: what a moving body needs of it. Units and axes are
// the file's: metres, radians, x forward, y up, z to the right; the document is made of it in
// character/import/osim.c.
//
//     X_child = X_parent X_PF T(t1 a4 + t2 a5 + t3 a6) R(a1, r1) R(a2, r2) R(a3, r3) X_BM^-1
//
// is where a body stands (Seth and others, Minimal formulation of joint motion for biomechanisms,
// 2010): X_PF and X_BM are the frames of the joint on its two bodies, r and t functions of
// coordinates, a1..a6 the axes of the joint's spatial transform. Pin, slider, ball, gimbal,
// universal, planar, free and weld joints are special cases of it.
//
// Read: files of version 3 (joints within bodies) and 4 (joints, frames and sockets). Probes,
// controllers, markers and contact are passed over; forces that are no muscles are listed.
#ifndef SINEW_IO_OSIM_H
#define SINEW_IO_OSIM_H

#include "base/arena.h"
#include "sinew/vector.h"

typedef enum sni_osim_function_kind {
    SNI_OSIM_LINEAR,     // sum of values[i] * coordinate i, plus values[count - 1]
    SNI_OSIM_POLYNOMIAL, // values[0] x^(count-1) + ... + values[count - 1]
    SNI_OSIM_SPLINE,     // SimmSpline through (keys[i], values[i])
    SNI_OSIM_PIECEWISE,  // straight lines through them
    SNI_OSIM_STEPPED,    // the last one
} sni_osim_function_kind;

typedef struct sni_osim_function {
    sni_osim_function_kind kind;
    uint32_t count;
    double *keys; // rising; NULL for linear functions and polynomials
    double *values;
    double *slopes; // of a spline, at its keys
} sni_osim_function;

// A function may have so many inputs; a joint has six coordinates at most.
#define SNI_OSIM_INPUTS_MAX 8

// One of the six axes of a joint: three rotations, three translations.
typedef struct sni_osim_axis {
    sn_vec3 axis; // of length 1
    uint32_t coordinate_count;
    uint32_t *coordinates; // inputs of the function
    sni_osim_function function;
} sni_osim_axis;

typedef struct sni_osim_coordinate {
    const char *name;
    uint32_t line;
    uint32_t joint;
    bool is_rotation; // it turns at least one axis: radians
    bool clamped;
    double value;    // by default
    double range[2]; // low, high
    uint32_t source; // coordinate that a coupler computes it from, SN_NONE where it is free
    sni_osim_function coupler;
} sni_osim_coordinate;

typedef struct sni_osim_joint {
    const char *name;
    const char *kind;
    uint32_t line;
    uint32_t parent, child;                   // bodies
    sn_transform parent_offset, child_offset; // X_PF, X_BM
    sni_osim_axis axes[6];
} sni_osim_joint;

// Body 0 is the ground; every other one has exactly one joint that it is the child of.
typedef struct sni_osim_body {
    const char *name;
    uint32_t line;
    uint32_t joint; // SN_NONE for the ground
} sni_osim_body;

typedef struct sni_osim_geometry {
    const char *file; // as written
    uint32_t line;
    uint32_t body;
    sn_transform place; // in the body: offset of its frame, and scale factors
} sni_osim_geometry;

typedef struct sni_osim_point {
    const char *name;
    uint32_t line;
    uint32_t body;
    sn_vec3 at;           // in the body; of a moving point what does not move
    uint32_t conditional; // coordinate that switches it, SN_NONE for one that is always there
    double range[2];      // where it is on
    bool moves;
    uint32_t coordinates[3]; // of x, y and z of a moving point, SN_NONE where it stands
    sni_osim_function functions[3];
} sni_osim_point;

typedef enum sni_osim_wrap_kind {
    SNI_OSIM_CYLINDER,  // along z of its frame
    SNI_OSIM_SPHERE,    //
    SNI_OSIM_ELLIPSOID, //
    SNI_OSIM_TORUS,     // about z
} sni_osim_wrap_kind;

typedef struct sni_osim_wrap {
    const char *name;
    sni_osim_wrap_kind kind;
    uint32_t line;
    uint32_t body;
    bool active;
    sn_vec3 center, angles; // angles about x, y and z, intrinsic, radians
    sn_vec3 radii;          // of a sphere and a cylinder: all the same; of a torus: x that of its
                            // tube, y and z that of the circle that the tube is about
    double length;          // of a cylinder
    char side[3];           // "+x" .. "-z", or "" for all
} sni_osim_wrap;

// How a path goes around an ellipsoid.
typedef enum sni_osim_method {
    SNI_OSIM_HYBRID,
    SNI_OSIM_MIDPOINT,
    SNI_OSIM_AXIAL,
} sni_osim_method;

typedef struct sni_osim_around {
    uint32_t wrap;
    sni_osim_method method;
    uint32_t first, last; // points of the path between which it acts
} sni_osim_around;

typedef struct sni_osim_muscle {
    const char *name;
    const char *kind;
    uint32_t line;
    double force, fibre_length, tendon_length, pennation; // N, m, m, rad
    uint32_t point_count;
    sni_osim_point *points; // at least two
    uint32_t around_count;
    sni_osim_around *arounds;
} sni_osim_muscle;

typedef struct sni_osim_other {
    const char *kind, *name;
    uint32_t line;
} sni_osim_other;

typedef struct sni_osim {
    sn_context *context;
    sni_arena arena; // owns all below
    const char *name, *credits;
    uint32_t body_count, joint_count, coordinate_count, geometry_count, muscle_count, wrap_count,
        other_count;
    sni_osim_body *bodies;
    sni_osim_joint *joints; // parents before children
    sni_osim_coordinate *coordinates;
    sni_osim_geometry *geometries;
    sni_osim_muscle *muscles;
    sni_osim_wrap *wraps;
    sni_osim_other *others; // forces that are no muscles, geometry that is no mesh, constraints
} sni_osim;

// Reads a model. `path` stands for the file in errors, which have its line. Fails for a cyclic
// joint tree, a body without joint, unknown parents, frames, coordinates and functions, numbers
// that are missing.
sn_status sni_osim_parse(sn_context *context, const char *path, const char *bytes, size_t size,
                         sni_osim **model, sn_error *error);
sn_status sni_osim_read(sn_context *context, const char *path, sni_osim **model, sn_error *error);
void sni_osim_destroy(sni_osim *model);

// The value of a function at its inputs (of others than linear ones the first alone counts).
double sni_osim_evaluate(const sni_osim_function *function, const double *inputs);

// Rigid frames: a b, and the inverse; scales are left at 1.
sn_transform sni_osim_compose(const sn_transform *a, const sn_transform *b);
sn_transform sni_osim_inverse(const sn_transform *a);

#endif
