// SPDX-License-Identifier: Apache-2.0
//
// Colours of numbers as textures.
import {
    ClampToEdgeWrapping, DataTexture, LinearFilter, NearestFilter, RGBAFormat, SRGBColorSpace,
} from 'three';
import {COMPONENT_COLORS, componentBytes, mapBytes} from './colormap.js';

const SMOOTH = 256; // pixels of a map
const textures = new Map();

function makeTexture(width, bytesAt, filter) {
    const data = new Uint8Array(width * 4);
    for (let i = 0; i < width; ++i) {
        data.set([...bytesAt(i), 255], 4 * i);
    }
    const texture = new DataTexture(data, width, 1, RGBAFormat);
    texture.colorSpace = SRGBColorSpace;
    texture.minFilter = texture.magFilter = filter;
    texture.wrapS = ClampToEdgeWrapping;
    texture.needsUpdate = true;
    return texture;
}

/** A map by its name; null: the colours of components. */
export function mapTexture(name) {
    if (!textures.has(name)) {
        textures.set(name, name === null
            ? makeTexture(COMPONENT_COLORS, componentBytes, NearestFilter)
            : makeTexture(SMOOTH, (i) => mapBytes(name, i / (SMOOTH - 1)), LinearFilter));
    }
    return textures.get(name);
}
