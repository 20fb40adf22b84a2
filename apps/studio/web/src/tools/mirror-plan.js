// SPDX-License-Identifier: Apache-2.0
//
// What can be mirrored, and how: muscles drawn on the skin by the server, everything that a
// document may say once for both sides with its key `mirror`, and what is held of a pose.
import {mirrorSign} from '../document/joints.js';
import {hasSide, otherSide} from '../document/names.js';
import {put, remove} from '../document/ops.js';
import {join, last, split} from '../document/pointer.js';

export const AXES = ['x', 'y', 'z'];
const SECTIONS = ['skeleton', 'bones', 'tissues', 'muscles', 'controls', 'landmarks', 'synergies',
    'drivers'];

/** A point reflected in the plane where coordinate `axis` is `at`. */
export function reflected(point, axis, at) {
    return point.map((x, i) => (i === axis ? 2 * at - x : x));
}

/** The name of a mirror image: the other side, or what tells them apart. */
function imageName(name) {
    return hasSide(name) ? otherSide(name) : `${name} mirrored`;
}

/**
 * What mirroring means for something selected: {how: 'draw'} by the server, {how: 'say'} with the
 * key `mirror`, or {reason}.
 */
export function planFor(document, path) {
    const [section] = path === null ? [] : split(path);
    const entry = path === null ? undefined : split(path).reduce((v, k) => v?.[k], document);
    if (entry === undefined || split(path).length !== 2) {
        return {reason: 'Select a muscle, a bone, a control or a segment to mirror.'};
    }
    if (section === 'muscles' && entry.kind === 'patch') {
        return {how: 'draw', name: imageName(last(path))};
    }
    if (!SECTIONS.includes(section)) {
        return {reason: `Entries of ${section} cannot be mirrored.`};
    }
    const named = Array.isArray(document[section]) || hasSide(last(path));
    return named || entry.mirror ? {how: 'say', on: entry.mirror === true}
        : {reason: 'Its name does not say which side it is on. Add .L or .R to the name.'};
}

/** Why an image of a muscle cannot have a name; null: it can, also in place of another one. */
export function problemOf(document, muscle, name) {
    const there = document.muscles[name];
    return name === muscle ? 'The mirror image needs another name.'
        : there !== undefined && there.kind !== 'patch'
            ? `${name} is not a muscle drawn on the skin. Choose a new name.` : null;
}

/** Changes of one deformer whose list of muscles has the image, or the muscle that it replaces. */
function deformerOps(path, deformer, image, name) {
    const muscles = deformer.muscles ?? [];
    const wanted = muscles.includes(image);
    if (!wanted && !muscles.includes(name)) {
        return [];
    }
    const others = muscles.filter((each) => each !== name && each !== image);
    const next = !wanted ? others : muscles.includes(name)
        ? muscles.filter((each) => each !== image)
        : muscles.map((each) => (each === image ? name : each));
    return next.length === 0 ? [remove(path)] : [put(`${path}/muscles`, next)];
}

/** Puts the image in the place of the muscle `name`, which then moves what the image moves. */
export function replaceOps(document, image, name) {
    const lists = Object.entries(document.skins ?? {}).flatMap(([skin, {deformers = []}]) => {
        // From the end, so that places before one that goes stay true.
        return deformers.flatMap((deformer, i) => deformerOps(join('skins', skin, 'deformers', i),
            deformer, image, name)).reverse();
    });
    return [put(join('muscles', name), document.muscles[image]), ...lists,
        remove(join('muscles', image))];
}

/** Switches the key `mirror` of an entry. */
export function mirrorOps(path, on) {
    return on ? [put(`${path}/mirror`, true)] : [remove(`${path}/mirror`)];
}

/** What is held on one side, for the other: tx, ry and rz change their signs. */
export function mirroredPose(held) {
    const values = {};
    for (const [name, value] of Object.entries(held)) {
        if (hasSide(name)) {
            values[otherSide(name)] = mirrorSign(name) * value + 0;
        }
    }
    return values;
}
