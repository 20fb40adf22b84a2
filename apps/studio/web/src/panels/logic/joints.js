// SPDX-License-Identifier: Apache-2.0
// Joint parameters of a segment as sliders: angles in degrees, shifts in metres, factors.

import {DEGREES, PARAMETERS} from '../../document/joints.js';
import {split} from '../../document/pointer.js';

const UNITS = {r: '°', t: 'm', s: ''};
const FREE = {r: [-180, 180], t: [-1, 1], s: [0.1, 3]};

/**
 * The parameters of a segment: [{name ('forearm.rx_deg'), title, unit, low, high, rest, locked,
 * index, factor}]; values of a frame times `factor` are in the unit. Free ones have a slider, too.
 */
export function jointParameters(segment) {
    return PARAMETERS.map((key, index) => {
        const angle = key[0] === 'r';
        const factor = angle ? DEGREES : 1;
        const limit = segment.limits?.[key] ?? [null, null];
        const [low, high] = limit.map((end, side) =>
            end === null ? FREE[key[0]][side] : end * factor
        );
        return {
            name: `${segment.name}.${key}${angle ? '_deg' : ''}`,
            title: key,
            unit: UNITS[key[0]],
            low,
            high,
            locked: high - low < 1e-9,
            rest: (segment.rest?.[index] ?? (key[0] === 's' ? 1 : 0)) * factor,
            index,
            factor
        };
    });
}

/**
 * The segment that a selected entry belongs to: itself, or what carries a bone or a landmark.
 * @param surface of several of the entry the one that was clicked
 */
export function segmentOf(document, model, path, surface = model?.byPath?.(path)) {
    const keys = split(path ?? '');
    if (keys.length < 2 || !model) {
        return null;
    }
    const entry = document?.[keys[0]]?.[keys[1]];
    const name = keys[0] === 'skeleton' ? keys[1] : (surface?.segment ?? entry?.segment);
    const named =
        typeof name === 'number'
            ? model.segments[name]
            : model.segments.find((each) => each.name === name);
    return named ?? null;
}

/** Why a control cannot be set by hand: '' where it can. */
export function drivenReason(document, control) {
    if (!control.driven) {
        return '';
    }
    const driver = (document?.drivers ?? []).find((each) => each.control === control.name);
    if (!driver) {
        return 'Computed by a driver';
    }
    const source = driver.parameter ?? `the distance between ${driver.distance?.join(' and ')}`;
    return `Computed from ${source}`;
}

/** Controls by their group, in the order in which groups first come: [[group, controls]]. */
export function grouped(controls, query = '') {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const groups = new Map();
    for (const control of controls) {
        const text = `${control.name} ${control.group ?? ''}`.toLowerCase();
        if (words.every((word) => text.includes(word))) {
            const group = control.group ?? '';
            groups.set(group, [...(groups.get(group) ?? []), control]);
        }
    }
    return [...groups];
}
