// SPDX-License-Identifier: Apache-2.0
//
// What can be made for a character as a whole, and why not where it cannot.

/** Names of the skins that muscles can be laid out on and drivers made of. */
export function skinNames(model) {
    return (model?.surfaces ?? [])
        .filter(({layer, segment, path}) => layer === 'skin' && segment === null &&
            path.startsWith('/skins/'))
        .map(({name}) => name);
}

function hasBlend(document, name) {
    const {deformers = []} = document.skins?.[name] ?? {};
    return deformers.some(({kind}) => kind === 'blend');
}

const AGAINST = {
    muscles: ({model}, skins) => skins.length === 0 ? 'needs a skin'
        : model.segments.length < 2 ? 'needs a skeleton below the skin' : null,
    face: (slot, skins) => skins.length === 0 ? 'needs a skin' : null,
    landmarks: (slot, skins) => skins.length === 0 ? 'needs a skin' : null,
    driver: ({document}, skins) =>
        'driver' in (document.skins ?? {}) || 'driver' in (document.meshes ?? {})
            ? 'there already is a skin or mesh called "driver"'
            : skins.some((name) => hasBlend(document, name)) ? null
                : 'needs a skin with a blend deformer (skin weights)',
};

/** @param {'muscles'|'face'|'landmarks'|'driver'} what @returns {string|null} null: it can be made */
export function reasonAgainst(what, slot) {
    if (slot.document === null) {
        return 'no character is open';
    }
    return slot.model === null ? 'the character is still loading'
        : AGAINST[what](slot, skinNames(slot.model));
}
