// SPDX-License-Identifier: Apache-2.0
//
// Fibre muscles: placed and shaped with the mouse, swinging while a pose is dragged, measured.
import assert from 'node:assert/strict';
import {studioTest} from './harness.mjs';
import {
    chooseTool, click, documentOf, drag, hold, largestMove, lookFrom, markOnScreen, onScreen, pointsOf,
    settled, untilDocument,
} from './modelling.mjs';

/** A pixel at which a bone, or the skin, is hit, near a part of its height. */
function pixelOn(page, path, part) {
    return page.evaluate(([place, share]) => {
        const {viewport, slots} = window.sinewStudio;
        const surface = slots[0].model.byPath(place);
        const box = viewport.canvas.getBoundingClientRect();
        const hits = [];
        const step = Math.ceil(surface.vertexCount / 2000);
        for (let i = 0; i < surface.vertexCount; i += step) {
            const [x, y, z] = surface.points.subarray(3 * i, 3 * i + 3);
            const at = viewport.project({x, y, z});
            const event = {clientX: at.x + box.left, clientY: at.y + box.top};
            const hit = viewport.pick(event, {layers: [surface.layer], slot: 0});
            if (hit?.surface === surface) {
                hits.push({x: event.clientX, y: event.clientY, height: y});
            }
        }
        hits.sort((a, b) => a.height - b.height);
        return hits[Math.floor(share * (hits.length - 1))] ?? null;
    }, [path, part]);
}

async function clickOn(page, places) {
    for (const [path, part] of places) {
        const at = await pixelOn(page, path, part);
        assert.notEqual(at, null, `${path} is not seen`);
        await click(page, at);
    }
}

async function takeTool(page, {broad = false, mirror = false} = {}) {
    await chooseTool(page, 'Muscle between bones');
    await page.getByLabel('Kind').selectOption('fibre');
    if (broad) {
        await page.getByLabel('Broad', {exact: true}).check();
    }
    if (mirror) {
        await page.getByLabel('Mirror image (X)').check();
    }
}

async function placeFibre(page, places, options) {
    await takeTool(page, options);
    await lookFrom(page, 0.2, 0.1);
    await settled(page);
    await clickOn(page, places);
    await untilDocument(page, (document) => document.muscles?.muscle !== undefined);
    await settled(page);
}

const fibreOf = async (page, name = 'muscle') => (await documentOf(page)).muscles[name];

const BICEPS = [['/bones/humerus', 0.85], ['/bones/ulna', 0.75]];

/** The angle of the elbow in the frame that is shown, in degrees. */
function bendOf(page) {
    return page.evaluate(() => {
        const {model, frame} = window.sinewStudio.slots[0];
        return frame.joints[9 * model.segmentIndex('forearm')] * 180 / Math.PI;
    });
}

/** Writes down the swing of the biceps and the angle of its joint in every frame from now on. */
function watchSwings(page) {
    return page.evaluate(() => {
        window.swings = [];
        window.sinewStudio.on('frame', () => {
            const {model, frame} = window.sinewStudio.slots[0];
            const axes = frame.axes.get(model.byPath('/muscles/biceps').index) ?? [];
            window.swings.push({
                live: frame.live,
                bend: frame.joints[9 * model.segmentIndex('forearm')] * 180 / Math.PI,
                swing: Math.max(...axes.flatMap((axis) => [...axis].filter((_, i) => i % 4 === 3))),
            });
        });
    });
}

