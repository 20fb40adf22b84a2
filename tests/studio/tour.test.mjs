// SPDX-License-Identifier: Apache-2.0
//
// The tour, walked to its end with the mouse in windows of two sizes, light and dark.
import assert from 'node:assert/strict';
import {studioTest} from './harness.mjs';
import {documentOf, drag, reach, settled} from './painting.mjs';
import {dragSlider} from './panels.mjs';

// Two curves along the upper arm, at rest.
const FIRST = [
    [0.259, 1.364, 0.053],
    [0.322, 1.289, 0.058],
    [0.36, 1.25, 0.05],
];
const SECOND = [
    [0.288, 1.407, 0.011],
    [0.354, 1.33, 0.012],
    [0.39, 1.28, 0.01],
];

async function drawCurve(page, places) {
    const points = [];
    for (const place of places) {
        points.push(await reach(page, '/skins/skin', place));
    }
    const covered = await page.evaluate((all) => all.some(({x, y}) =>
        document.elementFromPoint(x, y)?.closest('[data-testid="tour"]')), points);
    assert.equal(covered, false, 'the card stands beside where the curve is drawn');
    await drag(page, points);
}

/** The card is in the window, and not over what the ring is around. */
async function checkCard(page) {
    const {card, ring, room} = await page.evaluate(() => {
        const boxOf = (each) => each.getBoundingClientRect().toJSON();
        return {card: boxOf(document.querySelector('.tour-card')),
            ring: boxOf(document.querySelector('.tour-ring')),
            room: {width: innerWidth, height: innerHeight}};
    });
    assert.ok(card.left >= 0 && card.top >= 0 && card.right <= room.width &&
        card.bottom <= room.height, `the card is at ${JSON.stringify(card)}`);
    const width = Math.min(card.right, ring.right) - Math.max(card.left, ring.left);
    const height = Math.min(card.bottom, ring.bottom) - Math.max(card.top, ring.top);
    const share = Math.max(0, width) * Math.max(0, height) / (ring.width * ring.height);
    assert.ok(share < 0.12, `the card covers ${Math.round(100 * share)} % of its target`);
}

const held = (page) => page.evaluate(() => window.sinewStudio.active.held);

/** Up to the step in which the muscle is contracted. */
async function walkToMuscle({page, screenshot}, name) {
    const card = page.getByTestId('tour');
    const at = async (step) => {
        await card.getByText(`Step ${step} of 7`).waitFor();
        await settled(page).catch(() => {});
        await checkCard(page);
        await screenshot(`${name}-${step}`);
    };
    await card.getByText('Step 1 of 7').waitFor();
    await checkCard(page);
    await screenshot(`${name}-1`);
    await page.getByTestId('gallery-arm').click();
    await at(2);
    await page.getByTestId('tool-draw').click();
    await at(3);
    await drawCurve(page, FIRST);
    await at(4);
    await drawCurve(page, SECOND);
    await at(5);
    await dragSlider(page, page.getByLabel('Contract slider'), 0, 1);
    await at(6);
    return {card, at};
}

function walk(name, options) {
    studioTest(`the tour is walked to its end at ${name}`, options, async (studio) => {
        const {page, screenshot} = studio;
        const {card, at} = await walkToMuscle(studio, name);
        const {muscles} = await documentOf(page);
        const made = Object.keys(muscles).find((each) => each !== 'biceps');
        const {contraction} = muscles[made];
        assert.deepEqual(Object.keys(await held(page)), [contraction]);
        assert.ok(await page.getByTestId('held-mark').isVisible());
        await page.getByLabel('Driven by', {exact: true}).selectOption('forearm.rx_deg');
        await at(7);
        assert.deepEqual(await held(page), {}, 'what drives the muscle has released it');
        assert.equal(await page.getByTestId('held-mark').isVisible(), false);
        await page.getByRole('button', {name: 'Play', exact: true}).click();
        await card.getByText('You have made a muscle').waitFor();
        await screenshot(`${name}-end`);
        await card.getByRole('button', {name: 'Done'}).click();
        assert.equal(await card.count(), 0);
        // One Ctrl+Z after another takes everything back.
        await page.getByRole('button', {name: 'Pause', exact: true}).click();
        for (let i = 0; i < 2; ++i) {
            await page.keyboard.press('Control+z');
        }
        await page.waitForFunction(() => window.sinewStudio.active.undo === null);
        assert.deepEqual(Object.keys((await documentOf(page)).muscles), ['biceps']);
        assert.deepEqual(await held(page), {});
    });
}

walk('1280x720', {width: 1280, height: 720, context: {colorScheme: 'dark'}});
walk('1024x768', {width: 1024, height: 768, context: {colorScheme: 'light'}});

studioTest('whoever skips the driver is not left with a contracted muscle', {}, async (studio) => {
    const {page} = studio;
    const {card} = await walkToMuscle(studio, 'skipped');
    assert.equal(Object.keys(await held(page)).length, 1);
    await card.getByRole('button', {name: 'Skip this step'}).click();
    await card.getByText('Step 7 of 7').waitFor();
    await page.waitForFunction(() => Object.keys(window.sinewStudio.active.held).length === 0);
});

studioTest('the card is moved by its head and stays in the window', {}, async ({page}) => {
    const card = page.getByTestId('tour');
    await card.waitFor();
    const head = await card.locator('h3').boundingBox();
    const before = await card.boundingBox();
    const from = {x: head.x + 20, y: head.y + 8};
    await drag(page, [from, {x: from.x + 60, y: from.y - 40}]);
    const after = await card.boundingBox();
    assert.deepEqual([after.x - before.x, after.y - before.y], [60, -40]);
    await page.waitForTimeout(700); // it looks again some times a second
    assert.deepEqual(await card.boundingBox(), after);
    await drag(page, [{x: from.x + 60, y: from.y - 40}, {x: 4000, y: 5000}]);
    const {x, y, width, height} = await card.boundingBox();
    assert.ok(x + width <= 1280 && y + height <= 720);
});
