// SPDX-License-Identifier: Apache-2.0
//
// The start page, drops, and help.
import {studioTest} from './harness.mjs';
import {documentOf, settled} from './painting.mjs';
import assert from 'node:assert/strict';

const GALLERY = [
    'arm', 'athlete', 'cloth', 'head', 'human', 'monkey', 'person', 'rex', 'strongarm', 'thighs',
];

studioTest(
    'the start page shows every shipped character with its picture',
    {},
    async ({page, screenshot}) => {
        await page.getByRole('button', {name: 'Leave the tour'}).click();
        for (const name of GALLERY) {
            const card = page.getByTestId(`gallery-${name}`);
            await card.waitFor();
            const width = await card
                .locator('img')
                .evaluate((image) => image.decode().then(() => image.naturalWidth));
            assert.equal(width, 640, name);
        }
        await screenshot('start');
        await page.reload();
        await page.getByTestId('gallery-arm').waitFor();
        // Tab goes from the bar to the page, past all that it covers.
        await page.getByRole('button', {name: 'Help'}).focus();
        await page.keyboard.press('Tab');
        assert.match(await page.evaluate(() => document.activeElement.textContent), /the tour/);
        assert.equal(
            await page.getByTestId('tour').count(),
            0,
            'the tour begins by itself only once'
        );
    }
);

studioTest(
    'a character that is dropped on the start page is opened',
    {},
    async ({page, server}) => {
        await page.getByRole('button', {name: 'Leave the tour'}).click();
        const glb = await server.read('thighs', 'thighs.glb');
        const text = await server.read('thighs', 'thighs.sinew.json');
        const transfer = await page.evaluateHandle(
            async ([model, document]) => {
                const bytes = Uint8Array.from(atob(model), (each) => each.charCodeAt(0));
                const data = new DataTransfer();
                data.items.add(new File([bytes], 'thighs.glb'));
                data.items.add(new File([document], 'thighs.sinew.json'));
                return data;
            },
            [glb.toString('base64'), text.toString()]
        );
        await page.dispatchEvent('[data-testid="gallery-arm"]', 'dragover', {
            dataTransfer: transfer,
        });
        await page.dispatchEvent('[data-testid="gallery-arm"]', 'drop', {dataTransfer: transfer});
        await settled(page);
        assert.deepEqual(await documentOf(page), JSON.parse(text));
    }
);

studioTest('a file that is no character is refused in one line', {}, async ({page}) => {
    await page.getByRole('button', {name: 'Leave the tour'}).click();
    const transfer = await page.evaluateHandle(() => {
        const data = new DataTransfer();
        data.items.add(new File(['hello'], 'notes.txt'));
        return data;
    });
    await page.dispatchEvent('[data-testid="gallery-arm"]', 'drop', {dataTransfer: transfer});
    await page.getByText('The studio cannot read notes.txt.').waitFor();
});

/** A body of 184 x 60 x 30 units that stands on the plane of one axis, as an OBJ. */
function standing(up) {
    const corners = [];
    for (const height of [0, 184]) {
        for (const [wide, deep] of [[-30, -15], [30, -15], [30, 15], [-30, 15]]) {
            corners.push(up === 'z' ? [wide, deep, height] : [wide, height, -deep]);
        }
    }
    const faces = ['1 4 3 2', '5 6 7 8', '1 2 6 5', '2 3 7 6', '3 4 8 7', '4 1 5 8'];
    return [...corners.map((each) => `v ${each.join(' ')}`), ...faces.map((each) => `f ${each}`), '']
        .join('\n');
}

async function dropModel(page, name, text) {
    await page.getByRole('button', {name: 'Leave the tour'}).click();
    const transfer = await page.evaluateHandle(
        ([file, content]) => {
            const data = new DataTransfer();
            data.items.add(new File([content], file));
            return data;
        },
        [name, text]
    );
    await page.dispatchEvent('[data-testid="gallery-arm"]', 'drop', {dataTransfer: transfer});
}

