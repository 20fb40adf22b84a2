// SPDX-License-Identifier: Apache-2.0
//
// The face: sliders by region, left and right together, and a library of poses. The panel has a tab
// where the document has controls of a face (logic/face.js says which these are).
import {calmly} from '../core/calm.js';
import {h} from '../core/dom.js';
import {newGesture} from '../core/gesture.js';
import {currentClip, keyNow} from '../core/keying.js';
import {button, choiceField, searchField, tabs, toggleField} from '../core/widgets.js';
import {addersOf, ownValue} from '../document/synergies.js';
import {FaceMap} from './face-map.js';
import {FacePoses} from './face-poses.js';
import {FaceSliders} from './face-sliders.js';
import {SINGLE, faceOf, toRest} from './logic/face.js';

const ID = 'face';
const LEAST = 340; // pixels that map, names and sliders need
const SAME = 1e-6;

function singleLabel({document}) {
    const muscles = Object.values(document?.muscles ?? {});
    const moves = muscles.some(({contraction, tension}) => contraction ?? tension);
    return moves ? 'single muscles' : 'single controls';
}

class Face {
    constructor(element, studio) {
        this.studio = studio;
        this.element = element;
        this.face = null;
        this.linked = true;
        this.sliders = new FaceSliders(this);
        this.poses = new FacePoses(this);
        this.map = new FaceMap((region) => this.sliders.set({region}));
        element.classList.add('face');
        this.pages = tabs({label: 'Face', onShow: (page) => this.showPage(page), tabs: [
            {id: 'face-sliders', title: 'Sliders', element: this.sliders.element},
            {id: 'face-poses', title: 'Poses', element: this.poses.element}
        ]});
        element.append(this.header(), this.pages.element);
        this.listen();
        this.rebuild();
    }

    header() {
        this.levels = choiceField({label: 'Sliders of', choices: [], help: 'Single muscles, or ' +
            'groups of controls that stand for several. The search looks in all of them.',
        onDone: (level) => this.sliders.set({level})});
        this.link = toggleField({label: 'Left and right together', value: this.linked,
            help: 'One slider moves both sides  (Shift+L)',
            onDone: (linked) => this.setLinked(linked)});
        this.keyHeld = button({label: 'Key', icon: 'key', onClick: () => this.key(),
            title: 'Sets keyframes for all held values of the face at this frame'});
        this.reset = button({label: 'Reset', icon: 'reset', onClick: () => this.toRest(this.face.rows,
            'the face'), title: 'Brings the whole face to rest'});
        const search = searchField({label: 'Search the face', placeholder: 'Search',
            onInput: (query) => this.sliders.set({query})});
        return h('div', {class: 'face-header'}, this.map.element,
            h('div', {class: 'face-choices'}, search, this.levels, this.link,
                h('div', {class: 'row'}, this.keyHeld, this.reset), this.map.words));
    }

    // Regions and search choose sliders: poses have the room of these.
    showPage(page) {
        this.element.classList.toggle('of-poses', page === 'face-poses');
        this.show?.();
    }

    listen() {
        const {studio} = this;
        const active = (slot) => slot === studio.active;
        studio.on('model', (slot) => active(slot) && this.rebuild());
        studio.on('document', (slot) => active(slot) && this.rebuild());
        studio.on('slot', () => this.rebuild());
        this.show = calmly(studio, () => this.showNow());
        studio.on('frame', (slot) => active(slot) && this.show());
        studio.on('held', (slot) => active(slot) && this.show());
        new ResizeObserver(() => this.show()).observe(this.element);
        studio.shortcuts.add({keys: 'Shift+L', title: 'Left and right together, or each by itself',
            group: 'Face', when: () => this.face !== null, run: () => {
                this.link.set(!this.linked);
                this.setLinked(!this.linked);
            }});
    }

    // The same face keeps its sliders when a model is made anew: one may be in the hand.
    rebuild() {
        const {document, model} = this.studio.active;
        const controls = document === null ? [] : model?.controls ?? [];
        const same = this.readFrom?.controls === controls &&
            this.readFrom.synergies === document?.synergies;
        if (!same) {
            this.readFrom = {controls, synergies: document?.synergies};
            this.face = faceOf(document, model);
            this.adders = addersOf(this.face?.spreads ?? new Map());
            this.limits = new Map(controls.map((each) => [each.name, each]));
            this.showFace();
        }
        this.studio.layout.setHidden(ID, this.face === null);
        this.show();
    }

    showFace() {
        const built = JSON.stringify([this.face?.rows ?? null]);
        if (built === this.built) {
            return;
        }
        this.built = built;
        const {face} = this;
        if (face !== null) {
            this.map.setRegions(face.regions);
            this.showLevels();
            this.sliders.set({region: this.map.chosen});
        }
        this.poses.rebuild();
    }

    showLevels() {
        const {levels} = this.face;
        const control = this.levels.control;
        const before = control.value;
        control.replaceChildren(...levels.map((level) =>
            h('option', {value: level}, level === SINGLE ? singleLabel(this.studio.active) : level)));
        this.levels.element.hidden = levels.length < 2;
        this.levels.set(levels.includes(before) ? before : levels[0]);
        this.sliders.set({level: control.value});
    }

    setLinked(linked) {
        this.linked = linked;
        this.sliders.rebuild(true);
        this.poses.rebuild();
        this.show();
    }

    /** What a control is set to, and what it comes to with what others add. */
    values(name) {
        const {frame, held, model} = this.studio.active;
        const total = (each) => frame?.controls?.[model.controlIndex(each)];
        return {total: total(name), own: ownValue(this.limits.get(name), this.adders, total, held)};
    }

    /** The names of all controls of the face. */
    get names() {
        return this.face.rows.flatMap(({names}) => names);
    }

    key() {
        const {held} = this.studio.active;
        const names = this.names.filter((name) => held[name] !== undefined);
        keyNow(this.studio, Object.fromEntries(names.map((name) => [name, held[name]])));
    }

    /** Brings rows to rest: one step of undo. @param {string} what they are called */
    async toRest(rows, what) {
        const {studio} = this;
        const {hold, release} = toRest(rows, currentClip(studio), studio.active.held);
        const step = {label: `Reset ${what}`, merge: newGesture()};
        // What the server refuses is shown by the studio.
        await Promise.allSettled([
            Object.keys(hold).length > 0 && studio.hold(hold, step),
            release.length > 0 && studio.release(release, step)
        ]);
    }

    showNow() {
        if (this.face === null || this.element.clientWidth === 0) {
            return;
        }
        const all = new Map(this.names.map((name) => [name, this.values(name)]));
        const values = (name) => all.get(name);
        const moved = this.face.rows.filter(({names, rest}) => names.some((name) =>
            Math.abs((values(name).own ?? rest) - rest) > SAME));
        const held = this.names.some((name) => this.studio.active.held[name] !== undefined);
        this.keyHeld.disabled = !held;
        this.reset.disabled = moved.length === 0 && !held;
        this.map.mark(new Set(moved.map(({region}) => region)));
        this.sliders.show(values);
        this.poses.show(values);
    }
}

export default {
    id: ID,
    title: 'Face',
    icon: 'face',
    place: 'right',
    least: LEAST,
    mount(element, studio) {
        return new Face(element, studio);
    }
};
