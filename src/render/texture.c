// SPDX-License-Identifier: Apache-2.0
//
// Images on surfaces, with smaller copies (mip maps: Williams, "Pyramidal Parametrics", 1983) so
// that a fine pattern on a small surface turns into its mean colour instead of noise.
#include "render/texture.h"

#include "render/color.h"

#include <math.h>
#include <string.h>

sn_status sni_pixels_init(sn_context *context, uint32_t width, uint32_t height, sni_pixels *pixels,
                          sn_error *error) {
    if (width > SNI_TEXTURE_MAX_SIDE || height > SNI_TEXTURE_MAX_SIDE ||
        (uint64_t)width * height > SNI_TEXTURE_MAX_PIXELS) {
        return sni_fail(
            error, SN_LIMIT,
            "it has %u x %u pixels, but at most %u along a side and %u in all are drawn", width,
            height, SNI_TEXTURE_MAX_SIDE, SNI_TEXTURE_MAX_PIXELS);
    }
    if (width == 0 || height == 0) {
        return sni_fail(error, SN_INVALID, "it has no pixels");
    }
    *pixels = (sni_pixels){.width = width, .height = height};
    pixels->bytes = sni_alloc(context, (size_t)width * height, 4);
    return pixels->bytes != NULL ? SN_OK : sni_fail_memory(error);
}

// From the sRGB curve (IEC 61966-2-1) to linear light.
static double linear_of(uint8_t byte) {
    double value = byte / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

// One pixel of the smaller copy: the mean of the (at most four) pixels that it stands for. Colours
// are weighed by their alpha, so that what is invisible does not bleed into what is seen.
static void shrink_pixel(const sni_pixels *from, const float *linear, uint32_t x, uint32_t y,
                         uint8_t *to) {
    double sum[3] = {0, 0, 0}, plain[3] = {0, 0, 0}, alpha = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        uint32_t column = 2 * x + i % 2 < from->width ? 2 * x + i % 2 : from->width - 1;
        uint32_t row = 2 * y + i / 2 < from->height ? 2 * y + i / 2 : from->height - 1;
        const uint8_t *pixel = from->bytes + 4 * ((size_t)row * from->width + column);
        for (unsigned c = 0; c < 3; ++c) {
            sum[c] += (double)linear[pixel[c]] * pixel[3];
            plain[c] += (double)linear[pixel[c]];
        }
        alpha += pixel[3];
    }
    for (unsigned c = 0; c < 3; ++c) {
        to[c] = sni_srgb_byte(alpha > 0 ? sum[c] / alpha : plain[c] / 4);
    }
    to[3] = (uint8_t)(alpha / 4 + 0.5);
}

typedef struct shrinking {
    const sni_pixels *from;
    sni_pixels *to;
    const float *linear;
} shrinking;

static void shrink_rows(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const shrinking *s = user;
    for (uint32_t y = begin; y < end; ++y) {
        for (uint32_t x = 0; x < s->to->width; ++x) {
            uint8_t *pixel = s->to->bytes + 4 * ((size_t)y * s->to->width + x);
            shrink_pixel(s->from, s->linear, x, y, pixel);
        }
    }
}

static sn_status add_levels(sn_context *context, sni_texture *texture, sn_error *error) {
    shrinking s = {.linear = texture->linear};
    for (;;) {
        const sni_pixels *from = &texture->levels[texture->level_count - 1];
        if (from->width == 1 && from->height == 1) {
            return SN_OK;
        }
        SN_ASSERT(texture->level_count < SNI_TEXTURE_LEVELS);
        s.from = from;
        s.to = &texture->levels[texture->level_count];
        sn_status status =
            sni_pixels_init(context, (from->width + 1) / 2, (from->height + 1) / 2, s.to, error);
        if (status != SN_OK) {
            return status;
        }
        ++texture->level_count;
        sn_parallel_for(context, s.to->height, 16, shrink_rows, &s);
    }
}

sn_status sni_texture_init(sn_context *context, const char *type, const uint8_t *bytes, size_t size,
                           sni_texture *texture, sn_error *error) {
    *texture = (sni_texture){0};
    bool is_png = strcmp(type, "image/png") == 0;
    sn_status status = SN_OK;
    SN_TRY((is_png ? sni_decode_png : sni_decode_jpeg)(context, bytes, size, &texture->levels[0],
                                                       error));
    texture->level_count = 1;
    for (unsigned i = 0; i < 256; ++i) {
        texture->linear[i] = (float)linear_of((uint8_t)i);
    }
    SN_TRY(add_levels(context, texture, error));
    return SN_OK;
cleanup:
    sni_texture_deinit(context, texture);
    return status;
}

void sni_texture_deinit(sn_context *context, sni_texture *texture) {
    for (uint32_t i = 0; i < texture->level_count; ++i) {
        sni_free(context, texture->levels[i].bytes);
    }
    *texture = (sni_texture){0};
}

// The pixel that a place beside the image stands for.
static uint32_t wrapped(int64_t at, uint32_t count, sn_image_wrap wrap) {
    int64_t n = count;
    switch (wrap) {
    case SN_IMAGE_CLAMP: return (uint32_t)(at < 0 ? 0 : at >= n ? n - 1 : at);
    case SN_IMAGE_MIRROR:
        at = (at % (2 * n) + 2 * n) % (2 * n);
        return (uint32_t)(at < n ? at : 2 * n - 1 - at);
    case SN_IMAGE_REPEAT: break;
    }
    return (uint32_t)((at % n + n) % n);
}

// A coordinate in pixels; those that are not finite, or farther than any image can count, are 0.
static double in_pixels(double x, uint32_t count) {
    double at = x * count - 0.5;
    return fabs(at) < 1e15 ? at : 0;
}

sni_texel sni_texture_at(const sni_texture *texture, const sn_image_wrap wrap[2], double x,
                         double y, double spacing) {
    // The next smaller copy would be coarser than the samples.
    double wanted = spacing > 1 ? floor(log2(spacing)) : 0;
    uint32_t last = texture->level_count - 1;
    const sni_pixels *level = &texture->levels[wanted < last ? (uint32_t)wanted : last];
    double px = in_pixels(x, level->width), py = in_pixels(y, level->height);
    int64_t column = (int64_t)floor(px), row = (int64_t)floor(py);
    double s = px - (double)column, t = py - (double)row;
    sn_vec3 sum = {0, 0, 0};
    double alpha = 0;
    for (unsigned i = 0; i < 4; ++i) {
        uint32_t c = wrapped(column + i % 2, level->width, wrap[0]);
        uint32_t r = wrapped(row + i / 2, level->height, wrap[1]);
        double weight = (i % 2 != 0 ? s : 1 - s) * (i / 2 != 0 ? t : 1 - t);
        const uint8_t *pixel = level->bytes + 4 * ((size_t)r * level->width + c);
        const float *linear = texture->linear;
        sn_vec3 color = {linear[pixel[0]], linear[pixel[1]], linear[pixel[2]]};
        sum = sn_vec3_add_scaled(sum, weight, color);
        alpha += weight * pixel[3] / 255;
    }
    return (sni_texel){.color = sum, .alpha = alpha};
}
