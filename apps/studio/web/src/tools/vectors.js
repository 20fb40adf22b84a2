// SPDX-License-Identifier: Apache-2.0
//
// Vectors as plain arrays and column-major 4x4 matrices as arrays of 16: what the tools compute
// with. Nothing here knows of three.js or of the page.

/** @typedef {number[]} Vec  two or three numbers */

export const add = (a, b) => a.map((x, i) => x + b[i]);
export const sub = (a, b) => a.map((x, i) => x - b[i]);
export const scale = (a, s) => a.map((x) => x * s);
export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
export const mix = (a, b, t) => a.map((x, i) => x + (b[i] - x) * t);
export const length = (a) => Math.sqrt(dot(a, a));
export const distance = (a, b) => length(sub(a, b));
export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

export function cross(a, b) {
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ];
}

/** Of length 1; a vector without length stays as it is. */
export function unit(a) {
    const size = length(a);
    return size > 0 ? scale(a, 1 / size) : a.slice();
}

/** Some direction at right angles to `a`. */
export function perpendicular(a) {
    const least = [0, 1, 2].reduce((m, i) => (Math.abs(a[i]) < Math.abs(a[m]) ? i : m), 0);
    const axis = [0, 0, 0];
    axis[least] = 1;
    return unit(cross(a, axis));
}

/** `v` turned about a unit axis (Rodrigues). */
export function turn(v, axis, angle) {
    const c = Math.cos(angle);
    const s = Math.sin(angle);
    const along = scale(axis, dot(axis, v) * (1 - c));
    return add(add(scale(v, c), scale(cross(axis, v), s)), along);
}

/** Number `index` of an array of points, three numbers each. */
export function pointAt(numbers, index) {
    return [numbers[3 * index], numbers[3 * index + 1], numbers[3 * index + 2]];
}

/** Matrix number `index` of an array of matrices. */
export function matrixAt(numbers, index) {
    return Array.from(numbers.subarray(16 * index, 16 * index + 16));
}

export const identity = () => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
export const originOf = (m) => [m[12], m[13], m[14]];
export const columnOf = (m, i) => [m[4 * i], m[4 * i + 1], m[4 * i + 2]];

/** A point through a matrix. */
export function transform(m, p) {
    return add(transformDirection(m, p), originOf(m));
}

/** A difference of points through a matrix. */
export function transformDirection(m, v) {
    return [0, 1, 2].map((i) => m[i] * v[0] + m[4 + i] * v[1] + m[8 + i] * v[2]);
}

export function fromColumns(x, y, z, origin) {
    return [...x, 0, ...y, 0, ...z, 0, ...origin, 1];
}

/** The inverse of an affine matrix; null where it has none. */
export function invert(m) {
    const [x, y, z] = [columnOf(m, 0), columnOf(m, 1), columnOf(m, 2)];
    const rows = [cross(y, z), cross(z, x), cross(x, y)];
    const det = dot(x, rows[0]);
    if (!(Math.abs(det) > 0)) {
        return null;
    }
    const [a, b, c] = rows.map((row) => scale(row, 1 / det));
    const columns = [0, 1, 2].map((i) => [a[i], b[i], c[i]]);
    const linear = fromColumns(...columns, [0, 0, 0]);
    return fromColumns(...columns, scale(transformDirection(linear, originOf(m)), -1));
}

export function multiply(a, b) {
    const columns = [0, 1, 2].map((i) => transformDirection(a, columnOf(b, i)));
    return fromColumns(...columns, transform(a, originOf(b)));
}

/** The smallest and the largest coordinates of an array of points. */
export function boxOf(numbers) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < numbers.length; ++i) {
        low[i % 3] = Math.min(low[i % 3], numbers[i]);
        high[i % 3] = Math.max(high[i % 3], numbers[i]);
    }
    return {low, high};
}

/** A number as people write it: so many significant digits, no trailing zeros. */
export function rounded(x, digits = 6) {
    return x === 0 ? 0 : Number(x.toPrecision(digits));
}

/** The coordinates of a point in a document: a hundredth of a millimetre in a body of metres. */
export function written(point, size = 1) {
    const step = 10 ** Math.floor(Math.log10(Math.max(size, 1e-6)) - 5);
    return point.map((x) => Number((Math.round(x / step) * step).toFixed(9)) + 0);
}
