// SPDX-License-Identifier: Apache-2.0
//
// The place of a triangle that is nearest to a point, without a single new array: a search over
// a skin asks for it thousands of times while a point is dragged.

/** A place to begin a search with. */
export const farAway = () => ({triangle: -1, u: 0, v: 0, distance: Infinity});

/** The squared distance of a point from a box of six numbers; infinite from an empty one. */
export function boxDistance(boxes, at, point) {
    let sum = 0;
    for (let k = 0; k < 3; ++k) {
        const below = boxes[at + k] - point[k], above = point[k] - boxes[at + 3 + k];
        const away = below > above ? below : above;
        sum += away > 0 ? away * away : 0;
    }
    return sum;
}

/**
 * Whether triangle (a, b, c), places in `points`, is nearer to `p` than `best`, which it becomes
 * then: weights u of b and v of c, squared distance (Ericson, Real-Time Collision Detection, 2005).
 */
export function isNearer(points, a, b, c, p, best) {
    const ax = points[a], ay = points[a + 1], az = points[a + 2];
    const ux = points[b] - ax, uy = points[b + 1] - ay, uz = points[b + 2] - az;
    const vx = points[c] - ax, vy = points[c + 1] - ay, vz = points[c + 2] - az;
    const px = p[0] - ax, py = p[1] - ay, pz = p[2] - az;
    const uu = ux * ux + uy * uy + uz * uz, uv = ux * vx + uy * vy + uz * vz;
    const vv = vx * vx + vy * vy + vz * vz;
    const d1 = ux * px + uy * py + uz * pz, d2 = vx * px + vy * py + vz * pz;
    const d3 = d1 - uu, d4 = d2 - uv, d5 = d1 - uv, d6 = d2 - vv; // seen from b and from c
    let u = 0, v = 0;
    const va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0 && d2 <= 0) {
        u = 0;
    } else if (d3 >= 0 && d4 <= d3) {
        u = 1;
    } else if (d6 >= 0 && d5 <= d6) {
        v = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        u = d1 / (d1 - d3);
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        v = d2 / (d2 - d6);
    } else if (va <= 0 && d4 >= d3 && d5 >= d6) {
        v = (d4 - d3) / (d4 - d3 + (d5 - d6));
        u = 1 - v;
    } else {
        u = vb / (va + vb + vc);
        v = vc / (va + vb + vc);
    }
    const x = u * ux + v * vx - px, y = u * uy + v * vy - py, z = u * uz + v * vz - pz;
    const distance = x * x + y * y + z * z;
    if (!(distance < best.distance)) {
        return false;
    }
    best.u = u;
    best.v = v;
    best.distance = distance;
    return true;
}
