// SPDX-License-Identifier: Apache-2.0
//
// Pictures of the viewport, the panels and the windows.
import {copyFile} from 'node:fs/promises';
import {join} from 'node:path';

import {hold, settled, untilDocument} from './character.mjs';
import {changing} from './panels.mjs';
import {foldLayers, look, pointAway, seek, select, setLayer} from './pictures-moves.mjs';

const ARM = {azimuth: 0.75, elevation: 0.12, at: [0.3, 1.33, 0.1], distance: 1.45};

const tab = (page, name) => page.getByRole('tab', {name}).click();

async function drawnGallery(page) {
    for (const name of ['arm', 'human', 'thighs']) {
        await page.getByTestId(`gallery-${name}`).locator('img').evaluate((each) => each.decode());
    }
}

async function menuItem(page, name) {
    await page.getByTestId('file-menu').click();
    await page.getByRole('menuitem', {name}).click();
    return page.getByRole('dialog').last();
}

/** Opens characters and closes them again: they are recent files then. */
async function visit(studio, names) {
    for (const name of names) {
        await studio.call('open', {slot: 0, path: studio.server.path(name, `${name}.sinew.json`)});
        await settled(studio.page);
    }
    await studio.call('close', {slot: 0, keep: false});
    await studio.page.getByTestId('gallery-arm').waitFor();
}

async function start(photographer) {
    const studio = await photographer.start();
    await visit(studio, ['rex', 'arm']);
    await drawnGallery(studio.page);
    await pointAway(studio.page);
    await photographer.take();
}

async function unsaved(photographer) {
    const studio = await photographer.start({dark: true});
    const {page} = studio;
    await visit(studio, ['rex', 'arm']);
    await page.getByTestId('gallery-arm').click();
    await settled(page);
    await page.evaluate(() => window.sinewStudio.edit('Bulge',
        [{path: '/muscles/biceps/bulge', value: 1.4}]));
    await studio.call('close', {slot: 0, keep: true});
    await page.getByTestId('unsaved').waitFor();
    await drawnGallery(page);
    await pointAway(page);
    await photographer.take();
}

async function files(photographer) {
    const {page, server} = await photographer.start({open: 'rex'});
    for (const [from, to] of [['arm/arm.sinew.json', 'hero.sinew.json'], ['arm/arm.glb', 'hero.glb'],
        ['arm/arm.sinew.json', 'hero-strong.sinew.json'], ['rex/rex.obj', 'rex-sculpt.obj']]) {
        await copyFile(server.path(from), server.path(to));
    }
    await page.keyboard.press('Control+o');
    const dialog = page.getByRole('dialog').last();
    await dialog.getByRole('option', {name: /^rex/}).first().waitFor();
    await dialog.locator('.file-main').getByRole('button', {name: 'characters'}).click();
    await dialog.getByLabel('Show').selectOption('All files');
    await dialog.getByRole('option', {name: /^hero\.sinew/}).click();
    await photographer.take();
}

