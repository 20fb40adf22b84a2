// SPDX-License-Identifier: Apache-2.0
// The logic of the panels, without a page: rows, forms, keys, axes, lines of plots.

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';

// Run from its own folder or from a copy of it, with the sources where SINEW_SOURCE says.
const root = process.env.SINEW_SOURCE
    ? pathToFileURL(`${process.env.SINEW_SOURCE}/`)
    : new URL('../../', import.meta.url);
const logic = (name) => import(new URL(`apps/studio/web/src/panels/logic/${name}.js`, root));
const form = await logic('form');
const joints = await logic('joints');
const names = await logic('names');
const outline = await logic('outline');
const ruler = await logic('ruler');
const series = await logic('series');
const {followedSteps} = await logic('steps');
const {leftText} = await logic('duration');
const documents = (name) => import(new URL(`apps/studio/web/src/document/${name}.js`, root));
const {apply} = await documents('ops');
const keyOps = await documents('key-ops');
const keys = await documents('keys');
const points = await documents('points');
const {relaxOps, skinsToRelax} = await documents('relax');
const {curveThrough} = await documents('curve-shape');
const units = await documents('units');
const references = await documents('references');
const schemas = await documents('schema');

const read = (path) => JSON.parse(readFileSync(new URL(path, root), 'utf8'));
const schema = read('docs/character.schema.json');
const arm = read('examples/arm/arm.sinew.json');
const human = read('examples/human/human.sinew.json');
const monkey = read('examples/monkey/monkey.sinew.json');

test('the outline has every entry of every section, in the order of the file', () => {
    for (const document of [arm, human, monkey]) {
        const rows = outline.outline(document);
        for (const [section, entries] of Object.entries(document)) {
            if (typeof entries !== 'object') {
                continue;
            }
            const expected = Object.keys(entries).map((key) =>
                Array.isArray(entries) ? entries[key].control : key
            );
            const shown = rows.filter((row) => row.section === section && row.level === 3);
            assert.deepEqual(
                shown.map((row) => row.name),
                expected
            );
        }
        assert.equal(new Set(rows.map((row) => row.path)).size, rows.length);
    }
});

test('a row knows how many rows are below it, and folding hides exactly those', () => {
    const rows = outline.outline(arm);
    assert.equal(rows[0].count, rows.length - 1);
    const bones = rows.find((row) => row.path === '/bones');
    const folded = outline.unfolded(rows, new Set(['/bones']));
    assert.equal(folded.length, rows.length - bones.count);
    assert.ok(folded.some((row) => row.path === '/bones'));
});

test('search finds by name, kind and about, all words, and keeps the rows above', () => {
    const rows = outline.outline(human);
    const found = outline.search(rows, 'biceps CYLINDER');
    const leaves = found.filter((row) => row.level === 3);
    assert.deepEqual(
        leaves.map((row) => row.name),
        Object.keys(human.muscles).filter((name) => name.includes('biceps'))
    );
    assert.deepEqual(
        found.filter((row) => row.level < 3).map((row) => row.path),
        ['', '/muscles']
    );
    assert.equal(outline.search(rows, 'no such thing at all').length, 0);
    const about = {sinew: 1, name: 'x', controls: {a: {about: 'opens the jaw'}, b: {}}};
    assert.deepEqual(outline.search(outline.outline(about), 'JAW').at(-1).path, '/controls/a');
});

test('names with slashes and tildes give paths that lead back to them', () => {
    const document = {sinew: 1, name: 'x', controls: {'a/b~c': {low: 0}}};
    assert.equal(outline.outline(document).at(-1).path, '/controls/a~1b~0c');
    assert.equal(outline.entryFor(document, '/controls/a~1b~0c'), '/controls/a~1b~0c');
});

test('what is repeated or mirrored belongs to the entry that stands for it', () => {
    assert.equal(outline.entryFor(monkey, '/skeleton/caudal 3'), '/skeleton/caudal #');
    assert.equal(outline.entryFor(monkey, '/muscles/biceps.R'), '/muscles/biceps.L');
    assert.equal(outline.entryFor(monkey, '/bones/rib 12.R'), '/bones/rib #.L');
    assert.equal(outline.entryFor(monkey, '/bones/wing'), null);
});

const nodeAt = (path) =>
    path.split('/').reduce((node, key) => node.properties?.[key] ?? node[key], schema);

