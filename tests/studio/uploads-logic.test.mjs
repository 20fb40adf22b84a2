// SPDX-License-Identifier: Apache-2.0
// How the page sends files, without a server.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {motionsOf} from '../../apps/studio/web/src/panels/drop.js';
import {uploadFiles} from '../../apps/studio/web/src/core/upload.js';

// A wire that takes files as the server does; names in `refused` are no files of sinew.
function uploadWire(refused = []) {
    const sent = [];
    const events = new Map();
    const on = (event, listener) => {
        events.set(event, [...(events.get(event) ?? []), listener]);
        return () => events.set(event, events.get(event).filter((each) => each !== listener));
    };
    const emit = (event, value) => (events.get(event) ?? []).forEach((each) => each(value));
    return {
        sent,
        emit,
        on,
        listening: () => [...events.values()].flat().length,
        onState: (listener) => on('#state', listener),
        async call(name, args) {
            sent.push(args);
            if (refused.includes(args.name)) {
                throw Object.assign(new Error('no'), {status: 'unsupported'});
            }
            return {upload: sent.length};
        },
        async sendBytes(bytes) {
            const upload = new DataView(bytes.buffer).getUint32(4, true);
            const {name} = sent[upload - 1];
            queueMicrotask(() => emit('uploaded', {upload, path: `/x/${name}`, file: name}));
        }
    };
}

test('files that are dropped together go together, the one that is meant first', async () => {
    const file = (name) => Object.assign(new Blob(['x']), {name});
    const [gltf, bin, picture, bvh] = ['a.gltf', 'a.bin', 'a.png', 'b.bvh'].map(file);
    assert.deepEqual(motionsOf([bin, gltf]), [[gltf, bin]]);
    assert.deepEqual(motionsOf([gltf, bvh]), [[gltf], [bvh]]);
    const slot = {index: 0, document: {}};
    const wire = uploadWire(['a.png']);
    const result = await uploadFiles({wire}, [gltf, bin, picture], slot);
    assert.equal(result.file, 'a.gltf');
    assert.deepEqual(
        wire.sent.map(({name}) => name),
        ['a.gltf', 'a.bin', 'a.png']
    );
    const drop = wire.sent[0].drop;
    assert.ok(drop > 0 && wire.sent.every((each) => each.drop === drop));
    await uploadFiles({wire}, [bvh], slot);
    assert.ok(wire.sent.at(-1).drop > drop, 'a folder of its own');
    assert.equal(wire.listening(), 0);
});

test('a file whose connection is lost on the way is an error, not a wait without end', async () => {
    const wire = uploadWire();
    wire.sendBytes = async () => wire.emit('#state', 'lost');
    const file = Object.assign(new Blob(['x']), {name: 'a.bvh'});
    await assert.rejects(uploadFiles({wire}, [file], {index: 0, document: {}}), /lost/);
    assert.equal(wire.listening(), 0);
});
