// SPDX-License-Identifier: Apache-2.0
#include "skin/implicit/flesh.h"

#include "base/context.h"

void sni_flesh_free(sn_context *context, sni_flesh *flesh) {
    sni_implicit_muscles_free(context, &flesh->muscles);
    sni_implicit_body_free(context, &flesh->body);
    sni_free(context, flesh->part_segments);
    sni_free(context, flesh->to_rest);
    sni_free(context, flesh->offsets);
    sni_free(context, flesh->rows);
    sni_free(context, flesh->rest);
    sni_free(context, flesh->nears);
    sni_free(context, flesh->boxes);
    sni_free(context, flesh->numbers);
    *flesh = (sni_flesh){0};
}

size_t sni_flesh_bytes(const sni_flesh *flesh) {
    size_t bytes = flesh->vertex_count * (sizeof *flesh->offsets + sizeof *flesh->rest);
    bytes +=
        flesh->vertex_count > 0 ? flesh->offsets[flesh->vertex_count] * sizeof *flesh->rows : 0;
    return bytes + sni_implicit_body_bytes(&flesh->body);
}

// ---------------------------------------------------------------------------------------------
// Fields of limbs, as a part has them at rest

// A fibre as a part at rest sees it: where points of the part are now, over the part's size.
typedef struct seen_fibre {
    sni_muscle_solid solid;
    uint32_t body;
    const double *points;  // NULL: at rest
    const sn_mat4 *motion; // NULL: at rest
    double scale;          // of the motion
    double wider;          // at rest: by this part of what it is thick below a point
} seen_fibre;

static sni_distance_value rest_at(const void *user, sn_vec3 at) {
    const seen_fibre *f = user;
    sni_distance_value value;
    value.distance = f->solid.distance(f->solid.bound, NULL, f->body, at, NULL, &value.gradient);
    return value;
}

// A fibre of a pose, asked in the part's place at rest.
static sni_distance_value posed_at(const seen_fibre *f, sn_vec3 at, uint32_t *place) {
    sni_distance_value value;
    sn_vec3 g, now = sn_mat4_point(f->motion, at);
    value.distance =
        f->solid.distance(f->solid.bound, f->points, f->body, now, place, &g) / f->scale;
    const double *m = f->motion->m; // columns
    value.gradient = sn_vec3_make((m[0] * g.x + m[1] * g.y + m[2] * g.z) / f->scale,
                                  (m[4] * g.x + m[5] * g.y + m[6] * g.z) / f->scale,
                                  (m[8] * g.x + m[9] * g.y + m[10] * g.z) / f->scale);
    return value;
}

static sni_distance_value seen_at(const void *user, sn_vec3 at) {
    const seen_fibre *f = user;
    if (f->motion != NULL) {
        return posed_at(f, at, NULL);
    }
    sni_distance_value value = rest_at(f, at);
    if (f->wider != 0) {
        sni_field_muscle muscle = {.distance = rest_at, .user = f};
        value.distance -= f->wider * sni_muscle_depth_below(&muscle, f->solid.thickness, at);
    }
    return value;
}

// How much larger a motion makes things: the cube root of its volume.
static double scale_of(const sn_mat4 *motion) {
    const double *m = motion->m;
    sn_vec3 x = {m[0], m[1], m[2]}, y = {m[4], m[5], m[6]}, z = {m[8], m[9], m[10]};
    return cbrt(fabs(sn_vec3_dot(x, sn_vec3_cross(y, z))));
}

// The fibres of all parts in one state.
typedef struct seen_muscles {
    seen_fibre *fibres;
    sni_field_muscle *fields;
    sni_field_muscles all;
} seen_muscles;

static bool take_seen(const sni_flesh *flesh, sni_arena *arena, seen_muscles *seen) {
    const sni_implicit_muscles *m = &flesh->muscles;
    uint32_t count = m->starts[flesh->part_count];
    seen->fibres = sni_arena_alloc(arena, count, sizeof *seen->fibres);
    seen->fields = sni_arena_alloc(arena, count, sizeof *seen->fields);
    uint8_t *shared = sni_arena_alloc(arena, count, sizeof *shared);
    sni_field_box *reaches = sni_arena_alloc(arena, flesh->part_count, sizeof *reaches);
    if (seen->fibres == NULL || seen->fields == NULL || shared == NULL || reaches == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < count; ++k) {
        shared[k] = 0;
        seen->fields[k] = (sni_field_muscle){.distance = seen_at, .user = &seen->fibres[k]};
    }
    seen->all =
        (sni_field_muscles){m->starts, flesh->numbers, m->radii, seen->fields, shared, reaches};
    return true;
}

