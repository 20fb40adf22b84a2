// SPDX-License-Identifier: Apache-2.0
//
// Holds parameters while something is dragged: one request under way, the newest values next.
// A control that the document has only just got is held as soon as the model has it.

export class Holder {
    constructor(studio) {
        this.studio = studio;
        this.waiting = null;
        this.busy = false;
        this.names = new Set();
    }

    /** @param {Object<string, number>} values by the names of parameters */
    hold(values) {
        this.waiting = {...this.waiting, ...values};
        Object.keys(values).forEach((name) => this.names.add(name));
        return this.next();
    }

    async next() {
        if (this.busy || this.waiting === null) {
            return;
        }
        this.busy = true;
        await this.#modelOfDocument();
        const values = this.waiting;
        this.waiting = null;
        try {
            await (values !== null ? this.studio.hold(values) : null);
        } catch {
            // The studio has shown why; what waits may still be right.
        }
        this.busy = false;
        await this.next();
    }

    // Waits for the model that is being made where the one at work lacks what is to be held.
    async #modelOfDocument() {
        const {active} = this.studio;
        const known = (name) => name.includes('.') || active.model.controlIndex(name) >= 0;
        while (active === this.studio.active && active.model !== null && active.error === null &&
            active.model.revision < active.revision &&
            !Object.keys(this.waiting ?? {}).every(known)) {
            await new Promise((resolve) => {
                const off = this.studio.on('model', () => {
                    off();
                    resolve();
                });
            });
        }
    }

    /** Holds a parameter as it was held before, or lets it go where it was not. */
    restore(name, before) {
        if (before !== undefined) {
            return this.hold({[name]: before});
        }
        if (!this.names.delete(name)) {
            return Promise.resolve();
        }
        if (this.waiting !== null) {
            const {[name]: given, ...others} = this.waiting;
            this.waiting = Object.keys(others).length > 0 ? others : null;
        }
        return this.studio.release([name]);
    }

    /** Lets everything go that was held here. */
    release() {
        const names = [...this.names];
        this.names.clear();
        this.waiting = null;
        return names.length === 0 ? Promise.resolve() : this.studio.release(names);
    }
}
