// SPDX-License-Identifier: Apache-2.0
//
// What tests of the modelling tools share: waiting for the model, points of surfaces on the screen,
// real clicks and drags of the mouse.
import assert from 'node:assert/strict';

export {
    documentOf, drag, farthest as largestMove, hold, pointsOf, settled, untilDocument,
} from './character.mjs';

/** Takes a tool in the hand; the tour of the first start is left. */
export async function chooseTool(page, name) {
    await page.evaluate(() => document.querySelector('[data-testid=tour] button')?.click());
    const tools = page.getByRole('toolbar', {name: 'Tools'});
    await tools.getByRole('button', {name, exact: true}).click();
}

/** Turns the camera without an animation. */
export async function lookFrom(page, azimuth, elevation, {at = null, distance = null} = {}) {
    await page.evaluate(([a, e, target, away]) => {
        const {viewport} = window.sinewStudio;
        const {orbit} = viewport;
        orbit.flight = null;
        orbit.azimuth = a;
        orbit.elevation = e;
        if (target !== null) {
            orbit.target.set(...target);
        }
        orbit.distance = away ?? orbit.distance;
        orbit.update();
    }, [azimuth, elevation, at, distance]);
}

/** Where a point of the world is on the screen. */
export function onScreen(page, point) {
    return page.evaluate(([x, y, z]) => {
        const {viewport} = window.sinewStudio;
        const box = viewport.canvas.getBoundingClientRect();
        const at = viewport.project({x, y, z});
        return {x: at.x + box.left, y: at.y + box.top};
    }, point);
}

/** Where the vertex of a surface that is nearest to a point at rest is on the screen, now. */
export async function vertexOnScreen(page, path, rest) {
    const posed = await page.waitForFunction(([place, [x, y, z]]) => {
        const surface = window.sinewStudio.slots[0].model.byPath(place);
        if (surface?.rest == null || surface.points === null) {
            return null; // the model has just changed
        }
        let best = 0;
        let nearest = Infinity;
        for (let i = 0; i < surface.vertexCount; ++i) {
            const away = Math.hypot(surface.rest[3 * i] - x, surface.rest[3 * i + 1] - y,
                surface.rest[3 * i + 2] - z);
            if (away < nearest) {
                [best, nearest] = [i, away];
            }
        }
        return [...surface.points.subarray(3 * best, 3 * best + 3)];
    }, [path, rest]);
    return onScreen(page, await posed.jsonValue());
}

export async function click(page, {x, y}) {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.up();
}

/** The client position of a dot of the tool in hand, by its data. */
export async function markOnScreen(page, data) {
    const point = await page.evaluate((wanted) => {
        const {tool} = window.sinewStudio;
        const found = (tool.view?.marks ?? tool.marks).found.find((mark) => {
            return mark.points.length === 1 &&
                Object.entries(wanted).every(([key, value]) => mark.data[key] === value);
        });
        return found === undefined ? null : found.points[0];
    }, data);
    assert.notEqual(point, null, `no mark ${JSON.stringify(data)}`);
    return onScreen(page, point);
}
