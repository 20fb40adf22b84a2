// SPDX-License-Identifier: Apache-2.0
//
// What page tests ask of the character at work: its document, its model, its points, its steps.
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {promisify} from 'node:util';

const run = promisify(execFile);

/** Runs the program itself, to compare with; its errors fail the test. @returns what it prints */
export async function sinew(...words) {
    const {stdout} = await run(process.env.SINEW_PROGRAM, words, {maxBuffer: 1 << 26});
    return stdout;
}

export const documentOf = (page) => page.evaluate(() => window.sinewStudio.active.document);

/** Waits until the document fulfils something; the function runs in the page: it sees nothing else. */
export async function untilDocument(page, fulfils, value = null) {
    const body = `return (${fulfils})(window.sinewStudio.active.document, value);`;
    await page.waitForFunction(new Function('value', body), value);
}

/**
 * Waits until what was asked of the server is done: the model is that of the document, and its
 * surfaces have the points of this pose.
 */
export async function settled(page, index = 0) {
    await page.waitForFunction((each) => {
        const {slots, viewport, wire} = window.sinewStudio;
        const slot = slots[each];
        const {model, frame} = slot;
        return wire.unanswered === 0 && model !== null && model.revision === slot.revision &&
            slot.error === null &&
            frame?.worlds != null && frame.model === model.serial &&
            !viewport.views[each].body.lacks(model) &&
            // Frames bring normals; points alone may be those at rest.
            viewport.request.wanted(slot).every(({normals}) => normals !== null);
    }, index);
}

/** Holds parameters (controls, or SEGMENT.rx_deg) and waits until a frame shows them. */
export async function hold(page, values) {
    await page.evaluate((each) => window.sinewStudio.hold(each), values);
    await page.waitForFunction((wanted) => {
        const {model, frame} = window.sinewStudio.active;
        const shown = (name) => {
            const [, segment, parameter] = /^(.*)\.(r[xyz])_deg$/.exec(name) ?? [];
            return segment === undefined ? frame.controls[model.controlIndex(name)] :
                frame.joints[9 * model.segmentIndex(segment) +
                    ['rx', 'ry', 'rz'].indexOf(parameter)] * 180 / Math.PI;
        };
        return frame?.joints && frame.controls && Object.entries(wanted)
            .every(([name, value]) => Math.abs(shown(name) - value) < 1e-6);
    }, values);
    await settled(page);
}

/** The points of a surface as they are shown; those of a model that is new are waited for. */
export async function pointsOf(page, path) {
    const points = await page.waitForFunction((place) => {
        const surface = window.sinewStudio.active.model?.byPath(place);
        return surface?.points ? [...surface.points] : null;
    }, path);
    return points.jsonValue();
}

/** The largest distance of a point between two arrays of coordinates. */
export function farthest(a, b) {
    assert.equal(a.length, b.length);
    let most = 0;
    for (let i = 0; i < a.length; i += 3) {
        most = Math.max(most, Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]));
    }
    return most;
}

/** Undoes everything there is: edits and held values. */
export async function undoAll(page) {
    for (;;) {
        const count = await page.evaluate(() => window.sinewStudio.active.undo?.count ?? 0);
        if (count === 0) {
            return;
        }
        await page.evaluate(() => window.sinewStudio.undo());
        await page.waitForFunction(
            (old) => (window.sinewStudio.active.undo?.count ?? 0) < old, count);
    }
}

/** Drags with the left button through points of the page. */
export async function drag(page, points, {steps = 6, modifier = null} = {}) {
    await page.mouse.move(points[0].x, points[0].y);
    if (modifier !== null) {
        await page.keyboard.down(modifier);
    }
    await page.mouse.down();
    for (const {x, y} of points.slice(1)) {
        await page.mouse.move(x, y, {steps});
    }
    await page.mouse.up();
    if (modifier !== null) {
        await page.keyboard.up(modifier);
    }
}