async function viewport(photographer) {
    const {page} = await photographer.start({open: 'arm', dark: true});
    await setLayer(page, 'skin', 'clear');
    await seek(page, 18);
    await select(page, '/muscles/biceps');
    await look(page, ARM);
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

async function colours(photographer) {
    const {page} = await photographer.start({open: 'arm'});
    await seek(page, 17);
    await page.getByLabel('Colour by').selectOption('stretch');
    await page.waitForFunction(() =>
        window.sinewStudio.active.model.byPath('/skins/skin').values !== null);
    await look(page, ARM);
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

/** The biceps beside one that bulges more. */
async function compare(photographer) {
    const {page} = await photographer.start({open: 'arm'});
    await seek(page, 18);
    await page.getByRole('button', {name: 'Side by side'}).click();
    await page.waitForFunction(() => window.sinewStudio.slots[1].model !== null);
    await settled(page, 1);
    await page.evaluate(() => window.sinewStudio.setActive(1));
    await changing(page, () => page.evaluate(() => window.sinewStudio.edit('Bulge',
        [{path: '/muscles/biceps/bulge', value: 3}])));
    await select(page, '/muscles/biceps');
    await setLayer(page, 'skin', 'shown');
    await settled(page, 1);
    await foldLayers(page);
    await look(page, {azimuth: 0.75, elevation: 0.1, at: [0.27, 1.29, 0.12], distance: 1.75});
    await pointAway(page);
    await photographer.take();
}

/** A model in the colours of its file. */
async function materials(photographer) {
    const {page} = await photographer.start({open: 'person'});
    await seek(page, 38);
    await look(page, {azimuth: 0.6, elevation: 0.08, at: [0, 0.88, 1.38], distance: 5.1});
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

/** Two bodies from the inside. */
async function beside(photographer) {
    const {page, call, server} = await photographer.start({open: 'human', dark: true});
    await setLayer(page, 'skin', 'hidden');
    await call('open', {slot: 1, path: server.path('monkey', 'monkey.sinew.json')});
    await page.waitForFunction(() => window.sinewStudio.slots[1].model !== null);
    await page.evaluate(() => window.sinewStudio.viewport.setCompare(true));
    await settled(page, 1);
    await foldLayers(page);
    await look(page, {azimuth: 0.8, elevation: 0.1, at: [0, 0.9, 0.05], distance: 5});
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

async function timeline(photographer) {
    const {page} = await photographer.start({open: 'arm'});
    await seek(page, 11);
    await look(page, ARM);
    await pointAway(page);
    await photographer.take();
}

async function curves(photographer) {
    const {page} = await photographer.start({open: 'arm'});
    await tab(page, 'Curves');
    await page.getByRole('option', {name: 'forearm.rx', exact: true}).click();
    await page.getByRole('option', {name: 'hand.rx', exact: true}).click({modifiers: ['Control']});
    await seek(page, 22);
    await look(page, ARM);
    await page.evaluate(() => window.sinewStudio.layout.mounted.get('curves').keys
        .set([2, 3].map((index) => ({name: 'forearm.rx', index}))));
    await pointAway(page);
    await photographer.take();
}

async function outliner(photographer) {
    const {page} = await photographer.start({open: 'human'});
    await page.getByRole('searchbox').first().fill('biceps');
    await select(page, '/muscles/biceps long head.L');
    await setLayer(page, 'skin', 'hidden');
    await look(page, {azimuth: 0.55, elevation: 0.08, at: [0.05, 1.28, 0], distance: 2.0});
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

async function properties(photographer) {
    const {page} = await photographer.start({open: 'arm'});
    await setLayer(page, 'skin', 'clear');
    await seek(page, 18);
    await look(page, ARM);
    await select(page, '/muscles/biceps');
    await settled(page);
    const bulge = page.locator('.form-row[data-path="/muscles/biceps/bulge"]');
    await bulge.getByRole('spinbutton').fill('1.2');
    await changing(page, () => bulge.getByRole('spinbutton').press('Enter'));
    await settled(page);
    await bulge.hover();
    await photographer.take();
}

async function history(photographer) {
    const {page} = await photographer.start({open: 'arm'});
    await setLayer(page, 'skin', 'clear');
    await seek(page, 18);
    await look(page, ARM);
    await select(page, '/muscles/biceps');
    for (const [key, value] of [['bulge', '1.5'], ['muscle_thickness', '20'],
        ['skin_thickness', '4']]) {
        const box = page.locator(`.form-row[data-path="/muscles/biceps/${key}"]`)
            .getByRole('spinbutton');
        await box.fill(value);
        await changing(page, () => box.press('Enter'));
    }
    await tab(page, 'History');
    await page.waitForFunction(() => document.querySelectorAll('.history-step').length === 4);
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

async function controls(photographer) {
    const {page} = await photographer.start({open: 'arm'});
    await look(page, {...ARM, at: [0.33, 1.27, 0.1], distance: 1.7});
    await tab(page, 'Controls');
    await seek(page, 12);
    await hold(page, {fist: 0.75});
    await select(page, '/skeleton/hand');
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

const FACE = {azimuth: 0.45, elevation: 0.03, at: [0, 0.015, 0.02], distance: 0.85};

async function openFace(photographer, options) {
    const studio = await photographer.start({open: 'head', ...options});
    const {page} = studio;
    await page.evaluate(() => window.sinewStudio.call('clip', {slot: 0, name: null}));
    await foldLayers(page);
    await look(page, FACE);
    await tab(page, 'Face');
    return studio;
}

/** Holds controls to which others add, and waits for their frame. */
async function setFace(page, values) {
    await page.evaluate((each) => window.sinewStudio.hold(each), values);
    await page.waitForFunction((wanted) => {
        const {model, frame} = window.sinewStudio.active;
        return Object.entries(wanted).every(([name, value]) =>
            frame.controls[model.controlIndex(name)] >= value);
    }, values);
    await settled(page);
}

async function face(photographer) {
    const {page} = await openFace(photographer);
    await page.locator('[data-region=mouth]').click();
    await page.getByRole('button', {name: 'Left and right together: risorius'}).click();
    await setFace(page, {smile: 0.5, 'risorius.L': 0.6, 'depressor labii.L': 0.3,
        'depressor labii.R': 0.3});
    await pointAway(page);
    await photographer.take();
}

async function poses(photographer) {
    const {page} = await openFace(photographer, {dark: true});
    await tab(page, 'Poses');
    await setFace(page, {disgust: 0.7, surprise: 0.4, 'frontalis 4.L': 0.8});
    await page.getByRole('button', {name: 'Save pose'}).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('doubt');
    await changing(page, () => dialog.getByRole('button', {name: 'Save'}).click());
    await page.getByRole('button', {name: 'Reset', exact: true}).click();
    await page.locator('[data-pose=doubt]').click({button: 'right'});
    await changing(page, () => page.getByRole('menuitem', {name: 'left side'}).click());
    await setFace(page, {'doubt.L': 1, smile: 0.4});
    await page.waitForFunction(() => document.querySelectorAll('canvas.drawn').length === 10);
    await pointAway(page);
    await photographer.take();
}

async function landmarks(photographer) {
    const {page} = await photographer.start({open: 'head'});
    await foldLayers(page);
    await look(page, {...FACE, azimuth: 0.3});
    await page.evaluate(() => window.sinewStudio.setTool('landmarks'));
    await settled(page);
    const at = await page.evaluate(() => {
        const {active, viewport} = window.sinewStudio;
        window.sinewStudio.emit('frame', active);
        const {points} = active.model.byPath('/skins/skin');
        const {vertex} = active.document.landmarks['inferior_malar.L'];
        const [x, y, z] = points.slice(3 * vertex, 3 * vertex + 3);
        const box = viewport.canvas.getBoundingClientRect();
        const place = viewport.project({x, y, z}, 0);
        return {x: box.left + place.x, y: box.top + place.y};
    });
    await page.mouse.move(at.x, at.y);
    await photographer.take();
}

/** Makes the panel at the bottom higher, as by dragging its edge. */
async function raiseBottom(page, pixels) {
    const edge = page.getByRole('separator', {name: 'Size of the bottom panel'});
    await edge.focus();
    for (let i = 0; i < pixels / 16; ++i) {
        await page.keyboard.press('ArrowUp');
    }
}

async function measured(page) {
    await tab(page, 'Plots');
    await page.getByRole('button', {name: 'Measure'}).click();
    await page.waitForFunction(() =>
        [...window.sinewStudio.jobs.values()].some((job) => job.state === 'done'));
}

async function plots(photographer) {
    const {page} = await photographer.start({open: 'human'});
    await setLayer(page, 'skin', 'hidden');
    await measured(page);
    await raiseBottom(page, 112);
    await page.getByRole('combobox', {name: 'Quantity'}).selectOption('length');
    await seek(page, 12);
    await page.getByTestId('job').first().waitFor({state: 'detached'}).catch(() => {});
    await look(page, {azimuth: 0.7, elevation: 0.05, at: [0, 0.9, 0.05], distance: 4.5});
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

/** How far the fibres of an arm that is shaken swing, over time. */
async function swing(photographer) {
    const {page} = await photographer.start({open: 'strongarm'});
    await page.getByRole('button', {name: /^Clip: /}).click();
    await page.getByRole('menu').getByText('shake', {exact: true}).click();
    await settled(page);
    await setLayer(page, 'skin', 'clear');
    await measured(page);
    await raiseBottom(page, 112);
    await page.getByRole('combobox', {name: 'Quantity'}).selectOption('swing');
    await seek(page, 16);
    await page.getByTestId('job').first().waitFor({state: 'detached'}).catch(() => {});
    await look(page, ARM);
    await settled(page);
    await pointAway(page);
    await photographer.take();
}

async function jobs(photographer) {
    const {page} = await photographer.start({open: 'monkey', dark: true});
    await look(page, {azimuth: 0.8, elevation: 0.1, at: [0, 0.32, 0], distance: 2.2});
    const dialog = await menuItem(page, 'Extract a skin');
    await dialog.getByRole('spinbutton', {name: 'Resolution'}).fill('1000');
    await dialog.getByRole('button', {name: 'Extract', exact: true}).click();
    await page.getByTestId('job').first().waitFor();
    await page.waitForFunction(() =>
        [...window.sinewStudio.jobs.values()].some((job) => job.fraction > 0.15));
    await pointAway(page);
    await photographer.take();
    await page.getByTestId('job').first().getByRole('button', {name: 'Cancel'}).click();
}

async function help(photographer) {
    const {page} = await photographer.start({open: 'arm'});
    await look(page, ARM);
    await page.keyboard.press('F1');
    await page.getByRole('dialog', {name: 'Help'}).waitFor();
    await page.evaluate(() => document.activeElement?.blur());
    await photographer.take();
}

export const panels = {start, unsaved, files, viewport, colours, materials, compare, beside, timeline,
    curves, outliner, properties, history, controls, face, poses, landmarks, plots, swing, jobs, help};
