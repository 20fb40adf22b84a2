// SPDX-License-Identifier: Apache-2.0
//
// Points of curves that are selected, and what is done to all of them: moved, copied, deleted, given
// other values. Each is one step of undo. The curves are those of a source:
//
//     curves()                      {name: [[x, y], ...]}
//     write(label, curves, merge)   changes some of them
//     least, same, snap             the least x; points closer than this are one; where points stand
//     what                          'key' or 'point', for labels
import {
    copiedPoints,
    movedPoints,
    pastedPoints,
    withValues,
    withoutPoints
} from '../document/points.js';

let merges = 0;
let clipboard = null; // {what, points}

const sameKey = (a, b) => a.name === b.name && a.index === b.index;

export class PointSelection {
    #listeners = [];
    #preview = null;

    constructor(studio, source) {
        this.studio = studio;
        this.source = source;
        this.chosen = []; // {name, index}; the last one has the focus
    }

    onChange(run) {
        this.#listeners.push(run);
    }

    #changed() {
        this.#listeners.forEach((run) => run());
    }

    get size() {
        return this.chosen.length;
    }

    /** The one that was selected last, or null. */
    get last() {
        return this.chosen.at(-1) ?? null;
    }

    /** The points of a curve as they are shown: those of a drag before the server has them. */
    points(name) {
        return this.#preview?.[name] ?? this.source.curves()[name] ?? [];
    }

    has(name, index) {
        return this.chosen.some((each) => sameKey(each, {name, index}));
    }

    /** @param {{name, index}[]} chosen @param {boolean} add to what is selected */
    set(chosen, add = false) {
        const others = add ? this.chosen.filter((a) => !chosen.some((b) => sameKey(a, b))) : [];
        this.chosen = [...others, ...chosen];
        this.#changed();
    }

    toggle(name, index) {
        const point = {name, index};
        this.chosen = this.has(name, index) ? this.chosen.filter((each) => !sameKey(each, point))
            : [...this.chosen, point];
        this.#changed();
    }

    /** Nothing that is gone stays selected. */
    check() {
        const there = this.chosen.filter(({name, index}) => this.points(name)[index] !== undefined);
        if (there.length < this.chosen.length) {
            this.chosen = there;
        }
    }

    #label(verb) {
        const {what} = this.source;
        const names = new Set(this.chosen.map(({name}) => name));
        return this.size === 1 || names.size === 1
            ? `${verb} ${what}${this.size === 1 ? '' : 's'} of ${this.last.name}`
            : `${verb} ${this.size} ${what}s`;
    }

    #write(verb, curves, merge = null) {
        return this.source.write(this.#label(verb), curves, merge);
    }

    /**
     * Begins a drag: `to(dx, dy)` moves from where it began, `end` keeps it, `cancel` takes it back.
     * @param {(name) => number} scale what dy is times for a curve
     */
    beginMove(scale = () => 1) {
        const {source, studio} = this;
        const start = {curves: source.curves(), chosen: this.chosen, slot: studio.active};
        const steps = this.#steps();
        const merge = this.newMerge();
        let sent = null;
        const stop = () => {
            this.#preview = null;
            this.#changed();
        };
        return {
            to: (dx, dy) => {
                const next = movedPoints(start.curves, start.chosen, dx,
                    (name) => dy * scale(name), source);
                this.#preview = next.curves;
                this.chosen = next.chosen;
                this.#changed();
                sent = this.#write('Move', next.curves, merge);
                sent.catch(() => {});
            },
            end: stop,
            cancel: async () => {
                this.chosen = start.chosen;
                stop();
                await sent?.catch(() => {});
                if (this.#steps(start.slot) > steps) {
                    await studio.undo(start.slot);
                }
            }
        };
    }

    #steps(slot = this.studio.active) {
        return slot.undo?.count ?? 0;
    }

    newMerge() {
        return `points:${++merges}`;
    }

    moveBy(dx, merge) {
        const next = movedPoints(this.source.curves(), this.chosen, dx, () => 0, this.source);
        this.chosen = next.chosen;
        return this.#write('Move', next.curves, merge);
    }

    remove() {
        if (this.size > 0) {
            const curves = withoutPoints(this.source.curves(), this.chosen);
            const done = this.#write('Delete', curves);
            this.set([]);
            return done;
        }
        return Promise.resolve();
    }

    /** @param {(name, value) => number} value of each */
    setValues(value, merge) {
        return this.#write('Set', withValues(this.source.curves(), this.chosen, value), merge);
    }

    copy() {
        if (this.size > 0) {
            clipboard = {what: this.source.what,
                points: copiedPoints(this.source.curves(), this.chosen)};
        }
    }

    /** Puts what was copied at `x`. */
    async paste(x) {
        if (clipboard === null || clipboard.what !== this.source.what) {
            this.studio.notice(`No ${this.source.what}s have been copied.`);
            return;
        }
        const next = pastedPoints(this.source.curves(), clipboard.points, x, this.source);
        const before = this.chosen;
        this.chosen = next.chosen;
        try {
            await this.#write('Paste', next.curves);
        } catch {
            this.chosen = before;
        }
        this.#changed();
    }
}
