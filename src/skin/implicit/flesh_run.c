// SPDX-License-Identifier: Apache-2.0
//
// Frames of flesh.h. Fibres are asked where they are, in the world, and what they say is brought
// back to the part's place at rest, where the vertex goes in or out.
#include "skin/implicit/flesh.h"

#include "base/context.h"

// How a part stands: its motion from rest, and beyond which box none of its fibres is felt.
typedef struct posed_part {
    sn_mat4 motion;
    double scale; // of the motion; 0: nothing is moved in it
    sni_field_box reach;
} posed_part;

// A fibre that may be felt on the way of a vertex.
typedef struct felt_fibre {
    uint32_t number;
    uint32_t place; // along it, where it was asked last; SN_NONE: nowhere
    double bound;   // it is not nearer to where the vertex is at rest
} felt_fibre;

typedef struct flesh_run {
    const sni_flesh *flesh;
    const sni_flesh_job *job;
    posed_part *parts;
    void **ready;          // of fibres: made ready to be asked (kind/muscle_surface.h)
    sn_vec3 *moves, *next; // of vertices
    uint32_t most_fibres;  // of a part
    felt_fibre *felt;      // most_fibres for each thread
} flesh_run;

// A vertex in the field of a part, on a straight line inwards from where it is at rest.
typedef struct line {
    const sni_flesh_row *row;
    const posed_part *part;
    sn_vec3 from, now; // at rest, and there in the world
    double stretch;    // how long the unit of the line is in the world
} line;

static bool is_in_box(const sni_field_box *box, sn_vec3 p) {
    return p.x > box->low.x && p.y > box->low.y && p.z > box->low.z && p.x < box->high.x &&
           p.y < box->high.y && p.z < box->high.z;
}

// ---------------------------------------------------------------------------------------------
// Fields

// A fibre as the part at rest sees it: asked in the world, over the part's size.
static sni_field_value fibre_at(const flesh_run *run, const line *l, felt_fibre *felt, sn_vec3 at,
                                double *distance) {
    const sni_implicit_fibre *fibre = &run->flesh->muscles.fibres[felt->number];
    const sni_muscle_solid *solid = &run->job->posed[fibre->muscle].solid;
    sni_distance_value value;
    value.distance =
        solid->ready_distance(run->ready[felt->number], at, &felt->place, &value.gradient);
    const double *m = l->part->motion.m; // columns
    double scale = l->part->scale;
    sn_vec3 g = value.gradient;
    value.gradient = sn_vec3_make((m[0] * g.x + m[1] * g.y + m[2] * g.z) / scale,
                                  (m[4] * g.x + m[5] * g.y + m[6] * g.z) / scale,
                                  (m[8] * g.x + m[9] * g.y + m[10] * g.z) / scale);
    value.distance /= scale;
    *distance = value.distance;
    return sni_support_field(value, run->flesh->muscles.radii[l->row->part]);
}

// The fibres of a part that may be felt at a vertex and beside it, and their field where it is at
// rest. `change` becomes how much the distance of a fibre has changed there, at most: the surface
// has not moved much further. Beyond its support a muscle is not felt.
static uint32_t find_felt(const flesh_run *run, const line *l, felt_fibre *felt,
                          sni_field_value *muscles, double *change) {
    const sni_implicit_muscles *m = &run->flesh->muscles;
    const sni_flesh_near *near = run->flesh->nears + l->row->first_near;
    const sni_flesh_near *end = near + l->row->near_count;
    uint32_t count = 0, part = l->row->part;
    double radius = m->radii[part], reach = radius * l->part->scale;
    *muscles = (sni_field_value){0};
    *change = 0;
    for (uint32_t k = m->starts[part]; k < m->starts[part + 1]; ++k) {
        bool was_near = near < end && near->fibre == k;
        double before = was_near ? near->distance : radius, after = radius;
        near += was_near;
        uint32_t number = m->lists[k];
        const sni_muscle_solid *solid = &run->job->posed[m->fibres[number].muscle].solid;
        felt_fibre one = {number, SN_NONE, solid->at_least(run->ready[number], l->now, reach)};
        if (one.bound < reach) {
            double distance;
            *muscles = sni_field_unite_muscles(*muscles, fibre_at(run, l, &one, l->now, &distance));
            after = distance < radius ? distance : radius;
        }
        if (one.bound < 2 * reach) {
            felt[count++] = one;
        }
        double by = fabs(after - before);
        *change = by > *change ? by : *change;
    }
    return count;
}

// Whether a fibre is felt on the line: those are that are less than twice the radius of their
// support away where it begins. Most of them never come into question, so it is asked late.
static bool is_felt(const flesh_run *run, const line *l, felt_fibre *felt) {
    if (felt->place == SN_NONE) {
        double distance;
        fibre_at(run, l, felt, l->now, &distance);
        if (!(distance < 2 * run->flesh->muscles.radii[l->row->part])) {
            felt->bound = INFINITY;
        }
    }
    return felt->bound < INFINITY;
}

