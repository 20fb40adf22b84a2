// SPDX-License-Identifier: Apache-2.0
//
// The one object that every part of the page gets: what is known of the characters at work, and
// the ways to change it.
import {heldLabel, heldName, heldValues} from '../document/joints.js';
import {apply} from '../document/ops.js';
import {get as getAt} from '../document/pointer.js';
import {kindsAt, schemaAt} from '../document/schema.js';
import {KIND, decode} from './decode.js';
import {Edits} from './edits.js';
import {StudioError} from './errors.js';
import {Model, makeFrame} from './model.js';
import {Shortcuts} from './shortcuts.js';
import {Signals} from './signals.js';
import {showToast} from './toast.js';
import {takeTyped} from './typing.js';

function emptySlot(index) {
    return {index, document: null, revision: 0, path: null, name: null, dirty: false, undo: null,
        redo: null, model: null, frame: null, held: {}, kept: [], building: null,
        computing: null, error: null, quantityNumber: 0, opened: 0};
}

// What the server is asked for an edit, or for values that are held or released.
function requestOf({ops, hold, release, label, merge}, {revision}) {
    if (ops !== undefined) {
        return ['edit', {revision, label, merge, ops, release}];
    }
    return hold !== undefined ? ['hold', {values: hold, label, merge}]
        : ['release', {names: release, label, merge}];
}

function isControl(slot, name) {
    return (slot.model?.controlIndex(name) ?? -1) >= 0;
}

export class Studio {
    #signals = new Signals();
    #edits = new Edits((edit) => this.#sendEdit(edit));
    #greeting = false;
    #restarted = false; // the server that greets is another one than before

    constructor(wire) {
        this.wire = wire;
        this.slots = [emptySlot(0), emptySlot(1)];
        this.activeIndex = 0;
        this.selection = null;
        /** Paths of what is selected besides. */
        this.alsoSelected = [];
        this.time = {frame: 0, time: 0, playing: false, loop: true, speed: 1, every: false,
            first: 0, last: 0, rate: 30, range: null, clip: null};
        this.jobs = new Map();
        this.schema = null;
        this.welcome = null;
        this.connection = 'connecting';
        /** Whether it is known what is open. */
        this.ready = false;
        this.shortcuts = new Shortcuts();
        /** Set by main.js: Viewport, Toolbox, Layout, Theme. */
        this.viewport = null;
        this.toolbox = null;
        this.layout = null;
        this.theme = null;
        this.#listen();
    }

    on(signal, listener) {
        return this.#signals.on(signal, listener);
    }

    emit(signal, ...values) {
        this.#signals.emit(signal, ...values);
    }

    // ---- the document

    /** The slot that edits go to. */
    get active() {
        return this.slots[this.activeIndex];
    }

    /** Whether no character is open. */
    get empty() {
        return this.slots.every(({document}) => document === null);
    }

    setActive(index) {
        if (index !== this.activeIndex && this.slots[index].document !== null) {
            this.activeIndex = index;
            this.select(null);
            this.emit('slot', this.active);
        }
    }

    get(path, slot = this.active) {
        return getAt(slot.document, path);
    }

    schemaAt(path, slot = this.active) {
        return this.schema === null ? null : schemaAt(this.schema, slot.document, path);
    }

    kindsAt(path, slot = this.active) {
        return this.schema === null ? [] : kindsAt(this.schema, slot.document, path);
    }

    /**
     * Changes the document. Edits and held values with the same `merge` that follow each other are
     * one step of undo, and so are an edit and the held values of `release` (names) that it
     * releases. What the server refuses is shown as a notice unless `quiet`, and rejects.
     */
    edit(label, ops, {merge = null, slot = this.active, quiet = false, release = []} = {}) {
        const index = typeof slot === 'number' ? slot : slot.index;
        const released = release.length > 0 ? {release} : {};
        return this.#told(this.#edits.add({label, ops, merge, slot: index, ...released}), quiet);
    }

    /** Takes back the last step; where there is none, nothing happens. */
    undo(slot = this.active) {
        return this.#step('undo', slot);
    }

    redo(slot = this.active) {
        return this.#step('redo', slot);
    }

    /**
     * Any other request that belongs to the active slot, after all edits that were made before;
     * refusals are shown unless `quiet`.
     */
    call(name, args = {}, {quiet = false} = {}) {
        takeTyped();
        return this.#told(this.#edits.after(() => this.wire.call(name, args)), quiet);
    }

    /** Resolves when the server has got all that was typed and done until now. */
    settled() {
        takeTyped();
        return this.#edits.idle();
    }

