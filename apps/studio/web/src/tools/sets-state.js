// SPDX-License-Identifier: Apache-2.0
//
// Sets of a wrap as they are edited: points of the skin and faces of its driver. A set that has no
// points or no faces yet is a draft: the document could not be made a model with it, so it waits
// here until it is whole.
import {formatRanges, listOf, parseRanges} from './paint-ranges.js';

export const SET_MODES = {
    remove: 'not these faces',
    only: 'only these faces',
    add: 'these faces, too',
};
export const MOST_SETS = 64;

/** Wraps of a document that can have sets: [{skin, index, driver}]. */
export function wrapsOf(document) {
    return Object.entries(document?.skins ?? {}).flatMap(([skin, {deformers = []}]) =>
        deformers
            .map((deformer, index) => ({skin, index, deformer}))
            .filter(({deformer}) => deformer.kind === 'wrap' && deformer.driver_patch === undefined)
            .map(({index, deformer}) => ({skin, index, driver: deformer.driver_mesh}))
    );
}

/** One set in the hand: flags of its points and faces. */
export class SetState {
    constructor({points = '', faces = '', mode = 'remove'}, pointCount, faceCount) {
        this.points = flags(points, pointCount);
        this.faces = flags(faces, faceCount);
        this.mode = mode;
    }

    get whole() {
        return this.points.includes(1) && this.faces.includes(1);
    }

    /** What it still needs, for the user; null: nothing. */
    get missing() {
        const points = this.points.includes(1),
            faces = this.faces.includes(1);
        return points && faces
            ? null
            : points
              ? 'Now choose faces of the driver.'
              : faces
                ? 'Now choose points of the skin.'
                : 'Choose points of the skin and faces of the driver.';
    }

    /** Chooses or leaves out. @param {'points'|'faces'} what @returns whether something changed */
    mark(what, numbers, chosen) {
        const list = this[what];
        let changed = false;
        for (const n of numbers) {
            changed ||= list[n] !== Number(chosen);
            list[n] = Number(chosen);
        }
        return changed;
    }

    count(what) {
        return this[what].reduce((sum, flag) => sum + flag, 0);
    }

    /** As the document has it. */
    get entry() {
        return {points: text(this.points), faces: text(this.faces), mode: this.mode};
    }
}

function flags(text, count) {
    const list = new Uint8Array(count);
    for (const n of parseRanges(text, count)) {
        list[n] = 1;
    }
    return list;
}

function text(flags) {
    return flags.every((flag) => flag === 1) ? 'all' : formatRanges(listOf(flags));
}

/** A list with an item at another place. */
export function moved(list, from, by) {
    const to = Math.min(Math.max(from + by, 0), list.length - 1);
    const copy = list.slice();
    copy.splice(to, 0, ...copy.splice(from, 1));
    return copy;
}

/** How many polygons a surface has. */
export function faceCountOf(surface) {
    const {triangleFaces, triangles} = surface;
    return triangleFaces
        ? triangleFaces.reduce((most, face) => Math.max(most, face), -1) + 1
        : triangles.length / 3;
}

/** Faces all of whose corners in a triangle are among some vertices. */
export function facesWithin(surface, vertices) {
    const inside = new Set(vertices);
    const faces = new Set();
    const {triangles, triangleFaces} = surface;
    for (let t = 0; t < triangles.length; t += 3) {
        if (
            inside.has(triangles[t]) &&
            inside.has(triangles[t + 1]) &&
            inside.has(triangles[t + 2])
        ) {
            faces.add(triangleFaces ? triangleFaces[t / 3] : t / 3);
        }
    }
    return [...faces];
}
