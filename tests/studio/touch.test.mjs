// SPDX-License-Identifier: Apache-2.0
//
// What can be pressed or dragged is large enough for a finger: 24 pixels each way.
import {studioTest} from './harness.mjs';
import assert from 'node:assert/strict';

const LEAST = 24;

/** All that is smaller, each kind once. */
const tooSmall = (page) => page.evaluate((least) => {
    const targets = 'button, input, select, textarea, summary, a[href], [role=button], ' +
        '[role=option], [role=treeitem], [role=tab], [role=slider], [role=separator], ' +
        '[role=menuitem], .outliner-fold, .legend-row';
    const found = new Set();
    for (const each of document.querySelectorAll(targets)) {
        const {width, height} = each.getBoundingClientRect();
        const seen = width > 0 && height > 0 && each.checkVisibility({visibilityProperty: true});
        if (seen && Math.min(width, height) < least - 0.01) {
            found.add(`${each.tagName} .${each.className} in .${each.parentElement.className}: ` +
                `${width.toFixed(1)} x ${height.toFixed(1)}`);
        }
    }
    return [...found];
}, LEAST);

const TOOLS = ['select', 'draw', 'cylinder', 'pose', 'mirror', 'paint', 'sets', 'keypose'];
const ENTRIES = ['/muscles/biceps', '/skins/skin', '/skeleton/forearm', '/clips/curl', '/drivers/0',
    '/controls/fist', '/skins/skin/deformers/0'];
const TOUCH = {context: {hasTouch: true}};

studioTest('panels, tools and the timeline', {open: 'arm', ...TOUCH}, async (studio) => {
    const {page, screenshot} = studio;
    const check = async (what) => assert.deepEqual(await tooSmall(page), [], what);
    await page.getByTestId('toast').first().waitFor({timeout: 1}).catch(() => {});
    for (const tool of TOOLS) {
        await page.evaluate((id) => window.sinewStudio.setTool(id), tool);
        await check(tool);
    }
    await page.evaluate(() => window.sinewStudio.setTool('select'));
    await page.getByRole('tab', {name: 'Properties'}).click();
    for (const path of ENTRIES) {
        await page.evaluate((each) => window.sinewStudio.select(each), path);
        await check(path);
    }
    await page.evaluate(() => {
        window.sinewStudio.select('/skeleton/forearm');
        window.sinewStudio.notice('A notice.');
        return window.sinewStudio.hold({fist: 0.5});
    });
    await page.getByRole('tab', {name: 'Controls'}).click();
    await page.getByRole('button', {name: 'Release fist'}).first().waitFor();
    await check('controls');
    await screenshot('controls-light');
    await page.getByRole('tab', {name: 'History'}).click();
    await check('history');
    await page.getByTestId('file-menu').click();
    await check('the menu');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+e');
    await page.getByRole('dialog').waitFor();
    await page.getByRole('dialog').getByLabel('Muscles').check();
    await check('the export');
    await screenshot('export-light');
    await page.evaluate(() => window.sinewStudio.theme.toggle());
    await screenshot('export-dark');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+o');
    await page.getByRole('option', {name: /arm\.sinew\.json/}).waitFor();
    await check('files');
    await page.keyboard.press('Escape');
    await page.getByRole('tab', {name: 'Plots'}).click();
    await check('plots');
    await page.getByRole('tab', {name: 'Timeline'}).click();
    await page.getByRole('tab', {name: 'Controls'}).click();
    await screenshot('controls-dark');
});

studioTest('the start page and its tour', TOUCH, async ({page}) => {
    await page.getByTestId('tour').waitFor();
    assert.deepEqual(await tooSmall(page), []);
});

studioTest('the panel of fibres', {open: 'strongarm', width: 1024, height: 768, ...TOUCH},
    async ({page, screenshot}) => {
        await page.evaluate(() => {
            window.sinewStudio.setTool('cylinder');
            window.sinewStudio.select('/muscles/deltoid');
        });
        await page.getByTestId('profile').waitFor();
        assert.deepEqual(await tooSmall(page), []);
        await page.getByTestId('profile').evaluate((element) => element.scrollIntoView(
            {block: 'center'}));
        await screenshot('fibre-panel');
        // A finger drags a peak.
        const handle = await page.locator('[data-curve=active]').boundingBox();
        const at = {x: handle.x + handle.width / 2, y: handle.y + handle.height / 2};
        const client = await page.context().newCDPSession(page);
        const touch = (type, x) => client.send('Input.dispatchTouchEvent', {type,
            touchPoints: type === 'touchEnd' ? [] : [{x, y: at.y}]});
        await touch('touchStart', at.x);
        for (let i = 1; i <= 6; ++i) {
            await touch('touchMove', at.x + 8 * i);
        }
        await touch('touchEnd');
        await page.waitForFunction(() => {
            const {active_a: a} = window.sinewStudio.get('/muscles/deltoid');
            return a > 4;
        });
    });

studioTest('the face', {open: 'head', width: 1024, height: 768, ...TOUCH}, async ({page}) => {
    await page.getByRole('tab', {name: 'Face', exact: true}).click();
    await page.getByRole('button', {name: /^Left and right together: risorius/}).click();
    await page.evaluate(() => window.sinewStudio.hold({'risorius.L': 0.5, smile: 0.5}));
    await page.getByRole('button', {name: 'Release risorius.L'}).waitFor();
    assert.deepEqual(await tooSmall(page), [], 'sliders');
    await page.getByRole('tab', {name: 'Poses', exact: true}).click();
    assert.deepEqual(await tooSmall(page), [], 'poses');
    await page.getByRole('button', {name: 'Save pose'}).click();
    await page.getByRole('dialog').waitFor();
    assert.deepEqual(await tooSmall(page), [], 'the window that saves');
});
