// SPDX-License-Identifier: Apache-2.0
//
// The help page: every shortcut as it is registered, what the mouse does, where to read on.
import {h, setChildren} from '../core/dom.js';
import {button, dialog, searchField} from '../core/widgets.js';

const MOUSE = [
    ['Left button', 'uses the current tool; beside the character it turns the view'],
    ['Middle button, or Alt + left', 'turns the view'],
    ['Shift + middle, or right button', 'moves the view'],
    ['Ctrl + middle button', 'zooms'],
    ['Wheel', 'zooms towards the pointer'],
    ["Double click on a number's slider", 'resets it'],
    ['Drop a file on the page', 'opens a character, imports a model, adds a motion'],
];

const BRUSHES = [
    ['F, or [ and ]', 'changes the radius: move the pointer and click to accept; Esc cancels'],
    ['Shift+F', 'changes the strength in the same way'],
    ['Ctrl + drag', 'subtracts where the brush adds, and removes from a set'],
    ['Shift + drag', 'smooths'],
    ['Esc', 'cancels the current stroke'],
    ['M', 'mirrors the selected set or key poses'],
];

const READING = [
    ['docs/studio.md', "the studio, and a muscle of one's own step by step"],
    ['docs/document.md', "everything that a character's file can say"],
    ['docs/curves.md', 'muscles from two curves'],
    ['docs/cylinder.md', 'muscles between bones'],
    ['docs/blend.md', 'weights: how bones move a skin'],
    ['docs/wrap.md', 'a coarse mesh that moves a fine one, and wrap sets'],
    ['docs/morph.md', 'key poses (correctives)'],
    ['docs/formats.md', 'files that are read and written'],
];

/**
 * Groups of shortcuts that fit a text: [{group, items: [{keys, title}]}], in order of their
 * registration.
 */
function groupShortcuts(list, text = '') {
    const wanted = text.trim().toLowerCase();
    const groups = new Map();
    for (const {keys, title, group} of list) {
        const all = [keys].flat();
        if (`${title} ${group} ${all.join(' ')}`.toLowerCase().includes(wanted)) {
            groups.set(group, [...(groups.get(group) ?? []), {keys: all, title}]);
        }
    }
    return [...groups].map(([group, items]) => ({group, items}));
}

/** Rows of two texts that fit a text. */
function matchingRows(rows, text) {
    const wanted = text.trim().toLowerCase();
    return rows.filter((row) => row.join(' ').toLowerCase().includes(wanted));
}

export function openHelp(studio, {startTour}) {
    const results = h('div', {class: 'help-results', 'aria-live': 'polite'});
    const show = (text) =>
        setChildren(results, h('div', {class: 'help-columns'}, page(studio, text)));
    const search = searchField({
        label: 'Search help',
        placeholder: 'Type a key, or what you want to do',
        onInput: show,
    });
    show('');
    const window = dialog({
        title: 'Help',
        wide: true,
        body: h(
            'div',
            {class: 'help-page'},
            h(
                'div',
                {class: 'help-top'},
                search,
                button({
                    label: 'Start the tour',
                    icon: 'play',
                    onClick: () => {
                        window.close();
                        startTour();
                    },
                })
            ),
            results
        ),
    });
    search.focus();
    return window;
}

function page(studio, text) {
    const groups = groupShortcuts(studio.shortcuts.list, text);
    const mouse = matchingRows(MOUSE, text);
    const brushes = matchingRows(BRUSHES, text);
    const reading = matchingRows(READING, text);
    const parts = [
        ...groups.map(({group, items}) =>
            table(
                group,
                items.map(({keys, title}) => [kbd(keys), title])
            )
        ),
        mouse.length > 0 && table('Mouse', mouse),
        brushes.length > 0 && table('Brushes: paint, wrap sets, key poses', brushes),
        reading.length > 0 && table('Documents in the sinew folder', reading),
    ].filter(Boolean);
    return parts.length > 0 ? parts : h('p', {class: 'file-none'}, 'Nothing found.');
}

const NUMPAD_SIGNS = {Decimal: '.', Add: '+', Subtract: '-', Divide: '/'};

/** "Ctrl+NumpadDecimal" as it stands on the keys. */
function spokenKeys(keys) {
    return keys.replace(/Numpad(\w+)/, (_, name) => `Numpad ${NUMPAD_SIGNS[name] ?? name}`);
}

function kbd(keys) {
    return keys.map((each, i) => [i > 0 && ' ', h('kbd', {}, spokenKeys(each))]);
}

function table(title, rows) {
    return h(
        'section',
        {class: 'help-group'},
        h('h3', {}, title),
        h(
            'table',
            {},
            rows.map(([left, right]) =>
                h('tr', {}, h('th', {scope: 'row'}, left), h('td', {}, right))
            )
        )
    );
}
