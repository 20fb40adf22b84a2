// SPDX-License-Identifier: Apache-2.0
//
// The core of the page, without a browser: places in the document, changes, the schema, binary
// messages, and the connection.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';

const root = process.env.SINEW_SOURCE ?? fileURLToPath(new URL('../..', import.meta.url));
const load = (path) => import(pathToFileURL(join(root, 'apps/studio/web/src', path)).href);

const pointer = await load('document/pointer.js');
const ops = await load('document/ops.js');
const {schemaAt, kindsAt} = await load('document/schema.js');
const {decode, NO_SURFACE} = await load('core/decode.js');
const {Wire, socketAddress, MOST_BYTES} = await load('core/wire.js');
const {Studio} = await load('core/studio.js');
const names = await load('document/names.js');

const schema = JSON.parse(await readFile(join(root, 'docs/character.schema.json'), 'utf8'));
const arm = JSON.parse(await readFile(join(root, 'examples/arm/arm.sinew.json'), 'utf8'));

// ---- pointers

test('pointers are joined and taken apart, with ~ and / in names', () => {
    const path = pointer.join('muscles', 'a/b~c', 0);
    assert.equal(path, '/muscles/a~1b~0c/0');
    assert.deepEqual(pointer.split(path), ['muscles', 'a/b~c', '0']);
    assert.deepEqual(pointer.split(''), []);
    assert.equal(pointer.child('/skins', 'x'), '/skins/x');
    assert.equal(pointer.parent('/muscles/a~1b'), '/muscles');
    assert.equal(pointer.parent('/muscles'), '');
    assert.equal(pointer.parent(''), null);
    assert.equal(pointer.last('/muscles/a~1b'), 'a/b');
    assert.throws(() => pointer.split('muscles'), /no JSON pointer/);
});

test('a place is inside another only at whole names', () => {
    assert.ok(pointer.isInside('/muscles/a/bulge', '/muscles/a'));
    assert.ok(pointer.isInside('/muscles/a', '/muscles/a'));
    assert.ok(!pointer.isInside('/muscles/ab', '/muscles/a'));
});

test('values are found by own keys alone', () => {
    assert.equal(pointer.get({a: [{b: 3}]}, '/a/0/b'), 3);
    assert.equal(pointer.get({a: 1}, '/a/b'), undefined);
    assert.equal(pointer.get({}, '/toString'), undefined);
    assert.equal(pointer.get({a: null}, '/a'), null);
});

// ---- names

test('a new name is one that is free', () => {
    assert.equal(names.freeName('clip', []), 'clip');
    assert.equal(names.freeName('clip', ['clip', 'clip 2']), 'clip 3');
    assert.equal(names.freeName('clip 2', ['clip 2']), 'clip 3');
});

// The cases of tests/motion/body.c: page and server mean the same entry.
for (const [name, other] of [
    ['left biceps', 'right biceps'], ['Biceps Right', 'Biceps Left'], ['LEFT', 'RIGHT'],
    ['smile.L', 'smile.R'], ['smile_r', 'smile_l'], ['L_Thigh', 'R_Thigh'],
    ['mixamorig:LeftArm', 'mixamorig:RightArm'], ['leftarm', 'rightarm'],
    ['DEF-upper_arm.L.001', 'DEF-upper_arm.R.001'], ['arm', null], ['', null], ['Lips', null],
    ['copyright', null], ['a.L.L', 'a.R.L'], ['L4 rib.R', 'L4 rib.L'], ['L4', 'R4'],
    ['arm_L2', 'arm_R2'], ['L2_', 'R2_'],
]) {
    test(`the other side of "${name}"`, () => {
        assert.equal(names.otherSide(name), other ?? name);
        assert.equal(names.hasSide(name), other !== null);
    });
}

// ---- changes

