// SPDX-License-Identifier: Apache-2.0
//
// B-spline and NURBS patches (Piegl and Tiller, The NURBS Book, 1997): evaluation, derivatives and
// closest points, in double precision.
//
//     S(u, v) = sum N_i,p(u) N_j,q(v) w_ij P_ij / sum N_i,p(u) N_j,q(v) w_ij
//
// Direction 0 is u, direction 1 is v. An open direction of `count` points and degree p has
// count + p + 1 knots, usually clamped; its domain is [knots[p], knots[count]]. A closed one runs
// on into its own beginning: point i stands for i modulo count, there are count + 2 p + 1 knots,
// and the domain is [knots[p], knots[count + p]].
//
// All spans are borrowed.
#ifndef SINEW_GEOMETRY_NURBS_H
#define SINEW_GEOMETRY_NURBS_H

#include "base/memory.h"
#include "sinew/vector.h"

// The highest degree. Bases live on the stack; above 7 surfaces only swing more.
#define SNI_NURBS_DEGREE 7

typedef struct sni_nurbs {
    uint32_t degrees[2];
    uint32_t counts[2];
    bool closed[2];
    const double *knots[2];
    const double *points;  // counts[0] x counts[1] x 3, v fastest
    const double *weights; // counts[0] x counts[1], above 0; NULL: all 1
} sni_nurbs;

// Values of the functions that are not zero at a parameter, and their first two derivatives. Entry
// k belongs to point (first + k), modulo the count where the direction is closed.
typedef struct sni_nurbs_basis {
    uint32_t first;
    double values[3][SNI_NURBS_DEGREE + 1];
} sni_nurbs_basis;

typedef struct sni_nurbs_jet {
    sn_vec3 s, su, sv, suu, suv, svv;
} sni_nurbs_jet;

uint32_t sni_nurbs_knot_count(uint32_t degree, uint32_t count, bool closed);

// Equally wide spans over the domain [0, 1], clamped at the ends of an open direction.
void sni_nurbs_uniform_knots(uint32_t degree, uint32_t count, bool closed, double *knots);

// Checks degrees, counts (an open direction has more points than its degree; a closed one at least
// 3 and as many as its degree), knots (finite, not falling, a domain that is not empty), points and
// weights.
sn_status sni_nurbs_validate(const sni_nurbs *nurbs, sn_error *error);

void sni_nurbs_domain(const sni_nurbs *nurbs, int direction, double *low, double *high);

// Parameters outside the domain are moved to its end, or wrapped in a closed direction.
double sni_nurbs_clamp(const sni_nurbs *nurbs, int direction, double t);
void sni_nurbs_basis_at(const sni_nurbs *nurbs, int direction, double t, int derivatives,
                        sni_nurbs_basis *basis);
uint32_t sni_nurbs_index(const sni_nurbs *nurbs, const sni_nurbs_basis *u, uint32_t i,
                         const sni_nurbs_basis *v, uint32_t j);
sn_vec3 sni_nurbs_point(const sni_nurbs *nurbs, double u, double v);
// The same from bases that are known, for points in rows and columns.
sn_vec3 sni_nurbs_point_of(const sni_nurbs *nurbs, const sni_nurbs_basis *u,
                           const sni_nurbs_basis *v);
void sni_nurbs_derivatives(const sni_nurbs *nurbs, double u, double v, sni_nurbs_jet *jet);

// ---------------------------------------------------------------------------------------------
// Closest points (nurbs_closest.c)

typedef struct sni_nurbs_closest {
    double u, v;
    sn_vec3 point;
    double distance;
    bool found;     // something lies within the radius
    bool ambiguous; // another place, more than a quarter of the domain away, is at most 5 % further
} sni_nurbs_closest;

// What all searches on one surface share. The surface is borrowed and must stay as it is.
typedef struct sni_nurbs_finder sni_nurbs_finder;

// The surface must pass sni_nurbs_validate. Fails only for want of memory.
sn_status sni_nurbs_finder_create(sn_context *context, const sni_nurbs *nurbs,
                                  sni_nurbs_finder **finder, sn_error *error);
void sni_nurbs_finder_destroy(sni_nurbs_finder *finder);

// The closest place at most `radius` away (INFINITY for any). Several threads may search at once.
void sni_nurbs_find_closest(const sni_nurbs_finder *finder, sn_vec3 point, double radius,
                            sni_nurbs_closest *closest);

#endif
