// SPDX-License-Identifier: Apache-2.0
//
// Poses that are kept in a document: each is a control from 0 to 1 whose synergy adds to others, so
// that poses mix with each other and with single controls, and clips can move them.
import {mirrorSign} from './joints.js';
import {hasSide, otherSide, sideOf} from './names.js';
import {insert, put, remove} from './ops.js';
import {join} from './pointer.js';
import {deleteOps} from './references.js';

/** The heading under which saved poses stand. */
export const POSES = 'saved poses';

const LEAST = 1e-6; // a difference from rest that is none
const DIGITS = 6;

/** What a pose spreads over: how far values are from rest. @param {[{name, rest}, number][]} values */
export function spreadFrom(values) {
    return Object.fromEntries(values.map(([{name, rest}, value]) =>
        [name, Number((value - rest).toPrecision(DIGITS))])
        .filter(([, amount]) => Math.abs(amount) > LEAST));
}

/**
 * A spread with left and right exchanged. What has a side in its name, but no other one in the
 * document, goes the other way: `jaw left`. @param {(name: string) => boolean} isThere
 */
export function mirroredSpread(spread, isThere) {
    return Object.fromEntries(Object.entries(spread).map(([name, amount]) => {
        const other = otherSide(name);
        return other === name || isThere(other) ? [other, amount * mirrorSign(name)]
            : [name, -amount];
    }));
}

/**
 * The part of a spread that belongs to one side. What has no side, such as a smile, is taken apart
 * into what it moves where `parts` gives that, else shared by both.
 * @param {'left'|'right'} side @param {(name: string) => ?Object<string, number>} parts
 */
export function sideOfSpread(spread, side, isThere, parts = () => undefined) {
    const sum = {};
    const add = (name, amount) => {
        const sided = hasSide(name) && isThere(otherSide(name));
        const own = sided ? undefined : parts(name);
        if (own !== undefined) {
            Object.entries(own).forEach(([each, times]) => add(each, amount * times));
        } else if (!sided || sideOf(name) === side) {
            sum[name] = (sum[name] ?? 0) + (sided ? amount : amount / 2);
        }
    };
    Object.entries(spread).forEach(([name, amount]) => add(name, amount));
    return Object.fromEntries(Object.entries(sum)
        .map(([name, amount]) => [name, Number(amount.toPrecision(DIGITS))])
        .filter(([, amount]) => amount !== 0));
}

/** Changes that add a pose. */
export function addPoseOps(document, name, spread, about = '') {
    const sections = [['controls', {}], ['synergies', []]]
        .filter(([section]) => document[section] === undefined)
        .map(([section, value]) => put(join(section), value));
    const control = {low: 0, high: 1, group: POSES, ...(about === '' ? {} : {about})};
    return [...sections, put(join('controls', name), control),
        insert(join('synergies', '-'), {control: name, spread})];
}

/** Changes that take a pose out with what it spreads over. */
export function deletePoseOps(schema, document, name) {
    const own = (document.synergies ?? []).map(({control}, index) => (control === name ? index : -1))
        .filter((index) => index >= 0).reverse();
    const last = own.length > 0 && own.length === document.synergies.length;
    return [...(last ? [remove(join('synergies'))]
        : own.map((index) => remove(join('synergies', index)))),
    ...deleteOps(schema, document, join('controls', name))];
}
