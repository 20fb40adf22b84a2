// SPDX-License-Identifier: Apache-2.0
//
// The floor: a grid in metres that fades with the distance, and the shadow of what stands on it.
import {Color, DoubleSide, Mesh, PlaneGeometry, ShaderMaterial, Vector3} from 'three';

const vertexShader = /* glsl */ `
varying vec3 vWorld;
void main() {
    vec4 world = modelMatrix * vec4(position, 1.0);
    vWorld = world.xyz;
    gl_Position = projectionMatrix * viewMatrix * world;
}
`;

const fragmentShader = /* glsl */ `
uniform vec3 uCentre, uLine;
uniform float uCell, uRadius, uShade;
uniform sampler2D uShadow;
varying vec3 vWorld;

float lines(float cell) {
    vec2 at = vWorld.xz / cell;
    vec2 width = fwidth(at);
    vec2 away = abs(fract(at - 0.5) - 0.5) / max(width, 1e-6);
    // Lines closer to each other than a few pixels fade.
    float crowd = 1.0 - smoothstep(0.1, 0.4, max(width.x, width.y));
    return (1.0 - clamp(min(away.x, away.y) - 0.2, 0.0, 1.0)) * crowd;
}

void main() {
    float away = length(vWorld.xz - uCentre.xz) / (4.0 * uRadius);
    float fade = 1.0 - smoothstep(0.4, 1.0, away);
    vec3 viewer = isOrthographic ? transpose(viewMatrix)[2].xyz
        : normalize(cameraPosition - vWorld);
    float slant = abs(viewer.y);
    float line = max(0.45 * lines(uCell), 0.9 * lines(uCell * 10.0));
    line *= fade * 0.26 * smoothstep(0.0, 0.12, slant);
    vec2 at = (vWorld.xz - uCentre.xz) * vec2(1.0, -1.0) / (uRadius * 2.2) * 0.5 + 0.5;
    bool inside = all(greaterThan(at, vec2(0.0))) && all(lessThan(at, vec2(1.0)));
    float shade = inside && viewer.y > 0.0 && uShade > 0.0 ?
        texture2D(uShadow, at).r * uShade : 0.0;
    // The line over the shadow, mixed by their alpha.
    float alpha = line + (1.0 - line) * shade;
    gl_FragColor = vec4(alpha > 0.0 ? uLine * line / alpha : vec3(0.0), alpha);
    #include <colorspace_fragment>
}
`;

export class Stage {
    constructor() {
        this.material = new ShaderMaterial({
            vertexShader, fragmentShader, transparent: true, depthWrite: false, side: DoubleSide,
            uniforms: {uCentre: {value: new Vector3()}, uLine: {value: new Color()},
                uCell: {value: 0.1}, uRadius: {value: 1}, uShadow: {value: null},
                uShade: {value: 0.7}},
        });
        this.floor = new Mesh(new PlaneGeometry(2, 2).rotateX(-Math.PI / 2), this.material);
        this.floor.frustumCulled = false;
        this.floor.renderOrder = -1;
    }

    /** Fits the floor to what stands on it. */
    fit({centre, radius, ground}, shadow) {
        const uniforms = this.material.uniforms;
        uniforms.uCentre.value.copy(centre);
        uniforms.uRadius.value = radius;
        uniforms.uShadow.value = shadow;
        uniforms.uCell.value = 10 ** Math.round(Math.log10(radius / 10));
        this.floor.position.set(centre.x, ground, centre.z);
        this.floor.scale.setScalar(4 * radius);
        this.floor.updateMatrixWorld();
    }

    /** Lines in a colour of the style sheet; shadows are deeper on a light floor. */
    setColors(line, light, shadowed) {
        this.material.uniforms.uLine.value.set(line);
        this.material.uniforms.uShade.value = !shadowed ? 0 : light ? 0.75 : 0.9;
    }
}
