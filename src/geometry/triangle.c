// SPDX-License-Identifier: Apache-2.0
//
// Closest points: Ericson, "Real-Time Collision Detection" (2005), section 5.1.5, in the form with
// cross products, which keeps its digits for thin triangles. Rays: Woop, Benthin and Wald,
// "Watertight Ray/Triangle Intersection" (2013), in double.
#include "geometry/triangle.h"

#include "geometry/edge.h"

// Triangles whose sine of the angle at `a` is below 1e-11 have a normal of rounding errors: only
// their edges count.
static const double flat_sine2 = 1e-22;

static bool is_before(const float *a, const float *b) {
    if (a[0] != b[0]) {
        return a[0] < b[0];
    }
    if (a[1] != b[1]) {
        return a[1] < b[1];
    }
    return a[2] < b[2];
}

void sni_triangle_sort(const float *positions, const uint32_t vertices[3], uint32_t sorted[3],
                       uint8_t places[3]) {
    uint8_t order[3] = {0, 1, 2};
    // Exchanges neighbours: 0 and 1, 1 and 2, and 0 and 1 again.
    for (int step = 0; step < 3; ++step) {
        int i = step % 2;
        const float *first = positions + 3 * (size_t)vertices[order[i]];
        const float *second = positions + 3 * (size_t)vertices[order[i + 1]];
        if (is_before(second, first)) {
            uint8_t moved = order[i];
            order[i] = order[i + 1];
            order[i + 1] = moved;
        }
    }
    for (int i = 0; i < 3; ++i) {
        sorted[i] = vertices[order[i]];
        if (places != NULL) {
            places[i] = order[i];
        }
    }
}

sn_vec3 sni_triangle_point(const sni_triangle *triangle, const double weights[3]) {
    sn_vec3 point = sn_vec3_scale(triangle->a, weights[0]);
    point = sn_vec3_add_scaled(point, weights[1], triangle->b);
    return sn_vec3_add_scaled(point, weights[2], triangle->c);
}

// Takes the edge from corner `from` to corner `to` where it is closer than what was found so far.
static void try_edge(const sn_vec3 corners[3], int from, int to, sn_vec3 p, double *best,
                     double weights[3]) {
    double weight;
    double distance2 = sni_edge_closest(corners[from], corners[to], p, &weight);
    if (distance2 < *best) {
        *best = distance2;
        weights[0] = weights[1] = weights[2] = 0;
        weights[from] = 1 - weight;
        weights[to] = weight;
    }
}

double sni_triangle_closest(const sni_triangle *triangle, sn_vec3 p, double weights[3]) {
    sn_vec3 ab = sn_vec3_sub(triangle->b, triangle->a);
    sn_vec3 ac = sn_vec3_sub(triangle->c, triangle->a);
    sn_vec3 ap = sn_vec3_sub(p, triangle->a);
    sn_vec3 normal = sn_vec3_cross(ab, ac);
    double normal2 = sn_vec3_dot(normal, normal);
    // The areas opposite to b and c of the projection to the plane, times the triangle's own.
    double at_b = sn_vec3_dot(normal, sn_vec3_cross(ap, ac));
    double at_c = sn_vec3_dot(normal, sn_vec3_cross(ab, ap));
    double at_a = normal2 - at_b - at_c;
    bool is_flat = !(normal2 > flat_sine2 * sn_vec3_dot(ab, ab) * sn_vec3_dot(ac, ac));
    if (!is_flat && at_a > 0 && at_b > 0 && at_c > 0) {
        double height = sn_vec3_dot(normal, ap);
        weights[1] = at_b / normal2;
        weights[2] = at_c / normal2;
        weights[0] = 1 - weights[1] - weights[2];
        return height * height / normal2;
    }
    // The closest point lies on an edge that has `p` on its outer side.
    const sn_vec3 corners[3] = {triangle->a, triangle->b, triangle->c};
    double best = INFINITY;
    weights[0] = 1;
    weights[1] = weights[2] = 0;
    if (is_flat || at_c <= 0) {
        try_edge(corners, 0, 1, p, &best, weights);
    }
    if (is_flat || at_b <= 0) {
        try_edge(corners, 0, 2, p, &best, weights);
    }
    if (is_flat || at_a <= 0) {
        try_edge(corners, 1, 2, p, &best, weights);
    }
    return best;
}

