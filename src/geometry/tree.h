// SPDX-License-Identifier: Apache-2.0
//
// A tree of boxes over triangles, eight children wide.
//
// Boxes hold their triangles exactly: all bounds are coordinates of vertices. Whatever is computed
// from a box by monotone steps (a distance, where a ray enters) is therefore never larger for a box
// than for what lies in it, rounding included; accel.c relies on that.
#ifndef SINEW_GEOMETRY_TREE_H
#define SINEW_GEOMETRY_TREE_H

#include "base/memory.h"

enum {
    SNI_TREE_WIDTH = 8,
    SNI_TREE_DEPTH = 64, // most levels of nodes
};

// The sides of a node's boxes, in this order.
enum { SNI_LOW_X, SNI_LOW_Y, SNI_LOW_Z, SNI_HIGH_X, SNI_HIGH_Y, SNI_HIGH_Z };

// Children stand at the front: other nodes, or single triangles, whose boxes are then tested eight
// at a time. A node has 2 to 8 of them (a root may have 1).
typedef struct sni_tree_node {
    float sides[6][SNI_TREE_WIDTH];
    uint32_t children[SNI_TREE_WIDTH]; // a node, or a slot
    bool is_leaf[SNI_TREE_WIDTH];      // it is a slot
    uint32_t child_count;
} sni_tree_node;

// A triangle, in the order of the tree.
typedef struct sni_tree_slot {
    uint32_t vertices[3]; // sorted by their coordinates
    uint32_t triangle;
} sni_tree_slot;

// Nodes [starts[i], starts[i + 1]) depend on each other and on those behind them only; the first
// range is the top of the tree.
typedef struct sni_tree {
    sn_context *context;
    uint32_t node_count;
    uint32_t slot_count;
    sni_tree_node *nodes; // parents before children
    sni_tree_slot *slots;
    uint32_t part_count;
    uint32_t *starts; // part_count + 1
} sni_tree;

// Builds a tree over `count` triangles, on all threads of the context. The tree is the same for any
// number of threads.
sn_status sni_tree_init(sni_tree *tree, sn_context *context, const float *positions,
                        const uint32_t *vertices, uint32_t count, sn_error *error);
void sni_tree_deinit(sni_tree *tree);

// Adapts the boxes to moved vertices of the same triangles.
void sni_tree_refit(sni_tree *tree, const float *positions, const uint32_t *vertices);

#endif
