// SPDX-License-Identifier: Apache-2.0
//
// The density of a body on a grid (Wilhelms and Van Gelder, Anatomically Based Modeling, 1997,
// section 5): every node within a component gets the component's value, every other 0, and a
// Gaussian filter smooths the steps. The skin is an isosurface of the result (isosurface.h).
#ifndef SINEW_GEOMETRY_DENSITY_H
#define SINEW_GEOMETRY_DENSITY_H

#include "geometry/bricks.h"

// The paper's numbers.
#define SNI_DENSITY_VALUE 200.0
#define SNI_DENSITY_DIMENSION 225
#define SNI_DENSITY_SIGMA 3.2
#define SNI_DENSITY_THRESHOLD 35.0

// A component: a closed mesh, or an ellipsoid where `positions` is NULL. The arrays are only read.
typedef struct sni_solid {
    const char *name;       // for errors; NULL: its number is given
    double value;           // usually SNI_DENSITY_VALUE; less than 0 pushes the skin away
    const float *positions; // vertex_count x 3
    uint32_t vertex_count;
    const uint32_t *vertices; // triangle_count x 3, counter-clockwise seen from outside
    uint32_t triangle_count;
    sn_mat4 ellipsoid; // takes the unit ball to the ellipsoid
} sni_solid;

// Whether a solid can be told inside from outside. A mesh must be closed: along every edge as many
// triangles run one way as the other (shells may overlap, three and more triangles may meet); its
// volume must be positive. Fails with SN_INVALID for an open or inside-out mesh, a solid without
// volume, a bad index, or a number that is not finite.
sn_status sni_solid_check(sn_context *context, const sni_solid *solid, sn_error *error);

// The same for many; the error has the solid's name as its place.
sn_status sni_solids_check(sn_context *context, const sni_solid *solids, uint32_t count,
                           sn_error *error);

// The grid for solids: cubes, as many along the longest side of the box of all positive solids that
// with a `margin` of empty nodes all round its largest dimension is `dimension`. Nodes stand at
// whole multiples of the spacing in the world, the first at an even one on each axis, so that
// mirrored solids get the mirrored nodes. That takes one node from the high margin of the longest
// side where its ends fall on nodes and its margin begins at an odd one. Fails with SN_INVALID when
// there is no positive solid or no room beside the margins.
sn_status sni_density_layout(const sni_solid *solids, uint32_t count, uint32_t dimension,
                             uint32_t margin, sni_grid *grid, sn_error *error);

// The nodes that a filter of this sigma (in nodes) reaches to each side: ceil(3 sigma).
uint32_t sni_density_radius(double sigma);

// Writes the values of solids into a grid. Where solids overlap, negative ones win over positive
// ones, then the value that is further from 0. A node is in a mesh where the winding number along
// its row is not 0; a row that meets an edge or a vertex passes it to one side, the same for all
// triangles, so that a closed mesh never leaks. A mesh takes nodes on its low sides (x, y, z) and
// leaves those on its high sides, so that meshes side by side share none; an ellipsoid takes all on
// its surface. Checks the solids first.
sn_status sni_density_voxelize(sn_context *context, const sni_solid *solids, uint32_t count,
                               const sni_grid *grid, const sn_progress *progress,
                               sni_bricks **bricks, sn_error *error);

// Filters by a Gaussian of `sigma` nodes, cut off at the radius above and normalised, along x, y
// and z: the same bits for any number of threads, those of the three filters on a whole array.
// Sigma 0 copies. Fails with SN_INVALID for a sigma that is negative or not finite, SN_LIMIT above
// 100.
sn_status sni_density_filter(const sni_bricks *bricks, double sigma, const sn_progress *progress,
                             sni_bricks **filtered, sn_error *error);

// Weights of the filter: [0] for the node itself, [k] for those k nodes to either side, k up to the
// radius; [0] + 2 ([1] + [2] + ...) = 1 up to rounding.
void sni_density_weights(double sigma, float *weights);

// Two densities on the same grid: `join` takes the larger one at each node, without a crease where
// they are equal; `add` takes their sum.
sn_status sni_density_join(const sni_bricks *a, const sni_bricks *b, sni_bricks **joined,
                           sn_error *error);
sn_status sni_density_add(const sni_bricks *a, const sni_bricks *b, sni_bricks **sum,
                          sn_error *error);

// What a filter would leave outside of the skin: the nodes of positive solids, and those nearest to
// their surfaces, where the smoothed density is not above a level. Makes a grid that has a density
// there which stays above the level after a filter of `sigma`.
sn_status sni_density_thin(const sni_bricks *density, const sni_bricks *filtered, double level,
                           double sigma, const sni_solid *solids, uint32_t count, sni_bricks **thin,
                           sn_error *error);

// Closes holes through the body above a level that are up to `width` nodes wide: what fills them is
// smoothed by `sigma` and added, so that its nodes have the density `filled`. `closed` is NULL
// where there is none; `holes` is their number.
sn_status sni_density_close(const sni_bricks *field, double level, double filled, uint32_t width,
                            double sigma, const sn_progress *progress, sni_bricks **closed,
                            uint32_t *holes, sn_error *error);

#endif