static double component(sn_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

bool sni_ray_init(sni_ray *ray, sn_vec3 origin, sn_vec3 direction) {
    double largest = fmax(fabs(direction.x), fmax(fabs(direction.y), fabs(direction.z)));
    if (!sn_vec3_is_finite(origin) || !sn_vec3_is_finite(direction) || largest == 0) {
        return false;
    }
    // Divided first, so that squares neither overflow nor vanish.
    direction = (sn_vec3){direction.x / largest, direction.y / largest, direction.z / largest};
    direction = sn_vec3_scale(direction, 1 / sn_vec3_length(direction));
    int kz = fabs(direction.x) >= fabs(direction.y) ? 0 : 1;
    kz = fabs(component(direction, kz)) >= fabs(direction.z) ? kz : 2;
    int kx = (kz + 1) % 3, ky = (kz + 2) % 3;
    double z = component(direction, kz);
    *ray = (sni_ray){.origin = origin,
                     .direction = direction,
                     .kx = kx,
                     .ky = ky,
                     .kz = kz,
                     .shear_x = component(direction, kx) / z,
                     .shear_y = component(direction, ky) / z,
                     .scale_z = 1 / z};
    return true;
}

// Into the space in which the ray runs from the origin along +z; z is the distance along it.
static sn_vec3 to_ray(const sni_ray *ray, sn_vec3 point) {
    sn_vec3 p = sn_vec3_sub(point, ray->origin);
    double z = component(p, ray->kz);
    return (sn_vec3){component(p, ray->kx) - ray->shear_x * z,
                     component(p, ray->ky) - ray->shear_y * z, ray->scale_z * z};
}

// Where the ray passes through the edge from `from` to `to`: the weight of `to`.
static double weight_on_edge(sn_vec3 from, sn_vec3 to) {
    double dx = from.x - to.x, dy = from.y - to.y;
    double weight = fabs(dx) >= fabs(dy) ? from.x / dx : from.y / dy;
    return fmin(fmax(weight, 0), 1);
}

// Sets the weights and the distance for areas of which one or two are zero.
static double hit_border(const sn_vec3 p[3], double weights[3]) {
    int from = -1, to = -1;
    for (int i = 0; i < 3; ++i) {
        if (weights[i] != 0) {
            from = from < 0 ? i : from;
            to = i;
        }
    }
    double weight = from == to ? 0 : weight_on_edge(p[from], p[to]);
    weights[to] = weight;
    weights[from] = 1 - weight;
    return p[from].z + weight * (p[to].z - p[from].z);
}

// The areas are differences of two rounded products. Rounding is monotone, so that a difference may
// become zero but never change its sign, and swapping an edge's ends negates it exactly: of the
// triangles around a point none can be missed.
bool sni_ray_triangle(const sni_ray *ray, const sni_triangle *triangle, double *distance,
                      double weights[3]) {
    const sn_vec3 p[3] = {to_ray(ray, triangle->a), to_ray(ray, triangle->b),
                          to_ray(ray, triangle->c)};
    double at_a = p[1].x * p[2].y - p[1].y * p[2].x;
    double at_b = p[2].x * p[0].y - p[2].y * p[0].x;
    double at_c = p[0].x * p[1].y - p[0].y * p[1].x;
    if ((at_a < 0 || at_b < 0 || at_c < 0) && (at_a > 0 || at_b > 0 || at_c > 0)) {
        return false;
    }
    double sum = at_a + at_b + at_c;
    if (sum == 0 || !isfinite(sum)) {
        return false;
    }
    weights[0] = at_a;
    weights[1] = at_b;
    weights[2] = at_c;
    if (at_a == 0 || at_b == 0 || at_c == 0) {
        *distance = hit_border(p, weights);
        return true;
    }
    for (int i = 0; i < 3; ++i) {
        weights[i] /= sum;
    }
    *distance = weights[0] * p[0].z + weights[1] * p[1].z + weights[2] * p[2].z;
    return true;
}

// A triangle at rest whose sides enclose an angle with a sine below this is flat: its corners are
// floats.
static const double flat_rest_sine = 1e-5;

// sigma^2 is the larger root of det(G' - x G) = 0 with the Gram matrices G and G' of two sides:
//     |G| x^2 - (g'11 g22 + g'22 g11 - 2 g'12 g12) x + |G'| = 0
double sni_triangle_stretch(const sn_vec3 rest[3], const sn_vec3 now[3]) {
    sn_vec3 a = sn_vec3_sub(rest[1], rest[0]), b = sn_vec3_sub(rest[2], rest[0]);
    sn_vec3 p = sn_vec3_sub(now[1], now[0]), q = sn_vec3_sub(now[2], now[0]);
    sn_vec3 ab = sn_vec3_cross(a, b), pq = sn_vec3_cross(p, q);
    double aa = sn_vec3_dot(a, a), bb = sn_vec3_dot(b, b);
    double rest_square = sn_vec3_dot(ab, ab), square = sn_vec3_dot(pq, pq);
    if (!(rest_square > flat_rest_sine * flat_rest_sine * aa * bb)) {
        return 0;
    }
    double mixed =
        sn_vec3_dot(p, p) * bb + sn_vec3_dot(q, q) * aa - 2 * sn_vec3_dot(p, q) * sn_vec3_dot(a, b);
    double root = sqrt(fmax(mixed * mixed - 4 * rest_square * square, 0));
    return sqrt(fmax((mixed + root) / (2 * rest_square), 0));
}

static const double needle_height = 0.15;

// Height x longest side is twice the area.
bool sni_triangle_is_needle(sn_vec3 a, sn_vec3 b, sn_vec3 c) {
    sn_vec3 ab = sn_vec3_sub(b, a), ac = sn_vec3_sub(c, a), bc = sn_vec3_sub(c, b);
    double longest = fmax(sn_vec3_dot(ab, ab), fmax(sn_vec3_dot(ac, ac), sn_vec3_dot(bc, bc)));
    return sn_vec3_length(sn_vec3_cross(ab, ac)) < needle_height * longest;
}
