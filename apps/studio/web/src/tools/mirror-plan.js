// SPDX-License-Identifier: Apache-2.0
//
// What can be mirrored, and how: muscles drawn on the skin by the server, everything that a
// document may say once for both sides with its key `mirror`, and what is held of a pose.
import {hasSide, otherSide} from '../core/names.js';
import {put, remove} from '../core/ops.js';
import {last, split} from '../core/pointer.js';

export const AXES = ['x', 'y', 'z'];
const SECTIONS = ['skeleton', 'bones', 'tissues', 'muscles', 'controls', 'landmarks', 'synergies',
    'drivers'];

/** A point reflected in the plane where coordinate `axis` is `at`. */
export function reflected(point, axis, at) {
    return point.map((x, i) => (i === axis ? 2 * at - x : x));
}

/** The name of a mirror image: the other side, or what tells them apart. */
export function imageName(name) {
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
        return {reason: `What stands under ${section} cannot be mirrored.`};
    }
    const named = Array.isArray(document[section]) || hasSide(last(path));
    return named || entry.mirror ? {how: 'say', on: entry.mirror === true}
        : {reason: 'Its name tells no side: give it one, such as .L or .R.'};
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
            const sign = /\.(tx|ry|rz)(_deg)?$/.test(name) ? -1 : 1;
            values[otherSide(name)] = sign * value + 0;
        }
    }
    return values;
}
