// SPDX-License-Identifier: Apache-2.0
//
// Landmarks of a head: they are named under the pointer and dragged along the skin, both sides
// alike, or proposed for a skin that has none.
import {h, setChildren} from '../core/dom.js';
import {resultOf, startJob} from '../core/job.js';
import {counted} from '../core/texts.js';
import {button, choiceField, toggleField} from '../core/widgets.js';
import {skinNames} from '../make/reasons.js';
import {landmarksOf, moveOps, movesTo, proposalOps} from './landmarks-state.js';
import {COLOURS, Marks} from './marks.js';
import {pointAt} from './vectors.js';

const RADIUS = 5; // pixels
const DOUBT = 0.004; // metres from which a proposed landmark is to be looked at

class LandmarksTool {
    id = 'landmarks';
    title = 'Landmarks';
    icon = 'points';
    key = 'L';
    inBar = false;
    help = 'Drag a landmark along the skin. Names are shown under the pointer, or of the one that is ' +
        'chosen in the list.';

    constructor() {
        this.both = true;
        this.replace = false;
        this.doubts = new Map();
    }

    enter(studio) {
        this.studio = studio;
        this.#resume();
        const active = (slot) => slot === studio.active;
        this.off = [
            studio.on('frame', (slot) => active(slot) && this.#draw()),
            studio.on('model', (slot) => active(slot) && this.#refresh()),
            studio.on('document', (slot) => active(slot) && this.#refresh()),
            studio.on('slot', () => this.#resume()),
        ];
    }

    leave() {
        this.off.forEach((off) => off());
        this.marks.dispose();
        this.marks = null;
        this.element = null;
        this.dragged = null;
    }

    panel(element) {
        this.element = element;
        this.#refresh();
    }

    // ---- pointer and keys

    pointerDown(event) {
        const name = event.button === 0 ? this.marks.find(event)?.data : undefined;
        const landmark = this.#all.find((each) => each.name === name);
        if (landmark === undefined) {
            return false; // the camera may have it
        }
        this.dragged = landmark;
        this.moves = null;
        this.chosen = name;
        this.#refresh();
        return true;
    }

    pointerMove(event) {
        if (this.dragged === null) {
            const hovered = event.buttons === 0 ? this.marks.find(event)?.data ?? null : null;
            if (hovered !== this.hovered) {
                this.hovered = hovered;
                this.#draw();
            }
            return false;
        }
        const {studio, dragged} = this;
        const hit = studio.viewport.pick(event, {layers: ['skin'], slot: studio.activeIndex});
        if (hit !== null && this.#meshOf(hit.surface) === dragged.mesh) {
            this.moves = movesTo(this.#all, dragged, hit.vertex, this.both, hit.surface.rest);
            this.#draw();
        }
        return true;
    }

    pointerUp() {
        const {dragged, moves} = this;
        this.dragged = null;
        if (dragged !== null && moves !== null) {
            [...moves.keys()].forEach((name) => this.doubts.delete(name));
            this.#edit(`Move ${[...moves.keys()].join(' and ')}`, moveOps(moves));
        }
        return dragged !== null;
    }

    pointerCancel() {
        this.dragged = null;
        this.moves = null;
        this.#draw();
    }

    keyDown(event) {
        if (event.key === 'Escape' && this.dragged !== null) {
            this.pointerCancel();
            return true;
        }
        return false;
    }

    // ---- inside

    // Places that were dragged stay where they are until the document has them.
    async #edit(label, ops) {
        // What the server refuses is shown by the studio.
        await this.studio.edit(label, ops).catch(() => {});
        this.moves = null;
        this.marks && this.#refresh();
    }

    #meshOf = (surface) => this.studio.get(`${surface.path}/mesh`);

    get #skins() {
        const {model} = this.studio.active;
        const names = skinNames(model);
        const skins = (model?.surfaces ?? []).filter(({name}) => names.includes(name));
        return new Map(skins.map((skin) => [this.#meshOf(skin), skin]));
    }

    get #all() {
        return landmarksOf(this.studio.active.document, this.#skins);
    }

    #resume() {
        this.dragged = null;
        this.moves = null;
        this.hovered = null;
        this.chosen = null;
        this.doubts.clear();
        this.problem = '';
        this.marks?.dispose();
        this.marks = new Marks(this.studio.viewport, this.studio.activeIndex);
        this.marks.onCamera(() => this.#draw());
        this.skinName = skinNames(this.studio.active.model)[0] ?? null;
        this.#refresh();
    }

    #refresh() {
        this.#draw();
        if (this.element) {
            setChildren(this.element, this.#panel());
        }
    }

    // Those on the far side of a head would only confuse.
    #isSeen(skin, vertex, at) {
        const {normals} = skin;
        if (normals === null) {
            return true;
        }
        const {x, y, z} = this.studio.viewport.cameraOf(this.studio.activeIndex).position;
        const normal = [0, 1, 2].map((k) => normals[4 * vertex + k]);
        return normal[0] * (x - at[0]) + normal[1] * (y - at[1]) + normal[2] * (z - at[2]) > 0;
    }

    #draw() {
        const {marks} = this;
        const skins = this.#skins;
        marks.begin();
        for (const {name, mesh, vertex} of this.#all) {
            const skin = skins.get(mesh);
            const place = this.moves?.get(name) ?? vertex;
            const at = skin.points && pointAt(skin.points, place);
            const named = name === (this.dragged?.name ?? this.hovered ?? this.chosen);
            if (at && (named || this.#isSeen(skin, place, at))) {
                const colour = this.doubts.has(name) ? COLOURS.plane : COLOURS.first;
                marks.dot(at, colour, {radius: RADIUS, data: name, chosen: named});
                if (named) {
                    marks.label(at, name);
                }
            }
        }
        marks.end();
    }

    #panel() {
        const names = skinNames(this.studio.active.model);
        return [
            names.length > 1 && choiceField({label: 'Skin', value: this.skinName, choices: names,
                onDone: (name) => {
                    this.skinName = name;
                }}),
            toggleField({label: 'Both sides alike', value: this.both,
                help: 'The landmark of the other side goes to the mirror image at x = 0',
                onDone: (both) => {
                    this.both = both;
                }}),
            toggleField({label: 'Replace all', value: this.replace,
                help: 'Proposes all anew. Otherwise those that are there stay, and help to find others',
                onDone: (replace) => {
                    this.replace = replace;
                }}),
            h('div', {class: 'tool-actions'}, button({label: 'Propose', primary: true, icon: 'points',
                disabled: this.skinName === null, onClick: () => this.#propose(),
                title: 'Finds the landmarks of a head on the skin'})),
            h('p', {class: 'problem', role: 'alert', hidden: this.problem === ''}, this.problem),
            h('ul', {class: 'features', 'aria-label': 'Landmarks'},
                this.#all.map(({name}) => this.#row(name))),
        ];
    }

    #row(name) {
        const doubt = this.doubts.get(name);
        return h('li', {}, h('button', {type: 'button', class: 'quiet',
            'aria-pressed': name === this.chosen, title: doubt?.reason,
            onclick: () => {
                this.chosen = name === this.chosen ? null : name;
                this.#refresh();
            }}, h('span', {class: 'feature-name'}, name),
        h('span', {class: 'feature-state'},
            doubt && `± ${Math.round(1000 * doubt.doubt)} mm`)));
    }

    async #propose() {
        const {studio, skinName} = this;
        const skin = studio.active.model.surfaces.find(({name, layer}) =>
            name === skinName && layer === 'skin');
        const mesh = this.#meshOf(skin);
        const given = this.replace ? {} : Object.fromEntries(this.#all
            .filter((each) => each.mesh === mesh).map(({name, vertex}) => [name, vertex]));
        this.problem = '';
        try {
            const job = await startJob(studio, 'propose_landmarks',
                {slot: studio.activeIndex, skin: skinName, given});
            const result = await resultOf(studio, job);
            if (result !== null) {
                await this.#take(mesh, result.landmarks);
            }
        } catch (error) {
            this.problem = error.text ?? error.message;
        }
        this.marks && this.#refresh();
    }

    async #take(mesh, proposed) {
        const {studio} = this;
        const ops = proposalOps(studio.active.document, mesh, proposed);
        this.doubts = new Map(Object.entries(proposed).filter(([, {doubt}]) => doubt > DOUBT));
        if (ops.length > 0) {
            await studio.edit('Propose landmarks', ops);
        }
        const fresh = Object.values(proposed).filter(({given}) => !given).length;
        studio.notice(this.doubts.size === 0 ? `${counted(fresh, 'landmark')} proposed.`
            : `${counted(fresh, 'landmark')} proposed. Look at those that may be off: ` +
                `${[...this.doubts.keys()].join(', ')}.`);
    }
}

export default new LandmarksTool();
