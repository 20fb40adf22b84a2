// SPDX-License-Identifier: Apache-2.0
//
// From a description to pixels.
//
// The picture is made in square tiles, each by one thread. What a pixel gets depends on its place
// alone: its random numbers come from a hash of it, so neither the order of the tiles nor the
// number of threads shows.
//
// The ground is the background itself, darkened where the scene takes its light away: there is no
// horizon. Its light is smooth, so it is found on every second pixel with many rays, smoothed, and
// interpolated; this is also done behind the objects, so that they leave no seam.
#include "base/context.h"
#include "render/color.h"
#include "render/cut.h"
#include "render/image.h"
#include "render/overlay.h"
#include "render/sample.h"
#include "render/shade.h"

#include <math.h>

static const uint32_t desc_check = 0x736e7069;

#define TILE 16u
#define GROUND_STEP 2u

static const uint32_t max_samples = 32, max_occlusion_rays = 65536;

// A pixel whose samples differ more than this (display values, 0 to 1) lies on an edge and is taken
// again with four times as many.
static const double edge_contrast = 0.10;

static const uint32_t blocks_per_round = 8;

// The background is this much darker in the corners than in the middle.
static const double vignette = 0.13;

// Layers behind less than this are not seen.
static const double least_passage = 1.0 / 1024;

typedef struct ground_light {
    uint32_t columns, rows; // of nodes, GROUND_STEP pixels apart; 0 without ground
    float *light;           // rows x columns, 1: no shadow
    float *rough;           // the same before smoothing
} ground_light;

typedef struct picture {
    const sn_picture_desc *desc;
    sni_view view;
    sni_scene scene;
    sni_studio studio;
    ground_light ground;
    const sni_cut *cut; // NULL: nothing is cut open
    uint32_t tile_columns;
    sn_image *image;
} picture;

sn_picture_desc sn_picture_desc_default(void) {
    return (sn_picture_desc){
        .check = desc_check,
        .width = 900,
        .height = 700,
        .samples = 2,
        .occlusion_rays = 16,
        .camera = {.eye = {0, 1, 4}, .target = {0, 1, 0}, .up = {0, 1, 0}, .field_of_view = 0.5},
        .ground = true,
        .background = {0.795f, 0.770f, 0.735f},
        .color_map = SN_COLOR_MAP_VIRIDIS,
        .map_low = 0,
        .map_high = 1,
    };
}

static sn_status check_desc(const sn_picture_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_picture_desc_default");
    }
    if (desc->samples < 1 || desc->samples > max_samples) {
        return sni_fail(error, SN_INVALID, "%u samples along a pixel's side, expected 1 to %u",
                        desc->samples, max_samples);
    }
    if (desc->occlusion_rays > max_occlusion_rays) {
        return sni_fail(error, SN_INVALID, "%u occlusion rays, expected at most %u",
                        desc->occlusion_rays, max_occlusion_rays);
    }
    if (!isfinite(desc->ground_height)) {
        return sni_fail(error, SN_INVALID, "the ground's height is not finite");
    }
    for (unsigned i = 0; i < 3; ++i) {
        if (!(desc->background[i] >= 0 && desc->background[i] <= 1)) {
            return sni_fail(error, SN_INVALID,
                            "the background's component %u is %g, expected 0 to 1", i,
                            (double)desc->background[i]);
        }
    }
    if ((unsigned)desc->color_map > SN_COLOR_MAP_FLESH) {
        return sni_fail(error, SN_INVALID, "the unknown color map %d", (int)desc->color_map);
    }
    if (!(desc->map_low < desc->map_high) || !isfinite(desc->map_high - desc->map_low)) {
        return sni_fail(error, SN_INVALID, "the color map's range is %g to %g", desc->map_low,
                        desc->map_high);
    }
    return SN_OK;
}

