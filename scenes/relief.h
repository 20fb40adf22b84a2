// SPDX-License-Identifier: Apache-2.0
//
// Relief on a symmetric mesh of quads: scales, spikes, lids and nostrils. An area of quads is taken
// out, and rings that follow its border are built in its place, closed by one polygon with as many
// sides as the border has or by a point in which as many edges meet.
#ifndef SINEW_SCENES_RELIEF_H
#define SINEW_SCENES_RELIEF_H

#include "scenes/shapes.h"

#define SCN_RINGS_MAX 6

// A ring: the border drawn towards the area's middle to this part of its size (0 to 1), lifted by
// `height` metres. With `radius` above 0 it is an oval about the middle instead.
typedef struct scn_ring {
    double scale, height, radius;
} scn_ring;

typedef struct scn_relief_form {
    uint32_t count;
    scn_ring rings[SCN_RINGS_MAX];
    bool pointed;    // the last ring's middle is a point of `height`; else a polygon closes it
    double height;   // of that point, metres
    sn_vec3 lean;    // added to the direction in which heights count, before it is made unit
    double round;    // 0 to 1: how far rings go from the border's outline towards a circle
    double ball;     // above 0: ovals rest on a ball of this radius, and heights count from there
    sn_vec3 squeeze; // ovals are this much shorter along this direction, 0 to 1
    uint32_t tag;    // of new vertices
} scn_relief_form;

typedef struct scn_relief scn_relief;

// `mirror` is the one from scn_builder_mirror, `normals` those of the builder's vertices; both are
// borrowed. NULL when memory runs out.
scn_relief *scn_relief_begin(scn_builder *builder, const uint32_t *mirror, const sn_vec3 *normals);

// Puts a form onto the quads around a vertex, `reach` quads wide, and its mirror image onto the
// other side. False, and nothing is done, where other relief is in the way or the area is no disk.
bool scn_relief_around(scn_relief *relief, uint32_t vertex, uint32_t reach,
                       const scn_relief_form *form);

// The same for the quads whose middle lies within `radius` of the line through `center` along
// `normal`, and that look along it; the area's middle and direction are these two.
bool scn_relief_within(scn_relief *relief, sn_vec3 center, double radius, sn_vec3 normal,
                       const scn_relief_form *form);

// Takes the covered quads and the vertices inside them out of the builder.
void scn_relief_end(scn_relief *relief);
void scn_relief_destroy(scn_relief *relief);

#endif
