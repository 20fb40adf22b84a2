// SPDX-License-Identifier: Apache-2.0
#include "skin/implicit/contact.h"

#include "base/context.h"
#include "base/hermite.h"

#include <string.h>

// Vertices of a block; results do not depend on it.
enum { GRAIN = 256 };

// Poses on the way from rest that are looked at for parts around a joint.
enum { WAY_STEPS = 6 };

// How far a part is from a point that it does not reach.
static const double nowhere = 1e30;

// How a part stands in a pose.
typedef struct place {
    bool exists;  // it has a field, and its motion an inverse
    sn_mat4 back; // from the world to rest
    double scale; // of lengths
    sn_vec3 center, joint;
    double reach;
} place;

// How a part has turned about its joint, against the part that it hangs on, since rest.
typedef struct bend {
    bool exists;
    sn_quat turns[WAY_STEPS]; // on the way, the last as it is
} bend;

// What has become of a vertex.
typedef struct touch {
    uint32_t part;  // that it has gone into; SN_NONE: none
    float missing;  // how much s is below what it should be
    float share;    // of the way out that it goes
    sn_vec3 normal; // of that part there
} touch;

typedef struct run {
    const sni_skin_contact *c;
    const place *places;
    const bend *bends;     // of parts
    const sn_vec3 *before; // of vertices that stand for themselves, as bones have them
    sn_vec3 *positions;
    sn_vec3 *next;
    touch *touches;
    const sn_mat4 *motions; // of parts
    sn_vec3 *normals;       // part_count x part_count: of the sheets, towards the first part
    const uint32_t *moved;  // vertices that may move
    uint32_t moved_count;
    uint8_t *restless; // of vertices: the next sweep can move them
    uint32_t *active;  // restless ones, in the order of `moved`
    uint32_t active_count;
} run;

static bool is_within(sn_vec3 low, sn_vec3 high, sn_vec3 p) {
    return p.x > low.x && p.y > low.y && p.z > low.z && p.x < high.x && p.y < high.y &&
           p.z < high.z;
}

// The distance in the frame of the part itself, at rest.
static sni_distance_value distance_at_rest(const sni_skin_contact *c, uint32_t part, sn_vec3 rest) {
    const sni_field_part *field = &c->body->parts[part];
    const sni_skin_ends *ends = &c->ends[part];
    if (!is_within(field->low, field->high, rest)) {
        return (sni_distance_value){nowhere, {0, 0, 0}};
    }
    sni_distance_value value = field->grid.nodes != NULL ? sni_field_grid_at(&field->grid, rest)
                                                         : sni_hrbf_at(&field->hrbf, rest);
    double along = sn_vec3_dot(sn_vec3_sub(rest, ends->from), ends->way);
    if (ends->back - along > value.distance) {
        value = (sni_distance_value){ends->back - along, sn_vec3_scale(ends->way, -1)};
    }
    if (along - ends->front > value.distance) {
        value = (sni_distance_value){along - ends->front, ends->way};
    }
    return value;
}

// The same without the gradient.
static double depth_at_rest(const sni_skin_contact *c, uint32_t part, sn_vec3 rest) {
    const sni_field_part *field = &c->body->parts[part];
    const sni_skin_ends *ends = &c->ends[part];
    if (field->grid.nodes == NULL || !is_within(field->low, field->high, rest)) {
        return distance_at_rest(c, part, rest).distance;
    }
    double distance = sni_field_grid_distance(&field->grid, rest);
    double along = sn_vec3_dot(sn_vec3_sub(rest, ends->from), ends->way);
    distance = ends->back - along > distance ? ends->back - along : distance;
    return along - ends->front > distance ? along - ends->front : distance;
}

static double depth_at(const sni_skin_contact *c, const place *places, uint32_t part, sn_vec3 at) {
    const place *where = &places[part];
    double distance = depth_at_rest(c, part, sn_mat4_point(&where->back, at));
    return distance == nowhere ? distance : distance * where->scale;
}

static sni_distance_value distance_at(const sni_skin_contact *c, const place *places, uint32_t part,
                                      sn_vec3 at) {
    const place *where = &places[part];
    sni_distance_value value = distance_at_rest(c, part, sn_mat4_point(&where->back, at));
    if (value.distance == nowhere) {
        return value;
    }
    value.distance *= where->scale;
    return value;
}