test('every key of the schema gets a field, and the right one', () => {
    const segment = nodeAt('skeleton').additionalProperties;
    const kind = (node, value) => form.fieldKind(node, value);
    assert.equal(kind(segment.properties.translation), 'vector');
    assert.equal(kind(segment.properties.order), 'choice');
    assert.equal(kind(segment.properties.mirror), 'toggle');
    assert.equal(kind(segment.properties.repeat), 'number');
    assert.equal(kind(segment.properties.limits_deg), 'group');
    const muscle = nodeAt('muscles').additionalProperties;
    assert.equal(kind(muscle, arm.muscles.biceps), 'group');
    const patch = schemas.resolved(muscle, {kind: 'patch'});
    assert.equal(kind(patch.properties.curves), 'list');
    assert.equal(kind(patch.properties.kind), 'fixed');
    assert.equal(kind(patch.properties.bulge), 'number');
    const driver = nodeAt('drivers').items;
    assert.equal(kind(driver.properties.curve), 'table');
    const spread = nodeAt('synergies').items.properties.spread;
    assert.equal(kind(spread), 'map');
    assert.equal(
        kind(spread, Object.fromEntries(Array.from({length: 65}, (_, i) => [i, 0]))),
        'json'
    );
    assert.equal(kind(undefined, {any: 1}), 'json');
});

test('a form shows the keys of its kind, and what is set besides; kinds can be chosen', () => {
    const muscle = nodeAt('muscles').additionalProperties;
    const shown = form.formKeys(muscle, {...arm.muscles.biceps, odd: 1});
    const set = shown.filter((entry) => entry.set).map(({key}) => key);
    assert.deepEqual(set.toSorted(), [...Object.keys(arm.muscles.biceps), 'odd'].toSorted());
    assert.equal(shown.at(-1).key, 'odd');
    assert.deepEqual(
        shown.filter((entry) => entry.required).map(({key}) => key),
        ['kind', 'skin', 'curves']
    );
    assert.ok(shown.find(({key}) => key === 'bulge'));
    assert.ok(!shown.find(({key}) => key === 'slices'), 'a key of another kind');
    assert.deepEqual(
        schemas.kindsOf(muscle).map(({kind}) => kind),
        ['patch', 'cylinder', 'ellipsoid', 'mesh', 'fibre', 'graph']
    );
});

test('defaults come from the schema, or from the end of its description', () => {
    const patch = schemas.resolved(nodeAt('muscles').additionalProperties, {kind: 'patch'});
    assert.equal(form.defaultOf(patch.properties.bulge), 2);
    assert.equal(form.defaultOf({type: 'integer', description: 'How fine (8).'}), 8);
    assert.equal(form.defaultOf({type: 'number', description: 'A number.'}), undefined);
});

test('a value to begin with fits its schema', () => {
    assert.deepEqual(form.startValue(nodeAt('drivers').items.properties.curve), [[0, 0]]);
    assert.equal(form.startValue({type: 'number', minimum: 2, maximum: 5}), 2);
    assert.equal(form.startValue({enum: ['b', 'a']}), 'b');
    assert.equal(
        form.startValue({type: 'string', 'x-name-of': 'muscles'}, () => ['biceps']),
        'biceps'
    );
    assert.equal(form.startValue(nodeAt('muscles').additionalProperties).kind, 'patch');
});

test('keys are put in order, changed, moved onto frames, and taken out', () => {
    const start = [
        [0, 0],
        [1, 1],
        [2, 0]
    ];
    assert.deepEqual(keys.withKey(start, 12, 24, 0.5), [
        [0, 0],
        [0.5, 0.5],
        [1, 1],
        [2, 0]
    ]);
    assert.deepEqual(keys.withKey(start, 24, 24, 5), [
        [0, 0],
        [1, 5],
        [2, 0]
    ]);
    assert.deepEqual(keys.withoutKey(start, 0), [
        [1, 1],
        [2, 0]
    ]);
    assert.deepEqual(start, [
        [0, 0],
        [1, 1],
        [2, 0]
    ]);
});

test('every frame of every rate comes back from its time', () => {
    for (const rate of [24, 25, 29.97, 30, 60, 120]) {
        for (let frame = 0; frame < 2000; frame++) {
            assert.equal(keys.frameOfTime(keys.timeOfFrame(frame, rate), rate), frame);
        }
    }
});

