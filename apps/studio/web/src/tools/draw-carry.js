// SPDX-License-Identifier: Apache-2.0
//
// Points on a skin, at rest and in a pose. A place is a triangle and barycentric coordinates, so
// that one drawn on the posed skin is the same place of the skin at rest, and back.
import {restTree} from './rest-shape.js';
import {add, pointAt, scale} from './vectors.js';

/** @typedef {{triangle: number, bary: number[]}} Place */

/** A place of a triangle mesh in one of its states. */
export function evaluate(points, triangles, place) {
    return place.bary.reduce((sum, weight, k) => {
        return add(sum, scale(pointAt(points, triangles[3 * place.triangle + k]), weight));
    }, [0, 0, 0]);
}

/** Carries points between a skin at rest and the skin as it is shown. Finds each place once. */
export class Carrier {
    constructor(surface) {
        this.surface = surface;
        this.places = new Map();
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
            place = restTree(this.surface).closest(rest);
            this.places.set(key, place);
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
