// SPDX-License-Identifier: Apache-2.0
//
// Sculpting the head's skin: evening out, and brushes that press, pull and draw.
//
// Brushes are written for the left side. Each acts on the right one as its mirror image, so that
// the surface stays symmetric up to rounding.
#include "scenes/head_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put(scn_head_surface *surface, uint32_t vertex, sn_vec3 p) {
    double *v = surface->values[vertex];
    v[SCN_HEAD_X] = p.x;
    v[SCN_HEAD_Y] = p.y;
    v[SCN_HEAD_Z] = p.z;
}

// ---------------------------------------------------------------------------------------------
// Evening out

// How far a place is evened out: the vault, the temples, the back of the head and the neck are
// plain, the features of the face are not touched.
static double plainness(sn_vec3 p) {
    double side = fabs(p.x);
    double vault = scn_smooth_step(60, 80, p.y);
    double back = 1 - scn_smooth_step(-30, -18, p.z);
    double neck = (1 - scn_smooth_step(-88, -74, p.y)) * scn_smooth_step(-134, -124, p.y);
    double temple = scn_smooth_step(60, 68, side) * scn_smooth_step(38, 50, p.y);
    sn_vec3 left = {side, p.y, p.z};
    double cheek = scn_head_spot(left, sn_vec3_make(38, 3, 96), sn_vec3_make(22, 16, 20));
    double trough = scn_head_spot(left, sn_vec3_make(20, 20, 97), sn_vec3_make(11, 12, 12));
    return fmax(fmax(fmax(vault, back), fmax(neck, temple)), fmax(0.6 * cheek, 0.9 * trough));
}

// One step of smoothing by `factor` of the way to the mean of the neighbours; Taubin, "A signal
// processing approach to fair surface design", 1995: a step back follows, so that nothing shrinks.
// Vertices of the border, which have edges with one quad, stay.
static void even_out(scn_head_surface *surface, double (*sums)[4], double factor) {
    memset(sums, 0, surface->vertex_count * sizeof *sums);
    for (uint32_t q = 0; q < surface->quad_count; ++q) {
        const uint32_t *c = surface->quads[q].corners;
        for (int i = 0; i < 4; ++i) {
            uint32_t a = c[i], b = c[(i + 1) % 4];
            for (int k = 0; k < 3; ++k) {
                sums[a][k] += surface->values[b][k];
                sums[b][k] += surface->values[a][k];
            }
            sums[a][3] += 1;
            sums[b][3] += 1;
        }
    }
    for (uint32_t i = 0; i < surface->vertex_count; ++i) {
        sn_vec3 p = scn_head_position(surface, i);
        double share = factor * plainness(p) * (p.y > -120);
        if (share != 0 && sums[i][3] > 0) {
            sn_vec3 mean = {sums[i][0] / sums[i][3], sums[i][1] / sums[i][3],
                            sums[i][2] / sums[i][3]};
            put(surface, i, sn_vec3_lerp(p, mean, share));
        }
    }
}

bool scn_head_even_out(scn_head_surface *surface, int rounds) {
    double(*sums)[4] = malloc(surface->vertex_count * sizeof *sums);
    for (int round = 0; sums != NULL && round < rounds; ++round) {
        even_out(surface, sums, 0.5);
        even_out(surface, sums, -0.52);
    }
    free(sums);
    return sums != NULL;
}

// ---------------------------------------------------------------------------------------------
// Brushes

enum { STROKE_POINTS = 7 };

// Moves what lies within an ellipsoid, most in its middle.
typedef struct press {
    sn_vec3 center, radii, by;
} press;

// Raises (or, below 0, lowers) the skin along its normal beside a line.
typedef struct stroke {
    double height, radius;
    int count;
    double points[STROKE_POINTS][3];
} stroke;

// clang-format off
static const press presses[] = {
    // chin
    {{0, -64, 110}, {22, 15, 24}, {0, 0, 1.2}},
    // trough below the inner corner of the eye, and where it meets the cheek
    {{21, 27, 93}, {7, 5, 8}, {0, 0, 0.9}},
    {{20.5, 10, 99}, {9, 6, 9}, {0, 0, 0.7}},
    // larynx
    {{0, -101, 52}, {10, 14, 14}, {0, 0, 1.8}},
};

