// SPDX-License-Identifier: Apache-2.0
//
// Where labels stand beside what they name, in pixels of the viewport: not on the muscle, not on
// each other, not below panels. One that finds no room is left out.
import {nearestOnLine, resample, runsAgainst} from './draw-curves.js';
import {add, clamp, distance, mix, scale, sub, unit} from './vectors.js';

const DISTANCES = [16, 30, 50, 76, 108]; // pixels from the point to its label
const TURNS = [0, 0.5, -0.5, 1, -1]; // radians to both sides of the direction out
const CLEAR = 5; // pixels around a label that stay free
const CLEAR_OF_DOTS = 11; // and from its edge to the middle of a handle

/** @typedef {{low: number[], high: number[]}} Box */
/** @typedef {{point: number[], out: number[]}} Anchor a place that a label may stand beside */

const turned = ([x, y], angle) => [x * Math.cos(angle) - y * Math.sin(angle),
    x * Math.sin(angle) + y * Math.cos(angle)];

const overlap = (a, b) => [0, 1].every((i) => a.low[i] < b.high[i] && b.low[i] < a.high[i]);
const contains = (box, p) => [0, 1].every((i) => p[i] > box.low[i] && p[i] < box.high[i]);
const grown = ({low, high}, by) => ({low: low.map((x) => x - by), high: high.map((x) => x + by)});

/** The box of a label that begins at some distance from a point. */
function boxAt({point, out}, away, angle, size) {
    const direction = turned(out, angle);
    // How far its middle is from its edge along the direction.
    const reach = Math.min(...[0, 1].map(
        (i) => size[i] / 2 / Math.max(Math.abs(direction[i]), 1e-6)));
    const middle = add(point, scale(direction, away + reach));
    return {low: sub(middle, scale(size, 0.5)), high: add(middle, scale(size, 0.5))};
}

/** Where the line from a point to its label ends. */
export function leaderEnd(point, {low, high}) {
    return point.map((x, i) => clamp(x, low[i], high[i]));
}

/** Whether the line to a label runs over a handle that is not its own. */
function meetsDot(anchor, box, dots) {
    const line = [anchor.point, leaderEnd(anchor.point, box)];
    return dots.some((dot) => distance(dot, anchor.point) > CLEAR_OF_DOTS &&
        nearestOnLine(line, dot).distance < CLEAR_OF_DOTS);
}

/**
 * Boxes of labels, each null where there is no room for it.
 * @param {{anchors: Anchor[], size: number[]}[]} labels the best anchors first
 * @param {{area: Box, points: number[][], boxes: Box[], dots: number[][]}} around the view, what
 *     must be seen in it, what lies above it, and handles that no line of a label crosses
 * @returns {({box: Box, anchor: Anchor}|null)[]}
 */
export function placeLabels(labels, {area, points, boxes, dots = []}) {
    const taken = boxes.slice();
    const isFree = (box) => [0, 1].every((i) => box.low[i] >= area.low[i] &&
        box.high[i] <= area.high[i]) && !taken.some((other) => overlap(box, other)) &&
        !points.some((p) => contains(grown(box, CLEAR_OF_DOTS - CLEAR), p));
    return labels.map(({anchors, size}) => {
        for (const away of DISTANCES) {
            for (const angle of TURNS) {
                for (const anchor of anchors) {
                    const box = boxAt(anchor, away, angle, size);
                    if (contains(area, anchor.point) && isFree(grown(box, CLEAR)) &&
                        !meetsDot(anchor, box, dots)) {
                        taken.push(grown(box, CLEAR));
                        return {box, anchor};
                    }
                }
            }
        }
        return null;
    });
}

/** Both ends of an open curve, going on beyond it and away from the other one. */
function endAnchors(curve, other) {
    return [[curve[0], curve[1], other[0]],
        [curve.at(-1), curve.at(-2), other.at(-1)]].map(([end, inner, beside]) => {
        const away = beside === undefined ? [0, 0] : unit(sub(end, beside));
        return {point: end, out: unit(add(unit(sub(end, inner ?? end)), away))};
    });
}

/** Places all around a ring. */
function ringAnchors(curve) {
    const even = resample(curve, 12, true);
    const middle = scale(even.reduce(add), 1 / even.length);
    return even.map((point) => ({point, out: unit(sub(point, middle))}));
}

/** Where the label of a curve may stand, beside it and the other one (empty: there is none). */
export function curveAnchors(curve, other, closed) {
    if (closed) {
        return ringAnchors(curve);
    }
    return curve.length < 2 ? [{point: curve[0], out: [0, -1]}]
        : endAnchors(curve, runsAgainst(curve, other) ? other.slice().reverse() : other);
}

/** Points all over the muscle between two curves, and on these. */
export function musclePoints([first = [], second = []], closed) {
    if (first.length < 2 || second.length < 2) {
        return [...first, ...second];
    }
    const along = !closed && runsAgainst(first, second) ? second.slice().reverse() : second;
    const [a, b] = [first, along].map((curve) => resample(curve, 32, closed));
    const across = closed ? [0, 1] : [0, 0.25, 0.5, 0.75, 1];
    return across.flatMap((t) => a.map((p, i) => mix(p, b[i], t)));
}
