// SPDX-License-Identifier: Apache-2.0
//
// What the tests of brushes, dialogs and the start page share.
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {promisify} from 'node:util';

const run = promisify(execFile);

/** The program itself, to compare with. */
export const sinew = (...words) => run(process.env.SINEW_PROGRAM, words);

/** Waits until the model is that of the document, and its points of this pose are drawn. */
export async function settled(page) {
    await page.waitForFunction(() => {
        const studio = window.sinewStudio;
        const {model, revision, frame} = studio.slots[0];
        return (
            model !== null &&
            model.revision === revision &&
            frame !== null &&
            studio.viewport.views[0].body.serial === model.serial
        );
    });
}

/** Holds parameters and waits until a frame shows them. */
export async function hold(page, values) {
    await page.evaluate(async (each) => {
        const studio = window.sinewStudio;
        const came = new Promise((resolve) => {
            const off = studio.on('frame', () => {
                off();
                resolve();
            });
        });
        await studio.hold(each);
        await came;
    }, values);
    await settled(page);
}

/** The points of a skin where it is seen, as a plain array. */
export function pointsOf(page, path) {
    return page.evaluate((each) => [...window.sinewStudio.active.model.byPath(each).points], path);
}

export function documentOf(page) {
    return page.evaluate(() => window.sinewStudio.slots[0].document);
}

/** Waits until the document fulfils something. */
export async function untilDocument(page, fulfils, what = String(fulfils)) {
    const end = Date.now() + 30000;
    while (!fulfils(await documentOf(page))) {
        assert.ok(Date.now() < end, `the document never came to: ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

/** The largest distance of a point between two arrays of points. */
export function farthest(a, b) {
    assert.equal(a.length, b.length);
    let most = 0;
    for (let i = 0; i < a.length; i += 3) {
        most = Math.max(most, Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]));
    }
    return most;
}

/**
 * Where on the page a pointer reaches a skin: the vertex nearest to a place at rest that nothing
 * hides. @returns {Promise<{x, y, vertex}>}
 */
export async function reach(page, path, place) {
    const found = await page.evaluate(
        ([skin, [px, py, pz]]) => {
            const {viewport, active} = window.sinewStudio;
            const surface = active.model.byPath(skin);
            const box = viewport.canvas.getBoundingClientRect();
            const {rest, points} = surface;
            const away = (v) =>
                Math.hypot(rest[3 * v] - px, rest[3 * v + 1] - py, rest[3 * v + 2] - pz);
            const order = Array.from({length: surface.vertexCount}, (_, v) => v).sort(
                (a, b) => away(a) - away(b)
            );
            for (const vertex of order.slice(0, 2000)) {
                const at = {
                    x: points[3 * vertex],
                    y: points[3 * vertex + 1],
                    z: points[3 * vertex + 2],
                };
                const {x, y} = viewport.project(at);
                const event = {clientX: box.left + x, clientY: box.top + y};
                const hit = viewport.pick(event, {layers: ['skin', 'driver']});
                if (hit?.surface === surface && hit.vertex === vertex) {
                    return {x: event.clientX, y: event.clientY, vertex};
                }
            }
            return null;
        },
        [path, place]
    );
    assert.notEqual(found, null, `no vertex of ${path} near ${place} can be reached`);
    return found;
}

/** Drags the pointer along some points with the left button held. */
export async function drag(page, points, {modifier = null} = {}) {
    await page.mouse.move(points[0].x, points[0].y);
    if (modifier !== null) {
        await page.keyboard.down(modifier);
    }
    await page.mouse.down();
    for (const {x, y} of points.slice(1)) {
        await page.mouse.move(x, y, {steps: 5});
    }
    await page.mouse.up();
    if (modifier !== null) {
        await page.keyboard.up(modifier);
    }
}

/** Takes a tool and gives its panel. */
export async function takeTool(page, id) {
    await page.getByTestId(`tool-${id}`).click();
    await page.waitForFunction((each) => window.sinewStudio.tool?.id === each, id);
    return page.locator('[data-panel="tool"]');
}

/** Undoes everything there is. */
export async function undoAll(page) {
    for (;;) {
        const more = await page.evaluate(async () => {
            const studio = window.sinewStudio;
            if (studio.slots[0].undo === null) {
                return false;
            }
            await studio.undo();
            return true;
        });
        if (!more) {
            break;
        }
    }
}
