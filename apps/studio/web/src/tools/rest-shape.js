// SPDX-License-Identifier: Apache-2.0
//
// What no pose changes: the box of a surface at rest and the tree over its triangles, each
// computed once for a shape.
import {TriangleTree} from '../viewport/tree.js';
import {boxOf, distance} from './vectors.js';

/** Keeps what `compute` makes of a surface as long as its points at rest are kept. */
function once(compute) {
    const kept = new WeakMap();
    return (surface) => {
        if (!kept.has(surface.rest)) {
            kept.set(surface.rest, compute(surface));
        }
        return kept.get(surface.rest);
    };
}

/** @returns {{low: number[], high: number[]}} */
export const restBox = once(({rest}) => boxOf(rest));

/** @returns {TriangleTree} */
export const restTree = once(({rest, triangles}) => new TriangleTree(triangles, rest));

/** The diagonal of a surface's box; 1 where it has no points yet. */
export function sizeAtRest(surface) {
    if (surface?.rest == null) {
        return 1;
    }
    const {low, high} = restBox(surface);
    return distance(low, high);
}
