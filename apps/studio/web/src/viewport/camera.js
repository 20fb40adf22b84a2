// SPDX-License-Identifier: Apache-2.0
//
// A camera on a turntable: it looks at a target from an azimuth (0: from +z, the front), an
// elevation and a distance, always upright.
import {PerspectiveCamera, Vector3} from 'three';

const FIELD_OF_VIEW = 24; // degrees, as portraits of `sinew render`: little distortion
const MARGIN = 1.12;
const STEEPEST = Math.PI / 2;
const ANIMATION = 180; // milliseconds

export const VIEWS = {
    front: [0, 0], back: [Math.PI, 0], left: [Math.PI / 2, 0], right: [-Math.PI / 2, 0],
    top: [0, Math.PI / 2], bottom: [0, -Math.PI / 2],
};

export class OrbitCamera {
    constructor(onChange) {
        this.onChange = onChange;
        this.camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
        this.target = new Vector3(0, 1, 0);
        this.azimuth = 0.6;
        this.elevation = 0.2;
        this.distance = 5;
        /** Radius of what there is to see: near and far planes follow it. */
        this.sceneRadius = 1;
        this.sceneCentre = new Vector3(0, 1, 0);
        this.flight = null;
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
        return 2 * this.distance * Math.tan(FIELD_OF_VIEW * Math.PI / 360) / height;
    }

    update() {
        const {camera, target, distance} = this;
        camera.position.copy(target).addScaledVector(this.back, distance);
        camera.up.copy(this.up);
        camera.lookAt(target);
        camera.updateMatrixWorld();
        this.fitPlanes();
        this.onChange?.();
    }

    /** Puts the near and the far plane around the scene. */
    fitPlanes() {
        const {camera, distance} = this;
        const away = camera.position.distanceTo(this.sceneCentre);
        camera.far = away + 12 * this.sceneRadius + distance;
        camera.near = Math.max(away - 3 * this.sceneRadius, distance / 200, camera.far * 1e-4);
        camera.updateProjectionMatrix();
    }

    /** The camera moved by an offset; `key` tells apart which of several. */
    movedCamera(key, offset) {
        if (offset.lengthSq() === 0) {
            return this.camera;
        }
        this.moved ??= new Map();
        if (!this.moved.has(key)) {
            this.moved.set(key, this.camera.clone());
        }
        const camera = this.moved.get(key).copy(this.camera);
        camera.position.add(offset);
        camera.updateMatrixWorld();
        return camera;
    }

    setAspect(aspect) {
        this.camera.aspect = aspect;
        this.camera.updateProjectionMatrix();
    }

    turn(byAzimuth, byElevation) {
        this.flight = null;
        this.azimuth += byAzimuth;
        this.elevation = Math.min(STEEPEST, Math.max(-STEEPEST, this.elevation + byElevation));
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
        const tangent = Math.tan(FIELD_OF_VIEW * Math.PI / 360);
        const moved = (before - this.distance) * tangent;
        const right = new Vector3().crossVectors(this.up, this.back);
        this.target.addScaledVector(right, x * moved * this.camera.aspect)
            .addScaledVector(this.up, y * moved);
        this.update();
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
        const tangent = Math.tan(FIELD_OF_VIEW * Math.PI / 360);
        const size = Math.max(reach(up), reach(right) / this.camera.aspect, 1e-4);
        this.#fly({target: centre, distance: size * MARGIN / tangent + reach(back)}, animate);
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
        const from = {azimuth: this.azimuth, elevation: this.elevation, distance: this.distance,
            target: this.target.clone()};
        this.flight = {from, to: {...from, ...to}, begin: animate ? performance.now() : -Infinity};
        if (!animate) {
            this.advance(0);
        }
        this.onChange?.();
    }
}

// The shorter way around.
function turnBetween(from, to) {
    const turn = (to - from) % (2 * Math.PI);
    return turn > Math.PI ? turn - 2 * Math.PI : turn < -Math.PI ? turn + 2 * Math.PI : turn;
}
