// SPDX-License-Identifier: Apache-2.0
//
// The form of a value of the document, made from the schema alone.
import {h, setChildren} from '../core/dom.js';
import {choiceField} from '../core/widgets.js';
import {child, last} from '../document/pointer.js';
import {kindsOf} from '../document/schema.js';
import {SIMPLE_KINDS, simpleField} from './form-fields.js';
import {jsonField} from './form-json.js';
import {absentField, listField, mapField, tableField} from './form-lists.js';
import {
    defaultOf,
    fieldKind,
    formKeys,
    helpOf,
    isSeldom,
    keyTitle,
    startValue,
    unitOf
} from './logic/form.js';

const LISTS = {list: listField, map: mapField, table: tableField};

function isSimple(schema, value, kind) {
    const standard = value ?? defaultOf(schema);
    return SIMPLE_KINDS.has(kind) && (kind !== 'vector' || standard !== undefined);
}

/** What a field's elements depend on; where it changes, the field is made anew. */
function shapeOf(schema, value) {
    const kind = fieldKind(schema, value);
    if (kind === 'group' && value !== undefined) {
        return `group ${value.kind ?? ''}`;
    }
    if (isSimple(schema, value, kind)) {
        return `${kind} ${unitOf(schema)}`;
    }
    if (value === undefined) {
        return `${kind} absent`;
    }
    const entries = Array.isArray(value) ? value.length : JSON.stringify(Object.keys(value));
    return `${kind} ${kind === 'json' ? '' : entries}`;
}

function folded(label, path, schema, inner, open) {
    const element = h(
        'details',
        {class: 'form-group', open, dataset: {path}},
        h('summary', {title: helpOf(schema)}, label)
    );
    let field = null;
    const fill = () => {
        if (element.open && field === null) {
            field = inner();
            element.append(field.element);
        }
    };
    element.addEventListener('toggle', fill);
    fill();
    return {element, update: () => field?.update(), setError: (text) => field?.setError?.(text)};
}

function wholeField(context, path, {label, required, top = false}) {
    const schema = context.schemaAt(path);
    const value = context.get(path);
    const kind = fieldKind(schema, value);
    if (isSimple(schema, value, kind)) {
        return simpleField(context, path, schema, {kind, label, required});
    }
    if (value === undefined && !top) {
        return absentField(context, path, schema, {label});
    }
    if (LISTS[kind]) {
        return LISTS[kind](context, path, schema, {label, required}, slotField);
    }
    if (kind === 'group') {
        return top
            ? groupField(context, path)
            : foldedGroup(context, path, schema, {label, required});
    }
    return folded(label, path, schema, () => jsonField(context, path, {label}), top);
}

function foldedGroup(context, path, schema, {label, required}) {
    const field = folded(label, path, schema, () => groupField(context, path), false);
    if (!required) {
        const drop = h(
            'button',
            {
                type: 'button',
                class: 'quiet group-drop',
                'aria-label': `Reset ${label}`,
                onclick: () => context.remove(path)
            },
            'Reset'
        );
        field.element.querySelector('summary').append(drop);
    }
    return field;
}

/** The place of a field: when the shape of its value changes another field comes into it. */
function slotField(context, path, options) {
    const element = h('div', {class: 'form-slot'});
    let field = null;
    let shape = null;
    const update = () => {
        const now = shapeOf(context.schemaAt(path), context.get(path));
        if (now === shape) {
            field.update();
            return;
        }
        const open = element.firstElementChild?.open;
        shape = now;
        field = wholeField(context, path, options);
        if (open && 'open' in field.element) {
            field.element.open = true;
        }
        setChildren(element, field);
    };
    update();
    return {element, update, setError: (text) => field.setError?.(text)};
}

// Another kind keeps the keys that it knows, too, and gets those that it cannot be without.
function valueOfKind(value, schema, names) {
    const kept = Object.entries(value).filter(([key]) => key !== 'kind' && schema.properties[key]);
    return {...startValue(schema, names), ...Object.fromEntries(kept)};
}

function kindField(context, path, schema) {
    const kinds = kindsOf(schema);
    if (kinds.length < 2) {
        return null;
    }
    const field = choiceField({
        label: 'Kind',
        value: context.get(path).kind,
        choices: kinds.map(({kind}) => kind),
        help: helpOf(schema),
        onDone: (kind) => {
            const chosen = kinds.find((each) => each.kind === kind).schema;
            context.change(
                path,
                valueOfKind(context.get(path), chosen, (from) => context.names(from))
            );
        }
    });
    const where = child(path, 'kind');
    context.register(where, field);
    return {
        ...field,
        element: h('div', {class: 'form-row', dataset: {path: where}}, field.element),
        update: () => field.set(context.get(path)?.kind)
    };
}

function isShown({key, schema, set}) {
    return set || (!isSeldom(key) && defaultOf(schema) !== undefined);
}

// Puts the fields of keys into an element, in order; fields that are there stay untouched, so that
// a drag that sets a key is not torn off.
function showKeys(element, context, path, entries, fields) {
    const wanted = new Set(entries.map(({key}) => key));
    for (const [key, field] of fields) {
        if (!wanted.has(key)) {
            field.element.remove();
            fields.delete(key);
        }
    }
    let before = null;
    for (const {key, title, required} of entries) {
        if (!fields.has(key)) {
            const field = slotField(context, child(path, key), {label: title, required});
            before === null ? element.prepend(field.element) : before.after(field.element);
            fields.set(key, field);
        }
        before = fields.get(key).element;
    }
}

function moreField(context, path, rest) {
    const fields = new Map();
    const inner = h('div', {class: 'form-keys'});
    const update = () => showKeys(inner, context, path, rest(), fields);
    const field = folded(
        'More',
        path,
        {description: 'Keys that can be set besides.'},
        () => {
            update();
            return {element: inner, update};
        },
        false
    );
    return {
        ...field,
        update: () => {
            field.element.hidden = rest().length === 0;
            field.update();
        }
    };
}

/** All keys of an object: what is set or has a standard value, then, folded, what may be set. */
function groupField(context, path) {
    const kind = kindField(context, path, context.schemaAt(path));
    const keys = () =>
        formKeys(context.schemaAt(path), context.get(path)).filter(
            ({key}) => kind === null || key !== 'kind'
        );
    const fields = new Map();
    const body = h('div', {class: 'form-keys'});
    const more = moreField(context, path, () => keys().filter((entry) => !isShown(entry)));
    const problem = h('div', {class: 'problem', role: 'alert', hidden: true});
    const field = {
        element: h('div', {class: 'form-keys'}, problem, kind?.element, body, more.element),
        update() {
            kind?.update();
            showKeys(body, context, path, keys().filter(isShown), fields);
            fields.forEach((each) => each.update());
            more.update();
        },
        setError(text) {
            problem.textContent = text ?? '';
            problem.hidden = !text;
        }
    };
    field.update();
    context.register(path, field);
    return field;
}

/** The form of the value at a path: {element, update()}. */
export function form(context, path) {
    return slotField(context, path, {
        label: keyTitle(last(path), context.schemaAt(path)),
        required: true,
        top: true
    });
}
