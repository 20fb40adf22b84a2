// SPDX-License-Identifier: Apache-2.0
//
// Places on bones: where the attachments and pivots of muscles between bones are, in the document's
// words and in the world as it is shown. A bone moves as a whole, so that one matrix leads from its
// points at rest to those of the pose.
import {get, join} from '../document/pointer.js';
import {segmentIndex} from './pose-maths.js';
import {
    add, boxOf, cross, distance, fromColumns, identity, invert, length, matrixAt,
    multiply, originOf, pointAt, rounded, scale, sub, transform, unit, written,
} from './vectors.js';

/** Three vertices that lie far away from each other, and so fix a rigid motion. */
function spread(points) {
    const count = points.length / 3;
    const far = (measure) => {
        let best = 0;
        for (let i = 1; i < count; ++i) {
            best = measure(pointAt(points, i)) > measure(pointAt(points, best)) ? i : best;
        }
        return best;
    };
    const a = pointAt(points, 0);
    const b = far((p) => distance(p, a));
    const ab = unit(sub(pointAt(points, b), a));
    const c = far((p) => length(cross(sub(p, a), ab)));
    return [0, b, c];
}

function frameOf(points, [a, b, c]) {
    const origin = pointAt(points, a);
    const x = unit(sub(pointAt(points, b), origin));
    const z = unit(cross(x, sub(pointAt(points, c), origin)));
    const size = distance(pointAt(points, b), origin);
    return fromColumns(scale(x, size), scale(cross(z, x), size), scale(z, size), origin);
}

/** The matrix that moves a bone from rest to where it is shown (also larger or smaller). */
export function boneMotion(surface) {
    const three = spread(surface.rest);
    const rest = invert(frameOf(surface.rest, three));
    return rest === null ? identity() : multiply(frameOf(surface.points, three), rest);
}

/** The entry of the document that a bone of the model comes from; null: there is none. */
export function boneEntry(document, surface) {
    const path = surface.path ?? join('bones', surface.name);
    return get(document, path) ?? null;
}

/** The matrix from a bone's own axes to the world at rest: what its box is measured in. */
function axesOfBone(surface, document, model, frame) {
    const entry = boneEntry(document, surface);
    const shape = entry !== null && ('ellipsoid' in entry || 'tube' in entry);
    const inSegment = entry?.frame === 'segment' || entry?.frame === 'size' ||
        (shape && entry.frame === undefined);
    const index = segmentIndex(model, surface.segment ?? entry?.segment);
    if (!inSegment || index < 0) {
        return identity();
    }
    return multiply(invert(boneMotion(surface)), matrixAt(frame.worlds, index));
}

/** The box of a bone in its own axes, with the matrix from these to the world at rest. */
function boneBox(surface, document, model, frame) {
    const axes = axesOfBone(surface, document, model, frame);
    const back = invert(axes);
    const own = new Float64Array(surface.rest.length);
    for (let i = 0; i < own.length / 3; ++i) {
        own.set(transform(back, pointAt(surface.rest, i)), 3 * i);
    }
    return {axes, back, ...boxOf(own)};
}

/** Parameters [u, v, w] of a point at rest in a bone's box. */
function parametersOf(box, rest) {
    const p = transform(box.back, rest);
    return p.map((x, i) => {
        const size = box.high[i] - box.low[i];
        return size > 0 ? rounded((x - box.low[i]) / size, 4) : 0.5;
    });
}

function pointOfParameters(box, at) {
    return transform(box.axes, at.map((x, i) => box.low[i] + x * (box.high[i] - box.low[i])));
}

/** The attachment that a click on a bone makes. */
export function attachment(surface, rest, document, model, frame) {
    const box = boneBox(surface, document, model, frame);
    return {bone: surface.name, at: parametersOf(box, rest)};
}

/** The same attachment somewhere else on a bone, said in the way it was said before. */
export function movedAttachment(old, surface, rest, document, model, frame) {
    if (old.point !== undefined) {
        return {bone: surface.name, point: written(rest)};
    }
    return attachment(surface, rest, document, model, frame);
}

