// SPDX-License-Identifier: Apache-2.0
//
// Keys of the keyboard. Combinations are written as people say them: 'Ctrl+Shift+Z', 'Numpad1',
// 'Home', '.', 'Space'. On a Mac Ctrl is also the command key.

const NAMED = {' ': 'Space', ArrowLeft: 'Left', ArrowRight: 'Right', ArrowUp: 'Up',
    ArrowDown: 'Down', Escape: 'Esc', Delete: 'Del'};

/**
 * The letter or digit that stands on a key, where the event tells another sign: with Alt on a Mac
 * (Alt+1 is '\u00a1'), and on keyboards of other scripts. Null: what the event tells is right.
 */
function keyCap({key, code, altKey}) {
    const [, letter, digit] = /^(?:Key([A-Z])|Digit([0-9]))$/.exec(code ?? '') ?? [];
    if (altKey) {
        return /^[a-z0-9]$/i.test(key) ? null : letter ?? digit ?? null;
    }
    return key.length === 1 && key > '\u007f' ? letter ?? null : null;
}

/** The combination of a key event, in the form of `normal`. */
export function combination(event) {
    const cap = keyCap(event);
    let key = event.code?.startsWith('Numpad') && event.code !== 'NumpadEnter'
        ? event.code : cap ?? NAMED[event.key] ?? event.key;
    // Shift already shows in signs such as '?', but not in letters and named keys.
    const sign = cap === null && key.length === 1 && key.toUpperCase() === key.toLowerCase();
    if (key.length === 1) {
        key = key.toUpperCase();
    }
    return [event.ctrlKey || event.metaKey ? 'Ctrl' : '', event.altKey ? 'Alt' : '',
        event.shiftKey && !sign ? 'Shift' : '', key].filter(Boolean).join('+');
}

/** One spelling for each combination: modifiers in the order Ctrl, Alt, Shift. */
export function normal(keys) {
    const parts = keys === '+' ? ['+'] : keys.split('+').map((part) => part.trim());
    const key = parts.pop() || '+';
    const has = (name) => parts.some((part) => part.toLowerCase() === name.toLowerCase());
    return ['Ctrl', 'Alt', 'Shift'].filter(has)
        .concat(key.length === 1 ? key.toUpperCase() : key).join('+');
}

/** Whether typing belongs to the element that has the focus. */
export function isTyping(target) {
    if (!(target instanceof Element)) {
        return false;
    }
    const input = target.closest('input, textarea, select, [contenteditable=true]');
    return input !== null && !['checkbox', 'radio', 'button', 'range'].includes(input.type);
}

// Keys that a focused control uses itself.
function belongsToControl(event, keys) {
    const target = event.target;
    if (!(target instanceof Element)) {
        return false;
    }
    if (target.closest('dialog') !== null) {
        return true;
    }
    if (isTyping(target)) {
        return !/^(Ctrl|Alt)\+/.test(keys) || /^Ctrl\+(Z|Shift\+Z|Y|A|C|V|X)$/.test(keys);
    }
    if (keys === 'Space' || keys === 'Enter') {
        return target.closest('button, a, [role=tab], [role=menuitem], [role=treeitem], summary, ' +
            'input:not([type=range])') !== null;
    }
    return /^(Left|Right|Up|Down|Home|End)$/.test(keys) &&
        target.closest('input, [role=tree], [role=tablist], [role=menu], [role=listbox], ' +
            '[role=slider]') !== null;
}

export class Shortcuts {
    #list = [];

    /**
     * @param {{keys: string|string[], title: string, group: string, run: (event) => void,
     *     when?: () => boolean}} shortcut
     * @returns {() => void} what takes it away again
     */
    add(shortcut) {
        const keys = [shortcut.keys].flat();
        const entry = {...shortcut, keys, combinations: keys.map(normal)};
        this.#list.push(entry);
        return () => {
            this.#list = this.#list.filter((each) => each !== entry);
        };
    }

    /** All of them, for the help page: [{keys: [..], title, group}]. */
    get list() {
        return this.#list.slice();
    }

    /** Runs what belongs to a key event; later additions come first. @returns whether one did */
    handle(event) {
        const keys = combination(event);
        if (event.defaultPrevented || belongsToControl(event, keys)) {
            return false;
        }
        const found = this.#list.findLast((each) =>
            each.combinations.includes(keys) && (each.when === undefined || each.when()));
        if (found === undefined) {
            return false;
        }
        event.preventDefault();
        found.run(event);
        return true;
    }
}
