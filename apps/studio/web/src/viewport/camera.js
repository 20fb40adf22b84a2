// SPDX-License-Identifier: Apache-2.0
//
// A camera on a turntable: it looks at a target from an azimuth (0: from +z, the front), an
// elevation and a distance, always upright. Orthographic, it shows as much as in perspective at the
// target, and stands before everything there is.
import {OrthographicCamera, PerspectiveCamera, Vector3} from 'three';

const FIELD_OF_VIEW = 24; // degrees, as portraits of `sinew render`: little distortion
const MARGIN = 1.12;
const STEEPEST = Math.PI / 2;
const ANIMATION = 180; // milliseconds
const TANGENT = Math.tan(FIELD_OF_VIEW * Math.PI / 360);
/** How far the floor reaches, in radii of what stands on it, with its corners. */
const FLOOR_REACH = 6;
const FIRST_VIEW = {azimuth: 0.6, elevation: 0.2};

const VIEWS = {
    front: [0, 0], back: [Math.PI, 0], left: [Math.PI / 2, 0], right: [-Math.PI / 2, 0],
    top: [0, Math.PI / 2], bottom: [0, -Math.PI / 2],
};

export class OrbitCamera {
    constructor(onChange) {
        this.onChange = onChange;
        this.perspective = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
        this.parallel = new OrthographicCamera();
        this.orthographic = false;
        this.aspect = 1;
        this.target = new Vector3(0, 1, 0);
        Object.assign(this, FIRST_VIEW);
        this.distance = 5;
        /** Radius of what there is to see: near and far planes follow it. */
        this.sceneRadius = 1;
        this.sceneCentre = new Vector3(0, 1, 0);
        this.flight = null;
        this.update();
    }

    /** The camera that draws. */
    get camera() {
        return this.orthographic ? this.parallel : this.perspective;
    }

    setOrthographic(orthographic) {
        this.orthographic = orthographic;
        this.update();
    }

    /** Looks as at first. */
    reset() {
        this.flight = null;
        Object.assign(this, FIRST_VIEW);
        this.update();
    }

    /** Unit vector from the target to the eye. */
    get back() {
        const {azimuth, elevation} = this;
        return new Vector3(Math.sin(azimuth) * Math.cos(elevation), Math.sin(elevation),
            Math.cos(azimuth) * Math.cos(elevation));
    }

    /** Upright also when looking straight down: the derivative of `back` by the elevation. */
    get up() {
        const {azimuth, elevation} = this;
        return new Vector3(-Math.sin(azimuth) * Math.sin(elevation), Math.cos(elevation),
            -Math.cos(azimuth) * Math.sin(elevation));
    }

    /** Metres that one pixel covers at the target, in a view `height` pixels high. */
    metresPerPixel(height) {
        return 2 * this.distance * TANGENT / height;
    }

    update() {
        this.#place();
        this.onChange?.();
    }

    /** Puts the near and the far plane around what there is to see. */
    fit(centre, radius) {
        this.sceneRadius = radius;
        this.sceneCentre.copy(centre);
        this.#place();
    }

