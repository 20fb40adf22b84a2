// SPDX-License-Identifier: Apache-2.0
//
// The window of a driver mesh: a coarse stand-in of the skins, bound to the skeleton, made by a job.
import {h} from '../core/dom.js';
import {resultOf, startJob} from '../core/job.js';
import {choiceField, dialog, numberField, textField, toggleField} from '../core/widgets.js';
import {nameFor} from '../files/actions.js';
import {chooseFile, folderOfSlot} from '../files/browser.js';
import {skinNames} from './reasons.js';
import {showDriver} from './show.js';
import {driverText} from './texts.js';

const ALL = 'All';

/** Numbers of a driver, with the limits of `sinew driver`. */
const NUMBERS = [
    {
        key: 'faces',
        label: 'Triangles',
        standard: 1000,
        low: 4,
        high: 1e9,
        usual: [100, 5000],
        whole: true,
        help: 'How many triangles the mesh gets.',
    },
    {
        key: 'detail',
        label: 'Detail at joints',
        standard: 3,
        low: 1,
        high: 1000,
        usual: [1, 10],
        help: 'How many times denser the points are near joints.',
    },
    {
        key: 'weld',
        label: 'Weld',
        standard: 1e-5,
        low: 0,
        high: 0.999,
        slider: false,
        digits: 8,
        help: 'Points closer together than this fraction of the body size are merged.',
    },
];

const BINDINGS = [
    {value: 'skin', label: 'Copied: the weights of the skin'},
    {value: 'smooth', label: 'Smooth: nearby limbs share each point'},
    {value: 'rigid', label: 'Rigid: the closest limb only'},
];

/** Names in a text with commas between them. */
function namesOf(text) {
    return text
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '');
}

/** The request of a driver mesh; what was not chosen is left to the server. */
function driverRequest(slot, {path, replace}, choice) {
    const {skin, limbs, ...numbers} = choice;
    return {
        slot,
        path,
        replace,
        ...numbers,
        ...(skin === ALL ? {} : {skins: [skin]}),
        ...(namesOf(limbs).length > 0 ? {limbs: namesOf(limbs)} : {}),
    };
}

export function driverDialog(studio, slot = studio.active) {
    const skins = skinNames(slot.model);
    const choice = {skin: ALL, limbs: '', binding: 'skin', document: true};
    const keep = (key) => (value) => {
        choice[key] = value;
    };
    const problem = h('p', {class: 'problem', role: 'alert'});
    dialog({
        title: 'Driver mesh',
        body: h(
            'div',
            {class: 'form'},
            h(
                'p',
                {class: 'help'},
                'Makes a coarse copy of the skin, bound to the skeleton. The skin then ' +
                    'follows it through a wrap instead of its own weights, so that you can ' +
                    'shape a few points instead of all of them.'
            ),
            skins.length > 1 &&
                choiceField({
                    label: 'Skin',
                    value: ALL,
                    choices: [ALL, ...skins],
                    help: 'Several skins become one driver mesh.',
                    onDone: keep('skin'),
                }),
            NUMBERS.map((each) =>
                numberField({
                    ...each,
                    value: each.standard,
                    onInput: keep(each.key),
                    onDone: keep(each.key),
                })
            ),
            choiceField({
                label: 'Binding',
                value: choice.binding,
                choices: BINDINGS,
                onDone: keep('binding'),
            }),
            textField({
                label: 'Limbs',
                placeholder: 'all segments with weights',
                help: 'Names of the segments that move it, separated by commas.',
                onInput: keep('limbs'),
            }),
            toggleField({
                label: 'Drive the skin',
                value: true,
                help: 'If this is off, only the file is written.',
                onDone: keep('document'),
            }),
            problem
        ),
        actions: [
            {label: 'Cancel'},
            {
                label: 'Choose a file…',
                primary: true,
                run: () => startDriver(studio, slot, choice, problem),
            },
        ],
    });
}

/** @returns {Promise<boolean>} whether it goes on, and the window can close */
async function startDriver(studio, slot, choice, problem) {
    const endings = choice.document ? ['.glb'] : ['.glb', '.obj'];
    const chosen = await chooseFile(studio, {
        title: 'Driver mesh',
        action: 'Make',
        save: true,
        name: nameFor(slot, '-driver.glb'),
        filters: [{label: 'Meshes', endings}],
        folder: folderOfSlot(slot),
    });
    if (chosen === null) {
        return false;
    }
    try {
        const request = driverRequest(slot.index, chosen, choice);
        const job = await startJob(studio, 'driver_mesh', request);
        resultOf(studio, job).then((result) => tell(studio, result, choice.document));
        return true;
    } catch (error) {
        problem.textContent = error.text ?? error.message;
        return false;
    }
}

function tell(studio, result, moves) {
    if (result === null) {
        return;
    }
    if (moves) {
        showDriver(studio);
    }
    studio.notice(driverText(result, moves));
}
