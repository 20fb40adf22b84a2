// SPDX-License-Identifier: Apache-2.0
//
// Draw a muscle: two curves on the skin, in any pose. The muscle is there as soon as the second
// curve has enough points; everything up to Enter is one step of undo. A muscle that is selected
// can be drawn on: its points move, come and go.
import {join} from '../document/pointer.js';
import {restOfHit} from './draw-carry.js';
import {DrawPanel} from './draw-panel.js';
import {DrawView} from './draw-view.js';
import {DrawWork} from './draw-work.js';
import {Holder} from './holder.js';
import {distance} from './vectors.js';

const CLICK_PIXELS = 6; // a pointer that moves further draws
const CLOSE_PIXELS = 16; // a line drawn by hand that ends so near to its beginning is a ring

let drags = 0;

class DrawTool {
    id = 'draw';
    title = 'Draw';
    icon = 'curves';
    key = 'D';
    help = 'Draw two curves on the skin, from origin to insertion: the muscle lies between them. ' +
        'Click points, or draw with the button held. Closed curves make a ring.';

    enter(studio) {
        this.studio = studio;
        this.holder = new Holder(studio);
        this.panelView = null;
        this.mirror = false;
        this.loan = null;
        this.offs = [];
        this.open();
        for (const signal of ['model', 'geometry', 'frame']) {
            this.offs.push(studio.on(signal, () => this.skinChanged()));
        }
        this.offs.push(studio.on('document', () => this.documentChanged()));
        this.offs.push(studio.on('selection', () => this.selectionChanged()));
        this.offs.push(studio.on('held', () => this.panelView?.showHeld()));
        this.offs.push(studio.on('slot', (slot) => {
            // What happens to the character beside is no reason to begin anew.
            if (slot === studio.active || this.slot !== studio.active) {
                this.reopen();
            }
        }));
    }

    leave() {
        this.offs.forEach((off) => off());
        this.holder.release();
        this.close();
        this.seeThrough(false);
        this.panelView = null;
    }

    panel(element) {
        this.panelView = new DrawPanel(this, element);
        this.panelView.build();
    }

    // ---- what is drawn on

    get slot() {
        return this.work.slot;
    }

    get drawing() {
        return this.work.drawing;
    }

    get running() {
        return this.work.running;
    }

    get name() {
        return this.work.name;
    }

    /** The muscle of the document that is drawn, or undefined. */
    get muscle() {
        return this.work.muscle;
    }

    get skins() {
        return (this.slot.model?.surfaces ?? [])
            .filter((s) => s.layer === 'skin' && s.shown && !s.feature).map((s) => s.name);
    }

    /** Begins with what is selected, or with nothing. */
    open() {
        this.view = new DrawView(this.studio.viewport, this.studio.activeIndex);
        const path = this.studio.selection?.path ?? '';
        if (this.isPatch(path)) {
            this.edit(path);
        } else {
            this.begin();
        }
    }

    /** Leaves the drawing: a muscle that is there is finished, as Enter does it. */
    close() {
        const {work} = this;
        work.told = {edited() {}, appeared() {}};
        if (work.running && work.atHome && (work.name !== null || work.busy)) {
            work.finish();
        }
        this.view.dispose();
    }

    /** Another character is active, or another document in the place of the one drawn on. */
    reopen() {
        if (this.slot === this.studio.active) {
            this.work.abandon();
        }
        this.close();
        this.open();
    }

    isPatch(path) {
        return path.startsWith('/muscles/') && this.studio.get(path)?.kind === 'patch';
    }

    /** Starts a new drawing. */
    begin() {
        this.take(new DrawWork(this.studio, this.told()));
        this.work.mirror = this.mirror;
        this.work.skin = this.skins[0] ?? null;
        this.reset();
    }

    /** Goes on with a muscle of the document. */
    edit(path) {
        this.take(DrawWork.of(this.studio, this.told(), path));
        this.reset();
        this.seeThrough(true);
    }

    take(work) {
        if (this.work !== undefined) {
            this.work.told = {edited() {}, appeared() {}};
        }
        this.work = work;
    }

    told() {
        return {edited: () => this.documentChanged(), appeared: () => {
            this.seeThrough(true);
            this.panelView?.build();
        }};
    }

    reset() {
        this.chosen = null;
        this.stroke = null;
        this.drag = null;
        this.skinChanged();
        this.panelView?.build();
    }

    skinChanged() {
        this.work.skin ??= this.skins[0] ?? null;
        this.view.setSkin(this.work.surface);
        this.show();
        this.panelView?.say();
    }

