// SPDX-License-Identifier: Apache-2.0
//
// What is shown by colour, and its range.
import {findQuantity} from './colormap.js';

export class Coloring {
    #studio;
    #found = null; // [low, high] of the values, for quantities without a range of their own

    constructor(studio) {
        this.#studio = studio;
        this.quantity = null;
    }

    /** Values of another quantity are of no use: they are forgotten until new ones come. */
    set(quantity) {
        this.quantity = quantity;
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
        return known === null ? null
            : {...known, range: known.range ?? this.#found ?? [0, 1 / (known.scale ?? 1)]};
    }

    /** Looks at the values of a frame. @returns whether there is something to show anew */
    take(slot) {
        const known = this.quantity === null ? null : findQuantity(this.quantity.name);
        if (known === null) {
            return false;
        }
        const fresh = slot.model.surfaces.filter(({values}) => values !== null);
        if (known.range === null) {
            fresh.forEach(({values}) => this.#widen(values));
        }
        return fresh.length > 0;
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
