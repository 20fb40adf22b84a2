// SPDX-License-Identifier: Apache-2.0
//
// Fields of single values: numbers, choices, toggles, texts, names, vectors. A field is {element,
// update(), setError(text)}; update shows what the document says now.
import {h} from '../core/dom.js';
import {
    choiceField,
    iconButton,
    lengthField,
    numberField,
    textField,
    toggleField
} from '../core/widgets.js';
import {child, last} from '../document/pointer.js';
import {namesFrom} from '../document/schema.js';
import {defaultOf, helpOf, isLength, keyTitle, unitOf} from './logic/form.js';
import {pickField} from './pick-field.js';

const AXES = {2: ['low', 'high'], 3: ['x', 'y', 'z'], 4: ['x', 'y', 'z', 'w']};

/**
 * Puts a reset button behind a field that may be absent, and marks what the document says itself.
 */
function withReset(context, path, field, {required}) {
    const reset = iconButton({
        icon: 'reset',
        label: `Reset ${keyTitle(last(path))}`,
        onClick: () => context.remove(path)
    });
    reset.classList.add('field-reset');
    const element = h('div', {class: 'form-row', dataset: {path}}, field.element, reset);
    return {
        ...field,
        element,
        mark(value) {
            element.classList.toggle('unset', value === undefined);
            reset.hidden = required || value === undefined;
        }
    };
}

function numberRow(context, path, schema, label) {
    const make = isLength(schema) ? lengthField : numberField;
    const field = make({
        label,
        low: schema.minimum,
        high: schema.maximum,
        standard: defaultOf(schema),
        value: context.get(path),
        unit: unitOf(schema),
        usual: schema['x-usual'],
        whole: schema.type === 'integer',
        help: helpOf(schema),
        digits: 6,
        onInput: (value) => context.change(path, value, {live: true}),
        onDone: () => context.settle()
    });
    return {...field, show: (value) => field.set(value)};
}

function choiceRow(context, path, schema, label) {
    const standard = defaultOf(schema);
    const unset = {value: '', label: standard === undefined ? '–' : `${standard} (default)`};
    const field = choiceField({
        label,
        choices: [
            unset,
            ...schema.enum.map((value) => ({value: String(value), label: String(value)}))
        ],
        value: '',
        help: helpOf(schema),
        onDone: (text) => {
            const chosen = schema.enum.find((value) => String(value) === text);
            chosen === undefined ? context.remove(path) : context.change(path, chosen);
        }
    });
    return {...field, show: (value) => field.set(value === undefined ? '' : String(value))};
}

function toggleRow(context, path, schema, label) {
    const field = toggleField({
        label,
        help: helpOf(schema),
        onDone: (value) => context.change(path, value)
    });
    const standard = defaultOf(schema) ?? last(path) === 'show';
    return {...field, show: (value) => field.set(value ?? standard)};
}

function textRow(context, path, schema, label) {
    const field = textField({
        label,
        multiline: last(path) === 'about',
        help: helpOf(schema),
        placeholder: defaultOf(schema),
        onDone: (text) => (text === '' ? context.remove(path) : context.change(path, text))
    });
    return {...field, show: (value) => field.set(value ?? '')};
}

function nameRow(context, path, schema, label, {required}) {
    const field = pickField({
        label,
        none: !required,
        names: () => context.names(namesFrom(schema)),
        help: helpOf(schema),
        onDone: (name) => (name === null ? context.remove(path) : context.change(path, name))
    });
    return {...field, show: (value) => field.set(value ?? null)};
}

function vectorRow(context, path, schema, label) {
    const titles = AXES[schema.maxItems] ?? Array.from({length: schema.maxItems}, (_, i) => i + 1);
    const now = () => context.get(path) ?? defaultOf(schema) ?? titles.map(() => 0);
    const boxes = titles.map((title, index) => {
        const box = numberField({
            label: String(title),
            slider: false,
            low: schema.items.minimum,
            high: schema.items.maximum,
            value: now()[index],
            digits: 6,
            onInput: (value) => context.change(path, now().with(index, value), {live: true}),
            onDone: () => context.settle()
        });
        box.box.setAttribute('aria-label', `${label} ${title}`);
        context.register(child(path, index), box);
        return box;
    });
    const problem = h('div', {class: 'problem', role: 'alert', hidden: true});
    const heading = h('span', {class: 'label', title: helpOf(schema)}, label);
    const unit = h('span', {class: 'unit'}, unitOf(schema));
    const element = h(
        'div',
        {class: `field vector vector-${titles.length}`, role: 'group', 'aria-label': label},
        heading,
        h('div', {class: 'vector-boxes'}, boxes, unit),
        problem
    );
    return {
        element,
        setError(text) {
            problem.textContent = text ?? '';
            problem.hidden = !text;
        },
        show: () => boxes.forEach((box, index) => box.set(now()[index]))
    };
}

function fixedRow(context, path, schema, label) {
    const text = h('span', {class: 'fixed'}, String(schema.const));
    const heading = h('span', {class: 'label'}, label);
    return {element: h('div', {class: 'field fixed'}, heading, text), show: () => {}};
}

const ROWS = {
    number: numberRow,
    choice: choiceRow,
    toggle: toggleRow,
    text: textRow,
    name: nameRow,
    vector: vectorRow,
    fixed: fixedRow
};

export const SIMPLE_KINDS = new Set(Object.keys(ROWS));

/** The field of a single value. @param {{kind, label, required}} options */
export function simpleField(context, path, schema, {kind, label, required}) {
    const row = ROWS[kind](context, path, schema, label, {required});
    const field = withReset(context, path, row, {required: required || kind === 'fixed'});
    field.update = () => {
        if (context.isRefused(path)) {
            return;
        }
        const value = context.get(path);
        row.show(value);
        field.mark(value);
    };
    field.update();
    context.register(path, field);
    return field;
}
