// SPDX-License-Identifier: Apache-2.0
//
// The face panel: sliders by region with left and right together, and the library of poses.
import assert from 'node:assert/strict';

import {documentOf, farthest, pointsOf, settled, sinew} from './character.mjs';
import {studioTest} from './harness.mjs';
import {changing, dragSlider} from './panels.mjs';

const LARGE = {open: 'head', width: 1280, height: 800};
const SMALL = {open: 'head', width: 1024, height: 768, context: {colorScheme: 'dark'}};

const panel = (page) => page.locator('.panel.face');
const faceTab = (page) => page.getByRole('tab', {name: 'Face', exact: true});
const row = (page, name) => panel(page).locator(`.face-row[data-row="${name}"]`);
const slider = (page, title) => panel(page).locator('.face-parts')
    .getByRole('slider', {name: `${title} slider`, exact: true, includeHidden: true})
    .filter({visible: true});
const tile = (page, name) => page.locator(`[data-pose="${name}"]`);
const region = (page, name) => panel(page).locator(`[data-region=${name}]`);
const held = (page) => page.evaluate(() => window.sinewStudio.active.held);
const steps = (page) => page.evaluate(() => window.sinewStudio.active.undo?.count ?? 0);
const undo = (page) => page.keyboard.press('Control+z');
const control = (page, name) => page.evaluate((each) => {
    const {model, frame} = window.sinewStudio.active;
    return frame.controls[model.controlIndex(each)];
}, name);

const untilHeld = (page, names) => page.waitForFunction((wanted) =>
    Object.keys(window.sinewStudio.active.held).sort().join() === wanted, [...names].sort().join());

/** Waits for the end of a slider's drag to 0.8. */
const untilDragged = (page, name) => page.waitForFunction((each) =>
    window.sinewStudio.active.held[each] > 0.75, name);

/** Holds values and waits for their frame; others may add to them. */
async function set(page, values) {
    await page.evaluate((each) => window.sinewStudio.hold(each), values);
    await shown(page, values);
}

async function shown(page, values) {
    await page.waitForFunction((wanted) => {
        const {model, frame, held: all} = window.sinewStudio.active;
        return Object.entries(wanted).every(([name, value]) => {
            const total = frame.controls[model.controlIndex(name)];
            return all[name] === value && (value === 0 ? total === 0 : total >= value - 1e-9);
        });
    }, values);
    await settled(page);
}

async function openFace(page, tab = 'Sliders') {
    await faceTab(page).click();
    await page.getByRole('tab', {name: tab, exact: true}).click();
    await settled(page);
    // The rest pose: clips move controls of the face.
    await page.evaluate(() => window.sinewStudio.call('clip', {slot: 0, name: null}));
    await settled(page);
}

/** How far a skin is from its own mirror image; the one at rest is it bit for bit. */
function asymmetry(points, rest) {
    const key = (array, i, sign) => [sign * array[i] + 0, array[i + 1], array[i + 2]].join();
    const places = new Map();
    for (let i = 0; i < rest.length; i += 3) {
        places.set(key(rest, i, 1), i);
    }
    let most = 0;
    for (let i = 0; i < rest.length; i += 3) {
        const j = places.get(key(rest, i, -1));
        most = Math.max(most, Math.hypot(points[i] + points[j], points[i + 1] - points[j + 1],
            points[i + 2] - points[j + 2]));
    }
    return most;
}

/** The skin as its mesh has it. */
const meshOf = (page) => page.evaluate(() =>
    [...window.sinewStudio.active.model.byPath('/skins/skin').rest]);

const skinOf = (page) => pointsOf(page, '/skins/skin');

