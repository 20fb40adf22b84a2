// SPDX-License-Identifier: Apache-2.0
//
// The surface of a fibre muscle, and what its field needs: all control points.
//
// Rings stand at even parts s of the length. At the angle t a ring of several fibres is between the
// fibres (1 + sin t) / 2 of the way from the first to the last, so that it goes once around all of
// them, along the outermost ones at its sides:
//
//     p(t) = c + b cos(t) thin + a sin(t) wide,   a = w Phi(s) / u,   b = w Phi(s) u
//
// with centre, directions and half axes interpolated between the two fibres. Of one fibre this is
// its elliptical section.
#include "muscle/fibre/fibre.h"

#include "muscle/carried.h"

#include <math.h>
#include <string.h>

static uint32_t row_points(const sni_fibre *f) {
    return 2 * f->particle_count + 2 + (f->particle_count + 2) / 3;
}

uint32_t sni_fibre_point_count(const sni_fibre *f) {
    return sni_rings_point_count(&f->rings) + f->fibre_count * row_points(f);
}

static size_t row_start(const sni_fibre *f, uint32_t number) {
    return sni_rings_point_count(&f->rings) + (size_t)number * row_points(f);
}

sni_fibre_row sni_fibre_row_of(const sni_fibre *f, double *points, uint32_t number) {
    double *row = points + 3 * row_start(f, number);
    size_t numbers = 3 * (size_t)f->particle_count;
    return (sni_fibre_row){.particles = (sn_vec3 *)row,
                           .normals = (sn_vec3 *)(row + numbers),
                           .section = row + 2 * numbers,
                           .starts = row + 2 * numbers + 6};
}

void sni_fibre_read(const sni_fibre *f, const double *points, uint32_t number, sni_fibre_axis *axis,
                    sni_fibre_section *section, double *radius) {
    const double *row = points + 3 * row_start(f, number);
    size_t numbers = 3 * (size_t)f->particle_count;
    const double *sizes = row + 2 * numbers;
    *axis = (sni_fibre_axis){.point_count = f->particle_count,
                             .points = (const sn_vec3 *)row,
                             .normals = (const sn_vec3 *)(row + numbers),
                             .starts = sizes + 6,
                             .length = sizes[4]};
    *section = (sni_fibre_section){.profile = &f->profile,
                                   .width = sizes[0],
                                   .activation = sizes[1],
                                   .eccentricity = sizes[2]};
    *radius = sizes[3];
}

// The support of the field reaches as far as the belly is thick, the same for all fibres, so that
// their union is even.
static void write_size(const sni_fibre *f, const sni_fibre_values *values,
                       const sni_fibre_posed *posed, double most, uint32_t number, double *points) {
    sni_fibre_row row = sni_fibre_row_of(f, points, number);
    double rest = f->rest_lengths[number], length = row.section[4];
    double volume = SN_PI * values->width * values->width * rest;
    double width = posed->relaxed ? values->width : sni_fibre_width(volume, length, rest);
    width *= values->bulge * posed->scale;
    row.section[0] = width;
    row.section[3] = width * most;
}

// All of it but for sizes, which depend on the scale.
static void write_row(const sni_fibre *f, const sni_fibre_values *values,
                      const sni_fibre_posed *posed, uint32_t number, double *points) {
    sni_fibre_row row = sni_fibre_row_of(f, points, number);
    uint32_t count = f->particle_count;
    memset(row.starts, 0, 3 * (size_t)((count + 2) / 3) * sizeof *row.starts);
    memcpy(row.particles, posed->particles + (size_t)number * count, count * sizeof *row.particles);
    double length = sni_fibre_axis_measure(row.particles, count, row.starts);
    sni_fibre_axis_normals(row.particles, row.starts, count, posed->wide[0], posed->wide[1],
                           row.normals);
    double active = posed->relaxed ? 0 : posed->activation;
    double section[6] = {
        0, active, (1 - active) * values->eccentricity[0] + active * values->eccentricity[1],
        0, length, 0};
    memcpy(row.section, section, sizeof section);
}

static sn_vec3 tangent_of(const sni_fibre_axis *axis, uint32_t i) {
    uint32_t before = i > 0 ? i - 1 : 0, after = i + 1 < axis->point_count ? i + 1 : i;
    return sn_vec3_normalize_or(sn_vec3_sub(axis->points[after], axis->points[before]),
                                sn_vec3_make(0, 0, 0));
}

// A section without its size.
static sni_fibre_cut cut_at(const sni_fibre_axis *axis, double s) {
    uint32_t k = 0;
    while (k + 2 < axis->point_count && axis->starts[k + 1] < s) {
        ++k;
    }
    double size = axis->starts[k + 1] - axis->starts[k];
    double u = size > 0 ? fmin(1, fmax(0, (s - axis->starts[k]) / size)) : 0;
    sn_vec3 before = tangent_of(axis, k);
    sn_vec3 tangent = sn_vec3_lerp(before, tangent_of(axis, k + 1), u);
    tangent = sn_vec3_normalize_or(tangent, before);
    sn_vec3 wide = sni_across(sn_vec3_lerp(axis->normals[k], axis->normals[k + 1], u), tangent);
    wide = sn_vec3_normalize_or(wide, axis->normals[k]);
    return (sni_fibre_cut){.center = sn_vec3_lerp(axis->points[k], axis->points[k + 1], u),
                           .wide = wide,
                           .thin = sn_vec3_cross(wide, tangent)};
}

