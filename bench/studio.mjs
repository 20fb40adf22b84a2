// SPDX-License-Identifier: Apache-2.0
//
// How many frames of a moving skin reach the page of the studio in a second, in a real browser on
// this machine: with drawing paused, with drawing, and beside a page that is too slow; and how many
// of the shipped bodies in each round of a clip that plays on and on. Run by `make bench`; prints
// rows as `sinew bench` does.
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';

import {Studio, closeBrowser} from '../tests/studio/harness.mjs';

const SECONDS = 5;
const RATE = 60; // of the clip: no more can come
const BUDGET_MS = 20; // a frame: 50 frames a second
const BUDGET_SIZE = 20000; // vertices
const ROUNDS = 3; // of a clip that plays on and on, no frame left out
const STALL_MS = 1000; // how long the slow page does nothing else

/** A tube of about `count` vertices on a segment that turns: every point moves in every frame. */
function tube(count) {
    const around = Math.round(Math.sqrt(count));
    const along = Math.round(count / around);
    const lines = [];
    for (let i = 0; i < along; ++i) {
        for (let k = 0; k < around; ++k) {
            const angle = (2 * Math.PI * k) / around;
            const radius = 0.1 + 0.02 * Math.sin((8 * Math.PI * i) / along);
            const [x, z] = [radius * Math.cos(angle), radius * Math.sin(angle)];
            lines.push(`v ${x.toFixed(6)} ${(i / along).toFixed(6)} ${z.toFixed(6)}`);
        }
    }
    for (let i = 0; i + 1 < along; ++i) {
        for (let k = 0; k < around; ++k) {
            const next = (k + 1) % around;
            const corners = [i * around + k, (i + 1) * around + k, (i + 1) * around + next,
                i * around + next];
            lines.push(`f ${corners.map((each) => each + 1).join(' ')}`);
        }
    }
    return {text: `${lines.join('\n')}\n`, vertices: around * along};
}

const CHARACTER = {
    sinew: 1,
    name: 'stream',
    skeleton: {root: {}},
    meshes: {tube: {file: 'tube.obj'}},
    skins: {skin: {mesh: 'tube', segment: 'root'}},
    clips: {
        turn: {rate: RATE, tracks: {'root.ry_deg': {keys: [[0, 0], [4, 360]]}}},
    },
};

async function startWith(count) {
    const studio = await Studio.start({draws: true});
    const {text, vertices} = tube(count);
    const path = join(studio.server.folder, 'stream.sinew.json');
    await writeFile(join(studio.server.folder, 'tube.obj'), text);
    await writeFile(path, JSON.stringify(CHARACTER));
    await studio.call('open', {slot: 0, path});
    await studio.page.waitForFunction(() => window.sinewStudio.slots[0].model !== null);
    await studio.call('play');
    await watch(studio.page);
    return {studio, vertices};
}

/** Counts frames from now on. */
async function watch(page) {
    await page.evaluate(() => {
        window.framesSeen = 0;
        window.sinewStudio.on('frame', () => ++window.framesSeen);
    });
    await page.waitForFunction(() => window.framesSeen > 0);
}

/** Frames and pictures a second in a page. */
function measure(page) {
    return page.evaluate(async (seconds) => {
        const {viewport} = window.sinewStudio;
        const [frames, pictures, begun] = [window.framesSeen, viewport.drawn, performance.now()];
        await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
        const passed = (performance.now() - begun) / 1000;
        return {
            received: (window.framesSeen - frames) / passed,
            drawn: (viewport.drawn - pictures) / passed,
        };
    }, SECONDS);
}

const setPaused = (page, paused) =>
    page.evaluate((value) => {
        window.sinewStudio.viewport.paused = value;
        window.sinewStudio.marksPaused = value;
    }, paused);

/** A page that looks at the same character and is busy with something else most of the time. */
async function addSlowPage(studio) {
    const page = await studio.openPage();
    await setPaused(page, true);
    await page.evaluate((stall) => {
        setInterval(() => {
            const end = performance.now() + stall;
            while (performance.now() < end);
        }, stall + 50);
    }, STALL_MS);
    return page;
}

const rows = [];

/** A row; only some have a budget: how fast is drawn depends on the graphics card alone. */
function addRow(name, size, rate, hasBudget = false) {
    const ms = 1000 / rate;
    const ratio = BUDGET_MS / ms;
    const against = {reference: {name: 'budget', ms: BUDGET_MS}, ratio, target: 1, met: ratio >= 1};
    const nothing = {reference: null, ratio: null, target: null, met: null};
    rows.push({name, size, ms, ...(hasBudget ? against : nothing)});
}

async function run(count) {
    const {studio, vertices} = await startWith(count);
    await setPaused(studio.page, true);
    const hasBudget = count === BUDGET_SIZE;
    addRow('studio/stream', vertices, (await measure(studio.page)).received, hasBudget);
    const slow = await addSlowPage(studio);
    addRow('studio/stream_beside_slow_page', vertices, (await measure(studio.page)).received,
        hasBudget);
    await slow.close();
    await setPaused(studio.page, false);
    const {received, drawn} = await measure(studio.page);
    addRow('studio/stream_while_drawing', vertices, received);
    addRow('studio/pictures', vertices, drawn);
    await studio.stop();
}

/** Frames a second in each of the first rounds of a clip. */
function measureRounds(page) {
    return page.evaluate((count) => new Promise((resolve) => {
        const {sinewStudio: studio} = window;
        const rates = [];
        let [frames, begun, before] = [0, performance.now(), 0];
        studio.on('frame', ({frame}) => {
            if (frame.number < before) {
                const now = performance.now();
                rates.push((1000 * frames) / (now - begun));
                [frames, begun] = [0, now];
            }
            before = frame.number;
            ++frames;
            if (rates.length === count) {
                resolve(rates);
            }
        });
        studio.call('playback', {every: true}).then(() => studio.play());
    }), ROUNDS);
}

async function runRounds(open) {
    const studio = await Studio.start({open});
    const rates = await measureRounds(studio.page);
    const points = await studio.page.evaluate(() => window.sinewStudio.active.model.surfaces
        .filter(({shown}) => shown).reduce((sum, {vertexCount}) => sum + vertexCount, 0));
    rates.forEach((rate, i) => addRow(`studio/play_${open}_round_${i + 1}`, points, rate));
    await studio.stop();
}

for (const open of ['human', 'monkey']) {
    await runRounds(open);
}
for (const count of [BUDGET_SIZE, 100000]) {
    await run(count);
}
await closeBrowser();
if (process.argv.includes('--json')) {
    console.log(JSON.stringify({results: rows}, null, 2));
} else {
    for (const {name, size, ms, met} of rows) {
        const rate = (1000 / ms).toFixed(1).padStart(6);
        const verdict = met === null ? '' : met ? 'met (50)' : 'not met (50)';
        console.log(`${name.padEnd(32)} ${String(size).padStart(7)} ${rate} frames/s  ${verdict}`);
    }
}
