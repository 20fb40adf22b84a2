// SPDX-License-Identifier: Apache-2.0
#include "muscle/wrap_object_internal.h"

#include "muscle/carried.h"

#include <math.h>

// A side that is closer than this to the straight way, as a sine, says nothing about it.
static const double no_side = 1e-6;

// A straight way that passes the centre this far towards the side or away from it, in radii, has
// its way around in the plane through the centre.
static const double groove = 0.5;

static double dot(sni_plane_point a, sni_plane_point b) {
    return a.x * b.x + a.y * b.y;
}

// The direction across the straight way in which the way around passes: that of the side, or the
// one in which the straight way passes the centre.
static sni_plane_point passing(sni_plane_point a, sni_plane_point b, const sni_plane_point *side) {
    double length = hypot(b.x - a.x, b.y - a.y);
    sni_plane_point across = {(a.y - b.y) / length, (b.x - a.x) / length};
    bool sided = side != NULL && fabs(dot(across, *side)) > no_side;
    double sign = (sided ? dot(across, *side) : dot(across, a)) < 0 ? -1 : 1;
    return (sni_plane_point){sign * across.x, sign * across.y};
}

// From a around the circle to b. The tangent from a point at distance r touches at acos(1 / r) from
// its direction; what is left of the angle between the points is on the circle.
static bool find_turn(sni_plane_point a, sni_plane_point b, const sni_plane_point *side,
                      sni_wrap_turn *t) {
    double ra = hypot(a.x, a.y), rb = hypot(b.x, b.y);
    if (!(ra > 1) || !(rb > 1) || (a.x == b.x && a.y == b.y)) {
        return false;
    }
    sni_plane_point past = passing(a, b, side);
    double middle = atan2(past.y, past.x), from = atan2(a.y, a.x);
    double around =
        remainder(atan2(b.y, b.x) - middle, 2 * SN_PI) - remainder(from - middle, 2 * SN_PI);
    double sense = around < 0 ? -1 : 1;
    double angle = fabs(around) - acos(1 / ra) - acos(1 / rb);
    *t = (sni_wrap_turn){.start = from + sense * acos(1 / ra),
                         .angle = sense * angle,
                         .before = sqrt(ra * ra - 1),
                         .after = sqrt(rb * rb - 1)};
    return angle > 0;
}

sn_vec3 sni_wrap_to_body(const sni_wrap_body *body, sn_vec3 p) {
    sn_vec3 from = sn_vec3_sub(p, body->center);
    return sn_vec3_make(sn_vec3_dot(from, body->axes[0]) / body->radii[0],
                        sn_vec3_dot(from, body->axes[1]) / body->radii[1],
                        sn_vec3_dot(from, body->axes[2]) / body->radii[2]);
}

// A direction of the body, in units of its radii, outside of it.
static sn_vec3 from_body(const sni_wrap_body *body, sn_vec3 v) {
    sn_vec3 sum = sn_vec3_scale(body->axes[0], body->radii[0] * v.x);
    sum = sn_vec3_add_scaled(sum, body->radii[1] * v.y, body->axes[1]);
    return sn_vec3_add_scaled(sum, body->radii[2] * v.z, body->axes[2]);
}

sn_vec3 sni_wrap_side(const sni_wrap_body *body) {
    double sign = body->side < 0 ? -1 : 1;
    int axis = body->side * (int)sign;
    return sn_vec3_make(axis == 1 ? sign : 0, axis == 2 ? sign : 0, axis == 3 ? sign : 0);
}

// The arc that begins in the direction at `start` from u towards v, both in units of the body's
// radii.
static void set_circle(const sni_wrap_body *body, sn_vec3 u, sn_vec3 v, const sni_wrap_turn *t,
                       sni_wrap_arc *arc) {
    double c = cos(t->start), s = sin(t->start), sense = t->angle < 0 ? -1 : 1;
    arc->p = from_body(body, sn_vec3_add_scaled(sn_vec3_scale(u, c), s, v));
    arc->q = from_body(body, sn_vec3_add_scaled(sn_vec3_scale(u, -sense * s), sense * c, v));
    arc->angle = fabs(t->angle);
    arc->center = body->center;
    arc->rise = sn_vec3_make(0, 0, 0);
}

bool sni_wrap_wind(const sni_wrap_body *body, sn_vec3 pa, sn_vec3 pb, const sni_wrap_turn *t,
                   sni_wrap_arc *arc) {
    double radius = body->radii[0], za = pa.z * body->radii[2], zb = pb.z * body->radii[2];
    double slope = (zb - za) / (t->before + fabs(t->angle) + t->after); // per radius
    double enter = za + slope * t->before, leave = zb - slope * t->after;
    if (fabs(enter) > body->half_length && fabs(leave) > body->half_length) {
        return false;
    }
    set_circle(body, sn_vec3_make(1, 0, 0), sn_vec3_make(0, 1, 0), t, arc);
    arc->center = sn_vec3_add_scaled(body->center, enter, body->axes[2]);
    arc->rise = sn_vec3_scale(body->axes[2], leave - enter);
    arc->length = hypot(radius * arc->angle, leave - enter);
    return true;
}

static bool wrap_cylinder(const sni_wrap_body *body, sn_vec3 a, sn_vec3 b, sni_wrap_arc *arc) {
    sn_vec3 pa = sni_wrap_to_body(body, a), pb = sni_wrap_to_body(body, b), d = sni_wrap_side(body);
    sni_plane_point side = {d.x, d.y};
    sni_wrap_turn t;
    return find_turn((sni_plane_point){pa.x, pa.y}, (sni_plane_point){pb.x, pb.y},
                     body->side != 0 ? &side : NULL, &t) &&
           sni_wrap_wind(body, pa, pb, &t, arc);
}

