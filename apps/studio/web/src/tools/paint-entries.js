// SPDX-License-Identifier: Apache-2.0
//
// Painted entries of documents: points as ranges, a value for each by rising number.
import {put} from '../core/ops.js';
import {child} from '../core/pointer.js';
import {formatRanges, parseRanges} from './paint-ranges.js';

const DIGITS = 1000; // steps of a painted value: what can be seen, in short texts

/** Points of an entry: a text of ranges, or [first, last]. */
export function entryPoints({points}, count) {
    return Array.isArray(points)
        ? parseRanges(`${points[0]}-${points[1]}`, count)
        : parseRanges(points, count);
}

/** The values of an entry {points, values, weight}, by vertex. */
export function entryValues(entry, count) {
    const {values, weight = 1} = entry;
    return new Map(
        Array.from(entryPoints(entry, count), (point, i) => [point, (values?.[i] ?? 1) * weight])
    );
}

/** Points and values with further ones laid over them. @param {object|null} entry */
export function mergePoints(entry, changes, count) {
    const values = entry === null ? new Map() : entryValues(entry, count);
    for (const [vertex, value] of changes) {
        values.set(vertex, Math.round(value * DIGITS) / DIGITS);
    }
    const points = [...values.keys()].sort((a, b) => a - b);
    return {points: formatRanges(points), values: points.map((point) => values.get(point))};
}

/** `weights` of a deformer with painted values on top. */
export function paintWeights(weights, changes, count) {
    const last = weights.at(-1);
    const painted = last?.values !== undefined && last.points !== undefined;
    const entry = mergePoints(painted ? last : null, changes, count);
    return [...(painted ? weights.slice(0, -1) : weights), entry];
}

/**
 * `paint` of a blend with painted weights of a segment on top. Later entries take from earlier
 * ones, so that
 * points which another segment has got since go into a new entry; all others into the segment's
 * last one.
 */
export function paintBlend(paint, segment, changes, count) {
    const at = paint.findLastIndex((each) => each.segment === segment);
    const taken = new Set(paint.slice(at + 1).flatMap((each) => [...entryPoints(each, count)]));
    const below = new Map([...changes].filter(([vertex]) => at >= 0 && !taken.has(vertex)));
    const above = new Map([...changes].filter(([vertex]) => !below.has(vertex)));
    const list = paint.map((each, i) =>
        i === at && below.size > 0 ? {segment, ...mergePoints(each, below, count)} : each
    );
    return above.size > 0 ? [...list, {segment, ...mergePoints(null, above, count)}] : list;
}

/**
 * The changes that make a list of entries another one. Only what is different travels: all that
 * was ever painted is much. A list that gets longer is put whole, since an edit of the same stroke
 * may be under way that lengthens it, too.
 */
export function listOps(path, before, after) {
    return before?.length !== after.length
        ? [put(path, after)]
        : after.flatMap((entry, i) => (entry === before[i] ? [] : [put(child(path, i), entry)]));
}

/** Vertices of `pins`: a text of ranges or a list. */
export function pinList(pins, count) {
    return Array.isArray(pins) ? pins : parseRanges(pins ?? '', count);
}
