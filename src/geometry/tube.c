// SPDX-License-Identifier: Apache-2.0
//
// Tubes: ellipses on a smooth curve through points.
//
// The curve is a centripetal Catmull-Rom spline (P. J. Barry, R. N. Goldman 1988; C. Yuksel,
// S. Schaefer, J. Keyser: Parameterization and Applications of Catmull-Rom Curves, 2011), which has
// neither cusps nor loops between its points: knots are sqrt(distance) apart, the tangent at an
// inner point is that of the parabola through three points, and the curve ends without curvature.
// Radii follow a monotone cubic over the same knots and stay between those of their ends.
//
// Frames turn as little as possible along the curve (W. Wang, B. Juettler, D. Zheng, Y. Liu:
// Computation of Rotation Minimizing Frames, 2008, the double reflection).
//
// Known limit: where the curve bends more sharply than the tube is thick, its inner side folds.
#include "geometry/tube.h"

#include "base/error.h"
#include "base/hermite.h"
#include "base/memory.h"

#include <float.h>

// Neighbours closer than this part of the tube's extent coincide.
#define COINCIDE 1e-7
// Cosine of the angle between two parts of the way, above which it turns back: 170 degrees.
#define TURNS_BACK (-0.98481)
// Sine of the angle between `side` and the curve, below which it gives no direction: 1 degree.
#define ALONG 0.01745

typedef struct section {
    sn_vec3 center, along; // the curve's unit tangent
    sn_vec3 wide;          // unit vector of the first radius
    double radii[2];
} section;

static uint32_t half_detail(const sni_tube *tube) {
    return (tube->detail + 1) / 2;
}

static double knot(const sni_tube *tube, uint32_t span) {
    return sqrt(sn_vec3_distance(tube->points[span], tube->points[span + 1]));
}

static sn_vec3 secant(const sni_tube *tube, uint32_t span) {
    return sn_vec3_scale(sn_vec3_sub(tube->points[span + 1], tube->points[span]),
                         1 / knot(tube, span));
}

static sn_vec3 inner_tangent(const sni_tube *tube, uint32_t point) {
    sn_vec3 d0 = secant(tube, point - 1), d1 = secant(tube, point);
    double h0 = knot(tube, point - 1), h1 = knot(tube, point);
    return sn_vec3_make(sni_parabola_slope(d0.x, h0, d1.x, h1),
                        sni_parabola_slope(d0.y, h0, d1.y, h1),
                        sni_parabola_slope(d0.z, h0, d1.z, h1));
}

// The derivative of the curve at a point. At the ends (3 d - m) / 2, m that of the neighbour: the
// second derivative is zero there.
static sn_vec3 tangent(const sni_tube *tube, uint32_t point) {
    uint32_t last = tube->point_count - 1;
    if (point > 0 && point < last) {
        return inner_tangent(tube, point);
    }
    sn_vec3 d = secant(tube, point == 0 ? 0 : last - 1);
    if (last == 1) {
        return d;
    }
    sn_vec3 m = inner_tangent(tube, point == 0 ? 1 : last - 1);
    return sn_vec3_add_scaled(sn_vec3_scale(d, 1.5), -0.5, m);
}

static double radius_slope(const sni_tube *tube, uint32_t point, int axis) {
    const double *r = tube->radii + axis;
    uint32_t last = tube->point_count - 1;
    uint32_t span = point == 0 ? 0 : point - 1;
    double before = (r[2 * span + 2] - r[2 * span]) / knot(tube, span);
    if (point == 0 || point == last) {
        return before;
    }
    double after = (r[2 * point + 2] - r[2 * point]) / knot(tube, point);
    return sni_smooth_slope(before, knot(tube, span), after, knot(tube, point));
}

// The part t, 0 to 1, of the way from point `span` to the next, without a frame.
static section section_at(const sni_tube *tube, uint32_t span, double t) {
    sn_vec3 a = tube->points[span], b = tube->points[span + 1];
    sn_vec3 m = tangent(tube, span), n = tangent(tube, span + 1);
    double h = knot(tube, span), low = 6 * t * (1 - t) / h;
    double from = (1 - t) * (1 - 3 * t), to = t * (3 * t - 2);
    sn_vec3 along = sn_vec3_scale(sn_vec3_sub(b, a), low); // p'(t) / h of the Hermite form
    along = sn_vec3_add_scaled(sn_vec3_add_scaled(along, from, m), to, n);
    section s = {.center = sn_vec3_make(sni_hermite(a.x, m.x, b.x, n.x, h, t),
                                        sni_hermite(a.y, m.y, b.y, n.y, h, t),
                                        sni_hermite(a.z, m.z, b.z, n.z, h, t)),
                 .along = sn_vec3_normalize_or(along, sn_vec3_normalize_or(sn_vec3_sub(b, a), a))};
    for (int axis = 0; axis < 2; ++axis) {
        const double *r = tube->radii + 2 * (size_t)span + axis;
        s.radii[axis] = sni_hermite(r[0], radius_slope(tube, span, axis), r[2],
                                    radius_slope(tube, span + 1, axis), h, t);
    }
    return s;
}