// The gradient in the world of a distance with this gradient at rest: the transpose of the way
// back.
static sn_vec3 gradient_in_world(const place *where, sn_vec3 g) {
    const double *m = where->back.m;
    return sn_vec3_scale(sn_vec3_make(m[0] * g.x + m[1] * g.y + m[2] * g.z,
                                      m[4] * g.x + m[5] * g.y + m[6] * g.z,
                                      m[8] * g.x + m[9] * g.y + m[10] * g.z),
                         where->scale);
}

// What a vertex has to have with respect to a part.
static sni_skin_contact_rest needed(const sni_skin_contact *c, uint32_t vertex, uint32_t part,
                                    double gap) {
    for (uint32_t k = c->rest_starts[vertex]; k < c->rest_starts[vertex + 1]; ++k) {
        if (c->rest[k].part == part) {
            return c->rest[k];
        }
    }
    return (sni_skin_contact_rest){part, (float)gap, (float)gap, (float)gap};
}

// How much it lacks: it has to be nearer to the part than at rest and farther beyond the sheet.
static double lack_of(sni_skin_contact_rest need, double own, double other) {
    // One that bones have carried out of its own part's reach: as if on its surface.
    double depth = own == nowhere ? 0 : own;
    return fmin(need.sheet - (other - depth), 2 * (need.distance - other));
}

static double gap_between(const sni_skin_contact *c, uint32_t a, uint32_t b) {
    return fmin(c->gaps[a], c->gaps[b]);
}

static bool are_neighbors(const sni_skin_parts *parts, uint32_t a, uint32_t b) {
    return parts->parts[a].parent == b || parts->parts[b].parent == a;
}

// Of two neighbours, the one that hangs on the other.
static uint32_t child_of(const sni_skin_parts *parts, uint32_t a, uint32_t b) {
    return parts->parts[a].parent == b ? a : b;
}

// Whether two parts are the sides of a hinge.
static bool is_fold(const sni_skin_parts *parts, uint32_t a, uint32_t b) {
    sni_part_joint joint = parts->parts[child_of(parts, a, b)].joint;
    return are_neighbors(parts, a, b) && (joint == SNI_PART_HINGE || joint == SNI_PART_FINGER);
}

// Around a joint: from the joint into part a, less the same for part b.
static sn_vec3 joint_normal(const sni_skin_contact *c, const place *places, uint32_t a,
                            uint32_t b) {
    const sn_vec3 none = {0, 0, 0};
    sn_vec3 joint = places[child_of(c->parts, a, b)].joint;
    sn_vec3 to_a = sn_vec3_normalize_or(sn_vec3_sub(places[a].center, joint), none);
    sn_vec3 to_b = sn_vec3_normalize_or(sn_vec3_sub(places[b].center, joint), none);
    return sn_vec3_normalize_or(sn_vec3_sub(to_a, to_b), none);
}

// The parts of a trunk go over into each other and have no fold between them.
static bool can_touch(const sni_skin_contact *c, uint32_t a, uint32_t b) {
    return a != b && !(c->parts->parts[a].is_trunk && c->parts->parts[b].is_trunk);
}

// ---------------------------------------------------------------------------------------------
// Finding contact

// What a vertex lacks against a part on the other side of a joint, at most on the way from rest: in
// a deep fold it comes out of that part again on its far side.
static double lack_on_way(const run *r, uint32_t vertex, uint32_t own, uint32_t other,
                          sni_skin_contact_rest need) {
    const sni_skin_contact *c = r->c;
    const sni_skin_part *parts = c->parts->parts;
    bool is_child = parts[other].parent == own;
    const bend *bent = &r->bends[is_child ? other : own];
    sn_vec3 joint = parts[is_child ? other : own].from, at = c->mesh->rest[vertex];
    sn_vec3 from = sn_vec3_sub(at, joint);
    double farthest = sn_vec3_distance(joint, c->centers[other]) + c->reaches[other];
    if (!bent->exists || sn_vec3_length(from) > farthest) {
        return 0;
    }
    double most = 0;
    for (int k = 0; k < WAY_STEPS; ++k) {
        sn_quat turn = is_child ? sn_quat_conjugate(bent->turns[k]) : bent->turns[k];
        sn_vec3 there = sn_vec3_add(joint, sn_quat_rotate(turn, from));
        double distance = depth_at_rest(c, other, there);
        most = fmax(most, lack_of(need, c->depths[vertex], distance));
    }
    return most * r->places[other].scale;
}

