// SPDX-License-Identifier: Apache-2.0
//
// Where the slices of a cylinder muscle are (section 4.2 of the paper).
//
// The axis goes from the middle of the origins over its pivots to the middle of the insertions.
// Slices stand equidistant on each straight piece, across it; x turns evenly from node to node.
#include "muscle/cylinder/cylinder.h"

#include "base/hermite.h"

#include <math.h>

// A vector that is shorter than this part of a unit vector has no direction that could be trusted.
static const double no_direction = 1e-6;

bool sni_cylinder_path_init(const sni_cylinder *cylinder, sni_arena *arena,
                            sni_cylinder_path *path) {
    uint32_t nodes = cylinder->node_count, slices = cylinder->rings.slice_count;
    uint32_t wraps = cylinder->wrap_count;
    path->nodes = sni_arena_alloc(arena, nodes, sizeof *path->nodes);
    path->effects = sni_arena_alloc(arena, nodes, sizeof *path->effects);
    path->fixed = sni_arena_alloc(arena, nodes, sizeof *path->fixed);
    path->frames = sni_arena_alloc(arena, slices, sizeof *path->frames);
    path->angles = sni_arena_alloc(arena, nodes, sizeof *path->angles);
    path->bodies = sni_arena_alloc(arena, wraps, sizeof *path->bodies);
    path->arcs = sni_arena_alloc(arena, wraps, sizeof *path->arcs);
    path->order = sni_arena_alloc(arena, wraps, sizeof *path->order);
    path->legs = sni_arena_alloc(arena, wraps, sizeof *path->legs);
    path->first_arcs = sni_arena_alloc(arena, nodes, sizeof *path->first_arcs);
    path->stands = sni_arena_alloc(arena, slices, sizeof *path->stands);
    path->lifts = sni_arena_alloc(arena, slices, sizeof *path->lifts);
    path->length = 0;
    return path->nodes != NULL && path->effects != NULL && path->fixed != NULL &&
           path->frames != NULL && path->angles != NULL && path->bodies != NULL &&
           path->arcs != NULL && path->order != NULL && path->legs != NULL &&
           path->first_arcs != NULL && path->stands != NULL && path->lifts != NULL;
}

static sn_vec3 unit_or(sn_vec3 a, sn_vec3 fallback) {
    double length = sn_vec3_length(a);
    return length > no_direction ? sn_vec3_scale(a, 1 / length) : fallback;
}

static sn_vec3 toward(sn_vec3 a, sn_vec3 b, sn_vec3 fallback) {
    return sn_vec3_normalize_or(sn_vec3_sub(b, a), fallback);
}

// A unit vector across `axis`, along `a` where that has a direction there, else along `b`, else
// any.
static sn_vec3 unit_across(sn_vec3 a, sn_vec3 b, sn_vec3 axis) {
    return unit_or(sni_across(a, axis), unit_or(sni_across(b, axis), sn_vec3_perpendicular(axis)));
}

static sni_slice_frame frame_of(sn_vec3 origin, sn_vec3 x, sn_vec3 z) {
    return (sni_slice_frame){.origin = origin, .x = x, .y = sn_vec3_cross(z, x), .z = z};
}

// The angle from a to b about the unit vector z, both taken across it, that is closest to `rest`:
// it is continuous as long as the muscle is not twisted by half a turn.
static double twist(sn_vec3 a, sn_vec3 b, sn_vec3 z, double rest) {
    double angle = atan2(sn_vec3_dot(z, sn_vec3_cross(a, b)), sn_vec3_dot(a, b));
    return rest + remainder(angle - rest, 2 * SN_PI);
}

// a, which is across z, turned about it.
static sn_vec3 turned(sn_vec3 a, sn_vec3 z, double angle) {
    return sn_vec3_add_scaled(sn_vec3_scale(a, cos(angle)), sin(angle), sn_vec3_cross(z, a));
}

// End frames: between the two attachments, x along them, z along the mean of the bones' normals
// (`side` 1: out of the bone, -1: into it), made perpendicular to x.
static sni_slice_frame end_frame(const sn_vec3 points[2], const sn_vec3 normals[2], double side,
                                 sn_vec3 way) {
    sn_vec3 between = sn_vec3_sub(points[1], points[0]);
    sn_vec3 mean = sn_vec3_scale(sn_vec3_add(normals[0], normals[1]), side / 2);
    // Attachments that have come together leave x to the normal.
    sn_vec3 x = sn_vec3_normalize_or(between, sn_vec3_perpendicular(unit_or(mean, way)));
    sn_vec3 z = unit_across(mean, way, x);
    return frame_of(sn_vec3_lerp(points[0], points[1], 0.5), x, z);
}

