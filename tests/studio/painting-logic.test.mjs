// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import {
    flagsOf,
    formatFlags,
    listOf,
    parseRanges,
} from '../../apps/studio/web/src/tools/paint-ranges.js';
import {MirrorMap, PointGrid} from '../../apps/studio/web/src/tools/paint-grid.js';
import {Brush, modeOf} from '../../apps/studio/web/src/tools/paint-brush.js';
import {SurfaceMap} from '../../apps/studio/web/src/tools/paint-surface.js';
import {Stroke, falloff, stepsAlong} from '../../apps/studio/web/src/tools/paint-stroke.js';
import {
    BlendList,
    Layer,
    WeightList,
    listOps,
    sameJson,
} from '../../apps/studio/web/src/tools/paint-entries.js';
import {PaintSession} from '../../apps/studio/web/src/tools/paint-session.js';
import {targetOf} from '../../apps/studio/web/src/tools/paint-targets.js';
import {apply, insert} from '../../apps/studio/web/src/document/ops.js';
import {get} from '../../apps/studio/web/src/document/pointer.js';
import {plane, random} from './meshes.mjs';

/** The values of an entry {points, values, weight} of a document, by vertex. */
function entryValues({points, values, weight = 1}, count) {
    const list = Array.from(parseRanges(points, count));
    return new Map(list.map((point, i) => [point, (values?.[i] ?? 1) * weight]));
}

test('ranges are read as documents write them', () => {
    assert.deepEqual([...parseRanges('12,40-43', 100)], [12, 40, 41, 42, 43]);
    assert.deepEqual([...parseRanges(' 5 , 1 - 2 ', 6)], [1, 2, 5]);
    assert.deepEqual([...parseRanges('', 6)], []);
    assert.deepEqual([...parseRanges('all', 3)], [0, 1, 2]);
    assert.deepEqual([...parseRanges('2-4,3,4-5', 6)], [2, 3, 4, 5]);
});

test('ranges that mean nothing are refused with a reason', () => {
    assert.throws(() => parseRanges('7', 7), /there is no 7: numbers go from 0 to 6/);
    assert.throws(() => parseRanges('5-3', 7), /runs backwards/);
    for (const text of ['a', '1,,2', '-1', '1-', '1.5', '1 2']) {
        assert.throws(() => parseRanges(text, 7), /neither a number nor a range/, text);
    }
});

test('ranges are written shortest and read back equal', () => {
    assert.equal(formatFlags(flagsOf([12, 40, 41, 42], 100)), '12,40-42');
    assert.equal(formatFlags(flagsOf([3, 1, 2, 2], 4)), '1-3');
    assert.equal(formatFlags(flagsOf([], 4)), '');
    const next = random(7);
    for (let round = 0; round < 50; round++) {
        const flags = Uint8Array.from({length: 200}, () => (next() < 0.4 ? 1 : 0));
        const list = listOf(flags);
        assert.deepEqual(parseRanges(formatFlags(flags), 200), list);
        assert.deepEqual(flagsOf(list, 200), flags);
    }
});

test('the grid finds what looking at all points finds', () => {
    const next = random(3);
    const points = Float32Array.from({length: 3000}, () => next() * 2 - 1);
    const grid = new PointGrid(points);
    for (let round = 0; round < 200; round++) {
        const [x, y, z, radius] = [next() * 2 - 1, next() * 2 - 1, next() * 2 - 1, next() * 0.3];
        const distance = (i) =>
            Math.hypot(points[3 * i] - x, points[3 * i + 1] - y, points[3 * i + 2] - z);
        const all = Array.from({length: 1000}, (_, i) => i).filter((i) => distance(i) <= radius);
        const found = [];
        grid.within(x, y, z, radius, (i) => found.push(i));
        assert.deepEqual(
            found.sort((a, b) => a - b),
            all
        );
        const nearest = all.reduce(
            (best, i) => (best < 0 || distance(i) < distance(best) ? i : best),
            -1
        );
        assert.equal(grid.closest(x, y, z, radius), nearest);
    }
});

