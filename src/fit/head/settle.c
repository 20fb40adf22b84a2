// SPDX-License-Identifier: Apache-2.0
#include "fit/head/settle.h"

#include "base/context.h"
#include "geometry/triangle.h"

#include <stdlib.h>
#include <string.h>

enum { GRAIN = 256, MOST_ROUNDS = 10, MOST_CENTERS = 500, MOST_NEW = 100 };

// Points that a ball cannot touch by more than this are in a hollow; those nearer to one than the
// second are at its rim.
static const double hollow_limit = 0.004, rim = 0.007;

// A point is covered where the skin lies about in the direction of its normal.
static const double least_dot = 0.6;

// Triangles of pegs that face down are the base of the skull, where the neck begins.
static const double base_slope = 0.5;

// How far a local spline reaches, and how far its centers are apart, metres. Centers give way a
// little to each other, and none is put beside a landmark, which stays where it is.
typedef struct level {
    double reach, apart, beside_landmark;
} level;
static const level levels[SNI_SETTLE_LEVELS] = {{0.04, 0.007, 0.005}, {0.014, 0.0025, 0.0015}};
static const double softness = 0.02;

// Points are brought this much further than they have to be, metres; below `close_enough` they are
// left as they are.
static const double margin = 0.0003, close_enough = 0.0001;

// Nearer to the skin than this a point may have come to its other side.
static const double side_reach = 0.006;

// The part of the tolerance that is aimed at, and the least that is, metres.
static const double aim = 0.8, least_room = 0.0004;

typedef struct settler {
    sn_context *context;
    const sni_settle_desc *desc;
    sni_settled *result;
    int level;
    sni_pegs *pegs;
    sn_accel *bones;
    sn_vec3 *start;   // count: where points were
    sn_vec3 *normals; // count: outward, at first
    uint8_t *covered; // count
    uint8_t *inside;  // count: of the skin, as far as known
    sn_vec3 *wanted;  // count: the move that is missing
    double *missing;  // count: its length
    sn_vec3 *centers, *offsets;
    double *softness;
    uint32_t center_count;
} settler;

// ---------------------------------------------------------------------------------------------
// What is expected

static sn_status measure_landmarks(settler *s, sni_spline **excess, sn_error *error) {
    sn_status status = SN_OK;
    const sni_settle_desc *d = s->desc;
    sn_vec3 *values = NULL;
    SNI_NEW(s->context, values, d->landmark_count);
    for (uint32_t i = 0; i < d->landmark_count; ++i) {
        sni_skin_place place;
        double depth = sni_head_surface_depth(d->skin, d->landmarks[i], &place);
        values[i] = sn_vec3_make(depth - d->landmark_hollows[i], 0, 0);
    }
    SN_TRY(sni_spline_create(s->context, SNI_SPLINE_BENDING, 0, d->landmark_count, d->landmarks,
                             values, NULL, excess, error));
cleanup:
    sni_free(s->context, values);
    return status;
}

static void find_normals(settler *s) {
    const sni_settle_desc *d = s->desc;
    memset(s->normals, 0, d->count * sizeof *s->normals);
    for (uint32_t t = 0; t < d->triangle_count; ++t) {
        const uint32_t *v = d->vertices + 3 * (size_t)t;
        sn_vec3 vector = sni_triangle_vector(d->points[v[0]], d->points[v[1]], d->points[v[2]]);
        for (int k = 0; k < 3; ++k) {
            s->normals[v[k]] = sn_vec3_add(s->normals[v[k]], vector);
        }
    }
}

static sn_status make_accel(settler *s, sn_error *error) {
    sn_status status = SN_OK;
    const sni_settle_desc *d = s->desc;
    float *positions = NULL;
    SNI_NEW(s->context, positions, 3 * (size_t)d->count);
    for (uint32_t i = 0; i < d->count; ++i) {
        sn_vec3_store(d->points[i], positions + 3 * (size_t)i);
    }
    SN_TRY(sn_accel_create(s->context, positions, d->count, d->vertices, d->triangle_count,
                           &s->bones, error));
cleanup:
    sni_free(s->context, positions);
    return status;
}

static bool in_gap(const sni_settle_desc *d, sn_vec3 point) {
    for (uint32_t i = 0; i < d->gap_count; ++i) {
        sn_vec3 a = d->landmarks[d->gaps[i].landmarks[0]],
                b = d->landmarks[d->gaps[i].landmarks[1]];
        sn_vec3 along = sn_vec3_sub(b, a);
        double t = sn_vec3_dot(sn_vec3_sub(point, a), along) / sn_vec3_dot(along, along);
        if (t > 0 && t < 1) {
            return true;
        }
    }
    return false;
}

// Triangles between two bones with longer edges than this, metres, span the ear and the nape.
static const double longest_between = 0.07;

