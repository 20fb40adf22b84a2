// SPDX-License-Identifier: Apache-2.0
//
// A form for several entries of one kind: it shows the one that was selected last. Keys with a single
// value are set for all of them and marked as mixed where the values differ; what is inside lists,
// such as the points of curves, is changed in the one that is shown.
import {put, remove} from '../document/ops.js';
import {get, isInside, parent, split} from '../document/pointer.js';
import {FormContext} from './form-context.js';

/** Whether entries can share a form: they are of one section, and of one kind. */
export function areAlike(document, paths) {
    const [first] = paths;
    return paths.every((path) => split(path).length === 2 && parent(path) === parent(first) &&
        get(document, path)?.kind === get(document, first)?.kind);
}

export class ManyContext extends FormContext {
    /** @param {string[]} paths of all entries @param {string} path of the one that is shown */
    constructor(studio, slot, paths, path) {
        super(studio, slot, `${paths.length} entries`);
        this.paths = paths;
        this.path = path;
    }

    /** The places of a key in all entries; of what lies deeper, in the one that is shown. */
    #places(path) {
        const key = path.slice(this.path.length);
        const alone = split(key).length > 1 || typeof this.get(path) === 'object';
        return alone ? [path] : this.paths.map((each) => each + key);
    }

    change(path, value, {live = false} = {}) {
        return this.send(path, this.#places(path).map((each) => put(each, value)), live);
    }

    remove(path) {
        this.settle();
        const places = this.#places(path).filter((each) => this.get(each) !== undefined);
        return this.send(path, places.map((each) => remove(each)), false, 'Reset');
    }

    #isMixed(path) {
        const texts = this.#places(path).map((each) => JSON.stringify(this.get(each)));
        return new Set(texts).size > 1;
    }

    /** Marks the fields whose values differ. */
    markMixed() {
        for (const [path, field] of this.fields) {
            if (isInside(path, this.path) && path !== this.path) {
                field.element?.classList.toggle('mixed', this.#isMixed(path));
            }
        }
    }
}
