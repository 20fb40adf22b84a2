// SPDX-License-Identifier: Apache-2.0
//
// Holds parameters while something is dragged; a drag is one step of undo. A control that the
// document has only just got is held as soon as the model has it.
import {newGesture} from '../core/gesture.js';

export class Holder {
    constructor(studio) {
        this.studio = studio;
        this.waiting = null;
        this.sending = null;
        this.names = new Set();
        this.begin();
    }

    /**
     * What is held from now on is another step of undo, or belongs to the step `merge`.
     * @param {{merge: ?string, label: ?string}} step
     */
    begin({merge = null, label = null} = {}) {
        this.step = {merge: merge ?? newGesture(), label};
    }

    /** @param {Object<string, number>} values by the names of parameters */
    hold(values) {
        this.waiting = {...this.waiting, ...values};
        Object.keys(values).forEach((name) => this.names.add(name));
        this.sending ??= this.#send();
        return this.sending;
    }

    async #send() {
        const {step} = this;
        await this.#modelOfDocument();
        const values = this.waiting;
        this.waiting = null;
        this.sending = null;
        // Where it is refused the studio has shown why; what comes next may be right.
        await (values === null ? null : this.studio.hold(values, step).catch(() => {}));
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
        return this.studio.release([name], this.step);
    }

    /** Lets everything go that was held here. */
    release() {
        const names = [...this.names];
        this.names.clear();
        this.waiting = null;
        return names.length === 0 ? Promise.resolve() : this.studio.release(names, this.step);
    }
}