/** The basic size of a segment (docs/components.md): over its children's origins at rest. */
export function segmentSize(model, frame, index) {
    const back = invert(matrixAt(frame.worlds, index));
    const numbers = [0, 0, 0];
    model.segments.forEach((child, i) => {
        if (segmentIndex(model, child.parent ?? -1) !== index) {
            return;
        }
        const moved = [3, 4, 5].map((k) => frame.joints[9 * i + k] - child.rest[k]);
        numbers.push(...sub(transform(back, originOf(matrixAt(frame.worlds, i))), moved));
    });
    const box = boxOf(numbers);
    const size = distance(box.low, box.high);
    if (size > 0) {
        return size;
    }
    const parent = segmentIndex(model, model.segments[index].parent ?? -1);
    return parent < 0 ? 1 : segmentSize(model, frame, parent);
}

function segmentUnit(place, model, frame, index) {
    return place.frame === 'size' ? segmentSize(model, frame, index) : 1;
}

/** Where a place in a segment's frame is now; null where there is no such segment. */
export function segmentPoint(place, model, frame) {
    const index = segmentIndex(model, place.segment);
    if (index < 0) {
        return null;
    }
    const size = segmentUnit(place, model, frame, index);
    return transform(matrixAt(frame.worlds, index), scale(place.at, size));
}

/** `at` of a place in a segment's frame that stands at a point of the world now. */
export function segmentAt(place, world, model, frame) {
    const index = segmentIndex(model, place.segment);
    const local = transform(invert(matrixAt(frame.worlds, index)), world);
    const size = segmentUnit(place, model, frame, index);
    return local.map((x) => rounded(Number((x / size).toFixed(6)) + 0, 6));
}

/** Where an attachment of the document is now; null where its bone or segment is not there. */
export function attachmentPoint(place, bones, document, model, frame) {
    if (place.segment !== undefined) {
        return segmentPoint(place, model, frame);
    }
    const surface = bones.find((s) => s.name === place.bone);
    if (surface === undefined) {
        return null;
    }
    const rest = place.point ??
        pointOfParameters(boneBox(surface, document, model, frame), place.at);
    return transform(boneMotion(surface), rest);
}

/** How many parents a segment has. */
function depthOf(model, index) {
    const parent = segmentIndex(model, model.segments[index].parent ?? -1);
    return parent < 0 ? 0 : 1 + depthOf(model, parent);
}

/** Whether a segment is the other one or one of its parents. */
function carries(model, upper, lower) {
    for (let i = lower; i >= 0; i = segmentIndex(model, model.segments[i].parent ?? -1)) {
        if (i === upper) {
            return true;
        }
    }
    return false;
}

/** Origins before insertions, and the first origin before the second: as a document wants it. */
export function inOrder(model, clicks, each) {
    const segment = (click) => segmentIndex(model, click.segment);
    const [origins, insertions] = [clicks.slice(0, each), clicks.slice(each)];
    const distal = segment(origins[0]) !== segment(insertions[0]) &&
        carries(model, segment(insertions[0]), segment(origins[0]));
    const sorted = (ends) => {
        return ends.slice().sort((a, b) => depthOf(model, segment(a)) - depthOf(model, segment(b)));
    };
    const [first, second] = distal ? [insertions, origins] : [origins, insertions];
    return {origins: sorted(first), insertions: sorted(second), swapped: distal};
}

/** Fibres of a new muscle that is broad. */
export const BROAD_FIBRES = 3;

/** A muscle of the document from the places that were clicked. */
export function muscleOfClicks(kind, ends) {
    const place = ({bone, segment, at}) => (bone === undefined ? {segment, at} : {bone, at});
    if (kind === 'ellipsoid') {
        return {kind, origin: place(ends.origins[0]), insertion: place(ends.insertions[0])};
    }
    const broad = kind === 'fibre' && ends.origins.length > 1;
    return {kind, origins: ends.origins.map(place), insertions: ends.insertions.map(place),
        ...(broad ? {fibres: BROAD_FIBRES} : {})};
}

/** Every attachment of a muscle with the path of its key: [{key, place, end}]. */
export function attachmentsOf(muscle) {
    if (muscle.kind === 'ellipsoid') {
        return [['origin'], ['insertion']].map(([key]) => ({
            keys: [key], place: muscle[key], end: key,
        }));
    }
    return ['origins', 'insertions'].flatMap((list) => (muscle[list] ?? []).map((place, i) => ({
        keys: [list, String(i)], place, end: list.slice(0, -1),
    })));
}

