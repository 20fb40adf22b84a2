// SPDX-License-Identifier: Apache-2.0
//
// The timeline: exact frames, keyframes on any parameter, clips by drag and drop.
import {studioTest} from './harness.mjs';
import {
    cachedFrame,
    changing,
    documentOf,
    picture,
    select,
    shownFrame,
    sinew,
    turn,
    undoAll
} from './panels.mjs';
import assert from 'node:assert/strict';
import {readFile, readdir, writeFile} from 'node:fs/promises';

/** The bits of the points of a surface that the page shows. */
function bits(page, path) {
    return page.evaluate((each) => {
        const {points} = window.sinewStudio.active.model.byPath(each);
        return [...new Uint32Array(points.buffer, points.byteOffset, points.length)];
    }, path);
}

/** Presses the ruler where a frame stands. */
async function pressRuler(page, frame) {
    const ruler = page.getByRole('slider', {name: 'Playhead'});
    await page.waitForFunction(
        ([element, last]) => Number(element.getAttribute('aria-valuemax')) >= last,
        [await ruler.elementHandle(), Math.max(frame, 1)]
    );
    const box = await ruler.boundingBox();
    const [low, high] = await Promise.all(
        ['aria-valuemin', 'aria-valuemax'].map(async (name) =>
            Number(await ruler.getAttribute(name))
        )
    );
    const x = box.x + 18 + ((frame - low) / (high - low)) * (box.width - 36);
    await page.mouse.click(x, box.y + box.height / 2);
}

studioTest(
    'a frame that is scrubbed to has the vertices of sinew run, to the bit',
    {open: 'arm'},
    async ({page, server, screenshot}) => {
        const cache = server.path('curl.pc2');
        await sinew('run', server.path('arm', 'arm.sinew.json'), '-o', cache, '--quiet');
        const bytes = await readFile(cache);
        const last = await page.evaluate(() => window.sinewStudio.time.last);
        assert.equal(bytes.readInt32LE(28), last + 1, 'as many frames as the file has');
        for (const frame of [17, 3, last, 0, 28]) {
            await pressRuler(page, frame);
            await shownFrame(page, frame);
            assert.deepEqual(
                await bits(page, '/skins/skin'),
                [...cachedFrame(bytes, frame)],
                `frame ${frame}`
            );
        }
        await page.getByRole('textbox', {name: 'Frame', exact: true}).fill('11');
        await page.keyboard.press('Enter');
        await shownFrame(page, 11);
        assert.deepEqual(await bits(page, '/skins/skin'), [...cachedFrame(bytes, 11)]);
        await picture(page, screenshot, 'scrub');
    }
);

studioTest('play, pause, step, first and last, loop', {open: 'arm'}, async ({page}) => {
    const time = () => page.evaluate(() => window.sinewStudio.time);
    const {last} = await time();
    await page.getByRole('button', {name: 'Play', exact: true}).click();
    await page.waitForFunction(
        () => window.sinewStudio.time.playing && window.sinewStudio.time.frame > 2
    );
    await page.getByRole('button', {name: 'Pause', exact: true}).click();
    await page.waitForFunction(() => !window.sinewStudio.time.playing);
    await page.getByRole('button', {name: 'First frame'}).click();
    await shownFrame(page, 0);
    await page.getByRole('button', {name: 'Next frame'}).click();
    await shownFrame(page, 1);
    await page.getByRole('button', {name: 'Last frame'}).click();
    await shownFrame(page, last);
    await page.locator('.viewport canvas').first().focus();
    await page.keyboard.press('ArrowLeft');
    await shownFrame(page, last - 1);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.sinewStudio.time.playing);
    await page.waitForFunction((end) => window.sinewStudio.time.frame < end - 1, last, {
        polling: 10
    });
    await page.keyboard.press('Space');
    await page.waitForFunction(() => !window.sinewStudio.time.playing);
    await page.getByRole('button', {name: 'Loop'}).click();
    await page.waitForFunction(() => window.sinewStudio.time.loop === false);
    await page.getByRole('combobox', {name: 'Speed'}).selectOption('4');
    await page.waitForFunction(() => window.sinewStudio.time.speed === 4);
    await page.getByRole('button', {name: 'Play', exact: true}).click();
    await page.waitForFunction(
        (end) => !window.sinewStudio.time.playing && window.sinewStudio.time.frame === end,
        last
    );
});

