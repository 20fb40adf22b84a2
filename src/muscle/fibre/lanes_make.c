// SPDX-License-Identifier: Apache-2.0
#include "muscle/fibre/lanes.h"

#include <string.h>

// Points, links and normals; returns the length.
static double write_rows(const sni_fibre_axis *axis, const sni_solid_view *view,
                         sni_fibre_lanes_row *rows) {
    const sn_vec3 nothing = {0, 0, 0};
    sn_vec3 here = sn_mat4_point(&view->back, axis->points[0]);
    double length = 0;
    for (uint32_t i = 0; i < axis->point_count; ++i) {
        bool has_next = i + 1 < axis->point_count;
        sn_vec3 next = has_next ? sn_mat4_point(&view->back, axis->points[i + 1]) : here;
        sn_vec3 link = sn_vec3_sub(next, here);
        sn_vec3 normal = sn_mat4_direction(&view->back, axis->normals[i]);
        double size = sn_vec3_length(link);
        rows[i] = (sni_fibre_lanes_row){.part = (float)length, .size = (float)size};
        sn_vec3_store(here, rows[i].point);
        sn_vec3_store(sn_vec3_normalize_or(link, nothing), rows[i].direction);
        sn_vec3_store(sn_vec3_normalize_or(normal, nothing), rows[i].normal);
        length += size;
        here = next;
    }
    return length;
}

// What counts of a profile at an activation.
static void write_shapes(const sni_fibre_section *section, double width,
                         sni_fibre_lanes_shape shapes[2]) {
    const sni_fibre_profile *profile = section->profile;
    double active = section->activation;
    double factor = width / sqrt(sni_fibre_profile_norm(profile, active));
    shapes[0] = (sni_fibre_lanes_shape){profile->rest.a, profile->rest.b,
                                        (float)(factor * (1 - active) * profile->rest_factor)};
    shapes[1] = (sni_fibre_lanes_shape){profile->active.a, profile->active.b,
                                        (float)(factor * active * profile->active_factor)};
}

// The box of the points of a run.
static void write_run(uint32_t run, sni_fibre_lanes *lanes) {
    uint32_t first = run * lanes->run_size, last = first + lanes->run_size;
    last = last < lanes->link_count ? last : lanes->link_count;
    for (int k = 0; k < 3; ++k) {
        float low = INFINITY, high = first < last ? -INFINITY : INFINITY;
        for (uint32_t i = first; i <= last && first < last; ++i) {
            low = fminf(low, lanes->rows[i + 1].point[k]);
            high = fmaxf(high, lanes->rows[i + 1].point[k]);
        }
        lanes->lows[k][run] = low;
        lanes->highs[k][run] = high;
    }
}

// x^(n-1); an open end, n = 1, is at most 1 wherever it is closed.
static double power_of(double x, uint32_t n) {
    double result = 1;
    for (uint32_t i = 1; i < n; ++i) {
        result *= x;
    }
    return result;
}

// What s^(a-1) (1-s)^(b-1) is at most from `from` to `to`: it has one peak. With an open end it is
// less than without its taper.
static double most_of_shape(const sni_fibre_lanes_shape *shape, double from, double to) {
    double sum = shape->a + shape->b - 2.0;
    double peak = sum > 0 ? (shape->a - 1.0) / sum : from;
    peak = peak < from ? from : peak > to ? to : peak;
    return shape->factor * power_of(peak, shape->a) * power_of(1 - peak, shape->b);
}

// The widest section of a run.
static void write_widest(uint32_t run, double half, sni_fibre_lanes *lanes) {
    uint32_t first = run * lanes->run_size, last = first + lanes->run_size;
    last = last < lanes->link_count ? last : lanes->link_count;
    double most = 0;
    for (int k = 0; k < 2 && first < last; ++k) {
        most += most_of_shape(&lanes->shapes[k], lanes->rows[first + 1].part,
                              lanes->rows[last + 1].part);
    }
    // Floats put a section a little further along.
    lanes->widests[run] = fminf(lanes->widest, (float)(most / half) + 1e-5F * lanes->widest);
}

void sni_fibre_lanes_make(const sni_fibre_axis *axis, const sni_fibre_section *section,
                          double thickness, const sni_solid_view *view, sni_fibre_lanes *lanes) {
    uint32_t links = axis->point_count - 1;
    double half = sni_fibre_half_axis(section->eccentricity), square = half * half;
    *lanes = (sni_fibre_lanes){.link_count = links,
                               .run_size = (links + SNI_FIBRE_RUNS - 1) / SNI_FIBRE_RUNS,
                               .widest = (float)(thickness / (half * view->scale)),
                               .half = {(float)square, (float)(1 / square)}};
    double length = write_rows(axis, view, lanes->rows + 1);
    lanes->length = (float)length;
    for (uint32_t i = 0; i <= links; ++i) {
        float *part = &lanes->rows[i + 1].part;
        *part = length > 0 ? *part / lanes->length : (float)i / links;
    }
    lanes->rows[0] = (sni_fibre_lanes_row){0};
    memcpy(lanes->rows[0].point, lanes->rows[1].point, sizeof lanes->rows[0].point);
    write_shapes(section, section->width / view->scale, lanes->shapes);
    for (uint32_t run = 0; run < SNI_FIBRE_RUNS; ++run) {
        write_run(run, lanes);
        write_widest(run, half, lanes);
    }
}
