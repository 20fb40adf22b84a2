// SPDX-License-Identifier: Apache-2.0
//
// What of the viewport needs no picture: layers that are lent, fingers, colours that are missing.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';

const root = process.env.SINEW_SOURCE ?? fileURLToPath(new URL('../..', import.meta.url));
const load = (path) => import(pathToFileURL(join(root, 'apps/studio/web/src', path)).href);

const {Layers} = await load('viewport/layers.js');
const {Navigation} = await load('viewport/navigation.js');
const {Isolation} = await load('viewport/isolation.js');
const {COMPONENT_COLORS, componentBytes} = await load('viewport/colormap.js');
const {Coloring, componentsOf} = await load('viewport/coloring.js');

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

// ---- colours

const linear = (byte) => byte <= 0.04045 * 255 ? byte / 255 / 12.92
    : ((byte / 255 + 0.055) / 1.055) ** 2.4;
const times = (matrix, color) =>
    matrix.map((row) => row.reduce((sum, x, k) => sum + x * color[k], 0));

function oklab(color) {
    const cone = times([[0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]],
    color.map((x) => Math.max(0, x))).map(Math.cbrt);
    return times([[0.2104542553, 0.793617785, -0.0040720468],
        [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]],
    cone);
}

// Vienot, Brettel and Mollon, "Digital video colourmaps for checking the legibility of displays by
// dichromats" (1999).
const SIGHTS = {
    all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    'no red': [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
    'no green': [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
};

test('colours of components stay apart, also for the colour-blind', () => {
    const bytes = Array.from({length: COMPONENT_COLORS}, (_, i) => componentBytes(i));
    for (const [name, sight] of Object.entries(SIGHTS)) {
        const seen = bytes.map((color) => oklab(times(sight, color.map(linear))));
        seen.forEach((a, i) => seen.slice(0, i).forEach((b, j) => {
            const apart = Math.hypot(...a.map((x, k) => x - b[k]));
            assert.ok(apart > 0.07, `${name}: ${i} and ${j} are ${apart} apart`);
        }));
    }
    // As sn_component_color: tests/render/quantity.c.
    assert.deepEqual(bytes.slice(0, 3), [[255, 157, 118], [113, 107, 193], [131, 254, 208]]);
});

test('the legend of components has those that are there, the largest first', () => {
    const model = {surfaceByIndex: new Map([[2, {name: 'femur'}], [5, {name: 'tibia'}]])};
    const list = componentsOf(model, [{values: Float32Array.of(5, 2, 5, NaN)}]);
    assert.deepEqual(list.map(({name}) => name), ['tibia', 'femur']);
    assert.equal(list[1].color, `rgb(${componentBytes(2).join(' ')})`);
});

test('a quantity is missing where neither half has it', () => {
    const surfaces = (values) => [{values}];
    const slots = [0, 1].map((index) => ({index, model: {serial: 1, surfaces: surfaces(null)}}));
    const coloring = new Coloring({slots, active: slots[0], activeIndex: 0, selection: null});
    coloring.set({name: 'stretch'});
    assert.ok(!coloring.missing, 'nothing has come yet');
    slots[0].model.surfaces = surfaces(Float32Array.of(1));
    slots.forEach((slot) => coloring.take(slot));
    assert.ok(!coloring.missing, 'one half has it');
    slots[0].model.surfaces = surfaces(null);
    slots.forEach((slot) => coloring.take(slot));
    assert.ok(coloring.missing);
});

// ---- only one thing

test('only what belongs to a place is seen, as long as there is something of it', () => {
    const segments = [{path: '/skeleton/a'}, {path: '/skeleton/b'}];
    const surface = (path, segment = null) => ({path, segment});
    const all = [surface('/muscles/m'), surface('/muscles/m'), surface('/muscles/m2'),
        surface('/bones/x', 1), surface('/skins/s')];
    const slots = [{model: {segments, surfaces: all}}, {model: null}];
    const isolation = new Isolation(slots);
    const seen = (path) => isolation.begin(path) &&
        all.flatMap((each, i) => isolation.has(each) ? [i] : []);
    assert.deepEqual(seen('/muscles/m'), [0, 1], 'with all images');
    assert.deepEqual(seen('/skins/s/deformers/0'), [4]);
    assert.deepEqual(seen('/skeleton/b'), [3], 'what a segment carries');
    assert.deepEqual(seen('/muscles'), [0, 1, 2]);
    assert.equal(seen('/controls/c'), false);
    assert.equal(isolation.path, null);
    isolation.begin('/muscles/m');
    slots[0].model = {segments, surfaces: [surface('/skins/s')]};
    assert.ok(!isolation.refresh(), 'a muscle that is deleted');
});
