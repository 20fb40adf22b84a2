// SPDX-License-Identifier: Apache-2.0
//
// A value as JSON text: takes all that no other field can.
import {h} from '../core/dom.js';
import {button} from '../core/widgets.js';
import {refusal} from './form-context.js';

function pretty(value) {
    return value === undefined ? '' : JSON.stringify(value, null, 2);
}

class JsonField {
    constructor(context, path, label) {
        this.context = context;
        this.path = path;
        this.shown = pretty(context.get(path));
        this.problem = h('div', {class: 'problem', role: 'alert', hidden: true});
        this.area = h('textarea', {
            class: 'json-text',
            rows: Math.min(14, this.shown.split('\n').length + 1),
            spellcheck: 'false',
            'aria-label': `${label} as JSON`,
            value: this.shown,
            oninput: () => this.changed()
        });
        this.apply = button({label: 'Apply', primary: true, onClick: () => this.take()});
        this.revert = button({label: 'Revert', onClick: () => this.show(true)});
        const buttons = h('div', {class: 'row'}, this.apply, this.revert);
        this.element = h('div', {class: 'json-field'}, this.area, this.problem, buttons);
        this.changed();
    }

    setError(text) {
        this.problem.textContent = text ?? '';
        this.problem.hidden = !text;
    }

    changed() {
        const same = this.area.value === this.shown;
        this.apply.disabled = same;
        this.revert.disabled = same;
    }

    /** Shows the document's value, unless the user has begun to write another. */
    show(force = false) {
        const untouched = this.area.value === this.shown;
        this.shown = pretty(this.context.get(this.path));
        if (force || untouched) {
            this.area.value = this.shown;
            this.setError(null);
        }
        this.changed();
    }

    update() {
        this.show();
    }

    async take() {
        let value;
        try {
            value = JSON.parse(this.area.value);
        } catch (error) {
            this.setError(error.message);
            return;
        }
        if (await this.context.change(this.path, value)) {
            this.show(true);
        } else {
            this.setError(refusal(this.context.lastError, this.path));
        }
        this.context.settle();
    }
}

/** @param {{label}} options */
export function jsonField(context, path, {label}) {
    return new JsonField(context, path, label);
}