test('mirror images of points are found across x = 0', () => {
    const {points} = plane(10);
    const map = new MirrorMap(points);
    for (let v = 0; v < points.length / 3; v++) {
        const other = map.of(v);
        assert.equal(points[3 * other], -points[3 * v] + 0);
        assert.equal(points[3 * other + 1], points[3 * v + 1]);
    }
    const alone = new MirrorMap(Float32Array.from([1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1]));
    assert.equal(alone.of(0), -1);
});

test('distances along a plane are those of the plane', () => {
    const {points, triangles} = plane(20);
    const map = new SurfaceMap(points, triangles);
    const middle = {x: 0.03, y: 0.01, z: 0};
    const cell = 10 * 20 + 10;
    const {vertices, distances} = map.disc(points, 2 * cell, middle, 0.7);
    assert.equal(new Set(vertices).size, vertices.length);
    vertices.forEach((v, i) => {
        const straight = Math.hypot(points[3 * v] - middle.x, points[3 * v + 1] - middle.y);
        assert.ok(distances[i] >= straight - 1e-6);
        assert.ok(distances[i] <= straight * 1.06 + 0.01, `${distances[i]} for ${straight}`);
    });
    const inside = Array.from({length: points.length / 3}, (_, v) => v).filter(
        (v) => Math.hypot(points[3 * v] - middle.x, points[3 * v + 1] - middle.y) < 0.63
    );
    assert.ok(inside.every((v) => vertices.includes(v)));
});

test('a brush does not leap over a gap that is far along the surface', () => {
    // A strip folded like a U: its ends are 0.05 apart in space and 2 apart along it.
    const {points, triangles} = plane(40);
    for (let v = 0; v < points.length / 3; v++) {
        const x = points[3 * v];
        points[3 * v] = Math.abs(x);
        points[3 * v + 2] = x < 0 ? -0.025 : 0.025;
    }
    const map = new SurfaceMap(points, triangles);
    const last = 2 * (39 * 40 + 20);
    const {vertices} = map.disc(points, last, {x: 0.98, y: 0.02, z: 0.025}, 0.3);
    assert.ok(vertices.length > 20);
    assert.ok(vertices.every((v) => points[3 * v + 2] > 0));
});

test('seams are one place and closed lips are two', () => {
    const points = Float32Array.from([
        0,
        0,
        0,
        1,
        0,
        0,
        1,
        1,
        0, // a face,
        0,
        0,
        0,
        1,
        1,
        0,
        0,
        1,
        0, // its neighbour behind a seam,
        0,
        0,
        0,
        1,
        0,
        0,
        1,
        1,
        0, // and the other lip
    ]);
    const map = new SurfaceMap(points, Uint32Array.from([0, 1, 2, 3, 4, 5, 8, 7, 6]));
    assert.equal(map.place[3], map.place[0], 'faces that look the same way');
    assert.notEqual(map.place[6], map.place[0], 'faces that look against each other');
    const {vertices} = map.disc(points, 0, {x: 0.6, y: 0.4, z: 0}, 2);
    assert.deepEqual(
        vertices.sort((a, b) => a - b),
        [0, 1, 2, 3, 4, 5]
    );
});

test('the brush falls from 1 to 0 without a step', () => {
    assert.equal(falloff(0, 2), 1);
    assert.equal(falloff(2, 2), 0);
    assert.equal(falloff(5, 2), 0);
    assert.equal(falloff(1, 2), 0.5);
    assert.equal(falloff(0.9, 2, 0.5), 1);
    for (let d = 0; d < 2; d += 0.01) {
        assert.ok(falloff(d, 2) >= falloff(d + 0.01, 2));
        assert.ok(falloff(d, 2) - falloff(d + 0.01, 2) < 0.01);
    }
});