// What a vertex lacks where bones have it. At joints that turn in all directions the skin of
// several parts moves as one, and only what is in contact both ways counts.
static double lack_as_is(const run *r, uint32_t vertex, uint32_t own, sni_skin_contact_rest need) {
    sn_vec3 at = r->before[vertex];
    return lack_of(need, depth_at(r->c, r->places, own, at),
                   depth_at(r->c, r->places, need.part, at));
}

static void take_more(touch *found, touch more, double least) {
    if (more.missing > least && (found->part == SN_NONE || more.missing > found->missing)) {
        *found = more;
    }
}

// The part that a vertex, carried rigidly with its own one, has gone into most.
static touch find_touch(const run *r, uint32_t vertex) {
    const sni_skin_contact *c = r->c;
    uint32_t own = c->parts->vertex_parts[vertex];
    sn_vec3 at = sn_mat4_point(&r->motions[own], c->mesh->rest[vertex]);
    touch found = {.part = SN_NONE};
    for (uint32_t b = 0; b < c->parts->count; ++b) {
        const place *where = &r->places[b];
        if (!can_touch(c, own, b) || !where->exists) {
            continue;
        }
        double gap = gap_between(c, own, b), least = 0.05 * gap;
        if (are_neighbors(c->parts, own, b)) {
            sni_skin_contact_rest need = needed(c, vertex, b, gap);
            double missing = lack_on_way(r, vertex, own, b, need);
            if (missing > least && !is_fold(c->parts, own, b)) {
                missing = fmin(missing, lack_as_is(r, vertex, own, need));
            }
            take_more(&found, (touch){.part = b, .missing = (float)missing}, least);
            continue;
        }
        if (sn_vec3_distance(at, where->center) > where->reach) {
            continue;
        }
        sni_distance_value other = distance_at(c, r->places, b, at);
        if (other.distance < gap) {
            double missing = lack_of(needed(c, vertex, b, gap), c->depths[vertex], other.distance);
            take_more(&found,
                      (touch){.part = b,
                              .missing = (float)missing,
                              .normal = gradient_in_world(where, other.gradient)},
                      least);
        }
    }
    return found;
}

static void touch_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const run *r = user;
    const sni_skin_contact *c = r->c;
    for (uint32_t v = begin; v < end; ++v) {
        uint32_t own = c->parts->vertex_parts[v];
        bool counts = c->edges->map[v] == v && own != SN_NONE && r->places[own].exists;
        r->touches[v] = counts ? find_touch(r, v) : (touch){.part = SN_NONE};
    }
}