test('the next key is found over all tracks', () => {
    const tracks = {
        a: {
            keys: [
                [0, 0],
                [1, 0]
            ]
        },
        b: {keys: [[0.5, 0]]}
    };
    assert.equal(keys.nextKeyFrame(tracks, 0, 24, 1), 12);
    assert.equal(keys.nextKeyFrame(tracks, 12, 24, 1), 24);
    assert.equal(keys.nextKeyFrame(tracks, 24, 24, 1), null);
    assert.equal(keys.nextKeyFrame(tracks, 24, 24, -1), 12);
    assert.equal(keys.clipFrames({rate: 24, tracks}), 25);
    assert.equal(keys.clipFrames({rate: 24, frames: 7, tracks}), 7);
});

test('axes have few round marks, and pixels lead to frames and back', () => {
    assert.deepEqual(ruler.ticks(0, 100, 5), [0, 20, 40, 60, 80, 100]);
    assert.deepEqual(ruler.ticks(0, 3, 50, false), [0, 1, 2, 3]);
    assert.ok(ruler.ticks(-0.013, 0.021, 6).length <= 7);
    const axis = ruler.scale(0, 240, 40, 1000);
    for (let frame = 0; frame <= 240; frame++) {
        assert.equal(ruler.frameAt(axis, axis.at(frame), 0, 240), frame);
    }
    assert.equal(ruler.frameAt(axis, -500, 0, 240), 0);
    assert.equal(ruler.frameAt(axis, 5000, 0, 240), 240);
    const all = {first: 0, last: 100};
    const near = ruler.zoomed(all, 30, 0.5, all);
    assert.deepEqual(near, {first: 15, last: 65}, 'the frame under the pointer stays there');
    assert.deepEqual(ruler.moved(near, -40, all), {first: 0, last: 50});
    assert.deepEqual(ruler.moved(near, 90, all), {first: 50, last: 100});
    assert.equal(ruler.zoomed(near, 30, 2.5, all), null, 'all of it');
    const flat = ruler.rangeOf([[2, 2, NaN]]);
    assert.ok(flat.low < 2 && flat.high > 2);
});

const measured = {
    rate: 24,
    from: 0,
    frames: [4, 5, 6],
    times: [4 / 24, 5 / 24, 6 / 24],
    muscles: {
        biceps: {
            rest_volume: 2,
            rest_length: 0.3,
            volume: [2, 2.02, 2.04],
            length: [0.3, 0.29, 0.28],
            shortening: [0, 0.1, 0.2],
            activation: null,
            swing: [0, 0.001, 0.002]
        },
        'a,"b"': {
            rest_length: 0.1,
            volume: null,
            length: [0.1, 0.1, 0.1],
            shortening: [0, 0, 0],
            activation: [0, 0.5, 1],
            swing: null
        }
    },
    stages: {pose: [0.1, 0.2, 0.3]}
};
const quantity = (wanted) => series.QUANTITIES.find(({id}) => id === wanted);

test('lines of a plot are in the unit of its axis; an open muscle has no volume', () => {
    const volumes = series.linesOf(measured, quantity('volume'));
    assert.deepEqual(
        volumes.map(({name}) => name),
        ['biceps']
    );
    volumes[0].values.forEach((value, index) => assert.ok(Math.abs(value - index) < 1e-9));
    assert.deepEqual(series.linesOf(measured, quantity('stages'), []), [
        {name: 'pose', values: [0.1, 0.2, 0.3]}
    ]);
    assert.deepEqual(
        series.linesOf(measured, quantity('length'), ['a,"b"'])[0].values,
        [100, 100, 100]
    );
    assert.deepEqual(series.mostMoved(measured, quantity('length'), 1), ['biceps']);
});

const part = (values, from, to) => values && values.slice(from, to);
const piece = (from, to) => ({
    rate: 24,
    from,
    frames: part(measured.frames, from, to),
    times: part(measured.times, from, to),
    muscles: Object.fromEntries(
        Object.entries(measured.muscles).map(([name, muscle]) => [
            name,
            Object.fromEntries(
                Object.entries(muscle).map(([key, value]) => [
                    key,
                    Array.isArray(value) ? part(value, from, to) : value
                ])
            )
        ])
    ),
    stages: {pose: part(measured.stages.pose, from, to)}
});

