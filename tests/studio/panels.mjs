// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the panels share.
import assert from 'node:assert/strict';

export {documentOf, pointsOf as points, sinew, undoAll} from './character.mjs';

export function select(page, path) {
    return page.evaluate((each) => window.sinewStudio.select(each), path);
}

/** Runs what changes the document and waits until the model of it is there. */
export async function changing(page, change) {
    const before = await page.evaluate(() => window.sinewStudio.active.revision);
    const result = await change();
    await page.waitForFunction((revision) => {
        const {active} = window.sinewStudio;
        return active.revision > revision && active.model?.revision === active.revision;
    }, before);
    return result;
}

/** Waits until a frame is shown: its numbers are those of the page's arrays. */
export function shownFrame(page, frame) {
    return page.waitForFunction((wanted) => {
        const {active, time} = window.sinewStudio;
        return (
            time.frame === wanted &&
            active.frame?.number === wanted &&
            active.frame.model === active.model.serial
        );
    }, frame);
}

/** The lines of a row of the outliner. */
export function row(page, path) {
    return page.locator(`.outliner-row[data-path="${path}"]`);
}

/** A turn of the page, in which it takes in what the pointer did. */
export function turn(page) {
    return page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve())));
}

/** Drags the thumb of a slider by a share of its length. */
export async function dragSlider(page, slider, from, to) {
    await slider.scrollIntoViewIfNeeded();
    const box = await slider.boundingBox();
    const at = (share) => box.x + 6 + share * (box.width - 12);
    const y = box.y + box.height / 2;
    await page.mouse.move(at(from), y);
    await page.mouse.down();
    for (let step = 1; step <= 8; step++) {
        await page.mouse.move(at(from + ((to - from) * step) / 8), y);
        await turn(page);
    }
    await page.mouse.up();
}

/** Vertices of a frame of a PC2 cache, as float32 bits. */
export function cachedFrame(bytes, frame) {
    assert.equal(bytes.toString('latin1', 0, 11), 'POINTCACHE2');
    const count = bytes.readInt32LE(16);
    const start = 32 + frame * count * 12;
    return new Uint32Array(
        bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + start + 12 * count)
    );
}

/** Takes a picture without the tour of the first start. */
export async function picture(page, screenshot, name) {
    await page.evaluate(() => document.querySelector('[data-testid=tour] button')?.click());
    await page.mouse.move(300, 500);
    return screenshot(name);
}