static bool spans_nape(const settler *s, const uint32_t *v) {
    const uint32_t *bones = s->desc->landmark_bones;
    double longest = 0;
    for (int k = 0; k < 3; ++k) {
        longest =
            fmax(longest, sn_vec3_distance(s->pegs->points[v[k]], s->pegs->points[v[(k + 1) % 3]]));
    }
    return (bones[v[0]] != bones[v[1]] || bones[v[0]] != bones[v[2]]) && longest > longest_between;
}

// Whether a point lies in the direction of a triangle of pegs that is not the skull's base.
static bool between_landmarks(const settler *s, sn_vec3 point) {
    double weights[3];
    uint32_t t = sni_pegs_find(s->pegs, point, weights);
    if (t == SN_NONE) {
        return false;
    }
    const uint32_t *v = s->pegs->vertices + 3 * (size_t)t;
    const sn_vec3 *p = s->pegs->points;
    sn_vec3 normal =
        sn_vec3_normalize_or(sni_triangle_vector(p[v[0]], p[v[1]], p[v[2]]), sn_vec3_make(0, 0, 0));
    return sn_vec3_dot(normal, s->desc->down) < base_slope && !spans_nape(s, v);
}

// The depth of a point; only near the skin it is asked again on which side it lies.
static double depth_of(const settler *s, uint32_t i, sni_skin_place *place) {
    const sni_settle_desc *d = s->desc;
    sni_head_surface_closest(d->skin, d->points[i], INFINITY, place);
    if (place->distance < side_reach || !s->inside[i]) {
        s->inside[i] = sni_winding_at(d->skin->winding, d->points[i]) > 0.5;
    }
    return s->inside[i] ? place->distance : -place->distance;
}

static bool is_covered(const settler *s, uint32_t i) {
    const sni_settle_desc *d = s->desc;
    sn_vec3 point = d->points[i];
    if (d->hollows[i] > hollow_limit || in_gap(d, point) || !between_landmarks(s, point)) {
        return false;
    }
    sni_skin_place place;
    double depth = depth_of(s, i, &place);
    sn_vec3 away = sn_vec3_scale(sn_vec3_sub(place.point, point), depth > 0 ? 1 : -1);
    away = sn_vec3_normalize_or(away, place.normal);
    sn_vec3 normal = sn_vec3_normalize_or(s->normals[i], sn_vec3_make(0, 0, 0));
    if (place.on_border || sn_vec3_dot(normal, away) < least_dot) {
        return false;
    }
    sn_hit hit;
    sn_accel_cast(s->bones, sn_vec3_add_scaled(point, 1e-4, normal), away, 0, fmax(depth, 0), &hit);
    return hit.triangle == SN_NONE;
}

static void find_sides(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const settler *s = user;
    for (uint32_t i = begin; i < end; ++i) {
        s->inside[i] = sni_winding_at(s->desc->skin->winding, s->desc->points[i]) > 0.5;
    }
}

static void cover(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const settler *s = user;
    for (uint32_t i = begin; i < end; ++i) {
        s->covered[i] = is_covered(s, i);
    }
}

// Points beside a hollow are at its rim. Hollow points are spread over the bones' edges: as far as
// the rim is wide, counted along edges.
static sn_status leave_rims(settler *s, sn_error *error) {
    sn_status status = SN_OK;
    const sni_settle_desc *d = s->desc;
    double *away = NULL;
    SNI_NEW(s->context, away, d->count);
    for (uint32_t i = 0; i < d->count; ++i) {
        away[i] = d->hollows[i] > 2 * hollow_limit ? 0 : INFINITY;
    }
    bool changed = true;
    for (int round = 0; round < 64 && changed; ++round) {
        changed = false;
        for (uint32_t t = 0; t < d->triangle_count; ++t) {
            const uint32_t *v = d->vertices + 3 * (size_t)t;
            for (int k = 0; k < 3; ++k) {
                uint32_t a = v[k], b = v[(k + 1) % 3];
                double length = sn_vec3_distance(d->points[a], d->points[b]);
                if (away[a] + length < away[b] && away[a] + length < rim) {
                    away[b] = away[a] + length;
                    changed = true;
                }
                if (away[b] + length < away[a] && away[b] + length < rim) {
                    away[a] = away[b] + length;
                    changed = true;
                }
            }
        }
    }
    for (uint32_t i = 0; i < d->count; ++i) {
        s->covered[i] = s->covered[i] && away[i] >= rim;
    }
cleanup:
    sni_free(s->context, away);
    return status;
}

