// SPDX-License-Identifier: Apache-2.0
//
// Joints over the character: lines from parent to child, a dot for each joint; for the one that is
// chosen a ring for each angle with the arc of its limits, and arrows where it can be moved.
import {DEGREES, PARAMETERS} from '../document/joints.js';
import {COLOURS, Marks} from './marks.js';
import {
    arc, dotRadii, freeRotations, freeTranslations, segmentIndex,
    zeroDirection,
} from './pose-maths.js';
import {limbPlaces} from './pose-reach.js';
import {add, matrixAt, originOf, scale, sub, unit} from './vectors.js';

const RINGS = {rx: 74, ry: 86, rz: 62}; // radii, pixels
// The bone lies in two of the rings: one letter stands at the bone, the other across from it.
const SIDES = {rx: 1, ry: 1, rz: -1};
const ARROW = 104;

export class PoseView {
    #marks;
    #stale = true;

    /** @param state () => {model, frame, joint, active: parameter in hand, arrows: all,
     *  reaches: (segment) => whether it can be brought to a place} */
    constructor(viewport, slot, state) {
        this.viewport = viewport;
        this.state = state;
        this.#marks = new Marks(viewport, slot);
        this.#marks.onCamera(() => this.changed());
        this.unwatch = viewport.beforeDrawing(() => this.#refresh());
    }

    /** Something has moved: the marks follow when they are drawn or asked for, once. */
    changed() {
        this.#stale = true;
        this.viewport.redraw();
    }

    get marks() {
        this.#refresh();
        return this.#marks;
    }

    #refresh() {
        if (this.#stale) {
            this.#stale = false;
            this.#show(this.state());
        }
    }

    #show({model, frame, joint, active, arrows, reaches}) {
        this.#marks.begin();
        if (model !== null && frame?.worlds != null) {
            const origins = model.segments.map((s, i) => originOf(matrixAt(frame.worlds, i)));
            this.showSkeleton(model, origins, joint);
            origins.forEach((origin, index) => {
                if (reaches(index)) {
                    this.showReach(model, frame, index, joint?.index === index, active);
                }
            });
            if (joint !== null) {
                this.showRings(joint, boneOf(model, origins, joint.index), active);
                this.showArrows(joint, active, arrows);
                this.#marks.label(joint.origin, joint.name);
            }
        }
        this.#marks.end();
    }

    showSkeleton(model, origins, joint) {
        model.segments.forEach((segment, i) => {
            const parent = segmentIndex(model, segment.parent ?? -1);
            if (parent >= 0) {
                this.marks.line([origins[parent], origins[i]], COLOURS.quiet, {width: 1.5,
                    data: {kind: 'joint', index: parent}, grip: 5, rank: 3});
            }
        });
        const pixels = origins.map((origin) => this.marks.pixelOf(origin));
        const radii = dotRadii(pixels, joint?.index ?? -1);
        origins.forEach((origin, index) => {
            const chosen = joint?.index === index;
            if (radii[index] > 0) {
                this.marks.dot(origin, chosen ? COLOURS.first : COLOURS.second, {chosen,
                    radius: radii[index], data: {kind: 'joint', index},
                    grip: joint === null ? 12 : 9, rank: 2});
            }
        });
    }

    showRings(joint, bone, active) {
        const metres = this.marks.metresPerPixel(joint.origin);
        for (const p of freeRotations(joint)) {
            this.showRing(joint, p, bone, metres * RINGS[p], active);
        }
    }

    showRing(joint, p, bone, radius, active) {
        const k = PARAMETERS.indexOf(p);
        const {origin, axes: {[p]: axis}, values: {[k]: angle}, limits: {[k]: limit}} = joint;
        const zero = scale(zeroDirection(axis, bone, angle), SIDES[p]);
        const colour = COLOURS[p[1]];
        const data = {kind: 'turn', parameter: p};
        const around = (from, to) => arc(origin, axis, zero, radius, from, to, 64);
        const width = active === p ? 6 : 4;
        this.marks.line(around(0, 2 * Math.PI), COLOURS.quiet, {width: 1, rim: false});
        this.marks.line(around(...shownRange(limit, angle)), colour, {width, data});
        (limit ?? []).filter(Number.isFinite).forEach((end) => {
            this.tick(origin, around(end, end)[0], colour);
        });
        const now = around(angle, angle)[0];
        this.marks.line([origin, now], colour, {width: 1.5});
        this.marks.dot(now, colour, {radius: 9, letter: p[1].toUpperCase(), data, grip: 14,
            chosen: active === p});
        this.marks.label(now, `${(angle * DEGREES).toFixed(1)}°`, colour);
    }

    /** The square at the end of a limb; of the one that is chosen, also its pole. */
    showReach(model, frame, index, chosen, active) {
        const {elbow, end, pole} = limbPlaces(frame, {limb: model.segments[index].limb, index});
        this.marks.dot(end, COLOURS.center, {square: true, radius: chosen ? 9 : 7,
            chosen: chosen && active === 'reach', data: {kind: 'reach', index}, grip: 13,
            rank: chosen ? 0 : 1.5}); // before the joint, behind rings
        if (chosen && pole !== null) {
            this.marks.line([elbow, pole], COLOURS.plane, {width: 1.5, dashed: true, rim: false});
            this.marks.dot(pole, COLOURS.plane, {radius: 9, letter: 'P', grip: 14,
                chosen: active === 'pole', data: {kind: 'pole', index}});
        }
    }

    tick(origin, end, colour) {
        const out = scale(sub(end, origin), 0.1);
        this.marks.line([sub(end, out), add(end, out)], colour, {width: 3});
    }

    showArrows(joint, active, all) {
        const metres = this.marks.metresPerPixel(joint.origin);
        for (const p of freeTranslations(joint, all)) {
            const end = add(joint.origin, scale(unit(joint.axes[p]), metres * ARROW));
            const data = {kind: 'move', parameter: p};
            const colour = COLOURS[p[1]];
            this.marks.line([joint.origin, end], colour, {width: active === p ? 5 : 3, data});
            this.marks.dot(end, colour, {square: true, letter: p[1].toUpperCase(), radius: 8,
                data, grip: 14, chosen: active === p});
        }
    }

    find(event) {
        return this.marks.find(event);
    }

    dispose() {
        this.unwatch();
        this.#marks.dispose();
    }
}

/** What of a ring can be reached: at most one turn, about the angle where limits are missing. */
function shownRange(limit, angle) {
    const turn = 2 * Math.PI;
    const [low, high] = limit ?? [-Infinity, Infinity];
    if (!Number.isFinite(low) && !Number.isFinite(high)) {
        return [angle, angle + turn];
    }
    return [Math.max(low, high - turn), Math.min(high, low + turn)];
}

/** The direction of a segment: to the middle of its children; null without any. */
function boneOf(model, origins, index) {
    const children = model.segments.flatMap((segment, i) => {
        return segmentIndex(model, segment.parent ?? -1) === index ? [origins[i]] : [];
    });
    if (children.length === 0) {
        return null;
    }
    return sub(scale(children.reduce(add), 1 / children.length), origins[index]);
}
