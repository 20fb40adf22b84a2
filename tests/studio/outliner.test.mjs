// SPDX-License-Identifier: Apache-2.0
//
// The outliner: everything of the document, searched, selected, changed.
import {studioTest} from './harness.mjs';
import {changing, documentOf, picture, row, select, undoAll} from './panels.mjs';
import assert from 'node:assert/strict';

const search = (page) => page.getByRole('searchbox', {name: 'Search the document'});
const names = (page) =>
    page.locator('.outliner-row[aria-level="3"] .outliner-name').allTextContents();
const selection = (page) => page.evaluate(() => window.sinewStudio.selection?.path ?? null);

studioTest(
    'search finds by name, and a find is selected by key',
    {open: 'arm'},
    async ({page, screenshot}) => {
        await search(page).fill('biceps');
        assert.deepEqual(await names(page), ['biceps', 'biceps', 'biceps']);
        await search(page).fill('patch');
        assert.deepEqual(await names(page), ['biceps'], 'by its kind');
        await search(page).press('Enter');
        assert.equal(await selection(page), '/muscles/biceps');
        await search(page).fill('no such thing');
        assert.deepEqual(await names(page), []);
        await search(page).fill('biceps');
        await picture(page, screenshot, 'search');
    }
);

studioTest('a tree for the keyboard and for screen readers', {open: 'arm'}, async ({page}) => {
    const tree = page.getByRole('tree', {name: 'Document'});
    assert.equal(await tree.evaluate((each) => each.clientHeight % 24), 0, 'no row is cut');
    await row(page, '/bones').click();
    assert.equal(await row(page, '/bones').getAttribute('aria-expanded'), 'false');
    await tree.press('ArrowRight');
    assert.equal(await row(page, '/bones').getAttribute('aria-expanded'), 'true');
    await tree.press('ArrowRight');
    const {bones} = await documentOf(page);
    const [first, second] = Object.keys(bones);
    assert.equal(await selection(page), `/bones/${first}`);
    await tree.press('ArrowDown');
    assert.equal(await selection(page), `/bones/${second}`);
    const current = await tree.getAttribute('aria-activedescendant');
    assert.equal(await page.locator(`[id="${current}"]`).getAttribute('aria-selected'), 'true');
    assert.equal(
        await page.locator(`[id="${current}"]`).getAttribute('aria-setsize'),
        String(Object.keys(bones).length)
    );
    await tree.press('ArrowLeft');
    assert.equal(await selection(page), '/bones');
    await tree.press('ArrowLeft');
    assert.equal(await row(page, '/bones').getAttribute('aria-expanded'), 'false');
});

studioTest(
    'of hundreds of rows only those in sight are in the page',
    {open: 'human'},
    async ({page, screenshot}) => {
        const document = await documentOf(page);
        for (const section of ['skeleton', 'bones']) {
            await select(page, `/${section}/${Object.keys(document[section]).at(-1)}`);
            assert.equal(
                await row(page, `/${section}/${Object.keys(document[section]).at(-1)}`).isVisible(),
                true
            );
        }
        assert.ok((await page.locator('.outliner-row').count()) < 80);
        await page.getByRole('tree').press('End');
        const last = Object.keys(document.clips).at(-1);
        assert.ok((await selection(page)).startsWith(`/clips/${last}`));
        await picture(page, screenshot, 'human');
    }
);

studioTest(
    'the viewport selects, the outliner shows it, repeated parts too',
    {open: 'monkey'},
    async ({page}) => {
        await select(page, '/bones/caudal vertebra 5');
        assert.equal(
            await row(page, '/bones/caudal vertebra #').getAttribute('aria-selected'),
            'true'
        );
        await select(page, '/muscles/biceps.R');
        assert.equal(await row(page, '/muscles/biceps.L').getAttribute('aria-selected'), 'true');
    }
);

studioTest(
    'renaming changes all that names it; undo gives the bytes back',
    {open: 'arm'},
    async ({page, call, server}) => {
        const opened = await server.read('arm', 'arm.sinew.json');
        await row(page, '/controls/biceps').click();
        await page.keyboard.press('F2');
        await page.getByRole('textbox', {name: 'Name', exact: true}).fill('flex');
        await changing(page, () => page.getByRole('button', {name: 'Rename', exact: true}).click());
        const after = await documentOf(page);
        assert.ok(after.controls.flex && !after.controls.biceps);
        assert.equal(after.muscles.biceps.contraction, 'flex');
        assert.equal(after.drivers[0].control, 'flex');
        assert.equal(await selection(page), '/controls/flex');
        await undoAll(page);
        await call('save', {slot: 0});
        assert.ok(opened.equals(await server.read('arm', 'arm.sinew.json')));
    }
);

studioTest('duplicate, hide, delete', {open: 'arm'}, async ({page}) => {
    await row(page, '/muscles/biceps').click();
    await changing(page, () => page.keyboard.press('Shift+D'));
    assert.deepEqual(Object.keys((await documentOf(page)).muscles), ['biceps', 'biceps 2']);
    await changing(page, () => page.getByRole('button', {name: 'Hide biceps 2'}).click());
    assert.equal((await documentOf(page)).muscles['biceps 2'].show, false);
    await changing(page, () => page.getByRole('button', {name: 'Show biceps 2'}).click());
    assert.equal('show' in (await documentOf(page)).muscles['biceps 2'], false);
    await row(page, '/muscles/biceps').click();
    await changing(page, () => page.keyboard.press('Delete'));
    const after = await documentOf(page);
    assert.deepEqual(Object.keys(after.muscles), ['biceps 2']);
    assert.ok(!JSON.stringify(after.skins).includes('"biceps"'), 'no list names it any more');
});