test('a stroke adds, subtracts and replaces within 0 and 1', () => {
    const paint = (mode, start, target = 1) => {
        const values = Float32Array.of(start, start);
        new Stroke(values, {mode, strength: 0.5, target}, () => []).dab([0], [1]);
        assert.equal(values[1], Math.fround(start), 'points beside the brush stay');
        return values[0];
    };
    assert.equal(paint('add', 0.25), 0.75);
    assert.equal(paint('add', 0.75), 1);
    assert.equal(paint('subtract', 0.75), 0.25);
    assert.equal(paint('subtract', 0.25), 0);
    assert.equal(paint('replace', 0, 0.5), 0.25);
    assert.equal(paint('replace', 1, 0), 0.5);
    assert.throws(() => paint('blur', 1), /no brush "blur"/);
});

test('many dabs of one stroke are no stronger than the strongest', () => {
    const values = Float32Array.of(0.25);
    const stroke = new Stroke(values, {mode: 'add', strength: 0.5, target: 1}, () => []);
    for (const share of [0.25, 0.5, 0.5, 0.125]) {
        stroke.dab([0], [share]);
    }
    assert.equal(values[0], 0.5);
    stroke.revert();
    assert.equal(values[0], 0.25);
});

test('smoothing comes to the mean of what is around and keeps what is even', () => {
    const {points, triangles} = plane(8);
    const map = new SurfaceMap(points, triangles);
    const even = new Float32Array(81).fill(0.25);
    const all = Array.from({length: 81}, (_, i) => i);
    const brush = {mode: 'smooth', strength: 1, target: 1};
    new Stroke(even, brush, (v) => map.neighbours(v)).dab(
        all,
        all.map(() => 1)
    );
    assert.ok(even.every((value) => value === 0.25));
    const noisy = Float32Array.from(all, (i) => i % 2);
    const rough = (list) => list.reduce((sum, v) => sum + (v - 0.5) ** 2, 0);
    const before = rough(noisy);
    const stroke = new Stroke(noisy, brush, (v) => map.neighbours(v));
    for (let i = 0; i < 10; i++) {
        stroke.dab(
            all,
            all.map(() => 0.5)
        );
    }
    assert.ok(rough(noisy) < before / 10);
    assert.deepEqual(
        map.neighbours(40).sort((a, b) => a - b),
        [30, 31, 39, 41, 49, 50]
    );
});

test('dabs lie close together along the way of the pointer and end under it', () => {
    const steps = stepsAlong({x: 0, y: 0}, {x: 100, y: 0}, 30);
    assert.deepEqual(
        steps.map((s) => s.x),
        [25, 50, 75, 100]
    );
    assert.deepEqual(stepsAlong({x: 3, y: 4}, {x: 3, y: 4}, 30), [{x: 3, y: 4}]);
});

test('F and the pointer change the radius; Esc puts it back', () => {
    const brush = new Brush({radius: 40, strength: 0.5});
    const key = (name, more = {}) => ({key: name, ...more});
    assert.ok(brush.key(key('f'), 100));
    assert.ok(brush.adjust(130));
    assert.equal(brush.radius, 70);
    assert.ok(brush.key(key('Escape'), 130));
    assert.equal(brush.radius, 40);
    assert.ok(brush.key(key('F', {shiftKey: true}), 0));
    brush.adjust(1000);
    assert.equal(brush.strength, 1, 'within its limits');
    assert.ok(brush.key(key('Enter'), 0));
    assert.equal(brush.strength, 1);
    assert.equal(brush.adjust(0), false);
    assert.equal(brush.key(key('f', {ctrlKey: true}), 0), false, 'Ctrl+F belongs to others');
    assert.equal(brush.key(key('x'), 0), false);
});