static void find_ends(const sni_cylinder *cylinder, const sn_mat4 *worlds,
                      sni_cylinder_path *path) {
    const sni_rigid_frame *home = &path->home;
    sn_vec3 points[2][2], normals[2][2];
    for (int end = 0; end < 2; ++end) {
        for (int k = 0; k < 2; ++k) {
            const sni_carried_place *place = &cylinder->places[end][k];
            const sn_mat4 *world = &worlds[place->segment];
            points[end][k] = sni_carried_point(home, world, place->point);
            normals[end][k] = sni_carried_normal(home, world, place->normal);
        }
    }
    uint32_t last = cylinder->node_count - 1;
    sn_vec3 way = toward(sn_vec3_add(points[0][0], points[0][1]),
                         sn_vec3_add(points[1][0], points[1][1]), sn_vec3_make(0, 0, 1));
    path->nodes[0] = end_frame(points[0], normals[0], 1, way);
    path->nodes[last] = end_frame(points[1], normals[1], -1, way);
    path->effects[0] = path->effects[last] = 1;
    path->fixed[0] = path->fixed[last] = true;
}

// The next node from which on the axis does not depend on whether a pivot is passed by.
static uint32_t next_fixed(const sni_cylinder_path *path, uint32_t node) {
    do {
        ++node;
    } while (!path->fixed[node]);
    return node;
}

static double share_between(uint32_t slice, uint32_t first, uint32_t last) {
    return (double)(slice - first) / (last - first);
}

double sni_cylinder_way_to_next(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                                uint32_t node, uint32_t *next) {
    *next = next_fixed(path, node);
    return share_between(cylinder->nodes[node].slice, cylinder->nodes[node - 1].slice,
                         cylinder->nodes[*next].slice);
}

// How much a bent pivot is in effect: not at all where the straight way a-b passes it on the outer
// side, wholly where it comes half as near to the joint, smoothly between.
static double effect_of(sn_vec3 a, sn_vec3 b, sn_vec3 pivot, sn_vec3 outward, double reach) {
    sn_vec3 way = sn_vec3_sub(b, a), from = sn_vec3_sub(pivot, a);
    double square = sn_vec3_dot(way, way);
    double t = square > 0 ? fmin(fmax(sn_vec3_dot(from, way) / square, 0), 1) : 0;
    double height = sn_vec3_dot(sn_vec3_sub(sn_vec3_scale(way, t), from), outward);
    return sni_smooth_step(-height / reach);
}

// The segment of a pivot, or what turns with it by half.
static sn_mat4 world_of(const sni_cylinder_node *node, const sn_mat4 *worlds) {
    return node->halved ? sni_halfway(&worlds[node->segment], &worlds[node->other], node->rest_turn)
                        : worlds[node->segment];
}

// Where the pivots are. A bent one is judged on the way from the node before it to the next that is
// always there; in part in effect, it stands between that way and its own place. One that is off
// stands on the way.
static void find_pivots(const sni_cylinder *cylinder, const sn_mat4 *worlds,
                        const sni_muscle_pivot_place *places, sni_cylinder_path *path) {
    const sni_rigid_frame *home = &path->home;
    for (uint32_t i = 1; i + 1 < cylinder->node_count; ++i) {
        const sni_cylinder_node *node = &cylinder->nodes[i];
        const sni_muscle_pivot_place *place = places != NULL ? &places[node->pivot] : NULL;
        bool off = node->ranged && (place != NULL ? place->off : node->off);
        sn_mat4 world = world_of(node, worlds);
        path->nodes[i].origin =
            sni_carried_point(home, &world, place != NULL ? place->at : node->at);
        path->fixed[i] = !node->bent && !off;
        path->effects[i] = off ? 0 : 1;
    }
    for (uint32_t i = 1; i + 1 < cylinder->node_count; ++i) {
        const sni_cylinder_node *node = &cylinder->nodes[i];
        if (path->fixed[i]) {
            continue;
        }
        uint32_t next;
        double share = sni_cylinder_way_to_next(cylinder, path, i, &next);
        sn_vec3 a = path->nodes[i - 1].origin, b = path->nodes[next].origin;
        sn_vec3 *origin = &path->nodes[i].origin;
        if (node->bent) {
            sn_vec3 outward = sni_carried_direction(home, &worlds[node->segment], node->outward);
            path->effects[i] = effect_of(a, b, *origin, outward, node->reach);
        }
        *origin = sn_vec3_lerp(sn_vec3_lerp(a, b, share), *origin, path->effects[i]);
    }
}