static void see_at_rest(const sni_flesh *flesh, const sni_muscle_solid *solids,
                        seen_muscles *seen) {
    const sni_implicit_muscles *m = &flesh->muscles;
    for (uint32_t k = 0; k < m->starts[flesh->part_count]; ++k) {
        const sni_implicit_fibre *fibre = &m->fibres[m->lists[k]];
        seen->fibres[k] = (seen_fibre){.solid = solids[fibre->muscle], .body = fibre->body};
        seen->fields[k].low = flesh->boxes[m->lists[k]].low;
        seen->fields[k].high = flesh->boxes[m->lists[k]].high;
    }
    sni_field_muscles_reach(&seen->all, flesh->part_count);
}

// The box of a fibre in a pose, moved back to its part's place at rest.
static void box_at_rest(const seen_fibre *f, const sn_mat4 *back, sni_field_muscle *field) {
    sn_vec3 low, high;
    f->solid.box(f->solid.bound, f->points, f->body, &low, &high);
    field->low = sn_vec3_make(INFINITY, INFINITY, INFINITY);
    field->high = sn_vec3_make(-INFINITY, -INFINITY, -INFINITY);
    for (int k = 0; k < 8; ++k) {
        sn_vec3 corner = {k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z};
        corner = sn_mat4_point(back, corner);
        field->low = sn_vec3_min(field->low, corner);
        field->high = sn_vec3_max(field->high, corner);
    }
}

static void see_now(const sni_flesh *flesh, const sni_muscle_points *posed, const sn_mat4 *motions,
                    const sn_mat4 *backs, seen_muscles *seen) {
    const sni_implicit_muscles *m = &flesh->muscles;
    for (uint32_t part = 0; part < flesh->part_count; ++part) {
        double scale = m->starts[part] < m->starts[part + 1] ? scale_of(&motions[part]) : 1;
        for (uint32_t k = m->starts[part]; k < m->starts[part + 1]; ++k) {
            const sni_implicit_fibre *fibre = &m->fibres[m->lists[k]];
            const sni_muscle_points *now = &posed[fibre->muscle];
            seen->fibres[k] = (seen_fibre){.solid = now->solid,
                                           .body = fibre->body,
                                           .points = now->contracted,
                                           .motion = &motions[part],
                                           .scale = scale};
            box_at_rest(&seen->fibres[k], &backs[part], &seen->fields[k]);
        }
    }
    sni_field_muscles_reach(&seen->all, flesh->part_count);
}

static bool is_in_box(const sni_field_box *box, sn_vec3 p) {
    return p.x > box->low.x && p.y > box->low.y && p.z > box->low.z && p.x < box->high.x &&
           p.y < box->high.y && p.z < box->high.z;
}

// Whether a point may be within a muscle's support.
static bool is_near(const sni_field_muscle *muscle, double radius, sn_vec3 p) {
    sn_vec3 border = {radius, radius, radius};
    sni_field_box box = {sn_vec3_sub(muscle->low, border), sn_vec3_add(muscle->high, border)};
    return is_in_box(&box, p);
}

// ---------------------------------------------------------------------------------------------
// Making

static uint32_t part_of(const sni_skin_parts *parts, uint32_t segment) {
    return parts->segment_parts[segment];
}

static bool has_limb(const sni_flesh *flesh, uint32_t part) {
    return part != SN_NONE && flesh->body.parts[part].hrbf.center_count > 0;
}

// Rows of a vertex: the parts with muscles that it has weights on. Returns how many; `rows` may be
// NULL.
static uint32_t list_rows(const sni_flesh_desc *desc, const sni_flesh *flesh, uint32_t vertex,
                          sni_flesh_row *rows) {
    static const double least = 0.01;
    const sni_skin_parts *parts = desc->body.parts;
    uint32_t count = 0, first = desc->offsets[vertex], last = desc->offsets[vertex + 1];
    double total = 0;
    for (uint32_t k = first; k < last; ++k) {
        total += desc->weights[k];
    }
    for (uint32_t k = first; k < last; ++k) {
        uint32_t part = part_of(parts, desc->segments[k]);
        bool is_first = true;
        double sum = 0;
        for (uint32_t other = first; other < last; ++other) {
            bool same = part_of(parts, desc->segments[other]) == part;
            sum += same ? desc->weights[other] : 0;
            is_first = is_first && !(same && other < k);
        }
        if (!is_first || !has_limb(flesh, part) || !(sum > least * total)) {
            continue;
        }
        if (rows != NULL) {
            rows[count] = (sni_flesh_row){.part = part, .weight = (float)(sum / total)};
        }
        ++count;
    }
    return count;
}