// The normals of all sheets.
static void find_normals(const run *r) {
    const sni_skin_contact *c = r->c;
    uint32_t count = c->parts->count;
    memset(r->normals, 0, (size_t)count * count * sizeof *r->normals);
    for (uint32_t v = 0; v < c->parts->vertex_count; ++v) {
        const touch *t = &r->touches[v];
        if (t->part != SN_NONE) {
            uint32_t own = c->parts->vertex_parts[v];
            sn_vec3 *there = &r->normals[(size_t)own * count + t->part];
            sn_vec3 *back = &r->normals[(size_t)t->part * count + own];
            *there = sn_vec3_add_scaled(*there, t->missing, t->normal);
            *back = sn_vec3_add_scaled(*back, -t->missing, t->normal);
        }
    }
    for (uint32_t a = 0; a < count; ++a) {
        for (uint32_t b = 0; b < count; ++b) {
            sn_vec3 *normal = &r->normals[(size_t)a * count + b];
            if (are_neighbors(c->parts, a, b) && r->places[a].exists && r->places[b].exists) {
                *normal = joint_normal(c, r->places, a, b);
            }
            *normal = sn_vec3_normalize_or(*normal, sn_vec3_make(0, 0, 0));
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Moving

// What a vertex of part `own` lacks in a place, for the sheet towards another part. Within a radius
// of a joint the fields of both are round about it, and the sheet is the plane through it.
static double lack_at(const run *r, uint32_t own, sni_skin_contact_rest need, sn_vec3 at,
                      sn_vec3 normal) {
    const sni_skin_contact *c = r->c;
    double by_plane = 0, by_field = 1;
    if (are_neighbors(c->parts, own, need.part)) {
        uint32_t child = child_of(c->parts, own, need.part);
        sn_vec3 from = sn_vec3_sub(at, r->places[child].joint);
        double radius = c->body->joint_radii[child] * r->places[child].scale;
        by_field = sni_smooth_step_between(radius, 2 * radius, sn_vec3_length(from));
        by_plane = need.plane - 2 * sn_vec3_dot(from, normal);
    }
    if (by_field == 0) {
        return by_plane;
    }
    double other = depth_at(c, r->places, need.part, at);
    double depth = depth_at(c, r->places, own, at);
    double lack = other == nowhere ? 0 : need.sheet - (other - (depth == nowhere ? 0 : depth));
    return (1 - by_field) * by_plane + by_field * lack;
}

// How far along the normal a vertex goes until it has what it needs, `longest` where it never does.
// s changes by about 2 for each metre at most, so no step goes far beyond.
static double way_out(const run *r, uint32_t vertex, uint32_t part, sn_vec3 from, sn_vec3 normal,
                      double longest) {
    enum { STEPS = 24 };
    const sni_skin_contact *c = r->c;
    uint32_t own = c->parts->vertex_parts[vertex];
    double gap = gap_between(c, own, part), way = 0;
    sni_skin_contact_rest need = needed(c, vertex, part, gap);
    for (int k = 0; k < STEPS && way < longest; ++k) {
        double lack = lack_at(r, own, need, sn_vec3_add_scaled(from, way, normal), normal);
        if (lack <= 0.05 * gap) {
            return way;
        }
        way += 0.5 * lack;
    }
    return fmin(way, longest);
}

// What lacks a little goes a little: ways along which s hardly rises are not gone to their end, so
// that contact begins without a jump. At hinges, where bones carry the skin far beyond the sheet,
// more is allowed for: the less, the smaller the steps between frames, and the more remains of the
// overlap of skins that bones carry rigidly.
static double longest_for(const sni_skin_contact *c, uint32_t own, const touch *t) {
    return (is_fold(c->parts, own, t->part) ? 2 : 1) * t->missing;
}

// The farthest that contact moves a vertex: parts that have gone through each other altogether are
// left as they are.
static double longest_way(const sni_skin_contact *c, uint32_t a, uint32_t b) {
    return 1.5 * fmin(c->body->mean_radii[a], c->body->mean_radii[b]);
}

static sn_vec3 sheet_normal(const run *r, uint32_t vertex) {
    const sni_skin_parts *parts = r->c->parts;
    size_t own = parts->vertex_parts[vertex];
    return r->normals[own * parts->count + r->touches[vertex].part];
}

static const double facing_none = 0.1, facing_full = 0.35; // cosines

// How much of contact there is at a vertex. Beside a fold, where the skin goes on from one part to
// the other, it does not look to the other side of the sheet, and there is none; nor is there any
// where parts have gone through each other altogether.
static double share_of(const run *r, uint32_t vertex) {
    const touch *t = &r->touches[vertex];
    uint32_t own = r->c->parts->vertex_parts[vertex];
    sn_vec3 normal = sheet_normal(r, vertex), from = r->before[vertex];
    sn_vec3 outward = sn_mat4_direction(&r->motions[own], r->c->outward[vertex]);
    outward = sn_vec3_normalize_or(outward, sn_vec3_make(0, 0, 0));
    double share = sni_smooth_step_between(facing_none, facing_full, -sn_vec3_dot(outward, normal));
    if (share == 0) {
        return 0;
    }
    double longest = longest_way(r->c, own, t->part);
    double way = way_out(r, vertex, t->part, from, normal, longest);
    way = fmin(way, longest_for(r->c, own, t));
    share *= 1 - sni_smooth_step_between(0.75 * longest, longest, way);
    return share;
}

static void share_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const run *r = user;
    for (uint32_t k = begin; k < end; ++k) {
        touch *t = &r->touches[r->moved[k]];
        t->share = t->part != SN_NONE ? (float)share_of(r, r->moved[k]) : 0;
    }
}

// Moves a vertex along the normal until it has gone its share of the whole way out from where bones
// have it.
static void push_one(const run *r, uint32_t vertex, sn_vec3 *position) {
    const touch *t = &r->touches[vertex];
    if (!(t->share > 0)) {
        return;
    }
    uint32_t own = r->c->parts->vertex_parts[vertex];
    sn_vec3 normal = sheet_normal(r, vertex);
    double gone = sn_vec3_dot(sn_vec3_sub(*position, r->before[vertex]), normal);
    double longest = longest_way(r->c, own, t->part), most = longest_for(r->c, own, t);
    if (gone >= t->share * most) {
        return; // as far as it may go
    }
    double whole = gone + way_out(r, vertex, t->part, *position, normal, longest);
    whole = fmin(whole, most);
    if (gone < t->share * whole) {
        *position = sn_vec3_add_scaled(*position, t->share * whole - gone, normal);
    }
}

static void push_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const run *r = user;
    for (uint32_t k = begin; k < end; ++k) {
        push_one(r, r->moved[k], &r->positions[r->moved[k]]);
    }
}

static void take_next(const run *r) {
    for (uint32_t k = 0; k < r->moved_count; ++k) {
        r->positions[r->moved[k]] = r->next[r->moved[k]];
    }
}

// ---------------------------------------------------------------------------------------------
// A frame

static void find_places(const sni_skin_contact *c, const sn_mat4 *motions, place *places) {
    for (uint32_t i = 0; i < c->parts->count; ++i) {
        double volume = fabs(sn_mat4_determinant(&motions[i]));
        places[i] = (place){.scale = cbrt(volume),
                            .center = sn_mat4_point(&motions[i], c->centers[i]),
                            .joint = sn_mat4_point(&motions[i], c->parts->parts[i].from)};
        places[i].exists = c->body->parts[i].hrbf.center_count > 0 && volume > 0 &&
                           sn_mat4_invert(&motions[i], &places[i].back);
        places[i].reach = c->reaches[i] * places[i].scale;
    }
}

// How joints are bent, and poses on the way there.
static void find_bends(const sni_skin_contact *c, const sn_mat4 *motions, const place *places,
                       bend *bends) {
    for (uint32_t i = 0; i < c->parts->count; ++i) {
        uint32_t parent = c->parts->parts[i].parent;
        bends[i].exists = parent != SN_NONE && places[i].exists && places[parent].exists;
        if (!bends[i].exists) {
            continue;
        }
        sn_mat4 between = sn_mat4_multiply(&places[parent].back, &motions[i]);
        sn_quat turn = sn_mat4_rotation(&between);
        for (int k = 0; k < WAY_STEPS; ++k) {
            bends[i].turns[k] = sn_quat_slerp(sn_quat_identity(), turn, (k + 1.0) / WAY_STEPS);
        }
    }
}

// Vertices in contact, ends of edges beyond the limits, and those some edges around them.
static uint32_t list_moved(const run *r, uint8_t *marks, uint32_t *moved) {
    enum { RINGS = 4 };
    const sni_skin_contact *c = r->c;
    const sni_tracker_mesh *m = c->mesh;
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->vertex_count; ++i) {
        marks[i] = 0;
    }
    for (uint32_t i = 0; i < m->vertex_count; ++i) {
        bool counts = r->touches[i].part != SN_NONE;
        counts = counts || sni_edges_beyond(c->edges, c->limits, r->before, r->positions, i);
        if (counts) {
            marks[i] = 1;
            moved[count++] = i;
        }
    }
    uint32_t begin = 0;
    for (int ring = 0; ring < RINGS; ++ring) {
        uint32_t end = count;
        for (; begin < end; ++begin) {
            uint32_t i = moved[begin];
            for (uint32_t n = m->starts[i]; n < m->starts[i + 1]; ++n) {
                if (!marks[m->neighbors[n]]) {
                    marks[m->neighbors[n]] = 1;
                    moved[count++] = m->neighbors[n];
                }
            }
        }
    }
    return count;
}

