// SPDX-License-Identifier: Apache-2.0
//
// What the face panel knows of a document: regions, pairs, poses.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import test from 'node:test';

import {otherSide, sideOf, withoutSide} from '../../apps/studio/web/src/document/names.js';
import {apply} from '../../apps/studio/web/src/document/ops.js';
import {addPoseOps, deletePoseOps, mirroredSpread, sideOfSpread, spreadFrom}
    from '../../apps/studio/web/src/document/poses.js';
import {addersOf, ownValue, reachOf, spreadsOf}
    from '../../apps/studio/web/src/document/synergies.js';
import {SINGLE, faceOf, isInClip, partsOf, regionNamed, rowsFor, toRest}
    from '../../apps/studio/web/src/panels/logic/face.js';
import {landmarksOf, moveOps, movesTo, proposalOps}
    from '../../apps/studio/web/src/tools/landmarks-state.js';

const example = (name) => JSON.parse(readFileSync(
    new URL(`../../examples/${name}/${name}.sinew.json`, import.meta.url)));

/** What the event `model` says of controls, for documents without repeats. */
function modelOf(document) {
    const driven = new Set((document.drivers ?? []).map(({control}) => control));
    const controls = Object.entries(document.controls ?? {}).flatMap(([name, control]) =>
        [name, ...(control.mirror ? [otherSide(name)] : [])].map((each) => ({
            name: each, group: control.group, low: control.low ?? 0, high: control.high ?? 1,
            rest: control.value ?? 0, driven: driven.has(each)})));
    return {controls};
}

const titles = (face, wanted) => rowsFor(face, wanted).map(({title}) => title);

test('names lose their sides', () => {
    const pairs = {'AU12.L': 'AU12', mouthSmileLeft: 'mouthSmile', mouthSmile_L: 'mouthSmile',
        upper_l_lip: 'upper_lip', leftEye: 'Eye', smile: 'smile', 'risorius.R': 'risorius'};
    for (const [name, wanted] of Object.entries(pairs)) {
        assert.equal(withoutSide(name), wanted);
        assert.equal(withoutSide(otherSide(name)), wanted);
    }
    assert.deepEqual(['a.L', 'a.R', 'a', 'Right brow'].map(sideOf), ['left', 'right', null, 'right']);
});

test('groups name regions', () => {
    assert.deepEqual(['lips', 'Eyebrows', 'upperLid', 'eye', 'jaw', 'pose', 'slips', undefined]
        .map(regionNamed), ['mouth', 'brow', 'eye', 'eye', 'jaw', null, null, null]);
});

test('the face of the head: regions, levels, pairs', () => {
    const document = example('head');
    const face = faceOf(document, modelOf(document));
    assert.deepEqual(face.levels, [SINGLE, 'pose', 'action units', 'expressions', 'ARKit',
        'ARKit sides']);
    assert.deepEqual(titles(face, {region: 'cheek'}), ['malaris inner', 'malaris outer']);
    // What is in no group of a region is where most of what it moves is.
    assert.ok(titles(face, {region: 'eye'}).includes('look up'));
    assert.deepEqual(titles(face, {level: 'action units', region: 'brow'}), ['AU1', 'AU2', 'AU4']);
    assert.deepEqual(titles(face, {level: 'expressions', region: 'whole'}).length, 8);
    // All muscles of both sides are pairs; what moves both sides alike is none.
    const rows = new Map(face.rows.map((row) => [row.names[0], row]));
    assert.deepEqual(rows.get('mouthSmileLeft').names, ['mouthSmileLeft', 'mouthSmileRight']);
    for (const name of ['jawLeft', 'jawRight', 'mouthLeft', 'mouthRight', 'look left', 'smile']) {
        assert.deepEqual(rows.get(name).names, [name]);
    }
    const names = face.rows.flatMap((row) => row.names);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(Object.keys(partsOf(face, 'smile')).length, 6);
    assert.equal(partsOf(face, 'jaw open'), undefined, 'one thing in the middle');
    assert.equal(names.includes('gape'), false, 'what a driver computes has no slider');
    assert.deepEqual(titles(face, {query: 'jaw left'}), ['jaw left', 'jawLeft']);
});

