// SPDX-License-Identifier: Apache-2.0
//
// Where the paths of a muscle pull at bones: a line from each leaf up to its root, straight between
// the points on bones that it passes. Points in space give the path its shape and pull at nothing;
// a sphincter pulls at no bone.
#include "muscle/graph/graph.h"

// The segment of a point on a bone; SN_NONE: it is in space, between several.
static uint32_t bone_of(const sni_graph *g, uint32_t point) {
    uint32_t first = g->knots.starts[point];
    return g->knots.starts[point + 1] == first + 1 ? g->knots.carriers[first].segment : SN_NONE;
}

static sni_muscle_pull place_of(const sni_graph *g, const sn_mat4 *worlds, uint32_t point) {
    const sni_graph_carrier *carrier = &g->knots.carriers[g->knots.starts[point]];
    return (sni_muscle_pull){.segment = carrier->segment,
                             .at = sn_mat4_point(&worlds[carrier->segment], carrier->point)};
}

static void pull_path(const sni_graph *g, const sn_mat4 *worlds, uint32_t leaf,
                      sni_muscle_line *line) {
    line->pull_count = 0;
    for (uint32_t point = leaf; point != SN_NONE; point = g->tree.parents[point]) {
        if (bone_of(g, point) == SN_NONE) {
            continue;
        }
        uint32_t last = line->pull_count++;
        line->pulls[last] = place_of(g, worlds, point);
        if (last > 0) {
            sni_muscle_line_add(line, &line->pulls[last - 1], &line->pulls[last]);
        }
    }
}

sn_status sni_graph_pull_at(const sni_graph *g, sni_arena *arena, const sn_mat4 *worlds,
                            sni_muscle_lines *lines, sn_error *error) {
    uint32_t count = g->sphincter ? 0 : g->leaf_count;
    if (!sni_muscle_lines_init(arena, count, g->tree.count, lines)) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < count; ++i) {
        pull_path(g, worlds, g->leaves[i], &lines->lines[i]);
    }
    return SN_OK;
}
