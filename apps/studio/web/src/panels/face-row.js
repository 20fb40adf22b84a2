// SPDX-License-Identifier: Apache-2.0
//
// A control of the face: one slider for left and right, or one for each.
import {h, setChildren} from '../core/dom.js';
import {iconButton} from '../core/widgets.js';
import {shownAs} from '../document/units.js';
import {parameterRow} from './parameter-row.js';

const SIDES = ['L', 'R'];
const SAME = 1e-6;

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

export class FaceRow {
    /**
     * @param {{title, names, low, high, rest}} row of the face
     * @param {{linked: boolean, onLink(boolean)}} options onLink: null where there is no choice
     */
    constructor(studio, row, {linked, onLink = null}) {
        this.studio = studio;
        this.row = row;
        this.linked = linked;
        this.link = row.names.length > 1 && onLink !== null && iconButton({
            icon: 'mirror', onClick: () => onLink(!this.linked), pressed: linked,
            label: `Left and right together: ${row.title}`
        });
        this.element = h('div', {class: 'face-row', dataset: {row: row.names[0]}});
        this.build();
    }

    build() {
        const {studio, row, linked} = this;
        const unit = shownAs(row.names[0], studio.active.document?.controls).unit;
        const common = {low: row.low, high: row.high, rest: row.rest, unit, reason: ''};
        this.parts = linked || row.names.length === 1
            ? [parameterRow(studio, {...common, name: row.names[0], names: row.names,
                title: row.title})]
            : row.names.map((name, side) => parameterRow(studio, {...common, name,
                title: `${SIDES[side]} ${row.title}`}));
        setChildren(this.element, h('div', {class: 'face-parts'},
            this.parts.map(({element}) => element)), this.link);
    }

    /** @param {(name: string) => {own, total}} values */
    show(values) {
        const all = this.row.names.map(values);
        if (this.parts.length === all.length) {
            this.parts.forEach((part, index) => part.showValues(all[index].own, all[index].total));
        } else if (all.every(({own}) => own !== undefined)) {
            const own = all.map((each) => each.own);
            this.element.classList.toggle('mixed', Math.max(...own) - Math.min(...own) > SAME);
            this.parts[0].showValues(mean(own), mean(all.map(({total}) => total)));
        }
    }
}
