// SPDX-License-Identifier: Apache-2.0
//
// What lies under the pointer and nearest to a point, without a page: boxes before trees, trees
// against brute force, places that a skin carries along.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {pathToFileURL} from 'node:url';

// The modules are those of the copy that the page was built from, near what npm has installed.
const load = (path) => import(pathToFileURL(join(process.env.SINEW_PAGE, path)).href);

const {Box3, Ray, Vector3} = await load('../../node_modules/three/build/three.module.js');
const {Carrier, evaluate} = await load('tools/draw-carry.js');
const v = await load('tools/vectors.js');
const {inReach} = await load('viewport/picking.js');
const {TriangleTree} = await load('viewport/tree.js');

const rayOf = (origin, direction) => new Ray(new Vector3(...origin), new Vector3(...direction));

test('only boxes that a ray meets are looked into, the nearest first', () => {
    const box = (x, z) =>
        ({box: new Box3(new Vector3(x, 0, z), new Vector3(x + 1, 1, z + 1)), z});
    const boxes = [box(0, 0), box(2, 0), box(0, 4), box(0, 20), {box: new Box3()}];
    const met = (z) => inReach(rayOf([0.5, 0.5, z], [0, 0, -1]), boxes)
        .map(({thing, enter}) => [thing.z, enter]);
    assert.deepEqual(met(10), [[4, 5], [0, 9]]);
    assert.deepEqual(met(4.5), [[4, 0], [0, 3.5]], 'from inside the first');
});

/** A bumpy sphere of triangles. */
function sphere(rows, columns) {
    const positions = [];
    const triangles = [];
    for (let i = 0; i <= rows; ++i) {
        for (let j = 0; j < columns; ++j) {
            const [a, b] = [Math.PI * i / rows, 2 * Math.PI * j / columns];
            const r = 1 + 0.1 * Math.sin(5 * a) * Math.cos(3 * b);
            positions.push(r * Math.sin(a) * Math.cos(b), r * Math.cos(a),
                r * Math.sin(a) * Math.sin(b));
            if (i < rows) {
                const at = (row, column) => row * columns + column % columns;
                triangles.push(at(i, j), at(i, j + 1), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1),
                    at(i + 1, j));
            }
        }
    }
    return {points: new Float32Array(positions), triangles: new Uint32Array(triangles)};
}

/** A sheet of n x n cells above the unit square of x and z. */
function sheet(n, height) {
    const points = Float32Array.from(Array.from({length: (n + 1) ** 2}, (_, k) => {
        const [i, j] = [k % (n + 1), Math.floor(k / (n + 1))];
        return [i / n, height(i / n, j / n), j / n];
    }).flat());
    const triangles = Uint32Array.from(Array.from({length: n * n}, (_, k) => {
        const a = Math.floor(k / n) * (n + 1) + (k % n);
        return [a, a + n + 1, a + 1, a + 1, a + n + 1, a + n + 2];
    }).flat());
    return {triangles, points};
}

/** The nearest hit by looking at every triangle, computed another way: by signed volumes. */
function bruteForce({points, triangles}, o, d) {
    let best = Infinity;
    const cross = (u, v) => [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0]];
    const dot = (u, v) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    const minus = (u, v) => [u[0] - v[0], u[1] - v[1], u[2] - v[2]];
    for (let t = 0; t < triangles.length; t += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => minus([0, 1, 2].map((axis) =>
            points[3 * triangles[t + k] + axis]), o));
        const signs = [[a, b], [b, c], [c, a]].map(([u, v]) => Math.sign(dot(d, cross(u, v))));
        const normal = cross(minus(b, a), minus(c, a));
        const distance = dot(a, normal) / dot(d, normal);
        if (Math.abs(signs[0] + signs[1] + signs[2]) === 3 && distance > 0) {
            best = Math.min(best, distance);
        }
    }
    return best;
}

function random(seed) {
    let state = seed;
    return () => {
        state = (1103515245 * state + 12345) % 2147483648;
        return state / 2147483648;
    };
}

function compareWithBruteForce(tree, mesh, seed) {
    const next = random(seed);
    let hits = 0;
    for (let i = 0; i < 200; ++i) {
        const o = [3 * next() - 1.5, 3 * next() - 1.5, 3 * next() - 1.5];
        const toward = [next() - 0.5, next() - 0.5, next() - 0.5].map((x, k) => x - o[k]);
        const d = toward.map((x) => x / Math.hypot(...toward));
        const hit = tree.cast(rayOf(o, d));
        const expected = bruteForce(mesh, o, d);
        assert.ok(hit === null ? expected === Infinity
            : Math.abs(hit.distance - expected) < 1e-5, `ray ${i} of seed ${seed}`);
        hits += hit === null ? 0 : 1;
        if (hit !== null) {
            const at = [0, 1, 2].map((axis) => hit.bary.reduce((sum, weight, k) => sum +
                weight * mesh.points[3 * mesh.triangles[3 * hit.triangle + k] + axis], 0));
            at.forEach((x, k) => assert.ok(Math.abs(x - o[k] - hit.distance * d[k]) < 1e-5));
        }
    }
    assert.ok(hits > 100, 'most rays hit');
}

