// SPDX-License-Identifier: Apache-2.0
//
// Pictures of poses. The server takes them beside what is shown, of a model that is there already;
// they are kept until a pose spreads over something else.
import {resultOf, startJob} from '../core/job.js';
import {reachOf} from '../document/synergies.js';

/** Pixels of a side. */
export const SIZE = 112;

function decode(text) {
    const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
    const image = new ImageData(SIZE, SIZE);
    for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
        image.data.set([bytes[from], bytes[from + 1], bytes[from + 2], 255], to);
    }
    return image;
}

export class PosePictures {
    #studio;
    #changed;
    #pictures = new Map(); // what a pose does -> ImageData; null: it could not be drawn
    #names = new Map(); // names of a pose -> what it does
    #aim = null; // where the camera looks to, the same for all pictures of a document
    #of = null;
    #waiting = [];

    constructor(studio, changed) {
        this.#studio = studio;
        this.#changed = changed;
        this.busy = false;
    }

    /** @returns {ImageData|null} */
    get({names}) {
        return this.#pictures.get(this.#names.get(names.join())) ?? null;
    }

    /** All pictures are taken anew when they are wanted. */
    forget() {
        this.#pictures.clear();
        this.#aim = null;
    }

    /** Asks for the pictures of rows that lack one. */
    want(rows, spreads) {
        const {index, opened} = this.#studio.active;
        const of = `${index} ${opened}`;
        if (of !== this.#of) {
            this.#of = of;
            this.forget();
        }
        this.#names = new Map(rows.map(({names, high}) => [names.join(),
            JSON.stringify([high, ...names.map((name) => reachOf(spreads, name))])]));
        this.#waiting = rows;
        this.#takeNext();
    }

    #takeNext() {
        this.#waiting = this.#waiting.filter(({names}) =>
            !this.#pictures.has(this.#names.get(names.join())));
        if (!this.busy && this.#waiting.length > 0) {
            this.#take();
        }
    }

    async #take() {
        const rows = this.#waiting;
        const [of, keys] = [this.#of, rows.map(({names}) => this.#names.get(names.join()))];
        this.busy = true;
        const result = await this.#ask(rows).catch(() => null);
        this.busy = false;
        if (of === this.#of) {
            this.#aim ??= result?.target ? {target: result.target, distance: result.distance} : null;
            keys.forEach((key, index) =>
                this.#pictures.set(key, result === null ? null : decode(result.pictures[index])));
        }
        this.#takeNext();
        this.#changed();
    }

    async #ask(rows) {
        const poses = rows.map(({names, high}) =>
            Object.fromEntries(names.map((name) => [name, high])));
        const job = await startJob(this.#studio, 'pose_pictures', {slot: this.#studio.active.index,
            poses, width: SIZE, height: SIZE, view: 'front', ...this.#aim});
        return resultOf(this.#studio, job);
    }
}
