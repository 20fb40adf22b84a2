// SPDX-License-Identifier: Apache-2.0
//
// Text of the page is not selected, except what people copy (styles/theme.css): a browser begins a
// drag of its own at anything that is selected, and then neither the viewport nor a slider gets
// the pointer.
import {isCovered} from './popups.js';
import {combination, isTyping} from './shortcuts.js';

function canSelect(target) {
    return target instanceof Element && getComputedStyle(target).userSelect !== 'none';
}

/** Keeps the browser's own selecting and dragging to the texts that are meant for it. */
export function guardSelection(document) {
    // Nothing here is dragged out of the page; what comes in from outside is no dragstart.
    document.addEventListener('dragstart', (event) => event.preventDefault());
    document.addEventListener('pointerdown', ({target}) => {
        if (!canSelect(target)) {
            document.getSelection().removeAllRanges();
        }
    }, true);
    document.addEventListener('keydown', (event) => {
        if (combination(event) === 'Ctrl+A' && !isTyping(event.target) && !isCovered()) {
            event.preventDefault();
        }
    });
}
