// SPDX-License-Identifier: Apache-2.0
//
// Muscles between bones, placed and shaped with the mouse.
import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {Studio, studioTest} from './harness.mjs';
import {
    chooseTool, click, documentOf, drag, hold, largestMove, lookFrom, markOnScreen, pointsOf,
    settled, untilDocument,
} from './modelling.mjs';

/** A pixel at which a bone is hit, near a part of its box, and what is hit there. */
function boneAt(page, name, part) {
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

async function clickBones(page, places) {
    for (const [name, part] of places) {
        const at = await boneAt(page, name, part);
        assert.notEqual(at, null, `${name} is not seen`);
        await click(page, at);
    }
}

const BICEPS = [['scapula', 0.6], ['humerus', 0.8], ['ulna', 0.75], ['ulna', 0.6]];

/** A cylinder on the arm: seen from the front, origins above, insertions below. */
async function placeCylinder(page) {
    await chooseTool(page, 'Muscle between bones');
    await lookFrom(page, 0.2, 0.1);
    await settled(page);
    await clickBones(page, BICEPS);
    await untilDocument(page, (document) => document.muscles.muscle !== undefined);
    await settled(page);
}

/** Looks at a slice from near, across its wide axis. */
async function faceSlice(page, index) {
    const {center, wide} = await page.evaluate((i) => {
        return window.sinewStudio.tool.slices()[i];
    }, index);
    await lookFrom(page, Math.atan2(-wide[2], wide[0]), 0, {at: center, distance: 0.9});
}

studioTest('four clicks on bones of the arm are a cylinder; handles shape it', {open: 'arm'},
    async ({page, screenshot}) => {
        await settled(page);
        const before = await documentOf(page);
        await placeCylinder(page);
        await screenshot('cylinder');
        const {muscle} = (await documentOf(page)).muscles;
        assert.equal(muscle.kind, 'cylinder');
        assert.deepEqual(muscle.origins.map((o) => o.bone), ['scapula', 'humerus']);
        assert.deepEqual(muscle.insertions.map((o) => o.bone), ['ulna', 'ulna']);

        const rest = await pointsOf(page, '/muscles/muscle');
        await faceSlice(page, 4);
        await click(page, await markOnScreen(page, {kind: 'center', slice: 4, point: undefined}));
        const rim = await markOnScreen(page, {kind: 'wide', slice: 4});
        const center = await markOnScreen(page, {kind: 'center', slice: 4});
        const out = {x: rim.x + (rim.x - center.x), y: rim.y + (rim.y - center.y)};
        await drag(page, [rim, out]);
        await untilDocument(page, (document) => document.muscles.muscle.shape?.length === 1);
        await settled(page);
        const [shape] = (await documentOf(page)).muscles.muscle.shape;
        assert.equal(shape.slice, 4);
        assert.ok(Math.abs(shape.scale[0] - 2) < 0.5, `the rim went twice as far: ${shape.scale}`);
        assert.equal(shape.scale[1], 1);
        assert.ok(largestMove(rest, await pointsOf(page, '/muscles/muscle')) > 0.003);
        await screenshot('cylinder-slice');

        const middle = await markOnScreen(page, {kind: 'center', slice: 4});
        await drag(page, [middle, {x: middle.x + 25, y: middle.y}]);
        await untilDocument(page, (document) => document.muscles.muscle.shape[0].move);
        await settled(page);
        const there = await markOnScreen(page, {kind: 'center', slice: 4});
        assert.ok(Math.hypot(there.x - middle.x - 25, there.y - middle.y) < 6,
            'the centre is where the pointer let it go');

        await page.keyboard.press('Control+z');
        await page.keyboard.press('Control+z');
        await page.keyboard.press('Control+z');
        await untilDocument(page, (document) => document.muscles.muscle === undefined);
        assert.deepEqual(await documentOf(page), before);
    });

studioTest('attachments slide on their bones and pivots are dragged', {open: 'arm'},
    async ({page, screenshot}) => {
        await settled(page);
        await placeCylinder(page);
        const {insertions} = (await documentOf(page)).muscles.muscle;
        const from = await markOnScreen(page, {kind: 'attachment', index: 3});
        await drag(page, [from, await boneAt(page, 'ulna', 0.4)]);
        await untilDocument(page, (document, old) => {
            return JSON.stringify(document.muscles.muscle.insertions[1]) !== JSON.stringify(old);
        }, insertions[1]);
        await settled(page);
        const now = (await documentOf(page)).muscles.muscle.insertions;
        assert.deepEqual(now[0], insertions[0]);
        assert.equal(now[1].bone, 'ulna');

        await page.getByRole('button', {name: 'Add a pivot'}).click();
        await untilDocument(page, (document) => document.muscles.muscle.pivots?.length === 1);
        await settled(page);
        const [pivot] = (await documentOf(page)).muscles.muscle.pivots;
        const at = await markOnScreen(page, {kind: 'pivot', index: 0});
        await drag(page, [at, {x: at.x + 30, y: at.y - 10}]);
        await untilDocument(page, (document, old) => {
            return JSON.stringify(document.muscles.muscle.pivots[0].at) !== JSON.stringify(old);
        }, pivot.at);
        await settled(page);
        const there = await markOnScreen(page, {kind: 'pivot', index: 0});
        assert.ok(Math.hypot(there.x - at.x - 30, there.y - at.y + 10) < 4,
            'the pivot is where the pointer let it go');
        await screenshot('cylinder-pivot');
        // Another page takes it away while it is dragged: nothing breaks.
        await page.mouse.move(there.x, there.y);
        await page.mouse.down();
        await page.evaluate(() => window.sinewStudio.edit('Remove',
            [{path: '/muscles/muscle/pivots', gone: true}]));
        await untilDocument(page, (document) => document.muscles.muscle.pivots === undefined);
        await page.mouse.move(there.x + 20, there.y, {steps: 3});
        await page.mouse.up();
        await page.keyboard.press('Control+z');
        await untilDocument(page, (document) => document.muscles.muscle.pivots?.length === 1);
        await settled(page);
        await page.getByRole('button', {name: 'Remove pivot 1'}).click();
        await untilDocument(page, (document) => document.muscles.muscle.pivots === undefined);
        await page.keyboard.press('Escape');
        await page.waitForFunction(() => window.sinewStudio.tool.id === 'select');
    });

studioTest('an ellipsoid for both sides of the monkey by two clicks', {open: 'monkey'},
    async ({page, screenshot}) => {
        await settled(page);
        await chooseTool(page, 'Muscle between bones');
        await page.getByLabel('Kind').selectOption('ellipsoid');
        await page.getByLabel('Mirror image (X)').check();
        await lookFrom(page, Math.PI / 2, 0.1);
        await settled(page);
        await clickBones(page, [['humerus.L', 0.7], ['radius.L', 0.6]]);
        await untilDocument(page, (document) => document.muscles['muscle.L'] !== undefined);
        await settled(page);
        const muscle = (await documentOf(page)).muscles['muscle.L'];
        assert.equal(muscle.kind, 'ellipsoid');
        assert.equal(muscle.mirror, true);
        assert.equal(muscle.origin.bone, 'humerus.L');
        assert.equal(muscle.insertion.bone, 'radius.L');
        const sides = await page.evaluate(() => window.sinewStudio.slots[0].model.surfaces
            .filter((s) => s.name.startsWith('muscle.')).map((s) => s.name).sort());
        assert.deepEqual(sides, ['muscle.L', 'muscle.R']);
        await screenshot('cylinder-ellipsoid');
    });

studioTest('without bones the skin stays in view, and the panel says why', {open: 'thighs'},
    async ({page, screenshot}) => {
        await settled(page);
        await chooseTool(page, 'Muscle between bones');
        await page.getByText('This character has no bones that a muscle could be attached to.')
            .waitFor();
        const mode = () => page.evaluate(() => window.sinewStudio.viewport.layers.skin.mode);
        assert.equal(await mode(), 'shown');
        await screenshot('no-bones');
        await page.evaluate(() => window.sinewStudio.call('open_example', {slot: 0, name: 'arm'}));
        await page.waitForFunction(() => window.sinewStudio.slots[0].model?.byPath('/bones/ulna'));
        await settled(page);
        assert.equal(await mode(), 'hidden', 'another character has some');
        await page.evaluate(() => window.sinewStudio.setTool('select'));
        assert.equal(await mode(), 'shown');
    });

/** The muscle at rest: its middle, its length and width, and how wide the limb is there. */
async function measureFit(page, skin) {
    return page.evaluate(async (path) => {
        const {tool, slots: [slot], wire} = window.sinewStudio;
        const slices = tool.restSlices();
        const {center, wide} = slices[Math.floor(slices.length / 2)];
        const half = Math.hypot(...wide);
        const along = wide.map((x) => x / half);
        const sub = (a, b) => a.map((x, i) => x - b[i]);
        const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
        const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0]];
        const surface = slot.model.byPath(path);
        if (surface.triangles === null) { // the tool hides the skin
            await wire.call('geometry', {slot: 0, model: slot.model.serial,
                surfaces: [surface.index]});
        }
        const {rest, triangles} = surface;
        // Where the line along the wide axis meets the skin (Moeller and Trumbore).
        let [before, behind] = [-Infinity, Infinity];
        for (let i = 0; i < triangles.length; i += 3) {
            const [a, b, c] = [0, 1, 2].map((k) => [...rest.subarray(3 * triangles[i + k],
                3 * triangles[i + k] + 3)]);
            const [u, v, from] = [sub(b, a), sub(c, a), sub(center, a)];
            const [p, q] = [cross(along, v), cross(from, u)];
            const det = dot(u, p);
            const [s, t] = [dot(from, p) / det, dot(along, q) / det];
            if (s >= 0 && t >= 0 && s + t <= 1) {
                const at = dot(v, q) / det;
                [before, behind] = at < 0 ? [Math.max(before, at), behind]
                    : [before, Math.min(behind, at)];
            }
        }
        const ends = [slices[0].center, slices.at(-1).center];
        return {center, length: Math.hypot(...sub(...ends)), width: 2 * half,
            limb: behind - before};
    }, skin);
}

