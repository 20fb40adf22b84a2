// SPDX-License-Identifier: Apache-2.0
//
// Hands and feet that are dragged. The server says at which angles the two joints above bring them
// to the pointer (docs/motion.md, reaching); these are held as if a ring had been turned.
import {ROTATIONS, heldName} from '../document/joints.js';
import {Holder} from './holder.js';
import {rayPlane} from './pose-maths.js';
import {add, distance, dot, length, matrixAt, originOf, scale, sub, unit} from './vectors.js';

// Of the upper bone: how far the elbow must be beside the line to show its side, and how far from
// it the handle of the pole stands.
const BESIDE = 0.02;
const AWAY = 0.8;

/** Where the joints of a limb are, and its pole: {shoulder, elbow, end, pole: null if straight}. */
export function limbPlaces(frame, {limb, index}) {
    const place = (segment) => originOf(matrixAt(frame.worlds, segment));
    const [shoulder, elbow, end] = [place(limb.upper), place(limb.lower), place(index)];
    const along = unit(sub(end, shoulder));
    const arm = sub(elbow, shoulder);
    const beside = sub(arm, scale(along, dot(arm, along)));
    const size = length(arm);
    const pole = length(beside) < BESIDE * size ? null
        : add(elbow, scale(unit(beside), AWAY * size));
    return {shoulder, elbow, end, pole};
}

/** A drag of the end of a limb, or of its pole. */
export class ReachDrag {
    #busy = false;
    #waiting = null;
    #over = false;

    /** @param {'reach'|'pole'} kind what is dragged @param {number} index of the limb's end */
    constructor(tool, kind, index, ray) {
        const {model, frame, held} = tool.slot;
        const segment = model.segments[index];
        const places = limbPlaces(frame, {limb: segment.limb, index});
        Object.assign(this, {tool, kind, name: segment.name, slot: tool.slot});
        this.holder = new Holder(tool.studio); // of this drag alone
        this.target = places.end;
        this.pole = places.pole;
        this.grip = kind === 'reach' ? places.end : places.pole;
        this.normal = ray.direction;
        this.offset = sub(this.grip, this.#onPlane(ray));
        const names = [segment.limb.upper, segment.limb.lower].flatMap((joint) => {
            return ROTATIONS.map((p) => heldName(`${model.segments[joint].name}.${p}`));
        });
        this.before = names.map((name) => [name, held[name]]);
    }

    #onPlane(ray) {
        return rayPlane(ray, this.grip, this.normal) ?? this.grip;
    }

    move(ray) {
        const point = add(this.#onPlane(ray), this.offset);
        if (distance(point, this.grip) > 0) {
            this[this.kind === 'reach' ? 'target' : 'pole'] = point;
            this.#waiting = {target: this.target, pole: this.pole};
            this.#next();
        }
    }

    // One request under way, the newest place next.
    async #next() {
        if (this.#busy || this.#waiting === null) {
            return;
        }
        this.#busy = true;
        const wish = this.#waiting;
        this.#waiting = null;
        try {
            const {values} = await this.tool.studio.call('reach',
                {slot: this.slot.index, segment: this.name, ...wish});
            await (this.#over ? null : this.holder.hold(values));
        } catch {
            this.#waiting = null; // the studio has shown why
        }
        this.#busy = false;
        await this.#next();
    }

    /** The joints as they were. */
    cancel() {
        this.#over = true;
        this.#waiting = null;
        this.before.forEach(([name, value]) => this.holder.restore(name, value));
    }
}
