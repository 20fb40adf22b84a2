// SPDX-License-Identifier: Apache-2.0
//
// Only what was selected is seen, whatever the layers say, until everything is wanted back.
import {isInside} from '../document/pointer.js';

/** Whether a surface is what stands at a place, all or a part of it, or what a segment carries. */
function belongsTo({path, segment}, place, segments) {
    return isInside(path, place) || isInside(place, path) ||
        (segment !== null && segments[segment]?.path === place);
}

export class Isolation {
    #surfaces = new Set();
    #slots;

    constructor(slots) {
        this.#slots = slots;
        /** The place in the document; null: everything is seen. */
        this.path = null;
    }

    /** @returns whether there is something to be seen of it */
    begin(path) {
        this.path = path;
        return this.refresh();
    }

    end() {
        this.path = null;
        this.#surfaces.clear();
    }

    /** After a new model. Where nothing is left of it, everything is seen again. */
    refresh() {
        this.#surfaces = new Set(this.path === null ? [] : this.#slots.flatMap(({model}) =>
            (model?.surfaces ?? []).filter((surface) =>
                belongsTo(surface, this.path, model.segments))));
        if (this.#surfaces.size === 0) {
            this.end();
        }
        return this.path !== null;
    }

    has(surface) {
        return this.#surfaces.has(surface);
    }
}