test('moment arms are lines about one coordinate, grow by pieces, and are columns', () => {
    const arms = (...values) => ({
        rate: 24,
        from: values[0],
        frames: values,
        times: values,
        muscles: {
            a: {length: values, moment_arms: {knee: values.map((value) => value / 100), hip: values}},
            b: {length: values}
        },
        stages: {total: values}
    });
    const all = series.grown(series.grown(null, arms(0, 1)), arms(2));
    assert.deepEqual(series.coordinatesOf(all), ['knee', 'hip']);
    assert.deepEqual(series.coordinatesOf(null), []);
    const about = (coordinate) => ({...quantity('moment_arms'), coordinate});
    assert.deepEqual(series.linesOf(all, about('knee')), [{name: 'a', values: [0, 10, 20]}]);
    assert.deepEqual(series.linesOf(all, about('elbow')), []);
    const [head, first] = series.csvOf(all).split('\n');
    assert.equal(head, 'frame,time,a length,b length,a moment arm knee,a moment arm hip,total ms');
    assert.equal(first, '0,0,0,0,0,0,0');
});

test('of a long clip the pieces are the whole; what was missed is told', () => {
    const piece = (from, frames) => ({
        from,
        rate: 30,
        frames,
        times: frames,
        muscles: {a: {length: frames}},
        stages: {total: frames}
    });
    const thin = {...piece(0, [0, 2, 4]), step: 2};
    const all = series.grown(series.grown(null, piece(0, [0, 1, 2])), piece(3, [3, 4]));
    assert.deepEqual(series.whole(all, thin).frames, [0, 1, 2, 3, 4]);
    assert.equal(series.framesText(series.whole(all, thin)), '5 frames');
    assert.deepEqual(series.whole(null, thin).frames, [0, 2, 4]);
    assert.equal(series.framesText(series.whole(null, thin)), '3 frames, every 2nd of the clip');
    assert.deepEqual(series.whole(null, {...piece(0, [0, 1]), step: 1}).muscles.a.length, [0, 1]);
});

test('the list of steps follows edits, drags, undo and redo without asking', () => {
    const known = {steps: ['a', 'b'], position: 2};
    const at = (label, count) => ({label, count});
    const after = (undo, redo = null) => followedSteps(known, {undo, redo});
    assert.deepEqual(after(at('c', 3)), {steps: ['a', 'b', 'c'], position: 3});
    assert.deepEqual(after(at('b more', 2)), {steps: ['a', 'b more'], position: 2});
    assert.deepEqual(after(at('a', 1), at('b', 1)), {steps: ['a', 'b'], position: 1});
    assert.deepEqual(after(null, at('a', 2)), {steps: ['a', 'b'], position: 0});
    const undone = {steps: ['a', 'b'], position: 1};
    assert.deepEqual(followedSteps(undone, {undo: at('c', 2), redo: null}), {
        steps: ['a', 'c'],
        position: 2
    });
    assert.equal(after(at('z', 9)), null, 'more than one step further');
    assert.equal(after(at('a', 1), at('b', 5)), null, 'steps that nobody told of');
});

test('the range that plays keeps two frames, and is none where it is the whole clip', () => {
    const time = (range) => ({first: 0, last: 20, range});
    assert.deepEqual(ruler.movedRange(time(null), 'first', 5), [5, 20]);
    assert.deepEqual(ruler.movedRange(time([5, 10]), 'first', 15), [9, 10]);
    assert.deepEqual(ruler.movedRange(time([5, 10]), 'last', 2), [5, 6]);
    assert.equal(ruler.movedRange(time([0, 10]), 'last', 99), null);
    assert.deepEqual(ruler.movedRange(time([0, 10]), 'first', -3), [0, 10]);
});

test('Up and Down go to the nearest key of the next lane that has any', () => {
    const lane = (...times) => ({track: {keys: times.map((time) => [time, 0])}});
    const rows = [lane(0, 1), lane(), lane(0.2, 0.9, 2)];
    assert.deepEqual(keys.nextLaneKey(rows, 0, 1, 1), {row: 2, index: 1});
    assert.deepEqual(keys.nextLaneKey(rows, 2, -1, 0.2), {row: 0, index: 0});
    assert.equal(keys.nextLaneKey(rows, 2, 1, 0), null);
});