/** Points of a skin around a place as they are shown, and its most stretched edge there. */
function skinAround(page, skin, {center, length}) {
    return page.evaluate(([path, middle, radius]) => {
        const {rest, points, edges} = window.sinewStudio.slots[0].model.byPath(path);
        const far = (numbers, i, other, k) => Math.hypot(...[0, 1, 2].map((c) =>
            numbers[3 * i + c] - other[3 * k + c]));
        const near = (i) => far(rest, i, middle, 0) < radius;
        let stretch = 0;
        for (let i = 0; i < edges.length; i += 2) {
            const [p, q] = [edges[i], edges[i + 1]];
            const size = near(p) ? far(rest, p, rest, q) : 0;
            stretch = size > 0 ? Math.max(stretch, far(points, p, points, q) / size) : stretch;
        }
        const found = [];
        for (let i = 0; i < rest.length / 3; ++i) {
            if (near(i)) {
                found.push([...points.subarray(3 * i, 3 * i + 3)]);
            }
        }
        return {points: found, stretch};
    }, [skin, center, length / 2]);
}

/** The largest distance of a point of one skin from the nearest of the other: an extracted skin has
 *  other vertices with another muscle below it. */
function largestGap(from, to) {
    return Math.max(...from.map((p) => Math.min(...to.map((q) =>
        Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2])))));
}

