// SPDX-License-Identifier: Apache-2.0
//
// The window of a film: the clip drawn frame by frame as `sinew render` draws it, seen as in the
// viewport; or numbered pictures, for other programs and where no film can be made.
import {h} from '../core/dom.js';
import {resultOf, startJob} from '../core/job.js';
import {counted} from '../core/texts.js';
import {choiceField, dialog} from '../core/widgets.js';
import {nameFor} from './actions.js';
import {chooseFile, folderOfSlot} from './browser.js';
import {baseName} from './paths.js';
import {seenFields} from './picture.js';
import {rangeFields} from './range.js';
import {seenRequest} from './seen.js';

const KINDS = {
    '.mp4': 'H.264, plays nearly everywhere',
    '.webm': 'VP9, for web pages',
    '.mov': 'H.264',
    '.mkv': 'H.264',
    '.gif': 'few colours, for chats and web pages',
    '.png': 'one numbered picture for each frame',
};

/** What the server can write: films first, where it can make any. */
export function filmChoices(films) {
    return [...films, '.png'].map((value) => ({value, label: `${value}   ${KINDS[value] ?? ''}`}));
}

/** Why no film can be made. @returns {string|null} */
export function reasonAgainstFilm({model}) {
    return model?.clip ? null : 'needs a clip: open or add one first';
}

/** What was written, in words. */
export function filmText({path, first, last}) {
    return path.endsWith('.png')
        ? `${counted(last - first + 1, 'picture')} written, from ${numbered(path, first)} on.`
        : `Wrote ${baseName(path)}.`;
}

function numbered(path, frame) {
    return baseName(path).replace(/\.png$/, `.${String(frame).padStart(4, '0')}.png`);
}

export function filmDialog(studio, slot = studio.active) {
    const films = studio.welcome?.extensions.film ?? [];
    const kinds = filmChoices(films);
    const choice = {ending: kinds[0].value};
    const problem = h('p', {class: 'problem', role: 'alert'});
    const {name} = slot.model.clip;
    dialog({
        title: 'Film',
        body: h(
            'div',
            {class: 'form'},
            choiceField({
                label: 'Format',
                value: choice.ending,
                choices: kinds,
                onDone: (ending) => {
                    choice.ending = ending;
                },
            }),
            rangeFields(choice, slot),
            seenFields(studio.viewport, choice),
            h(
                'p',
                {class: 'help'},
                `Renders the clip ${name} with soft light and shadows. Layers, edges and colours ` +
                    'are those of the viewport.' +
                    (films.length > 0
                    ? ''
                    : ' Films need the program ffmpeg, which is not installed.')
            ),
            problem
        ),
        actions: [
            {label: 'Cancel'},
            {
                label: 'Choose a file…',
                primary: true,
                run: () => startFilm(studio, slot, choice, problem),
            },
        ],
    });
}

/** @returns {Promise<boolean>} whether it goes on, and the window can close */
async function startFilm(studio, slot, choice, problem) {
    const {ending, first, last} = choice;
    const request = {...seenRequest(studio, slot, choice), first, last};
    const chosen = await chooseFile(studio, {
        title: 'Film',
        action: 'Render',
        save: true,
        name: nameFor(slot, ending === '.png' ? '-frames.png' : ending),
        filters: [{label: ending, endings: [ending]}],
        folder: folderOfSlot(slot),
    });
    if (chosen === null) {
        return false;
    }
    try {
        const job = await startJob(studio, 'film', {...request, ...chosen});
        resultOf(studio, job).then((result) => result && studio.notice(filmText(result)));
        return true;
    } catch (error) {
        problem.textContent = error.text ?? error.message;
        return false;
    }
}
