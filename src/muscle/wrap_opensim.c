// SPDX-License-Identifier: Apache-2.0
//
// Ways around bodies as OpenSim finds them (its classes WrapCylinder, WrapSphere, WrapEllipsoid and
// WrapTorus), so that muscles of its models have the lengths that they have there.
//
//     cylinder    goes around where the straight way cuts it; with a side also where both points
//                 lie on the other side, or one does and the straight way passes there. The points
//                 where the way touches say which way around it goes: they should be on the side
//     sphere      goes around only where the straight way cuts it, in the plane through the centre
//     ellipsoid   the same, in a plane through a point c of its surface that the method chooses
//     torus       a cylinder where its circle is closest to the straight way, passed on the inside
//
// OpenSim approximates what is exact here: points where the way touches a cylinder are found to 0.1
// degrees, arcs of ellipses are measured in steps of a millimetre.
#include "muscle/wrap_object_internal.h"

#include "muscle/carried.h"

#include <math.h>

// A turn of less than this below a whole one is one of no length: rounding where the way just
// touches.
static const double whole_turn_slack = 1e-9;

static double sign_of(double x) {
    return x < 0 ? -1 : 1;
}

static double component(sn_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// The axis of the body's side, and its sign; 0 for all sides.
static int axis_of(const sni_wrap_body *body, double *sign) {
    *sign = body->side < 0 ? -1 : body->side > 0 ? 1 : 0;
    return body->side == 0 ? 0 : (body->side < 0 ? -body->side : body->side) - 1;
}

// --- Cylinder

// The point where the way from a touches the unit circle, when it goes around in a sense.
static double touch_angle(sni_plane_point a, double sense) {
    return atan2(a.y, a.x) + sense * acos(1 / hypot(a.x, a.y));
}

static bool is_touched_on(sni_plane_point a, double sense, int axis, double sign) {
    double angle = touch_angle(a, sense);
    return sign_of(axis == 0 ? cos(angle) : sin(angle)) == sign;
}

static double angle_around(sni_plane_point a, sni_plane_point b, double sense) {
    double angle = fmod(sense * (touch_angle(b, -sense) - touch_angle(a, sense)), 2 * SN_PI);
    angle = angle < 0 ? angle + 2 * SN_PI : angle;
    return angle > 2 * SN_PI - whole_turn_slack ? 0 : angle;
}

// The sense in which a way with a side goes around: both of its ends have a point for each sense in
// which they touch. Those of the first end decide; where both or none of them are on the side,
// those of the second do.
static double sense_to_side(sni_plane_point a, sni_plane_point b, int axis, double sign) {
    bool left = is_touched_on(a, 1, axis, sign), right = is_touched_on(a, -1, axis, sign);
    if (left != right) {
        return left ? 1 : -1;
    }
    if (is_touched_on(b, 1, axis, sign)) { // where a way in the sense -1 ends
        return -1;
    }
    if (left || is_touched_on(b, -1, axis, sign)) {
        return 1;
    }
    double forth = angle_around(a, b, 1), back = angle_around(a, b, -1);
    return fmin(forth, 2 * SN_PI - forth) > fmin(back, 2 * SN_PI - back) ? 1 : -1;
}

// Whether the way from a to b goes around the unit circle at all.
static bool goes_around(sni_plane_point a, sni_plane_point b, int axis, double sign, bool *must) {
    double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    if (!(hypot(a.x, a.y) > 1) || !(hypot(b.x, b.y) > 1) || !(square > 0)) {
        return false;
    }
    double t = -(a.x * dx + a.y * dy) / square;
    sni_plane_point near = {a.x + t * dx, a.y + t * dy};
    bool cut = hypot(near.x, near.y) < 1 && t > 0 && t < 1;
    double at_a = sign_of(axis == 0 ? a.x : a.y), at_b = sign_of(axis == 0 ? b.x : b.y);
    if (sign == 0 || at_a == sign || at_b == sign) {
        *must = cut;
        return cut || (sign != 0 && at_a != at_b && sign_of(axis == 0 ? near.x : near.y) != sign);
    }
    return true; // both points are on the other side
}

static bool around_cylinder(const sni_wrap_body *body, sn_vec3 a, sn_vec3 b, sni_wrap_arc *arc) {
    sn_vec3 pa = sni_wrap_to_body(body, a), pb = sni_wrap_to_body(body, b);
    sni_plane_point flat_a = {pa.x, pa.y}, flat_b = {pb.x, pb.y};
    double sign, sense = 1;
    int axis = axis_of(body, &sign);
    bool must = false;
    if (!goes_around(flat_a, flat_b, axis, sign, &must)) {
        return false;
    }
    if (sign != 0) {
        sense = sense_to_side(flat_a, flat_b, axis, sign);
    } else if (angle_around(flat_a, flat_b, -1) < angle_around(flat_a, flat_b, 1)) {
        sense = -1;
    }
    double ra = hypot(pa.x, pa.y), rb = hypot(pb.x, pb.y);
    sni_wrap_turn turn = {.start = touch_angle(flat_a, sense),
                          .angle = sense * angle_around(flat_a, flat_b, sense),
                          .before = sqrt(ra * ra - 1),
                          .after = sqrt(rb * rb - 1)};
    arc->must = must;
    return sni_wrap_wind(body, pa, pb, &turn, arc);
}

// --- Torus

enum { RING_SAMPLES = 64, RING_ROUNDS = 60 };

// The distance of a point of the way from the circle of a torus.
static double off_ring(double ring, sn_vec3 a, sn_vec3 way, double t) {
    sn_vec3 p = sn_vec3_add_scaled(a, t, way);
    return hypot(hypot(p.x, p.y) - ring, p.z);
}

// Where the straight way is closest to the circle, on the side, or below 0 where it is not on the
// side: samples, then golden sections about the best.
static double closest_to_ring(double ring, sn_vec3 a, sn_vec3 way, int axis, double sign) {
    const double golden = (sqrt(5) - 1) / 2;
    double best = -1, least = INFINITY;
    for (int i = 0; i <= RING_SAMPLES; ++i) {
        double t = (double)i / RING_SAMPLES, off = off_ring(ring, a, way, t);
        double at = component(sn_vec3_add_scaled(a, t, way), axis);
        if (off < least && (sign == 0 || sign_of(at) == sign)) {
            least = off;
            best = t;
        }
    }
    double low = fmax(best - 1.0 / RING_SAMPLES, 0), high = fmin(best + 1.0 / RING_SAMPLES, 1);
    for (int round = 0; round < RING_ROUNDS && best >= 0; ++round) {
        double inner = high - golden * (high - low), outer = low + golden * (high - low);
        if (off_ring(ring, a, way, inner) < off_ring(ring, a, way, outer)) {
            high = outer;
        } else {
            low = inner;
        }
        best = (low + high) / 2;
    }
    return best;
}

static bool around_torus(const sni_wrap_body *body, sn_vec3 a, sn_vec3 b, sni_wrap_arc *arc) {
    sn_vec3 own = sn_vec3_scale(sni_wrap_to_body(body, a), body->radii[0]);
    sn_vec3 way = sn_vec3_sub(sn_vec3_scale(sni_wrap_to_body(body, b), body->radii[0]), own);
    double sign;
    int axis = axis_of(body, &sign);
    double t = closest_to_ring(body->ring, own, way, axis, sign);
    sn_vec3 at = sn_vec3_add_scaled(own, t, way);
    double off = hypot(at.x, at.y);
    if (t < 0 || !(off > 0)) {
        return false;
    }
    sn_vec3 out =
        sn_vec3_add_scaled(sn_vec3_scale(body->axes[0], at.x / off), at.y / off, body->axes[1]);
    sni_wrap_body tube = *body;
    tube.shape = SNI_WRAP_CYLINDER;
    tube.center = sn_vec3_add_scaled(body->center, body->ring, out);
    tube.axes[0] = sn_vec3_scale(out, -1);
    tube.axes[1] = sn_vec3_scale(body->axes[2], -1);
    tube.axes[2] = sn_vec3_cross(tube.axes[0], tube.axes[1]);
    tube.half_length = INFINITY;
    tube.side = 1;
    bool touches = around_cylinder(&tube, a, b, arc);
    arc->must = false;
    return touches;
}

// --- Sphere

// Whether the straight way cuts the unit sphere between two points outside of it.
static bool is_cut(sn_vec3 pa, sn_vec3 pb) {
    sn_vec3 way = sn_vec3_sub(pb, pa);
    double square = sn_vec3_dot(way, way);
    double t = square > 0 ? -sn_vec3_dot(pa, way) / square : -1;
    return t > 0 && t < 1 && sn_vec3_length(sn_vec3_add_scaled(pa, t, way)) < 1 &&
           sn_vec3_length(pa) > 1 && sn_vec3_length(pb) > 1;
}

// With a side, and an end that is not on it, the way passes the centre on the side that it does not
// pass straight, unless that pulls it away from the side.
static bool around_sphere(const sni_wrap_body *body, sn_vec3 a, sn_vec3 b, sni_wrap_arc *arc) {
    sn_vec3 pa = sni_wrap_to_body(body, a), pb = sni_wrap_to_body(body, b);
    double sign;
    int axis = axis_of(body, &sign);
    if (!is_cut(pa, pb)) {
        return false;
    }
    sn_vec3 way = sn_vec3_normalize_or(sn_vec3_sub(pb, pa), sn_vec3_make(0, 0, 1));
    sn_vec3 near = sn_vec3_normalize_or(sni_across(pa, way), sn_vec3_perpendicular(way));
    bool has_a = sign_of(component(pa, axis)) == sign, has_b = sign_of(component(pb, axis)) == sign;
    if (sign != 0 && !(has_a && has_b) &&
        sni_wrap_in_plane(body, pa, pb, way, sn_vec3_scale(near, -1), arc)) {
        sn_vec3 enter = sni_wrap_to_body(body, sni_wrap_point(arc, 0));
        sn_vec3 leave = sni_wrap_to_body(body, sni_wrap_point(arc, 1));
        sn_vec3 pull = sn_vec3_add(sn_vec3_sub(enter, pa), sn_vec3_sub(leave, pb));
        if (!(sign * component(pull, axis) < 0)) {
            arc->must = has_a || has_b;
            return true;
        }
    }
    arc->must = sign != 0 && (has_a || has_b);
    return sni_wrap_in_plane(body, pa, pb, way, near, arc);
}

// --- Ellipsoid

// OpenSim's numbers: how much the straight way must be along an axis of the ellipsoid for that axis
// to count, and to count alone; how close to the ends of the cut the plane across that axis begins
// to count less; the blades of the fan.
static const double axis_from = 0.7073, axis_alone = 0.9, axis_fade = 0.3;
enum { FAN_BLADES = 300, CLOSEST_ROUNDS = 50 };

// The point of an ellipsoid, radii r, that is closest to u: r^2 u / (t + r^2) with the largest t
// for which that is on it. From the left Newton's method comes to it in one direction. An axis that
// u has no part of has none in the answer; `across` is one to pass over, 3 for none.
static void closest_on(const double r[3], const double u[3], int across, double c[3]) {
    double t = -INFINITY;
    for (int i = 0; i < 3; ++i) {
        bool counts = i != across && u[i] != 0;
        t = counts ? fmax(t, r[i] * fabs(u[i]) - r[i] * r[i]) : t;
    }
    for (int round = 0; round < CLOSEST_ROUNDS && isfinite(t); ++round) {
        double level = -1, slope = 0;
        for (int i = 0; i < 3; ++i) {
            if (i != across && u[i] != 0) {
                double part = r[i] * u[i] / (t + r[i] * r[i]);
                level += part * part;
                slope -= 2 * part * part / (t + r[i] * r[i]);
            }
        }
        double step = slope < 0 ? -level / slope : 0;
        t += step;
        if (!(fabs(step) > 1e-15)) {
            break;
        }
    }
    for (int i = 0; i < 3; ++i) {
        c[i] = i == across || u[i] == 0 ? u[i] : r[i] * r[i] * u[i] / (t + r[i] * r[i]);
    }
}

// A straight way through an ellipsoid, in units in which its mean radius is 1.
typedef struct cut {
    double r[3];             // radii
    double enter[3], way[3]; // it is cut from `enter` to `enter` + `way`
    int axis;                // the one that the way is along most
    double along;            // how much, as a cosine
} cut;

static void point_on(const cut *k, double t, double p[3]) {
    for (int i = 0; i < 3; ++i) {
        p[i] = k->enter[i] + t * k->way[i];
    }
}

// The mean direction from the way to the surface, added to its middle: the fan.
static void open_fan(const cut *k, double c[3]) {
    double sum[3] = {0}, p[3], q[3];
    for (int blade = 1; blade + 1 < FAN_BLADES; ++blade) {
        point_on(k, (double)blade / FAN_BLADES, p);
        closest_on(k->r, p, 3, q);
        double length = sqrt((q[0] - p[0]) * (q[0] - p[0]) + (q[1] - p[1]) * (q[1] - p[1]) +
                             (q[2] - p[2]) * (q[2] - p[2]));
        for (int i = 0; i < 3 && length > 0; ++i) {
            sum[i] += (q[i] - p[i]) / length;
        }
    }
    double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    point_on(k, 0.5, p);
    for (int i = 0; i < 3; ++i) {
        p[i] += length > 0 ? sum[i] / length : 0;
    }
    closest_on(k->r, p, 3, c);
}

// Where the way crosses the plane across its axis, the closest point of the ellipse in that plane.
// Gives how far along the cut that is.
static double cross_axis(const cut *k, double c[3]) {
    double t = -k->enter[k->axis] / k->way[k->axis], p[3];
    point_on(k, t, p);
    p[k->axis] = 0;
    closest_on(k->r, p, k->axis, c);
    return t;
}

// The share of the fan in the point c, beside the plane across the axis.
static double choose_point(const cut *k, sni_wrap_method method, double c[3]) {
    double t = cross_axis(k, c), fan[3], along = k->along;
    if (method == SNI_WRAP_HYBRID && along > axis_from) {
        double inside = fmin(fmax(fmin(t, 1 - t) / axis_fade, 0), 1);
        along = axis_from + inside * (along - axis_from);
    }
    double share = fmin(1 - (along - axis_from) / (axis_alone - axis_from), 1);
    if (method == SNI_WRAP_MIDPOINT) {
        point_on(k, 0.5, fan);
        closest_on(k->r, fan, 3, c);
    } else if (method == SNI_WRAP_HYBRID && share > 0) {
        open_fan(k, fan);
        for (int i = 0; i < 3; ++i) {
            fan[i] = (1 - share) * c[i] + share * fan[i];
        }
        closest_on(k->r, fan, 3, c);
    }
    return fmax(share, 0);
}

// A point on the other side is mirrored to the side, as far as the plane across the axis chose it.
static void keep_to_side(const cut *k, int axis, double sign, double fan_share, double c[3]) {
    if (sign == 0 || sign_of(c[axis]) == sign) {
        return;
    }
    double moved[3] = {c[0], c[1], c[2]};
    moved[axis] = -c[axis] * (1 - fan_share);
    closest_on(k->r, moved, 3, c);
}

static cut cut_of(const sni_wrap_body *body, sn_vec3 pa, sn_vec3 pb) {
    sn_vec3 way = sn_vec3_sub(pb, pa);
    double square = sn_vec3_dot(way, way), t = -sn_vec3_dot(pa, way) / square;
    double off = sn_vec3_length(sn_vec3_add_scaled(pa, t, way));
    double half = sqrt(fmax(1 - off * off, 0) / square);
    double factor = 3 / (body->radii[0] + body->radii[1] + body->radii[2]), length = 0;
    cut k = {.axis = 0};
    for (int i = 0; i < 3; ++i) {
        k.r[i] = body->radii[i] * factor;
        k.enter[i] = k.r[i] * (component(pa, i) + (t - half) * component(way, i));
        k.way[i] = k.r[i] * 2 * half * component(way, i);
        k.axis = fabs(k.way[i]) > fabs(k.way[k.axis]) ? i : k.axis;
        length += k.way[i] * k.way[i];
    }
    k.along = length > 0 ? fabs(k.way[k.axis]) / sqrt(length) : 0;
    return k;
}

static bool around_ellipsoid(const sni_wrap_body *body, sn_vec3 a, sn_vec3 b, sni_wrap_arc *arc) {
    sn_vec3 pa = sni_wrap_to_body(body, a), pb = sni_wrap_to_body(body, b);
    double sign, c[3];
    int axis = axis_of(body, &sign);
    if (!is_cut(pa, pb)) {
        return false;
    }
    cut k = cut_of(body, pa, pb);
    if (!(k.along > 0)) {
        return false; // it only touches
    }
    double share = choose_point(&k, body->method, c);
    keep_to_side(&k, axis, sign, share, c);
    sn_vec3 point = {c[0] / k.r[0], c[1] / k.r[1], c[2] / k.r[2]};
    sn_vec3 way = sn_vec3_normalize_or(sn_vec3_sub(pb, pa), sn_vec3_make(0, 0, 1));
    sn_vec3 near = sn_vec3_normalize_or(sni_across(pa, way), sn_vec3_perpendicular(way));
    sn_vec3 out = sn_vec3_normalize_or(sni_across(sn_vec3_sub(point, pa), way), near);
    arc->must = true;
    return sni_wrap_in_plane(body, pa, pb, way, out, arc);
}

bool sni_wrap_as_opensim(const sni_wrap_body *body, sn_vec3 a, sn_vec3 b, sni_wrap_arc *arc) {
    switch (body->shape) {
    case SNI_WRAP_CYLINDER: return around_cylinder(body, a, b, arc);
    case SNI_WRAP_SPHERE: return around_sphere(body, a, b, arc);
    case SNI_WRAP_ELLIPSOID: return around_ellipsoid(body, a, b, arc);
    case SNI_WRAP_TORUS: return around_torus(body, a, b, arc);
    }
    return false;
}
