// SPDX-License-Identifier: Apache-2.0
// Names: what a text may refer to, new ones that are free, and what an entry begins as.

import {PARAMETERS, ROTATIONS} from '../../document/joints.js';
import {freeName} from '../../document/names.js';
import {join, split} from '../../document/pointer.js';

const JOINT_PARAMETERS = PARAMETERS.map((each) =>
    ROTATIONS.includes(each) ? `${each}_deg` : each
);

function keysOf(value) {
    return value && !Array.isArray(value) ? Object.keys(value) : [];
}

/**
 * All parameters that a track, a synergy or a driver can name: controls, then joints of segments.
 */
export function parameterNames(document, segments) {
    const joints = (segments ?? keysOf(document?.skeleton)).flatMap((segment) =>
        JOINT_PARAMETERS.map((parameter) => `${segment}.${parameter}`)
    );
    return [...keysOf(document?.controls), ...joints];
}

// What the schema's x-name-of means where it is no section of that name.
const NAMES_OF = {
    segments: (document, segments) => segments ?? keysOf(document?.skeleton),
    parameters: parameterNames,
    lengths: (document) => keysOf(document?.muscles).map((name) => `${name}.length`)
};

/**
 * Names that the schema's x-name-of stands for, in the document's order, each once: of sections,
 * `segments`, `parameters` (controls and joints), `lengths` of muscles.
 * @param {string[]} [segments] all of a model, where repeats and mirrors make more
 */
export function documentNames(document, from, segments) {
    const all = from.flatMap((each) =>
        NAMES_OF[each] ? NAMES_OF[each](document, segments) : keysOf(document?.[each])
    );
    return [...new Set(all)];
}

/** What a new entry of a section begins as: {path, value}; or the reason why there can be none. */
const BEGIN = {
    controls: () => ({low: 0, high: 1}),
    clips: () => ({rate: 30, frames: 60, tracks: {}}),
    landmarks: (document) => {
        const segment = keysOf(document.skeleton)[0];
        return segment ? {segment, position: [0, 0, 0]} : 'A landmark needs a segment.';
    },
    synergies: (document) => {
        const control = keysOf(document.controls)[0];
        return control ? {control, spread: {}} : 'A synergy needs a control. Add one first.';
    },
    drivers: (document, segments) => beginDriver(document, segments)
};

function beginDriver(document, segments) {
    const driven = new Set((document.drivers ?? []).map((driver) => driver.control));
    const control = keysOf(document.controls).find((name) => !driven.has(name));
    if (!control) {
        return 'A driver needs a control without a driver. Add a control first.';
    }
    const segment = (segments ?? keysOf(document.skeleton))[0];
    const other = keysOf(document.controls).find((name) => name !== control);
    const parameter = segment ? `${segment}.rx_deg` : other;
    return parameter ? {control, parameter} : 'A driver needs a joint or another control.';
}

export const ADDABLE = Object.keys(BEGIN);

const ONE = {controls: 'control', clips: 'clip', landmarks: 'landmark'};

/**
 * A new entry for a section: {path, value, section (where the document lacks it: the value to put
 * there)}, or {reason} where there can be none.
 */
export function newEntry(document, section, segments) {
    const value = BEGIN[section](document, segments);
    if (typeof value === 'string') {
        return {reason: value};
    }
    const there = document[section];
    if (Array.isArray(there) || !(section in ONE)) {
        return {path: join(section, there?.length ?? 0), value, list: true};
    }
    return {path: join(section, freeName(ONE[section], keysOf(there))), value, list: false};
}

/**
 * Where the copy of an entry goes: {path, value, index, insert}; in lists behind it, in maps as
 * well.
 */
export function copyOf(document, path, value) {
    const keys = split(path);
    const last = keys.pop();
    const parent = keys.reduce((node, key) => node?.[key], document);
    if (Array.isArray(parent)) {
        return {path: join(...keys, Number(last) + 1), value: structuredClone(value), insert: true};
    }
    const names = Object.keys(parent);
    return {
        path: join(...keys, freeName(last, names)),
        value: structuredClone(value),
        index: names.some(isNumber) ? undefined : names.indexOf(last) + 1,
        insert: false
    };
}

// Objects have such keys first, whatever the order of the file: positions are not known then.
function isNumber(name) {
    return String(Number(name) >>> 0) === name;
}
