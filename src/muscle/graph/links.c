// SPDX-License-Identifier: Apache-2.0
//
// The paths of a muscle. Where branches meet in a knot, every branch goes on smoothly (section 4.1
// of the thesis: splines that overlap, from each leaf to the root), so that the way from that knot
// to its parent has a curve for each branch, and one for the point of the knot itself:
//
//     leaf a ──► o ──┐                    links of the knot k: from a, from b, and its own,
//                    k ──► o ──► root     whose curve comes from the mean of a and b;
//     leaf b ──► o ──┘                    above it all are the same
//
// Frames are carried along the curves by the double reflection of Wang, Juettler, Zheng and Liu
// (2008), which turns them as little as possible about the curve. The thesis aligns each frame with
// the world's x axis by the shortest rotation (equations 4.5 to 4.9): a body that turns as a whole
// then twists its muscles, and where a path points against that axis frames flip over.
#include "muscle/graph/graph.h"

#include <math.h>

// Steps of the transport along a curve: the turn about the curve is exact to 1e-3 for a right
// angle.
enum { STEPS = 4 };

// --- Links

static uint32_t find_link(const sni_graph_links *links, uint32_t knot, uint32_t from) {
    for (uint32_t i = 0; i < links->count; ++i) {
        if (links->links[i].knot == knot && links->links[i].from == from) {
            return i;
        }
    }
    return SN_NONE;
}

static void add_link(sni_graph_links *links, const sni_graph_tree *tree, uint32_t knot,
                     uint32_t from) {
    uint32_t parent = tree->parents[knot];
    links->links[links->count] = (sni_graph_link){
        .knot = knot, .parent = parent, .from = from, .above = find_link(links, parent, knot)};
    ++links->count;
}

// A knot with one child has one link: whoever comes from the child comes from the mean of all.
sn_status sni_graph_links_init(sni_graph_links *links, const sni_graph_tree *tree,
                               sn_error *error) {
    sn_status status = SN_OK;
    *links = (sni_graph_links){0};
    SNI_NEW(tree->context, links->links, 2 * (size_t)tree->count);
    SNI_NEW(tree->context, links->starts, tree->count);
    for (uint32_t k = 0; k < tree->count; ++k) {
        uint32_t knot = tree->order[k], children = sni_graph_child_count(tree, knot);
        links->starts[knot] = SN_NONE;
        for (uint32_t c = 0; tree->parents[knot] != SN_NONE && c < children; ++c) {
            links->starts[knot] = children == 1 ? links->count : SN_NONE;
            add_link(links, tree, knot, tree->children[tree->child_starts[knot] + c]);
        }
        if (tree->parents[knot] != SN_NONE && children != 1) {
            links->starts[knot] = links->count;
            add_link(links, tree, knot, SN_NONE);
        }
    }
cleanup:
    return status;
}

void sni_graph_links_deinit(sni_graph_links *links, sn_context *context) {
    sni_free(context, links->links);
    sni_free(context, links->starts);
    *links = (sni_graph_links){0};
}

// --- Curves

static sn_vec3 reflected(sn_vec3 point, sn_vec3 center) {
    return sn_vec3_add_scaled(center, 1, sn_vec3_sub(center, point));
}

// What lies before a link's knot: a child, the mean of all, or, at a leaf, the parent reflected.
static sn_vec3 knot_before(const sni_graph_tree *tree, const sni_graph_link *link,
                           const sn_vec3 *knots) {
    uint32_t count = sni_graph_child_count(tree, link->knot);
    sn_vec3 sum = {0, 0, 0};
    if (link->from != SN_NONE) {
        return knots[link->from];
    }
    if (count == 0) {
        return reflected(knots[link->parent], knots[link->knot]);
    }
    for (uint32_t c = 0; c < count; ++c) {
        sum = sn_vec3_add(sum, knots[tree->children[tree->child_starts[link->knot] + c]]);
    }
    return sn_vec3_scale(sum, 1.0 / count);
}

static sni_graph_curve find_curve(const sni_graph_tree *tree, const sni_graph_link *link,
                                  const sn_vec3 *knots) {
    uint32_t next = tree->parents[link->parent];
    sn_vec3 a = knots[link->knot], b = knots[link->parent];
    return sni_graph_curve_through(knot_before(tree, link, knots), a, b,
                                   next != SN_NONE ? knots[next] : reflected(a, b));
}

// --- Frames

static sn_vec3 reflect_in(sn_vec3 v, sn_vec3 normal, double square) {
    return square > 0 ? sn_vec3_add_scaled(v, -2 * sn_vec3_dot(v, normal) / square, normal) : v;
}

