// SPDX-License-Identifier: Apache-2.0
//
// The units that people see: angles of joints in degrees, whatever a document keeps.
import {DEGREES, PARAMETERS} from './joints.js';

const OF_JOINTS = {r: '°', t: 'm', s: ''};
const OF_CONTROLS = {deg: '°', rad: 'rad', m: 'm'};

/**
 * How values of a parameter are shown: times `factor`, in `unit`.
 * @param {string} parameter 'forearm.rx', 'forearm.rx_deg' or a control
 * @param {Object<string, {unit}>} controls of the document
 */
export function shownAs(parameter, controls = {}) {
    const [, key, degrees] = /\.([rts][xyz])(_deg)?$/.exec(parameter) ?? [];
    if (key === undefined || !PARAMETERS.includes(key) || Object.hasOwn(controls, parameter)) {
        return {unit: OF_CONTROLS[controls[parameter]?.unit] ?? '', factor: 1};
    }
    return {unit: OF_JOINTS[key[0]], factor: key[0] === 'r' && degrees === undefined ? DEGREES : 1};
}

/** A value as it is shown, with its unit. */
export function shownText(value, {unit, factor}, digits = 4) {
    const space = unit === '' || unit === '°' ? '' : ' ';
    return `${Number((value * factor).toFixed(digits))}${space}${unit}`;
}