// ---------------------------------------------------------------------------------------------
// Sweeps over edges

// A sweep and whether it pushes vertices back to their side of the sheet.
typedef struct edge_pass {
    run *r;
    const sni_edge_sweep *sweep;
    bool pushes;
} edge_pass;

static void pass_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const edge_pass *pass = user;
    const run *r = pass->r;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = r->active[k];
        r->restless[i] = sni_edges_step(pass->sweep, i, &r->next[i]);
        if (pass->pushes) {
            push_one(r, i, &r->next[i]);
        }
    }
}

// Takes what the last pass has moved. What it has moved and the neighbours of that are restless, as
// are ends of edges that were beyond the limits: all others have what they depend on as it was, and
// would stay where they are.
static void take_active(run *r) {
    const sni_skin_edges *edges = r->c->edges;
    for (uint32_t k = 0; k < r->active_count; ++k) {
        uint32_t i = r->active[k];
        if (memcmp(&r->positions[i], &r->next[i], sizeof *r->next) == 0) {
            continue;
        }
        r->positions[i] = r->next[i];
        r->restless[i] = 1;
        for (uint32_t n = edges->starts[i]; n < edges->starts[i + 1]; ++n) {
            r->restless[edges->map[edges->items[n].other]] = 1;
        }
    }
    r->active_count = 0;
    for (uint32_t k = 0; k < r->moved_count; ++k) {
        if (r->restless[r->moved[k]]) {
            r->active[r->active_count++] = r->moved[k];
        }
    }
}