// The field of a part with the fibres that are felt, so far along the line.
static sni_field_value felt_at(const flesh_run *run, const line *l, double way, felt_fibre *felt,
                               uint32_t count) {
    uint32_t part = l->row->part;
    sn_vec3 rest = sn_vec3_add_scaled(l->from, way, l->row->inwards);
    sn_vec3 at = sn_mat4_point(&l->part->motion, rest);
    double reach = run->flesh->muscles.radii[part] * l->part->scale, distance;
    double gone = fabs(way) * l->stretch;
    sni_field_value all = {0};
    for (uint32_t k = 0; k < count; ++k) {
        if (felt[k].bound - gone < reach && is_felt(run, l, &felt[k])) {
            all = sni_field_unite_muscles(all, fibre_at(run, l, &felt[k], at, &distance));
        }
    }
    return sni_field_with_muscles(sni_field_part_at_rest(&run->flesh->body.parts[part], rest), all);
}

// ---------------------------------------------------------------------------------------------
// Vertices

// How far inwards a vertex goes from where it is at rest, where the field is `here`, until the
// field, with the muscles as they are now, has the value that it has there: by Newton's steps in
// the place of the support (tracker.c), along a straight line.
static double way_in(const flesh_run *run, const line *l, sni_field_value here, felt_fibre *felt,
                     uint32_t count) {
    enum { MOST = 6 };
    static const double enough = 1e-4, least_slope = 0.2;
    const sni_flesh_row *row = l->row;
    double way = 0, longest = 0.25 * run->flesh->body.parts[row->part].radius;
    for (int k = 0; k < MOST; ++k) {
        if (k > 0) {
            here = felt_at(run, l, way, felt, count);
        }
        if (fabs(here.value - row->value) < enough) {
            break;
        }
        double x = sni_support_inverse(here.value), slope = sni_support_slope(x);
        double rise = sn_vec3_dot(here.gradient, row->inwards);
        if (slope == 0 || !(rise > least_slope * sn_vec3_length(here.gradient))) {
            break;
        }
        double step = (row->depth - x) * slope / rise;
        way += step > longest ? longest : step < -longest ? -longest : step;
    }
    return way;
}

// What the muscles of a part move a vertex by, in the part's place at rest.
static sn_vec3 moved_by(const flesh_run *run, const sni_flesh_row *row, sn_vec3 from,
                        felt_fibre *felt) {
    static const double farthest = 1.5, least = 1e-7; // of the change; metres
    const sn_vec3 nothing = {0, 0, 0};
    const posed_part *part = &run->parts[row->part];
    line l = {.row = row, .part = part, .from = from};
    l.now = sn_mat4_point(&part->motion, from);
    if (!(part->scale > 0) || (row->near_count == 0 && !is_in_box(&part->reach, l.now))) {
        return nothing;
    }
    double change;
    sni_field_value muscles;
    uint32_t count = find_felt(run, &l, felt, &muscles, &change);
    if (change < least) {
        return nothing;
    }
    l.stretch = sn_vec3_length(sn_mat4_direction(&part->motion, row->inwards));
    double way = way_in(run, &l, sni_field_with_muscles(row->limb, muscles), felt, count);
    double most = farthest * change;
    return sn_vec3_scale(row->inwards, way > most ? most : way < -most ? -most : way);
}

static void move_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const flesh_run *run = user;
    const sni_flesh *flesh = run->flesh;
    felt_fibre *felt = run->felt + (size_t)worker * run->most_fibres;
    for (uint32_t v = begin; v < end; ++v) {
        if (run->job->map[v] != v) {
            continue; // nobody asks for its own move
        }
        sn_vec3 by = {0, 0, 0};
        for (uint32_t k = flesh->offsets[v]; k < flesh->offsets[v + 1]; ++k) {
            const sni_flesh_row *row = &flesh->rows[k];
            if (row->weight > 0) {
                sn_vec3 local = moved_by(run, row, flesh->rest[v], felt);
                by = sn_vec3_add_scaled(by, row->weight,
                                        sn_mat4_direction(&run->parts[row->part].motion, local));
            }
        }
        run->moves[v] = by;
    }
}

// A sweep of smoothing: halfway to the mean of the neighbours.
static void smooth_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const flesh_run *run = user;
    const sni_tracker_mesh *mesh = run->job->mesh;
    for (uint32_t v = begin; v < end; ++v) {
        uint32_t i = run->job->map[v], first = mesh->starts[i], last = mesh->starts[i + 1];
        sn_vec3 sum = {0, 0, 0};
        for (uint32_t k = first; k < last; ++k) {
            sum = sn_vec3_add(sum, run->moves[mesh->neighbors[k]]);
        }
        run->next[v] = last > first ? sn_vec3_lerp(run->moves[i],
                                                   sn_vec3_scale(sum, 1.0 / (last - first)), 0.5)
                                    : run->moves[i];
    }
}