static sni_fibre_cut between(const sni_fibre_cut *x, const sni_fibre_cut *y, double t) {
    return (sni_fibre_cut){.center = sn_vec3_lerp(x->center, y->center, t),
                           .wide = sn_vec3_lerp(x->wide, y->wide, t),
                           .thin = sn_vec3_lerp(x->thin, y->thin, t),
                           .a = x->a + t * (y->a - x->a),
                           .b = x->b + t * (y->b - x->b)};
}

static void store(sn_vec3 p, double *numbers) {
    memcpy(numbers, (double[3]){p.x, p.y, p.z}, 3 * sizeof *numbers);
}

// A ring through the sections of all fibres.
static void write_ring(const sni_fibre *f, const sni_fibre_cut *cuts, double *ring) {
    for (uint32_t j = 0; j < f->rings.ring_count; ++j) {
        const sni_fibre_corner *corner = &f->corners[j];
        const sni_fibre_cut *here = &cuts[corner->fibre];
        sni_fibre_cut mixed;
        if (f->fibre_count > 1) {
            mixed = between(here, here + 1, corner->part);
            here = &mixed;
        }
        sn_vec3 p = sn_vec3_add_scaled(here->center, here->b * corner->cosine, here->thin);
        store(sn_vec3_add_scaled(p, here->a * corner->sine, here->wide), ring + 3 * (size_t)j);
    }
}

// Writes what depends on the scale: sizes of fibres and their sections, and the rings.
static void write_sizes(const sni_fibre *f, const sni_fibre_values *values,
                        const sni_fibre_posed *posed, double most, double *points) {
    uint32_t slices = f->rings.slice_count;
    for (uint32_t i = 0; i < f->fibre_count; ++i) {
        sni_fibre_axis axis;
        sni_fibre_section shape;
        double support;
        write_size(f, values, posed, most, i, points);
        sni_fibre_read(f, points, i, &axis, &shape, &support);
        double half = sni_fibre_half_axis(shape.eccentricity);
        for (uint32_t k = 0; k < slices; ++k) {
            double radius = shape.width * posed->heights[k];
            posed->cuts[(size_t)k * f->fibre_count + i].a = radius / half;
            posed->cuts[(size_t)k * f->fibre_count + i].b = radius * half;
        }
    }
    for (uint32_t k = 0; k < slices; ++k) {
        write_ring(f, posed->cuts + (size_t)k * f->fibre_count, points);
        points += 3 * (size_t)f->rings.ring_count;
    }
}

// Writes what does not depend on the scale. Returns the largest value of the profile.
static double write_places(const sni_fibre *f, const sni_fibre_values *values,
                           const sni_fibre_posed *posed, double *points) {
    uint32_t slices = f->rings.slice_count;
    double active = posed->relaxed ? 0 : posed->activation;
    for (uint32_t i = 0; i < f->fibre_count; ++i) {
        sni_fibre_axis axis;
        sni_fibre_section shape;
        double support;
        write_row(f, values, posed, i, points);
        sni_fibre_read(f, points, i, &axis, &shape, &support);
        for (uint32_t k = 0; k < slices; ++k) {
            posed->cuts[(size_t)k * f->fibre_count + i] = cut_at(&axis, (k + 1.0) / (slices + 1));
        }
    }
    for (uint32_t k = 0; k < slices; ++k) {
        posed->heights[k] = (k + 1.0) / (slices + 1);
    }
    sni_fibre_profile_values(&f->profile, active, slices, posed->heights, posed->heights);
    sn_vec3 *nodes = (sn_vec3 *)(points + 3 * (size_t)slices * f->rings.ring_count);
    sni_fibre_mean_axis(f, posed->particles, nodes);
    return posed->most > 0 ? posed->most : sni_fibre_profile_most(&f->profile, active);
}

void sni_fibre_write(const sni_fibre *f, const sni_fibre_values *values,
                     const sni_fibre_posed *posed, double *points) {
    double most = write_places(f, values, posed, points);
    write_sizes(f, values, posed, most, points);
}

double sni_fibre_volume(const sni_fibre *f, const double *points) {
    return sni_rings_volume(&f->rings, points);
}

double sni_fibre_kept_volume(const sni_fibre *f, const sni_fibre_values *values) {
    double size = values->width * values->bulge;
    return f->rest_volume * size * size / f->section_volume;
}

// The volume is a polynomial of the third degree of the scale, and rises with it; secants from the
// scale that one fibre alone would need.
bool sni_fibre_write_exact(const sni_fibre *f, const sni_fibre_values *values,
                           sni_fibre_posed *posed, double volume, double *points) {
    enum { MOST_STEPS = 12 };
    static const double close = 1e-7, least = 0.1, greatest = 10;
    double scales[2] = {0, 1}, misses[2] = {-volume, 0};
    double most = write_places(f, values, posed, points);
    for (int step = 0; step < MOST_STEPS; ++step) {
        posed->scale = scales[1];
        write_sizes(f, values, posed, most, points);
        misses[1] = sni_fibre_volume(f, points) - volume;
        if (fabs(misses[1]) <= close * volume) {
            return true;
        }
        double now = misses[1] + volume;
        double next = step == 0 && now > 0 ? sqrt(volume / now)
                                           : scales[1] - misses[1] * (scales[1] - scales[0]) /
                                                             (misses[1] - misses[0]);
        scales[0] = scales[1];
        misses[0] = misses[1];
        scales[1] = isfinite(next) ? fmin(greatest, fmax(least, next)) : 1;
    }
    posed->scale = 1;
    write_sizes(f, values, posed, most, points);
    return false;
}
