// SPDX-License-Identifier: Apache-2.0
//
// What is found at rest: the eyeball, the opening, and the weight of each vertex near it. Weights
// fall as scanned lids do in a blink: the upper one turns as a plate up to a twentieth of a radius
// beyond its edge, and 0.4 radii from it the skin stays; behind it, and in the lower lid, what
// moves fades over twice that way.
#include "skin/lids/folds.h"

#include "base/context.h"

#include <string.h>

// Weights are whole up to here, and those of the inside of the upper lid end here, in radii.
static const double plate = 0.05, inside_reach = 0.7;
// How far from the middle the inside of a lid lies, and lids at all: up to the first they count in
// full, beyond the second not at all; radii.
static const double inside_radii[2] = {1.1, 1.3}, lid_radii[2] = {1.35, 1.75};
// The margin of a lid is no thicker than this, in radii: it moves as one.
static const double margin = 0.18;
// Where vertices keep their distance from the eyeball in full, and where no longer; how far from an
// edge the other lid may press them; radii.
static const double hold_from = 0.12, hold_to = 0.45, press_reach = 0.3;
// How firmly ligaments hold the corners, and how far from them, in radii: tendons of a few
// millimetres, which muscles around the eye stretch a little.
static const double ligament = 0.7, ligament_from = 0.1, ligament_to = 0.7;
// Up to the first distance from an edge what muscles do to lids is evened out in full, beyond the
// second not at all, in each place over as much skin as `even_reach` has around it; radii.
static const double even_from = 0.25, even_to = 0.6, even_reach = 0.25;
// Up to the first distance from a corner folds are eased in full, beyond the second not at all.
static const double ease_from = 0.3, ease_to = 0.6;
// Vertices of the edges turn with the lid by more than this.
static const double edge_turn = 0.98;
// What is nearer to the middle may touch the eyeball; what is farther than `far` has no part in it.
static const double touch = 1.6, far = 2.6;
// How fast the height of the opening counts as rising from a corner, where eyes are blunt.
static const double steepest = 4;
// A piece of the mesh that is all so near to the middle is an eyeball.
static const double ball_radius = 1.3, ball_offset = 0.5;
// A segment whose origin is so near to the middle of the eyeball turns it there.
static const double same_middle = 0.35;

