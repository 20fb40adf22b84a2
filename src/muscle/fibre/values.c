// SPDX-License-Identifier: Apache-2.0
//
// What the parameters of a fibre muscle say in a frame, and how active it is.
#include "muscle/fibre/fibre.h"

#include "muscle/carried.h"

#include <math.h>

// Of the width, where no thickness is given.
static const double thickness_of_width = 0.8;

// A size of the frame, in metres; `standard` where the muscle has none of its own. One that is
// driven has to be above 0.
static sn_status size_now(const sni_fibre *f, const double *now, uint32_t index, const char *name,
                          double standard, double *size, sn_error *error) {
    double given = sni_parameter_now(now, index, f->parameters[index]);
    bool in_lengths = f->parameters[SNI_FIBRE_SIZES] == SNI_SIZES_LENGTH;
    if (!(given > 0) && f->parameters[index] > 0) {
        return sni_fail(error, SN_INVALID, "%s: its %s is %g, but it must be above 0", f->name,
                        name, given);
    }
    *size = given > 0 ? given * (in_lengths ? f->rest_length : 1) : standard;
    return SN_OK;
}

// The eccentricity of sections by the ratio of their thickness to their width, u / v = u^2 =
// sqrt(1 - e^2).
static double eccentricity_of(double ratio) {
    return sqrt(fmax(0, 1 - ratio * ratio));
}

sn_status sni_fibre_values_of(const sni_fibre *f, const double *now, sni_fibre_values *values,
                              sn_error *error) {
    static const double slack = 1e-9; // of the ratio: sizes may be rounded
    const double *bound = f->parameters;
    double width = 0, thickness = 0;
    sn_status status = SN_OK;
    if (now != NULL) {
        SN_TRY(sni_parameters_validate(&sni_muscle_fibre.parameters, f->name, now, error));
    }
    SN_TRY(size_now(f, now, SNI_FIBRE_WIDTH, "width", f->standard_width, &width, error));
    SN_TRY(size_now(f, now, SNI_FIBRE_THICKNESS, "thickness", thickness_of_width * width,
                    &thickness, error));
    double ratio = thickness / width;
    if (!(ratio <= 1 + slack && ratio >= SNI_FIBRE_THINNEST - slack)) {
        return sni_fail(error, SN_INVALID,
                        "%s: its thickness %.9g m must be from %g of its width %.9g m to all of it",
                        f->name, thickness, SNI_FIBRE_THINNEST, width);
    }
    double flat = sni_parameter_now(now, SNI_FIBRE_FLATTENING, bound[SNI_FIBRE_FLATTENING]);
    if (flat > 0 && flat < SNI_FIBRE_THINNEST) {
        return sni_fail(error, SN_INVALID, "%s: its flattening is %g, but it must be 0, or %g to 1",
                        f->name, flat, SNI_FIBRE_THINNEST);
    }
    double relaxed = eccentricity_of(ratio);
    // The belly is 2 w Phi v wide, v = 1/u.
    double most = sni_fibre_profile_most(&f->profile, 0);
    *values = (sni_fibre_values){
        .width = width / 2 * sni_fibre_half_axis(relaxed) / most,
        .eccentricity = {relaxed, flat > 0 ? eccentricity_of(flat) : relaxed},
        .thickness = thickness,
        .bulge = sni_parameter_now(now, SNI_FIBRE_BULGE, bound[SNI_FIBRE_BULGE]),
        .stiffness = sni_parameter_now(now, SNI_FIBRE_STIFFNESS, bound[SNI_FIBRE_STIFFNESS]),
        .inertia = sni_parameter_now(now, SNI_FIBRE_INERTIA, bound[SNI_FIBRE_INERTIA]),
        .damping = sni_parameter_now(now, SNI_FIBRE_DAMPING, bound[SNI_FIBRE_DAMPING]),
        .flexed_length =
            sni_parameter_now(now, SNI_FIBRE_FLEXED_LENGTH, bound[SNI_FIBRE_FLEXED_LENGTH]),
        .smoothing = sni_parameter_now(now, SNI_FIBRE_SMOOTHING, bound[SNI_FIBRE_SMOOTHING])};
cleanup:
    return status;
}

double sni_fibre_target(const sni_fibre *f, const sni_fibre_values *values,
                        const sni_muscle_pose_job *job, double length) {
    double told = fmin(1, fmax(0, fmax(job->contraction, job->tension)));
    double flexed = (1 - length / f->rest_length) / (1 - values->flexed_length);
    flexed = fmin(1, fmax(0, flexed));
    return f->activated_by == SNI_FIBRE_BY_CONTROLS ? told
           : f->activated_by == SNI_FIBRE_BY_LENGTH ? flexed
                                                    : fmax(told, flexed);
}

// a' = (g - a) / T, with the target g going straight from g0 to g1 in the time h:
//
//     a(h) = g1 - T m + (a(0) - g0 + T m) exp(-h / T),   m = (g1 - g0) / h
double sni_fibre_smooth(double activation, double from, double to, double time_step,
                        double smoothing) {
    if (!(smoothing > 0)) {
        return to;
    }
    if (!(time_step > 0)) {
        return activation;
    }
    double late = smoothing * (to - from) / time_step;
    double next = to - late + (activation - from + late) * exp(-time_step / smoothing);
    return fmin(1, fmax(0, next));
}
