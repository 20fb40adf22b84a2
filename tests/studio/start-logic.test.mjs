// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';

import {mainFile} from '../../apps/studio/web/src/start/drop.js';
import {TourState} from '../../apps/studio/web/src/start/tour-state.js';
import {
    baseName,
    crumbs,
    folderOf,
    joinPath,
    nameProblem,
    shownFirst,
    sizeText,
    stem,
    visibleEntries,
    whenText,
    withEnding,
} from '../../apps/studio/web/src/start/paths.js';

test('paths are taken apart and put together', () => {
    assert.equal(joinPath('/a/b', 'c'), '/a/b/c');
    assert.equal(joinPath('/', 'c'), '/c');
    assert.equal(baseName('/a/arm.sinew.json'), 'arm.sinew.json');
    assert.equal(folderOf('/a/b/c'), '/a/b');
    assert.equal(folderOf('/a'), '/');
    assert.equal(stem('arm.sinew.json', ['.json', '.sinew.json']), 'arm');
    assert.equal(withEnding('arm', ['.sinew.json']), 'arm.sinew.json');
    assert.equal(withEnding('arm.GLB', ['.glb']), 'arm.GLB');
    assert.deepEqual(
        crumbs('/a/b').map((each) => each.path),
        ['/', '/a', '/a/b']
    );
    const reachable = (path, roots) => crumbs(path, roots).map((each) => each.path);
    assert.deepEqual(reachable('/home/you/a/b', ['/home/you/a', '/home/you']), [
        '/home/you',
        '/home/you/a',
        '/home/you/a/b',
    ]);
    assert.deepEqual(reachable('/home/you2', ['/home/you']), ['/home/you2'], 'another place');
    assert.match(nameProblem('a/b'), /choose the folder/);
    assert.match(nameProblem(' '), /name/);
    assert.equal(nameProblem('arm 2'), null);
});

test('a folder shows folders first, then files in the order people count', () => {
    const entries = ['take 10.bvh', 'take 2.bvh', 'arm.sinew.json', '.git', 'Zoo', 'a'].map(
        (name) => ({
            name,
            kind: name.endsWith('bvh') ? 'motion' : name.endsWith('json') ? 'document' : 'folder',
        })
    );
    const names = (options) => visibleEntries(entries, options).map((each) => each.name);
    assert.deepEqual(names({kinds: ['motion']}), ['a', 'Zoo', 'take 2.bvh', 'take 10.bvh']);
    assert.deepEqual(names({text: 'AR'}), ['arm.sinew.json']);
    assert.deepEqual(names({text: '.g'}), ['.git']);
    assert.deepEqual(names({endings: ['.sinew.json']}), ['a', 'Zoo', 'arm.sinew.json']);
});

test('whole bodies come first in the gallery', () => {
    const names = ['arm', 'cloth', 'human', 'monkey', 'rex', 'thighs'].map((name) => ({name}));
    assert.deepEqual(
        shownFirst(names).map(({name}) => name),
        ['human', 'monkey', 'rex', 'arm', 'cloth', 'thighs']
    );
});

test('sizes and days are short', () => {
    assert.deepEqual([0, 999, 1234, 99999, 1234567].map(sizeText), [
        '0 B',
        '999 B',
        '1.2 kB',
        '100 kB',
        '1.2 MB',
    ]);
    const now = new Date(2026, 4, 3, 14, 30);
    const at = (...args) => new Date(...args).getTime() / 1000;
    assert.equal(whenText(at(2026, 4, 3, 9, 5), now), 'today 09:05');
    assert.equal(whenText(at(2026, 4, 2, 23, 5), now), 'yesterday');
    assert.equal(whenText(at(2026, 3, 30), now), '30 Apr');
    assert.equal(whenText(at(2025, 3, 30), now), '30 Apr 2025');
});

test('the tour goes on when a step is done, passes what is there, and ends', () => {
    const subject = {done: new Set()};
    const steps = ['a', 'b', 'c'].map((id) => ({
        id,
        done: (s) => s.done.has(id),
        begin: (s, memory) => (memory[id] = true),
    }));
    const tour = new TourState(steps, subject);
    assert.equal(tour.step, null);
    tour.start();
    assert.equal(tour.step.id, 'a');
    assert.equal(tour.check(), false);
    subject.done.add('a').add('b');
    assert.equal(tour.check(), true);
    assert.equal(tour.step.id, 'c');
    assert.deepEqual(tour.memory, {a: true, b: true, c: true});
    tour.skip();
    assert.ok(tour.finished);
    tour.leave();
    assert.equal(tour.step, null);
    assert.equal(tour.finished, false);
});

test('of dropped files the character or model is meant', () => {
    const files = ['arm.bin', 'walk.bvh', 'arm.gltf', 'arm.sinew.json'].map((name) => ({name}));
    const main = (...names) =>
        mainFile(
            files.filter(({name}) => names.includes(name)),
            ['gltf', '.glb']
        );
    assert.deepEqual(main('arm.bin', 'arm.gltf', 'arm.sinew.json'), {
        file: files[3],
        purpose: 'open',
    });
    assert.deepEqual(main('walk.bvh', 'arm.gltf'), {file: files[2], purpose: 'import'});
    assert.deepEqual(main('walk.bvh'), {file: files[1], purpose: 'motion'});
    assert.equal(main('arm.bin'), null);
});
