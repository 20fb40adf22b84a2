// SPDX-License-Identifier: Apache-2.0
#include "skin/implicit/contact.h"

#include "base/context.h"
#include "base/hermite.h"

#include <string.h>

// Vertices of a block; results do not depend on it.
enum { GRAIN = 256 };

// How far a part is from a point that it does not reach.
static const double nowhere = 1e30;

// How a part stands in a pose.
typedef struct place {
    bool exists;  // it has a field, and its motion an inverse
    sn_mat4 back; // from the world to rest
    double scale; // of lengths
    sn_vec3 center;
    double reach;
} place;

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
    const sn_vec3 *before; // of vertices that stand for themselves, as bones have them
    sn_vec3 *positions;
    sn_vec3 *next;
    touch *touches;
    sn_vec3 *outward;      // normals of the skin as bones have it
    sn_vec3 *normals;      // part_count x part_count: of the sheets, towards the first part
    const uint32_t *moved; // vertices that may move
    uint32_t moved_count;
} run;

static bool is_within(sn_vec3 low, sn_vec3 high, sn_vec3 p) {
    return p.x > low.x && p.y > low.y && p.z > low.z && p.x < high.x && p.y < high.y &&
           p.z < high.z;
}

static sni_distance_value distance_at(const sni_skin_contact *c, const place *places, uint32_t part,
                                      sn_vec3 at) {
    const place *where = &places[part];
    const sni_field_part *field = &c->body->parts[part];
    sn_vec3 rest = sn_mat4_point(&where->back, at);
    if (!is_within(field->low, field->high, rest)) {
        return (sni_distance_value){nowhere, {0, 0, 0}};
    }
    sni_distance_value value = field->grid.nodes != NULL ? sni_field_grid_at(&field->grid, rest)
                                                         : sni_hrbf_at(&field->hrbf, rest);
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
    return (sni_skin_contact_rest){part, (float)gap, (float)gap};
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

// The parts of a trunk go over into each other and have no fold between them.
static bool can_touch(const sni_skin_contact *c, uint32_t a, uint32_t b) {
    return a != b && !(c->parts->parts[a].is_trunk && c->parts->parts[b].is_trunk);
}

// ---------------------------------------------------------------------------------------------
// Finding contact

// The part that a vertex has gone into most, as it stands.
static touch find_touch(const run *r, uint32_t vertex) {
    const sni_skin_contact *c = r->c;
    uint32_t own = c->parts->vertex_parts[vertex];
    sn_vec3 at = r->positions[vertex];
    touch found = {.part = SN_NONE};
    double own_distance = nowhere;
    bool own_known = false;
    for (uint32_t b = 0; b < c->parts->count; ++b) {
        const place *where = &r->places[b];
        if (!can_touch(c, own, b) || !where->exists ||
            sn_vec3_distance(at, where->center) > where->reach) {
            continue;
        }
        sni_distance_value other = distance_at(c, r->places, b, at);
        double gap = gap_between(c, own, b);
        if (!(other.distance < gap)) {
            continue;
        }
        if (!own_known) {
            own_distance = distance_at(c, r->places, own, at).distance;
            own_known = true;
        }
        double missing = lack_of(needed(c, vertex, b, gap), own_distance, other.distance);
        if (missing > 0.05 * gap && (found.part == SN_NONE || missing > found.missing)) {
            found = (touch){b, (float)missing, 0, gradient_in_world(where, other.gradient)};
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
        bool counts = c->map[v] == v && own != SN_NONE && r->places[own].exists;
        r->touches[v] = counts ? find_touch(r, v) : (touch){.part = SN_NONE};
    }
}

static bool are_neighbors(const sni_skin_parts *parts, uint32_t a, uint32_t b) {
    return parts->parts[a].parent == b || parts->parts[b].parent == a;
}

static bool is_hinge_between(const sni_skin_parts *parts, uint32_t a, uint32_t b) {
    uint32_t child = parts->parts[a].parent == b ? a : b;
    sni_part_joint joint = parts->parts[child].joint;
    return are_neighbors(parts, a, b) && (joint == SNI_PART_HINGE || joint == SNI_PART_FINGER);
}

// Around a joint: from the joint into part a, less the same for part b.
static sn_vec3 joint_normal(const run *r, const sn_mat4 *motions, uint32_t a, uint32_t b) {
    const sni_skin_part *parts = r->c->parts->parts;
    uint32_t child = parts[a].parent == b ? a : b;
    sn_vec3 joint = sn_mat4_point(&motions[child], parts[child].from);
    sn_vec3 to_a = sn_vec3_sub(r->places[a].center, joint);
    sn_vec3 to_b = sn_vec3_sub(r->places[b].center, joint);
    const sn_vec3 none = {0, 0, 0};
    return sn_vec3_sub(sn_vec3_normalize_or(to_a, none), sn_vec3_normalize_or(to_b, none));
}

// The normals of all sheets.
static void find_normals(const run *r, const sn_mat4 *motions) {
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
                *normal = joint_normal(r, motions, a, b);
            }
            *normal = sn_vec3_normalize_or(*normal, sn_vec3_make(0, 0, 0));
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Moving

// How far along the normal a vertex goes until it has what it needs, `longest` where it never does.
// s changes by at most 2 for each metre, so no step goes beyond.
static double way_out(const run *r, uint32_t vertex, uint32_t part, sn_vec3 from, sn_vec3 normal,
                      double longest) {
    enum { STEPS = 24 };
    const sni_skin_contact *c = r->c;
    uint32_t own = c->parts->vertex_parts[vertex];
    double gap = gap_between(c, own, part);
    sni_skin_contact_rest need = needed(c, vertex, part, gap);
    double enough = 0.05 * gap, way = 0;
    for (int k = 0; k < STEPS && way < longest; ++k) {
        sn_vec3 at = sn_vec3_add_scaled(from, way, normal);
        double other = distance_at(c, r->places, part, at).distance;
        if (other > gap) {
            return way; // it is out
        }
        double missing = lack_of(need, distance_at(c, r->places, own, at).distance, other);
        if (missing <= enough) {
            return way;
        }
        way += 0.5 * missing;
    }
    return fmin(way, longest);
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

// Whether the surface of a part looks along a normal.
static double facing_of_part(const run *r, uint32_t part, sn_vec3 at, sn_vec3 normal) {
    sni_distance_value value = distance_at(r->c, r->places, part, at);
    sn_vec3 out = sn_vec3_normalize_or(gradient_in_world(&r->places[part], value.gradient),
                                       sn_vec3_make(0, 0, 0));
    return sni_smooth_step_between(facing_none, facing_full, sn_vec3_dot(out, normal));
}

// How much of contact there is at a vertex. Beside a fold, where the skin goes on from one part to
// the other, it does not look to the other side of the sheet, and there is none; nor is there any
// where parts have gone through each other altogether.
static double share_of(const run *r, uint32_t vertex) {
    const touch *t = &r->touches[vertex];
    uint32_t own = r->c->parts->vertex_parts[vertex];
    sn_vec3 normal = sheet_normal(r, vertex), from = r->before[vertex];
    double share =
        sni_smooth_step_between(facing_none, facing_full, -sn_vec3_dot(r->outward[vertex], normal));
    if (share == 0) {
        return 0;
    }
    double longest = longest_way(r->c, own, t->part);
    double way = way_out(r, vertex, t->part, from, normal, longest);
    share *= 1 - sni_smooth_step_between(0.75 * longest, longest, way);
    sn_vec3 end = sn_vec3_add_scaled(from, way, normal);
    double other = facing_of_part(r, t->part, end, normal);
    double same = facing_of_part(r, own, end, sn_vec3_scale(normal, -1));
    return share * (is_hinge_between(r->c->parts, own, t->part) ? fmax(other, same) : other * same);
}

static void share_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const run *r = user;
    for (uint32_t k = begin; k < end; ++k) {
        touch *t = &r->touches[r->moved[k]];
        t->share = t->part != SN_NONE ? (float)share_of(r, r->moved[k]) : 0;
    }
}

// What lacks a little goes a little: ways along which s hardly rises are not gone to their end, so
// that contact begins without a jump.
static const double farthest = 4; // times what it lacks

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
    double longest = longest_way(r->c, own, t->part);
    double whole = gone + way_out(r, vertex, t->part, *position, normal, longest);
    whole = fmin(whole, farthest * t->missing);
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

// Brings edges that are too short or too long back towards their limits, half for each end.
static void relax_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const run *r = user;
    const sni_skin_contact *c = r->c;
    const sni_tracker_mesh *m = c->mesh;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = r->moved[k], count = 0;
        sn_vec3 sum = {0, 0, 0};
        for (uint32_t n = m->starts[i]; n < m->starts[i + 1]; ++n) {
            sn_vec3 edge = sn_vec3_sub(r->positions[m->neighbors[n]], r->positions[i]);
            double length = sn_vec3_length(edge), rest = c->lengths[n];
            double wanted = fmin(fmax(length, c->least * rest), c->most * rest);
            if (wanted != length && length > 0) {
                sum = sn_vec3_add_scaled(sum, 0.5 * (length - wanted) / length, edge);
                ++count;
            }
        }
        r->next[i] =
            count > 0 ? sn_vec3_add_scaled(r->positions[i], 1.0 / count, sum) : r->positions[i];
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
        places[i] =
            (place){.scale = cbrt(volume), .center = sn_mat4_point(&motions[i], c->centers[i])};
        places[i].exists = c->body->parts[i].hrbf.center_count > 0 && volume > 0 &&
                           sn_mat4_invert(&motions[i], &places[i].back);
        places[i].reach = c->reaches[i] * places[i].scale;
    }
}

