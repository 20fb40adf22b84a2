// SPDX-License-Identifier: Apache-2.0
//
// Points on a skin, at rest and in a pose. A place is a triangle and barycentric coordinates, so
// that one drawn on the posed skin is the same place of the skin at rest, and back.
import {add, clamp, cross, dot, pointAt, scale, sub} from './vectors.js';

/** @typedef {{triangle: number, bary: number[]}} Place */

/** Barycentric coordinates of the place of triangle abc that is closest to p (Ericson 2005). */
export function closestBary(p, a, b, c) {
    const [ab, ac, ap] = [sub(b, a), sub(c, a), sub(p, a)];
    const [d1, d2] = [dot(ab, ap), dot(ac, ap)];
    if (d1 <= 0 && d2 <= 0) {
        return [1, 0, 0];
    }
    const bp = sub(p, b);
    const [d3, d4] = [dot(ab, bp), dot(ac, bp)];
    if (d3 >= 0 && d4 <= d3) {
        return [0, 1, 0];
    }
    const cp = sub(p, c);
    const [d5, d6] = [dot(ab, cp), dot(ac, cp)];
    if (d6 >= 0 && d5 <= d6) {
        return [0, 0, 1];
    }
    return closestInside(d1, d2, d3, d4, d5, d6);
}

function closestInside(d1, d2, d3, d4, d5, d6) {
    const vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        const t = d1 / (d1 - d3);
        return [1 - t, t, 0];
    }
    const vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        const t = d2 / (d2 - d6);
        return [1 - t, 0, t];
    }
    const va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        const t = (d4 - d3) / (d4 - d3 + (d5 - d6));
        return [0, 1 - t, t];
    }
    const sum = va + vb + vc;
    return [va / sum, vb / sum, vc / sum];
}

/** A place of a triangle mesh in one of its states. */
export function evaluate(points, triangles, place) {
    return place.bary.reduce((sum, weight, k) => {
        return add(sum, scale(pointAt(points, triangles[3 * place.triangle + k]), weight));
    }, [0, 0, 0]);
}

/** The unit normal of a place's triangle. */
export function normalOf(points, triangles, place) {
    const [a, b, c] = [0, 1, 2].map((k) => pointAt(points, triangles[3 * place.triangle + k]));
    const n = cross(sub(b, a), sub(c, a));
    const size = Math.sqrt(dot(n, n));
    return size > 0 ? scale(n, 1 / size) : [0, 1, 0];
}

/** Squared distance of a point from the box of a triangle: a bound that is cheap. */
function boxDistance(points, triangles, t, p) {
    let sum = 0;
    for (let i = 0; i < 3; ++i) {
        const a = points[3 * triangles[3 * t] + i];
        const b = points[3 * triangles[3 * t + 1] + i];
        const c = points[3 * triangles[3 * t + 2] + i];
        const d = p[i] - clamp(p[i], Math.min(a, b, c), Math.max(a, b, c));
        sum += d * d;
    }
    return sum;
}

/** The place of a mesh that is closest to `p`, and its distance; `hint` is one to begin with. */
export function closestPlace(points, triangles, p, hint = null) {
    let best = {triangle: -1, bary: [1, 0, 0], distance: Infinity};
    const look = (t) => {
        const [a, b, c] = [0, 1, 2].map((k) => pointAt(points, triangles[3 * t + k]));
        const bary = closestBary(p, a, b, c);
        const d = sub(evaluate(points, triangles, {triangle: t, bary}), p);
        const size = dot(d, d);
        if (size < best.distance) {
            best = {triangle: t, bary, distance: size};
        }
    };
    if (hint !== null) {
        look(hint.triangle);
    }
    for (let t = 0; t < triangles.length / 3; ++t) {
        if (boxDistance(points, triangles, t, p) < best.distance) {
            look(t);
        }
    }
    return {...best, distance: Math.sqrt(best.distance)};
}

/** Carries points between a skin at rest and the skin as it is shown. Finds each place once. */
export class Carrier {
    constructor(surface) {
        this.surface = surface;
        this.places = new Map();
        this.last = null;
    }

    /** The place of a point of the skin at rest. */
    placeOf(rest) {
        const key = rest.join();
        let place = this.places.get(key);
        if (place === undefined) {
            const {rest: points, triangles} = this.surface;
            place = closestPlace(points, triangles, rest, this.last);
            this.places.set(key, place);
            this.last = place;
        }
        return place;
    }

    /** Where a point of the skin at rest is now. */
    posed(rest) {
        return evaluate(this.surface.points, this.surface.triangles, this.placeOf(rest));
    }

    /** Where the nearest place of the skin to a posed point is at rest. */
    rest(posed) {
        const {points, rest, triangles} = this.surface;
        return evaluate(rest, triangles, closestPlace(points, triangles, posed));
    }

    normal(rest) {
        return normalOf(this.surface.points, this.surface.triangles, this.placeOf(rest));
    }
}

/** Where a hit of viewport.pick lies on the skin at rest. */
export function restOfHit(surface, hit) {
    return evaluate(surface.rest, surface.triangles, {triangle: hit.triangle, bary: hit.bary});
}
