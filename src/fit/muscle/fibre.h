// SPDX-License-Identifier: Apache-2.0
//
// The steps of sn_fit_fibres (docs/fitting.md): strips of sections become axes, their areas become
// exponents and a volume, and both surfaces are compared by sampling.
#ifndef SINEW_FIT_MUSCLE_FIBRE_H
#define SINEW_FIT_MUSCLE_FIBRE_H

#include "fit/muscle/fit.h"
#include "muscle/fibre/axis.h"

// ---------------------------------------------------------------------------------------------
// Profile

// The area of a section at a place along the axis.
typedef struct sni_fit_area {
    double place; // metres from the axis' first end
    double area;
} sni_fit_area;

// The beta profile that areas follow best.
typedef struct sni_fit_profile {
    sni_beta beta;
    double volume;        // under the areas, cubic metres
    double before, after; // metres by which the axis goes on beyond its two ends
    double shared;        // part of the volume that profile and areas have in common along the axis
} sni_fit_profile;

// Finds exponents of 2 to 9 for areas at rising places on an axis of a length. Unless the axis is
// `fixed`, blunt ends are met by one that goes on beyond them, by at most 15 % of its length each.
sni_fit_profile sni_fit_profile_find(const sni_fit_area *areas, uint32_t count, double length,
                                     bool fixed);

// ---------------------------------------------------------------------------------------------
// Overlap

// A fibre as it stands at rest.
typedef struct sni_fit_spindle {
    sni_fibre_axis axis;
    sni_fibre_profile profile;
    double width; // w, metres
    double eccentricity;
} sni_fit_spindle;

typedef struct sni_fit_overlap {
    double mesh;    // volume of the given surface by sampling, cubic metres
    double fibres;  // of the fibres together
    double overlap; // volume that both have, as a part of what either has
} sni_fit_overlap;

// Compares fibres with a surface. Where the fibres together do not have the volume `volume` to the
// part `slack`, all widths are first multiplied by one factor between 0.8 and 1.3 that gives it to
// them; `factor` is that factor, or 1.
sn_status sni_fit_overlap_measure(const sni_fit_surface *surface, sn_context *context,
                                  const sni_fit_spindle *spindles, uint32_t count, double volume,
                                  double slack, double *factor, sni_fit_overlap *overlap,
                                  sn_error *error);

// sn_fit_fibres with trees of the desc's bones, which may be NULL.
sn_status sni_fit_fibres(sn_context *context, const sn_muscle_fit_desc *desc,
                         const sni_bone_trees *trees, sn_fibre_fit **fit, sn_error *error);

#endif