test('sections say how many parts their entries stand for', () => {
    const kind = (document, path) => outline.outline(document).find((row) => row.path === path).kind;
    assert.equal(kind(human, '/muscles'), '66 (132)');
    assert.equal(kind(arm, '/muscles'), String(Object.keys(arm.muscles).length));
    assert.equal(outline.countText({'a #': {repeat: 3, mirror: true}, b: {chain: 2}}), '2 (8)');
});

test('an entry with a number for a name keeps it, and its copy claims no place', () => {
    const document = {muscles: {12: {kind: 'patch'}}, drivers: [{control: 'fist'}]};
    assert.equal(outline.entryName(document, '/muscles/12'), '12');
    assert.equal(outline.entryName(document, '/drivers/0'), 'fist');
    const copy = names.copyOf(document, '/muscles/12', document.muscles[12]);
    assert.equal(copy.index, undefined);
    assert.equal(names.copyOf({muscles: {a: {}}}, '/muscles/a', {}).index, 1);
});

test('a measurement grows by its pieces to the whole', () => {
    const first = series.grown(null, piece(0, 1));
    assert.deepEqual(first.frames, [4]);
    const whole = series.grown(first, piece(1, 3));
    const {from, ...expected} = measured;
    assert.deepEqual(whole, expected);
    assert.deepEqual(series.grown(whole, piece(0, 2)).frames, [4, 5], 'a new one begins anew');
});

test('the swing of fibres is in millimetres, and others have none', () => {
    assert.deepEqual(series.linesOf(measured, quantity('swing')), [
        {name: 'biceps', values: [0, 1, 2]}
    ]);
    assert.match(series.csvOf(measured).split('\n')[0], /biceps swing/);
});

test('lines that have the same colour have different dashes', () => {
    const looks = Array.from({length: 32}, (_, index) => series.lineStyle(index));
    assert.equal(new Set(looks.map((look) => JSON.stringify(look))).size, 32);
    assert.notDeepEqual(looks[0].dash, looks[1].dash);
});

test('a table of all that was measured', () => {
    const lines = series.csvOf(measured).trim().split('\n');
    assert.equal(lines.length, 4);
    assert.ok(lines[0].startsWith('frame,time,biceps volume,biceps length,biceps shortening,'));
    assert.ok(lines[0].includes('"a,""b"" activation"'));
    assert.ok(!lines[0].includes('""b"" volume'));
    const [frame, time, volume] = lines[2].split(',').map(Number);
    assert.deepEqual([frame, time, volume], [5, 5 / 24, 2.02]);
});

test('new names are free, new entries say what they lack, copies stand behind', () => {
    assert.deepEqual(names.newEntry({name: 'x'}, 'controls').path, '/controls/control');
    assert.match(names.newEntry({name: 'x'}, 'drivers').reason, /needs a control/);
    const driver = names.newEntry({...arm, drivers: []}, 'drivers');
    assert.equal(driver.value.control, Object.keys(arm.controls)[0]);
    const copy = names.copyOf(arm, '/controls/biceps', arm.controls.biceps);
    assert.equal(copy.path, '/controls/biceps 2');
    assert.equal(copy.index, Object.keys(arm.controls).indexOf('biceps') + 1);
    assert.deepEqual(names.documentNames(arm, ['muscles']), Object.keys(arm.muscles));
    assert.ok(names.documentNames(arm, ['parameters']).includes('forearm.rx_deg'));
});

const byName = (...from) => ({type: 'string', 'x-name-of': from});
const small = {
    properties: {
        skeleton: {additionalProperties: {properties: {parent: byName('segments')}}},
        muscles: {additionalProperties: {properties: {contraction: byName('controls')}}},
        controls: {additionalProperties: {}},
        synergies: {
            items: {
                properties: {
                    control: byName('controls'),
                    spread: {propertyNames: {'x-name-of': ['parameters']}, additionalProperties: {}}
                }
            }
        },
        skins: {
            additionalProperties: {
                properties: {
                    deformers: {
                        items: {
                            required: ['muscles'],
                            properties: {muscles: {type: 'array', items: byName('muscles')}}
                        }
                    }
                }
            }
        }
    }
};
const named = {
    skeleton: {'arm.L': {mirror: true}, 'hand.R': {parent: 'arm.R'}},
    muscles: {biceps: {contraction: 'arm.L'}, triceps: {}},
    controls: {'arm.L': {}, curl: {}},
    synergies: [{control: 'curl', spread: {'arm.L.rx_deg': 1, 'arm.R.rx_deg': 1, 'arm.L': 2}}],
    skins: {body: {deformers: [{muscles: ['biceps', 'triceps']}, {muscles: ['biceps']}]}}
};

