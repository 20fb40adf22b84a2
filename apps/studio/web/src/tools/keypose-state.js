// SPDX-License-Identifier: Apache-2.0
//
// Key poses without the page: the sets of a skin's morph, the parameters that a key can follow in
// a pose, and points that are pulled.
import {DEGREES, PARAMETERS} from '../document/joints.js';
import {mirroredPose} from './mirror-plan.js';
import {falloff} from './paint-stroke.js';

const FLOAT_DIGITS = 9; // tell any two numbers of 32 bits apart
/** How much farther than its radius the brush may take points along. */
export const REACH = 3;
const SLOPE = 2; // radius of a hill that is as high as 1
const FAIR = [0.6, -0.62];
const SAME = 1e-6; // of a radian, a metre or a factor: where the parameter stands as at rest

/**
 * The key poses of a skin: [{deformer, set, follows, interpolation, keys: [{at, count,
 * mesh}]}].
 */
export function keySets(document, skin) {
    const deformers = document?.skins?.[skin]?.deformers ?? [];
    return deformers.flatMap((each, deformer) =>
        (each.kind === 'morph' ? (each.poses ?? []) : []).map((pose, set) => ({
            deformer,
            set,
            follows: pose.follows,
            interpolation: pose.interpolation ?? 'linear',
            keys: pose.keys.map((key) => ({
                at: key.at,
                mesh: key.mesh ?? null,
                count: Object.keys(key.points ?? {}).length,
            })),
        }))
    );
}

/** What the mirror image of a set follows; null where its name tells no side. */
export function mirroredName(follows) {
    return Object.keys(mirroredPose({[follows]: 0}))[0] ?? null;
}

/**
 * `poses` of a morph with the mirror image of a set in it, in the place of what the other side had.
 * @param {(vertex: number) => number} imageOf the point on the other side, or -1
 */
export function mirroredPoses(poses, set, imageOf) {
    const follows = mirroredName(poses[set].follows);
    const keys = poses[set].keys.map((key) => ({
        ...key,
        at: mirroredPose({[poses[set].follows]: key.at})[follows],
        points: mirroredPoints(key.points ?? {}, imageOf),
    }));
    const image = {...poses[set], follows, keys: keys.sort((a, b) => a.at - b.at)};
    const there = poses.findIndex((pose) => pose.follows === follows);
    return there < 0 ? [...poses, image] : poses.with(there, image);
}

function mirroredPoints(points, imageOf) {
    const places = Object.entries(points)
        .map(([vertex, [x, y, z]]) => [imageOf(Number(vertex)), [0 - x, y, z]])
        .filter(([image]) => image >= 0);
    return Object.fromEntries(places);
}

/**
 * What goes with a key of a morph when it is deleted, as a place in the morph: a set without a key
 * that moves points is nothing, and neither is a morph without sets, where nothing else gives it
 * something to do.
 */
export function placeOfKey(morph, {set, keys}, i, meshHasTargets) {
    const others = keys.filter((_, k) => k !== i);
    if (others.some(({mesh, count}) => mesh !== null || count > 0)) {
        return `/poses/${set}/keys/${i}`;
    }
    if (morph.poses.length > 1) {
        return `/poses/${set}`;
    }
    return meshHasTargets || morph.driver_mesh !== undefined ? '/poses' : '';
}

/**
 * Parameters that do not stand as at rest, those that are held first: [{name, value, unit}].
 * @param {{segments, controls}} model @param {{joints, controls}} frame @param {object} held
 */
export function parametersInPose(model, frame, held) {
    const found = [...jointParameters(model, frame), ...controlValues(model, frame)];
    const isHeld = ({name}) => Number(name in held);
    return found
        .sort((a, b) => isHeld(b) - isHeld(a) || b.share - a.share)
        .map(({name, value, unit}) => ({name, value, unit}));
}

function jointParameters({segments}, {joints}) {
    const found = [];
    segments.forEach((segment, i) =>
        PARAMETERS.forEach((parameter, k) => {
            const away = (joints?.[9 * i + k] ?? 0) - (segment.rest?.[k] ?? 0);
            if (joints && Math.abs(away) > SAME) {
                const turns = k < 3;
                found.push({
                    name: `${segment.name}.${parameter}${turns ? '_deg' : ''}`,
                    value: joints[9 * i + k] * (turns ? DEGREES : 1),
                    unit: turns ? 'deg' : k < 6 ? 'm' : '',
                    share: Math.abs(away),
                });
            }
        })
    );
    return found;
}

