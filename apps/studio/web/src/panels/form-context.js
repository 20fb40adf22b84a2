// SPDX-License-Identifier: Apache-2.0
//
// What the fields of a form share: the document below one path, edits as gestures (all that is done
// in one drag is one step of undo), and the errors that the server answers with.
import {put, remove} from '../document/ops.js';
import {get, isInside, last, split} from '../document/pointer.js';
import {keyTitle} from './logic/form.js';
import {documentNames} from './logic/names.js';

let gestures = 0;

/** Why something was refused, as the field at a path shows it: with the place where it is inside. */
export function refusal({place, message}, path) {
    const inside = place && place !== path && isInside(place, path);
    return inside ? `${split(place.slice(path.length)).join(' › ')}: ${message}` : message;
}

/** What a patch would have put at a place; undefined where it says nothing about that. */
function refusedValue(ops, place) {
    const op = ops.find(({path, value}) => value !== undefined && isInside(place, path));
    return op && get(op.value, place.slice(op.path.length));
}

export class FormContext {
    /** @param {string} name of what is edited, for the labels of undo */
    constructor(studio, slot, name) {
        this.studio = studio;
        this.slot = slot;
        this.name = name;
        this.fields = new Map();
        this.gesture = 0;
        this.gesturePath = null;
        this.failedPath = null;
        this.lastError = null;
    }

    get(path) {
        return get(this.slot.document, path);
    }

    schemaAt(path) {
        return this.studio.schemaAt(path, this.slot) ?? {};
    }

    /** Names that a text may be, of the document and of the parts that repeats and mirrors make. */
    names(from) {
        const {model, document} = this.slot;
        const segments = model?.segments.map(({name}) => name);
        const made = (model?.surfaces ?? [])
            .filter(({path}) => from.some((section) => isInside(path, `/${section}`)))
            .map(({name}) => name);
        const all = [...documentNames(document, from, segments), ...made];
        return [...new Set(all)].filter((name) => !name.includes('#'));
    }

    /** A field that shows what stands at a path: it also shows what is wrong there. */
    register(path, field) {
        this.fields.set(path, field);
    }

    /** Puts a value; `live` while a drag goes on, whose values are one step together. */
    change(path, value, {live = false} = {}) {
        return this.send(path, [put(path, value)], live);
    }

    /** The end of a drag: what comes next is another step. */
    settle() {
        this.gesturePath = null;
    }

    remove(path) {
        this.settle();
        return this.send(path, [remove(path)], false, 'Reset');
    }

    apply(path, ops, verb) {
        this.settle();
        return this.send(path, ops, false, verb);
    }

    async send(path, ops, live, verb = 'Set') {
        const merge = this.mergeKey(path, live);
        const key = keyTitle(last(path), this.schemaAt(path)).toLowerCase();
        const label = `${verb} ${key} of ${this.name}`;
        try {
            await this.studio.edit(label, ops, {merge, slot: this.slot, quiet: true});
            this.showError(null);
            return true;
        } catch (error) {
            this.lastError = error;
            this.showError(error, path);
            this.showRefused(ops);
            return false;
        }
    }

    mergeKey(path, live) {
        if (this.gesturePath !== path) {
            this.gesture = ++gestures;
            this.gesturePath = live ? path : null;
        }
        return `form:${path}:${this.gesture}`;
    }

    /** Shows an error at the field of its place, else where the edit was made. */
    showError(error, path) {
        if (this.failedPath !== null) {
            const field = this.fields.get(this.failedPath);
            this.failedPath = null;
            field?.setError?.(null);
            field?.update?.();
        }
        if (!error) {
            return;
        }
        const place = this.nearestField(error.place) ?? this.nearestField(path);
        if (place === null) {
            this.studio.report(error);
            return;
        }
        this.failedPath = place;
        this.failedOver = this.get(place);
        const field = this.fields.get(place);
        field.setError(refusal(error, place));
        field.element?.scrollIntoView?.({block: 'nearest'});
    }

    /** What was refused stays in sight beside the reason. */
    showRefused(ops) {
        const value = this.failedPath === null ? undefined : refusedValue(ops, this.failedPath);
        if (value !== undefined) {
            this.fields.get(this.failedPath).show?.(value);
        }
    }

    /** Whether the field at a path still shows what was refused: nothing has changed there since. */
    isRefused(path) {
        return this.failedPath === path && this.failedOver === this.get(path);
    }

    nearestField(path) {
        const candidates = [...this.fields.keys()].filter(
            (each) => path && isInside(path, each) && this.fields.get(each).setError
        );
        return candidates.sort((one, other) => other.length - one.length)[0] ?? null;
    }
}
