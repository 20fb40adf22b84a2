// SPDX-License-Identifier: Apache-2.0
//
// The keys of the clip that plays, as curves over seconds (point-selection.js). The timeline and
// the curve editor select the same ones.
import {clipName, currentClip} from '../core/keying.js';
import {PARAMETERS} from '../document/joints.js';
import {setKeysOps} from '../document/key-ops.js';
import {hasTracks, sameTime, snappedTime} from '../document/keys.js';
import {put} from '../document/ops.js';
import {join} from '../document/pointer.js';
import {shownAs} from '../document/units.js';
import {PointSelection} from './point-selection.js';

class TrackKeys {
    what = 'key';
    least = 0;

    constructor(studio) {
        this.studio = studio;
    }

    get clip() {
        const clip = currentClip(this.studio);
        return hasTracks(clip) ? clip : null;
    }

    get rate() {
        return this.clip?.rate ?? 30;
    }

    get same() {
        return sameTime(this.rate);
    }

    snap = (time) => snappedTime(time, this.rate);

    curves() {
        return Object.fromEntries(Object.entries(this.clip?.tracks ?? {})
            .map(([name, track]) => [name, track.keys ?? []]));
    }

    interpolation(name) {
        return this.clip?.tracks?.[name]?.interpolation ?? 'linear';
    }

    setInterpolation(name, interpolation) {
        const path = join('clips', clipName(this.studio), 'tracks', name, 'interpolation');
        return this.studio.edit(`Change the interpolation of ${name}`, [put(path, interpolation)]);
    }

    /** How times are shown: as frames. */
    get inputs() {
        return {unit: '', factor: this.rate};
    }

    shownAs(name) {
        return shownAs(name, this.studio.active.document?.controls);
    }

    write(label, keys, merge) {
        const ops = setKeysOps(this.clip, clipName(this.studio), keys);
        return this.studio.edit(label, ops, {merge});
    }
}

const selections = new WeakMap();

/** The selection of keys of a studio: one for all panels. */
export function trackKeys(studio) {
    if (!selections.has(studio)) {
        selections.set(studio, new PointSelection(studio, new TrackKeys(studio)));
    }
    return selections.get(studio);
}

/** The value that a parameter has in the frame that is shown; null where it is not known. */
export function valueNow(studio, parameter) {
    const {model, frame, held} = studio.active;
    if (Object.hasOwn(held, parameter)) {
        return held[parameter];
    }
    const control = model?.controlIndex(parameter) ?? -1;
    if (control >= 0) {
        return frame?.controls?.[control] ?? null;
    }
    const [, segment, key, degrees] = /^(.*)\.([rts][xyz])(_deg)?$/.exec(parameter) ?? [];
    const index = model?.segmentIndex(segment) ?? -1;
    const joint = PARAMETERS.indexOf(key);
    const value = index >= 0 ? frame?.joints?.[9 * index + joint] : undefined;
    return value === undefined ? null : degrees ? (value * 180) / Math.PI : value;
}
