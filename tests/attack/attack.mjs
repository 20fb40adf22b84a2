// SPDX-License-Identifier: Apache-2.0
//
// attack.mjs SANITIZED PLAIN SECONDS: attacks the program and the studio as people with bad intentions, bad
// disks and bad luck would. SEED=n attacks in the same way again, KILLS=n kills so many times (200),
// ONLY=files,documents,studio,kills leaves out the rest, JOBS=n runs so many at once.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {attackDocuments, attackFiles} from './files.mjs';
import {attackByKills} from './kills.mjs';
import {attackStudio, killStudios} from './studio.mjs';
import {Chance, Figures, finish, root, start} from './tools.mjs';

const [sanitized, plain, seconds] = [path.resolve(process.argv[2]), path.resolve(process.argv[3]), Number(process.argv[4])];
const seed = Number(process.env.SEED ?? 20260515);
const kills = Number(process.env.KILLS ?? 200);
const only = process.env.ONLY?.split(',') ?? ['files', 'documents', 'studio', 'kills'];
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'sinew-attack-'));
const figures = new Figures(path.join(path.dirname(sanitized), 'attack-failures'));

/** Options that limit memory, where the program has them. */
async function memoryOptions() {
    const options = ['--memory', '2G'];
    const arm = path.join(root, 'examples/arm/arm.sinew.json');
    const end = await finish(start(sanitized, ['check', arm, '--quiet', ...options]), 60);
    console.log(end.status === 0 ? 'memory: --memory 2G with sanitizers' : 'memory: this program has no --memory');
    return end.status === 0 ? options : [];
}

async function attack(name, share, run) {
    if (only.includes(name)) {
        const folder = path.join(work, name);
        fs.mkdirSync(folder, {recursive: true});
        console.log(`== attack: ${name}`);
        await run({program: sanitized, limited: plain, folder, figures, chance: new Chance(seed),
            until: Date.now() + share * seconds * 1000});
    }
}

console.log(`seed ${seed}, ${seconds} s, ${kills} kills`);
const started = Date.now();
try {
    const options = await memoryOptions();
    await attack('files', 0.5, attackFiles);
    await attack('documents', 0.3, (means) => attackDocuments({...means, options}));
    await attack('studio', 0.2, attackStudio);
    await attack('kills', 0, async (means) => {
        await attackByKills(Math.round(0.9 * kills), means);
        await killStudios(Math.round(0.1 * kills), means);
    });
} finally {
    fs.rmSync(work, {recursive: true, force: true});
}
figures.print();
let inputs = 0, clean = 0;
for (const counts of figures.groups.values()) {
    inputs += counts.inputs ?? 0;
    clean += counts['clean errors'] ?? 0;
}
console.log(`${inputs} inputs in ${Math.round((Date.now() - started) / 1000)} s, ${clean} clean errors, ` +
    `${figures.failures.length} crashes, hangs, reports or lost files`);
if (figures.failures.length > 0) {
    console.log(`their inputs are in ${figures.folder}`);
}
process.exit(figures.failures.length > 0 ? 1 : 0);
