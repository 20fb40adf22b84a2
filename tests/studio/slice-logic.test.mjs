// SPDX-License-Identifier: Apache-2.0
//
// Field slices without a browser: lines of equal value, and planes.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {
    facing, movedTo, positionOf, sliceAxes, sliceCorners,
} from '../../apps/studio/web/src/document/slice-plane.js';
import {isoLines} from '../../apps/studio/web/src/viewport/iso-lines.js';

const close = (a, b, tolerance = 1e-9) => a.forEach((x, i) =>
    assert.ok(Math.abs(x - b[i]) <= tolerance, `${a} is not ${b}`));
const plane = {segment: null, center: [0.1, 0.2, 0.3], turn: 30, tilt: 20, size: 2, cells: 4};

test('a line is where a linear field has the level', () => {
    const [columns, rows] = [5, 4];
    const values = Float32Array.from({length: columns * rows}, (_, i) => (i % columns) / 4);
    const lines = isoLines(values, columns, rows, 0.6);
    assert.equal(lines.length, 4 * (rows - 1));
    for (let i = 0; i < lines.length; i += 2) {
        close([lines[i]], [2.4], 1e-6);
    }
    assert.deepEqual(isoLines(values, columns, rows, 2), []);
});

test('a circle is closed, of its own length, and nowhere else', () => {
    const side = 41;
    const values = Float32Array.from({length: side * side}, (_, i) =>
        Math.hypot(i % side - 20, Math.floor(i / side) - 20));
    const lines = isoLines(values, side, side, 12.3);
    let length = 0;
    const ends = new Map();
    for (let i = 0; i < lines.length; i += 4) {
        const [ax, ay, bx, by] = lines.slice(i, i + 4);
        length += Math.hypot(bx - ax, by - ay);
        assert.ok(Math.abs(Math.hypot(ax - 20, ay - 20) - 12.3) < 0.02);
        [`${ax.toFixed(6)} ${ay.toFixed(6)}`, `${bx.toFixed(6)} ${by.toFixed(6)}`].forEach((end) =>
            ends.set(end, (ends.get(end) ?? 0) + 1));
    }
    assert.ok(Math.abs(length / (2 * Math.PI * 12.3) - 1) < 0.002);
    assert.ok([...ends.values()].every((count) => count === 2), 'the line has an end');
});

test('each way that a line can go through a cell separates what is above from what is below', () => {
    for (let bits = 0; bits < 16; ++bits) {
        const [a, b, c, d] = [0, 1, 2, 3].map((k) => (bits >> k) & 1);
        const lines = isoLines(Float32Array.of(a, b, d, c), 2, 2, 0.5);
        const changes = [[a, b], [b, c], [c, d], [d, a]].filter(([x, y]) => x !== y).length;
        assert.equal(lines.length, 2 * changes, `corners ${bits}`);
        const middles = [[0.5, 0], [1, 0.5], [0.5, 1], [0, 0.5]];
        for (let i = 0; i < lines.length; i += 2) {
            assert.ok(middles.some(([x, y]) => x === lines[i] && y === lines[i + 1]));
        }
    }
});

test('a plane has right angles, and its corners lie around its centre', () => {
    const {across, up, normal} = sliceAxes(plane);
    const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
    close([dot(across, up), dot(up, normal), dot(across, normal)], [0, 0, 0]);
    close([across, up, normal].map((axis) => dot(axis, axis)), [1, 1, 1]);
    const {origin, u, v, columns, rows} = sliceCorners(plane);
    close(origin.map((x, k) => x + (u[k] + v[k]) / 2), plane.center);
    assert.deepEqual([columns, rows], [5, 5]);
});

test('a plane faces where it is told, and moves along its normal alone', () => {
    for (const direction of [[1, 0, 0], [0, 0, -1], [0.6, 0.48, 0.64], [0, 1, 0]]) {
        close(sliceAxes(facing(plane, direction)).normal, direction);
    }
    assert.equal(facing(plane, [0, 1, 0]).turn, 30, 'straight up it keeps its turn');
    const moved = movedTo(plane, positionOf(plane) + 0.5);
    const {normal} = sliceAxes(plane);
    close(moved.center.map((x, k) => x - plane.center[k]), normal.map((x) => 0.5 * x));
    assert.ok(Math.abs(positionOf(moved) - positionOf(plane) - 0.5) < 1e-12);
});
