// SPDX-License-Identifier: Apache-2.0
//
// Joints posed with rings, numbers and keys.
import assert from 'node:assert/strict';
import {studioTest} from './harness.mjs';
import {
    chooseTool, click, documentOf, drag, lookFrom, markOnScreen, onScreen, settled, untilDocument,
} from './modelling.mjs';

const DEGREES = 180 / Math.PI;

/** A parameter of the frame that is shown, in degrees. */
function angleOf(page, segment, k) {
    return page.evaluate(([name, index]) => {
        const {model, frame} = window.sinewStudio.slots[0];
        return frame.joints[9 * model.segmentIndex(name) + index] * 180 / Math.PI;
    }, [segment, k]);
}

function untilAngle(page, segment, k, degrees, tolerance = 0.06) {
    return page.waitForFunction(([name, index, value, away]) => {
        const {model, frame} = window.sinewStudio.slots[0];
        const angle = frame.joints[9 * model.segmentIndex(name) + index] * 180 / Math.PI;
        return Math.abs(angle - value) <= away;
    }, [segment, k, degrees, tolerance]);
}

async function chooseJoint(page, name) {
    await page.getByLabel('Joint').selectOption(name);
}

/** Points of the screen on a ring of the joint in hand, turned by degrees from where it is. */
async function alongRing(page, parameter, degrees) {
    const points = await page.evaluate(([p, list]) => {
        const {tool} = window.sinewStudio;
        const {origin, axes: {[p]: axis}} = tool.joint;
        const dot = tool.view.marks.found.find((m) => {
            return m.data.parameter === p && m.points.length === 1;
        });
        const v = dot.points[0].map((x, i) => x - origin[i]);
        const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0]];
        const w = cross(axis, v);
        return list.map((d) => origin.map((x, i) => x + v[i] * Math.cos(d / 57.29577951) +
            w[i] * Math.sin(d / 57.29577951)));
    }, [parameter, degrees]);
    return Promise.all(points.map((point) => onScreen(page, point)));
}

studioTest('a ring turns the joint as far as the pointer goes, up to the limit', {open: 'arm'},
    async ({page, call, screenshot}) => {
        await settled(page);
        await call('hold', {slot: 0, values: {'forearm.rx': 0}}); // by its other name
        await chooseTool(page, 'Pose');
        // Rings of the elbow are seen from the side of its axis.
        await lookFrom(page, Math.PI / 2 + 0.5, 0.1);
        await chooseJoint(page, 'forearm');
        await drag(page, await alongRing(page, 'rx', [0, 10, 20, 30, 40]));
        await untilAngle(page, 'forearm', 0, 40, 1.5);
        await screenshot('pose-ring');
        const held = await page.evaluate(() => Object.keys(window.sinewStudio.slots[0].held));
        assert.deepEqual(held, ['forearm.rx_deg']);

        const [grip, ...way] = await alongRing(page, 'rx', [0, 20, 40]);
        await page.mouse.move(grip.x, grip.y);
        await page.mouse.down();
        for (const {x, y} of way) {
            await page.mouse.move(x, y);
        }
        await untilAngle(page, 'forearm', 0, 80, 3);
        await page.keyboard.press('Escape');
        await untilAngle(page, 'forearm', 0, 40, 1.5);
        await page.mouse.move(grip.x, grip.y);
        await page.mouse.up();
        await untilAngle(page, 'forearm', 0, 40, 1.5);

        await drag(page, await alongRing(page, 'rx', [0, 30, 60, 90, 120, 150, 170]));
        await untilAngle(page, 'forearm', 0, 150);
        await screenshot('pose-limit');
        await drag(page, await alongRing(page, 'rx', [0, -40, -80, -120, -160, -178]));
        await untilAngle(page, 'forearm', 0, 0);

        await page.getByRole('button', {name: 'Release', exact: true}).click();
        await page.waitForFunction(() => {
            return Object.keys(window.sinewStudio.slots[0].held).length === 0;
        });
    });

