// SPDX-License-Identifier: Apache-2.0
//
// Muscles drawn on the skin with the mouse.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {studioTest} from './harness.mjs';
import {
    chooseTool, click, documentOf, drag, hold, largestMove, lookFrom, markOnScreen,
    pointsOf, settled, untilDocument, vertexOnScreen,
} from './modelling.mjs';

const BACK = Math.PI; // azimuth of the back of the arm
const advice = (page) => page.getByTestId('advice');

async function triceps() {
    const file = join(process.env.SINEW_SOURCE, 'docs/triceps.json');
    const read = JSON.parse(await readFile(file, 'utf8'));
    return read.curves ?? Object.values(read)[0].curves ?? Object.values(read.muscles)[0].curves;
}

async function clickCurve(page, curve) {
    for (const point of curve) {
        await click(page, await vertexOnScreen(page, '/skins/skin', point));
    }
}

/** Draws the triceps by clicks on the back of the arm. */
async function drawTriceps(page) {
    const [first, second] = await triceps();
    await lookFrom(page, BACK, 0);
    await chooseTool(page, 'Draw');
    await clickCurve(page, first);
    await page.keyboard.press('Enter');
    await clickCurve(page, second);
    await untilDocument(page, (document, count) => {
        return document.muscles.muscle?.curves[1].length === count;
    }, second.length);
    await settled(page);
    return [first, second];
}

studioTest('two curves on the arm are a muscle that bulges, and one step of undo', {open: 'arm'},
    async ({page, screenshot, picture, countDifferent}) => {
        await settled(page);
        const before = await documentOf(page);
        const curves = await drawTriceps(page);
        await screenshot('draw-second-curve');
        const {muscles, skins, controls} = await documentOf(page);
        muscles.muscle.curves.forEach((curve, i) => curve.forEach((p, j) => {
            assert.ok(largestMove(p, curves[i][j]) < 0.02, `point ${j} of curve ${i} is at ${p}`);
        }));
        assert.ok(skins.skin.deformers.some((d) => d.muscles?.includes('muscle')));
        assert.ok(controls.muscle);
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => window.sinewStudio.selection?.path === '/muscles/muscle');

        await page.evaluate(() => window.sinewStudio.setTool('select'));
        // A part of the picture, with the muscle in its middle.
        const {x, y} = await vertexOnScreen(page, '/skins/skin', curves[0][2]);
        const part = {x: x - 70, y: y - 70, width: 140, height: 140};
        const relaxed = [await pointsOf(page, '/skins/skin'), await picture(part)];
        await hold(page, {muscle: 1});
        const contracted = [await pointsOf(page, '/skins/skin'), await picture(part)];
        assert.ok(largestMove(relaxed[0], contracted[0]) > 0.002, 'the skin moves');
        assert.ok(await countDifferent(relaxed[1], contracted[1]) > 200, 'the picture shows it');
        await screenshot('draw-contracted');

        await page.keyboard.press('Control+z'); // the held value
        await page.keyboard.press('Control+z');
        await untilDocument(page, (document) => document.muscles.muscle === undefined);
        assert.deepEqual(await documentOf(page), before);
        assert.equal(await page.evaluate(() => window.sinewStudio.slots[0].dirty), false,
            'the text is that of the file');
    });

studioTest('the panel says what is missing, points are taken back, Esc gives up', {open: 'arm'},
    async ({page}) => {
        await settled(page);
        const before = await documentOf(page);
        const [first, second] = await triceps();
        await lookFrom(page, BACK, 0);
        await chooseTool(page, 'Draw');
        await clickCurve(page, first.slice(0, 1));
        await advice(page).getByText('The first curve needs two points').waitFor();
        await clickCurve(page, first.slice(1));
        await page.keyboard.press('Enter');
        await clickCurve(page, second.slice(0, 1));
        await advice(page).getByText('The second curve needs two points. It has one.').waitFor();
        await clickCurve(page, second.slice(1, 3));
        await untilDocument(page, (document) => document.muscles.muscle?.curves[1].length === 3);
        await page.keyboard.press('Backspace');
        await untilDocument(page, (document) => document.muscles.muscle?.curves[1].length === 2);
        // What the panel changes belongs to the drawing, too.
        const thickness = page.getByRole('spinbutton', {name: 'Half thickness', exact: true});
        await thickness.fill('20');
        await thickness.press('Enter');
        await untilDocument(page, (document) => document.muscles.muscle.muscle_thickness === 0.02);
        await page.evaluate(() => document.activeElement.blur());
        await page.keyboard.press('Escape');
        await untilDocument(page, (document) => document.muscles.muscle === undefined);
        assert.deepEqual(await documentOf(page), before);
        await page.keyboard.press('Escape');
        await page.waitForFunction(() => window.sinewStudio.tool.id === 'select');
    });

