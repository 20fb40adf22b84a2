// SPDX-License-Identifier: Apache-2.0
//
// Files by the menus and windows of the page: open, save as, open again, export, picture,
// extraction.
import {studioTest} from './harness.mjs';
import {documentOf, pointsOf, settled, sinew, untilDocument} from './painting.mjs';
import assert from 'node:assert/strict';
import {access, mkdir, mkdtemp, readFile, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {basename, join, resolve} from 'node:path';

async function menuItem(page, name) {
    await page.getByTestId('file-menu').click();
    await page.getByRole('menuitem', {name}).click();
    return page.getByRole('dialog').last();
}

/**
 * A document with the bare names of its meshes' files: saved elsewhere, it means the same files
 * by other paths.
 */
function withoutFolders(document) {
    const meshes = Object.entries(document.meshes).map(([name, mesh]) => [
        name,
        {...mesh, file: basename(mesh.file)},
    ]);
    return {...document, meshes: Object.fromEntries(meshes)};
}

/** Waits for the end of the newest job. @returns its last event */
async function job(page) {
    await page.waitForFunction(() => {
        const jobs = [...window.sinewStudio.jobs.values()];
        return jobs.length > 0 && jobs.at(-1).state !== 'running';
    });
    return page.evaluate(() => [...window.sinewStudio.jobs.values()].at(-1));
}

studioTest(
    'a shipped character is opened, saved under a name, and read back equal',
    {},
    async ({page, server, screenshot}) => {
        await page.getByRole('button', {name: 'Leave the tour'}).click();
        await page.getByTestId('gallery-arm').click();
        await settled(page);
        assert.equal((await documentOf(page)).name, 'arm');
        assert.equal(
            await page.evaluate(() => window.sinewStudio.slots[0].path),
            null,
            'no file of its own'
        );
        await page.keyboard.press('Control+s');
        const window = page.getByRole('dialog', {name: 'Save as'});
        await window.getByText('examples').first().waitFor();
        await screenshot('save-as');
        await window.getByLabel('Name').fill('my arm');
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => window.sinewStudio.slots[0].path !== null);
        const path = await page.evaluate(() => window.sinewStudio.slots[0].path);
        assert.match(path, /my arm\.sinew\.json$/);
        assert.ok(path.startsWith(server.folder));
        const saved = await documentOf(page);
        const points = await pointsOf(page, '/skins/skin');

        await menuItem(page, 'Close');
        await page.waitForFunction(() => window.sinewStudio.slots[0].document === null);
        await page.getByRole('button', {name: /^my arm\.sinew\.json/}).click();
        await settled(page);
        const again = await documentOf(page);
        assert.equal(
            resolve(path, '..', again.meshes.skin.file),
            resolve(server.shipped, 'arm', saved.meshes.skin.file)
        );
        assert.deepEqual(withoutFolders(again), withoutFolders(saved));
        assert.equal(await page.evaluate(() => window.sinewStudio.slots[0].path), path);
        assert.deepEqual(await pointsOf(page, '/skins/skin'), points);
    }
);

studioTest(
    'a path that is pasted is opened, saved to, or explained',
    {open: 'arm'},
    async ({page, server, screenshot}) => {
        await settled(page);
        const outside = await mkdtemp(join(tmpdir(), 'sinew-outside-'));
        const hidden = join(outside, 'arm.sinew.json');
        await writeFile(hidden, await server.read('arm', 'arm.sinew.json'));
        const press = (window, text) => window.evaluate((element, value) => {
            const data = new DataTransfer();
            data.setData('text', value);
            const event = {clipboardData: data, bubbles: true, cancelable: true};
            element.querySelector('[role=listbox]').dispatchEvent(new ClipboardEvent('paste', event));
        }, text);

        await page.keyboard.press('Control+o');
        const window = page.getByRole('dialog', {name: 'Open'});
        await window.getByRole('option', {name: /arm\.sinew\.json/}).waitFor();
        await press(window, hidden);
        await page.keyboard.press('Enter');
        await window.getByText(`sinew studio --root ${outside}`).waitFor();
        await screenshot('outside-light');
        await page.evaluate(() => window.sinewStudio.theme.toggle());
        await screenshot('outside-dark');
        await window.getByLabel('File', {exact: true}).fill('nothing.json');
        await page.keyboard.press('Enter');
        await window.getByText('There is no "nothing.json" in this folder.').waitFor();
        await window.getByLabel('File', {exact: true}).fill(server.path('rex'));
        await page.keyboard.press('Enter');
        await window.getByRole('option', {name: /rex\.sinew\.json/}).waitFor();
        await window.getByLabel('File', {exact: true})
            .fill(`file://${server.path('thighs', 'thighs.sinew.json')}`);
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => window.sinewStudio.slots[0].name === 'thighs');

        await page.keyboard.press('Control+Shift+s');
        const saving = page.getByRole('dialog', {name: 'Save as'});
        await saving.getByLabel('Name').fill(join(server.folder, 'legs.sinew.json'));
        await page.keyboard.press('Enter');
        await page.getByText('Saved legs.sinew.json.').waitFor();
        await access(join(server.folder, 'legs.sinew.json'));

        // The character is still called thighs: what is shown is the file.
        assert.equal(await page.getByTestId('document-title').innerText(), 'legs.sinew.json');
        assert.equal(await page.title(), 'legs.sinew.json – sinew studio');
        await page.getByTestId('file-menu').click();
        await page.getByRole('menuitem', {name: 'legs.sinew.json'}).waitFor();
        await screenshot('file-menu-dark');
        await page.keyboard.press('Escape');
        await menuItem(page, 'Close');
        await page.getByRole('button', {name: /^legs\.sinew\.json/}).waitFor();
        await rm(outside, {recursive: true});
    }
);

