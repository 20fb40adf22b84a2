// SPDX-License-Identifier: Apache-2.0
//
// What the characters made in code share: frames, segments of a skeleton as plain data, clips as
// tables of keys, and a builder of polygon meshes.
//
// Lengths are metres unless a name ends in `_mm`: tables of shapes read better in millimetres.
// Everything here and in implicit.h is computed by + - * / and sqrt alone (scn_turn has its own
// sine), so that a shape has the same bits on every platform.
#ifndef SINEW_SCENES_SHAPES_H
#define SINEW_SCENES_SHAPES_H

#include "sinew/mesh.h"
#include "sinew/vector.h"

// ---------------------------------------------------------------------------------------------
// Numbers and frames

#define SCN_MM 0.001

typedef struct scn_turn {
    double cosine, sine;
} scn_turn;

// Cosine and sine of an angle in degrees, |degrees| <= 720.
scn_turn scn_turn_from_deg(double degrees);

// 0 below `low`, 1 above `high`, 3t^2 - 2t^3 between.
double scn_smooth_step(double low, double high, double value);

// The uniform Catmull-Rom curve from `q` to `r`, between `p` and `s`.
static inline double scn_catmull_rom(double p, double q, double r, double s, double t) {
    return q + 0.5 * t * (r - p + t * (2 * p - 5 * q + 4 * r - s + t * (3 * (q - r) + s - p)));
}

// The mirror image on the other side of the plane x = 0.
static inline sn_vec3 scn_mirrored(sn_vec3 v) {
    return sn_vec3_make(-v.x, v.y, v.z);
}

// An origin and three unit axes at right angles. Tables give points in it as (x, y, z).
typedef struct scn_frame {
    sn_vec3 origin, x, y, z;
} scn_frame;

sn_vec3 scn_frame_point(const scn_frame *frame, sn_vec3 point);
sn_vec3 scn_frame_direction(const scn_frame *frame, sn_vec3 direction);

// `v` without its part along the unit vector `axis`, made unit; any perpendicular when none is
// left.
sn_vec3 scn_reject(sn_vec3 v, sn_vec3 axis);

// ---------------------------------------------------------------------------------------------
// Skeletons and clips as plain data

// A segment at rest, in the character's space. Its y axis runs along the bone, x is the hinge: a
// positive rx flexes.
typedef struct scn_segment {
    const char *name;
    uint32_t parent; // of the same list, before its children; SN_NONE for a root
    scn_frame rest;
    double length; // to the end of its bone
    sn_rotation_order order;
    double limits_deg[3][2]; // rx, ry, rz: lowest and highest angle
} scn_segment;

// The rest frame of `segment` in its parent's, or in the character's space for a root.
sn_transform scn_segment_local(const scn_segment *segments, uint32_t segment);

// The same skeleton for the other side of the body, x mirrored to -x. Hinges keep their sense: a
// positive rx flexes on both sides.
void scn_segments_mirror(scn_segment *segments, uint32_t count);

typedef struct scn_key {
    double time; // seconds
    double value_deg;
} scn_key;

// Keys of one joint parameter, or of a control, to be joined by SN_INTERPOLATION_SMOOTH.
typedef struct scn_track {
    const char *target; // "SEGMENT.rx", or a control: its values are no degrees
    uint32_t key_count;
    const scn_key *keys;
} scn_track;

typedef struct scn_clip {
    const char *name;
    double rate;          // frames per second
    uint32_t frame_count; // a looping clip ends with its first pose
    uint32_t track_count;
    const scn_track *tracks;
    const char *about; // may be NULL
} scn_clip;

// ---------------------------------------------------------------------------------------------
// Building meshes

// A mesh that grows. `tag` and `along` are for the scene: the region of a vertex and a coordinate
// in it. A call that runs out of memory sets `failed`, and the following ones do nothing, so that
// only scn_builder_finish needs to be checked.
typedef struct scn_vertex {
    sn_vec3 position;
    uint32_t tag;
    double along;
} scn_vertex;

typedef struct scn_builder {
    uint32_t vertex_count, vertex_capacity;
    scn_vertex *vertices;
    uint32_t quad_count, quad_capacity;
    uint32_t (*quads)[4];
    uint32_t polygon_count, polygon_capacity; // faces with another number of corners
    uint32_t *polygon_ends;                   // where each one's corners end
    uint32_t corner_count, corner_capacity;
    uint32_t *corners;
    bool failed;
} scn_builder;

void scn_builder_init(scn_builder *builder);
void scn_builder_deinit(scn_builder *builder);

uint32_t scn_builder_vertex(scn_builder *builder, sn_vec3 position, uint32_t tag, double along);
void scn_builder_quad(scn_builder *builder, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
void scn_builder_polygon(scn_builder *builder, const uint32_t *corners, uint32_t count);

// Quads between two closed loops of `count` vertices. Seen from the side that `to` lies on, the
// loops run counter-clockwise for quads that face outward.
void scn_builder_join(scn_builder *builder, const uint32_t *from, const uint32_t *to,
                      uint32_t count);

// Place `k` of the border of a grid of columns x rows quads, counted from its first corner along
// the first row, up the last column, back along the last row, down the first column.
void scn_grid_border(uint32_t columns, uint32_t rows, uint32_t k, uint32_t *column, uint32_t *row);

// Closes a loop of 2 * (columns + rows) vertices by a grid of columns x rows quads, inner vertices
// placed by transfinite interpolation of the loop. The loop runs: along the first row, up the last
// column, back along the last row, down the first column, and counter-clockwise seen from outside.
// `inner`, when not NULL, receives the (columns - 1) * (rows - 1) new vertices, row by row.
void scn_builder_cap(scn_builder *builder, const uint32_t *loop, uint32_t columns, uint32_t rows,
                     uint32_t tag, double along, uint32_t *inner);

// Makes a closed mesh of quads its own mirror image, bit for bit: what lies at x < 0 is replaced by
// the mirror image of the rest; vertices within `margin` of the plane x = 0 are put onto it and
// shared by both halves. Gives the other side's vertex of each vertex, from malloc.
bool scn_builder_mirror(scn_builder *builder, double margin, uint32_t **mirror);

// Each vertex's neighbours along edges, for smoothing: row i is [offsets[i], offsets[i + 1]), in
// rising order. Both arrays come from malloc and go to free.
bool scn_builder_neighbours(const scn_builder *builder, uint32_t **offsets, uint32_t **neighbours);

// Removes the vertices that no face uses and renumbers the others.
void scn_builder_compact(scn_builder *builder);

// The mesh: quads first, then polygons.
sn_status scn_builder_finish(scn_builder *builder, sn_context *context, const char *name,
                             sn_mesh **mesh, sn_error *error);

// The failure of a scene that could not get memory.
sn_status scn_fail_memory(sn_error *error);

// Gives a mesh the normals of its points as an attribute.
sn_status scn_add_normals(sn_mesh *mesh, sn_error *error);

// x mirrored to -x, faces turned round so that they still look outward; weights stay as they are.
void scn_mesh_mirror(sn_mesh *mesh);

#endif
