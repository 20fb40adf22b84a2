// SPDX-License-Identifier: Apache-2.0
//
// The surface of a muscle of kind `graph` in a pose: equation 4.11 of the thesis, with frames that
// stretch along the path and sections that expansion points widen. A vertex is
//
//     K(f) = A + f B
//     A = sum_i w_i (o_i + l_i (x X_i + p_y Y_i + p_z Z_i) + (y - g_y) Y_i + (z - g_z) Z_i)
//     B = sum_i w_i m_i (g_y Y_i + g_z Z_i)
//
// with the origin o and the unit axes X, Y, Z of control point i, and l how much the path is
// stretched there. Of the vertex in its frame at rest x is along the path, p the nearest place of
// the path and (y, z) how far the vertex stands away from that; g is what its expansion points make
// of this (weights.c), and f their common factor, of which tension gives each control point a share
// m_i. What is drawn is
//
//     given + (K now - K at rest)
//
// so that it is the given surface at rest, bit for bit, whatever rounding made of K.
//
// Vertices are linear in f, hence the volume is a cubic of f, whose coefficients are sums over the
// triangles: one pass over these finds the volume for every f.
#ifndef SINEW_MUSCLE_GRAPH_SURFACE_H
#define SINEW_MUSCLE_GRAPH_SURFACE_H

#include "muscle/graph/graph.h"

// Coefficients of the volume by powers of f.
typedef struct sni_graph_cubic {
    double c[4];
} sni_graph_cubic;

static inline double sni_graph_cubic_at(const sni_graph_cubic *cubic, double f) {
    const double *c = cubic->c;
    return c[0] + f * (c[1] + f * (c[2] + f * c[3]));
}

static inline double sni_graph_cubic_slope(const sni_graph_cubic *cubic, double f) {
    const double *c = cubic->c;
    return c[1] + f * (2 * c[2] + f * 3 * c[3]);
}

// A and B of all vertices, x 3, relative to the reference of the table: SNI_GRAPH_ROW_FLOATS for
// each control point, four for each of o, l X, l Y, l Z, Y, Z, m Y and m Z.
void sni_graph_find_surface(const sni_graph *graph, const float *table, float *a, float *b);

// The volume within A + f B.
void sni_graph_find_volume(const sni_graph *graph, const float *a, const float *b,
                           sni_graph_cubic *volume);

// The surface for a factor, in the world; `shift` is how far the reference went since rest.
void sni_graph_place_surface(const sni_graph *graph, const float *a, const float *b, double factor,
                             sn_vec3 shift, float *surface);

#endif
