// SPDX-License-Identifier: Apache-2.0
//
// Pictures of the first muscle, step by step: a brachialis on the outer side of the arm.
import {hold, settled, untilDocument} from './character.mjs';
import {drag, onScreen} from './modelling.mjs';
import {look, rename, seek, type} from './pictures-moves.mjs';

const OUTSIDE = {azimuth: 1.15, elevation: 0.12, at: [0.3, 1.3, 0], distance: 1.25};
// Along the axis of the upper arm, at rest.
const SHOULDER = [0.2, 1.42, 0];
const ELBOW = [0.405, 1.215, 0];

/** A line along the upper arm as it is seen, so many pixels beside its axis. */
export async function lineAlong(page, offset, from = offset > 0 ? 0.12 : 0.2, to = 0.85) {
    const [a, b] = [await onScreen(page, SHOULDER), await onScreen(page, ELBOW)];
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const length = Math.hypot(dx, dy);
    return Array.from({length: 15}, (_, i) => {
        const t = from + ((to - from) * i) / 14;
        const bow = offset * (0.55 + 1.8 * t * (1 - t));
        return {x: a.x + t * dx - (bow * dy) / length, y: a.y + t * dy + (bow * dx) / length};
    });
}

export const OFFSETS = [22, -22];

export async function openArm(photographer, options = {}) {
    const {page} = await photographer.start(options);
    await page.getByTestId('gallery-arm').click();
    await settled(page);
    return page;
}

/** The arm with the new muscle, named and done. */
export async function drawBrachialis(page, {done = true} = {}) {
    await look(page, OUTSIDE);
    await page.getByTestId('tool-draw').click();
    for (const offset of OFFSETS) {
        await drag(page, await lineAlong(page, offset));
    }
    await untilDocument(page, (document) => document.muscles.muscle !== undefined);
    await settled(page);
    await rename(page, 'brachialis');
    if (done) {
        await page.getByRole('button', {name: 'Done', exact: true}).click();
        await page.waitForFunction(() =>
            window.sinewStudio.selection?.path === '/muscles/brachialis');
    }
    await settled(page);
}

export async function driveByElbow(page) {
    await page.getByLabel('Driven by', {exact: true}).selectOption('forearm.rx_deg');
    await untilDocument(page, (document) =>
        document.drivers.some((each) =>
            each.control === document.muscles.brachialis.contraction));
    await settled(page);
}

export const walk = {
    'walk-1': async (photographer) => {
        const {page} = await photographer.start({first: true});
        await page.getByTestId('tour').waitFor();
        await page.getByTestId('gallery-human').locator('img').evaluate((each) => each.decode());
        await photographer.take();
    },

    'walk-2': async (photographer) => {
        const page = await openArm(photographer, {first: true});
        await page.getByTestId('tour').getByText('Step 2').waitFor();
        await photographer.take();
    },

    'walk-3': async (photographer) => {
        const page = await openArm(photographer, {first: true});
        await look(page, OUTSIDE);
        await page.getByTestId('tool-draw').click();
        await page.getByTestId('tour').getByText('Step 3').waitFor();
        const line = await lineAlong(page, OFFSETS[0]);
        await page.mouse.move(line[0].x, line[0].y);
        await page.mouse.down();
        for (const {x, y} of line.slice(1)) {
            await page.mouse.move(x, y, {steps: 4});
        }
        await photographer.take();
        await page.mouse.up();
    },

    'walk-4': async (photographer) => {
        const page = await openArm(photographer);
        await drawBrachialis(page, {done: false});
        await page.mouse.move(520, 500);
        await photographer.take();
    },

    'walk-5': async (photographer) => {
        const page = await openArm(photographer);
        await drawBrachialis(page);
        await type(page, 'Bulge', '2');
        await untilDocument(page, (document) => document.muscles.brachialis.bulge === 2);
        await settled(page);
        await page.evaluate(() => window.sinewStudio.setTool('select'));
        await page.evaluate(() => window.sinewStudio.select(null));
        await page.evaluate(() => window.sinewStudio.viewport.setLayer('skin', 'shown'));
        await look(page, {azimuth: 0.1, elevation: 0.1, at: [0.33, 1.31, 0], distance: 0.95});
        await settled(page);
        const clip = await photographer.view({left: 130, right: 130, top: 0, bottom: 0});
        await page.evaluate(() => {
            document.querySelectorAll('.glass').forEach((each) => each.remove());
        });
        await photographer.take({ending: 'a', clip});
        const control = await page.evaluate(() =>
            window.sinewStudio.get('/muscles/brachialis/contraction'));
        await hold(page, {[control]: 1});
        await photographer.take({ending: 'b', clip});
    },

    'walk-6': async (photographer) => {
        const page = await openArm(photographer);
        await drawBrachialis(page);
        await driveByElbow(page);
        await seek(page, 17);
        await page.getByLabel('Driven by', {exact: true}).scrollIntoViewIfNeeded();
        await page.locator('[data-panel="tool"]').evaluate((panel) => {
            const scroller = [...panel.querySelectorAll('*'), panel, panel.parentElement]
                .find((each) => each.scrollHeight > each.clientHeight + 40);
            scroller?.scrollBy(0, 150);
        });
        await look(page, {azimuth: 1.15, elevation: 0.12, at: [0.3, 1.29, 0.06], distance: 1.35});
        await photographer.take();
    },

    'walk-7': async (photographer) => {
        const page = await openArm(photographer);
        await drawBrachialis(page);
        await page.keyboard.press('Control+s');
        const dialog = page.getByRole('dialog', {name: 'Save as'});
        await dialog.waitFor();
        await dialog.getByRole('textbox').last().fill('my-arm');
        await photographer.take();
    },
};
