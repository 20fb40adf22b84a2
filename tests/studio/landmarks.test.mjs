// SPDX-License-Identifier: Apache-2.0
//
// Landmarks of a head: shown, named, dragged along the skin on both sides, proposed.
import assert from 'node:assert/strict';
import {access, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';

import {documentOf, drag, pointsOf, settled} from './character.mjs';
import {studioTest} from './harness.mjs';
import {lookFrom, onScreen} from './modelling.mjs';
import {changing} from './panels.mjs';

const LEFT = 'inferior_malar.L';
const RIGHT = 'inferior_malar.R';

/** Shared test data, as tests in C find it. */
const data = (name) => join(process.env.SINEW_TEST_DATA ??
    join(process.env.SINEW_SOURCE, '../shared/data'), 'face', name);

const exists = (path) => access(path).then(() => true, () => false);

/** A vertex of the skin as it is shown. */
const pointOf = (page, vertex) => page.evaluate((each) => {
    const {points} = window.sinewStudio.active.model.byPath('/skins/skin');
    return [...points.slice(3 * each, 3 * each + 3)];
}, vertex);

const restOf = (page, vertex) => page.evaluate((each) => {
    const {rest} = window.sinewStudio.active.model.byPath('/skins/skin');
    return [...rest.slice(3 * each, 3 * each + 3)];
}, vertex);

const marked = (page) => page.evaluate(() =>
    window.sinewStudio.tool.marks.found.map(({data}) => data));

async function begin(page) {
    await settled(page);
    await page.getByTestId('outliner-add').click();
    await page.getByRole('menuitem', {name: 'Landmarks of a head'}).click();
    await lookFrom(page, 0, 0.05, {at: [0, 0.02, 0], distance: 0.8});
    // Nothing draws by itself here: the tool looks anew which landmarks are in sight.
    await page.evaluate(() => window.sinewStudio.emit('frame', window.sinewStudio.active));
}

async function placeOf(page, name) {
    const {landmarks} = await documentOf(page);
    return onScreen(page, await pointOf(page, landmarks[name].vertex));
}

studioTest('landmarks are named and dragged', {open: 'head', width: 1024, height: 768},
    async ({page, screenshot}) => {
        await begin(page);
        const before = (await documentOf(page)).landmarks;
        await page.waitForFunction(() => window.sinewStudio.tool.marks.found.length > 10);
        const seen = await marked(page);
        assert.ok(seen.includes(LEFT) && seen.includes('nasion'));
        assert.equal(seen.includes('lambda'), false, 'the back of the head is not seen');
        assert.equal(seen.some((name) => /bone/.test(name)), false);

        const at = await placeOf(page, LEFT);
        await page.mouse.move(at.x, at.y);
        await page.waitForFunction((name) => window.sinewStudio.tool.hovered === name, LEFT);
        await screenshot('named');

        // Both sides, then one alone; each is a step of undo, and Esc gives a drag up.
        await changing(page, () => drag(page, [at, {x: at.x + 14, y: at.y - 12}]));
        const both = (await documentOf(page)).landmarks;
        assert.notEqual(both[LEFT].vertex, before[LEFT].vertex);
        const [left, right] = [await restOf(page, both[LEFT].vertex),
            await restOf(page, both[RIGHT].vertex)];
        assert.deepEqual(right, [-left[0], left[1], left[2]], 'the skin is its own mirror image');
        assert.deepEqual(both.nasion, before.nasion);
        await changing(page, () => page.keyboard.press('Control+z'));
        assert.deepEqual((await documentOf(page)).landmarks, before);

        await page.getByLabel('Both sides alike').uncheck();
        await changing(page, () => drag(page, [at, {x: at.x + 14, y: at.y - 12}]));
        const one = (await documentOf(page)).landmarks;
        assert.equal(one[LEFT].vertex, both[LEFT].vertex);
        assert.equal(one[RIGHT].vertex, before[RIGHT].vertex);
        const now = await placeOf(page, LEFT);
        await page.mouse.move(now.x, now.y);
        await page.mouse.down();
        await page.mouse.move(now.x + 20, now.y + 20, {steps: 4});
        await page.keyboard.press('Escape');
        await page.mouse.up();
        assert.deepEqual((await documentOf(page)).landmarks, one);
        assert.equal(await page.evaluate(() => window.sinewStudio.tool.id), 'landmarks');
    });

studioTest('landmarks are proposed for a skin', {open: 'head', width: 1280, height: 800},
    async ({page, screenshot}) => {
        await begin(page);
        const known = (await documentOf(page)).landmarks;
        // None is left but one that is nowhere near: it stays unless all are replaced.
        await changing(page, () => page.evaluate((nasion) => window.sinewStudio.edit('Few landmarks',
            [{path: '/drivers', gone: true}, {path: '/landmarks', value: {nasion}}]),
        known.nasion));
        await changing(page, () => page.getByRole('button', {name: 'Propose'}).click());
        const {landmarks} = await documentOf(page);
        const names = Object.keys(known).filter((name) => known[name].mesh === 'skin');
        assert.deepEqual(Object.keys(landmarks).sort(), names.sort());
        assert.deepEqual(landmarks.nasion, known.nasion);
        for (const name of names) {
            const [a, b] = [await restOf(page, landmarks[name].vertex),
                await restOf(page, known[name].vertex)];
            assert.ok(Math.hypot(...a.map((x, k) => x - b[k])) < 0.004, name);
        }
        await page.getByText(/landmarks proposed/).waitFor();
        await screenshot('proposed');
        await changing(page, () => page.keyboard.press('Control+z'));
        assert.deepEqual(Object.keys((await documentOf(page)).landmarks), ['nasion']);
    });

studioTest('landmarks of another head', {width: 1024, height: 768}, async (studio, context) => {
    const {page, call, server} = studio;
    const [head, table] = ['generic_neutral.obj', 'craniofacial_landmarks.json'].map(data);
    if (!(await exists(head)) || !(await exists(table))) {
        context.skip('the shared test data is not there');
        return;
    }
    await page.getByRole('button', {name: 'Leave the tour'}).click();
    await writeFile(server.path('head.obj'), await readFile(head));
    await call('open', {slot: 0, path: server.path('head.obj')});
    await settled(page);
    await page.getByTestId('outliner-add').click();
    await page.getByRole('menuitem', {name: 'Landmarks of a head'}).click();
    await changing(page, () => page.getByRole('button', {name: 'Propose'}).click());
    const {landmarks, skins} = await documentOf(page);
    const [skin] = Object.keys(skins);
    const points = await pointsOf(page, `/skins/${skin}`);
    // People have set them on this head; its file is in centimetres.
    const known = JSON.parse(await readFile(table)).landmarks
        .filter(({skin_vertex: vertex}) => Number.isInteger(vertex))
        .map(({name, side, skin_vertex: vertex}) =>
            [side === 'mid' ? name : `${name}.${side[0].toUpperCase()}`, vertex])
        .filter(([name]) => name in landmarks);
    assert.ok(known.length > 30, `${known.length}`);
    const off = known.map(([name, vertex]) => Math.hypot(...[0, 1, 2].map((k) =>
        points[3 * vertex + k] - points[3 * landmarks[name].vertex + k])));
    const size = Math.hypot(...[0, 1, 2].map((k) => points[3 * landmarks.nasion.vertex + k] -
        points[3 * landmarks.menton.vertex + k])) / 0.115;
    const mean = off.reduce((sum, each) => sum + each, 0) / off.length / size;
    assert.ok(mean < 0.004, `mean ${mean} m`);
    await studio.screenshot('another');
});

studioTest('a skin without a face is refused in words', {open: 'arm'}, async (studio) => {
    const {page} = studio;
    await begin(page);
    await page.getByRole('button', {name: 'Propose'}).click();
    await page.getByTestId('job').getByText(/face|head/).waitFor();
    assert.equal((await documentOf(page)).landmarks?.nasion, undefined);
});
