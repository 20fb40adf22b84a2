// SPDX-License-Identifier: Apache-2.0
//
// Where a tour stands: which of its steps is to be done. A step that is done already is passed
// over,
// so that nobody is asked for what is there.

export class TourState {
    constructor(steps, subject) {
        this.steps = steps;
        this.subject = subject;
        this.memory = {};
        this.index = -1;
    }

    /** The step that is to be done, or null: not begun, left or at its end. */
    get step() {
        return this.steps[this.index] ?? null;
    }

    get finished() {
        return this.index >= this.steps.length;
    }

    start() {
        this.memory = {};
        this.index = -1;
        this.#next();
    }

    leave() {
        this.index = -1;
    }

    /** Goes on as far as steps are done. @returns whether it moved */
    check() {
        const before = this.index;
        while (this.step !== null && this.step.done(this.subject, this.memory)) {
            this.#next();
        }
        return this.index !== before;
    }

    skip() {
        this.#next();
    }

    #next() {
        this.index += 1;
        this.step?.begin?.(this.subject, this.memory);
    }
}