function controlValues({controls}, frame) {
    return controls
        .map((control, i) => ({
            name: control.name,
            value: frame.controls?.[i] ?? control.rest,
            unit: control.unit ?? '',
            share: Math.abs((frame.controls?.[i] ?? control.rest) - control.rest),
        }))
        .filter(({share}) => share > SAME);
}

/** A number as the list of keys shows it. */
export function atText(at, follows) {
    if (follows.endsWith('.length')) {
        return `${Math.round(at * 1e4) / 10} mm`; // of a muscle
    }
    const rounded = Math.round(at * 100) / 100;
    return follows.endsWith('_deg') ? `${rounded}\u00b0` : String(rounded);
}

/** The pulled points as `key_pose` wants them, in as few digits as say the very number. */
function placesOf(points, vertices) {
    const at = (i) => Number(points[i].toPrecision(FLOAT_DIGITS));
    return Object.fromEntries(
        Array.from(vertices, (v) => [v, [at(3 * v), at(3 * v + 1), at(3 * v + 2)]])
    );
}

/**
 * Points in the hand: each goes with its share of what the pointer goes, by its distance along the
 * surface. A far pull takes more along than the brush covers: it leaves a hill, not a spike.
 */
export class Grab {
    /**
     * @param {Float32Array} points of the whole surface @param {number[]} vertices @param
     * {number[]} distances up to REACH times the radius @param {number} radius of the brush
     */
    constructor(points, vertices, distances, radius) {
        Object.assign(this, {vertices, distances, radius});
        this.start = vertices.map((v) => [points[3 * v], points[3 * v + 1], points[3 * v + 2]]);
        this.shares = vertices.map(() => 0);
    }

    /** Where the points are after a pull by `offset`: written into `points`. */
    pull(points, offset) {
        const radius = Math.min(
            Math.max(this.radius, SLOPE * Math.hypot(...offset)),
            REACH * this.radius
        );
        this.vertices.forEach((v, i) => {
            this.shares[i] = falloff(this.distances[i], radius);
            for (let k = 0; k < 3; k++) {
                points[3 * v + k] = this.start[i][k] + this.shares[i] * offset[k];
            }
        });
    }

    places(points) {
        return placesOf(
            points,
            this.vertices.filter((_, i) => this.shares[i] > 0)
        );
    }
}

/**
 * Smooths a surface under the brush: points go towards the middle of their neighbours and a little
 * less back, so that what is round does not shrink (Taubin, A Signal Processing Approach to Fair
 * Surface Design, 1995).
 */
export class Relax {
    /** @param {(vertex: number) => number[]} neighbours */
    constructor(neighbours) {
        this.neighbours = neighbours;
        this.touched = new Set();
    }

    /** One dab: vertices with their shares of the strength; written into `points`. */
    dab(points, vertices, shares) {
        vertices.forEach((vertex) => this.touched.add(vertex));
        for (const factor of FAIR) {
            const means = vertices.map((vertex) => this.#mean(points, vertex));
            vertices.forEach((vertex, i) => {
                for (let k = 0; k < 3; k++) {
                    const at = 3 * vertex + k;
                    points[at] += factor * shares[i] * (means[i][k] - points[at]);
                }
            });
        }
    }

    #mean(points, vertex) {
        const around = this.neighbours(vertex);
        const sum = (k) => around.reduce((total, other) => total + points[3 * other + k], 0);
        return around.length > 0
            ? [0, 1, 2].map((k) => sum(k) / around.length)
            : [0, 1, 2].map((k) => points[3 * vertex + k]);
    }

    places(points) {
        return placesOf(points, this.touched);
    }
}

/** How far the pointer went: in the plane of the view through a point, or along a normal. */
export function pullOffset({right, up, metres, normal}, dx, dy, along) {
    const inPlane = [0, 1, 2].map((k) => (right[k] * dx - up[k] * dy) * metres);
    if (along !== 'normal') {
        return inPlane;
    }
    // Up on the screen is outwards where the normal looks at the viewer, else along its picture.
    const seen = [dot(normal, right), dot(normal, up)];
    const length = Math.hypot(...seen);
    const offset = length > 0.3 ? ((seen[0] * dx - seen[1] * dy) / length) * metres : -dy * metres;
    return normal.map((x) => x * offset);
}

function dot(a, b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
