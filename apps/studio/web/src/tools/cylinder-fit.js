// SPDX-License-Identifier: Apache-2.0
//
// How a new muscle between bones fits into its limb: as large as there is room between the line
// from its origins to its insertions and the skin, and what makes that skin follow it. Gives values
// and operations; changes nothing.
import {insert, put} from '../document/ops.js';
import {join} from '../document/pointer.js';
import {BROAD_FIBRES} from './cylinder-places.js';
import {add, distance, mix, rounded, scale} from './vectors.js';

// Places along the line at which it is measured how deep below the skin it lies. The median of
// these depths counts: where the line comes out of the skin in a bend, or passes the inner ends of
// a limb that is made of parts, its depth is no measure of the limb.
const PLACES = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];

// Sections stand on the line, 0.6 times as thick as they are wide (docs/cylinder.md). One that is
// 1.4 times as wide as the line is deep has its rim at most 0.84 times that depth away from it.
const WIDTH_OF_DEPTH = 1.4;
const THICKNESS_OF_WIDTH = 0.6;

// Never thinner than this part of its length, where there is no room at all.
const LEAST_WIDTH = 0.02;

// Skin follows fully up to this part of the depth beyond what lies above the belly, and not at all
// one depth further away: the other side of the limb is beyond that.
const FULL_BEYOND = 0.35;

/** The width of the belly that the kind itself would choose. */
function standardWidth(kind, ends, length) {
    const across = (places) => (places.length < 2 ? 0 : distance(places[0], places[1]));
    const one = kind === 'fibre' && ends.origins.length < 2;
    if (kind === 'fibre' && !one) { // that of one of its fibres
        return 1.6 * (across(ends.origins) + across(ends.insertions)) / 2 / (BROAD_FIBRES - 1);
    }
    return kind === 'ellipsoid' || one ? length / 4
        : (across(ends.origins) + across(ends.insertions)) / 2 + 0.12 * length;
}

function median(numbers) {
    return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function middleOf(points) {
    return scale(points.reduce(add), 1 / points.length);
}

/**
 * The size of a new muscle and the distances of its falloff.
 * @param {{origins: number[][], insertions: number[][]}} ends points at rest
 * @param {(point: number[]) => number} depthAt how far the skin is away from a point at rest
 */
export function fitMuscle(kind, ends, depthAt) {
    const [from, to] = [middleOf(ends.origins), middleOf(ends.insertions)];
    const length = distance(from, to);
    const depth = median(PLACES.map((t) => depthAt(mix(from, to, t))));
    const width = Math.max(LEAST_WIDTH * length,
        Math.min(WIDTH_OF_DEPTH * depth, standardWidth(kind, ends, length)));
    const full = Math.max(depth - THICKNESS_OF_WIDTH * width, 0) + FULL_BEYOND * depth;
    return {width: rounded(width, 3), d_full: rounded(full, 3), d_none: rounded(full + depth, 3)};
}

// Deformers that make skins follow what lies below them, and their key for what that is: without it
// they follow all of it.
const FOLLOWS = {membrane: 'components', implicit: 'muscles'};

/**
 * Makes a skin follow new muscles: a deformer that follows named ones gets them, one that follows
 * all has them already, and any other skin gets a falloff.
 */
export function followOps(document, skin, names, {d_full, d_none}) {
    const path = join('skins', skin, 'deformers');
    const {deformers} = document.skins[skin];
    const at = (deformers ?? []).findIndex(({kind}) => FOLLOWS[kind] !== undefined);
    if (at >= 0) {
        const key = FOLLOWS[deformers[at].kind];
        const named = deformers[at][key];
        return named === undefined ? []
            : [put(`${path}/${at}/${key}`, [...named, ...names])];
    }
    const falloff = {kind: 'falloff', muscles: names, d_full, d_none};
    return deformers === undefined ? [put(path, [falloff])]
        : [insert(`${path}/${deformers.length}`, falloff)];
}
