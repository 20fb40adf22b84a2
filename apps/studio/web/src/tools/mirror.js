// SPDX-License-Identifier: Apache-2.0
//
// Mirror: the selected muscle on the other side of a plane, which is shown, with what the result
// will be. Everything that is built between bones is said once and meant twice.
import * as THREE from 'three';
import {h, setChildren} from '../core/dom.js';
import {last} from '../core/pointer.js';
import {button, choiceField, numberField, textField} from '../core/widgets.js';
import {Carrier} from './draw-carry.js';
import {COLOURS, Marks} from './marks.js';
import {AXES, mirrorOps, mirroredPose, planFor, reflected} from './mirror-plan.js';
import {boxOf, rounded} from './vectors.js';

const CLICK_PIXELS = 4;
const NEAR_SKIN = 0.02; // parts of the size: further away the server refuses an image
const MARGIN = 0.08; // of the plane around the character, in parts of its size

class MirrorTool {
    id = 'mirror';
    title = 'Mirror';
    icon = 'mirror';
    key = 'M';
    help = 'Select a muscle and mirror it across the plane.';
    axis = 0;
    at = 0;

    enter(studio) {
        this.studio = studio;
        this.element = null;
        this.start = null;
        this.failed = null;
        this.openMarks();
        this.offs = ['model', 'geometry', 'frame'].map((signal) => {
            return studio.on(signal, () => this.show());
        });
        this.offs.push(studio.on('document', () => this.build()));
        this.offs.push(studio.on('held', () => this.build()));
        this.offs.push(studio.on('selection', () => this.changed()));
        this.offs.push(studio.on('slot', () => {
            this.marks.dispose();
            this.openMarks();
        }));
    }

    openMarks() {
        this.marks = new Marks(this.studio.viewport, this.slot.index);
        this.carrier = null;
        this.show();
    }

    leave() {
        this.offs.forEach((off) => off());
        this.marks.dispose();
        this.element = null;
    }

    panel(element) {
        this.element = element;
        this.build();
    }

    get slot() {
        return this.studio.active;
    }

    get path() {
        return this.studio.selection?.path ?? null;
    }

    changed() {
        this.failed = null;
        this.name = null;
        this.build();
        this.show();
    }

    // ---- the panel

    build() {
        if (this.element === null || this.element.contains(document.activeElement) &&
            document.activeElement.matches('input[type=text]')) {
            return;
        }
        const plan = planFor(this.slot.document, this.path);
        const problem = h('p', {class: 'problem', role: 'alert', hidden: this.failed === null,
            dataset: {testid: 'problem'}}, this.failed?.text ?? this.failed?.message ?? '');
        setChildren(this.element,
            h('p', {class: 'advice', role: 'status', dataset: {testid: 'advice'}},
                this.advice(plan)),
            problem, this.plane(plan), this.actions(plan), this.pose());
    }

    advice(plan) {
        if (plan.reason !== undefined) {
            return plan.reason;
        }
        if (plan.how === 'say') {
            return plan.on ? 'The document means both sides of it.'
                : 'The document can mean both sides of it, across x = 0.';
        }
        return `Check the plane, then mirror ${last(this.path)}.`;
    }

    /** Where the plane is; what is said once is always mirrored at x = 0. */
    plane(plan) {
        if (plan.how !== 'draw') {
            return [];
        }
        const size = this.size();
        const axis = choiceField({label: 'Across', value: AXES[this.axis], choices: AXES,
            onDone: (value) => {
                this.axis = AXES.indexOf(value);
                this.show();
            }});
        const at = numberField({label: 'Plane at', value: this.at, standard: 0, unit: 'm',
            low: rounded(-size, 2), high: rounded(size, 2), onInput: (value) => {
                this.at = value;
                this.show();
            }});
        return [axis.element, at.element];
    }

    actions(plan) {
        if (plan.reason !== undefined) {
            return [];
        }
        if (plan.how === 'say') {
            return [button({label: plan.on ? 'One side only' : 'Mean both sides',
                primary: !plan.on, onClick: () => this.say(!plan.on)})];
        }
        const name = textField({label: 'New name', value: this.name ?? plan.name,
            onInput: (text) => {
                this.name = text.trim() || null;
            }});
        return [name.element, button({label: 'Mirror the muscle', primary: true,
            onClick: () => this.mirror(this.name ?? plan.name)})];
    }

    pose() {
        const values = mirroredPose(this.slot.held);
        const count = Object.keys(values).length;
        return h('div', {hidden: count === 0}, h('p', {class: 'help'},
            'What is held of one side can be held of the other, too.'),
        button({label: 'Mirror the pose', onClick: () => this.studio.hold(values)}));
    }

    // ---- the work

