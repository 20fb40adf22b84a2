// SPDX-License-Identifier: Apache-2.0
//
// What carries a strip between its ends: bones it is attached to on the way, segments it passes
// between those of its ends, and bones it bends around. And which side of it faces the bones.
#include "fit/muscle/fit.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

// A strip bends where it leaves the straight way by more than this part of its length.
static const double bend_part = 0.08;

// A segment that is passed carries a slice when its bones are this near, in lengths of the strip
// and beyond the strip's own thickness.
static const double pass_reach = 0.12;

// What a strip bends around is not farther away than this, in lengths of the strip.
static const double bend_reach = 0.3;

// A tendon is thinner than this and as near to bone, in lengths of the strip: sheaths hold it
// there.
static const double tendon_part = 0.025;

// Sheaths hold the whole of a strip whose widest half axis is shorter than this, in its lengths,
// and which passes no more segments than a limb has: straps, sheets and muscles along the spine
// bend as a whole.
static const double slender_part = 0.049;

// A slice of a sheet is this much wider than thick.
static const double flat_ratio = 2.5;

enum { bends_most = 3, limb_most = 6, CHAIN_MOST = 32 };

typedef struct carrier {
    sni_fit_bones *bones;
    sn_fit_strip *strip;
    double length;
    bool guessed;                         // no places are given
    uint32_t slices[SNI_FIT_SLICES_MOST]; // segment that carries each; SN_NONE: none
    uint32_t halves[SNI_FIT_SLICES_MOST]; // on a joint: the segment on its other side
    bool turned[SNI_FIT_SLICES_MOST];     // those of tendons that are held
    double stands[SNI_FIT_SLICES_MOST];   // how far along the strip they are
} carrier;

static uint32_t segment_of(const sni_fit_bones *bones, const sn_fit_place *place) {
    return bones->bones[place->bone].segment;
}

// Interior, and not beside a slice that is carried already: two in a row would be a kink.
static bool is_free(const carrier *c, uint32_t slice) {
    return slice > 0 && slice + 1 < c->strip->slice_count && c->slices[slice] == SN_NONE &&
           c->slices[slice - 1] == SN_NONE && c->slices[slice + 1] == SN_NONE;
}

static uint32_t nearest_slice(const sn_fit_strip *strip, sn_vec3 point) {
    uint32_t nearest = 0;
    for (uint32_t i = 1; i < strip->slice_count; ++i) {
        if (sn_vec3_distance(strip->sections[i].center, point) <
            sn_vec3_distance(strip->sections[nearest].center, point)) {
            nearest = i;
        }
    }
    return nearest;
}

// Given places on the way, nearest to this strip and away from its ends.
static void carry_by_places(carrier *c, const sni_fit_points *points, const sn_muscle_fit *fit) {
    for (uint32_t i = 0; i < points->count; ++i) {
        sn_vec3 point = points->places[i].point;
        uint32_t slice = nearest_slice(c->strip, point);
        double distance = sn_vec3_distance(c->strip->sections[slice].center, point);
        bool is_nearest = true;
        for (uint32_t k = 0; k < fit->strip_count && is_nearest; ++k) {
            uint32_t other = nearest_slice(&fit->strips[k], point);
            is_nearest = distance <= sn_vec3_distance(fit->strips[k].sections[other].center, point);
        }
        uint32_t count = c->strip->slice_count;
        if (is_nearest && 4 * slice >= count - 1 && 4 * slice <= 3 * (count - 1) &&
            is_free(c, slice)) {
            c->slices[slice] = segment_of(c->bones, &points->places[i]);
        }
    }
}