test('a value is put, also at a position among the keys', () => {
    const before = {a: 1, b: 2};
    assert.deepEqual(Object.entries(ops.apply(before, [ops.put('/c', 3, 1)])),
        [['a', 1], ['c', 3], ['b', 2]]);
    assert.deepEqual(Object.entries(ops.apply(before, [ops.put('/a', 9)])), [['a', 9], ['b', 2]]);
    assert.deepEqual(before, {a: 1, b: 2}, 'the old document stays');
});

test('keys are renamed in place', () => {
    const after = ops.apply({m: {a: 1, b: 2, c: 3}}, [ops.rename('/m/b', 'B')]);
    assert.deepEqual(Object.keys(after.m), ['a', 'B', 'c']);
});

test('lists get, lose and change entries', () => {
    const list = {l: [1, 2, 3]};
    assert.deepEqual(ops.apply(list, [ops.insert('/l/1', 9)]).l, [1, 9, 2, 3]);
    assert.deepEqual(ops.apply(list, [ops.insert('/l/-', 9)]).l, [1, 2, 3, 9]);
    assert.deepEqual(ops.apply(list, [ops.insert('/l/3', 9)]).l, [1, 2, 3, 9]);
    assert.deepEqual(ops.apply(list, [ops.remove('/l/0')]).l, [2, 3]);
    assert.deepEqual(ops.apply(list, [ops.put('/l/2', 9)]).l, [1, 2, 9]);
});

test('parts that did not change keep their identity', () => {
    const before = {muscles: {a: {bulge: 1}}, skins: {s: {}}};
    const after = ops.apply(before, [ops.put('/muscles/a/bulge', 2)]);
    assert.notEqual(after.muscles.a, before.muscles.a);
    assert.equal(after.skins, before.skins);
});

test('changes that do not fit say where', () => {
    assert.throws(() => ops.apply({a: 1}, [ops.put('/a/b', 1)]), /nothing at "\/a"/);
    assert.throws(() => ops.apply({m: {}}, [ops.remove('/m/x')]), /no "x" in "\/m"/);
    assert.throws(() => ops.apply({m: {}}, [ops.put('/m/x/y', 1)]), /no "x" in "\/m"/);
    assert.throws(() => ops.apply({l: [1]}, [ops.put('/l/7', 1)]), /no place in the list/);
    assert.throws(() => ops.apply({l: [1]}, [ops.remove('/l/1')]), /no place in the list/);
});

test('a key "__proto__" is a key as any other', () => {
    const after = ops.apply({m: {}}, [ops.put('/m/__proto__', {polluted: true})]);
    assert.deepEqual(Object.keys(after.m), ['__proto__']);
    assert.equal({}.polluted, undefined);
    assert.equal(after.m.polluted, undefined);
});

test('the whole document is put and taken away', () => {
    assert.deepEqual(ops.apply(null, [ops.put('', {a: 1}), ops.put('/b', 2)]), {a: 1, b: 2});
    assert.equal(ops.apply({a: 1}, [ops.put('', null)]), null);
});

// ---- schema

test('the schema of a muscle is that of its kind', () => {
    const bulge = schemaAt(schema, arm, '/muscles/biceps/bulge');
    assert.equal(arm.muscles.biceps.kind, 'patch');
    assert.equal(bulge.type, 'number');
    assert.deepEqual([bulge.minimum, bulge.maximum, bulge.default], [0, 100, 2]);
    const kinds = kindsAt(schema, arm, '/muscles/biceps').map(({kind}) => kind);
    assert.deepEqual(kinds.sort(), ['cylinder', 'ellipsoid', 'fibre', 'graph', 'mesh', 'patch']);
});

test('the schema follows the kind that a value has', () => {
    const document = {muscles: {m: {kind: 'cylinder'}}};
    assert.equal(schemaAt(schema, document, '/muscles/m/bulge'), null);
    assert.ok(schemaAt(schema, document, '/muscles/m/slices'));
    const skins = {skins: {s: {deformers: [{kind: 'blend'}, {kind: 'falloff'}]}}};
    assert.ok(schemaAt(schema, skins, '/skins/s/deformers/0/method').enum.includes('linear'));
    assert.equal(schemaAt(schema, skins, '/skins/s/deformers/1/d_full').default, 0.01);
    assert.equal(schemaAt(schema, skins, '/skins/s/deformers/0/d_full'), null);
});

