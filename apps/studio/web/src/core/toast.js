// SPDX-License-Identifier: Apache-2.0
//
// Short notices in the corner, also read out.
import {h} from './dom.js';
import {icon} from './icons.js';

const SHOWN_FOR = {info: 6000, warning: 12000, error: 30000}; // milliseconds
const MOST = 4;

let region = null;

function regionElement() {
    if (region === null) {
        region = h('div', {class: 'toasts', role: 'status', 'aria-live': 'polite',
            'aria-label': 'Notices'});
        document.body.append(region);
    }
    return region;
}

/** @param {string} text @param {'info'|'warning'|'error'} level */
export function showToast(text, level = 'info') {
    const region = regionElement();
    [...region.children].filter((each) => each.dataset.text === text)
        .forEach((each) => each.remove());
    const toast = h('div', {class: `toast ${level}`, dataset: {text, testid: 'toast'},
        role: level === 'error' ? 'alert' : null},
        icon(level === 'info' ? 'info' : 'warning'), h('span', {}, text),
        h('button', {type: 'button', class: 'quiet', 'aria-label': 'Close notice',
            onclick: () => toast.remove()}, icon('close')));
    region.append(toast);
    while (region.children.length > MOST) {
        region.firstChild.remove();
    }
    leaveLater(toast, SHOWN_FOR[level] ?? SHOWN_FOR.info);
    return toast;
}

// What is being read, with the pointer or the focus on it, stays.
function leaveLater(toast, wait) {
    setTimeout(() => {
        if (toast.matches(':hover, :focus-within')) {
            leaveLater(toast, wait);
        } else {
            toast.remove();
        }
    }, wait);
}
