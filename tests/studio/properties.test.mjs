// SPDX-License-Identifier: Apache-2.0
//
// Properties: forms from the schema, live edits, errors at their fields.
import {studioTest} from './harness.mjs';
import {
    changing,
    documentOf,
    dragSlider,
    picture,
    points,
    select,
    shownFrame,
    undoAll
} from './panels.mjs';
import assert from 'node:assert/strict';

const field = (page, path) => page.locator(`.form-row[data-path="${path}"]`);
const steps = (page) => page.evaluate(() => window.sinewStudio.active.undo?.count ?? 0);

studioTest(
    'a slider drag is one step of undo and moves points',
    {open: 'arm'},
    async ({page, screenshot}) => {
        await select(page, '/muscles/biceps');
        await page.evaluate(() => window.sinewStudio.seek(28));
        await shownFrame(page, 28);
        const opened = await documentOf(page);
        const before = await points(page, '/skins/skin');
        assert.ok(before.length > 0);
        const slider = field(page, '/muscles/biceps/muscle_thickness').getByRole('slider', {
            includeHidden: true
        });
        await changing(page, () => dragSlider(page, slider, 0.3, 0.8));
        await page.waitForFunction(() => !window.sinewStudio.active.building);
        assert.equal(await steps(page), 1);
        const changed = await documentOf(page);
        assert.ok(changed.muscles.biceps.muscle_thickness > opened.muscles.biceps.muscle_thickness);
        await page.waitForFunction((old) => {
            const {points: now} = window.sinewStudio.active.model.byPath('/skins/skin');
            return now && now.some((value, index) => value !== old[index]);
        }, before);
        await picture(page, screenshot, 'slider');
        await changing(page, () => page.getByRole('button', {name: /^Undo/}).first().click());
        assert.deepEqual(await documentOf(page), opened);
        await page.waitForFunction((old) => {
            const {points: now} = window.sinewStudio.active.model.byPath('/skins/skin');
            return now && now.every((value, index) => value === old[index]);
        }, before);
    }
);

studioTest(
    'all kinds of fields edit; undo of all and save gives the bytes',
    {open: 'arm'},
    async ({page, call, server}) => {
        const opened = await server.read('arm', 'arm.sinew.json');
        await select(page, '/muscles/biceps');
        const change = (action) => changing(page, action);
        await change(() =>
            field(page, '/muscles/biceps/normals').getByRole('combobox').selectOption('curves')
        );
        assert.equal((await documentOf(page)).muscles.biceps.normals, 'curves');
        await change(() =>
            field(page, '/muscles/biceps/normals')
                .getByRole('button', {name: /^Reset/})
                .click()
        );
        assert.equal('normals' in (await documentOf(page)).muscles.biceps, false);
        const bulge = field(page, '/muscles/biceps/bulge').getByRole('spinbutton');
        await bulge.fill('1.25');
        await change(() => bulge.press('Enter'));
        assert.equal((await documentOf(page)).muscles.biceps.bulge, 1.25);
        await select(page, '/skeleton/forearm');
        const x = page.getByRole('spinbutton', {name: /^translation x$/i});
        await x.fill('0.01');
        await change(() => x.press('Enter'));
        assert.equal((await documentOf(page)).skeleton.forearm.translation[0], 0.01);
        await select(page, '/drivers/0');
        const curve = (await documentOf(page)).drivers[0].curve;
        await change(() => page.getByRole('button', {name: /^Add to curve/i}).click());
        assert.equal((await documentOf(page)).drivers[0].curve.length, curve.length + 1);
        await change(() => page.getByRole('button', {name: /^Remove curve 1$/i}).click());
        assert.deepEqual((await documentOf(page)).drivers[0].curve[0], curve[1]);
        await undoAll(page);
        await call('save', {slot: 0});
        assert.ok(opened.equals(await server.read('arm', 'arm.sinew.json')));
    }
);

studioTest('names are offered from the document', {open: 'arm'}, async ({page}) => {
    await select(page, '/muscles/biceps');
    const choice = field(page, '/muscles/biceps/contraction').getByRole('combobox');
    const offered = await choice.locator('option').allTextContents();
    for (const name of Object.keys((await documentOf(page)).controls)) {
        assert.ok(offered.includes(name), name);
    }
});

studioTest(
    'what the server refuses stands at the field that it names',
    {open: 'arm'},
    async ({page, screenshot}) => {
        await select(page, '/muscles/biceps');
        const opened = await documentOf(page);
        await page.getByTestId('properties-json').locator('summary').click();
        const text = page.getByRole('textbox', {name: 'biceps as JSON'});
        await text.fill(JSON.stringify({...opened.muscles.biceps, bulge: -5}));
        await page.getByRole('button', {name: 'Apply'}).click();
        const problem = field(page, '/muscles/biceps/bulge').locator('.problem');
        await problem.waitFor({state: 'visible'});
        assert.match(await problem.textContent(), /^expected a number from 0 to 100/);
        assert.match(
            await page.locator('.json-field .problem').textContent(),
            /^bulge: expected a number from 0 to 100/
        );
        const box = field(page, '/muscles/biceps/bulge').getByRole('spinbutton');
        assert.equal(await box.inputValue(), '-5', 'it stays beside the reason');
        assert.deepEqual(await documentOf(page), opened);
        await picture(page, screenshot, 'refused');
        await text.fill('{"kind": ');
        await page.getByRole('button', {name: 'Apply'}).click();
        assert.match(await page.locator('.json-field .problem').textContent(), /JSON/);
        await box.fill('2');
        await changing(page, () => box.press('Enter'));
        assert.ok(await problem.isHidden());
        await undoAll(page);
        assert.equal(await box.inputValue(), String(opened.muscles.biceps.bulge));
    }
);

studioTest(
    'another kind of deformer, added, moved and taken away',
    {open: 'arm'},
    async ({page}) => {
        await select(page, '/skins/skin');
        const opened = await documentOf(page);
        const kinds = async () =>
            (await documentOf(page)).skins.skin.deformers.map(({kind}) => kind);
        assert.deepEqual(await kinds(), ['blend', 'falloff']);
        await changing(page, () =>
            page.getByRole('button', {name: 'Move deformers 1 down', exact: false}).click()
        );
        assert.deepEqual(await kinds(), ['falloff', 'blend']);
        await changing(page, () =>
            page.getByRole('button', {name: 'Remove deformers 1', exact: false}).click()
        );
        assert.deepEqual(await kinds(), ['blend']);
        await undoAll(page);
        assert.deepEqual(await documentOf(page), opened);
    }
);
