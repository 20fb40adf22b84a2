// SPDX-License-Identifier: Apache-2.0
//
// Lists, maps by name and tables of numbers, with add, remove and reorder.
import {h} from '../core/dom.js';
import {button, iconButton, numberField, textField} from '../core/widgets.js';
import {freeName} from '../document/names.js';
import {insert, put, remove, rename} from '../document/ops.js';
import {child, last} from '../document/pointer.js';
import {namesFrom} from '../document/schema.js';
import {helpOf, startValue} from './logic/form.js';
import {pickField} from './pick-field.js';

/** What a row of a list or map is called. */
function entryTitle(value, key) {
    const known = value?.kind ?? value?.control ?? value?.name ?? value?.bone ?? value?.segment;
    return known === undefined ? String(key) : `${key} · ${known}`;
}

function problemBox() {
    const element = h('div', {class: 'problem', role: 'alert', hidden: true});
    const setError = (text) => {
        element.textContent = text ?? '';
        element.hidden = !text;
    };
    return {element, setError};
}

function small(icon, label, onClick, disabled = false) {
    return iconButton({icon, label, onClick, disabled});
}

function start(context, schema) {
    return startValue(schema, (from) => context.names(from));
}

/**
 * What all lists have: a heading with the count and buttons to add and to reset, a place for
 * errors, and the entries.
 * @param {{label, required, count, full, add, heads, entries: {element, update}[]}} parts
 */
function listFrame(context, path, schema, parts) {
    const {label, required, count, full = false, add, heads, entries} = parts;
    const problem = problemBox();
    const drop = !required && small('reset', `Reset ${label}`, () => context.remove(path));
    const heading = h(
        'div',
        {class: 'list-heading'},
        h('span', {class: 'label', title: helpOf(schema)}, `${label} (${count})`),
        h('span', {class: 'list-buttons'}, small('add', `Add to ${label}`, add, full), drop)
    );
    const body = h(
        'div',
        {class: 'list-entries'},
        entries.map((entry) => entry.element)
    );
    const field = {
        element: h(
            'div',
            {class: 'list-field', role: 'group', 'aria-label': label, dataset: {path}},
            heading,
            problem.element,
            heads,
            body
        ),
        setError: problem.setError,
        update: () => entries.forEach((entry) => entry.update())
    };
    context.register(path, field);
    return field;
}

function listButtons(context, path, index, count, what, least) {
    const move = (to) => {
        const value = context.get(child(path, index));
        const ops = [remove(child(path, index)), insert(child(path, to), value)];
        context.apply(path, ops, 'Reorder');
    };
    const drop = () => context.apply(path, [remove(child(path, index))], 'Remove from');
    return [
        small('up', `Move ${what} up`, () => move(index - 1), index === 0),
        small('down', `Move ${what} down`, () => move(index + 1), index === count - 1),
        small('trash', `Remove ${what}`, drop, count <= least)
    ];
}

/** @param {(context, path, options) => field} make makes the field of an entry */
export function listField(context, path, schema, {label, required}, make) {
    const values = context.get(path) ?? [];
    const count = values.length;
    const least = schema.minItems ?? 0;
    const add = () => {
        const end = child(path, (context.get(path) ?? []).length);
        context.apply(path, [insert(end, start(context, schema.items))], 'Add to');
    };
    const entries = values.map((value, index) => {
        const options = {label: entryTitle(value, index + 1), required: true};
        const field = make(context, child(path, index), options);
        const buttons = listButtons(context, path, index, count, `${label} ${index + 1}`, least);
        const row = h('div', {class: 'list-buttons'}, buttons);
        return {element: h('div', {class: 'list-entry'}, field.element, row), update: field.update};
    });
    const full = count >= (schema.maxItems ?? Infinity);
    return listFrame(context, path, schema, {label, required, count, full, add, entries});
}

function keyField(context, from, value, label, onDone) {
    const field =
        from.length > 0
            ? pickField({label: 'Name', value, names: () => context.names(from), onDone})
            : textField({label: 'Name', value, onDone});
    field.control.setAttribute('aria-label', label);
    field.element.classList.add('map-key');
    return field;
}

function mapKeyField(context, path, key, from, label) {
    return keyField(context, from, key, `Name of ${label} ${key}`, (name) => {
        if (name && name !== key) {
            context.apply(path, [rename(child(path, key), name)], 'Rename in');
        }
    });
}