// Where contact and edges cannot both have their way, edges have the last word.
static void sweep_edges(run *r, const sni_edge_sweep *around) {
    enum { LAST = 5 };
    const sni_skin_contact *c = r->c;
    memset(r->restless, 0, c->mesh->vertex_count * sizeof *r->restless);
    memcpy(r->active, r->moved, r->moved_count * sizeof *r->active);
    r->active_count = r->moved_count;
    for (uint32_t sweep = 0; sweep < c->sweeps && r->active_count > 0; ++sweep) {
        edge_pass pass = {.r = r, .sweep = around, .pushes = sweep + LAST < c->sweeps};
        sn_parallel_for(c->context, r->active_count, GRAIN, pass_block, &pass);
        take_active(r);
    }
}

static void solve(run *r) {
    enum { SMOOTHINGS = 5 };
    const sni_skin_contact *c = r->c;
    const sni_edge_sweep around = {.edges = c->edges,
                                   .limits = c->limits,
                                   .before = r->before,
                                   .positions = r->positions,
                                   .next = r->next,
                                   .places = r->moved,
                                   .place_count = r->moved_count};
    sn_parallel_for(c->context, r->moved_count, GRAIN, share_block, r);
    sn_parallel_for(c->context, r->moved_count, GRAIN, push_block, r);
    for (int pass = 0; pass < SMOOTHINGS; ++pass) {
        sni_edges_smooth(c->context, &around, 0.5);
        take_next(r);
        sn_parallel_for(c->context, r->moved_count, GRAIN, push_block, r);
    }
    sweep_edges(r, &around);
}

// What moved is added to the points, so that all others keep their bits, and those that stand in
// one place get the same.
static void store(const run *r, const uint8_t *marks, const sn_vec3 *before, float *points) {
    const sni_skin_contact *c = r->c;
    for (uint32_t v = 0; v < c->parts->vertex_count; ++v) {
        uint32_t i = c->edges->map[v];
        if (marks[i]) {
            sn_vec3 by = sn_vec3_sub(r->positions[i], before[i]);
            sn_vec3 p = sn_vec3_load(points + 3 * (size_t)v);
            sn_vec3_store(sn_vec3_add(p, by), points + 3 * (size_t)v);
        }
    }
}