test('renaming changes all that names the entry, and nothing of another section', () => {
    const ops = references.renameOps(small, named, '/skeleton/arm.L', 'wing.L');
    const after = apply(named, ops);
    assert.deepEqual(Object.keys(after.skeleton), ['wing.L', 'hand.R']);
    assert.equal(after.skeleton['hand.R'].parent, 'wing.R', 'its mirror image, too');
    assert.equal(after.muscles.biceps.contraction, 'arm.L', 'a control of the same name');
    assert.deepEqual(Object.keys(after.synergies[0].spread).slice(0, 2), [
        'wing.L.rx_deg',
        'wing.R.rx_deg'
    ]);
    const control = apply(named, references.renameOps(small, named, '/controls/arm.L', 'x'));
    assert.deepEqual(Object.keys(control.synergies[0].spread), [
        'arm.L.rx_deg',
        'arm.R.rx_deg',
        'x'
    ]);
    assert.equal(control.muscles.biceps.contraction, 'x');
});

test('repeated entries keep their numbers when they are renamed', () => {
    const renamed = (text, part = false) =>
        references.renamedText(text, 'caudal #', 'tail #', {part});
    assert.equal(renamed('caudal 12'), 'tail 12');
    assert.equal(renamed('caudal 3.rx_deg', true), 'tail 3.rx_deg');
    assert.equal(renamed('caudal #.ty', true), 'tail #.ty');
    assert.equal(renamed('caudal'), null);
});

test('deleting takes names out of lists, and what cannot be without them', () => {
    const ops = references.deleteOps(small, named, '/muscles/biceps');
    const after = apply(named, ops);
    assert.deepEqual(Object.keys(after.muscles), ['triceps']);
    assert.deepEqual(after.skins.body.deformers, [{muscles: ['triceps']}]);
    const listed = references.deleteOps(small, named, '/synergies/0');
    assert.deepEqual(apply(named, listed).synergies, []);
});

test('keys go into the clip that plays, a new one where there is none, never into a file', () => {
    const bare = {name: 'x', controls: {curl: {}}};
    const first = keyOps.keyOps(bare, null, 7, {curl: 0.5});
    const made = apply(bare, first.ops);
    assert.deepEqual(made.clips[first.clip].tracks, {curl: {keys: [[0, 0.5]]}});
    const second = keyOps.keyOps(made, first.clip, 15, {curl: 1, 'arm.rx_deg': 90});
    const {tracks} = apply(made, second.ops).clips[first.clip];
    assert.deepEqual(tracks.curl.keys, [
        [0, 0.5],
        [0.5, 1]
    ]);
    assert.deepEqual(tracks['arm.rx_deg'].keys, [[0.5, 90]]);
    const radians = {clips: {a: {rate: 10, tracks: {'arm.rx': {keys: [[0, 0]]}}}}};
    const turned = apply(radians, keyOps.keyOps(radians, 'a', 10, {'arm.rx_deg': 180}).ops);
    assert.deepEqual(turned.clips.a.tracks, {
        'arm.rx': {
            keys: [
                [0, 0],
                [1, Math.PI]
            ]
        }
    });
    assert.match(keyOps.keyOps({clips: {a: {file: 'a.bvh'}}}, 'a', 0, {curl: 1}).reason, /file/);
});

test('a dropped file becomes a clip with a free name', () => {
    const document = {clips: {walk: {file: 'walk.bvh'}}};
    const {name, ops} = keyOps.fileClipOps(document, 'motions/walk.sinew.json');
    assert.equal(name, 'walk 2');
    assert.deepEqual(apply(document, ops).clips[name], {file: 'motions/walk.sinew.json'});
    assert.deepEqual(Object.keys(apply({}, keyOps.fileClipOps({}, 'a.bvh').ops).clips), ['a']);
});