// Without its part along a unit vector.
static sn_vec3 across(sn_vec3 v, sn_vec3 along) {
    return sn_vec3_add_scaled(v, -sn_vec3_dot(v, along), along);
}

// The wide axis at the beginning: `side`, or the axis of coordinates that runs least along the
// curve. A mirrored curve gets the mirrored axis or its opposite, which is the same ellipse.
static sn_vec3 first_wide(const sni_tube *tube, sn_vec3 along) {
    sn_vec3 side = tube->side;
    if (sn_vec3_length(side) == 0) {
        double x = fabs(along.x), y = fabs(along.y), z = fabs(along.z);
        side = x <= y && x <= z ? sn_vec3_make(1, 0, 0)
               : y <= z         ? sn_vec3_make(0, 1, 0)
                                : sn_vec3_make(0, 0, 1);
    }
    return sn_vec3_normalize_or(across(side, along), side);
}

static sn_vec3 reflect(sn_vec3 v, sn_vec3 normal) {
    double square = sn_vec3_dot(normal, normal);
    return square > 0 ? sn_vec3_add_scaled(v, -2 * sn_vec3_dot(v, normal) / square, normal) : v;
}

// The wide axis of `to` from that of `from`: reflected in the plane between the centres, then in
// the one between the tangents.
static sn_vec3 next_wide(const section *from, const section *to) {
    sn_vec3 way = sn_vec3_sub(to->center, from->center);
    sn_vec3 turn = sn_vec3_sub(to->along, reflect(from->along, way));
    sn_vec3 wide = reflect(reflect(from->wide, way), turn);
    return sn_vec3_normalize_or(across(wide, to->along), from->wide);
}

// --- The mesh

// A ring of ellipse s, `out` outside of it along the curve, its radii times `share`.
static void place_ring(const section *s, double share, double out, uint32_t around,
                       float *positions) {
    sn_vec3 center = sn_vec3_add_scaled(s->center, out, s->along);
    sn_vec3 thin = sn_vec3_cross(s->along, s->wide);
    for (uint32_t i = 0; i < around; ++i) {
        double angle = 2 * SN_PI * i / around;
        sn_vec3 p = sn_vec3_add_scaled(center, share * s->radii[0] * cos(angle), s->wide);
        p = sn_vec3_add_scaled(p, share * s->radii[1] * sin(angle), thin);
        sn_vec3_store(p, positions + 3 * (size_t)i);
    }
}

// The rings of a cap from its pole to section s, and the pole; `sign` is -1 at the beginning.
static void place_cap(const sni_tube *tube, const section *s, int sign, float *positions,
                      uint32_t ring_count) {
    uint32_t half = half_detail(tube), around = 4 * half;
    double length = sign * tube->cap * fmin(s->radii[0], s->radii[1]);
    for (uint32_t i = 1; i < half; ++i) { // from the pole
        double angle = SN_PI / 2 * i / half;
        uint32_t ring = sign < 0 ? i - 1 : ring_count - i;
        place_ring(s, sin(angle), length * cos(angle), around,
                   positions + 3 * (1 + (size_t)ring * around));
    }
    size_t pole = sign < 0 ? 0 : 1 + (size_t)ring_count * around;
    sn_vec3_store(sn_vec3_add_scaled(s->center, length, s->along), positions + 3 * pole);
}

static void place_vertices(const sni_tube *tube, uint32_t ring_count, float *positions) {
    uint32_t half = half_detail(tube), around = 4 * half;
    uint32_t section_count = (tube->point_count - 1) * half + 1;
    section before = {0};
    for (uint32_t i = 0; i < section_count; ++i) {
        uint32_t span = i + 1 < section_count ? i / half : tube->point_count - 2;
        section s = section_at(tube, span, (double)(i - span * half) / half);
        s.wide = i == 0 ? first_wide(tube, s.along) : next_wide(&before, &s);
        place_ring(&s, 1, 0, around, positions + 3 * (1 + (size_t)(half - 1 + i) * around));
        if (i == 0 || i + 1 == section_count) {
            place_cap(tube, &s, i == 0 ? -1 : 1, positions, ring_count);
        }
        before = s;
    }
}

