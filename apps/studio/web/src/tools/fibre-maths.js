// SPDX-License-Identifier: Apache-2.0
//
// The profile of a fibre muscle (docs/fibre.md): its thickness along the axis, s from 0 to 1, is
//     phi(s) = s^(a-1) (1-s)^(b-1) / sqrt(B(2a-1, 2b-1))
// so that the volume is the same for all whole exponents a and b from 1 to 9; and what a drag of
// its peak, of its belly or of its points means. Gives values; changes nothing.
import {matrixAt, originOf, add, distance, dot, length, rounded, scale, sub, unit}
    from './vectors.js';

export const EXPONENT_MOST = 9;
export const STANDARD = {rest_a: 3, rest_b: 3, active_a: 4, active_b: 7};

// A belly is at least this part of its width thick, and at most as thick as wide.
const THINNEST = 0.1;
const LEAST_WIDTH = 1e-4;

// Of whole numbers: (n-1)!
const factorials = Array.from({length: 4 * EXPONENT_MOST}, () => 1);
factorials.forEach((_, n) => {
    factorials[n] = n < 2 ? 1 : factorials[n - 1] * n;
});

/** The factor of a profile: 1 / sqrt(B(2a-1, 2b-1)). */
function factorOf(a, b) {
    const [p, q] = [2 * a - 1, 2 * b - 1];
    return 1 / Math.sqrt((factorials[p - 1] * factorials[q - 1]) / factorials[p + q - 1]);
}

/** How thick a muscle is at s. */
export function profileAt(a, b, s) {
    return factorOf(a, b) * s ** (a - 1) * (1 - s) ** (b - 1);
}

/** Where a profile is thickest, and how thick: [s, phi]. Without a belly, in the middle. */
export function peakOf(a, b) {
    const s = a + b === 2 ? 0.5 : (a - 1) / (a + b - 2);
    return [s, profileAt(a, b, s)];
}

/** The exponents whose peak is nearest to a place; `scales` are those of the picture. */
export function exponentsAt([s, phi], [across, up]) {
    let best = null;
    for (let a = 1; a <= EXPONENT_MOST; ++a) {
        for (let b = 1; b <= EXPONENT_MOST; ++b) {
            const [x, y] = peakOf(a, b);
            const away = Math.hypot((x - s) * across, (y - phi) * up);
            best = best === null || away < best.away ? {a, b, away} : best;
        }
    }
    return [best.a, best.b];
}

/** The exponents one step away: a key moves the peak aside, or makes it higher. */
export function exponentsBeside([a, b], key) {
    const fits = (x) => x >= 1 && x <= EXPONENT_MOST;
    const tries = {
        ArrowLeft: [[a, b + 1], [a - 1, b]], ArrowRight: [[a + 1, b], [a, b - 1]],
        ArrowUp: [[a + 1, b + 1]], ArrowDown: [[a - 1, b - 1]],
    }[key] ?? [];
    return tries.find((pair) => pair.every(fits)) ?? null;
}

/** The widest of the slices: the belly; null without any. */
export function bellyOf(slices) {
    return slices.reduce((best, s) => {
        return best === null || length(s.wide) > length(best.wide) ? s : best;
    }, null);
}

/** Half of the way between the first and the last fibre of a broad muscle, where it is `at`. */
export function spreadAt(axes, at) {
    if (axes.length < 2) {
        return 0;
    }
    const nearest = (axis) => {
        const count = axis.length / 4;
        const points = Array.from({length: count}, (_, i) => [...axis.subarray(4 * i, 4 * i + 3)]);
        return points.reduce((best, p) => (distance(p, at) < distance(best, at) ? p : best));
    };
    return distance(nearest(axes[0]), nearest(axes.at(-1))) / 2;
}

/**
 * Width and thickness after a handle of the belly was dragged outwards: {width, thickness} or one.
 * @param {{width: number, thickness: number}} sizes as they were
 * @param {number} spread what of the half width is the distance between fibres
 */
export function resizedBelly(sizes, slice, axis, [from, to], spread = 0) {
    const out = unit(axis === 0 ? slice.wide : slice.outer);
    const inner = axis === 0 ? spread : 0;
    const before = dot(sub(from, slice.center), out) - inner;
    const factor = before > 0 ? (dot(sub(to, slice.center), out) - inner) / before : 1;
    const {width, thickness} = sizes;
    if (axis === 0) {
        // As thick as it was; where that does not fit, it goes along.
        const next = Math.max(width * factor, LEAST_WIDTH);
        const thick = Math.min(Math.max(thickness, THINNEST * next), next);
        return {width: rounded(next, 4), thickness: rounded(thick, 4)};
    }
    const next = Math.min(Math.max(thickness * factor, THINNEST * width), width);
    return {thickness: rounded(next, 4)};
}

/** The line of a segment: from its origin to those of its children; at its end only a point. */
function linesOf(model, frame) {
    const origin = (i) => originOf(matrixAt(frame.worlds, i));
    const parents = new Set();
    const lines = model.segments.flatMap(({parent}, i) => {
        const index = typeof parent === 'string' ? model.segmentIndex(parent) : parent ?? -1;
        parents.add(index);
        return index < 0 ? [] : [{segment: index, from: origin(index), to: origin(i)}];
    });
    const ends = model.segments.map((_, i) => i).filter((i) => !parents.has(i))
        .map((i) => ({segment: i, from: origin(i), to: origin(i)}));
    return [...lines, ...ends];
}

function awayFrom({from, to}, point) {
    const along = sub(to, from);
    const square = dot(along, along);
    const t = square > 0 ? Math.min(Math.max(dot(sub(point, from), along) / square, 0), 1) : 0;
    return distance(point, add(from, scale(along, t)));
}

/** Where a ray, behind `start` on it, comes nearest to a line. */
function nearestOnRay({origin, direction}, start, {from, to}) {
    const along = sub(to, from);
    const d = unit(direction);
    const [b, c] = [dot(along, d), dot(along, along)];
    const w = sub(start, from);
    const [e, f] = [dot(d, w), dot(along, w)];
    const wide = c - b * b; // 0 where both are parallel
    const free = wide > 1e-12 * c ? (f - b * e) / wide : 0;
    const t = Math.min(Math.max(free, 0), 1);
    const s = Math.max(dot(sub(add(from, scale(along, t)), start), d), 0);
    return add(start, scale(d, s));
}

/**
 * The place on a segment below a point of the skin: of the segment whose line is nearest to it,
 * where the ray through the skin passes that line. @returns {{segment: string, point: number[]}}
 */
export function placeBelow(ray, skinPoint, model, frame) {
    const best = linesOf(model, frame).reduce((found, line) => {
        const away = awayFrom(line, skinPoint);
        return found === null || away < found.away ? {line, away} : found;
    }, null);
    return best === null ? null : {segment: model.segments[best.line.segment].name,
        point: nearestOnRay(ray, skinPoint, best.line)};
}
