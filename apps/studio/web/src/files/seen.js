// SPDX-License-Identifier: Apache-2.0
//
// What the viewport shows of a character, as requests of pictures and films say it: the same place
// of the camera, layers, edges and colours.

const LAYER_NAMES = {
    skin: 'skin',
    muscle: 'muscles',
    tissue: 'tissues',
    bone: 'bones',
    driver: 'drivers',
};
const DEGREES = 180 / Math.PI;
const STEEPEST = 90;

/** Sizes that are offered besides that of the viewport. */
export const SIZES = ['640x400', '1280x720', '1920x1080', '3840x2160'];

/** The part of the viewport that a character is seen in, pixels. */
function sizeSeen({width, height, shownSlots}) {
    return {width: Math.floor(width / shownSlots.length), height: Math.floor(height)};
}

/** Choices of a size, those of the viewport first. */
export function sizeChoices(viewport) {
    const own = sizeSeen(viewport);
    const times = (factor, words) => ({
        value: `${factor * own.width}x${factor * own.height}`,
        label: `${words} (${factor * own.width} × ${factor * own.height})`,
    });
    return [
        times(1, 'Same as the viewport'),
        times(2, 'Twice the viewport'),
        ...SIZES.map((value) => ({value, label: value.replace('x', ' × ')})),
    ];
}

/** Cameras that are offered. */
export const CAMERAS = [
    {value: 'seen', label: 'As in the viewport'},
    {value: 'all', label: 'Whole character, from the same side'},
];

function direction({azimuth, elevation}) {
    return {
        azimuth: Math.atan2(Math.sin(azimuth), Math.cos(azimuth)) * DEGREES,
        elevation: Math.max(-STEEPEST, Math.min(STEEPEST, elevation * DEGREES)),
    };
}

/**
 * The camera. A picture that is narrower than the viewport is taken from further away, so that
 * nothing is cut off.
 */
function aim(viewport, slot, aspect) {
    const {orbit} = viewport;
    const {offset, ground} = viewport.views[slot.index];
    const own = sizeSeen(viewport);
    const narrower = Math.max(1, own.width / own.height / aspect);
    return {
        target: orbit.target.clone().add(offset).toArray(),
        distance: orbit.distance * narrower,
        ...(ground === null ? {} : {ground}),
    };
}

/** "weights:forearm" and the like; undefined where nothing that is shown has the quantity. */
function colorOf({coloring}, slot) {
    const quantity = coloring.wanted(slot);
    if (quantity === null || coloring.missing) {
        return undefined;
    }
    const of = quantity.segment ?? quantity.deformer;
    return of === undefined ? quantity.name : `${quantity.name}:${of}`;
}

/** @param {{size: string, quality: string, camera: 'seen'|'all'}} choice */
export function seenRequest({viewport}, slot, {size, quality, camera}) {
    const {layers, wireframe, materials, orbit} = viewport;
    const [width, height] = size.split('x').map(Number);
    const shown = Object.keys(LAYER_NAMES).filter((name) => layers[name].mode !== 'hidden');
    const opacities = shown.map((name) => [
        LAYER_NAMES[name],
        layers[name].mode === 'clear' ? layers[name].opacity : 1,
    ]);
    const color = colorOf(viewport, slot);
    return {
        slot: slot.index,
        width,
        height,
        quality,
        ...direction(orbit),
        orthographic: orbit.orthographic,
        ...(camera === 'seen' ? aim(viewport, slot, width / height) : {}),
        show: shown.map((name) => LAYER_NAMES[name]),
        opacity: Object.fromEntries(opacities),
        wireframe: wireframe ? 'all' : false,
        materials,
        ...(color === undefined ? {} : {color}),
    };
}