// What holds a slice that is nearest to a segment: of a sheet the most proximal of the segments
// nearest to its middle and its sides. The others slide below it, as the shoulder blade does below
// the latissimus. Given places tell what a sheet is attached to.
static sn_status find_holder(const carrier *c, const sn_fit_section *section, uint32_t segment,
                             uint32_t *holder, sn_error *error) {
    sn_status status = SN_OK;
    *holder = segment;
    bool flat =
        c->guessed && sn_vec3_length(section->wide) > flat_ratio * sn_vec3_length(section->thick);
    for (int side = -1; side <= 1 && flat; side += 2) {
        uint32_t bone;
        sn_vec3 point = sn_vec3_add_scaled(section->center, side, section->wide);
        SN_TRY(sni_fit_bones_nearest(c->bones, point, SN_NONE, &bone, NULL, NULL, error));
        if (bone != SN_NONE && sni_fit_is_above(c->bones, c->bones->bones[bone].segment, *holder)) {
            *holder = c->bones->bones[bone].segment;
        }
    }
cleanup:
    return status;
}

// Segments between those of the ends, which stand on the way from one to the other in the tree.
static sn_status carry_by_passed(carrier *c, uint32_t segment, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t best_slice = SN_NONE;
    double best = pass_reach * c->length;
    for (uint32_t i = 1; i + 1 < c->strip->slice_count; ++i) {
        const sn_fit_section *section = &c->strip->sections[i];
        uint32_t bone;
        double distance;
        SN_TRY(sni_fit_bones_nearest(c->bones, section->center, segment, &bone, &distance, NULL,
                                     error));
        distance -= sn_vec3_length(section->thick);
        if (bone != SN_NONE && distance < best) {
            best = distance;
            best_slice = i;
        }
    }
    if (best_slice != SN_NONE && is_free(c, best_slice)) {
        uint32_t holder;
        SN_TRY(find_holder(c, &c->strip->sections[best_slice], segment, &holder, error));
        c->slices[best_slice] = holder == segment ? segment : SN_NONE;
    }
cleanup:
    return status;
}

static sn_status carry_by_joints(carrier *c, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t from = segment_of(c->bones, &c->strip->origins[0]);
    uint32_t to = segment_of(c->bones, &c->strip->insertions[0]);
    for (uint32_t s = from; s != SN_NONE && !sni_fit_is_above(c->bones, s, to);
         s = c->bones->parents[s]) {
        if (s != from) {
            SN_TRY(carry_by_passed(c, s, error));
        }
    }
    for (uint32_t s = to; s != SN_NONE && !sni_fit_is_above(c->bones, s, from);
         s = c->bones->parents[s]) {
        if (s != to) {
            SN_TRY(carry_by_passed(c, s, error));
        }
    }
cleanup:
    return status;
}

// Whether a slice is one of a tendon that lies on bone, of `of` or of any segment, and whose.
static sn_status find_tendon(const carrier *c, uint32_t slice, uint32_t of, uint32_t *segment,
                             sn_error *error) {
    const sn_fit_section *section = &c->strip->sections[slice];
    double wide = sn_vec3_length(section->wide), thick = sn_vec3_length(section->thick);
    uint32_t bone;
    double distance;
    sn_status status =
        sni_fit_bones_nearest(c->bones, section->center, of, &bone, &distance, NULL, error);
    bool lies_on_bone = status == SN_OK && bone != SN_NONE &&
                        fmax(wide, thick) < tendon_part * c->length &&
                        distance - fmin(wide, thick) < tendon_part * c->length;
    *segment = lies_on_bone ? c->bones->bones[bone].segment : SN_NONE;
    return status;
}

// Where a tendon comes from one segment's bones to another's it is held on both, or it would stand
// off as a bow's string does when the joint bends.
static sn_status carry_by_sheaths(carrier *c, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t before = SN_NONE, here = SN_NONE; // segments of the last slice and of this one
    for (uint32_t i = 1; i + 1 < c->strip->slice_count; ++i, before = here) {
        SN_TRY(find_tendon(c, i, SN_NONE, &here, error));
        if (before == SN_NONE || here == SN_NONE || before == here) {
            continue;
        }
        if (is_free(c, i - 1)) {
            c->slices[i - 1] = before;
        }
        for (uint32_t k = i; k < i + 2; ++k) {
            uint32_t segment = SN_NONE;
            if (is_free(c, k)) {
                SN_TRY(find_tendon(c, k, SN_NONE, &segment, error));
            }
            if (segment == here) {
                c->slices[k] = here;
                break;
            }
        }
    }
cleanup:
    return status;
}