    documentChanged() {
        const {work, muscle} = this;
        if (work.name !== null && muscle === undefined && !work.adding) {
            this.begin();
            return;
        }
        const same = (points) => JSON.stringify(points);
        const settled = this.drag === null && !work.running && !work.busy;
        if (muscle !== undefined && settled && same(muscle.curves) !== same(this.drawing.curves)) {
            const counts = () => this.drawing.curves.map((curve) => curve.length).join();
            const before = counts();
            this.drawing.takeOver(muscle);
            // Coordinates that were rounded are the same points.
            this.chosen = counts() === before ? this.chosen : null;
        }
        this.show();
        this.panelView?.refresh();
    }

    selectionChanged() {
        const path = this.studio.selection?.path ?? null;
        if (path === null || path === join('muscles', this.name ?? '')) {
            return;
        }
        if (this.isPatch(path) && !this.work.begun) {
            this.edit(path);
        }
    }

    show() {
        const center = this.drawing.closed && this.drawing.complete
            ? this.muscle?.center ?? this.drawing.middle() : null;
        this.view.show({drawing: this.drawing, chosen: this.chosen,
            stroke: this.stroke?.free ? this.stroke.line : [], center, running: this.running});
    }

    /** The muscle lies below the skin: that is made clear while one is there. */
    seeThrough(on) {
        const {viewport} = this.studio;
        if (on && this.loan === null && viewport.layers.skin.mode === 'shown') {
            this.loan = viewport.lendLayers({skin: {mode: 'clear'}});
        } else if (!on) {
            this.loan?.giveBack();
            this.loan = null;
        }
    }

    // ---- the pointer

    pixel(event) {
        const {x, y} = this.studio.viewport.localPoint(event);
        return [x, y];
    }

    hit(event) {
        const hit = this.studio.viewport.pick(event, {layers: ['skin'], slot: this.slot.index});
        if (hit === null || hit.surface.feature) {
            return null;
        }
        if (this.drawing.empty && this.name === null) {
            this.work.skin = hit.surface.name;
            this.view.setSkin(hit.surface);
        }
        if (hit.surface.name !== this.work.skin) {
            return null;
        }
        const rest = restOfHit(hit.surface, hit);
        this.view.know(rest, hit);
        return rest;
    }

    pointerDown(event) {
        if (event.button !== 0 || event.altKey) {
            return false;
        }
        const mark = this.view.find(event);
        // While drawing, a click beside a curve is the next point; with Ctrl it is put into it.
        if (mark !== null && !(this.running && mark.data.kind === 'curve' && !event.ctrlKey)) {
            this.grip(mark, event);
            return true;
        }
        const rest = this.running ? this.hit(event) : null;
        if (rest === null) {
            return false;
        }
        this.stroke = {line: [rest], from: this.pixel(event), free: false};
        return true;
    }

    grip({data}, event) {
        if (data.kind === 'curve') {
            const rest = this.hit(event);
            if (rest === null) {
                return;
            }
            const index = this.drawing.insert(data.curve, rest);
            this.beginDrag({kind: 'point', curve: data.curve, index}, event, true);
        } else {
            this.beginDrag(data, event, false);
        }
    }

    beginDrag(data, event, changed) {
        const {kind, curve, index} = data;
        const point = kind === 'point';
        this.drag = {...data, from: this.pixel(event), changed, merge: `move ${++drags}`,
            before: point ? this.drawing.curves[curve][index] : undefined};
        this.chosen = point ? {curve, index} : null;
        this.show();
        this.panelView?.say();
        if (changed) {
            this.sync('Add a curve point');
        }
    }

    pointerMove(event) {
        if (this.stroke !== null) {
            this.continueStroke(event);
            return true;
        }
        if (this.drag === null) {
            return false;
        }
        if (!this.drag.changed && distance(this.pixel(event), this.drag.from) < 3) {
            return true;
        }
        const rest = this.hit(event);
        if (rest !== null) {
            this.drag.changed = true;
            this.moveTo(rest);
        }
        return true;
    }

    moveTo(rest) {
        if (this.drag.kind === 'center') {
            this.work.writeCenter(rest, this.drag.merge);
            return;
        }
        this.drawing.move(this.drag.curve, this.drag.index, rest);
        this.show();
        this.sync('Move a curve point');
    }

    continueStroke(event) {
        const rest = this.hit(event);
        if (distance(this.pixel(event), this.stroke.from) > CLICK_PIXELS) {
            this.stroke.free = true;
        }
        if (rest !== null && this.stroke.free) {
            this.stroke.line.push(rest);
            this.show();
        }
    }

