// SPDX-License-Identifier: Apache-2.0
//
// Sliders of the face, by region.
import {h, setChildren} from '../core/dom.js';
import {iconButton, section} from '../core/widgets.js';
import {FaceRow} from './face-row.js';
import {SINGLE, rowsFor} from './logic/face.js';

export class FaceSliders {
    constructor(panel) {
        this.panel = panel;
        this.wanted = {query: '', level: SINGLE, region: null};
        this.closed = new Set();
        this.apart = new Set(); // rows whose sides were taken apart one by one
        this.rows = [];
        this.element = h('div', {class: 'face-body'});
    }

    /** Shows other rows. @param {{query, level, region}} wanted what is not said stays */
    set(wanted) {
        Object.assign(this.wanted, wanted);
        this.rebuild();
        this.element.scrollTop = 0;
    }

    rebuild(linkChanged = false) {
        const {face} = this.panel;
        if (linkChanged) {
            this.apart.clear();
        }
        this.rows = [];
        if (face === null) {
            return;
        }
        const shown = rowsFor(face, this.wanted);
        const parts = face.regions.map((region) =>
            [region, shown.filter((row) => row.region === region.id)])
            .filter(([, rows]) => rows.length > 0);
        setChildren(this.element, parts.map((part) => this.#section(...part)),
            parts.length === 0 && h('p', {class: 'hint'}, this.wanted.query === ''
                ? 'Nothing here. Choose other sliders or another region.'
                : 'No control has this name.'));
        this.panel.show?.();
    }

    #section({id, title}, rows) {
        const made = rows.map((row) => this.#row(row));
        this.rows.push(...made.map((row) => ({row, region: id})));
        const reset = iconButton({icon: 'reset', label: `Reset ${title.toLowerCase()}`,
            onClick: () => this.panel.toRest(rows, title.toLowerCase())});
        const searched = this.wanted.query !== '' || this.wanted.region !== null;
        const {element} = section(title, {open: searched || !this.closed.has(id), actions: [reset],
            testid: `face-${id}`}, made.map((row) => row.element));
        element.addEventListener('toggle', () => {
            this.closed[element.open ? 'delete' : 'add'](id);
            this.panel.show();
        });
        return element;
    }

    #row(row) {
        const key = row.names[0];
        const {linked} = this.panel;
        const made = new FaceRow(this.panel.studio, row, {
            linked: linked && !this.apart.has(key),
            onLink: linked ? (together) => {
                this.apart[together ? 'delete' : 'add'](key);
                this.rebuild();
            } : null
        });
        return made;
    }

    show(values) {
        if (this.element.clientWidth === 0) {
            return;
        }
        for (const {row} of this.rows) {
            if (row.element.closest('details').open) {
                row.show(values);
            }
        }
    }
}
