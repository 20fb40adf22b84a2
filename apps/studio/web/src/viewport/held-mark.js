// SPDX-License-Identifier: Apache-2.0
//
// The mark over the picture that says which values are held, whatever tool and panel is open: a
// value that somebody forgot would override the clip and all drivers unnoticed.
import {h, setChildren} from '../core/dom.js';
import {icon} from '../core/icons.js';
import {iconButton, menu} from '../core/widgets.js';

const MOST_LISTED = 20; // in the menu; beyond that a list helps nobody

function textOf(names) {
    return names.length === 1 ? `Held: ${names[0]}` : `Held: ${names.length} values`;
}

function tipOf(names) {
    const listed = names.slice(0, MOST_LISTED).join(', ');
    const more = names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : '';
    return `Set by hand, whatever the clip or a driver says: ${listed}${more}.`;
}

function releaseItems(studio, names) {
    const each = names.slice(0, MOST_LISTED).map((name) => ({label: `Release ${name}`,
        run: () => studio.release([name])}));
    return [...each, 'separator', {label: 'Release all', run: () => studio.release(null)}];
}

/** @returns {HTMLElement} hidden while nothing is held */
export function heldMark(studio) {
    const element = h('div', {class: 'held-mark glass', role: 'status', hidden: true,
        dataset: {testid: 'held-mark'}});
    let shown = null;
    const show = () => {
        const names = Object.keys(studio.active.held);
        const wanted = names.join();
        if (wanted === shown) {
            return; // its value is dragged
        }
        shown = wanted;
        element.hidden = names.length === 0;
        const list = h('button', {type: 'button', class: 'quiet', title: tipOf(names),
            'aria-haspopup': 'menu', onclick: () => menu(releaseItems(studio, names), list)},
        icon('hand'), h('span', {}, textOf(names)));
        setChildren(element, names.length > 0 && [list, iconButton({icon: 'close',
            label: names.length === 1 ? `Release ${names[0]}` : 'Release all held values',
            onClick: () => studio.release(null)})]);
    };
    studio.on('held', show);
    studio.on('slot', show);
    return element;
}
