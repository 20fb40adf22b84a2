// SPDX-License-Identifier: Apache-2.0
//
// Selected text must not take the pointer away from the viewport: a browser drags what is selected.
import assert from 'node:assert/strict';
import {studioTest} from './harness.mjs';
import {chooseTool, drag, settled, vertexOnScreen} from './modelling.mjs';
import {viewState} from './viewing.mjs';

const CURVE = [
    [0.259, 1.364, 0.053],
    [0.322, 1.289, 0.058],
    [0.36, 1.25, 0.05],
];

/** Drags in the empty part of the viewport, and tells by how many radians the view has turned. */
async function turnView(page) {
    const box = await page.getByTestId('viewport').boundingBox();
    const [x, y] = [box.x + 0.6 * box.width, box.y + box.height - 60];
    const before = await viewState(page);
    await drag(page, [0, 30, 60, 90, 120].map((far) => ({x: x + far, y})));
    return Math.abs((await viewState(page)).azimuth - before.azimuth);
}

/** Draws the first curve by hand, and gives how many curves are finished. */
async function drawCurve(page) {
    const places = [];
    for (const rest of CURVE) {
        places.push(await vertexOnScreen(page, '/skins/skin', rest));
    }
    await drag(page, places);
    return page.evaluate(() => window.sinewStudio.tool.drawing.current);
}

const selectedText = (page) => page.evaluate(() => document.getSelection().toString());

const selectEverything = (page) => page.evaluate(() => {
    document.getSelection().selectAllChildren(document.body);
});

studioTest('Ctrl+A outside of a box selects nothing; the view turns and a curve is drawn',
    {open: 'arm'}, async ({page}) => {
        await settled(page);
        await chooseTool(page, 'Draw');
        const corner = await page.getByTestId('viewport').boundingBox();
        await page.mouse.click(corner.x + corner.width - 30, corner.y + corner.height - 30);
        await page.keyboard.press('Control+a');
        assert.equal(await selectedText(page), '');
        assert.ok(await turnView(page) > 0.5, 'the view turns');
        await page.evaluate(() => window.sinewStudio.viewport.frameAll(false));
        assert.equal(await drawCurve(page), 1, 'the curve is there');
    });

studioTest('whatever is selected, the viewport keeps the pointer', {open: 'arm'}, async ({page}) => {
    await settled(page);
    await chooseTool(page, 'Draw');
    await selectEverything(page);
    assert.equal(await drawCurve(page), 1, 'the curve is there');
    await selectEverything(page);
    assert.ok(await turnView(page) > 0.5, 'the view turns');
});

studioTest('a drag over the text of the tour selects none of it', {open: null}, async ({page}) => {
    const text = page.getByTestId('tour').locator('p').last();
    await text.waitFor();
    const box = await text.boundingBox();
    await drag(page, [
        {x: box.x + 2, y: box.y + 4},
        {x: box.x + box.width / 2, y: box.y + box.height / 2},
        {x: box.x + box.width - 2, y: box.y + box.height - 4},
    ]);
    assert.equal(await selectedText(page), '');
});

studioTest('what people copy can be selected: values in boxes and what went wrong', {open: 'arm'},
    async ({page}) => {
        await settled(page);
        await page.evaluate(() => window.sinewStudio.notice('It went wrong.', 'error'));
        const toast = page.getByTestId('toast').locator('span');
        await toast.dblclick({position: {x: 4, y: 8}});
        assert.equal((await selectedText(page)).trim(), 'It');
        const search = page.getByLabel('Search the document');
        await search.fill('biceps');
        await page.keyboard.press('Control+a');
        assert.equal(await search.evaluate((box) => box.selectionEnd - box.selectionStart), 6);
    });
