// SPDX-License-Identifier: Apache-2.0
//
// Strips side by side: every cut across the muscle is divided into cells around the middles of the
// strips, which then move to the middles of their cells (Lloyd 1982), from the largest cut outwards
// so that strips go on from cut to cut.
#include "fit/muscle_fit.h"

#include <math.h>
#include <string.h>

enum { first_rounds = 24, next_rounds = 4 };

// The parts of a strip's length before the first and behind the last slice.
static const double end_part = 0.02;

// The middle of a cut's threads; needs no direction.
static sn_vec3 thread_middle(const sni_fit_contour *contour) {
    sn_vec3 sum = {0, 0, 0};
    double length = 0;
    for (uint32_t l = 0; l < contour->loop_count; ++l) {
        uint32_t begin = contour->starts[l], end = contour->starts[l + 1];
        for (uint32_t i = begin; i < end; ++i) {
            sn_vec3 a = contour->points[i], b = contour->points[i + 1 < end ? i + 1 : begin];
            double d = sn_vec3_distance(a, b);
            sum = sn_vec3_add_scaled(sum, d, sn_vec3_lerp(a, b, 0.5));
            length += d;
        }
    }
    return length > 0 ? sn_vec3_scale(sum, 1 / length) : sn_vec3_make(NAN, NAN, NAN);
}

// Directions from middles that may be missing: over two neighbours on either side.
static void set_directions(const sn_vec3 *middles, uint32_t count, sn_vec3 *directions) {
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t before = i, after = i;
        for (uint32_t j = i, found = 0; j > 0 && found < 2; --j) {
            if (sn_vec3_is_finite(middles[j - 1])) {
                before = j - 1;
                ++found;
            }
        }
        for (uint32_t j = i + 1, found = 0; j < count && found < 2; ++j) {
            if (sn_vec3_is_finite(middles[j])) {
                after = j;
                ++found;
            }
        }
        sn_vec3 fallback = i > 0 ? directions[i - 1] : sn_vec3_make(0, 0, 1);
        directions[i] =
            sn_vec3_normalize_or(sn_vec3_sub(middles[after], middles[before]), fallback);
    }
}

