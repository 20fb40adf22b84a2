// SPDX-License-Identifier: Apache-2.0
//
// Where strips are attached: the given places near their ends, or, without them, the nearest bone;
// and which end is the origin.
#include "fit/muscle/fit.h"

#include <math.h>

// Places in the first or last part of a strip belong to its end.
static const double end_part = 0.3;

// How far from the end's middle, in lengths of the strip, a place may be for its bone to count.
static const double bone_reach = 0.5;

// Two places of an end are at least this far apart, in half widths of its section.
static const double apart = 0.3;

// What is known of one end of one strip.
typedef struct strip_end {
    const sn_fit_section *section;
    double low, high; // range of the strip's coordinate
    bool is_last;
    double length; // of the strip
} strip_end;

static double strip_length(const sn_fit_strip *strip) {
    double length = 0;
    for (uint32_t i = 0; i + 1 < strip->slice_count; ++i) {
        length += sn_vec3_distance(strip->sections[i].center, strip->sections[i + 1].center);
    }
    return length;
}

// Whether a given place lies at this end: along the muscle, and not beside another strip.
static bool is_at_end(const strip_end *end, const sn_fit_place *place, double along) {
    double part = (along - end->low) / (end->high - end->low);
    double near = fmax(1.5 * sn_vec3_length(end->section->wide), 0.15 * end->length);
    return (end->is_last ? 1 - part : part) <= end_part &&
           sn_vec3_distance(place->point, end->section->center) <= near + end_part * end->length;
}

static double across(const strip_end *end, sn_vec3 point) {
    sn_vec3 unit = sn_vec3_normalize_or(end->section->wide, sn_vec3_make(0, 0, 0));
    return sn_vec3_dot(sn_vec3_sub(point, end->section->center), unit);
}

// Both places on one bone, on either side of a point.
static void set_pair(const strip_end *end, uint32_t bone, sn_vec3 point, sn_fit_place *places) {
    for (int i = 0; i < 2; ++i) {
        places[i].bone = bone;
        places[i].point = sn_vec3_add_scaled(point, i == 0 ? -apart : apart, end->section->wide);
    }
}

// The two given places that are farthest apart across the strip; where they are not, the one
// nearest to the end's middle, twice. False where no place is at the end.
static bool take_places(const strip_end *end, const sni_fit_points *points, const double *alongs,
                        sn_fit_place *places) {
    const sn_fit_place *left = NULL, *right = NULL, *nearest = NULL;
    for (uint32_t i = 0; i < points->count; ++i) {
        const sn_fit_place *place = &points->places[i];
        if (!is_at_end(end, place, alongs[i])) {
            continue;
        }
        double width = 1.5 * sn_vec3_length(end->section->wide);
        double t = across(end, place->point);
        bool beside = fabs(t) > width;
        left = !beside && (left == NULL || t < across(end, left->point)) ? place : left;
        right = !beside && (right == NULL || t > across(end, right->point)) ? place : right;
        if (nearest == NULL || sn_vec3_distance(place->point, end->section->center) <
                                   sn_vec3_distance(nearest->point, end->section->center)) {
            nearest = place;
        }
    }
    if (nearest == NULL) {
        return false;
    }
    double least = 2 * apart * sn_vec3_length(end->section->wide);
    if (left != NULL && across(end, right->point) - across(end, left->point) >= least) {
        places[0] = *left;
        places[1] = *right;
    } else {
        set_pair(end, nearest->bone, nearest->point, places);
    }
    return true;
}

// The bone of the nearest given place of that side; the strip ends where its mesh ends.
static bool take_bone(const strip_end *end, const sni_fit_points *points, sn_fit_place *places) {
    const sn_fit_place *nearest = NULL;
    double best = bone_reach * end->length;
    for (uint32_t i = 0; i < points->count; ++i) {
        double distance = sn_vec3_distance(points->places[i].point, end->section->center);
        if (points->sides[i] == end->is_last && distance < best) {
            best = distance;
            nearest = &points->places[i];
        }
    }
    if (nearest != NULL) {
        set_pair(end, nearest->bone, end->section->center, places);
    }
    return nearest != NULL;
}

// How far the mesh is from a bone, near a point of the mesh.
static sn_status measure_gap(sni_fit_bones *bones, const sni_fit_surface *surface, sn_vec3 point,
                             uint32_t bone, double *gap, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 on_bone;
    sn_closest closest;
    uint32_t found;
    SN_TRY(sni_fit_bones_nearest(bones, point, bones->bones[bone].segment, &found, NULL, &on_bone,
                                 error));
    sn_accel_find_closest(surface->accel, on_bone, INFINITY, &closest);
    *gap = closest.distance;
cleanup:
    return status;
}