static const stroke strokes[] = {
    // philtrum: a groove between two columns
    {-0.9, 4.0, 2, {{0, -14.5, 115}, {0, -23, 118}}},
    {0.35, 3.2, 2, {{4.2, -14, 114.5}, {5.6, -23, 117.6}}},
    // fold of the upper lid, and the fullness above it
    {-0.9, 1.9, 7, {{18.6, 38.6, 94.0}, {22.0, 43.2, 95.2}, {26.5, 45.6, 95.8}, {31.2, 46.4, 95.8},
                    {36.5, 45.8, 94.4}, {42.0, 43.4, 91.2}, {46.4, 40.2, 87.6}}},
    {0.7, 3.4, 6, {{22.0, 46.6, 97}, {26.5, 49.4, 98}, {31.2, 50.4, 98},
                   {36.5, 49.8, 96.4}, {42.5, 47.2, 92.8}, {47.4, 43.2, 88.4}}},
    // groove behind the wing of the nose
    {-0.9, 2.6, 5, {{13.2, 9.0, 110}, {15.8, 6.4, 106.4}, {18.4, 2.2, 103.4}, {19.6, -3.4, 102}, {19.0, -8.6, 102}}},
    // edge of the jaw, and the hollow below it
    {1.0, 9.0, 5, {{30, -66, 87}, {46, -51, 78}, {56, -46, 61}, {61, -44, 41}, {64, -28, 25}}},
    // sternomastoid
    {1.4, 9.0, 5, {{60, -26, -4}, {56, -52, 2}, {48, -78, 16}, {34, -106, 34}, {17, -130, 43}}},
    {-1.6, 9.0, 4, {{34, -73, 71}, {46, -62, 58}, {54, -56, 40}, {58, -50, 24}}},
};
// clang-format on

static sn_vec3 press_at(const press *b, sn_vec3 p) {
    return sn_vec3_scale(b->by, scn_head_spot(p, b->center, b->radii));
}

static double stroke_at(const stroke *b, sn_vec3 p) {
    double nearest = INFINITY;
    for (int i = 0; i + 1 < b->count; ++i) {
        sn_vec3 from = {b->points[i][0], b->points[i][1], b->points[i][2]};
        sn_vec3 to = {b->points[i + 1][0], b->points[i + 1][1], b->points[i + 1][2]};
        sn_vec3 along = sn_vec3_sub(to, from), off = sn_vec3_sub(p, from);
        double t = sn_vec3_dot(off, along) / sn_vec3_dot(along, along);
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        sn_vec3 rest = sn_vec3_add_scaled(off, -t, along);
        nearest = fmin(nearest, sn_vec3_dot(rest, rest));
    }
    return b->height * scn_head_falloff(nearest / (b->radius * b->radius));
}

static sn_vec3 brushed(sn_vec3 p, sn_vec3 normal) {
    sn_vec3 moved = p;
    for (size_t i = 0; i < sizeof presses / sizeof *presses; ++i) {
        moved = sn_vec3_add(moved, press_at(&presses[i], p));
        if (presses[i].center.x != 0) {
            moved = sn_vec3_add(moved, scn_mirrored(press_at(&presses[i], scn_mirrored(p))));
        }
    }
    for (size_t i = 0; i < sizeof strokes / sizeof *strokes; ++i) {
        double height = stroke_at(&strokes[i], p);
        height += strokes[i].points[0][0] != 0 ? stroke_at(&strokes[i], scn_mirrored(p)) : 0;
        moved = sn_vec3_add_scaled(moved, height, normal);
    }
    return moved;
}

static void add_normals(const scn_head_surface *surface, sn_vec3 *normals) {
    for (uint32_t q = 0; q < surface->quad_count; ++q) {
        const uint32_t *c = surface->quads[q].corners;
        sn_vec3 normal = sn_vec3_cross(
            sn_vec3_sub(scn_head_position(surface, c[2]), scn_head_position(surface, c[0])),
            sn_vec3_sub(scn_head_position(surface, c[3]), scn_head_position(surface, c[1])));
        for (int i = 0; i < 4; ++i) {
            normals[c[i]] = sn_vec3_add(normals[c[i]], normal);
        }
    }
}

bool scn_head_sculpt(scn_head_surface *surface) {
    sn_vec3 *normals = calloc(surface->vertex_count, sizeof *normals);
    if (normals == NULL) {
        return false;
    }
    add_normals(surface, normals);
    for (uint32_t i = 0; i < surface->vertex_count; ++i) {
        sn_vec3 normal = sn_vec3_normalize_or(normals[i], sn_vec3_make(0, 0, 0));
        // Brushes are for the face's outside.
        if (surface->values[i][SCN_HEAD_MOUTH] < 0.5) {
            put(surface, i, brushed(scn_head_position(surface, i), normal));
        }
    }
    free(normals);
    return true;
}
