// SPDX-License-Identifier: Apache-2.0
//
// Strips side by side: every cut across the muscle is divided into cells around the middles of the
// strips, which then move to the middles of their cells (Lloyd 1982), from the largest cut outwards
// so that strips go on from cut to cut.
#include "fit/muscle/fit.h"

#include <math.h>
#include <string.h>

enum { first_rounds = 24, next_rounds = 4 };

// The parts of a strip's length before the first and behind the last slice.
static const double end_part = 0.02;

// The shortest strip and the thinnest section, in sizes of the mesh.
static const double length_least = 0.02, thinnest = 1e-3;

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
    levels->along = along;
    SNI_FIT_TAKE(arena, levels->lows, surface->triangle_count);
    SNI_FIT_TAKE(arena, levels->highs, surface->triangle_count);
    sni_fit_spans(surface, along, levels->lows, levels->highs);
    levels->low = INFINITY;
    levels->high = -INFINITY;
    for (uint32_t i = 0; i < surface->vertex_count; ++i) {
        levels->low = fmin(levels->low, along[i]);
        levels->high = fmax(levels->high, along[i]);
    }
    for (uint32_t j = 0; j < SNI_FIT_LEVELS; ++j) {
        sni_fit_contour *contour = &levels->contours[j];
        levels->values[j] = levels->low + (levels->high - levels->low) * (j + 0.5) / SNI_FIT_LEVELS;
        SN_TRY(sni_fit_contour_cut(surface, arena, levels, levels->values[j], contour, error));
        SN_TRY(sni_fit_contour_middle(surface, arena, contour, NULL, 0, &levels->areas[j],
                                      &levels->middles[j], error));
        levels->extents[j] = sni_fit_contour_extent(contour);
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
            double area;
            uint32_t half_count = cell_halves(centers, count, k, halves);
            SN_TRY(sni_fit_contour_middle(surface, arena, &levels->contours[j], halves, half_count,
                                          &area, &moved[k], error));
            moved[k] = area > 0 ? moved[k] : centers[k];
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
    bool known = levels->areas[from] > 0 && levels->areas[j] > 0;
    sn_vec3 step =
        known ? sn_vec3_sub(levels->middles[j], levels->middles[from]) : sn_vec3_make(0, 0, 0);
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

// Cells settle a little differently in every cut; their middles are made smooth, 1 : 2 : 1, twice.
static void smooth_centers(division *d) {
    for (uint32_t k = 0; k < 2 * d->count; ++k) {
        sn_vec3 *centers = d->centers[k / 2], before = centers[0];
        for (uint32_t j = 1; j + 1 < SNI_FIT_LEVELS; ++j) {
            sn_vec3 sum = sn_vec3_add(before, centers[j + 1]);
            before = centers[j];
            centers[j] = sn_vec3_scale(sn_vec3_add_scaled(sum, 2, centers[j]), 0.25);
        }
    }
}

static sn_status divide(const sni_fit_surface *surface, sni_arena *arena,
                        const sni_fit_levels *levels, uint32_t count, division *d,
                        sn_error *error) {
    sn_status status = SN_OK;
    uint32_t widest = SNI_FIT_LEVELS / 2;
    sn_vec3 centers[SNI_FIT_STRIPS_MOST];
    for (uint32_t j = SNI_FIT_LEVELS / 4; j < SNI_FIT_LEVELS - SNI_FIT_LEVELS / 4; ++j) {
        widest = sn_vec3_length(levels->extents[j]) > sn_vec3_length(levels->extents[widest])
                     ? j
                     : widest;
    }
    d->count = count;
    for (uint32_t k = 0; k < count; ++k) {
        double across = (2 * k + 1.0) / count - 1;
        centers[k] = sn_vec3_add_scaled(levels->middles[widest], across, levels->extents[widest]);
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
    smooth_centers(d);
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

// Where the slices of a strip stand: denser where its middle bends, and towards its ends, where
// sections change most. `k` is the strip's number in the division.
static void set_levels(sni_fit_sections *strip, const sni_fit_levels *levels, const division *d,
                       uint32_t k) {
    enum { steps = 64 };
    static const double bend_weight = 0.35; // of the whole when a strip turns by half a circle
    double sums[steps + 1] = {0};
    sn_vec3 centers[SNI_FIT_STRIPS_MOST], last, before = {0, 0, 0};
    double length = 0, ways[steps], turns[steps] = {0};
    for (uint32_t i = 0; i <= steps; ++i) {
        double part = end_part + (1 - 2 * end_part) * i / steps;
        centers_at(d, levels, strip->low + part * (strip->high - strip->low), centers);
        if (i > 0) {
            sn_vec3 way = sn_vec3_sub(centers[k], last);
            sn_vec3 unit = sn_vec3_normalize_or(way, before);
            ways[i - 1] = sn_vec3_length(way);
            if (i > 1) { // half of a turn belongs to either step beside it
                double turn = acos(fmin(fmax(sn_vec3_dot(unit, before), -1), 1));
                turns[i - 2] += turn / 2;
                turns[i - 1] += turn / 2;
            }
            length += ways[i - 1];
            before = unit;
        }
        last = centers[k];
    }
    for (uint32_t i = 0; i < steps; ++i) {
        double t = (i + 0.5) / steps;
        double even = length > 0 ? ways[i] / length : 1.0 / steps;
        double denser = cos(SN_PI * (t - 0.5)); // 1 in the middle, 0 at the ends
        sums[i + 1] = sums[i] + (0.4 * even + 0.6 / steps) / (0.6 + 0.4 * denser) +
                      bend_weight * turns[i] / SN_PI;
    }
    for (uint32_t i = 0, j = 0; i < strip->count; ++i) {
        double goal = sums[steps] * i / (strip->count - 1);
        while (j + 1 < steps && sums[j + 1] < goal) {
            ++j;
        }
        double t = (j + fmin((goal - sums[j]) / (sums[j + 1] - sums[j]), 1)) / steps;
        double part = end_part + (1 - 2 * end_part) * t;
        strip->levels[i] = strip->low + part * (strip->high - strip->low);
    }
}

static void drop_slice(sni_fit_sections *strip, uint32_t slice) {
    --strip->count;
    for (uint32_t i = slice; i < strip->count; ++i) {
        strip->sections[i] = strip->sections[i + 1];
        strip->levels[i] = strip->levels[i + 1];
    }
}

// The cosine of the turn at a slice; 1 at the ends.
static double turn_at(const sni_fit_sections *strip, uint32_t i) {
    if (i == 0 || i + 1 >= strip->count) {
        return 1;
    }
    sn_vec3 zero = {0, 0, 0};
    sn_vec3 a = sn_vec3_sub(strip->sections[i].center, strip->sections[i - 1].center);
    sn_vec3 b = sn_vec3_sub(strip->sections[i + 1].center, strip->sections[i].center);
    return sn_vec3_dot(sn_vec3_normalize_or(a, zero), sn_vec3_normalize_or(b, zero));
}

// Where cells begin or end their middles can jump: slices there are left out. Between them a strip
// may bend sharply, but not turn back.
static void drop_kinks(sni_fit_sections *strip) {
    static const double end_cosine = 0.4, inner_cosine = -0.2;
    while (strip->count > SNI_FIT_SLICES_LEAST) {
        uint32_t last = strip->count - 1, drop = SN_NONE;
        double worst = inner_cosine;
        for (uint32_t i = 1; i < last; ++i) {
            if (turn_at(strip, i) < worst) {
                worst = turn_at(strip, i);
                drop = i;
            }
        }
        if (turn_at(strip, 1) < end_cosine) {
            drop = 0;
        } else if (turn_at(strip, last - 1) < end_cosine) {
            drop = last;
        }
        if (drop == SN_NONE) {
            return;
        }
        drop_slice(strip, drop);
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
                               sni_arena *arena, const sni_fit_levels *levels, const division *d,
                               uint32_t k, sn_error *error) {
    sn_status status = SN_OK;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    sni_fit_contour contours[SNI_FIT_SLICES_MOST];
    sn_vec3 middles[SNI_FIT_SLICES_MOST], directions[SNI_FIT_SLICES_MOST];
    bool found[SNI_FIT_SLICES_MOST];
    for (uint32_t i = 0; i < strip->count; ++i) {
        sn_vec3 centers[SNI_FIT_STRIPS_MOST];
        centers_at(d, levels, strip->levels[i], centers);
        middles[i] = centers[k];
        SN_TRY(sni_fit_contour_cut(surface, arena, levels, strip->levels[i], &contours[i], error));
    }
    set_directions(middles, strip->count, directions);
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
    for (uint32_t i = strip->count; i > 0; --i) {
        if (!found[i - 1]) {
            drop_slice(strip, i - 1);
        }
    }
    drop_kinks(strip);
    strip->count = strip->count < SNI_FIT_SLICES_LEAST ? 0 : strip->count;
cleanup:
    sni_arena_release(arena, mark);
    return status;
}

sn_status sni_fit_strips_find(sni_fit_strips *strips, const sni_fit_surface *surface,
                              sni_arena *arena, const double *along, const sni_fit_levels *levels,
                              uint32_t count, uint32_t slices, sn_error *error) {
    SN_ASSERT(count >= 1 && count <= SNI_FIT_STRIPS_MOST);
    SN_ASSERT(slices >= 1 && slices <= SNI_FIT_SLICES_MOST);
    sn_status status = SN_OK;
    division *d = NULL;
    SNI_FIT_TAKE(arena, d, 1);
    strips->count = count;
    SN_TRY(divide(surface, arena, levels, count, d, error));
    find_ranges(strips, surface, along, levels, d);
    // Cells that make no strip are left out: their neighbours are near.
    uint32_t made = 0;
    for (uint32_t k = 0; k < count; ++k) {
        sni_fit_sections *strip = &strips->strips[k];
        strip->count = strip->high > strip->low ? slices : 0;
        if (strip->count > 0) {
            set_levels(strip, levels, d, k);
            SN_TRY(measure_strip(strip, surface, arena, levels, d, k, error));
        }
        if (strip->count > 0 && length_of(strip) > length_least * surface->size) {
            sni_fit_sections_smooth(strip, thinnest * surface->size);
            strips->strips[made++] = *strip;
        }
    }
    strips->count = made;
cleanup:
    return status;
}