    async mirror(name) {
        const muscle = last(this.path);
        this.failed = null;
        try {
            await this.studio.call('muscle_mirror', {slot: this.slot.index, muscle, name,
                axis: AXES[this.axis], at: this.at, label: `Mirror ${muscle}`}, {quiet: true});
            this.studio.notice(`${name} is the mirror image of ${muscle}.`);
        } catch (error) {
            this.failed = error;
        }
        this.build();
    }

    async say(on) {
        this.failed = null;
        try {
            await this.studio.edit(on ? 'Mean both sides' : 'Mean one side',
                mirrorOps(this.path, on), {quiet: true});
        } catch (error) {
            this.failed = error;
        }
        this.build();
    }

    // ---- what is shown

    /** The box of all that is shown, at rest. */
    box() {
        const low = [Infinity, Infinity, Infinity];
        const high = [-Infinity, -Infinity, -Infinity];
        for (const surface of this.slot.model?.surfaces ?? []) {
            if (surface.rest !== null && surface.shown) {
                const box = boxOf(surface.rest);
                box.low.forEach((x, i) => {
                    low[i] = Math.min(low[i], x);
                    high[i] = Math.max(high[i], box.high[i]);
                });
            }
        }
        return low[0] <= high[0] ? {low, high} : null;
    }

    size() {
        const box = this.box();
        return box === null ? 1 : Math.max(...box.high.map((x, i) => x - box.low[i]));
    }

    show() {
        this.marks.begin();
        const box = this.box();
        if (box !== null) {
            this.showPlane(box);
            this.showImage();
        }
        this.marks.end();
    }

    showPlane({low, high}) {
        const margin = MARGIN * this.size();
        const [b, c] = [0, 1, 2].filter((i) => i !== this.axis);
        const corner = (s, t) => {
            const p = [0, 0, 0];
            p[this.axis] = this.at;
            p[b] = s < 0 ? low[b] - margin : high[b] + margin;
            p[c] = t < 0 ? low[c] - margin : high[c] + margin;
            return p;
        };
        const corners = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
        this.marks.addOnce(sheet(corners));
        this.marks.line([...corners, corners[0]], COLOURS.plane, {width: 2});
        const text = `${AXES[this.axis]} = ${rounded(this.at, 3)} m`;
        this.marks.label(corners[2], text, COLOURS.plane);
    }

    /** The curves of a patch, and where their images will lie on the skin. */
    showImage() {
        const muscle = this.path === null ? undefined : this.studio.get(this.path);
        const skin = this.slot.model.surfaces.find((s) => s.layer === 'skin' &&
            s.name === muscle?.skin);
        if (muscle?.kind !== 'patch' || skin?.points == null || skin.rest == null) {
            return;
        }
        if (this.carrier?.surface !== skin) {
            this.carrier = new Carrier(skin);
        }
        const ring = (line) => (muscle.ends === 'closed' ? [...line, line[0]] : line);
        muscle.curves.forEach((curve, i) => {
            const colour = i === 0 ? COLOURS.first : COLOURS.second;
            const here = ring(curve.map((p) => this.carrier.posed(p)));
            const there = ring(curve.map((p) => this.imageOf(reflected(p, this.axis, this.at))));
            this.marks.line(here, colour);
            this.marks.line(there, colour, {width: 3, dashed: true});
        });
    }

    /** On the skin where that is near, as the server puts it there; else beside it. */
    imageOf(point) {
        const near = this.carrier.placeOf(point).distance < NEAR_SKIN * this.size();
        return near ? this.carrier.posed(point) : point;
    }

    // ---- the pointer selects

    pointerDown(event) {
        const {x, y} = this.studio.viewport.localPoint(event);
        this.start = event.button === 0 ? [x, y] : null;
        return false;
    }

    pointerUp(event) {
        const {x, y} = this.studio.viewport.localPoint(event);
        const still = this.start !== null &&
            Math.hypot(x - this.start[0], y - this.start[1]) < CLICK_PIXELS;
        this.start = null;
        if (still) {
            const hit = this.studio.viewport.pick(event, {slot: this.slot.index});
            this.studio.select(hit?.surface.path ?? null);
        }
        return false;
    }
}

/** A see-through sheet between four corners. */
function sheet(corners) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(
        [0, 1, 2, 0, 2, 3].flatMap((i) => corners[i]), 3));
    const material = new THREE.MeshBasicMaterial({color: COLOURS.plane, opacity: 0.16,
        transparent: true, side: THREE.DoubleSide, depthTest: false, depthWrite: false,
        toneMapped: false});
    const mesh = new THREE.Mesh(geometry, material);
    mesh.renderOrder = 9;
    mesh.frustumCulled = false;
    mesh.dispose = () => {
        geometry.dispose();
        material.dispose();
    };
    return mesh;
}

export default new MirrorTool();
