// SPDX-License-Identifier: Apache-2.0
//
// The window of an export: what is to be written, then where.
import {h} from '../core/dom.js';
import {choiceField, dialog, toggleField} from '../core/widgets.js';
import {attempt, nameFor, withDot} from './actions.js';
import {chooseFile, folderOfSlot} from './browser.js';
import {rangeFields} from './range.js';

/** What a format is good for, in the order in which they are offered. */
const FORMATS = {
    '.glb': 'glTF: skins, bones and motion in one file',
    '.usda': 'USD: positions of all points in every frame, as text',
    '.pc2': 'Point cache for 3ds Max and Blender',
    '.mdd': 'Point cache for LightWave and Blender',
    '.obj': 'One mesh for each frame',
};

/** Formats that the server writes, each with what it is: those that are known first. */
function formatChoices(extensions) {
    const endings = extensions.map(withDot);
    const known = Object.keys(FORMATS).filter((each) => endings.includes(each));
    const others = endings.filter((each) => !known.includes(each));
    return [...known, ...others].map((value) => ({
        value,
        label: FORMATS[value] ? `${value}   ${FORMATS[value]}` : value,
    }));
}

/** The request of an export, with only what the format knows. */
function exportRequest(slot, {path, replace}, choice) {
    const {first, last, bones, muscles} = choice;
    const request = {slot, path, replace, first, last, bones, muscles};
    if (path.toLowerCase().endsWith('.glb')) {
        request.glb = choice.glb;
    }
    if (choice.report) {
        request.report = path.replace(/\.[^./]*$/, '') + '.report.json';
    }
    return request;
}

export function exportDialog(studio, slot = studio.active) {
    const choice = {
        ending: '.glb',
        bones: false,
        muscles: false,
        glb: 'auto',
        report: false,
    };
    const keep = (key) => (value) => {
        choice[key] = value;
    };
    const glb = choiceField({
        label: 'Motion',
        value: choice.glb,
        choices: [
            {value: 'auto', label: 'Automatic: skinning where it is exact'},
            {value: 'skinned', label: 'Skinning: small files, approximate'},
            {value: 'morph', label: 'Morph targets: exact, large files'},
        ],
        onDone: keep('glb'),
    });
    const format = choiceField({
        label: 'Format',
        value: choice.ending,
        choices: formatChoices(studio.welcome?.extensions.export ?? []),
        onDone: (ending) => {
            choice.ending = ending;
            glb.element.hidden = ending !== '.glb';
        },
    });
    dialog({
        title: 'Export',
        body: h(
            'div',
            {class: 'form'},
            format,
            glb,
            rangeFields(choice, slot),
            toggleField({label: 'Bones and tissues', value: false, onDone: keep('bones')}),
            toggleField({label: 'Muscles', value: false, onDone: keep('muscles')}),
            toggleField({
                label: 'Measurement report',
                value: false,
                onDone: keep('report'),
                help:
                    'Also writes a .json file beside it, with lengths, volumes and times of ' +
                    'every frame.',
            })
        ),
        actions: [
            {label: 'Cancel'},
            {
                label: 'Choose a file…',
                primary: true,
                run: () => startExport(studio, slot, choice),
            },
        ],
    });
}

async function startExport(studio, slot, choice) {
    const endings = [choice.ending];
    const chosen = await chooseFile(studio, {
        title: 'Export',
        action: 'Export',
        save: true,
        name: nameFor(slot, choice.ending),
        filters: [{label: choice.ending, endings}],
        folder: folderOfSlot(slot),
    });
    if (chosen === null) {
        return false;
    }
    const job = await attempt(studio, 'export', exportRequest(slot.index, chosen, choice));
    return job !== undefined;
}