function mapEntry(context, path, key, from, label, make) {
    const where = child(path, key);
    const field = make(context, where, {label: key, required: true});
    const drop = () => context.apply(path, [remove(where)], 'Remove from');
    const element = h(
        'div',
        {class: 'list-entry map-entry'},
        mapKeyField(context, path, key, from, label),
        field.element,
        small('trash', `Remove ${key}`, drop)
    );
    return {element, update: field.update};
}

// A row for the name of what is to be added.
function newKeyRow(context, path, schema, from, label) {
    const free = () => {
        const taken = Object.keys(context.get(path) ?? {});
        return {taken, name: from.length > 0 ? '' : freeName('name', taken)};
    };
    const row = h('div', {class: 'list-entry map-entry', hidden: true});
    const add = (name) => {
        row.hidden = true;
        if (name && !free().taken.includes(name)) {
            const value = start(context, schema.additionalProperties);
            context.apply(path, [put(child(path, name), value)], 'Add to');
        }
    };
    const open = () => {
        const field = keyField(
            context,
            from,
            free().name,
            `Name of what is added to ${label}`,
            add
        );
        row.replaceChildren(field.element, button({label: 'Add', onClick: () => add(field.value)}));
        row.hidden = false;
        field.control.focus();
    };
    return {element: row, update: () => {}, open};
}

export function mapField(context, path, schema, {label, required}, make) {
    const keys = Object.keys(context.get(path) ?? {});
    const from = namesFrom(schema.propertyNames);
    const fresh = newKeyRow(context, path, schema, from, label);
    const entries = keys.map((key) => mapEntry(context, path, key, from, label, make));
    return listFrame(context, path, schema, {
        label,
        required,
        count: keys.length,
        add: fresh.open,
        entries: [...entries, fresh]
    });
}

const COLUMNS = {curve: ['in', 'out'], keys: ['seconds', 'value']};
const NUMBERED = {2: ['first', 'second'], 3: ['x', 'y', 'z'], 4: ['x', 'y', 'z', 'w']};

function tableCell(context, where, title) {
    const box = numberField({
        label: '',
        slider: false,
        value: context.get(where),
        digits: 6,
        onInput: (value) => context.change(where, value, {live: true}),
        onDone: () => context.settle()
    });
    box.box.setAttribute('aria-label', title);
    context.register(where, box);
    return {element: box.element, update: () => box.set(context.get(where))};
}

function tableRow(context, path, row, titles, label, least) {
    const cells = titles.map((title, column) =>
        tableCell(context, child(path, row, column), `${label} ${row + 1} ${title}`)
    );
    const drop = small(
        'trash',
        `Remove ${label} ${row + 1}`,
        () => context.apply(path, [remove(child(path, row))], 'Remove from'),
        context.get(path).length <= least
    );
    return {
        element: h('div', {class: 'table-row'}, cells, drop),
        update: () => cells.forEach((cell) => cell.update())
    };
}

// Behind the last row, one further in its first number: rows rise.
function nextRow(rows, width) {
    return rows.length > 0
        ? rows.at(-1).map((value, column) => (column === 0 ? value + 1 : value))
        : Array.from({length: width}, () => 0);
}

/** Rows of a few numbers each, such as the points of a curve. */
export function tableField(context, path, schema, {label, required}) {
    const rows = context.get(path) ?? [];
    const width = schema.items.maxItems;
    const titles = COLUMNS[last(path)] ?? NUMBERED[width];
    const add = () => {
        const now = context.get(path) ?? [];
        context.apply(path, [insert(child(path, now.length), nextRow(now, width))], 'Add to');
    };
    const least = schema.minItems ?? 0;
    const entries = rows.map((_, row) => tableRow(context, path, row, titles, label, least));
    const heads = h(
        'div',
        {class: 'table-heads', 'aria-hidden': 'true'},
        titles.map((title) => h('span', {}, title))
    );
    const count = rows.length;
    return listFrame(context, path, schema, {label, required, count, add, heads, entries});
}

/** A key that is not set and has no default: a button that sets it. */
export function absentField(context, path, schema, {label}) {
    const add = button({
        label: 'Set',
        quiet: true,
        onClick: () => context.change(path, start(context, schema))
    });
    add.setAttribute('aria-label', `Set ${label}`);
    const problem = problemBox();
    const name = h('span', {class: 'label', title: helpOf(schema)}, label);
    const element = h(
        'div',
        {class: 'form-row unset absent', dataset: {path}},
        h('div', {class: 'field absent'}, name, add),
        problem.element
    );
    const field = {element, setError: problem.setError, update: () => {}};
    context.register(path, field);
    return field;
}
