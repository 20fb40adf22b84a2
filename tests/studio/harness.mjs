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
// shipped characters (server.path('arm/arm.sinew.json')) and the state folder, and a browser context
// of its own; the browser itself is started once for a file. Without a GPU drawing costs more than
// all the rest: the viewport draws by itself only in tests that say `draws`, else only pictures that
// are asked for. An error in the page, a line of the server on stderr or an unclean end fails the
// test; errors that a test provokes are named with `expectError`.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {cp, mkdir, mkdtemp, readFile, rm} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

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
    // Without a GPU, its ways of painting the page itself are the slow ones: the viewport alone
    // goes through WebGL.
    '--disable-gpu-rasterization',
    '--disable-gpu-compositing',
];

const START_MS = 60000;
const STOP_MS = 30000;

let launched = null;

/** The browser of all tests of a file; started anew where one has brought it down. */
async function sharedBrowser() {
    if (!launched?.isConnected()) {
        launched = await chromium.launch({
            executablePath: process.env.SINEW_CHROMIUM,
            args: BROWSER_FLAGS,
            timeout: START_MS,
        });
    }
    return launched;
}

/** Ends the browser; tests need not ask for that. */
export const closeBrowser = () => launched?.close();

after(closeBrowser);

/** Fails with `what` when a promise takes too long. */
function within(ms, what, promise) {
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`${what} took more than ${ms / 1000} s`)), ms);
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A port that nobody uses. */
const freePort = () => new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
        const {port} = probe.address();
        probe.close(() => resolve(port));
    });
});

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
        this.port = 0; // any; one that is named stays the same over starts
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
        const line = ['studio', ...words, '--no-open', '--port', `${this.port}`, '--state', this.state];
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
     * @param {boolean} options.draws the viewport draws whenever something has changed
     * @param {boolean} options.samePort every start of the server is on the same port
     * @param {Server} options.server in place of one with a folder of its own
     * @param {object} options.context further options of the browser's context
     * @param {Array} options.init a function that runs in every page before all else, and its value
     */
    static async start({open = null, words = [], width = 1280, height = 720, ready = true,
        draws = false, samePort = false, server = null, context = {}, init = null} = {}) {
        const studio = new Studio();
        studio.opened = open;
        studio.draws = draws;
        studio.server = server ?? await Server.create();
        studio.server.port = samePort ? await freePort() : 0;
        try {
            await studio.server.start([...studio.#document(), ...words]);
            studio.browser = await sharedBrowser();
            studio.#context = await studio.browser.newContext(
                {viewport: {width, height}, reducedMotion: 'reduce', ...context});
            if (init !== null) {
                await studio.#context.addInitScript(...init);
            }
            if (!draws) {
                await studio.#context.addInitScript(pauseFromTheStart);
            }
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

    /** Takes a picture into the build folder's studio-tests/pictures/TEST; gives its path.
     *  `options` are those of Playwright, such as `clip`. */
    screenshot = async (name, page = this.page, options = {}) => {
        await mkdir(pictures, {recursive: true});
        const path = join(pictures, `${name}.png`);
        await this.#drawing(page, () => page.screenshot({path, ...options}));
        return path;
    };

    /** A picture of a part {x, y, width, height} of the page, to compare: PNG in base64. */
    picture = async (clip, page = this.page) => {
        const png = await this.#drawing(page, () => page.screenshot({clip}));
        return png.toString('base64');
    };

    /** How many pixels of two pictures differ by more than `tolerance`. */
    countDifferent = (a, b, tolerance = 0) =>
        this.page.evaluate(countDifferentPixels, [tolerance, a, b]);

    /** Does something when the newest picture is drawn; tests that draw see to that themselves. */
    async #drawing(page, action) {
        if (this.draws) {
            return action();
        }
        await page.evaluate(drawNow);
        const result = await action();
        await page.evaluate(pause);
        return result;
    }

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
            await this.#context.close();
            await this.server.stop();
            this.#complaints.check();
        } finally {
            await this.abandon();
        }
    }

    /** Ends everything, whatever state it is in. */
    async abandon() {
        await this.#context?.close().catch(() => {});
        await this.server.remove();
    }
}

// ---- what runs in the page

/** Pauses the viewport before it has drawn anything. */
function pauseFromTheStart() {
    let studio;
    Object.defineProperty(window, 'sinewStudio', {
        get: () => studio,
        set: (value) => {
            studio = value;
            studio.viewport.paused = true;
        },
    });
}

function pause() {
    window.sinewStudio.viewport.paused = true;
}

function drawNow() {
    const {viewport} = window.sinewStudio;
    viewport.paused = false;
    return viewport.settle();
}

async function countDifferentPixels([tolerance, ...pictures]) {
    const [a, b] = await Promise.all(pictures.map(async (base64) => {
        const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
        context.drawImage(bitmap, 0, 0);
        return context.getImageData(0, 0, bitmap.width, bitmap.height);
    }));
    if (a.width !== b.width || a.height !== b.height) {
        throw new Error('the pictures are not of one size');
    }
    let count = 0;
    for (let i = 0; i < a.data.length; i += 4) {
        count += [0, 1, 2].some((k) => Math.abs(a.data[i + k] - b.data[i + k]) > tolerance) ? 1 : 0;
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
