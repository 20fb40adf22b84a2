// SPDX-License-Identifier: Apache-2.0
//
// Slices of a cylinder muscle, read from its mesh: the first slices x points vertices are those of
// the slices, point j of n at x sin(2 pi j / n) width / 2 - y cos(2 pi j / n) thickness / 2 around
// the centre (docs/cylinder.md). What a drag of a handle means for `shape`.
import {add, clamp, cross, distance, dot, pointAt, rounded, scale, sub, turn, unit}
    from './vectors.js';

const SMALLEST_SCALE = 0.02;
const LARGEST_SCALE = 50;

/** Centre, half axes and frame of slice `index` of a surface in `points`. */
function sliceOf(points, index, around) {
    const vertices = Array.from({length: around}, (_, j) => pointAt(points, index * around + j));
    const center = scale(vertices.reduce(add), 1 / around);
    const sum = (factor) => vertices.reduce((s, v, j) => {
        return add(s, scale(sub(v, center), (2 / around) * factor((2 * Math.PI * j) / around)));
    }, [0, 0, 0]);
    const wide = sum(Math.sin);
    const outer = sum(Math.cos);
    const x = unit(wide);
    const y = scale(unit(outer), -1);
    return {index, center, wide, outer, x, y, z: cross(x, y)};
}

// Points around and slices where a document says nothing.
const STANDARD = {fibre: {points: 12, slices: 20}};

/** All slices of a muscle of the document as its surface shows them. */
export function slicesOf(surface, muscle) {
    const standard = STANDARD[muscle.kind] ?? {points: 8, slices: 8};
    const around = muscle.points ?? standard.points;
    const count = muscle.slices ?? standard.slices;
    if (surface.points.length < 3 * around * count) {
        return [];
    }
    return Array.from({length: count}, (_, i) => sliceOf(surface.points, i, around));
}

/** The length over the centres, and the unit that `move` is measured in. */
export function moveUnit(muscle, restSlices) {
    if (muscle.sizes !== 'length') {
        return 1;
    }
    return restSlices.slice(1).reduce((sum, s, i) => {
        return sum + distance(s.center, restSlices[i].center);
    }, 0);
}

/** What the document says of a slice, with the standard values where it says nothing. */
export function shapeOf(muscle, slice) {
    const entry = (muscle.shape ?? []).find((s) => s.slice === slice);
    return {slice, scale: [1, 1], move: [0, 0, 0], turn_deg: [0, 0, 0], ...entry};
}

const isStandard = (entry) => entry.scale.every((x) => x === 1) &&
    entry.move.every((x) => x === 0) && entry.turn_deg.every((x) => x === 0);

/** Without what is standard, so that a document says only what is different. */
function shortened(entry) {
    const result = {slice: entry.slice};
    for (const [key, standard] of [['scale', 1], ['move', 0], ['turn_deg', 0]]) {
        if (entry[key].some((x) => x !== standard)) {
            result[key] = entry[key].map((x) => rounded(Number(x.toFixed(6)) + 0, 5));
        }
    }
    return result;
}

/** The muscle's `shape` with one slice changed; an empty list where nothing is different. */
export function withShape(muscle, entry) {
    const others = (muscle.shape ?? []).filter((s) => s.slice !== entry.slice);
    const changed = isStandard(entry) ? others : [...others, shortened(entry)];
    return changed.sort((a, b) => a.slice - b.slice);
}

export const isEnd = (muscle, slice) => slice === 0 || slice === (muscle.slices ?? 8) - 1;

/** `shape` of a slice whose centre was dragged by `by` in the world. */
export function moved(entry, slice, by, unitLength) {
    const own = [slice.x, slice.y, slice.z].map((axis) => dot(by, axis) / unitLength);
    return {...entry, move: add(entry.move, turnedBack(own, entry.turn_deg))};
}

/** A slice moves along its axes before it is turned. */
function turnedBack(v, degrees) {
    const angles = degrees.map((x) => (x * Math.PI) / 180);
    const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let frame = axes;
    angles.forEach((angle, i) => {
        const about = frame[i];
        frame = frame.map((column) => turn(column, about, angle));
    });
    return [0, 1, 2].map((i) => v[0] * frame[0][i] + v[1] * frame[1][i] + v[2] * frame[2][i]);
}

/** `shape` of a slice whose handle was dragged outwards: wider (0) or thicker (1). */
export function resized(entry, slice, axis, from, to) {
    const out = unit(axis === 0 ? slice.wide : slice.outer);
    const before = dot(sub(from, slice.center), out);
    const factor = before > 0 ? dot(sub(to, slice.center), out) / before : 1;
    const result = entry.scale.slice();
    result[axis] = clamp(entry.scale[axis] * factor, SMALLEST_SCALE, LARGEST_SCALE);
    return {...entry, scale: result};
}

/** `shape` of a slice turned about its own z by radians. */
export function twisted(entry, angle) {
    const result = entry.turn_deg.slice();
    result[2] += (angle * 180) / Math.PI;
    return {...entry, turn_deg: result};
}

/** The slice that a pivot should get: the free one, not at an end, whose centre is nearest. */
export function freeSlice(muscle, slices, point) {
    const taken = new Set((muscle.pivots ?? []).map((p) => p.slice));
    return slices.filter((s) => !isEnd(muscle, s.index) && !taken.has(s.index))
        .reduce((best, s) => (best === null || distance(s.center, point) <
            distance(best.center, point) ? s : best), null);
}