    pointerUp(event) {
        if (this.stroke !== null) {
            this.endStroke(event);
            return true;
        }
        if (this.drag === null) {
            return false;
        }
        const {kind, curve, index, changed} = this.drag;
        this.drag = null;
        const closes = !changed && this.running && kind === 'point' && index === 0 &&
            curve === this.drawing.current && this.drawing.curves[curve].length > 2;
        if (closes) {
            this.setRing(true);
            this.goOn();
        }
        this.show();
        return true;
    }

    /** A second finger has come: what the first one began was not meant. */
    pointerCancel() {
        this.stroke = null;
        this.drag = null;
        this.show();
        return true;
    }

    endStroke(event) {
        const {line, from, free} = this.stroke;
        this.stroke = null;
        if (free && line.length > 2) {
            const ring = distance(this.pixel(event), from) < CLOSE_PIXELS && line.length > 12;
            const first = this.drawing.current === 0;
            this.drawing.addFreehand(line, ring);
            if (first) {
                this.drawing.next();
            }
        } else {
            this.drawing.add(line[0]);
        }
        this.drawingChanged(this.work.label);
    }

    // ---- keys and buttons

    keyDown(event) {
        const run = this.actionOf(event);
        if (run === null) {
            return false;
        }
        event.preventDefault();
        run();
        return true;
    }

    /** What a key does now; null: nothing here. */
    actionOf({key, ctrlKey, metaKey, altKey, shiftKey, target}) {
        if (ctrlKey || metaKey) {
            const undoes = key.toLowerCase() === 'z' && !altKey && !shiftKey;
            return undoes && this.isBeforeMuscle() ? () => this.stepBack() : null;
        }
        if (altKey || (key === 'Enter' && target.closest?.('button, summary'))) {
            return null;
        }
        const flip = () => this.setMirror(!this.mirror);
        return {Enter: () => this.goOn(), Backspace: () => this.removeLast(),
            Delete: () => this.removeChosen(), Escape: this.escape(), x: flip,
            X: flip}[key] ?? null;
    }

    /** What Esc gives up: what the pointer does, then the drawing; null: there is nothing. */
    escape() {
        if (this.stroke !== null || this.drag !== null) {
            return () => this.dropGesture();
        }
        return this.work.begun ? () => this.cancel() : null;
    }

    dropGesture() {
        const {drag} = this;
        this.stroke = null;
        if (drag?.before !== undefined && drag.changed) {
            this.moveTo(drag.before);
        }
        this.drag = null;
        this.show();
    }

    /** Whether points are drawn that the document, and so its undo, does not know. */
    isBeforeMuscle() {
        return this.work.begun && this.name === null && !this.work.busy;
    }

    stepBack() {
        this.drawing.undo();
        this.drawingChanged(this.work.label);
    }

    /** From the first curve to the second; from the second to the end. */
    async goOn() {
        const {work} = this;
        if (!work.running) {
            return;
        }
        if (this.drawing.current === 0) {
            this.drawing.next();
        } else if (this.drawing.complete) {
            await (work.name === null ? work.add() : null);
            await (work.name === null ? null : this.end(work));
        }
        this.show();
        this.panelView?.say();
    }

    async end(work) {
        await work.finish();
        if (this.work !== work || this.panelView === null) {
            return;
        }
        this.chosen = null;
        this.studio.select(work.path);
        this.panelView.build();
    }

    /** Gives up the drawing; the document is as before. */
    async cancel() {
        const {work} = this;
        await work.giveUp();
        if (this.work === work) {
            this.begin();
        }
    }

    removeLast() {
        if (!this.running) {
            this.removeChosen();
            return;
        }
        this.drawing.removeLast();
        this.drawingChanged(this.work.label);
    }

    removeChosen() {
        if (this.chosen === null) {
            return;
        }
        const {curve, index} = this.chosen;
        if (this.name !== null && !this.drawing.canRemove(curve)) {
            this.studio.notice(`A curve needs ${this.drawing.least} points.`, 'warning');
            return;
        }
        this.drawing.remove(curve, index);
        this.drawingChanged('Remove a curve point');
    }

    /** Points have come or gone. */
    drawingChanged(label) {
        this.chosen = null;
        this.show();
        this.panelView?.say();
        this.sync(label);
    }

    setRing(on) {
        this.drawing.closed = on;
        this.show();
        this.panelView?.say();
        this.sync(this.work.label);
    }

    setMirror(on) {
        this.mirror = on;
        this.work.mirror = on;
        this.panelView?.say();
    }

    /** Gives the document what is drawn now; a drag is one step. */
    sync(label) {
        return this.work.sync(label, this.drag?.merge ?? null);
    }
}

export default new DrawTool();
