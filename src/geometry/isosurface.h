// SPDX-License-Identifier: Apache-2.0
//
// The surface where a field on a grid has a given value, as a closed manifold of triangles
// (docs/extraction.md).
//
// Space is divided into tetrahedra whose corners are nodes of the grid; where a tetrahedron has
// corners on both sides, one or two triangles separate them. There is no ambiguous case, and every
// edge of a triangle lies in a face that two tetrahedra share: the surface is closed and manifold
// by construction.
#ifndef SINEW_GEOMETRY_ISOSURFACE_H
#define SINEW_GEOMETRY_ISOSURFACE_H

#include "geometry/bricks.h"

// Numbers on the nodes of a grid, wherever they come from.
typedef struct sni_field {
    sni_grid grid; // node (i, j, k) stands at origin + spacing (i, j, k)
    // Copies the values at the nodes [begin, begin + size) of each axis, x fastest. Is asked from
    // several threads, and for up to 3 nodes beyond the grid too.
    void (*read)(const void *user, const int32_t begin[3], const int32_t size[3], double *values);
    // The lowest and highest value of a brick (8 x 8 x 8 nodes, from 8 times `brick`), or bounds on
    // them: bricks far from the surface are not read. False, and a NULL pointer: not known.
    bool (*range)(const void *user, const uint32_t brick[3], double *low, double *high);
    const void *user;
} sni_field;

sni_field sni_field_from_bricks(const sni_bricks *bricks);

// Which tetrahedra.
typedef enum sni_lattice_kind {
    // Six tetrahedra per cube of the grid (Kuhn, Freudenthal): 4.5 vertices per square of the
    // grid's spacing on average. For fields that are as rough as the grid.
    SNI_LATTICE_CUBIC = 0,
    // The body-centred lattice of the nodes whose three numbers are all even or all odd: 1.6
    // vertices per square, nearly as few as marching cubes, of a better shape. For fields
    // that are smooth over two nodes, such as filtered ones.
    SNI_LATTICE_CENTRED = 1,
} sni_lattice_kind;

typedef struct sni_isosurface_desc {
    uint32_t check;
    double level;        // of the surface; a node of just this value is outside
    bool inside_is_less; // false: inside is where the field is greater
    sni_lattice_kind lattice;
    double snap;       // vertices closer to a node than this part of their edge join at it: fewer
                       // slivers; 0 to 0.49. The surface stays closed and manifold
    uint32_t relax;    // rounds that even out the triangles along the surface
    bool project;      // then moves the vertices to where the trilinear field has the level
    bool normals;      // computes normals
    bool keep_largest; // drops all pieces but the one of greatest volume
} sni_isosurface_desc;

// A surface: triangles counter-clockwise seen from outside.
typedef struct sni_isosurface {
    sn_context *context;
    uint32_t vertex_count;
    sn_vec3 *points; // vertex_count
    float
        *normals; // vertex_count x 3, unit, outward: the field's gradient; NULL when not asked for
    uint32_t triangle_count;
    uint32_t *vertices; // triangle_count x 3
    // All pieces that were found, the kept one first when there is only one, then by falling
    // volume; negative volumes are hollows.
    uint32_t piece_count;
    double *piece_volumes; // piece_count
} sni_isosurface;

sni_isosurface_desc sni_isosurface_desc_default(void);

// Makes the surface, with vertices and triangles in an order that does not depend on the number of
// threads. Fails with SN_INVALID when the field has no surface at the level, when the surface
// leaves the grid, or when a value beside it is not finite.
sn_status sni_isosurface_create(sn_context *context, const sni_field *field,
                                const sni_isosurface_desc *desc, const sn_progress *progress,
                                sni_isosurface **surface, sn_error *error);
void sni_isosurface_destroy(sni_isosurface *surface);

#endif
