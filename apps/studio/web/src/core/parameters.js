// SPDX-License-Identifier: Apache-2.0
//
// An angle of a joint has two names: forearm.rx in radians, forearm.rx_deg in degrees. The page
// holds it under the second alone, so that one joint is never held twice.

const DEGREES = 180 / Math.PI;
const RADIANS = /\.r[xyz]$/;

/** The name under which the page holds a parameter. */
export function heldName(name) {
    return RADIANS.test(name) ? `${name}_deg` : name;
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
