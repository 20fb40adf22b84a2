// SPDX-License-Identifier: Apache-2.0
//
// The window of an extraction: a skin around bones, tissues and muscles, made by a job.
import {h} from '../core/dom.js';
import {dialog, numberField, textField} from '../core/widgets.js';
import {freeName} from '../document/names.js';
import {attempt} from './actions.js';

/** Numbers of an extraction (docs/extraction.md). */
const NUMBERS = [
    {
        key: 'dimension',
        label: 'Resolution',
        standard: 225,
        low: 8,
        high: 1000,
        whole: true,
        help:
            'Grid cells along the longest side of the body. More cells give more detail and ' +
            'take longer.',
    },
    {
        key: 'filter',
        label: 'Smoothing',
        standard: 3.2,
        low: 0,
        high: 32,
        help: 'How far the body is smoothed, in grid cells.',
    },
    {
        key: 'threshold',
        label: 'Threshold',
        standard: 35,
        low: 0,
        high: 200,
        help: 'Density at which the skin lies. A smaller value makes the body thicker.',
    },
    {
        key: 'relax',
        label: 'Relaxation',
        standard: 3,
        low: 0,
        high: 64,
        whole: true,
        help: 'How many times the mesh is evened out.',
    },
];

export function extractDialog(studio, slot = studio.active) {
    const choice = {name: freeName('extracted', Object.keys(slot.document.skins ?? {}))};
    const keep = (key) => (value) => {
        choice[key] = value;
    };
    dialog({
        title: 'Extract a skin',
        body: h(
            'div',
            {class: 'form'},
            h(
                'p',
                {class: 'help'},
                'Makes a skin around the bones, tissues and muscles of the character.'
            ),
            textField({label: 'Name', value: choice.name, onInput: keep('name')}),
            NUMBERS.map((each) =>
                numberField({
                    ...each,
                    value: each.standard,
                    onInput: keep(each.key),
                    onDone: keep(each.key),
                })
            )
        ),
        actions: [
            {label: 'Cancel'},
            {
                label: 'Extract',
                primary: true,
                run: async () => {
                    const job = await attempt(studio, 'extract', {
                        slot: slot.index,
                        document: true,
                        ...choice,
                    });
                    return job !== undefined;
                },
            },
        ],
    });
}
