// SPDX-License-Identifier: Apache-2.0
//
// Colours of the head's skin, at its vertices: skin that is redder where blood is near, lips,
// brows, the margins of the lids, the inside of the mouth.
#include "scenes/head_shape.h"

#include <math.h>

typedef struct color {
    double red, green, blue; // linear
} color;

static color mixed(color a, color b, double t) {
    return (color){a.red + t * (b.red - a.red), a.green + t * (b.green - a.green),
                   a.blue + t * (b.blue - a.blue)};
}

// The middle of the brow, from its head to its tail: x, y and half its width.
static const double brow_line[][3] = {{11.5, 58.6, 3.2}, {18, 61, 3.9},   {26, 63.2, 3.9},
                                      {35, 65, 3.4},     {44, 64.6, 2.7}, {52, 61.4, 1.9},
                                      {57.5, 57.4, 1.2}};
enum { BROW_POINTS = sizeof brow_line / sizeof *brow_line };

static double brow_at(sn_vec3 p) {
    double most = 0;
    for (int i = 0; i + 1 < BROW_POINTS; ++i) {
        const double *a = brow_line[i], *b = brow_line[i + 1];
        double dx = b[0] - a[0], dy = b[1] - a[1];
        double t = ((p.x - a[0]) * dx + (p.y - a[1]) * dy) / (dx * dx + dy * dy);
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        double x = p.x - a[0] - t * dx, y = p.y - a[1] - t * dy;
        double away = sqrt(x * x + y * y) / (a[2] + t * (b[2] - a[2]));
        double dense =
            scn_smooth_step(-1.5, 1.5, i + t) * (1 - 0.5 * scn_smooth_step(3.5, 6, i + t));
        most = fmax(most, dense * (1 - scn_smooth_step(0.2, 1.35, away)));
    }
    return p.z > 60 ? most : 0;
}

// The hairline: where around the head, from 1 in front over 0 at the sides to -1 behind, and how
// high there.
static const double hair_line[][2] = {{-1, -34},   {-0.7, -30}, {-0.45, -12}, {-0.28, 14},
                                      {-0.18, 40}, {0.02, 46},  {0.12, 40},   {0.20, 14},
                                      {0.30, 12},  {0.36, 34},  {0.42, 66},   {0.52, 88},
                                      {0.64, 104}, {0.8, 110},  {1, 112}};
enum { HAIR_POINTS = sizeof hair_line / sizeof *hair_line };

static double hair_at(sn_vec3 p) {
    double z = p.z + 5, around = z / (fabs(p.x) + fabs(z) + 1e-9);
    int i = 0;
    while (i + 2 < HAIR_POINTS && around > hair_line[i + 1][0]) {
        ++i;
    }
    const double *a = hair_line[i], *b = hair_line[i + 1];
    double line = a[1] + (around - a[0]) / (b[0] - a[0]) * (b[1] - a[1]);
    bool ear = p.x > 80 && p.y < 40;
    return ear ? 0 : scn_smooth_step(-8, 12, p.y - line);
}

// Cheek, tip of the nose, ear, chin.
static const struct {
    double strength;
    sn_vec3 center, radii;
} flushes[] = {
    {0.65, {42, 2, 92}, {30, 25, 34}},
    {0.80, {0, 1, 131}, {18, 15, 23}},
    {0.90, {83, 8, -2}, {25, 48, 34}},
    {0.35, {0, -62, 110}, {23, 16, 23}},
};

static color skin_at(sn_vec3 p) {
    color skin = {0.60, 0.375, 0.285}, red = {0.60, 0.27, 0.205}, pale = {0.63, 0.42, 0.32};
    color shade = {0.46, 0.265, 0.215};
    double blood = 0;
    for (size_t i = 0; i < sizeof flushes / sizeof *flushes; ++i) {
        blood += flushes[i].strength * scn_head_spot(p, flushes[i].center, flushes[i].radii);
    }
    skin = mixed(skin, pale, scn_smooth_step(62, 90, p.y) * 0.6);
    skin = mixed(skin, red, fmin(blood, 1));
    double socket = scn_head_spot(p, sn_vec3_make(31, 36, 92), sn_vec3_make(22, 17, 20));
    return mixed(skin, shade, 0.6 * socket);
}

static color color_at(const double *v) {
    sn_vec3 p = {fabs(v[SCN_HEAD_X]), v[SCN_HEAD_Y], v[SCN_HEAD_Z]};
    color lip = {0.50, 0.22, 0.182}, wet = {0.38, 0.090, 0.080}, hair = {0.050, 0.030, 0.020};
    color rim = {0.54, 0.285, 0.235}, flesh = {0.52, 0.235, 0.20};
    color made = mixed(skin_at(p), hair, fmax(0.85 * brow_at(p), 0.75 * hair_at(p)));
    made = mixed(made, lip, scn_smooth_step(0.35, 0.75, v[SCN_HEAD_LIP]));
    made = mixed(made, wet, scn_smooth_step(0.2, 0.9, v[SCN_HEAD_MOUTH]));
    made = mixed(made, rim, scn_smooth_step(0.3, 0.9, v[SCN_HEAD_LID]));
    made = mixed(made, hair, 0.7 * scn_smooth_step(0.3, 0.8, v[SCN_HEAD_LASH]));
    return mixed(made, flesh, scn_smooth_step(0.1, 0.5, v[SCN_HEAD_EYE]));
}

static float three_digits(double value) {
    return (float)(floor(value * 1000 + 0.5) / 1000);
}

void scn_head_paint(const double *values, float *result) {
    color made = color_at(values);
    result[0] = three_digits(made.red);
    result[1] = three_digits(made.green);
    result[2] = three_digits(made.blue);
}
