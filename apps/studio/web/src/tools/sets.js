// SPDX-License-Identifier: Apache-2.0
//
// Sets: which faces of its driver points of a wrapped skin may follow, chosen by hand.
import {h, setChildren} from '../core/dom.js';
import {button, choiceField, iconButton} from '../core/widgets.js';
import {put, remove} from '../document/ops.js';
import {child, join} from '../document/pointer.js';
import {Brush} from './paint-brush.js';
import {brushFields} from './paint-panel.js';
import {BrushPointer} from './paint-pointer.js';
import {BoxSelect} from './sets-box.js';
import {
    MOST_SETS,
    SET_MODES,
    SetState,
    faceCountOf,
    facesWithin,
    mirroredSet,
    moved,
    wrapAt,
    wrapsOf,
} from './sets-state.js';
import {SetsView} from './sets-view.js';

const brush = new Brush({radius: 24});
const TRACE = 0.1; // opacity
let strokes = 0;

class SetsTool {
    id = 'sets';
    title = 'Wrap sets';
    icon = 'points';
    key = 'W';
    help =
        'A wrapped skin follows the nearest faces of its driver mesh. A set changes that for ' +
        'some points. Drag to add, Ctrl+drag to remove; B switches between brush and box.';

    enter(studio) {
        this.studio = studio;
        this.wrap = null;
        this.index = -1;
        this.state = null;
        this.what = 'points';
        this.box = null;
        this.stroke = null;
        this.storing = 0;
        this.side = studio.activeIndex;
        this.view = null;
        this.picker = 'brush';
        this.loan = studio.viewport.lendLayers({});
        this.pointer = new BrushPointer(studio, brush, {
            layers: () => ['skin', 'driver'],
            accepts: (hit) => hit.surface === this.#surface(this.what),
            text: (hit) => (this.what === 'points' ? `point ${hit.vertex}` : `face ${hit.face}`),
        });
        this.offs = [
            studio.on('document', (slot) => slot === studio.active && this.#refresh()),
            ...['geometry', 'frame'].map((signal) =>
                studio.on(signal, (slot) => slot === studio.active && this.#pointsCame())
            ),
            studio.on('slot', () => this.#changeSide()),
            studio.on('selection', () => this.#takeSelected() && this.#refresh()),
        ];
        this.#takeSelected();
        this.#refresh();
    }

    leave() {
        brush.endAdjust(false);
        this.offs.forEach((off) => off());
        this.pointer.dispose();
        this.#dropMarks();
        this.box?.dispose();
        this.loan.giveBack();
    }

    // ---- what is edited

    get wraps() {
        return wrapsOf(this.studio.active.document);
    }

    get path() {
        return join('skins', this.wrap.skin, 'deformers', this.wrap.index, 'sets');
    }

    get sets() {
        return this.wrap === null ? [] : (this.studio.get(this.path) ?? []);
    }

    #surface(what) {
        const name = what === 'points' ? this.wrap?.skin : this.wrap?.driver;
        const surface =
            name === undefined
                ? null
                : (this.studio.active.model?.byPath(join('skins', name)) ?? null);
        return surface?.hasGeometry ? surface : null;
    }

    /** The wrap of what is selected. @returns whether it is another one than before */
    #takeSelected() {
        const wrap = wrapAt(this.wraps, this.studio.selection?.path ?? '');
        const other = wrap !== null && this.#key(wrap) !== this.#key(this.wrap);
        if (other) {
            this.#setWrap(wrap);
        }
        return other;
    }

    #setWrap(wrap) {
        this.wrap = wrap;
        this.index = -1;
        this.state = null;
    }

    #key(wrap) {
        return wrap === null ? '' : `${wrap.skin} ${wrap.index}`;
    }