static uint32_t *set(uint32_t *corners, uint32_t a, uint32_t b, uint32_t c) {
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
    return corners + 3;
}

// Diagonals change their way from each quarter of a ring to the next, and half way along the tube,
// so that the mesh is mirrored in both axes of the ellipse and from end to end: mirrored tubes have
// mirrored triangles, and so have tubes that run from one side of the mirror to the other.
static void write_triangles(uint32_t ring_count, uint32_t around, sn_mesh *mesh) {
    uint32_t *corners = mesh->corners, last = 1 + (ring_count - 1) * around;
    for (uint32_t i = 0; i < around; ++i) {
        uint32_t next = (i + 1) % around;
        corners = set(corners, 0, 1 + next, 1 + i);
        corners = set(corners, mesh->vertex_count - 1, last + i, last + next);
        for (uint32_t ring = 0; ring + 1 < ring_count; ++ring) {
            uint32_t a = 1 + ring * around + i, b = 1 + ring * around + next;
            bool first_half = 2 * (ring + 1) < ring_count;
            bool forward = (4 * i / around % 2 == 0) == first_half;
            corners = set(corners, a, b, forward ? b + around : a + around);
            corners = set(corners, forward ? a : b, b + around, a + around);
        }
    }
    for (uint32_t face = 0; face <= mesh->face_count; ++face) {
        mesh->face_offsets[face] = 3 * face;
    }
}

sn_status sni_tube_mesh(sn_context *context, const char *name, const sni_tube *tube, sn_mesh **mesh,
                        sn_error *error) {
    SN_ASSERT(tube->detail >= SNI_TUBE_DETAIL_LEAST && tube->detail <= SNI_TUBE_DETAIL_MOST);
    uint32_t half = half_detail(tube), around = 4 * half;
    uint32_t ring_count = (tube->point_count + 1) * half - 1;
    uint32_t faces = 2 * around * ring_count;
    sn_status status =
        sn_mesh_create(context, name, ring_count * around + 2, faces, 3 * faces, mesh, error);
    if (status == SN_OK) {
        place_vertices(tube, ring_count, (*mesh)->positions);
        write_triangles(ring_count, around, *mesh);
    }
    return status;
}

// --- Check

// The largest coordinate of a point with its radii around it.
static double extent(const sni_tube *tube) {
    double most = 0;
    for (uint32_t i = 0; i < tube->point_count; ++i) {
        sn_vec3 p = tube->points[i];
        double radius = fmax(tube->radii[2 * i], tube->radii[2 * i + 1]) * fmax(1, tube->cap);
        most = fmax(most, fmax(fmax(fabs(p.x), fabs(p.y)), fabs(p.z)) + radius);
    }
    return most;
}

sn_status sni_tube_check(const sni_tube *tube, sn_error *error) {
    SN_ASSERT(tube->point_count >= 2);
    double most = extent(tube);
    if (!(most < FLT_MAX / 4)) {
        return sni_fail(error, SN_INVALID, "the tube is too large");
    }
    for (uint32_t i = 0; i + 1 < tube->point_count; ++i) {
        double distance = sn_vec3_distance(tube->points[i], tube->points[i + 1]);
        if (!(distance > COINCIDE * most)) {
            return sni_fail(error, SN_INVALID, "points %u and %u of the tube coincide", i, i + 1);
        }
        if (i > 0) {
            sn_vec3 in = sn_vec3_normalize_or(secant(tube, i - 1), tube->side);
            sn_vec3 out = sn_vec3_normalize_or(secant(tube, i), tube->side);
            if (sn_vec3_dot(in, out) < TURNS_BACK) {
                return sni_fail(error, SN_INVALID, "the tube turns back at its point %u", i);
            }
        }
    }
    double length = sn_vec3_length(tube->side);
    sn_vec3 along = section_at(tube, 0, 0).along;
    if (length > 0 && sn_vec3_length(across(tube->side, along)) < ALONG * length) {
        return sni_fail(error, SN_INVALID, "the tube begins along its \"side\"");
    }
    return SN_OK;
}
