// SPDX-License-Identifier: Apache-2.0
//
// Making parts of characters from others. So far: driver meshes.
//
// A driver mesh is a low-resolution stand-in of a skin. It is moved by the skeleton and moves the
// skin as its wrap driver, or is shown instead of it where speed counts (docs/driver.md).
#ifndef SINEW_FIT_H
#define SINEW_FIT_H

#include "sinew/mesh.h"
#include "sinew/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

// How a driver mesh hangs on the skeleton. The numbers are kept for ever.
typedef enum sn_driver_binding {
    SN_DRIVER_RIGID = 0,  // each vertex on the bone closest to it
    SN_DRIVER_SMOOTH = 1, // each vertex on that bone and those before and behind it
    SN_DRIVER_SKIN = 2,   // with the mean weights of the skin's vertices that it stands for; smooth
                          // where these have none
} sn_driver_binding;

typedef struct sn_driver_mesh_desc {
    uint32_t check;
    const char *name; // of the new mesh
    uint32_t mesh_count;
    const sn_mesh *const *meshes; // the skin, as one mesh or in patches that are stitched together
    const sn_skeleton *skeleton;
    const char *const *segments; // names of those that count as limbs; NULL: those that the
    uint32_t segment_count;      // weights of the skin name, all where it has none
    uint32_t face_count;         // triangles to aim for
    double weld;         // vertices closer than this are one, as part of the skin's diagonal
    double joint_detail; // how many times denser vertices stand at joints; at least 1
    double joint_reach;  // how far from a joint that falls off to 1, in lengths of the bone
    sn_driver_binding binding;
    uint32_t influences; // of a vertex at most, but for SN_DRIVER_RIGID
    uint32_t smoothing;  // rounds of smoothing of the weights, for SN_DRIVER_SMOOTH
} sn_driver_mesh_desc;

typedef struct sn_driver_mesh_report {
    uint32_t welded_vertices; // of the skin that were joined with others
    uint32_t face_count;      // may be above what was asked for where the surface does not allow it
    uint32_t border_edges;    // 0 for a closed driver
    uint32_t limb_count;      // bones that vertices are bound to
} sn_driver_mesh_report;

// 1000 faces, welded at 1e-5, three times denser at joints within a third of a bone, bound
// smoothly with three influences and two rounds of smoothing.
SN_API sn_driver_mesh_desc sn_driver_mesh_desc_default(void);

// Makes a driver mesh: triangles of the skin, welded, simplified with more detail at joints, and
// bound to the skeleton in its rest pose. The driver has weights whose bones are the segments that
// it uses; inverse bind matrices where the skin has them, so that it lies where the skin lies. The
// skin is not changed. `report` and `progress` may be NULL. The result belongs to the caller
// (sn_mesh_destroy). Fails with SN_INVALID for a skin without triangles, a skeleton without
// segments, unknown names, and values out of range.
SN_API sn_status sn_driver_mesh_create(sn_context *context, const sn_driver_mesh_desc *desc,
                                       const sn_progress *progress, sn_mesh **driver,
                                       sn_driver_mesh_report *report, sn_error *error);

// Splits triangles of a driver in four, and their neighbours so that no gaps appear, for finer
// control of that part: `selected` is #F, not 0 where to split; NULL: all. Old vertices keep their
// numbers, places and weights. New ones follow; they stand in the middle of their edges, or where
// the surface is smoothest (modified butterfly) when `smooth`, and have the mean of the weights of
// both ends. Morph targets are taken along, attributes are not. Fails with SN_INVALID for a face
// that is no triangle, and for surfaces that are not manifold when `smooth`.
SN_API sn_status sn_driver_mesh_subdivide(const sn_mesh *driver, const uint8_t *selected,
                                          bool smooth, sn_mesh **subdivided, sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
