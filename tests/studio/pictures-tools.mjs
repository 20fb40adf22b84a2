// SPDX-License-Identifier: Apache-2.0
//
// Pictures of the tools at work.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';

import {drag, hold, settled, untilDocument} from './character.mjs';
import {
    click, lookFrom, markOnScreen, onScreen, vertexOnScreen,
} from './modelling.mjs';
import {reach, takeTool} from './painting.mjs';
import {
    boneAt, foldLayers, look, pointAway, rename, seek, select, setLayer, type,
} from './pictures-moves.mjs';

const SKIN = '/skins/skin';

async function clickCurve(page, curve) {
    for (const point of curve) {
        await click(page, await vertexOnScreen(page, SKIN, point));
    }
}

/** The muscle of docs/triceps.json, drawn on the back of the arm. */
async function drawTriceps(page) {
    const file = join(process.env.SINEW_SOURCE, 'docs/triceps.json');
    const {curves: [second, first]} = JSON.parse(await readFile(file, 'utf8'));
    await look(page, {azimuth: Math.PI - 0.25, elevation: 0.08, at: [0.3, 1.32, 0], distance: 1.15});
    await takeTool(page, 'draw');
    await clickCurve(page, first);
    await page.keyboard.press('Enter');
    await clickCurve(page, second);
    await untilDocument(page, (document, count) =>
        document.muscles.muscle?.curves[1].length === count, second.length);
    await settled(page);
    await rename(page, 'triceps');
}

