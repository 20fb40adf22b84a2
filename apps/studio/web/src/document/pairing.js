// SPDX-License-Identifier: Apache-2.0
//
// What moves what in a clip from a file: what documents say about it ("pairing" of the clip), and the
// words for it.
import {put, remove} from './ops.js';
import {join} from './pointer.js';

const BY = {
    map: 'set by hand',
    name: 'equal names',
    part: 'same part of the body',
    shape: 'same part, told by shape',
};

/** How a pair was found, or why there is none. @param {{by, why}} row of the server's answer */
export const reasonOf = (row) => (row.by === undefined ? row.why : BY[row.by] ?? row.by);

/** What moves a segment in words: 'Spine1', 'Hips 50 % + Spine 50 %'; '' for nothing. */
export function sourceText(source) {
    if (source === null || typeof source === 'string') {
        return source ?? '';
    }
    return Object.entries(source)
        .map(([joint, share]) => `${joint} ${Math.round(share * 100)} %`)
        .join(' + ');
}

/** Lets `source` (a joint, null for none) move a segment of a clip. */
export function pairOps(document, clip, segment, source) {
    const pairing = document.clips[clip].pairing;
    return pairing === undefined
        ? [put(join('clips', clip, 'pairing'), {[segment]: source})]
        : [put(join('clips', clip, 'pairing', segment), source)];
}

/** Lets a segment be moved by what is found for it again; [] where nothing else is said. */
export function findOps(document, clip, segment) {
    const pairing = document.clips[clip].pairing ?? {};
    if (!Object.hasOwn(pairing, segment)) {
        return [];
    }
    return Object.keys(pairing).length === 1
        ? [remove(join('clips', clip, 'pairing'))]
        : [remove(join('clips', clip, 'pairing', segment))];
}

/** The rows that a search shows: every word is in segment, part, joint or reason. */
export function shownRows(pairing, text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return Object.entries(pairing).filter(([segment, row]) => {
        const all = [segment, row.part ?? '', sourceText(row.source), reasonOf(row)]
            .join(' ').toLowerCase();
        return words.every((word) => all.includes(word));
    });
}

/** '22 of 31 joints of walk.bvh move 24 of 163 segments.' */
export function pairingSummary({used, moved, joints, pairing}, file) {
    return `${used} of ${joints.length} joints of ${file} move ${moved} of ` +
        `${Object.keys(pairing).length} segments.`;
}
