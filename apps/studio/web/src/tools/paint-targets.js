// SPDX-License-Identifier: Apache-2.0
//
// What can be painted on a skin, and how painted values stand in the document. A stroke edits the
// entry of its own deformer and nothing else.
import {otherSide} from '../core/names.js';
import {child, join} from '../core/pointer.js';
import {put, remove} from '../core/ops.js';
import {listOps, paintBlend, paintWeights, pinList} from './paint-entries.js';
import {formatRanges} from './paint-ranges.js';

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

class Target {
    constructor(studio, skin, choice) {
        this.studio = studio;
        this.skin = skin;
        this.surface = join('skins', skin);
        this.path = join('skins', skin, 'deformers', choice.deformer);
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

    get deformer() {
        return this.studio.get(this.path);
    }

    get vertexCount() {
        return this.studio.active.model.byPath(this.surface).vertexCount;
    }

    /** The quantity that the viewport shows meanwhile. */
    get quantity() {
        return {name: 'weights', deformer: this.index};
    }

    read(surface) {
        return surface?.values?.length === surface?.vertexCount ? surface.values : null;
    }
}

/** How much of a deformer points take: an entry at the end of its `weights`. */
class WeightsTarget extends Target {
    write(changes, mirrored) {
        const all = new Map([...changes, ...(mirrored ?? [])]);
        const {weights} = this.deformer;
        return listOps(
            child(this.path, 'weights'),
            weights,
            paintWeights(weights ?? [{}], all, this.vertexCount)
        );
    }
}

/** What a blend hangs on a segment: an entry of its `paint`. */
class BlendTarget extends Target {
    constructor(studio, skin, choice, segment) {
        super(studio, skin, choice);
        this.segment = segment;
        this.other = otherSide(segment);
        this.hasSides = this.other !== segment && studio.active.model.segmentIndex(this.other) >= 0;
        this.id += ` ${segment}`;
        this.title = segment;
    }

    get quantity() {
        return {name: 'weights', segment: this.segment};
    }

    write(changes, mirrored) {
        const own =
            mirrored !== null && !this.hasSides ? new Map([...changes, ...mirrored]) : changes;
        const before = this.deformer.paint;
        let paint = paintBlend(before ?? [], this.segment, own, this.vertexCount);
        if (mirrored !== null && this.hasSides) {
            paint = paintBlend(paint, this.other, mirrored, this.vertexCount);
        }
        return listOps(child(this.path, 'paint'), before, paint);
    }
}

/** Points that stay: the `pins` of a cloth. */
class PinsTarget extends Target {
    constructor(studio, skin, choice) {
        super(studio, skin, choice);
        this.hard = true;
    }

    read(surface) {
        if (surface === null) {
            return null;
        }
        const values = new Float32Array(surface.vertexCount);
        for (const pin of pinList(this.deformer?.pins, surface.vertexCount)) {
            values[pin] = 1;
        }
        return values;
    }

    write(changes, mirrored) {
        const pins = new Set(pinList(this.deformer.pins, this.vertexCount));
        for (const [vertex, value] of [...changes, ...(mirrored ?? [])]) {
            value >= 0.5 ? pins.add(vertex) : pins.delete(vertex);
        }
        const path = child(this.path, 'pins');
        return pins.size > 0
            ? [put(path, formatRanges([...pins]))]
            : this.deformer.pins === undefined
              ? []
              : [remove(path)];
    }
}
