// SPDX-License-Identifier: Apache-2.0
//
// Pose: choose a joint, turn its rings. What is posed is held, whatever the clip says, until it is
// let go or keyed. R and G with X, Y, Z and numbers as in Blender.
import {calmly} from '../core/calm.js';
import {DEGREES, PARAMETERS, heldName} from '../document/joints.js';
import {Holder} from './holder.js';
import {synergyShare} from './pose-keys.js';
import {RingDrag, alongAxis, jointState, limited} from './pose-maths.js';
import {PoseModal} from './pose-modal.js';
import {PosePanel} from './pose-panel.js';
import {ReachDrag} from './pose-reach.js';
import {PoseView} from './pose-view.js';
import {rounded} from './vectors.js';

const SNAP = 5; // degrees, with Ctrl
const FINE = 0.1; // with Shift
const CLICK_PIXELS = 4;

class PoseTool {
    id = 'pose';
    title = 'Pose';
    icon = 'pose';
    key = 'P';
    help = 'Click a joint, then drag a ring. Thick arcs show its limits. Or press R or G, then X, ' +
        'Y or Z and a number, as in Blender. Drag the square of a hand or foot to place it.';

    enter(studio) {
        this.studio = studio;
        this.holder = new Holder(studio);
        this.index = -1;
        this.index = this.selectedSegment();
        this.drag = null;
        this.modal = null;
        this.arrows = false;
        this.reaching = false;
        this.panelView = null;
        this.pointer = [0, 0];
        this.openView();
        const refresh = calmly(studio, () => this.panelView?.refresh());
        this.offs = ['model', 'frame', 'held', 'document'].map((signal) => {
            return studio.on(signal, (slot) => slot === this.slot && this.changed(refresh));
        });
        this.offs.push(studio.on('selection', () => this.selectionChanged()));
        this.offs.push(studio.on('slot', () => this.changeSide()));
    }

    // The joint in hand is one of the other character.
    changeSide() {
        this.drag = null;
        this.modal = null;
        this.index = -1;
        this.index = this.selectedSegment();
        this.view.dispose();
        this.openView();
        this.panelView?.build();
    }

    openView() {
        this.view = new PoseView(this.studio.viewport, this.slot.index, () => this.shown());
        this.show();
    }

    leave() {
        if (this.isDragging) {
            this.cancelDrag();
        }
        if (this.modal !== null) {
            this.endModal(false);
        }
        this.offs.forEach((off) => off());
        this.view.dispose();
        this.panelView = null;
    }

    panel(element) {
        this.panelView = new PosePanel(this, element);
        this.panelView.build();
    }

    get slot() {
        return this.studio.active;
    }

    /** The joint that is chosen, as it stands now; null: none. */
    get joint() {
        const {model, frame} = this.slot;
        const there = this.index >= 0 && this.index < (model?.segments.length ?? 0) &&
            frame?.joints?.length >= 9 * (this.index + 1);
        return there ? jointState(model, frame, this.index) : null;
    }

    selectedSegment() {
        const segments = this.slot.model?.segments ?? [];
        const path = this.studio.selection?.path ?? null;
        const same = path !== null && segments[this.index]?.path === path;
        return same ? this.index : segments.findIndex((s) => path !== null && s.path === path);
    }

    selectionChanged() {
        const index = this.selectedSegment();
        if (index >= 0 && index !== this.index) {
            this.choose(index);
        }
    }

    choose(index) {
        this.index = index;
        const path = this.slot.model?.segments[index]?.path ?? null;
        if (path !== null) {
            this.studio.select(path);
        }
        this.show();
        this.panelView?.build();
    }

    changed(refreshPanel) {
        this.show();
        refreshPanel();
    }

    show() {
        this.view.changed();
    }

    shown() {
        const {model, frame} = this.slot;
        return {model, frame, joint: this.joint, arrows: this.arrows,
            reaches: (index) => this.reaches(index),
            active: this.drag?.parameter ?? this.drag?.reach?.kind ?? this.modal?.parameter ?? null};
    }

    /** Whether a segment has the handle that brings it to a place: hands and feet, or as chosen. */
    reaches(index) {
        const limb = this.slot.model?.segments[index]?.limb ?? null;
        return limb !== null && (limb.named || (this.reaching && index === this.index));
    }

    // ---- values

    /** The name under which a parameter of the chosen joint is held. */
    name(parameter) {
        return heldName(`${this.slot.model.segments[this.index].name}.${parameter}`);
    }

    /** What a value is multiplied by under that name. */
    unit(parameter) {
        return parameter[0] === 'r' ? DEGREES : 1;
    }

    /** Brings a parameter of the chosen joint to a value, within its limits. */
    set(parameter, value) {
        const k = PARAMETERS.indexOf(parameter);
        const {joint} = this;
        const {document, model, frame} = this.slot;
        const share = synergyShare(document, model, frame, `${joint.name}.${parameter}`);
        const wanted = parameter[0] === 'r'
            ? rounded((limited(value, joint.limits[k]) - share) * DEGREES, 12)
            // Rounded first: a limit that is rounded lies outside of itself.
            : limited(rounded(value, 9), joint.limits[k]) - share;
        return this.holder.hold({[this.name(parameter)]: wanted});
    }

    value(parameter) {
        return this.joint.values[PARAMETERS.indexOf(parameter)];
    }

    /** Values that handles give: tenths of a degree, steps of five with Ctrl. */
    stepped(parameter, value, event) {
        if (parameter[0] !== 'r') {
            return value;
        }
        const step = event.ctrlKey ? SNAP : 0.1;
        return Math.round((value * DEGREES) / step) * step / DEGREES;
    }

