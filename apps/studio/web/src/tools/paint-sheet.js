// SPDX-License-Identifier: Apache-2.0
//
// What stands in the document for a target, with what is being painted on top of it.
import {sameJson} from './paint-entries.js';

export class Sheet {
    constructor(target) {
        this.target = target;
        this.load();
    }

    /** Begins with what the document has. */
    load() {
        const {stored} = this.target;
        /** The document's value when it was last looked at, and what it was told last. */
        this.seen = stored;
        this.told = stored;
        this.begin();
    }

    /** What a stroke begins with. */
    begin() {
        this.start = this.told;
        this.clear();
    }

    /** Whether the document says something else than it was told: somebody else changed it. */
    isStale() {
        const {stored} = this.target;
        if (stored !== this.seen && sameJson(stored, this.told)) {
            this.seen = stored;
        }
        return stored !== this.seen;
    }

    /** Forgets what the stroke has painted. */
    clear() {
        this.list = this.target.listOf(this.start);
    }

    /**
     * Lays values over what is there.
     * @param {Map<number, number>} changes @param {Map<number, number>|null} mirrored
     * @param {(vertex: number) => number|undefined} weightNow that the document has
     * @returns {object[]} changes of the document
     */
    write(changes, mirrored, weightNow) {
        this.target.paint(this.list, changes, mirrored, weightNow);
        const after = this.target.valueOf(this.list);
        const ops = this.target.opsFor(this.told, after);
        this.told = after;
        return ops;
    }
}
