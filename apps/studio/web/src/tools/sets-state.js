// SPDX-License-Identifier: Apache-2.0
//
// Sets of a wrap as they are edited: points of the skin and faces of its driver. A set that has no
// points or no faces yet is a draft: the document could not be made a model with it, so it waits
// here until it is whole.
import {isInside, join} from '../document/pointer.js';
import {MirrorMap} from './paint-grid.js';
import {flagsOf, formatFlags, listOf, parseRanges} from './paint-ranges.js';
import {surfaceMapOf} from './paint-surface.js';

export const SET_MODES = {
    remove: 'all but these faces',
    only: 'only these faces',
    add: 'these faces as well',
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

/** The wrap that a selected place of the document means: itself, its skin's, or its driver's. */
export function wrapAt(wraps, path) {
    const of = (name) => isInside(path, join('skins', name));
    return (
        wraps.find(({skin, index}) => isInside(path, join('skins', skin, 'deformers', index))) ??
        wraps.find(({skin}) => of(skin)) ??
        wraps.find(({driver}) => driver !== undefined && of(driver)) ??
        null
    );
}

/** One set in the hand: flags of its points and faces. */
export class SetState {
    constructor({points = '', faces = '', mode = 'remove'}, pointCount, faceCount) {
        this.points = flagsOf(parseRanges(points, pointCount), pointCount);
        this.faces = flagsOf(parseRanges(faces, faceCount), faceCount);
        this.mode = mode;
        /** Counts up with every change of what is chosen. */
        this.version = 0;
    }

    copy() {
        const {mode, version} = this;
        const parts = {points: this.points.slice(), faces: this.faces.slice()};
        return Object.assign(new SetState({}, 0, 0), {...parts, mode, version});
    }

    /** Whether it is one of a skin and a driver of these sizes. */
    fits(pointCount, faceCount) {
        return this.points.length === pointCount && this.faces.length === faceCount;
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
              ? 'Now choose faces of the driver mesh.'
              : faces
                ? 'Now choose points of the skin.'
                : 'Choose points of the skin and faces of the driver mesh.';
    }

    /** Chooses or leaves out. @param {'points'|'faces'} what @returns whether something changed */
    mark(what, numbers, chosen) {
        const list = this[what];
        let changed = false;
        for (const n of numbers) {
            changed ||= list[n] !== Number(chosen);
            list[n] = Number(chosen);
        }
        this.version += Number(changed);
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

function text(flags) {
    return flags.includes(0) ? formatFlags(flags) : 'all';
}

/** A list with an item at another place. */
export function moved(list, from, by) {
    const to = Math.min(Math.max(from + by, 0), list.length - 1);
    const copy = list.slice();
    copy.splice(to, 0, ...copy.splice(from, 1));
    return copy;
}

const faceCounts = new WeakMap();

/** How many polygons a surface has. */
export function faceCountOf(surface) {
    const {triangleFaces, triangles} = surface;
    if (!triangleFaces) {
        return triangles.length / 3;
    }
    if (!faceCounts.has(triangleFaces)) {
        const last = triangleFaces.reduce((most, face) => Math.max(most, face), -1);
        faceCounts.set(triangleFaces, last + 1);
    }
    return faceCounts.get(triangleFaces);
}

/** Faces all of whose corners in a triangle are among some vertices. */
export function facesWithin(surface, vertices) {
    const inside = new Set(vertices);
    const faces = new Set();
    const {triangles, triangleFaces} = surface;
    const map = surfaceMapOf(surface);
    for (const vertex of inside) {
        for (const t of map.trianglesAt(vertex)) {
            if ([0, 1, 2].every((c) => inside.has(triangles[3 * t + c]))) {
                faces.add(triangleFaces ? triangleFaces[t] : t);
            }
        }
    }
    return [...faces];
}

/** The middle of each polygon: three numbers a face. */
function centersOf({rest, triangles, triangleFaces}, count) {
    const sums = new Float32Array(3 * count);
    const corners = new Uint32Array(count);
    triangles.forEach((vertex, c) => {
        const t = Math.floor(c / 3);
        const face = triangleFaces ? triangleFaces[t] : t;
        corners[face] += 1;
        for (let k = 0; k < 3; k++) {
            sums[3 * face + k] += rest[3 * vertex + k];
        }
    });
    return sums.map((sum, i) => sum / corners[Math.floor(i / 3)]);
}

/**
 * The set on the other side of x = 0, of a skin and its driver: points and faces that lie where
 * these would in a mirror. What has no image there is left out.
 */
export function mirroredSet(state, skin, driver) {
    const image = new SetState({mode: state.mode}, state.points.length, state.faces.length);
    const centers = centersOf(driver, state.faces.length);
    for (const [what, map] of [
        ['points', new MirrorMap(skin.rest)],
        ['faces', new MirrorMap(centers)],
    ]) {
        const images = Array.from(listOf(state[what]), (n) => map.of(n));
        image.mark(
            what,
            images.filter((n) => n >= 0),
            true
        );
    }
    return image;
}

/** Corners of the triangles of chosen faces. @param {Uint8Array} chosen a flag for each face */
export function cornersOf({triangles, triangleFaces}, chosen) {
    const corners = [];
    for (let t = 0; t < triangles.length / 3; t++) {
        if (chosen[triangleFaces ? triangleFaces[t] : t]) {
            corners.push(triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]);
        }
    }
    return Uint32Array.from(corners);
}
