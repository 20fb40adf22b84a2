// SPDX-License-Identifier: Apache-2.0
//
// Points on a skin, at rest and in a pose. A place is a triangle and barycentric coordinates, so
// that one drawn on the posed skin is the same place of the skin at rest, and back.
import {restTree} from './rest-shape.js';
import {add, dot, pointAt, scale, sub} from './vectors.js';

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

/**
 * The place of a mesh that is closest to `p`, and its distance; `hint` is one to begin with.
 * @param {TriangleTree} tree over the mesh
 */
export function closestPlace(tree, p, hint = null) {
    const {points, triangles} = tree;
    let best = {triangle: -1, bary: [1, 0, 0], distance: Infinity};
    const look = (t) => {
        const [a, b, c] = [0, 1, 2].map((k) => pointAt(points, triangles[3 * t + k]));
        const bary = closestBary(p, a, b, c);
        const d = sub(evaluate(points, triangles, {triangle: t, bary}), p);
        const size = dot(d, d);
        if (size < best.distance) {
            best = {triangle: t, bary, distance: size};
        }
        return best.distance;
    };
    tree.nearest(p, look, hint === null ? Infinity : look(hint.triangle));
    return {...best, distance: Math.sqrt(best.distance)};
}

/** Carries points between a skin at rest and the skin as it is shown. Finds each place once. */
export class Carrier {
    constructor(surface) {
        this.surface = surface;
        this.places = new Map();
        this.last = null;
    }

    /** Goes on with another surface; false where it is not the same at rest. */
    takes(surface) {
        const same = this.surface.shape === surface.shape;
        this.surface = same ? surface : this.surface;
        return same;
    }

    /** The place of a point of the skin at rest. */
    placeOf(rest) {
        const key = rest.join();
        let place = this.places.get(key);
        if (place === undefined) {
            place = closestPlace(restTree(this.surface), rest, this.last);
            this.places.set(key, place);
            this.last = place;
        }
        return place;
    }

    /** Where a point of the skin at rest is now. */
    posed(rest) {
        return evaluate(this.surface.points, this.surface.triangles, this.placeOf(rest));
    }

    /** Tells the place of a point that was hit: where skin lies on skin, the nearest is another. */
    know(rest, {triangle, bary}) {
        this.places.set(rest.join(), {triangle, bary, distance: 0});
    }
}

/** Where a hit of viewport.pick lies on the skin at rest. */
export function restOfHit(surface, hit) {
    return evaluate(surface.rest, surface.triangles, {triangle: hit.triangle, bary: hit.bary});
}