test('the first motion of another model gives a relax to skins that weights move', () => {
    const skin = (...kinds) => ({deformers: kinds.map((kind) => ({kind}))});
    const document = {
        meshes: {body: {file: 'body.glb'}},
        skins: {
            body: skin('morph', 'blend'), bulging: skin('blend', 'falloff'),
            folds: skin('blend', 'relax'), soft: skin('blend', 'implicit'),
            extracted: skin('membrane'), still: {},
        },
        clips: {own: {file: 'body.glb', clip: 'walk'}, keys: {tracks: {}}},
    };
    const skins = skinsToRelax(document, 'walk.bvh');
    assert.deepEqual(skins, ['body', 'bulging']);
    const after = apply(document, relaxOps(skins));
    assert.deepEqual(after.skins.bulging, skin('blend', 'falloff', 'relax'));
    assert.deepEqual(after.skins.folds, document.skins.folds);
    assert.deepEqual(skinsToRelax(document, 'body.glb'), [], 'clips of its own play as made');
    assert.deepEqual(skinsToRelax(document, 'gait.mot'), [], 'columns are the character\'s own');
    const clips = {...document.clips, run: {file: 'run.bvh'}};
    assert.deepEqual(skinsToRelax({...document, clips}, 'walk.bvh'), [],
        'a relax that was taken away stays away');
    assert.deepEqual(skinsToRelax({}, 'walk.bvh'), []);
});

test('joint sliders are in degrees, within the limits; locked ones are told', () => {
    const limits = {rx: [0, Math.PI / 2], ry: [0, 0], rz: null};
    const all = joints.jointParameters({name: 'forearm', limits, rest: [0.1]});
    const [rx, ry, rz, tx] = all;
    assert.equal(all.length, 9);
    assert.equal(rx.name, 'forearm.rx_deg');
    assert.ok(Math.abs(rx.high - 90) < 1e-9 && Math.abs(rx.rest - 18 / Math.PI) < 1e-9);
    assert.deepEqual([rx.locked, ry.locked, rz.locked], [false, true, false]);
    assert.deepEqual([rz.low, rz.high, tx.name, tx.unit], [-180, 180, 'forearm.tx', 'm']);
    const half = joints.jointParameters({name: 'a', limits: {rx: [null, Math.PI / 4]}})[0];
    assert.deepEqual([half.low, Math.round(half.high)], [-180, 45], 'free on one side');
});

test('controls stand in their groups; driven ones say by what', () => {
    const controls = [{name: 'a', group: 'x'}, {name: 'b'}, {name: 'c', group: 'x'}];
    assert.deepEqual(
        joints.grouped(controls).map(([group, list]) => [group, list.length]),
        [
            ['x', 2],
            ['', 1]
        ]
    );
    assert.deepEqual(joints.grouped(controls, 'C X')[0][1], [controls[2]]);
    assert.equal(
        joints.drivenReason(arm, {name: 'biceps', driven: true}),
        'Computed from forearm.rx_deg'
    );
    assert.equal(joints.drivenReason(arm, {name: 'biceps', driven: false}), '');
});

test('time that is left, in words', () => {
    assert.equal(leftText(null), '');
    assert.equal(leftText(12.4), '12 s left');
    assert.equal(leftText(600), '10 min left');
});

test('several points move together in x and in value, and others give way', () => {
    const curves = {a: [[0, 0], [1, 1], [2, 0]], b: [[0.5, 10], [2, 20]], c: [[0, 5]]};
    const chosen = [{name: 'a', index: 1}, {name: 'b', index: 0}];
    const moved = points.movedPoints(curves, chosen, 1, (name) => (name === 'a' ? 2 : 20),
        {least: 0, same: 1e-6});
    assert.deepEqual(moved.curves, {a: [[0, 0], [2, 3]], b: [[1.5, 30], [2, 20]]});
    assert.deepEqual(moved.chosen, [{name: 'a', index: 1}, {name: 'b', index: 0}]);
    // The first stops at the least x, and all keep their distances.
    const back = points.movedPoints(curves, chosen, -3, () => 0, {least: 0, same: 1e-6});
    assert.deepEqual(back.curves, {a: [[0, 0], [0.5, 1], [2, 0]], b: [[0, 10], [2, 20]]});
    // They may pass others.
    const past = points.movedPoints(curves, [{name: 'a', index: 0}], 1.5, () => 0, {same: 1e-6});
    assert.deepEqual(past, {curves: {a: [[1, 1], [1.5, 0], [2, 0]]}, chosen: [{name: 'a', index: 1}]});
});