    /**
     * @param {string|null} path of what is selected, such as '/muscles/biceps'
     * @param {number|null} surface that was clicked, where an entry has several: mirror images
     * @param {string[]} also paths of what else is selected
     */
    select(path, surface = null, also = []) {
        const before = this.selection;
        const others = path === null ? [] : also;
        if (path !== (before?.path ?? null) || (path !== null && surface !== before.surface) ||
            others.join() !== this.alsoSelected.join()) {
            this.selection = path === null ? null : {path, surface};
            this.alsoSelected = others;
            this.emit('selection', this.selection);
        }
    }

    /** All that is selected, by path; the last one is that of `selection`. */
    get selectedPaths() {
        return this.selection === null ? [] : [...this.alsoSelected, this.selection.path];
    }

    /** The surface that is selected, of several of one entry the one that was clicked, or null. */
    get selectedSurface() {
        const {path = null, surface = null} = this.selection ?? {};
        const all = path === null ? [] : this.active.model?.surfacesOf(path) ?? [];
        return all.find(({index}) => index === surface) ?? all[0] ?? null;
    }

    // ---- motion

    seek(frame) {
        return this.#told(this.wire.call('seek', {frame: Math.round(frame)}));
    }

    play() {
        return this.#told(this.wire.call('play'));
    }

    stop() {
        return this.#told(this.wire.call('stop'));
    }

