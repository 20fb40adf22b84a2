// SPDX-License-Identifier: Apache-2.0
// Keys of a track: [[seconds, value], ...] by rising time. All calls give a new list.

/** Times closer than this, in frames, are the same key. */
const SAME_FRAME = 1e-4;

/** The time of a frame, in seconds. */
export function timeOfFrame(frame, rate) {
    return frame / rate;
}

/** The frame of a time; a key may lie between frames. */
export function frameOfTime(time, rate) {
    const frame = time * rate;
    const whole = Math.round(frame);
    return Math.abs(frame - whole) < SAME_FRAME ? whole : frame;
}

/** Index of the key at a frame, -1 where there is none. */
export function keyAt(keys, frame, rate) {
    return keys.findIndex(([time]) => Math.abs(time * rate - frame) < SAME_FRAME);
}

/** The keys with `value` at a frame: changed where there is a key, else added. */
export function withKey(keys, frame, rate, value) {
    const there = keyAt(keys, frame, rate);
    if (there >= 0) {
        return keys.map((key, index) => (index === there ? [key[0], value] : key));
    }
    const added = [...keys, [timeOfFrame(frame, rate), value]];
    return added.sort((one, other) => one[0] - other[0]);
}

export function withoutKey(keys, index) {
    return keys.filter((key, each) => each !== index);
}

/** A time that is moved to the frame that it lies at; one between frames stays. */
export function snappedTime(time, rate) {
    return timeOfFrame(frameOfTime(time, rate), rate);
}

/** How near times are, in seconds, that are the same key. */
export function sameTime(rate) {
    return SAME_FRAME / rate;
}

/** The frame of the key before (direction -1) or behind (1) a frame over all tracks; null: none. */
export function nextKeyFrame(tracks, frame, rate, direction) {
    const frames = Object.values(tracks ?? {})
        .flatMap((track) => track.keys ?? [])
        .map(([time]) => Math.round(time * rate))
        .filter((each) => (direction > 0 ? each > frame : each < frame));
    if (frames.length === 0) {
        return null;
    }
    return direction > 0 ? Math.min(...frames) : Math.max(...frames);
}

/** How many frames a clip has: what it says, else up to the last key. */
export function clipFrames(clip) {
    if (clip.frames) {
        return clip.frames;
    }
    const times = Object.values(clip.tracks ?? {})
        .flatMap((track) => track.keys ?? [])
        .map(([time]) => time);
    return Math.floor(Math.max(0, ...times) * (clip.rate ?? 30) + SAME_FRAME) + 1;
}

/** Whether keys can be put into a clip: it is made of tracks. */
export function hasTracks(clip) {
    return Boolean(clip) && !clip.file;
}

/**
 * The key that is nearest in time in the next lane above (-1) or below (1) that has keys: {row,
 * index}, or null. @param {{track}[]} rows all lanes
 */
export function nextLaneKey(rows, from, step, time) {
    for (let row = from + step; rows[row] !== undefined; row += step) {
        const distances = (rows[row].track.keys ?? []).map(([each]) => Math.abs(each - time));
        if (distances.length > 0) {
            return {row, index: distances.indexOf(Math.min(...distances))};
        }
    }
    return null;
}
