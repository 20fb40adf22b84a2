// SPDX-License-Identifier: Apache-2.0
//
// Plots, jobs and the history.
import {studioTest} from './harness.mjs';
import {changing, documentOf, picture, select, shownFrame, sinew} from './panels.mjs';
import assert from 'node:assert/strict';
import {readFile, writeFile} from 'node:fs/promises';

const jobState = (page, state) =>
    page.waitForFunction(
        (wanted) => [...window.sinewStudio.jobs.values()].some((job) => job.state === wanted),
        state
    );

studioTest(
    'what is measured is what sinew run reports; a click goes to the frame',
    {open: 'arm'},
    async ({page, server, screenshot}) => {
        await page.getByRole('tab', {name: 'Plots'}).click();
        await page.getByRole('button', {name: 'Measure'}).click();
        await jobState(page, 'done');
        await page.getByRole('combobox', {name: 'Quantity'}).selectOption('length');
        await page.getByRole('checkbox', {name: 'biceps'}).waitFor();
        const download = page.waitForEvent('download');
        await page.getByRole('button', {name: 'CSV'}).click();
        const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
        const column = lines[0].split(',').indexOf('biceps length');
        const report = server.path('report.json');
        await sinew('run', server.path('arm', 'arm.sinew.json'), '--report', report, '--quiet');
        const {frames} = JSON.parse(await readFile(report, 'utf8'));
        assert.equal(lines.length, frames.length + 1);
        frames.forEach(({muscles}, index) => {
            const measured = Number(lines[index + 1].split(',')[column]);
            assert.ok(Math.abs(measured - muscles.biceps.length) < 1e-9, `frame ${index}`);
        });
        const plot = page.getByTestId('plot');
        const box = await plot.boundingBox();
        const last = frames.length - 1;
        const frame = Math.round(last / 3);
        await page.mouse.click(box.x + 52 + (frame / last) * (box.width - 66), box.y + 30);
        await shownFrame(page, frame);
        assert.match(await plot.getAttribute('aria-label'), /Length over frames: biceps/);
        assert.ok(box.height >= 196, `160 pixels of lines, axes around them: ${box.height}`);
        await picture(page, screenshot, 'plots');
    }
);

// The arm's own muscle is drawn on its skin: one between its bones is added.
const brachialis = {
    kind: 'ellipsoid',
    origin: {bone: 'humerus', at: [0.5, 0.6, 0.8]},
    insertion: {bone: 'ulna', at: [0.5, 0.2, 0.8]}
};

studioTest(
    'moment arms are about a coordinate that is chosen, and are those of the report',
    {open: 'arm'},
    async ({page, server, screenshot}) => {
        await changing(page, () =>
            page.evaluate(
                (muscle) =>
                    window.sinewStudio.edit('Add a muscle', [
                        {op: 'add', path: '/muscles/brachialis', value: muscle}
                    ]),
                brachialis
            )
        );
        await page.getByRole('tab', {name: 'Plots'}).click();
        await page.getByRole('button', {name: 'Measure'}).click();
        await jobState(page, 'done');
        const coordinate = page.getByRole('combobox', {name: 'Coordinate'});
        assert.ok(await coordinate.isHidden());
        await page.getByRole('combobox', {name: 'Quantity'}).selectOption('moment_arms');
        await coordinate.waitFor();
        await coordinate.selectOption('forearm.rx_deg');
        assert.match(
            await page.getByTestId('plot').getAttribute('aria-label'),
            /Moment arm over frames: brachialis/
        );
        const path = server.path('with-muscle.sinew.json');
        const report = server.path('arms.json');
        const document = await documentOf(page);
        await writeFile(path, JSON.stringify(document).replaceAll('"file":"', '"file":"arm/'));
        await sinew('run', path, '--report', report, '--quiet');
        const {frames} = JSON.parse(await readFile(report, 'utf8'));
        const download = page.waitForEvent('download');
        await page.getByRole('button', {name: 'CSV'}).click();
        const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
        const column = lines[0].split(',').indexOf('brachialis moment arm forearm.rx_deg');
        assert.ok(column > 0, lines[0]);
        frames.forEach(({muscles}, index) => {
            const measured = Number(lines[index + 1].split(',')[column]);
            const expected = muscles.brachialis.moment_arms['forearm.rx_deg'];
            assert.ok(Math.abs(measured - expected) < 1e-9, `frame ${index}`);
        });
        await picture(page, screenshot, 'plots-moment-arms');
    }
);

