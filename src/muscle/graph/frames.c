// SPDX-License-Identifier: Apache-2.0
//
// Control points in a pose, with their local frames: x along the path towards the parent, y and z
// across it. The frames of the thesis are rigid, so that a vertex between two control points is
// drawn together by their weights alone, and a surface contracts in stairs. Here x is as long as
// the path is stretched at the control point: both points then say the same of whatever lies
// between them, and a straight muscle contracts evenly whatever the weights are.
#include "muscle/graph/graph.h"

#include "geometry/distance_grid.h"

#include <math.h>

// About its path a frame turns as the bone that carries its knot does, all of that up to the first
// of these angles and nothing at half a turn, so that it never jumps.
static const double full_twist = 2.1;

// Where less than this part of the bone's section is seen along the path, the bone tells less and
// less about the twist.
static const double seen_part = 0.2;

// Times that a point of a sphincter is moved away from what it slides on.
enum { SLIDES = 3 };

bool sni_graph_pose_init(const sni_graph *g, sni_arena *arena, sni_graph_pose *pose) {
    uint32_t n = g->tree.count;
    *pose = (sni_graph_pose){0};
    pose->carried = sni_arena_alloc(arena, n, sizeof *pose->carried);
    pose->knots = sni_arena_alloc(arena, n, sizeof *pose->knots);
    pose->ways = sni_arena_alloc(arena, g->links.count, sizeof *pose->ways);
    pose->leaves = sni_arena_alloc(arena, n, sizeof *pose->leaves);
    pose->places = sni_arena_alloc(arena, n, sizeof *pose->places);
    pose->scratch = sni_arena_alloc(arena, 2 * (size_t)n, sizeof *pose->scratch);
    pose->frames = sni_arena_alloc(arena, n, sizeof *pose->frames);
    pose->stretches = sni_arena_alloc(arena, n, sizeof *pose->stretches);
    return pose->carried != NULL && pose->knots != NULL && pose->ways != NULL &&
           pose->leaves != NULL && pose->places != NULL && pose->scratch != NULL &&
           pose->frames != NULL && pose->stretches != NULL;
}

void sni_graph_carry(const sni_graph *g, const sn_mat4 *worlds, sni_graph_pose *pose) {
    pose->home = sni_rigid_frame_of(&worlds[g->home]);
    sni_graph_knots_carry(&g->knots, g->tree.count, worlds, &pose->home, pose->carried);
}

// --- Twist

static double smooth_step(double x) {
    double t = x <= 0 ? 0 : x >= 1 ? 1 : x;
    return t * t * (3 - 2 * t);
}

// By how much a frame is turned about its path to follow its bone: the angle of the bone's section
// as it is seen along the path.
static double find_twist(const sni_graph_frame *frame, const sni_graph_frame *carried) {
    double c = sn_vec3_dot(frame->y, carried->y) + sn_vec3_dot(frame->z, carried->z);
    double s = sn_vec3_dot(frame->z, carried->y) - sn_vec3_dot(frame->y, carried->z);
    double seen = sqrt(c * c + s * s) / 2;
    double angle = seen > 0 ? atan2(s, c) : 0;
    double followed = 1 - smooth_step((fabs(angle) - full_twist) / (SN_PI - full_twist));
    return angle * followed * smooth_step(seen / seen_part);
}

static void twist(sni_graph_frame *frame, const sni_graph_frame *carried) {
    double angle = find_twist(frame, carried), c = cos(angle), s = sin(angle);
    sn_vec3 y = sn_vec3_add_scaled(sn_vec3_scale(frame->y, c), s, frame->z);
    frame->y = sn_vec3_normalize_or(y, frame->y);
    frame->z = sn_vec3_cross(frame->x, frame->y);
}

// --- Muscles with paths

