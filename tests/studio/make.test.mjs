// SPDX-License-Identifier: Apache-2.0
//
// What the outliner's + makes for a character as a whole: muscles of the body, of the face, a
// driver mesh.
import {documentOf, settled, untilDocument} from './character.mjs';
import {studioTest} from './harness.mjs';
import assert from 'node:assert/strict';
import {access, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';

/** Shared test data, as tests in C find it. */
const data = (...names) =>
    join(process.env.SINEW_TEST_DATA ?? join(process.env.SINEW_SOURCE, '../shared/data'), ...names);

const exists = (path) => access(path).then(() => true, () => false);

async function add(page, name) {
    await page.getByTestId('outliner-add').click();
    await page.getByRole('menuitem', {name}).click();
}

const seen = (page) => page.evaluate(() => {
    const {layers, orbit} = window.sinewStudio.viewport;
    return {skin: layers.skin.mode, muscle: layers.muscle.mode, driver: layers.driver.mode,
        camera: [...orbit.target.toArray(), orbit.azimuth, orbit.elevation, orbit.distance]};
});

studioTest('muscles of the body and a driver mesh, each one step', {open: 'arm'}, async (studio) => {
    const {page, server, screenshot} = studio;
    await settled(page);
    const before = await documentOf(page);
    const {camera} = await seen(page);

    await add(page, 'Muscles for the whole body…');
    const window = page.getByRole('dialog', {name: 'Muscles for the whole body'});
    await window.getByRole('spinbutton', {name: 'Thickness'}).fill('0.8');
    await screenshot('propose');
    await window.getByRole('button', {name: 'Add muscles'}).click();
    await page.getByText(/^\d muscles? added/).waitFor();
    await settled(page);
    const after = await documentOf(page);
    const made = Object.keys(after.muscles).filter((name) => !(name in before.muscles));
    assert.ok(made.length > 0);
    assert.deepEqual(await seen(page), {skin: 'clear', muscle: 'shown', driver: 'hidden', camera});
    await screenshot('proposed');
    await page.keyboard.press('Control+z');
    await untilDocument(page, (document, text) => JSON.stringify(document) === text,
        JSON.stringify(before));

    await add(page, 'Driver mesh…');
    const driver = page.getByRole('dialog', {name: 'Driver mesh'});
    await driver.getByRole('spinbutton', {name: 'Triangles'}).fill('300');
    await screenshot('driver');
    await driver.getByRole('button', {name: 'Choose a file…'}).click();
    const files = page.getByRole('dialog').last();
    await files.locator('[aria-current="location"]').waitFor();
    await files.getByRole('button', {name: 'Make', exact: true}).click();
    await untilDocument(page, (document) => document.skins.driver !== undefined);
    await page.getByText(/It now moves the skin/).waitFor();
    await settled(page);
    assert.equal((await documentOf(page)).meshes.driver.file, 'arm-driver.glb');
    assert.ok((await server.read('arm', 'arm-driver.glb')).length > 0);
    assert.equal((await seen(page)).driver, 'shown');
    await screenshot('driven');

    await page.getByTestId('outliner-add').click();
    const refused = page.getByRole('menuitem', {name: 'Driver mesh…'});
    assert.ok(await refused.isDisabled());
    assert.match(await refused.innerText(), /there already is a skin or mesh called "driver"/);
    await screenshot('reasons');
});

// A head as an egg with a nose, facing +z, and where its features are seen from the front.
const RINGS = 64;
const SEGMENTS = 96;
const FACE = {
    nose_tip: [0, -0.01], lip_upper: [0, -0.031], lip_lower: [0, -0.05], chin: [0, -0.082],
    eye_inner_L: [0.018, 0.03], eye_outer_L: [0.045, 0.031], brow_inner_L: [0.012, 0.055],
    brow_outer_L: [0.055, 0.05], nose_wing_L: [0.015, -0.014], mouth_corner_L: [0.026, -0.04],
};

function egg(elevation, azimuth) {
    const c = Math.cos(elevation);
    const x = 0.078 * c * Math.sin(azimuth);
    const y = 0.115 * Math.sin(elevation);
    const z = 0.095 * c * Math.cos(azimuth);
    const nose = Math.exp(-(x * x + 0.6 * (y + 0.01) ** 2) / 0.00018);
    return [x, y, z > 0 ? z + 0.02 * nose : z];
}

function eggFile() {
    const lines = [];
    for (let v = 0; v < RINGS * SEGMENTS; ++v) {
        const elevation = Math.PI * ((Math.floor(v / SEGMENTS) + 0.5) / RINGS - 0.5);
        lines.push(`v ${egg(elevation, 2 * Math.PI * (v % SEGMENTS) / SEGMENTS).join(' ')}`);
    }
    for (let f = 0; f < (RINGS - 1) * SEGMENTS; ++f) {
        const [row, a] = [Math.floor(f / SEGMENTS) * SEGMENTS + 1, f % SEGMENTS];
        const b = (a + 1) % SEGMENTS;
        lines.push(`f ${row + a} ${row + b} ${row + SEGMENTS + b} ${row + SEGMENTS + a}`);
    }
    return `${lines.join('\n')}\n`;
}

function front([x, y]) {
    const elevation = Math.asin(y / 0.115);
    return egg(elevation, Math.asin(x / (0.078 * Math.cos(elevation))));
}

/** Where a point of the world is on the page. */
const place = (page, point) => page.evaluate(([x, y, z]) => {
    const {viewport} = window.sinewStudio;
    const box = viewport.canvas.getBoundingClientRect();
    const at = viewport.project({x, y, z});
    return {x: box.left + at.x, y: box.top + at.y};
}, point);

studioTest('features are clicked on a face, and muscles laid out', {}, async (studio) => {
    const {page, server, call, screenshot} = studio;
    await page.getByRole('button', {name: 'Leave the tour'}).click();
    await writeFile(server.path('egg.obj'), eggFile());
    await call('open', {slot: 0, path: server.path('egg.obj')});
    await settled(page);
    await page.getByTestId('outliner-add').click();
    assert.match(await page.getByRole('menuitem', {name: 'Muscles for the'}).innerText(),
        /needs a skeleton/);
    await page.getByRole('menuitem', {name: 'Face muscles…'}).click();
    await page.evaluate(() => window.sinewStudio.viewport.setView('front', false));
    const button = page.getByRole('button', {name: 'Add face muscles'});
    for (const point of Object.values(FACE)) {
        assert.ok(await button.isDisabled());
        const {x, y} = await place(page, front(point));
        await page.mouse.click(x, y);
    }
    await screenshot('features');
    await button.click();
    await untilDocument(page, (document) => document.muscles?.zygomaticus_major_L !== undefined);
    await page.getByText('29 muscles and 8 expressions added. Left out: masseter').waitFor();
    await settled(page);
    const {controls} = await documentOf(page);
    assert.ok('smile' in controls);
    assert.ok(await page.getByRole('tab', {name: 'Face', exact: true}).isVisible());
    assert.equal((await seen(page)).muscle, 'shown');
    await screenshot('face');
    await page.keyboard.press('Control+z');
    await untilDocument(page, (document) => Object.keys(document.muscles ?? {}).length === 0);
});

studioTest('a whole body and a scanned head', {}, async (studio, context) => {
    const {page, call} = studio;
    const [body, head] = [data('human', 'human.glb'), data('face', 'generic_neutral.obj')];
    if (!(await exists(body)) || !(await exists(head))) {
        context.skip('the shared test data is not there');
        return;
    }
    await page.getByRole('button', {name: 'Leave the tour'}).click();
    const copy = async (path, name) => {
        await writeFile(studio.server.path(name), await readFile(path));
        await call('open', {slot: 0, path: studio.server.path(name)});
        await settled(page);
    };
    await copy(body, 'body.glb');
    await add(page, 'Muscles for the whole body…');
    await page.getByRole('button', {name: 'Add muscles'}).click();
    await page.getByText(/^44 muscles added/).waitFor();
    await settled(page);
    await studio.screenshot('body');

    await copy(head, 'head.obj');
    await add(page, 'Face muscles…');
    const marks = JSON.parse(await readFile(data('face', 'landmarks.json'), 'utf8'));
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', {name: 'Read features from a file'}).click();
    await (await chooser).setFiles({name: 'f.json', mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify({ibug68: marks.multi_pie_68}))});
    await page.getByRole('button', {name: 'Add face muscles'}).click();
    await page.getByText(/muscles and 8 expressions added/).waitFor();
    await settled(page);
    await studio.screenshot('head');
});
