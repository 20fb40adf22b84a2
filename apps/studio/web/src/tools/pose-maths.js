// SPDX-License-Identifier: Apache-2.0
//
// Joints: nine parameters, rotations in an order, limits. World axes of the rotations and what a
// drag of a handle changes. A segment moves by
//
//     local = T(rest.translation + t) R(rest.rotation) R(rx, ry, rz) S(rest.scale * s)
//
// with intrinsic rotations in the segment's order: the axis of the second angle is turned by the
// first, that of the third by both.
import {DEGREES, PARAMETERS, ROTATIONS, TRANSLATIONS} from '../document/joints.js';
import {
    clamp, columnOf, cross, dot, fromColumns, identity, matrixAt, originOf, perpendicular, scale,
    sub, transformDirection, turn, unit,
} from './vectors.js';

/** The turn by joint angles as a matrix. */
export function jointRotation(angles, order) {
    let columns = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    for (const letter of order) {
        const axis = 'xyz'.indexOf(letter);
        const about = columns[axis];
        columns = columns.map((column) => turn(column, about, angles[axis]));
    }
    return fromColumns(...columns, [0, 0, 0]);
}

/** The frame of a segment without its scale: unit axes at its origin. */
function rigidFrame(world) {
    const x = unit(columnOf(world, 0));
    const y = unit(sub(columnOf(world, 1), scale(x, dot(columnOf(world, 1), x))));
    const handed = dot(cross(x, y), columnOf(world, 2)) < 0 ? -1 : 1;
    return fromColumns(x, y, scale(cross(x, y), handed), originOf(world));
}

/** The axes that the angles of a joint turn about now, in the world: {rx, ry, rz}. */
export function rotationAxes(world, angles, order) {
    const frame = rigidFrame(world);
    const joint = jointRotation(angles, order);
    // The frame before the joint turned it: frame * joint^T, as rotations are orthogonal.
    const back = fromColumns(...[0, 1, 2].map((i) => [joint[i], joint[4 + i], joint[8 + i]]),
        [0, 0, 0]);
    let columns = [0, 1, 2].map((i) => transformDirection(frame, columnOf(back, i)));
    const axes = {};
    for (const letter of order) {
        const axis = 'xyz'.indexOf(letter);
        // In a mirrored frame a positive angle turns the other way round.
        const sign = dot(cross(columns[0], columns[1]), columns[2]) < 0 ? -1 : 1;
        const about = scale(unit(columns[axis]), sign);
        axes[`r${letter}`] = about;
        columns = columns.map((column) => turn(column, about, angles[axis]));
    }
    return axes;
}

/** The axes that translations of a joint go along: those of its parent, with its scale. */
function translationAxes(parentWorld) {
    const world = parentWorld ?? identity();
    return {tx: columnOf(world, 0), ty: columnOf(world, 1), tz: columnOf(world, 2)};
}

/** [low, high] of a parameter, infinite where one side is free; null: both are. */
function limitOf(segment, parameter) {
    const limit = segment.limits?.[parameter] ?? null;
    return limit === null ? null : [limit[0] ?? -Infinity, limit[1] ?? Infinity];
}

/** Everything about the joint of segment `index` as it stands in a frame. */
export function jointState(model, frame, index) {
    const segment = model.segments[index];
    const world = matrixAt(frame.worlds, index);
    const values = Array.from(frame.joints.subarray(9 * index, 9 * index + 9));
    const parent = segment.parent;
    const parentIndex = parent === null ? -1 : segmentIndex(model, parent);
    return {
        index, name: segment.name, order: segment.order, values, origin: originOf(world), world,
        limits: PARAMETERS.map((p) => limitOf(segment, p)),
        rest: segment.rest,
        root: parentIndex < 0,
        axes: {
            ...rotationAxes(world, values, segment.order),
            ...translationAxes(parentIndex < 0 ? null : matrixAt(frame.worlds, parentIndex)),
        },
    };
}

/** The number of a segment that is given by its name or its number; -1: there is none. */
export function segmentIndex(model, segment) {
    if (typeof segment === 'number') {
        return segment < model.segments.length ? segment : -1;
    }
    return model.segments.findIndex((s) => s.name === segment);
}

/** Whether a limit leaves a parameter anything to move. */
export function isFree(limit) {
    return limit === null || limit[1] - limit[0] > 1e-9;
}

/** Which rotations of a joint have handles. */
export function freeRotations(joint) {
    return ROTATIONS.filter((p, i) => isFree(joint.limits[i]));
}

/** Which translations have arrows: those with limits that leave room, and all of a root. */
export function freeTranslations(joint, all = false) {
    return TRANSLATIONS.filter((p, i) => {
        const limit = joint.limits[3 + i];
        return limit === null ? joint.root || all : isFree(limit);
    });
}

export function limited(value, limit) {
    return limit === null ? value : clamp(value, limit[0], limit[1]);
}