static void move_points(flesh_run *run) {
    enum { GRAIN = 128, SWEEPS = 2 };
    sn_context *context = run->job->context;
    uint32_t count = run->flesh->vertex_count;
    sn_parallel_for(context, count, GRAIN, move_block, run);
    for (int k = 0; k < SWEEPS; ++k) {
        sn_parallel_for(context, count, GRAIN, smooth_block, run);
        sn_vec3 *swap = run->moves;
        run->moves = run->next;
        run->next = swap;
    }
    for (uint32_t v = 0; v < count; ++v) {
        float *point = run->job->points + 3 * (size_t)v;
        sn_vec3_store(sn_vec3_add(sn_vec3_load(point), run->moves[v]), point);
    }
}

// ---------------------------------------------------------------------------------------------
// A frame

// How much larger a motion makes things: the cube root of its volume.
static double scale_of(const sn_mat4 *motion) {
    const double *m = motion->m;
    sn_vec3 x = {m[0], m[1], m[2]}, y = {m[4], m[5], m[6]}, z = {m[8], m[9], m[10]};
    return cbrt(fabs(sn_vec3_dot(x, sn_vec3_cross(y, z))));
}

static void pose_part(const flesh_run *run, uint32_t index, const sni_field_box *boxes) {
    const sni_flesh *flesh = run->flesh;
    const sni_implicit_muscles *m = &flesh->muscles;
    posed_part *part = &run->parts[index];
    part->motion =
        sn_mat4_multiply(&run->job->worlds[flesh->part_segments[index]], &flesh->to_rest[index]);
    part->scale = scale_of(&part->motion);
    // A box of nothing, until there is a fibre.
    sni_field_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    double border = m->radii[index] * part->scale;
    for (uint32_t k = m->starts[index]; k < m->starts[index + 1]; ++k) {
        box.low = sn_vec3_min(box.low, boxes[m->lists[k]].low);
        box.high = sn_vec3_max(box.high, boxes[m->lists[k]].high);
    }
    part->reach.low = sn_vec3_sub(box.low, sn_vec3_make(border, border, border));
    part->reach.high = sn_vec3_add(box.high, sn_vec3_make(border, border, border));
}

// Makes fibres ready; false when memory runs out.
static bool pose_fibres(const flesh_run *run, sni_arena *arena, sni_field_box *boxes) {
    const sni_implicit_muscles *m = &run->flesh->muscles;
    for (uint32_t i = 0; i < m->fibre_count; ++i) {
        const sni_muscle_points *posed = &run->job->posed[m->fibres[i].muscle];
        const sni_muscle_solid *solid = &posed->solid;
        run->ready[i] = sni_arena_alloc(arena, 1, solid->ready_bytes);
        if (run->ready[i] == NULL) {
            return false;
        }
        solid->make_ready(solid->bound, posed->contracted, m->fibres[i].body, run->ready[i]);
        solid->box(solid->bound, posed->contracted, m->fibres[i].body, &boxes[i].low,
                   &boxes[i].high);
    }
    return true;
}

static uint32_t most_fibres_of(const sni_flesh *flesh) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < flesh->part_count; ++i) {
        uint32_t count = flesh->muscles.starts[i + 1] - flesh->muscles.starts[i];
        most = count > most ? count : most;
    }
    return most;
}

bool sni_flesh_run(const sni_flesh *flesh, const sni_flesh_job *job) {
    sni_arena *arena = job->arena;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    uint32_t fibres = flesh->muscles.fibre_count;
    flesh_run run = {.flesh = flesh, .job = job, .most_fibres = most_fibres_of(flesh)};
    run.parts = sni_arena_alloc(arena, flesh->part_count, sizeof *run.parts);
    run.ready = sni_arena_alloc(arena, fibres, sizeof *run.ready);
    run.moves = sni_arena_alloc(arena, flesh->vertex_count, sizeof *run.moves);
    run.next = sni_arena_alloc(arena, flesh->vertex_count, sizeof *run.next);
    run.felt = sni_arena_alloc(arena, (size_t)run.most_fibres * job->context->thread_count,
                               sizeof *run.felt);
    sni_field_box *boxes = sni_arena_alloc(arena, fibres, sizeof *boxes);
    bool done = run.parts != NULL && run.ready != NULL && run.moves != NULL && run.next != NULL &&
                run.felt != NULL && boxes != NULL && pose_fibres(&run, arena, boxes);
    if (done) {
        for (uint32_t i = 0; i < flesh->part_count; ++i) {
            pose_part(&run, i, boxes);
        }
        move_points(&run);
    }
    sni_arena_release(arena, mark);
    return done;
}
