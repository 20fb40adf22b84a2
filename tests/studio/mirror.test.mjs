// SPDX-License-Identifier: Apache-2.0
//
// Mirror images of muscles.
import assert from 'node:assert/strict';
import {studioTest} from './harness.mjs';
import {
    chooseTool, click, documentOf, largestMove, lookFrom, settled, untilDocument, vertexOnScreen,
} from './modelling.mjs';

studioTest('a cheek of the rex is mirrored, replaces the other one, and is undone', {open: 'rex'},
    async ({page, call, screenshot}) => {
        await settled(page);
        await page.evaluate(() => window.sinewStudio.edit('Bulge',
            [{path: '/muscles/cheek_left/bulge', value: 3.5}]));
        await untilDocument(page, (document) => document.muscles.cheek_left.bulge === 3.5);
        const before = await documentOf(page);
        await page.evaluate(() => window.sinewStudio.select('/muscles/cheek_left'));
        await lookFrom(page, 0.5, 0.15);
        await chooseTool(page, 'Mirror');
        await screenshot('mirror');
        // Its image is there already: the panel says so before anything is done.
        await page.getByTestId('advice').getByText('The muscle cheek_right exists already').waitFor();
        await page.getByRole('button', {name: 'Replace the other side'}).click();
        await untilDocument(page, (document) => document.muscles.cheek_right.bulge === 3.5 &&
            Object.keys(document.muscles).length === 12);
        const after = await documentOf(page);
        assert.deepEqual(after.skins, before.skins);
        assert.deepEqual(Object.keys(after.muscles), Object.keys(before.muscles));
        await settled(page);
        await page.keyboard.press('Control+z');
        await untilDocument(page, (document) => document.muscles.cheek_right.bulge !== 3.5);
        assert.deepEqual(await documentOf(page), before);

        const name = page.getByRole('textbox', {name: 'New name'});
        await name.fill('jowl_right');
        await page.getByRole('button', {name: 'Mirror the muscle'}).click();
        await untilDocument(page, (document) => document.muscles.jowl_right !== undefined);
        await settled(page);
        const {muscles} = await documentOf(page);
        muscles.jowl_right.curves.forEach((curve, i) => curve.forEach((p, j) => {
            const q = muscles.cheek_left.curves[i][j];
            assert.ok(largestMove(p, [-q[0], q[1], q[2]]) < 0.06, `${p} is no image of ${q}`);
        }));
        await call('undo', {slot: 0});
        await untilDocument(page, (document) => document.muscles.jowl_right === undefined);
        assert.deepEqual(await documentOf(page), before);
    });

studioTest('a muscle is drawn with its mirror image in one step', {open: 'rex'}, async ({page}) => {
    await settled(page);
    const before = await documentOf(page);
    await lookFrom(page, Math.PI / 2, 0);
    await chooseTool(page, 'Draw');
    await page.keyboard.press('x');
    const {curves} = before.muscles.cheek_left;
    for (const curve of curves) {
        for (const point of [curve[0], curve[2], curve[4]]) {
            await click(page, await vertexOnScreen(page, '/skins/skin', point));
        }
        if (curve === curves[0]) {
            await page.keyboard.press('Enter');
        }
    }
    await untilDocument(page, (document) => document.muscles['muscle.L']?.curves[1].length === 3);
    await page.keyboard.press('q'); // another tool ends the drawing as Enter does
    await untilDocument(page, (document) => document.muscles['muscle.R'] !== undefined);
    await settled(page);
    await page.keyboard.press('Control+z');
    await untilDocument(page, (document) => document.muscles['muscle.R'] === undefined);
    assert.deepEqual(await documentOf(page), before);
});

studioTest('what lies between bones is said once for both sides', {open: 'monkey'}, async ({page}) => {
    await settled(page);
    await page.evaluate(() => window.sinewStudio.select('/muscles/biceps.L'));
    await chooseTool(page, 'Mirror');
    await page.getByRole('button', {name: 'One side only'}).click();
    await untilDocument(page, (document) => document.muscles['biceps.L'].mirror === undefined);
    await settled(page);
    const names = () => page.evaluate(() => window.sinewStudio.slots[0].model.surfaces
        .map((s) => s.name).filter((n) => n.startsWith('biceps.')).sort());
    assert.deepEqual(await names(), ['biceps.L']);
    await page.getByRole('button', {name: 'Make symmetric'}).click();
    await untilDocument(page, (document) => document.muscles['biceps.L'].mirror === true);
    await settled(page);
    assert.deepEqual(await names(), ['biceps.L', 'biceps.R']);
});
