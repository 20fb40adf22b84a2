// SPDX-License-Identifier: Apache-2.0
//
// Starts the studio for a test and opens it in a real, headless Chromium:
//
//     import {studioTest} from './harness.mjs';
//
//     studioTest('a muscle appears', {open: 'arm'}, async ({page, call, server, screenshot}) => {
//         await page.getByRole('button', {name: 'Play'}).click();
//         await call('seek', {frame: 10});
//         await screenshot('arm');
//     });
//
// Every test has a server on a free port with a folder of its own, in which there are copies of the
// shipped characters (server.path('arm/arm.sinew.json')) and the state folder. An error in the page,
// a line of the server on stderr or an unclean end fails the test; errors that a test provokes are
// named with `expectError`.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {cp, mkdir, mkdtemp, readFile, rm} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';

// What npm installs stands in the build folder.
const {chromium} = createRequire(join(process.env.SINEW_MODULES, 'package.json'))('playwright-core');
const program = process.env.SINEW_PROGRAM;
const source = process.env.SINEW_SOURCE;
const pictures = process.env.SINEW_PICTURES;

const BROWSER_FLAGS = [
    '--use-angle=swiftshader',
    '--use-gl=angle',
    '--enable-unsafe-swiftshader',
    '--no-sandbox',
    '--disable-background-networking',
    '--no-first-run',
    '--disable-component-update',
    '--disable-sync',
    '--disable-quic',
];

const START_MS = 60000;
const STOP_MS = 30000;

/** Fails with `what` when a promise takes too long. */
function within(ms, what, promise) {
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`${what} took more than ${ms / 1000} s`)), ms);
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** The program `sinew studio`, in a folder of its own that outlives its starts and ends. */
export class Server {
    #process = null;
    #ended = null;

    constructor(folder) {
        this.folder = folder;
        this.examples = join(folder, 'examples');
        this.shipped = join(source, 'examples'); // read only, for the start page
        this.state = join(folder, 'state');
        this.address = null;
        this.errors = '';
    }

    static async create() {
        const folder = await mkdtemp(join(tmpdir(), 'sinew-studio-'));
        const server = new Server(folder);
        await cp(join(source, 'examples'), server.examples, {recursive: true});
        return server;
    }

    /** A path in the folder of the copied examples. */
    path(...names) {
        return join(this.examples, ...names);
    }

    read(...names) {
        return readFile(this.path(...names));
    }

    get pid() {
        return this.#process?.pid;
    }

    /** Starts it; `words` are further words of the command line. */
    async start(words = []) {
        const line = ['studio', ...words, '--no-open', '--port', '0', '--state', this.state];
        this.#process = spawn(program, line, {
            cwd: this.folder,
            env: {...process.env, HOME: this.folder, SINEW_EXAMPLES: this.shipped},
            stdio: ['ignore', 'pipe', 'pipe'],
        });
        this.#process.stderr.on('data', (data) => {
            this.errors += data;
        });
        this.#ended = new Promise((resolve) => {
            this.#process.on('exit', (code, signal) => resolve({code, signal}));
        });
        this.address = await within(START_MS, 'the start of the server', this.#readAddress());
        return this.address;
    }

    #readAddress() {
        let text = '';
        return new Promise((resolve, reject) => {
            this.#process.stdout.on('data', (data) => {
                text += data;
                const match = /^sinew studio: (http:\S+)\n/.exec(text);
                if (match) {
                    resolve(match[1]);
                }
            });
            this.#ended.then(({code, signal}) => {
                reject(new Error(`the server ended (${signal ?? code}): ${text}${this.errors}`));
            });
        });
    }

    /** Ends it as Ctrl-C does; it must take that well. */
    async stop() {
        const end = await this.kill('SIGINT');
        assert.deepEqual(end, {code: 0, signal: null}, `the server's end: ${this.errors}`);
        assert.equal(this.errors, '', 'the server has nothing to say on stderr');
    }

    /** Sends a signal and waits for its end: kill('SIGKILL') is the crash. */
    async kill(signal = 'SIGKILL') {
        this.#process.kill(signal);
        return within(STOP_MS, 'the end of the server', this.#ended);
    }

    get running() {
        return this.#process !== null && this.#process.exitCode === null &&
            this.#process.signalCode === null;
    }

    async remove() {
        if (this.running) {
            await this.kill('SIGKILL');
        }
        await rm(this.folder, {recursive: true, force: true});
    }
}

/** What goes wrong in pages; patterns of what a test provokes are forgiven. */
class Complaints {
    #lines = [];
    #expected = [];