// The fibres whose support holds a point at rest, with their distances there. Returns how many;
// `nears` may be NULL.
static uint32_t list_nears(const sni_field_muscles *muscles, uint32_t part, sn_vec3 at,
                           sni_flesh_near *nears) {
    uint32_t count = 0;
    double radius = muscles->radii[part];
    for (uint32_t k = muscles->starts[part]; k < muscles->starts[part + 1]; ++k) {
        const sni_field_muscle *muscle = &muscles->muscles[k];
        if (!is_near(muscle, radius, at)) {
            continue;
        }
        double distance = muscle->distance(muscle->user, at).distance;
        if (distance < radius) {
            if (nears != NULL) {
                nears[count] = (sni_flesh_near){.fibre = k, .distance = distance};
            }
            ++count;
        }
    }
    return count;
}

static sn_status make_nears(sn_context *context, sni_flesh *flesh, const sni_field_muscles *muscles,
                            sn_error *error) {
    sn_status status = SN_OK;
    uint32_t total = 0;
    for (uint32_t v = 0; v < flesh->vertex_count; ++v) {
        for (uint32_t k = flesh->offsets[v]; k < flesh->offsets[v + 1]; ++k) {
            sni_flesh_row *row = &flesh->rows[k];
            row->first_near = total;
            row->near_count = list_nears(muscles, row->part, flesh->rest[v], NULL);
            total += row->near_count;
        }
    }
    SNI_NEW(context, flesh->nears, total);
    for (uint32_t v = 0; v < flesh->vertex_count; ++v) {
        for (uint32_t k = flesh->offsets[v]; k < flesh->offsets[v + 1]; ++k) {
            sni_flesh_row *row = &flesh->rows[k];
            list_nears(muscles, row->part, flesh->rest[v], flesh->nears + row->first_near);
        }
    }
cleanup:
    return status;
}

static sn_status make_rows(sn_context *context, const sni_flesh_desc *desc, sni_flesh *flesh,
                           const sni_tree_pose *rest, sn_error *error) {
    // Beyond these values skin is too far from its limb to be moved in its field.
    static const double farthest = 0.45;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, flesh->offsets, (size_t)flesh->vertex_count + 1);
    for (uint32_t v = 0; v < flesh->vertex_count; ++v) {
        flesh->offsets[v + 1] = flesh->offsets[v] + list_rows(desc, flesh, v, NULL);
    }
    SNI_NEW(context, flesh->rows, flesh->offsets[flesh->vertex_count]);
    SNI_NEW(context, flesh->rest, flesh->vertex_count);
    for (uint32_t v = 0; v < flesh->vertex_count; ++v) {
        sni_flesh_row *rows = flesh->rows + flesh->offsets[v];
        uint32_t count = list_rows(desc, flesh, v, rows);
        sn_vec3 at = sn_vec3_load(desc->body.positions + 3 * (size_t)v);
        flesh->rest[v] = at;
        for (uint32_t k = 0; k < count; ++k) {
            sni_field_value here = sni_field_limb_at(&flesh->body.tree, rest, rows[k].part, at);
            rows[k].value = here.value;
            rows[k].weight = fabs(here.value - 0.5) <= farthest ? rows[k].weight : 0;
            rows[k].inwards = sn_vec3_normalize_or(here.gradient, sn_vec3_make(0, 0, 0));
        }
    }
cleanup:
    return status;
}

// Whether a muscle is felt at a vertex of its own part, and how far the vertex then is from the
// surface of the part with its muscles.
static bool miss_at(const sni_flesh *flesh, const sni_tree_pose *rest, const sni_flesh_row *row,
                    sn_vec3 at, double *miss) {
    sni_field_value with = sni_field_limb_at(&flesh->body.tree, rest, row->part, at);
    sni_field_value without =
        sni_field_part_at(&flesh->body.parts[row->part], &rest->parts[row->part], at);
    double steep = sn_vec3_length(with.gradient);
    if (with.value == without.value || !(steep > 0)) {
        return false;
    }
    *miss = fabs(with.value - 0.5) / steep;
    return true;
}

