// SPDX-License-Identifier: Apache-2.0
// Keyframes as changes of the document.

import {DEGREES} from './joints.js';
import {hasTracks, withKey} from './keys.js';
import {freeName} from './names.js';
import {put, remove} from './ops.js';
import {join} from './pointer.js';

const STANDARD_RATE = 30;
const STANDARD_FRAMES = 60;

/** A clip to put keys into: empty, two seconds long, so that there are frames to put them at. */
function newClip() {
    return {rate: STANDARD_RATE, frames: STANDARD_FRAMES, tracks: {}};
}

/** Changes that add a clip of tracks: {name, ops}. */
export function newClipOps(document, wanted = 'clip') {
    const name = freeName(wanted, Object.keys(document.clips ?? {}));
    const section = document.clips ? [] : [put(join('clips'), {})];
    return {name, ops: [...section, put(join('clips', name), newClip())]};
}

/** Changes that add a clip of a file. */
export function fileClipOps(document, file) {
    const stem = file
        .split('/')
        .at(-1)
        .replace(/(\.sinew)?\.[^.]+$/, '');
    const name = freeName(stem || 'clip', Object.keys(document.clips ?? {}));
    const section = document.clips ? [] : [put(join('clips'), {})];
    return {name, ops: [...section, put(join('clips', name), {file})]};
}

/**
 * A parameter as a clip has it already: 'forearm.rx' for 'forearm.rx_deg', with the value for it.
 */
function sameParameter(tracks, parameter, value) {
    if (Object.hasOwn(tracks, parameter)) {
        return {parameter, value};
    }
    const radians = parameter.replace(/_deg$/, '');
    if (radians !== parameter && Object.hasOwn(tracks, radians)) {
        return {parameter: radians, value: value / DEGREES};
    }
    const degrees = `${parameter}_deg`;
    if (/\.r[xyz]$/.test(parameter) && Object.hasOwn(tracks, degrees)) {
        return {parameter: degrees, value: value * DEGREES};
    }
    return {parameter, value};
}

function keyOp(clip, clipName, name, amount, frame) {
    const rate = clip.rate ?? STANDARD_RATE;
    const {parameter, value} = sameParameter(clip.tracks ?? {}, name, amount);
    const track = clip.tracks?.[parameter];
    const path = join('clips', clipName, 'tracks', parameter);
    return track?.keys
        ? put(`${path}/keys`, withKey(track.keys, frame, rate, value))
        : put(path, {...track, keys: withKey([], frame, rate, value)});
}

/**
 * Changes that put keys at a frame of the clip that plays: {clip, ops}, or {reason}. Where the
 * document has no clip, one is made.
 * @param {Object<string, number>} values by parameter
 */
export function keyOps(document, clipName, frame, values) {
    const there = document.clips?.[clipName];
    if (there && !hasTracks(there)) {
        return {
            reason: `The clip "${clipName}" comes from a file. Add a clip for your own keys.`
        };
    }
    const made = there ? {name: clipName, ops: []} : newClipOps(document);
    const clip = there ?? newClip();
    const tracks = clip.tracks ? [] : [put(join('clips', made.name, 'tracks'), {})];
    const at = there ? frame : 0;
    const keys = Object.entries(values).map(([name, value]) =>
        keyOp(clip, made.name, name, value, at)
    );
    return {clip: made.name, ops: [...made.ops, ...tracks, ...keys]};
}

/**
 * Changes that give tracks of a clip other keys. A track without keys goes; one that is not there
 * comes.
 * @param {Object<string, [number, number][]>} keys by parameter
 */
export function setKeysOps(clip, clipName, keys) {
    return Object.entries(keys).flatMap(([parameter, list]) => {
        const path = join('clips', clipName, 'tracks', parameter);
        const there = Object.hasOwn(clip?.tracks ?? {}, parameter);
        if (list.length === 0) {
            return there ? [remove(path)] : [];
        }
        return [there ? put(`${path}/keys`, list) : put(path, {keys: list})];
    });
}
