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

/** Goes through the controls of a panel with Tab. @returns the names of all that had the focus */
async function tabThrough(page, panel) {
    const controls = panel.locator('input:not([tabindex="-1"]):enabled, select:enabled');
    const count = await controls.count();
    await controls.first().focus();
    const seen = [];
    for (let i = 0; i < count + 10; i++) {
        seen.push(await page.evaluate(() => document.activeElement.tagName));
        await page.keyboard.press('Tab');
    }
    return seen;
}

studioTest(
    'names are offered; who only looks at fields changes nothing',
    {open: 'arm'},
    async ({page, call}) => {
        await select(page, '/muscles/biceps');
        const choice = field(page, '/muscles/biceps/contraction').getByRole('combobox');
        const offered = await choice.locator('option').allTextContents();
        for (const name of Object.keys((await documentOf(page)).controls)) {
            assert.ok(offered.includes(name), name);
        }

        // Tab through numbers with more digits than are shown, in Properties and in a tool.
        const path = '/muscles/biceps/muscle_thickness';
        const opened = await documentOf(page);
        await changing(page, () =>
            page.evaluate(
                (at) => window.sinewStudio.edit('Digits', [{path: at, value: 0.0123456789}]),
                path
            )
        );
        await call('save', {slot: 0});
        const typed = field(page, path).getByRole('spinbutton');
        assert.equal(await typed.inputValue(), '12.346', 'millimetres of a length in metres');
        const tags = await tabThrough(page, page.locator('.panel-properties'));
        assert.ok(tags.filter((tag) => tag === 'INPUT').length > 8, tags.join());
        await page.evaluate(() => window.sinewStudio.hold({'forearm.rx_deg': 45.0321}));
        await select(page, '/skeleton/forearm');
        await page.keyboard.press('p');
        await page.waitForFunction(
            () => document.querySelector('.tool-body .number-box')?.value === '45'
        );
        await tabThrough(page, page.locator('.tool-body'));
        const state = await page.evaluate(() => {
            const {dirty, undo, held} = window.sinewStudio.active;
            return {dirty, steps: undo.count, held};
        });
        assert.deepEqual(state, {dirty: false, steps: 2, held: {'forearm.rx_deg': 45.0321}});
        await undoAll(page);
        assert.deepEqual(await documentOf(page), opened);
        assert.ok(await page.getByRole('button', {name: 'Undo', exact: true}).isDisabled());

        // While the clip plays, into boxes and out of them: nothing is held, nothing jumps.
        await page.keyboard.press('Escape');
        await page.evaluate(() => window.sinewStudio.release(null));
        await page.evaluate(() => window.sinewStudio.play());
        await page.evaluate(() => {
            const {wire} = window.sinewStudio;
            const call = wire.call.bind(wire);
            window.asked = [];
            wire.call = (name, args) => {
                window.asked.push(name);
                return call(name, args);
            };
            window.sinewStudio.layout.show('controls');
        });
        for (const box of [
            page.getByRole('textbox', {name: 'Frame', exact: true}),
            page.getByRole('spinbutton', {name: 'forearm.rx_deg'})
        ]) {
            await box.focus();
            const before = await page.evaluate(() => window.sinewStudio.time.frame);
            await page.waitForFunction(
                (at) => Math.abs(window.sinewStudio.time.frame - at) > 5,
                before
            );
            await box.blur();
        }
        assert.deepEqual(
            await page.evaluate(() =>
                window.asked.filter((name) => ['seek', 'hold', 'edit'].includes(name))
            ),
            []
        );
        await page.evaluate(() => window.sinewStudio.stop());

        // What is typed is saved, without Enter.
        await page.evaluate(() => window.sinewStudio.layout.show('properties'));
        await select(page, '/muscles/biceps');
        await typed.fill('20');
        await page.keyboard.press('Control+s');
        await page.waitForFunction(() => {
            const {dirty, document: now} = window.sinewStudio.active;
            return !dirty && now.muscles.biceps.muscle_thickness === 0.02;
        });
        assert.ok(await typed.evaluate((box) => box === document.activeElement));
    }
);

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
        await box.blur();
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