/** A new muscle on bones fits into its limb, and the skin follows it as it shortens. */
async function checkFit({page, screenshot}, name, {kind = 'ellipsoid', places, look, bent: pose,
    skin = '/skins/skin'}) {
    await settled(page);
    const before = await documentOf(page);
    await chooseTool(page, 'Muscle between bones');
    await page.getByLabel('Kind').selectOption(kind);
    await lookFrom(page, ...look);
    await settled(page);
    await clickBones(page, places);
    await untilDocument(page, ({muscles = {}}, old) => Object.keys(muscles).length > old,
        Object.keys(before.muscles ?? {}).length);
    await settled(page);
    const fit = await measureFit(page, skin);
    assert.ok(fit.width < 0.9 * fit.limb, `${fit.width} wide in a limb of ${fit.limb}`);
    await screenshot(`fit-${name}`);
    await chooseTool(page, 'Select');
    await hold(page, pose);
    await settled(page);
    const bent = await skinAround(page, skin, fit);
    await screenshot(`fit-${name}-bent`);
    for (let i = 0; i < 2; ++i) { // the pose, and the muscle
        await page.evaluate(() => window.sinewStudio.undo());
        await settled(page);
    }
    assert.deepEqual(await documentOf(page), before, 'one step of undo');
    await hold(page, pose);
    const without = await skinAround(page, skin, fit);
    const gap = largestGap(bent.points, without.points);
    assert.ok(gap > 1e-4, `the skin moves by ${gap}`);
    assert.ok(bent.stretch < Math.max(2, 1.5 * without.stretch),
        `an edge becomes ${bent.stretch} times as long, without the muscle ${without.stretch}`);
}