studioTest('a joint is chosen by a click and turned by keys and numbers', {open: 'arm'},
    async ({page}) => {
        await settled(page);
        await chooseTool(page, 'Pose');
        const index = await page.evaluate(() => {
            return window.sinewStudio.slots[0].model.segmentIndex('hand');
        });
        await click(page, await markOnScreen(page, {kind: 'joint', index}));
        await page.waitForFunction(() => window.sinewStudio.selection?.path === '/skeleton/hand');
        for (const key of ['r', 'x', '2', '5', 'Enter']) {
            await page.keyboard.press(key);
        }
        await untilAngle(page, 'hand', 0, 25);
        for (const key of ['r', 'z', '9', '0', 'Enter']) {
            await page.keyboard.press(key);
        }
        await untilAngle(page, 'hand', 2, 20); // its limit
        for (const key of ['r', 'x', '3', '0']) {
            await page.keyboard.press(key);
        }
        await untilAngle(page, 'hand', 0, 55);
        await page.keyboard.press('Escape');
        await untilAngle(page, 'hand', 0, 25);

        const box = page.getByRole('spinbutton', {name: 'Rotate X', exact: true});
        await box.fill('-30');
        await box.press('Enter');
        await untilAngle(page, 'hand', 0, -30);
        await page.getByRole('button', {name: 'Rest pose'}).click();
        await untilAngle(page, 'hand', 0, 0);
        assert.ok(Math.abs(await angleOf(page, 'hand', 2)) < 0.01);
    });

studioTest('poses become keys of the clip and clips of one frame', {open: 'arm'},
    async ({page, call}) => {
        await settled(page);
        await call('seek', {frame: 10});
        await page.waitForFunction(() => window.sinewStudio.slots[0].frame.number === 10);
        await chooseTool(page, 'Pose');
        await chooseJoint(page, 'upper_arm');
        const box = page.getByRole('spinbutton', {name: 'Rotate X', exact: true});
        await box.fill('30');
        await box.press('Enter');
        await untilAngle(page, 'upper_arm', 0, 30);
        await page.getByRole('button', {name: 'Key', exact: true}).click();
        await untilDocument(page, (document) => document.clips.curl.tracks['upper_arm.rx_deg']);
        const {keys} = (await documentOf(page)).clips.curl.tracks['upper_arm.rx_deg'];
        assert.ok(Math.abs(keys[0][0] - 10 / 30) < 1e-5);
        assert.equal(keys[0][1], 30);

        await page.getByText('Save as clip').click();
        await page.getByRole('button', {name: 'Save the pose'}).click();
        await untilDocument(page, (document) => document.clips.pose !== undefined);
        const {tracks, frames} = (await documentOf(page)).clips.pose;
        assert.equal(frames, 1);
        assert.ok(Math.abs(tracks['upper_arm.rx'].keys[0][1] * DEGREES - 30) < 1e-3);
        await page.waitForFunction(() => window.sinewStudio.time.clip === 'pose');
        await untilAngle(page, 'upper_arm', 0, 30);
    });

studioTest('a joint that moves a little way is moved in millimetres', {open: 'arm'},
    async ({page, screenshot}) => {
        await page.evaluate(() => window.sinewStudio.edit('Limits', [
            {path: '/skeleton/hand/limits', value: {tx: [-0.01, 0.01], ty: [-3, 3]}}]));
        await settled(page);
        await page.evaluate(() => window.sinewStudio.select('/skeleton/hand'));
        await page.getByRole('tab', {name: 'Controls'}).click();
        await page.getByText('Translation and scale').click();
        const shift = (key) => page.locator(`.parameter-row[data-parameter="hand.${key}"]`);
        assert.equal(await shift('tx').locator('.unit').innerText(), 'mm');
        assert.equal(await shift('ty').locator('.unit').innerText(), 'm');
        await shift('tx').getByRole('spinbutton').fill('4');
        await shift('tx').getByRole('spinbutton').press('Enter');
        await page.waitForFunction(() => window.sinewStudio.slots[0].held['hand.tx'] === 0.004);
        await screenshot('millimetres');
        await chooseTool(page, 'Pose');
        await chooseJoint(page, 'hand');
        const field = page.locator('.field.number', {hasText: 'Move X'});
        assert.equal(await field.locator('.unit').innerText(), 'mm');
        await page.waitForFunction((box) => box.value === '4',
            await field.getByRole('spinbutton').elementHandle());
    });

