// SPDX-License-Identifier: Apache-2.0
//
// How much is drawn: on a machine that draws slowly, without a graphics card, moving pictures go
// without shadows, and the picture that rests gets everything.

const SLOW = 45; // milliseconds between pictures from which on moving ones go without shadows
const QUICK = 20; // and below which they get them back
const REST = 250; // milliseconds without change after which the whole picture is drawn
const SHARE = 0.25; // of a new measurement in the mean

export class Pace {
    #last = -Infinity;
    #changed = -Infinity;
    #mean = 0;
    #drawing = false;

    constructor() {
        /** Whether moving pictures have everything. */
        this.able = true;
        /** Whether the picture that is to be drawn, or was drawn last, has everything. */
        this.full = true;
    }

    /** A turn in which nothing can be drawn. */
    skip(now) {
        this.#last = now;
        this.#drawing = false;
    }

    /**
     * @param {boolean} playing more changes will come, however late
     * @returns whether to draw now; `full` then says what
     */
    wants(now, changed, playing) {
        this.#measure(now);
        if (changed) {
            const moving = playing || this.#drawing || now - this.#changed < REST;
            this.#changed = now;
            this.full = this.able || !moving;
            this.#drawing = true;
            return true;
        }
        this.#drawing = false;
        const rested = !this.full && !playing && now - this.#changed > REST;
        this.full ||= rested;
        return rested;
    }

    #measure(now) {
        if (this.#drawing) {
            this.#mean += SHARE * (now - this.#last - this.#mean);
            this.able = this.able ? this.#mean < SLOW : this.#mean < QUICK;
        }
        this.#last = now;
    }
}
