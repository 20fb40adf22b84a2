// SPDX-License-Identifier: Apache-2.0
// A long list of rows of one height, of which only those in sight are in the page.

import {h} from '../core/dom.js';

/** Rows above and below the window that are in the page, too: a fast wheel then shows no gap. */
const SPARE = 6;

export class VirtualList {
    #drawn = new Map();

    /**
     * @param {HTMLElement} scroller the element that scrolls
     * @param {{rowHeight: number, draw: (row) => HTMLElement, look: (row) => string, whole: boolean}}
     *     options rowHeight in pixels; whole: the list is as high as whole rows are, so that none
     *     is cut at its end; `look` is all that the element depends on: with the same look it
     *     stays in the page as it is, with the focus that it may have
     */
    constructor(scroller, {rowHeight, draw, look, whole = false}) {
        this.scroller = scroller;
        this.rowHeight = rowHeight;
        this.draw = draw;
        this.look = look;
        this.rows = [];
        this.space = h('div', {class: 'virtual-space', role: 'presentation'});
        scroller.append(this.space);
        scroller.addEventListener('scroll', () => this.refresh());
        new ResizeObserver(() => this.refresh()).observe(scroller);
        if (whole) {
            new ResizeObserver(() => this.#fitRows()).observe(scroller.parentElement);
        }
    }

    #fitRows() {
        const {scroller, rowHeight} = this;
        const room = scroller.parentElement.clientHeight - scroller.offsetTop;
        scroller.style.maxHeight = `${Math.max(1, Math.floor(room / rowHeight)) * rowHeight}px`;
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
        const drawn = new Map();
        const shown = this.rows.slice(first, first + count).map((row, offset) => {
            const look = this.look(row);
            const element = this.#drawn.get(look) ?? this.draw(row);
            element.style.top = `${(first + offset) * this.rowHeight}px`;
            drawn.set(look, element);
            return element;
        });
        this.#drawn = drawn;
        this.#place(shown);
    }

    // Elements that are there already are not touched.
    #place(shown) {
        const wanted = new Set(shown);
        [...this.space.children].forEach((each) => wanted.has(each) || each.remove());
        shown.forEach((element, index) => {
            if (this.space.children[index] !== element) {
                this.space.insertBefore(element, this.space.children[index] ?? null);
            }
        });
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
