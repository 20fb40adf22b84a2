// SPDX-License-Identifier: Apache-2.0
//
// What carries a strip between its ends: bones it is attached to on the way, segments it passes
// between those of its ends, and bones it bends around. And which side of it faces the bones.
#include "fit/muscle_fit.h"

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

// A slice of a sheet is this much wider than thick.
static const double flat_ratio = 2.5;

enum { bends_most = 3 };

typedef struct carrier {
    sni_fit_bones *bones;
    sn_fit_strip *strip;
    double length;
    bool guessed;                         // no places are given
    uint32_t slices[SNI_FIT_SLICES_MOST]; // segment that carries each; SN_NONE: none
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

// Whether a slice is one of a tendon that lies on bone, and whose.
static sn_status find_tendon(const carrier *c, uint32_t slice, uint32_t *segment, sn_error *error) {
    const sn_fit_section *section = &c->strip->sections[slice];
    double wide = sn_vec3_length(section->wide), thick = sn_vec3_length(section->thick);
    uint32_t bone;
    double distance;
    sn_status status =
        sni_fit_bones_nearest(c->bones, section->center, SN_NONE, &bone, &distance, NULL, error);
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
        SN_TRY(find_tendon(c, i, &here, error));
        if (before == SN_NONE || here == SN_NONE || before == here) {
            continue;
        }
        if (is_free(c, i - 1)) {
            c->slices[i - 1] = before;
        }
        for (uint32_t k = i; k < i + 2; ++k) {
            uint32_t segment = SN_NONE;
            if (is_free(c, k)) {
                SN_TRY(find_tendon(c, k, &segment, error));
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
        rigid = rigid && (c->slices[i] == SN_NONE || c->slices[i] == segment);
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
            strip->pivots[strip->pivot_count++] =
                (sn_fit_pivot){i, c->slices[i], strip->sections[i].center};
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
        for (uint32_t i = 0; i + 1 < strip->slice_count; ++i) {
            c.length += sn_vec3_distance(strip->sections[i].center, strip->sections[i + 1].center);
        }
        SN_TRY(face_outwards(bones, strip, error));
        carry_by_places(&c, points, fit);
        SN_TRY(carry_by_joints(&c, error));
        SN_TRY(carry_by_sheaths(&c, error));
        SN_TRY(carry_by_bends(&c, error));
        SN_TRY(write_pivots(&c, fit->context, error));
    }
cleanup:
    return status;
}
