// SPDX-License-Identifier: Apache-2.0
//
// The window of an extraction: a skin around bones, tissues and muscles, made by a job.
import {h} from '../core/dom.js';
import {dialog, numberField, textField} from '../core/widgets.js';
import {freeName} from '../document/names.js';
import {join} from '../document/pointer.js';
import {attempt} from './actions.js';

/**
 * Numbers of an extraction. All but where a slider ends is what the schema says of the same keys
 * in a document.
 */
const NUMBERS = [
    {key: 'dimension', usual: [8, 1000]},
    {key: 'filter', usual: [0, 32]},
    {key: 'threshold'},
    {key: 'relax', usual: [0, 64]},
];

function fieldOf(studio, slot, {key, usual}, keep) {
    const schema = studio.schemaAt(join('meshes', 'extracted', 'extract', key), slot);
    return numberField({
        label: schema.title,
        help: schema.description,
        low: schema.minimum,
        high: schema.maximum,
        usual,
        unit: schema.unit,
        whole: schema.type === 'integer',
        standard: schema.default,
        value: schema.default,
        onInput: keep(key),
        onDone: keep(key),
    });
}

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
            NUMBERS.map((each) => fieldOf(studio, slot, each, keep))
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