studioTest('one slider moves both sides, or each side has its own', LARGE, async (studio) => {
    const {page, screenshot} = studio;
    await openFace(page);
    const rest = await meshOf(page);
    const sides = ['zygomaticus major.L', 'zygomaticus major.R'];
    await dragSlider(page, slider(page, 'zygomaticus major'), 0, 0.8);
    await untilDragged(page, sides[0]);
    const both = await held(page);
    await shown(page, both);
    assert.deepEqual(Object.keys(both).sort(), sides);
    assert.equal(both[sides[0]], both[sides[1]]);
    assert.equal(await steps(page), 1, 'a drag is one step');
    const smiling = await skinOf(page);
    assert.ok(farthest(smiling, rest) > 0.002);
    await undo(page);
    await untilHeld(page, []);

    // One row alone is taken apart, then all of them by the key.
    await row(page, sides[0]).getByRole('button', {name: /^Left and right together/}).click();
    await dragSlider(page, slider(page, 'R zygomaticus major'), 0, 0.8);
    await untilDragged(page, sides[1]);
    await untilHeld(page, [sides[1]]);
    await shown(page, await held(page));
    // The flesh is not cut into mirrored columns: a smile of both sides is not quite symmetric.
    const [alone, together] = [await skinOf(page), smiling].map((each) => asymmetry(each, rest));
    assert.ok(together < 0.25 * alone, `${together} of ${alone}`);
    assert.equal(await slider(page, 'L risorius').count(), 0);
    await page.keyboard.press('Shift+L');
    await slider(page, 'L risorius').waitFor();
    await page.keyboard.press('Shift+L');
    await slider(page, 'risorius').waitFor();
    assert.match(await row(page, sides[0]).getAttribute('class'), /mixed/);
    await region(page, 'mouth').click();
    await screenshot('sliders-1280');

    // What a pose adds is told, and does not make a slider jump.
    await set(page, {smile: 0.5});
    assert.ok(await control(page, 'zygomaticus minor.L') > 0.1);
    await row(page, 'zygomaticus minor.L').getByText('now 0.15').waitFor();
    const own = await slider(page, 'zygomaticus minor').inputValue();
    assert.equal(Number(own), 0);
});

studioTest('regions, search, keys and reset', SMALL, async ({page, screenshot}) => {
    await openFace(page);
    const titles = () => panel(page).locator('.face-body .section-title')
        .filter({visible: true}).allTextContents();
    assert.deepEqual(await titles(), ['Brow', 'Eyes', 'Nose', 'Cheeks', 'Mouth', 'Jaw', 'Neck']);
    await region(page, 'brow').click();
    assert.deepEqual(await titles(), ['Brow']);
    await region(page, 'brow').click();
    await panel(page).getByRole('combobox').first().selectOption('action units');
    assert.equal(await slider(page, 'AU12').count(), 1);
    assert.equal(await slider(page, 'risorius').count(), 0);
    await panel(page).getByRole('searchbox').fill('corrugator');
    assert.deepEqual(await titles(), ['Brow']);
    await panel(page).getByRole('searchbox').fill('jawLeft');
    assert.equal(await slider(page, 'jawLeft').count(), 1, 'no pair: both move both sides');
    await panel(page).getByRole('searchbox').fill('');
    await panel(page).getByRole('combobox').first().selectOption('');

    await set(page, {'corrugator.L': 0.5, 'corrugator.R': 0.5, 'risorius.L': 0.5});
    await page.waitForFunction(() => document.querySelectorAll('.face-map .moved').length === 2);
    await screenshot('sliders-1024');
    await page.getByRole('button', {name: 'Reset mouth'}).click();
    await untilHeld(page, ['corrugator.L', 'corrugator.R']);
    await undo(page);
    await untilHeld(page, ['corrugator.L', 'corrugator.R', 'risorius.L']);

    // Both sides are keyed at the playhead, and released.
    await page.evaluate(() => window.sinewStudio.call('clip', {slot: 0, name: 'look'}));
    await page.evaluate(() => window.sinewStudio.seek(21));
    await page.waitForFunction(() => window.sinewStudio.active.frame.number === 21);
    await changing(page, () => row(page, 'corrugator.L').getByRole('button', {name: /^Key/}).click());
    const {tracks} = (await documentOf(page)).clips.look;
    for (const name of ['corrugator.L', 'corrugator.R']) {
        assert.deepEqual(tracks[name].keys, [[0.7, 0.5]]);
    }
    await untilHeld(page, ['risorius.L']);
    // What the clip moves is held at rest, the other released: one step.
    assert.ok(await control(page, 'jaw open') > 0);
    const before = await steps(page);
    await panel(page).getByRole('button', {name: 'Reset', exact: true}).click();
    await page.waitForFunction(() => window.sinewStudio.active.held['jaw open'] === 0);
    await page.waitForFunction(() => !('risorius.L' in window.sinewStudio.active.held));
    await page.waitForFunction(() => ['jaw open', 'corrugator.L', 'corrugator.R'].every((name) => {
        const {model, frame} = window.sinewStudio.active;
        return frame.controls[model.controlIndex(name)] === 0;
    }));
    assert.equal(await steps(page), before + 1);
});