studioTest(
    'a menu for a row, and the way to the file',
    {open: 'arm'},
    async ({page, screenshot}) => {
        await row(page, '/muscles/biceps').click({button: 'right'});
        const items = await page.getByRole('menuitem').allTextContents();
        for (const wanted of ['Rename', 'Duplicate', 'Mirror', 'Frame', 'Show in file', 'Delete']) {
            assert.ok(
                items.some((item) => item.includes(wanted)),
                wanted
            );
        }
        await picture(page, screenshot, 'menu');
        await page.getByRole('menuitem', {name: /Show in file/}).click();
        const text = await page.getByRole('textbox', {name: 'JSON of biceps'}).inputValue();
        assert.deepEqual(JSON.parse(text), (await documentOf(page)).muscles.biceps);
        assert.ok(await page.getByText('/muscles/biceps', {exact: true}).isVisible());
    }
);

studioTest(
    'controls, landmarks, clips, drivers and synergies can be added',
    {open: 'arm'},
    async ({page}) => {
        const add = async (one) => {
            await page.getByRole('button', {name: 'Add to the document'}).click();
            await changing(page, () => page.getByRole('menuitem', {name: `Add a ${one}`}).click());
            return selection(page);
        };
        assert.equal(await add('control'), '/controls/control');
        assert.equal(await add('landmark'), '/landmarks/landmark');
        assert.equal(await add('clip'), '/clips/clip');
        const before = await documentOf(page);
        assert.equal(await add('driver'), `/drivers/${before.drivers.length}`);
        assert.equal(await add('synergy'), `/synergies/${before.synergies.length}`);
    }
);

studioTest('what is needed elsewhere is not deleted, in one sentence', {open: 'arm'},
    async ({page, screenshot}) => {
        const opened = await documentOf(page);
        const needed = {
            '/controls/biceps': 'The control biceps is not deleted: driver 1 needs it.',
            '/meshes/skin': 'The mesh skin is not deleted: skin skin needs it.',
            '/skeleton/forearm': 'The segment forearm is not deleted: segment forearm_mid needs it.',
        };
        for (const [path, sentence] of Object.entries(needed)) {
            await select(page, path);
            await page.getByRole('tree').focus();
            await page.keyboard.press('Delete');
            await page.getByText(`${sentence} Delete or change that first.`).waitFor();
        }
        await screenshot('needed');
        assert.deepEqual(await documentOf(page), opened);
    });

const chosen = (page) => page.evaluate(() => window.sinewStudio.selectedPaths);

studioTest(
    'several entries are selected, hidden, given a value and deleted, each in one step',
    {open: 'rex'},
    async ({page, screenshot}) => {
        const opened = await documentOf(page);
        const muscles = Object.keys(opened.muscles);
        const [first, second, third, fourth] = muscles.map((name) => `/muscles/${name}`);
        const steps = () => page.evaluate(() => window.sinewStudio.active.undo?.count ?? 0);
        const tree = page.getByRole('tree', {name: 'Document'});
        await select(page, first);
        await row(page, first).click();
        await row(page, third).click({modifiers: ['Shift']});
        assert.deepEqual(await chosen(page), [first, second, third]);
        await row(page, second).click({modifiers: ['Control']});
        assert.deepEqual(await chosen(page), [first, third]);
        await row(page, fourth).click({modifiers: ['Control']});
        assert.equal(await page.locator('.outliner-row[aria-selected="true"]').count(), 3);

        // Hidden together, and shown.
        await changing(page, () => tree.press(' '));
        for (const path of [first, third, fourth]) {
            assert.equal(await page.evaluate((each) => window.sinewStudio.get(each).show, path), false);
        }
        assert.equal(await steps(), 1);
        await changing(page, () => tree.press(' '));
        assert.deepEqual(await documentOf(page), opened);

        // A key whose values differ is mixed; one that is typed goes to all.
        const bulges = (list) => list.map((each) => each.bulge);
        await changing(page, () => page.evaluate((path) => window.sinewStudio.edit('Bulge',
            [{path: `${path}/bulge`, value: 0.3}]), first));
        const properties = page.getByRole('tabpanel', {name: 'Properties'});
        const field = properties.locator(`.form-row[data-path="${fourth}/bulge"]`);
        await page.waitForFunction((path) => document
            .querySelector(`.form-row[data-path="${path}/bulge"]`)?.classList.contains('mixed'), fourth);
        await picture(page, screenshot, 'several');
        const before = await steps();
        await field.getByRole('spinbutton').fill('0.7');
        await changing(page, () => field.getByRole('spinbutton').press('Enter'));
        const after = await documentOf(page);
        assert.deepEqual(bulges([first, third, fourth]
            .map((path) => after.muscles[path.slice('/muscles/'.length)])), [0.7, 0.7, 0.7]);
        assert.equal(await steps(), before + 1);
        assert.equal(await field.evaluate((each) => each.classList.contains('mixed')), false);

        // Deleted together, with what names them in lists.
        await row(page, fourth).click();
        await row(page, third).click({modifiers: ['Control']});
        await changing(page, () => tree.press('Delete'));
        const left = Object.keys((await documentOf(page)).muscles);
        assert.equal(left.length, muscles.length - 2);
        assert.equal(await steps(), before + 2);
        await undoAll(page);
        assert.deepEqual(await documentOf(page), opened);
    }
);