// The mean and largest distance of the skin above muscles from the surface of its limbs, over at
// most so many vertices.
static uint32_t measure_fit(const sni_flesh_desc *desc, const sni_flesh *flesh,
                            const sni_tree_pose *rest, uint32_t most, double *mean, double *worst) {
    uint32_t count = 0, stride = flesh->vertex_count / most + 1;
    double sum = 0;
    *worst = 0;
    for (uint32_t v = 0; v < flesh->vertex_count; v += stride) {
        double miss;
        for (uint32_t k = flesh->offsets[v]; k < flesh->offsets[v + 1]; ++k) {
            if (flesh->rows[k].weight > 0.5F &&
                miss_at(flesh, rest, &flesh->rows[k],
                        sn_vec3_load(desc->body.positions + 3 * (size_t)v), &miss)) {
                sum += miss;
                *worst = fmax(*worst, miss);
                ++count;
            }
        }
    }
    *mean = count > 0 ? sum / count : 0;
    return count;
}

// Looks for the factor on the widths of all muscles with which the surface is nearest to the skin.
static void search_width(const sni_flesh_desc *desc, sni_flesh *flesh, const sni_tree_pose *rest,
                         seen_muscles *seen) {
    enum { FACTORS = 19, VERTICES = 1000 };
    uint32_t count = flesh->muscles.starts[flesh->part_count];
    sni_flesh_fit *fit = &flesh->fit;
    fit->vertex_count = measure_fit(desc, flesh, rest, UINT32_MAX, &fit->mean, &fit->worst);
    fit->width = 1;
    fit->best = INFINITY;
    for (int i = 0; i < FACTORS && fit->vertex_count > 0; ++i) {
        double factor = 0.6 + 0.05 * i, mean, worst;
        for (uint32_t k = 0; k < count; ++k) {
            seen->fibres[k].wider = factor - 1;
        }
        measure_fit(desc, flesh, rest, VERTICES, &mean, &worst);
        if (mean < fit->best) {
            fit->best = mean;
            fit->width = factor;
        }
    }
}

static sn_status keep_rest(sn_context *context, const sni_flesh_desc *desc, sni_flesh *flesh,
                           sn_error *error) {
    sn_status status = SN_OK;
    const sni_implicit_muscles *m = &flesh->muscles;
    SNI_NEW(context, flesh->part_segments, flesh->part_count);
    SNI_NEW(context, flesh->to_rest, flesh->part_count);
    SNI_NEW(context, flesh->boxes, m->fibre_count);
    SNI_NEW(context, flesh->numbers, m->starts[flesh->part_count]);
    for (uint32_t i = 0; i < flesh->part_count; ++i) {
        uint32_t segment = desc->body.parts->parts[i].segment;
        flesh->part_segments[i] = segment;
        if (!sn_mat4_invert(&desc->rest_worlds[segment], &flesh->to_rest[i])) {
            flesh->to_rest[i] = (sn_mat4){{0}}; // of no size: nothing is moved in it
        }
    }
    for (uint32_t i = 0; i < m->fibre_count; ++i) {
        flesh->boxes[i] = (sni_field_box){m->rest[i].low, m->rest[i].high};
    }
    for (uint32_t k = 0; k < m->starts[flesh->part_count]; ++k) {
        flesh->numbers[k] = k;
    }
cleanup:
    return status;
}

static sn_status make_fields(sn_context *context, const sni_flesh_desc *desc, sni_arena *arena,
                             sni_flesh *flesh, sn_error *error) {
    sn_status status = SN_OK;
    sni_muscle_solid *solids = sni_arena_alloc(arena, desc->muscle_count, sizeof *solids);
    sni_part_pose *still = sni_arena_alloc(arena, flesh->part_count, sizeof *still);
    seen_muscles seen;
    SN_TRY(solids != NULL && still != NULL && take_seen(flesh, arena, &seen)
               ? SN_OK
               : sni_fail_memory(error));
    for (uint32_t i = 0; i < desc->muscle_count; ++i) {
        solids[i] = desc->muscles[i].solid;
    }
    for (uint32_t i = 0; i < flesh->part_count; ++i) {
        still[i] = (sni_part_pose){sn_quat_identity(), {0, 0, 0}};
    }
    see_at_rest(flesh, solids, &seen);
    sni_tree_pose rest = {still, &seen.all};
    SN_TRY(make_rows(context, desc, flesh, &rest, error));
    SN_TRY(make_nears(context, flesh, &seen.all, error));
    search_width(desc, flesh, &rest, &seen);
cleanup:
    return status;
}

