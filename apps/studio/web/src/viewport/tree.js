// SPDX-License-Identifier: Apache-2.0
//
// The search tree over the triangles of one surface. Its shape comes from the rest points and
// stays; when the points have moved, the boxes are fitted again from the leaves up. So a click on
// a character of 200,000 triangles answers at once, also while it moves.
import {BufferAttribute, BufferGeometry, DoubleSide, Vector3} from 'three';
import {MeshBVH} from 'three-mesh-bvh';

// Its files have no notice of their own that would get into the page.
/*! three-mesh-bvh: Copyright (c) 2018 Garrett Johnson. SPDX-License-Identifier: MIT */

/** Finds places: a triangle, the distance to it, and barycentric coordinates in it. */
export class TriangleTree {
    #geometry = new BufferGeometry();
    #tree;

    /**
     * @param {Uint32Array} triangles #T x 3
     * @param {Float32Array} rest #V x 3
     */
    constructor(triangles, rest) {
        this.#geometry.setIndex(new BufferAttribute(triangles, 1));
        this.#geometry.setAttribute('position', new BufferAttribute(rest, 3));
        // The array of triangles belongs to the surface: `indirect` leaves its order as it is.
        this.#tree = new MeshBVH(this.#geometry, {indirect: true});
    }

    /** Fits the boxes to points that have moved. */
    fit(points) {
        this.#geometry.setAttribute('position', new BufferAttribute(points, 3));
        this.#tree.refit();
    }

    /**
     * The nearest triangle along a ray, from either side, that is nearer than `farthest`.
     * @param {Ray} ray with a unit direction
     * @returns {{triangle, distance, bary: [number, number, number]}|null}
     */
    cast(ray, farthest = Infinity) {
        const hit = this.#tree.raycastFirst(ray, DoubleSide, 0, farthest);
        return hit === null || hit.distance >= farthest ? null : this.#place(hit);
    }

    /**
     * The place nearest to a point.
     * @param {number[]} point
     * @returns {{triangle, distance, bary: [number, number, number]}}
     */
    closest(point) {
        return this.#place(this.#tree.closestPointToPoint(new Vector3(...point)));
    }

    #place({faceIndex, distance, point}) {
        const {index, attributes: {position}} = this.#geometry;
        const corners = [0, 1, 2].map((k) =>
            new Vector3().fromBufferAttribute(position, index.getX(3 * faceIndex + k)));
        return {triangle: faceIndex, distance, bary: weightsAt(point, corners)};
    }
}

// The weights of a triangle's corners at a point of it: the areas that the point makes with the
// opposite sides. three.js divides by the square of the area, which in a thin triangle leaves few
// digits. A triangle without area is its longest side.
function weightsAt(point, corners) {
    const [a, b, c] = corners.map((corner) => corner.clone().sub(point));
    const opposite = [[b, c], [c, a], [a, b]];
    const areas = opposite.map(([p, q]) => p.clone().cross(q).length());
    const sides = opposite.map(([p, q]) => p.distanceTo(q));
    const area = areas[0] + areas[1] + areas[2], longest = Math.max(...sides);
    if (area > 1e-9 * longest * longest) {
        return areas.map((each) => each / area);
    }
    const weights = [0, 0, 0];
    const k = sides.indexOf(longest);
    const along = longest > 0 ? opposite[k][0].length() / longest : 0;
    weights[(k + 1) % 3] = 1 - along;
    weights[(k + 2) % 3] = along;
    return weights;
}