// Normals of the skin, by the areas of triangles.
static void find_outward(const run *r) {
    const sni_skin_contact *c = r->c;
    memset(r->outward, 0, c->parts->vertex_count * sizeof *r->outward);
    for (uint32_t t = 0; t < c->triangle_count; ++t) {
        const uint32_t *v = c->triangles + 3 * (size_t)t;
        sn_vec3 a = r->positions[v[0]];
        sn_vec3 normal =
            sn_vec3_cross(sn_vec3_sub(r->positions[v[1]], a), sn_vec3_sub(r->positions[v[2]], a));
        for (int k = 0; k < 3; ++k) {
            r->outward[v[k]] = sn_vec3_add(r->outward[v[k]], normal);
        }
    }
    for (uint32_t v = 0; v < c->parts->vertex_count; ++v) {
        r->outward[v] = sn_vec3_normalize_or(r->outward[v], sn_vec3_make(0, 0, 0));
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
        for (uint32_t n = m->starts[i]; n < m->starts[i + 1] && !counts; ++n) {
            double length = sn_vec3_distance(r->positions[m->neighbors[n]], r->positions[i]);
            counts = length < c->least * c->lengths[n] || length > c->most * c->lengths[n];
        }
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

static void solve(run *r) {
    const sni_skin_contact *c = r->c;
    sn_parallel_for(c->context, r->moved_count, GRAIN, share_block, r);
    sn_parallel_for(c->context, r->moved_count, GRAIN, push_block, r);
    for (uint32_t sweep = 0; sweep < c->sweeps; ++sweep) {
        sn_parallel_for(c->context, r->moved_count, GRAIN, relax_block, r);
        take_next(r);
        sn_parallel_for(c->context, r->moved_count, GRAIN, push_block, r);
    }
}

// What moved is added to the points, so that all others keep their bits, and those that stand in
// one place get the same.
static void store(const run *r, const uint8_t *marks, const sn_vec3 *before, float *points) {
    const sni_skin_contact *c = r->c;
    for (uint32_t v = 0; v < c->parts->vertex_count; ++v) {
        uint32_t i = c->map[v];
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
    uint8_t *marks = sni_arena_alloc(arena, count, sizeof *marks);
    uint32_t *moved = sni_arena_alloc(arena, count, sizeof *moved);
    sn_vec3 *before = sni_arena_alloc(arena, count, sizeof *before);
    run r = {.c = c,
             .before = before,
             .places = places,
             .positions = sni_arena_alloc(arena, count, sizeof *r.positions),
             .next = sni_arena_alloc(arena, count, sizeof *r.next),
             .outward = sni_arena_alloc(arena, count, sizeof *r.outward),
             .touches = sni_arena_alloc(arena, count, sizeof *r.touches),
             .normals = sni_arena_alloc(arena, (size_t)parts * parts, sizeof *r.normals),
             .moved = moved};
    bool done = places != NULL && marks != NULL && moved != NULL && before != NULL &&
                r.positions != NULL && r.next != NULL && r.touches != NULL && r.outward != NULL &&
                r.normals != NULL;
    if (done) {
        find_places(c, motions, places);
        for (uint32_t v = 0; v < count; ++v) {
            r.positions[v] = sn_vec3_load(points + 3 * (size_t)v);
            before[v] = r.positions[v];
        }
        sn_parallel_for(c->context, count, GRAIN, touch_block, &r);
        find_normals(&r, motions);
        find_outward(&r);
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

// What vertices have at rest that is less than the gap. With NULL they are counted.
static uint32_t list_rest(const sni_skin_contact *c, const place *places,
                          sni_skin_contact_rest *rest) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < c->parts->vertex_count; ++v) {
        c->rest_starts[v] = count;
        uint32_t own = c->parts->vertex_parts[v];
        if (c->map[v] != v || own == SN_NONE || !places[own].exists) {
            continue;
        }
        sn_vec3 at = c->mesh->rest[v];
        double depth = distance_at(c, places, own, at).distance;
        for (uint32_t b = 0; b < c->parts->count; ++b) {
            if (!can_touch(c, own, b) || !places[b].exists) {
                continue;
            }
            double distance = distance_at(c, places, b, at).distance;
            double sheet = distance - (depth == nowhere ? 0 : depth);
            double gap = gap_between(c, own, b);
            if (sheet < gap || distance < gap) {
                if (rest != NULL) {
                    rest[count] = (sni_skin_contact_rest){b, (float)fmin(gap, sheet),
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
    uint32_t count = desc->parts->count, edges = desc->mesh->starts[desc->mesh->vertex_count];
    sn_mat4 *still = NULL;
    place *places = NULL;
    *c = (sni_skin_contact){.context = context,
                            .parts = desc->parts,
                            .body = desc->body,
                            .mesh = desc->mesh,
                            .map = desc->map,
                            .least = desc->least,
                            .most = desc->most,
                            .sweeps = desc->sweeps};
    SNI_NEW_ZERO(context, c->centers, count);
    SNI_NEW_ZERO(context, c->reaches, count);
    SNI_NEW_ZERO(context, c->gaps, count);
    SNI_NEW(context, c->rest_starts, (size_t)desc->parts->vertex_count + 1);
    SNI_NEW(context, c->lengths, edges);
    SNI_NEW(context, c->triangles, 3 * (size_t)desc->triangle_count);
    c->triangle_count = desc->triangle_count;
    memcpy(c->triangles, desc->triangles, 3 * (size_t)desc->triangle_count * sizeof *c->triangles);
    SNI_NEW(context, still, count);
    SNI_NEW(context, places, count);
    for (uint32_t i = 0; i < desc->mesh->vertex_count; ++i) {
        for (uint32_t n = desc->mesh->starts[i]; n < desc->mesh->starts[i + 1]; ++n) {
            c->lengths[n] = (float)sn_vec3_distance(desc->mesh->rest[i],
                                                    desc->mesh->rest[desc->mesh->neighbors[n]]);
        }
    }
    find_balls(desc, c);
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
    sni_free(context, c->lengths);
    sni_free(context, c->triangles);
    *c = (sni_skin_contact){0};
}

size_t sni_skin_contact_bytes(const sni_skin_contact *c) {
    uint32_t vertices = c->parts->vertex_count;
    return (vertices + 1) * sizeof *c->rest_starts + c->rest_starts[vertices] * sizeof *c->rest +
           c->mesh->starts[vertices] * sizeof *c->lengths +
           3 * (size_t)c->triangle_count * sizeof *c->triangles +
           c->parts->count * (sizeof *c->centers + sizeof *c->reaches + sizeof *c->gaps);
}
