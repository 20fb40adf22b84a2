// SPDX-License-Identifier: Apache-2.0
//
// Deformers that work on plain meshes, without a character around them.
//
// A wrap lets a coarse mesh, the driver mesh, move a fine one: every point follows the triangles of
// the driver that are near it (docs/wrap.md). Any mesh can drive or be driven: polygons of any
// kind, open or closed, with doubled faces, triangles without area, loose points.
#ifndef SINEW_SKIN_H
#define SINEW_SKIN_H

#include "sinew/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_wrap sn_wrap;

// How an element set changes which faces of the driver its points follow. The numbers are kept for
// ever.
typedef enum sn_wrap_set_mode {
    SN_WRAP_SET_ONLY = 0,   // the points follow these faces and no others
    SN_WRAP_SET_ADD = 1,    // they also follow these faces, however far away
    SN_WRAP_SET_REMOVE = 2, // they do not follow these faces
} sn_wrap_set_mode;

// An element set, edited by hand. Points and faces are numbers in the form that sn_ranges_mark
// takes.
typedef struct sn_wrap_set {
    const char *points; // of the mesh
    const char *faces;  // of the driver
    sn_wrap_set_mode mode;
} sn_wrap_set;

// A B-spline surface as driver: its control points are the vertices of the driver mesh, counts[0] x
// counts[1] with v varying fastest; the faces of that mesh do not matter. Knots are uniform, and
// clamped where the surface is open.
typedef struct sn_wrap_patch {
    uint32_t degrees[2]; // 1 to 7, along u and v
    uint32_t counts[2];  // more than the degree; closed, at least 3 and the degree
    bool closed[2];
    uint32_t samples; // elements along each span between knots, 1 to 64; 2 is usual
} sn_wrap_patch;

typedef struct sn_wrap_desc {
    uint32_t check;
    double local;  // how fast influence falls with distance: 1 / (1 + (d / unit)^local); 0 to 32
    double unit;   // the length that distances are measured in; 0: half the driver's mean edge
    bool extended; // space also scales along the driver's normal, and points beside a triangle
                   // follow its corners
    double reach;  // an element counts less and less, from `reach` times the straight distance on
                   // not at all, the farther it is along the driver (docs/wrap.md); 0: all count
    double cut;    // the share of a point's weight that may be lost, below 1
    uint32_t elements;  // largest number of elements of a point, even if `cut` is then exceeded; 0:
                        // as many as `cut` requires
    uint32_t set_count; // at most 64, applied before the cut; later sets override earlier ones
    const sn_wrap_set *sets;
    const sn_wrap_patch *patch; // the driver is a parametric surface; NULL: a mesh
    const float *frame_points;  // #V x 9 of the driver, extended only: three points beside each
                                // vertex at rest; NULL: those of sn_wrap_frame_points
} sn_wrap_desc;

SN_EXPERIMENTAL sn_wrap_desc sn_wrap_desc_default(void);

// Figures about a wrap.
typedef struct sn_wrap_summary {
    double local, unit, reach; // as used
    bool extended;
    uint32_t elements;       // as given in the desc
    uint32_t triangle_count; // of the driver
    double mean_elements;    // triangles of a point
    uint32_t most_elements;
    double largest_loss;     // no point lost a larger share of its weight
    uint32_t limited_points; // points that lost more than `cut` because of `elements`
    uint32_t edited_points;  // points that are in a set
    size_t bytes;            // memory of weights and frames
} sn_wrap_summary;

// Binds a mesh to a driver in their present positions. Both must outlive the wrap, unchanged. Fails
// with SN_INVALID for a driver without faces, a desc out of range, and sets that name points or
// faces that do not exist or leave a point without a face; and with SN_CANCELLED and
// SN_OUT_OF_MEMORY.
SN_EXPERIMENTAL sn_status sn_wrap_bind(const sn_mesh *mesh, const sn_mesh *driver,
                                       const sn_wrap_desc *desc, const sn_progress *progress,
                                       sn_wrap **wrap, sn_error *error);
