// SPDX-License-Identifier: Apache-2.0
//
// The moving picture of the README: two curves on the arm become a muscle, which swells under the
// skin as the elbow bends. Frame by frame, so that it is smooth on any machine.
import {execFile} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';

import {settled, untilDocument} from './character.mjs';
import {look, rename, seek, setLayer, type} from './pictures-moves.mjs';
import {OFFSETS, driveByElbow, lineAlong, openArm} from './pictures-walk.mjs';

const run = promisify(execFile);
const RATE = 20; // frames per second
const CAMERA = {azimuth: 0.95, elevation: 0.12, at: [0.32, 1.27, 0.08], distance: 1.25};

/** Nothing but the character, and a pointer that is seen. */
function stripPage() {
    document.querySelectorAll('.glass').forEach((each) => {
        each.style.visibility = 'hidden';
    });
    const pointer = document.createElement('div');
    pointer.id = 'film-pointer';
    pointer.style.cssText = 'position: fixed; width: 22px; height: 22px; margin: -11px; ' +
        'border-radius: 50%; background: rgb(20 20 20 / 35%); border: 2px solid white; ' +
        'z-index: 1000; pointer-events: none; left: -100px';
    document.body.append(pointer);
}

function movePointer([x, y]) {
    const {style} = document.getElementById('film-pointer');
    style.left = `${x}px`;
    style.top = `${y}px`;
}

class Film {
    constructor(photographer, folder) {
        this.photographer = photographer;
        this.folder = folder;
        this.count = 0;
    }

    /** Takes a frame, and the same again `more` times. */
    async frame(more = 0) {
        const {photographer, folder} = this;
        const clip = this.clip ??= await photographer.view();
        const shot = await photographer.shoot('film', {clip});
        for (let i = 0; i <= more; ++i) {
            const number = String(this.count++).padStart(4, '0');
            await run('cp', [shot, join(folder, `${number}.png`)]);
        }
    }

    /** Draws a curve with the button held, seen while it grows. */
    async stroke(line) {
        const {page} = this.photographer;
        const go = async ({x, y}, steps) => {
            await page.mouse.move(x, y, {steps});
            await page.evaluate(movePointer, [x, y]);
        };
        await go(line[0], 1);
        await this.frame(4);
        await page.mouse.down();
        for (const point of line.slice(1)) {
            await go(point, 4);
            await this.frame();
        }
        await page.mouse.up();
    }
}

/** Encodes frames as a picture that repeats for ever. */
async function encode(folder, to) {
    await run('ffmpeg', ['-loglevel', 'error', '-y', '-framerate', String(RATE), '-i',
        join(folder, '%04d.png'), '-vf', 'scale=960:-2:flags=lanczos', '-c:v', 'libwebp_anim',
        '-lossless', '0', '-quality', '80', '-compression_level', '6', '-loop', '0', to]);
}

async function film(photographer) {
    const page = await openArm(photographer, {width: 1340, height: 690, sharpness: 1.25});
    const folder = await mkdtemp(join(tmpdir(), 'sinew-film-'));
    const reel = new Film(photographer, folder);
    await page.evaluate(stripPage);
    await look(page, CAMERA);
    await page.getByTestId('tool-draw').click();
    for (const offset of OFFSETS) {
        await reel.stroke(await lineAlong(page, offset));
    }
    await page.evaluate(movePointer, [-100, 0]);
    await untilDocument(page, (document) => document.muscles.muscle !== undefined);
    await settled(page);
    await reel.frame(12);
    await rename(page, 'brachialis');
    await type(page, 'Bulge', '2');
    await page.getByRole('button', {name: 'Done', exact: true}).click();
    await driveByElbow(page);
    await page.evaluate(() => window.sinewStudio.setTool('select'));
    await page.evaluate(() => window.sinewStudio.select(null));
    await setLayer(page, 'skin', 'clear');
    await curl(page, reel);
    await setLayer(page, 'skin', 'shown');
    await curl(page, reel);
    await encode(folder, join(photographer.folder, 'studio.webp'));
    await rm(folder, {recursive: true});
}

/** The arm bends and stretches, a little faster than in the clip. */
async function curl(page, reel) {
    for (let frame = 0; frame <= 60; frame += 2) {
        await seek(page, frame);
        await reel.frame();
    }
}

export const films = {film};