test('widths of a muscle are metres, or parts of its length, which have no unit', () => {
    const document = {muscles: {m: {kind: 'cylinder'}, n: {kind: 'cylinder', sizes: 'length'}}};
    assert.equal(schemaAt(schema, document, '/muscles/m/width').unit, 'm');
    assert.equal(schemaAt(schema, document, '/muscles/n/width').unit, undefined);
});

test('the schema of maps, lists and unknown keys', () => {
    assert.equal(schemaAt(schema, arm, '').type, 'object');
    assert.equal(schemaAt(schema, arm, '/skeleton').type, 'object');
    const [segment] = Object.keys(arm.skeleton);
    assert.equal(schemaAt(schema, arm, pointer.join('skeleton', segment, 'translation', 0)).type,
        'number');
    const limits = pointer.join('skeleton', segment, 'limits_deg');
    assert.equal(schemaAt(schema, arm, limits).unit, 'deg');
    assert.equal(schemaAt(schema, arm, '/nothing'), null);
});

// ---- binary messages

function message(kind, blocks, header = {}) {
    const padded = (bytes) => Math.ceil(bytes / 8) * 8;
    const size = blocks.reduce((sum, {array}) => sum + 16 + padded(array.byteLength), 40);
    const buffer = new ArrayBuffer(size);
    const view = new DataView(buffer);
    const head = {slot: 0, model: 1, serial: 5, frame: 7, time: 0.25, ...header};
    [0x47574e53, kind, head.slot, head.model, head.serial, head.frame]
        .forEach((word, i) => view.setUint32(4 * i, word, true));
    view.setFloat64(24, head.time, true);
    view.setUint32(32, blocks.length, true);
    view.setUint32(36, head.view ?? 0, true);
    let at = 40;
    for (const {surface, what, count, array} of blocks) {
        [surface, what, count, array.byteLength].forEach((word, i) =>
            view.setUint32(at + 4 * i, word, true));
        new Uint8Array(buffer, at + 16).set(new Uint8Array(array.buffer));
        at += 16 + padded(array.byteLength);
    }
    return buffer;
}

const points = new Float32Array([1, 2, 3, 4, 5, 6, 7, 8, 9]);

test('blocks are views on the message, without a copy', () => {
    const normals = new Int8Array([0, 0, 127, 0, 0, 127, 0, 0, 127, 0, 0, 0]);
    const joints = new Float64Array(9).fill(0.5);
    const buffer = message(2, [{surface: 3, what: 1, count: 3, array: points},
        {surface: 3, what: 2, count: 3, array: normals},
        {surface: NO_SURFACE, what: 8, count: 1, array: joints}]);
    const {kind, frame, serial, time, blocks} = decode(buffer);
    assert.deepEqual([kind, frame, serial, time], [2, 7, 5, 0.25]);
    assert.deepEqual(blocks.map(({surface, what}) => [surface, what]),
        [[3, 'points'], [3, 'normals'], [NO_SURFACE, 'joints']]);
    assert.deepEqual([...blocks[0].array], [...points]);
    assert.deepEqual([...blocks[1].array], [...normals]);
    assert.deepEqual([...blocks[2].array], [...joints]);
    assert.ok(blocks.every(({array}) => array.buffer === buffer));
});

test('blocks of a newer server are passed over', () => {
    const {blocks} = decode(message(2, [{surface: 0, what: 99, count: 2, array: new Uint8Array(5)},
        {surface: 0, what: 1, count: 3, array: points}]));
    assert.deepEqual(blocks.map(({what}) => what), ['points']);
});

