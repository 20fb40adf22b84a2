// SPDX-License-Identifier: Apache-2.0
//
// Auto-key: what is posed is keyed at the playhead, when the hand lets it go.
import {clipName, currentClip, keyNow} from '../core/keying.js';
import {hasTracks} from '../document/keys.js';

const QUIET = 250; // milliseconds without a new value after which a gesture is over
/** With other tools values are held to try something, not to animate. */
const TOOLS = new Set(['select', 'pose']);

export class AutoKey {
    #on = false;
    #names = new Set();
    #merge = null;
    #timer = 0;
    #pressed = false;

    constructor(studio) {
        this.studio = studio;
        studio.on('hold', (slot, values, merge) => {
            if (slot === studio.active) {
                this.#take(values, merge);
            }
        });
        studio.on('slot', () => this.#forget());
        addEventListener('pointerdown', () => this.#press(true), true);
        addEventListener('pointerup', () => this.#press(false), true);
        addEventListener('pointercancel', () => this.#press(false), true);
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
                `The clip "${name}" comes from a file. Add a clip for your own keys.`,
                'warning'
            );
            return false;
        }
        this.#on = !this.#on;
        this.#forget();
        return true;
    }

    #take(values, merge) {
        const {time, tool} = this.studio;
        if (this.#on && !time.playing && TOOLS.has(tool?.id ?? 'select')) {
            Object.keys(values).forEach((name) => this.#names.add(name));
            this.#merge = merge;
            this.#wait();
        }
    }

    #press(pressed) {
        this.#pressed = pressed;
        this.#wait();
    }

    #wait() {
        clearTimeout(this.#timer);
        if (!this.#pressed && this.#names.size > 0) {
            this.#timer = setTimeout(() => this.#key(), QUIET);
        }
    }

    // R and G of the pose tool go on without a button that is pressed.
    get #inGesture() {
        return (this.studio.tool?.modal ?? null) !== null;
    }

    #key() {
        if (this.#inGesture) {
            this.#wait();
            return;
        }
        // What was let go meanwhile is no longer wanted.
        const {held} = this.studio.active;
        const names = [...this.#names].filter((name) => Object.hasOwn(held, name));
        this.#forget();
        if (names.length > 0) {
            const values = Object.fromEntries(names.map((name) => [name, held[name]]));
            keyNow(this.studio, values, this.#merge).catch(() => {});
        }
    }

    #forget() {
        clearTimeout(this.#timer);
        this.#names.clear();
    }
}