    watch(page) {
        page.on('pageerror', (error) => this.#lines.push(`page error: ${error.stack ?? error}`));
        page.on('console', (message) => {
            if (message.type() === 'error') {
                const {url, lineNumber} = message.location();
                this.#lines.push(`console: ${message.text()} (${url}:${lineNumber})`);
            }
        });
        page.on('crash', () => this.#lines.push('the page crashed'));
    }

    expect(pattern) {
        this.#expected.push(pattern);
    }

    check() {
        const left = this.#lines.filter((line) => !this.#expected.some((each) => each.test(line)));
        assert.deepEqual(left, [], 'errors in the page');
    }
}

/** A studio at work: its server, its browser and its first page. */
export class Studio {
    #complaints = new Complaints();
    #context = null;

    /**
     * @param {object} options
     * @param {string|null} options.open a shipped character, opened from its copy; null: start page
     * @param {string[]} options.words further words of the command line
     * @param {number} options.width
     * @param {number} options.height
     * @param {boolean} options.ready wait until the page is connected, and its model is there
     */
    static async start({open = null, words = [], width = 1280, height = 720, ready = true} = {}) {
        const studio = new Studio();
        studio.opened = open;
        studio.size = {width, height};
        studio.server = await Server.create();
        try {
            await studio.server.start([...studio.#document(), ...words]);
            studio.browser = await chromium.launch({
                executablePath: process.env.SINEW_CHROMIUM,
                args: BROWSER_FLAGS,
            });
            studio.#context = await studio.browser.newContext({viewport: studio.size});
            studio.page = await studio.openPage({ready});
        } catch (error) {
            await studio.abandon();
            throw error;
        }
        return studio;
    }

    #document() {
        return this.opened ? [this.server.path(this.opened, `${this.opened}.sinew.json`)] : [];
    }

    /** One more page that looks at the same character; `ready`: as in start. */
    async openPage({ready = true} = {}) {
        const page = await this.#context.newPage();
        page.setDefaultTimeout(START_MS);
        this.#complaints.watch(page);
        await page.goto(this.server.address);
        if (ready) {
            await this.ready(page);
        }
        return page;
    }

    /** Waits until a page is connected, and shows the opened character. */
    async ready(page = this.page) {
        await page.waitForFunction((wantsModel) => {
            const studio = window.sinewStudio;
            return studio?.wire?.state === 'open' && (!wantsModel || studio.slots[0]?.model);
        }, this.opened !== null);
    }

    /** Sends a request as the page itself does; the answer's "ok", else an error. */
    call = (name, args = {}, page = this.page) =>
        page.evaluate(([each, values]) => window.sinewStudio.wire.call(each, values), [name, args]);

    /** Takes a picture into the build folder's studio-tests/pictures/TEST; gives its path. */
    screenshot = async (name, page = this.page) => {
        await mkdir(pictures, {recursive: true});
        const path = join(pictures, `${name}.png`);
        await page.screenshot({path});
        return path;
    };

    /** The pixels of the page, or of an element: {width, height, data} with 4 bytes a pixel. */
    pixels = async (locator = null, page = this.page) => {
        const png = await (locator ?? page).screenshot();
        return page.evaluate(decodePng, png.toString('base64'));
    };

    /** Errors in pages that match a pattern are part of the test. */
    expectError = (pattern) => this.#complaints.expect(pattern);

    /** Ends the server as Ctrl-C does, or with a signal, and starts it again: a new address. */
    async restart(signal = 'SIGINT', words = this.#document()) {
        await (signal === 'SIGINT' ? this.server.stop() : this.server.kill(signal));
        await this.server.start(words);
    }

    /** Ends everything; fails where anything complained. */
    async stop() {
        try {
            await this.browser.close();
            await this.server.stop();
            this.#complaints.check();
        } finally {
            await this.abandon();
        }
    }

    /** Ends everything, whatever state it is in. */
    async abandon() {
        await this.browser?.close().catch(() => {});
        await this.server.remove();
    }
}

/** Runs in the page. */
async function decodePng(base64) {
    const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const {width, height, data} = context.getImageData(0, 0, bitmap.width, bitmap.height);
    return {width, height, data: [...data]};
}

/** How many pixels of two pictures differ. */
export function countDifferent(a, b) {
    assert.deepEqual([a.width, a.height], [b.width, b.height], 'pictures of one size');
    let count = 0;
    for (let i = 0; i < a.data.length; i += 4) {
        const same = [0, 1, 2].every((k) => a.data[i + k] === b.data[i + k]);
        count += same ? 0 : 1;
    }
    return count;
}

/** A test with a studio of its own; `options` as in Studio.start. */
export function studioTest(name, options, body) {
    test(name, async (context) => {
        const studio = await Studio.start(options);
        try {
            await body(studio, context);
        } catch (error) {
            await studio.screenshot('failed').catch(() => {});
            await studio.abandon();
            throw error;
        }
        await studio.stop();
    });
}
