// SPDX-License-Identifier: Apache-2.0
//
// One muscle on its way into the document: a new one from its first curve to its end, which is one
// step of undo, or the points of one that is there. Goes on by itself when the tool is laid down.
import {freeName, hasSide, otherSide} from '../document/names.js';
import {put, remove} from '../document/ops.js';
import {join, last} from '../document/pointer.js';
import {addArguments, slideOps} from './draw-muscle.js';
import {Drawing} from './draw-state.js';
import {namesTaken, renameMuscleOps} from './muscle-names.js';
import {sizeAtRest} from './rest-shape.js';
import {written} from './vectors.js';

let works = 0;

export class DrawWork {
    /** @param {{edited(), appeared()}} told edited: the document or what is wrong has changed;
     *     appeared: the muscle is in the document now */
    constructor(studio, told) {
        this.studio = studio;
        this.slot = studio.active;
        this.opened = this.slot.opened;
        this.told = told;
        this.drawing = new Drawing();
        this.name = null;
        this.wish = null;
        this.skin = null;
        this.mirror = false;
        this.running = true;
        this.label = 'Draw a muscle';
        this.merge = `draw ${++works}`;
        this.failed = null;
        /** Whether it changes its own name or place: it may be missing for a moment. */
        this.adding = false;
        this.stepsBefore = 0;
        this.drawnRevision = null;
        this.again = false;
        this.adds = null;
        this.edits = new Set();
        this.end = null;
    }

    /** The curves of a muscle that is there. */
    static of(studio, told, path) {
        const work = new DrawWork(studio, told);
        const muscle = studio.get(path);
        Object.assign(work, {name: last(path), skin: muscle.skin, running: false, merge: null,
            drawing: Drawing.ofMuscle(muscle)});
        return work;
    }

    /** The muscle as the document has it, or undefined. */
    get muscle() {
        return this.name === null ? undefined : this.studio.get(this.path, this.slot);
    }

    get path() {
        return join('muscles', this.name);
    }

    get surface() {
        return this.slot.model?.surfaces.find((s) => s.layer === 'skin' && s.name === this.skin) ??
            null;
    }

    /** The size of the skin, by which coordinates are rounded. */
    get size() {
        return sizeAtRest(this.surface);
    }

    /** Whether there is something that Esc gives up. */
    get begun() {
        return this.running && !this.drawing.empty;
    }

    /** Whether the document that it is drawn in is still open. */
    get atHome() {
        return this.slot.opened === this.opened;
    }

    /** Whether changes of it are on their way. */
    get busy() {
        return this.adds !== null || this.edits.size > 0;
    }

    /** What is wrong now: what the server refused, or why the model cannot be made. */
    problem() {
        const error = this.failed ?? (this.name !== null ? this.slot.error : null);
        return error === null || error === undefined ? '' : error.text ?? error.message;
    }

    // ---- the curves

    /** Gives the document what is drawn now. */
    sync(label, merge = null) {
        if (!(this.name === null ? this.drawing.ready : this.drawing.complete)) {
            return Promise.resolve();
        }
        const anew = this.name === null ||
            (this.running && this.drawnRevision === this.slot.revision);
        return anew || this.adds !== null ? this.add() : this.writeCurves(label, merge);
    }

    /** Draws the muscle anew, as long as nothing else has changed it; the newest curves win. */
    add() {
        this.again = true;
        this.adds ??= this.addNewest().finally(() => {
            this.adds = null;
        });
        return this.adds;
    }

    async addNewest() {
        this.adding = true;
        const before = this.name;
        while (this.again && this.drawing.complete && this.atHome) {
            this.again = false;
            await this.addOnce();
        }
        this.adding = false;
        if (before !== this.name) {
            this.told.appeared();
        }
        this.told.edited();
    }

    async addOnce() {
        const {merge, label, slot} = this;
        if (this.name === null) {
            this.stepsBefore = slot.undo?.count ?? 0;
        }
        const name = this.name ?? this.wish ?? this.freeName(this.standardName());
        const args = addArguments(this.drawing, {name, skin: this.skin, size: this.size});
        try {
            const {revision} = await this.studio.call('muscle_add',
                {slot: slot.index, merge, label, ...args}, {quiet: true});
            this.name = name;
            this.drawnRevision = revision;
            this.failed = null;
        } catch (error) {
            this.failed = error;
        }
    }

