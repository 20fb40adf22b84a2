// SPDX-License-Identifier: Apache-2.0
//
// Painted entries of documents: points as ranges, a value for each by rising number. While a
// stroke is under way they are kept as arrays with a place for every vertex: a dab changes a few
// numbers, and what the document gets is read off in one go, without sorting.
import {insert, put, remove} from '../document/ops.js';
import {child} from '../document/pointer.js';
import {formatFlags, parseRanges} from './paint-ranges.js';

const DIGITS = 1000; // steps of a painted value: what can be seen, in short texts
const SAME = 1e-5; // of a weight: what floats leave open

/** A value as documents have it. */
export function rounded(value) {
    return Math.round(value * DIGITS) / DIGITS;
}

/** Points of an entry: a text of ranges, or [first, last]. */
function entryPoints({points}, count) {
    return Array.isArray(points)
        ? parseRanges(`${points[0]}-${points[1]}`, count)
        : parseRanges(points, count);
}

/** Painted points of one entry: a value for each vertex that it has. */
export class Layer {
    /** @param {object} rest keys of the entry beside points and values */
    constructor(count, rest = {}) {
        this.values = new Float64Array(count);
        this.painted = new Uint8Array(count);
        this.size = 0;
        this.rest = rest;
        this.written = null;
    }

    /** The layer of an entry that stands in the document. */
    static of(entry, count) {
        const {points, values, weight = 1, ...rest} = entry;
        const layer = new Layer(count, rest);
        entryPoints(entry, count).forEach((vertex, i) =>
            layer.#put(vertex, (values?.[i] ?? 1) * weight)
        );
        layer.written = entry;
        return layer;
    }

    has(vertex) {
        return this.painted[vertex] === 1;
    }

    set(vertex, value) {
        this.#put(vertex, rounded(value));
    }

    #put(vertex, value) {
        this.size += 1 - this.painted[vertex];
        this.painted[vertex] = 1;
        this.values[vertex] = value;
        this.written = null;
    }

    delete(vertex) {
        if (this.painted[vertex]) {
            this.painted[vertex] = 0;
            this.size -= 1;
            this.written = null;
        }
    }

    /** As the document has it; the same object as long as nothing was changed. */
    get entry() {
        this.written ??= {
            ...this.rest,
            points: formatFlags(this.painted),
            values: this.#list(),
        };
        return this.written;
    }

    #list() {
        const list = new Array(this.size);
        for (let vertex = 0, i = 0; i < this.size; ++vertex) {
            if (this.painted[vertex]) {
                list[i++] = this.values[vertex];
            }
        }
        return list;
    }
}

/** `weights` of a deformer, with painted values on top of what else stands there. */
export class WeightList {
    constructor(weights, count) {
        const last = weights?.at(-1);
        const painted = last?.values !== undefined && last.points !== undefined;
        this.below = painted ? weights.slice(0, -1) : (weights ?? [{}]);
        this.layer = painted ? Layer.of(last, count) : new Layer(count);
    }

    paint(changes) {
        changes.forEach((value, vertex) => this.layer.set(vertex, value));
    }

    get entries() {
        return [...this.below, this.layer.entry];
    }
}

/**
 * `paint` of a blend. Entries are laid over each other and each takes from all that other segments
 * have, so that what is painted last must lie above what others have got at the same point. The
 * list stays short where that can be said without another entry.
 */
export class BlendList {
    constructor(paint, count) {
        this.count = count;
        this.layers = (paint ?? []).map((entry) => Layer.of(entry, count));
    }

    /**
     * @param {string} segment @param {Map<number, number>} changes weights by vertex
     * @param {(vertex: number) => number|undefined} weightNow of the segment, where it is known
     */
    paint(segment, changes, weightNow = () => undefined) {
        const shortened = new Set();
        changes.forEach((value, vertex) => {
            const top = this.layers.findLastIndex((layer) => layer.has(vertex));
            const layer = this.layers[top];
            if (top < 0 || layer.rest.segment === segment) {
                (layer ?? this.#layerOf(segment, -1)).set(vertex, value);
            } else if (isAllOfTwo(layer.values[vertex], weightNow(vertex))) {
                layer.set(vertex, 1 - rounded(value));
            } else {
                if (layer.values[vertex] === 1) {
                    // It has all: what lies below is of no account any more.
                    this.#clear(vertex, top, shortened);
                }
                this.#layerOf(segment, top).set(vertex, value);
            }
        });
        this.layers = this.layers.filter((layer) => layer.size > 0 || !shortened.has(layer));
    }

    // Takes a vertex out of all layers below a place.
    #clear(vertex, end, shortened) {
        for (const layer of this.layers.slice(0, end)) {
            layer.delete(vertex);
            shortened.add(layer);
        }
    }

    // The first layer of a segment that lies above a place; a new one on top where there is none.
    #layerOf(segment, above) {
        const there = this.layers.find((layer, i) => i > above && layer.rest.segment === segment);
        if (there !== undefined) {
            return there;
        }
        const layer = new Layer(this.count, {segment});
        this.layers.push(layer);
        return layer;
    }

    get entries() {
        return this.layers.map((layer) => layer.entry);
    }
}

/** Whether two segments have a point to themselves: what one gets, the other loses. */
function isAllOfTwo(top, other) {
    return other > 0 && Math.abs(top + other - 1) < SAME;
}

/**
 * The changes that make a list of entries another one; entries that stayed are the same objects.
 * Only what is different travels: all that was ever painted is much.
 */
export function listOps(path, before, after) {
    if (before === undefined) {
        return [put(path, after)];
    }
    if (after.length === 0) {
        return [remove(path)];
    }
    if (after.length < before.length) {
        return [put(path, after)];
    }
    return after.flatMap((entry, i) => {
        const place = child(path, i);
        return i >= before.length
            ? [insert(place, entry)]
            : entry === before[i]
              ? []
              : [put(place, entry)];
    });
}

/** Whether two JSON values say the same. */
export function sameJson(a, b) {
    if (a === b || a === null || b === null || typeof a !== 'object' || typeof b !== 'object') {
        return a === b;
    }
    const keys = Object.keys(a);
    return (
        Array.isArray(a) === Array.isArray(b) &&
        keys.length === Object.keys(b).length &&
        keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
    );
}

/** Vertices of `pins`: a text of ranges or a list. */
export function pinList(pins, count) {
    return Array.isArray(pins) ? pins : parseRanges(pins ?? '', count);
}
