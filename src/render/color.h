// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_RENDER_COLOR_H
#define SINEW_RENDER_COLOR_H

#include "sinew/render.h"

// Colours are sn_vec3 of linear red, green, blue (sRGB primaries), 1 is white.

// From linear light to the sRGB curve (IEC 61966-2-1), both 0 to 1; values outside are clamped.
double sni_srgb_encode(double linear);
uint8_t sni_srgb_byte(double linear);

// Brightness as the eye sees it (ITU-R BT.709).
double sni_luminance(sn_vec3 color);

// A colour of Oklab, as far as it can be shown.
sn_vec3 sni_color_oklab(double lightness, double chroma, double hue_deg);

// The colour of `t` in [0, 1]; values outside take the end's colour, NaN a middle grey.
sn_vec3 sni_color_map(sn_color_map map, double t);

#endif
