// SPDX-License-Identifier: Apache-2.0
// A long list of rows of one height, of which only those in sight are in the page.

import {h} from '../core/dom.js';

/** Rows above and below the window that are in the page, too: a fast wheel then shows no gap. */
const SPARE = 6;

export class VirtualList {
    /**
     * @param {HTMLElement} scroller the element that scrolls
     * @param {number} rowHeight in pixels
     * @param {(row: object, index: number) => HTMLElement} draw makes the element of a row
     */
    constructor(scroller, rowHeight, draw) {
        this.scroller = scroller;
        this.rowHeight = rowHeight;
        this.draw = draw;
        this.rows = [];
        this.space = h('div', {class: 'virtual-space', role: 'presentation'});
        scroller.append(this.space);
        scroller.addEventListener('scroll', () => this.refresh());
        new ResizeObserver(() => this.refresh()).observe(scroller);
    }

    setRows(rows) {
        this.rows = rows;
        this.space.style.height = `${rows.length * this.rowHeight}px`;
        this.refresh();
    }

    /** Draws the rows that are in sight. */
    refresh() {
        const {scrollTop, clientHeight} = this.scroller;
        const first = Math.max(0, Math.floor(scrollTop / this.rowHeight) - SPARE);
        const count = Math.ceil(clientHeight / this.rowHeight) + 2 * SPARE;
        const shown = this.rows.slice(first, first + count).map((row, offset) => {
            const element = this.draw(row, first + offset);
            element.style.top = `${(first + offset) * this.rowHeight}px`;
            return element;
        });
        this.space.replaceChildren(...shown);
    }

    /** Scrolls as little as it takes to have a row in sight. */
    reveal(index) {
        const top = index * this.rowHeight;
        const {scrollTop, clientHeight} = this.scroller;
        if (top < scrollTop) {
            this.scroller.scrollTop = top;
        } else if (top + this.rowHeight > scrollTop + clientHeight) {
            this.scroller.scrollTop = top + this.rowHeight - clientHeight;
        }
        this.refresh();
    }
}