test('damaged messages are refused', () => {
    const whole = message(2, [{surface: 0, what: 1, count: 3, array: points}]);
    assert.throws(() => decode(new ArrayBuffer(12)), /no header/);
    assert.throws(() => decode(new ArrayBuffer(64)), /another kind/);
    assert.throws(() => decode(whole.slice(0, 48)), /cut off/);
    assert.throws(() => decode(whole.slice(0, 64)), /has 36 bytes/);
    assert.throws(() => decode(message(2, [{surface: 0, what: 1, count: 4, array: points}])),
        /"points" of 4 has 36 bytes/);
});

// ---- the connection

class FakeSocket {
    static all = [];

    constructor(address, protocol) {
        Object.assign(this, {address, protocol, sent: [], bufferedAmount: 0});
        FakeSocket.all.push(this);
    }

    send(data) {
        this.sent.push(data);
    }

    close() {
        this.onclose();
    }

    receive(message) {
        this.onmessage({data: message instanceof ArrayBuffer ? message : JSON.stringify(message)});
    }
}

function connected() {
    FakeSocket.all = [];
    const wire = new Wire('ws://here/socket?token=x', FakeSocket);
    const studio = new Studio(wire);
    studio.notice = () => {};
    wire.connect();
    const [socket] = FakeSocket.all;
    socket.onopen();
    return {wire, studio, socket};
}

const parsed = (socket) => socket.sent.map((each) => JSON.parse(each));

test('the socket has the address and the token of the page', () => {
    const location = {protocol: 'http:', host: '127.0.0.1:7373', search: '?token=abc'};
    assert.equal(socketAddress(location), 'ws://127.0.0.1:7373/socket?token=abc');
});

test('requests get their own answers, refusals are errors with their place', async () => {
    const {wire, socket} = connected();
    const a = wire.call('seek', {frame: 1});
    const b = wire.call('edit', {slot: 0});
    const [hello, seek, edit] = parsed(socket);
    assert.equal(hello.do, 'hello');
    assert.deepEqual(seek, {id: seek.id, do: 'seek', frame: 1});
    socket.receive({id: edit.id, error: {status: 'invalid', message: 'is too large',
        source: 'arm.sinew.json', place: '/muscles/biceps/bulge', line: 12}});
    socket.receive({id: seek.id, ok: {frame: 1}});
    assert.deepEqual(await a, {frame: 1});
    await assert.rejects(b, (error) => error.place === '/muscles/biceps/bulge' &&
        error.text === 'arm.sinew.json:12: /muscles/biceps/bulge: is too large');
    wire.end();
});

test('a message that is too large is refused by the page, and nothing else is lost', async () => {
    const {wire, socket} = connected();
    const sent = socket.sent.length;
    wire.mostBytes = 2 ** 20;
    await assert.rejects(wire.call('edit', {text: 'x'.repeat(2 ** 20)}), {status: 'limit',
        message: 'this is more than the studio accepts at once (1 MiB), "edit" was not done'});
    // Bytes count, not letters.
    await assert.rejects(wire.call('edit', {text: '\u20ac'.repeat(2 ** 20 / 3)}),
        {status: 'limit'});
    assert.equal(socket.sent.length, sent);
    assert.equal(wire.unanswered, 1, 'hello alone');
    wire.call('edit', {text: 'x'.repeat(2 ** 20 - 100)}).catch(() => {});
    assert.equal(socket.sent.length, sent + 1);
    wire.end();
});

test('the page knows how much the server takes', async () => {
    const header = await readFile(join(root, 'apps/studio/server/net/net.h'), 'utf8');
    const [, mebibytes] = /NET_MAX_TEXT = (\d+) << 20/.exec(header);
    assert.equal(MOST_BYTES, mebibytes * 2 ** 20);
});