    // ---- the pointer

    pixel(event) {
        const {x, y} = this.studio.viewport.localPoint(event);
        return [x, y];
    }

    ray(event) {
        const {origin, direction} = this.studio.viewport.ray(event, this.slot.index);
        return {origin: origin.toArray(), direction: direction.toArray()};
    }

    pointerDown(event) {
        if (this.modal !== null) {
            this.endModal(event.button === 0);
            return true;
        }
        if (event.button !== 0) {
            return false;
        }
        const mark = this.view.find(event);
        if (mark === null) {
            this.drag = {kind: 'none', from: this.pixel(event)};
            return false;
        }
        if (mark.data.kind === 'joint') {
            this.choose(mark.data.index);
            this.drag = {kind: 'chosen'};
        } else if (mark.data.index !== undefined) {
            this.beginReach(mark.data, event);
        } else {
            this.beginDrag(mark, event);
        }
        return true;
    }

    get isDragging() {
        return this.drag?.parameter !== undefined || this.drag?.reach !== undefined;
    }

    beginReach({kind, index}, event) {
        if (index !== this.index) {
            this.choose(index);
        }
        this.drag = {kind, reach: new ReachDrag(this, kind, index, this.ray(event))};
        this.show();
    }

    beginDrag({data, points, piece}, event) {
        const {joint} = this;
        const {parameter} = data;
        const [ray, pixel] = [this.ray(event), this.pixel(event)];
        const name = this.name(parameter);
        this.holder.begin();
        const before = this.slot.held[name];
        this.drag = {...data, name, before, base: this.value(parameter), last: 0, sum: 0};
        if (data.kind === 'turn') {
            this.drag.ring = new RingDrag({center: joint.origin, axis: joint.axes[parameter],
                grip: points[Math.min(piece, points.length - 1)], ray, pixel,
                project: (p) => this.view.marks.pixelOf(p)});
        } else {
            this.drag.start = alongAxis(ray, joint.origin, joint.axes[parameter]);
            this.drag.origin = joint.origin;
            this.drag.axis = joint.axes[parameter];
        }
        this.show();
    }

    pointerMove(event) {
        this.pointer = this.pixel(event);
        if (this.modal !== null) {
            this.modal.move(this.pointer, event);
            return true;
        }
        if (!this.isDragging) {
            return false;
        }
        if (this.drag.reach !== undefined) {
            this.drag.reach.move(this.ray(event));
            return true;
        }
        const moved = this.drag.kind === 'turn'
            ? this.drag.ring.moved(this.ray(event), this.pointer)
            : alongAxis(this.ray(event), this.drag.origin, this.drag.axis) - this.drag.start;
        this.drag.sum += (moved - this.drag.last) * (event.shiftKey ? FINE : 1);
        this.drag.last = moved;
        const {parameter} = this.drag;
        this.set(parameter, this.stepped(parameter, this.drag.base + this.drag.sum, event));
        return true;
    }

    /** The joint as it was before the drag that is under way. */
    cancelDrag() {
        const {name, before, reach} = this.drag;
        this.drag = null;
        if (reach !== undefined) {
            reach.cancel();
        } else {
            this.holder.restore(name, before);
        }
        this.show();
    }

    /** A second finger has come: what the first one began was not meant. */
    pointerCancel() {
        if (this.isDragging) {
            this.cancelDrag();
        }
        this.drag = null;
        return true;
    }

    pointerUp(event) {
        const {drag} = this;
        this.drag = null;
        if (drag?.kind === 'none' && this.modal === null) {
            const [x, y] = this.pixel(event);
            const still = Math.hypot(x - drag.from[0], y - drag.from[1]) < CLICK_PIXELS;
            if (still) {
                this.chooseUnder(event);
            }
        }
        this.show();
        return drag !== null && drag.kind !== 'none';
    }

    /** A click on a bone chooses its segment, also through the skin; beside everything, nothing. */
    chooseUnder(event) {
        const slot = this.slot.index;
        const hit = this.studio.viewport.pick(event, {slot, layers: ['bone']});
        if (hit !== null) {
            this.choose(hit.surface.segment ?? -1);
        } else if (this.index >= 0 && this.studio.viewport.pick(event, {slot}) === null) {
            this.choose(-1);
        }
    }

    // ---- keys

    keyDown(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) {
            return false;
        }
        if (this.modal !== null) {
            event.preventDefault();
            this.modal.key(event);
            return true;
        }
        const kind = {r: 'r', g: 't'}[event.key.toLowerCase()];
        if (kind === undefined || this.joint === null || event.shiftKey) {
            return this.otherKey(event);
        }
        event.preventDefault();
        this.holder.begin();
        this.modal = PoseModal.begin(this, kind, this.pointer);
        this.panelView?.say();
        this.show();
        return true;
    }

    otherKey(event) {
        if (event.key === 'Escape' && this.isDragging) {
            this.cancelDrag();
            return true;
        }
        if (event.key === 'Escape' && this.index >= 0) {
            this.choose(-1);
            return true;
        }
        if (event.key.toLowerCase() === 'i' && this.joint !== null) {
            this.panelView?.key();
            return true;
        }
        return false;
    }

    endModal(keep) {
        const {modal} = this;
        this.modal = null;
        if (!keep) {
            modal.restore();
        }
        this.show();
        this.panelView?.say();
    }
}

export default new PoseTool();