// The segments with bones that a strip passes from its origin to its insertion.
typedef struct chain {
    uint32_t count;
    uint32_t segments[CHAIN_MOST];
} chain;

static bool has_bones(const sni_fit_bones *bones, uint32_t segment) {
    for (uint32_t i = 0; i < bones->count; ++i) {
        if (bones->bones[i].segment == segment) {
            return true;
        }
    }
    return false;
}

static chain find_chain(const carrier *c) {
    uint32_t from = segment_of(c->bones, &c->strip->origins[0]);
    uint32_t to = segment_of(c->bones, &c->strip->insertions[0]);
    chain up = {0}, down = {0};
    for (uint32_t s = from; s != SN_NONE && up.count < CHAIN_MOST; s = c->bones->parents[s]) {
        if (has_bones(c->bones, s)) {
            up.segments[up.count++] = s;
        }
        if (sni_fit_is_above(c->bones, s, to)) {
            break;
        }
    }
    for (uint32_t s = to; s != SN_NONE && !sni_fit_is_above(c->bones, s, from);
         s = c->bones->parents[s]) {
        if (has_bones(c->bones, s) && down.count < CHAIN_MOST) {
            down.segments[down.count++] = s;
        }
    }
    while (down.count > 0 && up.count < CHAIN_MOST) {
        up.segments[up.count++] = down.segments[--down.count];
    }
    return up;
}

// Where a strip passes a joint: how far along it comes nearest, and how near.
typedef struct crossing {
    double along, distance;
} crossing;

static crossing find_crossing(const carrier *c, sn_vec3 joint) {
    crossing found = {.distance = INFINITY};
    for (uint32_t i = 0; i + 1 < c->strip->slice_count; ++i) {
        sn_vec3 a = c->strip->sections[i].center;
        sn_vec3 way = sn_vec3_sub(c->strip->sections[i + 1].center, a);
        sn_vec3 off = sn_vec3_sub(joint, a);
        double t = sn_vec3_dot(off, way) / fmax(sn_vec3_dot(way, way), 1e-300);
        t = fmin(fmax(t, 0), 1);
        double distance = sn_vec3_length(sn_vec3_add_scaled(off, -t, way));
        if (distance < found.distance) {
            found = (crossing){c->stands[i] + t * (c->stands[i + 1] - c->stands[i]), distance};
        }
    }
    return found;
}

// The slice whose place along the strip is nearest to one.
static uint32_t slice_at(const carrier *c, double along) {
    uint32_t nearest = 0;
    for (uint32_t i = 1; i < c->strip->slice_count; ++i) {
        if (fabs(c->stands[i] - along) < fabs(c->stands[nearest] - along)) {
            nearest = i;
        }
    }
    return nearest;
}

// How the centres go on at a slice, per length of the strip.
static sn_vec3 slope_at(const carrier *c, uint32_t slice) {
    uint32_t before = slice > 0 ? slice - 1 : 0;
    uint32_t after = slice + 1 < c->strip->slice_count ? slice + 1 : slice;
    sn_vec3 way = sn_vec3_sub(c->strip->sections[after].center, c->strip->sections[before].center);
    return sn_vec3_scale(way, 1 / fmax(c->stands[after] - c->stands[before], 1e-300));
}

// A section between slices i and i + 1, its centre on the cubic curve through theirs.
static sn_fit_section section_between(const carrier *c, uint32_t i, double along) {
    const sn_fit_section *a = &c->strip->sections[i], *b = a + 1;
    double length = c->stands[i + 1] - c->stands[i], t = (along - c->stands[i]) / length;
    double t2 = t * t, t3 = t2 * t;
    sn_vec3 center = sn_vec3_lerp(a->center, b->center, 3 * t2 - 2 * t3);
    center = sn_vec3_add_scaled(center, (t3 - 2 * t2 + t) * length, slope_at(c, i));
    center = sn_vec3_add_scaled(center, (t3 - t2) * length, slope_at(c, i + 1));
    sn_vec3 wide = sn_vec3_lerp(a->wide, b->wide, t), thick = sn_vec3_lerp(a->thick, b->thick, t);
    double across = sn_vec3_dot(thick, wide) / fmax(sn_vec3_dot(wide, wide), 1e-300);
    return (sn_fit_section){center, wide, sn_vec3_add_scaled(thick, -across, wide)};
}

