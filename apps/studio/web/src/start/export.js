// SPDX-License-Identifier: Apache-2.0
//
// The windows of export and picture: what is to be written, then where.
import {h} from '../core/dom.js';
import {choiceField, dialog, numberField, toggleField} from '../core/widgets.js';
import {attempt, nameFor, withDot} from './actions.js';
import {chooseFile, folderOfSlot} from './browser.js';

/** What a format is good for, in the order in which they are offered. */
const FORMATS = {
    '.glb': 'glTF: skins, bones and motion in one file',
    '.usda': 'USD: points in every frame, as text',
    '.pc2': 'Point cache for 3ds Max and Blender',
    '.mdd': 'Point cache for LightWave and Blender',
    '.obj': 'One mesh for each frame',
};

/** Formats that the server writes, each with what it is: those that are known first. */
export function formatChoices(extensions) {
    const endings = extensions.map(withDot);
    const known = Object.keys(FORMATS).filter((each) => endings.includes(each));
    const others = endings.filter((each) => !known.includes(each));
    return [...known, ...others].map((value) => ({
        value,
        label: FORMATS[value] ? `${value}   ${FORMATS[value]}` : value,
    }));
}

/** The request of an export, with only what the format knows. */
export function exportRequest(slot, {path, replace}, choice) {
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
    const {first, last} = studio.time;
    const choice = {
        ending: '.glb',
        first,
        last,
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
            {value: 'auto', label: 'Skinned where that is exact'},
            {value: 'skinned', label: 'Skinned'},
            {value: 'morph', label: 'Morph targets: exact'},
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
    const frame = (label, key) =>
        numberField({
            label,
            value: choice[key],
            low: first,
            high: last,
            standard: choice[key],
            whole: true,
            onInput: keep(key),
            onDone: keep(key),
        });
    dialog({
        title: 'Export',
        body: h(
            'div',
            {class: 'form'},
            format,
            glb,
            frame('First frame', 'first'),
            frame('Last frame', 'last'),
            toggleField({label: 'Bones and tissues', value: false, onDone: keep('bones')}),
            toggleField({label: 'Muscles', value: false, onDone: keep('muscles')}),
            toggleField({
                label: 'Report beside it',
                value: false,
                onDone: keep('report'),
                help: 'A .json file with what was measured in each frame',
            })
        ),
        actions: [
            {label: 'Cancel'},
            {label: 'Choose where', primary: true, run: () => startExport(studio, slot, choice)},
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

const SIZES = ['640x400', '1280x720', '1920x1080', '3840x2160'];

/** A picture as `sinew render` draws it, seen as in the viewport. */
export function pictureDialog(studio, slot = studio.active) {
    const choice = {size: '1920x1080', quality: 'normal'};
    const keep = (key) => (value) => {
        choice[key] = value;
    };
    dialog({
        title: 'Picture',
        body: h(
            'div',
            {class: 'form'},
            choiceField({label: 'Size', value: choice.size, choices: SIZES, onDone: keep('size')}),
            choiceField({
                label: 'Quality',
                value: choice.quality,
                choices: ['draft', 'normal', 'high'],
                onDone: keep('quality'),
            }),
            h(
                'p',
                {class: 'help'},
                'Drawn with shadows, from where you look, with the layers that are shown.'
            )
        ),
        actions: [
            {label: 'Cancel'},
            {label: 'Choose where', primary: true, run: () => startPicture(studio, slot, choice)},
        ],
    });
}

async function startPicture(studio, slot, choice) {
    const chosen = await chooseFile(studio, {
        title: 'Picture',
        action: 'Draw',
        save: true,
        name: nameFor(slot, '.png'),
        filters: [{label: 'Pictures', endings: ['.png']}],
        folder: folderOfSlot(slot),
    });
    if (chosen === null) {
        return false;
    }
    const job = await attempt(studio, 'picture', {
        slot: slot.index,
        ...chosen,
        ...pictureRequest(studio, choice),
    });
    return job !== undefined;
}

const LAYER_NAMES = {skin: 'skin', muscle: 'muscles', tissue: 'tissues', bone: 'bones'};
const DEGREES = 180 / Math.PI;

/** What the viewport shows, as `picture` wants it. */
export function pictureRequest(studio, {size, quality}) {
    const {orbit, layers, wireframe} = studio.viewport;
    const [width, height] = size.split('x').map(Number);
    const show = Object.keys(LAYER_NAMES).filter((name) => layers[name].mode !== 'hidden');
    return {
        width,
        height,
        quality,
        wireframe,
        frame: studio.time.frame,
        azimuth: Math.atan2(Math.sin(orbit.azimuth), Math.cos(orbit.azimuth)) * DEGREES,
        elevation: Math.max(-89, Math.min(89, orbit.elevation * DEGREES)),
        show: show.map((name) => LAYER_NAMES[name]),
        opacity: layers.skin.mode === 'clear' ? layers.skin.opacity : 1,
    };
}
