// SPDX-License-Identifier: Apache-2.0
//
// Takes the pictures of docs/studio.md in the real studio and writes them into docs/pictures:
//
//     tests/studio/run build tests/studio/pictures.mjs [NAME...]
//
// Without names all of them. Every one begins with a studio of its own, whose home folder is the
// same, and with panels of the same sizes; it is taken when everything has settled.
import {execFile} from 'node:child_process';
import {cp, mkdir, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';

import {Server, Studio, closeBrowser} from './harness.mjs';
import {settled} from './character.mjs';
import {films} from './pictures-film.mjs';
import {panels} from './pictures-panels.mjs';
import {tools} from './pictures-tools.mjs';
import {walk} from './pictures-walk.mjs';

const run = promisify(execFile);
const SOURCE = process.env.SINEW_SOURCE;
const PICTURES = join(SOURCE, 'docs', 'pictures');
// Paths are seen in pictures: a folder as people have one, not one with random letters.
const HOME = join(tmpdir(), 'you');
const SHARPNESS = 1.5; // pixels of a picture for one of the page
const PATIENCE_MS = 240000;
// The person's motions are in a folder beside its own.
const CHARACTERS = ['arm', 'head', 'human', 'monkey', 'motions', 'person', 'rex', 'strongarm',
    'thighs'];

/** A server whose home folder has copies of the shipped characters, and nothing else. */
async function makeServer() {
    await mkdir(HOME); // fails where there is one: it is somebody's
    const server = new Server(HOME);
    server.examples = join(HOME, 'characters');
    server.state = join(HOME, '.state');
    for (const folder of ['characters', 'models', 'motions']) {
        await mkdir(join(HOME, folder));
    }
    for (const name of CHARACTERS) {
        await cp(join(SOURCE, 'examples', name), server.path(name), {recursive: true});
    }
    return server;
}

/** Before the page begins: panels of the same sizes, details as with a graphics card, no tour. */
function prepare(isFirst) {
    localStorage.setItem('sinew-studio-layout', '{"left": 228, "right": 312, "bottom": 168}');
    if (!isFirst) {
        localStorage.setItem('sinew-studio-tour', 'seen');
    }
    const get = WebGL2RenderingContext.prototype.getExtension;
    WebGL2RenderingContext.prototype.getExtension = function getExtension(name) {
        return name === 'WEBGL_debug_renderer_info' ? null : get.call(this, name);
    };
}

class Photographer {
    constructor(name) {
        this.name = name;
        this.folder = PICTURES;
        this.studio = null;
    }

    /**
     * Starts the studio. @param {{open: string|null, dark: boolean, first: boolean}} options
     * open: a character of the home folder; first: as somebody who has never been here
     */
    async start({open = null, dark = false, first = false, sharpness = SHARPNESS, ...more} = {}) {
        const context = {deviceScaleFactor: sharpness, colorScheme: dark ? 'dark' : 'light'};
        this.studio = await Studio.start({open, server: await makeServer(), context,
            init: [prepare, first], ...more});
        this.page.setDefaultTimeout(PATIENCE_MS);
        if (open !== null) {
            await settled(this.studio.page);
        }
        return this.studio;
    }

    get page() {
        return this.studio.page;
    }

    /** Takes the picture. @param {{ending: string, clip: object}} options of the viewport alone */
    async take({ending = '', clip = undefined} = {}) {
        const shot = await this.shoot(`${this.name}${ending}`, {clip});
        await compress(shot, join(PICTURES, `studio-${this.name}${ending}.png`));
    }

    /** Takes a picture into the build folder; gives its path. */
    async shoot(name, options = {}) {
        await this.page.evaluate(cleanUp);
        return this.studio.screenshot(name, this.page, options);
    }

    /** The viewport without what lies over its upper corners. */
    async view({top = 0, bottom = 0, left = 0, right = 0} = {}) {
        const box = await this.page.locator('main.viewport').boundingBox();
        return {x: box.x + left, y: box.y + top, width: box.width - left - right,
            height: box.height - top - bottom};
    }
}

/** In the page: no notices, and more pixels than are shown, so that edges are smooth. */
function cleanUp() {
    document.querySelectorAll('[data-testid=toast]').forEach((toast) => toast.remove());
    const {viewport} = window.sinewStudio;
    viewport.screen.ratio = 2 * devicePixelRatio;
    viewport.redraw();
}

/** 256 colours that are chosen well are not told from all of them, in a third of the bytes. */
function compress(from, to) {
    return run('pngquant', ['--force', '--quality', '70-98', '--speed', '1', '--strip',
        '--output', to, from]);
}

async function takeAll() {
    const all = {...walk, ...tools, ...panels, ...films};
    const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(all);
    let failed = 0;
    for (const name of names) {
        const photographer = new Photographer(name);
        const begun = Date.now();
        try {
            await all[name](photographer);
            console.log(`${name}: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
        } catch (error) {
            console.error(`${name}: ${error.stack}`);
            await photographer.studio?.screenshot(`failed-${name}`).catch(() => {});
            ++failed;
        } finally {
            await photographer.studio?.abandon();
            await rm(HOME, {recursive: true, force: true});
        }
    }
    return failed;
}

const failed = await takeAll();
await closeBrowser();
process.exitCode = failed > 0 ? 1 : 0;
