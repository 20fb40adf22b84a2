// SPDX-License-Identifier: Apache-2.0
//
// The page's modules: rooms lean on each other as the table of docs/architecture.md says, imports
// run in no circle, files are named in one way, and nothing is exported that nobody uses.
import assert from 'node:assert/strict';
import {readFileSync, readdirSync} from 'node:fs';
import {dirname, join, normalize} from 'node:path';
import test from 'node:test';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const source = join(root, 'apps/studio/web/src');
const tests = join(root, 'tests/studio');

const textsOf = (folder) => new Map(readdirSync(folder, {recursive: true})
    .filter((name) => /\.m?js$/.test(name))
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
const modules = textsOf(source);
const imports = new Map([...modules].map(([name, text]) => [name,
    [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
        .map(([, path]) => normalize(join(dirname(name), path)))]));

/** The names of a circle in a graph of names, the first once more at its end; null: there is none. */
function circleIn(graph) {
    const done = new Set();
    const visit = (name, path) => {
        if (path.includes(name)) {
            return [...path.slice(path.indexOf(name)), name];
        }
        for (const next of done.has(name) ? [] : graph.get(name) ?? []) {
            const found = visit(next, [...path, name]);
            if (found !== null) {
                return found;
            }
        }
        done.add(name);
        return null;
    };
    return [...graph.keys()].map((name) => visit(name, [])).find((each) => each !== null) ?? null;
}

/** Rooms by name, with those that each may import from. */
function roomsAllowed() {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    const [, part] = page.split('## Rooms of the page\n');
    const words = (text) => [...text.matchAll(/`([\w-]+)`/g)].map(([, word]) => word);
    return new Map(part.split('\n## ')[0].split('\n')
        .filter((line) => line.startsWith('| `'))
        .map((line) => line.split('|'))
        .map(([, room, , leansOn]) => [words(room)[0], words(leansOn)]));
}

test('a circle is found where there is one', () => {
    assert.equal(circleIn(new Map([['a', ['b', 'c']], ['b', ['c']], ['c', []]])), null);
    const graph = new Map([['a', ['b']], ['b', ['c']], ['c', ['d', 'b']], ['d', []]]);
    assert.deepEqual(circleIn(graph), ['b', 'c', 'b']);
    assert.deepEqual(circleIn(new Map([['a', ['a']]])), ['a', 'a']);
});

test('every import names a module, and none runs in a circle', () => {
    assert.ok(modules.size > 100);
    for (const [name, paths] of imports) {
        paths.forEach((path) => assert.ok(modules.has(path), `${name} imports ${path}`));
    }
    assert.equal(circleIn(imports), null);
});

test('rooms lean on each other as the table says, in no circle', () => {
    const allowed = roomsAllowed();
    assert.equal(circleIn(allowed), null);
    const roomOf = (name) => name.includes('/') ? name.split('/')[0] : null;
    assert.deepEqual(new Set([...modules.keys()].map(roomOf)), new Set([null, ...allowed.keys()]));
    for (const [name, paths] of imports) {
        const room = roomOf(name);
        for (const path of room === null ? [] : paths) {
            const other = roomOf(path);
            assert.ok(other === room || allowed.get(room).includes(other),
                `${name} imports ${path}, but ${room} does not lean on ${other ?? 'main.js'}`);
        }
    }
});

test('files are named in lower case, with hyphens between words', () => {
    const scripts = readdirSync(tests).filter((name) => name.endsWith('.mjs'));
    for (const name of [...modules.keys(), ...scripts]) {
        assert.match(name, /^[a-z0-9]+([-/][a-z0-9]+)*(\.test)?\.m?js$/);
    }
});

test('what is exported is used elsewhere', () => {
    const texts = [...modules, ...textsOf(tests)];
    for (const [name, text] of modules) {
        const exported = text.matchAll(/^export (?:async )?(?:function|const|class|let) (\w+)/gm);
        for (const [, word] of exported) {
            const used = new RegExp(`\\b${word}\\b`);
            assert.ok(texts.some(([other, its]) => other !== name && used.test(its)),
                `${name} exports ${word}, which nobody imports`);
        }
    }
});
