// SPDX-License-Identifier: Apache-2.0
//
// Ctrl+Z takes anything back, in the order in which it was done: poses, held values, edits.
import assert from 'node:assert/strict';
import {documentOf} from './character.mjs';
import {studioTest} from './harness.mjs';
import {chooseTool, drag, lookFrom, markOnScreen, onScreen, settled} from './modelling.mjs';
import {dragSlider} from './panels.mjs';

const held = (page) => page.evaluate(() => window.sinewStudio.active.held);

const untilHeld = (page, names) => page.waitForFunction((wanted) =>
    Object.keys(window.sinewStudio.active.held).sort().join() === wanted, names.sort().join());

const untilBulge = (page, bulge) => page.waitForFunction((wanted) =>
    window.sinewStudio.get('/muscles/biceps/bulge') === wanted, bulge);

const labels = async (call) => (await call('history', {slot: 0})).steps;

/** Turns the ring of an angle of the joint in hand by about so many degrees. */
async function turnRing(page, parameter, degrees) {
    const points = await page.evaluate(([p, end]) => {
        const {tool} = window.sinewStudio;
        const {origin, axes: {[p]: axis}} = tool.joint;
        const dot = tool.view.marks.found.find(({data, points: all}) =>
            data.parameter === p && all.length === 1);
        const v = dot.points[0].map((x, i) => x - origin[i]);
        const w = [axis[1] * v[2] - axis[2] * v[1], axis[2] * v[0] - axis[0] * v[2],
            axis[0] * v[1] - axis[1] * v[0]];
        return [0, 0.25, 0.5, 0.75, 1].map((share) => share * end * Math.PI / 180)
            .map((a) => origin.map((x, i) => x + v[i] * Math.cos(a) + w[i] * Math.sin(a)));
    }, [parameter, degrees]);
    await drag(page, await Promise.all(points.map((point) => onScreen(page, point))));
    await page.evaluate(() => window.sinewStudio.settled());
}

/** A pose, a held value, an edit, another pose of the same joint, a release. */
async function doFiveThings(page) {
    await settled(page);
    await chooseTool(page, 'Pose');
    await lookFrom(page, Math.PI / 2 + 0.5, 0.1);
    await page.getByLabel('Joint').selectOption('forearm');
    await turnRing(page, 'rx', 40);
    await untilHeld(page, ['forearm.rx_deg']);
    const first = (await held(page))['forearm.rx_deg'];

    await page.getByRole('tab', {name: 'Controls'}).click();
    await dragSlider(page, page.getByLabel('fist slider'), 0, 0.6);
    await untilHeld(page, ['fist', 'forearm.rx_deg']);

    await page.evaluate(() => window.sinewStudio.edit('Bulge',
        [{path: '/muscles/biceps/bulge', value: 2.5}]));
    await page.getByRole('tab', {name: 'Tool'}).click();
    await settled(page);
    await turnRing(page, 'rx', 30);
    const second = (await held(page))['forearm.rx_deg'];
    assert.ok(Math.abs(first) > 20 && Math.abs(second - first) > 15, `${first}, ${second}`);
    await page.getByRole('button', {name: 'Release all', exact: true}).first().click();
    await untilHeld(page, []);
    return {first, second};
}

studioTest('poses, held values and edits are undone one by one and redone', {open: 'arm'},
    async ({page, call, screenshot}) => {
        const bulge = (await documentOf(page)).muscles.biceps.bulge;
        const {first, second} = await doFiveThings(page);
        assert.deepEqual(await labels(call), ['Hold forearm.rx_deg', 'Hold fist', 'Bulge',
            'Hold forearm.rx_deg', 'Release all']);
        await page.getByRole('tab', {name: 'History'}).click();
        await page.getByRole('button', {name: 'Hold fist'}).waitFor();
        await screenshot('history');
        const elbow = () => held(page).then((values) => values['forearm.rx_deg']);

        await page.keyboard.press('Control+z');
        await untilHeld(page, ['fist', 'forearm.rx_deg']);
        assert.equal(await elbow(), second);
        await page.keyboard.press('Control+z');
        await page.waitForFunction((angle) =>
            window.sinewStudio.active.held['forearm.rx_deg'] === angle, first);
        assert.equal((await documentOf(page)).muscles.biceps.bulge, 2.5);
        await page.keyboard.press('Control+z');
        await untilBulge(page, bulge);
        await untilHeld(page, ['fist', 'forearm.rx_deg']);
        await page.keyboard.press('Control+z');
        await untilHeld(page, ['forearm.rx_deg']);
        await page.keyboard.press('Control+z');
        await untilHeld(page, []);
        assert.equal(await page.evaluate(() => window.sinewStudio.active.undo), null);

        for (let i = 0; i < 4; ++i) {
            await page.keyboard.press('Control+Shift+z');
        }
        await untilHeld(page, ['fist', 'forearm.rx_deg']);
        await untilBulge(page, 2.5);
        await page.waitForFunction((angle) =>
            window.sinewStudio.active.held['forearm.rx_deg'] === angle, second);
        await page.keyboard.press('Control+Shift+z');
        await untilHeld(page, []);
        assert.equal(await page.evaluate(() => window.sinewStudio.active.redo), null);
    });

studioTest('a pose that is given up is no step', {open: 'arm'}, async ({page, call}) => {
    await settled(page);
    await chooseTool(page, 'Pose');
    const index = await page.evaluate(() =>
        window.sinewStudio.slots[0].model.segmentIndex('hand'));
    const {x, y} = await markOnScreen(page, {kind: 'joint', index});
    await page.mouse.click(x, y);
    for (const key of ['r', 'x', '1', '5', 'z', 'Enter']) {
        await page.keyboard.press(key);
    }
    await page.evaluate(() => window.sinewStudio.settled());
    assert.equal((await labels(call)).length, 1, 'axes that were tried belong to the same step');
    for (const key of ['r', 'x', '1', '5']) {
        await page.keyboard.press(key);
    }
    await untilHeld(page, ['hand.rx_deg', 'hand.rz_deg']);
    await page.keyboard.press('Escape');
    await untilHeld(page, ['hand.rz_deg']);
    assert.equal((await labels(call)).length, 1);
    await page.keyboard.press('Control+z');
    await untilHeld(page, []);
});

studioTest('what auto-key keys is one step with the pose', {open: 'arm'}, async ({page, call}) => {
    await settled(page);
    const before = await documentOf(page);
    await page.getByRole('button', {name: /auto-?key/i}).click();
    await page.getByRole('tab', {name: 'Controls'}).click();
    await dragSlider(page, page.getByLabel('fist slider'), 0, 0.6);
    await page.waitForFunction(() => JSON.stringify(window.sinewStudio.get('/clips'))
        .includes('"fist"'));
    await untilHeld(page, []);
    assert.equal((await labels(call)).length, 1);
    await page.keyboard.press('Control+z');
    await page.waitForFunction(() => window.sinewStudio.active.undo === null);
    assert.deepEqual(await documentOf(page), before);
    assert.deepEqual(await held(page), {});
});
