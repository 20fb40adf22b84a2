// SPDX-License-Identifier: Apache-2.0
//
// Light and dark: what the system prefers until the user chooses.

const KEY = 'sinew-studio-theme';

export class Theme {
    #studio;
    #colors = new Map();
    #system = matchMedia('(prefers-color-scheme: light)');

    constructor(studio) {
        this.#studio = studio;
        this.#system.addEventListener('change', () => this.#apply());
        this.#apply();
    }

    /** 'light' or 'dark' */
    get name() {
        return this.chosen ?? (this.#system.matches ? 'light' : 'dark');
    }

    /** What the user chose, null: as the system. */
    get chosen() {
        const stored = localStorage.getItem(KEY);
        return stored === 'light' || stored === 'dark' ? stored : null;
    }

    set(name) {
        localStorage.setItem(KEY, name);
        this.#apply();
    }

    toggle() {
        this.set(this.name === 'dark' ? 'light' : 'dark');
    }

    /** The value of a colour of the style sheet: color('--accent'). */
    color(variable) {
        const known = this.#colors.get(variable);
        const style = known ? null : getComputedStyle(document.documentElement);
        const color = known ?? style.getPropertyValue(variable).trim();
        if (color !== '') {
            this.#colors.set(variable, color);
        }
        return color;
    }

    #apply() {
        document.documentElement.dataset.theme = this.name;
        this.#colors.clear();
        this.#studio.emit('theme', this.name);
    }
}