    #place() {
        const {camera, target} = this;
        const before = target.distanceTo(this.sceneCentre) + FLOOR_REACH * this.sceneRadius;
        const eye = this.orthographic ? before : this.distance;
        camera.position.copy(target).addScaledVector(this.back, eye);
        camera.up.copy(this.up);
        camera.lookAt(target);
        camera.updateMatrixWorld();
        if (this.orthographic) {
            const half = this.distance * TANGENT;
            Object.assign(camera, {top: half, bottom: -half, right: half * this.aspect,
                left: -half * this.aspect, near: 0, far: 2 * eye});
        } else {
            this.#fitPlanes();
        }
        camera.updateProjectionMatrix();
    }

    #fitPlanes() {
        const {camera, distance} = this;
        const away = camera.position.distanceTo(this.sceneCentre);
        camera.aspect = this.aspect;
        camera.far = away + 12 * this.sceneRadius + distance;
        camera.near = Math.max(away - FLOOR_REACH * this.sceneRadius, distance / 200,
            camera.far * 1e-4);
    }

    /** The camera moved by an offset; `key` tells apart which of several. */
    movedCamera(key, offset) {
        if (offset.lengthSq() === 0) {
            return this.camera;
        }
        this.moved ??= new Map();
        const name = `${this.camera.type} ${key}`;
        if (!this.moved.has(name)) {
            this.moved.set(name, this.camera.clone());
        }
        const camera = this.moved.get(name).copy(this.camera);
        camera.position.add(offset);
        camera.updateMatrixWorld();
        return camera;
    }

    setAspect(aspect) {
        this.aspect = aspect;
        this.#place();
    }

    /** Goes around the target by some radians, as keys do it: in a moment. */
    step(byAzimuth, byElevation) {
        const {azimuth, elevation} = this.flight?.to ?? this;
        this.#fly({azimuth: azimuth + byAzimuth, elevation: steep(elevation + byElevation)}, true);
    }

    /** Goes to the other side of the target. */
    turnAround() {
        const {azimuth, elevation} = this.flight?.to ?? this;
        this.#fly({azimuth: azimuth + Math.PI, elevation: -elevation}, true);
    }

    turn(byAzimuth, byElevation) {
        this.flight = null;
        this.azimuth += byAzimuth;
        this.elevation = steep(this.elevation + byElevation);
        this.update();
    }

    /** Moves the target so that the picture follows the pointer. */
    pan(pixelsX, pixelsY, height) {
        this.flight = null;
        const metres = this.metresPerPixel(height);
        const right = new Vector3().crossVectors(this.up, this.back);
        this.target.addScaledVector(right, -pixelsX * metres)
            .addScaledVector(this.up, pixelsY * metres);
        this.update();
    }

    /** Comes nearer by a factor below 1; the point at {x, y} (-1 to 1) stays where it is. */
    zoom(factor, {x = 0, y = 0} = {}) {
        this.flight = null;
        const before = this.distance;
        const smallest = this.sceneRadius * 1e-3;
        this.distance = Math.min(this.sceneRadius * 60, Math.max(smallest, before * factor));
        const moved = (before - this.distance) * TANGENT;
        const right = new Vector3().crossVectors(this.up, this.back);
        this.target.addScaledVector(right, x * moved * this.aspect)
            .addScaledVector(this.up, y * moved);
        this.update();
    }

    /** Where the camera is, for `flyTo`. */
    get view() {
        return {azimuth: this.azimuth, elevation: this.elevation, distance: this.distance,
            target: this.target.clone()};
    }

    flyTo(view) {
        this.#fly(view, true);
    }

    /** Looks from one of VIEWS. */
    setView(name, animate = true) {
        const [azimuth, elevation] = VIEWS[name];
        this.#fly({azimuth, elevation}, animate);
    }

    /** Comes to see the whole of a box. */
    frameBox(box, animate = true) {
        if (box.isEmpty()) {
            return;
        }
        const centre = box.getCenter(new Vector3());
        const half = box.getSize(new Vector3()).multiplyScalar(0.5);
        const back = this.back;
        const up = this.up;
        const right = new Vector3().crossVectors(up, back);
        const reach = (axis) => Math.abs(axis.x) * half.x + Math.abs(axis.y) * half.y +
            Math.abs(axis.z) * half.z;
        const size = Math.max(reach(up), reach(right) / this.aspect, 1e-4);
        const nearer = this.orthographic ? 0 : reach(back);
        this.#fly({target: centre, distance: size * MARGIN / TANGENT + nearer}, animate);
    }

    /** Goes on with a flight. @returns whether one is under way */
    advance(now) {
        if (this.flight === null) {
            return false;
        }
        const {from, to, begin} = this.flight;
        const t = Math.min(1, (now - begin) / ANIMATION);
        const s = t * t * (3 - 2 * t);
        this.azimuth = from.azimuth + s * turnBetween(from.azimuth, to.azimuth);
        this.elevation = from.elevation + s * (to.elevation - from.elevation);
        this.distance = from.distance * (to.distance / from.distance) ** s;
        this.target.lerpVectors(from.target, to.target, s);
        if (t === 1) {
            this.flight = null;
        }
        this.update();
        return true;
    }

    #fly(to, animate) {
        const from = this.view;
        this.flight = {from, to: {...from, ...to}, begin: animate ? performance.now() : -Infinity};
        if (!animate) {
            this.advance(0);
        }
        this.onChange?.();
    }
}

function steep(elevation) {
    return Math.min(STEEPEST, Math.max(-STEEPEST, elevation));
}

// The shorter way around.
function turnBetween(from, to) {
    const turn = (to - from) % (2 * Math.PI);
    return turn > Math.PI ? turn - 2 * Math.PI : turn < -Math.PI ? turn + 2 * Math.PI : turn;
}