sn_status sni_fit_levels_init(sni_fit_levels *levels, const sni_fit_surface *surface,
                              sni_arena *arena, const double *along, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 middles[SNI_FIT_LEVELS];
    levels->low = INFINITY;
    levels->high = -INFINITY;
    for (uint32_t i = 0; i < surface->vertex_count; ++i) {
        levels->low = fmin(levels->low, along[i]);
        levels->high = fmax(levels->high, along[i]);
    }
    for (uint32_t j = 0; j < SNI_FIT_LEVELS; ++j) {
        levels->values[j] = levels->low + (levels->high - levels->low) * (j + 0.5) / SNI_FIT_LEVELS;
        SN_TRY(sni_fit_contour_cut(surface, arena, along, levels->values[j], &levels->contours[j],
                                   error));
        middles[j] = thread_middle(&levels->contours[j]);
    }
    set_directions(middles, SNI_FIT_LEVELS, levels->directions);
    for (uint32_t j = 0; j < SNI_FIT_LEVELS; ++j) {
        SN_TRY(sni_fit_contour_measure(surface, arena, &levels->contours[j], NULL, 0,
                                       levels->directions[j], &levels->whole[j], error));
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Cells

typedef struct division {
    uint32_t count;
    sn_vec3 centers[SNI_FIT_STRIPS_MOST][SNI_FIT_LEVELS];
} division;

// The half spaces nearer to center k than to any other.
static uint32_t cell_halves(const sn_vec3 *centers, uint32_t count, uint32_t k,
                            sni_fit_half *halves) {
    uint32_t half_count = 0;
    for (uint32_t other = 0; other < count; ++other) {
        if (other != k) {
            sn_vec3 normal = sn_vec3_sub(centers[other], centers[k]);
            sn_vec3 middle = sn_vec3_lerp(centers[other], centers[k], 0.5);
            halves[half_count++] = (sni_fit_half){normal, sn_vec3_dot(normal, middle)};
        }
    }
    return half_count;
}

static sn_status move_centers(const sni_fit_surface *surface, sni_arena *arena,
                              const sni_fit_levels *levels, uint32_t j, uint32_t count,
                              uint32_t rounds, sn_vec3 *centers, sn_error *error) {
    sn_status status = SN_OK;
    sni_fit_half halves[SNI_FIT_STRIPS_MOST];
    for (uint32_t round = 0; round < rounds; ++round) {
        sn_vec3 moved[SNI_FIT_STRIPS_MOST];
        for (uint32_t k = 0; k < count; ++k) {
            sni_fit_moments cell;
            uint32_t half_count = cell_halves(centers, count, k, halves);
            SN_TRY(sni_fit_contour_measure(surface, arena, &levels->contours[j], halves, half_count,
                                           levels->directions[j], &cell, error));
            moved[k] = cell.area > 0 ? cell.center : centers[k];
        }
        memcpy(centers, moved, sizeof *centers * count);
    }
cleanup:
    return status;
}

// From a level whose centers are known to the next one, j.
static sn_status carry_on(const sni_fit_surface *surface, sni_arena *arena,
                          const sni_fit_levels *levels, uint32_t from, uint32_t j, division *d,
                          sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 centers[SNI_FIT_STRIPS_MOST];
    const sni_fit_moments *here = &levels->whole[from], *there = &levels->whole[j];
    bool known = here->area > 0 && there->area > 0;
    sn_vec3 step = known ? sn_vec3_sub(there->center, here->center) : sn_vec3_make(0, 0, 0);
    for (uint32_t k = 0; k < d->count; ++k) {
        centers[k] = sn_vec3_add(d->centers[k][from], step);
    }
    SN_TRY(move_centers(surface, arena, levels, j, d->count, next_rounds, centers, error));
    for (uint32_t k = 0; k < d->count; ++k) {
        d->centers[k][j] = centers[k];
    }
cleanup:
    return status;
}

static sn_status divide(const sni_fit_surface *surface, sni_arena *arena,
                        const sni_fit_levels *levels, uint32_t count, division *d,
                        sn_error *error) {
    sn_status status = SN_OK;
    uint32_t widest = SNI_FIT_LEVELS / 2;
    sn_vec3 centers[SNI_FIT_STRIPS_MOST];
    for (uint32_t j = SNI_FIT_LEVELS / 4; j < SNI_FIT_LEVELS - SNI_FIT_LEVELS / 4; ++j) {
        widest = sn_vec3_length(levels->whole[j].wide) > sn_vec3_length(levels->whole[widest].wide)
                     ? j
                     : widest;
    }
    d->count = count;
    for (uint32_t k = 0; k < count; ++k) {
        double across = (2 * k + 1.0) / count - 1;
        centers[k] =
            sn_vec3_add_scaled(levels->whole[widest].center, across, levels->whole[widest].wide);
    }
    SN_TRY(move_centers(surface, arena, levels, widest, count, first_rounds, centers, error));
    for (uint32_t k = 0; k < count; ++k) {
        d->centers[k][widest] = centers[k];
    }
    for (uint32_t j = widest; j > 0; --j) {
        SN_TRY(carry_on(surface, arena, levels, j, j - 1, d, error));
    }
    for (uint32_t j = widest; j + 1 < SNI_FIT_LEVELS; ++j) {
        SN_TRY(carry_on(surface, arena, levels, j, j + 1, d, error));
    }
cleanup:
    return status;
}

// The strips' middles at any value of the coordinate, on straight lines between the levels.
static void centers_at(const division *d, const sni_fit_levels *levels, double value,
                       sn_vec3 *centers) {
    double place = (value - levels->values[0]) / (levels->values[1] - levels->values[0]);
    double at = fmin(fmax(place, 0), SNI_FIT_LEVELS - 1.000001);
    uint32_t j = isfinite(at) ? (uint32_t)at : 0;
    for (uint32_t k = 0; k < d->count; ++k) {
        centers[k] = sn_vec3_lerp(d->centers[k][j], d->centers[k][j + 1], at - j);
    }
}

// ---------------------------------------------------------------------------------------------
// Sections

// From where to where the strips go: over the vertices that each is the nearest to.
static void find_ranges(sni_fit_strips *strips, const sni_fit_surface *surface, const double *along,
                        const sni_fit_levels *levels, const division *d) {
    sn_vec3 centers[SNI_FIT_STRIPS_MOST];
    for (uint32_t k = 0; k < strips->count; ++k) {
        strips->strips[k].low = INFINITY;
        strips->strips[k].high = -INFINITY;
    }
    for (uint32_t i = 0; i < surface->vertex_count; ++i) {
        uint32_t nearest = 0;
        double best = INFINITY;
        centers_at(d, levels, along[i], centers);
        for (uint32_t k = 0; k < d->count; ++k) {
            double distance = sn_vec3_distance(centers[k], surface->points[i]);
            if (distance < best) {
                best = distance;
                nearest = k;
            }
        }
        strips->strips[nearest].low = fmin(strips->strips[nearest].low, along[i]);
        strips->strips[nearest].high = fmax(strips->strips[nearest].high, along[i]);
    }
}

static double length_of(const sni_fit_sections *strip) {
    double length = 0;
    for (uint32_t i = 0; i + 1 < strip->count; ++i) {
        length += sn_vec3_distance(strip->sections[i].center, strip->sections[i + 1].center);
    }
    return length;
}

// Values between both ends of the strip; somewhat denser towards them, where sections change most.
static void set_levels(sni_fit_sections *strip) {
    for (uint32_t i = 0; i < strip->count; ++i) {
        double t = (double)i / (strip->count - 1);
        double denser = 0.5 - 0.5 * cos(SN_PI * t);
        double part = end_part + (1 - 2 * end_part) * (0.6 * t + 0.4 * denser);
        strip->levels[i] = strip->low + part * (strip->high - strip->low);
    }
}

// Sections that were not found come from their neighbours.
static void fill_gaps(sni_fit_sections *strip, const bool *found) {
    for (uint32_t i = 0; i < strip->count; ++i) {
        if (found[i]) {
            continue;
        }
        uint32_t before = i, after = i;
        while (before > 0 && !found[before]) {
            --before;
        }
        while (after + 1 < strip->count && !found[after]) {
            ++after;
        }
        before = found[before] ? before : after;
        after = found[after] ? after : before;
        double t = after > before ? (double)(i - before) / (after - before) : 0;
        const sn_fit_section *a = &strip->sections[before], *b = &strip->sections[after];
        double sign = sn_vec3_dot(a->wide, b->wide) < 0 ? -1 : 1;
        strip->sections[i] = (sn_fit_section){
            sn_vec3_lerp(a->center, b->center, t),
            sn_vec3_lerp(a->wide, sn_vec3_scale(b->wide, sign), t),
            sn_vec3_lerp(a->thick, sn_vec3_scale(b->thick, sign), t),
        };
    }
}

// The ellipse with the moments' axes and the cut's area.
static sn_fit_section section_of(const sni_fit_moments *m) {
    double area = SN_PI * sn_vec3_length(m->wide) * sn_vec3_length(m->thick);
    double scale = area > 0 ? fmin(sqrt(m->area / area), 1.5) : 1;
    return (sn_fit_section){m->center, sn_vec3_scale(m->wide, scale),
                            sn_vec3_scale(m->thick, scale)};
}

// Measures the cells of one strip; the second time with the directions that the first one gave.
static sn_status measure_strip(sni_fit_sections *strip, const sni_fit_surface *surface,
                               sni_arena *arena, const double *along, const sni_fit_levels *levels,
                               const division *d, uint32_t k, sn_error *error) {
    sn_status status = SN_OK;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    sni_fit_contour contours[SNI_FIT_SLICES_MOST];
    sn_vec3 middles[SNI_FIT_SLICES_MOST], directions[SNI_FIT_SLICES_MOST];
    bool found[SNI_FIT_SLICES_MOST];
    for (uint32_t i = 0; i < strip->count; ++i) {
        double place = (strip->levels[i] - levels->low) / (levels->high - levels->low);
        uint32_t j = (uint32_t)fmin(fmax(place * SNI_FIT_LEVELS, 0), SNI_FIT_LEVELS - 1);
        directions[i] = levels->directions[j];
        SN_TRY(sni_fit_contour_cut(surface, arena, along, strip->levels[i], &contours[i], error));
    }
    for (int round = 0; round < 2; ++round) {
        bool any = false;
        for (uint32_t i = 0; i < strip->count; ++i) {
            sni_fit_moments cell;
            sni_fit_half halves[SNI_FIT_STRIPS_MOST];
            sn_vec3 centers[SNI_FIT_STRIPS_MOST];
            centers_at(d, levels, strip->levels[i], centers);
            uint32_t half_count = cell_halves(centers, d->count, k, halves);
            SN_TRY(sni_fit_contour_measure(surface, arena, &contours[i], halves, half_count,
                                           directions[i], &cell, error));
            found[i] = cell.area > 0;
            any = any || found[i];
            strip->sections[i] = section_of(&cell);
            middles[i] = found[i] ? cell.center : sn_vec3_make(NAN, NAN, NAN);
        }
        if (!any) {
            strip->count = 0;
            break;
        }
        set_directions(middles, strip->count, directions);
    }
    if (strip->count > 0) {
        fill_gaps(strip, found);
    }
cleanup:
    sni_arena_release(arena, mark);
    return status;
}

sn_status sni_fit_strips_find(sni_fit_strips *strips, const sni_fit_surface *surface,
                              sni_arena *arena, const double *along, const sni_fit_levels *levels,
                              uint32_t count, uint32_t slices, sn_error *error) {
    sn_status status = SN_OK;
    division *d = NULL;
    SNI_FIT_TAKE(arena, d, 1);
    strips->count = count;
    SN_TRY(divide(surface, arena, levels, count, d, error));
    find_ranges(strips, surface, along, levels, d);
    double thinnest = 1e-3 * surface->size;
    for (uint32_t k = 0; k < count; ++k) {
        sni_fit_sections *strip = &strips->strips[k];
        strip->count = strip->high > strip->low ? slices : 0;
        set_levels(strip);
        if (strip->count > 0) {
            SN_TRY(measure_strip(strip, surface, arena, along, levels, d, k, error));
        }
        if (strip->count > 0 && length_of(strip) < 1e-3 * surface->size) {
            strip->count = 0;
        }
        if (strip->count > 0) {
            sni_fit_sections_smooth(strip, thinnest);
        }
    }
cleanup:
    return status;
}
