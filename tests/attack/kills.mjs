// SPDX-License-Identifier: Apache-2.0
//
// kill -9 while files are written: afterwards there are the older ones or the new ones, whole, and the
// next run leaves nothing else.
import fs from 'node:fs';
import path from 'node:path';
import {finish, killGroup, start} from './tools.mjs';

const FRAMES = 40;
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Two bodies whose files tell which of them they are of. */
function makeBodies(folder) {
    for (const [name, height] of [['low', 0], ['high', 5]]) {
        const rows = ['v 1 0 0', 'v 0 1 0', 'v 0 0 1', 'f 1 3 2', 'f 1 2 4', 'f 1 4 3', 'f 2 3 4'];
        fs.writeFileSync(path.join(folder, `${name}.obj`), [`v 0 ${height} 0`, ...rows, ''].join('\n'));
        fs.writeFileSync(path.join(folder, `${name}.sinew.json`), JSON.stringify({
            sinew: 1, name, skeleton: {root: {}}, meshes: {body: {file: `${name}.obj`}},
            skins: {body: {mesh: 'body', segment: 'root'}},
            clips: {turn: {rate: 30, frames: FRAMES, tracks: {'root.ry_deg': {keys: [[0, 0], [1, 90]]}}}},
        }));
    }
}

const frameNames = Array.from({length: FRAMES}, (_, i) => `a.${String(i).padStart(4, '0')}.obj`);
const scratch = /^\.sinew-\d+-\d+\.(tmp|done)$/;

// Commands that write, what they write, and in how many of ten kills they are used.
const kinds = [
    {name: 'save', share: 3, args: (body, out) => ['new', `${body}.obj`, '--force', '-o', `${out}/a.sinew.json`],
        files: ['a.sinew.json']},
    {name: 'export', share: 3, args: (body, out) => ['run', `${body}.sinew.json`, '-o', `${out}/a.glb`], files: ['a.glb']},
    {name: 'sequence', share: 4, args: (body, out) => ['run', `${body}.sinew.json`, '-o', `${out}/a.obj`], files: frameNames},
];

async function runWhole(program, folder, kind, body, out) {
    const end = await finish(start(program, [...kind.args(body, out), '--quiet'], {cwd: folder}), 60);
    if (end.status !== 0) {
        throw new Error(`${kind.name}: ${end.text}`);
    }
}

const readAll = (folder, files) => files.map((f) => {
    const file = path.join(folder, f);
    return fs.existsSync(file) ? fs.readFileSync(file, 'latin1') : null;
});

/** What is wrong with what a killed run left; null: nothing. */
function lookAt(folder, kind, whole) {
    const found = readAll(folder, kind.files);
    const isOf = (body) => found.every((text, i) => text === null || text === whole[body][i]);
    const complete = found.every((text) => text !== null);
    const waits = fs.readdirSync(folder).some((name) => name.endsWith('.done'));
    const strange = fs.readdirSync(folder).filter((name) => !kind.files.includes(name) && !scratch.test(name));
    return !isOf('low') && !isOf('high') ? 'half-written files, or a mixture'
        : !complete && !waits ? 'files are lost'
            : strange.length > 0 ? `there is ${strange[0]}` : null;
}

async function attackKind(kind, count, {program, folder, chance, figures}) {
    const out = path.join(folder, kind.name), group = `kill -9, ${kind.name}`;
    fs.mkdirSync(out, {recursive: true});
    const whole = {};
    let seconds = 0;
    for (const body of ['high', 'low']) {
        const before = Date.now();
        await runWhole(program, folder, kind, body, kind.name);
        seconds = Math.max(seconds, (Date.now() - before) / 1000);
        whole[body] = readAll(out, kind.files);
    }
    for (let i = 0, killed = 0; killed < count && i < 4 * count; ++i) {
        const child = start(program, [...kind.args(i % 2 === 0 ? 'high' : 'low', kind.name), '--quiet'], {cwd: folder});
        const end = finish(child, 60);
        // Writing is at the end, wherever that is at the machine's present pace.
        await pause(seconds * (0.4 + 0.6 * chance.next()));
        killGroup(child);
        const wasKilled = (await end).signal !== null;
        seconds *= wasKilled ? 1.05 : 0.9;
        killed += wasKilled;
        figures.count(group, 'inputs');
        figures.count(group, wasKilled ? 'killed' : 'had ended');
        const wrong = lookAt(out, kind, whole);
        if (wrong !== null) {
            figures.fail(group, wrong, fs.readdirSync(out).join('\n'));
        }
    }
    await runWhole(program, folder, kind, 'high', kind.name);
    const left = fs.readdirSync(out).filter((name) => !kind.files.includes(name));
    const found = readAll(out, kind.files);
    if (left.length > 0 || found.some((text, i) => text !== whole.high[i])) {
        figures.fail(group, 'the next run left something else than its files', fs.readdirSync(out).join('\n'));
    }
}

export async function attackByKills(count, means) {
    makeBodies(means.folder);
    for (const kind of kinds) {
        await attackKind(kind, Math.round(count * kind.share / 10), means);
    }
}
