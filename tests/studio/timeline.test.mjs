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
import {readFile} from 'node:fs/promises';

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
    async ({page, server}) => {
        const opened = await documentOf(page);
        await changing(page, () => drop(page, 'squeeze.mot', MOTION));
        await page.waitForFunction(
            () =>
                window.sinewStudio.active.model.clip?.name === 'squeeze' &&
                window.sinewStudio.time.playing
        );
        const after = await documentOf(page);
        assert.deepEqual(after.clips.squeeze, {file: 'squeeze.mot'});
        assert.equal(String(await server.read('arm', 'squeeze.mot')), MOTION);
        await page.getByRole('button', {name: 'Pause', exact: true}).click();
        const rate = await page.evaluate(() => window.sinewStudio.time.rate);
        await page.evaluate((frame) => window.sinewStudio.seek(frame), Math.round(rate / 2));
        await shownFrame(page, Math.round(rate / 2));
        assert.ok((await control(page, 'fist')) > 0.9);
        assert.equal(await page.evaluate(() => window.sinewStudio.active.undo.count), 1);
        await undoAll(page);
        assert.deepEqual(await documentOf(page), opened);
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
