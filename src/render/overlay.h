// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_RENDER_OVERLAY_H
#define SINEW_RENDER_OVERLAY_H

#include "render/image.h"

#define SNI_TICK_BYTES 32

// Where the legend's bar lies, in pixels; its first row shows map_high, its last map_low.
typedef struct sni_legend {
    int64_t x, y, width, height;
} sni_legend;

sni_legend sni_legend_place(const sn_picture_desc *desc);

// A number for people: three or four significant digits, no trailing zeros.
void sni_tick_text(double value, double range, char text[SNI_TICK_BYTES]);

// Draws the legend and the label that the desc asks for.
void sni_overlay_draw(sn_image *image, const sn_picture_desc *desc);

#endif
