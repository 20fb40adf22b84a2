// SPDX-License-Identifier: Apache-2.0
//
// Sets of wraps and key poses, without a browser.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
    Grab,
    Relax,
    atText,
    keySets,
    mirroredName,
    mirroredPoses,
    parametersInPose,
    placeOfKey,
    pullOffset,
} from '../../apps/studio/web/src/tools/keypose-state.js';
import {SurfaceMap} from '../../apps/studio/web/src/tools/paint-surface.js';
import {
    SetState,
    cornersOf,
    faceCountOf,
    facesWithin,
    mirroredSet,
    moved,
    wrapAt,
    wrapsOf,
} from '../../apps/studio/web/src/tools/sets-state.js';
import {plane} from './meshes.mjs';

test('a set is a draft until it has points and faces', () => {
    const set = new SetState({}, 10, 4);
    assert.equal(set.whole, false);
    assert.ok(set.mark('points', [1, 2, 3], true));
    assert.equal(set.mark('points', [2], true), false);
    assert.match(set.missing, /faces/);
    set.mark('faces', [0, 3], true);
    assert.ok(set.whole);
    assert.equal(set.missing, null);
    set.mark('points', [2], false);
    assert.deepEqual(set.entry, {points: '1,3', faces: '0,3', mode: 'remove'});
    set.mark('faces', [1, 2], true);
    assert.equal(set.entry.faces, 'all');
    assert.deepEqual(new SetState(set.entry, 10, 4).entry, set.entry);
    assert.deepEqual(moved(['a', 'b', 'c'], 0, 1), ['b', 'a', 'c']);
    assert.deepEqual(moved(['a', 'b', 'c'], 0, -1), ['a', 'b', 'c']);
});

test('wraps that can have sets are found; faces are polygons', () => {
    const document = {
        skins: {
            body: {deformers: [{kind: 'blend'}, {kind: 'wrap', driver_mesh: 'cage'}]},
            patch: {deformers: [{kind: 'wrap', driver_mesh: 'cage', driver_patch: {}}]},
            cage: {},
        },
    };
    assert.deepEqual(wrapsOf(document), [{skin: 'body', index: 1, driver: 'cage'}]);
    const quad = {
        rest: Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 2, 0),
        triangles: Uint32Array.of(0, 1, 2, 0, 2, 3, 3, 2, 4),
        triangleFaces: Uint32Array.of(0, 0, 1),
    };
    assert.equal(faceCountOf(quad), 2);
    assert.deepEqual(facesWithin(quad, [2, 3, 4]), [1]);
    assert.deepEqual(facesWithin(quad, [0, 1, 3]), []);
    assert.deepEqual([...cornersOf(quad, [0, 1])], [3, 2, 4]);
});

test('a set belongs to the wrap that is selected, on its skin or its driver', () => {
    const wraps = [
        {skin: 'arm', index: 0, driver: 'cage'},
        {skin: 'arm2', index: 0, driver: 'shell'},
        {skin: 'arm2', index: 2, driver: 'cage'},
    ];
    const at = (path) => wraps.indexOf(wrapAt(wraps, path));
    assert.equal(at('/skins/arm2/deformers/2/sets'), 2);
    assert.equal(at('/skins/arm2'), 1, 'not that of a skin whose name begins alike');
    assert.equal(at('/skins/arm2/deformers/1'), 1);
    assert.equal(at('/skins/shell'), 1);
    assert.equal(at('/muscles/arm'), -1);
    assert.equal(at(''), -1);
});

test('a set is mirrored with its points and faces', () => {
    const {points: rest, triangles} = plane(4);
    const triangleFaces = Uint32Array.from({length: 32}, (_, t) => Math.floor(t / 2));
    const surface = {rest, triangles, triangleFaces};
    const set = new SetState({points: '0-4', faces: '0,2', mode: 'only'}, 25, 16);
    const image = mirroredSet(set, surface, surface);
    assert.deepEqual(image.entry, {points: '20-24', faces: '12,14', mode: 'only'});
    const aside = {rest: rest.map((x, i) => (i % 3 === 0 ? x + 5 : x)), triangles, triangleFaces};
    assert.equal(mirroredSet(set, aside, aside).whole, false, 'nothing is on the other side');
});

