// SPDX-License-Identifier: Apache-2.0
//
// The page and its server: what each lets the other do.
import {studioTest} from './harness.mjs';
import assert from 'node:assert/strict';

studioTest('the page opens and is connected', {}, async ({page, screenshot}) => {
    assert.equal(await page.title(), 'sinew studio');
    await screenshot('start');
});

function withoutWebGL() {
    HTMLCanvasElement.prototype.getContext = () => null;
}

studioTest('a browser without WebGL is told so', {init: [withoutWebGL], ready: false, draws: true},
    async ({page, screenshot}) => {
        await page.getByRole('heading', {name: 'The studio needs WebGL 2'}).waitFor();
        await screenshot('no-webgl');
    });

studioTest('scripts within the markup do not run', {}, async ({page, expectError}) => {
    expectError(/Content Security Policy/);
    const ran = await page.evaluate(async () => {
        let refused = 0;
        const bothRefused = new Promise((resolve) => {
            document.addEventListener('securitypolicyviolation', () => ++refused === 2 && resolve());
        });
        const script = document.createElement('script');
        script.textContent = 'window.inlineScriptRan = true;';
        document.body.append(script);
        const image = document.createElement('img');
        image.setAttribute('onerror', 'window.inlineScriptRan = true;');
        const failed = new Promise((resolve) => image.addEventListener('error', resolve));
        image.src = 'data:,';
        document.body.append(image);
        await Promise.all([bothRefused, failed]);
        return Boolean(window.inlineScriptRan);
    });
    assert.equal(ran, false);
});

studioTest('the page cannot talk to other addresses', {}, async ({page, expectError}) => {
    expectError(/Content Security Policy|ERR_/);
    const refused = await page.evaluate(() =>
        fetch('http://127.0.0.1:1/').then(() => 'answered', (error) => String(error)));
    assert.match(refused, /TypeError/);
});

// A page of another origin that knows the address cannot open the socket.
studioTest('another site cannot open the socket', {}, async ({browser, server}) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto('data:text/html,<title>elsewhere</title>');
    const outcome = await page.evaluate((address) => new Promise((resolve) => {
        const socket = new WebSocket(address, 'sinew-studio-1');
        socket.onopen = () => resolve('open');
        socket.onclose = () => resolve('refused');
    }), server.address.replace('http:', 'ws:').replace('/?', '/socket?'));
    assert.equal(outcome, 'refused');
    await context.close();
});

studioTest('a character is shown', {open: 'arm'}, async ({page, screenshot}) => {
    await page.waitForFunction(() => window.sinewStudio.slots[0].frame);
    await screenshot('arm');
    // Letters are not for what lies below a menu.
    await page.getByRole('button', {name: 'File'}).click();
    await page.keyboard.press('d');
    assert.equal(await page.evaluate(() => window.sinewStudio.tool.id), 'select');
    await page.keyboard.press('Escape');
    // Layers: one stop for Tab, arrow keys choose.
    await page.getByRole('radio', {name: 'Skin: shown'}).focus();
    await page.keyboard.press('ArrowRight');
    const mode = () => window.sinewStudio.viewport.layers.skin.mode;
    assert.equal(await page.evaluate(mode), 'clear');
    await page.keyboard.press('Tab');
    const next = await page.evaluate(() => document.activeElement.ariaLabel);
    assert.match(next, /^Muscles: /);
});
