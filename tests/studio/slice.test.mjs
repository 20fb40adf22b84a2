// SPDX-License-Identifier: Apache-2.0
//
// The field slice: shown by its button, moved and turned in the panel and by its handles, carried by
// a segment while a pose is dragged, with other tools.
import assert from 'node:assert/strict';
import {studioTest} from './harness.mjs';
import {chooseTool, drag, hold, lookFrom, markOnScreen, settled} from './modelling.mjs';

/** What is shown of the slice: its window, its lines, its values. */
function sliceOf(page) {
    return page.evaluate(() => {
        const {slots, viewport} = window.sinewStudio;
        const {frame} = slots[0];
        const picture = viewport.slice.picture(0);
        const {slice} = frame;
        return {shown: picture.group.visible, lines: picture.surface.length / 6,
            surface: [...picture.surface.slice(0, 600)],
            origin: slice?.origin, u: slice?.u, v: slice?.v,
            most: slice === null ? null : Math.max(...slice.values),
            plane: viewport.slice.plane};
    });
}

/** Waits until the frame that is shown has the slice that is asked for. */
async function arrived(page) {
    await page.waitForFunction(() => {
        const {slots, viewport} = window.sinewStudio;
        const wanted = viewport.slice.wanted(slots[0]);
        const {slice} = slots[0].frame;
        const {segment} = viewport.slice.plane;
        const near = (a, b) => a.every((x, k) => Math.abs(x - b[k]) < 1e-5);
        return slice !== null && wanted !== null && slice.columns === wanted.columns &&
            (segment !== null || (near(slice.origin, wanted.origin) && near(slice.u, wanted.u) &&
                near(slice.v, wanted.v)));
    });
}

async function show(page) {
    await page.evaluate(() => document.querySelector('[data-testid=tour] button')?.click());
    await page.getByRole('button', {name: 'Field slice'}).click();
    await arrived(page);
}

const normalOf = ({u, v}) => [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
    u[0] * v[1] - u[1] * v[0]].map((x) => x / Math.hypot(...u) / Math.hypot(...v));

studioTest('a slice is shown, moved and turned, in the panel and by its handles',
    {open: 'strongarm', draws: true}, async ({page, screenshot}) => {
        await settled(page);
        await lookFrom(page, 0.6, 0.3);
        await show(page);
        const first = await sliceOf(page);
        assert.ok(first.shown && first.lines > 50 && first.most > 0.8,
            `${first.shown}, ${first.lines} lines, up to ${first.most}`);
        // Its line is that of the surface: near vertices of the skin.
        const away = await page.evaluate((lines) => {
            const {points} = window.sinewStudio.slots[0].model.surfaces.find(({field}) => field);
            let worst = 0;
            for (let i = 0; i < lines.length; i += 30) {
                let least = Infinity;
                for (let k = 0; k < points.length; k += 3) {
                    least = Math.min(least, Math.hypot(points[k] - lines[i],
                        points[k + 1] - lines[i + 1], points[k + 2] - lines[i + 2]));
                }
                worst = Math.max(worst, least);
            }
            return worst;
        }, first.surface);
        assert.ok(away < 0.03, `the line of the surface is ${away} m from the skin`);
        await screenshot('slice');
        await page.getByLabel('Turn').last().fill('90');
        await page.keyboard.press('Enter');
        await arrived(page);
        const turned = await sliceOf(page);
        assert.ok(Math.abs(normalOf(turned)[0] - 1) < 1e-5);
        const center = ({origin, u, v}) => origin.map((x, k) => x + (u[k] + v[k]) / 2);
        const pull = async (handle, [x, y]) => {
            const from = await markOnScreen(page, {handle});
            await drag(page, [from, {x: from.x + x, y: from.y + y}]);
            await arrived(page);
        };
        await pull('normal', [30, 0]);
        const moved = await sliceOf(page);
        const by = center(moved).map((x, k) => x - center(turned)[k]);
        assert.ok(Math.abs(by[0]) > 0.002 && Math.hypot(by[1], by[2]) < 1e-5, `${by}`);
        await pull('tilt', [60, 0]);
        const tilted = await sliceOf(page);
        assert.ok(Math.abs(normalOf(tilted)[1]) > 0.05);
        assert.ok(Math.hypot(...center(tilted).map((x, k) => x - center(moved)[k])) < 1e-5);
        await screenshot('slice-tilted');
    });

studioTest('a slice that a segment carries goes along while a pose is dragged, with other tools',
    {open: 'strongarm'}, async ({page, screenshot}) => {
        await settled(page);
        await show(page);
        await page.getByLabel('Goes with').selectOption('forearm');
        await settled(page);
        const before = await sliceOf(page);
        await chooseTool(page, 'Pose');
        await page.evaluate(() => {
            window.slices = [];
            window.sinewStudio.on('frame', () => {
                window.slices.push(window.sinewStudio.slots[0].frame.slice !== null);
            });
        });
        await hold(page, {'forearm.rx_deg': 70});
        await settled(page);
        const after = await sliceOf(page);
        assert.ok(after.shown && after.lines > 20);
        assert.ok(Math.hypot(...after.origin.map((x, k) => x - before.origin[k])) > 0.02);
        const still = await page.evaluate(() => window.slices);
        assert.ok(still.length > 1 && still.every(Boolean), 'each frame of the drag has its slice');
        await screenshot('slice-with-forearm');
        await page.getByRole('button', {name: 'Field slice'}).click();
        await settled(page);
        const off = await sliceOf(page);
        assert.ok(!off.shown && off.plane === null);
    });

studioTest('a character without a field has no slice', {open: 'arm'}, async ({page}) => {
    await settled(page);
    await page.getByRole('button', {name: 'Field slice'}).waitFor({state: 'hidden'});
});