/** Puts a key with a slider's diamond; with a value, it is held by the slider before. */
async function keyControl(page, name, value = null) {
    const slot = page.locator(`.parameter-row[data-parameter="${name}"]`);
    if (value !== null) {
        await slot.getByRole('spinbutton').fill(String(value));
        await slot.getByRole('spinbutton').press('Enter');
        await page.waitForFunction(
            ([each, wanted]) => window.sinewStudio.active.held[each] === wanted,
            [name, value]
        );
    }
    const key = slot.getByRole('button', {name: `Key ${name} at this frame`});
    await changing(page, () => key.click());
    await page.waitForFunction((each) => !(each in window.sinewStudio.active.held), name);
}

const control = (page, name) =>
    page.evaluate((each) => {
        const {model, frame} = window.sinewStudio.active;
        return frame.controls[model.controlIndex(each)];
    }, name);

studioTest(
    'keyframes on a parameter play, move and go',
    {open: 'arm'},
    async ({page, screenshot}) => {
        const opened = await documentOf(page);
        await page.getByTestId('clip-picker').click();
        await changing(page, () =>
            page.getByRole('menuitem', {name: 'New clip for keyframes'}).click()
        );
        await page.waitForFunction(() => window.sinewStudio.active.model.clip?.name === 'clip');
        await page.getByRole('tab', {name: 'Controls'}).click();
        await keyControl(page, 'fist');
        await pressRuler(page, 20);
        await shownFrame(page, 20);
        await keyControl(page, 'fist', 1);
        assert.deepEqual((await documentOf(page)).clips.clip.tracks.fist.keys, [
            [0, 0],
            [20 / 30, 1]
        ]);
        await pressRuler(page, 5);
        await shownFrame(page, 5);
        assert.ok(Math.abs((await control(page, 'fist')) - 0.25) < 1e-6);
        await picture(page, screenshot, 'keys');

        const steps = await page.evaluate(() => window.sinewStudio.active.undo.count);
        const key = page.getByRole('button', {name: /fist, key at frame 20/});
        const box = await key.boundingBox();
        const ruler = await page.getByRole('slider', {name: 'Playhead'}).boundingBox();
        const frameWidth = (ruler.width - 36) / 59;
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        await page.mouse.move(x, y);
        await page.mouse.down();
        await changing(page, async () => {
            for (let step = 1; step <= 10; step++) {
                await page.mouse.move(x + frameWidth * step + 2, y);
                await turn(page);
            }
            await page.mouse.up();
        });
        await page.waitForFunction(
            () => Math.abs(window.sinewStudio.get('/clips/clip/tracks/fist/keys/1/0') - 1) < 1e-9
        );
        assert.equal(
            await page.evaluate(() => window.sinewStudio.active.undo.count),
            steps + 1,
            'a drag is one step'
        );

        const moved = page.getByRole('button', {name: /fist, key at frame 30/});
        await moved.hover();
        await page.mouse.down();
        await changing(page, () => page.mouse.move(x, y, {steps: 5}));
        await changing(page, () => page.keyboard.press('Escape'));
        await page.mouse.move(x + 40, y);
        await page.mouse.up();
        await page.waitForFunction(
            (count) => window.sinewStudio.active.undo.count === count,
            steps + 1
        );
        assert.equal((await documentOf(page)).clips.clip.tracks.fist.keys[1][0], 1, 'given up');

        const value = page.getByRole('spinbutton', {name: 'Value of the key of fist'});
        await value.fill('0.5');
        await changing(page, () => value.press('Enter'));
        assert.deepEqual((await documentOf(page)).clips.clip.tracks.fist.keys, [
            [0, 0],
            [1, 0.5]
        ]);
        await page.getByRole('button', {name: /fist, key at frame 30/}).focus();
        await changing(page, () => page.keyboard.press('Delete'));
        assert.deepEqual((await documentOf(page)).clips.clip.tracks.fist.keys, [[0, 0]]);
        await undoAll(page);
        assert.deepEqual(await documentOf(page), opened);
    }
);

