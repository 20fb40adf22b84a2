// SPDX-License-Identifier: Apache-2.0
//
// Pictures of the tools at work.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';

import {drag, hold, settled, untilDocument} from './character.mjs';
import {
    chooseTool, click, lookFrom, markOnScreen, onScreen, vertexOnScreen,
} from './modelling.mjs';
import {reach, takeTool} from './painting.mjs';
import {boneAt} from './pictures-places.mjs';

const SKIN = '/skins/skin';

const evaluate = (page, run, value) => page.evaluate(run, value);
const setLayer = (page, name, mode) => evaluate(page, ([each, how]) =>
    window.sinewStudio.viewport.setLayer(each, how), [name, mode]);
const select = (page, path) => evaluate(page, (each) => window.sinewStudio.select(each), path);
const look = (page, {azimuth, elevation = 0, at, distance}) =>
    lookFrom(page, azimuth, elevation, {at, distance});

async function type(page, label, text) {
    const box = page.getByRole('spinbutton', {name: label, exact: true});
    await box.fill(text);
    await box.press('Enter');
}

async function rename(page, name) {
    const box = page.locator('[data-panel="tool"]').getByRole('textbox', {name: 'Name', exact: true});
    await box.fill(name);
    await box.press('Enter');
    await untilDocument(page, (document, wanted) => document.muscles[wanted] !== undefined, name);
    await settled(page);
}

async function seek(page, frame) {
    await evaluate(page, (number) => window.sinewStudio.seek(number), frame);
    await page.waitForFunction((number) =>
        window.sinewStudio.active.frame?.number === number, frame);
    await settled(page);
}

/** Takes the pointer away from the character. */
const pointAway = (page) => page.mouse.move(1000, 715);

async function clickCurve(page, curve) {
    for (const point of curve) {
        await click(page, await vertexOnScreen(page, SKIN, point));
    }
}

/** The muscle of docs/triceps.json, drawn on the back of the arm. */
async function drawTriceps(page) {
    const file = join(process.env.SINEW_SOURCE, 'docs/triceps.json');
    const {curves} = JSON.parse(await readFile(file, 'utf8'));
    await look(page, {azimuth: Math.PI - 0.25, elevation: 0.08, at: [0.3, 1.32, 0], distance: 1.15});
    await chooseTool(page, 'Draw a muscle');
    await clickCurve(page, curves[0]);
    await page.keyboard.press('Enter');
    await clickCurve(page, curves[1]);
    await untilDocument(page, (document, count) =>
        document.muscles.muscle?.curves[1].length === count, curves[1].length);
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
    await look(page, {azimuth: 1.25, elevation: 0.15, at: eye, distance: 1.1});
    await chooseTool(page, 'Draw a muscle');
    const middle = await onScreen(page, eye);
    for (const radius of [40, 72]) {
        const points = Array.from({length: 10}, (_, i) => ({
            x: middle.x + 1.15 * radius * Math.cos((2 * Math.PI * i) / 10),
            y: middle.y + radius * Math.sin((2 * Math.PI * i) / 10),
        }));
        for (const at of points) {
            await click(page, at);
        }
        if (radius === 40) {
            await click(page, points[0]);
        }
    }
    await untilDocument(page, (document) => document.muscles.muscle?.curves[1].length === 10);
    await settled(page);
    await rename(page, 'orbicularis_left');
    await pointAway(page);
    await photographer.take();
}

const BICEPS = [['scapula', 0.6], ['humerus', 0.8], ['ulna', 0.75], ['ulna', 0.6]];

async function cylinder(photographer) {
    const {page} = await photographer.start({open: 'arm'});
    await chooseTool(page, 'Muscle between bones');
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

async function pose(photographer) {
    const {page} = await photographer.start({open: 'arm'});
    await chooseTool(page, 'Pose');
    await page.getByLabel('Joint').selectOption('upper_arm');
    await hold(page, {'upper_arm.rz_deg': 90, 'forearm.rx_deg': 35});
    await look(page, {azimuth: 0.5, elevation: 0.12, at: [0.3, 1.45, 0.05], distance: 1.75});
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

async function mirror(photographer) {
    const {page} = await photographer.start({open: 'rex'});
    await page.locator('.outliner-row[data-path="/muscles/snarl_right"]').click();
    await page.keyboard.press('Delete');
    await untilDocument(page, (document) => document.muscles.snarl_right === undefined);
    await settled(page);
    await setLayer(page, 'skin', 'clear');
    await select(page, '/muscles/snarl_left');
    await chooseTool(page, 'Mirror');
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
    await look(page, {azimuth: 0.5, elevation: 0.05, at: [0.36, 1.26, 0.05], distance: 1.0});
    const at = await reach(page, SKIN, [0.365, 1.265, 0.04]);
    await drag(page, [{x: at.x - 14, y: at.y - 22}, at, {x: at.x + 16, y: at.y + 14}]);
    await untilDocument(page, (document) => document.skins.skin.deformers.some((each) =>
        JSON.stringify(each.paint ?? null).includes('forearm')));
    await settled(page);
    await page.mouse.move(at.x + 14, at.y + 12);
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
    const before = {azimuth: 0.25, elevation: 0.1, at: [0.2, 0.55, 0], distance: 2.6};
    await look(page, before);
    await photographer.take({ending: '-0'});
}

async function keypose(photographer) {
    const {page} = await photographer.start({open: 'arm'});
    await hold(page, {'forearm.rx_deg': 130});
    await look(page, {azimuth: 0.5, elevation: 0.05, at: [0.36, 1.26, 0.05], distance: 1.0});
    await takeTool(page, 'keypose');
    await settled(page);
    await photographer.take({ending: '-0'});
}

export const tools = {draw, ring, cylinder, pose, mirror, paint, sets, keypose};