test('key poses are mirrored: the other joint, the other points, the other way', () => {
    const poses = [
        {
            follows: 'arm.L.rz_deg',
            interpolation: 'smooth',
            keys: [{at: 0, points: {}}, {at: 90, points: {3: [1, 2, 3], 5: [0, 1, 0]}}],
        },
        {follows: 'grip', keys: [{at: 1, points: {3: [1, 0, 0]}}]},
    ];
    const imageOf = (v) => (v === 3 ? 7 : -1);
    const [left, grip, right] = mirroredPoses(poses, 0, imageOf);
    assert.deepEqual([left, grip], poses);
    assert.deepEqual(right, {
        follows: 'arm.R.rz_deg',
        interpolation: 'smooth',
        keys: [{at: -90, points: {7: [-1, 2, 3]}}, {at: 0, points: {}}],
    });
    const again = mirroredPoses([left, right], 0, (v) => v);
    assert.equal(again.length, 2, 'in the place of what was there');
    assert.deepEqual(Object.keys(again[1].keys[0].points), ['3', '5']);
    assert.equal(mirroredName('grip'), null);
    assert.equal(mirroredName('grip.R'), 'grip.L');
});

test('a set knows the mesh that it was chosen on', () => {
    const set = new SetState({points: '1-2', faces: '0'}, 10, 4);
    assert.ok(set.fits(10, 4));
    assert.ok(!set.fits(11, 4));
    const {version} = set;
    set.mark('points', [1], true);
    assert.equal(set.version, version, 'nothing changed');
    set.mark('points', [5], true);
    assert.equal(set.version, version + 1);
    const before = set.copy();
    set.mark('faces', [1, 2], true);
    assert.deepEqual(before.entry, {points: '1-2,5', faces: '0', mode: 'remove'});
    assert.ok(before.fits(10, 4));
});

test('parameters away from rest are offered for keys, held ones first', () => {
    const model = {
        segments: [
            {name: 'upper', rest: [0, 0, 0, 0, 0, 0, 1, 1, 1]},
            {name: 'fore', rest: [0.1, 0, 0, 0, 0, 0, 1, 1, 1]},
        ],
        controls: [
            {name: 'grip', rest: 0, unit: ''},
            {name: 'calm', rest: 0.5, unit: ''},
        ],
    };
    const frame = {
        joints: Float64Array.of(0, 0.2, 0, 0, 0, 0, 1, 1, 1, Math.PI / 2, 0, 0, 0, 0, 0, 1, 1, 1),
        controls: Float64Array.of(0.3, 0.5),
    };
    const names = (held) => parametersInPose(model, frame, held).map(({name}) => name);
    assert.deepEqual(names({}), ['fore.rx_deg', 'grip', 'upper.ry_deg']);
    assert.deepEqual(names({grip: 0.3}), ['grip', 'fore.rx_deg', 'upper.ry_deg']);
    assert.ok(Math.abs(parametersInPose(model, frame, {})[0].value - 90) < 1e-9);
    assert.equal(atText(90.001, 'fore.rx_deg'), '90°');
    assert.equal(atText(0.5, 'grip'), '0.5');
});

test('key sets of a skin are listed with their keys', () => {
    const poses = [
        {
            follows: 'fore.rx_deg',
            keys: [
                {at: 0, points: {}},
                {at: 90, points: {3: [0, 0, 1], 4: [0, 0, 1]}},
            ],
        },
        {follows: 'grip', interpolation: 'smooth', keys: [{at: 1, mesh: 'fist'}]},
    ];
    const document = {skins: {body: {deformers: [{kind: 'blend'}, {kind: 'morph', poses}]}}};
    const sets = keySets(document, 'body');
    assert.deepEqual(
        sets.map((set) => [set.deformer, set.set, set.follows, set.interpolation]),
        [
            [1, 0, 'fore.rx_deg', 'linear'],
            [1, 1, 'grip', 'smooth'],
        ]
    );
    assert.deepEqual(
        sets[0].keys.map((key) => key.count),
        [0, 2]
    );
    assert.equal(sets[1].keys[0].mesh, 'fist');
    assert.deepEqual(keySets(document, 'none'), []);
});

test('a deleted key takes along what would be left without a purpose', () => {
    const moves = {at: 90, points: {4: [0, 0, 1]}};
    const still = {at: 0, points: {}};
    const morphOf = (...keyLists) => ({
        kind: 'morph',
        poses: keyLists.map((keys) => ({follows: 'elbow.rx_deg', keys})),
    });
    const place = (morph, set, i, meshHasTargets = false) => {
        const document = {skins: {body: {deformers: [morph]}}};
        return placeOfKey(morph, keySets(document, 'body')[set], i, meshHasTargets);
    };
    assert.equal(place(morphOf([still, moves, moves]), 0, 2), '/poses/0/keys/2');
    assert.equal(place(morphOf([still, moves]), 0, 1), '', 'the whole morph');
    assert.equal(place(morphOf([still, moves], [moves]), 1, 0), '/poses/1');
    assert.equal(place(morphOf([moves]), 0, 0, true), '/poses', 'targets are left');
    assert.equal(place({...morphOf([moves]), driver_mesh: 'face'}, 0, 0), '/poses');
});