studioTest(
    'a joint of the selected segment is keyed from its slider',
    {open: 'arm'},
    async ({page}) => {
        await page.getByTestId('clip-picker').click();
        await changing(page, () =>
            page.getByRole('menuitem', {name: 'New clip for keyframes'}).click()
        );
        await page.waitForFunction(() => window.sinewStudio.active.model.clip?.name === 'clip');
        await select(page, '/skeleton/forearm');
        await page.getByRole('tab', {name: 'Controls'}).click();
        const more = page.locator('.joint-body details details');
        await more.locator('summary').click();
        await keyControl(page, 'forearm.rx_deg', 90);
        assert.ok(await more.evaluate((each) => each.open), 'a new model leaves the sliders alone');
        const {tracks} = (await documentOf(page)).clips.clip;
        assert.deepEqual(tracks, {'forearm.rx_deg': {keys: [[0, 90]]}});
        await page.waitForFunction(() => {
            const {model, frame} = window.sinewStudio.active;
            const angle = frame.joints[9 * model.segmentIndex('forearm')];
            return frame.model === model.serial && Math.abs(angle - Math.PI / 2) < 1e-6;
        });
        // With auto-key posing alone writes the key, and nothing stays held.
        await page.getByRole('button', {name: /^Auto-key/}).click();
        await page.evaluate(() => window.sinewStudio.seek(30));
        await shownFrame(page, 30);
        const angle = page.getByRole('spinbutton', {name: 'forearm.rx_deg', exact: true});
        await angle.fill('45');
        await changing(page, () => angle.press('Enter'));
        const keyed = (await documentOf(page)).clips.clip.tracks['forearm.rx_deg'].keys;
        assert.deepEqual(keyed, [
            [0, 90],
            [1, 45]
        ]);
        await page.waitForFunction(() => Object.keys(window.sinewStudio.active.held).length === 0);
        // The part of the clip that plays.
        const range = (wanted) =>
            page.waitForFunction(
                (each) => JSON.stringify(window.sinewStudio.time.range) === each,
                JSON.stringify(wanted)
            );
        await page.getByRole('slider', {name: 'Playhead'}).focus();
        await page.keyboard.press('Control+End');
        await range([0, 30]);
        await page.getByRole('slider', {name: 'First frame that plays'}).press('ArrowRight');
        await range([1, 30]);
        await page.keyboard.press('Shift+ArrowLeft');
        await shownFrame(page, 1);
        await page.keyboard.press('Alt+p');
        await range(null);
    }
);

const MOTION = [
    'squeeze',
    'version=1',
    'nRows=3',
    'nColumns=2',
    'inDegrees=yes',
    'endheader',
    'time\tfist',
    '0\t0',
    '0.5\t1',
    '1\t0',
    ''
].join('\n');

/** Drops a file onto the window, as a file manager does. */
function drop(page, name, text) {
    return page.evaluate(
        ([file, content]) => {
            const data = new DataTransfer();
            data.items.add(new File([content], file));
            for (const type of ['dragover', 'drop']) {
                document.body.dispatchEvent(
                    new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true})
                );
            }
        },
        [name, text]
    );
}

