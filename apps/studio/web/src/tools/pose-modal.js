// SPDX-License-Identifier: Apache-2.0
//
// R and G as in Blender: the pointer turns or moves the joint without a button, X, Y and Z choose
// the axis, numbers say how far, a click or Enter keeps it, Esc takes it back.
import {DEGREES, PARAMETERS} from '../document/joints.js';
import {facingRotation, isFree} from './pose-maths.js';
import {dot, length, sub, unit} from './vectors.js';

export class PoseModal {
    /** @param kind 'r' turns, 't' moves; null where the joint cannot do that */
    static begin(tool, kind, pixel) {
        const view = tool.studio.viewport.camera.getWorldDirection(
            tool.studio.viewport.camera.position.clone()).toArray();
        const {joint} = tool;
        const parameter = kind === 'r' ? facingRotation(joint, view) : sideways(joint, view);
        if (parameter === null) {
            const done = kind === 'r' ? 'rotated' : 'moved';
            tool.studio.notice(`The limits of ${joint.name} do not let it be ${done}.`);
            return null;
        }
        return new PoseModal(tool, kind, parameter, pixel, view);
    }

    constructor(tool, kind, parameter, pixel, view) {
        Object.assign(this, {tool, kind, pixel, view});
        this.typed = '';
        this.before = {};
        this.start(parameter);
    }

    /** Begins with an axis; what another one did is taken back. */
    start(parameter) {
        const {tool} = this;
        const name = tool.name(parameter);
        this.parameter = parameter;
        this.origin = tool.joint.origin;
        this.axis = tool.joint.axes[parameter];
        this.base = this.before[name]?.value ?? tool.value(parameter);
        this.before[name] ??= {value: this.base, held: tool.slot.held[name]};
        this.angle = 0;
        this.last = this.pixel;
    }

    /** The line that says what is done. */
    get text() {
        const what = this.kind === 'r' ? 'Rotate about' : 'Move along';
        const far = this.typed === '' ? '' : `: ${this.typed}${this.kind === 'r' ? '°' : ' m'}`;
        return `${what} ${this.parameter[1].toUpperCase()}${far}. X, Y, Z choose the axis. ` +
            'Type a number to set how far. Enter or a click accepts, Esc cancels.';
    }

    move(pixel, event) {
        if (this.typed === '') {
            const by = this.kind === 'r' ? this.turned(pixel) : this.moved(pixel);
            const value = this.tool.stepped(this.parameter, this.base + by, event);
            this.tool.set(this.parameter, value);
        }
        this.last = pixel;
    }

    /** The turn of the pointer about the joint on the screen. */
    turned(pixel) {
        const center = this.tool.view.marks.pixelOf(this.origin);
        const angle = (p) => Math.atan2(-(p[1] - center[1]), p[0] - center[0]);
        const step = angle(pixel) - angle(this.last);
        this.angle += step - 2 * Math.PI * Math.round(step / (2 * Math.PI));
        return dot(this.axis, this.view) > 0 ? -this.angle : this.angle;
    }

    /** The move of the pointer along the axis on the screen, in multiples of the axis. */
    moved(pixel) {
        const {marks} = this.tool.view;
        const reach = 50 * marks.metresPerPixel(this.origin);
        const tip = this.origin.map((x, i) => x + unit(this.axis)[i] * reach);
        const axis = sub(marks.pixelOf(tip), marks.pixelOf(this.origin));
        const along = dot(sub(pixel, this.pixel), axis) / Math.max(dot(axis, axis), 1);
        return (along * reach) / Math.max(length(this.axis), 1e-9);
    }

    key(event) {
        const {tool} = this;
        const letter = event.key.toLowerCase();
        if (event.key === 'Enter' || event.key === 'Escape') {
            tool.endModal(event.key === 'Enter');
        } else if ('xyz'.includes(letter) && letter.length === 1) {
            this.chooseAxis(this.kind + letter);
        } else if (/^[0-9.-]$/.test(event.key)) {
            this.type(this.typed + event.key);
        } else if (event.key === 'Backspace') {
            this.type(this.typed.slice(0, -1));
        }
        tool.panelView?.say();
        tool.show();
    }

    chooseAxis(parameter) {
        const {tool} = this;
        if (!isFree(tool.joint.limits[PARAMETERS.indexOf(parameter)])) {
            tool.studio.notice(`${tool.name(parameter)} cannot move: its limits are equal.`);
            return;
        }
        this.restore();
        this.start(parameter);
        this.type(this.typed);
    }

    type(text) {
        this.typed = text;
        const number = Number(text);
        if (text !== '' && Number.isFinite(number)) {
            const by = this.kind === 'r' ? number / DEGREES : number;
            this.tool.set(this.parameter, this.base + by);
        }
    }

    /** Everything as before. */
    restore() {
        for (const [name, {held}] of Object.entries(this.before)) {
            this.tool.holder.restore(name, held);
        }
    }
}

/** The translation most across the view, of those that are free. */
function sideways(joint, view) {
    return ['tx', 'ty', 'tz'].filter((p, i) => isFree(joint.limits[3 + i]))
        .reduce((best, p) => {
            const along = Math.abs(dot(unit(joint.axes[p]), view));
            return best === null || along < best.along ? {p, along} : best;
        }, null)?.p ?? null;
}
