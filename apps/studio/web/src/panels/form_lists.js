// SPDX-License-Identifier: Apache-2.0
//
// Lists, maps by name and tables of numbers, with add, remove and reorder.
import {h} from '../core/dom.js';
import {insert, put, remove, rename} from '../core/ops.js';
import {child, last} from '../core/pointer.js';
import {button, iconButton, nameField, numberField, textField} from '../core/widgets.js';
import {helpOf, keyTitle, namesFrom, startValue} from './logic/form.js';
import {freeName} from './logic/names.js';

/** What a row of a list or map is called. */
function entryTitle(value, key) {
    const known = value?.kind ?? value?.control ?? value?.name ?? value?.bone ?? value?.segment;
    return known === undefined ? String(key) : `${key} · ${known}`;
}

function heading(label, schema, ...buttons) {
    return h(
        'div',
        {class: 'list-heading'},
        h('span', {class: 'label', title: helpOf(schema)}, label),
        h('span', {class: 'list-buttons'}, buttons)
    );
}

function problemBox() {
    const element = h('div', {class: 'problem', role: 'alert', hidden: true});
    return {
        element,
        setError(text) {
            element.textContent = text ?? '';
            element.hidden = !text;
        }
    };
}

function small(icon, label, onClick, disabled = false) {
    return iconButton({icon, label, onClick, disabled});
}

function moveOps(path, from, to, value) {
    return [remove(child(path, from)), insert(child(path, to), value)];
}

function listButtons(context, path, index, count, what, least) {
    const value = () => context.get(child(path, index));
    const move = (to) => context.apply(path, moveOps(path, index, to, value()), 'Reorder');
    return [
        small('up', `Move ${what} up`, () => move(index - 1), index === 0),
        small('down', `Move ${what} down`, () => move(index + 1), index === count - 1),
        small(
            'trash',
            `Remove ${what}`,
            () => context.apply(path, [remove(child(path, index))], 'Remove from'),
            count <= least
        )
    ];
}

/** @param {(context, path, options) => field} make makes the field of an entry */
export function listField(context, path, schema, {label, required}, make) {
    const values = context.get(path) ?? [];
    const problem = problemBox();
    const add = () => {
        const value = startValue(schema.items, (from) => context.names(from));
        context.apply(
            path,
            [insert(child(path, (context.get(path) ?? []).length), value)],
            'Add to'
        );
    };
    const entries = values.map((value, index) => {
        const what = `${label} ${index + 1}`;
        const field = make(context, child(path, index), {
            label: entryTitle(value, index + 1),
            required: true
        });
        const buttons = listButtons(
            context,
            path,
            index,
            values.length,
            what,
            schema.minItems ?? 0
        );
        return {
            field,
            element: h(
                'div',
                {class: 'list-entry'},
                field.element,
                h('div', {class: 'list-buttons'}, buttons)
            )
        };
    });
    const full = values.length >= (schema.maxItems ?? Infinity);
    const drop = !required && small('reset', `Reset ${label}`, () => context.remove(path));
    const element = h(
        'div',
        {class: 'list-field', role: 'group', 'aria-label': label, dataset: {path}},
        heading(
            `${label} (${values.length})`,
            schema,
            small('add', `Add to ${label}`, add, full),
            drop
        ),
        problem.element,
        h(
            'div',
            {class: 'list-entries'},
            entries.map((entry) => entry.element)
        )
    );
    const field = {
        element,
        setError: problem.setError,
        update: () => entries.forEach((each) => each.field.update())
    };
    context.register(path, field);
    return field;
}

function mapEntry(context, path, key, schema, label, make) {
    const where = child(path, key);
    const from = namesFrom(schema.propertyNames);
    const renameTo = (name) =>
        name && name !== key && context.apply(path, [rename(where, name)], 'Rename in');
    const keyField =
        from.length > 0
            ? nameField({
                  label: 'Name',
                  value: key,
                  names: () => context.names(from),
                  onDone: renameTo
              })
            : textField({label: 'Name', value: key, onDone: renameTo});
    keyField.control.setAttribute('aria-label', `Name of ${label} ${key}`);
    keyField.element.classList.add('map-key');
    const field = make(context, where, {label: key, required: true});
    const drop = small('trash', `Remove ${key}`, () =>
        context.apply(path, [remove(where)], 'Remove from')
    );
    return {
        field,
        element: h('div', {class: 'list-entry map-entry'}, keyField, field.element, drop)
    };
}

