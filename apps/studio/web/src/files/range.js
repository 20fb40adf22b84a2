// SPDX-License-Identifier: Apache-2.0
//
// The part of a clip that is written.
import {numberField} from '../core/widgets.js';

/** All frames of a character's own clip: the playhead may go further, for one beside it. */
export function rangeOf({model}) {
    return {first: 0, last: (model?.clip?.frames ?? 1) - 1};
}

/** Fields of the first and the last frame; `choice` gets what they say. */
export function rangeFields(choice, slot) {
    const {first, last} = rangeOf(slot);
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
