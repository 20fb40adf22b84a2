// SPDX-License-Identifier: Apache-2.0
//
// Fibres for the mesh of a muscle (docs/fitting.md). sn_fit_muscle finds strips of sections, what
// they are attached to and what carries them. Each strip becomes a fibre:
//
//     axis         the middles of its sections, of which those are kept that segments carry and
//                  those without which it would leave the middles
//     exponents    those of the areas along the axis
//     width        that of the volume
//     section      the mean ratio of the sections' half-axes
#include "fit/muscle/fibre.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

// Sections of a strip where the desc does not say: enough to tell exponents apart.
enum { SECTIONS = 16, POINTS_MOST = SNI_FIT_SLICES_MOST + 2, THROUGH_MOST = 8 };

// The first and the last section are this part of the length away from the ends of the mesh.
static const double end_part = 0.02;

// The axis may leave the middles by this part of its length, or of half its mean thickness.
static const double slack_of_length = 0.006, slack_of_thickness = 0.15;

// Half-axes of sections differ at most by this ratio: an eccentricity of 0.995.
static const double flattest = 0.1;

// Fibres have the widths of their volumes where sampling agrees with these to this part.
static const double exact_enough = 0.02;

typedef struct builder {
    sn_context *context;
    const sn_muscle_fit_desc *desc;
    sni_arena arena;
    sni_fit_surface surface;
    sni_fit_bones bones;
    sn_muscle_fit *strips;
    sn_fibre_fit *result;
} builder;

// ---------------------------------------------------------------------------------------------
// Axis

typedef struct axis_draft {
    uint32_t count;
    sn_vec3 points[POINTS_MOST]; // ends of the mesh and the middles of sections, in the world
    double places[POINTS_MOST];  // along the kept points, metres
    bool kept[POINTS_MOST];
    uint32_t segments[POINTS_MOST]; // that carry kept points; SN_NONE: not known yet
    double length;                  // of the kept points
    double thickness;               // half, mean
} axis_draft;

static double section_area(const sn_fit_section *section) {
    return SN_PI * sn_vec3_length(section->wide) * sn_vec3_length(section->thick);
}

static void list_points(const sn_fit_strip *strip, axis_draft *draft) {
    uint32_t n = strip->slice_count;
    double way = 0, thin = 0, areas = 0;
    for (uint32_t i = 0; i < n; ++i) {
        const sn_fit_section *section = &strip->sections[i];
        double area = section_area(section);
        draft->points[i + 1] = section->center;
        thin += area * fmin(sn_vec3_length(section->wide), sn_vec3_length(section->thick));
        areas += area;
        if (i > 0) {
            way += sn_vec3_distance(strip->sections[i - 1].center, section->center);
        }
    }
    double tip = way * end_part / (1 - 2 * end_part);
    sn_vec3 none = {0, 0, 0}, *p = draft->points;
    p[0] = sn_vec3_add_scaled(p[1], tip, sn_vec3_normalize_or(sn_vec3_sub(p[1], p[2]), none));
    p[n + 1] =
        sn_vec3_add_scaled(p[n], tip, sn_vec3_normalize_or(sn_vec3_sub(p[n], p[n - 1]), none));
    draft->count = n + 2;
    draft->thickness = areas > 0 ? thin / areas : 0;
    draft->length = way + 2 * tip;
}

static double off_line(sn_vec3 from, sn_vec3 to, sn_vec3 p) {
    sn_vec3 way = sn_vec3_sub(to, from), off = sn_vec3_sub(p, from);
    double square = sn_vec3_dot(way, way);
    double t = square > 0 ? fmin(fmax(sn_vec3_dot(off, way) / square, 0), 1) : 0;
    return sn_vec3_length(sn_vec3_add_scaled(off, -t, way));
}

// The point, between two neighbouring kept ones, that is farthest from the line between them;
// SN_NONE where all are within `slack` of it.
static uint32_t find_farthest(const axis_draft *draft, double slack) {
    uint32_t from = 0, farthest = SN_NONE;
    double most = slack;
    for (uint32_t to = 1; to < draft->count; ++to) {
        if (!draft->kept[to]) {
            continue;
        }
        for (uint32_t i = from + 1; i < to; ++i) {
            double off = off_line(draft->points[from], draft->points[to], draft->points[i]);
            if (off > most) {
                most = off;
                farthest = i;
            }
        }
        from = to;
    }
    return farthest;
}

