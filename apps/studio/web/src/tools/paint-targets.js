// SPDX-License-Identifier: Apache-2.0
//
// What can be painted on a skin, and how painted values stand in the document. A stroke edits the
// entry of its own deformer and nothing else.
import {otherSide} from '../document/names.js';
import {put, remove} from '../document/ops.js';
import {child, join} from '../document/pointer.js';
import {BlendList, WeightList, listOps, pinList, sameJson} from './paint-entries.js';
import {flagsOf, formatFlags} from './paint-ranges.js';

const KINDS_WITH_WEIGHTS = ['morph', 'wrap', 'falloff', 'cloth', 'membrane'];

/**
 * Everything that can be painted on a skin of a document.
 * @param {object} document @param {string} skin @param {string[]} segments of the model
 * @returns {{id, kind, title, deformer: number, segments?: string[]}[]}
 */
export function paintables(document, skin, segments) {
    const deformers = document.skins?.[skin]?.deformers ?? [];
    return deformers.flatMap((deformer, index) => {
        const name = nameOf(deformers, index);
        if (deformer.kind === 'blend') {
            return [
                {
                    id: `${index}:blend`,
                    kind: 'blend',
                    deformer: index,
                    title: `${name}: bones`,
                    segments,
                },
            ];
        }
        const weights = KINDS_WITH_WEIGHTS.includes(deformer.kind)
            ? [
                  {
                      id: `${index}:weights`,
                      kind: 'weights',
                      deformer: index,
                      title: `${name}: weights`,
                  },
              ]
            : [];
        const pins =
            deformer.kind === 'cloth'
                ? [{id: `${index}:pins`, kind: 'pins', deformer: index, title: `${name}: pins`}]
                : [];
        return [...weights, ...pins];
    });
}

// "wrap", or "wrap 2" where there are several.
function nameOf(deformers, index) {
    const {kind} = deformers[index];
    const same = deformers.filter((each) => each.kind === kind).length;
    const number = deformers.slice(0, index + 1).filter((each) => each.kind === kind).length;
    return same > 1 ? `${kind} ${number}` : kind;
}

/** The target of a choice of `paintables`. */
export function targetOf(studio, skin, choice, segment) {
    const Kind = {blend: BlendTarget, weights: WeightsTarget, pins: PinsTarget}[choice.kind];
    return new Kind(studio, skin, choice, segment);
}

/**
 * Where painted values stand. `stored` is what the document has, `listOf` its parts to paint on,
 * `valueOf` makes of them what the document gets, `opsFor` the changes from one to the other.
 */
class Target {
    constructor(studio, skin, choice, key) {
        this.studio = studio;
        /** The character that is painted, whichever becomes the active one meanwhile. */
        this.slot = studio.active;
        this.skin = skin;
        this.surface = join('skins', skin);
        this.path = child(join('skins', skin, 'deformers', choice.deformer), key);
        this.index = choice.deformer;
        this.id = `${skin} ${choice.id}`;
        this.title = choice.title;
        /** Whether the other side has a target of its own: a segment .R for a segment .L. */
        this.hasSides = false;
        /**
         * Whether points are in or out, whatever the brush's strength; such values stand in the
         * document alone.
         */
        this.hard = false;
    }

    get stored() {
        return this.studio.get(this.path, this.slot);
    }

    get vertexCount() {
        return this.slot.model.byPath(this.surface).vertexCount;
    }

    /** The quantity that the viewport shows meanwhile. */
    get quantity() {
        return {name: 'weights', deformer: this.index};
    }

    /** Whether numbers of a quantity are the values that are painted. */
    isShownBy(quantity) {
        return sameJson(quantity, this.quantity);
    }

    /** A value in words. */
    say(value) {
        return `${this.title} ${value.toFixed(3)}`;
    }

    read(surface) {
        return surface?.values?.length === surface?.vertexCount ? surface.values : null;
    }

    paint(list, changes, mirrored) {
        list.paint(changes);
        list.paint(mirrored ?? new Map());
    }

    valueOf(list) {
        return list.entries;
    }

    opsFor(before, after) {
        return listOps(this.path, before, after);
    }
}

/** How much of a deformer points take: an entry at the end of its `weights`. */
class WeightsTarget extends Target {
    constructor(studio, skin, choice) {
        super(studio, skin, choice, 'weights');
    }

    listOf(weights) {
        return new WeightList(weights, this.vertexCount);
    }
}

/** What a blend hangs on a segment: an entry of its `paint`. */
class BlendTarget extends Target {
    constructor(studio, skin, choice, segment) {
        super(studio, skin, choice, 'paint');
        this.segment = segment;
        this.other = otherSide(segment);
        this.hasSides = this.other !== segment && studio.active.model.segmentIndex(this.other) >= 0;
        this.id += ` ${segment}`;
        this.title = segment;
    }

    get quantity() {
        return {name: 'weights', segment: this.segment};
    }

    listOf(paint) {
        return new BlendList(paint, this.vertexCount);
    }

    paint(list, changes, mirrored, weightNow) {
        list.paint(this.segment, changes, weightNow);
        if (this.hasSides) {
            list.paint(this.other, mirrored ?? new Map());
        } else {
            list.paint(this.segment, mirrored ?? new Map(), weightNow);
        }
    }
}

/** Points that stay: the `pins` of a cloth. */
class PinsTarget extends Target {
    constructor(studio, skin, choice) {
        super(studio, skin, choice, 'pins');
        this.hard = true;
        this.known = {pins: null, values: null};
    }

    isShownBy() {
        return true;
    }

    say(value) {
        return value >= 0.5 ? 'pinned' : 'free';
    }

    /** The same numbers as long as the document has the same pins. */
    read(surface) {
        if (surface === null) {
            return null;
        }
        const {stored} = this;
        const {pins, values} = this.known;
        if (values?.length !== surface.vertexCount || pins !== stored) {
            this.known = {pins: stored, values: Float32Array.from(this.listOf(stored))};
        }
        return this.known.values;
    }

    listOf(pins) {
        return flagsOf(pinList(pins, this.vertexCount), this.vertexCount);
    }

    paint(list, changes, mirrored) {
        for (const part of [changes, mirrored ?? new Map()]) {
            part.forEach((value, vertex) => {
                list[vertex] = Number(value >= 0.5);
            });
        }
    }

    valueOf(list) {
        return formatFlags(list) || undefined;
    }

    opsFor(before, after) {
        return after === before
            ? []
            : after === undefined
              ? [remove(this.path)]
              : [put(this.path, after)];
    }
}
