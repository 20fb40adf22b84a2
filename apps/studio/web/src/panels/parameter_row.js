// SPDX-License-Identifier: Apache-2.0
//
// A parameter that is played with: its slider, whether it is held, and buttons to let it go and to
// put a keyframe.
import {h} from '../core/dom.js';
import {iconButton, numberField} from '../core/widgets.js';
import {heldName, heldValue} from './logic/joints.js';
import {keyNow} from './keying.js';
import {newest} from './newest.js';

/**
 * @param {{name, title, low, high, rest, unit, reason}} parameter; reason: why it cannot be set
 * @returns {{element, show(value)}} show takes the value that the frame has, in the unit
 */
export function parameterRow(studio, parameter) {
    const {name, title, reason} = parameter;
    const hold = newest((values) => studio.hold(values));
    const field = numberField({
        label: title,
        low: parameter.low,
        high: parameter.high,
        standard: parameter.rest,
        unit: parameter.unit,
        help: [name, reason].filter(Boolean).join('\n'),
        onInput: (value) => hold({[name]: value})
    });
    field.box.setAttribute('aria-label', name);
    const release = iconButton({
        icon: 'close',
        label: `Release ${name}`,
        onClick: () => studio.release([heldName(studio.active.held, name)])
    });
    const key = iconButton({
        icon: 'key',
        label: `Key ${name} at this frame`,
        disabled: Boolean(reason),
        onClick: () => keyNow(studio, {[name]: field.value})
    });
    key.classList.add('key-button');
    const now = h('span', {class: 'value-now', 'aria-hidden': 'true'});
    const element = h(
        'div',
        {class: 'parameter-row', dataset: {parameter: name}},
        field.element,
        now,
        release,
        key
    );
    field.setDisabled(Boolean(reason));
    element.classList.toggle('driven', Boolean(reason));

    function show(value) {
        const held = heldValue(studio.active.held, name);
        element.classList.toggle('held', held !== undefined);
        release.hidden = held === undefined;
        const differs = held !== undefined && value !== undefined && Math.abs(held - value) > 1e-6;
        now.textContent = differs ? `now ${Number(value.toFixed(3))}` : '';
        if (!hold.busy()) {
            field.set(held ?? value ?? parameter.rest);
        }
    }

    return {element, show, name};
}