studioTest(
    'a motion file that is dropped becomes a clip and plays',
    {open: 'arm'},
    async ({page, server, screenshot}) => {
        const opened = await documentOf(page);
        const beside = await readdir(server.path('arm'));
        await changing(page, () => drop(page, 'squeeze.mot', MOTION));
        await page.waitForFunction(
            () =>
                window.sinewStudio.active.model.clip?.name === 'squeeze' &&
                window.sinewStudio.time.playing
        );
        const after = await documentOf(page);
        const {file} = after.clips.squeeze;
        assert.ok(file.startsWith(`${server.state}/uploads/`), file);
        assert.equal(String(await readFile(file)), MOTION);
        await page.getByText('squeeze.mot is copied beside the document when you save it').waitFor();
        assert.deepEqual(await readdir(server.path('arm')), beside, 'nothing is written here yet');
        await page.getByRole('button', {name: 'Pause', exact: true}).click();
        const rate = await page.evaluate(() => window.sinewStudio.time.rate);
        await page.evaluate((frame) => window.sinewStudio.seek(frame), Math.round(rate / 2));
        await shownFrame(page, Math.round(rate / 2));
        assert.ok((await control(page, 'fist')) > 0.9);
        assert.equal(await page.evaluate(() => window.sinewStudio.active.undo.count), 1);
        await undoAll(page);
        assert.deepEqual(await documentOf(page), opened);
        await page.keyboard.press('Control+s');
        await page.getByText('Saved arm.sinew.json.').waitFor();
        assert.deepEqual(await readdir(server.path('arm')), beside, 'undo took it away');
        await page.keyboard.press('Control+Shift+z');
        await page.waitForFunction(() => window.sinewStudio.get('/clips/squeeze') !== undefined);
        await page.keyboard.press('Control+s');
        await page.getByText(/copied to .*squeeze\.mot/).waitFor();
        await screenshot('dropped');
        assert.equal(String(await server.read('arm', 'squeeze.mot')), MOTION);
        const saved = JSON.parse(await server.read('arm', 'arm.sinew.json'));
        assert.deepEqual(saved.clips.squeeze, {file: 'squeeze.mot'});
    }
);

studioTest(
    'the first motion of another body evens out the skins that its bones fold',
    {},
    async ({page, call, server}) => {
        const person = JSON.parse(await server.read('person', 'person.sinew.json'));
        delete person.clips;
        const path = server.path('person', 'bare.sinew.json');
        await writeFile(path, JSON.stringify(person));
        await call('open', {slot: 0, path});
        await page.waitForFunction(() => window.sinewStudio.active.model !== null);
        const opened = await documentOf(page);
        const drops = async (name) => {
            const text = String(await server.read('motions', `${name}.bvh`));
            await changing(page, () => drop(page, `${name}.bvh`, text));
            await page.waitForFunction((clip) =>
                window.sinewStudio.active.model.clip?.name === clip, name);
            return documentOf(page);
        };
        const squat = await drops('squat');
        await page.getByText(/2 skins have a relax now/).waitFor();
        for (const {deformers} of Object.values(squat.skins)) {
            assert.deepEqual(deformers.map(({kind}) => kind), ['blend', 'relax']);
        }
        const wave = await drops('wave');
        assert.deepEqual(wave.skins, squat.skins, 'the second motion adds nothing');
        assert.deepEqual(Object.keys(wave.clips), ['squat', 'wave']);
        assert.equal(await page.evaluate(() => window.sinewStudio.active.undo.count), 2);
        await undoAll(page);
        assert.deepEqual(await documentOf(page), opened);
    }
);

studioTest('a file that is no motion is refused in a sentence', {open: 'arm'}, async (studio) => {
    const {page, screenshot} = studio;
    const opened = await documentOf(page);
    const refused = {
        'empty.bvh': ['', 'empty.bvh is empty: there is nothing to read in it.'],
        'junk.bvh': ['hello', 'junk.bvh cannot be played (line 1): expected HIERARCHY, found "hello".'],
        'junk.glb': ['hello', 'junk.glb cannot be played: this is not a glTF file: it begins with ' +
            'neither "glTF", as .glb does, nor "{", as .gltf does.'],
    };
    for (const [name, [text, sentence]] of Object.entries(refused)) {
        await drop(page, name, text);
        await page.getByText(sentence, {exact: true}).waitFor();
    }
    await screenshot('refused');
    assert.deepEqual(await documentOf(page), opened, 'no clip that cannot be played');
    assert.equal(await page.evaluate(() => window.sinewStudio.slots[0].model.clip.name), 'curl');
});

