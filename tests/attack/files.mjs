// SPDX-License-Identifier: Apache-2.0
//
// Damaged models, motions and documents, read by the program.
import fs from 'node:fs';
import path from 'node:path';
import {finish, isGood, judge, repeat, root, start} from './tools.mjs';
import {mutateBytes, mutateTree} from './mutate.mjs';

const readable = new Set(['.glb', '.gltf', '.obj', '.stl', '.ply', '.bvh', '.vtp', '.mot', '.sto', '.fbx', '.dae', '.osim']);
const largest = 4 << 20;
const patience = 60; // seconds: a file of this size takes one

function* walk(folder) {
    for (const entry of fs.readdirSync(folder, {withFileTypes: true})) {
        const full = path.join(folder, entry.name);
        if (entry.isDirectory()) {
            yield* walk(full);
        } else {
            yield full;
        }
    }
}

/** Real files by extension: of the test data where they are, and the shipped ones. */
export function collect() {
    const found = new Map();
    const data = process.env.SINEW_TEST_DATA;
    const folders = [path.join(root, 'examples'), path.join(root, 'tests/fuzz/corpus'), data ?? ''];
    for (const folder of folders.filter((f) => f !== '' && fs.existsSync(f))) {
        for (const file of walk(folder)) {
            const extension = path.extname(file).toLowerCase();
            const size = fs.statSync(file).size;
            if (readable.has(extension) && size > 0 && size < largest) {
                found.set(extension, [...(found.get(extension) ?? []), file]);
            }
        }
    }
    return found;
}

/** Motions are played by the arm, whatever of it they name. */
function argumentsFor(file, out) {
    const arm = path.join(root, 'examples/arm/arm.sinew.json');
    const data = process.env.SINEW_TEST_DATA;
    switch (path.extname(file)) {
    case '.osim':
        return ['new', file, '--no-skin', ...(data ? ['--geometry', path.join(data, 'osim/Geometry')] : []), '-o', out];
    case '.mot': case '.sto': return ['run', arm, '--motion', file, '--ignore-unknown', '--report', out];
    default: return ['check', file];
    }
}

/** Each extension is taken as often as the others, whatever the number of its files. */
export async function attackFiles({program, folder, chance, figures, until}) {
    const found = collect();
    const extensions = [...found.keys()].sort();
    console.log(`files: ${extensions.map((e) => `${found.get(e).length} ${e}`).join(', ')}`);
    for (const source of found.get('.gltf') ?? []) { // what they refer to lies beside them
        for (const name of fs.readdirSync(path.dirname(source)).filter((n) => n.endsWith('.bin'))) {
            fs.copyFileSync(path.join(path.dirname(source), name), path.join(folder, name));
        }
    }
    await repeat(until, async (index) => {
        const extension = extensions[index % extensions.length];
        const source = chance.pick(found.get(extension));
        const file = path.join(folder, `${index}${extension}`);
        const out = path.join(folder, `${index}.sinew.json`);
        fs.writeFileSync(file, mutateBytes(fs.readFileSync(source), chance));
        const end = await finish(start(program, [...argumentsFor(file, out), '--quiet', '--threads', '1']), patience);
        const verdict = judge(end);
        figures.count(`files ${extension}`, 'inputs');
        if (isGood(verdict)) {
            figures.count(`files ${extension}`, verdict);
        } else {
            figures.fail(`files ${extension}`, `${path.basename(source)}, damaged, ${verdict}`, end.text, [file]);
        }
        fs.rmSync(file, {force: true});
        fs.rmSync(out, {force: true});
    });
}

const shipped = ['arm/arm', 'cloth/cloth', 'rex/rex', 'thighs/thighs'];

// Small documents that ask for much.
const greedy = [
    {repeat: 100000000},
    {repeat: 65536, chain: {offset: [0, 1, 0]}},
];

function makeGreedy(index) {
    const segment = {...greedy[index % greedy.length]};
    const clips = {long: {rate: 1000, frames: 4000000000, tracks: {'root.ry': {keys: [[0, 0], [1, 1]]}}}};
    const muscles = {m: {kind: 'cylinder', points: [['root', 0, 0, 0], ['root', 0, 1, 0]], rings: 1000000, sides: 1000000}};
    return [
        {sinew: 1, name: 'many', skeleton: {root: {}, 'link#': {parent: 'root', ...segment}}},
        {sinew: 1, name: 'long', skeleton: {root: {}}, clips},
        {sinew: 1, name: 'fine', skeleton: {root: {}}, muscles},
    ][index % 3];
}

/** Documents that broke something once, which the test data keep. */
function collectHostile() {
    const folder = path.join(process.env.SINEW_TEST_DATA ?? '', 'hostile');
    return fs.existsSync(folder)
        ? fs.readdirSync(folder).filter((name) => name.endsWith('.sinew.json')).map((name) => path.join(folder, name)) : [];
}

/** The next document: what it is, beside the files of which example it lies, its text. */
function nextDocument(index, known, trees, chance) {
    const again = known[index >> 1]; // once for each program
    if (again !== undefined) {
        return {what: `${path.basename(again)},`, beside: 'cloth/cloth', text: fs.readFileSync(again)};
    }
    const [name, tree] = chance.pick(trees);
    return index % 8 === 0
        ? {what: 'a greedy document', beside: name, text: JSON.stringify(makeGreedy(index / 8))}
        : {what: `${name}, damaged,`, beside: name, text: JSON.stringify(mutateTree(tree, chance))};
}

/** Damaged and greedy documents, with a limit on memory that a small machine would have. */
export async function attackDocuments({program, limited, options, folder, chance, figures, until}) {
    const trees = shipped.map((name) => [name, JSON.parse(fs.readFileSync(path.join(root, 'examples', `${name}.sinew.json`)))]);
    const known = collectHostile();
    fs.cpSync(path.join(root, 'examples'), path.join(folder, 'examples'), {recursive: true});
    await repeat(until, async (index) => {
        const {what, beside, text} = nextDocument(index, known, trees, chance);
        const file = path.join(folder, 'examples', path.dirname(beside), `attack-${index}.sinew.json`);
        fs.writeFileSync(file, text);
        // Sanitizers need more addresses than a limit allows: every second run is of the plain program.
        const plain = index % 2 === 0;
        const group = plain ? 'documents, 4 GB of addresses' : 'documents';
        const args = ['check', file, '--quiet', '--threads', '1', ...(plain ? [] : options)];
        const child = start(plain ? limited : program, args, {memory: plain ? 4096 : 0});
        const end = await finish(child, patience);
        const verdict = judge(end);
        figures.count(group, 'inputs');
        if (isGood(verdict)) {
            figures.count(group, verdict);
        } else {
            figures.fail(group, `${what} ${verdict}`, end.text, [file]);
        }
        fs.rmSync(file, {force: true});
    });
}
