// SPDX-License-Identifier: Apache-2.0
//
// Nothing is lost: not by a reload, not by a crash of the server, not by another page.
import {undoAll} from './character.mjs';
import {studioTest} from './harness.mjs';
import assert from 'node:assert/strict';
import {stat} from 'node:fs/promises';
import {join} from 'node:path';

const ABOUT = '/about';
const FILE = ['arm', 'arm.sinew.json'];

/** Changes what the document says about itself, as one step of undo. */
const say = (page, text) => page.evaluate(
    ([path, value]) => window.sinewStudio.edit('About', [{path, value}]), [ABOUT, text]);

const about = (page) => page.evaluate((path) => window.sinewStudio.get(path), ABOUT);

/** What the page knows of the character: document, undo steps, whether it is saved. */
const known = (page) => page.evaluate(() => {
    const {document, dirty, undo, path} = window.sinewStudio.slots[0];
    return {document, dirty, undo, path};
});

const waitForAbout = (page, text) => page.waitForFunction(
    ([path, value]) => window.sinewStudio.get(path) === value, [ABOUT, text]);

studioTest('a reload in the middle of playing', {open: 'arm'}, async (studio) => {
    const {page, call} = studio;
    await say(page, 'changed');
    await waitForAbout(page, 'changed');
    await call('playback', {loop: true, speed: 1, every: false});
    await call('play');
    await page.waitForFunction(() => window.sinewStudio.slots[0].frame?.number > 2);
    const before = await known(page);
    await page.reload();
    await studio.ready();
    await waitForAbout(page, 'changed');
    assert.deepEqual(await known(page), before);
    assert.equal(await page.evaluate(() => window.sinewStudio.time.playing), true);
    const frames = page.evaluate(() => new Promise((resolve) => {
        const seen = new Set();
        window.sinewStudio.on('frame', () => {
            seen.add(window.sinewStudio.slots[0].frame.number);
            if (seen.size >= 3) {
                resolve(true);
            }
        });
    }));
    assert.equal(await frames, true);
    await call('stop');
});

studioTest('work that was not saved is there after a crash', {open: 'arm'}, async (studio) => {
    const {page, server, call} = studio;
    const opened = await server.read(...FILE);
    const first = await about(page);
    // As much as a painted skin says, and more than a message may be: neither ends anything.
    const answers = await page.evaluate(() => {
        const {wire} = window.sinewStudio;
        window.states = [];
        window.sinewStudio.on('connection', (state) => window.states.push(state));
        return Promise.all([2 << 20, 32 << 20].map((size) =>
            wire.call('ping', {text: 'x'.repeat(size)}).catch(({text}) => text)));
    });
    assert.deepEqual(answers,
        [{}, 'this is more than the studio accepts at once (32 MiB), "ping" was not done']);
    assert.deepEqual(await page.evaluate(() => window.states), []);
    for (const text of ['one', 'two', 'three']) {
        await say(page, text);
        await waitForAbout(page, text);
    }
    await page.close();
    await studio.restart('SIGKILL');
    assert.deepEqual(await server.read(...FILE), opened);
    studio.page = await studio.openPage();
    await waitForAbout(studio.page, 'three');
    assert.equal((await known(studio.page)).dirty, true);
    await undoAll(studio.page);
    assert.equal(await about(studio.page), first);
    await call('save', {slot: 0}, studio.page);
    assert.deepEqual(await server.read(...FILE), opened);
});

studioTest('what was saved is there after a crash', {open: 'arm'}, async (studio) => {
    const {page, server, call} = studio;
    await say(page, 'saved');
    await waitForAbout(page, 'saved');
    await call('save', {slot: 0});
    const saved = await server.read(...FILE);
    assert.equal(JSON.parse(saved).about, 'saved');
    await page.close();
    await studio.restart('SIGKILL');
    studio.page = await studio.openPage();
    await waitForAbout(studio.page, 'saved');
    assert.equal((await known(studio.page)).dirty, false);
    assert.deepEqual(await server.read(...FILE), saved);
});

studioTest('undo everything and save: the bytes that were opened', {open: 'arm'}, async (studio) => {
    const {page, server, call} = studio;
    const opened = await server.read(...FILE);
    await say(page, 'changed');
    await waitForAbout(page, 'changed');
    await page.evaluate(() => window.sinewStudio.edit('Add a control', [
        {path: '/controls/new', value: {low: 0, high: 1}, index: 0},
    ]));
    await call('save', {slot: 0});
    assert.notDeepEqual(await server.read(...FILE), opened);
    await undoAll(page);
    await call('save', {slot: 0});
    assert.deepEqual(await server.read(...FILE), opened);
});

studioTest('two pages look at one character and edit in turn', {open: 'arm'}, async (studio) => {
    const {page, call} = studio;
    const other = await studio.openPage();
    await say(page, 'from the first');
    await waitForAbout(other, 'from the first');
    await say(other, 'from the second');
    await waitForAbout(page, 'from the second');
    assert.deepEqual((await known(page)).document, (await known(other)).document);
    await call('undo', {slot: 0});
    await waitForAbout(other, 'from the first');
});

const AGAIN = 'a page that is open goes on when the studio is started again';
studioTest(AGAIN, {open: 'arm', samePort: true}, async (studio) => {
    const {page, server, screenshot} = studio;
    studio.expectError(/WebSocket connection to/);
    await say(page, 'before the crash');
    await waitForAbout(page, 'before the crash');
    await server.kill('SIGKILL');
    const lost = page.getByTestId('lost');
    await lost.waitFor();
    const command = await lost.locator('code').textContent();
    assert.match(command, new RegExp(`sinew studio --port ${server.port} --no-open`));
    assert.ok(command.endsWith(` ${server.path(...FILE)}`), command);
    assert.ok(command.includes(` --state ${server.state} `), command);
    await screenshot('lost-light');
    await page.evaluate(() => window.sinewStudio.theme.toggle());
    await screenshot('lost-dark');
    // With the document, as the page says; then without: the page itself opens it again.
    for (const words of [[server.path(...FILE)], []]) {
        const {session} = await page.evaluate(() => window.sinewStudio.welcome);
        await server.start(words);
        await page.waitForFunction((before) => {
            const {welcome, slots: [{document, frame}]} = window.sinewStudio;
            return welcome.session !== before && document !== null && frame !== null;
        }, session);
        assert.equal(await lost.isVisible(), false);
        await waitForAbout(page, 'before the crash');
        const {dirty, undo, path} = await known(page);
        assert.deepEqual([dirty, undo.count, path], [true, 1, server.path(...FILE)]);
        if (words.length > 0) {
            await server.kill('SIGKILL');
            await lost.waitFor();
        }
    }
    await say(page, 'after it');
    await waitForAbout(page, 'after it');
    const {mode} = await stat(join(server.state, `token-${server.port}`));
    assert.equal(mode & 0o777, 0o600, 'nobody else reads the token');
});
