// SPDX-License-Identifier: Apache-2.0
//
// Pairs of parts that may touch, and the normals that part them.
//
// Around a joint, the normal is the difference of the directions from the joint into both parts: it
// stays what it is however far bones push the one through the other, where gradients of fields have
// long turned over.
//
// Parts that are no neighbours are looked at on the way from rest. Samples q of the one's skin that
// have gone into the other, with depth d, the gradient g of the other's field there and the motion
// v since the pose before, relative to the other,
//
//     normal = sum d f(d) max(0, -g . v / |v|) g
//
// say by which side they came in: what is about to come out on the far side (g . v > 0) does not
// count, nor does what is deep (f), where gradients turn over.
#include "skin/implicit/contact_internal.h"

#include "base/hermite.h"

#include <math.h>

// Neighbours begin to touch when their joint is bent by this, radians.
static const double bend_none = 2 * SN_PI / 180, bend_full = 12 * SN_PI / 180;

// Depths of samples, as parts of the thinner part's radius: contact is whole from the first on;
// gradients count in full up to the second, and not beyond the third.
static const double depth_full = 0.05, depth_reliable = 0.4, depth_lost = 1;

// Length of the sum of normals over the sum of their weights: contact is whole from the second on,
// and there is none below the first, where normals contradict each other.
static const double coherence_none = 0.3, coherence_full = 0.7;

// Shares of contact below this do not count.
static const double least_share = 1e-3;

// Parts whose points have moved by less than this part of their radius against each other stand as
// at rest.
static const double least_motion = 1e-6;

void sni_contact_find_places(const sni_skin_contact *c, const sn_mat4 *motions,
                             sni_contact_place *places) {
    const sni_skin_parts *parts = c->desc.parts;
    for (uint32_t i = 0; i < parts->count; ++i) {
        double volume = fabs(sn_mat4_determinant(&motions[i]));
        places[i] = (sni_contact_place){.scale = cbrt(volume),
                                        .center = sn_mat4_point(&motions[i], c->centers[i]),
                                        .joint = sn_mat4_point(&motions[i], parts->parts[i].from)};
        places[i].exists = c->desc.body->parts[i].hrbf.center_count > 0 && volume > 0 &&
                           sn_mat4_invert(&motions[i], &places[i].back);
    }
}

// The parts of a trunk go over into each other and have no fold between them.
static bool can_touch(const sni_contact_run *r, uint32_t a, uint32_t b) {
    const sni_skin_part *parts = r->c->desc.parts->parts;
    return !(parts[a].is_trunk && parts[b].is_trunk) && r->places[a].exists && r->places[b].exists;
}

static bool are_neighbors(const sni_skin_parts *parts, uint32_t a, uint32_t b) {
    return parts->parts[a].parent == b || parts->parts[b].parent == a;
}

static void add_pair(sni_contact_run *r, sni_contact_pair pair) {
    const sni_skin_contact *c = r->c;
    uint32_t a = pair.parts[0], b = pair.parts[1];
    if (!(pair.share > least_share) || !(sn_vec3_length(pair.normal) > 0)) {
        return;
    }
    pair.scale = 0.5 * (r->places[a].scale + r->places[b].scale);
    pair.gap = pair.scale * fmin(c->gaps[a], c->gaps[b]);
    pair.radius *= pair.scale;
    r->pairs[r->pair_count++] = pair;
}

// ---------------------------------------------------------------------------------------------
// Neighbours

static sn_vec3 joint_normal(const sni_contact_run *r, uint32_t child, uint32_t parent) {
    const sn_vec3 none = {0, 0, 0};
    sn_vec3 joint = r->places[child].joint;
    sn_vec3 to_a = sn_vec3_normalize_or(sn_vec3_sub(r->places[child].center, joint), none);
    sn_vec3 to_b = sn_vec3_normalize_or(sn_vec3_sub(r->places[parent].center, joint), none);
    return sn_vec3_normalize_or(sn_vec3_sub(to_a, to_b), none);
}

static void add_neighbors(sni_contact_run *r, uint32_t child) {
    const sni_skin_part *part = &r->c->desc.parts->parts[child];
    uint32_t parent = part->parent;
    if (parent == SN_NONE || !can_touch(r, child, parent)) {
        return;
    }
    sn_mat4 between = sn_mat4_multiply(&r->places[parent].back, &r->motions[child]);
    double bend = 2 * acos(fmin(1, fabs(sn_mat4_rotation(&between).w)));
    double share = r->at_rest ? 1 : sni_smooth_step_between(bend_none, bend_full, bend);
    bool is_fold = part->joint == SNI_PART_HINGE || part->joint == SNI_PART_FINGER;
    add_pair(r, (sni_contact_pair){.parts = {child, parent},
                                   .normal = joint_normal(r, child, parent),
                                   .share = share,
                                   .radius = r->c->desc.body->joint_radii[child],
                                   .is_fold = is_fold,
                                   .neighbors = true,
                                   .joint = r->places[child].joint});
}

