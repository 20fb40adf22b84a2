// SPDX-License-Identifier: Apache-2.0
//
// A NURBS patch cut into cells for searching: every non-empty knot span into equal parts. A part is
// a Bézier patch of its own and lies within the hull of its control points, so that an oriented box
// around these bounds its distance from below; a part's box is thin by the square of its size.
#ifndef SINEW_GEOMETRY_NURBS_CELLS_H
#define SINEW_GEOMETRY_NURBS_CELLS_H

#include "geometry/nurbs.h"

#include <math.h>

// Parts of a span in each direction.
enum { SNI_NURBS_SPLIT = 4 };

typedef struct sni_oriented_box {
    sn_vec3 center;
    sn_vec3 axes[3]; // unit
    double half[3];
} sni_oriented_box;

typedef struct sni_nurbs_cell {
    sni_oriented_box box;
    double t[2];       // parameters of its middle
    sni_nurbs_jet jet; // point and derivatives there
} sni_nurbs_cell;

// The cells of one span.
typedef struct sni_nurbs_span {
    sni_oriented_box box;
    sni_nurbs_cell cells[SNI_NURBS_SPLIT * SNI_NURBS_SPLIT]; // v fastest
} sni_nurbs_span;

typedef struct sni_nurbs_cells {
    uint32_t counts[2]; // of spans
    double *ends[2];    // counts + 1 parameters where spans begin and end
    bool smooth;        // first derivatives are continuous between spans
    sni_nurbs_span *spans;
} sni_nurbs_cells;

// Cuts a surface that passes sni_nurbs_validate. Fails for want of memory, or with SN_LIMIT for too
// many spans; nothing is left allocated then.
sn_status sni_nurbs_cells_init(sn_context *context, const sni_nurbs *nurbs, sni_nurbs_cells *cells,
                               sn_error *error);
void sni_nurbs_cells_deinit(sn_context *context, sni_nurbs_cells *cells);

// The place of a parameter among the cells of a direction, over all spans.
uint32_t sni_nurbs_cell_at(const sni_nurbs_cells *cells, int direction, double t);

// The distance from a box, not more than that from anything in it.
static inline double sni_oriented_box_distance(const sni_oriented_box *box, sn_vec3 point) {
    sn_vec3 e = sn_vec3_sub(point, box->center);
    double square = 0;
    for (int i = 0; i < 3; ++i) {
        double along = sn_vec3_dot(e, box->axes[i]);
        double beyond = (along < 0 ? -along : along) - box->half[i];
        square += beyond > 0 ? beyond * beyond : 0;
    }
    return sqrt(square);
}

#endif
