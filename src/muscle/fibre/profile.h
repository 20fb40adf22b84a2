// SPDX-License-Identifier: Apache-2.0
//
// How thick a fibre muscle is along its axis (V. Roussellet et al., "Dynamic implicit muscles for
// character skinning", 2018, section 5 and appendices).
//
// At rest and activated, the thickness along the arc length s, 0 to 1, is a beta profile:
//
//     phi(s) = s^(a-1) (1-s)^(b-1) / sqrt(I),   I = B(2a-1, 2b-1),   so that int phi^2 = 1
//
// In between, with the activation A:
//
//     Phi(s) = ((1-A) phi_rest + A phi_active) / sqrt(F),   F = (1-A)^2 + A^2 + 2 A (1-A) K
//     K = int phi_rest phi_active                           so that int Phi^2 = 1 again
//
// A muscle of width w and length l then has the volume pi w^2 l, whatever its activation. (In
// appendix B the exponent of 1-s in the integral of K is printed as b0+b1-1; it is b0+b1-2.)
//
// An exponent of 1 leaves an end open; such an end is closed by a taper over a twentieth of the
// length, and the integrals are computed by quadrature.
#ifndef SINEW_MUSCLE_FIBRE_PROFILE_H
#define SINEW_MUSCLE_FIBRE_PROFILE_H

#include <stdint.h>

enum { SNI_FIBRE_EXPONENT_MOST = 9 };

// Part of the length over which an open end is closed.
#define SNI_FIBRE_TAPER 0.05

// The exponents a and b, 1 to 9: a muscle is thickest at (a-1) / (a+b-2) of its length.
typedef struct sni_beta {
    uint32_t a, b;
} sni_beta;

typedef struct sni_fibre_profile {
    sni_beta rest, active;
    double rest_factor, active_factor; // 1 / sqrt(I)
    double overlap;                    // K
    double rest_most;                  // the largest value at rest
} sni_fibre_profile;

sni_fibre_profile sni_fibre_profile_make(sni_beta rest, sni_beta active);

// Phi at s, and its slope by s in `slope` (may be NULL); 0 outside of 0 to 1.
double sni_fibre_profile_at(const sni_fibre_profile *profile, double activation, double s,
                            double *slope);

// Phi at many places, with the same bits.
void sni_fibre_profile_values(const sni_fibre_profile *profile, double activation, uint32_t count,
                              const double *places, double *values);

// The largest value of Phi.
double sni_fibre_profile_most(const sni_fibre_profile *profile, double activation);

// F at an activation.
double sni_fibre_profile_norm(const sni_fibre_profile *profile, double activation);

// The half-axes of a section of eccentricity e, 0 to below 1, relative to the radius of a round one
// of the same area: u = (1 - e^2)^(1/4) across, 1/u along the normal of the axis, which is the wide
// direction (equation 5).
double sni_fibre_half_axis(double eccentricity);

#endif