    /** The side that the muscle is drawn on. */
    get side() {
        return this.drawing.curves[0][0][0] < 0 ? 'R' : 'L';
    }

    /** A name that is free, on the other side as well where that is wanted. */
    freeName(wish) {
        const taken = namesTaken(this.slot.document);
        return freeName(wish, this.mirror ? [...taken, ...taken.map(otherSide)] : taken);
    }

    /** A muscle with a mirror image needs a side. */
    standardName() {
        return this.mirror ? `muscle.${this.side}` : 'muscle';
    }

    writeCurves(label, merge) {
        const {path, size} = this;
        const curves = this.drawing.written().map((curve) => curve.map((p) => written(p, size)));
        const ends = this.drawing.closed ? [put(`${path}/ends`, 'closed')]
            : this.muscle?.ends === 'closed' ? [remove(`${path}/ends`)] : [];
        // A ring contracts fully; an open muscle that becomes one may hardly have done so.
        const slide = this.drawing.closed && this.muscle?.ends !== 'closed'
            ? slideOps(this.slot.document, this.name, 1) : [];
        return this.edit(label, [put(`${path}/curves`, curves), ...ends, ...slide], merge);
    }

    writeCenter(rest, merge) {
        return this.edit('Move the centre',
            [put(`${this.path}/center`, written(rest, this.size))], merge);
    }

    /** An edit that belongs to the step of the drawing while that runs. */
    async edit(label, ops, merge = null) {
        const sent = this.studio.edit(this.labelOf(label), ops,
            {merge: this.merge ?? merge, quiet: true, slot: this.slot});
        try {
            await this.wait(sent);
            this.failed = null;
        } catch (error) {
            this.failed = error;
        }
        this.told.edited();
    }

    /** Takes note of an edit that is on its way. */
    wait(sent) {
        const forget = () => this.edits.delete(sent);
        this.edits.add(sent);
        sent.then(forget, forget);
        return sent;
    }

    /** While the drawing runs everything is one step, with one name. */
    labelOf(label) {
        return this.running ? this.label : label;
    }

    // ---- the name

    /** Another name, everywhere. */
    async rename(name, label = 'Rename the muscle') {
        await this.adds;
        if (this.muscle === undefined) {
            return;
        }
        const ops = renameMuscleOps(this.studio.schema, this.slot.document, this.name, name);
        this.adding = true;
        try {
            await this.studio.edit(this.labelOf(label), ops, {merge: this.merge, slot: this.slot});
            this.name = name;
        } catch {
            // The studio has shown why; the muscle keeps its name.
        } finally {
            this.adding = false;
        }
    }

    // ---- the end

    async settled() {
        await this.adds;
        await Promise.allSettled([...this.edits]);
    }

    /** Ends the drawing: what is drawn stays, with its mirror image where that is wanted. */
    finish() {
        this.end ??= this.finishOnce();
        return this.end;
    }

    async finishOnce() {
        await this.settled();
        this.drawing.settle();
        if (this.mirror && this.muscle !== undefined) {
            await this.addMirror();
        }
        this.running = false;
        this.merge = null;
    }

    /** The mirror image, in the same step; needs a name with a side. */
    async addMirror() {
        if (!hasSide(this.name)) {
            await this.rename(this.freeName(`${this.name}.${this.side}`));
        }
        const {merge, label, slot} = this;
        await this.studio.call('muscle_mirror', {slot: slot.index, muscle: this.name, axis: 'x',
            at: 0, merge, label}).catch(() => {});
    }

    /** Its document is gone. */
    abandon() {
        this.running = false;
    }

    /** Gives the drawing up; the document is as before. */
    async giveUp() {
        await this.settled();
        const {undo} = this.slot;
        const own = this.running && this.name !== null && undo?.label === this.label &&
            undo.count > this.stepsBefore;
        this.running = false;
        if (own) {
            await this.studio.undo(this.slot);
        }
    }
}
