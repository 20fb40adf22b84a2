// SPDX-License-Identifier: Apache-2.0
//
// Painting with real strokes: weights of bones, weights of a deformer, pins.
import {studioTest} from './harness.mjs';
import {
    documentOf,
    drag,
    farthest,
    hold,
    pointsOf,
    reach,
    settled,
    takeTool,
    undoAll,
    untilDocument,
} from './painting.mjs';
import assert from 'node:assert/strict';

const SKIN = '/skins/skin';
const UPPER_ARM = [0.33, 1.3, 0.04]; // above the elbow

/** Waits until the values of what is painted are there. */
function values(page, path) {
    return page.waitForFunction((each) => {
        const surface = window.sinewStudio.active.model?.byPath(each);
        return surface?.values?.length === surface?.vertexCount;
    }, path);
}

studioTest(
    'painting weights moves points in a bent pose, and undo brings all back',
    {open: 'arm'},
    async ({page, server, call, screenshot}) => {
        await settled(page);
        const text = await server.read('arm', 'arm.sinew.json');
        const before = await documentOf(page);
        await hold(page, {'forearm.rx_deg': 90});
        const panel = await takeTool(page, 'paint');
        // With the keyboard, though the panel is made anew with each step.
        await panel.getByLabel('Segment').focus();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowDown');
        assert.equal(await panel.getByLabel('Segment').inputValue(), 'forearm');
        await values(page, SKIN);
        const unpainted = await pointsOf(page, SKIN);

        // Other colours are no weights: they wait until the brush is laid down.
        await page.getByLabel('Colour by').selectOption('stretch');
        const shown = () => page.evaluate(() => window.sinewStudio.viewport.quantity);
        assert.deepEqual(await shown(), {name: 'weights', segment: 'forearm'});
        await values(page, SKIN);

        const at = await reach(page, SKIN, UPPER_ARM);
        await drag(page, [at, {x: at.x + 12, y: at.y}, {x: at.x, y: at.y + 8}]);
        await untilDocument(page, (document) =>
            document.skins.skin.deformers.some((deformer) =>
                JSON.stringify(deformer.paint ?? null).includes('forearm')
            )
        );
        await settled(page);
        const painted = await pointsOf(page, SKIN);
        const moved = Math.hypot(
            ...[0, 1, 2].map((k) => painted[3 * at.vertex + k] - unpainted[3 * at.vertex + k])
        );
        assert.ok(moved > 0.005, `the point under the brush moved ${moved} m`);
        await screenshot('weights');

        const {undo} = await page.evaluate(() => window.sinewStudio.slots[0]);
        assert.equal(undo.count, 2, 'the pose is one step, the stroke another');
        await page.keyboard.press('Control+z');
        await untilDocument(page, (document) =>
            document.skins.skin.deformers.every((each) => each.paint === undefined)
        );
        await settled(page);
        assert.deepEqual(await documentOf(page), before);
        await takeTool(page, 'select');
        assert.deepEqual(await shown(), {name: 'stretch'});
        assert.equal(
            farthest(await pointsOf(page, SKIN), unpainted),
            0,
            'the points are where they were'
        );
        await call('save', {slot: 0});
        assert.deepEqual(await server.read('arm', 'arm.sinew.json'), text);
    }
);

studioTest(
    'weights of a deformer take its effect away where they are painted',
    {open: 'arm'},
    async ({page}) => {
        await settled(page);
        const document = await documentOf(page);
        await hold(page, {'forearm.rx_deg': 120});
        const panel = await takeTool(page, 'paint');
        await panel.getByLabel('Paint', {exact: true}).selectOption({label: 'falloff: weights'});
        await values(page, SKIN);
        const full = await pointsOf(page, SKIN);
        await panel.getByRole('button', {name: 'Replace'}).click();
        await panel.getByRole('spinbutton', {name: 'Value'}).fill('0');
        await page.keyboard.press('Enter');
        await panel.getByRole('spinbutton', {name: 'Strength'}).fill('1');
        await page.keyboard.press('Enter');
        const place = await reach(page, SKIN, [0.322, 1.289, 0.058]);
        await drag(page, [place, {x: place.x + 10, y: place.y + 5}]);
        await untilDocument(page, (each) =>
            each.skins.skin.deformers.some(({weights}) =>
                weights?.some((entry) => entry.values?.some((value) => value < 0.5))
            )
        );
        await settled(page);
        assert.ok(
            farthest(await pointsOf(page, SKIN), full) > 1e-4,
            'the muscle lifts the skin less'
        );
        await undoAll(page);
        await hold(page, {'forearm.rx_deg': 120});
        await settled(page);
        assert.deepEqual(await documentOf(page), document);
        assert.equal(farthest(await pointsOf(page, SKIN), full), 0);
    }
);

studioTest(
    'pins of a cloth are painted on the sheet that is hidden',
    {open: 'cloth'},
    async ({page, screenshot}) => {
        await settled(page);
        const before = await documentOf(page);
        await page.evaluate(() => window.sinewStudio.select('/skins/sheet'));
        const panel = await takeTool(page, 'paint');
        await panel.getByLabel('Paint', {exact: true}).selectOption({label: 'cloth: pins'});
        await page.waitForFunction(
            () => window.sinewStudio.active.model.byPath('/skins/sheet').hasGeometry
        );
        await page.evaluate(() => window.sinewStudio.viewport.setLayer('skin', 'hidden'));
        const at = await reach(page, '/skins/sheet', [0, 1.2, 0]);
        await drag(page, [at, {x: at.x + 30, y: at.y}]);
        await untilDocument(
            page,
            (document) => document.skins.sheet.deformers[0].pins !== undefined
        );
        await screenshot('pins');
        await drag(page, [at, {x: at.x + 30, y: at.y}], {modifier: 'Control'});
        await untilDocument(
            page,
            (document) => document.skins.sheet.deformers[0].pins === undefined
        );
        await undoAll(page);
        assert.deepEqual(await documentOf(page), before);
    }
);

studioTest(
    'F changes the radius, Esc takes a stroke back, Shift+F the strength',
    {open: 'arm'},
    async ({page}) => {
        await settled(page);
        const before = await documentOf(page);
        const panel = await takeTool(page, 'paint');
        await panel.getByLabel('Segment').selectOption('forearm');
        await values(page, SKIN);
        const radius = panel.getByRole('spinbutton', {name: 'Radius'});
        const at = await reach(page, SKIN, UPPER_ARM);
        const first = Number(await radius.inputValue());
        await page.mouse.move(at.x, at.y);
        await page.keyboard.press('f');
        await page.mouse.move(at.x + 25, at.y);
        await page.mouse.down();
        await page.mouse.up();
        assert.equal(Number(await radius.inputValue()), first + 25);

        await page.mouse.move(at.x, at.y);
        await page.mouse.down();
        await page.mouse.move(at.x + 10, at.y, {steps: 3});
        await untilDocument(page, (document) => JSON.stringify(document).includes('"paint"'));
        await page.keyboard.press('Escape');
        await page.mouse.up();
        await untilDocument(page, (document) => !JSON.stringify(document).includes('"paint"'));
        assert.deepEqual(await documentOf(page), before);
    }
);
