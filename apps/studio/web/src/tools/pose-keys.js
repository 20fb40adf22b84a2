// SPDX-License-Identifier: Apache-2.0
//
// Poses as keys of clips: where a key goes in a track, and a pose as a clip of one frame.
import {put} from '../core/ops.js';
import {join} from '../core/pointer.js';
import {freeName} from './draw-muscle.js';
import {otherSide} from './cylinder-places.js';
import {DEGREES, PARAMETERS} from './pose-maths.js';
import {rounded} from './vectors.js';

const SAME_TIME = 1e-6; // seconds

/** Keys with one more, in the place of one at the same time. */
export function withKey(keys, time, value) {
    const others = keys.filter(([t]) => Math.abs(t - time) > SAME_TIME);
    return [...others, [rounded(time), rounded(value)]].sort((a, b) => a[0] - b[0]);
}

/** The name and factor of the track of a parameter: a clip may have it in degrees. */
function trackOf(tracks, parameter) {
    const degrees = `${parameter}_deg`;
    return Object.hasOwn(tracks, degrees) && !Object.hasOwn(tracks, parameter)
        ? {name: degrees, factor: DEGREES} : {name: parameter, factor: 1};
}

/** Sets keys at a time in a clip that has tracks. @param values by parameter, in radians */
export function keyOps(document, clip, time, values) {
    const tracks = document.clips[clip].tracks ?? {};
    return Object.entries(values).map(([parameter, value]) => {
        const {name, factor} = trackOf(tracks, parameter);
        const path = join('clips', clip, 'tracks', name);
        const old = tracks[name];
        return old === undefined
            ? put(path, {interpolation: 'smooth', keys: [[rounded(time), rounded(value * factor)]]})
            : put(`${path}/keys`, withKey(old.keys, time, value * factor));
    });
}

/** Why a clip cannot be keyed; null where it can. */
export function keyRefusal(document, clip) {
    const entry = clip === null ? undefined : document?.clips?.[clip];
    if (entry === undefined) {
        return 'No clip of the document is playing: save the pose as a clip first.';
    }
    return entry.tracks === undefined && entry.file !== undefined
        ? `The clip “${clip}” comes from a file and cannot be keyed.` : null;
}

const differs = (a, b) => Math.abs(a - b) > 1e-9;

/** Joint parameters that differ from rest, as {NAME: value}. */
export function movedParameters(model, frame) {
    const values = {};
    model.segments.forEach((segment, i) => PARAMETERS.forEach((key, k) => {
        const value = frame.joints[9 * i + k];
        if (differs(value, segment.rest[k])) {
            values[`${segment.name}.${key}`] = value;
        }
    }));
    return values;
}

/** Controls that a pose keeps: those that nothing computes and that spread over nothing else. */
export function movedControls(model, frame, document) {
    const spread = new Set((document.synergies ?? []).map((synergy) => synergy.control));
    const values = {};
    model.controls.forEach((control, i) => {
        const value = frame.controls[i];
        if (!control.driven && !spread.has(control.name) && differs(value, control.rest)) {
            values[control.name] = value;
        }
    });
    return values;
}

/** The pose as a new clip of one frame: {name, ops}. */
export function poseClip(model, frame, document, wish) {
    const name = freeName(document.clips, wish);
    const values = {...movedParameters(model, frame), ...movedControls(model, frame, document)};
    const tracks = Object.fromEntries(Object.entries(values)
        .map(([key, value]) => [key, {keys: [[0, rounded(value)]]}]));
    const clip = {rate: 30, frames: 1, tracks};
    const ops = document.clips === undefined ? [put('/clips', {[name]: clip})]
        : [put(join('clips', name), clip)];
    return {name, ops};
}

/** Values that bring everything to rest, whatever the clip does. */
export function restValues(model, frame) {
    const values = {};
    model.segments.forEach((segment, i) => PARAMETERS.forEach((key, k) => {
        if (differs(frame.joints[9 * i + k], segment.rest[k])) {
            values[`${segment.name}.${key}`] = segment.rest[k];
        }
    }));
    model.controls.forEach((control, i) => {
        if (!control.driven && differs(frame.controls[i], control.rest)) {
            values[control.name] = control.rest;
        }
    });
    return values;
}

/** How a name of a synergy's spread means a parameter: the factor on it; 0: it does not. */
function meant(key, parameter, mirrored) {
    const pattern = (text) => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replaceAll('#', '\\d+')}$`);
    const sign = /\.(tx|ry|rz)$/.test(parameter) ? -1 : 1;
    for (const [name, factor] of [[key, 1], [key.replace(/_deg$/, ''), 1 / DEGREES]]) {
        const inRadians = name === key && key.endsWith('_deg') ? null : name;
        if (inRadians !== null && pattern(inRadians).test(parameter)) {
            return factor;
        }
        if (inRadians !== null && mirrored && pattern(otherSide(inRadians)).test(parameter)) {
            return factor * sign;
        }
    }
    return 0;
}

/** What synergies add to a parameter now; a value that is held comes below it. */
export function synergyShare(document, model, frame, parameter) {
    return (document.synergies ?? []).reduce((sum, synergy) => {
        const index = model.controls.findIndex((control) => control.name === synergy.control);
        const amount = index < 0 ? 0 : frame.controls[index];
        return sum + amount * Object.entries(synergy.spread).reduce((all, [key, each]) => {
            return all + each * meant(key, parameter, synergy.mirror === true);
        }, 0);
    }, 0);
}
