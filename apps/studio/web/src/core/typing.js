// SPDX-License-Identifier: Apache-2.0
//
// What people type into a box, apart from what the box shows. A box that merely had the focus says
// nothing, however far its value went meanwhile.

const texts = new WeakMap(); // boxes -> their TypedText

export class TypedText {
    #box;
    #read;
    #take;
    #typed = false;

    /**
     * @param box an input or textarea @param {{text: () => string, take: (text) => void}} options
     * text: what stands for the value as it is now; take: gets what was typed, and only that
     */
    constructor(box, {text, take}) {
        this.#box = box;
        this.#read = text;
        this.#take = take;
        texts.set(box, this);
        box.addEventListener('input', () => {
            this.#typed = true;
        });
        box.addEventListener('blur', () => this.finish());
    }

    /** Whether there is something that nobody has taken yet. */
    get typed() {
        return this.#typed;
    }

    /** Shows the value; not in a box that is in use, where somebody reads or writes. */
    show() {
        if (globalThis.document?.activeElement !== this.#box) {
            this.reset();
        }
    }

    /** Shows the value in place of what was typed. */
    reset() {
        this.#typed = false;
        this.#box.value = this.#read();
    }

    /** Gives away what was typed, and shows the value that there is then. */
    finish() {
        if (this.#typed) {
            this.#typed = false;
            this.#take(this.#box.value);
        }
        this.reset();
    }

    /** The same for a box that goes away, once all that happens now is done. */
    finishLater() {
        const text = this.#typed ? this.#box.value : null;
        this.#typed = false;
        if (text !== null) {
            queueMicrotask(() => this.#take(text));
        }
        return text;
    }
}

/** The number that a text says, with a point or a comma; null for none. */
export function numberIn(text) {
    const plain = text.trim().replace(',', '.');
    const value = Number(plain);
    return plain === '' || !Number.isFinite(value) ? null : value;
}

/** Takes what is typed into the box that has the focus, and leaves the focus there. */
export function takeTyped() {
    texts.get(globalThis.document?.activeElement)?.finish();
}

/**
 * What is typed into a box that is about to be replaced is not lost.
 * @returns {string|null} the text, null where nothing was typed
 */
export function takeTypedLater(box) {
    return texts.get(box)?.finishLater() ?? null;
}