studioTest('two clicks on bones are a fibre; its belly, ends, points and profile have handles',
    {open: 'arm'}, async ({page, screenshot}) => {
        await settled(page);
        const before = await documentOf(page);
        await placeFibre(page, BICEPS);
        await screenshot('fibre');
        const made = await fibreOf(page);
        assert.equal(made.kind, 'fibre');
        assert.deepEqual([made.origins[0].bone, made.insertions[0].bone], ['humerus', 'ulna']);
        assert.equal(made.origins.length, 1);
        const rest = await pointsOf(page, '/muscles/muscle');

        // W makes it wider by as much as it is dragged.
        const belly = await page.evaluate(() => window.sinewStudio.tool.belly());
        await lookFrom(page, Math.atan2(-belly.wide[2], belly.wide[0]), 0,
            {at: belly.center, distance: 0.9});
        const rim = await markOnScreen(page, {kind: 'wide'});
        const middle = await onScreen(page, belly.center);
        await drag(page, [rim, {x: rim.x + (rim.x - middle.x), y: rim.y + (rim.y - middle.y)}]);
        await untilDocument(page, ({muscles}, old) => muscles.muscle.width > 1.5 * old, made.width);
        await settled(page);
        const wider = await fibreOf(page);
        assert.ok(Math.abs(wider.width / made.width - 2) < 0.5, `${made.width} to ${wider.width}`);
        assert.ok(wider.thickness <= wider.width);
        assert.ok(largestMove(rest, await pointsOf(page, '/muscles/muscle')) > 0.003);
        await screenshot('fibre-wide');

        // T is dragged towards the axis.
        await lookFrom(page, Math.atan2(-belly.outer[2], belly.outer[0]), 0,
            {at: belly.center, distance: 0.9});
        const thick = await markOnScreen(page, {kind: 'thick'});
        const center = await onScreen(page, belly.center);
        await drag(page, [thick, {x: (thick.x + center.x) / 2, y: (thick.y + center.y) / 2}]);
        await untilDocument(page, ({muscles}, old) => muscles.muscle.thickness < 0.8 * old,
            wider.thickness);
        assert.equal((await fibreOf(page)).width, wider.width);

        // A point that it passes.
        await lookFrom(page, 0.2, 0.1);
        await page.getByRole('button', {name: 'Add a point'}).click();
        await untilDocument(page, ({muscles}) => muscles.muscle.through?.length === 1);
        await settled(page);
        const at = await markOnScreen(page, {kind: 'pivot', index: 0});
        await drag(page, [at, {x: at.x + 20, y: at.y - 6}]);
        await settled(page);
        const there = await markOnScreen(page, {kind: 'pivot', index: 0});
        assert.ok(Math.hypot(there.x - at.x - 20, there.y - at.y + 6) < 4,
            'the point is where the pointer let it go');
        await screenshot('fibre-through');
        await page.keyboard.press('Delete');
        await untilDocument(page, ({muscles}) => muscles.muscle.through === undefined);
        await settled(page);

        // The profile: its peak is dragged towards the insertion; keys move it by a step.
        const handle = page.locator('[data-curve=rest]');
        await handle.scrollIntoViewIfNeeded();
        const box = await handle.boundingBox();
        const from = {x: box.x + box.width / 2, y: box.y + box.height / 2};
        await drag(page, [from, {x: from.x + 40, y: from.y}]);
        await untilDocument(page, ({muscles: {muscle: {rest_a, rest_b}}}) => rest_a > (rest_b ?? 3));
        const {rest_a: a} = await fibreOf(page);
        await screenshot('fibre-profile');
        await handle.focus();
        await page.keyboard.press('ArrowUp');
        await untilDocument(page, ({muscles}, old) => muscles.muscle.rest_a === old + 1, a);

        // A size that cannot be is refused, and said beside its field.
        const said = await page.evaluate(() => window.sinewStudio.edit('Try',
            [{path: '/muscles/muscle/rest_a', value: 12}], {quiet: true})
            .then(() => null, (error) => error.message));
        assert.match(said, /rest_a|12/);

        for (let i = 0; i < 20; ++i) {
            await page.evaluate(() => window.sinewStudio.undo());
            if ((await fibreOf(page)) === undefined) {
                break;
            }
            await settled(page);
        }
        await untilDocument(page, (document) => document.muscles.muscle === undefined);
        assert.deepEqual(await documentOf(page), before);
    });