studioTest(
    'a model in centimetres with Z up says so, and is imported as the user says',
    {},
    async ({page, screenshot}) => {
        await dropModel(page, 'box.obj', standing('z'));
        const asked = page.getByRole('dialog', {name: 'Units of "box.obj"'});
        await asked.getByText('Probably its file is in centimetres.').waitFor();
        await asked.getByText('Probably Z points up in its file.').waitFor();
        assert.equal(await asked.getByLabel('Unit of the file').inputValue(), '0.01');
        assert.equal(await asked.getByLabel('Axis that points up in the file').inputValue(), 'z');
        await screenshot('units');
        await asked.getByRole('button', {name: 'Import again'}).click();
        await asked.waitFor({state: 'detached'});
        await page.waitForFunction(() =>
            JSON.stringify(window.sinewStudio.get('')).includes('"unit":0.01')
        );
        const text = JSON.stringify(await documentOf(page));
        assert.match(text, /"unit":0\.01/);
        assert.match(text, /"up":"z"/);
        assert.equal(await page.getByRole('dialog').count(), 0, 'it is not asked for again');
    }
);

studioTest('what the file says can be kept, and a unit be chosen by hand', {}, async ({page}) => {
    await dropModel(page, 'tall.obj', standing('y'));
    const asked = page.getByRole('dialog', {name: 'Units of "tall.obj"'});
    await asked.getByText('It is 184 m tall').waitFor();
    assert.equal(await asked.getByText('Probably Z points up').count(), 0);
    await asked.getByLabel('Unit of the file').selectOption({label: 'inches'});
    await asked.getByRole('button', {name: 'Keep as it is'}).click();
    await settled(page);
    assert.doesNotMatch(JSON.stringify(await documentOf(page)), /"unit":/);
});

studioTest('help finds keys, and starts the tour again', {}, async ({page, screenshot}) => {
    await page.getByRole('button', {name: 'Leave the tour'}).click();
    await page.keyboard.press('F1');
    const help = page.getByRole('dialog', {name: 'Help'});
    await help.getByText('Save as').waitFor();
    await screenshot('help');
    await help.getByRole('searchbox').fill('undo');
    assert.equal(await help.getByText('Save as').count(), 0);
    assert.equal(await help.getByText('Undo', {exact: true}).count(), 1);
    await help.getByRole('searchbox').fill('');
    await help.getByRole('button', {name: 'Start the tour'}).click();
    await page.getByTestId('tour').getByText('Step 1 of 7').waitFor();
});

/** What a document says about itself, as one step of undo. */
const say = (page, value) =>
    page.evaluate((text) => window.sinewStudio.edit('About', [{path: '/about', value: text}]), value);

const about = (page) => page.evaluate(() => window.sinewStudio.get('/about'));

studioTest('work that was never saved stands on the start page after a crash', {}, async (studio) => {
    await studio.page.getByRole('button', {name: 'Leave the tour'}).click();
    const unsaved = (page) => page.getByTestId('unsaved');
    assert.equal(await unsaved(studio.page).count(), 0);
    await studio.page.getByTestId('gallery-arm').click();
    await settled(studio.page);
    const first = await about(studio.page);
    await say(studio.page, 'mine');
    await studio.page.close();

    await studio.restart('SIGKILL');
    const page = await studio.openPage();
    studio.page = page;
    await unsaved(page).getByText('from arm.sinew.json · 1 edit').waitFor();
    await studio.screenshot('unsaved');
    await unsaved(page).getByRole('button', {name: 'Open'}).click();
    await settled(page);
    assert.equal(await about(page), 'mine');
    await page.keyboard.press('Control+z');
    await page.waitForFunction((text) => window.sinewStudio.get('/about') === text, first);
    await page.keyboard.press('Control+Shift+z');
    await page.waitForFunction(() => window.sinewStudio.get('/about') === 'mine');

    // What is left unsaved stands there, too, until it is discarded.
    await page.getByRole('button', {name: 'File'}).click();
    await page.getByRole('menuitem', {name: 'Close'}).click();
    await page.getByRole('button', {name: 'Leave unsaved'}).click();
    await unsaved(page).getByRole('button', {name: 'Discard'}).click();
    await studio.screenshot('discard');
    await page.getByRole('dialog').getByRole('button', {name: 'Cancel'}).click();
    assert.equal(await unsaved(page).count(), 1);
    await unsaved(page).getByRole('button', {name: 'Discard'}).click();
    await page.getByRole('dialog').getByRole('button', {name: 'Discard'}).click();
    await unsaved(page).waitFor({state: 'detached'});
    await page.getByTestId('gallery-arm').click();
    await settled(page);
    assert.equal(await about(page), first);
});
