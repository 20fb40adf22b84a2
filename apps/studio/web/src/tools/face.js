// SPDX-License-Identifier: Apache-2.0
//
// Face muscles: feature points are clicked on the face, or come from a file; a job lays the muscles
// and expressions out from them.
import {h, setChildren} from '../core/dom.js';
import {resultOf, startJob} from '../core/job.js';
import {counted} from '../core/texts.js';
import {button, choiceField, iconButton, numberField} from '../core/widgets.js';
import {skinNames} from '../make/reasons.js';
import {showMuscles} from '../make/show.js';
import {layoutText} from '../make/texts.js';
import {Carrier} from './draw-carry.js';
import {FEATURES, FaceState, featureOf} from './face-state.js';
import {COLOURS, Marks} from './marks.js';
import {pointAt} from './vectors.js';

const CLICK_DISTANCE = 4; // pixels that a pointer may move and still click
const STANDARD_DEPTH = 1;

class FaceTool {
    id = 'face';
    title = 'Face muscles';
    icon = 'skin';
    inBar = false;
    help = 'Click the features of the face one after the other. Of a pair click one side: the ' +
        'other is its mirror image. Then add the muscles.';

    enter(studio) {
        this.studio = studio;
        this.#resume();
        this.off = [
            studio.on('frame', (slot) => slot === studio.active && this.#draw()),
            studio.on('model', (slot) => slot === studio.active && this.#refresh()),
            studio.on('slot', () => this.#resume()),
        ];
    }

    leave() {
        this.off.forEach((off) => off());
        this.marks.dispose();
        this.marks = null;
        this.element = null;
    }

    panel(element) {
        this.element = element;
        this.#refresh();
    }

    // ---- pointer and keys

    pointerDown(event) {
        this.start = event.button === 0 ? {x: event.clientX, y: event.clientY} : null;
        return false;
    }

    pointerUp(event) {
        const {start} = this;
        this.start = null;
        const still = start !== null &&
            Math.hypot(event.clientX - start.x, event.clientY - start.y) <= CLICK_DISTANCE;
        const hit = still ? this.studio.viewport.pick(event, {layers: ['skin']}) : null;
        if (hit !== null && hit.surface === this.skin && hit.slot === this.studio.activeIndex) {
            this.state.put(hit.rest.toArray());
            this.#refresh();
        }
        return false;
    }

    keyDown(event) {
        if (event.key === 'Enter' && this.state.missing.length === 0) {
            this.#layOut();
            return true;
        }
        return false;
    }

    // ---- inside

    get skin() {
        const {model} = this.studio.active;
        return model?.surfaces.find(({layer, name}) =>
            layer === 'skin' && name === this.skinName) ?? null;
    }

    // Points that were clicked on this character stay, until muscles were made of them.
    #resume() {
        const {studio} = this;
        const {index, name, path} = studio.active;
        const character = JSON.stringify([index, name, path]);
        if (this.character !== character) {
            Object.assign(this, {character, state: new FaceState(), depth: STANDARD_DEPTH,
                skinName: skinNames(studio.active.model)[0] ?? null});
        }
        this.problem = '';
        this.marks?.dispose();
        this.marks = new Marks(studio.viewport, studio.activeIndex);
        this.carrier = null;
        this.#refresh();
    }

    #begin() {
        this.character = null;
        this.#resume();
    }

    #refresh() {
        this.#draw();
        if (this.element) {
            const focused = document.activeElement?.dataset.feature;
            setChildren(this.element, this.#panel());
            this.element.querySelector(`[data-feature="${focused}"]`)?.focus();
        }
    }

    #panel() {
        const skins = skinNames(this.studio.active.model);
        const {missing} = this.state;
        return [
            skins.length > 1 && choiceField({label: 'Skin', value: this.skinName, choices: skins,
                onDone: (name) => {
                    this.skinName = name;
                    this.state = new FaceState();
                    this.#refresh();
                }}),
            h('p', {class: 'say', role: 'status'}, this.#nextText()),
            h('p', {class: 'problem', role: 'alert', hidden: this.problem === ''}, this.problem),
            h('div', {class: 'tool-actions'},
                button({label: 'Add face muscles', primary: true, icon: 'muscle',
                    disabled: missing.length > 0, title: missing.length > 0
                        ? `${counted(missing.length, 'feature')} left to click` : 'Enter',
                    onClick: () => this.#layOut()}),
                button({label: 'Read features from a file', icon: 'upload',
                    onClick: () => this.#chooseFile()}),
                button({label: 'Start over', quiet: true, onClick: () => this.#begin()})),
            h('ul', {class: 'features', 'aria-label': 'Features'},
                FEATURES.map((feature) => this.#row(feature))),
            numberField({label: 'Depth', value: this.depth, low: 0.01, high: 2,
                standard: STANDARD_DEPTH, help: 'A factor for the depth of all muscles. ' +
                    'Less suits thin skins.',
                onDone: (value) => {
                    this.depth = value;
                }}),
        ];
    }

    #nextText() {
        const {state} = this;
        if (state.ibug !== null) {
            return '68 points were read from a file. Press Enter to add the muscles.';
        }
        const {title, hint} = featureOf(state.chosen);
        const next = `Click: ${title}${hint ? ` (${hint})` : ''}`;
        if (state.missing.length > 0) {
            return `${next}.`;
        }
        const more = state.has(state.chosen) ? '' : ` ${next} (optional).`;
        return `All features are set. Press Enter to add the muscles.${more}`;
    }

    #row({name, title, optional}) {
        const {state} = this;
        const there = state.has(name);
        return h('li', {},
            h('button', {type: 'button', class: 'quiet', 'aria-pressed': name === state.chosen,
                dataset: {feature: name}, title: there ? 'Click the face to move it' : undefined,
                onclick: () => {
                    state.chosen = name;
                    this.#refresh();
                }},
            h('span', {class: 'feature-name'}, title),
            h('span', {class: 'feature-state'}, there ? '✓' : optional ? 'optional' : '')),
            there && iconButton({icon: 'close', label: `Remove: ${title}`, onClick: () => {
                state.remove(name);
                this.#refresh();
            }}));
    }

    #draw() {
        const {marks, skin, state} = this;
        marks.begin();
        if (skin?.points && skin.rest) {
            if (this.carrier?.surface !== skin) {
                this.carrier = new Carrier(skin);
            }
            const named = state.has(state.chosen) ? state.chosen : state.last;
            for (const [name, place] of Object.entries(state.places)) {
                const at = Array.isArray(place) ? this.carrier.posed(place)
                    : pointAt(skin.points, place);
                const feature = featureOf(name);
                const chosen = feature?.name === named;
                marks.dot(at, COLOURS.first, {chosen, radius: 5});
                if (chosen) {
                    marks.label(at, feature.title);
                }
            }
        }
        marks.end();
    }

    #chooseFile() {
        const input = h('input', {type: 'file', accept: '.json', onchange: async () => {
            const [file] = input.files;
            const wrong = this.state.read(await file.text());
            this.problem = wrong === null ? '' : `${file.name}: ${wrong}`;
            this.#refresh();
        }});
        input.click();
    }

    async #layOut() {
        const {studio, state, skinName, depth} = this;
        this.problem = '';
        try {
            const job = await startJob(studio, 'face',
                {slot: studio.activeIndex, ...state.request(skinName, depth)});
            resultOf(studio, job).then((result) => {
                if (result !== null) {
                    this.character = null;
                    showMuscles(studio);
                    studio.layout.show('controls');
                    studio.notice(layoutText(result));
                }
            });
            studio.setTool('select');
        } catch (error) {
            this.problem = error.text ?? error.message;
            this.#refresh();
        }
    }
}

export default new FaceTool();
