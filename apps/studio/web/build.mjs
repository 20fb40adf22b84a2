// SPDX-License-Identifier: Apache-2.0
//
// Makes the page that `sinew studio` serves: node build.mjs [OUT], by default build/studio of the
// repository. Everything is a file of its own, since the server's content policy allows no
// inline script or style.
import {build} from 'esbuild';
import {cp, mkdir, readdir, rm} from 'node:fs/promises';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, '../../../build/studio'));

async function bundle() {
    await build({
        absWorkingDir: here,
        entryPoints: {app: 'src/main.js', style: 'styles/index.css'},
        outdir: out,
        bundle: true,
        format: 'esm',
        target: ['es2022', 'chrome110', 'firefox110', 'safari16.4'],
        minify: true,
        legalComments: 'eof',
        logLevel: 'warning',
    });
}

async function copyPictures() {
    await cp(join(here, 'index.html'), join(out, 'index.html'));
    await cp(join(here, 'icon.svg'), join(out, 'icon.svg'));
    const gallery = join(here, 'gallery');
    const names = await readdir(gallery).catch(() => []);
    await mkdir(join(out, 'gallery'), {recursive: true});
    for (const name of names.filter((each) => each.endsWith('.png'))) {
        await cp(join(gallery, name), join(out, 'gallery', name));
    }
}

await rm(out, {recursive: true, force: true});
await mkdir(out, {recursive: true});
await bundle();
await copyPictures();
