// SPDX-License-Identifier: Apache-2.0
//
// What tests of the viewport do again and again: wait for pictures, take them, ask the camera.
import {settled} from './character.mjs';

/** Waits until all that is to be drawn is there, and drawn where the viewport draws by itself. */
export async function drawn(page, slot = 0) {
    await settled(page, slot);
    await page.evaluate(() => {
        const {viewport} = window.sinewStudio;
        return viewport.paused ? null : viewport.settle();
    });
}

/** Changes something in the viewport and waits for the picture. */
export async function change(page, body, argument) {
    await page.evaluate(body, argument);
    await drawn(page);
}

/** The part of the canvas that no control covers. */
export async function clearPart(page) {
    const box = await page.getByTestId('viewport').boundingBox();
    return {x: box.x + 215, y: box.y + 60, width: box.width - 235, height: box.height - 130};
}

/** A picture of that part. */
export const clearPicture = async (studio) => studio.picture(await clearPart(studio.page));

export const viewState = (page) => page.evaluate(() => {
    const {orbit} = window.sinewStudio.viewport;
    return {azimuth: orbit.azimuth, elevation: orbit.elevation, distance: orbit.distance,
        target: orbit.target.toArray()};
});

/** A point of the page over the middle of a surface's box, and what is picked there. */
export const middleOf = (page, path, slot = 0) => page.evaluate(([wanted, index]) => {
    const {viewport} = window.sinewStudio;
    const {box} = viewport.views[index].body.find(wanted);
    const at = viewport.project(box.min.clone().lerp(box.max, 0.5), index);
    const canvas = viewport.canvas.getBoundingClientRect();
    return {x: canvas.left + at.x, y: canvas.top + at.y};
}, [path, slot]);

export async function drag(page, from, to, button, modifiers = []) {
    for (const key of modifiers) {
        await page.keyboard.down(key);
    }
    await page.mouse.move(from.x, from.y);
    await page.mouse.down({button});
    await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
    await page.mouse.move(to.x, to.y);
    await page.mouse.up({button});
    for (const key of modifiers) {
        await page.keyboard.up(key);
    }
}