studioTest('replacing a file is asked about', {open: 'arm'}, async ({page, server}) => {
    await settled(page);
    const rex = await server.read('rex', 'rex.sinew.json');
    await page.keyboard.press('Control+Shift+s');
    const window = page.getByRole('dialog', {name: 'Save as'});
    await window.getByRole('option', {name: /arm\.sinew\.json/}).waitFor();
    await window.getByRole('listbox', {name: 'Files'}).focus();
    await page.keyboard.press('Backspace');
    await window.getByRole('option', {name: /^rex/}).dblclick();
    await window.getByRole('option', {name: /rex\.sinew\.json/}).click();
    await window.getByRole('button', {name: 'Save', exact: true}).click();
    // Enter does no harm.
    const asked = page.getByRole('dialog', {name: 'Replace the file?'});
    const focused = await asked.getByRole('button', {name: 'Cancel'}).elementHandle();
    await page.waitForFunction((button) => button === document.activeElement, focused);
    await page.keyboard.press('Enter');
    await asked.waitFor({state: 'detached'});
    await window.getByRole('button', {name: 'Cancel'}).click();
    assert.deepEqual(await server.read('rex', 'rex.sinew.json'), rex);
    assert.match(await page.evaluate(() => window.sinewStudio.slots[0].path), /arm\.sinew\.json$/);
    // Another program has written the file since.
    const arm = await server.read('arm', 'arm.sinew.json');
    await writeFile(server.path('arm', 'arm.sinew.json'), '{}');
    const question = page.getByRole('dialog', {name: /Replace "arm/});
    await page.keyboard.press('Control+s');
    await question.getByRole('button', {name: 'Save as…'}).click();
    await window.getByRole('button', {name: 'Cancel'}).click();
    await page.keyboard.press('Control+s');
    await question.getByRole('button', {name: 'Cancel'}).click();
    assert.equal(String(await server.read('arm', 'arm.sinew.json')), '{}');
    await page.keyboard.press('Control+s');
    await question.getByRole('button', {name: 'Replace'}).click();
    await page.getByText('Saved arm.sinew.json').waitFor();
    assert.deepEqual(await server.read('arm', 'arm.sinew.json'), arm);
});

/** Names and places of the characters that are open, and what the page shows of them. */
const beside = (page) =>
    page.evaluate(() => {
        const {slots, viewport, activeIndex} = window.sinewStudio;
        const names = slots.map(({document}) => document?.name ?? null);
        return {names, shown: viewport.shownSlots, activeIndex};
    });

studioTest(
    'two different characters stand side by side; one is closed, another opened, one dropped',
    {open: 'arm', words: ['examples/thighs/thighs.sinew.json']},
    async ({page, screenshot}) => {
        await settled(page, 0);
        await settled(page, 1);
        assert.deepEqual(await beside(page), {
            names: ['arm', 'thighs'],
            shown: [0, 1],
            activeIndex: 0,
        });
        const layers = page.getByRole('button', {name: 'Layers and colours'});
        assert.equal(await layers.getAttribute('aria-expanded'), 'false', 'they make room');
        await screenshot('beside');

        await page.getByRole('button', {name: 'Close arm'}).click();
        await page.waitForFunction(() => window.sinewStudio.slots[0].document === null);
        assert.deepEqual(await beside(page), {
            names: [null, 'thighs'],
            shown: [1],
            activeIndex: 1,
        });
        assert.equal(await layers.getAttribute('aria-expanded'), 'true');
        assert.equal(await page.getByTestId('document-title').innerText(), 'thighs.sinew.json');
        assert.equal(await page.getByTestId('gallery-arm').isVisible(), false, 'no start page');

        await page.keyboard.press('Control+Shift+O');
        const window = page.getByRole('dialog', {name: 'Open beside'});
        await window.getByRole('button', {name: /^thighs/}).last().waitFor();
        await screenshot('open-beside');
        await window.getByTestId('gallery-rex').click();
        await settled(page, 0);
        assert.deepEqual(await beside(page), {
            names: ['rex', 'thighs'],
            shown: [0, 1],
            activeIndex: 1,
        });

        // The right half takes characters, all else motions.
        const drop = await page.evaluateHandle((text) => {
            const data = new DataTransfer();
            data.items.add(new File([text], 'dropped.sinew.json'));
            return data;
        }, JSON.stringify({...(await documentOf(page)), name: 'dropped', meshes: {}, skins: {}}));
        const box = await page.getByTestId('viewport').boundingBox();
        const at = {clientX: box.x + 0.8 * box.width, clientY: box.y + 0.5 * box.height};
        await page.dispatchEvent('[data-testid="viewport"]', 'dragover', {dataTransfer: drop, ...at});
        await page.getByText('Drop a character here to open it beside this one').waitFor();
        await screenshot('drop-beside');
        await page.dispatchEvent('[data-testid="viewport"]', 'drop', {dataTransfer: drop, ...at});
        await page.waitForFunction(
            () => window.sinewStudio.slots[1].document?.name === 'dropped'
        );
        assert.deepEqual((await beside(page)).names, ['rex', 'dropped']);
    }
);

/** The box of what has the colour of skin in a picture, right of the panel of the layers. */
const skinBox = (page, base64) =>
    page.evaluate(async (text) => {
        const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
        const {width, height} = bitmap;
        const context = new OffscreenCanvas(width, height).getContext('2d');
        context.drawImage(bitmap, 0, 0);
        const {data} = context.getImageData(0, 0, width, height);
        const box = {left: width, right: 0, top: height, bottom: 0};
        for (let i = 0; i < data.length; i += 4) {
            const [x, y] = [(i / 4) % width, Math.floor(i / 4 / width)];
            if (x > 210 && data[i] - data[i + 2] > 40) {
                box.left = Math.min(box.left, x);
                box.right = Math.max(box.right, x);
                box.top = Math.min(box.top, y);
                box.bottom = Math.max(box.bottom, y);
            }
        }
        return box;
    }, base64);

const FORMATS = {'.glb': [], '.usda': ['--bones'], '.pc2': [], '.mdd': [], '.obj': ['--muscles']};

for (const [ending, words] of Object.entries(FORMATS)) {
    studioTest(
        `an export to ${ending} is what sinew run writes`,
        {open: 'arm'},
        async ({page, server, screenshot}) => {
            await settled(page);
            const ours = join(server.folder, 'ours');
            await mkdir(ours);
            await sinew(
                'run',
                server.path('arm', 'arm.sinew.json'),
                '--frames',
                '3:6',
                ...words,
                '--quiet',
                '-o',
                join(ours, `out${ending}`)
            );
            const dialog = await menuItem(page, 'Export');
            await dialog.getByLabel('Format').selectOption(ending);
            await dialog.getByRole('spinbutton', {name: 'First frame'}).fill('3');
            await dialog.getByRole('spinbutton', {name: 'Last frame'}).fill('6');
            if (words.includes('--bones')) {
                await dialog.getByLabel('Bones and tissues').check();
            }
            if (words.includes('--muscles')) {
                await dialog.getByLabel('Muscles').check();
            }
            await screenshot('export');
            await dialog.getByRole('button', {name: 'Choose a file…'}).click();
            const window = page.getByRole('dialog').last();
            await window.locator('[aria-current="location"]').waitFor();
            await window.getByLabel('Name').fill('out');
            await window.getByRole('button', {name: 'Export', exact: true}).click();
            const ended = await job(page);
            assert.equal(ended.state, 'done', JSON.stringify(ended.error));
            for (const name of await readdir(ours)) {
                assert.deepEqual(
                    await readFile(server.path('arm', name)),
                    await readFile(join(ours, name)),
                    name
                );
            }
        }
    );
}

studioTest(
    'a picture shows what is seen, from the same place',
    {open: 'arm'},
    async (studio) => {
        const {page, server, screenshot} = studio;
        await settled(page);
        await page.evaluate(() => {
            const {viewport, wire} = window.sinewStudio;
            viewport.orbit.turn(0.4, 0.2);
            viewport.orbit.zoom(1.6);
            viewport.orbit.pan(60, 40, viewport.height);
            viewport.setLayer('bone', 'hidden');
            return wire.call('seek', {frame: 30});
        });
        await page.waitForFunction(() => window.sinewStudio.slots[0].frame?.number === 30);
        await settled(page);
        const box = await page.getByTestId('viewport').boundingBox();
        const seen = await skinBox(page, await studio.picture(box));
        const dialog = await menuItem(page, 'Picture');
        await screenshot('picture');
        await dialog.getByLabel('Quality').selectOption('draft');
        await dialog.getByRole('button', {name: 'Choose a file…'}).click();
        const window = page.getByRole('dialog').last();
        await window.locator('[aria-current="location"]').waitFor();
        await window.getByRole('button', {name: 'Render', exact: true}).click();
        const ended = await job(page);
        assert.equal(ended.state, 'done', JSON.stringify(ended.error));
        const bytes = await readFile(server.path('arm', 'arm.png'));
        assert.equal(bytes.readUInt32BE(16), Math.floor(box.width));
        assert.equal(bytes.readUInt32BE(20), Math.floor(box.height));
        const drawn = await skinBox(page, bytes.toString('base64'));
        for (const side of Object.keys(seen)) {
            const apart = Math.abs(seen[side] - drawn[side]);
            assert.ok(apart <= 3, `${side}: seen at ${seen[side]}, drawn at ${drawn[side]}`);
        }
        assert.ok(seen.right - seen.left < 0.5 * box.width, 'from further away than at first');

        const film = await menuItem(page, 'Film');
        const kinds = await page.evaluate(() => window.sinewStudio.welcome.extensions.film);
        await film.getByRole('spinbutton', {name: 'First frame'}).fill('28');
        await film.getByRole('spinbutton', {name: 'Last frame'}).fill('30');
        await film.getByLabel('Quality').selectOption('draft');
        await film.getByLabel('Format').selectOption('.png');
        await screenshot('film');
        await film.getByRole('button', {name: 'Choose a file…'}).click();
        const where = page.getByRole('dialog').last();
        await where.locator('[aria-current="location"]').waitFor();
        await where.getByRole('button', {name: 'Render', exact: true}).click();
        await page.getByText('3 pictures written, from arm-frames.0028.png on.').waitFor();
        assert.deepEqual(
            await readFile(server.path('arm', 'arm-frames.0030.png')),
            bytes,
            'a frame of the film is the picture'
        );
        if (kinds.includes('.mp4')) {
            const request = {slot: 0, path: server.path('arm', 'arm.mp4'), first: 0, last: 1};
            await studio.call('film', {...request, width: 64, height: 48, quality: 'draft'});
            await page.waitForFunction(() =>
                [...window.sinewStudio.jobs.values()].every(({state}) => state !== 'running')
            );
            await access(server.path('arm', 'arm.mp4'));
        }
    }
);

studioTest(
    'an extraction is cancelled from the page and leaves nothing',
    {open: 'monkey'},
    async ({page, screenshot}) => {
        await settled(page);
        const before = await documentOf(page);
        const dialog = await menuItem(page, 'Extract a skin');
        await dialog.getByRole('spinbutton', {name: 'Resolution'}).fill('1000');
        await dialog.getByRole('button', {name: 'Extract', exact: true}).click();
        const card = page.getByTestId('job').first();
        await card.waitFor();
        await screenshot('extraction');
        await card.getByRole('button', {name: 'Cancel'}).click();
        const ended = await job(page);
        assert.equal(ended.state, 'cancelled');
        assert.deepEqual(await documentOf(page), before);
    }
);

studioTest(
    'an extracted skin is in the document when the job is done',
    {open: 'monkey'},
    async ({page}) => {
        await settled(page);
        const dialog = await menuItem(page, 'Extract a skin');
        await dialog.getByRole('spinbutton', {name: 'Resolution'}).fill('100');
        await dialog.getByRole('button', {name: 'Extract', exact: true}).click();
        assert.equal((await job(page)).state, 'done');
        await untilDocument(page, (document) => document.skins.extracted !== undefined);
        await page.keyboard.press('Control+z');
        await untilDocument(page, (document) => document.skins.extracted === undefined);
    }
);

studioTest(
    'work that is not saved is offered to be saved before another character comes',
    {open: 'arm'},
    async ({page, server}) => {
        await settled(page);
        await page.evaluate(() =>
            window.sinewStudio.edit('Rename', [{path: '/name', value: 'my arm'}])
        );
        const dialog = await menuItem(page, 'Close');
        await dialog.getByText('changes that are not in its file yet').waitFor();
        await dialog.getByRole('button', {name: 'Save', exact: true}).click();
        await page.waitForFunction(() => window.sinewStudio.slots[0].document === null);
        assert.equal(JSON.parse(await server.read('arm', 'arm.sinew.json')).name, 'my arm');
        await access(server.path('arm', 'arm.sinew.json'));
    }
);
