// SPDX-License-Identifier: Apache-2.0
//
// Picks one of the names of the document: from a list where there are few, by typing with proposals
// where there are many.
import {h, uniqueId} from '../core/dom.js';
import {nameField, textField} from '../core/widgets.js';

const MOST_IN_A_LIST = 40;

function typedField({label, value, names, none, help, onDone}) {
    const proposals = h('datalist', {id: uniqueId('names')});
    const field = textField({
        label,
        value: value ?? '',
        help,
        onDone: (text) => (text === '' ? none && onDone(null) : onDone(text))
    });
    field.control.setAttribute('list', proposals.id);
    field.control.addEventListener('focus', () => {
        proposals.replaceChildren(...names().map((name) => h('option', {value: name})));
    });
    field.element.append(proposals);
    return field;
}

/** @param {{label, value, names: () => string[], none, help, onDone(name or null)}} options */
export function pickField(options) {
    return options.names().length > MOST_IN_A_LIST ? typedField(options) : nameField(options);
}
