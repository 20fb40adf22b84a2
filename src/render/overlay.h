// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_RENDER_OVERLAY_H
#define SINEW_RENDER_OVERLAY_H

#include "base/number.h"
#include "render/image.h"

// Where the legend's bar lies, in pixels; its first row shows map_high, its last map_low.
typedef struct sni_legend {
    int64_t x, y, width, height;
} sni_legend;

sni_legend sni_legend_place(const sn_picture_desc *desc);

// A number for people: as many digits as tell values apart in a range, no trailing zeros.
void sni_tick_text(double value, double range, char text[SNI_NUMBER_BYTES]);

// Draws the legend and the label that the desc asks for.
void sni_overlay_draw(sn_image *image, const sn_picture_desc *desc);

#endif