static sn_status set_end(sni_fit_bones *bones, const sni_fit_points *points,
                         const sni_fit_surface *surface, const double *alongs, const strip_end *end,
                         sn_fit_place *places, bool *guessed, double *gap, sn_error *error) {
    sn_status status = SN_OK;
    if (!take_places(end, points, alongs, places) && !take_bone(end, points, places)) {
        uint32_t bone;
        SN_TRY(
            sni_fit_bones_nearest(bones, end->section->center, SN_NONE, &bone, NULL, NULL, error));
        if (bone == SN_NONE) {
            return sni_fail(error, SN_INVALID, "no bone has a surface to attach the muscle to");
        }
        set_pair(end, bone, end->section->center, places);
        *guessed = true;
    }
    double here;
    SN_TRY(measure_gap(bones, surface, end->section->center, places[0].bone, &here, error));
    *gap = fmax(*gap, here);
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Which end is the origin

static uint32_t segment_of(const sni_fit_bones *bones, const sn_fit_place *place) {
    return bones->bones[place->bone].segment;
}

static bool is_distal(const sni_fit_bones *bones, const sn_fit_place *a, const sn_fit_place *b) {
    uint32_t x = segment_of(bones, a), y = segment_of(bones, b);
    return x != y && sni_fit_is_above(bones, y, x);
}

// How many places of one end are distal of one of the other.
static int count_distal(const sni_fit_bones *bones, const sn_fit_place *ends,
                        const sn_fit_place *others) {
    int count = 0;
    for (int i = 0; i < 4; ++i) {
        count += is_distal(bones, &ends[i / 2], &others[i % 2]);
    }
    return count;
}

static double mean_depth(const sni_fit_bones *bones, const sn_fit_place *places) {
    return 0.5 * (sni_fit_depth(bones, segment_of(bones, &places[0])) +
                  sni_fit_depth(bones, segment_of(bones, &places[1])));
}

static void swap_places(sn_fit_place *a, sn_fit_place *b) {
    sn_fit_place swap = *a;
    *a = *b;
    *b = swap;
}

// Turns a strip around; `thick` stays and `wide` changes its sign, so that thick x wide still
// points along the strip.
static void reverse(sn_fit_strip *strip) {
    uint32_t count = strip->slice_count;
    for (uint32_t i = 0; i < count / 2; ++i) {
        sn_fit_section swap = strip->sections[i];
        strip->sections[i] = strip->sections[count - 1 - i];
        strip->sections[count - 1 - i] = swap;
    }
    for (uint32_t i = 0; i < count; ++i) {
        strip->sections[i].wide = sn_vec3_scale(strip->sections[i].wide, -1);
    }
    swap_places(&strip->origins[0], &strip->insertions[0]);
    swap_places(&strip->origins[1], &strip->insertions[1]);
}

// Origins are proximal: by joints where these tell, else nearer to the root.
static void orient(const sni_fit_bones *bones, sn_muscle_fit *fit) {
    int forward = 0, backward = 0;
    double deeper = 0;
    for (uint32_t k = 0; k < fit->strip_count; ++k) {
        const sn_fit_strip *strip = &fit->strips[k];
        forward += count_distal(bones, strip->origins, strip->insertions);
        backward += count_distal(bones, strip->insertions, strip->origins);
        deeper += mean_depth(bones, strip->origins) - mean_depth(bones, strip->insertions);
    }
    if (forward > backward || (forward == backward && deeper > 0)) {
        for (uint32_t k = 0; k < fit->strip_count; ++k) {
            reverse(&fit->strips[k]);
        }
        bool guessed = fit->guessed_origin;
        double gap = fit->origin_gap;
        fit->guessed_origin = fit->guessed_insertion;
        fit->origin_gap = fit->insertion_gap;
        fit->guessed_insertion = guessed;
        fit->insertion_gap = gap;
    }
}

// A strip whose ends are on several bones may still have an origin that is distal of an insertion.
// It takes the other place's bone, or in the end that of the origin.
static void mend_order(const sni_fit_bones *bones, sn_fit_strip *strip) {
    sn_fit_place *o = strip->origins, *n = strip->insertions;
    if (count_distal(bones, o, n) > count_distal(bones, n, o)) {
        reverse(strip);
    }
    if (is_distal(bones, &o[0], &o[1])) {
        swap_places(&o[0], &o[1]);
    }
    if (count_distal(bones, o, n) > 0) {
        o[1].bone = o[0].bone; // the first is the proximal one
    }
    for (int i = 0; i < 2; ++i) {
        if (is_distal(bones, &o[0], &n[i])) {
            n[i].bone = is_distal(bones, &o[0], &n[1 - i]) ? o[0].bone : n[1 - i].bone;
        }
    }
}

sn_status sni_fit_places(sni_fit_bones *bones, const sni_fit_points *points,
                         const sni_fit_surface *surface, const double *alongs,
                         const sni_fit_strips *strips, sn_muscle_fit *fit, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t k = 0; k < fit->strip_count; ++k) {
        sn_fit_strip *strip = &fit->strips[k];
        strip_end end = {.low = strips->strips[k].low,
                         .high = strips->strips[k].high,
                         .length = strip_length(strip)};
        end.section = &strip->sections[0];
        SN_TRY(set_end(bones, points, surface, alongs, &end, strip->origins, &fit->guessed_origin,
                       &fit->origin_gap, error));
        end.section = &strip->sections[strip->slice_count - 1];
        end.is_last = true;
        SN_TRY(set_end(bones, points, surface, alongs, &end, strip->insertions,
                       &fit->guessed_insertion, &fit->insertion_gap, error));
    }
    orient(bones, fit);
    for (uint32_t k = 0; k < fit->strip_count; ++k) {
        mend_order(bones, &fit->strips[k]);
    }
cleanup:
    return status;
}