// A root looks the mean way of its children.
static sni_graph_frame root_frame(const sni_graph *g, const sni_graph_pose *pose, uint32_t root) {
    sni_graph_frame frame = pose->carried[root];
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < g->links.count; ++i) {
        if (g->links.links[i].parent == root && g->links.links[i].above == SN_NONE &&
            g->links.starts[g->links.links[i].knot] == i) {
            sum = sn_vec3_add(sum, pose->ways[i].end.x);
        }
    }
    sn_vec3 x = sn_vec3_normalize_or(sum, frame.x);
    sn_quat turn = sn_quat_between(frame.x, x);
    sn_vec3 y = sni_across(sn_quat_rotate(turn, frame.y), x);
    frame.x = x;
    frame.y = sn_vec3_normalize_or(y, sn_vec3_perpendicular(x));
    frame.z = sn_vec3_cross(frame.x, frame.y);
    frame.origin = pose->knots[root];
    return frame;
}

// Of the pieces on both sides of a point, by their lengths at rest.
static double stretch_at(const sni_graph_tree *tree, const double *rest, const double *places,
                         uint32_t point) {
    double now = 0, then = 0;
    if (tree->parents[point] != SN_NONE) {
        now += places[point] - places[tree->parents[point]];
        then += rest[point] - rest[tree->parents[point]];
    }
    for (uint32_t k = tree->child_starts[point]; k < tree->child_starts[point + 1]; ++k) {
        now += places[tree->children[k]] - places[point];
        then += rest[tree->children[k]] - rest[point];
    }
    return now / then;
}

static double flesh_ratio(const sni_graph *g, const double *places) {
    const sni_graph_tree *tree = &g->tree;
    double now = 0, then = 0;
    for (uint32_t i = 0; i < tree->count; ++i) {
        uint32_t parent = tree->parents[i];
        if (parent != SN_NONE && !tree->tendons[i]) {
            now += places[i] - places[parent];
            then += g->rest_places[i] - g->rest_places[parent];
        }
    }
    return then > 0 ? now / then : 1;
}

static void place_paths(const sni_graph *g, double part, sni_graph_pose *pose) {
    const sni_graph_tree *tree = &g->tree;
    sni_graph_find_ways(tree, &g->links, pose->knots, pose->carried, pose->ways);
    for (uint32_t i = 0; i < tree->count; ++i) {
        pose->leaves[i] = sni_graph_path_length(&g->links, pose->ways, i);
    }
    sni_graph_spread(tree, g->rest_places, pose->leaves, pose->places, pose->scratch);
    sni_graph_contract(tree, g->rest_places, part, pose->places);
    pose->ratio = flesh_ratio(g, pose->places);
    pose->length = 0;
    for (uint32_t i = 0; i < tree->count; ++i) {
        bool root = tree->parents[i] == SN_NONE;
        pose->frames[i] =
            root ? root_frame(g, pose, i)
                 : sni_graph_path_place(tree, &g->links, pose->ways, i, pose->places[i]);
        twist(&pose->frames[i], &pose->carried[i]);
        pose->stretches[i] = stretch_at(tree, g->rest_places, pose->places, i);
    }
    for (uint32_t i = 0; i < g->leaf_count; ++i) {
        pose->length += pose->places[g->leaves[i]] / g->leaf_count;
    }
}

// --- Sphincters

double sni_graph_clearance(const sni_graph *g, const sn_mat4 *worlds, uint32_t obstacle, sn_vec3 at,
                           sn_vec3 *outward) {
    const sni_touched_bone *bone = &g->obstacles[obstacle];
    sn_mat4 back, place = bone->segment != SN_NONE
                              ? sn_mat4_multiply(&worlds[bone->segment], &bone->to_segment)
                              : bone->to_segment;
    sn_vec3 gradient, none = {0, 0, 0};
    if (!sn_mat4_invert(&place, &back)) {
        return INFINITY; // a segment without size has nothing to slide on
    }
    double distance = sni_distance_grid_at(bone->grid->grid, sn_mat4_point(&back, at), &gradient);
    if (outward != NULL) {
        *outward = sn_vec3_normalize_or(sn_mat4_direction(&place, gradient), none);
    }
    return distance * cbrt(fabs(sn_mat4_determinant(&place)));
}

