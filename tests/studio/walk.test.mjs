// SPDX-License-Identifier: Apache-2.0
//
// A newcomer's walk through docs/studio.md with nothing but mouse and keyboard, in the two smallest
// windows that people have and in both themes. Every step leaves a picture to be looked at
// (studio-tests/pictures/walk), and is checked for what no single test of a panel sees: that what
// the tour speaks of can be seen, and that nothing hangs out of the window.
import assert from 'node:assert/strict';
import {stat} from 'node:fs/promises';
import {join} from 'node:path';
import {documentOf, drag, pointsOf, settled, untilDocument, farthest} from './character.mjs';
import {studioTest} from './harness.mjs';
import {onScreen} from './modelling.mjs';
import {lineAlong, OFFSETS} from './pictures-walk.mjs';

// Half of them in `make test`, which people wait for; all of them in .ci/run.
const WINDOWS = [
    {width: 1280, height: 720, theme: 'light'},
    {width: 1024, height: 768, theme: 'dark'},
    ...(process.env.SINEW_THOROUGH === '1' ? [
        {width: 1280, height: 720, theme: 'dark'},
        {width: 1024, height: 768, theme: 'light'},
    ] : []),
];

/** What hangs out of the window though it can be pressed or read. */
const outside = (page) => page.evaluate(() => [...document.querySelectorAll(
    'button, input, select, [data-testid=tour], .toast')].filter((each) => {
    const box = each.getBoundingClientRect();
    const scrolls = each.closest('[data-panel], .lanes, dialog, [role=dialog], .scroll');
    return each.checkVisibility?.() && box.width > 0 && scrolls === null &&
        (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1);
}).map((each) => each.getAttribute('aria-label') ?? each.textContent.slice(0, 40)));

/** Whether the tour's card lies over the middle of what it points at. */
const coversTarget = (page) => page.evaluate(() => {
    const card = document.querySelector('[data-testid=tour]')?.getBoundingClientRect();
    const ring = document.querySelector('.tour-ring')?.getBoundingClientRect();
    if (!card || !ring || ring.width === 0) {
        return false;
    }
    const [x, y] = [ring.left + ring.width / 2, ring.top + ring.height / 2];
    return x > card.left && x < card.right && y > card.top && y < card.bottom;
});

class Walk {
    constructor(studio, window) {
        this.studio = studio;
        this.page = studio.page;
        this.ending = `${window.width}x${window.height}-${window.theme}`;
        this.step = 0;
    }

    async look(name) {
        ++this.step;
        await this.studio.screenshot(`${this.ending}-${String(this.step).padStart(2, '0')}-${name}`);
        assert.deepEqual(await outside(this.page), [], `${name}: out of the window`);
        assert.equal(await coversTarget(this.page), false, `${name}: the tour covers what it means`);
    }

    async open() {
        await this.page.getByTestId('tour').waitFor();
        await this.look('start');
        await this.page.getByTestId('gallery-arm').click();
        await settled(this.page);
        await this.look('arm');
    }

    /** Drags beside the arm until its outer side is seen, and comes nearer with the wheel. */
    async turn() {
        const box = await this.page.getByTestId('viewport').boundingBox();
        const at = {x: box.x + 0.75 * box.width, y: box.y + 0.75 * box.height};
        const before = await this.page.evaluate(() => window.sinewStudio.viewport.orbit.azimuth);
        await drag(this.page, [at, {x: at.x - 120, y: at.y}], {steps: 8});
        const after = await this.page.evaluate(() => window.sinewStudio.viewport.orbit.azimuth);
        assert.ok(Math.abs(after - before) > 0.3, 'the view turns');
        const middle = await onScreen(this.page, [0.3, 1.3, 0]);
        await this.page.mouse.move(middle.x, middle.y);
        const far = await this.page.evaluate(() => window.sinewStudio.viewport.orbit.distance);
        await this.page.mouse.wheel(0, -300);
        await this.page.waitForFunction(
            (old) => window.sinewStudio.viewport.orbit.distance < old, far);
        await this.look('turned');
    }

