// SPDX-License-Identifier: Apache-2.0
//
// The part of a clip that is written.
import {numberField} from '../core/widgets.js';

/** Fields of the first and the last frame; `choice` gets what they say. */
export function rangeFields(choice, first, last) {
    Object.assign(choice, {first, last});
    const frame = (label, key) =>
        numberField({
            label,
            value: choice[key],
            low: first,
            high: last,
            usual: [first, last],
            standard: choice[key],
            whole: true,
            onInput: (value) => {
                choice[key] = value;
            },
            onDone: (value) => {
                choice[key] = value;
            },
        });
    return [frame('First frame', 'first'), frame('Last frame', 'last')];
}