    get #ready() {
        return this.#surface('points') !== null && this.#surface('faces') !== null;
    }

    // What is in the hand belongs to the other character, or to one that is gone.
    #changeSide() {
        const {active, activeIndex} = this.studio;
        if (activeIndex !== this.side || active.model === null) {
            this.side = activeIndex;
            this.stroke = null;
            this.#dropMarks();
            this.#setWrap(null);
        }
        this.#refresh();
    }

    // Shapes and the first frame of a model bring what a set is chosen on.
    #pointsCame() {
        if (this.waiting && this.#ready) {
            this.#refresh();
        } else {
            this.#draw();
        }
    }

    // After any change of document or model: keeps what is chosen as far as it is still there.
    #refresh() {
        const {wraps} = this;
        const same = wraps.find((each) => this.#key(each) === this.#key(this.wrap));
        if (same === undefined) {
            this.#setWrap(wraps[0] ?? null);
        } else {
            this.wrap = same;
        }
        this.waiting = !this.#ready;
        if (this.wrap !== null && this.stroke === null && this.storing === 0) {
            this.#showLayers();
            this.#take();
        }
        this.#draw();
        this.#fillPanel();
    }

    // The chosen set as the document has it; a draft stays as it is. Between a model and its first
    // frame nobody knows how many points and faces there are: what is in the hand stays.
    #take() {
        if (!this.#ready) {
            return;
        }
        const entry = this.sets[this.index];
        const draft = this.index === this.sets.length && this.state?.fits(...this.#counts());
        if (entry === undefined && !draft) {
            this.index = -1;
            this.state = null;
        } else if (entry !== undefined && (entry !== this.taken || this.state === null)) {
            this.state = new SetState(entry, ...this.#counts());
        }
        this.taken = entry;
    }

    #counts() {
        return [this.#surface('points').vertexCount, faceCountOf(this.#surface('faces'))];
    }

    #choose(index) {
        this.index = index;
        this.state = null;
        this.#take();
        this.#draw();
        this.#fillPanel();
    }

    #addSet() {
        this.index = this.sets.length;
        this.state = new SetState({}, ...this.#counts());
        this.#setWhat('points');
    }

    #removeSet(index) {
        const rest = this.sets.filter((_, i) => i !== index);
        this.index = -1;
        this.state = null;
        if (this.sets.length > index) {
            this.#write('Remove a set', rest);
        }
        this.#refresh();
    }

    #moveSet(index, by) {
        this.index = Math.min(Math.max(index + by, 0), this.sets.length - 1);
        this.#write('Reorder sets', moved(this.sets, index, by));
    }

    // The set in hand once more, for the other side of x = 0.
    #mirrorSet() {
        const image = mirroredSet(this.state, this.#surface('points'), this.#surface('faces'));
        if (image.whole) {
            this.index = this.sets.length;
            this.#write('Mirror a set', [...this.sets, image.entry]);
        } else {
            this.studio.notice('The set has no counterpart on the other side of x = 0.', 'warning');
        }
    }

    #write(label, sets, merge = null) {
        const ops = sets.length > 0 ? [put(this.path, sets)] : [remove(this.path)];
        return this.studio.edit(label, ops, {merge});
    }

    /** The set in hand goes into the document, once it is whole. */
    async #store(label, merge) {
        if (!this.state.whole) {
            return;
        }
        const sets = this.sets.slice();
        sets[this.index] = this.state.entry;
        this.storing += 1;
        try {
            await this.#write(label, sets, merge);
        } catch {
            this.state = null; // the studio has told why; what the document has is shown again
        }
        this.storing -= 1;
        if (this.storing === 0 && this.studio.tool === this) {
            this.#refresh();
        }
    }

    #setWhat(what) {
        this.what = what;
        this.#showLayers();
        this.#draw();
        this.#fillPanel();
    }

    // The skin in front for its points, with a trace of the driver, which reaches out of it here
    // and there; see-through for the driver's faces.
    #showLayers() {
        this.loan.change(
            this.what === 'points'
                ? {skin: {mode: 'shown'}, driver: {mode: 'clear', opacity: TRACE}}
                : {skin: {mode: 'clear'}, driver: {mode: 'shown'}}
        );
    }

    // ---- what is seen

    #draw() {
        const skin = this.#surface('points'),
            driver = this.#surface('faces');
        if (this.state === null || skin === null || driver === null) {
            this.#dropMarks();
            return;
        }
        this.view ??= new SetsView(this.studio.viewport, this.studio.activeIndex);
        this.view.show(this.state, skin, driver);
    }

    #dropMarks() {
        this.view?.dispose();
        this.view = null;
    }

    panel(element) {
        this.element = element;
        this.#fillPanel();
    }

    #fillPanel() {
        if (!this.element?.isConnected) {
            return;
        }
        if (this.wrap === null) {
            setChildren(
                this.element,
                h(
                    'p',
                    {class: 'tool-note'},
                    'No skin of this character has a deformer of kind ' +
                        'wrap. Add one in the properties of a skin, or a driver mesh with + in ' +
                        'the outliner.'
                )
            );
            return;
        }
        setChildren(
            this.element,
            choiceField({
                label: 'Wrap',
                value: this.#key(this.wrap),
                choices: this.wraps.map((each) => ({
                    value: this.#key(each),
                    label: this.#wrapName(each),
                })),
                onDone: (value) => {
                    this.#setWrap(this.wraps.find((each) => this.#key(each) === value));
                    this.#refresh();
                },
            }),
            h('p', {class: 'tool-note'}, `Its driver mesh is ${this.wrap.driver}.`),
            h('div', {class: 'item-list', role: 'list', 'aria-label': 'Sets'}, this.#rows()),
            button({
                label: 'Add a set',
                icon: 'add',
                disabled: this.sets.length >= MOST_SETS || this.#surface('faces') === null,
                onClick: () => this.#addSet(),
            }),
            this.state !== null && this.#setFields()
        );
    }

    // The skin's name says enough, unless it has several wraps.
    #wrapName({skin, driver}) {
        const several = this.wraps.filter((each) => each.skin === skin).length > 1;
        return several ? `${skin} on ${driver}` : skin;
    }

    #rows() {
        const drafted = this.state !== null && this.index === this.sets.length;
        return [...this.sets, ...(drafted ? [this.state.entry] : [])].map((entry, i) => {
            const chosen = i === this.index;
            const draft = i === this.sets.length ? ' (draft)' : '';
            const label = `Set ${i + 1}: ${entry.mode}${draft}`;
            return h(
                'div',
                {class: `item-row${chosen ? ' chosen' : ''}`, role: 'listitem'},
                h(
                    'button',
                    {
                        type: 'button',
                        class: 'quiet',
                        'aria-pressed': null,
                        title: `Its points follow ${SET_MODES[entry.mode]}`,
                        onclick: () => this.#choose(i),
                    },
                    h('span', {}, label)
                ),
                h(
                    'div',
                    {},
                    iconButton({
                        icon: 'up',
                        label: `Move set ${i + 1} up`,
                        disabled: i === 0 || drafted,
                        onClick: () => this.#moveSet(i, -1),
                    }),
                    iconButton({
                        icon: 'down',
                        label: `Move set ${i + 1} down`,
                        disabled: i >= this.sets.length - 1 || drafted,
                        onClick: () => this.#moveSet(i, 1),
                    }),
                    iconButton({
                        icon: 'mirror',
                        label: `Mirror set ${i + 1}`,
                        keys: 'M',
                        disabled: !chosen || !this.state.whole || this.sets.length >= MOST_SETS,
                        onClick: () => this.#mirrorSet(),
                    }),
                    iconButton({
                        icon: 'trash',
                        label: `Remove set ${i + 1}`,
                        onClick: () => this.#removeSet(i),
                    })
                )
            );
        });
    }

    #setFields() {
        const {state} = this;
        const pick = (what, label) =>
            h(
                'button',
                {
                    type: 'button',
                    'aria-pressed': String(this.what === what),
                    onclick: () => this.#setWhat(what),
                },
                `${label} (${state.count(what)})`
            );
        const picker = (id, label) =>
            h(
                'button',
                {
                    type: 'button',
                    'aria-pressed': String(this.picker === id),
                    onclick: () => this.#setPicker(id),
                },
                label
            );
        return h(
            'div',
            {},
            choiceField({
                label: 'Points follow',
                value: state.mode,
                choices: Object.entries(SET_MODES).map(([value, label]) => ({value, label})),
                onDone: (mode) => {
                    state.mode = mode;
                    this.#store('Change what a set follows', null);
                    this.#fillPanel();
                },
            }),
            h(
                'div',
                {class: 'brush-modes two', role: 'group', 'aria-label': 'Choose'},
                pick('points', 'Points'),
                pick('faces', 'Faces')
            ),
            h(
                'div',
                {class: 'brush-modes two', role: 'group', 'aria-label': 'Choose with'},
                picker('brush', 'Brush'),
                picker('box', 'Box')
            ),
            brushFields(brush, {
                modes: false,
                strength: false,
                mirror: false,
                onChange: () => this.pointer.show(),
            }),
            h(
                'div',
                {class: 'brush-modes two'},
                button({label: 'All', onClick: () => this.#markAll(true)}),
                button({label: 'None', onClick: () => this.#markAll(false)})
            ),
            state.missing !== null && h('p', {class: 'tool-note', role: 'status'}, state.missing)
        );
    }

    #setPicker(picker) {
        this.picker = picker;
        this.#fillPanel();
    }

    #markAll(chosen) {
        this.state.mark(this.what, this.state[this.what].keys(), chosen);
        this.#store('Change the points of a set', null);
        this.#draw();
        this.#fillPanel();
    }

    // ---- the pointer

    pointerDown(event) {
        if (event.button === 0 && brush.adjusting !== null) {
            brush.endAdjust(true);
            this.#fillPanel();
            return true;
        }
        if (event.button !== 0 || this.state === null) {
            return false;
        }
        this.stroke = {
            chosen: !(event.ctrlKey || event.metaKey),
            last: event,
            before: this.state.copy(),
            stored: false,
            merge: `sets ${(strokes += 1)}`,
        };
        if (this.picker === 'box') {
            this.box = new BoxSelect(this.studio.viewport, event);
            return true;
        }
        const hit = this.pointer.pick(event);
        if (hit === null) {
            this.stroke = null;
            return false;
        }
        this.#markUnder(hit);
        return true;
    }

    pointerMove(event) {
        if (brush.adjust(event.clientX)) {
            this.pointer.show();
            return true;
        }
        if (this.picker === 'brush') {
            this.pointer.follow(event);
        } else {
            this.pointer.hide();
        }
        if (!this.stroke) {
            return false;
        }
        if (this.box !== null) {
            this.box.move(event);
        } else {
            this.pointer.between(this.stroke.last, event).forEach((hit) => this.#markUnder(hit));
            this.stroke.last = event;
        }
        return true;
    }

    pointerUp() {
        if (!this.stroke) {
            return false;
        }
        if (this.box !== null) {
            const surface = this.#surface(this.what);
            const vertices = this.box.vertices(surface, this.studio.activeIndex);
            this.#mark(this.what === 'points' ? vertices : facesWithin(surface, vertices));
            this.box.dispose();
            this.box = null;
        }
        this.stroke = null;
        this.#fillPanel();
        return true;
    }

    /** A second finger has come: what the first one began was not meant. */
    pointerCancel() {
        this.#cancelStroke();
        return true;
    }

    // The set as it was before the stroke that is under way.
    #cancelStroke() {
        if (this.stroke === null) {
            return;
        }
        const {before, stored} = this.stroke;
        this.box?.dispose();
        this.box = null;
        this.stroke = null;
        this.state = before;
        if (stored) {
            this.studio.undo();
        }
        this.#draw();
        this.#fillPanel();
    }

    #markUnder(hit) {
        const {vertices} = this.pointer.cover(hit);
        this.#mark(
            this.what === 'points'
                ? [hit.vertex, ...vertices]
                : [hit.face, ...facesWithin(hit.surface, vertices)]
        );
    }

    #mark(numbers) {
        if (this.state.mark(this.what, numbers, this.stroke.chosen)) {
            this.stroke.stored ||= this.state.whole;
            this.#store(
                this.what === 'points' ? 'Change the points of a set' : 'Change the faces of a set',
                this.stroke.merge
            );
            this.#draw();
        }
    }

    keyDown(event) {
        if (event.key === 'Escape' && this.stroke !== null) {
            this.#cancelStroke();
            return true;
        }
        if (event.key.toLowerCase() === 'b' && !event.ctrlKey && !event.altKey) {
            this.#setPicker(this.picker === 'box' ? 'brush' : 'box');
            return true;
        }
        const mirrors = this.state?.whole && this.sets.length < MOST_SETS;
        if (event.key.toLowerCase() === 'm' && !event.ctrlKey && !event.altKey && mirrors) {
            this.#mirrorSet();
            return true;
        }
        if (!event.shiftKey && brush.key(event, this.pointer.x)) {
            this.pointer.show();
            return true;
        }
        return false;
    }
}

export default new SetsTool();
