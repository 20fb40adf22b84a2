// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_RENDER_IMAGE_H
#define SINEW_RENDER_IMAGE_H

#include "base/memory.h"
#include "sinew/render.h"

// More pixels along a side than this are taken for a mistake.
#define SNI_IMAGE_MAX_SIDE 65535u

// An image with uninitialised pixels. SN_INVALID for a side of 0 or above the limit.
sn_status sni_image_create(sn_context *context, uint32_t width, uint32_t height, sn_image **image,
                           sn_error *error);

// Mixes `color` over the pixel at (x, y), which may lie outside.
void sni_image_blend(sn_image *image, int64_t x, int64_t y, const uint8_t color[3], double alpha);

// Fills the rectangle, as far as it lies within the image.
void sni_image_fill(sn_image *image, int64_t x, int64_t y, int64_t width, int64_t height,
                    const uint8_t color[3], double alpha);

#endif
