// SPDX-License-Identifier: Apache-2.0
//
// A face drawn from its regions, to pick one: only those that the character has. Regions without a
// place on it are buttons beside it.
import {h, setChildren, svg} from '../core/dom.js';

const BOX = '6 6 108 150';

// Seen from the front, in the units of the box; both sides belong to one region.
const SHAPES = {
    brow: ['M24 45Q22 14 60 13Q98 14 96 45Q78 35 60 41Q42 35 24 45Z'],
    eye: ['M25 57a15 12 0 1 0 30 0a15 12 0 1 0-30 0Z', 'M65 57a15 12 0 1 0 30 0a15 12 0 1 0-30 0Z'],
    nose: ['M60 46Q57 66 46 80Q52 91 60 91Q68 91 74 80Q63 66 60 46Z'],
    cheek: ['M22 70Q34 66 43 74Q36 88 38 98Q27 94 22 70Z', 'M98 70Q86 66 77 74Q84 88 82 98Q93 94 98 70Z'],
    mouth: ['M37 106Q50 92 60 95Q70 92 83 106Q72 120 60 120Q48 120 37 106Z'],
    jaw: ['M24 96Q30 132 60 137Q90 132 96 96L88 104Q80 126 60 126Q40 126 32 104Z'],
    ear: ['M17 52Q6 48 8 64Q10 82 19 82Z', 'M103 52Q114 48 112 64Q110 82 101 82Z'],
    neck: ['M35 128Q46 139 60 140Q74 139 85 128L90 154H30Z']
};
const OUTLINE = 'M60 8C92 8 102 34 99 72C97 112 84 138 60 138C36 138 23 112 21 72C18 34 28 8 60 8Z';

export class FaceMap {
    /** @param {(region: string|null) => void} onPick */
    constructor(onPick) {
        this.onPick = onPick;
        this.chosen = null;
        this.buttons = new Map();
        this.element = h('div', {class: 'face-map', role: 'group', 'aria-label': 'Regions of the face'});
        this.words = h('div', {class: 'face-words'});
    }

    /** @param {{id, title}[]} regions */
    setRegions(regions) {
        const drawn = regions.filter(({id}) => id in SHAPES).map((each) => this.#shape(each));
        const others = regions.filter(({id}) => !(id in SHAPES)).map((each) => this.#word(each));
        this.buttons = new Map([...drawn, ...others].map(([button, id]) => [id, button]));
        setChildren(this.element,
            svg('svg', {viewBox: BOX, class: 'face-shape'},
                svg('path', {d: OUTLINE, class: 'face-outline'}), drawn.map(([button]) => button)));
        setChildren(this.words, others.map(([button]) => button));
        this.choose(this.buttons.has(this.chosen) ? this.chosen : null);
    }

    #shape({id, title}) {
        const button = svg('g', {role: 'button', tabindex: 0, 'aria-label': title,
            dataset: {region: id}, onclick: () => this.#pick(id), onkeydown: (event) => {
                if (event.key === 'Enter' || event.key === ' ') {
                    event.preventDefault();
                    event.stopPropagation();
                    this.#pick(id);
                }
            }}, svg('title', {}, title), SHAPES[id].map((d) => svg('path', {d})));
        return [button, id];
    }

    #word({id, title}) {
        return [h('button', {type: 'button', dataset: {region: id}, onclick: () => this.#pick(id)},
            title), id];
    }

    #pick(id) {
        this.choose(this.chosen === id ? null : id);
        this.onPick(this.chosen);
    }

    choose(id) {
        this.chosen = id;
        this.buttons.forEach((button, each) =>
            button.setAttribute('aria-pressed', String(each === id)));
    }

    /** Marks the regions in which something is not at rest. @param {Set<string>} ids */
    mark(ids) {
        this.buttons.forEach((button, id) => button.classList.toggle('moved', ids.has(id)));
    }
}