// Puts one more slice into the strip.
static sn_status insert_slice(carrier *c, double along, sn_error *error) {
    sn_status status = SN_OK;
    sn_fit_strip *strip = c->strip;
    sn_fit_section *sections = NULL;
    uint32_t at = 0;
    while (c->stands[at + 1] <= along) {
        ++at;
    }
    SNI_NEW(c->bones->context, sections, (size_t)strip->slice_count + 1);
    sn_fit_section between = section_between(c, at, along);
    size_t behind = strip->slice_count - 1 - at;
    memcpy(sections, strip->sections, ((size_t)at + 1) * sizeof *sections);
    sections[at + 1] = between;
    memcpy(sections + at + 2, strip->sections + at + 1, behind * sizeof *sections);
    memmove(c->stands + at + 2, c->stands + at + 1, behind * sizeof *c->stands);
    c->stands[at + 1] = along;
    sni_free(c->bones->context, strip->sections);
    strip->sections = sections;
    strip->slice_count++;
cleanup:
    return status;
}

// Slices on a joint and on either side of it, in distances of the strip from the joint: each is
// there already, or is put there. The outer ones may stand anywhere from one distance to two.
static sn_status insert_at_joint(carrier *c, crossing at, sn_error *error) {
    static const double places[3] = {0, -1.3, 1.3}, reach[3] = {0.35, 0.5, 0.5};
    sn_status status = SN_OK;
    for (int k = 0; k < 3 && c->strip->slice_count < SNI_FIT_SLICES_MOST; ++k) {
        double along = at.along + places[k] * at.distance, room = reach[k] * at.distance;
        uint32_t nearest = slice_at(c, along), held = SN_NONE;
        if (fabs(c->stands[nearest] - along) > room && along > room && along < c->length - room) {
            SN_TRY(find_tendon(c, nearest, SN_NONE, &held, error));
        }
        if (held != SN_NONE) {
            SN_TRY(insert_slice(c, along, error));
        }
    }
cleanup:
    return status;
}

static uint32_t lower_of(const sni_fit_bones *bones, uint32_t a, uint32_t b) {
    return sni_fit_is_above(bones, a, b) ? b : a;
}

// Which joint a slice is at, as near as that is to the strip; SN_NONE: at none. `before` is how
// many it has behind it.
static uint32_t joint_at(const carrier *c, const crossing *crossings, uint32_t count,
                         uint32_t slice, uint32_t *before) {
    uint32_t at = SN_NONE;
    *before = 0;
    for (uint32_t j = 0; j < count; ++j) {
        double along = crossings[j].along;
        *before += c->stands[slice] > along;
        at = fabs(c->stands[slice] - along) < crossings[j].distance ? j : at;
    }
    return at;
}

static sn_status hold_slice(carrier *c, const chain *passed, const crossing *crossings,
                            uint32_t slice, sn_error *error) {
    uint32_t number, held, at = joint_at(c, crossings, passed->count - 1, slice, &number);
    if (at != SN_NONE && slice_at(c, crossings[at].along) != slice) {
        return SN_OK;
    }
    uint32_t on = at == SN_NONE ? passed->segments[number] : SN_NONE;
    sn_status status = find_tendon(c, slice, on, &held, error);
    if (status != SN_OK || held == SN_NONE) {
        return status;
    }
    c->turned[slice] = true;
    c->slices[slice] = on;
    if (at != SN_NONE) {
        uint32_t a = passed->segments[at], b = passed->segments[at + 1];
        c->slices[slice] = lower_of(c->bones, a, b);
        c->halves[slice] = c->slices[slice] == a ? b : a;
    }
    return SN_OK;
}