test('Ctrl turns the brush round and Shift smooths', () => {
    assert.equal(modeOf({mode: 'add'}, {ctrlKey: true}), 'subtract');
    assert.equal(modeOf({mode: 'subtract'}, {ctrlKey: true}), 'add');
    assert.equal(modeOf({mode: 'replace'}, {ctrlKey: true}), 'replace');
    assert.equal(modeOf({mode: 'replace'}, {shiftKey: true}), 'smooth');
    assert.equal(modeOf({mode: 'replace'}, {}), 'replace');
});

/** `paint` of a blend after one stroke. */
function paintBlend(paint, segment, changes, count, weightNow) {
    const list = new BlendList(paint, count);
    list.paint(segment, new Map(changes), weightNow);
    return list.entries;
}

test('painted entries keep what they have and get what is new', () => {
    const layer = new Layer(10);
    layer.set(5, 0.25);
    layer.set(3, 1);
    const {entry} = layer;
    assert.deepEqual(entry, {points: '3,5', values: [1, 0.25]});
    const again = Layer.of({...entry, segment: 'a'}, 10);
    again.set(4, 0.33333);
    again.set(5, 0);
    assert.deepEqual(again.entry, {segment: 'a', points: '3-5', values: [1, 0.333, 0]});
    again.delete(3);
    again.delete(3);
    assert.equal(again.size, 2);
    assert.deepEqual(again.entry, {segment: 'a', points: '4-5', values: [0.333, 0]});
    const untouched = {points: [2, 3], values: [1, 0.5], weight: 0.5};
    assert.equal(Layer.of(untouched, 10).entry, untouched, 'as the user wrote it');
    assert.deepEqual(
        [...entryValues(untouched, 10)],
        [
            [2, 0.5],
            [3, 0.25],
        ]
    );
    assert.deepEqual(
        [...entryValues({points: 'all', weight: 0.5}, 2)],
        [
            [0, 0.5],
            [1, 0.5],
        ]
    );
});

test('painted weights of a deformer lie on top of what the user wrote', () => {
    const paintWeights = (weights, vertex, value) => {
        const list = new WeightList(weights, 10);
        list.paint(new Map([[vertex, value]]));
        return list.entries;
    };
    const group = {group: 'lips', weight: 0};
    const once = paintWeights([{}, group], 1, 0.5);
    assert.deepEqual(once, [{}, group, {points: '1', values: [0.5]}]);
    assert.deepEqual(paintWeights(once, 2, 1), [{}, group, {points: '1-2', values: [0.5, 1]}]);
    assert.deepEqual(paintWeights(undefined, 0, 0), [{}, {points: '0', values: [0]}]);
    const attribute = [{attribute: 'color'}];
    assert.deepEqual(paintWeights(attribute, 0, 0), [...attribute, {points: '0', values: [0]}]);
});

test('a segment painted over another one stays on top at the points that both have', () => {
    const first = paintBlend([], 'a', [[1, 0.9], [2, 0.9]], 10);
    assert.deepEqual(first, [{segment: 'a', points: '1-2', values: [0.9, 0.9]}]);
    const second = paintBlend(first, 'b', [[2, 0.5], [3, 0.5]], 10);
    assert.deepEqual(second[1], {segment: 'b', points: '2-3', values: [0.5, 0.5]});
    const third = paintBlend(second, 'a', [[1, 0.75], [2, 0.25], [4, 0.8]], 10);
    assert.deepEqual(third, [
        {segment: 'a', points: '1-2,4', values: [0.75, 0.9, 0.8]},
        second[1],
        {segment: 'a', points: '2', values: [0.25]},
    ]);
    assert.deepEqual(paintBlend(third, 'a', [[2, 0]], 10)[2], {
        segment: 'a',
        points: '2',
        values: [0],
    });
});

