// SPDX-License-Identifier: Apache-2.0
//
// What the tests of brushes, dialogs and the start page share.
import assert from 'node:assert/strict';

export {
    documentOf, drag, farthest, hold, pointsOf, settled, sinew, undoAll, untilDocument,
} from './character.mjs';

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

/** Takes a tool and gives its panel. */
export async function takeTool(page, id) {
    await page.getByTestId(`tool-${id}`).click();
    await page.waitForFunction((each) => window.sinewStudio.tool?.id === each, id);
    return page.locator('[data-panel="tool"]');
}