static sn_status expect(settler *s, sn_error *error) {
    sn_status status = SN_OK;
    const sni_settle_desc *d = s->desc;
    sni_spline *excess = NULL;
    find_normals(s);
    sn_parallel_for(s->context, d->count, GRAIN, find_sides, s);
    SN_TRY(make_accel(s, error));
    SN_TRY(sni_pegs_create(s->context, d->landmark_count, d->landmarks, &s->pegs, error));
    SN_TRY(measure_landmarks(s, &excess, error));
    sn_parallel_for(s->context, d->count, GRAIN, cover, s);
    SN_TRY(leave_rims(s, error));
    for (uint32_t i = 0; i < d->count; ++i) {
        double value = s->covered[i] ? sni_spline_at(excess, d->points[i]).x + d->hollows[i] : 0;
        s->result->expected[i] = s->covered[i] ? fmax(value, 2 * d->clearance) : 0;
        s->result->covered_count += s->covered[i];
    }
cleanup:
    sni_spline_destroy(excess);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Rounds

// What is missing at each point: a move along the direction of the skin's nearest place.
static void find_missing(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const settler *s = user;
    const sni_settle_desc *d = s->desc;
    for (uint32_t i = begin; i < end; ++i) {
        sni_skin_place place;
        double depth = depth_of(s, i, &place);
        double expected = s->result->expected[i], part = aim * d->tolerance;
        double room = fmax(part * expected, least_room);
        double low = s->covered[i] ? fmax(expected - room, d->clearance) : d->clearance;
        double high = s->covered[i] ? expected + room : INFINITY;
        sn_vec3 inward = sn_vec3_scale(sn_vec3_sub(d->points[i], place.point), depth > 0 ? 1 : -1);
        inward = sn_vec3_normalize_or(inward, sn_vec3_scale(place.normal, -1));
        double move = depth < low ? low + margin - depth : depth > high ? high - margin - depth : 0;
        s->wanted[i] = sn_vec3_scale(inward, move);
        s->missing[i] = fabs(move) > margin + close_enough ? fabs(move) : 0;
        s->result->depths[i] = depth;
    }
}

static void count_wrong(const settler *s, int when) {
    const sni_settle_desc *d = s->desc;
    sni_settled *r = s->result;
    r->outside[when] = r->wrong[when] = 0;
    r->worst[when] = 0;
    for (uint32_t i = 0; i < d->count; ++i) {
        double depth = r->depths[i], expected = r->expected[i];
        r->outside[when] += depth <= 0;
        r->worst[when] = fmax(r->worst[when], -depth);
        r->wrong[when] += s->covered[i] && fabs(depth - expected) > d->tolerance * expected;
    }
}

// The nearest center, SN_NONE where there is none within `apart`.
static uint32_t center_near(const settler *s, sn_vec3 point, uint32_t begin) {
    uint32_t found = SN_NONE;
    double least = levels[s->level].apart;
    for (uint32_t c = begin; c < s->center_count; ++c) {
        double distance = sn_vec3_distance(s->centers[c], point);
        if (distance < least) {
            least = distance;
            found = c;
        }
    }
    return found;
}

static bool beside_landmark(const settler *s, sn_vec3 point) {
    for (uint32_t i = 0; i < s->desc->landmark_count; ++i) {
        if (sn_vec3_distance(s->desc->landmarks[i], point) < levels[s->level].beside_landmark) {
            return true;
        }
    }
    return false;
}

// The point of which most is missing, of those that have no new center beside them.
static uint32_t worst_point(const settler *s) {
    uint32_t worst = SN_NONE;
    double most = 0;
    for (uint32_t i = 0; i < s->desc->count; ++i) {
        if (s->missing[i] > most) {
            most = s->missing[i];
            worst = i;
        }
    }
    return worst;
}

// Adds centers at the worst points, or moves those that are there; false where none is needed.
static bool add_centers(settler *s) {
    const sni_settle_desc *d = s->desc;
    uint32_t count = 0;
    for (; count < MOST_NEW; ++count) {
        uint32_t worst = worst_point(s);
        if (worst == SN_NONE) {
            break;
        }
        sn_vec3 at = s->start[worst];
        uint32_t near = center_near(s, at, d->landmark_count);
        if (near != SN_NONE) {
            s->offsets[near] = sn_vec3_add(s->offsets[near], s->wanted[worst]);
        } else if (s->center_count < d->landmark_count + MOST_CENTERS && !beside_landmark(s, at)) {
            sn_vec3 moved = sn_vec3_sub(d->points[worst], at);
            s->centers[s->center_count] = at;
            s->offsets[s->center_count++] = sn_vec3_add(moved, s->wanted[worst]);
        }
        for (uint32_t i = 0; i < d->count; ++i) {
            if (sn_vec3_distance(s->start[i], at) < 2 * levels[s->level].apart) {
                s->missing[i] = 0;
            }
        }
    }
    return count > 0;
}

static sn_status move_points(settler *s, sn_error *error) {
    sn_status status = SN_OK;
    const sni_settle_desc *d = s->desc;
    sni_spline **spline = &s->result->splines[s->level];
    sni_spline_destroy(*spline);
    *spline = NULL;
    SN_TRY(sni_spline_create(s->context, SNI_SPLINE_LOCAL, levels[s->level].reach, s->center_count,
                             s->centers, s->offsets, s->softness, spline, error));
    memcpy(d->points, s->start, d->count * sizeof *d->points);
    sni_spline_move(*spline, d->points, d->count);
cleanup:
    return status;
}

static sn_status settler_init(settler *s, sn_error *error) {
    sn_status status = SN_OK;
    const sni_settle_desc *d = s->desc;
    SNI_NEW(s->context, s->start, d->count);
    SNI_NEW(s->context, s->normals, d->count);
    SNI_NEW_ZERO(s->context, s->covered, d->count);
    SNI_NEW(s->context, s->inside, d->count);
    SNI_NEW(s->context, s->wanted, d->count);
    SNI_NEW(s->context, s->missing, d->count);
    SNI_NEW_ZERO(s->context, s->result->expected, d->count);
    SNI_NEW_ZERO(s->context, s->result->depths, d->count);
    SNI_NEW(s->context, s->centers, d->landmark_count + MOST_CENTERS);
    SNI_NEW_ZERO(s->context, s->offsets, d->landmark_count + MOST_CENTERS);
    SNI_NEW_ZERO(s->context, s->softness, d->landmark_count + MOST_CENTERS);
    for (uint32_t i = d->landmark_count; i < d->landmark_count + MOST_CENTERS; ++i) {
        s->softness[i] = softness;
    }
    memcpy(s->centers, d->landmarks, d->landmark_count * sizeof *s->centers);
cleanup:
    return status;
}

static void settler_deinit(settler *s) {
    sni_pegs_destroy(s->pegs);
    sn_accel_destroy(s->bones);
    sni_free(s->context, s->start);
    sni_free(s->context, s->normals);
    sni_free(s->context, s->covered);
    sni_free(s->context, s->inside);
    sni_free(s->context, s->wanted);
    sni_free(s->context, s->missing);
    sni_free(s->context, s->centers);
    sni_free(s->context, s->offsets);
    sni_free(s->context, s->softness);
}

// Rounds of one level, from where the points are.
static sn_status run_level(settler *s, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    const sni_settle_desc *d = s->desc;
    memcpy(s->start, d->points, d->count * sizeof *s->start);
    s->center_count = d->landmark_count;
    memset(s->offsets, 0, (d->landmark_count + MOST_CENTERS) * sizeof *s->offsets);
    for (uint32_t round = 0; round <= MOST_ROUNDS; ++round) {
        double done = (s->level + (double)round / (MOST_ROUNDS + 1)) / SNI_SETTLE_LEVELS;
        SN_TRY(sni_progress(progress, "settling bones", done, error));
        sn_parallel_for(s->context, d->count, GRAIN, find_missing, s);
        if (s->level == 0 && round == 0) {
            count_wrong(s, 0);
        }
        count_wrong(s, 1);
        if (round == MOST_ROUNDS || d->measure_only || !add_centers(s)) {
            break;
        }
        SN_TRY(move_points(s, error));
        ++s->result->round_count;
    }
    s->result->center_count += s->center_count - d->landmark_count;
    if (s->result->splines[s->level] == NULL) {
        SN_TRY(move_points(s, error));
    }
cleanup:
    return status;
}

sn_status sni_settle(sn_context *context, const sni_settle_desc *desc, const sn_progress *progress,
                     sni_settled *settled, sn_error *error) {
    sn_status status = SN_OK;
    settler s = {.context = context, .desc = desc, .result = settled};
    *settled = (sni_settled){0};
    SN_TRY(settler_init(&s, error));
    SN_TRY(expect(&s, error));
    for (s.level = 0; s.level < SNI_SETTLE_LEVELS; ++s.level) {
        SN_TRY(run_level(&s, progress, error));
    }
cleanup:
    settler_deinit(&s);
    if (status != SN_OK) {
        sni_settled_deinit(context, settled);
    }
    return status;
}

void sni_settled_move(const sni_settled *settled, sn_vec3 *points, uint32_t count) {
    for (int i = 0; i < SNI_SETTLE_LEVELS; ++i) {
        sni_spline_move(settled->splines[i], points, count);
    }
}

void sni_settled_deinit(sn_context *context, sni_settled *settled) {
    for (int i = 0; i < SNI_SETTLE_LEVELS; ++i) {
        sni_spline_destroy(settled->splines[i]);
    }
    sni_free(context, settled->expected);
    sni_free(context, settled->depths);
    *settled = (sni_settled){0};
}
