// SPDX-License-Identifier: Apache-2.0
//
// One row of the outliner.
import {h} from '../core/dom.js';
import {icon} from '../core/icons.js';

/** Which icon of core/icons.js stands for what a row is. */
const ICONS = {
    character: 'skin',
    segment: 'pose',
    proportion: 'cylinder',
    mesh: 'grid',
    bone: 'bone',
    tissue: 'tissue',
    skin: 'skin',
    muscle: 'muscle',
    control: 'hand',
    synergy: 'compare',
    driver: 'driver',
    landmark: 'points',
    clip: 'play',
    deformer: 'wireframe',
    track: 'chart',
    strip: 'cylinder',
    pose: 'key'
};

const INDENT = 12; // pixels

function rowId(path) {
    return `outliner-${encodeURIComponent(path)}`;
}

// The letters of a name that were searched for stand out.
function marked(name, query) {
    const word = query
        .toLowerCase()
        .split(/\s+/)
        .find((each) => each && name.toLowerCase().includes(each));
    if (!word) {
        return [name];
    }
    const at = name.toLowerCase().indexOf(word);
    const end = at + word.length;
    return [name.slice(0, at), h('mark', {}, name.slice(at, end)), name.slice(end)];
}

function foldMark(row, folded) {
    return h(
        'span',
        {
            class: `outliner-fold ${folded ? '' : 'open'}`,
            dataset: {part: 'fold'},
            'aria-hidden': 'true'
        },
        row.count > 0 && icon('right')
    );
}

// The tree has one stop of the Tab key; the eye is pressed with the pointer or with Space.
function eye(row) {
    if (row.shown === null) {
        return null;
    }
    const label = row.shown ? `Hide ${row.name}` : `Show ${row.name}`;
    return h(
        'button',
        {
            type: 'button',
            class: 'outliner-eye',
            tabindex: -1,
            title: label,
            'aria-label': label,
            dataset: {part: 'eye'}
        },
        icon(row.shown ? 'eye' : 'eye-off')
    );
}

/** @param {{folded, selected, current, query}} state */
export function rowElement(row, {folded, selected, current, query}) {
    const classes = [
        'outliner-row',
        selected && 'selected',
        current && 'current',
        row.shown === false && 'hidden-item'
    ];
    return h(
        'div',
        {
            id: rowId(row.path),
            class: classes.filter(Boolean).join(' '),
            role: 'treeitem',
            'aria-level': row.level,
            'aria-posinset': row.position,
            'aria-setsize': row.siblings,
            'aria-selected': String(selected),
            'aria-expanded': row.count > 0 ? String(!folded) : null,
            'aria-label': [row.name, row.kind, row.shown === false && 'hidden']
                .filter(Boolean)
                .join(', '),
            title: [row.path || 'The whole document', row.about].filter(Boolean).join('\n'),
            dataset: {path: row.path},
            style: {'padding-left': `${(row.level - 1) * INDENT}px`}
        },
        foldMark(row, folded),
        icon(ICONS[row.icon] ?? 'file'),
        h('span', {class: 'outliner-name'}, marked(row.name, query)),
        h('span', {class: 'outliner-kind'}, row.kind),
        eye(row)
    );
}
