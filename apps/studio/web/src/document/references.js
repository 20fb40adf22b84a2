// SPDX-License-Identifier: Apache-2.0
// Renaming and deleting: entries and every text of the document that names them, found by the schema.

import {otherSide} from './names.js';
import {apply} from './ops.js';
import {child, get, isInside, split} from './pointer.js';
import {namesFrom, resolved} from './schema.js';

/** Which of the schema's x-name-of hold names of a section, alone and as parts of parameters. */
const WHOLE = {skeleton: ['segments'], controls: ['controls', 'parameters'], muscles: ['muscles']};
const PART = {skeleton: ['parameters'], muscles: ['lengths']};

function namesWhole(schema, section) {
    const from = namesFrom(schema);
    return (WHOLE[section] ?? [section]).some((each) => from.includes(each));
}

function namesPart(schema, section) {
    const from = namesFrom(schema);
    return (PART[section] ?? []).some((each) => from.includes(each));
}

function escaped(text) {
    return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

// 'caudal 3' for 'caudal #' keeps its number.
function renamedExactly(text, before, after) {
    if (text === before) {
        return after;
    }
    if (!before.includes('#')) {
        return null;
    }
    const found = new RegExp(`^${before.split('#').map(escaped).join('(\\d+)')}$`).exec(text);
    return found ? after.replaceAll('#', found[1]) : null;
}

function renamedOnASide(text, before, after, mirrored) {
    const direct = renamedExactly(text, before, after);
    return direct ?? (mirrored ? renamedExactly(text, otherSide(before), otherSide(after)) : null);
}

/**
 * What a text becomes when the entry `before` is called `after`; null where it does not name it.
 * `part`: it names it before its last dot, as 'forearm.rx_deg' does a segment.
 */
export function renamedText(text, before, after, {mirrored = false, part = false} = {}) {
    if (!part) {
        return renamedOnASide(text, before, after, mirrored);
    }
    const dot = text.lastIndexOf('.');
    const stem = dot < 0 ? null : renamedOnASide(text.slice(0, dot), before, after, mirrored);
    return stem === null ? null : stem + text.slice(dot);
}

function walk(schema, value, path, visit) {
    const node = resolved(schema, value);
    if (typeof value === 'string') {
        visit(node, value, path, false);
    } else if (Array.isArray(value)) {
        value.forEach((item, index) => walk(node.items, item, child(path, index), visit));
    } else if (value !== null && typeof value === 'object') {
        for (const [key, item] of Object.entries(value)) {
            visit(node.propertyNames, key, child(path, key), true);
            walk(
                node.properties?.[key] ?? node.additionalProperties,
                item,
                child(path, key),
                visit
            );
        }
    }
}

/**
 * The changes that rename an entry of a section and all that names it: values first, then keys,
 * the deepest first, so that every path is still true when its turn comes.
 */
export function renameOps(schema, document, path, after) {
    const [section, before] = split(path);
    const mirrored = get(document, path)?.mirror === true;
    const values = [];
    const keys = [];
    walk(schema, document, '', (node, text, where, isKey) => {
        const part = namesPart(node, section);
        if (!part && !namesWhole(node, section)) {
            return;
        }
        const renamed = renamedText(text, before, after, {mirrored, part});
        if (renamed !== null && renamed !== text) {
            (isKey ? keys : values).push(
                isKey ? {path: where, key: renamed} : {path: where, value: renamed}
            );
        }
    });
    keys.sort((one, other) => split(other.path).length - split(one.path).length);
    return [...values, ...keys, {path, key: after}];
}

function isRequired(schema, document, path) {
    const keys = split(path);
    const key = keys.pop();
    let node = schema;
    let value = document;
    for (const each of keys) {
        const chosen = resolved(node, value);
        node = Array.isArray(value)
            ? chosen.items
            : (chosen.properties?.[each] ?? chosen.additionalProperties);
        value = value?.[each];
    }
    return (resolved(node, value).required ?? []).includes(key);
}

// A list that would be empty goes with its key, or with the entry that cannot be without it.
function emptiedList(schema, document, list) {
    const owner = list.slice(0, list.lastIndexOf('/'));
    const inList = Array.isArray(get(document, owner.slice(0, owner.lastIndexOf('/'))));
    return isRequired(schema, document, list) && inList ? owner : list;
}

/**
 * The changes that take an entry out, and its name out of lists of names. What names it as its one
 * partner stays, so that the server says where that is.
 */
export function deleteOps(schema, document, path) {
    const [section, name, ...deeper] = split(path);
    const lists = new Map();
    if (deeper.length === 0 && !Array.isArray(document[section])) {
        walk(schema, document, '', (node, text, where, isKey) => {
            const list = where.slice(0, where.lastIndexOf('/'));
            if (
                !isKey &&
                text === name &&
                namesWhole(node, section) &&
                Array.isArray(get(document, list))
            ) {
                lists.set(list, [...(lists.get(list) ?? []), where]);
            }
        });
    }
    const ops = [...lists].flatMap(([list, places]) =>
        get(document, list).length === places.length
            ? [{path: emptiedList(schema, document, list), gone: true}]
            : places.reverse().map((where) => ({path: where, gone: true}))
    );
    return [...ops.reverse(), {path, gone: true}];
}

/**
 * The same for several entries: later ones of a list first, so that numbers stay true, and nothing
 * twice that goes with what it is in.
 */
export function deleteManyOps(schema, document, paths) {
    const number = (path) => Number(split(path).at(-1)) || 0;
    const order = paths.filter((path) => !paths.some((each) => each !== path && isInside(path, each)))
        .sort((one, other) => number(other) - number(one));
    let left = document;
    return order.flatMap((path) => {
        const ops = deleteOps(schema, left, path);
        left = apply(left, ops);
        return ops;
    });
}