// The direction that halves the bend at a pivot.
static sn_vec3 bisector(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                        uint32_t node) {
    sn_vec3 origin = path->nodes[node].origin;
    sn_vec3 to = toward(sni_cylinder_stop_before(cylinder, path, node), origin, path->nodes[0].z);
    return unit_or(
        sn_vec3_add(to, toward(origin, sni_cylinder_stop_after(cylinder, path, node), to)), to);
}

// Ends without bones stand across the way that begins or ends there.
static void turn_ends(const sni_cylinder *cylinder, sni_cylinder_path *path) {
    uint32_t last = cylinder->node_count - 1;
    for (int end = 0; end < 2; ++end) {
        const sni_carried_place *places = cylinder->places[end];
        if (sn_vec3_length(places[0].normal) + sn_vec3_length(places[1].normal) > 0) {
            continue;
        }
        sni_slice_frame *frame = &path->nodes[end == 0 ? 0 : last];
        sn_vec3 way =
            end == 0
                ? toward(frame->origin, sni_cylinder_stop_after(cylinder, path, 0), frame->z)
                : toward(sni_cylinder_stop_before(cylinder, path, last), frame->origin, frame->z);
        *frame = frame_of(frame->origin, frame->x, unit_across(way, frame->z, frame->x));
    }
}

// x between those of the end frames, about z.
static sn_vec3 mean_x(const sni_cylinder *cylinder, const sni_cylinder_path *path, uint32_t node,
                      sn_vec3 z, double *angle) {
    const sni_slice_frame *first = &path->nodes[0];
    const sni_slice_frame *last = &path->nodes[cylinder->node_count - 1];
    sn_vec3 a = unit_across(first->x, first->z, z), b = unit_across(last->x, last->z, z);
    double share = share_between(cylinder->nodes[node].slice, 0, cylinder->rings.slice_count - 1);
    *angle = twist(a, b, z, cylinder->nodes[node].rest_twist);
    return turned(a, z, share * *angle);
}

// Frames of pivots: z halves the bend, x is between those of the ends; or as the user turned them,
// as far as they are in effect.
static void turn_pivots(const sni_cylinder *cylinder, const sn_mat4 *worlds,
                        sni_cylinder_path *path) {
    const sni_rigid_frame *home = &path->home;
    for (uint32_t i = 1; i + 1 < cylinder->node_count; ++i) {
        const sni_cylinder_node *node = &cylinder->nodes[i];
        sn_vec3 z = bisector(cylinder, path, i);
        double angle;
        sn_vec3 x = mean_x(cylinder, path, i, z, &angle);
        if (node->turned) {
            sn_mat4 world = world_of(node, worlds);
            double effect = path->effects[i];
            sn_vec3 own_x = sni_carried_direction(home, &world, node->x);
            sn_vec3 own_z = sni_carried_direction(home, &world, node->z);
            z = unit_or(sn_vec3_lerp(z, own_z, effect), z);
            x = unit_across(sn_vec3_lerp(x, own_x, effect), x, z);
        }
        path->nodes[i] = frame_of(path->nodes[i].origin, x, z);
    }
}

// Slices of a straight piece, equidistant, across it.
static void stand_straight(const sni_cylinder *cylinder, uint32_t from, uint32_t to,
                           sni_cylinder_path *path) {
    const sni_slice_frame *a = &path->nodes[from], *b = &path->nodes[to];
    uint32_t first = cylinder->nodes[from].slice, last = cylinder->nodes[to].slice;
    sn_vec3 way = toward(a->origin, b->origin, a->z), x = unit_across(a->x, a->z, way);
    double angle = twist(x, unit_across(b->x, b->z, way), way, cylinder->nodes[from].rest_angle);
    for (uint32_t slice = first + 1; slice < last; ++slice) {
        double share = share_between(slice, first, last);
        path->frames[slice] =
            frame_of(sn_vec3_lerp(a->origin, b->origin, share), turned(x, way, share * angle), way);
    }
    path->angles[from] = angle;
    path->length += sn_vec3_distance(a->origin, b->origin);
}

