// SPDX-License-Identifier: Apache-2.0
//
// Where a cylinder muscle's axis goes around wrap objects, called bodies here (wrap_object.h).
//
// A body acts on one straight piece of the axis, from a node that it goes through to the next, or
// from or to another body that it goes around there. One with slices alone acts on the piece that
// they are on, in their order. One with a range acts, as in OpenSim, on any piece between two
// nodes: on the first that must go around it, else on the one that becomes longer by the least.
//
// Bodies depend on each other, so they are found in turns, each on the axis as the others have left
// it, until nothing moves.
#include "muscle/cylinder/cylinder.h"

#include <math.h>

// Rounds, and how little the arcs may still move, relative to the distance between the nodes beside
// them.
enum { ARC_ROUNDS = 50 };
static const double arc_tolerance = 1e-13;

// A pivot that is off is passed by: no piece of the axis begins or ends there.
bool sni_cylinder_passes_by(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                            uint32_t node) {
    return cylinder->nodes[node].ranged && !path->fixed[node];
}

uint32_t sni_cylinder_next_node(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                                uint32_t node) {
    do {
        ++node;
    } while (sni_cylinder_passes_by(cylinder, path, node));
    return node;
}

static uint32_t node_before(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                            uint32_t node) {
    do {
        --node;
    } while (sni_cylinder_passes_by(cylinder, path, node));
    return node;
}

// --- Where bodies are

static sn_vec3 carried_axis(const sni_rigid_frame *home, const sn_mat4 *world, sn_vec3 axis,
                            double *length) {
    *length = sn_vec3_length(sn_mat4_direction(world, axis));
    return sni_carried_direction(home, world, axis);
}

// Where a body is in the pose. A segment that is scaled scales it; one that is skewed does not.
static void place_body(const sni_cylinder_wrap *wrap, const sn_mat4 *world,
                       const sni_rigid_frame *home, sni_wrap_body *body) {
    double lengths[3];
    *body = wrap->body;
    body->center = sni_carried_point(home, world, wrap->body.center);
    for (int i = 0; i < 3; ++i) {
        body->axes[i] = carried_axis(home, world, wrap->body.axes[i], &lengths[i]);
        body->radii[i] *= lengths[i];
    }
    body->half_length *= lengths[2];
    body->ring *= sqrt(lengths[0] * lengths[1]);
    if (body->shape != SNI_WRAP_ELLIPSOID) {
        double across = sqrt(body->radii[0] * body->radii[1]);
        body->radii[0] = body->radii[1] = body->radii[2] = across;
    }
    sn_vec3 z = body->axes[2];
    body->axes[0] = sn_vec3_normalize_or(sni_across(body->axes[0], z), sn_vec3_perpendicular(z));
    body->axes[1] = sn_vec3_cross(z, body->axes[0]);
}

// --- The order along the axis

// The node at which the piece begins that a body's slices are on.
static uint32_t own_leg(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                        uint32_t wrap) {
    uint32_t node = cylinder->node_count - 1;
    do {
        node = node_before(cylinder, path, node);
    } while (cylinder->nodes[node].slice > cylinder->wraps[wrap].first);
    return node;
}

static void count_arcs(const sni_cylinder *cylinder, sni_cylinder_path *path) {
    for (uint32_t node = 0; node < cylinder->node_count; ++node) {
        path->first_arcs[node] = 0;
        for (uint32_t i = 0; i < cylinder->wrap_count; ++i) {
            path->first_arcs[node] += path->legs[i] < node;
        }
    }
}

// Bodies by their slices.
static void order_arcs(const sni_cylinder *cylinder, sni_cylinder_path *path) {
    for (uint32_t i = 0; i < cylinder->wrap_count; ++i) {
        uint32_t place = i;
        for (;
             place > 0 && cylinder->wraps[path->order[place - 1]].first > cylinder->wraps[i].first;
             --place) {
            path->order[place] = path->order[place - 1];
        }
        path->order[place] = i;
        path->legs[i] = own_leg(cylinder, path, i);
    }
    count_arcs(cylinder, path);
}

static uint32_t place_of(const sni_cylinder_path *path, uint32_t wrap) {
    uint32_t place = 0;
    while (path->order[place] != wrap) {
        ++place;
    }
    return place;
}

// Puts a body before the one at `place`, on the piece that begins at a node.
static void move_arc(const sni_cylinder *cylinder, sni_cylinder_path *path, uint32_t wrap,
                     uint32_t place, uint32_t leg) {
    uint32_t from = place_of(path, wrap);
    for (; from + 1 < place; ++from) {
        path->order[from] = path->order[from + 1];
    }
    for (; from > place; --from) {
        path->order[from] = path->order[from - 1];
    }
    path->order[from] = wrap;
    path->legs[wrap] = leg;
    count_arcs(cylinder, path);
}

// Where the axis comes from to the body at place `index`: the last point on a body before it, from
// place `first` on, else `start`.
static sn_vec3 stop_before(const sni_cylinder_path *path, uint32_t first, uint32_t index,
                           sn_vec3 start) {
    while (index-- > first) {
        if (path->arcs[path->order[index]].touches) {
            return path->arcs[path->order[index]].leave;
        }
    }
    return start;
}

// Where the axis goes to next: the first point on a body from place `index` on and before `end`,
// else `goal`.
static sn_vec3 stop_after(const sni_cylinder_path *path, uint32_t index, uint32_t end,
                          sn_vec3 goal) {
    for (; index < end; ++index) {
        if (path->arcs[path->order[index]].touches) {
            return path->arcs[path->order[index]].enter;
        }
    }
    return goal;
}