    async draw() {
        await this.page.getByTestId('tool-draw').click();
        await this.look('draw');
        for (const offset of OFFSETS) {
            await drag(this.page, await lineAlong(this.page, offset / 2));
            await settled(this.page);
            await this.look(offset === OFFSETS[0] ? 'first-curve' : 'second-curve');
        }
        await untilDocument(this.page, (document) => document.muscles.muscle !== undefined);
        await settled(this.page);
        const name = this.page.locator('[data-panel="tool"]')
            .getByRole('textbox', {name: 'Name', exact: true});
        await name.fill('brachialis');
        await name.press('Enter');
        await untilDocument(this.page, (document) => document.muscles.brachialis !== undefined);
        await settled(this.page);
        await this.page.getByRole('button', {name: 'Done', exact: true}).click();
        await settled(this.page);
        await this.look('done');
    }

    /** The slider is dragged to its end: the skin swells. */
    async contract() {
        const slider = this.page.getByLabel('Contract slider', {exact: true});
        await slider.scrollIntoViewIfNeeded();
        const relaxed = await pointsOf(this.page, '/skins/skin');
        const box = await slider.boundingBox();
        const y = box.y + box.height / 2;
        await drag(this.page, [{x: box.x + 2, y}, {x: box.x + box.width - 2, y}]);
        await this.page.waitForFunction(() => {
            const {active, get} = window.sinewStudio;
            const control = active.document.muscles.brachialis.contraction;
            return active.frame.controls[active.model.controlIndex(control)] > 0.95;
        });
        await settled(this.page);
        const moved = farthest(relaxed, await pointsOf(this.page, '/skins/skin'));
        assert.ok(moved > 0.001, `the skin moves by ${moved} m`);
        await this.look('contracted');
    }

    async drive() {
        const driven = this.page.getByLabel('Driven by', {exact: true});
        await driven.scrollIntoViewIfNeeded();
        await driven.selectOption('forearm.rx_deg');
        await untilDocument(this.page, (document) => document.drivers.some((each) =>
            each.control === document.muscles.brachialis.contraction));
        await settled(this.page);
        await this.look('driven');
    }

    async play() {
        await this.page.getByRole('button', {name: 'Play', exact: true}).click();
        await this.page.waitForFunction(() => window.sinewStudio.time.playing);
        await this.page.waitForFunction(() => window.sinewStudio.active.frame.number > 3);
        await this.page.keyboard.press('Space');
        await settled(this.page);
        await this.look('played');
    }

    async save() {
        await this.page.keyboard.press('Control+s');
        const dialog = this.page.getByRole('dialog', {name: 'Save as'});
        await dialog.waitFor();
        await dialog.getByRole('textbox').last().fill('my-arm');
        await this.look('save');
        await this.page.keyboard.press('Enter');
        await this.page.waitForFunction(() => window.sinewStudio.active.dirty === false);
        const {size} = await stat(join(this.studio.server.folder, 'my-arm.sinew.json'));
        assert.ok(size > 1000);
        await this.look('saved');
    }

    /** Ctrl+Z takes all of it back. */
    async undo() {
        for (let i = 0; i < 60; ++i) {
            const {muscles, drivers} = await documentOf(this.page);
            const held = await this.page.evaluate(() => window.sinewStudio.active.held ?? {});
            if (muscles.brachialis === undefined && muscles.muscle === undefined) {
                assert.equal(drivers.some((each) => /brachialis|muscle/.test(each.control)), false);
                assert.deepEqual(Object.keys(held), []);
                break;
            }
            const count = await this.page.evaluate(() => window.sinewStudio.active.undo.count);
            await this.page.keyboard.press('Control+z');
            await this.page.waitForFunction(
                (old) => (window.sinewStudio.active.undo?.count ?? 0) < old, count);
            await settled(this.page);
        }
        assert.equal((await documentOf(this.page)).muscles.brachialis, undefined);
        await this.look('undone');
    }
}

for (const window of WINDOWS) {
    const {width, height, theme} = window;
    studioTest(`a newcomer's first muscle in ${width} x ${height}, ${theme}`,
        {width, height, context: {colorScheme: theme}}, async (studio) => {
            const walk = new Walk(studio, window);
            await walk.open();
            await walk.turn();
            await walk.draw();
            await walk.contract();
            await walk.drive();
            await walk.play();
            await walk.save();
            await walk.undo();
        });
}