studioTest(
    'a motion from a file is baked to keys, which can be edited',
    {open: 'arm'},
    async ({page, screenshot}) => {
        await changing(page, () => drop(page, 'squeeze.mot', MOTION));
        await page.waitForFunction(() => window.sinewStudio.active.model.clip?.name === 'squeeze');
        await page.getByRole('button', {name: 'Pause', exact: true}).click();
        await picture(page, screenshot, 'bake-offer');
        await changing(page, () => page.getByRole('button', {name: 'Bake to keys'}).click());
        await page.waitForFunction(
            () => window.sinewStudio.active.model.clip?.name === 'squeeze keys'
        );
        const {clips} = await documentOf(page);
        const baked = clips['squeeze keys'];
        assert.match(clips.squeeze.file, /squeeze\.mot$/, 'the clip of the file stays');
        // Straight lines in the file are straight lines of as many keys.
        assert.ok(baked.tracks.fist.keys.length <= 4, JSON.stringify(baked.tracks.fist));
        assert.equal(await page.evaluate(() => window.sinewStudio.active.undo.count), 2);
        const middle = Math.round(baked.rate / 2);
        await page.evaluate((frame) => window.sinewStudio.seek(frame), middle);
        await shownFrame(page, middle);
        assert.ok((await control(page, 'fist')) > 0.9);
        await picture(page, screenshot, 'baked');
    }
);

studioTest('held values: slider, value now, release', {open: 'arm'}, async ({page, screenshot}) => {
    await page.getByRole('tab', {name: 'Controls'}).click();
    const fist = page.locator('.parameter-row[data-parameter="fist"]');
    await fist.getByRole('spinbutton').fill('0.75');
    await fist.getByRole('spinbutton').press('Enter');
    await page.waitForFunction(() => window.sinewStudio.active.held.fist === 0.75);
    await page.waitForFunction(() => {
        const {model, frame} = window.sinewStudio.active;
        return Math.abs(frame.controls[model.controlIndex('fist')] - 0.75) < 1e-9;
    });
    const driven = page.locator('.parameter-row[data-parameter="biceps"]');
    assert.equal(await driven.getByRole('spinbutton').isDisabled(), true);
    assert.match(await driven.locator('.label').getAttribute('title'), /Computed from forearm/);
    await picture(page, screenshot, 'controls');
    await page.getByRole('button', {name: 'Release all'}).click();
    await page.waitForFunction(() => Object.keys(window.sinewStudio.active.held).length === 0);
    await page.getByRole('searchbox', {name: 'Search controls'}).fill('pron');
    assert.deepEqual(await page.locator('.controls-body .parameter-row').count(), 1);
});

studioTest('a far frame of a simulation is computed in sight', {open: 'cloth'}, async ({page}) => {
    await shownFrame(page, 0);
    await page.evaluate(() => {
        const state = document.querySelector('[data-testid="model-state"]');
        window.seenStates = [];
        new MutationObserver(() => window.seenStates.push(state.textContent)).observe(state, {
            childList: true,
            subtree: true,
            characterData: true,
        });
    });
    await page.evaluate(() => window.sinewStudio.seek(90));
    await shownFrame(page, 90);
    await page.waitForFunction(() => window.sinewStudio.active.computing === null);
    const seen = await page.evaluate(() => window.seenStates);
    assert.ok(
        seen.some((text) => /^Computing frame \d+ of 90$/.test(text)),
        `what was shown meanwhile: ${seen.join(', ')}`
    );
    assert.equal(seen.at(-1), '');
});

/** Keys of a track of the clip that plays. */
const keysOf = (page, parameter) =>
    page.evaluate((name) => window.sinewStudio.get(`/clips/curl/tracks/${name}/keys`), parameter);

const laneKey = (page, parameter, frame) =>
    page.getByRole('button', {name: `${parameter}, key at frame ${frame},`});

studioTest(
    'values of joints are in degrees',
    {open: 'arm'},
    async ({page}) => {
        await laneKey(page, 'forearm.rx', 28.5).click();
        const value = page.getByRole('spinbutton', {name: 'Value of the key of forearm.rx'});
        assert.equal(Number(await value.inputValue()), 140);
        assert.match(await laneKey(page, 'forearm.rx', 28.5).getAttribute('title'), /value 140.*°/);
        await value.fill('90');
        await changing(page, () => value.press('Enter'));
        assert.ok(Math.abs((await keysOf(page, 'forearm.rx'))[2][1] - Math.PI / 2) < 1e-12);
    }
);