// A slender strip of which three quarters lie on bones.
static sn_status find_if_of_limb(const carrier *c, bool *is_of_limb, sn_error *error) {
    sn_status status = SN_OK;
    double widest = 0;
    uint32_t on_bone = 0, segment;
    for (uint32_t i = 1; i + 1 < c->strip->slice_count; ++i) {
        widest = fmax(widest, sn_vec3_length(c->strip->sections[i].wide));
        widest = fmax(widest, sn_vec3_length(c->strip->sections[i].thick));
        SN_TRY(find_tendon(c, i, SN_NONE, &segment, error));
        on_bone += segment != SN_NONE;
    }
    *is_of_limb = c->bones->joints != NULL && find_chain(c).count <= limb_most &&
                  widest < slender_part * c->length &&
                  4 * on_bone >= 3 * (c->strip->slice_count - 2);
cleanup:
    return status;
}

// Sheaths hold a tendon on every bone that it passes, and over the joints between them, or it would
// stand off as a bow's string does when a joint bends. As near to a joint as the tendon is away
// from it, the bones on either side would push what they hold through each other: there one slice
// goes with half of the bend, and others are free.
static sn_status carry_by_joints_passed(carrier *c, sn_error *error) {
    sn_status status = SN_OK;
    chain passed = find_chain(c);
    crossing crossings[CHAIN_MOST];
    for (uint32_t k = 0; k + 1 < passed.count; ++k) {
        uint32_t lower = lower_of(c->bones, passed.segments[k], passed.segments[k + 1]);
        crossings[k] = find_crossing(c, sn_vec3_sub(c->bones->joints[lower], c->bones->middle));
    }
    for (uint32_t k = 0; k + 1 < passed.count; ++k) {
        SN_TRY(insert_at_joint(c, crossings[k], error));
    }
    for (uint32_t i = 1; i + 1 < c->strip->slice_count && passed.count > 1; ++i) {
        SN_TRY(hold_slice(c, &passed, crossings, i, error));
    }
cleanup:
    return status;
}

// The free slice that is farthest from the straight way between what is carried beside it.
static uint32_t find_bend(const carrier *c) {
    uint32_t worst = SN_NONE;
    double most = bend_part * c->length;
    for (uint32_t i = 1; i + 1 < c->strip->slice_count; ++i) {
        uint32_t before = i - 1, after = i + 1;
        while (before > 0 && c->slices[before] == SN_NONE) {
            --before;
        }
        while (after + 1 < c->strip->slice_count && c->slices[after] == SN_NONE) {
            ++after;
        }
        sn_vec3 a = c->strip->sections[before].center, b = c->strip->sections[after].center;
        sn_vec3 chord = sn_vec3_sub(b, a), way = sn_vec3_sub(c->strip->sections[i].center, a);
        double t = sn_vec3_dot(way, chord) / fmax(sn_vec3_dot(chord, chord), 1e-300);
        double off = sn_vec3_length(sn_vec3_add_scaled(way, -fmin(fmax(t, 0), 1), chord));
        if (off > most && is_free(c, i)) {
            most = off;
            worst = i;
        }
    }
    return worst;
}

static bool is_carried_by(const carrier *c, uint32_t segment) {
    bool carried = false;
    for (uint32_t i = 0; i < c->strip->slice_count; ++i) {
        carried = carried || c->slices[i] == segment;
    }
    return carried;
}

static sn_status carry_by_bends(carrier *c, sn_error *error) {
    sn_status status = SN_OK;
    for (int n = 0; n < bends_most; ++n) {
        uint32_t slice = find_bend(c), bone;
        double distance;
        if (slice == SN_NONE) {
            break;
        }
        SN_TRY(sni_fit_bones_nearest(c->bones, c->strip->sections[slice].center, SN_NONE, &bone,
                                     &distance, NULL, error));
        if (bone == SN_NONE || distance > bend_reach * c->length) {
            break;
        }
        uint32_t segment = c->bones->bones[bone].segment, holder;
        SN_TRY(find_holder(c, &c->strip->sections[slice], segment, &holder, error));
        if (holder != segment && is_carried_by(c, holder)) {
            break; // what is beyond it slides
        }
        c->slices[slice] = holder;
    }
cleanup:
    return status;
}

