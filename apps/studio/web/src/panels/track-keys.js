// SPDX-License-Identifier: Apache-2.0
//
// The keys of the clip that plays, as curves over seconds (point-selection.js). The timeline and
// the curve editor select the same ones.
import {clipName, currentClip} from '../core/keying.js';
import {setKeysOps} from '../document/key-ops.js';
import {hasTracks, sameTime, snappedTime} from '../document/keys.js';
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
