// SPDX-License-Identifier: Apache-2.0
//
// What surfaces are made of and how they are lit: the looks and lamps of pictures
// (src/render/shade.c), without rays. A large warm key lamp on the camera's left, a weak lamp
// behind on the right, and a sky whose brightness is linear in the direction; the whole studio
// turns with the camera.
import {Color, DoubleSide, FrontSide, Matrix4, ShaderMaterial, Vector3} from 'three';
import {fragmentShader, vertexShader} from './shaders.js';

// color, reflectance, roughness, falloff, scatter: see struct look in src/render/shade.c
const LOOKS = {
    skin: [[0.59, 0.355, 0.265], 0.03, 0.4, [0.72, 0.98, 1.12], 0.012],
    muscle: [[0.43, 0.078, 0.062], 0.05, 0.27, [0.85, 1, 1], 0.003],
    bone: [[0.745, 0.655, 0.5], 0.02, 0.6, [0.95, 1, 1.05], 0.002],
    tissue: [[0.8, 0.575, 0.235], 0.035, 0.38, [0.8, 0.92, 1.1], 0.006],
    cloth: [[0.15, 0.225, 0.34], 0.01, 0.85, [1, 1, 1], 0],
    plain: [[0.6, 0.6, 0.6], 0.025, 0.5, [1, 1, 1], 0],
    eye: [[0.035, 0.018, 0.01], 0.06, 0.1, [1, 1, 1], 0],
    horn: [[0.13, 0.095, 0.075], 0.045, 0.3, [1, 1, 1], 0],
};
const VALUED = [[0, 0, 0], 0.008, 0.7, [0.9, 0.9, 0.9], 0];

const KEY = {azimuth: 0.95, elevation: 0.85};
const RIM = {azimuth: -2.4, elevation: 0.5};

// A unit vector at the angles from the horizontal direction `front`.
function lampDirection(front, {azimuth, elevation}) {
    const left = new Vector3().crossVectors(front, new Vector3(0, 1, 0));
    return new Vector3().addScaledVector(front, Math.cos(azimuth) * Math.cos(elevation))
        .addScaledVector(left, Math.sin(azimuth) * Math.cos(elevation))
        .add(new Vector3(0, Math.sin(elevation), 0));
}

/** Uniforms that all materials share. */
export class Light {
    constructor() {
        this.uniforms = {
            uKey: {value: new Vector3(0, 1, 0)},
            uRim: {value: new Vector3(0, 1, 0)},
            uFront: {value: new Vector3(0, 0, 1)},
            uShadow: {value: null},
            uShadowMatrix: {value: new Matrix4()},
            uSceneRadius: {value: 1},
            uShadowed: {value: 0},
            uShadowTexel: {value: 0},
            uGround: {value: 0},
        };
    }

    /** Turns the studio so that the camera stands before it. */
    follow(camera) {
        const front = camera.getWorldDirection(new Vector3()).negate();
        front.y = 0;
        if (front.length() < 1e-3) {
            front.set(-camera.up.x, 0, -camera.up.z);
        }
        front.normalize();
        this.uniforms.uFront.value.copy(front);
        this.uniforms.uKey.value.copy(lampDirection(front, KEY));
        this.uniforms.uRim.value.copy(lampDirection(front, RIM));
    }
}

/** Sheets that are open: their back looks as their front. */
export function isTwoSided(surface) {
    return surface.look === 'muscle' || surface.look === 'cloth';
}

export function makeMaterial(surface, light) {
    const material = new ShaderMaterial({
        vertexShader, fragmentShader,
        uniforms: {
            ...light.uniforms,
            uColor: {value: new Color()}, uReflectance: {value: 0}, uRoughness: {value: 0},
            uFalloff: {value: new Vector3()}, uScatter: {value: 0}, uOpacity: {value: 1},
            uTwoSided: {value: 0},
            uMapped: {value: 0}, uMap: {value: null}, uRange: {value: [0, 1]},
            uPainted: {value: 0}, uCoated: {value: 0}, uTextured: {value: 0}, uImage: {value: null},
            uAlpha: {value: 1}, uAlphaMode: {value: 0}, uCutoff: {value: 0.5},
        },
        polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
        side: DoubleSide,
        clipping: true,
    });
    setLook(material, surface.look, 0);
    return material;
}

/** @param {0|1|2} mapped 1: by the colour map, 2: each whole number in a colour of its own */
export function setLook(material, look, mapped) {
    const [color, reflectance, roughness, falloff, scatter] = mapped ? VALUED
        : LOOKS[look] ?? LOOKS.plain;
    const uniforms = material.uniforms;
    uniforms.uColor.value.setRGB(...color);
    uniforms.uReflectance.value = reflectance;
    uniforms.uRoughness.value = roughness;
    uniforms.uFalloff.value.set(...falloff);
    uniforms.uScatter.value = scatter;
    uniforms.uMapped.value = mapped;
}

/** @param {boolean} blends the material itself is see-through */
export function setOpacity(material, opacity, blends = false) {
    material.uniforms.uOpacity.value = opacity;
    material.transparent = opacity < 1 || blends;
    material.depthWrite = opacity >= 1 && !blends;
    material.side = opacity < 1 ? FrontSide : DoubleSide;
    material.needsUpdate = true;
}
