// SPDX-License-Identifier: Apache-2.0
//
// Names of entries: new ones that are free, and those of the other side, as the server says them
// (src/motion/body_names.c).

/** `wanted`, or `wanted 2`, `wanted 3`, ... whichever `taken` does not have. */
export function freeName(wanted, taken) {
    const names = new Set(taken);
    const stem = wanted.replace(/ \d+$/, '');
    let name = wanted;
    for (let count = 2; names.has(name); ++count) {
        name = `${stem} ${count}`;
    }
    return name;
}

// What exporters put before names.
const PREFIX = /^(?:.*[:|])?(?:mixamorig|def-|org-|bip01|bip001|cc_base_|skeleton_)?/i;
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g; // parted by signs, digits and capitals

/** The part of a word that tells a side: all of it, or the beginning of 'leftarm'. */
function sideOfWord(word) {
    const [side] = /^(?:l|r|left|right)$/i.exec(word) ?? /^(?:left|right)/.exec(word) ?? [null];
    return side;
}

/** The first word that tells the side of a name: {side, at}, or null. */
function findSide(name) {
    const start = PREFIX.exec(name)[0].length;
    const words = [...name.slice(start).matchAll(WORD)];
    const found = words.find(([word]) => sideOfWord(word) !== null);
    if (found === undefined) {
        return null;
    }
    const [side, at] = [sideOfWord(found[0]), start + found.index];
    // In 'L4 rib.R' it is the last letter: one with a digit behind it may be a vertebra's.
    const doubtful = side.length === 1 && /\d/.test(name[at + 1] ?? '');
    return doubtful && /[._][lr]$/i.test(name) ? {side: name.at(-1), at: name.length - 1}
        : {side, at};
}

/** The other side, in capitals where the side had them. */
function opposite(side) {
    const right = side[0].toLowerCase() === 'r';
    const other = side.length === 1 ? (right ? 'l' : 'r') : right ? 'left' : 'right';
    return [...other].map((letter, i) => {
        const before = side[Math.min(i, side.length - 1)];
        return before === before.toUpperCase() ? letter.toUpperCase() : letter;
    }).join('');
}

/** A name with left and right, or L and R, exchanged; itself where it tells no side. */
export function otherSide(name) {
    const found = findSide(name);
    return found === null ? name
        : name.slice(0, found.at) + opposite(found.side) + name.slice(found.at + found.side.length);
}

export const hasSide = (name) => findSide(name) !== null;

/** Which side a name tells: 'left', 'right' or null. */
export function sideOf(name) {
    const found = findSide(name);
    return found === null ? null : found.side[0].toLowerCase() === 'r' ? 'right' : 'left';
}

/** A name without its side and the sign before it: 'risorius' for 'risorius.L'. */
export function withoutSide(name) {
    const found = findSide(name);
    if (found === null) {
        return name;
    }
    const before = name.slice(0, found.at).replace(/[._ -]+$/, '');
    const after = name.slice(found.at + found.side.length).replace(/^[._ -]+/, '');
    const sign = /[._ -]/.exec(name)?.[0] ?? '';
    return [before, after].filter(Boolean).join(sign) || name;
}
