// SPDX-License-Identifier: Apache-2.0
//
// Images on surfaces.
#ifndef SINEW_RENDER_TEXTURE_H
#define SINEW_RENDER_TEXTURE_H

#include "base/memory.h"
#include "sinew/render.h"

// Images with more pixels along a side, or more in all (8192 x 8192), are refused: they take 4
// bytes each, and a third more for the smaller copies.
#define SNI_TEXTURE_MAX_SIDE 16384u
#define SNI_TEXTURE_MAX_PIXELS (1u << 26)

// Pixels row by row from the top: red, green, blue as sRGB, and alpha.
typedef struct sni_pixels {
    uint32_t width, height;
    uint8_t *bytes; // width x height x 4, of the context
} sni_pixels;

// Allocates the pixels, uninitialised. SN_LIMIT for a size above the limits.
sn_status sni_pixels_init(sn_context *context, uint32_t width, uint32_t height, sni_pixels *pixels,
                          sn_error *error);

// Decode a whole file. What has no alpha is opaque.
sn_status sni_decode_png(sn_context *context, const uint8_t *bytes, size_t size, sni_pixels *pixels,
                         sn_error *error);
sn_status sni_decode_jpeg(sn_context *context, const uint8_t *bytes, size_t size,
                          sni_pixels *pixels, sn_error *error);

// An image and its copies of half, a quarter, ... the size, down to one pixel.
#define SNI_TEXTURE_LEVELS 15u
typedef struct sni_texture {
    float linear[256]; // light of each byte
    uint32_t level_count;
    sni_pixels levels[SNI_TEXTURE_LEVELS];
} sni_texture;

// Decodes a file of `type` "image/png" or "image/jpeg" and makes the smaller copies.
sn_status sni_texture_init(sn_context *context, const char *type, const uint8_t *bytes, size_t size,
                           sni_texture *texture, sn_error *error);
void sni_texture_deinit(sn_context *context, sni_texture *texture);

typedef struct sni_texel {
    sn_vec3 color; // linear
    double alpha;
} sni_texel;

// The image at (x, y) of its placement, between pixels bilinear. `spacing` is the distance between
// samples in pixels of the full image: beyond 1 a smaller copy is used.
sni_texel sni_texture_at(const sni_texture *texture, const sn_image_wrap wrap[2], double x,
                         double y, double spacing);

#endif
