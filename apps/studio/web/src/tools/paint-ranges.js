// SPDX-License-Identifier: Apache-2.0

// Numbers as documents write them: "0-499,512", or "all". Between text and sorted lists.

/**
 * Sorted numbers of a text such as "12,40-60"; `count` is how many there are. Throws on
 * anything else.
 */
export function parseRanges(text, count) {
    const trimmed = String(text).trim();
    if (trimmed === 'all') {
        return Uint32Array.from({length: count}, (_, i) => i);
    }
    const chosen = new Uint8Array(count);
    for (const part of trimmed === '' ? [] : trimmed.split(',')) {
        markRange(chosen, part, count);
    }
    return listOf(chosen);
}

function markRange(chosen, part, count) {
    const match = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(part);
    if (!match) {
        throw new Error(`"${part}" is neither a number nor a range such as 40-60`);
    }
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    if (first > last) {
        throw new Error(`the range ${first}-${last} runs backwards`);
    }
    if (last >= count) {
        throw new Error(`there is no ${last}: numbers go from 0 to ${count - 1}`);
    }
    chosen.fill(1, first, last + 1);
}

/** Numbers whose entry in a list of flags is not 0, rising. */
export function listOf(flags) {
    const numbers = new Uint32Array(flags.length);
    let count = 0;
    for (let i = 0; i < flags.length; i++) {
        if (flags[i]) {
            numbers[count++] = i;
        }
    }
    return numbers.slice(0, count);
}

/** Flags, one for each of `count`, with 1 for the numbers of a list. */
export function flagsOf(numbers, count) {
    const flags = new Uint8Array(count);
    for (const n of numbers) {
        flags[n] = 1;
    }
    return flags;
}

/** The text of the numbers whose flag is set, in one go. */
export function formatFlags(flags) {
    const parts = [];
    for (let first = flags.indexOf(1); first >= 0; ) {
        const behind = flags.indexOf(0, first);
        const last = (behind < 0 ? flags.length : behind) - 1;
        parts.push(first === last ? `${first}` : `${first}-${last}`);
        first = behind < 0 ? -1 : flags.indexOf(1, behind);
    }
    return parts.join(',');
}
