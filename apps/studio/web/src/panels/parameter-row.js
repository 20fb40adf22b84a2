// SPDX-License-Identifier: Apache-2.0
//
// A parameter that is played with: its slider, whether it is held, and buttons to let it go and to
// put a keyframe.
import {h} from '../core/dom.js';
import {newGesture} from '../core/gesture.js';
import {keyNow} from '../core/keying.js';
import {iconButton, numberField, shiftField} from '../core/widgets.js';

class ParameterRow {
    constructor(studio, parameter) {
        this.studio = studio;
        this.parameter = parameter;
        this.underWay = 0;
        this.gesture = newGesture();
        this.field = this.makeField();
        this.now = h('span', {class: 'value-now', 'aria-hidden': 'true'});
        this.release = iconButton({
            icon: 'close',
            label: `Release ${parameter.name}`,
            onClick: () => studio.release([parameter.name])
        });
        const classes = `parameter-row ${parameter.reason ? 'driven' : ''}`;
        this.element = h(
            'div',
            {class: classes, dataset: {parameter: parameter.name}},
            this.field.element,
            this.now,
            this.release,
            this.keyButton()
        );
    }

    makeField() {
        const {name, title, low, high, rest, unit, reason} = this.parameter;
        const field = (unit === 'm' ? shiftField : numberField)({
            label: title,
            low,
            high,
            standard: rest,
            unit,
            digits: unit === '°' ? 2 : 4,
            help: [name, reason].filter(Boolean).join('\n'),
            onInput: (value) => this.hold(value),
            onDone: () => {
                this.gesture = newGesture();
            }
        });
        field.box.setAttribute('aria-label', name);
        field.setDisabled(Boolean(reason));
        return field;
    }

    /** A drag is one step of undo. */
    async hold(value) {
        this.underWay++;
        // What the server refuses is shown by the studio; the next value may be fine.
        await this.studio.hold({[this.parameter.name]: value}, {merge: this.gesture})
            .catch(() => {});
        this.underWay--;
    }

    keyButton() {
        const {name, reason} = this.parameter;
        const key = iconButton({
            icon: 'key',
            label: `Key ${name} at this frame`,
            disabled: Boolean(reason),
            onClick: () => keyNow(this.studio, {[name]: this.field.value})
        });
        key.classList.add('key-button');
        return key;
    }

    /** @param {number|undefined} value that the frame has, in the unit of the parameter */
    show(value) {
        const held = this.studio.active.held[this.parameter.name];
        this.element.classList.toggle('held', held !== undefined);
        this.release.hidden = held === undefined;
        const differs = held !== undefined && value !== undefined && Math.abs(held - value) > 1e-6;
        this.now.textContent = differs ? `now ${this.field.textOf(value)}` : '';
        if (this.underWay === 0) {
            this.field.set(held ?? value ?? this.parameter.rest);
        }
    }
}

/** @param {{name, title, low, high, rest, unit, reason}} parameter; reason: why it cannot be set */
export function parameterRow(studio, parameter) {
    return new ParameterRow(studio, parameter);
}
