// SPDX-License-Identifier: Apache-2.0
//
// A triangle mesh as an elastic membrane that hangs on anchors (Wilhelms and Van Gelder,
// "Anatomically Based Modeling", 1997, section 5.2): every edge is a spring, every vertex is tied
// to its anchor by one of rest length zero, and rounds of relaxation move all vertices at once.
//
//     sni_membrane_create(context, &desc, &membrane, error);             once: springs, layout
//     sni_membrane_relax(membrane, &arena, &relaxation, points, &result);  every frame
//
// Stiffness of an edge (equation 1) and of an anchor (equation 2), areas and lengths at rest:
//
//     k_e = (a_1 + a_2) / len^2        k_a = C_a sum_i a_i / 3
//
// k_e has no unit but k_a is an area, so that the paper's C_a depends on the unit of length. Here
// areas of anchors are measured in squares of a `unit`, the mean edge where none is given.
//
// Force of an edge of length l and rest length r, with e = l - r:
//
//     f = k_e m(e) e,   m = 1 for e >= 0, `push` for e <= -transition r, on a line between
//
// A vertex moves by the sum of its forces over the sum D of its unmodified stiffnesses. W'' <= k_e
// for the energy W of an edge, so that k_e/2 |w|^2 + linear is an upper bound of W that touches it
// at the present edge vector w; the bounds' Hessian is L + K <= 2 D (L the Laplacian, K the
// anchors' stiffnesses), hence no round raises the energy. The paper divides by the modified
// stiffnesses, which can.
#ifndef SINEW_SOLVER_MEMBRANE_H
#define SINEW_SOLVER_MEMBRANE_H

#include "base/arena.h"

// The paper's numbers.
#define SNI_MEMBRANE_ANCHOR 0.1
#define SNI_MEMBRANE_PUSH 0.1
#define SNI_MEMBRANE_REST 0.9
#define SNI_MEMBRANE_TRANSITION 0.1
#define SNI_MEMBRANE_ROUNDS 30

// No edge is stiffer: those of needles and, without length, of triangles without area would hold
// their vertices still. An equilateral triangle has 0.87 at each edge.
#define SNI_MEMBRANE_STIFFEST 10.0

typedef struct sni_membrane_desc {
    uint32_t vertex_count;
    const float *positions; // vertex_count x 3, as extracted
    uint32_t triangle_count;
    const uint32_t *vertices; // triangle_count x 3; of any kind: borders, slivers, doubled ones
    const float *maps; // vertex_count x 9, matrices by rows: how the skin is stretched before it is
                       // at rest; an edge becomes as long as the maps of its ends make it in the
                       // mean. Stiffnesses, which have no unit, stay. NULL: it is not
    const float *elasticity; // vertex_count: factors on k_e, the mean of both ends counts; NULL: 1
    double anchor;           // C_a, not negative
    double unit;             // length that k_a is measured in; 0: the mean edge
    double push;             // 0 to 1: factor on the force of edges that are shorter than at rest
    double transition;       // greater than 0: where that is reached, in rest lengths
    double rest;             // rest length of an edge, in lengths as extracted; greater than 0
} sni_membrane_desc;

sni_membrane_desc sni_membrane_desc_default(void);

typedef struct sni_membrane sni_membrane;

// Copies what is described. Vertices without triangles have no springs. Fails with SN_INVALID for a
// vertex that is not there and a number that is out of range or not finite.
sn_status sni_membrane_create(sn_context *context, const sni_membrane_desc *desc,
                              sni_membrane **membrane, sn_error *error);
void sni_membrane_destroy(sni_membrane *membrane);
size_t sni_membrane_bytes(const sni_membrane *membrane);

typedef struct sni_relaxation {
    const float *anchors; // vertex_count x 3
    const float *spheres; // vertex_count x 4: centre and radius of what a vertex must stay outside
                          // of, radius 0: nothing; NULL: none
    const float *start;   // vertex_count x 3; NULL: the anchors
    uint32_t rounds;      // at most
    double tolerance;     // stops when no vertex moves further in a round
    bool accelerate;      // Chebyshev steps; one that raised the energy is taken back
    bool paper_steps;     // divides by the modified stiffnesses; not together with `accelerate`
} sni_relaxation;

typedef struct sni_relaxation_result {
    uint32_t rounds;   // that were made
    uint32_t restarts; // accelerated steps taken back
    double largest;    // relaxation vector of the last round
    double residual;   // of the last round: sqrt(sum D |d|^2 / sum D) over relaxation vectors d
} sni_relaxation_result;

// Relaxes; writes vertex_count x 3 points, the same bits for any number of threads. False when
// memory runs out. `result` may be NULL.
bool sni_membrane_relax(const sni_membrane *membrane, sni_arena *arena,
                        const sni_relaxation *relaxation, float *points,
                        sni_relaxation_result *result);

// The elastic energy of edges and anchors, in double.
sn_status sni_membrane_energy(const sni_membrane *membrane, const float *anchors,
                              const float *points, double *energy, sn_error *error);

#endif
