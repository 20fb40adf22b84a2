// SPDX-License-Identifier: Apache-2.0
//
// Control points are defined along the path (section 4.1 of the thesis), so that they spread where
// bones or neighbours change its length. In the thesis a point keeps its knot: only the last piece
// of a path becomes longer where the last bone moves away. Here the flesh of a path is one rubber
// band from root to leaf, on which the control points are marks: all of its pieces are stretched
// alike, while tendons keep their length. With several heads it is a tree of bands that are in
// balance.
//
// Let x be the lengths from the root and l the lengths of pieces at rest. A piece from i to its
// parent p pulls with (x_i - x_p - l_i) / c_i, where the compliance c_i is l_i for flesh and a
// small part of that for tendon. Seen from below, all that hangs on p is one band that would have p
// at X with the compliance C, since bands in a row add their compliances and bands side by side
// their stiffnesses. Leaves are held by their knots: X is the length of the path there, and C is 0.
#include "muscle/graph/graph.h"

#include <math.h>

// Compliance of tendon, relative to that of flesh as long as it: under 30 % of stretch it becomes
// longer by 0.003 %.
static const double tendon_compliance = 1e-4;

// Flesh that bones press together to less than the first of these parts of its length gives way
// ever less, down to the second.
static const double pressed = 0.3;
static const double shortest = 0.1;

static double rest_length(const sni_graph_tree *tree, const double *rest, uint32_t point) {
    return rest[point] - rest[tree->parents[point]];
}

// What hangs on a point: where it would have it, and with which compliance; INFINITY for nothing.
static void gather(const sni_graph_tree *tree, const double *rest, uint32_t point, double *wanted,
                   double *compliances) {
    double stiffness = 0, sum = 0;
    for (uint32_t k = tree->child_starts[point]; k < tree->child_starts[point + 1]; ++k) {
        uint32_t child = tree->children[k];
        double length = rest_length(tree, rest, child);
        double own = tree->tendons[child] ? tendon_compliance * length : length;
        double stiff = 1 / (compliances[child] + own);
        stiffness += stiff;
        sum += stiff * (wanted[child] - length);
    }
    wanted[point] = sum / stiffness;
    compliances[point] = 1 / stiffness;
}

void sni_graph_spread(const sni_graph_tree *tree, const double *rest, const double *leaves,
                      double *places, double *scratch) {
    double *wanted = scratch, *compliances = scratch + tree->count;
    for (uint32_t k = tree->count; k-- > 0;) {
        uint32_t point = tree->order[k];
        if (sni_graph_child_count(tree, point) == 0) {
            wanted[point] = leaves[point];
            compliances[point] = 0;
        } else {
            gather(tree, rest, point, wanted, compliances);
        }
    }
    for (uint32_t k = 0; k < tree->count; ++k) {
        uint32_t point = tree->order[k], parent = tree->parents[point];
        if (parent == SN_NONE) {
            places[point] = 0;
            continue;
        }
        double length = rest_length(tree, rest, point);
        double own = tree->tendons[point] ? tendon_compliance * length : length;
        double above = places[parent] + length; // where it would be unstretched
        double share = own / (own + compliances[point]);
        places[point] = above + share * (wanted[point] - above);
    }
}

// The length that flesh really has, relative to that at rest.
static double give_way(double ratio) {
    double room = pressed - shortest;
    return ratio >= pressed ? ratio : shortest + room * exp((ratio - pressed) / room);
}

void sni_graph_contract(const sni_graph_tree *tree, const double *rest, double part,
                        double *places) {
    for (uint32_t k = tree->count; k-- > 1;) {
        // From the leaves on, so that every parent still has its place.
        uint32_t point = tree->order[k], parent = tree->parents[point];
        if (parent != SN_NONE) {
            places[point] -= places[parent];
        }
    }
    for (uint32_t k = 0; k < tree->count; ++k) {
        uint32_t point = tree->order[k], parent = tree->parents[point];
        if (parent == SN_NONE) {
            continue;
        }
        double length = rest_length(tree, rest, point);
        double flesh = length * give_way(places[point] / length) * (1 - part);
        places[point] = places[parent] + (tree->tendons[point] ? places[point] : flesh);
    }
}
