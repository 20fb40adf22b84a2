// SPDX-License-Identifier: Apache-2.0
//
// What of the viewport needs no picture: layers that are lent, fingers, boxes before trees, colours
// that are missing.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';

const root = process.env.SINEW_SOURCE ?? fileURLToPath(new URL('../..', import.meta.url));
const load = (path) => import(pathToFileURL(join(root, 'apps/studio/web/src', path)).href);

const {Layers} = await load('viewport/layers.js');
const {Navigation} = await load('viewport/navigation.js');
const {inReach} = await load('viewport/tree.js');

// ---- layers

const modes = (layers) => Object.fromEntries(Object.entries(layers.shown)
    .map(([name, {mode}]) => [name, mode]));

function skinned() {
    const layers = new Layers();
    layers.setSkins(true);
    return layers;
}

test('what lies inside comes out when nothing covers it, until the user decides', () => {
    const layers = skinned();
    assert.deepEqual(modes(layers), {skin: 'shown', muscle: 'hidden', bone: 'hidden',
        tissue: 'hidden', driver: 'hidden'});
    layers.set('skin', 'clear');
    assert.deepEqual([modes(layers).muscle, modes(layers).bone], ['shown', 'shown']);
    layers.set('bone', 'hidden');
    layers.set('skin', 'shown');
    layers.set('skin', 'hidden');
    assert.deepEqual([modes(layers).muscle, modes(layers).bone], ['shown', 'hidden']);
});

test('layers that a tool borrowed are as before, and nothing counts as chosen', () => {
    const layers = skinned();
    const sets = layers.lend({skin: {mode: 'shown'}, driver: {mode: 'clear', opacity: 0.1}});
    assert.deepEqual(layers.shown.driver, {mode: 'clear', opacity: 0.1});
    sets.giveBack();
    const bones = layers.lend({skin: {mode: 'hidden'}, bone: {mode: 'shown'}});
    assert.equal(modes(layers).muscle, 'shown');
    bones.giveBack();
    assert.deepEqual(modes(layers), modes(skinned()));
    const draw = layers.lend({skin: {mode: 'clear'}});
    assert.equal(modes(layers).muscle, 'shown', 'a new muscle is seen after other tools');
    draw.giveBack();
    assert.equal(modes(layers).muscle, 'hidden');
});

test('what the user sets while a tool has borrowed it stays', () => {
    let changes = 0;
    const layers = new Layers(() => ++changes);
    layers.setSkins(true);
    const loan = layers.lend({skin: {mode: 'clear'}});
    layers.set('skin', 'hidden');
    assert.equal(modes(layers).skin, 'hidden');
    loan.change({skin: {mode: 'clear'}});
    assert.equal(modes(layers).skin, 'hidden', 'the tool wants nothing new');
    assert.equal(changes, 1);
    loan.change({skin: {mode: 'shown'}});
    assert.equal(modes(layers).skin, 'shown');
    loan.change({});
    loan.giveBack();
    assert.equal(modes(layers).skin, 'hidden');
});

// ---- the pointer

function navigation({beside = () => false} = {}) {
    const log = [];
    const canvas = {addEventListener() {}, focus() {}, setPointerCapture() {}};
    const note = (name, result) => (event) => {
        log.push(`${name} ${event?.pointerId ?? ''}`.trim());
        return result;
    };
    const viewport = {hover() {}, viewHeight: 100, isBeside: beside,
        giveDown: note('down', true), giveMove: note('move'), giveUp: note('up'),
        giveCancel: note('cancel'), clickBeside: note('beside'),
        orbit: {pan: note('pan'), zoom: note('zoom'), turn: note('turn')}};
    const pointer = (pointerId, clientX, more = {}) => ({pointerId, clientX, clientY: 0, button: 0,
        pointerType: 'touch', currentTarget: canvas, preventDefault() {}, ...more});
    return {log, pointer, navigation: new Navigation(viewport, canvas)};
}

test('a second finger gives up what the first one began, and then moves the camera alone', () => {
    const {log, pointer, navigation: pointers} = navigation();
    pointers.down(pointer(1, 0));
    pointers.move(pointer(1, 5));
    pointers.down(pointer(2, 50));
    pointers.move(pointer(2, 60));
    pointers.down(pointer(3, 90));
    pointers.move(pointer(3, 95));
    [3, 1].forEach((id) => pointers.up(pointer(id, 5)));
    pointers.move(pointer(2, 80));
    pointers.up(pointer(2, 80));
    assert.deepEqual(log.slice(0, 3), ['down 1', 'move 1', 'cancel 2']);
    assert.deepEqual(new Set(log.slice(3)), new Set(['pan', 'zoom']), 'the tool hears no more');
    pointers.down(pointer(4, 0));
    pointers.up(pointer(4, 0));
    assert.deepEqual(log.slice(-2), ['down 4', 'up 4']);
});

test('the browser takes the pointer away: that is no click', () => {
    const {log, pointer, navigation: pointers} = navigation();
    pointers.down(pointer(1, 0, {pointerType: 'mouse'}));
    pointers.cancel(pointer(1, 0, {pointerType: 'mouse'}));
    assert.deepEqual(log, ['down 1', 'cancel 1']);
});

test('side by side a tool hears nothing of the other half; a click there goes over', () => {
    const {log, pointer, navigation: pointers} = navigation({beside: () => true});
    const mouse = {pointerType: 'mouse'};
    pointers.down(pointer(1, 0, mouse));
    pointers.move(pointer(1, 40, mouse));
    pointers.up(pointer(1, 40, mouse));
    assert.deepEqual(log, ['turn'], 'a drag is one of the camera');
    pointers.down(pointer(1, 0, mouse));
    pointers.up(pointer(1, 1, mouse));
    assert.deepEqual(log, ['turn', 'beside 1']);
});

// ---- picking

test('only boxes that a ray meets are looked into, the nearest first', () => {
    const box = (x, z) => ({box: {min: {x, y: 0, z}, max: {x: x + 1, y: 1, z: z + 1}}, z});
    const origin = {x: 0.5, y: 0.5, z: 10}, direction = {x: 0, y: 0, z: -1};
    const met = inReach(origin, direction, [box(0, 0), box(2, 0), box(0, 4), box(0, 20)]);
    assert.deepEqual(met.map(({thing, enter}) => [thing.z, enter]), [[4, 5], [0, 9]]);
});