static void keep_points(const sn_fit_strip *strip, axis_draft *draft) {
    memset(draft->kept, 0, sizeof draft->kept);
    draft->kept[0] = draft->kept[draft->count - 1] = true;
    for (uint32_t i = 0; i < draft->count; ++i) {
        draft->segments[i] = SN_NONE;
    }
    uint32_t inner = 0;
    for (uint32_t i = 0; i < strip->pivot_count && inner < THROUGH_MOST; ++i) {
        uint32_t at = strip->pivots[i].slice + 1;
        draft->points[at] = strip->pivots[i].point;
        draft->segments[at] = strip->pivots[i].segment;
        draft->kept[at] = true;
        ++inner;
    }
    double slack = fmax(slack_of_length * draft->length, slack_of_thickness * draft->thickness);
    for (; inner < THROUGH_MOST; ++inner) {
        uint32_t farthest = find_farthest(draft, slack);
        if (farthest == SN_NONE) {
            break;
        }
        draft->kept[farthest] = true;
    }
}

// Places of all points along the kept ones: what lies between two of these is spread as it was.
static void measure_places(axis_draft *draft) {
    uint32_t from = 0;
    double start = 0;
    for (uint32_t to = 1; to < draft->count; ++to) {
        if (!draft->kept[to]) {
            continue;
        }
        double straight = sn_vec3_distance(draft->points[from], draft->points[to]), way = 0;
        for (uint32_t i = from; i < to; ++i) {
            draft->places[i] = way;
            way += sn_vec3_distance(draft->points[i], draft->points[i + 1]);
        }
        for (uint32_t i = from; i < to; ++i) {
            draft->places[i] = start + (way > 0 ? draft->places[i] / way * straight : 0);
        }
        start += straight;
        from = to;
    }
    draft->places[draft->count - 1] = draft->length = start;
}

// ---------------------------------------------------------------------------------------------
// What carries it

// Whether a segment lies on the way through the skeleton from one segment to another.
static bool is_between(const sni_fit_bones *bones, uint32_t segment, uint32_t a, uint32_t b) {
    bool above_a = sni_fit_is_above(bones, segment, a),
         above_b = sni_fit_is_above(bones, segment, b);
    if (above_a != above_b) {
        return true;
    }
    uint32_t common = a;
    while (common != SN_NONE && !sni_fit_is_above(bones, common, b)) {
        common = bones->parents[common];
    }
    return segment == common;
}

// The segment of the nearest bone, of those that lie between the ends of the muscle; else the end's
// whose bones are nearer.
static sn_status find_carrier(builder *b, sn_vec3 point, uint32_t origin, uint32_t insertion,
                              uint32_t *segment, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t bone;
    double first, second;
    SN_TRY(sni_fit_bones_nearest(&b->bones, point, SN_NONE, &bone, NULL, NULL, error));
    if (bone != SN_NONE && is_between(&b->bones, b->desc->bones[bone].segment, origin, insertion)) {
        *segment = b->desc->bones[bone].segment;
        goto cleanup;
    }
    SN_TRY(sni_fit_bones_nearest(&b->bones, point, origin, &bone, &first, NULL, error));
    SN_TRY(sni_fit_bones_nearest(&b->bones, point, insertion, &bone, &second, NULL, error));
    *segment = second < first ? insertion : origin;
cleanup:
    return status;
}