sn_status sni_flesh_create(sn_context *context, const sni_flesh_desc *desc, sni_flesh *flesh,
                           sn_error *error) {
    sn_status status = SN_OK;
    sni_arena arena;
    sni_arena_init(&arena, context);
    *flesh =
        (sni_flesh){.part_count = desc->body.parts->count, .vertex_count = desc->body.vertex_count};
    sni_implicit_muscles_desc muscles = {desc->muscle_count, desc->muscles, desc->body.parts,
                                         desc->body.positions};
    SN_TRY(sni_implicit_muscles_create(context, &muscles, &flesh->muscles, error));
    sni_implicit_body_desc body = desc->body;
    body.muscles = &flesh->muscles;
    body.with_muscles_only = true;
    SN_TRY(sni_implicit_body_create(context, &body, &flesh->body, error));
    SN_TRY(keep_rest(context, desc, flesh, error));
    SN_TRY(make_fields(context, desc, &arena, flesh, error));
cleanup:
    sni_arena_deinit(&arena);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Frames

typedef struct flesh_run {
    const sni_flesh *flesh;
    const sni_flesh_job *job;
    const sn_mat4 *motions; // of parts
    sni_tree_pose now;
    sn_vec3 *moves, *next;   // of vertices
    uint32_t most_fibres;    // of a part
    struct felt_fibre *felt; // most_fibres for each thread
} flesh_run;

// A fibre that may be felt on the way of a vertex.
typedef struct felt_fibre {
    const seen_fibre *fibre;
    uint32_t place; // along it, where it was asked last
} felt_fibre;

// The fibres of a part that may be felt at a vertex, and how much the distance of a fibre has
// changed there, at most: the surface has not moved much further. Beyond its support a muscle is
// not felt.
static uint32_t find_felt(const flesh_run *run, const sni_flesh_row *row, sn_vec3 at,
                          felt_fibre *felt, double *most) {
    const sni_field_muscles *now = run->now.muscles;
    const sni_flesh_near *near = run->flesh->nears + row->first_near, *end = near + row->near_count;
    uint32_t count = 0;
    double radius = now->radii[row->part];
    *most = 0;
    for (uint32_t k = now->starts[row->part]; k < now->starts[row->part + 1]; ++k) {
        bool was_near = near < end && near->fibre == k;
        double before = was_near ? near->distance : radius, after = radius;
        near += was_near;
        if (is_near(&now->muscles[k], 2 * radius, at)) {
            felt_fibre one = {.fibre = now->muscles[k].user, .place = SN_NONE};
            double distance = posed_at(one.fibre, at, &one.place).distance;
            after = distance < radius ? distance : radius;
            if (distance < 2 * radius) {
                felt[count++] = one;
            }
        }
        double change = fabs(after - before);
        *most = change > *most ? change : *most;
    }
    return count;
}

// The field of a part with the fibres that are felt.
static sni_field_value felt_at(const flesh_run *run, const sni_flesh_row *row, sn_vec3 at,
                               felt_fibre *felt, uint32_t count) {
    sni_field_value limb =
        sni_field_part_at(&run->flesh->body.parts[row->part], &run->now.parts[row->part], at);
    sni_field_value all = {0};
    double radius = run->now.muscles->radii[row->part];
    for (uint32_t k = 0; k < count; ++k) {
        sni_distance_value one = posed_at(felt[k].fibre, at, &felt[k].place);
        all = sni_field_unite_muscles(all, sni_support_field(one, radius));
    }
    return sni_field_with_muscles(limb, all);
}

// How far inwards a vertex goes from where it is at rest until the field, with the muscles as they
// are now, has the value that it has there: by Newton's steps in the place of the support
// (tracker.c), along a straight line.
static double way_in(const flesh_run *run, const sni_flesh_row *row, sn_vec3 from, felt_fibre *felt,
                     uint32_t count) {
    enum { MOST = 6 };
    static const double enough = 1e-4, least_slope = 0.2;
    double target = sni_support_inverse(row->value), way = 0;
    double longest = 0.25 * run->flesh->body.parts[row->part].radius;
    for (int k = 0; k < MOST; ++k) {
        sn_vec3 at = sn_vec3_add_scaled(from, way, row->inwards);
        sni_field_value here = felt_at(run, row, at, felt, count);
        if (fabs(here.value - row->value) < enough) {
            break;
        }
        double x = sni_support_inverse(here.value), slope = sni_support_slope(x);
        double rise = sn_vec3_dot(here.gradient, row->inwards);
        if (slope == 0 || !(rise > least_slope * sn_vec3_length(here.gradient))) {
            break;
        }
        double step = (target - x) * slope / rise;
        way += step > longest ? longest : step < -longest ? -longest : step;
    }
    return way;
}

// What the muscles of a part move a vertex by, in the part's place at rest, where the vertex is at
// `at`.
static sn_vec3 moved_by(const flesh_run *run, const sni_flesh_row *row, sn_vec3 at,
                        felt_fibre *felt) {
    static const double farthest = 1.5, least = 1e-7; // of the change; metres
    sn_vec3 nothing = {0, 0, 0};
    if (row->near_count == 0 && !is_in_box(&run->now.muscles->reaches[row->part], at)) {
        return nothing;
    }
    double change;
    uint32_t count = find_felt(run, row, at, felt, &change);
    if (change < least) {
        return nothing;
    }
    double way = way_in(run, row, at, felt, count), most = farthest * change;
    return sn_vec3_scale(row->inwards, way > most ? most : way < -most ? -most : way);
}

static void move_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const flesh_run *run = user;
    const sni_flesh *flesh = run->flesh;
    felt_fibre *felt = run->felt + (size_t)worker * run->most_fibres;
    for (uint32_t v = begin; v < end; ++v) {
        sn_vec3 by = {0, 0, 0};
        for (uint32_t k = flesh->offsets[v]; k < flesh->offsets[v + 1]; ++k) {
            const sni_flesh_row *row = &flesh->rows[k];
            if (row->weight > 0) {
                sn_vec3 local = moved_by(run, row, flesh->rest[v], felt);
                by = sn_vec3_add_scaled(by, row->weight,
                                        sn_mat4_direction(&run->motions[row->part], local));
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

static void find_motions(const sni_flesh *flesh, const sn_mat4 *worlds, sn_mat4 *motions,
                         sn_mat4 *backs) {
    for (uint32_t i = 0; i < flesh->part_count; ++i) {
        motions[i] = sn_mat4_multiply(&worlds[flesh->part_segments[i]], &flesh->to_rest[i]);
        if (!sn_mat4_invert(&motions[i], &backs[i])) {
            backs[i] = (sn_mat4){{0}};
            backs[i].m[12] = backs[i].m[13] = backs[i].m[14] = INFINITY; // beyond all muscles
        }
    }
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
    uint32_t most = most_fibres_of(flesh);
    sn_mat4 *motions = sni_arena_alloc(arena, flesh->part_count, sizeof *motions);
    sn_mat4 *backs = sni_arena_alloc(arena, flesh->part_count, sizeof *backs);
    sni_part_pose *still = sni_arena_alloc(arena, flesh->part_count, sizeof *still);
    sn_vec3 *moves = sni_arena_alloc(arena, flesh->vertex_count, sizeof *moves);
    sn_vec3 *next = sni_arena_alloc(arena, flesh->vertex_count, sizeof *next);
    felt_fibre *felt =
        sni_arena_alloc(arena, (size_t)most * job->context->thread_count, sizeof *felt);
    seen_muscles now;
    bool done = motions != NULL && backs != NULL && still != NULL && moves != NULL &&
                next != NULL && felt != NULL && take_seen(flesh, arena, &now);
    if (done) {
        for (uint32_t i = 0; i < flesh->part_count; ++i) {
            still[i] = (sni_part_pose){sn_quat_identity(), {0, 0, 0}};
        }
        find_motions(flesh, job->worlds, motions, backs);
        see_now(flesh, job->posed, motions, backs, &now);
        flesh_run run = {.flesh = flesh,
                         .job = job,
                         .motions = motions,
                         .now = {still, &now.all},
                         .moves = moves,
                         .next = next,
                         .most_fibres = most,
                         .felt = felt};
        move_points(&run);
    }
    sni_arena_release(arena, mark);
    return done;
}
