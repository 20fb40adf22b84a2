// SPDX-License-Identifier: Apache-2.0
//
// Light on surfaces, after src/render/shade.c: the same numbers, without rays.
import {COMPONENT_COLORS} from './colormap.js';

export const vertexShader = /* glsl */ `
attribute float value;
attribute vec4 color;
varying vec4 vColor;
varying vec2 vUv;
varying vec3 vNormal;
varying vec3 vWorld;
varying float vValue;
flat varying float vPart;
#include <clipping_planes_pars_vertex>

void main() {
    vWorld = (modelMatrix * vec4(position, 1.0)).xyz;
    vNormal = mat3(modelMatrix) * normal;
    vValue = value;
    vPart = value;
    vColor = color;
    vUv = uv;
    // As three.js itself computes it, so that passes over one surface give one depth.
    vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
    gl_Position = projectionMatrix * mvPosition;
    #include <clipping_planes_vertex>
}
`;

const taps = Array.from({length: 8}, (_, i) => {
    const r = Math.sqrt((i + 0.5) / 8);
    const angle = 2.39996323 * i;
    return `vec2(${(r * Math.cos(angle)).toFixed(5)}, ${(r * Math.sin(angle)).toFixed(5)})`;
});

export const fragmentShader = /* glsl */ `
precision highp sampler2DShadow;
uniform vec3 uKey, uRim, uFront;
uniform vec3 uColor, uFalloff;
uniform float uReflectance, uRoughness, uOpacity, uTwoSided, uMapped, uPainted;
uniform float uCoated, uTextured, uAlpha, uAlphaMode, uCutoff;
uniform float uGround, uSceneRadius, uScatter, uShadowed, uShadowTexel;
uniform sampler2D uMap, uImage;
uniform mat4 uShadowMatrix;
uniform sampler2DShadow uShadow;
uniform float uRange[2];
varying vec3 vNormal;
varying vec3 vWorld;
varying vec4 vColor;
varying vec2 vUv;
varying float vValue;
flat varying float vPart; // between two parts there is no third one
#include <clipping_planes_pars_fragment>

const float PI = 3.14159265;
const float KEY_RADIUS = 0.20;
const vec3 KEY_COLOR = vec3(1.10, 1.02, 0.92);
const vec3 RIM_COLOR = vec3(0.34, 0.37, 0.42);
const vec3 SKY_MEAN = vec3(0.300, 0.298, 0.308);
const vec3 SKY_RISE = vec3(0.14, 0.16, 0.19);
const vec3 SKY_FRONT = vec3(0.07, 0.065, 0.06);
const float OVERHEAD_LIGHT = 1.1;
const vec3 BEHIND_TINT = vec3(0.34, 0.50, 0.95);
const float SHOULDER = 0.62;
// A spiral of equal areas, its steps a golden angle apart.
const vec2 TAPS[8] = vec2[8](${taps.join(', ')});

vec3 skyLight(vec3 direction) {
    return SKY_MEAN + SKY_RISE * direction.y + SKY_FRONT * dot(uFront, direction);
}

float highlight(vec3 normal, vec3 viewer, vec3 lamp, float roughness) {
    float cosine = dot(normal, lamp);
    if (cosine <= 0.0) {
        return 0.0;
    }
    vec3 between = normalize(lamp + viewer);
    float alpha = roughness * roughness;
    float nh = clamp(dot(normal, between), 0.0, 1.0);
    float d = nh * nh * (alpha * alpha - 1.0) + 1.0;
    float shape = alpha * alpha / (PI * d * d);
    float fresnel = uReflectance +
        (1.0 - uReflectance) * pow(clamp(1.0 - dot(between, lamp), 0.0, 1.0), 5.0);
    float k = alpha / 2.0;
    float facing = max(dot(normal, viewer), 0.02);
    float smith = 0.25 / ((cosine * (1.0 - k) + k) * (facing * (1.0 - k) + k));
    return PI * shape * fresnel * smith * cosine;
}

// Light that the ground takes away from what lies close above it.
float openSky(vec3 normal) {
    float below = clamp(-normal.y * 0.5 + 0.5, 0.0, 1.0);
    float near = 1.0 - clamp((vWorld.y - uGround) / (0.25 * uSceneRadius), 0.0, 1.0);
    return 1.0 - 0.65 * below * near;
}

// Interleaved gradient noise (Jimenez 2014): turns the pattern of shadow samples per pixel.
float noise() {
    return fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
}

// The part of the key lamp that is seen. The look's scatter lets light through thin parts.
float keyShadow(vec3 normal) {
    float cosine = dot(normal, uKey);
    if (cosine < -KEY_RADIUS || uShadowed < 0.5) {
        return 1.0;
    }
    vec3 lifted = vWorld + normal * uShadowTexel * 2.0 +
        uKey * (uShadowTexel * 2.0 + uScatter * uSceneRadius);
    vec4 at = uShadowMatrix * vec4(lifted, 1.0);
    float turn = 6.2831853 * noise();
    mat2 turned = 0.008 * mat2(cos(turn), sin(turn), -sin(turn), cos(turn));
    float seen = 0.0;
    for (int i = 0; i < 8; ++i) {
        seen += texture(uShadow, vec3(at.xy + turned * TAPS[i], at.z));
    }
    return seen / 8.0;
}

vec3 diffuse(vec3 normal, vec3 albedo, float key, float sky) {
    float cosine = dot(normal, uKey);
    float lit = clamp((cosine + KEY_RADIUS / 2.0) / (1.0 + KEY_RADIUS / 2.0), 0.0, 1.0) * key;
    float rim = clamp(dot(normal, uRim), 0.0, 1.0);
    return albedo * (KEY_COLOR * pow(vec3(lit), uFalloff) + skyLight(normal * 2.0 / 3.0) * sky +
                     RIM_COLOR * rim * sky * sky);
}

vec3 mirrored(vec3 normal, vec3 viewer, float key, float sky) {
    float roughness = sqrt(uRoughness * uRoughness + KEY_RADIUS / 4.0);
    float keyPart = highlight(normal, viewer, uKey, roughness) * key;
    float rimPart = highlight(normal, viewer, uRim, roughness) * sky * sky;
    float facing = max(dot(normal, viewer), 0.02);
    vec3 reflected = 2.0 * facing * normal - viewer;
    float gloss = 1.0 - uRoughness;
    float fresnel = uReflectance +
        (max(gloss, uReflectance) - uReflectance) * pow(clamp(1.0 - facing, 0.0, 1.0), 5.0);
    float lamp = OVERHEAD_LIGHT * gloss * smoothstep(0.55, 0.85, reflected.y);
    return KEY_COLOR * keyPart + RIM_COLOR * rimPart +
        (skyLight(reflected) + lamp) * fresnel * sky * sky;
}

vec3 rollOff(vec3 x) {
    vec3 high = SHOULDER + (1.0 - SHOULDER) * (1.0 - exp((SHOULDER - x) / (1.0 - SHOULDER)));
    return mix(x, high, step(SHOULDER, x));
}

vec3 decodeSrgb(vec3 x) {
    return mix(x / 12.92, pow((x + 0.055) / 1.055, vec3(2.4)), step(0.04045, x));
}

vec3 componentColor(float surface) {
    return texelFetch(uMap, ivec2(int(surface) % ${COMPONENT_COLORS}, 0), 0).rgb;
}

// Base colour, image and colours of vertices are multiplied, as glTF 2.0 does it. Without a material
// the colours of vertices stand for themselves.
vec4 coat() {
    vec4 own = uCoated > 0.5 || uPainted < 0.5 ? vec4(uColor, uAlpha) : vec4(1.0);
    if (uTextured > 0.5) {
        own *= texture2D(uImage, vUv);
    }
    if (uPainted > 0.5) {
        own *= vec4(decodeSrgb(vColor.rgb), vColor.a);
    }
    return own;
}

vec3 surfaceColor(vec3 own, bool behind) {
    vec3 albedo = own;
    if (uMapped > 1.5) {
        albedo = componentColor(vPart);
    } else if (uMapped > 0.5) {
        float t = (vValue - uRange[0]) / (uRange[1] - uRange[0]);
        albedo = isnan(vValue) ? vec3(0.2) : texture2D(uMap, vec2(clamp(t, 0.0, 1.0), 0.5)).rgb;
    }
    if (behind && uTwoSided < 0.5 && uOpacity >= 1.0) {
        albedo = mix(albedo * BEHIND_TINT, BEHIND_TINT * 0.45, 0.7);
    }
    return albedo;
}

// Corners farther from the face than some 40 degrees are drawn with the face's own normal, so that
// the edges of boxes stay sharp; normals that turn away from the viewer are bent back.
vec3 smoothNormal(vec3 viewer, out bool behind) {
    vec3 across = cross(dFdx(vWorld), dFdy(vWorld));
    vec3 face = length(across) > 0.0 ? normalize(across) : viewer;
    face = dot(face, viewer) < 0.0 ? -face : face;
    behind = !gl_FrontFacing;
    vec3 normal = length(vNormal) > 0.0 ? normalize(vNormal) : face;
    normal = behind ? -normal : normal;
    normal = normalize(mix(face, normal, smoothstep(0.719, 0.829, dot(face, normal))));
    float facing = dot(normal, viewer);
    return facing >= 0.02 ? normal : normalize(normal + (0.02 - facing) * viewer);
}

void main() {
    #include <clipping_planes_fragment>
    vec3 viewer = isOrthographic ? transpose(viewMatrix)[2].xyz
        : normalize(cameraPosition - vWorld);
    bool behind;
    vec3 normal = smoothNormal(viewer, behind);
    vec4 own = coat();
    if ((uAlphaMode == 1.0 && own.a < uCutoff) || (uAlphaMode == 2.0 && own.a <= 0.0)) {
        discard;
    }
    vec3 albedo = surfaceColor(own.rgb, behind);
    float sky = openSky(normal);
    float key = keyShadow(normal);
    vec3 color = diffuse(normal, albedo, key, sky) + mirrored(normal, viewer, key, sky);
    float alpha = uOpacity;
    if (uOpacity < 1.0) {
        // Beer's law through a thin layer: rims are more opaque.
        alpha = 1.0 - pow(1.0 - uOpacity, 1.0 / max(dot(normal, viewer), 0.08));
    }
    alpha *= uAlphaMode == 2.0 ? min(own.a, 1.0) : 1.0;
    gl_FragColor = vec4(rollOff(color), alpha);
    #include <colorspace_fragment>
}
`;