export function mapField(context, path, schema, {label, required}, make) {
    const keys = Object.keys(context.get(path) ?? {});
    const problem = problemBox();
    const from = namesFrom(schema.propertyNames);
    const add = () => {
        const taken = Object.keys(context.get(path) ?? {});
        const name =
            from.length > 0
                ? context.names(from).find((each) => !taken.includes(each))
                : freeName('name', taken);
        if (name !== undefined) {
            const value = startValue(schema.additionalProperties, (each) => context.names(each));
            context.apply(path, [put(child(path, name), value)], 'Add to');
        }
    };
    const entries = keys.map((key) => mapEntry(context, path, key, schema, label, make));
    const drop = !required && small('reset', `Reset ${label}`, () => context.remove(path));
    const element = h(
        'div',
        {class: 'list-field', role: 'group', 'aria-label': label, dataset: {path}},
        heading(`${label} (${keys.length})`, schema, small('add', `Add to ${label}`, add), drop),
        problem.element,
        h(
            'div',
            {class: 'list-entries'},
            entries.map((entry) => entry.element)
        )
    );
    const field = {
        element,
        setError: problem.setError,
        update: () => entries.forEach((each) => each.field.update())
    };
    context.register(path, field);
    return field;
}

const COLUMNS = {curve: ['in', 'out'], keys: ['seconds', 'value']};

function tableCell(context, path, row, column, title) {
    const where = child(path, row, column);
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
    return {...box, update: () => box.set(context.get(where))};
}

function tableRow(context, path, row, titles, label, least) {
    const cells = titles.map((title, column) =>
        tableCell(context, path, row, column, `${label} ${row + 1} ${title}`)
    );
    const drop = small(
        'trash',
        `Remove ${label} ${row + 1}`,
        () => context.apply(path, [remove(child(path, row))], 'Remove from'),
        context.get(path).length <= least
    );
    return {cells, element: h('div', {class: 'table-row'}, cells, drop)};
}

/** Rows of a few numbers each, such as the points of a curve. */
export function tableField(context, path, schema, {label, required}) {
    const rows = context.get(path) ?? [];
    const width = schema.items.maxItems;
    const titles =
        COLUMNS[last(path)] ??
        (width === 3 ? ['x', 'y', 'z'] : ['first', 'second', 'third', 'fourth']);
    const problem = problemBox();
    const add = () => {
        const now = context.get(path) ?? [];
        const next =
            now.length > 0
                ? now.at(-1).map((value, column) => value + (column === 0 ? 1 : 0))
                : Array.from({length: width}, () => 0);
        context.apply(path, [insert(child(path, now.length), next)], 'Add to');
    };
    const entries = rows.map((_, row) =>
        tableRow(context, path, row, titles.slice(0, width), label, schema.minItems ?? 0)
    );
    const drop = !required && small('reset', `Reset ${label}`, () => context.remove(path));
    const element = h(
        'div',
        {class: 'list-field', role: 'group', 'aria-label': label, dataset: {path}},
        heading(`${label} (${rows.length})`, schema, small('add', `Add to ${label}`, add), drop),
        problem.element,
        h(
            'div',
            {class: 'table-heads'},
            titles.slice(0, width).map((title) => h('span', {}, title))
        ),
        h(
            'div',
            {class: 'list-entries'},
            entries.map((entry) => entry.element)
        )
    );
    const field = {
        element,
        setError: problem.setError,
        update: () => entries.forEach((entry) => entry.cells.forEach((cell) => cell.update()))
    };
    context.register(path, field);
    return field;
}

/** A key that is not set and has no default: a button that sets it. */
export function absentField(context, path, schema, {label}) {
    const add = button({
        label: 'Set',
        quiet: true,
        onClick: () =>
            context.change(
                path,
                startValue(schema, (from) => context.names(from))
            )
    });
    add.setAttribute('aria-label', `Set ${keyTitle(last(path))}`);
    const problem = problemBox();
    const element = h(
        'div',
        {class: 'form-row unset absent', dataset: {path}},
        h(
            'div',
            {class: 'field absent'},
            h('span', {class: 'label', title: helpOf(schema)}, label),
            add
        ),
        problem.element
    );
    const field = {element, setError: problem.setError, update: () => {}};
    context.register(path, field);
    return field;
}
