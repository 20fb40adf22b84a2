// SPDX-License-Identifier: Apache-2.0
//
// Landmarks of a document on skins, and what moves them on both sides alike.
import {otherSide} from '../document/names.js';
import {put} from '../document/ops.js';
import {join} from '../document/pointer.js';

/** Landmarks that are vertices of meshes which skins have: [{name, mesh, vertex}]. */
export function landmarksOf(document, meshes) {
    return Object.entries(document?.landmarks ?? {})
        .filter(([, {mesh}]) => meshes.has(mesh))
        .map(([name, {mesh, vertex}]) => ({name, mesh, vertex}));
}

/** The vertex that is nearest to the mirror image of one at x = 0. @param rest points of the mesh */
function mirroredVertex(rest, vertex) {
    const [x, y, z] = [-rest[3 * vertex], rest[3 * vertex + 1], rest[3 * vertex + 2]];
    let [nearest, least] = [vertex, Infinity];
    for (let i = 0; i < rest.length; i += 3) {
        const way = (rest[i] - x) ** 2 + (rest[i + 1] - y) ** 2 + (rest[i + 2] - z) ** 2;
        if (way < least) {
            [nearest, least] = [i / 3, way];
        }
    }
    return nearest;
}

/**
 * Where landmarks go when one is put onto a vertex: with `both` that of the other side to the mirror
 * image. @param all [{name, mesh, vertex}] @returns {Map<string, number>} vertices by name
 */
export function movesTo(all, {name, mesh}, vertex, both, rest) {
    const moves = new Map([[name, vertex]]);
    const other = otherSide(name);
    if (both && other !== name && all.some((each) => each.name === other && each.mesh === mesh)) {
        moves.set(other, mirroredVertex(rest, vertex));
    }
    return moves;
}

/** Changes that move landmarks. @param {Map<string, number>} moves */
export function moveOps(moves) {
    return [...moves].map(([name, vertex]) => put(join('landmarks', name, 'vertex'), vertex));
}

/** Changes that put proposed landmarks onto a mesh; what is there keeps its other keys. */
export function proposalOps(document, mesh, proposed) {
    const there = document.landmarks ?? {};
    const section = document.landmarks === undefined ? [put(join('landmarks'), {})] : [];
    const moved = Object.entries(proposed).filter(([name, {vertex}]) =>
        there[name]?.mesh !== mesh || there[name].vertex !== vertex);
    return moved.length === 0 ? [] : [...section, ...moved.map(([name, {vertex}]) =>
        put(join('landmarks', name), {mesh, vertex}))];
}
