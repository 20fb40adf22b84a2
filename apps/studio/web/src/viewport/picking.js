// SPDX-License-Identifier: Apache-2.0
//
// What lies under the pointer.
import {Vector3} from 'three';
import {TriangleTree} from './tree.js';

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
 * Those of some things with a `box` that a ray meets, with `enter`, the distance at which it does:
 * the nearest first. @param {Ray} ray @param {{box: Box3}[]} things
 */
export function inReach(ray, things) {
    return things.map((thing) => ({thing, enter: enterDistance(ray, thing.box)}))
        .filter(({enter}) => enter < Infinity).sort((a, b) => a.enter - b.enter);
}

function enterDistance(ray, box) {
    return box.containsPoint(ray.origin) ? 0
        : ray.intersectBox(box, new Vector3())?.distanceTo(ray.origin) ?? Infinity;
}

/**
 * The nearest hit of a ray on some surfaces. Trees are fitted for those alone that it may hit:
 * while a character moves, that is what costs.
 * @param {Ray} ray
 * @param {{surface, box: Box3}[]} drawables
 * @returns {{surface, triangle, face, bary, point, rest, normal, vertex, distance}|null}
 */
export function castRay(ray, drawables) {
    let best = null;
    for (const {thing: {surface}, enter} of inReach(ray, drawables)) {
        const farthest = best?.distance ?? Infinity;
        if (enter >= farthest) {
            break;
        }
        const hit = treeOf(surface).cast(ray, farthest);
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