// ---------------------------------------------------------------------------------------------
// Others

// What samples of one part that have gone into another say.
typedef struct pair_sum {
    sn_vec3 normal; // out of the part, in its place at rest
    double weight, deepest;
} pair_sum;

static bool is_near(const sni_skin_contact *c, const sn_mat4 *motions, uint32_t a, uint32_t b) {
    sn_vec3 p = sn_mat4_point(&motions[a], c->centers[a]);
    sn_vec3 q = sn_mat4_point(&motions[b], c->centers[b]);
    return sn_vec3_distance(p, q) < c->reaches[a] + c->reaches[b];
}

// Whether a ball of points may reach into a box; `motion` takes it to where that is at rest.
static bool may_reach(const sni_field_box *box, const sn_mat4 *motion,
                      const sni_contact_ball *ball) {
    sn_vec3 at = sn_mat4_point(motion, ball->center);
    double squares = 0; // no direction is made longer than their root
    for (int k = 0; k < 11; ++k) {
        squares += k % 4 < 3 ? motion->m[k] * motion->m[k] : 0;
    }
    sn_vec3 boxed = sn_vec3_min(sn_vec3_max(at, box->low), box->high);
    sn_vec3 beyond = sn_vec3_sub(at, boxed);
    return !(sn_vec3_dot(beyond, beyond) > squares * ball->radius * ball->radius);
}

static bool is_in_box(const sni_field_box *box, sn_vec3 at) {
    return at.x >= box->low.x && at.y >= box->low.y && at.z >= box->low.z && at.x <= box->high.x &&
           at.y <= box->high.y && at.z <= box->high.z;
}

static double depth_at(const sni_field_part *field, sn_vec3 at, sn_vec3 *gradient) {
    bool is_within = at.x > field->low.x && at.y > field->low.y && at.z > field->low.z &&
                     at.x < field->high.x && at.y < field->high.y && at.z < field->high.z;
    if (!is_within) {
        return 0;
    }
    sni_distance_value value = field->grid.nodes != NULL ? sni_field_grid_at(&field->grid, at)
                                                         : sni_hrbf_at(&field->hrbf, at);
    *gradient = sn_vec3_normalize_or(value.gradient, sn_vec3_make(0, 0, 0));
    return fmax(0, -value.distance);
}

// A sample of another part, `at` now and `before` in the place of the part at rest.
static void add_sample(const sni_field_part *field, sn_vec3 rest, sn_vec3 before, sn_vec3 at,
                       double radius, pair_sum *sum) {
    sn_vec3 g, unused, way = sn_vec3_sub(at, before);
    double depth = depth_at(field, at, &g);
    if (!(depth > 0)) {
        return;
    }
    depth -= depth_at(field, rest, &unused);
    double length = sn_vec3_length(way);
    double inwards = length > 0 ? fmax(0, -sn_vec3_dot(g, way) / length) : 0;
    if (depth > 0 && inwards > 0) {
        double lost = sni_smooth_step_between(depth_reliable * radius, depth_lost * radius, depth);
        double weight = inwards * depth * (1 - lost);
        sum->normal = sn_vec3_add_scaled(sum->normal, weight, g);
        sum->weight += weight;
        sum->deepest = fmax(sum->deepest, inwards * depth);
    }
}

// Adds the samples of part `other` that are in `part`, for a pose on the way and the one before it
// (NULL: rest).
static void add_samples(const sni_contact_run *r, const sn_mat4 *last, const sn_mat4 *now,
                        uint32_t part, uint32_t other, double radius, pair_sum *sum) {
    const sni_implicit_body *body = r->c->desc.body;
    sn_mat4 back, between, before = sn_mat4_identity();
    if (!sn_mat4_invert(&now[part], &back)) {
        return;
    }
    between = sn_mat4_multiply(&back, &now[other]);
    const sni_field_box *inside = &r->c->insides[part];
    if (!may_reach(inside, &between, &r->c->sample_balls[other])) {
        return;
    }
    if (last != NULL && sn_mat4_invert(&last[part], &back)) {
        before = sn_mat4_multiply(&back, &last[other]);
    }
    const sni_hrbf_center *centers = body->parts[other].hrbf.centers;
    for (uint32_t i = 0; i < body->sample_counts[other]; ++i) {
        sn_vec3 rest = centers[i].point;
        sn_vec3 at = sn_mat4_point(&between, rest);
        if (is_in_box(inside, at)) {
            add_sample(&body->parts[part], rest, sn_mat4_point(&before, rest), at, radius, sum);
        }
    }
}

