// SPDX-License-Identifier: Apache-2.0
#include "render/cut.h"

#include "base/hermite.h"
#include "render/color.h"

#include <math.h>

// Iso-lines are drawn at each tenth; the surface is at a half.
static const double line_step = 0.1, surface = 0.5;
// Outside of the surface, where skin and bones behind shall be seen, the colour is see-through, and
// fades out where the field ends.
static const double outside_cover = 0.6, outside_fade = 0.08;
// Half the width of the surface's line in a picture of this height, and of the others' as a part.
static const double line_width = 1.4, line_height = 900, thin = 0.45;

void sni_cut_free(sn_context *context, sni_cut *cut) {
    sni_free(context, cut->values);
    *cut = (sni_cut){0};
}

double sni_cut_distance(const sni_cut *cut, const sni_view_ray *ray) {
    double above = sn_vec3_dot(sn_vec3_sub(ray->origin, cut->point), cut->normal);
    double slope = sn_vec3_dot(ray->direction, cut->normal);
    if (!(above > 0)) {
        return 0; // the eye is behind the plane already
    }
    return slope < 0 ? above / -slope : INFINITY;
}

// The plane in the world, with its normal towards the eye.
static void place_plane(const sn_frame *frame, const sn_field_slice *slice, const sni_view *view,
                        sni_cut *cut) {
    cut->point = slice->point;
    cut->normal = slice->normal;
    if (slice->segment != SN_NONE) {
        const sn_mat4 *world = &sn_frame_worlds(frame)[slice->segment];
        cut->point = sn_mat4_point(world, slice->point);
        cut->normal = sn_quat_rotate(sn_mat4_rotation(world), slice->normal);
    }
    cut->normal = sn_vec3_normalize_or(cut->normal, sn_vec3_make(0, 0, 1));
    sn_vec3 to_eye =
        view->flat > 0 ? sn_vec3_scale(view->forward, -1) : sn_vec3_sub(view->eye, cut->point);
    if (sn_vec3_dot(cut->normal, to_eye) < 0) {
        cut->normal = sn_vec3_scale(cut->normal, -1);
    }
}

static void list_points(const sni_cut *cut, const sni_view *view, float *points) {
    for (uint32_t row = 0; row < cut->rows; ++row) {
        for (uint32_t column = 0; column < cut->columns; ++column) {
            sni_view_ray ray =
                sni_view_ray_at(view, column * (double)SNI_CUT_STEP, row * (double)SNI_CUT_STEP);
            // An infinite distance gives no point, which is beyond all fields.
            sn_vec3_store(
                sn_vec3_add_scaled(ray.origin, sni_cut_distance(cut, &ray), ray.direction),
                points + 3 * ((size_t)row * cut->columns + column));
        }
    }
}

sn_status sni_cut_make(sn_context *context, const sn_frame *frame, const sn_field_slice *slice,
                       const sni_view *view, sni_cut *cut, sn_error *error) {
    const sn_model *model = sn_frame_model(frame);
    sn_status status = SN_OK;
    float *points = NULL, *values = NULL;
    *cut = (sni_cut){.columns = (uint32_t)view->width / SNI_CUT_STEP + 2,
                     .rows = (uint32_t)view->height / SNI_CUT_STEP + 2,
                     .line = fmax(0.8, line_width * view->height / line_height)};
    uint32_t count = cut->columns * cut->rows;
    place_plane(frame, slice, view, cut);
    SNI_NEW(context, points, 3 * (size_t)count);
    SNI_NEW(context, values, count);
    SNI_NEW_ZERO(context, cut->values, count);
    list_points(cut, view, points);
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        if (!sn_model_has_field(model, i) || !sn_model_surface(model, i)->shown) {
            continue;
        }
        SN_TRY(sn_frame_field(frame, i, count, points, values, error));
        for (uint32_t k = 0; k < count; ++k) {
            cut->values[k] = fmaxf(cut->values[k], values[k]);
        }
    }
cleanup:
    sni_free(context, points);
    sni_free(context, values);
    return status;
}

static double value_at(const sni_cut *cut, double x, double y) {
    x = fmin(fmax(x / SNI_CUT_STEP, 0), cut->columns - 1.0);
    y = fmin(fmax(y / SNI_CUT_STEP, 0), cut->rows - 1.0);
    uint32_t column = (uint32_t)fmin(x, cut->columns - 2.0);
    uint32_t row = (uint32_t)fmin(y, cut->rows - 2.0);
    double s = x - column, t = y - row;
    const float *node = &cut->values[(size_t)row * cut->columns + column];
    const float *below = node + cut->columns;
    return (1 - t) * ((1 - s) * node[0] + s * node[1]) + t * ((1 - s) * below[0] + s * below[1]);
}

// How much of a line at a level is here, by how many pixels it is away.
static double line_cover(double value, double level, double steep, double half) {
    double away = fabs(value - level) / steep;
    return 1 - sni_smooth_step_between(half - 0.5, half + 0.5, away);
}

double sni_cut_color(const sni_cut *cut, double x, double y, sn_vec3 *color) {
    double value = value_at(cut, x, y);
    double dx = (value_at(cut, x + 1, y) - value_at(cut, x - 1, y)) / 2;
    double dy = (value_at(cut, x, y + 1) - value_at(cut, x, y - 1)) / 2;
    double steep = fmax(hypot(dx, dy), 1e-9); // of values in a pixel
    double cover =
        value >= surface ? 1 : outside_cover * sni_smooth_step_between(0, outside_fade, value);
    *color = sni_color_map(SN_COLOR_MAP_COOL_WARM, value);
    double level = line_step * round(value / line_step);
    double line = line_cover(value, surface, steep, cut->line);
    if (level > 0.5 * line_step && level < 1 - 0.5 * line_step) {
        line = fmax(line, 0.6 * line_cover(value, level, steep, thin * cut->line));
    }
    *color = sn_vec3_scale(*color, 1 - line);
    return value > 0 ? fmax(cover, line) : 0;
}
