// SPDX-License-Identifier: Apache-2.0
//
// Mirror: the selected muscle on the other side of a plane, which is shown, with what the result
// will be. Everything that is built between bones is said once and meant twice.
import * as THREE from 'three';
import {h, setChildren} from '../core/dom.js';
import {button, choiceField, lengthField, textField} from '../core/widgets.js';
import {freeName} from '../document/names.js';
import {last} from '../document/pointer.js';
import {Carrier} from './draw-carry.js';
import {resample} from './draw-curves.js';
import {placeLabels} from './label-places.js';
import {COLOURS, Marks, labelSize} from './marks.js';
import {AXES, mirrorOps, mirroredPose, planFor, problemOf, reflected, replaceOps}
    from './mirror-plan.js';
import {namesTaken} from './muscle-names.js';
import {restBox} from './rest-shape.js';
import {rounded, scale, sub, unit} from './vectors.js';

const CLICK_PIXELS = 4;
const NEAR_SKIN = 0.02; // parts of the size: further away the server refuses an image
const MARGIN = 0.08; // of the plane around the character, in parts of its size
const PLANE_OPACITY = 0.05; // the character keeps its colours
const IMAGE_OPACITY = 0.4;

let mirrors = 0;

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
        this.marks.onCamera(() => this.show());
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
        this.adviceLine = h('p', {class: 'advice', role: 'status', dataset: {testid: 'advice'}},
            this.advice(plan));
        setChildren(this.element, this.adviceLine, problem, this.plane(plan), this.actions(plan),
            this.pose());
    }

    advice(plan) {
        if (plan.reason !== undefined) {
            return plan.reason;
        }
        if (plan.how === 'say') {
            return plan.on ? 'It is symmetric: one entry of the document makes both sides.'
                : 'Make it symmetric, and one entry of the document makes both sides of x = 0.';
        }
        return this.nameProblem(plan) ?? (this.isThere(plan)
            ? `The muscle ${this.imageName(plan)} exists already. Replace it, or choose a new name.`
            : `Check the plane, then mirror ${last(this.path)}.`);
    }

    /** What the image is to be called. */
    imageName(plan) {
        return this.name ?? plan.name;
    }

    /** Whether a muscle has that name already. */
    isThere(plan) {
        return Object.hasOwn(this.slot.document.muscles, this.imageName(plan));
    }

    nameProblem(plan) {
        return problemOf(this.slot.document, last(this.path), this.imageName(plan));
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
                this.carrier = null;
                this.show();
            }});
        const at = lengthField({label: 'Plane at', value: this.at, standard: 0,
            low: rounded(-size, 2), high: rounded(size, 2), onInput: (value) => {
                this.at = value;
                this.carrier = null;
                this.show();
            }});
        return [axis.element, at.element];
    }

    actions(plan) {
        if (plan.reason !== undefined) {
            return [];
        }
        if (plan.how === 'say') {
            return [button({label: plan.on ? 'One side only' : 'Make symmetric',
                primary: !plan.on, onClick: () => this.say(!plan.on)})];
        }
        const go = button({label: this.actionLabel(plan), primary: true,
            disabled: this.nameProblem(plan) !== null, onClick: () => this.makeImage(plan)});
        const name = textField({label: 'New name', value: this.imageName(plan),
            onInput: (text) => {
                this.name = text.trim() || null;
                this.adviceLine.textContent = this.advice(plan);
                go.querySelector('span').textContent = this.actionLabel(plan);
                go.disabled = this.nameProblem(plan) !== null;
            }});
        return [name.element, h('div', {class: 'button-row'}, go)];
    }

    actionLabel(plan) {
        return !this.isThere(plan) ? 'Mirror the muscle'
            : this.imageName(plan) === plan.name ? 'Replace the other side'
                : `Replace ${this.imageName(plan)}`;
    }

    pose() {
        const values = mirroredPose(this.slot.held);
        const count = Object.keys(values).length;
        return h('div', {hidden: count === 0}, h('p', {class: 'help'},
            'Copies the held values of each side to the other side.'),
        button({label: 'Mirror the pose',
            onClick: () => this.studio.hold(values, {label: 'Mirror the pose'})}));
    }

    // ---- the work

    makeImage(plan) {
        const name = this.imageName(plan);
        return this.attempt(this.isThere(plan) ? this.replace(name) : this.mirror(name, null));
    }

    /** Shows what was refused. */
    async attempt(work) {
        this.failed = null;
        try {
            await work;
        } catch (error) {
            this.failed = error;
        }
        this.build();
    }

    async mirror(name, merge, label = `Mirror ${last(this.path)}`) {
        const muscle = last(this.path);
        await this.studio.call('muscle_mirror', {slot: this.slot.index, muscle, name,
            axis: AXES[this.axis], at: this.at, label, merge}, {quiet: true});
        if (merge === null) {
            this.studio.notice(`${name} is the mirror image of ${muscle}.`);
        }
    }

    /** In place of the muscle that has the name, in one step: what named that one names this. */
    async replace(name) {
        const {slot} = this;
        const muscle = last(this.path);
        const merge = `mirror ${++mirrors}`;
        const label = `Replace ${name} with a mirror image`;
        const image = freeName(`${name} image`, namesTaken(slot.document));
        await this.mirror(image, merge, label);
        try {
            await this.studio.edit(label, replaceOps(slot.document, image, name),
                {merge, quiet: true, slot});
        } catch (error) {
            await this.studio.undo(slot);
            throw error;
        }
        this.studio.notice(`${name} is now the mirror image of ${muscle}.`);
    }

    say(on) {
        return this.attempt(this.studio.edit(on ? 'Make symmetric' : 'One side only',
            mirrorOps(this.path, on), {quiet: true}));
    }

    // ---- what is shown

    /** The box of all that is shown, at rest. */
    box() {
        const low = [Infinity, Infinity, Infinity];
        const high = [-Infinity, -Infinity, -Infinity];
        for (const surface of this.slot.model?.surfaces ?? []) {
            if (surface.rest !== null && surface.shown) {
                const box = restBox(surface);
                box.low.forEach((x, i) => {
                    low[i] = Math.min(low[i], x);
                    high[i] = Math.max(high[i], box.high[i]);
                });
            }
        }
        return low[0] <= high[0] ? {low, high} : null;
    }

    size(box = this.box()) {
        return box === null ? 1 : Math.max(...box.high.map((x, i) => x - box.low[i]));
    }

    show() {
        this.marks.begin();
        const box = this.box();
        if (box !== null) {
            const size = this.size(box);
            this.showPlane(box, MARGIN * size);
            this.showImage(NEAR_SKIN * size);
        }
        this.marks.end();
    }

    showPlane({low, high}, margin) {
        const [b, c] = [0, 1, 2].filter((i) => i !== this.axis);
        const corner = (s, t) => {
            const p = [0, 0, 0];
            p[this.axis] = this.at;
            p[b] = s < 0 ? low[b] - margin : high[b] + margin;
            p[c] = t < 0 ? low[c] - margin : high[c] + margin;
            return p;
        };
        const corners = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
        this.marks.addOnce(sheet(triangleStrip([corners[0], corners[1]], [corners[3], corners[2]]),
            PLANE_OPACITY));
        this.marks.line([...corners, corners[0]], COLOURS.plane, {width: 2});
        this.namePlane(corners);
    }

    /** The label stands beside the edge of the plane where there is room, above if possible. */
    namePlane(corners) {
        const text = `${AXES[this.axis]} = ${rounded(1000 * this.at, 0)} mm`;
        const edge = resample(corners, 24, true);
        const flat = edge.map((p) => this.marks.pixelOf(p));
        const middle = scale(flat.reduce((sum, [x, y]) => [sum[0] + x, sum[1] + y]), 1 / 24);
        const anchors = flat.map((point, i) => ({point, i, out: unit(sub(point, middle))}))
            .sort((p, q) => p.point[1] - q.point[1]);
        const [place] = placeLabels([{anchors, size: labelSize(text)}],
            {...this.marks.surroundings(), points: []});
        if (place !== null) {
            this.marks.callout(edge[place.anchor.i], place.box, text, COLOURS.plane);
        }
    }

    /** The curves of a patch, and where their images will lie on the skin. */
    showImage(nearSkin) {
        const muscle = this.path === null ? undefined : this.studio.get(this.path);
        const skin = this.slot.model.surfaces.find((s) => s.layer === 'skin' &&
            s.name === muscle?.skin);
        if (muscle?.kind !== 'patch' || skin?.points == null || skin.rest == null) {
            return;
        }
        if (!this.carrier?.takes(skin)) {
            this.carrier = new Carrier(skin);
        }
        const ring = (line) => (muscle.ends === 'closed' ? [...line, line[0]] : line);
        const image = (p) => this.imageOf(reflected(p, this.axis, this.at), nearSkin);
        const here = muscle.curves.map((curve) => ring(curve.map((p) => this.carrier.posed(p))));
        const there = muscle.curves.map((curve) => ring(curve.map(image)));
        const [first, second] = there.map((line) => resample(line, 24));
        this.marks.addOnce(sheet(triangleStrip(first, second), IMAGE_OPACITY));
        [COLOURS.first, COLOURS.second].forEach((colour, i) => {
            this.marks.line(here[i], colour);
            this.marks.line(there[i], colour, {width: 3, dashed: true});
        });
    }

    /** On the skin where that is near, as the server puts it there; else beside it. */
    imageOf(point, nearSkin) {
        return this.carrier.placeOf(point).distance < nearSkin ? this.carrier.posed(point) : point;
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

/** Corners of triangles between two lines of as many points. */
function triangleStrip(first, second) {
    return first.slice(1).flatMap((b, i) => {
        const [a, c, d] = [first[i], second[i + 1], second[i]];
        return [a, b, c, a, c, d];
    });
}

/** See-through triangles. */
function sheet(corners, opacity) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(corners.flat(), 3));
    const material = new THREE.MeshBasicMaterial({color: COLOURS.plane, opacity,
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