// Whether a part stands before another one as at rest.
static bool is_still(const sni_contact_run *r, uint32_t a, uint32_t b, double radius) {
    const sni_skin_contact *c = r->c;
    sn_mat4 between = sn_mat4_multiply(&r->places[b].back, &r->motions[a]);
    for (int k = 0; k < 4; ++k) {
        sn_vec3 p = c->centers[a];
        p.x += k == 1 ? c->reaches[a] : 0;
        p.y += k == 2 ? c->reaches[a] : 0;
        p.z += k == 3 ? c->reaches[a] : 0;
        if (sn_vec3_distance(sn_mat4_point(&between, p), p) > least_motion * radius) {
            return false;
        }
    }
    return true;
}

// Fingers and the hand that they hang on.
static bool is_of_a_hand(const sni_skin_parts *parts, uint32_t a, uint32_t b) {
    const sni_skin_part *x = &parts->parts[a], *y = &parts->parts[b];
    return (x->joint == SNI_PART_FINGER || y->joint == SNI_PART_FINGER) && x->group == y->group &&
           x->group != SN_NONE;
}

// Fills in a pair; without a share where both do not touch.
static void find_others(const sni_contact_run *r, sni_contact_pair *pair) {
    const sni_skin_contact *c = r->c;
    uint32_t a = pair->parts[0], b = pair->parts[1];
    uint32_t count = c->desc.parts->count;
    double radius = fmin(c->desc.body->mean_radii[a], c->desc.body->mean_radii[b]);
    pair_sum in_a = {{0, 0, 0}, 0, 0}, in_b = {{0, 0, 0}, 0, 0};
    for (int k = 0; k < SNI_CONTACT_WAY; ++k) {
        const sn_mat4 *now = r->pose->way + (size_t)k * count, *last = k > 0 ? now - count : NULL;
        if (is_near(c, now, a, b)) {
            if (in_a.weight + in_b.weight == 0 && is_still(r, a, b, radius)) {
                return;
            }
            add_samples(r, last, now, a, b, radius, &in_a);
            add_samples(r, last, now, b, a, radius, &in_b);
        }
    }
    double deepest = fmax(in_a.deepest, in_b.deepest), weight = in_a.weight + in_b.weight;
    if (!(weight > 0)) {
        return;
    }
    sn_vec3 sum = sn_vec3_sub(sn_mat4_direction(&r->motions[b], in_b.normal),
                              sn_mat4_direction(&r->motions[a], in_a.normal));
    double coherence = sn_vec3_length(sum) / weight;
    pair->normal = sn_vec3_normalize_or(sum, sn_vec3_make(0, 0, 0));
    pair->share = sni_smooth_step_between(0, depth_full * radius, deepest) *
                  sni_smooth_step_between(coherence_none, coherence_full, coherence);
    pair->radius = radius;
    pair->of_a_hand = is_of_a_hand(c->desc.parts, a, b);
}

typedef struct others_run {
    const sni_contact_run *r;
    sni_contact_pair *pairs;
} others_run;

static void others_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const others_run *run = user;
    for (uint32_t i = begin; i < end; ++i) {
        find_others(run->r, &run->pairs[i]);
    }
}

// Looks at all pairs side by side, and adds those that touch in their order.
static bool add_others(sni_contact_run *r) {
    enum { GRAIN = 8 };
    uint32_t count = r->c->desc.parts->count, candidates = 0;
    others_run run = {r, sni_arena_alloc(r->arena, (size_t)count * count, sizeof *run.pairs)};
    if (run.pairs == NULL) {
        return false;
    }
    for (uint32_t a = 0; a < count; ++a) {
        for (uint32_t b = a + 1; b < count; ++b) {
            if (!are_neighbors(r->c->desc.parts, a, b) && can_touch(r, a, b)) {
                run.pairs[candidates++] = (sni_contact_pair){.parts = {a, b}};
            }
        }
    }
    sn_parallel_for(r->c->context, candidates, GRAIN, others_block, &run);
    for (uint32_t i = 0; i < candidates; ++i) {
        add_pair(r, run.pairs[i]);
    }
    return true;
}

bool sni_contact_find_pairs(sni_contact_run *r) {
    uint32_t count = r->c->desc.parts->count;
    r->pairs = sni_arena_alloc(r->arena, (size_t)count * count, sizeof *r->pairs);
    if (r->pairs == NULL) {
        return false;
    }
    r->pair_count = 0;
    for (uint32_t a = 0; a < count; ++a) {
        add_neighbors(r, a);
    }
    return r->at_rest || add_others(r);
}
