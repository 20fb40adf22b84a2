// SPDX-License-Identifier: Apache-2.0
//
// The materials of a surface: base colours, images and alpha as the model's file has them, in the
// light of the viewport.
import {
    ClampToEdgeWrapping, LinearFilter, LinearMipmapLinearFilter, MirroredRepeatWrapping,
    RepeatWrapping, SRGBColorSpace, Texture,
} from 'three';

const WRAPS = {repeat: RepeatWrapping, mirror: MirroredRepeatWrapping, clamp: ClampToEdgeWrapping};
/** Larger images are shrunk to this, pixels of a side. */
const LARGEST = 4096;
const AS_IS = {premultiplyAlpha: 'none', colorSpaceConversion: 'none'};
// Rougher or smoother surfaces have no highlight that this light could show.
const ROUGHNESS = [0.25, 0.95];

/** What a surface shows of its materials: [{first, count, material}], in triangles. */
export function runsOf({materials}) {
    let first = 0;
    return materials.map(({triangles: count, ...material}) => {
        const run = {first, count, material: material.color === undefined ? null : material};
        first += count;
        return run;
    });
}

async function decode(bytes, type) {
    const blob = new Blob([bytes], {type});
    const whole = await createImageBitmap(blob, AS_IS);
    const shrink = Math.max(whole.width, whole.height) / LARGEST;
    if (shrink <= 1) {
        return whole;
    }
    const [resizeWidth, resizeHeight] = [whole.width, whole.height]
        .map((side) => Math.max(1, Math.round(side / shrink)));
    whole.close();
    return createImageBitmap(blob, {...AS_IS, resizeWidth, resizeHeight, resizeQuality: 'high'});
}

function makeTexture(bitmap, wrap) {
    const texture = new Texture(bitmap);
    texture.flipY = false; // the first row is the upper one, as texture coordinates count
    texture.colorSpace = SRGBColorSpace;
    [texture.wrapS, texture.wrapT] = wrap.map((name) => WRAPS[name] ?? RepeatWrapping);
    texture.minFilter = LinearMipmapLinearFilter;
    texture.magFilter = LinearFilter;
    texture.anisotropy = 4;
    texture.needsUpdate = true;
    return texture;
}

/** The images of a surface's materials, decoded once each. */
export class Images {
    #textures = [];
    #disposed = false;

    /**
     * Gives a material its image as soon as it is decoded.
     * @param {() => void} onReady
     * @param {(name: string) => void} onFailed the image of this material cannot be shown
     */
    give(surface, {name, image}, uniforms, onReady, onFailed) {
        decode(surface.images[image.number], image.type).then((bitmap) => {
            if (this.#disposed) {
                bitmap.close();
                return;
            }
            const texture = makeTexture(bitmap, image.wrap);
            this.#textures.push(texture);
            uniforms.uImage.value = texture;
            uniforms.uTextured.value = uniforms.uCoated.value;
            onReady();
        }, () => onFailed(name));
    }

    dispose() {
        this.#disposed = true;
        for (const texture of this.#textures) {
            texture.dispose();
            texture.image.close();
        }
    }
}

/** Colours and alpha of a material; its image where that has come. */
export function setCoat({uniforms}, {color, roughness, alpha, cutoff, two_sided: twoSided}) {
    const [r, g, b, a] = color;
    uniforms.uColor.value.setRGB(r, g, b);
    uniforms.uRoughness.value = Math.min(Math.max(roughness, ROUGHNESS[0]), ROUGHNESS[1]);
    uniforms.uAlpha.value = alpha === 'opaque' ? 1 : a;
    uniforms.uAlphaMode.value = {opaque: 0, mask: 1, blend: 2}[alpha];
    uniforms.uCutoff.value = cutoff;
    uniforms.uTextured.value = uniforms.uImage.value === null ? 0 : 1;
    uniforms.uCoated.value = 1;
    if (twoSided) {
        uniforms.uTwoSided.value = 1;
    }
}

/** No material: the look of the layer. */
export function clearCoat({uniforms}) {
    uniforms.uCoated.value = 0;
    uniforms.uTextured.value = 0;
    uniforms.uAlphaMode.value = 0;
}