async function draw(photographer) {
    const {page} = await photographer.start({open: 'arm'});
    await drawTriceps(page);
    await type(page, 'Contract', '0.6');
    await page.waitForFunction(() => Object.keys(window.sinewStudio.active.held).length > 0);
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

/** A ring around the left eye of the rex. */
async function ring(photographer) {
    const {page} = await photographer.start({open: 'rex'});
    const eye = await page.evaluate(() => {
        const {points} = window.sinewStudio.active.model.byPath('/skins/eye_left');
        const middle = [0, 0, 0];
        points.forEach((value, i) => {
            middle[i % 3] += (3 * value) / points.length;
        });
        return middle;
    });
    await look(page, {azimuth: 1.2, elevation: 0.12, at: eye, distance: 1.7});
    await takeTool(page, 'draw');
    const middle = await onScreen(page, eye);
    for (const radius of [38, 68]) {
        const points = Array.from({length: 8}, (_, i) => ({
            x: middle.x + 1.15 * radius * Math.cos((2 * Math.PI * i) / 8),
            y: middle.y + radius * Math.sin((2 * Math.PI * i) / 8),
        }));
        for (const at of points) {
            await click(page, at);
        }
        if (radius === 38) {
            await click(page, points[0]);
        }
    }
    await untilDocument(page, (document) => document.muscles.muscle?.curves[1].length === 8);
    await settled(page);
    await rename(page, 'orbicularis_left');
    await type(page, 'Contract', '0.35');
    await page.waitForFunction(() => Object.keys(window.sinewStudio.active.held).length > 0);
    await setLayer(page, 'skin', 'shown');
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

const BICEPS = [['scapula', 0.6], ['humerus', 0.8], ['ulna', 0.75], ['ulna', 0.6]];

async function cylinder(photographer) {
    const {page} = await photographer.start({open: 'arm'});
    await takeTool(page, 'cylinder');
    await lookFrom(page, 0.2, 0.1);
    await settled(page);
    for (const [name, part] of BICEPS) {
        const at = await boneAt(page, name, part);
        assert.notEqual(at, null, `${name} is not seen`);
        await click(page, at);
    }
    await untilDocument(page, (document) => document.muscles.muscle !== undefined);
    await settled(page);
    await rename(page, 'biceps_long');
    await look(page, {azimuth: 0.6, elevation: 0.1, at: [0.31, 1.31, 0], distance: 1.15});
    await settled(page);
    await click(page, await markOnScreen(page, {kind: 'center', slice: 4}));
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

async function fibre(photographer) {
    const {page} = await photographer.start({open: 'strongarm'});
    await takeTool(page, 'cylinder');
    await page.evaluate(() => window.sinewStudio.select('/muscles/biceps'));
    await hold(page, {'forearm.rx_deg': 50});
    await look(page, {azimuth: 0.9, elevation: 0.1, at: [0.29, 1.33, 0.02], distance: 1.3});
    // It has swung, and is at rest.
    await page.waitForTimeout(4000);
    await settled(page);
    await page.getByTestId('profile').evaluate((element) => element.scrollIntoView(
        {block: 'center'}));
    await pointAway(page);
    await photographer.take();
}

async function slice(photographer) {
    const {page} = await photographer.start({open: 'strongarm'});
    await page.evaluate(() => document.querySelector('[data-testid=tour] button')?.click());
    await page.getByRole('button', {name: 'Field slice'}).click();
    await page.evaluate(() => {
        window.sinewStudio.viewport.slice.set({segment: 'upper_arm', center: [0, 0.2, 0], turn: 90,
            tilt: 0, size: 0.62, cells: 192});
        window.sinewStudio.setTool('pose');
        window.sinewStudio.setTool('slice');
    });
    await hold(page, {'forearm.rx_deg': 95});
    await look(page, {azimuth: 1.05, elevation: 0.25, at: [0.24, 1.34, 0.05], distance: 1.5});
    // It has swung, and is at rest.
    await page.waitForTimeout(4000);
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

async function pose(photographer) {
    const {page} = await photographer.start({open: 'arm'});
    await takeTool(page, 'pose');
    await page.getByLabel('Joint').selectOption('upper_arm');
    await hold(page, {'upper_arm.rz_deg': 90, 'forearm.rx_deg': 35});
    await look(page, {azimuth: 0.5, elevation: 0.12, at: [0.28, 1.66, 0.05], distance: 1.9});
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

async function limb(photographer) {
    const {page} = await photographer.start({open: 'human', dark: true});
    await takeTool(page, 'pose');
    await page.getByLabel('Joint').selectOption('hand.L');
    const {values} = await page.evaluate(() => window.sinewStudio.call('reach', {slot: 0,
        segment: 'hand.L', target: [0.42, 1.3, 0.38], pole: [0.7, 0.9, -0.4]}));
    await hold(page, values);
    await look(page, {azimuth: 0.75, elevation: 0.12, at: [0.2, 1.25, 0.1], distance: 1.9});
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

async function mirror(photographer) {
    const {page} = await photographer.start({open: 'rex'});
    await select(page, '/muscles/snarl_right');
    await page.locator('.outliner-row[data-path="/muscles/snarl_right"]').click();
    await page.keyboard.press('Delete');
    await untilDocument(page, (document) => document.muscles.snarl_right === undefined);
    await settled(page);
    await setLayer(page, 'skin', 'clear');
    await select(page, '/muscles/snarl_left');
    await takeTool(page, 'mirror');
    await look(page, {azimuth: 0.25, elevation: 0.35, at: [0, 0.05, 0.35], distance: 3.2});
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

async function paint(photographer) {
    const {page} = await photographer.start({open: 'arm', dark: true});
    await hold(page, {'forearm.rx_deg': 75});
    const panel = await takeTool(page, 'paint');
    await panel.getByLabel('Segment').selectOption('forearm');
    await page.waitForFunction((path) => {
        const surface = window.sinewStudio.active.model?.byPath(path);
        return surface?.values?.length === surface?.vertexCount;
    }, SKIN);
    await look(page, {azimuth: 0.75, elevation: 0.2, at: [0.33, 1.27, 0.05], distance: 1.15});
    const at = await reach(page, SKIN, [0.445, 1.185, 0.02]);
    await drag(page, [{x: at.x - 26, y: at.y + 10}, at, {x: at.x + 20, y: at.y - 6}]);
    await untilDocument(page, (document) => document.skins.skin.deformers.some((each) =>
        JSON.stringify(each.paint ?? null).includes('forearm')));
    await settled(page);
    await page.mouse.move(at.x, at.y);
    await photographer.take();
}

async function sets(photographer) {
    const {page} = await photographer.start({open: 'thighs'});
    await seek(page, 30);
    const panel = await takeTool(page, 'sets');
    await panel.getByLabel('Wrap').selectOption({label: 'together'});
    await page.waitForFunction(() =>
        window.sinewStudio.active.model.byPath('/skins/together_driver').hasGeometry);
    await settled(page);
    const front = {azimuth: 0, elevation: 0.1, at: [0.24, 0.62, 0], distance: 1.75};
    await look(page, front);
    await foldLayers(page);
    const clip = await photographer.view({left: 190, right: 150});
    await pointAway(page);
    await photographer.take({ending: '-before', clip});
    // Points of one thigh do not follow faces of the other.
    await addSet(page, panel, RIGHT, LEFT);
    await addSet(page, panel, LEFT, RIGHT);
    await page.evaluate(() => window.sinewStudio.release(null));
    await seek(page, 30);
    await setLayer(page, 'driver', 'clear');
    await setLayer(page, 'skin', 'shown');
    await look(page, front);
    await settled(page);
    await pointAway(page);
    await photographer.take();
    await page.evaluate(() => window.sinewStudio.setTool('select'));
    await settled(page);
    await look(page, front);
    await photographer.take({ending: '-after', clip});
}

// The thighs that stand together: from side to side at rest, and from where the inner side is seen.
const LEFT = {low: 0.23, high: 0.6, inside: -0.6};
const RIGHT = {low: 0, high: 0.23, inside: 0.6};

/** The corners of a box on the screen around a thigh of a surface. */
function cornersAround(page, path, {low, high}) {
    return page.evaluate(([place, from, to]) => {
        const {viewport, active} = window.sinewStudio;
        const {rest, points, vertexCount} = active.model.byPath(place);
        const box = viewport.canvas.getBoundingClientRect();
        const at = [];
        for (let v = 0; v < vertexCount; ++v) {
            if (rest[3 * v] >= from && rest[3 * v] <= to && rest[3 * v + 1] < 0.775) {
                const [x, y, z] = points.subarray(3 * v, 3 * v + 3);
                at.push(viewport.project({x, y, z}));
            }
        }
        const span = (pick, choose) => choose(...at.map(pick));
        return [Math.min, Math.max].map((choose) => ({
            x: box.left + span((each) => each.x, choose),
            y: box.top + span((each) => each.y, choose),
        }));
    }, [path, low, high]);
}

async function addSet(page, panel, points, faces) {
    const before = await page.evaluate(() =>
        window.sinewStudio.get('/skins/together/deformers/0/sets')?.length ?? 0);
    await panel.getByRole('button', {name: 'Add a set'}).click();
    await panel.getByRole('button', {name: 'Box', exact: true}).click();
    for (const [mode, side, path] of [[/^Points/, points, '/skins/together'],
        [/^Faces/, faces, '/skins/together_driver']]) {
        await panel.getByRole('button', {name: mode}).click();
        // A box takes what looks to the camera, and faces only whole: those of the inner side are
        // seen where the thighs are apart.
        const inside = mode.test('Faces') ? [[side.inside, 0, -60]] : [];
        for (const [azimuth, elevation, degrees] of [[0, 0, 0], [Math.PI, 0, 0], [0, -0.6, 0],
            [Math.PI, -0.6, 0], ...inside]) {
            await hold(page, {'right_together.rz_deg': degrees});
            await look(page, {azimuth, elevation, at: [0.23, 0.6, 0], distance: 2.4});
            await settled(page);
            await drag(page, await cornersAround(page, path, side));
        }
    }
    await page.waitForFunction((count) =>
        window.sinewStudio.get('/skins/together/deformers/0/sets')?.length === count + 1, before);
    await settled(page);
}

async function keypose(photographer) {
    const {page} = await photographer.start({open: 'arm'});
    await hold(page, {'forearm.rx_deg': 100});
    await look(page, {azimuth: 0.85, elevation: 0.05, at: [0.33, 1.25, 0.06], distance: 1.0});
    await takeTool(page, 'keypose');
    await settled(page);
    await foldLayers(page);
    const clip = await photographer.view({left: 260, right: 60, top: 120, bottom: 40});
    await pointAway(page);
    await photographer.take({ending: '-before', clip});
    await type(page, 'Radius', '70');
    const view = await photographer.view();
    const tip = {x: view.x + 0.695 * view.width, y: view.y + 0.62 * view.height};
    await drag(page, [tip, {x: tip.x + 16, y: tip.y + 14}]);
    await untilDocument(page, (document) =>
        document.skins.skin.deformers.some(({kind}) => kind === 'morph'));
    await settled(page);
    await page.mouse.move(tip.x + 10, tip.y + 10);
    await photographer.take();
    await pointAway(page);
    await page.evaluate(() => window.sinewStudio.setTool('select'));
    await settled(page);
    await photographer.take({ending: '-after', clip});
}

export const tools = {draw, ring, cylinder, fibre, slice, pose, limb, mirror, paint, sets, keypose};
