// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_RENDER_FONT_H
#define SINEW_RENDER_FONT_H

#include "render/image.h"

// Text of printable ASCII on images. Every other character shows as a small box.
//
// `size` is the height of capital letters in pixels, (x, baseline) where the text begins.

double sni_text_width(const char *text, double size);

// The largest size up to `size` at which the text is at most `room` pixels wide.
double sni_text_fit(const char *text, double size, double room);

// `halo`: colour of a soft edge that lifts the text off what is behind it; NULL: none.
void sni_text_draw(sn_image *image, double x, double baseline, double size, const char *text,
                   const uint8_t ink[3], const uint8_t *halo);

#endif
