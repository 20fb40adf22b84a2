// SPDX-License-Identifier: Apache-2.0
//
// The pairing of a clip from a file: seen, changed by hand, taken back, and played as `sinew run` does.
import {studioTest} from './harness.mjs';
import {cachedFrame, changing, documentOf, picture, select, shownFrame, sinew} from './panels.mjs';
import assert from 'node:assert/strict';
import {mkdir, readFile, writeFile} from 'node:fs/promises';

// [segment, parent, translation]: a body whose left arm the clip knows by odd names.
const BODY = [
    ['pelvis', null, [0, 1, 0]], ['spine', 'pelvis', [0, 0.2, 0]], ['head', 'spine', [0, 0.4, 0]],
    ['upperarm.L', 'spine', [0.2, 0.3, 0]], ['forearm.L', 'upperarm.L', [0.3, 0, 0]],
    ['hand.L', 'forearm.L', [0.25, 0, 0]], ['upperarm.R', 'spine', [-0.2, 0.3, 0]],
    ['forearm.R', 'upperarm.R', [-0.3, 0, 0]], ['hand.R', 'forearm.R', [-0.25, 0, 0]],
    ['thigh.L', 'pelvis', [0.1, -0.05, 0]], ['shin.L', 'thigh.L', [0, -0.4, 0]],
    ['foot.L', 'shin.L', [0, -0.4, 0]], ['thigh.R', 'pelvis', [-0.1, -0.05, 0]],
    ['shin.R', 'thigh.R', [0, -0.4, 0]], ['foot.R', 'shin.R', [0, -0.4, 0]],
];
const NAMES = {
    pelvis: 'Hips', spine: 'Spine', head: 'Head', 'upperarm.L': 'odd1', 'forearm.L': 'odd2',
    'hand.L': 'odd3', 'upperarm.R': 'RightArm', 'forearm.R': 'RightForeArm', 'hand.R': 'RightHand',
    'thigh.L': 'LeftUpLeg', 'shin.L': 'LeftLeg', 'foot.L': 'LeftFoot', 'thigh.R': 'RightUpLeg',
    'shin.R': 'RightLeg', 'foot.R': 'RightFoot',
};

function bvh() {
    const joint = (name, depth) => {
        const [, , offset] = BODY.find(([each]) => each === name);
        const children = BODY.filter(([, parent]) => parent === name);
        const pad = '  '.repeat(depth);
        const channels = 'Zrotation Xrotation Yrotation';
        return [
            `${pad}${depth === 0 ? 'ROOT' : 'JOINT'} ${NAMES[name]}`, `${pad}{`,
            `${pad}  OFFSET ${offset.join(' ')}`,
            depth === 0 ? `${pad}  CHANNELS 6 Xposition Yposition Zposition ${channels}`
                : `${pad}  CHANNELS 3 ${channels}`,
            ...children.flatMap(([child]) => joint(child, depth + 1)),
            ...(children.length === 0
                ? [`${pad}  End Site`, `${pad}  {`, `${pad}    OFFSET 0 0.1 0`, `${pad}  }`] : []),
            `${pad}}`,
        ];
    };
    const frame = (k) => [0, 1, 0, ...BODY.flatMap((_, i) => [5 * k + i, 3 * k, 2 * i])].join(' ');
    return ['HIERARCHY', ...joint('pelvis', 0), 'MOTION', 'Frames: 4', 'Frame Time: 0.04',
        ...[0, 1, 2, 3].map(frame), ''].join('\n');
}

async function makeBody(server) {
    const folder = server.path('body');
    await mkdir(folder, {recursive: true});
    await writeFile(server.path('body', 'walk.bvh'), bvh());
    const document = {
        sinew: 1,
        name: 'body',
        skeleton: Object.fromEntries(BODY.map(([name, parent, translation]) =>
            [name, {...(parent && {parent}), translation}])),
        bones: {
            hand: {segment: 'hand.L', ellipsoid: {radii: [0.05, 0.06, 0.04]}},
        },
        clips: {walk: {file: 'walk.bvh'}},
    };
    await writeFile(server.path('body', 'body.sinew.json'), JSON.stringify(document));
    return server.path('body', 'body.sinew.json');
}

