// SPDX-License-Identifier: Apache-2.0
//
// Tells the server which surfaces this page looks at, and fetches the geometry of those that it
// does not have yet.

export class Request {
    #studio;
    #viewport;
    #asked = [null, null]; // {serial, surfaces: Set} for each slot
    #sent = [null, null];
    #quantities = [null, null];

    constructor(studio, viewport) {
        this.#studio = studio;
        this.#viewport = viewport;
        const both = () => studio.slots.forEach((slot) => this.update(slot));
        studio.on('model', (slot) => this.update(slot));
        studio.on('layers', both);
        studio.on('quantity', both);
        studio.on('selection', both);
        studio.on('slice', both);
        studio.on('connection', () => {
            this.#asked = [null, null];
            this.#sent = [null, null];
        });
    }

    /** The surfaces of a slot that are to be seen. */
    wanted(slot) {
        const seen = this.#viewport.shownSlots.includes(slot.index);
        return (slot.model?.surfaces ?? []).filter((surface) => seen &&
            this.#viewport.stateOf(surface).mode !== 'hidden');
    }

    update(slot) {
        if (slot.model === null || this.#studio.wire.state !== 'open') {
            return;
        }
        const wanted = this.wanted(slot);
        this.#sendView(slot, wanted);
        const asked = this.#askedOf(slot);
        const missing = wanted.filter(({index, triangles}) =>
            triangles === null && !asked.has(index));
        if (missing.length > 0) {
            missing.forEach(({index}) => asked.add(index));
            this.#call('geometry', {slot: slot.index, model: slot.model.serial,
                surfaces: missing.map(({index}) => index)});
        }
    }

    #askedOf({index, model}) {
        if (this.#asked[index]?.serial !== model.serial) {
            this.#asked[index] = {serial: model.serial, surfaces: new Set()};
        }
        return this.#asked[index].surfaces;
    }

    #sendView(slot, wanted) {
        const quantity = this.#viewport.coloring.wanted(slot);
        this.#countQuantity(slot, JSON.stringify(quantity));
        const view = {slot: slot.index, surfaces: wanted.map(({index}) => index), quantity,
            slice: this.#viewport.slice.wanted(slot), number: slot.quantityNumber};
        const text = JSON.stringify([slot.model.serial, view]);
        if (text !== this.#sent[slot.index]) {
            this.#sent[slot.index] = text;
            this.#call('view', view);
        }
    }

    #countQuantity(slot, quantity) {
        if (this.#quantities[slot.index] !== quantity) {
            this.#quantities[slot.index] = quantity;
            slot.quantityNumber += 1;
        }
    }

    // A model that was replaced meanwhile is nothing to report: the next one asks again.
    #call(name, args) {
        const serial = this.#studio.slots[args.slot].model?.serial;
        this.#studio.wire.call(name, args).catch((error) => {
            const same = this.#studio.slots[args.slot].model?.serial === serial;
            if (same && error.status !== 'stale' && error.status !== 'connection') {
                this.#studio.report(error);
            }
        });
    }
}