// Moves a point away from what it slides on, to where it is as far from it as at rest.
static sn_vec3 slide(const sni_graph *g, const sn_mat4 *worlds, const sni_rigid_frame *home,
                     uint32_t point, sn_vec3 at) {
    sn_vec3 world = sni_rigid_frame_point(home, at), outward;
    for (uint32_t k = 0; k < SLIDES * g->obstacle_count; ++k) {
        uint32_t number = k % g->obstacle_count;
        double wanted = g->clearances[(size_t)point * g->obstacle_count + number];
        double missing = wanted - sni_graph_clearance(g, worlds, number, world, &outward);
        if (missing > 0) {
            world = sn_vec3_add_scaled(world, missing, outward);
        }
    }
    sn_vec3 back = sn_vec3_sub(world, home->translation);
    return g->obstacle_count > 0 ? sn_quat_rotate(sn_quat_conjugate(home->rotation), back) : at;
}

// Along the ring, from the point before to the one behind; towards the parent.
static sn_vec3 ring_tangent(const sni_graph_tree *tree, const sni_graph_frame *frames,
                            uint32_t point) {
    uint32_t parent = tree->parents[point];
    uint32_t children = sni_graph_child_count(tree, point);
    sn_vec3 to = frames[parent != SN_NONE ? parent : point].origin, from = frames[point].origin;
    if (children > 0) {
        from = sn_vec3_make(0, 0, 0);
    }
    for (uint32_t k = 0; k < children; ++k) {
        uint32_t child = tree->children[tree->child_starts[point] + k];
        from = sn_vec3_add_scaled(from, 1.0 / children, frames[child].origin);
    }
    return sn_vec3_sub(to, from);
}

static double ring_length(const sni_graph_tree *tree, const sni_graph_frame *frames,
                          uint32_t point) {
    uint32_t parent = tree->parents[point];
    return parent != SN_NONE ? sn_vec3_distance(frames[point].origin, frames[parent].origin) : 0;
}

static double ring_stretch(const sni_graph *g, const double *lengths, uint32_t point) {
    const sni_graph_tree *tree = &g->tree;
    double now = lengths[point], then = g->rest_places[point];
    for (uint32_t k = tree->child_starts[point]; k < tree->child_starts[point + 1]; ++k) {
        now += lengths[tree->children[k]];
        then += g->rest_places[tree->children[k]];
    }
    return now / then;
}

// All points go straight to the centre; the graph gives them directions and neighbours alone.
static void place_ring(const sni_graph *g, const sn_mat4 *worlds, double part,
                       sni_graph_pose *pose) {
    const sni_graph_tree *tree = &g->tree;
    double now = 0, then = 0;
    sn_vec3 center = sni_carried_point(&pose->home, &worlds[g->center.segment], g->center.point);
    for (uint32_t i = 0; i < tree->count; ++i) {
        sn_vec3 at = sn_vec3_lerp(pose->knots[i], center, part);
        pose->frames[i].origin = slide(g, worlds, &pose->home, i, at);
    }
    for (uint32_t i = 0; i < tree->count; ++i) {
        sni_graph_frame *frame = &pose->frames[i];
        const sni_graph_frame *carried = &pose->carried[i];
        frame->x = sn_vec3_normalize_or(ring_tangent(tree, pose->frames, i), carried->x);
        sn_quat turn = sn_quat_between(carried->x, frame->x);
        sn_vec3 y = sni_across(sn_quat_rotate(turn, carried->y), frame->x);
        frame->y = sn_vec3_normalize_or(y, sn_vec3_perpendicular(frame->x));
        frame->z = sn_vec3_cross(frame->x, frame->y);
        pose->places[i] = ring_length(tree, pose->frames, i);
        now += pose->places[i];
        then += g->rest_places[i];
    }
    for (uint32_t i = 0; i < tree->count; ++i) {
        pose->stretches[i] = then > 0 ? ring_stretch(g, pose->places, i) : 1;
    }
    pose->ratio = then > 0 ? now / then : 1;
    pose->length = now;
}

void sni_graph_place(const sni_graph *g, const sn_mat4 *worlds, const sn_vec3 *moves, double part,
                     sni_graph_pose *pose) {
    for (uint32_t i = 0; i < g->tree.count; ++i) {
        pose->knots[i] = pose->carried[i].origin;
        if (moves != NULL) {
            pose->knots[i] = sn_vec3_add(pose->knots[i], moves[i]);
        }
    }
    if (g->sphincter) {
        place_ring(g, worlds, part, pose);
    } else {
        place_paths(g, part, pose);
    }
}
