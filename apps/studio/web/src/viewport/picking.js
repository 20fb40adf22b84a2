// SPDX-License-Identifier: Apache-2.0
//
// What lies under the pointer.
import {Vector3} from 'three';
import {TriangleTree, inReach} from './tree.js';

// triangles -> {tree, surface, moved}: one tree for all surfaces of a shape, fitted to the last.
const trees = new WeakMap();

function treeOf(surface) {
    const {triangles, rest, points, moved} = surface;
    let entry = trees.get(triangles);
    if (entry === undefined) {
        entry = {tree: new TriangleTree(triangles, rest ?? points)};
        trees.set(triangles, entry);
    }
    if (entry.surface !== surface || entry.moved !== moved) {
        entry.tree.fit(points);
        Object.assign(entry, {surface, moved});
    }
    return entry.tree;
}

/**
 * The nearest hit of a ray on some surfaces. Trees are fitted for those alone that it may hit:
 * while a character moves, that is what costs.
 * @param {{origin: Vector3, direction: Vector3}} ray
 * @param {{surface, box: Box3}[]} drawables
 * @returns {{surface, triangle, face, bary, point, rest, normal, vertex, distance}|null}
 */
export function castRay(ray, drawables) {
    let best = null;
    for (const {thing: {surface}, enter} of inReach(ray.origin, ray.direction, drawables)) {
        if (enter >= (best?.distance ?? Infinity)) {
            break;
        }
        const hit = treeOf(surface).cast(ray.origin, ray.direction, best?.distance ?? Infinity);
        if (hit !== null) {
            best = {surface, ...hit};
        }
    }
    return best === null ? null : describe(best, ray);
}

function describe(hit, ray) {
    const {surface, triangle, bary} = hit;
    const corners = [0, 1, 2].map((k) => surface.triangles[3 * triangle + k]);
    const at = (array) => corners.reduce((sum, corner, k) =>
        sum.addScaledVector(new Vector3().fromArray(array, 3 * corner), bary[k]), new Vector3());
    const [a, b, c] = corners.map((corner) => new Vector3().fromArray(surface.points, 3 * corner));
    const normal = b.sub(a).cross(c.sub(a)).normalize();
    const nearest = bary.indexOf(Math.max(...bary));
    return {...hit, face: surface.triangleFaces?.[triangle] ?? triangle, point: at(surface.points),
        rest: at(surface.rest ?? surface.points), normal, vertex: corners[nearest],
        behind: normal.dot(ray.direction) > 0};
}
