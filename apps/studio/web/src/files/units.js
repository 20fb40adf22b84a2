// SPDX-License-Identifier: Apache-2.0
//
// Models whose size or place says that they were made in another unit, or with another axis up. The
// server guesses when it has imported one; the user decides.
import {h} from '../core/dom.js';
import {resultOf} from '../core/job.js';
import {choiceField, dialog} from '../core/widgets.js';
import {baseName} from './paths.js';

const UNITS = [
    {value: '1', label: 'metres'},
    {value: '0.1', label: 'decimetres'},
    {value: '0.01', label: 'centimetres'},
    {value: '0.001', label: 'millimetres'},
    {value: '0.0254', label: 'inches'},
    {value: '0.3048', label: 'feet'},
    {value: '100', label: 'hundreds of metres'},
];

const AXES = [
    {value: 'y', label: 'Y'},
    {value: 'z', label: 'Z'},
];

/** A length in words: 184.81 -> "185 m". */
function lengthText(metres) {
    return `${Number(metres.toPrecision(3))} m`;
}

/** What the server has guessed of a model, in words. */
function guessText({height, size, unit, up}) {
    const named = UNITS.find((each) => Number(each.value) === unit)?.label;
    const parts = [];
    if (unit !== 1) {
        parts.push(
            `It is ${lengthText(height)} tall and ${lengthText(size)} in its longest direction. ` +
                `Probably its file is in ${named}.`
        );
    }
    if (up === 'z') {
        parts.push('It stands on the plane of Z = 0. Probably Z points up in its file.');
    }
    return parts.join(' ');
}

/** Asks for unit and axis once an import has ended whose model does not look like a body. */
export async function askUnitsAfter(studio, job, again, path) {
    const result = await resultOf(studio, job);
    if (result?.guess === undefined) {
        return;
    }
    const choice = {unit: String(result.guess.unit), up: result.guess.up};
    const unit = choiceField({
        label: 'Unit of the file',
        value: choice.unit,
        choices: UNITS,
        onDone: (value) => (choice.unit = value),
    });
    const up = choiceField({
        label: 'Axis that points up in the file',
        value: choice.up,
        choices: AXES,
        onDone: (value) => (choice.up = value),
    });
    dialog({
        title: `Units of "${baseName(path)}"`,
        body: h('div', {}, h('p', {}, guessText(result.guess)), unit.element, up.element),
        actions: [
            {label: 'Keep as it is'},
            {
                label: 'Import again',
                primary: true,
                run: () => again({unit: Number(choice.unit), up: choice.up}),
            },
        ],
    });
}
