// SPDX-License-Identifier: Apache-2.0
//
// Fields of tool panels that stand for values of the document: each changes its value live, one
// step of undo for a whole drag, and follows when something else changes it.
import {choiceField, lengthField, nameField, numberField, toggleField} from '../core/widgets.js';
import {put, remove} from '../document/ops.js';

let drags = 0;

export class Fields {
    /**
     * @param merge () => the step of undo that changes belong to; null: each drag its own
     * @param label (text) => what the step is called
     * @param sent (promise) => takes note of an edit
     */
    constructor(studio, {merge = () => null, label = (text) => text, sent = () => {}} = {}) {
        this.studio = studio;
        this.merge = merge;
        this.label = label;
        this.sent = sent;
        this.list = [];
        this.drag = ++drags;
    }

    /** Changes a value; what the server says against it stands below the field. */
    write(field, path, value, {ops = null, label, release = () => []}) {
        const all = ops !== null ? ops(value) : [put(path, value)];
        const merge = this.merge() ?? `${path} ${this.drag}`;
        const sent = this.studio.edit(this.label(label), all,
            {merge, quiet: true, release: release(value)});
        this.sent(sent);
        return sent.then(() => field.setError(null), (error) => field.setError(error.message));
    }

    settle() {
        this.drag = ++drags;
    }

    keep(field, read) {
        this.list.push({field, read});
        return field;
    }

    /** A length in metres, shown in millimetres. */
    length(label, path, options = {}) {
        return this.number(label, path, {...options, make: lengthField});
    }

    /** A parameter of a kind: its title, meaning, range, unit and choices are the schema's. */
    parameter(path, options = {}) {
        const schema = this.studio.schemaAt(path) ?? {};
        if (schema.enum !== undefined) {
            return this.choice(schema.title, path, schema.enum,
                {standard: schema.default, help: schema.description, ...options});
        }
        const make = schema.unit === 'm' ? lengthField : numberField;
        return this.number(schema.title, path, {usual: schema['x-usual'], make, ...options});
    }

    /** @param options of numberField, and path or read() and ops(value) */
    number(label, path, {make = numberField, ...options} = {}) {
        const schema = this.studio.schemaAt(path) ?? {};
        const standard = options.standard ?? schema.default;
        const read = options.read ?? (() => this.studio.get(path) ?? standard);
        const change = {ops: options.ops ?? null, label: `Change “${label}”`};
        const field = make({
            low: schema.minimum, high: schema.maximum, unit: schema.unit,
            help: schema.description, whole: schema.type === 'integer', ...options,
            label, value: read(), standard,
            onInput: (value) => this.write(field, path, value, change),
            onDone: () => this.settle(),
        });
        return this.keep(field, read);
    }

    choice(label, path, choices, {standard, read = null, ops = null, help} = {}) {
        const now = read ?? (() => this.studio.get(path) ?? standard);
        const change = {ops, label: `Change “${label}”`};
        const field = choiceField({label, value: now(), choices, help, onDone: (value) => {
            this.settle();
            this.write(field, path, value, change);
        }});
        return this.keep(field, now);
    }

    /** A name that may be missing: the key goes then. release(value): names of held values that
     *  are released in the same step. */
    name(label, path, names, {help, none = true, read = null, ops = null, release} = {}) {
        const now = read ?? (() => this.studio.get(path) ?? null);
        const put1 = (value) => (value === null ? [remove(path)] : [put(path, value)]);
        const change = {ops: ops ?? put1, label: `Change “${label}”`, release};
        const field = nameField({label, value: now(), names, none, help, onDone: (value) => {
            this.settle();
            this.write(field, path, value, change);
        }});
        return this.keep(field, now);
    }

    toggle(label, path, {help, read, ops}) {
        const change = {ops, label: `Change “${label}”`};
        const field = toggleField({label, value: read(), help, onDone: (value) => {
            this.settle();
            this.write(field, path, value, change);
        }});
        return this.keep(field, read);
    }

    /** Shows the values that the document has now. */
    refresh() {
        this.list.forEach(({field, read}) => field.set(read()));
    }
}