test('points are copied, pasted and deleted', () => {
    const curves = {a: [[0, 0], [1, 1]], b: [[0.5, 10]]};
    const copied = points.copiedPoints(curves, [{name: 'b', index: 0}, {name: 'a', index: 1}]);
    assert.deepEqual(copied, [{name: 'b', x: 0, y: 10}, {name: 'a', x: 0.5, y: 1}]);
    const pasted = points.pastedPoints({a: [[0, 0], [2.5, 7]]}, copied, 2, {same: 1e-6});
    assert.deepEqual(pasted.curves, {b: [[2, 10]], a: [[0, 0], [2.5, 1]]});
    assert.deepEqual(pasted.chosen, [{name: 'b', index: 0}, {name: 'a', index: 1}]);
    assert.deepEqual(points.withoutPoints(curves, [{name: 'a', index: 0}]), {a: [[1, 1]]});
    assert.deepEqual(points.withValues(curves, [{name: 'a', index: 0}], () => 3),
        {a: [[0, 3], [1, 1]]});
    const clip = {tracks: {a: {keys: curves.a}, b: {keys: curves.b}}};
    assert.deepEqual(keyOps.setKeysOps(clip, 'walk', {a: [], b: [[1, 2]], c: [[0, 1]]}), [
        {path: '/clips/walk/tracks/a', gone: true},
        {path: '/clips/walk/tracks/b/keys', value: [[1, 2]]},
        {path: '/clips/walk/tracks/c', value: {keys: [[0, 1]]}}
    ]);
});

test('angles of joints are shown in degrees, whatever the document keeps', () => {
    const text = (name, value, controls) => units.shownText(value, units.shownAs(name, controls));
    assert.equal(text('forearm.rx', Math.PI / 2), '90°');
    assert.equal(text('forearm.rx_deg', 90), '90°');
    assert.equal(text('arm.L.ty', 0.25), '0.25 m');
    assert.equal(text('arm.L.sx', 2), '2');
    assert.equal(text('fist', 0.5), '0.5');
    assert.equal(text('knee', 30, {knee: {unit: 'deg'}}), '30°');
    assert.equal(text('a.rx', 1, {'a.rx': {}}), '1', 'a control of that name');
});

test('curves between points are those of the library', () => {
    const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-12, `${a} is not ${b}`);
    const list = [[0, 0], [1, 2], [3, 2], [4, 0]];
    assert.equal(curveThrough(list, 'stepped')(0.9), 0);
    assert.equal(curveThrough(list, 'linear')(0.5), 1);
    assert.equal(curveThrough(list, 'linear')(9), 0, 'constant outside');
    const smooth = curveThrough(list, 'smooth');
    near(smooth(2), 2); // a plateau stays one
    assert.ok([0.1, 0.5, 0.9].every((x) => smooth(x) > 0 && smooth(x) < 2));
    // Through points of a cubic the spline is that cubic, and goes on straight beyond its ends.
    const cubic = (x) => x ** 3 - 2 * x;
    const spline = curveThrough([-2, -1, 0.5, 1, 3].map((x) => [x, cubic(x)]), 'spline');
    [-1.7, 0, 0.7, 2.2].forEach((x) => near(spline(x), cubic(x)));
    near(spline(4), cubic(3) + 25);
    near(curveThrough([[0, 1], [2, 5]], 'spline')(3), 7);
    assert.equal(curveThrough([[1, 3]], 'smooth')(7), 3);
});

test('several entries are deleted at once, those of a list from its end', () => {
    const document = {
        controls: {a: {}, b: {}},
        drivers: [{control: 'a', parameter: 'x.rx'}, {control: 'b', parameter: 'x.ry'},
            {control: 'c', parameter: 'x.rz'}],
        skins: {skin: {mesh: 'm', deformers: [{kind: 'blend'}]}}
    };
    const paths = ['/drivers/0', '/drivers/2', '/skins/skin', '/skins/skin/deformers/0'];
    const ops = references.deleteManyOps(schema, document, paths);
    const left = apply(document, ops);
    assert.deepEqual(left.drivers, [{control: 'b', parameter: 'x.ry'}]);
    assert.deepEqual(left.skins, {});
});