SN_EXPERIMENTAL void sn_wrap_destroy(sn_wrap *wrap);

// Binds single vertices again, at their present positions in the mesh; all others keep their
// weights. `vertices` may repeat and be in any order. When it fails the wrap stays as it was.
SN_EXPERIMENTAL sn_status sn_wrap_rebind(sn_wrap *wrap, const uint32_t *vertices, uint32_t count,
                                         sn_error *error);

// Replaces the driver by a finer one, which must outlive the wrap instead of the old one. Its first
// vertices must be those of the old driver, as sn_driver_mesh_subdivide makes them. Vertices that
// follow triangles which no longer exist are bound again, with the same result as a bind of the
// whole mesh with the old `unit`; all others keep their weights. `rebound` (may be NULL) is the
// number of vertices that were bound again. When it fails the wrap stays as it was. Fails with
// SN_INVALID for a driver whose first vertices differ.
SN_EXPERIMENTAL sn_status sn_wrap_refine(sn_wrap *wrap, const sn_mesh *driver, uint32_t *rebound,
                                         sn_error *error);

// Moves points (#V x 3 of the mesh; `points_out` must not overlap `points_in`) by posed points of
// the driver (#V x 3 of the driver). `frame_points` (#V x 9, extended only) are the points of
// sn_wrap_frame_points, moved as the driver was; NULL: the deformation around each vertex is
// estimated from the faces there. A driver in its rest pose gives exactly the bits of `points_in`.
SN_EXPERIMENTAL sn_status sn_wrap_deform(const sn_wrap *wrap, const float *driver_points,
                                         const float *frame_points, const float *points_in,
                                         float *points_out, sn_error *error);

// How wraps that move the same points are combined. The numbers are kept for ever.
typedef enum sn_wrap_combination {
    SN_WRAP_MEAN = 0,   // the mean of their motions
    SN_WRAP_LARGER = 1, // the mean in which each motion counts by its length, too
} sn_wrap_combination;

// Combines what `count` wraps, each on its own, have made of the points of a mesh (docs/wrap.md):
// `posed` has #V x 3 numbers for each of them, all from the same `points_in`. `weights`, from 0 to
// 1, say how much each counts; NULL: 1. Where their sum is below 1, so much less is moved.
// `points_out` may be `points_in`. Fails with SN_INVALID for a weight that is out of range.
SN_EXPERIMENTAL sn_status sn_wrap_combine(sn_context *context, sn_wrap_combination combination,
                                          uint32_t vertex_count, const float *points_in,
                                          uint32_t count, const float *const *posed,
                                          const double *weights, float *points_out,
                                          sn_error *error);

// Three points beside each vertex of the driver at rest: #V x 9 floats.
SN_EXPERIMENTAL void sn_wrap_frame_points(const sn_wrap *wrap, float *frame_points);

SN_EXPERIMENTAL void sn_wrap_summarize(const sn_wrap *wrap, sn_wrap_summary *summary);

// Saves a binding to a file, and loads it. Loading fails with SN_INVALID when the file belongs to
// another mesh or driver, or to other rest points.
SN_EXPERIMENTAL sn_status sn_wrap_save(const sn_wrap *wrap, const char *path, sn_error *error);
SN_EXPERIMENTAL sn_status sn_wrap_load(const sn_mesh *mesh, const sn_mesh *driver, const char *path,
                                       sn_wrap **wrap, sn_error *error);

// Loads a binding for a mesh some vertices of which have moved since it was saved. Bind these again
// with sn_wrap_rebind; until then they keep their old weights.
SN_EXPERIMENTAL sn_status sn_wrap_load_moved(const sn_mesh *mesh, const sn_mesh *driver,
                                             const char *path, sn_wrap **wrap, sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
