// SPDX-License-Identifier: Apache-2.0
//
// How hard a muscle pulls. With its length l and rate of change v as parts of the length at rest,
// fibre lengths are measured in units of the optimal one:
//
//     x = (l - tendon) / (optimum - tendon),  y = v / (optimum - tendon) / speed
//
//     T = strength (a fL(x) fV(y) + fP(x) + tone max(l - 1, 0) + viscosity y),  not below 0
//
//     fL = exp(-(x - 1)^2 / 0.45)
//     fV = (1 + y) / (1 - 4 y)                   shortening; 0 below y = -1
//          1 + 0.4 y / (y + 0.08)                lengthening
//     fP = passive (exp(4 (x - 1) / 0.6) - 1) / (exp(4) - 1)      for x > 1, straight on above 1.6
//
// after A. V. Hill (1938) with the constants of D. G. Thelen, "Adjustment of muscle mechanics model
// parameters to simulate dynamic contractions in older adults" (2003); the viscosity is that of
// M. Millard et al., "Flexing computational muscle" (2013). The tone stands for what brings a body
// back to its posture when nothing else is active: the elasticity of what lies around it, and the
// stretch reflex.
//
// The other law is that of muscles which are tied to a bone by springs of length zero (face thesis,
// 4.5.2): the contracted muscle would be (1 - shortening a) long, and what is missing stretches the
// spring, at most by what the contraction has made it.
//
//     T = strength / shortening  min(l - (1 - shortening a), shortening a),  not below 0
#include "solver/rigid.h"

#include <math.h>

// Width of the force-length curve, squared; strain and steepness of the passive one.
static const double active_width = 0.45, passive_strain = 0.6, passive_steepness = 4;
// The hyperbola of shortening, and the limit of lengthening.
static const double hyperbola = 4, most_lengthening = 0.4, lengthening_speed = 0.08;
// A fibre is never thinner than this part of the length at rest, whatever tendons say.
static const double shortest_fibre = 0.05;

static double active_at(double x, double *slope) {
    double value = exp(-(x - 1) * (x - 1) / active_width);
    *slope = -2 * (x - 1) / active_width * value;
    return value;
}

static double speed_factor(double y, double *slope) {
    if (y <= -1) {
        *slope = 0;
        return 0;
    }
    if (y < 0) {
        double below = 1 - hyperbola * y;
        *slope = (1 + hyperbola) / (below * below);
        return (1 + y) / below;
    }
    double below = y + lengthening_speed;
    *slope = most_lengthening * lengthening_speed / (below * below);
    return 1 + most_lengthening * y / below;
}

static double passive_at(double x, double *slope) {
    double whole = expm1(passive_steepness), rate = passive_steepness / passive_strain;
    double strain = fmin(x - 1, passive_strain);
    if (strain <= 0) {
        *slope = 0;
        return 0;
    }
    *slope = rate * exp(rate * strain) / whole;
    return expm1(rate * strain) / whole + *slope * (x - 1 - strain);
}

static double hill(const sni_rigid_muscle *m, double activation, double length, double before,
                   double step, double *slope) {
    double fibre = fmax(m->optimum - m->tendon, shortest_fibre);
    double x = (length - m->tendon) / fibre, active_slope, passive_slope, speed_slope;
    double passive = m->passive * passive_at(x, &passive_slope) + m->tone * fmax(length - 1, 0);
    double stiffness = m->passive * passive_slope / fibre + (length > 1 ? m->tone : 0);
    if (!(step > 0)) {
        double active = activation * active_at(x, &active_slope);
        *slope = m->strength * (activation * active_slope / fibre + stiffness);
        return m->strength * (active + passive);
    }
    double rate = 1 / (step * fibre * m->speed), y = (length - before) * rate;
    double active = activation * active_at((before - m->tendon) / fibre, &active_slope);
    double factor = speed_factor(y, &speed_slope);
    double tension = active * factor + passive + m->viscosity * y;
    *slope = m->strength * (rate * (active * speed_slope + m->viscosity) + stiffness);
    if (tension <= 0) {
        *slope = 0;
        return 0;
    }
    return m->strength * tension;
}

static double spring(const sni_rigid_muscle *m, double activation, double length, double *slope) {
    double missing = length - 1 + m->shortening * activation;
    bool pulls = missing > 0 && missing < m->shortening * activation;
    *slope = pulls ? m->strength / m->shortening : 0;
    return m->strength / m->shortening * fmin(fmax(missing, 0), m->shortening * activation);
}

double sni_rigid_tension(const sni_rigid_muscle *muscle, double activation, double length,
                         double before, double step, double *slope) {
    if (muscle->law == SNI_TENSION_HILL) {
        return hill(muscle, activation, length, before, step, slope);
    }
    double tension = spring(muscle, activation, length, slope);
    double drag = step > 0 ? muscle->strength * muscle->viscosity / (step * muscle->speed) : 0;
    tension += drag * (length - before);
    *slope = tension > 0 ? *slope + drag : 0;
    return fmax(tension, 0);
}