studioTest('poses are mixed, saved, mirrored, renamed and deleted', SMALL, async (studio) => {
    const {page, screenshot} = studio;
    await openFace(page, 'Poses');
    const opened = await documentOf(page);
    await page.waitForFunction(() => document.querySelectorAll('canvas.drawn').length === 8);
    assert.equal(await page.getByRole('button', {name: 'Save pose'}).isDisabled(), true);
    const pixels = await page.locator('canvas.drawn').evaluateAll((all) => all.map((each) =>
        [...each.getContext('2d').getImageData(0, 0, each.width, each.height).data].join()));
    assert.equal(new Set(pixels).size, 8, 'every pose looks otherwise');

    // A click is all of a pose, its slider a part; they add up.
    await tile(page, 'smile').getByRole('button', {name: 'smile', exact: true}).click();
    await untilHeld(page, ['smile']);
    await dragSlider(page, tile(page, 'surprise').getByRole('slider', {includeHidden: true}), 0, 0.5);
    await page.waitForFunction(() => window.sinewStudio.active.held.surprise > 0.45);
    await set(page, {'buccinator.L': 0.3});
    const mixed = await skinOf(page);
    await screenshot('poses-1024');

    await page.getByRole('button', {name: 'Save pose'}).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('smile');
    await dialog.getByRole('button', {name: 'Save'}).click();
    await dialog.getByText('The name "smile" is taken.').waitFor();
    await dialog.getByLabel('Name').fill('smirk');
    await changing(page, () => dialog.getByRole('button', {name: 'Save'}).click());
    const saved = await documentOf(page);
    assert.equal(saved.controls.smirk.group, 'saved poses');
    assert.deepEqual(Object.keys(saved.synergies.at(-1).spread).sort(),
        ['buccinator.L', 'smile', 'surprise']);
    await settled(page);
    assert.equal(farthest(await skinOf(page), mixed), 0, 'saving changes nothing that is shown');

    // The pose alone does what was mixed.
    await panel(page).getByRole('button', {name: 'Reset', exact: true}).click();
    await untilHeld(page, []);
    await tile(page, 'smirk').getByRole('button', {name: 'smirk', exact: true}).click();
    await shown(page, {smirk: 1});
    assert.ok(farthest(await skinOf(page), mixed) < 1e-5);

    // Its mirror image moves the other side, and its sides are together the whole.
    const variant = (name, item) => changing(page, async () => {
        await tile(page, name).hover();
        await page.getByRole('button', {name: `More: ${name}`, exact: true}).click();
        await page.getByRole('menuitem', {name: item}).click();
    });
    await variant('smirk', 'Save its mirror image');
    await variant('smirk', 'Save its left side');
    await variant('smirk', 'Save its right side');
    const both = await documentOf(page);
    assert.ok(both.controls['smirk.L'] && both.controls['smirk.R']);
    const [whole, mirrored] = [saved.synergies.at(-1).spread, both.synergies.at(-3).spread];
    assert.deepEqual({...mirrored}, {smile: whole.smile, surprise: whole.surprise,
        'buccinator.R': whole['buccinator.L']});
    await panel(page).getByRole('button', {name: 'Reset', exact: true}).click();
    await untilHeld(page, []);
    await set(page, {'smirk.L': 1, 'smirk.R': 1});
    assert.ok(farthest(await skinOf(page), mixed) < 1e-5);
    await set(page, {'smirk.R': 0});
    await page.waitForFunction(() => document.querySelectorAll('canvas.drawn').length >= 11);
    await screenshot('saved-1024');

    // Another name goes along everywhere; what a clip needs stays.
    await changing(page, () => page.evaluate(() => window.sinewStudio.edit('Key',
        [{path: '/clips/look/tracks/smirk', value: {keys: [[0, 0], [1, 1]]}}])));
    await tile(page, 'smirk').click({button: 'right'});
    await page.getByRole('menuitem', {name: 'Rename'}).click();
    await dialog.getByLabel('Name').fill('sneer');
    await changing(page, () => dialog.getByLabel('Name').press('Enter'));
    const renamed = await documentOf(page);
    assert.ok(renamed.clips.look.tracks.sneer && renamed.controls.sneer && !renamed.controls.smirk);
    await tile(page, 'sneer').click({button: 'right'});
    await page.getByRole('menuitem', {name: 'Delete'}).click();
    await page.getByText('The pose sneer is not deleted: the clip look needs it.').waitFor();
    await tile(page, 'smirk mirrored').click({button: 'right'});
    await changing(page, () => page.getByRole('menuitem', {name: 'Delete'}).click());
    const less = await documentOf(page);
    assert.ok(!less.controls['smirk mirrored']);
    assert.equal(less.synergies.some((each) => each.control === 'smirk mirrored'), false);
    await changing(page, () => undo(page));
    assert.deepEqual(await documentOf(page), renamed, 'one step brings it back');
    assert.equal(opened.synergies.length + 4, renamed.synergies.length);
});

