// SPDX-License-Identifier: Apache-2.0
//
// The curve editor: points of tracks and drivers, dragged with the mouse.
import {studioTest} from './harness.mjs';
import {changing, documentOf, picture, select, shownFrame, undoAll} from './panels.mjs';
import assert from 'node:assert/strict';

const graph = (page) => page.getByTestId('curve-graph');

/** Where a point is on the screen. */
async function pointOnScreen(page, name, index) {
    const box = await graph(page).boundingBox();
    const [x, y] = await page.evaluate(([each, number]) => {
        const {graph} = window.sinewStudio.layout.mounted.get('curves');
        const axes = graph.axes();
        const [u, v] = graph.shownPoints(each)[number];
        return [axes.x.at(u), axes.y.at(v)];
    }, [name, index]);
    return {x: box.x + x, y: box.y + y};
}

async function dragBy(page, {x, y}, dx, dy, options = {}) {
    await page.mouse.move(x, y);
    await page.mouse.down(options);
    await page.mouse.move(x + dx, y + dy, {steps: 5});
    await page.mouse.up(options);
    await page.evaluate(() => window.sinewStudio.settled());
}

const steps = (page) => page.evaluate(() => window.sinewStudio.active.undo?.count ?? 0);
const view = (page) => page.evaluate(() => {
    const {x, y} = window.sinewStudio.layout.mounted.get('curves').graph.axes();
    return {x: [x.low, x.high], y: [y.low, y.high]};
});

studioTest('keys are dragged in time and value, in degrees and frames', {open: 'arm'},
    async ({page, screenshot}) => {
        const opened = await documentOf(page);
        await page.getByRole('tab', {name: 'Curves'}).click();
        await page.getByRole('option', {name: 'forearm.rx', exact: true}).click();
        await picture(page, screenshot, 'curves-light');
        const all = await view(page);
        assert.ok(all.y[1] > 140 && all.y[1] < 160, `degrees: ${all.y}`);
        assert.ok(all.x[1] > 60 && all.x[1] < 65, `frames: ${all.x}`);

        // What is drawn between the keys is what the frame has.
        await page.evaluate(() => window.sinewStudio.seek(12));
        await shownFrame(page, 12);
        const [drawn, posed] = await page.evaluate(() => {
            const {layout, active: {model, frame}} = window.sinewStudio;
            return [layout.mounted.get('curves').graph.curve('forearm.rx')(12),
                frame.joints[9 * model.segmentIndex('forearm')] * 180 / Math.PI];
        });
        assert.ok(Math.abs(drawn - posed) < 1e-4, `${drawn} is not ${posed}`);

        const point = await pointOnScreen(page, 'forearm.rx', 2);
        const pixel = await page.evaluate(() => {
            const {y} = window.sinewStudio.layout.mounted.get('curves').graph.axes();
            return Math.abs(y.value(0) - y.value(1));
        });
        await changing(page, () => dragBy(page, point, 0, 20));
        const keys = (await documentOf(page)).clips.curl.tracks['forearm.rx'].keys;
        assert.ok(Math.abs(keys[2][1] * 180 / Math.PI - (140 - 20 * pixel)) < 0.01, `${keys[2]}`);
        assert.equal(keys[2][0], 0.95, 'the time stays');
        assert.equal(await steps(page), 1);

        // A box selects two, which move together and go together.
        const [a, b] = [await pointOnScreen(page, 'forearm.rx', 2),
            await pointOnScreen(page, 'forearm.rx', 3)];
        await page.mouse.move(Math.min(a.x, b.x) - 15, Math.min(a.y, b.y) - 12);
        await page.mouse.down();
        await page.mouse.move(Math.max(a.x, b.x) + 15, Math.max(a.y, b.y) + 15, {steps: 4});
        await page.mouse.up();
        await page.getByText('2 keys selected').waitFor();
        await changing(page, () => page.keyboard.press('Delete'));
        assert.equal((await documentOf(page)).clips.curl.tracks['forearm.rx'].keys.length, 4);
        assert.equal(await steps(page), 2);

        // A double click adds one.
        const box = await graph(page).boundingBox();
        await changing(page, () => page.mouse.dblclick(box.x + box.width / 2, box.y + 40));
        assert.equal((await documentOf(page)).clips.curl.tracks['forearm.rx'].keys.length, 5);
        await undoAll(page);
        assert.deepEqual(await documentOf(page), opened);
    });

studioTest('the wheel zooms, the middle button moves, Home shows all', {open: 'arm'},
    async ({page}) => {
        await page.getByRole('tab', {name: 'Curves'}).click();
        const box = await graph(page).boundingBox();
        const middle = {x: box.x + box.width / 2, y: box.y + box.height / 2};
        const all = await view(page);
        await page.mouse.move(middle.x, middle.y);
        await page.mouse.wheel(0, -100);
        await page.waitForFunction((wide) => {
            const {x} = window.sinewStudio.layout.mounted.get('curves').graph.axes();
            return x.high - x.low < 0.9 * wide;
        }, all.x[1] - all.x[0]);
        const near = await view(page);
        assert.ok(near.y[1] - near.y[0] < 0.9 * (all.y[1] - all.y[0]));
        await dragBy(page, middle, 50, 0, {button: 'middle'});
        const moved = await view(page);
        assert.ok(moved.x[0] < near.x[0] - 0.5, 'what was grabbed goes along');
        assert.ok(Math.abs(moved.y[0] - near.y[0]) < 1e-9);
        await page.keyboard.press('Home');
        assert.deepEqual(await view(page), all);
    });

studioTest('the curve of a driver is edited in the same way', {open: 'arm'},
    async ({page, screenshot}) => {
        await page.getByRole('tab', {name: 'Curves'}).click();
        await page.evaluate(() => window.sinewStudio.theme.toggle());
        await select(page, '/drivers/0');
        await page.getByRole('option', {name: 'driver of biceps'}).waitFor();
        await picture(page, screenshot, 'curves-driver');
        const point = await pointOnScreen(page, 'biceps', 1);
        await changing(page, () => dragBy(page, point, -40, 15));
        const {curve} = (await documentOf(page)).drivers[0];
        assert.equal(curve.length, 2);
        assert.ok(curve[1][0] < 138 && curve[1][0] > 130, `${curve[1]}`);
        assert.ok(curve[1][1] < 0.98 && curve[1][1] > 0.5, `${curve[1]}`);
        assert.equal(await steps(page), 1);
        await page.getByRole('tabpanel', {name: 'Curves'}).getByLabel('Interpolation').selectOption('spline');
        await page.waitForFunction(
            () => window.sinewStudio.get('/drivers/0/interpolation') === 'spline'
        );
        await page.evaluate(() => window.sinewStudio.select(null));
        await page.getByRole('option', {name: 'forearm.rx', exact: true}).waitFor();
        await picture(page, screenshot, 'curves-dark');
    });
