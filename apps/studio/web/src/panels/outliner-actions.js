// SPDX-License-Identifier: Apache-2.0
//
// What can be done with an entry of the document: rename, duplicate, delete, mirror, frame, show
// in the file; and what can be added.
import {h} from '../core/dom.js';
import {dialog, textField} from '../core/widgets.js';
import {insert, put, remove} from '../document/ops.js';
import {join, last, parent, split} from '../document/pointer.js';
import {deleteOps, renameOps} from '../document/references.js';
import {ADDABLE, copyOf, newEntry} from './logic/names.js';
import {SECTIONS} from './logic/outline.js';

const DELETE_KEYS = new Set(['Delete', 'x', 'X']);

/** Hides or shows a skin or a muscle: a document that shows it says nothing. */
export function toggleShown(studio, row) {
    if (row.shown === null) {
        return;
    }
    const path = row.path + join('show');
    const ops = row.shown ? [put(path, false)] : [remove(path)];
    studio.edit(`${row.shown ? 'Hide' : 'Show'} ${row.name}`, ops);
}

function whatIs(row) {
    return `${SECTIONS[row.section]?.one ?? row.section.replace(/s$/, '')} ${row.name}`;
}

function inMap(studio, path) {
    const above = parent(path);
    return above !== null && !Array.isArray(studio.get(above));
}

function rename(studio, row) {
    const field = textField({label: 'Name', value: row.name});
    const apply = async () => {
        const name = field.value.trim();
        if (name === '' || name === row.name) {
            return name !== '';
        }
        const above = studio.get(parent(row.path));
        if (Object.hasOwn(above, name)) {
            field.setError(`The name "${name}" is taken.`);
            return false;
        }
        return renamed(studio, row, name, field);
    };
    const window = dialog({
        title: `Rename ${whatIs(row)}`,
        body: h(
            'div',
            {},
            field.element,
            h('p', {class: 'hint'}, 'Everything that refers to it is changed as well.')
        ),
        actions: [{label: 'Cancel'}, {label: 'Rename', primary: true, run: apply}]
    });
    field.control.addEventListener('keydown', async (event) => {
        if (event.key === 'Enter' && (await apply()) !== false) {
            window.close();
        }
    });
    field.control.select();
}

async function renamed(studio, row, name, field) {
    const ops = renameOps(studio.schema, studio.active.document, row.path, name);
    try {
        await studio.edit(`Rename ${whatIs(row)} to ${name}`, ops, {quiet: true});
    } catch (error) {
        field.setError(error.text ?? error.message);
        return false;
    }
    studio.select(parent(row.path) + join(name));
    return true;
}

async function duplicate(studio, row) {
    const copy = copyOf(studio.active.document, row.path, studio.get(row.path));
    const op = copy.insert ? insert(copy.path, copy.value) : put(copy.path, copy.value, copy.index);
    await studio.edit(`Duplicate ${whatIs(row)}`, [op]);
    studio.select(copy.path);
}

async function removeEntry(studio, row) {
    const ops = deleteOps(studio.schema, studio.active.document, row.path);
    try {
        await studio.edit(`Delete ${whatIs(row)}`, ops, {quiet: true});
    } catch (error) {
        const user = userAt(error.place, row);
        user === null ? studio.report(error) : studio.notice(
            `The ${whatIs(row)} is not deleted: ${user} needs it. Delete or change that first.`,
            'warning');
    }
}

/** What a refused place of the document belongs to, in words: 'driver 1', 'skin skin'. */
function userAt(place, row) {
    const [section, name] = split(place ?? '');
    const own = split(row.path);
    if (name === undefined || (section === own[0] && name === own[1])) {
        return null;
    }
    return whatIs({section, name: /^\d+$/.test(name) ? Number(name) + 1 : name});
}

function mirror(studio, row) {
    return studio.call('muscle_mirror', {
        slot: studio.active.index,
        muscle: row.name,
        axis: 'x',
        at: 0
    });
}

function showInFile(studio, row) {
    const text = JSON.stringify(studio.get(row.path), null, 2);
    const area = h('textarea', {
        class: 'json-text',
        rows: 16,
        readonly: true,
        'aria-label': `JSON of ${row.name || 'the document'}`,
        value: text
    });
    const copy = async (what, name) => {
        await navigator.clipboard.writeText(what);
        studio.notice(`${name} copied`);
        return false;
    };
    dialog({
        title: row.name,
        wide: true,
        body: h('div', {}, h('p', {class: 'json-path'}, h('code', {}, row.path || '/')), area),
        actions: [
            {label: 'Copy path', run: () => copy(row.path, 'Path')},
            {label: 'Copy JSON', primary: true, run: () => copy(text, 'JSON')},
            {label: 'Close'}
        ]
    });
}

const isKey = (name) => (event) => event.key === name;

/** All that can be done with a row, in the order of the menu; `when` says with which. */
const ACTIONS = [
    {
        id: 'rename',
        label: 'Rename…',
        icon: 'edit',
        keys: 'F2',
        when: (row, studio) => row.level === 3 && inMap(studio, row.path),
        matches: isKey('F2'),
        run: rename
    },
    {
        id: 'duplicate',
        label: 'Duplicate',
        icon: 'copy',
        keys: 'Shift+D',
        when: (row) => row.level >= 3,
        matches: (event) => event.shiftKey && event.key === 'D',
        run: duplicate
    },
    {
        id: 'mirror',
        label: 'Mirror',
        icon: 'mirror',
        when: (row) => row.section === 'muscles',
        run: mirror
    },
    {
        id: 'frame',
        label: 'Frame',
        icon: 'frame',
        keys: '.',
        when: (row) => row.level >= 3,
        matches: isKey('.'),
        run: frame
    },
    {id: 'file', label: 'Show in file…', icon: 'file', when: () => true, run: showInFile},
    {
        id: 'delete',
        label: 'Delete',
        icon: 'trash',
        keys: 'Del',
        when: (row) => row.level >= 3,
        matches: (event) => DELETE_KEYS.has(event.key),
        run: removeEntry
    }
];

/** What can be done with a row: [{id, label, icon, keys, matches(event), run}]. */
export function itemActions(studio, row) {
    return ACTIONS.filter(({when}) => when(row, studio)).map((action) => ({
        ...action,
        run: () => action.run(studio, row)
    }));
}

function frame(studio, row) {
    studio.select(row.path);
    studio.viewport.frameSelection();
}

export function itemMenu(studio, row) {
    const actions = itemActions(studio, row).map(({label, icon, keys, run}) => ({
        label,
        icon,
        keys,
        run
    }));
    return [{title: row.name}, ...actions];
}

/** Adds an entry to a section and selects it. */
async function addEntry(studio, section) {
    const document = studio.active.document;
    const segments = studio.active.model?.segments.map(({name}) => name);
    const entry = newEntry(document, section, segments);
    if (entry.reason) {
        studio.notice(entry.reason, 'warning');
        return null;
    }
    const there = document[section] !== undefined;
    const inSection = there ? [] : [put(join(section), entry.list ? [] : {})];
    const op = entry.list ? insert(entry.path, entry.value) : put(entry.path, entry.value);
    await studio.edit(`Add ${SECTIONS[section].one} ${last(entry.path)}`, [...inSection, op]);
    studio.select(entry.path);
    return split(entry.path).at(-1);
}

export function addItems(studio) {
    const open = studio.active.document !== null;
    return ADDABLE.map((section) => ({
        label: `Add a ${SECTIONS[section].one}`,
        icon: 'add',
        disabled: !open,
        run: () => addEntry(studio, section)
    }));
}