test('characters without a face have none', () => {
    for (const name of ['arm', 'human', 'monkey', 'cloth']) {
        const document = example(name);
        assert.equal(faceOf(document, modelOf(document)), null, name);
    }
    assert.equal(faceOf(null, null), null);
    const rex = example('rex');
    assert.deepEqual(faceOf(rex, modelOf(rex)).regions.map(({id}) => id), ['jaw', 'neck', 'whole']);
});

const DOCUMENT = {
    controls: {'a.L': {mirror: true}, mid: {}, both: {}, high: {}},
    synergies: [
        {control: 'a.L', spread: {'x.L.ry_deg': 10, 'x.L.rx_deg': 5}, mirror: true},
        {control: 'both', spread: {'a.L': 0.5, mid: 1}, mirror: true},
        {control: 'high', spread: {both: 0.5, mid: 0.25}}
    ]
};

test('spreads have their mirror images, and reach through others', () => {
    const spreads = spreadsOf(DOCUMENT);
    assert.deepEqual(spreads.get('a.R'), {'x.R.ry_deg': -10, 'x.R.rx_deg': 5});
    assert.deepEqual(spreads.get('both'), {'a.L': 0.5, mid: 1, 'a.R': 0.5});
    assert.deepEqual(reachOf(spreads, 'high'), {'x.L.ry_deg': 2.5, 'x.L.rx_deg': 1.25, mid: 0.75,
        'x.R.ry_deg': -2.5, 'x.R.rx_deg': 1.25});
    assert.deepEqual(reachOf(spreads, 'mid'), {mid: 1});
    assert.deepEqual(addersOf(spreads).get('mid'), [['both', 1], ['high', 0.25]]);
});

test('a control is set to what others do not add', () => {
    const adders = addersOf(spreadsOf(DOCUMENT));
    const totals = {mid: 0.9, both: 0.5, high: 0.4};
    const total = (name) => totals[name];
    const mid = {name: 'mid', low: 0, high: 1};
    assert.equal(ownValue(mid, adders, total, {}), 0.3);
    assert.equal(ownValue(mid, adders, total, {mid: 0.2}), 0.2);
    totals.mid = 0.55; // less than is added: it is at its end
    assert.equal(ownValue(mid, adders, total, {}), 0);
    assert.equal(ownValue({name: 'high', low: 0, high: 1}, adders, total, {}), 0.4);
    assert.equal(ownValue({name: 'new', low: 0, high: 1}, adders, total, {}), undefined);
});

test('sides of a pose add up to it, and its mirror image is one twice', () => {
    const there = new Set(['a.L', 'a.R', 'mid', 'jaw left', 'x.L.ry_deg', 'x.R.ry_deg']);
    const isThere = (name) => there.has(name);
    const spread = {'a.L': 0.5, 'a.R': 0.2, mid: 0.4, 'jaw left': 0.3, 'x.L.ry_deg': 8};
    const left = sideOfSpread(spread, 'left', isThere);
    const right = sideOfSpread(spread, 'right', isThere);
    assert.deepEqual(left, {'a.L': 0.5, mid: 0.2, 'jaw left': 0.15, 'x.L.ry_deg': 8});
    for (const [name, amount] of Object.entries(spread)) {
        assert.equal((left[name] ?? 0) + (right[name] ?? 0), amount, name);
    }
    // A smile has two sides where it is known what it is made of.
    const parts = (name) => (name === 'smile' ? {'a.L': 0.5, 'a.R': 0.5, mid: 0.2} : undefined);
    assert.deepEqual(sideOfSpread({smile: 0.5, 'a.L': 0.1}, 'left', isThere, parts),
        {'a.L': 0.35, mid: 0.05});
    const image = mirroredSpread(spread, isThere);
    assert.deepEqual(image, {'a.R': 0.5, 'a.L': 0.2, mid: 0.4, 'jaw left': -0.3, 'x.R.ry_deg': -8});
    assert.deepEqual(mirroredSpread(image, isThere), spread);
    assert.deepEqual(spreadFrom([[{name: 'a', rest: 0.1}, 0.4], [{name: 'b', rest: 0}, 1e-9]]),
        {a: 0.3});
});