studioTest('Ctrl+Z undoes points; another tool ends the drawing as Enter does', {open: 'arm'},
    async ({page}) => {
        await settled(page);
        const [first, second] = await triceps();
        await lookFrom(page, BACK, 0);
        await page.evaluate(() => window.sinewStudio.edit('About', [{path: '/about', value: 'x'}]));
        await chooseTool(page, 'Draw');
        const count = () => page.evaluate(() => window.sinewStudio.tool.drawing.curves[0].length);
        await clickCurve(page, first.slice(0, 3));
        await page.keyboard.press('Control+z');
        assert.equal(await count(), 2);
        assert.equal((await documentOf(page)).about, 'x', 'the document is left alone');
        await clickCurve(page, first.slice(2));
        await page.keyboard.press('Enter');
        await clickCurve(page, second);
        await untilDocument(page, (document) => document.muscles.muscle !== undefined);
        const slide = page.getByRole('spinbutton', {name: 'Slide', exact: true});
        assert.equal(await slide.inputValue(), '0.04', 'the panel has the final values at once');
        const name = page.getByRole('textbox', {name: 'Name'});
        await name.fill('triceps');
        await name.press('Enter');
        await untilDocument(page, (document) => document.muscles.triceps?.contraction === 'triceps');
        const contract = page.getByRole('spinbutton', {name: 'Contract', exact: true});
        await contract.fill('0.5');
        await contract.press('Enter');
        await page.waitForFunction(() => window.sinewStudio.slots[0].held.triceps === 0.5);
        await page.evaluate(() => document.activeElement.blur());
        await page.keyboard.press('p');
        await page.waitForFunction(() => window.sinewStudio.slots[0].held.triceps === undefined);
        await page.waitForFunction(() => window.sinewStudio.tool.id === 'pose');
        await settled(page);
        const {muscles, controls} = await documentOf(page);
        assert.equal(muscles.triceps.curves[1].length, second.length);
        assert.equal(controls.muscle, undefined);
        await page.keyboard.press('Control+z');
        await untilDocument(page, (document) => document.muscles.triceps === undefined);
        assert.equal((await documentOf(page)).about, 'x', 'all of it is one step');
    });

studioTest('points of a muscle are moved, put in and taken out', {open: 'arm'},
    async ({page, screenshot}) => {
        await settled(page);
        const {curves} = (await documentOf(page)).muscles.biceps;
        await page.evaluate(() => window.sinewStudio.select('/muscles/biceps'));
        await lookFrom(page, 0, 0.1, {at: curves[0][3], distance: 0.9});
        await chooseTool(page, 'Draw');
        const from = await markOnScreen(page, {kind: 'point', curve: 0, index: 2});
        await drag(page, [from, {x: from.x + 14, y: from.y - 10}]);
        await untilDocument(page, (document, old) => {
            return JSON.stringify(document.muscles.biceps.curves[0][2]) !== JSON.stringify(old);
        }, curves[0][2]);
        await settled(page);
        const moved = (await documentOf(page)).muscles.biceps.curves;
        assert.deepEqual(moved[1], curves[1], 'the other curve is as it was');
        assert.deepEqual(moved[0].filter((p, i) => i !== 2), curves[0].filter((p, i) => i !== 2));
        await screenshot('draw-move-point');

        const [a, b] = await Promise.all([3, 4].map((index) => {
            return markOnScreen(page, {kind: 'point', curve: 1, index});
        }));
        await click(page, {x: (a.x + b.x) / 2, y: (a.y + b.y) / 2});
        await untilDocument(page, (document) => document.muscles.biceps.curves[1].length === 7);
        await page.keyboard.press('Delete');
        await untilDocument(page, (document) => document.muscles.biceps.curves[1].length === 6);
        await page.keyboard.press('Control+z');
        await page.keyboard.press('Control+z');
        await page.keyboard.press('Control+z');
        await untilDocument(page, (document, old) => {
            return JSON.stringify(document.muscles.biceps.curves) === JSON.stringify(old);
        }, curves);
    });