static sn_status take_through(builder *b, const axis_draft *draft, sn_fit_fibre *fibre,
                              sn_error *error) {
    sn_status status = SN_OK;
    uint32_t origin = b->desc->bones[fibre->origin.bone].segment;
    uint32_t insertion = b->desc->bones[fibre->insertion.bone].segment;
    SNI_NEW_ZERO(b->context, fibre->through, THROUGH_MOST);
    for (uint32_t i = 1; i + 1 < draft->count; ++i) {
        if (!draft->kept[i]) {
            continue;
        }
        SN_ASSERT(fibre->through_count < THROUGH_MOST);
        sn_fit_through *through = &fibre->through[fibre->through_count++];
        *through = (sn_fit_through){draft->segments[i], draft->points[i]};
        if (through->segment == SN_NONE) {
            SN_TRY(find_carrier(b, through->point, origin, insertion, &through->segment, error));
        }
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Shape

// The mean ratio of half-axes, and the wide directions in either half of the strip.
static void take_section(const sn_fit_strip *strip, sn_fit_fibre *fibre) {
    double sum = 0, weight = 0;
    for (uint32_t i = 0; i < strip->slice_count; ++i) {
        const sn_fit_section *s = &strip->sections[i];
        double wide = sn_vec3_length(s->wide), thick = sn_vec3_length(s->thick);
        double area = wide * thick;
        if (area > 0) {
            sum += area * log(thick / wide);
            weight += area;
        }
    }
    double ratio = weight > 0 ? exp(sum / weight) : 1;
    bool swapped = ratio > 1;
    ratio = fmax(swapped ? 1 / ratio : ratio, flattest);
    fibre->eccentricity = sqrt(1 - ratio * ratio);
    sn_vec3 sums[2] = {{0, 0, 0}, {0, 0, 0}};
    for (uint32_t i = 0; i < strip->slice_count; ++i) {
        const sn_fit_section *s = &strip->sections[i];
        int half = 2 * i >= strip->slice_count;
        sums[half] = sn_vec3_add(sums[half], swapped ? s->thick : s->wide);
    }
    for (int k = 0; k < 2; ++k) {
        fibre->normals[k] = sn_vec3_normalize_or(sums[k], sn_vec3_make(0, 1, 0));
    }
}

static void take_profile(const sn_fit_strip *strip, axis_draft *draft, sn_fit_fibre *fibre) {
    sni_fit_area areas[SNI_FIT_SLICES_MOST];
    for (uint32_t i = 0; i < strip->slice_count; ++i) {
        areas[i] = (sni_fit_area){draft->places[i + 1], section_area(&strip->sections[i])};
    }
    sni_fit_profile found = sni_fit_profile_find(areas, strip->slice_count, draft->length, false);
    uint32_t last = draft->count - 1, next = 1, before = last - 1;
    while (!draft->kept[next]) {
        ++next;
    }
    while (!draft->kept[before]) {
        --before;
    }
    sn_vec3 none = {0, 0, 0}, *p = draft->points;
    sn_vec3 first = sn_vec3_normalize_or(sn_vec3_sub(p[0], p[next]), none);
    sn_vec3 end = sn_vec3_normalize_or(sn_vec3_sub(p[last], p[before]), none);
    p[0] = sn_vec3_add_scaled(p[0], found.before, first);
    p[last] = sn_vec3_add_scaled(p[last], found.after, end);
    fibre->length = draft->length + found.before + found.after;
    fibre->volume = found.volume;
    fibre->exponents[0] = found.beta.a;
    fibre->exponents[1] = found.beta.b;
}

static sn_status make_fibre(builder *b, const sn_fit_strip *strip, sn_fit_fibre *fibre,
                            sn_error *error) {
    sn_status status = SN_OK;
    axis_draft *draft = NULL;
    SNI_FIT_TAKE(&b->arena, draft, 1);
    list_points(strip, draft);
    keep_points(strip, draft);
    measure_places(draft);
    if (!(draft->length > 0)) {
        SN_TRY(sni_fail(error, SN_INVALID, "a strip of the mesh has no length"));
    }
    take_profile(strip, draft, fibre);
    take_section(strip, fibre);
    fibre->origin = (sn_fit_place){strip->origins[0].bone, draft->points[0]};
    fibre->insertion = (sn_fit_place){strip->insertions[0].bone, draft->points[draft->count - 1]};
    SN_TRY(take_through(b, draft, fibre, error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// All together

// Volumes of the strips are made those of a closed mesh; then widths follow.
static void share_volume(builder *b) {
    sn_fibre_fit *fit = b->result;
    double sum = 0;
    for (uint32_t k = 0; k < fit->fibre_count; ++k) {
        sum += fit->fibres[k].volume;
    }
    double factor = b->strips->volume > 0 && sum > 0 ? b->strips->volume / sum : 1;
    fit->volume = factor * sum;
    for (uint32_t k = 0; k < fit->fibre_count; ++k) {
        sn_fit_fibre *fibre = &fit->fibres[k];
        fibre->volume *= factor;
        fibre->width = sqrt(fibre->volume / (SN_PI * fibre->length));
    }
}

static sn_status pose_spindle(builder *b, const sn_fit_fibre *fibre, sni_fit_spindle *spindle,
                              sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = fibre->through_count + 2;
    sn_vec3 *points, *normals;
    double *starts;
    SNI_FIT_TAKE(&b->arena, points, count);
    SNI_FIT_TAKE(&b->arena, normals, count);
    SNI_FIT_TAKE(&b->arena, starts, count);
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 p = i == 0           ? fibre->origin.point
                    : i + 1 == count ? fibre->insertion.point
                                     : fibre->through[i - 1].point;
        points[i] = sn_vec3_sub(p, b->surface.middle);
    }
    double length = sni_fibre_axis_measure(points, count, starts);
    sni_fibre_axis_normals(points, starts, count, fibre->normals[0], fibre->normals[1], normals);
    sni_beta beta = {fibre->exponents[0], fibre->exponents[1]};
    *spindle = (sni_fit_spindle){{count, points, normals, starts, length},
                                 sni_fibre_profile_make(beta, beta),
                                 fibre->width,
                                 fibre->eccentricity};
cleanup:
    return status;
}

// Fibres beside each other overlap, and kinks cost volume: one factor on all widths gives them the
// volume of the mesh. Those that have it already keep the widths of their volumes.
static sn_status compare(builder *b, sn_error *error) {
    sn_status status = SN_OK;
    sn_fibre_fit *fit = b->result;
    sni_fit_spindle *spindles = NULL;
    sni_fit_overlap overlap;
    double factor;
    SNI_FIT_TAKE(&b->arena, spindles, fit->fibre_count);
    for (uint32_t k = 0; k < fit->fibre_count; ++k) {
        SN_TRY(pose_spindle(b, &fit->fibres[k], &spindles[k], error));
    }
    SN_TRY(sni_fit_overlap_measure(&b->surface, b->context, spindles, fit->fibre_count, fit->volume,
                                   exact_enough, &factor, &overlap, error));
    for (uint32_t k = 0; k < fit->fibre_count; ++k) {
        fit->fibres[k].width *= factor;
        fit->fibres[k].volume *= factor * factor;
    }
    fit->volume_ratio = overlap.fibres / fmax(fit->volume, 1e-300);
    fit->overlap = overlap.overlap;
cleanup:
    return status;
}

static sn_status take_strips(builder *b, sn_error *error) {
    sn_status status = SN_OK;
    sn_fibre_fit *fit = b->result;
    SNI_NEW_ZERO(b->context, fit->fibres, b->strips->strip_count);
    for (uint32_t k = 0; k < b->strips->strip_count; ++k) {
        fit->fibre_count = k + 1;
        SN_TRY(make_fibre(b, &b->strips->strips[k], &fit->fibres[k], error));
    }
    share_volume(b);
cleanup:
    return status;
}

sn_status sn_fit_fibres(sn_context *context, const sn_muscle_fit_desc *desc, sn_fibre_fit **fit,
                        sn_error *error) {
    return sni_fit_fibres(context, desc, NULL, fit, error);
}

sn_status sni_fit_fibres(sn_context *context, const sn_muscle_fit_desc *desc,
                         const sni_bone_trees *trees, sn_fibre_fit **fit, sn_error *error) {
    sn_status status = SN_OK;
    builder *b = NULL;
    sn_muscle_fit_desc fine = *desc;
    fine.slices = fine.slices != 0 ? fine.slices : SECTIONS;
    *fit = NULL;
    SNI_NEW_ZERO(context, b, 1);
    b->context = context;
    b->desc = desc;
    sni_arena_init(&b->arena, context);
    SN_TRY(sni_fit_muscle(context, &fine, trees, &b->strips, error));
    SNI_NEW_ZERO(context, b->result, 1);
    b->result->context = context;
    SN_TRY(sni_fit_surface_init(&b->surface, context, &b->arena, desc->mesh, error));
    SN_TRY(
        sni_fit_bones_init(&b->bones, context, &b->arena, desc, trees, (sn_vec3){0, 0, 0}, error));
    SN_TRY(take_strips(b, error));
    SN_TRY(compare(b, error));
    b->result->strips = b->strips;
    b->strips = NULL;
    *fit = b->result;
    b->result = NULL;
cleanup:
    if (b != NULL) {
        sn_fibre_fit_destroy(b->result);
        sn_muscle_fit_destroy(b->strips);
        sni_fit_bones_deinit(&b->bones);
        sni_fit_surface_deinit(&b->surface);
        sni_arena_deinit(&b->arena);
        sni_free(context, b);
    }
    return status;
}

void sn_fibre_fit_destroy(sn_fibre_fit *fit) {
    if (fit == NULL) {
        return;
    }
    for (uint32_t k = 0; fit->fibres != NULL && k < fit->fibre_count; ++k) {
        sni_free(fit->context, fit->fibres[k].through);
    }
    sn_muscle_fit_destroy(fit->strips);
    sni_free(fit->context, fit->fibres);
    sni_free(fit->context, fit);
}
