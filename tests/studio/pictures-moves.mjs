// SPDX-License-Identifier: Apache-2.0
//
// What pictures are arranged with: camera, time, layers, fields, places of a character.
import {settled, untilDocument} from './character.mjs';
import {lookFrom} from './modelling.mjs';

export const look = (page, {azimuth, elevation = 0, at = null, distance = null}) =>
    lookFrom(page, azimuth, elevation, {at, distance});

export const select = (page, path) =>
    page.evaluate((each) => window.sinewStudio.select(each), path);

/** @param {'shown'|'clear'|'hidden'} mode */
export const setLayer = (page, name, mode) => page.evaluate(([each, how]) =>
    window.sinewStudio.viewport.setLayer(each, how), [name, mode]);

/** Folds the layers, or unfolds them, where they are in the way. */
export const foldLayers = (page) =>
    page.getByRole('button', {name: 'Layers and colours'}).click();

export async function seek(page, frame) {
    await page.evaluate((number) => window.sinewStudio.seek(number), frame);
    await page.waitForFunction((number) =>
        window.sinewStudio.active.frame?.number === number, frame);
    await settled(page);
}

/** Types a number into a field. */
export async function type(page, label, text) {
    const box = page.getByRole('spinbutton', {name: label, exact: true});
    await box.fill(text);
    await box.press('Enter');
}

/** Gives the muscle of the tool in hand a name. */
export async function rename(page, name) {
    const panel = page.locator('[data-panel="tool"]');
    const box = panel.getByRole('textbox', {name: 'Name', exact: true});
    await box.fill(name);
    await box.press('Enter');
    await untilDocument(page, (document, wanted) => document.muscles[wanted] !== undefined, name);
    await settled(page);
}

/** Takes pointer and focus away from everything. */
export async function pointAway(page) {
    await page.mouse.move(1000, 715);
    await page.evaluate(() => document.activeElement?.blur());
}

/** A pixel at which a bone is hit, near a part of its box, and what is hit there. */
export function boneAt(page, name, part) {
    return page.evaluate(([bone, share]) => {
        const {viewport, slots} = window.sinewStudio;
        const surface = slots[0].model.surfaces.find((s) => s.layer === 'bone' && s.name === bone);
        const box = viewport.canvas.getBoundingClientRect();
        const hits = [];
        for (let i = 0; i < surface.vertexCount; ++i) {
            const [x, y, z] = surface.points.subarray(3 * i, 3 * i + 3);
            const at = viewport.project({x, y, z});
            const event = {clientX: at.x + box.left, clientY: at.y + box.top};
            const hit = viewport.pick(event, {layers: ['bone'], slot: 0});
            if (hit?.surface === surface) {
                hits.push({x: event.clientX, y: event.clientY, height: y});
            }
        }
        hits.sort((a, b) => a.height - b.height);
        return hits[Math.floor(share * (hits.length - 1))] ?? null;
    }, [name, part]);
}