// A strip that one segment carries from end to end needs no pivots.
static bool is_rigid(const carrier *c) {
    uint32_t segment = segment_of(c->bones, &c->strip->origins[0]);
    bool rigid = segment_of(c->bones, &c->strip->origins[1]) == segment;
    for (int i = 0; i < 2; ++i) {
        rigid = rigid && segment_of(c->bones, &c->strip->insertions[i]) == segment;
    }
    for (uint32_t i = 0; i < c->strip->slice_count; ++i) {
        rigid = rigid &&
                (c->slices[i] == SN_NONE || (c->slices[i] == segment && c->halves[i] == SN_NONE));
    }
    return rigid;
}

static sn_status write_pivots(const carrier *c, sn_context *context, sn_error *error) {
    sn_status status = SN_OK;
    sn_fit_strip *strip = c->strip;
    if (is_rigid(c)) {
        return SN_OK;
    }
    SNI_NEW(context, strip->pivots, strip->slice_count);
    for (uint32_t i = 0; i < strip->slice_count; ++i) {
        if (c->slices[i] != SN_NONE) {
            strip->pivots[strip->pivot_count++] = (sn_fit_pivot){
                i, c->slices[i], strip->sections[i].center, c->halves[i], c->turned[i]};
        }
    }
cleanup:
    return status;
}

// Lets `thick` point away from the bones on the whole; both axes turn, so that the frame stays.
static sn_status face_outwards(sni_fit_bones *bones, sn_fit_strip *strip, sn_error *error) {
    sn_status status = SN_OK;
    double outwards = 0;
    for (uint32_t i = 0; i < strip->slice_count; ++i) {
        uint32_t bone;
        sn_vec3 closest;
        SN_TRY(sni_fit_bones_nearest(bones, strip->sections[i].center, SN_NONE, &bone, NULL,
                                     &closest, error));
        outwards +=
            sn_vec3_dot(strip->sections[i].thick, sn_vec3_sub(strip->sections[i].center, closest));
    }
    for (uint32_t i = 0; i < strip->slice_count && outwards < 0; ++i) {
        strip->sections[i].wide = sn_vec3_scale(strip->sections[i].wide, -1);
        strip->sections[i].thick = sn_vec3_scale(strip->sections[i].thick, -1);
    }
cleanup:
    return status;
}

sn_status sni_fit_pivots(sni_fit_bones *bones, const sni_fit_points *points, sn_muscle_fit *fit,
                         sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t k = 0; k < fit->strip_count; ++k) {
        sn_fit_strip *strip = &fit->strips[k];
        carrier c = {.bones = bones, .strip = strip, .guessed = points->count == 0};
        memset(c.slices, 0xff, sizeof c.slices);
        memset(c.halves, 0xff, sizeof c.halves);
        for (uint32_t i = 0; i + 1 < strip->slice_count; ++i) {
            c.length += sn_vec3_distance(strip->sections[i].center, strip->sections[i + 1].center);
            c.stands[i + 1] = c.length;
        }
        SN_TRY(face_outwards(bones, strip, error));
        bool is_held = false;
        SN_TRY(find_if_of_limb(&c, &is_held, error));
        if (is_held) {
            SN_TRY(carry_by_joints_passed(&c, error));
        }
        carry_by_places(&c, points, fit);
        SN_TRY(carry_by_joints(&c, error));
        if (!is_held) {
            SN_TRY(carry_by_sheaths(&c, error));
        }
        SN_TRY(carry_by_bends(&c, error));
        SN_TRY(write_pivots(&c, fit->context, error));
    }
cleanup:
    return status;
}