studioTest('a broad fibre has two places at each end', {open: 'arm'},
    async ({page, screenshot}) => {
        await settled(page);
        await placeFibre(page, [['/bones/scapula', 0.6], ['/bones/humerus', 0.9],
            ['/bones/ulna', 0.75], ['/bones/ulna', 0.6]], {broad: true});
        const made = await fibreOf(page);
        assert.deepEqual([made.fibres, made.origins.length, made.insertions.length], [3, 2, 2]);
        const count = await page.evaluate(() => {
            const {model, frame} = window.sinewStudio.slots[0];
            return frame.axes.get(model.byPath('/muscles/muscle').index).length;
        });
        assert.equal(count, 3);
        await page.getByLabel('Fibre count', {exact: true}).last().waitFor();
        await screenshot('fibre-broad');
    });

studioTest('without bones places are clicked through the skin; a mirror image goes along',
    {open: 'thighs'}, async ({page, screenshot}) => {
        await settled(page);
        await takeTool(page, {mirror: true});
        await lookFrom(page, 0.2, 0.1);
        await settled(page);
        await page.getByText('Click the origin through the skin.').waitFor();
        const skin = await page.evaluate(() => window.sinewStudio.slots[0].model.surfaces
            .find(({layer, shown}) => layer === 'skin' && shown).path);
        const old = Object.keys((await documentOf(page)).muscles ?? {});
        await clickOn(page, [[skin, 0.75], [skin, 0.3]]);
        await untilDocument(page, ({muscles}, count) => Object.keys(muscles ?? {}).length > count,
            old.length);
        await settled(page);
        const {muscles} = await documentOf(page);
        const name = Object.keys(muscles).find((each) => !old.includes(each));
        assert.equal(muscles[name].mirror, true);
        assert.match(name, /\.[LR]$/);
        assert.equal(typeof muscles[name].origins[0].segment, 'string');
        const end = await markOnScreen(page, {kind: 'attachment', index: 0});
        await screenshot('fibre-no-bones');
        await drag(page, [end, {x: end.x + 12, y: end.y}]);
        await untilDocument(page, (document, [key, at]) => {
            return JSON.stringify(document.muscles[key].origins[0].at) !== JSON.stringify(at);
        }, [name, muscles[name].origins[0].at]);
    });

studioTest('a fibre swings while a pose is dragged, swings on and comes to rest',
    {open: 'strongarm'}, async ({page, screenshot}) => {
        await settled(page);
        await page.evaluate(() => window.sinewStudio.viewport.setLayer('skin', 'clear'));
        await page.evaluate(() => window.sinewStudio.viewport.setLayer('muscle', 'shown'));
        await page.evaluate(() => window.sinewStudio.select('/muscles/biceps'));
        await settled(page);
        await watchSwings(page);
        for (let i = 1; i <= 12; ++i) {
            await page.evaluate((degrees) => window.sinewStudio.hold({'forearm.rx_deg': degrees},
                {merge: 'drag'}), 7 * i);
        }
        const seen = await page.evaluate(() => window.swings.length);
        const shown = await page.evaluate(() => {
            return window.sinewStudio.fibreAxes.marks.group.children.length;
        });
        assert.ok(shown > 28, 'a line, and a dot for each particle');
        await screenshot('fibre-swing');
        await page.waitForFunction((before) => window.swings.slice(before)
            .some(({bend, swing}) => Math.abs(bend - 84) < 1e-6 && swing > 2e-4), seen);
        // The frame that ends the steps is that of the pose alone. How near to it the steps have come
        // is seen where none of them is left out for a page that is slow: in studio/live.
        await page.waitForFunction(() => {
            const last = window.swings.at(-1);
            return Math.abs(last.bend - 84) < 1e-6 && last.live === null;
        });
        const swings = await page.evaluate(() => window.swings);
        assert.ok(Math.max(...swings.map(({swing}) => swing)) > 1e-3, 'a millimetre');
        assert.ok(swings.slice(seen, -1).every(({live}) => live !== null), 'one frame ends it');
        const count = swings.length;
        await page.waitForTimeout(600); // in which none may come, however slow all is
        assert.equal(await page.evaluate(() => window.swings.length), count, 'nothing goes on');
        // It rests on the bones, beside where it would be without them.
        assert.ok(swings.at(-1).swing < 0.02);
        await screenshot('fibre-rest');
        await page.evaluate(() => window.sinewStudio.select(null));
        assert.equal(await page.evaluate(() => window.sinewStudio.fibreAxes.marks), null);
    });

