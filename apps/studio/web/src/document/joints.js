// SPDX-License-Identifier: Apache-2.0
//
// The nine parameters of a joint.

/** In the order of the numbers of a frame: sn_joint_parameter of motion.h. */
export const PARAMETERS = ['rx', 'ry', 'rz', 'tx', 'ty', 'tz', 'sx', 'sy', 'sz'];
export const ROTATIONS = PARAMETERS.slice(0, 3);
export const TRANSLATIONS = PARAMETERS.slice(3, 6);

/** What a value of a parameter, such as 'arm.L.ry_deg', is times on the other side of x = 0. */
export function mirrorSign(parameter) {
    return /\.(tx|ry|rz)(_deg)?$/.test(parameter) ? -1 : 1;
}

/** Degrees of a radian. */
export const DEGREES = 180 / Math.PI;

const RADIANS = /\.r[xyz]$/;

/**
 * The name under which the page holds a parameter. An angle has two, forearm.rx in radians and
 * forearm.rx_deg; it is held under the second alone, so that one joint is never held twice.
 */
export function heldName(name) {
    return RADIANS.test(name) ? `${name}_deg` : name;
}

/** What a step of undo is called that holds or releases parameters. @param {string[]|null} names */
export function heldLabel(verb, names) {
    const what = names === null ? 'all' : names.length === 1 ? names[0] : `${names.length} values`;
    return `${verb} ${what}`;
}

/**
 * Values by the names under which the page holds them.
 * @param {Object<string, number>} values @param {(name: string) => boolean} isControl those keep
 *     whatever name they have
 */
export function heldValues(values, isControl = () => false) {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => {
        const angle = RADIANS.test(name) && !isControl(name);
        return angle ? [heldName(name), value * DEGREES] : [name, value];
    }));
}