bool sni_skin_contact_run(const sni_skin_contact *c, sni_arena *arena, const sn_mat4 *motions,
                          float *points) {
    uint32_t count = c->parts->vertex_count, parts = c->parts->count;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    place *places = sni_arena_alloc(arena, parts, sizeof *places);
    bend *bends = sni_arena_alloc(arena, parts, sizeof *bends);
    uint8_t *marks = sni_arena_alloc(arena, count, sizeof *marks);
    uint32_t *moved = sni_arena_alloc(arena, count, sizeof *moved);
    sn_vec3 *before = sni_arena_alloc(arena, count, sizeof *before);
    run r = {.c = c,
             .motions = motions,
             .before = before,
             .places = places,
             .bends = bends,
             .positions = sni_arena_alloc(arena, count, sizeof *r.positions),
             .next = sni_arena_alloc(arena, count, sizeof *r.next),
             .touches = sni_arena_alloc(arena, count, sizeof *r.touches),
             .normals = sni_arena_alloc(arena, (size_t)parts * parts, sizeof *r.normals),
             .restless = sni_arena_alloc(arena, count, sizeof *r.restless),
             .active = sni_arena_alloc(arena, count, sizeof *r.active),
             .moved = moved};
    bool done = places != NULL && bends != NULL && marks != NULL && moved != NULL &&
                before != NULL && r.positions != NULL && r.next != NULL && r.touches != NULL &&
                r.normals != NULL && r.restless != NULL && r.active != NULL;
    if (done) {
        find_places(c, motions, places);
        find_bends(c, motions, places, bends);
        for (uint32_t v = 0; v < count; ++v) {
            r.positions[v] = sn_vec3_load(points + 3 * (size_t)v);
            before[v] = r.positions[v];
        }
        sn_parallel_for(c->context, count, GRAIN, touch_block, &r);
        find_normals(&r);
        r.moved_count = list_moved(&r, marks, moved);
        solve(&r);
        store(&r, marks, before, points);
    }
    sni_arena_release(arena, mark);
    return done;
}

// ---------------------------------------------------------------------------------------------
// Rest

static void find_balls(const sni_skin_contact_desc *desc, sni_skin_contact *c) {
    const sni_skin_parts *parts = desc->parts;
    for (uint32_t v = 0; v < parts->vertex_count; ++v) {
        uint32_t part = parts->vertex_parts[v];
        if (part != SN_NONE) {
            c->centers[part] = sn_vec3_add_scaled(
                c->centers[part], 1.0 / parts->parts[part].vertex_count, desc->mesh->rest[v]);
        }
    }
    for (uint32_t v = 0; v < parts->vertex_count; ++v) {
        uint32_t part = parts->vertex_parts[v];
        if (part != SN_NONE) {
            double distance = sn_vec3_distance(c->centers[part], desc->mesh->rest[v]);
            c->reaches[part] = fmax(c->reaches[part], distance);
        }
    }
    for (uint32_t i = 0; i < parts->count; ++i) {
        c->gaps[i] = desc->gap * desc->body->mean_radii[i];
        // Caps stand out of the skin at joints.
        c->reaches[i] += desc->body->parts[i].radius;
    }
}

static void find_ends(const sni_skin_contact_desc *desc, sni_skin_ends *ends) {
    const sni_skin_parts *parts = desc->parts;
    for (uint32_t i = 0; i < parts->count; ++i) {
        const sni_skin_part *part = &parts->parts[i];
        sn_vec3 bone = sn_vec3_sub(part->to, part->from);
        ends[i] = (sni_skin_ends){part->from, sn_vec3_normalize_or(bone, sn_vec3_make(0, 0, 0)),
                                  -nowhere, nowhere};
        if (part->parent != SN_NONE) {
            ends[i].back = -desc->body->joint_radii[i];
        }
        for (uint32_t k = i + 1; k < parts->count && part->has_child; ++k) {
            if (parts->parts[k].parent == i) {
                ends[i].front = sn_vec3_length(bone) + desc->body->joint_radii[k];
            }
        }
    }
}

// Normals of the skin at rest, by the areas of triangles.
static void find_outward(const sni_skin_contact_desc *desc, sn_vec3 *outward) {
    for (uint32_t t = 0; t < desc->triangle_count; ++t) {
        const uint32_t *v = desc->triangles + 3 * (size_t)t;
        const sn_vec3 *rest = desc->mesh->rest;
        sn_vec3 normal =
            sn_vec3_cross(sn_vec3_sub(rest[v[1]], rest[v[0]]), sn_vec3_sub(rest[v[2]], rest[v[0]]));
        for (int k = 0; k < 3; ++k) {
            outward[v[k]] = sn_vec3_add(outward[v[k]], normal);
        }
    }
    for (uint32_t v = 0; v < desc->mesh->vertex_count; ++v) {
        outward[v] = sn_vec3_normalize_or(outward[v], sn_vec3_make(0, 0, 0));
    }
}