static double speed(const sni_wrap_arc *arc, double angle) {
    return sn_vec3_length(
        sn_vec3_sub(sn_vec3_scale(arc->q, cos(angle)), sn_vec3_scale(arc->p, sin(angle))));
}

// The length of an arc of an ellipse, by Gauss' rule of five points on equal parts.
static double ellipse_length(const sni_wrap_arc *arc) {
    static const double at[] = {0, 0.5384693101056831, 0.9061798459386640};
    static const double weights[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    enum { PARTS = 16 };
    double half = arc->angle / (2 * PARTS), sum = 0;
    for (int i = 0; i < PARTS; ++i) {
        double middle = (2 * i + 1) * half;
        sum += weights[0] * speed(arc, middle);
        for (int k = 1; k < 3; ++k) {
            sum += weights[k] *
                   (speed(arc, middle - half * at[k]) + speed(arc, middle + half * at[k]));
        }
    }
    return half * sum;
}

// The unit vector across the straight way from a in direction `way` in which the way around passes;
// it makes the plane with it. With f where the straight way passes the centre and d the side, that
// is f, or -f where f is on the other side: the plane goes through the centre. Between, where it
// would turn over, the part across d goes to 0 and back while that along d stays.
static sn_vec3 bulge(const sni_wrap_body *body, sn_vec3 a, sn_vec3 way) {
    sn_vec3 f = sni_across(a, way), d = sni_across(sni_wrap_side(body), way);
    if (body->side == 0 || !(sn_vec3_length(d) > no_side)) {
        return sn_vec3_normalize_or(f, sn_vec3_perpendicular(way));
    }
    d = sn_vec3_normalize_or(d, f);
    double along = sn_vec3_dot(f, d), share = fmin(fmax(along / groove, -1), 1);
    sn_vec3 aside = sni_across(f, d);
    sn_vec3 out = sn_vec3_add_scaled(sn_vec3_scale(d, fmax(fabs(along), groove)), share, aside);
    return sn_vec3_normalize_or(out, d);
}

bool sni_wrap_in_plane(const sni_wrap_body *body, sn_vec3 pa, sn_vec3 pb, sn_vec3 way, sn_vec3 out,
                       sni_wrap_arc *arc) {
    sn_vec3 normal = sn_vec3_cross(out, way);
    double offset = sn_vec3_dot(pa, normal), square = 1 - offset * offset;
    if (!(square > 0)) {
        return false;
    }
    double radius = sqrt(square);
    sni_plane_point flat_a = {sn_vec3_dot(pa, out) / radius, sn_vec3_dot(pa, way) / radius};
    sni_plane_point flat_b = {sn_vec3_dot(pb, out) / radius, sn_vec3_dot(pb, way) / radius};
    sni_wrap_turn t;
    if (!find_turn(flat_a, flat_b, &(sni_plane_point){1, 0}, &t)) {
        return false;
    }
    set_circle(body, sn_vec3_scale(out, radius), sn_vec3_scale(way, radius), &t, arc);
    arc->center = sn_vec3_add(body->center, from_body(body, sn_vec3_scale(normal, offset)));
    arc->length =
        body->shape == SNI_WRAP_SPHERE ? body->radii[0] * radius * arc->angle : ellipse_length(arc);
    return true;
}

static bool wrap_ellipsoid(const sni_wrap_body *body, sn_vec3 a, sn_vec3 b, sni_wrap_arc *arc) {
    sn_vec3 pa = sni_wrap_to_body(body, a), pb = sni_wrap_to_body(body, b);
    sn_vec3 way = sn_vec3_normalize_or(sn_vec3_sub(pb, pa), sn_vec3_make(0, 0, 0));
    return sn_vec3_length(way) > 0 &&
           sni_wrap_in_plane(body, pa, pb, way, bulge(body, pa, way), arc);
}

sn_vec3 sni_wrap_point(const sni_wrap_arc *arc, double t) {
    sn_vec3 p = sn_vec3_add_scaled(arc->center, t, arc->rise);
    p = sn_vec3_add_scaled(p, cos(t * arc->angle), arc->p);
    return sn_vec3_add_scaled(p, sin(t * arc->angle), arc->q);
}

sn_vec3 sni_wrap_direction(const sni_wrap_arc *arc, double t) {
    sn_vec3 d = sn_vec3_add_scaled(arc->rise, -arc->angle * sin(t * arc->angle), arc->p);
    d = sn_vec3_add_scaled(d, arc->angle * cos(t * arc->angle), arc->q);
    return sn_vec3_normalize_or(d, sn_vec3_normalize_or(arc->q, sn_vec3_make(0, 0, 1)));
}

void sni_wrap_find(const sni_wrap_body *body, sn_vec3 a, sn_vec3 b, sni_wrap_arc *arc) {
    *arc = (sni_wrap_arc){.touches = false};
    arc->touches = body->method != SNI_WRAP_SMOOTH    ? sni_wrap_as_opensim(body, a, b, arc)
                   : body->shape == SNI_WRAP_CYLINDER ? wrap_cylinder(body, a, b, arc)
                                                      : wrap_ellipsoid(body, a, b, arc);
    arc->enter = sni_wrap_point(arc, 0);
    arc->leave = sni_wrap_point(arc, 1);
}
