// SPDX-License-Identifier: Apache-2.0
//
// Controls that move others, with the mirror images that documents leave out, and what is each
// control's own part of a value that synergies have added to.
import {mirrorSign} from './joints.js';
import {hasSide, otherSide} from './names.js';

function mirroredEntry({control, spread}) {
    const sided = hasSide(control);
    const terms = Object.entries(spread).filter(([name]) => sided || hasSide(name))
        .map(([name, amount]) => [otherSide(name), amount * mirrorSign(name)]);
    return {control: otherSide(control), spread: Object.fromEntries(terms)};
}

/** What one unit of each control adds to others. @returns {Map<string, Object<string, number>>} */
export function spreadsOf(document) {
    const spreads = new Map();
    const entries = (document?.synergies ?? []).filter(({repeat}) => repeat === undefined);
    for (const entry of entries.flatMap((each) => each.mirror === true
        ? [each, mirroredEntry(each)] : [each])) {
        const sum = {...spreads.get(entry.control)};
        for (const [name, amount] of Object.entries(entry.spread ?? {})) {
            sum[name] = (sum[name] ?? 0) + amount;
        }
        spreads.set(entry.control, sum);
    }
    return spreads;
}

/** What a control moves in the end, through others: parameters that move no more, with amounts. */
export function reachOf(spreads, name) {
    const reach = {};
    const follow = (each, amount, above) => {
        const spread = spreads.get(each);
        if (spread === undefined || above.includes(each)) {
            reach[each] = (reach[each] ?? 0) + amount;
            return;
        }
        for (const [next, times] of Object.entries(spread)) {
            follow(next, amount * times, [...above, each]);
        }
    };
    follow(name, 1, []);
    return reach;
}

/** The same turned around: who adds to each. @returns {Map<string, [string, number][]>} */
export function addersOf(spreads) {
    const adders = new Map();
    for (const [control, spread] of spreads) {
        for (const [name, amount] of Object.entries(spread)) {
            adders.set(name, [...(adders.get(name) ?? []), [control, amount]]);
        }
    }
    return adders;
}

/**
 * What a control is set to itself: what is held, else what a frame has without what others add.
 * @param {(name: string) => number|undefined} total values of the frame
 */
export function ownValue({name, low, high}, adders, total, held) {
    const all = total(name);
    if (held[name] !== undefined || all === undefined) {
        return held[name];
    }
    const added = (adders.get(name) ?? [])
        .reduce((sum, [control, amount]) => sum + amount * (total(control) ?? 0), 0);
    return added === 0 ? all : Math.min(high, Math.max(low, Number((all - added).toFixed(9))));
}