// Slices of a piece around bodies: x is carried along, and turned evenly to that of the next node.
static void stand_around(const sni_cylinder *cylinder, uint32_t from, uint32_t to,
                         sni_cylinder_path *path) {
    const sni_slice_frame *a = &path->nodes[from], *b = &path->nodes[to];
    uint32_t first = cylinder->nodes[from].slice, last = cylinder->nodes[to].slice;
    sn_vec3 way = toward(a->origin, sni_cylinder_stop_after(cylinder, path, from), a->z);
    sni_slice_frame end;
    path->length += sni_cylinder_stand_around(cylinder, path, from, to,
                                              unit_across(a->x, a->z, way), way, &end);
    double angle =
        twist(end.x, unit_across(b->x, b->z, end.z), end.z, cylinder->nodes[from].rest_angle);
    for (uint32_t slice = first + 1; slice < last; ++slice) {
        const sni_slice_frame *frame = &path->frames[slice];
        double share = share_between(slice, first, last);
        path->frames[slice] =
            frame_of(frame->origin, turned(frame->x, frame->z, share * angle), frame->z);
    }
    path->angles[from] = angle;
}

static void find_slices(const sni_cylinder *cylinder, sni_cylinder_path *path) {
    path->length = 0;
    for (uint32_t i = 0; i < cylinder->node_count; ++i) {
        path->angles[i] = cylinder->nodes[i].rest_angle;
    }
    for (uint32_t i = 0; i + 1 < cylinder->node_count;) {
        uint32_t next = sni_cylinder_next_node(cylinder, path, i);
        if (sni_cylinder_is_around(path, i, next)) {
            stand_around(cylinder, i, next, path);
        } else {
            stand_straight(cylinder, i, next, path);
        }
        path->frames[cylinder->nodes[i].slice] = path->nodes[i];
        path->frames[cylinder->nodes[next].slice] = path->nodes[next];
        i = next;
    }
}

void sni_cylinder_find_stops(const sni_cylinder *cylinder, const sn_mat4 *worlds,
                             const sni_muscle_pivot_place *pivots, sni_cylinder_path *path) {
    path->home = sni_rigid_frame_of(&worlds[cylinder->home]);
    find_ends(cylinder, worlds, path);
    find_pivots(cylinder, worlds, pivots, path);
    sni_cylinder_find_arcs(cylinder, worlds, path);
}

void sni_cylinder_find_path(const sni_cylinder *cylinder, const sn_mat4 *worlds,
                            const sni_muscle_pivot_place *pivots, sni_cylinder_path *path) {
    sni_cylinder_find_stops(cylinder, worlds, pivots, path);
    turn_ends(cylinder, path);
    turn_pivots(cylinder, worlds, path);
    find_slices(cylinder, path);
}

// An ellipse has no sides: the signs of a turned pivot's axes are those that agree with the muscle
// at rest.
static void agree(sni_cylinder *cylinder, const sn_mat4 *worlds, const sni_cylinder_path *path) {
    const sni_rigid_frame *home = &path->home;
    for (uint32_t i = 1; i + 1 < cylinder->node_count; ++i) {
        sni_cylinder_node *node = &cylinder->nodes[i];
        sn_mat4 world = world_of(node, worlds);
        double angle;
        sn_vec3 z = bisector(cylinder, path, i), x = mean_x(cylinder, path, i, z, &angle);
        if (sn_vec3_dot(sni_carried_direction(home, &world, node->x), x) < 0) {
            node->x = sn_vec3_scale(node->x, -1);
        }
        if (sn_vec3_dot(sni_carried_direction(home, &world, node->z), z) < 0) {
            node->z = sn_vec3_scale(node->z, -1);
        }
    }
}

void sni_cylinder_find_rest(sni_cylinder *cylinder, const sn_mat4 *worlds,
                            sni_cylinder_path *path) {
    sni_cylinder_find_path(cylinder, worlds, NULL, path);
    agree(cylinder, worlds, path);
    sni_cylinder_find_path(cylinder, worlds, NULL, path);
    for (uint32_t i = 0; i + 1 < cylinder->node_count; ++i) {
        cylinder->nodes[i].rest_angle = path->angles[i];
        if (i > 0) {
            mean_x(cylinder, path, i, bisector(cylinder, path, i), &cylinder->nodes[i].rest_twist);
        }
    }
    cylinder->rest_length = path->length;
    sni_cylinder_find_path(cylinder, worlds, NULL, path);
}
