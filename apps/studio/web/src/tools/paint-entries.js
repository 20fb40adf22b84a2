// SPDX-License-Identifier: Apache-2.0
//
// Painted entries of documents: points as ranges, a value for each in their order.
import {formatRanges, parseRanges} from './paint-ranges.js';

const DIGITS = 1000; // steps of a painted value: what can be seen, in short texts

/** The values of an entry {points, values}, by vertex. */
export function entryValues(entry, count) {
    const points = parsePoints(entry.points, count);
    return new Map(Array.from(points, (point, i) => [point, entry.values[i]]));
}

/** Points as documents give them: a text of ranges or a list of numbers. */
export function parsePoints(points, count) {
    return Array.isArray(points) ? points : parseRanges(points, count);
}

/** An entry with further values laid over those that it has. @param {object|null} entry */
export function mergePoints(entry, changes, count) {
    const values = entry === null ? new Map() : entryValues(entry, count);
    for (const [vertex, value] of changes) {
        values.set(vertex, Math.round(value * DIGITS) / DIGITS);
    }
    const points = [...values.keys()].sort((a, b) => a - b);
    return {points: formatRanges(points), values: points.map((point) => values.get(point))};
}

/** Pins as the document wants them: rising numbers. */
export function pinsValue(pins) {
    return pins.sort((a, b) => a - b);
}
