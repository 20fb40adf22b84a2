// SPDX-License-Identifier: Apache-2.0
//
// What is measured of skins besides their edges: how far their triangles are stretched, and how
// deep points of a skin under `membrane` lie in the components that they hang on.
#ifndef SINEW_EVAL_MEASURES_H
#define SINEW_EVAL_MEASURES_H

#include "eval/model.h"
#include "skin/anchors.h"

typedef struct sni_measures sni_measures;

// A point of a skin within the component that it hangs on.
typedef struct sni_depth {
    double depth;       // metres
    double rest_depth;  // of its virtual anchor in the rest pose
    uint32_t surface;   // the skin, SN_NONE: nothing was measured
    uint32_t vertex;    //
    uint32_t component; // a surface
} sni_depth;

// A triangle and the largest singular value of the map that takes it from rest to where it is.
typedef struct sni_stretched {
    double stretch;
    uint32_t surface; // SN_NONE: nothing was measured
    uint32_t face;
    uint32_t vertices[3];
} sni_stretched;

typedef struct sni_frame_measures {
    sni_depth deepest;  // by depth
    sni_depth deepened; // by depth beyond that at rest
    sni_stretched stretched;
} sni_frame_measures;

// Prepares for the skins of a model that are shown. Components that are open have no inside and are
// not measured.
sn_status sni_measures_create(const sn_model *model, sni_measures **measures, sn_error *error);
void sni_measures_destroy(sni_measures *measures);

// Measures where a frame stands. The same bits for any number of threads; of equals the first skin
// and vertex or triangle counts.
sn_status sni_measures_run(sni_measures *measures, const sn_frame *frame,
                           sni_frame_measures *result, sn_error *error);

// The larger one of two, the first where they are equal.
void sni_depth_merge(sni_depth *into, const sni_depth *from, bool beyond_rest);
void sni_stretched_merge(sni_stretched *into, const sni_stretched *from);

extern const sni_depth sni_depth_none;
extern const sni_stretched sni_stretched_none;

// The `membrane` of a skin and its anchors; NULL where it has none.
const sni_anchors *sni_model_anchors(const sn_model *model, uint32_t surface,
                                     const sni_bound_deformer **membrane);

#endif
