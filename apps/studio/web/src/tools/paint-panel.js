// SPDX-License-Identifier: Apache-2.0
//
// The controls of the brush.
import {h} from '../core/dom.js';
import {numberField, toggleField} from '../core/widgets.js';
import {MODES} from './paint-stroke.js';

const TITLES = {add: 'Add', subtract: 'Subtract', replace: 'Replace', smooth: 'Smooth'};

/** Radius, strength and, where they are asked for, modes, target and mirror. */
export function brushFields(
    brush,
    {modes = true, strength = true, mirror = true, onChange = () => null} = {}
) {
    const set = (name) => (value) => {
        brush.set(name, value);
        onChange();
    };
    const target = numberField({
        label: 'Value',
        value: brush.target,
        low: 0,
        high: 1,
        standard: 1,
        onInput: set('target'),
        onDone: set('target'),
    });
    target.element.hidden = brush.mode !== 'replace';
    return h(
        'div',
        {class: 'brush-fields'},
        modes &&
            modeButtons(brush, (mode) => {
                brush.set('mode', mode);
                target.element.hidden = mode !== 'replace';
                onChange();
            }),
        modes && target,
        numberField({
            label: 'Radius',
            value: brush.radius,
            low: 4,
            high: 400,
            standard: 40,
            unit: 'px',
            whole: true,
            help: 'Or press F, move the pointer and click.',
            onInput: set('radius'),
            onDone: set('radius'),
        }),
        strength &&
            numberField({
                label: 'Strength',
                value: brush.strength,
                low: 0.01,
                high: 1,
                standard: 0.5,
                help: 'Or press Shift+F, move the pointer and click.',
                onInput: set('strength'),
                onDone: set('strength'),
            }),
        mirror &&
            toggleField({
                label: 'Mirror across x',
                value: brush.mirror,
                onDone: set('mirror'),
                help:
                    'Paints the other side as well; for a left segment that is the right one.',
            })
    );
}

function modeButtons(brush, onChoose) {
    const buttons = MODES.map((mode) =>
        h(
            'button',
            {
                type: 'button',
                'aria-pressed': String(mode === brush.mode),
                onclick: () => {
                    onChoose(mode);
                    buttons.forEach((each, i) =>
                        each.setAttribute('aria-pressed', String(MODES[i] === mode))
                    );
                },
            },
            TITLES[mode]
        )
    );
    return h('div', {class: 'brush-modes', role: 'group', 'aria-label': 'Brush'}, buttons);
}
