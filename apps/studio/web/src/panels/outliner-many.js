// SPDX-License-Identifier: Apache-2.0
//
// What can be done with several entries of the document at once, each in one step of undo.
import {put, remove} from '../document/ops.js';
import {join} from '../document/pointer.js';
import {deleteManyOps} from '../document/references.js';

const DELETE_KEYS = new Set(['Delete', 'x', 'X']);

let merges = 0;

function removeAll(studio, rows) {
    const ops = deleteManyOps(studio.schema, studio.active.document, rows.map(({path}) => path));
    return studio.edit(`Delete ${rows.length} entries`, ops);
}

/** Hides all that can be hidden; where all of them are hidden, shows them. */
function toggleAll(studio, rows) {
    const able = rows.filter(({shown}) => shown !== null);
    const hide = able.some(({shown}) => shown);
    const ops = able.filter(({shown}) => shown === hide).map(({path}) => {
        return hide ? put(path + join('show'), false) : remove(path + join('show'));
    });
    return studio.edit(`${hide ? 'Hide' : 'Show'} ${ops.length} entries`, ops);
}

async function mirrorAll(studio, rows) {
    const merge = `mirror:${++merges}`;
    for (const {name} of rows) {
        await studio.call('muscle_mirror', {slot: studio.active.index, muscle: name, axis: 'x',
            at: 0, merge, label: `Mirror ${rows.length} muscles`});
    }
}

/** What can be done with all of some rows: [{label, icon, keys, matches(event), run}]. */
export function manyActions(studio, rows) {
    const able = rows.some(({shown}) => shown !== null);
    const muscles = rows.every(({section, level}) => section === 'muscles' && level === 3);
    const hidden = able && rows.every(({shown}) => shown !== true);
    return [
        able && {
            label: hidden ? 'Show' : 'Hide',
            icon: hidden ? 'eye' : 'eye-off',
            keys: 'Space',
            matches: (event) => event.key === ' ',
            run: () => toggleAll(studio, rows)
        },
        muscles && {label: 'Mirror', icon: 'mirror', run: () => mirrorAll(studio, rows)},
        {
            label: 'Delete',
            icon: 'trash',
            keys: 'Del',
            matches: (event) => DELETE_KEYS.has(event.key),
            run: () => removeAll(studio, rows)
        }
    ].filter(Boolean);
}

export function manyMenu(studio, rows) {
    return [{title: `${rows.length} entries`}, ...manyActions(studio, rows)
        .map(({label, icon, keys, run}) => ({label, icon, keys, run}))];
}
