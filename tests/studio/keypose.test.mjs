// SPDX-License-Identifier: Apache-2.0
//
// Key poses, pulled with the pointer: on a skin, and on the hidden driver of a wrap.
import {studioTest} from './harness.mjs';
import {
    documentOf,
    drag,
    farthest,
    hold,
    pointsOf,
    reach,
    settled,
    takeTool,
    undoAll,
    untilDocument,
} from './painting.mjs';
import assert from 'node:assert/strict';

function place(points, vertex) {
    return points.slice(3 * vertex, 3 * vertex + 3);
}

function apart(a, b) {
    return Math.hypot(...a.map((x, k) => x - b[k]));
}

studioTest(
    'pulled points stand where they were pulled whenever the pose comes back',
    {open: 'arm'},
    async ({page, call, server, screenshot}) => {
        const text = await server.read('arm', 'arm.sinew.json');
        await settled(page);
        const before = await documentOf(page);
        const atRest = await pointsOf(page, '/skins/skin');
        const panel = await takeTool(page, 'keypose');
        await panel.getByText('pose it first').waitFor();
        await hold(page, {'forearm.rx_deg': 100});
        const bent = await pointsOf(page, '/skins/skin');
        await panel.getByText('the key at 100°').waitFor();

        const elbow = await reach(page, '/skins/skin', [0.41, 1.22, 0.03]);
        await drag(page, [elbow, {x: elbow.x + 30, y: elbow.y + 20}]);
        await untilDocument(page, (document) =>
            document.skins.skin.deformers.some(
                ({kind, poses}) => kind === 'morph' && poses?.[0].follows === 'forearm.rx_deg'
            )
        );
        await settled(page);
        const pulled = await pointsOf(page, '/skins/skin');
        const way = apart(place(pulled, elbow.vertex), place(bent, elbow.vertex));
        assert.ok(way > 0.005, `the point under the pointer went ${way} m`);
        await screenshot('keypose');

        await drag(page, [elbow, {x: elbow.x - 5, y: elbow.y - 5}], {modifier: 'Shift'});
        await page.waitForFunction(() => window.sinewStudio.slots[0].undo?.count === 3);
        await settled(page);
        assert.ok(farthest(await pointsOf(page, '/skins/skin'), pulled) > 1e-4, 'smoothed');
        await page.keyboard.press('Control+z');
        await page.waitForFunction(() => window.sinewStudio.slots[0].undo?.count === 2);
        await settled(page);

        await hold(page, {'forearm.rx_deg': 0});
        assert.ok(
            farthest(await pointsOf(page, '/skins/skin'), atRest) < 1e-6,
            'at rest nothing has changed'
        );
        await panel.getByRole('button', {name: /^100°/}).click();
        await page.waitForFunction(
            () => Math.abs(window.sinewStudio.slots[0].held['forearm.rx_deg'] - 100) < 1e-9
        );
        await page.waitForFunction(
            ([vertex, x]) =>
                Math.abs(
                    window.sinewStudio.active.model.byPath('/skins/skin').points[3 * vertex] - x
                ) < 1e-5,
            [elbow.vertex, pulled[3 * elbow.vertex]]
        );
        assert.ok(farthest(await pointsOf(page, '/skins/skin'), pulled) < 1e-5);

        await panel.getByRole('button', {name: 'Delete the key at 100°'}).click();
        await untilDocument(page, (document) =>
            document.skins.skin.deformers.every(({kind}) => kind !== 'morph')
        );
        await settled(page);
        await undoAll(page);
        assert.deepEqual(await documentOf(page), before);
        await call('save', {slot: 0});
        assert.deepEqual(await server.read('arm', 'arm.sinew.json'), text);
    }
);

studioTest(
    'key-posed driver points carry the wrapped skin along',
    {open: 'thighs'},
    async ({page, screenshot}) => {
        await settled(page);
        const panel = await takeTool(page, 'keypose');
        await panel.getByLabel('Skin').selectOption('apart_driver');
        await page.waitForFunction(
            () => window.sinewStudio.active.model.byPath('/skins/apart_driver').hasGeometry
        );
        await hold(page, {'right_apart.rx_deg': 40});
        await page.evaluate(() => window.sinewStudio.viewport.setLayer('skin', 'hidden'));
        await settled(page);
        const driver = await pointsOf(page, '/skins/apart_driver');
        const skin = await pointsOf(page, '/skins/apart');
        const at = await reach(page, '/skins/apart_driver', [-0.31, 0.6, 0.09]);
        await drag(page, [at, {x: at.x - 25, y: at.y}]);
        await untilDocument(page, (document) =>
            document.skins.apart_driver.deformers.some(({kind}) => kind === 'morph')
        );
        await page.evaluate(() => window.sinewStudio.viewport.setLayer('skin', 'shown'));
        await settled(page);
        const moved = await pointsOf(page, '/skins/apart_driver');
        assert.ok(apart(place(moved, at.vertex), place(driver, at.vertex)) > 0.005);
        await page.waitForFunction(
            (length) =>
                window.sinewStudio.active.model.byPath('/skins/apart').points?.length === length,
            skin.length
        );
        assert.ok(
            farthest(await pointsOf(page, '/skins/apart'), skin) > 0.001,
            'the skin follows its driver'
        );
        await screenshot('driver');
        await panel.getByRole('button', {name: 'Mirror to left_apart.rx_deg'}).click();
        await page.getByText('no points on the other side').waitFor();
        await undoAll(page);
    }
);