test('only entries that changed travel', () => {
    const before = [
        {segment: 'a', points: '1', values: [1]},
        {segment: 'b', points: '2', values: [1]},
    ];
    const after = [before[0], {segment: 'b', points: '2', values: [0]}, {segment: 'c'}];
    const ops = listOps('/paint', before, after);
    assert.deepEqual(ops.map(({path}) => path), ['/paint/1', '/paint/2']);
    assert.deepEqual(apply({paint: before}, ops).paint, after);
    assert.deepEqual(apply({paint: after}, listOps('/paint', after, before)).paint, before);
    assert.deepEqual(apply({}, listOps('/paint', undefined, after)), {paint: after});
    assert.deepEqual(apply({paint: after}, listOps('/paint', after, [])), {});
    assert.ok(sameJson({a: [1, {b: null}]}, {a: [1, {b: null}]}));
    assert.ok(!sameJson({a: [1, 2]}, {a: [1]}));
    assert.ok(!sameJson([], {}));
});

test('two segments that are painted in turn need no more than an entry each', () => {
    const next = random(5);
    const base = Array.from({length: 8}, () => ({a: 0.4, b: 0.6}));
    let paint = [];
    for (let i = 0; i < 40; i++) {
        const segment = 'ab'[i % 2];
        const weights = weightsAfter(paint, base);
        const changes = Array.from({length: 8}, (_, v) => [v, Math.round(next() * 20) / 20]);
        paint = paintBlend(paint, segment, changes, 8, (v) => weights[v][segment]);
        weightsAfter(paint, base).forEach((each, v) =>
            assert.ok(Math.abs(each[segment] - changes[v][1]) < 1e-9)
        );
        assert.ok(paint.length <= 3, `${paint.length} entries after stroke ${i}`);
    }
});

/** Weights of vertices after the entries of `paint`, as docs/blend.md says. */
function weightsAfter(paint, before) {
    const weights = before.map((each) => ({...each}));
    for (const entry of paint) {
        for (const [vertex, value] of entryValues(entry, before.length)) {
            const own = weights[vertex];
            const others = Object.keys(own).filter((name) => name !== entry.segment);
            const sum = others.reduce((total, name) => total + own[name], 0);
            others.forEach((name) => (own[name] *= sum > 0 ? (1 - value) / sum : 0));
            own[entry.segment] = sum > 0 ? value : 1;
        }
    }
    return weights;
}

function randomWeights(next, names) {
    const raw = names.map(() => 0.01 + next());
    const sum = raw.reduce((a, b) => a + b);
    return Object.fromEntries(names.map((name, i) => [name, raw[i] / sum]));
}

// Whatever strokes there were before, on whichever segments: what was painted last is as it was
// painted, and the others are as if every stroke had an entry of its own.
test('the last stroke wins, however segments were painted in turn', () => {
    const next = random(11);
    const names = ['a', 'b', 'c', 'd'];
    const count = 12;
    for (let round = 0; round < 50; round++) {
        const before = Array.from({length: count}, () => randomWeights(next, names));
        let paint = [];
        const strokes = [];
        for (let i = 0; i < 30; i++) {
            const segment = names[Math.floor(next() * names.length)];
            const points = Array.from({length: 5}, () => Math.floor(next() * count));
            const changes = new Map(
                points.map((point) => [point, Math.round(50 + 900 * next()) / 1000])
            );
            const now = weightsAfter(paint, before);
            paint = paintBlend(paint, segment, changes, count, (vertex) => now[vertex][segment]);
            strokes.push(...paintBlend([], segment, changes, count));
            const weights = weightsAfter(paint, before);
            for (const [vertex, value] of changes) {
                assert.ok(Math.abs(weights[vertex][segment] - value) < 1e-12);
            }
            weightsAfter(strokes, before).forEach((expected, vertex) =>
                names.forEach((name) =>
                    assert.ok(Math.abs(weights[vertex][name] - expected[name]) < 1e-12)
                )
            );
            assert.ok(paint.every((each) => entryValues(each, count).size > 0));
        }
    }
});

