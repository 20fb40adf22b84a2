// SPDX-License-Identifier: Apache-2.0
//
// The window that proposes muscles for the whole body, made by a job.
import {h} from '../core/dom.js';
import {resultOf, startJob} from '../core/job.js';
import {choiceField, dialog, numberField} from '../core/widgets.js';
import {skinNames} from './reasons.js';
import {showMuscles} from './show.js';
import {layoutText} from './texts.js';

/** Numbers of a proposal, with the limits of `sinew propose`. */
const NUMBERS = [
    {
        key: 'smallest',
        label: 'Smallest limb',
        standard: 0.04,
        low: 0,
        high: 1,
        usual: [0, 0.2],
        help: 'Limbs shorter than this fraction of the body size get no muscles.',
    },
    {
        key: 'thickness',
        label: 'Thickness',
        standard: 1,
        low: 0.01,
        high: 2,
        help: 'A factor for the thickness of all muscles.',
    },
];

export function proposeDialog(studio, slot = studio.active) {
    const skins = skinNames(slot.model);
    const choice = {skin: skins[0]};
    const keep = (key) => (value) => {
        choice[key] = value;
    };
    const problem = h('p', {class: 'problem', role: 'alert'});
    dialog({
        title: 'Muscles for the whole body',
        body: h(
            'div',
            {class: 'form'},
            h(
                'p',
                {class: 'help'},
                'Adds a flexor and an extensor for every limb joint, and muscles over shoulders, ' +
                    'hips, chest and back. Each is driven by its joint. You can change or delete ' +
                    'them one by one.'
            ),
            skins.length > 1 &&
                choiceField({label: 'Skin', value: choice.skin, choices: skins, onDone: keep('skin')}),
            NUMBERS.map((each) =>
                numberField({
                    ...each,
                    value: each.standard,
                    onInput: keep(each.key),
                    onDone: keep(each.key),
                })
            ),
            problem
        ),
        actions: [
            {label: 'Cancel'},
            {label: 'Add muscles', primary: true, run: () => propose(studio, slot, choice, problem)},
        ],
    });
}

/** @returns {Promise<boolean>} whether it goes on, and the window can close */
async function propose(studio, slot, choice, problem) {
    try {
        const job = await startJob(studio, 'propose', {slot: slot.index, ...choice});
        resultOf(studio, job).then((result) => {
            if (result !== null) {
                showMuscles(studio);
                studio.notice(layoutText(result));
            }
        });
        return true;
    } catch (error) {
        problem.textContent = error.text ?? error.message;
        return false;
    }
}
