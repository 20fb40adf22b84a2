// SPDX-License-Identifier: Apache-2.0
//
// A fibre must lie inside the skin: points of its axis and of its surface are tried. Where they do
// not, the places next to them go deeper, and it gets thinner as far as that does not help. A point
// is inside a skin where two of three rays from it leave that skin once more than they enter it.
#include "fit/propose_fibre.h"

#include "base/context.h"
#include "motion/skeleton.h"
#include "muscle/fibre/profile.h"

#include <math.h>

// Places along the axis, around it, and from the first fibre to the last that are tried.
enum { ALONG = 15, AROUND = 12, BESIDE = 5, MOST_HITS = 64, STEPS = 12 };

// The skin's own thickness, as a part of the distance from the axis.
static const double skin_margin = 1.12;

// One step deeper, and how many there are at most; one step thinner, and what is too thin.
static const double deeper = 0.92, thinner = 0.92, thinnest = 0.25;
enum { DEPTH_STEPS = 18 };

// How much of its planned width a bundle has from its first fibre to its last.
static const double spreads[] = {1, 0.75, 0.5, 0.3};

// The least part of its length that a muscle must lose in its movement, or gain against it.
static const double least_loss = 0.006;

// A hinge that has less range to the side that it is pulled to is turned to the other by this
// angle.
static const double trial_angle = 35 * SN_PI / 180;

// Sides are the same where points mirror each other to this part of the body's size.
static const double mirror_slack = 0.02;

// How far apart the two attachments of one fibre are, which show its wide direction, as a part of
// its width.
static const double attachment_spread = 0.2;

// Fully flexed muscles are within these parts of their length at rest.
static const double shortest = 0.4, longest = 0.95;

// ---------------------------------------------------------------------------------------------
// Inside

static bool is_inside_along(const sni_propose_skin *skin, sn_vec3 point, sn_vec3 direction) {
    const sni_skin_probe *probe = &skin->probe;
    const float *positions = probe->mesh->positions;
    double last = 0, step = 1e-6 * probe->size;
    int leaves = 0;
    for (int i = 0; i < MOST_HITS; ++i) {
        sn_hit hit;
        sn_accel_cast(probe->accel, point, direction, last, INFINITY, &hit);
        if (hit.triangle == SN_NONE) {
            break;
        }
        const uint32_t *v = probe->triangles->vertices + 3 * (size_t)hit.triangle;
        sn_vec3 a = sn_vec3_load(positions + 3 * (size_t)v[0]);
        sn_vec3 ab = sn_vec3_sub(sn_vec3_load(positions + 3 * (size_t)v[1]), a);
        sn_vec3 ac = sn_vec3_sub(sn_vec3_load(positions + 3 * (size_t)v[2]), a);
        leaves += sn_vec3_dot(sn_vec3_cross(ab, ac), direction) > 0 ? 1 : -1;
        last = hit.distance + step;
    }
    return leaves > 0;
}