studioTest('a new cylinder fits into the arm and moves its skin', {open: 'arm'}, (studio) =>
    checkFit(studio, 'arm', {kind: 'cylinder', places: BICEPS, look: [0.2, 0.1],
        bent: {'forearm.rx_deg': 100}}));

// Skins that are extracted anew with every muscle: only where nobody waits.
const thorough = process.env.SINEW_THOROUGH === '1' ? studioTest : () => {};

thorough('a new ellipsoid fits into the arm of the human', {open: 'human'}, (studio) =>
    checkFit(studio, 'human', {places: [['humerus.L', 0.8], ['radius.L', 0.8]], look: [0.2, 0.1],
        bent: {'forearm.L.rx_deg': -98}}));

thorough('a new ellipsoid fits into the arm of the monkey', {open: 'monkey'}, (studio) =>
    checkFit(studio, 'monkey', {places: [['humerus.L', 0.7], ['radius.L', 0.6]],
        look: [Math.PI / 2, 0.1], bent: {'forearm.L.rx_deg': -66}}));

// A body of somebody else, in its own units, that gets two bones. Its skin has weights alone.
const RIGS = join(process.env.SINEW_TEST_DATA ?? join(process.env.SINEW_SOURCE, '../shared/data'),
    'rigs');

test('a new ellipsoid fits into the arm of a foreign rig', async (context) => {
    if (!existsSync(join(RIGS, 'Xbot.glb'))) {
        context.skip('there is no Xbot.glb');
        return;
    }
    const studio = await Studio.start({words: ['--root', RIGS]});
    await studio.call('open', {slot: 0, path: join(RIGS, 'Xbot.glb')});
    await studio.page.waitForFunction(() => window.sinewStudio.slots[0].model !== null);
    const tube = {points: [[0.05, 0, 0], [0.95, 0, 0]], radii: [0.05, 0.05]};
    const bone = (segment) => ({tube, segment: `mixamorig:${segment}`, frame: 'size'});
    await studio.page.evaluate((value) => window.sinewStudio.edit('Add bones',
        [{path: '/bones', value}]), {humerus: bone('LeftArm'), ulna: bone('LeftForeArm')});
    await checkFit(studio, 'foreign', {places: [['humerus', 0.5], ['ulna', 0.5]],
        look: [0.2, 0.4], bent: {'mixamorig:LeftForeArm.ry_deg': 80}, skin: '/skins/Mesh.001'});
    await studio.stop();
});
