// SPDX-License-Identifier: Apache-2.0
//
// What is shown by colour, and its range.
import {split} from '../document/pointer.js';
import {componentBytes, findQuantity} from './colormap.js';

export class Coloring {
    #studio;
    #shown = ['', ''];
    #missing = [null, null]; // by slot; null: nothing has come yet
    #components = [[], []]; // by slot: [{name, color}], the largest first
    #found = null; // [low, high] of the values, for quantities without a range of their own

    constructor(studio) {
        this.#studio = studio;
        this.quantity = null;
    }

    /** Whether nothing that is shown has the quantity, in either half. */
    get missing() {
        const known = this.#studio.slots.filter(({index, model}) =>
            model !== null && this.#missing[index] !== null);
        return known.length > 0 && known.every(({index}) => this.#missing[index]);
    }

    /** Values of another quantity are of no use: they are forgotten until new ones come. */
    set(quantity) {
        this.quantity = quantity;
        this.#missing = [null, null];
        this.#shown = ['', ''];
        this.#found = null;
        for (const slot of this.#studio.slots) {
            slot.model?.surfaces.forEach((surface) => {
                surface.values = null;
            });
        }
    }

    /** {title, unit, map, range, scale} of what is shown; null: nothing. */
    get mapping() {
        const known = this.quantity === null ? null : findQuantity(this.quantity.name);
        if (known === null) {
            return null;
        }
        const {segment, deformer} = this.wanted(this.#studio.active);
        const of = segment !== undefined ? ` of ${segment}`
            : deformer !== undefined ? ` of deformer ${deformer}` : '';
        return {...known, title: known.title + of, missing: this.missing,
            range: known.range ?? this.#foundRange(known.least),
            components: this.#components[this.#studio.activeIndex]};
    }

    /**
     * What to ask the server for. Weights are those of the selected segment or deformer, if the
     * one who chose them did not say which.
     */
    wanted(slot) {
        const {quantity} = this;
        if (quantity?.name !== 'weights' || quantity.segment !== undefined ||
            quantity.deformer !== undefined) {
            return quantity;
        }
        const [section, name, list, index] = split(this.#studio.selection?.path ?? '');
        if (section === 'skins' && list === 'deformers' && index !== undefined) {
            return {...quantity, deformer: Number(index)};
        }
        const segments = slot.model?.segments ?? [];
        const chosen = section === 'skeleton' && segments.some((each) => each.name === name);
        return segments.length === 0 ? quantity
            : {...quantity, segment: chosen ? name : segments[0].name};
    }

    #foundRange(least) {
        const most = this.#found === null ? 0.01 : Math.max(...this.#found.map(Math.abs));
        return [least ?? -most, most];
    }

    /** Looks at the values of a frame. @returns whether there is something to show anew */
    take(slot) {
        const known = this.quantity === null ? null : findQuantity(this.quantity.name);
        if (known === null) {
            return false;
        }
        const fresh = slot.model.surfaces.filter(({values}) => values !== null);
        this.#missing[slot.index] = fresh.length === 0;
        if (known.range === null) {
            fresh.forEach(({values}) => this.#widen(values));
        }
        // Colours change by themselves with the values; what else there is seldom does.
        const state = [slot.model.serial, fresh.length, this.#found].join();
        const changed = state !== this.#shown[slot.index];
        this.#shown[slot.index] = state;
        if (changed && known.categories) {
            this.#components[slot.index] = componentsOf(slot.model, fresh);
        }
        return changed;
    }

    /** What the place of a hit hangs on, where that is shown by colour; null elsewhere. */
    componentAt({surface, vertex, slot}) {
        const shown = this.quantity !== null && findQuantity(this.quantity.name)?.categories;
        const number = shown ? surface.values?.[vertex] : undefined;
        return this.#studio.slots[slot].model?.surfaceByIndex.get(number)?.name ?? null;
    }

    #widen(values) {
        let [low, high] = this.#found ?? [Infinity, -Infinity];
        for (const value of values) {
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        if (low < high) {
            this.#found = [low, high];
        }
    }
}

/** The components in the values of some surfaces: [{name, color}], those of most points first. */
export function componentsOf(model, surfaces) {
    const counts = new Map();
    for (const {values} of surfaces) {
        values.forEach((value) => counts.set(value, (counts.get(value) ?? 0) + 1));
    }
    return [...counts].sort((a, b) => b[1] - a[1])
        .map(([index]) => ({index, name: model.surfaceByIndex.get(index)?.name}))
        .filter(({name}) => name !== undefined)
        .map(({index, name}) => ({name, color: `rgb(${componentBytes(index).join(' ')})`}));
}