test('a lost connection ends what waits, and is taken up again with hello', async () => {
    const {wire, studio, socket} = connected();
    const states = [];
    studio.on('connection', (state) => states.push(state));
    const waiting = wire.call('seek', {frame: 1});
    socket.onclose({code: 1008, reason: 'the page reads too slowly'});
    await assert.rejects(waiting, {status: 'connection',
        message: /was lost \(the page reads too slowly\) before it answered "seek"/});
    await assert.rejects(wire.call('play'), {status: 'connection'});
    while (FakeSocket.all.length < 2) {
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const again = FakeSocket.all[1];
    again.onopen();
    assert.equal(parsed(again)[0].do, 'hello');
    assert.deepEqual(states, ['lost', 'open']);
    wire.end();
});

const documentEvent = (patch, more = {}) => ({event: 'document', slot: 0, revision: 1, patch,
    path: null, name: 'arm', dirty: false, undo: null, redo: null, by: 1, ...more});
const surface = {index: 0, name: 'skin', path: '/skins/skin', layer: 'skin', look: 'skin',
    shown: true, feature: false, segment: null, vertices: 3, triangles: 1, closed: false,
    shape: 'a'};
const modelEvent = {event: 'model', slot: 0, model: 1, revision: 1, surfaces: [surface],
    segments: [], controls: [], clips: [], clip: null, ms: 1};

test('a joint is held under one name, by whichever it was held or let go', async () => {
    const {wire, studio, socket} = connected();
    socket.receive({...modelEvent, controls: [{name: 'odd.rx', low: 0, high: 1, rest: 0}]});
    studio.hold({'forearm.rx': Math.PI / 2, 'odd.rx': 1, 'hand.tx': 0.1});
    studio.release(['forearm.rx', 'odd.rx', 'hand.ry_deg']);
    studio.release(null);
    for (let i = 1; i <= 3; ++i) {
        await new Promise((resolve) => setTimeout(resolve));
        assert.equal(parsed(socket).length, i + 1, 'one after the other');
        socket.receive({id: parsed(socket).at(-1).id, ok: {}});
    }
    const [, hold, release, all] = parsed(socket);
    assert.deepEqual([hold.label, release.label, all.label],
        ['Hold 3 values', 'Release 3 values', 'Release all']);
    assert.deepEqual(hold.values, {'forearm.rx_deg': 90, 'odd.rx': 1, 'hand.tx': 0.1});
    assert.deepEqual(release.names, ['forearm.rx_deg', 'odd.rx', 'hand.ry_deg']);
    assert.equal(all.names, null);
    socket.receive({event: 'held', slot: 0, values: {'forearm.rx': Math.PI, 'odd.rx': 1}});
    assert.deepEqual(studio.active.held, {'forearm.rx_deg': 180, 'odd.rx': 1});
    wire.end();
});

test('the page follows the document; what is gone is no longer selected', () => {
    const {wire, studio, socket} = connected();
    socket.receive(documentEvent([ops.put('', {muscles: {a: {bulge: 1}}})]));
    studio.select('/muscles/a');
    socket.receive(documentEvent([ops.put('/muscles/a/bulge', 2)], {revision: 2,
        undo: {label: 'Bulge', count: 1}, dirty: true}));
    assert.equal(studio.get('/muscles/a/bulge'), 2);
    assert.deepEqual([studio.active.revision, studio.active.dirty, studio.active.undo.label],
        [2, true, 'Bulge']);
    assert.equal(studio.selection.path, '/muscles/a');
    socket.receive(documentEvent([ops.remove('/muscles/a')], {revision: 3}));
    assert.equal(studio.selection, null);
    socket.receive(documentEvent([ops.put('', null)], {revision: 0}));
    assert.equal(studio.active.document, null);
    wire.end();
});

/** A studio that has been greeted, with a document and its model. */
async function greeted() {
    const all = connected();
    all.socket.receive(documentEvent([ops.put('', arm)], {by: 0, path: '/arm.sinew.json'}));
    all.socket.receive(modelEvent);
    all.socket.receive({id: parsed(all.socket)[0].id, ok: {page: 1}});
    await new Promise((resolve) => setImmediate(resolve));
    return all;
}

test('another document in the place of one begins anew', async () => {
    const {wire, studio, socket} = await greeted();
    const slots = [];
    studio.on('slot', ({index}) => slots.push(index));
    studio.select('/skins/skin');
    socket.receive({event: 'model_error', slot: 0, revision: 1, model: 1,
        error: {status: 'invalid', message: 'no'}});
    assert.notEqual(studio.active.model, null, 'an edit that makes no model keeps the one before');
    socket.receive(documentEvent([ops.put('', {...arm, name: 'rex'})],
        {by: 0, revision: 2, name: 'rex', path: '/rex.sinew.json'}));
    assert.equal(studio.selection, null, 'though the path exists in both');
    assert.deepEqual([studio.active.model, studio.active.frame, studio.active.error],
        [null, null, null]);
    assert.deepEqual(slots, [0]);
    wire.end();
});

test('a document that makes no model shows none', async () => {
    const {wire, studio, socket} = await greeted();
    socket.receive({event: 'model_error', slot: 0, revision: 2, model: null,
        error: {status: 'invalid', message: 'no'}});
    assert.equal(studio.active.model, null);
    assert.equal(studio.active.error.message, 'no');
    wire.end();
});

test('after a break the same document comes again: model and selection stay', async () => {
    const {wire, studio, socket} = await greeted();
    studio.select('/skins/skin');
    socket.onclose();
    while (FakeSocket.all.length < 2) {
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const again = FakeSocket.all[1];
    again.onopen();
    again.receive(documentEvent([ops.put('', arm)], {by: 0, path: '/arm.sinew.json'}));
    assert.notEqual(studio.active.model, null);
    assert.equal(studio.selection.path, '/skins/skin');
    again.receive(documentEvent([ops.put('', arm)], {by: 0, path: '/rex.sinew.json', name: 'rex'}));
    assert.equal(studio.active.model, null, 'unless the server has another one by now');
    wire.end();
});

test('of the images of an entry the one that was clicked is selected', () => {
    const {wire, studio, socket} = connected();
    const images = [0, 1].map((index) => ({...surface, index, name: 'LR'[index]}));
    socket.receive(documentEvent([ops.put('', {})]));
    socket.receive({...modelEvent, surfaces: images});
    const heard = [];
    studio.on('selection', (selection) => heard.push(selection));
    studio.select('/skins/skin');
    assert.equal(studio.selectedSurface.name, 'L');
    studio.select('/skins/skin', 1);
    studio.select('/skins/skin', 1);
    assert.equal(studio.selectedSurface.name, 'R');
    assert.equal(heard.length, 2);
    assert.deepEqual(studio.active.model.surfacesOf('/skins/skin').map(({name}) => name),
        ['L', 'R']);
    wire.end();
});

test('frames are taken and acknowledged; those of an older model only acknowledged', () => {
    const {wire, studio, socket} = connected();
    const triangles = new Uint32Array([0, 1, 2]);
    socket.receive(documentEvent([ops.put('', {})]));
    socket.receive(modelEvent);
    socket.receive(message(1, [{surface: 0, what: 6, count: 3, array: points},
        {surface: 0, what: 4, count: 1, array: triangles}]));
    const {model} = studio.slots[0];
    assert.ok(model.surfaces[0].hasGeometry, 'stands at rest before the first frame');
    const moved = points.map((x) => x + 1);
    socket.receive(message(2, [{surface: 0, what: 1, count: 3, array: moved},
        {surface: NO_SURFACE, what: 9, count: 1, array: new Float64Array([0.5])}], {serial: 8}));
    assert.deepEqual([...model.surfaces[0].points], [...moved]);
    assert.deepEqual([studio.slots[0].frame.number, studio.slots[0].frame.controls[0]], [7, 0.5]);
    socket.receive(message(2, [{surface: 0, what: 1, count: 3, array: points}],
        {serial: 9, model: 77}));
    assert.deepEqual([...model.surfaces[0].points], [...moved]);
    const acknowledged = parsed(socket).filter((each) => each.do === 'ack');
    assert.deepEqual(acknowledged, [{do: 'ack', serial: 8}, {do: 'ack', serial: 9}]);
    wire.end();
});

test('values of a quantity that was asked for before are left out', () => {
    const {wire, studio, socket} = connected();
    socket.receive(documentEvent([ops.put('', {})]));
    socket.receive(modelEvent);
    const [slot] = studio.slots;
    const frame = (view) => message(2, [{surface: 0, what: 1, count: 3, array: points},
        {surface: 0, what: 3, count: 3, array: new Float32Array([1, 2, 3])}], {view});
    slot.quantityNumber = 2;
    socket.receive(frame(1));
    const [skin] = slot.model.surfaces;
    assert.deepEqual([skin.values, [...skin.points]], [null, [...points]]);
    socket.receive(frame(2));
    assert.deepEqual([...skin.values], [1, 2, 3]);
    wire.end();
});

test('a new model keeps the shapes that it shares with the one before, and waits for points', () => {
    const {wire, studio, socket} = connected();
    const triangles = new Uint32Array([0, 1, 2]);
    socket.receive(documentEvent([ops.put('', {})]));
    socket.receive(modelEvent);
    socket.receive(message(1, [{surface: 0, what: 6, count: 3, array: points},
        {surface: 0, what: 4, count: 1, array: triangles}]));
    const before = studio.slots[0].model.surfaces[0];
    const muscle = {...surface, index: 0, name: 'm', path: '/muscles/m', shape: 'b'};
    socket.receive({...modelEvent, model: 2, revision: 2,
        surfaces: [muscle, {...surface, index: 1}]});
    const [fresh, same] = studio.slots[0].model.surfaces;
    assert.equal(fresh.triangles, null);
    assert.equal(same.triangles, before.triangles);
    assert.equal(same.rest, before.rest);
    assert.equal(same.points, null, 'points belong to a pose of the model before');
    wire.end();
});

test('an edit is sent with the revision that it was made on', async () => {
    const {wire, studio, socket} = connected();
    socket.receive(documentEvent([ops.put('', {muscles: {a: {bulge: 1}}})], {revision: 4}));
    const first = studio.edit('Bulge', [ops.put('/muscles/a/bulge', 2)], {merge: 'x'});
    await new Promise((resolve) => setImmediate(resolve));
    const sent = parsed(socket).at(-1);
    assert.deepEqual({...sent, id: 0}, {id: 0, do: 'edit', slot: 0, revision: 4, label: 'Bulge',
        merge: 'x', ops: [{path: '/muscles/a/bulge', value: 2}]});
    socket.receive({id: sent.id, ok: {revision: 5}});
    await first;
    studio.edit('Bulge', [ops.put('/muscles/a/bulge', 3)]).catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(parsed(socket).at(-1).revision, 5);
    wire.end();
});

test('undo and other requests come behind the edits that wait', async () => {
    const {wire, studio, socket} = connected();
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const answer = () => socket.receive({id: parsed(socket).at(-1).id, ok: {revision: 1}});
    socket.receive(documentEvent([{path: '', value: {muscles: {}}}],
        {undo: {label: 'x', count: 1}}));
    const done = [studio.redo(), studio.edit('a', [ops.put('/name', 'a')]),
        studio.edit('b', [ops.put('/name', 'b')]),
        studio.undo(), studio.edit('c', [ops.put('/name', 'c')]),
        studio.call('key_pose', {slot: 0}), studio.settled()];
    for (let i = 0; i < 5; ++i) {
        await turn();
        answer();
    }
    await Promise.all(done);
    assert.deepEqual(parsed(socket).slice(1).map((each) => each.label ?? each.do),
        ['a', 'b', 'undo', 'c', 'key_pose'], 'and there was nothing to redo');
    wire.end();
});
