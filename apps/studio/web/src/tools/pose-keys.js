// SPDX-License-Identifier: Apache-2.0
//
// Poses as values: what differs from rest, a pose as a clip of one frame, what synergies add.
import {DEGREES, PARAMETERS, mirrorSign} from '../document/joints.js';
import {freeName, otherSide} from '../document/names.js';
import {put} from '../document/ops.js';
import {join} from '../document/pointer.js';
import {rounded} from './vectors.js';

const differs = (a, b) => Math.abs(a - b) > 1e-9;

/** Joint parameters that differ from rest, as {NAME: value}. */
function movedParameters(model, frame) {
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
function movedControls(model, frame, document) {
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
    const name = freeName(wish, Object.keys(document.clips ?? {}));
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
    const sign = mirrorSign(parameter);
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