static double smooth(double low, double high, double x) {
    double t = fmin(fmax((x - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

// ---------------------------------------------------------------------------------------------
// Eyeball

static void load_eyeball(const sni_lids_desc *d, float *positions) {
    const sn_mat4 *world = &d->rest_worlds[d->eye->segment];
    for (uint32_t v = 0; v < d->eye->mesh->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(d->eye->mesh->positions + 3 * (size_t)v);
        sn_vec3_store(d->eye->in_segment_frame ? sn_mat4_point(world, p) : p,
                      positions + 3 * (size_t)v);
    }
}

static sn_vec3 axis_of(const sn_mat4 *m, int column) {
    sn_vec3 axis = {m->m[4 * column], m->m[4 * column + 1], m->m[4 * column + 2]};
    return sn_vec3_normalize_or(axis, sn_vec3_make(column == 0, column == 1, column == 2));
}

// The outward axis leads away from the parent's plane x = 0.
static void place_frame(const sni_lids_desc *d, const float *positions, sni_lids *lids) {
    uint32_t count = d->eye->mesh->vertex_count;
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t v = 0; v < count; ++v) {
        low = sn_vec3_min(low, sn_vec3_load(positions + 3 * (size_t)v));
        high = sn_vec3_max(high, sn_vec3_load(positions + 3 * (size_t)v));
    }
    const sn_mat4 *segment = &d->rest_worlds[lids->segment],
                  *parent = &d->rest_worlds[lids->parent];
    sn_vec3 middle = sn_vec3_scale(sn_vec3_add(low, high), 0.5), size = sn_vec3_sub(high, low);
    sn_vec3 origin = {segment->m[12], segment->m[13], segment->m[14]};
    double radius = fmax(size.x, fmax(size.y, size.z)) / 2;
    bool turns_there = sn_vec3_distance(origin, middle) < same_middle * radius;
    lids->frame = (sni_eye_frame){.center = turns_there ? origin : middle,
                                  .out = axis_of(parent, 0),
                                  .up = axis_of(parent, 1),
                                  .front = axis_of(parent, 2)};
    if (sn_mat4_point(&lids->from_rest, lids->frame.center).x < 0) {
        lids->frame.out = sn_vec3_scale(lids->frame.out, -1);
    }
}

static sn_status measure_eyeball(const sni_lids_desc *d, const float *positions, sni_lids *lids,
                                 sn_error *error) {
    sn_status status = SN_OK;
    sn_triangles *triangles = NULL;
    sn_accel *accel = NULL;
    SN_TRY(sn_triangles_create(d->eye->mesh, positions, &triangles, error));
    SN_TRY(sn_accel_create(d->context, positions, d->eye->mesh->vertex_count, triangles->vertices,
                           triangles->count, &accel, error));
    sni_eye_measure(accel, &lids->frame, lids->heights);
    if (!(lids->heights->radius > 0)) {
        SN_TRY(sni_fail(error, SN_INVALID, "lids: the eye \"%s\" has no surface around its middle",
                        d->eye->name));
    }
cleanup:
    sn_triangles_destroy(triangles);
    sn_accel_destroy(accel);
    return status;
}

// The opening is found with a mean radius; the heights are measured again in the frame that it
// gives.
static sn_status find_opening(const sni_lids_desc *d, sni_lids *lids, sni_lid_opening *opening,
                              sni_lid_finding *finding, sn_error *error) {
    sn_status status = SN_OK;
    float *positions = NULL;
    SNI_NEW(d->context, positions, 3 * (size_t)d->eye->mesh->vertex_count);
    load_eyeball(d, positions);
    place_frame(d, positions, lids);
    SN_TRY(measure_eyeball(d, positions, lids, error));
    *finding = sni_lid_opening_find(d->face, lids->heights->radius, &lids->frame, opening);
    if (*finding == SNI_LIDS_FOUND) {
        SN_TRY(measure_eyeball(d, positions, lids, error));
    }
cleanup:
    sni_free(d->context, positions);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Edges

static sni_lid_edge edge_of(const sni_lids_desc *d, const sni_lid_edge_point *point) {
    const uint32_t *v = d->triangles->vertices + 3 * (size_t)d->face_triangles[point->triangle];
    sni_lid_edge edge;
    memcpy(edge.corners, v, sizeof edge.corners);
    memcpy(edge.weights, point->weights, sizeof edge.weights);
    return edge;
}

static sn_status keep_edges(const sni_lids_desc *d, const sni_lid_opening *o, sni_lids *lids,
                            sn_error *error) {
    sn_status status = SN_OK;
    double widest = 0;
    SNI_NEW(d->context, lids->upper_edge, o->count);
    SNI_NEW(d->context, lids->lower_edge, o->count);
    lids->column_count = o->count;
    lids->inner = o->a[0];
    lids->outer = o->a[o->count - 1];
    for (uint32_t i = 0; i < o->count; ++i) {
        lids->upper_edge[i] = edge_of(d, &o->upper[i]);
        lids->lower_edge[i] = edge_of(d, &o->lower[i]);
        widest = fmax(widest, o->high[i] - o->low[i]);
    }
    for (uint32_t k = 0, i = 0; k < SNI_LID_PROFILE; ++k) {
        double a = lids->inner + (lids->outer - lids->inner) * k / (SNI_LID_PROFILE - 1);
        while (i + 2 < o->count && o->a[i + 1] < a) {
            ++i;
        }
        double u = fmin(fmax((a - o->a[i]) / (o->a[i + 1] - o->a[i]), 0), 1);
        double wide = (1 - u) * (o->high[i] - o->low[i]) + u * (o->high[i + 1] - o->low[i + 1]);
        double s = (double)k / (SNI_LID_PROFILE - 1);
        lids->profile[k] = fmin(wide / widest, steepest * fmin(s, 1 - s));
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Weights

// The middle between both edges at a latitude; beyond the corners that of the next corner.
static double middle_at(const sni_lid_opening *o, double a) {
    uint32_t i = 0;
    while (i + 2 < o->count && o->a[i + 1] < a) {
        ++i;
    }
    double u = fmin(fmax((a - o->a[i]) / (o->a[i + 1] - o->a[i]), 0), 1);
    return 0.5 * ((1 - u) * (o->low[i] + o->high[i]) + u * (o->low[i + 1] + o->high[i + 1]));
}

typedef struct edges {
    uint32_t count;
    sni_eye_place *places;
    sn_vec3 *directions;
} edges;

static sn_status place_edge(const sni_lids_desc *d, const sni_lids *lids, const sni_lid_edge *edge,
                            edges *made, sn_error *error) {
    sn_status status = SN_OK;
    made->count = lids->column_count;
    SNI_NEW(d->context, made->places, made->count);
    SNI_NEW(d->context, made->directions, made->count);
    for (uint32_t i = 0; i < made->count; ++i) {
        sn_vec3 p = {0, 0, 0};
        for (int k = 0; k < 3; ++k) {
            p = sn_vec3_add_scaled(p, edge[i].weights[k],
                                   sn_vec3_load(d->positions + 3 * (size_t)edge[i].corners[k]));
        }
        made->places[i] = sni_eye_place_of(sni_eye_local(&lids->frame, p));
        made->directions[i] = sni_eye_direction(made->places[i].a, made->places[i].t);
    }
cleanup:
    return status;
}

// How far a place is from an edge, in radii: along the eyeball, and away from it beyond the
// thickness of a margin.
static double distance_from(const edges *e, const sni_eye_place *at, double radius) {
    sn_vec3 direction = sni_eye_direction(at->a, at->t);
    double least = INFINITY;
    for (uint32_t i = 0; i < e->count; ++i) {
        double along = sn_vec3_distance(direction, e->directions[i]) * (at->r + e->places[i].r) / 2;
        double away = fmax(fabs(at->r - e->places[i].r) - margin * radius, 0);
        least = fmin(least, along * along + away * away);
    }
    return sqrt(least) / radius;
}

// How far a place is from the nearer corner, metres.
static double corner_distance(const edges *upper, const edges *lower, const sni_eye_place *at) {
    sn_vec3 p = sni_eye_point(*at);
    double least = INFINITY;
    for (int corner = 0; corner < 2; ++corner) {
        uint32_t i = corner == 0 ? 0 : upper->count - 1;
        sn_vec3 middle =
            sn_vec3_lerp(sni_eye_point(upper->places[i]), sni_eye_point(lower->places[i]), 0.5);
        least = fmin(least, sn_vec3_distance(p, middle));
    }
    return least;
}

// `away` from the middle in radii; `facing`: how much the skin looks away from the eye, -1 on the
// inside of lids.
static void weigh(const sni_lids *lids, double distance, double away, double facing,
                  sni_lid_vertex *v) {
    const sni_lid_shape *shape = &lids->shape;
    double inside =
        (1 - smooth(-0.3, 0.3, facing)) * (1 - smooth(inside_radii[0], inside_radii[1], away));
    double lid = 1 - smooth(lid_radii[0], lid_radii[1], away);
    double inner = 1 - smooth(plate, inside_reach, distance);
    double upper = 1 - smooth(plate, shape->reach_upper, distance);
    double lower = 1 - smooth(plate, shape->reach_lower, distance);
    v->lid = (float)lid;
    v->turn = (float)(lid * (v->upper ? upper + inside * (inner - upper) : lower));
    v->slide = v->turn;
    v->hold = (float)(1 - smooth(hold_from, hold_to, distance));
    v->near = distance < press_reach;
    v->even = (float)(1 - smooth(even_from, even_to, distance));
}

static sn_status weigh_all(const sni_lids_desc *d, const sni_lid_opening *o, sni_lids *lids,
                           sn_error *error) {
    sn_status status = SN_OK;
    edges upper = {0}, lower = {0};
    double radius = lids->heights->radius;
    SN_TRY(place_edge(d, lids, lids->upper_edge, &upper, error));
    SN_TRY(place_edge(d, lids, lids->lower_edge, &lower, error));
    SNI_NEW(d->context, lids->vertices, d->mesh->vertex_count);
    for (uint32_t v = 0; v < d->mesh->vertex_count; ++v) {
        sn_vec3 local = sni_eye_local(&lids->frame, sn_vec3_load(d->positions + 3 * (size_t)v));
        sni_eye_place at = sni_eye_place_of(local);
        if (!d->is_face[v] || at.r > far * radius) {
            continue;
        }
        sni_lid_vertex made = {.vertex = v, .upper = at.t > middle_at(o, at.a)};
        sn_vec3 direction = sni_eye_direction(at.a, at.t);
        sn_vec3 normal = sn_vec3_load(d->normals + 3 * (size_t)v), none = {0, 0, 0};
        sni_eye_frame axes = lids->frame;
        axes.center = none;
        weigh(lids, distance_from(made.upper ? &upper : &lower, &at, radius), at.r / radius,
              sn_vec3_dot(sni_eye_local(&axes, normal), direction), &made);
        made.clearance = (float)(at.r - sni_eye_height(lids->heights, direction));
        made.tied = (float)(ligament * (1 - smooth(ligament_from, ligament_to,
                                                   corner_distance(&upper, &lower, &at) / radius)));
        made.ease =
            (float)(1 - smooth(ease_from, ease_to, corner_distance(&upper, &lower, &at) / radius));
        made.a = (float)at.a;
        made.t = (float)at.t;
        made.r = (float)at.r;
        if (made.turn > 0 || made.hold > 0 || made.lid > 0 || at.r < touch * radius) {
            lids->vertices[lids->vertex_count++] = made;
        }
    }
cleanup:
    sni_free(d->context, upper.places);
    sni_free(d->context, upper.directions);
    sni_free(d->context, lower.places);
    sni_free(d->context, lower.directions);
    return status;
}

// The kernel (1 - d d / h h)^2 over distances d at rest. Without `shares` they are counted.
static uint32_t share_out(const sni_lids_desc *d, const sni_lids *lids, uint32_t i,
                          sni_lid_share *shares) {
    const double reach = even_reach * lids->heights->radius;
    sn_vec3 at = sn_vec3_load(d->positions + 3 * (size_t)lids->vertices[i].vertex);
    uint32_t count = 0;
    double sum = 0;
    for (uint32_t k = 0; lids->vertices[i].even > 0 && k < lids->vertex_count; ++k) {
        size_t other = 3 * (size_t)lids->vertices[k].vertex;
        double far_off = sn_vec3_distance(at, sn_vec3_load(d->positions + other)) / reach;
        if (far_off < 1) {
            double weight = (1 - far_off * far_off) * (1 - far_off * far_off);
            sum += weight;
            if (shares != NULL) {
                shares[count] = (sni_lid_share){k, (float)weight};
            }
            count += 1;
        }
    }
    for (uint32_t k = 0; shares != NULL && k < count; ++k) {
        shares[k].weight = (float)((double)shares[k].weight / sum);
    }
    return count;
}

static sn_status share_all(const sni_lids_desc *d, sni_lids *lids, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW_ZERO(d->context, lids->share_begins, lids->vertex_count + 1);
    for (uint32_t i = 0; i < lids->vertex_count; ++i) {
        lids->share_begins[i + 1] = lids->share_begins[i] + share_out(d, lids, i, NULL);
    }
    SNI_NEW(d->context, lids->shares, lids->share_begins[lids->vertex_count]);
    for (uint32_t i = 0; i < lids->vertex_count; ++i) {
        share_out(d, lids, i, lids->shares + lids->share_begins[i]);
    }
cleanup:
    return status;
}

// From vertices of the mesh to those of the lids. All that edges are made of lie near the eye.
static sn_status number_edges(const sni_lids_desc *d, sni_lids *lids, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *numbers = NULL;
    SNI_NEW_ZERO(d->context, numbers, d->mesh->vertex_count);
    for (uint32_t i = 0; i < lids->vertex_count; ++i) {
        numbers[lids->vertices[i].vertex] = i;
    }
    for (uint32_t i = 0; i < lids->column_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            lids->upper_edge[i].corners[k] = numbers[lids->upper_edge[i].corners[k]];
            lids->lower_edge[i].corners[k] = numbers[lids->lower_edge[i].corners[k]];
        }
    }
cleanup:
    sni_free(d->context, numbers);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Other pieces of the mesh

// Sums of the vertices of each piece near the eye, by the piece's number.
static sn_status find_balls(const sni_lids_desc *d, const sni_lids *lids, uint8_t *is_ball,
                            sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 *sums = NULL;
    uint32_t *counts = NULL, count = d->mesh->vertex_count;
    double radius = lids->heights->radius;
    SNI_NEW_ZERO(d->context, sums, count);
    SNI_NEW_ZERO(d->context, counts, count);
    memset(is_ball, 1, count);
    for (uint32_t v = 0; v < count; ++v) {
        sn_vec3 local = sni_eye_local(&lids->frame, sn_vec3_load(d->positions + 3 * (size_t)v));
        uint32_t piece = d->pieces[v];
        sums[piece] = sn_vec3_add(sums[piece], local);
        counts[piece] += 1;
        is_ball[piece] = is_ball[piece] && sn_vec3_length(local) < ball_radius * radius;
    }
    for (uint32_t v = 0; v < count; ++v) {
        is_ball[v] = is_ball[v] && d->pieces[v] == v &&
                     sn_vec3_length(sums[v]) < ball_offset * radius * counts[v];
    }
cleanup:
    sni_free(d->context, sums);
    sni_free(d->context, counts);
    return status;
}

// Lashes grow at the edges of lids.
static uint32_t nearest_vertex(const sni_lids_desc *d, const sni_lids *lids, uint32_t vertex) {
    sn_vec3 at = sn_vec3_load(d->positions + 3 * (size_t)vertex);
    double least = INFINITY;
    uint32_t found = SN_NONE;
    for (uint32_t i = 0; i < lids->vertex_count; ++i) {
        size_t other = 3 * (size_t)lids->vertices[i].vertex;
        double distance = sn_vec3_distance(at, sn_vec3_load(d->positions + other));
        if (lids->vertices[i].turn > edge_turn && distance < least) {
            least = distance;
            found = i;
        }
    }
    return found;
}

static sn_status find_loose(const sni_lids_desc *d, sni_lids *lids, sn_error *error) {
    sn_status status = SN_OK;
    uint8_t *is_ball = NULL;
    SNI_NEW(d->context, is_ball, d->mesh->vertex_count);
    SNI_NEW(d->context, lids->loose, d->mesh->vertex_count);
    SN_TRY(find_balls(d, lids, is_ball, error));
    for (uint32_t v = 0; v < d->mesh->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(d->positions + 3 * (size_t)v);
        bool near = sn_vec3_distance(p, lids->frame.center) < far * lids->heights->radius;
        if (near && !d->is_face[v]) {
            bool ball = is_ball[d->pieces[v]] != 0;
            uint32_t leader = ball ? SN_NONE : nearest_vertex(d, lids, v);
            lids->loose[lids->loose_count++] = (sni_lid_loose){v, leader};
        }
    }
cleanup:
    sni_free(d->context, is_ball);
    return status;
}

// ---------------------------------------------------------------------------------------------
// All of it

sn_status sni_lids_lay(const sni_lids_desc *d, sni_lids *lids, sni_lid_finding *finding,
                       sn_error *error) {
    sn_status status = SN_OK;
    sni_lid_opening *opening = NULL;
    *lids = (sni_lids){.context = d->context,
                       .segment = d->eye->segment,
                       .parent = d->skeleton->segments[d->eye->segment].parent,
                       .control = d->eye->control,
                       .shape = d->shape};
    SNI_NEW(d->context, opening, 1);
    SNI_NEW(d->context, lids->heights, 1);
    if (lids->parent == SN_NONE ||
        !sn_mat4_invert(&d->rest_worlds[lids->segment], &lids->eye_from_rest) ||
        !sn_mat4_invert(&d->rest_worlds[lids->parent], &lids->from_rest)) {
        SN_TRY(sni_fail(error, SN_INVALID,
                        "lids: the eye \"%s\" has a segment without parent or without size",
                        d->eye->name));
    }
    SN_TRY(find_opening(d, lids, opening, finding, error));
    if (*finding == SNI_LIDS_FOUND) {
        SN_TRY(keep_edges(d, opening, lids, error));
        SN_TRY(weigh_all(d, opening, lids, error));
        SN_TRY(share_all(d, lids, error));
        SN_TRY(sni_lid_folds_lay(d, lids, error));
        SN_TRY(number_edges(d, lids, error));
        SN_TRY(find_loose(d, lids, error));
        SNI_NEW(d->context, lids->rests, lids->vertex_count);
        SNI_NEW(d->context, lids->settled, lids->vertex_count);
        SN_TRY(sni_lids_settle(lids, d->rest_worlds, d->positions) ? SN_OK
                                                                   : sni_fail_memory(error));
    }
cleanup:
    sni_free(d->context, opening);
    return status;
}

void sni_lids_deinit(sni_lids *lids) {
    if (lids->context != NULL) {
        sni_free(lids->context, lids->heights);
        sni_free(lids->context, lids->upper_edge);
        sni_free(lids->context, lids->lower_edge);
        sni_free(lids->context, lids->vertices);
        sni_free(lids->context, lids->loose);
        sni_free(lids->context, lids->share_begins);
        sni_free(lids->context, lids->shares);
        sni_free(lids->context, lids->folds);
        sni_free(lids->context, lids->ring_begins);
        sni_free(lids->context, lids->rings);
        sni_free(lids->context, lids->rests);
        sni_free(lids->context, lids->settled);
    }
    *lids = (sni_lids){0};
}

size_t sni_lids_bytes(const sni_lids *lids) {
    size_t shares = lids->share_begins != NULL ? lids->share_begins[lids->vertex_count] : 0;
    return sizeof *lids->heights + 2 * lids->column_count * sizeof *lids->upper_edge +
           lids->vertex_count *
               (sizeof *lids->vertices + 2 * sizeof *lids->share_begins + 2 * sizeof *lids->rests) +
           (3 * lids->fold_count + lids->ring_count) * sizeof *lids->folds +
           lids->loose_count * sizeof *lids->loose + shares * sizeof *lids->shares;
}