// Directions along no edge that modellers draw.
static bool is_inside(const sni_proposal *job, sn_vec3 point) {
    static const sn_vec3 directions[3] = {
        {0.9327, 0.3071, 0.1893}, {-0.2113, 0.8931, 0.3971}, {0.1713, -0.3371, 0.9258}};
    for (uint32_t s = 0; s < job->skins.count; ++s) {
        int votes = 0;
        for (int k = 0; k < 3; ++k) {
            votes += is_inside_along(&job->skins.items[s], point, directions[k]);
        }
        if (votes >= 2) {
            return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// Points

bool sni_fibre_cast(const sni_proposal *job, sni_fibre_idea *idea) {
    sni_fibre_spot *spots[SNI_FIBRE_SPOTS + 2];
    uint32_t count = 0, met = 0;
    double sum = 0;
    for (uint32_t i = 0; i < idea->count; ++i) {
        spots[count++] = &idea->spots[i];
    }
    for (uint32_t i = 0; i < 2 && idea->fibres > 1; ++i) {
        spots[count++] = &idea->seconds[i];
    }
    for (uint32_t i = 0; i < count; ++i) {
        spots[i]->reach = 0;
        for (uint32_t s = 0; s < job->skins.count; ++s) {
            sn_hit hit;
            if (sni_propose_skin_cast(&job->skins, s, spots[i]->line, spots[i]->out, INFINITY,
                                      &hit)) {
                spots[i]->reach = fmax(spots[i]->reach, hit.distance);
            }
        }
        sum += spots[i]->reach;
        met += spots[i]->reach > 0;
    }
    for (uint32_t i = 0; i < count && met > 0; ++i) {
        spots[i]->reach = spots[i]->reach > 0 ? spots[i]->reach : sum / met;
    }
    return 2 * met > count;
}

static sn_vec3 spot_point(const sni_fibre_spot *spot, double depth) {
    return sn_vec3_add_scaled(spot->line, spot->depth * depth * spot->reach, spot->out);
}

// Sizes are parts of what is between the mean distance of the skin and the largest one: a belly is
// where a limb is thick.
static void set_points(const sni_fibre_idea *idea, sni_fibre_lay *lay) {
    double mean = 0, most = 0;
    lay->count = idea->count;
    for (uint32_t i = 0; i < idea->count; ++i) {
        lay->points[i] = spot_point(&idea->spots[i], lay->depths[i]);
        mean += idea->spots[i].reach / idea->count;
        most = fmax(most, idea->spots[i].reach);
    }
    for (uint32_t i = 0; i < 2; ++i) {
        lay->seconds[i] = idea->fibres > 1
                              ? spot_point(&idea->seconds[i], lay->depths[SNI_FIBRE_SPOTS + i])
                              : lay->points[i == 0 ? 0 : idea->count - 1];
    }
    lay->reach = (mean + most) / 2;
}

// The axis of the first fibre, of the last one, or of the middle: `part` of the way between them.
static void axis_of(const sni_fibre_lay *lay, double part, sn_vec3 axis[SNI_FIBRE_SPOTS]) {
    uint32_t last = lay->count - 1;
    sn_vec3 across[2] = {sn_vec3_sub(lay->seconds[0], lay->points[0]),
                         sn_vec3_sub(lay->seconds[1], lay->points[last])};
    for (uint32_t i = 0; i < lay->count; ++i) {
        // What the middle passes, others pass beside it.
        double side = i == 0 || i == last ? part : part - 0.5;
        sn_vec3 way = sn_vec3_lerp(across[0], across[1], (double)i / last);
        axis[i] = sn_vec3_add_scaled(lay->points[i], side, way);
    }
}

static double length_of(const sn_vec3 *points, uint32_t count) {
    double length = 0;
    for (uint32_t i = 1; i < count; ++i) {
        length += sn_vec3_distance(points[i - 1], points[i]);
    }
    return length;
}

static sn_vec3 place_on(const sn_vec3 *axis, uint32_t count, double s, sn_vec3 *along) {
    double left = s * length_of(axis, count);
    for (uint32_t i = 1; i < count; ++i) {
        double run = sn_vec3_distance(axis[i - 1], axis[i]);
        *along = sn_vec3_normalize_or(sn_vec3_sub(axis[i], axis[i - 1]), sn_vec3_make(0, 1, 0));
        if (left <= run || i + 1 == count) {
            return sn_vec3_add_scaled(axis[i - 1], fmin(left, run), *along);
        }
        left -= run;
    }
    return axis[0];
}

// The mean of where its points lie from their lines.
static sn_vec3 outwards_of(const sni_fibre_idea *idea) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < idea->count; ++i) {
        sum = sn_vec3_add(sum, idea->spots[i].out);
    }
    return sum;
}

// The wide direction: across the axis along the skin; of bundles from the first fibre to the last.
static sn_vec3 wide_of(const sni_fibre_idea *idea, const sni_fibre_lay *lay) {
    sn_vec3 way = sn_vec3_normalize_or(sn_vec3_sub(lay->points[lay->count - 1], lay->points[0]),
                                       sn_vec3_make(0, 1, 0));
    sn_vec3 wide = sn_vec3_cross(way, outwards_of(idea));
    if (idea->fibres > 1) {
        wide = sn_vec3_add(sn_vec3_sub(lay->seconds[0], lay->points[0]),
                           sn_vec3_sub(lay->seconds[1], lay->points[lay->count - 1]));
    }
    return sni_propose_level(wide, way);
}

static void mark_spot(const sni_fibre_idea *idea, uint32_t spot, double part,
                      bool marks[SNI_FIBRE_SPOTS + 2]) {
    bool at_end = spot == 0 || spot + 1 == idea->count, bundle = idea->fibres > 1;
    if (bundle && at_end && part >= 0.5) {
        marks[SNI_FIBRE_SPOTS + (spot != 0)] = true;
    }
    if (!bundle || !at_end || part <= 0.5) {
        marks[spot] = true;
    }
}

// Marks the place nearest to one that is not inside; those on either side of it where the axis
// itself is not.
static void mark_outside(const sni_fibre_idea *idea, const sn_vec3 *axis, double part, double s,
                         bool is_axis, bool marks[SNI_FIBRE_SPOTS + 2]) {
    uint32_t last = idea->count - 1, run = 0;
    double left = s * length_of(axis, idea->count);
    while (run + 1 < last && left > sn_vec3_distance(axis[run], axis[run + 1])) {
        left -= sn_vec3_distance(axis[run], axis[run + 1]);
        ++run;
    }
    bool second = left > 0.5 * sn_vec3_distance(axis[run], axis[run + 1]);
    if (is_axis || !second) {
        mark_spot(idea, run, part, marks);
    }
    if (is_axis || second) {
        mark_spot(idea, run + 1, part, marks);
    }
}

// What is tried of a muscle, and what was found outside.
typedef struct trial {
    const sni_proposal *job;
    const sni_fibre_idea *idea;
    const sni_fibre_lay *lay;
    bool hasty; // the first point outside is enough
    bool outside;
    bool marks[SNI_FIBRE_SPOTS + 2];
} trial;

static void try_point(trial *t, const sn_vec3 *axis, double part, double s, bool is_axis,
                      sn_vec3 point) {
    if (!(t->hasty && t->outside) && !is_inside(t->job, point)) {
        t->outside = true;
        mark_outside(t->idea, axis, part, s, is_axis, t->marks);
    }
}

static void try_axis(trial *t, double part) {
    sn_vec3 axis[SNI_FIBRE_SPOTS], along;
    axis_of(t->lay, part, axis);
    for (int i = 0; i <= ALONG; ++i) {
        // The ends are on bones, which rigs may have at the very skin.
        double s = 0.03 + 0.94 * i / ALONG;
        try_point(t, axis, part, s, true, place_on(axis, t->lay->count, s, &along));
    }
}

static void try_surface(trial *t, double part, double scale) {
    const sni_fibre_idea *idea = t->idea;
    sn_vec3 axis[SNI_FIBRE_SPOTS], along, wide = wide_of(idea, t->lay);
    sni_beta beta = {idea->rest[0], idea->rest[1]};
    sni_fibre_profile profile = sni_fibre_profile_make(beta, beta);
    double most = sni_fibre_profile_most(&profile, 0), size = scale * skin_margin * t->lay->reach;
    axis_of(t->lay, part, axis);
    for (int i = 1; i <= ALONG; ++i) {
        double s = (double)i / (ALONG + 1);
        double share = size * sni_fibre_profile_at(&profile, 0, s, NULL) / most;
        sn_vec3 middle = place_on(axis, t->lay->count, s, &along);
        sn_vec3 across = sni_propose_level(wide, along), up = sn_vec3_cross(along, across);
        for (int k = 0; k < AROUND; ++k) {
            double angle = 2 * SN_PI * k / AROUND;
            sn_vec3 p = sn_vec3_add_scaled(middle, share * idea->wide * cos(angle), across);
            try_point(t, axis, part, s, false,
                      sn_vec3_add_scaled(p, share * idea->thick * sin(angle), up));
        }
    }
}

static void try_fibres(trial *t, double scale, bool axis) {
    int sides = t->idea->fibres > 1 ? BESIDE : 1;
    for (int i = 0; i < sides; ++i) {
        double part = sides > 1 ? (double)i / (BESIDE - 1) : 0;
        if (axis) {
            try_axis(t, part);
        } else {
            try_surface(t, part, scale);
        }
    }
}

// The largest scale at which all fibres are inside, at most `most`; 0: none is.
static double room_for(const sni_proposal *job, const sni_fibre_idea *idea,
                       const sni_fibre_lay *lay, double most) {
    trial t = {.job = job, .idea = idea, .lay = lay, .hasty = true};
    try_fibres(&t, 0, true);
    if (t.outside) {
        return 0;
    }
    for (double scale = most; scale >= thinnest; scale *= thinner) {
        t.outside = false;
        try_fibres(&t, scale, false);
        if (!t.outside) {
            return scale;
        }
    }
    return 0;
}

// Takes the places deeper next to which it is outside at its full size.
static void go_deeper(const sni_proposal *job, const sni_fibre_idea *idea, sni_fibre_lay *lay) {
    trial t = {.job = job, .idea = idea, .lay = lay};
    try_fibres(&t, 1, true);
    try_fibres(&t, 1, false);
    for (int i = 0; i < SNI_FIBRE_SPOTS + 2; ++i) {
        lay->depths[i] *= t.marks[i] ? deeper : 1;
    }
}

static double least_depth(const sni_fibre_lay *lay, const sni_fibre_idea *idea) {
    double least = 1;
    for (uint32_t i = 0; i < idea->count; ++i) {
        least = fmin(least, lay->depths[i]);
    }
    return fmin(least, fmin(lay->depths[SNI_FIBRE_SPOTS], lay->depths[SNI_FIBRE_SPOTS + 1]));
}

// Goes deeper where it is outside until it has its size, and takes what is nearest to the plan: the
// largest product of size and depth.
static bool find_depth(const sni_proposal *job, const sni_fibre_idea *idea, sni_fibre_lay *lay) {
    sni_fibre_lay best = {.scale = 0};
    double most = 0;
    for (int i = 0; i < SNI_FIBRE_SPOTS + 2; ++i) {
        lay->depths[i] = 1;
    }
    // Deeper than the best is worth it only while it may get larger.
    for (int step = 0; step <= DEPTH_STEPS && least_depth(lay, idea) > most; ++step) {
        set_points(idea, lay);
        lay->scale = room_for(job, idea, lay, 1);
        double score = lay->scale * least_depth(lay, idea);
        best = score > most ? *lay : best;
        most = fmax(most, score);
        go_deeper(job, idea, lay);
    }
    *lay = best;
    return best.scale > 0;
}

// The second places of a bundle nearer to its first ones.
static void narrow(const sni_fibre_idea *wide, double spread, sni_fibre_idea *idea) {
    *idea = *wide;
    for (int i = 0; i < 2; ++i) {
        const sni_fibre_spot *first = &wide->spots[i == 0 ? 0 : wide->count - 1];
        sni_fibre_spot *second = &idea->seconds[i];
        second->line = sn_vec3_lerp(first->line, second->line, spread);
        second->out =
            sn_vec3_normalize_or(sn_vec3_lerp(first->out, second->out, spread), second->out);
        second->reach = first->reach + spread * (second->reach - first->reach);
        second->depth = first->depth + spread * (second->depth - first->depth);
    }
}

// A bundle gets narrower where it does not lie inside the skin as planned.
static bool find_room(const sni_proposal *job, sni_fibre_idea *idea, sni_fibre_lay *lay) {
    if (idea->fibres <= 1) {
        return find_depth(job, idea, lay);
    }
    const sni_fibre_idea planned = *idea;
    for (uint32_t i = 0; i < sizeof spreads / sizeof *spreads; ++i) {
        narrow(&planned, spreads[i], idea);
        if (find_depth(job, idea, lay)) {
            return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// Movement

static sn_vec3 turned(sn_vec3 pivot, sn_quat rotation, sn_vec3 point) {
    return sn_vec3_add(pivot, sn_quat_rotate(rotation, sn_vec3_sub(point, pivot)));
}

static double length_at(const sni_proposal *job, const sni_fibre_idea *idea,
                        const sni_fibre_lay *lay, sn_vec3 axis, double angle) {
    sn_vec3 points[SNI_FIBRE_SPOTS], pivot = sni_propose_joint(job, idea->move.joint);
    sn_quat rotation = sn_quat_from_axis_angle(axis, angle);
    axis_of(lay, 0.5, points);
    for (uint32_t i = 0; i < lay->count; ++i) {
        if (sni_skeleton_carries(job->skeleton, idea->move.joint, idea->spots[i].segment)) {
            points[i] = turned(pivot, rotation, points[i]);
        }
    }
    return length_of(points, lay->count);
}

// Where the axis passes from what rests to what the joint carries, the joint turns so that the two
// points come nearer to each other: i, seen from the pivot p, towards o, about (i - p) x (o - i).
static sn_vec3 pulling_axis(const sni_proposal *job, const sni_fibre_idea *idea,
                            const sni_fibre_lay *lay) {
    sn_vec3 none = {0, 0, 0}, points[SNI_FIBRE_SPOTS];
    if (sn_vec3_length(idea->move.axis) > 0) {
        return sn_vec3_normalize_or(idea->move.axis, none);
    }
    axis_of(lay, 0.5, points);
    for (uint32_t i = 1; i < lay->count; ++i) {
        uint32_t joint = idea->move.joint;
        bool before = sni_skeleton_carries(job->skeleton, joint, idea->spots[i - 1].segment);
        bool after = sni_skeleton_carries(job->skeleton, joint, idea->spots[i].segment);
        if (before != after) {
            sn_vec3 moving = points[after ? i : i - 1], resting = points[after ? i - 1 : i];
            sn_vec3 arm = sn_vec3_sub(moving, sni_propose_joint(job, joint));
            return sn_vec3_normalize_or(sn_vec3_cross(arm, sn_vec3_sub(resting, moving)), none);
        }
    }
    return none;
}

// Whether it shortens in its movement, and by how much at most.
static bool shortens(const sni_proposal *job, const sni_fibre_idea *idea, sni_fibre_lay *lay) {
    sn_vec3 axis = pulling_axis(job, idea, lay);
    double rest = length_at(job, idea, lay, axis, 0), least = rest;
    lay->flexed = longest;
    if (!(sn_vec3_length(axis) > 0)) {
        return false;
    }
    if (idea->move.angle < trial_angle && sn_vec3_length(idea->move.axis) > 0) {
        return length_at(job, idea, lay, axis, -trial_angle) > (1 + least_loss) * rest;
    }
    bool falls = true;
    for (int i = 1; i <= STEPS; ++i) {
        double length = length_at(job, idea, lay, axis, idea->move.angle * i / STEPS);
        falls = falls && (i > 2 || length < rest);
        least = fmin(least, length);
    }
    lay->flexed = fmin(fmax(least / rest, shortest), longest);
    return falls && least < (1 - least_loss) * rest;
}

// ---------------------------------------------------------------------------------------------
// Sides

static bool mirrors(const sni_proposal *job, const sni_fibre_lay *a, const sni_fibre_lay *b) {
    double slack = mirror_slack * job->skins.size;
    bool all = job->bones.has_plane && a->count == b->count;
    for (uint32_t i = 0; i < a->count && all; ++i) {
        all = sn_vec3_distance(sni_bones_mirror(&job->bones, a->points[i]), b->points[i]) < slack;
    }
    for (uint32_t i = 0; i < 2 && all; ++i) {
        all = sn_vec3_distance(sni_bones_mirror(&job->bones, a->seconds[i]), b->seconds[i]) < slack;
    }
    return all;
}

static sni_fibre_lay mirror_of(const sni_proposal *job, const sni_fibre_lay *other) {
    sni_fibre_lay lay = *other;
    for (uint32_t i = 0; i < other->count; ++i) {
        lay.points[i] = sni_bones_mirror(&job->bones, other->points[i]);
    }
    for (uint32_t i = 0; i < 2; ++i) {
        lay.seconds[i] = sni_bones_mirror(&job->bones, other->seconds[i]);
    }
    return lay;
}

// Makes the second the mirror image of the first, where it lies inside as well: both then have the
// smaller size.
static void make_alike(const sni_proposal *job, const sni_fibre_idea *idea, sni_fibre_lay *first,
                       sni_fibre_lay *second) {
    sni_fibre_lay image = mirror_of(job, first);
    if (!mirrors(job, first, second)) {
        return;
    }
    double room = room_for(job, idea, &image, fmin(first->scale, second->scale));
    if (room > 0 && shortens(job, idea, &image)) {
        *second = image;
        first->scale = second->scale = room;
        first->flexed = second->flexed = fmax(first->flexed, image.flexed);
    }
}

// ---------------------------------------------------------------------------------------------
// Result

static sn_layout_point point_of(const sni_proposal *job, uint32_t segment, sn_vec3 at) {
    sn_mat4 inverse = sn_mat4_identity();
    sn_mat4_invert(&job->bones.limbs.frames[segment], &inverse);
    return (sn_layout_point){sni_propose_segment_name(job, segment), sn_mat4_point(&inverse, at)};
}

// Lengths of the world at rest over those of the space that skins share: as its axis has them.
static double world_scale(const sni_proposal *job, const sni_fibre_idea *idea,
                          const sni_fibre_lay *lay) {
    sn_vec3 world[SNI_FIBRE_SPOTS];
    for (uint32_t i = 0; i < lay->count; ++i) {
        uint32_t segment = idea->spots[i].segment;
        sn_mat4 inverse = sn_mat4_identity();
        sn_mat4_invert(&job->bones.limbs.frames[segment], &inverse);
        world[i] =
            sn_mat4_point(&job->rest_worlds[segment], sn_mat4_point(&inverse, lay->points[i]));
    }
    return length_of(world, lay->count) / fmax(length_of(lay->points, lay->count), 1e-300);
}

static bool is_below(const sn_skeleton *skeleton, uint32_t segment, uint32_t other) {
    return segment != other && sni_skeleton_carries(skeleton, other, segment);
}

// Two attachments at each end: those of a bundle, or two beside the end that show how the muscle
// lies. The first origin is never distal of the second.
static void set_ends(const sni_proposal *job, const sni_fibre_idea *idea, const sni_fibre_lay *lay,
                     sn_layout_fibre *fibre) {
    uint32_t last = lay->count - 1, segments[2][2];
    sn_vec3 aside =
        sn_vec3_scale(wide_of(idea, lay), attachment_spread * idea->wide * lay->scale * lay->reach);
    sn_vec3 ends[2][2];
    for (uint32_t k = 0; k < 2; ++k) {
        const sni_fibre_spot *spot = &idea->spots[k == 0 ? 0 : last];
        sn_vec3 at = lay->points[k == 0 ? 0 : last];
        bool bundle = idea->fibres > 1;
        ends[k][0] = bundle ? at : sn_vec3_sub(at, aside);
        ends[k][1] = bundle ? lay->seconds[k] : sn_vec3_add(at, aside);
        segments[k][0] = spot->segment;
        segments[k][1] = bundle ? idea->seconds[k].segment : spot->segment;
    }
    bool swapped = is_below(job->skeleton, segments[0][0], segments[0][1]);
    for (uint32_t i = 0; i < 2; ++i) {
        uint32_t from = swapped ? 1 - i : i;
        fibre->origins[i] = point_of(job, segments[0][from], ends[0][from]);
        fibre->insertions[i] = point_of(job, segments[1][from], ends[1][from]);
    }
}

static sn_status make_layout(sni_proposal *job, const sni_fibre_idea *idea,
                             const sni_fibre_lay *lay, sn_error *error) {
    sn_layout_fibre *fibre = sni_layout_alloc(job->layout, 1, sizeof *fibre);
    sn_layout_point *through = sni_layout_alloc(job->layout, SNI_FIBRE_SPOTS, sizeof *through);
    if (fibre == NULL || through == NULL) {
        return sni_fail_memory(error);
    }
    double size = 2 * job->thickness * lay->scale * lay->reach * world_scale(job, idea, lay);
    *fibre = (sn_layout_fibre){.end_count = 2,
                               .through_count = lay->count - 2,
                               .through = through,
                               .fibres = idea->fibres > 1 ? idea->fibres : 1,
                               .width = size * idea->wide,
                               .thickness = size * idea->thick,
                               .rest = {idea->rest[0], idea->rest[1]},
                               .active = {idea->active[0], idea->active[1]},
                               .stiffness = idea->stiffness,
                               .flexed_length = lay->flexed,
                               .room = lay->scale,
                               .sunk = least_depth(lay, idea)};
    set_ends(job, idea, lay, fibre);
    for (uint32_t i = 0; i + 2 < lay->count; ++i) {
        through[i] = point_of(job, idea->spots[i + 1].segment, lay->points[i + 1]);
    }
    sn_layout_muscle muscle = {.name = idea->name, .group = "muscle", .fibre = fibre};
    return sni_layout_add(job->layout, &muscle, error);
}

// Origins are not distal of insertions: the other way round where they would be.
static sni_fibre_idea proximal_first(const sni_proposal *job, const sni_fibre_idea *idea) {
    sni_fibre_idea result = *idea;
    uint32_t last = idea->count - 1;
    if (!is_below(job->skeleton, idea->spots[0].segment, idea->spots[last].segment)) {
        return result;
    }
    for (uint32_t i = 0; i < idea->count; ++i) {
        result.spots[i] = idea->spots[last - i];
    }
    for (int i = 0; i < 2; ++i) {
        result.seconds[i] = idea->seconds[1 - i];
        result.rest[i] = idea->rest[1 - i];
        result.active[i] = idea->active[1 - i];
    }
    return result;
}

typedef struct side {
    bool given;
    sni_fibre_idea idea;
    sni_fibre_lay lay;
    const char *against;
} side;

static void lay_side(const sni_proposal *job, const sni_fibre_idea *idea, side *s) {
    *s = (side){.given = idea != NULL};
    if (!s->given) {
        return;
    }
    s->idea = proximal_first(job, idea);
    if (!find_room(job, &s->idea, &s->lay)) {
        s->against = "it would not lie inside the skin";
    } else if (!shortens(job, &s->idea, &s->lay)) {
        s->against = sni_layout_text(job->layout,
                                     "it would not get shorter when %s turns the way that it pulls",
                                     job->skeleton->segments[s->idea.move.joint].name);
    }
}

// What has no room by itself may be the mirror image of the other side.
static void take_image(const sni_proposal *job, side *made, side *missing) {
    if (!job->bones.has_plane || made->idea.count != missing->idea.count) {
        return;
    }
    sni_fibre_lay image = mirror_of(job, &made->lay);
    double room = room_for(job, &missing->idea, &image, made->lay.scale);
    if (room > 0 && shortens(job, &missing->idea, &image)) {
        missing->lay = image;
        missing->against = NULL;
        missing->lay.scale = made->lay.scale = room;
    }
}

sn_status sni_fibre_lay_pair(sni_proposal *job, const sni_fibre_idea *left,
                             const sni_fibre_idea *right, sn_error *error) {
    sn_status status = SN_OK;
    side sides[2];
    lay_side(job, left, &sides[0]);
    lay_side(job, right, &sides[1]);
    if (left != NULL && right != NULL && sides[0].against == NULL && sides[1].against == NULL) {
        make_alike(job, &sides[1].idea, &sides[0].lay, &sides[1].lay);
    } else if (left != NULL && right != NULL &&
               (sides[0].against == NULL || sides[1].against == NULL)) {
        bool is_left = sides[0].against == NULL;
        take_image(job, &sides[is_left ? 0 : 1], &sides[is_left ? 1 : 0]);
    }
    for (int i = 0; i < 2; ++i) {
        if (sides[i].given && sides[i].against != NULL) {
            SN_TRY(sni_layout_skip(job->layout, sides[i].idea.name, sides[i].against, error));
        } else if (sides[i].given) {
            SN_TRY(make_layout(job, &sides[i].idea, &sides[i].lay, error));
        }
    }
cleanup:
    return status;
}