test('picking finds the nearest triangle, also after the points have moved', () => {
    const mesh = sphere(12, 17);
    const order = mesh.triangles.slice();
    const tree = new TriangleTree(mesh.triangles, mesh.points);
    compareWithBruteForce(tree, mesh, 1);
    const moved = mesh.points.map((x, i) => x * 0.7 + 0.3 * Math.sin(i));
    tree.fit(moved);
    compareWithBruteForce(tree, {...mesh, points: moved}, 2);
    assert.deepEqual(mesh.triangles, order, 'the triangles stay in their order');
});

const down = [0, 0, -1];

test('picking a single triangle and a flat one', () => {
    const one = new TriangleTree(new Uint32Array([0, 1, 2]),
        new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]));
    assert.equal(one.cast(rayOf([0.2, 0.2, 1], down)).distance, 1);
    assert.equal(one.cast(rayOf([0.2, 0.2, -1], [0, 0, 1])).distance, 1, 'from behind');
    assert.equal(one.cast(rayOf([0.9, 0.9, 1], down)), null);
    assert.equal(one.cast(rayOf([0.2, 0.2, -1], down)), null);
    assert.equal(one.cast(rayOf([0.2, 0.2, 1], down), 1), null, 'not nearer');
    const flat = new TriangleTree(new Uint32Array([0, 0, 0]), new Float32Array([0, 0, 0]));
    assert.equal(flat.cast(rayOf([0, 0, 1], down)), null);
    assert.equal(flat.closest([0, 0, 2]).distance, 2);
});

test('no ray falls between triangles that meet', () => {
    const {triangles, points} = sphere(60, 90);
    const tree = new TriangleTree(triangles, points);
    for (let k = 0; k < points.length; ++k) {
        // Along an axis onto a vertex.
        const vertex = v.pointAt(points, Math.floor(k / 3));
        const side = Math.sign(vertex[k % 3]) || 1;
        const origin = vertex.map((x, axis) => axis === k % 3 ? 3 * side : x);
        const hit = tree.cast(rayOf(origin, [0, 1, 2].map((axis) => axis === k % 3 ? -side : 0)));
        assert.ok(hit?.distance <= v.distance(origin, vertex) + 1e-9, `vertex ${vertex}`);
    }
});

test('a place in a thin triangle is as exact as elsewhere', () => {
    // Thin, thinner, without any width; then with two corners in one place.
    for (const [width, middle] of [[1e-3, 0.3], [1e-7, 0.3], [0, 0.3], [0, 0], [0, 1]]) {
        const points = new Float32Array([0, 0, 0, 1, 1, 1, middle, middle + width, middle]);
        for (const triangles of [[0, 1, 2], [1, 2, 0], [2, 0, 1]].map((t) => new Uint32Array(t))) {
            const tree = new TriangleTree(triangles, points);
            for (const at of [0, 0.2, 0.5, 0.9, 1]) {
                const found = tree.closest([at, at, at]);
                assert.ok(v.distance(evaluate(points, triangles, found), [at, at, at]) < 1e-8);
                assert.ok(found.bary.every((weight) => weight >= 0 && weight <= 1));
            }
        }
    }
});

describe('places on a skin', () => {
    // A wavy sheet, and the same bent.
    const n = 8;
    const {triangles, points: rest} = sheet(n, (x, z) => 0.1 * Math.sin(5 * x + z));
    const surface = {rest, points: sheet(n, (x, z) => 0.5 * x * x + 0.2 * z).points, triangles};

    test('the closest place is that of brute force', () => {
        const tree = new TriangleTree(triangles, rest);
        const next = random(11);
        for (let k = 0; k < 60; ++k) {
            const p = [0, 1, 2].map(() => next() * 1.4 - 0.2);
            const found = tree.closest(p);
            const place = evaluate(rest, triangles, found);
            assert.ok(Math.abs(v.distance(place, p) - found.distance) < 1e-9);
            for (let t = 0; t < triangles.length / 3; ++t) {
                for (const bary of [[1, 0, 0], [0, 1, 0], [1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0]]) {
                    const other = evaluate(rest, triangles, {triangle: t, bary});
                    assert.ok(v.distance(other, p) >= found.distance - 1e-9);
                }
            }
        }
    });

    test('a hit of the pose is the same place at rest, and comes back', () => {
        const carrier = new Carrier(surface);
        const next = random(5);
        for (let k = 0; k < 40; ++k) {
            const [a, b] = [next(), next()];
            const bary = [a * b, (1 - a) * b, 1 - b];
            const place = {triangle: Math.floor(next() * 2 * n * n), bary};
            const posed = evaluate(surface.points, triangles, place);
            const atRest = evaluate(rest, triangles, place);
            assert.ok(v.distance(carrier.posed(atRest), posed) < 1e-6);
        }
    });
});
