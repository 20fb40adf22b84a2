// SPDX-License-Identifier: Apache-2.0

/** Named signals with listeners; a listener that throws does not keep the others from hearing. */
export class Signals {
    #listeners = new Map();

    /** @returns {() => void} what ends the listening */
    on(name, listener) {
        if (!this.#listeners.has(name)) {
            this.#listeners.set(name, new Set());
        }
        const listeners = this.#listeners.get(name);
        listeners.add(listener);
        return () => listeners.delete(listener);
    }

    emit(name, ...values) {
        for (const listener of [...(this.#listeners.get(name) ?? [])]) {
            try {
                listener(...values);
            } catch (error) {
                console.error(`a listener of "${name}" failed`, error);
            }
        }
    }
}
