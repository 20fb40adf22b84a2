// SPDX-License-Identifier: Apache-2.0
//
// Auto-key: what is posed is keyed at the playhead, when the hand lets it go.
import {clipName, currentClip, keyNow} from './keying.js';
import {hasTracks} from './logic/keys.js';

const QUIET = 250; // milliseconds without a new value after which a gesture is over
/** With other tools values are held to try something, not to animate. */
const TOOLS = new Set(['select', 'pose']);

export class AutoKey {
    #on = false;
    #values = {};
    #timer = 0;
    #pressed = 0;

    constructor(studio) {
        this.studio = studio;
        studio.on('hold', (slot, values) => slot === studio.active && this.#take(values));
        studio.on('slot', () => this.#forget());
        addEventListener('pointerdown', () => this.#press(1), true);
        addEventListener('pointerup', () => this.#press(0), true);
        addEventListener('pointercancel', () => this.#press(0), true);
    }

    get on() {
        return this.#on;
    }

    /** @returns {boolean} false where there is nothing that could take keys */
    toggle() {
        const clip = currentClip(this.studio);
        if (!this.#on && clip !== null && !hasTracks(clip)) {
            const name = clipName(this.studio);
            this.studio.notice(
                `the clip "${name}" comes from a file; add a clip for keys of your own`,
                'warning'
            );
            return false;
        }
        this.#on = !this.#on;
        this.#forget();
        return true;
    }

    #take(values) {
        const {time, tool} = this.studio;
        if (this.#on && !time.playing && TOOLS.has(tool?.id ?? 'select')) {
            this.#values = {...this.#values, ...values};
            this.#wait();
        }
    }

    #press(count) {
        this.#pressed = count;
        this.#wait();
    }

    #wait() {
        clearTimeout(this.#timer);
        if (this.#pressed === 0 && Object.keys(this.#values).length > 0) {
            this.#timer = setTimeout(() => this.#key(), QUIET);
        }
    }

    #key() {
        const values = this.#values;
        this.#forget();
        // What was let go meanwhile is no longer wanted.
        const held = Object.entries(values).filter(([name]) =>
            Object.hasOwn(this.studio.active.held, name)
        );
        if (held.length > 0) {
            keyNow(this.studio, Object.fromEntries(held)).catch(() => {});
        }
    }

    #forget() {
        clearTimeout(this.#timer);
        this.#values = {};
    }
}