test('a pose is added and taken out again', () => {
    const document = {controls: {a: {}}, synergies: [{control: 'a', spread: {b: 1}}]};
    for (const before of [document, {}]) {
        const added = apply(before, addPoseOps(before, 'p', {a: 0.5}));
        assert.deepEqual(added.controls.p, {low: 0, high: 1, group: 'saved poses'});
        assert.deepEqual(added.synergies.at(-1), {control: 'p', spread: {a: 0.5}});
        const after = apply(added, deletePoseOps({}, added, 'p'));
        assert.deepEqual(after.synergies, before.synergies);
        assert.deepEqual(after.controls, before.controls ?? {});
    }
});

test('what a clip moves is held at rest, the rest is let go', () => {
    const rows = [{names: ['a.L', 'a.R'], rest: 0}, {names: ['b'], rest: 0.5}];
    const clip = {tracks: {'a.L': {mirror: true, keys: []}}};
    assert.deepEqual(toRest(rows, clip, {b: 1, 'a.L': 0}), {hold: {'a.R': 0}, release: ['b']});
    assert.deepEqual(toRest(rows, null, {b: 1, 'a.L': 0}), {hold: {}, release: ['a.L', 'b']});
    assert.equal(isInClip({file: 'x.glb'}, 'b'), true);
    assert.equal(isInClip({tracks: {}}, 'b'), false);
});

test('landmarks move on both sides, and proposals leave what is there', () => {
    const rest = [1, 0, 0, -1, 0, 0, 2, 1, 0, -2.1, 1, 0, 0, 3, 0];
    const document = {landmarks: {'a.L': {mesh: 'm', vertex: 0, about: 'x'},
        'a.R': {mesh: 'm', vertex: 1}, mid: {mesh: 'm', vertex: 4},
        'b.L': {mesh: 'other', vertex: 0}, bone: {segment: 's', position: [0, 0, 0]}}};
    const all = landmarksOf(document, new Map([['m', {}]]));
    assert.deepEqual(all.map(({name}) => name), ['a.L', 'a.R', 'mid']);
    assert.deepEqual([...movesTo(all, all[0], 2, true, rest)], [['a.L', 2], ['a.R', 3]]);
    assert.deepEqual([...movesTo(all, all[0], 2, false, rest)], [['a.L', 2]]);
    assert.deepEqual([...movesTo(all, all[2], 2, true, rest)], [['mid', 2]]);
    const moved = apply(document, moveOps(movesTo(all, all[0], 2, true, rest)));
    assert.deepEqual(moved.landmarks['a.L'], {mesh: 'm', vertex: 2, about: 'x'});
    assert.equal(moved.landmarks['a.R'].vertex, 3);

    const proposed = {mid: {vertex: 4}, fresh: {vertex: 2}, 'b.L': {vertex: 1}};
    const after = apply(document, proposalOps(document, 'm', proposed));
    assert.equal(after.landmarks.mid, document.landmarks.mid);
    assert.deepEqual(after.landmarks.fresh, {mesh: 'm', vertex: 2});
    assert.deepEqual(after.landmarks['b.L'], {mesh: 'm', vertex: 1});
    assert.deepEqual(apply({}, proposalOps({}, 'm', {a: {vertex: 1}})),
        {landmarks: {a: {mesh: 'm', vertex: 1}}});
    assert.deepEqual(proposalOps(document, 'm', {mid: {vertex: 4}}), []);
});
