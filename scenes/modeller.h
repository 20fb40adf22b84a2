// SPDX-License-Identifier: Apache-2.0
//
// Organic shapes as fields: muscles, pads and bones are chains of elliptical sections along curves,
// joined and cut smoothly; their union's zero level is the surface. A shape is a table that a
// person can read and change; meshes are made by wrapping rings around it (arm_skin.c) or by
// scn_field_mesh.
//
// Values are approximate signed distances in metres, negative inside.
#ifndef SINEW_SCENES_MODELLER_H
#define SINEW_SCENES_MODELLER_H

#include "scenes/shapes.h"

#define SCN_STATIONS_MAX 10
#define SCN_GROUPS_MAX 8

// A section of a chain, in millimetres and the part's frame: its centre, half its size along the
// frame's axis `across`, half its size at right angles to that and to the chain.
typedef struct scn_station {
    double x, y, z, a, b;
} scn_station;

typedef enum scn_op {
    SCN_ADD = 0, // smooth union with what stands before it in the list
    SCN_CUT = 1, // takes the part away from what stands before it
    SCN_SLICE =
        2, // keeps the half-space behind station 0, whose outward normal points to station 1
} scn_op;

typedef enum scn_across {
    SCN_ACROSS_X = 0,
    SCN_ACROSS_Y = 1,
    SCN_ACROSS_Z = 2,
} scn_across;

typedef struct scn_part {
    const char *name;
    scn_op op;
    uint32_t frame; // index into the frames given with the table
    uint32_t group; // 0: the trunk; others are branches that do not melt into each other
    scn_across across;
    double roll_deg; // turns the sections about the chain
    double blend_mm; // how wide the smooth seam is
    uint32_t count;  // stations: one makes an ellipsoid, as long as b
    scn_station stations[SCN_STATIONS_MAX];
} scn_part;

typedef struct scn_field scn_field;

// `join_mm` is the blend of branches (groups from 1) with the trunk, `apart_mm` that among
// branches.
scn_field *scn_field_create(const scn_part *parts, uint32_t count, const scn_frame *frames,
                            double join_mm, double apart_mm);
void scn_field_destroy(scn_field *field);

#define SCN_ALL_GROUPS UINT32_MAX

// The value at a point, of the groups whose bit is set (bit 0: the trunk).
double scn_field_value(const scn_field *field, sn_vec3 point, uint32_t groups);

// The gradient, up to how fast sections turn along a chain.
sn_vec3 scn_field_gradient(const scn_field *field, sn_vec3 point, uint32_t groups);

// Moves a point to the surface along the gradient: `steps` Newton steps, none longer than 5 mm.
sn_vec3 scn_field_project(const scn_field *field, sn_vec3 point, uint32_t groups, int steps);

// The first point outside on the ray from `origin` (inside) along the unit vector `direction`, at
// most `reach` away.
sn_vec3 scn_field_cast(const scn_field *field, sn_vec3 origin, sn_vec3 direction, double reach,
                       uint32_t groups);

// Spreads the vertices of a closed mesh evenly over the field's surface: `rounds` times, each is
// moved half way to the mean of its neighbours along the surface and put back on it. Few rounds
// keep the edge flow, many would pull the vertices out of thin branches.
bool scn_field_relax(const scn_field *field, scn_builder *builder, int rounds);

// Appends the field's surface as quads of about `cell` metres: surface nets (Gibson 1998: a vertex
// in each cell for each sheet of the surface that passes it, a quad around each grid edge that it
// crosses), then relaxed.
bool scn_field_mesh(const scn_field *field, double cell, scn_builder *builder);

// The same for a field that is symmetric about the plane x = 0, into an empty builder: a mesh that
// is its own mirror image bit for bit, with vertices on the plane (scn_builder_mirror).
bool scn_field_mesh_mirrored(const scn_field *field, double cell, scn_builder *builder,
                             uint32_t **mirror);

#endif