// One step of the double reflection: from a frame to a place with the tangent `x`.
static sni_graph_frame carry(const sni_graph_frame *frame, sn_vec3 origin, sn_vec3 x) {
    sn_vec3 way = sn_vec3_sub(origin, frame->origin);
    double square = sn_vec3_dot(way, way);
    sn_vec3 y = reflect_in(frame->y, way, square);
    sn_vec3 along = reflect_in(frame->x, way, square);
    sn_vec3 rest = sn_vec3_sub(x, along);
    y = reflect_in(y, rest, sn_vec3_dot(rest, rest));
    y = sn_vec3_normalize_or(sni_across(y, x), sn_vec3_perpendicular(x));
    return (sni_graph_frame){origin, x, y, sn_vec3_cross(x, y)};
}

// The frame at a place of a curve, carried there from its end.
static sni_graph_frame frame_on(const sni_graph_way *way, double place) {
    sni_graph_frame frame = way->end;
    for (int i = 1; i <= STEPS; ++i) {
        double u = 1 + (place - 1) * i / STEPS;
        sn_vec3 x = sn_vec3_normalize_or(sni_graph_curve_slope(&way->curve, u), frame.x);
        frame = carry(&frame, sni_graph_curve_point(&way->curve, u), x);
    }
    return frame;
}

static sni_graph_frame turned(const sni_graph_frame *frame, sn_vec3 x) {
    sn_quat turn = sn_quat_between(frame->x, x);
    sn_vec3 y = sn_vec3_normalize_or(sni_across(sn_quat_rotate(turn, frame->y), x),
                                     sn_vec3_perpendicular(x));
    return (sni_graph_frame){frame->origin, x, y, sn_vec3_cross(x, y)};
}

void sni_graph_find_ways(const sni_graph_tree *tree, const sni_graph_links *links,
                         const sn_vec3 *knots, const sni_graph_frame *carried,
                         sni_graph_way *ways) {
    for (uint32_t i = 0; i < links->count; ++i) {
        const sni_graph_link *link = &links->links[i];
        sni_graph_way *way = &ways[i];
        way->curve = find_curve(tree, link, knots);
        way->length = sni_graph_curve_length(&way->curve, 0);
        if (link->above != SN_NONE) {
            const sni_graph_way *above = &ways[link->above];
            way->top = above->top + above->length;
            way->end = frame_on(above, 0);
            continue;
        }
        sni_graph_frame root = carried[link->parent];
        root.origin = knots[link->parent];
        way->top = 0;
        way->end = turned(&root, sn_vec3_normalize_or(way->curve.b_slope, root.x));
    }
}

// --- Places

double sni_graph_path_length(const sni_graph_links *links, const sni_graph_way *ways,
                             uint32_t point) {
    uint32_t start = links->starts[point];
    return start != SN_NONE ? ways[start].top + ways[start].length : 0;
}

// The link of a path that is `length` from the root, which is not beyond the point's knot.
static uint32_t link_at(const sni_graph_links *links, const sni_graph_way *ways, uint32_t point,
                        double length) {
    uint32_t link = links->starts[point];
    while (length < ways[link].top && links->links[link].above != SN_NONE) {
        link = links->links[link].above;
    }
    return link;
}

static sni_graph_frame place_on(const sni_graph_way *way, double length) {
    return frame_on(way, sni_graph_curve_place(&way->curve, way->length, length));
}

sni_graph_frame sni_graph_path_place(const sni_graph_tree *tree, const sni_graph_links *links,
                                     const sni_graph_way *ways, uint32_t point, double length) {
    double whole = sni_graph_path_length(links, ways, point);
    if (length <= whole) {
        const sni_graph_way *way = &ways[link_at(links, ways, point, length)];
        return place_on(way, fmax(length - way->top, 0));
    }
    double beyond = length - whole;
    while (sni_graph_child_count(tree, point) == 1) {
        uint32_t child = tree->children[tree->child_starts[point]];
        const sni_graph_way *way = &ways[links->starts[child]];
        if (beyond <= way->length) {
            return place_on(way, beyond);
        }
        beyond -= way->length;
        point = child;
    }
    sni_graph_frame end = frame_on(&ways[links->starts[point]], 0);
    end.origin = sn_vec3_add_scaled(end.origin, -beyond, end.x);
    return end;
}

void sni_graph_path_knots(const sni_graph_links *links, const sni_graph_way *ways, uint32_t point,
                          double length, uint32_t *lower, double *share) {
    *lower = point;
    *share = 0;
    if (links->starts[point] != SN_NONE && length < sni_graph_path_length(links, ways, point)) {
        uint32_t link = link_at(links, ways, point, length);
        *lower = links->links[link].knot;
        *share = sni_graph_curve_place(&ways[link].curve, ways[link].length,
                                       fmax(length - ways[link].top, 0));
    }
}
