// SPDX-License-Identifier: Apache-2.0
//
// Edits and held values on their way to the server: one at a time, in order; while one is under
// way, those with the same merge key replace each other, so that a slider never queues up. What
// builds on the document as the user sees it, such as undo, has its place in the same queue.

export class Edits {
    #queue = [];
    #running = false;

    /** @param {(edit) => Promise} send */
    constructor(send) {
        this.send = send;
    }

    /** Whether something is under way or waits. */
    get busy() {
        return this.#running || this.#queue.length > 0;
    }

    /**
     * @param {{label: string, ops: object[], merge: ?string, slot: number}} edit or, with `hold`
     *     (an object of values) in place of `ops`, values that are held
     * @returns {Promise} settles with the answer to this edit, or to the one that replaced it
     */
    add(edit) {
        const last = this.#queue.at(-1);
        const joined = last?.edit && edit.merge && last.edit.merge === edit.merge &&
            last.edit.slot === edit.slot ? join(last.edit, edit) : null;
        if (joined !== null) {
            last.edit = joined;
            return last.promise;
        }
        return this.#push({edit});
    }

    /**
     * Runs a request in its turn: when everything that was added before is answered, and before
     * anything that is added later is sent.
     * @param {() => *} request @returns {Promise} of what it gives
     */
    after(request) {
        return this.#push({request});
    }

    /** Settles when everything that was added until now is answered, well or not. */
    idle() {
        return this.after(() => undefined);
    }

    #push(entry) {
        entry.promise = new Promise((resolve, reject) => Object.assign(entry, {resolve, reject}));
        this.#queue.push(entry);
        this.#next();
        return entry.promise;
    }

    async #next() {
        if (this.#running || this.#queue.length === 0) {
            return;
        }
        this.#running = true;
        // A moment for others to join: all edits of one event of the page are known then.
        await null;
        const entry = this.#queue.shift();
        try {
            // The answer to a request may take long: only the order of sending counts.
            entry.resolve(entry.request ? entry.request() : await this.send(entry.edit));
        } catch (error) {
            entry.reject(error);
        }
        this.#running = false;
        this.#next();
    }
}

// One edit that does what two do; null where there is none.
function join(before, after) {
    if (before.hold && after.hold) {
        return {...after, hold: {...before.hold, ...after.hold}};
    }
    const plain = before.ops && after.ops && !before.release;
    return plain && samePlaces(before.ops, after.ops) ? after : null;
}

// An edit that only puts values where the other does says all that the other said.
function samePlaces(before, after) {
    const plain = (op) => op.value !== undefined && !op.insert;
    return before.every(plain) && after.every(plain) &&
        before.every((op) => after.some((other) => other.path === op.path));
}
