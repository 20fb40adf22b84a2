// SPDX-License-Identifier: Apache-2.0
//
// Draw a muscle: two curves on the skin, in any pose. The muscle is there as soon as the second
// curve has enough points; everything up to Enter is one step of undo. A muscle that is selected
// can be drawn on: its points move, come and go.
import {put, remove} from '../core/ops.js';
import {join, last} from '../core/pointer.js';
import {restOfHit} from './draw-carry.js';
import {addArguments, firstValues, freeName, renameOps, swellOps} from './draw-muscle.js';
import {DrawPanel} from './draw-panel.js';
import {Drawing} from './draw-state.js';
import {DrawView} from './draw-view.js';
import {hasSide} from './cylinder-places.js';
import {Holder} from './holder.js';
import {boxOf, distance, written} from './vectors.js';

const CLICK_PIXELS = 6; // a pointer that moves further draws
const CLOSE_PIXELS = 16; // a line drawn by hand that ends so near to its beginning is a ring

let drawings = 0;

class DrawTool {
    id = 'draw';
    title = 'Draw a muscle';
    icon = 'curves';
    key = 'D';
    help = 'Two curves on the skin, from origin to insertion; the muscle lies between them. ' +
        'Click points or draw with the button held; closed curves make a ring.';

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
        this.offs.push(studio.on('slot', () => this.reopen()));
    }

    leave() {
        this.offs.forEach((off) => off());
        this.holder.release();
        this.view.dispose();
        this.seeThrough(false);
        this.panelView = null;
    }

    panel(element) {
        this.panelView = new DrawPanel(this, element);
        this.panelView.build();
    }

    // ---- what is drawn on

    get slot() {
        return this.studio.active;
    }

    /** The muscle of the document that is drawn, or undefined. */
    get muscle() {
        return this.name === null ? undefined : this.studio.get(join('muscles', this.name));
    }

    get surface() {
        return this.slot.model?.surfaces.find((s) => s.layer === 'skin' && s.name === this.skin) ??
            null;
    }

    get skins() {
        return (this.slot.model?.surfaces ?? [])
            .filter((s) => s.layer === 'skin' && s.shown && !s.feature).map((s) => s.name);
    }

    /** Begins with what is selected, or with nothing. */
    open() {
        this.view = new DrawView(this.studio.viewport, this.slot.index);
        const path = this.studio.selection?.path ?? '';
        const muscle = path.startsWith('/muscles/') ? this.studio.get(path) : undefined;
        if (muscle?.kind === 'patch') {
            this.edit(path, muscle);
        } else {
            this.begin();
        }
    }

    reopen() {
        this.view.dispose();
        this.open();
    }

    /** Starts a new drawing. */
    begin() {
        this.drawing = new Drawing();
        this.name = null;
        this.wish = null;
        this.skin = this.skins[0] ?? null;
        this.drawnRevision = null;
        this.again = false;
        this.running = true;
        this.merge = `draw ${++drawings}`;
        this.label = 'Draw a muscle';
        this.reset();
    }

    /** Goes on with a muscle of the document. */
    edit(path, muscle) {
        this.drawing = Drawing.ofMuscle(muscle);
        this.name = last(path);
        this.skin = muscle.skin;
        this.running = false;
        this.merge = null;
        this.reset();
        this.seeThrough(true);
    }

    reset() {
        this.chosen = null;
        this.stroke = null;
        this.drag = null;
        this.adding = false;
        this.work = null;
        this.writing = 0;
        this.failed = null;
        this.skinChanged();
        this.panelView?.build();
    }

    skinChanged() {
        if (this.skin === null) {
            this.skin = this.skins[0] ?? null;
        }
        this.view.setSkin(this.surface);
        this.show();
        this.panelView?.say();
    }

    documentChanged() {
        if (this.name !== null && this.muscle === undefined && !this.adding) {
            this.begin();
            return;
        }
        const same = (points) => JSON.stringify(points);
        const settled = this.drag === null && !this.running && this.writing === 0;
        if (this.muscle !== undefined && settled &&
            same(this.muscle.curves) !== same(this.drawing.curves)) {
            const counts = (drawing) => drawing.curves.map((curve) => curve.length).join();
            const before = counts(this.drawing);
            this.drawing = Drawing.ofMuscle(this.muscle);
            // Coordinates that were rounded are the same points.
            this.chosen = counts(this.drawing) === before ? this.chosen : null;
        }
        this.show();
        this.panelView?.refresh();
    }

    selectionChanged() {
        const path = this.studio.selection?.path ?? null;
        if (path === null || path === join('muscles', this.name ?? '')) {
            return;
        }
        const muscle = path.startsWith('/muscles/') ? this.studio.get(path) : undefined;
        if (muscle?.kind === 'patch' && !(this.running && !this.drawing.empty)) {
            this.edit(path, muscle);
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
            this.skin = hit.surface.name;
            this.view.setSkin(hit.surface);
        }
        return hit.surface.name === this.skin ? restOfHit(hit.surface, hit) : null;
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
        this.drag = {...data, from: this.pixel(event), changed, merge: this.merge ??
            `move ${++drawings}`};
        this.chosen = data.kind === 'point' ? {curve: data.curve, index: data.index} : null;
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
            this.writeCenter(rest);
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
        this.chosen = null;
        this.show();
        this.panelView?.say();
        this.sync('Draw a muscle');
    }

    // ---- keys and buttons

    keyDown(event) {
        const run = {
            Enter: () => this.goOn(), Escape: () => this.cancel(),
            Backspace: () => this.takeBack(), Delete: () => this.removeChosen(),
            x: () => this.setMirror(!this.mirror), X: () => this.setMirror(!this.mirror),
        }[event.key];
        const onButton = event.key === 'Enter' && event.target.closest?.('button, summary');
        if (run === undefined || event.ctrlKey || event.metaKey || event.altKey || onButton) {
            return false;
        }
        event.preventDefault();
        run();
        return true;
    }

    /** From the first curve to the second; from the second to the end. */
    async goOn() {
        if (!this.running) {
            return;
        }
        if (this.drawing.current === 0) {
            this.drawing.next();
        } else if (this.drawing.complete) {
            await (this.name === null ? this.add() : null);
            if (this.name !== null) {
                await this.end();
            }
        }
        this.show();
        this.panelView?.say();
    }

    async end() {
        this.drawing.settle();
        await this.sync(this.label);
        await this.swell();
        this.running = false;
        if (this.mirror) {
            await this.addMirror();
        }
        this.merge = null;
        this.chosen = null;
        this.show();
        this.studio.select(join('muscles', this.name));
        this.panelView?.build();
    }

    /** A new muscle bulges rather than pulls at the skin. */
    swell() {
        const ops = this.muscle === undefined ? [] : swellOps(this.slot.document, this.name);
        return !this.running || ops.length === 0 ? null
            : this.studio.edit(this.label, ops, {merge: this.merge}).catch(() => {});
    }

    /** The mirror image, in the same step; needs a name with a side. */
    async addMirror() {
        if (!hasSide(this.name)) {
            const side = this.drawing.curves[0][0][0] < 0 ? 'R' : 'L';
            const name = freeName(this.studio.get('/muscles'), `${this.name}.${side}`);
            const ops = renameOps(this.slot.document, this.name, name);
            this.adding = true;
            await this.studio.edit(this.label, ops, {merge: this.merge});
            this.name = name;
            this.adding = false;
        }
        await this.studio.call('muscle_mirror', {slot: this.slot.index, muscle: this.name,
            axis: 'x', at: 0, merge: this.merge, label: this.label}).catch(() => {});
    }

    /** Gives up the drawing; the document is as before. */
    async cancel() {
        await this.work;
        if (this.running && this.name !== null && this.slot.undo?.label === this.label) {
            await this.studio.undo();
        }
        if (!this.running) {
            this.studio.select(null);
        }
        this.begin();
    }

    takeBack() {
        if (!this.running) {
            this.removeChosen();
            return;
        }
        this.drawing.takeBack();
        this.chosen = null;
        this.show();
        this.panelView?.say();
        this.sync(this.label);
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
        this.chosen = null;
        this.show();
        this.sync('Remove a curve point');
    }

    setRing(on) {
        this.drawing.closed = on;
        this.show();
        this.panelView?.say();
        this.sync(this.label);
    }

    setMirror(on) {
        this.mirror = on;
        this.panelView?.say();
    }

    // ---- the document

    /** Gives the document what is drawn now. */
    sync(label) {
        if (!(this.name === null ? this.drawing.ready : this.drawing.complete)) {
            return Promise.resolve();
        }
        const anew = this.name === null ||
            (this.running && this.drawnRevision === this.slot.revision);
        return anew || this.work !== null ? this.add() : this.writeCurves(label);
    }

    /** Draws the muscle anew, as long as nothing else has changed it; the newest curves win. */
    add() {
        this.again = true;
        this.work ??= this.addNewest().finally(() => {
            this.work = null;
        });
        return this.work;
    }

    async addNewest() {
        this.adding = true;
        const before = this.name;
        while (this.again && this.drawing.complete) {
            this.again = false;
            await this.addOnce();
        }
        this.adding = false;
        if (before !== this.name) {
            this.seeThrough(true);
            this.panelView?.build();
        }
        this.documentChanged();
    }

    async addOnce() {
        const wish = this.wish ?? freeName(this.studio.get('/muscles'), this.standardName());
        const name = this.name ?? wish;
        const values = firstValues(this.drawing);
        const args = addArguments(this.drawing, {name, skin: this.skin, values, size: this.size()});
        const {merge, label} = this;
        try {
            const {revision} = await this.studio.wire.call('muscle_add',
                {slot: this.slot.index, merge, label, ...args});
            this.name = name;
            this.drawnRevision = revision;
            this.failed = null;
        } catch (error) {
            this.failed = error;
        }
    }

    /** A muscle with a mirror image needs a side. */
    standardName() {
        const side = this.drawing.curves[0][0][0] < 0 ? 'R' : 'L';
        return this.mirror ? `muscle.${side}` : 'muscle';
    }

    async writeCurves(label) {
        const path = join('muscles', this.name);
        const size = this.size();
        const curves = this.drawing.written().map((curve) => curve.map((p) => written(p, size)));
        const ends = this.drawing.closed ? [put(`${path}/ends`, 'closed')]
            : this.muscle?.ends === 'closed' ? [remove(`${path}/ends`)] : [];
        const merge = this.merge ?? this.drag?.merge ?? null;
        ++this.writing;
        try {
            await this.studio.edit(this.running ? this.label : label,
                [put(`${path}/curves`, curves), ...ends], {merge, quiet: true});
            this.failed = null;
        } catch (error) {
            this.failed = error;
        }
        --this.writing;
        this.documentChanged();
        this.panelView?.say();
    }

    writeCenter(rest) {
        const path = `${join('muscles', this.name)}/center`;
        this.studio.edit('Move the centre', [put(path, written(rest, this.size()))],
            {merge: this.merge ?? this.drag.merge});
    }

    /** The size of the skin, by which coordinates are rounded. */
    size() {
        const box = boxOf(this.surface?.rest ?? [0, 0, 0, 1, 1, 1]);
        return distance(box.low, box.high);
    }

    /** What is wrong now: what the server refused, or why the model cannot be made. */
    problem() {
        const error = this.failed ?? (this.name !== null ? this.slot.error : null);
        return error === null || error === undefined ? '' : error.text ?? error.message;
    }
}

export default new DrawTool();
