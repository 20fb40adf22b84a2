// SPDX-License-Identifier: Apache-2.0
//
// Held values are seen wherever one works, and released from there.
import assert from 'node:assert/strict';
import {studioTest} from './harness.mjs';
import {chooseTool, hold, settled} from './modelling.mjs';

const untilHeld = (page, names) => page.waitForFunction((wanted) =>
    Object.keys(window.sinewStudio.active.held).sort().join() === wanted, names.sort().join());

const lane = (page, parameter) => page.locator(`.lane[data-parameter="${parameter}"]`);

function marks(name, options) {
    studioTest(`a held value is marked in every place at ${name}`, options,
        async ({page, screenshot}) => {
            await settled(page);
            await chooseTool(page, 'Select');
            const mark = page.getByTestId('held-mark');
            assert.equal(await mark.isVisible(), false);
            await hold(page, {'forearm.rx_deg': 60});
            await mark.getByText('Held: forearm.rx_deg').waitFor();
            for (const tab of ['Properties', 'Controls', 'History']) {
                await page.getByRole('tab', {name: tab}).click();
                assert.ok(await mark.isVisible(), tab);
            }
            await page.getByRole('tab', {name: 'Controls'}).click();
            await screenshot(`${name}-timeline`);
            // In the timeline its keys have no effect, which the lane says.
            await lane(page, 'forearm.rx').getByRole('button', {name: 'Release'}).click();
            await untilHeld(page, []);
            assert.equal(await mark.isVisible(), false);
            await page.keyboard.press('Control+z');
            await untilHeld(page, ['forearm.rx_deg']);

            await hold(page, {fist: 0.5, biceps: 1});
            await mark.getByText('Held: 3 values').click();
            await screenshot(`${name}-menu`);
            await page.getByRole('menuitem', {name: 'Release fist'}).click();
            await untilHeld(page, ['biceps', 'forearm.rx_deg']);
            await page.evaluate(() => window.sinewStudio.select('/muscles/biceps'));
            await chooseTool(page, 'Draw');
            assert.ok(await mark.isVisible(), 'Draw');
            const contract = page.getByTestId('contract');
            assert.match(await contract.getAttribute('class'), /held/);
            await screenshot(`${name}-draw`);
            await contract.getByRole('button', {name: 'Release biceps'}).click();
            await untilHeld(page, ['forearm.rx_deg']);
            assert.equal(await contract.getByRole('button').isVisible(), false);
            await mark.getByRole('button', {name: 'Release forearm.rx_deg'}).click();
            await untilHeld(page, []);
        });
}

marks('1280x720', {open: 'arm', context: {colorScheme: 'light'}});
marks('1024x768', {open: 'arm', width: 1024, height: 768, context: {colorScheme: 'dark'}});

studioTest('what drives a muscle releases it, in the same step', {open: 'arm'}, async ({page, call}) => {
    await settled(page);
    await page.evaluate(() => window.sinewStudio.edit('Remove', [{path: '/drivers', gone: true}]));
    await page.evaluate(() => window.sinewStudio.select('/muscles/biceps'));
    await settled(page);
    await chooseTool(page, 'Draw');
    await hold(page, {biceps: 1});
    await page.getByLabel('Driven by', {exact: true}).selectOption('forearm.rx_deg');
    await untilHeld(page, []);
    await page.getByText('“biceps” is released: forearm.rx_deg drives it now.').waitFor();
    assert.equal((await call('history', {slot: 0})).steps.length, 3);
    await page.locator('canvas').first().focus();
    await page.keyboard.press('Control+z');
    await untilHeld(page, ['biceps']);
    assert.equal(await page.evaluate(() => window.sinewStudio.get('/drivers')), undefined);
});
