// SPDX-License-Identifier: Apache-2.0
//
// JSON pointers (RFC 6901): '/muscles/biceps/bulge'. The whole document is ''.

/** One key as it stands in a pointer. */
function escape(key) {
    return String(key).replaceAll('~', '~0').replaceAll('/', '~1');
}

export function join(...keys) {
    return keys.map((key) => '/' + escape(key)).join('');
}

/** A pointer with more keys behind it. */
export function child(path, ...keys) {
    return path + join(...keys);
}

/** @returns {string[]} */
export function split(path) {
    if (path === '') {
        return [];
    }
    if (!path.startsWith('/')) {
        throw new Error(`"${path}" is no JSON pointer`);
    }
    return path.slice(1).split('/').map(
        (part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What the last key of `path` stands in; null for the whole document. */
export function parent(path) {
    return path === '' ? null : path.slice(0, path.lastIndexOf('/'));
}

/** The last key, '' for the whole document. */
export function last(path) {
    return split(path).at(-1) ?? '';
}

/** Whether `path` is `ancestor` or lies inside it. */
export function isInside(path, ancestor) {
    return path === ancestor || path.startsWith(ancestor + '/');
}

/** The value at `path`, undefined where there is none. */
export function get(document, path) {
    let value = document;
    for (const key of split(path)) {
        if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) {
            return undefined;
        }
        value = value[key];
    }
    return value;
}