    /**
     * Holds parameters, whatever the clip says. It is a step of undo as an edit is, with the same
     * `merge`. @param {Object<string, number>} values
     */
    hold(values, {label = null, merge = null, slot = this.active} = {}) {
        const named = heldValues(values, (name) => isControl(slot, name));
        const done = this.#edits.add({hold: named, merge, slot: slot.index,
            label: label ?? heldLabel('Hold', Object.keys(named))});
        done.then(() => this.emit('hold', slot, named, merge), () => {});
        return this.#told(done);
    }

    /** @param {string[]|null} names null: all */
    release(names = null, {label = null, merge = null, slot = this.active} = {}) {
        const held = names?.map((name) => (isControl(slot, name) ? name : heldName(name))) ?? null;
        return this.#told(this.#edits.add({release: held, merge, slot: slot.index,
            label: label ?? heldLabel('Release', held)}));
    }

    // ---- tools, notices

    get tool() {
        return this.toolbox?.current ?? null;
    }

    setTool(id) {
        this.toolbox.set(id);
    }

    /** A short text for the user. @param {'info'|'warning'|'error'} level */
    notice(text, level = 'info') {
        showToast(text, level);
    }

    /** Shows what went wrong. */
    report(error) {
        this.notice(error instanceof StudioError ? error.text : error.message, 'error');
    }

    // ---- what the server sends

    #listen() {
        const wire = this.wire;
        wire.onState((state) => this.#connectionChanged(state));
        wire.onBytes((bytes) => this.#bytesArrived(bytes));
        wire.on('welcome', (event) => {
            this.#restarted = this.welcome !== null && event.session !== this.welcome.session;
            this.welcome = event;
            this.slots.forEach((slot) => Object.assign(slot, {computing: null}));
            this.jobs.clear(); // those that still run are told anew; a new server counts from 1
            this.schema = event.schema;
            this.emit('welcome', event);
        });
        wire.on('document', (event) => this.#documentChanged(event));
        wire.on('model', (event) => this.#modelChanged(event));
        wire.on('model_error', ({slot, error, model}) => this.#update(slot, 'model',
            {error: new StudioError(error), building: null,
                ...(model === null ? {model: null, frame: null} : {})}));
        wire.on('building', ({slot, revision, fraction, step}) => this.#update(slot, 'building',
            {building: {revision, fraction, step}}));
        wire.on('computing', ({slot, frame, of}) => this.#update(slot, 'building',
            {computing: frame === null ? null : {frame, of}}));
        wire.on('time', ({event, ...time}) => {
            this.time = {...this.time, ...time};
            this.emit('time', this.time);
        });
        wire.on('held', ({slot, values}) => this.#update(slot, 'held',
            {held: heldValues(values, (name) => isControl(this.slots[slot], name))}));
        // [first, last, first, last, ...]: frames that the server need not evaluate again.
        wire.on('kept', ({slot, spans}) => this.#update(slot, 'kept', {kept: spans}));
        wire.on('job', ({event, ...job}) => {
            this.jobs.set(job.job, job);
            this.emit('jobs', job);
        });
        wire.on('notice', ({level, text}) => this.notice(text, level));
    }

    #connectionChanged(state) {
        this.connection = state;
        if (state === 'open') {
            this.#greet();
        }
        this.emit('connection', state);
    }

    // The server sends everything as events and then answers: what is open is known now. After a
    // lost connection that is the way back.
    async #greet() {
        this.#greeting = true;
        try {
            await this.wire.call('hello');
            this.ready = true;
            this.emit('ready');
        } catch (error) {
            this.report(error);
        }
        this.#greeting = false;
    }

    #update(index, signal, values) {
        const slot = this.slots[index];
        Object.assign(slot, values);
        this.emit(signal, slot);
    }

    #documentChanged(event) {
        const slot = this.slots[event.slot];
        const had = slot.document !== null;
        const another = had && this.#isAnother(slot, event);
        slot.document = apply(slot.document, event.patch);
        const {revision, path = null, name = null, dirty = false, undo = null, redo = null} = event;
        Object.assign(slot, {revision, path, name, dirty, undo, redo});
        // What was begun for one document must not go into another: tools look at `opened`.
        const opened = slot.opened + 1;
        if (slot.document === null) {
            Object.assign(slot, emptySlot(slot.index), {opened});
        } else if (another) {
            Object.assign(slot, {model: null, frame: null, held: {}, building: null,
                computing: null, error: null, opened});
        }
        this.#checkReferences(slot, had, another);
        this.emit('document', slot, event);
    }

    // Whether another document comes in the place of the one that is here. To a page that was away
    // for a moment its own comes as a whole, too; but all that a new server says is new, for its
    // numbers begin again.
    #isAnother(slot, {patch, by, path = null, name = null}) {
        const whole = patch.length === 1 && patch[0].path === '' && !by;
        return whole && (!this.#greeting || this.#restarted || path !== slot.path || name !== slot.name);
    }

    // Nothing that is gone stays selected or active.
    #checkReferences(slot, had, another) {
        const gone = slot.document === null;
        const isThere = (path) => !gone && !another && getAt(slot.document, path) !== undefined;
        if (slot === this.active && this.selection !== null &&
            !this.selectedPaths.every(isThere)) {
            const left = this.selectedPaths.filter(isThere);
            this.select(left.pop() ?? null, null, left);
        }
        // Of two, the one that is left is worked on.
        if (this.active.document === null) {
            this.activeIndex = this.slots.find(({document}) => document !== null)?.index ?? 0;
        }
        if (gone === had || another) {
            this.emit('slot', slot);
        }
    }

    #modelChanged(event) {
        const slot = this.slots[event.slot];
        const before = slot.model;
        slot.model = new Model(event);
        if (before !== null) {
            slot.model.keepShapes(before);
        }
        slot.building = null;
        slot.error = null;
        this.emit('model', slot);
    }

    #bytesArrived(bytes) {
        const message = decode(bytes);
        const slot = this.slots[message.slot];
        if (slot?.model?.serial === message.model) {
            // Values of a quantity that was asked for before are not those of this one.
            const late = message.kind === KIND.frame && message.view !== slot.quantityNumber;
            const blocks = slot.model.take(late
                ? message.blocks.filter(({what}) => what !== 'values') : message.blocks);
            if (message.kind === KIND.geometry) {
                this.emit('geometry', slot);
            } else {
                slot.frame = makeFrame(message, blocks, slot.frame);
                this.#followFrame(slot);
                this.emit('frame', slot);
            }
        }
        if (message.kind === KIND.frame) {
            this.wire.tell('ack', {serial: message.serial});
        }
    }

    /** The slot whose frames the playhead counts: the first one with a motion. */
    get lead() {
        return this.slots.find(({model}) => model?.clip) ?? this.slots[0];
    }

    // While it plays, frames tell where the playhead is.
    #followFrame(slot) {
        if (this.time.playing && slot === this.lead) {
            this.time = {...this.time, frame: slot.frame.number, time: slot.frame.time};
            this.emit('time', this.time);
        }
    }

    // A step of undo has its place among the edits.
    #step(step, slot) {
        takeTyped();
        return this.#told(this.#edits.add({step, slot: slot.index}));
    }

    async #sendEdit({step = null, slot: index, ...edit}) {
        const slot = this.slots[index];
        // Whether there is a step is known now, when all that was done before it is through.
        if (step !== null && slot[step] === null) {
            return null;
        }
        const [name, args] = step !== null ? [step, {}] : requestOf(edit, slot);
        const answer = await this.wire.call(name, {slot: index, ...args});
        // The next edit builds on this one, also where the event comes after the answer.
        slot.revision = Math.max(slot.revision, answer?.revision ?? 0);
        return answer;
    }

    #told(promise, quiet = false) {
        if (!quiet) {
            promise.catch((error) => this.report(error));
        }
        return promise;
    }
}
