// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';

import {mainFile} from '../../apps/studio/web/src/files/drop.js';
import {filmChoices, filmText, reasonAgainstFilm} from '../../apps/studio/web/src/files/film.js';
import {rangeOf} from '../../apps/studio/web/src/files/range.js';
import {seenRequest, sizeChoices} from '../../apps/studio/web/src/files/seen.js';
import {findUnsaved, startCommand} from '../../apps/studio/web/src/start/comeback.js';
import {TourState} from '../../apps/studio/web/src/start/tour-state.js';
import {
    baseName,
    crumbs,
    folderOf,
    joinPath,
    nameProblem,
    pastedPath,
    shownFirst,
    sizeText,
    stem,
    visibleEntries,
    whenText,
    withEnding,
} from '../../apps/studio/web/src/files/paths.js';

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
    assert.match(nameProblem('a/b'), /Choose the folder/);
    assert.match(nameProblem(' '), /name/);
    assert.equal(nameProblem('arm 2'), null);
});

test('a pasted path is known in every form', () => {
    const cases = {
        '/a/b c.json': '/a/b c.json',
        ' "/a/b c.json" ': '/a/b c.json',
        "'/a/b'": '/a/b',
        'file:///a/b%20c.json': '/a/b c.json',
        'file://localhost/100%': '/100%',
        '~/arm.json': '~/arm.json',
        'arm/arm.json': '/here/arm/arm.json',
        '../arm.json': '/here/../arm.json',
    };
    for (const [text, path] of Object.entries(cases)) {
        assert.equal(pastedPath(text, '/here'), path, text);
    }
    ['arm.json', '', '~x'].forEach((name) => assert.equal(pastedPath(name, '/here'), null));
});

test('the way back names the files as a shell takes them, and finds unsaved work', () => {
    assert.equal(
        startCommand('/b/sinew studio --port 7373', ['/a/arm.sinew.json', "/a/my dog's.json"]),
        "/b/sinew studio --port 7373 /a/arm.sinew.json '/a/my dog'\\''s.json'"
    );
    const unsaved = [
        {journal: '1', path: null, name: 'arm'},
        {journal: '2', path: '/a.json', name: 'arm'},
    ];
    assert.equal(findUnsaved({path: '/a.json', name: 'new'}, unsaved).journal, '2');
    assert.equal(findUnsaved({path: null, name: 'arm'}, unsaved).journal, '1');
    assert.equal(findUnsaved({path: null, name: 'rex'}, unsaved), undefined);
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

test('whole bodies and the arm of the tour come first in the gallery', () => {
    const names = ['arm', 'athlete', 'cloth', 'head', 'human', 'monkey', 'person', 'rex', 'thighs'].map(
        (name) => ({name})
    );
    assert.deepEqual(
        shownFirst(names).map(({name}) => name),
        ['person', 'athlete', 'human', 'head', 'arm', 'monkey', 'rex', 'cloth', 'thighs']
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

/** A viewport as far as pictures ask for it. */
function fakeViewport() {
    const place = (...values) => ({
        clone: () => place(...values),
        add: (other) => place(...values.map((each, i) => each + other.toArray()[i])),
        toArray: () => values,
    });
    const layer = (mode) => ({mode, opacity: 0.35});
    return {
        width: 800,
        height: 400,
        shownSlots: [0, 1],
        orbit: {
            azimuth: 2 * Math.PI + 0.5,
            elevation: Math.PI / 2,
            distance: 3,
            orthographic: true,
            target: place(1, 2, 3),
        },
        views: [
            {offset: place(0, 0, 0), ground: null},
            {offset: place(10, 0, 0), ground: -1},
        ],
        layers: {
            skin: layer('clear'),
            muscle: layer('shown'),
            bone: layer('hidden'),
            tissue: layer('hidden'),
            driver: layer('clear'),
        },
        wireframe: true,
        materials: false,
        coloring: {missing: false, wanted: () => ({name: 'weights', segment: 'forearm'})},
    };
}

test('a picture is asked for as the viewport shows it', () => {
    const viewport = fakeViewport();
    const slot = {index: 1};
    const choice = {size: '400x400', quality: 'draft', camera: 'seen'};
    const {azimuth, ...request} = seenRequest({viewport}, slot, choice);
    assert.ok(Math.abs(azimuth - (0.5 * 180) / Math.PI) < 1e-9);
    assert.deepEqual(request, {
        slot: 1,
        width: 400,
        height: 400,
        quality: 'draft',
        elevation: 90,
        orthographic: true,
        target: [11, 2, 3],
        distance: 3,
        ground: -1,
        show: ['skin', 'muscles', 'drivers'],
        opacity: {skin: 0.35, muscles: 1, drivers: 0.35},
        wireframe: 'all',
        materials: false,
        color: 'weights:forearm',
    });
    const narrow = seenRequest({viewport}, slot, {...choice, size: '200x400'});
    assert.equal(narrow.distance, 6, 'nothing is cut off');
    viewport.coloring = {missing: true, wanted: () => ({name: 'stretch'})};
    const all = seenRequest({viewport}, slot, {...choice, camera: 'all'});
    assert.deepEqual([all.target, all.color], [undefined, undefined]);
    viewport.coloring = {missing: false, wanted: () => ({name: 'weights', deformer: 0})};
    assert.equal(seenRequest({viewport}, slot, choice).color, 'weights:0');
    assert.deepEqual(
        sizeChoices(viewport)
            .slice(0, 2)
            .map(({value}) => value),
        ['400x400', '800x800']
    );
});

test('films are offered where they can be made, pictures always', () => {
    const values = (films) => filmChoices(films).map(({value}) => value);
    assert.deepEqual(values(['.mp4', '.webm']), ['.mp4', '.webm', '.png']);
    assert.deepEqual(values([]), ['.png']);
    assert.equal(reasonAgainstFilm({model: {clip: {name: 'curl'}}}), null);
    assert.match(reasonAgainstFilm({model: {clip: null}}), /needs a clip/);
    assert.deepEqual(rangeOf({model: {clip: {frames: 61}}}), {first: 0, last: 60});
    assert.deepEqual(rangeOf({model: null}), {first: 0, last: 0});
    assert.equal(filmText({path: '/a/arm.mp4', first: 0, last: 9}), 'Wrote arm.mp4.');
    assert.equal(
        filmText({path: '/a/arm.png', first: 3, last: 3}),
        '1 picture written, from arm.0003.png on.'
    );
});