// A parallel loop in rounds of a few blocks per thread.
static sn_status run_in_rounds(sn_context *context, picture *work, const char *step, uint32_t count,
                               uint32_t grain, sn_block_fn *fn, const sn_progress *progress,
                               sn_error *error) {
    sn_status status = SN_OK;
    uint32_t round = blocks_per_round * grain * sn_context_thread_count(context);
    SN_TRY(sni_parallel_rounds(context, count, grain, round, fn, work, progress, step, error));
    SN_TRY(sni_progress(progress, step, 1, error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Ground

static double ground_distance(const picture *work, const sni_view_ray *ray) {
    double above = ray->origin.y - work->desc->ground_height;
    bool seen = work->desc->ground && above > 0 && ray->direction.y < 0;
    return seen ? above / -ray->direction.y : INFINITY;
}

static void light_ground_nodes(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const picture *work = user;
    const sn_picture_desc *desc = work->desc;
    for (uint32_t node = begin; node < end; ++node) {
        uint32_t column = node % work->ground.columns, row = node / work->ground.columns;
        sni_sampler sampler = {
            .seed = sni_hash(sni_hash(column, 0x67), row),
            .rays = desc->occlusion_rays * desc->samples * desc->samples,
        };
        sni_view_ray ray =
            sni_view_ray_at(&work->view, column * (double)GROUND_STEP, row * (double)GROUND_STEP);
        double distance = ground_distance(work, &ray);
        sn_vec3 point = sn_vec3_add_scaled(ray.origin, distance, ray.direction);
        work->ground.rough[node] =
            isfinite(distance) ? (float)sni_shade_ground(&work->studio, point, &sampler) : 1;
    }
}

static float node_at(const ground_light *ground, int64_t column, int64_t row) {
    column = column < 0 ? 0 : column >= ground->columns ? ground->columns - 1 : column;
    row = row < 0 ? 0 : row >= ground->rows ? ground->rows - 1 : row;
    return ground->rough[(size_t)row * ground->columns + (size_t)column];
}

// The binomial filter 1 4 6 4 1 in both directions.
static void smooth_ground_nodes(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const picture *work = user;
    const ground_light *ground = &work->ground;
    static const float binomial[5] = {1 / 16.f, 4 / 16.f, 6 / 16.f, 4 / 16.f, 1 / 16.f};
    for (uint32_t node = begin; node < end; ++node) {
        int64_t column = node % ground->columns, row = node / ground->columns;
        float sum = 0;
        for (int dy = 0; dy < 5; ++dy) {
            for (int dx = 0; dx < 5; ++dx) {
                sum += binomial[dx] * binomial[dy] * node_at(ground, column + dx - 2, row + dy - 2);
            }
        }
        ground->light[node] = sum;
    }
}

static sn_status light_ground(sn_context *context, picture *work, const sn_progress *progress,
                              sn_error *error) {
    sn_status status = SN_OK;
    ground_light *ground = &work->ground;
    if (!work->desc->ground || work->scene.empty) {
        return SN_OK;
    }
    ground->columns = work->desc->width / GROUND_STEP + 2;
    ground->rows = work->desc->height / GROUND_STEP + 2;
    uint32_t count = ground->columns * ground->rows;
    SNI_NEW(context, ground->light, count);
    SNI_NEW(context, ground->rough, count);
    SN_TRY(
        run_in_rounds(context, work, "lighting", count, 256, light_ground_nodes, progress, error));
    sn_parallel_for(context, count, 4096, smooth_ground_nodes, work);
cleanup:
    return status;
}

static double ground_light_at(const ground_light *ground, double x, double y) {
    if (ground->light == NULL) {
        return 1;
    }
    x /= GROUND_STEP;
    y /= GROUND_STEP;
    uint32_t column = (uint32_t)x, row = (uint32_t)y;
    double s = x - column, t = y - row;
    const float *node = &ground->light[(size_t)row * ground->columns + column];
    const float *below = node + ground->columns;
    return (1 - t) * ((1 - s) * node[0] + s * node[1]) + t * ((1 - s) * below[0] + s * below[1]);
}

// ---------------------------------------------------------------------------------------------
// Samples

static sn_vec3 backdrop(const picture *work, double x, double y) {
    double dx = 2 * x / work->view.width - 1, dy = 2 * y / work->view.height - 1;
    double light = 1 - vignette * (dx * dx + dy * dy) / 2;
    return sn_vec3_scale(sn_vec3_load(work->desc->background), light);
}

// Adds the see-through layers between `near` and `far`, front to back; returns what passes through
// them.
static double add_layers(const picture *work, const sni_sampler *sampler, const sni_view_ray *ray,
                         double near, double far, sn_vec3 *color) {
    double passage = 1;
    while (work->scene.sheer != NULL && passage > least_passage) {
        sni_ray_hit hit;
        sni_scene_cast_sheer(&work->scene, ray->origin, ray->direction, near, far, &hit);
        if (hit.surface == SN_NONE) {
            break;
        }
        sni_shade shade = sni_shade_surface(&work->studio, &hit, ray->direction, sampler);
        *color = sn_vec3_add_scaled(*color, passage * shade.alpha, shade.color);
        passage *= 1 - shade.alpha;
        near = nextafterf((float)hit.distance, INFINITY);
    }
    return passage;
}

// What lies on a ray behind `near`.
static sn_vec3 color_behind(const picture *work, const sni_sampler *sampler, const sni_view_ray *at,
                            double near) {
    sni_view_ray ray = *at;
    sni_ray_hit hit = {.surface = SN_NONE, .distance = INFINITY};
    double floor_distance = ground_distance(work, &ray);
    if (near < floor_distance) {
        sni_scene_cast(&work->scene, ray.origin, ray.direction, near, floor_distance, &hit);
    }
    double far = fmin(hit.distance, floor_distance);
    sn_vec3 color = {0, 0, 0};
    double passage = near < far ? add_layers(work, sampler, &ray, near, far, &color) : 1;
    if (passage <= least_passage) {
        return color;
    }
    sn_vec3 behind = backdrop(work, sampler->x, sampler->y);
    if (hit.surface != SN_NONE) {
        behind = sni_shade_surface(&work->studio, &hit, ray.direction, sampler).color;
    } else if (isfinite(floor_distance)) {
        behind = sn_vec3_scale(behind, ground_light_at(&work->ground, sampler->x, sampler->y));
    }
    return sn_vec3_add_scaled(color, passage, behind);
}

static sn_vec3 sample_color(const picture *work, const sni_sampler *sampler) {
    sni_view_ray ray = sni_view_ray_at(&work->view, sampler->x, sampler->y);
    if (work->cut == NULL) {
        return color_behind(work, sampler, &ray, 0);
    }
    sn_vec3 color = {0, 0, 0};
    double distance = sni_cut_distance(work->cut, &ray), cover = 0;
    if (distance > 0 && distance < ground_distance(work, &ray)) {
        cover = sni_cut_color(work->cut, sampler->x, sampler->y, &color);
    }
    sn_vec3 behind = cover < 1 ? color_behind(work, sampler, &ray, distance) : color;
    return sn_vec3_lerp(behind, color, cover);
}

// The mean of n x n samples, placed so that no two share a row or a column of the finer grid
// (Kensler, "Correlated Multi-Jittered Sampling", 2013, without the jitter). `contrast` tells how
// far they differ.
static sn_vec3 pixel_color(const picture *work, uint32_t x, uint32_t y, uint32_t n, uint32_t rays,
                           double *contrast) {
    sn_vec3 sum = {0, 0, 0};
    sn_vec3 low = {1, 1, 1}, high = {0, 0, 0};
    for (uint32_t i = 0; i < n * n; ++i) {
        uint32_t column = i % n, row = i / n;
        sni_sampler sampler = {
            .x = x + (column + (row + 0.5) / n) / n,
            .y = y + (row + (column + 0.5) / n) / n,
            .seed = sni_hash(x, sni_hash(y, 0)),
            .sample = i,
            .rays = rays,
        };
        sn_vec3 color = sample_color(work, &sampler);
        sum = sn_vec3_add(sum, color);
        low = sn_vec3_min(low, color);
        high = sn_vec3_max(high, color);
    }
    sn_vec3 range = sn_vec3_sub(high, low);
    *contrast = fmax(range.x, fmax(range.y, range.z));
    return sn_vec3_scale(sum, 1.0 / (n * n));
}

// A threshold in [0, 1) that differs between neighbours: "interleaved gradient noise" (Jimenez
// 2014). Rounding by it instead of by one half keeps smooth shades free of bands.
static double dither(uint32_t x, uint32_t y) {
    double f = 0.06711056 * x + 0.00583715 * y;
    f = 52.9829189 * (f - floor(f));
    return f - floor(f);
}

static void store_pixel(const picture *work, uint32_t x, uint32_t y, sn_vec3 color) {
    uint8_t *pixel = &work->image->pixels[3 * ((size_t)y * work->image->width + x)];
    double threshold = dither(x, y);
    double channels[3] = {color.x, color.y, color.z};
    for (unsigned i = 0; i < 3; ++i) {
        double value = floor(sni_srgb_encode(channels[i]) * 255 + threshold);
        pixel[i] = (uint8_t)fmin(255, value);
    }
}

static void draw_tiles(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const picture *work = user;
    const sn_picture_desc *desc = work->desc;
    for (uint32_t tile = begin; tile < end; ++tile) {
        uint32_t left = tile % work->tile_columns * TILE, top = tile / work->tile_columns * TILE;
        for (uint32_t y = top; y < top + TILE && y < desc->height; ++y) {
            for (uint32_t x = left; x < left + TILE && x < desc->width; ++x) {
                double contrast;
                uint32_t rays = desc->occlusion_rays;
                sn_vec3 color = pixel_color(work, x, y, desc->samples, rays, &contrast);
                if (contrast > edge_contrast) {
                    color = pixel_color(work, x, y, 2 * desc->samples, (rays + 1) / 2, &contrast);
                }
                store_pixel(work, x, y, color);
            }
        }
    }
}

static sn_status draw_all(sn_context *context, picture *work, const sn_progress *progress,
                          sn_error *error) {
    work->tile_columns = (work->desc->width + TILE - 1) / TILE;
    uint32_t tile_count = work->tile_columns * ((work->desc->height + TILE - 1) / TILE);
    return run_in_rounds(context, work, "drawing", tile_count, 1, draw_tiles, progress, error);
}

sn_status sn_picture_draw(sn_context *context, const sn_picture_desc *desc,
                          const sn_drawable *drawables, uint32_t drawable_count,
                          const sn_progress *progress, sn_image **image, sn_error *error) {
    return sni_picture_draw_cut(context, desc, NULL, drawables, drawable_count, progress, image,
                                error);
}

sn_status sni_picture_draw_cut(sn_context *context, const sn_picture_desc *desc, const sni_cut *cut,
                               const sn_drawable *drawables, uint32_t drawable_count,
                               const sn_progress *progress, sn_image **image, sn_error *error) {
    sn_status status = SN_OK;
    picture work = {.desc = desc, .cut = cut};
    *image = NULL;
    SN_TRY(check_desc(desc, error));
    SN_TRY(sni_image_create(context, desc->width, desc->height, &work.image, error));
    SN_TRY(sni_view_init(&desc->camera, desc->width, desc->height, &work.view, error));
    SN_TRY(sni_progress(progress, "preparing", 0, error));
    SN_TRY(sni_scene_init(context, drawables, drawable_count, &work.scene, error));
    sni_studio_init(desc, &work.scene, &work.view, &work.studio);
    SN_TRY(light_ground(context, &work, progress, error));
    SN_TRY(draw_all(context, &work, progress, error));
    sni_overlay_draw(work.image, desc);
    *image = work.image;
    work.image = NULL;
cleanup:
    sni_free(context, work.ground.light);
    sni_free(context, work.ground.rough);
    sni_scene_deinit(&work.scene);
    sn_image_destroy(work.image);
    return status;
}