studioTest('a ring of the pose tool swings fibres; undo swings them back', {open: 'strongarm'},
    async ({page}) => {
        await settled(page);
        await chooseTool(page, 'Pose');
        await page.getByLabel('Joint').selectOption('forearm');
        await lookFrom(page, 1.2, 0.1);
        await settled(page);
        const rest = await bendOf(page);
        await watchSwings(page);
        const at = await markOnScreen(page, {parameter: 'rx'});
        await drag(page, [at, {x: at.x - 30, y: at.y - 40}, {x: at.x - 60, y: at.y - 60}],
            {steps: 10});
        await page.waitForFunction(() => 'forearm.rx_deg' in window.sinewStudio.active.held);
        await page.waitForFunction((old) => window.swings
            .some(({live, bend, swing}) => live !== null && Math.abs(bend - old) > 1 && swing > 3e-4), rest);
        await settled(page); // the last of the drag is held
        await page.evaluate(() => window.sinewStudio.undo());
        await page.waitForFunction(() => Object.keys(window.sinewStudio.active.held).length === 0);
        // Frames of the drag may still be on their way: those at rest are of the undo.
        await page.waitForFunction((old) => window.swings
            .some(({live, bend, swing}) => live !== null && bend === old && swing > 3e-4), rest);
    });

studioTest('the plots have the swing of fibres', {open: 'strongarm'},
    async ({page, screenshot}) => {
        await settled(page);
        await page.evaluate(() => window.sinewStudio.call('clip', {slot: 0, name: 'shake'}));
        await page.waitForFunction(() => window.sinewStudio.slots[0].model?.clip?.name === 'shake');
        await settled(page);
        await page.getByRole('tab', {name: 'Plots'}).click();
        await page.getByRole('button', {name: 'Measure'}).click();
        await page.getByText('46 frames').waitFor();
        await page.getByLabel('Quantity').selectOption('Swing');
        const rows = page.locator('.legend-row');
        assert.deepEqual((await rows.allTextContents()).toSorted(),
            ['biceps', 'brachialis', 'deltoid', 'triceps']);
        await screenshot('fibre-plots');
    });

studioTest('an implicit skin is coloured where parts of the body touch',
    {open: 'arm', width: 1280, height: 800}, async ({page, screenshot}) => {
        await settled(page);
        const before = await documentOf(page);
        const at = before.skins.skin.deformers.findIndex(({kind}) => kind === 'blend');
        await page.evaluate((index) => window.sinewStudio.edit('Make it implicit',
            [{path: `/skins/skin/deformers/${index}`, value: {kind: 'implicit'}}]), at);
        await settled(page);
        await hold(page, {'forearm.rx_deg': 140});
        await page.getByLabel('Colour by').selectOption('Contact');
        const most = await page.waitForFunction(() => {
            const {values} = window.sinewStudio.slots[0].model.byPath('/skins/skin');
            return values === null ? null : {most: Math.max(...values),
                moved: values.filter((x) => x > 1e-4).length, count: values.length};
        });
        const {most: far, moved, count} = await most.jsonValue();
        assert.ok(far > 5e-4 && moved > 10 && moved < count / 2, `${far} m, ${moved} of ${count}`);
        await lookFrom(page, 1.1, 0.1);
        await screenshot('implicit-contact');
    });