studioTest('selected muscles join the plot', {open: 'rex'}, async ({page, screenshot}) => {
    await page.getByRole('tab', {name: 'Plots'}).click();
    await page.getByRole('button', {name: 'Measure'}).click();
    await jobState(page, 'done');
    const quantity = page.getByRole('combobox', {name: 'Quantity'});
    await quantity.selectOption('shortening');
    const chosen = () => page.locator('.plot-legend input:checked').count();
    await page.locator('.plot-legend input:checked').first().waitFor();
    const before = await chosen();
    assert.equal(before, 6, 'those that move most');
    const shown = await page.locator('.legend-row:has(input:checked)').allTextContents();
    const muscles = await page.locator('.legend-row').allTextContents();
    const other = muscles.find((name) => !shown.includes(name));
    await select(page, `/muscles/${other}`);
    assert.equal(await chosen(), before + 1);
    await quantity.selectOption('stages');
    assert.ok((await page.locator('.legend-row').count()) >= 4);
    await quantity.selectOption('volume');
    await picture(page, screenshot, 'plots-rex');
});

studioTest(
    'measuring is cancelled, and the page stays usable',
    {open: 'monkey'},
    async ({page, screenshot}) => {
        await page.getByRole('tab', {name: 'Plots'}).click();
        await page.getByRole('button', {name: 'Measure'}).click();
        const card = page.getByTestId('job');
        await card.waitFor();
        await picture(page, screenshot, 'job');
        // After a lost connection what still runs is told anew, and nothing else stays.
        await page.evaluate(() => {
            const studio = window.sinewStudio;
            const job = {job: 99, title: 'Of another server', state: 'running', fraction: 0};
            studio.jobs.set(99, job);
            studio.emit('jobs', job);
            studio.wire.reconnect();
        });
        await page.waitForFunction(
            () => window.sinewStudio.connection === 'open' && window.sinewStudio.jobs.size === 1
        );
        await page.getByRole('button', {name: 'Measure'}).waitFor();
        await card.waitFor();
        await page.getByRole('tree').click();
        await card.getByRole('button', {name: 'Cancel'}).click();
        await jobState(page, 'cancelled');
        await page.getByRole('button', {name: 'Measure'}).waitFor();
        await card.waitFor({state: 'detached'});
    }
);

studioTest('the history goes back to any step', {open: 'arm'}, async ({page, screenshot}) => {
    const opened = await documentOf(page);
    await select(page, '/muscles/biceps');
    for (const value of ['1', '1.5', '2.5']) {
        const box = page
            .locator('.form-row[data-path="/muscles/biceps/bulge"]')
            .getByRole('spinbutton');
        await box.fill(value);
        await changing(page, () => box.press('Enter'));
    }
    await page.getByRole('tab', {name: 'History'}).click();
    const steps = page.getByRole('list', {name: 'Steps'}).getByRole('button');
    await page.waitForFunction(() => document.querySelectorAll('.history-step').length === 4);
    await picture(page, screenshot, 'history');
    await steps.nth(1).click();
    await page.waitForFunction(() => window.sinewStudio.get('/muscles/biceps/bulge') === 1);
    await page.waitForFunction(() =>
        document.querySelector('.history-step.current')?.textContent.includes('bulge')
    );
    await steps.nth(3).click();
    await page.waitForFunction(() => window.sinewStudio.get('/muscles/biceps/bulge') === 2.5);
    await steps.nth(0).click();
    await page.waitForFunction(() => window.sinewStudio.active.undo === null);
    assert.deepEqual(await documentOf(page), opened);
});
