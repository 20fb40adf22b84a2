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
        help: 'As many are aimed for',
    },
    {
        key: 'detail',
        label: 'Detail at joints',
        standard: 3,
        low: 1,
        high: 1000,
        usual: [1, 10],
        help: 'How many times denser points stand at joints',
    },
    {
        key: 'weld',
        label: 'Weld',
        standard: 1e-5,
        low: 0,
        high: 0.999,
        slider: false,
        digits: 8,
        help: 'Points closer than this part of the size become one',
    },
];

const BINDINGS = [
    {value: 'smooth', label: 'Smooth: near limbs share a point'},
    {value: 'rigid', label: 'Rigid: the closest limb alone'},
    {value: 'skin', label: 'The weights of the skin'},
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
    const choice = {skin: ALL, limbs: '', binding: 'smooth', document: true};
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
                'A coarse stand-in of the skin, bound to the skeleton. The skin follows it by a ' +
                    'wrap, in place of its blend; few points of it can be posed instead of all.'
            ),
            skins.length > 1 &&
                choiceField({
                    label: 'Skin',
                    value: ALL,
                    choices: [ALL, ...skins],
                    help: 'Several are stitched together',
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
                placeholder: 'all that the skin hangs on',
                help: 'Segments that count as limbs, with commas between them',
                onInput: keep('limbs'),
            }),
            toggleField({
                label: 'Moves the skin',
                value: true,
                help: 'Else the file alone is written',
                onDone: keep('document'),
            }),
            problem
        ),
        actions: [
            {label: 'Cancel'},
            {
                label: 'Choose where',
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
