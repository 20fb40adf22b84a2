// SPDX-License-Identifier: Apache-2.0
//
// Puts keyframes at the playhead, and clips into the document.
import {heldName} from '../document/joints.js';
import {fileClipOps, keyOps, newClipOps} from '../document/key-ops.js';
import {freeName} from '../document/names.js';
import {relaxOps, skinsToRelax} from '../document/relax.js';
import {resultOf, startJob} from './job.js';

/** The clip that plays in a slot, by its name in the document; null where none does. */
export function clipName(studio, slot = studio.active) {
    const name = slot.model?.clip?.name ?? studio.time.clip ?? null;
    return name !== null && Object.hasOwn(slot.document?.clips ?? {}, name) ? name : null;
}

export function currentClip(studio, slot = studio.active) {
    const name = clipName(studio, slot);
    return name === null ? null : slot.document.clips[name];
}

export async function playClip(studio, name) {
    await studio.call('clip', {slot: studio.active.index, name});
}

/**
 * Keys parameters at the present frame; what was held is let go, so that the keys are seen.
 * @param {string|null} merge the gesture that it belongs to
 */
export async function keyNow(studio, values, merge = null) {
    const slot = studio.active;
    const names = Object.keys(values);
    const {reason, clip, ops} = keyOps(slot.document, clipName(studio), studio.time.frame, values);
    if (reason) {
        studio.notice(reason, 'warning');
        return;
    }
    const isNew = !Object.hasOwn(slot.document.clips ?? {}, clip);
    const what = names.length === 1 ? names[0] : `${names.length} parameters`;
    await studio.edit(`Key ${what} at frame ${isNew ? 0 : studio.time.frame}`, ops,
        {merge, release: names.map(heldName)});
    if (isNew) {
        await playClip(studio, clip);
    }
}

/** A new clip of tracks, which plays then. */
export async function addClip(studio) {
    const {name, ops} = newClipOps(studio.active.document);
    await studio.edit(`Add clip ${name}`, ops);
    await playClip(studio, name);
    studio.select(`/clips/${name}`);
}

/**
 * A clip of a motion file, with a `relax` for the skins that want one: one step of undo; it plays
 * then. A file that cannot be played is an error, and the document stays as it is.
 * @returns {Promise<{name: string, relaxed: string[]}>} of the clip; the skins that got it
 */
export async function addFileClip(studio, file) {
    await studio.call('clip', {slot: studio.active.index, path: file}, {quiet: true});
    const {document} = studio.active;
    const {name, ops} = fileClipOps(document, file);
    const relaxed = skinsToRelax(document, file);
    await studio.edit(`Add clip ${name}`, [...ops, ...relaxOps(relaxed)]);
    await playClip(studio, name);
    studio.play();
    return {name, relaxed};
}

/** The motion that plays as keys of a new clip, which plays then: long work, one step of undo. */
export async function bakeToKeys(studio) {
    const slot = studio.active;
    const from = slot.model?.clip?.name ?? null;
    if (from === null) {
        studio.notice('The rest pose has no motion to bake. Choose a clip.', 'warning');
        return;
    }
    const name = freeName(`${from} keys`, Object.keys(slot.document.clips ?? {}));
    try {
        const job = await startJob(studio, 'bake_keys', {slot: slot.index, clip: from, name});
        const result = await resultOf(studio, job);
        if (result !== null) {
            await playClip(studio, name);
            studio.notice(`${name}: ${result.tracks} tracks with ${result.keys} keys for ` +
                `${result.frames} frames, within 0.05° and 0.1 mm of the motion.`);
        }
    } catch (error) {
        studio.report(error);
    }
}
