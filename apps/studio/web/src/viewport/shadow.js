// SPDX-License-Identifier: Apache-2.0
//
// Shadows: of the key lamp on everything, and on the floor also of the sky. The floor's shadow is
// soft and therefore drawn into a small picture of its own, seen from above.
import {
    DepthTexture, LessEqualCompare, LinearFilter, Matrix4, Mesh, MeshBasicMaterial, NearestFilter,
    DoubleSide, OrthographicCamera, PlaneGeometry, Scene, ShaderMaterial, UnsignedIntType, Vector3,
    WebGLRenderTarget,
} from 'three';

const FLOOR_SIZE = 256; // pixels
/** What is drawn into shadows: solid surfaces only. */
export const CASTERS = 1;
/** Half the side of the floor's shadow in radii of the scene. */
const FLOOR_REACH = 2.2;
/** Height up to which bodies darken the floor below, in radii. */
const NEAR_FLOOR = 0.9;

const floorVertex = /* glsl */ `
varying vec2 vPlace;
void main() {
    vPlace = position.xy;
    gl_Position = vec4(position.xy, 0.0, 1.0);
}
`;

// The part of the light that is lost on the floor: of the sky by what stands close above, of the
// key lamp by what is in its way.
const floorFragment = /* glsl */ `
precision highp sampler2DShadow;
uniform sampler2DShadow uShadow;
uniform sampler2D uHeights;
uniform mat4 uShadowMatrix;
uniform vec3 uCentre;
uniform float uGround, uRadius;
varying vec2 vPlace;

const int TAPS = 32;

vec2 tap(int i) {
    float r = sqrt((float(i) + 0.5) / float(TAPS));
    float a = float(i) * 2.39996323;
    return r * vec2(cos(a), sin(a));
}

void main() {
    float lostKey = 0.0, lostSky = 0.0, weights = 0.0;
    vec3 here = vec3(uCentre.x, uGround, uCentre.z) +
        vec3(vPlace.x, 0.0, -vPlace.y) * ${FLOOR_REACH.toFixed(2)} * uRadius;
    for (int i = 0; i < TAPS; ++i) {
        vec2 at = tap(i);
        vec4 place = uShadowMatrix * vec4(here + vec3(at.x, 0.0, at.y) * 0.07 * uRadius, 1.0);
        lostKey += 1.0 - texture(uShadow, place.xyz - vec3(0.0, 0.0, 0.002));
        float reach = float(i + 1) / float(TAPS);
        vec2 spot = vPlace + at * 0.55 * ${NEAR_FLOOR.toFixed(2)} / ${FLOOR_REACH.toFixed(2)};
        // Seen from below, left and right change sides.
        float height = texture2D(uHeights, vec2(0.5 + 0.5 * spot.x, 0.5 + 0.5 * spot.y)).r;
        float weight = 1.0 - 0.8 * reach;
        lostSky += weight * (1.0 - smoothstep(0.0, 1.0, height * (1.0 + reach)));
        weights += weight;
    }
    float lost = 0.45 * lostKey / float(TAPS) + 0.55 * lostSky / weights;
    float away = length(vPlace) * ${FLOOR_REACH.toFixed(2)};
    gl_FragColor = vec4(0.8 * lost * (1.0 - smoothstep(1.4, 2.1, away)), 0.0, 0.0, 1.0);
}
`;

function depthTarget(size, compare) {
    const depthTexture = new DepthTexture(size, size, UnsignedIntType);
    depthTexture.minFilter = depthTexture.magFilter = compare ? LinearFilter : NearestFilter;
    if (compare) {
        depthTexture.compareFunction = LessEqualCompare;
    }
    return new WebGLRenderTarget(size, size, {depthTexture, minFilter: NearestFilter,
        magFilter: NearestFilter});
}