// What vertices have at rest that is less than the gap. With NULL they are counted.
static uint32_t list_rest(const sni_skin_contact *c, const place *places,
                          sni_skin_contact_rest *rest) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < c->parts->vertex_count; ++v) {
        c->rest_starts[v] = count;
        uint32_t own = c->parts->vertex_parts[v];
        if (c->edges->map[v] != v || own == SN_NONE || !places[own].exists) {
            continue;
        }
        sn_vec3 at = c->mesh->rest[v];
        double depth = distance_at(c, places, own, at).distance;
        c->depths[v] = (float)(depth == nowhere ? 0 : depth);
        for (uint32_t b = 0; b < c->parts->count; ++b) {
            if (!can_touch(c, own, b) || !places[b].exists) {
                continue;
            }
            double distance = distance_at(c, places, b, at).distance;
            double sheet = distance - (depth == nowhere ? 0 : depth);
            double gap = gap_between(c, own, b), plane = gap;
            if (are_neighbors(c->parts, own, b)) {
                sn_vec3 from = sn_vec3_sub(at, places[child_of(c->parts, own, b)].joint);
                plane = 2 * sn_vec3_dot(from, joint_normal(c, places, own, b));
            }
            if (sheet < gap || distance < gap || plane < gap) {
                if (rest != NULL) {
                    rest[count] =
                        (sni_skin_contact_rest){b, (float)fmin(gap, sheet), (float)fmin(gap, plane),
                                                (float)fmin(gap, distance)};
                }
                ++count;
            }
        }
    }
    c->rest_starts[c->parts->vertex_count] = count;
    return count;
}

sn_status sni_skin_contact_create(sn_context *context, const sni_skin_contact_desc *desc,
                                  sni_skin_contact *c, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = desc->parts->count;
    sn_mat4 *still = NULL;
    place *places = NULL;
    *c = (sni_skin_contact){.context = context,
                            .parts = desc->parts,
                            .body = desc->body,
                            .mesh = desc->mesh,
                            .edges = desc->edges,
                            .limits = desc->limits,
                            .sweeps = desc->sweeps};
    SNI_NEW_ZERO(context, c->centers, count);
    SNI_NEW_ZERO(context, c->reaches, count);
    SNI_NEW_ZERO(context, c->gaps, count);
    SNI_NEW_ZERO(context, c->ends, count);
    SNI_NEW(context, c->rest_starts, (size_t)desc->parts->vertex_count + 1);
    SNI_NEW_ZERO(context, c->depths, desc->mesh->vertex_count);
    SNI_NEW_ZERO(context, c->outward, desc->mesh->vertex_count);
    find_outward(desc, c->outward);
    SNI_NEW(context, still, count);
    SNI_NEW(context, places, count);
    find_balls(desc, c);
    find_ends(desc, c->ends);
    for (uint32_t i = 0; i < count; ++i) {
        still[i] = sn_mat4_identity();
    }
    find_places(c, still, places);
    uint32_t found = list_rest(c, places, NULL);
    SNI_NEW(context, c->rest, found);
    list_rest(c, places, c->rest);
cleanup:
    sni_free(context, still);
    sni_free(context, places);
    if (status != SN_OK) {
        sni_skin_contact_free(context, c);
    }
    return status;
}

void sni_skin_contact_free(sn_context *context, sni_skin_contact *c) {
    sni_free(context, c->rest_starts);
    sni_free(context, c->rest);
    sni_free(context, c->centers);
    sni_free(context, c->reaches);
    sni_free(context, c->gaps);
    sni_free(context, c->ends);
    sni_free(context, c->outward);
    sni_free(context, c->depths);
    *c = (sni_skin_contact){0};
}

size_t sni_skin_contact_bytes(const sni_skin_contact *c) {
    uint32_t vertices = c->parts->vertex_count;
    return (vertices + 1) * sizeof *c->rest_starts + c->rest_starts[vertices] * sizeof *c->rest +
           vertices * (sizeof *c->outward + sizeof *c->depths) +
           c->parts->count *
               (sizeof *c->centers + sizeof *c->reaches + sizeof *c->gaps + sizeof *c->ends);
}
