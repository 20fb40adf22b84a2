// SPDX-License-Identifier: Apache-2.0
//
// Lines of equal value on a grid (marching squares): pieces of straight lines between places on the
// grid's edges, which are found by linear interpolation.

// Of a cell with corners 0 (here), 1 (right), 2 (below on the right), 3 (below): edges that a line
// goes through, by which corners are at the level or above it. Saddles are cut so that the corners
// below the level are apart from each other, as in the field of a body those of a gap are not.
const EDGES = [[], [[3, 0]], [[0, 1]], [[3, 1]], [[1, 2]], [[0, 1], [2, 3]], [[0, 2]], [[3, 2]],
    [[2, 3]], [[2, 0]], [[3, 0], [1, 2]], [[2, 1]], [[1, 3]], [[1, 0]], [[0, 3]], []];

/**
 * @param {Float32Array} values row by row
 * @returns {number[]} pairs of places x, y, x, y, ... in cells from the first value on
 */
export function isoLines(values, columns, rows, level) {
    const lines = [];
    const at = new Array(4);
    for (let y = 0; y + 1 < rows; ++y) {
        for (let x = 0; x + 1 < columns; ++x) {
            const i = y * columns + x;
            at[0] = values[i];
            at[1] = values[i + 1];
            at[2] = values[i + columns + 1];
            at[3] = values[i + columns];
            const above = at.reduce((bits, value, k) => bits | (value >= level ? 1 << k : 0), 0);
            for (const [from, to] of EDGES[above]) {
                pushPlace(lines, x, y, from, at, level);
                pushPlace(lines, x, y, to, at, level);
            }
        }
    }
    return lines;
}

// Edge k goes from corner k to the next one.
function pushPlace(lines, x, y, edge, at, level) {
    const [a, b] = [at[edge], at[(edge + 1) % 4]];
    const t = (level - a) / (b - a);
    const [dx, dy] = [[t, 0], [1, t], [1 - t, 1], [0, 1 - t]][edge];
    lines.push(x + dx, y + dy);
}
