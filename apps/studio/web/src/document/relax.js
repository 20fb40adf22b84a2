// SPDX-License-Identifier: Apache-2.0
//
// Skins that play a motion their weights were not made for get a `relax`, as `sinew new MODEL
// --motion CLIP` gives it: behind all other deformers, where there is a `blend`.
import {insert} from './ops.js';
import {join} from './pointer.js';

const EVENS_OUT = ['relax', 'implicit'];

// Columns of these files move controls of their names: they are made for the character.
const NAMED_COLUMNS = /\.(mot|sto)$/i;

function isOfOthers(document, file) {
    const own = Object.values(document.meshes ?? {}).some((mesh) => mesh.file === file);
    return !own && !NAMED_COLUMNS.test(file);
}

/**
 * Skins that get it with a clip of `file`. None if the document has a clip of another model already:
 * whoever took its `relax` away then does not get it back.
 * @returns {string[]} their names
 */
export function skinsToRelax(document, file) {
    const clips = Object.values(document.clips ?? {});
    const isFirst = !clips.some((clip) => clip.file && isOfOthers(document, clip.file));
    if (!isFirst || !isOfOthers(document, file)) {
        return [];
    }
    const skins = Object.entries(document.skins ?? {});
    return skins.filter(([, {deformers = []}]) =>
        deformers.some(({kind}) => kind === 'blend') &&
        !deformers.some(({kind}) => EVENS_OUT.includes(kind))
    ).map(([name]) => name);
}

/** Changes that give it to these skins. */
export function relaxOps(skins) {
    return skins.map((skin) => insert(join('skins', skin, 'deformers', '-'), {kind: 'relax'}));
}