const choice = (page, segment) => page.getByLabel(`Joint that moves ${segment}`, {exact: true});
const rowOf = (page, segment) => page.locator(`tr[data-segment="${segment}"]`);

async function pair(page, segment, joint) {
    await choice(page, segment).focus();
    await changing(page, () => choice(page, segment).selectOption(joint));
}

studioTest('a pairing is shown, changed and taken back', {},
    async ({page, call, server, screenshot}) => {
        const path = await makeBody(server);
        await call('open', {slot: 0, path});
        await page.waitForFunction(() => window.sinewStudio.active.model?.clip?.name === 'walk');
        await page.getByRole('button', {name: 'Pairing…'}).click();
        const window = page.getByRole('dialog', {name: 'Pairing of walk'});
        await window.getByText('12 of 15 joints of walk.bvh move 12 of 15 segments.').waitFor();
        await window.getByText('Nothing in the clip moves the left arm').waitFor();
        assert.match(await rowOf(page, 'forearm.R').innerText(), /same part of the body/);
        assert.match(await rowOf(page, 'hand.L').innerText(), /the clip has no left hand/);
        await picture(page, screenshot, 'pairing');

        await pair(page, 'upperarm.L', 'odd1');
        await rowOf(page, 'upperarm.L').getByText('set by hand').waitFor();
        await pair(page, 'forearm.L', 'odd2');
        await pair(page, 'hand.L', 'odd3');
        await window.getByText('15 of 15 joints of walk.bvh move 15 of 15 segments.').waitFor();
        assert.equal(await window.getByText('Nothing in the clip').count(), 0);
        await pair(page, 'head', '');
        await rowOf(page, 'head').getByText('left out by hand').waitFor();
        assert.deepEqual((await documentOf(page)).clips.walk.pairing,
            {'upperarm.L': 'odd1', 'forearm.L': 'odd2', 'hand.L': 'odd3', head: null});

        // The clip's properties have it as well.
        await select(page, '/clips/walk');
        await page.getByText('Pairing (4)').waitFor();
        await picture(page, screenshot, 'properties');

        // What is said by hand goes, and what is found is back.
        await changing(page, () =>
            page.getByRole('button', {name: 'Find what moves head again'}).click());
        await rowOf(page, 'head').getByText('same part of the body').waitFor();
        await window.getByLabel('Search segments').fill('left upper');
        await page.waitForFunction(() =>
            document.querySelectorAll('.pairing-table tbody tr').length === 1);
        await window.getByLabel('Search segments').fill('.L');
        await picture(page, screenshot, 'paired');
        await window.getByRole('button', {name: 'Done'}).click();

        // The page plays what the program plays with the same map.
        await writeFile(server.path('map.json'),
            JSON.stringify((await documentOf(page)).clips.walk.pairing));
        const cache = server.path('walk.pc2');
        await sinew('run', path, '--motion', server.path('body', 'walk.bvh'), '--map',
            server.path('map.json'), '-o', cache, '--quiet');
        const bytes = await readFile(cache);
        await page.evaluate(() => window.sinewStudio.seek(2));
        await shownFrame(page, 2);
        const shown = await page.evaluate(() => {
            const {points} = window.sinewStudio.active.model.byPath('/bones/hand');
            return [...new Uint32Array(points.buffer, points.byteOffset, points.length)];
        });
        assert.deepEqual(shown, [...cachedFrame(bytes, 2)]);

        // Each choice is a step of undo.
        assert.equal(await page.evaluate(() => window.sinewStudio.active.undo.count), 5);
        for (let i = 0; i < 5; ++i) {
            await changing(page, () => page.evaluate(() => window.sinewStudio.undo()));
        }
        assert.equal((await documentOf(page)).clips.walk.pairing, undefined);
    });

studioTest('a clip that is no file has no pairing', {open: 'arm'}, async ({page, call}) => {
    const {retargeted, clip} = await call('pairing', {slot: 0});
    assert.deepEqual([retargeted, clip], [false, 'curl']);
    assert.equal(await page.getByRole('button', {name: 'Pairing…'}).isVisible(), false);
});