studioTest('curves drawn with the button held, in a pose', {open: 'arm'}, async ({page, call}) => {
    await settled(page);
    await call('seek', {frame: 30});
    await page.waitForFunction(() => window.sinewStudio.slots[0].frame.number === 30);
    const [first, second] = await triceps();
    await lookFrom(page, BACK, 0);
    await chooseTool(page, 'Draw');
    for (const curve of [first, second]) {
        const line = [];
        for (const point of curve) {
            line.push(await vertexOnScreen(page, '/skins/skin', point));
        }
        await drag(page, line);
    }
    await untilDocument(page, (document) => document.muscles.muscle !== undefined);
    await page.keyboard.press('Enter');
    await settled(page);
    const {curves} = (await documentOf(page)).muscles.muscle;
    // The places are those of the skin at rest, though they were drawn on the bent arm.
    curves.forEach((curve, i) => {
        const ends = [[curve[0], [first, second][i][0]], [curve.at(-1), [first, second][i].at(-1)]];
        ends.forEach(([p, q]) => assert.ok(largestMove(p, q) < 0.02, `${p} is not ${q}`));
    });
});

studioTest('values of the panel change the muscle while they are dragged', {open: 'arm'},
    async ({page}) => {
        await settled(page);
        await page.evaluate(() => window.sinewStudio.select('/muscles/biceps'));
        await chooseTool(page, 'Draw');
        const type = async (label, text) => {
            const box = page.getByRole('spinbutton', {name: label, exact: true});
            await box.fill(text);
            await box.press('Enter');
        };
        await type('Half thickness', '20');
        await untilDocument(page, (document) => document.muscles.biceps.muscle_thickness === 0.02);
        await type('Outer distance', '60');
        await untilDocument(page, (document) => document.skins.skin.deformers[1].d_none === 0.06);
        await page.getByLabel('Lies on').selectOption('humerus');
        await untilDocument(page, (document) => document.muscles.biceps.depth_from === 'humerus');
        await settled(page);
        await type('Contract', '0.8');
        await page.waitForFunction(() => window.sinewStudio.slots[0].held.biceps === 0.8);
        await page.getByTestId('contract').getByRole('button', {name: 'Release biceps'}).click();
        await page.waitForFunction(() => window.sinewStudio.slots[0].held.biceps === undefined);
    });

studioTest('closed curves are a ring on the rex', {open: 'rex'}, async ({page, screenshot}) => {
    await settled(page);
    await chooseTool(page, 'Draw');
    await lookFrom(page, Math.PI / 2, 0);
    const middle = await page.evaluate(() => {
        const box = window.sinewStudio.viewport.canvas.getBoundingClientRect();
        return {x: box.left + box.width * 0.55, y: box.top + box.height * 0.43};
    });
    for (const radius of [34, 62]) {
        const ring = Array.from({length: 8}, (_, i) => ({
            x: middle.x + radius * Math.cos((2 * Math.PI * i) / 8),
            y: middle.y + radius * Math.sin((2 * Math.PI * i) / 8),
        }));
        for (const at of ring) {
            await click(page, at);
        }
        if (radius === 34) {
            await click(page, ring[0]); // a click on the first point closes the curve
            await advice(page).getByText('second curve').waitFor();
        }
    }
    await untilDocument(page, (document) => document.muscles.muscle?.curves[1].length === 8);
    await settled(page);
    assert.equal((await documentOf(page)).muscles.muscle.ends, 'closed');
    await page.keyboard.press('Enter');
    await screenshot('draw-ring');
    const relaxed = await pointsOf(page, '/skins/skin');
    await hold(page, {muscle: 0.5});
    assert.ok(largestMove(relaxed, await pointsOf(page, '/skins/skin')) > 0.005, 'the skin moves');
});
