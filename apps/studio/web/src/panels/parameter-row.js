// SPDX-License-Identifier: Apache-2.0
//
// A parameter that is played with, or several alike, such as those of left and right: the slider,
// whether it is held, and buttons to let it go and to put a keyframe.
import {h} from '../core/dom.js';
import {newGesture} from '../core/gesture.js';
import {keyNow} from '../core/keying.js';
import {iconButton, numberField, shiftField} from '../core/widgets.js';

class ParameterRow {
    constructor(studio, parameter) {
        this.studio = studio;
        this.parameter = parameter;
        this.names = parameter.names ?? [parameter.name];
        this.underWay = 0;
        this.gesture = newGesture();
        this.field = this.makeField();
        this.now = h('span', {class: 'value-now', 'aria-hidden': 'true'});
        this.release = iconButton({
            icon: 'close',
            label: `Release ${this.called}`,
            onClick: () => studio.release(this.names)
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

    get called() {
        return this.names.join(' and ');
    }

    // The same value for all of them.
    valuesOf(value) {
        return Object.fromEntries(this.names.map((name) => [name, value]));
    }

    makeField() {
        const {title, low, high, rest, unit, reason} = this.parameter;
        const field = (unit === 'm' ? shiftField : numberField)({
            label: title,
            low,
            high,
            standard: rest,
            unit,
            digits: unit === '°' ? 2 : 4,
            help: [...this.names, reason].filter(Boolean).join('\n'),
            onInput: (value) => this.hold(value),
            onDone: () => {
                this.gesture = newGesture();
            }
        });
        field.box.setAttribute('aria-label', this.called);
        field.setDisabled(Boolean(reason));
        return field;
    }

    /** A drag is one step of undo. */
    async hold(value) {
        this.underWay++;
        // What the server refuses is shown by the studio; the next value may be fine.
        await this.studio.hold(this.valuesOf(value), {merge: this.gesture})
            .catch(() => {});
        this.underWay--;
    }

    keyButton() {
        const {reason} = this.parameter;
        const key = iconButton({
            icon: 'key',
            label: `Key ${this.called} at this frame`,
            disabled: Boolean(reason),
            onClick: () => keyNow(this.studio, this.valuesOf(this.field.value))
        });
        key.classList.add('key-button');
        return key;
    }

    /** @param {number|undefined} value that the frame has, in the unit of the parameter */
    show(value) {
        const held = this.studio.active.held[this.parameter.name];
        this.showValues(held ?? value, held === undefined ? undefined : value);
    }

    /** Of several that differ, or to which others add: what is set, and what comes out (if known). */
    showValues(set, result) {
        const held = this.names.some((name) => this.studio.active.held[name] !== undefined);
        this.element.classList.toggle('held', held);
        this.release.hidden = !held;
        const differs = result !== undefined && set !== undefined && Math.abs(set - result) > 1e-6;
        this.now.textContent = differs ? `now ${this.field.textOf(result)}` : '';
        if (this.underWay === 0) {
            this.field.set(set ?? this.parameter.rest);
        }
    }
}

/**
 * @param {{name, names, title, low, high, rest, unit, reason}} parameter; names: where one slider
 * moves several; reason: why it cannot be set
 */
export function parameterRow(studio, parameter) {
    return new ParameterRow(studio, parameter);
}
