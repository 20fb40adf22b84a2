// SPDX-License-Identifier: Apache-2.0
//
// What people type and press, without a browser: texts in boxes, keys, edits on their way.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Edits} from '../../apps/studio/web/src/core/edits.js';
import * as ops from '../../apps/studio/web/src/document/ops.js';
import {TypedText, takeTyped} from '../../apps/studio/web/src/core/typing.js';
import {Shortcuts, combination, normal} from '../../apps/studio/web/src/core/shortcuts.js';

// ---- boxes

/** A box as the browser has it; `type` and `leave` do what a user does. */
class FakeBox {
    value = '';
    #listeners = {};

    addEventListener(name, listener) {
        (this.#listeners[name] ??= []).push(listener);
    }

    focus() {
        globalThis.document = {activeElement: this};
    }

    type(text) {
        this.value = text;
        this.#listeners.input.forEach((each) => each());
    }

    leave() {
        globalThis.document = {activeElement: null};
        this.#listeners.blur.forEach((each) => each());
    }
}

function typingBox(first) {
    const box = new FakeBox();
    const taken = [];
    const state = {value: first, taken, box};
    state.typed = new TypedText(box, {text: () => String(Math.round(state.value * 10) / 10),
        take: (text) => taken.push(text)});
    state.typed.show();
    return state;
}

test('a box that only had the focus gives nothing, also where its value moved meanwhile', () => {
    const state = typingBox(45.03);
    const {box, taken, typed} = state;
    assert.equal(box.value, '45');
    box.focus();
    box.leave();
    assert.deepEqual(taken, []);
    box.focus();
    state.value = 60.21;
    typed.show();
    assert.equal(box.value, '45', 'a box in use is left alone');
    box.leave();
    assert.deepEqual(taken, []);
    assert.equal(box.value, '60.2');
});

test('what was typed is given once, also the number that stood there before', () => {
    const state = typingBox(45);
    const {box, taken, typed} = state;
    box.focus();
    state.value = 60;
    box.type('45');
    box.leave();
    assert.deepEqual(taken, ['45']);
    box.focus();
    box.type('7');
    takeTyped();
    box.leave();
    assert.deepEqual(taken, ['45', '7']);
    box.focus();
    box.type('8');
    typed.reset();
    box.leave();
    assert.deepEqual(taken, ['45', '7'], 'Esc');
});

test('what was typed into a box that is replaced is given after all else', async () => {
    const {box, taken, typed} = typingBox(45);
    box.focus();
    box.type('12');
    assert.equal(typed.finishLater(), '12');
    box.leave();
    assert.deepEqual(taken, []);
    await null;
    assert.deepEqual(taken, ['12']);
    assert.equal(typed.finishLater(), null);
});

// ---- keys

const key = (name, more = {}) => ({key: name, code: '', ctrlKey: false, altKey: false,
    shiftKey: false, metaKey: false, target: null, preventDefault() {}, ...more});

test('keys have one spelling', () => {
    assert.equal(combination(key('z', {ctrlKey: true})), 'Ctrl+Z');
    assert.equal(combination(key('Z', {ctrlKey: true, shiftKey: true})), 'Ctrl+Shift+Z');
    assert.equal(combination(key('?', {shiftKey: true})), '?');
    assert.equal(combination(key('1', {code: 'Numpad1'})), 'Numpad1');
    assert.equal(combination(key(' ')), 'Space');
    // A Mac tells what Alt types, other scripts their own letters.
    const alt = {altKey: true};
    assert.equal(combination(key('\u00a1', {...alt, code: 'Digit1'})), 'Alt+1');
    assert.equal(combination(key('\u03a9', {...alt, code: 'KeyZ'})), 'Alt+Z');
    assert.equal(combination(key('Dead', {...alt, code: 'KeyN'})), 'Alt+N');
    assert.equal(combination(key('a', {...alt, code: 'KeyQ'})), 'Alt+A');
    assert.equal(combination(key('\u044f', {ctrlKey: true, code: 'KeyZ'})), 'Ctrl+Z');
    assert.equal(combination(key('\u042f', {ctrlKey: true, shiftKey: true, code: 'KeyZ'})),
        'Ctrl+Shift+Z');
    assert.equal(combination(key('\u00f6', {code: 'Semicolon'})), '\u00d6');
    assert.equal(combination(key('z', {ctrlKey: true, code: 'KeyY'})), 'Ctrl+Z');
    assert.equal(normal('shift+ctrl+z'), 'Ctrl+Shift+Z');
    assert.equal(normal('.'), '.');
});

test('the latest shortcut whose time it is runs', () => {
    globalThis.Element ??= class {};
    const shortcuts = new Shortcuts();
    const ran = [];
    let inside = true;
    shortcuts.add({keys: 'G', title: 'Move', group: 'x', run: () => ran.push('outer')});
    shortcuts.add({keys: ['G', 'M'], title: 'Move', group: 'x', run: () => ran.push('inner'),
        when: () => inside});
    assert.ok(shortcuts.handle(key('g')));
    inside = false;
    shortcuts.handle(key('g'));
    assert.ok(!shortcuts.handle(key('m')));
    assert.deepEqual(ran, ['inner', 'outer']);
});

// ---- edits

function collectingEdits() {
    const sent = [];
    const edits = new Edits((edit) => new Promise((resolve, reject) => {
        sent.push({edit, resolve, reject});
    }));
    return {edits, sent, turn: () => new Promise((resolve) => setImmediate(resolve))};
}

const bulge = (value, merge = 'drag') => ({label: 'Bulge', merge, slot: 0,
    ops: [ops.put('/muscles/a/bulge', value)]});

test('one edit is under way at a time, and the newest of a drag wins', async () => {
    const {edits, sent, turn} = collectingEdits();
    const first = edits.add(bulge(1));
    await turn();
    edits.add(bulge(2));
    const last = edits.add(bulge(3));
    await turn();
    assert.equal(sent.length, 1);
    sent[0].resolve('one');
    assert.equal(await first, 'one');
    await turn();
    assert.deepEqual(sent.map(({edit}) => edit.ops[0].value), [1, 3]);
    sent[1].resolve('three');
    assert.equal(await last, 'three');
    assert.equal(edits.busy, false);
});

test('edits that do not say the same all are sent, in order', async () => {
    const {edits, sent, turn} = collectingEdits();
    const add = (edit) => edits.add(edit).catch(() => {});
    [bulge(0), bulge(1, null), bulge(2, null), bulge(3, 'other'),
        {...bulge(4, 'other'), ops: [ops.insert('/l/0', 1)]}].forEach(add);
    for (let i = 0; i < 5; ++i) {
        await turn();
        sent[i].reject(new Error('refused'));
    }
    assert.deepEqual(sent.map(({edit}) => edit.ops[0].value), [0, 1, 2, 3, 1]);
});

test('values that wait to be held join those of the same drag; undo comes behind them', async () => {
    const {edits, sent, turn} = collectingEdits();
    const hold = (values, merge = 'drag') => edits.add({label: 'Hold', merge, slot: 0, hold: values});
    hold({a: 1});
    await turn();
    hold({a: 2, b: 1});
    hold({a: 3});
    edits.add({step: 'undo', slot: 0});
    hold({a: 4});
    edits.add({...bulge(1), release: ['a']});
    edits.add(bulge(2));
    for (let i = 0; i < 6; ++i) {
        sent[i].resolve();
        await turn();
    }
    assert.deepEqual(sent.map(({edit}) => edit.hold ?? edit.step ?? edit.ops[0].value),
        [{a: 1}, {a: 3, b: 1}, 'undo', {a: 4}, 1, 2]);
});

test('a request is sent behind the edits before it and ahead of those after it', async () => {
    const {edits, sent, turn} = collectingEdits();
    const order = [];
    edits.add(bulge(1)).then(() => order.push('edit'));
    edits.add(bulge(2));
    let answer;
    const asked = edits.after(() => {
        order.push('request');
        return new Promise((resolve) => {
            answer = resolve;
        });
    });
    edits.add(bulge(3));
    await turn();
    // The second said all that the first did; the third is no part of them: the request is between.
    assert.deepEqual(sent.map(({edit}) => edit.ops[0].value), [2]);
    sent[0].resolve('two');
    await turn();
    assert.deepEqual(order, ['edit', 'request']);
    assert.deepEqual(sent.map(({edit}) => edit.ops[0].value), [2, 3], 'the answer may take long');
    answer('made');
    assert.equal(await asked, 'made');
    sent[1].resolve();
});

test('edits are idle when all until then are answered, well or not', async () => {
    const {edits, sent, turn} = collectingEdits();
    await edits.idle();
    edits.add(bulge(1, null)).catch(() => {});
    edits.add(bulge(2, null));
    let idle = false;
    const waiting = edits.idle().then(() => {
        idle = true;
    });
    await turn();
    sent[0].reject(new Error('refused'));
    await turn();
    assert.equal(idle, false);
    sent[1].resolve();
    await waiting;
});
