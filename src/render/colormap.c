// SPDX-License-Identifier: Apache-2.0
//
// Colours of numbers, and the sRGB curve.
//
// The maps are laid out in Oklab (B. Ottosson, "A perceptual color space for image processing",
// 2020), in which equal steps look equal: lightness runs in straight lines, hue and chroma along a
// few control points of our own. The first follows the idea of matplotlib's viridis (van der Walt
// and Smith 2015: purple, teal, yellow, always lighter), the second that of the cool-warm map
// (Moreland 2009: blue and red of one lightness, light grey between them). The third is that of
// muscle at work, from pale to deep red: always darker, so that it can be read without its hue, and
// never as light as bone.
#include "render/color.h"

#include <math.h>

typedef struct control {
    double at;
    double lightness, chroma, hue_deg;
} control;

static const control viridis[] = {
    {0.00, 0.275, 0.115, 312}, {0.25, 0.430, 0.105, 268}, {0.50, 0.585, 0.082, 206},
    {0.75, 0.745, 0.138, 151}, {1.00, 0.905, 0.180, 104},
};

static const control cool_warm[] = {
    {0.00, 0.480, 0.165, 264}, {0.30, 0.730, 0.085, 259}, {0.50, 0.900, 0.000, 259},
    {0.50, 0.900, 0.000, 45},  {0.70, 0.730, 0.095, 40},  {1.00, 0.480, 0.175, 26},
};

static const control flesh[] = {
    {0.00, 0.840, 0.058, 20},
    {0.50, 0.610, 0.155, 24},
    {1.00, 0.350, 0.135, 26},
};

double sni_srgb_encode(double linear) {
    if (!(linear > 0)) {
        return 0;
    }
    if (linear >= 1) {
        return 1;
    }
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

uint8_t sni_srgb_byte(double linear) {
    return (uint8_t)(sni_srgb_encode(linear) * 255 + 0.5);
}

double sni_luminance(sn_vec3 color) {
    return 0.2126 * color.x + 0.7152 * color.y + 0.0722 * color.z;
}

static double clamp01(double x) {
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

// Oklab to linear sRGB, with the matrices of the source.
static sn_vec3 from_oklab(double lightness, double a, double b) {
    double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return sn_vec3_make(clamp01(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                        clamp01(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                        clamp01(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

sn_vec3 sni_color_oklab(double lightness, double chroma, double hue_deg) {
    double hue = hue_deg * (SN_PI / 180);
    return from_oklab(lightness, chroma * cos(hue), chroma * sin(hue));
}

static sn_vec3 along(const control *controls, unsigned count, double t) {
    unsigned i = 0;
    while (i + 2 < count && t > controls[i + 1].at) {
        ++i;
    }
    const control *a = &controls[i], *b = &controls[i + 1];
    double width = b->at - a->at;
    double s = width > 0 ? (t - a->at) / width : 1;
    double lightness = a->lightness + s * (b->lightness - a->lightness);
    double chroma = a->chroma + s * (b->chroma - a->chroma);
    return sni_color_oklab(lightness, chroma, a->hue_deg + s * (b->hue_deg - a->hue_deg));
}

sn_vec3 sni_color_map(sn_color_map map, double t) {
    if (isnan(t)) {
        return sn_vec3_make(0.2, 0.2, 0.2);
    }
    t = clamp01(t);
    switch (map) {
    case SN_COLOR_MAP_COOL_WARM: return along(cool_warm, sizeof cool_warm / sizeof *cool_warm, t);
    case SN_COLOR_MAP_FLESH: return along(flesh, sizeof flesh / sizeof *flesh, t);
    default: return along(viridis, sizeof viridis / sizeof *viridis, t);
    }
}

void sn_color_map_at(sn_color_map map, double t, float color[3]) {
    sn_vec3_store(sni_color_map(map, t), color);
}