test('pulled points go with their share, and come back when let go', () => {
    const points = Float32Array.of(0, 0, 0, 1, 0, 0, 2, 0, 0);
    const grab = new Grab(points, [0, 1], [0, 5], 10);
    grab.pull(points, [0, 2, 4]);
    assert.deepEqual([...points], [0, 2, 4, 1, 1, 2, 2, 0, 0]);
    assert.deepEqual(grab.places(points), {0: [0, 2, 4], 1: [1, 1, 2]});
    grab.pull(points, [0, 0, 0]);
    assert.deepEqual([...points], [0, 0, 0, 1, 0, 0, 2, 0, 0]);
    const view = {right: [1, 0, 0], up: [0, 1, 0], metres: 0.01, normal: [0, 0, 1]};
    assert.deepEqual(pullOffset(view, 10, -20, 'view'), [0.1, 0.2, 0]);
    assert.deepEqual(
        pullOffset(view, 10, -20, 'normal').map((x) => x + 0),
        [0, 0, 0.2]
    );
    assert.deepEqual(
        pullOffset({...view, normal: [1, 0, 0]}, 10, -20, 'normal').map((x) => x + 0),
        [0.1, 0, 0]
    );
});

test('a far pull takes more along, so that it leaves no spike', () => {
    const {points, triangles} = plane(40);
    const {vertices, distances} = new SurfaceMap(points, triangles).disc(
        points,
        2 * (20 * 40 + 20),
        {x: 0, y: 0, z: 0},
        3 * 0.2
    );
    const steepest = (way) => {
        const pulled = Float32Array.from(points);
        new Grab(points, vertices, distances, 0.2).pull(pulled, [0, 0, way]);
        let most = 0;
        for (let t = 0; t < triangles.length; t += 3) {
            for (const [a, b] of [[0, 1], [1, 2], [2, 0]]) {
                const [v, w] = [triangles[t + a], triangles[t + b]];
                const across = Math.hypot(
                    points[3 * v] - points[3 * w],
                    points[3 * v + 1] - points[3 * w + 1]
                );
                const rise = pulled[3 * v + 2] - pulled[3 * w + 2];
                most = Math.max(most, Math.abs(rise) / across);
            }
        }
        return most;
    };
    assert.ok(steepest(0.05) < 0.4);
    assert.ok(steepest(0.2) < 0.85, `${steepest(0.2)}`);
    assert.ok(steepest(0.3) < 0.85);
});

test('smoothing takes a dent out and leaves a round thing its size', () => {
    const {points, triangles} = plane(20, (x, y) => 1 - (x * x + y * y) / 4);
    const map = new SurfaceMap(points, triangles);
    const middle = 10 * 21 + 10;
    const dented = Float32Array.from(points);
    dented[3 * middle + 2] -= 0.3;
    const relax = new Relax((v) => map.neighbours(v));
    const inside = Array.from({length: 441}, (_, v) => v).filter(
        (v) => Math.hypot(points[3 * v], points[3 * v + 1]) < 0.6
    );
    for (let i = 0; i < 20; i++) {
        relax.dab(dented, inside, inside.map(() => 1));
    }
    const off = inside.map((v) => Math.abs(dented[3 * v + 2] - points[3 * v + 2]));
    assert.ok(Math.max(...off) < 0.05, `${Math.max(...off)}`);
    assert.equal(Object.keys(relax.places(dented)).length, inside.length);
});

test('pulled points are sent in few digits, and are the same floats', () => {
    const points = Float32Array.from({length: 30}, (_, i) => Math.sin(i + 1) * 10 ** (i % 7 - 3));
    const grab = new Grab(points, [0, 3, 9], [0, 5, 1], 10);
    grab.pull(points, [1e-3, 0, 0]);
    const places = grab.places(points);
    assert.deepEqual(Object.keys(places), ['0', '3', '9']);
    for (const [vertex, place] of Object.entries(places)) {
        place.forEach((x, k) => {
            assert.equal(Math.fround(x), points[3 * vertex + k]);
            assert.equal(x, Number(x.toPrecision(9)));
        });
    }
});
