// SPDX-License-Identifier: Apache-2.0
//
// Hems: parts of a sheet's rim that lie on bone.
//
// Where nothing tells how the fibres of a sheet run, strips go its long way, and may have bones
// along their sides: the trapezius has the spine, the serratus ribs on one side and the shoulder
// blade on the other. A narrow strip along such a side, carried by these bones alone, holds the
// sheet there; between two hems it is stretched across.
#include "fit/muscle/fit.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

// All strips of a sheet together, side by side, are wider than this part of their length.
static const double sheet_part = 0.2;

// Where a hem runs, where the rim is, and where nothing is beyond it, in half widths: the ellipse
// of a rectangle is 2 / sqrt(3) as wide. A side is a rim where most slices are farther from the
// surface there than `beyond_least` half widths; within a sheet it is half of its thickness.
static const double hem_at = 0.85, rim_at = 1, beyond_at = 1.2, beyond_least = 0.16;

// How near to bone a rim is for that bone to be looked at, beyond its thickness, and how near the
// surface is to it there; nearer to bones of the segment of an insertion, which muscles pass by on
// their way. Those and the shortest hem are in lengths of the strip; half widths of a hem in those
// of the strip; the least ratio of width and thickness.
static const double hem_reach = 0.04, hem_gap = 0.02, insertion_gap = 0.004, hem_least = 0.08;
static const double hem_width = 0.35, flat_ratio = 1.5;

enum { gap_most = 4 }; // slices

typedef struct rim {
    sni_fit_bones *bones;
    const sni_fit_surface *surface;
    sn_muscle_fit *fit;
    uint32_t strip;
    double side, length;              // -1 or 1 along `wide`; of the strip
    uint32_t on[SNI_FIT_SLICES_MOST]; // bone that the rim of each slice lies on; SN_NONE: none
} rim;

static double length_of(const sn_fit_section *sections, uint32_t count) {
    double length = 0;
    for (uint32_t i = 0; i + 1 < count; ++i) {
        length += sn_vec3_distance(sections[i].center, sections[i + 1].center);
    }
    return length;
}

static sn_vec3 rim_point(const rim *r, const sn_fit_section *section, double at) {
    return sn_vec3_add_scaled(section->center, r->side * at, section->wide);
}

static bool is_sheet(const sn_muscle_fit *fit) {
    double width = 0, length = 0;
    for (uint32_t k = 0; k < fit->strip_count; ++k) {
        const sn_fit_strip *strip = &fit->strips[k];
        double widest = 0;
        for (uint32_t i = 0; i < strip->slice_count; ++i) {
            widest = fmax(widest, 2 * sn_vec3_length(strip->sections[i].wide));
        }
        width += widest;
        length += length_of(strip->sections, strip->slice_count) / fit->strip_count;
    }
    return width > sheet_part * length;
}

// Whether nothing of the muscle is beyond this side of the strip, where it is wide.
static bool is_rim(const rim *r) {
    const sn_fit_strip *strip = &r->fit->strips[r->strip];
    double free = 0, all = 0;
    for (uint32_t i = 0; i < strip->slice_count; ++i) {
        const sn_fit_section *section = &strip->sections[i];
        double wide = sn_vec3_length(section->wide);
        sn_closest closest;
        sn_accel_find_closest(r->surface->accel, rim_point(r, section, beyond_at), INFINITY,
                              &closest);
        free += closest.distance > beyond_least * wide ? wide : 0;
        all += wide;
    }
    return 2 * free > all;
}

static bool is_inserted_on(const rim *r, uint32_t bone) {
    const sn_fit_place *places = r->fit->strips[r->strip].insertions;
    uint32_t segment = r->bones->bones[bone].segment;
    return segment == r->bones->bones[places[0].bone].segment ||
           segment == r->bones->bones[places[1].bone].segment;
}

// The bone that a slice's rim lies on.
static sn_status find_bone(rim *r, const sn_fit_section *section, uint32_t *bone, sn_error *error) {
    sn_status status = SN_OK;
    double thick = sn_vec3_length(section->thick), distance;
    sn_vec3 on_bone;
    sn_closest closest;
    *bone = SN_NONE;
    if (sn_vec3_length(section->wide) < flat_ratio * thick) {
        return SN_OK;
    }
    SN_TRY(sni_fit_bones_nearest(r->bones, rim_point(r, section, rim_at), SN_NONE, bone, &distance,
                                 &on_bone, error));
    if (*bone == SN_NONE) {
        return SN_OK;
    }
    sn_accel_find_closest(r->surface->accel, on_bone, INFINITY, &closest);
    double gap = is_inserted_on(r, *bone) ? insertion_gap : hem_gap;
    if (distance - thick > hem_reach * r->length || closest.distance > gap * r->length) {
        *bone = SN_NONE;
    }
cleanup:
    return status;
}