studioTest(
    'several keys are selected by a box and by Shift, moved, copied, pasted and deleted',
    {open: 'arm'},
    async ({page, screenshot}) => {
        const opened = await documentOf(page);
        const steps = () => page.evaluate(() => window.sinewStudio.active.undo?.count ?? 0);
        const selected = page.locator('.lane-key.selected');
        const middle = async (key) => {
            const {x, y, width, height} = await key.boundingBox();
            return [x + width / 2, y + height / 2];
        };
        // A box around the second keys of the twist of the forearm, in two lanes.
        const [x, y] = await middle(laneKey(page, 'forearm_mid.ry', 21));
        const [, below] = await middle(laneKey(page, 'forearm_end.ry', 21));
        await page.mouse.move(x - 20, y - 8);
        await page.mouse.down();
        await page.mouse.move(x + 20, below + 6, {steps: 4});
        await screenshot('key-box');
        await page.mouse.up();
        assert.equal(await selected.count(), 2);
        // Shift adds one, and takes it away again.
        await laneKey(page, 'forearm.rx', 28.5).click({modifiers: ['Shift']});
        assert.equal(await selected.count(), 3);
        await laneKey(page, 'forearm.rx', 28.5).click({modifiers: ['Shift']});
        assert.equal(await selected.count(), 2);

        // Both move with one of them, in one step.
        const ruler = await page.getByRole('slider', {name: 'Playhead'}).boundingBox();
        const frameWidth = (ruler.width - 36) / 60;
        await page.mouse.move(x, y);
        await page.mouse.down();
        await changing(page, async () => {
            await page.mouse.move(x + 5 * frameWidth, y, {steps: 5});
            await page.mouse.up();
        });
        for (const name of ['forearm_mid.ry', 'forearm_end.ry']) {
            assert.equal((await keysOf(page, name))[1][0], 26 / 30, name);
        }
        assert.equal(await steps(), 1);
        // Their values, too: by what is typed.
        const add = page.getByRole('spinbutton', {name: 'Add to the selected keys'});
        await add.fill('10');
        await changing(page, () => add.press('Enter'));
        const value = opened.clips.curl.tracks['forearm_mid.ry'].keys[1][1] + Math.PI / 18;
        assert.ok(Math.abs((await keysOf(page, 'forearm_mid.ry'))[1][1] - value) < 1e-9);
        assert.ok(Math.abs((await keysOf(page, 'forearm_end.ry'))[1][1] - value) < 1e-9);
        await picture(page, screenshot, 'keys-selected');

        // A copy at the playhead.
        await laneKey(page, 'forearm_mid.ry', 26).focus();
        await page.keyboard.press('Control+c');
        await pressRuler(page, 45);
        await shownFrame(page, 45);
        await laneKey(page, 'forearm_mid.ry', 26).focus();
        await changing(page, () => page.keyboard.press('Control+v'));
        assert.equal((await keysOf(page, 'forearm_end.ry')).length, 5);
        assert.equal((await keysOf(page, 'forearm_end.ry'))[3][0], 1.5);
        assert.equal(await selected.count(), 2, 'what was pasted is selected');
        await changing(page, () => page.keyboard.press('Delete'));
        assert.equal((await keysOf(page, 'forearm_mid.ry')).length, 4);
        assert.equal((await keysOf(page, 'forearm_end.ry')).length, 4);
        assert.equal(await steps(), 4);
        await undoAll(page);
        assert.deepEqual(await documentOf(page), opened);
    }
);

studioTest('the ruler marks kept frames', {open: 'arm'}, async ({page, screenshot}) => {
    const marked = (spans) =>
        page.waitForFunction(
            (each) => document.querySelector('.time-ruler').dataset.kept === each,
            spans
        );
    const {last} = await page.evaluate(() => window.sinewStudio.time);
    // Nobody does anything: frames are evaluated ahead.
    await marked(`0 ${last}`);
    await picture(page, screenshot, 'kept');
    // Other frames are to be made, beginning with the one that is shown.
    await page.evaluate(() => window.sinewStudio.hold({'forearm.rx_deg': 20}));
    await marked('0 0');
    await page.evaluate(() => window.sinewStudio.release());
    await marked(`0 ${last}`);
});
