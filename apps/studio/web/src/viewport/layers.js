// SPDX-License-Identifier: Apache-2.0
//
// How each layer is shown: as the user has set it, else as it stands to reason. Tools borrow layers
// for as long as they are in the hand; what the user sets meanwhile stays.

const CLEAR = 0.35; // opacity of see-through layers
const NAMES = ['skin', 'muscle', 'bone', 'tissue', 'driver'];
/** Those that come out by themselves when no skin covers them, until the user decides. */
const INSIDE = ['muscle', 'bone'];

export class Layers {
    #own = Object.fromEntries(NAMES.map((name) => [name,
        {mode: name === 'skin' ? 'shown' : 'hidden', opacity: CLEAR}]));
    #chosen = new Set(); // that the user has set
    #loans = [];
    #onChange;

    /** @param {() => void} onChange called when a tool borrows or gives back */
    constructor(onChange = () => {}) {
        this.#onChange = onChange;
        /** Whether there are skins that could cover what is inside. */
        this.skins = false;
        this.#compose();
    }

    /** What the user wants, from now on. @param {'shown'|'hidden'|'clear'} mode */
    set(name, mode, opacity = this.shown[name].opacity) {
        this.#own[name] = {mode, opacity};
        this.#chosen.add(name);
        this.#loans.forEach((loan) => loan.kept.delete(name));
        this.#compose();
    }

    /** Whether a model has skins that are shown has changed. */
    setSkins(skins) {
        this.skins = skins;
        this.#compose();
    }

    /**
     * Shows layers as a tool needs them. What it asks for again in the same way, after the user
     * has decided otherwise, is left to the user.
     * @param {Object<string, {mode, opacity}>} wanted
     * @returns {{change(wanted), giveBack()}}
     */
    lend(wanted) {
        const loan = {wanted: new Map(), kept: new Map()};
        this.#loans.push(loan);
        const change = (next) => {
            if (take(loan, next)) {
                this.#compose();
                this.#onChange();
            }
        };
        change(wanted);
        return {change, giveBack: () => {
            this.#loans = this.#loans.filter((each) => each !== loan);
            this.#compose();
            this.#onChange();
        }};
    }

    #compose() {
        const {skin} = this.#lent();
        const covered = this.skins && skin.mode === 'shown';
        for (const name of INSIDE.filter((each) => !this.#chosen.has(each))) {
            this.#own[name] = {...this.#own[name], mode: covered ? 'hidden' : 'shown'};
        }
        /** What is seen: {skin: {mode, opacity}, ...}. */
        this.shown = this.#lent();
    }

    // The user's layers under those that are lent.
    #lent() {
        const shown = {...this.#own};
        for (const {kept} of this.#loans) {
            kept.forEach((state, name) => {
                shown[name] = {...shown[name], ...state};
            });
        }
        return shown;
    }
}

// Notes what a tool wants anew. @returns whether that is something else
function take(loan, next) {
    const entries = Object.entries(next);
    const text = (state) => JSON.stringify(state);
    const fresh = entries.filter(([name, state]) => loan.wanted.get(name) !== text(state));
    const dropped = [...loan.wanted.keys()].filter((name) => !(name in next));
    fresh.forEach(([name, state]) => {
        loan.wanted.set(name, text(state));
        loan.kept.set(name, state);
    });
    dropped.forEach((name) => {
        loan.wanted.delete(name);
        loan.kept.delete(name);
    });
    return fresh.length + dropped.length > 0;
}