/** An angle without whole turns, from -pi to pi. */
export function wrapped(angle) {
    return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

/** The direction in the plane of a ring where angle 0 lies, so that the bone shows the angle. */
export function zeroDirection(axis, bone, angle) {
    const flat = bone === null ? [0, 0, 0] : sub(bone, scale(axis, dot(bone, axis)));
    const across = Math.sqrt(dot(flat, flat));
    const whole = bone === null ? 0 : Math.sqrt(dot(bone, bone));
    // A bone along the axis shows no angle: any direction then, the same one in every pose.
    const now = across > 0.2 * whole ? unit(flat) : perpendicular(axis);
    return turn(now, axis, -angle);
}

/** Points of an arc around an axis, from angle to angle. */
export function arc(center, axis, zero, radius, from, to, steps = 48) {
    return Array.from({length: steps + 1}, (_, i) => {
        const angle = from + ((to - from) * i) / steps;
        const spoke = scale(turn(zero, axis, angle), radius);
        return [center[0] + spoke[0], center[1] + spoke[1], center[2] + spoke[2]];
    });
}

/** Where a ray meets the plane through a point; null where it runs along it. */
export function rayPlane(ray, center, normal) {
    const slope = dot(ray.direction, normal);
    if (Math.abs(slope) < 1e-9) {
        return null;
    }
    const t = dot(sub(center, ray.origin), normal) / slope;
    return [0, 1, 2].map((i) => ray.origin[i] + t * ray.direction[i]);
}

/**
 * Follows a drag of a rotation handle: how far it has turned since it began. The pointer's ray
 * meets the plane of the ring, unless that is seen from the edge; then the move of the pointer
 * along the ring counts.
 */
export class RingDrag {
    /** @param grip where the ring was gripped; ray and pixel: of the pointer there
     *  @param project a world point to pixels */
    constructor({center, axis, grip, ray, pixel, project}) {
        Object.assign(this, {center, axis});
        this.sum = 0;
        this.facing = Math.abs(dot(unit(ray.direction), axis));
        this.angle = this.facing > 0.3 ? this.planeAngle(ray) : null;
        this.pixel = pixel;
        this.tangent = tangentOnScreen(center, axis, grip, project);
    }

    planeAngle(ray) {
        const hit = rayPlane(ray, this.center, this.axis);
        const spoke = sub(hit, this.center);
        const x = perpendicular(this.axis);
        return Math.atan2(dot(spoke, cross(this.axis, x)), dot(spoke, x));
    }

    /** The turn since the grip, radians, with whole turns. */
    moved(ray, pixel) {
        if (this.angle === null) {
            const moved = sub(pixel, this.pixel);
            return dot(moved, this.tangent) / dot(this.tangent, this.tangent);
        }
        const now = this.planeAngle(ray);
        this.sum += wrapped(now - this.angle);
        this.angle = now;
        return this.sum;
    }
}

/** Pixels per radian along a ring at a point of it. */
function tangentOnScreen(center, axis, grip, project) {
    const step = 0.02;
    const spoke = sub(grip, center);
    const before = project(turn(spoke, axis, -step).map((x, i) => x + center[i]));
    const after = project(turn(spoke, axis, step).map((x, i) => x + center[i]));
    const tangent = scale(sub(after, before), 1 / (2 * step));
    return dot(tangent, tangent) > 1 ? tangent : [100, 0];
}

/** How far a drag along a line in the world has gone, in multiples of `axis`. */
export function alongAxis(ray, origin, axis) {
    const d = unit(ray.direction);
    const size = dot(axis, axis);
    const w = sub(origin, ray.origin);
    const b = dot(axis, d);
    const bottom = size - b * b;
    return bottom < 1e-9 * size ? 0 : (b * dot(d, w) - dot(axis, w)) / bottom;
}

const DOT = {chosen: 7, usual: 5, least: 2, apart: 6}; // pixels

/**
 * Radii of the dots of joints on the screen: smaller where they are close to each other, 0 where
 * one that comes before lies almost at the same place.
 */
export function dotRadii(pixels, chosen = -1) {
    const away = (i, j) => Math.hypot(pixels[i][0] - pixels[j][0], pixels[i][1] - pixels[j][1]);
    const shown = [];
    for (const i of pixels.keys()) {
        if (i === chosen || (shown.every((j) => away(i, j) >= DOT.apart) &&
            (chosen < 0 || away(i, chosen) >= DOT.apart))) {
            shown.push(i);
        }
    }
    const radii = pixels.map(() => 0);
    for (const i of shown) {
        const nearest = shown.reduce((least, j) => {
            return i === j ? least : Math.min(least, away(i, j));
        }, Infinity);
        radii[i] = i === chosen ? DOT.chosen
            : clamp(Math.floor(nearest / 2) - 1, DOT.least, DOT.usual);
    }
    return radii;
}

/** The rotation whose axis looks most at the viewer, of those that can turn. */
export function facingRotation(joint, view) {
    const free = freeRotations(joint);
    return free.reduce((best, p) => {
        const facing = Math.abs(dot(joint.axes[p], view));
        return best === null || facing > best.facing ? {p, facing} : best;
    }, null)?.p ?? null;
}
