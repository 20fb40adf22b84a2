// SPDX-License-Identifier: Apache-2.0
//
// Sets of a wrap, chosen with the pointer on the skin and on its hidden driver.
import {studioTest} from './harness.mjs';
import {
    documentOf,
    drag,
    farthest,
    pointsOf,
    reach,
    settled,
    takeTool,
    undoAll,
    untilDocument,
} from './painting.mjs';
import assert from 'node:assert/strict';

const SKIN = '/skins/together';
const DRIVER = '/skins/together_driver';
// The inner side of the left thigh, which the right one drags along.
const LEFT_INSIDE = [0.24, 0.55, 0.03];
const RIGHT_INSIDE = [0.22, 0.55, 0.03];

/** Looks from the side that an inner side is seen from. */
function look(page, azimuth) {
    return page.evaluate((angle) => {
        const {orbit} = window.sinewStudio.viewport;
        orbit.turn(angle - orbit.azimuth, 0);
    }, azimuth);
}

studioTest(
    'a set changes what a wrap follows',
    {open: 'thighs'},
    async ({page, call, server, screenshot}) => {
        const text = await server.read('thighs', 'thighs.sinew.json');
        await settled(page);
        const before = await documentOf(page);
        await call('seek', {frame: 30});
        await page.waitForFunction(() => window.sinewStudio.slots[0].frame?.number === 30);
        await page.evaluate((path) => window.sinewStudio.select(path), SKIN);
        const panel = await takeTool(page, 'sets');
        assert.equal(await panel.getByLabel('Wrap').inputValue(), 'together 0', 'what is selected');
        await page.waitForFunction(
            (path) => window.sinewStudio.active.model.byPath(path).hasGeometry,
            DRIVER
        );
        await settled(page);
        const dragged = await pointsOf(page, SKIN);

        await panel.getByRole('button', {name: 'Add a set'}).click();
        await look(page, -0.8);
        const at = await reach(page, SKIN, LEFT_INSIDE);
        await page.mouse.move(at.x, at.y);
        await page.mouse.down();
        await page.keyboard.press('Escape');
        await page.mouse.up();
        await panel.getByRole('button', {name: 'Points (0)'}).waitFor();
        await drag(page, [at, {x: at.x, y: at.y + 60}, {x: at.x, y: at.y - 40}]);
        await panel.getByText('Now choose faces of the driver mesh.').waitFor();
        assert.deepEqual(
            await documentOf(page),
            before,
            'a set without faces waits beside the document'
        );

        // A change of the document between a model and its first frame, when nothing has points.
        await page.evaluate(() => {
            const {active, emit} = window.sinewStudio;
            const {surfaces} = active.model;
            const points = surfaces.map((surface) => surface.points);
            surfaces.forEach((surface) => (surface.points = null));
            emit.call(window.sinewStudio, 'document', active, {patch: []});
            surfaces.forEach((surface, i) => (surface.points = points[i]));
            emit.call(window.sinewStudio, 'frame', active);
        });
        await panel.getByRole('button', {name: /^Faces/}).click();
        await page.evaluate(() => window.sinewStudio.viewport.setLayer('skin', 'hidden'));
        await look(page, 0.8);
        const face = await reach(page, DRIVER, RIGHT_INSIDE);
        await drag(page, [face, {x: face.x, y: face.y + 60}, {x: face.x, y: face.y - 60}]);
        await untilDocument(
            page,
            (document) => document.skins.together.deformers[0].sets?.length === 1
        );
        await settled(page);
        await page.waitForFunction(() => window.sinewStudio.slots[0].frame?.number === 30);
        assert.equal((await documentOf(page)).skins.together.deformers[0].sets[0].mode, 'remove');
        await page.evaluate(() => window.sinewStudio.viewport.setLayer('skin', 'clear'));
        const freed = await pointsOf(page, SKIN);
        assert.ok(farthest(freed, dragged) > 0.001, 'points follow other faces now');
        await screenshot('sets');
        await page.keyboard.press('m');
        await page.getByText('no counterpart on the other side').waitFor();

        await panel.getByRole('button', {name: 'Remove set 1'}).click();
        await untilDocument(
            page,
            (document) => document.skins.together.deformers[0].sets === undefined
        );
        await settled(page);
        assert.equal(farthest(await pointsOf(page, SKIN), dragged), 0);
        await undoAll(page);
        assert.deepEqual(await documentOf(page), before);
        await call('save', {slot: 0});
        assert.deepEqual(await server.read('thighs', 'thighs.sinew.json'), text);
    }
);
