// SPDX-License-Identifier: Apache-2.0
//
// A value as JSON text: takes all that no other field can.
import {h} from '../core/dom.js';
import {button} from '../core/widgets.js';

function pretty(value) {
    return value === undefined ? '' : JSON.stringify(value, null, 2);
}

/** @param {{label}} options */
export function jsonField(context, path, {label}) {
    let shown = pretty(context.get(path));
    const problem = h('div', {class: 'problem', role: 'alert', hidden: true});
    const area = h('textarea', {
        class: 'json-text',
        rows: Math.min(14, shown.split('\n').length + 1),
        spellcheck: 'false',
        'aria-label': `${label} as JSON`,
        value: shown,
        oninput: () => changed()
    });
    const apply = button({label: 'Apply', primary: true, disabled: true, onClick: () => take()});
    const revert = button({label: 'Revert', disabled: true, onClick: () => show(true)});
    const setError = (text) => {
        problem.textContent = text ?? '';
        problem.hidden = !text;
    };
    function changed() {
        const same = area.value === shown;
        apply.disabled = same;
        revert.disabled = same;
    }
    function show(force) {
        const untouched = area.value === shown;
        shown = pretty(context.get(path));
        if (force || untouched) {
            area.value = shown;
            setError(null);
        }
        changed();
    }
    async function take() {
        let value;
        try {
            value = JSON.parse(area.value);
        } catch (error) {
            setError(error.message);
            return;
        }
        if (await context.change(path, value)) {
            show(true);
        }
        context.settle();
    }
    const element = h(
        'div',
        {class: 'json-field'},
        area,
        problem,
        h('div', {class: 'row'}, apply, revert)
    );
    return {element, setError, update: () => show(false)};
}