sn_vec3 sni_cylinder_stop_before(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                                 uint32_t node) {
    uint32_t before = node_before(cylinder, path, node);
    return stop_before(path, path->first_arcs[before], path->first_arcs[node],
                       path->nodes[before].origin);
}

sn_vec3 sni_cylinder_stop_after(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                                uint32_t node) {
    uint32_t after = sni_cylinder_next_node(cylinder, path, node);
    return stop_after(path, path->first_arcs[node], path->first_arcs[after],
                      path->nodes[after].origin);
}

bool sni_cylinder_is_around(const sni_cylinder_path *path, uint32_t from, uint32_t to) {
    for (uint32_t i = path->first_arcs[from]; i < path->first_arcs[to]; ++i) {
        if (path->arcs[path->order[i]].touches) {
            return true;
        }
    }
    return false;
}

// --- Finding arcs

// The best piece for a body with a range so far.
typedef struct choice {
    sni_wrap_arc arc;
    double added; // length
    uint32_t place, leg;
} choice;

static double added_length(const sni_wrap_arc *arc, sn_vec3 a, sn_vec3 b) {
    return sn_vec3_distance(a, arc->enter) + arc->length + sn_vec3_distance(arc->leave, b) -
           sn_vec3_distance(a, b);
}

// Tries the pieces between two nodes that follow each other.
static void try_leg(const sni_cylinder_path *path, uint32_t wrap, uint32_t from, uint32_t to,
                    choice *best) {
    uint32_t first = path->first_arcs[from], end = path->first_arcs[to];
    for (uint32_t place = first; place <= end && !best->arc.must; ++place) {
        bool is_stop = place == end || path->arcs[path->order[place]].touches;
        if (!is_stop) {
            continue;
        }
        sn_vec3 a = stop_before(path, first, place, path->nodes[from].origin);
        sn_vec3 b = stop_after(path, place, end, path->nodes[to].origin);
        choice found = {.place = place, .leg = from};
        sni_wrap_find(&path->bodies[wrap], a, b, &found.arc);
        found.added = added_length(&found.arc, a, b);
        if (found.arc.touches && (found.arc.must || found.added < best->added)) {
            *best = found;
        }
    }
}

static void find_on_range(const sni_cylinder *cylinder, sni_cylinder_path *path, uint32_t wrap) {
    uint32_t first = cylinder->wraps[wrap].nodes[0], last = cylinder->wraps[wrap].nodes[1];
    choice best = {.added = INFINITY, .leg = path->legs[wrap]};
    path->arcs[wrap].touches = false;
    while (first < last && sni_cylinder_passes_by(cylinder, path, first)) {
        ++first;
    }
    while (first < last && sni_cylinder_passes_by(cylinder, path, last)) {
        --last;
    }
    while (first < last && !best.arc.must) {
        uint32_t next = sni_cylinder_next_node(cylinder, path, first);
        try_leg(path, wrap, first, next, &best);
        first = next;
    }
    if (best.arc.touches) {
        move_arc(cylinder, path, wrap, best.place, best.leg);
    }
    path->arcs[wrap] = best.arc;
}

// Finds the arc of a body as the others are; whether it has moved.
static bool find_arc(const sni_cylinder *cylinder, sni_cylinder_path *path, uint32_t wrap) {
    sni_wrap_arc old = path->arcs[wrap], *arc = &path->arcs[wrap];
    uint32_t old_place = place_of(path, wrap), old_leg = path->legs[wrap];
    if (cylinder->wraps[wrap].ranged) {
        find_on_range(cylinder, path, wrap);
    }
    uint32_t from = path->legs[wrap], to = sni_cylinder_next_node(cylinder, path, from);
    sn_vec3 a = path->nodes[from].origin, b = path->nodes[to].origin;
    if (!cylinder->wraps[wrap].ranged) {
        sni_wrap_find(&path->bodies[wrap], stop_before(path, path->first_arcs[from], old_place, a),
                      stop_after(path, old_place + 1, path->first_arcs[to], b), arc);
    }
    bool replaced = from != old_leg || place_of(path, wrap) != old_place;
    double moved =
        sn_vec3_distance(arc->enter, old.enter) + sn_vec3_distance(arc->leave, old.leave);
    return arc->touches != old.touches ||
           (arc->touches && (replaced || moved > arc_tolerance * sn_vec3_distance(a, b)));
}

void sni_cylinder_find_arcs(const sni_cylinder *cylinder, const sn_mat4 *worlds,
                            sni_cylinder_path *path) {
    for (uint32_t i = 0; i < cylinder->wrap_count; ++i) {
        const sni_cylinder_wrap *wrap = &cylinder->wraps[i];
        place_body(wrap, &worlds[wrap->segment], &path->home, &path->bodies[i]);
        path->arcs[i] = (sni_wrap_arc){.touches = false};
    }
    order_arcs(cylinder, path);
    bool moved = cylinder->wrap_count > 0;
    for (int round = 0; round < ARC_ROUNDS && moved; ++round) {
        moved = false;
        for (uint32_t i = 0; i < cylinder->wrap_count; ++i) {
            bool again = find_arc(cylinder, path, i);
            moved = moved || again;
        }
        moved = moved && cylinder->wrap_count > 1;
    }
}