/** Where the joint of a segment is now, metres. */
function placeOf(page, segment) {
    return page.evaluate((name) => {
        const {model, frame} = window.sinewStudio.slots[0];
        const index = model.segmentIndex(name);
        return [12, 13, 14].map((k) => frame.worlds[16 * index + k]);
    }, segment);
}

function untilPlace(page, segment, point, tolerance) {
    return page.waitForFunction(([name, at, away]) => {
        const {model, frame} = window.sinewStudio.slots[0];
        const index = model.segmentIndex(name);
        return Math.hypot(...[12, 13, 14].map((k, i) => {
            return frame.worlds[16 * index + k] - at[i];
        })) <= away;
    }, [segment, point, tolerance]);
}

const apart = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));

studioTest('a hand is dragged to a place, with the elbow at its pole', {open: 'arm'},
    async ({page, screenshot}) => {
        await settled(page);
        await chooseTool(page, 'Pose');
        await lookFrom(page, Math.PI / 2 + 0.5, 0.1);
        const index = await page.evaluate(() => {
            return window.sinewStudio.slots[0].model.segmentIndex('hand');
        });
        const grip = await markOnScreen(page, {kind: 'reach', index});
        const before = await placeOf(page, 'hand');
        await drag(page, [grip, {x: grip.x + 20, y: grip.y - 60}, {x: grip.x + 40, y: grip.y - 120}]);
        // The hand is where the pointer has let it go.
        await page.waitForFunction(([from]) => {
            const {model, frame, held} = window.sinewStudio.slots[0];
            const hand = model.segmentIndex('hand');
            return Object.keys(held).length === 4 &&
                Math.abs(frame.worlds[16 * hand + 13] - from) > 0.05;
        }, [before[1]]);
        await settled(page);
        const there = await onScreen(page, await placeOf(page, 'hand'));
        assert.ok(Math.hypot(there.x - grip.x - 40, there.y - grip.y + 120) < 3,
            `the hand is at ${there.x - grip.x}, ${there.y - grip.y}`);
        assert.ok(await angleOf(page, 'forearm', 0) >= 0);
        await screenshot('pose-reach');

        // The pole turns the elbow and leaves the hand where it is.
        const reached = await placeOf(page, 'hand');
        const elbow = await placeOf(page, 'forearm');
        const pole = await markOnScreen(page, {kind: 'pole', index});
        await drag(page, [pole, {x: pole.x - 15, y: pole.y + 25}, {x: pole.x - 30, y: pole.y + 50}]);
        await page.waitForFunction(([x, y, z]) => {
            const {model, frame} = window.sinewStudio.slots[0];
            const at = 16 * model.segmentIndex('forearm') + 12;
            return Math.hypot(frame.worlds[at] - x, frame.worlds[at + 1] - y,
                frame.worlds[at + 2] - z) > 0.01;
        }, elbow);
        await settled(page);
        assert.ok(apart(await placeOf(page, 'hand'), reached) < 1e-3);
        await screenshot('pose-pole');

        // Esc takes a drag back, all of it.
        const posed = await placeOf(page, 'hand');
        const again = await markOnScreen(page, {kind: 'reach', index});
        await page.mouse.move(again.x, again.y);
        await page.mouse.down();
        await page.mouse.move(again.x - 60, again.y + 60, {steps: 4});
        await page.waitForFunction(([y]) => {
            const {model, frame} = window.sinewStudio.slots[0];
            return Math.abs(frame.worlds[16 * model.segmentIndex('hand') + 13] - y) > 0.01;
        }, [posed[1]]);
        await page.keyboard.press('Escape');
        await untilPlace(page, 'hand', posed, 1e-3);
        await page.mouse.up();
        await page.getByRole('button', {name: 'Release', exact: true}).click();
        await page.waitForFunction(() => {
            return Object.keys(window.sinewStudio.slots[0].held).length === 0;
        });
    });
