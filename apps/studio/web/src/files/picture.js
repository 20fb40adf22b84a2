// SPDX-License-Identifier: Apache-2.0
//
// The window of a picture: drawn as `sinew render` draws it, seen as in the viewport.
import {h} from '../core/dom.js';
import {choiceField, dialog} from '../core/widgets.js';
import {attempt, nameFor} from './actions.js';
import {chooseFile, folderOfSlot} from './browser.js';
import {CAMERAS, seenRequest, sizeChoices} from './seen.js';

const QUALITIES = ['draft', 'normal', 'high'];

/** Fields of what is seen; `choice` gets what they say. */
export function seenFields(viewport, choice) {
    const sizes = sizeChoices(viewport);
    const keep = (key) => (value) => {
        choice[key] = value;
    };
    Object.assign(choice, {size: sizes[0].value, camera: 'seen', quality: 'normal'});
    const fields = {size: ['Size', sizes], camera: ['Camera', CAMERAS], quality: ['Quality', QUALITIES]};
    return [
        ...Object.entries(fields).map(([key, [label, choices]]) =>
            choiceField({label, value: choice[key], choices, onDone: keep(key)})
        ),
        viewport.isolation.path !== null &&
            h(
            'p',
            {class: 'help'},
            'Isolation is ignored: everything in the shown layers is rendered.'
        ),
    ];
}

export function pictureDialog(studio, slot = studio.active) {
    const choice = {};
    dialog({
        title: 'Picture',
        body: h(
            'div',
            {class: 'form'},
            seenFields(studio.viewport, choice),
            h(
                'p',
                {class: 'help'},
                'Renders this frame with soft light and shadows. Layers, edges and colours are ' +
                    'those of the viewport.'
            )
        ),
        actions: [
            {label: 'Cancel'},
            {
                label: 'Choose a file…',
                primary: true,
                run: () => startPicture(studio, slot, choice),
            },
        ],
    });
}

async function startPicture(studio, slot, choice) {
    const request = seenRequest(studio, slot, choice);
    const frame = slot.frame?.number ?? studio.time.frame;
    const chosen = await chooseFile(studio, {
        title: 'Picture',
        action: 'Render',
        save: true,
        name: nameFor(slot, '.png'),
        filters: [{label: 'Pictures', endings: ['.png']}],
        folder: folderOfSlot(slot),
    });
    if (chosen === null) {
        return false;
    }
    return (await attempt(studio, 'picture', {...request, frame, ...chosen})) !== undefined;
}