studioTest('a character without a face has no such panel', {open: 'arm'}, async (studio) => {
    const {page, call, server} = studio;
    assert.equal(await faceTab(page).isVisible(), false);
    await call('open', {slot: 0, path: server.path('rex', 'rex.sinew.json')});
    await faceTab(page).click();
    await settled(page);
    await slider(page, 'snarl').waitFor();
    assert.equal(await slider(page, 'swallow').count(), 1);

    // A document without synergies gets its first with a pose, and loses them with the last one.
    await page.getByRole('tab', {name: 'Poses', exact: true}).click();
    await set(page, {snarl: 0.5, bite: 0.25});
    await page.getByRole('button', {name: 'Save pose'}).click();
    await changing(page, () => page.getByRole('dialog').getByLabel('Name').press('Enter'));
    const {synergies} = await documentOf(page);
    assert.deepEqual(synergies.map(({control: name}) => name), ['pose 1']);
    assert.deepEqual({...synergies[0].spread}, {bite: 0.25, snarl: 0.5});
    await tile(page, 'pose 1').click({button: 'right'});
    await changing(page, () => page.getByRole('menuitem', {name: 'Delete'}).click());
    assert.equal((await documentOf(page)).synergies, undefined);

    await call('open', {slot: 0, path: server.path('arm', 'arm.sinew.json')});
    await faceTab(page).waitFor({state: 'hidden'});
    assert.equal(await page.getByRole('tab', {selected: true}).nth(1).innerText(), 'Properties');
});

studioTest('the page knows the same synergies as the program', LARGE, async ({page, server}) => {
    // The program writes every mirror image out; the page makes them from the short form.
    const expanded = JSON.parse(
        await sinew('check', server.path('head', 'head.sinew.json'), '--expanded'));
    const wanted = Object.entries(sumsOf(expanded.synergies));
    const spreads = new Map(await page.evaluate(() =>
        [...window.sinewStudio.layout.mounted.get('face').face.spreads]));
    assert.equal(spreads.size, wanted.length);
    for (const [name, spread] of wanted) {
        assert.deepEqual(sorted(spreads.get(name)), sorted(spread), name);
    }
});

const sorted = (spread) => Object.entries(spread).sort(([a], [b]) => (a < b ? -1 : 1));

function sumsOf(synergies) {
    const sums = {};
    for (const {control: name, spread} of synergies) {
        sums[name] ??= {};
        for (const [each, amount] of Object.entries(spread)) {
            sums[name][each] = (sums[name][each] ?? 0) + amount;
        }
    }
    return sums;
}