// Sections along the rim from slice `first` to `last`, at least as many as a strip needs.
static void set_sections(const rim *r, uint32_t first, uint32_t last, sn_fit_strip *hem) {
    const sn_fit_section *from = r->fit->strips[r->strip].sections;
    for (uint32_t i = 0; i < hem->slice_count; ++i) {
        double at = first + (double)(last - first) * i / (hem->slice_count - 1);
        uint32_t k = (uint32_t)fmin(at, last - 1);
        double t = at - k;
        sn_fit_section *section = &hem->sections[i];
        section->center =
            sn_vec3_lerp(rim_point(r, &from[k], hem_at), rim_point(r, &from[k + 1], hem_at), t);
        section->wide = sn_vec3_scale(sn_vec3_lerp(from[k].wide, from[k + 1].wide, t), hem_width);
        section->thick = sn_vec3_lerp(from[k].thick, from[k + 1].thick, t);
        // Axes of two sections between which a mean is taken need not stay perpendicular.
        double across =
            sn_vec3_dot(section->thick, section->wide) / sn_vec3_dot(section->wide, section->wide);
        section->thick = sn_vec3_add_scaled(section->thick, -across, section->wide);
    }
}

static void attach_end(const sn_fit_section *section, uint32_t bone, sn_fit_place *places) {
    for (int i = 0; i < 2; ++i) {
        places[i].bone = bone;
        places[i].point = sn_vec3_add_scaled(section->center, i == 0 ? -0.3 : 0.3, section->wide);
    }
}

static sn_status add_hem(rim *r, uint32_t first, uint32_t last, sn_error *error) {
    sn_status status = SN_OK;
    sn_muscle_fit *fit = r->fit;
    const sn_fit_section *from = fit->strips[r->strip].sections;
    if (first == last || length_of(&from[first], last - first + 1) < hem_least * r->length) {
        return SN_OK;
    }
    sn_fit_strip hem = {.slice_count = last - first + 1};
    hem.slice_count =
        hem.slice_count < SNI_FIT_SLICES_LEAST ? SNI_FIT_SLICES_LEAST : hem.slice_count;
    SNI_NEW(fit->context, hem.sections, hem.slice_count);
    set_sections(r, first, last, &hem);
    attach_end(&hem.sections[0], r->on[first], hem.origins);
    attach_end(&hem.sections[hem.slice_count - 1], r->on[last], hem.insertions);
    if (!sni_grow_by_one(fit->context, &fit->hems, fit->hem_count, sizeof *fit->hems)) {
        sni_free(fit->context, hem.sections);
        return sni_fail_memory(error);
    }
    fit->hems[fit->hem_count++] = hem;
cleanup:
    return status;
}

static uint32_t segment_on(const rim *r, uint32_t slice) {
    return r->on[slice] == SN_NONE ? SN_NONE : r->bones->bones[r->on[slice]].segment;
}

// A rim that leaves the bones of a segment and soon comes back to them is held between, too.
static void close_gaps(rim *r, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        uint32_t next = i;
        while (next < count && r->on[next] == SN_NONE) {
            ++next;
        }
        if (next < count && next - i <= gap_most && segment_on(r, next) == segment_on(r, i - 1)) {
            for (; i < next; ++i) {
                r->on[i] = r->on[i - 1];
            }
        }
    }
}

// Hems of one side of one strip: as long as its rim lies on bones of one segment.
static sn_status hem_side(rim *r, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = r->fit->strips[r->strip].slice_count;
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(find_bone(r, &r->fit->strips[r->strip].sections[i], &r->on[i], error));
    }
    close_gaps(r, count);
    for (uint32_t first = 0, last; first < count; first = last + 1) {
        for (last = first; last + 1 < count && segment_on(r, last + 1) == segment_on(r, first);) {
            ++last;
        }
        if (r->on[first] != SN_NONE) {
            SN_TRY(add_hem(r, first, last, error));
        }
    }
cleanup:
    return status;
}

sn_status sni_fit_hems(sni_fit_bones *bones, const sni_fit_surface *surface, sn_muscle_fit *fit,
                       sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t k = 0; k < fit->strip_count && is_sheet(fit); ++k) {
        for (int side = -1; side <= 1; side += 2) {
            rim r = {.bones = bones, .surface = surface, .fit = fit, .strip = k, .side = side};
            r.length = length_of(fit->strips[k].sections, fit->strips[k].slice_count);
            if (is_rim(&r)) {
                SN_TRY(hem_side(&r, error));
            }
        }
    }
cleanup:
    return status;
}
