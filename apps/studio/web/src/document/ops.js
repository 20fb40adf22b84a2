// SPDX-License-Identifier: Apache-2.0
//
// Changes of a document, as they travel on the wire both ways, and their application to the page's
// copy. Copies are made along the path only: parts that did not change keep their identity, so
// that a panel can see by === whether it has something to draw.
import {split} from './pointer.js';

/** Puts `value` at `path`; a new key of an object goes to position `index`, or to the end. */
export function put(path, value, index) {
    return index === undefined ? {path, value} : {path, value, index};
}

/** Inserts `value` into an array; `path` ends with the place, '-' for the end. */
export function insert(path, value) {
    return {path, value, insert: true};
}

export function remove(path) {
    return {path, gone: true};
}

/** Renames the last key of `path`, which keeps its place. */
export function rename(path, key) {
    return {path, key};
}

/** Applies changes in order. @returns the new document; `document` stays as it was */
export function apply(document, ops) {
    return ops.reduce((value, op) => applyAt(value, split(op.path), op, ''), document);
}

function applyAt(value, keys, op, where) {
    if (keys.length === 0) {
        return op.gone ? undefined : op.value;
    }
    if (value === null || typeof value !== 'object') {
        throw new Error(`there is nothing at "${where}" to change`);
    }
    return Array.isArray(value) ? applyInArray(value, keys, op, where)
                                : applyInObject(value, keys, op, where);
}

function applyInArray(array, [key, ...rest], op, where) {
    const index = key === '-' ? array.length : Number(key);
    const end = array.length - (op.insert || op.value !== undefined ? 0 : 1);
    if (!Number.isInteger(index) || index < 0 || index > end) {
        throw new Error(`"${key}" is no place in the list "${where}"`);
    }
    const copy = array.slice();
    if (rest.length > 0) {
        copy[index] = applyAt(array[index], rest, op, `${where}/${key}`);
    } else if (op.gone) {
        copy.splice(index, 1);
    } else {
        copy.splice(index, op.insert ? 0 : 1, op.value);
    }
    return copy;
}

// Objects are remade from entries: that keeps the order of the keys, and a key "__proto__" is a
// key as any other.
function applyInObject(object, [key, ...rest], op, where) {
    const entries = Object.entries(object);
    const at = entries.findIndex(([name]) => name === key);
    if (rest.length > 0) {
        if (at < 0) {
            throw new Error(`there is no "${key}" in "${where}"`);
        }
        entries[at] = [key, applyAt(entries[at][1], rest, op, `${where}/${key}`)];
    } else if (op.gone || op.key !== undefined) {
        if (at < 0) {
            throw new Error(`there is no "${key}" in "${where}"`);
        }
        entries.splice(at, 1, ...(op.gone ? [] : [[op.key, entries[at][1]]]));
    } else if (at >= 0) {
        entries[at] = [key, op.value];
    } else {
        entries.splice(op.index ?? entries.length, 0, [key, op.value]);
    }
    return Object.fromEntries(entries);
}