/** Shadows of one view. */
export class Shadows {
    /** @param {number} size pixels along a side of the key lamp's picture */
    constructor(light, size) {
        this.light = light;
        this.size = size;
        this.key = depthTarget(size, true);
        this.heights = depthTarget(FLOOR_SIZE, false);
        this.floor = new WebGLRenderTarget(FLOOR_SIZE, FLOOR_SIZE, {depthBuffer: false,
            minFilter: LinearFilter, magFilter: LinearFilter});
        this.matrix = new Matrix4();
        this.keyCamera = casterCamera();
        this.floorCamera = casterCamera();
        this.caster = new MeshBasicMaterial({side: DoubleSide, colorWrite: false});
        this.bake = new ShaderMaterial({vertexShader: floorVertex, fragmentShader: floorFragment,
            depthTest: false, depthWrite: false, uniforms: {
                uShadow: {value: this.key.depthTexture},
                uHeights: {value: this.heights.depthTexture},
                uShadowMatrix: {value: this.matrix}, uCentre: {value: new Vector3()},
                uGround: {value: 0}, uRadius: {value: 1}}});
        this.bakeScene = new Scene();
        const square = new Mesh(new PlaneGeometry(2, 2), this.bake);
        square.frustumCulled = false;
        this.bakeScene.add(square);
    }

    /** Draws the shadows of a scene. `bounds`: {centre, radius, ground}. */
    draw(renderer, scene, bounds) {
        this.#placeKey(bounds);
        this.#placeFloor(bounds);
        scene.overrideMaterial = this.caster;
        render(renderer, this.key, scene, this.keyCamera);
        render(renderer, this.heights, scene, this.floorCamera);
        scene.overrideMaterial = null;
        const uniforms = this.bake.uniforms;
        uniforms.uCentre.value.copy(bounds.centre);
        uniforms.uGround.value = bounds.ground;
        uniforms.uRadius.value = bounds.radius;
        render(renderer, this.floor, this.bakeScene, this.floorCamera);
        renderer.setRenderTarget(null);
    }

    /** Lets materials see these shadows, or none. */
    use({radius}, shown) {
        const uniforms = this.light.uniforms;
        uniforms.uShadow.value = this.key.depthTexture;
        uniforms.uShadowMatrix.value = this.matrix;
        uniforms.uSceneRadius.value = radius;
        uniforms.uShadowTexel.value = 2.1 * radius / this.size;
        uniforms.uShadowed.value = shown ? 1 : 0;
    }

    #placeKey({centre, radius}) {
        const camera = this.keyCamera;
        const size = 1.05 * radius;
        Object.assign(camera, {left: -size, right: size, top: size, bottom: -size, near: 0,
            far: 4 * radius});
        camera.position.copy(centre).addScaledVector(this.light.uniforms.uKey.value, 2 * radius);
        camera.lookAt(centre);
        camera.updateProjectionMatrix();
        camera.updateMatrixWorld();
        this.matrix.set(0.5, 0, 0, 0.5, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 1)
            .multiply(camera.projectionMatrix).multiply(camera.matrixWorldInverse);
    }

    // From below, looking up: the depth is the height above the floor.
    #placeFloor({centre, radius, ground}) {
        const camera = this.floorCamera;
        const size = FLOOR_REACH * radius;
        Object.assign(camera, {left: -size, right: size, top: -size, bottom: size, near: 0,
            far: NEAR_FLOOR * radius});
        camera.position.set(centre.x, ground - 1e-3 * radius, centre.z);
        camera.up.set(0, 0, 1);
        camera.lookAt(centre.x, ground + radius, centre.z);
        camera.updateProjectionMatrix();
        camera.updateMatrixWorld();
    }
}

function casterCamera() {
    const camera = new OrthographicCamera();
    camera.layers.set(CASTERS);
    return camera;
}

function render(renderer, target, scene, camera) {
    const mask = scene.children.length === 1 ? camera.layers.mask : null;
    renderer.setRenderTarget(target);
    renderer.clear();
    if (mask !== null) {
        camera.layers.enableAll();
    }
    renderer.render(scene, camera);
    if (mask !== null) {
        camera.layers.mask = mask;
    }
}
