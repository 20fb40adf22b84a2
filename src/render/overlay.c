// SPDX-License-Identifier: Apache-2.0
//
// What is written on a picture: the colour map's legend and a label.
#include "render/overlay.h"

#include "render/color.h"
#include "render/font.h"

#include <math.h>
#include <stdlib.h>

// Height of capital letters as a part of the picture's height, and the least that can be read.
static const double text_part = 0.0195;
static const double least_text = 7; // pixels

static double text_size(const sn_picture_desc *desc) {
    return round(fmax(least_text, text_part * fmin(desc->height, 1.2 * desc->width)));
}

typedef struct text_colors {
    uint8_t ink[3], paper[3];
} text_colors;

// Dark on light backgrounds, light on dark ones.
static text_colors colors_for(const sn_picture_desc *desc) {
    const float *background = desc->background;
    sn_vec3 color = sn_vec3_make(background[0], background[1], background[2]);
    text_colors both;
    for (unsigned i = 0; i < 3; ++i) {
        both.paper[i] = sni_srgb_byte(background[i]);
        both.ink[i] = sni_luminance(color) > 0.18 ? 38 : 236;
    }
    return both;
}

// Rounds to the fourth significant digit of the range. Dividing by an exact power of ten gives the
// double next to the decimal number, whose shortest text is that number.
void sni_tick_text(double value, double range, char text[SNI_NUMBER_BYTES]) {
    int digits = 3 - (int)floor(log10(fabs(range)));
    double power = pow(10, abs(digits));
    double rounded = digits >= 0 ? round(value * power) / power : round(value / power) * power;
    sni_number_write(isfinite(rounded) ? rounded + 0.0 : value, text);
}

sni_legend sni_legend_place(const sn_picture_desc *desc) {
    double size = text_size(desc);
    int64_t height = (int64_t)(0.40 * desc->height);
    int64_t width = (int64_t)fmax(4, 1.25 * size);
    return (sni_legend){
        .x = (int64_t)(desc->width - 6.5 * size) - width,
        .y = (int64_t)(4.6 * size),
        .width = width,
        .height = height > 2 ? height : 2,
    };
}

static void draw_bar(sn_image *image, const sn_picture_desc *desc, const sni_legend *legend,
                     const uint8_t ink[3]) {
    sni_image_fill(image, legend->x - 1, legend->y - 1, legend->width + 2, legend->height + 2, ink,
                   0.55);
    for (int64_t row = 0; row < legend->height; ++row) {
        double t = 1 - (double)row / (double)(legend->height - 1);
        sn_vec3 color = sni_color_map(desc->color_map, t);
        uint8_t bytes[3] = {sni_srgb_byte(color.x), sni_srgb_byte(color.y), sni_srgb_byte(color.z)};
        sni_image_fill(image, legend->x, legend->y + row, legend->width, 1, bytes, 1);
    }
}

static void draw_ticks(sn_image *image, const sn_picture_desc *desc, const sni_legend *legend,
                       const text_colors *colors) {
    double size = text_size(desc);
    for (int i = 0; i <= 2; ++i) {
        double value = desc->map_low + (desc->map_high - desc->map_low) * i / 2;
        char text[SNI_NUMBER_BYTES];
        sni_tick_text(value, desc->map_high - desc->map_low, text);
        double row = (double)legend->y + (double)(legend->height - 1) * (2 - i) / 2;
        double x = (double)(legend->x + legend->width);
        sni_image_fill(image, (int64_t)x, (int64_t)row, (int64_t)fmax(2, 0.4 * size), 1,
                       colors->ink, 0.8);
        x += 0.9 * size;
        double fitting = sni_text_fit(text, size, desc->width - x - 2);
        sni_text_draw(image, x, floor(row + fitting / 2 + 0.5), fitting, text, colors->ink,
                      colors->paper);
    }
}

static void draw_legend(sn_image *image, const sn_picture_desc *desc, const text_colors *colors) {
    sni_legend legend = sni_legend_place(desc);
    double size = text_size(desc);
    draw_bar(image, desc, &legend, colors->ink);
    draw_ticks(image, desc, &legend, colors);
    double room = 0.8 * desc->width;
    double fitting = sni_text_fit(desc->map_title, size, room);
    double width = sni_text_width(desc->map_title, fitting);
    double x = fmin((double)legend.x, desc->width - 1.6 * size - width);
    sni_text_draw(image, fmax(2, x), floor(2.9 * size), fitting, desc->map_title, colors->ink,
                  colors->paper);
}

void sni_overlay_draw(sn_image *image, const sn_picture_desc *desc) {
    text_colors colors = colors_for(desc);
    if (desc->map_title != NULL) {
        draw_legend(image, desc, &colors);
    }
    if (desc->label != NULL) {
        double size = text_size(desc);
        double fitting = sni_text_fit(desc->label, size, desc->width - 3.2 * size);
        sni_text_draw(image, floor(1.6 * size), desc->height - floor(1.7 * size), fitting,
                      desc->label, colors.ink, colors.paper);
    }
}