/** A studio of one blend: `edit` is what the server would make of it. */
function blendStudio(count, {delay = () => null} = {}) {
    const slot = {
        document: {skins: {body: {deformers: [{kind: 'blend'}]}}},
        revision: 0,
        model: null,
    };
    const surface = {
        vertexCount: count,
        values: new Float32Array(count).fill(0.25),
        rest: new Float32Array(3 * count),
        triangles: new Uint32Array(0),
    };
    slot.model = {byPath: () => surface, segmentIndex: () => -1, revision: 0};
    const edits = [];
    return {
        active: slot,
        edits,
        viewport: {quantity: {name: 'weights', segment: 'arm'}, redraw: () => null},
        get: (path) => get(slot.document, path),
        notice: () => null,
        async edit(label, ops, {merge}) {
            edits.push({label, ops, merge});
            await delay();
            slot.document = apply(slot.document, ops);
            slot.revision += 1;
        },
    };
}

function armSession(studio, brush = {mode: 'replace', strength: 1, target: 0.5, mirror: false}) {
    const choice = {kind: 'blend', deformer: 0, id: '0:blend', title: 'blend'};
    return new PaintSession(studio, brush, targetOf(studio, 'body', choice, 'arm'));
}

test('a stroke does not begin with the numbers of another quantity', async () => {
    const studio = blendStudio(4);
    const session = armSession(studio);
    studio.viewport.quantity = {name: 'stretch'};
    assert.equal(session.values, null);
    assert.equal(session.begin({}), false);
    studio.viewport.quantity = {name: 'weights', segment: 'hand'};
    assert.equal(session.begin({}), false, 'nor with those of another segment');
    studio.viewport.quantity = {name: 'weights', segment: 'arm'};
    assert.equal(session.begin({}), true);
    session.dab({vertices: [1, 2], shares: [1, 1]});
    await session.end();
    assert.deepEqual(studio.get('/skins/body/deformers/0/paint'), [
        {segment: 'arm', points: '1-2', values: [0.5, 0.5]},
    ]);
});

test('the end of a stroke is not lost when the next one begins at once', async () => {
    const studio = blendStudio(6, {delay: () => new Promise((done) => setTimeout(done, 5))});
    const brush = {mode: 'replace', strength: 1, target: 0.5, mirror: false};
    const session = armSession(studio, brush);
    session.begin({});
    session.dab({vertices: [0], shares: [1]});
    session.dab({vertices: [1], shares: [1]});
    const first = session.end();
    brush.target = 0.75;
    session.begin({});
    session.dab({vertices: [2], shares: [1]});
    session.dab({vertices: [3], shares: [1]});
    await Promise.all([first, session.end()]);
    assert.deepEqual(studio.get('/skins/body/deformers/0/paint'), [
        {segment: 'arm', points: '0-3', values: [0.5, 0.5, 0.75, 0.75]},
    ]);
    const merges = studio.edits.map(({merge}) => merge);
    assert.equal(new Set(merges).size, 2, 'each is a step of its own');
    assert.deepEqual(merges, merges.toSorted(), 'in their order');
});

test('what another page paints during a stroke stays', async () => {
    const studio = blendStudio(6);
    const session = armSession(studio);
    session.begin({});
    session.dab({vertices: [0], shares: [1]});
    await session.sending;
    const other = {segment: 'leg', points: '5', values: [1]};
    const path = '/skins/body/deformers/0/paint';
    studio.active.document = apply(studio.active.document, [insert(`${path}/1`, other)]);
    session.dab({vertices: [1], shares: [1]});
    await session.end();
    const own = {segment: 'arm', points: '0-1', values: [0.5, 0.5]};
    assert.deepEqual(studio.get(path), [own, other]);
});

test('a flood does to all points what the brush does', async () => {
    const studio = blendStudio(5);
    const session = armSession(studio, {mode: 'add', strength: 0.5, target: 1, mirror: false});
    await session.flood();
    assert.deepEqual(studio.get('/skins/body/deformers/0/paint'), [
        {segment: 'arm', points: '0-4', values: [0.75, 0.75, 0.75, 0.75, 0.75]},
    ]);
    assert.equal(studio.edits[0].label, 'Flood arm');
});
